// Clouds of oriented points, and their fields.

#ifndef TAC_EXPERIMENTS_TRIAL_CLOUD_H
#define TAC_EXPERIMENTS_TRIAL_CLOUD_H

#include "experiments/trial.h"

typedef struct trialCloud {
    int count, capacity;
    double (*point)[3], (*normal)[3]; // (count)
    int failed;                       // 1: out of memory
} trialCloud;

void trial_cloud_add(trialCloud* cloud, const double point[3], const double normal[3]);
void trial_cloud_free(trialCloud* cloud);

// The square |x|, |y| <= 1 of the plane z = 0: `side` points on each side, with its normals.
void trial_cloud_square(trialCloud* cloud, int side);

// The field of the cloud with an isotropic kernel of temperature eps [m^2]. 0, or CLI_ERROR after a
// message.
int trial_cloud_open(const trialCloud* cloud, double eps, trialField* field);

// The same value by paper 000, eq. (9), in plain loops: the reference of the field.
double trial_cloud_value(const trialCloud* cloud, double eps, const double x[3]);

#endif
