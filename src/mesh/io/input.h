// The bytes of a mesh file with a read position, the first failure, and arrays that grow.
//
// Failure is sticky, as in the scene reader: once something is wrong, later calls do nothing and
// the first message wins.

#ifndef TAC_MESH_IO_INPUT_H
#define TAC_MESH_IO_INPUT_H

#include "tactus/memory.h"
#include "tactus/result.h"

typedef struct tacInput {
    const char* file;    // as the caller named it
    tacMessage* message; // NULL to skip
    tacResult result;    // TAC_OK until the first failure
    tacAllocator allocator;
    char* text;           // the bytes, then a 0
    const char *at, *end; // read position; end of the bytes
    int line;             // of `at` from 1; 0 in binary data
} tacInput;

// Reads a regular file whole, or copies memory. `text` is to be freed by tac_input_close.
void tac_input_open(tacInput* input, const char* path);
void tac_input_copy(tacInput* input, const void* bytes, size_t size);
void tac_input_close(tacInput* input);

// Keeps the first failure, at the line of the input. Unprintable bytes become '?'.
void tac_input_fail(tacInput* input, tacResult result, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

//---------------------------------- text -----------------------------------------

// skips spaces, tabs, carriage returns and continued lines ("\" before the line's end)
void tac_input_skip_blank(tacInput* input);

// skips whitespace and line breaks, and comments up to the end of their line (`comment` 0: none)
void tac_input_skip_space(tacInput* input, char comment);

// to the start of the next line
void tac_input_skip_line(tacInput* input);

// length of the word here, 0 at the end of a line
int tac_input_word_length(const tacInput* input);

// if the next word is this one, in any case, skips it
int tac_input_match_word(tacInput* input, const char* word);

// a finite number up to TAC_MAX_MESH_COORD, after spaces; a failure names `what`
double tac_input_read_number(tacInput* input, const char* what);

// if the next word is "nan" or "inf", with any sign, skips it
int tac_input_match_nan(tacInput* input);

// an integer of at most 9 digits, without spaces before; 1 if there was one
int tac_input_read_int(tacInput* input, int* out);

// fails unless the line ends here (or a comment starts), then goes to the next
void tac_input_end_line(tacInput* input, char comment);

//---------------------------------- arrays ---------------------------------------

typedef struct tacArray {
    void* items;
    int count, capacity;
} tacArray;

// `count` items at the end, not cleared, or NULL after a failure; earlier items may move
void* tac_array_add(tacInput* input, tacArray* array, size_t item_size, int count);
void tac_array_free(tacInput* input, tacArray* array);

#endif
