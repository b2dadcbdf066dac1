// Solids of geoms, for separating axes and convex programs: spheres, boxes, polyhedra, half-spaces
// and the outlines of planar geoms.
//
//   geoms, outlines --[this file]--> draft --draft.c--> model->contact->solid

#include "math/pose.h"
#include "mesh/dual.h"
#include "model/contact_plan.h"
#include "model/planar.h"

#include <math.h>
#include <string.h>

static void refuse(tacDraft* draft, const tacModel* model, int geom, const char* what) {
    const tacElement* element = tac_find_tactus(draft, "detect");
    const tacGeom* g = &model->geom[geom];
    const char* name = *g->name ? g->name : tac_reader_text(&draft->reader, "%d", geom);
    tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED,
                    element ? tac_attribute_line(element, "detect") : 0, "detect", "geom %.40s %s",
                    name ? name : "", what);
}

#define KINDS                                                                                      \
    "; it takes spheres, boxes, polyhedra, planes, circles, rectangles, polygons and halfplanes; " \
    "detect=\"gjk\" takes more"

//---------------------------------- kinds ----------------------------------------

static tacResult polyhedron(const tacModel* model, const tacNode* node, tacPose pose,
                            tacSolid** out, tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result = tac_planes_hull(model->param + node->block, node->block_count / 4,
                                       model->allocator, &hull, message);
    if (result != TAC_OK) return result;
    double* point = (double*)hull->vertex; // moved in place: the hull is ours
    for (int i = 0; i < hull->nvertex; ++i)
        tac_store3(point + 3 * i, tac_pose_apply(pose, tac_load3(point + 3 * i)));
    result = tac_solid_create_polyhedron(point, hull->nvertex, out, message);
    tac_hull_destroy(hull);
    return result;
}

static tacResult box(const double* size, tacPose pose, tacSolid** out, tacMessage* message) {
    double point[24];
    for (int i = 0; i < 8; ++i) {
        tacVec3 x = {i & 1 ? size[0] : -size[0], i & 2 ? size[1] : -size[1],
                     i & 4 ? size[2] : -size[2]};
        tac_store3(point + 3 * i, tac_pose_apply(pose, x));
    }
    return tac_solid_create_polyhedron(point, 8, out, message);
}

static tacResult half_space(tacPose pose, tacSolid** out, tacMessage* message) {
    tacVec3 n = tac_pose_rotate(pose, tac_vec3(0.0, 0.0, 1.0));
    const double normal[3] = {n.x, n.y, n.z};
    return tac_solid_create_halfspace(normal, tac_dot(n, pose.position), 0, out, message);
}

// the only leaf of a geom's shape, in the geom's frame
static tacResult spatial(const tacModel* model, const tacNode* node, tacSolid** out,
                         tacMessage* message) {
    const double* p = model->param;
    tacPose pose = {tac_load3(p + node->position), tac_quat_load(p + node->rotation)};
    switch (node->kind) {
    case TAC_NODE_SPHERE:
        return tac_norm(pose.position) > 0.0
                   ? TAC_ERROR_UNSUPPORTED
                   : tac_solid_create_ball(p[node->size], 0, out, message);
    case TAC_NODE_BOX:
        return box(p + node->size, pose, out, message);
    case TAC_NODE_POLYHEDRON:
        return polyhedron(model, node, pose, out, message);
    case TAC_NODE_PLANE:
        return half_space(pose, out, message);
    default:
        return TAC_ERROR_UNSUPPORTED;
    }
}

static tacResult outline(const tacPlanar* planar, tacSolid** out, tacMessage* message) {
    const double up[3] = {0.0, 1.0, 0.0};
    switch (planar->kind) {
    case TAC_PLANAR_CIRCLE:
        return tac_solid_create_ball(planar->size[0], 1, out, message);
    case TAC_PLANAR_RECTANGLE:
        return tac_solid_create_box(planar->size, 1, out, message);
    case TAC_PLANAR_POLYGON:
        return tac_solid_create_polygon(planar->corner, planar->corners, out, message);
    default:
        return tac_solid_create_halfspace(up, 0.0, 1, out, message);
    }
}

//---------------------------------- lists ----------------------------------------

static void append(tacDraft* draft, tacList* list, const void* from, int count, size_t size) {
    for (int i = 0; i < count; ++i) {
        void* to = tac_list_add(&draft->reader, list, size);
        if (!to) return;
        memcpy(to, (const char*)from + (size_t)i * size, size);
    }
}

static void keep(tacDraft* draft, const tacSolid* s) {
    append(draft, &draft->solid, s, 1, sizeof *s);
    append(draft, &draft->solid_vertex, s->vertex, s->vertices, sizeof *s->vertex);
    append(draft, &draft->solid_normal, s->normal, s->faces, sizeof *s->normal);
    append(draft, &draft->solid_offset, s->offset, s->faces, sizeof *s->offset);
    append(draft, &draft->solid_edge, s->edge, s->edges, sizeof *s->edge);
    append(draft, &draft->solid_first, s->first, s->faces + 1, sizeof *s->first);
    append(draft, &draft->solid_corner, s->corner, s->first[s->faces], sizeof *s->corner);
}

