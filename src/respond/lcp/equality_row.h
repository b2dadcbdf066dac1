// Rows of equalities for impulses: velocity and force, with derivatives by displacements of bodies
// and by parameters. One row is
//
//   connect  e . (a - b), a and b points of two bodies, e a world axis; also of a weld
//   weld     s e . vec(conj(B) A r), A and B the rotations of its bodies, r the relative one
//   joint    q0 - p(q1), p a polynomial
//
// A connect acts with f e at a and -f e at b, the rotation of a weld with a torque, a joint with f
// at q0 and -p' f at q1.

#ifndef TAC_RESPOND_LCP_EQUALITY_ROW_H
#define TAC_RESPOND_LCP_EQUALITY_ROW_H

#include "dynamics/motion.h"
#include "respond/lcp/contact_frame.h"
#include "tactus/respond.h"

typedef struct tacEqualityRow {
    const tacEquality* eq;
    int body[2], local[2];            // connect: bodies, offsets of the points in their axes
    tacVec3 axis, point[2];           // e; a, b
    int is_rotation;                  // is it one of a weld's turns?
    int site_quat[2], relquat, scale; // offsets of the sites' turns, of r, -1: none; of s
    tacQuat rot[2], r;                // A, B, r
    double s;
    int dof, coef;           // joint: the second's degree of freedom, or -1; offset of p
    double x, slope, slope2; // q1 - where it is drawn; p', p''
} tacEqualityRow;

// row i of those listed, at the poses of m
tacEqualityRow tac_equality_row(const tacModel* model, const tacMotion* m, const tacRow* rows,
                                int i);

// adds the wrenches of an impulse to those on bodies (nbody x 6), about the world's origin; and
// their change
void tac_equality_add_wrench(const tacEqualityRow* row, double impulse, tacReal* wrench);
void tac_equality_add_wrench_jvp(const tacModel* model, const tacEqualityRow* row,
                                 const tacMotion* m, double impulse, const tacReal* theta,
                                 tacReal* wrench_dot);

// change of p', which the force of a joint's row has at its second degree of freedom
double tac_equality_slope_jvp(const tacEqualityRow* row, const tacReal* dq, const tacReal* theta);

// changes of the value, and of the velocity at constant joint velocities; m after inverse_jvp
typedef struct tacEqualityDot {
    double value, velocity;
} tacEqualityDot;
tacEqualityDot tac_equality_jvp(const tacModel* model, const tacEqualityRow* row,
                                const tacMotion* m, const tacReal* dq, const tacReal* theta);

// Adjoint of all of that: value and velocity, of the wrench by the twists wrench_bar (nbody x 6),
// of p' by slope_bar. Adds to D and e of the motion, to q_bar and theta_bar.
void tac_equality_vjp(const tacModel* model, const tacEqualityRow* row, const tacMotion* m,
                      tacEqualityDot bar, double impulse, const tacReal* wrench_bar,
                      double slope_bar, tacMotionBar* motion_bar, tacReal* q_bar,
                      tacReal* theta_bar);

#endif
