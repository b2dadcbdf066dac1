// Rays along an edge through a field: where it enters and leaves (paper 002, Fig. 2).
//
// From each end a ray marches along the edge by the value of the field where that is positive
// (softly); ends inside do not move. The paper calls three steps more than sufficient. On a plane
// at the angle a from its normal they leave (1 - cos a)^3 of the distance: .025 at 45 degrees but
// .41 at 75. Hits of the detector are compared with rays that are written here from values of the
// field alone.

#include "experiments/contact_scene.h"
#include "experiments/experiments.h"

#include "base/assert.h"
#include "detect/edge_sdf/edge_sdf.h"

#include <math.h>

#define PI    3.14159265358979324
#define STEPS 8

// a thin rod is one edge with a radius
#define RADIUS 1e-4
#define HALF   2.0

static const char scene[] =
    "<mujoco><tactus detect='edge_sdf' sides='second' tau='.01' support='50' vertices='20' "
    "gate='%g' lipschitz='1' iterations='%d'/><asset>%s</asset><worldbody><body><freejoint/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/><geom %s/></body><body><freejoint/>"
    "<geom type='capsule' size='%g %g' mass='1'/></body></worldbody></mujoco>";

static const char plane[] = "type='box' size='20 20 10' pos='0 0 -10'";

#define EGG "<superquadric size='1 .6 .8' eps='.8 .6'/>"

// index of the contact of the edge itself
static int find_edge(const tacContacts* c) {
    for (int i = 0; i < c->count; ++i)
        if (tac_edge_sdf_kind(c->feature[i]) == TAC_EDGE_SDF_EDGE_1) return i;
    return -1;
}

//---------------------------------- a plane --------------------------------------

// remaining fraction of the distance to the plane; the other end of the edge is below
static int plane_way_left(double angle, int steps, double* way_left) {
    contactScene s;
    double a = angle * PI / 180.0;
    int code = contact_scene_open(&s, scene, 1e-7, steps, "", plane, RADIUS, HALF);
    if (code != 0) return code;
    s.qpos[10] = cos(0.5 * a);
    s.qpos[11] = sin(0.5 * a);
    s.qpos[12] = s.qpos[13] = 0.0;
    int i = contact_scene_detect(&s) == TAC_OK ? find_edge(s.contacts) : -1;
    // the hit is half way between the end of the ray and the corner below
    double height = i < 0 ? NAN : s.contacts->point[2][i] + RADIUS;
    double above = 2.0 * height + HALF * cos(a), start = HALF * cos(a);
    *way_left = (above - RADIUS) / (start - RADIUS);
    contact_scene_close(&s);
    return 0;
}

static int report_plane(trial* t) {
    static const double angle[] = {45.0, 60.0, 75.0, 85.0};
    static const int steps[] = {3, STEPS};
    int code = 0;
    for (int k = 0; k < TAC_COUNT(steps); ++k)
        for (int i = 0; i < TAC_COUNT(angle) && code == 0; ++i) {
            double way_left = 0.0, expected = pow(1.0 - cos(angle[i] * PI / 180.0), steps[k]);
            char id[80];
            code = plane_way_left(angle[i], steps[k], &way_left);
            snprintf(id, sizeof id, "plane at %g degrees, %d steps: way left", angle[i], steps[k]);
            trial_expect_near(t, id, way_left, "", expected, 1e-4);
        }
    return code;
}

//---------------------------------- a solid --------------------------------------

typedef struct ray {
    double at[STEPS + 1]; // arc length from its end of the edge
    double nearest;       // smallest value of the field on the ray
} ray;

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

static ray trace_ray(const trialField* field, const double from[3], const double along[3],
                     double gate) {
    ray r = {.nearest = INFINITY};
    for (int k = 0; k <= STEPS; ++k) {
        double f = r.at[k], u = trial_field_value(field, from[0] + f * along[0],
                                                  from[1] + f * along[1], from[2] + f * along[2]) -
                                RADIUS;
        r.nearest = fmin(r.nearest, u);
        if (k < STEPS) r.at[k + 1] = f + u * sigmoid(u / gate);
    }
    return r;
}

static double soft_clip(double x, double max, double gate) {
    return gate * (log1p(exp(x / gate)) - log1p(exp((x - max) / gate)));
}

typedef struct edgeCase {
    const char* name;
    double middle[3], tilt; // angle of the rod about x, from z                [deg]
} edgeCase;

static const edgeCase cases[] = {{"through the solid", {0.3, 0.1, 0.1}, 55.0},
                                 {"one corner inside", {0.1, 1.7, -0.8}, 60.0},
                                 {"past it", {0.2, 0.5, 1.4}, 75.0}};