//---------------------------------- geoms ----------------------------------------

static const tacPlanar* outline_of(const tacDraft* draft, int geom) {
    const tacPlanar* planar = draft->planar.items;
    for (int i = 0; i < draft->planar.count; ++i)
        if (planar[i].geom == geom) return &planar[i];
    return NULL;
}

static int may_touch(const tacDraft* draft, int geom) {
    const tacContactPair* pair = draft->contact_pair.items;
    for (int i = 0; i < draft->contact_pair.count; ++i)
        if (pair[i].geom[0] == geom || pair[i].geom[1] == geom) return 1;
    return 0;
}

// z of a planar geom in the world: all that is below it turns about z alone
static double height_of(const tacModel* model, int geom) {
    double z = model->param[model->geom[geom].position + 2];
    for (int b = model->geom[geom].body; b > 0; b = model->body[b].parent)
        z += model->param[model->body[b].position + 2];
    return z;
}

// Planar geoms meet in the plane z = 0, however far above it they are drawn: so the outline is that
// much below the geom, and contacts stay functions of poses alone.
static void lower(tacSolid* solid, double height) {
    tacVec3* vertex = (tacVec3*)(uintptr_t)solid->vertex;
    for (int i = 0; i < solid->vertices; ++i) vertex[i].z -= height;
    solid->center.z -= height;
}

static void add_solid(tacDraft* draft, const tacModel* model, int geom) {
    const tacPlanar* planar = outline_of(draft, geom);
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    tacMessage message = {0};
    tacSolid* solid = NULL;
    tacResult result = TAC_ERROR_UNSUPPORTED;
    if (planar)
        result = outline(planar, &solid, &message);
    else if (shape->count == 1)
        result = spatial(model, &model->node[shape->first], &solid, &message);
    if (result == TAC_OK && planar) lower(solid, height_of(model, geom));
    if (result == TAC_OK)
        keep(draft, solid);
    else
        refuse(draft, model, geom,
               message.text[0] ? message.text : "is not convex with flat faces or a ball" KINDS);
    tac_solid_destroy(solid);
}

// does a rotation turn the z axis?
static int tilts(const double* quat) {
    return fabs(quat[1]) + fabs(quat[2]) > 1e-9 * (fabs(quat[0]) + fabs(quat[3]));
}

static int joint_leaves_plane(const tacModel* model, const tacJoint* j) {
    if (j->axis < 0) return 1;
    const double* axis = model->param + j->axis;
    double across = hypot(axis[0], axis[1]), along = fabs(axis[2]);
    return j->kind == TAC_JOINT_HINGE ? across > 1e-9 * along : along > 1e-9 * across;
}

// may the plane of the geom's outline leave x-y? A half-plane's geom itself is laid down.
static int leaves_plane(const tacModel* model, const tacPlanar* planar) {
    const tacGeom* g = &model->geom[planar->geom];
    if (planar->kind != TAC_PLANAR_HALFPLANE && tilts(model->param + g->rotation)) return 1;
    for (int b = g->body; b > 0; b = model->body[b].parent) {
        const tacBody* body = &model->body[b];
        if (tilts(model->param + body->rotation)) return 1;
        for (int j = body->first_joint; j < body->first_joint + body->joints; ++j)
            if (joint_leaves_plane(model, &model->joint[j])) return 1;
    }
    return 0;
}

// planar geoms stay in their plane
static void check_planes(tacDraft* draft, const tacModel* model) {
    const tacPlanar* planar = draft->planar.items;
    for (int i = 0; i < draft->planar.count; ++i)
        if (leaves_plane(model, &planar[i]))
            refuse(draft, model, planar[i].geom,
                   "is planar, and it or a joint below it turns or moves out of the x-y plane "
                   "(joints: planar, hinges about z, slides along x and y)");
}

// planar geoms meet planar ones
static void check_pairs(tacDraft* draft, const tacModel* model) {
    const tacContactPair* pair = draft->contact_pair.items;
    for (int i = 0; i < draft->contact_pair.count; ++i) {
        int a = pair[i].geom[0], b = pair[i].geom[1];
        int first = outline_of(draft, a) != NULL, second = outline_of(draft, b) != NULL;
        if (first != second)
            refuse(draft, model, first ? b : a,
                   "would meet a planar geom; planar ones meet one another alone");
    }
}

void tac_plan_solids(tacDraft* draft) {
    const tacModel model = tac_draft_view(draft);
    const tacSolid none = {.first = (const int[1]){0}};
    check_pairs(draft, &model);
    check_planes(draft, &model);
    for (int g = 0; g < model.ngeom && draft->reader.result == TAC_OK; ++g)
        if (may_touch(draft, g))
            add_solid(draft, &model, g);
        else
            keep(draft, &none);
}
