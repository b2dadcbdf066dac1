// mujoco_native SEED STATES STEPS JACOBIANS MODEL... > OUT
//
// The numbers of the newest native MuJoCo (tools/setup mujoco), constraints disabled, in the format
// that mujoco_reference.h reads. A program of its own: its headers are not those of the installed
// libmujoco, which tests link.

#define _GNU_SOURCE
#include "dynamics/mujoco_library.h"

#include <ftw.h>
#include <libgen.h>
#include <unistd.h>

//---------------------------------- URDF -----------------------------------------

// MuJoCo looks for the meshes of a URDF beside it, wherever the URDF says they are: the package is
// laid flat in a folder of links, and the URDF names that folder.

static char flat_folder[200];

static int link_file(const char* path, const struct stat* status, int flag, struct FTW* at) {
    char to[1500];
    (void)status;
    snprintf(to, sizeof to, "%s/%s", flat_folder, path + at->base);
    if (flag == FTW_F && symlink(path, to) != 0) return 0; // a name that is there already
    return 0;
}

static char* read_text(const char* path) {
    FILE* file = fopen(path, "rb");
    char* text = calloc(1, 4000001);
    size_t size = file && text ? fread(text, 1, 4000000, file) : 0;
    if (file) fclose(file);
    if (size) return text;
    free(text);
    return NULL;
}

// a URDF that says nothing of its meshes' paths gets strippath
static int write_flat(const char* path, const char* to) {
    char* text = read_text(path);
    char* root = text ? strstr(text, "<robot") : NULL;
    char* end = root ? strchr(root, '>') : NULL;
    FILE* file = end ? fopen(to, "wb") : NULL;
    if (file) {
        fwrite(text, 1, (size_t)(end + 1 - text), file);
        if (!strstr(text, "<mujoco"))
            fputs("<mujoco><compiler strippath=\"true\"/></mujoco>", file);
        fputs(end + 1, file);
        fclose(file);
    }
    free(text);
    return file != NULL;
}

static int remove_file(const char* path, const struct stat* status, int flag, struct FTW* at) {
    (void)status;
    (void)flag;
    (void)at;
    return remove(path);
}

// the copy of a URDF in a folder of its own, with links to all around it; 0 after a failure
static int lay_flat(const char* path, char out[1500]) {
    char folder[1000], name[1000];
    snprintf(flat_folder, sizeof flat_folder, "/tmp/tactus-urdf-XXXXXX");
    snprintf(folder, sizeof folder, "%s", path);
    snprintf(name, sizeof name, "%s", path);
    char* from = dirname(folder);
    if (strcmp(basename(name), "urdf") == 0 || !mkdtemp(flat_folder)) return 0;
    snprintf(name, sizeof name, "%s", from);
    if (strcmp(basename(name), "urdf") == 0) from = dirname(from);
    snprintf(name, sizeof name, "%s", path);
    snprintf(out, 1500, "%s/%s", flat_folder, basename(name));
    nftw(from, link_file, 16, 0);
    unlink(out);
    return write_flat(path, out);
}

//---------------------------------- output ---------------------------------------

static void put_reference(const mujocoReference* r) {
    printf("model %s\n", r->path);
    if (r->failure[0]) printf("failed %s\n", r->failure);
    for (int i = 0; i < r->count; ++i) {
        const referenceArray* a = &r->arrays[i];
        printf("array %s %d\n", a->name, a->count);
        fwrite(a->numbers, sizeof *a->numbers, (size_t)a->count, stdout);
    }
    printf("end\n");
}

// of a run that MuJoCo breaks off: it would go to a file in the working folder
static void ignore_warning(const char* text) { (void)text; }

int main(int argc, char** argv) {
    mujocoReference r = {0};
    char flat[1500];
    if (argc < 6) return 2;
    mju_user_warning = ignore_warning;
    for (int i = 5; i < argc; ++i) {
        const char* dot = strrchr(argv[i], '.');
        int is_urdf = dot && strcmp(dot, ".urdf") == 0 && lay_flat(argv[i], flat);
        libraryJob job = {argv[i],       is_urdf ? flat : argv[i],
                          atoi(argv[1]), atoi(argv[2]),
                          atoi(argv[3]), atoi(argv[4])};
        library_read(&r, &job);
        put_reference(&r);
        if (is_urdf) nftw(flat_folder, remove_file, 16, FTW_DEPTH | FTW_PHYS);
    }
    reference_clear(&r);
    return 0;
}
