// The contact plan of a scene: which geoms may collide, with which stiffness.
//
// Defaults of k, one for each pair of bodies of reduced mass m, the smaller radius and 3/4 of
// the thinnest geom l:
//
//   k = F/(0.01 l), of explicit steps at most m (0.3/h)^2, of implicit ones at most m (100/h)^2
//
// so that the largest load F that is expected (contact_loads.c) penetrates by 0.01 l.

#include "model/contact/contact_plan.h"

#include "model/contact/geom_pairs.h"
#include "model/mjcf/planar.h"

#include "base/assert.h"
#include "math/dense.h"
#include "model/contact/field_lipschitz.h"

#include <math.h>
#include <string.h>

static const tacRange range_stiffness = {1e-9, 1e30};

//---------------------------------- words ----------------------------------------

// a detector or responder: its word, and its partner if the scene names none
typedef struct contactWord {
    const char* word;
    int partner;
} contactWord;

static const contactWord detectors[] = {
    [TAC_DETECT_SSDF] = {"ssdf", TAC_RESPOND_SCM},
    [TAC_DETECT_MANIFOLD] = {"manifold", TAC_RESPOND_SPRING},
    [TAC_DETECT_EDGE_SDF] = {"edge_sdf", TAC_RESPOND_SPRING},
    [TAC_DETECT_SAT] = {"sat", TAC_RESPOND_ELASTOPLASTIC},
    [TAC_DETECT_CONVEX] = {"convex", TAC_RESPOND_ELASTOPLASTIC},
    [TAC_DETECT_GJK] = {"gjk", TAC_RESPOND_LCP},
};

static const contactWord responders[] = {
    [TAC_RESPOND_SPRING] = {"spring", TAC_DETECT_MANIFOLD},
    [TAC_RESPOND_SCM] = {"scm", TAC_DETECT_SSDF},
    [TAC_RESPOND_ELASTOPLASTIC] = {"elastoplastic", TAC_DETECT_SAT},
    [TAC_RESPOND_LCP] = {"lcp", TAC_DETECT_GJK},
};

// Detectors and responders are independent choices, but for these pairs. Reasons complete a
// message.
#define NO_CLOUDS "scm integrates over oriented point clouds, which only detect=\"ssdf\" has"
#define NOT_ADDITIVE                                                                               \
    "its cubic law is not additive: the force would depend on the number of smooth points"
#define NO_FEATURES "lcp needs exact features and times of impact, which smooth fields do not have"
#define ONE_POINT                                                                                  \
    "lcp needs times of impact and every point of a face; this detector finds one point per pair"

