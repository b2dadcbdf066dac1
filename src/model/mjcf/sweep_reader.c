// <sweep> to the block of numbers that shape/sweep/sweep_coefs.inl reads, and checks
// of it.
//
// A number that varies along the spline is given three times, one for each control point.

#include "model/spec.h"

#include "base/assert.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/sweep/sweep_coefs.inl"

#include <math.h>
#include <string.h>

static const tacRange range_angle = {-1e5, 1e5}; // radians
static const tacRange range_direction = {-1e9, 1e9};

//---------------------------------- numbers --------------------------------------

// `count` numbers, or three times as many: how many there are, 0 after a failure
static int read_varying(tacReader* reader, const tacElement* element, const char* name, int count,
                        tacRange range, double* out) {
    int read =
        tac_read_numbers(reader, element, name, (tacCountRange){count, 3 * count}, range, out);
    if (read == 0 || read == count || read == 3 * count) return read;
    tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                    "has %d numbers; give %d, or %d for three control points", read, count,
                    3 * count);
    return 0;
}

// three copies of a constant number
static void repeat_three_times(double* values, int count) {
    memcpy(values + count, values, sizeof(double) * (size_t)count);
    memcpy(values + 2 * count, values, sizeof(double) * (size_t)count);
}

//---------------------------------- spline ---------------------------------------

// b and a of p(t) = p1 + 2 b t + a t^2
typedef struct sweepSpline {
    tacVec3 b, a;
} sweepSpline;

static sweepSpline spline_of(const double* p) {
    tacVec3 b = tac_sub(tac_load3(p + 3), tac_load3(p));
    return (sweepSpline){b, tac_sub(tac_sub(tac_load3(p + 6), tac_load3(p + 3)), b)};
}

// where |v + w t| is least on [0, 1]
static tacVec3 closest_on_line(tacVec3 v, tacVec3 w) {
    double w2 = tac_norm2(w), t = w2 > 0.0 ? -tac_dot(v, w) / w2 : 0.0;
    return tac_add(v, tac_scale(w, fmin(fmax(t, 0.0), 1.0)));
}

// b + a t is the direction: it must not vanish, nor nearly
static void check_cusp(tacSpec* spec, const tacElement* element, sweepSpline s) {
    double first = tac_norm(s.b), last = tac_norm(tac_add(s.b, s.a)), most = fmax(first, last);
    int line = tac_attribute_line(element, "points");
    if (most == 0.0 || tac_norm(closest_on_line(s.b, s.a)) > 1e-3 * most) return;
    if (fmin(first, last) <= 1e-3 * most)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, line, "points",
                        "the %s two control points coincide, or nearly, so the spline has no "
                        "direction there; put the second one between the other two",
                        first < last ? "first" : "last");
    else
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, line, "points",
                        "the spline has a cusp, or nearly; move the second control point off the "
                        "line, or between the other two");
}

// across the plane of the spline; across the chord if it is straight
static tacVec3 default_up(sweepSpline s) {
    tacVec3 across = tac_cross(s.b, s.a), chord = tac_add(tac_scale(s.b, 2.0), s.a);
    double flat = tac_norm(across), length = tac_norm(chord);
    if (flat > 1e-9 * (tac_norm2(s.a) + tac_norm2(s.b))) return tac_scale(across, 1.0 / flat);
    if (length == 0.0) return (tacVec3){0.0, 1.0, 0.0};
    double u[3] = {fabs(chord.x), fabs(chord.y), fabs(chord.z)};
    int axis = u[1] <= u[0] && u[1] <= u[2] ? 1 : u[0] <= u[2] ? 0 : 2;
    tacVec3 least = {axis == 0, axis == 1, axis == 2};
    tacVec3 up = tac_sub(least, tac_scale(chord, tac_dot(least, chord) / tac_norm2(chord)));
    return tac_scale(up, 1.0 / tac_norm(up));
}

// square of the sine of the angle between `up` and the spline at t
static double sine2_at(sweepSpline s, tacVec3 up, double t) {
    tacVec3 v = tac_add_scaled(s.b, t, s.a);
    return tac_norm2(tac_cross(up, v)) / (tac_norm2(up) * tac_norm2(v));
}

