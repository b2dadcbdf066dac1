// K soft collision points of a pair of clouds, K/2 on each body.
//
//   Phi --sigma(-Phi)--> weights z of vertices --soft top-K--> points c --field--> records
//
// All derivatives are carried forward along nine directions: the relative twist about the origin of
// the second body, eps1, eps2 and the temperature of the selection. docs/scm.md eq. 8 to 10.

#define TAC_ONE_LANE
#include "detect/ssdf/ssdf_points.h"

#include "detect/field/field_normal.inl"
#include "detect/ssdf/cloud_place.h"
#include "detect/ssdf/ssdf_cutoff.h"
#include "detect/ssdf/ssdf_kernels.h"
#include "math/spatial.h"
#include "math/vec3_array.h"
#include "tactus/respond.h"
#include "tactus/smooth.h"

#include <math.h>
#include <string.h>

enum { EPS1 = 6, EPS2, SORT, DIRECTIONS };

// one record, and the derivatives of point (3), normal (3) and distance
typedef struct softRecord {
    tacReal point[3], normal[3], distance, D[7][DIRECTIONS];
} softRecord;

typedef struct softPair {
    const tacContactCloud* cloud[2];
    tacPose pose[2];
    tacReal number[3];           // eps1, eps2, sort
    int sinkhorn, exact, points; // points of each body at most
    tacReal *Phi, *sigma, *rate; // (n) (n) (WAYS n): of Phi, then of sigma
    tacReal *z, *z_rate;         // of one body's vertices (v) (WAYS v)
    tacReal *W, *W_rate, *work;  // (points v) twice; of the selection
    int* order;
} softPair;

//---------------------------------- memory ---------------------------------------

static int max_int(int a, int b) { return a > b ? a : b; }

// the most that any pair needs
typedef struct softSizes {
    int points, vertices, k;
    size_t work;
} softSizes;

static softSizes sizes_of(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    softSizes s = {.k = plan->choice[TAC_CHOICE_SOFT_POINTS] / 2};
    for (int i = 0; i < plan->npair && plan->cloud; ++i) {
        const tacContactCloud *a = plan->cloud[plan->pair[i].geom[0]],
                              *b = plan->cloud[plan->pair[i].geom[1]];
        if (!a || !b) continue;
        s.points = max_int(s.points, a->queries + b->queries);
        s.vertices = max_int(s.vertices, max_int(a->vertices, b->vertices));
    }
    size_t sort = tac_soft_sort_size(s.vertices), sinkhorn = tac_sinkhorn_size(s.k);
    s.work = sort > sinkhorn ? sort : sinkhorn;
    return s;
}

static int points_capacity(const tacModel* model) {
    return model->contact->npair * model->contact->choice[TAC_CHOICE_SOFT_POINTS];
}

static tacReal* alloc_reals(tacArena* arena, size_t count) {
    return TAC_ALLOC(arena, tacReal, count);
}

// a pair, and its records
static softRecord* alloc_pair(const tacModel* model, tacArena* arena, softPair* p) {
    softSizes s = sizes_of(model);
    size_t n = (size_t)s.points, v = (size_t)s.vertices, k = (size_t)s.k;
    p->Phi = alloc_reals(arena, n);
    p->sigma = alloc_reals(arena, n);
    p->rate = alloc_reals(arena, DIRECTIONS * n);
    p->z = alloc_reals(arena, v);
    p->z_rate = alloc_reals(arena, DIRECTIONS * v);
    p->W = alloc_reals(arena, k * v);
    p->W_rate = alloc_reals(arena, k * v);
    p->work = alloc_reals(arena, s.work);
    p->order = TAC_ALLOC(arena, int, k + 1);
    p->points = s.k;
    return TAC_ALLOC(arena, softRecord, 2 * (k + 1));
}

static void measure_points(const tacModel* model, tacArena* arena) {
    softPair p;
    size_t mark = arena->used;
    alloc_pair(model, arena, &p);
    arena->used = mark;
}

//---------------------------------- field ----------------------------------------

static int point_count(const softPair* p) { return p->cloud[0]->queries + p->cloud[1]->queries; }

