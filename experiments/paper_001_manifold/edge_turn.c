// Closest points of a rotating edge and a fixed one (paper 001, Fig. 3).
//
// Edge 1 of half length 1 rotates about the origin from y to -y; edge 2 runs from (-1, -1.2, 0) to
// (1, -1.2, 0). Half way both are parallel, and the closest point on edge 1 jumps from one end to
// the other. Tikhonov regularization lambda replaces the jump by fast motion; soft selections make
// it smooth. Rows are differences over 4001 angles, as in tools/expected-values; curves
// are exact derivatives. With the temperatures of the reference listing the point still moves 230
// times faster than edge 1 rotates. With lambda .01 and temperatures .01 the true peak is 1720,
// which 4001 angles do not resolve.

#include "experiments/experiments.h"
#include "experiments/plot.h"

#include "base/assert.h"
#include "tactus/witness.h"

#include <math.h>

#define ANGLES 4001
#define PI     3.14159265358979324

typedef struct turnCurve {
    double edge_point[2][ANGLES], slope[2][ANGLES]; // of the point on edge 1: x, y
    double peak, steepest, jump;                    // by differences, by derivatives
} turnCurve;

typedef struct turnCase {
    const char *name, *label; // of its rows, of its plot
    double pull, soft;        // lambda, and all temperatures; 0: exact
    double peak;              // expected
} turnCase;

static const turnCase cases[] = {
    {"exact", "exact", 0.0, 0.0, 0.0},
    {"pull .01, hard", "λ = 0.01 hard", 0.01, 1e-5, 240.270},
    {"pull .1, hard", "λ = 0.1 hard", 0.1, 1e-5, 24.2960},
    {"pull 1, hard", "λ = 1 hard", 1.0, 1e-5, 2.66666},
    {"pull .01, soft .1", "λ = 0.01 soft 0.1", 0.01, 0.1, 231.388},
    {"pull .1, soft .1", "λ = 0.1 soft 0.1", 0.1, 0.1, 23.9414},
    {"pull .01, soft .01", "λ = 0.01 soft 0.01", 0.01, 0.01, 492.686},
};

static tacWitnessOptions options_of(const turnCase* c) {
    tacWitnessOptions o = tac_reference_witness_options();
    o.exact = c->soft == 0.0;
    if (!o.exact) {
        o.tikhonov = c->pull;
        o.min = o.clip = o.inside = c->soft;
    }
    return o;
}

// end points of both edges, and their derivatives with respect to the angle
static void edge_point(double angle, double x[12], double dot[12]) {
    const double fixed[12] = {0, 0, 0, 0, 0, 0, -1.0, -1.2, 0, 1.0, -1.2, 0};
    for (int k = 0; k < 12; ++k) {
        x[k] = fixed[k];
        dot[k] = 0.0;
    }
    double s = sin(angle), c = cos(angle);
    x[0] = s;
    x[1] = -c;
    x[3] = -s;
    x[4] = c;
    dot[0] = c;
    dot[1] = s;
    dot[3] = -c;
    dot[4] = -s;
}

static tacResult run_turn(const turnCase* c, turnCurve* out) {
    tacWitnessOptions options = options_of(c);
    tacResult result = TAC_OK;
    out->peak = out->steepest = out->jump = 0.0;
    for (int i = 0; i < ANGLES && result == TAC_OK; ++i) {
        double x[12], dot[12];
        tacEdgePairs pairs = {.count = 1}, moved = {.count = 1};
        edge_point(PI * i / (ANGLES - 1), x, dot);
        for (int k = 0; k < 12; ++k) {
            pairs.corner[k / 3][k % 3] = &x[k];
            moved.corner[k / 3][k % 3] = &dot[k];
        }
        tacEdgeWitness at = {.point = {{&out->edge_point[0][i], &out->edge_point[1][i]}}};
        tacEdgeWitness by = {.point = {{&out->slope[0][i], &out->slope[1][i]}}};
        result = tac_edge_edge(&options, pairs, at);
        if (result == TAC_OK) result = tac_edge_edge_jvp(&options, pairs, moved, NULL, by);
        out->steepest = fmax(out->steepest, hypot(out->slope[0][i], out->slope[1][i]));
        if (i > 0)
            out->peak = fmax(out->peak, hypot(out->edge_point[0][i] - out->edge_point[0][i - 1],
                                              out->edge_point[1][i] - out->edge_point[1][i - 1]) *
                                            (ANGLES - 1) / PI);
        if (i > 1) // over two steps: skips the parallel configuration itself
            out->jump = fmax(out->jump, hypot(out->edge_point[0][i] - out->edge_point[0][i - 2],
                                              out->edge_point[1][i] - out->edge_point[1][i - 2]));
    }
    return result;
}