// Its minimum on [0, 1]: at an end, or where the derivative of N(t)/D(t), two parabolas, is 0.
static double min_sine2(sweepSpline s, tacVec3 up) {
    tacVec3 m = tac_cross(up, s.b), n = tac_cross(up, s.a);
    double N[3] = {tac_norm2(m), 2.0 * tac_dot(m, n), tac_norm2(n)};
    double D[3] = {tac_norm2(s.b), 2.0 * tac_dot(s.b, s.a), tac_norm2(s.a)};
    double c = N[1] * D[0] - N[0] * D[1], b = N[2] * D[0] - N[0] * D[2];
    double a = N[2] * D[1] - N[1] * D[2], root = sqrt(fmax(b * b - a * c, 0.0));
    double q = -(b + copysign(root, b)), t[2] = {a != 0.0 ? q / a : -1.0, q != 0.0 ? c / q : -1.0};
    double least = fmin(sine2_at(s, up, 0.0), sine2_at(s, up, 1.0));
    for (int k = 0; k < 2; ++k)
        if (t[k] > 0.0 && t[k] < 1.0) least = fmin(least, sine2_at(s, up, t[k]));
    return least;
}

static void check_up(tacSpec* spec, const tacElement* element, sweepSpline s, tacVec3 up) {
    int line = tac_attribute_line(element, "up");
    if (spec->reader.result != TAC_OK) return;
    if (tac_norm2(s.b) + tac_norm2(s.a) == 0.0) s.b = (tacVec3){0.0, 0.0, 1.0};
    if (tac_norm(up) == 0.0)
        tac_reader_fail(
            &spec->reader, TAC_ERROR_VALUE, line, "up",
            "0 0 0 is not a direction; remove 'up', or give a direction across the spline");
    else if (min_sine2(s, up) < 1e-6)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, line, "up",
                        "is parallel to the spline somewhere, so the frame is undefined there; "
                        "choose a direction that crosses it everywhere");
}

//---------------------------------- planes ---------------------------------------

typedef struct sweepPlanes {
    int count, vary;
    double normal[TAC_SWEEP_PLANES][9], offset[TAC_SWEEP_PLANES][3];
    tacPath path[TAC_SWEEP_PLANES];
} sweepPlanes;

// a plane is given by normal and offset, or by a frame
static void check_one_placement(tacReader* reader, const tacElement* element) {
    static const char* const frame[] = {"pos", "quat", "euler", "axisangle", "xyaxes", "zaxis"};
    int given = tac_attribute(element, "normal") != NULL;
    for (int i = 0; i < TAC_COUNT(frame) && given; ++i)
        if (tac_attribute(element, frame[i]))
            tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, frame[i]),
                            frame[i],
                            "cannot be combined with 'normal'; give normal and offset, or pos and "
                            "an orientation");
    if (!given && tac_attribute(element, "offset"))
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "offset"), "offset",
                        "needs 'normal'; give both, or use 'pos'");
}

// normal . y <= offset, or the half-space below z = 0 of a frame
static void read_normal(tacSpec* spec, const tacElement* element, sweepPlanes* p, int k) {
    tacReader* reader = &spec->reader;
    double *n = p->normal[k], *offset = p->offset[k];
    check_one_placement(reader, element);
    if (!tac_attribute(element, "normal")) {
        tacPose pose = tac_read_pose(spec, element);
        tacMat3 R = tac_quat_to_mat(pose.rotation);
        tacVec3 z = {R.m[0][2], R.m[1][2], R.m[2][2]};
        tac_store3(n, z);
        repeat_three_times(n, 3);
        offset[0] = offset[1] = offset[2] = tac_dot(z, pose.position);
        return;
    }
    int normals = read_varying(reader, element, "normal", 3, range_direction, n);
    int offsets = read_varying(reader, element, "offset", 1, tac_range_position, offset);
    p->vary |= normals == 9 || offsets == 3;
    if (normals == 3) repeat_three_times(n, 3);
    if (offsets == 1) repeat_three_times(offset, 1);
}

