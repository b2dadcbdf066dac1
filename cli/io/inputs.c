// The inputs of one command, for the whole process.

#define _GNU_SOURCE
#include "cli/io/inputs.h"

#include "cli/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct inputFile {
    char* path;
    int known; // device and inode are of the moment when it was read
    dev_t device;
    ino_t inode;
} inputFile;

static struct {
    inputFile* file;
    int count, capacity;
} inputs;

// 0, or -1 without memory
static int add_input(const char* path, const struct stat* status) {
    if (inputs.count == inputs.capacity) {
        int capacity = inputs.capacity ? 2 * inputs.capacity : 16;
        inputFile* more = realloc(inputs.file, sizeof *more * (size_t)capacity);
        if (!more) return -1;
        inputs.file = more;
        inputs.capacity = capacity;
    }
    char* copy = strdup(path);
    if (!copy) return -1;
    inputFile* input = &inputs.file[inputs.count++];
    *input = (inputFile){.path = copy, .known = status != NULL};
    if (!status) return 0;
    input->device = status->st_dev;
    input->inode = status->st_ino;
    return 0;
}

int cli_input_add(const char* path) {
    struct stat status;
    int exists = stat(path, &status) == 0;
    return add_input(path, exists ? &status : NULL) == 0 ? 0 : cli_error("", "out of memory");
}

// 0, or an error number
static int add_open_file(FILE* file, const char* name) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0) return errno;
    if (S_ISDIR(status.st_mode)) return EISDIR;
    return add_input(name, &status) == 0 ? 0 : ENOMEM;
}

FILE* cli_input_open(const char* path) {
    FILE* file = fopen(path, "r");
    int error = file ? add_open_file(file, path) : errno;
    if (file && error) fclose(file);
    errno = error;
    return error ? NULL : file;
}

FILE* cli_input_standard(void) {
    errno = add_open_file(stdin, "standard input");
    return errno ? NULL : stdin;
}

// Also by name: an editor may have replaced the file since it was read.
const char* cli_input_find(const struct stat* file) {
    for (int i = 0; i < inputs.count; ++i) {
        const inputFile* input = &inputs.file[i];
        struct stat now;
        if (input->known && input->device == file->st_dev && input->inode == file->st_ino)
            return input->path;
        if (stat(input->path, &now) == 0 && now.st_dev == file->st_dev &&
            now.st_ino == file->st_ino)
            return input->path;
    }
    return NULL;
}
