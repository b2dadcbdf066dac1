// The scenes of test_recorded: files of scenes/ and texts, each with choices of contact.

#ifndef TACTUS_TEST_RECORDED_SCENES_H
#define TACTUS_TEST_RECORDED_SCENES_H

#include "step/actuated_scenes.h"
#include "test.h"

// what a case starts from: a file of scenes/, a text, or a heap of random bodies
typedef struct recordedScene {
    const char* name;
    const char* file; // of scenes/, without its ending; NULL: text or heap
    const char* text; // NULL: a heap of this seed
    unsigned long long seed;
    const char* contact; // of tacOptions
    int steps;
    int exact; // of tacOptions
    int rough; // 1: surfaces are made at load by choices that rounding decides: no value holds
               // between instruction sets
} recordedScene;

//---------------------------------- joints ---------------------------------------

// a chain with limits, springs, dry friction and tendons, driven by actuators with activations
#define CHAIN(options, contact, held)                                                              \
    "<mujoco>" options contact "<worldbody><geom type='plane' size='2 2 .1' friction='.4'/>"       \
    "<body pos='0 0 .62'><joint name='a' axis='0 1 0' range='-30 40' damping='.05'/>"              \
    "<geom type='capsule' size='.03' fromto='0 0 0 .25 0 0' mass='.5'/>"                           \
    "<body pos='.27 0 0'><joint name='b' axis='0 1 .3' range='-60 20' frictionloss='.05' "         \
    "stiffness='.2'/><geom type='box' size='.12 .03 .02' pos='.13 0 0' mass='.4'/>"                \
    "<body pos='.27 0 0'><joint name='c' type='slide' axis='1 0 0' range='-.05 .08' "              \
    "armature='.1' "                                                                               \
    "frictionloss='.1'/><joint name='d' axis='1 0 0' damping='.01'/>"                              \
    "<geom type='ellipsoid' size='.08 .05 .04' pos='.09 0 0' mass='.3' friction='.7'/>"            \
    "<body pos='.2 0 0'><joint name='ball' type='ball' damping='.02'/>"                            \
    "<geom size='.04' pos='.06 0 0' mass='.2'/></body></body></body></body>"                       \
    "<body pos='.3 .3 .3' euler='10 20 30'><freejoint/>"                                           \
    "<geom type='cylinder' size='.06 .08' mass='.6' friction='.3'/></body></worldbody>"            \
    "<tendon><fixed name='t' stiffness='3' damping='.2' springlength='-.1 .1' " held               \
    "><joint joint='a' coef='.6'/><joint joint='b' coef='-.4'/>"                                   \
    "</fixed></tendon><actuator><motor joint='a' gear='2' ctrlrange='-1 1'/>"                      \
    "<position joint='b' kp='3' timeconst='.03'/><general tendon='t' dyntype='filterexact' "       \
    "dynprm='.04' gainprm='.7'/><intvelocity joint='d' kp='.3' kv='.02' actrange='-1 1'/>"         \
    "<general joint='c' dyntype='filter' dynprm='.05' actearly='true' gainprm='2'/></actuator>"    \
    "<sensor><jointpos joint='a'/><jointvel joint='c'/><tendonpos tendon='t'/>"                    \
    "<tendonvel tendon='t'/><ballquat joint='ball'/><ballangvel joint='ball'/>"                    \
    "</sensor></mujoco>"

#define OPTION(text) "<option timestep='.004' " text "/>"
#define HELD         "range='-.4 .5' limited='true' frictionloss='.03'"
#define SPRING       "<tactus detect='manifold' respond='spring'/>"

