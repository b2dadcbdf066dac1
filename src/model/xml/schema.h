// Which elements and attributes a scene may have. One row per element; a new one is a new row.

#ifndef TAC_MODEL_XML_SCHEMA_H
#define TAC_MODEL_XML_SCHEMA_H

#include "model/xml/document.h"

typedef struct tacRule {
    const char* name;       // of the element; "parent/name" where it means something else there
    const char* attributes; // that are read
    const char* ignored;    // taken without a word: they cannot change what is built so far
    const char* children;   // elements that may stand in it; NULL: anything, nothing of it is read
} tacRule;

// the row of an element that stands in `parent`, or NULL
const tacRule* tac_rule_find(const char* parent, const char* name);

// Checks the whole tree, after old names gave way to the new ones. What is unknown, or known but
// not supported, is refused by its name.
void tac_schema_check(tacReader* reader, tacElement* root);

#endif
