// The broad phase: scenes of many bodies, far and near, have the records that they have without it.

#include "base/scratch.h"
#include "detect/field/detect_cache.h"
#include "detect/manifold_scenes.h"
#include "model/contact/contact_data.h"

#include <string.h>

enum { BODIES = 7 };

// all kinds of bounds: boxes around leaves, none at all, a union, features with and without radius
static const char* const geom[BODIES] = {
    "type='box' size='.1 .08 .06'",       "type='sphere' size='.1'",
    "type='capsule' size='.05 .1'",       "type='cylinder' size='.06 .1'",
    "type='ellipsoid' size='.1 .07 .05'", "type='mesh' mesh='wedge'",
    "type='shape' shape='pair'"};

static tacModel* load_bodies(const char* options) {
    static char text[4000];
    int at =
        snprintf(text, sizeof text,
                 "<mujoco><tactus detect='manifold' vertices='60' tau='.002' %s/><asset>"
                 "<mesh name='wedge' vertex='0 0 0 .2 0 0 0 .2 0 0 0 .2'/>"
                 "<shape name='pair' smooth='.002'><superquadric size='.1 .05 .04' eps='.5 .7'/>"
                 "<superquadric size='.03 .1 .05' eps='.8 .8' pos='.1 0 0'/></shape></asset>"
                 "<worldbody><geom type='plane' size='1 1 1'/>",
                 options);
    for (int b = 0; b < BODIES; ++b)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "<body><freejoint/><geom %s mass='1' pos='.01 .02 .03'/></body>", geom[b]);
    snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    tacMessage message;
    tacModel* model = NULL;
    if (tac_load_text(text, (int)strlen(text), "test", NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

static void random_poses(testRandom* random, double far, tacPose body[BODIES + 1]) {
    body[0] = tac_pose_identity();
    for (int b = 1; b <= BODIES; ++b) {
        double x[7], norm = 0.0;
        for (int k = 0; k < 7; ++k) x[k] = test_uniform(random, -1.0, 1.0);
        for (int k = 3; k < 7; ++k) norm += x[k] * x[k];
        norm = 1.0 / sqrt(norm);
        body[b] = (tacPose){{far * x[0], far * x[1], far * (x[2] + 1.0)},
                            {norm * x[3], norm * x[4], norm * x[5], norm * x[6]}};
    }
}

static int same_contacts(const tacContacts* a, const tacContacts* b) {
    ENSURE(a->count == b->count);
    for (int i = 0; i < a->count; ++i) {
        ENSURE(a->pair[i] == b->pair[i] && a->feature[i] == b->feature[i]);
        ENSURE_NEAR(a->activity[i], b->activity[i], 1e-12);
        ENSURE_NEAR(a->distance[i], b->distance[i], 1e-12);
    }
    return 0;
}

static int broad_phase_changes_no_contact(void) {
    tacModel* model[2] = {load_bodies(""), load_bodies("cull='false'")};
    tacScratch* scratch[2];
    tacContacts* c[2];
    testRandom random = {3};
    int records = 0, pairs = 0;
    for (int k = 0; k < 2; ++k) {
        ENSURE(model[k] && tac_scratch_create(model[k], &scratch[k]) == TAC_OK);
        ENSURE(tac_contacts_create(model[k], 0, 0, &c[k]) == TAC_OK);
    }
    for (int i = 0; i < 40; ++i) {
        tacPose body[BODIES + 1];
        random_poses(&random, 0.1 + 0.01 * i, body);
        for (int k = 0; k < 2; ++k) ENSURE(tac_detect(model[k], body, c[k], scratch[k]) == TAC_OK);
        ENSURE_LAW(same_contacts(c[0], c[1]));
        records += c[0]->count;
        for (int r = 0; r < c[0]->count; ++r) pairs += r == 0 || c[0]->pair[r] != c[0]->pair[r - 1];
    }
    printf("    %d pairs of %d touch, %d records\n", pairs, 40 * model[0]->contact->npair, records);
    ENSURE(pairs > 100 && pairs < 20 * model[0]->contact->npair);
    for (int k = 0; k < 2; ++k) {
        tac_contacts_destroy(c[k]);
        tac_scratch_destroy(scratch[k]);
        tac_model_destroy(model[k]);
    }
    return 0;
}

// a box beside a larger one, just within the support of 16 mm: the broad phase alone could miss it
static int pairs_just_inside_the_support_are_found(void) {
    static const char text[] =
        "<mujoco><tactus detect='manifold' tau='.002' edges='false'/><worldbody>"
        "<body><freejoint/><geom type='box' size='.2 .2 .2' mass='1'/></body>"
        "<body><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>"
        "<body><freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>";
    tacMessage message;
    tacModel* model;
    tacScratch* scratch;
    tacContacts* c;
    ENSURE(tac_load_text(text, (int)strlen(text), "test", NULL, &model, &message) == TAC_OK);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &c) == TAC_OK);
    for (int axis = 0; axis < 3; ++axis)
        for (int side = -1; side <= 1; side += 2) {
            double x[3] = {0.0, 0.0, 0.0};
            tacPose body[4] = {tac_pose_identity(), tac_pose_identity(), tac_pose_identity(),
                               tac_pose_identity()};
            x[axis] = side * (0.3 + 0.95 * 0.016);
            body[2].position = (tacVec3){x[0], x[1], x[2]};
            body[3].position.x = 9.0;
            ENSURE(tac_detect(model, body, c, scratch) == TAC_OK && c->count == 8);
            ENSURE(c->activity[0] > 0.0 && c->activity[0] < 1e-3);
        }
    tac_contacts_destroy(c);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

enum { MANY = 40, MANY_TEXT = 12000 };

// capsules that are long and short, balls, turned boxes and meshes, rims, off their bodies' origins
static tacModel* load_many(const char* options, int kinds) {
    static const char* const many[] = {"type='capsule' size='.02 .2' euler='30 40 0'",
                                       "type='sphere' size='.04'",
                                       "type='capsule' size='.06 .01'",
                                       "type='box' size='.12 .02 .05' euler='20 0 50'",
                                       "type='mesh' mesh='wedge' euler='0 70 10'",
                                       "type='cylinder' size='.05 .02'",
                                       "type='ellipsoid' size='.09 .03 .05'"};
    static char text[MANY_TEXT];
    int at = snprintf(text, sizeof text,
                      "<mujoco><tactus detect='manifold' vertices='60' tau='.002' %s/><asset>"
                      "<mesh name='wedge' vertex='0 0 0 .15 0 0 0 .1 0 0 0 .02'/></asset>"
                      "<worldbody><geom type='plane' size='1 1 1' euler='10 0 0'/>",
                      options);
    for (int b = 0; b < MANY; ++b)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "<body><freejoint/><geom %s mass='1' pos='.01 .02 .03'/></body>",
                       many[b % kinds]);
    snprintf(text + at, sizeof text - (size_t)at, "</worldbody></mujoco>");
    tacMessage message;
    tacModel* model = NULL;
    if (tac_load_text(text, (int)strlen(text), "test", NULL, &model, &message) != TAC_OK)
        printf("  %s\n", message.text);
    return model;
}

