// Steps of scenes with the soft-minimum contact model: derivatives by everything, what is refused.

#include "check/prove.h"
#include "model/contact/contact_data.h"
#include "model/refusal.h"
#include "step/step_problem.h"

//---------------------------------- scenes ---------------------------------------

// a fixed plane and box, a free box and an articulated ball on top, several pairs
#define SCENE(more) SCENE_OF("eps3='.004' dissipation='.3' stiction='.05' " more)
#define SCENE_OF(more)                                                                             \
    "<mujoco><tactus respond='scm' points='24' eps1='.002' eps2='.01' stiffness='600' " more       \
    "/><worldbody>"                                                                                \
    "<geom type='plane' size='1 1 .1' friction='.6'/>"                                             \
    "<body pos='0 0 .098'><freejoint/><geom type='box' size='.1 .08 .1' mass='1' friction='.3'/>"  \
    "</body><body pos='.02 .01 .35'><joint type='ball' damping='.05'/>"                            \
    "<geom size='.08' pos='0 0 -.08' mass='.3' friction='.5'/></body></worldbody></mujoco>"

static const char explicit_text[] = SCENE("implicit='false'"), implicit_text[] = SCENE(""),
                  reference_text[] = SCENE("implicit='false' law='reference'");

// numbers of each pair of bodies
static const char pairs_text[] = SCENE_OF("");

// soft points as records for springs
#define SOFT(more)                                                                                 \
    "<mujoco><tactus detect='ssdf' respond='spring' points='24' eps1='.004' eps2='.02' "           \
    "eps3='.004' sort_temperature='.3' stiffness='600' dissipation='.3' stiction='.05' " more      \
    "/><worldbody>"                                                                                \
    "<geom type='plane' size='1 1 .1' friction='.6'/>"                                             \
    "<body pos='0 0 .098' euler='3 2 10'><freejoint/><geom type='box' size='.1 .08 .1' mass='1'/>" \
    "</body><body pos='.02 .01 .35'><joint type='ball' damping='.05'/>"                            \
    "<geom size='.08' pos='0 0 -.08' mass='.3' friction='.5'/></body></worldbody></mujoco>"

static const char softsort_text[] = SOFT("implicit='false'"),
                  sinkhorn_text[] = SOFT("select='sinkhorn' soft_points='6'");

//---------------------------------- derivatives ----------------------------------

static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "respond/", 8) == 0 || strncmp(name, "detect/", 7) == 0 ||
           strstr(name, "/friction") || strstr(name, "/mass") || strstr(name, "option/timestep");
}

// near where the scene is drawn, in contact
static int sample_scm(const void* context, int i, unsigned long long* random, double* x,
                      double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv;
    memcpy(c->qpos, c->model->qpos0, sizeof *c->qpos * (size_t)c->model->nq);
    for (int k = 0; k < 3; ++k) c->qpos[k] += 0.004 * tac_check_normal(random);
    for (int k = 0; k < nv; ++k) {
        x[k] = 0.0;
        x[nv + k] = i % 3 == 0 ? 0.01 : 0.3 * tac_check_normal(random);
        scale[k] = 0.02;
        scale[nv + k] = 0.1;
    }
    sample_numbers(c, 0.1, x + 2 * nv, scale + 2 * nv);
    tacState at = {.qpos = c->qpos, .qvel = x + nv};
    double unused[100];
    tacState next = {.qpos = c->qnext, .qvel = unused};
    tac_step(c->model, &at, NULL, &next, c->scratch);
    return 2 * nv;
}

static int prove_scene(const char* text, const char* name, int first, int last) {
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    tacCheckProblem problem = step_problem(&c, name, sample_scm);
    tacCheckOptions options = tac_check_default_options();
    options.points = getenv("TACTUS_NO_SWEEP") ? 2 : 5;
    options.quad_every = 5;
    options.taylor_every = 2;
    options.seed = 3;
    options.first = 1e-10;
    options.second = 1e-9;
    int failed = 0;
    for (int i = first; i <= last; ++i) {
        ((tacModel*)c.model)->integrator = (tacIntegrator)i;
        failed |= prove(&problem, options);
    }
    close_context(&c);
    return failed;
}

