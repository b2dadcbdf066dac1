// Fields of the clouds that scenes make: refined meshes, planes that end, clouds of the user.

#include "test.h"

#include "detect/ssdf/ssdf.h"
#include "detect/test_clouds.h"
#include "model/contact/contact_data.h"
#include "tactus/tactus.h"

// a geom that may touch the floor; the message of the load, warnings included
static int load_geom(const char* tactus, const char* asset, const char* geom, tacModel** out,
                     tacMessage* message) {
    char text[6000];
    snprintf(text, sizeof text,
             "<mujoco><tactus respond='scm' %s/><asset>%s</asset><worldbody><geom type='plane' "
             "size='1 1 .1'/><body pos='0 0 1'><freejoint/><inertial pos='0 0 0' mass='1' "
             "diaginertia='.01 .01 .01'/><geom %s/></body></worldbody></mujoco>",
             tactus, asset, geom);
    *message = (tacMessage){0};
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, out, message);
    if (result != TAC_OK) printf("  %s\n", message->text);
    ENSURE(result == TAC_OK);
    return 0;
}

static const tacContactCloud* cloud_of(const tacModel* model, int geom) {
    return model->contact->cloud[geom];
}

static double field_at(const tacModel* model, int geom, const double y[3]) {
    tacSsdfPlanes planes = tac_ssdf_planes(
        cloud_of(model, geom), model->param[model->contact->number[TAC_CONTACT_EPS1]], 0);
    double out[TAC_SSDF_JET];
    tac_ssdf_at(&planes, y, out);
    return out[0];
}

//---------------------------------- meshes ---------------------------------------

static const char* const meshes[] = {
    // a wedge, a spike, a long thin prism, a plate with a slanted end
    "<mesh name='m' scale='.1 .1 .1' vertex='-1 -1 -1 1 -1 -1 -1 1 -1 1 1 -1 -1 -1 1 -1 1 1' "
    "face='0 3 1 0 2 3 0 1 4 2 5 3 1 3 5 1 5 4 0 4 5 0 5 2'/>",
    "<mesh name='m' scale='.1 .1 .1' vertex='0 0 0 4 0 0 0 .5 0 0 0 .5' face='0 2 1 0 1 3 0 3 2 1 "
    "2 "
    "3'/>",
    "<mesh name='m' scale='.1 .1 .1' vertex='0 0 0 6 .2 0 0 .6 0 0 .2 .4 6 .4 .4' face='0 2 1 0 1 "
    "4 "
    "0 4 3 0 3 2 1 2 4 2 3 4'/>",
    "<mesh name='m' scale='.1 .1 .1' vertex='-2 -2 0 2 -2 0 2 2 0 -2 2 0 -2 -2 .2 1 -2 .2 1 2 .2 "
    "-2 "
    "2 .2' face='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 2 3 7 2 7 6 0 4 7 0 7 3 1 2 6 1 6 5'/>"};

// places beyond the box around the points, by a tenth of its size and up to twice that
static int outside_place(testRandom* random, const tacContactCloud* c, double y[3]) {
    int beyond = 0;
    for (int k = 0; k < 3; ++k) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < c->count; ++i) {
            low = fmin(low, c->block[k * c->count + i]);
            high = fmax(high, c->block[k * c->count + i]);
        }
        y[k] = test_uniform(random, low - 2.0 * c->size, high + 2.0 * c->size);
        beyond |= y[k] < low - 0.1 * c->size || y[k] > high + 0.1 * c->size;
    }
    return beyond;
}

