// Vectors and dyadics of a mechanism.

#include "symbolic/mechanics/mechanism.h"

tacVector tac_vector_none(void) {
    return (tacVector){-1, TAC_EXPR_NONE, TAC_EXPR_NONE, TAC_EXPR_NONE};
}

static tacDyadic dyadic_none(void) {
    tacDyadic out = {.frame = -1};
    for (int i = 0; i < 9; ++i) out.c[i] = TAC_EXPR_NONE;
    return out;
}

tacVector tac_vector_zero(tacMechanics* m, tacRefFrame frame) {
    tacExpr zero = tac_fraction(m->graph, 0, 1);
    return (tacVector){frame, zero, zero, zero};
}

static int is_zero(const tacGraph* g, tacExpr e) {
    return tac_graph_has(g, e) && tac_expr_is_number(g, e) && tac_expr_number(g, e).value == 0.0;
}

int tac_vector_is_zero(const tacMechanics* m, tacVector a) {
    const tacGraph* g = m->graph;
    return is_zero(g, a.x) && is_zero(g, a.y) && is_zero(g, a.z);
}

// 1 if the components are expressions; the frame of 0 does not matter
static int is_valid_vector(tacMechanics* m, tacVector a) {
    const tacExpr parts[3] = {a.x, a.y, a.z};
    if (!m || tac_graph_check(m->graph, parts, 3, 0) != TAC_OK) return 0;
    return tac_vector_is_zero(m, a) || tac_frame_check(m, a.frame);
}

//---------------------------------- other frames ---------------------------------

static int depth_of(const tacMechanics* m, tacRefFrame frame) {
    int depth = 0;
    while ((frame = m->rotation.item[frame].parent) >= 0) ++depth;
    return depth;
}

// the lowest common ancestor of both frames, or -1
static tacRefFrame common_frame(const tacMechanics* m, tacRefFrame a, tacRefFrame b) {
    int high = depth_of(m, a), low = depth_of(m, b);
    for (; high > low; --high) a = m->rotation.item[a].parent;
    for (; low > high; --low) b = m->rotation.item[b].parent;
    while (a != b) {
        a = m->rotation.item[a].parent;
        b = m->rotation.item[b].parent;
    }
    return a;
}

// components in a descendant frame: rotations are applied from the top
static exprVec to_descendant_axes(tacMechanics* m, exprVec a, tacRefFrame top, tacRefFrame frame) {
    for (int steps = depth_of(m, frame) - depth_of(m, top); steps > 0; --steps) {
        tacRefFrame at = frame;
        for (int k = 1; k < steps; ++k) at = m->rotation.item[at].parent;
        a = vec_to_axes(m->graph, m->rotation.item[at].column, a);
    }
    return a;
}

tacVector tac_vector_express(tacMechanics* m, tacVector a, tacRefFrame frame) {
    if (!is_valid_vector(m, a) || !tac_frame_check(m, frame)) return tac_vector_none();
    if (tac_vector_is_zero(m, a) || a.frame == frame)
        return tac_vector_of(frame, tac_vector_components(a));
    tacRefFrame top = common_frame(m, a.frame, frame);
    if (top < 0) {
        tac_graph_fail(m->graph, TAC_ERROR_VALUE,
                       "frames %s and %s are not oriented relative to each other",
                       m->frame.item[a.frame].text, m->frame.item[frame].text);
        return tac_vector_none();
    }
    exprVec parts = tac_vector_components(a);
    for (tacRefFrame at = a.frame; at != top; at = m->rotation.item[at].parent)
        parts = vec_from_axes(m->graph, m->rotation.item[at].column, parts);
    return tac_vector_of(frame, to_descendant_axes(m, parts, top, frame));
}

//---------------------------------- vectors --------------------------------------

tacVector tac_vector_add(tacMechanics* m, tacVector a, tacVector b) {
    if (!is_valid_vector(m, a) || !is_valid_vector(m, b)) return tac_vector_none();
    if (tac_vector_is_zero(m, a)) return b;
    if (tac_vector_is_zero(m, b)) return a;
    b = tac_vector_express(m, b, a.frame);
    if (b.frame < 0) return b;
    return tac_vector_of(a.frame,
                         vec_add(m->graph, tac_vector_components(a), tac_vector_components(b)));
}

