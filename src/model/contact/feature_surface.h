// The surface of a geom while its features are made: triangles, and edges at creases,
// both in spatial order.

#ifndef TAC_MODEL_CONTACT_FEATURE_SURFACE_H
#define TAC_MODEL_CONTACT_FEATURE_SURFACE_H

#include "model/contact/geom_features.h"

#include "mesh/region.h"

// a surface while it is made, in the frame of the geom's shape
typedef struct tacFeatureSurface {
    int vertices, triangles, edges;
    double (*x)[3];     // (vertices)
    int (*triangle)[3]; // (triangles)
    int (*edge)[4];     // two vertices, two triangles                                    (edges)
    double radius;
    int radius_param;
    double rim[2]; // radius and half length of a cylinder along z, 0: none
    int inner;     // of the options
    tacRegion* blocks;
} tacFeatureSurface;

// Makes it of a shape, or of the mesh in the options. Memory is that of s->blocks.
tacResult tac_feature_surface(tacFeatureSurface* s, const tacModel* model, int shape,
                              tacFeatureOptions options, tacMessage* message);

// does a node stand at the origin of its parent?
int tac_has_identity_pose(const tacModel* model, const tacNode* node);

// unit vector across a triangle, 0 if it has no area
void tac_feature_normal(const tacFeatureSurface* s, int triangle, double out[3]);

#endif
