// A scene with hard contact: steps, and certified distances.

#ifndef TAC_EXPERIMENTS_PAPER_004_HARD_HARD_RUN_H
#define TAC_EXPERIMENTS_PAPER_004_HARD_HARD_RUN_H

#include "experiments/trial.h"

#include "tactus/step.h"

enum { HARD_RUN_NUMBERS = 200 };

// attributes of <tactus> for the methods that the paper compares with
#define HARD_DISCRETE "ccd='false' overlap='resolve'" // detects at the start of each step only
#define HARD_FROZEN   "bounds='frozen'"               // friction bound by frictionless impulses

typedef struct hardRun {
    tacModel* model;
    tacScratch* scratch;
    void* memory;
    double q[HARD_RUN_NUMBERS], v[HARD_RUN_NUMBERS], u[HARD_RUN_NUMBERS];
    double min_distance;       // smallest distance at the ends of steps so far                  [m]
    double certified_distance; // lower bound of distances on all paths so far; NAN: none
    double residual; // largest residual of the frictional LCPs                          [m/s]
    double friction_excess; // largest (|f_t| - mu f_n) / f_n of a contact
    double normal_impulse; // sum of the normal impulses of the last step                      [N s]
    int steps, impacts, fallbacks; // steps done, impacts inside them, steps with a fallback
} hardRun;

// reads a scene; 0, or CLI_ERROR after a message
int hard_run_open(hardRun* r, const char* format, ...) __attribute__((format(printf, 2, 3)));
void hard_run_close(hardRun* r);

// initial configuration, at rest
void hard_run_reset(hardRun* r);

// steps with the current control
tacResult hard_run_step(hardRun* r, int count);

// forward derivative over `count` steps from the tangent (dq, dv), which is overwritten
tacResult hard_run_tangent(hardRun* r, int count, double* dq, double* dv);

// lift of the gripper: 0.1 m from 0.3 s to 1.3 s, with continuous velocity                 [m]
double hard_lift_height(double time);

// rotation angle of the plate, the first free body, if it is small                        [deg]
double hard_plate_tilt(const hardRun* r);

#endif
