// Frames of two solids.

#include "detect/sat/solid_pair.h"

#include "math/quat.h"

// axes of a pose; of a planar solid only its turn about z counts
static tacMat3 solid_axes(const tacPosedSolid* posed) {
    tacMat3 R = tac_quat_to_mat(posed->pose.rotation);
    if (!posed->solid->planar) return R;
    double length = hypot(R.m[0][0], R.m[1][0]);
    double c = length > 0.0 ? R.m[0][0] / length : 1.0, s = length > 0.0 ? R.m[1][0] / length : 0.0;
    return (tacMat3){{{c, -s, 0.0}, {s, c, 0.0}, {0.0, 0.0, 1.0}}};
}

static tacVec3 solid_position(const tacPosedSolid* posed) {
    tacVec3 x = posed->pose.position;
    if (posed->solid->planar) x.z = -posed->solid->center.z;
    return x;
}

static int is_finite_pose(tacPose pose) {
    tacQuat q = pose.rotation;
    double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    double sum = 0.0 * pose.position.x + 0.0 * pose.position.y + 0.0 * pose.position.z + 0.0 * n;
    return sum == 0.0 && n > 0.0;
}

tacResult tac_solid_pair(tacPosedSolid a, tacPosedSolid b, tacSolidPair* out) {
    if (!a.solid || !b.solid || !is_finite_pose(a.pose) || !is_finite_pose(b.pose))
        return TAC_ERROR_VALUE;
    if (a.solid->planar != b.solid->planar) return TAC_ERROR_VALUE;
    if (tac_is_unbounded(a.solid) && tac_is_unbounded(b.solid)) return TAC_ERROR_VALUE;
    tacMat3 Ra = solid_axes(&a);
    tacVec3 apart = tac_sub(solid_position(&b), solid_position(&a));
    *out = (tacSolidPair){a.solid, b.solid, tac_mat_tmul(Ra, solid_axes(&b)),
                          tac_mat_tmul_vec(Ra, apart)};
    return TAC_OK;
}

tacSolidPair tac_solid_pair_swap(const tacSolidPair* pair) {
    return (tacSolidPair){pair->b, pair->a, tac_mat_transpose(pair->R),
                          tac_neg(tac_mat_tmul_vec(pair->R, pair->p))};
}

void tac_separation_swap(const tacSolidPair* pair, tacSeparation* out) {
    tacVec3 first = out->point[0];
    out->normal = tac_neg(tac_mat_mul_vec(pair->R, out->normal));
    out->point[0] = tac_solid_pair_point(pair, out->point[1]);
    out->point[1] = tac_solid_pair_point(pair, first);
}

// unit vectors across n
static void set_separation_tangents(const tacSolid* solid, tacSeparation* out) {
    tacVec3 n = out->normal, z = {0.0, 0.0, 1.0};
    tacVec3 across = fabs(n.x) < 0.8 ? tac_vec3(1.0, 0.0, 0.0) : tac_vec3(0.0, 1.0, 0.0);
    out->tangent[0] = solid->planar ? tac_cross(z, n) : tac_normalize(tac_cross(across, n));
    out->tangent[1] = solid->planar ? z : tac_cross(n, out->tangent[0]);
}

void tac_separation_finish(const tacPosedSolid* a, tacSeparation* out) {
    tacMat3 R = solid_axes(a);
    tacVec3 p = solid_position(a);
    out->normal = tac_mat_mul_vec(R, out->normal);
    for (int i = 0; i < 2; ++i) out->point[i] = tac_add(p, tac_mat_mul_vec(R, out->point[i]));
    set_separation_tangents(a->solid, out);
}
