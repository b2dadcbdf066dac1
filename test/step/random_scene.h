// Random scenes: a seed becomes the text of an MJCF scene, the same on every machine. Bodies of all
// kinds are thrown, slide, stand in stacks, fall in heaps, hang in chains, are pressed by actuators
// or fly at walls. Nothing overlaps at the start. Key 0 holds velocities and controls.

#ifndef TAC_STEP_RANDOM_SCENE_H
#define TAC_STEP_RANDOM_SCENE_H

#include "test.h"

#include <stdarg.h>

enum { RANDOM_TEXT = 24000, RANDOM_BODIES = 8, RANDOM_WALLS = 2, RANDOM_NUMBERS = 100 };

typedef enum randomSolid {
    SOLID_SPHERE = 1,
    SOLID_BOX = 2,
    SOLID_MESH = 4,
    SOLID_CAPSULE = 8,
    SOLID_CYLINDER = 16,
    SOLID_ELLIPSOID = 32,
    SOLID_SUPERQUADRIC = 64,
    SOLIDS_FLAT = SOLID_SPHERE | SOLID_BOX | SOLID_MESH,
    SOLIDS_ALL = 127
} randomSolid;

typedef enum randomKind {
    KIND_THROW,
    KIND_SLIDE,
    KIND_STACK,
    KIND_HEAP,
    KIND_CHAIN,
    KIND_PRESS,
    KIND_WALL,
    KIND_PLANAR,
    KIND_COUNT
} randomKind;

static const char* const random_kind_name[KIND_COUNT] = {"throw", "slide", "stack", "heap",
                                                         "chain", "press", "wall",  "planar"};

// A pair of detector and responder. `integrator` NULL: Euler or implicitfast, drawn.
typedef struct randomFamily {
    const char *name, *detect, *respond, *integrator;
    unsigned solids; // sum of randomSolid
    unsigned rare;   // those that take long to load
    int planar;      // 1: some scenes are planar
    int hard;        // 1: impulses, restitution is drawn
} randomFamily;

static const randomFamily random_families[] = {
    {"manifold_spring", "manifold", "spring", NULL, SOLIDS_ALL, SOLID_SUPERQUADRIC, 0, 0},
    {"edge_sdf_spring", "edge_sdf", "spring", NULL, SOLIDS_ALL, SOLID_SUPERQUADRIC, 0, 0},
    {"ssdf_scm", "ssdf", "scm", NULL, SOLIDS_ALL, SOLID_SUPERQUADRIC, 0, 0},
    {"ssdf_spring", "ssdf", "spring", NULL, SOLIDS_ALL, SOLID_SUPERQUADRIC, 0, 0},
    {"sat_spring", "sat", "spring", NULL, SOLIDS_FLAT, 0, 1, 0},
    {"sat_elastoplastic", "sat", "elastoplastic", NULL, SOLIDS_FLAT, 0, 1, 0},
    {"convex_spring", "convex", "spring", NULL, SOLIDS_FLAT, 0, 1, 0},
    {"convex_elastoplastic", "convex", "elastoplastic", NULL, SOLIDS_FLAT, 0, 1, 0},
    {"gjk_spring", "gjk", "spring", NULL, SOLIDS_ALL, 0, 0, 0},
    {"gjk_elastoplastic", "gjk", "elastoplastic", NULL, SOLIDS_ALL, 0, 0, 0},
    {"gjk_lcp", "gjk", "lcp", NULL, SOLIDS_ALL, 0, 0, 1},
    {"manifold_spring_rk4", "manifold", "spring", "RK4", SOLIDS_ALL, SOLID_SUPERQUADRIC, 0, 0},
    {"ssdf_scm_rk4", "ssdf", "scm", "RK4", SOLIDS_ALL, SOLID_SUPERQUADRIC, 0, 0},
    {"sat_elastoplastic_rk4", "sat", "elastoplastic", "RK4", SOLIDS_FLAT, 0, 1, 0},
    {"gjk_spring_rk4", "gjk", "spring", "RK4", SOLIDS_ALL, 0, 0, 0},
};

enum { RANDOM_FAMILIES = sizeof random_families / sizeof random_families[0] };

typedef struct randomWall {
    double pos[3], quat[4], half[3];
} randomWall;

