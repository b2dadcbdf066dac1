// Batches: each row has the bits of the same call for it alone, for any number of threads, with
// different scenes side by side; a row that fails leaves the others alone.

#include "test.h"

#include "tactus/tactus.h"

enum { ROWS = 13, STEPS = 7 };

static const char* const texts[3] = {
    "<mujoco><worldbody><body><joint name='j' axis='0 1 0'/><geom size='.1' pos='0 0 -.4'/></body>"
    "</worldbody><actuator><motor joint='j'/></actuator></mujoco>",
    "<mujoco><tactus detect='manifold'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body pos='0 0 .098'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody>"
    "</mujoco>",
    "<mujoco><worldbody><body><joint type='ball' damping='.1'/><geom size='.1' pos='.3 0 0'/>"
    "</body></worldbody></mujoco>"};

typedef struct batchCase {
    tacModel* scene[3];
    const tacModel* model[ROWS];
    tacBatch* batch;
    int nx, nu; // sums over rows
} batchCase;

// shapes that differ less than scenes do: rows of one scene in a row, and mixed
static int open_case(batchCase* c, int threads, int mixed) {
    for (int i = 0; i < 3; ++i)
        ENSURE(tac_load_text(texts[i], (int)strlen(texts[i]), NULL, NULL, &c->scene[i], NULL) ==
               TAC_OK);
    c->nx = c->nu = 0;
    for (int i = 0; i < ROWS; ++i) {
        c->model[i] = c->scene[mixed ? i * 7 % 3 : i / 5];
        c->nx += 2 * c->model[i]->nv;
        c->nu += c->model[i]->nu;
    }
    ENSURE(tac_batch_create(c->model, ROWS, threads, &c->batch) == TAC_OK);
    for (int i = 0; i < ROWS; ++i) {
        tacState* x = tac_batch_state(c->batch, i);
        for (int k = 0; k < c->model[i]->nv; ++k) x->qvel[k] = sin(1.0 + i + 3 * k);
    }
    return 0;
}

static void close_case(batchCase* c) {
    tac_batch_destroy(c->batch);
    for (int i = 0; i < 3; ++i) tac_model_destroy(c->scene[i]);
}

static void fill(double* x, int n, double seed) {
    for (int i = 0; i < n; ++i) x[i] = cos(seed + 1.7 * i);
}

// state, control and place of each row, one after the other
typedef struct rowCursor {
    tacState* x;
    tacScratch* scratch;
    int u, dx, A, B;
} rowCursor;

static int start_row(batchCase* c, int i, rowCursor* r) {
    ENSURE(tac_state_create(c->model[i], &r->x) == TAC_OK);
    ENSURE(tac_scratch_create(c->model[i], &r->scratch) == TAC_OK);
    return tac_state_copy(c->model[i], tac_batch_state(c->batch, i), r->x) != TAC_OK;
}

static void end_row(const tacModel* m, rowCursor* r) {
    int nx = 2 * m->nv;
    tac_state_destroy(r->x);
    tac_scratch_destroy(r->scratch);
    *r = (rowCursor){
        .u = r->u + m->nu, .dx = r->dx + nx, .A = r->A + nx * nx, .B = r->B + nx * m->nu};
}

static tacTangent tangent_at(const tacModel* m, double* x) {
    return (tacTangent){x, x + m->nv, x + 2 * m->nv};
}

