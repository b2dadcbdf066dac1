/// Mechanisms as formulas: frames, points, vectors, bodies, loads, constraints; Kane's and
/// Lagrange's methods, and linearisation. It reads like SymPy's physics.mechanics.
///
/// Everything belongs to one tacMechanics, which works on a graph. A call that fails returns
/// TAC_EXPR_NONE, a frame or point that is -1, or a vector of those; whatever is made of them fails
/// too, and tac_graph_result tells the first error by name.
#ifndef TACTUS_MECHANICS_H
#define TACTUS_MECHANICS_H

#include "tactus/symbolic.h"

TAC_EXTERN_C_BEGIN

/// The frames, points, bodies and loads of a mechanism.
typedef struct tacMechanics tacMechanics;

/// Makes an empty mechanism on a graph, which must outlive it.
TAC_API
tacResult tac_mechanics_create(tacGraph* graph, tacMechanics** out);

/// Gives a mechanism back; its expressions stay in the graph. NULL is allowed.
TAC_API
void tac_mechanics_destroy(tacMechanics* mechanics);

//---------------------------------- time -----------------------------------------

/// A symbol that changes in time, as SymPy's dynamicsymbols: a coordinate, a speed, an input.
TAC_API
tacExpr tac_dynamic(tacMechanics* mechanics, const char* name);

/// The symbol t of time itself, for what moves by a law: supports, drives, loads. tac_dt of it is
/// 1; a symbol t that was made before is it, too.
TAC_API
tacExpr tac_time(tacMechanics* mechanics);

/// d expr/dt. The rate of the symbol q is the symbol q_dot, that of q_dot is q_ddot, and so on;
/// symbols that are not dynamic are constants.
TAC_API
tacExpr tac_dt(tacMechanics* mechanics, tacExpr expr);

//---------------------------------- vectors --------------------------------------

/// A reference frame: three unit vectors that are square to each other.
typedef int tacRefFrame;

/// A point of the mechanism.
typedef int tacRefPoint;

/// A vector by its parts along the axes of a frame. The parts are expressions; a vector may be
/// written down by hand.
typedef struct tacVector {
    tacRefFrame frame; ///< whose axes; of a vector that is 0 any
    tacExpr x, y, z;   ///< parts along them
} tacVector;

/// A dyadic, such as an inertia, by its nine numbers in the axes of a frame.
typedef struct tacDyadic {
    tacRefFrame frame; ///< whose axes
    tacExpr c[9];      ///< row by row
} tacDyadic;

/// a + b, in the axes of a.
TAC_API
tacVector tac_vector_add(tacMechanics* mechanics, tacVector a, tacVector b);

/// a - b, in the axes of a.
TAC_API
tacVector tac_vector_sub(tacMechanics* mechanics, tacVector a, tacVector b);

/// factor a
TAC_API
tacVector tac_vector_scale(tacMechanics* mechanics, tacExpr factor, tacVector a);

/// a . b
TAC_API
tacExpr tac_vector_dot(tacMechanics* mechanics, tacVector a, tacVector b);

/// a x b, in the axes of b.
TAC_API
tacVector tac_vector_cross(tacMechanics* mechanics, tacVector a, tacVector b);

/// Length.
TAC_API
tacExpr tac_vector_magnitude(tacMechanics* mechanics, tacVector a);

/// a divided by its length; that of 0 is an error.
TAC_API
tacVector tac_vector_normalize(tacMechanics* mechanics, tacVector a);

/// The same vector in the axes of another frame.
TAC_API
tacVector tac_vector_express(tacMechanics* mechanics, tacVector a, tacRefFrame frame);

/// da/dt as seen from a frame.
TAC_API
tacVector tac_vector_dt(tacMechanics* mechanics, tacVector a, tacRefFrame frame);

/// Moments and products of inertia as SymPy orders them: symmetric, in the axes of a frame.
TAC_API
tacDyadic tac_inertia(tacMechanics* mechanics, tacRefFrame frame, tacExpr xx, tacExpr yy,
                      tacExpr zz, tacExpr xy, tacExpr yz, tacExpr zx);

/// The dyadic product a b, in the axes of b.
TAC_API
tacDyadic tac_dyadic_outer(tacMechanics* mechanics, tacVector a, tacVector b);

/// a + b, in the axes of a.
TAC_API
tacDyadic tac_dyadic_add(tacMechanics* mechanics, tacDyadic a, tacDyadic b);

/// factor a
TAC_API
tacDyadic tac_dyadic_scale(tacMechanics* mechanics, tacExpr factor, tacDyadic a);

/// The vector a . b, in the axes of a.
TAC_API
tacVector tac_dyadic_dot(tacMechanics* mechanics, tacDyadic a, tacVector b);

/// The same dyadic in the axes of another frame.
TAC_API
tacDyadic tac_dyadic_express(tacMechanics* mechanics, tacDyadic a, tacRefFrame frame);

/// da/dt as seen from a frame.
TAC_API
tacDyadic tac_dyadic_dt(tacMechanics* mechanics, tacDyadic a, tacRefFrame frame);

//---------------------------------- frames ---------------------------------------

