// Bounding boxes of the regions where the planes of a cloud act.
//
// U_i is {a_j . y <= 1}, y from p_i: a = n_i/height, and of each other point, at e from p_i, a =
// 2 e/(|e|^2 + spread). Along c it goes no farther than the sum of any l >= 0 with sum l_j a_j = c:
// three such a are a basis, y their common point, and a j with a_j . y > 1 makes the sum smaller in
// the place of one of them. The nearest point to y is such a j unless there is none.

#include "model/contact/contact_influence.h"

#include "math/array3.h"
#include "math/vec3.h"
#include "model/contact/contact_cloud.h"

#include <math.h>
#include <string.h>

#define MAX_RECENT  24   // points that are tried before all others
#define MAX_PIVOTS  64   // changes of a basis at most; its sum is a bound at any time
#define MAX_LEAVES  12   // leaves that a search for the nearest point visits: near a center all are
#define LARGE_CLOUD 2048 // for larger clouds the box around the points is enough

typedef struct influenceBuilder {
    const tacContactCloud* cloud;
    tacCloudLevels levels;
    double height, voronoi_margin;
    double far;                          // a region that extends this far is unbounded
    int recent[MAX_RECENT], count, next; // points that bounded the last regions, a ring buffer
    double a[MAX_RECENT][3];             // theirs
    int at;                              // point i
    const tacInfluenceBox* points;       // around all of them
} influenceBuilder;

static void point_at(const tacContactCloud* c, int i, double x[3]) {
    for (int k = 0; k < 3; ++k) x[k] = c->block[k * c->count + i];
}

//---------------------------------- nearest point --------------------------------

typedef struct nearestSearch {
    const influenceBuilder* m;
    double x[3], square;
    int point, leaves;
} nearestSearch;

static void visit_point(nearestSearch* n, int i) {
    double p[3];
    point_at(n->m->cloud, i, p);
    double square = tac_distance2_3(p, n->x);
    if (square < n->square) {
        n->square = square;
        n->point = i;
    }
}

static double box_square(const tacClusterPage* page, int k, const double x[3]) {
    double sum = 0.0;
    for (int j = 0; j < 3; ++j) {
        double gap = fmax(fmax(page->low[j][k] - x[j], x[j] - page->high[j][k]), 0.0);
        sum += gap * gap;
    }
    return sum;
}

static void visit_page(nearestSearch* n, int level, int index);

static void visit_slot(nearestSearch* n, int level, int slot) {
    const tacContactCloud* c = n->m->cloud;
    if (level > 0) {
        visit_page(n, level - 1, slot);
        return;
    }
    ++n->leaves;
    for (int i = slot * TAC_CLOUD_LEAF; i < (slot + 1) * TAC_CLOUD_LEAF && i < c->count; ++i)
        visit_point(n, i);
}

// the nearest slot first
static void visit_page(nearestSearch* n, int level, int index) {
    const tacClusterPage* page = &n->m->cloud->page[n->m->levels.first[level] + index];
    int first = index * TAC_CLOUD_LEAF, left = n->m->levels.slots[level] - first, best = 0;
    double square[TAC_CLOUD_LEAF];
    if (left > TAC_CLOUD_LEAF) left = TAC_CLOUD_LEAF;
    for (int k = 0; k < left; ++k) {
        square[k] = box_square(page, k, n->x);
        if (square[k] < square[best]) best = k;
    }
    for (int i = 0; i < left; ++i) {
        int k = i == 0 ? best : i == best ? 0 : i;
        if (square[k] < n->square && n->leaves < MAX_LEAVES) visit_slot(n, level, first + k);
    }
}

// starts from the points that bounded the last regions
static nearestSearch nearest_to(const influenceBuilder* m, const double x[3]) {
    nearestSearch n = {m, {x[0], x[1], x[2]}, INFINITY, m->at, 0};
    visit_point(&n, m->at);
    for (int i = 0; i < m->count; ++i) visit_point(&n, m->recent[i]);
    visit_page(&n, m->levels.count - 1, 0);
    return n;
}

