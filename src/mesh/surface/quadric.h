// Squared distance to many planes: the quadric error metric of a vertex.

#ifndef TAC_MESH_SURFACE_QUADRIC_H
#define TAC_MESH_SURFACE_QUADRIC_H

// sum of area (n . x + d)^2 over planes, and the area
typedef struct tacQuadric {
    double a[10]; // of (x, y, z, 1): xx yy zz xy xz yz x y z 1
    double area;
} tacQuadric;

// the plane through x normal to the unit vector n
void tac_quadric_add_plane(tacQuadric* q, const double n[3], const double x[3], double area);

void tac_quadric_add(tacQuadric* q, const tacQuadric* other);

double tac_quadric_error(const tacQuadric* q, const double x[3]);

// The point of least error, regularized towards `near` by a thousandth of the area: on a ridge or
// in a corner of the planes, and close to `near` in undetermined directions.
void tac_quadric_minimizer(const tacQuadric* q, const double near[3], double out[3]);

#endif
