// Quads on the faces of a box, or projected to a ball.

#include "mesh/surface/quad_mesh.h"

#include "mesh/io/soup_builder.h"

#include <math.h>

typedef struct quadBox {
    tacSoupBuilder builder;
    tacQuadMesh quads;
    int cells[3]; // along each axis
} quadBox;

// a node of the lattice; equal nodes give equal bits, so that they can be welded
static void add_vertex(quadBox* b, const int node[3]) {
    double x[3], norm = 0.0;
    for (int k = 0; k < 3; ++k) {
        double t = 2.0 * node[k] / b->cells[k] - 1.0;
        // equal angles rather than equal lengths make cells of a ball similar
        x[k] = b->quads.is_ball ? tan(0.78539816339744831 * t) : b->quads.half[k] * t;
        norm += x[k] * x[k];
    }
    for (int k = 0; k < 3 && b->quads.is_ball; ++k) x[k] *= b->quads.half[0] / sqrt(norm);
    tac_soup_builder_vertex(&b->builder, x);
}

// cell (i, j) of the side at the lower or upper end of an axis
static void add_face(quadBox* b, int axis, int end, int i, int j) {
    static const int square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int first = b->builder.vertex.count;
    for (int k = 0; k < 4; ++k) {
        const int* s = square[end ? k : 3 - k];
        int node[3];
        node[axis] = end * b->cells[axis];
        node[(axis + 1) % 3] = i + s[0];
        node[(axis + 2) % 3] = j + s[1];
        add_vertex(b, node);
    }
    tac_soup_builder_face(&b->builder);
    for (int k = 0; k < 4; ++k) tac_soup_builder_corner(&b->builder, first + k);
}

static void count_cells(quadBox* b) {
    const double* h = b->quads.half;
    double area = 8.0 * (h[0] * h[1] + h[1] * h[2] + h[2] * h[0]), faces = b->quads.faces;
    double side = sqrt(area / faces);
    for (int k = 0; k < 3; ++k) {
        double cells = b->quads.is_ball ? sqrt(faces / 6.0) : 2.0 * h[k] / side;
        b->cells[k] = cells > 1.0 ? (int)lround(cells) : 1;
    }
}

tacSoup* tac_quad_mesh_create(tacQuadMesh quads, tacAllocator allocator) {
    quadBox b = {.builder = {.input = {.file = "", .allocator = allocator}}, .quads = quads};
    count_cells(&b);
    for (int axis = 0; axis < 3; ++axis)
        for (int end = 0; end < 2; ++end)
            for (int i = 0; i < b.cells[(axis + 1) % 3]; ++i)
                for (int j = 0; j < b.cells[(axis + 2) % 3]; ++j) add_face(&b, axis, end, i, j);
    tac_soup_builder_weld(&b.builder);
    return tac_soup_builder_finish(&b.builder);
}
