// <default> classes: the attributes that elements take over when they do not have them.
//
//   document.c --tree--> [this file] --tree whose elements have all their attributes--> *_reader.c
//
// A class inherits from the class around it. An element belongs to the class of its own attribute
// 'class', else to the 'childclass' of the nearest body around it, else to the outermost class. An
// attribute keeps the line on which it was written, so complaints point at the class.

#include "model/draft.h"

#include "base/assert.h"
#include "model/nearest.h"

#include <string.h>

static int is_named(const tacElement* element, const char* name) {
    return strcmp(element->name, name) == 0;
}

//---------------------------------- classes --------------------------------------

// elements of one class: MuJoCo has one of each kind
#define MOST_ITEMS 64

typedef struct tacClass {
    int around; // the class around it, -1 for the outermost one
    int count;
    const tacElement* item[MOST_ITEMS];
} tacClass;

typedef struct tacClasses {
    tacDraft* draft;
    tacList list; // tacClass; the first is the outermost one
} tacClasses;

static const tacClass* class_at(const tacClasses* classes, int index) {
    return (const tacClass*)classes->list.items + index;
}

// outermost classes have no name, or "main", and may be written in several parts
static int is_outermost(const tacElement* element) {
    return element->parent && is_named(element->parent, "mujoco");
}

static int add_class(tacClasses* classes, int around) {
    tacClass* class = tac_list_add(&classes->draft->reader, &classes->list, sizeof *class);
    if (class) *class = (tacClass){.around = around};
    return classes->list.count - 1;
}

static void add_item(tacClasses* classes, int index, const tacElement* element) {
    tacClass* class = (tacClass*)classes->list.items + index;
    if (class->count == MOST_ITEMS)
        tac_reader_fail(&classes->draft->reader, TAC_ERROR_LIMIT, element->line, "<default>",
                        "a class has at most %d elements; MuJoCo has one of each kind", MOST_ITEMS);
    else
        class->item[class->count++] = element;
}

// the name of a class, and its number
static int name_class(tacClasses* classes, const tacElement* element, int around) {
    tacReader* reader = &classes->draft->reader;
    const tacAttribute* name = tac_attribute(element, "class");
    int outermost = is_outermost(element);
    int index = outermost ? 0 : add_class(classes, around);
    if (!name && !outermost)
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, "class",
                        "only the outermost <default> may do without the attribute 'class'");
    if (name && !(outermost && strcmp(name->value, "main") == 0))
        tac_names_add(reader, &classes->draft->names,
                      (tacNameEntry){"default", name->value, index, name->line});
    return index;
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void list_classes(tacClasses* classes, const tacElement* element, int around) {
    tacReader* reader = &classes->draft->reader;
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        if (is_named(c, "default")) {
            int index = name_class(classes, c, around);
            if (reader->result == TAC_OK) list_classes(classes, c, index);
        } else if (is_named(element, "default")) {
            add_item(classes, around, c);
        }
    }
}

static int named_class(const tacClasses* classes, const tacAttribute* attribute) {
    const tacNameEntry* entry = tac_names_find(&classes->draft->names, "default", attribute->value);
    if (!entry && strcmp(attribute->value, "main") != 0)
        tac_reader_fail(&classes->draft->reader, TAC_ERROR_VALUE, attribute->line, attribute->name,
                        "there is no <default class=\"%.60s\">", attribute->value);
    return entry ? entry->index : 0;
}

//---------------------------------- merging --------------------------------------

// Attributes that say the same in other words: one of the element's own shuts out all of a class.
static int is_shut_out(const tacElement* element, const char* name) {
    static const char* const turns[] = {"quat", "euler", "axisangle", "xyaxes", "zaxis"};
    int is_turn = 0, has_turn = 0;
    for (int i = 0; i < 5; ++i) {
        is_turn |= strcmp(name, turns[i]) == 0;
        has_turn |= tac_attribute(element, turns[i]) != NULL;
    }
    int has_line = tac_attribute(element, "fromto") != NULL;
    if (is_turn) return has_turn || has_line;
    if (strcmp(name, "pos") == 0) return has_line;
    if (strcmp(name, "fromto") == 0) return has_turn || tac_attribute(element, "pos") != NULL;
    return strcmp(name, "class") == 0;
}

