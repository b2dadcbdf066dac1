// <contact>: pairs of geoms that touch by numbers of their own, and bodies that never touch.

#include "model/draft.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e9};

static int is_named(const tacElement* element, const char* name) {
    return strcmp(element->name, name) == 0;
}

//---------------------------------- who is asked for -----------------------------

static void list_names(tacDraft* draft, const tacElement* element) {
    static const char* const words[] = {"geom1", "geom2"};
    for (int i = 0; i < 2; ++i) {
        const tacAttribute* name = tac_attribute(element, words[i]);
        if (!name || tac_names_find(&draft->names, "touching", name->value)) continue;
        tac_names_add(&draft->reader, &draft->names,
                      (tacNameEntry){"touching", name->value, 0, name->line});
    }
}

void tac_list_touching(tacDraft* draft, const tacElement* root) {
    for (const tacElement* section = root->child; section; section = section->next) {
        if (!is_named(section, "contact") && !is_named(section, "sensor")) continue;
        for (const tacElement* c = section->child; c; c = c->next) list_names(draft, c);
    }
}

//---------------------------------- pairs ----------------------------------------

static void read_geoms(tacDraft* draft, const tacElement* element, int geom[2]) {
    tac_require(&draft->reader, element, "geom1");
    tac_require(&draft->reader, element, "geom2");
    geom[0] = tac_read_reference(draft, element, "geom1", "geom");
    geom[1] = tac_read_reference(draft, element, "geom2", "geom");
}

static void read_pair(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    tacPair pair = {0};
    read_geoms(draft, element, pair.geom);
    pair.name = tac_draft_name(draft, element, "pair", draft->pair.count);
    tacPath path = tac_item_path(draft, "pair", pair.name, draft->pair.count);
    if (reader->result != TAC_OK) return;
    double friction[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001}, margin = 0.0, gap = 0.0;
    pair.condim = 3;
    tac_read_int(reader, element, "condim", 1, 6, &pair.condim);
    if (pair.condim == 2 || pair.condim == 5)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "condim"), "condim",
                        "must be 1, 3, 4 or 6");
    tac_read_numbers(reader, element, "friction", 1, 5, not_negative, friction);
    tac_read_number(reader, element, "margin", any_number, &margin);
    tac_read_number(reader, element, "gap", any_number, &gap);
    pair.friction = tac_draft_param(draft, path, "friction", not_negative, friction, 5);
    pair.solref = tac_read_solref(draft, element, "solref", path);
    pair.solreffriction = tac_read_solref(draft, element, "solreffriction", path);
    pair.solimp = tac_read_solimp(draft, element, "solimp", path);
    pair.margin = tac_draft_param(draft, path, "margin", any_number, &margin, 1);
    pair.gap = tac_draft_param(draft, path, "gap", any_number, &gap, 1);
    tacPair* out = tac_list_add(reader, &draft->pair, sizeof *out);
    if (out) *out = pair;
    const tacElement** kept = tac_list_add(reader, &draft->pair_element, sizeof *kept);
    if (kept) *kept = element;
}

//---------------------------------- excludes -------------------------------------

static void read_exclude(tacDraft* draft, const tacElement* element) {
    tac_require(&draft->reader, element, "body1");
    tac_require(&draft->reader, element, "body2");
    tac_draft_name(draft, element, "exclude", draft->exclude.count);
    int bodies[2] = {tac_read_reference(draft, element, "body1", "body"),
                     tac_read_reference(draft, element, "body2", "body")};
    int* out = tac_list_add(&draft->reader, &draft->exclude, sizeof bodies);
    if (out) memcpy(out, bodies, sizeof bodies);
}

void tac_read_contact(tacDraft* draft, const tacElement* element) {
    for (const tacElement* c = element->child; c && draft->reader.result == TAC_OK; c = c->next)
        if (is_named(c, "pair"))
            read_pair(draft, c);
        else
            read_exclude(draft, c);
}