//---------------------------------- one point ------------------------------------

// a of point j; the point itself, and one at the same position, bound nothing
static void slope_of(const influenceBuilder* m, int j, double a[3]) {
    double p[3], q[3];
    point_at(m->cloud, m->at, p);
    point_at(m->cloud, j, q);
    double scale = 2.0 / (tac_distance2_3(p, q) + m->voronoi_margin);
    for (int k = 0; k < 3; ++k) a[k] = scale * (q[k] - p[k]);
}

static void begin_point(influenceBuilder* m, int at) {
    m->at = at;
    for (int i = 0; i < m->count; ++i) slope_of(m, m->recent[i], m->a[i]);
}

static void add_recent(influenceBuilder* m, int point) {
    m->recent[m->next] = point;
    slope_of(m, point, m->a[m->next]);
    m->next = (m->next + 1) % MAX_RECENT;
    if (m->count < MAX_RECENT) ++m->count;
}

// an a that y is above, the plane's own first; 0: there is none
static int find_slope(influenceBuilder* m, const double y[3], double a[3]) {
    const tacContactCloud* c = m->cloud;
    double most = 1.0 + 1e-9, p[3], x[3];
    for (int k = 0; k < 3; ++k) a[k] = c->block[(3 + k) * c->count + m->at] / m->height;
    if (tac_dot3(a, y) > most) return 1;
    for (int i = 0; i < m->count; ++i)
        if (tac_dot3(m->a[i], y) > most) {
            most = tac_dot3(m->a[i], y);
            memcpy(a, m->a[i], sizeof m->a[i]);
        }
    if (most > 1.0 + 1e-9) return 1;
    point_at(c, m->at, p);
    for (int k = 0; k < 3; ++k) x[k] = p[k] + y[k];
    add_recent(m, nearest_to(m, x).point);
    memcpy(a, m->a[(m->next + MAX_RECENT - 1) % MAX_RECENT], 3 * sizeof(double));
    return tac_dot3(a, y) > most;
}

// three slopes, the rows of the inverse of the matrix that has them as columns, and their point
typedef struct planeBasis {
    tacVec3 a[3], row[3];
    double y[3];
} planeBasis;

static void set_basis(planeBasis* b) {
    tacVec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) b->row[k] = tac_cross(b->a[(k + 1) % 3], b->a[(k + 2) % 3]);
    double inv = 1.0 / tac_dot(b->a[0], b->row[0]);
    for (int k = 0; k < 3; ++k) {
        b->row[k] = tac_scale(b->row[k], inv);
        sum = tac_add(sum, b->row[k]);
    }
    tac_store3(b->y, sum);
}

// three planes about c that bound all that is not farther than `far`
static void first_basis(double far, int axis, double sign, planeBasis* b) {
    for (int k = 0; k < 3; ++k) {
        double a[3], angle = 2.0943951023931953 * k;
        a[axis] = sign;
        a[(axis + 1) % 3] = cos(angle);
        a[(axis + 2) % 3] = sin(angle);
        b->a[k] = tac_scale(tac_load3(a), 1.0 / (1.4142135623730951 * far));
    }
    set_basis(b);
}

// the slope that makes room for a: the first whose part of c falls to 0; -1: none does
static int leaving_plane(const planeBasis* b, tacVec3 c, tacVec3 a) {
    int out = -1;
    double least = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double fall = tac_dot(b->row[k], a), part = fmax(tac_dot(b->row[k], c), 0.0);
        if (fall > 1e-12 && part < least * fall) {
            least = part / fall;
            out = k;
        }
    }
    return out;
}

// a bound that is taken as it is: within the spread, as that of a point among others; of large
// clouds also within the box of points
static double sufficient_extent(const influenceBuilder* m, int axis, double sign) {
    double sufficient = 1.5 * sqrt(m->voronoi_margin),
           x = m->cloud->block[axis * m->cloud->count + m->at];
    double wall = sign > 0.0 ? m->points->high[axis] - x : x - m->points->low[axis];
    return m->cloud->count > LARGE_CLOUD ? fmax(sufficient, wall) : sufficient;
}

