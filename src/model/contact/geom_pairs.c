// Which geoms may collide: MuJoCo's rule, from the list of pairs, bits, the tree and excludes.

#include "model/contact/geom_pairs.h"

#include <limits.h>

static int is_excluded(const tacModel* model, int a, int b) {
    for (int i = 0; i < model->nexclude; ++i) {
        const int* e = &model->exclude[2 * i];
        if ((e[0] == a && e[1] == b) || (e[0] == b && e[1] == a)) return 1;
    }
    return 0;
}

// is it one of the scene's own pairs?
static int is_listed(const tacModel* model, int a, int b) {
    for (int i = 0; i < model->npair; ++i) {
        const int* g = model->pair[i].geom;
        if ((g[0] == a && g[1] == b) || (g[0] == b && g[1] == a)) return 1;
    }
    return 0;
}

// May geoms of these bodies collide? Not if they move together, nor if they are parent and child;
// but children of the world may collide with static geoms.
static int bodies_may_collide(const tacModel* model, int a, int b) {
    int moves_a = tac_moving_body(model, a), moves_b = tac_moving_body(model, b);
    if (moves_a == moves_b) return 0;
    int above_a = tac_moving_body(model, model->body[moves_a].parent);
    int above_b = tac_moving_body(model, model->body[moves_b].parent);
    int filtered = !(model->disable & TAC_DISABLE_FILTERPARENT);
    if (filtered && moves_a && moves_b && (above_a == moves_b || above_b == moves_a)) return 0;
    return !is_excluded(model, a, b);
}

static int is_plane(const tacModel* model, const tacGeom* geom) {
    const tacShape* shape = &model->shape[geom->shape];
    return shape->count == 1 && model->node[shape->first].kind == TAC_NODE_PLANE;
}

static int geoms_may_collide(const tacModel* model, const tacGeom* a, const tacGeom* b) {
    if (!(a->contype & b->conaffinity) && !(b->contype & a->conaffinity)) return 0;
    if (a->shape < 0 || b->shape < 0) return 0;
    return !(is_plane(model, a) && is_plane(model, b));
}

// the pairs up to `most`, of which the first `capacity` are written
static int list_geom_pairs(const tacModel* model, int (*pairs)[2], int capacity, int max_pairs) {
    int count = 0;
    if (model->disable & (TAC_DISABLE_CONTACT | TAC_DISABLE_CONSTRAINT)) return 0;
    for (int i = 0; i < model->npair; ++i, ++count)
        if (count < capacity) {
            pairs[count][0] = model->pair[i].geom[0];
            pairs[count][1] = model->pair[i].geom[1];
        }
    for (int a = 0; a < model->ngeom && count < max_pairs; ++a) {
        const tacGeom* first = &model->geom[a];
        if (!first->contype && !first->conaffinity) continue;
        for (int b = a + 1; b < model->ngeom && count < max_pairs; ++b) {
            const tacGeom* second = &model->geom[b];
            if (second->body == first->body || !geoms_may_collide(model, first, second)) continue;
            if (!bodies_may_collide(model, first->body, second->body)) continue;
            if (model->npair > 0 && is_listed(model, a, b)) continue;
            if (count < capacity) {
                pairs[count][0] = a;
                pairs[count][1] = b;
            }
            ++count;
        }
    }
    return count;
}

int tac_geom_pairs(const tacModel* model, int (*pairs)[2], int capacity) {
    return model ? list_geom_pairs(model, pairs, pairs ? capacity : 0, INT_MAX) : 0;
}

int tac_any_geom_pair(const tacModel* model) { return list_geom_pairs(model, NULL, 0, 1) > 0; }
