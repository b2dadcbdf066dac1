// Stages of what needs no motion: shapes, nearest points of features, impulses, times of impact,
// convex solids.

#ifndef TACTUS_TEST_RECORDED_PARTS_H
#define TACTUS_TEST_RECORDED_PARTS_H

#include "step/recorded_motion.h"
#include "tactus/witness.h"

enum { PART_POINTS = 37 };

//---------------------------------- shapes ---------------------------------------

static inline tacField take_field(recordedRun* r, int order) {
    tacField f = {.value = take(r, PART_POINTS)};
    for (int k = 0; k < 3 && order > 0; ++k) f.gradient[k] = take(r, PART_POINTS);
    for (int k = 0; k < 6 && order > 1; ++k) f.hessian[k] = take(r, PART_POINTS);
    return f;
}

static inline void book_adjoint(recordedRun* r, bookStage stage, tacShapeAdjoint a) {
    for (int k = 0; k < 3; ++k) book_reals(r->c, stage, a.x[k], PART_POINTS);
    book_reals(r->c, stage, a.pose, 6);
    book_reals(r->c, stage, a.param, r->model->nparam);
}

static inline void record_field(recordedRun* r, int shape, tacPose pose, tacPoints points) {
    bookCase* c = r->c;
    tacField f = take_field(r, 2);
    double* steps = take(r, PART_POINTS);
    if (book_result(c, STAGE_VALUE, tac_shape_eval(r->model, shape, pose, points, f, r->scratch))) {
        book_reals(c, STAGE_VALUE, f.value, PART_POINTS);
        for (int k = 0; k < 3; ++k) book_reals(c, STAGE_GRADIENT, f.gradient[k], PART_POINTS);
        for (int k = 0; k < 6; ++k) book_reals(c, STAGE_HESSIAN, f.hessian[k], PART_POINTS);
        c->value[0] = norm_of(f.value, PART_POINTS);
        c->value[1] = norm_of(f.gradient[0], PART_POINTS);
        c->value[2] = norm_of(f.hessian[0], PART_POINTS);
    }
    if (book_result(c, STAGE_STEPS,
                    tac_shape_steps(r->model, shape, pose, points, steps, r->scratch)))
        book_reals(c, STAGE_STEPS, steps, PART_POINTS);
}

static inline void record_field_products(recordedRun* r, int shape, tacPose pose,
                                         tacPoints points) {
    bookCase* c = r->c;
    const tacModel* m = r->model;
    tacShapeTangent dot = {.pose = take_random(r, 6, 1.0), .param = take_random(r, m->nparam, 1.0)};
    tacShapeAdjoint once = {.pose = take(r, 6), .param = take(r, m->nparam)};
    tacShapeAdjoint twice = {.pose = take(r, 6), .param = take(r, m->nparam)};
    tacField out = take_field(r, 1), bar = {.value = take_random(r, PART_POINTS, 1.0)};
    for (int k = 0; k < 3; ++k) {
        dot.x[k] = take_random(r, PART_POINTS, 1.0);
        bar.gradient[k] = take_random(r, PART_POINTS, 1.0);
        once.x[k] = take(r, PART_POINTS);
        twice.x[k] = take(r, PART_POINTS);
    }
    if (book_result(c, STAGE_JVP, tac_shape_jvp(m, shape, pose, points, dot, out, r->scratch))) {
        book_reals(c, STAGE_JVP, out.value, PART_POINTS);
        for (int k = 0; k < 3; ++k) book_reals(c, STAGE_JVP, out.gradient[k], PART_POINTS);
    }
    if (book_result(c, STAGE_VJP, tac_shape_vjp(m, shape, pose, points, bar, once, r->scratch)))
        book_adjoint(r, STAGE_VJP, once);
    if (book_result(c, STAGE_HVP,
                    tac_shape_hvp(m, shape, pose, points, bar, dot, twice, r->scratch)))
        book_adjoint(r, STAGE_HVP, twice);
}

