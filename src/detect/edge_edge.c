// Nearest points of many pairs of edges: the arrays of tactus/witness.h in the kernels' order.

#include "detect/witness.h"

static void list_corners(tacEdgePairs pairs, const tacReal** out) {
    for (int k = 0; k < 12; ++k) out[k] = pairs.corner[k / 3][k % 3];
}

static void list_witness(tacEdgeWitness w, tacReal** out) {
    out[0] = w.alpha[0];
    out[1] = w.alpha[1];
    out[2] = w.colliding;
    out[9] = w.distance;
    for (int k = 0; k < 6; ++k) out[3 + k] = w.point[k / 3][k % 3];
    for (int k = 0; k < 3; ++k) out[10 + k] = w.normal[k];
}

static const tacWitnessRoutine* routine(void) {
    return &TAC_DISPATCH(tac_witness_kernels_)->edge_edge;
}

tacResult tac_edge_edge(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgeWitness out) {
    tacWitnessArrays arrays;
    list_corners(pairs, arrays.in);
    list_witness(out, arrays.out);
    return tac_witness_value(routine(), options, pairs.count, &arrays);
}

tacResult tac_edge_edge_jvp(const tacWitnessOptions* options, tacEdgePairs pairs, tacEdgePairs dot,
                            const tacWitnessOptions* options_dot, tacEdgeWitness out) {
    tacWitnessArrays arrays;
    list_corners(pairs, arrays.in);
    list_corners(dot, arrays.dot);
    list_witness(out, arrays.out);
    return tac_witness_jvp(routine(), options, options_dot, pairs.count, &arrays);
}

tacResult tac_edge_edge_vjp(const tacWitnessOptions* options, tacEdgePairs pairs,
                            tacEdgeWitness bar, tacEdgePairsBar pairs_bar,
                            tacWitnessOptions* options_bar) {
    tacWitnessArrays arrays;
    list_corners(pairs, arrays.in);
    list_witness(bar, (tacReal**)arrays.dot);
    for (int k = 0; k < 12; ++k) arrays.out[k] = pairs_bar.corner[k / 3][k % 3];
    return tac_witness_vjp(routine(), options, options_bar, pairs.count, &arrays);
}
