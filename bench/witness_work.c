// Pairs of features in the unit cube, and methods to find their closest points.

#include "bench/witness_work.h"
#include "cli/random.h"

#include "bench/baselines/scalar_edge_edge.h"
#include "bench/baselines/witness_baselines.h"

#include "tactus/tactus.h"
#include "tactus/witness.h"

#include <stdlib.h>
#include <string.h>

void bench_witness_release(witnessArrays* a) {
    for (int k = 0; k < WITNESS_INPUTS; ++k) free(a->in[k]);
    for (int k = 0; k < WITNESS_OUTPUTS; ++k) free(a->out[k]);
}

int bench_witness_fill(witnessArrays* a, int count) {
    static unsigned long long random_state = CLI_XORSHIFT_SEED;
    int good = 1;
    *a = (witnessArrays){.count = count};
    for (int k = 0; k < WITNESS_INPUTS; ++k)
        good &= (a->in[k] = aligned_alloc(64, sizeof(double) * (size_t)count)) != NULL;
    for (int k = 0; k < WITNESS_OUTPUTS; ++k)
        good &= (a->out[k] = aligned_alloc(64, sizeof(double) * (size_t)count)) != NULL;
    for (int k = 0; k < WITNESS_INPUTS && good; ++k)
        for (int i = 0; i < count; ++i) a->in[k][i] = cli_random_xorshift(&random_state);
    for (int k = 0; k < WITNESS_OUTPUTS && good; ++k)
        memset(a->out[k], 0, sizeof(double) * (size_t)count);
    if (!good) bench_witness_release(a);
    return good;
}

//---------------------------------- works ----------------------------------

static void run_edges(const witnessArrays* a, int exact) {
    tacWitnessOptions options = tac_reference_witness_options();
    tacEdgePairs pairs = {.count = a->count};
    tacEdgeWitness out = {.alpha = {a->out[0], a->out[1]}, .colliding = a->out[2]};
    options.exact = exact;
    for (int k = 0; k < 12; ++k) pairs.corner[k / 3][k % 3] = a->in[k];
    for (int k = 0; k < 6; ++k) out.point[k / 3][k % 3] = a->out[3 + k];
    tac_edge_edge(&options, pairs, out);
}

static void run_faces(const witnessArrays* a, int exact) {
    tacWitnessOptions options = tac_reference_witness_options();
    tacVertexFaces pairs = {.count = a->count, .vertex = {a->in[0], a->in[1], a->in[2]}};
    tacFaceWitness out = {.alpha = {a->out[0], a->out[1], a->out[2]},
                          .point = {a->out[3], a->out[4], a->out[5]}};
    options.exact = exact;
    for (int k = 0; k < 9; ++k) pairs.corner[k / 3][k % 3] = a->in[3 + k];
    tac_vertex_face(&options, pairs, out);
}

// the same by the routine for any two polygons
static void run_polygons(const witnessArrays* a) {
    tacWitnessOptions options = tac_reference_witness_options();
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
        for (int k = 0; k < WITNESS_OUTPUTS; ++k)
            memcpy(a->out[k] + first, a->in[k] + first, sizeof(double) * (size_t)count);
        for (int k = WITNESS_OUTPUTS; k < WITNESS_INPUTS; ++k)
            for (int i = first; i < first + count; ++i) a->out[0][i] += a->in[k][i];
    }
}

void bench_witness_run(void* context) {
    const witnessWork* w = context;
    const witnessArrays* a = w->arrays;
    const double* const* in = (const double* const*)a->in;
    switch (w->kind) {
    case WITNESS_SCALAR:
        bench_scalar_edge_edge(in, a->out, a->count);
        break;
    case WITNESS_SMOOTH:
        run_edges(a, 0);
        break;
    case WITNESS_EXACT:
        run_edges(a, 1);
        break;
    case WITNESS_FACE:
        run_faces(a, 0);
        break;
    case WITNESS_FACE_EXACT:
        run_faces(a, 1);
        break;
    case WITNESS_POLYGON:
        run_polygons(a);
        break;
    case WITNESS_POINT:
        bench_interior_point(in, a->out, a->count, w->mu);
        break;
    case WITNESS_LBFGS:
        bench_lbfgs(in, a->out, a->count, w->mu);
        break;
    case WITNESS_FACE_POINT:
        bench_face_interior_point(in, a->out, a->count, w->mu);
        break;
    case WITNESS_FACE_LBFGS:
        bench_face_lbfgs(in, a->out, a->count, w->mu);
        break;
    case WITNESS_STREAM:
        run_stream(a);
        break;
    }
}
