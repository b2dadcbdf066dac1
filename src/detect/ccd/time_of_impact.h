// When do two convex parts of a scene first come as near as a level, on the path of a step?
//
// Along the normal n between the parts at one time, no point of A is higher and none of B lower,
// a time h later, than first derivatives and the bend of the paths allow (docs/convex.md, (8)).
// That bound of the gap is concave in h: where it is positive, the parts have been apart all the
// way. So time goes on from bound to bound, never too far, until the level is reached; then
// Newton's method finds the root of distance = level.

#ifndef TAC_DETECT_CCD_TIME_OF_IMPACT_H
#define TAC_DETECT_CCD_TIME_OF_IMPACT_H

#include "detect/ccd/motion_path.h"
#include "detect/convex/closest_features.h"

typedef struct tacToiQuery {
    const tacModel* model;
    const tacMotionPath* path;
    const tacCurvatureBound* curvature; // of each body (tac_motion_path_curvature_bounds)
    int part[2];
    tacImpactLevels levels;
    int constrained;  // is their contact a constraint?
    double until;     // the search ends here
    int* chain;       // room for nbody numbers
    void* memory;     // tac_gjk_size()
    double origin[3]; // of the pair: a point of the world next to it; tac_toi finds it
} tacToiQuery;

typedef struct tacToi {
    int found;   // 0: apart until the end
    double time; // never late
    int exact;   // a root to the rounding of coordinates, with a rate that is not lost in it
    double level, rate;
    tacNearest nearest; // at that time, in the world
    int passes;
} tacToi;

tacToi tac_toi(tacToiQuery* query);

#endif
