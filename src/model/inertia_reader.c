// Mass, centre of mass and inertia of each body: from <inertial>, or from its geoms.
//
// A geom's part is added while geoms are read; when the body is complete, its <inertial> or that
// sum becomes the body's ten parameters.

#include "model/draft.h"

#include "math/dense.h"
#include "math/spatial.h"
#include "tactus/mesh.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
// below this a moving body has no mass (MuJoCo's mjMINVAL)
#define LEAST 1e-15

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};
// a planet of a geom weighs more than a scene would write
static const tacRange any_mass = {0.0, 1e100}, any_moment = {-1e100, 1e100};

//---------------------------------- geoms ----------------------------------------

// volume and diagonal inertia of unit mass, in the geom's axes
static double solid(tacNodeKind kind, const double* s, double inertia[3]) {
    double a = s[0] * s[0], b = s[1] * s[1], c = s[2] * s[2], r = s[0], h = 2.0 * s[1];
    switch (kind) {
    case TAC_NODE_SPHERE:
        inertia[0] = inertia[1] = inertia[2] = 0.4 * a;
        return 4.0 / 3.0 * PI * a * r;
    case TAC_NODE_CAPSULE: {
        // a cylinder and two half spheres whose centres of mass are 3 r/8 from its ends
        double ball = 4.0 * r / (4.0 * r + 3.0 * h), tube = 1.0 - ball;
        inertia[0] =
            tube * (3.0 * a + h * h) / 12.0 + ball * (0.4 * a + h * (3.0 * r + 2.0 * h) / 8.0);
        inertia[1] = inertia[0];
        inertia[2] = 0.5 * tube * a + 0.4 * ball * a;
        return PI * a * (h + 4.0 / 3.0 * r);
    }
    case TAC_NODE_CYLINDER:
        inertia[0] = inertia[1] = (3.0 * a + h * h) / 12.0;
        inertia[2] = 0.5 * a;
        return PI * a * h;
    case TAC_NODE_ELLIPSOID:
        inertia[0] = (b + c) / 5.0;
        inertia[1] = (a + c) / 5.0;
        inertia[2] = (a + b) / 5.0;
        return 4.0 / 3.0 * PI * s[0] * s[1] * s[2];
    case TAC_NODE_BOX:
        inertia[0] = (b + c) / 3.0;
        inertia[1] = (a + c) / 3.0;
        inertia[2] = (a + b) / 3.0;
        return 8.0 * s[0] * s[1] * s[2];
    default:
        inertia[0] = inertia[1] = inertia[2] = 0.0;
        return 0.0;
    }
}

// area and diagonal inertia of unit mass of the surface alone
static double shell(tacNodeKind kind, const double* s, double inertia[3]) {
    double a = s[0] * s[0], r = s[0], h = 2.0 * s[1];
    switch (kind) {
    case TAC_NODE_SPHERE:
        inertia[0] = inertia[1] = inertia[2] = 2.0 / 3.0 * a;
        return 4.0 * PI * a;
    case TAC_NODE_CAPSULE: {
        // a tube and two half spheres, whose centres of mass are r/2 from its ends
        double ball = 2.0 * r / (2.0 * r + h), tube = 1.0 - ball;
        inertia[0] =
            tube * (0.5 * a + h * h / 12.0) + ball * (2.0 / 3.0 * a + 0.5 * h * r + 0.25 * h * h);
        inertia[1] = inertia[0];
        inertia[2] = tube * a + 2.0 / 3.0 * ball * a;
        return 2.0 * PI * r * (h + 2.0 * r);
    }
    case TAC_NODE_CYLINDER: {
        // a tube and two discs
        double disc = r / (r + h), tube = 1.0 - disc;
        inertia[0] = tube * (0.5 * a + h * h / 12.0) + disc * (0.25 * a + 0.25 * h * h);
        inertia[1] = inertia[0];
        inertia[2] = tube * a + disc * 0.5 * a;
        return 2.0 * PI * r * (h + r);
    }
    case TAC_NODE_BOX: {
        // three pairs of faces
        double side[3] = {s[1] * s[2], s[2] * s[0], s[0] * s[1]}, sum = side[0] + side[1] + side[2];
        for (int k = 0; k < 3; ++k) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            double x = s[i] * s[i], y = s[j] * s[j];
            inertia[k] =
                (side[k] * (x + y) / 3.0 + side[i] * (x + y / 3.0) + side[j] * (y + x / 3.0)) / sum;
        }
        return 8.0 * sum;
    }
    default:
        inertia[0] = inertia[1] = inertia[2] = 0.0;
        return 0.0;
    }
}

