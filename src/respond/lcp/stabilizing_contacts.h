// Points around contacts that keep two bodies from tilting towards one another.
//
// Edges that cross at a small angle close like scissors: their contact runs along them faster than
// stretches of a step can follow. After too many impacts such a pair is stopped for the rest of the
// step, by contacts beside its own: p + R e, R the axes of the first body. docs/hard.md.

#ifndef TAC_RESPOND_LCP_STABILIZING_CONTACTS_H
#define TAC_RESPOND_LCP_STABILIZING_CONTACTS_H

#include "detect/convex_contacts.h"

// Appends four copies of every contact nearer than `within`, as far as there is room. They have the
// normal and the distance of the contact, and its derivatives.
void tac_add_stabilizing_contacts(const tacModel* model, const tacPose* body, double cutoff,
                                  tacContacts* contacts, tacConvexContact* convex_contact);

#endif
