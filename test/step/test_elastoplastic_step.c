// Steps with detect="sat" or "convex" and respond="elastoplastic": derivatives by state and
// numbers of contact, exit speeds, momentum, energy, and one motion by both detectors.

#include "check/prove.h"
#include "math/pose.h"
#include "model/contact/contact_data.h"
#include "step/step_problem.h"
#include "tactus/solid.h"

//---------------------------------- scenes ---------------------------------------

#define LAW "respond='elastoplastic' stiffness='1e6' dissipation='4' stiction='.05'"

static const char ball_and_box[] =
    "<mujoco><tactus detect='sat' " LAW "/><worldbody>"
    "<body pos='0 0 0'><freejoint/><geom type='box' size='.2 .3 .1' mass='2' friction='.4'/></body>"
    "<body pos='.05 .02 .19'><freejoint/><geom size='.1' mass='1' friction='.45'/></body>"
    "<body pos='.27 .37 .17' euler='35 20 10'><freejoint/>"
    "<geom type='box' size='.1 .1 .1' mass='1' friction='.3'/></body>"
    "</worldbody></mujoco>";

// the same by pieces that are as they were loaded
static const char convex_parts[] =
    "<mujoco><tactus detect='gjk' " LAW "/><worldbody>"
    "<body><freejoint/><geom type='box' size='.2 .3 .1' mass='2' friction='.4'/></body>"
    "<body pos='.05 .02 .19'><freejoint/><geom size='.1' mass='1' friction='.45'/></body>"
    "</worldbody></mujoco>";

static const char planar[] =
    "<mujoco><tactus detect='sat' " LAW "/><worldbody><geom type='halfplane' friction='.5'/>"
    "<body pos='0 .09 0'><joint type='planar'/><geom type='circle' size='.1' mass='1'/></body>"
    "<body pos='.19 .095 0' euler='0 0 1'><joint type='planar'/>"
    "<geom type='rectangle' size='.1 .1' mass='2' friction='.3'/></body>"
    "<body pos='.4 .1 0' euler='0 0 30'><joint type='planar'/>"
    "<geom type='polygon' points='-.12 -.1 .1 -.1 .15 .05 0 .12' mass='2'/></body>"
    "</worldbody></mujoco>";

//---------------------------------- derivatives ----------------------------------

// all but sizes, which are those of the file
static int is_used_param(const tacModel* model, int offset) {
    const char* name = model->paramname[model->paramgroup[offset]].name;
    return strncmp(name, "body:world/", 11) != 0 && strncmp(name, "shape:", 6) != 0 &&
           !strstr(name, "/range") && !strstr(name, "/frictionloss") && !strstr(name, "/sol") &&
           !strstr(name, "/size");
}

static int sample_plastic(const void* context, int i, unsigned long long* random, double* x,
                          double* scale) {
    const stepContext* c = context;
    int nv = c->model->nv;
    (void)i;
    memcpy(c->qpos, c->model->qpos0, sizeof *c->qpos * (size_t)c->model->nq);
    for (int k = 0; k < c->model->nq; ++k) c->qpos[k] += 0.004 * tac_check_normal(random);
    for (int j = 0; j < c->model->njoint; ++j) {
        if (c->model->joint[j].kind != TAC_JOINT_FREE) continue;
        double *q = c->qpos + c->model->joint[j].qpos + 3, norm = 0.0;
        for (int k = 0; k < 4; ++k) norm += q[k] * q[k];
        for (int k = 0; k < 4; ++k) q[k] /= sqrt(norm);
    }
    for (int k = 0; k < nv; ++k) {
        x[k] = 0.0;
        x[nv + k] = 0.3 * tac_check_normal(random);
        scale[k] = 1e-3;
        scale[nv + k] = 0.02;
    }
    sample_numbers(c, 0.02, x + 2 * nv, scale + 2 * nv);
    return 0; // differences of larger steps may change features
}

