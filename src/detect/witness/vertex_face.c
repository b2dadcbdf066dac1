// Nearest points of many vertices and triangles: the arrays of tactus/witness.h in the kernels'
// order.

#include "detect/witness/witness.h"

static void face_corners(tacVertexFaces pairs, const tacReal** out) {
    for (int k = 0; k < 3; ++k) out[k] = pairs.vertex[k];
    for (int k = 0; k < 9; ++k) out[3 + k] = pairs.corner[k / 3][k % 3];
}

static void face_outputs(tacFaceWitness w, tacReal** out) {
    for (int k = 0; k < 3; ++k) {
        out[k] = w.alpha[k];
        out[4 + k] = w.point[k];
        out[8 + k] = w.normal[k];
    }
    out[3] = w.colliding;
    out[7] = w.distance;
}

static const tacWitnessRoutine* vertex_face_routine(void) {
    return &TAC_DISPATCH(tac_witness_kernels_)->vertex_face;
}

tacResult tac_vertex_face(const tacWitnessOptions* options, tacVertexFaces pairs,
                          tacFaceWitness out) {
    tacWitnessArrays arrays;
    face_corners(pairs, arrays.in);
    face_outputs(out, arrays.out);
    return tac_witness_value(vertex_face_routine(), options, pairs.count, &arrays);
}

tacResult tac_vertex_face_jvp(const tacWitnessOptions* options, tacVertexFaces pairs,
                              tacVertexFaces dot, const tacWitnessOptions* options_dot,
                              tacFaceWitness out) {
    tacWitnessArrays arrays;
    face_corners(pairs, arrays.in);
    face_corners(dot, arrays.dot);
    face_outputs(out, arrays.out);
    return tac_witness_jvp(vertex_face_routine(), options, options_dot, pairs.count, &arrays);
}

tacResult tac_vertex_face_vjp(const tacWitnessOptions* options, tacVertexFaces pairs,
                              tacFaceWitness bar, tacVertexFacesBar pairs_bar,
                              tacWitnessOptions* options_bar) {
    tacWitnessArrays arrays;
    face_corners(pairs, arrays.in);
    face_outputs(bar, (tacReal**)arrays.dot);
    for (int k = 0; k < 3; ++k) arrays.out[k] = pairs_bar.vertex[k];
    for (int k = 0; k < 9; ++k) arrays.out[3 + k] = pairs_bar.corner[k / 3][k % 3];
    return tac_witness_vjp(vertex_face_routine(), options, options_bar, pairs.count, &arrays);
}
