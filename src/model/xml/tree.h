// Copies of parts of a scene's tree, with other names.

#ifndef TAC_MODEL_XML_TREE_H
#define TAC_MODEL_XML_TREE_H

#include "model/spec.h"

// how names change in a copy: those in `names`, or all
typedef struct tacRename {
    const char *prefix, *suffix;
    const tacNames* names; // NULL: all but "world"
    int scope;             // of the copy, -1: the same
} tacRename;

// The kind of thing that an attribute names, or NULL: "joint" for joint1, "body" for target, …
const char* tac_reference_kind(const tacElement* element, const char* attribute);

// the kind of an element's own name, such as "joint" for <freejoint>
const char* tac_name_kind(const tacElement* element);

// a copy with all below it, not linked yet; NULL after a failure
tacElement* tac_tree_copy(tacReader* reader, const tacElement* element, const tacRename* rename);

// appends an element as the last child
void tac_tree_append(tacElement* parent, tacElement* child);

// an element without attributes as the last child
tacElement* tac_tree_add(tacReader* reader, tacElement* parent, const char* name, int line,
                         int scope);

// gives an element an attribute, or another value of it
void tac_tree_set(tacReader* reader, tacElement* element, const char* name, const char* value);

// the names of bodies, joints, geoms, sites, cameras and lights from an element on
void tac_tree_names(tacReader* reader, const tacElement* element, tacNames* names);

// References of an element and of all below it: 1 if one of them (any), or all of them, are in
// `names`. An element without references: 0 for any, 1 for all.
int tac_tree_refers(const tacElement* element, const tacNames* names, int all);

#endif
