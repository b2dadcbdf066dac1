// From the contents of a file to a soup: welding, clean faces, normals of vertices, triangles.

#include "mesh/io/soup_builder.h"

#include "mesh/io/triangulate.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

//---------------------------------- adding ---------------------------------------

static void add_int(tacSoupBuilder* builder, tacArray* array, int value) {
    int* slot = tac_array_add(&builder->input, array, sizeof(int), 1);
    if (slot) *slot = value;
}

static void add_vector(tacSoupBuilder* builder, tacArray* array, const double v[3]) {
    double* slot = tac_array_add(&builder->input, array, 3 * sizeof(double), 1);
    if (slot) memcpy(slot, v, 3 * sizeof(double));
}

void tac_soup_builder_vertex(tacSoupBuilder* builder, const double position[3]) {
    add_vector(builder, &builder->vertex, position);
    if (builder->input.line) add_int(builder, &builder->vertex_line, builder->input.line);
}

void tac_soup_builder_normal(tacSoupBuilder* builder, const double normal[3]) {
    add_vector(builder, &builder->normal, normal);
}

void tac_soup_builder_face(tacSoupBuilder* builder) {
    add_int(builder, &builder->first, builder->corner.count);
    if (builder->input.line) add_int(builder, &builder->face_line, builder->input.line);
}

void tac_soup_builder_corner(tacSoupBuilder* builder, int vertex) {
    add_int(builder, &builder->corner, vertex);
}

//---------------------------------- welding --------------------------------------

static uint64_t hash_position(const double p[3]) {
    uint64_t hash = 0x9e3779b97f4a7c15ull, bits;
    for (int k = 0; k < 3; ++k) {
        memcpy(&bits, &p[k], sizeof bits);
        hash = (hash ^ bits) * 0xff51afd7ed558ccdull;
        hash ^= hash >> 32;
    }
    return hash;
}

// merges vertices at the same position; `map` gets the new index, `table` is a hash table of
// indices from 1
static int weld_vertices(tacSoupBuilder* builder, int* map, int* table, size_t mask) {
    double* vertex = builder->vertex.items;
    int* line = builder->vertex_line.items;
    int kept = 0;
    for (int i = 0; i < builder->vertex.count; ++i) {
        double p[3];
        for (int k = 0; k < 3; ++k) p[k] = vertex[3 * (size_t)i + k] + 0.0; // -0 becomes 0
        size_t slot = (size_t)hash_position(p) & mask;
        while (table[slot] && memcmp(p, vertex + 3 * (size_t)(table[slot] - 1), sizeof p) != 0)
            slot = (slot + 1) & mask;
        if (!table[slot]) {
            memcpy(vertex + 3 * (size_t)kept, p, sizeof p);
            if (line) line[kept] = line[i];
            table[slot] = ++kept;
        }
        map[i] = table[slot] - 1;
    }
    return kept;
}

void tac_soup_builder_weld(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    int count = builder->vertex.count, capacity = 64;
    while (capacity < 2 * count && capacity < 1 << 26) capacity *= 2; // TAC_MAX_MESH_ITEMS fits
    tacArray map = {0}, table = {0};
    int* to = tac_array_add(input, &map, sizeof(int), count);
    int* slots =
        to ? input->allocator.allocate(input->allocator.user, sizeof(int) * (size_t)capacity)
           : NULL;
    if (to && !slots) tac_input_fail(input, TAC_ERROR_MEMORY, "out of memory");
    table.items = slots;
    if (slots) {
        memset(slots, 0, sizeof(int) * (size_t)capacity);
        builder->vertex.count = weld_vertices(builder, to, slots, (size_t)capacity - 1);
        if (builder->vertex_line.count) builder->vertex_line.count = builder->vertex.count;
        int* corner = builder->corner.items;
        for (int i = 0; i < builder->corner.count; ++i) corner[i] = to[corner[i]];
    }
    tac_array_free(input, &table);
    tac_array_free(input, &map);
}