tacVector tac_vector_scale(tacMechanics* m, tacExpr factor, tacVector a) {
    if (!is_valid_vector(m, a) || tac_graph_check(m->graph, &factor, 1, 0) != TAC_OK)
        return tac_vector_none();
    return tac_vector_of(a.frame, vec_scale(m->graph, tac_vector_components(a), factor));
}

tacVector tac_vector_sub(tacMechanics* m, tacVector a, tacVector b) {
    if (!m) return tac_vector_none();
    return tac_vector_add(m, a, tac_vector_scale(m, tac_fraction(m->graph, -1, 1), b));
}

tacExpr tac_vector_dot(tacMechanics* m, tacVector a, tacVector b) {
    if (!is_valid_vector(m, a) || !is_valid_vector(m, b)) return TAC_EXPR_NONE;
    if (tac_vector_is_zero(m, a) || tac_vector_is_zero(m, b)) return tac_fraction(m->graph, 0, 1);
    b = tac_vector_express(m, b, a.frame);
    return b.frame < 0 ? TAC_EXPR_NONE
                       : vec_dot(m->graph, tac_vector_components(a), tac_vector_components(b));
}

tacVector tac_vector_cross(tacMechanics* m, tacVector a, tacVector b) {
    if (!is_valid_vector(m, a) || !is_valid_vector(m, b)) return tac_vector_none();
    if (tac_vector_is_zero(m, a) || tac_vector_is_zero(m, b)) return tac_vector_zero(m, b.frame);
    a = tac_vector_express(m, a, b.frame);
    if (a.frame < 0) return a;
    return tac_vector_of(b.frame,
                         vec_cross(m->graph, tac_vector_components(a), tac_vector_components(b)));
}

tacExpr tac_vector_magnitude(tacMechanics* m, tacVector a) {
    if (!m) return TAC_EXPR_NONE;
    return tac_expr_sqrt(m->graph, tac_vector_dot(m, a, a));
}

tacVector tac_vector_normalize(tacMechanics* m, tacVector a) {
    if (!m) return tac_vector_none();
    tacExpr one = tac_fraction(m->graph, 1, 1), length = tac_vector_magnitude(m, a);
    return tac_vector_scale(m, tac_expr_div(m->graph, one, length), a);
}

// the rate of the components, plus w x v of the rotating frame
tacVector tac_vector_dt(tacMechanics* m, tacVector a, tacRefFrame frame) {
    if (!is_valid_vector(m, a) || !tac_frame_check(m, frame)) return tac_vector_none();
    if (tac_vector_is_zero(m, a)) return tac_vector_zero(m, frame);
    tacVector rate = {a.frame, tac_dt(m, a.x), tac_dt(m, a.y), tac_dt(m, a.z)};
    if (a.frame == frame) return rate;
    tacVector rotation = tac_vector_cross(m, tac_frame_ang_vel(m, a.frame, frame), a);
    return tac_vector_add(m, rate, rotation);
}

//---------------------------------- dyadics --------------------------------------

static exprVec dyadic_row(const tacDyadic* a, int i) {
    return (exprVec){a->c[3 * i], a->c[3 * i + 1], a->c[3 * i + 2]};
}
static exprVec dyadic_column(const tacDyadic* a, int j) {
    return (exprVec){a->c[j], a->c[3 + j], a->c[6 + j]};
}

static tacDyadic of_columns(tacRefFrame frame, const exprVec column[3]) {
    tacDyadic out = {.frame = frame};
    for (int j = 0; j < 3; ++j) {
        out.c[j] = column[j].x;
        out.c[3 + j] = column[j].y;
        out.c[6 + j] = column[j].z;
    }
    return out;
}

static int is_valid_dyadic(tacMechanics* m, const tacDyadic* a) {
    return m && tac_graph_check(m->graph, a->c, 9, 0) == TAC_OK && tac_frame_check(m, a->frame);
}

tacDyadic tac_inertia(tacMechanics* m, tacRefFrame frame, tacExpr xx, tacExpr yy, tacExpr zz,
                      tacExpr xy, tacExpr yz, tacExpr zx) {
    tacDyadic out = {frame, {xx, xy, zx, xy, yy, yz, zx, yz, zz}};
    return is_valid_dyadic(m, &out) ? out : dyadic_none();
}

