// Fuzzing of the scene reader: any bytes are a model or a message.
// Built by the clang-asan preset as fuzz/fuzz_load; seeds are the scenes.

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
        tac_load_text((const char*)data, (int)size, "fuzz.xml", NULL, &model, &message);
    if ((result == TAC_OK) != (model != NULL)) abort();
    if (result != TAC_OK && !message.text[0]) abort();
    // what was built is consistent
    for (int i = 0; model && i < model->nparam; ++i) {
        char name[1024];
        tacParam param;
        if (tac_param_name(model, i, name, sizeof name) != TAC_OK) abort();
        if (strlen(name) + 1 < sizeof name &&
            (tac_param_find(model, name, &param) != TAC_OK || param.offset != i))
            abort();
        if (!(model->param[i] >= param.lower && model->param[i] <= param.upper)) abort();
    }
    for (int i = 0; model && i < model->ngeom; ++i) tac_geom_pose(model, i);
    tac_model_destroy(model);
    return 0;
}
