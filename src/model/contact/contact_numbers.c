// Attributes of <tactus> that detectors and responders have: numbers, each a parameter of the
// model, and choices.
//
// A detector or responder adds a row here, its constant in contact.h and its word in schema.c;
// nothing else is needed to read it, name it and refuse it where it has no meaning.

#include "model/contact/contact_plan.h"

#include "base/assert.h"

#include <math.h>

#define D(name) (1u << TAC_DETECT_##name)
#define R(name) (1u << TAC_RESPOND_##name)
#define FORCES  (R(SPRING) | R(SCM) | R(ELASTOPLASTIC))

//---------------------------------- tables ---------------------------------------

// what a default is a multiple of
typedef enum { OF_ONE, OF_LENGTH, OF_AREA, OF_VELOCITY, OF_TAU, OF_LIPSCHITZ } defaultUnit;

// `detectors` and `responders` are bits of those that use it; one of either is enough
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
     0.004,
     OF_VELOCITY,
     0,
     R(SPRING) | R(SCM) | R(ELASTOPLASTIC)},
    {TAC_CONTACT_EPS3, "respond", "eps3", {1e-9, 1e9}, 0.005, OF_LENGTH, 0, R(SPRING) | R(SCM)},
    {TAC_CONTACT_TAU, "detect", "tau", {1e-9, 1e6}, 0.01, OF_LENGTH, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CONTACT_EPS1, "detect", "eps1", {1e-18, 1e9}, 1e-4, OF_AREA, D(SSDF), 0},
    {TAC_CONTACT_EPS2, "detect", "eps2", {1e-9, 1e9}, 0.02, OF_LENGTH, D(SSDF), 0},
    {TAC_CONTACT_SORT_TEMPERATURE,
     "detect",
     "sort_temperature",
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
    {TAC_CONTACT_EDGE_SOFTMIN,
     "detect",
     "edge_softmin",
     {1e-9, 1e6},
     0.02,
     OF_LENGTH,
     D(MANIFOLD),
     0},
    {TAC_CONTACT_SIGN, "detect", "sign", {1e-6, 1e3}, 0.1, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_OPPOSING, "detect", "opposing", {1e-6, 1e3}, 0.1, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_TIKHONOV, "detect", "tikhonov", {1e-12, 1e3}, 1e-3, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_MIN, "detect", "min", {1e-9, 1e3}, 1e-2, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_CLIP, "detect", "clip", {1e-6, 1e3}, 0.02, OF_ONE, D(MANIFOLD), 0},
    {TAC_CONTACT_INSIDE, "detect", "inside", {1e-6, 1e3}, 0.02, OF_ONE, D(MANIFOLD), 0},
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
    {TAC_CONTACT_TOP_K_WIDTH,
     "detect",
     "top_k_width",
     {1e-9, 1e6},
     1.0,
     OF_TAU,
     D(MANIFOLD) | D(EDGE_SDF),
     0},
    {TAC_CONTACT_LIPSCHITZ, "detect", "lipschitz", {0.1, 1e6}, 1.0, OF_LIPSCHITZ, D(EDGE_SDF), 0},
};

// one of a list of words, or an integer in a range where `words` is NULL
typedef struct choiceRow {
    tacContactChoice choice;
    const char *attribute, *words;
    int min, max, value;
    unsigned detectors, responders;
} choiceRow;

