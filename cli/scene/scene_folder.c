// Scenes are found from the program, so that it works in any folder and from an installed copy.

#define _GNU_SOURCE
#include "cli/scene/scene_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

// folder of the program, without a slash at the end; "" if it is unknown
static void program_folder(char folder[PATH_SIZE]) {
    ssize_t length = readlink("/proc/self/exe", folder, PATH_SIZE - 1);
    folder[length > 0 ? length : 0] = '\0';
    char* slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
}

void cli_scene_path(const char* file, char* path, size_t size) {
    static const char* const beside[] = {"../share/tactus/scenes", "../scenes", "../../scenes"};
    const char* chosen = getenv("TACTUS_SCENES");
    char folder[PATH_SIZE];
    if (chosen && *chosen) {
        snprintf(path, size, "%s/%s", chosen, file);
        return;
    }
    program_folder(folder);
    for (size_t i = 0; *folder && i < sizeof beside / sizeof *beside; ++i) {
        snprintf(path, size, "%s/%s/%s", folder, beside[i], file);
        if (access(path, R_OK) == 0) return;
    }
    snprintf(path, size, "scenes/%s", file);
}
