// On which side of a plane through three points is a fourth? Exact, and fast in clear cases.

#ifndef TAC_MESH_CONVEX_ORIENT3D_H
#define TAC_MESH_CONVEX_ORIENT3D_H

// Plane through a, b, c, seen from outside counter-clockwise, ready for many points.
typedef struct tacOrient3d {
    const double *a, *b, *c;
    double normal[3]; // (b - a) x (c - a), rounded
    double bound[3];  // sums of the absolute products in it, times the rounding bound
} tacOrient3d;

tacOrient3d tac_orient3d_plane(const double* a, const double* b, const double* c);

// About the volume (b - a) x (c - a) . (p - a): its sign is exact, +, - or 0. Exact for
// coordinates that are 0 or of size 2^-250 to 2^250.
double tac_orient3d(const tacOrient3d* plane, const double* p);

#endif
