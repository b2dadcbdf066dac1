// Boxes of a cloud from its points.

#include "shape/cloud/cloud_index.h"

#include <math.h>

//---------------------------------- eigenvalues ----------------------------------

// q + 2 p cos(angle) by the characteristic cubic of (m - q)/p
void tac_cloud_eigen(const double m[6], double* low, double* high) {
    double q = (m[0] + m[1] + m[2]) / 3.0;
    double a = m[0] - q, b = m[1] - q, c = m[2] - q;
    double off = m[3] * m[3] + m[4] * m[4] + m[5] * m[5];
    double p = sqrt((a * a + b * b + c * c + 2.0 * off) / 6.0);
    *low = *high = q;
    if (!(p > 0.0)) return;
    double d = a * (b * c - m[5] * m[5]) - m[3] * (m[3] * c - m[5] * m[4]) +
               m[4] * (m[3] * m[5] - b * m[4]);
    double angle = acos(fmax(-1.0, fmin(1.0, d / (2.0 * p * p * p)))) / 3.0;
    *high = q + 2.0 * p * cos(angle);
    *low = q + 2.0 * p * cos(angle + 2.0943951023931953);
}

//---------------------------------- boxes ----------------------------------------

// of numbers that are none of them NaN, so that no library is asked
static double min_of(double a, double b) { return a < b ? a : b; }
static double max_of(double a, double b) { return a > b ? a : b; }

static void clear_slot(tacCloudPage* page, int k) {
    for (int axis = 0; axis < 3; ++axis) {
        page->low[axis][k] = page->normal_low[axis][k] = 1e300;
        page->high[axis][k] = page->normal_high[axis][k] = -1e300;
    }
    page->log_amp[k] = -1e300;
    page->metric_eig[k] = 1e300;
    page->metric_eig_high[k] = 0.0;
    page->offset_low[k] = 1e300;
    page->offset_high[k] = -1e300;
}

static void extend_range(double* low, double* high, double x) {
    *low = min_of(*low, x);
    *high = max_of(*high, x);
}

static void add_point(const tacCloud* cloud, const tacReal* x, tacCloudPage* page, int k) {
    double offset = 0.0, metric[6] = {1.0, 1.0, 1.0}, low, high;
    for (int axis = 0; axis < 3; ++axis) {
        double p = tac_re(x[axis * cloud->count]), n = tac_re(x[(3 + axis) * cloud->count]);
        extend_range(&page->low[axis][k], &page->high[axis][k], p);
        extend_range(&page->normal_low[axis][k], &page->normal_high[axis][k], n);
        offset += p * n;
    }
    extend_range(&page->offset_low[k], &page->offset_high[k], offset);
    double log_amp = cloud->has_log_amp ? tac_re(x[6 * cloud->count]) : 0.0;
    page->log_amp[k] = max_of(page->log_amp[k], log_amp);
    if (cloud->kernel == TAC_CLOUD_ANISOTROPIC)
        for (int i = 0; i < 6; ++i)
            metric[i] = tac_re(x[(tac_cloud_metric_offset(cloud) + i) * cloud->count]);
    tac_cloud_eigen(metric, &low, &high);
    // eigenvalues are rounded at 1e-16 of the largest
    page->metric_eig[k] = min_of(page->metric_eig[k], max_of(low - 1e-14 * high, 0.0));
    page->metric_eig_high[k] = max_of(page->metric_eig_high[k], high * (1.0 + 1e-14));
}

