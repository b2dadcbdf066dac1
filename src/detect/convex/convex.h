// A convex part in the world: a core, given by its furthest point in any direction, and a radius
// around it. Sphere = point + radius, capsule = segment + radius.

#ifndef TAC_DETECT_CONVEX_CONVEX_H
#define TAC_DETECT_CONVEX_CONVEX_H

typedef enum tacConvexKind {
    TAC_CONVEX_POINTS,       // hull of `count` points; none: the origin of the frame
    TAC_CONVEX_BOX,          // half sizes
    TAC_CONVEX_SEGMENT,      // along z, half length size[2]
    TAC_CONVEX_CYLINDER,     // along z, radius size[0], half length size[2]
    TAC_CONVEX_ELLIPSOID,    // radii
    TAC_CONVEX_SUPERQUADRIC, // semi-axes, exponents eps in (0, 2)
    TAC_CONVEX_HALF_SPACE    // z <= 0: no furthest points but down
} tacConvexKind;

typedef struct tacConvex {
    tacConvexKind kind;
    double size[3], eps[2];
    double radius;       // of the ball that rolls on the core
    const double* point; // (count x 3), in the frame of the part
    int count;
    int faces;                     // of the hull; 0: vertices alone are known
    const double *normal, *offset; // of each face, outward: normal . x <= offset
    const int *first, *corner;     // vertices of face f: corner[first[f]] .. corner[first[f+1]-1]
    double pos[3];                 // frame in the world
    double rot[3][3];              // its axes are the columns
} tacConvex;

// the point of the core that is furthest along d, in the world; d need not be a unit vector
void tac_convex_support(const tacConvex* part, const double d[3], double out[3]);

// no point of core and radius is further from the frame's origin
double tac_convex_bounding_radius(const tacConvex* part);

// does the core hold a point of the world, or nearly so?
int tac_convex_contains(const tacConvex* part, const double x[3], double tolerance);

int tac_convex_is_curved(const tacConvex* part);

#endif
