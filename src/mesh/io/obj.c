// Wavefront OBJ: v, vn and f; the rest (textures, materials, groups, lines, curves) is skipped.

#include "mesh/io/soup_builder.h"

// A vertex may be followed by a weight or by a colour: numbers that are not used.
static void read_vertex(tacSoupBuilder* builder) {
    double position[3];
    for (int k = 0; k < 3; ++k)
        position[k] = tac_input_read_number(&builder->input, "coordinate of a vertex");
    tac_soup_builder_vertex(builder, position);
    tac_input_skip_line(&builder->input);
}

// some programs write "nan" for the normals of tiny faces: they become 0, which means
// none
static void read_normal(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    double normal[3], none[3] = {0};
    int given = 1;
    for (int k = 0; k < 3; ++k)
        if (tac_input_match_nan(input))
            given = 0;
        else
            normal[k] = tac_input_read_number(input, "coordinate of a normal");
    tac_soup_builder_normal(builder, given ? normal : none);
    tac_input_end_line(input, '#');
}

// 1 is the first, -1 the newest; -1 if the index is 0 or reaches before the first
static int from_zero(int index, int count) {
    return index > 0 ? index - 1 : index < 0 && index + count >= 0 ? index + count : -1;
}

static void fail_corner(tacSoupBuilder* builder, const char* start) {
    tacInput* input = &builder->input;
    input->at = start;
    int length = tac_input_word_length(input);
    tac_input_fail(input, TAC_ERROR_SYNTAX,
                   "'%.*s' is not a corner of a face; write v, v/t, v//n or v/t/n with indices "
                   "from 1, or from -1 backwards",
                   length > 30 ? 30 : length, start);
}

// v, v/, v/t, v//n or v/t/n; 1 if it was one
static int take_corner(tacInput* input, int* vertex, int* normal) {
    int texture;
    *normal = 0;
    if (!tac_input_read_int(input, vertex)) return 0;
    if (*input->at == '/') {
        ++input->at;
        tac_input_read_int(input, &texture);
        if (*input->at == '/') {
            ++input->at;
            tac_input_read_int(input, normal);
        }
    }
    char next = *input->at;
    return next == 0 || next == '\n' || next == ' ' || next == '\t' || next == '\r' ||
           next == '\\' || next == '#';
}

static void read_corner(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    const char* start = input->at;
    int vertex, normal;
    if (!take_corner(input, &vertex, &normal)) {
        fail_corner(builder, start);
        return;
    }
    int v = from_zero(vertex, builder->vertex.count);
    int n = from_zero(normal, builder->normal.count);
    if (v < 0 || (normal != 0 && n < 0)) {
        fail_corner(builder, start);
        return;
    }
    tac_soup_builder_corner(builder, v);
    int* slot = tac_array_add(input, &builder->corner_normal, sizeof(int), 1);
    if (slot) *slot = n;
}

static void read_face(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    int before = builder->corner.count;
    tac_soup_builder_face(builder);
    for (;;) {
        tac_input_skip_blank(input);
        if (input->result != TAC_OK || tac_input_word_length(input) == 0 || *input->at == '#')
            break;
        read_corner(builder);
    }
    int corners = builder->corner.count - before;
    if (corners < 3)
        tac_input_fail(input, TAC_ERROR_SYNTAX, "a face has %d vertices; it needs three", corners);
    tac_input_end_line(input, '#');
}

// lines that are not used may be continued as well
static void pass_over(tacInput* input) {
    for (;;) {
        const char* start = input->at;
        tac_input_skip_line(input);
        const char* last = input->at - 1;
        while (last > start && (*last == '\n' || *last == '\r')) --last;
        if (*last != '\\' || input->at >= input->end) return;
    }
}

void tac_read_obj(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    while (input->result == TAC_OK) {
        tac_input_skip_space(input, '#');
        if (input->at >= input->end) return;
        if (tac_input_match_word(input, "v"))
            read_vertex(builder);
        else if (tac_input_match_word(input, "vn"))
            read_normal(builder);
        else if (tac_input_match_word(input, "f"))
            read_face(builder);
        else if (*input->at == 0)
            tac_input_fail(input, TAC_ERROR_SYNTAX, "the text contains a byte 0");
        else
            pass_over(input);
    }
}
