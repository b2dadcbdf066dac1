// Derivatives of the published manifold.
//
// It is the comparison, not the product: each direction is one evaluation in complex numbers, exact
// to rounding, and adjoints take one direction for each input that matters. At a complex point, for
// second derivatives, the change along its imaginary part is taken by differences of sixth order of
// those exact directions.

#include "detect/reference/reference.h"

#include "math/number.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/contact/geom_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

//---------------------------------- memory ---------------------------------------

static tacReal* alloc_reals(tacArena* arena, int count) { return TAC_ALLOC(arena, tacReal, count); }

static void alloc_records(tacArena* arena, int count, tacReal* out[TAC_REFERENCE_NUMBERS]) {
    for (int k = 0; k < TAC_REFERENCE_NUMBERS; ++k) out[k] = alloc_reals(arena, count);
}

static unsigned char* alloc_marks(const tacModel* model, tacArena* arena) {
    return TAC_ALLOC(arena, unsigned char, model->nparam);
}

// adjoints: tangents of records, unit directions and which of them matter; then the imaginary
// parts of a direction, what differences are scaled by, and where it is evaluated
void tac_reference_diff_measure(const tacModel* model, int count, tacArena* arena) {
    tacReal* dot[TAC_REFERENCE_NUMBERS];
    alloc_records(arena, count, dot);
    for (int i = 0; i < 2; ++i) {
        alloc_reals(arena, 6 * model->nbody);
        alloc_reals(arena, model->nparam);
        alloc_marks(model, arena);
    }
    tac_reference_direction_alloc(model, count, arena);
}

#if defined(TAC_NUMBER_QUAD)

tacResult tac_reference_twists(const tacModel* model, const tacPose* body, int pair, int count,
                               tacContacts* contacts, tacScratch* scratch) {
    (void)model;
    (void)body;
    (void)pair;
    (void)count;
    (void)contacts;
    (void)scratch;
    return TAC_ERROR_UNSUPPORTED;
}

tacResult tac_reference_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    (void)model;
    (void)body;
    (void)contacts;
    (void)tangent;
    (void)dot;
    (void)scratch;
    return TAC_ERROR_UNSUPPORTED;
}

tacResult tac_reference_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacContacts* bar, tacContactAdjoint adjoint,
                            tacScratch* scratch) {
    (void)model;
    (void)body;
    (void)contacts;
    (void)bar;
    (void)adjoint;
    (void)scratch;
    return TAC_ERROR_UNSUPPORTED;
}

#else

//---------------------------------- inputs ---------------------------------------

static void mark_range(unsigned char* used, int nparam, int first, int count) {
    for (int i = first; first >= 0 && i < first + count && i < nparam; ++i) used[i] = 1;
}

// numbers that tac_reference_pair_init reads
static const tacContactNumber numbers[] = {
    TAC_CONTACT_TAU,
    TAC_CONTACT_SUPPORT,
    TAC_CONTACT_EDGE_SOFTMIN,
    TAC_CONTACT_SIGN,
    TAC_CONTACT_OPPOSING,
    TAC_CONTACT_TIKHONOV,
    TAC_CONTACT_MIN,
    TAC_CONTACT_CLIP,
    TAC_CONTACT_INSIDE,
    TAC_CONTACT_GAP,
    TAC_CONTACT_SORT_TEMPERATURE,
    TAC_CONTACT_GATE,
    TAC_CONTACT_LIPSCHITZ,
};

// parameters that the records of a pair may depend on
static void mark_params(const tacModel* model, const tacContactPair* pair, unsigned char* used) {
    int n = model->nparam;
    memset(used, 0, (size_t)n);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        mark_range(used, n, model->contact->number[numbers[i]], 1);
    for (int s = 0; s < 2; ++s) {
        const tacGeom* geom = &model->geom[pair->geom[s]];
        const tacShape* shape = &model->shape[geom->shape];
        mark_range(used, n, geom->position, 3);
        mark_range(used, n, geom->rotation, 4);
        for (int i = shape->first; i < shape->first + shape->count; ++i) {
            const tacNode* node = &model->node[i];
            mark_range(used, n, node->position, 3);
            mark_range(used, n, node->rotation, 4);
            mark_range(used, n, node->size, 3);
            mark_range(used, n, node->eps, 2);
            mark_range(used, n, node->smooth, 1);
            mark_range(used, n, node->block, node->block_count);
        }
    }
}

