// What fuzzing of scenes demands: any bytes are a model or a message, and a model is consistent.

#ifndef TACTUS_TEST_MODEL_FUZZ_SCENE_H
#define TACTUS_TEST_MODEL_FUZZ_SCENE_H

#include "tactus/model.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void check_parameters(const tacModel* model) {
    for (int i = 0; i < model->nparam; ++i) {
        char name[1024];
        tacParam param;
        if (tac_param_name(model, i, name, sizeof name) != TAC_OK) abort();
        if (strlen(name) + 1 < sizeof name &&
            (tac_param_find(model, name, &param) != TAC_OK || param.offset != i))
            abort();
        if (!(model->param[i] >= param.lower && model->param[i] <= param.upper)) abort();
    }
}

static int fuzz_scene(const uint8_t* data, size_t size, const char* path) {
    tacModel* model = NULL;
    tacMessage message;
    if (size > 1 << 20) return 0;
    tacResult result = tac_load_text((const char*)data, (int)size, path, NULL, &model, &message);
    if ((result == TAC_OK) != (model != NULL)) abort();
    if (result != TAC_OK && !message.text[0]) abort();
    if (!model) return 0;
    check_parameters(model);
    for (int i = 0; i < model->ngeom; ++i) tac_geom_pose(model, i);
    for (int b = 1; b < model->nbody; ++b)
        if (model->body[b].parent >= b || !(model->param[model->body[b].mass] >= 0.0)) abort();
    tac_model_destroy(model);
    return 0;
}

#endif
