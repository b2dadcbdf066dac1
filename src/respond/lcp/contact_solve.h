// One solve of hard contact: the velocity after contacts, joint limits, dry friction and equalities
// have acted, at a fixed configuration; and its derivatives.
//
//   substep   M (u - v) = h (applied - c) + J' f,   distance at the end of the path >= level
//   impact    M (u - v) = J' f,                     J_n (u + restitution v) >= 0
//
// Both are frictional complementarity problems (tactus/lcp.h). A solve leaves a record. Derivatives
// take the record and build the problem again at its configuration. docs/hard.md, eq. (1) to (6).

#ifndef TAC_RESPOND_LCP_CONTACT_SOLVE_H
#define TAC_RESPOND_LCP_CONTACT_SOLVE_H

#include "detect/convex_contacts.h"
#include "dynamics/free_dynamics.h"
#include "dynamics/integrate_pos.h"
#include "model/contact/contact_data.h"
#include "respond/lcp/contact_frame.h"
#include "respond/lcp/energy_bound.h"
#include "respond/lcp/equality_row.h"
#include "respond/lcp/schur.h"
#include "tactus/lcp.h"

// Distances closer than this share of delta are equal, or closer than the rounding of the world's
// coordinates (tacSolveCandidates.rounding).
#define TAC_DISTANCE_TOLERANCE 1e-6

// speeds closer than this share of the rest speed, or of the impact speed, are equal
#define TAC_SPEED_TOLERANCE 1e-6

// Of delta: the distance that resting contacts settle at, and the least distance of a path. An
// impact is at delta; a contact whose row fails is an impact at the least distance. The gap between
// both is more than one explicit step loses.
#define TAC_REST_DISTANCE 0.75
#define TAC_MIN_DISTANCE  0.4

// largest speed at which overlapping bodies separate                            [m/s]
#define TAC_SEPARATION_SPEED 0.1

// largest speed at which hinges outside their range return; slides: as bodies    [rad/s]
#define TAC_LIMIT_RETURN_SPEED 1.0

//---------------------------------- record ----------------------------------

// which part a candidate (contact or joint row) has in a solve
typedef enum tacConstraintSelection {
    TAC_SELECT_OUT,   // none
    TAC_SELECT_IN,    // a constraint without restitution
    TAC_SELECT_BOUNCE // a constraint with restitution
} tacConstraintSelection;

// impulses, velocity after and active set of one problem
typedef struct tacSolveBranch {
    double *f, *u;
    unsigned char* active_set;
} tacSolveBranch;

// How the rows of a substep are built. The fallbacks of tac_solve_substep differ in these.
typedef struct tacRowVariant {
    int nonlinear;    // normal rows hold at the end of the path, not along its tangent at the start
    int use_nearest;  // there they look at the nearest features, not at those of the start
    int frictionless; // contacts that must open have no friction
    int closed_gaps;  // gaps stay as they are: contacts neither open nor close
} tacRowVariant;

// a solve: what it started from, what it solved and its answer
typedef struct tacSolveRecord {
    // input
    int is_impact;       // 0: a substep
    double h;            // length of the substep                              [s]
    double *q, *v, *act; // start
    int impact_overflow; // impacts of the step beyond those that may have restitution
    double impact_speed; // fastest approach since the collision began; the solve raises it [m/s]

    // problem
    double cutoff;            // of an impact: distance up to which contacts take part [m]
    int stabilize;            // with stabilizing contacts?
    int ncandidate;           // contacts and joint rows found at q
    unsigned char* selection; // tacConstraintSelection (candidates)
    tacRowVariant variant;    // of a substep
    unsigned char* nonlinear; // is the normal row nonlinear at the answer? (constraints)
    int constraints, tangents;

    // answer
    double *u, *f;             // velocity after, impulses (3 constraints)
    unsigned char* active_set; // tacLcpStatus (3 constraints)
    int energy_bounded;        // is it a mix of the answers without and with restitution?
    tacSolveBranch branch[2];  // if so: those answers, without and with
    double* restitution_share; // and the share of the latter (nv)
    int unconverged;           // path too long: its nonlinear rows did not converge
    int one_sided;             // at a border of the model, such as the rest speed?
    unsigned flags;
    double residual;
    int passes;
} tacSolveRecord;

//---------------------------------- problem ----------------------------------

