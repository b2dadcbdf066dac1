// Sphere tracing of a stage, a packet of rays at a time.
//
//   rays --half-spaces: closed form; others: march in the ball--> distance, item, normal
//
// Each item is marched by itself, all its rays together, from where they enter its ball to where
// they leave it or to the nearest hit so far. A ray far from the surface advances by
// tac_shape_steps, which never passes it. Nearer than a pixel, or where that bound stalls, a ray
// goes on by the field's value and gradient, and a change of sign is closed in by Newton's method
// and bisection: a hit is always a root, and what is stepped over is thinner than a fraction of a
// pixel. docs/render.md eq. (1) to (4)

#include "draw/trace.h"

#include <math.h>

// a root is known to this part of its distance
#define ROOT 1e-11
// shortest step near a surface, in pixels
#define LEAST 0.2

//---------------------------------- rays -----------------------------------------

tacVec3 tac_ray_point(const tacRays* rays, int i, double t) {
    return tac_add_scaled(tac_vector(&rays->origin, i), t, tac_vector(&rays->along, i));
}

int tac_ball_interval(tacVec3 from, tacVec3 along, tacVec3 centre, double radius, double* enter,
                      double* leave) {
    tacVec3 to = tac_sub(centre, from);
    double middle = tac_dot(to, along);
    double miss2 = tac_norm2(tac_add_scaled(to, -middle, along)), half2 = radius * radius - miss2;
    if (!(half2 > 0.0)) return 0;
    double half = sqrt(half2);
    *enter = middle - half;
    *leave = middle + half;
    return 1;
}

static double pixel_at(const tacRays* rays, int i, double t) {
    return rays->pixel * fmax(rays->before[i] + t, 1e-12);
}

//---------------------------------- half-spaces ----------------------------------

static void meet_plane(const tacStage* stage, int item, tacRays* rays) {
    const tacItem* plane = &stage->items[item];
    tacVec3 n = plane->axes[2];
    for (int i = 0; i < rays->count; ++i) {
        double fall = -tac_dot(n, tac_vector(&rays->along, i));
        double height = tac_dot(n, tac_sub(tac_vector(&rays->origin, i), plane->pose.position));
        double t = height / fall;
        if (!(fall > 0.0) || !(t > rays->start[i]) || t >= rays->distance[i]) continue;
        rays->distance[i] = t;
        rays->item[i] = item;
    }
}

//---------------------------------- marching -------------------------------------

typedef enum { MISS, HIT, FAR, CLOSE } verdict;

// Part of a ray where it may meet an item or pass it by less than a pixel; 0 if there is none.
static int interval(const tacStage* stage, const tacItem* item, const tacRays* rays, int i,
                    double* enter, double* leave) {
    tacVec3 from = tac_vector(&rays->origin, i), along = tac_vector(&rays->along, i);
    if (!isfinite(item->ball.radius)) {
        // as far as haze lets one see
        *enter = 0.0;
        *leave = tac_distance(from, stage->centre) + TAC_HAZE_END * stage->radius;
        return 1;
    }
    double way = fmax(tac_dot(tac_sub(item->ball.center, from), along), 0.0);
    double ball = item->ball.radius * (1.0 + 1e-6) + pixel_at(rays, i, way);
    return tac_ball_interval(from, along, item->ball.center, ball, enter, leave);
}

// rays that enter the ball of an item before they hit something else
static int begin_march(const tacStage* stage, const tacItem* item, const tacRays* rays,
                       tacMarcher* out) {
    int count = 0;
    for (int i = 0; i < rays->count; ++i) {
        double enter, leave;
        if (!interval(stage, item, rays, i, &enter, &leave)) continue;
        enter = fmax(enter, rays->start[i]);
        leave = fmin(leave, rays->distance[i]);
        if (!(enter < leave)) continue;
        int started = enter == rays->start[i]; // such a ray may start inside the solid
        out[count++] = (tacMarcher){i, 0, started, 0, enter, leave, enter, INFINITY};
    }
    return count;
}

