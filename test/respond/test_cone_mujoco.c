// The convex problem against MuJoCo: the same rows, the same accelerations and forces.

#define _GNU_SOURCE
#include "model_files.h"
#include "test.h"

#include "tactus/cone.h"

#ifndef TAC_HAVE_MUJOCO

static int accelerations_and_forces_are_those_of_mujoco(void) {
    SKIP("MuJoCo 4.0.1 is absent; tools/setup mujoco gets it");
}

#else

#include <mujoco/mujoco.h>

//---------------------------------- rows of MuJoCo -------------------------------

typedef struct coneCase {
    tacCone cone;
    int *M_start, *M_column, *column;
    tacConeBlock* block;
    double *M, *J, *aref, *D, *mu;
} coneCase;

static void* grow(size_t count, size_t size) { return calloc(count + 1, size); }

static void free_case(coneCase* c) {
    free(c->M_start);
    free(c->M_column);
    free(c->column);
    free(c->block);
    free(c->M);
    free(c->J);
    free(c->aref);
    free(c->D);
    free(c->mu);
}

// lower triangle of M, by columns of mj_mulM
static void take_mass(const mjModel* m, mjData* d, coneCase* c) {
    int nv = m->nv, k = 0;
    double *unit = grow((size_t)nv, sizeof *unit), *row = grow((size_t)nv, sizeof *row);
    for (int i = 0; i < nv; ++i) {
        unit[i] = 1.0;
        mj_mulM(m, d, row, unit);
        unit[i] = 0.0;
        for (int j = 0; j <= i; ++j) {
            if (row[j] == 0.0 && j < i) continue;
            c->M_column[k] = j;
            c->M[k++] = row[j];
        }
        c->M_start[i + 1] = k;
    }
    free(unit);
    free(row);
}

static int rows_of_block(const mjData* d, int row, tacConeKind* kind) {
    int type = d->efc_type[row];
    *kind = type == mjCNSTR_EQUALITY           ? TAC_CONE_EQUALITY
            : type == mjCNSTR_FRICTION_DOF     ? TAC_CONE_FRICTION
            : type == mjCNSTR_FRICTION_TENDON  ? TAC_CONE_FRICTION
            : type == mjCNSTR_CONTACT_ELLIPTIC ? TAC_CONE_ELLIPTIC
                                               : TAC_CONE_LIMIT;
    return *kind == TAC_CONE_ELLIPTIC ? d->contact[d->efc_id[row]].dim : 1;
}

static void take_block(const mjModel* m, const mjData* d, const double* J, int row, coneCase* c) {
    int nv = m->nv, b = c->cone.blocks++;
    tacConeBlock* block = &c->block[b];
    const tacConeBlock* last = b ? block - 1 : NULL;
    block->row = row;
    block->rows = rows_of_block(d, row, &block->kind);
    block->column = last ? last->column + last->columns : 0;
    block->entry = last ? last->entry + last->rows * last->columns : 0;
    for (int i = 0; i < nv; ++i) {
        int used = 0;
        for (int r = 0; r < block->rows; ++r) used |= J[(row + r) * nv + i] != 0.0;
        if (used) c->column[block->column + block->columns++] = i;
    }
    for (int r = 0; r < block->rows; ++r) {
        for (int k = 0; k < block->columns; ++k)
            c->J[block->entry + r * block->columns + k] =
                J[(row + r) * nv + c->column[block->column + k]];
        c->aref[row + r] = d->efc_aref[row + r];
        c->D[row + r] = d->efc_D[row + r];
        c->mu[row + r] = d->efc_frictionloss[row + r];
    }
    if (block->kind != TAC_CONE_ELLIPTIC) return;
    const mjContact* contact = &d->contact[d->efc_id[row]];
    c->mu[row] = contact->mu;
    for (int r = 1; r < block->rows; ++r) c->mu[row + r] = contact->friction[r - 1];
}

static coneCase take_case(const mjModel* m, mjData* d) {
    size_t nv = (size_t)m->nv, rows = (size_t)d->nefc;
    coneCase c = {.M_start = grow(nv + 1, sizeof(int)),
                  .M_column = grow(nv * (nv + 1) / 2, sizeof(int)),
                  .column = grow(rows * nv, sizeof(int)),
                  .block = grow(rows, sizeof(tacConeBlock)),
                  .M = grow(nv * (nv + 1) / 2, sizeof(double)),
                  .J = grow(rows * nv, sizeof(double)),
                  .aref = grow(rows, sizeof(double)),
                  .D = grow(rows, sizeof(double)),
                  .mu = grow(rows, sizeof(double))};
    take_mass(m, d, &c);
    double *J = grow(rows * nv, sizeof *J), *unit = grow(rows, sizeof *unit);
    for (int r = 0; r < d->nefc; ++r) {
        unit[r] = 1.0;
        mj_mulJacTVec(m, d, J + (size_t)r * nv, unit);
        unit[r] = 0.0;
    }
    for (int r = 0; r < d->nefc; r += c.block[c.cone.blocks - 1].rows) take_block(m, d, J, r, &c);
    free(J);
    free(unit);
    c.cone = (tacCone){.nv = m->nv,
                       .blocks = c.cone.blocks,
                       .rows = d->nefc,
                       .M_start = c.M_start,
                       .M_column = c.M_column,
                       .block = c.block,
                       .column = c.column,
                       .M = c.M,
                       .a0 = d->qacc_smooth,
                       .J = c.J,
                       .aref = c.aref,
                       .D = c.D,
                       .mu = c.mu};
    return c;
}

