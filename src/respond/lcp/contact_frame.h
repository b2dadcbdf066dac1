// A contact for impulses: two bodies, a point, a normal and two tangents; its rows, and their
// derivatives by displacements of the bodies.
//
// Velocities and their changes come from a tacMotion: a body displaced by D changes its velocity by
// D x v + e, both about its tree's origin (dynamics/kernels/inverse_dynamics_jvp.inl).
// docs/hard.md.

#ifndef TAC_RESPOND_LCP_CONTACT_FRAME_H
#define TAC_RESPOND_LCP_CONTACT_FRAME_H

#include "dynamics/motion.h"
#include "math/spatial.h"
#include "model/contact/contact_data.h"

typedef struct tacContactFrame {
    int body[2];
    tacVec3 point, axis[3]; // axis: normal, two tangents
    double distance;
    double side;   // the point is moved from halfway by side distance/2 along the normal: -1, 0, 1
    tacVec3 along; // what the first tangent follows: the sliding velocity, or a fixed direction
    int slides;    // is it the velocity?
    double width;  // length of `along` across the normal
    double D[48];  // d(point, normal, distance)/d twist of body[1] against body[0], rows of 6
} tacContactFrame;

// A tangent, or an adjoint. Velocities are those of body[1] against body[0] at the point, before
// and after an impulse.
typedef struct tacContactFrameDot {
    tacVec3 point, axis[3], before, after;
    double distance;
} tacContactFrameDot;

//---------------------------------- points of bodies ----------------------------------

// A point of a body in the world: its velocity, its shift by the displacement D of the body, and
// the change of the velocity where the point itself moves by point_dot. The latter two after
// inverse_jvp.
tacVec3 tac_point_velocity(const tacMotion* m, int body, tacVec3 point);
tacVec3 tac_point_displacement(const tacMotion* m, int body, tacVec3 point);
tacVec3 tac_point_velocity_dot(const tacMotion* m, int body, tacVec3 point, tacVec3 point_dot);

// adjoints of both, to displacements D and to e (nbody x 6), about the trees' origins
void tac_point_displacement_vjp(const tacMotion* m, int body, tacVec3 point,
                                tacVec3 displacement_bar, tacReal* D_bar);
void tac_point_velocity_vjp(const tacMotion* m, int body, tacVec3 point, tacVec3 velocity_bar,
                            tacReal* D_bar, tacReal* e_bar, tacVec3* point_bar);

// the same of a body's spin, and its turn by D
tacVec3 tac_body_angvel(const tacMotion* m, int body);
tacVec3 tac_body_rotation_dot(const tacMotion* m, int body);
tacVec3 tac_body_angvel_dot(const tacMotion* m, int body);
void tac_body_rotation_vjp(const tacMotion* m, int body, tacVec3 rotation_bar, tacReal* D_bar);
void tac_body_angvel_vjp(const tacMotion* m, int body, tacVec3 angvel_bar, tacReal* D_bar,
                         tacReal* e_bar);

//---------------------------------- frames ----------------------------------

// record i of contacts, with d_twist where it is there; tangents by the velocities of `before`
tacContactFrame tac_contact_frame(const tacContacts* contacts, int i, const int body[2],
                                  const tacMotion* before);

// velocity of body[1] against body[0] at the point
tacVec3 tac_contact_frame_velocity(const tacContactFrame* frame, const tacMotion* m);

// rows of the three axes: J (3 x nv), overwritten
void tac_contact_frame_rows(const tacModel* model, const tacMotion* m, const tacContactFrame* frame,
                            tacReal* J);

// adds the wrench of impulses along the axes, times `scale`, to those on bodies (nbody x 6), about
// the world's origin
void tac_contact_frame_add_wrench(const tacContactFrame* frame, const tacReal f[3], double scale,
                                  tacReal* wrench);

// Change of the frame, and of that wrench. `own` (7): the point halfway, normal and distance also
// change by themselves, as parameters of the geoms do; NULL: they do not.
tacContactFrameDot tac_contact_frame_jvp(const tacContactFrame* frame, const tacReal* own,
                                         const tacMotion* before, const tacMotion* after);
void tac_contact_frame_add_wrench_jvp(const tacContactFrame* frame, const tacReal f[3],
                                      double scale, const tacContactFrameDot* dot,
                                      tacReal* wrench_dot);

// adjoints of displacements and of e, of both motions (nbody x 6), about the trees' origins
typedef struct tacMotionBar {
    tacReal *D_before, *e_before, *D_after, *e_after;
} tacMotionBar;

// adjoint of the distance alone, to displacements D (nbody x 6)
void tac_contact_frame_distance_vjp(const tacContactFrame* frame, const tacMotion* m,
                                    double distance_bar, tacReal* D_bar);

// `bar` is changed on the way: its point, first axis and distance are then the adjoint of `own`.
// wrench_bar (nbody x 6) are twists.
void tac_contact_frame_add_wrench_vjp(const tacContactFrame* frame, const tacReal f[3],
                                      double scale, const tacReal* wrench_bar,
                                      tacContactFrameDot* bar);
void tac_contact_frame_vjp(const tacContactFrame* frame, const tacMotion* before,
                           const tacMotion* after, tacContactFrameDot* bar, tacMotionBar* out);

#endif