//---------------------------------- one direction --------------------------------

#if defined(TAC_NUMBER_COMPLEX)

// a point x + i a, and how far along a it is asked
typedef struct refPoint {
    const tacModel* model;
    const tacPose* body;
    int pair, count;
    tacScratch* scratch;
} refPoint;

// Re x + s Im x + i h dot
static tacReal shifted_real(tacReal x, double s, double dot) {
    return r_make(tac_re(x) + s * tac_im(x), TAC_COMPLEX_STEP * dot);
}

static tacPose shifted_pose(const tacPose* pose, double s, const tacReal* twist) {
    double t[6] = {0};
    for (int k = 0; k < 6 && twist; ++k) t[k] = tac_re(twist[k]);
    tacVec3 p = pose->position;
    tacQuat q = pose->rotation;
    q = (tacQuat){shifted_real(q.w, s, 0.0), shifted_real(q.x, s, 0.0), shifted_real(q.y, s, 0.0),
                  shifted_real(q.z, s, 0.0)};
    tacVec3 half = {0.5 * t[3], 0.5 * t[4], 0.5 * t[5]};
    return (tacPose){
        {shifted_real(p.x, s, t[0]), shifted_real(p.y, s, t[1]), shifted_real(p.z, s, t[2])},
        tac_quat_add_scaled(q, r_make(0.0, TAC_COMPLEX_STEP),
                            tac_quat_mul(tac_quat(0.0, half), q))};
}

// adds `weight` times the derivative along the real parts of the directions at Re x + s Im x
static tacResult add_derivative(const refPoint* at, double s, tacContactTangent tangent,
                                tacReal weight, tacReal* const out[TAC_REFERENCE_NUMBERS]) {
    size_t mark = at->scratch->arena.used;
    tacModel moved = *at->model;
    tacReferenceDirection d =
        tac_reference_direction_alloc(at->model, at->count, &at->scratch->arena);
    moved.param = d.param;
    for (int i = 0; i < moved.nparam; ++i)
        moved.param[i] =
            shifted_real(at->model->param[i], s, tangent.param ? tac_re(tangent.param[i]) : 0.0);
    for (int b = 0; b < moved.nbody; ++b)
        d.pose[b] = shifted_pose(&at->body[b], s, tangent.pose ? tangent.pose + 6 * b : NULL);
    tacResult result = tac_reference_pair(&moved, d.pose, at->pair, d.record, NULL, at->scratch);
    for (int k = 0; k < TAC_REFERENCE_NUMBERS && result == TAC_OK; ++k)
        for (int i = 0; i < at->count; ++i)
            out[k][i] += weight * (tac_im(d.record[k][i]) / TAC_COMPLEX_STEP);
    at->scratch->arena.used = mark;
    return result;
}

// the larger of a rate and what x changes by, over the size that it may change by
static double largest_rate(double rate, tacReal x, double size) {
    double own = fabs(tac_re(x)) > 0.0 ? fmin(fabs(tac_re(x)), size) : size;
    return fmax(rate, fabs(tac_im(x)) / own);
}

// How far along Im x differences reach: 0.004 of the sharpest temperature, or of a number; 0 where
// nothing moves that the pair depends on.
static double difference_step(const refPoint* at) {
    const tacContactPlan* plan = at->model->contact;
    const tacContactPair* pair = &plan->pair[at->pair];
    size_t mark = at->scratch->arena.used;
    unsigned char* used = alloc_marks(at->model, &at->scratch->arena);
    const tacReal* v = at->model->param;
    double rate = 0.0, size = tac_re(v[plan->number[TAC_CONTACT_TAU]]);
    int sort = plan->number[TAC_CONTACT_SORT_TEMPERATURE];
    if (sort >= 0) size *= fmin(1.0, tac_re(v[sort]));
    mark_params(at->model, pair, used);
    for (int i = 0; i < at->model->nparam; ++i)
        if (used[i]) rate = largest_rate(rate, v[i], size);
    at->scratch->arena.used = mark;
    for (int s = 0; s < 2; ++s) {
        tacVec3 p = at->body[pair->body[s]].position;
        tacQuat q = at->body[pair->body[s]].rotation;
        const tacReal number[7] = {p.x, p.y, p.z, q.w, q.x, q.y, q.z};
        for (int k = 0; k < 7; ++k) rate = fmax(rate, fabs(tac_im(number[k])) / size);
    }
    return rate > 0.0 ? 0.004 / rate : 0.0;
}

