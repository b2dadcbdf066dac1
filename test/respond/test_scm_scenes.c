// Random scenes of the soft-minimum contact model with default numbers: bodies of 1 cm to 1 m and
// 1 g to 1000 kg that rest, stand on each other and fall.

#include "test.h"

#include "tactus/tactus.h"

#include <stdarg.h>
#include <stdlib.h>

typedef struct sceneText {
    char text[6000];
    size_t used;
    double size, mass; // of the smaller body
    double place;      // height of its middle when it touches what is below
} sceneText;

static void append(sceneText* s, const char* format, ...) __attribute__((format(printf, 2, 3)));

static void append(sceneText* s, const char* format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(s->text + s->used, sizeof s->text - s->used, format, list);
    va_end(list);
    if (n > 0) s->used += (size_t)n;
}

static double log_uniform(testRandom* random, double low, double high) {
    return low * pow(high / low, test_uniform(random, 0.0, 1.0));
}

static int pick(testRandom* random, int count) {
    int i = (int)test_uniform(random, 0.0, count);
    return i < count ? i : count - 1;
}

// TACTUS_SEED shifts all seeds
static testRandom seeded(int i, unsigned family) {
    unsigned long long seed = getenv("TACTUS_SEED") ? strtoull(getenv("TACTUS_SEED"), NULL, 10) : 0;
    testRandom random = {((unsigned long long)i + 1 + 1000 * seed) * 0x9e3779b97f4a7c15ull +
                         family};
    test_bits(&random);
    return random;
}

//---------------------------------- bodies ---------------------------------------

enum { BOX, BALL, CAPSULE, ROLLER, DISC, ELLIPSOID, MESH_BOX, MESH_WEDGE, KINDS };

// a geom that stands or lies as it would at rest; its height above the floor
static double write_geom(sceneText* s, testRandom* random, int kind, double r, double mass) {
    double a = r * test_uniform(random, 0.5, 1.0), b = r * test_uniform(random, 0.4, 1.0),
           turn = test_uniform(random, -180.0, 180.0);
    char end[80];
    snprintf(end, sizeof end, "mass='%g'/>", mass);
    switch (kind) {
    case BALL:
        append(s, "<geom type='sphere' euler='%g %g 7' size='%g' %s", turn, 0.3 * turn, r, end);
        return r;
    case CAPSULE:
        append(s, "<geom type='capsule' euler='90 0 %g' size='%g %g' %s", turn, 0.5 * a, b, end);
        return 0.5 * a;
    case ROLLER:
        append(s, "<geom type='cylinder' euler='90 0 %g' size='%g %g' %s", turn, a, b, end);
        return a;
    case DISC:
        append(s, "<geom type='cylinder' euler='0 0 %g' size='%g %g' %s", turn, r, 0.5 * b, end);
        return 0.5 * b;
    case ELLIPSOID:
        append(s, "<geom type='ellipsoid' euler='0 0 %g' size='%g %g %g' %s", turn, r, 0.8 * r,
               0.5 * b, end);
        return 0.5 * b;
    case MESH_BOX:
        append(s, "<geom type='mesh' mesh='box' euler='0 0 %g' %s", turn, end);
        return 1.0;
    case MESH_WEDGE:
        append(s, "<geom type='mesh' mesh='wedge' euler='0 0 %g' %s", turn, end);
        return 1.0;
    default:
        append(s, "<geom type='box' euler='0 0 %g' size='%g %g %g' %s", turn, r, a, b, end);
        return b;
    }
}

// meshes of 12 and 8 triangles; heights that geoms have over their lowest vertex are 1 r
static void write_assets(sceneText* s, double r) {
    append(s,
           "<asset><mesh name='box' scale='%g %g %g' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 "
           "-1 1 1 -1 1 -1 1 1 1 1 1' face='0 3 1 0 2 3 4 5 7 4 7 6 0 1 5 0 5 4 2 7 3 2 6 7 0 6 "
           "2 0 4 6 1 3 7 1 7 5'/>",
           0.9 * r, 0.6 * r, r);
    append(s,
           "<mesh name='wedge' scale='%g %g %g' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 "
           "-1 1 1' face='0 3 1 0 2 3 0 1 4 2 5 3 1 3 5 1 5 4 0 4 5 0 5 2'/></asset>",
           r, 0.8 * r, r);
}

