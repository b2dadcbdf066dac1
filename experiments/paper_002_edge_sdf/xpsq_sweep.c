// The swept primitive of paper 002 (Fig. 1): a superquadric with planes along a quadratic spline,
// with varying size, exponents, planes and rotation.
//
// Its field is a smooth minimum over the projections of a point on the spline. With a ball as the
// section it is the distance from a tube, measured here by plain search along the spline. The field
// is smaller by at most tau ln 2, where two projections are equally far. The spline is p(t) = (2t -
// 1, 3.2 t (1 - t), 0).

#include "experiments/experiments.h"
#include "experiments/trial_panels.h"

#include "base/assert.h"

#include <math.h>

#define SMOOTH 1e-4
#define RADIUS 0.25

//---------------------------------- distance from the spline ---------------------

typedef struct spline {
    double p[3][3]; // control points
} spline;

static void spline_point(const spline* s, double t, double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = (1 - t) * (1 - t) * s->p[0][k] + 2 * t * (1 - t) * s->p[1][k] + t * t * s->p[2][k];
}

static double distance_at(const spline* s, double t, const double x[3]) {
    double p[3];
    spline_point(s, t, p);
    return sqrt((x[0] - p[0]) * (x[0] - p[0]) + (x[1] - p[1]) * (x[1] - p[1]) +
                (x[2] - p[2]) * (x[2] - p[2]));
}

// smallest distance between two parameters of the spline with one minimum between them
static double golden_section(const spline* s, double a, double b, const double x[3], double* at) {
    const double ratio = 0.6180339887498949;
    for (int i = 0; i < 80; ++i) {
        double c = b - ratio * (b - a), d = a + ratio * (b - a);
        if (distance_at(s, c, x) < distance_at(s, d, x))
            b = d;
        else
            a = c;
    }
    *at = 0.5 * (a + b);
    return distance_at(s, *at, x);
}

static double spline_distance(const spline* s, const double x[3]) {
    enum { PIECES = 400 };
    int best = 0;
    double min = INFINITY, t;
    for (int i = 0; i <= PIECES; ++i) {
        double d = distance_at(s, (double)i / PIECES, x);
        if (d < min) {
            min = d;
            best = i;
        }
    }
    return golden_section(s, fmax(0.0, (best - 1.0) / PIECES), fmin(1.0, (best + 1.0) / PIECES), x,
                          &t);
}

//---------------------------------- rows -----------------------------------------

static const spline arch = {{{-1, 0, 0}, {0, 1.6, 0}, {1, 0, 0}}};
static const spline straight = {{{-1, 0, 0}, {0, 0, 0}, {1, 0, 0}}};

#define BALL     " size='.25 .25 .25' eps='1 1'"
#define BEND     "points='-1 0 0  0 1.6 0  1 0 0'"
#define STRAIGHT "points='-1 0 0  0 0 0  1 0 0'"
#define POINT    "points='.3 .2 .1  .3 .2 .1  .3 .2 .1'"
#define PLACES   60

// fixed points in a box around the tube
static void sample_point(int i, double x[3]) {
    double u = fmod(0.5 + i * 0.8191725133961645, 1.0), v = fmod(0.5 + i * 0.6710436067037893, 1.0),
           w = fmod(0.5 + i * 0.5497004779019703, 1.0);
    x[0] = 3.2 * (u - 0.5);
    x[1] = 2.2 * (v - 0.3);
    x[2] = 1.2 * (w - 0.5);
}

// largest difference from the distance from the tube around a spline
static double tube_gap(const trialField* field, const spline* s) {
    double gap = 0.0;
    for (int i = 0; i < PLACES; ++i) {
        double x[3];
        sample_point(i, x);
        double exact = spline_distance(s, x) - RADIUS;
        gap = fmax(gap, fabs(trial_field_value(field, x[0], x[1], x[2]) - exact));
    }
    return gap;
}

static double field_gap(const trialField* a, const trialField* b) {
    double gap = 0.0;
    for (int i = 0; i < PLACES; ++i) {
        double x[3];
        sample_point(i, x);
        gap = fmax(gap, fabs(trial_field_value(a, x[0], x[1], x[2]) -
                             trial_field_value(b, x[0], x[1], x[2])));
    }
    return gap;
}

// a sweep, or another node, against the distance from a tube or against another field
static int report_tube(trial* t, const char* id, const char* nodes, const spline* s, double bound) {
    trialField field;
    int code = trial_field_open(&field, "smooth='1e-4'", "%s", nodes);
    if (code != 0) return code;
    trial_expect_at_most(t, id, tube_gap(&field, s), "m", bound);
    trial_field_close(&field);
    return 0;
}

