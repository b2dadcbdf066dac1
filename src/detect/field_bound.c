// The field of a geom bound in axes of its body.
//
// The floor is a bound of the field from below (docs/manifold.md): a union's is the least of its
// children's, less what blending takes away; a difference is no less than its first child.

#include "detect/field_bound.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

//---------------------------------- floors ---------------------------------------

static void box_floor(tacFloorNode* n, const tacBound* b, tacReal less, const tacReal half[3]) {
    n->kind = TAC_FLOOR_BOX;
    for (int k = 0; k < 3; ++k) {
        n->scale[k] = 1.0;
        n->less[k] = half[k] + less;
    }
    (void)b;
}

// A superquadric lies in its box, so g >= |y_k|/a_k, and its tangent distance is (g - 1) times the
// height of a tangent plane, which is `inner` at least; the radial one is no less than the distance
// to the box
static void superquadric_floor(tacFloorNode* n, const tacBound* b) {
    n->kind = TAC_FLOOR_BOX;
    for (int k = 0; k < 3; ++k) {
        int radial = b->distance == TAC_DISTANCE_RADIAL;
        n->scale[k] = radial ? 1.0 : b->inner / b->size[k];
        n->less[k] = radial ? b->size[k] : b->inner;
    }
}

static void plane_floor(tacFloorNode* n) {
    n->kind = TAC_FLOOR_BOX;
    n->sided = -1.0;
    for (int k = 0; k < 3; ++k) {
        n->scale[k] = k == 2 ? 1.0 : 0.0;
        n->less[k] = k == 2 ? 0.0 : 1e300;
    }
}

