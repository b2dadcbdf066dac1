// A box on a box: which edges cross and which vertices are inside (paper 001, Fig. 5).
//
// Cubes of half size 1 as superquadrics of exponent .1, the upper one .15 (edges) or .1 (vertices)
// deep in the lower one. Edges are those of a cube scaled by .96, so that it lies in its rounded
// field; vertices are the 98 of a cube with 4 x 4 squares a face. Expected crossings and inner
// vertices are counted from corners and faces alone. Of the reference definition, with corrected
// errata, the pairs with activity are counted against the crossings; how large it is, is reported.

#include "experiments/contact_scene.h"
#include "experiments/experiments.h"

#include "base/assert.h"
#include "detect/manifold/manifold.h"

#include <math.h>

#define SCALE 0.96
#define PI    3.14159265358979324

// options, vertices, faces
static const char scene[] =
    "<mujoco><tactus detect='manifold' tau='.01' depth='.3' sign='.05' opposing='.05' "
    "edge_softmin='.02' tikhonov='1e-4' clip='.01' inside='.01' min='1e-3' %s/><asset>"
    "<shape name='cube' smooth='.001'><superquadric size='1 1 1' eps='.1 .1'/></shape>"
    "<mesh name='cube' vertex='%s' face='%s'/></asset><worldbody>"
    "<camera pos='3.3 -4.6 3.4' xyaxes='.81 .58 0 -.25 .35 .9' fovy='40'/>"
    "<light directional='true' dir='-0.5 0.7 -1.3' diffuse='0.66 0.64 0.60'/>"
    "<body><freejoint/><geom type='shape' shape='cube' mesh='cube' mass='1' "
    "rgba='.70 .66 .58 1'/></body><body><freejoint/><geom type='shape' shape='cube' mesh='cube' "
    "mass='1' rgba='.36 .47 .62 1'/></body></worldbody></mujoco>";

//---------------------------------- meshes ---------------------------------------

// a cube with `cells` x `cells` squares a face as texts, each square two triangles
typedef struct cubeText {
    char vertex[6000], face[6000];
    int count; // vertices
    double x[100][3];
} cubeText;

static int find_vertex(cubeText* c, const double x[3]) {
    for (int i = 0; i < c->count; ++i)
        if (fabs(c->x[i][0] - x[0]) + fabs(c->x[i][1] - x[1]) + fabs(c->x[i][2] - x[2]) < 1e-9)
            return i;
    for (int k = 0; k < 3; ++k) c->x[c->count][k] = x[k];
    return c->count++;
}

// index of a grid point of face (axis, side)
static int grid_vertex(cubeText* c, int axis, double side, double u, double v, double scale) {
    double x[3];
    x[axis] = scale * side;
    x[(axis + 1) % 3] = scale * (side > 0.0 ? u : v);
    x[(axis + 2) % 3] = scale * (side > 0.0 ? v : u);
    return find_vertex(c, x);
}

static void make_cube(cubeText* c, int cells, double scale) {
    char *vertex = c->vertex, *face = c->face;
    c->count = 0;
    for (int f = 0; f < 6; ++f)
        for (int i = 0; i < cells * cells; ++i) {
            double u = -1.0 + 2.0 * (i % cells) / cells, v = -1.0 + 2.0 * (i / cells) / cells;
            double side = f % 2 ? 1.0 : -1.0, h = 2.0 / cells;
            int a = grid_vertex(c, f / 2, side, u, v, scale);
            int b = grid_vertex(c, f / 2, side, u + h, v, scale);
            int d = grid_vertex(c, f / 2, side, u + h, v + h, scale);
            int e = grid_vertex(c, f / 2, side, u, v + h, scale);
            face += sprintf(face, "%d %d %d %d %d %d ", a, b, d, a, d, e);
        }
    for (int i = 0; i < c->count; ++i)
        vertex += sprintf(vertex, "%g %g %g ", c->x[i][0], c->x[i][1], c->x[i][2]);
}

//---------------------------------- edges ----------------------------------------

// parameter of the first segment at which both cross, or -1
static double crossing_parameter(const double a[2], const double b[2], const double c[2],
                                 const double d[2]) {
    double ux = b[0] - a[0], uy = b[1] - a[1], vx = d[0] - c[0], vy = d[1] - c[1];
    double det = ux * vy - uy * vx, wx = c[0] - a[0], wy = c[1] - a[1];
    double s = (wx * vy - wy * vx) / det, t = (wx * uy - wy * ux) / det;
    return fabs(det) > 1e-12 && s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0 ? s : -1.0;
}

static void square_corner(int i, double yaw, double x[2]) {
    double angle = yaw * PI / 180.0 + PI * (0.25 + 0.5 * i);
    x[0] = SCALE * sqrt(2.0) * cos(angle);
    x[1] = SCALE * sqrt(2.0) * sin(angle);
}

