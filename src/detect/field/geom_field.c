// The field of a geom bound in axes of its body.
//
// Lower bounds of the field (docs/manifold.md): a union's is the least of its
// children's, less blend_drop, what blending takes away; a difference is no less than its first
// child.

#include "detect/field/geom_field.h"

#include "detect/field/field_pose.h"

#include <math.h>
#include <string.h>

//---------------------------------- lower bounds ---------------------------------

static void box_lower_bound(tacLowerBoundNode* n, const tacNodeData* b, tacReal offset,
                            const tacReal half[3]) {
    n->kind = TAC_LOWER_BOUND_BOX;
    for (int k = 0; k < 3; ++k) {
        n->scale[k] = 1.0;
        n->offset[k] = half[k] + offset;
    }
    (void)b;
}

// A superquadric lies in its box, so g >= |y_k|/a_k, and its tangent distance is (g - 1) times the
// height of a tangent plane, which is `inner` at least; the radial one is no less than the distance
// to the box
static void superquadric_lower_bound(tacLowerBoundNode* n, const tacNodeData* b) {
    n->kind = TAC_LOWER_BOUND_BOX;
    for (int k = 0; k < 3; ++k) {
        int radial = b->distance == TAC_DISTANCE_RADIAL;
        n->scale[k] = radial ? 1.0 : b->inner / b->size[k];
        n->offset[k] = radial ? b->size[k] : b->inner;
    }
}

static void plane_lower_bound(tacLowerBoundNode* n) {
    n->kind = TAC_LOWER_BOUND_BOX;
    n->side_sign = -1.0;
    for (int k = 0; k < 3; ++k) {
        n->scale[k] = k == 2 ? 1.0 : 0.0;
        n->offset[k] = k == 2 ? 0.0 : 1e300;
    }
}

static void planes_lower_bound(tacLowerBoundNode* n, const tacNodeData* b) {
    double longest = 0.0;
    n->kind = TAC_LOWER_BOUND_PLANES;
    n->plane = b->block;
    n->planes = b->block_count / 4;
    for (int i = 0; i < b->block_count; i += 4) {
        const tacReal* p = &b->block[i];
        longest = fmax(longest, tac_re(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]));
    }
    n->lipschitz = sqrt(longest);
}

static void leaf_lower_bound(tacLowerBoundNode* n, const tacNodeData* b) {
    const tacReal* a = b->size;
    const tacReal ball[3] = {a[0], a[0], a[0]}, rod[3] = {a[0], a[0], a[1]};
    const tacReal pill[3] = {a[0], a[0], a[1] + a[0]};
    n->frame = b->frame;
    n->side_sign = 1.0;
    n->kind = TAC_LOWER_BOUND_NONE;
    if (b->kind == TAC_NODE_SUPERQUADRIC) superquadric_lower_bound(n, b);
    if (b->kind == TAC_NODE_POLYHEDRON) planes_lower_bound(n, b);
    if (b->kind == TAC_NODE_PLANE) plane_lower_bound(n);
    if (b->kind == TAC_NODE_SPHERE) box_lower_bound(n, b, 0.0, ball);
    // edges are rounded by the width
    if (b->kind == TAC_NODE_BOX) box_lower_bound(n, b, b->width, a);
    if (b->kind == TAC_NODE_CYLINDER) box_lower_bound(n, b, b->width, rod);
    if (b->kind == TAC_NODE_CAPSULE) box_lower_bound(n, b, b->width, pill);
}

static tacLowerBoundKind blend_kind(tacNodeKind kind) {
    return kind == TAC_NODE_UNION        ? TAC_LOWER_BOUND_MIN
           : kind == TAC_NODE_DIFFERENCE ? TAC_LOWER_BOUND_FIRST
                                         : TAC_LOWER_BOUND_MAX;
}