// The planes of coarse faces go on for ever, and so did their zero set: it ended up 2 sizes away.
static int no_zero_set_away_from_the_body(void) {
    for (int m = 0; m < 4; ++m) {
        tacModel* model;
        tacMessage message;
        testRandom random = {11u + (unsigned)m};
        int inside = 0, count = 0;
        ENSURE_LAW(load_geom("", meshes[m], "type='mesh' mesh='m'", &model, &message));
        ENSURE(cloud_of(model, 1)->is_cut_off);
        for (int i = 0; i < test_amount(500, 4000, 40000); ++i) {
            double y[3];
            if (!outside_place(&random, cloud_of(model, 1), y)) continue;
            ++count;
            inside += field_at(model, 1, y) <= 0.0;
        }
        printf("  mesh %d, %d points: %d of %d places outside have a field below 0\n", m,
               cloud_of(model, 1)->count, inside, count);
        ENSURE(inside == 0);
        tac_model_destroy(model);
    }
    return 0;
}

// a place inside a flat part keeps its depth: planes end beside faces, not below them
static int depth_is_kept(void) {
    tacModel* model;
    tacMessage message;
    ENSURE_LAW(load_geom("", "", "type='box' size='.1 .08 .05'", &model, &message));
    for (int i = -4; i <= 4; ++i) {
        const double y[3] = {0.02 * i, 0.01, 0.05 - 0.003 * (1 + (i + 4) % 3)};
        double exact = fmax(y[2] - 0.05, fabs(y[0]) - 0.1);
        ENSURE_NEAR(field_at(model, 1, y), exact, 1e-3);
    }
    tac_model_destroy(model);
    return 0;
}

static int coarse_meshes_are_refined_and_say_so(void) {
    tacModel* model;
    tacMessage message;
    ENSURE_LAW(load_geom("", meshes[0], "type='mesh' mesh='m'", &model, &message));
    ENSURE(cloud_of(model, 1)->count >= 400 && strstr(message.text, "8 faces are too coarse"));
    double total = 0.0, exact = 0.01 * (4.0 + 2.0 * 2.0 + 4.0 + 2.0 * sqrt(8.0));
    for (int i = 0; i < cloud_of(model, 1)->count; ++i)
        total += exp(cloud_of(model, 1)->log_area[i]);
    ENSURE_NEAR(total, exact, 1e-9);
    tac_model_destroy(model);
    ENSURE_LAW(load_geom("refine='false'", meshes[0], "type='mesh' mesh='m'", &model, &message));
    ENSURE(cloud_of(model, 1)->count == 8 && !strstr(message.text, "too coarse for contact"));
    tac_model_destroy(model);
    // a temperature that is given is that of the paper's field
    ENSURE_LAW(load_geom("eps1='.01'", meshes[0], "type='mesh' mesh='m'", &model, &message));
    ENSURE(!cloud_of(model, 1)->is_cut_off);
    tac_model_destroy(model);
    return 0;
}

// points of round bodies lie on them, and their areas add up
// a mesh of points alone has the faces of its hull: each face once, nothing beyond them
static int points_alone_have_the_faces_of_their_hull(void) {
    tacModel* model;
    tacMessage message;
    ENSURE_LAW(load_geom("", "<mesh name='m' vertex='0 0 0 .3 0 0 0 .4 0 0 0 .2 .1 .1 .05'/>",
                         "type='mesh' mesh='m'", &model, &message));
    const tacContactCloud* c = cloud_of(model, 1);
    // three right triangles and the slanted one: half the cross product of its sides
    double expected = 0.5 * (0.3 * 0.4 + 0.3 * 0.2 + 0.4 * 0.2) +
                      0.5 * sqrt(0.08 * 0.08 + 0.06 * 0.06 + 0.12 * 0.12);
    double area = 0.0;
    for (int i = 0; i < c->count; ++i) area += exp(c->log_area[i]);
    printf("  area of %d points %.6f, of the hull %.6f\n", c->count, area, expected);
    ENSURE(fabs(area - expected) <= 1e-12);
    tac_model_destroy(model);
    return 0;
}

