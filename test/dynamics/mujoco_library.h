// A libmujoco as a source of a mujocoReference: the installed one within the test, the newest one
// within a program of its own headers (mujoco_native.c).

#ifndef TACTUS_TEST_MUJOCO_LIBRARY_H
#define TACTUS_TEST_MUJOCO_LIBRARY_H

#include "dynamics/mujoco_reference.h"

#include <float.h>
#include <mujoco/mujoco.h>

typedef struct mujocoLibrary {
    mjModel* m;
    mjData* d;
    testRandom random;
    mujocoReference* out;
} mujocoLibrary;

// what is wanted of a model
typedef struct libraryJob {
    const char *path, *file; // its name in the reference, and the file to read
    int seed, states, steps, jacobians;
} libraryJob;

//---------------------------------- chance ---------------------------------------

static inline double library_normal(testRandom* random) {
    double radius = sqrt(-2.0 * log(1.0 - test_uniform(random, 0.0, 1.0)));
    return radius * cos(test_uniform(random, 0.0, 2.0 * mjPI));
}

// in the middle `share` of their ranges
static inline void library_draw_controls(mujocoLibrary* l, double share) {
    for (int i = 0; i < l->m->nu; ++i) {
        const double* range = l->m->actuator_ctrlrange + 2 * i;
        double low = l->m->actuator_ctrllimited[i] ? range[0] : -1.0;
        double high = l->m->actuator_ctrllimited[i] ? range[1] : 1.0;
        double middle = (low + high) / 2.0, half = share * (high - low) / 2.0;
        l->d->ctrl[i] = test_uniform(&l->random, middle - half, middle + half);
    }
}

// free positions, quaternions, velocities normal, the others uniform in their range or [-pi, pi]
static inline void library_draw(mujocoLibrary* l) {
    static const int widths[] = {7, 4, 1, 1};
    for (int j = 0; j < l->m->njnt; ++j) {
        int kind = l->m->jnt_type[j], limited = l->m->jnt_limited[j];
        double low = limited ? l->m->jnt_range[2 * j] : -mjPI;
        double high = limited ? l->m->jnt_range[2 * j + 1] : mjPI;
        double* q = l->d->qpos + l->m->jnt_qposadr[j];
        for (int k = 0; k < widths[kind]; ++k)
            q[k] = kind < mjJNT_SLIDE ? library_normal(&l->random)
                                      : test_uniform(&l->random, low, high);
        if (kind < mjJNT_SLIDE) mju_normalize4(q + widths[kind] - 4);
    }
    for (int i = 0; i < l->m->nv; ++i) l->d->qvel[i] = library_normal(&l->random);
    for (int i = 0; i < l->m->na; ++i) l->d->act[i] = test_uniform(&l->random, 0.0, 1.0);
    library_draw_controls(l, 1.0);
}

//---------------------------------- numbers --------------------------------------

static inline void library_add_model(mujocoLibrary* l) {
    const mjModel* m = l->m;
    int number = mj_version(), old = number < 1000; // 222 is 2.2.2, 4000001 is 4.0.1
    const double version[] = {old ? number / 100 : number / 1000000,
                              old ? number / 10 % 10 : number / 1000 % 1000,
                              old ? number % 10 : number % 1000};
    const double sizes[] = {(double)m->nq,    (double)m->nv,   (double)m->nu,   (double)m->na,
                            (double)m->nbody, (double)m->njnt, (double)m->nmesh};
    reference_copy(l->out, "version", 3, version);
    reference_copy(l->out, "sizes", 7, sizes);
    reference_copy(l->out, "mass", m->nbody, m->body_mass);
    reference_copy(l->out, "inertia", 3 * m->nbody, m->body_inertia);
    reference_copy(l->out, "ipos", 3 * m->nbody, m->body_ipos);
    reference_copy(l->out, "iquat", 4 * m->nbody, m->body_iquat);
    double* parent = reference_add(l->out, "parent", m->nbody);
    double* hasmesh = reference_add(l->out, "hasmesh", m->nbody);
    double* sameframe = reference_add(l->out, "sameframe", m->nbody);
    for (int b = 0; b < m->nbody; ++b) {
        parent[b] = m->body_parentid[b];
        sameframe[b] = m->body_sameframe[b];
    }
    for (int g = 0; g < m->ngeom; ++g)
        if (m->geom_type[g] == mjGEOM_MESH) hasmesh[m->geom_bodyid[g]] = 1.0;
}

