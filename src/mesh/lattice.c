// A cubic lattice around a solid.
//
//   ball around the solid --tac_shape_steps--> tight box --> values at nodes --> roots on edges
//
// Nothing of the solid is outside the box: cells are only left out when a proven ball covers them.

#include "mesh/lattice.h"

#include "base/message.h"
#include "math/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK  1024 // points that are evaluated together
#define BRICK  8    // nodes along the side of a brick that is evaluated or left out
#define BOX_N  24   // cells of the box search along each side
#define TIGHTS 3    // rounds of that search

//---------------------------------- memory ---------------------------------------

void* tac_blocks_take(tacBlocks* blocks, size_t count, size_t size) {
    size_t bytes = (count ? count : 1) * size + TAC_ALIGNMENT;
    if (bytes > blocks->most) return NULL;
    char* block = blocks->allocator.allocate(blocks->allocator.user, bytes);
    if (!block) return NULL;
    blocks->most -= bytes;
    memset(block, 0, bytes);
    *(void**)(void*)block = blocks->last;
    blocks->last = block;
    return block + TAC_ALIGNMENT;
}

void tac_blocks_release(tacBlocks* blocks) {
    while (blocks->last) {
        void* block = blocks->last;
        blocks->last = *(void**)block;
        blocks->allocator.release(blocks->allocator.user, block);
    }
}

//---------------------------------- box ------------------------------------------

typedef struct boxCells {
    double x[3][BOX_N], radius[BOX_N];
} boxCells;

// shrinks the box to the cells that are not proven free
static void tighten(tacSolid* s) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double side[3], half = 0.0;
    for (int k = 0; k < 3; ++k) side[k] = (s->high[k] - s->low[k]) / BOX_N;
    for (int k = 0; k < 3; ++k) half += 0.25 * side[k] * side[k];
    half = sqrt(half);
    for (int row = 0; row < BOX_N * BOX_N; ++row) {
        boxCells c;
        int at[3] = {0, row % BOX_N, row / BOX_N};
        for (int i = 0; i < BOX_N; ++i)
            for (int k = 0; k < 3; ++k) c.x[k][i] = s->low[k] + side[k] * (0.5 + (k ? at[k] : i));
        tac_shape_steps(s->model, s->shape, s->pose, (tacPoints){BOX_N, {c.x[0], c.x[1], c.x[2]}},
                        c.radius, s->scratch);
        for (int i = 0; i < BOX_N; ++i) {
            if (c.radius[i] > half) continue;
            for (int k = 0; k < 3; ++k) {
                low[k] = fmin(low[k], c.x[k][i] - 0.5 * side[k]);
                high[k] = fmax(high[k], c.x[k][i] + 0.5 * side[k]);
            }
        }
    }
    memcpy(s->low, low, sizeof low);
    memcpy(s->high, high, sizeof high);
}

static tacResult find_box(tacSolid* s, double radius, tacMessage* message) {
    const char* name = s->model->shape[s->shape].name;
    for (int k = 0; k < 3; ++k) s->low[k] = -1.001 * radius, s->high[k] = 1.001 * radius;
    for (int i = 0; i < TIGHTS && s->low[0] < s->high[0]; ++i) tighten(s);
    if (!(s->low[0] < s->high[0]))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape",
                        "'%s' is empty: its parts leave nothing", name);
    s->size = 0.0;
    for (int k = 0; k < 3; ++k) s->size = fmax(s->size, s->high[k] - s->low[k]);
    return TAC_OK;
}

tacResult tac_solid_open(const tacModel* model, int shape, tacQuat rotation, tacSolid* solid,
                         tacMessage* message) {
    *solid = (tacSolid){.model = model, .shape = shape};
    if (!model || shape < 0 || shape >= model->nshape)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape", "there is no such shape");
    tacResult result = tac_scratch_create(model, &solid->scratch);
    if (result != TAC_OK) return tac_fail(message, result, NULL, 0, NULL, "out of memory");
    tacBall ball = tac_shape_ball(model, shape, solid->scratch);
    if (!isfinite(ball.radius))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape",
                        "'%s' is not bounded: it holds a half-space that nothing cuts off",
                        model->shape[shape].name);
    if (!(ball.radius > 0.0))
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "shape", "'%s' is empty",
                        model->shape[shape].name);
    tacVec3 turned = tac_mat_mul_vec(tac_quat_to_mat(rotation), ball.center);
    solid->pose = (tacPose){tac_neg(turned), rotation};
    return find_box(solid, ball.radius, message);
}

