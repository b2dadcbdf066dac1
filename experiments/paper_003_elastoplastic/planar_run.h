// A planar scene: steps, penetration depths, and pictures.

#ifndef TAC_EXPERIMENTS_PAPER_003_ELASTOPLASTIC_PLANAR_RUN_H
#define TAC_EXPERIMENTS_PAPER_003_ELASTOPLASTIC_PLANAR_RUN_H

#include "experiments/trial_panels.h"

#include "tactus/symbolic.h"
#include "tactus/tactus.h"

enum { PLANAR_RUN_NUMBERS = 32 };

typedef struct planarRun {
    tacModel* model;
    tacScratch* scratch;
    tacStepCode* code; // NULL: the numeric dynamics
    tacContacts* contacts;
    double q[PLANAR_RUN_NUMBERS], v[PLANAR_RUN_NUMBERS], u[PLANAR_RUN_NUMBERS];
    double time;                          // [s]
    tacPose pose[PLANAR_RUN_NUMBERS];     // of the bodies, after planar_run_kinematics
    double twist[6 * PLANAR_RUN_NUMBERS]; // likewise
} planarRun;

// Reads a scene; `detector` (NULL: its own) takes the place of "sat". 0, or CLI_ERROR after a
// message.
int planar_run_open(planarRun* r, const char* text, size_t size, const char* detector);
void planar_run_close(planarRun* r);

// uses derived equations of motion from here on
int planar_run_derive(planarRun* r);

void planar_run_kinematics(planarRun* r);
tacResult planar_run_step(planarRun* r);

// a body's angle about z, between -pi and pi
double planar_angle(const tacPose* pose);

// depth of the deepest contact, and how many there are
double planar_run_depth(planarRun* r, int* count);

// view of a panel: the point at its middle, and pixels per metre
typedef struct planarView {
    int panel;
    double x, y, scale;
} planarView;

// draws all geoms with sides or a radius after planar_run_kinematics, one colour for each kinematic
// tree, with an opacity of 0 .. 1
void planar_run_draw(const planarRun* r, trialPanels* panels, planarView view, double ink);

#endif
