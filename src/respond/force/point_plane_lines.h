// The point-plane law along lines, without friction: the force and its slope by the change of
// velocity, a line in each lane. The same numbers as tac_point_plane and its vjp.

#ifndef TAC_RESPOND_FORCE_POINT_PLANE_LINES_H
#define TAC_RESPOND_FORCE_POINT_PLANE_LINES_H

#include "math/wide.h"
#include "tactus/respond.h"

enum { TAC_PLANE_LINES = 16, TAC_PLANE_LINES_PADDED = TAC_PLANE_LINES + 8 };

typedef struct tacPlaneLines {
    int count; // at most TAC_PLANE_LINES
    tacReal k[TAC_PLANE_LINES_PADDED], phi[TAC_PLANE_LINES_PADDED], v[TAC_PLANE_LINES_PADDED],
        y[TAC_PLANE_LINES_PADDED];
    tacReal f[TAC_PLANE_LINES_PADDED], by_y[TAC_PLANE_LINES_PADDED]; // results
} tacPlaneLines;

// the law's k is not read; the smooth dissipation
void tac_point_plane_lines(const tacPlaneLaw* law, tacReal h, tacPlaneLines* lines);

#endif
