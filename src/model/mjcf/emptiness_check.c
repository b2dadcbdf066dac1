// Combinations must not be empty.
//
//   cells of the ball around it --tac_shape_safe_radius--> those that may hold an inside -->
//   descents
//
// One point where phi < 0 proves that a solid is not empty. Cells that balls prove to lie outside
// are dropped, others are divided, and descents start from the lowest of them. If no cell is left,
// the solid is proven empty; if no inside is found on the finest cells, it is at most a
// sliver and counts as empty. An unbounded solid is searched near its parts, and never
// refused.

#include "model/mjcf/emptiness_check.h"

#include "base/assert.h"
#include "math/pose.h"
#include "shape/bounds/planes.h"
#include "shape/bounds/safe_radius.h"
#include "shape/bounds/shape_scratch.h"

#include <math.h>
#include <string.h>

#define FIRST_CELLS 4     // cells along the box at first
#define MAX_CELLS   32768 // cells at most
#define LEVELS      7     // each halves the cells
#define STARTS      64    // descents at a time
#define STEPS       40    // of a descent
#define MIN_DEPTH   1e-6  // level that descents aim at, in radii: thinner solids count as empty

typedef struct emptinessCandidate {
    const tacElement* element;
    int node;
} emptinessCandidate;

void tac_emptiness_check_add(tacSpec* spec, const tacElement* element, int node) {
    emptinessCandidate* r = tac_list_add(&spec->reader, &spec->assets.emptiness_checks, sizeof *r);
    if (r) *r = (emptinessCandidate){element, node};
}

//---------------------------------- one node as a shape --------------------------

// a node and its subtree, as the only shape of a model
typedef struct part {
    tacModel model;
    tacShape shape;
    tacScratch* scratch;
    tacBall ball; // around the solid, or around the parts of an unbounded one
    int bounded;
} part;

// center and extent of the parts, for a search without bounds
static tacBall extent_of(const part* p) {
    tacBall all = {tac_vec3_zero(), 1.0};
    const tacModel* m = &p->model;
    for (int i = p->shape.first; i < p->shape.first + p->shape.count; ++i) {
        const tacNode* node = &m->node[i];
        all.radius += tac_norm(tac_load3(m->param + node->position));
        for (int k = 0; k < 3 && node->size >= 0 && node->children == 0; ++k)
            all.radius = fmax(all.radius, m->param[node->size]);
    }
    return all;
}

// `nodes` are a copy of the model's, in which the node has no parent
static void open_part(const tacModel* model, const tacNode* nodes, int node, tacScratch* scratch,
                      part* p) {
    int of = 0;
    while (model->shape[of].first + model->shape[of].count <= node) ++of;
    *p = (part){.model = *model, .shape = model->shape[of], .scratch = scratch};
    p->shape.first = nodes[node].first;
    p->shape.count = node - p->shape.first + 1;
    p->model.node = nodes;
    p->model.shape = &p->shape;
    p->model.nshape = 1;
    p->ball = tac_shape_ball(&p->model, 0, scratch);
    p->bounded = isfinite(p->ball.radius);
    if (!p->bounded) p->ball = extent_of(p);
}

// the same at temperatures so low that smoothing removes nothing; NULL after a failure
static double* lower_temperatures(tacReader* reader, const part* p) {
    double* param = tac_reader_alloc(reader, sizeof(double) * (size_t)p->model.nparam);
    if (!param) return NULL;
    memcpy(param, p->model.param, sizeof(double) * (size_t)p->model.nparam);
    for (int i = p->shape.first; i < p->shape.first + p->shape.count; ++i) {
        const tacNode* node = &p->model.node[i];
        if (node->smooth >= 0 && node->kind != TAC_NODE_CLOUD)
            param[node->smooth] = fmin(param[node->smooth], 0.01 * MIN_DEPTH * p->ball.radius);
    }
    return param;
}

//---------------------------------- search ---------------------------------------

typedef struct search {
    const part* part;
    double half; // of a cell's side
    int count;
    double x[3][MAX_CELLS], value[MAX_CELLS], outside[MAX_CELLS];
    double at[3][STARTS], low[STARTS], slope[3][STARTS]; // of descents
} search;

static int any_negative(const double* value, int count) {
    for (int i = 0; i < count; ++i)
        if (value[i] < 0.0) return 1;
    return 0;
}

