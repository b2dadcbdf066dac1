/// Symbolic mechanics: frames, points, vectors, bodies, loads and constraints; Kane's and
/// Lagrange's methods; linearisation. The names are those of SymPy's physics.mechanics
/// (docs/symbolic.md).
///
/// A tacMechanics holds one mechanism and works on a graph. A call that fails returns
/// TAC_EXPR_NONE, the frame or point -1, or a vector of those; every call that gets one fails too.
/// tac_graph_result gives the first error.
#ifndef TACTUS_MECHANICS_H
#define TACTUS_MECHANICS_H

#include "tactus/symbolic.h"

TAC_EXTERN_C_BEGIN

/// The frames, points, bodies and loads of a mechanism.
typedef struct tacMechanics tacMechanics;

/// Makes an empty mechanism on a graph, which must outlive it.
TAC_API
tacResult tac_mechanics_create(tacGraph* graph, tacMechanics** out);

/// Frees a mechanism; its expressions stay in the graph. NULL is allowed.
TAC_API
void tac_mechanics_destroy(tacMechanics* mechanics);

//---------------------------------- time -----------------------------------------

/// A symbol that depends on time, as SymPy's dynamicsymbols: a coordinate, speed or input.
TAC_API
tacExpr tac_dynamic(tacMechanics* mechanics, const char* name);

/// The symbol t of time, for prescribed motions and loads. Its tac_dt is 1. It is the same as the
/// symbol named t.
TAC_API
tacExpr tac_time(tacMechanics* mechanics);

/// Time derivative d expr/dt. That of the symbol q is the symbol q_dot, that of q_dot is q_ddot,
/// and so on. Symbols that are not dynamic are constants.
TAC_API
tacExpr tac_dt(tacMechanics* mechanics, tacExpr expr);

//---------------------------------- vectors --------------------------------------

/// A reference frame: three orthogonal unit vectors.
typedef int tacRefFrame;

/// A point of the mechanism.
typedef int tacRefPoint;

/// A vector by its components in a frame. You may fill it in yourself.
typedef struct tacVector {
    tacRefFrame frame; ///< frame of the components; any for the zero vector
    tacExpr x, y, z;   ///< components
} tacVector;

