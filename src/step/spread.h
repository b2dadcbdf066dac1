// Points around contacts that keep two bodies from tilting towards one another.
//
// Edges that cross at a small angle close like scissors: their contact runs along them faster than
// stretches of a step can follow. After too many impacts such a pair is stopped for the rest of the
// step, by contacts beside its own: p + R e, R the axes of the first body. docs/hard.md.

#ifndef TAC_STEP_SPREAD_H
#define TAC_STEP_SPREAD_H

#include "detect/hard.h"

// Appends four copies of every contact nearer than `within`, as far as there is room. They have the
// normal and the distance of the contact, and its derivatives.
void tac_spread(const tacModel* model, const tacPose* body, double within, tacContacts* contacts,
                tacHardTouch* touch);

#endif