static int count_words(const char* text) {
    int count = 0;
    for (text += strspn(text, " \t\r\n"); *text; text += strspn(text, " \t\r\n"), ++count)
        text += strcspn(text, " \t\r\n");
    return count;
}

// Numbers that an element leaves out at the end are those of its class, as in MuJoCo.
static void complete_numbers(tacDraft* draft, tacAttribute* own, const tacAttribute* given) {
    static const char arrays[] =
        "size friction solref solimp solreflimit solimplimit solreffriction solimpfriction gear "
        "gainprm biasprm dynprm polycoef fluidcoef";
    if (!tac_word_in(own->name, arrays)) return;
    const char* rest = given->value;
    for (int words = count_words(own->value); words > 0; --words) {
        rest += strspn(rest, " \t\r\n");
        rest += strcspn(rest, " \t\r\n");
    }
    if (!rest[strspn(rest, " \t\r\n")]) return;
    const char* value = tac_reader_text(&draft->reader, "%s%s", own->value, rest);
    if (value) own->value = value;
}

static int is_shared(const tacElement* element, const tacElement* given, const char* attribute);

static void merge(tacDraft* draft, tacElement* element, const tacElement* given, int same) {
    for (int i = 0; i < given->count && draft->reader.result == TAC_OK; ++i) {
        const tacAttribute* attribute = &given->attributes[i];
        if (!same && !is_shared(element, given, attribute->name)) continue;
        tacAttribute* own = (tacAttribute*)tac_attribute(element, attribute->name);
        if (own) complete_numbers(draft, own, attribute);
        if (own || is_shut_out(element, attribute->name)) continue;
        size_t size = sizeof *own * (size_t)(element->count + 1);
        tacAttribute* grown = tac_reader_take(&draft->reader, size);
        if (!grown) return;
        if (element->count) memcpy(grown, element->attributes, size - sizeof *own);
        grown[element->count++] = *attribute;
        element->attributes = grown;
    }
}

// What an element is called in a class: kinds of equalities and tendons share one word, and joints
// and geoms of tendons are not those of bodies. NULL: it belongs to no class.
static const char* word_in_class(const tacElement* element) {
    static const char* const holders[] = {"body",  "worldbody", "frame",   "replicate",
                                          "asset", "contact",   "actuator"};
    const char* parent = element->parent ? element->parent->name : "";
    if (strcmp(parent, "equality") == 0) return "equality";
    if (strcmp(parent, "tendon") == 0) return "tendon";
    for (int i = 0; i < TAC_COUNT(holders); ++i)
        if (strcmp(parent, holders[i]) == 0) return element->name;
    return NULL;
}

// kinds of actuators share what all of them have
static int is_shared(const tacElement* element, const tacElement* given, const char* attribute) {
    static const char drives[] =
        "general motor position velocity intvelocity damper cylinder muscle adhesion";
    static const char shared[] = "ctrllimited ctrlrange forcelimited forcerange gear actlimited "
                                 "actrange group";
    return is_named(element->parent, "actuator") && tac_word_in(given->name, drives) &&
           tac_word_in(attribute, shared);
}

// the class itself and those around it; of several elements that give the same attribute the last
// one holds, so it comes first here
static void complete(const tacClasses* classes, tacElement* element, int index) {
    const char* word = word_in_class(element);
    for (; word && index >= 0; index = class_at(classes, index)->around)
        for (int i = class_at(classes, index)->count - 1; i >= 0; --i) {
            const tacElement* item = class_at(classes, index)->item[i];
            merge(classes->draft, element, item, is_named(item, word));
        }
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void complete_below(const tacClasses* classes, const tacElement* parent, int index) {
    for (tacElement* c = parent->child; c && classes->draft->reader.result == TAC_OK; c = c->next) {
        if (is_named(c, "default") || is_named(c, "custom")) continue;
        const tacAttribute* own = tac_attribute(c, "class");
        const tacAttribute* below = tac_attribute(c, "childclass");
        complete(classes, c, own ? named_class(classes, own) : index);
        complete_below(classes, c, below ? named_class(classes, below) : index);
    }
}

void tac_apply_defaults(tacDraft* draft, const tacElement* root) {
    tacClasses classes = {.draft = draft};
    add_class(&classes, -1);
    list_classes(&classes, root, 0);
    if (draft->reader.result == TAC_OK) complete_below(&classes, root, 0);
}
