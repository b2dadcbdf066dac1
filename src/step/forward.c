// The stages of forward dynamics with contact.

#include "step/forward.h"

#include "dynamics/gyroscopic.h"
#include "step/double/generated.h"
#include "step/force/limit_friction.h"

#include <string.h>

tacForward tac_forward_alloc(const tacModel* model, const tacDynamicsKernels* kernels,
                             int derivatives, tacScratch* scratch) {
    tacForward f = {.dyn = tac_free_dynamics_alloc(model, kernels, &scratch->arena)};
    if (kernels->lanes == 1)
        f.contact_forces = tac_contact_forces_alloc(model, derivatives, scratch);
    f.dyn.use_aba = f.dyn.use_aba && !tac_contact_forces_are_implicit(model);
    f.dyn.gyroscopic = tac_forward_is_implicit(&f) && tac_implicit_share(model) == 1.0;
    tac_forward_reset(&f, scratch);
    return f;
}

void tac_forward_reset(tacForward* f, tacScratch* scratch) {
    tac_free_dynamics_reset(&f->dyn);
    f->result = TAC_OK;
    if (f->contact_forces) tac_contact_forces_reset(f->contact_forces);
    f->use_generated =
        f->contact_forces && !f->contact_forces->derivatives && tac_is_generated(scratch);
}

//---------------------------------- stages ---------------------------------------

// poses and joint axes of the bodies
void tac_forward_position(tacForward* f, tacStateArrays x) {
    tac_free_dynamics_position(&f->dyn, x);
}

// bias, and forces of springs, dampers and actuators; generated code has both in its accelerations
void tac_forward_velocity(tacForward* f, tacReal* force) {
    if (f->use_generated) {
        memset(force, 0, sizeof *force * (size_t)f->dyn.model->nv);
        tac_body_velocities(f->dyn.model, &f->dyn.m);
    } else {
        tac_free_dynamics_forces(&f->dyn, force);
    }
}

// detection and response: J' w
void tac_forward_contact_stage(tacForward* f, tacReal* force) {
    if (f->contact_forces) tac_contact_forces_eval(f->contact_forces, &f->dyn.m, force);
}

// joint limits and dry friction
void tac_forward_limits(tacForward* f, tacReal* force) {
    if (f->contact_forces) tac_limit_friction_eval(f->dyn.model, &f->dyn.m, NULL, force);
}

// accelerations in place of the forces, with contact in the matrix
static void accelerate_with_contact(tacForward* f, tacReal* a) {
    if (f->dyn.gyroscopic) tac_gyroscopic_eval(f->dyn.model, &f->dyn.m, a);
    f->dyn.k->add_scaled(f->dyn.model->nv, a, -1.0, f->dyn.bias, a);
    tac_free_dynamics_mass(&f->dyn);
    tac_contact_forces_factor(f->contact_forces, &f->dyn.m);
    tac_contact_forces_solve(f->contact_forces, a);
}

void tac_forward_acceleration(tacForward* f, tacReal* a, tacReal* rate) {
    if (f->use_generated) {
        tac_generated_accelerations(f->contact_forces->scratch, &f->dyn.m, a, rate);
    } else {
        if (tac_forward_is_implicit(f))
            accelerate_with_contact(f, a);
        else
            tac_free_dynamics_accelerate(&f->dyn, a);
        tac_free_dynamics_activate(&f->dyn, rate);
    }
    if (f->contact_forces && f->result == TAC_OK) f->result = f->contact_forces->result;
}
