// Clouds of oriented points from closed meshes.

#include "model/contact/contact_cloud.h"

#include "base/message.h"
#include "math/pose.h"
#include "mesh/io/soup_stats.h"
#include "model/mjcf/cloud_points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUN (TAC_CLOUD_LEAF / 2) // points that move through a field together

//---------------------------------- memory ---------------------------------------

// sizes of a cloud's arrays
typedef struct cloudShape {
    int count, vertices, corners;
} cloudShape;

static void* carve(char** at, size_t size) {
    void* out = *at;
    *at += (size + 63) & ~(size_t)63;
    return out;
}

// lays the arrays out from `at` on; with NULL it only measures
static char* carve_arrays(tacContactCloud* c, cloudShape shape, char* at) {
    size_t n = (size_t)shape.count, v = (size_t)shape.vertices;
    tacCloudLevels levels = tac_cloud_levels(shape.count);
    c->page = carve(&at, sizeof(tacClusterPage) * (size_t)levels.first[levels.count]);
    c->block = carve(&at, sizeof(double) * 6 * n);
    c->log_area = carve(&at, sizeof(double) * n);
    c->reach = carve(&at, sizeof(double) * n);
    c->log_amp = carve(&at, sizeof(double) * n);
    c->inv_depth2 = carve(&at, sizeof(double) * n);
    for (int k = 0; k < 3; ++k) c->vertex[k] = carve(&at, sizeof(double) * (v + 1));
    c->first = carve(&at, sizeof(int) * (v + 1));
    c->face = carve(&at, sizeof(int) * (size_t)(shape.corners + 1));
    return at;
}

static tacContactCloud* alloc_cloud(cloudShape shape, tacAllocator allocator) {
    tacContactCloud plan;
    size_t head = (sizeof plan + 63) & ~(size_t)63;
    size_t bytes = head + (size_t)(carve_arrays(&plan, shape, (char*)64) - (char*)64);
    char* memory = allocator.allocate(allocator.user, bytes);
    if (!memory) return NULL;
    memset(memory, 0, bytes);
    tacContactCloud* c = (tacContactCloud*)memory;
    carve_arrays(c, shape, memory + head);
    c->count = c->queries = shape.count;
    c->vertices = shape.vertices;
    c->bytes = bytes;
    return c;
}

//---------------------------------- checks ---------------------------------------

// an edge of a face that is not shared with exactly one other face: its two vertices, from 0
static void find_edge(const tacSoup* soup, int face, int edge[2]) {
    int first = soup->first[face], count = soup->first[face + 1] - first;
    for (int i = 0; i < count; ++i) {
        int a = soup->corner[first + i], b = soup->corner[first + (i + 1) % count], met = 0;
        for (int f = 0; f < soup->nface; ++f)
            for (int k = soup->first[f], n = soup->first[f + 1]; k < n; ++k)
                met +=
                    soup->corner[k] == b && soup->corner[k + 1 < n ? k + 1 : soup->first[f]] == a;
        edge[0] = a;
        edge[1] = b;
        if (met != 1) return;
    }
}

static tacResult fail_edge(const tacSoup* soup, const tacSoupStats* m, tacMessage* message) {
    int edge[2] = {0, 0};
    find_edge(soup, m->first_bad, edge);
    return tac_fail(
        message, TAC_ERROR_VALUE, soup->file, soup->face_line ? soup->face_line[m->first_bad] : 0,
        NULL,
        "face %d, edge of vertices %d and %d (from 0): %s; contact needs a closed mesh with "
        "vertices counter-clockwise from outside",
        m->first_bad, edge[0], edge[1],
        m->closed ? "a neighbouring face has the opposite orientation"
                  : "it does not belong to two faces");
}

static tacResult check_mesh(const tacSoup* soup, const double* area, tacMessage* message) {
    tacSoupStats m;
    if (soup->nface < 1)
        return tac_fail(message, TAC_ERROR_VALUE, soup->file, 0, NULL,
                        "has no faces; a contact cloud needs a closed mesh");
    if (tac_soup_stats(soup, &m) != TAC_OK)
        return tac_fail(message, TAC_ERROR_MEMORY, soup->file, 0, NULL, "out of memory");
    if (!m.oriented) return fail_edge(soup, &m, message);
    for (int f = 0; f < soup->nface; ++f)
        if (!(area[f] > 0.0))
            return tac_fail(
                message, TAC_ERROR_VALUE, soup->file, soup->face_line ? soup->face_line[f] : 0,
                NULL, "face %d (from 0) has no area, and so no normal; remove it from the mesh", f);
    return TAC_OK;
}

// a connected component of a mesh: volume of the cones over its faces, and its bounding box
typedef struct cloudPart {
    double volume, low[3], high[3];
    int face; // its first
} cloudPart;

