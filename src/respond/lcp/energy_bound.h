// How much of its restitution a blow may have: as much as adds no energy.
//
// Restitution of velocities along normals can put energy in where friction acts (Kane and Levinson
// 1985). Impulses p0 without restitution never do, so of p1 with it a share is taken,
//
//   p = p0 + s (p1 - p0),   s the largest <= 1 with T(u) <= T(v),
//
// for each island: the trees of joints that impulses connect. Friction obeys its law for any s, and
// nothing approaches. docs/hard.md, eq. (9).

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
    double* branch[2];                 // tangents or adjoints of the velocities of the parts
} tacEnergyBound;

tacEnergyBound tac_energy_bound_alloc(int nv, tacArena* arena);

// Does the answer of a blow with restitution gain energy? On the border the note is a tie.
int tac_energy_bound_gains(struct tacContactSolve* s, struct tacSolveRecord* record);

// f, u and shares of the note from its two parts
void tac_energy_bound_apply(struct tacContactSolve* s, struct tacSolveRecord* record);

// makes derivatives ready, after the rows of the note are found again
void tac_energy_bound_prepare_diff(struct tacContactSolve* s, const struct tacSolveRecord* record);

// u_dot, from those of the parts
void tac_energy_bound_jvp(struct tacContactSolve* s, const struct tacSolveRecord* record,
                          const struct tacContactSolveDot* dot, tacReal* u_dot);

// adjoints of the parts; adds to bar what the share owes to v, q and masses
void tac_energy_bound_vjp(struct tacContactSolve* s, const struct tacSolveRecord* record,
                          const tacReal* u_bar, struct tacContactSolveDot* bar);

#endif
