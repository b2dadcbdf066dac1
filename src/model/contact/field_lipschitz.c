// Lipschitz bound of a field: its largest ratio to the distance outside the solid.
//
// Two numbers per node: `outside`, the field over the distance to the node's own solid, and
// `overall`, the same for both sides and for blends with other fields. A tangent distance never
// exceeds the distance; `overall` is the ratio of the balls around and inside its superquadric.
//
//   union:                       outside of the children, as a smooth minimum is below them
//   intersection and difference: overall of the children

#include "model/contact/field_lipschitz.h"

#include "math/number.h"

#include <math.h>

typedef struct fieldLipschitz {
    double outside, overall;
} fieldLipschitz;

static double param_at(const tacModel* model, int offset) { return tac_re(model->param[offset]); }

// radius of a ball around a superquadric over that of one inside it
static double slenderness(const tacModel* model, const tacNode* node) {
    double a[3], least = INFINITY, sum = 0.0, inverse = 0.0, e = 1.0;
    for (int k = 0; k < 3; ++k) {
        a[k] = param_at(model, node->size + k);
        least = fmin(least, a[k]);
        sum += a[k] * a[k];
        inverse += 1.0 / (a[k] * a[k]);
    }
    if (node->eps >= 0) e = fmax(param_at(model, node->eps), param_at(model, node->eps + 1));
    double inner = e > 1.0 ? 1.0 / sqrt(inverse) : least; // of an octahedron at most
    return sqrt(sum) / inner;
}

static fieldLipschitz leaf_lipschitz(const tacModel* model, const tacNode* node) {
    int round = node->kind == TAC_NODE_SUPERQUADRIC || node->kind == TAC_NODE_ELLIPSOID;
    double s = round ? slenderness(model, node) : 1.0;
    if (node->kind == TAC_NODE_CLOUD || node->kind == TAC_NODE_SWEEP) s = 2.0;
    int tangent = round && node->distance == TAC_DISTANCE_TANGENT;
    return (fieldLipschitz){tangent ? 1.0 : s, s};
}

// the largest of the children, which are roots of the subtrees before a node
static fieldLipschitz node_lipschitz(const tacModel* model, int index) {
    const tacNode* node = &model->node[index];
    if (node->children == 0) return leaf_lipschitz(model, node);
    fieldLipschitz all = {1.0, 1.0};
    for (int child = index - 1; child >= node->first; child = model->node[child].first - 1) {
        fieldLipschitz s = node_lipschitz(model, child);
        all.outside = fmax(all.outside, s.outside);
        all.overall = fmax(all.overall, s.overall);
    }
    if (node->kind != TAC_NODE_UNION) all.outside = all.overall;
    return all;
}

double tac_field_lipschitz(const tacModel* model, int geom) {
    int shape = model->geom[geom].shape;
    if (shape < 0) return 1.0;
    return node_lipschitz(model, model->shape[shape].first + model->shape[shape].count - 1).outside;
}
