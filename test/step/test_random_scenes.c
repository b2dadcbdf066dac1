// Random scenes of every detector with every responder: none diverges, gains energy or lets a body
// through, and derivatives are those of converged differences.
//
//   test_random_scenes [PART_OF_A_FAMILY]                  the test
//   test_random_scenes [--family F] --seed-start N [--count N] [--steps N] [--states N]
//                      [--columns N] [--threads N]         a sweep; prints every failure and flag
//   test_random_scenes --dump FAMILY SEED                  the scene as MJCF; key 0 is its start
//
// RANDOM_SHOW=1 prints the columns of derivatives that differences do not confirm.

#include "step/random_differences.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

//---------------------------------- what must hold ----------------------------------

// Classes that still fail, as shares of scenes (of columns for `wrong`, of steps for flags). A
// share keeps a class from growing; 0 is the bar itself.
typedef struct knownFailures {
    double fails, gains, tunnels, wrong; // steps that fail, energy, bodies, columns
    double flagged, heaps;               // above 1 % of steps, above 5 % of steps of heaps
} knownFailures;

typedef struct familyBar {
    randomEffort effort;
    int scenes; // by `make test`
    knownFailures known;
} familyBar;

// In the order of random_families. What is known to fail:
// - one contact point a pair (sat, convex) does not carry stacks: light bodies sink into the floor;
// - faces that stay parallel (sat, convex), features that are not found (gjk): TAC_TIE;
// - contacts of gjk under a force jump between neighbouring states;
// - bodies that slide or stand on faces by redundant hard contacts: TAC_TIE;
// - long bodies that spin onto their ends gain by hard contact: the impulse acts at the start;
// - a ram presses a body through clouds, and a few light bodies under RK4 diverge: their servos
//   are explicit, and energy grows before contact adds any.
static const familyBar family_bars[RANDOM_FAMILIES] = {
    [0] = {{60, 4, 3}, 200, {0}},                                                // manifold, spring
    [1] = {{60, 4, 3}, 200, {0}},                                                // edge_sdf, spring
    [2] = {{30, 1, 1}, 200, {.tunnels = 0.02}},                                  // ssdf, scm
    [3] = {{30, 1, 1}, 200, {.tunnels = 0.03}},                                  // ssdf, spring
    [4] = {{60, 4, 3}, 200, {.tunnels = 0.03, .flagged = 0.03}},                 // sat, spring
    [5] = {{60, 4, 3}, 200, {.tunnels = 0.04, .flagged = 0.05}},                 // elastoplastic
    [6] = {{60, 4, 3}, 200, {.tunnels = 0.03, .flagged = 0.03}},                 // convex, spring
    [7] = {{60, 4, 3}, 200, {.tunnels = 0.04, .flagged = 0.05}},                 // elastoplastic
    [8] = {{60, 4, 3}, 200, {.wrong = 0.001, .flagged = 0.02}},                  // gjk, spring
    [9] = {{60, 4, 3}, 200, {.wrong = 0.001, .flagged = 0.02}},                  // elastoplastic
    [10] = {{40, 2, 3}, 200, {.gains = 0.002, .flagged = 0.12, .heaps = 0.2}},   // gjk, lcp
    [11] = {{60, 2, 3}, 50, {.fails = 0.007, .gains = 0.007, .tunnels = 0.007}}, // manifold, RK4
    [12] = {{30, 1, 1}, 20, {.tunnels = 0.02}},                                  // scm, RK4
    [13] = {{60, 4, 3}, 200, {0.005, 0.005, 0.04, 0.001, 0.05, 0}},  // sat, elastoplastic, RK4
    [14] = {{60, 4, 3}, 200, {0.003, 0.003, 0.015, 0.003, 0.02, 0}}, // gjk, spring, RK4
};

// Chains whose links turn by half a radian a step after an impact gain energy, up to divergence:
// Coriolis forces of chains are explicit in Euler's step, which is MuJoCo's, and 4.0.1 gains as
// much on such files. Share of all scenes; single bodies have no part in it.
static const double chain_share = 0.015;
// columns at a border of two pieces, or that differences do not resolve
static const double unconverged_share = 0.02;

//---------------------------------- one scene ----------------------------------

