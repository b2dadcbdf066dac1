// Laws of slices: lines are where closed forms say, colours tell inside from outside, and threads
// do not change a bit.

#include "base/assert.h"
#include "draw/font.h"
#include "draw/slice/slice.h"
#include "test.h"

#include <stdlib.h>

#define SCENE(assets, world)                                                                       \
    "<mujoco><asset>" assets "</asset><worldbody>" world "</worldbody></mujoco>"

#define WIDTH  420
#define HEIGHT 320

typedef struct fixture {
    tacModel* model;
    tacSliceOptions options;
    tacSliceFrame frame;
    tacImage image;
} fixture;

static unsigned char pixels[3 * WIDTH * HEIGHT];

static int open_scene(fixture* f, const char* text) {
    *f = (fixture){.options = tac_default_slice_options(), .image = {WIDTH, HEIGHT, pixels}};
    ENSURE(tac_load_text(text, (int)strlen(text), "test.xml", NULL, &f->model, NULL) == TAC_OK);
    return 0;
}

static int draw_slice(fixture* f) {
    memset(f->image.rgb, 0, 3 * (size_t)f->image.width * (size_t)f->image.height);
    ENSURE(tac_slice(f->model, &f->options, &f->image, &f->frame) == TAC_OK);
    return 0;
}

static const unsigned char* pixel_of(const fixture* f, int x, int y) {
    return f->image.rgb + 3 * ((size_t)y * (size_t)f->image.width + (size_t)x);
}

static int sum_rgb(const unsigned char* rgb) { return rgb[0] + rgb[1] + rgb[2]; }

// metres to the right and upwards at the middle of a pixel
static double right_of(const fixture* f, int x) {
    return f->frame.centre[0] + (x + 0.5 - f->frame.left - 0.5 * f->frame.width) * f->frame.pixel;
}

static double up_of(const fixture* f, int y) {
    return f->frame.centre[1] - (y + 0.5 - f->frame.top - 0.5 * f->frame.height) * f->frame.pixel;
}

// the pixel that holds a place of the plane
static const unsigned char* pixel_at(const fixture* f, double right, double up) {
    const tacSliceFrame* at = &f->frame;
    return pixel_of(f, (int)((right - at->centre[0]) / at->pixel + at->left + 0.5 * at->width),
                    (int)((at->centre[1] - up) / at->pixel + at->top + 0.5 * at->height));
}

// how far a shape is from its frame's origin does not change what is shown of it
static int far_shapes_are_framed_as_near_ones(void) {
    static const double far[] = {0.0, 100.0, 1e5};
    tacSliceFrame near = {0};
    for (int i = 0; i < 3; ++i) {
        char text[300];
        fixture f;
        snprintf(text, sizeof text,
                 SCENE("<shape name='b'><box size='.1 .1 .1' pos='%.17g 0 0'/></shape>", ""),
                 far[i]);
        ENSURE_LAW(open_scene(&f, text));
        f.options.shape = 0;
        ENSURE_LAW(draw_slice(&f));
        if (i == 0) near = f.frame;
        ENSURE_NEAR(f.frame.centre[0], near.centre[0] + far[i], 1e-9);
        ENSURE_NEAR(f.frame.pixel, near.pixel, 1e-9);
        tac_model_destroy(f.model);
    }
    return 0;
}

//---------------------------------- lines ----------------------------------------

// the plane of a face: no ink within it, and its rim as a line
static int plane_in_a_face_shows_its_rim(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("<shape name='b'><box size='.1 .1 .1'/></shape>", "")));
    f.options.shape = 0;
    f.options.offset = 0.1;
    ENSURE_LAW(draw_slice(&f));
    int darkest = 765;
    for (double x = -0.09; x <= 0.09; x += 0.01)
        for (double y = -0.09; y <= 0.09; y += 0.01) ENSURE(sum_rgb(pixel_at(&f, x, y)) > 500);
    for (double x = 0.09; x <= 0.11; x += 0.25 * f.frame.pixel) {
        int ink = sum_rgb(pixel_at(&f, x, 0.03));
        darkest = ink < darkest ? ink : darkest;
    }
    ENSURE(darkest < 200);
    tac_model_destroy(f.model);
    return 0;
}

