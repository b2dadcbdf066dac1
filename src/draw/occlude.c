// What keeps light from a point.
//
//   spots --tac_shadows--> light: share of the light's disc that is seen
//         --tac_ambient--> ambient: how open the neighbourhood is
//
// A light is a disc seen under a small angle. Along the way to its centre, value/(width t) tells
// how many radii of the disc, seen from the spot, lie between the centre and the item: its least
// value q decides, 1 and more is light, -1 and less is dark (docs/render.md eq. 5, 6). The least
// value is found by marching, then by bisection of its derivative, so that penumbras have no bands.

#include "draw/occlude.h"

#include <math.h>

#define SEEK_TURNS    40
#define REFINE_TURNS  5
#define AMBIENT_TURNS 5

// share of a disc on one side of an edge at -1 .. 1 of its radius, smooth
static double share(double q) {
    q = fmax(-1.0, fmin(1.0, q));
    return 0.25 * (1.0 + q) * (1.0 + q) * (2.0 - q);
}

static void darken(tacSpots* spots, int i, double alpha, double q) {
    spots->light[i] = fmin(spots->light[i], 1.0 - alpha * (1.0 - share(q)));
}

void tac_spots_measure(tacSpots* spots) {
    tacVec3 sum = tac_vec3_zero();
    for (int i = 0; i < spots->count; ++i) sum = tac_add(sum, tac_vector(&spots->x, i));
    spots->centre = tac_scale(sum, 1.0 / (spots->count > 0 ? spots->count : 1));
    spots->extent = 0.0;
    for (int i = 0; i < spots->count; ++i)
        spots->extent = fmax(spots->extent, tac_distance(tac_vector(&spots->x, i), spots->centre));
}

//---------------------------------- half-spaces ----------------------------------

// the ratio is monotone, so its least value is at the far end
static void plane_shadow(const tacItem* plane, tacSpots* spots) {
    for (int i = 0; i < spots->count; ++i) {
        tacVec3 arm = tac_sub(tac_vector(&spots->x, i), plane->pose.position);
        double rise = tac_dot(plane->axes[2], tac_vector(&spots->to_light, i));
        double height = tac_dot(plane->axes[2], arm), reach = spots->reach[i];
        if (height <= 0.0) continue; // below the face: the inside of a solid is not drawn
        darken(spots, i, plane->alpha,
               (rise + (isfinite(reach) ? height / reach : 0.0)) / TAC_LIGHT_WIDTH);
    }
}

//---------------------------------- seeking --------------------------------------

static int may_shadow(const tacItem* item, const tacSpots* spots) {
    if (!isfinite(item->ball.radius) || spots->count == 0 || isfinite(spots->reach[0])) return 1;
    // parallel light: all ways run in a cylinder around the one from the centre, grown by the cone
    tacVec3 to = tac_sub(item->ball.center, spots->centre);
    tacVec3 along = tac_vector(&spots->to_light, 0);
    double room = item->ball.radius + spots->extent, ahead = tac_dot(to, along);
    if (ahead < -room) return 0;
    room += TAC_LIGHT_WIDTH * (tac_norm(to) + room);
    return tac_norm2(tac_add_scaled(to, -ahead, along)) <= room * room;
}

// spots whose cone to the light touches the ball of an item
static int begin_seek(const tacStage* stage, const tacItem* item, const tacSpots* spots,
                      tacSeeker* out) {
    int count = 0;
    for (int i = 0; i < spots->count; ++i) {
        if (spots->light[i] <= 0.0) continue;
        tacVec3 x = tac_vector(&spots->x, i), along = tac_vector(&spots->to_light, i);
        double near = 1e-3 * stage->grain, enter = near;
        double leave = fmin(spots->reach[i], 4.0 * stage->radius);
        if (isfinite(item->ball.radius)) {
            double away = tac_distance(x, item->ball.center) + item->ball.radius;
            double ball = item->ball.radius + TAC_LIGHT_WIDTH * away;
            if (!tac_ball_interval(x, along, item->ball.center, ball, &enter, &leave)) continue;
            enter = fmax(enter, near);
            leave = fmin(leave, spots->reach[i]);
        }
        if (!(enter < leave)) continue;
        out[count++] = (tacSeeker){i, 0, enter, enter, leave, INFINITY, enter, enter, enter};
    }
    return count;
}

static tacPoints points_of(const tacSpots* spots, const tacSeeker* s, int count,
                           tacOccludeSpace* space) {
    for (int i = 0; i < count; ++i) {
        tacVec3 x = tac_vector(&spots->x, s[i].spot), to = tac_vector(&spots->to_light, s[i].spot);
        tac_set_vector(&space->x, i, tac_add_scaled(x, s[i].t, to));
    }
    return tac_points(&space->x, count);
}

// one look at the field; 0 when the search is over
static int seek_on(tacSeeker* s, double value) {
    double q = value / (TAC_LIGHT_WIDTH * s->t), last = s->right;
    if (q < s->best) {
        s->best = q;
        s->left = last;
        s->at = s->t;
        s->right = s->t;
    } else if (s->right == s->at)
        s->right = s->t;
    if (s->best <= -1.0 || s->t >= s->to || ++s->turns >= SEEK_TURNS) return 0;
    // a field that falls no faster than 1.2 cannot come near again
    if (value > 1.2 * (s->to - s->t) + 3.0 * TAC_LIGHT_WIDTH * s->to) return 0;
    double length = s->to - s->from;
    double step = fmax(length / 36.0, fmin(0.8 * value, length / 7.0));
    s->t = fmin(s->t + step, s->to);
    return 1;
}

