// Who may touch whom, and how hard: the plan of contact of a scene that asks for it.
//
// Defaults of k, one for each pair of bodies of reduced mass m and the smaller mean radius l:
//
//   k = m min(9.81/(0.01 l), (0.3/h)^2), of implicit steps at least m 9.81/(0.05 l)
//
// so that a weight sinks in by a hundredth of l, unless the time step h would be too long for it.

#include "model/contact_plan.h"
#include "model/planar.h"

#include "base/assert.h"
#include "math/dense.h"
#include "model/field_slope.h"

#include <math.h>
#include <string.h>

static const tacRange range_stiffness = {1e-9, 1e15};

//---------------------------------- words ----------------------------------------

#define R(name) (1u << TAC_RESPOND_##name)

// a detector or responder: its word, is it built, who goes with it, and who if nothing is said
typedef struct contactWord {
    const char* word;
    int built;
    unsigned partners; // responders that a detector feeds
    int partner;
} contactWord;

static const contactWord detectors[] = {
    [TAC_DETECT_SSDF] = {"ssdf", 1, R(SCM) | R(SPRING), TAC_RESPOND_SCM},
    [TAC_DETECT_MANIFOLD] = {"manifold", 1, R(SPRING) | R(CONE), TAC_RESPOND_SPRING},
    [TAC_DETECT_EDGE_SDF] = {"edge_sdf", 1, R(SPRING) | R(CONE), TAC_RESPOND_SPRING},
    [TAC_DETECT_SAT] = {"sat", 1, R(ELASTOPLASTIC) | R(SPRING), TAC_RESPOND_ELASTOPLASTIC},
    [TAC_DETECT_CONVEX] = {"convex", 1, R(ELASTOPLASTIC) | R(SPRING), TAC_RESPOND_ELASTOPLASTIC},
    [TAC_DETECT_GJK] = {"gjk", 1, R(LCP) | R(ELASTOPLASTIC) | R(SPRING), TAC_RESPOND_LCP},
};

static const contactWord responders[] = {
    [TAC_RESPOND_SPRING] = {"spring", 1, 0, TAC_DETECT_MANIFOLD},
    [TAC_RESPOND_SCM] = {"scm", 1, 0, TAC_DETECT_SSDF},
    [TAC_RESPOND_ELASTOPLASTIC] = {"elastoplastic", 1, 0, TAC_DETECT_SAT},
    [TAC_RESPOND_LCP] = {"lcp", 1, 0, TAC_DETECT_GJK},
    [TAC_RESPOND_CONE] = {"cone", 0, 0, TAC_DETECT_MANIFOLD},
};

static int has_word(const contactWord* table, int count, const char* word) {
    for (int i = 0; i < count; ++i)
        if (strcmp(table[i].word, word) == 0) return 1;
    return 0;
}

const char* tac_contact_attribute(const char* word) {
    if (has_word(detectors, TAC_COUNT(detectors), word)) return "detect";
    return has_word(responders, TAC_COUNT(responders), word) ? "respond" : NULL;
}

// all words of a table with blanks between them, those of `bits` alone
static const char* list_words(tacDraft* draft, const contactWord* table, int count, unsigned bits) {
    const char* list = "";
    for (int i = 0; i < count && list; ++i)
        if (bits >> i & 1u)
            list = tac_reader_text(&draft->reader, "%s%s%s", list, *list ? " " : "", table[i].word);
    return list ? list : "";
}

// what there is to choose from
static unsigned built_bits(const contactWord* table, int count) {
    unsigned bits = 0;
    for (int i = 0; i < count; ++i) bits |= (unsigned)(table[i].built != 0) << i;
    return bits;
}

// number of the word that a <tactus> gives, or -1
static int read_word(tacDraft* draft, const char* attribute, const contactWord* table, int count) {
    const tacElement* element = tac_find_tactus(draft, attribute);
    if (!element) return -1;
    return tac_read_word(&draft->reader, element, attribute, list_words(draft, table, count, ~0u));
}

static void fail_word(tacDraft* draft, const tacContactPlan* plan, const char* attribute,
                      tacResult result, const char* what) {
    const tacElement* element = tac_find_tactus(draft, attribute);
    if (!element) attribute = *attribute == 'd' ? "respond" : "detect";
    if (!element) element = tac_find_tactus(draft, attribute);
    tac_reader_fail(&draft->reader, result, tac_attribute_line(element, attribute), attribute,
                    "detect=\"%s\" with respond=\"%s\" %s", detectors[plan->detector].word,
                    responders[plan->responder].word, what);
}