// by the implicit steps of Euler and Runge-Kutta, and by explicit ones
static int prove_scene(const char* text, const char* name) {
    stepContext c;
    ENSURE_LAW(open_context(&c, text, NULL, is_used_param));
    tacCheckProblem problem = step_problem(&c, name, sample_plastic);
    tacCheckOptions options = tac_check_default_options();
    tacModel* model = (tacModel*)c.model;
    tacContactPlan* plan = (tacContactPlan*)model->contact;
    int failed = 0;
    options.points = getenv("TACTUS_NO_SWEEP") ? 5 : 60;
    options.quad_every = 10;
    options.first = 1e-10;
    options.second = 1e-9;
    for (int implicit = 0; implicit < 2; ++implicit)
        for (int rk4 = 0; rk4 < 2; ++rk4) {
            plan->choice[TAC_CHOICE_IMPLICIT] = implicit;
            model->integrator = rk4 ? TAC_INTEGRATOR_RK4 : TAC_INTEGRATOR_EULER;
            failed |= prove(&problem, options);
        }
    close_context(&c);
    return failed;
}

static int bodies_in_space_have_right_derivatives(void) {
    return prove_scene(ball_and_box, "space");
}
static int convex_parts_have_right_derivatives(void) { return prove_scene(convex_parts, "pieces"); }
static int planar_bodies_have_right_derivatives(void) { return prove_scene(planar, "planar"); }

//---------------------------------- motion ---------------------------------------

typedef struct motion {
    tacModel* model;
    tacScratch* scratch;
    tacState x;
    double memory[60];
} motion;

static int start_motion(motion* m, const char* text) {
    tacMessage message = {0};
    memset(m, 0, sizeof *m);
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &m->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(m->model, &m->scratch) == TAC_OK);
    m->x = (tacState){.qpos = m->memory, .qvel = m->memory + 30};
    memcpy(m->x.qpos, m->model->qpos0, sizeof(double) * (size_t)m->model->nq);
    return 0;
}

static int run_motion(motion* m, int steps) {
    for (int i = 0; i < steps; ++i)
        ENSURE(tac_step(m->model, &m->x, NULL, &m->x, m->scratch) == TAC_OK);
    return 0;
}

static void end_motion(motion* m) {
    tac_scratch_destroy(m->scratch);
    tac_model_destroy(m->model);
}

// d (1 + e) = log((1 + d)/(1 - e d)), d the speed over v_d (003-E11)
static double restitution_of_speed(double d) {
    double low = 1e-12, high = fmin(1.0, (1.0 - 1e-12) / d);
    for (int i = 0; i < 200; ++i) {
        double e = 0.5 * (low + high);
        if (d * (1.0 + e) > log((1.0 + d) / (1.0 - e * d)))
            low = e;
        else
            high = e;
    }
    return low;
}

static int exit_speed_is_the_closed_form(void) {
    const char* detectors[] = {"sat", "convex"};
    for (int i = 0; i < 6; ++i) {
        char text[900];
        double speed = i % 3 == 0 ? 0.5 : i % 3 == 1 ? 2.0 : 6.0;
        snprintf(text, sizeof text,
                 "<mujoco><tactus detect='%s' respond='elastoplastic' stiffness='1e9' "
                 "implicit='false' dissipation='5'/><option integrator='RK4' timestep='2e-5' "
                 "gravity='0 0 0'/>"
                 "<worldbody><geom type='halfplane'/><body pos='0 .11 0'><joint type='planar'/>"
                 "<geom type='circle' size='.1' mass='1'/></body></worldbody></mujoco>",
                 detectors[i / 3]);
        motion m;
        ENSURE_LAW(start_motion(&m, text));
        m.x.qvel[1] = -speed;
        ENSURE_LAW(run_motion(&m, (int)(0.08 / speed / 2e-5) + 2000));
        ENSURE(m.x.qvel[1] > 0.0);
        ENSURE_NEAR(m.x.qvel[1] / speed, restitution_of_speed(speed / 5.0), 1e-5);
        end_motion(&m);
    }
    return 0;
}

