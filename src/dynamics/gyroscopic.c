// The gyroscopic torque of free bodies, linearly implicit (docs/contact.md, eq. 11).
//
//   L = I w,  alpha = B^-1 (L x w),  B = I + h/2 (theta [w] I - [L]),  theta = 1/(1 + (h |w|)^8)
//   couple = I alpha - L x w
//
// With theta = 1 that is Kahan's step (1993) of a quadratic equation, which of Euler's top neither
// gains nor loses (Hirota and Kimura 2000); the explicit one gains e^(h w^2 t). Where a body
// rotates by a radian in a step B could lose its inverse: with theta = 0 it has one at any speed,
// as x.Bx = x.Ix, and energy is conserved.
//
// All in body axes, w the velocities of the joint, I about the centre of mass. Bodies that carry
// others are left as they are.

#include "dynamics/gyroscopic.h"

#include "math/dense.h"
#include "math/vec3.h"

//---------------------------------- bodies ---------------------------------------

// bodies come after their parents
static int has_no_children(const tacModel* model, int body) {
    return body + 1 == model->nbody || model->body[body + 1].root != body;
}

static int is_single_free_body(const tacModel* model, const tacJoint* j) {
    return j->kind == TAC_JOINT_FREE && model->body[j->body].joints == 1 &&
           has_no_children(model, j->body);
}

// xx yy zz xy xz yz
static tacMat3 load_inertia(const tacReal* K) {
    return (tacMat3){{{K[0], K[3], K[4]}, {K[3], K[1], K[5]}, {K[4], K[5], K[2]}}};
}

//---------------------------------- couple ---------------------------------------

typedef struct gyroBody {
    tacMat3 I, B;
    tacVec3 w, L, alpha, A; // A = I alpha
    tacReal h, s, theta;    // s = (h |w|)^2
    int at;                 // its first turning degree of freedom
    int inertia;
} gyroBody;

// B^-1 x, by the adjugate
static tacVec3 solve3(tacMat3 B, tacVec3 x) {
    return tac_scale(tac_mat_mul_vec(tac_mat_adjugate(B), x), 1.0 / tac_mat_det(B));
}

static gyroBody gyro_body(const tacModel* model, const tacMotion* m, const tacJoint* j) {
    gyroBody t = {.at = j->dof + 3, .inertia = model->body[j->body].inertia};
    t.h = model->param[model->timestep];
    t.I = load_inertia(model->param + t.inertia);
    t.w = tac_load3(m->qvel + t.at);
    t.L = tac_mat_mul_vec(t.I, t.w);
    t.s = t.h * t.h * tac_norm2(t.w);
    t.theta = 1.0 / (1.0 + t.s * t.s * t.s * t.s);
    t.B = tac_mat_add_scaled(t.I, 0.5 * t.h * t.theta, tac_mat_mul(tac_skew(t.w), t.I));
    t.B = tac_mat_add_scaled(t.B, -0.5 * t.h, tac_skew(t.L));
    t.alpha = solve3(t.B, tac_cross(t.L, t.w));
    t.A = tac_mat_mul_vec(t.I, t.alpha);
    return t;
}

void tac_gyroscopic_eval(const tacModel* model, const tacMotion* m, tacReal* tau) {
    for (int i = 0; i < model->njoint; ++i) {
        if (!is_single_free_body(model, &model->joint[i])) continue;
        gyroBody t = gyro_body(model, m, &model->joint[i]);
        tacVec3 couple = tac_sub(t.A, tac_cross(t.L, t.w));
        tac_store3(tau + t.at, tac_add(tac_load3(tau + t.at), couple));
    }
}

//---------------------------------- derivatives ----------------------------------

// of c . couple
typedef struct gyroSlope {
    tacVec3 w;
    tacReal I[6], h;
} gyroSlope;