// both must go together, and be built
static void check_words(tacDraft* draft, const tacContactPlan* plan) {
    unsigned partners = detectors[plan->detector].partners;
    const char* fitting = list_words(draft, responders, TAC_COUNT(responders),
                                     partners & built_bits(responders, TAC_COUNT(responders)));
    const char* advice = tac_reader_text(
        &draft->reader, "do not go together: what it finds is for respond: %s", fitting);
    const char* unbuilt = "is not built yet; remove it to load the scene without contact";
    if (!(partners >> plan->responder & 1u))
        fail_word(draft, plan, "respond", TAC_ERROR_VALUE, advice ? advice : "");
    else if (!detectors[plan->detector].built)
        fail_word(draft, plan, "detect", TAC_ERROR_UNSUPPORTED, unbuilt);
    else if (!responders[plan->responder].built)
        fail_word(draft, plan, "respond", TAC_ERROR_UNSUPPORTED, unbuilt);
}

// 1 if the scene asks for contact
static int choose(tacDraft* draft, tacContactPlan* plan) {
    int detect = read_word(draft, "detect", detectors, TAC_COUNT(detectors));
    int respond = read_word(draft, "respond", responders, TAC_COUNT(responders));
    if (draft->reader.result != TAC_OK || (detect < 0 && respond < 0)) return 0;
    plan->detector = (tacDetector)(detect >= 0 ? detect : responders[respond].partner);
    plan->responder = respond >= 0 ? respond : detectors[detect].partner;
    check_words(draft, plan);
    return draft->reader.result == TAC_OK;
}

//---------------------------------- bodies ---------------------------------------

// mass and mean radius of what moves with a body; mass 0: it does not move
typedef struct lump {
    double mass, radius;
} lump;

static int mover(const tacModel* model, int body) {
    while (body > 0 && model->body[body].joints == 0) body = model->body[body].parent;
    return body;
}

// the ball of the same mass and mean moment: I = 2/5 m r^2
static double mean_radius(const double I[6], double mass) {
    return sqrt(2.5 * (I[0] + I[1] + I[2]) / (3.0 * mass));
}

// The least half axis of the ellipsoid of the same mass and inertia: across it the mass has the
// second moment m a^2/5 = tr I/2 - I. A fiftieth of the mean at least, for inertias of no solid.
static double least_radius(const double I[6], double mass) {
    double value[3], axes[3][3];
    tac_eigen3(I, value, axes);
    double least = (value[1] + value[2] - value[0]) / (2.0 * mass);
    return fmax(sqrt(5.0 * fmax(least, 0.0)), 0.02 * mean_radius(I, mass));
}

// A part counts with its own radius; of what is `thin`, twice the least one is enough
static lump lump_of(const tacModel* model, int body, int thin) {
    lump all = {0.0, 0.0};
    int moves = mover(model, body);
    if (moves == 0) return all;
    for (int b = moves; b < model->nbody; ++b) {
        if (mover(model, b) != moves) continue;
        const double* I = model->param + model->body[b].inertia;
        double mass = model->param[model->body[b].mass];
        if (!(mass > 0.0)) continue;
        all.mass += mass;
        double radius = mean_radius(I, mass);
        if (thin && radius > 0.0) radius = fmin(radius, 2.0 * least_radius(I, mass));
        all.radius = fmax(all.radius, radius);
    }
    if (!(all.mass > 0.0)) all.mass = 1.0;
    return all;
}

// of all bodies, or NULL without memory
static const lump* list_lumps(tacDraft* draft, const tacModel* model, const tacContactPlan* plan) {
    // soft points of a plate need eps2 of its width: they are chosen by it
    int thin = plan->detector == TAC_DETECT_MANIFOLD || plan->detector == TAC_DETECT_EDGE_SDF ||
               plan->responder == TAC_RESPOND_SCM;
    lump* all = tac_reader_take(&draft->reader, sizeof *all * (size_t)model->nbody);
    for (int b = 0; b < model->nbody && all; ++b) all[b] = lump_of(model, b, thin);
    return all;
}

static double reduced_mass(lump a, lump b) {
    if (a.mass == 0.0 || b.mass == 0.0) return a.mass + b.mass;
    return a.mass * b.mass / (a.mass + b.mass);
}

