// When do two convex pieces that move and turn first come as near as a separation?
//
// Conservative advancement: with n the normal between the pieces, no pair of points approaches
// along n faster than
//   bound = n.(v_A - v_B) + |n x w_A| reach_A + |n x w_B| reach_B,
// so the pieces stay apart for distance/bound. Then the root of distance = separation.

#ifndef TAC_DETECT_MEETING_H
#define TAC_DETECT_MEETING_H

#include "detect/gjk.h"
#include "tactus/result.h"

// constant over t in [0, 1]; the piece turns about the origin of its frame
typedef struct tacMotion {
    double velocity[3], spin[3]; // world axes
} tacMotion;

// change of a piece's start and motion, or an adjoint: position, rotation (world axes), velocity,
// spin
typedef struct tacMotionTangent {
    double pos[3], rot[3], velocity[3], spin[3];
} tacMotionTangent;

typedef struct tacMeeting {
    int found;          // 0: they stay apart
    double time;        // never late by more than rounding
    int exact, passes;  // exact: time and normal to rounding, so that a derivative exists. Not so:
                        // grazing, nearer from the start, curved cores at a tiny separation
    double rate;        // of the distance at that time, negative: approaching
    tacNearest nearest; // at that time
} tacMeeting;

// the piece at a time
tacConvex tac_convex_moved(const tacConvex* piece, const tacMotion* motion, double t);

// `memory`: tac_gjk_size()
tacMeeting tac_meet(const tacConvex piece[2], const tacMotion motion[2], double separation,
                    void* memory);

// Reverse derivative of the time of an exact meeting: adds to bar. TAC_ERROR_UNSOLVED if it is not
// exact. The derivative along a tangent is the product with the gradient (time_bar = 1).
tacResult tac_meet_vjp(const tacConvex piece[2], const tacMotion motion[2],
                       const tacMeeting* meeting, double time_bar, tacMotionTangent bar[2]);

#endif