static int derivatives_equal(batchCase* c, const double* u) {
    double A[ROWS * 144], B[ROWS * 144] = {0}, bar[200], dot[200], xb[200] = {0}, ub[200] = {0},
                                   hb[200] = {0}, next_dot[200];
    fill(bar, c->nx, 0.3);
    fill(dot, c->nx, 0.9);
    ENSURE(tac_batch_jacobian(c->batch, u, A, B) == TAC_OK);
    ENSURE(tac_batch_vjp(c->batch, u, bar, &(tacBatchTangent){.x = xb, .u = ub}) == TAC_OK);
    ENSURE(tac_batch_jvp(c->batch, u, &(tacBatchTangent){.x = dot}, next_dot) == TAC_OK);
    ENSURE(tac_batch_hvp(c->batch, u, bar, &(tacBatchTangent){.x = dot},
                         &(tacBatchTangent){.x = hb}) == TAC_OK);
    rowCursor r = {0};
    for (int i = 0; i < ROWS; ++i) {
        const tacModel* m = c->model[i];
        size_t nx = 2 * (size_t)m->nv;
        double A1[144], B1[144], x1[12] = {0}, u1[12] = {0}, h1[12] = {0}, n1[12];
        ENSURE_LAW(start_row(c, i, &r));
        ENSURE(tac_step_jacobian(m, r.x, u + r.u, &(tacStepJacobian){.A = A1, .B = B1},
                                 r.scratch) == TAC_OK);
        tacTangent next_bar = tangent_at(m, bar + r.dx), along = tangent_at(m, dot + r.dx);
        tac_step_vjp(m, r.x, u + r.u, next_bar, (tacStepTangent){tangent_at(m, x1), u1, NULL},
                     r.scratch);
        tac_step_jvp(m, r.x, u + r.u, (tacStepTangent){.x = along}, tangent_at(m, n1), r.scratch);
        tacStepHvp product = {next_bar, {.x = along}, {.x = tangent_at(m, h1)}};
        ENSURE(tac_step_hvp(m, r.x, u + r.u, &product, r.scratch) == TAC_OK);
        ENSURE(memcmp(A1, A + r.A, 8 * nx * nx) == 0);
        ENSURE(m->nu == 0 || memcmp(B1, B + r.B, 8 * nx * (size_t)m->nu) == 0);
        ENSURE(memcmp(x1, xb + r.dx, 8 * nx) == 0 && memcmp(h1, hb + r.dx, 8 * nx) == 0);
        ENSURE(memcmp(n1, next_dot + r.dx, 8 * nx) == 0);
        ENSURE(m->nu == 0 || u1[0] == ub[r.u]);
        end_row(m, &r);
    }
    return 0;
}

static int motion_equal(batchCase* c, const double* u) {
    double q[ROWS][7], v[ROWS][6];
    int contacts[ROWS];
    rowCursor r = {0};
    for (int i = 0; i < ROWS; ++i) {
        const tacModel* m = c->model[i];
        ENSURE_LAW(start_row(c, i, &r));
        for (int s = 0; s < STEPS; ++s) ENSURE(tac_step(m, r.x, u + r.u, r.x, r.scratch) == TAC_OK);
        contacts[i] = tac_step_info(r.scratch).contacts;
        memcpy(q[i], r.x->qpos, sizeof(double) * (size_t)m->nq);
        memcpy(v[i], r.x->qvel, sizeof(double) * (size_t)m->nv);
        end_row(m, &r);
    }
    for (int s = 0; s < STEPS; ++s) ENSURE(tac_batch_step(c->batch, u) == TAC_OK);
    for (int i = 0; i < ROWS; ++i) {
        const tacState* x = tac_batch_state(c->batch, i);
        ENSURE(memcmp(q[i], x->qpos, sizeof(double) * (size_t)c->model[i]->nq) == 0);
        ENSURE(memcmp(v[i], x->qvel, sizeof(double) * (size_t)c->model[i]->nv) == 0);
        ENSURE_NEAR(x->time, STEPS * 0.002, 1e-15);
        ENSURE(tac_batch_info(c->batch, i).contacts == contacts[i]);
    }
    return 0;
}

static int rows_have_the_bits_of_single_calls(void) {
    for (int threads = 1; threads <= 3; ++threads)
        for (int mixed = 0; mixed < 2; ++mixed) {
            batchCase c;
            ENSURE_LAW(open_case(&c, threads, mixed));
            double u[ROWS];
            fill(u, c.nu, 0.1);
            ENSURE_LAW(derivatives_equal(&c, u));
            ENSURE_LAW(motion_equal(&c, u));
            close_case(&c);
        }
    return 0;
}

// the gradient of a rollout is that of tac_rollout_vjp, and by differences of the rollout
static int rollout_gradient(void) {
    batchCase c;
    ENSURE_LAW(open_case(&c, 2, 1));
    double u[ROWS * STEPS], bar[(STEPS + 1) * 200] = {0}, start[200] = {0}, ub[ROWS * STEPS] = {0};
    fill(u, c.nu * STEPS, 0.4);
    // the last velocity of row 0 in its scene's order
    const tacModel* m = c.model[0];
    int nx = 2 * m->nv;
    bar[STEPS * nx + m->nv] = 1.0;
    tacBatchRollout rollout = {.steps = STEPS, .ctrl = u};
    tacBatchRolloutAdjoint adjoint = {.states_bar = bar, .x = start, .u = ub};
    ENSURE(tac_batch_rollout_vjp(c.batch, &rollout, &adjoint) == TAC_OK);
    tacState* x = tac_batch_state(c.batch, 0);
    double q0 = x->qpos[0], v0 = x->qvel[0], end[2], h = 1e-6;
    ENSURE(m->nq == 1);
    for (int side = 0; side < 2; ++side) {
        tac_state_reset(m, x);
        x->qpos[0] = q0 + (side ? h : -h);
        x->qvel[0] = v0;
        ENSURE(tac_batch_rollout(c.batch, &rollout) == TAC_OK);
        end[side] = x->qvel[0];
    }
    ENSURE_NEAR(start[0], (end[1] - end[0]) / (2.0 * h), 1e-8);
    ENSURE(ub[0] != 0.0 && start[nx] == 0.0);
    close_case(&c);
    return 0;
}

