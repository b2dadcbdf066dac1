// The field of a shape, or of a whole scene, on a plane across one of the world's axes.
//
//   tacModel --tac_plane_create--> tacPlane --tac_plane_eval--> values --> slice.c

#ifndef TAC_DRAW_PLANE_H
#define TAC_DRAW_PLANE_H

#include "draw/slice.h"

#define TAC_PLANE_CHUNK 1024 // points that are evaluated at once

typedef struct tacPlaneItem {
    int shape;
    tacPose pose;
    tacBall ball; // in the world; of infinite radius without an end
} tacPlaneItem;

typedef struct tacPlane {
    const tacModel* model;
    tacPlaneItem* items; // the field is the smallest of their fields
    int count;
    int across, up, through; // axes of the world: to the right, upwards, towards the eye or away
    tacSliceFrame frame;
} tacPlane;

// working memory of one thread: points, and the field there
typedef struct tacPlaneSpace {
    double x[3][TAC_PLANE_CHUNK];
    double value[TAC_PLANE_CHUNK], gradient[3][TAC_PLANE_CHUNK], hessian[6][TAC_PLANE_CHUNK];
    double other[10][TAC_PLANE_CHUNK]; // of one item
} tacPlaneSpace;

// the frame is set for a picture of this size
tacResult tac_plane_create(const tacModel* model, const tacSliceOptions* options, int width,
                           int height, tacScratch* scratch, tacPlane* out);
void tac_plane_destroy(tacPlane* plane);

// Sets point i to a place of the picture, in pixels from its upper left corner.
void tac_plane_point(const tacPlane* plane, double px, double py, tacPlaneSpace* space, int i);

// Place of the picture that a point of the world projects to.
void tac_plane_pixel(const tacPlane* plane, tacVec3 x, double* px, double* py);

// Values and gradients at the first `count` points, and Hessians if asked for.
tacResult tac_plane_eval(const tacPlane* plane, int count, int hessian, tacPlaneSpace* space,
                         tacScratch* scratch);

#endif
