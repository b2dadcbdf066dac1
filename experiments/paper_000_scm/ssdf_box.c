// The soft signed distance of a 2D box (paper 000, Fig. 4).
//
// The box is |x|, |y| <= 1. Points lie in the plane z = 0 and have normals in it, so the slice z =
// 0 of their field is the field of the plane. Expected radii of the zero set come from an
// tools/expected-values; for large eps they tend to sqrt(eps).

#include "experiments/experiments.h"
#include "experiments/trial_cloud.h"
#include "experiments/trial_panels.h"

#include "base/assert.h"

#include <math.h>

static const double outline[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};

// a panel of 6 m, or of `span`
static int draw_slice(trialPanels* panels, int panel, const trialField* field, double span,
                      const char* caption) {
    tacSliceOptions options = tac_default_slice_options();
    tacSliceFrame frame = {0};
    options.span = span;
    options.centred = 1;
    int code = trial_panels_slice(panels, panel, field, &options, &frame, caption);
    if (code == 0) trial_panels_line(panels, &frame, TAC_COUNT(outline), outline);
    return code;
}

//---------------------------------- temperature ----------------------------------

typedef struct boxRadius {
    double eps, side, diagonal, span; // [m^2], of the zero set [m], of the picture [m]
} boxRadius;

static const boxRadius radii[] = {
    {0.01, 1.00000, 1.41421, 4.0}, {0.1, 1.00005, 1.41421, 4.0}, {0.5, 1.11826, 1.41516, 4.0},
    {1.0, 1.32337, 1.46041, 4.0},  {5.0, 2.38620, 2.39652, 8.0}, {100.0, 10.0331, 10.0335, 28.0},
};

static void report_radii(trial* t, const boxRadius* r, const trialField* field) {
    static const double along[2][3] = {{1, 0, 0}, {0.70710678118654752, 0.70710678118654752, 0}};
    static const double origin[3] = {0};
    char id[96];
    snprintf(id, sizeof id, "radius on x, eps %g", r->eps);
    trial_expect_near(t, id, trial_field_radius(field, origin, along[0], 1.5 * r->side), "m",
                      r->side, 1e-4);
    snprintf(id, sizeof id, "radius on the diagonal, eps %g", r->eps);
    trial_expect_near(t, id, trial_field_radius(field, origin, along[1], 1.5 * r->diagonal), "m",
                      r->diagonal, 1e-4);
}

// zero set from a circle to the box as the temperature falls
static int report_temperature(trial* t) {
    trialCloud cloud = {0};
    trialPanels panels;
    trial_cloud_square(&cloud, 8);
    int code = trial_panels_begin(t, &panels, 3, 2, 256, 256);
    for (int i = 0; i < TAC_COUNT(radii) && code == 0; ++i) {
        const boxRadius* r = &radii[TAC_COUNT(radii) - 1 - i];
        trialField field;
        char caption[64];
        if ((code = trial_cloud_open(&cloud, r->eps, &field)) != 0) break;
        report_radii(t, r, &field);
        snprintf(caption, sizeof caption, "eps %g, %g m wide", r->eps, r->span);
        code = draw_slice(&panels, i, &field, r->span, caption);
        trial_field_close(&field);
        trial_progress(t, 0.4 * (i + 1.0) / TAC_COUNT(radii));
    }
    trial_cloud_free(&cloud);
    return trial_panels_end(&panels, code, "temperature");
}

//---------------------------------- resolution -----------------------------------

// range of x of the zero set near the side x = 1, for |y| <= 6/7
static double side_unevenness(const trialField* field) {
    static const double along[3] = {1, 0, 0};
    double min = INFINITY, max = 0.0;
    for (int i = -17; i <= 17; ++i) {
        const double origin[3] = {0.0, 6.0 / 7.0 * i / 17.0, 0.0};
        double x = trial_field_radius(field, origin, along, 1.5);
        min = fmin(min, x);
        max = fmax(max, x);
    }
    return max - min;
}

// More points per side do not make the zero set flatter at eps = 0.5: the temperature curves it.
static int report_resolution(trial* t) {
    static const double expected[] = {0.0381587, 0.0435824, 0.0529490, 0.0544591, 0.0548234};
    trialPanels panels;
    int code = trial_panels_begin(t, &panels, 5, 1, 200, 200);
    for (int i = 0, side = 1; i < TAC_COUNT(expected) && code == 0; ++i, side *= 2) {
        trialCloud cloud = {0};
        trialField field;
        char text[64];
        trial_cloud_square(&cloud, side);
        if ((code = trial_cloud_open(&cloud, 0.5, &field)) == 0) {
            snprintf(text, sizeof text, "unevenness of a side, eps 0.5, %d point%s", side,
                     side == 1 ? "" : "s");
            trial_expect_near(t, text, side_unevenness(&field), "m", expected[i], 1e-6);
            snprintf(text, sizeof text, "%d a side, eps 0.5", side);
            code = draw_slice(&panels, i, &field, 3.2, text);
            trial_field_close(&field);
        }
        trial_cloud_free(&cloud);
        trial_progress(t, 0.4 + 0.3 * (i + 1.0) / TAC_COUNT(expected));
    }
    return trial_panels_end(&panels, code, "resolution");
}

