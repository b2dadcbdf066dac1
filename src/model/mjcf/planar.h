// Geoms of planar scenes.

#ifndef TAC_MODEL_MJCF_PLANAR_H
#define TAC_MODEL_MJCF_PLANAR_H

#include "model/spec.h"
#include "tactus/solid.h"

// in the order of their words in geom_reader.c
typedef enum tacPlanarKind {
    TAC_PLANAR_CIRCLE,
    TAC_PLANAR_RECTANGLE,
    TAC_PLANAR_POLYGON,
    TAC_PLANAR_HALFPLANE
} tacPlanarKind;

// The outline of a geom, in the x-y plane of its frame; the frame of a half-plane is rotated.
typedef struct tacPlanar {
    int geom;
    tacPlanarKind kind;
    double size[3];
    int corners;
    const double* corner; // (corners, 2)
} tacPlanar;

// fills the spec of the geom that is being read, and keeps its outline
void tac_read_planar(tacSpec* spec, const tacElement* element, tacPlanarKind kind, const char* key,
                     tacGeomSpec* geom_spec);

// <joint type="planar">: slides along x and y and a hinge about z
void tac_read_planar_joint(tacSpec* spec, const tacElement* element, int body, tacPose pose);

// solids of all geoms that may collide, for detect="sat" and "convex"; a geom without one is a
// failure
void tac_plan_solids(tacSpec* spec);

// solids of the sizes and heights that the parameters are now
void tac_refresh_solids(tacModel* model);

#endif