// count, then (place, number) of what is not 0 in the lower triangle; how many numbers that is
static inline int library_pack_mass(mujocoLibrary* l, double* dense, double* out) {
    int nv = l->m->nv, count = 0;
#if mjVERSION_HEADER > 1000
    mj_fullM(l->m, l->d, dense);
#else
    mj_fullM(l->m, dense, l->d->qM);
#endif
    for (int i = 0; i < nv; ++i)
        for (int j = 0; j <= i; ++j) {
            if (dense[i * nv + j] == 0.0) continue;
            out[1 + 2 * count] = i * nv + j;
            out[2 + 2 * count++] = dense[i * nv + j];
        }
    out[0] = count;
    return 1 + 2 * count;
}

static inline void library_add_states(mujocoLibrary* l, int count) {
    const mjModel* m = l->m;
    mjData* d = l->d;
    const struct {
        const char* name;
        int width;
        const double* from;
    } fields[] = {{"qpos", m->nq, d->qpos},
                  {"qvel", m->nv, d->qvel},
                  {"act", m->na, d->act},
                  {"ctrl", m->nu, d->ctrl},
                  {"xpos", 3 * m->nbody, d->xpos},
                  {"xquat", 4 * m->nbody, d->xquat},
                  {"qfrc_bias", m->nv, d->qfrc_bias},
                  {"qfrc_passive", m->nv, d->qfrc_passive},
                  {"qfrc_actuator", m->nv, d->qfrc_actuator},
                  {"qacc", m->nv, d->qacc}};
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    double *to[FIELDS], *dense = malloc(sizeof *dense * ((size_t)m->nv * (size_t)m->nv + 1));
    for (int f = 0; f < FIELDS; ++f)
        to[f] = reference_add(l->out, fields[f].name, count * fields[f].width);
    double *M = reference_add(l->out, "M", count * (1 + 2 * m->nM)), *at = M;
    for (int i = 0; i < count; ++i) {
        mj_resetData(m, d);
        library_draw(l);
        mj_forward(m, d);
        for (int f = 0; f < FIELDS; ++f) {
            size_t bytes = sizeof(double) * (size_t)fields[f].width;
            memcpy(to[f] + i * fields[f].width, fields[f].from, bytes);
        }
        if (m->nv) at += library_pack_mass(l, dense, at);
    }
    free(dense);
}

//---------------------------------- runs -----------------------------------------

// |a - b|/|a|
static inline double library_difference(int n, const double* a, const double* b) {
    double difference = 0.0, norm = 0.0;
    for (int i = 0; i < n; ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += a[i] * a[i];
    }
    return norm > 0.0 ? sqrt(difference / norm) : sqrt(difference);
}

typedef struct libraryRun {
    double *qpos, *qvel, *act, *ctrl, *ulp;
    int steps;
} libraryRun;

// MuJoCo takes what is beyond 1e10 for diverged, and starts again from 0 in the next step
static inline int library_diverged(const double* qvel, int nv) {
    for (int i = 0; i < nv; ++i)
        if (!(fabs(qvel[i]) <= 1e10)) return 1;
    return 0;
}

// on from the state in d; `again` compares with what was recorded instead of recording
static inline int library_run(mujocoLibrary* l, const libraryRun* run, int again) {
    const mjModel* m = l->m;
    mjData* d = l->d;
    for (int i = 0; i <= run->steps; ++i) {
        double *q = run->qpos + i * m->nq, *v = run->qvel + i * m->nv;
        if (again) {
            run->ulp[i] =
                fmax(library_difference(m->nq, d->qpos, q), library_difference(m->nv, d->qvel, v));
        } else {
            memcpy(q, d->qpos, sizeof *q * (size_t)m->nq);
            memcpy(v, d->qvel, sizeof *v * (size_t)m->nv);
            if (m->na) memcpy(run->act + i * m->na, d->act, sizeof *v * (size_t)m->na);
        }
        if (i == run->steps) return i;
        if (m->nu) memcpy(d->ctrl, run->ctrl + i * m->nu, sizeof *v * (size_t)m->nu);
        double time = d->time;
        mj_step(m, d);
        if (!(d->time > time) || library_diverged(d->qvel, m->nv)) return i;
    }
    return run->steps;
}