static int has_imaginary(const tacReal* x, int count) {
    for (int i = 0; i < count && x; ++i)
        if (tac_im(x[i]) != 0.0) return 1;
    return 0;
}

// imaginary parts, which are as small as the step
static tacReal* imaginary_part(const tacReal* x, int count, tacScratch* scratch) {
    if (!x) return NULL;
    tacReal* out = alloc_reals(&scratch->arena, count);
    for (int i = 0; i < count; ++i) out[i] = tac_im(x[i]) / TAC_COMPLEX_STEP;
    return out;
}

// d/ds of a function known at s = +-1, +-2, +-3
static const double sixth_order[3] = {3.0 / 4.0, -3.0 / 20.0, 1.0 / 60.0};

static tacResult directional_derivative(const tacModel* model, const tacPose* body, int pair,
                                        tacContactTangent tangent,
                                        tacReal* const out[TAC_REFERENCE_NUMBERS],
                                        tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    refPoint at = {model, body, pair, tac_reference_count(model, pair), scratch};
    double step = difference_step(&at);
    for (int k = 0; k < TAC_REFERENCE_NUMBERS; ++k)
        for (int i = 0; i < at.count; ++i) out[k][i] = 0.0;
    tacResult result = add_derivative(&at, 0.0, tangent, 1.0, out);
    if (has_imaginary(tangent.pose, 6 * model->nbody) ||
        has_imaginary(tangent.param, model->nparam)) {
        tacReal* pose_imag = imaginary_part(tangent.pose, 6 * model->nbody, scratch);
        tacReal* param_imag = imaginary_part(tangent.param, model->nparam, scratch);
        if (result == TAC_OK)
            result = add_derivative(&at, 0.0, (tacContactTangent){pose_imag, param_imag},
                                    r_make(0.0, TAC_COMPLEX_STEP), out);
    }
    for (int j = -3; j <= 3 && step > 0.0 && result == TAC_OK; ++j) {
        double weight = j ? (j < 0 ? -1.0 : 1.0) * sixth_order[abs(j) - 1] / step : 0.0;
        if (j) result = add_derivative(&at, j * step, tangent, r_make(0.0, weight), out);
    }
    scratch->arena.used = mark;
    return result;
}

#else

static tacResult directional_derivative(const tacModel* model, const tacPose* body, int pair,
                                        tacContactTangent tangent,
                                        tacReal* const out[TAC_REFERENCE_NUMBERS],
                                        tacScratch* scratch) {
    return tac_reference_jvp_hvp(model, body, pair,
                                 (tacReferenceTangent){tangent.pose, tangent.param}, out, scratch);
}

#endif

static tacReal* alloc_zero(tacScratch* scratch, int count) {
    tacReal* x = alloc_reals(&scratch->arena, count);
    memset(x, 0, sizeof *x * (size_t)count);
    return x;
}

//---------------------------------- twists ---------------------------------------

// from turns about the origin of the second body to turns about each record's point
static void shift_twist_rows(const tacPose* body, tacContacts* c, int first, int count) {
    tacReal o[3] = {body->position.x, body->position.y, body->position.z};
    for (int i = first; i < first + count; ++i)
        for (int k = 0; k < 3; ++k) {
            // e_k x (o - p) is the linear part of a turn about p, seen from o
            int a = (k + 1) % 3, b = (k + 2) % 3;
            tacReal arm_a = o[a] - c->point[a][i], arm_b = o[b] - c->point[b][i];
            for (int row = 0; row < TAC_REFERENCE_NUMBERS; ++row)
                c->d_twist[row][3 + k][i] +=
                    -arm_b * c->d_twist[row][a][i] + arm_a * c->d_twist[row][b][i];
        }
}