static tacVec3 cloud_point(const tacContactCloud* c, int i) {
    return (tacVec3){c->block[i], c->block[c->count + i], c->block[2 * c->count + i]};
}

static tacVec3 cloud_vertex(const tacContactCloud* c, int v) {
    return (tacVec3){c->vertex[0][v], c->vertex[1][v], c->vertex[2][v]};
}

static tacVec3 pair_origin(const softPair* p) { return p->pose[1].position; }

// how a point moves with way k of the second body
static tacVec3 point_velocity(const softPair* p, tacVec3 x, int k) {
    tacVec3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    return k < 3 ? e : tac_cross(e, tac_sub(x, pair_origin(p)));
}

// Phi of one body's points, and its rates
static void fill_side(softPair* p, int side, int first) {
    int n = point_count(p), queries = p->cloud[side]->queries;
    tacSsdfPlanes planes = tac_ssdf_planes(p->cloud[1 - side], p->number[0], p->exact);
    tacPose surface = p->pose[1 - side];
    for (int from = 0; from < queries; from += TAC_SSDF_BLOCK) {
        tacReal y[3][TAC_SSDF_BLOCK], jet[TAC_SSDF_JET][TAC_SSDF_BLOCK];
        tacVec3 x[TAC_SSDF_BLOCK];
        for (int k = 0; k < TAC_SSDF_BLOCK; ++k) {
            int i = from + k < queries ? from + k : queries - 1;
            x[k] = tac_pose_apply(p->pose[side], cloud_point(p->cloud[side], i));
            tacVec3 in = tac_pose_apply_inverse(surface, x[k]);
            y[0][k] = in.x;
            y[1][k] = in.y;
            y[2][k] = in.z;
        }
        TAC_DISPATCH(tac_ssdf_kernels_)->at(&planes, (const tacReal(*)[TAC_SSDF_BLOCK])y, jet);
        for (int k = 0; k < TAC_SSDF_BLOCK && from + k < queries; ++k) {
            int f = first + from + k;
            tacVec3 g = tac_pose_rotate(surface, (tacVec3){jet[1][k], jet[2][k], jet[3][k]});
            p->Phi[f] = jet[0][k];
            for (int dir = 0; dir < 6; ++dir)
                p->rate[dir * n + f] =
                    (side ? 1.0 : -1.0) * tac_dot(g, point_velocity(p, x[k], dir));
            p->rate[EPS1 * n + f] = jet[10][k];
            p->rate[EPS2 * n + f] = p->rate[SORT * n + f] = 0.0;
        }
    }
}

// sigma(-Phi); rates of Phi become those of sigma: -sigma (dPhi - <dPhi>)/eps2
static void soft_weights(softPair* p) {
    int n = point_count(p), least = 0;
    tacReal total = 0.0, eps = p->number[1];
    for (int f = 1; f < n; ++f)
        if (tac_re(p->Phi[f]) < tac_re(p->Phi[least])) least = f;
    for (int f = 0; f < n; ++f) {
        tacReal weight_exponent = (p->Phi[f] - p->Phi[least]) / eps;
        p->sigma[f] = r_exp(-r_min(weight_exponent, 700.0));
        total += p->sigma[f];
        p->rate[EPS2 * n + f] = -weight_exponent; // of Phi/eps2, times eps2
    }
    for (int f = 0; f < n; ++f) p->sigma[f] = p->sigma[f] / total;
    for (int dir = 0; dir < DIRECTIONS; ++dir) {
        tacReal mean = 0.0, *rate = p->rate + dir * n;
        for (int f = 0; f < n; ++f) mean += p->sigma[f] * rate[f];
        for (int f = 0; f < n; ++f) rate[f] = -p->sigma[f] * (rate[f] - mean) / eps;
    }
}

//---------------------------------- selection ------------------------------------

// z_v = sum of sigma over the faces at v
static void fill_vertices(softPair* p, int side, int first) {
    const tacContactCloud* c = p->cloud[side];
    int n = point_count(p), vertices = c->vertices;
    for (int v = 0; v < vertices; ++v) {
        p->z[v] = 0.0;
        for (int dir = 0; dir < DIRECTIONS; ++dir) p->z_rate[dir * vertices + v] = 0.0;
        for (int i = c->first[v]; i < c->first[v + 1]; ++i) {
            int f = first + c->face[i];
            p->z[v] += p->sigma[f];
            for (int dir = 0; dir < DIRECTIONS; ++dir)
                p->z_rate[dir * vertices + v] += p->rate[dir * n + f];
        }
    }
}

