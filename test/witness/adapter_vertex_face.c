// The map of adapter_vertex_face.h in the number type of this build.

#include "witness/adapter_vertex_face.h"

static tacWitnessOptions load_options(const faceMap* m, const tacReal* x) {
    return (tacWitnessOptions){
        x[12], x[13], x[14], x[15], (tacReal)0.0, x[16], (tacWitnessUnits)m->units, m->exact};
}

static tacVertexFaces load_pairs(const tacReal* x) {
    tacVertexFaces pairs = {.count = 1, .vertex = {x, x + 1, x + 2}};
    for (int k = 0; k < 9; ++k) pairs.corner[k / 3][k % 3] = x + 3 + k;
    return pairs;
}

static tacFaceWitness load_witness(tacReal* y) {
    return (tacFaceWitness){.alpha = {y, y + 1, y + 2},
                            .colliding = y + 3,
                            .point = {y + 4, y + 5, y + 6},
                            .distance = y + 7,
                            .normal = {y + 8, y + 9, y + 10}};
}

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    tacWitnessOptions options = load_options(map, x);
    return tac_vertex_face(&options, load_pairs(x), load_witness(y));
}

static tacResult jvp(const void* map, const tacReal* x, const tacReal* dot, tacReal* y_dot) {
    tacWitnessOptions options = load_options(map, x), options_dot = load_options(map, dot);
    return tac_vertex_face_jvp(&options, load_pairs(x), load_pairs(dot), &options_dot,
                               load_witness(y_dot));
}

static tacResult vjp(const void* map, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    tacWitnessOptions options = load_options(map, x), sum = {0};
    tacVertexFacesBar bar = {.vertex = {x_bar, x_bar + 1, x_bar + 2}};
    for (int k = 0; k < FACE_INPUTS; ++k) x_bar[k] = 0.0;
    for (int k = 0; k < 9; ++k) bar.corner[k / 3][k % 3] = x_bar + 3 + k;
    tacResult result =
        tac_vertex_face_vjp(&options, load_pairs(x), load_witness((tacReal*)y_bar), bar, &sum);
    x_bar[12] = sum.tikhonov;
    x_bar[13] = sum.min;
    x_bar[14] = sum.clip;
    x_bar[15] = sum.inside;
    x_bar[16] = sum.gap;
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_vertex_face_) = {value, jvp, vjp};
