// A cup of three primitives (paper 002, Fig. 3): a cylinder less a cylinder, and a box that is
// swept along a spline as its handle.
//
// The same three fields joined by hard minimum and maximum are the reference. Two smooth joints of
// two fields each move the surface by at most 2 tau ln 2.

#include "experiments/experiments.h"
#include "experiments/trial_panels.h"

#include "base/assert.h"

#include <math.h>
#include <stdlib.h>

#define SMOOTH "5e-4"
#define SIZE   0.1 // of the cup [m]
#define OUTER  "<superquadric size='.04 .04 .05' eps='.1 1'/>"
#define INNER  "<superquadric size='.034 .034 .05' eps='.1 1' pos='0 0 .008'/>"
#define HANDLE                                                                                     \
    "<sweep points='.037 0 -.028  .105 0 0  .037 0 .028' size='.004 .006 .004' eps='.2 .2' "       \
    "smooth='5e-5'/>"

enum { OUTSIDE, INSIDE, GRIP, CUP, FIELDS };
static const char* const nodes[FIELDS] = {OUTER, INNER, HANDLE,
                                          "<difference>" OUTER INNER "</difference>" HANDLE};

//---------------------------------- places ---------------------------------------

typedef struct cupPlace {
    const char* name;
    double x[3];
    int solid;
} cupPlace;

static const cupPlace places[] = {
    {"middle of the cavity", {0, 0, 0.01}, 0},
    {"above the rim", {0, 0, 0.056}, 0},
    {"bottom", {0, 0, -0.046}, 1},
    {"wall", {-0.037, 0, 0}, 1},
    {"wall behind the handle", {0.037, 0, 0}, 1},
    {"hole of the handle", {0.055, 0, 0}, 0},
    {"handle", {0.071, 0, 0}, 1},
    {"foot of the handle", {0.043, 0, -0.0255}, 1},
    {"cavity before the handle", {0.031, 0, 0.0255}, 0},
};

static void report_places(trial* t, const trialField* cup) {
    for (int i = 0; i < TAC_COUNT(places); ++i) {
        const cupPlace* p = &places[i];
        double value = trial_field_value(cup, p->x[0], p->x[1], p->x[2]);
        if (p->solid)
            trial_expect_at_most(t, p->name, value, "m", 0.0);
        else
            trial_expect_at_least(t, p->name, value, "m", 0.0);
    }
}

//---------------------------------- surface --------------------------------------

#define LINES 48  // in y, and in z
#define STEPS 160 // along x

// hard joints of the three fields
static double hard_union(const trialField fields[FIELDS], double x, double y, double z) {
    double cavity = -trial_field_value(&fields[INSIDE], x, y, z);
    double bowl = fmax(trial_field_value(&fields[OUTSIDE], x, y, z), cavity);
    return fmin(bowl, trial_field_value(&fields[GRIP], x, y, z));
}

// the root between two points on a line along x
static double bisect_root(const trialField* cup, double in, double out, double y, double z) {
    for (int i = 0; i < 40; ++i) {
        double middle = 0.5 * (in + out);
        *(trial_field_value(cup, middle, y, z) < 0.0 ? &in : &out) = middle;
    }
    return 0.5 * (in + out);
}

// largest |hard field| on the smooth surface, over lines along x
static double surface_gap(const trialField fields[FIELDS], int* count) {
    double x[3][STEPS], value[STEPS], *at[3] = {x[0], x[1], x[2]}, gap = 0.0;
    for (int line = 0; line < LINES * LINES; ++line) {
        double y = 0.09 * ((line % LINES + 0.5) / LINES - 0.5);
        double z = 0.12 * ((line / LINES + 0.5) / LINES - 0.5);
        for (int i = 0; i < STEPS; ++i) {
            x[0][i] = -0.045 + 0.125 * i / (STEPS - 1);
            x[1][i] = y;
            x[2][i] = z;
        }
        if (trial_field_values(&fields[CUP], STEPS, at, value) != TAC_OK) return NAN;
        for (int i = 0; i + 1 < STEPS; ++i) {
            if ((value[i] < 0.0) == (value[i + 1] < 0.0)) continue;
            int in = value[i] < 0.0 ? i : i + 1, out = 2 * i + 1 - in;
            double root = bisect_root(&fields[CUP], x[0][in], x[0][out], y, z);
            gap = fmax(gap, fabs(hard_union(fields, root, y, z)));
            ++*count;
        }
    }
    return gap;
}

//---------------------------------- experiment -----------------------------------

static int draw_cup(trial* t, const trialField* cup) {
    trialPanels panels;
    tacSliceOptions options = tac_default_slice_options();
    options.axis = 1;
    int code = trial_panels_begin(t, &panels, 3, 1, 320, 300);
    if (code == 0) code = trial_panels_view(&panels, 0, cup, "three primitives");
    if (code == 0) code = trial_panels_slice(&panels, 1, cup, &options, NULL, "y = 0");
    options.axis = 2;
    options.offset = 0.0;
    if (code == 0) code = trial_panels_slice(&panels, 2, cup, &options, NULL, "z = 0");
    return trial_panels_end(&panels, code, "cup");
}

int experiment_xpsq_cup(trial* t) {
    trialField fields[FIELDS] = {0};
    int code = 0, opened = 0, count = 0;
    for (; opened < FIELDS && code == 0; ++opened)
        code = trial_field_open(&fields[opened], "smooth='" SMOOTH "'", "%s", nodes[opened]);
    if (code == 0) {
        report_places(t, &fields[CUP]);
        trial_progress(t, 0.1);
        double gap = surface_gap(fields, &count);
        trial_report(t, "places on the surface", count, "");
        trial_expect_at_most(t, "surface off the hard joints", gap, "m",
                             2.0 * atof(SMOOTH) * M_LN2 + 0.01 * SIZE);
        trial_progress(t, 0.5);
        code = draw_cup(t, &fields[CUP]);
    }
    for (int i = 0; i < FIELDS; ++i)
        if (fields[i].model) trial_field_close(&fields[i]);
    return code;
}
