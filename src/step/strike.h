// One solve of hard contact: the velocity that contacts, limits and dry friction leave of the one
// that forces would give, at a fixed configuration; and its derivatives.
//
//   propagate  M (u - v) = h (applied - c) + J' f,   distance at the end of the path >= level
//   collide    M (u - v) = J' f,                     J_n (u + restitution v) >= 0
//
// Both are frictional problems (tactus/lcp.h). What the derivative needs of a solve is a note; all
// else is found again at the noted configuration. docs/hard.md, eq. (1) to (6).

#ifndef TAC_STEP_STRIKE_H
#define TAC_STEP_STRIKE_H

#include "detect/hard.h"
#include "respond/contact_frame.h"
#include "respond/equality_row.h"
#include "respond/held.h"
#include "step/bounce.h"
#include "step/flow.h"
#include "tactus/lcp.h"
#include "tactus/respond.h"

// of delta: distances this near are one
#define TAC_TRACE 1e-6

// of the speed that parts rest and blow: speeds this near to a border are on it
#define TAC_TOUCH 1e-6

// of delta: the distance of what rests, between that of meeting and that of what rows hold and
// which comes nearer all the same; no nearer by as much as a step late would be (explicit)
#define TAC_REST  0.75
#define TAC_FLOOR 0.4

// bodies that overlap part no faster than this                                  [m/s]
#define TAC_PARTING 0.1

// hinges outside their range turn back no faster than this, slides as bodies part   [rad/s]
#define TAC_TURNING 1.0

// what became of a contact in a solve
typedef enum tacStrikeChoice {
    TAC_STRIKE_OUT,    // it was left out
    TAC_STRIKE_IN,     // without restitution
    TAC_STRIKE_BOUNCES // with
} tacStrikeChoice;

// an answer of a solve
typedef struct tacStrikePart {
    double *f, *u;
    unsigned char* classes;
} tacStrikePart;

typedef struct tacStrikeNote {
    int collides;                    // 0: propagates
    double h;                        // time that it propagates for
    double reach;                    // distance of what collides
    double *q, *v, *act, *u;         // start, and the velocity after
    double* f;                       // impulses (3 groups)
    unsigned char *classes, *chosen; // (3 groups) (contacts and rows)
    unsigned char* bent;             // (groups)
    int nearest;                     // bent rows look at the nearest features there
    int slick;                       // what must open has no friction
    int spread;                      // with points around contacts that stop tilting
    int bounded;                     // is the answer between those with restitution and without?
    tacStrikePart part[2];           // if so: without, with
    double* share;                   // and how much it has of the latter (nv)
    int loose;                       // a path too long for its rows to hold where it ends
    int listed;                      // contacts and rows found at q
    int border;                      // does a contact close at the speed that parts rest and blow?
    int groups, tangents;            // of the problem
    unsigned flags;
    double residual;
    int passes;
} tacStrikeNote;

// what a group of rows is made of
typedef enum tacGroupKind {
    TAC_GROUP_CONTACT,
    TAC_GROUP_LIMIT,
    TAC_GROUP_FRICTION,
    TAC_GROUP_EQUALITY // its normal row holds both ways
} tacGroupKind;

// speed at which a gap may close, and its derivatives by the gap, by delta, by the time that is
// propagated and by the length of the step
typedef struct tacPace {
    double speed, by_gap, by_delta, by_h, by_dt;
} tacPace;

typedef struct tacStrikeGroup {
    tacGroupKind kind;
    int source;         // index among contacts, or among rows
    int bounces;        // is there restitution?
    double approach;    // normal velocity before, of one that bounces
    double fade, steep; // how much of its restitution it has; slope by approach/slow, less its sign
    double mu, gap;     // of friction; of the normal row
    tacPace pace;       // at which the gap may close
    int mu_at;          // offset of the coefficient of friction, or -1
    tacContactFrame frame;
    tacEqualityRow held;  // of an equality
    double parting;       // speed at which a gap below 0 opens at most
    int deep;             // overlaps by more than a step opens
    int edge;             // overlaps by just as much
    int bent;             // does its row look at the distance where the path ends?
    double bend;          // what that distance has beyond the straight line
    tacContactFrame last; // the contact there
} tacStrikeGroup;

