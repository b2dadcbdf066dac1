// Attributes to numbers, words and names.

#include "model/xml/attribute.h"

#include "base/decimal.h"
#include "model/xml/word_suggestion.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const tacRange tac_range_position = {-1e9, 1e9};
const tacRange tac_range_size = {1e-9, 1e9};
const tacRange tac_range_eps = {0.1, 2.0};
const tacRange tac_range_smooth = {1e-12, 1e9};
const tacRange tac_range_colour = {0.0, 1.0};

//---------------------------------- lookup ---------------------------------------

const tacAttribute* tac_attribute(const tacElement* element, const char* name) {
    for (int i = 0; i < element->count; ++i)
        if (strcmp(element->attributes[i].name, name) == 0) return &element->attributes[i];
    return NULL;
}

int tac_attribute_line(const tacElement* element, const char* name) {
    const tacAttribute* attribute = tac_attribute(element, name);
    return attribute ? attribute->line : element->line;
}

void tac_require(tacReader* reader, const tacElement* element, const char* name) {
    if (!tac_attribute(element, name))
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, name,
                        "<%s> needs the attribute '%s'", element->name, name);
}

//---------------------------------- one number -----------------------------------

const char* tac_parse_number(const char* text, double* out) { return tac_parse_decimal(text, out); }

//---------------------------------- many numbers ---------------------------------

static const char* skip_blank(const char* at) { return at + strspn(at, " \t\r\n"); }

static void fail_number(tacReader* reader, const tacAttribute* attribute, const char* at) {
    int length = (int)strcspn(at, " \t\r\n");
    if (length > 30) length = 30;
    const char* hint = memchr(at, ',', (size_t)length) ? "; separate numbers by spaces" : "";
    tac_reader_fail(reader, TAC_ERROR_VALUE, attribute->line, attribute->name,
                    "'%.*s' is not a finite decimal number%s", length, at, hint);
}

// the fewest digits that identify the number, at least six
static void fail_range(tacReader* reader, const tacAttribute* attribute, double value,
                       tacRange range) {
    char text[40];
    double read = NAN;
    for (int digits = 6; digits <= 17 && read != value; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (!tac_parse_number(text, &read)) break;
    }
    tac_reader_fail(reader, TAC_ERROR_VALUE, attribute->line, attribute->name,
                    "%s is out of range: '%s' must be between %g and %g", text, attribute->name,
                    range.lower, range.upper);
}

static void fail_count(tacReader* reader, const tacElement* element, const tacAttribute* attribute,
                       tacCountRange counts, int count) {
    char expected[40];
    if (counts.min == counts.max)
        snprintf(expected, sizeof expected, "%d number%s", counts.min, counts.min == 1 ? "" : "s");
    else
        snprintf(expected, sizeof expected, "%d to %d numbers", counts.min, counts.max);
    tac_reader_fail(reader, TAC_ERROR_VALUE, attribute->line, attribute->name,
                    "'%s' of <%s> needs %s, found %s%d", attribute->name, element->name, expected,
                    count > counts.max ? "at least " : "", count);
}

// numbers into `values` (max); how many, or -1 after a failure; max + 1: there are more
static int parse_numbers(tacReader* reader, const tacAttribute* attribute, int max, tacRange range,
                         double* values) {
    int count = 0;
    for (const char* at = skip_blank(attribute->value); *at; at = skip_blank(at)) {
        double value;
        const char* end = tac_parse_number(at, &value);
        if (!end || (*end && !strchr(" \t\r\n", *end)) || !isfinite(value)) {
            fail_number(reader, attribute, at);
            return -1;
        }
        if (count == max) return max + 1;
        if (!(value >= range.lower && value <= range.upper)) {
            fail_range(reader, attribute, value, range);
            return -1;
        }
        values[count++] = value;
        at = end;
    }
    return count;
}

#define MAX_NUMBERS 16

