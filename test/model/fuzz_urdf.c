// Fuzzing of the URDF reader: any bytes are a model or a message.
// Built by the clang-asan preset as fuzz/fuzz_urdf; seeds are in test/fuzz/fuzz_urdf.

#include "tactus/model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    tacModel* model = NULL;
    tacMessage message;
    if (size > 1 << 20) return 0;
    tacResult result =
        tac_load_text((const char*)data, (int)size, "fuzz.urdf", NULL, &model, &message);
    if ((result == TAC_OK) != (model != NULL)) abort();
    if (result != TAC_OK && !message.text[0]) abort();
    // what was built is consistent
    for (int i = 0; model && i < model->nparam; ++i) {
        char name[1024];
        tacParam param;
        if (tac_param_name(model, i, name, sizeof name) != TAC_OK) abort();
        if (tac_param_find(model, model->paramname[model->paramgroup[i]].name, &param) != TAC_OK)
            abort();
        if (!(model->param[i] >= param.lower && model->param[i] <= param.upper)) abort();
    }
    for (int b = 1; model && b < model->nbody; ++b)
        if (model->body[b].parent >= b || !(model->param[model->body[b].mass] >= 0.0)) abort();
    tac_model_destroy(model);
    return 0;
}
