// XYZ: one point per line, "x y z" or "x y z nx ny nz", separated by spaces or commas; # starts a
// comment.

#include "mesh/io/soup_builder.h"

static void skip_separator(tacInput* input) {
    tac_input_skip_blank(input);
    if (*input->at == ',') ++input->at;
    tac_input_skip_blank(input);
}

static void read_position(tacInput* input, double out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = tac_input_read_number(input, "coordinate of a point");
        skip_separator(input);
    }
}

// "nan" anywhere makes it 0, which means no normal
static void read_normal(tacInput* input, double out[3]) {
    int given = 1;
    for (int k = 0; k < 3; ++k) {
        if (tac_input_match_nan(input))
            given = 0;
        else
            out[k] = tac_input_read_number(input, "coordinate of a normal");
        skip_separator(input);
    }
    for (int k = 0; k < 3 && !given; ++k) out[k] = 0.0;
}

static void read_point(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    double position[3], normal[3];
    read_position(input, position);
    int more = tac_input_word_length(input) > 0 && *input->at != '#';
    if (more) read_normal(input, normal);
    if (input->result != TAC_OK) return;

    if (more != (builder->normal.count > 0) && builder->vertex.count > 0)
        tac_input_fail(
            input, TAC_ERROR_SYNTAX,
            "this point has %s normal, the points before %s; give six numbers for all points",
            more ? "a" : "no", more ? "none" : "have one");
    tac_soup_builder_vertex(builder, position);
    if (more) tac_soup_builder_normal(builder, normal);
    tac_input_end_line(input, '#');
}

void tac_read_xyz(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    while (input->result == TAC_OK) {
        tac_input_skip_space(input, '#');
        if (input->at >= input->end) return;
        read_point(builder);
    }
}
