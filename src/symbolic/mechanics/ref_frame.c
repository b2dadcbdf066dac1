// Reference frames: orientations and angular velocities.

#include "symbolic/mechanics/mechanism.h"

#include <string.h>

int tac_frame_check(tacMechanics* m, tacRefFrame frame) {
    if (m->graph->result != TAC_OK) return 0;
    if (frame >= 0 && frame < m->frame.count) return 1;
    tac_graph_fail(m->graph, TAC_ERROR_VALUE, "there is no frame %d; create it with tac_frame",
                   frame);
    return 0;
}

tacRefFrame tac_frame(tacMechanics* m, const char* name) {
    if (!m) return -1;
    tacGraph* g = m->graph;
    if (g->result != TAC_OK || !TAC_LIST_RESERVE(g, &m->frame) ||
        !TAC_LIST_RESERVE(g, &m->rotation))
        return -1;
    snprintf(m->frame.item[m->frame.count].text, sizeof(tacShortName), "%s", name ? name : "");
    m->rotation.item[m->rotation.count++] = (tacFrameRotation){.parent = -1};
    return m->frame.count++;
}

static exprVec unit_vector(tacGraph* g, int axis) {
    tacExpr one = tac_fraction(g, 1, 1), zero = tac_fraction(g, 0, 1);
    return (exprVec){axis == 0 ? one : zero, axis == 1 ? one : zero, axis == 2 ? one : zero};
}

tacVector tac_frame_axis(tacMechanics* m, tacRefFrame frame, int axis) {
    if (!m) return tac_vector_none();
    if (!tac_frame_check(m, frame)) return tac_vector_none();
    if (axis < 0 || axis > 2) {
        tac_graph_fail(m->graph, TAC_ERROR_VALUE, "frame %s has no axis %d: 0, 1 and 2 are x, y, z",
                       m->frame.item[frame].text, axis);
        return tac_vector_none();
    }
    return tac_vector_of(frame, unit_vector(m->graph, axis));
}

//---------------------------------- angular velocity -----------------------------

tacResult tac_frame_set_ang_vel(tacMechanics* m, tacRefFrame frame, tacRefFrame in,
                                tacVector velocity) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    const tacExpr parts[3] = {velocity.x, velocity.y, velocity.z};
    if (!tac_frame_check(m, frame) || !tac_frame_check(m, in)) return g->result;
    if (tac_graph_check(g, parts, 3, 0) != TAC_OK) return g->result;
    for (int i = 0; i < m->ang_vel.count; ++i) {
        tacMechanismEdge* e = &m->ang_vel.item[i];
        if ((e->from == in && e->to == frame) || (e->from == frame && e->to == in)) {
            *e = (tacMechanismEdge){in, frame, velocity};
            return TAC_OK;
        }
    }
    if (!TAC_LIST_RESERVE(g, &m->ang_vel)) return g->result;
    m->ang_vel.item[m->ang_vel.count++] = (tacMechanismEdge){in, frame, velocity};
    return TAC_OK;
}

tacVector tac_frame_ang_vel(tacMechanics* m, tacRefFrame frame, tacRefFrame in) {
    if (!m) return tac_vector_none();
    tacGraph* g = m->graph;
    tacTreeSearch s;
    tacVector out = tac_vector_none();
    if (!tac_frame_check(m, frame) || !tac_frame_check(m, in)) return out;
    if (!tac_tree_search_open(g, &s, m->ang_vel.item, m->ang_vel.count, m->frame.count, in))
        return out;
    if (tac_tree_search_reached(&s, frame))
        out = tac_tree_search_sum(m, &s, frame, frame);
    else
        tac_graph_fail(g, TAC_ERROR_VALUE,
                       "the angular velocity of frame %s in frame %s is not known: orient one of "
                       "them, or set it",
                       m->frame.item[frame].text, m->frame.item[in].text);
    tac_tree_search_close(g, &s);
    return out;
}

