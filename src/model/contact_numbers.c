// Attributes of <tactus> that detectors and responders take: numbers, each a parameter of the
// model, and choices.
//
// A detector or responder adds a row here, its name in contact.h and its word in schema.c; nothing
// else is needed to read it, name it and refuse it where it has no meaning.

#include "model/contact_plan.h"

#include "base/assert.h"

#include <math.h>

#define D(name) (1u << TAC_DETECT_##name)
#define R(name) (1u << TAC_RESPOND_##name)
#define FORCES  (R(SPRING) | R(SCM) | R(ELASTOPLASTIC))

//---------------------------------- tables ---------------------------------------

// what a default is a multiple of
typedef enum { OF_ONE, OF_LENGTH, OF_AREA, OF_VELOCITY, OF_TAU, OF_SLOPE } defaultUnit;

// `detectors` and `responders` are bits of those that have it; one of either is enough
typedef struct numberRow {
    tacContactNumber number;
    const char *group, *attribute; // "respond", "stiction": the parameter respond/stiction
    tacRange range;
    double value; // default, in `unit`
    defaultUnit unit;
    unsigned detectors, responders;
} numberRow;

static const numberRow numbers[] = {
    {TAC_CONTACT_DISSIPATION,
     "respond",
     "dissipation",
     {1e-6, 1e6},
     0.2,
     OF_VELOCITY,
     0,
     R(SPRING) | R(SCM) | R(ELASTOPLASTIC)},
    {TAC_CONTACT_STICTION,
     "respond",
     "stiction",
     {1e-9, 1e6},
     0.01,
     OF_VELOCITY,
     0,
     R(SPRING) | R(SCM) | R(ELASTOPLASTIC)},
    {TAC_CONTACT_EPS3, "respond", "eps3", {1e-9, 1e9}, 0.005, OF_LENGTH, 0, R(SPRING) | R(SCM)},
    {TAC_CONTACT_TAU, "detect", "tau", {1e-9, 1e6}, 0.01, OF_LENGTH, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CONTACT_EPS1, "detect", "eps1", {1e-18, 1e9}, 1e-4, OF_AREA, D(SSDF), 0},
    {TAC_CONTACT_EPS2, "detect", "eps2", {1e-9, 1e9}, 0.02, OF_LENGTH, D(SSDF), 0},
    {TAC_CONTACT_SORT,
     "detect",
     "sort",
     {1e-6, 1e3},
     0.05,
     OF_ONE,
     D(SSDF) | D(MANIFOLD) | D(EDGE_SDF),
     0},
    {TAC_CONTACT_SUPPORT,
     "detect",
     "support",
     {1e-9, 1e6},
     8.0,
     OF_TAU,
     D(MANIFOLD) | D(EDGE_SDF),
     0},
    {TAC_CONTACT_DEPTH, "detect", "depth", {1e-9, 1e6}, 8.0, OF_TAU, D(MANIFOLD), 0},
    {TAC_CONTACT_DELTA, "detect", "delta", {1e-9, 1e-3}, 1e-7, OF_ONE, 0, R(LCP)},
    {TAC_CONTACT_RESTITUTION, "respond", "restitution", {0.0, 1.0}, 0.0, OF_ONE, 0, R(LCP)},
    {TAC_CONTACT_NEIGHBOURS, "detect", "neighbours", {1e-9, 1e6}, 0.02, OF_LENGTH, D(MANIFOLD), 0},
    {TAC_CONTACT_SIGN, "detect", "sign", {1e-6, 1e3}, 0.1, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_CLASH, "detect", "clash", {1e-6, 1e3}, 0.1, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_REGULAR, "detect", "regular", {1e-12, 1e3}, 1e-3, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_LEAST, "detect", "least", {1e-9, 1e3}, 1e-2, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_CLIP, "detect", "clip", {1e-6, 1e3}, 0.02, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_WITHIN, "detect", "within", {1e-6, 1e3}, 0.02, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_RANGE, "detect", "range", {1e-3, 1e3}, 0.2, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_GAP, "detect", "gap", {1e-9, 1e3}, 1e-3, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_LIMIT_RATE, "respond", "limitrate", {1e-6, 1e9}, 50.0, OF_ONE, 0, FORCES},
    {TAC_CONTACT_LIMIT_WIDTH, "respond", "limitwidth", {1e-9, 1e6}, 2e-3, OF_ONE, 0, FORCES},
    {TAC_CONTACT_LIMIT_DISSIPATION,
     "respond",
     "limitdissipation",
     {1e-6, 1e6},
     1.0,
     OF_ONE,
     0,
     FORCES},
    {TAC_CONTACT_DRY_STICTION, "respond", "drystiction", {1e-9, 1e6}, 0.01, OF_ONE, 0, FORCES},
    {TAC_CONTACT_GATE, "detect", "gate", {1e-9, 1e6}, 0.005, OF_LENGTH, D(EDGE_SDF), 0},
    {TAC_CONTACT_KEEP_WIDTH,
     "detect",
     "keepwidth",
     {1e-9, 1e6},
     1.0,
     OF_TAU,
     D(MANIFOLD) | D(EDGE_SDF),
     0},
    {TAC_CONTACT_RAY_SLOPE, "detect", "slope", {0.1, 1e6}, 1.0, OF_SLOPE, D(EDGE_SDF), 0},
};