// slot k of `page` gets what all slots of `below` hold
static void add_page(const tacCloudPage* below, tacCloudPage* page, int k) {
    for (int i = 0; i < TAC_CLOUD_LEAF; ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            page->low[axis][k] = min_of(page->low[axis][k], below->low[axis][i]);
            page->high[axis][k] = max_of(page->high[axis][k], below->high[axis][i]);
            page->normal_low[axis][k] =
                min_of(page->normal_low[axis][k], below->normal_low[axis][i]);
            page->normal_high[axis][k] =
                max_of(page->normal_high[axis][k], below->normal_high[axis][i]);
        }
        page->log_amp[k] = max_of(page->log_amp[k], below->log_amp[i]);
        page->metric_eig[k] = min_of(page->metric_eig[k], below->metric_eig[i]);
        page->metric_eig_high[k] = max_of(page->metric_eig_high[k], below->metric_eig_high[i]);
        page->offset_low[k] = min_of(page->offset_low[k], below->offset_low[i]);
        page->offset_high[k] = max_of(page->offset_high[k], below->offset_high[i]);
    }
}

void tac_cloud_refresh(const tacCloud* cloud, const tacReal* param, tacCloudPage* page) {
    tacCloudLevels l = tac_cloud_levels(cloud->count);
    for (int i = 0; i < l.first[l.count]; ++i)
        for (int k = 0; k < TAC_CLOUD_LEAF; ++k) clear_slot(&page[i], k);
    for (int i = 0; i < cloud->count; ++i) {
        int leaf = i / TAC_CLOUD_LEAF;
        add_point(cloud, &param[cloud->block + i], &page[leaf / TAC_CLOUD_LEAF],
                  leaf % TAC_CLOUD_LEAF);
    }
    for (int level = 1; level < l.count; ++level)
        for (int i = 0; i < l.slots[level]; ++i)
            add_page(&page[l.first[level - 1] + i], &page[l.first[level] + i / TAC_CLOUD_LEAF],
                     i % TAC_CLOUD_LEAF);
}

tacCloudExtent tac_cloud_extent(const tacCloud* cloud, const tacCloudPage* page) {
    tacCloudLevels l = tac_cloud_levels(cloud->count);
    tacCloudPage all;
    clear_slot(&all, 0);
    add_page(&page[l.first[l.count] - 1], &all, 0);
    tacCloudExtent e = {.log_amp = all.log_amp[0],
                        .metric_eig = {all.metric_eig[0], all.metric_eig_high[0]}};
    double square = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        e.low[axis] = all.low[axis][0];
        e.high[axis] = all.high[axis][0];
        square += (e.high[axis] - e.low[axis]) * (e.high[axis] - e.low[axis]);
    }
    e.size = sqrt(square);
    return e;
}

//---------------------------------- cut-off --------------------------------------

// part of all weights, with what they are multiplied by, that may be left out
#define TAC_CLOUD_TOLERANCE 1e-13

// what a weight is multiplied by in value, gradient and Hessian, times size, if points down to
// `depth` count: lever arms and slopes
static double weight_gain(const tacCloud* cloud, const tacCloudExtent* e, double scale,
                          double depth) {
    double steep = cloud->kernel == TAC_CLOUD_WENDLAND ? TAC_CLOUD_MAX_SLOPE : 1.0;
    double reach = sqrt(depth / (e->metric_eig[0] * scale)),
           size = e->size + 2.0 * sqrt(1.0 / scale);
    // without metrics, slopes differ by no more than the points do
    double across = cloud->kernel == TAC_CLOUD_ANISOTROPIC || reach < size ? reach : size;
    double slope = 4.0 * steep * e->metric_eig[1] * scale * across;
    return 1.0 + size * slope * (2.0 + 2.0 * reach * slope);
}

double tac_cloud_cutoff(const tacCloud* cloud, const tacCloudExtent* e, double scale) {
    double size = e->size + 2.0 * sqrt(1.0 / scale), depth = TAC_CLOUD_ZERO;
    double base = log(4.0 * cloud->count / (TAC_CLOUD_TOLERANCE * fmin(1.0, size)));
    // what a Wendland kernel may take from the best point
    if (cloud->kernel == TAC_CLOUD_WENDLAND) base += log(TAC_CLOUD_PEAK / TAC_CLOUD_TAIL);
    for (int i = 0; i < 4; ++i) // from above
        depth = fmin(base + log(weight_gain(cloud, e, scale, depth)), TAC_CLOUD_ZERO);
    return depth;
}
