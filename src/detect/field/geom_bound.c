// Oriented boxes around features and fields.
//
// A polyhedron's field is no less than the highest of its planes, so it is below r only where
// n_i . y + d_i < r for all i. How far that reaches along e is a linear program; with multipliers
// l_i >= 0 and e = sum l_i n_i, e . y <= sum l_i (r - d_i), whatever the multipliers are.

#include "detect/field/geom_bound.h"

#include "detect/field/feature_motion.h"
#include "detect/field/vertex_sdf.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// most that a point may lie beyond its edge, of its length and of `inside`: edge_search.c
#define MAX_OVERSHOOT 0.2785

// more than single roundings move a box by, of its coordinates
#define ROUNDING 1e-9

static double contact_number(const tacModel* model, tacContactNumber which) {
    int at = model->contact->number[which];
    return at >= 0 ? tac_re(model->param[at]) : 0.0;
}

static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void column_of(const tacOrientedBox* box, int k, double out[3]) {
    for (int i = 0; i < 3; ++i) out[i] = box->axis[i][k];
}

//---------------------------------- planes ---------------------------------------

// three planes n . y <= c that hold a corner, each with its multiplier; plane -1 is of a box far
// around
typedef struct cornerBasis {
    double n[3][3], c[3], multiplier[3];
    int plane[3];
} cornerBasis;

static void cross3(const double a[3], const double b[3], double out[3]) {
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// the corner, and mu with n = sum mu_k n_k; 0: the planes are parallel
static int solve_corner(const cornerBasis* b, const double n[3], double x[3], double mu[3]) {
    double c[3][3], det;
    cross3(b->n[1], b->n[2], c[0]);
    cross3(b->n[2], b->n[0], c[1]);
    cross3(b->n[0], b->n[1], c[2]);
    det = dot3(b->n[0], c[0]);
    if (!(fabs(det) > 1e-14)) return 0;
    for (int i = 0; i < 3 && x; ++i)
        x[i] = (b->c[0] * c[0][i] + b->c[1] * c[1][i] + b->c[2] * c[2][i]) / det;
    for (int k = 0; k < 3 && mu; ++k) mu[k] = dot3(n, c[k]) / det;
    return 1;
}

static int most_violated(const tacLowerBoundNode* n, const double x[3], double range) {
    double worst = 1e-7 * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]) + range);
    int at = -1;
    for (int i = 0; i < n->planes; ++i) {
        const tacReal* p = &n->plane[4 * i];
        double over =
            tac_re(p[0]) * x[0] + tac_re(p[1]) * x[1] + tac_re(p[2]) * x[2] + tac_re(p[3]) - range;
        if (over > worst) {
            worst = over;
            at = i;
        }
    }
    return at;
}

// the plane takes the place of the first that its multiplier empties; 0: nothing is inside
static int exchange_plane(cornerBasis* b, const tacReal* p, int plane, double range) {
    double n[3] = {tac_re(p[0]), tac_re(p[1]), tac_re(p[2])}, mu[3], step = INFINITY;
    int leaves = -1;
    if (!solve_corner(b, n, NULL, mu)) return 0;
    for (int k = 0; k < 3; ++k)
        if (mu[k] > 1e-12 && b->multiplier[k] / mu[k] < step) {
            step = b->multiplier[k] / mu[k];
            leaves = k;
        }
    if (leaves < 0) return 0;
    for (int k = 0; k < 3; ++k) b->multiplier[k] = fmax(b->multiplier[k] - step * mu[k], 0.0);
    b->multiplier[leaves] = step;
    memcpy(b->n[leaves], n, sizeof n);
    b->c[leaves] = range - tac_re(p[3]);
    b->plane[leaves] = plane;
    return 1;
}

// Dual simplex: how far y reaches along e, and how much farther with each metre of range. 0: no
// bound.
static int planes_reach(const tacLowerBoundNode* n, double range, const double e[3], double* reach,
                        double* rate) {
    cornerBasis b = {.plane = {-1, -1, -1}};
    for (int k = 0; k < 3; ++k) {
        b.n[k][k] = e[k] < 0.0 ? -1.0 : 1.0;
        b.c[k] = 1e6;
        b.multiplier[k] = fabs(e[k]);
    }
    for (int i = 0; i < 200; ++i) {
        double x[3];
        if (!solve_corner(&b, e, x, NULL)) return 0;
        int plane = most_violated(n, x, range);
        if (plane < 0) break;
        if (!exchange_plane(&b, &n->plane[4 * plane], plane, range)) return 0;
    }
    *reach = *rate = 0.0;
    for (int k = 0; k < 3; ++k) {
        if (b.plane[k] < 0 && b.multiplier[k] > 0.0) return 0;
        *reach += b.multiplier[k] * b.c[k];
        *rate += b.multiplier[k];
    }
    return 1;
}