// volume and inertia of a <shape> of unit density, to 1e-4
static tacShapeSolid measure_shape(tacDraft* draft, const tacElement* element, int shape) {
    tacShapeSolid solid = {.shape = shape};
    tacMass mass;
    tacMessage message = {0};
    tacModel view = tac_draft_view(draft);
    if (draft->reader.result != TAC_OK) return solid;
    tacResult result = tac_shape_mass(&view, shape, 1.0, 1e-4, &mass, &message);
    if (result != TAC_OK || mass.error > 1e-2) {
        tac_reader_fail(&draft->reader, result == TAC_OK ? TAC_ERROR_UNSOLVED : result,
                        element->line, "shape",
                        "the mass of this shape is not known: %s; give the body an <inertial>, or "
                        "the geom mass=\"0\"",
                        result == TAC_OK ? "it is too fine" : message.text);
        return solid;
    }
    solid.volume = mass.volume;
    solid.inertia = (tacInertia){mass.mass, tac_load3(mass.center), {0}};
    memcpy(solid.inertia.inertia, mass.inertia, sizeof solid.inertia.inertia);
    return solid;
}

// measured once, as it can take seconds, for all geoms of a shape
static double shape_solid(tacDraft* draft, const tacElement* element, int shape, tacInertia* I) {
    tacShapeSolid *known = draft->shape_solid.items, solid;
    for (int i = 0; i < draft->shape_solid.count; ++i)
        if (known[i].shape == shape) {
            *I = known[i].inertia;
            return known[i].volume;
        }
    solid = measure_shape(draft, element, shape);
    known = tac_list_add(&draft->reader, &draft->shape_solid, sizeof *known);
    if (known) *known = solid;
    *I = solid.inertia;
    return solid.volume;
}

// volume or area, and the inertia of unit density in the geom's frame
static double unit_inertia(tacDraft* draft, const tacElement* element, const tacForm* form,
                           tacInertia* I) {
    double moment[3], volume;
    int hollow = 0;
    tac_read_bool(&draft->reader, element, "shellinertia", &hollow);
    if (hollow && (form->mesh || form->kind >= TAC_NODE_UNION || form->kind == TAC_NODE_ELLIPSOID))
        tac_reader_fail(&draft->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "shellinertia"), "shellinertia",
                        form->mesh ? "write inertia=\"shell\" at the <mesh> instead"
                                   : "is for spheres, capsules, cylinders and boxes; give the body "
                                     "an <inertial>");
    if (form->prism) {
        *I = *form->prism;
        return I->mass;
    }
    if (form->kind >= TAC_NODE_UNION && !form->mesh)
        return shape_solid(draft, element, form->shape, I);
    if (form->mesh) {
        volume = tac_mesh_moments(draft, form->mesh, element->line, moment);
        *I = (tacInertia){volume, tac_vec3_zero(), {moment[0], moment[1], moment[2]}};
        return volume;
    }
    volume = hollow ? shell(form->kind, form->size, moment) : solid(form->kind, form->size, moment);
    *I = (tacInertia){
        volume, tac_vec3_zero(), {volume * moment[0], volume * moment[1], volume * moment[2]}};
    return volume;
}

void tac_read_geom_mass(tacDraft* draft, const tacElement* element, const tacForm* form,
                        tacBodyMass* sum) {
    double density = 1000.0, mass = -1.0;
    tac_read_number(&draft->reader, element, "density", not_negative, &density);
    tac_read_number(&draft->reader, element, "mass", not_negative, &mass);
    if (mass == 0.0 || (mass < 0.0 && density == 0.0)) return;
    // what takes long to weigh is weighed where it matters
    if (!sum->moves && form->kind >= TAC_NODE_UNION) return;
    tacInertia geom = {0};
    double volume = unit_inertia(draft, element, form, &geom);
    if (!(volume > 0.0) || draft->reader.result != TAC_OK) return;
    double scale = mass < 0.0 ? density : mass / volume;
    geom.mass *= scale;
    for (int i = 0; i < 6; ++i) geom.inertia[i] *= scale;
    geom = tac_inertia_transform(form->pose, &geom);
    sum->geoms = tac_inertia_add(&sum->geoms, &geom);
}

//---------------------------------- inertial -------------------------------------

static void read_matrix(tacDraft* draft, const tacElement* element, double inertia[6]) {
    tacReader* reader = &draft->reader;
    int diagonal = tac_read_numbers(reader, element, "diaginertia", 3, 3, not_negative, inertia);
    int full = tac_read_numbers(reader, element, "fullinertia", 6, 6, any_number, inertia);
    if (reader->result != TAC_OK || (diagonal > 0) + (full > 0) == 1) return;
    tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, full ? "fullinertia" : "diaginertia",
                    "<inertial> needs one of diaginertia (3 numbers) and fullinertia (xx yy zz xy "
                    "xz yz)");
}

void tac_read_inertial(tacDraft* draft, const tacElement* element, tacBodyMass* sum) {
    tacReader* reader = &draft->reader;
    static const char* const turns[] = {"quat", "euler", "axisangle", "xyaxes", "zaxis"};
    tacInertia own = {0};
    tac_require(reader, element, "mass");
    tac_require(reader, element, "pos");
    for (int i = 0; i < 5 && tac_attribute(element, "fullinertia"); ++i)
        if (tac_attribute(element, turns[i]))
            tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, turns[i]),
                            turns[i], "fullinertia is in body axes: it takes no '%s'", turns[i]);
    tac_read_number(reader, element, "mass", not_negative, &own.mass);
    read_matrix(draft, element, own.inertia);
    tacPose pose = tac_pose_compose(draft->frame, tac_read_pose(draft, element));
    sum->given = tac_inertia_transform(pose, &own);
    sum->line = element->line;
}

