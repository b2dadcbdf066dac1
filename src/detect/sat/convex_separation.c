// Distance and depth by convex programs.
//
//   nearest points:  minimise 1/2 |p - q|^2,  p in a, q in b, round ones made smaller by b
//   growth:          minimise t,  x in c_a + t (a - c_a) and in c_b + t (b - c_b)
//
// Lengths are in units of how far the program reaches.

#include "base/arena.h"
#include "detect/sat/cone_program.h"
#include "detect/sat/solid_pair.h"

#include <string.h>

typedef struct convexRows {
    int d;         // 2 or 3
    double unit;   // of length
    double *G, *h; // (rows x unknowns) (rows)
    double* work;  // of the solver
} convexRows;

// one of the solids in the program
typedef struct convexSide {
    const tacSolid* solid;
    tacMat3 R;
    tacVec3 p;     // its frame
    double shrink; // of its radius
    int column;    // of its point, -1: a fixed point
} convexSide;

static int max_rows(const tacSolid* a, const tacSolid* b) {
    return a->faces + b->faces + TAC_CONE_CONES * 4;
}

static convexRows alloc_rows(const tacSolid* a, const tacSolid* b, tacArena* arena) {
    int rows = max_rows(a, b);
    return (convexRows){.G = TAC_ALLOC(arena, double, rows* TAC_CONE_UNKNOWNS),
                        .h = TAC_ALLOC(arena, double, rows),
                        .work = tac_arena_alloc(arena, tac_cone_program_size(rows))};
}

size_t tac_convex_separation_size(const tacSolid* a, const tacSolid* b) {
    if (!a || !b) return 0;
    tacArena dry = tac_arena_measure(1);
    alloc_rows(a, b, &dry);
    return dry.peak;
}

static double vec3_component(tacVec3 a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }

static tacVec3 vec3_from(const double* x, int d) {
    return tac_vec3(x[0], x[1], d == 3 ? x[2] : 0.0);
}

static tacVec3 center_of(const convexSide* s) {
    return tac_add(s->p, tac_mat_mul_vec(s->R, s->solid->center));
}

//---------------------------------- rows -----------------------------------------

// half-spaces of a side: n . x - t (offset - n . c) <= n . c, or without t <= offset
static int add_half_spaces(convexRows* r, const convexSide* s, int at, int unknowns, int growth) {
    for (int f = 0; f < s->solid->faces; ++f, ++at) {
        tacVec3 n = tac_mat_mul_vec(s->R, s->solid->normal[f]);
        double offset = (s->solid->offset[f] + tac_dot(n, s->p)) / r->unit;
        double own = tac_is_unbounded(s->solid) ? offset : tac_dot(n, center_of(s)) / r->unit;
        double* row = r->G + at * unknowns;
        for (int i = 0; i < r->d; ++i) row[s->column + i] = vec3_component(n, i);
        if (growth) row[unknowns - 1] = own - offset;
        r->h[at] = growth ? own : offset;
    }
    return at;
}

// the ball of a side: (radius or t radius, x - c) in the cone
static int add_ball_cone(convexRows* r, const convexSide* s, int at, int unknowns, int growth) {
    double radius = (s->solid->radius - s->shrink) / r->unit;
    if (growth) r->G[at * unknowns + unknowns - 1] = -radius;
    r->h[at] = growth ? 0.0 : radius;
    for (int i = 0; i < r->d; ++i) {
        r->G[(at + 1 + i) * unknowns + s->column + i] = -1.0;
        r->h[at + 1 + i] = -vec3_component(center_of(s), i) / r->unit;
    }
    return at + 1 + r->d;
}

// all planes first, then all balls
static tacConeProgram list_program_rows(convexRows* r, const convexSide side[2], int unknowns,
                                        int growth) {
    tacConeProgram c = {.unknowns = unknowns, .dimension = r->d + 1, .G = r->G, .h = r->h};
    int at = 0;
    memset(r->G, 0, sizeof(double) * (size_t)(max_rows(side[0].solid, side[1].solid) * unknowns));
    for (int k = 0; k < 2; ++k)
        if (side[k].column >= 0) at = add_half_spaces(r, &side[k], at, unknowns, growth);
    c.linear = at;
    for (int k = 0; k < 2; ++k)
        if (side[k].column >= 0 && tac_solid_is_round(side[k].solid)) {
            at = add_ball_cone(r, &side[k], at, unknowns, growth);
            ++c.cones;
        }
    return c;
}

//---------------------------------- nearest points -------------------------------

typedef struct convexNearest {
    tacVec3 point[2];
    int passes;
    double residual; // of the constraints
    double gap;      // of the duals: |p - q|^2/2 is at most this above the least, in units^2
} convexNearest;

// |p - q|^2 = |B x - c|^2; a side without a column is a fixed point
static void set_squares(const convexRows* r, const convexSide side[2], int n, double* B,
                        double* c) {
    memset(B, 0, sizeof(double) * (size_t)(r->d * n));
    memset(c, 0, sizeof(double) * (size_t)r->d);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < r->d; ++i) {
            double sign = k ? -1.0 : 1.0;
            if (side[k].column >= 0)
                B[i * n + side[k].column + i] = sign;
            else
                c[i] -= sign * vec3_component(center_of(&side[k]), i) / r->unit;
        }
}

