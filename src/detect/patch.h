// A contact of two features, and its derivative while the features stay the same.
//
// Which features meet is found by gjk.h and rest.h in doubles; from there on a contact is a
// smooth function of the bodies' poses, in every number type. docs/collide.md, eq. (11) to (14).

#ifndef TAC_DETECT_PATCH_H
#define TAC_DETECT_PATCH_H

#include "math/pose.h"
#include "tactus/result.h"

#include <stdint.h>

typedef enum tacPatchKind {
    TAC_PATCH_POINT, // a corner
    TAC_PATCH_LINE,  // an edge: the normal is across it
    TAC_PATCH_PLANE, // a face: the normal is its own
    TAC_PATCH_RIM,   // a circle
    TAC_PATCH_ROUND  // an ellipsoid, a convex superquadric
} tacPatchKind;

// a feature of a convex core in the axes of its piece
typedef struct tacPatch {
    tacPatchKind kind;
    int index;              // of the corner, edge, face or rim on its piece
    double x[3];            // corner; a point of edge or face; middle of rim and round
    double axis[3];         // unit: along the edge, normal of the face (outward), axis of the rim
    double radius;          // of the ball that rolls on it
    double size[3], eps[2]; // rim: size[0] is its radius; round: semi-axes and exponents
} tacPatch;

typedef struct tacPatchPair {
    int pair, body[2];
    uint64_t feature;
    tacPatch patch[2];
    double normal[3]; // about, in the world, from body[0] to body[1]
} tacPatchPair;

// where a piece is; the columns of rot are its axes
typedef struct tacPlace {
    tacVec3 pos;
    tacMat3 rot;
} tacPlace;

typedef struct tacPatchPoint {
    tacVec3 point;   // halfway between the surfaces
    tacVec3 normal;  // unit, from body[0] to body[1]
    tacVec3 core[2]; // the points of both cores
    tacReal distance;
} tacPatchPoint;

// TAC_ERROR_UNSOLVED: parallel edges, or no such contact near `normal`
tacResult tac_patch_pair_at(const tacPatchPair* touch, tacPlace a, tacPlace b, tacPatchPoint* out);

// d (point, normal, distance)/d xi, xi the twist of body[1] about `point`, body[0] at rest
tacResult tac_patch_pair_jacobian(const tacPatchPair* touch, tacPlace a, tacPlace b,
                                  const tacPatchPoint* at, tacReal D[7][6]);

#endif
