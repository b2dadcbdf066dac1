// Frictional problems with many contacts and many answers: walls, pyramids and heaps are solved, by
// a bounded number of systems, and the answer is one next to the shortest.

#define LCP_MOST_CONTACTS 640
#define LCP_MOST_BODIES   64
#include "respond/lcp_problem.h"

#include "respond/lcp/proximal.h"

typedef struct lcpOutcome {
    int unsolved, passes; // problems; most systems of one
    double residual;      // worst, of the scale
    int methods[TAC_LCP_PROXIMAL + 1];
} lcpOutcome;

static void solve_lcp(lcpProblem* p, lcpOutcome* out) {
    void* memory = malloc(tac_lcp_size(p->contacts, p->tangents));
    tacLcpReport report;
    tacResult result = tac_lcp_solve(&p->lcp, 0, p->f, p->active_set, &report, memory);
    if (result != TAC_OK) {
        printf("  %d contacts: residual %g of %g\n", p->contacts, report.residual, report.scale);
        out->unsolved++;
    } else {
        double scale, own = tac_lcp_residual(&p->lcp, p->f, &scale);
        out->residual = fmax(out->residual, own / scale);
    }
    out->methods[report.method]++;
    out->passes = report.passes > out->passes ? report.passes : out->passes;
    free(memory);
}

//---------------------------------- boxes that touch ----------------------------------

typedef struct wallBox {
    double x, z;
} wallBox;

// four corners of the face that two boxes of size 1 share, upright or on edge
static void add_face_contacts(lcpProblem* p, const wallBox* boxes, int a, int b, double opens) {
    wallBox low = a < 0 ? (wallBox){boxes[b].x, boxes[b].z - 1.0} : boxes[a], up = boxes[b];
    int above = up.z > low.z + 0.5;
    double normal[3] = {above ? 0.0 : 1.0, 0.0, above ? 1.0 : 0.0};
    double left = fmax(low.x, up.x) - 0.5, right = fmin(low.x, up.x) + 0.5;
    for (int c = 0; c < 4; ++c) {
        double x = above ? (c & 1 ? right : left) : low.x + 0.5;
        double y = c & 2 ? 0.5 : -0.5, z = above ? low.z + 0.5 : low.z + (c & 1 ? 0.5 : -0.5);
        double arm[2][3] = {{x - low.x, y, z - low.z}, {x - up.x, y, z - up.z}};
        lcp_contact(p, (const int[2]){a, b}, arm, normal, 0.5);
        p->b[p->rows - 3] = -opens;
    }
}

// rows of boxes, `shrinks` from each to the next; every face wants to open a little
static lcpProblem* boxes_at_rest(int wide, int high, int shrinks, double opens) {
    wallBox boxes[LCP_MOST_BODIES];
    int count = 0;
    for (int k = 0; k < high; ++k)
        for (int i = 0; i < wide - k * shrinks; ++i)
            boxes[count++] = (wallBox){i + 0.5 * k * shrinks, k + 0.5};
    lcpProblem* p = lcp_begin(count, 2);
    double wants[LCP_ROWS];
    for (int b = 0; b < count; ++b) {
        p->w[6 * b + 2] = -0.05;
        for (int k = 0; k < 6; ++k) p->inverse_mass[6 * b + k] = k < 3 ? 1.0 : 6.0;
        if (boxes[b].z < 1.0) add_face_contacts(p, boxes, -1, b, opens);
        for (int a = 0; a < b; ++a) {
            double dx = fabs(boxes[b].x - boxes[a].x), dz = boxes[b].z - boxes[a].z;
            if ((dz == 1.0 && dx < 0.9) || (dz == 0.0 && dx == 1.0))
                add_face_contacts(p, boxes, a, b, opens);
        }
    }
    memcpy(wants, p->b, sizeof wants);
    lcp_finish(p);
    for (int i = 0; i < p->rows; i += 3) p->b[i] += wants[i];
    return p;
}

static int walls_and_pyramids_are_solved(void) {
    lcpOutcome out = {0};
    int most = getenv("TACTUS_NO_SWEEP") ? 4 : 5, contacts = 0;
    for (int n = 2; n <= most; ++n)
        for (int kind = 0; kind < 4; ++kind) {
            lcpProblem* p = boxes_at_rest(n, n, kind & 1, kind & 2 ? 1e-5 : 0.0);
            solve_lcp(p, &out);
            contacts = p->contacts > contacts ? p->contacts : contacts;
            free(p);
        }
    printf("  walls and pyramids of up to %d contacts: %d unsolved, %.1e of the scale, at most %d "
           "systems\n",
           contacts, out.unsolved, out.residual, out.passes);
    ENSURE(out.unsolved == 0 && out.residual <= 1e-8);
    ENSURE(out.passes <= 200);
    return 0;
}

