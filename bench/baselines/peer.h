// Libraries of other engines, loaded at run time.

#ifndef TAC_BENCH_BASELINES_PEER_H
#define TAC_BENCH_BASELINES_PEER_H

#include <dlfcn.h>
#include <stdlib.h>

// dlopen, or NULL if the environment has TACTUS_NO_PEERS: then every engine is as if not installed
static inline void* peer_open(const char* library) {
    return getenv("TACTUS_NO_PEERS") ? NULL : dlopen(library, RTLD_NOW | RTLD_LOCAL);
}

#endif
