// <contact>: pairs of geoms with their own numbers, and pairs of bodies that never collide.

#include "model/spec.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e9};

//---------------------------------- references -----------------------------------

static void list_names(tacSpec* spec, const tacElement* element) {
    static const char* const words[] = {"geom1", "geom2"};
    for (int i = 0; i < 2; ++i) {
        const tacAttribute* name = tac_attribute(element, words[i]);
        if (!name || tac_names_find(&spec->names, "touching", name->value)) continue;
        tac_names_add(&spec->reader, &spec->names,
                      (tacNameEntry){"touching", name->value, 0, name->line});
    }
}

void tac_list_contact_geoms(tacSpec* spec, const tacElement* root) {
    for (const tacElement* section = root->child; section; section = section->next) {
        if (!tac_element_is(section, "contact") && !tac_element_is(section, "sensor")) continue;
        for (const tacElement* c = section->child; c; c = c->next) list_names(spec, c);
    }
}

//---------------------------------- pairs ----------------------------------------

static void read_geoms(tacSpec* spec, const tacElement* element, int geom[2]) {
    tac_require(&spec->reader, element, "geom1");
    tac_require(&spec->reader, element, "geom2");
    geom[0] = tac_read_reference(spec, element, "geom1", "geom");
    geom[1] = tac_read_reference(spec, element, "geom2", "geom");
}

static void read_pair(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    tacPair pair = {0};
    spec->at = element;
    read_geoms(spec, element, pair.geom);
    pair.name = tac_spec_name(spec, element, "pair", spec->geoms.pair.count);
    tacPath path = tac_item_path(spec, "pair", pair.name, spec->geoms.pair.count);
    if (reader->result != TAC_OK) return;
    double friction[5] = {1.0, 1.0, 0.005, 0.0001, 0.0001}, margin = 0.0, gap = 0.0;
    pair.condim = 3;
    tac_read_int(reader, element, "condim", 1, 6, &pair.condim);
    if (pair.condim == 2 || pair.condim == 5)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "condim"), "condim",
                        "must be 1, 3, 4 or 6");
    tac_read_numbers(reader, element, "friction", (tacCountRange){1, 5}, not_negative, friction);
    tac_read_number(reader, element, "margin", any_number, &margin);
    tac_read_number(reader, element, "gap", any_number, &gap);
    pair.friction = tac_spec_param(spec, path, "friction", not_negative, friction, 5);
    pair.solref = tac_read_solref(spec, element, "solref", path);
    pair.solreffriction = tac_read_solref(spec, element, "solreffriction", path);
    pair.solimp = tac_read_solimp(spec, element, "solimp", path);
    pair.margin = tac_spec_param(spec, path, "margin", any_number, &margin, 1);
    pair.gap = tac_spec_param(spec, path, "gap", any_number, &gap, 1);
    tacPair* out = tac_list_add(reader, &spec->geoms.pair, sizeof *out);
    if (out) *out = pair;
    const tacElement** element_slot =
        tac_list_add(reader, &spec->contact.pair_element, sizeof *element_slot);
    if (element_slot) *element_slot = element;
}

//---------------------------------- excludes -------------------------------------

static void read_exclude(tacSpec* spec, const tacElement* element) {
    tac_require(&spec->reader, element, "body1");
    tac_require(&spec->reader, element, "body2");
    tac_spec_name(spec, element, "exclude", spec->geoms.exclude.count);
    int bodies[2] = {tac_read_reference(spec, element, "body1", "body"),
                     tac_read_reference(spec, element, "body2", "body")};
    int* out = tac_list_add(&spec->reader, &spec->geoms.exclude, sizeof bodies);
    if (out) memcpy(out, bodies, sizeof bodies);
}

void tac_read_contact(tacSpec* spec, const tacElement* element) {
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next)
        if (tac_element_is(c, "pair"))
            read_pair(spec, c);
        else
            read_exclude(spec, c);
}
