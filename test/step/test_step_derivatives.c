// Derivatives of inverse dynamics, of forward dynamics and of the step, on our scenes: analytic
// against complex step and quad precision, adjoints, Taylor slopes, Hessian products.

#include "check/prove.h"
#include "math/pose.h"
#include "step/actuated_scenes.h"
#include "step/step_problem.h"

#include <stdlib.h>

//---------------------------------- problems -------------------------------------

// everything but drawings: geoms and shapes have no part in the motion
static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "shape:", 6) != 0 && strncmp(name, "geom:", 5) != 0 &&
           strncmp(name, "body:world/", 11) != 0 && !strstr(name, "/range") &&
           !strstr(name, "/frictionloss");
}

// a random position, or the one that the scene is drawn in
static void draw_positions(const stepContext* c, int at_rest, unsigned long long* random) {
    for (int i = 0; i < c->model->njoint; ++i) {
        const tacJoint* j = &c->model->joint[i];
        int count = j->kind == TAC_JOINT_FREE ? 7 : j->kind == TAC_JOINT_BALL ? 4 : 1;
        for (int k = 0; k < count; ++k)
            c->qpos[j->qpos + k] =
                at_rest ? c->model->qpos0[j->qpos + k] : tac_check_normal(random);
        double norm = 0.0, *q = c->qpos + j->qpos + count - 4;
        for (int k = 0; k < 4 && j->axis < 0; ++k) norm += q[k] * q[k];
        for (int k = 0; k < 4 && j->axis < 0; ++k) q[k] /= sqrt(norm);
    }
}

static void draw_inputs(const stepContext* c, int count, int still, unsigned long long* random,
                        double* x, double* scale) {
    int nv = c->model->nv;
    for (int i = 0; i < count; ++i) {
        x[i] = i < nv || still ? 0.0 : 0.5 * tac_check_normal(random);
        scale[i] = 1.0;
    }
    for (int i = 0; i < c->used_count; ++i) {
        double p = c->model->param[c->used[i]];
        x[count + i] = p;
        scale[count + i] = p == 0.0 ? 1e-3 : fabs(p);
    }
}

static int sample_dynamics(const void* context, int i, unsigned long long* random, double* x,
                           double* scale) {
    const stepContext* c = context;
    draw_positions(c, i % 5 == 0, random);
    draw_inputs(c, 3 * c->model->nv + 6 * c->model->nbody, i % 10 == 0, random, x, scale);
    return c->model->nv;
}

// drag has no second derivative where a velocity is 0
static int never_still;

static int sample_step(const void* context, int i, unsigned long long* random, double* x,
                       double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv, nu = c->model->nu, nx = 2 * nv + c->model->na;
    draw_positions(c, i % 5 == 0, random);
    draw_inputs(c, nx + nu, i % 10 == 0 && !never_still, random, x, scale);
    for (int k = 0; k < nu; ++k) { // away from the ends of the range, where a clamp has a kink
        const tacActuator* a = &c->model->actuator[k];
        double low = a->ctrllimited ? a->ctrlrange[0] : -1.0;
        double high = a->ctrllimited ? a->ctrlrange[1] : 1.0;
        x[nx + k] = low + (high - low) * tac_check_uniform(random, 0.1, 0.9);
        scale[nx + k] = 0.05 * (high - low);
        if (!a->actlimited) continue;
        low = a->actrange[0];
        high = a->actrange[1];
        x[2 * nv + a->act] = low + (high - low) * tac_check_uniform(random, 0.1, 0.9);
        scale[2 * nv + a->act] = 0.05 * (high - low);
    }
    tacState at = {.qpos = c->qpos, .qvel = x + nv, .act = x + 2 * nv};
    double unused[1000];
    tacState next = {.qpos = c->qnext, .qvel = unused, .act = unused + nv};
    tac_step(c->model, &at, x + nx, &next, c->scratch);
    return nx;
}

static tacCheckOptions options_of(void) {
    tacCheckOptions options = tac_check_default_options();
    options.points = getenv("TACTUS_NO_SWEEP") ? 10 : 40;
    options.quad_every = 10;
    options.taylor_every = 5;
    options.first = 1e-11;
    options.second = 1e-10;
    return options;
}

