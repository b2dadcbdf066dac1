// tactus bench witness: nearest points of edges and of a vertex and a face, in cache and streamed,
// against scalar libm and log barriers (paper 001, Fig. 6).

#include "bench/bench.h"
#include "bench/scalar_edge_edge.h"
#include "bench/witness_rivals.h"

#include "base/dispatch.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 1000: arrays of 8 kB would fall on the same lines of the cache
enum { IN_CACHE = 1000, STREAMED = 10000000, INPUTS = 12, OUTPUTS = 9 };

static unsigned long long state = 88172645463325252ull;

static double uniform(void) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

// pairs uniform in the unit cube, and room for results
typedef struct witnessArrays {
    int count;
    double *in[INPUTS], *out[OUTPUTS];
} witnessArrays;

typedef enum { SCALAR, SMOOTH, EXACT, FACE, FACE_EXACT, POLYGON, POINT, LBFGS, STREAM } witnessKind;

typedef struct witnessWork {
    const witnessArrays* arrays;
    witnessKind kind;
    double mu;
} witnessWork;

static void release(witnessArrays* a) {
    for (int k = 0; k < INPUTS; ++k) free(a->in[k]);
    for (int k = 0; k < OUTPUTS; ++k) free(a->out[k]);
}

static int fill(witnessArrays* a, int count) {
    int good = 1;
    *a = (witnessArrays){.count = count};
    for (int k = 0; k < INPUTS; ++k)
        good &= (a->in[k] = aligned_alloc(64, sizeof(double) * (size_t)count)) != NULL;
    for (int k = 0; k < OUTPUTS; ++k)
        good &= (a->out[k] = aligned_alloc(64, sizeof(double) * (size_t)count)) != NULL;
    for (int k = 0; k < INPUTS && good; ++k)
        for (int i = 0; i < count; ++i) a->in[k][i] = uniform();
    for (int k = 0; k < OUTPUTS && good; ++k) memset(a->out[k], 0, sizeof(double) * (size_t)count);
    if (!good) release(a);
    return good;
}

//---------------------------------- works ----------------------------------

static void run_edges(const witnessArrays* a, int exact) {
    tacWitnessOptions options = tac_published_witness_options();
    tacEdgePairs pairs = {.count = a->count};
    tacEdgeWitness out = {.alpha = {a->out[0], a->out[1]}, .colliding = a->out[2]};
    options.exact = exact;
    for (int k = 0; k < 12; ++k) pairs.corner[k / 3][k % 3] = a->in[k];
    for (int k = 0; k < 6; ++k) out.point[k / 3][k % 3] = a->out[3 + k];
    tac_edge_edge(&options, pairs, out);
}

static void run_faces(const witnessArrays* a, int exact) {
    tacWitnessOptions options = tac_published_witness_options();
    tacVertexFaces pairs = {.count = a->count, .vertex = {a->in[0], a->in[1], a->in[2]}};
    tacFaceWitness out = {.alpha = {a->out[0], a->out[1], a->out[2]},
                          .point = {a->out[3], a->out[4], a->out[5]}};
    options.exact = exact;
    for (int k = 0; k < 9; ++k) pairs.corner[k / 3][k % 3] = a->in[3 + k];
    tac_vertex_face(&options, pairs, out);
}

// the same by the routine for any two polygons
static void run_polygons(const witnessArrays* a) {
    tacWitnessOptions options = tac_published_witness_options();
    tacPolygonPairs pairs = {.count = a->count, .corners = {1, 3}};
    tacPolygonWitness out = {.alpha = {NULL, a->out[0], a->out[1], a->out[2]},
                             .point = {{0}, {a->out[3], a->out[4], a->out[5]}}};
    for (int k = 0; k < 12; ++k) pairs.corner[k / 3][k % 3] = a->in[k];
    tac_polygon_witness(&options, pairs, out);
}

// all arrays once, with next to no arithmetic: nine are copied, three are added to one of those
static void run_stream(const witnessArrays* a) {
    enum { BLOCK = 1000 };
    for (int first = 0; first < a->count; first += BLOCK) {
        int count = a->count - first < BLOCK ? a->count - first : BLOCK;
        for (int k = 0; k < OUTPUTS; ++k)
            memcpy(a->out[k] + first, a->in[k] + first, sizeof(double) * (size_t)count);
        for (int k = OUTPUTS; k < INPUTS; ++k)
            for (int i = first; i < first + count; ++i) a->out[0][i] += a->in[k][i];
    }
}

static void run(void* context) {
    const witnessWork* w = context;
    const witnessArrays* a = w->arrays;
    const double* const* in = (const double* const*)a->in;
    switch (w->kind) {
    case SCALAR:
        bench_scalar_edge_edge(in, a->out, a->count);
        break;
    case SMOOTH:
        run_edges(a, 0);
        break;
    case EXACT:
        run_edges(a, 1);
        break;
    case FACE:
        run_faces(a, 0);
        break;
    case FACE_EXACT:
        run_faces(a, 1);
        break;
    case POLYGON:
        run_polygons(a);
        break;
    case POINT:
        bench_interior_point(in, a->out, a->count, w->mu);
        break;
    case LBFGS:
        bench_lbfgs(in, a->out, a->count, w->mu);
        break;
    case STREAM:
        run_stream(a);
        break;
    }
}

static void row(benchReport* report, const char* what, double value, const char* unit,
                char relation, double bound) {
    char id[120];
    snprintf(id, sizeof id, "witness/%s/%s", tac_isa_name(tac_isa()), what);
    bench_row(report, id, value, unit, relation, bound);
}

