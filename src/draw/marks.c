// Points with arrows over a picture.
//
//   points of the world --camera--> pixels --> ink.h
//
// Contacts lie between bodies, where they are hidden: marks are drawn over the picture.

#include "draw/marks.h"

#include "draw/ink.h"

#include "math/vec3.h"

#include <math.h>

typedef struct markView {
    const tacCamera* camera;
    double scale; // pixels of a metre at distance 1
    double unit;  // thickness of marks, in pixels
    tacInk ink;
} markView;

static markView make_view(const tacStage* stage, tacImage* image) {
    double half = tan(0.5 * stage->camera.fovy * 3.14159265358979323846 / 180.0);
    return (markView){&stage->camera, 0.5 * image->height / half, fmax(1.0, image->height / 320.0),
                      tac_ink(image)};
}

// projects a point to the picture; 0 if it is behind the eye
static int project_point(const markView* view, tacVec3 x, double at[2]) {
    const tacCamera* c = view->camera;
    tacVec3 from = tac_sub(x, tac_load3(c->position));
    double depth = -tac_dot(from, tac_load3(c->axes[2]));
    if (!(depth > 0.0)) return 0;
    at[0] =
        0.5 * view->ink.image->width + view->scale * tac_dot(from, tac_load3(c->axes[0])) / depth;
    at[1] =
        0.5 * view->ink.image->height - view->scale * tac_dot(from, tac_load3(c->axes[1])) / depth;
    return fabs(at[0]) < 1e6 && fabs(at[1]) < 1e6;
}

// strokes in a colour, with a dark rim that sets them off from any background
static void draw_strokes(const markView* view, const tacMark* mark, const tacSegment* strokes,
                         int count, double width) {
    tacInk ink = view->ink;
    ink.alpha = 0.6 * mark->alpha;
    tac_ink_colour(&ink, 16, 16, 24);
    tac_ink_strokes(&ink, strokes, count, width + 0.9 * view->unit);
    ink.alpha = mark->alpha;
    tac_ink_colour(&ink, mark->rgb[0], mark->rgb[1], mark->rgb[2]);
    tac_ink_strokes(&ink, strokes, count, width);
}

static void draw_arrow(const markView* view, const tacMark* mark, const double from[2],
                       const double to[2]) {
    double dx = to[0] - from[0], dy = to[1] - from[1], length = hypot(dx, dy), u = view->unit;
    if (!(length > u)) return;
    double head = fmin(4.0 * u, 0.4 * length), a = head * dx / length, b = head * dy / length;
    const tacSegment strokes[3] = {{from[0], from[1], to[0], to[1]},
                                   {to[0], to[1], to[0] - a - 0.5 * b, to[1] - b + 0.5 * a},
                                   {to[0], to[1], to[0] - a + 0.5 * b, to[1] - b - 0.5 * a}};
    draw_strokes(view, mark, strokes, 3, 1.0 * u);
}

static void draw_mark(const markView* view, const tacMark* mark, double full) {
    double from[2], to[2];
    tacVec3 x = tac_load3(mark->point);
    if (!project_point(view, x, from)) return;
    tacMark arrow = *mark;
    arrow.alpha = 1.0; // its length already shows the weight
    if (project_point(view, tac_add_scaled(x, full, tac_load3(mark->along)), to))
        draw_arrow(view, &arrow, from, to);
    const tacSegment dot = {from[0], from[1], from[0], from[1]};
    draw_strokes(view, mark, &dot, 1, 3.2 * view->unit);
}

void tac_draw_marks(const tacStage* stage, const tacMark* marks, int count, double full,
                    tacImage* image) {
    markView view = make_view(stage, image);
    if (!(full > 0.0)) full = 0.4 * stage->mean_radius;
    for (int i = 0; i < count; ++i) draw_mark(&view, &marks[i], full);
}