//---------------------------------- fields ---------------------------------------

// where a leaf's lower bound is below `range` along an axis of the body; 0: it has no end
static int leaf_interval(const tacLowerBoundNode* n, double range, const double axis[3],
                         double at[2], double* rate) {
    double e[3], start = 0.0, grow = 0.0, half = 0.0;
    for (int k = 0; k < 3; ++k) {
        e[k] = 0.0;
        start += axis[k] * tac_re(n->frame.origin[k]);
        for (int i = 0; i < 3; ++i) e[k] += axis[i] * tac_re(n->frame.R.m[i][k]);
    }
    if (n->kind == TAC_LOWER_BOUND_PLANES) {
        double back[3] = {-e[0], -e[1], -e[2]}, reach[2], growth[2];
        if (!planes_reach(n, range, back, &reach[0], &growth[0]) ||
            !planes_reach(n, range, e, &reach[1], &growth[1]))
            return 0;
        at[0] = start - reach[0];
        at[1] = start + reach[1];
        *rate = fmax(growth[0], growth[1]);
        return at[1] < TAC_UNBOUNDED && at[0] > -TAC_UNBOUNDED;
    }
    if (n->kind != TAC_LOWER_BOUND_BOX || n->side_sign < 0.0) return 0;
    for (int k = 0; k < 3; ++k) {
        if (e[k] == 0.0) continue;
        half += fabs(e[k]) * (range + tac_re(n->offset[k])) / tac_re(n->scale[k]);
        grow += fabs(e[k]) / tac_re(n->scale[k]);
    }
    at[0] = start - half;
    at[1] = start + half;
    *rate = grow;
    return half < TAC_UNBOUNDED;
}

// of all leaves together; 0: there is no bound
static int field_interval(const tacGeomField* field, double range, const double axis[3],
                          double all[2], double* rate) {
    all[0] = INFINITY;
    all[1] = -INFINITY;
    *rate = 0.0;
    for (int i = 0; i < field->lower_bounds; ++i) {
        double at[2], own;
        if (field->lower_bound[i].kind >= TAC_LOWER_BOUND_MIN) continue;
        if (!leaf_interval(&field->lower_bound[i], range, axis, at, &own)) return 0;
        all[0] = fmin(all[0], at[0]);
        all[1] = fmax(all[1], at[1]);
        *rate = fmax(*rate, own);
    }
    return all[0] <= all[1];
}

static void bind_half_space(const tacLowerBoundNode* n, double range, tacGeomBound* out) {
    out->kind = TAC_FIELD_HALF_SPACE;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) out->field.axis[i][k] = tac_re(n->frame.R.m[i][k]);
        out->field.middle[i] = tac_re(n->frame.origin[i]) + range * out->field.axis[i][2];
    }
    out->rate[2] = 1.0;
}

static int is_half_space(const tacGeomField* field) {
    const tacNodeData* root = &field->program.node_data[0];
    return field->lower_bounds == 1 && field->program.shape->count == 1 &&
           root->kind == TAC_NODE_PLANE && field->lower_bound[0].kind == TAC_LOWER_BOUND_BOX;
}

static void set_box(tacOrientedBox* box, const double low[3], const double high[3]) {
    for (int i = 0; i < 3; ++i) box->middle[i] = 0.0;
    for (int k = 0; k < 3; ++k) {
        double at = 0.5 * (low[k] + high[k]), half = 0.5 * (high[k] - low[k]);
        box->half[k] = half + ROUNDING * (fabs(at) + half);
        for (int i = 0; i < 3; ++i) box->middle[i] += box->axis[i][k] * at;
    }
}

// the axes of a single leaf that is a box, else those of the features
static void bind_field(const tacGeomField* field, tacGeomBound* out) {
    double range = field->range, low[3], high[3];
    out->kind = TAC_FIELD_EVERYWHERE;
    out->most = INFINITY;
    if (!(range >= 0.0)) return;
    if (is_half_space(field)) {
        bind_half_space(&field->lower_bound[0], range, out);
        return;
    }
    for (int i = 0; i < field->lower_bounds; ++i) range += tac_re(field->lower_bound[i].blend_drop);
    if (field->end > 0.0) out->most = field->end - range;
    memcpy(out->field.axis, out->features.axis, sizeof out->field.axis);
    const tacLowerBoundNode* leaf = &field->lower_bound[0];
    for (int i = 0; i < 9 && field->lower_bounds == 1 && leaf->kind == TAC_LOWER_BOUND_BOX; ++i)
        out->field.axis[i / 3][i % 3] = tac_re(leaf->frame.R.m[i / 3][i % 3]);
    for (int k = 0; k < 3; ++k) {
        double axis[3], at[2];
        column_of(&out->field, k, axis);
        if (!field_interval(field, range, axis, at, &out->rate[k])) return;
        low[k] = at[0];
        high[k] = at[1];
    }
    set_box(&out->field, low, high);
    out->kind = TAC_FIELD_BOX;
}