// combinations that are open at once
static int tree_depth(const tacShapeProgram* p) {
    int most = 0;
    for (int i = 0; i < p->shape->count; ++i) {
        int depth = 0;
        for (int n = p->shape->first + i; n >= 0; n = p->model->node[n].parent) ++depth;
        most = depth > most ? depth : most;
    }
    return most;
}

static void bind_lower_bounds(tacGeomField* field) {
    const tacShapeProgram* p = &field->program;
    field->lower_bounds = p->shape->count;
    memset(field->lower_bound, 0, sizeof(tacLowerBoundNode) * (size_t)field->lower_bounds);
    for (int i = 0; i < field->lower_bounds; ++i) {
        const tacNode* node = &p->model->node[p->shape->first + i];
        tacLowerBoundNode* n = &field->lower_bound[i];
        n->first = node->parent < 0 || tac_node_is_first(p, i);
        if (node->parent >= 0) n->parent_kind = blend_kind(p->model->node[node->parent].kind);
        if (node->children == 0) {
            leaf_lower_bound(n, &p->node_data[i]);
        } else {
            n->kind = blend_kind(node->kind);
            n->end = p->node_data[i].end > 0.0 ? p->node_data[i].end : 1e300;
            if (n->kind == TAC_LOWER_BOUND_MIN)
                n->blend_drop = tac_blend_gap(node, &p->node_data[i]);
        }
    }
    if (tree_depth(p) > TAC_LOWER_BOUND_STACK) {
        field->lower_bounds = 1;
        field->lower_bound[0] = (tacLowerBoundNode){.kind = TAC_LOWER_BOUND_NONE, .first = 1};
    }
}

static int is_box(const tacLowerBoundNode* n) {
    return n->kind == TAC_LOWER_BOUND_BOX && n->side_sign > 0.0;
}

// boxes that can be named by bits
static void find_leaves(tacGeomField* field) {
    int last = field->lower_bounds - 1, count = last == 0 ? 1 : last;
    field->leaves = count <= 64 ? count : 0;
    field->blend_drop = 0.0;
    field->end = 0.0;
    for (int i = 0; i < count; ++i)
        if (!is_box(&field->lower_bound[i])) field->leaves = 0;
    if (last == 0) return;
    if (field->lower_bound[last].kind != TAC_LOWER_BOUND_MIN) field->leaves = 0;
    field->blend_drop = field->lower_bound[last].blend_drop;
    field->end = field->program.node_data[last].end;
}

// a millionth of the place of the leaf is more than single precision rounds
static void bind_float_bound(const tacLowerBoundNode* n, tacFloatBounds* r, int at) {
    double extent = 0.0;
    for (int k = 0; k < 3; ++k) extent += fabs(tac_re(n->frame.origin[k]));
    for (int k = 0; k < 3; ++k) {
        double scale = tac_re(n->scale[k]), shift = 0.0;
        for (int j = 0; j < 3; ++j) {
            double R = scale * tac_re(n->frame.R.m[j][k]);
            shift -= R * tac_re(n->frame.origin[j]);
            r->R[k][j][at] = (float)R;
        }
        r->shift[k][at] = (float)shift;
        r->scale[k][at] = (float)(1.000001 * scale);
        r->offset[k][at] = (float)(1.000001 * tac_re(n->offset[k]) + 1e-6 * extent);
    }
}

// rows of eight; places without a leaf are read and mean nothing
static int float_bound_rows(int leaves) {
    return (leaves + TAC_FLOAT_BOUNDS - 1) / TAC_FLOAT_BOUNDS;
}

static void bind_float_bounds(tacGeomField* field) {
    find_leaves(field);
    memset(field->float_bounds, 0,
           sizeof *field->float_bounds * (size_t)float_bound_rows(field->lower_bounds));
    for (int i = 0; i < field->leaves; ++i)
        bind_float_bound(&field->lower_bound[i], &field->float_bounds[i / TAC_FLOAT_BOUNDS],
                         i % TAC_FLOAT_BOUNDS);
}

