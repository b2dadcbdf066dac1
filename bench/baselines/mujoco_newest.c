// The newest MuJoCo next to the installed one in one process: an object of its own, compiled from
// mujoco_baseline.c with its headers, loads it with private symbols.

#define _GNU_SOURCE
#include "bench/baselines/mujoco_baseline.h"
#include "bench/baselines/peer.h"

#include <dlfcn.h>
#include <stddef.h>

#ifndef TAC_NEWEST_MUJOCO

const mujocoApi* mujoco_newest_api(void) { return NULL; }

#else

const mujocoApi* mujoco_newest_api(void) {
    void* object = peer_open(TAC_NEWEST_MUJOCO);
    return object ? dlsym(object, "mujoco_api") : NULL; // stays until the program ends
}

#endif
