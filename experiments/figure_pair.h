// Two figures of up to 18 superquadrics at random poses, for times of contact manifolds.

#ifndef TACTUS_EXPERIMENTS_FIGURE_PAIR_H
#define TACTUS_EXPERIMENTS_FIGURE_PAIR_H

#include "experiments/contact_scene.h"

enum { FIGURE_PARTS = 18, FIGURE_POSES = 100 };

// Figures of the first `parts` superquadrics, their surfaces tessellated with about `vertices`;
// `options` are attributes of <tactus>. 0, or CLI_ERROR after a message.
int figure_open(contactScene* s, int parts, int vertices, const char* options);

// the i-th random pose of the second figure
void figure_set_pose(contactScene* s, int i);

// Means over all poses of the best of some sweeps, in processor time of this thread [us]: contacts,
// and contacts with the gradient of their mean distance with respect to both poses.
typedef struct figureTimes {
    double detect, gradient, records, in_contact;
} figureTimes;

figureTimes figure_times(contactScene* s, int sweeps);

// the same for MuJoCo's narrow phase, superquadrics as convex meshes; NAN where it is not installed
double figure_mujoco_time(contactScene* s, int sweeps);

// threads of a batch: cores of the machine, at most `max`
int figure_threads(int max);

// Wall time of one pose in a batch on all cores, detected and differentiated. The scenes are one
// for each thread.                                                                           [us]
figureTimes figure_batch(contactScene* scenes, int threads, int batch);

// largest difference between the gradient and central differences of the mean active distance at a
// pose, relative to the gradient
double figure_gradient_error(contactScene* s, int pose);

#endif
