// A scratch remembers nothing: whatever was asked of it before, a step has the bits of a new one.

#include "tactus/step.h"
#include "test.h"

enum { NQ = 14, NV = 12, NX = 2 * NV };

static const char scene[] =
    "<mujoco><worldbody><geom type=\"plane\" size=\"1 1 .1\"/>"
    "<body pos=\"0 0 .104\"><freejoint/><geom type=\"box\" size=\".1 .1 .1\" mass=\"1\"/></body>"
    "<body pos=\".02 .01 .286\" euler=\"3 5 0\"><freejoint/>"
    "<geom type=\"box\" size=\".06 .07 .07\" mass=\".5\"/></body></worldbody></mujoco>";

static const char* const contacts[] = {
    "manifold",
    "manifold implicit=false",
    "manifold definition=reference",
    "manifold top_k=threshold top_k_vertices=8 top_k_edges=8",
    "manifold project=3",
    "edge_sdf",
    "edge_sdf fuse=face",
    "edge_sdf top_k=threshold",
    "edge_sdf top_k=softsort top_k_vertices=4 top_k_edges=4",
    "detect=ssdf respond=spring points=24",
    "scm points=24",
    "detect=gjk respond=spring",
    "lcp",
};

// derivatives of all kinds at a state, in turn
static tacResult eval_derivatives(const tacModel* model, const tacState* x, int kind,
                                  tacScratch* scratch) {
    static double A[NX * NX], q[NQ], v[NV], dq[NV], dv[NV], bq[NV], bv[NV];
    tacState next = {.qpos = q, .qvel = v};
    tacTangent dot = {.dq = dq, .dv = dv}, out = {.dq = bq, .dv = bv};
    for (int k = 0; k < NV; ++k) {
        dq[k] = 0.1 * k;
        dv[k] = 1.0 - 0.2 * k;
    }
    if (kind == 0) return tac_step_jacobian(model, x, NULL, &next, A, NULL, NULL, 0, NULL, scratch);
    if (kind == 1) return tac_step_jvp(model, x, NULL, dot, NULL, NULL, out, scratch);
    if (kind == 2) return tac_step_vjp(model, x, NULL, dot, out, NULL, NULL, scratch);
    return tac_step_hvp(model, x, NULL, dot, dot, NULL, NULL, out, NULL, NULL, scratch);
}

static int same_bits_after_derivatives(const tacModel* model) {
    double q[NQ], v[NV] = {0}, q_new[NQ], v_new[NV];
    tacState x = {.qpos = q, .qvel = v}, expected = {.qpos = q_new, .qvel = v_new};
    tacScratch *used, *fresh;
    ENSURE(tac_scratch_create(model, &used) == TAC_OK);
    memcpy(q, model->qpos0, sizeof q);
    for (int i = 0; i < 30; ++i) {
        ENSURE(tac_scratch_create(model, &fresh) == TAC_OK);
        ENSURE(tac_step(model, &x, NULL, &expected, fresh) == TAC_OK);
        tac_scratch_destroy(fresh);
        tacResult result = eval_derivatives(model, &x, i % 4, used);
        ENSURE(result == TAC_OK || result == TAC_ERROR_UNSUPPORTED); // no hvp of some
        ENSURE(tac_step(model, &x, NULL, &x, used) == TAC_OK);
        ENSURE(memcmp(q, q_new, sizeof q) == 0 && memcmp(v, v_new, sizeof v) == 0);
        if (i % 5 == 4) ENSURE(tac_step(model, &x, NULL, &x, used) == TAC_OK);
    }
    tac_scratch_destroy(used);
    return 0;
}

static int scratch_of_derivatives_leaves_bits_unchanged(void) {
    for (int i = 0; i < (int)(sizeof contacts / sizeof *contacts); ++i) {
        tacModel* model = NULL;
        tacMessage message;
        tacOptions options = tac_default_options();
        options.contact = contacts[i];
        tac_load_text(scene, (int)strlen(scene), "scene", &options, &model, &message);
        if (!model) printf("    %s: %s\n", contacts[i], message.text);
        ENSURE(model);
        if (same_bits_after_derivatives(model)) {
            printf("    with contact %s\n", contacts[i]);
            return 1;
        }
        tac_model_destroy(model);
    }
    return 0;
}

TEST_MAIN(RUN(scratch_of_derivatives_leaves_bits_unchanged))
