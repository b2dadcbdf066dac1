// Boxes around geoms, and pairs of them that cannot touch.
//
// A pair may have records where features of one are in the box of the other's field, or edges come
// near edges. The sweep finds boxes around all of that which overlap; its order is kept from step
// to step and changes nothing, because candidates are sorted.

#include "detect/broad_phase.h"

#include "detect/field/detect_cache.h"
#include "detect/field/geom_bound.h"
#include "math/vector_ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// more pairs than this are swept
enum { MAX_LOOP = 600 };

// low and high corners in the world                                                       [m]
typedef struct worldBox {
    double low[3], high[3];
} worldBox;

typedef struct broadPhase {
    const tacModel* model;
    const tacPose* body;
    const tacGeomBound* bound; // (ngeom)
    double (*R)[3][3];         // rotations of bodies                                      (nbody)
    worldBox* box;             // (ngeom)
    struct placedBox* whole;   // the same, oriented                                       (ngeom)
    struct placedGeom* placed; // where they were asked for                                (ngeom)
    char* is_placed;           // (ngeom)
    double depth, support;     // of edges, of vertices                                    [m]
    tacCandidates* out;
} broadPhase;

static double contact_number(const tacModel* model, tacContactNumber which) {
    int at = model->contact->number[which];
    return at >= 0 ? tac_re(model->param[at]) : 0.0;
}

//---------------------------------- oriented boxes -------------------------------

// a box, or half space, in the world
typedef struct placedBox {
    double axis[3][3], middle[3], half[3]; // axis[k] is axis k
} placedBox;

// boxes of a geom in the world
typedef struct placedGeom {
    placedBox features, field;
} placedGeom;

static placedBox place_box(const broadPhase* p, int body, const tacOrientedBox* box) {
    const double(*R)[3] = (const double(*)[3])p->R[body];
    const tacVec3 at = p->body[body].position;
    const double origin[3] = {tac_re(at.x), tac_re(at.y), tac_re(at.z)};
    placedBox b;
    for (int i = 0; i < 3; ++i) {
        b.middle[i] = origin[i] + R[i][0] * box->middle[0] + R[i][1] * box->middle[1] +
                      R[i][2] * box->middle[2];
        for (int k = 0; k < 3; ++k)
            b.axis[k][i] =
                R[i][0] * box->axis[0][k] + R[i][1] * box->axis[1][k] + R[i][2] * box->axis[2][k];
    }
    memcpy(b.half, box->half, sizeof b.half);
    return b;
}

// 1e-9 of the coordinates is more than all of this rounds
static double rounding_of(const placedBox* a, const placedBox* b) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
        sum += fabs(a->middle[k]) + fabs(b->middle[k]) + a->half[k] + b->half[k];
    return 1e-9 * sum;
}

// 15 axes: normals of faces, then products of edges
static int boxes_separated(const placedBox* a, const placedBox* b) {
    double C[3][3], A[3][3], d[3], t[3], more = rounding_of(a, b);
    for (int k = 0; k < 3; ++k) d[k] = b->middle[k] - a->middle[k];
    for (int i = 0; i < 3; ++i) {
        const double* e = a->axis[i];
        t[i] = d[0] * e[0] + d[1] * e[1] + d[2] * e[2];
        for (int k = 0; k < 3; ++k) {
            C[i][k] = e[0] * b->axis[k][0] + e[1] * b->axis[k][1] + e[2] * b->axis[k][2];
            A[i][k] = fabs(C[i][k]) + 1e-12;
        }
    }
    for (int i = 0; i < 3; ++i)
        if (fabs(t[i]) >
            a->half[i] + b->half[0] * A[i][0] + b->half[1] * A[i][1] + b->half[2] * A[i][2] + more)
            return 1;
    for (int k = 0; k < 3; ++k) {
        double gap = fabs(t[0] * C[0][k] + t[1] * C[1][k] + t[2] * C[2][k]);
        if (gap >
            b->half[k] + a->half[0] * A[0][k] + a->half[1] * A[1][k] + a->half[2] * A[2][k] + more)
            return 1;
    }
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            double gap = fabs(t[i2] * C[i1][k] - t[i1] * C[i2][k]);
            if (gap > a->half[i1] * A[i2][k] + a->half[i2] * A[i1][k] + b->half[k1] * A[i][k2] +
                          b->half[k2] * A[i][k1] + more)
                return 1;
        }
    return 0;
}