// a word of a list by its number, or a whole number in a range where `words` is NULL
typedef struct choiceRow {
    tacContactChoice choice;
    const char *attribute, *words;
    int least, most, value;
    unsigned detectors, responders;
} choiceRow;

static const choiceRow choices[] = {
    {TAC_CHOICE_LAW, "law", "smooth published", 0, 0, 0, 0, R(SPRING) | R(SCM)},
    {TAC_CHOICE_IMPLICIT, "implicit", "false true", 0, 0, 0, 0, R(SPRING) | R(SCM)},
    {TAC_CHOICE_SIDES, "sides", "both first second", 0, 0, 0, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_VERTICES, "vertices", NULL, 8, 20000, 300, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_EDGES, "edges", "true false", 0, 0, 0, D(MANIFOLD), 0},
    {TAC_CHOICE_SOFT, "soft", NULL, 2, 64, 8, D(SSDF), 0},
    {TAC_CHOICE_SELECT, "select", "softsort sinkhorn", 0, 0, 0, D(SSDF), 0},
    {TAC_CHOICE_POINTS, "points", NULL, 6, 65536, 600, D(SSDF), 0},
    {TAC_CHOICE_EXACT, "exact", "false true", 0, 0, 0, D(SSDF), 0},
    {TAC_CHOICE_UNCULLED, "cull", "true false", 0, 0, 0, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_CCD, "ccd", "false true", 0, 0, 1, 0, R(LCP)},
    {TAC_CHOICE_BOUNDS, "bounds", "coupled frozen", 0, 0, 0, 0, R(LCP)},
    {TAC_CHOICE_IMPACTS, "max_impacts", NULL, 1, 1000, 20, 0, R(LCP)},
    {TAC_CHOICE_GRADIENT, "gradient", "one_sided helpful", 0, 0, 0, 0, R(LCP)},
    {TAC_CHOICE_OVERLAP, "overlap", "refuse resolve", 0, 0, 0, 0, R(LCP)},
    {TAC_CHOICE_STEPS, "iterations", NULL, 1, 64, 8, D(EDGE_SDF), 0},
    {TAC_CHOICE_DEFINITION, "definition", "compact published", 0, 0, 0, D(MANIFOLD), 0},
    {TAC_CHOICE_KEEP, "keep", "near threshold softsort sinkhorn", 0, 0, 0,
     D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_KEEP_VERTICES, "keep_vertices", NULL, 1, 1000, 18, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_KEEP_EDGES, "keep_edges", NULL, 1, 1000, 18, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_PROJECT, "project", NULL, 0, 5, 0, D(MANIFOLD), 0},
    {TAC_CHOICE_FUSE, "fuse", "none face", 0, 0, 0, D(EDGE_SDF), 0},
};

//---------------------------------- reading --------------------------------------

const tacElement* tac_find_tactus(const tacDraft* draft, const char* attribute) {
    const tacElement* const* element = draft->tactus.items;
    for (int i = draft->tactus.count - 1; i >= 0; --i)
        if (tac_attribute(element[i], attribute)) return element[i];
    return NULL;
}

static int is_meant(const tacContactPlan* plan, unsigned detectors, unsigned responders) {
    return (detectors >> plan->detector & 1u) || (responders >> plan->responder & 1u);
}

static void refuse(tacDraft* draft, const tacElement* element, const char* attribute) {
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                    attribute,
                    "has no meaning for this detect and respond (docs/contact.md has the table); "
                    "remove it");
}

