// Clouds of oriented points, and their fields.

#define _GNU_SOURCE
#include "experiments/trial_cloud.h"

#include <math.h>
#include <stdlib.h>

//---------------------------------- points ---------------------------------------

static int grow_cloud(trialCloud* cloud) {
    int capacity = cloud->capacity ? 2 * cloud->capacity : 256;
    size_t size = sizeof(double[3]) * (size_t)capacity;
    double(*point)[3] = realloc(cloud->point, size);
    if (point) cloud->point = point;
    double(*normal)[3] = realloc(cloud->normal, size);
    if (normal) cloud->normal = normal;
    if (!point || !normal) return 0;
    cloud->capacity = capacity;
    return 1;
}

void trial_cloud_add(trialCloud* cloud, const double point[3], const double normal[3]) {
    if (cloud->count == cloud->capacity && !grow_cloud(cloud)) {
        cloud->failed = 1;
        return;
    }
    for (int k = 0; k < 3; ++k) {
        cloud->point[cloud->count][k] = point[k];
        cloud->normal[cloud->count][k] = normal[k];
    }
    ++cloud->count;
}

void trial_cloud_free(trialCloud* cloud) {
    free(cloud->point);
    free(cloud->normal);
    *cloud = (trialCloud){0};
}

void trial_cloud_square(trialCloud* cloud, int side) {
    for (int i = 0; i < side; ++i) {
        double s = -1.0 + (2.0 * i + 1.0) / side;
        trial_cloud_add(cloud, (double[]){1.0, s, 0.0}, (double[]){1.0, 0.0, 0.0});
        trial_cloud_add(cloud, (double[]){-1.0, s, 0.0}, (double[]){-1.0, 0.0, 0.0});
        trial_cloud_add(cloud, (double[]){s, 1.0, 0.0}, (double[]){0.0, 1.0, 0.0});
        trial_cloud_add(cloud, (double[]){s, -1.0, 0.0}, (double[]){0.0, -1.0, 0.0});
    }
}

double trial_cloud_value(const trialCloud* cloud, double eps, const double x[3]) {
    double nearest = INFINITY, sum = 0.0, all = 0.0;
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < cloud->count; ++i) {
            double d[3], square = 0.0, plane = 0.0;
            for (int k = 0; k < 3; ++k) {
                d[k] = x[k] - cloud->point[i][k];
                square += d[k] * d[k];
                plane += d[k] * cloud->normal[i][k];
            }
            if (pass == 0) {
                nearest = fmin(nearest, square);
                continue;
            }
            double weight = exp((nearest - square) / eps);
            sum += weight * plane;
            all += weight;
        }
    return sum / all;
}

//---------------------------------- field ----------------------------------------

static void put_list(FILE* file, const char* name, const double (*list)[3], int count) {
    fprintf(file, " %s='", name);
    for (int i = 0; i < count; ++i)
        fprintf(file, "%.17g %.17g %.17g ", list[i][0], list[i][1], list[i][2]);
    fprintf(file, "'");
}

// the element, or NULL; normals are not checked: experiments invert some on purpose
static char* write_element(const trialCloud* cloud, double eps) {
    char* text = NULL;
    size_t size = 0;
    FILE* file = open_memstream(&text, &size);
    if (!file) return NULL;
    fprintf(file, "<cloud check='false' width='%.17g'", sqrt(eps));
    put_list(file, "points", (const double(*)[3])cloud->point, cloud->count);
    put_list(file, "normals", (const double(*)[3])cloud->normal, cloud->count);
    fprintf(file, "/>");
    if (fclose(file) == 0) return text;
    free(text);
    return NULL;
}

int trial_cloud_open(const trialCloud* cloud, double eps, trialField* field) {
    *field = (trialField){0};
    char* text = cloud->failed ? NULL : write_element(cloud, eps);
    if (!text) return cli_error("reproduce", "out of memory");
    int code = trial_field_open(field, "", "%s", text);
    free(text);
    return code;
}
