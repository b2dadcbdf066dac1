// Sphere tracing of a stage, a packet of rays at a time.
//
//   rays --half-spaces, meshes: closed form; others: march in the ball--> distance, item, normal
//
// Each item is marched by itself, all its rays together, from where they enter its ball to where
// they leave it or to the nearest hit so far. A ray far from the surface advances by
// tac_shape_steps, which never passes it. Nearer than a pixel, or where that bound stalls, a ray
// advances by the field's value and gradient, and a change of sign is bracketed by Newton's method
// and bisection: a hit is always a root, and skipped parts are thinner than a fraction of a
// pixel. docs/render.md eq. (1) to (4)

#include "draw/trace.h"

#include "math/pose.h"

#include <math.h>

// relative accuracy of a root
#define ROOT 1e-11
// shortest step near a surface, in pixels
#define LEAST 0.2

//---------------------------------- rays -----------------------------------------

tacVec3 tac_ray_point(const tacRays* rays, int i, double t) {
    return tac_add_scaled(tac_vectors_get(&rays->origin, i), t, tac_vectors_get(&rays->along, i));
}

int tac_ray_ball_interval(tacVec3 from, tacVec3 along, tacVec3 centre, double radius, double* enter,
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
    return rays->pixel * fmax(rays->eye_distance[i] + t, 1e-12);
}

//---------------------------------- half-spaces ----------------------------------

static void hit_plane(const tacStage* stage, int item, tacRays* rays) {
    const tacStageItem* plane = &stage->items[item];
    tacVec3 n = plane->axes[2];
    for (int i = 0; i < rays->count; ++i) {
        double fall = -tac_dot(n, tac_vectors_get(&rays->along, i));
        double height =
            tac_dot(n, tac_sub(tac_vectors_get(&rays->origin, i), plane->pose.position));
        double t = height / fall;
        if (!(fall > 0.0) || !(t > rays->start[i]) || t >= rays->distance[i]) continue;
        rays->distance[i] = t;
        rays->item[i] = item;
    }
}

//---------------------------------- meshes ---------------------------------------

static void hit_mesh(const tacStage* stage, int item, tacRays* rays) {
    const tacStageItem* it = &stage->items[item];
    for (int i = 0; i < rays->count; ++i) {
        tacVec3 from = tac_vectors_get(&rays->origin, i), along = tac_vectors_get(&rays->along, i);
        double enter, leave, ball = it->ball.radius * (1.0 + 1e-6), distance;
        if (!tac_ray_ball_interval(from, along, it->ball.center, ball, &enter, &leave)) continue;
        tacMeshRay ray = {tac_pose_apply_inverse(it->pose, from),
                          tac_pose_rotate_inverse(it->pose, along), rays->start[i],
                          fmin(leave, rays->distance[i])};
        tacVec3 normal;
        if (!(enter < ray.end) || !tac_draw_mesh_hit(it->mesh, ray, &distance, &normal)) continue;
        rays->distance[i] = distance;
        rays->item[i] = item;
        tac_vectors_set(&rays->normal, i, tac_pose_rotate(it->pose, normal));
    }
}

//---------------------------------- marching -------------------------------------

typedef enum { MISS, HIT, FAR, CLOSE } verdict;

// Part of a ray where it may hit an item or pass it by less than a pixel; 0 if there is none.
static int march_interval(const tacStage* stage, const tacStageItem* item, const tacRays* rays,
                          int i, double* enter, double* leave) {
    tacVec3 from = tac_vectors_get(&rays->origin, i), along = tac_vectors_get(&rays->along, i);
    if (!isfinite(item->ball.radius)) {
        // visibility limit of the haze
        *enter = 0.0;
        *leave = tac_distance(from, stage->centre) + TAC_HAZE_END * stage->radius;
        return 1;
    }
    double approach = fmax(tac_dot(tac_sub(item->ball.center, from), along), 0.0);
    double ball = item->ball.radius * (1.0 + 1e-6) + pixel_at(rays, i, approach);
    return tac_ray_ball_interval(from, along, item->ball.center, ball, enter, leave);
}

// rays that enter the ball of an item before they hit something else
static int begin_march(const tacStage* stage, const tacStageItem* item, const tacRays* rays,
                       tacMarcher* out) {
    int count = 0;
    for (int i = 0; i < rays->count; ++i) {
        double enter, leave;
        if (!march_interval(stage, item, rays, i, &enter, &leave)) continue;
        enter = fmax(enter, rays->start[i]);
        leave = fmin(leave, rays->distance[i]);
        if (!(enter < leave)) continue;
        int started = enter == rays->start[i]; // such a ray may start inside the solid
        out[count++] = (tacMarcher){i, 0, started, 0, enter, leave, enter, INFINITY};
    }
    return count;
}

