// Boxes and discs around runs of points.

#include "model/contact/contact_cluster.h"

#include "math/vec3.h"

#include <math.h>

// points first .. end - 1
typedef struct clusterRun {
    const double* block;
    int count, first, end;
} clusterRun;

static tacVec3 column_at(const clusterRun* r, int column, int i) {
    const double* x = r->block + (size_t)column * (size_t)r->count + i;
    return (tacVec3){x[0], x[r->count], x[2 * (size_t)r->count]};
}

static void set_empty(tacClusterPage* page, int k) {
    for (int j = 0; j < 3; ++j) {
        page->low[j][k] = INFINITY;
        page->high[j][k] = -INFINITY;
        page->middle[j][k] = INFINITY;
        page->axis[j][k] = 0.0;
    }
    page->half[k] = page->width[k] = page->radius[k] = 0.0;
}

static void set_box(const clusterRun* r, tacClusterPage* page, int k) {
    for (int j = 0; j < 3; ++j) {
        const double* x = r->block + (size_t)j * (size_t)r->count;
        for (int i = r->first; i < r->end; ++i) {
            page->low[j][k] = fmin(page->low[j][k], x[i]);
            page->high[j][k] = fmax(page->high[j][k], x[i]);
        }
    }
}

// the mean normal; where normals cancel, any direction
static tacVec3 axis_of(const clusterRun* r) {
    tacVec3 sum = {0.0, 0.0, 0.0};
    for (int i = r->first; i < r->end; ++i) sum = tac_add(sum, column_at(r, 3, i));
    double length = tac_norm(sum);
    return length > 1e-3 ? tac_scale(sum, 1.0 / length) : (tacVec3){0.0, 0.0, 1.0};
}

// the center of the box, moved along the axis to the center of the slab
static tacVec3 middle_of(const clusterRun* r, const tacClusterPage* page, int k, tacVec3 axis) {
    double low = INFINITY, high = -INFINITY;
    tacVec3 m = {0.5 * (page->low[0][k] + page->high[0][k]),
                 0.5 * (page->low[1][k] + page->high[1][k]),
                 0.5 * (page->low[2][k] + page->high[2][k])};
    for (int i = r->first; i < r->end; ++i) {
        double z = tac_dot(axis, tac_sub(column_at(r, 0, i), m));
        low = fmin(low, z);
        high = fmax(high, z);
    }
    return tac_add(m, tac_scale(axis, 0.5 * (low + high)));
}

static void set_disc(const clusterRun* r, tacClusterPage* page, int k) {
    tacVec3 axis = axis_of(r), m = middle_of(r, page, k, axis);
    double half = 0.0, width = 0.0, radius = 0.0;
    for (int i = r->first; i < r->end; ++i) {
        tacVec3 e = tac_sub(column_at(r, 0, i), m);
        double z = tac_dot(axis, e);
        half = fmax(half, fabs(z));
        radius = fmax(radius, tac_norm(e));
        width = fmax(width, tac_norm(tac_sub(e, tac_scale(axis, z))));
    }
    double slack = 1.0 + 1e-12; // for rounding, here and where it is used
    page->middle[0][k] = m.x;
    page->middle[1][k] = m.y;
    page->middle[2][k] = m.z;
    page->axis[0][k] = axis.x;
    page->axis[1][k] = axis.y;
    page->axis[2][k] = axis.z;
    page->half[k] = slack * half;
    page->width[k] = slack * width;
    page->radius[k] = slack * radius;
}

void tac_contact_clusters(const double* block, int count, tacClusterPage* page) {
    tacCloudLevels levels = tac_cloud_levels(count);
    long span = TAC_CLOUD_LEAF; // points of a cluster of this level
    for (int level = 0; level < levels.count; ++level, span *= TAC_CLOUD_LEAF)
        for (int i = 0; i < (levels.first[level + 1] - levels.first[level]) * TAC_CLOUD_LEAF; ++i) {
            tacClusterPage* at = &page[levels.first[level] + i / TAC_CLOUD_LEAF];
            long first = i * span, end = first + span < count ? first + span : count;
            clusterRun run = {block, count, (int)first, (int)end};
            set_empty(at, i % TAC_CLOUD_LEAF);
            if (first >= count) continue;
            set_box(&run, at, i % TAC_CLOUD_LEAF);
            set_disc(&run, at, i % TAC_CLOUD_LEAF);
        }
}
