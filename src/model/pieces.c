// Convex pieces of geoms: the leaves of their shapes, with the corners and faces of polyhedra.
//
//   planes --mesh/dual.h--> hull --[this file]--> model->contact->piece

#include "math/pose.h"
#include "mesh/dual.h"
#include "model/contact_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char advice[] = "it takes unions of spheres, capsules, boxes, cylinders, ellipsoids, "
                             "superquadrics with exponents below 2 and polyhedra, and half-spaces "
                             "that do not move";

static void refuse(tacDraft* draft, const tacModel* model, int geom, const char* what) {
    const tacElement* element = tac_find_tactus(draft, "detect");
    const tacGeom* g = &model->geom[geom];
    const char* name = *g->name ? g->name : tac_reader_text(&draft->reader, "%d", geom);
    tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED,
                    element ? tac_attribute_line(element, "detect") : 0, "detect",
                    "geom %.40s has %s: %s", name ? name : "", what, advice);
}

//---------------------------------- polyhedra ----------------------------------

// copies of `count` items behind those of a list
static void append(tacDraft* draft, tacList* list, const void* from, int count, size_t size) {
    for (int i = 0; i < count; ++i) {
        void* to = tac_list_add(&draft->reader, list, size);
        if (!to) return;
        memcpy(to, (const char*)from + (size_t)i * size, size);
    }
}

static void add_hull(tacDraft* draft, const tacHull* hull, tacPiece* piece) {
    const size_t number = sizeof(double), index = sizeof(int);
    piece->corners = hull->nvertex;
    piece->faces = hull->nface;
    piece->number = draft->piece_number.count;
    piece->index = draft->piece_index.count;
    append(draft, &draft->piece_number, hull->vertex, 3 * hull->nvertex, number);
    append(draft, &draft->piece_number, hull->normal, 3 * hull->nface, number);
    append(draft, &draft->piece_number, hull->offset, hull->nface, number);
    append(draft, &draft->piece_index, hull->first, hull->nface + 1, index);
    append(draft, &draft->piece_index, hull->corner, hull->ncorner, index);
}

static double size_of(const tacDraft* draft, const tacPiece* piece) {
    const double* x = (const double*)draft->piece_number.items + piece->number;
    double size = 0.0;
    for (int i = 0; i < 3 * piece->corners; ++i) size = fmax(size, fabs(x[i]));
    return size;
}

static void read_polyhedron(tacDraft* draft, const tacModel* model, const tacNode* node,
                            tacPiece* piece) {
    tacMessage message = {0};
    tacHull* hull = NULL;
    tacResult result = tac_planes_hull(model->param + node->block, node->block_count / 4,
                                       draft->reader.allocator, &hull, &message);
    if (result != TAC_OK) {
        refuse(
            draft, model, piece->geom,
            tac_reader_text(&draft->reader, "a polyhedron without corners (%.80s)", message.text));
        return;
    }
    add_hull(draft, hull, piece);
    tac_hull_destroy(hull);
    if (draft->reader.result == TAC_OK)
        tac_tell_hollow(draft, &model->geom[piece->geom], size_of(draft, piece));
}

//---------------------------------- leaves ----------------------------------

static int is_fixed(const tacModel* model, int body) {
    while (body > 0 && model->body[body].joints == 0) body = model->body[body].parent;
    return body == 0;
}

// what keeps a node from being a piece or a union of pieces, or NULL
static const char* complaint(const tacModel* model, const tacGeom* geom, const tacNode* node) {
    const tacReal* eps = model->param + node->eps;
    switch (node->kind) {
    case TAC_NODE_PLANE:
        return is_fixed(model, geom->body) ? NULL : "a half-space that moves";
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

static tacPose pose_at(const tacModel* model, int position, int rotation) {
    return (tacPose){tac_load3(model->param + position), tac_quat_load(model->param + rotation)};
}

// from the leaf to the root of its shape and the geom
static void read_place(const tacModel* model, const tacGeom* geom, int node, tacPiece* piece) {
    tacPose pose = tac_pose_identity();
    for (int i = node; i >= 0; i = model->node[i].parent)
        pose = tac_pose_compose(pose_at(model, model->node[i].position, model->node[i].rotation),
                                pose);
    pose = tac_pose_compose(pose_at(model, geom->position, geom->rotation), pose);
    tac_store3(piece->pos, pose.position);
    tac_quat_store(piece->quat, tac_quat_normalize(pose.rotation));
}

static void read_sizes(const tacModel* model, const tacNode* node, tacPiece* piece) {
    static const int sizes[TAC_NODE_KIND_COUNT] = {
        [TAC_NODE_SPHERE] = 1,  [TAC_NODE_SUPERQUADRIC] = 3, [TAC_NODE_ELLIPSOID] = 3,
        [TAC_NODE_CAPSULE] = 2, [TAC_NODE_CYLINDER] = 2,     [TAC_NODE_BOX] = 3};
    for (int k = 0; k < sizes[node->kind]; ++k) piece->size[k] = model->param[node->size + k];
    if (node->kind != TAC_NODE_SUPERQUADRIC) return;
    for (int k = 0; k < 2; ++k) piece->eps[k] = model->param[node->eps + k];
}

static void read_leaf(tacDraft* draft, const tacModel* model, int geom, int node_of) {
    const tacNode* node = &model->node[node_of];
    tacPiece piece = {.geom = geom, .kind = node->kind};
    const char* wrong = complaint(model, &model->geom[geom], node);
    if (wrong) refuse(draft, model, geom, wrong);
    if (wrong || node->kind == TAC_NODE_UNION) return;
    read_place(model, &model->geom[geom], node_of, &piece);
    read_sizes(model, node, &piece);
    if (node->kind == TAC_NODE_POLYHEDRON) read_polyhedron(draft, model, node, &piece);
    tacPiece* out = tac_list_add(&draft->reader, &draft->piece, sizeof *out);
    if (out) *out = piece;
}

// 1 for each geom of a pair
static char* list_touching(tacDraft* draft, int ngeom) {
    const tacContactPair* pair = draft->contact_pair.items;
    char* touches = tac_reader_take(&draft->reader, (size_t)ngeom + 1);
    for (int i = 0; touches && i < draft->contact_pair.count; ++i)
        touches[pair[i].geom[0]] = touches[pair[i].geom[1]] = 1;
    return touches;
}

void tac_plan_pieces(tacDraft* draft) {
    const tacModel now = tac_draft_view(draft), *model = &now;
    const char* touches = list_touching(draft, model->ngeom);
    for (int g = 0; g <= model->ngeom && draft->reader.result == TAC_OK; ++g) {
        int* first = tac_list_add(&draft->reader, &draft->piece_first, sizeof *first);
        if (!first) return;
        *first = draft->piece.count;
        if (g == model->ngeom || !touches[g]) continue;
        const tacShape* shape = &model->shape[model->geom[g].shape];
        for (int i = 0; i < shape->count && draft->reader.result == TAC_OK; ++i)
            read_leaf(draft, model, g, shape->first + i);
    }
}
