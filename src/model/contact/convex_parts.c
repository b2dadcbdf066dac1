// Convex parts of geoms: the leaves of their shapes, with the vertices and faces of polyhedra.
//
//   planes --halfspace_intersection.h--> hull --[this file]--> model->contact->part

#include "mesh/convex/halfspace_intersection.h"
#include "model/contact/contact_plan.h"
#include "model/contact/geom_pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char advice[] =
    "use unions of spheres, capsules, boxes, cylinders, ellipsoids, superquadrics with exponents "
    "below 2 and polyhedra, and static half-spaces";

static void reject_geom(tacSpec* spec, const tacModel* model, int geom, const char* what) {
    const tacElement* element = tac_find_tactus(spec, "detect");
    const tacGeom* g = &model->geom[geom];
    const char* name = *g->name ? g->name : tac_reader_text(&spec->reader, "%d", geom);
    tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                    element ? tac_attribute_line(element, "detect") : 0, "detect",
                    "geom %.40s has %s: %s", name ? name : "", what, advice);
}

//---------------------------------- polyhedra ----------------------------------

static void add_polyhedron(tacSpec* spec, const tacHull* hull, tacConvexPart* part) {
    const size_t number = sizeof(double), index = sizeof(int);
    part->vertices = hull->nvertex;
    part->faces = hull->nface;
    part->number = spec->parts.number.count;
    part->index = spec->parts.index.count;
    tac_list_append(&spec->reader, &spec->parts.number, hull->vertex, 3 * hull->nvertex, number);
    tac_list_append(&spec->reader, &spec->parts.number, hull->normal, 3 * hull->nface, number);
    tac_list_append(&spec->reader, &spec->parts.number, hull->offset, hull->nface, number);
    tac_list_append(&spec->reader, &spec->parts.index, hull->first, hull->nface + 1, index);
    tac_list_append(&spec->reader, &spec->parts.index, hull->corner, hull->ncorner, index);
}

static double part_size(const tacSpec* spec, const tacConvexPart* part) {
    const double* x = (const double*)spec->parts.number.items + part->number;
    double size = 0.0;
    for (int i = 0; i < 3 * part->vertices; ++i) size = fmax(size, fabs(x[i]));
    return size;
}

static void read_polyhedron_part(tacSpec* spec, const tacModel* model, const tacNode* node,
                                 tacConvexPart* part) {
    tacMessage message = {0};
    tacHull* hull = NULL;
    tacResult result = tac_halfspace_intersection(model->param + node->block, node->block_count / 4,
                                                  spec->reader.allocator, &hull, &message);
    if (result != TAC_OK) {
        reject_geom(
            spec, model, part->geom,
            tac_reader_text(&spec->reader, "a polyhedron without vertices (%.80s)", message.text));
        return;
    }
    add_polyhedron(spec, hull, part);
    tac_hull_destroy(hull);
    if (spec->reader.result == TAC_OK)
        tac_warn_nonconvex(spec, &model->geom[part->geom], part_size(spec, part));
}

//---------------------------------- leaves ----------------------------------

// why a node is neither a convex part nor a union of them, or NULL
static const char* why_not_convex(const tacModel* model, const tacGeom* geom, const tacNode* node) {
    const tacReal* eps = model->param + node->eps;
    switch (node->kind) {
    case TAC_NODE_PLANE:
        return tac_moving_body(model, geom->body) == 0 ? NULL : "a moving half-space";
    case TAC_NODE_SUPERQUADRIC:
        return eps[0] < 2.0 && eps[1] < 2.0 ? NULL : "a superquadric with an exponent of 2";
    case TAC_NODE_CLOUD:
        return "a cloud of points";
    case TAC_NODE_SWEEP:
        return "a sweep";
    case TAC_NODE_INTERSECTION:
        return "an intersection";
    case TAC_NODE_DIFFERENCE:
        return "a difference";
    default:
        return NULL;
    }
}

static void read_convex_leaf(tacSpec* spec, const tacModel* model, int geom, int node_index) {
    const tacNode* node = &model->node[node_index];
    tacConvexPart part = {.geom = geom, .node = node_index, .kind = node->kind};
    const char* wrong = why_not_convex(model, &model->geom[geom], node);
    if (wrong) reject_geom(spec, model, geom, wrong);
    if (wrong || node->kind == TAC_NODE_UNION) return;
    if (node->kind == TAC_NODE_POLYHEDRON) read_polyhedron_part(spec, model, node, &part);
    tacConvexPart* out = tac_list_add(&spec->reader, &spec->parts.part, sizeof *out);
    if (out) *out = part;
}

// 1 for each geom of a pair
static char* mark_contact_geoms(tacSpec* spec, int ngeom) {
    const tacContactPair* pair = spec->contact.pair.items;
    char* in_contact = tac_reader_alloc(&spec->reader, (size_t)ngeom + 1);
    for (int i = 0; in_contact && i < spec->contact.pair.count; ++i)
        in_contact[pair[i].geom[0]] = in_contact[pair[i].geom[1]] = 1;
    return in_contact;
}

void tac_plan_convex_parts(tacSpec* spec) {
    const tacModel view = tac_spec_model_view(spec), *model = &view;
    const char* in_contact = mark_contact_geoms(spec, model->ngeom);
    for (int g = 0; g <= model->ngeom && spec->reader.result == TAC_OK; ++g) {
        int* first = tac_list_add(&spec->reader, &spec->parts.first, sizeof *first);
        if (!first) return;
        *first = spec->parts.part.count;
        if (g == model->ngeom || !in_contact[g]) continue;
        const tacShape* shape = &model->shape[model->geom[g].shape];
        for (int i = 0; i < shape->count && spec->reader.result == TAC_OK; ++i)
            read_convex_leaf(spec, model, g, shape->first + i);
    }
}