// tau = sort sum z^2/sum z, the size of a weight that counts; its rate along z_dot. The weights of
// a body that is far from the pair's contact vanish; 1e-140 is a divisor whose square is a number.
static tacReal sort_temperature(const softPair* p, int vertices, const tacReal* z_dot,
                                tacReal* rate) {
    tacReal sum = 1e-140, square = 1e-140, sum_dot = 0.0, square_dot = 0.0;
    for (int v = 0; v < vertices; ++v) {
        sum += p->z[v];
        square += p->z[v] * p->z[v];
        if (z_dot) {
            sum_dot += z_dot[v];
            square_dot += 2.0 * p->z[v] * z_dot[v];
        }
    }
    *rate = p->number[2] * (square_dot - square / sum * sum_dot) / sum;
    return p->number[2] * square / sum;
}

// weights of the rows, and along one way (NULL: not)
static tacResult select_soft_rows(softPair* p, int vertices, int k, int dir) {
    tacReal tau_dot, *z_dot = dir < 0 ? NULL : p->z_rate + dir * vertices;
    tacReal tau = sort_temperature(p, vertices, z_dot, &tau_dot);
    if (dir == SORT) tau_dot = tau / p->number[2];
    tacSoftSort sort = tac_default_soft_sort(vertices, p->z, k);
    sort.tau = tau;
    sort.order = p->order;
    sort.work = p->work;
    tacSinkhorn sinkhorn = tac_default_sinkhorn(vertices, p->z, k);
    sinkhorn.tau = tau;
    sinkhorn.work = p->work;
    if (dir < 0)
        return p->sinkhorn ? tac_sinkhorn_top_k(&sinkhorn, p->W) : tac_soft_sort_top_k(&sort, p->W);
    return p->sinkhorn ? tac_sinkhorn_top_k_jvp(&sinkhorn, z_dot, tau_dot, p->W_rate)
                       : tac_soft_sort_top_k_jvp(&sort, z_dot, tau_dot, p->W_rate);
}

// c = sum W y of each row, of weights or of their rates, in the body's axes
static tacVec3 weighted_mean(const softPair* p, int side, const tacReal* row) {
    const tacContactCloud* c = p->cloud[side];
    tacVec3 sum = tac_vec3_zero();
    for (int v = 0; v < c->vertices; ++v) sum = tac_add_scaled(sum, row[v], cloud_vertex(c, v));
    return sum;
}

//---------------------------------- records --------------------------------------

static fieldNormal surface_normal(tacVec3 g) {
    tacReal square = tac_norm2(g);
    return field_normal(square, 1.0 / r_sqrt(field_normal_square(square)));
}

static tacVec3 normal_jvp(fieldNormal n, tacVec3 g, tacVec3 g_dot) {
    return tac_add_scaled(tac_scale(g_dot, n.s), -n.curvature * tac_dot(g, g_dot), g);
}