//---------------------------------- accuracy ----------------------------------

// mean difference of the places to those of the exact answer
static double mean_error(const witnessArrays* a, witnessWork* work) {
    static double exact[2][IN_CACHE];
    witnessWork hard = {a, EXACT, 0.0};
    double sum = 0.0;
    run(&hard);
    for (int k = 0; k < 2; ++k) memcpy(exact[k], a->out[k], sizeof exact[k]);
    run(work);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < IN_CACHE; ++i) sum += fabs(a->out[k][i] - exact[k][i]);
    return sum / (2 * IN_CACHE);
}

//---------------------------------- parts ----------------------------------

static int bench_in_cache(benchReport* report) {
    static const double mu[] = {1e-2, 1e-3, 1e-4, 1e-5};
    witnessArrays a;
    if (!fill(&a, IN_CACHE)) return 1;
    witnessWork work[14] = {{&a, SCALAR, 0}, {&a, SMOOTH, 0},     {&a, EXACT, 0},
                            {&a, FACE, 0},   {&a, FACE_EXACT, 0}, {&a, POLYGON, 0}};
    benchWork list[14];
    double ns[14];
    for (int i = 0; i < 4; ++i)
        work[6 + i] = (witnessWork){&a, POINT, mu[i]},
                 work[10 + i] = (witnessWork){&a, LBFGS, mu[i]};
    for (int i = 0; i < 14; ++i) list[i] = (benchWork){run, &work[i]};
    bench_times(list, 2, ns);
    bench_times(list + 2, 12, ns + 2);
    row(report, "edges, scalar libm", ns[0] / IN_CACHE, "ns", ' ', 0.0);
    row(report, "edges, smooth", ns[1] / IN_CACHE, "ns", ' ', 0.0);
    row(report, "edges, smooth: mean error of alpha", mean_error(&a, &work[1]), "", ' ', 0.0);
    row(report, "edges, exact", ns[2] / IN_CACHE, "ns", ' ', 0.0);
    row(report, "vertex and face, smooth", ns[3] / IN_CACHE, "ns", ' ', 0.0);
    row(report, "vertex and face, exact", ns[4] / IN_CACHE, "ns", ' ', 0.0);
    row(report, "vertex and face as polygons, smooth", ns[5] / IN_CACHE, "ns", ' ', 0.0);
    for (int i = 0; i < 8; ++i) {
        char what[80];
        const char* name = i < 4 ? "interior point" : "L-BFGS barrier";
        snprintf(what, sizeof what, "edges, %s, mu %g", name, mu[i % 4]);
        row(report, what, ns[6 + i] / IN_CACHE, "ns", ' ', 0.0);
        snprintf(what, sizeof what, "edges, %s, mu %g: mean error of alpha", name, mu[i % 4]);
        row(report, what, mean_error(&a, &work[6 + i]), "", ' ', 0.0);
    }
    row(report, "edges, scalar : smooth", ns[0] / ns[1], "x", '>',
        tac_isa() == TAC_ISA_BASELINE ? 3.0 : 15.0);
    release(&a);
    return 0;
}

// the least of a few runs: each streams through memory for a while
static int bench_streamed(benchReport* report) {
    witnessArrays a;
    if (!fill(&a, STREAMED)) return 0; // not enough memory for it here
    witnessWork work[3] = {{&a, SMOOTH, 0}, {&a, EXACT, 0}, {&a, STREAM, 0}};
    benchWork list[3];
    double ns[3];
    for (int i = 0; i < 3; ++i) list[i] = (benchWork){run, &work[i]};
    bench_few_times(list, 3, 5, ns);
    row(report, "edges, 1e7 pairs, smooth", ns[0] / STREAMED, "ns", ' ', 0.0);
    row(report, "edges, 1e7 pairs, exact", ns[1] / STREAMED, "ns", ' ', 0.0);
    row(report, "edges, 1e7 pairs, arrays alone", ns[2] / STREAMED, "ns", ' ', 0.0);
    row(report, "edges, 1e7 pairs, smooth : arrays alone", ns[0] / ns[2], "x", '<', 3.0);
    release(&a);
    return 0;
}

static int bench_batches(benchReport* report) {
    static const int sizes[] = {1, 16, 256, 4096, 65536};
    for (int i = 0; i < 5; ++i) {
        char what[60];
        witnessArrays a;
        double ns[3];
        if (!fill(&a, sizes[i])) return 1;
        witnessWork work[3] = {{&a, SMOOTH, 0}, {&a, EXACT, 0}, {&a, POINT, 1e-3}};
        benchWork list[3] = {{run, &work[0]}, {run, &work[1]}, {run, &work[2]}};
        bench_few_times(list, 3, 40, ns);
        snprintf(what, sizeof what, "edges, batch %d, smooth", sizes[i]);
        row(report, what, ns[0] / sizes[i], "ns", ' ', 0.0);
        snprintf(what, sizeof what, "edges, batch %d, exact", sizes[i]);
        row(report, what, ns[1] / sizes[i], "ns", ' ', 0.0);
        snprintf(what, sizeof what, "edges, batch %d, interior point", sizes[i]);
        row(report, what, ns[2] / sizes[i], "ns", ' ', 0.0);
        release(&a);
    }
    return 0;
}

int bench_witness(benchReport* report) {
    return bench_in_cache(report) || bench_batches(report) || bench_streamed(report);
}
