// Contact by an option of loading, in place of the scene's.

#ifndef TAC_MODEL_CONTACT_CONTACT_OPTION_H
#define TAC_MODEL_CONTACT_CONTACT_OPTION_H

#include "model/xml/document.h"

// Takes contact out of every <tactus> below `root` and adds one that says `text`: words with blanks
// between, NAME=VALUE as attributes have them, or the name of a detector or a responder alone;
// "none" adds nothing. NULL does nothing.
void tac_override_contact(tacReader* reader, tacElement* root, const char* text);

#endif
