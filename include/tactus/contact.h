/// Contacts: the detector, and the points where geoms touch or nearly touch (docs/contact.md).
#ifndef TACTUS_CONTACT_H
#define TACTUS_CONTACT_H

#include "tactus/shape.h"

#include <stdint.h>

TAC_EXTERN_C_BEGIN

/// Collision detector of a scene, <tactus detect="...">. docs/contact.md says which goes with which
/// responder.
typedef enum tacDetector {
    TAC_DETECT_SSDF,     ///< soft signed distance between oriented point clouds
    TAC_DETECT_MANIFOLD, ///< vertices and edges against signed distance fields, both ways
    TAC_DETECT_EDGE_SDF, ///< edges traced through the other body's signed distance field
    TAC_DETECT_SAT,      ///< separating axes of convex solids
    TAC_DETECT_CONVEX,   ///< nearest points of convex solids by a convex program
    TAC_DETECT_GJK       ///< nearest points of convex parts (GJK, EPA), with time of impact
} tacDetector;

/// Contacts as arrays, one record each. The capacity is fixed at creation; too many contacts are
/// TAC_ERROR_CAPACITY, never left out. Records are ordered by (pair, feature), so sums do not
/// depend on threads or culling.
///
/// Smooth detectors weight each record by an activity. It falls to 0 with two continuous
/// derivatives before a record disappears. Smooth are the activity and its products with point,
/// normal and distance.
typedef struct tacContacts {
    int count;         ///< number of records
    int capacity;      ///< length of the arrays
    unsigned flags;    ///< sum of tacFlag: TAC_TIE where features do not determine a derivative
    int* pair;         ///< index of the pair in tac_geom_pairs                (capacity)
    int* geom[2];      ///< its two geoms                                      (capacity)
    int* bundle;       ///< number that records of one face share; -1: none    (capacity)
    uint64_t* feature; ///< identifier of the two features in contact          (capacity)

    tacReal* point[3];  ///< point of contact, world                           (capacity) [m]
    tacReal* normal[3]; ///< from geom[0] to geom[1], length <= 1              (capacity)
    tacReal* distance;  ///< signed, negative in penetration                   (capacity) [m]
    tacReal* activity;  ///< in [0, 1]                                         (capacity)

    /// Jacobian d(point, normal, distance, activity)/d xi; NULL unless asked for. xi is the twist
    /// of the second body relative to the first about `point`. For twists xi0, xi1 of both bodies
    /// the change is D (xi1 - xi0) + rigid(xi0).                        (capacity) each
    tacReal* d_twist[8][6];
} tacContacts;

/// Estimate of the longest stable time step with explicit contact, from stiffness, friction,
/// gravity and masses at load. Infinite for implicit or hard contact, and without contact
/// (docs/contact.md).                                                                     [s]
TAC_API
double tac_stable_timestep(const tacModel* model);

/// Makes arrays for contacts of a model. Capacity 0 is the most that its detector can find. With
/// `twists` 1, d_twist is there and tac_detect fills it.
TAC_API
tacResult tac_contacts_create(const tacModel* model, int capacity, int twists, tacContacts** out);

/// Frees contacts. NULL is allowed.
TAC_API
void tac_contacts_destroy(tacContacts* contacts);

/// Finds the contacts of all pairs with the scene's detector. `body` holds the world poses (nbody).
/// TAC_ERROR_UNSUPPORTED for a scene without contact, and for detect="ssdf", which has no records.
TAC_API
tacResult tac_detect(const tacModel* model, const tacPose* body, tacContacts* contacts,
                     tacScratch* scratch);

/// Forward derivative of tac_detect along twists of the bodies about their origins (nbody x 6) and
/// the parameters (nparam); NULL means zero. `contacts` is the result of tac_detect. Writes point,
/// normal, distance and activity of `dot`.
TAC_API
tacResult tac_detect_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                         const tacReal* pose_dot, const tacReal* theta_dot, tacContacts* dot,
                         tacScratch* scratch);

/// Reverse derivative of tac_detect. `bar` holds adjoints of point, normal, distance and activity.
/// Adds to pose_bar (nbody x 6) and theta_bar (nparam); NULL skips.
TAC_API
tacResult tac_detect_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                         const tacContacts* bar, tacReal* pose_bar, tacReal* theta_bar,
                         tacScratch* scratch);

TAC_EXTERN_C_END

#endif
