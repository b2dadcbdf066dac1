// <default> classes: the attributes that elements inherit.
//
//   document.c --tree--> [this file] --tree whose elements have all their attributes--> *_reader.c
//
// A class inherits from its parent class. An element belongs to the class of its own attribute
// 'class', else to the 'childclass' of the nearest enclosing body, else to the outermost class. An
// attribute keeps its own line, so errors point at the class.

#include "model/spec.h"

#include "base/assert.h"
#include "model/xml/word_suggestion.h"

#include <string.h>

//---------------------------------- classes --------------------------------------

// elements of one class: MuJoCo has one of each kind
#define MAX_ITEMS 64

typedef struct defaultClass {
    int parent_class; // parent class, -1 for the outermost one
    int count;
    const tacElement* item[MAX_ITEMS];
} defaultClass;

typedef struct defaultClasses {
    tacSpec* spec;
    tacList list; // defaultClass; the first is the outermost one
} defaultClasses;

static const defaultClass* class_at(const defaultClasses* classes, int index) {
    return (const defaultClass*)classes->list.items + index;
}

// outermost classes have no name, or "main", and may be written in several parts
static int is_outermost(const tacElement* element) {
    return element->parent && tac_element_is(element->parent, "mujoco");
}

static int add_class(defaultClasses* classes, int parent_class) {
    defaultClass* class = tac_list_add(&classes->spec->reader, &classes->list, sizeof *class);
    if (class) *class = (defaultClass){.parent_class = parent_class};
    return classes->list.count - 1;
}

static void add_item(defaultClasses* classes, int index, const tacElement* element) {
    defaultClass* class = (defaultClass*)classes->list.items + index;
    if (class->count == MAX_ITEMS)
        tac_reader_fail(&classes->spec->reader, TAC_ERROR_LIMIT, element->line, "<default>",
                        "a class has at most %d elements; MuJoCo has one of each kind", MAX_ITEMS);
    else
        class->item[class->count++] = element;
}

// the name of a class, and its number
static int name_class(defaultClasses* classes, const tacElement* element, int parent_class) {
    tacReader* reader = &classes->spec->reader;
    const tacAttribute* name = tac_attribute(element, "class");
    int outermost = is_outermost(element);
    int index = outermost ? 0 : add_class(classes, parent_class);
    if (!name && !outermost)
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, "class",
                        "only the outermost <default> may omit the attribute 'class'");
    if (name && !(outermost && strcmp(name->value, "main") == 0))
        tac_names_add(reader, &classes->spec->names,
                      (tacNameEntry){"default", name->value, index, name->line});
    return index;
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void list_classes(defaultClasses* classes, const tacElement* element, int parent_class) {
    tacReader* reader = &classes->spec->reader;
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        if (tac_element_is(c, "default")) {
            int index = name_class(classes, c, parent_class);
            if (reader->result == TAC_OK) list_classes(classes, c, index);
        } else if (tac_element_is(element, "default")) {
            add_item(classes, parent_class, c);
        }
    }
}

static int named_class(const defaultClasses* classes, const tacAttribute* attribute) {
    const tacNameEntry* entry = tac_names_find(&classes->spec->names, "default", attribute->value);
    if (!entry && strcmp(attribute->value, "main") != 0)
        tac_reader_fail(&classes->spec->reader, TAC_ERROR_VALUE, attribute->line, attribute->name,
                        "there is no <default class=\"%.60s\">", attribute->value);
    return entry ? entry->index : 0;
}

//---------------------------------- merging --------------------------------------

// Alternative attributes: one of the element's own overrides all alternatives of its class.
static int is_overridden(const tacElement* element, const char* name) {
    static const char* const rotations[] = {"quat", "euler", "axisangle", "xyaxes", "zaxis"};
    int is_rotation = 0, has_rotation = 0;
    for (int i = 0; i < 5; ++i) {
        is_rotation |= strcmp(name, rotations[i]) == 0;
        has_rotation |= tac_attribute(element, rotations[i]) != NULL;
    }
    int has_line = tac_attribute(element, "fromto") != NULL;
    if (is_rotation) return has_rotation || has_line;
    if (strcmp(name, "pos") == 0) return has_line;
    if (strcmp(name, "fromto") == 0) return has_rotation || tac_attribute(element, "pos") != NULL;
    return strcmp(name, "class") == 0;
}

