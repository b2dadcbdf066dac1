// A vertex and a triangle as a map for the check of derivatives: the public routine by corners and
// options.

#ifndef TAC_WITNESS_ADAPTER_VERTEX_FACE_H
#define TAC_WITNESS_ADAPTER_VERTEX_FACE_H

#include "check/check.h"
#include "tactus/witness.h"

// inputs: 12 coordinates, then regular, least, clip, within, gap; outputs: shares 3, colliding,
// point 3, distance, normal 3
#define FACE_INPUTS  17
#define FACE_OUTPUTS 11

typedef struct faceMap {
    const char* name;
    int units, exact;
    double scale; // of lengths
} faceMap;

TAC_DECLARE_CHECK(tac_check_vertex_face_);

#endif
