// MSH, MuJoCo's binary format: four counts (vertices, normals, texture places, faces) as 32-bit
// integers, then as 32-bit floats three numbers of each vertex and normal and two of each texture
// place, then three vertices of each face, from 0, as integers. All little-endian.
//
// Normals and texture places are skipped. A file without faces is a set of points.

#include "mesh/io/soup_builder.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { HEAD = 16, NUMBER = 4 };

typedef struct mshCounts {
    uint32_t vertices, normals, texcoords, faces;
} mshCounts;

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

static uint64_t bytes_of_msh(mshCounts n) {
    uint64_t numbers = 3 * (uint64_t)n.vertices + 3 * (uint64_t)n.normals +
                       2 * (uint64_t)n.texcoords + 3 * (uint64_t)n.faces;
    return HEAD + NUMBER * numbers;
}

// the length of the file must be that of its counts, so that no index can point beyond it
static mshCounts read_counts(tacInput* input) {
    size_t size = (size_t)(input->end - input->text);
    const char* at = input->text;
    mshCounts n = {0};
    input->line = 0;
    if (size >= HEAD)
        n = (mshCounts){read_u32(at), read_u32(at + 4), read_u32(at + 8), read_u32(at + 12)};
    if (size < HEAD)
        tac_input_fail(input, TAC_ERROR_SYNTAX,
                       "an MSH file starts with four counts, 16 bytes; it has %zu", size);
    else if (n.vertices > INT_MAX || n.faces > INT_MAX || bytes_of_msh(n) != size)
        tac_input_fail(input, TAC_ERROR_SYNTAX,
                       "%u vertices, %u normals, %u texture places and %u faces take %llu bytes, "
                       "the file has %zu; export it again, or as .obj or .stl",
                       n.vertices, n.normals, n.texcoords, n.faces,
                       (unsigned long long)bytes_of_msh(n), size);
    return n;
}

static void read_vertex(tacSoupBuilder* builder, const char* at, uint32_t vertex) {
    double position[3];
    for (int k = 0; k < 3; ++k) {
        position[k] = read_f32(at + NUMBER * k);
        if (!(fabs(position[k]) <= TAC_MAX_MESH_COORD))
            tac_input_fail(&builder->input, TAC_ERROR_VALUE,
                           "vertex %u (from 0): the coordinate %g is not finite or above %g",
                           vertex, position[k], TAC_MAX_MESH_COORD);
    }
    tac_soup_builder_vertex(builder, position);
}

static void read_face(tacSoupBuilder* builder, const char* at, uint32_t face, uint32_t vertices) {
    tac_soup_builder_face(builder);
    for (int k = 0; k < 3; ++k) {
        uint32_t vertex = read_u32(at + NUMBER * k);
        if (vertex >= vertices)
            tac_input_fail(&builder->input, TAC_ERROR_VALUE,
                           "face %u (from 0) has the vertex %u, there are %u", face, vertex,
                           vertices);
        tac_soup_builder_corner(builder, vertex < vertices ? (int)vertex : 0);
    }
}

void tac_read_msh(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    mshCounts n = read_counts(input);
    if (input->result != TAC_OK) return;
    const char* vertex = input->text + HEAD;
    const char* face = input->text + bytes_of_msh(n) - (size_t)3 * NUMBER * n.faces;
    for (uint32_t i = 0; i < n.vertices && input->result == TAC_OK; ++i)
        read_vertex(builder, vertex + (size_t)3 * NUMBER * i, i);
    for (uint32_t i = 0; i < n.faces && input->result == TAC_OK; ++i)
        read_face(builder, face + (size_t)3 * NUMBER * i, i, n.vertices);
}
