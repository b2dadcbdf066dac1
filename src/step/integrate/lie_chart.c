// The chart of rotations, and its derivatives.

#include "step/integrate/lie_chart.h"

#include "math/quat.h"

int tac_is_rk4(const tacModel* model) {
    return model->integrator == TAC_INTEGRATOR_RK4 || model->integrator == TAC_INTEGRATOR_LIE;
}

//---------------------------------- one rotation ---------------------------------

// c and its slope: the series sum |B_2k| x^(k-1)/(2k)! near 0, the formula elsewhere
static void dexp_inv_factor(tacReal x, tacReal* c, tacReal* slope) {
    static const double series[] = {
        1.0 / 12.0,
        1.0 / 720.0,
        1.0 / 30240.0,
        1.0 / 1209600.0,
        1.0 / 47900160.0,
        691.0 / 1307674368000.0,
        1.0 / 74724249600.0,
        3617.0 / 10670622842880000.0,
        43867.0 / 5109094217170944000.0,
        174611.0 / 802857662698291200000.0,
    };
    if (tac_re(x) < 0.25) {
        *c = *slope = 0.0;
        for (int k = 9; k >= 0; --k) {
            *slope = *slope * x + *c;
            *c = *c * x + series[k];
        }
        return;
    }
    tacReal angle = r_sqrt(x), half = 0.5 * angle, s = r_sin(half), cot = r_cos(half) / s;
    *c = (1.0 - half * cot) / x;
    // d(half cot)/dx = (cot - half/s^2)/(4 angle)
    *slope = (-0.25 * (cot - half / (s * s)) / angle - *c) / x;
}

static tacVec3 dexp_inv(tacVec3 u, tacVec3 v) {
    tacReal c, slope;
    dexp_inv_factor(tac_norm2(u), &c, &slope);
    tacVec3 w = tac_cross(u, v);
    return tac_add_scaled(tac_add_scaled(v, 0.5, w), c, tac_cross(u, w));
}

static tacVec3 dexp_inv_by_u(tacVec3 u, tacVec3 v, tacVec3 u_dot) {
    tacReal c, slope;
    dexp_inv_factor(tac_norm2(u), &c, &slope);
    tacVec3 w = tac_cross(u, v), w_dot = tac_cross(u_dot, v);
    tacVec3 d = tac_scale(w_dot, 0.5);
    d = tac_add_scaled(d, c, tac_add(tac_cross(u_dot, w), tac_cross(u, w_dot)));
    return tac_add_scaled(d, 2.0 * slope * tac_dot(u, u_dot), tac_cross(u, w));
}

// the transpose of dexp_inv by v is dexp_inv at -u
static tacVec3 dexp_inv_by_v_bar(tacVec3 u, tacVec3 bar) { return dexp_inv(tac_neg(u), bar); }

// the transpose of dexp_inv_by_u: row by row
static tacVec3 dexp_inv_by_u_bar(tacVec3 u, tacVec3 v, tacVec3 bar) {
    const tacVec3 unit[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    return (tacVec3){tac_dot(bar, dexp_inv_by_u(u, v, unit[0])),
                     tac_dot(bar, dexp_inv_by_u(u, v, unit[1])),
                     tac_dot(bar, dexp_inv_by_u(u, v, unit[2]))};
}

//---------------------------------- all joints -----------------------------------

// first of a joint's three rotational degrees of freedom, or -1
static int rotation_dof(const tacJoint* j) {
    return j->axis >= 0 ? -1 : j->kind == TAC_JOINT_FREE ? j->dof + 3 : j->dof;
}

static tacVec3 lane_vec3(const tacReal* x, int at, int lane, int lanes) {
    return (tacVec3){x[at * lanes + lane], x[(at + 1) * lanes + lane], x[(at + 2) * lanes + lane]};
}

void tac_lie_chart_rate(const tacModel* model, int lanes, tacChartPoint at, tacReal* k) {
    for (int i = 0; i < model->nv * lanes; ++i) k[i] = at.v[i];
    for (int i = 0; i < model->njoint && at.prev_rate; ++i) {
        int first = rotation_dof(&model->joint[i]);
        for (int lane = 0; lane < lanes && first >= 0; ++lane) {
            tacVec3 u = tac_scale(lane_vec3(at.prev_rate, first, lane, lanes), at.h);
            tacVec3 w = dexp_inv(u, lane_vec3(at.v, first, lane, lanes));
            k[first * lanes + lane] = w.x;
            k[(first + 1) * lanes + lane] = w.y;
            k[(first + 2) * lanes + lane] = w.z;
        }
    }
}

void tac_lie_chart_rate_jvp(const tacModel* model, tacChartPoint at, const tacReal* u_dot,
                            const tacReal* v_dot, tacReal* k_dot) {
    for (int i = 0; i < model->nv; ++i) k_dot[i] = v_dot[i];
    for (int i = 0; i < model->njoint && at.prev_rate; ++i) {
        int first = rotation_dof(&model->joint[i]);
        if (first < 0) continue;
        tacVec3 u = tac_scale(tac_load3(at.prev_rate + first), at.h);
        tacVec3 d = dexp_inv_by_u(u, tac_load3(at.v + first), tac_load3(u_dot + first));
        tac_store3(k_dot + first, tac_add(d, dexp_inv(u, tac_load3(v_dot + first))));
    }
}

void tac_lie_chart_rate_vjp(const tacModel* model, tacChartPoint at, const tacReal* k_bar,
                            tacReal* u_bar, tacReal* v_bar) {
    for (int k = 0; k < model->nv; ++k) {
        const tacJoint* j = &model->joint[model->dof[k].joint];
        int first = rotation_dof(j);
        if (!at.prev_rate || first < 0 || k < first) {
            v_bar[k] += k_bar[k];
        } else if (k == first) {
            tacVec3 u = tac_scale(tac_load3(at.prev_rate + first), at.h),
                    bar = tac_load3(k_bar + first);
            tacVec3 by_u = dexp_inv_by_u_bar(u, tac_load3(at.v + first), bar);
            tac_store3(v_bar + first, tac_add(tac_load3(v_bar + first), dexp_inv_by_v_bar(u, bar)));
            tac_store3(u_bar + first, tac_add(tac_load3(u_bar + first), by_u));
        }
    }
}

void tac_lie_chart_rate_rows(const tacModel* model, tacChartPoint at, const tacReal* V, int columns,
                             tacReal* K) {
    for (int i = 0; i < model->njoint; ++i) {
        const tacJoint* j = &model->joint[i];
        int first = rotation_dof(j), end = first < 0 ? j->dof + 1 : first;
        for (int k = j->dof * columns; k < end * columns; ++k) K[k] = V[k];
        if (first < 0) continue;
        tacVec3 u = tac_scale(tac_load3(at.prev_rate + first), at.h),
                rate = tac_load3(at.v + first);
        for (int c = 0; c < columns; ++c) {
            tacVec3 u_dot = tac_scale(lane_vec3(K, first, c, columns), at.h);
            tacVec3 d = dexp_inv(u, lane_vec3(V, first, c, columns));
            d = tac_add(d, dexp_inv_by_u(u, rate, u_dot));
            K[first * columns + c] = d.x;
            K[(first + 1) * columns + c] = d.y;
            K[(first + 2) * columns + c] = d.z;
        }
    }
}
