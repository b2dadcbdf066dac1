// A and B of every model are the derivatives of MuJoCo's step, and P that of our own: against
// centred differences, extrapolated, with the step at which they agree best with themselves.
//
// MuJoCo 4.0.1 without constraints: its limits, dry friction, equalities and contacts are one soft
// convex problem, a law that no responder of ours has. The models are read without contact, so that
// limits and dry friction have no effect either. What is compared is all the rest: inertia, bias,
// springs, dampers, tendons, actuators, activations, fluids, three integrators.

#define _GNU_SOURCE
#include "dynamics/mujoco_program.h"

#include <float.h>

#define SEED 4711

enum { INTEGRATORS = 3, MAX_PARAMS = 24, MAX_NV = 300 };

static const struct {
    const char* name;
    tacIntegrator word;
} integrators[INTEGRATORS] = {{"Euler", TAC_INTEGRATOR_EULER},
                              {"RK4", TAC_INTEGRATOR_LIE},
                              {"implicitfast", TAC_INTEGRATOR_IMPLICITFAST}};

static int states_wanted(void) { return getenv("TACTUS_NO_SWEEP") ? 1 : 3; }

static const double bound = 1e-7;

//---------------------------------- one column -----------------------------------

// Columns are compared in what a step adds to the state: relative to the column without its 1.
// Differences show a column to three times the distance of the two best, and to the rounding of the
// numbers that they are differences of. That much is not held against ours; columns that are shown
// to less than the bound are counted.
typedef struct columnTally {
    double error, worst;  // largest difference of columns that are shown, and beyond what is shown
    int columns, blurred; // compared, and those that are not shown to the bound
} columnTally;

typedef struct columnPair {
    const double *mine, *theirs;
    int one;      // its row of the unit matrix, or -1
    double known; // distance of two differences, and their rounding
} columnPair;

static void add_column(columnTally* t, int n, columnPair c) {
    double error = 0.0, size = 0.0, shown = 3.0 * c.known;
    for (int i = 0; i < n; ++i) {
        double part = c.theirs[i] - (i == c.one);
        error += (c.mine[i] - c.theirs[i]) * (c.mine[i] - c.theirs[i]);
        size += part * part;
    }
    size = fmax(sqrt(size), 1e-300);
    double excess = fmax(sqrt(error) - shown, 0.0) / size;
    t->columns += 1;
    t->worst = isnan(error) ? INFINITY : fmax(t->worst, excess);
    if (shown / size <= bound)
        t->error = fmax(t->error, sqrt(error) / size);
    else
        t->blurred += 1;
}

// largest number of a state
static double state_size(const tacModel* m, const tacState* x) {
    double size = 0.0;
    for (int i = 0; i < m->nq; ++i) size = fmax(size, fabs(x->qpos[i]));
    for (int i = 0; i < m->nv; ++i) size = fmax(size, fabs(x->qvel[i]));
    for (int i = 0; i < m->na; ++i) size = fmax(size, fabs(x->act[i]));
    return size;
}

//---------------------------------- A and B --------------------------------------

typedef struct rig {
    const mujocoReference* r;
    tacModel* model;
    tacScratch* scratch;
    tacState x, next;
    double* ctrl;
    double *A, *B, *column, *work; // (nx x nx), (nx x nu), (nx), (4 nx)
    int nx;
} rig;

static void set_state(rig* g, int i) {
    const tacModel* m = g->model;
    g->x.qpos = (double*)reference_find(g->r, "qpos", NULL) + i * m->nq;
    g->x.qvel = (double*)reference_find(g->r, "qvel", NULL) + i * m->nv;
    g->x.act = (double*)reference_find(g->r, "act", NULL) + i * m->na;
    g->ctrl = (double*)reference_find(g->r, "ctrl", NULL) + i * m->nu;
}

static void compare_with_mujoco(rig* g, int i, const char* name, columnTally* t) {
    char full[40];
    int nu = g->model->nu, nx = g->nx, columns = nx + nu;
    snprintf(full, sizeof full, "%s/columns", name);
    const double* theirs = reference_find(g->r, full, NULL) + (size_t)(i * columns) * (size_t)nx;
    snprintf(full, sizeof full, "%s/known", name);
    const double* known = reference_find(g->r, full, NULL) + i * columns;
    const tacStepJacobian out = {.next = &g->next, .A = g->A, .B = g->B};
    tacResult result = tac_step_jacobian(g->model, &g->x, g->ctrl, &out, g->scratch);
    if (result != TAC_OK) t->worst = INFINITY;
    for (int c = 0; c < columns && result == TAC_OK; ++c) {
        for (int k = 0; k < nx; ++k)
            g->column[k] = c < nx ? g->A[k * nx + c] : g->B[k * nu + c - nx];
        add_column(
            t, nx,
            (columnPair){g->column, theirs + (size_t)c * (size_t)nx, c < nx ? c : -1, known[c]});
    }
}