static double smaller_radius(lump a, lump b) {
    double x = a.radius > 0.0 ? a.radius : INFINITY, y = b.radius > 0.0 ? b.radius : INFINITY;
    double r = fmin(x, y);
    return isfinite(r) ? fmax(r, 1e-4) : 0.1;
}

// a spring with the cube of the depth has the same force at a depth of 0.01 l
static double default_stiffness(const tacModel* model, const tacContactPlan* plan, int implicit,
                                lump a, lump b) {
    double h = model->param[model->timestep], rate = 0.3 / h;
    double depth = 0.01 * smaller_radius(a, b), square = rate * rate;
    // no step is too long for an implicit spring: weight goes in by 0.05 l, not through
    if (implicit) square = fmax(square, 9.81 / (5.0 * depth));
    double k = reduced_mass(a, b) * fmin(9.81 / depth, square);
    if (plan->responder == TAC_RESPOND_ELASTOPLASTIC) k /= depth * depth;
    return fmin(fmax(k, range_stiffness.lower), range_stiffness.upper);
}

// a ball about the centre of mass of a body of its own: what pushes it does not turn it
static int is_central_ball(const tacModel* model, const lump* lumps, int geom) {
    const tacGeom* g = &model->geom[geom];
    const tacBody* body = &model->body[g->body];
    if (g->shape < 0 || model->param[body->mass] != lumps[g->body].mass) return 0;
    const tacShape* shape = &model->shape[g->shape];
    const tacNode* root = &model->node[shape->first + shape->count - 1];
    double away = 0.0;
    for (int k = 0; k < 3 && root->kind == TAC_NODE_SPHERE; ++k)
        away += fabs(model->param[g->position + k] - model->param[body->com + k]) +
                fabs(model->param[root->position + k]);
    return root->kind == TAC_NODE_SPHERE && away <= 1e-9 * lumps[g->body].radius;
}

// Points of a turning body are as light as m/(1 + 5/2). Springs of four records share a face; k of
// scm is that of a whole pair.
static double give_of(const tacModel* model, const tacContactPlan* plan, const lump* lumps,
                      const tacContactPair* pair) {
    double sum = 0.0, springs = plan->responder == TAC_RESPOND_SCM ? 1.0 : 4.0;
    for (int i = 0; i < 2; ++i) {
        double mass = lumps[pair->body[i]].mass;
        double lightness = is_central_ball(model, lumps, pair->geom[i]) ? 1.0 : 3.5;
        if (mass > 0.0) sum += lightness / mass;
    }
    return springs * sum;
}

// lengths of all pairs of bodies, if they are not the same
static void list_lengths(tacDraft* draft, const lump* lumps, tacContactScale* scale) {
    const tacBodyPair* bodies = draft->body_pair.items;
    int count = draft->body_pair.count, differ = 0;
    double* length = tac_reader_take(&draft->reader, sizeof *length * (size_t)(count + 1));
    for (int i = 0; i < count && length; ++i) {
        length[i] = smaller_radius(lumps[bodies[i].body[0]], lumps[bodies[i].body[1]]);
        differ |= length[i] > scale->length * (1.0 + 1e-9);
    }
    if (length && differ) {
        scale->lengths = length;
        scale->pairs = count;
    }
}

static tacContactScale scale_of(const tacDraft* draft, const tacModel* model, const lump* lumps) {
    const tacBodyPair* bodies = draft->body_pair.items;
    tacContactScale scale = {INFINITY, 0.0, model->param[model->timestep], 1.0, NULL, 0};
    for (int i = 0; i < draft->body_pair.count; ++i)
        scale.length =
            fmin(scale.length, smaller_radius(lumps[bodies[i].body[0]], lumps[bodies[i].body[1]]));
    if (!isfinite(scale.length)) scale.length = 0.1;
    scale.velocity = sqrt(9.81 * scale.length);
    const tacContactPair* pair = draft->contact_pair.items;
    for (int i = 0; i < draft->contact_pair.count; ++i)
        for (int k = 0; k < 2; ++k)
            scale.slope = fmax(scale.slope, tac_field_slope(model, pair[i].geom[k]));
    return scale;
}

// will the step be linearly implicit? By default those of Euler are
static int is_implicit(tacDraft* draft) {
    const tacElement* element = tac_find_tactus(draft, "implicit");
    if (element) return tac_read_word(&draft->reader, element, "implicit", "false true") == 1;
    return draft->integrator == TAC_INTEGRATOR_EULER ||
           draft->integrator == TAC_INTEGRATOR_IMPLICITFAST;
}

