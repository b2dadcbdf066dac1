// Corners, edges and faces of convex pieces, in the axes of the piece.
//
// Boxes and hulls have those of a polytope; a cylinder has its caps, each with eight corners on its
// rim; a half-space has one face without corners; others have none.

#ifndef TAC_DETECT_FEATURES_H
#define TAC_DETECT_FEATURES_H

#include "detect/convex.h"
#include "detect/patch.h"

enum { TAC_FACE_CORNERS = 32, TAC_NEAR_PATCHES = 24 };

int tac_face_count(const tacConvex* piece);
void tac_face_normal(const tacConvex* piece, int face, double normal[3]);

// Corners of a face, counterclockwise from outside. Of a face with more than TAC_FACE_CORNERS some
// are left out, evenly.
int tac_face_corners(const tacConvex* piece, int face, int corner[TAC_FACE_CORNERS]);
void tac_corner_at(const tacConvex* piece, int corner, double x[3]);

// the face whose normal is most along a direction, -1: it has none
int tac_face_along(const tacConvex* piece, const double m[3]);

tacPatch tac_patch_corner(const tacConvex* piece, int corner);
tacPatch tac_patch_edge(const tacConvex* piece, int from, int to); // the same either way round
tacPatch tac_patch_face(const tacConvex* piece, int face);

// Features that may be the furthest along a unit vector that is off by an angle of up to
// `tolerance`: at most TAC_NEAR_PATCHES, faces first.
int tac_patches_near(const tacConvex* piece, const double m[3], double tolerance,
                     tacPatch patch[TAC_NEAR_PATCHES]);

#endif