typedef struct randomSweep {
    const randomFamily* family;
    randomEffort effort;
    unsigned long long start;
    int count;
    randomReport* report;
    atomic_int next;
} randomSweep;

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void try_motion(const randomSweep* s, randomMotion* m, testRandom* random, randomReport* r) {
    randomKept* kept = calloc(RANDOM_KEPT, sizeof *kept);
    for (int k = 0; k < RANDOM_KEPT; ++k) kept[k].step = -1;
    random_move(m, s->effort.steps, r, kept, random);
    if (r->result == TAC_OK) random_settle(m, r);
    if (r->gain > 0.01) r->contact_gain = contact_gain(m->scene, s->effort.steps);
    // states of a motion that exploded show nothing but that
    if (r->gain < 1.0) compare_states(m, kept, &s->effort, random, r);
    free(kept);
}

static void try_scene(const randomSweep* s, unsigned long long seed, randomReport* r) {
    randomScene* scene = malloc(sizeof *scene);
    randomMotion m;
    testRandom random = {seed * 77 + 5};
    tacMessage message = {.text = ""};
    double begin = cpu_seconds();
    *r = (randomReport){0};
    random_scene(s->family, seed, scene);
    r->kind = scene->kind;
    if (random_open(&m, scene, scene->text, &message)) {
        snprintf(r->load, sizeof r->load, "%.600s (line %d, %s)", message.text, message.line,
                 message.attribute);
    } else {
        r->loaded = 1;
        r->load_seconds = cpu_seconds() - begin;
        try_motion(s, &m, &random, r);
        random_close(&m);
    }
    r->seconds = cpu_seconds() - begin;
    free(scene);
}

static void* work_on_sweep(void* argument) {
    randomSweep* s = argument;
    for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->count;)
        try_scene(s, s->start + (unsigned long long)i, &s->report[i]);
    return NULL;
}

// scenes on threads; each has a report of its own, so the number of threads changes nothing
static void run_sweep(randomSweep* s, int threads) {
    pthread_t thread[64];
    s->report = calloc((size_t)s->count, sizeof *s->report);
    atomic_init(&s->next, 0);
    for (int i = 1; i < threads; ++i) pthread_create(&thread[i], NULL, work_on_sweep, s);
    work_on_sweep(s);
    for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
}

//---------------------------------- totals ----------------------------------

typedef struct randomTotals {
    int scenes, refused;        // scenes; those that did not load
    int fails, gains, chains;   // scenes whose steps fail; that gain energy; chains of both
    int tunnelled;              // scenes
    int columns, wrong, border; // of derivatives; wrong ones; without a converged difference
    int held;                   // inputs that cannot be moved both ways
    long steps, flagged, heap_steps, heap_flagged;
    double gain, error, seconds, load_seconds;
} randomTotals;

static randomTotals add_up(const randomSweep* s) {
    randomTotals t = {.scenes = s->count};
    for (int i = 0; i < s->count; ++i) {
        const randomReport* r = &s->report[i];
        int heap = r->kind == KIND_HEAP || r->kind == KIND_STACK;
        int chain = r->kind == KIND_CHAIN;
        t.refused += !r->loaded;
        t.fails += !chain && r->result != TAC_OK;
        t.gains += !chain && r->gain > 0.01;
        t.chains += chain && (r->result != TAC_OK || r->gain > 0.01);
        t.tunnelled += r->tunnelled > 0;
        t.wrong += r->wrong;
        t.border += r->kinks + r->unconverged;
        t.columns += r->columns;
        t.held += r->refused;
        *(heap ? &t.heap_steps : &t.steps) += r->steps;
        *(heap ? &t.heap_flagged : &t.flagged) += r->flagged;
        if (!chain) t.gain = fmax(t.gain, r->gain);
        t.error = fmax(t.error, r->error);
        t.seconds += r->seconds;
        t.load_seconds += r->load_seconds;
    }
    return t;
}

static double share_of(long part, long all) { return all ? (double)part / (double)all : 0.0; }

static void print_head(void) {
    printf("  %-21s %6s %5s %6s %7s %5s %6s %7s %5s %7s %7s %8s %7s %7s\n", "family", "scenes",
           "fails", "gains", "worst", "chain", "tunnel", "columns", "wrong", "worst", "no diff",
           "flagged", "heaps", "s");
}

static void print_totals(const randomFamily* family, const randomTotals* t) {
    printf("  %-21s %6d %5d %6d %7.0e %5d %6d %7d %5d %7.0e %7d %7.2f%% %6.2f%% %7.1f\n",
           family->name, t->scenes - t->refused, t->fails, t->gains, t->gain, t->chains,
           t->tunnelled, t->columns, t->wrong, t->error, t->border,
           100.0 * share_of(t->flagged, t->steps), 100.0 * share_of(t->heap_flagged, t->heap_steps),
           t->seconds);
}