//---------------------------------- boxes ----------------------------------------

static void join_boxes(tacFeatureBox* all, const double middle[3], const double half[3],
                       int first) {
    for (int k = 0; k < 3; ++k) {
        double low = middle[k] - half[k], high = middle[k] + half[k];
        if (!first) low = fmin(low, all->middle[k] - all->half[k]);
        if (!first) high = fmax(high, all->middle[k] + all->half[k]);
        all->middle[k] = 0.5 * (low + high);
        all->half[k] = 0.5 * (high - low);
    }
}

// where a leaf's lower bound is below `range`, body axes; 0: it has no end
static int leaf_box(const tacLowerBoundNode* n, double range, double middle[3], double half[3]) {
    double own[3];
    if (n->kind != TAC_LOWER_BOUND_BOX || n->side_sign < 0.0) return 0;
    for (int k = 0; k < 3; ++k) own[k] = (range + tac_re(n->offset[k])) / tac_re(n->scale[k]);
    for (int i = 0; i < 3; ++i) {
        middle[i] = tac_re(n->frame.origin[i]);
        half[i] = 0.0;
        for (int k = 0; k < 3; ++k) half[i] += fabs(tac_re(n->frame.R.m[i][k])) * own[k];
        if (!(half[i] < TAC_UNBOUNDED)) return 0;
    }
    return 1;
}

tacFeatureBox tac_geom_field_box(const tacGeomField* field, double range) {
    tacFeatureBox all = {{0.0}, {TAC_UNBOUNDED, TAC_UNBOUNDED, TAC_UNBOUNDED}};
    int first = 1;
    for (int i = 0; i < field->lower_bounds; ++i) range += tac_re(field->lower_bound[i].blend_drop);
    if (field->end > 0.0 && field->end <= range) return all;
    for (int i = 0; i < field->lower_bounds; ++i) {
        double middle[3], half[3];
        if (field->lower_bound[i].kind >= TAC_LOWER_BOUND_MIN) continue;
        if (!leaf_box(&field->lower_bound[i], range, middle, half))
            return (tacFeatureBox){{0.0}, {TAC_UNBOUNDED, TAC_UNBOUNDED, TAC_UNBOUNDED}};
        join_boxes(&all, middle, half, first);
        first = 0;
    }
    return all;
}

// around where records may be; without a number for that, everywhere
static void bind_box(const tacModel* model, tacGeomField* field) {
    int support = model->contact ? model->contact->number[TAC_CONTACT_SUPPORT] : -1;
    field->range = support >= 0 ? tac_re(model->param[support]) : -INFINITY;
    field->box = tac_geom_field_box(field, support >= 0 ? field->range : TAC_UNBOUNDED);
}

//---------------------------------- all of it ------------------------------------

static void alloc_bounds(tacGeomField* field, int nodes, tacArena* arena) {
    field->lower_bound = TAC_ALLOC(arena, tacLowerBoundNode, nodes);
    field->float_bounds = TAC_ALLOC(arena, tacFloatBounds, float_bound_rows(nodes));
}

void tac_geom_field_measure(const tacShape* shape, tacArena* arena) {
    tacGeomField field;
    TAC_ALLOC(arena, tacNodeData, shape->count);
    tac_cull_alloc(shape->count, arena);
    alloc_bounds(&field, shape->count, arena);
}

tacGeomField tac_geom_field_bind(const tacModel* model, int geom, tacScratch* scratch) {
    tacGeomField field;
    field.program = tac_shape_program_bind(model, model->geom[geom].shape,
                                           tac_field_pose(model, &model->geom[geom]), scratch);
    field.culling = tac_cull_bind(&field.program, scratch);
    alloc_bounds(&field, field.program.shape->count, &scratch->arena);
    bind_lower_bounds(&field);
    bind_float_bounds(&field);
    bind_box(model, &field);
    return field;
}