typedef enum tacConstraintKind {
    TAC_CONSTRAINT_CONTACT,
    TAC_CONSTRAINT_LIMIT,
    TAC_CONSTRAINT_FRICTION, // dry friction of a joint: it presses with its own bound
    TAC_CONSTRAINT_EQUALITY  // its normal row is bilateral
} tacConstraintKind;

// speed at which a gap may close; its derivatives by the gap, by delta, by the length of the
// substep and by that of the step
typedef struct tacGapRate {
    double speed, by_gap, by_delta, by_h, by_dt;
} tacGapRate;

// a normal row, and two tangent rows where the problem has friction
typedef struct tacConstraint {
    tacConstraintKind kind;
    int source; // index among the contacts, or among the joint rows
    int has_restitution;
    double approach;                             // normal velocity before, with restitution
    double restitution_scale, restitution_slope; // share of the coefficient of restitution; minus
                                                 // its slope by approach/rest_speed
    double mu, gap;                              // coefficient of friction; gap of the normal row
    tacGapRate gap_rate;
    int mu_param;                // parameter of mu, or -1
    tacContactFrame frame;       // of a contact
    tacEqualityRow equality;     // of an equality
    double separation_speed;     // largest speed at which a gap below 0 opens
    int deep;                    // overlap is more than one step opens
    int deep_border;             // overlap is just as much
    int nonlinear;               // does the normal row hold at the end of the path?
    double gap_correction;       // distance there, less that of the tangent path
    tacContactFrame end_contact; // contact there
    tacConvexContact end_features;
} tacConstraint;

// The constraints of one solve and their frictional problem A f + b, A = J M^-1 J'.
typedef struct tacContactProblem {
    tacConstraint* constraint;
    int capacity;                    // of constraints
    int constraints, tangents, rows; // rows = constraints (1 + tangents)
    double *J, *U, *A, *b, *mu;      // (rows x nv) (nv x rows) = M^-1 J' (rows x rows) (rows)
    tacLcp lcp;                      // A, b, mu
    int (*constrained_parts)[2];     // convex parts of the contacts among the constraints
    int nconstrained;
} tacContactProblem;

// contacts and joint rows near a configuration: what a problem selects from
typedef struct tacSolveCandidates {
    tacContacts contacts;
    int detected;                     // contacts of the detector; stabilizing contacts follow
    double rounding;                  // distances closer than this are equal            [m]
    tacConvexContact* convex_contact; // their features
    tacRow* row;                      // limits, dry friction and equalities of joints
    double* row_J;
    int nrow;
} tacSolveCandidates;

//---------------------------------- solver ----------------------------------

// numbers and choices of the scene, constant during a step
typedef struct tacSolveOptions {
    double dt;                          // time step of the scene                      [s]
    double delta;                       // contact distance                            [m]
    double margin;                      // detection margin of a substep               [m]
    double rest_speed;                  // slower approach is rest: no impact, no restitution [m/s]
    int restitution_param, delta_param; // parameters
    int explicit_path;                  // positions follow the old velocity: rows are linear
    int descend_at_ties;                // reverse derivatives at ties take the side of descent
    int frozen_bounds;                  // friction bounds of the reference (reference.h)
} tacSolveOptions;

// forward dynamics without contact, and the motions that rows are taken at
typedef struct tacSolveDynamics {
    tacModel timed, unforced;     // with the length of the substep; without forces
    tacFreeDynamics free[2];      // of a substep, of an impact
    tacMotion before, after, end; // at (q, v), at (q, u), where the path ends
    tacPose* pose;                // (nbody)
    double *v_free, *zero;        // velocity without constraints, 0 (nv)
    double *a, *rate;             // mean acceleration (nv), rate of the activations (na)
} tacSolveDynamics;

// memory that a solve or a derivative uses for a moment
typedef struct tacSolveWorkspace {
    tacContacts contacts_end;       // contacts where the path ends
    double *q_end, *q_end_dot;      // (nq) (nv)
    double* J_end;                  // rows of one contact (3 x nv)
    double* joint_force;            // (nv)
    double* joint_impulse;          // of equalities as their slope changes (nv)
    double *b_dot, *mu_dot, *f_dot; // tangents and adjoints (rows)
    double *u0, *a0;                // tangents and adjoints at fixed impulses (nv)
    double *wrench, *wrench_dot;    // (nbody x 6)
    unsigned char* active_set;      // (rows)
    tacContactFrameDot* frame_dot;  // (capacity)
    tacMotionBar motion_bar;
    tacSchurSolve schur; // the problem without its equalities
    void *lcp_memory, *ccd_memory;
} tacSolveWorkspace;