static int explicit_steps_have_right_derivatives(void) {
    return prove_scene(explicit_text, "scm", TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_LIE);
}

static int implicit_steps_have_right_derivatives(void) {
    return prove_scene(implicit_text, "scm, implicit", TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_EULER) |
           prove_scene(implicit_text, "scm, implicit, RK4", TAC_INTEGRATOR_RK4,
                       TAC_INTEGRATOR_RK4) |
           prove_scene(pairs_text, "scm, numbers of pairs", TAC_INTEGRATOR_EULER,
                       TAC_INTEGRATOR_EULER);
}

// the printed dissipation has one derivative by velocity: first order alone would hold everywhere
static int reference_law_has_right_derivatives(void) {
    return prove_scene(reference_text, "scm, reference law", TAC_INTEGRATOR_EULER,
                       TAC_INTEGRATOR_EULER);
}

static int soft_points_have_right_derivatives(void) {
    return prove_scene(softsort_text, "soft points", TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_EULER) |
           prove_scene(sinkhorn_text, "soft points, sinkhorn", TAC_INTEGRATOR_EULER,
                       TAC_INTEGRATOR_EULER);
}

//---------------------------------- loading --------------------------------------

#define TWO_TETRAS "vertex='0 0 0 1 0 0 0 1 0 0 0 1 3 0 0 3.5 0 0 3 .5 0 3 0 .5' face='"
#define TETRA      "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='"

static int wrong_attributes_are_refused(void) {
    static const badText bad[] = {
        {"\n<tactus respond='scm' eps1='0'/>", TAC_ERROR_VALUE, 2, "eps1", ""},
        {"\n<tactus respond='scm' eps2='-1'/>", TAC_ERROR_VALUE, 2, "eps2", ""},
        {"\n<tactus respond='scm' points='3'/>", TAC_ERROR_VALUE, 2, "points", ""},
        {"\n<tactus respond='scm' tau='.1'/>", TAC_ERROR_VALUE, 2, "tau", "no meaning"},
        {"\n<tactus respond='scm' soft_points='6'/>", TAC_ERROR_VALUE, 2, "soft_points",
         "no meaning"},
        {"\n<tactus detect='ssdf' soft_points='6'/>", TAC_ERROR_VALUE, 2, "soft_points",
         "default of detect"},
        {"\n<tactus respond='scm' select='sinkhorn'/>", TAC_ERROR_VALUE, 2, "select", "no meaning"},
        {"\n<tactus respond='scm' eps9='6'/>", TAC_ERROR_UNSUPPORTED, 2, "eps9", "contact.md"},
        {"\n<tactus respond='scm' detect='gjk'/>", TAC_ERROR_VALUE, 2, "respond", "go"},
        {"<tactus respond='scm'/><asset><mesh name='m' " TETRA "0 2 1 0 1 3 0 3 2'/></asset>\n"
         "<worldbody><body><freejoint/>\n<geom type='mesh' mesh='m' mass='1'/></body></worldbody>",
         TAC_ERROR_VALUE, 3, "",
         "edge of vertices 2 and 1 (from 0): it does not belong to two faces"},
        {"<tactus respond='scm'/><asset><mesh name='m' " TETRA
         "0 1 2 0 3 1 0 2 3 1 3 2'/></asset>\n"
         "<worldbody><body><freejoint/>\n<geom type='mesh' mesh='m' mass='1'/></body></worldbody>",
         TAC_ERROR_VALUE, 3, "", "inside out"},
        {"<tactus respond='scm'/><asset><mesh name='m' " TWO_TETRAS
         "0 2 1 0 1 3 0 3 2 1 2 3 4 5 6 4 7 5 4 6 7 5 7 6'/></asset>\n"
         "<worldbody><body><freejoint/>\n<geom type='mesh' mesh='m' mass='1'/></body></worldbody>",
         TAC_ERROR_VALUE, 3, "", "face 4 (from 0) and all faces connected to it"},
    };
    const char* after =
        "<worldbody><geom size='.3'/><body pos='0 0 1'><freejoint/><geom size='.1'/>"
        "</body></worldbody></mujoco>";
    return are_texts_refused("scene.xml", "<mujoco>", after, bad, (int)(sizeof bad / sizeof *bad));
}