static inline double* library_run_array(mujocoLibrary* l, const char* name, const char* field,
                                        int count) {
    char full[40];
    snprintf(full, sizeof full, "%s/%s", name, field);
    return reference_add(l->out, full, count);
}

// under small random controls, from where the model is drawn
static inline void library_add_run(mujocoLibrary* l, const char* name, int steps) {
    const mjModel* m = l->m;
    mjData* d = l->d;
    libraryRun run = {.steps = steps};
    run.qpos = library_run_array(l, name, "qpos", (steps + 1) * m->nq);
    run.qvel = library_run_array(l, name, "qvel", (steps + 1) * m->nv);
    run.act = library_run_array(l, name, "act", (steps + 1) * m->na);
    run.ctrl = library_run_array(l, name, "ctrl", steps * m->nu);
    run.ulp = library_run_array(l, name, "ulp", steps + 1);
    for (int i = 0; i < steps && m->nu; ++i) {
        library_draw_controls(l, 0.3);
        memcpy(run.ctrl + i * m->nu, d->ctrl, sizeof(double) * (size_t)m->nu);
    }
    mj_resetData(m, d);
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = 0.3 * library_normal(&l->random);
    run.steps = library_run(l, &run, 0);
    mj_resetData(m, d);
    for (int i = 0; i < m->nv; ++i) d->qvel[i] = nextafter(run.qvel[i], INFINITY);
    for (int j = 0; j < m->njnt; ++j) {
        double* q = d->qpos + m->jnt_qposadr[j];
        if (m->jnt_type[j] >= mjJNT_SLIDE) *q = nextafter(*q, INFINITY);
    }
    library_run(l, &run, 1);
    l->out->arrays[l->out->count - 1].count = run.steps + 1; // of ulp: how far the run went
}

//---------------------------------- derivatives ----------------------------------

enum { LIBRARY_LEVELS = 5, LIBRARY_MAX_NV = 300 };

// the state of a step with one number of it or of its controls moved; quaternions are turned
static inline void library_step_from(mujocoLibrary* l, const libraryRun* x, int column, double by) {
    const mjModel* m = l->m;
    mjData* d = l->d;
    int nv = (int)m->nv, nx = 2 * nv + (int)m->na;
    mj_resetData(m, d);
    memcpy(d->qpos, x->qpos, sizeof(double) * (size_t)m->nq);
    memcpy(d->qvel, x->qvel, sizeof(double) * (size_t)m->nv);
    if (m->na) memcpy(d->act, x->act, sizeof(double) * (size_t)m->na);
    if (m->nu) memcpy(d->ctrl, x->ctrl, sizeof(double) * (size_t)m->nu);
    if (column < nv) {
        double* unit = calloc((size_t)nv, sizeof *unit);
        unit[column] = 1.0;
        mj_integratePos(m, d->qpos, unit, by);
        free(unit);
    } else if (column < 2 * nv) {
        d->qvel[column - nv] += by;
    } else if (column < nx) {
        d->act[column - 2 * nv] += by;
    } else {
        d->ctrl[column - nx] += by;
    }
    mj_step(m, d);
}

// (f(x + h) - f(x - h))/2h of the tangent of the next state
static inline void library_difference_quotient(mujocoLibrary* l, const libraryRun* x, int column,
                                               double h, double* out) {
    const mjModel* m = l->m;
    mjData* d = l->d;
    int nq = (int)m->nq, nv = (int)m->nv, na = (int)m->na;
    double* minus = malloc(sizeof *minus * (size_t)(nq + nv + na + 1));
    library_step_from(l, x, column, -h);
    memcpy(minus, d->qpos, sizeof *minus * (size_t)nq);
    memcpy(minus + nq, d->qvel, sizeof *minus * (size_t)nv);
    if (na) memcpy(minus + nq + nv, d->act, sizeof *minus * (size_t)na);
    library_step_from(l, x, column, h);
    mj_differentiatePos(m, out, 2.0 * h, minus, d->qpos);
    for (int i = 0; i < nv; ++i) out[nv + i] = (d->qvel[i] - minus[nq + i]) / (2.0 * h);
    for (int i = 0; i < na; ++i) out[2 * nv + i] = (d->act[i] - minus[nq + nv + i]) / (2.0 * h);
    free(minus);
}

