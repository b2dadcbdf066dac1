// Forward dynamics without contact, and its derivatives.
//
//   state --kinematics--> frames --inverse dynamics--> bias, applied --factor, solve-->
//   accelerations

#include "dynamics/free_dynamics.h"

#include "dynamics/gyroscopic.h"

enum { ABA_MIN_DEPTH2 = 120 }; // mean squared depth from which articulated bodies are faster

// Factors cost the sum of squared depths, articulated bodies the same for each; measured on chains.
static int prefers_aba(const tacModel* model) {
    double sum = 0.0;
    for (int k = 0; k < model->nv; ++k)
        sum += (double)model->dof[k].depth * (double)model->dof[k].depth;
    return sum > ABA_MIN_DEPTH2 * (double)model->nv;
}

tacFreeDynamics tac_free_dynamics_alloc(const tacModel* model, const tacDynamicsKernels* kernels,
                                        tacArena* arena) {
    size_t nv = (size_t)(model->nv * kernels->lanes);
    int passive = !(model->disable & TAC_DISABLE_PASSIVE);
    int euler_damp =
        model->integrator == TAC_INTEGRATOR_EULER && !(model->disable & TAC_DISABLE_EULERDAMP);
    tacFreeDynamics f = {.model = model, .k = kernels};
    f.m = tac_motion_alloc(model, kernels->lanes, arena);
    f.m.has_external_forces = model->has_external_forces && passive;
    f.bias = TAC_ALLOC(arena, tacReal, nv);
    f.damping_diag = TAC_ALLOC(arena, tacReal, nv);
    f.implicit_fast = model->integrator == TAC_INTEGRATOR_IMPLICITFAST;
    f.implicit_damping = (f.implicit_fast || euler_damp) && passive;
    f.use_aba = prefers_aba(model) && !f.implicit_fast;
    tac_free_dynamics_reset(&f);
    return f;
}

void tac_free_dynamics_reset(tacFreeDynamics* f) {
    const tacModel* model = f->model;
    int lanes = f->k->lanes;
    if (!f->bias) return; // a dry run, perhaps of a model without parameters
    f->h = model->param[model->timestep];
    for (int k = 0; k < model->nv && f->implicit_damping; ++k) {
        tacReal damping = model->param[model->joint[model->dof[k].joint].damping];
        for (int i = 0; i < lanes; ++i) f->damping_diag[k * lanes + i] = f->h * damping;
    }
}

//---------------------------------- stages ---------------------------------------

void tac_free_dynamics_position(tacFreeDynamics* f, tacStateArrays x) {
    f->m.qpos = x.q;
    f->m.qvel = x.v;
    f->m.act = x.act;
    f->m.qacc = NULL;
    f->m.wrench = NULL;
    f->k->kinematics(f->model, &f->m);
}

void tac_free_dynamics_forces(tacFreeDynamics* f, tacReal* tau) {
    f->k->inverse(f->model, &f->m, f->bias);
    f->k->applied(f->model, &f->m, tau);
}

void tac_free_dynamics_mass(tacFreeDynamics* f) {
    f->k->mass(f->model, &f->m, f->implicit_damping ? f->damping_diag : NULL);
    if (f->implicit_fast) f->k->damp(f->model, &f->m);
}

void tac_free_dynamics_accelerate(tacFreeDynamics* f, tacReal* a) {
    const tacModel* model = f->model;
    if (f->use_aba) {
        f->k->articulated(model, &f->m, a, f->implicit_damping ? f->damping_diag : NULL, a);
        return;
    }
    f->k->add_scaled(model->nv, a, -1.0, f->bias, a);
    tac_free_dynamics_mass(f);
    f->k->factor(model, &f->m);
    f->k->solve(model, &f->m, a);
}

void tac_free_dynamics_activate(tacFreeDynamics* f, tacReal* rate) {
    if (f->model->na > 0) f->k->activate(f->model, &f->m, rate);
}