static void planes_floor(tacFloorNode* n, const tacBound* b) {
    double longest = 0.0;
    n->kind = TAC_FLOOR_PLANES;
    n->plane = b->block;
    n->planes = b->block_count / 4;
    for (int i = 0; i < b->block_count; i += 4) {
        const tacReal* p = &b->block[i];
        longest = fmax(longest, tac_re(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    n->steep = sqrt(longest);
}

static void leaf_floor(tacFloorNode* n, const tacBound* b) {
    const tacReal* a = b->size;
    const tacReal ball[3] = {a[0], a[0], a[0]}, rod[3] = {a[0], a[0], a[1]};
    const tacReal pill[3] = {a[0], a[0], a[1] + a[0]};
    n->frame = b->frame;
    n->sided = 1.0;
    n->kind = TAC_FLOOR_NONE;
    if (b->kind == TAC_NODE_SUPERQUADRIC) superquadric_floor(n, b);
    if (b->kind == TAC_NODE_POLYHEDRON) planes_floor(n, b);
    if (b->kind == TAC_NODE_PLANE) plane_floor(n);
    if (b->kind == TAC_NODE_SPHERE) box_floor(n, b, 0.0, ball);
    // edges are rounded by the width
    if (b->kind == TAC_NODE_BOX) box_floor(n, b, b->width, a);
    if (b->kind == TAC_NODE_CYLINDER) box_floor(n, b, b->width, rod);
    if (b->kind == TAC_NODE_CAPSULE) box_floor(n, b, b->width, pill);
}

static tacFloorKind blend_floor(tacNodeKind kind) {
    return kind == TAC_NODE_UNION        ? TAC_FLOOR_LEAST
           : kind == TAC_NODE_DIFFERENCE ? TAC_FLOOR_FIRST
                                         : TAC_FLOOR_MOST;
}

// combinations that are open at once
static int open_nodes(const tacProgram* p) {
    int most = 0;
    for (int i = 0; i < p->shape->count; ++i) {
        int depth = 0;
        for (int n = p->shape->first + i; n >= 0; n = p->model->node[n].parent) ++depth;
        most = depth > most ? depth : most;
    }
    return most;
}

static void bind_floors(tacFieldBound* field, tacScratch* scratch) {
    const tacProgram* p = &field->program;
    field->floors = p->shape->count;
    field->floor = TAC_TAKE(&scratch->arena, tacFloorNode, field->floors);
    memset(field->floor, 0, sizeof(tacFloorNode) * (size_t)field->floors);
    for (int i = 0; i < field->floors; ++i) {
        const tacNode* node = &p->model->node[p->shape->first + i];
        tacFloorNode* n = &field->floor[i];
        n->first = node->parent < 0 || tac_is_first(p, i);
        if (node->parent >= 0) n->into = blend_floor(p->model->node[node->parent].kind);
        if (node->children == 0) {
            leaf_floor(n, &p->bound[i]);
        } else {
            n->kind = blend_floor(node->kind);
            n->end = p->bound[i].end > 0.0 ? p->bound[i].end : 1e300;
            if (n->kind == TAC_FLOOR_LEAST) n->rise = tac_blend_rise(node, &p->bound[i]);
        }
    }
    if (open_nodes(p) > TAC_FLOOR_STACK) {
        field->floors = 1;
        field->floor[0] = (tacFloorNode){.kind = TAC_FLOOR_NONE, .first = 1};
    }
}

static int is_box(const tacFloorNode* n) { return n->kind == TAC_FLOOR_BOX && n->sided > 0.0; }

// boxes that can be named by bits
static void find_leaves(tacFieldBound* field) {
    int last = field->floors - 1, count = last == 0 ? 1 : last;
    field->leaves = count <= 64 ? count : 0;
    field->rise = 0.0;
    field->end = 0.0;
    for (int i = 0; i < count; ++i)
        if (!is_box(&field->floor[i])) field->leaves = 0;
    if (last == 0) return;
    if (field->floor[last].kind != TAC_FLOOR_LEAST) field->leaves = 0;
    field->rise = field->floor[last].rise;
    field->end = field->program.bound[last].end;
}

// a millionth of the place of the leaf is more than single precision rounds
static void bind_rough_floor(const tacFloorNode* n, tacRoughFloors* r, int at) {
    double far = 0.0;
    for (int k = 0; k < 3; ++k) far += fabs(tac_re(n->frame.origin[k]));
    for (int k = 0; k < 3; ++k) {
        double scale = tac_re(n->scale[k]), shift = 0.0;
        for (int j = 0; j < 3; ++j) {
            double R = scale * tac_re(n->frame.R.m[j][k]);
            shift -= R * tac_re(n->frame.origin[j]);
            r->R[k][j][at] = (float)R;
        }
        r->shift[k][at] = (float)shift;
        r->scale[k][at] = (float)(1.000001 * scale);
        r->less[k][at] = (float)(1.000001 * tac_re(n->less[k]) + 1e-6 * far);
    }
}

// rows of eight; places without a leaf are read and mean nothing
static int rough_rows(int leaves) { return (leaves + TAC_ROUGH_FLOORS - 1) / TAC_ROUGH_FLOORS; }

static void bind_rough(tacFieldBound* field, tacScratch* scratch) {
    find_leaves(field);
    field->rough = TAC_TAKE(&scratch->arena, tacRoughFloors, rough_rows(field->floors));
    memset(field->rough, 0, sizeof *field->rough * (size_t)rough_rows(field->floors));
    for (int i = 0; i < field->leaves; ++i)
        bind_rough_floor(&field->floor[i], &field->rough[i / TAC_ROUGH_FLOORS],
                         i % TAC_ROUGH_FLOORS);
}

//---------------------------------- boxes ----------------------------------------

static void join(tacFeatureBox* all, const double middle[3], const double half[3], int first) {
    for (int k = 0; k < 3; ++k) {
        double low = middle[k] - half[k], high = middle[k] + half[k];
        if (!first) low = fmin(low, all->middle[k] - all->half[k]);
        if (!first) high = fmax(high, all->middle[k] + all->half[k]);
        all->middle[k] = 0.5 * (low + high);
        all->half[k] = 0.5 * (high - low);
    }
}

// where a leaf's floor is below `range`, body axes; 0: it has no end
static int leaf_box(const tacFloorNode* n, double range, double middle[3], double half[3]) {
    double own[3];
    if (n->kind != TAC_FLOOR_BOX || n->sided < 0.0) return 0;
    for (int k = 0; k < 3; ++k) own[k] = (range + tac_re(n->less[k])) / tac_re(n->scale[k]);
    for (int i = 0; i < 3; ++i) {
        middle[i] = tac_re(n->frame.origin[i]);
        half[i] = 0.0;
        for (int k = 0; k < 3; ++k) half[i] += fabs(tac_re(n->frame.R.m[i][k])) * own[k];
        if (!(half[i] < TAC_ENDLESS)) return 0;
    }
    return 1;
}

tacFeatureBox tac_field_box(const tacFieldBound* field, double range) {
    tacFeatureBox all = {{0.0}, {TAC_ENDLESS, TAC_ENDLESS, TAC_ENDLESS}};
    int first = 1;
    for (int i = 0; i < field->floors; ++i) range += tac_re(field->floor[i].rise);
    if (field->end > 0.0 && field->end <= range) return all;
    for (int i = 0; i < field->floors; ++i) {
        double middle[3], half[3];
        if (field->floor[i].kind >= TAC_FLOOR_LEAST) continue;
        if (!leaf_box(&field->floor[i], range, middle, half))
            return (tacFeatureBox){{0.0}, {TAC_ENDLESS, TAC_ENDLESS, TAC_ENDLESS}};
        join(&all, middle, half, first);
        first = 0;
    }
    return all;
}

// around where records may be; without a number for that, everywhere
static void bind_box(const tacModel* model, tacFieldBound* field) {
    int support = model->contact ? model->contact->number[TAC_CONTACT_SUPPORT] : -1;
    field->range = support >= 0 ? tac_re(model->param[support]) : -INFINITY;
    field->box = tac_field_box(field, support >= 0 ? field->range : TAC_ENDLESS);
}

//---------------------------------- all of it ------------------------------------

static tacPose local_pose(const tacModel* model, int geom) {
    const tacGeom* g = &model->geom[geom];
    return (tacPose){tac_load3(&model->param[g->position]),
                     tac_quat_load(&model->param[g->rotation])};
}

size_t tac_field_size(const tacShape* shape) {
    size_t nodes = (size_t)shape->count;
    return tac_arena_need(sizeof(tacBound) * nodes) + tac_cull_size(shape->count) +
           tac_arena_need(sizeof(tacFloorNode) * nodes) +
           tac_arena_need(sizeof(tacRoughFloors) * (size_t)rough_rows(shape->count));
}

tacFieldBound tac_field_bind(const tacModel* model, int geom, tacScratch* scratch) {
    tacFieldBound field;
    field.program =
        tac_program_bind(model, model->geom[geom].shape, local_pose(model, geom), scratch);
    field.culling = tac_cull_bind(&field.program, scratch);
    bind_floors(&field, scratch);
    bind_rough(&field, scratch);
    bind_box(model, &field);
    return field;
}