// what the field of the other body makes of the point and of its motions, which D holds
static void read_field(const softPair* p, int side, softRecord* r) {
    tacPose surface = p->pose[1 - side];
    tacSsdfPlanes planes = tac_ssdf_planes(p->cloud[1 - side], p->number[0], p->exact);
    tacReal y[3], jet[TAC_SSDF_JET], sign = side ? 1.0 : -1.0;
    tacVec3 c = tac_load3(r->point);
    tac_store3(y, tac_pose_apply_inverse(surface, c));
    tac_ssdf_at(&planes, y, jet);
    tacVec3 g = tac_load3(jet + 1);
    fieldNormal h = surface_normal(g);
    tacVec3 n = tac_pose_rotate(surface, tac_scale(g, h.s));
    r->distance = jet[0];
    tac_store3(r->normal, tac_scale(n, sign));
    for (int dir = 0; dir < DIRECTIONS; ++dir) {
        tacVec3 u = {r->D[0][dir], r->D[1][dir], r->D[2][dir]}, rotated = tac_vec3_zero();
        if (side == 0 && dir < 6) u = tac_sub(u, point_velocity(p, c, dir)); // the surface moves
        if (side == 0 && dir >= 3 && dir < 6)
            rotated = tac_cross((tacVec3){dir == 3, dir == 4, dir == 5}, n);
        u = tac_pose_rotate_inverse(surface, u);
        tacVec3 g_dot = tac_symmetric_mul(jet + 4, u);
        r->D[6][dir] = tac_dot(g, u) + (dir == EPS1 ? jet[10] : (tacReal)0.0);
        if (dir == EPS1) g_dot = tac_add(g_dot, tac_load3(jet + 11));
        tacVec3 n_dot = tac_add(tac_pose_rotate(surface, normal_jvp(h, g, g_dot)), rotated);
        r->D[3][dir] = sign * n_dot.x;
        r->D[4][dir] = sign * n_dot.y;
        r->D[5][dir] = sign * n_dot.z;
    }
}

// the points of one body and how they move
static tacResult fill_records(softPair* p, int side, int k, softRecord* out) {
    int vertices = p->cloud[side]->vertices;
    tacResult result = select_soft_rows(p, vertices, k, -1);
    for (int i = 0; i < k && result == TAC_OK; ++i)
        tac_store3(out[i].point,
                   tac_pose_apply(p->pose[side], weighted_mean(p, side, p->W + i * vertices)));
    for (int dir = 0; dir < DIRECTIONS && result == TAC_OK; ++dir) {
        result = select_soft_rows(p, vertices, k, dir);
        for (int i = 0; i < k && result == TAC_OK; ++i) {
            tacVec3 d =
                tac_pose_rotate(p->pose[side], weighted_mean(p, side, p->W_rate + i * vertices));
            if (side == 1 && dir < 6)
                d = tac_add(d, point_velocity(p, tac_load3(out[i].point), dir));
            out[i].D[0][dir] = d.x;
            out[i].D[1][dir] = d.y;
            out[i].D[2][dir] = d.z;
        }
    }
    for (int i = 0; i < k && result == TAC_OK; ++i) read_field(p, side, &out[i]);
    return result;
}

// No record of the pair could push a spring, whatever TAC_INFLUENCE_GAIN allows for. Points lie
// anywhere between vertices; phi, a mean over planes, is below none that counts.
static int is_separated(const tacModel* model, const tacContactPair* pair, const softPair* p) {
    const tacContactPlan* plan = model->contact;
    if (p->exact || plan->responder != TAC_RESPOND_SPRING || pair->eps3 < 0) return 0;
    tacSsdfCutoff m = {.cloud = {p->cloud[0], p->cloud[1]},
                       .pose = {&p->pose[0], &p->pose[1]},
                       .eps1 = tac_re(p->number[0]),
                       .eps3 = tac_re(model->param[pair->eps3]),
                       .gain = TAC_INFLUENCE_GAIN,
                       .between = 1};
    return tac_ssdf_cutoff_separated(&m);
}

// all records of a pair; how many
static tacResult find_soft_points(const tacModel* model, const tacPose* body, int index,
                                  softPair* p, softRecord* out, int* count) {
    const tacContactPlan* plan = model->contact;
    const tacContactPair* pair = &plan->pair[index];
    const int number[3] = {plan->number[TAC_CONTACT_EPS1], plan->number[TAC_CONTACT_EPS2],
                           plan->number[TAC_CONTACT_SORT_TEMPERATURE]};
    tacResult result = TAC_OK;
    *count = 0;
    for (int i = 0; i < 2; ++i) {
        p->cloud[i] = plan->cloud[pair->geom[i]];
        p->pose[i] = tac_cloud_pose(model, pair->geom[i], body[pair->body[i]]);
    }
    for (int i = 0; i < 3; ++i) p->number[i] = model->param[number[i]];
    p->sinkhorn = plan->choice[TAC_CHOICE_SELECT];
    p->exact = plan->choice[TAC_CHOICE_EXACT];
    if (!p->cloud[0] || !p->cloud[1] || point_count(p) == 0) return TAC_OK;
    if (is_separated(model, pair, p)) return TAC_OK;
    fill_side(p, 0, 0);
    fill_side(p, 1, p->cloud[0]->queries);
    soft_weights(p);
    for (int side = 0; side < 2 && result == TAC_OK; ++side) {
        int vertices = p->cloud[side]->vertices, k = vertices < p->points ? vertices : p->points;
        if (p->cloud[side]->queries == 0 || k == 0) continue;
        fill_vertices(p, side, side ? p->cloud[0]->queries : 0);
        result = fill_records(p, side, k, out + *count);
        *count += k;
    }
    return result;
}

