// Mass, centre of mass and inertia of each body: from <inertial>, or from its geoms.
//
// A geom's part is added while geoms are read; when the body is complete, its <inertial> or that
// sum becomes the body's ten parameters.

#include "model/spec.h"

#include "math/dense.h"
#include "math/spatial.h"
#include "tactus/mesh.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
// below this a moving body has no mass (MuJoCo's mjMINVAL)
#define MIN_INERTIA 1e-15

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};
// upper bound of masses: larger than any scene has
static const tacRange any_mass = {0.0, 1e100}, any_moment = {-1e100, 1e100};

//---------------------------------- geoms ----------------------------------------

// volume and diagonal inertia of unit mass, in the geom's axes
static double solid_inertia(tacNodeKind kind, const double* s, double inertia[3]) {
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
static double shell_inertia(tacNodeKind kind, const double* s, double inertia[3]) {
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
static tacShapeInertia integrate_shape(tacSpec* spec, const tacElement* element, int shape) {
    tacShapeInertia solid_inertia = {.shape = shape};
    tacMass mass;
    tacMessage message = {0};
    tacModel view = tac_spec_model_view(spec);
    if (spec->reader.result != TAC_OK) return solid_inertia;
    tacResult result = tac_shape_mass(&view, shape, 1.0, 1e-4, &mass, &message);
    if (result != TAC_OK || mass.error > 1e-2) {
        tac_reader_fail(&spec->reader, result == TAC_OK ? TAC_ERROR_UNSOLVED : result,
                        element->line, "shape",
                        "cannot compute the mass of this shape: %s; give the body an <inertial>, "
                        "or the geom mass=\"0\"",
                        result == TAC_OK ? "its details are too fine" : message.text);
        return solid_inertia;
    }
    solid_inertia.volume = mass.volume;
    solid_inertia.inertia = (tacInertia){mass.mass, tac_load3(mass.center), {0}};
    memcpy(solid_inertia.inertia.inertia, mass.inertia, sizeof solid_inertia.inertia.inertia);
    return solid_inertia;
}

// computed once for all geoms of a shape, as it can take seconds
static double shape_inertia(tacSpec* spec, const tacElement* element, int shape, tacInertia* I) {
    tacShapeInertia *known = spec->assets.shape_inertia.items, solid_inertia;
    for (int i = 0; i < spec->assets.shape_inertia.count; ++i)
        if (known[i].shape == shape) {
            *I = known[i].inertia;
            return known[i].volume;
        }
    solid_inertia = integrate_shape(spec, element, shape);
    known = tac_list_add(&spec->reader, &spec->assets.shape_inertia, sizeof *known);
    if (known) *known = solid_inertia;
    *I = solid_inertia.inertia;
    return solid_inertia.volume;
}

// volume or area, and the inertia of unit density in the geom's frame
static double unit_inertia(tacSpec* spec, const tacElement* element, const tacGeomSpec* geom_spec,
                           tacInertia* I) {
    double moment[3], volume;
    int is_shell = 0;
    tac_read_bool(&spec->reader, element, "shellinertia", &is_shell);
    if (is_shell && (geom_spec->mesh || geom_spec->kind >= TAC_NODE_UNION ||
                     geom_spec->kind == TAC_NODE_ELLIPSOID))
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "shellinertia"), "shellinertia",
                        geom_spec->mesh
                            ? "set inertia=\"shell\" in the <mesh> instead"
                            : "is for spheres, capsules, cylinders and boxes; give the body "
                              "an <inertial>");
    if (geom_spec->prism) {
        *I = *geom_spec->prism;
        return I->mass;
    }
    if (geom_spec->kind >= TAC_NODE_UNION && !geom_spec->mesh)
        return shape_inertia(spec, element, geom_spec->shape, I);
    if (geom_spec->mesh) {
        volume = tac_mesh_moments(spec, geom_spec->mesh, element->line, moment);
        *I = (tacInertia){volume, tac_vec3_zero(), {moment[0], moment[1], moment[2]}};
        return volume;
    }
    volume = is_shell ? shell_inertia(geom_spec->kind, geom_spec->size, moment)
                      : solid_inertia(geom_spec->kind, geom_spec->size, moment);
    *I = (tacInertia){
        volume, tac_vec3_zero(), {volume * moment[0], volume * moment[1], volume * moment[2]}};
    return volume;
}