// crossings of the squares of both cubes, seen from above
static int list_crossings(double yaw, double at[16][2]) {
    int count = 0;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            double a[2], b[2], c[2], d[2];
            square_corner(i, 0.0, a);
            square_corner(i + 1, 0.0, b);
            square_corner(j, yaw, c);
            square_corner(j + 1, yaw, d);
            double s = crossing_parameter(a, b, c, d);
            if (s < 0.0) continue;
            for (int k = 0; k < 2; ++k) at[count][k] = a[k] + s * (b[k] - a[k]);
            ++count;
        }
    return count;
}

// edge contacts of the upper box, compared with the crossings
typedef struct edgeFindings {
    int found, stray; // crossings with a contact, contacts elsewhere
    double away, gap; // worst distance from a crossing, worst error of a distance
    double tilt;      // of a normal                                            [degrees]
    double min, max;
} edgeFindings;

static void add_finding(edgeFindings* f, const tacContacts* c, int i, double (*at)[2],
                        int crossings, double gap) {
    double away = INFINITY;
    for (int k = 0; k < crossings; ++k)
        away = fmin(away, hypot(c->point[0][i] - at[k][0], c->point[1][i] - at[k][1]));
    if (away > 0.01) {
        ++f->stray;
        return;
    }
    ++f->found;
    f->away = fmax(f->away, away);
    f->gap = fmax(f->gap, fabs(c->distance[i] - gap));
    f->tilt =
        fmax(f->tilt, atan2(hypot(c->normal[0][i], c->normal[1][i]), c->normal[2][i]) * 180.0 / PI);
    f->min = fmin(f->min, c->activity[i]);
    f->max = fmax(f->max, c->activity[i]);
}

static void report_edges(trial* t, contactScene* s, double yaw, double depth) {
    double at[16][2];
    int crossings = list_crossings(yaw, at);
    edgeFindings f = {.min = 1.0};
    contact_scene_set_pose(s, 0.0, 0.0, 2.0 - depth, yaw);
    if (contact_scene_detect(s) != TAC_OK) return;
    for (int i = 0; i < s->contacts->count; ++i)
        if (tac_manifold_kind(s->contacts->feature[i]) == TAC_MANIFOLD_EDGE_1 &&
            s->contacts->activity[i] > 1e-4)
            add_finding(&f, s->contacts, i, at, crossings, 2.0 - depth - 2.0 * SCALE);
    char id[80];
    snprintf(id, sizeof id, "turned by %g: pairs of edges at the crossings", yaw);
    trial_expect_near(t, id, f.found, "", crossings, 0.0);
    snprintf(id, sizeof id, "turned by %g: pairs above 1e-4 elsewhere", yaw);
    trial_expect_near(t, id, f.stray, "", 0.0, 0.0);
    snprintf(id, sizeof id, "turned by %g: worst distance, off the gap", yaw);
    trial_expect_at_most(t, id, f.gap, "m", 1e-3);
    snprintf(id, sizeof id, "turned by %g: worst normal, off the vertical", yaw);
    trial_expect_at_most(t, id, f.tilt, "deg", 1.0);
    snprintf(id, sizeof id, "turned by %g: least activity of a crossing", yaw);
    trial_report(t, id, f.min, "");
    snprintf(id, sizeof id, "turned by %g: largest activity", yaw);
    trial_expect_at_least(t, id, f.max, "", 0.2);
}

// the indicators of the paper over all 144 pairs; temperatures of the listing are in metres, ours
// in lengths of the edges
static const char reference_scene[] =
    "<mujoco><tactus detect='manifold' definition='reference' tau='.01' sign='.05' opposing='.05' "
    "edge_softmin='.02' tikhonov='2.7127e-5' min='2.7127e-4' clip='.01' inside='.01' gap='5.2e-5'/>"
    "<asset><shape name='cube' smooth='.001'><superquadric size='1 1 1' eps='.1 .1'/></shape>"
    "<mesh name='cube' vertex='%s' face='%s'/></asset><worldbody>"
    "<body><freejoint/><geom type='shape' shape='cube' mesh='cube' mass='1'/></body>"
    "<body><freejoint/><geom type='shape' shape='cube' mesh='cube' mass='1'/></body>"
    "</worldbody></mujoco>";

static void report_reference(trial* t, contactScene* s, double yaw) {
    double max = 0.0;
    int strong = 0, weak = 0, pairs = 0;
    contact_scene_set_pose(s, 0.0, 0.0, 1.85, yaw);
    if (contact_scene_detect(s) != TAC_OK) return;
    for (int i = 0; i < s->contacts->count; ++i) {
        double activity = s->contacts->activity[i];
        if (tac_manifold_kind(s->contacts->feature[i]) != TAC_MANIFOLD_EDGE_0) continue;
        max = fmax(max, activity);
        ++pairs;
        strong += activity > 0.3;
        weak += activity > 1e-4;
    }
    char id[80];
    snprintf(id, sizeof id, "published, turned by %g: pairs of edges", yaw);
    trial_expect_near(t, id, pairs, "", 144.0, 0.0);
    snprintf(id, sizeof id, "published, turned by %g: above 1e-4", yaw);
    trial_expect_near(t, id, weak, "", 8.0, 0.0);
    snprintf(id, sizeof id, "published, turned by %g: above 0.3", yaw);
    trial_report(t, id, strong, "");
    snprintf(id, sizeof id, "published, turned by %g: largest activity", yaw);
    trial_report(t, id, max, "");
}