// Of a length; detect/tau stands before what is measured in it.
static double default_of(tacDraft* draft, const numberRow* row, const tacContactScale* scale,
                         const tacContactPlan* plan, double length) {
    double unit[] = {1.0, length, length * length, sqrt(9.81 * length), 0.0, scale->slope};
    if (row->unit == OF_TAU) unit[OF_TAU] = *tac_draft_values(draft, plan->number[TAC_CONTACT_TAU]);
    // friction that sticks harder than this chatters in explicit steps (tac_stable_timestep)
    if (row->number == TAC_CONTACT_STICTION && !plan->choice[TAC_CHOICE_IMPLICIT])
        unit[OF_VELOCITY] = fmax(unit[OF_VELOCITY], 2.0 * 9.81 * scale->timestep / row->value);
    // clouds push sideways at edges, and what friction holds creeps with a share of this
    else if (row->number == TAC_CONTACT_STICTION && plan->detector == TAC_DETECT_SSDF)
        unit[OF_VELOCITY] *= 0.2;
    if (row->number == TAC_CONTACT_DRY_STICTION && !plan->choice[TAC_CHOICE_IMPLICIT])
        unit[OF_ONE] = 10.0;
    return fmin(fmax(row->value * unit[row->unit], row->range.lower), row->range.upper);
}

// numbers of a way to keep that was not chosen
static int is_idle(const tacContactPlan* plan, tacContactNumber number) {
    int keep = plan->choice[TAC_CHOICE_KEEP];
    return (number == TAC_CONTACT_KEEP_WIDTH && keep != 1) ||
           (number == TAC_CONTACT_SORT && plan->detector != TAC_DETECT_SSDF && keep < 2);
}

// numbers of the law: of clouds each pair of bodies has its own, unless the scene says them
static int is_of_pairs(tacContactNumber number) {
    return number == TAC_CONTACT_DISSIPATION || number == TAC_CONTACT_STICTION ||
           number == TAC_CONTACT_EPS3;
}

static void read_number(tacDraft* draft, const numberRow* row, const tacContactScale* scale,
                        tacContactPlan* plan) {
    const tacElement* element = tac_find_tactus(draft, row->attribute);
    plan->number[row->number] = -1;
    if (!is_meant(plan, row->detectors, row->responders) || is_idle(plan, row->number)) {
        if (element) refuse(draft, element, row->attribute);
        return;
    }
    int count = element || !is_of_pairs(row->number) || scale->pairs == 0 ? 1 : scale->pairs;
    double* value = tac_reader_take(&draft->reader, sizeof *value * (size_t)count);
    if (!value) return;
    for (int i = 0; i < count; ++i)
        value[i] =
            default_of(draft, row, scale, plan, count > 1 ? scale->lengths[i] : scale->length);
    if (element) tac_read_number(&draft->reader, element, row->attribute, row->range, value);
    plan->number[row->number] = tac_draft_param(draft, (tacPath){row->group, NULL}, row->attribute,
                                                row->range, value, count);
}

int tac_contact_number(const tacDraft* draft, const tacContactScale* scale,
                       const tacContactPlan* plan, tacContactNumber number, int bodies) {
    int at = plan->number[number];
    for (int i = 0; i < TAC_COUNT(numbers); ++i)
        if (numbers[i].number == number && at >= 0 && scale->pairs > 0 &&
            !tac_find_tactus(draft, numbers[i].attribute))
            return at + bodies;
    return at;
}

static void read_choice(tacDraft* draft, const choiceRow* row, tacContactPlan* plan) {
    const tacElement* element = tac_find_tactus(draft, row->attribute);
    plan->choice[row->choice] = row->value;
    if (!element) return;
    // soft points are records; scm takes the field itself
    int soft = row->choice == TAC_CHOICE_SOFT || row->choice == TAC_CHOICE_SELECT;
    if (soft && plan->responder == TAC_RESPOND_SCM) {
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE,
                        tac_attribute_line(element, row->attribute), row->attribute,
                        "has no meaning for respond=\"scm\"%s, which takes the field itself; add "
                        "respond=\"spring\" for soft points, or remove it",
                        tac_find_tactus(draft, "respond") ? ""
                                                          : ", the default of detect=\"ssdf\"");
    } else if (!is_meant(plan, row->detectors, row->responders)) {
        refuse(draft, element, row->attribute);
    } else if (row->words) {
        int word = tac_read_word(&draft->reader, element, row->attribute, row->words);
        if (word >= 0) plan->choice[row->choice] = word;
    } else {
        tac_read_int(&draft->reader, element, row->attribute, row->least, row->most,
                     &plan->choice[row->choice]);
    }
}