static void random_many(testRandom* random, double far, tacPose* body) {
    body[0] = tac_pose_identity();
    for (int b = 1; b <= MANY; ++b) {
        double x[7], norm = 0.0;
        for (int k = 0; k < 7; ++k) x[k] = test_uniform(random, -1.0, 1.0);
        for (int k = 3; k < 7; ++k) norm += x[k] * x[k];
        norm = 1.0 / sqrt(norm);
        body[b] = (tacPose){{far * x[0], far * x[1], far * x[2]},
                            {norm * x[3], norm * x[4], norm * x[5], norm * x[6]}};
    }
}

// more pairs than are tried one by one: the sweep, whatever was sorted before. Contacts and what
// their derivatives read are the same to the last bit
static int check_many(int kinds, int poses) {
    tacModel* model[2] = {load_many("", kinds), load_many("cull='false'", kinds)};
    tacScratch* scratch[2];
    tacContacts* c[2];
    testRandom random = {7};
    int records = 0;
    for (int k = 0; k < 2; ++k) {
        ENSURE(model[k] && tac_scratch_create(model[k], &scratch[k]) == TAC_OK);
        ENSURE(tac_contacts_create(model[k], 0, 0, &c[k]) == TAC_OK);
    }
    ENSURE(model[0]->contact->npair > 600);
    for (int i = 0; i < poses; ++i) {
        tacPose body[MANY + 1];
        random_many(&random, 0.25 + 0.2 * (i % 3), body);
        for (int k = 0; k < 2; ++k) ENSURE(tac_detect(model[k], body, c[k], scratch[k]) == TAC_OK);
        ENSURE_LAW(same_contacts(c[0], c[1]));
        records += c[0]->count;
    }
    printf("    %d pairs, %d poses, %d records\n", model[0]->contact->npair, poses, records);
    ENSURE(records > 20 * poses);
    for (int k = 0; k < 2; ++k) {
        tac_contacts_destroy(c[k]);
        tac_scratch_destroy(scratch[k]);
        tac_model_destroy(model[k]);
    }
    return 0;
}

