// Scenes of two free bodies for the tests of manifolds, and random poses that touch.

#ifndef TACTUS_TEST_DETECT_MANIFOLD_SCENES_H
#define TACTUS_TEST_DETECT_MANIFOLD_SCENES_H

#include "tactus/tactus.h"
#include "test.h"

#include <stdlib.h>

typedef struct manifoldScene {
    const char* name;
    const char* assets;
    const char* geom[2];
    double spacing; // bodies are placed this far from each other, times 0.3 to 1.1
} manifoldScene;

#define BOX "type='box' size='.1 .08 .06'"

static const manifoldScene manifold_boxes = {"boxes", "", {BOX, BOX}, 0.2};
static const manifoldScene manifold_balls = {
    "ball and capsule", "", {"type='sphere' size='.1'", "type='capsule' size='.05 .1'"}, 0.16};
static const manifoldScene manifold_rods = {
    "cylinder and ellipsoid",
    "",
    {"type='cylinder' size='.06 .1'", "type='ellipsoid' size='.1 .07 .05'"},
    0.18};
static const manifoldScene manifold_cup = {
    "cup and ball",
    "<shape name='cup' smooth='.002'><difference>"
    "<superquadric size='.05 .05 .05' eps='.25 1'/>"
    "<superquadric size='.042 .042 .05' eps='.3 1' pos='0 0 .012'/></difference></shape>",
    {"type='shape' shape='cup'", "type='sphere' size='.025'"},
    0.07};

// given, as to measure a shape takes longer than the test
#define MANIFOLD_INERTIAL "<inertial pos='0 0 0' mass='1' diaginertia='.004 .004 .004'/>"

// both bodies free, contact by the attributes of <tactus>
static inline tacModel* manifold_load_by(const manifoldScene* scene, const char* detect,
                                         const char* options) {
    static char text[30000];
    snprintf(text, sizeof text,
             "<mujoco><tactus detect='%s' %s/><asset>%s</asset><worldbody>"
             "<body><freejoint/>" MANIFOLD_INERTIAL "<geom name='a' %s/></body>"
             "<body><freejoint/>" MANIFOLD_INERTIAL
             "<geom name='b' %s/></body></worldbody></mujoco>",
             detect, options, scene->assets, scene->geom[0], scene->geom[1]);
    tacMessage message;
    tacModel* model = NULL;
    if (tac_load_text(text, (int)strlen(text), scene->name, NULL, &model, &message) != TAC_OK)
        printf("  %s: %s\n", scene->name, message.text);
    return model;
}

static inline tacModel* manifold_load(const manifoldScene* scene, const char* options) {
    return manifold_load_by(scene, "manifold", options);
}

// (position, quaternion) of both bodies
static inline void manifold_random_poses(const manifoldScene* scene, testRandom* random,
                                         double x[14]) {
    double dir[3], length = 0.0;
    for (int i = 0; i < 14; ++i) x[i] = test_uniform(random, -1.0, 1.0);
    for (int k = 0; k < 3; ++k) {
        dir[k] = test_uniform(random, -1.0, 1.0);
        length += dir[k] * dir[k];
    }
    double far = scene->spacing * test_uniform(random, 0.3, 1.1) / sqrt(length);
    for (int k = 0; k < 3; ++k) x[7 + k] = x[k] + far * dir[k];
    for (int b = 0; b < 2; ++b) {
        double norm = 0.0;
        for (int k = 3; k < 7; ++k) norm += x[7 * b + k] * x[7 * b + k];
        for (int k = 3; k < 7; ++k) x[7 * b + k] /= sqrt(norm);
    }
}

static inline void manifold_poses(const double x[14], tacPose body[3]) {
    body[0] = tac_pose_identity();
    for (int b = 0; b < 2; ++b) {
        const double* p = x + 7 * b;
        body[1 + b] = (tacPose){{p[0], p[1], p[2]}, {p[3], p[4], p[5], p[6]}};
    }
}

#endif
