// Trajectories: what is written is read back to the last bit, and what is broken is refused.

#define _GNU_SOURCE
#include "record/column.h"
#include "record/npz.h"
#include "record/trajectory.h"
#include "tactus/step.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>

static tacModel* load_model(const char* name) {
    char path[300];
    tacModel* model = NULL;
    tacMessage message = {0};
    snprintf(path, sizeof path, "%s/scenes/%s.xml", TAC_SOURCE_DIR, name);
    if (tac_load(path, NULL, &model, &message) != TAC_OK) printf("  %s\n", message.text);
    return model;
}

// a short run under a control that changes
static int make_trajectory(const tacModel* model, int steps, tacTrajectory* t) {
    tacScratch* scratch;
    double *q = calloc((size_t)model->nq, 8), *v = calloc((size_t)model->nv, 8);
    double* u = calloc((size_t)model->nu + 1, 8);
    tacState x = {.qpos = q, .qvel = v};
    testRandom random = {3};
    memcpy(q, model->qpos0, sizeof *q * (size_t)model->nq);
    ENSURE(tac_trajectory_create(model, steps + 1, t) == TAC_OK);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    for (int i = 0; i <= steps; ++i) {
        for (int k = 0; k < model->nu; ++k) u[k] = test_uniform(&random, -1.0, 1.0);
        tac_trajectory_add(t, &x, u, i);
        ENSURE(tac_step(model, &x, u, &x, scratch) == TAC_OK);
    }
    tac_trajectory_measure(t, scratch);
    tac_scratch_destroy(scratch);
    free(q);
    free(v);
    free(u);
    return 0;
}

static char* write_npz(const tacTrajectory* t, size_t* size) {
    char* bytes = NULL;
    FILE* file = open_memstream(&bytes, size);
    int code = tac_trajectory_write_npz(t, "1.2.3", file);
    fclose(file);
    return code == 0 ? bytes : NULL;
}

static int is_same_trajectory(const double* a, const double* b, int rows, int width) {
    return memcmp(a, b, sizeof *a * (size_t)rows * (size_t)width) == 0;
}

static int files_give_back_every_bit(void) {
    static const char* const scenes[] = {"cart_pole", "top", "arm", "humanoid"};
    for (int i = 0; i < 4; ++i) {
        tacModel* m = load_model(scenes[i]);
        tacTrajectory t, back;
        tacMessage message;
        size_t size;
        ENSURE(m != NULL);
        ENSURE_LAW(make_trajectory(m, 50, &t));
        char* bytes = write_npz(&t, &size);
        ENSURE(bytes != NULL);
        ENSURE(tac_trajectory_parse(m, bytes, size, "t.npz", &back, &message) == TAC_OK);
        ENSURE(back.rows == 51 && is_same_trajectory(t.time, back.time, 51, 1));
        ENSURE(is_same_trajectory(t.qpos, back.qpos, 51, m->nq) &&
               is_same_trajectory(t.qvel, back.qvel, 51, m->nv));
        ENSURE(is_same_trajectory(t.ctrl, back.ctrl, 51, m->nu));
        ENSURE(memcmp(t.step, back.step, sizeof *t.step * 51) == 0);
        ENSURE(strcmp(t.fingerprint, back.fingerprint) == 0);
        tac_trajectory_destroy(&t);
        tac_trajectory_destroy(&back);
        free(bytes);
        tac_model_destroy(m);
    }
    return 0;
}

// equal runs are equal files
static int files_do_not_depend_on_the_clock(void) {
    tacModel* m = load_model("cart_pole");
    tacTrajectory t;
    size_t size[2];
    ENSURE_LAW(make_trajectory(m, 5, &t));
    char *one = write_npz(&t, &size[0]), *two = write_npz(&t, &size[1]);
    ENSURE(size[0] == size[1] && memcmp(one, two, size[0]) == 0);
    free(one);
    free(two);
    tac_trajectory_destroy(&t);
    tac_model_destroy(m);
    return 0;
}

// cut anywhere, or with any byte changed: states that are finite, or a message, never a crash; a
// changed byte of a number is always noticed
static int broken_files_are_refused(void) {
    tacModel* m = load_model("cart_pole");
    tacTrajectory t, back;
    size_t size;
    ENSURE_LAW(make_trajectory(m, 3, &t));
    char* bytes = write_npz(&t, &size);
    for (size_t cut = 0; cut < size; ++cut) {
        tacMessage message = {0};
        char* part = malloc(cut + 1); // at its true length, for the sanitizer
        memcpy(part, bytes, cut);
        ENSURE(tac_trajectory_parse(m, part, cut, "t.npz", &back, &message) != TAC_OK);
        ENSURE(message.text[0] && strcmp(message.file, "t.npz") == 0);
        free(part);
    }
    int noticed = 0;
    for (size_t i = 0; i < size; ++i)
        for (int flip = 1; flip < 256; flip *= 16) {
            tacMessage message = {0};
            bytes[i] = (char)(bytes[i] ^ flip);
            tacResult result = tac_trajectory_parse(m, bytes, size, "t.npz", &back, &message);
            bytes[i] = (char)(bytes[i] ^ flip);
            if (result == TAC_OK) tac_trajectory_destroy(&back);
            ENSURE(result == TAC_OK || message.text[0]);
            noticed += result != TAC_OK;
        }
    ENSURE(noticed > 1000);
    free(bytes);
    tac_trajectory_destroy(&t);
    tac_model_destroy(m);
    return 0;
}

