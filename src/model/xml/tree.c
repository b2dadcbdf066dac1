// Copying elements, with changes of their names and references.

#include "model/xml/tree.h"

#include "base/assert.h"
#include "model/xml/word_suggestion.h"

#include <string.h>

//---------------------------------- kinds ----------------------------------------

static const char* const kinds[][2] = {
    {"joint", "joint jointinparent joint1 joint2"},
    {"site", "site site1 site2 slidersite cranksite refsite sidesite"},
    {"body", "body body1 body2 subtree1 subtree2 target"},
    {"geom", "geom geom1 geom2"},
    {"tendon", "tendon tendon1 tendon2"},
    {"actuator", "actuator"},
    {"camera", "camera"},
    {"material", "material"},
    {"mesh", "mesh"},
    {"hfield", "hfield"},
    {"texture", "texture"},
    {"shape", "shape"},
};

// objtype="xbody" objname="hand": the kind is given by the other attribute
static const char* declared_kind(const tacElement* element, const char* attribute) {
    const tacAttribute* type =
        tac_attribute(element, strcmp(attribute, "objname") == 0 ? "objtype" : "reftype");
    if (!type) return "body";
    return strcmp(type->value, "xbody") == 0 ? "body" : type->value;
}

const char* tac_reference_kind(const tacElement* element, const char* attribute) {
    if (strcmp(attribute, "objname") == 0 || strcmp(attribute, "refname") == 0)
        return declared_kind(element, attribute);
    for (int i = 0; i < TAC_COUNT(kinds); ++i)
        if (tac_word_in_list(attribute, kinds[i][1])) return kinds[i][0];
    return NULL;
}

const char* tac_name_kind(const tacElement* element) {
    const char* parent = element->parent ? element->parent->name : "";
    if (strcmp(element->name, "freejoint") == 0) return "joint";
    if (tac_word_in_list(parent, "actuator sensor tendon equality")) return parent;
    return element->name;
}

//---------------------------------- copies ---------------------------------------

static int is_asset(const char* kind) {
    return tac_word_in_list(kind, "material mesh hfield texture shape");
}

static int is_renamed(const tacRename* rename, const char* kind, const char* name) {
    if (strcmp(kind, "body") == 0 && strcmp(name, "world") == 0) return 0;
    return !rename->names || (!is_asset(kind) && tac_names_find(rename->names, kind, name));
}

// its own name, or a reference
static const char* renamed_value(tacReader* reader, const tacElement* element,
                                 const tacAttribute* attribute, const tacRename* rename) {
    int own = strcmp(attribute->name, "name") == 0;
    const char* kind = own ? tac_name_kind(element) : tac_reference_kind(element, attribute->name);
    if (!kind || (!own && !is_renamed(rename, kind, attribute->value))) return attribute->value;
    return tac_reader_text(reader, "%s%s%s", rename->prefix, attribute->value, rename->suffix);
}

static void copy_attributes(tacReader* reader, const tacElement* from, tacElement* to,
                            const tacRename* rename) {
    to->attributes = tac_reader_alloc(reader, sizeof(tacAttribute) * (size_t)(from->count + 1));
    for (int i = 0; i < from->count && to->attributes; ++i) {
        to->attributes[i] = from->attributes[i];
        to->attributes[i].value = renamed_value(reader, from, &from->attributes[i], rename);
    }
}

void tac_tree_append(tacElement* parent, tacElement* child) {
    child->parent = parent;
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->child = child;
    parent->last = child;
}

// recursion ends: nesting is at most TAC_MAX_NESTING
tacElement* tac_tree_copy(tacReader* reader, const tacElement* element, const tacRename* rename) {
    if (++reader->elements > TAC_MAX_ELEMENTS)
        tac_reader_fail(reader, TAC_ERROR_LIMIT, element->line, NULL,
                        "a scene has at most %d elements, including copies", TAC_MAX_ELEMENTS);
    tacElement* copy = tac_reader_alloc(reader, sizeof *copy);
    if (!copy) return NULL;
    *copy = *element;
    copy->child = copy->last = copy->next = NULL;
    if (rename->scope >= 0 && element->scope == 0) copy->scope = rename->scope;
    copy_attributes(reader, element, copy, rename);
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        tacElement* below = tac_tree_copy(reader, c, rename);
        if (below) tac_tree_append(copy, below);
    }
    return reader->result == TAC_OK ? copy : NULL;
}

tacElement* tac_tree_add(tacReader* reader, tacElement* parent, const char* name, int line,
                         int scope) {
    tacElement* element = tac_reader_alloc(reader, sizeof *element);
    if (!element) return NULL;
    element->name = name;
    element->line = line;
    element->scope = scope;
    tac_tree_append(parent, element);
    return element;
}

void tac_tree_set(tacReader* reader, tacElement* element, const char* name, const char* value) {
    if (!value) return;
    for (int i = 0; i < element->count; ++i)
        if (strcmp(element->attributes[i].name, name) == 0) {
            element->attributes[i].value = value;
            return;
        }
    size_t size = sizeof(tacAttribute) * (size_t)(element->count + 1);
    tacAttribute* grown = tac_reader_alloc(reader, size);
    if (!grown) return;
    if (element->count) memcpy(grown, element->attributes, size - sizeof *grown);
    grown[element->count++] = (tacAttribute){name, value, element->line};
    element->attributes = grown;
}

//---------------------------------- names ----------------------------------------

void tac_tree_names(tacReader* reader, const tacElement* element, tacNames* names) {
    const tacAttribute* name = tac_attribute(element, "name");
    const char* kind = tac_name_kind(element);
    if (name && !tac_names_find(names, kind, name->value))
        tac_names_add(reader, names, (tacNameEntry){kind, name->value, 0, name->line});
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next)
        tac_tree_names(reader, c, names);
}

int tac_tree_refers(const tacElement* element, const tacNames* names, int all) {
    for (int i = 0; i < element->count; ++i) {
        const tacAttribute* attribute = &element->attributes[i];
        const char* kind = tac_reference_kind(element, attribute->name);
        if (!kind || is_asset(kind)) continue;
        int world = strcmp(kind, "body") == 0 && strcmp(attribute->value, "world") == 0;
        int found = tac_names_find(names, kind, attribute->value) != NULL;
        if (all ? !found && !world : found) return !all;
    }
    for (const tacElement* c = element->child; c; c = c->next)
        if (tac_tree_refers(c, names, all) != all) return !all;
    return all;
}
