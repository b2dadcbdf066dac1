// Rows of the convex problem: MuJoCo's numbers, smoothness, derivatives.

#define _GNU_SOURCE
#include "respond/adapter_cone_row.h"

#include "check/prove.h"
#include "model_files.h"
#include "respond/cone/cone_row.h"

#ifdef TAC_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

//---------------------------------- MuJoCo ---------------------------------------

#ifndef TAC_HAVE_MUJOCO

static int rows_are_those_of_mujoco(void) {
    SKIP("MuJoCo 4.0.1 is absent; tools/setup mujoco gets it");
}

#else

// solref and solimp of a row of MuJoCo
static void find_settings(const mjModel* m, const mjData* d, int row, const mjtNum** ref,
                          const mjtNum** imp) {
    int id = d->efc_id[row];
    switch (d->efc_type[row]) {
    case mjCNSTR_EQUALITY:
        *ref = m->eq_solref + mjNREF * id;
        *imp = m->eq_solimp + mjNIMP * id;
        break;
    case mjCNSTR_FRICTION_DOF:
        *ref = m->dof_solref + mjNREF * id;
        *imp = m->dof_solimp + mjNIMP * id;
        break;
    case mjCNSTR_FRICTION_TENDON:
        *ref = m->tendon_solref_fri + mjNREF * id;
        *imp = m->tendon_solimp_fri + mjNIMP * id;
        break;
    case mjCNSTR_LIMIT_JOINT:
        *ref = m->jnt_solref + mjNREF * id;
        *imp = m->jnt_solimp + mjNIMP * id;
        break;
    case mjCNSTR_LIMIT_TENDON:
        *ref = m->tendon_solref_lim + mjNREF * id;
        *imp = m->tendon_solimp_lim + mjNIMP * id;
        break;
    default:
        *ref = d->contact[id].solref;
        *imp = d->contact[id].solimp;
    }
}

// Rows whose distance is their own, of one block: joint and tendon equalities, friction loss,
// limits, frictionless contacts, normals of elliptic ones. MuJoCo's diagonal is in its R.
static int is_single_row(const mjModel* m, const mjData* d, int row) {
    int type = d->efc_type[row], id = d->efc_id[row];
    if (type == mjCNSTR_EQUALITY)
        return m->eq_type[id] == mjEQ_JOINT || m->eq_type[id] == mjEQ_TENDON;
    if (type == mjCNSTR_CONTACT_PYRAMIDAL) return 0;
    return type != mjCNSTR_CONTACT_ELLIPTIC || d->contact[id].efc_address == row;
}

static double relative(double a, double b) { return fabs(a - b) / fmax(fabs(b), 1e-12); }

static void compare_row(const mjModel* m, const mjData* d, int row, double worst[2]) {
    const mjtNum *ref = NULL, *imp = NULL;
    int type = d->efc_type[row];
    coneRow kind = {.refsafe = 1};
    kind.friction = type == mjCNSTR_FRICTION_DOF || type == mjCNSTR_FRICTION_TENDON;
    kind.one_sided = !kind.friction && type != mjCNSTR_EQUALITY;
    find_settings(m, d, row, &ref, &imp);
    double r = d->efc_pos[row] - d->efc_margin[row], y[CONE_ROW_RESULTS];
    double x[CONE_ROW_NUMBERS] = {[CONE_ROW_DISTANCE] = r,
                                  [CONE_ROW_POSITION] = r,
                                  [CONE_ROW_VELOCITY] = d->efc_vel[row],
                                  [CONE_ROW_DIAGONAL] = d->efc_diagA[row],
                                  [CONE_ROW_ACTIVITY] = 1.0,
                                  [CONE_ROW_TIMESTEP] = m->opt.timestep};
    for (int i = 0; i < 2; ++i) x[CONE_ROW_SOLREF + i] = ref[i];
    for (int i = 0; i < 5; ++i) x[CONE_ROW_SOLIMP + i] = imp[i];
    tac_cone_row(&kind, x, y);
    // aref is a sum of two terms that may cancel
    const mjtNum* k = d->efc_KBIP + 4 * row;
    double terms = fabs(k[0] * k[2] * r) + fabs(k[1] * d->efc_vel[row]);
    worst[0] = fmax(worst[0], fabs(y[CONE_ROW_AREF] - d->efc_aref[row]) / fmax(terms, 1e-12));
    worst[1] = fmax(worst[1], relative(y[CONE_ROW_D], d->efc_D[row]));
}

