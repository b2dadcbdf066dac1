// ODE in experiments: loaded on demand where it is installed.

#define _GNU_SOURCE
#include "bench/baselines/other_engines.h"
#include "bench/baselines/peer.h"

#ifndef TAC_HAVE_ODE_HEADERS

int ode_ball_force(double R, double r, const double x[3], double mass, double h, double force[3]) {
    (void)R;
    (void)r;
    (void)x;
    (void)mass;
    (void)h;
    (void)force;
    return 0;
}

#else

#include <dlfcn.h>
#include <ode/ode.h>
#include <string.h>

#define FUNCTIONS(X)                                                                               \
    X(dInitODE2)                                                                                   \
    X(dCloseODE)                                                                                   \
    X(dWorldCreate)                                                                                \
    X(dWorldDestroy)                                                                               \
    X(dWorldStep)                                                                                  \
    X(dBodyCreate)                                                                                 \
    X(dBodySetMass)                                                                                \
    X(dBodySetPosition)                                                                            \
    X(dMassSetSphereTotal)                                                                         \
    X(dCreateSphere)                                                                               \
    X(dGeomSetBody)                                                                                \
    X(dGeomDestroy)                                                                                \
    X(dCollide)                                                                                    \
    X(dJointCreateContact)                                                                         \
    X(dJointAttach)                                                                                \
    X(dJointSetFeedback)

typedef struct odeLibrary {
    void* library;
#define FIELD(name) __typeof__(&name) name;
    FUNCTIONS(FIELD)
#undef FIELD
} odeLibrary;

static int open_library(odeLibrary* o) {
    int all = 1;
    o->library = peer_open("libode.so.8");
    if (!o->library) o->library = peer_open("libode.so");
    if (!o->library) return 0;
#define FIND(name)                                                                                 \
    *(void**)&o->name = dlsym(o->library, #name);                                                  \
    all &= o->name != NULL;
    FUNCTIONS(FIND)
#undef FIND
    return all;
}

typedef struct odeBalls {
    dWorldID world;
    dBodyID body;    // of the small ball
    dGeomID geom[2]; // large, small
} odeBalls;

// one contact, hard up to ODE's default softness; the force is what the joint reports after a step
static void step_balls(odeLibrary* o, const odeBalls* s, double h, double force[3]) {
    dContact contact;
    dJointFeedback feedback;
    memset(&contact, 0, sizeof contact);
    memset(&feedback, 0, sizeof feedback);
    if (o->dCollide(s->geom[1], s->geom[0], 1, &contact.geom, sizeof contact) == 0) return;
    dJointID joint = o->dJointCreateContact(s->world, 0, &contact);
    o->dJointAttach(joint, s->body, 0);
    o->dJointSetFeedback(joint, &feedback);
    o->dWorldStep(s->world, (dReal)h);
    for (int k = 0; k < 3; ++k) force[k] = feedback.f1[k];
}

int ode_ball_force(double R, double r, const double x[3], double mass, double h, double force[3]) {
    odeLibrary o;
    for (int k = 0; k < 3; ++k) force[k] = 0.0;
    if (!open_library(&o)) return 0;
    o.dInitODE2(0);
    dWorldID world = o.dWorldCreate();
    dBodyID body = o.dBodyCreate(world);
    dMass m;
    o.dMassSetSphereTotal(&m, (dReal)mass, (dReal)r);
    o.dBodySetMass(body, &m);
    o.dBodySetPosition(body, (dReal)x[0], (dReal)x[1], (dReal)x[2]);
    dGeomID a = o.dCreateSphere(0, (dReal)R), b = o.dCreateSphere(0, (dReal)r);
    o.dGeomSetBody(b, body);
    step_balls(&o, &(odeBalls){world, body, {a, b}}, h, force);
    o.dGeomDestroy(a);
    o.dGeomDestroy(b);
    o.dWorldDestroy(world);
    o.dCloseODE();
    dlclose(o.library);
    return 1;
}

#endif
