// Can two clouds feel each other at all? What is left out by it is below TAC_REACH_SHARE of k eps3,
// with its derivatives in their own scales.
//
//   poses, temperatures, speed --> [ssdf_reach.c] --> respond/scm_force.c, ssdf_points.c
//
// Boxes: model/contact_reach.h; bound: docs/scm.md eq. 11.

#ifndef TAC_DETECT_SSDF_REACH_H
#define TAC_DETECT_SSDF_REACH_H

#include "detect/ssdf.h"

typedef struct tacSsdfMeeting {
    const tacContactCloud* cloud[2];
    const tacPose* pose[2]; // of their bodies
    double eps1, eps3;
    double gain; // a force is at most this times k eps3 exp(-phi/eps3)
    int between; // 1: points between those of the clouds count, too
} tacSsdfMeeting;

// 1: no plane of either is felt by a point of the other
int tac_ssdf_apart(const tacSsdfMeeting* m);

#endif
