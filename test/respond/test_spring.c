// Springs between bodies: what one body gets the other gives back, frames do not matter, K and C
// are the derivatives they are called, a scene that asks for what does not go together is refused.

#include "math/pose.h"
#include "model/contact/contact_data.h"
#include "model/refusal.h"
#include "tactus/respond.h"
#include "tactus/step.h"

#include <stdlib.h>

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

//---------------------------------- two bodies -----------------------------------

#define TWO_BODIES                                                                                 \
    "<worldbody><body><freejoint/><geom type='box' size='.1 .12 .1' mass='1' friction='.6'/>"      \
    "<geom type='sphere' size='.06' pos='.1 .1 .1' mass='.5' friction='.3'/></body>"               \
    "<body><freejoint/><geom type='ellipsoid' size='.1 .12 .09' mass='1' friction='.4'/>"          \
    "<geom type='box' size='.05 .05 .1' pos='0 .1 0' mass='.3' friction='.2'/></body></worldbody>"

static const char two_text[] =
    "<mujoco><option gravity='0 0 0'/><tactus detect='manifold' implicit='false' tau='.01' "
    "support='.08'/>" TWO_BODIES "</mujoco>";

// two bars whose edges cross at a few hundredths of a radian, where normals are shorter than 1
static const char bars_text[] =
    "<mujoco><option gravity='0 0 0'/><tactus detect='manifold' implicit='false' tau='.01' "
    "support='.08'/><worldbody><body><freejoint/><geom type='box' size='.3 .05 .05' "
    "euler='45 0 0' friction='.6'/></body><body><freejoint/><geom type='box' size='.3 .05 .05' "
    "pos='0 0 -.045' euler='45 0 0' friction='.6'/></body></worldbody></mujoco>";

typedef struct rig {
    tacModel* model;
    tacScratch* scratch;
    tacContacts* contacts;
    tacPose pose[3];
    double twist[18];
} rig;

static int open_rig(rig* r, const char* text) {
    tacMessage message;
    tacResult result = load_text(text, &r->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(r->model, &r->scratch) == TAC_OK);
    ENSURE(tac_contacts_create(r->model, 0, 1, &r->contacts) == TAC_OK);
    return 0;
}

static void close_rig(rig* r) {
    tac_contacts_destroy(r->contacts);
    tac_scratch_destroy(r->scratch);
    tac_model_destroy(r->model);
}

// both bodies, the second on top of the first and a little askew
static void draw_poses(rig* r, unsigned seed) {
    srand(seed);
    for (int b = 0; b < 3; ++b) r->pose[b] = tac_pose_identity();
    r->pose[2].position = (tacVec3){0.01, 0.0, 0.18};
    for (int b = 1; b < 3; ++b) {
        double w[3];
        for (int k = 0; k < 3; ++k) w[k] = 0.1 * (rand() / (double)RAND_MAX - 0.5);
        r->pose[b] = tac_pose_integrate(r->pose[b], tac_scale(tac_load3(w), 0.1), tac_load3(w));
    }
    for (int k = 0; k < 18; ++k) r->twist[k] = k < 6 ? 0.0 : rand() / (double)RAND_MAX - 0.5;
}

// the wrench on body 2 and its blocks; 0 contacts is a failure of the test
static int force_of(rig* r, tacPairForce* out) {
    int count;
    tacKinematics at = {r->pose, r->twist, 1, NULL};
    ENSURE(tac_detect(r->model, r->pose, r->contacts, r->scratch) == TAC_OK);
    ENSURE(r->contacts->count > 0);
    ENSURE(tac_force(r->model, &at, r->contacts, out, &count, r->scratch) == TAC_OK);
    ENSURE(count == 1 && out->body[0] == 1 && out->body[1] == 2);
    return 0;
}

//---------------------------------- blocks ---------------------------------------

// a twist of body 2 about a point
static void displace_body(rig* r, int axis, double h, tacVec3 o) {
    double x[6] = {0};
    x[axis] = h;
    tacTwist t = tac_twist_shift(tac_twist_load(x), o, r->pose[2].position);
    tacPose* p = &r->pose[2];
    tacVec3 body = tac_quat_rotate_inverse(p->rotation, t.angular);
    *p = tac_pose_integrate(*p, t.linear, body);
}

