// Convex parts of a model's geoms at their world poses.

#include "detect/convex_parts.h"

#include "detect/part_motion.h"
#include "shape/node_data.h"

#include <string.h>

int tac_convex_part_body(const tacModel* model, int part) {
    return model->geom[model->contact->part[part].geom].body;
}

static tacPose pose_at_offset(const tacModel* model, int position, int rotation) {
    return (tacPose){tac_load3(model->param + position), tac_quat_load(model->param + rotation)};
}

// from the leaf to the root of its shape and the geom
static tacPose part_pose(const tacModel* model, const tacConvexPart* part) {
    const tacGeom* geom = &model->geom[part->geom];
    tacPose pose = tac_pose_identity();
    for (int i = part->node; i >= 0; i = model->node[i].parent)
        pose = tac_pose_compose(
            pose_at_offset(model, model->node[i].position, model->node[i].rotation), pose);
    pose = tac_pose_compose(pose_at_offset(model, geom->position, geom->rotation), pose);
    pose.rotation = tac_quat_normalize(pose.rotation);
    return pose;
}

// what a number has beyond its double: a derivative, in complex numbers
static tacReal beyond_double(tacReal x) { return x / tac_re(x) - 1.0; }

static tacGrowth growth_beyond_double(const tacModel* model, const tacConvexPart* part) {
    int own[4], at = model->node[part->node].size;
    tacReal by[4];
    tac_part_sizes(part->kind, own);
    for (int k = 0; k < 4; ++k)
        by[k] = own[k] >= 0 ? beyond_double(model->param[at + own[k]]) : (tacReal)0.0;
    return (tacGrowth){{by[0], by[1], by[2]}, by[3]};
}

tacTransform tac_convex_part_transform(const tacModel* model, int part, tacPose body) {
    const tacConvexPart* p = &model->contact->part[part];
    tacPose pose = tac_pose_compose(body, part_pose(model, p));
    return (tacTransform){pose.position, tac_quat_to_mat(pose.rotation),
                          growth_beyond_double(model, p)};
}

// a constant: derivatives do not see it
static tacVec3 real_part(tacVec3 x) { return tac_vec3(tac_re(x.x), tac_re(x.y), tac_re(x.z)); }

tacVec3 tac_convex_pair_origin(const tacModel* model, const int part[2],
                               const tacTransform transform[2]) {
    int other = model->contact->part[part[0]].kind == TAC_NODE_PLANE;
    return real_part(transform[other].pos);
}

static void load_part_polyhedron(const tacModel* model, const tacConvexPart* p, tacConvex* c) {
    const double* numbers = model->contact->part_number + p->number;
    const int* index = model->contact->part_index + p->index;
    c->kind = TAC_CONVEX_POINTS;
    c->count = p->vertices;
    c->faces = p->faces;
    c->point = numbers;
    c->normal = numbers + 3 * p->vertices;
    c->offset = c->normal + 3 * p->faces;
    c->first = index;
    c->corner = index + p->faces + 1;
}

static void load_part_kind(const tacModel* model, const tacConvexPart* p, tacConvex* c) {
    const tacNode* node = &model->node[p->node];
    double size[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < tac_node_size_count(p->kind); ++k)
        size[k] = tac_re(model->param[node->size + k]);
    switch (p->kind) {
    case TAC_NODE_SPHERE:
        c->kind = TAC_CONVEX_POINTS;
        c->radius = size[0];
        return;
    case TAC_NODE_CAPSULE:
        c->kind = TAC_CONVEX_SEGMENT;
        c->radius = size[0];
        c->size[2] = size[1];
        return;
    case TAC_NODE_CYLINDER:
        c->kind = TAC_CONVEX_CYLINDER;
        c->size[0] = c->size[1] = size[0];
        c->size[2] = size[1];
        return;
    case TAC_NODE_PLANE:
        c->kind = TAC_CONVEX_HALF_SPACE;
        return;
    case TAC_NODE_POLYHEDRON:
        load_part_polyhedron(model, p, c);
        return;
    default:
        c->kind = p->kind == TAC_NODE_BOX         ? TAC_CONVEX_BOX
                  : p->kind == TAC_NODE_ELLIPSOID ? TAC_CONVEX_ELLIPSOID
                                                  : TAC_CONVEX_SUPERQUADRIC;
        memcpy(c->size, size, sizeof c->size);
        for (int k = 0; k < 2 && p->kind == TAC_NODE_SUPERQUADRIC; ++k)
            c->eps[k] = tac_re(model->param[node->eps + k]);
        return;
    }
}

tacConvex tac_convex_part_in(const tacModel* model, int part, const tacTransform* at) {
    tacConvex c = {.kind = TAC_CONVEX_POINTS};
    load_part_kind(model, &model->contact->part[part], &c);
    c.pos[0] = tac_re(at->pos.x);
    c.pos[1] = tac_re(at->pos.y);
    c.pos[2] = tac_re(at->pos.z);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) c.rot[i][j] = tac_re(at->rot.m[i][j]);
    }
    return c;
}

tacConvex tac_convex_part_at(const tacModel* model, int part, tacPose body) {
    tacTransform at = tac_convex_part_transform(model, part, body);
    return tac_convex_part_in(model, part, &at);
}
