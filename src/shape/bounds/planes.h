// What planes leave: the deepest point of a convex solid, and the box around it.
//
// A plane is n, h (4 numbers): the solid lies where n . y + h <= 0 for all of them. For loading and
// for bounds: doubles, not differentiated.

#ifndef TAC_SHAPE_BOUNDS_PLANES_H
#define TAC_SHAPE_BOUNDS_PLANES_H

// Lowest value of tau ln sum exp((n . y + h)/tau) that damped Newton finds, and where. It stops as
// soon as the value is below `enough`.
double tac_planes_deepest_point(const double* plane, int count, double tau, double enough,
                                double y[3]);

// Box around {n . y + h <= level}; 0 if there is none: the solid has no end
int tac_planes_box(const double* plane, int count, double level, double lower[3], double upper[3]);

#endif
