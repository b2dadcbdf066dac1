// How convex parts move and grow with parameters: poses of their geoms and nodes, and sizes. A
// contact of two features is a function of these as it is of the bodies' poses.

#ifndef TAC_DETECT_PART_MOTION_H
#define TAC_DETECT_PART_MOTION_H

#include "detect/convex/gjk.h"
#include "detect/convex_contacts.h"

// Which of a kind's sizes its x, y and z axes and the radius that rolls on it grow with; -1: none.
static inline void tac_part_sizes(tacNodeKind kind, int size[4]) {
    int is_box =
        kind == TAC_NODE_BOX || kind == TAC_NODE_ELLIPSOID || kind == TAC_NODE_SUPERQUADRIC;
    int is_rod = kind == TAC_NODE_CYLINDER || kind == TAC_NODE_CAPSULE;
    size[0] = is_box || kind == TAC_NODE_CYLINDER ? 0 : -1;
    size[1] = is_box ? 1 : kind == TAC_NODE_CYLINDER ? 0 : -1;
    size[2] = is_box ? 2 : is_rod ? 1 : -1;
    size[3] = is_rod || kind == TAC_NODE_SPHERE ? 0 : -1;
}

// d (point, normal, distance) of a contact along a tangent of the parameters at constant poses of
// the bodies (nbody); 0: its parts do not move with it, and `out` is 0
int tac_convex_contact_theta_jvp(const tacModel* model, const tacPose* body,
                                 const tacConvexContact* contact, const tacReal* theta_dot,
                                 tacReal out[7]);

// adds the adjoint of that to theta_bar (nparam)
void tac_convex_contact_theta_vjp(const tacModel* model, const tacPose* body,
                                  const tacConvexContact* contact, const tacReal bar[7],
                                  tacReal* theta_bar);

// the same of the distance of the nearest points of two parts of a pair
tacReal tac_part_distance_theta_jvp(const tacModel* model, const tacPose* body,
                                    const tacFirstImpact* impact, const tacReal* theta_dot);
void tac_part_distance_theta_vjp(const tacModel* model, const tacPose* body,
                                 const tacFirstImpact* impact, tacReal bar, tacReal* theta_bar);

#endif
