// The wide kernels of witness points of polygons: one routine for each pair of corner counts.

#ifndef TAC_DETECT_WITNESS_WITNESS_POLYGON_KERNELS_H
#define TAC_DETECT_WITNESS_WITNESS_POLYGON_KERNELS_H

#include "detect/witness/witness_kernels.h"

typedef struct tacPolygonKernels {
    tacWitnessRoutine pair[3][3]; // [corners of polygon 1 - 1][of polygon 2 - 1]
} tacPolygonKernels;

TAC_DECLARE_KERNELS(tacPolygonKernels, tac_polygon_kernels_);

#endif