/// A new frame. Names are told in messages and need not differ.
TAC_API
tacRefFrame tac_frame(tacMechanics* mechanics, const char* name);

/// Unit vector of a frame: axis 0 is x, 1 is y, 2 is z.
TAC_API
tacVector tac_frame_axis(tacMechanics* mechanics, tacRefFrame frame, int axis);

/// Turns a frame out of its parent by an angle about an axis, of any length, that is fixed in both.
/// Also sets its angular velocity in the parent, as the other orient functions do.
TAC_API
tacResult tac_frame_orient_axis(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame parent,
                                tacVector axis, tacExpr angle);

/// Three turns about axes of the turning frame; order is such as "XYZ", "ZXZ" or "313".
TAC_API
tacResult tac_frame_orient_body(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame parent,
                                const tacExpr angles[3], const char* order);

/// Three turns about axes of the parent.
TAC_API
tacResult tac_frame_orient_space(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame parent,
                                 const tacExpr angles[3], const char* order);

/// By a quaternion of length 1, the real part first.
TAC_API
tacResult tac_frame_orient_quaternion(tacMechanics* mechanics, tacRefFrame frame,
                                      tacRefFrame parent, const tacExpr quaternion[4]);

/// The nine numbers, row by row, of the matrix that turns parts along the axes of `other` into
/// parts along those of `frame`: SymPy's frame.dcm(other).
TAC_API
tacResult tac_frame_dcm(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame other,
                        tacExpr dcm[9]);

/// Sets the angular velocity of a frame in another, such as by speeds u instead of rates q_dot.
/// Neither frame needs to be oriented.
TAC_API
tacResult tac_frame_set_ang_vel(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame in,
                                tacVector velocity);

/// Angular velocity of a frame in another.
TAC_API
tacVector tac_frame_ang_vel(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame in);

/// Angular acceleration of a frame in another.
TAC_API
tacVector tac_frame_ang_acc(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame in);

//---------------------------------- points ---------------------------------------

/// A new point.
TAC_API
tacRefPoint tac_point(tacMechanics* mechanics, const char* name);

/// Places a point: `position` is the way from `origin` to it.
TAC_API
tacResult tac_point_set_pos(tacMechanics* mechanics, tacRefPoint point, tacRefPoint origin,
                            tacVector position);

/// A new point at `position` from `origin`: SymPy's locatenew.
TAC_API
tacRefPoint tac_point_locate(tacMechanics* mechanics, const char* name, tacRefPoint origin,
                             tacVector position);

/// The way from `origin` to a point.
TAC_API
tacVector tac_point_pos_from(tacMechanics* mechanics, tacRefPoint point, tacRefPoint origin);

/// Sets the velocity of a point in a frame.
TAC_API
tacResult tac_point_set_vel(tacMechanics* mechanics, tacRefPoint point, tacRefFrame frame,
                            tacVector velocity);

/// Velocity of a point in a frame: what was set, or that of the nearest point whose velocity was
/// set, and the rate of the way from there.
TAC_API
tacVector tac_point_vel(tacMechanics* mechanics, tacRefPoint point, tacRefFrame frame);

/// Acceleration of a point in a frame.
TAC_API
tacVector tac_point_acc(tacMechanics* mechanics, tacRefPoint point, tacRefFrame frame);

/// Sets and returns the velocity in `frame` of a point that is fixed in `fixed`, as `other` is:
/// v(other) + w x r.
TAC_API
tacVector tac_point_v2pt_theory(tacMechanics* mechanics, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame fixed);

/// Sets and returns the velocity in `frame` of a point that moves in `inner`, where `other` is
/// fixed: v(other) + w x r + its velocity in `inner`.
TAC_API
tacVector tac_point_v1pt_theory(tacMechanics* mechanics, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame inner);

//---------------------------------- bodies and loads -----------------------------

/// Adds a particle and returns its number, -1 on error.
TAC_API
int tac_particle(tacMechanics* mechanics, const char* name, tacRefPoint point, tacExpr mass);

/// Adds a rigid body and returns its number, -1 on error. `inertia` is about the point `about`.
TAC_API
int tac_rigid_body(tacMechanics* mechanics, const char* name, tacRefPoint masscenter,
                   tacRefFrame frame, tacExpr mass, tacDyadic inertia, tacRefPoint about);

/// Sets the potential energy of a particle or body, 0 until then.
TAC_API
tacResult tac_set_potential_energy(tacMechanics* mechanics, int body, tacExpr energy);

/// Adds a force on a point.
TAC_API
tacResult tac_apply_force(tacMechanics* mechanics, tacRefPoint point, tacVector force);

/// Adds a torque on what is fixed in a frame.
TAC_API
tacResult tac_apply_torque(tacMechanics* mechanics, tacRefFrame frame, tacVector torque);

/// Kinetic energy of all bodies in a frame.
TAC_API
tacExpr tac_mechanics_kinetic_energy(tacMechanics* mechanics, tacRefFrame frame);

/// Kinetic minus potential energy of all bodies.
TAC_API
tacExpr tac_lagrangian(tacMechanics* mechanics, tacRefFrame frame);