//---------------------------------- clean faces ----------------------------------

static void fail_face(tacSoupBuilder* builder, int face, const char* what, int number) {
    const int* line = builder->face_line.items;
    builder->input.line = line ? line[face] : 0;
    tac_input_fail(&builder->input, TAC_ERROR_VALUE, "face %d (from 0) %s %d", face, what, number);
}

// moves the corners of one face to `to`, without repeated ones; how many are left
static int compact_face(tacSoupBuilder* builder, int from, int count, int to) {
    int *corner = builder->corner.items, *normal = builder->corner_normal.items;
    int left = 0;
    for (int i = from; i < from + count; ++i) {
        if (left && corner[to + left - 1] == corner[i]) continue;
        corner[to + left] = corner[i];
        if (normal) normal[to + left] = normal[i];
        ++left;
    }
    while (left > 1 && corner[to + left - 1] == corner[to]) --left;
    return left;
}

// checks indices, and drops faces that repeat vertices until fewer than three are left; how many
static int clean_faces(tacSoupBuilder* builder) {
    int *first = builder->first.items, *corner = builder->corner.items;
    int *line = builder->face_line.items, faces = builder->first.count, kept = 0, used = 0;
    for (int i = 0; i < faces && builder->input.result == TAC_OK; ++i) {
        int from = first[i], end = i + 1 < faces ? first[i + 1] : builder->corner.count;
        for (int c = from; c < end; ++c)
            if (corner[c] >= builder->vertex.count)
                fail_face(builder, i, "names a vertex that the file does not have: number (from 0)",
                          corner[c]);
        int left = compact_face(builder, from, end - from, used);
        if (left < 3) continue;
        first[kept] = used;
        if (line) line[kept] = line[i];
        ++kept;
        used += left;
    }
    builder->first.count = kept;
    builder->corner.count = used;
    if (line) builder->face_line.count = kept;
    if (builder->corner_normal.count) builder->corner_normal.count = used;
    return faces - kept;
}

//---------------------------------- repeated faces -------------------------------

// a face as a cycle that starts at its smallest vertex
typedef struct faceCycle {
    const int* corner;
    int count, start;
} faceCycle;

static faceCycle cycle_of(const tacSoupBuilder* builder, int face, int faces) {
    const int* first = builder->first.items;
    int end = face + 1 < faces ? first[face + 1] : builder->corner.count;
    faceCycle c = {(const int*)builder->corner.items + first[face], end - first[face], 0};
    for (int i = 1; i < c.count; ++i)
        if (c.corner[i] < c.corner[c.start]) c.start = i;
    return c;
}

static int cycle_corner(faceCycle c, int i) { return c.corner[(c.start + i) % c.count]; }

static size_t hash_cycle(faceCycle c) {
    uint64_t hash = 0x9e3779b97f4a7c15ull;
    for (int i = 0; i < c.count; ++i) {
        hash = (hash ^ (uint64_t)cycle_corner(c, i)) * 0xff51afd7ed558ccdull;
        hash ^= hash >> 32;
    }
    return (size_t)hash;
}

static int same_cycle(faceCycle a, faceCycle b) {
    if (a.count != b.count) return 0;
    for (int i = 0; i < a.count; ++i)
        if (cycle_corner(a, i) != cycle_corner(b, i)) return 0;
    return 1;
}

// is there an earlier face of the same cycle? `table` is a hash table of faces from 1
static int is_repeated(const tacSoupBuilder* builder, int face, int faces, int* table,
                       size_t mask) {
    faceCycle c = cycle_of(builder, face, faces);
    size_t slot = hash_cycle(c) & mask;
    for (; table[slot]; slot = (slot + 1) & mask)
        if (same_cycle(c, cycle_of(builder, table[slot] - 1, faces))) return 1;
    table[slot] = face + 1;
    return 0;
}

