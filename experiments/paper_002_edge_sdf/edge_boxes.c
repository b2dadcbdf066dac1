// A box that rotates on a box: contact points by edges in a field and by clipping (paper 002, Fig.
// 4).
//
// Cubes of half size 1, the upper one .1 deep and rotated from 0 to 90 degrees; three steps along
// an edge, temperatures .01. Points of edges in the field move by at most a few metres per radian,
// at any resolution of the angle. Corners of the clipped face, as in every engine with polygon
// clipping, appear suddenly: four become eight, the new ones half a side away. MuJoCo's box-box
// contacts are compared where it is installed.

#include "bench/baselines/other_engines.h"
#include "experiments/contact_scene.h"
#include "experiments/experiments.h"
#include "experiments/plot.h"

#include "base/assert.h"
#include "detect/edge_sdf/edge_sdf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EDGES      12
#define FINEST     721
#define MAX_POINTS 32 // points of one pose
#define PI         3.14159265358979324

//---------------------------------- edges in a field -----------------------------

static const char scene[] =
    "<mujoco><tactus detect='edge_sdf' sides='second' iterations='3' gate='.01' tau='.01' "
    "support='50' lipschitz='1'/><asset>%s<mesh name='cube' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 "
    "-1 "
    "-1 -1 1 1 -1 1 -1 1 1 1 1 1' face='0 2 3 0 3 1 4 5 7 4 7 6 0 1 5 0 5 4 2 6 7 2 7 3 0 4 6 "
    "0 6 2 1 3 7 1 7 5'/></asset><worldbody><camera pos='3.3 -4.6 3.4' "
    "xyaxes='.81 .58 0 -.25 .35 .9' fovy='40'/><light directional='true' dir='-0.5 0.7 -1.3' "
    "diffuse='0.66 0.64 0.60'/><body><freejoint/><inertial pos='0 0 0' mass='1' "
    "diaginertia='1 1 1'/><geom type='shape' shape='cube' mesh='cube' rgba='.70 .66 .58 1'/></body>"
    "<body><freejoint/><inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/>"
    "<geom type='shape' shape='cube' mesh='cube' rgba='.36 .47 .62 "
    "1'/></body></worldbody></mujoco>";

static const struct {
    const char *name, *shape;
} fields[] = {
    {"tangent distance", "<shape name='cube'><superquadric size='1 1 1' eps='.1 .1'/></shape>"},
    {"radial distance",
     "<shape name='cube' distance='radial'><superquadric size='1 1 1' eps='.1 .1'/></shape>"},
    {"polyhedron",
     "<shape name='cube' smooth='.02'><polyhedron planes='1 0 0 -1 -1 0 0 -1 0 1 0 -1 "
     "0 -1 0 -1 0 0 1 -1 0 0 -1 -1'/></shape>"},
};

// points at one pose
typedef struct pointSet {
    int count;
    double x[MAX_POINTS][3], weight[MAX_POINTS];
} pointSet;

static pointSet edge_points(contactScene* s, double yaw) {
    pointSet p = {0};
    contact_scene_set_pose(s, 0.0, 0.0, 1.9, yaw);
    if (contact_scene_detect(s) != TAC_OK) return p;
    const tacContacts* c = s->contacts;
    for (int i = 0; i < c->count; ++i) {
        if (tac_edge_sdf_kind(c->feature[i]) != TAC_EDGE_SDF_EDGE_1) continue;
        int e = tac_edge_sdf_index(c->feature[i]);
        p.count = EDGES;
        p.weight[e] = c->activity[i];
        for (int k = 0; k < 3; ++k) p.x[e][k] = c->point[k][i];
    }
    return p;
}

static double distance3(const double a[3], const double b[3]) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// fastest point of an edge over `count` angles                               [m/rad]
static double max_point_speed(contactScene* s, int count) {
    double max = 0.0, step = 0.5 * PI / (count - 1);
    pointSet last = edge_points(s, 0.0);
    for (int i = 1; i < count; ++i) {
        pointSet now = edge_points(s, 90.0 * i / (count - 1));
        for (int e = 0; e < EDGES; ++e) max = fmax(max, distance3(now.x[e], last.x[e]) / step);
        last = now;
    }
    return max;
}

