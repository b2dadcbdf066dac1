// Numbers of a row of the convex problem from what a scene says: aref, D and the width of the
// corner (docs/cone.md, eq. 12 to 16). As MuJoCo's with lengths 0.

#ifndef TAC_RESPOND_CONE_ROW_H
#define TAC_RESPOND_CONE_ROW_H

#include "tactus/cone.h"

// what a row is made from, in one array; a tangent or an adjoint has the same places
enum {
    CONE_ROW_DISTANCE, // r, of the impedance: distance less margin; of an equality the norm of all
    CONE_ROW_POSITION, // r of this row, that aref takes back; 0 of a tangent
    CONE_ROW_VELOCITY, // u = J v
    CONE_ROW_DIAGONAL, // approximate diagonal of J M^-1 J', > 0
    CONE_ROW_ACTIVITY, // gamma of the contact >= 0, else 1
    CONE_ROW_TIMESTEP, // h
    CONE_ROW_LENGTH,   // of the rounded corner >= 0
    CONE_ROW_BLUR,     // of the impedance, a share of solimp's width >= 0
    CONE_ROW_ONSET,    // distance over which a one-sided row begins >= 0
    CONE_ROW_SOLREF,   // (2)
    CONE_ROW_SOLIMP = CONE_ROW_SOLREF + 2, // (5)
    CONE_ROW_NUMBERS = CONE_ROW_SOLIMP + 5
};

// what it gives
enum { CONE_ROW_AREF, CONE_ROW_D, CONE_ROW_WIDTH, CONE_ROW_RESULTS };

typedef struct coneRow {
    int one_sided; // a contact or limit: nothing beyond the onset; an equality is even in r
    int friction;  // friction loss: no stiffness
    int refsafe;   // time constants of at least 2 h
} coneRow;

void tac_cone_row(const coneRow* row, const tacReal* x, tacReal* y);

void tac_cone_row_jvp(const coneRow* row, const tacReal* x, const tacReal* x_dot, tacReal* y_dot);

// adds
void tac_cone_row_vjp(const coneRow* row, const tacReal* x, const tacReal* y_bar, tacReal* x_bar);

#endif