static tacPoints points_of(const tacRays* rays, const tacMarcher* m, int count,
                           tacTraceSpace* space) {
    for (int i = 0; i < count; ++i)
        tac_set_vector(&space->x, i, tac_ray_point(rays, m[i].ray, m[i].t));
    return tac_points(&space->x, count);
}

// a bracketed root: Newton's method while it stays inside, every fourth time the middle
static verdict close_in(tacMarcher* m, double newton) {
    double next = m->t + newton, width = m->in - m->out;
    int fits = next >= m->out && next <= m->in;
    if (width <= ROOT * m->t || (fits && fabs(newton) <= ROOT * m->t)) {
        m->t = fits ? next : m->out;
        return HIT;
    }
    m->t = fits && m->turns % 4 ? next : m->out + 0.5 * width;
    return CLOSE;
}

// Outside near the surface: no further than the value allows, and at least a part of a pixel. Far
// off again, tac_shape_steps is asked every fourth time, as it may be stalled here.
static verdict feel_forward(tacMarcher* m, double distance, double newton, double pixel) {
    if (newton <= ROOT * m->t) {
        m->t += newton;
        return HIT;
    }
    if (m->t >= m->end) return MISS;
    double reach = distance > pixel ? distance : fmax(3.0 * distance, LEAST * pixel);
    double next = m->t + (newton < reach     ? newton
                          : isfinite(newton) ? reach
                                             : fmax(distance, LEAST * pixel));
    m->t = fmin(next, m->end);
    return distance > 4.0 * pixel && m->turns % 4 == 3 ? FAR : CLOSE;
}

// one turn of a ray by value, slope along the ray, and length of the gradient
static verdict turn_close(tacMarcher* m, double value, double slope, double steep, double pixel) {
    double distance = fabs(value) / fmax(steep, 1.0);
    if (m->inside) {
        // a solid counts from where the ray is outside for the first time
        m->inside = value < 0.0;
        if (m->inside) {
            m->t += fmax(distance, LEAST * pixel);
            return m->t < m->end ? CLOSE : MISS;
        }
    }
    if (value < 0.0)
        m->in = m->t;
    else
        m->out = m->t;
    double newton = slope < 0.0 ? -value / slope : INFINITY;
    if (isfinite(m->in)) return close_in(m, newton);
    return feel_forward(m, distance, newton, pixel);
}

static void march_far(const tacStage* stage, const tacItem* item, tacRays* rays,
                      tacTraceSpace* space, tacScratch* scratch, int* far, int* close) {
    tac_shape_steps(stage->model, item->shape, item->pose, points_of(rays, space->far, *far, space),
                    space->value, scratch);
    int kept = 0;
    for (int i = 0; i < *far; ++i) {
        tacMarcher m = space->far[i];
        double step = space->value[i];
        if (++m.turns > TAC_TRACE_TURNS) continue;
        if (!(step > pixel_at(rays, m.ray, m.t))) {
            space->close[(*close)++] = m;
            continue;
        }
        m.inside = 0;
        m.t += step;
        m.out = m.t;
        if (m.t < m.end) space->far[kept++] = m;
    }
    *far = kept;
}

static void march_close(const tacStage* stage, int item, tacRays* rays, tacTraceSpace* space,
                        tacScratch* scratch, int* far, int* close) {
    const tacItem* it = &stage->items[item];
    tac_shape_eval(stage->model, it->shape, it->pose, points_of(rays, space->close, *close, space),
                   tac_slopes(space->value, &space->gradient), scratch);
    int kept = 0;
    for (int i = 0; i < *close; ++i) {
        tacMarcher m = space->close[i];
        tacVec3 g = tac_vector(&space->gradient, i);
        double steep = tac_norm(g), pixel = pixel_at(rays, m.ray, m.t);
        m.near |= space->value[i] < pixel * steep;
        verdict v = turn_close(&m, space->value[i], tac_dot(g, tac_vector(&rays->along, m.ray)),
                               steep, pixel);
        if (++m.turns > space->most_turns) space->most_turns = m.turns;
        if (v == HIT) {
            rays->distance[m.ray] = m.t;
            rays->item[m.ray] = item;
            continue;
        }
        rays->near[m.ray] |= v != CLOSE && m.near;
        if (m.turns <= TAC_TRACE_TURNS) {
            if (v == CLOSE) space->close[kept++] = m;
            if (v == FAR) space->far[(*far)++] = m;
        }
    }
    *close = kept;
}

