// Reads the frictional problems of FCLIB: HDF5 files of version 0 with contiguous arrays, as local
// problems (W, q, mu) or global ones (M, H, f, w, mu).

#ifndef TACTUS_TEST_FCLIB_FILE_H
#define TACTUS_TEST_FCLIB_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fclibFile {
    unsigned char* data;
    size_t size;
} fclibFile;

static uint64_t fclib_number(const fclibFile* file, size_t at, int bytes) {
    uint64_t value = 0;
    if (at + (size_t)bytes > file->size) return UINT64_MAX;
    for (int i = bytes - 1; i >= 0; --i) value = value << 8 | file->data[at + (size_t)i];
    return value;
}

// where a message of this type stands in the header of an object, which may go on in one other
// place; 0: nowhere
static size_t fclib_message(const fclibFile* file, size_t object, unsigned type) {
    size_t at = object + 16, end = at + fclib_number(file, object + 8, 4), next = 0, next_end = 0;
    while (at + 8 <= end && end <= file->size) {
        if (fclib_number(file, at, 2) == type) return at + 8;
        if (fclib_number(file, at, 2) == 0x10) {
            next = fclib_number(file, at + 8, 8);
            next_end = next + fclib_number(file, at + 16, 8);
        }
        at += 8 + fclib_number(file, at + 2, 2);
        if (at + 8 > end) {
            at = next;
            end = next_end;
            next = next_end = 0;
        }
    }
    return 0;
}

// the object of a name in a node of symbols
static size_t fclib_symbol(const fclibFile* file, size_t node, size_t names, const char* name) {
    for (uint64_t k = 0; k < fclib_number(file, node + 6, 2); ++k) {
        size_t entry = node + 8 + 40 * k, text = names + fclib_number(file, entry, 8);
        if (text + strlen(name) < file->size && !strcmp((const char*)file->data + text, name)) {
            return fclib_number(file, entry + 8, 8);
        }
    }
    return 0;
}

// the object of a name in a group, whose tree has one level
static size_t fclib_member(const fclibFile* file, size_t group, const char* name) {
    size_t table = fclib_message(file, group, 0x11), found = 0;
    if (!table) return 0;
    size_t tree = fclib_number(file, table, 8);
    size_t names = fclib_number(file, fclib_number(file, table + 8, 8) + 24, 8);
    for (uint64_t i = 0; i < fclib_number(file, tree + 6, 2) && !found; ++i) {
        found = fclib_symbol(file, fclib_number(file, tree + 32 + 16 * i, 8), names, name);
    }
    return found;
}

// array at a path of three names; NULL: there is none
static const void* fclib_array(const fclibFile* file, const char* a, const char* b, const char* c,
                               size_t* bytes) {
    size_t object = fclib_member(file, fclib_number(file, 64, 8), a);
    if (object) object = fclib_member(file, object, b);
    if (object) object = fclib_member(file, object, c);
    size_t layout = object ? fclib_message(file, object, 8) : 0;
    if (!layout) return NULL;
    size_t at = fclib_number(file, layout + 2, 8);
    *bytes = fclib_number(file, layout + 10, 8);
    return at < file->size && *bytes <= file->size - at ? file->data + at : NULL;
}

static int fclib_open(fclibFile* file, const char* path) {
    FILE* stream = fopen(path, "rb");
    if (!stream) return 0;
    fseek(stream, 0, SEEK_END);
    file->size = (size_t)ftell(stream);
    file->data = malloc(file->size);
    rewind(stream);
    int whole = fread(file->data, 1, file->size, stream) == file->size;
    fclose(stream);
    return whole && file->size > 96 && !memcmp(file->data, "\x89HDF\r\n\x1a\n", 8);
}

// a vector of `kind`/vectors; its length
static int fclib_vector(const fclibFile* file, const char* kind, const char* name, double** out) {
    size_t bytes = 0;
    const void* data = fclib_array(file, kind, "vectors", name, &bytes);
    *out = data ? malloc(bytes) : NULL;
    if (data) memcpy(*out, data, bytes);
    return (int)(bytes / sizeof(double));
}

static int fclib_int(const void* array, size_t i) {
    int value;
    memcpy(&value, (const char*)array + 4 * i, 4);
    return value;
}

// a matrix, dense and row-major; NULL: there is none. nz is -1 for columns, -2 for rows.
static double* fclib_matrix(const fclibFile* file, const char* kind, const char* name, int* m,
                            int* n) {
    size_t bytes, pointers, count;
    const void* part[4];
    const char* sizes[4] = {"m", "n", "nz", "i"};
    for (int k = 0; k < 4; ++k) part[k] = fclib_array(file, kind, name, sizes[k], &bytes);
    const void* p = fclib_array(file, kind, name, "p", &pointers);
    const unsigned char* x = fclib_array(file, kind, name, "x", &count);
    if (!part[0] || !part[1] || !part[2] || !part[3] || !p || !x) return NULL;
    int nz = fclib_int(part[2], 0);
    *m = fclib_int(part[0], 0);
    *n = fclib_int(part[1], 0);
    double* out = calloc((size_t)*m * (size_t)*n, sizeof(double));
    size_t entries = nz >= 0 ? (size_t)nz : (size_t)fclib_int(p, pointers / 4 - 1);
    for (size_t e = 0, line = 0; e < entries; ++e) {
        while (nz < 0 && (size_t)fclib_int(p, line + 1) <= e) ++line;
        int row = fclib_int(part[3], e), column = nz >= 0 ? fclib_int(p, e) : (int)line;
        double value;
        memcpy(&value, x + 8 * e, 8);
        size_t at =
            nz == -2 ? line * (size_t)*n + (size_t)row : (size_t)row * (size_t)*n + (size_t)column;
        if (at < (size_t)*m * (size_t)*n) out[at] += value;
    }
    return out;
}

#endif