static int report_point(trial* t) {
    trialField swept, still = {0};
    int code =
        trial_field_open(&swept, "smooth='1e-4'", "<sweep " POINT " size='.3 .2 .4' eps='.4 .7'/>");
    if (code != 0) return code;
    code =
        trial_field_open(&still, "", "<superquadric pos='.3 .2 .1' size='.3 .2 .4' eps='.4 .7'/>");
    if (code == 0)
        trial_expect_at_most(t, "point for a spline, off the superquadric",
                             field_gap(&swept, &still), "m", 1e-9);
    if (code == 0) trial_field_close(&still);
    trial_field_close(&swept);
    return code;
}

//---------------------------------- pictures -------------------------------------

typedef struct family {
    const char *caption, *nodes;
} family;

static const family families[] = {
    {"constant", "<sweep " BEND BALL "/>"},
    {"size", "<sweep " BEND " size='.35 .35 .35  .2 .2 .2  .05 .05 .05' eps='1 1'/>"},
    {"exponents", "<sweep " BEND " size='.25 .25 .25' eps='.1 .1  .5 .5  2 1'/>"},
    {"twist", "<sweep " BEND " size='.32 .08 .1' eps='.3 .3' twist='0 90 180'/>"},
    {"plane", "<sweep " BEND " size='.3 .3 .3' eps='1 1'><plane zaxis='0 1 0'/></sweep>"},
    {"straight", "<sweep " STRAIGHT " size='.3 .2 .1' eps='.3 1'/>"},
    {"point", "<sweep " POINT " size='.3 .2 .4' eps='.4 .7'/>"},
};

// parameters of the spline where the distance from x is stationary, and its ends
static int stationary_points(const spline* s, const double x[3], double foot[5][3]) {
    enum { PIECES = 1000 };
    int count = 0;
    for (int i = 1; i < PIECES && count < 5; ++i) {
        double before = distance_at(s, (i - 1.0) / PIECES, x),
               here = distance_at(s, (double)i / PIECES, x);
        double after = distance_at(s, (i + 1.0) / PIECES, x);
        if ((here - before) * (after - here) <= 0.0)
            spline_point(s, (double)i / PIECES, foot[count++]);
    }
    return count;
}

// the field of a curved tube, its spline, and a point with its projections
static int draw_feet(trialPanels* panels, int panel) {
    static const double x[3] = {0.1, -0.35, 0.0};
    enum { PIECES = 40 };
    double line[PIECES + 1][2], p[3], foot[5][3];
    tacSliceOptions options = tac_default_slice_options();
    tacSliceFrame frame = {0};
    trialField field;
    int code = trial_field_open(&field, "smooth='1e-4'", "<sweep " BEND BALL "/>");
    if (code != 0) return code;
    options.centred = 1;
    options.centre[1] = 0.25;
    options.span = 3.4;
    code = trial_panels_slice(panels, panel, &field, &options, &frame, "three feet of a point");
    trial_field_close(&field);
    for (int i = 0; i <= PIECES; ++i) {
        spline_point(&arch, (double)i / PIECES, p);
        line[i][0] = p[0];
        line[i][1] = p[1];
    }
    trial_panels_line(panels, &frame, PIECES + 1, (const double(*)[2])line);
    for (int i = stationary_points(&arch, x, foot) - 1; i >= 0; --i)
        trial_panels_line(panels, &frame, 2,
                          (const double[2][2]){{x[0], x[1]}, {foot[i][0], foot[i][1]}});
    return code;
}

static int draw_families(trial* t) {
    trialPanels panels;
    int code = trial_panels_begin(t, &panels, 4, 2, 240, 200);
    if (code == 0) code = draw_feet(&panels, 0);
    for (int i = 0; i < TAC_COUNT(families) && code == 0; ++i) {
        trialField field;
        if ((code = trial_field_open(&field, "smooth='.002'", "%s", families[i].nodes)) != 0) break;
        code = trial_panels_view(&panels, i + 1, &field, families[i].caption);
        trial_field_close(&field);
        trial_progress(t, 0.2 + 0.8 * (i + 1.0) / TAC_COUNT(families));
    }
    return trial_panels_end(&panels, code, "families");
}

int experiment_xpsq_sweep(trial* t) {
    int code = report_tube(t, "bent tube, off the distance", "<sweep " BEND BALL "/>", &arch,
                           SMOOTH * M_LN2 + 1e-6);
    if (code == 0)
        code = report_tube(t, "straight tube, off the distance", "<sweep " STRAIGHT BALL "/>",
                           &straight, 1e-9);
    if (code == 0) code = report_point(t);
    trial_progress(t, 0.2);
    return code == 0 ? draw_families(t) : code;
}
