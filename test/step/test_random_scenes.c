// Random scenes of every detector with every responder: none diverges, gains energy or lets a body
// through, and derivatives are those of converged differences.
//
//   test_random_scenes                                     the test
//   test_random_scenes --family F --seed-start N --count N [--columns N] [--steps N] [--threads N]
//                                                          a sweep; prints every failure
//   test_random_scenes --dump FAMILY SEED                  the scene as MJCF; key 0 is its start

#include "step/random_differences.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

typedef struct randomSweep {
    const randomFamily* family;
    unsigned long long start;
    int count, columns, steps;
    randomReport* report;
    atomic_int next;
} randomSweep;

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

//---------------------------------- one scene ----------------------------------

static void try_scene(const randomSweep* s, unsigned long long seed, randomReport* r) {
    randomScene* scene = malloc(sizeof *scene);
    randomMotion m;
    randomKept* kept = calloc(RANDOM_KEPT, sizeof *kept);
    testRandom random = {seed * 77 + 5};
    tacMessage message = {.text = ""};
    double begin = cpu_seconds();
    *r = (randomReport){0};
    for (int k = 0; k < RANDOM_KEPT; ++k) kept[k].step = -1;
    random_scene(s->family, seed, scene);
    r->kind = scene->kind;
    if (random_open(&m, scene, scene->text, &message)) {
        snprintf(r->load, sizeof r->load, "%s (line %d, %s)", message.text, message.line,
                 message.attribute);
    } else {
        r->loaded = 1;
        r->load_seconds = cpu_seconds() - begin;
        random_move(&m, s->steps, r, kept, &random);
        r->move_seconds = cpu_seconds() - begin - r->load_seconds;
        if (r->result == TAC_OK) random_settle(&m, r);
        if (r->gain > 0.01) r->contact_gain = contact_gain(scene, s->steps);
        // states of a motion that exploded show nothing but that
        if (r->gain < 1.0) compare_states(&m, kept, s->columns, &random, r);
        random_close(&m);
    }
    r->seconds = cpu_seconds() - begin;
    free(kept);
    free(scene);
}

static void* work_on_sweep(void* argument) {
    randomSweep* s = argument;
    for (int i; (i = atomic_fetch_add(&s->next, 1)) < s->count;)
        try_scene(s, s->start + (unsigned long long)i, &s->report[i]);
    return NULL;
}

static void run_sweep(randomSweep* s, int threads) {
    pthread_t thread[64];
    atomic_init(&s->next, 0);
    for (int i = 1; i < threads; ++i) pthread_create(&thread[i], NULL, work_on_sweep, s);
    work_on_sweep(s);
    for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
}

//---------------------------------- totals ----------------------------------

typedef struct randomTotals {
    int scenes, refused, failed, gains, contact_gains, tunnelled, wrong, kinks, unconverged,
        columns;
    int held; // inputs that cannot be set
    long steps, flagged, heap_steps, heap_flagged;
    int states, states_flagged;
    double gain, error, seconds, load_seconds, move_seconds;
} randomTotals;

static randomTotals add_up(const randomSweep* s) {
    randomTotals t = {.scenes = s->count};
    for (int i = 0; i < s->count; ++i) {
        const randomReport* r = &s->report[i];
        int heap = r->kind == KIND_HEAP || r->kind == KIND_STACK;
        t.refused += !r->loaded;
        t.failed += r->result != TAC_OK;
        t.gains += r->gain > 0.01;
        t.contact_gains += r->contact_gain > 0.01;
        t.tunnelled += r->tunnelled > 0;
        t.wrong += r->wrong;
        t.kinks += r->kinks;
        t.unconverged += r->unconverged;
        t.columns += r->columns;
        t.held += r->refused;
        *(heap ? &t.heap_steps : &t.steps) += r->steps;
        *(heap ? &t.heap_flagged : &t.flagged) += r->flagged;
        t.states += r->states;
        t.states_flagged += r->states_flagged;
        if (r->result == TAC_OK) t.gain = fmax(t.gain, r->gain);
        t.error = fmax(t.error, r->error);
        t.seconds += r->seconds;
        t.load_seconds += r->load_seconds;
        t.move_seconds += r->move_seconds;
    }
    return t;
}