static tacPoints march_points(const tacRays* rays, const tacMarcher* m, int count,
                              tacTraceWorkspace* workspace) {
    for (int i = 0; i < count; ++i)
        tac_vectors_set(&workspace->x, i, tac_ray_point(rays, m[i].ray, m[i].t));
    return tac_vectors_points(&workspace->x, count);
}

// a bracketed root: Newton's method while it stays inside, every fourth time a bisection
static verdict bracket_root(tacMarcher* m, double newton) {
    double next = m->t + newton, width = m->in - m->out;
    int fits = next >= m->out && next <= m->in;
    if (width <= ROOT * m->t || (fits && fabs(newton) <= ROOT * m->t)) {
        m->t = fits ? next : m->out;
        return HIT;
    }
    m->t = fits && m->steps % 4 ? next : m->out + 0.5 * width;
    return CLOSE;
}

// Outside near the surface: no further than the value allows, and at least a share of a pixel. Far
// off again, tac_shape_steps is used every fourth time, as it may stall here.
static verdict step_forward(tacMarcher* m, double distance, double newton, double pixel) {
    if (newton <= ROOT * m->t) {
        m->t += newton;
        return HIT;
    }
    if (m->t >= m->end) return MISS;
    double max_step = distance > pixel ? distance : fmax(3.0 * distance, LEAST * pixel);
    double next = m->t + (newton < max_step  ? newton
                          : isfinite(newton) ? max_step
                                             : fmax(distance, LEAST * pixel));
    m->t = fmin(next, m->end);
    return distance > 4.0 * pixel && m->steps % 4 == 3 ? FAR : CLOSE;
}

// one step of a ray by value, slope along the ray, and length of the gradient
static verdict step_close(tacMarcher* m, double value, double slope, double steep, double pixel) {
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
    if (isfinite(m->in)) return bracket_root(m, newton);
    return step_forward(m, distance, newton, pixel);
}

static void march_far(const tacStage* stage, const tacStageItem* item, tacRays* rays,
                      tacTraceWorkspace* workspace, tacScratch* scratch) {
    tac_shape_steps(stage->model, item->shape, item->pose,
                    march_points(rays, workspace->far, workspace->nfar, workspace),
                    workspace->value, scratch);
    int running = 0;
    for (int i = 0; i < workspace->nfar; ++i) {
        tacMarcher m = workspace->far[i];
        double step = workspace->value[i];
        if (++m.steps > TAC_TRACE_STEPS) continue;
        if (!(step > pixel_at(rays, m.ray, m.t))) {
            workspace->close[workspace->nclose++] = m;
            continue;
        }
        m.inside = 0;
        m.t += step;
        m.out = m.t;
        if (m.t < m.end) workspace->far[running++] = m;
    }
    workspace->nfar = running;
}

static void march_close(const tacStage* stage, int item, tacRays* rays,
                        tacTraceWorkspace* workspace, tacScratch* scratch) {
    const tacStageItem* it = &stage->items[item];
    tac_shape_eval(stage->model, it->shape, it->pose,
                   march_points(rays, workspace->close, workspace->nclose, workspace),
                   tac_vectors_field(workspace->value, &workspace->gradient), scratch);
    int running = 0;
    for (int i = 0; i < workspace->nclose; ++i) {
        tacMarcher m = workspace->close[i];
        tacVec3 g = tac_vectors_get(&workspace->gradient, i);
        double steep = tac_norm(g), pixel = pixel_at(rays, m.ray, m.t);
        m.near |= workspace->value[i] < pixel * steep;
        verdict v = step_close(&m, workspace->value[i],
                               tac_dot(g, tac_vectors_get(&rays->along, m.ray)), steep, pixel);
        if (++m.steps > workspace->most_steps) workspace->most_steps = m.steps;
        if (v == HIT) {
            rays->distance[m.ray] = m.t;
            rays->item[m.ray] = item;
            continue;
        }
        rays->near[m.ray] |= v != CLOSE && m.near;
        if (m.steps <= TAC_TRACE_STEPS) {
            if (v == CLOSE) workspace->close[running++] = m;
            if (v == FAR) workspace->far[workspace->nfar++] = m;
        }
    }
    workspace->nclose = running;
}