static int round_bodies_have_exact_points(void) {
    static const struct {
        const char* geom;
        double area;
    } bodies[] = {{"type='sphere' size='.1'", 4.0 * TEST_PI * 0.01},
                  {"type='capsule' size='.05 .1'", 4.0 * TEST_PI * 0.05 * 0.15},
                  {"type='cylinder' size='.1 .02'", 2.0 * TEST_PI * 0.1 * 0.14},
                  {"type='cylinder' size='.02 .3'", 2.0 * TEST_PI * 0.02 * 0.62},
                  {"type='ellipsoid' size='.1 .1 .1'", 4.0 * TEST_PI * 0.01}};
    for (int b = 0; b < 5; ++b) {
        tacModel* model;
        tacMessage message;
        ENSURE_LAW(load_geom("", "", bodies[b].geom, &model, &message));
        const tacContactCloud* c = cloud_of(model, 1);
        double total = 0.0;
        for (int i = 0; i < c->count; ++i) total += exp(c->log_area[i]);
        printf("  %s: %d points\n", bodies[b].geom, c->count);
        ENSURE_NEAR(total, bodies[b].area, 1e-12);
        tac_model_destroy(model);
    }
    return 0;
}

//---------------------------------- clouds of the user ---------------------------

static void write_cloud(char* text, size_t size, int n, int amplitudes) {
    size_t used = (size_t)snprintf(text, size, "<shape name='c'><cloud width='.03' points='");
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < n; ++i) {
            double z = 1.0 - (2.0 * i + 1.0) / n, s = sqrt(1.0 - z * z), t = 2.399963229728653 * i,
                   r = pass ? 1.0 : 0.1;
            used += (size_t)snprintf(text + used, size - used, "%.12g %.12g %.12g ", r * s * cos(t),
                                     r * s * sin(t), r * z);
        }
        if (!pass) used += (size_t)snprintf(text + used, size - used, "' normals='");
    }
    if (amplitudes) used += (size_t)snprintf(text + used, size - used, "' log_amp='");
    for (int i = 0; i < n && amplitudes; ++i)
        used += (size_t)snprintf(text + used, size - used, "%g ", 0.7 * (i % 5) - 1.0);
    snprintf(text + used, size - used, "'/></shape>");
}

// eq. 10 of paper 000: contact uses the points and the kernel of the cloud itself
static int own_clouds_are_taken_point_by_point(void) {
    for (int amplitudes = 0; amplitudes < 2; ++amplitudes) {
        char asset[6000];
        tacModel* model;
        tacMessage message;
        tacScratch* scratch;
        testRandom random = {5};
        enum { N = 50, PLACES = 64 };
        double x[3][PLACES], value[PLACES], worst = 0.0;
        write_cloud(asset, sizeof asset, N, amplitudes);
        ENSURE_LAW(load_geom("", asset, "type='shape' shape='c'", &model, &message));
        ENSURE(cloud_of(model, 1)->count == N);
        ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
        for (int i = 0; i < PLACES; ++i)
            for (int k = 0; k < 3; ++k) x[k][i] = test_uniform(&random, -0.2, 0.2);
        ENSURE(tac_shape_eval(model, model->geom[1].shape,
                              (tacPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                              (tacPoints){PLACES, {x[0], x[1], x[2]}}, (tacField){.value = value},
                              scratch) == TAC_OK);
        for (int i = 0; i < PLACES; ++i) {
            const double y[3] = {x[0][i], x[1][i], x[2][i]};
            worst = fmax(worst, fabs(field_at(model, 1, y) - value[i]));
        }
        printf("  amplitudes %d: field of contact less field of the shape %.1e m\n", amplitudes,
               worst);
        ENSURE(worst <= 1e-13);
        tac_scratch_destroy(scratch);
        tac_model_destroy(model);
    }
    return 0;
}

TEST_MAIN(RUN(no_zero_set_away_from_the_body), RUN(depth_is_kept),
          RUN(coarse_meshes_are_refined_and_say_so), RUN(points_alone_have_the_faces_of_their_hull),
          RUN(round_bodies_have_exact_points), RUN(own_clouds_are_taken_point_by_point))
