// Motion with contact against what mechanics knows: rest, bounce, sliding, rolling, with gradients;
// energy, batches, and scenes that should hurt.

#include "tactus/step.h"
#include "test.h"

#include <stdlib.h>

enum { MOST = 40 };

typedef struct scene {
    tacModel* model;
    tacScratch* scratch;
    double q[MOST], v[MOST];
    tacState x;
} scene;

static int open_scene(scene* s, const char* text) {
    tacMessage message;
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &s->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(s->model, &s->scratch) == TAC_OK);
    memset(s->v, 0, sizeof s->v);
    memcpy(s->q, s->model->qpos0, sizeof(double) * (size_t)s->model->nq);
    s->x = (tacState){.qpos = s->q, .qvel = s->v};
    return 0;
}

static void close_scene(scene* s) {
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
}

static int run_steps(scene* s, double time) {
    int steps = (int)(time / s->model->param[s->model->timestep] + 0.5);
    for (int i = 0; i < steps; ++i)
        ENSURE(tac_step(s->model, &s->x, NULL, &s->x, s->scratch) == TAC_OK);
    return 0;
}

static double param_value(const scene* s, const char* name) {
    tacParam param;
    return tac_param_find(s->model, name, &param) == TAC_OK ? s->model->param[param.offset] : NAN;
}

// A step and all of its derivative by one number and the state, carried along: `d` is the tangent.
static int run_with_tangent(scene* s, double time, const char* name, double* dq, double* dv) {
    int nv = s->model->nv, steps = (int)(time / s->model->param[s->model->timestep] + 0.5);
    tacParam param;
    ENSURE(tac_param_find(s->model, name, &param) == TAC_OK);
    double* theta = calloc((size_t)s->model->nparam, sizeof *theta);
    double next_q[MOST], next_v[MOST];
    theta[param.offset] = 1.0;
    for (int i = 0; i < steps; ++i) {
        tacTangent from = {.dq = dq, .dv = dv}, to = {.dq = next_q, .dv = next_v};
        ENSURE(tac_step_jvp(s->model, &s->x, NULL, (tacStepTangent){.x = from, .theta = theta}, to,
                            s->scratch) == TAC_OK);
        ENSURE(tac_step(s->model, &s->x, NULL, &s->x, s->scratch) == TAC_OK);
        memcpy(dq, next_q, sizeof(double) * (size_t)nv);
        memcpy(dv, next_v, sizeof(double) * (size_t)nv);
    }
    free(theta);
    return 0;
}

#define FLOOR "<geom name='floor' type='plane' size='1 1 .1' friction='.3'/>"

//---------------------------------- rest -----------------------------------------

// activity times spring is the weight; nothing moves, and the derivative of the depth by k is that
// of the balance
static int a_ball_rests_where_its_weight_is_carried(void) {
    scene s;
    ENSURE_LAW(open_scene(&s, "<mujoco><tactus respond='spring'/><worldbody>" FLOOR
                              "<body pos='0 0 .11'><freejoint/><geom size='.1' mass='2'/></body>"
                              "</worldbody></mujoco>"));
    ENSURE_LAW(run_steps(&s, 4.0));
    for (int k = 0; k < 6; ++k) ENSURE(fabs(s.v[k]) < 1e-12);
    tacPose pose[2] = {tac_pose_identity(), tac_pose_identity()};
    tacContacts* contacts;
    pose[1].position.z = s.q[2];
    ENSURE(tac_contacts_create(s.model, 0, 0, &contacts) == TAC_OK);
    ENSURE(tac_detect(s.model, pose, contacts, s.scratch) == TAC_OK);
    double carried = 0.0, eps = param_value(&s, "respond/eps3"),
           k = param_value(&s, "respond/stiffness");
    for (int i = 0; i < contacts->count; ++i)
        carried += contacts->activity[i] * k * eps * log1p(exp(-contacts->distance[i] / eps));
    ENSURE_NEAR(carried, 2.0 * 9.81, 1e-9);
    tac_contacts_destroy(contacts);
    close_scene(&s);
    return 0;
}

