// The map of adapter_witness_polygon.h in the number type of this build.

#include "witness/adapter_witness_polygon.h"

static tacWitnessOptions load_options(const polygonMap* m, const tacReal* x) {
    const tacReal* o = x + polygon_inputs(m) - 4;
    return (tacWitnessOptions){.tikhonov = o[0],
                               .min = o[1],
                               .clip = 0.02,
                               .inside = o[2],
                               .gap = o[3],
                               .exact = m->exact};
}

static tacPolygonPairs load_pairs(const polygonMap* m, const tacReal* x) {
    tacPolygonPairs p = {.count = 1, .corners = {m->corners[0], m->corners[1]}};
    for (int k = 0; k < polygon_inputs(m) - 4; ++k) p.corner[k / 3][k % 3] = x + k;
    return p;
}

static tacPolygonWitness load_witness(const polygonMap* m, tacReal* y) {
    int c = m->corners[0] + m->corners[1];
    tacPolygonWitness w = {.colliding = y + c, .distance = y + c + 7};
    for (int j = 0; j < c; ++j) w.alpha[j] = y + j;
    for (int k = 0; k < 6; ++k) w.point[k / 3][k % 3] = y + c + 1 + k;
    for (int k = 0; k < 3; ++k) w.normal[k] = y + c + 8 + k;
    return w;
}

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    tacWitnessOptions options = load_options(map, x);
    return tac_polygon_witness(&options, load_pairs(map, x), load_witness(map, y));
}

static tacResult jvp(const void* map, const tacReal* x, const tacReal* dot, tacReal* y_dot) {
    tacWitnessOptions options = load_options(map, x), options_dot = load_options(map, dot);
    return tac_polygon_witness_jvp(&options, load_pairs(map, x), load_pairs(map, dot), &options_dot,
                                   load_witness(map, y_dot));
}

static tacResult vjp(const void* map, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    const polygonMap* m = map;
    tacWitnessOptions options = load_options(m, x), sum = {0};
    tacPolygonPairsBar bar = {0};
    int corners = polygon_inputs(m) - 4;
    for (int k = 0; k < corners; ++k) {
        x_bar[k] = 0.0;
        bar.corner[k / 3][k % 3] = x_bar + k;
    }
    tacResult result = tac_polygon_witness_vjp(&options, load_pairs(m, x),
                                               load_witness(m, (tacReal*)y_bar), bar, &sum);
    x_bar[corners] = sum.tikhonov;
    x_bar[corners + 1] = sum.min;
    x_bar[corners + 2] = sum.inside;
    x_bar[corners + 3] = sum.gap;
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_polygon_) = {value, jvp, vjp};