// the box lies above the plane
static int box_above(const placedBox* box, const placedBox* plane, double height) {
    const double* n = plane->axis[2];
    double gap = -height - rounding_of(box, plane);
    for (int k = 0; k < 3; ++k) {
        const double* e = box->axis[k];
        gap += (box->middle[k] - plane->middle[k]) * n[k] -
               box->half[k] * fabs(e[0] * n[0] + e[1] * n[1] + e[2] * n[2]);
    }
    return gap > 0.0;
}

//---------------------------------- pairs ----------------------------------------

static const placedGeom* place_geom(const broadPhase* p, int geom) {
    placedGeom* placed = &p->placed[geom];
    if (p->is_placed[geom]) return placed;
    int body = p->model->geom[geom].body;
    placed->features = place_box(p, body, &p->bound[geom].features);
    placed->field = place_box(p, body, &p->bound[geom].field);
    p->is_placed[geom] = 1;
    return placed;
}

static void grow_box(placedBox* box, double by) {
    for (int k = 0; k < 3; ++k) box->half[k] += by;
}

// no vertex of one geom comes near the field of the other
static int vertices_separated(const broadPhase* p, int a, int b) {
    const tacGeomBound *own = &p->bound[a], *other = &p->bound[b];
    if (!own->vertices || other->kind == TAC_FIELD_NOWHERE) return 1;
    double r = tac_geom_bound_range(p->support, own, other);
    if (other->kind == TAC_FIELD_EVERYWHERE || !(r < other->most)) return 0;
    const placedBox* features = &place_geom(p, a)->features;
    placedBox field = place_geom(p, b)->field;
    if (other->kind == TAC_FIELD_HALF_SPACE) return box_above(features, &field, r * other->rate[2]);
    for (int k = 0; k < 3; ++k) field.half[k] += r * other->rate[k];
    return boxes_separated(features, &field);
}

// no edge of one comes near an edge of the other
static int edges_separated(const broadPhase* p, int a, int b) {
    const tacGeomBound *own = &p->bound[a], *other = &p->bound[b];
    if (!own->edges || !other->edges) return 1;
    placedBox wide = place_geom(p, a)->features;
    grow_box(&wide, p->depth + own->radius + other->radius + own->overshoot + other->overshoot);
    return boxes_separated(&wide, &place_geom(p, b)->features);
}

// a point of a body, or a vector, in the world
static void to_world(const broadPhase* p, int body, const double x[3], int point, double out[3]) {
    const tacVec3 at = p->body[body].position;
    const double origin[3] = {tac_re(at.x), tac_re(at.y), tac_re(at.z)};
    for (int i = 0; i < 3; ++i) {
        const double* R = p->R[body][i];
        out[i] = (point ? origin[i] : 0.0) + R[0] * x[0] + R[1] * x[1] + R[2] * x[2];
    }
}

static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double clamp_unit(double x) { return x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x; }

// square of the distance of the segments +-u and d +- v: at the least point of the lines, moved to
// where one and then the other ends
static double segment_distance2(const double d[3], const double u[3], const double v[3]) {
    double uu = dot3(u, u), vv = dot3(v, v), uv = dot3(u, v), du = dot3(d, u), dv = dot3(d, v);
    double det = uu * vv - uv * uv, s = 0.0, t = 0.0, best = 0.0;
    if (det > 1e-12 * uu * vv) s = clamp_unit((du * vv - dv * uv) / det);
    if (vv > 0.0) t = clamp_unit((s * uv - dv) / vv);
    if (uu > 0.0) s = clamp_unit((du + t * uv) / uu);
    if (vv > 0.0) t = clamp_unit((s * uv - dv) / vv);
    for (int i = 0; i < 3; ++i) {
        double gap = d[i] + t * v[i] - s * u[i];
        best += gap * gap;
    }
    return best;
}