static void begin_scene(sceneText* s, double r) {
    *s = (sceneText){.size = r};
    append(s, "<mujoco><compiler inertiafromgeom='true'/><tactus respond='scm'/>");
    write_assets(s, r);
    append(s, "<worldbody>");
}

// the height of a mesh's body is that of its file's frame, whose lowest vertex is at -r
static double height_of(int kind, double height, double r) {
    return kind == MESH_BOX || kind == MESH_WEDGE ? r : height;
}

static void write_body(sceneText* s, testRandom* random, int kind, const double at[3]) {
    sceneText geom = {.size = s->size};
    double height = height_of(kind, write_geom(&geom, random, kind, s->size, s->mass), s->size);
    append(s, "<body pos='%g %g %.10g'><freejoint/>%s</body>", at[0], at[1], at[2] + height,
           geom.text);
    s->place = at[2] + height;
}

//---------------------------------- runs -----------------------------------------

typedef struct sceneRun {
    tacModel* model;
    tacScratch* scratch;
    double q[16], v[16];
    tacState x;
} sceneRun;

static int open_scene(sceneRun* r, sceneText* s) {
    tacMessage message = {0};
    append(s, "</worldbody></mujoco>");
    *r = (sceneRun){0};
    if (tac_load_text(s->text, (int)s->used, "text", NULL, &r->model, &message) != TAC_OK)
        printf("  %s\n%s\n", message.text, s->text);
    ENSURE(r->model && r->model->nq <= 16);
    ENSURE(tac_scratch_create(r->model, &r->scratch) == TAC_OK);
    memcpy(r->q, r->model->qpos0, sizeof(double) * (size_t)r->model->nq);
    r->x = (tacState){.qpos = r->q, .qvel = r->v};
    return 0;
}

static void close_scene(sceneRun* r) {
    tac_scratch_destroy(r->scratch);
    tac_model_destroy(r->model);
}

static double energy_of(sceneRun* r) {
    double energy[2] = {0};
    tac_energy(r->model, r->q, r->v, energy, r->scratch);
    return energy[0] + energy[1];
}

// what a run must not do
typedef struct sceneLimits {
    double seconds;
    double walk;   // horizontal distance of any body after a fifth of the time [m]; 0: any
    double energy; // above that at the start [J]
    double lowest; // height of any body [m]
} sceneLimits;

static int run_scene(sceneRun* r, const sceneText* s, sceneLimits limits) {
    double first = energy_of(r), from[16], most = 0.0, gain = 0.0, low = INFINITY;
    int steps = (int)lround(limits.seconds / r->model->param[r->model->timestep]), done = 0;
    memcpy(from, r->q, sizeof from);
    for (; done < steps; ++done) {
        if (tac_step(r->model, &r->x, NULL, &r->x, r->scratch) != TAC_OK) break;
        gain = fmax(gain, energy_of(r) - first);
        if (done == steps / 5) memcpy(from, r->q, sizeof from);
        for (int b = 0; b < r->model->nq; b += 7) {
            if (done > steps / 5)
                most = fmax(most, hypot(r->q[b] - from[b], r->q[b + 1] - from[b + 1]));
            low = fmin(low, r->q[b + 2]);
        }
    }
    int bad = done < steps || gain > limits.energy || low < limits.lowest ||
              (limits.walk > 0.0 && most > limits.walk);
    if (bad)
        printf("  %s%d of %d steps, moved %.2e m (size %.2g, mass %.2g), gained %.2e of %.2e J, "
               "lowest %.3g of %.3g m\n%s\n",
               done < steps ? "diverged: " : "", done, steps, most, s->size, s->mass, gain,
               limits.energy, low, limits.lowest, s->text);
    return bad;
}

// A body at rest on a floor, on a box, or a box on a body. Nothing walks or rolls away.
static int bodies_rest(void) {
    int bad = 0, count = test_amount(4, 24, 100);
    double seconds = test_amount(1, 2, 5);
    for (int i = 0; i < count; ++i) {
        testRandom random = seeded(i, 7919u);
        double r = log_uniform(&random, 0.01, 0.5);
        sceneText s;
        sceneRun run;
        begin_scene(&s, r);
        s.mass = log_uniform(&random, 1e-3, 1e3);
        int kind = pick(&random, KINDS), on_box = pick(&random, 2);
        double at[3] = {0.0, 0.0, 0.0};
        if (on_box) {
            double top = r * test_uniform(&random, 0.3, 1.0);
            append(&s, "<geom type='box' size='%g %g %g' pos='0 0 %g'/>", 2.2 * r, 1.9 * r, top,
                   top);
            at[0] = r * test_uniform(&random, -0.4, 0.4);
            at[2] = 2.0 * top;
        } else {
            append(&s, "<geom type='plane' size='1 1 .1'/>");
        }
        write_body(&s, &random, kind, at);
        ENSURE_LAW(open_scene(&run, &s));
        bad += run_scene(&run, &s,
                         (sceneLimits){seconds, 1e-3, 0.01 * 9.81 * s.mass * r, at[2] - 0.2 * r});
        close_scene(&run);
    }
    printf("  %d of %d bodies at rest moved, gained energy or fell through\n", bad, count);
    ENSURE(bad == 0);
    return 0;
}

