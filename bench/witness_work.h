// Pairs of features in the unit cube, and methods to find their closest points, timed by `tactus
// bench witness` and `tactus reproduce witness-points`.

#ifndef TACTUS_BENCH_WITNESS_WORK_H
#define TACTUS_BENCH_WITNESS_WORK_H

enum { WITNESS_INPUTS = 12, WITNESS_OUTPUTS = 9 };

// pairs uniform in the unit cube, and arrays of results
typedef struct witnessArrays {
    int count;
    double *in[WITNESS_INPUTS], *out[WITNESS_OUTPUTS];
} witnessArrays;

// Two edges, or a vertex and a face. Parameters of the closest points are in out[0], out[1]: on the
// edges, or barycentric of the second and third corner of the face. The first three methods of
// faces have these in out[1], out[2].
typedef enum witnessKind {
    WITNESS_SCALAR,
    WITNESS_SMOOTH,
    WITNESS_EXACT,
    WITNESS_FACE,
    WITNESS_FACE_EXACT,
    WITNESS_POLYGON, // a vertex and a face as polygons
    WITNESS_POINT,   // interior point, L-BFGS: witness_baselines.h
    WITNESS_LBFGS,
    WITNESS_FACE_POINT,
    WITNESS_FACE_LBFGS,
    WITNESS_STREAM // the arrays alone
} witnessKind;

typedef struct witnessWork {
    const witnessArrays* arrays;
    witnessKind kind;
    double mu; // of a barrier
} witnessWork;

// 0: there is not enough memory
int bench_witness_fill(witnessArrays* arrays, int count);
void bench_witness_release(witnessArrays* arrays);

// one run of a witnessWork
void bench_witness_run(void* work);

#endif
