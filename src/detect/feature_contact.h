// A contact of two features, and its derivative while the features stay the same.
//
// Which features meet is found by gjk.h and clip_manifold.h in doubles; from there on a contact is
// a smooth function of the bodies' poses, in every number type. docs/convex.md, eq. (11) to (14).

#ifndef TAC_DETECT_FEATURE_CONTACT_H
#define TAC_DETECT_FEATURE_CONTACT_H

#include "math/pose.h"
#include "tactus/result.h"

#include <stdint.h>

typedef enum tacConvexFeatureKind {
    TAC_CONVEX_FEATURE_VERTEX, // a vertex
    TAC_CONVEX_FEATURE_EDGE,   // an edge: the normal is across it
    TAC_CONVEX_FEATURE_FACE,   // a face: the normal is its own
    TAC_CONVEX_FEATURE_RIM,    // a circle
    TAC_CONVEX_FEATURE_SMOOTH  // an ellipsoid, a convex superquadric
} tacConvexFeatureKind;

// a feature of a convex core in the axes of its part
typedef struct tacConvexFeature {
    tacConvexFeatureKind kind;
    int index;              // of the vertex, edge, face or rim on its part
    double x[3];            // vertex; a point of edge or face; middle of rim and round
    double axis[3];         // unit: along the edge, normal of the face (outward), axis of the rim
    double radius;          // of the ball that rolls on it
    double size[3], eps[2]; // rim: size[0] is its radius; round: semi-axes and exponents
} tacConvexFeature;

typedef struct tacFeatureContact {
    int pair, body[2];
    uint64_t feature_id;
    tacConvexFeature feature[2];
    double normal[3]; // about, in the world, from body[0] to body[1]
} tacFeatureContact;

// How a part grows, relative to its size: along its axes, and the radius of what rolls on it.
typedef struct tacGrowth {
    tacVec3 along;
    tacReal radius;
} tacGrowth;

// where a part is; the columns of rot are its axes
typedef struct tacTransform {
    tacVec3 pos;
    tacMat3 rot;
    tacGrowth growth; // what sizes have beyond the doubles of features: derivatives in them
} tacTransform;

typedef struct tacFeatureContactPoint {
    tacVec3 point;   // halfway between the surfaces
    tacVec3 normal;  // unit, from body[0] to body[1]
    tacVec3 core[2]; // the points of both cores
    tacReal distance;
} tacFeatureContactPoint;

// TAC_ERROR_UNSOLVED: parallel edges, or no such contact near `normal`
tacResult tac_feature_contact_at(const tacFeatureContact* contact, tacTransform a, tacTransform b,
                                 tacFeatureContactPoint* out);

// d (point, normal, distance)/d xi, xi the twist of body[1] about `point`, body[0] at rest
tacResult tac_feature_contact_jacobian(const tacFeatureContact* contact, tacTransform a,
                                       tacTransform b, const tacFeatureContactPoint* at,
                                       tacReal D[7][6]);

// the same where that has none: the normal is fixed to body[0]
void tac_feature_contact_fixed_jacobian(const tacFeatureContactPoint* at, tacReal D[7][6]);

// d (point, normal, distance) by the growth of both parts: along three axes and of the radius. The
// normal is constant where the jacobian is TAC_ERROR_UNSOLVED.
void tac_feature_contact_growth(const tacFeatureContact* contact, tacTransform a, tacTransform b,
                                const tacFeatureContactPoint* at, tacReal G[7][8]);

#endif