// With u = B^-T I c and p = u - c the derivative is that of
//   -p.I alpha + p.(L x w) - h/2 (theta u.(w x I alpha) - u.(L x alpha))  at alpha, u, p held.
static gyroSlope gyro_gradient(const gyroBody* t, tacVec3 c) {
    tacVec3 u = solve3(tac_mat_transpose(t->B), tac_mat_mul_vec(t->I, c)), p = tac_sub(u, c);
    tacReal half = 0.5 * t->h, damped = tac_dot(u, tac_cross(t->w, t->A));
    tacVec3 by_L = tac_add_scaled(tac_cross(t->w, p), half, tac_cross(t->alpha, u));
    tacVec3 by_A = tac_neg(tac_add_scaled(p, half * t->theta, tac_cross(u, t->w)));
    tacReal by_s = half * damped * 4.0 * t->s * t->s * t->s * t->theta * t->theta;
    gyroSlope r = {.w = tac_add(tac_cross(p, t->L), tac_mat_mul_vec(t->I, by_L))};
    r.w = tac_add_scaled(r.w, -half * t->theta, tac_cross(t->A, u));
    r.w = tac_add_scaled(r.w, 2.0 * t->h * t->h * by_s, t->w);
    r.h = -0.5 * (t->theta * damped - tac_dot(u, tac_cross(t->L, t->alpha)));
    r.h += 2.0 * t->h * tac_norm2(t->w) * by_s;
    tacMat3 K = tac_mat_add(tac_outer(by_L, t->w), tac_outer(by_A, t->alpha));
    for (int k = 0; k < 3; ++k) r.I[k] = K.m[k][k];
    r.I[3] = K.m[0][1] + K.m[1][0];
    r.I[4] = K.m[0][2] + K.m[2][0];
    r.I[5] = K.m[1][2] + K.m[2][1];
    return r;
}

static tacVec3 unit_axis(int k) { return tac_vec3(k == 0, k == 1, k == 2); }

void tac_gyroscopic_jvp(const tacModel* model, const tacMotion* m, const tacMotionDot* dot,
                        tacReal* tau_dot) {
    for (int i = 0; i < model->njoint; ++i) {
        if (!is_single_free_body(model, &model->joint[i])) continue;
        gyroBody t = gyro_body(model, m, &model->joint[i]);
        for (int k = 0; k < 3; ++k) {
            gyroSlope r = gyro_gradient(&t, unit_axis(k));
            if (dot->dv) tau_dot[t.at + k] += tac_dot(r.w, tac_load3(dot->dv + t.at));
            if (!dot->theta) continue;
            tau_dot[t.at + k] += r.h * dot->theta[model->timestep];
            for (int n = 0; n < 6; ++n) tau_dot[t.at + k] += r.I[n] * dot->theta[t.inertia + n];
        }
    }
}

void tac_gyroscopic_vjp(const tacModel* model, const tacMotion* m, const tacReal* tau_bar,
                        tacMotionDot* bar) {
    for (int i = 0; i < model->njoint; ++i) {
        if (!is_single_free_body(model, &model->joint[i])) continue;
        gyroBody t = gyro_body(model, m, &model->joint[i]);
        gyroSlope r = gyro_gradient(&t, tac_load3(tau_bar + t.at));
        if (bar->dv) tac_store3(bar->dv + t.at, tac_add(tac_load3(bar->dv + t.at), r.w));
        if (!bar->theta) continue;
        bar->theta[model->timestep] += r.h;
        for (int n = 0; n < 6; ++n) bar->theta[t.inertia + n] += r.I[n];
    }
}

void tac_gyroscopic_jacobian(const tacModel* model, const tacMotion* m, tacReal* by_v, int stride) {
    for (int i = 0; i < model->njoint; ++i) {
        if (!is_single_free_body(model, &model->joint[i])) continue;
        gyroBody t = gyro_body(model, m, &model->joint[i]);
        for (int k = 0; k < 3; ++k) {
            tacReal* row = by_v + (size_t)(t.at + k) * (size_t)stride + (size_t)t.at;
            tac_store3(row, tac_add(tac_load3(row), gyro_gradient(&t, unit_axis(k)).w));
        }
    }
}
