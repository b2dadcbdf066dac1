/// Responders: laws that turn contacts into forces (smooth) or impulses (hard). Also the rows of
/// joint limits, dry friction and equalities.
#ifndef TACTUS_RESPOND_H
#define TACTUS_RESPOND_H

#include "tactus/contact.h"

TAC_EXTERN_C_BEGIN

/// Responder of a scene, <tactus respond="...">. The first three give forces, the last impulses.
typedef enum tacResponder {
    TAC_RESPOND_SPRING,        ///< smooth spring, damper and friction at each contact
    TAC_RESPOND_SCM,           ///< soft-minimum contact model over point clouds
    TAC_RESPOND_ELASTOPLASTIC, ///< cubic spring with damping and logistic friction
    TAC_RESPOND_LCP            ///< hard contact with friction as a complementarity problem
} tacResponder;

/// Poses and velocities of the bodies: input of detectors and responders.
typedef struct tacKinematics {
    const tacPose* pose;  ///< world pose of each body                                (nbody)
    const tacReal* twist; ///< (linear, angular) about the body's origin, world axes  (nbody x 6)
    int derivatives;      ///< 1: responders also fill K and C; needs d_twist of the contacts
    const tacReal* predicted; ///< accelerations J a of a linearly implicit step, as `twist`; NULL:
                              ///< zero                                    (nbody x 6)
} tacKinematics;

/// Kind of a constraint row.
typedef enum tacRowKind {
    TAC_ROW_JOINT_LIMIT,     ///< hinge or slide: distance to the end of its range
    TAC_ROW_BALL_LIMIT,      ///< ball: range[1] less its angle
    TAC_ROW_TENDON_LIMIT,    ///< tendon: distance to the end of its range
    TAC_ROW_JOINT_FRICTION,  ///< dry friction of a degree of freedom; its value is 0
    TAC_ROW_TENDON_FRICTION, ///< dry friction of a tendon; its value is 0
    TAC_ROW_EQUALITY         ///< violation of an equality; connect has 3 rows, weld 6
} tacRowKind;

/// A constraint row beside the contacts: a limit, dry friction, or part of an equality.
typedef struct tacRow {
    tacRowKind kind;  ///< kind of row
    int object;       ///< index of the joint, degree of freedom, tendon or equality
    int upper;        ///< 1 for the upper limit of a range, else 0
    tacReal value;    ///< distance to the limit, negative beyond it      [m or rad]
    tacReal velocity; ///< rate of the value; for friction, sliding speed [m/s or rad/s]
    tacReal bound;    ///< largest friction force, else 0                 [N or N m]
    const tacReal* J; ///< d velocity/d qvel = d value/d qpos             (nv)
} tacRow;

/// Number of rows of a scene, the same at every state.
TAC_API
int tac_row_count(const tacModel* model);

/// Constraint rows at a state (tac_row_count), always in one order: limits of joints, of tendons,
/// dry friction of joints, of tendons, active equalities. Values are MuJoCo's. The rows point into
/// `J` (tac_row_count x nv). Kinds that the scene disables are left out.
TAC_API
tacResult tac_rows(const tacModel* model, const tacReal* qpos, const tacReal* qvel, tacRow* rows,
                   tacReal* J, tacScratch* scratch);

/// Parameters of the point-plane contact law (docs/contact.md, eq. 1 to 5), or a tangent or adjoint
/// of them.
typedef struct tacPlaneLaw {
    tacReal k;        ///< stiffness                                                      [N/m]
    tacReal v_d;      ///< dissipation velocity                                           [m/s]
    tacReal v_s;      ///< stiction velocity                                              [m/s]
    tacReal mu;       ///< friction coefficient
    tacReal eps;      ///< width of the transition to contact                             [m]
    tacReal inv_mass; ///< inverse effective mass at the point, for implicit forces  [1/kg]
    int reference;    ///< 1: dissipation as in the paper, with one continuous derivative
    int implicit;     ///< 1: the force at the end of the step, to first order (eq. 7)
} tacPlaneLaw;

/// A point near a plane, or a tangent or adjoint of it.
typedef struct tacPlaneState {
    tacReal phi; ///< signed distance                                                  [m]
    tacVec3 n;   ///< normal, of length <= 1
    tacVec3 v;   ///< velocity of the point relative to the plane                      [m/s]
    tacVec3 y;   ///< change of v within the step, for implicit forces                 [m/s]
    tacReal h;   ///< length of the step, for implicit forces                          [s]
} tacPlaneState;

/// Contact force on the point.                                                       [N]
TAC_API
tacVec3 tac_point_plane(const tacPlaneLaw* law, const tacPlaneState* at);

/// Forward derivative of tac_point_plane.
TAC_API
tacVec3 tac_point_plane_jvp(const tacPlaneLaw* law, const tacPlaneState* at,
                            const tacPlaneLaw* law_dot, const tacPlaneState* at_dot);

/// Reverse derivative of tac_point_plane: adds to law_bar and at_bar.
TAC_API
void tac_point_plane_vjp(const tacPlaneLaw* law, const tacPlaneState* at, tacVec3 f_bar,
                         tacPlaneLaw* law_bar, tacPlaneState* at_bar);

