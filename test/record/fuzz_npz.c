// Fuzzing of the reader of trajectories: any bytes are states of the scene or a message.
// Built by the clang-asan preset as fuzz/fuzz_npz.

#include "record/trajectory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static const char scene[] =
    "<mujoco><worldbody><body><joint name='push' type='slide' axis='1 0 0'/><geom size='.1'/>"
    "<body><joint axis='0 1 0'/><geom size='.1' pos='0 0 .5'/></body></body></worldbody>"
    "<actuator><motor joint='push'/></actuator></mujoco>";

static const tacModel* load_model(void) {
    static tacModel* model;
    tacMessage message;
    if (!model && tac_load_text(scene, sizeof scene - 1, "scene", NULL, &model, &message) != TAC_OK)
        abort();
    return model;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const tacModel* model = load_model();
    tacTrajectory t;
    tacMessage message = {0};
    tacResult result = tac_trajectory_parse(model, data, size, "fuzz.npz", &t, &message);
    if (result != TAC_OK && !message.text[0]) abort();
    if (result != TAC_OK) return 0;
    for (int i = 0; i < t.rows; ++i) {
        tacState x = tac_trajectory_row(&t, i);
        for (int k = 0; k < model->nq; ++k)
            if (!isfinite(x.qpos[k])) abort();
        for (int k = 0; k < model->nv; ++k)
            if (!isfinite(x.qvel[k])) abort();
        if (t.step[i] < 0 || !isfinite(t.time[i])) abort();
    }
    tac_trajectory_destroy(&t);
    return 0;
}
