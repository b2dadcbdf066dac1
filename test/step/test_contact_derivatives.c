// Steps of scenes with contact: derivatives by everything, and what physics promises.

#include "check/prove.h"
#include "math/pose.h"
#include "model/contact/contact_data.h"
#include "step/step_problem.h"

//---------------------------------- scenes ---------------------------------------

#define WIDE "tau='.01' support='.08' eps3='.004' stiffness='600' dissipation='.3' stiction='.05'"

static const char ball_text[] =
    "<mujoco><tactus detect='manifold' implicit='false' " WIDE "/><worldbody>"
    "<geom type='plane' size='1 1 .1' euler='3 5 0' friction='.6'/>"
    "<body pos='0 0 .098'><freejoint/><geom size='.1' mass='1' friction='.4'/></body>"
    "</worldbody></mujoco>";

// two trees that touch each other and what is fixed: hinges, a ball, a slide on a moving body; a
// pair of its own numbers; a body without joints that carries a geom
#define ARM(more)                                                                                  \
    "<mujoco><tactus detect='manifold' respond='spring' " WIDE more "/><worldbody>" ARM_BODIES
#define ARM_BODIES                                                                                 \
    "<geom name='floor' type='plane' size='1 1 .1' condim='1' friction='.8'/>"                     \
    "<body pos='-.3 0 .12'><joint axis='0 1 0' pos='.01 0 0' ref='3' damping='.1'/>"               \
    "<geom name='arm' type='capsule' fromto='0 0 0 .2 0 0' size='.02' contype='0' "                \
    "conaffinity='0'/><body pos='.2 0 0'><joint type='ball' damping='.05'/>"                       \
    "<body pos='.05 .01 0' euler='0 10 0'><geom name='hand' size='.05' pos='.02 0 0' mass='.2' "   \
    "priority='1' friction='.7'/></body></body></body>"                                            \
    "<body name='box' pos='.075 0 .098'><freejoint/><geom name='box' type='box' "                  \
    "size='.1 .1 .1' euler='0 0 2' mass='2' friction='.3'/><body pos='.1 0 .1'>"                   \
    "<joint type='slide' axis='1 0 1'/><geom name='top' size='.04' pos='0 .02 .04' "               \
    "mass='.3' friction='.5'/></body></body>"                                                      \
    "<body pos='.08 0 .296'><freejoint/><geom name='upper' type='ellipsoid' "                      \
    "size='.12 .1 .1' mass='.5' friction='.4'/></body></worldbody>"                                \
    "<contact><pair geom1='upper' geom2='box' friction='.9' stiffness='900' dissipation='.2' "     \
    "eps3='.003' "                                                                                 \
    "stiction='.03'/></contact></mujoco>"

static const char arm_text[] = ARM(" implicit='false'"), arm_implicit_text[] = ARM("");

// limits and dry friction along joints of every kind and along tendons, beyond and before the limit
#define LIMITS(more)                                                                               \
    "<mujoco><tactus respond='spring' limitwidth='.02' drystiction='.2' " more                     \
    "/><worldbody><geom type='plane' size='1 1 1' pos='0 0 -5'/>"                                  \
    "<body><joint name='a' axis='0 1 0' range='-1 1' frictionloss='.3'/><geom "                    \
    "size='.1' pos='.3 0 0'/><body pos='.4 0 0'><joint name='b' type='slide' axis='1 0 1' "        \
    "range='0 .5'/><geom size='.1' pos='.1 0 0'/><body pos='.3 0 0'><joint type='ball' "           \
    "frictionloss='.2'/><geom size='.08' pos='0 .2 0'/></body></body></body></worldbody>"          \
    "<tendon><fixed limited='true' range='-.2 .01' frictionloss='.1'><joint joint='a' "            \
    "coef='.5'/><joint joint='b' coef='-.3'/></fixed></tendon></mujoco>"

static const char holds_text[] = LIMITS("implicit='false'"), holds_implicit_text[] = LIMITS("");

