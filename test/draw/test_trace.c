// Laws of pictures: rays end on the surface that geometry says, and threads do not change a bit.

#include "base/assert.h"
#include "draw/draw.h"
#include "draw/shade.h"
#include "test.h"

#include <stdlib.h>

//---------------------------------- scenes ---------------------------------------

typedef struct fixture {
    tacModel* model;
    tacScratch* scratch;
    tacStage stage;
    tacShadeWorkspace* workspace; // with memory for packets
    tacRays* rays;
} fixture;

static int open_scene(fixture* f, const char* text) {
    tacMessage message;
    *f = (fixture){0};
    tacResult result =
        tac_load_text(text, (int)strlen(text), "test.xml", NULL, &f->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(f->model, &f->scratch) == TAC_OK);
    ENSURE(tac_stage_create(f->model, -1, -1, 1.0, f->scratch, &f->stage) == TAC_OK);
    f->workspace = calloc(1, sizeof *f->workspace);
    f->rays = calloc(1, sizeof *f->rays);
    ENSURE(f->workspace && f->rays);
    f->rays->pixel = 1e-3;
    return 0;
}

static void close_scene(fixture* f) {
    free(f->workspace);
    free(f->rays);
    tac_stage_destroy(&f->stage);
    tac_scratch_destroy(f->scratch);
    tac_model_destroy(f->model);
}

static void add_ray(tacRays* rays, tacVec3 from, tacVec3 along) {
    int i = rays->count++;
    tac_vectors_set(&rays->origin, i, from);
    tac_vectors_set(&rays->along, i, tac_normalize(along));
    rays->start[i] = rays->eye_distance[i] = 0.0;
}

// a fan of rays around the direction from `from` to `to`
static void add_fan(tacRays* rays, tacVec3 from, tacVec3 to, double spread) {
    testRandom random = {7};
    rays->count = 0;
    while (rays->count < TAC_PACKET) {
        tacVec3 off = {test_uniform(&random, -spread, spread),
                       test_uniform(&random, -spread, spread),
                       test_uniform(&random, -spread, spread)};
        add_ray(rays, from, tac_sub(tac_add(to, off), from));
    }
}

static void trace_rays(fixture* f) {
    tac_trace(&f->stage, f->rays, &f->workspace->trace, f->scratch);
}

#define SCENE(assets, world)                                                                       \
    "<mujoco><asset>" assets "</asset><worldbody>" world "</worldbody></mujoco>"

static const char many[] =
    SCENE("<shape name='cup' smooth='.012'>"
          " <superquadric size='.13 .13 .15' eps='.7 1' pos='0 0 .37'/>"
          " <superquadric size='.028 .028 .16' eps='.2 1' pos='0 0 .15'/>"
          " <superquadric size='.11 .11 .018' eps='.4 1' pos='0 0 .018'/></shape>"
          "<shape name='die'><superquadric size='.1 .12 .14' eps='.1 .1'/></shape>",
          "<geom type='plane' size='1 1 1'/><geom type='shape' shape='cup'/>"
          "<geom type='shape' shape='die' pos='.4 .1 .14' euler='0 0 30' rgba='.2 .4 .9 1'/>"
          "<geom size='.1' pos='-.3 -.2 .1' rgba='.9 .2 .2 .5'/>");

//---------------------------------- distances ------------------------------------

// distances to a sphere equal the closed form, also at the limb, and misses are misses
static int sphere_matches_closed_form(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom size='.3' pos='.1 -.2 .4'/>")));
    tacVec3 eye = {2.0, 1.5, 1.0}, c = {.1, -.2, .4};
    int hits = 0;
    add_fan(f.rays, eye, c, 0.5);
    trace_rays(&f);
    for (int i = 0; i < f.rays->count; ++i) {
        double enter, leave;
        int met =
            tac_ray_ball_interval(eye, tac_vectors_get(&f.rays->along, i), c, 0.3, &enter, &leave);
        // a chord shorter than a tenth of a pixel may go either way
        if (met && leave - enter < 1e-4 * enter) continue;
        ENSURE((f.rays->item[i] >= 0) == met);
        if (!met) continue;
        ENSURE_NEAR(f.rays->distance[i], enter, 1e-6 * enter);
        tacVec3 x = tac_ray_point(f.rays, i, enter), n = tac_vectors_get(&f.rays->normal, i);
        ENSURE_NEAR(tac_norm(tac_sub(n, tac_scale(tac_sub(x, c), 1.0 / 0.3))), 0.0, 1e-6);
        ++hits;
    }
    ENSURE(hits > 100 && hits < f.rays->count);
    close_scene(&f);
    return 0;
}