// of all answers with the same motion it is next to the shortest: a box on four corners is carried
// by all of them alike, and faces that nothing presses carry nothing
static int answer_is_near_the_shortest(void) {
    lcpProblem* p = boxes_at_rest(3, 1, 0, 0.0);
    double f[LCP_ROWS];
    unsigned char active_set[LCP_ROWS];
    void* memory = malloc(tac_proximal_size(p->contacts, p->tangents));
    tacProximal points = tac_proximal(&p->lcp, NULL, memory);
    for (int k = 0; k < 4; ++k) tac_proximal_next(&points, f, active_set);
    for (int i = 0; i < p->rows; i += 3) {
        int carries = p->J[i * p->speeds + 6 * (i / 3 / 4 % 3) + 2] != 0.0 || p->b[i] < 0.0;
        ENSURE_NEAR(f[i], carries ? 0.0125 : 0.0, 1e-7);
        ENSURE(!carries || active_set[i] == TAC_LCP_TIGHT);
    }
    free(memory);
    free(p);
    return 0;
}

//---------------------------------- heaps ----------------------------------

// contacts between neighbours in a heap, a third of them copies, half of the heaps with few normals
static lcpProblem* heap_problem(unsigned long long seed, int bodies, int count) {
    testRandom random = {seed * 0x9e3779b97f4a7c15ull + 7};
    lcpProblem* p = lcp_begin(bodies, 2);
    int body[2] = {-1, 0}, few = (int)(test_bits(&random) % 2);
    double arm[2][3] = {{0.0}}, normal[3] = {0.0, 0.0, 1.0}, mu = 0.5;
    lcp_random_bodies(p, &random);
    for (int c = 0; c < count; ++c) {
        if (c % 3 != 2) {
            body[1] = c < bodies ? c : (int)(test_bits(&random) % (unsigned)bodies);
            body[0] = body[1] - 1 - (int)(test_bits(&random) % 3);
            if (body[0] < 0) body[0] = -1;
            for (int i = 0; i < 6; ++i) arm[i / 3][i % 3] = test_uniform(&random, -1.0, 1.0);
            for (int i = 0; i < 3; ++i) normal[i] = few ? 0.0 : test_uniform(&random, -1.0, 1.0);
            if (few) normal[test_bits(&random) % 3] = test_bits(&random) % 2 ? 1.0 : -1.0;
            unit3(normal);
            mu = test_uniform(&random, 0.0, 1.0);
        }
        lcp_contact(p, body, arm, normal, mu);
    }
    lcp_finish(p);
    return p;
}

// all that are solved in reasonable time; few of the very largest may not be, and say so
static int heaps_are_solved(void) {
    int large[] = {20, 40, 80, 160, 300}, kinds = getenv("TACTUS_NO_SWEEP") ? 2 : 3;
    int count = getenv("TACTUS_NO_SWEEP") ? 4 : getenv("TACTUS_SWEEP") ? 100 : 16;
    if (getenv("TACTUS_SWEEP")) kinds = 5;
    for (int k = 0; k < kinds; ++k) {
        lcpOutcome out = {0};
        int bodies = large[k] / 5 < LCP_MOST_BODIES ? large[k] / 5 : LCP_MOST_BODIES;
        for (int i = 0; i < count; ++i) {
            lcpProblem* p = heap_problem((unsigned long long)i, bodies, large[k]);
            solve_lcp(p, &out);
            free(p);
        }
        printf("  %d heaps of %d contacts: Newton %d, proximal %d, others %d, unsolved %d, %.1e of "
               "the scale, at most %d systems\n",
               count, large[k], out.methods[TAC_LCP_NEWTON], out.methods[TAC_LCP_PROXIMAL],
               count - out.methods[1] - out.methods[TAC_LCP_PROXIMAL] - out.unsolved, out.unsolved,
               out.residual, out.passes);
        ENSURE(out.unsolved <= (large[k] > 160 ? count / 20 : 0) && out.residual <= 1e-8);
    }
    return 0;
}

// the method by itself, on the generated family: it seldom fails, and others take over there
static int proximal_points_alone_seldom_fail(void) {
    int count = getenv("TACTUS_NO_SWEEP") ? 100 : 1000, failed = 0;
    for (int i = 0; i < count; ++i) {
        lcpProblem* p = lcp_random((unsigned long long)i);
        void* memory = malloc(tac_proximal_size(p->contacts, p->tangents));
        tacProximal points = tac_proximal(&p->lcp, NULL, memory);
        double scale, residual = INFINITY;
        for (int k = 0; k < 40 && !(residual <= 1e-9); ++k) {
            tac_proximal_next(&points, p->f, p->active_set);
            residual = tac_lcp_residual(&p->lcp, p->f, &scale) / scale;
        }
        failed += !(residual <= 1e-9);
        free(memory);
        free(p);
    }
    printf("  alone it fails on %.1f %% of %d\n", 100.0 * failed / count, count);
    ENSURE(failed <= count / 20);
    return 0;
}

TEST_MAIN(RUN(walls_and_pyramids_are_solved), RUN(answer_is_near_the_shortest),
          RUN(heaps_are_solved), RUN(proximal_points_alone_seldom_fail))
