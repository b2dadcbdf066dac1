// What hard contact sees of a scene: convex pieces of its geoms, where they touch, when they meet.
//
//   model ──▶ tacHard (pieces, pairs) ── contacts ──▶ points to rest on, with derivatives
//                                     ── impact ────▶ first time that a pair is as near as delta
//                                     ── clearance ─▶ a bound of the distance along a path
//
// Parts with branches are doubles; derivatives are taken at the answer. Nothing allocates but
// tac_hard_create. docs/collide.md.

#ifndef TAC_DETECT_HARD_H
#define TAC_DETECT_HARD_H

#include "detect/gjk.h"
#include "tactus/contact.h"

// Pieces of all geoms, and the pairs of geoms that may touch in the order of tac_geom_pairs. Const
// after creation; places and sizes of primitives are read from model->param at every call, corners
// of polyhedra and meshes are those of the creation.
typedef struct tacHard tacHard;

// TAC_ERROR_UNSUPPORTED, with the geom named, if a geom that may touch is no union of convex pieces
tacResult tac_hard_create(const tacModel* model, tacHard** out, tacMessage* message);
void tac_hard_destroy(tacHard* hard);

// bytes of working memory that every call below takes as `memory`, aligned as malloc's
size_t tac_hard_size(const tacHard* hard);

int tac_hard_pair_count(const tacHard* hard);
tacContactPair tac_hard_pair(const tacHard* hard, int pair);

//---------------------------------- contacts ---------------------------------------

// How two pieces touch: bits 60-63 of tacContacts.feature. Below it the indices of the features on
// both pieces; equal codes from one configuration to the next mean the same features.
typedef enum tacTouchKind {
    TAC_TOUCH_NEAREST,     // nearest points of vertices, edges, faces or curved surfaces
    TAC_TOUCH_VERTEX_FACE, // a corner of geom[0] over a face of geom[1]
    TAC_TOUCH_FACE_VERTEX, // the other way round
    TAC_TOUCH_EDGE_FACE,   // an edge of geom[0] where it leaves a face of geom[1]
    TAC_TOUCH_FACE_EDGE    // the other way round
} tacTouchKind;

tacTouchKind tac_touch_kind(uint64_t feature);

// most records of tac_hard_contacts
int tac_hard_capacity(const tacHard* hard);

// Every contact with distance <= margin, ordered by (pair, feature), activity 1, bundle -1. Normal:
// unit, from geom[0] to geom[1]; point: halfway between the surfaces. With derivatives where
// d_twist is there. `body` are the bodies' world poses (nbody). A pair within the margin has at
// least the contact of its nearest points. TAC_ERROR_CAPACITY: no room.
tacResult tac_hard_contacts(const tacHard* hard, const tacPose* body, double margin,
                            tacContacts* out, void* memory);

//---------------------------------- impact -----------------------------------------

// The path of the bodies: qpos moved by t v + t^2 a, for t in [0, span].
typedef struct tacCourse {
    const double* qpos; // (nq)
    const double* v;    // (nv)
    const double* a;    // (nv) NULL: zero
    double span;
} tacCourse;

typedef struct tacImpactLevels {
    double delta; // a pair that starts further apart meets at this distance                [m]
    double floor; // one that starts nearer (resting, sliding) meets at this one, < delta.   [m]
                  // Nearer than `floor` already: it meets at 0 if it approaches; else when it comes
                  // nearer than it was
} tacImpactLevels;

typedef struct tacHardImpact {
    int found;          // 0: no pair meets; the whole span is certain
    double time;        // never late; a root of distance = level to 1e-14 span where `exact`
    int pair, piece[2]; // which meets first
    int exact;          // 0: no derivative (grazing, time 0, no more passes)
    int ties;           // other pairs of pieces that meet at the same time (to 1e-12 span)
    double level;       // the distance that they met at
    double rate;        // of the distance at that time, negative: approaching              [m/s]
    tacNearest nearest; // at that time; normal from geom[0] to geom[1]
    int passes;
} tacHardImpact;

// First meeting of any pair along the course. d time/d x = -(n . (dp_B - dp_A))/rate with dp the
// motion at `time` of the points of the bodies that lie at nearest.point.
tacResult tac_hard_impact(const tacHard* hard, const tacCourse* course, tacImpactLevels levels,
                          tacHardImpact* out, void* memory);

//---------------------------------- check ------------------------------------------

typedef struct tacClearance {
    int certain;  // 1: no pair comes nearer than `claim` anywhere on the course
    double least; // a bound that is proven: no distance on the course is below this        [m]
    int pair;     // where it is least
    double time;
    int intervals; // of time that were looked at
} tacClearance;

// Proves that distances on a course stay above a claim, by halving time: a plane that separates two
// pieces at both ends of an interval separates them in between but for the bend of the path. It
// shares no search with tac_hard_impact: planes are tried, not believed. `least` is only as far
// below the truth as was needed to prove the claim.
tacResult tac_hard_clearance(const tacHard* hard, const tacCourse* course, double claim,
                             tacClearance* out, void* memory);

#endif
