// Particles, rigid bodies, loads on them, and their energies.

#include "symbolic/mechanics/mechanism.h"

static int add_body(tacMechanics* m, const char* name, tacRigidBody body) {
    if (!TAC_LIST_RESERVE(m->graph, &m->body)) return -1;
    snprintf(body.name.text, sizeof body.name.text, "%s", name ? name : "");
    body.potential = tac_fraction(m->graph, 0, 1);
    m->body.item[m->body.count] = body;
    return m->graph->result == TAC_OK ? m->body.count++ : -1;
}

int tac_particle(tacMechanics* m, const char* name, tacRefPoint point, tacExpr mass) {
    if (!m) return -1;
    if (!tac_point_check(m, point) || tac_graph_check(m->graph, &mass, 1, 0) != TAC_OK) return -1;
    return add_body(m, name, (tacRigidBody){.point = point, .frame = -1, .mass = mass});
}

// about the centre of mass: I - m (r.r 1 - r r)
static tacDyadic central_inertia(tacMechanics* m, tacDyadic inertia, tacExpr mass, tacVector r) {
    tacGraph* g = m->graph;
    if (tac_vector_is_zero(m, r)) return inertia;
    tacExpr square = tac_vector_dot(m, r, r), zero = tac_fraction(g, 0, 1);
    tacDyadic all = tac_inertia(m, r.frame, square, square, square, zero, zero, zero);
    tacDyadic away = tac_dyadic_outer(m, r, r);
    tacDyadic shift = tac_dyadic_add(m, all, tac_dyadic_scale(m, tac_fraction(g, -1, 1), away));
    tacExpr minus = tac_expr_mul(g, tac_fraction(g, -1, 1), mass);
    return tac_dyadic_add(m, inertia, tac_dyadic_scale(m, minus, shift));
}

int tac_rigid_body(tacMechanics* m, const char* name, tacRefPoint masscenter, tacRefFrame frame,
                   tacExpr mass, tacDyadic inertia, tacRefPoint about) {
    if (!m) return -1;
    tacGraph* g = m->graph;
    if (!tac_point_check(m, masscenter) || !tac_point_check(m, about) ||
        !tac_frame_check(m, frame) || tac_graph_check(g, &mass, 1, 0) != TAC_OK ||
        tac_graph_check(g, inertia.c, 9, 0) != TAC_OK)
        return -1;
    if (about != masscenter) {
        tacVector r = tac_point_pos_from(m, masscenter, about);
        if (g->result != TAC_OK) return -1;
        inertia = central_inertia(m, inertia, mass, r);
    }
    if (g->result != TAC_OK) return -1;
    return add_body(
        m, name,
        (tacRigidBody){.point = masscenter, .frame = frame, .mass = mass, .inertia = inertia});
}

tacResult tac_set_potential_energy(tacMechanics* m, int body, tacExpr energy) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (tac_graph_check(g, &energy, 1, 0) != TAC_OK) return g->result;
    if (body < 0 || body >= m->body.count) {
        tac_graph_fail(g, TAC_ERROR_VALUE, "there is no body %d", body);
        return g->result;
    }
    m->body.item[body].potential = energy;
    return TAC_OK;
}

//---------------------------------- loads ----------------------------------------

static tacResult add_load(tacMechanics* m, tacAppliedLoad load) {
    tacGraph* g = m->graph;
    const tacExpr parts[3] = {load.load.x, load.load.y, load.load.z};
    if (tac_graph_check(g, parts, 3, 0) != TAC_OK || !TAC_LIST_RESERVE(g, &m->load))
        return g->result;
    m->load.item[m->load.count++] = load;
    return TAC_OK;
}

tacResult tac_apply_force(tacMechanics* m, tacRefPoint point, tacVector force) {
    if (!m) return TAC_ERROR_VALUE;
    if (!tac_point_check(m, point)) return m->graph->result;
    return add_load(m, (tacAppliedLoad){point, 0, force});
}

tacResult tac_apply_torque(tacMechanics* m, tacRefFrame frame, tacVector torque) {
    if (!m) return TAC_ERROR_VALUE;
    if (!tac_frame_check(m, frame)) return m->graph->result;
    return add_load(m, (tacAppliedLoad){frame, 1, torque});
}

//---------------------------------- energies -------------------------------------

// m v.v/2 + w.I.w/2
static tacExpr body_energy(tacMechanics* m, const tacRigidBody* b, tacRefFrame frame) {
    tacGraph* g = m->graph;
    tacVector v = tac_point_vel(m, b->point, frame);
    tacExpr sum = tac_expr_mul(g, b->mass, tac_vector_dot(m, v, v));
    if (b->frame >= 0) {
        tacVector w = tac_frame_ang_vel(m, b->frame, frame);
        sum = tac_expr_add(g, sum, tac_vector_dot(m, tac_dyadic_dot(m, b->inertia, w), w));
    }
    return tac_expr_mul(g, tac_fraction(g, 1, 2), sum);
}

tacExpr tac_mechanics_kinetic_energy(tacMechanics* m, tacRefFrame frame) {
    if (!m) return TAC_EXPR_NONE;
    tacExpr sum = tac_fraction(m->graph, 0, 1);
    for (int i = 0; i < m->body.count && sum >= 0; ++i)
        sum = tac_expr_add(m->graph, sum, body_energy(m, &m->body.item[i], frame));
    return sum;
}

tacExpr tac_lagrangian(tacMechanics* m, tacRefFrame frame) {
    if (!m) return TAC_EXPR_NONE;
    tacExpr sum = tac_mechanics_kinetic_energy(m, frame);
    for (int i = 0; i < m->body.count && sum >= 0; ++i)
        sum = tac_expr_sub(m->graph, sum, m->body.item[i].potential);
    return sum;
}
