// The tree of elements of a scene, each element and attribute with its line.

#ifndef TAC_MODEL_DOCUMENT_H
#define TAC_MODEL_DOCUMENT_H

#include "model/source.h"

typedef struct tacAttribute {
    const char *name, *value;
    int line; // of the name, also in a tag of many lines
} tacAttribute;

typedef struct tacElement tacElement;
struct tacElement {
    const char* name;
    int line; // of its "<"
    int count;
    tacAttribute* attributes; // (count), in the order of the file
    tacElement *parent, *child, *last, *next;
};

// Text to tree; NULL after a failure. The tree lives as long as the reader's memory.
const tacElement* tac_document_parse(tacReader* reader, tacSource source);

#endif
