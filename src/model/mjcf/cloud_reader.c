// <cloud>: points with normals from attributes or from a file, checked, in spatial order.

#include "model/spec.h"

#include "mesh/io/soup_stats.h"
#include "model/mjcf/cloud_check.h"
#include "model/mjcf/hull_reader.h"
#include "shape/cloud/cloud_index.h"

#include <math.h>
#include <string.h>

static const tacRange normal_range = {-10.0, 10.0};
static const tacRange log_amp_range = {-40.0, 40.0};
static const tacRange metric_range = {-1e24, 1e24};

//---------------------------------- numbers --------------------------------------

static void fail_attribute(tacSpec* spec, const tacElement* element, const char* attribute,
                           const char* text) {
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, attribute),
                    attribute, "%s", text);
}

static void read_inline(tacSpec* spec, const tacElement* element, tacCloudPoints* points) {
    tacReader* reader = &spec->reader;
    int numbers = 0, of_normals = 0;
    if (!tac_attribute(element, "points") && !tac_attribute(element, "normals"))
        fail_attribute(
            spec, element, "points",
            "<cloud> needs 'points' and 'normals' (three numbers per point each), or a 'file'");
    tac_require(reader, element, "points");
    tac_require(reader, element, "normals");
    points->point = tac_read_list(reader, element, "points", tac_range_position, &numbers);
    points->normal = tac_read_list(reader, element, "normals", normal_range, &of_normals);
    if (reader->result != TAC_OK) return;
    if (numbers == 0 || numbers % 3 != 0)
        fail_attribute(spec, element, "points",
                       "'points' needs three numbers per point and at least one point");
    if (of_normals != numbers)
        tac_reader_fail(
            reader, TAC_ERROR_VALUE, tac_attribute_line(element, "normals"), "normals",
            "there are %d numbers in 'points' and %d in 'normals'; each point needs three of both",
            numbers, of_normals);
    points->count = numbers / 3;
}

//---------------------------------- files ----------------------------------------

static void sample_vertices(tacSpec* spec, const tacElement* element, const tacSoup* soup,
                            tacCloudPoints* points) {
    if (!soup->normal) {
        fail_attribute(spec, element, "file",
                       soup->nface
                           ? "not every vertex of the file has a normal; set sample=\"faces\""
                           : "the points of the file have no normals; a cloud needs them");
        return;
    }
    memcpy(points->point, soup->vertex, sizeof(double) * 3 * (size_t)points->count);
    memcpy(points->normal, soup->normal, sizeof(double) * 3 * (size_t)points->count);
}

// the amplitude of a face is its area, in units of the mean
static void set_log_areas(tacCloudPoints* points) {
    double sum = 0.0;
    int faces = 0; // with an area
    for (int i = 0; i < points->count; ++i) {
        sum += points->area[i];
        faces += points->area[i] > 0.0;
    }
    for (int i = 0; i < points->count; ++i)
        points->area[i] = fmax(log(points->area[i] * faces / sum), log_amp_range.lower);
}

static void sample_soup(tacSpec* spec, const tacElement* element, const tacSoup* soup,
                        tacCloudPoints* points) {
    tacReader* reader = &spec->reader;
    int faces = tac_read_word(reader, element, "sample", "vertices faces"), areas = 0;
    if (faces < 0) faces = soup->nface > 0;
    tac_read_bool(reader, element, "area", &areas);
    if (faces && soup->nface == 0)
        fail_attribute(spec, element, "sample", "the file has no faces; set sample=\"vertices\"");
    if (areas && !faces)
        fail_attribute(spec, element, "area", "only faces have an area; set sample=\"faces\"");
    points->count = faces ? soup->nface : soup->nvertex;
    size_t size = sizeof(double) * (size_t)points->count;
    points->point = tac_reader_alloc(reader, 3 * size);
    points->normal = tac_reader_alloc(reader, 3 * size);
    if (areas) points->area = tac_reader_alloc(reader, size);
    if (reader->result != TAC_OK) return;
    if (faces)
        tac_soup_faces(soup, points->point, points->normal, points->area);
    else
        sample_vertices(spec, element, soup, points);
    if (areas) set_log_areas(points);
}

