// Orientations: every way to write a rotation means the same one.

#include "math/pose.h"
#include "model/refusal.h"

// rotation of a body that is written with these attributes
static int read_rotation(const char* compiler, const char* attributes, tacQuat* out) {
    char text[400];
    snprintf(text, sizeof text, "<mujoco><compiler %s/><worldbody><body %s/></worldbody></mujoco>",
             compiler, attributes);
    tacModel* m;
    tacMessage message;
    ENSURE(load_text(text, &m, &message) == TAC_OK);
    *out = tac_quat_load(m->param + m->body[1].rotation);
    tac_model_destroy(m);
    return 0;
}

// q and -q are the same rotation
static int is_same_rotation(tacQuat a, tacQuat b) {
    ENSURE_NEAR(fabs(tac_quat_dot(a, b)), 1.0, 1e-14);
    return 0;
}

static int ensure_same(const char* c1, const char* a1, const char* c2, const char* a2) {
    tacQuat a, b;
    ENSURE_LAW(read_rotation(c1, a1, &a));
    ENSURE_LAW(read_rotation(c2, a2, &b));
    ENSURE_NEAR(tac_quat_dot(a, a), 1.0, 1e-14);
    return is_same_rotation(a, b);
}

static int rotations_agree(void) {
    ENSURE_LAW(ensure_same("", "quat='2 0 0 2'", "", "euler='0 0 90'"));
    ENSURE_LAW(ensure_same("", "axisangle='0 0 3 90'", "", "euler='0 0 90'"));
    ENSURE_LAW(ensure_same("", "xyaxes='0 2 0 -1 5 0'", "", "euler='0 0 90'"));
    ENSURE_LAW(ensure_same("", "zaxis='1 0 0'", "", "euler='0 90 0'"));
    ENSURE_LAW(ensure_same("", "zaxis='0 0 -4'", "", "euler='180 0 0'"));
    ENSURE_LAW(
        ensure_same("angle='radian'", "euler='0 0 1.5707963267948966'", "", "euler='0 0 90'"));
    // about moving axes in one order is about fixed axes in the other
    ENSURE_LAW(
        ensure_same("eulerseq='xyz'", "euler='10 20 30'", "eulerseq='ZYX'", "euler='30 20 10'"));
    ENSURE_LAW(
        ensure_same("eulerseq='zyx'", "euler='10 20 30'", "eulerseq='XYZ'", "euler='30 20 10'"));
    return 0;
}

// R = Rx Ry Rz for moving axes x, y, z
static int euler_is_the_product_of_rotations(void) {
    tacQuat q, x, y, z;
    ENSURE_LAW(read_rotation("", "euler='10 20 30'", &q));
    ENSURE_LAW(read_rotation("", "euler='10 0 0'", &x));
    ENSURE_LAW(read_rotation("", "euler='0 20 0'", &y));
    ENSURE_LAW(read_rotation("", "euler='0 0 30'", &z));
    return is_same_rotation(q, tac_quat_mul(x, tac_quat_mul(y, z)));
}

TEST_MAIN(RUN(rotations_agree), RUN(euler_is_the_product_of_rotations))