// extent of U_i along an axis, or a little more; infinite: unbounded
static double extent_along(influenceBuilder* m, int axis, double sign) {
    double sufficient = sufficient_extent(m, axis, sign), end = INFINITY, c[3] = {0.0, 0.0, 0.0};
    planeBasis b;
    c[axis] = sign;
    first_basis(m->far, axis, sign, &b);
    for (int round = 0; round < MAX_PIVOTS && end > sufficient; ++round) {
        double a[3];
        if (!find_slope(m, b.y, a)) break;
        int out = leaving_plane(&b, tac_load3(c), tac_load3(a));
        if (out < 0) break;
        b.a[out] = tac_load3(a);
        set_basis(&b);
        end = tac_dot3(c, b.y);
    }
    return end < 0.25 * m->far ? end * (1.0 + 1e-6) : INFINITY;
}

static tacInfluenceBox box_of_point(influenceBuilder* m, int i) {
    tacInfluenceBox box;
    double p[3];
    begin_point(m, i);
    point_at(m->cloud, i, p);
    for (int k = 0; k < 3; ++k) {
        box.high[k] = p[k] + extent_along(m, k, 1.0);
        box.low[k] = p[k] - extent_along(m, k, -1.0);
    }
    return box;
}

//---------------------------------- all points -----------------------------------

static const tacInfluenceBox empty_box = {{INFINITY, INFINITY, INFINITY},
                                          {-INFINITY, -INFINITY, -INFINITY}};

static void join_boxes(tacInfluenceBox* box, const tacInfluenceBox* other) {
    for (int k = 0; k < 3; ++k) {
        box->low[k] = fmin(box->low[k], other->low[k]);
        box->high[k] = fmax(box->high[k], other->high[k]);
    }
}

static double ball_around(const tacInfluenceBox* box) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double far = fmax(fabs(box->low[k]), fabs(box->high[k]));
        sum += far * far;
    }
    return sqrt(sum) * (1.0 + 1e-12);
}

double tac_influence_diagonal(const tacInfluenceBox* box) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) sum += (box->high[k] - box->low[k]) * (box->high[k] - box->low[k]);
    return sqrt(sum);
}

static int is_unbounded(const tacInfluenceBox* box) { return !isfinite(ball_around(box)); }

static void fill_points(const tacContactCloud* c, tacInfluenceBox* box) {
    *box = empty_box;
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < c->count; ++i) {
            double x = c->block[k * c->count + i];
            box->low[k] = fmin(box->low[k], x);
            box->high[k] = fmax(box->high[k], x);
        }
        for (int v = 0; v < c->vertices; ++v) {
            double x = c->vertex[k][v];
            box->low[k] = fmin(box->low[k], x);
            box->high[k] = fmax(box->high[k], x);
        }
    }
}

// clusters of a level from those below
static void fill_level(const tacCloudLevels* levels, int level, tacInfluenceBox* box) {
    for (int i = 0; i < levels->slots[level]; ++i) {
        tacInfluenceBox* to = &box[levels->first[level] * TAC_CLOUD_LEAF + i];
        for (int k = 0; k < TAC_CLOUD_LEAF; ++k) {
            int child = i * TAC_CLOUD_LEAF + k;
            if (child < levels->slots[level - 1])
                join_boxes(to, &box[levels->first[level - 1] * TAC_CLOUD_LEAF + child]);
        }
    }
}

static void fill_planes(influenceBuilder* m, tacContactInfluence* r, tacInfluenceBox* box) {
    r->planes = empty_box;
    r->unbounded = -1;
    for (int i = 0; i < m->levels.first[m->levels.count] * TAC_CLOUD_LEAF; ++i) box[i] = empty_box;
    for (int i = 0; i < m->cloud->count; ++i) {
        tacInfluenceBox of = box_of_point(m, i);
        if (is_unbounded(&of) && r->unbounded < 0) r->unbounded = i;
        join_boxes(&box[i / TAC_CLOUD_LEAF], &of);
        join_boxes(&r->planes, &of);
    }
    for (int level = 1; level < m->levels.count; ++level) fill_level(&m->levels, level, box);
}