static void place_rod(const edgeCase* c, contactScene* s, double from[3], double along[3]) {
    double a = c->tilt * PI / 180.0;
    contact_scene_set_pose(s, c->middle[0], c->middle[1], c->middle[2], 0.0);
    s->qpos[10] = cos(0.5 * a);
    s->qpos[11] = sin(0.5 * a);
    along[0] = 0.0;
    along[1] = -sin(a);
    along[2] = cos(a);
    for (int k = 0; k < 3; ++k) from[k] = c->middle[k] - HALF * along[k];
}

// an edge and the rays from both of its ends
typedef struct edgeTrace {
    double from[3], along[3];
    ray r[2];
} edgeTrace;

static int draw_case(trialPanels* panels, int panel, const trialField* field, const edgeTrace* e) {
    const edgeCase* c = &cases[panel];
    const double *from = e->from, *along = e->along;
    const ray* r = e->r;
    double x[3][2 * STEPS + 2];
    int count = 0;
    for (int end = 0; end < 2; ++end)
        for (int k = 0; k <= STEPS; ++k, ++count)
            for (int j = 0; j < 3; ++j)
                x[j][count] = from[j] + (end ? 2.0 * HALF - r[1].at[k] : r[0].at[k]) * along[j];
    tacSliceOptions o = tac_default_slice_options();
    tacSliceFrame frame;
    o.axis = 0;
    o.offset = c->middle[0];
    o.span = 4.2;
    o.point_count = count;
    for (int j = 0; j < 3; ++j) o.points[j] = x[j];
    int code = trial_panels_slice(panels, panel, field, &o, &frame, c->name);
    const double line[2][2] = {{from[1], from[2]},
                               {from[1] + 2.0 * HALF * along[1], from[2] + 2.0 * HALF * along[2]}};
    if (code == 0) trial_panels_line(panels, &frame, 2, line);
    return code;
}

static int run_case(trial* t, trialPanels* panels, int panel, contactScene* s,
                    const trialField* field) {
    const edgeCase* c = &cases[panel];
    const double gate = 0.005;
    edgeTrace e;
    double *from = e.from, *along = e.along, to[3], back[3];
    char id[100];
    place_rod(c, s, from, along);
    for (int k = 0; k < 3; ++k) {
        to[k] = from[k] + 2.0 * HALF * along[k];
        back[k] = -along[k];
    }
    e.r[0] = trace_ray(field, from, along, gate);
    e.r[1] = trace_ray(field, to, back, gate);
    double a = 0.5 * (soft_clip(e.r[0].at[STEPS], 2.0 * HALF, gate) + 2.0 * HALF -
                      soft_clip(e.r[1].at[STEPS], 2.0 * HALF, gate));
    int i = contact_scene_detect(s) == TAC_OK ? find_edge(s->contacts) : -1;
    if (i < 0) return cli_error("reproduce", "%s has no record", c->name);
    double away = 0.0;
    for (int k = 0; k < 3; ++k) {
        double p = s->contacts->point[k][i] + RADIUS * s->contacts->normal[k][i];
        away = fmax(away, fabs(p - from[k] - a * along[k]));
    }
    snprintf(id, sizeof id, "%s: hit, off rays written again", c->name);
    trial_expect_at_most(t, id, away, "m", 1e-9);
    snprintf(id, sizeof id, "%s: activity", c->name);
    trial_expect_near(t, id, s->contacts->activity[i], "", panel == 2 ? 0.0 : 1.0, 1e-3);
    snprintf(id, sizeof id, "%s: rays stay outside by", c->name);
    trial_expect_at_least(t, id, fmin(e.r[0].nearest, panel == 1 ? INFINITY : e.r[1].nearest), "m",
                          0.0);
    return draw_case(panels, panel, field, &e);
}

int experiment_edge_rays(trial* t) {
    contactScene s = {0};
    trialField field = {0};
    trialPanels panels;
    int code = report_plane(t);
    if (code == 0) code = trial_panels_begin(t, &panels, 3, 1, 300, 260);
    if (code != 0) return code;
    code = contact_scene_open(&s, scene, 0.005, STEPS, "<shape name='it'>" EGG "</shape>",
                              "type='shape' shape='it'", RADIUS, HALF);
    if (code == 0) code = trial_field_open(&field, "", EGG);
    for (int i = 0; i < TAC_COUNT(cases) && code == 0; ++i)
        code = run_case(t, &panels, i, &s, &field);
    code = trial_panels_end(&panels, code, "rays");
    trial_field_close(&field);
    contact_scene_close(&s);
    return code;
}