//---------------------------------- methods --------------------------------------

/// What Kane's method starts from. Lists that are empty may be NULL.
typedef struct tacKane {
    tacRefFrame frame;            ///< that does not accelerate
    const tacExpr* q_ind;         ///< independent coordinates                     (nq_ind)
    const tacExpr* q_dep;         ///< those that constraints determine            (nq_dep)
    const tacExpr* u_ind;         ///< independent speeds                          (nu_ind)
    const tacExpr* u_dep;         ///< those that constraints determine            (nu_dep)
    const tacExpr* kinematic;     ///< are 0: relate all q_dot to speeds  (nq_ind + nq_dep)
    const tacExpr* configuration; ///< are 0: holonomic, of q and t, for the linearisation (nq_dep)
    const tacExpr* velocity;      ///< are 0: linear in the speeds                 (nu_dep)
    const tacExpr* acceleration;  ///< their rates; NULL: differentiated           (nu_dep)
    int nq_ind, nq_dep, nu_ind, nu_dep; ///< how many there are
} tacKane;

/// What Lagrange's method starts from. Lists that are empty may be NULL.
typedef struct tacLagrange {
    tacRefFrame frame;             ///< that does not accelerate; loads act in it
    tacExpr L;                     ///< Lagrangian of q and q_dot
    const tacExpr* q;              ///< coordinates: those that constraints determine last  (nq)
    const tacExpr* holonomic;      ///< are 0: of q and t, without rates           (nholonomic)
    const tacExpr* velocity;       ///< are 0: linear in q_dot                      (nvelocity)
    int nq, nholonomic, nvelocity; ///< how many there are
} tacLagrange;

/// Equations of motion: M (u_dot, lambda) = forcing and q_dot = rates. Dependent coordinates and
/// speeds stand after the independent ones. Lagrange's speeds are q_dot, and the last rows and
/// columns of M belong to the constraints and their multipliers lam1, lam2 ..; of Kane's equations
/// the last nu_dep rows are the constraints.
typedef struct tacMethod {
    int nq, nu, nlambda;    ///< coordinates, speeds, multipliers
    int nq_dep, nu_dep;     ///< coordinates and speeds that constraints determine
    const tacExpr* q;       ///< (nq)
    const tacExpr* u;       ///< (nu)
    const tacExpr* u_dot;   ///< symbols of the accelerations, then multipliers    (nu + nlambda)
    const tacExpr* rates;   ///< q_dot by q and u                                           (nq)
    const tacExpr* M;       ///< mass matrix                               ((nu + nlambda)^2)
    const tacExpr* forcing; ///< right-hand side                               (nu + nlambda)
    const tacExpr* configuration; ///< holonomic constraints                        (nq_dep)
    const tacExpr* velocity;      ///< constraints on the speeds                    (nu_dep)
    tacMechanics* mechanics;      ///< that it was made of
} tacMethod;

/// Kane's equations of all bodies under all loads. Constraints that contradict or repeat each
/// other, and a mass matrix that is singular everywhere, are TAC_ERROR_VALUE: the message names the
/// constraint or the speed. So is a rate in a holonomic constraint. Free it with tac_method_destroy
/// before the mechanism.
TAC_API
tacResult tac_kanes_method(tacMechanics* mechanics, const tacKane* setup, tacMethod** out);

/// Lagrange's equations of a Lagrangian under all loads. Errors as of tac_kanes_method.
TAC_API
tacResult tac_lagranges_method(tacMechanics* mechanics, const tacLagrange* setup, tacMethod** out);

/// Gives the equations back. NULL is allowed.
TAC_API
void tac_method_destroy(tacMethod* method);

/// The equations solved: u_dot, then the multipliers (nu + nlambda).
TAC_API
tacResult tac_method_rhs(const tacMethod* method, tacExpr* out);

/// An operating point: symbols and what stands for them. Accelerations that are not listed are 0;
/// symbols that are not listed stay.
typedef struct tacOperatingPoint {
    const tacExpr* x; ///< symbols                                                       (n)
    const tacExpr* y; ///< their values, numbers or formulas                             (n)
    int n;            ///< how many
} tacOperatingPoint;

/// Linearises about an operating point: d(q_ind, u_ind)/dt = A (q_ind, u_ind) + B inputs. A is
/// row-major (nx x nx), nx = nq - nq_dep + nu - nu_dep; B is (nx x ninput).
TAC_API
tacResult tac_method_linearize(const tacMethod* method, tacOperatingPoint at, const tacExpr* inputs,
                               int ninput, tacExpr* A, tacExpr* B);

/// Solves A X = B for X, symbolically: A (n x n), B and X (n x m), row-major. Pivots are chosen by
/// their values where symbols have random ones; a matrix that is singular there is TAC_ERROR_VALUE,
/// and *bad (NULL to skip) is an unknown that stays open, else -1.
TAC_API
tacResult tac_expr_solve(tacGraph* graph, const tacExpr* A, int n, const tacExpr* B, int m,
                         tacExpr* X, int* bad);

TAC_EXTERN_C_END

#endif
