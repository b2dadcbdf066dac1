// Contacts of all pairs of a scene that its convex pieces rest on: detect="gjk".
//
//   pieces.h --rest.h (doubles)--> features --patch.h (any number)--> points, normals,
//   distances

#include "detect/closest.h"
#include "detect/detect.h"
#include "detect/hard.h"
#include "detect/pieces.h"
#include "detect/rest.h"

#include <string.h>

//---------------------------------- memory ----------------------------------

static size_t aligned(size_t size) { return (size + 15) / 16 * 16; }

// what the search takes: pieces in the world, their reaches
typedef struct stage {
    tacConvex* piece;
    double* reach;
    void* rest;
} stage;

static stage set_stage(const tacModel* model, const tacPose* body, void* memory) {
    int count = model->contact->npiece;
    stage s = {.piece = memory};
    s.reach = (double*)((char*)memory + aligned(sizeof(tacConvex) * (size_t)count));
    s.rest = (char*)s.reach + aligned(sizeof(double) * (size_t)count);
    for (int i = 0; i < count; ++i) {
        s.piece[i] = tac_piece_at(model, i, body[tac_piece_body(model, i)]);
        s.reach[i] = tac_convex_reach(&s.piece[i]);
    }
    return s;
}

// most contacts of two pieces: round ones touch in a point, a segment leaves a face twice
static int most_contacts(const tacPiece* a, const tacPiece* b) {
    const tacPiece* both[2] = {a, b};
    int most = TAC_REST_POINTS;
    for (int i = 0; i < 2; ++i) {
        tacNodeKind kind = both[i]->kind;
        if (kind == TAC_NODE_SPHERE || kind == TAC_NODE_ELLIPSOID || kind == TAC_NODE_SUPERQUADRIC)
            return 1;
        if (kind == TAC_NODE_CAPSULE) most = 5;
    }
    return most;
}

// All pairs at once, but no more than eight neighbours with eight contacts for each piece: so many
// that touch are an error, and a thousand bodies fit into memory.
int tac_hard_capacity(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    long long count = 0, most = 64ll * plan->npiece;
    for (int p = 0; p < plan->npair && count < most; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->piece_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j)
                count += most_contacts(&plan->piece[i], &plan->piece[j]);
        }
    }
    return (int)(count < most ? count : most);
}

//---------------------------------- one contact ----------------------------------

// no derivative of the features: the normal stays with the first body
static void hold(const tacPatchPoint* at, tacReal D[7][6]) {
    const tacReal n[3] = {at->normal.x, at->normal.y, at->normal.z};
    tacMat3 arm = tac_skew(tac_sub(at->core[1], at->point));
    memset(D, 0, 7 * sizeof D[0]);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            D[i][j] = i == j ? 0.5 : 0.0;
            D[i][3 + j] = -0.5 * arm.m[i][j];
            D[6][3 + j] -= n[i] * arm.m[i][j];
        }
        D[6][i] = n[i];
    }
}

static void store_twist(const tacPatchPair* touch, tacPlace a, tacPlace b, const tacPatchPoint* at,
                        tacContacts* out, int i) {
    tacReal D[7][6];
    if (tac_patch_pair_jacobian(touch, a, b, at, D) != TAC_OK) hold(at, D);
    for (int row = 0; row < 8; ++row) {
        for (int k = 0; k < 6; ++k) out->d_twist[row][k][i] = row < 7 ? D[row][k] : (tacReal)0.0;
    }
}

static void store_point(const tacPatchPoint* at, tacContacts* out, int i) {
    const tacReal p[3] = {at->point.x, at->point.y, at->point.z};
    const tacReal n[3] = {at->normal.x, at->normal.y, at->normal.z};
    for (int k = 0; k < 3; ++k) {
        out->point[k][i] = p[k];
        out->normal[k][i] = n[k];
    }
    out->distance[i] = at->distance;
    out->activity[i] = 1.0;
}