//---------------------------------- P --------------------------------------------

static int is_of_motion(const char* name) {
    static const char* const kinds[] = {"option/", "body:", "joint:", "tendon:", "actuator:"};
    for (int i = 0; i < 5; ++i)
        if (strncmp(name, kinds[i], strlen(kinds[i])) == 0) return 1;
    return 0;
}

// (f(p + h) - f(p - h))/2h; 0 if a step fails
static int difference_quotient(rig* g, int p, double h, double* out) {
    tacModel* m = g->model;
    double kept = m->param[p], *qpos = g->work, *qvel = qpos + m->nq, *act = qvel + m->nv;
    tacState minus = {.qpos = qpos, .qvel = qvel, .act = act};
    m->param[p] = kept - h;
    int fine = tac_step(m, &g->x, g->ctrl, &minus, g->scratch) == TAC_OK;
    m->param[p] = kept + h;
    fine = fine && tac_step(m, &g->x, g->ctrl, &g->next, g->scratch) == TAC_OK;
    m->param[p] = kept;
    if (!fine) return 0;
    tac_differentiate_pos(m, qpos, g->next.qpos, 2.0 * h, out);
    for (int i = 0; i < m->nv; ++i) out[m->nv + i] = (g->next.qvel[i] - qvel[i]) / (2.0 * h);
    for (int i = 0; i < m->na; ++i) out[2 * m->nv + i] = (g->next.act[i] - act[i]) / (2.0 * h);
    return 1;
}

// the same extrapolation as for MuJoCo (mujoco_library.h), and how well it is known
static double differences(rig* g, int p, double* best) {
    int nx = g->nx;
    double *D = g->work + 2 * nx + g->model->nq, *last = D + nx, *now = D + 2 * nx;
    double h = 1e-3 * fmin(fmax(fabs(g->model->param[p]), 1e-3), 1.0), least = INFINITY;
    if (!difference_quotient(g, p, h, D)) return INFINITY;
    for (int level = 1; level < 6; ++level) {
        double apart = 0.0;
        if (!difference_quotient(g, p, h /= 4.0, now)) return INFINITY;
        for (int i = 0; i < nx; ++i) {
            double finer = now[i], value = (16.0 * finer - D[i]) / 15.0;
            D[i] = finer;
            now[i] = value;
            apart += (value - last[i]) * (value - last[i]);
        }
        apart = sqrt(apart) + 4.0 * DBL_EPSILON * state_size(g->model, &g->next) / h;
        if (level > 1 && apart < least) {
            least = apart;
            memcpy(best, now, sizeof *best * (size_t)nx);
        }
        memcpy(last, now, sizeof *last * (size_t)nx);
    }
    return least;
}

// a share of the parameters of motion, drawn at random
static void compare_parameters(rig* g, testRandom* random, columnTally* t) {
    const tacModel* m = g->model;
    double *P = malloc(sizeof *P * (size_t)(g->nx + 1)), *best = calloc((size_t)g->nx + 1, 8);
    for (int n = 0; n < MAX_PARAMS; ++n) {
        int p = (int)test_uniform(random, 0.0, m->nparam - 1e-9);
        if (!is_of_motion(m->paramname[m->paramgroup[p]].name)) continue;
        tacParam handle = {p, 1, -INFINITY, INFINITY};
        const tacStepJacobian out = {.next = &g->next, .theta = &handle, .ntheta = 1, .P = P};
        if (tac_step_jacobian(m, &g->x, g->ctrl, &out, g->scratch) != TAC_OK) {
            t->worst = INFINITY;
            break;
        }
        double known = differences(g, p, best);
        if (isfinite(known)) add_column(t, g->nx, (columnPair){P, best, -1, known});
    }
    free(P);
    free(best);
}

//---------------------------------- one model ------------------------------------