// a normal interpolated from three must not vanish along the spline
static void check_normal(tacSpec* spec, const tacElement* element, const double* n) {
    if (spec->reader.result != TAC_OK) return;
    double most = 0.0, least = INFINITY;
    for (int i = 0; i <= 64; ++i) {
        double t = i / 64.0, w[3] = {(1.0 - t) * (1.0 - t), 2.0 * t * (1.0 - t), t * t}, square = 0;
        for (int k = 0; k < 3; ++k) {
            double sum = w[0] * n[k] + w[1] * n[3 + k] + w[2] * n[6 + k];
            square += sum * sum;
        }
        most = fmax(most, square);
        least = fmin(least, square);
    }
    if (least <= 1e-4 * most)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "normal"),
                        "normal", "is 0 0 0 somewhere along the spline, which is not a direction");
}

static void read_planes(tacSpec* spec, const tacElement* element, tacPath path, sweepPlanes* p) {
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next) {
        if (p->count == TAC_SWEEP_PLANES) {
            tac_reader_fail(&spec->reader, TAC_ERROR_LIMIT, c->line, "<plane>",
                            "a sweep has at most %d planes; intersect it with the others",
                            TAC_SWEEP_PLANES);
            return;
        }
        p->path[p->count] = tac_child_path(spec, c, p->count, path);
        read_normal(spec, c, p, p->count);
        check_normal(spec, c, p->normal[p->count]);
        ++p->count;
    }
}

//---------------------------------- sweep ----------------------------------------

static void read_angles(tacSpec* spec, const tacElement* element, double twist[3]) {
    tacRange range = {range_angle.lower / spec->compiler.angle,
                      range_angle.upper / spec->compiler.angle};
    tac_read_vector(&spec->reader, element, "twist", 3, range, twist);
    for (int k = 0; k < 3; ++k) twist[k] *= spec->compiler.angle;
}

static void add_planes(tacSpec* spec, const sweepPlanes* cut) {
    for (int k = 0; k < cut->count; ++k) {
        int copies = cut->vary ? 3 : 1;
        tac_spec_param(spec, cut->path[k], "normal", range_direction, cut->normal[k], 3 * copies);
        tac_spec_param(spec, cut->path[k], "offset", tac_range_position, cut->offset[k], copies);
    }
}

double tac_read_sweep(tacSpec* spec, const tacElement* element, tacPath path, tacNode* node) {
    tacReader* reader = &spec->reader;
    double points[9] = {0}, size[9], eps[6], twist[3] = {0}, up[3];
    for (int k = 0; k < 9; ++k) {
        size[k] = 1.0;
        eps[k % 6] = 1.0;
    }
    tac_require(reader, element, "points");
    tac_require(reader, element, "size");
    tac_require(reader, element, "eps");
    tac_read_vector(reader, element, "points", 9, tac_range_position, points);
    int sizes = read_varying(reader, element, "size", 3, tac_range_size, size);
    int exponents = read_varying(reader, element, "eps", 2, tac_range_eps, eps);
    read_angles(spec, element, twist);
    sweepSpline s = spline_of(points);
    check_cusp(spec, element, s);
    tac_store3(up, default_up(s));
    tac_read_vector(reader, element, "up", 3, range_direction, up);
    check_up(spec, element, s, tac_load3(up));
    if (sizes == 3) repeat_three_times(size, 3);
    if (exponents == 2) repeat_three_times(eps, 2);
    sweepPlanes cut = {0};
    read_planes(spec, element, path, &cut);

    node->layout = (sizes == 9 ? TAC_SWEEP_SIZE_VARIES : 0) |
                   (exponents == 6 ? TAC_SWEEP_EPS_VARIES : 0) |
                   (cut.vary ? TAC_SWEEP_PLANES_VARY : 0) | cut.count * TAC_SWEEP_ONE_PLANE;
    node->block = tac_spec_param(spec, path, "points", tac_range_position, points, 9);
    tac_spec_param(spec, path, "up", range_direction, up, 3);
    tac_spec_param(spec, path, "twist", range_angle, twist, 3);
    tac_spec_param(spec, path, "size", tac_range_size, size, tac_sweep_size_count(node->layout));
    tac_spec_param(spec, path, "eps", tac_range_eps, eps, tac_sweep_eps_count(node->layout));
    add_planes(spec, &cut);
    node->block_count = TAC_SWEEP_SIZE + tac_sweep_size_count(node->layout) +
                        tac_sweep_eps_count(node->layout) + cut.count * (cut.vary ? 12 : 4);
    double sum = 0.0;
    for (int k = 0; k < 9; ++k) sum += size[k] / 9.0;
    return sum;
}