static int root_of(int* parent, int v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
}

// union-find: vertices of a face are connected; parent[v] leads to the root of v's component
static void join_faces(const tacSoup* soup, int* parent) {
    for (int v = 0; v < soup->nvertex; ++v) parent[v] = v;
    for (int f = 0; f < soup->nface; ++f)
        for (int i = soup->first[f] + 1; i < soup->first[f + 1]; ++i) {
            int a = root_of(parent, soup->corner[i - 1]), b = root_of(parent, soup->corner[i]);
            parent[a > b ? a : b] = a > b ? b : a;
        }
}

static void fill_parts(const tacSoup* soup, const double* centre, const double* normal,
                       const double* area, int* parent, cloudPart* part) {
    for (int v = 0; v < soup->nvertex; ++v)
        part[v] =
            (cloudPart){0.0, {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, -1};
    for (int f = 0; f < soup->nface; ++f) {
        cloudPart* p = &part[root_of(parent, soup->corner[soup->first[f]])];
        p->volume += area[f] * tac_dot(tac_load3(&centre[3 * f]), tac_load3(&normal[3 * f]));
        if (p->face < 0) p->face = f;
    }
    for (int v = 0; v < soup->nvertex; ++v) {
        cloudPart* p = &part[root_of(parent, v)];
        for (int k = 0; k < 3; ++k) {
            p->low[k] = fmin(p->low[k], soup->vertex[3 * v + k]);
            p->high[k] = fmax(p->high[k], soup->vertex[3 * v + k]);
        }
    }
}

// a cavity: inside out, and inside a component that is not
static int is_cavity(const cloudPart* part, int count, const cloudPart* p) {
    for (int i = 0; i < count; ++i) {
        int inside = part[i].face >= 0 && part[i].volume > 0.0;
        for (int k = 0; k < 3; ++k)
            inside &= part[i].low[k] < p->low[k] && p->high[k] < part[i].high[k];
        if (inside) return 1;
    }
    return 0;
}

// outward normals: the volume of each component is positive, except for cavities
static tacResult check_outward(tacReader* reader, const tacSoup* soup, const double* centre,
                               const double* normal, const double* area, tacMessage* message) {
    size_t n = (size_t)soup->nvertex + 1;
    int* parent = tac_reader_alloc(reader, sizeof *parent * n);
    cloudPart* part = tac_reader_alloc(reader, sizeof *part * n);
    if (!parent || !part) return TAC_ERROR_MEMORY;
    join_faces(soup, parent);
    fill_parts(soup, centre, normal, area, parent, part);
    for (int v = 0; v < soup->nvertex; ++v) {
        int f = part[v].face;
        if (f < 0 || part[v].volume > 0.0 || is_cavity(part, soup->nvertex, &part[v])) continue;
        return tac_fail(
            message, TAC_ERROR_VALUE, soup->file, soup->face_line ? soup->face_line[f] : 0, NULL,
            "face %d (from 0) and all faces connected to it are inside out; reverse their vertices",
            f);
    }
    return TAC_OK;
}

//---------------------------------- filling --------------------------------------

// areas and lengths of points, in the order of a file
typedef struct pointSizes {
    const double *area, *reach; // reach NULL: the spacing
    int weighted;               // 1: points count by their areas
} pointSizes;

static void fill_points(tacContactCloud* c, const tacCloudPoints* points, pointSizes sizes) {
    double *block = (double*)c->block, *log_area = (double*)c->log_area, total = 0.0;
    double* range = c->log_area_range;
    for (int i = 0; i < c->count; ++i) {
        for (int k = 0; k < 3; ++k) {
            block[k * c->count + i] = points->point[3 * i + k];
            block[(3 + k) * c->count + i] = points->normal[3 * i + k];
        }
        double area = sizes.area[points->order[i]];
        total += area;
        log_area[i] = sizes.weighted ? log(area) : 0.0;
        range[0] = i > 0 ? fmin(range[0], log_area[i]) : log_area[i];
        range[1] = i > 0 ? fmax(range[1], log_area[i]) : log_area[i];
    }
    c->spacing = sqrt(total / c->count);
    c->weighted = sizes.weighted;
    for (int i = 0; i < c->count; ++i)
        ((double*)c->reach)[i] = sizes.reach ? sizes.reach[points->order[i]] : c->spacing;
}

// amplitudes in units of the smallest
static void fill_kernel(tacContactCloud* c, const tacCloudPoints* points,
                        const tacSurfacePoints* surface) {
    double least = INFINITY, *log_amp = (double*)c->log_amp;
    c->own_eps = surface->own_eps;
    for (int i = 0; i < c->count && surface->log_amp; ++i) least = fmin(least, surface->log_amp[i]);
    for (int i = 0; i < c->count && surface->log_amp; ++i) {
        log_amp[i] = surface->log_amp[points->order[i]] - least;
        c->log_amp_range = fmax(c->log_amp_range, log_amp[i]);
    }
    if (!surface->log_amp) c->log_amp = NULL;
}

static void fill_extent(tacContactCloud* c) {
    double mean[3] = {0.0, 0.0, 0.0}, square = 0.0, far = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double* x = c->block + k * c->count;
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < c->count; ++i) {
            mean[k] += x[i] / c->count;
            low = fmin(low, x[i]);
            high = fmax(high, x[i]);
        }
        square += (high - low) * (high - low);
    }
    for (int i = 0; i < c->count; ++i) {
        double sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = c->block[k * c->count + i] - mean[k];
            sum += d * d;
        }
        far = fmax(far, sum);
    }
    c->size = sqrt(square);
    c->radius = sqrt(far);
    tac_contact_clusters(c->block, c->count, (tacClusterPage*)c->page);
}