// a coarse mesh and mass, of shapes that have them soon
static inline void record_solid(recordedRun* r, int shape) {
    bookCase* c = r->c;
    tacMesh* mesh = NULL;
    tacMass mass = {0};
    if (book_result(c, STAGE_MESH, tac_shape_tessellate(r->model, shape, 100, &mesh, NULL))) {
        book_int(c, STAGE_MESH, mesh->vertices);
        book_int(c, STAGE_MESH, mesh->faces);
        for (int k = 0; k < 3; ++k) book_reals(c, STAGE_MESH, mesh->x[k], mesh->vertices);
        for (int k = 0; k < 3; ++k)
            for (int i = 0; i < mesh->faces; ++i) book_int(c, STAGE_MESH, mesh->face[k][i]);
        tac_mesh_destroy(mesh);
    }
    if (book_result(c, STAGE_MASS, tac_shape_mass(r->model, shape, 1000.0, 1e-2, &mass, NULL))) {
        book_reals(c, STAGE_MASS, &mass.mass, 1);
        book_reals(c, STAGE_MASS, mass.center, 3);
        book_reals(c, STAGE_MASS, mass.inertia, 6);
        c->value[3] = mass.mass;
    }
}

// near the solid and in it, a few far away
static inline void record_shape(recordedRun* r, int shape, int solid) {
    tacBall ball = tac_shape_ball(r->model, shape, r->scratch);
    const double center[] = {ball.center.x, ball.center.y, ball.center.z};
    double reach = isfinite(ball.radius) ? ball.radius : 0.5;
    tacPose pose = {{0.1, -0.2, 0.05}, {0.9, 0.1, -0.3, 0.2}};
    tacPoints points = {.count = PART_POINTS};
    r->random = (testRandom){501};
    for (int k = 0; k < 3; ++k) {
        double* x = take_random(r, PART_POINTS, 1.5 * reach);
        for (int i = 0; i < PART_POINTS; ++i) {
            x[i] += center[k];
            x[i] *= i % 9 == 0 ? 4.0 : 1.0;
        }
        points.x[k] = x;
    }
    book_reals(r->c, STAGE_LOAD, center, 3);
    book_reals(r->c, STAGE_LOAD, &ball.radius, 1);
    record_field(r, shape, pose, points);
    record_field_products(r, shape, pose, points);
    if (solid) record_solid(r, shape);
    give_back(r, 0);
}

// all shapes of a scene of scenes/, at most `most`; returns how many
static inline int record_shapes(const char* file, bookCase* c, int most) {
    recordedScene scene = {.name = file, .file = file};
    recordedRun r = {0};
    tacMessage message = {0};
    if (load_recorded(&scene, &r.model, &message) != TAC_OK) {
        printf("  %s: %s\n", file, message.text);
        return 0;
    }
    if (tac_scratch_create(r.model, &r.scratch) != TAC_OK) abort();
    int count = r.model->nshape < most ? r.model->nshape : most;
    int solid = strcmp(file, "gallery") == 0;
    for (int i = 0; i < count; ++i) {
        r.c = &c[i];
        const char* name = r.model->shape[i].name;
        snprintf(c[i].name, sizeof c[i].name, "shape:%s/%s", file, name);
        for (char* p = c[i].name; *p; ++p)
            if (*p == ' ') *p = '_';
        record_shape(&r, i, solid && strstr("box pillow cut union", name));
    }
    tac_scratch_destroy(r.scratch);
    tac_model_destroy(r.model);
    return count;
}

//---------------------------------- features -------------------------------------

static inline tacPolygonWitness take_witness(recordedRun* r, double reach) {
    tacPolygonWitness w = {.colliding = take_random(r, PART_POINTS, reach),
                           .distance = take_random(r, PART_POINTS, reach)};
    for (int i = 0; i < 6; ++i) w.alpha[i] = take_random(r, PART_POINTS, reach);
    for (int i = 0; i < 6; ++i) w.point[i / 3][i % 3] = take_random(r, PART_POINTS, reach);
    for (int i = 0; i < 3; ++i) w.normal[i] = take_random(r, PART_POINTS, reach);
    return w;
}

