// A scene in MuJoCo, the installed one unless TAC_MUJOCO_LIBRARY names another, whose library is
// loaded when asked for, never linked. For files that have its headers (TAC_HAVE_MUJOCO_HEADERS).

#ifndef TAC_BENCH_BASELINES_MUJOCO_SCENE_INL
#define TAC_BENCH_BASELINES_MUJOCO_SCENE_INL

#include "bench/baselines/peer.h"
#include <dlfcn.h>
#include <mujoco/mujoco.h>

#ifndef TAC_MUJOCO_LIBRARY
#define TAC_MUJOCO_LIBRARY "libmujoco.so"
#endif

// the functions that are used, by their own types
#define MUJOCO_FUNCTIONS(X)                                                                        \
    X(mj_versionString)                                                                            \
    X(mj_loadXML)                                                                                  \
    X(mj_deleteModel)                                                                              \
    X(mj_makeData)                                                                                 \
    X(mj_deleteData)                                                                               \
    X(mj_resetData)                                                                                \
    X(mj_kinematics)                                                                               \
    X(mj_comPos)                                                                                   \
    X(mj_comVel)                                                                                   \
    X(mj_rne)                                                                                      \
    X(mj_forward)                                                                                  \
    X(mj_step)                                                                                     \
    X(mj_collision)                                                                                \
    X(mjd_transitionFD)

typedef struct mujocoScene {
    void* library;
    mjModel* m;
    mjData* d;
#define FIELD(name) __typeof__(&name) name;
    MUJOCO_FUNCTIONS(FIELD)
#undef FIELD
} mujocoScene;

static inline void mujoco_scene_close(mujocoScene* s) {
    if (s->d) s->mj_deleteData(s->d);
    if (s->m) s->mj_deleteModel(s->m);
    if (s->library) dlclose(s->library);
    *s = (mujocoScene){0};
}

static inline int mujoco_find_functions(mujocoScene* s) {
    int all = 1;
#define FIND(name)                                                                                 \
    *(void**)&s->name = dlsym(s->library, #name);                                                  \
    all &= s->name != NULL;
    MUJOCO_FUNCTIONS(FIND)
#undef FIND
    return all;
}

// 1 if MuJoCo is there and reads the file; to be closed then
static inline int mujoco_scene_open(mujocoScene* s, const char* path) {
    char error[300];
    *s = (mujocoScene){.library = peer_open(TAC_MUJOCO_LIBRARY)};
    if (s->library && mujoco_find_functions(s))
        s->m = s->mj_loadXML(path, NULL, error, sizeof error);
    if (s->m) s->d = s->mj_makeData(s->m);
    if (!s->d) mujoco_scene_close(s);
    return s->d != NULL;
}

#endif
