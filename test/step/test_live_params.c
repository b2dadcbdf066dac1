// Parameters of geoms in contact: setting one equals loading the file with that value, and
// derivatives by it equal differences of loading.
//
// Masses are pinned by <inertial>: a size does not change them after loading. Numbers whose default
// depends on sizes (temperatures, stiffness) are parameters of their own and keep their values.

#include "tactus/tactus.h"
#include "test.h"

enum { MAX_TEXT = 4000, MAX_STATE = 16, MAX_PARAMS = 1000 };

// a geom as text: type, size, pos, quat; numbers in this order
typedef struct geomText {
    const char* type;
    int sizes;
    double size[3], pos[3], quat[4];
} geomText;

typedef struct liveScene {
    const char* contact; // detector or responder with attributes
    geomText geom[2];    // of the world, of the body
} liveScene;

//---------------------------------- scenes ---------------------------------------

static void print_numbers(char* text, const char* name, const double* x, int count) {
    strcat(text, name);
    for (int i = 0; i < count; ++i) sprintf(text + strlen(text), "%s%.17g", i ? " " : "='", x[i]);
    strcat(text, "'");
}

static void print_geom(char* text, const char* name, const geomText* g) {
    sprintf(text + strlen(text), "<geom name='%s' type='%s' friction='%s'", name, g->type,
            *name == 'w' ? ".3" : ".2");
    if (strcmp(g->type, "plane") == 0)
        strcat(text, " size='5 5 1'");
    else
        print_numbers(text, " size", g->size, g->sizes);
    print_numbers(text, " pos", g->pos, 3);
    print_numbers(text, " quat", g->quat, 4);
    strcat(text, "/>");
}

static tacModel* load_scene(const liveScene* scene) {
    char text[MAX_TEXT] = "<mujoco><option timestep='.002'/><worldbody>";
    print_geom(text, "w", &scene->geom[0]);
    strcat(text, "<body pos='0 0 .3'><freejoint/><inertial pos='.003 -.002 .004' mass='1' "
                 "diaginertia='.002 .0025 .003'/>");
    print_geom(text, "b", &scene->geom[1]);
    strcat(text, "</body></worldbody></mujoco>");
    tacOptions options = tac_default_options();
    options.contact = scene->contact;
    tacModel* model = NULL;
    tacMessage message;
    if (tac_load_text(text, (int)strlen(text), "live.xml", &options, &model, &message) != TAC_OK)
        printf("  %s: %s\n", scene->contact, message.text);
    return model;
}

//---------------------------------- states ---------------------------------------

typedef struct state {
    double qpos[7], qvel[6];
} state;

static int is_hard(const liveScene* s) { return strstr(s->contact, "lcp") != NULL; }

static tacResult step_from(const tacModel* m, const state* from, state* to, tacScratch* scratch) {
    tacState x = {.qpos = (double*)from->qpos, .qvel = (double*)from->qvel};
    tacState next = {.qpos = to->qpos, .qvel = to->qvel};
    return tac_step(m, &x, NULL, &next, scratch);
}

// The body comes down until it touches; a smooth contact then is deeper by `depth`. Hard contact
// has an impact inside the step, and a derivative: no flag.
static int find_contact(const liveScene* scene, const tacModel* m, state* s, tacScratch* scratch) {
    static const double quat[4] = {.96, .11, -.09, .05};
    const double depth = 2e-3;
    double norm = 0.0;
    *s = (state){{0.0, 0.0, .4, 0.0, 0.0, 0.0, 0.0}, {.3, -.2, -.8, 1.0, -.7, .4}};
    for (int k = 0; k < 4; ++k) norm += quat[k] * quat[k];
    for (int k = 0; k < 4; ++k) s->qpos[3 + k] = quat[k] / sqrt(norm);
    for (; s->qpos[2] > -.3; s->qpos[2] -= is_hard(scene) ? 7e-5 : 1e-3) {
        state next;
        if (step_from(m, s, &next, scratch) != TAC_OK) return 0;
        tacInfo info = tac_step_info(scratch);
        double pushed = next.qvel[2] - s->qvel[2] + 9.81 * .002; // against free fall
        if (is_hard(scene) && info.time_of_impact < .0017 && info.flags == 0) return 1;
        if (is_hard(scene) || !(pushed > 1e-2)) continue;
        s->qpos[2] -= depth;
        return 1;
    }
    return 0;
}

