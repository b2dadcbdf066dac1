// <cloud>: points with normals from attributes or from a file, checked, in an order of neighbours.

#include "model/draft.h"

#include "mesh/measure.h"
#include "model/cloud_points.h"
#include "shape/cloud_index.h"

#include <math.h>
#include <string.h>

static const tacRange normal_range = {-10.0, 10.0};
static const tacRange log_amp_range = {-40.0, 40.0};
static const tacRange metric_range = {-1e24, 1e24};

//---------------------------------- numbers --------------------------------------

static void fail(tacDraft* draft, const tacElement* element, const char* attribute,
                 const char* text) {
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                    attribute, "%s", text);
}

static void read_inline(tacDraft* draft, const tacElement* element, tacCloudPoints* points) {
    tacReader* reader = &draft->reader;
    int numbers = 0, of_normals = 0;
    tac_require(reader, element, "points");
    tac_require(reader, element, "normals");
    points->point = tac_read_list(reader, element, "points", tac_range_position, &numbers);
    points->normal = tac_read_list(reader, element, "normals", normal_range, &of_normals);
    if (reader->result != TAC_OK) return;
    if (numbers == 0 || numbers % 3 != 0)
        fail(draft, element, "points",
             "'points' takes three numbers for each point, and one point "
             "or more");
    if (of_normals != numbers)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "normals"), "normals",
                        "there are %d numbers of points and %d of normals; each point needs three "
                        "of both",
                        numbers, of_normals);
    points->count = numbers / 3;
}

//---------------------------------- files ----------------------------------------

// `name` beside the scene file, unless it starts at the root
static const char* beside_scene(tacReader* reader, const char* name) {
    const char* slash = strrchr(reader->file, '/');
    if (name[0] == '/' || !slash) return name;
    return tac_reader_text(reader, "%.*s/%s", (int)(slash - reader->file), reader->file, name);
}

static void take_vertices(tacDraft* draft, const tacElement* element, const tacSoup* soup,
                          tacCloudPoints* points) {
    if (!soup->normal) {
        fail(draft, element, "file",
             soup->nface ? "not every vertex of the file has a normal; say sample=\"faces\""
                         : "the points of the file have no normals: a cloud needs them");
        return;
    }
    memcpy(points->point, soup->vertex, sizeof(double) * 3 * (size_t)points->count);
    memcpy(points->normal, soup->normal, sizeof(double) * 3 * (size_t)points->count);
}

// the amplitude of a face is its area, in units of the mean
static void take_areas(tacCloudPoints* points) {
    double sum = 0.0;
    for (int i = 0; i < points->count; ++i) sum += points->area[i];
    for (int i = 0; i < points->count; ++i)
        points->area[i] = fmax(log(points->area[i] * points->count / sum), log_amp_range.lower);
}

static void take_soup(tacDraft* draft, const tacElement* element, const tacSoup* soup,
                      tacCloudPoints* points) {
    tacReader* reader = &draft->reader;
    int faces = tac_read_word(reader, element, "sample", "vertices faces"), areas = 0;
    if (faces < 0) faces = soup->nface > 0;
    tac_read_bool(reader, element, "area", &areas);
    if (faces && soup->nface == 0)
        fail(draft, element, "sample", "the file has no faces; say sample=\"vertices\"");
    if (areas && !faces)
        fail(draft, element, "area", "only faces have an area; say sample=\"faces\"");
    points->count = faces ? soup->nface : soup->nvertex;
    size_t size = sizeof(double) * (size_t)points->count;
    points->point = tac_reader_take(reader, 3 * size);
    points->normal = tac_reader_take(reader, 3 * size);
    if (areas) points->area = tac_reader_take(reader, size);
    if (reader->result != TAC_OK) return;
    if (faces)
        tac_soup_faces(soup, points->point, points->normal, points->area);
    else
        take_vertices(draft, element, soup, points);
    if (areas) take_areas(points);
}