static inline void book_witness(recordedRun* r, bookStage stage, tacPolygonWitness w) {
    book_reals(r->c, stage, w.colliding, PART_POINTS);
    book_reals(r->c, stage, w.distance, PART_POINTS);
    for (int i = 0; i < 6; ++i) book_reals(r->c, stage, w.alpha[i], PART_POINTS);
    for (int i = 0; i < 6; ++i) book_reals(r->c, stage, w.point[i / 3][i % 3], PART_POINTS);
    for (int i = 0; i < 3; ++i) book_reals(r->c, stage, w.normal[i], PART_POINTS);
}

// polygons of all numbers of corners
static inline void record_polygons(recordedRun* r, const tacWitnessOptions* options) {
    for (int sort = 0; sort < 9; ++sort) {
        tacPolygonPairs at = {PART_POINTS, {1 + sort / 3, 1 + sort % 3}, {{0}}};
        tacPolygonPairs dot = at;
        tacPolygonPairsBar bar = {0};
        for (int i = 0; i < 18; ++i) {
            at.corner[i / 3][i % 3] = take_random(r, PART_POINTS, 1.0);
            dot.corner[i / 3][i % 3] = take_random(r, PART_POINTS, 1.0);
            bar.corner[i / 3][i % 3] = take(r, PART_POINTS);
        }
        tacPolygonWitness out = take_witness(r, 0.0), out_dot = take_witness(r, 0.0),
                          out_bar = take_witness(r, 1.0);
        if (book_result(r->c, STAGE_VALUE, tac_polygon_witness(options, at, out)))
            book_witness(r, STAGE_VALUE, out);
        r->c->value[0] = norm_of(out.distance, PART_POINTS);
        if (book_result(r->c, STAGE_JVP, tac_polygon_witness_jvp(options, at, dot, NULL, out_dot)))
            book_witness(r, STAGE_JVP, out_dot);
        if (book_result(r->c, STAGE_VJP, tac_polygon_witness_vjp(options, at, out_bar, bar, NULL)))
            for (int i = 0; i < 18; ++i)
                book_reals(r->c, STAGE_VJP, bar.corner[i / 3][i % 3], PART_POINTS);
        give_back(r, 0);
    }
}

static inline void record_edges(recordedRun* r, const tacWitnessOptions* options) {
    tacEdgePairs at = {.count = PART_POINTS}, dot = at;
    tacEdgePairsBar bar = {0};
    for (int i = 0; i < 12; ++i) {
        at.corner[i / 3][i % 3] = take_random(r, PART_POINTS, 1.0);
        dot.corner[i / 3][i % 3] = take_random(r, PART_POINTS, 1.0);
        bar.corner[i / 3][i % 3] = take(r, PART_POINTS);
    }
    tacPolygonWitness p[3] = {take_witness(r, 0.0), take_witness(r, 0.0), take_witness(r, 1.0)};
    tacEdgeWitness w[3];
    for (int k = 0; k < 3; ++k) {
        w[k] = (tacEdgeWitness){.alpha = {p[k].alpha[0], p[k].alpha[1]},
                                .colliding = p[k].colliding,
                                .distance = p[k].distance};
        memcpy(w[k].point, p[k].point, sizeof w[k].point);
        memcpy(w[k].normal, p[k].normal, sizeof w[k].normal);
    }
    if (book_result(r->c, STAGE_VALUE, tac_edge_edge(options, at, w[0])))
        book_witness(r, STAGE_VALUE, p[0]);
    r->c->value[1] = norm_of(p[0].distance, PART_POINTS);
    if (book_result(r->c, STAGE_JVP, tac_edge_edge_jvp(options, at, dot, NULL, w[1])))
        book_witness(r, STAGE_JVP, p[1]);
    if (book_result(r->c, STAGE_VJP, tac_edge_edge_vjp(options, at, w[2], bar, NULL)))
        for (int i = 0; i < 12; ++i)
            book_reals(r->c, STAGE_VJP, bar.corner[i / 3][i % 3], PART_POINTS);
    give_back(r, 0);
}

