// The newest MuJoCo beside the installed one in one process: an object of its own, made of
// mujoco_peer.c with its headers, loads it without showing its names to the other.

#define _GNU_SOURCE
#include "bench/mujoco_peer.h"

#include <dlfcn.h>
#include <stddef.h>

#ifndef TAC_NEWEST_MUJOCO

const mujocoWorks* mujoco_newest_works(void) { return NULL; }

#else

const mujocoWorks* mujoco_newest_works(void) {
    void* object = dlopen(TAC_NEWEST_MUJOCO, RTLD_NOW | RTLD_LOCAL);
    return object ? dlsym(object, "mujoco_works") : NULL; // stays until the program ends
}

#endif
