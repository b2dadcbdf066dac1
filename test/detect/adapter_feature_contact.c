// The map of adapter_feature_contact.h in the number type of this build.

#include "detect/adapter_feature_contact.h"

static tacTransform transform_of(const tacReal* x) {
    return (tacTransform){.pos = tac_load3(x), .rot = tac_quat_to_mat(tac_quat_load(x + 3))};
}

static tacTransform first_transform(const featureContactMap* m) {
    tacReal a[7];
    for (int i = 0; i < 7; ++i) a[i] = m->a[i];
    return transform_of(a);
}

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    const featureContactMap* m = map;
    tacFeatureContactPoint at;
    tacResult result = tac_feature_contact_at(&m->pair, first_transform(m), transform_of(x), &at);
    if (result != TAC_OK) return result;
    tac_store3(y, at.point);
    tac_store3(y + 3, at.normal);
    y[6] = at.distance;
    return TAC_OK;
}

static tacResult jacobian(const featureContactMap* m, const tacReal* x, tacReal D[7][6],
                          tacVec3* arm) {
    tacFeatureContactPoint at;
    tacResult result = tac_feature_contact_at(&m->pair, first_transform(m), transform_of(x), &at);
    if (result != TAC_OK) return result;
    *arm = tac_sub(at.point, tac_load3(x));
    return tac_feature_contact_jacobian(&m->pair, first_transform(m), transform_of(x), &at, D);
}

// the twist about the point from the change of position and quaternion
static tacResult jvp(const void* map, const tacReal* x, const tacReal* x_dot, tacReal* y_dot) {
    tacReal D[7][6], xi[6];
    tacVec3 arm;
    tacResult result = jacobian(map, x, D, &arm);
    if (result != TAC_OK) return result;
    tacVec3 turn = tac_quat_angular(tac_quat_load(x + 3), tac_quat_load(x_dot + 3));
    tac_store3(xi, tac_add(tac_load3(x_dot), tac_cross(turn, arm)));
    tac_store3(xi + 3, turn);
    for (int i = 0; i < 7; ++i) {
        y_dot[i] = 0.0;
        for (int k = 0; k < 6; ++k) y_dot[i] += D[i][k] * xi[k];
    }
    return TAC_OK;
}

// its transpose; of a quaternion the turn is 2 vec(q_dot conj(q))/|q|^2
static tacResult vjp(const void* map, const tacReal* x, const tacReal* bar, tacReal* x_bar) {
    tacReal D[7][6], w[6];
    tacVec3 arm;
    tacResult result = jacobian(map, x, D, &arm);
    if (result != TAC_OK) return result;
    for (int k = 0; k < 6; ++k) {
        w[k] = 0.0;
        for (int i = 0; i < 7; ++i) w[k] += D[i][k] * bar[i];
    }
    tacVec3 force = tac_load3(w), torque = tac_add(tac_load3(w + 3), tac_cross(arm, force));
    tacQuat q = tac_quat_load(x + 3);
    tacReal scale = 2.0 * tac_quat_inverse_norm2(q);
    tac_store3(x_bar, force);
    tac_quat_store(x_bar + 3, tac_quat_scale(tac_quat_mul(tac_quat(0.0, torque), q), scale));
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_patch_) = {value, jvp, vjp};