// largest difference of two states after one step, relative to sizes of 1
static double state_distance(const state* a, const state* b) {
    double most = 0.0;
    for (int k = 0; k < 7; ++k) most = fmax(most, fabs(a->qpos[k] - b->qpos[k]));
    for (int k = 0; k < 6; ++k) most = fmax(most, fabs(a->qvel[k] - b->qvel[k]));
    return most;
}

//---------------------------------- one parameter --------------------------------

// a number of a geom, its place in the text and its name
typedef struct number {
    int geom, group, index; // group: 0 size, 1 pos, 2 quat
} number;

static double* number_of(liveScene* s, number n) {
    geomText* g = &s->geom[n.geom];
    return (n.group == 0 ? g->size : n.group == 1 ? g->pos : g->quat) + n.index;
}

static void number_name(number n, char text[64]) {
    static const char* const group[] = {"size", "pos", "quat"};
    snprintf(text, 64, "geom:%c/%s[%d]", "wb"[n.geom], group[n.group], n.index);
}

static tacParam number_param(const tacModel* m, number n) {
    char name[64];
    tacParam p = {-1, 0, 0.0, 0.0};
    number_name(n, name);
    if (tac_param_find(m, name, &p) != TAC_OK) { // a group of one has no index
        *strrchr(name, '[') = '\0';
        tac_param_find(m, name, &p);
    }
    return p;
}

// The scene loaded with another value of one number. All other parameters are those of `like`.
static tacModel* load_with(const liveScene* scene, number n, double value, const tacModel* like) {
    liveScene moved = *scene;
    *number_of(&moved, n) = value;
    tacModel* m = load_scene(&moved);
    if (!m) return NULL;
    tacParam skip = number_param(m, n);
    for (int i = 0; i < m->nparamname; ++i) {
        tacParam p = m->paramname[i].param;
        if (skip.offset >= p.offset && skip.offset < p.offset + p.count) continue;
        tac_param_set(m, p, like->param + p.offset, NULL);
    }
    return m;
}

static int next_of(const tacModel* m, const state* s, state* next) {
    tacScratch* scratch;
    if (tac_scratch_create(m, &scratch) != TAC_OK) return 0;
    tacResult result = step_from(m, s, next, scratch);
    tac_scratch_destroy(scratch);
    return result == TAC_OK;
}

// setting the number equals loading it
static int set_equals_load(const liveScene* scene, number n, const state* s, double* worst) {
    tacModel *set = load_scene(scene), *like = load_scene(scene);
    double old = set->param[number_param(set, n).offset];
    double change = n.group == 0 ? .004 : n.group == 1 ? .002 : .01;
    double value = old + (is_hard(scene) ? .05 : 1.0) * change; // hard bodies must not overlap
    tacMessage message;
    state a, b, before;
    ENSURE(next_of(set, s, &before));
    ENSURE(tac_param_set(set, number_param(set, n), &value, &message) == TAC_OK);
    tacModel* loaded = load_with(scene, n, value, like);
    ENSURE(loaded && next_of(set, s, &a) && next_of(loaded, s, &b));
    *worst = fmax(*worst, state_distance(&a, &b));
    // and back: the same bits as before
    ENSURE(tac_param_set(set, number_param(set, n), &old, &message) == TAC_OK);
    ENSURE(next_of(set, s, &a));
    ENSURE(state_distance(&a, &before) <= 1e-13);
    tac_model_destroy(set);
    tac_model_destroy(like);
    tac_model_destroy(loaded);
    return 0;
}

// difference of positions as a tangent: rotations by log of q0^-1 q1
static void tangent_between(const state* a, const state* b, double out[12]) {
    for (int k = 0; k < 3; ++k) out[k] = b->qpos[k] - a->qpos[k];
    const double *p = a->qpos + 3, *q = b->qpos + 3;
    out[3] = 2.0 * (p[0] * q[1] - p[1] * q[0] - p[2] * q[3] + p[3] * q[2]);
    out[4] = 2.0 * (p[0] * q[2] - p[2] * q[0] - p[3] * q[1] + p[1] * q[3]);
    out[5] = 2.0 * (p[0] * q[3] - p[3] * q[0] - p[1] * q[2] + p[2] * q[1]);
    for (int k = 0; k < 6; ++k) out[6 + k] = b->qvel[k] - a->qvel[k];
}