// bisection of q' between the neighbours of the least value; q' has the sign of value' t - value
static void refine(const tacStage* stage, const tacItem* item, tacSpots* spots, int count,
                   tacOccludeSpace* space, tacScratch* scratch) {
    for (int turn = 0; turn < REFINE_TURNS; ++turn) {
        for (int i = 0; i < count; ++i) {
            tacSeeker* s = &space->found[i];
            s->t = turn == 0 ? s->at : 0.5 * (s->left + s->right);
        }
        tac_shape_eval(stage->model, item->shape, item->pose,
                       points_of(spots, space->found, count, space),
                       tac_slopes(space->value, &space->gradient), scratch);
        for (int i = 0; i < count; ++i) {
            tacSeeker* s = &space->found[i];
            double value = space->value[i];
            double slope =
                tac_dot(tac_vector(&space->gradient, i), tac_vector(&spots->to_light, s->spot));
            s->best = fmin(s->best, value / (TAC_LIGHT_WIDTH * s->t));
            if (slope * s->t > value)
                s->right = s->t;
            else
                s->left = s->t;
        }
    }
}

static void item_shadow(const tacStage* stage, const tacItem* item, tacSpots* spots,
                        tacOccludeSpace* space, tacScratch* scratch) {
    if (!may_shadow(item, spots)) return;
    int count = begin_seek(stage, item, spots, space->seekers), found = 0;
    tacField field = {space->value, {NULL}, {NULL}};
    while (count > 0) {
        tac_shape_eval(stage->model, item->shape, item->pose,
                       points_of(spots, space->seekers, count, space), field, scratch);
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            tacSeeker s = space->seekers[i];
            if (seek_on(&s, space->value[i]))
                space->seekers[kept++] = s;
            else if (s.best > -1.0 && s.best < 3.0)
                space->found[found++] = s;
            else
                darken(spots, s.spot, item->alpha, s.best);
        }
        count = kept;
    }
    refine(stage, item, spots, found, space, scratch);
    for (int i = 0; i < found; ++i)
        darken(spots, space->found[i].spot, item->alpha, space->found[i].best);
}

void tac_shadows(const tacStage* stage, tacSpots* spots, tacOccludeSpace* space,
                 tacScratch* scratch) {
    for (int i = 0; i < spots->count; ++i) {
        tacVec3 n = tac_vector(&spots->normal, i), to = tac_vector(&spots->to_light, i);
        spots->light[i] = tac_dot(n, to) > 0.0 ? 1.0 : 0.0;
    }
    for (int i = 0; i < stage->planes; ++i) plane_shadow(&stage->items[i], spots);
    for (int i = stage->planes; i < stage->count; ++i)
        item_shadow(stage, &stage->items[i], spots, space, scratch);
}

//---------------------------------- ambient --------------------------------------

// least field of all items at a height above each spot; only what is nearer than `height` matters
static void least_value(const tacStage* stage, const tacItem* item, const tacSpots* spots,
                        double height, double* least, tacOccludeSpace* space, tacScratch* scratch) {
    int count = 0;
    double room = item->ball.radius + 2.0 * height + spots->extent;
    if (tac_distance(item->ball.center, spots->centre) > room) return;
    for (int i = 0; i < spots->count; ++i) {
        tacVec3 x = tac_add_scaled(tac_vector(&spots->x, i), height, tac_vector(&spots->normal, i));
        tacVec3 arm = tac_sub(x, item->ball.center);
        if (item->shape < 0) {
            least[i] = fmin(least[i], tac_dot(arm, item->axes[2]));
            continue;
        }
        double away = item->ball.radius + height;
        if (tac_norm2(arm) > away * away) continue;
        tac_set_vector(&space->x, count, x);
        space->index[count++] = i;
    }
    if (item->shape < 0 || count == 0) return;
    tac_shape_eval(stage->model, item->shape, item->pose, tac_points(&space->x, count),
                   (tacField){space->value, {NULL}, {NULL}}, scratch);
    for (int i = 0; i < count; ++i)
        least[space->index[i]] = fmin(least[space->index[i]], space->value[i]);
}

void tac_ambient(const tacStage* stage, tacSpots* spots, tacOccludeSpace* space,
                 tacScratch* scratch) {
    double weight = 0.5;
    for (int i = 0; i < spots->count; ++i) spots->ambient[i] = 1.0;
    for (int k = 1; k <= AMBIENT_TURNS; ++k, weight *= 0.72) {
        double height = 1.1 * stage->grain * k * k / (AMBIENT_TURNS * AMBIENT_TURNS);
        for (int i = 0; i < spots->count; ++i) space->least[i] = height;
        for (int item = 0; item < stage->count; ++item)
            least_value(stage, &stage->items[item], spots, height, space->least, space, scratch);
        for (int i = 0; i < spots->count; ++i)
            spots->ambient[i] -= weight * 0.5 * (1.0 - fmax(space->least[i], 0.0) / height);
    }
    for (int i = 0; i < spots->count; ++i) spots->ambient[i] = fmax(spots->ambient[i], 0.05);
}
