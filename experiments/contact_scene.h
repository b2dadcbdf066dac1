// Two free bodies in contact, for experiments about contact points.

#ifndef TAC_EXPERIMENTS_CONTACT_SCENE_H
#define TAC_EXPERIMENTS_CONTACT_SCENE_H

#include "experiments/trial_panels.h"

#include "tactus/tactus.h"

typedef struct contactScene {
    tacModel* model;
    tacScratch* scratch;
    tacContacts *contacts, *bar;
    double qpos[14]; // position and quaternion of each body
} contactScene;

// Reads a scene with two bodies on free joints; 0, or CLI_ERROR after a message.
int contact_scene_open(contactScene* s, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void contact_scene_close(contactScene* s);

// The second body at x, y, z, rotated by `yaw` about z [deg]; the first at the origin.
void contact_scene_set_pose(contactScene* s, double x, double y, double z, double yaw);

// poses of the bodies (3), the world first
void contact_scene_poses(const contactScene* s, tacPose body[3]);

// contacts at these poses
tacResult contact_scene_detect(contactScene* s);

// adjoint of sum activity distance/sum activity
void contact_scene_mean_adjoint(const tacContacts* contacts, tacContacts* bar);

// Detects, and adds the gradient of sum activity distance/sum activity with respect to the twists
// (18)
tacResult contact_scene_gradient(contactScene* s, double wrench[18]);

// Draws the scene with its contacts in a panel; normals are scaled by activity, or of one length.
int contact_scene_draw(trialPanels* panels, int panel, const contactScene* s, int scaled,
                       const char* caption);

#endif
