// UTF-8 to the four bytes a character that numpy has.

#include "record/text_array.h"

#include "model/xml/source.h"

#include <stdlib.h>
#include <string.h>

// code points of UTF-8, `width` for each text
static int widen_text(const char* text, uint32_t* out, int width) {
    int count = 0;
    for (size_t left = strlen(text); left > 0 && count < width; ++count) {
        size_t bytes = tac_utf8_length(text, left);
        uint32_t c = (unsigned char)*text;
        if (bytes > 1) c &= 0x7fu >> bytes;
        for (size_t i = 1; i < bytes; ++i) c = c << 6 | ((unsigned char)text[i] & 0x3fu);
        out[count] = bytes ? c : 0xfffd;
        text += bytes ? bytes : 1;
        left -= bytes ? bytes : 1;
    }
    return count;
}

tacNpy tac_text_array(const tacModel* model, tacColumnName name, int first, int count) {
    uint32_t* data = calloc((size_t)count * TAC_COLUMN_SIZE + 1, sizeof *data);
    int width = 1;
    char text[TAC_COLUMN_SIZE];
    for (int i = 0; data && i < count; ++i) {
        name(model, first + i, text);
        int length = widen_text(text, data + (size_t)i * TAC_COLUMN_SIZE, TAC_COLUMN_SIZE);
        if (length > width) width = length;
    }
    for (int i = 1; data && i < count; ++i)
        memmove(data + (size_t)i * (size_t)width, data + (size_t)i * TAC_COLUMN_SIZE,
                sizeof *data * (size_t)width);
    return (tacNpy){TAC_NPY_TEXT, width, 1, {(size_t)count, 0}, data};
}

tacNpy tac_text_one(const char* text, uint32_t data[TAC_COLUMN_SIZE]) {
    memset(data, 0, sizeof *data * TAC_COLUMN_SIZE);
    int width = widen_text(text, data, TAC_COLUMN_SIZE);
    return (tacNpy){TAC_NPY_TEXT, width > 0 ? width : 1, 0, {0, 0}, data};
}