static int prove_dynamics(const stepContext* c, const char* name) {
    tacCheckProblem problem = {.name = name,
                               .n = 3 * c->model->nv + 6 * c->model->nbody + c->used_count,
                               .m = c->model->nv,
                               .curved = {0, c->model->nv},
                               .context = c,
                               .as_double = &tac_check_inverse_double,
                               .as_complex = &tac_check_inverse_complex,
                               .as_quad = &tac_check_inverse_quad,
                               .sample = sample_dynamics};
    int failed = prove(&problem, options_of());
    problem.as_double = &tac_check_forward_double;
    problem.as_complex = &tac_check_forward_complex;
    problem.as_quad = &tac_check_forward_quad;
    return failed | prove(&problem, options_of());
}

static int prove_step(stepContext* c, const char* name) {
    tacCheckProblem problem = step_problem(c, name, sample_step);
    int failed = 0;
    for (int i = TAC_INTEGRATOR_EULER; i <= TAC_INTEGRATOR_LIE; ++i) {
        ((tacModel*)c->model)->integrator = (tacIntegrator)i;
        failed |= prove(&problem, options_of());
    }
    return failed;
}

//---------------------------------- laws -----------------------------------------

static const char* const scenes[] = {"double_pendulum", "cart_pole", "top", "arm", "humanoid"};

static int each_scene(int (*law)(stepContext*, const char*)) {
    int failed = 0;
    for (int i = 0; i < 5; ++i) {
        char path[300];
        stepContext c;
        snprintf(path, sizeof path, "%s/scenes/%s.xml", TAC_SOURCE_DIR, scenes[i]);
        ENSURE_LAW(open_context(&c, NULL, path, is_used_param));
        failed |= law(&c, scenes[i]);
        close_context(&c);
    }
    return failed;
}

static int dynamics_law(stepContext* c, const char* name) { return prove_dynamics(c, name); }

static int dynamics_have_right_derivatives(void) { return each_scene(dynamics_law); }

static int steps_have_right_derivatives(void) { return each_scene(prove_step); }

// several joints on a body, a ball among them, frames and axes that are not unit, a spring on a
// free body, limits of forces
static int odd_joints_have_right_derivatives(void) {
    static const char text[] =
        "<mujoco><worldbody><body pos='.1 .2 .3' quat='1 .2 .3 .4'><freejoint/>"
        "<geom type='box' size='.1 .2 .3'/>"
        "<body pos='.3 0 .1' euler='10 20 30'><joint type='slide' axis='1 2 3' ref='.1' "
        "stiffness='3' springref='.2'/><joint type='ball' pos='.1 .2 .3' stiffness='2' "
        "damping='.3' armature='.02'/><joint axis='0 1 1' pos='0 .1 0' ref='20'/>"
        "<geom type='ellipsoid' size='.1 .15 .2' pos='.1 0 0'/>"
        "<body pos='0 0 .2'><geom size='.1' pos='0 .1 0'/><body pos='.1 0 0'>"
        "<joint name='last' axis='1 0 0' damping='.1' armature='.1'/>"
        "<geom type='capsule' size='.05 .2'/></body></body></body></body>"
        "<body><joint type='free' stiffness='2' damping='.1'/><geom size='.1'/></body></worldbody>"
        "<actuator><general joint='last' gear='3' gainprm='2' biastype='affine' biasprm='.1 -.2 "
        "-.3'"
        " forcelimited='true' forcerange='-100 100'/></actuator></mujoco>";
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    int failed = prove_dynamics(&c, "odd joints") | prove_step(&c, "odd joints");
    close_context(&c);
    return failed;
}

static int actuators_have_right_derivatives(void) {
    stepContext c;
    ENSURE_LAW(open_context(&c, drives_text, NULL, is_used_param));
    int failed = prove_step(&c, "drives");
    close_context(&c);
    return failed;
}

