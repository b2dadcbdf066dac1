// Sphere tracing of a stage, a packet of rays at a time.

#ifndef TAC_DRAW_TRACE_H
#define TAC_DRAW_TRACE_H

#include "draw/stage.h"

// rays that go together; a tile of the picture with its border fits
#define TAC_PACKET 1280
// evaluations that one ray may spend on one item
#define TAC_TRACE_TURNS 320

// rays, and what they meet
typedef struct tacRays {
    int count;
    double pixel;                  // width of a pixel at distance 1
    double origin[3][TAC_PACKET];  //                                           [m]
    double along[3][TAC_PACKET];   // unit vectors
    double start[TAC_PACKET];      // nothing before this distance counts       [m]
    double distance[TAC_PACKET];   // of the hit, infinite without one          [m]
    int item[TAC_PACKET];          // that is hit, or -1
    double normal[3][TAC_PACKET];  // of the item there, outwards, unit
    unsigned char near[TAC_PACKET]; // 1: passed an item by less than a pixel
} tacRays;

// where one ray is on its way to one item
typedef struct tacMarcher {
    int ray, turns;
    int inside, near;       // has not left the solid that it started in; was nearer than a pixel
    double t, end;          // now, and where it can stop looking
    double out, in;         // last known distances outside and inside; in is infinite at first
} tacMarcher;

// working memory of one thread
typedef struct tacTraceSpace {
    tacMarcher far[TAC_PACKET], close[TAC_PACKET];
    double x[3][TAC_PACKET], value[TAC_PACKET], gradient[3][TAC_PACKET];
    int index[TAC_PACKET];
    int most_turns; // of any ray on any item so far
} tacTraceSpace;

// fills distance, item, normal and near of every ray
void tac_trace(const tacStage* stage, tacRays* rays, tacTraceSpace* space, tacScratch* scratch);

// point of a ray
tacVec3 tac_ray_point(const tacRays* rays, int i, double t);

// Part of a ray inside the ball of an item; 0 if there is none.
int tac_ball_interval(tacVec3 from, tacVec3 along, tacVec3 centre, double radius, double* enter,
                      double* leave);

#endif
