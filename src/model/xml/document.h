// The tree of elements of a scene, each element and attribute with its line.

#ifndef TAC_MODEL_XML_DOCUMENT_H
#define TAC_MODEL_XML_DOCUMENT_H

#include "model/xml/source.h"

#include <string.h>

typedef struct tacAttribute {
    const char *name, *value;
    int line; // of the name, also in a tag of many lines
} tacAttribute;

typedef struct tacElement tacElement;
struct tacElement {
    const char* name;
    int line;  // of its "<"
    int scope; // the model that it was written for: 0, or one that was attached
    int count;
    tacAttribute* attributes; // (count), in the order of the file
    tacElement *parent, *child, *last, *next;
};

static inline int tac_element_is(const tacElement* element, const char* name) {
    return strcmp(element->name, name) == 0;
}

// Text to tree; NULL after a failure. The tree lives as long as the reader's memory. Its lines go
// on from those of the files before.
tacElement* tac_document_parse(tacReader* reader, tacSource source);

// Replaces each <include> by the elements of its file. Paths are relative to the folder of the
// scene, or else of the including file; a file is included once.
void tac_include_files(tacReader* reader, tacElement* root);

// Parses another file of the scene, named by an attribute of an element; NULL after a failure.
tacElement* tac_document_open(tacReader* reader, const tacElement* element, const char* attribute,
                              const char* path);

#endif