static void read_file(tacDraft* draft, const tacElement* element, tacCloudPoints* points) {
    tacReader* reader = &draft->reader;
    const tacAttribute* attribute = tac_attribute(element, "file");
    if (tac_attribute(element, "points") || tac_attribute(element, "normals"))
        fail(draft, element, "file", "a cloud has a file, or points and normals, not both");
    const char* path = beside_scene(reader, attribute->value);
    tacSoup* soup = NULL;
    tacMessage message = {0};
    if (!path || reader->result != TAC_OK) return;
    tacResult result = tac_soup_load(path, reader->allocator, &soup, &message);
    if (result != TAC_OK) {
        tac_reader_fail(reader, result, attribute->line, "file", "%s, line %d: %s", path,
                        message.line, message.text);
        return;
    }
    take_soup(draft, element, soup, points);
    tac_soup_destroy(soup);
}

//---------------------------------- checks ---------------------------------------

// how a point is called in messages
static int index_of(const tacCloudPoints* points, int i) { return points->order[i]; }

static void make_unit(tacDraft* draft, const tacElement* element, const char* attribute,
                      tacCloudPoints* points) {
    for (int i = 0; i < points->count && draft->reader.result == TAC_OK; ++i) {
        double* n = &points->normal[3 * i];
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(fabs(length - 1.0) <= 1e-3))
            tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                            attribute,
                            "the normal of point %d (%.6g %.6g %.6g) has length %.6g; normals must "
                            "have length 1",
                            index_of(points, i), n[0], n[1], n[2], length);
        for (int k = 0; k < 3; ++k) n[k] /= length;
    }
}

static void check_pair(tacDraft* draft, const tacElement* element, const char* attribute,
                       const tacCloudPoints* points, int i, int j, double distance, double size) {
    const double *n = &points->normal[3 * i], *m = &points->normal[3 * j];
    double turn = 0.0, above = 0.0, below = 0.0;
    for (int k = 0; k < 3; ++k) {
        double d = points->point[3 * i + k] - points->point[3 * j + k];
        turn += n[k] * m[k], above += m[k] * d, below += n[k] * d;
    }
    if (distance <= 1e-12 * size)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                        attribute,
                        "points %d and %d are at the same place; remove one, or say "
                        "check=\"false\"",
                        index_of(points, i), index_of(points, j));
    else if (turn < -0.5 && fmax(fabs(above), fabs(below)) < 0.25 * distance)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                        attribute,
                        "the normals of the neighbours %d and %d point to opposite sides of one "
                        "plane; turn one, or say check=\"false\"",
                        index_of(points, i), index_of(points, j));
}

// outward normals have a positive mean of n . (p - centre), by the divergence theorem
static void check_outward(tacDraft* draft, const tacElement* element, const char* attribute,
                          const tacCloudPoints* points) {
    double centre[3] = {0}, flux = 0.0, radius = 0.0;
    for (int i = 0; i < points->count; ++i)
        for (int k = 0; k < 3; ++k) centre[k] += points->point[3 * i + k] / points->count;
    for (int i = 0; i < points->count; ++i) {
        double square = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = points->point[3 * i + k] - centre[k];
            flux += d * points->normal[3 * i + k];
            square += d * d;
        }
        radius += sqrt(square);
    }
    if (flux < -0.2 * radius)
        fail(draft, element, attribute,
             "the normals point inwards; turn them all, or say check=\"false\" for a cavity");
}

static double size_of(const tacCloudPoints* points) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < 3 * points->count; ++i) {
        low[i % 3] = fmin(low[i % 3], points->point[i]);
        high[i % 3] = fmax(high[i % 3], points->point[i]);
    }
    return hypot(hypot(high[0] - low[0], high[1] - low[1]), high[2] - low[2]);
}

