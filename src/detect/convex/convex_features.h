// Vertices, edges and faces of convex parts, in the axes of the part.
//
// Boxes and hulls have those of a polytope; a cylinder has its caps, each with eight vertices on
// its rim; a half-space has one face without vertices; others have none.

#ifndef TAC_DETECT_CONVEX_CONVEX_FEATURES_H
#define TAC_DETECT_CONVEX_CONVEX_FEATURES_H

#include "detect/convex/convex.h"
#include "detect/feature_contact.h"

enum { TAC_FACE_MAX_VERTICES = 32, TAC_NEAR_FEATURES = 24 };

int tac_face_count(const tacConvex* part);
void tac_face_normal(const tacConvex* part, int face, double normal[3]);

// Vertices of a face, counterclockwise from outside. Of a face with more than TAC_FACE_MAX_VERTICES
// some are left out, evenly.
int tac_face_vertices(const tacConvex* part, int face, int corner[TAC_FACE_MAX_VERTICES]);
void tac_face_vertex_position(const tacConvex* part, int corner, double x[3]);

// the face whose normal is most along a direction, -1: it has none
int tac_face_along(const tacConvex* part, const double m[3]);

tacConvexFeature tac_feature_vertex(const tacConvex* part, int corner);
tacConvexFeature tac_feature_edge(const tacConvex* part, int from,
                                  int to); // the same either way round
tacConvexFeature tac_feature_face(const tacConvex* part, int face);

// Features that may be the furthest along a unit vector that is off by an angle of up to
// `tolerance`: at most TAC_NEAR_FEATURES, faces first.
int tac_features_near(const tacConvex* part, const double m[3], double tolerance,
                      tacConvexFeature feature[TAC_NEAR_FEATURES]);

#endif
