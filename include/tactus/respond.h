/// Responders: contacts to wrenches (smooth) or impulses (hard).
#ifndef TACTUS_RESPOND_H
#define TACTUS_RESPOND_H

#include "tactus/contact.h"

TAC_EXTERN_C_BEGIN

/// Which responder a scene picks. The first three are forces, the others impulses.
typedef enum tacResponder {
    TAC_RESPOND_SPRING,        ///< smooth point-plane spring and damper per contact
    TAC_RESPOND_SCM,           ///< soft-minimum contact model over point clouds
    TAC_RESPOND_ELASTOPLASTIC, ///< k rho^3 with damping and logistic friction
    TAC_RESPOND_LCP,           ///< hard contact with friction, exact
    TAC_RESPOND_CONE           ///< convex program with cones, impedance scaled by activity
} tacResponder;

/// Poses and velocities of the bodies: what dynamics/ hands to detectors and responders.
typedef struct tacKinematics {
    const tacPose* pose;  ///< world pose of each body                                (nbody)
    const tacReal* twist; ///< (linear, angular) about the body's origin, world axes  (nbody x 6)
    int derivatives;      ///< 1: responders fill K and C, too; needs d_twist of the contacts
    const tacReal* predicted; ///< accelerations of a linearly implicit step as twists J a, as
                              ///< `twist`; NULL: zero (nbody x 6)
} tacKinematics;

/// What a row beside the contacts is.
typedef enum tacRowKind {
    TAC_ROW_JOINT_LIMIT,     ///< hinge or slide: value is how far inside the end of the range it is
    TAC_ROW_BALL_LIMIT,      ///< ball: how far its angle is below range[1]
    TAC_ROW_TENDON_LIMIT,    ///< tendon: as a joint's
    TAC_ROW_JOINT_FRICTION,  ///< dry friction of a degree of freedom: value is 0
    TAC_ROW_TENDON_FRICTION, ///< dry friction of a tendon: value is 0
    TAC_ROW_EQUALITY ///< of an equality: value is 0 where it holds; connect has 3 rows, weld 6
} tacRowKind;

/// One row beside the contacts: a limit, or dry friction.
typedef struct tacRow {
    tacRowKind kind;  ///< what it is
    int object;       ///< the joint, degree of freedom, tendon or equality
    int upper;        ///< of a limit: 1 at the upper end of the range
    tacReal value;    ///< distance to the limit, negative beyond it   [m or rad]
    tacReal velocity; ///< its rate; of friction the sliding velocity  [m/s or rad/s]
    tacReal bound;    ///< largest force of friction, else 0           [N or N m]
    const tacReal* J; ///< d velocity/d qvel, and d value/d qpos       (nv)
} tacRow;

/// Most rows that a scene has; tac_rows lists that many whatever the state.
TAC_API
int tac_row_count(const tacModel* model);

/// Lists the rows at a state, always all of them and in one order: limits of joints and tendons,
/// friction of joints and tendons, equalities that are active. Values are MuJoCo's. `J`
/// (tac_row_count x nv) is filled, too; the rows point into it. What the scene switches off is not
/// listed.
TAC_API
tacResult tac_rows(const tacModel* model, const tacReal* qpos, const tacReal* qvel, tacRow* rows,
                   tacReal* J, tacScratch* scratch);

/// Numbers of the point-plane law (docs/contact.md, eq. 1 to 5); as a tangent or an adjoint: of
/// these.
typedef struct tacPlaneLaw {
    tacReal k;   ///< stiffness                                                      [N/m]
    tacReal v_d; ///< dissipation velocity                                           [m/s]
    tacReal v_s; ///< stiction velocity                                              [m/s]
    tacReal mu;  ///< friction
    tacReal eps; ///< width of the transition to contact                             [m]
    tacReal
        inv_mass;  ///< velocity that a unit of impulse makes at the point, of a force ahead [1/kg]
    int reference; ///< 1: dissipation as printed, with one continuous derivative
    int implicit;  ///< 1: the force at the end of a step, to first order (eq. 7)
} tacPlaneLaw;

/// A point at a plane; as a tangent or an adjoint: of that.
typedef struct tacPlaneState {
    tacReal phi; ///< signed distance                                                  [m]
    tacVec3 n;   ///< normal, of length <= 1
    tacVec3 v;   ///< velocity of the point against the plane's body there             [m/s]
    tacVec3 y;   ///< its change within the step, of a force ahead                     [m/s]
    tacReal h;   ///< length of the step, of a force ahead                             [s]
} tacPlaneState;

/// Force on the point.                                                               [N]
TAC_API
tacVec3 tac_point_plane(const tacPlaneLaw* law, const tacPlaneState* at);

/// Its forward derivative.
TAC_API
tacVec3 tac_point_plane_jvp(const tacPlaneLaw* law, const tacPlaneState* at,
                            const tacPlaneLaw* law_dot, const tacPlaneState* at_dot);

/// Its reverse derivative: adds to law_bar and at_bar.
TAC_API
void tac_point_plane_vjp(const tacPlaneLaw* law, const tacPlaneState* at, tacVec3 f_bar,
                         tacPlaneLaw* law_bar, tacPlaneState* at_bar);

/// Numbers of the elastic-plastic law (docs/elastoplastic.md, eq. 1 to 3); as a tangent or an
/// adjoint: of these.
typedef struct tacElastoplasticLaw {
    tacReal k;   ///< stiffness, k_c of the paper                                      [N/m^3]
    tacReal v_d; ///< speed of parting at which the force ends, 1/c_c of the paper     [m/s]
    tacReal v_s; ///< scale of sliding velocities                                      [m/s]
    tacReal mu;  ///< friction
} tacElastoplasticLaw;