// moves the faces that are not marked together
static void remove_marked(tacSoupBuilder* builder, const char* marked) {
    int *first = builder->first.items, *corner = builder->corner.items;
    int *line = builder->face_line.items, *normal = builder->corner_normal.items;
    int faces = builder->first.count, total = builder->corner.count, kept = 0, used = 0;
    for (int i = 0; i < faces; ++i) {
        int from = first[i], end = i + 1 < faces ? first[i + 1] : total;
        if (marked[i]) continue;
        first[kept] = used;
        if (line) line[kept] = line[i];
        ++kept;
        for (int c = from; c < end; ++c, ++used) {
            corner[used] = corner[c];
            if (normal) normal[used] = normal[c];
        }
    }
    builder->first.count = kept;
    builder->corner.count = used;
    if (line) builder->face_line.count = kept;
    if (builder->corner_normal.count) builder->corner_normal.count = used;
}

// Scans and merged files have faces twice, which count twice in areas and volumes. How many are
// removed; faces that look the other way are another side and stay.
static int remove_repeated(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    int faces = builder->first.count, repeated = 0;
    size_t capacity = 64;
    while (capacity < 2 * (size_t)faces) capacity *= 2;
    if (input->result != TAC_OK || faces < 2) return 0;
    int* table = input->allocator.allocate(input->allocator.user, sizeof *table * capacity);
    char* marked = input->allocator.allocate(input->allocator.user, (size_t)faces);
    if (table && marked) {
        memset(table, 0, sizeof *table * capacity);
        for (int i = 0; i < faces; ++i) {
            marked[i] = (char)is_repeated(builder, i, faces, table, capacity - 1);
            repeated += marked[i];
        }
        if (repeated) remove_marked(builder, marked);
    } else {
        tac_input_fail(input, TAC_ERROR_MEMORY, "out of memory");
    }
    if (table) input->allocator.release(input->allocator.user, table);
    if (marked) input->allocator.release(input->allocator.user, marked);
    return repeated;
}

//---------------------------------- normals --------------------------------------

// The corners of a vertex may have several normals (a crease): the vertex gets the direction of
// their sum, each of them with length 1.
static void add_corner_normals(tacSoupBuilder* builder, double* sum, int* last) {
    const int *corner = builder->corner.items, *index = builder->corner_normal.items;
    const double* normal = builder->normal.items;
    for (int i = 0; i < builder->corner.count; ++i) {
        int v = corner[i], n = index[i];
        if (n < 0 || last[v] == n) continue; // faces share it
        last[v] = n;
        const double* from = normal + 3 * (size_t)n;
        double length = sqrt(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);
        for (int k = 0; k < 3; ++k) sum[3 * (size_t)v + k] += length > 0.0 ? from[k] / length : 0.0;
    }
}

static int scale_normals(double* sum, const int* last, int count) {
    for (int v = 0; v < count; ++v) {
        double* n = sum + 3 * (size_t)v;
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (last[v] < 0) return 0;
        for (int k = 0; k < 3 && length > 0.0; ++k) n[k] /= length;
    }
    return 1;
}

static void check_normal_indices(tacSoupBuilder* builder) {
    const int *index = builder->corner_normal.items, *first = builder->first.items;
    for (int f = 0, i = 0; f < builder->first.count; ++f) {
        int end = f + 1 < builder->first.count ? first[f + 1] : builder->corner.count;
        for (; i < end; ++i)
            if (index[i] >= builder->normal.count)
                fail_face(builder, f, "names a normal that the file does not have: number (from 0)",
                          index[i]);
    }
}

// replaces normals of corners by normals of vertices; no normals if a vertex has none
static void average_corner_normals(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    int count = builder->vertex.count;
    tacArray sums = {0}, lasts = {0};
    check_normal_indices(builder);
    double* sum = tac_array_add(input, &sums, 3 * sizeof(double), count);
    int* last = tac_array_add(input, &lasts, sizeof(int), count);
    if (last) {
        memset(sum, 0, 3 * sizeof(double) * (size_t)count);
        memset(last, -1, sizeof(int) * (size_t)count);
        add_corner_normals(builder, sum, last);
        if (!scale_normals(sum, last, count)) sums.count = 0;
    }
    tac_array_free(input, &lasts);
    tac_array_free(input, &builder->normal);
    builder->normal = sums;
}