// what is measured about body 2's own place, about a point
static tacWrench shifted_wrench(const tacPairForce* f, tacVec3 o) {
    return tac_wrench_shift(tac_wrench_load(f->wrench), tac_load3(f->origin), o);
}

static int blocks_of(const char* text) {
    rig r;
    ENSURE_LAW(open_rig(&r, text));
    double worst = 0.0, scale = 0.0;
    for (unsigned seed = 1; seed < 8; ++seed) {
        tacPairForce f, moved;
        draw_poses(&r, seed);
        ENSURE_LAW(force_of(&r, &f));
        tacVec3 o = tac_load3(f.origin);
        for (int axis = 0; axis < 12; ++axis) {
            const double h = 1e-6;
            double w[2][6];
            for (int side = 0; side < 2; ++side) {
                draw_poses(&r, seed);
                // the relative velocity about o stays where the place of body 2 moves
                tacTwist v[2];
                for (int b = 0; b < 2; ++b)
                    v[b] = tac_twist_shift(tac_twist_load(r.twist + 6 * (b + 1)),
                                           r.pose[b + 1].position, o);
                double x[6];
                tac_twist_store(x, v[1]);
                if (axis < 6)
                    displace_body(&r, axis, side ? h : -h, o);
                else
                    x[axis - 6] += side ? h : -h;
                tac_twist_store(r.twist + 12,
                                tac_twist_shift(tac_twist_load(x), o, r.pose[2].position));
                ENSURE_LAW(force_of(&r, &moved));
                tac_wrench_store(w[side], shifted_wrench(&moved, o));
            }
            for (int i = 0; i < 6; ++i) {
                double slope = (w[1][i] - w[0][i]) / (2.0 * h);
                double block = axis < 6 ? f.K[6 * i + axis] : f.C[6 * i + axis - 6];
                scale = fmax(scale, fabs(block));
                worst = fmax(worst, fabs(slope - block));
            }
        }
    }
    close_rig(&r);
    ENSURE(worst <= 1e-5 * scale);
    return 0;
}

static int blocks_are_derivatives(void) {
    ENSURE_LAW(blocks_of(two_text));
    ENSURE_LAW(blocks_of(bars_text));
    return 0;
}

// One record alone, and body 2 slides across its normal: friction is no more than mu times the push
static int friction_of_record(rig* r, int i, tacVec3 n) {
    tacPairForce f;
    tacKinematics at = {r->pose, r->twist, 1, NULL};
    tacVec3 along = tac_cross(n, (tacVec3){0.0, 1.0, 0.0}), unit = tac_scale(n, 1.0 / tac_norm(n));
    int count;
    for (int k = 0; k < 18; ++k) r->twist[k] = 0.0;
    tac_store3(r->twist + 12, tac_scale(along, 10.0 / tac_norm(along)));
    for (int k = 0; k < r->contacts->count; ++k)
        if (k != i) r->contacts->activity[k] = 0.0;
    ENSURE(tac_force(r->model, &at, r->contacts, &f, &count, r->scratch) == TAC_OK && count == 1);
    tacVec3 F = tac_load3(f.wrench);
    double external_force = tac_dot(F, unit),
           drag = tac_norm(tac_sub(F, tac_scale(unit, external_force)));
    ENSURE(external_force > 0.0 && drag > 0.3 * external_force &&
           drag <= 0.6 * external_force * (1.0 + 1e-12));
    return 0;
}

static int friction_fades_with_the_normal(void) {
    rig r;
    ENSURE_LAW(open_rig(&r, bars_text));
    double shortest = 1.0;
    for (unsigned seed = 1; seed < 8; ++seed) {
        tacPairForce f;
        draw_poses(&r, seed);
        ENSURE_LAW(force_of(&r, &f));
        int all = r.contacts->count;
        for (int i = 0; i < all; ++i) {
            draw_poses(&r, seed);
            ENSURE_LAW(force_of(&r, &f));
            tacVec3 n = {r.contacts->normal[0][i], r.contacts->normal[1][i],
                         r.contacts->normal[2][i]};
            if (r.contacts->activity[i] < 1e-6 || tac_norm(n) < 0.6) continue;
            shortest = fmin(shortest, tac_norm(n));
            ENSURE_LAW(friction_of_record(&r, i, n));
        }
    }
    ENSURE(shortest < 0.9);
    close_rig(&r);
    return 0;
}

