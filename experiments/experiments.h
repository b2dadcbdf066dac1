// The experiments of the papers that `tactus reproduce` knows.
//
// A new one is a file with its function, and a row here.

#ifndef TACTUS_EXPERIMENTS_H
#define TACTUS_EXPERIMENTS_H

#include "experiments/trial.h"

// function, name, summary: paper and figure
#define EXPERIMENTS(X)                                                                             \
    X(ssdf_box, "ssdf-box", "000 Fig. 4: zero set of the soft distance of a 2D box")               \
    X(ssdf_ring, "ssdf-ring", "000 Fig. 1 left: a sphere becomes a ring as eps falls")             \
    X(scm_balls, "scm-balls", "000 Fig. 1 right, Fig. 5: force between two balls, three engines")  \
    X(scm_push, "scm-push", "000 Fig. 6, Table 7: a T pushed by a finger, against MuJoCo")         \
    X(sdf_smoothing, "sdf-smoothing", "001 Fig. 2: three primitives with increasing smoothing")    \
    X(edge_turn, "edge-turn", "001 Fig. 3: closest points of a rotating edge, exact and smooth")   \
    X(box_manifold, "box-manifold", "001 Fig. 5: a box on a box, edges and vertices in contact")   \
    X(witness_points, "witness-points", "001 Fig. 6: times of closest points by batch, baselines") \
    X(manifold_speed, "manifold-speed", "001 Figs. 7, 8: times by parts and batch, with MuJoCo")   \
    X(psq_solids, "psq-solids", "002 II-B3: the solids of a superquadric and planes")              \
    X(xpsq_sweep, "xpsq-sweep", "002 Fig. 1: a superquadric swept along a spline, varying")        \
    X(xpsq_cup, "xpsq-cup", "002 Fig. 3: a cup of three primitives")                               \
    X(edge_rays, "edge-rays", "002 Fig. 2: rays along an edge, where it enters and leaves")        \
    X(edge_boxes, "edge-boxes", "002 Fig. 4: a box rotating on a box, edges and clipping")         \
    X(edge_speed, "edge-speed", "002 Fig. 5: times of edges in a field, with MuJoCo")              \
    X(plastic_table, "plastic-table", "003 Table I: contact by formulas, engine, convex programs") \
    X(plastic_sweep, "plastic-sweep", "003 VII: SAT and convex programs, by edges and bodies")     \
    X(plastic_capture, "plastic-capture", "003 I: a space manipulator grips a tumbling target")    \
    X(plastic_walk, "plastic-walk", "003 I: a human-like figure walks")                            \
    X(hard_bounce, "hard-bounce", "004 (3)-(7): impacts in closed form, with derivatives")         \
    X(hard_slide, "hard-slide", "004 V-C: a cube slides on a table, replayed")                     \
    X(hard_plates, "hard-plates", "004 V-A: thin plates gripped and lifted by a gantry")           \
    X(hard_arm, "hard-arm", "004 V-A: thin plates gripped and lifted by an arm of seven joints")   \
    X(push_discovery, "push-discovery", "a T found from 6 cm away: widths halved until sharp")

#define EXPERIMENT_FUNCTION(function, name, summary) int experiment_##function(trial* t);
EXPERIMENTS(EXPERIMENT_FUNCTION)
#undef EXPERIMENT_FUNCTION

#endif