// largest number of the state
static inline double library_state_size(const mujocoLibrary* l) {
    double size = 0.0;
    for (int i = 0; i < l->m->nq; ++i) size = fmax(size, fabs(l->d->qpos[i]));
    for (int i = 0; i < l->m->nv; ++i) size = fmax(size, fabs(l->d->qvel[i]));
    for (int i = 0; i < l->m->na; ++i) size = fmax(size, fabs(l->d->act[i]));
    return size;
}

// Column of A or B: (16 D(h/4) - D(h))/15 of centred differences D, with the h at which two of them
// agree best. Returns what they can show: how far these two are apart, and their rounding.
static inline double library_column(mujocoLibrary* l, const libraryRun* x, int column,
                                    double* best) {
    int nx = 2 * (int)l->m->nv + (int)l->m->na;
    double *D = malloc(sizeof *D * (size_t)(3 * nx)), *last = D + nx, *now = D + 2 * nx;
    double h = 1e-3, least = INFINITY;
    library_difference_quotient(l, x, column, h, D);
    for (int level = 1; level < LIBRARY_LEVELS; ++level) {
        double apart = 0.0;
        library_difference_quotient(l, x, column, h /= 4.0, now);
        for (int i = 0; i < nx; ++i) {
            double finer = now[i], value = (16.0 * finer - D[i]) / 15.0;
            D[i] = finer;
            now[i] = value;
            apart += (value - last[i]) * (value - last[i]);
        }
        apart = sqrt(apart) + 4.0 * DBL_EPSILON * library_state_size(l) / h;
        if (level > 1 && apart < least) {
            least = apart;
            memcpy(best, now, sizeof *best * (size_t)nx);
        }
        memcpy(last, now, sizeof *last * (size_t)nx);
    }
    free(D);
    return least;
}

// columns of (A B) at random states, one behind the other, and how well they are known
static inline void library_add_jacobians(mujocoLibrary* l, const char* name, int count) {
    const mjModel* m = l->m;
    int nx = 2 * (int)m->nv + (int)m->na, columns = nx + (int)m->nu;
    double* out = library_run_array(l, name, "columns", count * columns * nx);
    double* known = library_run_array(l, name, "known", count * columns);
    for (int i = 0; i < count; ++i) {
        const libraryRun x = {
            .qpos = (double*)reference_find(l->out, "qpos", NULL) + i * m->nq,
            .qvel = (double*)reference_find(l->out, "qvel", NULL) + i * m->nv,
            .act = (double*)reference_find(l->out, "act", NULL) + i * m->na,
            .ctrl = (double*)reference_find(l->out, "ctrl", NULL) + i * m->nu,
        };
        for (int c = 0; c < columns; ++c)
            known[i * columns + c] =
                library_column(l, &x, c, out + (size_t)(i * columns + c) * (size_t)nx);
    }
}

//---------------------------------- model ----------------------------------------

static inline void library_add_integrator(mujocoLibrary* l, const libraryJob* job, const char* name,
                                          int integrator) {
    l->m->opt.integrator = integrator;
    library_add_run(l, name, job->steps);
    if (job->jacobians && l->m->nv <= LIBRARY_MAX_NV)
        library_add_jacobians(l, name, job->jacobians);
}

static inline void library_read(mujocoReference* r, const libraryJob* job) {
    char error[1000] = "";
    mujocoLibrary l = {.random = {(unsigned long long)job->seed}, .out = r};
    reference_clear(r);
    snprintf(r->path, sizeof r->path, "%s", job->path);
    l.m = mj_loadXML(job->file, NULL, error, (int)sizeof error);
    if (!l.m) {
        error[strcspn(error, "\n")] = '\0';
        snprintf(r->failure, sizeof r->failure, "%.500s", error);
        return;
    }
    l.d = mj_makeData(l.m);
    l.m->opt.disableflags |= mjDSBL_CONSTRAINT;
    library_add_model(&l);
    library_add_states(&l, job->states);
    library_add_integrator(&l, job, "Euler", mjINT_EULER);
    library_add_integrator(&l, job, "RK4", mjINT_RK4);
#if mjVERSION_HEADER > 1000
    library_add_integrator(&l, job, "implicitfast", mjINT_IMPLICITFAST);
#endif
    mj_deleteData(l.d);
    mj_deleteModel(l.m);
}

#endif