// loads a ball of radius r beside one of 0.3 with these words: what is reported, and a number of it
static int load_with_warning(const char* words, double r, const char* name, tacMessage* message,
                             double* out) {
    tacModel* model = NULL;
    tacParam p;
    char text[512];
    snprintf(text, sizeof text,
             "<mujoco>%s<worldbody><geom size='.3'/><body pos='0 0 .45'><freejoint/>"
             "<geom size='%g' mass='1'/></body></worldbody></mujoco>",
             words, r);
    *message = (tacMessage){0};
    ENSURE(load_text(text, &model, message) == TAC_OK);
    ENSURE(tac_param_find(model, name, &p) == TAC_OK);
    *out = model->param[p.offset];
    tac_model_destroy(model);
    return 0;
}

// Cores that attract are reported where eps2 is given or a weight gets there: below eps2 = 0.2
// 0.1/0.3 for balls of 0.3 and 0.1, always for balls of alike size. (h/3)^2 of 600 points on the
// larger ball is 2.1e-4, which is above l eps3/2.
static int warns_of_attractive_cores(void) {
    tacMessage m;
    double eps;
    ENSURE_LAW(load_with_warning("<tactus respond='scm'/>", 0.1, "detect/eps1", &m, &eps));
    ENSURE(*m.text == 0);
    ENSURE_NEAR(eps, 0.5 * 0.1 * 0.0005, 1e-12);
    ENSURE_LAW(
        load_with_warning("<tactus respond='scm' stiffness='500'/>", 0.1, "detect/eps1", &m, &eps));
    printf("  %s\n", m.text);
    ENSURE(strstr(m.text, "geom 0 and geom 1 attract each other"));
    ENSURE_LAW(
        load_with_warning("<tactus respond='scm' eps2='.06'/>", 0.1, "detect/eps2", &m, &eps));
    ENSURE(strstr(m.text, "attract each other"));
    ENSURE_LAW(
        load_with_warning("<tactus respond='scm' eps2='.075'/>", 0.1, "detect/eps2", &m, &eps));
    ENSURE(*m.text == 0 && eps == 0.075);
    ENSURE_LAW(
        load_with_warning("<tactus respond='scm' eps2='10'/>", 0.25, "detect/eps2", &m, &eps));
    ENSURE(strstr(m.text, "for any eps2"));
    ENSURE_LAW(
        load_with_warning("<tactus respond='scm' eps1='.02'/>", 0.1, "detect/eps1", &m, &eps));
    ENSURE(strstr(m.text, "from a distance"));
    return 0;
}

// steps that are too long are reported, after the warning of cores
static int warns_of_long_steps(void) {
    tacMessage m;
    double k;
    ENSURE_LAW(load_with_warning(
        "<option timestep='.01' integrator='RK4'/><tactus respond='scm' eps2='.002' "
        "implicit='false' stiffness='1e6'/>",
        0.1, "respond/stiffness", &m, &k));
    printf("  %s\n", m.text);
    ENSURE(strstr(m.text, "attract each other") &&
           strstr(m.text, "use at most 0.0014 s, or implicit"));
    ENSURE(k == 1e6);
    return 0;
}