// a body whose middle is beside its origin, to turn by a radian in a step
static const char top_text[] =
    "<mujoco><option timestep='.01'/><tactus respond='spring' " WIDE
    "/><worldbody><geom type='plane' size='1 1 .1' friction='.6'/><body pos='0 0 .1'><freejoint/>"
    "<geom type='box' pos='.02 .01 0' euler='10 20 30' size='.1 .06 .03' mass='1' friction='.4'/>"
    "</body></worldbody></mujoco>";

// elastic-plastic contact of a tree with another and with what is fixed
static const char plastic_text[] =
    "<mujoco><tactus detect='sat' respond='elastoplastic' stiffness='1e7' dissipation='.4' "
    "stiction='.05'/><worldbody><geom type='plane' size='1 1 .1' friction='.6'/>"
    "<body pos='-.3 0 .12'><joint axis='0 1 0' damping='.1'/><geom size='.02' mass='.1'/>"
    "<body pos='.25 0 0'><joint type='ball'/><geom size='.05' pos='.08 0 0' mass='.2' "
    "friction='.7'/></body></body><body pos='.17 0 .095'><freejoint/><geom type='box' "
    "size='.1 .1 .1' euler='0 0 2' mass='2' friction='.3'/></body></worldbody></mujoco>";

//---------------------------------- derivatives ----------------------------------

// all that moves bodies or their surfaces
static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "body:world/", 11) != 0 && !strstr(name, "/sol");
}

// near where the scene is drawn, in contact
static void draw_positions(const stepContext* c, unsigned long long* random) {
    memcpy(c->qpos, c->model->qpos0, sizeof *c->qpos * (size_t)c->model->nq);
    for (int i = 0; i < c->model->njoint; ++i) {
        const tacJoint* j = &c->model->joint[i];
        int straight = j->axis >= 0 ? 1 : j->kind == TAC_JOINT_FREE ? 3 : 0;
        double *q = c->qpos + j->qpos, norm = 0.0;
        for (int k = 0; k < straight; ++k) q[k] += 0.004 * tac_check_normal(random);
        if (j->axis >= 0) continue;
        for (q += straight, straight = 0; straight < 4; ++straight) {
            q[straight] += 0.02 * tac_check_normal(random);
            norm += q[straight] * q[straight];
        }
        for (int k = 0; k < 4; ++k) q[k] /= sqrt(norm);
    }
}

// where the chart of the next state is drawn
static void find_next(const stepContext* c, double* qvel) {
    double unused[100];
    tacState at = {.qpos = c->qpos, .qvel = qvel}, next = {.qpos = c->qnext, .qvel = unused};
    tac_step(c->model, &at, NULL, &next, c->scratch);
}

static int sample_contact(const void* context, int i, unsigned long long* random, double* x,
                          double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv;
    draw_positions(c, random);
    for (int k = 0; k < nv; ++k) {
        x[k] = 0.0;
        x[nv + k] = i % 5 == 0 ? 0.0 : 0.2 * tac_check_normal(random);
        scale[k] = 0.05;
        scale[nv + k] = 0.2;
    }
    sample_numbers(c, 0.1, x + 2 * nv, scale + 2 * nv);
    find_next(c, x + nv);
    return 2 * nv;
}

static int sample_gyroscopic(const void* context, int i, unsigned long long* random, double* x,
                             double* scale) {
    const stepContext* c = context;
    int nx = sample_contact(context, i, random, x, scale);
    for (int k = c->model->nv + 3; k < nx; ++k) {
        x[k] = 50.0 * tac_check_normal(random);
        scale[k] = 5.0;
    }
    find_next(c, x + c->model->nv);
    return nx;
}

static tacCheckOptions options_of(int seed) {
    tacCheckOptions options = tac_check_default_options();
    options.points = getenv("TACTUS_NO_SWEEP") ? 1 : 10;
    options.quad_every = 10;
    options.taylor_every = 5;
    options.seed = (unsigned long long)seed + 1;
    options.first = 1e-10;
    options.second = 1e-9;
    return options;
}

// contact is linearly implicit in all steps but explicit ones
static int is_wanted_scene(const tacModel* model, int integrator) {
    return !model->contact->choice[TAC_CHOICE_IMPLICIT] || integrator != TAC_INTEGRATOR_EXPLICIT;
}

