// Laws of matrices by their profile: the answers of the full matrix, nothing outside the profile.

#include "math/check_math.h"

#include "math/skyline.h"

enum { MAX = 30 };

typedef struct pattern {
    int n, group[MAX][4], groups; // unknowns that are coupled
} pattern;

static int random_below(testRandom* random, int n) {
    return (int)(test_bits(random) % (unsigned)n);
}

static pattern random_pattern(testRandom* random, int n) {
    pattern p = {.n = n, .groups = random_below(random, n)};
    for (int g = 0; g < p.groups; ++g)
        for (int k = 0; k < 4; ++k) p.group[g][k] = random_below(random, n);
    return p;
}

static void random_permutation(testRandom* random, int n, int* perm) {
    for (int i = 0; i < n; ++i) perm[i] = i;
    for (int i = n - 1; i > 0; --i) {
        int j = random_below(random, i + 1), kept = perm[i];
        perm[i] = perm[j];
        perm[j] = kept;
    }
}

// A = 1 + the squares of random rows of the groups, in full and by its profile
static void fill_matrix(testRandom* random, const pattern* p, tacSkyline* s, tacReal* A) {
    int n = p->n;
    random_permutation(random, n, s->perm);
    tac_skyline_reset(s);
    for (int g = 0; g < p->groups; ++g) tac_skyline_couple(s, p->group[g], 4);
    tac_skyline_clear(s);
    memset(A, 0, sizeof *A * (size_t)(n * n));
    for (int i = 0; i < n; ++i) {
        A[i * n + i] = 1.0;
        *tac_skyline_at(s, i, i) = 1.0;
    }
    for (int g = 0; g < p->groups; ++g) {
        tacReal row[MAX] = {0}, x[4];
        check_random(random, 4, x);
        for (int k = 0; k < 4; ++k) row[p->group[g][k]] += x[k];
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                if (tac_re(row[i] * row[j]) == 0.0) continue;
                A[i * n + j] += row[i] * row[j];
                if (j <= i) *tac_skyline_at(s, i, j) += row[i] * row[j];
            }
    }
}

static tacArena create_arena(int n) {
    tacArena arena;
    tacArena dry = tac_arena_measure(1);
    tac_skyline_alloc(n, &dry);
    tac_arena_create(&arena, dry.peak, tac_default_allocator());
    return arena;
}

// products, factors and solves are those of the full matrix, whatever the order of the rows
static int full_matrix_agrees(void) {
    testRandom random = {41};
    for (int trial = 0; trial < 300; ++trial) {
        int n = 1 + trial % MAX;
        tacArena arena = create_arena(n);
        tacSkyline s = tac_skyline_alloc(n, &arena);
        pattern p = random_pattern(&random, n);
        tacReal A[MAX * MAX], x[MAX], y[MAX], z[MAX];
        fill_matrix(&random, &p, &s, A);
        check_random(&random, n, x);
        tac_dense_mul_vec(n, n, A, x, y);
        for (int i = 0; i < n; ++i) z[i] = 1.0;
        tac_skyline_mul_add(&s, x, z);
        for (int i = 0; i < n; ++i) ENSURE_NEAR(z[i], y[i] + 1.0, 1e-13);
        ENSURE(tac_skyline_factor(&s) == TAC_OK);
        tac_skyline_solve(&s, y);
        for (int i = 0; i < n; ++i) ENSURE_NEAR(y[i], x[i], 1e-12);
        tac_arena_destroy(&arena, tac_default_allocator());
    }
    return 0;
}

// blocks that do not touch have the memory of their own triangles
static int memory_follows_the_profile(void) {
    tacArena arena = create_arena(12);
    tacSkyline s = tac_skyline_alloc(12, &arena);
    for (int i = 0; i < 12; ++i) s.perm[i] = i;
    tac_skyline_reset(&s);
    for (int b = 0; b < 4; ++b) tac_skyline_couple(&s, (int[]){3 * b, 3 * b + 1, 3 * b + 2}, 3);
    tac_skyline_clear(&s);
    ENSURE(s.start[11] + 11 + 1 == 4 * 6);
    tac_arena_destroy(&arena, tac_default_allocator());
    return 0;
}

static int indefinite_is_refused(void) {
    tacArena arena = create_arena(2);
    tacSkyline s = tac_skyline_alloc(2, &arena);
    const double corner[] = {1.0, 0.5, (double)NAN};
    for (int k = 0; k < 3; ++k) {
        s.perm[0] = 1;
        s.perm[1] = 0;
        tac_skyline_reset(&s);
        tac_skyline_couple(&s, (int[]){0, 1}, 2);
        tac_skyline_clear(&s);
        *tac_skyline_at(&s, 0, 0) = *tac_skyline_at(&s, 0, 1) = 1.0;
        *tac_skyline_at(&s, 1, 1) = corner[k];
        ENSURE(tac_skyline_factor(&s) == TAC_ERROR_VALUE);
    }
    tac_arena_destroy(&arena, tac_default_allocator());
    return 0;
}

TEST_MAIN(RUN(full_matrix_agrees), RUN(memory_follows_the_profile), RUN(indefinite_is_refused))
