// Inverse dynamics, forward dynamics and the step of a scene as functions to prove.

#ifndef TACTUS_TEST_ADAPTER_STEP_H
#define TACTUS_TEST_ADAPTER_STEP_H

#include "check/check.h"
#include "tactus/step.h"

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

TAC_DECLARE_CHECK(tac_check_inverse_);
TAC_DECLARE_CHECK(tac_check_inverse_contact_); // inverse dynamics with contact
TAC_DECLARE_CHECK(tac_check_forward_);
TAC_DECLARE_CHECK(tac_check_step_);
TAC_DECLARE_CHECK(tac_check_rows_);     // x = (dq, v), y = values of tac_rows
TAC_DECLARE_CHECK(tac_check_momentum_); // value only: x = (dq, v), y = momentum and energies

#endif