//---------------------------------- records --------------------------------------

enum { RECORD = 8 };

// row of a record: point, normal, distance, activity
static double* row_of(tacContacts* c, int k) {
    return k < 3 ? c->point[k] : k < 6 ? c->normal[k - 3] : k == 6 ? c->distance : c->activity;
}

static void move_records(tacContacts* c, tacContacts* dot, double h) {
    for (int k = 0; k < RECORD; ++k)
        for (int i = 0; i < c->count; ++i) row_of(c, k)[i] += h * row_of(dot, k)[i];
}

// jvp of the wrench by records against differences, vjp against jvp; normals are shorter than 1
static int force_of_records(rig* r, tacContacts* dot, tacContacts* bar) {
    const double h = 1e-6;
    tacKinematics at = {r->pose, r->twist, 1, NULL};
    tacPairForce f, jvp = {.body = {0}}, side[2];
    double worst = 0.0, scale = 0.0, forward = 0.0, reverse = 0.0;
    int count;
    ENSURE_LAW(force_of(r, &f));
    dot->count = bar->count = r->contacts->count;
    for (int k = 0; k < RECORD; ++k)
        for (int i = 0; i < dot->count; ++i) {
            row_of(dot, k)[i] = rand() / (double)RAND_MAX - 0.5;
            row_of(bar, k)[i] = 0.0;
        }
    ENSURE(tac_force_jvp(r->model, &at, r->contacts, dot, NULL, &jvp, r->scratch) == TAC_OK);
    ENSURE(tac_force_vjp(r->model, &at, r->contacts, &f, bar, NULL, r->scratch) == TAC_OK);
    for (int s = 0; s < 2; ++s) {
        move_records(r->contacts, dot, s ? 2.0 * h : -h);
        ENSURE(tac_force(r->model, &at, r->contacts, &side[s], &count, r->scratch) == TAC_OK);
    }
    for (int i = 0; i < 6; ++i) {
        worst =
            fmax(worst, fabs((side[1].wrench[i] - side[0].wrench[i]) / (2.0 * h) - jvp.wrench[i]));
        scale = fmax(scale, fabs(jvp.wrench[i]));
        forward += f.wrench[i] * jvp.wrench[i];
    }
    for (int k = 0; k < RECORD; ++k)
        for (int i = 0; i < dot->count; ++i) reverse += row_of(dot, k)[i] * row_of(bar, k)[i];
    ENSURE(worst <= 1e-6 * scale);
    ENSURE_NEAR(reverse, forward, 1e-11 * fabs(forward));
    return 0;
}

static int forces_follow_their_records(void) {
    rig r;
    tacContacts* other[2];
    ENSURE_LAW(open_rig(&r, bars_text));
    for (int i = 0; i < 2; ++i) ENSURE(tac_contacts_create(r.model, 0, 0, &other[i]) == TAC_OK);
    for (unsigned seed = 1; seed < 8; ++seed) {
        draw_poses(&r, seed);
        ENSURE_LAW(force_of_records(&r, other[0], other[1]));
    }
    for (int i = 0; i < 2; ++i) tac_contacts_destroy(other[i]);
    close_rig(&r);
    return 0;
}

//---------------------------------- action and reaction --------------------------

// One step with contact and one of bodies far from each other differ in velocities alone; at the
// same positions all momentum that contact makes is 0.
static int momentum_law(const char* text) {
    rig r;
    ENSURE_LAW(open_rig(&r, text));
    double worst = 0.0;
    for (unsigned seed = 1; seed < 20; ++seed) {
        double q[14], far[14], v[12], next_q[14], next[2][12], P[2][6], force = 0.0;
        draw_poses(&r, seed);
        for (int b = 0; b < 2; ++b) {
            tac_store3(q + 7 * b, r.pose[b + 1].position);
            tac_quat_store(q + 7 * b + 3, r.pose[b + 1].rotation);
        }
        memcpy(v, r.twist + 6, sizeof v);
        memcpy(far, q, sizeof q);
        far[7] += 100.0;
        for (int i = 0; i < 2; ++i) {
            tacState x = {.qpos = i ? far : q, .qvel = v};
            tacState to = {.qpos = next_q, .qvel = next[i]};
            ENSURE(tac_step(r.model, &x, NULL, &to, r.scratch) == TAC_OK);
            ENSURE(tac_momentum(r.model, q, next[i], P[i], r.scratch) == TAC_OK);
        }
        for (int k = 0; k < 3; ++k) force = fmax(force, fabs(next[0][k] - next[1][k]));
        ENSURE(force > 1e-6);
        for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(P[0][k] - P[1][k]) / force);
    }
    close_rig(&r);
    ENSURE(worst <= 1e-12);
    return 0;
}