static int compare_model(const char* path, double worst[2]) {
    char error[1000] = "";
    int rows = 0;
    mjModel* m = mj_loadXML(path, NULL, error, (int)sizeof error);
    if (!m) return 0;
    mjData* d = mj_makeData(m);
    m->opt.cone = mjCONE_ELLIPTIC;
    for (int i = 0; i < 4; ++i) {
        for (int k = 0; k < (m->nv > 200 ? 5 : 50); ++k) mj_step(m, d);
        mj_forward(m, d);
        for (int row = 0; row < d->nefc; ++row) {
            if (!is_single_row(m, d, row)) continue;
            compare_row(m, d, row, worst);
            ++rows;
        }
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    return rows;
}

static void stay_quiet(const char* text) { (void)text; }

static int rows_are_those_of_mujoco(void) {
    const modelFiles* files = list_model_files();
    double worst[2] = {0.0, 0.0};
    int rows = 0;
    mju_user_warning = stay_quiet;
    for (int i = 0; i < files->count; ++i) rows += compare_model(files->path[i], worst);
    printf("  MuJoCo %s, %d rows: aref %.2g, D %.2g\n", mj_versionString(), rows, worst[0],
           worst[1]);
    if (!rows) SKIP("no model of TACTUS_DATA was read");
    ENSURE(worst[0] <= 1e-12 && worst[1] <= 1e-12);
    return 0;
}

#endif

//---------------------------------- derivatives ----------------------------------

static double uniform(unsigned long long* random, double lower, double upper) {
    *random = *random * 6364136223846793005ull + 1442695040888963407ull;
    return lower + (upper - lower) * (double)(*random >> 11) / 9007199254740992.0;
}

// outside, in the onset, within the width and beyond it; both kinds of solref
static int sample(const void* row, int i, unsigned long long* random, double* x, double* scale) {
    (void)row;
    double width = uniform(random, 0.5e-3, 2e-3);
    double r = uniform(random, -1.6, 0.9) * width;
    const double value[CONE_ROW_NUMBERS] = {r,
                                            uniform(random, -2e-3, 1e-3),
                                            uniform(random, -1.0, 1.0),
                                            uniform(random, 0.1, 3.0),
                                            uniform(random, 0.1, 1.0),
                                            uniform(random, 1e-3, 5e-3),
                                            uniform(random, 1e-5, 1e-4),
                                            uniform(random, 0.05, 0.2),
                                            2e-3,
                                            i % 2 ? uniform(random, 0.015, 0.03) : -200.0,
                                            i % 2 ? uniform(random, 0.5, 1.5) : -20.0,
                                            uniform(random, 0.5, 0.9),
                                            uniform(random, 0.91, 0.99),
                                            width,
                                            uniform(random, 0.3, 0.7),
                                            uniform(random, 1.5, 4.0)};
    for (int k = 0; k < CONE_ROW_NUMBERS; ++k) {
        x[k] = value[k];
        scale[k] = 1e-2 * fabs(value[k]) + 1e-6;
    }
    return CONE_ROW_RESULTS;
}

static int derivatives_are_exact(void) {
    static const coneRow kinds[] = {{1, 0, 1}, {1, 0, 0}, {0, 0, 1}, {0, 1, 1}};
    for (int k = 0; k < 4; ++k) {
        tacCheckProblem problem = {.name = "cone row",
                                   .n = CONE_ROW_NUMBERS,
                                   .m = CONE_ROW_RESULTS,
                                   .context = &kinds[k],
                                   .as_double = &tac_check_cone_row_double,
                                   .as_complex = &tac_check_cone_row_complex,
                                   .as_quad = &tac_check_cone_row_quad,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = 40;
        options.seed += (unsigned long long)k;
        ENSURE_LAW(prove(&problem, options));
    }
    return prove_summary();
}

//---------------------------------- laws -----------------------------------------

static void set_default_row(double r, double* x) {
    const double value[CONE_ROW_NUMBERS] = {r,    r,    -0.1, 1.0, 1.0,  2e-3, 3e-5, 0.1,
                                            1e-3, 0.02, 1.0,  0.9, 0.95, 1e-3, 0.5,  2.0};
    memcpy(x, value, sizeof value);
}

// D ends at the onset, is linear in the activity, and beyond the width it is that without blur
static int force_ends_smoothly(void) {
    const coneRow row = {1, 0, 1};
    double x[CONE_ROW_NUMBERS], y[CONE_ROW_RESULTS], half[CONE_ROW_RESULTS];
    set_default_row(1e-3, x);
    tac_cone_row(&row, x, y);
    ENSURE(y[CONE_ROW_D] == 0.0);
    set_default_row(1e-3 * (1.0 - 1e-3), x);
    tac_cone_row(&row, x, y);
    ENSURE(y[CONE_ROW_D] > 0.0 && y[CONE_ROW_D] < 1e-6);
    set_default_row(-2e-3, x);
    tac_cone_row(&row, x, y);
    ENSURE(fabs(y[CONE_ROW_D] - 0.95 / 0.05) < 1e-12);
    x[CONE_ROW_ACTIVITY] = 0.5;
    tac_cone_row(&row, x, half);
    ENSURE(fabs(half[CONE_ROW_D] - 0.5 * y[CONE_ROW_D]) < 1e-12);
    ENSURE(half[CONE_ROW_AREF] == y[CONE_ROW_AREF]);
    return 0;
}

// out of range: clamped as MuJoCo does; signs of solref mixed: its default
static int bad_settings_are_clamped(void) {
    const coneRow row = {1, 0, 1};
    double x[CONE_ROW_NUMBERS], y[CONE_ROW_RESULTS], z[CONE_ROW_RESULTS];
    set_default_row(-2e-3, x);
    tac_cone_row(&row, x, y);
    x[CONE_ROW_SOLREF] = -0.02;
    tac_cone_row(&row, x, z);
    ENSURE(z[CONE_ROW_AREF] == y[CONE_ROW_AREF]);
    set_default_row(-2e-3, x);
    x[CONE_ROW_SOLIMP + 1] = 7.0;
    tac_cone_row(&row, x, z);
    ENSURE(fabs(z[CONE_ROW_D] - 0.9999 / 0.0001) < 1e-6);
    return 0;
}

TEST_MAIN(RUN(rows_are_those_of_mujoco), RUN(derivatives_are_exact), RUN(force_ends_smoothly),
          RUN(bad_settings_are_clamped))
