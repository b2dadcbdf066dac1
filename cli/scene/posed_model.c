// Models in a given configuration, with errors on standard error.

#include "cli/scene/posed_model.h"

#include "cli/report.h"

#include "draw/posed/posed_model.h"

int cli_posed_model_make(const char* command, const tacModel* model, const double* qpos,
                         tacModel* out) {
    tacResult result = tac_posed_model_create(model, qpos, out);
    return result == TAC_OK ? 0 : cli_error(command, "%s", tac_result_text(result));
}

void cli_posed_model_free(tacModel* posed) { tac_posed_model_free(posed); }
