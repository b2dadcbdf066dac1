// The step of hard contact: propagate, meet, collide, and on until the time is used up.
//
//   q, v, act --propagate--> u --impact--> t --collide--> v+ --propagate--> ...
//
// The configuration moves along q moved by t u, or by t v with explicit Euler; at the meeting the
// velocity is v + t (u - v)/h. Nothing ever comes nearer than TAC_MIN_DISTANCE of delta.
// docs/hard.md.

#ifndef TAC_STEP_HARD_HARD_PASS_H
#define TAC_STEP_HARD_HARD_PASS_H

#include "respond/lcp/contact_solve.h"
#include "step/hard/hard_step.h"
#include "step/step.h"

// a stretch between two meetings
typedef struct tacSubstep {
    tacSolveRecord* record; // its propagation
    double fraction;        // of the time left at its start that it is planned for
    double h, span;         // that time, and what is used of it
    tacFirstImpact impact;  // found: where it ends
    int first, count;       // notes of the collision that ends it
} tacSubstep;

typedef struct tacHardPass {
    tacContactSolve* s;
    tacSubstep* substep;
    tacSolveRecord* record;
    int substeps, records;
    int capacity;       // of records
    tacStateArrays end; // next state
    double unused;      // time that is left after too many impacts
    tacInfo info;
} tacHardPass;

// the step itself; all is of the scratch's arena
tacResult tac_hard_pass(const tacModel* model, const tacState* x, const tacReal* u,
                        tacScratch* scratch, tacHardPass* out);
void tac_hard_write_state(const tacHardPass* pass, const tacState* x, tacState* next);

// one collision alone, at a state: its notes, and the velocity after in out->end
tacResult tac_hard_collision(const tacModel* model, const double* q, const double* v,
                             tacScratch* scratch, tacHardPass* out);

// Dry run of the derivatives: the most that they take beside a pass. Leaves dry->used as it was.
void tac_hard_diff_measure(const tacModel* model, tacArena* dry);

#endif
