// The map of adapter_scm.h in the number type of this build.

#include "respond/adapter_scm.h"

#include "math/spatial.h"

#include <stdlib.h>

typedef struct scmPoint {
    tacScmPair pair;
    tacScmForce force;
    tacTwist v[2]; // of the bodies at the origin
} scmPoint;

static tacResult evaluate(const scmMap* map, const tacReal* x, int order, scmPoint* at) {
    tacScmPair* p = &at->pair;
    *p = (tacScmPair){
        .cloud = {map->cloud[0], map->cloud[1]}, .published = map->published, .exact = map->exact};
    for (int k = 0; k < 3; ++k) p->origin[k] = map->origin[k];
    for (int i = 0; i < 2; ++i) {
        p->pose[i] = (tacPose){tac_load3(x + 7 * i), tac_quat_load(x + 7 * i + 3)};
        for (int k = 0; k < 6; ++k) p->twist[i][k] = x[14 + 6 * i + k];
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
    free(reals), free(ints);
    return result;
}

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    scmPoint at;
    tacResult result = evaluate(map, x, 0, &at);
    for (int i = 0; i < 6; ++i) y[i] = at.force.wrench[i];
    return result;
}

// twist of a body at the origin, from tangents of its numbers
static tacTwist motion(const scmPoint* at, int i, const tacReal* x_dot) {
    tacPose pose = at->pair.pose[i];
    tacQuat q = tac_quat_load(x_dot + 7 * i + 3);
    tacTwist own = {tac_load3(x_dot + 7 * i), tac_quat_angular(pose.rotation, q)};
    return tac_twist_shift(own, pose.position, tac_load3(at->pair.origin));
}

// dw = K (xi1 - xi0) + C (dnu - xi0 x nu) + xi0 x* w + T dnumber
static tacResult jvp(const void* map, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    scmPoint at;
    tacResult result = evaluate(map, x, 2, &at);
    tacTwist xi[2], v[2];
    for (int i = 0; i < 2; ++i) {
        const tacPose* pose = &at.pair.pose[i];
        xi[i] = motion(&at, i, x_dot);
        v[i] = tac_twist_shift_jvp(tac_twist_load(at.pair.twist[i]), pose->position,
                                   tac_load3(at.pair.origin), tac_twist_load(x_dot + 14 + 6 * i),
                                   tac_neg(tac_load3(x_dot + 7 * i)));
    }
    tacTwist nu = tac_twist_sub(at.v[1], at.v[0]);
    tacTwist rate = tac_twist_sub(tac_twist_sub(v[1], v[0]), tac_cross_motion(xi[0], nu));
    tacReal a[6], b[6], rigid[6];
    tac_twist_store(a, tac_twist_sub(xi[1], xi[0]));
    tac_twist_store(b, rate);
    tac_wrench_store(rigid, tac_cross_force(xi[0], tac_wrench_load(at.force.wrench)));
    for (int i = 0; i < 6; ++i) {
        y_dot[i] = rigid[i];
        for (int k = 0; k < 6; ++k)
            y_dot[i] += at.force.K[6 * i + k] * a[k] + at.force.C[6 * i + k] * b[k];
        for (int k = 0; k < TAC_SCM_NUMBERS; ++k)
            y_dot[i] += at.force.T[TAC_SCM_NUMBERS * i + k] * x_dot[26 + k];
    }
    return result;
}

// the transpose, column by column of jvp's linear map
static tacResult vjp(const void* map, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    scmPoint at;
    tacResult result = evaluate(map, x, 2, &at);
    tacReal Kt[6] = {0}, Ct[6] = {0};
    for (int k = 0; k < 6; ++k)
        for (int i = 0; i < 6; ++i)
            Kt[k] += at.force.K[6 * i + k] * y_bar[i], Ct[k] += at.force.C[6 * i + k] * y_bar[i];
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k) {
        x_bar[26 + k] = 0.0;
        for (int i = 0; i < 6; ++i) x_bar[26 + k] += at.force.T[TAC_SCM_NUMBERS * i + k] * y_bar[i];
    }
    tacTwist nu = tac_twist_sub(at.v[1], at.v[0]);
    tacWrench xi[2] = {tac_wrench_scale(tac_wrench_load(Kt), -1.0), tac_wrench_load(Kt)};
    tacWrench rate = tac_wrench_load(Ct), none = tac_wrench_zero();
    tacTwist still = tac_twist_zero();
    tac_cross_motion_vjp(tac_twist_zero(), nu, tac_wrench_scale(rate, -1.0), &xi[0], &none);
    tac_cross_force_vjp(tac_twist_zero(), tac_wrench_load(at.force.wrench), tac_twist_load(y_bar),
                        &xi[0], &still);
    for (int i = 0; i < 2; ++i) {
        const tacPose* pose = &at.pair.pose[i];
        tacVec3 origin = tac_load3(at.pair.origin), r_bar = tac_vec3_zero();
        tacWrench own = tac_wrench_shift(xi[i], origin, pose->position), v_bar = tac_wrench_zero();
        tac_twist_shift_vjp(tac_twist_load(at.pair.twist[i]), pose->position, origin,
                            tac_wrench_scale(rate, i ? 1.0 : -1.0), &v_bar, &r_bar);
        tac_store3(x_bar + 7 * i, tac_sub(own.force, r_bar));
        tacQuat q = tac_quat_rate(pose->rotation, own.torque);
        tacReal s = 4.0 * tac_quat_inverse_norm2(pose->rotation);
        x_bar[7 * i + 3] = s * q.w, x_bar[7 * i + 4] = s * q.x;
        x_bar[7 * i + 5] = s * q.y, x_bar[7 * i + 6] = s * q.z;
        tac_wrench_store(x_bar + 14 + 6 * i, v_bar);
    }
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_scm_) = {value, jvp, vjp};