static void print_failures(const randomSweep* s, int most) {
    for (int i = 0, printed = 0; i < s->count && printed < most; ++i) {
        const randomReport* r = &s->report[i];
        unsigned long long seed = s->start + (unsigned long long)i;
        const char* kind = random_kind_name[r->kind];
        if (!r->loaded)
            printf("  %s %llu %s: not loaded: %s\n", s->family->name, seed, kind, r->load);
        for (int k = 0; k < 3; ++k) {
            if (!r->what[k][0]) continue;
            printf("  %s %llu %s: %s", s->family->name, seed, kind, r->what[k]);
            if (k == 0 && r->gain > 0.01) printf("; contact adds %.3g", r->contact_gain);
            printf("\n");
            ++printed;
        }
    }
}

// steps with each flag, by kind of scene
static void print_flags(const randomSweep* s) {
    for (int kind = 0; kind < KIND_COUNT; ++kind) {
        int count[32] = {0}, steps = 0, any = 0;
        for (int i = 0; i < s->count; ++i) {
            const randomReport* r = &s->report[i];
            if ((int)r->kind != kind) continue;
            steps += r->steps;
            any += r->flagged;
            for (int k = 0; k < 32; ++k) count[k] += r->flags[k];
        }
        if (!any) continue;
        printf("  %s: %.2f%% of %d steps are flagged:", random_kind_name[kind],
               100.0 * share_of(any, steps), steps);
        for (int k = 0; k < 32; ++k)
            if (count[k]) printf(" %s %d", tac_flag_name(1u << k), count[k]);
        printf("\n");
    }
}

//---------------------------------- the test ----------------------------------

// At most this many of n: none where the share is 0, else what chance makes of it.
static int at_most(double share, int n) {
    double expected = share * n;
    return share > 0.0 ? (int)ceil(expected + 2.0 * sqrt(expected)) : 0;
}

static int is_within(const randomFamily* family, const char* what, int count, int most) {
    if (count <= most) return 1;
    printf("  %s: %s %d, at most %d\n", family->name, what, count, most);
    return 0;
}

static int totals_hold(const randomFamily* family, const randomTotals* t,
                       const knownFailures* known) {
    int n = t->scenes, holds = 1;
    double flagged = share_of(t->flagged, t->steps);
    double heaps = share_of(t->heap_flagged, t->heap_steps);
    holds &= is_within(family, "scenes that do not load:", t->refused, 0);
    holds &= is_within(family, "steps that fail:", t->fails, at_most(known->fails, n));
    holds &= is_within(family, "scenes that gain energy:", t->gains, at_most(known->gains, n));
    holds &= is_within(family, "chains that gain:", t->chains, at_most(chain_share, n));
    holds &= is_within(family, "bodies pass through:", t->tunnelled, at_most(known->tunnels, n));
    holds &= is_within(family, "wrong columns:", t->wrong, at_most(known->wrong, t->columns));
    holds &= is_within(family, "columns without a difference:", t->border,
                       at_most(unconverged_share, t->columns));
    // a share of few steps says nothing
    if (n >= 100 && (flagged > fmax(0.01, known->flagged) || heaps > fmax(0.05, known->heaps))) {
        printf("  %s: too many flagged steps\n", family->name);
        holds = 0;
    }
    return holds;
}

// Seeds of `make test` and of `make test-all` differ, and from those that anything was tuned on.
static int try_family(int index) {
    const familyBar* bar = &family_bars[index];
    int count = test_amount(3, bar->scenes, 10000), many = getenv("TACTUS_SWEEP") != NULL;
    long cores = many ? sysconf(_SC_NPROCESSORS_ONLN) : 1;
    randomSweep s = {.family = &random_families[index], .effort = bar->effort};
    s.start = many ? 2000000 : 1000000;
    s.count = count;
    run_sweep(&s, (int)(cores < 1 ? 1 : cores > 64 ? 64 : cores));
    randomTotals t = add_up(&s);
    print_head();
    print_totals(s.family, &t);
    int holds = totals_hold(s.family, &t, &bar->known);
    print_failures(&s, holds ? 0 : 40);
    free(s.report);
    ENSURE(holds);
    return 0;
}

#define FAMILY(index, name)                                                                        \
    static int name(void) { return try_family(index); }

