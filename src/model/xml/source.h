// The bytes of a scene file, before they are parsed as XML.

#ifndef TAC_MODEL_XML_SOURCE_H
#define TAC_MODEL_XML_SOURCE_H

#include "model/xml/reader.h"

typedef struct tacSource {
    const char* text; // not terminated
    size_t size;
} tacSource;

// bytes of the UTF-8 character at `text`, 0 if there is no valid one in the next `size` bytes
size_t tac_utf8_length(const char* text, size_t size);

// Reads a regular file whole. Anything else (directory, FIFO, device) is refused without waiting.
tacSource tac_source_read(tacReader* reader, const char* path);

// Refuses what must not reach the XML parser: other encodings than UTF-8, control characters, tags
// with very many attributes. Skips a byte order mark.
tacSource tac_source_check(tacReader* reader, tacSource source);

#endif