// the record of a touch between two pieces
tacResult tac_hard_follow(const tacModel* model, const tacPose* body, const tacHardTouch* of,
                          tacContacts* out) {
    const tacContactPlan* plan = model->contact;
    const tacPatchPair* touch = &of->features;
    int pair = of->pair;
    const int *geom = plan->pair[pair].geom, *piece = of->piece;
    int i = out->count;
    tacPatchPoint at;
    tacPlace place[2];
    if (i == out->capacity) return TAC_ERROR_CAPACITY;
    for (int k = 0; k < 2; ++k)
        place[k] = tac_piece_place(model, piece[k], body[plan->pair[pair].body[k]]);
    if (tac_patch_pair_at(touch, place[0], place[1], &at) != TAC_OK)
        return TAC_OK; // lost in rounding
    store_point(&at, out, i);
    if (out->d_twist[0][0]) store_twist(touch, place[0], place[1], &at, out, i);
    out->pair[i] = pair;
    out->bundle[i] = -1;
    for (int k = 0; k < 2; ++k) out->geom[k][i] = geom[k];
    out->feature[i] = tac_patch_pair_code(touch, piece[0] - plan->piece_first[geom[0]],
                                          piece[1] - plan->piece_first[geom[1]]);
    ++out->count;
    return TAC_OK;
}

tacResult tac_hard_nearest(const tacModel* model, const tacPose* body, const tacHardTouch* of,
                           tacContacts* out, void* memory) {
    const int* side = model->contact->pair[of->pair].body;
    tacConvex piece[2];
    tacHardTouch now = {of->pair, {of->piece[0], of->piece[1]}, {.pair = 0}};
    tacNearest near;
    tacWalk walk = {.count = 0};
    for (int k = 0; k < 2; ++k) piece[k] = tac_piece_at(model, of->piece[k], body[side[k]]);
    tac_closest(&piece[0], &piece[1], &walk, &near, &now.features, memory);
    return tac_hard_follow(model, body, &now, out);
}

//---------------------------------- all pairs ----------------------------------

// can the balls around the pieces, or ball and half-space, be as near as the margin?
static int may_touch(const stage* s, const int piece[2], double margin) {
    const tacConvex *a = &s->piece[piece[0]], *b = &s->piece[piece[1]];
    double w[3], reach = s->reach[piece[0]] + s->reach[piece[1]] + margin;
    for (int k = 0; k < 3; ++k) w[k] = b->pos[k] - a->pos[k];
    if (a->kind == TAC_CONVEX_HALF_SPACE || b->kind == TAC_CONVEX_HALF_SPACE) {
        int first = a->kind == TAC_CONVEX_HALF_SPACE;
        const tacConvex* plane = first ? a : b;
        double height = 0.0;
        for (int k = 0; k < 3; ++k) height += plane->rot[k][2] * (first ? w[k] : -w[k]);
        return height <= reach;
    }
    return w[0] * w[0] + w[1] * w[1] + w[2] * w[2] <= reach * reach;
}

static tacResult touch_pieces(const tacModel* model, const tacPose* body, const stage* s, int pair,
                              const int piece[2], double margin, tacContacts* out,
                              tacHardTouch* kept) {
    tacPatchPair touch[TAC_REST_POINTS];
    tacWalk walk = {.count = 0};
    if (!may_touch(s, piece, margin)) return TAC_OK;
    int count = tac_rest(&s->piece[piece[0]], &s->piece[piece[1]], margin, &walk, touch, s->rest);
    for (int i = 0; i < count; ++i) {
        tacHardTouch x = {pair, {piece[0], piece[1]}, touch[i]};
        int before = out->count;
        tacResult result = tac_hard_follow(model, body, &x, out);
        if (result != TAC_OK) return result;
        if (kept && out->count > before) kept[before] = x;
    }
    return TAC_OK;
}

tacResult tac_hard_touches(const tacModel* model, const tacPose* body, double margin,
                           tacContacts* out, tacHardTouch* touch, void* memory) {
    const tacContactPlan* plan = model->contact;
    stage s = set_stage(model, body, memory);
    out->count = 0;
    for (int p = 0; p < plan->npair; ++p) {
        const int *geom = plan->pair[p].geom, *first = plan->piece_first;
        for (int i = first[geom[0]]; i < first[geom[0] + 1]; ++i) {
            for (int j = first[geom[1]]; j < first[geom[1] + 1]; ++j) {
                tacResult result =
                    touch_pieces(model, body, &s, p, (const int[2]){i, j}, margin, out, touch);
                if (result != TAC_OK) return result;
            }
        }
    }
    return TAC_OK;
}

tacResult tac_hard_contacts(const tacModel* model, const tacPose* body, double margin,
                            tacContacts* out, void* memory) {
    return tac_hard_touches(model, body, margin, out, NULL, memory);
}
