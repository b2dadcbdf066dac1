// tactus bench witness: closest points of edges and of a vertex and a face, in cache and streamed,
// against scalar libm and log barriers (paper 001, Fig. 6).

#include "bench/bench.h"
#include "bench/witness_work.h"

#include "base/dispatch.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// 1000: arrays of 8 kB would fall on the same lines of the cache
enum { IN_CACHE = 1000, STREAMED = 10000000 };

static void witness_row(benchReport* report, const char* what, double value, const char* unit,
                        char relation, double bound) {
    char id[120];
    snprintf(id, sizeof id, "witness/%s/%s", tac_isa_name(tac_isa()), what);
    bench_row(report, id, value, unit, relation, bound);
}

//---------------------------------- accuracy ----------------------------------

// mean difference of the parameters from the exact solution
static double mean_error(const witnessArrays* a, witnessWork* work) {
    static double exact[2][IN_CACHE];
    witnessWork hard = {a, WITNESS_EXACT, 0.0};
    double sum = 0.0;
    bench_witness_run(&hard);
    for (int k = 0; k < 2; ++k) memcpy(exact[k], a->out[k], sizeof exact[k]);
    bench_witness_run(work);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < IN_CACHE; ++i) sum += fabs(a->out[k][i] - exact[k][i]);
    return sum / (2 * IN_CACHE);
}

//---------------------------------- parts ----------------------------------

static int bench_in_cache(benchReport* report) {
    static const double mu[] = {1e-2, 1e-3, 1e-4, 1e-5};
    witnessArrays a;
    if (!bench_witness_fill(&a, IN_CACHE)) return 1;
    witnessWork work[14] = {{&a, WITNESS_SCALAR, 0},     {&a, WITNESS_SMOOTH, 0},
                            {&a, WITNESS_EXACT, 0},      {&a, WITNESS_FACE, 0},
                            {&a, WITNESS_FACE_EXACT, 0}, {&a, WITNESS_POLYGON, 0}};
    benchWork list[14];
    double ns[14];
    for (int i = 0; i < 4; ++i) {
        work[6 + i] = (witnessWork){&a, WITNESS_POINT, mu[i]};
        work[10 + i] = (witnessWork){&a, WITNESS_LBFGS, mu[i]};
    }
    for (int i = 0; i < 14; ++i) list[i] = (benchWork){bench_witness_run, &work[i]};
    bench_times(list, 2, ns);
    bench_times(list + 2, 12, ns + 2);
    witness_row(report, "edges, scalar libm", ns[0] / IN_CACHE, "ns", ' ', 0.0);
    witness_row(report, "edges, smooth", ns[1] / IN_CACHE, "ns", ' ', 0.0);
    witness_row(report, "edges, smooth: mean error of alpha", mean_error(&a, &work[1]), "", ' ',
                0.0);
    witness_row(report, "edges, exact", ns[2] / IN_CACHE, "ns", ' ', 0.0);
    witness_row(report, "vertex and face, smooth", ns[3] / IN_CACHE, "ns", ' ', 0.0);
    witness_row(report, "vertex and face, exact", ns[4] / IN_CACHE, "ns", ' ', 0.0);
    witness_row(report, "vertex and face as polygons, smooth", ns[5] / IN_CACHE, "ns", ' ', 0.0);
    for (int i = 0; i < 8; ++i) {
        char what[80];
        const char* name = i < 4 ? "interior point" : "L-BFGS barrier";
        snprintf(what, sizeof what, "edges, %s, mu %g", name, mu[i % 4]);
        witness_row(report, what, ns[6 + i] / IN_CACHE, "ns", ' ', 0.0);
        snprintf(what, sizeof what, "edges, %s, mu %g: mean error of alpha", name, mu[i % 4]);
        witness_row(report, what, mean_error(&a, &work[6 + i]), "", ' ', 0.0);
    }
    witness_row(report, "edges, scalar : smooth", ns[0] / ns[1], "x", '>',
                tac_isa() == TAC_ISA_BASELINE ? 3.0 : 15.0);
    bench_witness_release(&a);
    return 0;
}

// the smallest of a few runs: each streams through memory
static int bench_streamed(benchReport* report) {
    witnessArrays a;
    if (!bench_witness_fill(&a, STREAMED)) return 0; // not enough memory for it here
    witnessWork work[3] = {
        {&a, WITNESS_SMOOTH, 0}, {&a, WITNESS_EXACT, 0}, {&a, WITNESS_STREAM, 0}};
    benchWork list[3];
    double ns[3];
    for (int i = 0; i < 3; ++i) list[i] = (benchWork){bench_witness_run, &work[i]};
    bench_times_rounds(list, 3, 5, ns);
    witness_row(report, "edges, 1e7 pairs, smooth", ns[0] / STREAMED, "ns", ' ', 0.0);
    witness_row(report, "edges, 1e7 pairs, exact", ns[1] / STREAMED, "ns", ' ', 0.0);
    witness_row(report, "edges, 1e7 pairs, arrays alone", ns[2] / STREAMED, "ns", ' ', 0.0);
    witness_row(report, "edges, 1e7 pairs, smooth : arrays alone", ns[0] / ns[2], "x", '<', 3.0);
    bench_witness_release(&a);
    return 0;
}

static int bench_batches(benchReport* report) {
    static const int sizes[] = {1, 16, 256, 4096, 65536};
    for (int i = 0; i < 5; ++i) {
        char what[60];
        witnessArrays a;
        double ns[3];
        if (!bench_witness_fill(&a, sizes[i])) return 1;
        witnessWork work[3] = {
            {&a, WITNESS_SMOOTH, 0}, {&a, WITNESS_EXACT, 0}, {&a, WITNESS_POINT, 1e-3}};
        benchWork list[3] = {{bench_witness_run, &work[0]},
                             {bench_witness_run, &work[1]},
                             {bench_witness_run, &work[2]}};
        bench_times_rounds(list, 3, 40, ns);
        snprintf(what, sizeof what, "edges, batch %d, smooth", sizes[i]);
        witness_row(report, what, ns[0] / sizes[i], "ns", ' ', 0.0);
        snprintf(what, sizeof what, "edges, batch %d, exact", sizes[i]);
        witness_row(report, what, ns[1] / sizes[i], "ns", ' ', 0.0);
        snprintf(what, sizeof what, "edges, batch %d, interior point", sizes[i]);
        witness_row(report, what, ns[2] / sizes[i], "ns", ' ', 0.0);
        bench_witness_release(&a);
    }
    return 0;
}

int bench_witness(benchReport* report) {
    return bench_in_cache(report) || bench_batches(report) || bench_streamed(report);
}
