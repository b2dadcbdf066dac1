// A mesh file that an element names, and the planes of its convex hull.
//
//   file="gear.obj" --mesh/soup--> vertices --mesh/hull--> faces --[this file]--> planes

#include "model/mjcf/hull_reader.h"

#include "mesh/convex/hull.h"

#include <stdio.h>
#include <string.h>

const char* tac_read_path(tacReader* reader, const tacElement* element, const char* name) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (!attribute || reader->result != TAC_OK) return NULL;
    const char* slash = strrchr(reader->file, '/');
    int folder = slash && attribute->value[0] != '/' ? (int)(slash - reader->file) + 1 : 0;
    if (!attribute->value[0])
        tac_reader_fail(reader, TAC_ERROR_VALUE, attribute->line, name,
                        "is empty; give a file, relative to the folder of the scene");
    return tac_reader_text(reader, "%.*s%s", folder, reader->file, attribute->value);
}

// an error of the mesh file, at the line of the scene that names it
static void fail_mesh(tacReader* reader, const tacElement* element, tacResult result,
                      const char* path, const tacMessage* message) {
    char where[32] = "";
    if (message->line > 0) snprintf(where, sizeof where, ":%d", message->line);
    tac_reader_fail(reader, result, tac_attribute_line(element, "file"), "file", "%.100s%s: %s",
                    path, where, message->text);
}

static double* copy_planes(tacReader* reader, const tacHull* hull) {
    double* plane = tac_reader_alloc(reader, sizeof(double) * 4 * (size_t)hull->nface);
    for (int i = 0; i < hull->nface && plane; ++i) {
        memcpy(&plane[4 * i], &hull->normal[3 * i], 3 * sizeof(double));
        plane[4 * i + 3] = -hull->offset[i];
    }
    return plane;
}

tacSoup* tac_read_soup(tacReader* reader, const tacElement* element, const char** path) {
    *path = tac_read_path(reader, element, "file");
    if (!*path || reader->result != TAC_OK) return NULL;
    tacMessage message = {0};
    tacSoup* soup = NULL;
    tacResult result = tac_soup_load(*path, reader->allocator, &soup, &message);
    if (result != TAC_OK) fail_mesh(reader, element, result, *path, &message);
    tac_reader_add_opened(reader, *path);
    return soup;
}

double* tac_read_hull(tacReader* reader, const tacElement* element, int* count) {
    const char* path;
    tacSoup* soup = tac_read_soup(reader, element, &path);
    if (!soup) return NULL;
    tacMessage message = {0};
    tacHull* hull = NULL;
    tacResult result =
        tac_hull_create((tacHullPoints){soup->vertex, soup->nvertex, TAC_HULL_MERGE, path},
                        reader->allocator, &hull, &message);
    double* plane = hull ? copy_planes(reader, hull) : NULL;
    if (hull) *count = hull->nface;
    if (result != TAC_OK) fail_mesh(reader, element, result, path, &message);
    tac_hull_destroy(hull);
    tac_soup_destroy(soup);
    return plane;
}
