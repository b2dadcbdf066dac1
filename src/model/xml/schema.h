// Which elements and attributes a scene may have. One row per element; a new one is a new row.

#ifndef TAC_MODEL_XML_SCHEMA_H
#define TAC_MODEL_XML_SCHEMA_H

#include "model/xml/document.h"

typedef struct tacRule {
    const char* name;       // of the element; "parent/name" where its meaning depends on the parent
    const char* attributes; // that are read
    const char* ignored;    // accepted and ignored
    const char* children;   // allowed child elements; NULL: anything, ignored
} tacRule;

// the row of an element of `parent`, or NULL
const tacRule* tac_rule_find(const char* parent, const char* name);

// Checks the whole tree, after old names gave way to the new ones. What is unknown, or known but
// not supported, is refused by its name.
void tac_schema_check(tacReader* reader, tacElement* root);

// adds the plugins that were skipped to the warnings of the scene, once, with file and line
void tac_warn_plugins(tacReader* reader, const tacElement* root);

#endif