// Two boxes of different sizes and masses on a floor. What overhangs creeps by up to 2.3 mm.
static int stacks_rest(void) {
    int bad = 0, count = test_amount(2, 8, 40);
    double seconds = test_amount(1, 2, 5);
    for (int i = 0; i < count; ++i) {
        testRandom random = seeded(i, 104729u);
        double r = log_uniform(&random, 0.01, 0.3), top = r * test_uniform(&random, 0.3, 1.0);
        sceneText s;
        sceneRun run;
        begin_scene(&s, r);
        s.mass = log_uniform(&random, 1e-3, 1e2);
        double below = s.mass * log_uniform(&random, 0.3, 10.0);
        append(&s, "<geom type='plane' size='1 1 .1'/>");
        append(&s,
               "<body pos='0 0 %g'><freejoint/><geom type='box' size='%g %g %g' mass='%g'/></body>",
               top, r * test_uniform(&random, 1.3, 2.0), r * test_uniform(&random, 1.3, 2.0), top,
               below);
        int kinds[] = {BOX, DISC, MESH_BOX, MESH_WEDGE};
        write_body(&s, &random, kinds[pick(&random, 4)],
                   (const double[]){r * test_uniform(&random, -0.3, 0.3), 0.0, 2.0 * top});
        ENSURE_LAW(open_scene(&run, &s));
        bad +=
            run_scene(&run, &s, (sceneLimits){seconds, 3e-3, 0.01 * 9.81 * s.mass * r, 0.7 * top});
        close_scene(&run);
    }
    printf("  %d of %d stacks moved, gained energy or fell through\n", bad, count);
    ENSURE(bad == 0);
    return 0;
}

// Any way round, at up to 5 m/s, onto a floor or a slab as thick as the body.
static int throws_neither_gain_nor_tunnel(void) {
    int bad = 0, count = test_amount(4, 16, 60);
    for (int i = 0; i < count; ++i) {
        testRandom random = seeded(i, 15485863u);
        double r = log_uniform(&random, 0.01, 0.5), norm = 0.0;
        sceneText s;
        sceneRun run;
        begin_scene(&s, r);
        s.mass = log_uniform(&random, 1e-3, 1e3);
        if (pick(&random, 2))
            append(&s, "<geom type='box' size='%g %g %g' pos='0 0 %g'/>", 40.0 * r, 40.0 * r, r,
                   -r);
        else
            append(&s, "<geom type='plane' size='1 1 .1'/>");
        write_body(&s, &random, pick(&random, KINDS), (const double[]){0.0, 0.0, 1.2 * r});
        ENSURE_LAW(open_scene(&run, &s));
        for (int k = 3; k < 7; ++k) {
            run.q[k] = test_uniform(&random, -1.0, 1.0);
            norm += run.q[k] * run.q[k];
        }
        for (int k = 3; k < 7; ++k) run.q[k] /= sqrt(norm);
        double speed = test_uniform(&random, 0.1, 4.5);
        run.v[0] = 0.2 * speed;
        run.v[2] = -speed;
        for (int k = 3; k < 6; ++k) run.v[k] = test_uniform(&random, -1.0, 1.0) * speed / r * 0.3;
        double energy = 0.5 * s.mass * speed * speed + 9.81 * s.mass * r;
        bad += run_scene(&run, &s, (sceneLimits){0.8, 0.0, 0.01 * energy, -0.2 * r});
        close_scene(&run);
    }
    printf("  %d of %d throws gained energy or fell through\n", bad, count);
    ENSURE(bad == 0);
    return 0;
}

TEST_MAIN(RUN(bodies_rest), RUN(stacks_rest), RUN(throws_neither_gain_nor_tunnel))