// joints, tendons, welds and points that are held, by impulses
static const char equalities_text[] =
    "<mujoco><option timestep='.005'/><tactus detect='gjk' respond='lcp' restitution='.3'/>"
    "<worldbody><geom type='plane' size='2 2 .1' friction='.5'/>"
    "<body name='a' pos='0 0 .18' euler='20 10 5'><freejoint/><geom type='box' size='.1 .08 .05' "
    "mass='1'/><site name='s' pos='.1 .01 .02' euler='10 20 5'/></body>"
    "<body name='b' pos='.25 .02 .2' euler='10 30 0'><freejoint/><geom size='.06' mass='.5'/>"
    "<site name='t' pos='-.1 .02 .01' euler='-5 10 30'/></body>"
    "<body name='c' pos='-.6 0 .5'><joint name='j' axis='0 1 0' range='-50 50'/>"
    "<geom type='capsule' size='.02' fromto='0 0 0 .2 0 0' mass='.3'/>"
    "<body name='d' pos='.2 0 0'><joint name='k' axis='0 1 0' frictionloss='.02'/>"
    "<geom type='capsule' size='.02' fromto='.05 0 0 .2 0 0' mass='.2'/></body></body>"
    "<body name='e' pos='-.6 .5 .5'><joint type='ball'/><geom type='box' size='.05 .03 .1' "
    "pos='0 0 -.1' mass='.2'/></body>"
    "<body name='f' pos='-.6 .5 .25'><freejoint/><geom size='.04' mass='.2'/></body></worldbody>"
    "<tendon><fixed name='p'><joint joint='j' coef='1'/><joint joint='k' "
    "coef='.5'/></fixed></tendon>"
    "<equality><weld site1='s' site2='t' torquescale='1.3'/>"
    "<connect body1='e' body2='f' anchor='0 0 -.2'/>"
    "<joint joint1='j' joint2='k' polycoef='.1 .5 .2'/></equality></mujoco>";

static const char sensors_text[] =
    "<mujoco><option timestep='.003' integrator='RK4' density='2' viscosity='.1'/><worldbody>"
    "<body name='b' pos='0 0 1' gravcomp='.3'><freejoint/><geom name='g' type='box' "
    "size='.1 .2 .05' mass='1'/><site name='s' pos='.1 0 .02' euler='10 20 5'/>"
    "<body name='c' pos='.2 0 0'><joint name='h' axis='0 1 0' damping='.1' springref='20' "
    "stiffness='2'/><geom type='capsule' size='.03' fromto='0 0 0 .2 0 0' mass='.3'/>"
    "<site name='t' pos='.2 0 0'/></body></body></worldbody>"
    "<actuator><motor name='m' joint='h' gear='.5'/></actuator>"
    "<sensor><jointpos joint='h'/><jointvel joint='h'/><actuatorpos actuator='m'/>"
    "<framepos objtype='site' objname='t'/><framequat objtype='xbody' objname='c'/>"
    "<framexaxis objtype='site' objname='t'/><framelinvel objtype='site' objname='t'/>"
    "<frameangvel objtype='xbody' objname='c'/><framelinvel objtype='body' objname='c'/>"
    "<framepos objtype='site' objname='t' reftype='site' refname='s'/>"
    "<framelinvel objtype='site' objname='t' reftype='site' refname='s'/>"
    "<gyro site='s'/><velocimeter site='s'/><subtreecom body='b'/><subtreelinvel body='b'/>"
    "<subtreeangmom body='b'/><e_potential/><e_kinetic/><clock/></sensor></mujoco>";

//---------------------------------- contact --------------------------------------

// shapes of several leaves fall onto a floor and each other
static const char shapes_text[] =
    "<mujoco><option timestep='.003'/><asset><shape name='mug' smooth='.004'><difference>"
    "<cylinder size='.1 .12'/><cylinder size='.08 .12' pos='0 0 .03'/></difference></shape>"
    "<shape name='bar' smooth='.01'><capsule size='.03 .12'/><sphere size='.06' pos='0 0 .13'/>"
    "<superquadric size='.06 .05 .04' eps='.5 .7' pos='0 0 -.13'/></shape>"
    "<shape name='cut' smooth='.002'><superquadric size='.09 .05 .07' eps='.6 .9'>"
    "<plane pos='0 0 -.04' zaxis='.2 0 -1'/></superquadric></shape></asset>"
    "<worldbody><geom type='plane' size='2 2 .1' friction='.6'/>"
    "<body pos='0 0 .125' euler='3 2 0'><freejoint/>"
    "<inertial pos='0 0 0' mass='.7' diaginertia='.002 .003 .0025'/><geom type='shape' "
    "shape='mug'/></body>"
    "<body pos='.05 .02 .33' euler='80 20 0'><freejoint/>"
    "<inertial pos='0 0 0' mass='.4' diaginertia='.002 .003 .0025'/><geom type='shape' "
    "shape='bar'/>"
    "</body><body pos='.4 0 .07' euler='30 10 0'><freejoint/>"
    "<inertial pos='0 0 0' mass='.3' diaginertia='.002 .003 .0025'/><geom type='shape' "
    "shape='cut'/></body></worldbody></mujoco>";