// checks neighbours; the mean distance to the nearest one is the sample spacing, 0 without any
static double check_neighbours(tacDraft* draft, const tacElement* element, const char* attribute,
                               const tacCloudPoints* points) {
    tacReader* reader = &draft->reader;
    int checked = 1;
    tac_read_bool(reader, element, "check", &checked);
    double* distance = tac_reader_take(reader, sizeof(double) * (size_t)points->count);
    int* nearest = distance ? tac_cloud_neighbours(reader, points, distance) : NULL;
    if (!nearest || points->count < 2) return 0.0;
    double size = size_of(points), sum = 0.0;
    for (int i = 0; i < points->count; ++i) {
        if (checked && reader->result == TAC_OK)
            check_pair(draft, element, attribute, points, i, nearest[i], distance[i], size);
        sum += distance[i];
    }
    if (checked && reader->result == TAC_OK) check_outward(draft, element, attribute, points);
    return sum / points->count;
}

//---------------------------------- kernel ---------------------------------------

// lengths over which weights fall: along the normal and across
static void read_width(tacDraft* draft, const tacElement* element, tacCloudKernel kernel,
                       double spacing, double width[2]) {
    tacReader* reader = &draft->reader;
    int most = kernel == TAC_CLOUD_ANISOTROPIC ? 2 : 1;
    int count = tac_read_numbers(reader, element, "width", 1, most, tac_range_smooth, width);
    if (count == 1) width[1] = width[0];
    if (count > 0 || reader->result != TAC_OK) return;
    width[0] = width[1] = 0.5 * spacing;
    if (!(width[0] >= tac_range_smooth.lower))
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, "width",
                        "there is no sample spacing to take the width from; give 'width'");
}

static void check_metric(tacDraft* draft, const tacElement* element, const double* metric,
                         int index) {
    double low, high;
    tac_cloud_eigen(metric, &low, &high);
    if (!(low > 1e-12 * high))
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "metric"),
                        "metric",
                        "the metric of point %d is not positive definite: its eigenvalues are %g "
                        "to %g; give xx yy zz xy xz yz",
                        index, low, high);
}

// M = (1 - n n')/across^2 + n n'/along^2
static void make_metric(const double n[3], const double width[2], double metric[6]) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    double across = 1.0 / (width[1] * width[1]), along = 1.0 / (width[0] * width[0]);
    for (int k = 0; k < 6; ++k)
        metric[k] = (k < 3 ? across : 0.0) + (along - across) * n[row[k]] * n[column[k]];
}

// six numbers of each point, in the order of the points
static double* read_metrics(tacDraft* draft, const tacElement* element,
                            const tacCloudPoints* points, const double width[2]) {
    tacReader* reader = &draft->reader;
    int given = 0;
    double* read = tac_read_list(reader, element, "metric", metric_range, &given);
    double* metric = tac_reader_take(reader, sizeof(double) * 6 * (size_t)points->count);
    if (given && given != 6 * points->count)
        fail(draft, element, "metric",
             "'metric' takes six numbers, xx yy zz xy xz yz, for each "
             "point");
    for (int i = 0; i < points->count && metric && reader->result == TAC_OK; ++i) {
        if (given)
            memcpy(&metric[6 * i], &read[6 * points->order[i]], 6 * sizeof(double));
        else
            make_metric(&points->normal[3 * i], width, &metric[6 * i]);
        check_metric(draft, element, &metric[6 * i], points->order[i]);
    }
    return metric;
}

static double* read_log_amps(tacDraft* draft, const tacElement* element,
                             const tacCloudPoints* points) {
    int given = 0;
    if (points->area && tac_attribute(element, "log_amp"))
        fail(draft, element, "log_amp", "'log_amp' and 'area' both give amplitudes; keep one");
    double* read = tac_read_list(&draft->reader, element, "log_amp", log_amp_range, &given);
    if (points->area) read = points->area, given = points->count;
    if (given == 0) return NULL;
    if (given != points->count)
        tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "log_amp"),
                        "log_amp", "'log_amp' takes one number for each of the %d points, found %d",
                        points->count, given);
    double* sorted = tac_reader_take(&draft->reader, sizeof(double) * (size_t)points->count);
    for (int i = 0; i < points->count && sorted; ++i) sorted[i] = read[points->order[i]];
    return sorted;
}

//---------------------------------- parameters -----------------------------------