// every pixel of the plot is surface, or not, as the circle says that a plane cuts out of a sphere
static int surface_is_where_the_closed_form_says(void) {
    static const double centre[3] = {0.1, -0.2, 0.4};
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom size='.3' pos='.1 -.2 .4'/>")));
    for (f.options.axis = 0; f.options.axis < 3; ++f.options.axis) {
        int across = f.options.axis == 0, up = f.options.axis == 2 ? 1 : 2, on = 0;
        f.options.offset = centre[f.options.axis] + 0.1;
        ENSURE_LAW(draw_slice(&f));
        double radius = sqrt(0.3 * 0.3 - 0.1 * 0.1);
        for (int y = f.frame.top + 2; y < f.frame.top + f.frame.height - 2; ++y)
            for (int x = f.frame.left + 2; x < f.frame.left + f.frame.width - 2; ++x) {
                double r = hypot(right_of(&f, x) - centre[across], up_of(&f, y) - centre[up]);
                double away = fabs(r - radius) / f.frame.pixel;
                if (away < 0.4) ENSURE(sum_rgb(pixel_of(&f, x, y)) < 90);
                if (away > 1.7) ENSURE(sum_rgb(pixel_of(&f, x, y)) > 150);
                on += away < 0.4;
            }
        ENSURE(on > 200);
    }
    tac_model_destroy(f.model);
    return 0;
}

// the field of a half-space is its height: lines at multiples of the step, each fifth stronger
static int isolines_are_at_round_values(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom type='plane' size='1 1 1'/>")));
    f.options.axis = 1;
    f.options.span = 1.7;
    ENSURE_LAW(draw_slice(&f));
    ENSURE_NEAR(f.frame.width * f.frame.pixel, 1.7, 1e-12);
    double step = f.frame.step, top = up_of(&f, f.frame.top + 8), strength[2] = {0, 0};
    ENSURE_NEAR(step, 0.05, 1e-15);
    for (int k = 1; k * step < top - step; ++k)
        for (int side = -1; side <= 1; side += 2) {
            double z = side * k * step;
            int here = sum_rgb(pixel_at(&f, 0.1, z));
            int around = sum_rgb(pixel_at(&f, 0.1, z - 0.4 * step)) / 2 +
                         sum_rgb(pixel_at(&f, 0.1, z + 0.4 * step)) / 2;
            ENSURE(here < around - 20);
            if (side > 0 && k >= 4 && k <= 5) strength[k - 4] = (double)(around - here) / around;
        }
    ENSURE(strength[1] > 1.5 * strength[0]);
    ENSURE(sum_rgb(pixel_at(&f, 0.1, 0.0)) < 90);
    tac_model_destroy(f.model);
    return 0;
}

//---------------------------------- colours --------------------------------------

static int colours_tell_inside_from_outside(void) {
    fixture f;
    ENSURE_LAW(open_scene(
        &f,
        SCENE("", "<geom size='.3'/><geom size='.1' pos='.6 0 0'/><geom size='.2' pos='9 9 9'/>")));
    f.options.span = 2.0;
    ENSURE_LAW(draw_slice(&f));
    const unsigned char *in = pixel_at(&f, 0.03, 0.02), *out = pixel_at(&f, 0.31, 0.62);
    ENSURE(in[2] > in[0] + 60 && out[0] > out[2] + 20);
    in = pixel_at(&f, 0.61, 0.01); // of the smaller geom
    ENSURE(in[2] > in[0] + 10);
    // the plot frames what the plane meets, not the third geom
    ENSURE_NEAR(f.frame.centre[0], 0.2, 0.02);
    ENSURE_NEAR(f.frame.centre[1], 0.0, 0.02);
    tac_model_destroy(f.model);
    return 0;
}

// |gradient| of a sphere is 1, its Laplacian 2/r; a blend of two has less and below 0 between them
static int derivatives_have_their_colours(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("<shape name='s'><sphere size='.2'/></shape>"
                                    "<shape name='b' smooth='.03'><sphere size='.2' pos='-.2 0 0'/>"
                                    "<sphere size='.2' pos='.2 0 0'/></shape>",
                                    "")));
    f.options.shape = 0;
    f.options.field = TAC_SLICE_GRADIENT;
    ENSURE_LAW(draw_slice(&f));
    const unsigned char* at = pixel_at(&f, 0.131, 0.03);
    ENSURE(at[0] > 240 && at[1] > 240 && at[2] > 240);
    f.options.field = TAC_SLICE_LAPLACIAN;
    ENSURE_LAW(draw_slice(&f));
    at = pixel_at(&f, 0.131, 0.03);
    ENSURE(at[0] > at[2] + 10);
    f.options.shape = 1;
    ENSURE_LAW(draw_slice(&f));
    at = pixel_at(&f, 0.004, 0.03);
    ENSURE(at[2] > at[0] + 30);
    f.options.field = TAC_SLICE_GRADIENT;
    ENSURE_LAW(draw_slice(&f));
    at = pixel_at(&f, 0.004, 0.03);
    ENSURE(at[2] > at[0] + 30);
    tac_model_destroy(f.model);
    return 0;
}

//---------------------------------- marks ----------------------------------------

static int is_green(const unsigned char* rgb) { return rgb[1] > rgb[0] + 40 && rgb[1] > rgb[2]; }

