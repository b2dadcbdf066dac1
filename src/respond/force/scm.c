// The wrench between two clouds, with its derivatives by relative pose, relative twist and numbers.
//
//   Phi of all points --> sigma(-Phi), points that count --scm_kernels.c--> sums of two ways -->
//   here
//
// Model: docs/scm.md.

#include "respond/force/scm.h"

#include "detect/ssdf/ssdf_kernels.h"
#include "math/spatial.h"
#include "respond/force/scm_kernels.h"

#include <math.h>
#include <string.h>

// power of the ratio of spacings by which points of the coarser cloud count less
#define FINER_COUNTS 16.0

//---------------------------------- points that count ----------------------------

// Ln of what weights of a side are multiplied by, beside the areas: the finer of two clouds
// measures the contact, a coarse one misses what is smaller than its spacing.
static double side_weight(const tacScmPair* pair, int side) {
    const tacContactCloud *a = pair->cloud[side], *b = pair->cloud[1 - side];
    if (!a->weighted || !b->weighted || b->queries == 0 || !(a->spacing > b->spacing)) return 0.0;
    return FINER_COUNTS * log(b->spacing / a->spacing);
}

// ln of the smallest and the largest weight of a point with the same Phi
static void weight_range(const tacScmPair* pair, double range[2]) {
    range[0] = INFINITY;
    range[1] = -INFINITY;
    for (int i = 0; i < 2; ++i) {
        const tacContactCloud* c = pair->cloud[i];
        if (c->queries == 0) continue;
        double side = side_weight(pair, i);
        range[0] = fmin(range[0], side + c->log_area_range[0]);
        range[1] = fmax(range[1], side + c->log_area_range[1]);
    }
}

// ln of the part of the largest weight, or force, below which a point is left out: derivatives by
// 1/eps2 times an arm included
static double weight_cutoff(const tacScmPair* pair) {
    int count = pair->cloud[0]->queries + pair->cloud[1]->queries;
    double size = pair->cloud[0]->size + pair->cloud[1]->size;
    double gain = 1.0 + size / tac_re(pair->number[TAC_SCM_EPS2]);
    double range[2];
    weight_range(pair, range);
    return pair->exact ? 700.0 : log(gain * count / TAC_SSDF_SHARE) + range[1] - range[0];
}

// points of one way that may count, with Phi and how far its forces fade
typedef struct scmList {
    int count, *at;
    tacReal *Phi, *fade;
} scmList;

// what the search for them keeps
typedef struct scmSearch {
    tacScmSide* side;
    scmList* list;
    double eps3;
    double most; // Phi above this does not count
    double cut;  // what is added to a Phi that was found
} scmSearch;

static void add_leaf(scmSearch* s, int leaf) {
    scmList* list = s->list;
    int first = leaf * TAC_CLOUD_LEAF, end = first + TAC_CLOUD_LEAF, start = list->count;
    for (int i = first; i < end && i < s->side->query.cloud->queries; ++i)
        list->at[list->count++] = i;
    TAC_DISPATCH(tac_ssdf_kernels_)
        ->fading(&s->side->planes,
                 (tacSsdfPoints){&s->side->query, list->at + start, list->count - start}, s->eps3,
                 list->Phi + start, list->fade + start);
    for (int i = start; i < list->count; ++i) {
        double phi_cutoff = tac_re(list->Phi[i]) + s->cut;
        s->most = s->most < phi_cutoff ? s->most : phi_cutoff;
    }
}

static double phi_bound(const scmSearch* s, int page, int k, double enough) {
    return TAC_DISPATCH(tac_ssdf_kernels_)
        ->lower_bound(&s->side->planes, &s->side->query, page, k, enough);
}

// boxes in the order of the array, if they may hold a Phi that counts
static void search_page(scmSearch* s, int level, int index) {
    const tacContactCloud* cloud = s->side->query.cloud;
    tacCloudLevels levels = tac_cloud_levels(cloud->count);
    int page = levels.first[level] + index, first = index * TAC_CLOUD_LEAF;
    for (int k = 0; k < TAC_CLOUD_LEAF && first + k < levels.slots[level]; ++k) {
        if (!(phi_bound(s, page, k, s->most) < s->most)) continue;
        if (level > 0)
            search_page(s, level - 1, first + k);
        else
            add_leaf(s, first + k);
    }
}