static const char* const refused[][TAC_COUNT(responders)] = {
    [TAC_DETECT_SSDF] =
        {[TAC_RESPOND_ELASTOPLASTIC] = NOT_ADDITIVE, [TAC_RESPOND_LCP] = NO_FEATURES},
    [TAC_DETECT_MANIFOLD] = {[TAC_RESPOND_SCM] = NO_CLOUDS,
                             [TAC_RESPOND_ELASTOPLASTIC] = NOT_ADDITIVE,
                             [TAC_RESPOND_LCP] = NO_FEATURES},
    [TAC_DETECT_EDGE_SDF] = {[TAC_RESPOND_SCM] = NO_CLOUDS,
                             [TAC_RESPOND_ELASTOPLASTIC] = NOT_ADDITIVE,
                             [TAC_RESPOND_LCP] = NO_FEATURES},
    [TAC_DETECT_SAT] = {[TAC_RESPOND_SCM] = NO_CLOUDS, [TAC_RESPOND_LCP] = ONE_POINT},
    [TAC_DETECT_CONVEX] = {[TAC_RESPOND_SCM] = NO_CLOUDS, [TAC_RESPOND_LCP] = ONE_POINT},
    [TAC_DETECT_GJK] = {[TAC_RESPOND_SCM] = NO_CLOUDS},
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

// the words of a table that are in `bits`, with spaces between them
static const char* list_words(tacSpec* spec, const contactWord* table, int count, unsigned bits) {
    const char* list = "";
    for (int i = 0; i < count && list; ++i)
        if (bits >> i & 1u)
            list = tac_reader_text(&spec->reader, "%s%s%s", list, *list ? " " : "", table[i].word);
    return list ? list : "";
}

// responders that take the contacts of a detector
static unsigned partner_bits(tacDetector detector) {
    unsigned bits = 0;
    for (int i = 0; i < TAC_COUNT(responders); ++i) bits |= (unsigned)!refused[detector][i] << i;
    return bits;
}

// number of the word that a <tactus> gives, or -1
static int read_word(tacSpec* spec, const char* attribute, const contactWord* table, int count) {
    const tacElement* element = tac_find_tactus(spec, attribute);
    if (!element) return -1;
    return tac_read_word(&spec->reader, element, attribute, list_words(spec, table, count, ~0u));
}

static void fail_word(tacSpec* spec, const tacContactPlan* plan, const char* attribute,
                      tacResult result, const char* what) {
    const tacElement* element = tac_find_tactus(spec, attribute);
    if (!element) attribute = *attribute == 'd' ? "respond" : "detect";
    if (!element) element = tac_find_tactus(spec, attribute);
    tac_reader_fail(&spec->reader, result, tac_attribute_line(element, attribute), attribute,
                    "detect=\"%s\" with respond=\"%s\" %s", detectors[plan->detector].word,
                    responders[plan->responder].word, what);
}

// the pair must not be refused
static void check_words(tacSpec* spec, const tacContactPlan* plan) {
    const char* reason = refused[plan->detector][plan->responder];
    const char* partners =
        list_words(spec, responders, TAC_COUNT(responders), partner_bits(plan->detector));
    const char* advice = tac_reader_text(
        &spec->reader, "cannot be combined: %s; this detector goes with respond: %s",
        reason ? reason : "", partners);
    if (reason) fail_word(spec, plan, "respond", TAC_ERROR_VALUE, advice ? advice : "");
}

// 1 if the scene asks for contact
static int choose_methods(tacSpec* spec, tacContactPlan* plan) {
    int detect = read_word(spec, "detect", detectors, TAC_COUNT(detectors));
    int respond = read_word(spec, "respond", responders, TAC_COUNT(responders));
    if (spec->reader.result != TAC_OK || (detect < 0 && respond < 0)) return 0;
    plan->detector = (tacDetector)(detect >= 0 ? detect : responders[respond].partner);
    plan->responder = respond >= 0 ? respond : detectors[detect].partner;
    check_words(spec, plan);
    return spec->reader.result == TAC_OK;
}

//---------------------------------- bodies ---------------------------------------

// mass and mean radius of the bodies that move with a body; mass 0: it is static
typedef struct bodyScale {
    double mass, radius;
} bodyScale;

// the ball of the same mass and mean moment: I = 2/5 m r^2
static double mean_radius(const double I[6], double mass) {
    return sqrt(2.5 * (I[0] + I[1] + I[2]) / (3.0 * mass));
}

// The least half axis of the ellipsoid of the same mass and inertia: across it the mass has the
// second moment m a^2/5 = tr I/2 - I. A fiftieth of the mean at least, for inertias of no solid.
static double min_radius(const double I[6], double mass) {
    double value[3], axes[3][3];
    tac_eigen3(I, value, axes);
    double least = (value[1] + value[2] - value[0]) / (2.0 * mass);
    return fmax(sqrt(5.0 * fmax(least, 0.0)), 0.02 * mean_radius(I, mass));
}

// A part counts with its own radius; if `thin`, at most twice its smallest one.
static void add_part(const tacModel* model, int body, int thin, bodyScale* all) {
    const double* I = model->param + model->body[body].inertia;
    double mass = model->param[model->body[body].mass];
    if (!(mass > 0.0)) return;
    all->mass += mass;
    double radius = mean_radius(I, mass);
    if (thin && radius > 0.0) radius = fmin(radius, 2.0 * min_radius(I, mass));
    all->radius = fmax(all->radius, radius);
}

// of all bodies, or NULL without memory; parts come after the body that moves them
static const bodyScale* list_body_scales(tacSpec* spec, const tacModel* model, int thin) {
    bodyScale* all = tac_reader_alloc(&spec->reader, sizeof *all * (size_t)model->nbody);
    if (!all) return NULL;
    memset(all, 0, sizeof *all * (size_t)model->nbody);
    for (int b = 0; b < model->nbody; ++b) {
        int moves = tac_moving_body(model, b);
        if (moves > 0) add_part(model, b, thin, &all[moves]);
    }
    for (int b = 0; b < model->nbody; ++b) {
        int moves = tac_moving_body(model, b);
        if (moves > 0 && !(all[moves].mass > 0.0)) all[moves].mass = 1.0;
        all[b] = moves > 0 ? all[moves] : (bodyScale){0.0, 0.0};
    }
    return all;
}

// soft points of a plate need eps2 of its width: they are chosen by it
static int has_thin_lengths(const tacContactPlan* plan) {
    return plan->detector == TAC_DETECT_MANIFOLD || plan->detector == TAC_DETECT_EDGE_SDF ||
           plan->responder == TAC_RESPOND_SCM;
}

static double reduced_mass(bodyScale a, bodyScale b) {
    if (a.mass == 0.0 || b.mass == 0.0) return a.mass + b.mass;
    return a.mass * b.mass / (a.mass + b.mass);
}

static double smaller_radius(bodyScale a, bodyScale b) {
    double x = a.radius > 0.0 ? a.radius : INFINITY, y = b.radius > 0.0 ? b.radius : INFINITY;
    double r = fmin(x, y);
    return isfinite(r) ? fmax(r, 1e-6) : 0.1;
}

// The cubic spring of elastoplastic contact, of a unit of mass. A weight penetrates by 0.01 l.
// A step of h may not be so deep at 5 m/s that the spring stops the body twice, k (h v)^3 h < v, as
// far as a weight penetrates by 0.05 l at most. Explicit: rate h sqrt(k) of 0.3 where a weight is.
static double cubic_stiffness(double length, double h, int implicit) {
    static const double gravity = 9.81, speed = 5.0;
    double depth = 0.01 * length, most = gravity / (depth * depth * depth);
    if (!implicit) return fmin(most, 0.09 / (h * h * depth * depth));
    double by_step = 1.0 / (h * h * h * h * speed * speed);
    return fmin(most, fmax(by_step, most / 125.0));
}

// Twice the least half axis of a primitive; of another shape that of its body's ellipsoid, where it
// moves. Infinite without bound.
static double geom_thickness(const tacModel* model, int geom) {
    static const int sizes[TAC_NODE_KIND_COUNT] = {
        [TAC_NODE_SPHERE] = 1,    [TAC_NODE_CAPSULE] = 1, [TAC_NODE_CYLINDER] = 2,
        [TAC_NODE_ELLIPSOID] = 3, [TAC_NODE_BOX] = 3,     [TAC_NODE_SUPERQUADRIC] = 3};
    const tacGeom* g = &model->geom[geom];
    const tacBody* body = &model->body[g->body];
    double least = INFINITY, mass = model->param[body->mass];
    const tacNode* root = NULL;
    if (g->shape >= 0)
        root = &model->node[model->shape[g->shape].first + model->shape[g->shape].count - 1];
    for (int i = 0; root && i < sizes[root->kind]; ++i)
        least = fmin(least, model->param[root->size + i]);
    if (isfinite(least) || (root && root->kind == TAC_NODE_PLANE)) return 2.0 * least;
    if (tac_moving_body(model, g->body) == 0 || !(mass > 0.0)) return INFINITY;
    return 2.0 * min_radius(model->param + body->inertia, mass);
}

// thickness of the thinnest geom of each pair of bodies, or NULL without memory
static const double* list_thickness(tacSpec* spec, const tacModel* model) {
    int count = spec->contact.body_pair.count;
    const tacContactPair* pair = spec->contact.pair.items;
    double* all = tac_reader_alloc(&spec->reader, sizeof *all * (size_t)(count + 1));
    for (int i = 0; i < count && all; ++i) all[i] = INFINITY;
    for (int i = 0; i < spec->contact.pair.count && all; ++i)
        for (int k = 0; k < 2; ++k)
            all[pair[i].bodies] = fmin(all[pair[i].bodies], geom_thickness(model, pair[i].geom[k]));
    return all;
}

// what a default stiffness is made from
typedef struct pairScale {
    bodyScale a, b;
    double load;      // the larger of both bodies [N]
    double thickness; // of the thinnest geom [m]
    int implicit;
} pairScale;

static double default_stiffness(const tacModel* model, pairScale pair) {
    double most = (pair.implicit ? 100.0 : 0.3) / model->param[model->timestep];
    double length = fmin(smaller_radius(pair.a, pair.b), 0.75 * pair.thickness);
    double k = fmin(pair.load / (0.01 * length), reduced_mass(pair.a, pair.b) * most * most);
    return fmin(fmax(k, range_stiffness.lower), range_stiffness.upper);
}

static double default_elastoplastic(const tacModel* model, pairScale pair) {
    double length = smaller_radius(pair.a, pair.b), h = model->param[model->timestep];
    double k = reduced_mass(pair.a, pair.b) * cubic_stiffness(length, h, pair.implicit);
    return fmin(fmax(k, range_stiffness.lower), range_stiffness.upper);
}

// a ball about the center of mass of its body: normal forces do not rotate it
static int is_central_ball(const tacModel* model, const bodyScale* body_scales, int geom) {
    const tacGeom* g = &model->geom[geom];
    const tacBody* body = &model->body[g->body];
    if (g->shape < 0 || model->param[body->mass] != body_scales[g->body].mass) return 0;
    const tacShape* shape = &model->shape[g->shape];
    const tacNode* root = &model->node[shape->first + shape->count - 1];
    double away = 0.0;
    for (int k = 0; k < 3 && root->kind == TAC_NODE_SPHERE; ++k)
        away += fabs(model->param[g->position + k] - model->param[body->com + k]) +
                fabs(model->param[root->position + k]);
    return root->kind == TAC_NODE_SPHERE && away <= 1e-9 * body_scales[g->body].radius;
}

static int is_sphere(const tacModel* model, int geom) {
    const tacGeom* g = &model->geom[geom];
    if (g->shape < 0) return 0;
    const tacShape* shape = &model->shape[g->shape];
    return model->node[shape->first + shape->count - 1].kind == TAC_NODE_SPHERE;
}

// records of a pair that may push at once: four share a face; k of scm is that of a whole pair
static double max_springs(const tacModel* model, const tacContactPlan* plan,
                          const tacContactPair* pair) {
    if (plan->responder == TAC_RESPOND_SCM) return 1.0;
    if (plan->responder != TAC_RESPOND_ELASTOPLASTIC) return 4.0;
    int one_point = plan->detector == TAC_DETECT_SAT || plan->detector == TAC_DETECT_CONVEX ||
                    is_sphere(model, pair->geom[0]) || is_sphere(model, pair->geom[1]);
    return one_point ? 1.0 : 4.0;
}

// The effective mass at a point of a free body is down to m/(1 + 5/2).
static double inverse_effective_mass(const tacModel* model, const tacContactPlan* plan,
                                     const bodyScale* body_scales, const tacContactPair* pair) {
    double sum = 0.0, springs = max_springs(model, plan, pair);
    for (int i = 0; i < 2; ++i) {
        double mass = body_scales[pair->body[i]].mass;
        double inv_mass_factor = is_central_ball(model, body_scales, pair->geom[i]) ? 1.0 : 3.5;
        if (mass > 0.0) sum += inv_mass_factor / mass;
    }
    return springs * sum;
}

// lengths of all pairs of bodies, if they or their widths are not the same
static void list_lengths(tacSpec* spec, const bodyScale* body_scales, tacContactScale* scale) {
    const tacBodyPair* bodies = spec->contact.body_pair.items;
    int count = spec->contact.body_pair.count, differ = scale->widths != NULL;
    double* length = tac_reader_alloc(&spec->reader, sizeof *length * (size_t)(count + 1));
    for (int i = 0; i < count && length; ++i) {
        length[i] = smaller_radius(body_scales[bodies[i].body[0]], body_scales[bodies[i].body[1]]);
        differ |= length[i] > scale->length * (1.0 + 1e-9);
    }
    if (length && differ) {
        scale->lengths = length;
        scale->pairs = count;
    }
}

static tacContactScale contact_scale_of(const tacSpec* spec, const tacModel* model,
                                        const bodyScale* body_scales) {
    const tacBodyPair* bodies = spec->contact.body_pair.items;
    tacContactScale scale = {INFINITY, 0.0, model->param[model->timestep], 1.0, NULL, 0, NULL};
    for (int i = 0; i < spec->contact.body_pair.count; ++i)
        scale.length = fmin(scale.length, smaller_radius(body_scales[bodies[i].body[0]],
                                                         body_scales[bodies[i].body[1]]));
    if (!isfinite(scale.length)) scale.length = 0.1;
    scale.velocity = sqrt(9.81 * scale.length);
    const tacContactPair* pair = spec->contact.pair.items;
    for (int i = 0; i < spec->contact.pair.count; ++i)
        for (int k = 0; k < 2; ++k)
            scale.lipschitz = fmax(scale.lipschitz, tac_field_lipschitz(model, pair[i].geom[k]));
    return scale;
}

// will the step be linearly implicit? By default all but explicit ones are
static int is_implicit(tacSpec* spec) {
    const tacElement* element = tac_find_tactus(spec, "implicit");
    if (element) return tac_read_word(&spec->reader, element, "implicit", "false true") == 1;
    return spec->integrator != TAC_INTEGRATOR_EXPLICIT;
}

// The load that a pair of bodies carries at rest: that of the lighter one, or what a finger presses
// a body with. Where actuators may press a body onto another, the geometric mean of its weight and
// of what it is then, so that a light body is not thrown up at any load.
static double carried_load(const tacContactLoad* loads, const int body[2]) {
    const tacContactLoad *a = &loads[body[0]], *b = &loads[body[1]];
    double most = fmax(a->weight, b->weight);
    int both = a->weight > 0.0 && b->weight > 0.0;
    if (both && fmax(a->driven, b->driven) > 0.0) return fmax(a->most, b->most);
    double weight = both ? fmin(a->weight, b->weight) : most;
    return most > 0.0 ? weight * sqrt(fmax(a->most, b->most) / most) : 0.0;
}

// A spring k of width eps3 pushes with k eps3 log 2 where surfaces touch. That is the load F where
// eps3 = F/(k log 2); a wider one throws up what is placed on a surface, and keeps it above. NULL
// if the scene gives k or eps3.
static const double* list_widths(tacSpec* spec, const tacContactLoad* loads, const double* k) {
    const tacBodyPair* bodies = spec->contact.body_pair.items;
    int count = spec->contact.body_pair.count;
    if (count == 0 || tac_find_tactus(spec, "stiffness") || tac_find_tactus(spec, "eps3"))
        return NULL;
    double* width = tac_reader_alloc(&spec->reader, sizeof *width * (size_t)count);
    for (int i = 0; i < count && width; ++i) {
        double load = carried_load(loads, bodies[i].body);
        width[i] = load > 0.0 ? load / (k[i] * log(2.0)) : INFINITY;
    }
    return width;
}

// one number for all if the scene gives it, else one for each pair of bodies
static void plan_stiffness(tacSpec* spec, const tacModel* model, const bodyScale* body_scales,
                           tacContactScale* scale, tacContactPlan* plan) {
    tacBodyPair* bodies = spec->contact.body_pair.items;
    const tacElement* element = tac_find_tactus(spec, "stiffness");
    int count = element || spec->contact.body_pair.count == 0 ? 1 : spec->contact.body_pair.count;
    double* k = tac_reader_alloc(&spec->reader, sizeof *k * (size_t)count);
    const tacContactLoad* loads = tac_contact_loads(spec, model);
    // springs of every detector are as stiff as the thinner body asks for
    int cubic = plan->responder == TAC_RESPOND_ELASTOPLASTIC, implicit = is_implicit(spec);
    const bodyScale* size = list_body_scales(spec, model, !cubic);
    const double* thickness = list_thickness(spec, model);
    if (!k || !loads || !size || !thickness) return;
    k[0] = 1000.0;
    for (int i = 0; i < spec->contact.body_pair.count; ++i) {
        const int* body = bodies[i].body;
        bodies[i].weight = reduced_mass(body_scales[body[0]], body_scales[body[1]]);
        double load = fmax(loads[body[0]].most, loads[body[1]].most);
        pairScale pair = {size[body[0]], size[body[1]], load, thickness[i], implicit};
        if (!element)
            k[i] = cubic ? default_elastoplastic(model, pair) : default_stiffness(model, pair);
    }
    if (element) tac_read_number(&spec->reader, element, "stiffness", range_stiffness, k);
    if (plan->responder == TAC_RESPOND_SCM) scale->widths = list_widths(spec, loads, k);
    int first =
        tac_spec_param(spec, (tacPath){"respond", NULL}, "stiffness", range_stiffness, k, count);
    plan->number[TAC_CONTACT_STIFFNESS] = first;
    for (int i = 0; i < spec->contact.body_pair.count; ++i)
        bodies[i].stiffness = count == 1 ? first : first + i;
}

//---------------------------------- pairs ----------------------------------------

// hash table of body pairs: index in their list, -1 in empty slots
typedef struct bodyPairTable {
    int* slot;
    unsigned mask; // one less than their count, a power of two
} bodyPairTable;

static bodyPairTable alloc_pair_table(tacSpec* spec, int pairs) {
    bodyPairTable t = {.mask = 15};
    while (t.mask < 2u * (unsigned)pairs) t.mask = 2 * t.mask + 1;
    t.slot = tac_reader_alloc(&spec->reader, sizeof *t.slot * ((size_t)t.mask + 1));
    if (t.slot) memset(t.slot, 0xff, sizeof *t.slot * ((size_t)t.mask + 1));
    return t;
}

static int find_body_pair(tacSpec* spec, bodyPairTable t, const int body[2]) {
    const tacBodyPair* known = spec->contact.body_pair.items;
    unsigned at = ((unsigned)body[0] * 2654435761u + (unsigned)body[1] * 40503u) & t.mask;
    for (; t.slot[at] >= 0; at = (at + 1) & t.mask) {
        const int* other = known[t.slot[at]].body;
        if (other[0] == body[0] && other[1] == body[1]) return t.slot[at];
    }
    tacBodyPair* added = tac_list_add(&spec->reader, &spec->contact.body_pair, sizeof *added);
    if (added) *added = (tacBodyPair){.body = {body[0], body[1]}};
    return t.slot[at] = spec->contact.body_pair.count - 1;
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

static void add_pair(tacSpec* spec, const tacModel* model, bodyPairTable table, const int geom[2]) {
    tacContactPair pair = {.geom = {geom[0], geom[1]}};
    for (int i = 0; i < 2; ++i) pair.body[i] = model->geom[geom[i]].body;
    pair.bodies = find_body_pair(spec, table, pair.body);
    combine_friction(model, &pair);
    tacContactPair* out = tac_list_add(&spec->reader, &spec->contact.pair, sizeof *out);
    if (out) *out = pair;
}

// `number` of a <pair> where it has one
static void read_pair_override(tacSpec* spec, const tacContactPlan* plan, int i,
                               tacContactNumber number, int* at) {
    int own = tac_read_pair_number(spec, plan, i, number);
    if (own != plan->number[number]) *at = own;
}

// a <pair> of the scene has numbers of its own
static void apply_pair_overrides(tacSpec* spec, const tacContactPlan* plan, int i,
                                 tacContactPair* pair) {
    const tacPair* own = &((const tacPair*)spec->geoms.pair.items)[i];
    pair->friction[0] = own->condim == 1 ? -1 : own->friction;
    pair->friction[1] = -1;
    read_pair_override(spec, plan, i, TAC_CONTACT_STIFFNESS, &pair->stiffness);
    read_pair_override(spec, plan, i, TAC_CONTACT_DISSIPATION, &pair->dissipation);
    read_pair_override(spec, plan, i, TAC_CONTACT_STICTION, &pair->stiction);
    read_pair_override(spec, plan, i, TAC_CONTACT_EPS3, &pair->eps3);
}

static void plan_pair_numbers(tacSpec* spec, const tacModel* model, const bodyScale* body_scales,
                              const tacContactScale* scale, const tacContactPlan* plan) {
    tacContactPair* pair = spec->contact.pair.items;
    const tacBodyPair* bodies = spec->contact.body_pair.items;
    for (int i = 0; i < spec->contact.pair.count && spec->reader.result == TAC_OK; ++i) {
        int at = pair[i].bodies;
        pair[i].stiffness = bodies[at].stiffness;
        pair[i].dissipation = tac_contact_number(spec, scale, plan, TAC_CONTACT_DISSIPATION, at);
        pair[i].stiction = tac_contact_number(spec, scale, plan, TAC_CONTACT_STICTION, at);
        pair[i].eps3 = tac_contact_number(spec, scale, plan, TAC_CONTACT_EPS3, at);
        pair[i].thickness =
            fmin(geom_thickness(model, pair[i].geom[0]), geom_thickness(model, pair[i].geom[1]));
        pair[i].inv_mass = inverse_effective_mass(model, plan, body_scales, &pair[i]);
        if (i < spec->geoms.pair.count) apply_pair_overrides(spec, plan, i, &pair[i]);
    }
}

static void list_pairs(tacSpec* spec, const tacModel* model) {
    int count = tac_geom_pairs(model, NULL, 0);
    int(*geoms)[2] = tac_reader_alloc(&spec->reader, sizeof *geoms * (size_t)(count + 1));
    bodyPairTable table = alloc_pair_table(spec, count);
    if (!geoms || !table.slot) return;
    tac_geom_pairs(model, geoms, count);
    for (int i = 0; i < count && spec->reader.result == TAC_OK; ++i)
        add_pair(spec, model, table, geoms[i]);
}

//---------------------------------- plan -----------------------------------------

// an explicit step is asked for by name
static void check_implicit(tacSpec* spec, const tacContactPlan* plan) {
    if (!plan->choice[TAC_CHOICE_IMPLICIT]) return;
    if (spec->integrator != TAC_INTEGRATOR_EXPLICIT) return;
    const tacElement* element = tac_find_tactus(spec, "implicit");
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "implicit"),
                    "implicit",
                    "cannot be combined with <tactus integrator=\"explicit\">: remove one of them");
}