// A and B are the forward derivatives, P too; next is tac_step's
static int jacobian_law(stepContext* c, const char* name) {
    const tacModel* model = c->model;
    int nv = model->nv, nu = model->nu, nx = 2 * nv + model->na, columns = nx + nu + c->used_count;
    unsigned long long random = 7;
    double *x = calloc((size_t)columns, 8), *scale = calloc((size_t)columns, 8);
    double *all = calloc((size_t)(nx * columns), 8), *y = calloc((size_t)nx, 8);
    double *x_dot = calloc((size_t)columns, 8), *next = calloc((size_t)(model->nq + nx), 8);
    tacParam* theta = calloc((size_t)c->used_count, sizeof *theta);
    for (int i = 0; i < c->used_count; ++i) theta[i] = (tacParam){c->used[i], 1, 0, 0};
    int failed = 0;
    for (int i = TAC_INTEGRATOR_EULER; i <= TAC_INTEGRATOR_LIE; ++i) {
        ((tacModel*)model)->integrator = (tacIntegrator)i;
        sample_step(c, 1, &random, x, scale);
        tacState at = {.qpos = c->qpos, .qvel = x + nv, .act = x + 2 * nv};
        tacState out = {.qpos = next, .qvel = next + model->nq, .act = next + model->nq + nv};
        double *A = all, *B = all + nx * nx, *P = B + nx * nu, worst = 0.0;
        ENSURE(
            tac_step_jacobian(
                model, &at, x + nx,
                &(tacStepJacobian){
                    .next = &out, .A = A, .B = B, .theta = theta, .ntheta = c->used_count, .P = P},
                c->scratch) == TAC_OK);
        ENSURE(memcmp(next, c->qnext, sizeof(double) * (size_t)model->nq) == 0);
        for (int k = 0; k < columns; ++k) {
            x_dot[k] = 1.0;
            tac_check_step_double.jvp(c, x, x_dot, y);
            x_dot[k] = 0.0;
            const double* X = k < nx ? A : k < nx + nu ? B : P;
            int width = k < nx ? nx : k < nx + nu ? nu : c->used_count;
            int at_column = k < nx ? k : k < nx + nu ? k - nx : k - nx - nu;
            double norm = 1e-3, error = 0.0;
            for (int r = 0; r < nx; ++r) {
                norm = fmax(norm, fabs(y[r]));
                error = fmax(error, fabs(y[r] - X[r * width + at_column]));
            }
            worst = fmax(worst, error / norm);
        }
        if (!(worst <= 1e-11)) {
            printf("  %s, integrator %d: columns differ by %.2g\n", name, i, worst);
            failed = 1;
        }
    }
    free(x);
    free(scale);
    free(all);
    free(y);
    free(x_dot);
    free(next);
    free(theta);
    return failed;
}

// a chain of 24 hinges and slides: its steps go by articulated bodies, its derivatives by the mass
// matrix
static int deep_trees_have_right_derivatives(void) {
    enum { LINKS = 24 };
    char text[6000];
    size_t used = (size_t)sprintf(text, "<mujoco><worldbody>");
    for (int i = 0; i < LINKS; ++i)
        used += (size_t)sprintf(text + used,
                                "<body pos='.1 0 .02'><joint type='%s' axis='%d 1 %d' damping='.1' "
                                "armature='.01'/><geom type='box' size='.05 .03 .02'/>",
                                i % 5 == 4 ? "slide" : "hinge", i % 2, i % 3);
    for (int i = 0; i < LINKS; ++i) used += (size_t)sprintf(text + used, "</body>");
    sprintf(text + used, "</worldbody></mujoco>");
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    int failed = prove_step(&c, "deep tree") | jacobian_law(&c, "deep tree");
    close_context(&c);
    return failed;
}

static int external_forces_have_right_derivatives(void) {
    stepContext c;
    ENSURE_LAW(open_context(&c, pushes_text, NULL, is_used_param));
    never_still = 1;
    int failed = prove_step(&c, "pushes") | jacobian_law(&c, "pushes");
    never_still = 0;
    close_context(&c);
    return failed;
}

static int jacobians_are_the_forward_derivatives(void) {
    stepContext c;
    ENSURE_LAW(open_context(&c, drives_text, NULL, is_used_param));
    int failed = jacobian_law(&c, "drives");
    close_context(&c);
    return failed | each_scene(jacobian_law);
}

//---------------------------------- rows -----------------------------------------

static int sample_rows(const void* context, int i, unsigned long long* random, double* x,
                       double* scale) {
    const stepContext* c = context;
    draw_positions(c, 0, random);
    for (int k = 0; k < 2 * c->model->nv; ++k) {
        x[k] = k < c->model->nv ? 0.0 : tac_check_normal(random);
        scale[k] = 1.0;
    }
    (void)i;
    return tac_row_count(c->model);
}

