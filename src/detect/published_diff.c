// Derivatives of the published manifold.
//
// It is the comparison, not the product: each direction is one evaluation in complex numbers, exact
// to rounding, and adjoints take one direction for each input that matters. So there are no second
// derivatives of it.

#include "detect/published.h"

#include "model/features.h"

#include <string.h>

size_t tac_published_way_size(const tacModel* model) {
    const size_t number = 2 * sizeof(double);
    return tac_arena_need(number * (size_t)model->nparam) +
           tac_arena_need(7 * number * (size_t)model->nbody);
}

#if defined(TAC_NUMBER_COMPLEX) || defined(TAC_NUMBER_QUAD)

tacResult tac_published_twists(const tacModel* model, const tacPose* body, int pair, int count,
                               tacContacts* contacts, tacScratch* scratch) {
    return (void)model, (void)body, (void)pair, (void)count, (void)contacts, (void)scratch,
           TAC_ERROR_UNSUPPORTED;
}

tacResult tac_published_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* dot,
                            tacScratch* scratch) {
    return (void)model, (void)body, (void)contacts, (void)pose_dot, (void)theta_dot, (void)dot,
           (void)scratch, TAC_ERROR_UNSUPPORTED;
}

tacResult tac_published_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacContacts* bar, tacReal* pose_bar, tacReal* theta_bar,
                            tacScratch* scratch) {
    return (void)model, (void)body, (void)contacts, (void)bar, (void)pose_bar, (void)theta_bar,
           (void)scratch, TAC_ERROR_UNSUPPORTED;
}

#else

static double* take_zero(tacScratch* scratch, int count) {
    double* x = TAC_TAKE(&scratch->arena, double, count);
    memset(x, 0, sizeof *x * (size_t)count);
    return x;
}

static void take_records(tacScratch* scratch, int count, double* out[TAC_PUBLISHED_NUMBERS]) {
    for (int k = 0; k < TAC_PUBLISHED_NUMBERS; ++k)
        out[k] = TAC_TAKE(&scratch->arena, double, count);
}

//---------------------------------- twists ---------------------------------------

// from turns about the origin of the second body to turns about each record's point
static void move_turns(const tacPose* body, tacContacts* c, int first, int count) {
    double o[3] = {body->position.x, body->position.y, body->position.z};
    for (int i = first; i < first + count; ++i)
        for (int k = 0; k < 3; ++k) {
            // e_k x (o - p) is the linear part of a turn about p, seen from o
            int a = (k + 1) % 3, b = (k + 2) % 3;
            double arm_a = o[a] - c->point[a][i], arm_b = o[b] - c->point[b][i];
            for (int row = 0; row < TAC_PUBLISHED_NUMBERS; ++row)
                c->d_twist[row][3 + k][i] +=
                    -arm_b * c->d_twist[row][a][i] + arm_a * c->d_twist[row][b][i];
        }
}

tacResult tac_published_twists(const tacModel* model, const tacPose* body, int pair, int count,
                               tacContacts* c, tacScratch* scratch) {
    size_t mark = scratch->arena.used;
    int second = model->contact->pair[pair].body[1], first = c->count;
    double* twist = take_zero(scratch, 6 * model->nbody);
    tacResult result = TAC_OK;
    for (int k = 0; k < 6 && result == TAC_OK; ++k) {
        double* out[TAC_PUBLISHED_NUMBERS];
        for (int row = 0; row < TAC_PUBLISHED_NUMBERS; ++row) out[row] = &c->d_twist[row][k][first];
        twist[6 * second + k] = 1.0;
        result = tac_published_way_hvp(model, body, pair, twist, NULL, out, scratch);
        twist[6 * second + k] = 0.0;
    }
    move_turns(&body[second], c, first, count);
    scratch->arena.used = mark;
    return result;
}

//---------------------------------- forward --------------------------------------

tacResult tac_published_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* dot,
                            tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        int pair = contacts->pair[i], count = tac_published_count(model, pair);
        double* out[TAC_PUBLISHED_NUMBERS];
        if (i + count > contacts->count) return TAC_ERROR_VALUE;
        tac_published_numbers(dot, i, out);
        result = tac_published_way_hvp(model, body, pair, pose_dot, theta_dot, out, scratch);
        i += count;
    }
    dot->count = contacts->count;
    return result;
}

