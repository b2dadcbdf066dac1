// Checks of the points and normals of a cloud.
//
// A closed surface has outward normals n_i that sum to 0, weighted by area, and of which each has
// others on the far side of its plane. So normals may not all point to one side, nor may those of
// neighbours on one plane point to both.

#include "model/mjcf/cloud_check.h"

#include "math/vec3.h"

#include <math.h>

// iterations of the search for a side that all normals point to
#define MAX_ITERATIONS 60

static tacVec3 point_of(const tacCloudPoints* points, int i) {
    return tac_load3(&points->point[3 * (size_t)i]);
}

static tacVec3 normal_of(const tacCloudPoints* points, int i) {
    return tac_load3(&points->normal[3 * (size_t)i]);
}

static void fail_cloud_attribute(const tacCloudSource* source, const char* attribute,
                                 const char* text) {
    tac_reader_fail(source->reader, TAC_ERROR_VALUE, tac_attribute_line(source->element, attribute),
                    attribute, "%s", text);
}

//---------------------------------- one point ------------------------------------

static void normalize_normals(const tacCloudSource* source, tacCloudPoints* points) {
    for (int i = 0; i < points->count && source->reader->result == TAC_OK; ++i) {
        tacVec3 n = normal_of(points, i);
        double length = tac_norm(n);
        if (!(fabs(length - 1.0) <= 1e-3))
            tac_reader_fail(source->reader, TAC_ERROR_VALUE,
                            tac_attribute_line(source->element, source->normals), source->normals,
                            "the normal of point %d (%.6g %.6g %.6g) has length %.6g; normals must "
                            "have length 1",
                            points->order[i], n.x, n.y, n.z, length);
        else
            tac_store3(&points->normal[3 * (size_t)i], tac_scale(n, 1.0 / length));
    }
}

//---------------------------------- two points -----------------------------------

static void check_pair(const tacCloudSource* source, const tacCloudPoints* points, int i, int j,
                       double distance, double size) {
    tacVec3 n = normal_of(points, i), m = normal_of(points, j);
    tacVec3 d = tac_sub(point_of(points, i), point_of(points, j));
    double off = fmax(fabs(tac_dot(m, d)), fabs(tac_dot(n, d)));
    const char *attribute = NULL, *text = NULL;
    if (distance <= 1e-12 * size) {
        attribute = source->points;
        text = "points %d and %d coincide; remove one, or set check=\"false\"";
    } else if (tac_dot(n, m) < -0.5 && off < 0.25 * distance) {
        attribute = source->normals;
        text = "the normals of the neighbours %d and %d point to opposite sides of one plane; flip "
               "one, or set check=\"false\"";
    }
    if (text)
        tac_reader_fail(source->reader, TAC_ERROR_VALUE,
                        tac_attribute_line(source->element, attribute), attribute, text,
                        points->order[i], points->order[j]);
}

//---------------------------------- all points -----------------------------------

// outward normals have a positive mean of n . (p - centre), by the divergence theorem
static void check_outward(const tacCloudSource* source, const tacCloudPoints* points) {
    tacVec3 centre = tac_vec3_zero();
    double flux = 0.0, radius = 0.0;
    for (int i = 0; i < points->count; ++i)
        centre = tac_add_scaled(centre, 1.0 / points->count, point_of(points, i));
    for (int i = 0; i < points->count; ++i) {
        tacVec3 d = tac_sub(point_of(points, i), centre);
        flux += tac_dot(d, normal_of(points, i));
        radius += tac_norm(d);
    }
    if (flux < -0.2 * radius)
        fail_cloud_attribute(
            source, source->normals,
            "the normals point inwards; flip them all, or set check=\"false\" for a cavity");
}

// The shortest vector w of the normals' convex hull, by steps to the normal lowest along w:
// if even that one has a positive product with w, all have.
static int normals_share_a_side(const tacCloudPoints* points) {
    tacVec3 w = normal_of(points, 0);
    for (int iteration = 0; iteration < MAX_ITERATIONS; ++iteration) {
        int lowest_index = 0;
        double lowest = INFINITY;
        for (int i = 0; i < points->count; ++i) {
            double along = tac_dot(w, normal_of(points, i));
            if (along < lowest) {
                lowest = along;
                lowest_index = i;
            }
        }
        if (lowest > 1e-6 * tac_norm(w)) return 1;
        tacVec3 step = tac_sub(normal_of(points, lowest_index), w);
        double length2 = tac_norm2(step);
        w = tac_add_scaled(w, fmin(1.0, -tac_dot(w, step) / length2), step);
        if (tac_norm2(w) < 1e-3) return 0;
    }
    return 0;
}

double tac_cloud_size(const tacCloudPoints* points) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < points->count; ++i)
        for (int k = 0; k < 3; ++k) {
            double x = points->point[3 * (size_t)i + (size_t)k];
            low[k] = fmin(low[k], x);
            high[k] = fmax(high[k], x);
        }
    return tac_distance(tac_load3(low), tac_load3(high));
}

double tac_cloud_check(const tacCloudSource* source, tacCloudPoints* points) {
    tacReader* reader = source->reader;
    int checked = 1;
    normalize_normals(source, points);
    tac_read_bool(reader, source->element, "check", &checked);
    double* distance = tac_reader_alloc(reader, sizeof(double) * (size_t)points->count);
    int* nearest = distance ? tac_cloud_neighbours(reader, points, distance) : NULL;
    if (!nearest || points->count < 2) return 0.0;
    double size = tac_cloud_size(points), sum = 0.0;
    for (int i = 0; i < points->count; ++i) {
        if (checked && reader->result == TAC_OK)
            check_pair(source, points, i, nearest[i], distance[i], size);
        sum += distance[i];
    }
    if (checked && reader->result == TAC_OK) check_outward(source, points);
    if (checked && reader->result == TAC_OK && normals_share_a_side(points))
        fail_cloud_attribute(
            source, source->normals,
            "the normals all point to one side, so the surface is not closed; flip the wrong ones, "
            "add the other side, or set check=\"false\" for an open sheet");
    return sum / points->count;
}