static const choiceRow choices[] = {
    {TAC_CHOICE_LAW, "law", "smooth reference", 0, 0, 0, 0, R(SPRING) | R(SCM)},
    {TAC_CHOICE_IMPLICIT, "implicit", "false true", 0, 0, 0, 0, FORCES},
    {TAC_CHOICE_SIDES, "sides", "both first second", 0, 0, 0, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_VERTICES, "vertices", NULL, 8, 20000, 300, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_EDGES, "edges", "true false", 0, 0, 0, D(MANIFOLD), 0},
    {TAC_CHOICE_SOFT_POINTS, "soft_points", NULL, 2, 64, 8, D(SSDF), 0},
    {TAC_CHOICE_SELECT, "select", "softsort sinkhorn", 0, 0, 0, D(SSDF), 0},
    {TAC_CHOICE_POINTS, "points", NULL, 6, 65536, 600, D(SSDF), 0},
    {TAC_CHOICE_UNREFINED, "refine", "true false", 0, 0, 0, 0, R(SCM)},
    {TAC_CHOICE_EXACT, "exact", "false true", 0, 0, 0, D(SSDF), 0},
    {TAC_CHOICE_UNCULLED, "cull", "true false", 0, 0, 0, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_CCD, "ccd", "false true", 0, 0, 1, 0, R(LCP)},
    {TAC_CHOICE_BOUNDS, "bounds", "coupled frozen", 0, 0, 0, 0, R(LCP)},
    {TAC_CHOICE_IMPACTS, "max_impacts", NULL, 1, 1000, 20, 0, R(LCP)},
    {TAC_CHOICE_GRADIENT, "gradient", "one_sided helpful", 0, 0, 0, 0, R(LCP)},
    {TAC_CHOICE_OVERLAP, "overlap", "refuse resolve", 0, 0, 0, 0, R(LCP)},
    {TAC_CHOICE_ITERATIONS, "iterations", NULL, 1, 64, 8, D(EDGE_SDF), 0},
    {TAC_CHOICE_DEFINITION, "definition", "compact reference", 0, 0, 0, D(MANIFOLD), 0},
    {TAC_CHOICE_TOP_K, "top_k", "none threshold softsort sinkhorn", 0, 0, 0,
     D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_TOP_K_VERTICES, "top_k_vertices", NULL, 1, 1000, 18, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_TOP_K_EDGES, "top_k_edges", NULL, 1, 1000, 18, D(MANIFOLD) | D(EDGE_SDF), 0},
    {TAC_CHOICE_PROJECT, "project", NULL, 0, 5, 0, D(MANIFOLD), 0},
    {TAC_CHOICE_FUSE, "fuse", "none face", 0, 0, 0, D(EDGE_SDF), 0},
};

//---------------------------------- reading --------------------------------------

const tacElement* tac_find_tactus(const tacSpec* spec, const char* attribute) {
    const tacElement* const* element = spec->contact.tactus.items;
    for (int i = spec->contact.tactus.count - 1; i >= 0; --i)
        if (tac_attribute(element[i], attribute)) return element[i];
    return NULL;
}

static int applies_to(const tacContactPlan* plan, unsigned detectors, unsigned responders) {
    return (detectors >> plan->detector & 1u) || (responders >> plan->responder & 1u);
}

static void reject_attribute(tacSpec* spec, const tacElement* element, const char* attribute) {
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                    attribute,
                    "has no meaning for this detector and responder; remove it (docs/contact.md "
                    "has the table)");
}

// The default for a length scale. Rows in units of detect/tau come after it.
static double default_of(tacSpec* spec, const numberRow* row, const tacContactScale* scale,
                         const tacContactPlan* plan, double length) {
    double unit[] = {1.0, length, length * length, sqrt(9.81 * length), 0.0, scale->lipschitz};
    if (row->unit == OF_TAU) unit[OF_TAU] = *tac_spec_values(spec, plan->number[TAC_CONTACT_TAU]);
    // Friction that sticks harder than this chatters in explicit steps (tac_stable_timestep). In
    // implicit ones a sticking contact creeps at most about twice as fast as MuJoCo's (`tactus
    // bench creep`).
    if (row->number == TAC_CONTACT_STICTION && !plan->choice[TAC_CHOICE_IMPLICIT])
        unit[OF_VELOCITY] =
            fmax(2.5 * unit[OF_VELOCITY], 2.0 * 9.81 * scale->timestep / row->value);
    // Clouds have tangential forces at edges, and one point of a face rocks: they creep faster.
    else if (row->number == TAC_CONTACT_STICTION &&
             (D(SSDF) | D(SAT) | D(CONVEX)) >> plan->detector & 1u)
        unit[OF_VELOCITY] *= 0.5;
    // A force that is smooth over the distance of points lets round bodies rest: they have no
    // valleys between their points to roll into (docs/scm.md)
    if (row->number == TAC_CONTACT_EPS3 && plan->responder == TAC_RESPOND_SCM)
        unit[OF_LENGTH] *= 3.0;
    if (row->number == TAC_CONTACT_DRY_STICTION && !plan->choice[TAC_CHOICE_IMPLICIT])
        unit[OF_ONE] = 10.0;
    return fmin(fmax(row->value * unit[row->unit], row->range.lower), row->range.upper);
}

