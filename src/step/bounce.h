// How much of its restitution a blow may have: as much as adds no energy.
//
// Restitution of velocities along normals can put energy in where friction acts (Kane and Levinson
// 1985). Impulses p0 without restitution never do, so of p1 with it a share is taken,
//
//   p = p0 + s (p1 - p0),   s the largest <= 1 with T(u) <= T(v),
//
// for each island: the trees of joints that impulses connect. Friction obeys its law for any s, and
// nothing approaches. docs/hard.md, eq. (9).

#ifndef TAC_STEP_BOUNCE_H
#define TAC_STEP_BOUNCE_H

#include "base/arena.h"
#include "tactus/state.h"

struct tacStrike;
struct tacStrikeNote;
struct tacStrikeDot;

// numbers of an island stand at its first degree of freedom; all arrays (nv)
typedef struct tacBounce {
    int* island;                   // of a degree of freedom: the first one of its island
    double *still, *slope, *curve; // gain of energy: still + s slope + s^2 curve
    double *size, *push, *slip;    // of its terms; of impulses; of what friction does
    double* by_s;                  // d gain/d s at the share, of bounded islands, else infinite
    double *mean, *change;         // (u + v)/2, u - v
    double *momentum[2], *turned;  // M v and M u; d(M) (u - v)
    double* part[2];               // tangents or adjoints of the velocities of the parts
} tacBounce;

tacBounce tac_bounce_take(int nv, tacArena* arena);
size_t tac_bounce_size(int nv);

// Does the answer of a blow with restitution gain energy? On the border the note is a tie.
int tac_bounce_gains(struct tacStrike* s, struct tacStrikeNote* note);

// f, u and shares of the note from its two parts
void tac_bounce_bound(struct tacStrike* s, struct tacStrikeNote* note);

// makes derivatives ready, after the rows of the note are found again
void tac_bounce_ready(struct tacStrike* s, const struct tacStrikeNote* note);

// u_dot, from those of the parts
void tac_bounce_jvp(struct tacStrike* s, const struct tacStrikeNote* note,
                    const struct tacStrikeDot* dot, tacReal* u_dot);

// adjoints of the parts; adds to bar what the share owes to v, q and masses
void tac_bounce_vjp(struct tacStrike* s, const struct tacStrikeNote* note, const tacReal* u_bar,
                    struct tacStrikeDot* bar);

#endif
