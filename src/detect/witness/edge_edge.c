// Nearest points of many pairs of edges: the arrays of tactus/witness.h in the kernels' order.

#include "detect/witness/witness.h"

static void edge_corners(tacEdgePairs pairs, const tacReal** out) {
    for (int k = 0; k < 12; ++k) out[k] = pairs.corner[k / 3][k % 3];
}

static void edge_outputs(tacEdgeWitness w, tacReal** out) {
    out[0] = w.alpha[0];
    out[1] = w.alpha[1];
    out[2] = w.colliding;
    out[9] = w.distance;
    for (int k = 0; k < 6; ++k) out[3 + k] = w.point[k / 3][k % 3];
    for (int k = 0; k < 3; ++k) out[10 + k] = w.normal[k];
}

static const tacWitnessRoutine* edge_edge_routine(void) {
    return &TAC_DISPATCH(tac_witness_kernels_)->edge_edge;
}

tacResult tac_edge_edge(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgeWitness out) {
    tacWitnessArrays arrays;
    edge_corners(pairs, arrays.in);
    edge_outputs(out, arrays.out);
    return tac_witness_value(edge_edge_routine(), options, pairs.count, &arrays);
}

tacResult tac_edge_edge_jvp(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgePairs dot,
                            const tacWitnessOptions* options_dot, tacEdgeWitness out) {
    tacWitnessArrays arrays;
    edge_corners(pairs, arrays.in);
    edge_corners(dot, arrays.dot);
    edge_outputs(out, arrays.out);
    return tac_witness_jvp(edge_edge_routine(), options, options_dot, pairs.count, &arrays);
}

tacResult tac_edge_edge_vjp(const tacWitnessOptions* options, tacEdgePairs pairs,
                            tacEdgeWitness bar, tacEdgePairsBar pairs_bar,
                            tacWitnessOptions* options_bar) {
    tacWitnessArrays arrays;
    edge_corners(pairs, arrays.in);
    edge_outputs(bar, (tacReal**)arrays.dot);
    for (int k = 0; k < 12; ++k) arrays.out[k] = pairs_bar.corner[k / 3][k % 3];
    return tac_witness_vjp(edge_edge_routine(), options, options_bar, pairs.count, &arrays);
}