//---------------------------------- defects --------------------------------------

// signed distance of the box itself
static double square_sdf(double x, double y) {
    double dx = fabs(x) - 1.0, dy = fabs(y) - 1.0;
    return fmax(dx, dy) < 0.0 ? fmax(dx, dy) : hypot(fmax(dx, 0.0), fmax(dy, 0.0));
}

// largest distance from the box at which the field has the wrong sign, on a grid over |x|, |y| < 2
static double wrong_depth(const trialField* field) {
    enum { N = 100 };
    double x[3][N], value[N], *at[3] = {x[0], x[1], x[2]}, depth = 0.0;
    for (int row = 0; row < N; ++row) {
        for (int i = 0; i < N; ++i) {
            x[0][i] = -2.0 + 4.0 * (i + 0.5) / N;
            x[1][i] = -2.0 + 4.0 * (row + 0.5) / N;
            x[2][i] = 0;
        }
        if (trial_field_values(field, N, at, value) != TAC_OK) return NAN;
        for (int i = 0; i < N; ++i) {
            double distance = square_sdf(x[0][i], x[1][i]);
            if ((value[i] < 0.0) != (distance < 0.0)) depth = fmax(depth, fabs(distance));
        }
    }
    return depth;
}

static void flip_normal(trialCloud* cloud, int i) {
    for (int k = 0; k < 3; ++k) cloud->normal[i][k] = -cloud->normal[i][k];
}

static void flip_one(trialCloud* cloud) { flip_normal(cloud, 0); }

static void flip_side(trialCloud* cloud) {
    for (int i = 0; i < cloud->count; ++i)
        if (cloud->point[i][0] == 1.0) flip_normal(cloud, i);
}

// points on the corners, with normals along the diagonals or all along x
static void add_corners(trialCloud* cloud, double nx, double ny) {
    for (int i = 0; i < 4; ++i) {
        double x = i & 1 ? 1.0 : -1.0, y = i & 2 ? 1.0 : -1.0;
        trial_cloud_add(cloud, (double[]){x, y, 0.0}, (double[]){nx * x, ny * y, 0.0});
    }
}

static void corners_diagonal(trialCloud* cloud) { add_corners(cloud, M_SQRT1_2, M_SQRT1_2); }
static void corners_sideways(trialCloud* cloud) { add_corners(cloud, 1.0, 0.0); }
static void no_defect(trialCloud* cloud) { (void)cloud; }

typedef struct boxDefect {
    const char* name;
    void (*make)(trialCloud* cloud);
    double min; // expected depth of wrong signs; 0: below the resolution of the grid
} boxDefect;

static const boxDefect defects[] = {
    {"as it should be", no_defect, 0.0},          {"a normal turned round", flip_one, 1.0},
    {"a side turned round", flip_side, 1.0},      {"corners, diagonal", corners_diagonal, 0.1},
    {"corners, sideways", corners_sideways, 0.5},
};

// two points per side: defects are large compared to the spacing
static int report_defects(trial* t) {
    trialPanels panels;
    int code = trial_panels_begin(t, &panels, 5, 1, 200, 200);
    for (int i = 0; i < TAC_COUNT(defects) && code == 0; ++i) {
        trialCloud cloud = {0};
        trialField field;
        char id[96];
        trial_cloud_square(&cloud, 2);
        defects[i].make(&cloud);
        if ((code = trial_cloud_open(&cloud, 0.02, &field)) == 0) {
            double depth = wrong_depth(&field);
            snprintf(id, sizeof id, "depth of wrong signs, %s", defects[i].name);
            if (defects[i].min > 0.0)
                trial_expect_at_least(t, id, depth, "m", defects[i].min);
            else
                trial_expect_at_most(t, id, depth, "m", 0.021);
            code = draw_slice(&panels, i, &field, 4.0, defects[i].name);
            trial_field_close(&field);
        }
        trial_cloud_free(&cloud);
        trial_progress(t, 0.7 + 0.3 * (i + 1.0) / TAC_COUNT(defects));
    }
    return trial_panels_end(&panels, code, "defects");
}

int experiment_ssdf_box(trial* t) {
    int code = report_temperature(t);
    if (code == 0) code = report_resolution(t);
    if (code == 0) code = report_defects(t);
    return code;
}