tacDyadic tac_dyadic_outer(tacMechanics* m, tacVector a, tacVector b) {
    tacVector left = tac_vector_express(m, a, b.frame);
    if (left.frame < 0 || !is_valid_vector(m, b)) return dyadic_none();
    const tacExpr parts[3] = {b.x, b.y, b.z};
    exprVec columns[3];
    for (int j = 0; j < 3; ++j)
        columns[j] = vec_scale(m->graph, tac_vector_components(left), parts[j]);
    return of_columns(b.frame, columns);
}

// rotates each column, then each row
tacDyadic tac_dyadic_express(tacMechanics* m, tacDyadic a, tacRefFrame frame) {
    if (!is_valid_dyadic(m, &a) || !tac_frame_check(m, frame)) return dyadic_none();
    for (int pass = 0; pass < 2 && a.frame != frame; ++pass) {
        exprVec turned[3];
        for (int j = 0; j < 3; ++j) {
            tacVector v = tac_vector_of(a.frame, pass ? dyadic_row(&a, j) : dyadic_column(&a, j));
            v = tac_vector_express(m, v, frame);
            if (v.frame < 0) return dyadic_none();
            turned[j] = tac_vector_components(v);
        }
        tacDyadic next = of_columns(a.frame, turned);
        if (pass == 0) {
            a = next;
            continue;
        }
        exprVec rows[3] = {dyadic_row(&next, 0), dyadic_row(&next, 1), dyadic_row(&next, 2)};
        return of_columns(frame, rows);
    }
    return a;
}

tacDyadic tac_dyadic_add(tacMechanics* m, tacDyadic a, tacDyadic b) {
    b = is_valid_dyadic(m, &a) ? tac_dyadic_express(m, b, a.frame) : dyadic_none();
    if (b.frame < 0) return b;
    for (int i = 0; i < 9; ++i) a.c[i] = tac_expr_add(m->graph, a.c[i], b.c[i]);
    return a;
}

tacDyadic tac_dyadic_scale(tacMechanics* m, tacExpr factor, tacDyadic a) {
    if (!is_valid_dyadic(m, &a) || tac_graph_check(m->graph, &factor, 1, 0) != TAC_OK)
        return dyadic_none();
    for (int i = 0; i < 9; ++i) a.c[i] = tac_expr_mul(m->graph, factor, a.c[i]);
    return a;
}

tacVector tac_dyadic_dot(tacMechanics* m, tacDyadic a, tacVector b) {
    if (!is_valid_dyadic(m, &a)) return tac_vector_none();
    b = tac_vector_express(m, b, a.frame);
    if (b.frame < 0) return b;
    exprVec v = tac_vector_components(b),
            rows[3] = {dyadic_row(&a, 0), dyadic_row(&a, 1), dyadic_row(&a, 2)};
    return tac_vector_of(a.frame, vec_to_axes(m->graph, rows, v));
}

// the rate of the components, plus w x a - a x w of the rotating frame
tacDyadic tac_dyadic_dt(tacMechanics* m, tacDyadic a, tacRefFrame frame) {
    if (!is_valid_dyadic(m, &a) || !tac_frame_check(m, frame)) return dyadic_none();
    tacGraph* g = m->graph;
    tacDyadic out = a;
    for (int i = 0; i < 9; ++i) out.c[i] = tac_dt(m, a.c[i]);
    if (a.frame == frame) return out;
    tacVector ang_vel = tac_vector_express(m, tac_frame_ang_vel(m, a.frame, frame), a.frame);
    if (ang_vel.frame < 0) return dyadic_none();
    exprVec w = tac_vector_components(ang_vel);
    for (int i = 0; i < 3; ++i) {
        exprVec left = vec_cross(g, w, dyadic_column(&a, i)),
                right = vec_cross(g, dyadic_row(&a, i), w);
        const tacExpr down[3] = {left.x, left.y, left.z}, across[3] = {right.x, right.y, right.z};
        for (int k = 0; k < 3; ++k) {
            out.c[3 * k + i] = tac_expr_add(g, out.c[3 * k + i], down[k]);
            out.c[3 * i + k] = tac_expr_sub(g, out.c[3 * i + k], across[k]);
        }
    }
    return out;
}
