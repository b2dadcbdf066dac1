// Sphere tracing of a stage, a packet of rays at a time.

#ifndef TAC_DRAW_TRACE_H
#define TAC_DRAW_TRACE_H

#include "draw/stage.h"

#include "math/vec3.h"

// rays of a packet; a tile of the picture with its border fits
#define TAC_PACKET 1280
// radii of the scene, from its centre, at which the sky covers unbounded items
#define TAC_HAZE_END 16.0
// most evaluations of one ray for one item
#define TAC_TRACE_STEPS 320

// many vectors, one array per coordinate
typedef struct tacVectors {
    double x[TAC_PACKET], y[TAC_PACKET], z[TAC_PACKET];
} tacVectors;

static inline tacVec3 tac_vectors_get(const tacVectors* v, int i) {
    return tac_vec3(v->x[i], v->y[i], v->z[i]);
}

static inline void tac_vectors_set(tacVectors* v, int i, tacVec3 a) {
    v->x[i] = a.x;
    v->y[i] = a.y;
    v->z[i] = a.z;
}

// the first `count` of them, for tac_shape_eval
static inline tacPoints tac_vectors_points(const tacVectors* v, int count) {
    return (tacPoints){count, {v->x, v->y, v->z}};
}

// value (NULL to skip) and gradient, for tac_shape_eval
static inline tacField tac_vectors_field(double* value, tacVectors* gradient) {
    return (tacField){value, {gradient->x, gradient->y, gradient->z}, {NULL}};
}

// rays and their hits
typedef struct tacRays {
    int count;
    double pixel;                    // width of a pixel at distance 1 from the eye
    tacVectors origin;               //                                           [m]
    tacVectors along;                // unit vectors
    double start[TAC_PACKET];        // nothing before this distance counts       [m]
    double eye_distance[TAC_PACKET]; // distance from the eye to the origin       [m]
    double distance[TAC_PACKET];     // of the hit, infinite without one          [m]
    int item[TAC_PACKET];            // that is hit, or -1
    tacVectors normal;               // of the item there, outwards, unit
    unsigned char near[TAC_PACKET];  // 1: passed an item by less than a pixel
} tacRays;

// state of one ray marching to one item
typedef struct tacMarcher {
    int ray, steps;
    int inside, near; // has not left the solid that it started in; was closer than a pixel
    double t, end;    // current distance, and where the search ends
    double out, in;   // last known distances outside and inside; in is infinite at first
} tacMarcher;

// working memory of one thread
typedef struct tacTraceWorkspace {
    tacMarcher far[TAC_PACKET], close[TAC_PACKET]; // rays that march to one item
    int nfar, nclose;                              // how many of each
    tacVectors x, gradient;
    double value[TAC_PACKET];
    int index[TAC_PACKET];
    int most_steps; // of any ray on any item so far
} tacTraceWorkspace;

// fills distance, item, normal and near of every ray
void tac_trace(const tacStage* stage, tacRays* rays, tacTraceWorkspace* workspace,
               tacScratch* scratch);

// point of a ray
tacVec3 tac_ray_point(const tacRays* rays, int i, double t);

// Part of a ray inside the ball of an item; 0 if there is none.
int tac_ray_ball_interval(tacVec3 from, tacVec3 along, tacVec3 centre, double radius, double* enter,
                          double* leave);

#endif