typedef struct tacContactSolve {
    const tacModel* scene;
    tacScratch* scratch;
    tacSolveOptions options;
    tacSolveDynamics dynamics;
    tacSolveCandidates candidates;
    tacContactProblem problem;
    tacSolveWorkspace work;
    tacEnergyBound energy_bound;
    unsigned diff_flags; // flags that derivatives found
} tacContactSolve;

// The parts of a solve from a measuring arena, for the size of its records.
void tac_contact_solve_measure(const tacModel* model, tacArena* dry, tacContactSolve* s);
tacContactSolve* tac_contact_solve_alloc(const tacModel* model, const tacReal* u,
                                         tacScratch* scratch);

// d rest_speed along parameters and the time step; and its adjoint, which adds
double tac_rest_speed_jvp(const tacModel* model, const tacReal* theta_dot, double dt_dot);
void tac_rest_speed_vjp(const tacModel* model, double rest_speed_bar, tacReal* theta_bar,
                        double* dt_bar);

tacSolveRecord tac_solve_record_alloc(const tacContactSolve* s, tacArena* arena);

// Solves a substep from the input of the record. Fills the rest of the record, the mean
// acceleration and the rate of the activations. TAC_ERROR_UNSOLVED: no fallback has an answer.
tacResult tac_solve_substep(tacContactSolve* s, tacSolveRecord* record);

// Least distance at record->q, after tac_solve_substep, and the largest that is at most `limit`
void tac_contact_solve_distances(const tacContactSolve* s, double limit, double* least,
                                 double* most);

// Solves an impact from the input of the record, once. Returns how many contacts approach; with 0
// there is no solve. With `all` every contact takes part, and none has restitution.
int tac_solve_impact(tacContactSolve* s, tacSolveRecord* record, int all, tacResult* result);

// Finds contacts where the path of a record ends, and corrects the gaps of nonlinear rows. Returns
// the largest change of a correction.
double tac_contact_solve_update_gaps(tacContactSolve* s, const tacSolveRecord* record);

// Does another active set fit the answer as well? After its solve.
int tac_contact_solve_has_tie(tacContactSolve* s, const tacSolveRecord* record,
                              const tacLcpReport* report);

// Does a contact slide at almost zero speed?
int tac_contact_solve_is_near_stick(const tacContactSolve* s, const tacSolveRecord* record);

// Do normal and tangent rows of resting contacts contradict one another at neighbouring
// configurations? After its rows are assembled.
int tac_contact_solve_is_jammed(tacContactSolve* s, const tacSolveRecord* record);

// impulses of a constraint, tangents 0 where there are none
typedef struct tacImpulse3 {
    double f[3];
} tacImpulse3;
tacImpulse3 tac_contact_solve_impulse(const tacContactSolve* s, const tacSolveRecord* record,
                                      int constraint);

//---------------------------------- derivatives ----------------------------------

// tangents of the input of a solve, or their adjoints
typedef struct tacContactSolveDot {
    tacReal *q, *v, *act, *ctrl, *theta; // the time step in theta is the length of the substep
    double dt;                           // length of the step
} tacContactSolveDot;

// Builds the problem of a record again.
tacResult tac_contact_solve_restore(tacContactSolve* s, const tacSolveRecord* record);

// One answer of an energy-bounded record, without (0) or with (1) restitution, as a record of its
// own. Sets the constraints accordingly.
tacSolveRecord tac_contact_solve_branch(tacContactSolve* s, const tacSolveRecord* record,
                                        int restitution_on);

// motions and forces at the answer of a record, for the derivatives
void tac_contact_solve_prepare_diff(tacContactSolve* s, const tacSolveRecord* record);

// u_dot, and the tangent of the activations' rate. After tac_contact_solve_restore.
void tac_contact_solve_jvp(tacContactSolve* s, const tacSolveRecord* record,
                           const tacContactSolveDot* dot, tacReal* u_dot, tacReal* rate_dot);

// Adds to bar; u_bar and rate_bar are kept. After tac_contact_solve_restore.
void tac_contact_solve_vjp(tacContactSolve* s, const tacSolveRecord* record, const tacReal* u_bar,
                           const tacReal* rate_bar, tacContactSolveDot* bar);

#endif
