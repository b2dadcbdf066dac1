// The field of a shape, or of a whole scene, on a plane normal to one of the world's axes.
//
//   tacModel --tac_slice_plane_create--> tacSlicePlane --tac_slice_plane_eval--> values --> slice.c

#ifndef TAC_DRAW_SLICE_SLICE_PLANE_H
#define TAC_DRAW_SLICE_SLICE_PLANE_H

#include "draw/slice/slice.h"

#define TAC_SLICE_CHUNK 1024 // points that are evaluated at once

typedef struct tacSlicePlaneItem {
    int shape;
    tacPose pose;
    tacBall ball; // in the world; of infinite radius if unbounded
} tacSlicePlaneItem;

typedef struct tacSlicePlane {
    const tacModel* model;
    tacSlicePlaneItem* items; // the field is the smallest of their fields
    int count;
    int across, up, through; // axes of the world: to the right, upwards, towards the eye or away
    tacSliceFrame frame;
} tacSlicePlane;

// working memory of one thread: points, and the field there
typedef struct tacSliceWorkspace {
    double x[3][TAC_SLICE_CHUNK];
    double value[TAC_SLICE_CHUNK], gradient[3][TAC_SLICE_CHUNK], hessian[6][TAC_SLICE_CHUNK];
    double other[10][TAC_SLICE_CHUNK]; // of one item
} tacSliceWorkspace;

// the frame is set for a picture of this size
tacResult tac_slice_plane_create(const tacModel* model, const tacSliceOptions* options, int width,
                                 int height, tacScratch* scratch, tacSlicePlane* out);
void tac_slice_plane_destroy(tacSlicePlane* plane);

// Sets point i to a point of the picture, in pixels from its upper left corner.
void tac_slice_plane_point(const tacSlicePlane* plane, double px, double py,
                           tacSliceWorkspace* workspace, int i);

// Projects a point of the world to the picture.
void tac_slice_plane_pixel(const tacSlicePlane* plane, tacVec3 x, double* px, double* py);

// Values and gradients at the first `count` points, and Hessians if asked for.
tacResult tac_slice_plane_eval(const tacSlicePlane* plane, int count, int hessian,
                               tacSliceWorkspace* workspace, tacScratch* scratch);

#endif