static inline void record_witness(bookCase* c) {
    tacWitnessOptions options = tac_default_witness_options();
    recordedRun r = {.c = c, .random = {21}};
    for (int exact = 0; exact < 2; ++exact) {
        options.exact = exact;
        record_polygons(&r, &options);
        record_edges(&r, &options);
    }
}

//---------------------------------- impulses -------------------------------------

// A = G G' of random G, contacts with two tangents
static inline void record_lcp(bookCase* c) {
    recordedRun r = {.c = c, .random = {22}};
    for (int round = 0; round < 40; ++round) {
        int contacts = 1 + round % 8, rows = 3 * contacts, wide = rows + 2;
        double *G = take_random(&r, rows * wide, 1.0), *A = take(&r, rows * rows);
        double *b = take_random(&r, rows, 1.0), *mu = take(&r, contacts), *f = take(&r, rows);
        double *f_dot = take(&r, rows), *A_bar = take(&r, rows * rows), *b_bar = take(&r, rows);
        double *mu_bar = take(&r, contacts), *dot = take_random(&r, rows, 1.0);
        unsigned char* classes = (void*)take(&r, rows);
        size_t size = tac_lcp_size(contacts, 2), other = tac_lcp_active_set_size(contacts, 2);
        void* memory = take(&r, (long long)((size > other ? size : other) / sizeof(double)) + 1);
        for (int i = 0; i < contacts; ++i) mu[i] = test_uniform(&r.random, 0.0, 1.0);
        for (int i = 0; i < rows; ++i)
            for (int j = 0; j < rows; ++j)
                for (int k = 0; k < wide; ++k) A[i * rows + j] += G[i * wide + k] * G[j * wide + k];
        tacLcp lcp = {contacts, 2, A, b, mu};
        tacLcpReport report = {0};
        tacResult result = tac_lcp_solve(&lcp, 0, f, classes, &report, memory);
        book_int(c, STAGE_INFO, report.method);
        book_int(c, STAGE_INFO, report.passes);
        book_int(c, STAGE_INFO, report.flags);
        if (book_result(c, STAGE_VALUE, result)) {
            book_reals(c, STAGE_VALUE, f, rows);
            for (int i = 0; i < rows; ++i) book_int(c, STAGE_VALUE, classes[i]);
            c->value[0] += norm_of(f, rows);
            tac_lcp_active_set_jvp(&lcp, classes, f, NULL, dot, NULL, f_dot, memory);
            book_reals(c, STAGE_JVP, f_dot, rows);
            tac_lcp_active_set_vjp(&lcp, classes, f, dot, A_bar, b_bar, mu_bar, memory);
            book_reals(c, STAGE_VJP, A_bar, rows * rows);
            book_reals(c, STAGE_VJP, b_bar, rows);
            book_reals(c, STAGE_VJP, mu_bar, contacts);
        }
        give_back(&r, 0);
    }
}

//---------------------------------- impacts --------------------------------------

static inline void record_ccd(bookCase* c) {
    testRandom random = {23};
    for (int round = 0; round < 400; ++round) {
        double start[12], end[12], time = 1.0, exact = 0.0, rate = 0.0;
        double start_bar[12] = {0}, end_bar[12] = {0};
        int passes = 0;
        tacImpact impact = {round % 2 ? TAC_CCD_EDGE_EDGE : TAC_CCD_VERTEX_FACE, 0.0, 1e-3};
        tacCcdOptions options = tac_default_ccd();
        options.separation = 1e-3;
        for (int i = 0; i < 12; ++i) start[i] = test_uniform(&random, -1.0, 1.0);
        for (int i = 0; i < 12; ++i) end[i] = start[i] + test_uniform(&random, -2.0, 2.0);
        int hit = tac_ccd(impact.feature, start, end, &options, &time, &passes);
        book_int(c, STAGE_VALUE, hit);
        book_int(c, STAGE_VALUE, passes);
        if (!hit) continue;
        book_reals(c, STAGE_VALUE, &time, 1);
        if (!book_result(c, STAGE_VALUE, tac_impact_side(&impact, start, end, 0.5 * time)) ||
            !book_result(c, STAGE_VALUE, tac_impact_time(&impact, start, end, time, &exact)))
            continue;
        book_reals(c, STAGE_VALUE, &impact.side, 1);
        book_reals(c, STAGE_VALUE, &exact, 1);
        c->value[0] += time;
        if (book_result(c, STAGE_JVP,
                        tac_impact_time_jvp(&impact, start, end, exact, end, start, &rate)))
            book_reals(c, STAGE_JVP, &rate, 1);
        if (book_result(c, STAGE_VJP,
                        tac_impact_time_vjp(&impact, start, end, exact, 1.0, start_bar, end_bar))) {
            book_reals(c, STAGE_VJP, start_bar, 12);
            book_reals(c, STAGE_VJP, end_bar, 12);
        }
    }
}