static int count_words(const char* text) {
    int count = 0;
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n"), ++count)
        text += strcspn(text, " \t\r\n");
    return count;
}

// Missing numbers at the end are those of the class, as in MuJoCo.
static void complete_array(tacSpec* spec, tacAttribute* own, const tacAttribute* given) {
    static const char arrays[] =
        "size friction solref solimp solreflimit solimplimit solreffriction solimpfriction gear "
        "gainprm biasprm dynprm polycoef fluidcoef";
    if (!tac_word_in_list(own->name, arrays)) return;
    const char* rest = given->value;
    for (int words = count_words(own->value); words > 0; --words) {
        rest += strspn(rest, " \t\r\n");
        rest += strcspn(rest, " \t\r\n");
    }
    if (!rest[strspn(rest, " \t\r\n")]) return;
    const char* value = tac_reader_text(&spec->reader, "%s%s", own->value, rest);
    if (value) own->value = value;
}

static int is_shared(const tacElement* element, const tacElement* given, const char* attribute);

static void merge_attributes(tacSpec* spec, tacElement* element, const tacElement* given,
                             int same) {
    for (int i = 0; i < given->count && spec->reader.result == TAC_OK; ++i) {
        const tacAttribute* attribute = &given->attributes[i];
        if (!same && !is_shared(element, given, attribute->name)) continue;
        tacAttribute* own = (tacAttribute*)tac_attribute(element, attribute->name);
        if (own) complete_array(spec, own, attribute);
        if (own || is_overridden(element, attribute->name)) continue;
        size_t size = sizeof *own * (size_t)(element->count + 1);
        tacAttribute* grown = tac_reader_alloc(&spec->reader, size);
        if (!grown) return;
        if (element->count) memcpy(grown, element->attributes, size - sizeof *own);
        grown[element->count++] = *attribute;
        element->attributes = grown;
    }
}

// The name of an element in a class: kinds of equalities and tendons share one word, and joints
// and geoms of tendons are not those of bodies. NULL: it belongs to no class.
static const char* element_kind(const tacElement* element) {
    static const char* const holders[] = {"body",  "worldbody", "frame",   "replicate",
                                          "asset", "contact",   "actuator"};
    const char* parent = element->parent ? element->parent->name : "";
    if (strcmp(parent, "equality") == 0) return "equality";
    if (strcmp(parent, "tendon") == 0) return "tendon";
    for (int i = 0; i < TAC_COUNT(holders); ++i)
        if (strcmp(parent, holders[i]) == 0) return element->name;
    return NULL;
}

// kinds of actuators share their common attributes
static int is_shared(const tacElement* element, const tacElement* given, const char* attribute) {
    static const char actuators[] =
        "general motor position velocity intvelocity damper cylinder muscle adhesion";
    static const char shared[] = "ctrllimited ctrlrange forcelimited forcerange gear actlimited "
                                 "actrange group";
    return tac_element_is(element->parent, "actuator") &&
           tac_word_in_list(given->name, actuators) && tac_word_in_list(attribute, shared);
}

// The class itself, then its parents. Of several elements with the same attribute the last
// one holds, so it comes first.
static void apply_class(const defaultClasses* classes, tacElement* element, int index) {
    const char* word = element_kind(element);
    for (; word && index >= 0; index = class_at(classes, index)->parent_class)
        for (int i = class_at(classes, index)->count - 1; i >= 0; --i) {
            const tacElement* item = class_at(classes, index)->item[i];
            merge_attributes(classes->spec, element, item, tac_element_is(item, word));
        }
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void apply_classes(const defaultClasses* classes, const tacElement* parent, int index) {
    for (tacElement* c = parent->child; c && classes->spec->reader.result == TAC_OK; c = c->next) {
        if (tac_element_is(c, "default") || tac_element_is(c, "custom")) continue;
        const tacAttribute* own = tac_attribute(c, "class");
        const tacAttribute* below = tac_attribute(c, "childclass");
        apply_class(classes, c, own ? named_class(classes, own) : index);
        apply_classes(classes, c, below ? named_class(classes, below) : index);
    }
}

void tac_apply_defaults(tacSpec* spec, const tacElement* root) {
    defaultClasses classes = {.spec = spec};
    add_class(&classes, -1);
    list_classes(&classes, root, 0);
    if (spec->reader.result == TAC_OK) apply_classes(&classes, root, 0);
}