static int normals_point_outwards(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom size='.3'/>")));
    f.options.normals = 1;
    ENSURE_LAW(draw_slice(&f));
    int inside = 0, quarter[4] = {0};
    for (int y = f.frame.top; y < f.frame.top + f.frame.height; ++y)
        for (int x = f.frame.left; x < f.frame.left + f.frame.width; ++x) {
            if (!is_green(pixel_of(&f, x, y))) continue;
            double u = right_of(&f, x), v = up_of(&f, y);
            inside += hypot(u, v) < 0.3 - 2.0 * f.frame.pixel;
            ++quarter[2 * (u > 0.0) + (v > 0.0)];
        }
    ENSURE(inside == 0);
    for (int k = 0; k < 4; ++k) ENSURE(quarter[k] > 40);
    tac_model_destroy(f.model);
    return 0;
}

// a point on the plane is a dot, one before it a ring; its arrow points along the gradient
static int points_are_drawn(void) {
    static const double x[2] = {0.35, -0.35}, y[2] = {0.0, 0.0}, z[2] = {0.0, 0.2};
    fixture f;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom size='.3'/>")));
    f.options.point_count = 2;
    f.options.points[0] = x;
    f.options.points[1] = y;
    f.options.points[2] = z;
    ENSURE_LAW(draw_slice(&f));
    const unsigned char *dot = pixel_at(&f, x[0], y[0]), *ring = pixel_at(&f, x[1], y[1]);
    ENSURE(dot[0] > dot[1] + 60 && dot[2] > dot[1] + 60);
    ENSURE(sum_rgb(ring) > 740);
    const unsigned char* arrow = pixel_at(&f, x[0] + 8.0 * f.frame.pixel, y[0]);
    ENSURE(arrow[0] > arrow[1] + 40 && arrow[2] > arrow[1] + 40);
    tac_model_destroy(f.model);
    return 0;
}

static int glyphs_are_there(void) {
    static const char known[] = "0123456789abcdefghijklmnopqrstuvwxyz.,:-+=/|[]()_\1\2\3";
    tacSegment one[TAC_FONT_LINES], other[TAC_FONT_LINES];
    for (const char* at = known; *at; ++at) {
        int count = tac_font_glyph(*at, one);
        ENSURE(count > 0 && count < TAC_FONT_LINES);
        for (int i = 0; i < count; ++i) {
            ENSURE(one[i].x1 >= 0.0 && one[i].x1 <= tac_font_advance(*at) - 2.0);
            ENSURE(one[i].y1 >= 0.0 && one[i].y1 <= 9.0);
        }
        for (const char* next = at + 1; *next; ++next) {
            int more = tac_font_glyph(*next, other);
            ENSURE(more != count || memcmp(one, other, sizeof one[0] * (size_t)count) != 0);
        }
    }
    ENSURE(tac_font_glyph(' ', one) == 0);
    ENSURE_NEAR(tac_font_width("00"), 10.0, 0.0);
    return 0;
}

//---------------------------------- threads, sizes, options ----------------------

static const char many[] =
    SCENE("<shape name='cup' smooth='.002'><difference>"
          " <superquadric size='.042 .042 .048' eps='.25 1' pos='0 0 .048'/>"
          " <superquadric size='.037 .037 .058' eps='.3 1' pos='0 0 .064'/></difference></shape>"
          "<shape name='floor'><plane/></shape>",
          "<geom type='plane' size='1 1 1'/><geom type='shape' shape='cup' euler='20 0 30'/>"
          "<geom size='.03' pos='-.1 0 .05'/>");

static int threads_change_no_bit(void) {
    static unsigned char first[sizeof pixels];
    fixture f;
    ENSURE_LAW(open_scene(&f, many));
    f.options.normals = 1;
    f.options.axis = 1;
    for (int field = 0; field < 3; ++field) {
        f.options.field = (tacSliceField)field;
        for (f.options.threads = 1; f.options.threads <= 3; ++f.options.threads) {
            ENSURE_LAW(draw_slice(&f));
            if (f.options.threads == 1) memcpy(first, pixels, sizeof first);
            ENSURE(memcmp(first, pixels, sizeof first) == 0);
        }
    }
    tac_model_destroy(f.model);
    return 0;
}

// any picture size, plane and span has a picture, and nothing is written beside it
static int every_size_has_a_picture(void) {
    static const int sizes[][2] = {{1, 1}, {3, 90}, {259, 200}, {260, 200}, {420, 230}};
    static const double offsets[] = {0.0, 0.3, -1e9}, spans[] = {0.0, 1e-9, 1e9};
    fixture f;
    ENSURE_LAW(open_scene(&f, many));
    f.options.normals = 1;
    for (int i = 0; i < TAC_COUNT(sizes) * 9; ++i) {
        f.image.width = sizes[i / 9][0];
        f.image.height = sizes[i / 9][1];
        f.options.offset = offsets[i / 3 % 3];
        f.options.span = spans[i % 3];
        f.options.shape = i % 4 - 1;
        f.options.axis = i % 3;
        if (f.options.shape >= f.model->nshape) f.options.shape = 0;
        unsigned char* end = pixels + 3 * f.image.width * f.image.height;
        memset(end, 7, 16);
        ENSURE_LAW(draw_slice(&f));
        for (int k = 0; k < 16; ++k) ENSURE(end[k] == 7);
        ENSURE(f.frame.pixel > 0.0 && f.frame.step > 0.0);
    }
    tac_model_destroy(f.model);
    return 0;
}

