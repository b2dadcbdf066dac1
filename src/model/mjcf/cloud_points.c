// Order in space by halving, and nearest neighbours in that order.

#include "model/mjcf/cloud_points.h"

#include "shape/cloud/cloud_index.h"

#include <math.h>
#include <string.h>

//---------------------------------- order ----------------------------------------

typedef struct spatialSorter {
    const double* point;
    int* order;
    int axis, run; // points that are not sorted further
} spatialSorter;

// by coordinate, then by index: no two are equal
static int is_before(const spatialSorter* s, int a, int b) {
    double x = s->point[3 * a + s->axis], y = s->point[3 * b + s->axis];
    return x < y || (x == y && a < b);
}

static void swap_indices(int* a, int* b) {
    int t = *a;
    *a = *b;
    *b = t;
}

static int median_of(const spatialSorter* s, int a, int b, int c) {
    if (is_before(s, b, a)) swap_indices(&a, &b);
    return is_before(s, c, a) ? a : is_before(s, c, b) ? c : b;
}

// rearranges first .. last so that element `k` is the one of the sorted order
static void select_nth(const spatialSorter* s, int first, int last, int k) {
    int* o = s->order;
    while (last > first) {
        int pivot = median_of(s, o[first], o[first + (last - first) / 2], o[last]);
        int i = first, j = last;
        while (i <= j) {
            while (is_before(s, o[i], pivot)) ++i;
            while (is_before(s, pivot, o[j])) --j;
            if (i <= j) swap_indices(&o[i++], &o[j--]);
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            return;
    }
}

static int widest_axis(const spatialSorter* s, int first, int count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int widest = 0;
    for (int i = first; i < first + count; ++i)
        for (int axis = 0; axis < 3; ++axis) {
            double x = s->point[3 * s->order[i] + axis];
            low[axis] = fmin(low[axis], x);
            high[axis] = fmax(high[axis], x);
        }
    for (int axis = 1; axis < 3; ++axis)
        if (high[axis] - low[axis] > high[widest] - low[widest]) widest = axis;
    return widest;
}

// points of the first part: run times the largest power of two that leaves something for the second
static int first_part(int count, int run) {
    int part = run;
    while (part < count - part) part *= 2;
    return part;
}

// depth is log2(count/run)
static void sort_by_halving(spatialSorter* s, int first, int count) {
    if (count <= s->run) return;
    int part = first_part(count, s->run);
    s->axis = widest_axis(s, first, count);
    select_nth(s, first, first + count - 1, first + part);
    sort_by_halving(s, first, part);
    sort_by_halving(s, first + part, count - part);
}

void tac_cloud_order(tacReader* reader, tacCloudPoints* points, int run) {
    size_t size = sizeof(double) * 3 * (size_t)points->count;
    points->order = tac_reader_alloc(reader, sizeof(int) * (size_t)points->count);
    double* copy = tac_reader_alloc(reader, size);
    if (!points->order || !copy) return;
    for (int i = 0; i < points->count; ++i) points->order[i] = i;
    spatialSorter s = {points->point, points->order, 0, run};
    sort_by_halving(&s, 0, points->count);
    double* arrays[2] = {points->point, points->normal};
    for (int k = 0; k < 2; ++k) {
        memcpy(copy, arrays[k], size);
        for (int i = 0; i < points->count; ++i)
            memcpy(&arrays[k][3 * i], &copy[3 * points->order[i]], 3 * sizeof(double));
    }
}

//---------------------------------- neighbours -----------------------------------

// boxes of runs of 16 points, 16 boxes, …, as in cloud_index.h
typedef struct neighbourSearch {
    const double* point;
    int count;
    tacCloudLevels levels;
    double (*box)[6]; // low, high; of all levels one after the other
    int first[TAC_CLOUD_LEVELS];
    double x[3], nearest; // square of the distance so far
    int self, found;
} neighbourSearch;

static void widen_box(double box[6], const double low[3], const double high[3]) {
    for (int k = 0; k < 3; ++k) {
        box[k] = fmin(box[k], low[k]);
        box[3 + k] = fmax(box[3 + k], high[k]);
    }
}

static int build_search(tacReader* reader, neighbourSearch* f) {
    int total = 0;
    f->levels = tac_cloud_levels(f->count);
    for (int level = 0; level < f->levels.count; ++level) {
        f->first[level] = total;
        total += f->levels.slots[level];
    }
    f->box = tac_reader_alloc(reader, sizeof *f->box * (size_t)total);
    if (!f->box) return 0;
    for (int i = 0; i < total; ++i)
        for (int k = 0; k < 3; ++k) {
            f->box[i][k] = INFINITY;
            f->box[i][3 + k] = -INFINITY;
        }
    for (int i = 0; i < f->count; ++i)
        widen_box(f->box[i / TAC_CLOUD_LEAF], &f->point[3 * i], &f->point[3 * i]);
    for (int level = 1; level < f->levels.count; ++level)
        for (int i = 0; i < f->levels.slots[level - 1]; ++i) {
            const double* below = f->box[f->first[level - 1] + i];
            widen_box(f->box[f->first[level] + i / TAC_CLOUD_LEAF], below, below + 3);
        }
    return 1;
}

static double box_distance2(const neighbourSearch* f, const double box[6]) {
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double over = fmax(0.0, fmax(box[k] - f->x[k], f->x[k] - box[3 + k]));
        square += over * over;
    }
    return square;
}