static void read_file(tacSpec* spec, const tacElement* element, tacCloudPoints* points) {
    if (tac_attribute(element, "points") || tac_attribute(element, "normals"))
        fail_attribute(spec, element, "file", "give a file, or points and normals, not both");
    const char* path;
    tacSoup* soup = tac_read_soup(&spec->reader, element, &path);
    if (!soup) return;
    sample_soup(spec, element, soup, points);
    tac_soup_destroy(soup);
}

//---------------------------------- kernel ---------------------------------------

// lengths over which weights fall: along the normal and across
static void read_width(tacSpec* spec, const tacElement* element, tacCloudKernel kernel,
                       double spacing, double width[2]) {
    tacReader* reader = &spec->reader;
    int max_count = kernel == TAC_CLOUD_ANISOTROPIC ? 2 : 1;
    int count = tac_read_numbers(reader, element, "width", (tacCountRange){1, max_count},
                                 tac_range_smooth, width);
    if (count == 1) width[1] = width[0];
    if (count > 0 || reader->result != TAC_OK) return;
    width[0] = width[1] = 0.5 * spacing;
    if (!(width[0] >= tac_range_smooth.lower))
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, "width",
                        "the width cannot be derived from the sample spacing; give 'width'");
}

static void check_metric(tacSpec* spec, const tacElement* element, const double* metric,
                         int index) {
    double low, high;
    tac_cloud_eigen(metric, &low, &high);
    if (!(low > 1e-12 * high))
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "metric"),
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

// six numbers of each point, in the order of the points; the scene gives them for all of the file
static double* read_metrics(tacSpec* spec, const tacElement* element, const tacCloudPoints* points,
                            int given_points, const double width[2]) {
    tacReader* reader = &spec->reader;
    int given = 0;
    double* read = tac_read_list(reader, element, "metric", metric_range, &given);
    double* metric = tac_reader_alloc(reader, sizeof(double) * 6 * (size_t)points->count);
    if (given && given != 6 * given_points)
        fail_attribute(spec, element, "metric",
                       "'metric' needs six numbers per point: xx yy zz xy xz yz");
    for (int i = 0; i < points->count && metric && reader->result == TAC_OK; ++i) {
        if (given)
            memcpy(&metric[6 * i], &read[6 * points->order[i]], 6 * sizeof(double));
        else
            make_metric(&points->normal[3 * i], width, &metric[6 * i]);
        check_metric(spec, element, &metric[6 * i], points->order[i]);
    }
    return metric;
}

static double* read_log_amps(tacSpec* spec, const tacElement* element, const tacCloudPoints* points,
                             int given_points) {
    int given = 0;
    if (points->area && tac_attribute(element, "log_amp"))
        fail_attribute(spec, element, "log_amp",
                       "'log_amp' and 'area' both set amplitudes; remove one");
    double* read = tac_read_list(&spec->reader, element, "log_amp", log_amp_range, &given);
    if (points->area) {
        read = points->area;
        given = given_points;
    }
    if (given == 0) return NULL;
    if (given != given_points)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "log_amp"),
                        "log_amp", "'log_amp' needs one number for each of the %d points, found %d",
                        given_points, given);
    double* sorted = tac_reader_alloc(&spec->reader, sizeof(double) * (size_t)points->count);
    for (int i = 0; i < points->count && sorted && given == given_points; ++i)
        sorted[i] = read[points->order[i]];
    return sorted;
}

// real scans have faces without area, and some twice
static void collapse_file(tacSpec* spec, const tacElement* element, tacCloudPoints* points,
                          int run) {
    int left_out[2];
    tac_cloud_collapse(&spec->reader, points, run, left_out);
    if (points->count == 0)
        fail_attribute(spec, element, "file",
                       "no face of the file has an area, and no point a normal");
    else if (left_out[0] + left_out[1] > 0)
        tac_reader_warn(&spec->reader,
                        "cloud '%.80s': left out %d faces without area and %d repeated",
                        tac_attribute(element, "file")->value, left_out[0], left_out[1]);
}

//---------------------------------- parameters -----------------------------------

// one number of each point, in an array with `stride` numbers per point
typedef struct cloudColumn {
    const char* name;
    tacRange range;
    const double* first;
    int stride;
} cloudColumn;

