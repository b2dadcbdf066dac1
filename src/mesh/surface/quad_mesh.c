// Quads of a cube, mapped onto an ellipsoid, a capsule or a cylinder.
//
// Nodes of the cube are mapped one by one, so that cells of neighbouring sides meet in the same
// nodes. A capsule is a ball that is cut at its equator, with layers of cells in between.

#include "mesh/surface/quad_mesh.h"

#include "mesh/io/soup_builder.h"

#include <math.h>
#include <string.h>

#define QUARTER_PI 0.78539816339744831
#define PI         3.14159265358979324

typedef struct quadBox {
    tacSoupBuilder builder;
    tacQuadMesh quads;
    int cells[3]; // along each axis
    int layers;   // of a capsule: those between its halves
} quadBox;

//---------------------------------- nodes ----------------------------------------

// equal angles rather than equal lengths make cells of a ball similar
static void ball_direction(const double t[3], double u[3]) {
    double norm = 0.0;
    for (int k = 0; k < 3; ++k) {
        u[k] = tan(QUARTER_PI * t[k]);
        norm += u[k] * u[k];
    }
    for (int k = 0; k < 3; ++k) u[k] /= sqrt(norm);
}

// the square |s|, |t| <= 1 to the disc of radius 1: squares to circles, equal areas (Shirley and
// Chiu 1997)
static void disc_point(double s, double t, double x[2]) {
    double radius = fmax(fabs(s), fabs(t)), angle;
    if (!(radius > 0.0)) {
        x[0] = x[1] = 0.0;
        return;
    }
    if (fabs(s) >= fabs(t))
        angle = QUARTER_PI * t / s + (s < 0.0 ? PI : 0.0);
    else
        angle = (t < 0.0 ? -0.5 : 0.5) * PI - QUARTER_PI * s / t;
    x[0] = radius * cos(angle);
    x[1] = radius * sin(angle);
}

static void capsule_point(const quadBox* b, const int node[3], const double t[3], double x[3]) {
    int half = (b->cells[2] - b->layers) / 2, over = node[2] - half;
    double along = over <= 0 ? -1.0 : over >= b->layers ? 1.0 : 2.0 * over / b->layers - 1.0;
    int of_ball = over <= 0 ? node[2] : over >= b->layers ? node[2] - b->layers : half;
    double at[3] = {t[0], t[1], (double)of_ball / half - 1.0};
    ball_direction(at, x);
    for (int k = 0; k < 3; ++k) x[k] *= b->quads.size[0];
    x[2] += along * b->quads.size[1];
}

// a node of the lattice; equal nodes give equal bits, so that they can be welded
static void add_vertex(quadBox* b, const int node[3]) {
    const double* size = b->quads.size;
    double x[3], t[3];
    for (int k = 0; k < 3; ++k) t[k] = 2.0 * node[k] / b->cells[k] - 1.0;
    switch (b->quads.kind) {
    case TAC_QUADS_BOX:
        for (int k = 0; k < 3; ++k) x[k] = size[k] * t[k];
        break;
    case TAC_QUADS_ELLIPSOID:
        ball_direction(t, x);
        for (int k = 0; k < 3; ++k) x[k] *= size[k];
        break;
    case TAC_QUADS_CAPSULE:
        capsule_point(b, node, t, x);
        break;
    default: // a cylinder
        disc_point(t[0], t[1], x);
        x[0] *= size[0];
        x[1] *= size[0];
        x[2] = size[1] * t[2];
        break;
    }
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

//---------------------------------- sizes ----------------------------------------

double tac_quad_mesh_area(const tacQuadMesh* quads) {
    const double* s = quads->size;
    switch (quads->kind) {
    case TAC_QUADS_BOX:
        return 8.0 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]);
    case TAC_QUADS_ELLIPSOID: {
        const double p = 1.6075;
        double a = pow(s[0], p), b = pow(s[1], p), c = pow(s[2], p);
        return 4.0 * PI * pow((a * b + b * c + c * a) / 3.0, 1.0 / p);
    }
    case TAC_QUADS_CAPSULE:
        return 4.0 * PI * s[0] * (s[0] + s[1]);
    default:
        return 2.0 * PI * s[0] * (s[0] + 2.0 * s[1]);
    }
}

static int count_of(double length, double side) {
    double cells = length / side;
    return cells > 1.0 ? (int)lround(cells) : 1;
}

static void count_cells(quadBox* b) {
    const double* s = b->quads.size;
    double side = sqrt(tac_quad_mesh_area(&b->quads) / b->quads.faces);
    int round = count_of(0.5 * PI * s[0], side); // cells of a quarter of the circumference
    switch (b->quads.kind) {
    case TAC_QUADS_BOX:
        for (int k = 0; k < 3; ++k) b->cells[k] = count_of(2.0 * s[k], side);
        break;
    case TAC_QUADS_ELLIPSOID: // of a ball sqrt(faces/6)
        for (int k = 0; k < 3; ++k) b->cells[k] = count_of(1.4472025 * s[k], side);
        break;
    case TAC_QUADS_CAPSULE: // of an even number of cells half is above the equator
        round = 2 * count_of(0.5 * 1.4472025 * s[0], side);
        b->layers = s[1] > 0.0 ? count_of(2.0 * s[1], side) : 0;
        b->cells[0] = b->cells[1] = round;
        b->cells[2] = round + b->layers;
        break;
    default:
        b->cells[0] = b->cells[1] = round;
        b->cells[2] = count_of(2.0 * s[1], side);
        break;
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

//---------------------------------- centres --------------------------------------

static void normalize(double n[3]) {
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3 && length > 0.0; ++k) n[k] /= length;
}

void tac_quad_mesh_project(const tacQuadMesh* quads, double centre[3], double normal[3]) {
    const double* s = quads->size;
    if (quads->kind == TAC_QUADS_ELLIPSOID) {
        double u[3] = {centre[0] / s[0], centre[1] / s[1], centre[2] / s[2]};
        normalize(u);
        for (int k = 0; k < 3; ++k) {
            centre[k] = s[k] * u[k];
            normal[k] = u[k] / s[k];
        }
        normalize(normal);
    }
    if (quads->kind == TAC_QUADS_CAPSULE) {
        double axis = fmin(fmax(centre[2], -s[1]), s[1]);
        double u[3] = {centre[0], centre[1], centre[2] - axis};
        normalize(u);
        for (int k = 0; k < 3; ++k) centre[k] = s[0] * u[k];
        centre[2] += axis;
        memcpy(normal, u, sizeof u);
    }
    if (quads->kind == TAC_QUADS_CYLINDER && fabs(normal[2]) < 0.5) {
        double u[3] = {centre[0], centre[1], 0.0};
        normalize(u);
        centre[0] = s[0] * u[0];
        centre[1] = s[0] * u[1];
        memcpy(normal, u, sizeof u);
    }
}
