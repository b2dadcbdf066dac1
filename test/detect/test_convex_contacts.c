// Contacts of a scene with detect="gjk": ordered, complete, and with the derivative of both bodies.

#include "detect/convex_contacts.h"
#include "math/pose.h"
#include "test.h"

#include <stdlib.h>

typedef struct contactScene {
    tacModel* model;
    tacScratch* scratch;
    tacContacts *contacts, *dot;
    tacPose* body;
} contactScene;

static const char text[] =
    "<mujoco><tactus detect='gjk' respond='spring' eps3='.003'/><asset>"
    "<shape name='tee'><box size='.2 .05 .05'/><box size='.05 .05 .15' pos='0 0 -.15'/></shape>"
    "<shape name='gem'><polyhedron planes='1 0 0 -.1 -1 0 0 -.1 0 1 0 -.1 0 -1 0 -.1 0 0 1 -.1 "
    "0 0 -1 -.1 1 1 1 -.25'/></shape>"
    "<shape name='pillow'><superquadric size='.1 .1 .05' eps='.8 1.2'/></shape></asset>"
    "<worldbody><geom type='plane' size='1 1 1'/><geom type='box' size='.5 .5 .1' pos='0 0 .1'/>"
    "<body><freejoint/><geom type='shape' shape='tee' mass='1'/></body>"
    "<body><freejoint/><geom type='shape' shape='gem' mass='1'/></body>"
    "<body><freejoint/><geom type='shape' shape='pillow' mass='1'/></body>"
    "<body><freejoint/><geom type='cylinder' size='.1 .1' mass='1'/></body>"
    "<body><freejoint/><geom type='capsule' size='.05 .1' mass='1'/></body>"
    "<body><freejoint/><geom type='ellipsoid' size='.1 .07 .05' mass='1'/></body>"
    "</worldbody></mujoco>";

static int open_scene(contactScene* s) {
    tacOptions options = tac_default_options();
    tacMessage message;
    if (tac_load_text(text, (int)strlen(text), "text", &options, &s->model, &message) != TAC_OK) {
        printf("  %s\n", message.text);
        return 0;
    }
    s->body = malloc(sizeof *s->body * (size_t)s->model->nbody);
    return tac_scratch_create(s->model, &s->scratch) == TAC_OK &&
           tac_contacts_create(s->model, 0, 1, &s->contacts) == TAC_OK &&
           tac_contacts_create(s->model, 0, 0, &s->dot) == TAC_OK;
}

static void close_scene(contactScene* s) {
    tac_contacts_destroy(s->contacts);
    tac_contacts_destroy(s->dot);
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
    free(s->body);
}

static double draw_unit(testRandom* random) { return test_uniform(random, -1.0, 1.0); }

// bodies in a heap on the table
static void draw_heap(testRandom* random, contactScene* s) {
    s->body[0] = tac_pose_identity();
    for (int b = 1; b < s->model->nbody; ++b) {
        tacVec3 p = tac_vec3(0.25 * draw_unit(random), 0.25 * draw_unit(random),
                             0.35 + 0.1 * draw_unit(random));
        tacQuat q = {draw_unit(random), draw_unit(random), draw_unit(random), draw_unit(random)};
        s->body[b] = (tacPose){p, tac_quat_normalize(q)};
    }
}

static void move_bodies(const contactScene* s, const double* dot, double h, tacPose* out) {
    for (int b = 0; b < s->model->nbody; ++b) {
        tacVec3 turn = tac_pose_rotate_inverse(s->body[b], tac_load3(dot + 6 * b + 3));
        out[b] = tac_pose_integrate(s->body[b], tac_scale(tac_load3(dot + 6 * b), h),
                                    tac_scale(turn, h));
    }
}

static void contact_numbers(const tacContacts* c, int i, double out[7]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = c->point[k][i];
        out[3 + k] = c->normal[k][i];
    }
    out[6] = c->distance[i];
}

// the record with a name, or -1
static int find_contact(const tacContacts* c, int pair, uint64_t feature) {
    for (int i = 0; i < c->count; ++i)
        if (c->pair[i] == pair && c->feature[i] == feature) return i;
    return -1;
}

static int contacts_are_ordered_and_complete(void) {
    testRandom random = {1};
    contactScene s;
    ENSURE(open_scene(&s));
    ENSURE(s.model->contact->npart == 9);
    int kinds[5] = {0};
    for (int trial = 0; trial < 200; ++trial) {
        draw_heap(&random, &s);
        ENSURE(tac_detect(s.model, s.body, s.contacts, s.scratch) == TAC_OK);
        const tacContacts* c = s.contacts;
        for (int i = 0; i < c->count; ++i) {
            ENSURE(i == 0 || c->pair[i] > c->pair[i - 1] ||
                   (c->pair[i] == c->pair[i - 1] && c->feature[i] > c->feature[i - 1]));
            double n[7];
            contact_numbers(c, i, n);
            ENSURE_NEAR(n[3] * n[3] + n[4] * n[4] + n[5] * n[5], 1.0, 1e-13);
            ENSURE(c->activity[i] == 1.0 && c->distance[i] <= 40.0 * 0.003);
            ++kinds[tac_feature_contact_kind(c->feature[i])];
        }
    }
    printf("  faces %d, edges %d, curved %d, sharp %d, held %d\n", kinds[0], kinds[1], kinds[2],
           kinds[3], kinds[4]);
    for (int i = 0; i < 4; ++i) ENSURE(kinds[i] > 0);
    ENSURE(kinds[4] * 1000 < kinds[0]);
    close_scene(&s);
    return 0;
}