static void first_cells(search* s) {
    tacBall ball = s->part->ball;
    double c[3];
    tac_store3(c, ball.center);
    s->half = ball.radius / FIRST_CELLS;
    s->count = FIRST_CELLS * FIRST_CELLS * FIRST_CELLS;
    for (int i = 0; i < s->count; ++i) {
        int at[3] = {i % FIRST_CELLS, i / FIRST_CELLS % FIRST_CELLS,
                     i / (FIRST_CELLS * FIRST_CELLS)};
        for (int k = 0; k < 3; ++k) s->x[k][i] = c[k] - ball.radius + (2 * at[k] + 1) * s->half;
    }
}

static void eval_cells(search* s) {
    const part* p = s->part;
    tacPoints points = {s->count, {s->x[0], s->x[1], s->x[2]}};
    tac_shape_eval(&p->model, 0, tac_pose_identity(), points, (tacField){.value = s->value},
                   p->scratch);
    tac_shape_safe_radius(&p->model, 0, tac_pose_identity(), points, s->outside, NULL, p->scratch);
}

// the cells with the lowest values, as starts; how many
static int choose_starts(search* s) {
    int selected = 0;
    double level = INFINITY; // of the highest start, once there are enough
    for (int i = 0; i < s->count; ++i) {
        if (selected == STARTS && s->value[i] >= level) continue;
        int slot = selected < STARTS ? selected++ : 0;
        for (int k = 0; k < selected && selected == STARTS; ++k)
            if (s->low[k] > s->low[slot]) slot = k;
        s->low[slot] = s->value[i];
        for (int k = 0; k < 3; ++k) s->at[k][slot] = s->x[k][i];
        level = -INFINITY;
        for (int k = 0; k < selected; ++k) level = fmax(level, s->low[k]);
    }
    return selected;
}

// Polyak's steps, which would end at the level aimed at if phi were linear: on a convex function
// they converge to the level if it exists
static int descend_field(search* s) {
    const part* p = s->part;
    int count = choose_starts(s);
    double aim = MIN_DEPTH * p->ball.radius;
    tacPoints points = {count, {s->at[0], s->at[1], s->at[2]}};
    tacField field = {.value = s->low, .gradient = {s->slope[0], s->slope[1], s->slope[2]}};
    for (int step = 0; step < STEPS; ++step) {
        tac_shape_eval(&p->model, 0, tac_pose_identity(), points, field, p->scratch);
        if (any_negative(s->low, count)) return 1;
        for (int i = 0; i < count; ++i) {
            double square = 1e-12;
            for (int k = 0; k < 3; ++k) square += s->slope[k][i] * s->slope[k][i];
            double length = fmin((s->low[i] + aim) / square, p->ball.radius / sqrt(square));
            for (int k = 0; k < 3; ++k) s->at[k][i] -= length * s->slope[k][i];
        }
    }
    return 0;
}

// halves of the cells that no ball covers; 0 if they are too many
static int subdivide_cells(search* s) {
    int remaining = 0;
    for (int i = 0; i < s->count; ++i) {
        if (s->outside[i] > 1.001 * sqrt(3.0) * s->half) continue;
        for (int k = 0; k < 3; ++k) s->x[k][remaining] = s->x[k][i];
        ++remaining;
    }
    s->count = remaining;
    if (8 * remaining > MAX_CELLS) return 0;
    s->half *= 0.5;
    s->count = 8 * remaining;
    for (int i = remaining - 1; i >= 0; --i) // from the last, whose slots are free
        for (int k = 0; k < 3; ++k) {
            double middle = s->x[k][i];
            for (int j = 7; j >= 0; --j)
                s->x[k][8 * i + j] = middle + (j >> k & 1 ? s->half : -s->half);
        }
    return 1;
}

static int find_inside(search* s) {
    first_cells(s);
    for (int level = 0; level < LEVELS; ++level) {
        eval_cells(s);
        if (any_negative(s->value, s->count) || descend_field(s)) return 1;
        if (!subdivide_cells(s) || s->count == 0) return 0;
    }
    return 0;
}

//---------------------------------- planes alone ---------------------------------

// Planes alone may bound an infinite solid: a linear program decides. Their number, 0 if there
// is anything else.
static int gather_planes(const part* p, double* plane) {
    const tacModel* m = &p->model;
    int root = p->shape.first + p->shape.count - 1, count = m->node[root].children;
    if (p->shape.count != count + 1) return 0;
    for (int i = 0; i < count; ++i) {
        const tacNode* node = &m->node[p->shape.first + i];
        if (node->kind != TAC_NODE_PLANE) return 0;
        double sign = m->node[root].kind == TAC_NODE_DIFFERENCE && i > 0 ? -1.0 : 1.0;
        tacMat3 R = tac_quat_to_mat(tac_quat_load(m->param + node->rotation));
        tacVec3 n = tac_scale(tac_mat_column(R, 2), sign);
        tac_store3(&plane[4 * i], n);
        plane[4 * i + 3] = -tac_dot(n, tac_load3(m->param + node->position));
    }
    return count;
}

