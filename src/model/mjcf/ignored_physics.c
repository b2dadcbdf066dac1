// Physics of a scene that is read and not computed: refused, unless the scene accepts it by name.
//
//   *_reader.c --notes--> [this file] --a message with line and attribute--> load.c
//
// A scene that moves otherwise than its file says must not load in silence. <tactus ignore="WORDS">
// accepts what the words name.

#include "model/contact/contact_plan.h"

#include "base/assert.h"

#include <string.h>

typedef struct ignoredRow {
    const char *word, *what, *advice;
} ignoredRow;

static const ignoredRow rows[] = {
    [TAC_IGNORED_CONDIM] =
        {"condim",
         "torsional and rolling friction (condim 4 and 6) are not supported yet, "
         "contact would be that of condim 3",
         "set condim=\"3\""},
    [TAC_IGNORED_EQUALITY] = {"equality",
                              "equalities have no effect with this responder, the mechanism would "
                              "come apart",
                              "use detect=\"gjk\" respond=\"lcp\", or <flag equality=\"disable\">"},
    [TAC_IGNORED_MARGIN] = {"margin",
                            "margins are not supported: MuJoCo keeps geoms apart by their margin, "
                            "and joints from their limits",
                            "set margin=\"0\""},
    [TAC_IGNORED_HFIELD] = {"hfield", "nothing touches height fields yet",
                            "set contype=\"0\" conaffinity=\"0\""},
    [TAC_IGNORED_BALL_LIMIT] = {"ball_limit",
                                "limits of ball joints are not supported yet, the joint would be "
                                "free",
                                "use three hinges, or limited=\"false\""},
    [TAC_IGNORED_OVERRIDE] =
        {"override",
         "contact numbers in place of all others (o_friction, o_margin) are not "
         "supported",
         "set override=\"disable\""},
    [TAC_IGNORED_FLUIDSHAPE] = {"fluidshape",
                                "the drag of ellipsoids is not supported yet, it would be that of "
                                "the inertia box",
                                "set fluidshape=\"none\""},
};

_Static_assert(TAC_COUNT(rows) == TAC_IGNORED_KINDS, "one row for each kind");

void tac_note_ignored(tacSpec* spec, tacIgnoredKind kind, const tacElement* element,
                      const char* attribute) {
    if (!spec->ignored[kind].element) spec->ignored[kind] = (tacIgnoredNote){element, attribute};
}

//---------------------------------- what a scene accepts -------------------------

static const char separators[] = " ,\t\r\n";

static int find_row(const char* word, size_t length) {
    for (int i = 0; i < TAC_COUNT(rows); ++i)
        if (strlen(rows[i].word) == length && memcmp(rows[i].word, word, length) == 0) return i;
    return -1;
}

// bits of the rows that <tactus ignore> names
static unsigned read_accepted(tacSpec* spec) {
    const tacElement* element = tac_find_tactus(spec, "ignore");
    const tacAttribute* attribute = element ? tac_attribute(element, "ignore") : NULL;
    unsigned accepted = 0;
    for (const char* at = attribute ? attribute->value : ""; *at;) {
        at += strspn(at, separators);
        size_t length = strcspn(at, separators);
        int row = length ? find_row(at, length) : -1;
        if (row >= 0) accepted |= 1u << row;
        if (length && row < 0)
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, attribute->line, "ignore",
                            "'%.*s' is none of: condim equality margin hfield ball_limit override "
                            "fluidshape",
                            length < 40 ? (int)length : 40, at);
        at += length;
    }
    return accepted;
}

//---------------------------------- contact --------------------------------------

static const tacElement* geom_element(const tacSpec* spec, int geom) {
    return ((const tacElement* const*)spec->geoms.element.items)[geom];
}

// MuJoCo's rule: of the geom with the higher priority, else the larger
static int condim_owner(const tacGeom* geom, const int pair[2]) {
    const tacGeom *a = &geom[pair[0]], *b = &geom[pair[1]];
    if (a->priority != b->priority) return a->priority > b->priority ? pair[0] : pair[1];
    return a->condim >= b->condim ? pair[0] : pair[1];
}

static void note_geoms(tacSpec* spec, const int pair[2]) {
    const tacGeom* geom = spec->geoms.geom.items;
    int owner = condim_owner(geom, pair);
    if (geom[owner].condim > 3)
        tac_note_ignored(spec, TAC_IGNORED_CONDIM, geom_element(spec, owner), "condim");
    for (int i = 0; i < 2; ++i)
        if (*tac_spec_values(spec, geom[pair[i]].margin) != 0.0)
            tac_note_ignored(spec, TAC_IGNORED_MARGIN, geom_element(spec, pair[i]), "margin");
}

// the pairs of the scene come first, with numbers of their own
static void note_pairs(tacSpec* spec) {
    const tacContactPair* pair = spec->contact.pair.items;
    const tacPair* own = spec->geoms.pair.items;
    const tacElement* const* element = spec->contact.pair_element.items;
    for (int i = 0; i < spec->contact.pair.count; ++i) {
        if (i >= spec->geoms.pair.count) {
            note_geoms(spec, pair[i].geom);
            continue;
        }
        if (own[i].condim > 3) tac_note_ignored(spec, TAC_IGNORED_CONDIM, element[i], "condim");
        if (*tac_spec_values(spec, own[i].margin) != 0.0)
            tac_note_ignored(spec, TAC_IGNORED_MARGIN, element[i], "margin");
    }
}

// bits of the notes that matter to this scene
static unsigned matter_of(const tacSpec* spec) {
    unsigned bits = spec->fluid.offset >= 0 ? 1u << TAC_IGNORED_FLUIDSHAPE : 0u;
    const tacContactPlan* plan = spec->contact.plan.items;
    if (spec->contact.plan.count == 0 || (spec->disable & TAC_DISABLE_CONSTRAINT)) return bits;
    int hard = plan->responder == TAC_RESPOND_LCP;
    if (!(spec->disable & TAC_DISABLE_CONTACT))
        bits |= 1u << TAC_IGNORED_CONDIM | 1u << TAC_IGNORED_HFIELD | 1u << TAC_IGNORED_OVERRIDE;
    bits |= 1u << TAC_IGNORED_MARGIN;
    if (!(spec->disable & TAC_DISABLE_EQUALITY) && !hard) bits |= 1u << TAC_IGNORED_EQUALITY;
    if (!(spec->disable & TAC_DISABLE_LIMIT) && !hard) bits |= 1u << TAC_IGNORED_BALL_LIMIT;
    return bits;
}

void tac_refuse_ignored(tacSpec* spec) {
    if (spec->reader.result != TAC_OK) return;
    unsigned accepted = read_accepted(spec);
    note_pairs(spec);
    unsigned refused = matter_of(spec) & ~accepted;
    for (int i = 0; i < TAC_COUNT(rows) && spec->reader.result == TAC_OK; ++i) {
        const tacIgnoredNote* note = &spec->ignored[i];
        if (!note->element || !(refused >> i & 1u)) continue;
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(note->element, note->attribute), note->attribute,
                        "%s; %s, or accept it with <tactus ignore=\"%s\"> (--contact \"... "
                        "ignore=%s\")",
                        rows[i].what, rows[i].advice, rows[i].word, rows[i].word);
    }
}