// the law of a pair has numbers of its smaller body: of balls of 0.1 and 0.4 on a plane, and of
// both
static int contact_numbers_are_per_pair(void) {
    static const char* const names[3] = {"respond/eps3", "respond/dissipation", "respond/stiction"};
    const char* text =
        "<mujoco><tactus respond='scm' points='54' %s/><worldbody><geom type='plane' "
        "size='1 1 .1'/><body pos='0 0 .4'><freejoint/><geom size='.4' mass='1'/>"
        "</body><body pos='1 0 .1'><freejoint/><geom size='.1' mass='1'/></body>"
        "</worldbody></mujoco>";
    char all[600];
    for (int i = 0; i < 3; ++i) {
        tacModel* model = NULL;
        tacParam p;
        snprintf(all, sizeof all, text, "");
        ENSURE(load_text(all, &model, NULL) == TAC_OK && model->contact->npair == 3);
        ENSURE(tac_param_find(model, names[i], &p) == TAC_OK && p.count == 3);
        for (int k = 0; k < 3; ++k) {
            const tacContactPair* pair = &model->contact->pair[k];
            double l = pair->body[0] == 2 || pair->body[1] == 2 ? 0.1 : 0.4;
            double v = sqrt(9.81 * l), value[3] = {0.01 * l / log(2.0), 0.2 * v, 0.002 * v};
            int at[3] = {pair->eps3, pair->dissipation, pair->stiction};
            ENSURE(at[i] >= p.offset && at[i] < p.offset + 3);
            ENSURE_NEAR(model->param[at[i]], value[i], 1e-12);
        }
        tac_model_destroy(model);
        model = NULL;
        snprintf(all, sizeof all, text, "eps3='.001' dissipation='.3' stiction='.02'");
        ENSURE(load_text(all, &model, NULL) == TAC_OK);
        ENSURE(tac_param_find(model, names[i], &p) == TAC_OK && p.count == 1);
        tac_model_destroy(model);
    }
    return 0;
}

static int load_geom_warning(const char* words, const char* geom, const char* message_part) {
    tacModel* model = NULL;
    tacMessage m = {0};
    char text[700];
    snprintf(text, sizeof text,
             "<mujoco>%s<worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .45'>"
             "<freejoint/><geom %s mass='1'/></body></worldbody></mujoco>",
             words, geom);
    ENSURE(load_text(text, &model, &m) == TAC_OK);
    printf("  %s\n", m.text);
    ENSURE(*message_part ? strstr(m.text, message_part) != NULL : *m.text == 0);
    tac_model_destroy(model);
    return 0;
}

// faces that a mesh does not have, and faces that act at any distance
static int warns_of_missing_faces_and_points(void) {
    const char* spikes =
        "<tactus respond='scm' eps1='.01'/><asset><mesh name='m' vertex='0 0 0 1 0 "
        "0 0 .02 0 0 0 .02' face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset>";
    ENSURE_LAW(load_geom_warning(
        "<tactus respond='scm'/><asset><mesh name='m' vertex='0 0 0 1 0 0 0 1 0 0 "
        "0 1'/></asset>",
        "type='mesh' mesh='m'", "has no faces: the 4 points are those of its convex hull"));
    ENSURE_LAW(load_geom_warning(spikes, "type='mesh' mesh='m'", "has unbounded influence"));
    ENSURE_LAW(load_geom_warning("<tactus respond='scm' points='6' refine='false'/>",
                                 "type='box' size='.1 .1 .02'",
                                 "geom 1 has too few points for its thickness"));
    ENSURE_LAW(load_geom_warning("<tactus respond='scm'/>", "type='box' size='.1 .1 .02'", ""));
    ENSURE_LAW(load_geom_warning("<tactus respond='scm'/>", "type='box' size='.1 .1 .1'", ""));
    return 0;
}

