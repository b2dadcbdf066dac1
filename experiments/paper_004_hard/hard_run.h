// A scene of hard contact as experiments run it: steps, and the proof that nothing intersects.

#ifndef TAC_EXPERIMENTS_PAPER_004_HARD_HARD_RUN_H
#define TAC_EXPERIMENTS_PAPER_004_HARD_HARD_RUN_H

#include "experiments/trial.h"

#include "tactus/step.h"

enum { HARD_RUN_NUMBERS = 200 };

// attributes of <tactus> for what the paper compares with
#define HARD_DISCRETE "ccd='false' overlap='resolve'" // looks at the start of each step alone
#define HARD_FROZEN   "bounds='frozen'"               // friction bound by frictionless impulses

typedef struct hardRun {
    tacModel* model;
    tacScratch* scratch;
    void* memory;
    double q[HARD_RUN_NUMBERS], v[HARD_RUN_NUMBERS], u[HARD_RUN_NUMBERS];
    double min_distance;       // least distance at the ends of steps so far                     [m]
    double certified_distance; // distances on all paths so far are proven to stay above; NAN: not
                               // proven
    double residual; // largest of the frictional problems                               [m/s]
    double friction_excess; // largest |f_t| - mu f_n of a contact, of its f_n
    double normal_impulse; // sum of the normal impulses of the last step                      [N s]
    int steps, impacts, fallbacks; // done, inside them, without an answer under all rules
} hardRun;

// reads a scene; 0, or CLI_ERROR after a message
int hard_run_open(hardRun* r, const char* format, ...) __attribute__((format(printf, 2, 3)));
void hard_run_close(hardRun* r);

// the start again, at rest
void hard_run_reset(hardRun* r);

// steps under the control of the moment
tacResult hard_run_step(hardRun* r, int count);

// forward derivative of the last number of the way: from (dq, dv) at the start over `count` steps;
// dq and dv are overwritten
tacResult hard_run_tangent(hardRun* r, int count, double* dq, double* dv);

// the gripper's lift of 0.1 m from 0.3 s to 1.3 s, without a jump of its speed             [m]
double hard_lift_height(double time);

// small angle by which the plate, the first free body, has turned                         [deg]
double hard_plate_tilt(const hardRun* r);

#endif