//---------------------------------- detector -------------------------------------

// twists about the point in place of the origin: a turn there also shifts
static void write_twists(const softRecord* r, tacVec3 origin, tacContacts* c, int at) {
    tacVec3 arm = tac_sub(origin, tac_load3(r->point));
    for (int row = 0; row < 8; ++row)
        for (int k = 0; k < 6; ++k) {
            tacReal d = row < 7 ? r->D[row][k] : (tacReal)0.0;
            if (k >= 3 && row < 7) {
                tacVec3 shift = tac_cross((tacVec3){k == 3, k == 4, k == 5}, arm);
                d += r->D[row][0] * shift.x + r->D[row][1] * shift.y + r->D[row][2] * shift.z;
            }
            c->d_twist[row][k][at] = d;
        }
}

static void write_record(const tacModel* model, int pair, int number, const softRecord* r,
                         tacVec3 origin, tacContacts* c) {
    int at = c->count++;
    c->pair[at] = pair;
    c->bundle[at] = -1;
    c->feature[at] = (uint64_t)number;
    for (int k = 0; k < 2; ++k) c->geom[k][at] = model->contact->pair[pair].geom[k];
    for (int k = 0; k < 3; ++k) {
        c->point[k][at] = r->point[k];
        c->normal[k][at] = r->normal[k];
    }
    c->distance[at] = r->distance;
    c->activity[at] = 1.0;
    if (c->d_twist[0][0]) write_twists(r, origin, c, at);
}

static tacResult detect_points(const tacModel* model, const tacPose* body, tacContacts* contacts,
                               tacScratch* scratch) {
    softPair p = {0};
    softRecord* r = alloc_pair(model, &scratch->arena, &p);
    for (int i = 0; i < model->contact->npair; ++i) {
        int count;
        tacResult result = find_soft_points(model, body, i, &p, r, &count);
        if (result != TAC_OK) return result;
        if (contacts->count + count > contacts->capacity) return TAC_ERROR_CAPACITY;
        for (int k = 0; k < count; ++k) write_record(model, i, k, &r[k], pair_origin(&p), contacts);
    }
    return TAC_OK;
}

// offsets of what ways 6, 7, 8 are
static void param_offsets(const tacModel* model, int at[3]) {
    const int* number = model->contact->number;
    at[0] = number[TAC_CONTACT_EPS1];
    at[1] = number[TAC_CONTACT_EPS2];
    at[2] = number[TAC_CONTACT_SORT_TEMPERATURE];
}

// twist of a geom about the pair's origin: that of its body, and of its place there
static tacTwist geom_twist(const tacModel* model, const tacPose* body, int geom,
                           tacContactTangent tangent, tacVec3 origin) {
    int b = model->geom[geom].body;
    tacTwist sum = tac_twist_zero();
    if (tangent.pose)
        sum = tac_twist_shift(tac_twist_load(tangent.pose + 6 * b), body[b].position, origin);
    if (!tangent.param) return sum;
    return tac_twist_add(sum, tac_cloud_place_twist(model, geom, body[b], origin, tangent.param));
}

