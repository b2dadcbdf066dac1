// The map of adapter_scm.h in the number type of this build.

#include "respond/adapter_scm.h"

#include "math/spatial.h"

#include <stdlib.h>

typedef struct scmPoint {
    tacScmPair pair;
    tacScmForce force;
    tacTwist v[2], a[2]; // of the bodies at the origin: velocity, acceleration
} scmPoint;

static tacResult eval_map(const scmMap* map, const tacReal* x, int order, scmPoint* at) {
    tacScmPair* p = &at->pair;
    *p = (tacScmPair){.cloud = {map->cloud[0], map->cloud[1]},
                      .inv_mass = 3.0,
                      .reference = map->reference,
                      .implicit = map->implicit,
                      .exact = map->exact};
    for (int k = 0; k < 3; ++k) p->origin[k] = map->origin[k];
    for (int i = 0; i < 2; ++i) {
        p->pose[i] = (tacPose){tac_load3(x + 7 * i), tac_quat_load(x + 7 * i + 3)};
        for (int k = 0; k < 6; ++k) p->twist[i][k] = x[14 + 6 * i + k];
        for (int k = 0; k < 6; ++k)
            p->predicted[i][k] = map->implicit ? 3.0 - 0.7 * k + 2.0 * i : 0.0;
        at->a[i] = tac_twist_shift(tac_twist_load(p->predicted[i]), p->pose[i].position,
                                   tac_load3(p->origin));
        at->v[i] =
            tac_twist_shift(tac_twist_load(p->twist[i]), p->pose[i].position, tac_load3(p->origin));
    }
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k) p->number[k] = x[26 + k];
    size_t n = (size_t)(map->cloud[0]->queries + map->cloud[1]->queries);
    tacReal* reals = malloc(3 * n * sizeof(tacReal));
    int* ints = malloc(2 * n * sizeof(int));
    if (reals && ints)
        tac_scm_pair(p, order, (tacScmWork){reals, reals + n, reals + 2 * n, ints, ints + n},
                     &at->force);
    tacResult result = reals && ints ? TAC_OK : TAC_ERROR_MEMORY;
    free(reals);
    free(ints);
    return result;
}

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    scmPoint at;
    tacResult result = eval_map(map, x, 0, &at);
    for (int i = 0; i < 6; ++i) y[i] = at.force.wrench[i];
    return result;
}

// twist of a body at the origin, from tangents of its numbers
static tacTwist body_twist(const scmPoint* at, int i, const tacReal* x_dot) {
    tacPose pose = at->pair.pose[i];
    tacQuat q = tac_quat_load(x_dot + 7 * i + 3);
    tacTwist own = {tac_load3(x_dot + 7 * i), tac_quat_angular(pose.rotation, q)};
    return tac_twist_shift(own, pose.position, tac_load3(at->pair.origin));
}

// tangent of six numbers of a body about its origin, fixed but for `dot` (NULL: 0), at the origin
static tacTwist transported(const scmPoint* at, int i, const tacReal* own, const tacReal* dot,
                            const tacReal* x_dot) {
    tacTwist d = dot ? tac_twist_load(dot) : tac_twist_zero();
    return tac_twist_shift_jvp(tac_twist_load(own), at->pair.pose[i].position,
                               tac_load3(at->pair.origin), d, tac_neg(tac_load3(x_dot + 7 * i)));
}

// d(x1 - x0) - xi0 x (x1 - x0)
static tacTwist relative_rate(const tacTwist x[2], const tacTwist d[2], tacTwist xi0) {
    return tac_twist_sub(tac_twist_sub(d[1], d[0]),
                         tac_cross_motion(xi0, tac_twist_sub(x[1], x[0])));
}

