// Inverse dynamics, forward dynamics and the step of a scene as functions to prove.

#ifndef TACTUS_TEST_ADAPTER_STEP_H
#define TACTUS_TEST_ADAPTER_STEP_H

#include "check/check.h"
#include "tactus/rollout.h"

// x = (dq, v, (act, u) or (a, wrench), parameters used); y = tau, or qacc, or (log of the next
// turn, v, act)
typedef struct stepContext {
    const tacModel* model;
    tacScratch* scratch;
    double *qpos, *qnext; // (nq) where dq is taken from, and where y is taken from
    int* used;            // offsets of the parameters among the inputs
    int used_count;
    void* memory; // 16 bytes times 4 (nq + 3 nv + na + nu + nparam + 6 nbody)
} stepContext;

// time of tac_check_integrate_pos_ and tac_check_differentiate_pos_; steps of tac_check_rollout_
#define CHECK_POS_STEP 0.3
enum { CHECK_ROLLOUT_STEPS = 5 };

TAC_DECLARE_CHECK(tac_check_inverse_);
TAC_DECLARE_CHECK(tac_check_inverse_contact_); // inverse dynamics with contact
TAC_DECLARE_CHECK(tac_check_forward_);
TAC_DECLARE_CHECK(tac_check_forward_contact_); // forward dynamics with contact; x has tau for a
TAC_DECLARE_CHECK(tac_check_acceleration_);    // x as of the step, y = qacc
TAC_DECLARE_CHECK(tac_check_step_);
TAC_DECLARE_CHECK(tac_check_integrate_pos_);     // x = (dq, v), y = next from qnext
TAC_DECLARE_CHECK(tac_check_differentiate_pos_); // x = (dq of qpos, dq of qnext), y = velocity
TAC_DECLARE_CHECK(tac_check_rollout_);  // x = (dq, v, act, controls, parameters), y = all states
TAC_DECLARE_CHECK(tac_check_rows_);     // x = (dq, v), y = values of tac_rows
TAC_DECLARE_CHECK(tac_check_momentum_); // value only: x = (dq, v), y = momentum and energies

#endif