void tac_read_geom_mass(tacSpec* spec, const tacElement* element, const tacGeomSpec* geom_spec,
                        tacBodyMass* sum) {
    double density = 1000.0, mass = -1.0;
    tac_read_number(&spec->reader, element, "density", not_negative, &density);
    tac_read_number(&spec->reader, element, "mass", not_negative, &mass);
    if (mass == 0.0 || (mass < 0.0 && density == 0.0)) return;
    // slow masses are only computed where they matter
    if (!sum->moves && geom_spec->kind >= TAC_NODE_UNION) return;
    tacInertia geom = {0};
    double volume = unit_inertia(spec, element, geom_spec, &geom);
    if (!(volume > 0.0) || spec->reader.result != TAC_OK) return;
    double scale = mass < 0.0 ? density : mass / volume;
    geom.mass *= scale;
    for (int i = 0; i < 6; ++i) geom.inertia[i] *= scale;
    geom = tac_inertia_transform(geom_spec->pose, &geom);
    sum->geoms = tac_inertia_add(&sum->geoms, &geom);
}

//---------------------------------- inertial -------------------------------------

static void read_matrix(tacSpec* spec, const tacElement* element, double inertia[6]) {
    tacReader* reader = &spec->reader;
    int diagonal = tac_read_vector(reader, element, "diaginertia", 3, not_negative, inertia);
    int full = tac_read_vector(reader, element, "fullinertia", 6, any_number, inertia);
    if (reader->result != TAC_OK || (diagonal > 0) + (full > 0) == 1) return;
    tac_reader_fail(
        reader, TAC_ERROR_VALUE, element->line, full ? "fullinertia" : "diaginertia",
        "<inertial> needs either diaginertia (3 numbers) or fullinertia (xx yy zz xy xz yz)");
}

void tac_read_inertial(tacSpec* spec, const tacElement* element, tacBodyMass* sum) {
    tacReader* reader = &spec->reader;
    static const char* const rotations[] = {"quat", "euler", "axisangle", "xyaxes", "zaxis"};
    tacInertia own = {0};
    tac_require(reader, element, "mass");
    tac_require(reader, element, "pos");
    for (int i = 0; i < 5 && tac_attribute(element, "fullinertia"); ++i)
        if (tac_attribute(element, rotations[i]))
            tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, rotations[i]),
                            rotations[i], "fullinertia is in the body frame; remove '%s'",
                            rotations[i]);
    tac_read_number(reader, element, "mass", not_negative, &own.mass);
    read_matrix(spec, element, own.inertia);
    tacPose pose = tac_pose_compose(spec->tree.frame, tac_read_pose(spec, element));
    sum->given = tac_inertia_transform(pose, &own);
    sum->line = element->line;
}

//---------------------------------- bodies ---------------------------------------

// impossible principal moments: refused, or made equal with balanceinertia
static void check_moments(tacSpec* spec, int line, tacInertia* I) {
    double p[3], axes[3][3];
    tac_eigen3(I->inertia, p, axes);
    double min_moment = spec->compiler.boundinertia, slack = 1e-9 * p[0];
    if (p[1] + p[2] < p[0] - slack && spec->compiler.balanceinertia)
        p[0] = p[1] = p[2] = (p[0] + p[1] + p[2]) / 3.0;
    else if (p[1] + p[2] < p[0] - slack || p[2] < -slack)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, line, "<inertial>",
                        "the principal moments %g %g %g are impossible: each is at most the sum of "
                        "the others; correct them, or set <compiler balanceinertia=\"true\"/>",
                        p[0], p[1], p[2]);
    else if (p[2] >= min_moment)
        return;
    tacInertia turned = {
        .inertia = {fmax(p[0], min_moment), fmax(p[1], min_moment), fmax(p[2], min_moment)}};
    tacMat3 R;
    memcpy(R.m, axes, sizeof axes);
    turned = tac_inertia_transform((tacPose){tac_vec3_zero(), tac_mat_to_quat(R)}, &turned);
    memcpy(I->inertia, turned.inertia, sizeof I->inertia);
}