// the points around each vertex; sorted_index[f] is the new index of face f
static void fill_vertices(tacContactCloud* c, const tacSoup* soup, tacPose pose,
                          const int* sorted_index) {
    int *first = (int*)c->first, *face = (int*)c->face;
    for (int v = 0; v < c->vertices; ++v) {
        tacVec3 x = tac_pose_apply(pose, tac_load3(&soup->vertex[3 * v]));
        ((double*)c->vertex[0])[v] = x.x;
        ((double*)c->vertex[1])[v] = x.y;
        ((double*)c->vertex[2])[v] = x.z;
    }
    for (int i = 0; i < soup->ncorner; ++i) ++first[soup->corner[i] + 1];
    for (int v = 0; v < c->vertices; ++v) first[v + 1] += first[v];
    for (int f = 0; f < soup->nface; ++f)
        for (int i = soup->first[f]; i < soup->first[f + 1]; ++i)
            face[first[soup->corner[i]]++] = sorted_index[f];
    for (int v = c->vertices; v > 0; --v) first[v] = first[v - 1];
    first[0] = 0;
}

static tacResult fill_cloud(tacReader* reader, const tacSoup* soup, tacPose pose,
                            tacCloudPoints* points, pointSizes sizes, tacContactCloud* c) {
    for (int i = 0; i < points->count; ++i) {
        tac_store3(&points->point[3 * i], tac_pose_apply(pose, tac_load3(&points->point[3 * i])));
        tac_store3(&points->normal[3 * i],
                   tac_pose_rotate(pose, tac_load3(&points->normal[3 * i])));
    }
    tac_cloud_order(reader, points, RUN);
    int* sorted_index = tac_reader_alloc(reader, sizeof(int) * (size_t)points->count);
    if (!sorted_index) return TAC_ERROR_MEMORY;
    for (int i = 0; i < points->count; ++i) sorted_index[points->order[i]] = i;
    fill_points(c, points, sizes);
    fill_extent(c);
    fill_vertices(c, soup, pose, sorted_index);
    return TAC_OK;
}

//---------------------------------- clouds ---------------------------------------

// centres, normals and areas of the faces of a mesh, and their longest sides
typedef struct meshFaces {
    tacCloudPoints points;
    double *area, *reach;
} meshFaces;

static double longest_side(const tacSoup* soup, int face) {
    int first = soup->first[face], count = soup->first[face + 1] - first;
    double most = 0.0;
    for (int i = 0; i < count; ++i) {
        const double *a = &soup->vertex[3 * (size_t)soup->corner[first + i]],
                     *b = &soup->vertex[3 * (size_t)soup->corner[first + (i + 1) % count]];
        most = fmax(most, tac_norm(tac_sub(tac_load3(a), tac_load3(b))));
    }
    return most;
}

static tacResult check_faces(tacReader* reader, const tacSoup* soup, meshFaces* f,
                             tacMessage* message) {
    size_t n = (size_t)soup->nface + 1;
    *f = (meshFaces){.points = {.count = soup->nface,
                                .point = tac_reader_alloc(reader, 3 * sizeof(double) * n),
                                .normal = tac_reader_alloc(reader, 3 * sizeof(double) * n)},
                     .area = tac_reader_alloc(reader, sizeof(double) * n),
                     .reach = tac_reader_alloc(reader, sizeof(double) * n)};
    if (!f->points.point || !f->points.normal || !f->area || !f->reach) return TAC_ERROR_MEMORY;
    tac_soup_faces(soup, f->points.point, f->points.normal, f->area);
    for (int i = 0; i < soup->nface; ++i) f->reach[i] = longest_side(soup, i);
    tacResult result = check_mesh(soup, f->area, message);
    if (result != TAC_OK) return result;
    return check_outward(reader, soup, f->points.point, f->points.normal, f->area, message);
}