// dw = K (xi1 - xi0) + C (dnu - xi0 x nu) + L (dalpha - xi0 x alpha) + xi0 x* w + T dnumber
static tacResult jvp(const void* map, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    scmPoint at;
    tacResult result = eval_map(map, x, 2, &at);
    tacTwist xi[2], v[2], a[2];
    for (int i = 0; i < 2; ++i) {
        xi[i] = body_twist(&at, i, x_dot);
        v[i] = transported(&at, i, at.pair.twist[i], x_dot + 14 + 6 * i, x_dot);
        a[i] = transported(&at, i, at.pair.predicted[i], NULL, x_dot);
    }
    tacReal by[3][6], rigid[6];
    tac_twist_store(by[0], tac_twist_sub(xi[1], xi[0]));
    tac_twist_store(by[1], relative_rate(at.v, v, xi[0]));
    tac_twist_store(by[2], relative_rate(at.a, a, xi[0]));
    tac_wrench_store(rigid, tac_cross_force(xi[0], tac_wrench_load(at.force.wrench)));
    for (int i = 0; i < 6; ++i) {
        y_dot[i] = rigid[i];
        for (int k = 0; k < 6; ++k)
            y_dot[i] += at.force.K[6 * i + k] * by[0][k] + at.force.C[6 * i + k] * by[1][k] +
                        at.force.L[6 * i + k] * by[2][k];
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            y_dot[i] += at.force.T[TAC_SCM_NUMBERS * i + k] * x_dot[26 + k];
    }
    return result;
}

// M' y_bar
static tacWrench mat_tvec(const tacReal M[36], const tacReal* y_bar) {
    tacReal out[6] = {0};
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 6; ++i) out[k] += M[6 * i + k] * y_bar[i];
    return tac_wrench_load(out);
}

// adjoint of body i's six numbers and of its position, from the adjoint at the origin
static tacWrench transported_vjp(const scmPoint* at, int i, const tacReal* own, tacWrench bar,
                                 tacVec3* r_bar) {
    tacWrench own_bar = tac_wrench_zero();
    tac_twist_shift_vjp(tac_twist_load(own), at->pair.pose[i].position, tac_load3(at->pair.origin),
                        tac_wrench_scale(bar, i ? 1.0 : -1.0), &own_bar, r_bar);
    return own_bar;
}

static tacResult vjp(const void* map, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    scmPoint at;
    tacResult result = eval_map(map, x, 2, &at);
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k) {
        x_bar[26 + k] = 0.0;
        for (int i = 0; i < 6; ++i) x_bar[26 + k] += at.force.T[TAC_SCM_NUMBERS * i + k] * y_bar[i];
    }
    tacWrench K = mat_tvec(at.force.K, y_bar), C = mat_tvec(at.force.C, y_bar),
              L = mat_tvec(at.force.L, y_bar);
    tacWrench xi[2] = {tac_wrench_scale(K, -1.0), K}, none = tac_wrench_zero();
    tacTwist still = tac_twist_zero();
    tac_cross_motion_vjp(still, tac_twist_sub(at.v[1], at.v[0]), tac_wrench_scale(C, -1.0), &xi[0],
                         &none);
    tac_cross_motion_vjp(still, tac_twist_sub(at.a[1], at.a[0]), tac_wrench_scale(L, -1.0), &xi[0],
                         &none);
    tac_cross_force_vjp(tac_twist_zero(), tac_wrench_load(at.force.wrench), tac_twist_load(y_bar),
                        &xi[0], &still);
    for (int i = 0; i < 2; ++i) {
        const tacPose* pose = &at.pair.pose[i];
        tacVec3 r_bar = tac_vec3_zero();
        tacWrench own = tac_wrench_shift(xi[i], tac_load3(at.pair.origin), pose->position);
        tacWrench v_bar = transported_vjp(&at, i, at.pair.twist[i], C, &r_bar);
        transported_vjp(&at, i, at.pair.predicted[i], L, &r_bar);
        tac_store3(x_bar + 7 * i, tac_sub(own.force, r_bar));
        tacQuat q = tac_quat_rate(pose->rotation, own.torque);
        tacReal s = 4.0 * tac_quat_inverse_norm2(pose->rotation);
        x_bar[7 * i + 3] = s * q.w;
        x_bar[7 * i + 4] = s * q.x;
        x_bar[7 * i + 5] = s * q.y;
        x_bar[7 * i + 6] = s * q.z;
        tac_wrench_store(x_bar + 14 + 6 * i, v_bar);
    }
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_scm_) = {value, jvp, vjp};
