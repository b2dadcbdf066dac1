// Which features of two solids meet, in doubles whatever the number: for detect="sat" and
// detect="convex".

#ifndef TAC_DETECT_SAT_SOLID_FEATURES_H
#define TAC_DETECT_SAT_SOLID_FEATURES_H

#include "detect/feature_contact.h"

#include <stddef.h>

typedef struct tacSolid tacSolid;

typedef struct tacSolidPose {
    const tacSolid* solid;
    double pos[3], quat[4];
} tacSolidPose;

// bound of a solid: a ball around it, or the plane of an unbounded one
typedef struct tacSolidBound {
    double x[3], normal[3]; // the ball's centre or a point of the plane; across the plane
    double radius;          // -1: a plane
} tacSolidBound;

tacSolidBound tac_solid_bound(const tacSolidPose* pose);

// 0: certainly further apart than `cutoff`
int tac_solid_bounds_overlap(const tacSolidBound* a, const tacSolidBound* b, double cutoff);

// Features of the nearest points, or of the shortest translation that parts them; 0 if the solids
// are further apart than `cutoff`, 2 if the features are parallel: any turn makes other points the
// nearest, and a contact that is held on the second solid stands for them. `memory`
// (tac_solid_features_size) NULL: by separating axes, else by a convex program.
int tac_solid_features(const tacSolidPose* a, const tacSolidPose* b, double cutoff,
                       tacFeatureContact* out, void* memory);
size_t tac_solid_features_size(const tacSolid* a, const tacSolid* b);

// is there a solid at all, does it lie in a plane, is it a half-plane?
int tac_solid_exists(const tacSolid* solid);
int tac_solid_is_planar(const tacSolid* solid);
int tac_solid_is_unbounded(const tacSolid* solid);
const tacSolid* tac_solid_of_geom(const tacSolid* solids, int geom);

// half size of a box or rectangle along an axis; radius of a ball or circle
double tac_solid_half_size(const tacSolid* solid, int axis);
double tac_solid_radius(const tacSolid* solid);

#endif
