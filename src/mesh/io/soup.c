// Reading mesh files: which format, and the parts in order.

#include "mesh/io/soup.h"

#include "mesh/io/soup_builder.h"

#include <string.h>
#include <strings.h>

typedef void formatReader(tacSoupBuilder* builder);

static formatReader* by_extension(const char* path) {
    const char* dot = strrchr(path, '.');
    if (!dot) return NULL;
    if (strcasecmp(dot, ".obj") == 0) return tac_read_obj;
    if (strcasecmp(dot, ".stl") == 0) return tac_read_stl;
    if (strcasecmp(dot, ".ply") == 0) return tac_read_ply;
    if (strcasecmp(dot, ".xyz") == 0) return tac_read_xyz;
    if (strcasecmp(dot, ".off") == 0) return tac_read_off;
    if (strcasecmp(dot, ".msh") == 0) return tac_read_msh;
    return NULL;
}

// OBJ has no mark; a line that starts with "v " or "# " is a good sign
static formatReader* by_content(const tacInput* input) {
    if (tac_is_ply(input)) return tac_read_ply;
    if (tac_is_stl(input)) return tac_read_stl;
    if (tac_is_off(input)) return tac_read_off;
    if (strncmp(input->text, "v ", 2) == 0 || strstr(input->text, "\nv ")) return tac_read_obj;
    return NULL;
}

static void read_format(tacSoupBuilder* builder) {
    tacInput* input = &builder->input;
    if (input->at == input->end) {
        input->line = 0;
        tac_input_fail(input, TAC_ERROR_FILE, "is empty");
        return;
    }
    formatReader* reader = by_extension(input->file);
    if (!reader) reader = by_content(input);
    if (reader)
        reader(builder);
    else
        tac_input_fail(input, TAC_ERROR_UNSUPPORTED,
                       "has an unknown format; export it as .obj, .stl, .ply, .off, .msh or .xyz");
}

// makes the soup of the bytes that were read, and frees them
static tacResult finish_soup(tacSoupBuilder* builder, tacSoup** out) {
    if (builder->input.result == TAC_OK) read_format(builder);
    tac_input_close(&builder->input);
    tacSoup* soup = tac_soup_builder_finish(builder);
    if (soup) *out = soup;
    return builder->input.result;
}

tacResult tac_soup_load(const char* path, tacAllocator allocator, tacSoup** out,
                        tacMessage* message) {
    tacSoupBuilder builder = {.input = {.file = path, .message = message, .allocator = allocator}};
    tac_input_open(&builder.input, path);
    return finish_soup(&builder, out);
}

tacResult tac_soup_read(const void* bytes, size_t size, const char* path, tacAllocator allocator,
                        tacSoup** out, tacMessage* message) {
    tacSoupBuilder builder = {.input = {.file = path, .message = message, .allocator = allocator}};
    tac_input_copy(&builder.input, bytes, size);
    return finish_soup(&builder, out);
}

void tac_soup_destroy(tacSoup* soup) {
    if (!soup) return;
    tacAllocator allocator = soup->allocator;
    const void* blocks[] = {soup->vertex,      soup->normal,    soup->first,
                            soup->corner,      soup->triangle,  soup->triangle_face,
                            soup->vertex_line, soup->face_line, soup};
    for (int i = 0; i < 9; ++i)
        if (blocks[i]) allocator.release(allocator.user, (void*)blocks[i]);
}
