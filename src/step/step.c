// The step: next = step(x, u).
//
//   state, control --> [ position -> velocity -> contact -> limits -> acceleration ] --> integrate
//                        for each stage of the integrator: one of Euler, four of Runge-Kutta
//
// Each line below is one stage of docs/architecture.md. The same list, differentiated, is
// step_jacobian.c (matrices), step_jvp.c (tangents) and step_vjp.c (adjoints).

#include "step/step.h"

#include "step/double/generated.h"
#include "step/hard/hard_step.h"

// The equation of motion at one stage: (M + h D) a = applied + contact + limits - bias.
void tac_step_stage(tacForward* f, tacStages* s, int i) {
    tacReal* a = s->a[i]; // forces first, then accelerations

    tac_stage_start(f, s, i);                   // state of the stage
    tac_forward_position(f, s->x[i]);           // kinematics: poses of bodies, axes of joints
    tac_forward_velocity(f, a);                 // bias; springs, dampers, actuators
    tac_forward_contact_stage(f, a);            // detect contacts, respond with forces
    tac_forward_limits(f, a);                   // joint limits, dry friction
    tac_forward_acceleration(f, a, s->rate[i]); // factor the mass matrix, solve; activations
    tac_stage_position_rate(f, s, i);           // rate of the positions
}

// Is the step too long for explicit contact, at rest or at the approach velocities of this state?
static int is_stiff(const tacForward* f) {
    double h = tac_re(f->dyn.h);
    if (h > f->contact_forces->max_step) return 1;
    return tac_contact_forces_count(f->contact_forces) > 0 && h > tac_stable_timestep(f->dyn.model);
}

static tacInfo step_info(const tacForward* f) {
    tacInfo info = {.time_of_impact = tac_re(f->dyn.h)};
    if (!f->contact_forces) return info;
    info.contacts = tac_contact_forces_count(f->contact_forces);
    info.flags = f->contact_forces->flags;
    if (is_stiff(f)) info.flags |= TAC_STIFF;
    tac_contact_forces_overlap(f->contact_forces, &info);
    return info;
}

void tac_step_report_diff(const tacForward* f, tacScratch* scratch) {
    unsigned own = scratch->info.flags & TAC_SURROGATE;
    scratch->info = step_info(f);
    scratch->info.flags |= own;
}

tacResult tac_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                   tacScratch* scratch) {
    // arguments
    tacResult result = next ? tac_step_check(model, x, u, scratch) : TAC_ERROR_VALUE;
    if (result == TAC_OK && !tac_state_has_arrays(model, next)) result = TAC_ERROR_VALUE;
    if (result != TAC_OK) return result;

    // other ways to step: hard contact by impulses, code generated for this model
    if (tac_is_hard(model)) return tac_hard_step(model, x, u, next, scratch);
    if (tac_is_generated(scratch)) {
        if (!tac_generated_matches(model, scratch)) return TAC_ERROR_VALUE;
        if (!tac_has_contact_forces(model)) return tac_generated_step(model, x, u, next, scratch);
    }

    // stages, then integration
    size_t mark = scratch->arena.used;
    tacStepWorkspace own, *ws = tac_step_workspace_cached(model, scratch, &own);
    tac_step_workspace_begin(ws, x, u);
    for (int i = 0; i < ws->s.count; ++i) tac_step_stage(&ws->f, &ws->s, i);
    tac_integrate_stages(&ws->f, &ws->s, ws->next);

    // next state and report
    result = tac_step_workspace_result(ws);
    if (result == TAC_OK) tac_step_workspace_write(ws, x, next);
    scratch->info = step_info(&ws->f);
    scratch->arena.used = mark;
    return result;
}

tacInfo tac_step_info(const tacScratch* scratch) { return scratch ? scratch->info : (tacInfo){0}; }