typedef struct randomScene {
    char text[RANDOM_TEXT];
    randomKind kind;
    double timestep, smallest; // [s], least radius of a body [m]
    double ground[3], up[3];   // a point of the floor and its normal
    int nwall;
    randomWall wall[RANDOM_WALLS];
} randomScene;

//---------------------------------- drawing ----------------------------------

// what is being written
typedef struct randomSpec {
    testRandom random;
    const randomFamily* family;
    randomScene* out;
    char asset[6000], world[12000], act[1000], qvel[2000], ctrl[200];
    double scale;                                 // radius that bodies have about [m]
    double shift[3];                              // of the whole scene [m]
    double ball[RANDOM_BODIES + RANDOM_WALLS][4]; // balls around what stands already
    int nball, nasset, njoint;
} randomSpec;

static inline void spec_add(char* text, size_t size, const char* format, ...) {
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

#define SPEC_ADD(text, ...) spec_add(text, sizeof(text), __VA_ARGS__)

static inline double spec_log(randomSpec* d, double low, double high) {
    return exp(test_uniform(&d->random, log(low), log(high)));
}

static inline int spec_pick(randomSpec* d, int count) {
    return (int)test_uniform(&d->random, 0.0, (double)count);
}

static inline int spec_chance(randomSpec* d, double p) {
    return test_uniform(&d->random, 0.0, 1.0) < p;
}

// uniform on the sphere of n dimensions
static inline void spec_direction(randomSpec* d, int n, double* out) {
    double norm;
    do {
        norm = 0.0;
        for (int i = 0; i < n; ++i) {
            out[i] = test_uniform(&d->random, -1.0, 1.0);
            norm += out[i] * out[i];
        }
    } while (norm > 1.0 || norm < 1e-4);
    for (int i = 0; i < n; ++i) out[i] /= sqrt(norm);
}

static inline void spec_velocity(randomSpec* d, double v) { SPEC_ADD(d->qvel, " %.6g", v); }

// velocity of a free joint: up to `speed` and `spin`
static inline void spec_throw(randomSpec* d, double speed, double spin) {
    double n[3];
    spec_direction(d, 3, n);
    speed *= test_uniform(&d->random, 0.0, 1.0);
    for (int i = 0; i < 3; ++i) spec_velocity(d, speed * n[i]);
    spec_direction(d, 3, n);
    spin *= test_uniform(&d->random, 0.0, 1.0);
    for (int i = 0; i < 3; ++i) spec_velocity(d, spin * n[i]);
}

//---------------------------------- solids ----------------------------------

// a geom about the origin of its body
typedef struct specGeom {
    char text[600];
    double half[3]; // of the box around it
    double ball;    // radius of the ball around it
    double mass;    // at least about this
} specGeom;

static inline void spec_mesh(randomSpec* d, const double* half) {
    int pairs = 4 + spec_pick(d, 4);
    SPEC_ADD(d->asset, "<mesh name='m%d' vertex='", d->nasset);
    for (int i = 0; i < 2 * pairs; i += 2) {
        double n[3];
        spec_direction(d, 3, n);
        // the first six span the box, so that none is flat
        if (i < 6)
            for (int k = 0; k < 3; ++k) n[k] = (k == i / 2) ? 1.0 : 0.3 * n[k];
        for (int k = 0; k < 6; ++k)
            SPEC_ADD(d->asset, " %.6g", (k < 3 ? 1.0 : -1.0) * n[k % 3] * half[k % 3]);
    }
    SPEC_ADD(d->asset, "'/>");
}

static inline double beta_function(double x, double y) {
    return tgamma(x) * tgamma(y) / tgamma(x + y);
}

// Mass and moments of inertia of a superquadric in closed form (Jaklic, Leonardis, Solina): a scene
// of many need not integrate each.
static inline void spec_superquadric(randomSpec* d, specGeom* g, double density) {
    double a = g->half[0], b = g->half[1], c = g->half[2];
    double e = floor(test_uniform(&d->random, 300.0, 1200.0)) / 1000.0;
    double f = floor(test_uniform(&d->random, 300.0, 1200.0)) / 1000.0;
    double part = 0.5 * density * a * b * c * e * f;
    double mass =
        8.0 * part * beta_function(0.5 * e + 1.0, e) * beta_function(0.5 * f, 0.5 * f + 1.0);
    double flat = beta_function(1.5 * f, 0.5 * f) * beta_function(0.5 * e, 2.0 * e + 1.0);
    double tall = 4.0 * beta_function(0.5 * f, 0.5 * f + 1.0) * beta_function(1.5 * e, e + 1.0);
    SPEC_ADD(d->asset,
             "<shape name='s%d'><superquadric size='%.6g %.6g %.6g' eps='%.3f %.3f'/></shape>",
             d->nasset, a, b, c, e, f);
    SPEC_ADD(g->text,
             " shape='s%d'/><inertial pos='0 0 0' mass='%.9g' diaginertia='%.9g %.9g %.9g'/>",
             d->nasset++, mass, part * (b * b * flat + c * c * tall),
             part * (a * a * flat + c * c * tall), part * (a * a + b * b) * flat);
}

// A solid of about the radius r. `level`: one that stands on the floor in its own axes.
static inline specGeom spec_geom(randomSpec* d, double r, int level) {
    static const char* const word[] = {"sphere",   "box",       "mesh", "capsule",
                                       "cylinder", "ellipsoid", "shape"};
    int solid;
    do solid = spec_pick(d, 7);
    while (!(d->family->solids >> solid & 1) || (level && (solid == 2 || solid == 3)) ||
           (d->family->rare >> solid & 1 && spec_chance(d, 0.85)));
    specGeom g = {.text = ""};
    for (int k = 0; k < 3; ++k) g.half[k] = r * test_uniform(&d->random, 0.3, 1.0);
    double density = spec_log(d, 100.0, 8000.0);
    double friction = test_uniform(&d->random, 0.0, 1.5);
    if (solid == 0) g.half[0] = g.half[1] = g.half[2] = r;
    if (solid == 3 || solid == 4) g.half[1] = g.half[0];
    if (solid == 3) g.half[2] += g.half[0];
    SPEC_ADD(g.text, "<geom type='%s' density='%.4g' friction='%.6f'", word[solid], density,
             friction);
    g.ball = sqrt(g.half[0] * g.half[0] + g.half[1] * g.half[1] + g.half[2] * g.half[2]);
    if (solid == 0 || solid == 5) g.ball = fmax(g.half[0], fmax(g.half[1], g.half[2]));
    if (solid == 3) g.ball = g.half[2];
    if (solid == 2) {
        spec_mesh(d, g.half);
        SPEC_ADD(g.text, " mesh='m%d'/>", d->nasset++);
    } else if (solid == 6) {
        spec_superquadric(d, &g, density);
    } else if (solid == 3 || solid == 4) {
        SPEC_ADD(g.text, " size='%.6g %.6g'/>", g.half[0],
                 g.half[2] - (solid == 3 ? g.half[0] : 0.0));
    } else {
        SPEC_ADD(g.text, " size='%.6g %.6g %.6g'/>", g.half[0], g.half[1], g.half[2]);
    }
    g.mass = 4.0 * density * g.half[0] * g.half[1] * g.half[2];
    double least = fmin(g.half[0], fmin(g.half[1], g.half[2]));
    d->out->smallest = fmin(d->out->smallest, least);
    return g;
}

static inline double spec_radius(randomSpec* d) {
    return fmin(fmax(d->scale * spec_log(d, 0.5, 2.0), 0.005), 0.5);
}

//---------------------------------- places ----------------------------------

static inline int spec_is_free(const randomSpec* d, const double* pos, double r) {
    for (int i = 0; i < d->nball; ++i) {
        double away = 0.0;
        for (int k = 0; k < 3; ++k) away += pow(pos[k] - d->ball[i][k], 2.0);
        if (sqrt(away) < 1.001 * (r + d->ball[i][3])) return 0;
    }
    return 1;
}

static inline void spec_occupy(randomSpec* d, const double* pos, double r) {
    double* ball = d->ball[d->nball++];
    for (int k = 0; k < 3; ++k) ball[k] = pos[k];
    ball[3] = r;
}

// a free place above the floor for a ball, within `wide` of the middle
static inline void spec_place(randomSpec* d, double r, double wide, double* pos) {
    double height = r * (1.0 + spec_log(d, 1e-3, 2.0));
    for (int i = 0;; ++i) {
        pos[0] = test_uniform(&d->random, -wide, wide);
        pos[1] = d->out->kind == KIND_PLANAR ? 0.0 : test_uniform(&d->random, -wide, wide);
        pos[2] = height;
        if (spec_is_free(d, pos, r)) break;
        if (i > 10) height += 0.3 * r;
    }
    spec_occupy(d, pos, r);
}

static inline void spec_open_body(randomSpec* d, const double* pos, const double* quat) {
    static const double level[4] = {1.0, 0.0, 0.0, 0.0};
    const double *s = d->shift, *q = quat ? quat : level;
    SPEC_ADD(d->world, "<body pos='%.13g %.13g %.13g' quat='%.9g %.9g %.9g %.9g'>", pos[0] + s[0],
             pos[1] + s[1], pos[2] + s[2], q[0], q[1], q[2], q[3]);
}

static inline void spec_free_body(randomSpec* d, const specGeom* g, const double* pos,
                                  const double* quat) {
    spec_open_body(d, pos, quat);
    SPEC_ADD(d->world, "<freejoint/>%s</body>\n", g->text);
}

//---------------------------------- kinds of scenes ----------------------------------

static inline void spec_throws(randomSpec* d, int count, double wide, double speed) {
    for (int i = 0; i < count; ++i) {
        double pos[3], quat[4];
        specGeom g = spec_geom(d, spec_radius(d), 0);
        spec_place(d, g.ball, wide, pos);
        spec_direction(d, 4, quat);
        spec_free_body(d, &g, pos, quat);
        spec_throw(d, speed, 20.0);
    }
}

static inline void spec_slides(randomSpec* d) {
    int count = 1 + spec_pick(d, 3);
    for (int i = 0; i < count; ++i) {
        double pos[3], angle = test_uniform(&d->random, -3.0, 3.0);
        double quat[4] = {cos(angle), 0.0, 0.0, sin(angle)};
        specGeom g = spec_geom(d, spec_radius(d), 1);
        for (int k = 0; k < 2; ++k) pos[k] = d->scale * test_uniform(&d->random, -3.0, 3.0);
        pos[2] = g.half[2] * (1.0 + spec_log(d, 1e-4, 1e-2));
        while (!spec_is_free(d, pos, g.ball)) pos[0] += 0.5 * g.ball;
        spec_occupy(d, pos, g.ball);
        spec_free_body(d, &g, pos, quat);
        double n[3];
        spec_direction(d, 2, n);
        double speed = test_uniform(&d->random, 0.0, 5.0);
        for (int k = 0; k < 2; ++k) spec_velocity(d, speed * n[k]);
        for (int k = 0; k < 3; ++k) spec_velocity(d, 0.0);
        spec_velocity(d, test_uniform(&d->random, -20.0, 20.0));
    }
}

static inline void spec_stack(randomSpec* d) {
    int count = 2 + spec_pick(d, 4);
    double top = 0.0, gap = spec_log(d, 1e-5, 1e-2);
    double fast = spec_chance(d, 0.5) ? 0.3 : 0.0;
    for (int i = 0; i < count; ++i) {
        specGeom g = spec_geom(d, spec_radius(d), 1);
        double off = 0.2 * g.half[0], pos[3] = {0.0, 0.0, top + g.half[2] * (1.0 + gap)};
        for (int k = 0; k < 2; ++k) pos[k] = test_uniform(&d->random, -off, off);
        double angle = test_uniform(&d->random, -3.0, 3.0);
        double quat[4] = {cos(angle), 0.0, 0.0, sin(angle)};
        top = pos[2] + g.half[2];
        spec_free_body(d, &g, pos, quat);
        spec_throw(d, fast, fast);
    }
}

static inline void spec_heap(randomSpec* d) {
    spec_throws(d, 4 + spec_pick(d, 3), d->scale, spec_chance(d, 0.5) ? 1.0 : 3.0);
}

// a joint half way to the parent, at `back` of the body's origin
static inline void spec_joint(randomSpec* d, const double* back, double length) {
    static const char* const word[] = {"hinge", "slide", "ball"};
    int kind = spec_pick(d, 8) % 3, nv = kind == 2 ? 3 : 1; // hinges more often
    double axis[3];
    spec_direction(d, 3, axis);
    SPEC_ADD(d->world, "<joint name='j%d' type='%s' pos='%.9g %.9g %.9g'", d->njoint++, word[kind],
             back[0], back[1], back[2]);
    if (kind < 2) SPEC_ADD(d->world, " axis='%.4f %.4f %.4f'", axis[0], axis[1], axis[2]);
    if (kind == 0 && spec_chance(d, 0.3)) SPEC_ADD(d->world, " range='-40 50'");
    if (kind == 1) SPEC_ADD(d->world, " range='%.4g %.4g'", -0.3 * length, 0.3 * length);
    SPEC_ADD(d->world, "/>");
    for (int k = 0; k < nv; ++k)
        spec_velocity(d, test_uniform(&d->random, -1.0, 1.0) *
                             (kind == 1 ? 1.0 : fmin(20.0, 2.0 / length)));
}

// Links in a line, each joined to the one before; the first to the world or free. Neighbours may
// overlap as they move, others collide.
static inline void spec_chain(randomSpec* d) {
    int count = 2 + spec_pick(d, 3), floating = spec_chance(d, 0.5);
    specGeom g[4];
    double length = 0.0, line[3], pos[3], quat[4], before = 0.0;
    for (int i = 0; i < count; ++i) {
        g[i] = spec_geom(d, spec_radius(d), 0);
        length += 2.0 * g[i].ball;
    }
    spec_direction(d, 3, line);
    spec_direction(d, 4, quat);
    spec_place(d, length, d->scale, pos);
    for (int i = 0; i < count; ++i) {
        double back[3], step[3];
        for (int k = 0; k < 3; ++k) {
            back[k] = -1.05 * g[i].ball * line[k];
            step[k] = 1.05 * (g[i].ball + before) * line[k];
        }
        before = g[i].ball;
        if (i == 0)
            spec_open_body(d, pos, quat);
        else
            SPEC_ADD(d->world, "<body pos='%.9g %.9g %.9g'>", step[0], step[1], step[2]);
        if (i == 0 && floating) {
            SPEC_ADD(d->world, "<freejoint/>");
            spec_throw(d, 3.0, fmin(20.0, 2.0 / length));
        } else {
            spec_joint(d, back, length);
        }
        SPEC_ADD(d->world, "%s", g[i].text);
    }
    for (int i = 0; i < count; ++i) SPEC_ADD(d->world, "</body>");
    SPEC_ADD(d->world, "\n");
    if (spec_chance(d, 0.5)) spec_throws(d, 1, 2.0 * d->scale, 3.0);
}

// a solid on the floor and a ram above it, which a motor or a servo pushes down
static inline void spec_press(randomSpec* d) {
    specGeom g = spec_geom(d, spec_radius(d), 1);
    specGeom ram = spec_geom(d, spec_radius(d), 1);
    double gap = spec_log(d, 1e-4, 0.3) * d->scale, pos[3] = {0.0, 0.0, g.half[2] * 1.001};
    spec_free_body(d, &g, pos, NULL);
    spec_throw(d, 0.0, 0.0);
    // most rams are tilted and off the middle; a level one has faces that stay parallel
    double tilt[2];
    int level = spec_chance(d, 0.15);
    double turn = test_uniform(&d->random, -3.0, 3.0);
    spec_direction(d, 2, tilt);
    double slope = level ? 0.0 : spec_log(d, 1e-3, 0.05);
    double quat[4] = {cos(turn), slope * tilt[0], slope * tilt[1], sin(turn)};
    for (int k = 0; k < 2; ++k) pos[k] = level ? 0.0 : 0.1 * g.half[k] * tilt[1 - k];
    pos[2] = 2.002 * g.half[2] + gap + ram.half[2] + 2.2 * slope * (ram.half[0] + ram.half[1]);
    spec_open_body(d, pos, level ? NULL : quat);
    SPEC_ADD(d->world, "<joint name='ram' type='slide' axis='0 0 1' damping='%.4g'/>%s</body>\n",
             spec_chance(d, 0.5) ? 0.0 : spec_log(d, 0.01, 1.0), ram.text);
    spec_velocity(d, 0.0);
    // the weight of about the bodies' own size at 1000 kg/m3
    double weight = 9.81 * 1000.0 * 4.0 * pow(d->scale, 3.0);
    if (spec_chance(d, 0.5)) {
        SPEC_ADD(d->act, "<motor joint='ram'/>");
        SPEC_ADD(d->ctrl, " %.4g", -weight * spec_log(d, 0.1, 10.0));
    } else {
        // Euler's step lets the energy of a spring swing by h/2 sqrt(kp/m)
        double most = ram.mass * pow(0.01 / d->out->timestep, 2.0);
        double kp = fmin(weight * spec_log(d, 0.1, 10.0) / d->scale, most);
        SPEC_ADD(d->act, "<position joint='ram' kp='%.4g'/>", kp);
        SPEC_ADD(d->ctrl, " %.4g", -gap - 0.5 * d->scale);
    }
}

// one or two fixed boxes, at least 0.1 m thick, and bodies that fly at them
static inline void spec_walls(randomSpec* d) {
    randomScene* out = d->out;
    out->nwall = 1 + spec_pick(d, RANDOM_WALLS);
    for (int i = 0; i < out->nwall; ++i) {
        randomWall* w = &out->wall[i];
        double r = 0.0;
        for (int k = 0; k < 3; ++k) {
            w->half[k] = fmax(0.05, d->scale * test_uniform(&d->random, 0.5, 2.0));
            r += w->half[k] * w->half[k];
        }
        spec_direction(d, 4, w->quat);
        spec_place(d, sqrt(r), 2.0 * d->scale + 0.1, w->pos);
        for (int k = 0; k < 3; ++k) w->pos[k] += d->shift[k];
        SPEC_ADD(d->world,
                 "<geom type='box' pos='%.13g %.13g %.13g' quat='%.9g %.9g %.9g %.9g' size='%.6g "
                 "%.6g %.6g' friction='%.6f'/>\n",
                 w->pos[0], w->pos[1], w->pos[2], w->quat[0], w->quat[1], w->quat[2], w->quat[3],
                 w->half[0], w->half[1], w->half[2], test_uniform(&d->random, 0.0, 1.5));
    }
    int count = 1 + spec_pick(d, 3);
    for (int i = 0; i < count; ++i) {
        double pos[3], quat[4], n[3], to = 0.0;
        const double* wall = d->ball[spec_pick(d, out->nwall)];
        specGeom g = spec_geom(d, spec_radius(d), 0);
        spec_place(d, g.ball, 3.0 * d->scale + 0.3, pos);
        spec_direction(d, 4, quat);
        spec_free_body(d, &g, pos, quat);
        for (int k = 0; k < 3; ++k) {
            n[k] = wall[k] - pos[k];
            to += n[k] * n[k];
        }
        double speed = test_uniform(&d->random, 0.5, 5.0) / sqrt(to);
        for (int k = 0; k < 3; ++k) spec_velocity(d, speed * n[k]);
        for (int k = 0; k < 3; ++k) spec_velocity(d, test_uniform(&d->random, -10.0, 10.0));
    }
}

// circles, rectangles and polygons above a half-plane; y is up
static inline void spec_planar(randomSpec* d) {
    int count = 1 + spec_pick(d, 4);
    for (int i = 0; i < count; ++i) {
        double r = spec_radius(d), pos[3], density = spec_log(d, 100.0, 8000.0);
        double turn = test_uniform(&d->random, 0.0, 360.0);
        int sides = spec_pick(d, 4);
        spec_place(d, 1.42 * r, 2.0 * d->scale, pos);
        const double* s = d->shift;
        SPEC_ADD(d->world,
                 "<body pos='%.13g %.13g 0' euler='0 0 %.6g'><joint type='planar'/><geom ",
                 pos[0] + s[0], pos[2] + s[1], turn);
        if (sides == 0) {
            SPEC_ADD(d->world, "type='circle' size='%.6g'", r);
        } else if (sides == 1) {
            SPEC_ADD(d->world, "type='rectangle' size='%.6g %.6g'", r, 0.5 * r);
        } else {
            SPEC_ADD(d->world, "type='polygon' points='");
            for (int k = 0; k < sides + 1; ++k)
                SPEC_ADD(d->world, " %.6g %.6g", r * cos(2.0 * 3.14159265358979 * k / (sides + 1)),
                         r * sin(2.0 * 3.14159265358979 * k / (sides + 1)));
            SPEC_ADD(d->world, "'");
        }
        SPEC_ADD(d->world, " density='%.4g' friction='%.6f'/></body>\n", density,
                 test_uniform(&d->random, 0.0, 1.5));
        d->out->smallest = fmin(d->out->smallest, 0.5 * r);
        double n[2], speed = test_uniform(&d->random, 0.0, 5.0);
        spec_direction(d, 2, n);
        for (int k = 0; k < 2; ++k) spec_velocity(d, speed * n[k]);
        spec_velocity(d, test_uniform(&d->random, -20.0, 20.0));
    }
}

//---------------------------------- the scene ----------------------------------

// the floor through the shift; y is up in planar scenes
static inline void spec_floor(randomSpec* d) {
    randomScene* out = d->out;
    int planar = out->kind == KIND_PLANAR;
    for (int k = 0; k < 3; ++k) {
        out->ground[k] = d->shift[k];
        out->up[k] = k == (planar ? 1 : 2);
    }
    SPEC_ADD(d->world, "<geom type='%s' size='5 5 .1' pos='%.13g %.13g %.13g' friction='%.6f'/>\n",
             planar ? "halfplane" : "plane", d->shift[0], d->shift[1], planar ? 0.0 : d->shift[2],
             test_uniform(&d->random, 0.0, 1.5));
}

static inline void spec_bodies(randomSpec* d) {
    switch (d->out->kind) {
    case KIND_THROW:
        spec_throws(d, 1 + spec_pick(d, 4), 2.0 * d->scale, 5.0);
        break;
    case KIND_SLIDE:
        spec_slides(d);
        break;
    case KIND_STACK:
        spec_stack(d);
        break;
    case KIND_HEAP:
        spec_heap(d);
        break;
    case KIND_CHAIN:
        spec_chain(d);
        break;
    case KIND_PRESS:
        spec_press(d);
        break;
    case KIND_WALL:
        spec_walls(d);
        break;
    default:
        spec_planar(d);
        break;
    }
}

// the scene of a seed
static inline void random_scene(const randomFamily* family, unsigned long long seed,
                                randomScene* out) {
    static const char* const integrator[] = {"Euler", "Euler", "implicitfast"};
    randomSpec d = {.family = family, .out = out};
    d.random.state = (seed + 1) * 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < 4; ++i) test_bits(&d.random);
    *out = (randomScene){.smallest = 1.0};
    out->kind = (randomKind)spec_pick(&d, KIND_PLANAR);
    if (spec_chance(&d, 0.15) && family->planar) out->kind = KIND_PLANAR;
    out->timestep = spec_log(&d, 5e-4, 5e-3);
    d.scale = spec_log(&d, 0.005, 0.5);
    if (spec_chance(&d, 0.3))
        for (int k = 0; k < 3; ++k)
            d.shift[k] = (spec_chance(&d, 0.5) ? 1.0 : -1.0) * spec_log(&d, 0.5, 100.0);
    if (out->kind == KIND_PLANAR) d.shift[2] = 0.0;
    const char* step = integrator[spec_pick(&d, 3)];
    double bounce = spec_chance(&d, 0.5) ? test_uniform(&d.random, 0.0, 1.0) : 0.0;
    spec_floor(&d);
    spec_bodies(&d);
    char* text = out->text;
    spec_add(text, RANDOM_TEXT, "<mujoco model='%s_%llu_%s'>\n<tactus detect='%s' respond='%s'",
             family->name, seed, random_kind_name[out->kind], family->detect, family->respond);
    if (family->hard && bounce > 0.0) spec_add(text, RANDOM_TEXT, " restitution='%.4f'", bounce);
    spec_add(text, RANDOM_TEXT, "/>\n<option timestep='%.6g' integrator='%s'", out->timestep,
             family->integrator ? family->integrator : step);
    if (out->kind == KIND_PLANAR) spec_add(text, RANDOM_TEXT, " gravity='0 -9.81 0'");
    spec_add(text, RANDOM_TEXT, "/>\n<asset>%s</asset>\n<worldbody>\n%s</worldbody>\n", d.asset,
             d.world);
    if (d.act[0]) spec_add(text, RANDOM_TEXT, "<actuator>%s</actuator>\n", d.act);
    spec_add(text, RANDOM_TEXT, "<keyframe><key name='start' qvel='%s'", d.qvel);
    if (d.ctrl[0]) spec_add(text, RANDOM_TEXT, " ctrl='%s'", d.ctrl);
    spec_add(text, RANDOM_TEXT, "/></keyframe>\n</mujoco>\n");
}

#endif