// an ellipsoid, whose field is no distance, in closed form
static int ellipsoid_matches_closed_form(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom type='ellipsoid' size='.5 .1 .25'/>")));
    tacVec3 eye = {1.0, -2.0, 0.7}, inverse = {2.0, 10.0, 4.0};
    add_fan(f.rays, eye, tac_vec3_zero(), 0.4);
    trace_rays(&f);
    int hits = 0;
    for (int i = 0; i < f.rays->count; ++i) {
        // scaled so that the ellipsoid is the unit ball
        tacVec3 d = tac_mul(tac_vectors_get(&f.rays->along, i), inverse);
        double enter, leave, norm = tac_norm(d);
        int met = tac_ray_ball_interval(tac_mul(eye, inverse), tac_normalize(d), tac_vec3_zero(),
                                        1.0, &enter, &leave);
        if (met && leave - enter < 1e-4 * enter) continue;
        ENSURE((f.rays->item[i] >= 0) == met);
        if (met) ENSURE_NEAR(f.rays->distance[i], enter / norm, 1e-6 * enter / norm);
        hits += met;
    }
    ENSURE(hits > 100 && hits < f.rays->count);
    close_scene(&f);
    return 0;
}

static int plane_matches_closed_form(void) {
    fixture f;
    ENSURE_LAW(
        open_scene(&f, SCENE("", "<geom type='plane' size='1 1 1' pos='0 0 .5' euler='20 0 0'/>")));
    tacVec3 n = f.stage.items[0].axes[2], eye = {0.3, 0.2, 2.0};
    add_fan(f.rays, eye, tac_vec3(0.0, 1.0, 1.5), 2.0);
    trace_rays(&f);
    for (int i = 0; i < f.rays->count; ++i) {
        double fall = -tac_dot(n, tac_vectors_get(&f.rays->along, i));
        double t = tac_dot(n, tac_sub(eye, tac_vec3(0.0, 0.0, 0.5))) / fall;
        ENSURE((f.rays->item[i] >= 0) == (fall > 0.0));
        if (fall > 0.0) ENSURE_NEAR(f.rays->distance[i], t, 1e-9 * t);
    }
    close_scene(&f);
    return 0;
}

// on blends the value at a hit is 0, and fine steps along the ray find no surface before it
static int blends_have_no_holes(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, many));
    tacVec3 eye = {1.2, -1.8, 0.6};
    add_fan(f.rays, eye, tac_vec3(0.0, 0.0, 0.15), 0.25);
    trace_rays(&f);
    const tacStageItem* cup = NULL;
    for (int i = 0; i < f.stage.count; ++i)
        if (f.stage.items[i].shape == tac_shape_find(f.model, "cup")) cup = &f.stage.items[i];
    ENSURE(cup);
    enum { FINE = 2000 };
    static double x[3][FINE], value[FINE];
    for (int i = 0; i < f.rays->count; i += 4) {
        double first = INFINITY, t = f.rays->distance[i];
        for (int k = 0; k < FINE; ++k) {
            tacVec3 p = tac_ray_point(f.rays, i, 1.0 + 2.0 * k / FINE);
            x[0][k] = p.x;
            x[1][k] = p.y;
            x[2][k] = p.z;
        }
        tac_shape_eval(f.model, cup->shape, cup->pose, (tacPoints){FINE, {x[0], x[1], x[2]}},
                       (tacField){.value = value}, f.scratch);
        for (int k = FINE - 1; k >= 0; --k)
            if (value[k] < 0.0) first = 1.0 + 2.0 * k / FINE;
        ENSURE(t <= first);
        if (f.rays->item[i] < 0 || &f.stage.items[f.rays->item[i]] != cup) continue;
        tacVec3 hit = tac_ray_point(f.rays, i, t);
        double at;
        tac_shape_eval(f.model, cup->shape, cup->pose, (tacPoints){1, {&hit.x, &hit.y, &hit.z}},
                       (tacField){.value = &at}, f.scratch);
        ENSURE_NEAR(at, 0.0, 1e-9 * t);
    }
    close_scene(&f);
    return 0;
}

// a gap of a thousandth of a radius between two spheres lets a ray through
static int narrow_gap_lets_rays_through(void) {
    fixture f;
    ENSURE_LAW(open_scene(
        &f, SCENE("", "<geom size='.5' pos='.5005 0 0'/><geom size='.5' pos='-.5005 0 0'/>")));
    f.rays->count = 0;
    add_ray(f.rays, tac_vec3(0.0, -3.0, 0.0), tac_vec3(0.0, 1.0, 0.0));
    add_ray(f.rays, tac_vec3(0.0, -3.0, 1e-3), tac_vec3(0.0, 1.0, 0.0));
    add_ray(f.rays, tac_vec3(0.01, -3.0, 0.0), tac_vec3(0.0, 1.0, 0.0));
    trace_rays(&f);
    ENSURE(f.rays->item[0] < 0 && f.rays->item[1] < 0);
    ENSURE(f.rays->item[2] >= 0);
    ENSURE(f.rays->near[0]);
    close_scene(&f);
    return 0;
}