tacVector tac_frame_ang_acc(tacMechanics* m, tacRefFrame frame, tacRefFrame in) {
    return tac_vector_dt(m, tac_frame_ang_vel(m, frame, in), in);
}

//---------------------------------- orientation ----------------------------------

// orients a frame in its parent; `spin` is in the frame itself
static tacResult set_orientation(tacMechanics* m, tacRefFrame frame, tacRefFrame parent,
                                 const exprVec column[3], exprVec ang_vel) {
    tacGraph* g = m->graph;
    if (g->result != TAC_OK) return g->result;
    for (tacRefFrame at = parent; at >= 0; at = m->rotation.item[at].parent)
        if (at == frame) {
            tac_graph_fail(g, TAC_ERROR_VALUE, "frame %s would be oriented by itself (through %s)",
                           m->frame.item[frame].text, m->frame.item[parent].text);
            return g->result;
        }
    tacFrameRotation rotation = {.parent = parent};
    memcpy(rotation.column, column, sizeof rotation.column);
    m->rotation.item[frame] = rotation;
    return tac_frame_set_ang_vel(m, frame, parent, tac_vector_of(frame, ang_vel));
}

static exprVec rotated_by(tacGraph* g, exprVec axis, tacExpr angle, exprVec a) {
    return vec_to_rotated_axes(g, axis, tac_expr_mul(g, tac_fraction(g, -1, 1), angle), a);
}

tacResult tac_frame_orient_axis(tacMechanics* m, tacRefFrame frame, tacRefFrame parent,
                                tacVector axis, tacExpr angle) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (!tac_frame_check(m, frame) || !tac_frame_check(m, parent)) return g->result;
    if (tac_graph_check(g, &angle, 1, 0) != TAC_OK) return g->result;
    // an axis of the frame itself is the same one in the parent
    if (axis.frame == frame) axis.frame = parent;
    axis = tac_vector_express(m, tac_vector_normalize(m, axis), parent);
    if (axis.frame < 0) return g->result;
    exprVec along = tac_vector_components(axis), column[3];
    for (int i = 0; i < 3; ++i) column[i] = rotated_by(g, along, angle, unit_vector(g, i));
    return set_orientation(m, frame, parent, column, vec_scale(g, along, tac_dt(m, angle)));
}

// the three axes of "XYZ", "zxz", "313"; 0: it is not such a word
static int axes_of(const char* order, int axes[3]) {
    static const char words[] = "XYZxyz123";
    if (!order || strlen(order) != 3) return 0;
    for (int k = 0; k < 3; ++k) {
        const char* at = strchr(words, order[k]);
        if (!at) return 0;
        axes[k] = (int)(at - words) % 3;
    }
    return axes[0] != axes[1] && axes[1] != axes[2];
}

// R = R1 R2 R3, w = R3' R2' e1 a1' + R3' e2 a2' + e3 a3'
static tacResult orient_three(tacMechanics* m, tacRefFrame frame, tacRefFrame parent,
                              const tacExpr angles[3], const int axes[3]) {
    tacGraph* g = m->graph;
    exprVec column[3], ang_vel = vec_scale(g, unit_vector(g, 0), tac_fraction(g, 0, 1));
    for (int i = 0; i < 3; ++i) {
        column[i] = unit_vector(g, i);
        for (int k = 2; k >= 0; --k)
            column[i] = rotated_by(g, unit_vector(g, axes[k]), angles[k], column[i]);
    }
    for (int k = 0; k < 3; ++k) {
        if (k > 0) ang_vel = vec_to_rotated_axes(g, unit_vector(g, axes[k]), angles[k], ang_vel);
        ang_vel = vec_add(g, ang_vel, vec_scale(g, unit_vector(g, axes[k]), tac_dt(m, angles[k])));
    }
    return set_orientation(m, frame, parent, column, ang_vel);
}