//---------------------------------- features -------------------------------------

// vertices and rims along axes; the volume
static double measure_axes(const tacFeatures* f, const tacOrientedBox* axes, double low[3],
                           double high[3]) {
    double volume = 1.0, longest = 0.0;
    const struct tacFeatureIndex* index = f->index;
    for (int k = 0; k < 3; ++k) {
        double e[3];
        column_of(axes, k, e);
        low[k] = INFINITY;
        high[k] = -INFINITY;
        for (int v = 0; v < f->vertices; ++v) {
            double at = e[0] * f->x[0][v] + e[1] * f->x[1][v] + e[2] * f->x[2][v];
            low[k] = fmin(low[k], at);
            high[k] = fmax(high[k], at);
        }
        for (int r = 0; r < index->rims; ++r) {
            double along = dot3(e, index->rim_axis), at = dot3(e, index->rim[r]);
            double half = index->rim_radius * sqrt(fmax(1.0 - along * along, 0.0));
            low[k] = fmin(low[k], at - half);
            high[k] = fmax(high[k], at + half);
        }
        longest = fmax(longest, high[k] - low[k]);
    }
    for (int k = 0; k < 3; ++k) volume *= high[k] - low[k] + 1e-3 * longest;
    return volume;
}

static void principal_axes(const tacFeatures* f, double axis[3][3]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double mean[3] = {0.0}, moment[6] = {0.0}, value[3];
    for (int v = 0; v < f->vertices; ++v)
        for (int k = 0; k < 3; ++k) mean[k] += f->x[k][v] / f->vertices;
    for (int v = 0; v < f->vertices; ++v)
        for (int i = 0; i < 6; ++i)
            moment[i] += (f->x[row[i]][v] - mean[row[i]]) * (f->x[column[i]][v] - mean[column[i]]);
    tac_eigen3(moment, value, axis);
}