// a box on a box on the floor for ten seconds
static int boxes_stay_where_they_are(void) {
    scene s;
    ENSURE_LAW(open_scene(
        &s, "<mujoco><tactus respond='spring' edges='false'/><worldbody>" FLOOR
            "<body pos='0 0 .0995'><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body>"
            "<body pos='.01 .005 .2485'><freejoint/><geom type='box' size='.05 .05 .05' "
            "mass='1'/></body></worldbody></mujoco>"));
    ENSURE_LAW(run_steps(&s, 1.0));
    double settled[14];
    memcpy(settled, s.q, sizeof settled);
    ENSURE_LAW(run_steps(&s, 9.0));
    double drift = 0.0;
    for (int k = 0; k < 14; ++k) drift = fmax(drift, fabs(s.q[k] - settled[k]));
    printf("    drift in 9 s: %.2g m\n", drift);
    ENSURE(drift < 1e-3);
    ENSURE(s.scratch && s.q[9] > 0.24);
    close_scene(&s);
    return 0;
}

//---------------------------------- energy ---------------------------------------

// The default spring of an implicit step carries a weight, however long the step: 9.81/(0.05 l) of
// four corners and four points within the face, or less.
static int long_steps_carry_weight(void) {
    const double steps[] = {0.002, 0.02, 0.05};
    double depth[3];
    for (int k = 0; k < 3; ++k) {
        scene s;
        char text[500];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep=\"%g\"/><tactus detect=\"manifold\"/><worldbody>"
                 "<geom type=\"plane\" size=\"1 1 .1\"/><body pos=\"0 0 .1\"><freejoint/>"
                 "<geom type=\"box\" size=\".1 .1 .1\" mass=\"1\"/></body></worldbody></mujoco>",
                 steps[k]);
        ENSURE_LAW(open_scene(&s, text));
        ENSURE_LAW(run_steps(&s, 5.0));
        depth[k] = 0.1 - s.q[2];
        close_scene(&s);
    }
    printf("    sinks in by %.2g, %.2g, %.2g mm\n", 1e3 * depth[0], 1e3 * depth[1], 1e3 * depth[2]);
    ENSURE(depth[0] < 5e-4 && depth[1] < 2.5e-3);
    ENSURE_NEAR(depth[1], depth[2], 1e-9); // the step is no longer what counts
    return 0;
}

// Towers of boxes of one size stand, though the corners of each lie on the sides of the next.
static int equal_boxes_stand_on_one_another(void) {
    enum { HIGH = 4 };
    for (int k = 0; k < 4; ++k) {
        scene s;
        char text[2000];
        snprintf(text, sizeof text,
                 "<mujoco><option timestep=\"%g\"/><tactus detect=\"%s\" respond=\"spring\"/>"
                 "<worldbody><geom type=\"plane\" size=\"1 1 .1\"/>",
                 k < 2 ? 0.002 : 0.005, k % 2 ? "edge_sdf" : "manifold");
        for (int i = 0; i < HIGH; ++i)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "<body pos=\"%g 0 %g\"><freejoint/>"
                     "<geom type=\"box\" size=\".05 .05 .05\" mass=\"1\"/></body>",
                     k == 0 ? 0.002 * (i % 2) : 0.0, 0.05 + 0.1 * i);
        strcat(text, "</worldbody></mujoco>");
        ENSURE_LAW(open_scene(&s, text));
        ENSURE_LAW(run_steps(&s, 1.0));
        for (int i = 0; i < HIGH; ++i) ENSURE_NEAR(s.q[7 * i + 2], 0.05 + 0.1 * i, 0.006);
        for (int i = 0; i < 6 * HIGH; ++i) ENSURE_NEAR(s.v[i], 0.0, 2e-3);
        close_scene(&s);
    }
    return 0;
}