static void report_deviation(trial* t, const turnCurve* soft, const turnCurve* hard) {
    static const double at[] = {0.0, 0.2, 0.4, 0.45},
                        expected[] = {0.0523213, 0.023465, 0.0196797, 0.083397};
    for (int k = 0; k < 4; ++k) {
        char id[80];
        int i = (int)lround(at[k] * (ANGLES - 1));
        snprintf(id, sizeof id, "pull .01, soft .1: away from exact at %g pi", at[k]);
        trial_expect_near(t, id,
                          hypot(soft->edge_point[0][i] - hard->edge_point[0][i],
                                soft->edge_point[1][i] - hard->edge_point[1][i]),
                          "m", expected[k], 1e-6);
    }
}

enum { PLOTTED = 4, STRIDE = 8 }; // cases, and angles from one plotted value to the next
enum { PLOT_ANGLES = (ANGLES - 1) / STRIDE + 1 };

typedef struct turnPlot {
    double angle[PLOT_ANGLES], point[PLOTTED][2][PLOT_ANGLES], slope[PLOTTED][2][PLOT_ANGLES];
    plotPanel panels[2 * PLOTTED]; // points above, slopes below
} turnPlot;

static void add_case(turnPlot* plot, int k, const turnCase* c, const turnCurve* r) {
    double(*point)[PLOT_ANGLES] = plot->point[k], (*slope)[PLOT_ANGLES] = plot->slope[k];
    for (int i = 0; i < PLOT_ANGLES; ++i) {
        plot->angle[i] = PI * STRIDE * i / (ANGLES - 1);
        for (int axis = 0; axis < 2; ++axis) {
            point[axis][i] = r->edge_point[axis][STRIDE * i];
            slope[axis][i] = r->slope[axis][STRIDE * i];
        }
    }
    double limit = fmin(1.1 * fmax(r->steepest, 1.4), 30.0);
    plotPanel panel = {.title = c->label,
                       .x = {"angle [rad]", 0.0, PI, 0.0, 0, 0},
                       .y = {"point [m]", -1.2, 1.2, 0.0, 0, 0},
                       .series_count = 2,
                       .series = {{"x", PLOT_ANGLES, plot->angle, point[0], NULL},
                                  {"y", PLOT_ANGLES, plot->angle, point[1], NULL}}};
    plot->panels[k] = panel;
    panel.y = (plotAxis){"slope [m/rad]", -limit, limit, 0.0, 0, 0};
    panel.series[0].y = slope[0];
    panel.series[1].y = slope[1];
    plot->panels[PLOTTED + k] = panel;
}

static int plot_turns(trial* t) {
    static turnPlot plot;
    static turnCurve r;
    static const int plotted[PLOTTED] = {0, 2, 5, 4};
    for (int k = 0; k < PLOTTED; ++k) {
        if (run_turn(&cases[plotted[k]], &r) != TAC_OK) return CLI_ERROR;
        add_case(&plot, k, &cases[plotted[k]], &r);
    }
    return plot_write(t, &(plotFigure){"places", PLOTTED, 300, 280, 2 * PLOTTED, plot.panels});
}

int experiment_edge_turn(trial* t) {
    static turnCurve exact, r;
    int code = run_turn(&cases[0], &exact) == TAC_OK ? 0 : CLI_ERROR;
    if (code == 0)
        trial_expect_near(t, "exact: jump at the parallel place", exact.jump, "m", 2.0, 0.01);
    for (int i = 1; i < TAC_COUNT(cases) && code == 0; ++i) {
        char id[80];
        if (run_turn(&cases[i], &r) != TAC_OK) code = CLI_ERROR;
        snprintf(id, sizeof id, "%s: fastest, by the speed of the turn", cases[i].name);
        trial_expect_near(t, id, r.peak, "m/rad", cases[i].peak, 1e-5 * cases[i].peak);
        snprintf(id, sizeof id, "%s: steepest of 4001 derivatives", cases[i].name);
        trial_report(t, id, r.steepest, "m/rad");
        if (i == 4) report_deviation(t, &r, &exact);
        trial_progress(t, (i + 1.0) / TAC_COUNT(cases));
    }
    return code == 0 && t->folder ? plot_turns(t) : code;
}
