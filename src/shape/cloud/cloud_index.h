// Boxes around the points of a cloud: what lets an evaluation skip most of them.
//
// Points stand in param in an order in which neighbours in the array are neighbours in space. 16 of
// them are a leaf; 16 leaves have their boxes in a page, 16 pages of one level theirs in a page of
// the next, up to one page:
//
//   points 16 i .. 16 i + 15  --leaf i-->  slot i % 16 of page i / 16  -->  slot of a page above …
//
// Boxes hold real parts as double in all number types. They must hold what is in param: whoever
// moves points calls tac_cloud_refresh.

#ifndef TAC_SHAPE_CLOUD_CLOUD_INDEX_H
#define TAC_SHAPE_CLOUD_CLOUD_INDEX_H

#include "tactus/model.h"

#include "math/number.h"

#define TAC_CLOUD_LEAF   16
#define TAC_CLOUD_LEVELS 8

// what 16 boxes hold; slots without points are farther than anything
struct tacCloudPage {
    double low[3][TAC_CLOUD_LEAF], high[3][TAC_CLOUD_LEAF]; // of points
    double log_amp[TAC_CLOUD_LEAF];                         // the largest
    double metric_eig[TAC_CLOUD_LEAF];      // smallest eigenvalue of a metric; 1 if there is none
    double metric_eig_high[TAC_CLOUD_LEAF]; // and the largest
    double normal_low[3][TAC_CLOUD_LEAF], normal_high[3][TAC_CLOUD_LEAF];
    double offset_low[TAC_CLOUD_LEAF], offset_high[TAC_CLOUD_LEAF]; // of normal . point
};

// pages of a cloud: level 0 holds the leaves
typedef struct tacCloudLevels {
    int count;                       // of levels
    int first[TAC_CLOUD_LEVELS + 1]; // page that each level starts at
    int slots[TAC_CLOUD_LEVELS];     // boxes of each level
} tacCloudLevels;

static inline tacCloudLevels tac_cloud_levels(int points) {
    tacCloudLevels l = {0};
    int slots = (points + TAC_CLOUD_LEAF - 1) / TAC_CLOUD_LEAF;
    do {
        int pages = (slots + TAC_CLOUD_LEAF - 1) / TAC_CLOUD_LEAF;
        l.slots[l.count] = slots;
        l.first[l.count + 1] = l.first[l.count] + pages;
        ++l.count;
        slots = pages;
    } while (slots > 1);
    return l;
}

// how many numbers each point has, and where the optional ones start, in units of points
static inline int tac_cloud_metric_offset(const tacCloud* cloud) { return 6 + cloud->has_log_amp; }
static inline int tac_cloud_stride(const tacCloud* cloud) {
    return tac_cloud_metric_offset(cloud) + (cloud->kernel == TAC_CLOUD_ANISOTROPIC ? 6 : 0);
}

// of all points of a cloud
typedef struct tacCloudExtent {
    double size;            // diagonal of their box
    double log_amp;         // the largest
    double metric_eig[2];   // smallest and largest eigenvalue of the metrics
    double low[3], high[3]; // box
} tacCloudExtent;

tacCloudExtent tac_cloud_extent(const tacCloud* cloud, const tacCloudPage* page);

// Wendland's kernel ends at u = d^2/width^2 = TAC_CLOUD_END, where a Gaussian of amplitude
// TAC_CLOUD_TAIL goes on (docs/shapes.md eq. 25)
#define TAC_CLOUD_END  (28.0 / 3.0)
#define TAC_CLOUD_TAIL 1e-3
// slopes of it by u: |(ln B)'| <= 4.460 at u = 8.237, |B''/B| <= 21.13 = 4.60^2 (test_cloud)
#define TAC_CLOUD_MAX_SLOPE 5.0
// psi exp(u) is 1 at a point, rises to 1.1154 at t = 17/35, and falls from there to 0:
// (psi exp(u))' = exp(u) (1 - t)^5 t^2 (17 - 35 t)/3
#define TAC_CLOUD_PEAK 1.117 // with the tail; a bound

// weights below exp(-this) of the best are 0 to all arithmetic; nothing else is left out of exact
// sums
#define TAC_CLOUD_ZERO 600.0

// How far below that of the best point ln B may lie, a Wendland kernel's shape left out, for a
// point to count where the best one has the largest amplitude and no distance; `scale` is 1/eps1
// (docs/shapes.md eq. 28).
double tac_cloud_cutoff(const tacCloud* cloud, const tacCloudExtent* e, double scale);

// smallest and largest eigenvalue of a symmetric matrix, xx yy zz xy xz yz
void tac_cloud_eigen(const double m[6], double* low, double* high);

// fills all pages of the cloud from param
void tac_cloud_refresh(const tacCloud* cloud, const tacReal* param, tacCloudPage* page);

#endif