// numbers of a top-K selection that was not chosen
static int is_unused(const tacContactPlan* plan, tacContactNumber number) {
    int top_k = plan->choice[TAC_CHOICE_TOP_K];
    return (number == TAC_CONTACT_TOP_K_WIDTH && top_k != 1) ||
           (number == TAC_CONTACT_SORT_TEMPERATURE && plan->detector != TAC_DETECT_SSDF &&
            top_k < 2);
}

// numbers of the force law: with clouds each pair of bodies has its own, unless the scene gives one
static int is_per_pair(tacContactNumber number) {
    return number == TAC_CONTACT_DISSIPATION || number == TAC_CONTACT_STICTION ||
           number == TAC_CONTACT_EPS3;
}

static void read_number(tacSpec* spec, const numberRow* row, const tacContactScale* scale,
                        tacContactPlan* plan) {
    const tacElement* element = tac_find_tactus(spec, row->attribute);
    plan->number[row->number] = -1;
    if (!applies_to(plan, row->detectors, row->responders) || is_unused(plan, row->number)) {
        if (element) reject_attribute(spec, element, row->attribute);
        return;
    }
    int count = element || !is_per_pair(row->number) || scale->pairs == 0 ? 1 : scale->pairs;
    double* value = tac_reader_alloc(&spec->reader, sizeof *value * (size_t)count);
    if (!value) return;
    for (int i = 0; i < count; ++i) {
        double length =
            scale->pairs > 0 && is_per_pair(row->number) ? scale->lengths[i] : scale->length;
        value[i] = default_of(spec, row, scale, plan, length);
        if (row->number == TAC_CONTACT_EPS3 && scale->widths)
            value[i] = fmax(fmin(value[i], scale->widths[i]), row->range.lower);
    }
    if (element) tac_read_number(&spec->reader, element, row->attribute, row->range, value);
    plan->number[row->number] =
        tac_spec_param(spec, (tacPath){row->group, NULL}, row->attribute, row->range, value, count);
}

int tac_contact_number(const tacSpec* spec, const tacContactScale* scale,
                       const tacContactPlan* plan, tacContactNumber number, int bodies) {
    int at = plan->number[number];
    for (int i = 0; i < TAC_COUNT(numbers); ++i)
        if (numbers[i].number == number && at >= 0 && scale->pairs > 0 &&
            !tac_find_tactus(spec, numbers[i].attribute))
            return at + bodies;
    return at;
}

static void read_choice(tacSpec* spec, const choiceRow* row, tacContactPlan* plan) {
    const tacElement* element = tac_find_tactus(spec, row->attribute);
    plan->choice[row->choice] = row->value;
    if (!element) return;
    // soft points are contact records; scm uses the field itself
    int soft = row->choice == TAC_CHOICE_SOFT_POINTS || row->choice == TAC_CHOICE_SELECT;
    if (soft && plan->responder == TAC_RESPOND_SCM) {
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, row->attribute),
                        row->attribute,
                        "has no meaning for respond=\"scm\"%s, which uses the field itself; add "
                        "respond=\"spring\" for soft points, or remove it",
                        tac_find_tactus(spec, "respond") ? "" : ", the default of detect=\"ssdf\"");
    } else if (!applies_to(plan, row->detectors, row->responders)) {
        reject_attribute(spec, element, row->attribute);
    } else if (row->words) {
        int word = tac_read_word(&spec->reader, element, row->attribute, row->words);
        if (word >= 0) plan->choice[row->choice] = word;
    } else {
        tac_read_int(&spec->reader, element, row->attribute, row->min, row->max,
                     &plan->choice[row->choice]);
    }
}

// forces are implicit by default where the integrator allows it
static void choose_implicit(tacSpec* spec, tacContactPlan* plan) {
    if (plan->responder == TAC_RESPOND_LCP || tac_find_tactus(spec, "implicit")) return;
    plan->choice[TAC_CHOICE_IMPLICIT] = spec->integrator != TAC_INTEGRATOR_EXPLICIT;
}

