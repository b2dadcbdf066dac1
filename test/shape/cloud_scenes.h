// Point clouds as scene text, for the tests of clouds.

#ifndef TAC_SHAPE_CLOUD_SCENES_H
#define TAC_SHAPE_CLOUD_SCENES_H

#include "tactus/tactus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// text that grows; a test that runs out of memory ends
typedef struct cloudText {
    char* text;
    size_t length, size;
} cloudText;

static inline void write_text(cloudText* t, const char* format, ...) {
    if (t->size < t->length + 4096) {
        t->size = 2 * t->size + 65536;
        t->text = realloc(t->text, t->size);
        if (!t->text) exit(1);
    }
    va_list arguments;
    va_start(arguments, format);
    t->length += (size_t)vsnprintf(t->text + t->length, 4096, format, arguments);
    va_end(arguments);
}

// points with normals, in memory
typedef struct cloudSet {
    int count;
    double (*point)[3], (*normal)[3];
} cloudSet;

static inline cloudSet make_set(int count) {
    cloudSet set = {count, malloc(sizeof(double[3]) * (size_t)count),
                    malloc(sizeof(double[3]) * (size_t)count)};
    if (!set.point || !set.normal) exit(1);
    return set;
}

static inline void free_set(cloudSet* set) {
    free(set->point);
    free(set->normal);
}

// golden-angle points of a ball, stretched by `axes`; the normals stay those of the ball
static inline cloudSet make_egg(int count, double a, double b, double c) {
    cloudSet set = make_set(count);
    for (int i = 0; i < count; ++i) {
        double z = 1.0 - (2.0 * i + 1.0) / count, s = sqrt(1.0 - z * z),
               t = 2.39996322972865332 * i;
        double n[3] = {s * cos(t), s * sin(t), z}, axes[3] = {a, b, c};
        for (int k = 0; k < 3; ++k) {
            set.normal[i][k] = n[k];
            set.point[i][k] = axes[k] * n[k];
        }
    }
    return set;
}

// centres of m x m squares of each face of a box
static inline cloudSet make_box(int m, double a, double b, double c) {
    cloudSet set = make_set(6 * m * m);
    const double half[3] = {a, b, c};
    int at = 0;
    for (int face = 0; face < 6; ++face)
        for (int i = 0; i < m * m; ++i, ++at) {
            int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
            double side = face % 2 ? -1.0 : 1.0;
            for (int k = 0; k < 3; ++k) set.normal[at][k] = k == axis ? side : 0.0;
            set.point[at][axis] = side * half[axis];
            set.point[at][u] = half[u] * ((2.0 * (i % m) + 1.0) / m - 1.0);
            set.point[at][v] = half[v] * ((2.0 * (i / m) + 1.0) / m - 1.0);
        }
    return set;
}

// <cloud ATTRIBUTES points="…" normals="…"/>, with log_amp if `amp` is not 0
static inline void write_cloud(cloudText* t, const cloudSet* set, const char* attributes,
                               double amp) {
    write_text(t, "<cloud %s points='", attributes);
    for (int i = 0; i < set->count; ++i)
        write_text(t, "%.17g %.17g %.17g ", set->point[i][0], set->point[i][1], set->point[i][2]);
    write_text(t, "' normals='");
    for (int i = 0; i < set->count; ++i)
        write_text(t, "%.17g %.17g %.17g ", set->normal[i][0], set->normal[i][1],
                   set->normal[i][2]);
    if (amp != 0.0) write_text(t, "' log_amp='");
    for (int i = 0; i < set->count && amp != 0.0; ++i) write_text(t, "%.3g ", amp * sin(i));
    write_text(t, "'/>");
}

static inline tacModel* load_cloud_text(cloudText* t) {
    tacModel* model = NULL;
    tacMessage message;
    write_text(t, "</asset></mujoco>");
    if (tac_load_text(t->text, (int)t->length, "test.xml", NULL, &model, &message) != TAC_OK) {
        printf("  %s:%d: %s: %s\n", message.file, message.line, message.attribute, message.text);
        exit(1);
    }
    free(t->text);
    return model;
}

// one shape "cloud" of these points
static inline tacModel* load_set(const cloudSet* set, const char* attributes, const char* shape) {
    cloudText t = {0};
    write_text(&t, "<mujoco><asset><shape name='cloud' %s>", shape);
    write_cloud(&t, set, attributes, 0.0);
    write_text(&t, "</shape>");
    return load_cloud_text(&t);
}

// each kernel, with and without amplitudes, small and with boxes of two levels, and in a nest
static inline tacModel* load_cloud_zoo(void) {
    cloudText t = {0};
    cloudSet egg = make_egg(37, 0.5, 0.4, 0.6), many = make_egg(300, 0.5, 0.4, 0.6);
    static const char* const attributes[] = {
        "euler='20 30 40' pos='.1 0 .2'", "width='.15'", "kernel='anisotropic' width='.1 .2'",
        "kernel='wendland'", "kernel='wendland' width='.2' pos='.1 0 .2'"};
    write_text(&t, "<mujoco><asset>");
    for (int i = 0; i < 10; ++i) {
        write_text(&t, "<shape name='%s %d'>", i < 5 ? "egg" : "fine egg", i % 5);
        write_cloud(&t, i < 5 ? &egg : &many, attributes[i % 5], i % 2 ? 0.3 : 0.0);
        write_text(&t, "</shape>");
    }
    write_text(&t, "<shape name='cut' smooth='.02'><difference>");
    write_cloud(&t, &many, "kernel='wendland'", 0.0);
    write_text(&t, "<sphere size='.3' pos='.4 0 0'/></difference><box size='.1 .1 .6'/></shape>");
    free_set(&egg);
    free_set(&many);
    return load_cloud_text(&t);
}

#endif
