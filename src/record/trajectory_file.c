// Trajectories as .npz and as CSV.

#define _GNU_SOURCE
#include "record/trajectory.h"

#include "base/message.h"
#include "record/npz.h"
#include "record/text_array.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "files hold numbers as they are here");

//---------------------------------- npz ------------------------------------------

static tacNpy as_matrix(const double* data, int rows, int width) {
    return (tacNpy){TAC_NPY_REAL, 0, 2, {(size_t)rows, (size_t)width}, data};
}

int tac_trajectory_write_npz(const tacTrajectory* t, const char* version, FILE* file) {
    const tacModel* m = t->model;
    int n = t->rows;
    uint32_t model[TAC_COLUMN_SIZE], print[TAC_COLUMN_SIZE], program[TAC_COLUMN_SIZE];
    double timestep = m->param[m->timestep];
    tacNpy names[] = {
        tac_text_array(m, tac_column_joint, 0, m->njoint),
        tac_text_array(m, tac_column_ctrl, 0, m->nu), tac_text_array(m, tac_column_qpos, 0, m->nq),
        tac_text_array(m, tac_column_dof, 0, m->nv), tac_text_array(m, tac_column_act, 0, m->na)};
    const tacNpzMember members[] = {
        {"time", {TAC_NPY_REAL, 0, 1, {(size_t)n, 0}, t->time}},
        {"qpos", as_matrix(t->qpos, n, m->nq)},
        {"qvel", as_matrix(t->qvel, n, m->nv)},
        {"act", as_matrix(t->act, n, m->na)},
        {"warm", as_matrix(t->warm, n, m->nwarm)},
        {"ctrl", as_matrix(t->ctrl, n, m->nu)},
        {"energy", as_matrix(t->energy, n, 2)},
        {"step", {TAC_NPY_INT, 0, 1, {(size_t)n, 0}, t->step}},
        {"timestep", {TAC_NPY_REAL, 0, 0, {0, 0}, &timestep}},
        {"joint", names[0]},
        {"actuator", names[1]},
        {"qpos_name", names[2]},
        {"qvel_name", names[3]},
        {"act_name", names[4]},
        {"model", tac_text_one(m->name, model)},
        {"hash", tac_text_one(t->fingerprint, print)},
        {"version", tac_text_one(version, program)},
    };
    int whole = 1;
    for (int i = 0; i < 5; ++i) whole &= names[i].data != NULL;
    int code = whole ? tac_npz_write(members, (int)(sizeof members / sizeof *members), file) : -1;
    if (!whole) errno = ENOMEM;
    for (int i = 0; i < 5; ++i) free((void*)names[i].data);
    return code;
}

//---------------------------------- CSV ------------------------------------------

static void write_names(const tacModel* model, const char* kind, tacColumnName name, int count,
                        FILE* file) {
    char text[TAC_COLUMN_SIZE];
    for (int i = 0; i < count; ++i) {
        name(model, i, text);
        fprintf(file, strpbrk(text, ",\"\n") ? ",\"%s %s\"" : ",%s %s", kind, text);
    }
}

static void write_row(const double* values, int count, int row, FILE* file) {
    values += (size_t)row * (size_t)count;
    for (int i = 0; i < count; ++i) fprintf(file, ",%.17g", values[i]);
}

int tac_trajectory_write_csv(const tacTrajectory* t, FILE* file) {
    const tacModel* m = t->model;
    fprintf(file, "step,time");
    write_names(m, "qpos", tac_column_qpos, m->nq, file);
    write_names(m, "qvel", tac_column_dof, m->nv, file);
    write_names(m, "act", tac_column_act, m->na, file);
    write_names(m, "ctrl", tac_column_ctrl, m->nu, file);
    fprintf(file, ",kinetic,potential\n");
    for (int i = 0; i < t->rows; ++i) {
        fprintf(file, "%lld,%.17g", t->step[i], t->time[i]);
        write_row(t->qpos, m->nq, i, file);
        write_row(t->qvel, m->nv, i, file);
        write_row(t->act, m->na, i, file);
        write_row(t->ctrl, m->nu, i, file);
        write_row(t->energy, 2, i, file);
        fputc('\n', file);
    }
    return ferror(file) ? -1 : 0;
}