// a column becomes one group of parameters
static void add_column(tacSpec* spec, tacPath path, cloudColumn c, int count) {
    double* column = tac_reader_alloc(&spec->reader, sizeof(double) * (size_t)count);
    for (int i = 0; i < count && column; ++i) column[i] = c.first[c.stride * i];
    if (column) tac_spec_param(spec, path, c.name, c.range, column, count);
}

static int add_columns(tacSpec* spec, tacPath path, const tacCloudPoints* points,
                       const double* log_amp, const double* metric) {
    static const char* const names[12] = {"x",   "y",   "z",   "nx",  "ny",  "nz",
                                          "mxx", "myy", "mzz", "mxy", "mxz", "myz"};
    int block = spec->param.count, n = points->count;
    for (int k = 0; k < 3; ++k)
        add_column(spec, path, (cloudColumn){names[k], tac_range_position, &points->point[k], 3},
                   n);
    for (int k = 0; k < 3; ++k)
        add_column(spec, path, (cloudColumn){names[3 + k], normal_range, &points->normal[k], 3}, n);
    if (log_amp) add_column(spec, path, (cloudColumn){"log_amp", log_amp_range, log_amp, 1}, n);
    for (int k = 0; k < 6 && metric; ++k)
        add_column(spec, path, (cloudColumn){names[6 + k], metric_range, &metric[k], 6}, n);
    return block;
}

static void check_sources(tacSpec* spec, const tacElement* element, tacCloudKernel kernel) {
    if (kernel != TAC_CLOUD_ANISOTROPIC && tac_attribute(element, "metric"))
        fail_attribute(spec, element, "metric", "'metric' needs kernel=\"anisotropic\"");
    if (tac_attribute(element, "metric") && tac_attribute(element, "width"))
        fail_attribute(spec, element, "metric",
                       "'metric' and 'width' both set the kernel's width; remove one");
}

double tac_read_cloud(tacSpec* spec, const tacElement* element, tacPath path, tacNode* node) {
    tacReader* reader = &spec->reader;
    int word = tac_read_word(reader, element, "kernel", "isotropic anisotropic wendland");
    tacCloudKernel kernel = word < 0 ? TAC_CLOUD_ISOTROPIC : (tacCloudKernel)word;
    tacCloudPoints points = {0};
    int by_file = tac_attribute(element, "file") != NULL;
    tacCloudSource source = {reader, element, by_file ? "file" : "points",
                             by_file ? "file" : "normals"};
    check_sources(spec, element, kernel);
    if (by_file)
        read_file(spec, element, &points);
    else
        read_inline(spec, element, &points);
    if (reader->result != TAC_OK) return 1.0;
    // leaves stay whole, and the points of one SIMD vector are neighbours
    int given_points = points.count; // those of a file may become fewer
    int run = points.count > TAC_CLOUD_LEAF ? 4 : TAC_CLOUD_LEAF;
    if (by_file)
        collapse_file(spec, element, &points, run);
    else
        tac_cloud_order(reader, &points, run);
    if (reader->result != TAC_OK) return 1.0;
    double width[2] = {1.0, 1.0}, spacing = tac_cloud_check(&source, &points);
    int metrics = tac_attribute(element, "metric") != NULL;
    if (!metrics) read_width(spec, element, kernel, spacing, width);
    double* log_amp = read_log_amps(spec, element, &points, given_points);
    double* metric = kernel == TAC_CLOUD_ANISOTROPIC
                         ? read_metrics(spec, element, &points, given_points, width)
                         : NULL;
    if (reader->result != TAC_OK) return 1.0;
    tacCloud* cloud = tac_list_add(reader, &spec->assets.cloud, sizeof *cloud);
    if (!cloud) return 1.0;
    *cloud = (tacCloud){.kernel = kernel,
                        .count = points.count,
                        .has_log_amp = log_amp != NULL,
                        .page = spec->assets.cloud_pages};
    tacCloudLevels levels = tac_cloud_levels(points.count);
    spec->assets.cloud_pages += levels.first[levels.count];
    node->cloud = spec->assets.cloud.count - 1;
    if (kernel != TAC_CLOUD_ANISOTROPIC)
        node->smooth = tac_spec_param(spec, path, "width", tac_range_smooth, width, 1);
    node->block = cloud->block = add_columns(spec, path, &points, log_amp, metric);
    node->block_count = tac_cloud_stride(cloud) * points.count;
    return 0.5 * tac_cloud_size(&points) / sqrt(3.0);
}