static int sweep_of_many_geoms_changes_no_contact(void) { return check_many(7, 6); }

// cheap pairs, many of them: distances of segments against records
static int balls_and_capsules_change_no_contact(void) { return check_many(3, 60); }

// how far a point of a body lies outside of a box, at most along one of its axes
static double outside_box(const tacOrientedBox* box, const double grow[3], const double x[3]) {
    double most = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double at = 0.0;
        for (int i = 0; i < 3; ++i) at += box->axis[i][k] * (x[i] - box->middle[i]);
        most = fmax(most, fabs(at) - box->half[k] - grow[k]);
    }
    return most;
}

// Where the field of a geom is below support + r lies in its box, and the box ends near there:
// the last points inside are within 2 % of its size.
static int check_field_box(const tacModel* model, int g, const tacGeomBound* b,
                           tacScratch* scratch) {
    testRandom random = {11};
    double support = model->param[model->contact->number[TAC_CONTACT_SUPPORT]], nearest = -1.0;
    const tacGeom* own = &model->geom[g];
    tacPose pose = {tac_load3(&model->param[own->position]),
                    tac_quat_load(&model->param[own->rotation])};
    ENSURE(b->kind == TAC_FIELD_BOX);
    for (int i = 0; i < 40000; ++i) {
        double r = i % 3 * 0.04, grow[3], y[3], x[3], value, size = 0.0;
        for (int k = 0; k < 3; ++k) {
            grow[k] = r * b->rate[k];
            size = fmax(size, b->field.half[k] + grow[k]);
            y[k] = 1.1 * test_uniform(&random, -1.0, 1.0) * (b->field.half[k] + grow[k]);
        }
        y[i % 3] = (i & 8 ? 1.0 : -1.0) * (b->field.half[i % 3] + grow[i % 3]) *
                   test_uniform(&random, 0.9, 1.1);
        for (int j = 0; j < 3; ++j) {
            x[j] = b->field.middle[j];
            for (int k = 0; k < 3; ++k) x[j] += b->field.axis[j][k] * y[k];
        }
        tacPoints point = {1, {&x[0], &x[1], &x[2]}};
        ENSURE(tac_shape_eval(model, own->shape, pose, point, (tacField){.value = &value},
                              scratch) == TAC_OK);
        if (!(value < support + r)) continue;
        double out = outside_box(&b->field, grow, x);
        ENSURE(out <= 0.0);
        nearest = fmax(nearest, out / size);
    }
    ENSURE(nearest > -0.02);
    return 0;
}

// a box that grows with the range holds the box that is made for that range
static int check_growth(const tacModel* model, int g, const tacGeomBound* b, tacScratch* scratch) {
    for (int i = 1; i < 4; ++i) {
        double r = 0.05 * i;
        tacGeomField field = *tac_detect_cache_field(model, g, scratch);
        field.range += r;
        tacGeomBound other = tac_geom_bound(model, g, &field);
        for (int k = 0; k < 3; ++k) {
            double apart = 0.0;
            for (int j = 0; j < 3; ++j)
                apart += b->field.axis[j][k] * (other.field.middle[j] - b->field.middle[j]);
            double need = fabs(apart) + other.field.half[k],
                   have = b->field.half[k] + r * b->rate[k];
            ENSURE(need <= have * (1.0 + 1e-8) && need > 0.5 * have);
        }
    }
    return 0;
}

static int boxes_of_fields_hold_and_are_tight(void) {
    tacModel* model = load_bodies("");
    tacScratch* scratch;
    ENSURE(model && tac_scratch_create(model, &scratch) == TAC_OK);
    tac_detect_cache_refresh(model, scratch);
    const tacGeomBound* bound = tac_detect_cache_bounds(model, scratch);
    ENSURE(bound && bound[0].kind == TAC_FIELD_HALF_SPACE);
    for (int g = 1; g <= BODIES; ++g) {
        ENSURE_LAW(check_field_box(model, g, &bound[g], scratch));
        ENSURE_LAW(check_growth(model, g, &bound[g], scratch));
    }
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

TEST_MAIN(RUN(boxes_of_fields_hold_and_are_tight), RUN(sweep_of_many_geoms_changes_no_contact),
          RUN(balls_and_capsules_change_no_contact), RUN(broad_phase_changes_no_contact),
          RUN(pairs_just_inside_the_support_are_found))
