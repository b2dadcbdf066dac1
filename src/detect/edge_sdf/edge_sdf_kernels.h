// The wide kernels of edges traced through a field.
//
// Two rays an edge, one from each corner: those from first corners stand at 0 .. half - 1 of all
// arrays, those from second ones at half .. 2 half - 1; `half` is a multiple of every vector's
// length. Axes of the field's body unless it is said otherwise.

#ifndef TAC_DETECT_EDGE_SDF_EDGE_SDF_KERNELS_H
#define TAC_DETECT_EDGE_SDF_EDGE_SDF_KERNELS_H

#include "detect/field/vertex_sdf_kernels.h"

// most steps of a ray
#define TAC_RAY_STEPS 64

typedef struct tacRayParams {
    tacReal radius; // of the edge                                                         [m]
    tacReal gate;   // temperature of "not inside yet" and of the clip to the edge         [m]
    tacReal slope;  // a step is the field over it
} tacRayParams;

typedef struct tacRays {
    int half;
    tacReal *from[3], *dir[3]; // corner, unit direction to the other one
    tacReal *length, *far;     // of the edge; how far the ray has come                    [m]
} tacRays;

// How the place on an edge depends on everything: per edge, world axes.
typedef struct tacEdgeSlide {
    int steps, half;
    tacReal* along[3]; // direction of the edge
    tacReal* by[6];    // by the twist of its body against the field's about the hit
    tacReal *by_radius, *by_gate, *by_slope;
    tacReal* weight[TAC_RAY_STEPS]; // by the field at each step of each ray             (2 half)
} tacEdgeSlide;

// tangents, or sums of adjoints, of what moves hits
typedef struct tacSlideDot {
    tacReal field[6], own[6]; // twists or wrenches of the bodies about their origins, world axes
    tacReal radius, gate, slope;
} tacSlideDot;

typedef struct tacRayKernels {
    // corners[0], [1]: first and second ones of `half` edges
    void (*start)(const tacReal* const corners[2][3], tacRays* rays);

    // a step by the field `value` at the rays' places; `next` are the places after it
    void (*step)(const tacRayParams* numbers, const tacReal* value, tacRays* rays,
                 tacReal* const next[3]);

    // middle between the rays' ends
    void (*finish)(const tacRayParams* numbers, const tacRays* rays, tacReal* const y[3]);

    // `field` at each of the steps, with gradients; y as finish left it
    void (*slide)(const tacRayParams* numbers, const tacFrame* frame, const tacRays* rays,
                  const tacHits* step, tacReal* const y[3], tacEdgeSlide* out);

    // tangent of hits along their edges, world axes; value: the field's own at each step, or NULL
    void (*slide_jvp)(const tacVertexPose* pose, const tacEdgeSlide* slide, const tacHits* hits,
                      const tacSlideDot* dot, const tacReal* const* value, tacReal* const out[3]);

    // from adjoints of hits along their edges: adds to `bar`, sets value[k] unless it is NULL
    void (*slide_vjp)(const tacVertexPose* pose, const tacEdgeSlide* slide, const tacHits* hits,
                      tacReal* const x_bar[3], tacSlideDot* bar, tacReal* const* value);
} tacRayKernels;

TAC_DECLARE_KERNELS(tacRayKernels, tac_ray_kernels_);

#endif
