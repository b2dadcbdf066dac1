// PLY: a header that lists elements and their properties, then the data, as text or binary in
// either byte order. Used are x y z nx ny nz of "vertex" and vertex_indices of "face"; any order,
// any types; the rest is skipped.

#include "mesh/io/soup_builder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef enum scalarType { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64 } scalarType;

static const int scalar_size[] = {1, 1, 2, 2, 4, 4, 4, 8};
static const char* const scalar_names[] = {
    "char", "uchar", "short", "ushort", "int",   "uint",   "float",   "double",
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"};

// where a value goes: 0..2 position, 3..5 normal
enum { ROLE_INDICES = 6, ROLE_NONE = 7 };

typedef struct plyProperty {
    scalarType type, count_type;
    int is_list, role;
} plyProperty;

typedef enum elementKind { VERTEX, FACE, OTHER } elementKind;

typedef struct plyElement {
    char name[32];
    elementKind kind;
    int count, properties, line;
    unsigned roles; // bit r: a property has role r
    plyProperty property[TAC_MAX_PLY_PROPERTY];
} plyElement;

typedef enum plyFormat { NO_FORMAT, ASCII, LITTLE, BIG } plyFormat;

typedef struct plyFile {
    tacSoupBuilder* builder;
    tacInput* input;
    plyFormat format;
    int elements;
    plyElement element[TAC_MAX_PLY_ELEMENT];
    const plyElement* current; // element that is read, and its number
    int item;
} plyFile;

int tac_is_ply(const tacInput* input) {
    return strncmp(input->text, "ply", 3) == 0 &&
           (input->text[3] == '\n' || input->text[3] == '\r');
}

//---------------------------------- header ---------------------------------------

static int clip_length(int length) { return length > 30 ? 30 : length; }

static void fail_word(plyFile* ply, const char* what) {
    int length = tac_input_word_length(ply->input);
    tac_input_fail(ply->input, TAC_ERROR_SYNTAX, "header: '%.*s' is not %s", clip_length(length),
                   ply->input->at, what);
}

static void read_format(plyFile* ply) {
    tac_input_skip_blank(ply->input);
    if (tac_input_match_word(ply->input, "ascii"))
        ply->format = ASCII;
    else if (tac_input_match_word(ply->input, "binary_little_endian"))
        ply->format = LITTLE;
    else if (tac_input_match_word(ply->input, "binary_big_endian"))
        ply->format = BIG;
    else
        fail_word(ply, "a format: ascii, binary_little_endian or binary_big_endian");
    tac_input_skip_line(ply->input); // with the version
}

static void read_element(plyFile* ply) {
    tacInput* input = ply->input;
    if (ply->elements == TAC_MAX_PLY_ELEMENT) {
        tac_input_fail(input, TAC_ERROR_LIMIT, "header: more than %d elements",
                       TAC_MAX_PLY_ELEMENT);
        return;
    }
    plyElement* element = &ply->element[ply->elements++];
    tac_input_skip_blank(input);
    int length = tac_input_word_length(input);
    snprintf(element->name, sizeof element->name, "%.*s", clip_length(length), input->at);
    element->kind = strcmp(element->name, "vertex") == 0 ? VERTEX
                    : strcmp(element->name, "face") == 0 ? FACE
                                                         : OTHER;
    element->line = input->line;
    input->at += length;
    tac_input_skip_blank(input);
    if (!tac_input_read_int(input, &element->count) || element->count < 0)
        fail_word(ply, "a number of elements (0 to 999999999)");
    tac_input_end_line(input, 0);
}

static scalarType read_type(plyFile* ply) {
    tac_input_skip_blank(ply->input);
    for (int i = 0; i < 16; ++i)
        if (tac_input_match_word(ply->input, scalar_names[i])) return (scalarType)(i % 8);
    fail_word(ply, "a type: char, uchar, short, ushort, int, uint, float, double");
    return UINT8;
}

static int find_role(plyFile* ply, const plyElement* element, int is_list) {
    static const char* const roles[] = {"x", "y", "z", "nx", "ny", "nz"};
    tacInput* input = ply->input;
    tac_input_skip_blank(input);
    if (element->kind == VERTEX && !is_list)
        for (int i = 0; i < 6; ++i)
            if (tac_input_match_word(input, roles[i])) return i;
    if (element->kind == FACE && is_list &&
        (tac_input_match_word(input, "vertex_indices") ||
         tac_input_match_word(input, "vertex_index")))
        return ROLE_INDICES;
    input->at += tac_input_word_length(input);
    return ROLE_NONE;
}

static void read_property(plyFile* ply) {
    tacInput* input = ply->input;
    plyElement* element = ply->elements ? &ply->element[ply->elements - 1] : NULL;
    if (!element || element->properties == TAC_MAX_PLY_PROPERTY) {
        tac_input_fail(input, element ? TAC_ERROR_LIMIT : TAC_ERROR_SYNTAX,
                       element ? "header: more than %d properties of one element"
                               : "header: a property before the first of the (at most %d) elements",
                       element ? TAC_MAX_PLY_PROPERTY : TAC_MAX_PLY_ELEMENT);
        return;
    }
    plyProperty* property = &element->property[element->properties++];
    tac_input_skip_blank(input);
    property->is_list = tac_input_match_word(input, "list");
    if (property->is_list) property->count_type = read_type(ply);
    if (property->count_type >= FLOAT32)
        tac_input_fail(input, TAC_ERROR_VALUE,
                       "header: the length of a list needs an integer type");
    property->type = read_type(ply);
    property->role = find_role(ply, element, property->is_list);
    if (property->role != ROLE_NONE && element->roles & 1u << property->role)
        tac_input_fail(input, TAC_ERROR_SYNTAX, "header: this property is given twice");
    if (property->role != ROLE_NONE) element->roles |= 1u << property->role;
    tac_input_end_line(input, 0);
}

// one line of the header; 0 at its end
static int read_header_line(plyFile* ply) {
    tacInput* input = ply->input;
    tac_input_skip_blank(input);
    if (tac_input_match_word(input, "end_header")) {
        tac_input_skip_line(input);
        return 0;
    }
    if (tac_input_match_word(input, "format"))
        read_format(ply);
    else if (tac_input_match_word(input, "element"))
        read_element(ply);
    else if (tac_input_match_word(input, "property"))
        read_property(ply);
    else if (tac_input_match_word(input, "comment") || tac_input_match_word(input, "obj_info") ||
             *input->at == '\n')
        tac_input_skip_line(input);
    else if (input->at >= input->end)
        tac_input_fail(input, TAC_ERROR_SYNTAX, "the header does not end; is the file truncated?");
    else
        fail_word(ply, "a line of a PLY header: format, element, property, comment, end_header");
    return input->result == TAC_OK;
}

static void check_header(plyFile* ply) {
    tacInput* input = ply->input;
    int has_vertex = 0;
    if (ply->format == NO_FORMAT)
        tac_input_fail(input, TAC_ERROR_SYNTAX, "header: the line 'format ascii 1.0' is missing");
    for (int i = 0; i < ply->elements; ++i) {
        const plyElement* element = &ply->element[i];
        if (element->kind == VERTEX && ((element->roles & 7) != 7 || has_vertex))
            tac_input_fail(input, TAC_ERROR_VALUE, "header: %s",
                           has_vertex ? "two elements 'vertex'"
                                      : "element 'vertex' needs the properties x, y and z");
        has_vertex |= element->kind == VERTEX;
    }
    if (!has_vertex)
        tac_input_fail(input, TAC_ERROR_VALUE, "header: the element 'vertex' is missing");
}

//---------------------------------- one value ------------------------------------

// how a value is used; normals of tiny faces are "nan" in some files
enum { NOT_USED, MUST_BE_FINITE, MAY_BE_NAN };

// the bytes of a value, in the order of little-endian machines
static uint64_t read_bits(const char* at, int size, int big) {
    uint64_t bits = 0;
    for (int i = 0; i < size; ++i)
        bits |= (uint64_t)(unsigned char)at[i] << 8 * (big ? size - 1 - i : i);
    return bits;
}

static double decode(uint64_t bits, scalarType type) {
    uint32_t half = (uint32_t)bits;
    float single;
    double value;
    switch (type) {
    case INT8:
        return (int8_t)half;
    case UINT8:
        return (uint8_t)half;
    case INT16:
        return (int16_t)half;
    case UINT16:
        return (uint16_t)half;
    case INT32:
        return (int32_t)half;
    case UINT32:
        return half;
    case FLOAT32:
        memcpy(&single, &half, sizeof single);
        return single;
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

static void fail_value(plyFile* ply, tacResult result, const char* what) {
    tacInput* input = ply->input;
    if (ply->format == ASCII)
        tac_input_fail(input, result, "%s %d (from 0): %s", ply->current->name, ply->item, what);
    else
        tac_input_fail(input, result, "%s %d (from 0), byte %zu: %s", ply->current->name, ply->item,
                       (size_t)(input->at - input->text), what);
}

static double read_text_value(plyFile* ply, int used) {
    tacInput* input = ply->input;
    tac_input_skip_space(input, 0);
    int length = tac_input_word_length(input);
    if (length == 0)
        fail_value(ply, TAC_ERROR_SYNTAX, "a value is missing; is the file truncated?");
    if (used == MAY_BE_NAN && tac_input_match_nan(input)) return NAN;
    if (used) return tac_input_read_number(input, "value of a property");
    input->at += length;
    return 0.0;
}

// the next value; unused ones are skipped
static double read_value(plyFile* ply, scalarType type, int used) {
    tacInput* input = ply->input;
    if (input->result != TAC_OK) return 0.0;
    if (ply->format == ASCII) return read_text_value(ply, used);
    int size = scalar_size[type];
    if (input->end - input->at < size) {
        fail_value(ply, TAC_ERROR_SYNTAX, "the file ends here; it is truncated");
        return 0.0;
    }
    double value = used ? decode(read_bits(input->at, size, ply->format == BIG), type) : 0.0;
    if (used == MAY_BE_NAN && !isfinite(value)) value = NAN;
    if (!(fabs(value) <= TAC_MAX_MESH_COORD) && !(used == MAY_BE_NAN && isnan(value)))
        fail_value(ply, TAC_ERROR_VALUE, "a value is not finite or above 1e12");
    input->at += size;
    return input->result == TAC_OK ? value : 0.0;
}

//---------------------------------- data -----------------------------------------

static void read_indices(plyFile* ply, const plyProperty* property, int count) {
    if (count < 3) fail_value(ply, TAC_ERROR_VALUE, "a face has fewer than three vertices");
    tac_soup_builder_face(ply->builder);
    for (int i = 0; i < count && ply->input->result == TAC_OK; ++i) {
        double index = read_value(ply, property->type, MUST_BE_FINITE);
        if (index != floor(index) || index < 0.0 || index >= TAC_MAX_MESH_ITEMS)
            fail_value(ply, TAC_ERROR_VALUE,
                       "a vertex index is negative, too large or not an integer");
        else
            tac_soup_builder_corner(ply->builder, (int)index);
    }
}

static void read_list(plyFile* ply, const plyProperty* property) {
    double count = read_value(ply, property->count_type, MUST_BE_FINITE);
    if (count < 0.0 || count != floor(count) || count > TAC_MAX_MESH_ITEMS) {
        fail_value(ply, TAC_ERROR_VALUE,
                   "the length of a list is negative, too large or not an integer");
        return;
    }
    if (ply->input->result != TAC_OK) return;
    if (property->role == ROLE_INDICES)
        read_indices(ply, property, (int)count);
    else
        for (int i = 0; i < (int)count && ply->input->result == TAC_OK; ++i)
            read_value(ply, property->type, NOT_USED);
}

static void read_item(plyFile* ply, const plyElement* element) {
    double value[6] = {0};
    for (int p = 0; p < element->properties; ++p) {
        const plyProperty* property = &element->property[p];
        if (property->is_list)
            read_list(ply, property);
        else if (property->role < 6)
            value[property->role] =
                read_value(ply, property->type, property->role < 3 ? MUST_BE_FINITE : MAY_BE_NAN);
        else
            read_value(ply, property->type, NOT_USED);
    }
    if (element->kind != VERTEX) return;
    tac_soup_builder_vertex(ply->builder, value);
    if (isnan(value[3] + value[4] + value[5])) value[3] = value[4] = value[5] = 0.0;
    if ((element->roles & 070) == 070) tac_soup_builder_normal(ply->builder, value + 3);
}

// a number of elements that the rest of the file cannot contain is refused at once
static void check_remaining(plyFile* ply, const plyElement* element) {
    tacInput* input = ply->input;
    long long each = 0, remaining = input->end - input->at;
    for (int p = 0; p < element->properties; ++p) {
        const plyProperty* property = &element->property[p];
        each += ply->format == ASCII
                    ? 2
                    : scalar_size[property->is_list ? property->count_type : property->type];
    }
    if (each * element->count <= remaining + 1) return;
    if (ply->format != ASCII) input->line = 0;
    tac_input_fail(input, TAC_ERROR_SYNTAX,
                   "byte %zu: %d elements '%s' need at least %lld bytes, but %lld are left; the "
                   "file is truncated",
                   (size_t)(input->at - input->text), element->count, element->name,
                   each * element->count, remaining);
}

static void read_data(plyFile* ply) {
    tacInput* input = ply->input;
    if (ply->format != ASCII) input->line = 0;
    for (int e = 0; e < ply->elements; ++e) {
        const plyElement* element = &ply->element[e];
        check_remaining(ply, element);
        ply->current = element;
        int count = element->properties ? element->count : 0;
        for (ply->item = 0; ply->item < count && input->result == TAC_OK; ++ply->item)
            read_item(ply, element);
    }
}

static void read_file(plyFile* ply) {
    while (read_header_line(ply)) {}
    check_header(ply);
    if (ply->input->result == TAC_OK) read_data(ply);
}

void tac_read_ply(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    if (!tac_is_ply(input)) {
        tac_input_fail(input, TAC_ERROR_SYNTAX, "a PLY file starts with the line 'ply'");
        return;
    }
    plyFile* ply = input->allocator.allocate(input->allocator.user, sizeof *ply);
    if (!ply) {
        tac_input_fail(input, TAC_ERROR_MEMORY, "out of memory");
        return;
    }
    memset(ply, 0, sizeof *ply);
    ply->builder = builder;
    ply->input = input;
    tac_input_skip_line(input);
    read_file(ply);
    input->allocator.release(input->allocator.user, ply);
}