//---------------------------------- comparison -----------------------------------

typedef struct mujocoTally {
    int states, rows, iterations;
    double acceleration, force;
} mujocoTally;

static double largest(int n, const double* a, const double* b) {
    double size = 0.0;
    for (int i = 0; i < n; ++i) size = fmax(size, fabs(a[i] - (b ? b[i] : 0.0)));
    return size;
}

static int compare_state(const mjModel* m, mjData* d, mujocoTally* tally) {
    coneCase c = take_case(m, d);
    tacConeReport report;
    double* a = grow((size_t)m->nv, sizeof *a);
    double* f = grow((size_t)d->nefc, sizeof *f);
    void* memory = malloc(tac_cone_size(&c.cone));
    tacResult result = tac_cone_solve(&c.cone, 0, a, &report, memory);
    if (result == TAC_OK) result = tac_cone_force(&c.cone, a, f);
    // at rest accelerations cancel: what they are made of is a0 and aref
    double made_of =
        fmax(largest((int)m->nv, d->qacc_smooth, NULL), largest(d->nefc, d->efc_aref, NULL));
    double acceleration = largest((int)m->nv, a, d->qacc) / made_of;
    double force = largest(d->nefc, f, d->efc_force) / fmax(largest(d->nefc, f, NULL), 1e-12);
    free(memory);
    free(a);
    free(f);
    free_case(&c);
    if (result != TAC_OK)
        printf("  %d dofs, %d rows: %s, residual %g of %g\n", (int)m->nv, d->nefc,
               tac_result_name(result), report.residual, report.scale);
    ENSURE(result == TAC_OK);
    tally->acceleration = fmax(tally->acceleration, acceleration);
    tally->force = fmax(tally->force, force);
    tally->rows = d->nefc > tally->rows ? d->nefc : tally->rows;
    tally->iterations =
        report.iterations > tally->iterations ? report.iterations : tally->iterations;
    ++tally->states;
    return 0;
}

// a fall of half a second, compared now and then, with the solver run until nothing changes
static int compare_model(const char* path, int cone, mujocoTally* tally) {
    char error[1000] = "";
    mjModel* m = mj_loadXML(path, NULL, error, (int)sizeof error);
    if (!m) return 0;
    mjData* d = mj_makeData(m);
    m->opt.cone = cone ? mjCONE_ELLIPTIC : mjCONE_PYRAMIDAL;
    m->opt.solver = mjSOL_NEWTON;
    m->opt.iterations = 200;
    m->opt.ls_iterations = 200;
    m->opt.tolerance = 0.0;
    m->opt.integrator = mjINT_EULER;
    int result = 0, limit = m->nv > 200 ? 2 : 6;
    for (int i = 0; i < limit && !result; ++i) {
        for (int k = 0; k < (m->nv > 200 ? 5 : 50); ++k) mj_step(m, d);
        mj_forward(m, d);
        if (m->nv && d->nefc && d->nefc < 3000 && !d->warning[mjWARN_BADQACC].number)
            result = compare_state(m, d, tally);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return result;
}

static void stay_quiet(const char* text) { (void)text; }

static int accelerations_and_forces_are_those_of_mujoco(void) {
    const modelFiles* files = list_model_files();
    mju_user_warning = stay_quiet;
    printf("  MuJoCo %s\n", mj_versionString());
    for (int cone = 0; cone < 2; ++cone) {
        mujocoTally all = {0};
        for (int i = 0; i < files->count; ++i) {
            mujocoTally tally = {0};
            if (compare_model(files->path[i], cone, &tally)) {
                printf("  in %s\n", files->path[i]);
                return 1;
            }
            if (tally.acceleration > 1e-6 || tally.force > 1e-6)
                printf("  %s: qacc %.2g, force %.2g\n", files->path[i], tally.acceleration,
                       tally.force);
            all.states += tally.states;
            all.rows = tally.rows > all.rows ? tally.rows : all.rows;
            all.iterations = tally.iterations > all.iterations ? tally.iterations : all.iterations;
            all.acceleration = fmax(all.acceleration, tally.acceleration);
            all.force = fmax(all.force, tally.force);
        }
        printf("  %s: %d states of up to %d rows, qacc %.2g, force %.2g, iterations <= %d\n",
               cone ? "elliptic" : "pyramidal", all.states, all.rows, all.acceleration, all.force,
               all.iterations);
        if (!all.states) SKIP("no model of TACTUS_DATA was read");
        ENSURE(all.acceleration <= 1e-6 && all.force <= 1e-6);
    }
    return 0;
}

#endif

TEST_MAIN(RUN(accelerations_and_forces_are_those_of_mujoco))