// P, jvp and vjp against centred differences of loading, of the best of a few steps
static int derivative_equals_load(const liveScene* scene, number n, const state* s, double* worst,
                                  double* largest) {
    tacModel* m = load_scene(scene);
    tacScratch* scratch;
    tacParam p = number_param(m, n);
    double P[12], value = m->param[p.offset], error = INFINITY, size = 0.0, best[12] = {0};
    ENSURE(tac_scratch_create(m, &scratch) == TAC_OK);
    tacState x = {.qpos = (double*)s->qpos, .qvel = (double*)s->qvel};
    ENSURE(tac_step_jacobian(m, &x, NULL, &(tacStepJacobian){.theta = &p, .ntheta = 1, .P = P},
                             scratch) == TAC_OK);
    for (double h = 1e-5; h > 5e-9; h *= 0.2) {
        tacModel *plus = load_with(scene, n, value + h, m),
                 *minus = load_with(scene, n, value - h, m);
        state a, b;
        double d[12], off = 0.0;
        ENSURE(plus && minus && next_of(plus, s, &a) && next_of(minus, s, &b));
        tangent_between(&b, &a, d);
        for (int k = 0; k < 12; ++k) off = fmax(off, fabs(d[k] / (2.0 * h) - P[k]));
        if (off < error)
            for (int k = 0; k < 12; ++k) best[k] = d[k] / (2.0 * h);
        error = fmin(error, off);
        tac_model_destroy(plus);
        tac_model_destroy(minus);
    }
    for (int k = 0; k < 12; ++k) size = fmax(size, fmax(fabs(best[k]), fabs(P[k])));
    *largest = fmax(*largest, size);
    *worst = fmax(*worst, error / fmax(1.0, size));
    // one number, three ways
    double theta[MAX_PARAMS] = {0}, theta_bar[MAX_PARAMS] = {0}, next[12], weight[12], sum = 0.0;
    ENSURE(m->nparam <= MAX_PARAMS);
    theta[p.offset] = 1.0;
    ENSURE(tac_step_jvp(m, &x, NULL, (tacStepTangent){.theta = theta},
                        (tacTangent){next, next + 6, NULL}, scratch) == TAC_OK);
    for (int k = 0; k < 12; ++k) {
        ENSURE_NEAR(next[k], P[k], 1e-11 * fmax(1.0, size));
        weight[k] = sin(1.0 + 2.0 * k);
        sum += weight[k] * P[k];
    }
    ENSURE(tac_step_vjp(m, &x, NULL, (tacTangent){weight, weight + 6, NULL},
                        (tacStepTangent){.theta = theta_bar}, scratch) == TAC_OK);
    ENSURE_NEAR(theta_bar[p.offset], sum, 1e-9 * fmax(1.0, size));
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

// the adjoint of all inputs at another value of the number: state, then parameters
static int adjoint_at(tacModel* m, tacParam p, double value, const state* s, const double* weight,
                      double* bar) {
    tacScratch* scratch;
    ENSURE(tac_param_set(m, p, &value, NULL) == TAC_OK);
    ENSURE(tac_scratch_create(m, &scratch) == TAC_OK);
    tacState x = {.qpos = (double*)s->qpos, .qvel = (double*)s->qvel};
    memset(bar, 0, sizeof *bar * (size_t)(12 + m->nparam));
    double* w = (double*)weight;
    ENSURE(tac_step_vjp(m, &x, NULL, (tacTangent){w, w + 6, NULL},
                        (tacStepTangent){.x = {bar, bar + 6, NULL}, .theta = bar + 12},
                        scratch) == TAC_OK);
    tac_scratch_destroy(scratch);
    return 0;
}

// second derivatives along the number against differences of adjoints, of smooth contact
static int second_derivative(const liveScene* scene, number n, const state* s, double* worst) {
    tacModel* m = load_scene(scene);
    tacScratch* scratch;
    tacParam p = number_param(m, n);
    double weight[12] = {0}, dot[MAX_PARAMS] = {0}, bar[12 + MAX_PARAMS] = {0};
    double plus[12 + MAX_PARAMS], minus[12 + MAX_PARAMS], value = m->param[p.offset];
    double error = INFINITY, size = 1.0;
    for (int k = 6; k < 12; ++k) weight[k] = sin(1.0 + 2.0 * k); // next_bar.dq is fixed in its axes
    ENSURE(tac_scratch_create(m, &scratch) == TAC_OK);
    tacState x = {.qpos = (double*)s->qpos, .qvel = (double*)s->qvel};
    dot[p.offset] = 1.0;
    ENSURE(tac_step_hvp(m, &x, NULL,
                        &(tacStepHvp){.next_bar = {weight, weight + 6, NULL},
                                      .dot = {.theta = dot},
                                      .bar = {.x = {bar, bar + 6, NULL}, .theta = bar + 12}},
                        scratch) == TAC_OK);
    for (int k = 0; k < 12 + m->nparam; ++k) size = fmax(size, fabs(bar[k]));
    for (double h = 1e-5; h > 5e-8; h *= 0.3) {
        double off = 0.0;
        ENSURE_LAW(adjoint_at(m, p, value + h, s, weight, plus));
        ENSURE_LAW(adjoint_at(m, p, value - h, s, weight, minus));
        for (int k = 0; k < 12 + m->nparam; ++k)
            off = fmax(off, fabs((plus[k] - minus[k]) / (2.0 * h) - bar[k]));
        error = fmin(error, off);
    }
    *worst = fmax(*worst, error / size);
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    return 0;
}

// a parameter that contact holds is refused, with a reason
static int is_refused(tacModel* m, tacParam p, const state* s) {
    tacScratch* scratch;
    tacMessage message;
    double value = m->param[p.offset] + .003, P[12], theta[MAX_PARAMS] = {0}, next[12];
    ENSURE(tac_param_live(m, p, &message) == TAC_ERROR_UNSUPPORTED && *message.text);
    ENSURE(tac_param_set(m, p, &value, &message) == TAC_ERROR_UNSUPPORTED && *message.text);
    ENSURE(m->param[p.offset] != value);
    ENSURE(tac_scratch_create(m, &scratch) == TAC_OK);
    tacState x = {.qpos = (double*)s->qpos, .qvel = (double*)s->qvel};
    ENSURE(tac_step_jacobian(m, &x, NULL, &(tacStepJacobian){.theta = &p, .ntheta = 1, .P = P},
                             scratch) == TAC_ERROR_UNSUPPORTED);
    theta[p.offset] = 1.0;
    ENSURE(tac_step_jvp(m, &x, NULL, (tacStepTangent){.theta = theta},
                        (tacTangent){next, next + 6, NULL}, scratch) == TAC_ERROR_UNSUPPORTED);
    for (int k = 0; k < 12; ++k) next[k] = 1.0;
    ENSURE(tac_step_vjp(m, &x, NULL, (tacTangent){next, next + 6, NULL},
                        (tacStepTangent){.theta = theta}, scratch) == TAC_OK);
    ENSURE(tac_step_info(scratch).flags & TAC_HELD_PARAM);
    tac_scratch_destroy(scratch);
    return 0;
}

//---------------------------------- families -------------------------------------

static const geomText kinds[] = {
    {"sphere", 1, {.05}, {.01, .02, -.01}, {.9, .2, .3, -.1}},
    {"capsule", 2, {.04, .06}, {.01, .02, -.01}, {.8, .5, .3, -.1}},
    {"cylinder", 2, {.05, .06}, {.01, .02, -.01}, {.8, .4, .3, -.1}},
    {"ellipsoid", 3, {.05, .07, .06}, {.01, .02, -.01}, {.8, .4, .3, -.1}},
    {"box", 3, {.05, .07, .06}, {.01, .02, -.01}, {.9, .3, .2, -.1}},
};
static const geomText worlds[] = {
    {"plane", 0, {0}, {.02, .01, .03}, {.99, .03, .05, .1}},
    {"box", 3, {.2, .3, .1}, {.02, .01, -.04}, {.99, .03, .05, .1}},
    {"box", 3, {.3, .05, .05}, {.02, .01, .02}, {.92, .38, .02, .05}}, // an edge on top
    {"ellipsoid", 3, {.1, .07, .06}, {.02, .01, .02}, {.92, .38, .02, .05}},
    {"capsule", 2, {.03, .3}, {.02, .01, .02}, {.7, .02, .7, .05}},
    {"cylinder", 2, {.03, .3}, {.02, .01, .02}, {.7, .02, .7, .05}},
};

// every number of both geoms; how many are held, or -1 after a failure
static int check_numbers(const liveScene* scene, double set_bound, double bound, int* held_out) {
    tacModel* m = load_scene(scene);
    tacScratch* scratch;
    state s;
    double set = 0.0, worst = 0.0, largest = 0.0, second = 0.0, second_before = 0.0;
    int held = 0, count = 0;
    if (!m) return 1;
    ENSURE(tac_scratch_create(m, &scratch) == TAC_OK);
    ENSURE(find_contact(scene, m, &s, scratch));
    for (int geom = 0; geom < 2; ++geom)
        for (int group = 0; group < 3; ++group)
            for (int i = 0; i < (group == 0 ? scene->geom[geom].sizes : 2 + group); ++i) {
                number n = {geom, group, i};
                tacParam p = number_param(m, n);
                char name[64];
                number_name(n, name);
                ENSURE(p.offset >= 0);
                ++count;
                if (tac_param_live(m, p, NULL) != TAC_OK) {
                    ++held;
                    ENSURE_LAW(is_refused(m, p, &s));
                    continue;
                }
                int broken = set_equals_load(scene, n, &s, &set);
                double before = worst;
                if (!broken) broken = derivative_equals_load(scene, n, &s, &worst, &largest);
                if (!broken && !is_hard(scene)) broken = second_derivative(scene, n, &s, &second);
                if (getenv("LIVE_VERBOSE") && second > second_before && second > bound)
                    printf("    %s second %.3g\n", name, second);
                second_before = second;
                if (getenv("LIVE_VERBOSE") && worst > fmax(before, bound))
                    printf("    %s %.3g\n", name, worst);
                if (broken) printf("  %s\n", name);
                if (broken) return broken;
            }
    printf("  %-28s %-9s on %-9s: set %.1e, derivative %.1e of %.1e, second %.1e; %d of %d held\n",
           scene->contact, scene->geom[1].type, scene->geom[0].type, set, worst, largest, second,
           held, count);
    tac_scratch_destroy(scratch);
    tac_model_destroy(m);
    *held_out = held;
    ENSURE(set <= set_bound && worst <= bound && largest > 1e-3 && second <= 10.0 * bound);
    return 0;
}

static int all_numbers(const liveScene* scene, double set_bound, double bound) {
    int held = 0;
    return check_numbers(scene, set_bound, bound, &held) ? -1 : held;
}

static void to_unit(double q[4]) {
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k) q[k] /= length;
}