FAMILY(0, manifold_spring)
FAMILY(1, edge_sdf_spring)
FAMILY(2, ssdf_scm)
FAMILY(3, ssdf_spring)
FAMILY(4, sat_spring)
FAMILY(5, sat_elastoplastic)
FAMILY(6, convex_spring)
FAMILY(7, convex_elastoplastic)
FAMILY(8, gjk_spring)
FAMILY(9, gjk_elastoplastic)
FAMILY(10, gjk_lcp)
FAMILY(11, manifold_spring_rk4)
FAMILY(12, ssdf_scm_rk4)
FAMILY(13, sat_elastoplastic_rk4)
FAMILY(14, gjk_spring_rk4)

// the same seed is the same text, and its bodies are apart at the start
static int scenes_repeat(void) {
    randomScene* scene = malloc(2 * sizeof *scene);
    for (int i = 0; i < test_amount(20, 200, 2000); ++i) {
        const randomFamily* family = &random_families[i % RANDOM_FAMILIES];
        for (int k = 0; k < 2; ++k) random_scene(family, (unsigned long long)i, &scene[k]);
        ENSURE(!strcmp(scene[0].text, scene[1].text));
        ENSURE(strlen(scene[0].text) < RANDOM_TEXT - 1 && strstr(scene[0].text, "</mujoco>"));
    }
    free(scene);
    return 0;
}

//---------------------------------- commands ----------------------------------

static int family_index(const char* name) {
    for (int i = 0; i < RANDOM_FAMILIES; ++i)
        if (!strcmp(random_families[i].name, name)) return i;
    printf("no family %s; there are", name);
    for (int i = 0; i < RANDOM_FAMILIES; ++i) printf(" %s", random_families[i].name);
    printf("\n");
    exit(2);
}

static int dump_scene(const char* name, const char* seed) {
    randomScene* scene = malloc(sizeof *scene);
    random_scene(&random_families[family_index(name)], strtoull(seed, NULL, 10), scene);
    fputs(scene->text, stdout);
    free(scene);
    return 0;
}

// numbers of a sweep; -1: those of the test
typedef struct sweepOptions {
    const char* family;
    unsigned long long start;
    int count, threads, steps, states, columns;
} sweepOptions;

static sweepOptions read_options(int argc, char** argv) {
    sweepOptions o = {NULL, 0, 200, 1, -1, -1, -1};
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *name = argv[i], *value = argv[i + 1];
        if (!strcmp(name, "--family")) o.family = value;
        if (!strcmp(name, "--seed-start")) o.start = strtoull(value, NULL, 10);
        if (!strcmp(name, "--count")) o.count = atoi(value);
        if (!strcmp(name, "--threads")) o.threads = atoi(value);
        if (!strcmp(name, "--steps")) o.steps = atoi(value);
        if (!strcmp(name, "--states")) o.states = atoi(value);
        if (!strcmp(name, "--columns")) o.columns = atoi(value);
    }
    if (o.states > RANDOM_KEPT) o.states = RANDOM_KEPT;
    return o;
}

static int sweep_command(int argc, char** argv) {
    sweepOptions o = read_options(argc, argv);
    int only = o.family ? family_index(o.family) : -1;
    for (int i = 0; i < RANDOM_FAMILIES; ++i) {
        if (only >= 0 && i != only) continue;
        randomSweep s = {.family = &random_families[i], .effort = family_bars[i].effort};
        s.start = o.start;
        s.count = o.count;
        if (o.steps >= 0) s.effort.steps = o.steps;
        if (o.states >= 0) s.effort.states = o.states;
        if (o.columns >= 0) s.effort.columns = o.columns;
        run_sweep(&s, o.threads);
        randomTotals t = add_up(&s);
        print_failures(&s, 1 << 30);
        print_flags(&s);
        print_head();
        print_totals(s.family, &t);
        free(s.report);
    }
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {RUN(scenes_repeat),        RUN(manifold_spring),
                              RUN(edge_sdf_spring),      RUN(ssdf_scm),
                              RUN(ssdf_spring),          RUN(sat_spring),
                              RUN(sat_elastoplastic),    RUN(convex_spring),
                              RUN(convex_elastoplastic), RUN(gjk_spring),
                              RUN(gjk_elastoplastic),    RUN(gjk_lcp),
                              RUN(manifold_spring_rk4),  RUN(sat_elastoplastic_rk4),
                              RUN(gjk_spring_rk4),       RUN(ssdf_scm_rk4)};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 4 && !strcmp(argv[1], "--dump")) return dump_scene(argv[2], argv[3]);
    if (argc > 2 && argv[1][0] == '-') return sweep_command(argc, argv);
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof cases[0]));
}