static const char collision[] =
    "<mujoco><tactus detect='%s' respond='elastoplastic' stiffness='1e8' dissipation='%g' "
    "implicit='false' stiction='.01'/><option integrator='RK4' timestep='%g' gravity='0 0 "
    "0'/><worldbody>"
    "<body name='a'><joint type='planar'/><geom type='rectangle' size='.2 .1' mass='2' "
    "friction='%g'/></body><body name='b' pos='.25 .17 0' euler='0 0 %g'><joint type='planar'/>"
    "<geom type='%s' mass='1' friction='%g'/></body></worldbody></mujoco>";

static int run_collision(motion* m, const char* detector, double v_d, double h, double mu,
                         const char* other) {
    char text[1200];
    snprintf(text, sizeof text, collision, detector, v_d, h, mu, 25.0, other, mu);
    ENSURE_LAW(start_motion(m, text));
    m->x.qvel[3] = -1.0;
    m->x.qvel[4] = -0.6;
    m->x.qvel[5] = 2.0;
    return 0;
}

static const char* const others[] = {"circle' size='.05", "rectangle' size='.06 .04",
                                     "polygon' points='-.05 -.04 .06 -.03 0 .07"};

static double total_energy(motion* m) {
    double energy[2];
    tac_energy(m->model, m->x.qpos, m->x.qvel, energy, m->scratch);
    return energy[0];
}

// the common point takes both forces: nothing turns by itself (003-E13); damping takes energy out
static int momentum_is_kept(void) {
    for (int i = 0; i < 3; ++i) {
        motion m;
        double before[6], after[6];
        ENSURE_LAW(run_collision(&m, "sat", 5.0, 1e-4, 0.3, others[i]));
        tac_momentum(m.model, m.x.qpos, m.x.qvel, before, m.scratch);
        double energy = total_energy(&m);
        ENSURE_LAW(run_motion(&m, 4000));
        tac_momentum(m.model, m.x.qpos, m.x.qvel, after, m.scratch);
        for (int k = 0; k < 6; ++k) ENSURE_NEAR(after[k], before[k], 1e-9);
        ENSURE(total_energy(&m) < 0.995 * energy && total_energy(&m) > 0.1 * energy);
        end_motion(&m);
    }
    return 0;
}

// Without friction and with the least damping that there is the loss converges with the order of
// the integrator, and to next to nothing.
static int energy_is_kept_to_the_order_of_the_integrator(void) {
    const double h[] = {8e-4, 4e-4, 5e-5};
    double lost[3];
    for (int i = 0; i < 3; ++i) {
        motion m;
        ENSURE_LAW(run_collision(&m, "sat", 1e6, h[i], 0.0, others[0]));
        double energy = total_energy(&m);
        ENSURE_LAW(run_motion(&m, (int)(0.4 / h[i] + 0.5)));
        lost[i] = 1.0 - total_energy(&m) / energy;
        end_motion(&m);
    }
    ENSURE(fabs(lost[2]) < 2e-6);
    ENSURE(fabs(lost[0] - lost[2]) > 6.0 * fabs(lost[1] - lost[2]));
    return 0;
}

static int both_detectors_give_one_motion(void) {
    for (int i = 0; i < 3; ++i) {
        motion sat, convex;
        ENSURE_LAW(run_collision(&sat, "sat", 5.0, 1e-4, 0.3, others[i]));
        ENSURE_LAW(run_collision(&convex, "convex", 5.0, 1e-4, 0.3, others[i]));
        ENSURE_LAW(run_motion(&sat, 3000));
        ENSURE_LAW(run_motion(&convex, 3000));
        for (int k = 0; k < 6; ++k) ENSURE_NEAR(sat.x.qpos[k], convex.x.qpos[k], 1e-9);
        end_motion(&sat);
        end_motion(&convex);
    }
    return 0;
}

//---------------------------------- words ----------------------------------------

static int is_refused(const char* text, const char* attribute) {
    tacModel* model = NULL;
    tacMessage message = {0};
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &model, &message);
    if (result == TAC_OK || !strstr(message.text, attribute)) printf("  said: %s\n", message.text);
    ENSURE(result != TAC_OK && strstr(message.text, attribute) && message.line > 0);
    return 0;
}

