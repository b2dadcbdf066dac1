// The step of a scene as code: derived, compiled, and put in the place of the general one.
//
//   symbolic/scene_step.c --formulas--> symbolic/code.c --code--> [this file] --> tac_step

#include "step/generated.h"

#include "step/hard_step.h"
#include "step/touch.h"
#include "symbolic/code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct tacStepCode {
    const tacModel* model;
    tacProgram* program;
    tacCode* code;
    double* param; // numbers of the model when it was made                    (nparam)
    int in, out;   // numbers of a state with its control, of the next state
};

//---------------------------------- making ---------------------------------------

static tacResult derive(tacGraph* g, const tacModel* model, tacStepCode* code) {
    tacAllocator a = model->allocator;
    tacExpr* symbols = a.allocate(a.user, sizeof *symbols * (size_t)(code->in + code->out + 1));
    if (!symbols) return TAC_ERROR_MEMORY;
    tacExpr* next = symbols + code->in;
    tacResult result = tac_scene_step(g, model, NULL, NULL, symbols, next);
    if (result == TAC_OK)
        result = tac_program_create(g, symbols, code->in, next, code->out, &code->program);
    a.release(a.user, symbols);
    return result;
}

static tacResult make(tacStepCode* code, const tacCodeOptions* options, tacMessage* message) {
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
    result = derive(g, model, code);
    if (result != TAC_OK) tac_graph_result(g, message);
    tac_graph_destroy(g);
    return result == TAC_OK ? tac_code_create(code->program, options, &code->code, message)
                            : result;
}

tacResult tac_step_code_create(const tacModel* model, const tacCodeOptions* options,
                               tacStepCode** out, tacMessage* message) {
    if (message) *message = (tacMessage){0};
    if (!model || !out) return TAC_ERROR_VALUE;
    if (tac_touches(model) || tac_is_hard(model)) {
        if (message)
            snprintf(message->text, sizeof message->text,
                     "%.100s has forces of contact: its step is not generated", model->name);
        return TAC_ERROR_UNSUPPORTED;
    }
    tacStepCode* code = model->allocator.allocate(model->allocator.user, sizeof *code);
    if (!code) return TAC_ERROR_MEMORY;
    *code = (tacStepCode){.model = model};
    code->out = model->nq + model->nv + model->na, code->in = code->out + model->nu;
    tacResult result = make(code, options, message);
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

int tac_step_code_compiled(const tacStepCode* code) { return tac_code_compiled(code->code); }

//---------------------------------- using ----------------------------------------

// inputs and outputs stand before the memory of the code itself
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
    scratch->code = code, scratch->code_work = work;
    return TAC_OK;
}

static double* append(double* to, const double* from, int n) {
    if (n > 0) memcpy(to, from, sizeof *to * (size_t)n);
    return to + n;
}

tacResult tac_generated_step(const tacModel* model, const tacState* x, const tacReal* u,
                             tacState* next, tacScratch* scratch) {
    const tacStepCode* code = scratch->code;
    if (code->model != model) return TAC_ERROR_VALUE;
    double *in = scratch->code_work, *out = in + code->in, *at = in;
    at = append(at, x->qpos, model->nq), at = append(at, x->qvel, model->nv);
    at = append(at, x->act, model->na), append(at, u, model->nu);
    tacResult result = tac_code_single(code->code, in, out, out + code->out);
    if (result != TAC_OK) return result;
    tac_state_keep(model, x, next);
    append(next->qpos, out, model->nq), append(next->qvel, out + model->nq, model->nv);
    append(next->act, out + model->nq + model->nv, model->na);
    scratch->info = (tacInfo){.time_of_impact = model->param[model->timestep]};
    return TAC_OK;
}