// solids with flat faces, that separating axes and convex programs take
static const char solids_text[] =
    "<mujoco><option timestep='.001'/><worldbody><geom type='plane' size='2 2 .1' friction='.3'/>"
    "<body pos='0 0 .1'><freejoint/><geom type='box' size='.2 .3 .1' mass='2' "
    "friction='.4'/></body>"
    "<body pos='.05 .02 .295'><freejoint/><geom size='.1' mass='1' friction='.45'/></body>"
    "<body pos='.27 .37 .17' euler='35 20 10'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' mass='1' friction='.35'/></body></worldbody></mujoco>";

static const char planar_text[] =
    "<mujoco><option timestep='.001' gravity='0 -9.81 0'/><worldbody>"
    "<geom type='halfplane' friction='.5'/>"
    "<body pos='0 .09 0'><joint type='planar'/><geom type='circle' size='.1' mass='1'/></body>"
    "<body pos='.19 .095 0' euler='0 0 1'><joint type='planar'/>"
    "<geom type='rectangle' size='.1 .1' mass='2' friction='.3'/></body>"
    "<body pos='.4 .1 0' euler='0 0 30'><joint type='planar'/>"
    "<geom type='polygon' points='-.12 -.1 .1 -.1 .15 .05 0 .12' mass='2'/></body>"
    "</worldbody></mujoco>";

// thrown against a floor and a wall
static const char bounce_text[] =
    "<mujoco><option timestep='.01'/><worldbody><geom type='plane' size='2 2 .1' friction='.3'/>"
    "<geom type='box' size='.05 1 .5' pos='.6 0 .5' friction='.2'/>"
    "<body pos='0 0 .2' euler='10 20 0'><freejoint/><geom type='box' size='.1 .08 .05' mass='1'/>"
    "</body><body pos='.3 0 .3'><freejoint/><geom size='.06' mass='.5'/></body>"
    "<body pos='.1 .1 .5' euler='40 0 0'><freejoint/><geom type='capsule' size='.03 .1' mass='.3'/>"
    "</body></worldbody><keyframe><key qvel='1 0 -2 0 3 0  4 .5 0 0 0 2  2 -1 -3 5 0 "
    "0'/></keyframe>"
    "</mujoco>";

// random bodies of five kinds, one above the other
static inline void write_heap(char* text, size_t size, unsigned long long seed) {
    testRandom random = {seed};
    int at = snprintf(text, size,
                      "<mujoco><option timestep='.004'/><worldbody>"
                      "<geom type='plane' size='2 2 .1' friction='.%d'/>",
                      2 + (int)(seed % 6));
    static const char* const kinds[] = {"sphere", "box", "capsule", "ellipsoid", "cylinder"};
    for (int i = 0; i < 5; ++i) {
        double r[12];
        for (int k = 0; k < 12; ++k) r[k] = test_uniform(&random, 0.0, 1.0);
        at += snprintf(text + at, size - (size_t)at,
                       "<body pos='%.3f %.3f %.3f' euler='%.1f %.1f %.1f'><freejoint/>"
                       "<geom type='%s' size='%.3f %.3f %.3f' mass='%.2f' friction='%.2f'/></body>",
                       0.1 * r[0], 0.1 * r[1], 0.12 + 0.19 * i, 90.0 * r[2], 90.0 * r[3],
                       90.0 * r[4], kinds[(i + (int)seed) % 5], 0.05 + 0.03 * r[5],
                       0.04 + 0.03 * r[6], 0.04 + 0.04 * r[7], 0.2 + r[8], 0.2 + 0.6 * r[9]);
    }
    snprintf(text + at, size - (size_t)at, "</worldbody></mujoco>");
}

//---------------------------------- cases ----------------------------------------

#define FILE_CASE(file, name, contact, steps)                                                      \
    { file "/" name, file, NULL, 0, contact, steps, 0, 0 }
#define TEXT_CASE(name, text, contact, steps)                                                      \
    { name, NULL, text, 0, contact, steps, 0, 0 }
