// Convex parts of a model's geoms at their world poses.

#include "detect/convex_parts.h"

#include <string.h>

int tac_convex_part_body(const tacModel* model, int part) {
    return model->geom[model->contact->part[part].geom].body;
}

tacTransform tac_convex_part_transform(const tacModel* model, int part, tacPose body) {
    const tacConvexPart* p = &model->contact->part[part];
    tacPose own = {{p->pos[0], p->pos[1], p->pos[2]},
                   {p->quat[0], p->quat[1], p->quat[2], p->quat[3]}};
    tacPose pose = tac_pose_compose(body, own);
    return (tacTransform){pose.position, tac_quat_to_mat(pose.rotation)};
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
    switch (p->kind) {
    case TAC_NODE_SPHERE:
        c->kind = TAC_CONVEX_POINTS;
        c->radius = p->size[0];
        return;
    case TAC_NODE_CAPSULE:
        c->kind = TAC_CONVEX_SEGMENT;
        c->radius = p->size[0];
        c->size[2] = p->size[1];
        return;
    case TAC_NODE_CYLINDER:
        c->kind = TAC_CONVEX_CYLINDER;
        c->size[0] = c->size[1] = p->size[0];
        c->size[2] = p->size[1];
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
        memcpy(c->size, p->size, sizeof c->size);
        memcpy(c->eps, p->eps, sizeof c->eps);
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
