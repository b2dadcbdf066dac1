// The scene of a picture: posed shapes with colours, lights, and the eye.
//
//   tacModel --tac_stage_create--> tacStage --> trace.c, occlude.c, shade.c
//
// A single half-space is intersected in closed form, a mesh triangle by triangle; every other shape
// is sphere-traced inside its ball.

#ifndef TAC_DRAW_STAGE_H
#define TAC_DRAW_STAGE_H

#include "draw/triangles.h"

typedef enum tacStageKind { TAC_STAGE_PLANE, TAC_STAGE_FIELD, TAC_STAGE_MESH } tacStageKind;

typedef struct tacStageItem {
    tacStageKind kind;
    int shape;               // of a field
    const tacDrawMesh* mesh; // of a mesh
    tacPose pose;            // in the world
    tacBall ball;            // around the solid, in the world; of infinite radius if unbounded
    tacVec3 axes[3];         // of a half-space: two along its face, then its normal
    double rgb[3];           // linear light
    double alpha;            // opacity
    double order;            // distance from the eye, half-spaces before all
    int number;              // of the geom
} tacStageItem;

typedef struct tacStage {
    const tacModel* model;
    tacStageItem* items; // half-spaces first, then from near to far
    tacLight* lights;
    tacDrawMesh** meshes;      // of the model's triangles, NULL where no geom is drawn with them
    int count, planes, nlight; // items, half-spaces among them, lights
    tacCamera camera;
    tacVec3 centre; // of a ball around all finite items
    double radius;
    double mean_radius; // mean radius of the finite items: scale of ambient occlusion
    double cell;        // side of the squares on a half-space
    tacAllocator allocator;
} tacStage;

// The scene's geoms, or one shape alone on a neutral ground (shape >= 0). camera < 0: the first of
// the scene, or one that frames all finite items. `aspect` is width/height of the picture.
tacResult tac_stage_create(const tacModel* model, int camera, int shape, double aspect,
                           tacScratch* scratch, tacStage* out);
void tac_stage_destroy(tacStage* stage);

#endif