#define HEAP_CASE(name, seed, contact, steps)                                                      \
    { "heap/" name, NULL, NULL, seed, contact, steps, 0, 0 }

#define PLASTIC " respond=elastoplastic stiffness=1e6 dissipation=4 stiction=.05"

static const recordedScene recorded_scenes[] = {
    FILE_CASE("arm", "own", NULL, 200),
    FILE_CASE("arm", "manifold", "manifold", 100),
    FILE_CASE("arm", "lcp", "lcp", 60),
    FILE_CASE("ball_drop", "own", NULL, 200),
    FILE_CASE("ball_drop", "edge_sdf", "edge_sdf", 150),
    FILE_CASE("ball_drop", "scm", "respond=scm points=200", 100),
    FILE_CASE("ball_drop", "lcp", "detect=gjk respond=lcp restitution=.5", 150),
    FILE_CASE("ball_drop", "none", "none", 60),
    FILE_CASE("box_on_box", "own", NULL, 40),
    FILE_CASE("box_on_box", "manifold", "manifold", 100),
    FILE_CASE("box_on_box", "edge_sdf", "edge_sdf", 60),
    FILE_CASE("box_on_box", "lcp", "respond=lcp overlap=resolve", 100),
    FILE_CASE("box_on_box", "sat", "detect=sat" PLASTIC, 60),
    FILE_CASE("box_on_box_points", "own", NULL, 100),
    FILE_CASE("boxes", "own", NULL, 200),
    FILE_CASE("boxes", "softsort",
              "detect=manifold definition=published keep=softsort keep_vertices=4 keep_edges=4",
              40),
    FILE_CASE("boxes", "sinkhorn",
              "detect=manifold definition=published keep=sinkhorn keep_vertices=4 keep_edges=4",
              40),
    FILE_CASE("boxes", "edge_sdf", "edge_sdf", 100),
    FILE_CASE("boxes", "scm", "scm", 40),
    FILE_CASE("boxes", "ssdf", "detect=ssdf respond=spring points=54 soft=8", 60),
    FILE_CASE("boxes", "ssdf-sinkhorn", "detect=ssdf respond=spring points=24 select=sinkhorn", 40),
    FILE_CASE("boxes", "scm-exact", "respond=scm points=54 exact=true implicit=false", 40),
    FILE_CASE("boxes", "lcp", "lcp", 100),
    FILE_CASE("boxes", "sat", "detect=sat" PLASTIC, 100),
    FILE_CASE("boxes", "convex", "detect=convex" PLASTIC, 60),
    FILE_CASE("cart_pole", "own", NULL, 200),
    FILE_CASE("cart_pole", "manifold", "manifold", 60),
    FILE_CASE("double_pendulum", "own", NULL, 200),
    FILE_CASE("figure_pair", "own", NULL, 40),
    FILE_CASE("figures", "own", NULL, 120),
    FILE_CASE("figures", "edge_sdf", "edge_sdf", 40),
    {"figures/exact", "figures", NULL, 0, NULL, 40, 1, 0},
    FILE_CASE("horseshoe", "own", NULL, 40),
    FILE_CASE("humanoid", "own", NULL, 100),
    FILE_CASE("humanoid", "manifold", "manifold", 100),
    FILE_CASE("humanoid", "edge_sdf", "edge_sdf", 40),
    FILE_CASE("humanoid", "lcp", "respond=lcp overlap=resolve", 60),
    FILE_CASE("panda", "own", NULL, 200),
    FILE_CASE("panda", "manifold", "manifold", 60),
    FILE_CASE("peg", "own", NULL, 100),
    FILE_CASE("peg", "manifold", "manifold", 100),
    FILE_CASE("plates", "own", NULL, 40),
    FILE_CASE("plates", "manifold", "manifold", 60),
    FILE_CASE("push_t", "own", NULL, 100),
    FILE_CASE("push_t", "manifold", "manifold", 200),
    FILE_CASE("push_t", "scm", "respond=scm points=54", 40),
    FILE_CASE("push_t", "lcp", "respond=lcp overlap=resolve", 60),
    FILE_CASE("push_t_scm", "own", NULL, 40),
    FILE_CASE("quadruped", "own", NULL, 200),
    FILE_CASE("quadruped", "manifold", "manifold", 100),
    FILE_CASE("quadruped", "edge_sdf", "edge_sdf", 60),
    FILE_CASE("quadruped", "lcp", "respond=lcp overlap=resolve", 60),
    FILE_CASE("space_capture", "own", NULL, 200),
    FILE_CASE("top", "own", NULL, 200),
    FILE_CASE("top", "manifold", "manifold", 60),
    FILE_CASE("walking_figure", "own", NULL, 200),
    TEXT_CASE("chain/euler", CHAIN(OPTION(""), SPRING, HELD), NULL, 150),
    TEXT_CASE("chain/rk4", CHAIN(OPTION("integrator='RK4'"), SPRING, HELD), NULL, 100),
    TEXT_CASE("chain/implicitfast", CHAIN(OPTION("integrator='implicitfast'"), SPRING, HELD), NULL,
              100),
    TEXT_CASE("chain/lie", CHAIN(OPTION("integrator='RK4'"), "<tactus rk4='lie'/>", HELD), NULL,
              60),
    TEXT_CASE("chain/explicit", CHAIN(OPTION(""), "<tactus integrator='explicit'/>", HELD), NULL,
              60),
    TEXT_CASE("chain/lcp", CHAIN(OPTION(""), "", ""), "lcp", 60),
    TEXT_CASE("chain/free", CHAIN(OPTION(""), "", HELD), NULL, 60),
    TEXT_CASE("drives", drives_text, NULL, 100),
    TEXT_CASE("drives/manifold", drives_text, "manifold", 60),
    TEXT_CASE("pushes", pushes_text, NULL, 100),
    TEXT_CASE("equalities", equalities_text, NULL, 60),
    TEXT_CASE("sensors", sensors_text, NULL, 60),
    {"shapes/manifold", NULL, shapes_text, 0, "detect=manifold vertices=150", 60, 0, 1},
    {"shapes/edge_sdf", NULL, shapes_text, 0, "detect=edge_sdf vertices=60 fuse=face", 40, 0, 1},
    TEXT_CASE("solids/sat", solids_text, "detect=sat" PLASTIC, 100),
    TEXT_CASE("solids/convex", solids_text, "detect=convex" PLASTIC, 60),
    TEXT_CASE("solids/gjk", solids_text, "detect=gjk" PLASTIC, 60),
    TEXT_CASE("planar/sat", planar_text, "detect=sat" PLASTIC, 100),
    TEXT_CASE("planar/convex", planar_text, "detect=convex" PLASTIC, 60),
    TEXT_CASE("bounce/elastic", bounce_text, "respond=lcp restitution=1", 60),
    TEXT_CASE("bounce/half", bounce_text, "respond=lcp restitution=.5", 60),
    TEXT_CASE("bounce/frozen", bounce_text, "respond=lcp restitution=.2 bounds=frozen", 40),
    TEXT_CASE("bounce/helpful", bounce_text, "respond=lcp gradient=helpful", 60),
    TEXT_CASE("bounce/ends", bounce_text, "respond=lcp restitution=.3 ccd=false overlap=resolve",
              60),
    HEAP_CASE("manifold", 1, "manifold", 150),
    HEAP_CASE("manifold-explicit", 2, "detect=manifold implicit=false stiffness=500 dissipation=2",
              100),
    HEAP_CASE("manifold-threshold", 3, "detect=manifold keep=threshold", 60),
    HEAP_CASE("manifold-project", 4, "detect=manifold project=3 vertices=60", 60),
    HEAP_CASE("manifold-law", 5, "detect=manifold law=published", 40),
    HEAP_CASE("manifold-surrogate", 5, "detect=manifold surrogate=5", 60),
    HEAP_CASE("manifold-points", 6, "detect=manifold edges=false sides=second cull=false", 60),
    HEAP_CASE("edge_sdf", 7, "detect=edge_sdf", 60),
    HEAP_CASE("scm", 8, "respond=scm points=54", 40),
    HEAP_CASE("lcp", 12, "respond=lcp restitution=.4", 80),
    HEAP_CASE("gjk", 13, "detect=gjk" PLASTIC, 60),
};

// scenes whose shapes are evaluated
static const char* const recorded_shape_files[] = {
    "gallery", "primitives", "solids", "sweeps", "cup", "cloud", "figure", "first_light"};

#endif
