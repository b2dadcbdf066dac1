// Can two clouds exert a force on each other? What this leaves out is below TAC_INFLUENCE_SHARE of
// k eps3, with its derivatives in their own scales.
//
//   poses, temperatures, speed --> [ssdf_cutoff.c] --> respond/force/scm_force.c, ssdf_points.c
//
// Boxes: model/contact/contact_influence.h; bound: docs/scm.md eq. 11.

#ifndef TAC_DETECT_SSDF_SSDF_CUTOFF_H
#define TAC_DETECT_SSDF_SSDF_CUTOFF_H

#include "detect/ssdf/ssdf.h"

typedef struct tacSsdfCutoff {
    const tacContactCloud* cloud[2];
    const tacPose* pose[2]; // of their bodies
    double eps1, eps3;
    double gain; // a force is at most this times k eps3 exp(-phi/eps3)
    int between; // 1: points between those of the clouds count, too
} tacSsdfCutoff;

// 1: no plane of either acts on a point of the other
int tac_ssdf_cutoff_separated(const tacSsdfCutoff* m);

#endif
