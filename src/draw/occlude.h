// What keeps light from a point: soft shadows of lights, and the neighbourhood (ambient occlusion).

#ifndef TAC_DRAW_OCCLUDE_H
#define TAC_DRAW_OCCLUDE_H

#include "draw/trace.h"

// tangent of half the angle under which a light is seen: width of penumbras
#define TAC_LIGHT_WIDTH 0.045

// points on surfaces, a little above them
typedef struct tacSpots {
    int count;
    tacVec3 centre; // of a ball around all spots
    double extent;  // its radius
    tacVectors x, normal;
    tacVectors to_light;      // unit
    double reach[TAC_PACKET]; // distance of the light, may be infinite                  [m]
    double light[TAC_PACKET], ambient[TAC_PACKET]; // 0 dark .. 1 open
} tacSpots;

// one search for the closest approach of an item to the way to the light
typedef struct tacSeeker {
    int spot, turns;
    double t, from, to;           // now, and the part of the way near the item
    double best, at, left, right; // least value/(width t), where, and the places tried beside it
} tacSeeker;

typedef struct tacOccludeSpace {
    tacSeeker seekers[TAC_PACKET], found[TAC_PACKET];
    tacVectors x, gradient;
    double value[TAC_PACKET], least[TAC_PACKET];
    int index[TAC_PACKET];
} tacOccludeSpace;

// fills centre and extent
void tac_spots_measure(tacSpots* spots);

// fills light[] from to_light and reach
void tac_shadows(const tacStage* stage, tacSpots* spots, tacOccludeSpace* space,
                 tacScratch* scratch);

// fills ambient[]
void tac_ambient(const tacStage* stage, tacSpots* spots, tacOccludeSpace* space,
                 tacScratch* scratch);

#endif
