// Rows of a run: one block of memory, an array for each kind of number.

#include "record/trajectory.h"

#include "tactus/dynamics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t row_numbers(const tacModel* m) {
    return (size_t)m->nq + (size_t)m->nv + (size_t)m->na + (size_t)m->nwarm + (size_t)m->nu + 4;
}

tacResult tac_trajectory_create(const tacModel* model, int capacity, tacTrajectory* out) {
    size_t rows = (size_t)capacity, numbers = row_numbers(model);
    if (rows > TAC_MAX_TRAJECTORY_BYTES / sizeof(double) / numbers) return TAC_ERROR_LIMIT;
    double* at = calloc(rows * numbers + 1, sizeof *at);
    if (!at) return TAC_ERROR_MEMORY;
    *out = (tacTrajectory){.model = model, .capacity = capacity};
    out->time = at;
    at += rows;
    out->qpos = at;
    at += rows * (size_t)model->nq;
    out->qvel = at;
    at += rows * (size_t)model->nv;
    out->act = at;
    at += rows * (size_t)model->na;
    out->warm = at;
    at += rows * (size_t)model->nwarm;
    out->ctrl = at;
    at += rows * (size_t)model->nu;
    out->energy = at;
    at += rows * 2;
    out->step = (long long*)at;
    tac_fingerprint(model, out->fingerprint);
    return TAC_OK;
}

void tac_trajectory_destroy(tacTrajectory* t) {
    free(t->time); // the block
    *t = (tacTrajectory){0};
}

static void copy_row(double* array, int row, int width, const double* from) {
    if (width > 0 && from)
        memcpy(array + (size_t)row * (size_t)width, from, sizeof *array * (size_t)width);
}

void tac_trajectory_add(tacTrajectory* t, const tacState* x, const double* ctrl, long long step) {
    const tacModel* m = t->model;
    int row = t->rows++;
    t->time[row] = x->time;
    t->step[row] = step;
    copy_row(t->qpos, row, m->nq, x->qpos);
    copy_row(t->qvel, row, m->nv, x->qvel);
    copy_row(t->act, row, m->na, x->act);
    copy_row(t->warm, row, m->nwarm, x->warm);
    copy_row(t->ctrl, row, m->nu, ctrl);
}

tacState tac_trajectory_row(const tacTrajectory* t, int row) {
    const tacModel* m = t->model;
    size_t r = (size_t)row;
    return (tacState){t->qpos + r * (size_t)m->nq, t->qvel + r * (size_t)m->nv,
                      t->act + r * (size_t)m->na, t->warm + r * (size_t)m->nwarm, t->time[row]};
}

void tac_trajectory_measure(tacTrajectory* t, tacScratch* scratch) {
    for (int i = 0; i < t->rows; ++i) {
        tacState x = tac_trajectory_row(t, i);
        double* energy = t->energy + 2 * (size_t)i;
        if (tac_energy(t->model, x.qpos, x.qvel, energy, scratch) != TAC_OK)
            energy[0] = energy[1] = INFINITY;
    }
}
