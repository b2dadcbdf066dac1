// A sphere becomes a solid with a hole and corners as the temperature falls (paper 000, Fig. 1
// left).
//
// The solid is a ring of square section: 0.6 <= r <= 1.4, |z| <= 0.4. Expanded in 1/eps, the field
// of any closed cloud is
//
//   phi ~ -h + (2/eps) sum_k C_kk p_k^2,   C = mean(p_i n_i^T),  h = trace C
//
// for axes along which C is diagonal and mean(n_i) = 0: an ellipsoid of semi-axes sqrt(eps h/(2
// C_kk)), which grows without bound. Points that are even in area have C = (V/A) I: a sphere of
// radius sqrt(3 eps/2).

#include "experiments/experiments.h"
#include "experiments/trial_cloud.h"
#include "experiments/trial_panels.h"

#include "base/assert.h"

#include <math.h>

#define TWO_PI  6.283185307179586
#define INNER   0.6
#define OUTER   1.4
#define HEIGHT  0.4
#define SPACING 0.2

//---------------------------------- cloud ----------------------------------------

// points around a circle of the ring, with the normal (nr, nz) in the plane of r and z
static void add_circle(trialCloud* cloud, double r, double z, double nr, double nz) {
    int count = (int)(TWO_PI * r / SPACING + 0.5);
    for (int i = 0; i < count; ++i) {
        double c = cos(TWO_PI * i / count), s = sin(TWO_PI * i / count);
        trial_cloud_add(cloud, (double[]){r * c, r * s, z}, (double[]){nr * c, nr * s, nz});
    }
}

static void make_ring(trialCloud* cloud) {
    int rows = (int)((OUTER - INNER) / SPACING + 0.5);
    double step = (OUTER - INNER) / rows;
    for (int i = 0; i < rows; ++i) {
        double z = -HEIGHT + (i + 0.5) * step, r = INNER + (i + 0.5) * step;
        add_circle(cloud, OUTER, z, 1.0, 0.0);
        add_circle(cloud, INNER, z, -1.0, 0.0);
        add_circle(cloud, r, HEIGHT, 0.0, 1.0);
        add_circle(cloud, r, -HEIGHT, 0.0, -1.0);
    }
}

// C_kk of the cloud
static void normal_moments(const trialCloud* cloud, double c[3]) {
    for (int k = 0; k < 3; ++k) {
        c[k] = 0.0;
        for (int i = 0; i < cloud->count; ++i)
            c[k] += cloud->point[i][k] * cloud->normal[i][k] / cloud->count;
    }
}

//---------------------------------- rows -----------------------------------------

static double zero_set_radius(const trialField* field, int axis, double max) {
    static const double origin[3] = {0};
    double along[3] = {0};
    along[axis] = 1.0;
    return trial_field_radius(field, origin, along, max);
}

// semi-axes of the limit ellipsoid for large eps
static void report_hot(trial* t, const trialCloud* cloud, double eps, double tolerance) {
    trialField field;
    double c[3];
    char id[96];
    if (trial_cloud_open(cloud, eps, &field) != 0) return;
    normal_moments(cloud, c);
    for (int k = 0; k < 3; k += 2) {
        double theory = sqrt(eps * (c[0] + c[1] + c[2]) / (2.0 * c[k]));
        snprintf(id, sizeof id, "radius on %c, eps %g, of theory", "xyz"[k], eps);
        trial_expect_near(t, id, zero_set_radius(&field, k, 2.0 * theory) / theory, "", 1.0,
                          tolerance);
    }
    snprintf(id, sizeof id, "radius on x, eps %g, of sqrt(3 eps/2)", eps);
    trial_expect_near(t, id, zero_set_radius(&field, 0, 3.0 * sqrt(eps)) / sqrt(1.5 * eps), "", 1.0,
                      0.03);
    trial_field_close(&field);
}

