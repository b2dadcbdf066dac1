// One solve of hard contact: the velocity that contacts, limits and dry friction leave of the one
// that forces would give, at a fixed configuration; and its derivatives.
//
//   propagate  M (u - v) = h (applied - c) + J' f,   distance at the end of the path >= level
//   collide    M (u - v) = J' f,                     J_n (u + restitution v) >= 0
//
// Both are frictional problems (tactus/lcp.h). What the derivative needs of a solve is a note; all
// else is found again at the noted configuration. docs/hard.md, eq. (1) to (6).

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

// of delta: distances this near are one
#define TAC_DISTANCE_TOLERANCE 1e-6

// of the speed that parts rest and blow: speeds this near to a border are on it
#define TAC_SPEED_TOLERANCE 1e-6

// of delta: the distance of what rests, between that of meeting and that of what rows hold and
// which comes nearer all the same; no nearer by as much as a step late would be (explicit)
#define TAC_REST_DISTANCE 0.75
#define TAC_MIN_DISTANCE  0.4

// bodies that overlap part no faster than this                                  [m/s]
#define TAC_SEPARATION_SPEED 0.1

// hinges outside their range turn back no faster than this, slides as bodies part   [rad/s]
#define TAC_LIMIT_RETURN_SPEED 1.0

// what became of a contact in a solve
typedef enum tacConstraintSelection {
    TAC_SELECT_OUT,   // it was left out
    TAC_SELECT_IN,    // without restitution
    TAC_SELECT_BOUNCE // with
} tacConstraintSelection;

// an answer of a solve
typedef struct tacSolveBranch {
    double *f, *u;
    unsigned char* active_set;
} tacSolveBranch;

typedef struct tacSolveRecord {
    int is_impact;                         // 0: propagates
    double h;                              // time that it propagates for
    double cutoff;                         // distance of what collides
    double *q, *v, *act, *u;               // start, and the velocity after
    double* f;                             // impulses (3 groups)
    unsigned char *active_set, *selection; // (3 groups) (contacts and rows)
    unsigned char* nonlinear;              // (groups)
    int use_nearest;                       // bent rows look at the nearest features there
    int frictionless;                      // what must open has no friction
    int stabilize;                         // with points around contacts that stop tilting
    int energy_bounded;        // is the answer between those with restitution and without?
    tacSolveBranch branch[2];  // if so: without, with
    double* restitution_share; // and how much it has of the latter (nv)
    int unconverged;           // a path too long for its rows to hold where it ends
    int ncandidate;            // contacts and rows found at q
    int one_sided;             // does a contact close at the speed that parts rest and blow?
    int constraints, tangents; // of the problem
    unsigned flags;
    double residual;
    int passes;
} tacSolveRecord;

// what a group of rows is made of
typedef enum tacConstraintKind {
    TAC_CONSTRAINT_CONTACT,
    TAC_CONSTRAINT_LIMIT,
    TAC_CONSTRAINT_FRICTION,
    TAC_CONSTRAINT_EQUALITY // its normal row holds both ways
} tacConstraintKind;

// speed at which a gap may close, and its derivatives by the gap, by delta, by the time that is
// propagated and by the length of the step
typedef struct tacGapRate {
    double speed, by_gap, by_delta, by_h, by_dt;
} tacGapRate;

typedef struct tacConstraint {
    tacConstraintKind kind;
    int source;                                  // index among contacts, or among rows
    int has_restitution;                         // is there restitution?
    double approach;                             // normal velocity before, of one that bounces
    double restitution_scale, restitution_slope; // how much of its restitution it has; slope by
                                                 // approach/slow, less its sign
    double mu, gap;                              // of friction; of the normal row
    tacGapRate gap_rate;                         // at which the gap may close
    int mu_param;                                // offset of the coefficient of friction, or -1
    tacContactFrame frame;
    tacEqualityRow equality;     // of an equality
    double separation_speed;     // speed at which a gap below 0 opens at most
    int deep;                    // overlaps by more than a step opens
    int deep_border;             // overlaps by just as much
    int nonlinear;               // does its row look at the distance where the path ends?
    double gap_correction;       // what that distance has beyond the straight line
    tacContactFrame end_contact; // the contact there
} tacConstraint;