void tac_mark_contact_geoms(const tacContactPlan* plan, int ngeom, char* has_pair) {
    memset(has_pair, 0, (size_t)ngeom);
    for (int i = 0; i < plan->npair; ++i)
        has_pair[plan->pair[i].geom[0]] = has_pair[plan->pair[i].geom[1]] = 1;
}

void tac_plan_contact(tacSpec* spec) {
    tacContactPlan plan = {0};
    if (spec->reader.result != TAC_OK) return;
    if (!choose_methods(spec, &plan)) {
        if (spec->reader.result == TAC_OK) tac_refuse_contact_numbers(spec);
        return;
    }
    tacModel model = tac_spec_model_view(spec);
    if (spec->reader.result != TAC_OK) return;
    list_pairs(spec, &model);
    const bodyScale* body_scales = list_body_scales(spec, &model, has_thin_lengths(&plan));
    if (spec->reader.result != TAC_OK) return;
    tacContactScale scale = contact_scale_of(spec, &model, body_scales);
    plan.length = scale.length;
    plan_stiffness(spec, &model, body_scales, &scale, &plan);
    if (plan.detector == TAC_DETECT_SSDF) list_lengths(spec, body_scales, &scale);
    tac_read_contact_numbers(spec, &scale, &plan);
    if (spec->reader.result == TAC_OK) plan_pair_numbers(spec, &model, body_scales, &scale, &plan);
    if (plan.detector == TAC_DETECT_SAT || plan.detector == TAC_DETECT_CONVEX)
        tac_plan_solids(spec);
    if (plan.detector == TAC_DETECT_GJK) tac_plan_convex_parts(spec);
    if (spec->reader.result == TAC_OK) check_implicit(spec, &plan);
    if (spec->reader.result == TAC_OK && plan.responder < TAC_RESPOND_LCP)
        tac_plan_joint_forces(spec);
    if (plan.responder == TAC_RESPOND_LCP) tac_check_hard_contact(spec);
    tacContactPlan* out = tac_list_add(&spec->reader, &spec->contact.plan, sizeof *out);
    if (out) *out = plan;
}