// one number for all if the scene gives it, else one for each pair of bodies
static void plan_stiffness(tacDraft* draft, const tacModel* model, const lump* lumps,
                           tacContactPlan* plan) {
    tacBodyPair* bodies = draft->body_pair.items;
    const tacElement* element = tac_find_tactus(draft, "stiffness");
    int count = element || draft->body_pair.count == 0 ? 1 : draft->body_pair.count;
    double* k = tac_reader_take(&draft->reader, sizeof *k * (size_t)count);
    if (!k) return;
    k[0] = 1000.0;
    int implicit = is_implicit(draft);
    for (int i = 0; i < draft->body_pair.count; ++i) {
        lump a = lumps[bodies[i].body[0]], b = lumps[bodies[i].body[1]];
        bodies[i].weight = reduced_mass(a, b);
        if (!element) k[i] = default_stiffness(model, plan, implicit, a, b);
    }
    if (element) tac_read_number(&draft->reader, element, "stiffness", range_stiffness, k);
    int first =
        tac_draft_param(draft, (tacPath){"respond", NULL}, "stiffness", range_stiffness, k, count);
    plan->number[TAC_CONTACT_STIFFNESS] = first;
    for (int i = 0; i < draft->body_pair.count; ++i)
        bodies[i].stiffness = count == 1 ? first : first + i;
}

//---------------------------------- pairs ----------------------------------------

// where pairs of bodies stand in their list: slots of a table, -1 where there is none
typedef struct bodyTable {
    int* slot;
    unsigned mask; // one less than their count, a power of two
} bodyTable;

static bodyTable take_table(tacDraft* draft, int pairs) {
    bodyTable t = {.mask = 15};
    while (t.mask < 2u * (unsigned)pairs) t.mask = 2 * t.mask + 1;
    t.slot = tac_reader_take(&draft->reader, sizeof *t.slot * ((size_t)t.mask + 1));
    if (t.slot) memset(t.slot, 0xff, sizeof *t.slot * ((size_t)t.mask + 1));
    return t;
}

static int find_bodies(tacDraft* draft, bodyTable t, const int body[2]) {
    const tacBodyPair* known = draft->body_pair.items;
    unsigned at = ((unsigned)body[0] * 2654435761u + (unsigned)body[1] * 40503u) & t.mask;
    for (; t.slot[at] >= 0; at = (at + 1) & t.mask) {
        const int* other = known[t.slot[at]].body;
        if (other[0] == body[0] && other[1] == body[1]) return t.slot[at];
    }
    tacBodyPair* added = tac_list_add(&draft->reader, &draft->body_pair, sizeof *added);
    if (added) *added = (tacBodyPair){.body = {body[0], body[1]}};
    return t.slot[at] = draft->body_pair.count - 1;
}

// MuJoCo's rule: of the geom with the higher priority, else the larger; none with condim 1
static void combine_friction(const tacModel* model, tacContactPair* pair) {
    const tacGeom *a = &model->geom[pair->geom[0]], *b = &model->geom[pair->geom[1]];
    int condim = a->priority > b->priority   ? a->condim
                 : b->priority > a->priority ? b->condim
                 : a->condim > b->condim     ? a->condim
                                             : b->condim;
    pair->friction[0] = pair->friction[1] = -1;
    if (condim == 1) return;
    if (a->priority >= b->priority) pair->friction[0] = a->friction;
    if (b->priority > a->priority) pair->friction[0] = b->friction;
    if (a->priority == b->priority) pair->friction[1] = b->friction;
}

static void add_pair(tacDraft* draft, const tacModel* model, bodyTable table, const int geom[2]) {
    tacContactPair pair = {.geom = {geom[0], geom[1]}};
    for (int i = 0; i < 2; ++i) pair.body[i] = model->geom[geom[i]].body;
    pair.bodies = find_bodies(draft, table, pair.body);
    combine_friction(model, &pair);
    tacContactPair* out = tac_list_add(&draft->reader, &draft->contact_pair, sizeof *out);
    if (out) *out = pair;
}

// `number` of a <pair> where it has one
static void read_own(tacDraft* draft, const tacContactPlan* plan, int i, tacContactNumber number,
                     int* at) {
    int own = tac_read_pair_number(draft, plan, i, number);
    if (own != plan->number[number]) *at = own;
}