static int prove_integrators(stepContext* c, const char* name) {
    int spins = strcmp(name, "top") == 0;
    tacCheckProblem problem = step_problem(c, name, spins ? sample_gyroscopic : sample_contact);
    int failed = 0;
    for (int i = TAC_INTEGRATOR_EULER; i <= TAC_INTEGRATOR_LIE; ++i) {
        if (!is_wanted_scene(c->model, i)) continue;
        ((tacModel*)c->model)->integrator = (tacIntegrator)i;
        failed |= prove(&problem, options_of(i));
    }
    return failed;
}

static int prove_scene(const char* text, const char* name) {
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    int failed = prove_integrators(&c, name);
    close_context(&c);
    return failed;
}

static int a_ball_on_a_plane_has_right_derivatives(void) { return prove_scene(ball_text, "ball"); }

static int trees_in_contact_have_right_derivatives(void) { return prove_scene(arm_text, "arm"); }

static int implicit_contact_has_right_derivatives(void) {
    return prove_scene(arm_implicit_text, "arm, implicit");
}

static int gyroscopic_forces_have_right_derivatives(void) { return prove_scene(top_text, "top"); }

static int limits_and_dry_friction_have_right_derivatives(void) {
    return prove_scene(holds_text, "holds") | prove_scene(holds_implicit_text, "holds, implicit");
}

// A and P have the forward derivatives as columns
static int jacobian_law(stepContext* c, int integrator) {
    const tacModel* model = c->model;
    int nx = 2 * model->nv, columns = nx + c->used_count;
    unsigned long long random = 5;
    double *x = calloc((size_t)(3 * columns), 8), *scale = x + columns, *x_dot = scale + columns;
    double *A = calloc((size_t)(nx * columns), 8), *P = A + nx * nx, y[100], worst = 0.0;
    tacParam* theta = calloc((size_t)c->used_count, sizeof *theta);
    for (int i = 0; i < c->used_count; ++i) theta[i] = (tacParam){c->used[i], 1, 0, 0};
    ((tacModel*)model)->integrator = (tacIntegrator)integrator;
    (nx == 12 ? sample_gyroscopic : sample_contact)(c, 1, &random, x, scale);
    tacState at = {.qpos = c->qpos, .qvel = x + model->nv};
    ENSURE(tac_step_jacobian(
               model, &at, NULL,
               &(tacStepJacobian){.A = A, .theta = theta, .ntheta = c->used_count, .P = P},
               c->scratch) == TAC_OK);
    for (int k = 0; k < columns; ++k) {
        double norm = 1e-3, error = 0.0;
        x_dot[k] = 1.0;
        tac_check_step_double.jvp(c, x, x_dot, y);
        x_dot[k] = 0.0;
        for (int r = 0; r < nx; ++r) {
            double entry = k < nx ? A[r * nx + k] : P[r * c->used_count + k - nx];
            norm = fmax(norm, fabs(y[r]));
            error = fmax(error, fabs(y[r] - entry));
        }
        worst = fmax(worst, error / norm);
    }
    free(x);
    free(A);
    free(theta);
    ENSURE(worst <= 1e-11);
    return 0;
}

static int jacobians_are_the_forward_derivatives(void) {
    const char* const texts[] = {arm_text,     arm_implicit_text, holds_text, holds_implicit_text,
                                 plastic_text, top_text};
    for (int k = 0; k < (int)(sizeof texts / sizeof *texts); ++k) {
        stepContext c;
        ENSURE_LAW(open_context(&c, texts[k], NULL, is_used_param));
        for (int i = TAC_INTEGRATOR_EULER; i <= TAC_INTEGRATOR_LIE; ++i)
            if (is_wanted_scene(c.model, i)) ENSURE_LAW(jacobian_law(&c, i));
        close_context(&c);
    }
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {RUN(a_ball_on_a_plane_has_right_derivatives),
                              RUN(trees_in_contact_have_right_derivatives),
                              RUN(implicit_contact_has_right_derivatives),
                              RUN(gyroscopic_forces_have_right_derivatives),
                              RUN(limits_and_dry_friction_have_right_derivatives),
                              RUN(jacobians_are_the_forward_derivatives),
                              RUN(prove_summary)};
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
