// Poses and velocities of bodies on the path of a step, and curvature bounds of their paths.
//
// On a path every joint moves by u(t) = t v + t^2 a. Curvature bounds hold over the whole span.
// They come joint by joint from origins, rotations and arms of the links (docs/convex.md, eq.
// (15)).

#ifndef TAC_DETECT_CCD_MOTION_PATH_H
#define TAC_DETECT_CCD_MOTION_PATH_H

#include "detect/convex_contacts.h"
#include "math/pose.h"

typedef struct tacMotionState {
    tacPose pose;
    tacTwist twist; // about the body's origin, world axes
} tacMotionState;

// bounds of a body during the whole path: of its origin's acceleration, of its spin and of the
// change of that
typedef struct tacCurvatureBound {
    double origin, spin, spin_rate;
} tacCurvatureBound;

// A body at a time, its position relative to `origin`, a point of the world (NULL: 0). Next to the
// body, it keeps the rounding of world coordinates out of the distance of a pair. `chain` has room
// for nbody numbers.
tacMotionState tac_motion_path_body(const tacModel* model, const tacMotionPath* path, double t,
                                    int body, const double origin[3], int* chain);

// Does the scene have parts, and has the path numbers whose squares can be added?
tacResult tac_motion_path_check(const tacModel* model, const tacMotionPath* path);

void tac_motion_path_curvature_bounds(const tacModel* model, const tacMotionPath* path,
                                      tacCurvatureBound* curvature);

#endif
