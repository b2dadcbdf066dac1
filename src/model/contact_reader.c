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

static const tacGeom* geom_at(const tacDraft* draft, int index) {
    return (const tacGeom*)draft->geom.items + index;
}

// what a pair does not say is what its geoms say, mixed as MuJoCo mixes it
typedef struct tacBlend {
    double friction[5], solref[2], solimp[5], margin, gap;
    int condim;
} tacBlend;

static double larger(double a, double b) { return a > b ? a : b; }

static double share(double a, double b) {
    if (a >= 1e-15 && b >= 1e-15) return a / (a + b);
    return a < 1e-15 && b < 1e-15 ? 0.5 : a < 1e-15 ? 0.0 : 1.0;
}

static void mix(const double* a, const double* b, double weight, int count, double* out) {
    for (int i = 0; i < count; ++i) out[i] = weight * a[i] + (1.0 - weight) * b[i];
}

static void spread_friction(const double friction[3], double out[5]) {
    static const int from[5] = {0, 0, 1, 2, 2};
    for (int i = 0; i < 5; ++i) out[i] = friction[from[i]];
}

static tacBlend blend(tacDraft* draft, const tacGeom* a, const tacGeom* b) {
    tacBlend out = {.condim = a->condim > b->condim ? a->condim : b->condim};
    double* p = draft->param.items;
    double friction[3], weight = share(p[a->solmix], p[b->solmix]);
    for (int i = 0; i < 3; ++i) friction[i] = larger(p[a->friction + i], p[b->friction + i]);
    if (a->priority != b->priority) {
        const tacGeom* first = a->priority > b->priority ? a : b;
        memcpy(friction, &p[first->friction], sizeof friction);
        out.condim = first->condim, weight = first == a;
    }
    spread_friction(friction, out.friction);
    mix(&p[a->solref], &p[b->solref], weight, 2, out.solref);
    // a direct stiffness and damping are not mixed: the smaller of each
    if (weight > 0.0 && weight < 1.0 && (p[a->solref] <= 0.0 || p[b->solref] <= 0.0))
        for (int i = 0; i < 2; ++i) out.solref[i] = -larger(-p[a->solref + i], -p[b->solref + i]);
    mix(&p[a->solimp], &p[b->solimp], weight, 5, out.solimp);
    out.margin = larger(p[a->margin], p[b->margin]);
    out.gap = larger(p[a->gap], p[b->gap]);
    return out;
}

static void read_pair(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    tacPair pair = {0};
    read_geoms(draft, element, pair.geom);
    pair.name = tac_draft_name(draft, element, "pair", draft->pair.count);
    tacPath path = tac_item_path(draft, "pair", pair.name, draft->pair.count);
    if (reader->result != TAC_OK) return;
    tacBlend own = blend(draft, geom_at(draft, pair.geom[0]), geom_at(draft, pair.geom[1]));
    double solreffriction[2] = {0};
    pair.condim = own.condim;
    tac_read_int(reader, element, "condim", 1, 6, &pair.condim);
    if (pair.condim == 2 || pair.condim == 5)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "condim"), "condim",
                        "must be 1, 3, 4 or 6");
    tac_read_numbers(reader, element, "friction", 1, 5, not_negative, own.friction);
    tac_read_numbers(reader, element, "solref", 1, 2, any_number, own.solref);
    tac_read_numbers(reader, element, "solreffriction", 1, 2, any_number, solreffriction);
    tac_read_numbers(reader, element, "solimp", 1, 5, any_number, own.solimp);
    tac_read_number(reader, element, "margin", any_number, &own.margin);
    tac_read_number(reader, element, "gap", any_number, &own.gap);
    pair.friction = tac_draft_param(draft, path, "friction", not_negative, own.friction, 5);
    pair.solref = tac_draft_param(draft, path, "solref", any_number, own.solref, 2);
    pair.solreffriction =
        tac_draft_param(draft, path, "solreffriction", any_number, solreffriction, 2);
    pair.solimp = tac_draft_param(draft, path, "solimp", any_number, own.solimp, 5);
    pair.margin = tac_draft_param(draft, path, "margin", any_number, &own.margin, 1);
    pair.gap = tac_draft_param(draft, path, "gap", any_number, &own.gap, 1);
    tacPair* out = tac_list_add(reader, &draft->pair, sizeof *out);
    if (out) *out = pair;
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