//---------------------------------- bodies ---------------------------------------

// principal moments that no body can have: refused, or made equal if the scene says so
static void check_moments(tacDraft* draft, int line, tacInertia* I) {
    double p[3], axes[3][3];
    tac_eigen3(I->inertia, p, axes);
    double least = draft->compiler.boundinertia, slack = 1e-9 * p[0];
    if (p[1] + p[2] < p[0] - slack && draft->compiler.balanceinertia)
        p[0] = p[1] = p[2] = (p[0] + p[1] + p[2]) / 3.0;
    else if (p[1] + p[2] < p[0] - slack || p[2] < -slack)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, line, "<inertial>",
                        "no body has the principal moments %g %g %g: each is at most the sum of "
                        "the others; mend it, or write <compiler balanceinertia=\"true\"/>",
                        p[0], p[1], p[2]);
    else if (p[2] >= least)
        return;
    tacInertia turned = {.inertia = {fmax(p[0], least), fmax(p[1], least), fmax(p[2], least)}};
    tacMat3 R;
    memcpy(R.m, axes, sizeof axes);
    turned = tac_inertia_transform((tacPose){tac_vec3_zero(), tac_mat_to_quat(R)}, &turned);
    memcpy(I->inertia, turned.inertia, sizeof I->inertia);
}

static int has_mass(tacDraft* draft, const tacBody* body) {
    const double* I = tac_draft_values(draft, body->inertia);
    return *tac_draft_values(draft, body->mass) >= LEAST && I[0] + I[1] + I[2] >= LEAST;
}

static void fail_massless(tacDraft* draft, int body) {
    const char* name = ((const tacBody*)draft->body.items)[body].name;
    int named = name && *name, urdf = draft->reader.is_urdf;
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, ((const int*)draft->body_line.items)[body],
                    urdf ? "<link>" : "<body>",
                    "%s%.60s%sa %s that moves needs mass and inertia above 0: %s", named ? "'" : "",
                    named ? name : "", named ? "': " : "", urdf ? "link" : "body",
                    urdf ? "an <inertial>" : "geoms, or an <inertial>");
}

// bodies that move have mass, or one that is fixed to them has
void tac_check_masses(tacDraft* draft) {
    const tacBody* bodies = draft->body.items;
    int count = draft->body.count;
    char* carries = tac_reader_take(&draft->reader, (size_t)count);
    for (int b = 1; b < count && carries; ++b) {
        int mass = has_mass(draft, &bodies[b]);
        carries[b] |= (char)mass;
        if (mass && bodies[b].joints == 0) carries[bodies[b].parent] = 1;
    }
    for (int b = 1; b < count && carries; ++b)
        if (bodies[b].joints > 0 && !carries[b]) fail_massless(draft, b);
}

// of a body by itself: of its <inertial> or of its geoms
static tacInertia own_inertia(tacDraft* draft, const tacElement* element, const tacBodyMass* sum) {
    tacInertia I = sum->wanted ? sum->geoms : sum->given;
    if (draft->compiler.boundmass > I.mass) I.mass = draft->compiler.boundmass;
    check_moments(draft, sum->line ? sum->line : element->line, &I);
    return I;
}

// a body without joints becomes a part of the one that it hangs on
void tac_fuse_body(tacDraft* draft, const tacElement* element, tacBodyMass* part,
                   tacBodyMass* sum) {
    tacInertia I = own_inertia(draft, element, part);
    I = tac_inertia_add(&I, &part->fused);
    sum->fused = tac_inertia_add(&sum->fused, &I);
}

void tac_finish_body(tacDraft* draft, const tacElement* element, int body, tacPath path,
                     tacBodyMass* sum) {
    tacBody* at = (tacBody*)draft->body.items + body;
    tacInertia I = own_inertia(draft, element, sum);
    if (sum->fused.mass > 0.0) I = tac_inertia_add(&I, &sum->fused);
    const double com[3] = {I.com.x, I.com.y, I.com.z};
    at->mass = tac_draft_param(draft, path, "mass", any_mass, &I.mass, 1);
    at->com = tac_draft_param(draft, path, "com", tac_range_position, com, 3);
    at->inertia = tac_draft_param(draft, path, "inertia", any_moment, I.inertia, 6);
}

// <compiler settotalmass>: all masses and inertias by one factor
void tac_scale_masses(tacDraft* draft) {
    const tacBody* bodies = draft->body.items;
    double total = 0.0;
    if (draft->compiler.settotalmass <= 0.0 || draft->reader.result != TAC_OK) return;
    for (int b = 1; b < draft->body.count; ++b) total += *tac_draft_values(draft, bodies[b].mass);
    double factor = total > 0.0 ? draft->compiler.settotalmass / total : 1.0;
    for (int b = 1; b < draft->body.count; ++b) {
        *tac_draft_values(draft, bodies[b].mass) *= factor;
        double* inertia = tac_draft_values(draft, bodies[b].inertia);
        for (int i = 0; i < 6; ++i) inertia[i] *= factor;
    }
}
