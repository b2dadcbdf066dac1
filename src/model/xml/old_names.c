// Old spellings of the attributes and values of <tactus>.
//
//   document.c --tree--> [this file] --tree in the new names--> schema.c
//   param.c --"detect/clash"--> [this file] --"opposing"--> param.c
//
// A row goes when its release is over.

#include "model/xml/old_names.h"

#include "base/assert.h"

#include <string.h>

typedef struct oldName {
    const char *old_name, *new_name;
} oldName;

static const oldName attributes[] = {
    {"clash", "opposing"},
    {"least", "min"},
    {"regular", "tikhonov"},
    {"within", "inside"},
    {"neighbours", "edge_softmin"},
    {"slope", "lipschitz"},
    {"soft", "soft_points"},
    {"sort", "sort_temperature"},
    {"keep", "top_k"},
    {"keep_vertices", "top_k_vertices"},
    {"keep_edges", "top_k_edges"},
    {"keepwidth", "top_k_width"},
};

// of an attribute in its new name
typedef struct oldValue {
    const char *attribute, *old_value, *new_value;
} oldValue;

static const oldValue values[] = {
    {"law", "published", "reference"},
    {"definition", "published", "reference"},
    {"top_k", "near", "none"},
    {"rk4", "mujoco", "plain"},
};

_Static_assert(TAC_COUNT(attributes) + TAC_COUNT(values) == TAC_OLD_NAMES,
               "the reader keeps one line for each row");

//---------------------------------- a tree ---------------------------------------

static const oldName* find_attribute(const char* text, size_t length) {
    for (int i = 0; i < TAC_COUNT(attributes); ++i)
        if (strlen(attributes[i].old_name) == length &&
            memcmp(attributes[i].old_name, text, length) == 0)
            return &attributes[i];
    return NULL;
}

static int has_attribute(const tacElement* element, const char* name) {
    for (int i = 0; i < element->count; ++i)
        if (strcmp(element->attributes[i].name, name) == 0) return 1;
    return 0;
}

// keeps the first line of a row; rows of values come after those of attributes
static void keep_line(tacReader* reader, int row, int line) {
    if (reader->old_name_line[row] == 0) reader->old_name_line[row] = line;
}

static void replace_name(tacReader* reader, const tacElement* element, tacAttribute* a) {
    const oldName* row = find_attribute(a->name, strlen(a->name));
    if (!row) return;
    if (has_attribute(element, row->new_name))
        tac_reader_fail(reader, TAC_ERROR_VALUE, a->line, a->name,
                        "is the old name of '%s', which is given, too; remove '%s'", row->new_name,
                        row->old_name);
    keep_line(reader, (int)(row - attributes), a->line);
    a->name = row->new_name;
}

static void replace_value(tacReader* reader, tacAttribute* a) {
    for (int i = 0; i < TAC_COUNT(values); ++i) {
        if (strcmp(values[i].attribute, a->name) != 0 || strcmp(values[i].old_value, a->value) != 0)
            continue;
        keep_line(reader, TAC_COUNT(attributes) + i, a->line);
        a->value = values[i].new_value;
        return;
    }
}

void tac_replace_old_names(tacReader* reader, tacElement* root) {
    for (tacElement* c = root->child; c; c = c->next) {
        if (strcmp(c->name, "tactus") != 0) continue;
        for (int i = 0; i < c->count; ++i) {
            replace_name(reader, c, &c->attributes[i]);
            replace_value(reader, &c->attributes[i]);
        }
    }
}

//---------------------------------- warnings -------------------------------------

void tac_warn_old_names(tacReader* reader) {
    for (int i = 0; i < TAC_OLD_NAMES; ++i) {
        int line = reader->old_name_line[i];
        if (line == 0) continue;
        const char* file = tac_reader_locate(reader, &line).path;
        if (i < TAC_COUNT(attributes)) {
            const oldName* name = &attributes[i];
            tac_reader_warn(reader, "%.100s:%d: '%s' is now called '%s'", file, line,
                            name->old_name, name->new_name);
        } else {
            const oldValue* value = &values[i - TAC_COUNT(attributes)];
            tac_reader_warn(reader, "%.100s:%d: %s=\"%s\" is now \"%s\"", file, line,
                            value->attribute, value->old_value, value->new_value);
        }
    }
}

const char* tac_attribute_in_file(const tacReader* reader, const char* attribute, int line) {
    for (int i = 0; i < TAC_COUNT(attributes) && attribute; ++i)
        if (reader->old_name_line[i] == line && strcmp(attributes[i].new_name, attribute) == 0)
            return attributes[i].old_name;
    return attribute;
}

const char* tac_new_attribute_name(const char* text, size_t length) {
    const oldName* row = find_attribute(text, length);
    return row ? row->new_name : NULL;
}
