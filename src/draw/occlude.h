// Occlusion of a point: soft shadows of lights, and ambient occlusion.

#ifndef TAC_DRAW_OCCLUDE_H
#define TAC_DRAW_OCCLUDE_H

#include "draw/trace.h"

// tangent of half the angle under which a light is seen: width of penumbras
#define TAC_LIGHT_WIDTH_TAN 0.045

// points on surfaces, a little above them
typedef struct tacSurfels {
    int count;
    tacVec3 centre; // of a ball around all surfels
    double extent;  // its radius
    tacVectors x, normal;
    tacVectors to_light;                           // unit
    double light_distance[TAC_PACKET];             // distance of the light, may be infinite [m]
    double light[TAC_PACKET], ambient[TAC_PACKET]; // 0 dark .. 1 open
} tacSurfels;

// one search for the closest approach of an item to the ray to the light
typedef struct tacShadowRay {
    int surfel, steps;
    double t, from, to;           // now, and the part of the ray near the item
    double best, at, left, right; // least value/(width t), where, and its neighbours
} tacShadowRay;

typedef struct tacOccludeWorkspace {
    tacShadowRay shadow_rays[TAC_PACKET], found[TAC_PACKET];
    tacVectors x, gradient;
    double value[TAC_PACKET], min_value[TAC_PACKET];
    int index[TAC_PACKET];
} tacOccludeWorkspace;

// fills centre and extent
void tac_surfels_measure(tacSurfels* surfels);

// fills light[] from to_light and reach
void tac_occlude_shadows(const tacStage* stage, tacSurfels* surfels, tacOccludeWorkspace* workspace,
                         tacScratch* scratch);

// fills ambient[]
void tac_occlude_ambient(const tacStage* stage, tacSurfels* surfels, tacOccludeWorkspace* workspace,
                         tacScratch* scratch);

#endif