static int report_field(trial* t, int index, contactScene* s) {
    char id[100];
    int code = contact_scene_open(s, scene, fields[index].shape);
    if (code != 0) return code;
    int fine = getenv("TACTUS_NO_SWEEP") ? 361 : FINEST;
    double coarse = max_point_speed(s, 181), finer = max_point_speed(s, fine);
    snprintf(id, sizeof id, "%s: fastest point, 181 angles", fields[index].name);
    trial_expect_at_most(t, id, coarse, "m/rad", 4.0);
    snprintf(id, sizeof id, "%s: fastest of %d angles, of that", fields[index].name, fine);
    trial_expect_near(t, id, finer / coarse, "x", 1.0, 0.05);
    return 0;
}

//---------------------------------- clipping -------------------------------------

// the part of a polygon with sign x[axis] <= 1 (Sutherland and Hodgman)
static pointSet clip_polygon(const pointSet* p, int axis, double sign) {
    pointSet out = {0};
    for (int i = 0; i < p->count; ++i) {
        const double *a = p->x[i], *b = p->x[(i + 1) % p->count];
        double u = 1.0 - sign * a[axis], v = 1.0 - sign * b[axis];
        if (u >= 0.0) memcpy(out.x[out.count++], a, sizeof out.x[0]);
        if ((u > 0.0) != (v > 0.0) && u != 0.0 && v != 0.0) {
            for (int k = 0; k < 3; ++k) out.x[out.count][k] = a[k] + u / (u - v) * (b[k] - a[k]);
            ++out.count;
        }
    }
    return out;
}

// the lower face of the upper cube inside the upper face of the lower one
static pointSet clipped_points(double yaw) {
    pointSet p = {.count = 4};
    for (int i = 0; i < 4; ++i) {
        double angle = yaw * PI / 180.0 + PI * (0.25 + 0.5 * i);
        p.x[i][0] = sqrt(2.0) * cos(angle);
        p.x[i][1] = sqrt(2.0) * sin(angle);
        p.x[i][2] = 0.9;
    }
    if (yaw == 0.0) // coincident sides have no crossings, whatever rounding does
        for (int i = 0; i < 4; ++i)
            for (int k = 0; k < 2; ++k) p.x[i][k] = copysign(1.0, p.x[i][k]);
    for (int side = 0; side < 4; ++side) p = clip_polygon(&p, side / 2, side % 2 ? 1.0 : -1.0);
    for (int i = 0; i < p.count; ++i) p.weight[i] = 1.0;
    return p;
}

static pointSet mujoco_points(mujocoWorld* world, double yaw) {
    pointSet p = {0};
    double half = 0.5 * yaw * PI / 180.0, *q = mujoco_world_qpos(world);
    q[0] = q[1] = 0.0;
    q[2] = 1.9;
    q[3] = cos(half);
    q[4] = q[5] = 0.0;
    q[6] = sin(half);
    p.count = mujoco_world_contacts(world, MAX_POINTS, p.x);
    for (int i = 0; i < p.count; ++i) p.weight[i] = 1.0;
    return p;
}

// largest distance of a point of b from the set a
static double max_gap_to_set(const pointSet* a, const pointSet* b) {
    double max = 0.0;
    for (int i = 0; i < b->count; ++i) {
        double min = INFINITY;
        for (int j = 0; j < a->count; ++j) min = fmin(min, distance3(a->x[j], b->x[i]));
        max = fmax(max, min);
    }
    return max;
}

// largest jump of a set of points over `count` angles
static double largest_jump(mujocoWorld* world, int count) {
    double max = 0.0;
    pointSet last = world ? mujoco_points(world, 0.0) : clipped_points(0.0);
    for (int i = 1; i < count; ++i) {
        double yaw = 90.0 * i / (count - 1);
        pointSet now = world ? mujoco_points(world, yaw) : clipped_points(yaw);
        max = fmax(max, fmax(max_gap_to_set(&last, &now), max_gap_to_set(&now, &last)));
        last = now;
    }
    return max;
}