// the leaf of least bound on the way down: a good start for what counts
static void seed_search(scmSearch* s) {
    const tacContactCloud* cloud = s->side->query.cloud;
    tacCloudLevels levels = tac_cloud_levels(cloud->count);
    int index = 0;
    for (int level = levels.count - 1; level >= 0; --level) {
        int best = 0, first = index * TAC_CLOUD_LEAF;
        double lower_bound = INFINITY;
        for (int k = 0; k < TAC_CLOUD_LEAF && first + k < levels.slots[level]; ++k) {
            double low = phi_bound(s, levels.first[level] + index, k, -INFINITY);
            if (low < lower_bound) {
                lower_bound = low;
                best = k;
            }
        }
        index = first + best;
    }
    add_leaf(s, index);
    s->list->count = 0;
}

static void search_cloud(scmSearch* s, int exact) {
    const tacContactCloud* cloud = s->side->query.cloud;
    tacCloudLevels levels = tac_cloud_levels(cloud->count);
    if (exact)
        for (int leaf = 0; leaf < levels.slots[0]; ++leaf) add_leaf(s, leaf);
    else
        search_page(s, levels.count - 1, 0);
}

// both ways, with the smallest Phi of either in view
static void find_points(const tacScmPair* pair, tacScmSide side[2], scmList list[2]) {
    double most = INFINITY, cut = weight_cutoff(pair) * tac_re(pair->number[TAC_SCM_EPS2]);
    scmSearch s[2];
    for (int i = 0; i < 2; ++i) {
        s[i] = (scmSearch){&side[i], &list[i], tac_re(pair->number[TAC_SCM_EPS3]), most, cut};
        if (pair->cloud[i]->queries > 0 && !pair->exact) {
            seed_search(&s[i]);
            most = s[i].most;
        }
    }
    for (int i = 0; i < 2; ++i) {
        s[i].most = most;
        if (pair->cloud[i]->queries > 0) search_cloud(&s[i], pair->exact);
        most = s[i].most;
    }
}

static tacReal min_phi(const scmList list[2]) {
    tacReal lower_bound = INFINITY;
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < list[side].count; ++i)
            if (tac_re(list[side].Phi[i]) < tac_re(lower_bound)) lower_bound = list[side].Phi[i];
    return lower_bound;
}

// A force counts if it is not far below that of the point with the smallest Phi, which is
// exp(-Phi/eps3) at least, nor far below the pair's own scale.
static double force_log_cutoff(const tacScmPair* pair, tacReal lower_bound) {
    double start = tac_re(lower_bound) / tac_re(pair->number[TAC_SCM_EPS3]);
    double log_cutoff = weight_cutoff(pair) + (start > 0.0 ? start : 0.0);
    if (pair->exact) return INFINITY;
    return pair->log_cutoff > 0.0 && pair->log_cutoff < log_cutoff ? pair->log_cutoff : log_cutoff;
}

// weights of the points that count; those whose force counts first, the others behind in reverse
static void point_weights(const tacScmPair* pair, tacReal lower_bound, scmList* list,
                          tacScmSide* side, tacReal* sigma, int* at) {
    tacReal eps = pair->number[TAC_SCM_EPS2];
    const double* log_area = side->query.cloud->log_area;
    double range[2], largest;
    weight_range(pair, range);
    largest = range[1] - side->log_weight;
    double cut = weight_cutoff(pair), log_cutoff = force_log_cutoff(pair, lower_bound);
    int force = 0, end = list->count;
    for (int i = 0; i < list->count; ++i) {
        tacReal weight_exponent =
            (list->Phi[i] - lower_bound) / eps + (largest - log_area[list->at[i]]);
        if (tac_re(weight_exponent) > cut) continue;
        int active = tac_re(weight_exponent) + tac_re(list->fade[i]) <= log_cutoff;
        int to = active ? force++ : --end;
        at[to] = list->at[i];
        sigma[to] = r_exp(-weight_exponent);
    }
    side->count = force;
    side->fields = list->count - end;
    for (int i = 0; i < side->fields; ++i) {
        at[force + i] = at[end + i];
        sigma[force + i] = sigma[end + i];
    }
    side->at = at;
    side->sigma = sigma;
    side->shift = lower_bound;
    side->log_cutoff = log_cutoff;
}