static void count_up(void* user, double done) {
    double* last = user;
    *last = done >= *last && done <= 1.0 ? done : NAN;
}

// a plot with a given middle has it, and reports its extent
static int plot_centre_and_progress_are_reported(void) {
    fixture f;
    double last = 0.0;
    ENSURE_LAW(open_scene(&f, SCENE("", "<geom size='.3' pos='.1 -.2 .4'/>")));
    f.options.centred = 1;
    f.options.centre[0] = 0.25;
    f.options.centre[1] = -0.5;
    f.options.span = 2.0;
    f.options.offset = 0.4;
    f.options.threads = 1;
    f.options.progress = count_up;
    f.options.user = &last;
    ENSURE_LAW(draw_slice(&f));
    ENSURE(f.frame.centre[0] == 0.25 && f.frame.centre[1] == -0.5 && last == 1.0);
    ENSURE(sum_rgb(pixel_at(&f, 0.4, -0.2)) < 90);
    tac_model_destroy(f.model);
    return 0;
}

// points of a cloud near the plane are dots, wherever its node is; and a cloud is framed, although
// its proven ball is loose or infinite
static int clouds_have_their_points(void) {
    static const double half = 0.2, at[2] = {0.3, 0.1}; // half a side, middle
    fixture f;
    ENSURE_LAW(open_scene(
        &f, SCENE("<shape name='c'><union pos='.3 .1 0'><cloud width='.05' points='.2 0 0 -.2 0 0 "
                  "0 .2 0 0 -.2 0 0 0 .2 0 0 -.2' normals='1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 "
                  "0 0 -1'/></union></shape>",
                  "<geom type='shape' shape='c'/>")));
    ENSURE_LAW(draw_slice(&f));
    ENSURE(f.frame.pixel * f.frame.width < 10.0 * half);
    ENSURE(f.frame.pixel * f.frame.width > 2.0 * half);
    for (int i = 0; i < 4; ++i) {
        double along[2] = {i < 2 ? (i ? -half : half) : 0.0, i < 2 ? 0.0 : i == 2 ? half : -half};
        ENSURE(sum_rgb(pixel_at(&f, at[0] + along[0], at[1] + along[1])) < 150);
        ENSURE(sum_rgb(pixel_at(&f, at[0] + 0.7 * along[0], at[1] + 0.7 * along[1])) > 150);
    }
    ENSURE(sum_rgb(pixel_at(&f, at[0], at[1])) > 90); // those off the plane are not
    tac_model_destroy(f.model);
    return 0;
}

static int wrong_options_are_refused(void) {
    fixture f;
    ENSURE_LAW(open_scene(&f, many));
    tacSliceOptions good = f.options, bad[7] = {good, good, good, good, good, good, good};
    bad[0].axis = 3;
    bad[1].offset = NAN;
    bad[2].span = -1.0;
    bad[3].shape = 99;
    bad[4].threads = -1;
    bad[5].axis = -1;
    bad[6].centred = 1;
    bad[6].centre[1] = INFINITY;
    for (int i = 0; i < TAC_COUNT(bad); ++i)
        ENSURE(tac_slice(f.model, &bad[i], &f.image, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_slice(f.model, &good, &(tacImage){0, 2, pixels}, NULL) == TAC_ERROR_VALUE);
    tac_model_destroy(f.model);
    ENSURE_LAW(open_scene(&f, SCENE("", "")));
    ENSURE(tac_slice(f.model, &f.options, &f.image, NULL) == TAC_ERROR_VALUE);
    tac_model_destroy(f.model);
    return 0;
}

TEST_MAIN(RUN(surface_is_where_the_closed_form_says), RUN(far_shapes_are_framed_as_near_ones),
          RUN(plane_in_a_face_shows_its_rim), RUN(isolines_are_at_round_values),
          RUN(colours_tell_inside_from_outside), RUN(derivatives_have_their_colours),
          RUN(normals_point_outwards), RUN(points_are_drawn), RUN(glyphs_are_there),
          RUN(threads_change_no_bit), RUN(every_size_has_a_picture),
          RUN(plot_centre_and_progress_are_reported), RUN(clouds_have_their_points),
          RUN(wrong_options_are_refused))
