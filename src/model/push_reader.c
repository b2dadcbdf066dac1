// What pushes bodies: gravcomp, the fluid of <option>; and bodies that are moved by hand.

#include "model/draft.h"

#include "math/dense.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

//---------------------------------- bodies ---------------------------------------

static void read_mocap(tacDraft* draft, const tacElement* element, tacBody* body) {
    tac_read_bool(&draft->reader, element, "mocap", &body->mocap);
    if (!body->mocap) return;
    const char* wrong = body->parent == 0 ? NULL : "a mocap body hangs on the world";
    for (const tacElement* c = element->child; c; c = c->next)
        if (strcmp(c->name, "joint") == 0 || strcmp(c->name, "freejoint") == 0)
            wrong = "a mocap body has no joints: setting its pos and quat moves it";
    if (wrong)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "mocap"),
                        "mocap", "%s", wrong);
}

void tac_read_body_forces(tacDraft* draft, const tacElement* element, int body, tacPath path) {
    double gravcomp = 0.0;
    tac_read_number(&draft->reader, element, "gravcomp", any_number, &gravcomp);
    if (draft->reader.result != TAC_OK) return;
    if (gravcomp != 0.0) {
        int offset = tac_draft_param(draft, path, "gravcomp", any_number, &gravcomp, 1);
        ((tacBody*)draft->body.items)[body].gravcomp = offset;
        draft->pushed = 1;
    }
    read_mocap(draft, element, (tacBody*)draft->body.items + body);
}

//---------------------------------- fluid ----------------------------------------

// the numbers stand side by side: density, viscosity, wind
void tac_read_fluid(tacDraft* draft, const tacElement* element) {
    tacReader* reader = &draft->reader;
    const tacPath option = {"option", NULL};
    double now[5] = {0};
    int given = tac_attribute(element, "density") || tac_attribute(element, "viscosity") ||
                tac_attribute(element, "wind");
    if (!given) return;
    draft->fluid_line = element->line;
    if (draft->fluid >= 0) memcpy(now, tac_draft_values(draft, draft->fluid), sizeof now);
    tac_read_number(reader, element, "density", not_negative, &now[0]);
    tac_read_number(reader, element, "viscosity", not_negative, &now[1]);
    tac_read_numbers(reader, element, "wind", 3, 3, any_number, now + 2);
    if (reader->result != TAC_OK) return;
    if (draft->fluid < 0) {
        draft->fluid = tac_draft_param(draft, option, "density", not_negative, &now[0], 1);
        tac_draft_param(draft, option, "viscosity", not_negative, &now[1], 1);
        tac_draft_param(draft, option, "wind", any_number, now + 2, 3);
    } else {
        memcpy(tac_draft_values(draft, draft->fluid), now, sizeof now);
    }
}

// a box with the body's mass and principal moments
static void place_box(tacDraft* draft, int index) {
    tacBody* body = (tacBody*)draft->body.items + index;
    double mass = *tac_draft_values(draft, body->mass), moment[3], axes[3][3];
    if (mass < 1e-15) return;
    const double* I = tac_draft_values(draft, body->inertia);
    // axes that are principal already stay: a body of equal moments has no others to prefer
    int diagonal = fabs(I[3]) + fabs(I[4]) + fabs(I[5]) <= 1e-14 * (I[0] + I[1] + I[2]);
    tacQuat turn = {1.0, 0.0, 0.0, 0.0};
    memcpy(moment, I, sizeof moment);
    if (!diagonal) {
        tac_eigen3(I, moment, axes);
        tacMat3 R;
        memcpy(R.m, axes, sizeof axes);
        turn = tac_mat_to_quat(R);
    }
    double box[3], sum = moment[0] + moment[1] + moment[2], q[4];
    for (int i = 0; i < 3; ++i) box[i] = sqrt(fmax(1e-15, sum - 2.0 * moment[i]) / mass * 6.0);
    tac_quat_store(q, turn);
    const char* key = *body->name ? body->name : tac_reader_text(&draft->reader, "%d", index);
    tacPath path = {tac_reader_text(&draft->reader, "body:%s/fluid", key), NULL};
    int offset = tac_draft_param(draft, path, "box", not_negative, box, 3);
    tac_draft_param(draft, path, "quat", tac_range_position, q, 4);
    ((tacBody*)draft->body.items)[index].fluid = offset;
}

void tac_place_fluid(tacDraft* draft) {
    if (draft->reader.result != TAC_OK || draft->fluid < 0) return;
    const double* fluid = tac_draft_values(draft, draft->fluid);
    if (fluid[0] == 0.0 && fluid[1] == 0.0) {
        draft->fluid = -1;
        return;
    }
    if (draft->integrator == TAC_INTEGRATOR_IMPLICITFAST)
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED, draft->fluid_line, "integrator",
                        "implicitfast in a fluid is not built yet; choose Euler or RK4");
    draft->pushed = 1;
    for (int b = 1; b < draft->body.count; ++b) place_box(draft, b);
}
