// Oriented points, and the fields that are made of them.

#define _GNU_SOURCE
#include "experiments/cloud.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

//---------------------------------- points ---------------------------------------

static int grow(trialCloud* cloud) {
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

void trial_cloud_add(trialCloud* cloud, double x, double y, double z, double nx, double ny,
                     double nz) {
    if (cloud->count == cloud->capacity && !grow(cloud)) {
        cloud->failed = 1;
        return;
    }
    double *p = cloud->point[cloud->count], *n = cloud->normal[cloud->count];
    p[0] = x, p[1] = y, p[2] = z, n[0] = nx, n[1] = ny, n[2] = nz;
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
        trial_cloud_add(cloud, 1.0, s, 0.0, 1.0, 0.0, 0.0);
        trial_cloud_add(cloud, -1.0, s, 0.0, -1.0, 0.0, 0.0);
        trial_cloud_add(cloud, s, 1.0, 0.0, 0.0, 1.0, 0.0);
        trial_cloud_add(cloud, s, -1.0, 0.0, 0.0, -1.0, 0.0);
    }
}

double trial_cloud_value(const trialCloud* cloud, double eps, const double x[3]) {
    double nearest = INFINITY, sum = 0.0, all = 0.0;
    for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < cloud->count; ++i) {
            double d[3], square = 0.0, plane = 0.0;
            for (int k = 0; k < 3; ++k) {
                d[k] = x[k] - cloud->point[i][k];
                square += d[k] * d[k], plane += d[k] * cloud->normal[i][k];
            }
            if (pass == 0) {
                nearest = fmin(nearest, square);
                continue;
            }
            double weight = exp((nearest - square) / eps);
            sum += weight * plane, all += weight;
        }
    return sum / all;
}

//---------------------------------- field ----------------------------------------

// a file of the points that lives as long as the loading does; its name, or NULL
static char* write_points(const trialCloud* cloud) {
    const char* folder = getenv("TMPDIR");
    char* path = NULL;
    if (asprintf(&path, "%s/tactus-XXXXXX.xyz", folder && *folder ? folder : "/tmp") < 0)
        return NULL;
    int handle = mkstemps(path, 4);
    FILE* file = handle >= 0 ? fdopen(handle, "w") : NULL;
    for (int i = 0; file && i < cloud->count; ++i) {
        const double *p = cloud->point[i], *n = cloud->normal[i];
        fprintf(file, "%.17g %.17g %.17g %.17g %.17g %.17g\n", p[0], p[1], p[2], n[0], n[1], n[2]);
    }
    if (file && fclose(file) == 0) return path;
    if (handle >= 0) unlink(path);
    free(path);
    return NULL;
}

int trial_cloud_open(const trialCloud* cloud, double eps, trialField* field) {
    *field = (trialField){0};
    if (cloud->failed) return cli_wrong("reproduce", "out of memory");
    char* path = write_points(cloud);
    if (!path) return cli_wrong("reproduce", "no temporary file: %s", strerror(errno));
    int code = trial_open(field, "", "<cloud file='%s' eps='%.17g'/>", path, eps);
    unlink(path);
    free(path);
    return code;
}
