// Every model there is to try: our scenes, and the models of the data beside the repository.

#ifndef TACTUS_TEST_MODEL_FILES_H
#define TACTUS_TEST_MODEL_FILES_H

#include <ftw.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_MODEL_FILES = 1000 };

typedef struct modelFiles {
    char* path[MAX_MODEL_FILES]; // scenes first, each part sorted
    int count, scenes;
} modelFiles;

static modelFiles model_files;

// repro/ holds small cases of open issues: each gets a test of its own when it is solved
static inline int is_model_file(const char* path) {
    const char* dot = strrchr(path, '.');
    if (strstr(path, "/repro/")) return 0;
    return dot && (strcmp(dot, ".xml") == 0 || strcmp(dot, ".urdf") == 0);
}

static inline int visit_model_file(const char* path, const struct stat* status, int flag,
                                   struct FTW* at) {
    (void)status;
    (void)at;
    if (flag == FTW_F && is_model_file(path) && model_files.count < MAX_MODEL_FILES)
        model_files.path[model_files.count++] = strdup(path);
    return 0;
}

static inline int by_path(const void* a, const void* b) {
    return strcmp(*(char* const*)a, *(char* const*)b);
}

// TACTUS_DATA names another folder than the one beside the repository
static inline const modelFiles* list_model_files(void) {
    const char* data = getenv("TACTUS_DATA");
    modelFiles* all = &model_files;
    if (all->count) return all;
    nftw(TAC_SOURCE_DIR "/scenes", visit_model_file, 16, 0);
    all->scenes = all->count;
    nftw(data ? data : TAC_SOURCE_DIR "/../shared/data", visit_model_file, 16, 0);
    qsort(all->path, (size_t)all->scenes, sizeof *all->path, by_path);
    qsort(all->path + all->scenes, (size_t)(all->count - all->scenes), sizeof *all->path, by_path);
    return all;
}

// the name of a scene; the way from the data's folder to a model of it
static inline const char* model_file_name(const char* path) {
    const char* data = getenv("TACTUS_DATA");
    size_t length = data ? strlen(data) : 0;
    const char* beside = strstr(path, "/shared/data/");
    if (length && strncmp(path, data, length) == 0) return path + length + (path[length] == '/');
    return beside ? beside + strlen("/shared/data/") : strrchr(path, '/') + 1;
}

#endif