static int planes_have_inside(const part* p, const double* plane, int count) {
    int root = p->shape.first + p->shape.count - 1;
    double y[3];
    return tac_planes_deepest_point(plane, count, p->model.param[p->model.node[root].smooth], 0.0,
                                    y) < 0;
}

//---------------------------------- messages -------------------------------------

static void fail_smoothed_away(tacReader* reader, const tacElement* element, const part* p) {
    const tacNode* root = &p->model.node[p->shape.first + p->shape.count - 1];
    double smooth = p->model.param[root->smooth];
    int children = root->children > 0 ? root->children : 1;
    for (const tacElement* c = element->child; c && root->children == 0; c = c->next) ++children;
    tac_reader_fail(
        reader, TAC_ERROR_VALUE, tac_attribute_line(element, "smooth"), "smooth",
        "<%s> is empty at smooth = %g, which shrinks it by up to smooth ln(%d) = %g; reduce smooth",
        element->name, smooth, children, smooth * log((double)children));
}

static void fail_empty(tacReader* reader, const tacElement* element) {
    int planes = 0, line = element->child ? element->child->line : element->line;
    for (const tacElement* c = element->child; c; c = c->next) ++planes;
    if (strcmp(element->name, "intersection") == 0)
        tac_reader_fail(
            reader, TAC_ERROR_VALUE, element->line, element->name,
            "<intersection> is empty: no point lies in all of its parts; move or enlarge them");
    else if (strcmp(element->name, "difference") == 0)
        tac_reader_fail(
            reader, TAC_ERROR_VALUE, element->line, element->name,
            "<difference> is empty: the other parts cover all of the first; move or shrink them");
    else
        tac_reader_fail(reader, TAC_ERROR_VALUE, line, "<plane>",
                        "the plane%s cut%s away all of this <%s>; a plane keeps the side below z = "
                        "0 of its own frame, or n.y <= offset",
                        planes > 1 ? "s" : "", planes > 1 ? "" : "s", element->name);
}

//---------------------------------- all ------------------------------------------

static void check_candidate(tacReader* reader, const tacElement* element, part* p, search* s) {
    int root = p->shape.first + p->shape.count - 1, children = p->model.node[root].children;
    double* plane = tac_reader_alloc(reader, sizeof(double) * 4 * (size_t)(children + 1));
    if (!plane) return;
    int planes = p->bounded ? 0 : gather_planes(p, plane);
    s->part = p;
    int nonempty = planes ? planes_have_inside(p, plane, planes) : find_inside(s);
    if (nonempty || (!planes && !p->bounded)) return;
    double* param = lower_temperatures(reader, p);
    if (!param) return;
    part cooled = *p;
    cooled.model.param = param;
    cooled.model.shape = &cooled.shape;
    s->part = &cooled;
    if (planes ? planes_have_inside(&cooled, plane, planes) : find_inside(s))
        fail_smoothed_away(reader, element, p);
    else
        fail_empty(reader, element);
}

void tac_emptiness_check_all(tacSpec* spec, const tacModel* model) {
    tacReader* reader = &spec->reader;
    const emptinessCandidate* list = spec->assets.emptiness_checks.items;
    if (spec->assets.emptiness_checks.count == 0) return;
    tacScratch* scratch = NULL;
    size_t size = sizeof(tacNode) * (size_t)model->nnode;
    search* s = tac_reader_alloc(reader, sizeof *s);
    tacNode* nodes = tac_reader_alloc(reader, size);
    if (s && nodes && tac_shape_scratch_create(model, &scratch) != TAC_OK)
        tac_reader_fail(reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
    if (nodes) memcpy(nodes, model->node, size);
    for (int i = 0; i < spec->assets.emptiness_checks.count && reader->result == TAC_OK; ++i) {
        part p;
        int node = list[i].node;
        nodes[node].parent = -1;
        open_part(model, nodes, node, scratch, &p);
        check_candidate(reader, list[i].element, &p, s);
        nodes[node].parent = model->node[node].parent;
    }
    tac_scratch_destroy(scratch);
}