static tacResult make_cloud(tacReader* reader, const tacSoup* soup, tacPose pose,
                            tacContactCloud** out, tacMessage* message) {
    meshFaces faces;
    tacResult result = check_faces(reader, soup, &faces, message);
    if (result != TAC_OK) return result;
    tacAllocator allocator = reader->allocator;
    tacContactCloud* c =
        alloc_cloud((cloudShape){soup->nface, soup->nvertex, soup->ncorner}, allocator);
    if (c) c->log_amp = NULL;
    result = c ? fill_cloud(reader, soup, pose, &faces.points,
                            (pointSizes){faces.area, faces.reach, 0}, c)
               : TAC_ERROR_MEMORY;
    if (result == TAC_OK)
        *out = c;
    else if (c)
        allocator.release(allocator.user, c);
    return result;
}

static tacResult report_memory(tacResult result, const tacSoup* soup, tacMessage* message) {
    if (result == TAC_ERROR_MEMORY)
        tac_fail(message, result, soup->file, 0, NULL, "out of memory for its contact cloud");
    return result;
}

tacResult tac_contact_cloud_create(const tacSoup* soup, tacPose pose, tacAllocator allocator,
                                   tacContactCloud** out, tacMessage* message) {
    tacReader reader = {.allocator = allocator, .file = soup->file, .document = soup->file};
    tacResult result = make_cloud(&reader, soup, pose, out, message);
    tac_reader_close(&reader);
    return report_memory(result, soup, message);
}

tacResult tac_contact_cloud_check(const tacSoup* soup, tacAllocator allocator,
                                  tacMessage* message) {
    tacReader reader = {.allocator = allocator, .file = soup->file, .document = soup->file};
    meshFaces faces;
    tacResult result = check_faces(&reader, soup, &faces, message);
    tac_reader_close(&reader);
    return report_memory(result, soup, message);
}

// points with normals of length 1
static tacResult check_points(int count, const double* normal, tacMessage* message) {
    if (count < 1)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, NULL,
                        "a cloud needs at least one point");
    for (int i = 0; i < count; ++i) {
        double length = tac_norm(tac_load3(&normal[3 * i]));
        if (!(fabs(length - 1.0) <= 1e-3))
            return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, NULL,
                            "the normal of point %d has length %.6g; normals must have length 1", i,
                            length);
    }
    return TAC_OK;
}

tacResult tac_contact_cloud_points(tacSurfacePoints surface, tacAllocator allocator,
                                   tacContactCloud** out, tacMessage* message) {
    int count = surface.count;
    tacResult result = check_points(count, surface.normal, message);
    if (result != TAC_OK) return result;
    tacReader reader = {.allocator = allocator, .file = "", .document = ""};
    size_t bytes = 3 * sizeof(double) * (size_t)count;
    tacCloudPoints points = {count, tac_reader_alloc(&reader, bytes),
                             tac_reader_alloc(&reader, bytes), NULL, NULL};
    double* areas = tac_reader_alloc(&reader, sizeof(double) * (size_t)count);
    tacContactCloud* c = alloc_cloud((cloudShape){count, 0, 0}, allocator);
    if (c && points.point && points.normal && areas) {
        memcpy(points.point, surface.point, bytes);
        for (int i = 0; i < count; ++i) {
            tac_store3(&points.normal[3 * i], tac_normalize(tac_load3(&surface.normal[3 * i])));
            areas[i] = surface.areas ? surface.areas[i] : surface.area / count;
        }
        tac_cloud_order(&reader, &points, RUN);
    }
    result = c && points.order ? TAC_OK : TAC_ERROR_MEMORY;
    if (result == TAC_OK) {
        fill_points(c, &points, (pointSizes){areas, surface.reach, surface.areas != NULL});
        fill_kernel(c, &points, &surface);
        fill_extent(c);
        *out = c;
    }
    if (result != TAC_OK && c) allocator.release(allocator.user, c);
    tac_reader_close(&reader);
    return result;
}

tacResult tac_contact_cloud_plane(tacPose pose, tacAllocator allocator, tacContactCloud** out) {
    tacContactCloud* c = alloc_cloud((cloudShape){1, 0, 0}, allocator);
    if (!c) return TAC_ERROR_MEMORY;
    tacVec3 n = tac_pose_rotate(pose, (tacVec3){0.0, 0.0, 1.0});
    double* block = (double*)c->block;
    tac_store3(block, pose.position);
    tac_store3(block + 3, n);
    c->queries = 0;
    c->log_amp = NULL;
    fill_extent(c);
    *out = c;
    return TAC_OK;
}
