// What the files of a solve of hard contact share: strike.c propagates, blow.c collides,
// strike_parts.c gives both their groups and matrices.

#ifndef TAC_STEP_STRIKE_PARTS_H
#define TAC_STEP_STRIKE_PARTS_H

#include "step/strike.h"

// impacts too many after which points around contacts stop tilting
enum { TAC_SPREAD_AFTER = 6 };

// kinematics and velocities of one of the motions; poses of the bodies there
void tac_strike_place(tacStrike* s, tacMotion* m, const double* q, const double* v);
void tac_strike_poses(tacStrike* s, const tacMotion* m);

// contacts within a margin, with points around them (`spread`); rows of joints at the note's state
tacResult tac_strike_find(tacStrike* s, const tacMotion* m, double margin, int spread);
tacResult tac_strike_list(tacStrike* s, const tacStrikeNote* note);

// contact i as a group; contact or row i of the list, and its normal row (J may be NULL)
tacStrikeGroup tac_strike_contact(const tacStrike* s, int i, const tacMotion* before);
tacStrikeGroup tac_strike_listed(const tacStrike* s, const tacStrikeNote* note, int i,
                                 const tacMotion* before, double* J);

// the groups that the note has chosen, then their matrices, then b at the velocity `free`
tacResult tac_strike_gather(tacStrike* s, tacStrikeNote* note, const tacMotion* before);
void tac_strike_fill(tacStrike* s, tacFlow* f);
void tac_strike_right_side(tacStrike* s, const tacStrikeNote* note, const double* free);

// gaps stay as they are
void tac_strike_stop(tacStrike* s);

// impulses, then u = free + U f
tacResult tac_strike_solve(tacStrike* s, tacStrikeNote* note, const double* free);

// Tangents without friction are off to the derivative: strike_diff.c has what a trace of friction
// would do.
void tac_strike_drop_tangents(const tacStrike* s, tacStrikeNote* note);

// the groups of a collision; everything at rest without forces: only the mass matrix counts
tacResult tac_strike_gather_blow(tacStrike* s, tacStrikeNote* note);
void tac_strike_still(tacStrike* s, const tacStrikeNote* note);

#endif
