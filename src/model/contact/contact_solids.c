// Solids of geoms, for separating axes and convex programs: spheres, boxes, polyhedra, half-spaces
// and the outlines of planar geoms.
//
//   geoms, outlines --[this file]--> tacSpec --spec.c--> model->contact->solid

#include "math/pose.h"
#include "mesh/convex/halfspace_intersection.h"
#include "model/contact/contact_plan.h"
#include "model/mjcf/planar.h"

#include <math.h>
#include <string.h>

static void reject_geom(tacSpec* spec, const tacModel* model, int geom, const char* what) {
    const tacElement* element = tac_find_tactus(spec, "detect");
    const tacGeom* g = &model->geom[geom];
    const char* name = *g->name ? g->name : tac_reader_text(&spec->reader, "%d", geom);
    tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                    element ? tac_attribute_line(element, "detect") : 0, "detect", "geom %.40s %s",
                    name ? name : "", what);
}

#define KINDS                                                                                      \
    "; use spheres, boxes, polyhedra, planes, circles, rectangles, polygons or halfplanes; "       \
    "detect=\"gjk\" supports more"

//---------------------------------- kinds ----------------------------------------

static tacResult polyhedron_solid(const tacModel* model, const tacNode* node, tacPose pose,
                                  tacSolid** out, tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result = tac_halfspace_intersection(model->param + node->block, node->block_count / 4,
                                                  model->allocator, &hull, message);
    if (result != TAC_OK) return result;
    double* point = (double*)hull->vertex; // changed in place: this function owns the hull
    for (int i = 0; i < hull->nvertex; ++i)
        tac_store3(point + 3 * i, tac_pose_apply(pose, tac_load3(point + 3 * i)));
    result = tac_solid_create_polyhedron(point, hull->nvertex, out, message);
    tac_hull_destroy(hull);
    return result;
}

static tacResult box_solid(const double* size, tacPose pose, tacSolid** out, tacMessage* message) {
    double point[24];
    for (int i = 0; i < 8; ++i) {
        tacVec3 x = {i & 1 ? size[0] : -size[0], i & 2 ? size[1] : -size[1],
                     i & 4 ? size[2] : -size[2]};
        tac_store3(point + 3 * i, tac_pose_apply(pose, x));
    }
    return tac_solid_create_polyhedron(point, 8, out, message);
}

static tacResult halfspace_solid(tacPose pose, tacSolid** out, tacMessage* message) {
    tacVec3 n = tac_pose_rotate(pose, tac_vec3(0.0, 0.0, 1.0));
    const double normal[3] = {n.x, n.y, n.z};
    return tac_solid_create_halfspace(normal, tac_dot(n, pose.position), 0, out, message);
}

// the only leaf of a geom's shape, in the geom's frame
static tacResult leaf_solid(const tacModel* model, const tacNode* node, tacSolid** out,
                            tacMessage* message) {
    const double* p = model->param;
    tacPose pose = {tac_load3(p + node->position), tac_quat_load(p + node->rotation)};
    switch (node->kind) {
    case TAC_NODE_SPHERE:
        return tac_norm(pose.position) > 0.0
                   ? TAC_ERROR_UNSUPPORTED
                   : tac_solid_create_ball(p[node->size], 0, out, message);
    case TAC_NODE_BOX:
        return box_solid(p + node->size, pose, out, message);
    case TAC_NODE_POLYHEDRON:
        return polyhedron_solid(model, node, pose, out, message);
    case TAC_NODE_PLANE:
        return halfspace_solid(pose, out, message);
    default:
        return TAC_ERROR_UNSUPPORTED;
    }
}