static int orient_check(tacMechanics* m, tacRefFrame frame, tacRefFrame parent,
                        const tacExpr angles[3], const char* order, int axes[3]) {
    tacGraph* g = m->graph;
    if (!tac_frame_check(m, frame) || !tac_frame_check(m, parent)) return 0;
    if (tac_graph_check(g, angles, 3, 0) != TAC_OK) return 0;
    if (axes_of(order, axes)) return 1;
    tac_graph_fail(g, TAC_ERROR_VALUE,
                   "frame %s: the order \"%.20s\" must be three axes, neighbours different, such "
                   "as XYZ or 313",
                   m->frame.item[frame].text, order ? order : "");
    return 0;
}

tacResult tac_frame_orient_body(tacMechanics* m, tacRefFrame frame, tacRefFrame parent,
                                const tacExpr angles[3], const char* order) {
    if (!m) return TAC_ERROR_VALUE;
    int axes[3];
    if (!orient_check(m, frame, parent, angles, order, axes)) return m->graph->result;
    return orient_three(m, frame, parent, angles, axes);
}

// rotations about fixed axes are rotations about moving ones in the opposite order
tacResult tac_frame_orient_space(tacMechanics* m, tacRefFrame frame, tacRefFrame parent,
                                 const tacExpr angles[3], const char* order) {
    if (!m) return TAC_ERROR_VALUE;
    int axes[3];
    if (!orient_check(m, frame, parent, angles, order, axes)) return m->graph->result;
    const int back[3] = {axes[2], axes[1], axes[0]};
    const tacExpr turned[3] = {angles[2], angles[1], angles[0]};
    return orient_three(m, frame, parent, turned, back);
}

// a^2 + b^2 - c^2 - d^2: as SymPy has it, the same as 1 - 2 (c^2 + d^2) for length 1
static tacExpr signed_squares(tacGraph* g, tacExpr a, tacExpr b, tacExpr c, tacExpr d) {
    tacExpr two = tac_fraction(g, 2, 1);
    tacExpr more = tac_expr_add(g, tac_expr_pow(g, a, two), tac_expr_pow(g, b, two));
    tacExpr less = tac_expr_add(g, tac_expr_pow(g, c, two), tac_expr_pow(g, d, two));
    return tac_expr_sub(g, more, less);
}

// w = 2 (q0 q' - q0' q - q x q')
tacResult tac_frame_orient_quaternion(tacMechanics* m, tacRefFrame frame, tacRefFrame parent,
                                      const tacExpr quaternion[4]) {
    if (!m) return TAC_ERROR_VALUE;
    tacGraph* g = m->graph;
    if (!tac_frame_check(m, frame) || !tac_frame_check(m, parent)) return g->result;
    if (tac_graph_check(g, quaternion, 4, 0) != TAC_OK) return g->result;
    exprVec column[3], q = {quaternion[1], quaternion[2], quaternion[3]};
    exprVec rate = {tac_dt(m, q.x), tac_dt(m, q.y), tac_dt(m, q.z)};
    vec_unit_columns(g, quaternion, column);
    column[0].x = signed_squares(g, quaternion[0], q.x, q.y, q.z);
    column[1].y = signed_squares(g, quaternion[0], q.y, q.x, q.z);
    column[2].z = signed_squares(g, quaternion[0], q.z, q.x, q.y);
    exprVec ang_vel =
        vec_sub(g, vec_scale(g, rate, quaternion[0]), vec_scale(g, q, tac_dt(m, quaternion[0])));
    ang_vel = vec_scale(g, vec_sub(g, ang_vel, vec_cross(g, q, rate)), tac_fraction(g, 2, 1));
    return set_orientation(m, frame, parent, column, ang_vel);
}

tacResult tac_frame_dcm(tacMechanics* m, tacRefFrame frame, tacRefFrame other, tacExpr dcm[9]) {
    if (!m || !dcm) return TAC_ERROR_VALUE;
    for (int j = 0; j < 3; ++j) {
        tacVector axis = tac_vector_express(m, tac_frame_axis(m, other, j), frame);
        dcm[j] = axis.x;
        dcm[3 + j] = axis.y;
        dcm[6 + j] = axis.z;
    }
    return m->graph->result;
}
