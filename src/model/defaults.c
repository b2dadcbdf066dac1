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

// outermost classes have no name, or "main"
static int is_outermost(const tacElement* element) {
    return is_named(element, "default") && element->parent && is_named(element->parent, "mujoco");
}

static const tacElement* find_class(const tacElement* element, const char* name) {
    for (const tacElement* c = element->child; c; c = c->next) {
        if (!is_named(c, "default")) continue;
        const tacAttribute* class = tac_attribute(c, "class");
        if (class && strcmp(class->value, name) == 0) return c;
        const tacElement* below = find_class(c, name);
        if (below) return below;
    }
    return NULL;
}

// the class that an attribute names, NULL if it is the outermost one
static const tacElement* named_class(tacDraft* draft, const tacElement* root,
                                     const tacAttribute* attribute) {
    const tacElement* found = find_class(root, attribute->value);
    if (!found && strcmp(attribute->value, "main") != 0)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, attribute->line, attribute->name,
                        "there is no <default class=\"%.60s\">", attribute->value);
    return found;
}

static void check_classes(tacDraft* draft, const tacElement* element) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next) {
        if (!is_named(c, "default")) continue;
        const tacAttribute* class = tac_attribute(c, "class");
        if (class && is_outermost(c) && strcmp(class->value, "main") == 0) {
            // may be written in several parts
        } else if (class)
            tac_names_add(&draft->reader, &draft->names,
                          (tacNameEntry){"default", class->value, 0, class->line});
        else if (!is_outermost(c))
            tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, c->line, "class",
                            "only the outermost <default> may do without the attribute 'class'");
        check_classes(draft, c);
    }
}

// MuJoCo reads the elements of a class one after the other into the same place, so what is written
// last counts: it has to come first where attributes are taken only if there is none yet.
static void turn_classes(const tacElement* element) {
    for (tacElement* c = element->child; c; c = c->next) {
        if (!is_named(c, "default")) continue;
        turn_classes(c);
        tacElement* turned = NULL;
        for (tacElement *item = c->child, *next; item; item = next)
            next = item->next, item->next = turned, turned = item;
        c->last = c->child, c->child = turned;
    }
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

static void merge_class(tacDraft* draft, tacElement* element, const char* word,
                        const tacElement* class) {
    for (const tacElement* c = class->child; c; c = c->next)
        merge(draft, element, c, is_named(c, word));
}

// the class itself, those around it, and the outermost ones
static void complete(tacDraft* draft, const tacElement* root, tacElement* element,
                     const tacElement* class) {
    const char* word = word_in_class(element);
    if (!word) return;
    for (; class && is_named(class, "default"); class = class->parent)
        merge_class(draft, element, word, class);
    for (const tacElement* c = root->child; c; c = c->next)
        if (is_outermost(c)) merge_class(draft, element, word, c);
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void complete_below(tacDraft* draft, const tacElement* root, const tacElement* parent,
                           const tacElement* class) {
    for (tacElement* c = parent->child; c && draft->reader.result == TAC_OK; c = c->next) {
        if (is_named(c, "default") || is_named(c, "custom")) continue;
        const tacAttribute* own = tac_attribute(c, "class");
        const tacAttribute* below = tac_attribute(c, "childclass");
        complete(draft, root, c, own ? named_class(draft, root, own) : class);
        complete_below(draft, root, c, below ? named_class(draft, root, below) : class);
    }
}

void tac_apply_defaults(tacDraft* draft, const tacElement* root) {
    check_classes(draft, root);
    turn_classes(root);
    complete_below(draft, root, root, NULL);
}
