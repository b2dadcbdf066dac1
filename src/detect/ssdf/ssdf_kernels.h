// The wide kernels of the soft distance.

#ifndef TAC_DETECT_SSDF_SSDF_KERNELS_H
#define TAC_DETECT_SSDF_SSDF_KERNELS_H

#include "base/dispatch.h"
#include "detect/ssdf/ssdf.h"

// points of a query: at[0 .. count - 1], or the first `count` where `at` is NULL
typedef struct tacSsdfPoints {
    const tacSsdfQuery* query;
    const int* at;
    int count;
} tacSsdfPoints;

typedef struct tacSsdfKernels {
    // phi of the points
    void (*field)(const tacSsdfPlanes* planes, tacSsdfPoints points, tacReal* phi);

    // the same, and fade = the least of phi_i/eps3 - ln w_i: a plane's force is exp(-fade) at most
    void (*fading)(const tacSsdfPlanes* planes, tacSsdfPoints points, double eps3, tacReal* phi,
                   tacReal* fade);

    // A number that phi of no point in box k of page number `page` of the query is below, or any
    // below `enough` if there is no such number above that.
    double (*lower_bound)(const tacSsdfPlanes* planes, const tacSsdfQuery* query, int page, int k,
                          double enough);

    // value, gradient, Hessian, and derivatives by eps1 of value and gradient, at a block of points
    // of the surface's axes
    void (*at)(const tacSsdfPlanes* planes, const tacReal y[3][TAC_SSDF_BLOCK],
               tacReal out[TAC_SSDF_JET][TAC_SSDF_BLOCK]);
} tacSsdfKernels;

TAC_DECLARE_KERNELS(tacSsdfKernels, tac_ssdf_kernels_);

#endif
