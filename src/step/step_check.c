// Checks of the arguments of a step and of its derivatives.

#include "step/step.h"

tacResult tac_step_check(const tacModel* model, const tacState* x, const tacReal* u,
                         const tacScratch* scratch) {
    if (!model || !x || !scratch || (model->nv > 0 && (!x->qpos || !x->qvel)))
        return TAC_ERROR_VALUE;
    if ((model->nu > 0 && !u) || (model->na > 0 && !x->act)) return TAC_ERROR_VALUE;
    int finite = tac_all_finite(x->qpos, model->nq) && tac_all_finite(x->qvel, model->nv) &&
                 tac_all_finite(x->act, model->na) && tac_all_finite(u, model->nu);
    return finite ? TAC_OK : TAC_ERROR_VALUE;
}

int tac_state_has_arrays(const tacModel* model, const tacState* next) {
    return !tac_missing(next->qpos, model->nq) && !tac_missing(next->qvel, model->nv) &&
           !tac_missing(next->act, model->na);
}

int tac_params_are_valid(const tacModel* model, const tacParam* theta, int ntheta) {
    for (int i = 0; i < ntheta; ++i)
        if (!theta || theta[i].offset < 0 || theta[i].count < 1 ||
            theta[i].count > model->nparam - theta[i].offset)
            return 0;
    return ntheta >= 0;
}

int tac_state_tangent_is_finite(const tacModel* model, tacTangent x) {
    return tac_all_finite(x.dq, model->nv) && tac_all_finite(x.dv, model->nv) &&
           tac_all_finite(x.da, model->na);
}