// jvp against differences of the contact with the same name, all bodies moving
static int jvp_agrees_with_differences(void) {
    testRandom random = {2};
    contactScene s;
    ENSURE(open_scene(&s));
    int compared = 0, lost = 0;
    double worst = 0.0;
    tacPose* near = malloc(sizeof *near * (size_t)s.model->nbody);
    tacContacts* side[2];
    for (int i = 0; i < 2; ++i) ENSURE(tac_contacts_create(s.model, 0, 0, &side[i]) == TAC_OK);
    for (int trial = 0; trial < 100; ++trial) {
        double dot[6 * 8] = {0.0};
        const double h = 1e-6;
        draw_heap(&random, &s);
        for (int i = 6; i < 6 * s.model->nbody; ++i) dot[i] = draw_unit(&random);
        ENSURE(tac_detect(s.model, s.body, s.contacts, s.scratch) == TAC_OK);
        ENSURE(tac_detect_jvp(s.model, s.body, s.contacts, dot, NULL, s.dot, s.scratch) == TAC_OK);
        for (int i = 0; i < 2; ++i) {
            move_bodies(&s, dot, i ? h : -h, near);
            ENSURE(tac_detect(s.model, near, side[i], s.scratch) == TAC_OK);
        }
        for (int i = 0; i < s.contacts->count; ++i) {
            int at[2];
            double low[7], high[7], tangent[7];
            for (int k = 0; k < 2; ++k)
                at[k] = find_contact(side[k], s.contacts->pair[i], s.contacts->feature[i]);
            contact_numbers(s.dot, i, tangent);
            double scale = 1.0;
            for (int k = 0; k < 7; ++k) scale = fmax(scale, fabs(tangent[k]));
            lost += at[0] < 0 || at[1] < 0 || scale > 30.0;
            if (at[0] < 0 || at[1] < 0 || scale > 30.0) continue;
            contact_numbers(side[0], at[0], low);
            contact_numbers(side[1], at[1], high);
            for (int k = 0; k < 7; ++k)
                worst = fmax(worst, fabs((high[k] - low[k]) / (2.0 * h) - tangent[k]) / scale);
            ++compared;
        }
    }
    printf("  %d contacts, %d left out, worst %.1e\n", compared, lost, worst);
    ENSURE(compared > 500 && lost < compared / 10 && worst < 1e-6);
    for (int i = 0; i < 2; ++i) tac_contacts_destroy(side[i]);
    free(near);
    close_scene(&s);
    return 0;
}

static int vjp_agrees_with_jvp(void) {
    testRandom random = {3};
    contactScene s;
    ENSURE(open_scene(&s));
    tacContacts* bar;
    ENSURE(tac_contacts_create(s.model, 0, 0, &bar) == TAC_OK);
    for (int trial = 0; trial < 50; ++trial) {
        double dot[6 * 8] = {0.0}, back[6 * 8] = {0.0}, left = 0.0, right = 0.0, terms = 0.0;
        draw_heap(&random, &s);
        for (int i = 6; i < 6 * s.model->nbody; ++i) dot[i] = draw_unit(&random);
        ENSURE(tac_detect(s.model, s.body, s.contacts, s.scratch) == TAC_OK);
        ENSURE(tac_detect_jvp(s.model, s.body, s.contacts, dot, NULL, s.dot, s.scratch) == TAC_OK);
        bar->count = s.contacts->count;
        for (int i = 0; i < bar->count; ++i) {
            double tangent[7];
            contact_numbers(s.dot, i, tangent);
            for (int k = 0; k < 3; ++k) {
                bar->point[k][i] = draw_unit(&random);
                bar->normal[k][i] = draw_unit(&random);
            }
            bar->distance[i] = draw_unit(&random);
            bar->activity[i] = draw_unit(&random);
            double w[7];
            contact_numbers(bar, i, w);
            for (int k = 0; k < 7; ++k) {
                left += w[k] * tangent[k];
                terms += fabs(w[k] * tangent[k]);
            }
        }
        ENSURE(tac_detect_vjp(s.model, s.body, s.contacts, bar, back, NULL, s.scratch) == TAC_OK);
        for (int i = 6; i < 6 * s.model->nbody; ++i) right += back[i] * dot[i];
        ENSURE_NEAR(left, right, 1e-12 * (terms + 1.0));
    }
    tac_contacts_destroy(bar);
    close_scene(&s);
    return 0;
}

// too little room is said, and so is a pose that is no number
static int bad_input_is_refused(void) {
    testRandom random = {4};
    contactScene s;
    tacContacts* few;
    ENSURE(open_scene(&s));
    ENSURE(tac_contacts_create(s.model, 1, 0, &few) == TAC_OK);
    draw_heap(&random, &s);
    ENSURE(tac_detect(s.model, s.body, few, s.scratch) == TAC_ERROR_CAPACITY);
    s.body[2].position.x = NAN;
    ENSURE(tac_detect(s.model, s.body, s.contacts, s.scratch) == TAC_ERROR_VALUE);
    tac_contacts_destroy(few);
    close_scene(&s);
    return 0;
}

TEST_MAIN(RUN(contacts_are_ordered_and_complete), RUN(jvp_agrees_with_differences),
          RUN(vjp_agrees_with_jvp), RUN(bad_input_is_refused))