static void march(const tacStage* stage, int item, tacRays* rays, tacTraceSpace* space,
                  tacScratch* scratch) {
    const tacItem* it = &stage->items[item];
    int far = begin_march(stage, it, rays, space->far), close = 0;
    while (far + close > 0) {
        if (far) march_far(stage, it, rays, space, scratch, &far, &close);
        if (close) march_close(stage, item, rays, space, scratch, &far, &close);
    }
}

//---------------------------------- normals --------------------------------------

static void find_normals(const tacStage* stage, int item, tacRays* rays, tacTraceSpace* space,
                         tacScratch* scratch) {
    int count = 0;
    for (int i = 0; i < rays->count; ++i) {
        if (rays->item[i] != item) continue;
        tac_set_vector(&space->x, count, tac_ray_point(rays, i, rays->distance[i]));
        space->index[count++] = i;
    }
    if (count == 0) return;
    const tacItem* it = &stage->items[item];
    if (it->shape >= 0)
        tac_shape_eval(stage->model, it->shape, it->pose, tac_points(&space->x, count),
                       tac_slopes(NULL, &space->gradient), scratch);
    for (int i = 0; i < count; ++i) {
        int ray = space->index[i];
        tacVec3 g = it->shape >= 0 ? tac_vector(&space->gradient, i) : it->axes[2];
        tacVec3 n =
            tac_norm2(g) > 1e-30 ? tac_normalize(g) : tac_neg(tac_vector(&rays->along, ray));
        tac_set_vector(&rays->normal, ray, n);
    }
}

//---------------------------------- all items ------------------------------------

// cone around rays from one eye
typedef struct cone {
    tacVec3 from, axis;
    double cosine, sine; // of its half-angle; cosine -1: holds everything
} cone;

static cone cone_of(const tacRays* rays) {
    cone c = {tac_vec3_zero(), tac_vec3_zero(), -1.0, 0.0};
    if (rays->count == 0) return c;
    c.from = tac_vector(&rays->origin, 0);
    for (int i = 0; i < rays->count; ++i) {
        if (tac_norm2(tac_sub(tac_vector(&rays->origin, i), c.from)) > 0.0) return c;
        c.axis = tac_add(c.axis, tac_vector(&rays->along, i));
    }
    c.axis = tac_normalize(c.axis);
    double least = 1.0;
    for (int i = 0; i < rays->count; ++i)
        least = fmin(least, tac_dot(c.axis, tac_vector(&rays->along, i)));
    if (least <= 0.0) return c;
    c.cosine = least;
    c.sine = sqrt(fmax(0.0, 1.0 - least * least));
    return c;
}

// can a ray of the cone come within a pixel of the ball of an item?
static int cone_meets(const cone* c, const tacItem* item, double pixel) {
    if (c->cosine < 0.0 || !isfinite(item->ball.radius)) return 1;
    tacVec3 to = tac_sub(item->ball.center, c->from);
    double ahead = tac_dot(to, c->axis), away = tac_norm(tac_add_scaled(to, -ahead, c->axis));
    double ball = item->ball.radius * (1.0 + 1e-6) + pixel * tac_norm(to);
    return away * c->cosine - ahead * c->sine <= ball;
}

void tac_trace(const tacStage* stage, tacRays* rays, tacTraceSpace* space, tacScratch* scratch) {
    cone c = cone_of(rays);
    for (int i = 0; i < rays->count; ++i) {
        rays->distance[i] = INFINITY;
        rays->item[i] = -1;
        rays->near[i] = 0;
    }
    for (int item = 0; item < stage->planes; ++item) meet_plane(stage, item, rays);
    for (int item = stage->planes; item < stage->count; ++item)
        if (cone_meets(&c, &stage->items[item], rays->pixel))
            march(stage, item, rays, space, scratch);
    for (int item = 0; item < stage->count; ++item) find_normals(stage, item, rays, space, scratch);
}