// a ray that starts inside a solid leaves it and sees what is behind
static int rays_that_start_inside_leave_the_solid(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom size='.5'/><geom size='.5' pos='2 0 0'/>")));
    f.rays->count = 0;
    add_ray(f.rays, tac_vec3_zero(), tac_vec3(1.0, 0.0, 0.0));
    add_ray(f.rays, tac_vec3_zero(), tac_vec3(-1.0, 0.0, 0.0));
    trace_rays(&f);
    ENSURE_NEAR(f.rays->distance[0], 1.5, 1e-9);
    ENSURE(f.rays->item[1] < 0);
    close_scene(&f);
    return 0;
}

// grazing rays, at all angles to a flat shape, end in time
static int grazing_rays_take_bounded_steps(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, many));
    for (int k = 0; k < 40; ++k) {
        double a = 0.16 * k;
        add_fan(f.rays, tac_vec3(2.0 * cos(a), 2.0 * sin(a), 0.02 * k), tac_vec3(0.0, 0.0, 0.2),
                0.3);
        trace_rays(&f);
    }
    ENSURE(f.workspace->trace.most_steps < TAC_TRACE_STEPS);
    close_scene(&f);
    return 0;
}

//---------------------------------- light ----------------------------------------

// light from straight above a sphere: its shadow on the plane is a disc of its radius
static int shadow_falls_below(void) {
    fixture f;
    ENSURE_LAW(open_scene(
        &f, SCENE("", "<geom type='plane' size='1 1 1'/><geom size='.2' pos='0 0 .5'/>")));
    tacSurfels* surfels = &f.workspace->surfels;
    surfels->count = 0;
    for (int i = 0; i < 100; ++i) {
        int k = surfels->count++;
        tac_vectors_set(&surfels->x, k, tac_vec3(0.006 * i, 0.0, 1e-7));
        tac_vectors_set(&surfels->normal, k, tac_vec3(0.0, 0.0, 1.0));
        tac_vectors_set(&surfels->to_light, k, tac_vec3(0.0, 0.0, 1.0));
        surfels->light_distance[k] = INFINITY;
    }
    tac_surfels_measure(surfels);
    tac_occlude_shadows(&f.stage, surfels, &f.workspace->occlude, f.scratch);
    for (int i = 0; i < 100; ++i) {
        double x = 0.006 * i, penumbra = 0.5 * TAC_LIGHT_WIDTH_TAN;
        if (x < 0.2 - penumbra) ENSURE_NEAR(surfels->light[i], 0.0, 1e-6);
        if (x > 0.2 + penumbra) ENSURE_NEAR(surfels->light[i], 1.0, 1e-6);
        if (i > 0) ENSURE(surfels->light[i] >= surfels->light[i - 1] - 1e-6);
        if (fabs(x - 0.2) < 0.003) ENSURE_NEAR(surfels->light[i], 0.5, 0.15);
    }
    close_scene(&f);
    return 0;
}

// a light between a spot and an item: the item behind it throws no shadow
static int light_in_front_is_not_shadowed(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom size='.2' pos='0 0 2'/>")));
    tacSurfels* surfels = &f.workspace->surfels;
    surfels->count = 2;
    for (int k = 0; k < 2; ++k) {
        tac_vectors_set(&surfels->x, k, tac_vec3_zero());
        tac_vectors_set(&surfels->normal, k, tac_vec3(0.0, 0.0, 1.0));
        tac_vectors_set(&surfels->to_light, k, tac_vec3(0.0, 0.0, 1.0));
        surfels->light_distance[k] = k ? 3.0 : 1.0;
    }
    tac_surfels_measure(surfels);
    tac_occlude_shadows(&f.stage, surfels, &f.workspace->occlude, f.scratch);
    ENSURE_NEAR(surfels->light[0], 1.0, 1e-9);
    ENSURE_NEAR(surfels->light[1], 0.0, 1e-9);
    close_scene(&f);
    return 0;
}

//---------------------------------- pictures -------------------------------------

static int draw_text(const char* text, tacDrawOptions options, tacImage* image) {
    tacModel* model = NULL;
    ENSURE(tac_load_text(text, (int)strlen(text), "test.xml", NULL, &model, NULL) == TAC_OK);
    tacResult result = tac_draw(model, &options, image);
    tac_model_destroy(model);
    ENSURE(result == TAC_OK);
    return 0;
}