//---------------------------------- vertices -------------------------------------

// 1 if a vertex of the upper cube at its pose is in the lower one
static int is_inside(const contactScene* s, const double x[3], double* depth) {
    double half = 2.0 * atan2(s->qpos[13], s->qpos[10]), c = cos(half), w = sin(half);
    double y[3] = {s->qpos[7] + c * x[0] - w * x[1], s->qpos[8] + w * x[0] + c * x[1],
                   s->qpos[9] + x[2]};
    *depth = fmin(1.0 - fabs(y[0]), fmin(1.0 - fabs(y[1]), 1.0 - fabs(y[2])));
    return *depth > 0.0;
}

static void report_vertices(trial* t, contactScene* s, const cubeText* cube) {
    int agree = 0, inside = 0;
    double min = 1.0, max = 0.0;
    contact_scene_set_pose(s, 0.1, 0.05, 1.9, 30.0);
    if (contact_scene_detect(s) != TAC_OK) return;
    const tacContacts* c = s->contacts;
    for (int v = 0; v < cube->count; ++v) {
        double depth, activity = 0.0, x[3];
        // the features of the cube have an order of their own
        const tacFeatures* features = &s->model->contact->feature[1];
        for (int k = 0; k < 3; ++k) x[k] = features->x[k][v];
        int in = is_inside(s, x, &depth);
        for (int i = 0; i < c->count; ++i) {
            if (tac_manifold_kind(c->feature[i]) != TAC_MANIFOLD_VERTEX_1 ||
                tac_manifold_first(c->feature[i]) != v)
                continue;
            activity = c->activity[i];
            // 0.1 below the upper face and far from the others
            if (fabs(depth - 0.1) < 1e-9 && activity > 0.5) {
                min = fmin(min, -c->distance[i]);
                max = fmax(max, -c->distance[i]);
            }
        }
        inside += in;
        agree += in == (activity > 0.5);
    }
    trial_expect_near(t, "vertices active as they are inside, of 98", agree, "", cube->count, 0.0);
    trial_expect_near(t, "vertices inside", inside, "", 16.0, 0.0);
    trial_report(t, "depth of those under the face, least (true: 0.1)", min, "m");
    trial_expect_near(t, "depth of those under the face, most (true: 0.1)", max, "m", 0.107, 0.005);
}

//---------------------------------- experiment -----------------------------------

// contacts of the upper box alone, with normals by activity and of one length
static int draw_contacts(trial* t, contactScene* edges, contactScene* vertices) {
    trialPanels panels;
    int code = trial_panels_begin(t, &panels, 2, 2, 320, 260);
    for (int i = 0; i < 2 && code == 0; ++i) {
        contact_scene_set_pose(edges, 0.0, 0.0, 1.85, 30.0);
        contact_scene_set_pose(vertices, 0.1, 0.05, 1.9, 30.0);
        code = contact_scene_draw(&panels, i, edges, i == 0,
                                  i ? "edges, all alike" : "edges by activity");
        if (code == 0)
            code = contact_scene_draw(&panels, 2 + i, vertices, i == 0,
                                      i ? "vertices, all alike" : "vertices by activity");
    }
    return trial_panels_end(&panels, code, "contacts");
}

int experiment_box_manifold(trial* t) {
    static const double yaw[] = {45.0, 30.0, 10.0};
    static cubeText coarse, fine;
    contactScene edges, vertices = {0}, paper = {0};
    make_cube(&coarse, 1, SCALE);
    make_cube(&fine, 4, 1.0);
    int code = contact_scene_open(&edges, scene, "", coarse.vertex, coarse.face);
    if (code == 0)
        code = contact_scene_open(&vertices, scene, "sides='second'", fine.vertex, fine.face);
    if (code == 0) code = contact_scene_open(&paper, reference_scene, coarse.vertex, coarse.face);
    for (int i = 0; i < TAC_COUNT(yaw) && code == 0; ++i) report_edges(t, &edges, yaw[i], 0.15);
    for (int i = 0; i < TAC_COUNT(yaw) && code == 0; ++i) report_reference(t, &paper, yaw[i]);
    if (code == 0) report_vertices(t, &vertices, &fine);
    if (code == 0) code = draw_contacts(t, &edges, &vertices);
    contact_scene_close(&edges);
    contact_scene_close(&vertices);
    contact_scene_close(&paper);
    return code;
}