// a cube of twelve triangles, with eight vertices or with three of its own for each triangle
static void write_cube(char* text, size_t size, int split) {
    static const int corner[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                   2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    size_t at = (size_t)snprintf(text, size,
                                 "<mujoco><tactus respond='scm'/><asset><mesh name='m' vertex='");
    for (int i = 0; i < (split ? 36 : 8); ++i) {
        int v = split ? corner[i] : i;
        at += (size_t)snprintf(text + at, size - at, "%g %g %g ", v & 1 ? .1 : -.1,
                               v & 2 ? .1 : -.1, v & 4 ? .1 : -.1);
    }
    at += (size_t)snprintf(text + at, size - at, "' face='");
    for (int i = 0; i < 36; ++i)
        at += (size_t)snprintf(text + at, size - at, "%d ", split ? i : corner[i]);
    snprintf(text + at, size - at,
             "'/></asset><worldbody><geom type='plane' size='1 1 .1'/><body pos='0 0 .1'>"
             "<freejoint/><geom type='mesh' mesh='m' mass='1'/></body></worldbody></mujoco>");
}

// meshes that repeat vertices at the edges of faces are closed all the same
static int coincident_vertices_are_merged(void) {
    double end[2][7];
    for (int split = 0; split < 2; ++split) {
        char text[3000];
        tacModel* model = NULL;
        tacScratch* scratch = NULL;
        double v[6] = {0.3, 0.1, 0.0, 0.0, 1.0, 0.0};
        write_cube(text, sizeof text, split);
        tacMessage m = {0};
        if (load_text(text, &model, &m) != TAC_OK) printf("  %s\n", m.text);
        ENSURE(model && tac_scratch_create(model, &scratch) == TAC_OK);
        memcpy(end[split], model->qpos0, sizeof end[split]);
        tacState x = {.qpos = end[split], .qvel = v};
        for (int i = 0; i < 100; ++i) ENSURE(tac_step(model, &x, NULL, &x, scratch) == TAC_OK);
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    for (int i = 0; i < 7; ++i) ENSURE_NEAR(end[1][i], end[0][i], 1e-9);
    return 0;
}

// bodies 1e6 m apart do not feel each other, and nothing is lost
static int distant_bodies_do_not_interact(void) {
    tacModel* model = NULL;
    tacScratch* scratch = NULL;
    const char* text = "<mujoco><option gravity='0 0 0'/><tactus respond='scm' points='54'/>"
                       "<worldbody><geom size='.3'/><body pos='0 0 1e6'><freejoint/>"
                       "<geom size='.1'/></body></worldbody></mujoco>";
    double q[7] = {0, 0, 1e6, 1, 0, 0, 0}, v[6] = {0};
    tacState x = {.qpos = q, .qvel = v};
    ENSURE(load_text(text, &model, NULL) == TAC_OK);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    for (int i = 0; i < 10; ++i) ENSURE(tac_step(model, &x, NULL, &x, scratch) == TAC_OK);
    for (int k = 0; k < 6; ++k) ENSURE(v[k] == 0.0);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- Hessian --------------------------------------

// a finger on two slides with servos, a block that slides and turns, on a fixed rail
static const char planar_text[] =
    "<mujoco><option timestep='.004' gravity='0 -2 0'/><tactus respond='scm' points='54' "
    "stiffness='500' eps1='2e-4' eps2='.004' eps3='.002'/><worldbody><geom type='box' size='.3 .05 "
    ".05' pos='0 -.118 0'/><body><joint type='slide' axis='1 0 0' damping='.3'/><joint "
    "type='slide' "
    "axis='0 1 0'/><joint type='hinge' axis='0 0 1'/><geom type='box' size='.1 .07 .05' mass='.3'/>"
    "</body><body pos='.02 .1 0'><joint name='x' type='slide' axis='1 0 0'/><joint name='y' "
    "type='slide' axis='0 1 0' damping='2'/><geom size='.032' mass='.2'/></body></worldbody>"
    "<actuator><position joint='x' kp='50'/><position joint='y' kp='50'/></actuator></mujoco>";

enum { PLANAR = 5, HESSIAN = 2 * PLANAR + 2 + 3 }; // joints; state, control, three numbers

// the gradient of bar . next, by state, control and numbers, at z
static int planar_gradient(tacModel* model, tacScratch* scratch, const double z[HESSIAN],
                           const tacParam* theta, tacTangent bar, double out[HESSIAN]) {
    double all[2000] = {0};
    ENSURE(model->nparam <= 2000);
    tacState x = {.qpos = (double*)z, .qvel = (double*)z + PLANAR};
    for (int i = 0; i < 3; ++i) model->param[theta[i].offset] = z[2 * PLANAR + 2 + i];
    memset(out, 0, sizeof(double) * HESSIAN);
    tacTangent x_bar = {.dq = out, .dv = out + PLANAR};
    ENSURE(tac_step_vjp(model, &x, z + 2 * PLANAR, bar,
                        (tacStepTangent){.x = x_bar, .u = out + 2 * PLANAR, .theta = all},
                        scratch) == TAC_OK);
    for (int i = 0; i < 3; ++i) out[2 * PLANAR + 2 + i] = all[theta[i].offset];
    return 0;
}

// symmetric, and the differences of the gradient, for every integrator
static int hessians_are_differences_of_gradients(void) {
    static const char* const names[3] = {"detect/eps1", "respond/stiffness", "detect/eps2"};
    tacModel* model = NULL;
    tacScratch* scratch = NULL;
    tacParam theta[3];
    ENSURE(load_text(planar_text, &model, NULL) == TAC_OK && model->nv == PLANAR && model->nu == 2);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    double z[HESSIAN] = {.01, -.001, .02, .003, -.002, .1, -.05, .2, .05, -.1, .01, -.03},
           bar[2 * PLANAR];
    for (int i = 0; i < 3; ++i) {
        ENSURE(tac_param_find(model, names[i], &theta[i]) == TAC_OK);
        theta[i].count = 1;
        z[2 * PLANAR + 2 + i] = model->param[theta[i].offset];
    }
    for (int i = 0; i < 2 * PLANAR; ++i) bar[i] = cos(1.0 + 2.0 * i);
    tacTangent next_bar = {.dq = bar, .dv = bar + PLANAR};
    for (int kind = TAC_INTEGRATOR_EULER; kind <= TAC_INTEGRATOR_LIE; ++kind) {
        static double H[HESSIAN][HESSIAN];
        double skew = 0.0, off = 0.0;
        model->integrator = (tacIntegrator)kind;
        for (int i = 0; i < 3; ++i) model->param[theta[i].offset] = z[2 * PLANAR + 2 + i];
        tacState x = {.qpos = z, .qvel = z + PLANAR};
        ENSURE(tac_step_hessian(
                   model, &x, z + 2 * PLANAR,
                   &(tacStepHessian){.next_bar = next_bar, .theta = theta, .ntheta = 3, .H = H[0]},
                   scratch) == TAC_OK);
        for (int k = 0; k < HESSIAN; ++k) {
            // a unit of each input: one, or the number itself
            double unit = k < 2 * PLANAR + 2 ? 1.0 : z[k], h = 1e-6 * unit, at = z[k], most = 0.0;
            double plus[HESSIAN], minus[HESSIAN];
            z[k] = at + h;
            ENSURE_LAW(planar_gradient(model, scratch, z, theta, next_bar, plus));
            z[k] = at - h;
            ENSURE_LAW(planar_gradient(model, scratch, z, theta, next_bar, minus));
            z[k] = at;
            for (int i = 0; i < HESSIAN; ++i) {
                double by = i < 2 * PLANAR + 2 ? 1.0 : z[i];
                most = fmax(most, fabs(H[i][k] * by));
            }
            for (int i = 0; i < HESSIAN; ++i) {
                double by = i < 2 * PLANAR + 2 ? 1.0 : z[i], d = (plus[i] - minus[i]) / (2.0 * h);
                off = fmax(off, fabs(H[i][k] - d) * by / most);
                skew = fmax(skew, fabs(H[i][k] - H[k][i]) * by / most);
            }
        }
        printf("  integrator %d: symmetric to %.1e, differences of gradients %.1e\n", kind, skew,
               off);
        ENSURE(skew < 1e-9 && off < 1e-6);
    }
    tacParam wrong = {.offset = model->nparam, .count = 1};
    double unused[1];
    tacState x = {.qpos = z, .qvel = z + PLANAR};
    ENSURE(tac_step_hessian(
               model, &x, z + 2 * PLANAR,
               &(tacStepHessian){.next_bar = next_bar, .theta = &wrong, .ntheta = 1, .H = unused},
               scratch) == TAC_ERROR_VALUE);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(explicit_steps_have_right_derivatives), RUN(implicit_steps_have_right_derivatives),
          RUN(reference_law_has_right_derivatives), RUN(soft_points_have_right_derivatives),
          RUN(wrong_attributes_are_refused), RUN(warns_of_attractive_cores),
          RUN(warns_of_long_steps), RUN(warns_of_missing_faces_and_points),
          RUN(contact_numbers_are_per_pair), RUN(coincident_vertices_are_merged),
          RUN(distant_bodies_do_not_interact), RUN(hessians_are_differences_of_gradients),
          RUN(prove_summary))