typedef struct tacContactSolve {
    const tacModel* scene;
    tacModel timed, unforced; // with the time step of the moment; without forces
    tacScratch* scratch;
    tacFreeDynamics dynamics[2]; // propagate, collide
    tacMotion before, after;     // at the velocities before and after
    tacPose* pose;               // (nbody)
    tacContacts contacts;
    int found;                        // of them; what follows is spread around those
    tacConvexContact* convex_contact; // their features
    int (*constrained_parts)[2];      // of contacts that rows hold (groups)
    int nconstrained;
    tacMotion end; // where the path of a propagation ends
    tacContacts contacts_end;
    double *q_end, *q_end_dot, *J_end; // (nq) (nv) (3 x nv)
    tacRow* row;
    double* row_J;
    int nrow, capacity; // capacity: of groups
    tacConstraint* constraint;
    int constraints, tangents, rows;
    tacLcp lcp;
    double *J, *U, *A, *b, *mu;       // (rows x nv) (nv x rows) (rows x rows) (rows) (groups)
    tacSchurSolve equality;           // the problem without its equalities
    double* joint_impulse;            // of joints by equalities, per change of their slopes (nv)
    double *v_free, *zero, *a, *work; // (nv)
    double *rate, *wrench;            // (na) (nbody x 6)
    double *b_dot, *mu_dot, *f_dot;   // tangents and adjoints (rows)
    double *u0, *a0, *wrench_dot;     // (nv) (nv) (nbody x 6)
    unsigned char* active_set;        // of the side that helps (rows)
    tacContactFrameDot* frame_dot;    // (capacity)
    tacMotionBar motion_bar;
    tacEnergyBound energy_bound;
    void *memory, *hard_memory;           // of solvers
    double dt, delta, margin, rest_speed; // slow: what closes slower rests, and has no restitution
    double impact_speed;                  // speed of the collision at hand as it began
    int restitution, delta_param;         // offsets of the coefficient and of delta
    int linear;                           // positions follow the old velocity: no row bends
    int descend_at_ties;                  // reverse derivatives at ties take the side that helps
    int impact_overflow; // impacts beyond those with restitution: rows hold what is fast
    int repeat;          // the problem before was nearly this one
    unsigned diff_flags; // flags that derivatives have found
    int frozen_bounds;   // bounds of friction as other engines have them
} tacContactSolve;

size_t tac_contact_solve_size(const tacModel* model);
tacContactSolve* tac_contact_solve_alloc(const tacModel* model, const tacReal* u,
                                         tacScratch* scratch);

// d slow along parameters and the time step; and back, which adds
double tac_rest_speed_jvp(const tacModel* model, const tacReal* theta_dot, double dt_dot);
void tac_rest_speed_vjp(const tacModel* model, double rest_speed_bar, tacReal* theta_bar,
                        double* dt_bar);

tacSolveRecord tac_solve_record_alloc(const tacContactSolve* s, tacArena* arena);
size_t tac_solve_record_size(const tacModel* model);

// Solves at (note->q, note->v, note->act) for the time note->h; fills the rest of the note and
// s->a, s->rate: mean acceleration, rate of the activations. TAC_ERROR_UNSOLVED: no answer.
tacResult tac_solve_substep(tacContactSolve* s, tacSolveRecord* record);

// Least distance at note->q, after tac_solve_substep, and the largest that is at most `limit`
void tac_contact_solve_distances(const tacContactSolve* s, double limit, double* least,
                                 double* most);

// Solves the collision at (note->q, note->v), once. Returns how many contacts approach: with 0
// nothing is done. With `all` every contact counts, and none bounces.
int tac_solve_impact(tacContactSolve* s, tacSolveRecord* record, int all, tacResult* result);

// the contacts where the path of a note ends, for the groups whose rows look there; returns the
// largest change of what they found before
double tac_contact_solve_update_gaps(tacContactSolve* s, const tacSolveRecord* record);

// Is another set of classes as good as that of the note? After its solve.
int tac_contact_solve_has_tie(tacContactSolve* s, const tacSolveRecord* record,
                              const tacLcpReport* report);

// Does a contact slide at next to no speed?
int tac_contact_solve_is_near_stick(const tacContactSolve* s, const tacSolveRecord* record);

// Do normals and tangents of what rests contradict one another next to here? After its rows.
int tac_contact_solve_is_jammed(tacContactSolve* s, const tacSolveRecord* record);

// impulses of a group, tangents 0 where there are none
typedef struct tacImpulse3 {
    double f[3];
} tacImpulse3;
tacImpulse3 tac_contact_solve_impulse(const tacContactSolve* s, const tacSolveRecord* record,
                                      int constraint);

//---------------------------------- derivatives ----------------------------------

// tangents of what a solve takes, or adjoints of it
typedef struct tacContactSolveDot {
    tacReal *q, *v, *act, *ctrl, *theta; // theta's time step is the time that it propagates for
    double dt;                           // of the whole step's length
} tacContactSolveDot;

// finds the problem of a note again
tacResult tac_contact_solve_restore(tacContactSolve* s, const tacSolveRecord* record);

// One answer of a bounded note, 0 without restitution or 1 with it, as a note of its own, and the
// groups as it has them; then what derivatives look at, at the answer of a note.
tacSolveRecord tac_contact_solve_branch(tacContactSolve* s, const tacSolveRecord* record,
                                        int restitution_on);
void tac_contact_solve_prepare_diff(tacContactSolve* s, const tacSolveRecord* record);

// u_dot; rate_dot is of the activations' rate. After tac_contact_solve_restore.
void tac_contact_solve_jvp(tacContactSolve* s, const tacSolveRecord* record,
                           const tacContactSolveDot* dot, tacReal* u_dot, tacReal* rate_dot);

// adds to bar; u_bar and rate_bar are kept. After tac_contact_solve_restore.
void tac_contact_solve_vjp(tacContactSolve* s, const tacSolveRecord* record, const tacReal* u_bar,
                           const tacReal* rate_bar, tacContactSolveDot* bar);

#endif
