// Derivatives of the contacts of two bodies, by poses and by parameters, proven at random poses.

#ifndef TACTUS_TEST_DETECT_MANIFOLD_PROOF_H
#define TACTUS_TEST_DETECT_MANIFOLD_PROOF_H

#include "check/prove.h"
#include "detect/adapter_manifold.h"
#include "detect/manifold_scenes.h"

typedef struct provenScene {
    manifoldContext base;
    const manifoldScene* scene;
} provenScene;

static inline int manifold_sample(const void* context, int i, unsigned long long* state, double* x,
                                  double* scale) {
    const provenScene* p = context;
    testRandom random = {*state + 1 + (unsigned long long)i};
    manifold_random_poses(p->scene, &random, x);
    *state = test_bits(&random);
    for (int k = 0; k < MANIFOLD_POSES; ++k) scale[k] = k % 7 < 3 ? 1e-3 : 1e-2;
    for (int k = 0; k < p->base.used_count; ++k) {
        double value = p->base.model->param[p->base.used[k]];
        x[MANIFOLD_POSES + k] = value;
        scale[MANIFOLD_POSES + k] = 1e-2 * fabs(value) + 1e-4;
    }
    return MANIFOLD_OUT;
}

// parameters of shapes and geoms that a detector reads, and its own
static inline int manifold_params(const tacModel* model, int* used) {
    int count = 0;
    for (int i = 0; i < model->nparam; ++i) {
        char name[200];
        tac_param_name(model, i, name, sizeof name);
        int own = !strncmp(name, "detect/", 7) || !strncmp(name, "shape:", 6) ||
                  (!strncmp(name, "geom:", 5) &&
                   (strstr(name, "/pos") || strstr(name, "/quat") || strstr(name, "/size")));
        tacParam one = {.offset = i, .count = 1};
        if (own && tac_param_live(model, one, NULL) == TAC_OK && count < MANIFOLD_PARAMS)
            used[count++] = i;
    }
    return count;
}

// `model`, of that scene, at that many poses; it is given back
static inline int manifold_prove(const manifoldScene* scene, tacModel* model, int points,
                                 double second) {
    static int used[MANIFOLD_PARAMS];
    ENSURE(model);
    provenScene p = {{.model = model, .used = used}, scene};
    p.base.used_count = manifold_params(model, used);
    p.base.memory = aligned_alloc(64, MANIFOLD_BYTES);
    ENSURE(tac_scratch_create(model, &p.base.scratch) == TAC_OK);
    tacCheckProblem problem = {.name = scene->name,
                               .n = MANIFOLD_POSES + p.base.used_count,
                               .m = MANIFOLD_OUT,
                               .context = &p,
                               .as_double = &tac_check_manifold_double,
                               .as_complex = &tac_check_manifold_complex,
                               .as_quad = &tac_check_manifold_quad,
                               .sample = manifold_sample};
    tacCheckOptions o = tac_check_default_options();
    o.points = points;
    o.quad_every = 20;
    o.taylor_every = 1 << 30;
    o.first = 1e-9;
    o.second = second;
    int bad = prove(&problem, o);
    free(p.base.memory);
    tac_scratch_destroy(p.base.scratch);
    tac_model_destroy(model);
    return bad;
}

#endif