//---------------------------------- reading --------------------------------------

// does an array have `width` numbers a row, or with width -1 one? A single state may lack the rows.
static int has_shape(const tacNpy* a, int rows, int width) {
    int dims = width < 0 ? 1 : 2, single = rows == 1 && a->dims == dims - 1;
    if (single) return dims == 1 || a->shape[0] == (size_t)width;
    return a->dims == dims && a->shape[0] == (size_t)rows &&
           (dims == 1 || a->shape[1] == (size_t)width);
}

// an array of `width` numbers a row, copied; where it may be missing, zeros
static tacResult read_rows(const tacNpz* npz, const char* name, int width, int needed, int rows,
                           double* out) {
    tacNpy a;
    tacResult result = tac_npz_find(npz, name, &a);
    if (result != TAC_OK || width == 0) return result;
    if (!a.data && !needed) return TAC_OK;
    if (!a.data)
        return tac_fail(npz->message, TAC_ERROR_VALUE, npz->file, 0, name,
                        "is missing; a trajectory of tactus run has it");
    int columns = width < 0 ? 1 : width;
    if (a.kind != TAC_NPY_REAL || !has_shape(&a, rows, width))
        return tac_fail(npz->message, TAC_ERROR_VALUE, npz->file, 0, name,
                        "must be float64 of shape (%d, %d) for this scene, and is not", rows,
                        columns);
    memcpy(out, a.data, tac_npy_bytes(&a));
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; ++i)
        if (!isfinite(out[i]))
            return tac_fail(npz->message, TAC_ERROR_VALUE, npz->file, 0, name,
                            "row %zu is not finite", i / (size_t)columns);
    return TAC_OK;
}

// numbers of the steps; 0, 1, 2 … where they are missing
static tacResult read_steps(const tacNpz* npz, tacTrajectory* t) {
    tacNpy a;
    tacResult result = tac_npz_find(npz, "step", &a);
    if (result != TAC_OK) return result;
    for (int i = 0; i < t->rows; ++i) t->step[i] = i;
    if (!a.data) return TAC_OK;
    if (a.kind != TAC_NPY_INT || !has_shape(&a, t->rows, -1))
        return tac_fail(npz->message, TAC_ERROR_VALUE, npz->file, 0, "step",
                        "must be int64 of shape (%d,)", t->rows);
    memcpy(t->step, a.data, tac_npy_bytes(&a));
    for (int i = 0; i < t->rows; ++i)
        if (t->step[i] < 0 || t->step[i] > 1ll << 52 || (i > 0 && t->step[i] <= t->step[i - 1]))
            return tac_fail(npz->message, TAC_ERROR_VALUE, npz->file, 0, "step",
                            "row %d: must grow from 0 on", i);
    return TAC_OK;
}

static tacResult read_fingerprint(const tacNpz* npz, tacTrajectory* t) {
    tacNpy a;
    tacResult result = tac_npz_find(npz, "hash", &a);
    memset(t->fingerprint, 0, sizeof t->fingerprint);
    if (result != TAC_OK || !a.data || a.kind != TAC_NPY_TEXT || a.dims != 0) return result;
    for (int i = 0; i < a.width && i < TAC_FINGERPRINT_SIZE - 1; ++i) {
        uint32_t c;
        memcpy(&c, (const char*)a.data + 4 * i, 4);
        t->fingerprint[i] = (char)(c < 0x7f ? c : '?');
    }
    return TAC_OK;
}

