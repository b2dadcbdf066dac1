// Points: positions and velocities.

#include "symbolic/mechanics/mechanism.h"

int tac_point_check(tacMechanics* m, tacRefPoint point) {
    if (m->graph->result != TAC_OK) return 0;
    if (point >= 0 && point < m->point.count) return 1;
    tac_graph_fail(m->graph, TAC_ERROR_VALUE, "there is no point %d; create it with tac_point",
                   point);
    return 0;
}

tacRefPoint tac_point(tacMechanics* m, const char* name) {
    if (!m) return -1;
    if (m->graph->result != TAC_OK || !TAC_LIST_RESERVE(m->graph, &m->point)) return -1;
    snprintf(m->point.item[m->point.count].text, sizeof(tacShortName), "%s", name ? name : "");
    return m->point.count++;
}

//---------------------------------- positions ------------------------------------

static int is_valid_vector(tacMechanics* m, tacVector a) {
    const tacExpr parts[3] = {a.x, a.y, a.z};
    return tac_graph_check(m->graph, parts, 3, 0) == TAC_OK;
}

tacResult tac_point_set_pos(tacMechanics* m, tacRefPoint point, tacRefPoint origin,
                            tacVector position) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (!tac_point_check(m, point) || !tac_point_check(m, origin) || !is_valid_vector(m, position))
        return g->result;
    for (int i = 0; i < m->position.count; ++i) {
        tacMechanismEdge* e = &m->position.item[i];
        if ((e->from == origin && e->to == point) || (e->from == point && e->to == origin)) {
            *e = (tacMechanismEdge){origin, point, position};
            return TAC_OK;
        }
    }
    if (!TAC_LIST_RESERVE(g, &m->position)) return g->result;
    m->position.item[m->position.count++] = (tacMechanismEdge){origin, point, position};
    return TAC_OK;
}

tacRefPoint tac_point_locate(tacMechanics* m, const char* name, tacRefPoint origin,
                             tacVector position) {
    tacRefPoint point = tac_point(m, name);
    return point >= 0 && tac_point_set_pos(m, point, origin, position) == TAC_OK ? point : -1;
}

tacVector tac_point_pos_from(tacMechanics* m, tacRefPoint point, tacRefPoint origin) {
    if (!m) return tac_vector_none();
    tacTreeSearch s;
    tacVector out = tac_vector_none();
    tacGraph* g = m->graph;
    if (!tac_point_check(m, point) || !tac_point_check(m, origin)) return out;
    if (!tac_tree_search_open(g, &s, m->position.item, m->position.count, m->point.count, origin))
        return out;
    if (tac_tree_search_reached(&s, point))
        out = tac_tree_search_sum(m, &s, point, m->frame.count > 0 ? 0 : -1);
    else
        tac_graph_fail(g, TAC_ERROR_VALUE, "the vector from point %s to point %s is not known",
                       m->point.item[origin].text, m->point.item[point].text);
    tac_tree_search_close(g, &s);
    return out;
}

//---------------------------------- velocities -----------------------------------

static tacPointVelocity* find_velocity(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    for (int i = 0; i < m->point_velocity.count; ++i)
        if (m->point_velocity.item[i].point == point && m->point_velocity.item[i].frame == frame)
            return &m->point_velocity.item[i];
    return NULL;
}

tacResult tac_point_set_vel(tacMechanics* m, tacRefPoint point, tacRefFrame frame,
                            tacVector velocity) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (!tac_point_check(m, point) || !tac_frame_check(m, frame) || !is_valid_vector(m, velocity))
        return g->result;
    tacPointVelocity* known = find_velocity(m, point, frame);
    if (!known) {
        if (!TAC_LIST_RESERVE(g, &m->point_velocity)) return g->result;
        known = &m->point_velocity.item[m->point_velocity.count++];
    }
    *known = (tacPointVelocity){point, frame, velocity};
    return TAC_OK;
}

// the nearest point whose velocity was set, or -1
static tacRefPoint nearest_known(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    tacTreeSearch s;
    tacRefPoint found = -1;
    if (!tac_tree_search_open(m->graph, &s, m->position.item, m->position.count, m->point.count,
                              point))
        return -1;
    for (int k = 0; k < s.reached && found < 0; ++k)
        if (find_velocity(m, s.queue[k], frame)) found = s.queue[k];
    tac_tree_search_close(m->graph, &s);
    return found;
}

tacVector tac_point_vel(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    if (!m) return tac_vector_none();
    if (!tac_point_check(m, point) || !tac_frame_check(m, frame)) return tac_vector_none();
    tacRefPoint from = nearest_known(m, point, frame);
    if (from < 0) {
        tac_graph_fail(m->graph, TAC_ERROR_VALUE,
                       "the velocity of point %s in frame %s is not known: set it, or that of a "
                       "point that locates it",
                       m->point.item[point].text, m->frame.item[frame].text);
        return tac_vector_none();
    }
    tacVector known = find_velocity(m, from, frame)->velocity;
    if (from == point) return known;
    tacVector relative = tac_vector_dt(m, tac_point_pos_from(m, point, from), frame);
    return tac_vector_add(m, relative, known);
}

tacVector tac_point_acc(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    return tac_vector_dt(m, tac_point_vel(m, point, frame), frame);
}

// v(other) + w x r, in the frame of r
static tacVector rigid_velocity(tacMechanics* m, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame inner) {
    tacVector relative = tac_point_pos_from(m, point, other);
    tacVector rotational = tac_vector_cross(m, tac_frame_ang_vel(m, inner, frame), relative);
    return tac_vector_add(m, rotational, tac_point_vel(m, other, frame));
}

tacVector tac_point_v2pt_theory(tacMechanics* m, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame fixed) {
    tacVector v = rigid_velocity(m, point, other, frame, fixed);
    return tac_point_set_vel(m, point, frame, v) == TAC_OK ? v : tac_vector_none();
}

tacVector tac_point_v1pt_theory(tacMechanics* m, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame inner) {
    if (!m) return tac_vector_none();
    tacPointVelocity* known = find_velocity(m, point, inner);
    tacVector own =
        known ? known->velocity : tac_vector_dt(m, tac_point_pos_from(m, point, other), inner);
    tacVector v = tac_vector_add(m, rigid_velocity(m, point, other, frame, inner), own);
    return tac_point_set_vel(m, point, frame, v) == TAC_OK ? v : tac_vector_none();
}