static tacResult detect_points_jvp(const tacModel* model, const tacPose* body,
                                   const tacContacts* contacts, tacContactTangent tangent,
                                   tacContacts* dot, tacScratch* scratch) {
    softPair p = {0};
    int number[3], at = 0;
    (void)contacts;
    param_offsets(model, number);
    softRecord* r = alloc_pair(model, &scratch->arena, &p);
    for (int i = 0; i < model->contact->npair; ++i) {
        const int* geom = model->contact->pair[i].geom;
        int count;
        tacResult result = find_soft_points(model, body, i, &p, r, &count);
        if (result != TAC_OK) return result;
        tacTwist first = geom_twist(model, body, geom[0], tangent, pair_origin(&p));
        tacTwist second = geom_twist(model, body, geom[1], tangent, pair_origin(&p));
        tacReal dir[DIRECTIONS] = {0};
        tac_twist_store(dir, tac_twist_sub(second, first));
        for (int k = 0; k < 3 && tangent.param; ++k) dir[EPS1 + k] = tangent.param[number[k]];
        for (int k = 0; k < count; ++k, ++at) {
            tacReal d[7];
            tacTwist rigid = tac_twist_shift(first, pair_origin(&p), tac_load3(r[k].point));
            tac_store3(d, rigid.linear);
            tac_store3(d + 3, tac_cross(first.angular, tac_load3(r[k].normal)));
            d[6] = 0.0;
            for (int row = 0; row < 7; ++row)
                for (int w = 0; w < DIRECTIONS; ++w) d[row] += r[k].D[row][w] * dir[w];
            for (int j = 0; j < 3; ++j) {
                dot->point[j][at] = d[j];
                dot->normal[j][at] = d[3 + j];
            }
            dot->distance[at] = d[6];
            dot->activity[at] = 0.0;
        }
    }
    return TAC_OK;
}

static void add_geom_bar(const tacModel* model, const tacPose* body, int geom, tacVec3 origin,
                         tacWrench w, tacContactAdjoint adjoint) {
    int b = model->geom[geom].body;
    if (adjoint.pose) {
        tacReal* at = adjoint.pose + 6 * b;
        tac_wrench_store(
            at, tac_wrench_add(tac_wrench_load(at), tac_wrench_shift(w, origin, body[b].position)));
    }
    if (adjoint.param) tac_cloud_place_twist_vjp(model, geom, body[b], origin, w, adjoint.param);
}

static tacResult detect_points_vjp(const tacModel* model, const tacPose* body,
                                   const tacContacts* contacts, const tacContacts* bar,
                                   tacContactAdjoint adjoint, tacScratch* scratch) {
    softPair p = {0};
    int number[3], at = 0;
    (void)contacts;
    param_offsets(model, number);
    softRecord* r = alloc_pair(model, &scratch->arena, &p);
    for (int i = 0; i < model->contact->npair; ++i) {
        const int* geom = model->contact->pair[i].geom;
        int count;
        tacResult result = find_soft_points(model, body, i, &p, r, &count);
        if (result != TAC_OK) return result;
        tacReal dir[DIRECTIONS] = {0};
        tacWrench rigid = tac_wrench_zero();
        for (int k = 0; k < count; ++k, ++at) {
            tacReal d[7] = {bar->point[0][at],  bar->point[1][at],  bar->point[2][at],
                            bar->normal[0][at], bar->normal[1][at], bar->normal[2][at],
                            bar->distance[at]};
            tacVec3 force = tac_load3(d);
            tacVec3 torque = tac_cross(tac_load3(r[k].normal), tac_load3(d + 3));
            rigid = tac_wrench_add(rigid, tac_wrench_shift((tacWrench){force, torque},
                                                           tac_load3(r[k].point), pair_origin(&p)));
            for (int w = 0; w < DIRECTIONS; ++w)
                for (int row = 0; row < 7; ++row) dir[w] += r[k].D[row][w] * d[row];
        }
        for (int k = 0; k < 3 && adjoint.param; ++k) adjoint.param[number[k]] += dir[EPS1 + k];
        tacWrench moved_bar = tac_wrench_load(dir);
        add_geom_bar(model, body, geom[1], pair_origin(&p), moved_bar, adjoint);
        add_geom_bar(model, body, geom[0], pair_origin(&p), tac_wrench_sub(rigid, moved_bar),
                     adjoint);
    }
    return TAC_OK;
}

const tacDetectorKind tac_ssdf_detector = {points_capacity, measure_points, detect_points,
                                           detect_points_jvp, detect_points_vjp};
