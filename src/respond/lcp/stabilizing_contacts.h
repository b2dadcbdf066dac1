// Stabilizing contacts: points around a contact that keep two bodies from tilting.
//
// Edges that cross at a small angle close like scissors: their contact runs along them faster than
// substeps can follow. After too many impacts contacts beside their own stop such a pair for the
// rest of the step: p + R e, R the axes of the first body. docs/hard.md.

#ifndef TAC_RESPOND_LCP_STABILIZING_CONTACTS_H
#define TAC_RESPOND_LCP_STABILIZING_CONTACTS_H

#include "detect/convex_contacts.h"

// Appends four copies of every contact nearer than `cutoff`, up to the capacity. They have the
// normal, the distance and the derivatives of the contact.
void tac_add_stabilizing_contacts(const tacModel* model, const tacPose* body, double cutoff,
                                  tacContacts* contacts, tacConvexContact* convex_contact);

#endif
