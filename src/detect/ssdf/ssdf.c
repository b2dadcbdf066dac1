// The separation field of two clouds.

#include "detect/ssdf/ssdf.h"

#include "detect/ssdf/ssdf_kernels.h"

#include <math.h>

// Left-out weights are at most count exp(-depth) of the largest. A derivative multiplies them by
// no more than 1 + 2 size^2/eps1: a slope 2 e/eps1 times an arm.
tacSsdfPlanes tac_ssdf_planes(const tacContactCloud* cloud, tacReal eps1, int exact) {
    if (cloud->own_eps > 0.0) eps1 = cloud->own_eps;
    double gain = 1.0 + 2.0 * cloud->size * cloud->size / tac_re(eps1);
    return (tacSsdfPlanes){.cloud = cloud,
                           .levels = tac_cloud_levels(cloud->count),
                           .eps = eps1,
                           .is_own = cloud->own_eps > 0.0,
                           .depth =
                               log(gain * cloud->count / TAC_SSDF_SHARE) + cloud->log_amp_range,
                           .exact = exact};
}

tacSsdfQuery tac_ssdf_query(const tacContactCloud* cloud, tacPose from, tacPose to) {
    tacPose between = tac_pose_compose(tac_pose_inverse(to), from);
    return (tacSsdfQuery){cloud, tac_quat_to_mat(between.rotation), between.position};
}

void tac_ssdf_field(const tacSsdfPair* pair, tacReal* Phi) {
    const tacSsdfKernels* kernels = TAC_DISPATCH(tac_ssdf_kernels_);
    for (int side = 0; side < 2; ++side) {
        const tacContactCloud* cloud = pair->cloud[side];
        tacSsdfPlanes planes = tac_ssdf_planes(pair->cloud[1 - side], pair->eps1, pair->exact);
        tacSsdfQuery query = tac_ssdf_query(cloud, pair->pose[side], pair->pose[1 - side]);
        kernels->field(&planes, (tacSsdfPoints){&query, NULL, cloud->queries}, Phi);
        Phi += cloud->queries;
    }
}

void tac_ssdf_at(const tacSsdfPlanes* planes, const tacReal y[3], tacReal out[TAC_SSDF_JET]) {
    tacReal block[3][TAC_SSDF_BLOCK], field[TAC_SSDF_JET][TAC_SSDF_BLOCK];
    for (int axis = 0; axis < 3; ++axis)
        for (int k = 0; k < TAC_SSDF_BLOCK; ++k) block[axis][k] = y[axis];
    TAC_DISPATCH(tac_ssdf_kernels_)->at(planes, (const tacReal(*)[TAC_SSDF_BLOCK])block, field);
    for (int k = 0; k < TAC_SSDF_JET; ++k) out[k] = field[k][0];
}