// Balls and capsules: the distance of their segments decides. Rounding, and segments that are
// nearly parallel, count as a millionth of the sizes
static int cores_separated(const broadPhase* p, int a, int b) {
    const tacGeomBound *one = &p->bound[a], *two = &p->bound[b];
    double u[3], v[3], from[3], to[3], size = 0.0;
    to_world(p, p->model->geom[a].body, one->along, 0, u);
    to_world(p, p->model->geom[b].body, two->along, 0, v);
    to_world(p, p->model->geom[a].body, one->core, 1, from);
    to_world(p, p->model->geom[b].body, two->core, 1, to);
    for (int i = 0; i < 3; ++i) {
        size += fabs(u[i]) + fabs(v[i]) + 1e-3 * (fabs(from[i]) + fabs(to[i]));
        to[i] -= from[i];
    }
    double vertices = p->support + fmax(one->thick + two->radius, two->thick + one->radius);
    double edges = p->depth + one->radius + two->radius + one->overshoot + two->overshoot;
    double reach = fmax(vertices, one->edges && two->edges ? edges : 0.0) + 1e-6 * size;
    return segment_distance2(to, u, v) > reach * reach;
}

static int pair_separated(const broadPhase* p, int a, int b) {
    if (p->bound[a].thick > 0.0 && p->bound[b].thick > 0.0) return cores_separated(p, a, b);
    if (p->bound[a].kind == TAC_FIELD_BOX && p->bound[b].kind == TAC_FIELD_BOX &&
        boxes_separated(&p->whole[a], &p->whole[b]))
        return 1;
    return vertices_separated(p, a, b) && vertices_separated(p, b, a) && edges_separated(p, a, b);
}

static int overlap(const worldBox* a, const worldBox* b) {
    return a->low[0] <= b->high[0] && b->low[0] <= a->high[0] && a->low[1] <= b->high[1] &&
           b->low[1] <= a->high[1] && a->low[2] <= b->high[2] && b->low[2] <= a->high[2];
}

static void try_pair(const broadPhase* p, int pair, int a, int b) {
    if (!pair_separated(p, a, b)) p->out->pair[p->out->count++] = pair;
}

static void loop_pairs(const broadPhase* p) {
    const tacContactPlan* plan = p->model->contact;
    for (int i = 0; i < plan->npair; ++i) {
        int a = plan->pair[i].geom[0], b = plan->pair[i].geom[1];
        if (overlap(&p->box[a], &p->box[b])) try_pair(p, i, a, b);
    }
}

//---------------------------------- sweep ----------------------------------------

// where the places of geoms differ most
static int longest_axis(const broadPhase* p) {
    double sum[3] = {0.0}, square[3] = {0.0}, best = -1.0;
    int count = 0, axis = 0;
    for (int g = 0; g < p->model->ngeom; ++g) {
        const worldBox* b = &p->box[g];
        if (b->high[0] - b->low[0] > 1e20) continue;
        ++count;
        for (int k = 0; k < 3; ++k) {
            double at = 0.5 * (b->low[k] + b->high[k]);
            sum[k] += at;
            square[k] += at * at;
        }
    }
    for (int k = 0; k < 3 && count; ++k) {
        double variance = square[k] / count - sum[k] / count * (sum[k] / count);
        if (variance > 1.5 * best) {
            best = variance;
            axis = k;
        }
    }
    return axis;
}

// nearly sorted from the step before
static void sort_geoms(const broadPhase* p, int axis, int* order, int count) {
    static const int gaps[] = {1750, 701, 301, 132, 57, 23, 10, 4, 1};
    for (int s = 0; s < (int)(sizeof gaps / sizeof gaps[0]); ++s)
        for (int i = gaps[s]; i < count; ++i) {
            int geom = order[i], j = i;
            double low = p->box[geom].low[axis];
            for (; j >= gaps[s] && p->box[order[j - gaps[s]]].low[axis] > low; j -= gaps[s])
                order[j] = order[j - gaps[s]];
            order[j] = geom;
        }
}

