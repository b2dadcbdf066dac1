// Contacts and impacts of the convex parts of a scene.
//
//   parts, pairs ── contacts ─────▶ points of contact, with derivatives
//                ── impact ───────▶ first time at which a pair is as near as delta
//                ── certificate ──▶ a bound of the distance along a path
//
// Code with branches is of doubles; derivatives are taken at the answer. docs/collide.md.

#ifndef TAC_DETECT_CONVEX_CONTACTS_H
#define TAC_DETECT_CONVEX_CONTACTS_H

#include "detect/convex/gjk.h"
#include "detect/detect.h"
#include "detect/feature_contact.h"
#include "model/contact/contact_data.h"
#include "tactus/ccd.h"

// All functions take a model of doubles with convex parts (model->contact->part): a scene with
// detect="gjk". Pairs are those of model->contact->pair. Parts follow the parameters of their geoms
// but for planes of polyhedra. `memory` has tac_ccd_size bytes (tactus/ccd.h).

//---------------------------------- contacts ---------------------------------------

// Kind of a contact of two parts, a part of tacContacts.feature. The rest of the id are parts and
// features: equal ids at two configurations mean the same features.
typedef enum tacFeatureContactKind {
    TAC_FEATURE_CONTACT_FACE,   // a vertex and a face, in either order
    TAC_FEATURE_CONTACT_EDGES,  // two edges that cross
    TAC_FEATURE_CONTACT_CURVED, // a nearest point lies on a rim or on a round surface
    TAC_FEATURE_CONTACT_SHARP,  // a vertex and an edge, or two vertices: the normal rotates fast
    TAC_FEATURE_CONTACT_FIXED_NORMAL // no features found: in the derivative the normal is fixed to
                                     // geom[0]
} tacFeatureContactKind;

tacFeatureContactKind tac_feature_contact_kind(uint64_t feature);

// the feature of geom[side]
tacConvexFeatureKind tac_feature_contact_side_kind(uint64_t feature, int side);

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

// Appends the contact of the same features at other poses. Faces and edges continue beyond their
// ends. Appends none if it is lost: edges that became parallel.
tacResult tac_convex_contact_append(const tacModel* model, const tacPose* body,
                                    const tacConvexContact* contact, tacContacts* out);

// Appends the contact of the nearest points of the same two parts at other poses; its features take
// the place of those of `contact`.
tacResult tac_convex_contact_append_nearest(const tacModel* model, const tacPose* body,
                                            tacConvexContact* contact, tacContacts* out,
                                            void* memory);

//---------------------------------- impact -----------------------------------------

typedef struct tacImpactLevels {
    double delta;     // impact distance of a pair that starts further apart [m]
    double min_level; // impact distance of one that starts nearer (resting, sliding), < delta.
                      // Nearer still: an impact at 0 if it approaches, else when it comes nearer
                      // than it was        [m]
    const int (*constrained)[2]; // parts with a contact constraint: impact at min_level, too
    int nconstrained;
} tacImpactLevels;

typedef struct tacFirstImpact {
    int found;          // 0: no impact in the whole span, for certain
    double time;        // never late; a root of distance = level to 1e-14 span where `exact`
    int pair, part[2];  // pair and parts of the first impact, of model->contact
    int exact;          // 0: no derivative (grazing, time 0, no more passes)
    int ties;           // other pairs of parts with an impact at the same time (to 1e-12 span)
    double level;       // distance at the impact
    double rate;        // of the distance at that time, negative: approaching              [m/s]
    tacNearest nearest; // at that time; normal from geom[0] to geom[1]
    int passes;
} tacFirstImpact;

// First impact of any pair along a path. d time/d x = -(n . (dp_B - dp_A))/rate, with dp the motion
// at `time` of the bodies' points at nearest.point.
tacResult tac_first_impact(const tacModel* model, const tacMotionPath* path, tacImpactLevels levels,
                           tacFirstImpact* out, void* memory);

#endif