int tac_read_numbers(tacReader* reader, const tacElement* element, const char* name,
                     tacCountRange counts, tacRange range, double* out) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (!attribute || reader->result != TAC_OK) return 0;
    double values[MAX_NUMBERS];
    int count = parse_numbers(reader, attribute, counts.max, range, values);
    if (count < 0) return 0;
    if (count < counts.min || count > counts.max) {
        fail_count(reader, element, attribute, counts, count);
        return 0;
    }
    memcpy(out, values, sizeof(double) * (size_t)count);
    return count;
}

int tac_read_vector(tacReader* reader, const tacElement* element, const char* name, int count,
                    tacRange range, double* out) {
    return tac_read_numbers(reader, element, name, (tacCountRange){count, count}, range, out);
}

// at least one space separates numbers, which bounds their count
double* tac_read_list(tacReader* reader, const tacElement* element, const char* name,
                      tacRange range, int* count) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (!attribute || reader->result != TAC_OK) return NULL;
    int max = (int)strlen(attribute->value) / 2 + 1;
    double* values = tac_reader_alloc(reader, sizeof(double) * (size_t)max);
    int found = values ? parse_numbers(reader, attribute, max, range, values) : -1;
    if (found < 0) return NULL;
    *count = found;
    return values;
}

int tac_read_number(tacReader* reader, const tacElement* element, const char* name, tacRange range,
                    double* out) {
    return tac_read_vector(reader, element, name, 1, range, out);
}

int tac_read_int(tacReader* reader, const tacElement* element, const char* name, int min, int max,
                 int* out) {
    double value;
    if (!tac_read_number(reader, element, name, (tacRange){min, max}, &value)) return 0;
    if (value != floor(value)) {
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                        "'%s' must be a whole number, found %g", name, value);
        return 0;
    }
    *out = (int)value;
    return 1;
}

//---------------------------------- words and names ------------------------------

int tac_read_word(tacReader* reader, const tacElement* element, const char* name,
                  const char* words) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (!attribute || reader->result != TAC_OK) return -1;
    size_t length = strlen(attribute->value);
    int index = 0;
    for (const char* at = words; *at; ++index) {
        size_t word = strcspn(at, " ");
        if (word == length && memcmp(at, attribute->value, word) == 0) return index;
        at += word + (at[word] == ' ');
    }
    char near[TAC_SUGGESTION_SIZE];
    int meant = tac_suggest_word(attribute->value, words, near);
    tac_reader_fail(reader, TAC_ERROR_VALUE, attribute->line, name,
                    "'%.40s' is not a value of '%s'%s%s%s allowed: %s", attribute->value, name,
                    meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : ";", words);
    return -1;
}

int tac_read_bool(tacReader* reader, const tacElement* element, const char* name, int* out) {
    int word = tac_read_word(reader, element, name, "false true");
    if (word < 0) return 0;
    *out = word;
    return 1;
}

static const char* find_wrong(const char* name, int plain) {
    if (!*name) return "a name must not be empty; remove the attribute instead";
    if (strlen(name) > TAC_MAX_NAME) return "the name is too long (at most 200 bytes)";
    for (const char* c = name; *c; ++c) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return "a name must not contain control characters";
        if (plain && (*c == '/' || *c == '[' || *c == ']'))
            return "the name of a shape or of a part of one must not contain '/', '[' or ']', "
                   "which separate names of parameters";
    }
    return NULL;
}

static const char* read_name(tacReader* reader, const tacElement* element, int plain) {
    const tacAttribute* attribute = tac_attribute(element, "name");
    if (!attribute || reader->result != TAC_OK) return NULL;
    const char* wrong = find_wrong(attribute->value, plain);
    if (!wrong) return attribute->value;
    tac_reader_fail(reader, TAC_ERROR_VALUE, attribute->line, "name", "'%.60s': %s",
                    attribute->value, wrong);
    return NULL;
}

const char* tac_read_name(tacReader* reader, const tacElement* element) {
    return read_name(reader, element, 0);
}

const char* tac_read_plain_name(tacReader* reader, const tacElement* element) {
    return read_name(reader, element, 1);
}
