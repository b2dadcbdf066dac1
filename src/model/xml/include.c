// <include file="..."/>: is replaced by the elements of another file.
//
//   document.c --tree--> [this file] --tree without <include>--> schema.c
//
// As in MuJoCo the root of the other file is dropped and its children are inserted, a path is
// relative to the folder of the scene (or else of the including file), and a file is included at
// most once, so that there are no cycles.

#include "model/xml/document.h"

#include "model/xml/attribute.h"

#include <string.h>
#include <unistd.h>

//---------------------------------- other files ----------------------------------

// reads a file; errors of the file itself are reported at the line that names it
static tacSource read_named(tacReader* reader, const tacElement* element, const char* attribute,
                            const char* path) {
    tacMessage message = {0};
    tacReader sub = *reader;
    sub.message = &message;
    sub.file = path;
    tacSource source = tac_source_read(&sub, path);
    reader->chunks = sub.chunks;
    reader->allocated = sub.allocated;
    if (sub.result != TAC_OK)
        tac_reader_fail(reader, sub.result, tac_attribute_line(element, attribute), attribute,
                        "%.120s: %s", path, message.text);
    return source;
}

tacElement* tac_document_open(tacReader* reader, const tacElement* element, const char* attribute,
                              const char* path) {
    if (reader->result != TAC_OK) return NULL;
    for (int i = reader->file_first; i < reader->file_count; ++i)
        if (strcmp(reader->files[i].path, path) == 0)
            tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                            attribute, "%.120s is already included; include each file once", path);
    if (reader->document != path && strcmp(reader->document, path) == 0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute), attribute,
                        "%.120s includes itself", path);
    tacSource source = read_named(reader, element, attribute, path);
    if (reader->result != TAC_OK) return NULL;
    tac_reader_add_file(reader, path);
    tac_reader_add_opened(reader, path);
    return tac_document_parse(reader, source);
}

//---------------------------------- paths ----------------------------------------

static int folder_length(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

static const char* find_file(tacReader* reader, const tacElement* element) {
    tac_require(reader, element, "file");
    const tacAttribute* file = tac_attribute(element, "file");
    if (!file || reader->result != TAC_OK) return NULL;
    if (!*file->value)
        tac_reader_fail(reader, TAC_ERROR_VALUE, file->line, "file",
                        "is empty; give a file, relative to the folder of the scene");
    if (file->value[0] == '/') return file->value;
    int line = element->line;
    const char* around = tac_reader_locate(reader, &line).path;
    const char* path = tac_reader_text(reader, "%.*s%s", folder_length(reader->document),
                                       reader->document, file->value);
    if (path && access(path, F_OK) == 0) return path;
    const char* beside =
        tac_reader_text(reader, "%.*s%s", folder_length(around), around, file->value);
    return beside && access(beside, F_OK) == 0 ? beside : path;
}

//---------------------------------- splicing -------------------------------------

// replaces `old` by the children of `root`; returns the element at that position or after it
static tacElement* splice(tacElement* parent, tacElement* before, tacElement* old,
                          tacElement* root) {
    tacElement* first = root->child ? root->child : old->next;
    for (tacElement* c = root->child; c; c = c->next) c->parent = parent;
    if (root->last) root->last->next = old->next;
    if (before)
        before->next = first;
    else
        parent->child = first;
    if (parent->last == old) parent->last = root->last ? root->last : before;
    return first;
}

// recursion ends: depth counts levels of elements through all files
static void include_below(tacReader* reader, tacElement* parent, int depth) {
    tacElement* before = NULL;
    for (tacElement* c = parent->child; c && reader->result == TAC_OK;) {
        if (strcmp(c->name, "include") != 0) {
            if (depth >= TAC_MAX_NESTING)
                tac_reader_fail(reader, TAC_ERROR_LIMIT, c->line, NULL,
                                "elements are nested more than %d levels deep, includes counted",
                                TAC_MAX_NESTING);
            include_below(reader, c, depth + 1);
            before = c;
            c = c->next;
            continue;
        }
        if (c->child)
            tac_reader_fail(reader, TAC_ERROR_VALUE, c->line, "<include>",
                            "<include> must not have children");
        const char* path = find_file(reader, c);
        tacElement* root = path ? tac_document_open(reader, c, "file", path) : NULL;
        if (root) c = splice(parent, before, c, root);
    }
}

void tac_include_files(tacReader* reader, tacElement* root) { include_below(reader, root, 1); }
