// Two free bodies that touch, for experiments about contact points.

#ifndef TACTUS_EXPERIMENTS_TOUCH_SCENE_H
#define TACTUS_EXPERIMENTS_TOUCH_SCENE_H

#include "experiments/sheet.h"

#include "tactus/tactus.h"

typedef struct touchScene {
    tacModel* model;
    tacScratch* scratch;
    tacContacts *contacts, *bar;
    double qpos[14]; // position and quaternion of each body
} touchScene;

// Reads a scene with two bodies on free joints; 0, or CLI_WRONG after a complaint.
int touch_open(touchScene* s, const char* format, ...) __attribute__((format(printf, 2, 3)));
void touch_close(touchScene* s);

// The second body turned by `yaw` about z [degrees], at x, y, z; the first at the origin.
void touch_place(touchScene* s, double x, double y, double z, double yaw);

// poses of the bodies (3), the world first
void touch_bodies(const touchScene* s, tacPose body[3]);

// contacts there
tacResult touch_detect(touchScene* s);

// adjoint of sum activity distance/sum activity
void touch_mean_bar(const tacContacts* contacts, tacContacts* bar);

// Detects, and adds the gradient of sum activity distance/sum activity by the bodies' twists (18)
tacResult touch_gradient(touchScene* s, double wrench[18]);

// The scene there with its contacts in a panel; normals as long as they are active, or all of the
// same length.
int touch_draw(trialSheet* sheet, int panel, const touchScene* s, int scaled, const char* caption);

// processor time of this thread                                                      [us]
double touch_clock(void);

#endif
