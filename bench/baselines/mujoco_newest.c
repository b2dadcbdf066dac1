// The newest MuJoCo beside the installed one in one process: an object of its own, made of
// mujoco_baseline.c with its headers, loads it without showing its names to the other.

#define _GNU_SOURCE
#include "bench/baselines/mujoco_baseline.h"

#include <dlfcn.h>
#include <stddef.h>

#ifndef TAC_NEWEST_MUJOCO

const mujocoApi* mujoco_newest_api(void) { return NULL; }

#else

const mujocoApi* mujoco_newest_api(void) {
    void* object = dlopen(TAC_NEWEST_MUJOCO, RTLD_NOW | RTLD_LOCAL);
    return object ? dlsym(object, "mujoco_api") : NULL; // stays until the program ends
}

#endif