/// A dyadic, such as an inertia, by its nine components in a frame.
typedef struct tacDyadic {
    tacRefFrame frame; ///< frame of the components
    tacExpr c[9];      ///< components, row-major
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

/// a divided by its length; the zero vector is an error.
TAC_API
tacVector tac_vector_normalize(tacMechanics* mechanics, tacVector a);

/// The same vector in the axes of another frame.
TAC_API
tacVector tac_vector_express(tacMechanics* mechanics, tacVector a, tacRefFrame frame);

/// Time derivative of a in a frame.
TAC_API
tacVector tac_vector_dt(tacMechanics* mechanics, tacVector a, tacRefFrame frame);

/// Inertia dyadic of moments and products of inertia, in SymPy's order.
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

/// Time derivative of a in a frame.
TAC_API
tacDyadic tac_dyadic_dt(tacMechanics* mechanics, tacDyadic a, tacRefFrame frame);

//---------------------------------- frames ---------------------------------------

/// Makes a frame. Its name appears in messages and need not be unique.
TAC_API
tacRefFrame tac_frame(tacMechanics* mechanics, const char* name);

/// Unit vector of a frame: axis 0 is x, 1 is y, 2 is z.
TAC_API
tacVector tac_frame_axis(tacMechanics* mechanics, tacRefFrame frame, int axis);

/// Orients a frame by a rotation from its parent about an axis that is fixed in both, of any
/// length. It also sets the angular velocity in the parent, as all orient functions do.
TAC_API
tacResult tac_frame_orient_axis(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame parent,
                                tacVector axis, tacExpr angle);

/// Orients a frame by three rotations about its own axes, in an order such as "XYZ", "ZXZ" or
/// "313".
TAC_API
tacResult tac_frame_orient_body(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame parent,
                                const tacExpr angles[3], const char* order);

/// Orients a frame by three rotations about axes of the parent.
TAC_API
tacResult tac_frame_orient_space(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame parent,
                                 const tacExpr angles[3], const char* order);

/// Orients a frame by a unit quaternion, real part first.
TAC_API
tacResult tac_frame_orient_quaternion(tacMechanics* mechanics, tacRefFrame frame,
                                      tacRefFrame parent, const tacExpr quaternion[4]);

/// Direction cosine matrix, row-major: maps components in `other` to components in `frame`, as
/// SymPy's frame.dcm(other).
TAC_API
tacResult tac_frame_dcm(tacMechanics* mechanics, tacRefFrame frame, tacRefFrame other,
                        tacExpr dcm[9]);

/// Sets the angular velocity of a frame in another, for example in speeds u instead of rates q_dot.
/// Neither frame needs an orientation.
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

/// Makes a point.
TAC_API
tacRefPoint tac_point(tacMechanics* mechanics, const char* name);

/// Sets the position of a point relative to `origin`.
TAC_API
tacResult tac_point_set_pos(tacMechanics* mechanics, tacRefPoint point, tacRefPoint origin,
                            tacVector position);

/// Makes a point at `position` relative to `origin`, as SymPy's locatenew.
TAC_API
tacRefPoint tac_point_locate(tacMechanics* mechanics, const char* name, tacRefPoint origin,
                             tacVector position);

/// Position of a point relative to `origin`.
TAC_API
tacVector tac_point_pos_from(tacMechanics* mechanics, tacRefPoint point, tacRefPoint origin);

/// Sets the velocity of a point in a frame.
TAC_API
tacResult tac_point_set_vel(tacMechanics* mechanics, tacRefPoint point, tacRefFrame frame,
                            tacVector velocity);

/// Velocity of a point in a frame: the one set, or that of the nearest point with a velocity plus
/// the rate of the relative position.
TAC_API
tacVector tac_point_vel(tacMechanics* mechanics, tacRefPoint point, tacRefFrame frame);

/// Acceleration of a point in a frame.
TAC_API
tacVector tac_point_acc(tacMechanics* mechanics, tacRefPoint point, tacRefFrame frame);

/// Two-point theory: sets and returns the velocity in `frame` of a point that is fixed in `fixed`,
/// as `other` is: v(other) + w x r.
TAC_API
tacVector tac_point_v2pt_theory(tacMechanics* mechanics, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame fixed);

/// One-point theory: sets and returns the velocity in `frame` of a point that moves in `inner`,
/// where `other` is fixed: v(other) + w x r + its velocity in `inner`.
TAC_API
tacVector tac_point_v1pt_theory(tacMechanics* mechanics, tacRefPoint point, tacRefPoint other,
                                tacRefFrame frame, tacRefFrame inner);

//---------------------------------- bodies and loads -----------------------------

/// Adds a particle and returns its index, or -1.
TAC_API
int tac_particle(tacMechanics* mechanics, const char* name, tacRefPoint point, tacExpr mass);

/// Adds a rigid body and returns its index, or -1. `inertia` is about the point `about`.
TAC_API
int tac_rigid_body(tacMechanics* mechanics, const char* name, tacRefPoint masscenter,
                   tacRefFrame frame, tacExpr mass, tacDyadic inertia, tacRefPoint about);

/// Sets the potential energy of a particle or body; it starts at 0.
TAC_API
tacResult tac_set_potential_energy(tacMechanics* mechanics, int body, tacExpr energy);

/// Adds a force on a point.
TAC_API
tacResult tac_apply_force(tacMechanics* mechanics, tacRefPoint point, tacVector force);

/// Adds a torque on the body of a frame.
TAC_API
tacResult tac_apply_torque(tacMechanics* mechanics, tacRefFrame frame, tacVector torque);

/// Kinetic energy of all bodies in a frame.
TAC_API
tacExpr tac_mechanics_kinetic_energy(tacMechanics* mechanics, tacRefFrame frame);

/// Kinetic minus potential energy of all bodies.
TAC_API
tacExpr tac_lagrangian(tacMechanics* mechanics, tacRefFrame frame);

//---------------------------------- methods --------------------------------------

/// Input of Kane's method. Empty lists may be NULL.
typedef struct tacKane {
    tacRefFrame frame;        ///< inertial frame
    const tacExpr* q_ind;     ///< independent coordinates                     (nq_ind)
    const tacExpr* q_dep;     ///< dependent coordinates                       (nq_dep)
    const tacExpr* u_ind;     ///< independent speeds                          (nu_ind)
    const tacExpr* u_dep;     ///< dependent speeds                            (nu_dep)
    const tacExpr* kinematic; ///< = 0: relate all q_dot to speeds  (nq_ind + nq_dep)
    const tacExpr*
        configuration;       ///< = 0: holonomic constraints of q and t, for linearisation (nq_dep)
    const tacExpr* velocity; ///< = 0: constraints linear in the speeds       (nu_dep)
    const tacExpr* acceleration;        ///< their rates; NULL: differentiated           (nu_dep)
    int nq_ind, nq_dep, nu_ind, nu_dep; ///< lengths of the lists
} tacKane;

/// Input of Lagrange's method. Empty lists may be NULL.
typedef struct tacLagrange {
    tacRefFrame frame;             ///< inertial frame of the loads
    tacExpr L;                     ///< Lagrangian in q and q_dot
    const tacExpr* q;              ///< coordinates, dependent ones last                    (nq)
    const tacExpr* holonomic;      ///< = 0: constraints of q and t, without rates (nholonomic)
    const tacExpr* velocity;       ///< = 0: constraints linear in q_dot            (nvelocity)
    int nq, nholonomic, nvelocity; ///< lengths of the lists
} tacLagrange;

/// Equations of motion: M (u_dot, lambda) = forcing, q_dot = rates. Dependent coordinates and
/// speeds come last. In Lagrange's equations the speeds are q_dot, and the last rows and columns of
/// M belong to the constraints and their multipliers lam1, lam2 .. In Kane's equations the last
/// nu_dep rows are the constraints.
typedef struct tacMethod {
    int nq, nu, nlambda;    ///< coordinates, speeds, multipliers
    int nq_dep, nu_dep;     ///< dependent coordinates and speeds
    const tacExpr* q;       ///< coordinates                                                (nq)
    const tacExpr* u;       ///< speeds                                                     (nu)
    const tacExpr* u_dot;   ///< symbols of the accelerations, then multipliers    (nu + nlambda)
    const tacExpr* rates;   ///< q_dot in q and u                                           (nq)
    const tacExpr* M;       ///< mass matrix                               ((nu + nlambda)^2)
    const tacExpr* forcing; ///< right-hand side                               (nu + nlambda)
    const tacExpr* configuration; ///< holonomic constraints                        (nq_dep)
    const tacExpr* velocity;      ///< constraints on the speeds                    (nu_dep)
    tacMechanics* mechanics;      ///< the mechanism
} tacMethod;

/// Kane's equations of all bodies under all loads. TAC_ERROR_VALUE for constraints that contradict
/// or repeat each other, a singular mass matrix, and rates in a holonomic constraint; the message
/// names the constraint or speed. Free it with tac_method_destroy before the mechanism.
TAC_API
tacResult tac_kanes_method(tacMechanics* mechanics, const tacKane* setup, tacMethod** out);

/// Lagrange's equations of a Lagrangian under all loads. Errors as of tac_kanes_method.
TAC_API
tacResult tac_lagranges_method(tacMechanics* mechanics, const tacLagrange* setup, tacMethod** out);

/// Frees the equations. NULL is allowed.
TAC_API
void tac_method_destroy(tacMethod* method);

/// Solves the equations for u_dot and the multipliers (nu + nlambda).
TAC_API
tacResult tac_method_rhs(const tacMethod* method, tacExpr* out);

/// An operating point: symbols and their values. Accelerations that are not listed are 0; other
/// symbols that are not listed stay.
typedef struct tacOperatingPoint {
    const tacExpr* x; ///< symbols                                                       (n)
    const tacExpr* y; ///< their values, numbers or formulas                             (n)
    int n;            ///< number of symbols
} tacOperatingPoint;

/// Linearises about an operating point: d(q_ind, u_ind)/dt = A (q_ind, u_ind) + B inputs. A is
/// row-major (nx x nx), nx = nq - nq_dep + nu - nu_dep; B is (nx x ninput).
TAC_API
tacResult tac_method_linearize(const tacMethod* method, tacOperatingPoint at, const tacExpr* inputs,
                               int ninput, tacExpr* A, tacExpr* B);

/// Solves A X = B symbolically for X: A (n x n), B and X (n x m), row-major. Pivots are chosen at
/// random values of the symbols. A matrix that is singular there is TAC_ERROR_VALUE, and *bad (NULL
/// to skip) is an unknown that it leaves open, else -1.
TAC_API
tacResult tac_expr_solve(tacGraph* graph, const tacExpr* A, int n, const tacExpr* B, int m,
                         tacExpr* X, int* bad);

TAC_EXTERN_C_END

#endif
