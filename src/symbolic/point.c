// Points: where they are, and how fast they move.

#include "symbolic/mechanics.h"

int tac_point_check(tacMechanics* m, tacRefPoint point) {
    if (m->graph->result != TAC_OK) return 0;
    if (point >= 0 && point < m->point.count) return 1;
    tac_graph_fail(m->graph, TAC_ERROR_VALUE, "there is no point %d; make it by tac_point", point);
    return 0;
}

tacRefPoint tac_point(tacMechanics* m, const char* name) {
    if (!m) return -1;
    if (m->graph->result != TAC_OK || !TAC_LIST_ROOM(m->graph, &m->point)) return -1;
    snprintf(m->point.item[m->point.count].text, sizeof(tacShortName), "%s", name ? name : "");
    return m->point.count++;
}

//---------------------------------- positions ------------------------------------

static int usable(tacMechanics* m, tacVector a) {
    const tacExpr parts[3] = {a.x, a.y, a.z};
    return tac_graph_check(m->graph, parts, 3, 0) == TAC_OK;
}

tacResult tac_point_set_pos(tacMechanics* m, tacRefPoint point, tacRefPoint origin,
                            tacVector position) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (!tac_point_check(m, point) || !tac_point_check(m, origin) || !usable(m, position))
        return g->result;
    for (int i = 0; i < m->position.count; ++i) {
        tacEdge* e = &m->position.item[i];
        if ((e->from == origin && e->to == point) || (e->from == point && e->to == origin)) {
            *e = (tacEdge){origin, point, position};
            return TAC_OK;
        }
    }
    if (!TAC_LIST_ROOM(g, &m->position)) return g->result;
    m->position.item[m->position.count++] = (tacEdge){origin, point, position};
    return TAC_OK;
}

tacRefPoint tac_point_locate(tacMechanics* m, const char* name, tacRefPoint origin,
                             tacVector position) {
    tacRefPoint point = tac_point(m, name);
    return point >= 0 && tac_point_set_pos(m, point, origin, position) == TAC_OK ? point : -1;
}

tacVector tac_point_pos_from(tacMechanics* m, tacRefPoint point, tacRefPoint origin) {
    if (!m) return tac_vector_none();
    tacSearch s;
    tacVector out = tac_vector_none();
    tacGraph* g = m->graph;
    if (!tac_point_check(m, point) || !tac_point_check(m, origin)) return out;
    if (!tac_search_open(g, &s, m->position.item, m->position.count, m->point.count, origin))
        return out;
    if (tac_search_met(&s, point))
        out = tac_search_way(m, &s, point, m->frame.count > 0 ? 0 : -1);
    else
        tac_graph_fail(g, TAC_ERROR_VALUE, "the way from point %s to point %s is not known",
                       m->point.item[origin].text, m->point.item[point].text);
    tac_search_close(g, &s);
    return out;
}

//---------------------------------- velocities -----------------------------------

static tacPointSpeed* find_speed(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    for (int i = 0; i < m->speed.count; ++i)
        if (m->speed.item[i].point == point && m->speed.item[i].frame == frame)
            return &m->speed.item[i];
    return NULL;
}

tacResult tac_point_set_vel(tacMechanics* m, tacRefPoint point, tacRefFrame frame,
                            tacVector velocity) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (!tac_point_check(m, point) || !tac_frame_check(m, frame) || !usable(m, velocity))
        return g->result;
    tacPointSpeed* known = find_speed(m, point, frame);
    if (!known) {
        if (!TAC_LIST_ROOM(g, &m->speed)) return g->result;
        known = &m->speed.item[m->speed.count++];
    }
    *known = (tacPointSpeed){point, frame, velocity};
    return TAC_OK;
}

// the nearest point whose velocity was set, or -1
static tacRefPoint nearest_known(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    tacSearch s;
    tacRefPoint found = -1;
    if (!tac_search_open(m->graph, &s, m->position.item, m->position.count, m->point.count, point))
        return -1;
    for (int k = 0; k < s.met && found < 0; ++k)
        if (find_speed(m, s.queue[k], frame)) found = s.queue[k];
    tac_search_close(m->graph, &s);
    return found;
}

tacVector tac_point_vel(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    if (!m) return tac_vector_none();
    if (!tac_point_check(m, point) || !tac_frame_check(m, frame)) return tac_vector_none();
    tacRefPoint from = nearest_known(m, point, frame);
    if (from < 0) {
        tac_graph_fail(m->graph, TAC_ERROR_VALUE,
                       "the velocity of point %s in frame %s is not known: set it, or that of a "
                       "point it is placed from",
                       m->point.item[point].text, m->frame.item[frame].text);
        return tac_vector_none();
    }
    tacVector known = find_speed(m, from, frame)->velocity;
    if (from == point) return known;
    tacVector way = tac_vector_dt(m, tac_point_pos_from(m, point, from), frame);
    return tac_vector_add(m, way, known);
}

tacVector tac_point_acc(tacMechanics* m, tacRefPoint point, tacRefFrame frame) {
    return tac_vector_dt(m, tac_point_vel(m, point, frame), frame);
}

// v(other) + w x r, in the axes of r
static tacVector carried(tacMechanics* m, tacRefPoint point, tacRefPoint other, tacRefFrame frame,
                         tacRefFrame inner) {
    tacVector way = tac_point_pos_from(m, point, other);
    tacVector turn = tac_vector_cross(m, tac_frame_ang_vel(m, inner, frame), way);
    return tac_vector_add(m, turn, tac_point_vel(m, other, frame));
}

tacVector tac_point_v2pt_theory(tacMechanics* m, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame fixed) {
    tacVector v = carried(m, point, other, frame, fixed);
    return tac_point_set_vel(m, point, frame, v) == TAC_OK ? v : tac_vector_none();
}

tacVector tac_point_v1pt_theory(tacMechanics* m, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame inner) {
    if (!m) return tac_vector_none();
    tacPointSpeed* known = find_speed(m, point, inner);
    tacVector own =
        known ? known->velocity : tac_vector_dt(m, tac_point_pos_from(m, point, other), inner);
    tacVector v = tac_vector_add(m, carried(m, point, other, frame, inner), own);
    return tac_point_set_vel(m, point, frame, v) == TAC_OK ? v : tac_vector_none();
}
