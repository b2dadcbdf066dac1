// Where bodies are on the path of a step, how they move there, and how much their paths bend.
//
// On a course every joint moves by u(t) = t v + t^2 a. Bends are bounds over the whole span, found
// from joint to joint: origins, turns and arms of the links (docs/collide.md, eq. (15)).

#ifndef TAC_DETECT_COURSE_H
#define TAC_DETECT_COURSE_H

#include "detect/hard.h"
#include "math/pose.h"

typedef struct tacFlight {
    tacPose pose;
    tacTwist twist; // about the body's origin, world axes
} tacFlight;

// bounds of a body during the whole course: of its origin's acceleration, of its spin and of the
// change of that
typedef struct tacBend {
    double origin, spin, twirl;
} tacBend;

// `chain` has room for nbody numbers
tacFlight tac_course_body(const tacModel* model, const tacCourse* course, double t, int body,
                          int* chain);

// Does the scene have pieces, and has the course numbers whose squares can be added?
tacResult tac_course_check(const tacModel* model, const tacCourse* course);

void tac_course_bends(const tacModel* model, const tacCourse* course, tacBend* bend);

#endif
