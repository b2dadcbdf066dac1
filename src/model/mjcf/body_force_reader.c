// External forces on bodies: gravcomp, the fluid of <option>; and mocap bodies.

#include "model/spec.h"

#include "math/dense.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

//---------------------------------- bodies ---------------------------------------

static void read_mocap(tacSpec* spec, const tacElement* element, tacBody* body) {
    tac_read_bool(&spec->reader, element, "mocap", &body->mocap);
    if (!body->mocap) return;
    const char* wrong = body->parent == 0 ? NULL : "a mocap body must be a child of the world";
    for (const tacElement* c = element->child; c; c = c->next)
        if (strcmp(c->name, "joint") == 0 || strcmp(c->name, "freejoint") == 0)
            wrong = "a mocap body has no joints; move it by its pos and quat";
    if (wrong)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "mocap"),
                        "mocap", "%s", wrong);
}

void tac_read_body_forces(tacSpec* spec, const tacElement* element, int body, tacPath path) {
    double gravcomp = 0.0;
    tac_read_number(&spec->reader, element, "gravcomp", any_number, &gravcomp);
    if (spec->reader.result != TAC_OK) return;
    if (gravcomp != 0.0) {
        int offset = tac_spec_param(spec, path, "gravcomp", any_number, &gravcomp, 1);
        ((tacBody*)spec->tree.body.items)[body].gravcomp = offset;
        spec->has_external_forces = 1;
    }
    read_mocap(spec, element, (tacBody*)spec->tree.body.items + body);
}

//---------------------------------- fluid ----------------------------------------

// the numbers are contiguous: density, viscosity, wind
void tac_read_fluid(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    const tacPath option = {"option", NULL};
    double now[5] = {0};
    int given = tac_attribute(element, "density") || tac_attribute(element, "viscosity") ||
                tac_attribute(element, "wind");
    if (!given) return;
    spec->fluid.line = element->line;
    if (spec->fluid.offset >= 0) memcpy(now, tac_spec_values(spec, spec->fluid.offset), sizeof now);
    tac_read_number(reader, element, "density", not_negative, &now[0]);
    tac_read_number(reader, element, "viscosity", not_negative, &now[1]);
    tac_read_vector(reader, element, "wind", 3, any_number, now + 2);
    if (reader->result != TAC_OK) return;
    if (spec->fluid.offset < 0) {
        spec->fluid.offset = tac_spec_param(spec, option, "density", not_negative, &now[0], 1);
        tac_spec_param(spec, option, "viscosity", not_negative, &now[1], 1);
        tac_spec_param(spec, option, "wind", any_number, now + 2, 3);
    } else {
        memcpy(tac_spec_values(spec, spec->fluid.offset), now, sizeof now);
    }
}

// a box with the body's mass and principal moments
static void add_fluid_box(tacSpec* spec, int index) {
    tacBody* body = (tacBody*)spec->tree.body.items + index;
    double mass = *tac_spec_values(spec, body->mass), moment[3], axes[3][3];
    if (mass < 1e-15) return;
    const double* I = tac_spec_values(spec, body->inertia);
    // principal axes stay as they are: with equal moments any axes are principal
    int diagonal = fabs(I[3]) + fabs(I[4]) + fabs(I[5]) <= 1e-14 * (I[0] + I[1] + I[2]);
    tacQuat rotation = {1.0, 0.0, 0.0, 0.0};
    memcpy(moment, I, sizeof moment);
    if (!diagonal) {
        tac_eigen3(I, moment, axes);
        tacMat3 R;
        memcpy(R.m, axes, sizeof axes);
        rotation = tac_mat_to_quat(R);
    }
    double box[3], sum = moment[0] + moment[1] + moment[2], q[4];
    for (int i = 0; i < 3; ++i) box[i] = sqrt(fmax(1e-15, sum - 2.0 * moment[i]) / mass * 6.0);
    tac_quat_store(q, rotation);
    const char* key = *body->name ? body->name : tac_reader_text(&spec->reader, "%d", index);
    tacPath path = {tac_reader_text(&spec->reader, "body:%s/fluid", key), NULL};
    int offset = tac_spec_param(spec, path, "box", not_negative, box, 3);
    tac_spec_param(spec, path, "quat", tac_range_position, q, 4);
    ((tacBody*)spec->tree.body.items)[index].fluid = offset;
}

void tac_init_fluid(tacSpec* spec) {
    if (spec->reader.result != TAC_OK || spec->fluid.offset < 0) return;
    const double* fluid = tac_spec_values(spec, spec->fluid.offset);
    if (fluid[0] == 0.0 && fluid[1] == 0.0) {
        spec->fluid.offset = -1;
        return;
    }
    if (spec->integrator == TAC_INTEGRATOR_IMPLICITFAST)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED, spec->fluid.line, "integrator",
                        "implicitfast in a fluid is not supported yet; use Euler or RK4");
    spec->has_external_forces = 1;
    for (int b = 1; b < spec->tree.body.count; ++b) add_fluid_box(spec, b);
}
