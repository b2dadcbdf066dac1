// Typed reading of attributes. Errors have line, attribute and what to write
// instead.
//
// Each function leaves its output unchanged if the attribute is absent or wrong.

#ifndef TAC_MODEL_XML_ATTRIBUTE_H
#define TAC_MODEL_XML_ATTRIBUTE_H

#include "model/xml/document.h"

// range of a number, both ends included
typedef struct tacRange {
    double lower, upper;
} tacRange;

// ranges of the numbers of a scene, also of the parameters they become
extern const tacRange tac_range_position, tac_range_size, tac_range_eps, tac_range_smooth,
    tac_range_colour;

// the attribute, or NULL
const tacAttribute* tac_attribute(const tacElement* element, const char* name);

// the line of the attribute, else of the element
int tac_attribute_line(const tacElement* element, const char* name);

// fails if the attribute is absent
void tac_require(tacReader* reader, const tacElement* element, const char* name);

// how many numbers an attribute may have
typedef struct tacCountRange {
    int min, max;
} tacCountRange;

// as many numbers as `counts` allows; how many there were, 0 if absent or wrong
int tac_read_numbers(tacReader* reader, const tacElement* element, const char* name,
                     tacCountRange counts, tacRange range, double* out);

// exactly `count` numbers; 0 if absent or wrong
int tac_read_vector(tacReader* reader, const tacElement* element, const char* name, int count,
                    tacRange range, double* out);

// all numbers, in memory of the reader; NULL if absent or wrong
double* tac_read_list(tacReader* reader, const tacElement* element, const char* name,
                      tacRange range, int* count);

// one number, one integer, "true" or "false"; 1 if it was present and right
int tac_read_number(tacReader* reader, const tacElement* element, const char* name, tacRange range,
                    double* out);
int tac_read_int(tacReader* reader, const tacElement* element, const char* name, int min, int max,
                 int* out);
int tac_read_bool(tacReader* reader, const tacElement* element, const char* name, int* out);

// index of the value in a list of words separated by single spaces, or -1
int tac_read_word(tacReader* reader, const tacElement* element, const char* name,
                  const char* words);

// the name of an element, or NULL; a plain one can be part of a path, as of children of a shape
const char* tac_read_name(tacReader* reader, const tacElement* element);
const char* tac_read_plain_name(tacReader* reader, const tacElement* element);

// One decimal number from the front of `text`, independent of the locale: its end, or NULL if there
// is none. NaN, infinity and hexadecimal are none; what overflows is infinite.
const char* tac_parse_number(const char* text, double* out);

#endif
