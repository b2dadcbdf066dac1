// OFF: "OFF", counts of vertices, faces and edges, then "x y z" of each vertex and "n v1 ... vn" of
// each face, from 0; # starts a comment.
//
// Letters before OFF tell what else a vertex has: N a normal, C a colour, ST a place in a texture.
// Colours end their line, also those of faces, and are skipped. Some programs write the counts
// right behind the word.

#include "mesh/io/soup_builder.h"

#include <string.h>
#include <strings.h>

// what a vertex has besides its position
typedef struct offHeader {
    int has_normals, has_more; // more: colours and textures, up to the end of the line
    int vertices, faces;
} offHeader;

static int match_letters(tacInput* input, const char* letters) {
    size_t length = strlen(letters);
    if (strncasecmp(input->at, letters, length) != 0) return 0;
    input->at += length;
    return 1;
}

static int read_count(tacInput* input, const char* what) {
    int count = 0;
    tac_input_skip_space(input, '#');
    if (!tac_input_read_int(input, &count) || count < 0)
        tac_input_fail(input, TAC_ERROR_SYNTAX,
                       "the number of %s is missing: an OFF file starts with OFF and three counts",
                       what);
    return count;
}

static offHeader read_header(tacInput* input) {
    offHeader header = {0};
    tac_input_skip_space(input, '#');
    header.has_more |= match_letters(input, "ST");
    header.has_more |= match_letters(input, "C");
    header.has_normals = match_letters(input, "N");
    if (*input->at == '4' || *input->at == 'n')
        tac_input_fail(input, TAC_ERROR_UNSUPPORTED,
                       "this OFF file has points of other than three coordinates; export it with "
                       "three");
    else if (!match_letters(input, "OFF"))
        tac_input_fail(input, TAC_ERROR_SYNTAX, "an OFF file starts with the word OFF");
    tac_input_skip_blank(input);
    if (tac_input_match_word(input, "BINARY"))
        tac_input_fail(input, TAC_ERROR_UNSUPPORTED,
                       "binary OFF files are not supported; export it as text, or as .ply");
    header.vertices = read_count(input, "vertices");
    header.faces = read_count(input, "faces");
    read_count(input, "edges");
    return header;
}

static void read_three(tacInput* input, const char* what, double out[3]) {
    for (int k = 0; k < 3; ++k) {
        tac_input_skip_space(input, '#');
        out[k] = tac_input_read_number(input, what);
    }
}

static void read_vertex(tacSoupBuilder* builder, offHeader header) {
    tacInput* input = &builder->input;
    double position[3], normal[3];
    read_three(input, "coordinate of a vertex", position);
    if (input->result != TAC_OK) return;
    tac_soup_builder_vertex(builder, position);
    if (header.has_normals) {
        read_three(input, "coordinate of a normal", normal);
        if (input->result == TAC_OK) tac_soup_builder_normal(builder, normal);
    }
    if (header.has_more && input->result == TAC_OK) tac_input_skip_line(input);
}

static void read_face(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    int corners = 0;
    tac_input_skip_space(input, '#');
    if (!tac_input_read_int(input, &corners) || corners < 1) {
        tac_input_fail(input, TAC_ERROR_SYNTAX, "a face starts with the number of its vertices%s",
                       input->at >= input->end ? ": the file ends here; is it truncated?" : "");
        return;
    }
    tac_soup_builder_face(builder);
    for (int i = 0; i < corners && input->result == TAC_OK; ++i) {
        int vertex = -1;
        tac_input_skip_blank(input);
        if (!tac_input_read_int(input, &vertex) || vertex < 0)
            tac_input_fail(input, TAC_ERROR_SYNTAX,
                           "this face has %d vertices, but vertex %d (from 0) is no index", corners,
                           i);
        else
            tac_soup_builder_corner(builder, vertex);
    }
    if (input->result == TAC_OK) tac_input_skip_line(input);
}

int tac_is_off(const tacInput* input) {
    return strncmp(input->text, "OFF", 3) == 0 || strncmp(input->text, "COFF", 4) == 0 ||
           strncmp(input->text, "NOFF", 4) == 0;
}

void tac_read_off(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    offHeader header = read_header(input);
    for (int i = 0; i < header.vertices && input->result == TAC_OK; ++i)
        read_vertex(builder, header);
    for (int i = 0; i < header.faces && input->result == TAC_OK; ++i) read_face(builder);
}
