// Sphere tracing of a stage, a packet of rays at a time.
//
//   rays --half-spaces: closed form; others: march in the ball--> distance, item, normal
//
// Each item is marched by itself, all its rays together, from where they enter its ball to where they
// leave it or to the nearest hit so far. A ray far from the surface advances by tac_shape_steps, which
// never passes it. Nearer than a pixel, or where that bound stalls, a ray goes on by the field's value
// and gradient, and a change of sign is closed in by Newton's method and bisection: a hit is always a
// root, and what is stepped over is thinner than a fraction of a pixel. docs/render.md eq. (1) to (4)

#include "draw/trace.h"

#include "math/vec3.h"

#include <math.h>

// a root is known to this part of its distance
#define ROOT 1e-11
// shortest step near a surface, in pixels
#define LEAST 0.2

//---------------------------------- rays -----------------------------------------

static tacVec3 vector_at(const double v[3][TAC_PACKET], int i) {
    return tac_vec3(v[0][i], v[1][i], v[2][i]);
}

tacVec3 tac_ray_point(const tacRays* rays, int i, double t) {
    return tac_add_scaled(vector_at(rays->origin, i), t, vector_at(rays->along, i));
}

int tac_ball_interval(tacVec3 from, tacVec3 along, tacVec3 centre, double radius, double* enter,
                      double* leave) {
    tacVec3 to = tac_sub(centre, from);
    double middle = tac_dot(to, along);
    double miss2 = tac_norm2(tac_add_scaled(to, -middle, along)), half2 = radius * radius - miss2;
    if (!(half2 > 0.0)) return 0;
    double half = sqrt(half2);
    *enter = middle - half, *leave = middle + half;
    return 1;
}

//---------------------------------- half-spaces ----------------------------------

static void meet_plane(const tacStage* stage, int item, tacRays* rays) {
    const tacItem* plane = &stage->items[item];
    tacVec3 n = plane->axes[2];
    for (int i = 0; i < rays->count; ++i) {
        double fall = -tac_dot(n, vector_at(rays->along, i));
        double height = tac_dot(n, tac_sub(vector_at(rays->origin, i), plane->pose.position));
        double t = height / fall;
        if (!(fall > 0.0) || !(t > rays->start[i]) || t >= rays->distance[i]) continue;
        rays->distance[i] = t, rays->item[i] = item;
    }
}

//---------------------------------- marching -------------------------------------

typedef enum { MISS, HIT, FAR, CLOSE } verdict;

// rays that enter the ball of an item before they hit something else
static int begin_march(const tacStage* stage, const tacItem* item, const tacRays* rays,
                       tacMarcher* out) {
    int count = 0;
    for (int i = 0; i < rays->count; ++i) {
        double enter = 0.0, leave = 100.0 * stage->radius + rays->start[i];
        if (isfinite(item->radius) &&
            !tac_ball_interval(vector_at(rays->origin, i), vector_at(rays->along, i),
                               item->pose.position, item->radius * (1.0 + 1e-6), &enter, &leave))
            continue;
        enter = fmax(enter, rays->start[i]), leave = fmin(leave, rays->distance[i]);
        if (!(enter < leave)) continue;
        int started = enter == rays->start[i]; // such a ray may start inside the solid
        out[count++] = (tacMarcher){i, 0, started, 0, enter, leave, enter, INFINITY};
    }
    return count;
}

