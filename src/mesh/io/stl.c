// STL: triangles without shared vertices, so equal positions are welded into one vertex.
//
//   binary   80 bytes of anything, number of triangles, then 50 bytes each
//   ASCII    solid, facet normal, outer loop, vertex (3 times), endloop, endfacet, endsolid
//
// Binary files may start with "solid" as well: a length that fits the number decides.

#include "mesh/io/soup_builder.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

enum { HEAD = 84, TRIANGLE = 50 };

//---------------------------------- which ----------------------------------------

static uint32_t read_u32(const char* at) {
    const unsigned char* b = (const unsigned char*)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static float read_f32(const char* at) {
    uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t bytes_of(const tacInput* input) { return (size_t)(input->end - input->text); }

// what a binary file of its number of triangles would take; 0 if it has no number
static uint64_t wanted(const tacInput* input) {
    if (bytes_of(input) < HEAD) return 0;
    return HEAD + TRIANGLE * (uint64_t)read_u32(input->text + HEAD - 4);
}

static int starts_solid(const tacInput* input) {
    const char* at = input->text;
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') ++at;
    return strncasecmp(at, "solid", 5) == 0;
}

// text has no byte 0 near its start; a binary header almost always has one
static int is_text(const tacInput* input) {
    size_t size = bytes_of(input);
    return starts_solid(input) && wanted(input) != size &&
           !memchr(input->text, 0, size < 256 ? size : 256);
}

int tac_is_stl(const tacInput* input) {
    return starts_solid(input) || (wanted(input) > HEAD && wanted(input) == bytes_of(input));
}

//---------------------------------- binary ---------------------------------------

static void fail_coordinate(tacInput* input, uint32_t triangle, const char* at, double value) {
    tac_input_fail(input, TAC_ERROR_VALUE,
                   "triangle %u (from 0), byte %zu: the coordinate %g is not finite or above %g",
                   triangle, (size_t)(at - input->text), value, TAC_MAX_MESH_COORD);
}

static void read_triangle(tacSoupBuilder* builder, uint32_t triangle) {
    tacInput* input = &builder->input;
    const char* at = input->text + HEAD + (size_t)TRIANGLE * triangle + 12; // after the normal
    tac_soup_builder_face(builder);
    for (int v = 0; v < 3; ++v, at += 12) {
        double position[3];
        for (int k = 0; k < 3; ++k) {
            position[k] = read_f32(at + 4 * k);
            if (!(fabs(position[k]) <= TAC_MAX_MESH_COORD))
                fail_coordinate(input, triangle, at + 4 * k, position[k]);
        }
        tac_soup_builder_corner(builder, builder->vertex.count);
        tac_soup_builder_vertex(builder, position);
    }
}

static void read_binary(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    input->line = 0;
    if (bytes_of(input) < HEAD) {
        tac_input_fail(input, TAC_ERROR_SYNTAX,
                       "has %zu bytes; a binary STL file has at least %d, an ASCII one starts with "
                       "\"solid\"",
                       bytes_of(input), HEAD);
        return;
    }
    uint32_t count = read_u32(input->text + HEAD - 4);
    if (wanted(input) > bytes_of(input)) {
        tac_input_fail(input, TAC_ERROR_SYNTAX,
                       "byte 80 gives %u triangles, which need %llu bytes, but the file has %zu; "
                       "it is truncated or not an STL file",
                       count, (unsigned long long)wanted(input), bytes_of(input));
        return;
    }
    for (uint32_t i = 0; i < count && input->result == TAC_OK; ++i) read_triangle(builder, i);
}

//---------------------------------- text -----------------------------------------

static void expect(tacInput* input, const char* word) {
    if (input->result != TAC_OK) return;
    tac_input_skip_space(input, 0);
    if (tac_input_match_word(input, word)) return;
    int length = tac_input_word_length(input);
    tac_input_fail(input, TAC_ERROR_SYNTAX, "'%s' expected, found %s%.*s%s", word,
                   length ? "'" : "the end; is the file truncated?", length > 30 ? 30 : length,
                   input->at, length ? "'" : "");
}

// the normal is not used, and some programs write "nan" into those of tiny triangles
static void skip_normal(tacInput* input) {
    for (int k = 0; k < 3; ++k) {
        tac_input_skip_blank(input);
        input->at += tac_input_word_length(input);
    }
}

static void read_facet(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    expect(input, "normal");
    skip_normal(input);
    expect(input, "outer");
    expect(input, "loop");
    tac_soup_builder_face(builder);
    for (int v = 0; v < 3; ++v) {
        double position[3];
        expect(input, "vertex");
        for (int k = 0; k < 3; ++k)
            position[k] = tac_input_read_number(input, "coordinate of a vertex");
        tac_soup_builder_corner(builder, builder->vertex.count);
        tac_soup_builder_vertex(builder, position);
    }
    expect(input, "endloop");
    expect(input, "endfacet");
}

static void read_solid(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    expect(input, "solid");
    tac_input_skip_line(input); // with the name
    while (input->result == TAC_OK) {
        tac_input_skip_space(input, 0);
        if (tac_input_match_word(input, "endsolid")) {
            tac_input_skip_line(input);
            return;
        }
        expect(input, "facet");
        read_facet(builder);
    }
}

static void read_text(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    do {
        read_solid(builder);
        tac_input_skip_space(input, 0);
    } while (input->result == TAC_OK && input->at < input->end);
}

void tac_read_stl(tacSoupBuilder* builder) {
    if (is_text(&builder->input))
        read_text(builder);
    else
        read_binary(builder);
    tac_soup_builder_weld(builder);
}