void tac_solid_eval(const tacSolid* solid, int count, double* const x[3], double* value,
                    double* const g[3]) {
    tacField field = {.value = value};
    for (int k = 0; k < 3 && g; ++k) field.gradient[k] = g[k];
    tac_shape_eval(solid->model, solid->shape, solid->pose, (tacPoints){count, {x[0], x[1], x[2]}},
                   field, solid->scratch);
}

//---------------------------------- nodes ----------------------------------------

// nodes of a brick that are in the lattice, at most BRICK^3; returns how many
static int brick_nodes(const tacLattice* l, const int first[3], int* node) {
    int count = 0;
    for (int z = first[2]; z < first[2] + BRICK && z < l->n[2]; ++z)
        for (int y = first[1]; y < first[1] + BRICK && y < l->n[1]; ++y)
            for (int x = first[0]; x < first[0] + BRICK && x < l->n[0]; ++x)
                node[count++] = x + l->stride[1] * y + l->stride[2] * z;
    return count;
}

static void fill_brick(tacLattice* l, const int first[3]) {
    double x[3][BRICK * BRICK * BRICK], value[BRICK * BRICK * BRICK];
    double* const pointers[3] = {x[0], x[1], x[2]};
    int node[BRICK * BRICK * BRICK], count = brick_nodes(l, first, node);
    for (int i = 0; i < count; ++i) {
        double p[3];
        tac_lattice_point(l, node[i], p);
        for (int k = 0; k < 3; ++k) x[k][i] = p[k];
    }
    tac_solid_eval(l->solid, count, pointers, value, NULL);
    for (int i = 0; i < count; ++i) l->value[node[i]] = value[i];
}

// a brick that is proven free is outside; its values are never interpolated
static void free_brick(tacLattice* l, const int first[3], double radius) {
    int node[BRICK * BRICK * BRICK], count = brick_nodes(l, first, node);
    for (int i = 0; i < count; ++i) l->value[node[i]] = radius;
}

static void fill_values(tacLattice* l) {
    double half = 0.5 * (BRICK - 1) * sqrt(3.0) * l->step;
    int first[3];
    for (first[2] = 0; first[2] < l->n[2]; first[2] += BRICK)
        for (first[1] = 0; first[1] < l->n[1]; first[1] += BRICK)
            for (first[0] = 0; first[0] < l->n[0]; first[0] += BRICK) {
                double c[3], radius;
                for (int k = 0; k < 3; ++k)
                    c[k] = l->low[k] + l->step * (first[k] + 0.5 * (BRICK - 1));
                tac_shape_steps(l->solid->model, l->solid->shape, l->solid->pose,
                                (tacPoints){1, {&c[0], &c[1], &c[2]}}, &radius, l->solid->scratch);
                if (radius > 1.001 * half + 2.0 * l->step)
                    free_brick(l, first, l->step);
                else
                    fill_brick(l, first);
            }
}

// the box holds the solid, so a border node inside would be rounding
static void clear_border(tacLattice* l) {
    int total = tac_lattice_count(l);
    for (int i = 0; i < total; ++i) {
        int at[3] = {i % l->n[0], i / l->stride[1] % l->n[1], i / l->stride[2]}, border = 0;
        for (int k = 0; k < 3; ++k) border |= at[k] == 0 || at[k] == l->n[k] - 1;
        if (border && tac_is_inside(l->value[i])) l->value[i] = 1e-3 * l->step;
    }
}

tacResult tac_lattice_fill(const tacSolid* solid, int cells, tacBlocks* blocks, tacLattice* out) {
    // irrational shares of a cell: nodes are on no symmetry plane of a shape, nor on its surface
    static const double share[3] = {0.61803398874989485, 0.41421356237309505, 0.73205080756887729};
    tacLattice l = {.solid = solid, .step = solid->size / cells};
    double total = 1.0;
    for (int k = 0; k < 3; ++k) {
        double offset = fmod(share[k] * (cells % 1000), 1.0);
        l.low[k] = solid->low[k] - l.step * (1.0 + offset);
        l.n[k] = (int)ceil((solid->high[k] - l.low[k]) / l.step) + 2;
        total *= l.n[k];
    }
    if (total > 4e7) return TAC_ERROR_MEMORY;
    l.stride[0] = 1, l.stride[1] = l.n[0], l.stride[2] = l.n[0] * l.n[1];
    l.value = TAC_BLOCKS_TAKE(blocks, double, total);
    if (!l.value) return TAC_ERROR_MEMORY;
    fill_values(&l);
    clear_border(&l);
    *out = l;
    return TAC_OK;
}