static int a_wrong_row_leaves_the_others_alone(void) {
    batchCase c;
    ENSURE_LAW(open_case(&c, 2, 1));
    double u[ROWS];
    fill(u, c.nu, 0.1);
    tac_batch_state(c.batch, 4)->qvel[0] = NAN;
    double before = tac_batch_state(c.batch, 5)->qpos[0];
    ENSURE(tac_batch_step(c.batch, u) == TAC_ERROR_VALUE);
    for (int i = 0; i < ROWS; ++i)
        ENSURE(tac_batch_result(c.batch, i) == (i == 4 ? TAC_ERROR_VALUE : TAC_OK));
    ENSURE(tac_batch_state(c.batch, 5)->qpos[0] != before || c.model[5]->contact);
    ENSURE(isnan(tac_batch_state(c.batch, 4)->qvel[0]));
    ENSURE(tac_batch_rollout(c.batch, &(tacBatchRollout){.steps = 1, .ctrl = u}) ==
           TAC_ERROR_VALUE);
    ENSURE(tac_batch_result(c.batch, 4) == TAC_ERROR_VALUE);
    ENSURE(tac_batch_result(c.batch, 3) == TAC_OK);
    close_case(&c);
    return 0;
}

static int wrong_arguments(void) {
    batchCase c;
    tacBatch* none = NULL;
    ENSURE_LAW(open_case(&c, 1, 0));
    ENSURE(tac_batch_create(NULL, 1, 1, &none) == TAC_ERROR_VALUE);
    ENSURE(tac_batch_create(c.model, 0, 1, &none) == TAC_ERROR_VALUE && !none);
    ENSURE(tac_batch_create(c.model, 1, -1, &none) == TAC_ERROR_VALUE);
    ENSURE(tac_batch_step(c.batch, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_batch_step(NULL, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_batch_state(c.batch, ROWS) == NULL && tac_batch_state(c.batch, -1) == NULL);
    ENSURE(tac_batch_rows(c.batch) == ROWS && tac_batch_threads(c.batch) == 1);
    ENSURE(tac_batch_rows(NULL) == 0 && tac_batch_threads(NULL) == 0);
    close_case(&c);
    tac_batch_destroy(NULL);
    return 0;
}

// a picture is that of its qpos: another position gives another picture, NULL that of qpos0
static int pictures_and_version(void) {
    batchCase c;
    ENSURE_LAW(open_case(&c, 1, 0));
    unsigned char a[40 * 30 * 3], b[sizeof a];
    tacRender r = tac_default_render();
    r.width = 40;
    r.height = 30;
    r.threads = 1;
    double q[7];
    memcpy(q, c.scene[1]->qpos0, sizeof q);
    ENSURE(tac_render(c.scene[1], NULL, &r, a) == TAC_OK);
    ENSURE(tac_render(c.scene[1], q, &r, b) == TAC_OK && memcmp(a, b, sizeof a) == 0);
    q[2] += 0.3;
    r.threads = 2;
    ENSURE(tac_render(c.scene[1], q, &r, b) == TAC_OK && memcmp(a, b, sizeof a) != 0);
    r.width = 0;
    ENSURE(tac_render(c.scene[1], q, &r, b) == TAC_ERROR_VALUE);
    ENSURE(tac_render(NULL, q, NULL, b) == TAC_ERROR_VALUE);
    ENSURE(strlen(tac_version()) >= 5 && strlen(tac_instruction_set()) >= 4);
    close_case(&c);
    return 0;
}

int main(int argc, char** argv) {
    const testCase cases[] = {
        RUN(rows_have_the_bits_of_single_calls),
        RUN(rollout_gradient),
        RUN(a_wrong_row_leaves_the_others_alone),
        RUN(wrong_arguments),
        RUN(pictures_and_version),
    };
    return test_main(argc, argv, cases, (int)(sizeof cases / sizeof *cases));
}
