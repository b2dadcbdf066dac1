// The solids that paper 002 (II-B3) makes of a superquadric and half-spaces.
//
// Each is compared with the exact solid along rays from a point c inside it. Smoothing moves a face
// inwards by at most tau ln k where k faces meet, which shortens the ray by at most the fraction
// tau ln k/(distance of the nearest face from c). Superquadrics alone are rounder than boxes and
// cylinders: the ray to a corner ends at 3^(-eps/2) of the way, to a rim at 2^(-eps/2). Ridges and
// tips of exponents above 1 are rounded, by up to 2.8 % at exponent 2.

#include "experiments/experiments.h"
#include "experiments/trial_panels.h"

#include "base/assert.h"

#include <math.h>

#define SMOOTH 0.004
#define RAYS   3000

typedef struct solid {
    const char *name, *nodes;
    int (*inside)(const double x[3]);
    double centre[3], inradius; // where rays start, and the nearest face from there
    int faces;                  // that meet in one point
    double volume;
    double corner[3]; // of a superquadric alone
    double rounded;   // fraction that ridges of exponents above 1 lose (docs/shapes.md eq. 8)
} solid;

//---------------------------------- exact solids ---------------------------------

static double max3(double a, double b, double c) { return fmax(a, fmax(b, c)); }

static int in_box(const double x[3]) {
    return max3(fabs(x[0]) / 1.0, fabs(x[1]) / 0.7, fabs(x[2]) / 0.5) < 1.0;
}

static int in_ellipsoid(const double x[3]) {
    return x[0] * x[0] + x[1] * x[1] / 0.49 + x[2] * x[2] / 0.25 < 1.0;
}

static int in_cylinder(const double x[3]) {
    return fmax(hypot(x[0], x[1]) / 0.7, fabs(x[2]) / 0.8) < 1.0;
}

static int in_cone(const double x[3]) {
    return hypot(x[0], x[1] / 0.6) + x[2] / 1.4 < 1.0 && x[2] > 0.0;
}

static int in_pyramid(const double x[3]) {
    return fabs(x[0]) + fabs(x[1]) + x[2] / 1.2 < 1.0 && x[2] > 0.0;
}

// regular, on a face, with its centre at the origin
static int in_tetrahedron(const double x[3]) {
    double c = -M_SQRT2 * x[0], s = 2.44948974278317810 * x[1];
    return x[2] > -0.3 && max3(-2.0 * c, c + s, c - s) + x[2] < 0.9;
}

// a half-space whose face is at `pos`, with its outer normal
#define PLANE(pos, normal) "<plane pos='" pos "' zaxis='" normal "'/>"
#define PSQ(size, eps, planes)                                                                     \
    "<superquadric size='" size "' eps='" eps "'>" planes "</superquadric>"

static const solid solids[] = {
    {.name = "box, no plane",
     .nodes = PSQ("1 .7 .5", ".1 .1", ""),
     .inside = in_box,
     .inradius = 0.5,
     .faces = 1,
     .volume = 2.8,
     .corner = {1.0, 0.7, 0.5}},
    {.name = "box, 6 planes",
     .nodes = PSQ("1.6 1.6 1.6", "1 1",
                  PLANE("1 0 0", "1 0 0") PLANE("-1 0 0", "-1 0 0") PLANE("0 .7 0", "0 1 0") PLANE(
                      "0 -.7 0", "0 -1 0") PLANE("0 0 .5", "0 0 1") PLANE("0 0 -.5", "0 0 -1")),
     .inside = in_box,
     .inradius = 0.5,
     .faces = 3,
     .volume = 2.8},
    {.name = "ellipsoid, no plane",
     .nodes = PSQ("1 .7 .5", "1 1", ""),
     .inside = in_ellipsoid,
     .inradius = 0.5,
     .faces = 1,
     .volume = 1.466077},
    {.name = "cylinder, no plane",
     .nodes = PSQ(".7 .7 .8", ".1 1", ""),
     .inside = in_cylinder,
     .inradius = 0.7,
     .faces = 1,
     .volume = 2.463009,
     .corner = {0.7, 0.0, 0.8}},
    {.name = "cylinder, 2 planes",
     .nodes = PSQ(".7 .7 1.6", ".1 1", PLANE("0 0 .8", "0 0 1") PLANE("0 0 -.8", "0 0 -1")),
     .inside = in_cylinder,
     .inradius = 0.7,
     .faces = 2,
     .volume = 2.463009},
    {.name = "elliptic cone, 1 plane",
     .nodes = PSQ("1 .6 1.4", "2 1", PLANE("0 0 0", "0 0 -1")),
     .inside = in_cone,
     .centre = {0.0, 0.0, 0.4},
     .inradius = 0.35,
     .faces = 2,
     .volume = 0.879646,
     .rounded = 0.014},
    {.name = "square pyramid, 1 plane",
     .nodes = PSQ("1 1 1.2", "2 2", PLANE("0 0 0", "0 0 -1")),
     .inside = in_pyramid,
     .centre = {0.0, 0.0, 0.3},
     .inradius = 0.3,
     .faces = 3,
     .volume = 0.8,
     .rounded = 0.028},
    {.name = "tetrahedron, 4 planes",
     .nodes = PSQ("1.3 1.3 1.3", "1 1",
                  PLANE("0 0 -.3", "0 0 -1") PLANE("0 0 .9", "2.82842712 0 1")
                      PLANE("0 0 .9", "-1.41421356 2.44948974 1")
                          PLANE("0 0 .9", "-1.41421356 -2.44948974 1")),
     .inside = in_tetrahedron,
     .inradius = 0.3,
     .faces = 3,
     .volume = 0.374123},
};

