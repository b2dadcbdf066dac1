// The soft-minimum contact model between two clouds (docs/scm.md eq. 3 to 7).
//
//   clouds, poses, twists --> [scm.c] --wrench, K, C, T of a pair of geoms--> scm_force.c
//
// Every plane of one cloud acts on each point of the other by the law of point_plane.inl, weighted
// by w (eq. 1); points are weighted by sigma(-Phi):
//
//   wrench = sum sigma_f (F_f, r_f x F_f),  F_f = sum w_i lambda(n_i . (y - p_i), n_i, v)
//
// lambda acts on the point, its negative on the other body at the same place, and v is the velocity
// against that body there: no torque arises from nothing, and bodies that move as one have no
// dissipation.

#ifndef TAC_RESPOND_FORCE_SCM_H
#define TAC_RESPOND_FORCE_SCM_H

#include "detect/ssdf/ssdf.h"

// numbers that the wrench can be differentiated by
enum {
    TAC_SCM_K,
    TAC_SCM_V_D,
    TAC_SCM_V_S,
    TAC_SCM_MU,
    TAC_SCM_EPS3,
    TAC_SCM_H,   // length of the step, of an implicit force
    TAC_SCM_LAW, // numbers of the law of a point and a plane stand before it
    TAC_SCM_EPS1 = TAC_SCM_LAW,
    TAC_SCM_EPS2,
    TAC_SCM_NUMBERS
};

typedef struct tacScmPair {
    const tacContactCloud* cloud[2];
    tacPose pose[2];                 // of their bodies, in the world
    tacReal twist[2][6];             // of their bodies about pose.position, world axes
    tacReal origin[3];               // of the wrench, in the world
    tacReal predicted[2][6];         // accelerations of the bodies likewise, of an implicit force
    tacReal number[TAC_SCM_NUMBERS]; // k, v_d, v_s, mu, eps3, h, eps1, eps2
    double inv_mass;                 // of an implicit force (tacContactPair)
    double log_cutoff; // forces below exp(-log_cutoff) of k eps3 do not count; 0: all may
    int reference;     // dissipation as printed
    int implicit;      // force at the end of a step, to first order (docs/contact.md)
    int exact;         // nothing is left out
} tacScmPair;

// of the body of cloud 1, world axes about the origin; cloud 0's gets the negative
typedef struct tacScmForce {
    tacReal wrench[6];
    tacReal K[36], C[36];           // by relative pose and twist (tacPairForce)
    tacReal L[36];                  // by relative acceleration, of an implicit force
    tacReal T[6 * TAC_SCM_NUMBERS]; // by the numbers, row-major
    tacReal separation[2];          // average of the paper, -LSE(-Phi)
} tacScmForce;

// workspace of tac_scm_pair: arrays as long as the points of both clouds that move, and no longer
typedef struct tacScmWork {
    tacReal *Phi, *fade, *sigma;
    int *at, *selected;
} tacScmWork;

// order 0: wrench; 1: K and C, too; 2: T as well
void tac_scm_pair(const tacScmPair* pair, int order, tacScmWork work, tacScmForce* out);

#endif