//---------------------------------- reverse --------------------------------------

static void mark(unsigned char* used, int nparam, int first, int count) {
    for (int i = first; first >= 0 && i < first + count && i < nparam; ++i) used[i] = 1;
}

// parameters that the records of a pair may depend on
static void mark_params(const tacModel* model, const tacContactPair* pair, unsigned char* used) {
    int n = model->nparam;
    memset(used, 0, (size_t)n);
    for (int i = 0; i < TAC_CONTACT_NUMBERS; ++i) mark(used, n, model->contact->number[i], 1);
    for (int s = 0; s < 2; ++s) {
        const tacGeom* geom = &model->geom[pair->geom[s]];
        const tacShape* shape = &model->shape[geom->shape];
        mark(used, n, geom->position, 3), mark(used, n, geom->rotation, 4);
        for (int i = shape->first; i < shape->first + shape->count; ++i) {
            const tacNode* node = &model->node[i];
            mark(used, n, node->position, 3), mark(used, n, node->rotation, 4);
            mark(used, n, node->size, 3), mark(used, n, node->eps, 2);
            mark(used, n, node->smooth, 1), mark(used, n, node->block, node->block_count);
        }
    }
}

// one pair while its adjoints are gathered
typedef struct pubReverse {
    const tacModel* model;
    const tacPose* body;
    int pair, count;
    double *bar[TAC_PUBLISHED_NUMBERS], *dot[TAC_PUBLISHED_NUMBERS];
    tacScratch* scratch;
} pubReverse;

// adds the adjoint along one direction to *out
static tacResult add_way(const pubReverse* r, const double* pose_dot, const double* theta_dot,
                         double* out) {
    tacResult result =
        tac_published_way_hvp(r->model, r->body, r->pair, pose_dot, theta_dot, r->dot, r->scratch);
    double sum = 0.0;
    for (int k = 0; k < TAC_PUBLISHED_NUMBERS && result == TAC_OK; ++k)
        for (int i = 0; i < r->count; ++i) sum += r->bar[k][i] * r->dot[k][i];
    *out += sum;
    return result;
}

static tacResult add_poses(const pubReverse* r, double* pose_bar) {
    const tacContactPair* pair = &r->model->contact->pair[r->pair];
    double* twist = take_zero(r->scratch, 6 * r->model->nbody);
    tacResult result = TAC_OK;
    for (int s = 0; s < 2; ++s)
        for (int k = 0; k < 6 && result == TAC_OK; ++k) {
            int at = 6 * pair->body[s] + k;
            twist[at] = 1.0;
            result = add_way(r, twist, NULL, &pose_bar[at]);
            twist[at] = 0.0;
        }
    return result;
}

static tacResult add_params(const pubReverse* r, double* theta_bar) {
    int n = r->model->nparam;
    double* theta = take_zero(r->scratch, n);
    unsigned char* used = TAC_TAKE(&r->scratch->arena, unsigned char, n);
    tacResult result = TAC_OK;
    mark_params(r->model, &r->model->contact->pair[r->pair], used);
    for (int i = 0; i < n && result == TAC_OK; ++i) {
        if (!used[i]) continue;
        theta[i] = 1.0;
        result = add_way(r, NULL, theta, &theta_bar[i]);
        theta[i] = 0.0;
    }
    return result;
}

tacResult tac_published_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                            const tacContacts* bar, tacReal* pose_bar, tacReal* theta_bar,
                            tacScratch* scratch) {
    tacResult result = TAC_OK;
    for (int i = 0; i < contacts->count && result == TAC_OK;) {
        size_t begin = scratch->arena.used;
        pubReverse r = {.model = model, .body = body, .pair = contacts->pair[i]};
        r.count = tac_published_count(model, r.pair), r.scratch = scratch;
        if (i + r.count > contacts->count) return TAC_ERROR_VALUE;
        tac_published_numbers(bar, i, r.bar);
        take_records(scratch, r.count, r.dot);
        if (pose_bar) result = add_poses(&r, pose_bar);
        if (result == TAC_OK && theta_bar) result = add_params(&r, theta_bar);
        i += r.count;
        scratch->arena.used = begin;
    }
    return result;
}

#endif
