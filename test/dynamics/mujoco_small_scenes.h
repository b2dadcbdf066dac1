// Small scenes in which versions of MuJoCo differ, or that no model of the data has: written to a
// folder, as MuJoCo reads files.

#ifndef TACTUS_TEST_MUJOCO_SMALL_SCENES_H
#define TACTUS_TEST_MUJOCO_SMALL_SCENES_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SMALL_ARM(joint)                                                                           \
    "<worldbody><body pos='5 -3 40' euler='20 30 40'><joint name='a' axis='0 1 0' " joint "/>"     \
    "<geom type='box' size='.1 .2 .3' pos='.1 0 .5' mass='2'/><body pos='0 .1 1'>"                 \
    "<joint name='b' axis='1 0 .3' armature='.01'/><geom size='.1 .2' type='capsule' mass='1'/>"   \
    "<body pos='0 0 .4'><joint name='c' type='slide' axis='1 1 0'/><geom size='.1' mass='.5' "     \
    "pos='.1 .2 0'/></body><body pos='0 .3 .4'><joint name='d' axis='0 1 1' pos='.1 0 0'/>"        \
    "<geom type='box' size='.1 .02 .3' mass='.3'/></body></body></body></worldbody>"

#define SMALL_TENDON                                                                               \
    "<tendon><fixed name='t'><joint joint='b' coef='1'/><joint joint='c' coef='-2'/>"              \
    "<joint joint='d' coef='.7'/></fixed></tendon>"

#define SMALL_BODIES                                                                               \
    "<worldbody><body pos='1 2 3' euler='50 60 70'><freejoint name='f'/>"                          \
    "<geom type='box' size='.1 .2 .3' pos='.1 0 0' mass='2'/><body pos='.3 0 0' euler='10 0 20'>"  \
    "<joint name='s' type='ball' pos='0 .1 0'/><geom size='.1' mass='1' pos='0 .2 .1'/></body>"    \
    "</body></worldbody>"

static const char* const small_scenes[][2] = {
    {"dampratio", "<mujoco>" SMALL_ARM("") SMALL_TENDON
     "<actuator><position joint='a' kp='7' dampratio='1' gear='2'/><position joint='b'"
     " kp='3' dampratio='.5'/><position tendon='t' kp='5' dampratio='.7' gear='-3'/>"
     "<intvelocity joint='c' kp='4' dampratio='1' actrange='-1 1'/><general joint='d' "
     "gainprm='9' biastype='affine' biasprm='0 -9 .8'/></actuator></mujoco>"},
    {"dampratio_free", "<mujoco>" SMALL_BODIES
                       "<actuator><position joint='f' kp='2' dampratio='1' gear='1 2 3 .4 .5 .6'/>"
                       "<position jointinparent='f' kp='2' dampratio='1' gear='1 0 3 .4 -.5 .6'/>"
                       "<position joint='s' kp='.2' dampratio='.3' gear='1 -2 .5'/></actuator>"
                       "</mujoco>"},
    {"frcrange", "<mujoco>" SMALL_ARM("actuatorfrcrange='-2 2'") SMALL_TENDON
     "<actuator><velocity joint='a' kv='3'/><position joint='a' kp='2' kv='1'/>"
     "<velocity jointinparent='a' kv='2' gear='.5'/><velocity joint='c' kv='2' "
     "forcerange='-1 1'/><velocity tendon='t' kv='3'/></actuator></mujoco>"},
    {"spinning", "<mujoco>" SMALL_BODIES "</mujoco>"},
};

enum { SMALL_SCENES = sizeof small_scenes / sizeof small_scenes[0] };

// their paths, in a new folder; 0 after a failure
static inline int write_small_scenes(char folder[40], char path[SMALL_SCENES][80]) {
    snprintf(folder, 40, "/tmp/tactus-scenes-XXXXXX");
    if (!mkdtemp(folder)) return 0;
    for (int i = 0; i < SMALL_SCENES; ++i) {
        snprintf(path[i], 80, "%s/%s.xml", folder, small_scenes[i][0]);
        FILE* file = fopen(path[i], "w");
        if (!file || fputs(small_scenes[i][1], file) < 0 || fclose(file) != 0) return 0;
    }
    return 1;
}

static inline void remove_small_scenes(const char* folder, char path[SMALL_SCENES][80]) {
    for (int i = 0; i < SMALL_SCENES; ++i) unlink(path[i]);
    rmdir(folder);
}

#endif
