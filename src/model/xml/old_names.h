// Old spellings of the attributes and values of <tactus>. They are read for one release, with a
// warning that names the new one.

#ifndef TAC_MODEL_XML_OLD_NAMES_H
#define TAC_MODEL_XML_OLD_NAMES_H

#include "model/xml/document.h"

// Rewrites every <tactus> of a scene in the new names, and keeps the line of the first use of each
// old one. An attribute that is given under both names is an error.
void tac_replace_old_names(tacReader* reader, tacElement* root);

// adds the old names that were found to the warnings of the scene, each once, with file and line
void tac_warn_old_names(tacReader* reader);

// the new name of an attribute whose old one is the `length` bytes of `text`, or NULL
const char* tac_new_attribute_name(const char* text, size_t length);

// The name that an attribute has at a line of the scene: the old one where it was replaced.
const char* tac_attribute_in_file(const tacReader* reader, const char* attribute, int line);

#endif
