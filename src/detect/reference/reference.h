// The contact manifold as paper 001 defines it, with its mistakes mended: soft top-K of vertices
// and edges, every pair of those edges, indicators without an end (docs/manifold.md). Also edges in
// a field where they are averaged (docs/edge-sdf.md).

#ifndef TAC_DETECT_REFERENCE_REFERENCE_H
#define TAC_DETECT_REFERENCE_REFERENCE_H

#include "detect/detect.h"

extern const tacDetectorKind tac_reference_detector;

enum {
    TAC_REFERENCE_NUMBERS = 8,         // of a record: point, normal, distance, activity
    TAC_REFERENCE_MAX_RECORDS = 65536, // records
};

// where these stand, from the record `first` on
static inline void tac_reference_numbers(const tacContacts* c, int first,
                                         tacReal* out[TAC_REFERENCE_NUMBERS]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = &c->point[k][first];
        out[3 + k] = &c->normal[k][first];
    }
    out[6] = &c->distance[first];
    out[7] = &c->activity[first];
}

// records of a pair of geoms; always as many, whatever the poses
int tac_reference_count(const tacModel* model, int pair);

// Records of a pair, each number an array of tac_reference_count; `feature` may be NULL.
tacResult tac_reference_pair(const tacModel* model, const tacPose* body, int pair,
                             tacReal* const out[TAC_REFERENCE_NUMBERS], uint64_t* feature,
                             tacScratch* scratch);

// as tacContactTangent, in doubles whatever the build
typedef struct tacReferenceTangent {
    const double *pose, *param;
} tacReferenceTangent;

// Derivatives of the records of a pair along a tangent: the imaginary part of the complex build.
// All numbers are doubles.
tacResult tac_reference_jvp_hvp(const tacModel* model, const void* body, int pair,
                                tacReferenceTangent tangent,
                                double* const out[TAC_REFERENCE_NUMBERS], tacScratch* scratch);

// reference_diff.c: d_twist of the records of a pair that stand at contacts->count, and the
// detector's derivatives; TAC_ERROR_UNSUPPORTED in other numbers than double
tacResult tac_reference_twists(const tacModel* model, const tacPose* body, int pair, int count,
                               tacContacts* contacts, tacScratch* scratch);
tacResult tac_reference_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            tacContactTangent tangent, tacContacts* dot, tacScratch* scratch);
tacResult tac_reference_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch);

// the dry run of derivatives, beside the records of a pair themselves
void tac_reference_diff_measure(const tacModel* model, int count, tacArena* arena);

// what one direction is evaluated at, and its records
typedef struct tacReferenceDirection {
    tacPose* pose;  // (nbody)
    tacReal* param; // (nparam)
    tacReal* record[TAC_REFERENCE_NUMBERS];
} tacReferenceDirection;

static inline tacReferenceDirection tac_reference_direction_alloc(const tacModel* model, int count,
                                                                  tacArena* arena) {
    tacReferenceDirection d = {.pose = TAC_ALLOC(arena, tacPose, model->nbody)};
    d.param = TAC_ALLOC(arena, tacReal, model->nparam);
    for (int k = 0; k < TAC_REFERENCE_NUMBERS; ++k) d.record[k] = TAC_ALLOC(arena, tacReal, count);
    return d;
}

#endif