static int is_refused(const tacModel* m, const tacNpzMember* members, int count,
                      const char* attribute, const char* word) {
    char* bytes = NULL;
    size_t size;
    tacMessage message = {0};
    tacTrajectory t;
    FILE* file = open_memstream(&bytes, &size);
    ENSURE(tac_npz_write(members, count, file) == 0);
    fclose(file);
    ENSURE(tac_trajectory_parse(m, bytes, size, "t.npz", &t, &message) != TAC_OK);
    if (strcmp(message.attribute, attribute) != 0 || !strstr(message.text, word))
        printf("  said: %s: %s\n", message.attribute, message.text);
    ENSURE(strcmp(message.attribute, attribute) == 0 && strstr(message.text, word));
    free(bytes);
    return 0;
}

static int arrays_that_do_not_fit_are_refused(void) {
    tacModel* m = load_model("cart_pole");
    double zero[8] = {0}, nan[4] = {0.0, 0.0, NAN, 0.0};
    long long back[2] = {4, 3};
    tacNpzMember qpos = {"qpos", {TAC_NPY_REAL, 0, 2, {2, 2}, zero}};
    tacNpzMember qvel = {"qvel", {TAC_NPY_REAL, 0, 2, {2, 2}, zero}};
    tacNpzMember wide = {"qpos", {TAC_NPY_REAL, 0, 2, {2, 3}, zero}};
    tacNpzMember none = {"qpos", {TAC_NPY_REAL, 0, 2, {0, 2}, zero}};
    tacNpzMember flat = {"qvel", {TAC_NPY_REAL, 0, 1, {4, 0}, zero}};
    tacNpzMember whole = {"qvel", {TAC_NPY_INT, 0, 2, {2, 2}, zero}};
    tacNpzMember odd = {"qvel", {TAC_NPY_REAL, 0, 2, {2, 2}, nan}};
    tacNpzMember step = {"step", {TAC_NPY_INT, 0, 1, {2, 0}, back}};
    tacNpzMember ctrl = {"ctrl", {TAC_NPY_REAL, 0, 2, {2, 2}, zero}};
    ENSURE_LAW(is_refused(m, &qvel, 1, "qpos", "by rows"));
    ENSURE_LAW(is_refused(m, &qpos, 1, "qvel", "missing"));
    ENSURE_LAW(is_refused(m, &wide, 1, "qpos", "another scene"));
    ENSURE_LAW(is_refused(m, &none, 1, "qpos", "by rows"));
    ENSURE_LAW(is_refused(m, (tacNpzMember[]){qpos, flat}, 2, "qvel", "shape (2, 2)"));
    ENSURE_LAW(is_refused(m, (tacNpzMember[]){qpos, whole}, 2, "qvel", "float64"));
    ENSURE_LAW(is_refused(m, (tacNpzMember[]){qpos, odd}, 2, "qvel", "row 1 is not finite"));
    ENSURE_LAW(is_refused(m, (tacNpzMember[]){qpos, qvel, step}, 3, "step", "must grow"));
    ENSURE_LAW(is_refused(m, (tacNpzMember[]){qpos, qvel, ctrl}, 3, "ctrl", "shape (2, 1)"));
    tac_model_destroy(m);
    return 0;
}

// lengths in the archive have 32 bits
static int too_large_is_refused(void) {
    tacNpzMember one = {"A", {TAC_NPY_REAL, 0, 2, {30000, 30000}, NULL}};
    tacNpzMember half = {"B", {TAC_NPY_REAL, 0, 1, {300000000, 0}, NULL}};
    FILE* nowhere = fopen("/dev/null", "w");
    errno = 0;
    ENSURE(tac_npz_write(&one, 1, nowhere) == -1 && errno == EFBIG);
    errno = 0;
    ENSURE(tac_npz_write((tacNpzMember[]){half, half}, 2, nowhere) == -1 && errno == EFBIG);
    fclose(nowhere);
    return 0;
}

static int fingerprint_follows_what_moves(void) {
    tacModel* m = load_model("arm");
    tacParam param;
    char one[TAC_FINGERPRINT_SIZE], two[TAC_FINGERPRINT_SIZE];
    tac_fingerprint(m, one);
    ENSURE(tac_param_find(m, "joint:bend/damping", &param) == TAC_OK);
    double value = m->param[param.offset], more = nextafter(value, 9.0);
    ENSURE(tac_param_set(m, param, &more, NULL) == TAC_OK);
    tac_fingerprint(m, two);
    ENSURE(strcmp(one, two) != 0);
    ENSURE(tac_param_set(m, param, &value, NULL) == TAC_OK);
    tac_fingerprint(m, two);
    ENSURE(strcmp(one, two) == 0);
    tac_model_destroy(m);
    return 0;
}

static int columns_have_names(void) {
    tacModel* m = load_model("top");
    char text[TAC_COLUMN_SIZE];
    static const char* const qpos[] = {"top/x",    "top/y",    "top/z",    "top/qw",
                                       "top/qx",   "top/qy",   "top/qz",   "swing/qw",
                                       "swing/qx", "swing/qy", "swing/qz", "held_x"};
    static const char* const dof[] = {"top/x",  "top/y",    "top/z",    "top/rx",   "top/ry",
                                      "top/rz", "swing/rx", "swing/ry", "swing/rz", "held_x"};
    for (int i = 0; i < 12; ++i) {
        tac_column_qpos(m, i, text);
        ENSURE(strcmp(text, qpos[i]) == 0);
    }
    for (int i = 0; i < 10; ++i) {
        tac_column_dof(m, i, text);
        ENSURE(strcmp(text, dof[i]) == 0);
    }
    tac_model_destroy(m);
    return 0;
}

TEST_MAIN(RUN(files_give_back_every_bit), RUN(files_do_not_depend_on_the_clock),
          RUN(broken_files_are_refused), RUN(arrays_that_do_not_fit_are_refused),
          RUN(too_large_is_refused), RUN(fingerprint_follows_what_moves), RUN(columns_have_names))