// the smallest of the boxes along the body's axes, the geom's and the principal ones
static void choose_axes(const tacModel* model, int geom, const tacFeatures* f,
                        tacOrientedBox* box) {
    tacOrientedBox trial[3] = {{.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    double least = INFINITY;
    tacMat3 R = tac_quat_to_mat(tac_quat_load(&model->param[model->geom[geom].rotation]));
    for (int i = 0; i < 9; ++i) trial[1].axis[i / 3][i % 3] = tac_re(R.m[i / 3][i % 3]);
    principal_axes(f, trial[2].axis);
    for (int c = 0; c < 3; ++c) {
        double low[3], high[3], volume = measure_axes(f, &trial[c], low, high);
        if (!(volume < 0.999 * least)) continue;
        least = volume;
        *box = trial[c];
        set_box(box, low, high);
    }
}

static void bind_features(const tacModel* model, int geom, tacGeomBound* out) {
    const tacFeatures* f = &model->contact->feature[geom];
    for (int k = 0; k < 3; ++k) out->features.axis[k][k] = 1.0;
    out->slope = f->index ? f->index->slope : 1.0;
    out->vertices = f->vertices > 0;
    if (!out->vertices) return;
    out->edges = f->edges > 0;
    out->radius = tac_re(tac_swept_radius(model, f));
    out->overshoot =
        2.0 * MAX_OVERSHOOT * contact_number(model, TAC_CONTACT_INSIDE) * f->index->longest;
    choose_axes(model, geom, f, &out->features);
    if (tac_feature_map(model, geom).is_shifted)
        for (int k = 0; k < 3; ++k) out->features.half[k] = TAC_UNBOUNDED;
}

//---------------------------------- all of it ------------------------------------

double tac_geom_bound_range(double support, const tacGeomBound* features,
                            const tacGeomBound* field) {
    double slope = features->radius > 0.0 ? field->slope : 1.0;
    return fmax(slope, 1.0) * (support + features->radius) - support;
}

// the largest rate of fields, whatever the axes, and their largest slope
typedef struct fieldGrowth {
    double rate, slope;
} fieldGrowth;

static fieldGrowth largest_growth(const tacModel* model, const tacGeomBound* bound) {
    fieldGrowth most = {1.0, 1.0};
    for (int g = 0; g < model->ngeom; ++g) {
        most.rate = fmax(most.rate, bound[g].rate[0] + bound[g].rate[1] + bound[g].rate[2]);
        most.slope = fmax(most.slope, bound[g].slope);
    }
    return most;
}

// Features of radius R ask fields for r = slope (support + R) - support at most. The box around
// them is wider by rate r in place of the fields, and by what edges reach.
static double feature_reach(const tacModel* model, fieldGrowth most, const tacGeomBound* b) {
    double support = contact_number(model, TAC_CONTACT_SUPPORT);
    double slope = b->radius > 0.0 ? most.slope : 1.0;
    double edges = b->overshoot + b->radius + contact_number(model, TAC_CONTACT_DEPTH);
    return fmax(b->edges ? edges : 0.0, most.rate * (slope * (support + b->radius) - support));
}

static void join_boxes(const tacModel* model, fieldGrowth most, tacGeomBound* out) {
    double low[3], high[3], reach = feature_reach(model, most, out);
    memcpy(out->all.axis, out->features.axis, sizeof out->all.axis);
    for (int k = 0; k < 3; ++k) {
        double e[3], at, half;
        column_of(&out->all, k, e);
        low[k] = INFINITY;
        high[k] = -INFINITY;
        if (out->vertices) {
            at = dot3(e, out->features.middle);
            low[k] = at - out->features.half[k] - reach;
            high[k] = at + out->features.half[k] + reach;
        }
        if (out->kind == TAC_FIELD_NOWHERE) continue;
        at = dot3(e, out->field.middle);
        half = out->kind == TAC_FIELD_BOX && !(out->most < INFINITY) ? 0.0 : TAC_UNBOUNDED;
        for (int j = 0; j < 3 && half < TAC_UNBOUNDED; ++j) {
            double axis[3];
            column_of(&out->field, j, axis);
            half += fabs(dot3(e, axis)) * out->field.half[j];
        }
        low[k] = fmin(low[k], at - half);
        high[k] = fmax(high[k], at + half);
    }
    for (int k = 0; k < 3; ++k)
        if (!(low[k] <= high[k])) low[k] = high[k] = 0.0;
    set_box(&out->all, low, high);
}

// its one leaf is a ball or capsule, and all vertices lie on its segment
static void bind_core(const tacModel* model, int geom, const tacGeomField* field,
                      tacGeomBound* out) {
    const tacNodeData* leaf = &field->program.node_data[0];
    const tacFeatures* f = &model->contact->feature[geom];
    int capsule = leaf->kind == TAC_NODE_CAPSULE;
    if (field->program.shape->count != 1 || (!capsule && leaf->kind != TAC_NODE_SPHERE)) return;
    if (!(out->radius > 0.0) || out->features.half[0] >= TAC_UNBOUNDED) return;
    double length = capsule ? tac_re(leaf->size[1]) : 0.0, size = tac_re(leaf->size[0]);
    for (int i = 0; i < 3; ++i) {
        out->core[i] = tac_re(leaf->frame.origin[i]);
        out->along[i] = length * tac_re(leaf->frame.R.m[i][2]);
    }
    for (int v = 0; v < f->vertices; ++v) {
        double d[3], off = 0.0, at = 0.0;
        for (int i = 0; i < 3; ++i) {
            d[i] = f->x[i][v] - out->core[i];
            at += d[i] * tac_re(leaf->frame.R.m[i][2]);
        }
        for (int i = 0; i < 3; ++i) off += fabs(d[i] - at * tac_re(leaf->frame.R.m[i][2]));
        if (!(off <= ROUNDING * (size + length) && fabs(at) <= length + ROUNDING * (size + length)))
            return;
    }
    // |.| that are softened over the width are off by less than that, twice
    out->thick = (capsule ? size + 2.0 * tac_re(leaf->width) : size) * (1.0 + ROUNDING) +
                 2.0 * ROUNDING * (size + length);
}

tacGeomBound tac_geom_bound(const tacModel* model, int geom, const tacGeomField* field) {
    tacGeomBound out = {.kind = TAC_FIELD_NOWHERE, .slope = 1.0};
    if (model->contact->feature) bind_features(model, geom, &out);
    if (field) bind_field(field, &out);
    if (field && model->contact->feature) bind_core(model, geom, field, &out);
    return out;
}

void tac_geom_bounds_join(const tacModel* model, tacGeomBound* bound) {
    fieldGrowth most = largest_growth(model, bound);
    for (int g = 0; g < model->ngeom; ++g) join_boxes(model, most, &bound[g]);
}