// the temperature at which the hole opens, by bisection
static double hole_opening_eps(const trialCloud* cloud) {
    static const double origin[3] = {0};
    double cold = 1e-2, hot = 10.0;
    for (int i = 0; i < 40; ++i) {
        double eps = sqrt(cold * hot);
        *(trial_cloud_value(cloud, eps, origin) > 0.0 ? &cold : &hot) = eps;
    }
    return cold;
}

static void report_cold(trial* t, const trialField* field) {
    trial_expect_near(t, "radius on x, coldest", zero_set_radius(field, 0, 2.0), "m", OUTER,
                      0.005 * OUTER);
    static const double above[3] = {1.0, 0.0, 0.0}, up[3] = {0.0, 0.0, 1.0};
    trial_expect_near(t, "height over the ring, coldest", trial_field_radius(field, above, up, 1.0),
                      "m", HEIGHT, 0.005 * HEIGHT);
    static const double inside[3] = {1.0, 0.0, 0.0}, inwards[3] = {-1.0, 0.0, 0.0};
    trial_expect_near(t, "radius of the hole, coldest",
                      1.0 - trial_field_radius(field, inside, inwards, 1.0), "m", INNER,
                      0.005 * INNER);
    trial_expect_at_least(t, "distance in the middle of the hole",
                          trial_field_value(field, 0.0, 0.0, 0.0), "m", 0.5);
}

//---------------------------------- experiment -----------------------------------

static const double temperatures[] = {8.0, 1.5, 0.5, 0.3, 0.1, 0.01};
enum { COUNT = TAC_COUNT(temperatures) };

static void report_hole(trial* t, const trialField* field, double eps, double open) {
    char id[64];
    double middle = trial_field_value(field, 0.0, 0.0, 0.0);
    snprintf(id, sizeof id, "the hole is %s, eps %g", eps < open ? "open" : "closed", eps);
    if (eps < open)
        trial_expect_at_least(t, id, middle, "m", 0.0);
    else
        trial_expect_at_most(t, id, middle, "m", 0.0);
}

// the solid, a slice across the ring, a slice along it
static int draw_ring(trialPanels* panels, int i, const trialField* field) {
    tacSliceOptions options = tac_default_slice_options();
    char caption[64];
    options.span = i == 0 ? 9.0 : 4.5;
    options.centred = 1;
    options.axis = 1;
    snprintf(caption, sizeof caption, "eps %g", temperatures[i]);
    int code = trial_panels_view(panels, i, field, caption);
    snprintf(caption, sizeof caption, "y = 0, %g m", options.span);
    if (code == 0) code = trial_panels_slice(panels, i + COUNT, field, &options, NULL, caption);
    options.axis = 2;
    snprintf(caption, sizeof caption, "z = 0, %g m", options.span);
    return code ? code : trial_panels_slice(panels, i + 2 * COUNT, field, &options, NULL, caption);
}

int experiment_ssdf_ring(trial* t) {
    trialCloud cloud = {0};
    trialPanels panels;
    make_ring(&cloud);
    trial_report(t, "points", cloud.count, "");
    report_hot(t, &cloud, 100.0, 0.01);
    report_hot(t, &cloud, 1e4, 0.0005);
    double open = hole_opening_eps(&cloud);
    trial_report(t, "eps at which the hole opens", open, "m2");
    int code = trial_panels_begin(t, &panels, COUNT, 3, 150, 130);
    for (int i = 0; i < COUNT && code == 0; ++i) {
        trialField field;
        if ((code = trial_cloud_open(&cloud, temperatures[i], &field)) != 0) break;
        report_hole(t, &field, temperatures[i], open);
        if (i == COUNT - 1) report_cold(t, &field);
        code = draw_ring(&panels, i, &field);
        trial_field_close(&field);
        trial_progress(t, (i + 1.0) / COUNT);
    }
    trial_cloud_free(&cloud);
    return trial_panels_end(&panels, code, "temperature");
}