static tacPoints points_of(const tacRays* rays, const tacMarcher* m, int count,
                           tacTraceSpace* space) {
    for (int i = 0; i < count; ++i)
        for (int axis = 0; axis < 3; ++axis)
            space->x[axis][i] = rays->origin[axis][m[i].ray] +
                                m[i].t * rays->along[axis][m[i].ray];
    return (tacPoints){count, {space->x[0], space->x[1], space->x[2]}};
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

// outside near the surface: no further than first order allows, and at least a part of a pixel
static verdict feel_forward(tacMarcher* m, double distance, double newton, double pixel) {
    if (newton <= ROOT * m->t) {
        m->t += newton;
        return HIT;
    }
    if (m->t >= m->end) return MISS;
    double reach = distance > pixel ? distance : fmax(3.0 * distance, LEAST * pixel);
    double next = m->t + (newton < reach ? newton : isfinite(newton) ? reach
                                                                     : fmax(distance, LEAST * pixel));
    m->t = fmin(next, m->end);
    return distance > 4.0 * pixel ? FAR : CLOSE;
}

// one turn of a ray by value, slope along the ray, and length of the gradient
static verdict turn_close(tacMarcher* m, double value, double slope, double steep, double pixel) {
    double distance = fabs(value) / fmax(steep, 1e-12);
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
    tac_shape_steps(stage->model, item->shape, item->pose,
                    points_of(rays, space->far, *far, space), space->value, scratch);
    int kept = 0;
    for (int i = 0; i < *far; ++i) {
        tacMarcher m = space->far[i];
        double step = space->value[i];
        if (++m.turns > TAC_TRACE_TURNS) continue;
        if (!(step > rays->pixel * m.t)) {
            space->close[(*close)++] = m;
            continue;
        }
        m.inside = 0, m.t += step, m.out = m.t;
        if (m.t < m.end) space->far[kept++] = m;
    }
    *far = kept;
}

static void march_close(const tacStage* stage, int item, tacRays* rays, tacTraceSpace* space,
                        tacScratch* scratch, int* far, int* close) {
    const tacItem* it = &stage->items[item];
    tacField field = {space->value, {space->gradient[0], space->gradient[1], space->gradient[2]},
                      {NULL}};
    tac_shape_eval(stage->model, it->shape, it->pose,
                   points_of(rays, space->close, *close, space), field, scratch);
    int kept = 0;
    for (int i = 0; i < *close; ++i) {
        tacMarcher m = space->close[i];
        tacVec3 g = vector_at(space->gradient, i);
        double steep = tac_norm(g), pixel = rays->pixel * fmax(m.t, 1e-12);
        m.near |= space->value[i] < pixel * steep;
        verdict v = turn_close(&m, space->value[i], tac_dot(g, vector_at(rays->along, m.ray)), steep,
                               pixel);
        if (++m.turns > space->most_turns) space->most_turns = m.turns;
        if (v == HIT) {
            rays->distance[m.ray] = m.t, rays->item[m.ray] = item;
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
        tacVec3 x = tac_ray_point(rays, i, rays->distance[i]);
        space->x[0][count] = x.x, space->x[1][count] = x.y, space->x[2][count] = x.z;
        space->index[count++] = i;
    }
    if (count == 0) return;
    const tacItem* it = &stage->items[item];
    tacField field = {NULL, {space->gradient[0], space->gradient[1], space->gradient[2]}, {NULL}};
    tacPoints points = {count, {space->x[0], space->x[1], space->x[2]}};
    if (it->shape >= 0)
        tac_shape_eval(stage->model, it->shape, it->pose, points, field, scratch);
    for (int i = 0; i < count; ++i) {
        int ray = space->index[i];
        tacVec3 g = it->shape >= 0 ? vector_at(space->gradient, i) : it->axes[2];
        tacVec3 n = tac_norm2(g) > 1e-30 ? tac_normalize(g) : tac_neg(vector_at(rays->along, ray));
        rays->normal[0][ray] = n.x, rays->normal[1][ray] = n.y, rays->normal[2][ray] = n.z;
    }
}

//---------------------------------- all items ------------------------------------

void tac_trace(const tacStage* stage, tacRays* rays, tacTraceSpace* space, tacScratch* scratch) {
    for (int i = 0; i < rays->count; ++i)
        rays->distance[i] = INFINITY, rays->item[i] = -1, rays->near[i] = 0;
    for (int item = 0; item < stage->planes; ++item) meet_plane(stage, item, rays);
    for (int item = stage->planes; item < stage->count; ++item)
        march(stage, item, rays, space, scratch);
    for (int item = 0; item < stage->count; ++item)
        find_normals(stage, item, rays, space, scratch);
}