/// Parameters of the elastic-plastic law (docs/elastoplastic.md, eq. 1 to 3), or a tangent or
/// adjoint of them.
typedef struct tacElastoplasticLaw {
    tacReal k;        ///< stiffness, k_c of the paper                                 [N/m^3]
    tacReal v_d;      ///< separation speed at which the force ends, 1/c_c of the paper [m/s]
    tacReal v_s;      ///< stiction velocity                                           [m/s]
    tacReal mu;       ///< friction coefficient
    tacReal inv_mass; ///< inverse effective mass at the point, for implicit forces    [1/kg]
    int implicit;     ///< 1: the force at the end of the step, to first order (eq. 5)
} tacElastoplasticLaw;

/// A contact, or a tangent or adjoint of it.
typedef struct tacElastoplasticState {
    tacReal phi; ///< signed distance, negative in penetration                         [m]
    tacVec3 n;   ///< normal from the first body to the second, of length 1
    tacVec3 v;   ///< velocity of the second body relative to the first there          [m/s]
    tacVec3 y;   ///< change of v within the step, for implicit forces                 [m/s]
    tacReal h;   ///< length of the step, for implicit forces                          [s]
} tacElastoplasticState;

/// Contact force on the second body; the first gets the negative.                    [N]
TAC_API
tacVec3 tac_elastoplastic(const tacElastoplasticLaw* law, const tacElastoplasticState* at);

/// Forward derivative of tac_elastoplastic.
TAC_API
tacVec3 tac_elastoplastic_jvp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                              const tacElastoplasticLaw* law_dot,
                              const tacElastoplasticState* at_dot);

/// Reverse derivative of tac_elastoplastic: adds to law_bar and at_bar.
TAC_API
void tac_elastoplastic_vjp(const tacElastoplasticLaw* law, const tacElastoplasticState* at,
                           tacVec3 f_bar, tacElastoplasticLaw* law_bar,
                           tacElastoplasticState* at_bar);

/// Contact wrench between two bodies with its stiffness and damping, summed over their contacts.
typedef struct tacPairForce {
    int body[2];       ///< the two bodies
    tacReal origin[3]; ///< reference point of all below, world                        [m]
    tacReal
        wrench[6];  ///< (force, torque) on body[1], world axes; body[0] gets the negative [N, N m]
    tacReal K[36];  ///< stiffness d wrench/d xi by the relative pose, row-major
    tacReal C[36];  ///< damping d wrench/d nu by the relative twist, row-major
    tacReal L[36];  ///< d wrench/d(J a) by the relative acceleration; linearly implicit only
    double overlap; ///< deepest overlap of two geoms of them, relative to the thickness of the
                    ///< thinner geom; 0: none, and where there is no thickness (half-spaces)
    int overlap_pair; ///< their pair in tac_geom_pairs
} tacPairForce;

/// Number of pairs of bodies that may touch: the most entries that tac_force writes.
TAC_API
int tac_body_pair_count(const tacModel* model);

/// Wrenches of a smooth responder, one entry per pair of bodies in contact; *count is their number,
/// at most tac_body_pair_count. `contacts` may be NULL for respond="scm", which reads none.
TAC_API
tacResult tac_force(const tacModel* model, const tacKinematics* kinematics,
                    const tacContacts* contacts, tacPairForce* out, int* count,
                    tacScratch* scratch);

/// Forward derivative of the wrenches of tac_force by the contacts and the parameters (nparam),
/// with poses and twists fixed; NULL means zero. `dot` has the entries of tac_force.
TAC_API
tacResult tac_force_jvp(const tacModel* model, const tacKinematics* kinematics,
                        const tacContacts* contacts, const tacContacts* contacts_dot,
                        const tacReal* theta_dot, tacPairForce* dot, tacScratch* scratch);

/// Reverse derivative of the wrenches of tac_force: adds to contacts_bar and theta_bar (nparam);
/// NULL skips.
TAC_API
tacResult tac_force_vjp(const tacModel* model, const tacKinematics* kinematics,
                        const tacContacts* contacts, const tacPairForce* bar,
                        tacContacts* contacts_bar, tacReal* theta_bar, tacScratch* scratch);

/// Impact of hard contact (respond="lcp") at a state. qvel_next (nv) is the velocity after the
/// contacts nearer than 2 `delta` and the joint limits have had their impulses f,
///   M (qvel_next - qvel) = J' f,
/// with the scene's friction and restitution of contacts (docs/hard.md, eq. 5, 9); limits have no
/// restitution. `contacts` gets those contacts, `impulse` (3 x contacts->capacity) the impulse on
/// the second geom's body, world axes [N s]; the first body gets the negative. Both may be NULL.
/// TAC_ERROR_UNSUPPORTED for other responders, TAC_ERROR_VALUE for bodies that intersect, unless
/// overlap="resolve".
TAC_API
tacResult tac_impulse(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                      tacReal* qvel_next, tacContacts* contacts, tacReal* impulse,
                      tacScratch* scratch);

/// Forward derivative of qvel_next of tac_impulse along dq (nv), qvel_dot (nv) and theta_dot
/// (nparam); NULL means zero. The flags of tac_step_info say whether it is one-sided.
TAC_API
tacResult tac_impulse_jvp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* dq, const tacReal* qvel_dot, const tacReal* theta_dot,
                          tacReal* qvel_next_dot, tacScratch* scratch);

/// Reverse derivative of qvel_next of tac_impulse: adds to dq_bar (nv), qvel_bar (nv) and theta_bar
/// (nparam); NULL skips.
TAC_API
tacResult tac_impulse_vjp(const tacModel* model, const tacReal* qpos, const tacReal* qvel,
                          const tacReal* qvel_next_bar, tacReal* dq_bar, tacReal* qvel_bar,
                          tacReal* theta_bar, tacScratch* scratch);

TAC_EXTERN_C_END

#endif