// Of one family: all primitives on each other. `skip` lists kinds that it refuses to load; sizes of
// clouds are held.
static int family(const char* contact, const char* skip, double bound) {
    int has_clouds = strstr(contact, "scm") || strstr(contact, "ssdf");
    for (int w = 0; w < (int)(sizeof worlds / sizeof *worlds); ++w)
        for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); ++k) {
            if (strstr(skip, kinds[k].type) || strstr(skip, worlds[w].type)) continue;
            if ((w + k) % test_amount(5, 3, 1)) continue;
            liveScene scene = {contact, {worlds[w], kinds[k]}};
            for (int g = 0; g < 2; ++g) to_unit(scene.geom[g].quat);
            int held = all_numbers(&scene, 1e-9, bound);
            ENSURE(held >= 0);
            ENSURE(held == (has_clouds ? scene.geom[0].sizes + scene.geom[1].sizes : 0));
        }
    return 0;
}

static int hard_contact(void) { return family("lcp", "", 1e-5); }
static int gjk_springs(void) { return family("detect=gjk respond=spring", "", 1e-5); }
static int gjk_elastoplastic(void) {
    return family("detect=gjk respond=elastoplastic", "capsule", 1e-5);
}
static int separating_axes(void) { return family("sat", "capsule cylinder ellipsoid", 1e-5); }
static int convex_programs(void) { return family("convex", "capsule cylinder ellipsoid", 1e-5); }
static int manifolds(void) { return family("manifold", "", 1e-5); }
// the printed normal of two edges that cross is rounding: no capsules
static int reference_manifolds(void) {
    return family("manifold definition=published", "capsule ellipsoid cylinder", 1e-5);
}
static int top_k_manifolds(void) { return family("manifold top_k=threshold", "ellipsoid", 1e-5); }
static int traced_edges(void) { return family("edge_sdf lipschitz=2", "", 1e-5); }
// loading cuts the caps of a cylinder into other triangles: no cylinders
static int bundled_faces(void) {
    return family("edge_sdf lipschitz=2 fuse=face", "ellipsoid cylinder", 1e-5);
}
static int clouds(void) { return family("scm points=200", "capsule cylinder ellipsoid", 1e-5); }
static int soft_points(void) {
    return family("detect=ssdf respond=spring points=200", "capsule cylinder ellipsoid", 1e-5);
}

int main(int argc, char** argv) {
    static const testCase cases[] = {
        RUN(hard_contact),        RUN(gjk_springs),     RUN(gjk_elastoplastic),
        RUN(separating_axes),     RUN(convex_programs), RUN(manifolds),
        RUN(reference_manifolds), RUN(top_k_manifolds), RUN(traced_edges),
        RUN(bundled_faces),       RUN(clouds),          RUN(soft_points),
    };
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