static void march(const tacStage* stage, int item, tacRays* rays, tacTraceWorkspace* workspace,
                  tacScratch* scratch) {
    const tacStageItem* it = &stage->items[item];
    workspace->nfar = begin_march(stage, it, rays, workspace->far);
    workspace->nclose = 0;
    while (workspace->nfar + workspace->nclose > 0) {
        if (workspace->nfar) march_far(stage, it, rays, workspace, scratch);
        if (workspace->nclose) march_close(stage, item, rays, workspace, scratch);
    }
}

//---------------------------------- normals --------------------------------------

static void find_normals(const tacStage* stage, int item, tacRays* rays,
                         tacTraceWorkspace* workspace, tacScratch* scratch) {
    int count = 0;
    for (int i = 0; i < rays->count; ++i) {
        if (rays->item[i] != item) continue;
        tac_vectors_set(&workspace->x, count, tac_ray_point(rays, i, rays->distance[i]));
        workspace->index[count++] = i;
    }
    const tacStageItem* it = &stage->items[item];
    if (count == 0 || it->kind == TAC_STAGE_MESH) return; // hit_mesh has set them
    if (it->kind == TAC_STAGE_FIELD)
        tac_shape_eval(stage->model, it->shape, it->pose, tac_vectors_points(&workspace->x, count),
                       tac_vectors_field(NULL, &workspace->gradient), scratch);
    for (int i = 0; i < count; ++i) {
        int ray = workspace->index[i];
        tacVec3 g =
            it->kind == TAC_STAGE_FIELD ? tac_vectors_get(&workspace->gradient, i) : it->axes[2];
        tacVec3 n =
            tac_norm2(g) > 1e-30 ? tac_normalize(g) : tac_neg(tac_vectors_get(&rays->along, ray));
        tac_vectors_set(&rays->normal, ray, n);
    }
}

//---------------------------------- all items ------------------------------------

// cone around rays from one eye
typedef struct rayCone {
    tacVec3 from, axis;
    double cosine, sine; // of its half-angle; cosine -1: contains everything
} rayCone;

static rayCone ray_cone(const tacRays* rays) {
    rayCone c = {tac_vec3_zero(), tac_vec3_zero(), -1.0, 0.0};
    if (rays->count == 0) return c;
    c.from = tac_vectors_get(&rays->origin, 0);
    for (int i = 0; i < rays->count; ++i) {
        if (tac_norm2(tac_sub(tac_vectors_get(&rays->origin, i), c.from)) > 0.0) return c;
        c.axis = tac_add(c.axis, tac_vectors_get(&rays->along, i));
    }
    c.axis = tac_normalize(c.axis);
    double least = 1.0;
    for (int i = 0; i < rays->count; ++i)
        least = fmin(least, tac_dot(c.axis, tac_vectors_get(&rays->along, i)));
    if (least <= 0.0) return c;
    c.cosine = least;
    c.sine = sqrt(fmax(0.0, 1.0 - least * least));
    return c;
}

// can a ray of the cone come within a pixel of the ball of an item?
static int cone_intersects(const rayCone* c, const tacStageItem* item, double pixel) {
    if (c->cosine < 0.0 || !isfinite(item->ball.radius)) return 1;
    tacVec3 to = tac_sub(item->ball.center, c->from);
    double depth = tac_dot(to, c->axis), away = tac_norm(tac_add_scaled(to, -depth, c->axis));
    double ball = item->ball.radius * (1.0 + 1e-6) + pixel * tac_norm(to);
    return away * c->cosine - depth * c->sine <= ball;
}

void tac_trace(const tacStage* stage, tacRays* rays, tacTraceWorkspace* workspace,
               tacScratch* scratch) {
    rayCone c = ray_cone(rays);
    for (int i = 0; i < rays->count; ++i) {
        rays->distance[i] = INFINITY;
        rays->item[i] = -1;
        rays->near[i] = 0;
    }
    for (int item = 0; item < stage->planes; ++item) hit_plane(stage, item, rays);
    for (int item = stage->planes; item < stage->count; ++item)
        if (cone_intersects(&c, &stage->items[item], rays->pixel)) {
            if (stage->items[item].kind == TAC_STAGE_MESH)
                hit_mesh(stage, item, rays);
            else
                march(stage, item, rays, workspace, scratch);
        }
    for (int item = 0; item < stage->count; ++item)
        find_normals(stage, item, rays, workspace, scratch);
}