// column `k` of an array with `stride` numbers per point becomes one group of parameters
static int add_column(tacDraft* draft, tacPath path, const char* name, tacRange range,
                      const double* from, int stride, int count) {
    double* column = tac_reader_take(&draft->reader, sizeof(double) * (size_t)count);
    for (int i = 0; i < count && column; ++i) column[i] = from[stride * i];
    return column ? tac_draft_param(draft, path, name, range, column, count) : 0;
}

static int add_columns(tacDraft* draft, tacPath path, const tacCloudPoints* points,
                       const double* log_amp, const double* metric) {
    static const char* const names[12] = {"x",   "y",   "z",   "nx",  "ny",  "nz",
                                          "mxx", "myy", "mzz", "mxy", "mxz", "myz"};
    int block = draft->param.count, n = points->count;
    for (int k = 0; k < 3; ++k)
        add_column(draft, path, names[k], tac_range_position, &points->point[k], 3, n);
    for (int k = 0; k < 3; ++k)
        add_column(draft, path, names[3 + k], normal_range, &points->normal[k], 3, n);
    if (log_amp) add_column(draft, path, "log_amp", log_amp_range, log_amp, 1, n);
    for (int k = 0; k < 6 && metric; ++k)
        add_column(draft, path, names[6 + k], metric_range, &metric[k], 6, n);
    return block;
}

static void check_sources(tacDraft* draft, const tacElement* element, tacCloudKernel kernel) {
    if (kernel != TAC_CLOUD_ANISOTROPIC && tac_attribute(element, "metric"))
        fail(draft, element, "metric", "'metric' belongs to kernel=\"anisotropic\"");
    if (tac_attribute(element, "metric") && tac_attribute(element, "width"))
        fail(draft, element, "metric", "'metric' and 'width' both say how weights fall; keep one");
}

double tac_read_cloud(tacDraft* draft, const tacElement* element, tacPath path, tacNode* node) {
    tacReader* reader = &draft->reader;
    int word = tac_read_word(reader, element, "kernel", "isotropic anisotropic wendland");
    tacCloudKernel kernel = word < 0 ? TAC_CLOUD_ISOTROPIC : (tacCloudKernel)word;
    tacCloudPoints points = {0};
    const char* source = tac_attribute(element, "file") ? "file" : "normals";
    check_sources(draft, element, kernel);
    if (tac_attribute(element, "file"))
        read_file(draft, element, &points);
    else
        read_inline(draft, element, &points);
    if (reader->result != TAC_OK) return 1.0;
    tac_cloud_order(reader, &points);
    if (reader->result == TAC_OK) make_unit(draft, element, source, &points);
    if (reader->result != TAC_OK) return 1.0;
    double width[2] = {1.0, 1.0}, spacing = check_neighbours(draft, element, source, &points);
    int metrics = tac_attribute(element, "metric") != NULL;
    if (!metrics) read_width(draft, element, kernel, spacing, width);
    double* log_amp = read_log_amps(draft, element, &points);
    double* metric =
        kernel == TAC_CLOUD_ANISOTROPIC ? read_metrics(draft, element, &points, width) : NULL;
    if (reader->result != TAC_OK) return 1.0;
    tacCloud* cloud = tac_list_add(reader, &draft->cloud, sizeof *cloud);
    if (!cloud) return 1.0;
    *cloud = (tacCloud){.kernel = kernel,
                        .count = points.count,
                        .has_log_amp = log_amp != NULL,
                        .page = draft->page_count};
    tacCloudLevels levels = tac_cloud_levels(points.count);
    draft->page_count += levels.first[levels.count];
    node->cloud = draft->cloud.count - 1;
    if (kernel != TAC_CLOUD_ANISOTROPIC)
        node->smooth = tac_draft_param(draft, path, "width", tac_range_smooth, width, 1);
    node->block = cloud->block = add_columns(draft, path, &points, log_amp, metric);
    node->block_count = tac_cloud_stride(cloud) * points.count;
    return 0.5 * size_of(&points) / sqrt(3.0);
}
