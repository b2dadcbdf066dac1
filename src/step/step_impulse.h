// The step of hard contact: propagate, meet, collide, and on until the time is used up.
//
//   q, v, act --propagate--> u --impact--> t --collide--> v+ --propagate--> ...
//
// The configuration moves along q moved by t u, or by t v with explicit Euler; at the meeting the
// velocity is v + t (u - v)/h. Nothing ever comes nearer than TAC_FLOOR of delta. docs/hard.md.

#ifndef TAC_STEP_STEP_IMPULSE_H
#define TAC_STEP_STEP_IMPULSE_H

#include "step/hard_step.h"
#include "step/step.h"
#include "step/strike.h"

// a stretch between two meetings
typedef struct tacStretch {
    tacStrikeNote* push; // its propagation
    double share;        // of the time left at its start that it is planned for
    double h, span;      // that time, and what is used of it
    tacHardImpact meets; // found: where it ends
    int first, count;    // notes of the collision that ends it
} tacStretch;

typedef struct tacHardPass {
    tacStrike* s;
    tacStretch* stretch;
    tacStrikeNote* note;
    int stretches, notes, most; // most: room for notes
    tacPoint end;               // next state
    double unused;              // time that is left after too many impacts
    tacInfo info;
} tacHardPass;

// the step itself; all is of the scratch's arena
tacResult tac_hard_pass(const tacModel* model, const tacState* x, const tacReal* u,
                        tacScratch* scratch, tacHardPass* out);
void tac_hard_hand_out(const tacHardPass* pass, const tacState* x, tacState* next);

// one collision alone, at a state: its notes, and the velocity after in out->end
tacResult tac_hard_blow(const tacModel* model, const double* q, const double* v,
                        tacScratch* scratch, tacHardPass* out);

#endif
