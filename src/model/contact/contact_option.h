// Contact as a load option, in place of the scene's.

#ifndef TAC_MODEL_CONTACT_CONTACT_OPTION_H
#define TAC_MODEL_CONTACT_CONTACT_OPTION_H

#include "model/xml/document.h"

// Removes contact from every <tactus> below `root` and adds one with `text`: words with spaces
// between, NAME=VALUE like attributes, or the name of a detector or a responder;
// "none" adds nothing. NULL does nothing. Words that are not of contact (compat, rk4, integrator)
// replace the scene's alike; with only such words contact stays that of the scene.
void tac_override_contact(tacReader* reader, tacElement* root, const char* text);

#endif