static int wrong_scenes_are_refused(void) {
    ENSURE_LAW(is_refused("<mujoco><tactus detect='sat'/><worldbody><geom type='halfplane'/><body>"
                          "<freejoint/><geom type='circle' size='.1'/></body></worldbody></mujoco>",
                          "leaves the x-y plane"));
    ENSURE_LAW(is_refused("<mujoco><tactus detect='sat'/><worldbody><geom type='halfplane'/><body>"
                          "<joint axis='0 1 0'/><geom type='circle' size='.1'/></body></worldbody>"
                          "</mujoco>",
                          "leaves the x-y plane"));
    ENSURE_LAW(
        is_refused("<mujoco><tactus detect='sat'/><worldbody><geom type='halfplane'/><body>"
                   "<joint type='planar'/><geom type='circle' size='.1' euler='60 0 0'/></body>"
                   "</worldbody></mujoco>",
                   "leaves the x-y plane"));
    ENSURE_LAW(is_refused("<mujoco><tactus detect='sat'/><worldbody><geom type='halfplane'/><body>"
                          "<freejoint/><geom size='.1'/></body></worldbody></mujoco>",
                          "collide with a planar geom"));
    ENSURE_LAW(
        is_refused("<mujoco><tactus detect='sat'/><worldbody><geom type='plane' size='1 1 1'/>"
                   "<body><freejoint/><geom type='ellipsoid' size='.1 .2 .3'/></body>"
                   "</worldbody></mujoco>",
                   "is not convex with flat faces or a ball"));
    ENSURE_LAW(is_refused("<mujoco><worldbody><geom type='polygon' points='0 0 1 0 1'/></worldbody>"
                          "</mujoco>",
                          "pairs x y"));
    ENSURE_LAW(is_refused("<mujoco><worldbody><geom type='polygon' "
                          "points='0 0 2 0 2 2 1 .5 0 2'/></worldbody></mujoco>",
                          "not convex"));
    ENSURE_LAW(is_refused("<mujoco><worldbody><geom type='circle'/></worldbody></mujoco>", "size"));
    ENSURE_LAW(is_refused("<mujoco><worldbody><geom type='box' size='1 1 1' points='0 0'/>"
                          "</worldbody></mujoco>",
                          "polygon"));
    ENSURE_LAW(is_refused("<mujoco><worldbody><body><joint type='planar' axis='1 0 0'/>"
                          "<geom size='1'/></body></worldbody></mujoco>",
                          "two slides and a hinge"));
    return 0;
}

// masses of planar geoms: a square as a polygon weighs and turns as a rectangle
static int prisms_weigh_what_boxes_weigh(void) {
    motion a, b;
    ENSURE_LAW(start_motion(&a,
                            "<mujoco><worldbody><body><joint type='planar'/><geom type='polygon' "
                            "points='.3 .2 .3 -.1 -.1 -.1 -.1 .2' size='.04'/></body></worldbody>"
                            "</mujoco>"));
    ENSURE_LAW(start_motion(&b,
                            "<mujoco><worldbody><body><joint type='planar'/><geom type='rectangle' "
                            "size='.2 .15 .04' pos='.1 .05 0'/></body></worldbody></mujoco>"));
    const tacBody *p = &a.model->body[1], *q = &b.model->body[1];
    ENSURE_NEAR(a.model->param[p->mass], b.model->param[q->mass], 1e-12);
    for (int k = 0; k < 3; ++k)
        ENSURE_NEAR(a.model->param[p->com + k], b.model->param[q->com + k], 1e-14);
    for (int k = 0; k < 6; ++k)
        ENSURE_NEAR(a.model->param[p->inertia + k], b.model->param[q->inertia + k], 1e-13);
    end_motion(&a);
    end_motion(&b);
    return 0;
}

//---------------------------------- broad phase ----------------------------------