// sigma to a sum of 1; the paper's average and -LSE(-Phi)
static void normalize_weights(const tacScmPair* pair, tacReal lower_bound, tacScmSide side[2],
                              tacReal* sigma[2], tacReal separation[2]) {
    tacReal eps = pair->number[TAC_SCM_EPS2], total = 0.0, mean = 0.0;
    double range[2];
    weight_range(pair, range);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < side[k].count + side[k].fields; ++i) {
            total += sigma[k][i];
            double smaller =
                range[1] - side[k].log_weight - side[k].query.cloud->log_area[side[k].at[i]];
            if (tac_re(sigma[k][i]) > 0.0) mean -= sigma[k][i] * (r_log(sigma[k][i]) + smaller);
        }
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < side[k].count + side[k].fields; ++i) sigma[k][i] = sigma[k][i] / total;
    separation[0] = lower_bound + eps * mean / total;
    separation[1] = lower_bound - eps * r_log(total);
}

//---------------------------------- one way --------------------------------------

// motion of a body against the other, at the origin
static tacTwist relative_motion(const tacScmPair* pair, const tacReal motion[2][6], int body) {
    tacVec3 origin = tac_load3(pair->origin);
    tacTwist own = tac_twist_load(motion[body]), other = tac_twist_load(motion[1 - body]);
    return tac_twist_sub(tac_twist_shift(own, pair->pose[body].position, origin),
                         tac_twist_shift(other, pair->pose[1 - body].position, origin));
}

// in the axes of the planes' body
static tacScmSide scm_side(const tacScmPair* pair, int points) {
    int planes = 1 - points;
    const tacPose* s = &pair->pose[planes];
    tacVec3 origin = tac_load3(pair->origin);
    tacTwist against = relative_motion(pair, pair->twist, points),
             predicted = relative_motion(pair, pair->predicted, points);
    tacScmSide side = {
        .planes = tac_ssdf_planes(pair->cloud[planes], pair->number[TAC_SCM_EPS1], pair->exact),
        .query = tac_ssdf_query(pair->cloud[points], pair->pose[points], *s),
        .number = pair->number,
        .log_weight = side_weight(pair, points),
        .inv_mass = pair->inv_mass,
        .reference = pair->reference,
        .implicit = pair->implicit};
    tac_store3(side.origin, tac_pose_apply_inverse(*s, origin));
    tac_store3(side.linear, tac_pose_rotate_inverse(*s, against.linear));
    tac_store3(side.angular, tac_pose_rotate_inverse(*s, against.angular));
    tac_store3(side.predicted, tac_pose_rotate_inverse(*s, predicted.linear));
    tac_store3(side.rot, tac_pose_rotate_inverse(*s, predicted.angular));
    return side;
}

static void rotate_vector(const tacMat3* R, tacReal x[3]) {
    tac_store3(x, tac_mat_mul_vec(*R, tac_load3(x)));
}

// both halves of each column
static void rotate_columns(const tacMat3* R, tacReal* M, int columns) {
    for (int half = 0; half < 2; ++half)
        for (int k = 0; k < columns; ++k) {
            tacReal x[3];
            for (int i = 0; i < 3; ++i) x[i] = M[(3 * half + i) * columns + k];
            rotate_vector(R, x);
            for (int i = 0; i < 3; ++i) M[(3 * half + i) * columns + k] = x[i];
        }
}

static void rotate_block(const tacMat3* R, tacReal M[36]) {
    rotate_columns(R, M, 6);
    for (int row = 0; row < 6; ++row) {
        rotate_vector(R, &M[6 * row]);
        rotate_vector(R, &M[6 * row + 3]);
    }
}

// to world axes
static void rotate_sums(const tacPose* pose, tacScmSums* s, int order) {
    tacMat3 R = tac_quat_to_mat(pose->rotation);
    rotate_columns(&R, s->W, 1);
    rotate_block(&R, s->L);
    if (order >= 1) {
        rotate_block(&R, s->K);
        rotate_block(&R, s->C);
        rotate_block(&R, s->WG);
        rotate_columns(&R, s->G, 1);
    }
    if (order >= 2) {
        rotate_columns(&R, &s->T[0][0], TAC_SCM_LAW);
        rotate_columns(&R, s->E, 1);
        rotate_columns(&R, s->WP, 1);
        rotate_columns(&R, s->WE, 1);
    }
}

//---------------------------------- both ways ------------------------------------

// M += C [v x]
static void add_transported(const tacReal C[36], tacTwist v, tacReal M[36]) {
    tacReal X[36];
    tac_cross_motion_matrix(v, X);
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k)
            for (int j = 0; j < 6; ++j) M[6 * i + k] += C[6 * i + j] * X[6 * j + k];
}