//---------------------------------- solids ---------------------------------------

static inline void book_separation(bookCase* c, bookStage stage, const tacSeparation* s) {
    const tacVec3 v[] = {s->normal, s->point[0], s->point[1], s->tangent[0], s->tangent[1]};
    book_int(c, stage, s->axes);
    book_int(c, stage, s->bound);
    book_reals(c, stage, &s->distance, 1);
    for (int i = 0; i < 5 && !s->bound; ++i) {
        const double x[] = {v[i].x, v[i].y, v[i].z};
        book_reals(c, stage, x, 3);
    }
}

static inline tacPose random_pose(testRandom* random, double reach) {
    double r[7];
    for (int i = 0; i < 7; ++i) r[i] = test_uniform(random, -1.0, 1.0);
    double length = norm_of(r + 3, 4);
    return (tacPose){{reach * r[0], reach * r[1], reach * r[2]},
                     {r[3] / length, r[4] / length, r[5] / length, r[6] / length}};
}

static inline void record_separation(bookCase* c) {
    testRandom random = {24};
    tacSolid* solid[4] = {NULL};
    double half[3] = {0.3, 0.2, 0.4}, up[3] = {0.0, 0.0, 1.0}, points[60];
    for (int i = 0; i < 60; ++i) points[i] = test_uniform(&random, -0.4, 0.4);
    book_int(c, STAGE_LOAD, tac_solid_create_ball(0.3, 0, &solid[0], NULL));
    book_int(c, STAGE_LOAD, tac_solid_create_box(half, 0, &solid[1], NULL));
    book_int(c, STAGE_LOAD, tac_solid_create_polyhedron(points, 20, &solid[2], NULL));
    book_int(c, STAGE_LOAD, tac_solid_create_halfspace(up, 0.1, 0, &solid[3], NULL));
    for (int round = 0; round < 90; ++round) {
        tacPosedSolid a = {solid[round % 3], random_pose(&random, 0.5)};
        tacPosedSolid b = {solid[round / 3 % 4], random_pose(&random, 0.5)};
        tacSeparation s = {0};
        double growth = 0.0;
        tacConvexOptions options = {.growth = 1};
        if (book_result(c, STAGE_VALUE, tac_sat(a, b, INFINITY, &s))) {
            book_separation(c, STAGE_VALUE, &s);
            c->value[0] += s.distance;
        }
        void* memory = malloc(tac_convex_separation_size(a.solid, b.solid) + 8);
        if (book_result(c, STAGE_DETECT,
                        tac_convex_separation(a, b, &options, &s, &growth, NULL, memory))) {
            book_separation(c, STAGE_DETECT, &s);
            book_reals(c, STAGE_DETECT, &growth, 1);
        }
        free(memory);
    }
    for (int i = 0; i < 4; ++i) tac_solid_destroy(solid[i]);
}

// name and recorder of each
typedef struct recordedPart {
    const char* name;
    void (*record)(bookCase* c);
} recordedPart;

static const recordedPart recorded_parts[] = {{"part:witness", record_witness},
                                              {"part:lcp", record_lcp},
                                              {"part:ccd", record_ccd},
                                              {"part:separation", record_separation}};

#endif
