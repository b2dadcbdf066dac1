// Convex pieces of a model's geoms, placed in the world.

#include "detect/pieces.h"

int tac_piece_body(const tacModel* model, int piece) {
    return model->geom[model->contact->piece[piece].geom].body;
}

static tacPose pose_at(const tacModel* model, int position, int rotation) {
    return (tacPose){tac_load3(model->param + position), tac_quat_load(model->param + rotation)};
}

// from the leaf to the root of its shape, the geom, the body
static tacPose pose_of(const tacModel* model, int piece, tacPose body) {
    const tacPiece* p = &model->contact->piece[piece];
    const tacGeom* geom = &model->geom[p->geom];
    tacPose pose = tac_pose_identity();
    for (int i = p->node; i >= 0; i = model->node[i].parent) {
        const tacNode* node = &model->node[i];
        pose = tac_pose_compose(pose_at(model, node->position, node->rotation), pose);
    }
    pose = tac_pose_compose(pose_at(model, geom->position, geom->rotation), pose);
    return tac_pose_compose(body, pose);
}

tacPlace tac_piece_place(const tacModel* model, int piece, tacPose body) {
    tacPose pose = pose_of(model, piece, body);
    return (tacPlace){pose.position, tac_quat_to_mat(pose.rotation)};
}

static double number(const tacModel* model, int offset, int i) {
    return tac_re(model->param[offset + i]);
}

static void load_polyhedron(const tacModel* model, const tacPiece* p, tacConvex* c) {
    const double* number_of = model->contact->piece_number + p->number;
    const int* index = model->contact->piece_index + p->index;
    c->kind = TAC_CONVEX_POINTS, c->count = p->corners, c->faces = p->faces;
    c->point = number_of, c->normal = number_of + 3 * p->corners;
    c->offset = c->normal + 3 * p->faces;
    c->first = index, c->corner = index + p->faces + 1;
}

static void load_kind(const tacModel* model, const tacPiece* p, tacConvex* c) {
    const tacNode* node = &model->node[p->node];
    switch (node->kind) {
    case TAC_NODE_SPHERE:
        c->kind = TAC_CONVEX_POINTS, c->radius = number(model, node->size, 0);
        return;
    case TAC_NODE_CAPSULE:
        c->kind = TAC_CONVEX_SEGMENT, c->radius = number(model, node->size, 0);
        c->size[2] = number(model, node->size, 1);
        return;
    case TAC_NODE_CYLINDER:
        c->kind = TAC_CONVEX_CYLINDER, c->size[0] = c->size[1] = number(model, node->size, 0);
        c->size[2] = number(model, node->size, 1);
        return;
    case TAC_NODE_PLANE:
        c->kind = TAC_CONVEX_HALF_SPACE;
        return;
    case TAC_NODE_POLYHEDRON:
        load_polyhedron(model, p, c);
        return;
    default:
        c->kind = node->kind == TAC_NODE_BOX         ? TAC_CONVEX_BOX
                  : node->kind == TAC_NODE_ELLIPSOID ? TAC_CONVEX_ELLIPSOID
                                                     : TAC_CONVEX_SUPERQUADRIC;
        for (int k = 0; k < 3; ++k) c->size[k] = number(model, node->size, k);
        if (c->kind != TAC_CONVEX_SUPERQUADRIC) return;
        for (int k = 0; k < 2; ++k) c->eps[k] = fmin(number(model, node->eps, k), 1.999);
        return;
    }
}

tacConvex tac_piece_at(const tacModel* model, int piece, tacPose body) {
    tacConvex c = {.kind = TAC_CONVEX_POINTS};
    tacPlace at = tac_piece_place(model, piece, body);
    load_kind(model, &model->contact->piece[piece], &c);
    c.pos[0] = tac_re(at.pos.x), c.pos[1] = tac_re(at.pos.y), c.pos[2] = tac_re(at.pos.z);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) c.rot[i][j] = tac_re(at.rot.m[i][j]);
    }
    return c;
}