// springs are implicit unless the scene says otherwise, where the integrator allows it
static void choose_implicit(tacDraft* draft, tacContactPlan* plan) {
    int springs = plan->responder == TAC_RESPOND_SPRING || plan->responder == TAC_RESPOND_SCM;
    if (!springs || tac_find_tactus(draft, "implicit")) return;
    plan->choice[TAC_CHOICE_IMPLICIT] = draft->integrator == TAC_INTEGRATOR_EULER ||
                                        draft->integrator == TAC_INTEGRATOR_IMPLICITFAST;
}

// derivatives at other temperatures are of forces of smooth detectors
static void read_surrogate(tacDraft* draft, tacContactPlan* plan) {
    const tacElement* element = tac_find_tactus(draft, "surrogate");
    plan->surrogate = 1.0;
    if (!element) return;
    if (is_meant(plan, D(MANIFOLD) | D(EDGE_SDF) | D(SSDF), 0))
        tac_read_number(&draft->reader, element, "surrogate", (tacRange){1.0, 1e4},
                        &plan->surrogate);
    else
        refuse(draft, element, "surrogate");
}

// counts and averages have a meaning with their own words alone
static void check_keep(tacDraft* draft, const tacContactPlan* plan) {
    static const char* const counts[] = {"keep_vertices", "keep_edges"};
    int keep = plan->choice[TAC_CHOICE_KEEP], published = plan->choice[TAC_CHOICE_DEFINITION];
    const tacElement* element = tac_find_tactus(draft, "keep");
    if (element && keep == 1 && published)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "keep"),
                        "keep",
                        "threshold is for definition=\"compact\"; take softsort or sinkhorn");
    if (element && keep && plan->choice[TAC_CHOICE_FUSE])
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "keep"),
                        "keep",
                        "has no meaning with fuse=\"face\": a face has one contact already");
    if (element && keep > 1 && !published && plan->detector == TAC_DETECT_MANIFOLD)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "keep"),
                        "keep",
                        "averages vertices and edges: it needs definition=\"published\"; "
                        "threshold goes without");
    for (int i = 0; i < TAC_COUNT(counts) && keep == 0; ++i)
        if ((element = tac_find_tactus(draft, counts[i])))
            tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, counts[i]),
                            counts[i], "needs keep: without it all that is near counts");
}

void tac_read_contact_numbers(tacDraft* draft, const tacContactScale* scale, tacContactPlan* plan) {
    for (int i = 0; i < TAC_COUNT(choices); ++i) read_choice(draft, &choices[i], plan);
    choose_implicit(draft, plan);
    read_surrogate(draft, plan);
    check_keep(draft, plan);
    for (int i = 0; i < TAC_COUNT(numbers); ++i) read_number(draft, &numbers[i], scale, plan);
}

static void refuse_idle(tacDraft* draft, const char* attribute) {
    const tacElement* element = tac_find_tactus(draft, attribute);
    if (element)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                        attribute, "needs detect or respond: without them nothing touches");
}

void tac_refuse_contact_numbers(tacDraft* draft) {
    refuse_idle(draft, "stiffness");
    refuse_idle(draft, "surrogate");
    for (int i = 0; i < TAC_COUNT(numbers); ++i) refuse_idle(draft, numbers[i].attribute);
    for (int i = 0; i < TAC_COUNT(choices); ++i) refuse_idle(draft, choices[i].attribute);
}

//---------------------------------- pairs ----------------------------------------

int tac_read_pair_number(tacDraft* draft, const tacContactPlan* plan, int pair,
                         tacContactNumber number) {
    const tacElement* element = ((const tacElement* const*)draft->pair_element.items)[pair];
    const char* name = ((const tacPair*)draft->pair.items)[pair].name;
    const numberRow* row = NULL;
    for (int i = 0; i < TAC_COUNT(numbers); ++i)
        if (numbers[i].number == number) row = &numbers[i];
    const char* attribute = row ? row->attribute : "stiffness";
    const tacRange range = row ? row->range : (tacRange){1e-9, 1e15};
    if (!tac_attribute(element, attribute)) return plan->number[number];
    if (plan->number[number] < 0) refuse(draft, element, attribute);
    double value = 1.0;
    tac_read_number(&draft->reader, element, attribute, range, &value);
    return tac_draft_param(draft, tac_item_path(draft, "pair", name, pair), attribute, range,
                           &value, 1);
}
