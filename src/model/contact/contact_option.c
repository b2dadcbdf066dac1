// The contact option becomes an element, so that it is read as if it were in the file.

#include "model/contact/contact_option.h"

#include "model/contact/contact_plan.h"

#include <string.h>

//---------------------------------- of the scene ---------------------------------

static int is_of_contact(const char* attribute) {
    return strcmp(attribute, "integrator") != 0 && strcmp(attribute, "rk4") != 0 &&
           strcmp(attribute, "compat") != 0 && strcmp(attribute, "ignore") != 0;
}

static int is_given(const tacElement* element, const char* name) {
    for (int i = 0; i < element->count; ++i)
        if (strcmp(element->attributes[i].name, name) == 0) return 1;
    return 0;
}

// does the option speak of contact, or only of what stands beside it?
static int has_contact(const tacElement* option) {
    for (int i = 0; i < option->count; ++i)
        if (is_of_contact(option->attributes[i].name)) return 1;
    return 0;
}

// removes what the option replaces; NULL: contact
static void remove_replaced(tacElement* element, const tacElement* option) {
    int count_left = 0;
    for (int i = 0; i < element->count; ++i) {
        const char* name = element->attributes[i].name;
        int replaced =
            is_of_contact(name) ? !option || has_contact(option) : option && is_given(option, name);
        if (!replaced) element->attributes[count_left++] = element->attributes[i];
    }
    element->count = count_left;
}

static void replace_in_scene(tacElement* root, const tacElement* option) {
    for (tacElement* c = root->child; c; c = c->next)
        if (strcmp(c->name, "tactus") == 0) remove_replaced(c, option);
}

//---------------------------------- of the option --------------------------------

static void add_element(tacElement* root, tacElement* element) {
    element->parent = root;
    if (root->last)
        root->last->next = element;
    else
        root->child = element;
    root->last = element;
}

// NAME=VALUE, or a single word; `word` is a copy that may be changed
static tacAttribute read_word(tacReader* reader, char* word, int line) {
    char* equals = strchr(word, '=');
    const char* name = equals ? word : tac_contact_attribute(word);
    if (equals) *equals = '\0';
    if (!name)
        tac_reader_fail(reader, TAC_ERROR_VALUE, line, NULL,
                        "'%s' is neither a detector, a responder nor NAME=VALUE; examples: "
                        "manifold, edge_sdf, scm, lcp, \"detect=manifold tau=.003\", none",
                        word);
    return (tacAttribute){name ? name : word, equals ? equals + 1 : word, line};
}

static int count_words(const char* text) {
    int count = 0;
    for (; *text; ++text) count += *text != ' ' && (text[1] == ' ' || text[1] == '\0');
    return count;
}

static void read_words(tacReader* reader, char* text, tacElement* element) {
    char* rest = text;
    for (char* word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        tacAttribute a = read_word(reader, word, element->line);
        if (is_given(element, a.name))
            tac_reader_fail(reader, TAC_ERROR_VALUE, a.line, a.name, "is given twice");
        element->attributes[element->count++] = a;
    }
}

void tac_override_contact(tacReader* reader, tacElement* root, const char* text) {
    if (!text || reader->result != TAC_OK) return;
    if (strcmp(text, "none") == 0) {
        replace_in_scene(root, NULL);
        return;
    }
    tac_reader_add_file(reader, "contact");
    tacElement* element = tac_reader_alloc(reader, sizeof *element);
    tacAttribute* attributes =
        tac_reader_alloc(reader, sizeof *attributes * (size_t)(count_words(text) + 1));
    char* words = (char*)tac_reader_text(reader, "%s", text);
    if (!element || !attributes || !words) return;
    *element = (tacElement){.name = "tactus", .line = ++reader->lines, .attributes = attributes};
    read_words(reader, words, element);
    replace_in_scene(root, element);
    add_element(root, element);
}