static convexNearest solve_nearest(convexRows* r, convexSide side[2], const double* warm) {
    double B[18], c[3], q[6] = {0.0}, from[6];
    convexNearest out = {0};
    int n = 0;
    for (int k = 0; k < 2; ++k) {
        int fixed = tac_solid_is_round(side[k].solid) && side[k].shrink >= side[k].solid->radius;
        side[k].column = fixed ? -1 : n;
        for (int i = 0; i < r->d && warm && !fixed; ++i) from[n + i] = warm[3 * k + i] / r->unit;
        n += fixed ? 0 : r->d;
        out.point[k] = center_of(&side[k]);
    }
    if (n == 0) return out;
    tacConeProgram program = list_program_rows(r, side, n, 0);
    set_squares(r, side, n, B, c);
    program.squares = r->d;
    program.B = B;
    program.c = c;
    program.q = q;
    tacConeAnswer answer = tac_cone_program(&program, warm ? from : NULL, r->work);
    for (int k = 0; k < 2; ++k)
        if (side[k].column >= 0)
            out.point[k] = tac_scale(vec3_from(answer.x + side[k].column, r->d), r->unit);
    out.passes = answer.passes;
    out.residual = answer.residual;
    out.gap = answer.gap;
    return out;
}

//---------------------------------- growth ---------------------------------------

static double growth_of(convexRows* r, convexSide side[2], double* residual) {
    int n = r->d + 1;
    double q[4] = {0.0};
    convexSide whole[2] = {side[0], side[1]};
    for (int k = 0; k < 2; ++k) {
        whole[k].column = 0;
        whole[k].shrink = 0.0;
    }
    tacConeProgram program = list_program_rows(r, whole, n, 1);
    q[n - 1] = 1.0;
    program.q = q;
    tacConeAnswer answer = tac_cone_program(&program, NULL, r->work);
    *residual = fmax(answer.residual, answer.gap);
    return answer.x[n - 1];
}

//---------------------------------- both -----------------------------------------

static convexRows program_layout(const tacSolidPair* pair, void* memory) {
    tacArena arena = tac_arena_over(memory);
    convexRows r = alloc_rows(pair->a, pair->b, &arena);
    r.d = pair->a->planar ? 2 : 3;
    tacVec3 separation = tac_solid_pair_point(pair, pair->b->center);
    r.unit = pair->a->size + pair->b->size + tac_norm(separation) + tac_norm(pair->a->center);
    return r;
}

static double shrink_of(const tacSolid* solid, double shrink) {
    if (!tac_solid_is_round(solid)) return 0.0;
    return shrink > 0.0 ? fmin(shrink, solid->radius) : solid->radius;
}

// Does the program tell the distance? |p - q| is at most 2 gap/|p - q| too long, and next to 0 the
// square says little: there separating axes measure it.
static int is_distance_certain(const convexNearest* near, double separation) {
    return separation > 1e-8 && 2.0 * near->gap <= 1e-10 * separation;
}

// from the nearest points of the smaller solids to those of the solids themselves
static void restore_radii(const convexNearest* near, double separation, const convexSide side[2],
                          tacSeparation* out) {
    tacVec3 n = tac_scale(tac_sub(near->point[1], near->point[0]), 1.0 / separation);
    out->normal = n;
    out->axes = near->passes;
    out->distance = separation - side[0].shrink - side[1].shrink;
    out->point[0] = tac_add_scaled(near->point[0], side[0].shrink, n);
    out->point[1] = tac_add_scaled(near->point[1], -side[1].shrink, n);
}

tacResult tac_convex_separation(tacPosedSolid a, tacPosedSolid b, const tacConvexOptions* options,
                                tacSeparation* out, double* growth, double* points, void* memory) {
    const tacConvexOptions none = {0};
    const tacConvexOptions* o = options ? options : &none;
    tacSolidPair pair;
    if (!out || !memory || !(o->shrink >= 0.0) || tac_solid_pair(a, b, &pair) != TAC_OK)
        return TAC_ERROR_VALUE;
    convexRows r = program_layout(&pair, memory);
    convexSide side[2] = {
        {pair.a, tac_mat_identity(), tac_vec3_zero(), shrink_of(pair.a, o->shrink), 0},
        {pair.b, pair.R, pair.p, shrink_of(pair.b, o->shrink), 0}};
    convexNearest near = solve_nearest(&r, side, o->warm);
    double separation = tac_distance(near.point[0], near.point[1]);
    double residual = fmax(near.residual, near.gap), growth_residual = 0.0;
    double factor = growth && o->growth ? growth_of(&r, side, &growth_residual) : 0.0;
    if (!(fmax(residual, growth_residual) <= 1e-9)) return TAC_ERROR_UNSOLVED;
    if (growth && o->growth) *growth = factor;
    for (int k = 0; k < 2 && points; ++k) tac_store3(points + 3 * k, near.point[k]);
    if (!is_distance_certain(&near, separation / r.unit)) return tac_sat(a, b, INFINITY, out);
    *out = (tacSeparation){0};
    restore_radii(&near, separation, side, out);
    tac_separation_finish(&a, out);
    return TAC_OK;
}