static void open_rig(rig* g) {
    const tacModel* m = g->model;
    size_t nx = (size_t)g->nx, nu = (size_t)m->nu, nq = (size_t)m->nq;
    g->A = malloc(sizeof(double) * (nx * nx + 1));
    g->B = malloc(sizeof(double) * (nx * nu + 1));
    g->column = malloc(sizeof(double) * (nx + 1));
    g->work = malloc(sizeof(double) * (6 * nx + nq + 1));
    g->next.qpos = malloc(sizeof(double) * (nq + 2 * nx + 1));
    g->next.qvel = g->next.qpos + nq;
    g->next.act = g->next.qvel + m->nv;
}

static void close_rig(rig* g) {
    free(g->A);
    free(g->B);
    free(g->column);
    free(g->work);
    free(g->next.qpos);
    tac_scratch_destroy(g->scratch);
    tac_model_destroy(g->model);
}

typedef struct tally {
    int models, wrong, columns, blurred, left_out;
} tally;

static void print_cell(const columnTally* t, tally* all) {
    if (t->columns == 0 && t->worst == 0.0) {
        printf(" %20s", "-");
        return;
    }
    printf(" %c%7.1e %5d %5d", t->worst <= bound ? ' ' : '!', fmax(t->error, t->worst), t->columns,
           t->blurred);
    all->columns += t->columns;
    all->blurred += t->blurred;
}

static int compare_rig(rig* g, tally* all) {
    columnTally cell[INTEGRATORS + 1] = {{0}};
    testRandom random = {SEED};
    int wrong = 0;
    for (int n = 0; n < INTEGRATORS; ++n) {
        if (integrators[n].word == TAC_INTEGRATOR_IMPLICITFAST && !fast_is_the_same(g->model))
            continue;
        g->model->integrator = integrators[n].word;
        if (tac_scratch_create(g->model, &g->scratch) != TAC_OK) return 1;
        for (int i = 0; i < states_wanted(); ++i) {
            set_state(g, i);
            compare_with_mujoco(g, i, integrators[n].name, &cell[n]);
            compare_parameters(g, &random, &cell[INTEGRATORS]);
        }
        tac_scratch_destroy(g->scratch);
        g->scratch = NULL;
    }
    printf("    %-56s %4d", model_file_name(g->r->path), g->model->nv);
    for (int n = 0; n <= INTEGRATORS; ++n) {
        print_cell(&cell[n], all);
        wrong |= !(cell[n].worst <= bound);
    }
    printf("\n");
    return wrong;
}

static void compare_model(const mujocoReference* r, tally* all) {
    rig g = {.r = r};
    tacMessage message = {0};
    tacOptions options = tac_default_options();
    options.contact = "none";
    int fine = !r->failure[0] && tac_load(r->path, &options, &g.model, &message) == TAC_OK;
    if (!fine || g.model->nv == 0 || g.model->nv > MAX_NV) {
        const char* reason = r->failure[0] ? r->failure : !fine ? message.text : "";
        if (*reason || g.model->nv > MAX_NV)
            printf("    %-56s left out: %.120s\n", model_file_name(r->path),
                   *reason ? reason : "nv is above 300");
        all->left_out += 1;
        tac_model_destroy(g.model);
        return;
    }
    g.nx = 2 * g.model->nv + g.model->na;
    open_rig(&g);
    all->models += 1;
    all->wrong += compare_rig(&g, all);
    close_rig(&g);
}

static int transitions_are_those_of_mujoco(void) {
    if (!*TAC_MUJOCO_NATIVE)
        SKIP("MuJoCo 4.0.1 is not in build/mujoco: run tools/setup mujoco (pip), then build again");
    char program[2000];
    mujocoReference r = {0};
    tally total = {0};
    allFiles* all = open_files();
    ENSURE(all);
    snprintf(program, sizeof program, "'%s' %d %d 0 %d", TAC_MUJOCO_NATIVE, SEED, states_wanted(),
             states_wanted());
    FILE* stream = open_program(all, program);
    ENSURE(stream);
    printf("    error, columns, columns that differences show to less than %g\n", bound);
    printf("    %-56s %4s %20s %20s %20s %20s\n", "model", "nv", "A B Euler", "A B RK4",
           "A B implicitfast", "P (own step)");
    while (reference_read(&r, stream)) compare_model(&r, &total);
    reference_clear(&r);
    int status = pclose(stream);
    remove_small_scenes(all->folder, all->small);
    printf("    %d models, %d of them differ, %d left out; %d columns, %d blurred\n", total.models,
           total.wrong, total.left_out, total.columns, total.blurred);
    ENSURE(status == 0);
    ENSURE(total.wrong == 0);
    ENSURE(total.models >= SMALL_SCENES + 5);
    return 0;
}

TEST_MAIN(RUN(transitions_are_those_of_mujoco))