// J is the derivative of value; limits of joints and tendons come with their ends, friction with
// its bound; what is switched off is not there
static int rows_have_right_derivatives(void) {
    static const char text[] =
        "<mujoco><worldbody><body name='first'><joint name='ball' type='ball' range='0 80'/>"
        "<geom size='.1' pos='.2 0 0'/><body><joint name='a' range='-30 60' frictionloss='.2'/>"
        "<geom size='.1' pos='.2 0 0'/><body name='last' euler='20 30 40'><joint name='b' "
        "type='slide' frictionloss='.3'/>"
        "<geom size='.1'/></body></body></body></worldbody><tendon>"
        "<fixed range='-1 2' frictionloss='.4'><joint joint='a' coef='2'/>"
        "<joint joint='b' coef='-3'/></fixed><fixed name='t'><joint joint='b' coef='.5'/></fixed>"
        "</tendon><equality><joint joint1='a' joint2='b' polycoef='.1 .2 .3 .4 .5'/>"
        "<tendon tendon1='t' polycoef='.3 1 0 0 0'/><joint joint1='b' active='false'/>"
        "<connect body1='first' body2='last' anchor='.1 .2 .3'/>"
        "<weld body1='last' body2='first' anchor='.2 .1 0' torquescale='.7'/></equality></mujoco>";
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    c.used_count = 0;
    int nv = c.model->nv;
    tacCheckProblem problem = {.name = "rows",
                               .n = 2 * nv,
                               .m = tac_row_count(c.model),
                               .curved = {0, nv},
                               .context = &c,
                               .as_double = &tac_check_rows_double,
                               .as_complex = &tac_check_rows_complex,
                               .as_quad = &tac_check_rows_quad,
                               .sample = sample_rows};
    int failed = prove(&problem, options_of());
    tacRow row[20];
    double J[20 * 20], v[5] = {.1, .2, .3, .4, .5};
    ENSURE(problem.m == 19);
    ENSURE(tac_rows(c.model, c.qpos, v, row, J, c.scratch) == TAC_OK);
    const double *q = c.qpos, radian = 3.14159265358979323846 / 180.0;
    ENSURE(row[0].kind == TAC_ROW_BALL_LIMIT && row[1].kind == TAC_ROW_JOINT_LIMIT);
    ENSURE_NEAR(row[1].value, q[4] + 30.0 * radian, 1e-14);
    ENSURE_NEAR(row[2].value, 60.0 * radian - q[4], 1e-14);
    ENSURE(row[2].upper && row[2].velocity == -.4 && row[1].velocity == .4);
    ENSURE_NEAR(row[3].value, 2.0 * q[4] - 3.0 * q[5] + 1.0, 1e-14);
    ENSURE_NEAR(row[4].value, 2.0 - (2.0 * q[4] - 3.0 * q[5]), 1e-14);
    ENSURE(row[5].kind == TAC_ROW_JOINT_FRICTION && row[5].bound == .2 && row[5].velocity == .4);
    ENSURE(row[6].object == 4 && row[6].bound == .3);
    ENSURE(row[7].kind == TAC_ROW_TENDON_FRICTION && row[7].bound == .4);
    ENSURE_NEAR(row[7].velocity, 2.0 * .4 - 3.0 * .5, 1e-14);
    double x = q[5], y = .1 + x * (.2 + x * (.3 + x * (.4 + x * .5)));
    ENSURE(row[8].kind == TAC_ROW_EQUALITY && row[18].object == 4);
    ENSURE_NEAR(row[8].value, q[4] - y, 1e-14);
    ENSURE_NEAR(row[9].value, .5 * q[5] - .3, 1e-14);
    // where the scene is drawn all equalities of bodies hold
    ENSURE(tac_rows(c.model, c.model->qpos0, v, row, J, c.scratch) == TAC_OK);
    for (int i = 10; i < 19; ++i) ENSURE_NEAR(row[i].value, 0.0, 1e-15);
    ((tacModel*)c.model)->disable |= TAC_DISABLE_LIMIT | TAC_DISABLE_EQUALITY;
    ENSURE(tac_row_count(c.model) == 3);
    close_context(&c);
    return failed;
}

//---------------------------------- balance --------------------------------------