static const char crowd[] =
    "<mujoco><tactus detect='sat' " LAW "/><worldbody>"
    "<geom type='halfplane' pos='.1 -.2 0' euler='0 0 20'/>"
    "<body pos='0 .3 0'><joint type='planar'/><geom type='circle' size='.1' pos='.3 0 .2'/>"
    "<geom type='rectangle' size='.3 .02' pos='-.2 .1 0' euler='0 0 40'/></body>"
    "<body pos='.2 .4 0'><joint type='planar'/>"
    "<geom type='polygon' points='.5 .5 .9 .5 .7 .6'/></body>"
    "<body pos='-.3 .2 0'><joint type='planar'/><geom type='circle' size='.25'/></body>"
    "</worldbody></mujoco>";

static const char crowd_in_space[] =
    "<mujoco><tactus detect='sat' " LAW "/><worldbody>"
    "<geom type='plane' size='5 5 1' pos='0 0 -.3' euler='10 20 0'/>"
    "<body><freejoint/><geom type='box' size='.4 .05 .1' pos='.2 0 .1' euler='0 30 0'/></body>"
    "<body pos='.4 0 0'><freejoint/><geom size='.2' pos='0 .3 0'/></body>"
    "<body pos='0 .4 0'><freejoint/><geom type='box' size='.1 .1 .5'/></body>"
    "</worldbody></mujoco>";

// a geom's solid where it is; a half-plane's geom lies along its z
static tacPosedSolid posed_geom(const tacModel* model, const tacPose* body, int geom) {
    const tacGeom* g = &model->geom[geom];
    const tacSolid* solid = &model->contact->solid[geom];
    tacPose own = {tac_load3(model->param + g->position),
                   tac_quat_load(model->param + g->rotation)};
    if (solid->planar && solid->vertices == 0)
        own = tac_pose_compose(own, (tacPose){{0.0, 0.0, 0.0}, {1.0, 1.0, 0.0, 0.0}});
    return (tacPosedSolid){solid, tac_pose_compose(body[g->body], own)};
}

// records are those of all pairs tried one by one
static int finds_all(const char* text, int* touching) {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* contacts;
    testRandom random = {5};
    ENSURE(tac_load_text(text, (int)strlen(text), "crowd", NULL, &model, NULL) == TAC_OK);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &contacts) == TAC_OK);
    for (int n = 0; n < 2000; ++n) {
        double q[21];
        tacPose body[8];
        int found = 0;
        for (int i = 0; i < model->nq; ++i) q[i] = test_uniform(&random, -0.7, 0.7);
        ENSURE(tac_kinematics(model, q, NULL, body, NULL, scratch) == TAC_OK);
        ENSURE(tac_detect(model, body, contacts, scratch) == TAC_OK);
        for (int i = 0; i < model->contact->npair; ++i) {
            const tacContactPair* pair = &model->contact->pair[i];
            tacSeparation s;
            ENSURE(tac_sat(posed_geom(model, body, pair->geom[0]),
                           posed_geom(model, body, pair->geom[1]), INFINITY, &s) == TAC_OK);
            if (s.distance > 0.0) continue;
            ENSURE(found < contacts->count && contacts->pair[found] == i);
            ENSURE_NEAR(contacts->distance[found], s.distance, 1e-12);
            ++found;
        }
        ENSURE(found == contacts->count);
        *touching += found;
    }
    tac_contacts_destroy(contacts);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

static int all_contacts_are_found(void) {
    int planar_count = 0, count = 0;
    ENSURE_LAW(finds_all(crowd, &planar_count));
    ENSURE_LAW(finds_all(crowd_in_space, &count));
    printf("    %d and %d contacts\n", planar_count, count);
    ENSURE(planar_count > 1000 && count > 1000);
    return 0;
}

TEST_MAIN(RUN(all_contacts_are_found), RUN(bodies_in_space_have_right_derivatives),
          RUN(convex_parts_have_right_derivatives), RUN(planar_bodies_have_right_derivatives),
          RUN(exit_speed_is_the_closed_form), RUN(momentum_is_kept),
          RUN(energy_is_kept_to_the_order_of_the_integrator), RUN(both_detectors_give_one_motion),
          RUN(prisms_weigh_what_boxes_weigh), RUN(wrong_scenes_are_refused))