static void report_clipping(trial* t, mujocoWorld* world) {
    trial_expect_at_least(t, "clipping: largest jump, 181 angles", largest_jump(NULL, 181), "m",
                          0.9);
    trial_expect_at_least(t, "clipping: largest jump, 721 angles", largest_jump(NULL, 721), "m",
                          0.9);
    trial_expect_near(t, "clipping: points at 0 degrees", clipped_points(0.0).count, "", 4.0, 0.0);
    trial_expect_near(t, "clipping: points at 1 degree", clipped_points(1.0).count, "", 8.0, 0.0);
    if (!world) {
        trial_note(t, "MuJoCo is not installed: its rows are left out");
        return;
    }
    trial_expect_at_least(t, "MuJoCo: largest jump, 181 angles", largest_jump(world, 181), "m",
                          0.1);
    trial_expect_at_least(t, "MuJoCo: largest jump, 721 angles", largest_jump(world, 721), "m",
                          0.1);
}

//---------------------------------- pictures -------------------------------------

static int draw_scene(trial* t, contactScene* s) {
    trialPanels panels;
    int code = trial_panels_begin(t, &panels, 1, 1, 320, 280);
    contact_scene_set_pose(s, 0.0, 0.0, 1.9, 25.0);
    if (code == 0) code = contact_scene_draw(&panels, 0, s, 1, "at 25 degrees");
    return trial_panels_end(&panels, code, "scene");
}

enum { PLOT_ANGLES = 181 };

// x and activity of all points over the angle
typedef struct pointCloud {
    int count;
    double yaw[PLOT_ANGLES * MAX_POINTS], x[PLOT_ANGLES * MAX_POINTS];
    double weight[PLOT_ANGLES * MAX_POINTS];
} pointCloud;

// by edges in a field, else by clipping, else by MuJoCo
static void fill_cloud(pointCloud* cloud, contactScene* s, mujocoWorld* world) {
    cloud->count = 0;
    for (int i = 0; i < PLOT_ANGLES; ++i) {
        double yaw = 90.0 * i / (PLOT_ANGLES - 1);
        pointSet p = s       ? edge_points(s, yaw)
                     : world ? mujoco_points(world, yaw)
                             : clipped_points(yaw);
        for (int k = 0; k < p.count; ++k) {
            if (p.weight[k] < 1e-3) continue;
            cloud->yaw[cloud->count] = yaw;
            cloud->x[cloud->count] = p.x[k][0];
            cloud->weight[cloud->count++] = p.weight[k];
        }
    }
}

static int plot_points(trial* t, contactScene* s, mujocoWorld* world) {
    static pointCloud clouds[3];
    static const char* const titles[3] = {"edges in a field", "clipping", "MuJoCo"};
    plotPanel panels[3];
    fill_cloud(&clouds[0], s, NULL);
    fill_cloud(&clouds[1], NULL, NULL);
    if (world) fill_cloud(&clouds[2], NULL, world);
    for (int k = 0; k < 3; ++k)
        panels[k] = (plotPanel){
            .title = titles[k],
            .style = PLOT_POINTS,
            .x = {"angle [deg]", 0.0, 90.0, 0.0, 0, 0},
            .y = {"x of a contact point [m]", -1.2, 1.2, 0.0, 0, 0},
            .z = {"activity [1]", 0.0, 1.0, 0.0, 0, 0},
            .series_count = 1,
            .series = {{titles[k], clouds[k].count, clouds[k].yaw, clouds[k].x, clouds[k].weight}}};
    return plot_write(t, &(plotFigure){"points", world ? 3 : 2, 360, 300, world ? 3 : 2, panels});
}

int experiment_edge_boxes(trial* t) {
    contactScene s[TAC_COUNT(fields)] = {0};
    mujocoWorld* world =
        mujoco_world_open("<mujoco><worldbody><geom type='box' size='1 1 1'/><body><freejoint/>"
                          "<geom type='box' size='1 1 1' mass='1'/></body></worldbody></mujoco>");
    int code = 0;
    for (int i = 0; i < TAC_COUNT(fields) && code == 0; ++i) {
        code = report_field(t, i, &s[i]);
        trial_progress(t, (i + 1.0) / 5.0);
    }
    if (code == 0) report_clipping(t, world);
    if (code == 0 && t->folder) code = draw_scene(t, &s[0]);
    if (code == 0 && t->folder) code = plot_points(t, &s[0], world);
    for (int i = 0; i < TAC_COUNT(fields); ++i) contact_scene_close(&s[i]);
    mujoco_world_close(world);
    return code;
}