static tacResult planar_solid(const tacPlanar* planar, tacSolid** out, tacMessage* message) {
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

static void store_solid(tacSpec* spec, const tacSolid* s) {
    tac_list_append(&spec->reader, &spec->solids.solid, s, 1, sizeof *s);
    tac_list_append(&spec->reader, &spec->solids.vertex, s->vertex, s->vertices, sizeof *s->vertex);
    tac_list_append(&spec->reader, &spec->solids.normal, s->normal, s->faces, sizeof *s->normal);
    tac_list_append(&spec->reader, &spec->solids.offset, s->offset, s->faces, sizeof *s->offset);
    tac_list_append(&spec->reader, &spec->solids.edge, s->edge, s->edges, sizeof *s->edge);
    tac_list_append(&spec->reader, &spec->solids.first, s->first, s->faces + 1, sizeof *s->first);
    tac_list_append(&spec->reader, &spec->solids.corner, s->corner, s->first[s->faces],
                    sizeof *s->corner);
}

//---------------------------------- geoms ----------------------------------------

static const tacPlanar* find_planar(const tacSpec* spec, int geom) {
    const tacPlanar* planar = spec->contact.planar.items;
    for (int i = 0; i < spec->contact.planar.count; ++i)
        if (planar[i].geom == geom) return &planar[i];
    return NULL;
}

static int has_contact_pair(const tacSpec* spec, int geom) {
    const tacContactPair* pair = spec->contact.pair.items;
    for (int i = 0; i < spec->contact.pair.count; ++i)
        if (pair[i].geom[0] == geom || pair[i].geom[1] == geom) return 1;
    return 0;
}

// z of a planar geom in the world: all its joints rotate about z only
static double height_of(const tacModel* model, int geom) {
    double z = model->param[model->geom[geom].position + 2];
    for (int b = model->geom[geom].body; b > 0; b = model->body[b].parent)
        z += model->param[model->body[b].position + 2];
    return z;
}

// Planar geoms collide in the plane z = 0, whatever their height. So the outline is shifted down by
// that height, and contacts remain functions of the poses.
static void shift_to_plane(tacSolid* solid, double height) {
    tacVec3* vertex = (tacVec3*)(uintptr_t)solid->vertex;
    for (int i = 0; i < solid->vertices; ++i) vertex[i].z -= height;
    solid->center.z -= height;
}

static void add_solid(tacSpec* spec, const tacModel* model, int geom) {
    const tacPlanar* planar = find_planar(spec, geom);
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    tacMessage message = {0};
    tacSolid* solid = NULL;
    tacResult result = TAC_ERROR_UNSUPPORTED;
    if (planar)
        result = planar_solid(planar, &solid, &message);
    else if (shape->count == 1)
        result = leaf_solid(model, &model->node[shape->first], &solid, &message);
    if (result == TAC_OK && planar) shift_to_plane(solid, height_of(model, geom));
    if (result == TAC_OK)
        store_solid(spec, solid);
    else
        reject_geom(spec, model, geom,
                    message.text[0] ? message.text
                                    : "is not convex with flat faces or a ball" KINDS);
    tac_solid_destroy(solid);
}

// does a rotation change the z axis?
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
static void check_planes(tacSpec* spec, const tacModel* model) {
    const tacPlanar* planar = spec->contact.planar.items;
    for (int i = 0; i < spec->contact.planar.count; ++i)
        if (leaves_plane(model, &planar[i]))
            reject_geom(spec, model, planar[i].geom,
                        "is planar, but it leaves the x-y plane (use planar joints, hinges about "
                        "z, slides along x and y)");
}

// planar geoms collide with planar ones only
static void check_pairs(tacSpec* spec, const tacModel* model) {
    const tacContactPair* pair = spec->contact.pair.items;
    for (int i = 0; i < spec->contact.pair.count; ++i) {
        int a = pair[i].geom[0], b = pair[i].geom[1];
        int first = find_planar(spec, a) != NULL, second = find_planar(spec, b) != NULL;
        if (first != second)
            reject_geom(
                spec, model, first ? b : a,
                "would collide with a planar geom; planar geoms collide with planar geoms only");
    }
}

void tac_plan_solids(tacSpec* spec) {
    const tacModel model = tac_spec_model_view(spec);
    const tacSolid none = {.first = (const int[1]){0}};
    check_pairs(spec, &model);
    check_planes(spec, &model);
    for (int g = 0; g < model.ngeom && spec->reader.result == TAC_OK; ++g)
        if (has_contact_pair(spec, g))
            add_solid(spec, &model, g);
        else
            store_solid(spec, &none);
}

//---------------------------------- refresh --------------------------------------

// Vertices of a box are its half sizes with signs, faces are across the axes. Planar ones lie at
// z = -height of their geom.
static void refresh_box(tacSolid* solid, const double* size, double height) {
    tacVec3* vertex = (tacVec3*)(uintptr_t)solid->vertex;
    double* offset = (double*)(uintptr_t)solid->offset;
    for (int i = 0; i < solid->vertices; ++i)
        vertex[i] = (tacVec3){copysign(size[0], vertex[i].x), copysign(size[1], vertex[i].y),
                              solid->planar ? -height : copysign(size[2], vertex[i].z)};
    for (int f = 0; f < solid->faces; ++f)
        offset[f] = tac_dot(solid->normal[f], vertex[solid->corner[solid->first[f]]]);
}

static void refresh_solid(const tacModel* model, int geom, tacSolid* solid) {
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    const tacNode* node = &model->node[shape->first];
    double height = solid->planar ? height_of(model, geom) : 0.0;
    tacVec3* vertex = (tacVec3*)(uintptr_t)solid->vertex;
    if (shape->count > 1 || solid->vertices == 0) return;
    for (int i = 0; i < solid->vertices && solid->planar; ++i) vertex[i].z = -height;
    if (solid->planar) solid->center.z = -height;
    if (solid->radius > 0.0) solid->radius = solid->size = model->param[node->size];
    if (node->kind != TAC_NODE_BOX) return;
    refresh_box(solid, model->param + node->size, height);
    solid->size = 0.0;
    for (int i = 0; i < solid->vertices; ++i)
        solid->size = fmax(solid->size, tac_distance(vertex[i], solid->center));
}

void tac_refresh_solids(tacModel* model) {
    tacSolid* solid = (tacSolid*)(uintptr_t)model->contact->solid; // the model is the caller's
    for (int g = 0; g < model->ngeom && solid; ++g)
        if (solid[g].vertices > 0) refresh_solid(model, g, &solid[g]);
}