// without dissipation and friction a bounce gives the height back
static int an_elastic_bounce_keeps_energy(void) {
    scene s;
    ENSURE_LAW(open_scene(
        &s, "<mujoco><option timestep='.0001' integrator='RK4'/><tactus respond='spring' "
            "implicit='false' dissipation='1e6' stiffness='2e4'/><worldbody>" FLOOR
            "<body pos='0 0 .2'><joint type='slide' axis='0 0 1'/><geom size='.1' mass='1'/></body>"
            "</worldbody></mujoco>"));
    double fall = 0.1, flight = sqrt(2.0 * fall / 9.81);
    ENSURE_LAW(run_steps(&s, flight));
    double least = 0.0, most = -1.0;
    for (int i = 0; i < 4000; ++i) {
        ENSURE(tac_step(s.model, &s.x, NULL, &s.x, s.scratch) == TAC_OK);
        least = fmin(least, s.q[0]);
        most = fmax(most, s.q[0]);
    }
    ENSURE(least < -0.101);
    ENSURE_NEAR(most, 0.0, 1e-6);
    close_scene(&s);
    return 0;
}

// energy never grows by contact with dissipation: total energy of a falling, tumbling body
static int contact_takes_energy_out(void) {
    scene s;
    ENSURE_LAW(open_scene(
        &s, "<mujoco><option timestep='.0002'/><tactus respond='spring' implicit='false' "
            "stiction='.02'/><worldbody>" FLOOR
            "<body pos='0 0 .2' euler='20 30 0'><freejoint/><geom type='ellipsoid' "
            "size='.1 .07 .05' mass='1'/></body></worldbody></mujoco>"));
    double last = INFINITY;
    s.v[0] = 0.5;
    s.v[4] = 2.0;
    for (int i = 0; i < 40; ++i) {
        double energy[2];
        ENSURE(tac_energy(s.model, s.q, s.v, energy, s.scratch) == TAC_OK);
        // springs of contact hold a little of it for a while
        ENSURE(energy[0] + energy[1] < last + 0.02);
        last = fmin(last, energy[0] + energy[1]);
        ENSURE_LAW(run_steps(&s, 0.05));
    }
    ENSURE(last < 0.6);
    close_scene(&s);
    return 0;
}

//---------------------------------- sliding, rolling -----------------------------

// v = v0 - mu g t, and d v/d mu = -g t
static int a_block_slides_with_friction(void) {
    for (int implicit = 0; implicit < 2; ++implicit) {
        char text[800];
        scene s;
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='.001'/><tactus respond='spring' implicit='%s' "
                 "stiction='1e-2'/><worldbody>"
                 "<geom name='floor' type='plane' size='1 1 .1' friction='.1'/>"
                 "<body pos='0 0 .0985'><joint type='slide' axis='1 0 0'/><joint type='slide' "
                 "axis='0 0 1'/><geom name='block' size='.1' mass='1' "
                 "friction='.3'/></body></worldbody></mujoco>",
                 implicit ? "true" : "false");
        ENSURE_LAW(open_scene(&s, text));
        ENSURE_LAW(run_steps(&s, 2.0)); // settles
        double dq[2] = {0}, dv[2] = {0}, time = 0.5;
        s.v[0] = 3.0;
        ENSURE_LAW(run_with_tangent(&s, time, "geom:block/friction[0]", dq, dv));
        ENSURE_NEAR(s.v[0], 3.0 - 0.3 * 9.81 * time, 2e-4);
        ENSURE_NEAR(dv[0], -9.81 * time, 2e-3);
        ENSURE_NEAR(dq[0], -0.5 * 9.81 * time * time, 1e-2);
        // the floor's friction is smaller: it has no part
        close_scene(&s);
    }
    return 0;
}

// a ball that is thrown without spin rolls in the end with 5/7 of its speed, whatever the friction
static int a_ball_comes_to_roll(void) {
    scene s;
    ENSURE_LAW(open_scene(&s, "<mujoco><option timestep='.001'/><tactus respond='spring' "
                              "stiffness='1e5'/><worldbody>" FLOOR
                              "<body pos='0 0 .0999'><freejoint/><geom size='.1' mass='1' "
                              "friction='.1'/></body></worldbody></mujoco>"));
    ENSURE_LAW(run_steps(&s, 1.0));
    s.v[0] = 2.0;
    double dq[6] = {0}, dv[6] = {0};
    dv[0] = 1.0;
    ENSURE_LAW(run_with_tangent(&s, 2.0, "geom:floor/friction[0]", dq, dv));
    ENSURE_NEAR(s.v[0], 2.0 * 5.0 / 7.0, 5e-3);
    ENSURE_NEAR(s.v[4], s.v[0] / 0.1, 5e-2); // spin about y
    ENSURE(fabs(dv[0]) < 1.0);
    close_scene(&s);
    return 0;
}

