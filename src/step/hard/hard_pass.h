// The step of hard contact: solve a substep, find the first impact, solve it, until the time is
// used.
//
//   q, v, act --substep--> u --impact--> t --collision--> v+ --substep--> ...
//
// The configuration follows q moved by t u, or by t v with explicit Euler. At the impact the
// velocity is v + t (u - v)/h. No pair comes nearer than TAC_MIN_DISTANCE of delta. docs/hard.md.

#ifndef TAC_STEP_HARD_HARD_PASS_H
#define TAC_STEP_HARD_HARD_PASS_H

#include "respond/lcp/contact_solve.h"
#include "step/hard/hard_step.h"
#include "step/step.h"

// a substep from one impact to the next
typedef struct tacSubstep {
    tacSolveRecord* record; // its solve
    double fraction;        // of the time left: planned length
    double h, span;         // planned length, and the part before the impact [s]
    tacFirstImpact impact;  // if found: its end
    int first, count;       // records of the collision at its end
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

// a collision alone, at a state: its records, and the velocity after in out->end
tacResult tac_hard_collision(const tacModel* model, const double* q, const double* v,
                             tacScratch* scratch, tacHardPass* out);

// Dry run of the derivatives: the most that they take beside a pass. Leaves dry->used as it was.
void tac_hard_diff_measure(const tacModel* model, tacArena* dry);

#endif