// OBJ files without faces give normals in the order of the vertices
static void match_normals(tacSoupBuilder* builder) {
    if (builder->corner_normal.count && builder->normal.count) average_corner_normals(builder);
    if (builder->normal.count != builder->vertex.count)
        tac_array_free(&builder->input, &builder->normal);
}

//---------------------------------- triangles ------------------------------------

static void triangulate_faces(tacSoupBuilder* builder, tacArray* triangle, tacArray* face) {
    const int *first = builder->first.items, *corner = builder->corner.items;
    tacInput* input = &builder->input;
    int total = builder->corner.count - 2 * (builder->first.count - 1);
    int* out = tac_array_add(input, triangle, 3 * sizeof(int), total);
    int* of = tac_array_add(input, face, sizeof(int), total);
    for (int f = 0; f + 1 < builder->first.count && of; ++f) {
        int count = first[f + 1] - first[f];
        if (!tac_triangulate(builder->vertex.items, corner + first[f], count, out)) {
            fail_face(builder, f, "is not convex; such a face has at most this many vertices:",
                      TAC_MAX_EAR_CORNERS);
            return;
        }
        for (int i = 0; i < count - 2; ++i) *of++ = f;
        out += 3 * (size_t)(count - 2);
    }
}

//---------------------------------- soup -----------------------------------------

static void free_arrays(tacSoupBuilder* builder) {
    tacArray* arrays[] = {&builder->vertex,   &builder->normal, &builder->vertex_line,
                          &builder->first,    &builder->corner, &builder->corner_normal,
                          &builder->face_line};
    for (int i = 0; i < 7; ++i) tac_array_free(&builder->input, arrays[i]);
}

// the soup takes over the arrays
static void fill_soup(tacSoup* soup, tacSoupBuilder* builder) {
    soup->nvertex = builder->vertex.count;
    soup->vertex = builder->vertex.items;
    soup->normal = builder->normal.items;
    soup->nface = builder->first.count - 1;
    soup->first = builder->first.items;
    soup->ncorner = builder->corner.count;
    soup->corner = builder->corner.items;
    soup->vertex_line = builder->vertex_line.items;
    soup->face_line = builder->face_line.items;
    soup->allocator = builder->input.allocator;
    snprintf(soup->file, sizeof soup->file, "%s", builder->input.file);
    builder->vertex = builder->normal = builder->first = builder->corner = builder->vertex_line =
        builder->face_line = (tacArray){0};
}

tacSoup* tac_soup_builder_finish(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    tacArray triangle = {0}, triangle_face = {0};
    tacSoup* soup = NULL;
    if (builder->vertex.count == 0) {
        input->line = 0;
        tac_input_fail(input, TAC_ERROR_VALUE, "has no vertices");
    }
    int dropped = clean_faces(builder);
    match_normals(builder); // before: a repeated face may be the one that has them
    int repeated = remove_repeated(builder);
    add_int(builder, &builder->first, builder->corner.count);
    if (input->result == TAC_OK) triangulate_faces(builder, &triangle, &triangle_face);
    if (input->result == TAC_OK) {
        soup = input->allocator.allocate(input->allocator.user, sizeof *soup);
        if (!soup) tac_input_fail(input, TAC_ERROR_MEMORY, "out of memory");
    }
    if (soup) {
        *soup = (tacSoup){.dropped = dropped, .repeated = repeated, .ntriangle = triangle.count};
        fill_soup(soup, builder);
        soup->triangle = triangle.items;
        soup->triangle_face = triangle_face.items;
    } else {
        tac_array_free(input, &triangle);
        tac_array_free(input, &triangle_face);
    }
    free_arrays(builder);
    return soup;
}