static int action_is_reaction(void) {
    ENSURE_LAW(momentum_law(two_text));
    // the linearly implicit step, too
    return momentum_law("<mujoco><option gravity='0 0 0'/><tactus detect='manifold' tau='.01' "
                        "support='.08'/>" TWO_BODIES "</mujoco>");
}

//---------------------------------- frames ---------------------------------------

static int frames_do_not_matter(void) {
    rig r;
    ENSURE_LAW(open_rig(&r, two_text));
    tacPose rot = {{0.3, -0.7, 1.1}, tac_quat_normalize((tacQuat){0.3, 0.5, -0.2, 0.8})};
    double worst = 0.0;
    for (unsigned seed = 1; seed < 20; ++seed) {
        tacPairForce here, there;
        draw_poses(&r, seed);
        ENSURE_LAW(force_of(&r, &here));
        for (int b = 1; b < 3; ++b) r.pose[b] = tac_pose_compose(rot, r.pose[b]);
        for (int k = 6; k < 18; k += 3)
            tac_store3(r.twist + k, tac_quat_rotate(rot.rotation, tac_load3(r.twist + k)));
        // both bodies spin together as one: what is between them stays
        const tacTwist spin = {{0.2, 0.1, -0.3}, {1.0, -2.0, 0.5}};
        for (int b = 1; b < 3; ++b) {
            tacTwist own = tac_twist_shift(spin, tac_vec3_zero(), r.pose[b].position);
            tac_twist_store(r.twist + 6 * b, tac_twist_add(tac_twist_load(r.twist + 6 * b), own));
        }
        ENSURE_LAW(force_of(&r, &there));
        for (int k = 0; k < 6; k += 3) {
            tacVec3 rotated = tac_quat_rotate(rot.rotation, tac_load3(here.wrench + k));
            double off = tac_norm(tac_sub(rotated, tac_load3(there.wrench + k)));
            worst = fmax(worst, off / tac_norm(tac_load3(here.wrench)));
        }
    }
    close_rig(&r);
    ENSURE(worst <= 1e-10);
    return 0;
}

//---------------------------------- numbers --------------------------------------

// MuJoCo's rule: priority, else the larger; none where both have condim 1; a pair has its own
static int friction_is_combined(void) {
    static const char text[] =
        "<mujoco><tactus respond='spring'/><worldbody>"
        "<geom name='a' type='plane' size='1 1 1' friction='.2'/>"
        "<body pos='0 0 2'><freejoint/><geom name='b' size='.1' friction='.7'/></body>"
        "<body pos='0 0 3'><freejoint/><geom name='c' size='.1' friction='.1' priority='2'/></body>"
        "<body pos='0 0 4'><freejoint/><geom name='d' size='.1' condim='1'/></body></worldbody>"
        "<contact><pair geom1='b' geom2='c' friction='.35' stiffness='77'/></contact></mujoco>";
    rig r;
    ENSURE_LAW(open_rig(&r, text));
    const tacContactPlan* plan = r.model->contact;
    // pair b c; a b, a c, a d, b d, c d
    const double most[] = {0.35, 0.7, 0.1, 1.0, 1.0, 0.1};
    ENSURE(plan->npair == 6 && plan->nbodies == 6);
    for (int i = 0; i < 6; ++i) {
        const int* f = plan->pair[i].friction;
        double mu = f[0] < 0 ? 0.0 : r.model->param[f[0]];
        if (f[1] >= 0) mu = fmax(mu, r.model->param[f[1]]);
        ENSURE_NEAR(mu, most[i], 0.0);
    }
    ENSURE(r.model->param[plan->pair[0].stiffness] == 77.0);
    ENSURE(r.model->param[plan->pair[1].stiffness] != 77.0);
    close_rig(&r);
    return 0;
}

