// Placement of an element: pos, and one of five ways to write a rotation, as MuJoCo reads them.

#include "model/spec.h"

#include "base/assert.h"
#include "math/pose.h"

#include <math.h>
#include <string.h>

// shorter than this, a vector has no direction (MuJoCo's mjEPS)
#define MIN_LENGTH 1e-14

static const tacRange any_number = {-1e9, 1e9};

static void fail_zero(tacSpec* spec, const tacElement* element, const char* name,
                      const char* what) {
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name, "%s",
                    what);
}

static tacVec3 unit_vector(tacVec3 v) { return tac_scale(v, 1.0 / sqrt(tac_dot(v, v))); }

static double vector_length(tacVec3 v) { return sqrt(tac_dot(v, v)); }

static tacQuat quat_about_axis(tacVec3 unit_axis, double angle) {
    return tac_quat(cos(0.5 * angle), tac_scale(unit_axis, sin(0.5 * angle)));
}

//---------------------------------- five notations -------------------------------

static tacQuat from_quat(tacSpec* spec, const tacElement* element, const double* v) {
    double norm = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (norm < MIN_LENGTH) {
        fail_zero(spec, element, "quat",
                  "a quaternion of length 0 is not a rotation; the identity is 1 0 0 0");
        return tac_quat_identity();
    }
    return (tacQuat){v[0] / norm, v[1] / norm, v[2] / norm, v[3] / norm};
}

// lower case rotates about the moving axes (multiply on the right), upper case about the fixed ones
// (on the left)
static tacQuat from_euler(tacSpec* spec, const tacElement* element, const double* v) {
    (void)element;
    tacQuat q = tac_quat_identity();
    for (int i = 0; i < 3; ++i) {
        char axis = spec->compiler.eulerseq[i];
        int moving = axis >= 'x';
        double e[3] = {0};
        e[axis - (moving ? 'x' : 'X')] = 1.0;
        tacQuat step = quat_about_axis((tacVec3){e[0], e[1], e[2]}, v[i] * spec->compiler.angle);
        q = moving ? tac_quat_mul(q, step) : tac_quat_mul(step, q);
    }
    return q;
}

static tacQuat from_axisangle(tacSpec* spec, const tacElement* element, const double* v) {
    tacVec3 axis = {v[0], v[1], v[2]};
    if (vector_length(axis) < MIN_LENGTH) {
        fail_zero(spec, element, "axisangle", "the axis has length 0; give x y z angle");
        return tac_quat_identity();
    }
    return quat_about_axis(unit_vector(axis), v[3] * spec->compiler.angle);
}

static tacQuat from_xyaxes(tacSpec* spec, const tacElement* element, const double* v) {
    tacVec3 x = {v[0], v[1], v[2]}, y = {v[3], v[4], v[5]};
    if (vector_length(x) >= MIN_LENGTH) {
        x = unit_vector(x);
        y = tac_add_scaled(y, -tac_dot(x, y), x);
    }
    if (vector_length(x) < MIN_LENGTH || vector_length(y) < MIN_LENGTH) {
        fail_zero(spec, element, "xyaxes", "the x and y axes must not be 0 or parallel");
        return tac_quat_identity();
    }
    y = unit_vector(y);
    tacVec3 z = tac_cross(x, y);
    tacMat3 columns = {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
    return tac_mat_to_quat(columns);
}

// the smallest rotation of (0, 0, 1) to the given axis
static tacQuat from_zaxis(tacSpec* spec, const tacElement* element, const double* v) {
    tacVec3 z = {v[0], v[1], v[2]};
    if (vector_length(z) < MIN_LENGTH) {
        fail_zero(spec, element, "zaxis", "the axis has length 0");
        return tac_quat_identity();
    }
    z = unit_vector(z);
    tacVec3 axis = {-z.y, z.x, 0.0};
    double s = vector_length(axis);
    return quat_about_axis(s < 1e-10 ? (tacVec3){1.0, 0.0, 0.0} : unit_vector(axis), atan2(s, z.z));
}

//---------------------------------- poses ----------------------------------------

typedef struct orientationWord {
    const char* name;
    int count;
    tacQuat (*read)(tacSpec*, const tacElement*, const double*);
} orientationWord;

static const orientationWord orientations[] = {
    {"quat", 4, from_quat},     {"euler", 3, from_euler}, {"axisangle", 4, from_axisangle},
    {"xyaxes", 6, from_xyaxes}, {"zaxis", 3, from_zaxis},
};

static tacQuat read_rotation(tacSpec* spec, const tacElement* element) {
    tacQuat rotation = tac_quat_identity();
    const char* found = NULL;
    for (int i = 0; i < TAC_COUNT(orientations); ++i) {
        const orientationWord* o = &orientations[i];
        const tacAttribute* attribute = tac_attribute(element, o->name);
        if (!attribute) continue;
        if (found)
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, attribute->line, o->name,
                            "the rotation is given twice, by '%s' and '%s'; remove one", found,
                            o->name);
        found = o->name;
        double values[6];
        if (tac_read_vector(&spec->reader, element, o->name, o->count, any_number, values))
            rotation = o->read(spec, element, values);
    }
    return rotation;
}

// as MuJoCo does: the midpoint, and z from the second point to the first
int tac_read_fromto(tacSpec* spec, const tacElement* element, tacPose* pose, double* half) {
    double v[6];
    if (!tac_read_vector(&spec->reader, element, "fromto", 6, tac_range_position, v)) return 0;
    static const char* const others[] = {"pos", "quat", "euler", "axisangle", "xyaxes", "zaxis"};
    for (int i = 0; i < TAC_COUNT(others); ++i)
        if (tac_attribute(element, others[i]))
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, others[i]),
                            others[i], "the pose is given twice, by 'fromto' and '%s'; remove one",
                            others[i]);
    tacVec3 from = {v[0], v[1], v[2]}, to = {v[3], v[4], v[5]}, along = tac_sub(from, to);
    const double axis[3] = {along.x, along.y, along.z};
    *half = 0.5 * vector_length(along);
    if (*half < tac_range_size.lower) {
        fail_zero(spec, element, "fromto", "the two points are the same");
        return 0;
    }
    *pose = (tacPose){tac_scale(tac_add(from, to), 0.5), from_zaxis(spec, element, axis)};
    return 1;
}

tacPose tac_read_pose(tacSpec* spec, const tacElement* element) {
    double p[3] = {0};
    tac_read_vector(&spec->reader, element, "pos", 3, tac_range_position, p);
    return (tacPose){{p[0], p[1], p[2]}, read_rotation(spec, element)};
}
