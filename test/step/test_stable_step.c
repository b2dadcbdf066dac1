// Explicit contact tells when a step is too long for it: balls that run into each other either keep
// to their energy or are flagged, with a step that holds.

#include "tactus/dynamics.h"
#include "tactus/respond.h"
#include "tactus/step.h"
#include "test.h"

typedef struct impactRun {
    double gain;   // largest energy over that at the start
    int flagged;   // steps with TAC_STIFF
    double stable; // shortest step that they should have had [s]
} impactRun;

// two balls on a line, at v towards each other
static int run_impact(const char* responder, const char* integrator, double step, double v,
                      impactRun* out) {
    char text[800];
    tacModel* model;
    tacScratch* scratch;
    tacMessage message;
    snprintf(text, sizeof text,
             "<mujoco><option timestep='%g' gravity='0 0 0' integrator='%s'/><tactus %s %s/>"
             "<worldbody><body><joint type='slide' axis='1 0 0'/><geom size='.05' mass='1'/></body>"
             "<body pos='.1003 0 0'><joint type='slide' axis='1 0 0'/><geom size='.05' mass='1'/>"
             "</body></worldbody></mujoco>",
             step, integrator, responder, "implicit='false'");
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK && tac_scratch_create(model, &scratch) == TAC_OK);
    double q[2] = {0.0, 0.0}, u[2] = {v, -v}, last[2][2];
    tacState x = {.qpos = q, .qvel = u}, before = {.qpos = last[0], .qvel = last[1]};
    *out = (impactRun){.gain = 1.0, .stable = INFINITY};
    for (int i = 0; i < (int)(0.1 / step); ++i) {
        memcpy(last[0], q, sizeof q);
        memcpy(last[1], u, sizeof u);
        result = tac_step(model, &x, NULL, &x, scratch);
        if (result == TAC_OK && !(tac_step_info(scratch).flags & TAC_STIFF)) {
            out->gain = fmax(out->gain, (u[0] * u[0] + u[1] * u[1]) / (2.0 * v * v));
            continue;
        }
        double most = INFINITY;
        ++out->flagged;
        tac_stable_timestep_at(model, &before, NULL, &most, scratch);
        out->stable = fmin(out->stable, most);
        if (result != TAC_OK) break;
        out->gain = fmax(out->gain, (u[0] * u[0] + u[1] * u[1]) / (2.0 * v * v));
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

// what gains is flagged; a slow impact is not; with the reported step nothing gains
static int unstable_steps_are_flagged(void) {
    static const char* const responder[] = {"respond='scm' points='150'", "respond='spring'",
                                            "respond='elastoplastic'"};
    static const char* const integrator[] = {"Euler", "RK4"};
    int gained = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 2; ++j)
            for (int k = 0; k < 4; ++k) {
                double v = 0.1 * pow(4.0, k);
                impactRun r, again;
                ENSURE_LAW(run_impact(responder[i], integrator[j], 0.002, v, &r));
                printf("  %s, %s, %g m/s: energy times %.3g, %d steps flagged, at most %.2g s\n",
                       responder[i], integrator[j], v, r.gain, r.flagged, r.stable);
                gained += r.gain > 1.01;
                if (r.gain > 1.01) ENSURE(r.flagged > 0);
                if (k == 0) ENSURE(r.flagged == 0);
                if (!r.flagged) continue;
                ENSURE(r.stable < 0.002 && r.stable > 1e-6);
                ENSURE_LAW(run_impact(responder[i], integrator[j], r.stable, v, &again));
                ENSURE(again.gain < 1.01);
            }
    ENSURE(gained > 0);
    return 0;
}

static double param_value(const tacModel* model, const char* name) {
    tacParam param;
    return tac_param_find(model, name, &param) == TAC_OK ? model->param[param.offset] : NAN;
}

// A ball of 2 kg, 5 mm deep in a floor that it meets with 3 m/s: h^2 A + 2 h B = 4 with A = -c' (1
// + v/v_d)/m and B = c/(v_d m), from the force that acts.
static int bound_follows_the_impact_speed(void) {
    const char* text =
        "<mujoco><option timestep='.0001'/><tactus respond='scm' points='150' "
        "implicit='false'/><worldbody><geom type='plane' size='1 1 1' friction='0'/><body "
        "pos='0 0 .1'><joint type='slide'/><geom size='.1' mass='2' friction='0'/></body>"
        "</worldbody></mujoco>";
    tacModel* model;
    tacScratch* scratch;
    tacPairForce force;
    int count;
    ENSURE(tac_load_text(text, (int)strlen(text), "text", NULL, &model, NULL) == TAC_OK);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    double q = -5e-3, v = -3.0, seconds, twist[12] = {0};
    tacPose pose[2];
    tacState x = {.qpos = &q, .qvel = &v};
    ENSURE(tac_kinematics(model, &q, &v, pose, twist, scratch) == TAC_OK);
    const tacKinematics at = {.pose = pose, .twist = twist};
    ENSURE(tac_force(model, &at, NULL, &force, &count, scratch) == TAC_OK && count == 1);
    double k = param_value(model, "respond/stiffness"),
           v_d = param_value(model, "respond/dissipation");
    double c = force.wrench[2] / (1.0 + 3.0 / v_d), eps = param_value(model, "respond/eps3");
    double A = k * (1.0 - exp(-c / (k * eps))) * (1.0 + 3.0 / v_d) / 2.0, B = c / v_d / 2.0;
    ENSURE(tac_stable_timestep_at(model, &x, NULL, &seconds, scratch) == TAC_OK);
    printf("  at most %.3g s, without an impact %.3g s\n", seconds, tac_stable_timestep(model));
    ENSURE_NEAR(seconds * seconds * A + 2.0 * seconds * B, 4.0, 1e-9);
    q = 0.5; // far above the floor
    ENSURE(tac_stable_timestep_at(model, &x, NULL, &seconds, scratch) == TAC_OK);
    ENSURE(seconds == INFINITY);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(unstable_steps_are_flagged), RUN(bound_follows_the_impact_speed))