// a <pair> of the scene has numbers of its own
static void plan_own(tacDraft* draft, const tacContactPlan* plan, int i, tacContactPair* pair) {
    const tacPair* own = &((const tacPair*)draft->pair.items)[i];
    pair->friction[0] = own->condim == 1 ? -1 : own->friction;
    pair->friction[1] = -1;
    read_own(draft, plan, i, TAC_CONTACT_STIFFNESS, &pair->stiffness);
    read_own(draft, plan, i, TAC_CONTACT_DISSIPATION, &pair->dissipation);
    read_own(draft, plan, i, TAC_CONTACT_STICTION, &pair->stiction);
    read_own(draft, plan, i, TAC_CONTACT_EPS3, &pair->eps3);
}

static void plan_numbers(tacDraft* draft, const tacModel* model, const lump* lumps,
                         const tacContactScale* scale, const tacContactPlan* plan) {
    tacContactPair* pair = draft->contact_pair.items;
    const tacBodyPair* bodies = draft->body_pair.items;
    for (int i = 0; i < draft->contact_pair.count && draft->reader.result == TAC_OK; ++i) {
        int at = pair[i].bodies;
        pair[i].stiffness = bodies[at].stiffness;
        pair[i].dissipation = tac_contact_number(draft, scale, plan, TAC_CONTACT_DISSIPATION, at);
        pair[i].stiction = tac_contact_number(draft, scale, plan, TAC_CONTACT_STICTION, at);
        pair[i].eps3 = tac_contact_number(draft, scale, plan, TAC_CONTACT_EPS3, at);
        pair[i].give = give_of(model, plan, lumps, &pair[i]);
        if (i < draft->pair.count) plan_own(draft, plan, i, &pair[i]);
    }
}

static void list_pairs(tacDraft* draft, const tacModel* model) {
    int count = tac_geom_pairs(model, NULL, 0);
    int(*geoms)[2] = tac_reader_take(&draft->reader, sizeof *geoms * (size_t)(count + 1));
    bodyTable table = take_table(draft, count);
    if (!geoms || !table.slot) return;
    tac_geom_pairs(model, geoms, count);
    for (int i = 0; i < count && draft->reader.result == TAC_OK; ++i)
        add_pair(draft, model, table, geoms[i]);
}

//---------------------------------- plan -----------------------------------------

// a linearly implicit step is one of Euler's
static void check_implicit(tacDraft* draft, const tacContactPlan* plan) {
    if (!plan->choice[TAC_CHOICE_IMPLICIT]) return;
    if (draft->integrator == TAC_INTEGRATOR_EULER ||
        draft->integrator == TAC_INTEGRATOR_IMPLICITFAST)
        return;
    const tacElement* element = tac_find_tactus(draft, "implicit");
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "implicit"),
                    "implicit", "needs <option integrator=\"Euler\"> or \"implicitfast\"");
}

void tac_plan_contact(tacDraft* draft) {
    tacContactPlan plan = {0};
    if (draft->reader.result != TAC_OK) return;
    if (!choose(draft, &plan)) {
        if (draft->reader.result == TAC_OK) tac_refuse_contact_numbers(draft);
        return;
    }
    tacModel model = tac_draft_view(draft);
    if (draft->reader.result != TAC_OK) return;
    list_pairs(draft, &model);
    const lump* lumps = list_lumps(draft, &model, &plan);
    if (draft->reader.result != TAC_OK) return;
    tacContactScale scale = scale_of(draft, &model, lumps);
    plan.length = scale.length;
    if (plan.detector == TAC_DETECT_SSDF) list_lengths(draft, lumps, &scale);
    plan_stiffness(draft, &model, lumps, &plan);
    tac_read_contact_numbers(draft, &scale, &plan);
    if (draft->reader.result == TAC_OK) plan_numbers(draft, &model, lumps, &scale, &plan);
    if (plan.detector == TAC_DETECT_SAT || plan.detector == TAC_DETECT_CONVEX)
        tac_plan_solids(draft);
    if (plan.detector == TAC_DETECT_GJK) tac_plan_pieces(draft);
    if (draft->reader.result == TAC_OK) check_implicit(draft, &plan);
    if (draft->reader.result == TAC_OK && plan.responder < TAC_RESPOND_LCP) tac_plan_holds(draft);
    if (plan.responder == TAC_RESPOND_LCP) tac_check_hard(draft);
    tacContactPlan* out = tac_list_add(&draft->reader, &draft->contact, sizeof *out);
    if (out) *out = plan;
}
