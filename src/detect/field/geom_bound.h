// Boxes around a geom in axes of its body: around its features, and around where its field may be
// low enough to touch a vertex. They depend on parameters alone and are kept (detect_cache.h).

#ifndef TAC_DETECT_FIELD_GEOM_BOUND_H
#define TAC_DETECT_FIELD_GEOM_BOUND_H

#include "detect/field/geom_field.h"

// axis[i][k] is component i of axis k                                                        [m]
typedef struct tacOrientedBox {
    double axis[3][3], middle[3], half[3];
} tacOrientedBox;

typedef enum tacFieldBoundKind {
    TAC_FIELD_NOWHERE, // no field
    TAC_FIELD_BOX,
    TAC_FIELD_HALF_SPACE, // below a height over a plane
    TAC_FIELD_EVERYWHERE, // no bound is known
} tacFieldBoundKind;

typedef struct tacGeomBound {
    int vertices, edges;     // are there any?
    tacOrientedBox features; // around vertices, edges and rims; halves 1e30: places are not known
    double radius;           // of the ball that is swept over them                          [m]
    double overshoot;        // how far witness points may lie beyond the ends of edges      [m]

    // where the field is below `support` plus r: halves grow by rate r
    tacFieldBoundKind kind;
    tacOrientedBox field; // of a half space: middle is a point of the plane, axis 2 its normal
    double rate[3];
    double most;  // r from which the field is that low everywhere                           [m]
    double slope; // how much larger than the distance it may be, where balls are led to it

    // A ball or capsule: features and field lie around a segment middle +- along, the field no less
    // than the distance to it less `thick`. 0: something else                               [m]
    double thick, along[3], core[3];

    // around features, with all that they reach, and the field at r = 0
    tacOrientedBox all;
} tacGeomBound;

// all but `all`
tacGeomBound tac_geom_bound(const tacModel* model, int geom, const tacGeomField* field);

// `all` of each geom, from the bounds of all of them (ngeom)
void tac_geom_bounds_join(const tacModel* model, tacGeomBound* bound);

// r of the features of one geom in the field of another                                     [m]
double tac_geom_bound_range(double support, const tacGeomBound* features,
                            const tacGeomBound* field);

#endif
