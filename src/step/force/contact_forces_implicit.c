// The linearly implicit Euler step: contact forces at the end of the step, to first order.
//
//   (M - J' L J) a = tau + J' w - c,  w the wrench at a = 0, L its symmetric slope by J a
//
// J' L J couples the trees in contact: the matrix has the profile of step/force/coupling.h.
// docs/contact.md, eq. 9 to 11.

#include "step/force/contact_forces.h"
#include "step/force/limit_friction.h"

#define SINGLE TAC_DISPATCH(tac_dynamics_single_)

// M less J' L J of one pair
static void add_pair_stiffness(tacContactForces* t, const tacMotion* m, const tacPairForce* f) {
    int count = tac_contact_forces_pair_jacobian(t, m, f);
    for (int b = 0; b < count; ++b) {
        const tacReal* U = t->columns + TAC_PAIR_COLUMN * t->dofs[b];
        tacReal stiff_column[6];
        for (int i = 0; i < 6; ++i) {
            stiff_column[i] = 0.0;
            for (int k = 0; k < 6; ++k) stiff_column[i] += f->L[6 * i + k] * U[k];
        }
        for (int a = 0; a < count; ++a) {
            if (t->dofs[a] < t->dofs[b]) continue;
            const tacReal* u = t->columns + TAC_PAIR_COLUMN * t->dofs[a];
            tacReal* at = tac_skyline_at(&t->M, t->dofs[a], t->dofs[b]);
            for (int i = 0; i < 6; ++i) *at -= u[i] * stiff_column[i];
        }
    }
}

void tac_contact_forces_build_matrix(tacContactForces* t, const tacMotion* m) {
    const tacModel* model = t->model;
    tac_coupling_order(&t->coupling, t->force, t->count, &t->M);
    for (int k = 0; k < model->nv; ++k) {
        const tacReal* row = m->M + model->dof[k].row;
        for (int j = k; j >= 0; j = model->dof[j].parent, ++row)
            *tac_skyline_at(&t->M, k, j) = *row;
    }
    for (int i = 0; i < t->count; ++i) add_pair_stiffness(t, m, &t->force[i]);
    tac_limit_friction_add_stiffness(model, m, &t->M);
}

void tac_contact_forces_factor(tacContactForces* t, const tacMotion* m) {
    tac_contact_forces_build_matrix(t, m);
    if (tac_skyline_factor(&t->M) != TAC_OK && t->result == TAC_OK) t->result = TAC_ERROR_DIVERGED;
}

void tac_contact_forces_solve(const tacContactForces* t, tacReal* x) {
    if (t->result == TAC_OK) tac_skyline_solve(&t->M, x);
}

void tac_contact_forces_solve_columns(const tacContactForces* t, tacReal* x, int count,
                                      int stride) {
    for (int c = 0; c < count; ++c) {
        for (int k = 0; k < t->model->nv; ++k)
            t->tau[k] = x[(size_t)k * (size_t)stride + (size_t)c];
        tac_contact_forces_solve(t, t->tau);
        for (int k = 0; k < t->model->nv; ++k)
            x[(size_t)k * (size_t)stride + (size_t)c] = t->tau[k];
    }
}

void tac_contact_forces_predict(tacContactForces* t, const tacMotion* m, const tacReal* a) {
    t->rate.qpos = m->qpos;
    t->rate.qvel = a;
    t->rate.qacc = NULL;
    t->rate.wrench = NULL;
    SINGLE->kinematics(t->model, &t->rate);
    SINGLE->inverse(t->model, &t->rate, t->tau);
    tac_contact_forces_twists(t, &t->rate, t->predicted);
    tacKinematics at = {t->pose, t->twist, t->derivatives, t->predicted};
    if (t->result == TAC_OK)
        t->result = tac_contact_forces_result(
            tac_force(t->model, &at, &t->contacts, t->force, &t->count, t->scratch));
    tac_contact_forces_sum_wrenches(t);
}
