// The step of a scene as code: derived, compiled, and used in place of the general one. With
// contact the code is the equation of motion, and contact forces are inputs.
//
//   symbolic/scene/scene_step.c --formulas--> symbolic/code/code.c --code--> [this file] -->
//   tac_step

#include "step/double/generated.h"

#include "step/force/contact_forces.h"
#include "step/hard/hard_step.h"
#include "symbolic/code/code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct tacStepCode {
    const tacModel* model;
    tacProgram* program;
    tacCode* code;
    double* param;   // parameters of the model when it was generated            (nparam)
    int has_contact; // 1: the equation of motion, with forces as inputs; 0: a whole step
    int in, out; // numbers of a state with its control (and forces), of the next state (or rates)
};

//---------------------------------- making ---------------------------------------

static tacResult derive_formulas(tacGraph* g, const tacModel* model, tacStepCode* code) {
    tacAllocator a = model->allocator;
    tacExpr* symbols = a.allocate(a.user, sizeof *symbols * (size_t)(code->in + code->out + 1));
    if (!symbols) return TAC_ERROR_MEMORY;
    tacExpr* next = symbols + code->in;
    tacResult result = code->has_contact ? tac_scene_forward_dynamics(g, model, NULL, symbols, next)
                                         : tac_scene_step(g, model, NULL, NULL, symbols, next);
    if (result == TAC_OK)
        result = tac_program_create(g, symbols, code->in, next, code->out, &code->program);
    a.release(a.user, symbols);
    return result;
}

static tacResult compile_step(tacStepCode* code, const tacCodeOptions* options,
                              tacMessage* message) {
    const tacModel* model = code->model;
    tacGraphOptions graph_options = tac_default_graph_options();
    tacGraph* g;
    graph_options.allocator = model->allocator;
    size_t size = sizeof *code->param * ((size_t)model->nparam + 1);
    code->param = model->allocator.allocate(model->allocator.user, size);
    if (!code->param) return TAC_ERROR_MEMORY;
    memcpy(code->param, model->param, sizeof *code->param * (size_t)model->nparam);
    tacResult result = tac_graph_create(&graph_options, &g);
    if (result != TAC_OK) return result;
    result = derive_formulas(g, model, code);
    if (result != TAC_OK) tac_graph_result(g, message);
    tac_graph_destroy(g);
    return result == TAC_OK ? tac_code_create(code->program, options, &code->code, message)
                            : result;
}

tacResult tac_step_code_create(const tacModel* model, const tacCodeOptions* options,
                               tacStepCode** out, tacMessage* message) {
    if (message) *message = (tacMessage){0};
    if (!model || !out) return TAC_ERROR_VALUE;
    const char* kind = tac_is_hard(model)                       ? "hard"
                       : tac_contact_forces_are_implicit(model) ? "implicit"
                                                                : NULL;
    if (kind) {
        if (message)
            snprintf(message->text, sizeof message->text,
                     "%.100s has %s contact, which solves a matrix of its own: its step is not "
                     "generated%s",
                     model->name, kind,
                     tac_is_hard(model) ? "" : "; implicit=\"false\" makes contact explicit");
        return TAC_ERROR_UNSUPPORTED;
    }
    tacStepCode* code = model->allocator.allocate(model->allocator.user, sizeof *code);
    if (!code) return TAC_ERROR_MEMORY;
    *code = (tacStepCode){.model = model, .has_contact = tac_has_contact_forces(model)};
    code->in = model->nq + model->nv + model->na + model->nu + (code->has_contact ? model->nv : 0);
    code->out = model->nv + model->na + (code->has_contact ? 0 : model->nq);
    tacResult result = compile_step(code, options, message);
    if (result == TAC_OK)
        *out = code;
    else
        tac_step_code_destroy(code);
    return result;
}

void tac_step_code_destroy(tacStepCode* code) {
    if (!code) return;
    tacAllocator a = code->model->allocator;
    tac_code_destroy(code->code);
    tac_program_destroy(code->program);
    if (code->param) a.release(a.user, code->param);
    a.release(a.user, code);
}

int tac_step_code_compiled(const tacStepCode* code) {
    return code && tac_code_compiled(code->code);
}

//---------------------------------- using ----------------------------------------

// inputs and outputs come before the memory of the code itself
static size_t work_size(const tacStepCode* code) {
    return sizeof(double) * (size_t)(code->in + code->out) + tac_code_size(code->code);
}

tacResult tac_step_code_use(const tacStepCode* code, tacScratch* scratch) {
    if (!scratch) return TAC_ERROR_VALUE;
    tacAllocator a = scratch->allocator;
    void* work = NULL;
    if (code && memcmp(code->param, code->model->param,
                       sizeof *code->param * (size_t)code->model->nparam) != 0)
        return TAC_ERROR_VALUE;
    if (code) {
        work = a.allocate(a.user, work_size(code));
        if (!work) return TAC_ERROR_MEMORY;
    }
    if (scratch->code_work) a.release(a.user, scratch->code_work);
    scratch->code = code;
    scratch->code_work = work;
    return TAC_OK;
}

static double* append_reals(double* to, const double* from, int n) {
    if (n > 0) memcpy(to, from, sizeof *to * (size_t)n);
    return to + n;
}

int tac_generated_matches(const tacModel* model, const tacScratch* scratch) {
    return scratch->code->model == model;
}

void tac_generated_accelerations(const tacScratch* scratch, const tacMotion* m, tacReal* a,
                                 tacReal* rate) {
    const tacStepCode* code = scratch->code;
    const tacModel* model = code->model;
    double *in = scratch->code_work, *out = in + code->in, *at = in;
    at = append_reals(at, m->qpos, model->nq);
    at = append_reals(at, m->qvel, model->nv);
    at = append_reals(at, m->act, model->na);
    at = append_reals(at, m->ctrl, model->nu);
    append_reals(at, a, model->nv);
    tac_code_run_one(code->code, in, out, out + code->out);
    append_reals(a, out, model->nv);
    append_reals(rate, out + model->nv, model->na);
}

tacResult tac_generated_step(const tacModel* model, const tacState* x, const tacReal* u,
                             tacState* next, tacScratch* scratch) {
    const tacStepCode* code = scratch->code;
    double *in = scratch->code_work, *out = in + code->in, *at = in;
    at = append_reals(at, x->qpos, model->nq);
    at = append_reals(at, x->qvel, model->nv);
    at = append_reals(at, x->act, model->na);
    append_reals(at, u, model->nu);
    tacResult result = tac_code_run_one(code->code, in, out, out + code->out);
    if (result != TAC_OK) return result;
    tac_state_carry_over(model, x, next);
    append_reals(next->qpos, out, model->nq);
    append_reals(next->qvel, out + model->nq, model->nv);
    append_reals(next->act, out + model->nq + model->nv, model->na);
    scratch->info = (tacInfo){.time_of_impact = model->param[model->timestep]};
    return TAC_OK;
}