// exp(-height/eps3) and 2 count (1 + wide) exp(-spread/eps1), times the gain, are the share
static void set_cutoffs(tacContactInfluence* r, const tacContactCloud* cloud) {
    int count = cloud->count;
    double log_range = log(TAC_INFLUENCE_GAIN / TAC_INFLUENCE_SHARE);
    r->height = r->eps3 * log_range;
    r->voronoi_margin = r->eps1 * (log_range + log(2.0 * count * (1.0 + TAC_INFLUENCE_WIDTH)) +
                                   cloud->log_amp_range);
}

tacContactInfluence* tac_contact_influence_create(const tacContactCloud* cloud, double eps1,
                                                  double eps3, tacAllocator allocator) {
    tacCloudLevels levels = tac_cloud_levels(cloud->count);
    size_t slots = (size_t)levels.first[levels.count] * TAC_CLOUD_LEAF;
    tacContactInfluence* r =
        allocator.allocate(allocator.user, sizeof *r + sizeof(tacInfluenceBox) * slots);
    if (!r) return NULL;
    tacInfluenceBox* box = (tacInfluenceBox*)(r + 1);
    if (cloud->own_eps > 0.0) eps1 = cloud->own_eps;
    *r = (tacContactInfluence){.eps1 = eps1, .eps3 = eps3, .box = box};
    set_cutoffs(r, cloud);
    influenceBuilder m = {
        .cloud = cloud, .levels = levels, .height = r->height, .voronoi_margin = r->voronoi_margin};
    m.far = 64.0 * (cloud->size + sqrt(m.voronoi_margin) + m.height);
    fill_points(cloud, &r->points);
    m.points = &r->points;
    fill_planes(&m, r, box);
    r->radius = ball_around(&r->points);
    r->planes_radius = ball_around(&r->planes);
    r->diagonal = tac_influence_diagonal(&r->planes);
    return r;
}

//---------------------------------- depths ---------------------------------------

#define MAX_SHRINKS 12

// radius of the largest ball below point i that holds no other point: shrunk to the nearest one
static double touching_radius(const influenceBuilder* m, int i) {
    const tacContactCloud* c = m->cloud;
    double p[3], n[3], r = 0.5 * c->size;
    point_at(c, i, p);
    for (int k = 0; k < 3; ++k) n[k] = c->block[(3 + k) * c->count + i];
    for (int round = 0; round < MAX_SHRINKS; ++round) {
        double centre[3], q[3], square = 0.0, along = 0.0;
        for (int k = 0; k < 3; ++k) centre[k] = p[k] - r * n[k];
        nearestSearch near = {m, {centre[0], centre[1], centre[2]}, INFINITY, i, -1000000};
        visit_page(&near, m->levels.count - 1, 0);
        if (near.point == i || sqrt(near.square) >= r * (1.0 - 1e-6)) break;
        point_at(c, near.point, q);
        for (int k = 0; k < 3; ++k) {
            square += (p[k] - q[k]) * (p[k] - q[k]);
            along += n[k] * (p[k] - q[k]);
        }
        if (!(along > 0.0)) break;
        double smaller = 0.5 * square / along;
        if (!(smaller < r * (1.0 - 1e-3))) break;
        r = smaller;
    }
    return r;
}

void tac_contact_cloud_depths(tacContactCloud* cloud) {
    influenceBuilder m = {.cloud = cloud, .levels = tac_cloud_levels(cloud->count)};
    double* out = (double*)cloud->inv_depth2;
    for (int i = 0; i < cloud->count; ++i) {
        double depth = 2.0 * (touching_radius(&m, i) + cloud->reach[i]);
        out[i] = 1.0 / (depth * depth);
    }
}