//---------------------------------- rays -----------------------------------------

// direction i of a spiral that covers the sphere evenly
static void spiral_direction(int i, double u[3]) {
    double z = 1.0 - (2.0 * i + 1.0) / RAYS, azimuth = i * 2.399963229728653;
    double r = sqrt(1.0 - z * z);
    u[0] = r * cos(azimuth);
    u[1] = r * sin(azimuth);
    u[2] = z;
}

static double exact_radius(const solid* s, const double u[3]) {
    double in = 0.0, out = 3.0;
    for (int i = 0; i < 60; ++i) {
        double r = 0.5 * (in + out);
        double x[3] = {s->centre[0] + r * u[0], s->centre[1] + r * u[1], s->centre[2] + r * u[2]};
        *(s->inside(x) ? &in : &out) = r;
    }
    return 0.5 * (in + out);
}

typedef struct rayFit {
    double min, max; // ratio of the radii
    double volume;
} rayFit;

static rayFit compare_rays(const solid* s, const trialField* field) {
    rayFit fit = {INFINITY, 0.0, 0.0};
    for (int i = 0; i < RAYS; ++i) {
        double u[3];
        spiral_direction(i, u);
        double exact = exact_radius(s, u), r = trial_field_radius(field, s->centre, u, 1.2 * exact);
        fit.min = fmin(fit.min, r / exact);
        fit.max = fmax(fit.max, r / exact);
        fit.volume += 4.0 / 3.0 * 3.141592653589793 * r * r * r / RAYS;
    }
    return fit;
}

//---------------------------------- experiment -----------------------------------

static void report_corner(trial* t, const solid* s, const trialField* field) {
    char id[96];
    int sides = 0;
    for (int k = 0; k < 3; ++k) sides += s->corner[k] > 0.0;
    snprintf(id, sizeof id, "%s: ray to a corner, of exact", s->name);
    trial_expect_near(t, id, trial_field_radius(field, s->centre, s->corner, 1.2), "",
                      pow(sides, -0.05), 1e-9);
}

static void report_solid(trial* t, const solid* s, const trialField* field) {
    rayFit fit = compare_rays(s, field);
    char id[96];
    double lost = SMOOTH * log(s->faces) / s->inradius;
    if (s->corner[0] > 0.0) {
        report_corner(t, s, field);
    } else {
        snprintf(id, sizeof id, "%s: shortest ray, of exact", s->name);
        trial_expect_at_least(t, id, fit.min, "", 1.0 - lost - s->rounded - 1e-5);
    }
    snprintf(id, sizeof id, "%s: longest ray, of exact", s->name);
    trial_expect_at_most(t, id, fit.max, "", 1.0 + 1e-5);
    snprintf(id, sizeof id, "%s: volume", s->name);
    trial_expect_near(t, id, fit.volume, "m3", s->volume,
                      (s->corner[0] > 0.0 ? 0.02 : 0.002 + 0.2 * s->rounded) * s->volume);
}

int experiment_psq_solids(trial* t) {
    trialPanels panels;
    int code = trial_panels_begin(t, &panels, 4, 2, 240, 220);
    for (int i = 0; i < TAC_COUNT(solids) && code == 0; ++i) {
        trialField field;
        code = trial_field_open(&field, "smooth='.004'", "%s", solids[i].nodes);
        if (code != 0) break;
        report_solid(t, &solids[i], &field);
        code = trial_panels_view(&panels, i, &field, solids[i].name);
        trial_field_close(&field);
        trial_progress(t, (i + 1.0) / TAC_COUNT(solids));
    }
    return trial_panels_end(&panels, code, "all");
}