// contact pairs of two geoms, of which there may be none or several
static void try_geoms(const broadPhase* p, const tacPairTable* table, int a, int b) {
    int small = a < b ? a : b, large = a < b ? b : a;
    int low = table->first[small], high = table->first[small + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (table->other[middle] < large)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < table->first[small + 1] && table->other[low] == large; ++low)
        try_pair(p, table->pair[low], small, large);
}

static int compare_ints(const void* a, const void* b) {
    return (*(const int*)a > *(const int*)b) - (*(const int*)a < *(const int*)b);
}

static void sweep_pairs(const broadPhase* p, const tacPairTable* table) {
    int axis = longest_axis(p), count = table->geoms;
    sort_geoms(p, axis, table->order, count);
    for (int i = 0; i < count; ++i) {
        int a = table->order[i];
        const worldBox* box = &p->box[a];
        for (int j = i + 1; j < count; ++j) {
            int b = table->order[j];
            if (p->box[b].low[axis] > box->high[axis]) break;
            if (table->is_static[a] && table->is_static[b]) continue;
            if (overlap(box, &p->box[b])) try_geoms(p, table, a, b);
        }
    }
    qsort(p->out->pair, (size_t)p->out->count, sizeof(int), compare_ints);
}

//---------------------------------- all of it ------------------------------------

static void alloc_broad_phase(const tacModel* model, tacArena* arena, broadPhase* p,
                              tacCandidates* out) {
    out->pair = TAC_ALLOC(arena, int, model->contact->npair);
    p->R = tac_arena_alloc(arena, sizeof(double[3][3]) * (size_t)model->nbody);
    p->box = TAC_ALLOC(arena, worldBox, model->ngeom);
    p->whole = TAC_ALLOC(arena, placedBox, model->ngeom);
    p->placed = TAC_ALLOC(arena, placedGeom, model->ngeom);
    p->is_placed = TAC_ALLOC(arena, char, model->ngeom);
}

void tac_broad_phase_measure(const tacModel* model, tacArena* arena) {
    broadPhase p;
    tacCandidates out;
    alloc_broad_phase(model, arena, &p, &out);
}

static void rotate_bodies(const broadPhase* p) {
    for (int b = 0; b < p->model->nbody; ++b) {
        tacMat3 R = tac_quat_to_mat(p->body[b].rotation);
        for (int i = 0; i < 9; ++i) p->R[b][i / 3][i % 3] = tac_re(R.m[i / 3][i % 3]);
    }
}

static void box_geoms(const broadPhase* p) {
    for (int g = 0; g < p->model->ngeom; ++g) {
        placedBox b = p->whole[g] = place_box(p, p->model->geom[g].body, &p->bound[g].all);
        for (int i = 0; i < 3; ++i) {
            double half = b.half[0] * fabs(b.axis[0][i]) + b.half[1] * fabs(b.axis[1][i]) +
                          b.half[2] * fabs(b.axis[2][i]);
            half += 1e-9 * (fabs(b.middle[i]) + half);
            p->box[g].low[i] = b.middle[i] - half;
            p->box[g].high[i] = b.middle[i] + half;
        }
    }
}

int tac_broad_phase(const tacModel* model, const tacPose* body, tacCandidates* out,
                    tacScratch* scratch) {
    const tacContactPlan* plan = model->contact;
    if (!plan->feature || plan->choice[TAC_CHOICE_UNCULLED]) return 0;
    broadPhase p = {.model = model, .body = body, .out = out};
    p.bound = tac_detect_cache_bounds(model, scratch);
    if (!p.bound) return 0;
    p.depth = contact_number(model, TAC_CONTACT_DEPTH);
    out->count = 0;
    alloc_broad_phase(model, &scratch->arena, &p, out);
    p.support = contact_number(model, TAC_CONTACT_SUPPORT);
    memset(p.is_placed, 0, (size_t)model->ngeom);
    rotate_bodies(&p);
    box_geoms(&p);
    const tacPairTable* table = plan->npair > MAX_LOOP ? tac_detect_cache_pairs(scratch) : NULL;
    if (table)
        sweep_pairs(&p, table);
    else
        loop_pairs(&p);
    return 1;
}