static void count_up(void* user, double done) {
    double* last = user;
    if (done > *last) *last = done;
}

static int threads_change_no_bit(void) {
    static unsigned char one[3 * 130 * 70], more[3 * 130 * 70];
    double last = 0.0;
    tacDrawOptions options = tac_default_draw_options();
    options.threads = 1;
    options.progress = count_up;
    options.user = &last;
    ENSURE_LAW(draw_text(many, options, &(tacImage){130, 70, one}));
    ENSURE_NEAR(last, 1.0, 0.0);
    for (options.threads = 2; options.threads <= 3; ++options.threads) {
        memset(more, 0, sizeof more);
        ENSURE_LAW(draw_text(many, options, &(tacImage){130, 70, more}));
        ENSURE(memcmp(one, more, sizeof one) == 0);
    }
    return 0;
}

// what is drawn: sky above, the sphere's colour in the middle; every scene has a picture
static int picture_shows_the_scene(void) {
    static unsigned char rgb[3 * 64 * 48];
    tacImage image = {64, 48, rgb};
    tacDrawOptions options = tac_default_draw_options();
    ENSURE_LAW(draw_text(SCENE("", "<geom size='.3' rgba='.9 .1 .1 1'/>"), options, &image));
    const unsigned char *middle = rgb + 3 * (24 * 64 + 32), *corner = rgb;
    ENSURE(middle[0] > 2 * middle[1] && middle[0] > 2 * middle[2]);
    ENSURE(corner[2] >= corner[0] && corner[2] > 100);
    ENSURE_LAW(draw_text(SCENE("", ""), options, &image));
    ENSURE_LAW(draw_text(SCENE("", "<geom type='plane' size='1 1 1'/>"), options, &image));
    options.shape = 0;
    options.samples = 7;
    ENSURE_LAW(draw_text(many, options, &image));
    return 0;
}

static int wrong_options_are_refused(void) {
    static unsigned char rgb[3 * 4];
    tacModel* model = NULL;
    ENSURE(tac_load_text(many, (int)strlen(many), "test.xml", NULL, &model, NULL) == TAC_OK);
    tacDrawOptions good = tac_default_draw_options(), bad[4] = {good, good, good, good};
    bad[0].samples = 0;
    bad[1].camera = 0;
    bad[2].shape = 99;
    bad[3].threads = -1;
    for (int i = 0; i < TAC_COUNT(bad); ++i)
        ENSURE(tac_draw(model, &bad[i], &(tacImage){2, 2, rgb}) == TAC_ERROR_VALUE);
    ENSURE(tac_draw(model, &good, &(tacImage){0, 2, rgb}) == TAC_ERROR_VALUE);
    ENSURE(tac_draw(model, &good, &(tacImage){2, 2, NULL}) == TAC_ERROR_VALUE);
    tac_model_destroy(model);
    return 0;
}

// the camera of a scene without one stands before a geom whose shape is far from its frame's origin
// as it does before one that is not
static int far_shapes_are_framed_as_near_ones(void) {
    static const double far[] = {0.0, 100.0, 1e5};
    tacVec3 eye = {0};
    for (int i = 0; i < 3; ++i) {
        char text[300];
        fixture f;
        snprintf(text, sizeof text,
                 SCENE("<shape name='b'><box size='.1 .1 .1' pos='%.17g 0 0'/></shape>",
                       "<geom type='shape' shape='b' pos='0 .5 0' euler='0 0 90'/>"),
                 far[i]);
        ENSURE_LAW(open_scene(&f, text));
        tacVec3 to = {0.0, 0.5 + far[i], 0.0};
        tacVec3 from = tac_sub(tac_load3(f.stage.camera.position), to);
        if (i == 0) eye = from;
        ENSURE(tac_norm(eye) < 1.0);
        ENSURE_NEAR(tac_distance(from, eye), 0.0, 1e-6);
        f.rays->count = 0;
        add_ray(f.rays, tac_load3(f.stage.camera.position), tac_neg(from));
        trace_rays(&f);
        ENSURE(f.rays->item[0] == 0);
        close_scene(&f);
    }
    return 0;
}

TEST_MAIN(RUN(sphere_matches_closed_form), RUN(ellipsoid_matches_closed_form),
          RUN(plane_matches_closed_form), RUN(blends_have_no_holes),
          RUN(narrow_gap_lets_rays_through), RUN(rays_that_start_inside_leave_the_solid),
          RUN(grazing_rays_take_bounded_steps), RUN(shadow_falls_below),
          RUN(light_in_front_is_not_shadowed), RUN(threads_change_no_bit),
          RUN(picture_shows_the_scene), RUN(far_shapes_are_framed_as_near_ones),
          RUN(wrong_options_are_refused))