// a wheel, a roller and a coin roll on their rims, not on the corners of their surfaces
static int cylinders_keep_rolling(void) {
    static const double size[3][2] = {{0.05, 0.05}, {0.05, 0.2}, {0.05, 0.005}};
    for (int i = 0; i < 3; ++i) {
        char text[800];
        scene s;
        snprintf(text, sizeof text,
                 "<mujoco><tactus respond='spring'/><worldbody>" FLOOR
                 "<body pos='0 0 .05' quat='.7071067811865476 .7071067811865476 0 0'><freejoint/>"
                 "<geom type='cylinder' size='%g %g' mass='1'/></body></worldbody></mujoco>",
                 size[i][0], size[i][1]);
        ENSURE_LAW(open_scene(&s, text));
        s.v[0] = 1.0;
        s.v[5] = -1.0 / size[i][0];
        ENSURE_LAW(run_steps(&s, 2.0));
        ENSURE_NEAR(s.v[0], 1.0, 1e-5);
        ENSURE_NEAR(s.q[1], 0.0, 1e-9);
        close_scene(&s);
    }
    return 0;
}

//---------------------------------- limits, dry friction -------------------------

// a rod that falls on its limit rests where the spring carries it: I rate^2 relu(-z) = m g l cos q
static int a_limit_carries_a_rod(void) {
    scene s;
    ENSURE_LAW(open_scene(&s, "<mujoco><tactus respond='spring' limitrate='60'/><worldbody><body>"
                              "<joint axis='0 -1 0' range='-30 90' armature='.1'/><geom "
                              "size='.05' pos='.4 0 0' mass='1'/></body></worldbody></mujoco>"));
    ENSURE_LAW(run_steps(&s, 4.0));
    double width = param_value(&s, "respond/limitwidth"),
           low = -30.0 * 3.14159265358979323846 / 180.0;
    double inertia = 0.1 + 0.4 * 0.4 + 0.4 * 0.05 * 0.05;
    double held = inertia * 3600.0 * width * log1p(exp((low - s.q[0]) / width));
    ENSURE(fabs(s.v[0]) < 1e-10);
    ENSURE_NEAR(held, 9.81 * 0.4 * cos(s.q[0]), 1e-6);
    close_scene(&s);
    return 0;
}

// v = v0 - b t/I, d v/d b = -t/I; then it stands
static int dry_friction_stops_a_wheel(void) {
    for (int implicit = 0; implicit < 2; ++implicit) {
        char text[500];
        scene s;
        snprintf(text, sizeof text,
                 "<mujoco><option timestep='.001'/><tactus respond='spring' drystiction='.01' "
                 "implicit='%s'/><worldbody><body><joint name='axle' axis='0 0 1' "
                 "frictionloss='.2'/><geom size='.1' mass='5'/></body></worldbody></mujoco>",
                 implicit ? "true" : "false");
        ENSURE_LAW(open_scene(&s, text));
        double inertia = 0.4 * 5.0 * 0.01, dq[1] = {0}, dv[1] = {0};
        s.v[0] = 3.0;
        ENSURE_LAW(run_with_tangent(&s, 0.2, "joint:axle/frictionloss", dq, dv));
        ENSURE_NEAR(s.v[0], 3.0 - 0.2 * 0.2 / inertia, 1e-3);
        ENSURE_NEAR(dv[0], -0.2 / inertia, 1e-2);
        ENSURE_LAW(run_steps(&s, 1.0));
        ENSURE(fabs(s.v[0]) < 1e-6);
        close_scene(&s);
    }
    return 0;
}

//---------------------------------- batches, reports -----------------------------

