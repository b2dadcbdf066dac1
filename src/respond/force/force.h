// What a force responder is to the rest: one entry of the table in force.c.

#ifndef TAC_RESPOND_FORCE_FORCE_H
#define TAC_RESPOND_FORCE_FORCE_H

#include "base/arena.h"
#include "base/scratch.h"
#include "model/contact/contact_data.h"

// What forces are differentiated along beside pose and twist: contacts and parameters; NULL: zero.
typedef struct tacForceTangent {
    const tacContacts* contacts;
    const tacReal* param;
} tacForceTangent;

// What adjoints of forces are added to; NULL: not asked for.
typedef struct tacForceAdjoint {
    tacContacts* contacts;
    tacReal* param;
} tacForceAdjoint;

// All functions as their namesakes in tactus/respond.h, called with arguments that were checked.
// Without kinematics->derivatives K and C may be left as they are. `measure` is the dry run of what
// one call allocates from the scratch.
typedef struct tacForceKind {
    int reads_contacts; // 0: it finds the contact itself
    void (*measure)(const tacModel* model, tacArena* arena);
    tacResult (*force)(const tacModel* model, const tacKinematics* kinematics,
                       const tacContacts* contacts, tacPairForce* out, int* count,
                       tacScratch* scratch);
    tacResult (*jvp)(const tacModel* model, const tacKinematics* kinematics,
                     const tacContacts* contacts, tacForceTangent tangent, tacPairForce* dot,
                     tacScratch* scratch);
    tacResult (*vjp)(const tacModel* model, const tacKinematics* kinematics,
                     const tacContacts* contacts, const tacPairForce* bar, tacForceAdjoint adjoint,
                     tacScratch* scratch);
} tacForceKind;

// the scene's, or NULL if it has none or one of impulses
const tacForceKind* tac_force_of(const tacModel* model);

// Of an implicit force: how far ahead it looks, as a share of the time step, and in seconds. All of
// the step in those of Euler; half of it in each stage of Runge-Kutta's, whose stability region
// then holds any spring and damper (docs/contact.md, eq. 12).
double tac_implicit_share(const tacModel* model);
tacReal tac_implicit_timestep(const tacModel* model);

// longest step of the scene's integrator for a spring and a damper, both over the mass
double tac_stable_spring(const tacModel* model, double stiffness, double damping);

extern const tacForceKind tac_spring_force, tac_elastoplastic_force, tac_scm_force;

#endif