tacResult tac_reference_twists(const tacModel* model, const tacPose* body, int pair, int count,
                               tacContacts* c, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    int second = model->contact->pair[pair].body[1], first = c->count;
    tacReal* twist = alloc_zero(scratch, 6 * model->nbody);
    tacResult result = TAC_OK;
    for (int k = 0; k < 6 && result == TAC_OK; ++k) {
        tacReal* out[TAC_REFERENCE_NUMBERS];
        for (int row = 0; row < TAC_REFERENCE_NUMBERS; ++row) out[row] = &c->d_twist[row][k][first];
        twist[6 * second + k] = 1.0;
        result = directional_derivative(model, body, pair, (tacContactTangent){twist, NULL}, out,
                                        scratch);
        twist[6 * second + k] = 0.0;
    }
    shift_twist_rows(&body[second], c, first, count);
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- forward --------------------------------------

tacResult tac_reference_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            tacContactTangent tangent, tacContacts* dot, tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        int pair = contacts->pair[i], count = tac_reference_count(model, pair);
        tacReal* out[TAC_REFERENCE_NUMBERS];
        if (i + count > contacts->count) return TAC_ERROR_VALUE;
        tac_reference_numbers(dot, i, out);
        result = directional_derivative(model, body, pair, tangent, out, scratch);
        i += count;
    }
    dot->count = contacts->count;
    return result;
}

//---------------------------------- reverse --------------------------------------

// one pair while its adjoints are gathered
typedef struct refReverse {
    const tacModel* model;
    const tacPose* body;
    int pair, count;
    tacReal *bar[TAC_REFERENCE_NUMBERS], *dot[TAC_REFERENCE_NUMBERS];
    tacScratch* scratch;
} refReverse;

// adds the adjoint along one direction to *out
static tacResult add_directional(const refReverse* r, tacContactTangent tangent, tacReal* out) {
    tacResult result =
        directional_derivative(r->model, r->body, r->pair, tangent, r->dot, r->scratch);
    tacReal sum = 0.0;
    for (int k = 0; k < TAC_REFERENCE_NUMBERS && result == TAC_OK; ++k)
        for (int i = 0; i < r->count; ++i) sum += r->bar[k][i] * r->dot[k][i];
    *out += sum;
    return result;
}

static tacResult add_pose_bars(const refReverse* r, tacReal* pose_bar) {
    const tacContactPair* pair = &r->model->contact->pair[r->pair];
    tacReal* twist = alloc_zero(r->scratch, 6 * r->model->nbody);
    tacResult result = TAC_OK;
    for (int s = 0; s < 2; ++s)
        for (int k = 0; k < 6 && result == TAC_OK; ++k) {
            int at = 6 * pair->body[s] + k;
            twist[at] = 1.0;
            result = add_directional(r, (tacContactTangent){twist, NULL}, &pose_bar[at]);
            twist[at] = 0.0;
        }
    return result;
}

static tacResult add_param_bars(const refReverse* r, tacReal* theta_bar) {
    int n = r->model->nparam;
    tacReal* theta = alloc_zero(r->scratch, n);
    unsigned char* used = alloc_marks(r->model, &r->scratch->arena);
    tacResult result = TAC_OK;
    mark_params(r->model, &r->model->contact->pair[r->pair], used);
    for (int i = 0; i < n && result == TAC_OK; ++i) {
        if (!used[i]) continue;
        theta[i] = 1.0;
        result = add_directional(r, (tacContactTangent){NULL, theta}, &theta_bar[i]);
        theta[i] = 0.0;
    }
    return result;
}

tacResult tac_reference_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacContacts* bar, tacContactAdjoint adjoint,
                            tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t begin = scratch->arena.used;
        refReverse r = {.model = model, .body = body, .pair = contacts->pair[i]};
        r.count = tac_reference_count(model, r.pair);
        r.scratch = scratch;
        if (i + r.count > contacts->count) return TAC_ERROR_VALUE;
        tac_reference_numbers(bar, i, r.bar);
        alloc_records(&scratch->arena, r.count, r.dot);
        if (adjoint.pose) result = add_pose_bars(&r, adjoint.pose);
        if (result == TAC_OK && adjoint.param) result = add_param_bars(&r, adjoint.param);
        i += r.count;
        scratch->arena.used = begin;
    }
    return result;
}

#endif
