// What hard contact sees of a scene: convex pieces of its geoms, where they touch, when they meet.
//
//   pieces, pairs ── contacts ──▶ points to rest on, with derivatives
//                 ── impact ────▶ first time that a pair is as near as delta
//                 ── clearance ─▶ a bound of the distance along a path
//
// Parts with branches are doubles; derivatives are taken at the answer. docs/convex.md.

#ifndef TAC_DETECT_CONVEX_CONTACTS_H
#define TAC_DETECT_CONVEX_CONTACTS_H

#include "detect/convex/gjk.h"
#include "detect/detect.h"
#include "detect/feature_contact.h"
#include "model/contact/contact_data.h"
#include "tactus/ccd.h"

// All functions take a model of doubles whose plan has pieces (model->contact->piece): one of a
// scene with detect="gjk". Pairs are those of model->contact->pair. Pieces are as they were loaded;
// parameters of geoms and shapes do not move them. `memory` has tac_ccd_size bytes (tactus/ccd.h).

//---------------------------------- contacts ---------------------------------------

// How two pieces touch, a part of tacContacts.feature. The rest of the code are the pieces and
// features; equal codes from one configuration to the next mean the same features.
typedef enum tacFeatureContactKind {
    TAC_FEATURE_CONTACT_FACE,   // a corner and a face, either way round
    TAC_FEATURE_CONTACT_EDGES,  // two edges that cross
    TAC_FEATURE_CONTACT_CURVED, // of the nearest points at least one lies on a rim or a round
                                // surface
    TAC_FEATURE_CONTACT_SHARP,  // a corner and an edge, or two corners: their normal turns fast
    TAC_FEATURE_CONTACT_FIXED_NORMAL // no features found: the derivative holds the normal with
                                     // geom[0]
} tacFeatureContactKind;

tacFeatureContactKind tac_feature_contact_kind(uint64_t feature);

// most records of tac_convex_contacts
int tac_convex_contacts_capacity(const tacModel* model);

// Every contact with distance <= margin, ordered by (pair, feature), activity 1, bundle -1. Normal:
// unit, from geom[0] to geom[1]; point: halfway between the surfaces. With derivatives where
// d_twist is there. `body` are the bodies' world poses (nbody). A pair within the margin has at
// least the contact of its nearest points. TAC_ERROR_CAPACITY: no room.
tacResult tac_convex_contacts(const tacModel* model, const tacPose* body, tacDetectQuery query,
                              tacContacts* out, void* memory);

// memory of tac_convex_contacts, on a measuring arena
void tac_convex_contacts_measure(const tacModel* model, tacArena* dry);

// the features of a contact
typedef struct tacConvexContact {
    int pair, part[2];
    tacFeatureContact contact;
} tacConvexContact;

// Appends the record of the same features where bodies have moved to. Faces and edges go on beyond
// their ends. None if it is lost: edges that became parallel.
tacResult tac_convex_contact_append(const tacModel* model, const tacPose* body,
                                    const tacConvexContact* contact, tacContacts* out);

// Appends the record of the points of the same two pieces that are nearest now.
tacResult tac_convex_contact_append_nearest(const tacModel* model, const tacPose* body,
                                            const tacConvexContact* contact, tacContacts* out,
                                            void* memory);

//---------------------------------- impact -----------------------------------------

typedef struct tacImpactLevels {
    double delta;     // a pair that starts further apart meets at this distance                [m]
    double min_level; // one that starts nearer (resting, sliding) meets at this one, < delta.   [m]
                      // Nearer than `floor` already: it meets at 0 if it approaches; else when it
                      // comes nearer than it was
    const int (*constrained)[2]; // pieces that something keeps apart: they meet at `floor`, too
    int nconstrained;
} tacImpactLevels;

typedef struct tacFirstImpact {
    int found;          // 0: no pair meets; the whole span is certain
    double time;        // never late; a root of distance = level to 1e-14 span where `exact`
    int pair, part[2];  // which meets first; pieces are those of model->contact->piece
    int exact;          // 0: no derivative (grazing, time 0, no more passes)
    int ties;           // other pairs of pieces that meet at the same time (to 1e-12 span)
    double level;       // the distance that they met at
    double rate;        // of the distance at that time, negative: approaching              [m/s]
    tacNearest nearest; // at that time; normal from geom[0] to geom[1]
    int passes;
} tacFirstImpact;

// First meeting of any pair along the course. d time/d x = -(n . (dp_B - dp_A))/rate with dp the
// motion at `time` of the points of the bodies that lie at nearest.point.
tacResult tac_first_impact(const tacModel* model, const tacMotionPath* path, tacImpactLevels levels,
                           tacFirstImpact* out, void* memory);

#endif
