// When does a vertex meet a face, or an edge an edge, if all points move on straight lines?
//
// Conservative: an impact is never missed and never reported late; a near miss, within the
// tolerance, may be reported as an impact.

#ifndef TAC_DETECT_CCD_H
#define TAC_DETECT_CCD_H

typedef enum tacFeature {
    TAC_VERTEX_FACE, // points v, f0, f1, f2
    TAC_EDGE_EDGE    // points a0, a1, b0, b1
} tacFeature;

typedef struct tacCcdOptions {
    double separation; // nearer than this along an axis is an impact               [m]
    double tolerance;  // differences of this size are not told from 0              [m]
    int max_passes;    // boxes looked at; then the earliest one left is the answer
} tacCcdOptions;

tacCcdOptions tac_default_ccd(void);

// Is there an impact for t in [0, 1]? Then *time is at most its time. `start` and `end` hold the
// four points (4 x 3) at t = 0 and 1. Points that are not finite count as an impact at 0. `passes`
// may be NULL.
int tac_ccd(tacFeature feature, const double start[12], const double end[12],
            const tacCcdOptions* options, double* time, int* passes);

#endif