// only smooth detectors have derivatives at other temperatures
static void read_surrogate(tacSpec* spec, tacContactPlan* plan) {
    const tacElement* element = tac_find_tactus(spec, "surrogate");
    plan->surrogate = 1.0;
    if (!element) return;
    if (applies_to(plan, D(MANIFOLD) | D(EDGE_SDF) | D(SSDF), 0))
        tac_read_number(&spec->reader, element, "surrogate", (tacRange){1.0, 1e4},
                        &plan->surrogate);
    else
        reject_attribute(spec, element, "surrogate");
}

// counts need a top-K selection, averages the reference definition
static void check_top_k(tacSpec* spec, const tacContactPlan* plan) {
    static const char* const counts[] = {"top_k_vertices", "top_k_edges"};
    int top_k = plan->choice[TAC_CHOICE_TOP_K], is_reference = plan->choice[TAC_CHOICE_DEFINITION];
    const tacElement* element = tac_find_tactus(spec, "top_k");
    if (element && top_k == 1 && is_reference)
        tac_reader_fail(
            &spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "top_k"), "top_k",
            "\"threshold\" needs definition=\"compact\"; use \"softsort\" or \"sinkhorn\"");
    if (element && top_k && plan->choice[TAC_CHOICE_FUSE])
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "top_k"),
                        "top_k",
                        "cannot be combined with fuse=\"face\": a face has one contact already");
    if (element && top_k > 1 && !is_reference && plan->detector == TAC_DETECT_MANIFOLD)
        tac_reader_fail(
            &spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "top_k"), "top_k",
            "averages vertices and edges, which needs definition=\"reference\"; add that, or "
            "use \"threshold\"");
    for (int i = 0; i < TAC_COUNT(counts) && top_k == 0; ++i)
        if ((element = tac_find_tactus(spec, counts[i])))
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, counts[i]),
                            counts[i], "needs top_k: without it all contacts count");
}

void tac_read_contact_numbers(tacSpec* spec, const tacContactScale* scale, tacContactPlan* plan) {
    for (int i = 0; i < TAC_COUNT(choices); ++i) read_choice(spec, &choices[i], plan);
    choose_implicit(spec, plan);
    read_surrogate(spec, plan);
    check_top_k(spec, plan);
    for (int i = 0; i < TAC_COUNT(numbers); ++i) read_number(spec, &numbers[i], scale, plan);
}

static void reject_unused(tacSpec* spec, const char* attribute) {
    const tacElement* element = tac_find_tactus(spec, attribute);
    if (element)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                        attribute, "needs detect or respond: without them there is no contact");
}

void tac_refuse_contact_numbers(tacSpec* spec) {
    reject_unused(spec, "stiffness");
    reject_unused(spec, "surrogate");
    for (int i = 0; i < TAC_COUNT(numbers); ++i) reject_unused(spec, numbers[i].attribute);
    for (int i = 0; i < TAC_COUNT(choices); ++i) reject_unused(spec, choices[i].attribute);
}

//---------------------------------- pairs ----------------------------------------

int tac_read_pair_number(tacSpec* spec, const tacContactPlan* plan, int pair,
                         tacContactNumber number) {
    const tacElement* element = ((const tacElement* const*)spec->contact.pair_element.items)[pair];
    const char* name = ((const tacPair*)spec->geoms.pair.items)[pair].name;
    const numberRow* row = NULL;
    for (int i = 0; i < TAC_COUNT(numbers); ++i)
        if (numbers[i].number == number) row = &numbers[i];
    const char* attribute = row ? row->attribute : "stiffness";
    const tacRange range = row ? row->range : (tacRange){1e-9, 1e15};
    if (!tac_attribute(element, attribute)) return plan->number[number];
    if (plan->number[number] < 0) reject_attribute(spec, element, attribute);
    double value = 1.0;
    tac_read_number(&spec->reader, element, attribute, range, &value);
    return tac_spec_param(spec, tac_item_path(spec, "pair", name, pair), attribute, range, &value,
                          1);
}