//---------------------------------- roots ----------------------------------------

tacResult tac_crossings_create(tacCrossings* c, int count, tacBlocks* blocks) {
    *c = (tacCrossings){.count = count};
    c->node = TAC_BLOCKS_TAKE(blocks, int, count);
    c->to = TAC_BLOCKS_TAKE(blocks, int, count);
    int missing = !c->node || !c->to;
    for (int k = 0; k < 3; ++k) missing |= !(c->x[k] = TAC_BLOCKS_TAKE(blocks, double, count));
    return missing ? TAC_ERROR_MEMORY : TAC_OK;
}

// brackets of a chunk of edges: values fa < 0 <= fb at shares a, b of the way
typedef struct rootChunk {
    double from[3][CHUNK], way[3][CHUNK], x[3][CHUNK];
    double a[CHUNK], b[CHUNK], fa[CHUNK], fb[CHUNK], t[CHUNK], f[CHUNK];
} rootChunk;

static void chunk_open(const tacLattice* l, const tacCrossings* c, int first, int count,
                       rootChunk* r) {
    for (int i = 0; i < count; ++i) {
        int in = c->node[first + i], out = c->to[first + i];
        if (!tac_is_inside(l->value[in])) in = out, out = c->node[first + i];
        double p[3], q[3];
        tac_lattice_point(l, in, p);
        tac_lattice_point(l, out, q);
        for (int k = 0; k < 3; ++k) r->from[k][i] = p[k], r->way[k][i] = q[k] - p[k];
        r->a[i] = 0.0, r->b[i] = 1.0, r->fa[i] = l->value[in], r->fb[i] = l->value[out];
    }
}

// Chandrupatla's choice would save little: regula falsi of Illinois, bisection every fifth turn
static void chunk_propose(rootChunk* r, int count, int turn) {
    for (int i = 0; i < count; ++i) {
        double d = r->fb[i] - r->fa[i];
        double t = d > 0.0 ? (r->a[i] * r->fb[i] - r->b[i] * r->fa[i]) / d : r->a[i];
        if (turn % 5 == 4 || !(t > r->a[i] && t < r->b[i])) t = 0.5 * (r->a[i] + r->b[i]);
        r->t[i] = t;
        for (int k = 0; k < 3; ++k) r->x[k][i] = r->from[k][i] + t * r->way[k][i];
    }
}

// share of brackets that are still wide
static int chunk_narrow(rootChunk* r, int count, double close) {
    int open = 0;
    for (int i = 0; i < count; ++i) {
        if (tac_is_inside(r->f[i]))
            r->a[i] = r->t[i], r->fa[i] = r->f[i], r->fb[i] *= 0.5;
        else
            r->b[i] = r->t[i], r->fb[i] = r->f[i], r->fa[i] *= 0.5;
        open += fabs(r->f[i]) > close && r->b[i] - r->a[i] > 4e-16;
    }
    return open;
}

tacResult tac_crossings_solve(const tacLattice* lattice, tacCrossings* c, tacBlocks* blocks) {
    rootChunk* r = TAC_BLOCKS_TAKE(blocks, rootChunk, 1);
    if (!r) return TAC_ERROR_MEMORY;
    double* const x[3] = {r->x[0], r->x[1], r->x[2]};
    double close = 2e-14 * lattice->solid->size;
    for (int first = 0; first < c->count; first += CHUNK) {
        int count = c->count - first < CHUNK ? c->count - first : CHUNK, open = count;
        chunk_open(lattice, c, first, count, r);
        for (int turn = 0; turn < 40 && open > 0; ++turn) {
            chunk_propose(r, count, turn);
            tac_solid_eval(lattice->solid, count, x, r->f, NULL);
            open = chunk_narrow(r, count, close);
        }
        for (int k = 0; k < 3; ++k)
            memcpy(&c->x[k][first], r->x[k], sizeof(double) * (size_t)count);
    }
    return TAC_OK;
}
