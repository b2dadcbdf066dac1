// The soft signed distance between two clouds of oriented points (docs/scm.md eq. 1 to 5).
//
//   clouds, poses --> [ssdf.c] --separation field Phi, distribution sigma(-Phi)--> respond/scm
//                                                      \--K soft points--> ssdf_points.c
//
// A point y against the planes (p_i, n_i) of a cloud, all in the cloud's axes:
//
//   phi = sum w_i n_i . (y - p_i),  w = softmax(-|y - p_i|^2/eps1)

#ifndef TAC_DETECT_SSDF_SSDF_H
#define TAC_DETECT_SSDF_SSDF_H

#include "math/pose.h"
#include "model/contact/contact_cloud.h"

// points that are summed together: what is left out is the same for all of them
#define TAC_SSDF_BLOCK 8

// part of all weights that may be left out, derivatives by 1/eps1 included
#define TAC_SSDF_SHARE 1e-16

// a cloud as a surface, in its own axes
typedef struct tacSsdfPlanes {
    const tacContactCloud* cloud;
    tacCloudLevels levels;
    tacReal eps;  // eps1, or that of the cloud's own kernel [m^2]
    int is_own;   // 1: the latter, which is no parameter
    double depth; // weights below exp(-depth) of the largest are left out
    int exact;    // 1: nothing is left out
} tacSsdfPlanes;

// points of the other cloud in the axes of the surface: y = R x + t
typedef struct tacSsdfQuery {
    const tacContactCloud* cloud;
    tacMat3 R;
    tacVec3 t;
} tacSsdfQuery;

typedef struct tacSsdfPair {
    const tacContactCloud* cloud[2];
    tacPose pose[2];    // of their bodies
    tacReal eps1, eps2; // [m^2], [m]
    int exact;
} tacSsdfPair;

tacSsdfPlanes tac_ssdf_planes(const tacContactCloud* cloud, tacReal eps1, int exact);

// points of the cloud of `from` in the axes of `to`
tacSsdfQuery tac_ssdf_query(const tacContactCloud* cloud, tacPose from, tacPose to);

// length of the separation field
static inline int tac_ssdf_count(const tacSsdfPair* pair) {
    return pair->cloud[0]->queries + pair->cloud[1]->queries;
}

// Phi: points of cloud 0 in the field of cloud 1, then points of cloud 1 in that of cloud 0
void tac_ssdf_field(const tacSsdfPair* pair, tacReal* Phi);

// numbers of the field at a point: value, gradient (3), Hessian (xx yy zz xy xz yz), then the
// derivatives by eps1 of value and gradient
#define TAC_SSDF_JET 14

// those of one point of the cloud's axes
void tac_ssdf_at(const tacSsdfPlanes* planes, const tacReal y[3], tacReal out[TAC_SSDF_JET]);

#endif