static int every_parameter_has_a_name(void) {
    rig r;
    tacParam param;
    ENSURE_LAW(open_rig(&r, two_text));
    const char* const names[] = {"respond/stiffness", "respond/dissipation", "respond/stiction",
                                 "respond/eps3"};
    for (int i = 0; i < COUNT(names); ++i)
        ENSURE(tac_param_find(r.model, names[i], &param) == TAC_OK);
    // no negative stiffness, no width of 0
    double wrong = -1.0;
    ENSURE(tac_param_set(r.model, param, &wrong, NULL) == TAC_ERROR_VALUE);
    close_rig(&r);
    return 0;
}

//---------------------------------- refusals -------------------------------------

static int incompatible_options_are_refused(void) {
    static const badText bad[] = {
        {"<tactus detect='manifold' respond='lcp'/>", TAC_ERROR_VALUE, 1, "respond", "spring"},
        {"<tactus stiffness='100'/>", TAC_ERROR_VALUE, 1, "stiffness", "needs detect or respond"},
        {"<tactus eps3='.1'/>", TAC_ERROR_VALUE, 1, "eps3", "needs detect or respond"},
        {"<tactus respond='spring' stiffness='-1'/>", TAC_ERROR_VALUE, 1, "stiffness", ""},
        {"<tactus respond='spring' stiffness='nan'/>", TAC_ERROR_VALUE, 1, "stiffness", ""},
        {"<tactus respond='spring' dissipation='0'/>", TAC_ERROR_VALUE, 1, "dissipation", ""},
        {"<tactus respond='spring' eps3='0'/>", TAC_ERROR_VALUE, 1, "eps3", ""},
        {"<tactus respond='spring' law='soft'/>", TAC_ERROR_VALUE, 1, "law", "smooth"},
        {"<tactus respond='sprnig'/>", TAC_ERROR_VALUE, 1, "respond", "spring"},
        {"\n<tactus integrator='explicit' respond='spring' implicit='true'/>", TAC_ERROR_VALUE, 2,
         "implicit", "explicit"},
        {"<tactus respond='elastoplastic'/><worldbody><geom name='a' size='.1'/><body><freejoint/>"
         "<geom name='b' size='.1'/></body></worldbody>\n<contact><pair geom1='a' geom2='b' "
         "eps3='.1'/></contact>",
         TAC_ERROR_VALUE, 2, "eps3", "no meaning"},
    };
    return are_texts_refused("scene.xml", "<mujoco>", "</mujoco>", bad, COUNT(bad));
}

// a step that is too long is reported with one that is not, when it is read and when it is taken
static int stiff_scenes_are_warned(void) {
    static const char text[] =
        "<mujoco><tactus %s implicit='%s'/><worldbody><geom "
        "type='plane' size='1 1 1'/><body pos='0 0 .099'><freejoint/><geom size='.1' "
        "mass='1'/></body></worldbody></mujoco>";
    static const char* const responder[] = {"respond='spring' stiffness='1e7'",
                                            "respond='elastoplastic' stiffness='1e14'"};
    for (int i = 0; i < 4; ++i) {
        int implicit = i % 2;
        char scene[500];
        tacModel* model;
        tacMessage message;
        tacScratch* scratch;
        snprintf(scene, sizeof scene, text, responder[i / 2], implicit ? "true" : "false");
        ENSURE(load_text(scene, &model, &message) == TAC_OK);
        ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
        double most = tac_stable_timestep(model), q[7], v[6] = {0};
        ENSURE(implicit ? most > 1e9 : most < 0.002);
        ENSURE((strstr(message.text, "stable") == NULL) == implicit);
        memcpy(q, model->qpos0, sizeof q);
        tacState x = {.qpos = q, .qvel = v};
        ENSURE(tac_step(model, &x, NULL, &x, scratch) == TAC_OK);
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {
        RUN(blocks_are_derivatives),      RUN(friction_fades_with_the_normal),
        RUN(forces_follow_their_records), RUN(action_is_reaction),
        RUN(frames_do_not_matter),        RUN(friction_is_combined),
        RUN(every_parameter_has_a_name),  RUN(incompatible_options_are_refused),
        RUN(stiff_scenes_are_warned)};
    return test_main(argc, argv, cases, COUNT(cases));
}
