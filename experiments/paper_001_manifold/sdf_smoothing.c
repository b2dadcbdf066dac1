// Superquadric, convex polyhedron and oriented points with increasing smoothing (paper 001, Fig.
// 2).
//
// All three are the cube |x|, |y|, |z| <= 1 on the slice z = 0. Their surfaces on the x axis and on
// the diagonal of the slice are known without the library:
//
//   superquadric  x^(2/eps) + y^(2/eps) = 1:                 1 and 2^(1/2 - eps/2)
//   polyhedron    sum_i exp((n_i.x - 1)/tau) = 1 over 6 planes: by bisection
//   points        sum_i exp(-|x - p_i|^2/eps1) n_i.(x - p_i) = 0:   by bisection

#include "experiments/experiments.h"
#include "experiments/trial_cloud.h"
#include "experiments/trial_panels.h"

#include "base/assert.h"

#include <math.h>

#define COLUMNS 4

static const double diagonal = 0.70710678118654752;

typedef struct smoothRow {
    const char* name;
    const char* symbol;
    double level[COLUMNS];
    int (*open)(const trialCloud* cloud, double level, trialField* field);
    double (*exact)(const trialCloud* cloud, double level, const double along[3]);
} smoothRow;

//---------------------------------- fields ---------------------------------------

static int open_superquadric(const trialCloud* cloud, double level, trialField* field) {
    (void)cloud;
    return trial_field_open(field, "", "<superquadric size='1 1 1' eps='%g %g'/>", level, level);
}

static int open_polyhedron(const trialCloud* cloud, double level, trialField* field) {
    (void)cloud;
    return trial_field_open(
        field, "",
        "<polyhedron smooth='%g' planes='1 0 0 -1  -1 0 0 -1  0 1 0 -1  0 -1 0 -1  "
        "0 0 1 -1  0 0 -1 -1'/>",
        level);
}

//---------------------------------- where they should be -------------------------

static double superquadric_radius(const trialCloud* cloud, double eps, const double along[3]) {
    (void)cloud;
    return pow(pow(fabs(along[0]), 2.0 / eps) + pow(fabs(along[1]), 2.0 / eps), -0.5 * eps);
}

// < 0 inside
static double polyhedron_sign(double tau, const double x[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) sum += exp((x[k] - 1.0) / tau) + exp((-x[k] - 1.0) / tau);
    return sum - 1.0;
}

static double bisect_radius(const trialCloud* cloud, double level, const double along[3]) {
    double in = 0.0, out = 4.0;
    for (int i = 0; i < 60; ++i) {
        double r = 0.5 * (in + out), x[3] = {r * along[0], r * along[1], r * along[2]};
        double sign = cloud ? trial_cloud_value(cloud, level, x) : polyhedron_sign(level, x);
        *(sign < 0.0 ? &in : &out) = r;
    }
    return 0.5 * (in + out);
}

static double polyhedron_radius(const trialCloud* cloud, double tau, const double along[3]) {
    (void)cloud;
    return bisect_radius(NULL, tau, along);
}

// n x n points on each face of the cube
static void make_cube(trialCloud* cloud, int n) {
    for (int face = 0; face < 6; ++face) {
        int axis = face / 2;
        for (int i = 0; i < n * n; ++i) {
            double x[3], normal[3] = {0};
            x[axis] = normal[axis] = face % 2 ? 1.0 : -1.0;
            x[(axis + 1) % 3] = -1.0 + (2.0 * (i % n) + 1.0) / n;
            x[(axis + 2) % 3] = -1.0 + (2.0 * (i / n) + 1.0) / n;
            trial_cloud_add(cloud, x, normal);
        }
    }
}

static const smoothRow rows[] = {
    {"superquadric", "eps", {0.1, 0.3, 0.6, 1.0}, open_superquadric, superquadric_radius},
    {"polyhedron", "tau", {0.005, 0.05, 0.15, 0.3}, open_polyhedron, polyhedron_radius},
    {"points", "eps1", {0.02, 0.2, 0.6, 1.5}, trial_cloud_open, bisect_radius},
};

//---------------------------------- experiment -----------------------------------

static void report_radii(trial* t, const smoothRow* row, double level, const trialCloud* cloud,
                         const trialField* field) {
    const double origin[3] = {0}, along[2][3] = {{1, 0, 0}, {diagonal, diagonal, 0}};
    static const char* const where[2] = {"x", "the diagonal"};
    char id[96];
    for (int k = 0; k < 2; ++k) {
        snprintf(id, sizeof id, "%s, %s %g: radius on %s", row->name, row->symbol, level, where[k]);
        trial_expect_near(t, id, trial_field_radius(field, origin, along[k], 3.0), "m",
                          row->exact(cloud, level, along[k]), 1e-9);
    }
}

static int draw_slice(trialPanels* panels, int panel, const trialField* field,
                      const char* caption) {
    static const double outline[5][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}, {1, 1}};
    tacSliceOptions options = tac_default_slice_options();
    tacSliceFrame frame = {0};
    options.span = 4.0;
    options.centred = 1;
    int code = trial_panels_slice(panels, panel, field, &options, &frame, caption);
    if (code == 0) trial_panels_line(panels, &frame, TAC_COUNT(outline), outline);
    return code;
}

int experiment_sdf_smoothing(trial* t) {
    trialCloud cloud = {0};
    trialPanels panels;
    make_cube(&cloud, 6);
    int code = trial_panels_begin(t, &panels, COLUMNS, TAC_COUNT(rows), 220, 220);
    for (int i = 0; i < COLUMNS * TAC_COUNT(rows) && code == 0; ++i) {
        const smoothRow* row = &rows[i / COLUMNS];
        double level = row->level[i % COLUMNS];
        trialField field;
        char caption[64];
        if ((code = row->open(&cloud, level, &field)) != 0) break;
        report_radii(t, row, level, &cloud, &field);
        snprintf(caption, sizeof caption, "%s, %s %g", row->name, row->symbol, level);
        code = draw_slice(&panels, i, &field, caption);
        trial_field_close(&field);
        trial_progress(t, (i + 1.0) / (COLUMNS * TAC_COUNT(rows)));
    }
    trial_cloud_free(&cloud);
    return trial_panels_end(&panels, code, "fields");
}