// Sums whose points are on body 0, as seen from body 1. There K' xi is wanted for a motion of body
// 1, which is that of all by xi and of body 0 back by it:
//   dw = K' xi + C' (nu x xi) + L' (alpha x xi) - xi x* W'
// nu, alpha the twist and the acceleration of body 1 against body 0
static void move_to_planes(const tacScmPair* pair, tacScmSums* s) {
    add_transported(s->C, relative_motion(pair, pair->twist, 1), s->K);
    if (pair->implicit) add_transported(s->L, relative_motion(pair, pair->predicted, 1), s->K);
    tacWrench W = tac_wrench_load(s->W);
    for (int k = 0; k < 6; ++k) {
        tacReal axis[6] = {0}, column[6];
        axis[k] = 1.0;
        tac_wrench_store(column, tac_cross_force(tac_twist_load(axis), W));
        for (int i = 0; i < 6; ++i) s->K[6 * i + k] -= column[i];
    }
}

// d sigma_f = -sigma_f (d Phi_f - <d Phi>)/eps2; sums of points on body 0 turn their sign where the
// wrench stands once
static void join_slopes(const tacScmPair* pair, const tacScmSums s[2], tacScmForce* out) {
    tacReal inv = 1.0 / pair->number[TAC_SCM_EPS2];
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            int at = 6 * i + k;
            tacReal log_weight =
                s[1].WG[at] + s[0].WG[at] - out->wrench[i] * (s[1].G[k] - s[0].G[k]);
            out->K[at] = s[1].K[at] + s[0].K[at] - inv * log_weight;
            out->C[at] = s[1].C[at] + s[0].C[at];
        }
}

static void join_numbers(const tacScmPair* pair, const tacScmSums s[2], tacScmForce* out) {
    tacReal inv = 1.0 / pair->number[TAC_SCM_EPS2];
    for (int i = 0; i < 6; ++i) {
        tacReal* T = &out->T[TAC_SCM_NUMBERS * i];
        tacReal log_weight = s[1].WE[i] - s[0].WE[i] - out->wrench[i] * (s[1].PE + s[0].PE);
        for (int k = 0; k < TAC_SCM_LAW; ++k) T[k] = s[1].T[i][k] - s[0].T[i][k];
        T[TAC_SCM_EPS1] = s[1].E[i] - s[0].E[i] - inv * log_weight;
        T[TAC_SCM_EPS2] =
            inv * inv * (s[1].WP[i] - s[0].WP[i] - out->wrench[i] * (s[1].P + s[0].P));
    }
}

// lists, then weights, of both ways in the work's arrays
static void select_points(const tacScmPair* pair, tacScmWork work, tacScmSide side[2],
                          tacScmForce* out) {
    int n = pair->cloud[0]->queries;
    tacReal* sigma[2] = {work.sigma, work.sigma + n};
    scmList list[2] = {{0, work.at, work.Phi, work.fade},
                       {0, work.at + n, work.Phi + n, work.fade + n}};
    find_points(pair, side, list);
    tacReal lower_bound = min_phi(list);
    for (int k = 0; k < 2; ++k)
        point_weights(pair, lower_bound, &list[k], &side[k], sigma[k], work.selected + k * n);
    normalize_weights(pair, lower_bound, side, sigma, out->separation);
}

// all but the separation
static void clear_force(tacScmForce* out) {
    tacReal separation[2] = {out->separation[0], out->separation[1]};
    memset(out, 0, sizeof *out);
    memcpy(out->separation, separation, sizeof separation);
}

void tac_scm_pair(const tacScmPair* pair, int order, tacScmWork work, tacScmForce* out) {
    tacScmSide side[2] = {scm_side(pair, 0), scm_side(pair, 1)};
    tacScmSums s[2];
    select_points(pair, work, side, out);
    if (side[0].count + side[1].count == 0) {
        clear_force(out);
        return;
    }
    for (int points = 0; points < 2; ++points) {
        TAC_DISPATCH(tac_scm_kernels_)->sums[order](&side[points], &s[points]);
        rotate_sums(&pair->pose[1 - points], &s[points], order);
    }
    for (int i = 0; i < 6; ++i) out->wrench[i] = s[1].W[i] - s[0].W[i];
    for (int i = 0; i < 36; ++i) out->L[i] = s[1].L[i] + s[0].L[i];
    if (order < 1) return;
    move_to_planes(pair, &s[0]);
    join_slopes(pair, s, out);
    if (order >= 2) join_numbers(pair, s, out);
}