void tac_free_dynamics(tacFreeDynamics* f, tacStateArrays x, tacReal* a, tacReal* rate) {
    tac_free_dynamics_position(f, x);
    tac_free_dynamics_forces(f, a);
    if (f->gyroscopic) tac_gyroscopic_eval(f->model, &f->m, a);
    tac_free_dynamics_accelerate(f, a);
    tac_free_dynamics_activate(f, rate);
}

//---------------------------------- derivatives ----------------------------------

void tac_free_dynamics_prepare_diff(tacFreeDynamics* f, const tacReal* a) {
    f->m.qacc = a;
    if (f->use_aba) {
        tac_free_dynamics_mass(f);
        f->k->factor(f->model, &f->m);
    }
    tac_free_balance_prepare(f);
}

void tac_free_balance_prepare(tacFreeDynamics* f) {
    f->k->inverse(f->model, &f->m, f->bias);
    f->k->coriolis(f->model, &f->m);
}

void tac_free_balance_begin_jvp(tacFreeDynamics* f, const tacMotionDot* dot) {
    f->k->inverse_jvp(f->model, &f->m, dot, f->bias);
}

// (M + h D) a = applied + J' w - c, so (M + h D) da = d applied + J' dw - d(M a + c - J' w) - d(h
// D) a, the last but one with w fixed in the world. D holds the damping of the joints, and with
// implicitfast that of tendons and actuators. This adds all terms but d applied and J' dw.
void tac_free_balance_end_jvp(tacFreeDynamics* f, const tacMotionDot* dot, tacReal* out) {
    const tacModel* model = f->model;
    if (f->gyroscopic) tac_gyroscopic_jvp(model, &f->m, dot, out);
    for (int k = 0; k < model->nv; ++k) {
        out[k] -= f->bias[k];
        int damping = model->joint[model->dof[k].joint].damping;
        if (f->implicit_damping && dot->theta)
            out[k] -= f->m.qacc[k] * (f->h * dot->theta[damping] +
                                      dot->theta[model->timestep] * model->param[damping]);
    }
    if (!f->implicit_fast) return;
    f->k->damp_jvp(model, &f->m, dot, f->bias);
    f->k->add_scaled(model->nv, out, -1.0, f->bias, out);
}

void tac_free_dynamics_jvp(tacFreeDynamics* f, const tacMotionDot* dot, tacReal* a_dot,
                           tacReal* rate_dot) {
    f->k->applied_jvp(f->model, &f->m, dot, a_dot);
    tac_free_balance_begin_jvp(f, dot);
    tac_free_balance_end_jvp(f, dot, a_dot);
    f->k->solve(f->model, &f->m, a_dot);
    if (f->model->na > 0) f->k->activate_jvp(f->model, &f->m, dot, rate_dot);
}

void tac_free_balance_vjp(tacFreeDynamics* f, tacReal* residual_bar, tacMotionDot* bar) {
    const tacModel* model = f->model;
    if (f->gyroscopic) tac_gyroscopic_vjp(model, &f->m, residual_bar, bar);
    for (int k = 0; k < model->nv; ++k) {
        int damping = model->joint[model->dof[k].joint].damping;
        if (f->implicit_damping && bar->theta) {
            tacReal s = f->m.qacc[k] * residual_bar[k];
            bar->theta[damping] -= f->h * s;
            bar->theta[model->timestep] -= model->param[damping] * s;
        }
        residual_bar[k] = -residual_bar[k];
    }
    if (f->implicit_fast) f->k->damp_vjp(model, &f->m, residual_bar, bar);
    f->k->inverse_vjp(model, &f->m, residual_bar, bar);
}

void tac_free_dynamics_vjp(tacFreeDynamics* f, tacReal* a_bar, const tacReal* rate_bar,
                           tacMotionDot* bar) {
    if (f->model->na > 0) f->k->activate_vjp(f->model, &f->m, rate_bar, bar);
    f->k->solve(f->model, &f->m, a_bar);
    f->k->applied_vjp(f->model, &f->m, a_bar, bar);
    tac_free_balance_vjp(f, a_bar, bar);
}
