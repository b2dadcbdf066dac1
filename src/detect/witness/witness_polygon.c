// Nearest points of many pairs of polygons: the arrays of tactus/witness.h in the kernels' order.

#include "detect/witness/witness.h"
#include "detect/witness/witness_polygon_kernels.h"

static int counts_valid(const int corners[2]) {
    return corners[0] >= 1 && corners[0] <= 3 && corners[1] >= 1 && corners[1] <= 3;
}

static const tacWitnessRoutine* polygon_routine(const int corners[2]) {
    return &TAC_DISPATCH(tac_polygon_kernels_)->pair[corners[0] - 1][corners[1] - 1];
}

static void polygon_corners(tacPolygonPairs pairs, const int corners[2], const tacReal** out) {
    for (int k = 0; k < 3 * (corners[0] + corners[1]); ++k) out[k] = pairs.corner[k / 3][k % 3];
}

static void polygon_outputs(const int corners[2], tacPolygonWitness w, tacReal** out) {
    int c = corners[0] + corners[1];
    for (int j = 0; j < c; ++j) out[j] = w.alpha[j];
    out[c] = w.colliding;
    out[c + 7] = w.distance;
    for (int k = 0; k < 6; ++k) out[c + 1 + k] = w.point[k / 3][k % 3];
    for (int k = 0; k < 3; ++k) out[c + 8 + k] = w.normal[k];
}

tacResult tac_polygon_witness(const tacWitnessOptions* options, tacPolygonPairs pairs,
                              tacPolygonWitness out) {
    tacWitnessArrays arrays;
    if (!counts_valid(pairs.corners)) return TAC_ERROR_VALUE;
    polygon_corners(pairs, pairs.corners, arrays.in);
    polygon_outputs(pairs.corners, out, arrays.out);
    return tac_witness_value(polygon_routine(pairs.corners), options, pairs.count, &arrays);
}

tacResult tac_polygon_witness_jvp(const tacWitnessOptions* options, tacPolygonPairs pairs,
                                  tacPolygonPairs dot, const tacWitnessOptions* options_dot,
                                  tacPolygonWitness out) {
    tacWitnessArrays arrays;
    if (!counts_valid(pairs.corners)) return TAC_ERROR_VALUE;
    polygon_corners(pairs, pairs.corners, arrays.in);
    polygon_corners(dot, pairs.corners, arrays.dot);
    polygon_outputs(pairs.corners, out, arrays.out);
    return tac_witness_jvp(polygon_routine(pairs.corners), options, options_dot, pairs.count,
                           &arrays);
}

tacResult tac_polygon_witness_vjp(const tacWitnessOptions* options, tacPolygonPairs pairs,
                                  tacPolygonWitness bar, tacPolygonPairsBar pairs_bar,
                                  tacWitnessOptions* options_bar) {
    tacWitnessArrays arrays;
    if (!counts_valid(pairs.corners)) return TAC_ERROR_VALUE;
    polygon_corners(pairs, pairs.corners, arrays.in);
    polygon_outputs(pairs.corners, bar, (tacReal**)arrays.dot);
    for (int k = 0; k < 3 * (pairs.corners[0] + pairs.corners[1]); ++k)
        arrays.out[k] = pairs_bar.corner[k / 3][k % 3];
    return tac_witness_vjp(polygon_routine(pairs.corners), options, options_bar, pairs.count,
                           &arrays);
}
