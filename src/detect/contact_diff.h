// Derivatives of contacts by the poses of the bodies and by pos and quat of the geoms, from
// d_twist: for detectors whose contacts depend on relative poses alone.

#ifndef TAC_DETECT_CONTACT_DIFF_H
#define TAC_DETECT_CONTACT_DIFF_H

#include "detect/detect.h"

// `contacts` have d_twist; of `dot` all is written. NULL means zero.
void tac_contact_diff_jvp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                          tacContactTangent tangent, tacContacts* dot);

// adds to pose_bar (nbody x 6) and theta_bar (nparam); NULL skips one
void tac_contact_diff_vjp(const tacModel* model, const tacPose* body, const tacContacts* contacts,
                          const tacContacts* bar, tacContactAdjoint adjoint);

#endif