// lanes do not mix: the bits of a batch are those of single steps
static int batches_have_the_bits_of_single_steps(void) {
    enum { N = 9 };
    scene s;
    ENSURE_LAW(open_scene(&s, "<mujoco><tactus respond='spring'/><worldbody>" FLOOR
                              "<body pos='0 0 .0995'><freejoint/><geom type='box' size='.1 .1 .1' "
                              "mass='2'/></body></worldbody></mujoco>"));
    double q[N][7], v[N][6], single[N][7], own[6];
    tacState x[N];
    tacStepItem items[N];
    tacScratch* scratch[N];
    for (int i = 0; i < N; ++i) {
        memcpy(q[i], s.q, sizeof q[i]);
        memset(v[i], 0, sizeof v[i]);
        q[i][2] -= 1e-4 * i;
        v[i][0] = 0.1 * i;
        tacState from = {.qpos = q[i], .qvel = v[i]}, to = {.qpos = single[i], .qvel = own};
        ENSURE(tac_step(s.model, &from, NULL, &to, s.scratch) == TAC_OK);
        x[i] = from;
        ENSURE(tac_scratch_create(s.model, &scratch[i]) == TAC_OK);
        items[i] =
            (tacStepItem){.model = s.model, .x = &x[i], .next = &x[i], .scratch = scratch[i]};
    }
    ENSURE(tac_step_batch(items, N, 2) == TAC_OK);
    for (int i = 0; i < N; ++i) {
        ENSURE(memcmp(q[i], single[i], sizeof q[i]) == 0);
        tac_scratch_destroy(scratch[i]);
    }
    close_scene(&s);
    return 0;
}

// far apart, coincident, deep inside, spinning fast: finite or reported
static int extreme_states_are_finite_or_refused(void) {
    static const double places[][3] = {{0, 0, 1e6}, {1e6, -1e6, 0.05}, {0, 0, -5.0},
                                       {0, 0, 0},   {0, 0, 0.0999999}, {1e14, 0, 0}};
    scene s;
    ENSURE_LAW(open_scene(&s, "<mujoco><tactus respond='spring'/><worldbody>" FLOOR
                              "<body><freejoint/><geom type='box' size='.1 .1 .1' mass='2'/></body>"
                              "<body><freejoint/><geom size='.1' mass='1'/></body>"
                              "</worldbody></mujoco>"));
    for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 6; ++k) {
            double A[24 * 24];
            memcpy(s.q, places[i], 3 * sizeof *s.q);
            memcpy(s.q + 7, places[k], 3 * sizeof *s.q);
            for (int j = 0; j < 12; ++j) s.v[j] = j % 2 ? -100.0 : 30.0;
            s.q[3] = s.q[10] = 1.0;
            s.q[4] = s.q[5] = s.q[6] = s.q[11] = s.q[12] = s.q[13] = 0.0;
            tacResult result =
                tac_step_jacobian(s.model, &s.x, NULL, &(tacStepJacobian){.A = A}, s.scratch);
            for (int j = 0; j < 24 * 24 && result == TAC_OK; ++j) ENSURE(isfinite(A[j]));
            result = tac_step(s.model, &s.x, NULL, &s.x, s.scratch);
            for (int j = 0; j < 14 && result == TAC_OK; ++j) ENSURE(isfinite(s.q[j]));
        }
    close_scene(&s);
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {RUN(a_ball_rests_where_its_weight_is_carried),
                              RUN(boxes_stay_where_they_are),
                              RUN(long_steps_carry_weight),
                              RUN(equal_boxes_stand_on_one_another),
                              RUN(an_elastic_bounce_keeps_energy),
                              RUN(contact_takes_energy_out),
                              RUN(a_block_slides_with_friction),
                              RUN(a_ball_comes_to_roll),
                              RUN(cylinders_keep_rolling),
                              RUN(a_limit_carries_a_rod),
                              RUN(dry_friction_stops_a_wheel),
                              RUN(batches_have_the_bits_of_single_steps),
                              RUN(extreme_states_are_finite_or_refused)};
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