typedef struct tacStrike {
    const tacModel* scene;
    tacModel moving, still; // with the time step of the moment; without forces
    tacScratch* scratch;
    tacFlow flow[2];         // propagate, collide
    tacMotion before, after; // at the velocities before and after
    tacPose* pose;           // (nbody)
    tacContacts contacts;
    int found;             // of them; what follows is spread around those
    tacHardTouch* touch;   // their features
    int (*held_pieces)[2]; // of contacts that rows hold (groups)
    int nheld;
    tacMotion end; // where the path of a propagation ends
    tacContacts contacts_end;
    double *q_end, *moved_q, *J_end; // (nq) (nv) (3 x nv)
    tacRow* row;
    double* row_J;
    int nrow, capacity; // capacity: of groups
    tacStrikeGroup* group;
    int groups, tangents, rows;
    tacLcp lcp;
    double *J, *U, *A, *b, *mu;     // (rows x nv) (nv x rows) (rows x rows) (rows) (groups)
    tacHeldSolve held;              // the problem without its equalities
    double* push;                   // of joints by equalities, per change of their slopes (nv)
    double *free, *zero, *a, *work; // (nv)
    double *rate, *wrench;          // (na) (nbody x 6)
    double *b_dot, *mu_dot, *f_dot; // tangents and adjoints (rows)
    double *u0, *a0, *wrench_dot;   // (nv) (nv) (nbody x 6)
    unsigned char* classes;         // of the side that helps (rows)
    tacFrameDot* moved;             // (capacity)
    tacCarryBar carry;
    tacBounce bounce;
    void *memory, *hard_memory;     // of solvers
    double dt, delta, margin, slow; // slow: what closes slower rests, and has no restitution
    double blow;                    // speed of the collision at hand as it began
    int restitution, delta_at;      // offsets of the coefficient and of delta
    int straight;                   // positions follow the old velocity: no row bends
    int helpful;                    // reverse derivatives at ties take the side that helps
    int late;                       // impacts beyond those with restitution: rows hold what is fast
    int again;                      // the problem before was nearly this one
    unsigned remarks;               // flags that derivatives have found
    int frozen;                     // bounds of friction as other engines have them
} tacStrike;

size_t tac_strike_size(const tacModel* model);
tacStrike* tac_strike_take(const tacModel* model, const tacReal* u, tacScratch* scratch);

// d slow along parameters and the time step; and back, which adds
double tac_slow_jvp(const tacModel* model, const tacReal* theta_dot, double dt_dot);
void tac_slow_vjp(const tacModel* model, double slow_bar, tacReal* theta_bar, double* dt_bar);

tacStrikeNote tac_note_take(const tacStrike* s, tacArena* arena);
size_t tac_note_size(const tacModel* model);

// Solves at (note->q, note->v, note->act) for the time note->h; fills the rest of the note and
// s->a, s->rate: mean acceleration, rate of the activations. TAC_ERROR_UNSOLVED: no answer.
tacResult tac_propagate(tacStrike* s, tacStrikeNote* note);

// Least distance at note->q, after tac_propagate, and the largest that is at most `limit`
void tac_strike_distances(const tacStrike* s, double limit, double* least, double* most);

// Solves the collision at (note->q, note->v), once. Returns how many contacts approach: with 0
// nothing is done. With `all` every contact counts, and none bounces.
int tac_collide(tacStrike* s, tacStrikeNote* note, int all, tacResult* result);

// the contacts where the path of a note ends, for the groups whose rows look there; returns the
// largest change of what they found before
double tac_strike_bend(tacStrike* s, const tacStrikeNote* note);

// Is another set of classes as good as that of the note? After its solve.
int tac_strike_has_tie(tacStrike* s, const tacStrikeNote* note, const tacLcpReport* report);

// Does a contact slide at next to no speed?
int tac_strike_wavers(const tacStrike* s, const tacStrikeNote* note);

// Do normals and tangents of what rests contradict one another next to here? After its rows.
int tac_strike_is_jammed(tacStrike* s, const tacStrikeNote* note);

// impulses of a group, tangents 0 where there are none
typedef struct tacThree {
    double f[3];
} tacThree;
tacThree tac_impulse_of(const tacStrike* s, const tacStrikeNote* note, int group);

//---------------------------------- derivatives ----------------------------------

// tangents of what a solve takes, or adjoints of it
typedef struct tacStrikeDot {
    tacReal *q, *v, *act, *ctrl, *theta; // theta's time step is the time that it propagates for
    double dt;                           // of the whole step's length
} tacStrikeDot;

// finds the problem of a note again
tacResult tac_strike_revisit(tacStrike* s, const tacStrikeNote* note);

// One answer of a bounded note, 0 without restitution or 1 with it, as a note of its own, and the
// groups as it has them; then what derivatives look at, at the answer of a note.
tacStrikeNote tac_strike_part(tacStrike* s, const tacStrikeNote* note, int with);
void tac_strike_ready(tacStrike* s, const tacStrikeNote* note);

// u_dot; rate_dot is of the activations' rate. After tac_strike_revisit.
void tac_strike_jvp(tacStrike* s, const tacStrikeNote* note, const tacStrikeDot* dot,
                    tacReal* u_dot, tacReal* rate_dot);

// adds to bar; u_bar and rate_bar are kept. After tac_strike_revisit.
void tac_strike_vjp(tacStrike* s, const tacStrikeNote* note, const tacReal* u_bar,
                    const tacReal* rate_bar, tacStrikeDot* bar);

#endif
