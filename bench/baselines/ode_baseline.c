// ODE's step and DART's Dantzig solver as baselines.

#define _GNU_SOURCE
#include "bench/baselines/ode_baseline.h"
#include "bench/baselines/peer.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- a cube in ODE ----------------------------------

#ifndef TAC_HAVE_ODE_HEADERS

odeBaseline* ode_baseline_open(void) { return NULL; }
void ode_baseline_close(odeBaseline* baseline) { (void)baseline; }
void ode_baseline_step(void* baseline) { (void)baseline; }

#else

#include <ode/ode.h>

// the functions that are used, by their own types
#define FUNCTIONS(X)                                                                               \
    X(dInitODE2)                                                                                   \
    X(dCloseODE)                                                                                   \
    X(dWorldCreate)                                                                                \
    X(dWorldDestroy)                                                                               \
    X(dWorldSetGravity)                                                                            \
    X(dWorldStep)                                                                                  \
    X(dBodyCreate)                                                                                 \
    X(dMassSetBoxTotal)                                                                            \
    X(dBodySetMass)                                                                                \
    X(dBodySetPosition)                                                                            \
    X(dBodySetQuaternion)                                                                          \
    X(dBodySetLinearVel)                                                                           \
    X(dBodySetAngularVel)                                                                          \
    X(dJointGroupCreate)                                                                           \
    X(dJointGroupDestroy)                                                                          \
    X(dJointCreateContact)                                                                         \
    X(dJointAttach)

struct odeBaseline {
    void* library;
    dWorldID world;
    dBodyID body;
    dJointGroupID group;
    int ready;
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
};

static int find_functions(odeBaseline* p) {
    int all = 1;
#define FIND(name)                                                                                 \
    *(void**)&p->name = dlsym(p->library, #name);                                                  \
    all &= p->name != NULL;
    FUNCTIONS(FIND)
#undef FIND
    return all;
}

// four corners of a cube with sides of 0.1 m on a floor
static void make_cube(odeBaseline* p) {
    dMass mass;
    p->world = p->dWorldCreate();
    p->dWorldSetGravity(p->world, 0.0, 0.0, -10.0);
    p->body = p->dBodyCreate(p->world);
    p->dMassSetBoxTotal(&mass, 1.0, 0.1, 0.1, 0.1);
    p->dBodySetMass(p->body, &mass);
    p->group = p->dJointGroupCreate(0);
    for (int c = 0; c < 4; ++c) {
        dContact contact;
        memset(&contact, 0, sizeof contact);
        contact.surface.mode = dContactApprox1;
        contact.surface.mu = 0.5;
        contact.geom.pos[0] = c & 1 ? 0.05 : -0.05;
        contact.geom.pos[1] = c & 2 ? 0.05 : -0.05;
        contact.geom.normal[2] = 1.0;
        p->dJointAttach(p->dJointCreateContact(p->world, p->group, &contact), p->body, NULL);
    }
}

odeBaseline* ode_baseline_open(void) {
    odeBaseline* p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->library = peer_open("libode.so");
    if (!p->library || !find_functions(p) || !p->dInitODE2(0)) {
        ode_baseline_close(p);
        return NULL;
    }
    p->ready = 1;
    make_cube(p);
    return p;
}

void ode_baseline_close(odeBaseline* p) {
    if (!p) return;
    if (p->ready) {
        p->dJointGroupDestroy(p->group);
        p->dWorldDestroy(p->world);
        p->dCloseODE();
    }
    if (p->library) dlclose(p->library);
    free(p);
}

void ode_baseline_step(void* context) {
    const dQuaternion upright = {1.0, 0.0, 0.0, 0.0};
    odeBaseline* p = context;
    p->dBodySetPosition(p->body, 0.0, 0.0, 0.05);
    p->dBodySetQuaternion(p->body, upright);
    p->dBodySetLinearVel(p->body, 2.0, 0.5, 0.0);
    p->dBodySetAngularVel(p->body, 0.0, 0.0, 0.0);
    p->dWorldStep(p->world, 0.01);
}

#endif

//---------------------------------- the packaged Dantzig ----------------------------------

typedef char dartSolve(int n, double* A, double* x, double* b, double* w, int unbounded,
                       double* low, double* high, int* friction, char early);

static dartSolve* find_dart_solver(void) {
    static void* library;
    dartSolve* solve = NULL;
    if (!library) library = peer_open("libdart-external-odelcpsolver.so");
    if (library)
        *(void**)&solve = dlsym(library, "_ZN4dart8external3ode9dSolveLCPEiPdS2_S2_S2_iS2_S2_Pib");
    return solve;
}

enum { DART_MAX_ROWS = 128 };

int dart_dantzig(int n, const double* A, const double* b, double* x) {
    static dartSolve* solve;
    static _Alignas(64) double copy[DART_MAX_ROWS * DART_MAX_ROWS];
    double right[DART_MAX_ROWS], w[DART_MAX_ROWS], low[DART_MAX_ROWS], high[DART_MAX_ROWS];
    int stride = n > 1 ? ((n - 1) | 3) + 1 : n, friction[DART_MAX_ROWS];
    if (!solve) solve = find_dart_solver();
    if (!solve || n > DART_MAX_ROWS) return 0;
    // it takes A x = b + w, rows padded to fours, and works in place
    for (int i = 0; i < n; ++i) {
        memcpy(copy + i * stride, A + i * n, sizeof(double) * (size_t)n);
        right[i] = -b[i];
        low[i] = 0.0;
        high[i] = INFINITY;
        friction[i] = -1;
        x[i] = 0.0;
    }
    return solve(n, copy, x, right, w, 0, low, high, friction, 0);
}
