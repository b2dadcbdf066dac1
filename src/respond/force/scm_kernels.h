// Forces of the planes of one cloud on points of another, summed up.

#ifndef TAC_RESPOND_FORCE_SCM_KERNELS_H
#define TAC_RESPOND_FORCE_SCM_KERNELS_H

#include "base/dispatch.h"
#include "respond/force/scm.h"

// one way: points of one cloud at the planes of the other, in the axes of the planes
typedef struct tacScmSide {
    tacSsdfPlanes planes;
    tacSsdfQuery query;
    int count;                    // points with a force
    int fields;                   // points behind them with weight and no force
    const int* at;                // which
    const tacReal* sigma;         // their weights
    tacReal origin[3];            // of the wrench
    tacReal linear[3];            // velocity of the points' body against the planes' at the origin
    tacReal angular[3];           //
    double log_cutoff;            // forces of exp(-log_cutoff) of k eps3 and less do not count
    tacReal shift;                // taken off phi in sums
    tacReal predicted[3], rot[3]; // acceleration likewise, of an implicit force
    const tacReal* number;        // of the law
    double log_weight;            // ln of what the weights of all points are multiplied by
    double inv_mass;              // likewise, of an implicit force (tacContactPair)
    int reference, implicit;
} tacScmSide;

// Sums over points by sigma. With gamma the gradient of phi by the twist of the points' body about
// the origin, and psi = phi less the shift:
typedef struct tacScmSums {
    tacReal W[6];              // wrench on the points' body
    tacReal K[36], C[36];      // its derivative by that body's twist and velocity, sigma fixed
    tacReal G[6], WG[36];      // gamma, W gamma'
    tacReal L[36];             // by that body's acceleration, of an implicit force
    tacReal T[6][TAC_SCM_LAW]; // derivative of W by the law's numbers
    tacReal E[6];              // by eps1
    tacReal P, WP[6];          // psi, W psi
    tacReal PE, WE[6];         // d phi/d eps1, W times that
} tacScmSums;

typedef struct tacScmKernels {
    // sums of order 0 (W, and L of an implicit force), 1 (to WG) or 2 (all)
    void (*sums[3])(const tacScmSide* side, tacScmSums* out);
} tacScmKernels;

TAC_DECLARE_KERNELS(tacScmKernels, tac_scm_kernels_);

#endif