static int has_mass(tacSpec* spec, const tacBody* body) {
    const double* I = tac_spec_values(spec, body->inertia);
    return *tac_spec_values(spec, body->mass) >= MIN_INERTIA && I[0] + I[1] + I[2] >= MIN_INERTIA;
}

static void fail_massless(tacSpec* spec, int body) {
    const char* name = ((const tacBody*)spec->tree.body.items)[body].name;
    int named = name && *name, urdf = spec->reader.is_urdf;
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, ((const int*)spec->tree.body_line.items)[body],
                    urdf ? "<link>" : "<body>",
                    "%s%.60s%sa moving %s needs mass and inertia above 0: %s", named ? "'" : "",
                    named ? name : "", named ? "': " : "", urdf ? "link" : "body",
                    urdf ? "an <inertial>" : "geoms, or an <inertial>");
}

// moving bodies must have mass, or a body fixed to them
void tac_check_masses(tacSpec* spec) {
    const tacBody* bodies = spec->tree.body.items;
    int count = spec->tree.body.count;
    char* carries = tac_reader_alloc(&spec->reader, (size_t)count);
    for (int b = 1; b < count && carries; ++b) {
        int mass = has_mass(spec, &bodies[b]);
        carries[b] |= (char)mass;
        if (mass && bodies[b].joints == 0) carries[bodies[b].parent] = 1;
    }
    for (int b = 1; b < count && carries; ++b)
        if (bodies[b].joints > 0 && !carries[b]) fail_massless(spec, b);
}

// inertia of one body: of its <inertial> or of its geoms
static tacInertia own_inertia(tacSpec* spec, const tacElement* element, const tacBodyMass* sum) {
    tacInertia I = sum->wanted ? sum->geoms : sum->given;
    if (spec->compiler.boundmass > I.mass) I.mass = spec->compiler.boundmass;
    check_moments(spec, sum->line ? sum->line : element->line, &I);
    return I;
}

// a body without joints is fused with its parent
void tac_fuse_body(tacSpec* spec, const tacElement* element, tacBodyMass* part, tacBodyMass* sum) {
    tacInertia I = own_inertia(spec, element, part);
    I = tac_inertia_add(&I, &part->fused);
    sum->fused = tac_inertia_add(&sum->fused, &I);
}

void tac_finish_body(tacSpec* spec, const tacElement* element, int body, tacPath path,
                     tacBodyMass* sum) {
    tacBody* at = (tacBody*)spec->tree.body.items + body;
    spec->at = element;
    tacInertia I = own_inertia(spec, element, sum);
    if (sum->fused.mass > 0.0) I = tac_inertia_add(&I, &sum->fused);
    const double com[3] = {I.com.x, I.com.y, I.com.z};
    at->mass = tac_spec_param(spec, path, "mass", any_mass, &I.mass, 1);
    at->com = tac_spec_param(spec, path, "com", tac_range_position, com, 3);
    at->inertia = tac_spec_param(spec, path, "inertia", any_moment, I.inertia, 6);
}

// <compiler settotalmass>: all masses and inertias by one factor
void tac_scale_masses(tacSpec* spec) {
    const tacBody* bodies = spec->tree.body.items;
    double total = 0.0;
    if (spec->compiler.settotalmass <= 0.0 || spec->reader.result != TAC_OK) return;
    for (int b = 1; b < spec->tree.body.count; ++b) total += *tac_spec_values(spec, bodies[b].mass);
    double factor = total > 0.0 ? spec->compiler.settotalmass / total : 1.0;
    for (int b = 1; b < spec->tree.body.count; ++b) {
        *tac_spec_values(spec, bodies[b].mass) *= factor;
        double* inertia = tac_spec_values(spec, bodies[b].inertia);
        for (int i = 0; i < 6; ++i) inertia[i] *= factor;
    }
}