// weight of all bodies and its moment about the world's origin
static void add_weight(const stepContext* c, double total[6]) {
    const tacModel* model = c->model;
    tacPose pose[100];
    tac_kinematics(model, c->qpos, NULL, pose, NULL, c->scratch);
    const double* g = model->param + model->gravity;
    for (int b = 1; b < model->nbody; ++b) {
        double mass = model->param[model->body[b].mass];
        tacVec3 r = tac_pose_apply(pose[b], tac_load3(model->param + model->body[b].com));
        tacVec3 f = {mass * g[0], mass * g[1], mass * g[2]}, t = tac_cross(r, f);
        total[0] += f.x;
        total[1] += f.y;
        total[2] += f.z;
        total[3] += t.x;
        total[4] += t.y;
        total[5] += t.z;
    }
}

// Of a humanoid that nothing holds: the rate of total momentum, by complex step along (v, qacc), is
// weight and external wrench; the rate of energy is the power of joint forces and wrenches.
static int momentum_and_energy_balance(void) {
    stepContext c;
    char path[300];
    snprintf(path, sizeof path, "%s/scenes/humanoid.xml", TAC_SOURCE_DIR);
    ENSURE_LAW(open_context(&c, NULL, path, is_used_param));
    const tacModel* model = c.model;
    int nv = model->nv, n = 2 * nv + c.used_count, nwrench = 6 * model->nbody;
    for (int i = 0; i < model->njoint; ++i) {
        model->param[model->joint[i].armature] = 0.0;  // rotors are outside the balance,
        model->param[model->joint[i].stiffness] = 0.0; // and springs outside the joint forces
    }
    double *x = calloc((size_t)n, 8), *x_dot = calloc((size_t)n, 8), y[8], rate[8];
    double *tau = calloc((size_t)nv, 8), *wrench = calloc((size_t)nwrench, 8);
    void* memory = calloc(1, TAC_CHECK_MEMORY(n, 8));
    tacCheckProblem problem = {.n = n, .m = 8, .context = &c};
    problem.as_complex = &tac_check_momentum_complex;
    unsigned long long random = 17;
    double worst = 0.0;
    for (int i = 0; i < 20; ++i) {
        double total[6] = {0}, power = 0.0, scale = 0.0;
        draw_positions(&c, 0, &random);
        for (int k = 0; k < c.used_count; ++k) x[2 * nv + k] = model->param[c.used[k]];
        for (int k = 0; k < nv; ++k) {
            x[nv + k] = x_dot[k] = tac_check_normal(&random);
            tau[k] = k < 6 ? 0.0 : 10.0 * tac_check_normal(&random);
            power += tau[k] * x[nv + k];
        }
        for (int k = 6; k < nwrench; ++k) {
            wrench[k] = 10.0 * tac_check_normal(&random);
            total[k % 6] += wrench[k];
        }
        tacDynamicsInput at = {.qpos = c.qpos, .qvel = x + nv, .wrench = wrench};
        ENSURE(tac_forward_dynamics(model, at, tau, x_dot + nv, c.scratch) == TAC_OK);
        add_weight(&c, total);
        ENSURE(tac_check_number_complex.first(&problem, x, x_dot, y, rate, memory) == TAC_OK);
        for (int k = 0; k < 6; ++k) scale = fmax(scale, fabs(total[k]));
        for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(rate[k] - total[k]) / scale);

        // power of the wrenches: about the world's origin, at the bodies' twists there
        double twist[100 * 6];
        tacPose pose[100];
        tac_kinematics(model, c.qpos, x + nv, pose, twist, c.scratch);
        for (int b = 1; b < model->nbody; ++b) {
            tacTwist t = tac_twist_load(twist + 6 * b);
            t = tac_twist_shift(t, pose[b].position, tac_vec3_zero());
            power += tac_power(t, tac_wrench_load(wrench + 6 * b));
        }
        worst = fmax(worst, fabs(rate[6] + rate[7] - power) / fmax(fabs(rate[6]), fabs(rate[7])));
    }
    printf("    largest imbalance, relative: %.2g\n", worst);
    ENSURE(worst <= 1e-12);
    free(x);
    free(x_dot);
    free(tau);
    free(wrench);
    free(memory);
    close_context(&c);
    return 0;
}

TEST_MAIN(RUN(dynamics_have_right_derivatives), RUN(odd_joints_have_right_derivatives),
          RUN(actuators_have_right_derivatives), RUN(external_forces_have_right_derivatives),
          RUN(deep_trees_have_right_derivatives), RUN(steps_have_right_derivatives),
          RUN(jacobians_are_the_forward_derivatives), RUN(rows_have_right_derivatives),
          RUN(momentum_and_energy_balance), RUN(prove_summary))