static void print_head(void) {
    printf("  %-22s %6s %5s %5s %8s %5s %5s %8s %6s %5s %6s %6s %7s %7s %7s\n", "family", "scenes",
           "fails", "gains", "worst", "by c.", "tunn.", "columns", "wrong", "kinks", "unconv",
           "worst", "flagged", "heaps", "s");
}

static void print_totals(const randomFamily* family, const randomTotals* t) {
    printf(
        "  %-22s %6d %5d %5d %8.1e %5d %5d %8d %6d %5d %6d %6.0e %6.2f%% %6.2f%% %7.2f %.2f %.2f\n",
        family->name, t->scenes - t->refused, t->failed, t->gains, t->gain, t->contact_gains,
        t->tunnelled, t->columns, t->wrong, t->kinks, t->unconverged, t->error,
        100.0 * (double)t->flagged / fmax(1.0, (double)t->steps),
        100.0 * (double)t->heap_flagged / fmax(1.0, (double)t->heap_steps), t->seconds,
        t->load_seconds, t->move_seconds);
}

static void print_failures(const randomSweep* s, int most) {
    int printed = 0;
    for (int i = 0; i < s->count && printed < most; ++i) {
        const randomReport* r = &s->report[i];
        unsigned long long seed = s->start + (unsigned long long)i;
        const char* kind = random_kind_name[r->kind];
        if (!r->loaded)
            printf("  %s %llu %s: not loaded: %s\n", s->family->name, seed, kind, r->load);
        for (int k = 0; k < 3; ++k)
            if (r->what[k][0]) {
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
               100.0 * any / steps, steps);
        for (int k = 0; k < 32; ++k)
            if (count[k]) printf(" %s %d", tac_flag_name(1u << k), count[k]);
        printf("\n");
    }
}

//---------------------------------- commands ----------------------------------

static const randomFamily* family_of(const char* name) {
    for (int i = 0; i < RANDOM_FAMILIES; ++i)
        if (!strcmp(random_families[i].name, name)) return &random_families[i];
    printf("no family %s; there are", name);
    for (int i = 0; i < RANDOM_FAMILIES; ++i) printf(" %s", random_families[i].name);
    printf("\n");
    exit(2);
}

static int dump_scene(const char* name, const char* seed) {
    randomScene* scene = malloc(sizeof *scene);
    random_scene(family_of(name), strtoull(seed, NULL, 10), scene);
    fputs(scene->text, stdout);
    free(scene);
    return 0;
}

static int sweep_command(int argc, char** argv) {
    randomSweep s = {.count = 200, .columns = 3, .steps = 60};
    int threads = 1;
    const char* name = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        const char* value = argv[i + 1];
        if (!strcmp(argv[i], "--family")) name = value;
        if (!strcmp(argv[i], "--seed-start")) s.start = strtoull(value, NULL, 10);
        if (!strcmp(argv[i], "--count")) s.count = atoi(value);
        if (!strcmp(argv[i], "--columns")) s.columns = atoi(value);
        if (!strcmp(argv[i], "--steps")) s.steps = atoi(value);
        if (!strcmp(argv[i], "--threads")) threads = atoi(value);
    }
    s.report = calloc((size_t)s.count, sizeof *s.report);
    for (int i = 0; i < RANDOM_FAMILIES; ++i) {
        if (name && family_of(name) != &random_families[i]) continue;
        s.family = &random_families[i];
        run_sweep(&s, threads);
        print_failures(&s, 1 << 30);
        print_flags(&s);
        randomTotals t = add_up(&s);
        print_head();
        print_totals(s.family, &t);
    }
    free(s.report);
    return 0;
}

int main(int argc, char** argv) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc == 4 && !strcmp(argv[1], "--dump")) return dump_scene(argv[2], argv[3]);
    return sweep_command(argc, argv);
}
