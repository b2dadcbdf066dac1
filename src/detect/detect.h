// What a detector is to the rest: one entry of the table in detect.c, and memory for contacts.

#ifndef TAC_DETECT_DETECT_H
#define TAC_DETECT_DETECT_H

#include "base/arena.h"
#include "base/scratch.h"
#include "model/contact/contact_data.h"

// What contacts are differentiated along: twists of the bodies about their origins (nbody x 6) and
// parameters (nparam); NULL: zero.
typedef struct tacContactTangent {
    const tacReal *pose, *param;
} tacContactTangent;

// What adjoints of contacts are added to; NULL: not asked for.
typedef struct tacContactAdjoint {
    tacReal *pose, *param;
} tacContactAdjoint;

// All functions as their namesakes in tactus/contact.h, called with arguments that were checked.
// `measure` is the dry run of their allocations: it asks a measuring arena for what one call takes
// from the scratch at most, beside what tac_shape_eval takes, and leaves arena->used as it was.
typedef struct tacDetectorKind {
    int (*capacity)(const tacModel* model); // most records that it can find
    void (*measure)(const tacModel* model, tacArena* arena);
    tacResult (*detect)(const tacModel* model, const tacPose* body, tacContacts* contacts,
                        tacScratch* scratch);
    tacResult (*jvp)(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                     tacContactTangent tangent, tacContacts* dot, tacScratch* scratch);
    tacResult (*vjp)(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                     const tacContacts* bar, tacContactAdjoint adjoint, tacScratch* scratch);
} tacDetectorKind;

// the scene's, or NULL if it has none or one without records
const tacDetectorKind* tac_detector_of(const tacModel* model);

// contacts from an arena, count 0
tacContacts tac_contacts_alloc(tacArena* arena, int capacity, int twists);

// all adjoints or tangents of `count` records 0
void tac_contacts_clear(tacContacts* contacts, int count);

//---------------------------------- queries --------------------------------------

// What the hard responder asks of a detector beyond tac_detect: a margin of its own, and the
// features of contacts, which it follows along the path of a step.
typedef struct tacDetectQuery {
    double margin;                     // contacts with distance <= margin                [m]
    struct tacConvexContact* features; // of every record (contacts->capacity); NULL: not asked for
} tacDetectQuery;

// tac_detect for a responder with a query, with arguments that were checked.
// TAC_ERROR_UNSUPPORTED: the detector has no features (contact_plan.c refuses its pair with lcp).
tacResult tac_detect_query(const tacModel* model, const tacPose* body, tacDetectQuery query,
                           tacContacts* contacts, tacScratch* scratch);

#endif
