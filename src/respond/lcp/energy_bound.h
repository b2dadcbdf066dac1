// Energy bound of restitution: the share of its restitution that an impact may have.
//
// Restitution of normal velocities can add energy where friction acts (Kane and Levinson 1985).
// Impulses p0 without restitution never do, so that of p1 with it a share is taken,
//
//   p = p0 + s (p1 - p0),   s the largest <= 1 with T(u) <= T(v),
//
// for each island: the kinematic trees that impulses connect. Friction obeys its law for any s, and
// no contact approaches. docs/hard.md, eq. (9).

#ifndef TAC_RESPOND_LCP_ENERGY_BOUND_H
#define TAC_RESPOND_LCP_ENERGY_BOUND_H

#include "base/arena.h"
#include "tactus/state.h"

struct tacContactSolve;
struct tacSolveRecord;
struct tacContactSolveDot;

// numbers of an island stand at its first degree of freedom; all arrays (nv)
typedef struct tacEnergyBound {
    int* island;                            // of a degree of freedom: the first one of its island
    double *gain0, *gain1, *gain2;          // gain of energy: still + s slope + s^2 curve
    double *size, *impulse, *friction_work; // of its terms; of impulses; of what friction does
    double* by_s;                      // d gain/d s at the share, of bounded islands, else infinite
    double *mean, *change;             // (u + v)/2, u - v
    double *momentum[2], *mass_change; // M v and M u; d(M) (u - v)
    double* branch[2];                 // tangents or adjoints of the velocities of the branches
} tacEnergyBound;

tacEnergyBound tac_energy_bound_alloc(int nv, tacArena* arena);

// Does the answer of an impact with restitution gain energy? At the border the record is a tie.
int tac_energy_bound_gains(struct tacContactSolve* s, struct tacSolveRecord* record);

// f, u and shares of the record, from its two branches
void tac_energy_bound_apply(struct tacContactSolve* s, struct tacSolveRecord* record);

// prepares derivatives, after the rows of the record are restored
void tac_energy_bound_prepare_diff(struct tacContactSolve* s, const struct tacSolveRecord* record);

// u_dot, from those of the branches
void tac_energy_bound_jvp(struct tacContactSolve* s, const struct tacSolveRecord* record,
                          const struct tacContactSolveDot* dot, tacReal* u_dot);

// adjoints of the branches; adds the adjoints of the share by v, q and masses to bar
void tac_energy_bound_vjp(struct tacContactSolve* s, const struct tacSolveRecord* record,
                          const tacReal* u_bar, struct tacContactSolveDot* bar);

#endif