static void visit_points(neighbourSearch* f, int leaf) {
    int end = (leaf + 1) * TAC_CLOUD_LEAF;
    for (int i = leaf * TAC_CLOUD_LEAF; i < end && i < f->count; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = f->point[3 * i + k] - f->x[k];
            square += d * d;
        }
        if (i != f->self && square < f->nearest) {
            f->nearest = square;
            f->found = i;
        }
    }
}

static void visit_box(neighbourSearch* f, int level, int index) {
    if (!(box_distance2(f, f->box[f->first[level] + index]) < f->nearest)) return;
    if (level == 0) {
        visit_points(f, index);
        return;
    }
    int slots = f->levels.slots[level - 1], end = (index + 1) * TAC_CLOUD_LEAF;
    for (int i = index * TAC_CLOUD_LEAF; i < end && i < slots; ++i) visit_box(f, level - 1, i);
}

int* tac_cloud_neighbours(tacReader* reader, const tacCloudPoints* points, double* distance) {
    neighbourSearch f = {.point = points->point, .count = points->count};
    int* found = tac_reader_alloc(reader, sizeof(int) * (size_t)points->count);
    if (!found || !build_search(reader, &f)) return NULL;
    int top = f.levels.count - 1;
    for (int i = 0; i < f.count; ++i) {
        memcpy(f.x, &f.point[3 * i], sizeof f.x);
        f.self = i;
        f.found = -1;
        f.nearest = INFINITY;
        visit_points(&f, i / TAC_CLOUD_LEAF); // its own leaf is a good first guess
        for (int k = 0; k < f.levels.slots[top]; ++k) visit_box(&f, top, k);
        found[i] = f.found;
        distance[i] = sqrt(f.nearest);
    }
    return found;
}

//---------------------------------- collapse -------------------------------------

static void keep_marked(tacCloudPoints* points, const char* left_out) {
    int kept = 0;
    for (int i = 0; i < points->count; ++i) {
        if (left_out[i]) continue;
        memmove(&points->point[3 * kept], &points->point[3 * i], 3 * sizeof(double));
        memmove(&points->normal[3 * kept], &points->normal[3 * i], 3 * sizeof(double));
        points->order[kept++] = points->order[i];
    }
    points->count = kept;
}

static double product3(const double* a, const double* b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// sorts again; `order` stays that of the file
static void sort_again(tacReader* reader, tacCloudPoints* points, int run) {
    const int* before = points->order;
    tac_cloud_order(reader, points, run);
    for (int i = 0; i < points->count && reader->result == TAC_OK; ++i)
        points->order[i] = before[points->order[i]];
}

// of two at one place, on the same side, the later in the file; how many
static int mark_repeated(const tacCloudPoints* points, const int* nearest, const double* distance,
                         char* marked) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    int count = 0;
    for (int i = 0; i < 3 * points->count; ++i) {
        low[i % 3] = fmin(low[i % 3], points->point[i]);
        high[i % 3] = fmax(high[i % 3], points->point[i]);
    }
    double size = hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
    for (int i = 0; i < points->count; ++i) {
        int j = nearest[i];
        int same = j >= 0 && distance[i] <= 1e-12 * size &&
                   product3(&points->normal[3 * i], &points->normal[3 * j]) > 0.5;
        marked[i] = same && points->order[j] < points->order[i];
        count += marked[i];
    }
    return count;
}

void tac_cloud_collapse(tacReader* reader, tacCloudPoints* points, int run, int left_out[2]) {
    size_t count = (size_t)points->count;
    char* marked = tac_reader_alloc(reader, count);
    double* distance = tac_reader_alloc(reader, sizeof *distance * count);
    points->order = tac_reader_alloc(reader, sizeof(int) * count);
    left_out[0] = left_out[1] = 0;
    if (!marked || !distance || !points->order) return;
    for (int i = 0; i < points->count; ++i) {
        points->order[i] = i;
        marked[i] = product3(&points->normal[3 * i], &points->normal[3 * i]) == 0.0;
        left_out[0] += marked[i];
    }
    keep_marked(points, marked);
    sort_again(reader, points, run);
    for (int found = 1; found && points->count > 1 && reader->result == TAC_OK;) {
        const int* nearest = tac_cloud_neighbours(reader, points, distance);
        if (!nearest) return;
        found = mark_repeated(points, nearest, distance, marked);
        left_out[1] += found;
        if (!found) return;
        keep_marked(points, marked);
        sort_again(reader, points, run);
    }
}