static tacResult read_arrays(const tacNpz* npz, tacTrajectory* t) {
    const tacModel* m = t->model;
    tacResult result = read_rows(npz, "time", -1, 0, t->rows, t->time);
    if (result == TAC_OK) result = read_rows(npz, "qpos", m->nq, 1, t->rows, t->qpos);
    if (result == TAC_OK) result = read_rows(npz, "qvel", m->nv, 1, t->rows, t->qvel);
    if (result == TAC_OK) result = read_rows(npz, "act", m->na, 1, t->rows, t->act);
    if (result == TAC_OK) result = read_rows(npz, "warm", m->nwarm, 0, t->rows, t->warm);
    if (result == TAC_OK) result = read_rows(npz, "ctrl", m->nu, 0, t->rows, t->ctrl);
    if (result == TAC_OK) result = read_steps(npz, t);
    if (result == TAC_OK) result = read_fingerprint(npz, t);
    return result;
}

tacResult tac_trajectory_parse(const tacModel* model, const void* bytes, size_t size,
                               const char* path, tacTrajectory* out, tacMessage* message) {
    tacNpz npz = {.bytes = bytes, .size = size, .file = path, .message = message};
    tacNpy qpos;
    tacTrajectory t;
    tacResult result = tac_npz_open(&npz);
    if (result == TAC_OK) result = tac_npz_find(&npz, "qpos", &qpos);
    if (result != TAC_OK) return result;
    if (qpos.data && qpos.dims == 1) // one state
    {
        qpos.dims = 2;
        qpos.shape[1] = qpos.shape[0];
        qpos.shape[0] = 1;
    }
    if (!qpos.data || qpos.dims != 2 || qpos.shape[0] == 0 || qpos.shape[0] > 2000000000u)
        return tac_fail(message, TAC_ERROR_VALUE, path, 0, "qpos",
                        "must be an array of states by rows; tactus run writes one");
    if (qpos.shape[1] != (size_t)model->nq || model->nq == 0)
        return tac_fail(message, TAC_ERROR_VALUE, path, 0, "qpos",
                        "has %zu columns, and the scene %d positions: it is of another scene",
                        qpos.shape[1], model->nq);
    result = tac_trajectory_create(model, (int)qpos.shape[0], &t);
    if (result != TAC_OK) return tac_fail(message, result, path, 0, NULL, "has too many rows");
    t.rows = t.capacity;
    result = read_arrays(&npz, &t);
    if (result == TAC_OK)
        *out = t;
    else
        tac_trajectory_destroy(&t);
    return result;
}

static tacResult fail_file(tacMessage* message, const char* path, const char* problem) {
    return tac_fail(message, TAC_ERROR_FILE, path, 0, NULL, "%s", problem);
}

// all bytes of a regular file
static tacResult read_trajectory_file(const char* path, void** bytes, size_t* size,
                                      tacMessage* message) {
    struct stat status;
    char why[128];
    if (stat(path, &status) != 0)
        return fail_file(message, path, strerror_r(errno, why, sizeof why));
    if (!S_ISREG(status.st_mode)) return fail_file(message, path, "is not a regular file");
    if (status.st_size > TAC_MAX_NPZ_BYTES) return fail_file(message, path, "is over 4 GB");
    FILE* file = fopen(path, "rb");
    if (!file) return fail_file(message, path, strerror_r(errno, why, sizeof why));
    *size = (size_t)status.st_size;
    *bytes = malloc(*size + 1);
    size_t got = *bytes ? fread(*bytes, 1, *size, file) : 0;
    fclose(file);
    if (!*bytes) return tac_fail(message, TAC_ERROR_MEMORY, path, 0, NULL, "out of memory");
    if (got == *size) return TAC_OK;
    free(*bytes);
    return fail_file(message, path, "cannot be read whole");
}

tacResult tac_trajectory_read(const tacModel* model, const char* path, tacTrajectory* out,
                              tacMessage* message) {
    void* bytes;
    size_t size;
    tacResult result = read_trajectory_file(path, &bytes, &size, message);
    if (result != TAC_OK) return result;
    result = tac_trajectory_parse(model, bytes, size, path, out, message);
    free(bytes);
    return result;
}
