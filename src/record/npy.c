// The text in front of an array:  \x93NUMPY, version, length, {'descr': '<f8', 'shape': (4, 3), }

#include "record/npy.h"

#include "base/assert.h"

#include <stdio.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";

size_t tac_npy_count(const tacNpy* array) {
    size_t count = 1;
    for (int i = 0; i < array->dims; ++i) count *= array->shape[i];
    return count;
}

size_t tac_npy_bytes(const tacNpy* array) {
    return tac_npy_count(array) * (array->kind == TAC_NPY_TEXT ? 4 * (size_t)array->width : 8);
}

//---------------------------------- writing --------------------------------------

static void write_kind(const tacNpy* array, char text[16]) {
    if (array->kind == TAC_NPY_TEXT)
        snprintf(text, 16, "<U%d", array->width);
    else
        snprintf(text, 16, "%s", array->kind == TAC_NPY_REAL ? "<f8" : "<i8");
}

static void write_shape(const tacNpy* array, char text[48]) {
    if (array->dims == 0)
        snprintf(text, 48, "()");
    else if (array->dims == 1)
        snprintf(text, 48, "(%zu,)", array->shape[0]);
    else
        snprintf(text, 48, "(%zu, %zu)", array->shape[0], array->shape[1]);
}

void tac_npy_header(const tacNpy* array, char text[TAC_NPY_HEADER]) {
    char kind[16], shape[48], line[TAC_NPY_HEADER];
    write_kind(array, kind);
    write_shape(array, shape);
    int used = snprintf(line, sizeof line, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                        kind, shape);
    TAC_ASSERT(used < TAC_NPY_HEADER - 11);
    memset(text, ' ', TAC_NPY_HEADER);
    memcpy(text, magic, 6);
    text[6] = 1;
    text[7] = 0; // version
    text[8] = TAC_NPY_HEADER - 10;
    text[9] = 0;
    memcpy(text + 10, line, (size_t)used);
    text[TAC_NPY_HEADER - 1] = '\n';
}

//---------------------------------- reading --------------------------------------

typedef struct npyText {
    const char *at, *end;
} npyText;

static void skip_blank(npyText* t) {
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\n' || *t->at == '\t')) ++t->at;
}

static int accept_char(npyText* t, char c) {
    skip_blank(t);
    if (t->at == t->end || *t->at != c) return 0;
    ++t->at;
    return 1;
}

// a whole number below 2^40
static int parse_whole(npyText* t, size_t* out) {
    skip_blank(t);
    const char* start = t->at;
    for (*out = 0; t->at < t->end && *t->at >= '0' && *t->at <= '9' && t->at - start < 12; ++t->at)
        *out = 10 * *out + (size_t)(*t->at - '0');
    return t->at > start && *out < (size_t)1 << 40;
}

// a word in quotes, cut to 15 bytes
static int parse_quoted(npyText* t, char out[16]) {
    skip_blank(t);
    if (t->at == t->end || (*t->at != '\'' && *t->at != '"')) return 0;
    char quote = *t->at++;
    int length = 0;
    while (t->at < t->end && *t->at != quote && length < 15) out[length++] = *t->at++;
    out[length] = '\0';
    return accept_char(t, quote);
}

static const char* parse_kind(npyText* t, tacNpy* out) {
    char word[16];
    size_t width;
    if (!parse_quoted(t, word)) return "has no kind of numbers that Tactus knows";
    npyText rest = {word + 2, word + strlen(word)};
    if (strcmp(word, "<f8") == 0) {
        out->kind = TAC_NPY_REAL;
        return NULL;
    }
    if (strcmp(word, "<i8") == 0) {
        out->kind = TAC_NPY_INT;
        return NULL;
    }
    if (memcmp(word, "<U", 2) != 0 || !parse_whole(&rest, &width) || width > 1u << 20)
        return "holds neither float64, int64 nor text; convert it with astype(float)";
    out->kind = TAC_NPY_TEXT;
    out->width = (int)width;
    return NULL;
}

static const char* parse_order(npyText* t) {
    static const char word[] = "False";
    skip_blank(t);
    if ((size_t)(t->end - t->at) < 5 || memcmp(t->at, word, 5) != 0)
        return "stands column by column; save numpy.ascontiguousarray of it";
    t->at += 5;
    return NULL;
}

static const char* parse_shape(npyText* t, tacNpy* out) {
    if (!accept_char(t, '(')) return "has no shape";
    for (out->dims = 0; !accept_char(t, ')'); ++out->dims) {
        if (out->dims == 2) return "has more than two dimensions";
        if (!parse_whole(t, &out->shape[out->dims])) return "has a broken shape";
        if (!accept_char(t, ',') && (t->at == t->end || *t->at != ')')) return "has a broken shape";
    }
    return NULL;
}

// {'descr': ..., 'fortran_order': ..., 'shape': ...} in any order
static const char* parse_fields(npyText* t, tacNpy* out) {
    char key[16];
    int seen = 0;
    if (!accept_char(t, '{')) return "has a broken first line";
    while (parse_quoted(t, key) && accept_char(t, ':')) {
        const char* wrong = strcmp(key, "descr") == 0           ? (seen |= 1, parse_kind(t, out))
                            : strcmp(key, "fortran_order") == 0 ? (seen |= 2, parse_order(t))
                            : strcmp(key, "shape") == 0         ? (seen |= 4, parse_shape(t, out))
                                                                : "has a broken first line";
        if (wrong) return wrong;
        accept_char(t, ',');
    }
    return seen == 7 && accept_char(t, '}') ? NULL : "has a broken first line";
}

const char* tac_npy_parse(const unsigned char* bytes, size_t size, tacNpy* out) {
    tacNpy array = {0};
    if (size < 12 || memcmp(bytes, magic, 6) != 0) return "is not an array of numpy";
    size_t start = bytes[6] == 1 ? 10 : 12, length = bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (length > size - start) return "is cut off";
    npyText text = {(const char*)bytes + start, (const char*)bytes + start + length};
    const char* wrong = parse_fields(&text, &array);
    if (wrong) return wrong;
    array.data = bytes + start + length;
    // each side is below 2^40, but not their product
    size_t most = size - start - length, side = array.dims == 2 ? array.shape[1] : 1;
    if (array.dims > 0 && side > 0 && array.shape[0] > most / side) return "is cut off";
    if (tac_npy_bytes(&array) != most) return "has another length than its shape says";
    *out = array;
    return NULL;
}
