// What detectors keep between calls cannot be seen: a scratch that has a past gives the bits of a
// new one, after other poses, other parameters, and in any order of value and derivatives.

#include "detect/manifold_scenes.h"

#include <string.h>

enum { RECORDS = 2000 };

// value and derivatives of the contacts at one state
typedef struct answer {
    int count;
    double record[RECORDS][8], dot[RECORDS][8], pose_bar[18], theta_bar[2000];
} answer;

static void copy_record(const tacContacts* c, int i, double out[8]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = c->point[k][i];
        out[3 + k] = c->normal[k][i];
    }
    out[6] = c->distance[i];
    out[7] = c->activity[i];
}

static int eval_derivatives(const tacModel* model, const tacPose* body, const tacContacts* c,
                            int with_normals, answer* out, tacScratch* scratch) {
    tacContacts *bar = NULL, *dot = NULL;
    double along[18];
    for (int k = 0; k < 18; ++k) along[k] = 0.1 * k - 0.7;
    ENSURE(tac_contacts_create(model, 0, 0, &bar) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &dot) == TAC_OK);
    bar->count = c->count;
    for (int i = 0; i < c->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            bar->point[k][i] = with_normals * 0.3 * k;
            bar->normal[k][i] = with_normals * (0.2 - k);
        }
        bar->distance[i] = 1.0 + 0.1 * i;
        bar->activity[i] = 0.5 - 0.2 * i;
    }
    ENSURE(tac_detect_vjp(model, body, c, bar, out->pose_bar, out->theta_bar, scratch) == TAC_OK);
    ENSURE(tac_detect_jvp(model, body, c, along, NULL, dot, scratch) == TAC_OK);
    for (int i = 0; i < c->count; ++i) copy_record(dot, i, out->dot[i]);
    tac_contacts_destroy(bar);
    tac_contacts_destroy(dot);
    return 0;
}

// `again`: the derivative's scratch has seen no value
static int detect_and_derive(const tacModel* model, const double x[14], int with_normals, int again,
                             tacScratch* scratch, answer* out) {
    tacContacts* c = NULL;
    tacPose body[3];
    tacScratch* other = NULL;
    memset(out, 0, sizeof *out);
    manifold_poses(x, body);
    ENSURE(model->nparam <= 2000);
    ENSURE(tac_contacts_create(model, 0, 0, &c) == TAC_OK);
    ENSURE(tac_detect(model, body, c, scratch) == TAC_OK && c->count <= RECORDS);
    out->count = c->count;
    for (int i = 0; i < c->count; ++i) copy_record(c, i, out->record[i]);
    if (again) ENSURE(tac_scratch_create(model, &other) == TAC_OK);
    if (eval_derivatives(model, body, c, with_normals, out, again ? other : scratch)) return 1;
    tac_scratch_destroy(other);
    tac_contacts_destroy(c);
    return 0;
}

// a derivative at x after a value at y
static int derive_after_other_pose(const tacModel* model, const double x[14], const double y[14],
                                   tacScratch* scratch, answer* out) {
    tacContacts *c = NULL, *d = NULL;
    tacPose body[3], there[3];
    memset(out, 0, sizeof *out);
    manifold_poses(x, body);
    manifold_poses(y, there);
    ENSURE(tac_contacts_create(model, 0, 0, &c) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &d) == TAC_OK);
    ENSURE(tac_detect(model, body, c, scratch) == TAC_OK);
    ENSURE(tac_detect(model, there, d, scratch) == TAC_OK);
    out->count = c->count;
    for (int i = 0; i < c->count; ++i) copy_record(c, i, out->record[i]);
    if (eval_derivatives(model, body, c, 1, out, scratch)) return 1;
    tac_contacts_destroy(c);
    tac_contacts_destroy(d);
    return 0;
}

static int cache_is_invisible(const manifoldScene* scene, int poses) {
    static answer one, two;
    tacModel* model = manifold_load(scene, "vertices='60'");
    tacScratch *old = NULL, *fresh = NULL;
    testRandom random = {7};
    double x[14], y[14];
    int records = 0;
    ENSURE(model && tac_scratch_create(model, &old) == TAC_OK);
    for (int i = 0; i < poses; ++i) {
        manifold_random_poses(scene, &random, x);
        manifold_random_poses(scene, &random, y);
        int number = (int)test_uniform(&random, 0.0, model->nparam - 1e-9);
        model->param[number] *= 1.0 + 1e-3 * (i % 2); // every other time nothing changes
        ENSURE(tac_scratch_create(model, &fresh) == TAC_OK);
        ENSURE_LAW(detect_and_derive(model, x, i % 3 > 0, 1, fresh, &one));
        ENSURE_LAW(detect_and_derive(model, x, i % 3 > 0, 0, old, &two));
        ENSURE(memcmp(&one, &two, sizeof one) == 0);
        ENSURE_LAW(detect_and_derive(model, x, 1, 1, fresh, &one));
        ENSURE_LAW(derive_after_other_pose(model, x, y, old, &two));
        ENSURE(memcmp(&one, &two, sizeof one) == 0);
        tac_scratch_destroy(fresh);
        records += one.count;
    }
    ENSURE(records > poses);
    tac_scratch_destroy(old);
    tac_model_destroy(model);
    return 0;
}

static int cached_boxes_equal_uncached_boxes(void) {
    return cache_is_invisible(&manifold_boxes, 16);
}
static int cached_cup_equals_uncached_cup(void) { return cache_is_invisible(&manifold_cup, 4); }

TEST_MAIN(RUN(cached_boxes_equal_uncached_boxes), RUN(cached_cup_equals_uncached_cup))
