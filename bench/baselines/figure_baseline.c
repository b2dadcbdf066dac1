// Two figures of superquadrics in MuJoCo.

#define _GNU_SOURCE
#include "bench/baselines/figure_baseline.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static double signed_power(double x, double e) { return copysign(pow(fabs(x), e), x); }

// 42 points on a superquadric of the figure
static void write_mesh(FILE* file, const tacModel* model, const tacNode* node, int index) {
    const double *a = &model->param[node->size], *e = &model->param[node->eps];
    fprintf(file, "<mesh name='m%d' vertex='0 0 %g 0 0 %g", index, a[2], -a[2]);
    for (int i = -2; i <= 2; ++i)
        for (int j = 0; j < 8; ++j) {
            double eta = 0.5 * i, w = 0.7853981633974483 * j, c = signed_power(cos(eta), e[0]);
            fprintf(file, " %g %g %g", a[0] * c * signed_power(cos(w), e[1]),
                    a[1] * c * signed_power(sin(w), e[1]), a[2] * signed_power(sin(eta), e[0]));
        }
    fprintf(file, "'/>\n");
}

static int is_leaf(const tacNode* node) { return node->kind == TAC_NODE_SUPERQUADRIC; }

static void write_scene(FILE* file, const tacModel* model) {
    fprintf(file, "<mujoco><asset>\n");
    for (int i = 0; i < model->nnode; ++i)
        if (is_leaf(&model->node[i])) write_mesh(file, model, &model->node[i], i);
    fprintf(file, "</asset><worldbody>\n");
    for (int b = 0; b < 2; ++b) {
        fprintf(file, "<body><freejoint/><inertial pos='0 0 .5' mass='40' diaginertia='4 4 2'/>\n");
        for (int i = 0; i < model->nnode; ++i) {
            const double* p = &model->param[model->node[i].position];
            const double* q = &model->param[model->node[i].rotation];
            if (is_leaf(&model->node[i]))
                fprintf(file, "<geom type='mesh' mesh='m%d' pos='%g %g %g' quat='%g %g %g %g'/>\n",
                        i, p[0], p[1], p[2], q[0], q[1], q[2], q[3]);
        }
        fprintf(file, "</body>\n");
    }
    fprintf(file, "</worldbody></mujoco>\n");
}

mujocoBaseline* figure_baseline_open(const mujocoApi* api, const tacModel* model) {
    if (!api) return NULL;
    char path[] = "/tmp/tactus_bench_XXXXXX.xml";
    int handle = mkstemps(path, 4);
    FILE* file = handle >= 0 ? fdopen(handle, "w") : NULL;
    if (!file) return NULL;
    write_scene(file, model);
    fclose(file);
    mujocoBaseline* baseline = api->open(path);
    unlink(path);
    if (baseline) api->enable_contacts(baseline);
    return baseline;
}