/// A contact; as a tangent or an adjoint: of that.
typedef struct tacElastoplasticState {
    tacReal phi; ///< signed distance, negative in overlap                             [m]
    tacVec3 n;   ///< normal from the first body to the second
    tacVec3 v;   ///< velocity of the second against the first at the common point     [m/s]
} tacElastoplasticState;

/// Force on the second body; the first gets the negative.                            [N]
TAC_API
tacVec3 tac_elastoplastic(const tacElastoplasticLaw* law, const tacElastoplasticState* at);

/// Its forward derivative.
TAC_API
tacVec3 tac_elastoplastic_jvp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                              const tacElastoplasticLaw* law_dot,
                              const tacElastoplasticState* at_dot);

/// Its reverse derivative: adds to law_bar and at_bar.
TAC_API
void tac_elastoplastic_vjp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                           tacVec3 f_bar, tacElastoplasticLaw* law_bar,
                           tacElastoplasticState* at_bar);

/// Force between two bodies with its stiffness and damping, summed over all contacts of the pair.
typedef struct tacPairForce {
    int body[2];       ///< body[0] gets the negative of what body[1] gets
    tacReal origin[3]; ///< point that all of this is taken about, in the world        [m]
    tacReal wrench[6]; ///< on body[1], (force, torque), world axes                    [N, N m]
    tacReal K[36];     ///< d wrench/d xi, relative pose, row-major
    tacReal C[36];     ///< d wrench/d nu, relative twist, row-major
    tacReal L[36];     ///< d wrench/d(J a), relative lead; of a linearly implicit step alone
} tacPairForce;

/// Forces of a smooth responder, one entry per pair of bodies that touch, in order of
/// tacContactPlan.bodies; *count entries are written, at most that many. `contacts` may be NULL for
/// a responder that reads none.
TAC_API
tacResult tac_force(const tacModel* model, const tacKinematics* kinematics,
                    const tacContacts* contacts, tacPairForce* out, int* count,
                    tacScratch* scratch);

/// Forward derivative of the wrenches of tac_force by the parameters (nparam) and by the contacts'
/// own tangents, where poses and twists stay; NULL means zero. `dot` has the entries of tac_force.
TAC_API
tacResult tac_force_jvp(const tacModel* model, const tacKinematics* kinematics,
                        const tacContacts* contacts, const tacContacts* contacts_dot,
                        const tacReal* theta_dot, tacPairForce* dot, tacScratch* scratch);

/// Reverse derivative of the wrenches of tac_force: adds to contacts_bar and theta_bar (nparam),
/// NULL skips.
TAC_API
tacResult tac_force_vjp(const tacModel* model, const tacKinematics* kinematics,
                        const tacContacts* contacts, const tacPairForce* bar,
                        tacContacts* contacts_bar, tacReal* theta_bar, tacScratch* scratch);

/// Longest time step that explicit contact stands at a state x with the control u (nu): as
/// tac_stable_timestep, with the forces and velocities at hand, of which a fast blow makes contact
/// stiffer. TAC_STIFF tells when a step was longer. Infinite where nothing touches.           [s]
TAC_API
tacResult tac_stable_timestep_at(const tacModel* model, const tacState* x, const tacReal* u,
                                 double* seconds, tacScratch* scratch);

/// A flag of tacInfo beside those of tacFlag: a step of hard contact had three times `max_impacts`
/// impacts, those beyond 3/4 of it without restitution, and did not use the rest of its time.
#define TAC_IMPACT_OVERFLOW 64u

/// A flag of tacInfo, too: restitution of a blow would have added energy, as it can with friction,
/// and was reduced until it adds none (docs/hard.md, eq. 9).
#define TAC_RESTITUTION_REDUCED 128u

/// Time of a step from x with the control u (nu) that hard contact does not use, as
/// TAC_IMPACT_OVERFLOW tells; 0 for other scenes. [s]
TAC_API
tacResult tac_step_unused(const tacModel* model, const tacState* x, const tacReal* u,
                          tacReal* seconds, tacScratch* scratch);

/// A collision at a state, of scenes with respond="lcp": qvel_next (nv) are the velocities after
/// contacts nearer than twice `delta` and limits of joints have had their impulses,
///   M (qvel_next - qvel) = J' f,
/// with the scene's restitution and friction of contacts (docs/hard.md, eq. 5, 9); limits stop what
/// moves beyond them, without restitution. `contacts` gets those contacts,
/// `impulse` (3 x contacts->capacity) what each gives to the body of its second geom, in world axes
/// [N s]; the first gets the negative. Both may be NULL. TAC_ERROR_UNSUPPORTED for other scenes,
/// TAC_ERROR_VALUE for bodies within one another unless overlap="resolve".
TAC_API
tacResult tac_impulse(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                      tacReal* qvel_next, tacContacts* contacts, tacReal* impulse,
                      tacScratch* scratch);

/// Forward derivative of qvel_next by qpos (dq, tangents), qvel and the parameters (nparam); NULL
/// means zero. tac_step_info tells whether it is one-sided.
TAC_API
tacResult tac_impulse_jvp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* dq, const tacReal* qvel_dot, const tacReal* theta_dot,
                          tacReal* qvel_next_dot, tacScratch* scratch);

/// Reverse derivative of qvel_next: adds to dq_bar, qvel_bar (nv) and theta_bar (nparam), NULL
/// skips.
TAC_API
tacResult tac_impulse_vjp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* qvel_next_bar, tacReal* dq_bar, tacReal* qvel_bar,
                          tacReal* theta_bar, tacScratch* scratch);

TAC_EXTERN_C_END

#endif
