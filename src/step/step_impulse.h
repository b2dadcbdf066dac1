// The step of hard contact: propagate, meet, collide, and on until the time is used up.
//
//   q, v, act --propagate--> u --impact--> t --collide--> v+ --propagate--> ...
//
// The configuration moves along q moved by t u, or by t v with explicit Euler; at the meeting the
// velocity is v + t (u - v)/h. Nothing ever comes nearer than half of delta. docs/hard.md.

#ifndef TAC_STEP_STEP_IMPULSE_H
#define TAC_STEP_STEP_IMPULSE_H

#include "step/step.h"
#include "step/strike.h"

// a stretch between two meetings
typedef struct tacStretch {
    tacStrikeNote* push; // its propagation
    double h, span;      // time left at its start, and used
    tacHardImpact meets; // found: where it ends
    int first, count;    // notes of the collision that ends it
} tacStretch;

typedef struct tacHardPass {
    tacStrike* s;
    tacStretch* stretch;
    tacStrikeNote* note;
    int stretches, notes, most; // most: room for notes
    tacPoint end;               // next state
    tacInfo info;
} tacHardPass;

size_t tac_hard_step_size(const tacModel* model, const tacHard* hard);

// the step itself; all is of the scratch's arena
tacResult tac_hard_pass(const tacModel* model, const tacState* x, const tacReal* u,
                        tacScratch* scratch, tacHardPass* out);

// the functions of tactus/step.h for hard contact, with arguments that were checked
tacResult tac_hard_step(const tacModel* model, const tacState* x, const tacReal* u, tacState* next,
                        tacScratch* scratch);
tacResult tac_hard_jvp(const tacModel* model, const tacState* x, const tacReal* u, tacTangent x_dot,
                       const tacReal* u_dot, const tacReal* theta_dot, tacTangent next_dot,
                       tacScratch* scratch);
tacResult tac_hard_vjp(const tacModel* model, const tacState* x, const tacReal* u,
                       tacTangent next_bar, tacTangent x_bar, tacReal* u_bar, tacReal* theta_bar,
                       tacScratch* scratch);

#endif
