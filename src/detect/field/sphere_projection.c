// Balls of radius R at c in a field phi with gradient g, h = g/sqrt(1e-12 + |g|^2). Ways y from c
// to the surface, the first by Newton's steps alone, the others along fixed directions v at first:
//
//   ray:      y <- y - P(phi)/s v,  P(x) = x S(x/0.1R), which stands still inside
//   project:  y <- y - phi e(g) + b (1 - h h') (c - y),  e(g) = 1.25 g/(0.25 + |g|^2)
//
// e is a Newton step where |g| = 1 and at most 1.25 long; b, of the first way alone, leads to where
// c - y is along the normal. With phi_0 at c and phi_5 where a way ends, E = 0.05 R,
//
//   D = phi_0 sqrt((|c - y|^2 + E^2)/(phi_0^2 + E^2)) + phi_5^2/(0.002 R)
//   n = m/|m|,  m = phi_0 (c - y) + E^2 h_0
//
// and the mean of both over ways with weights exp(-D/T), T = 0.01 R. S is the step of smooth.md.

#include "detect/field/sphere_projection.h"

#include "detect/field/hit_motion.h"

#include <math.h>
#include <string.h>

enum { PATHS = TAC_SPHERE_PATHS, STEPS = TAC_SPHERE_STEPS, RAY_STEPS = 2 };

#define NORMAL_SOFT 1e-12
#define FLAT        0.25
#define INSIDE      0.1
#define NEAR_CENTRE 0.05
#define OFF_SURFACE 0.002
#define WIDTH       0.01

// how far a step goes towards the foot of the centre
static const double towards_foot[STEPS] = {0, 0, .5, .25, 0};

//---------------------------------- memory ---------------------------------------

void tac_sphere_projection_alloc(tacSphereProjection* spheres, int centres, int hessians,
                                 tacArena* arena) {
    for (int s = 0; s <= STEPS; ++s)
        spheres->at[s] = tac_hits_alloc(arena, tac_sphere_points(centres, s), hessians);
}

//---------------------------------- fields ---------------------------------------

static int is_distance(const tacModel* model, int index) {
    const tacNode* node = &model->node[index];
    switch (node->kind) {
    case TAC_NODE_SPHERE:
    case TAC_NODE_PLANE:
    case TAC_NODE_BOX:
    case TAC_NODE_CAPSULE:
    case TAC_NODE_CYLINDER:
        return 1;
    case TAC_NODE_UNION:
        for (int child = index - 1; child >= node->first; child = model->node[child].first - 1)
            if (!is_distance(model, child)) return 0;
        return 1;
    default:
        return 0;
    }
}

int tac_field_is_distance(const tacModel* model, int geom) {
    const tacShape* shape = &model->shape[model->geom[geom].shape];
    return is_distance(model, shape->first + shape->count - 1);
}

int tac_sphere_projection_needed(const tacModel* model, const tacFeatures* features, int field) {
    if (!features->index || features->index->radius < 0) return 0;
    return !tac_field_is_distance(model, field);
}

//---------------------------------- ways -----------------------------------------

// corners of an icosahedron and of a dodecahedron
static tacVec3 ray_direction(int path) {
    static const double f = 1.618033988749895;
    int i = path - 1, axis = i % 3, sign = i / 3;
    double a[3], one = sign & 1 ? -1.0 : 1.0, two = sign & 2 ? -1.0 : 1.0;
    if (i >= 24) {
        for (int k = 0; k < 3; ++k) a[k] = (i - 24) >> k & 1 ? -1.0 : 1.0;
    } else if (i >= 12) {
        sign = (i - 12) / 3;
        one = sign & 1 ? -1.0 : 1.0;
        two = sign & 2 ? -1.0 : 1.0;
        a[axis] = 0.0;
        a[(axis + 1) % 3] = one / f;
        a[(axis + 2) % 3] = two * f;
    } else {
        a[axis] = 0.0;
        a[(axis + 1) % 3] = one;
        a[(axis + 2) % 3] = two * f;
    }
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    return (tacVec3){a[0] / length, a[1] / length, a[2] / length};
}

// one of the ways of a sphere to the surface
typedef struct spherePath {
    const tacSphereProjection* spheres;
    int sphere, path;
    tacVec3 centre;
} spherePath;

// one step of a way, from y, and what its derivative takes
typedef struct sphereStep {
    const tacHits* at;
    int point;
    tacReal phi, radius, q, s, along;
    tacReal length, by_phi, by_radius; // of a ray
    double b, slope;
    tacVec3 g, h, y, z, v; // z = c - y
    int is_ray;
} sphereStep;

static sphereStep projection_step(const spherePath* p, int step) {
    const tacSphereProjection* spheres = p->spheres;
    int sphere = p->sphere, path = p->path;
    sphereStep t = {.at = &spheres->at[step], .radius = spheres->radius, .slope = spheres->slope};
    t.point = step == 0 ? sphere : sphere * PATHS + path;
    t.is_ray = path > 0 && step < RAY_STEPS;
    t.b = path == 0 ? towards_foot[step] : 0.0;
    t.phi = t.at->value[t.point];
    t.g = tac_vec3_at(t.at->gradient, t.point);
    t.y = tac_vec3_at(t.at->y, t.point);
    t.z = tac_sub(p->centre, t.y);
    if (t.is_ray) {
        tacReal slope, x = t.phi / (INSIDE * t.radius), S = tac_smoothstep5(x, &slope);
        t.v = ray_direction(path);
        t.length = t.phi * S / t.slope;
        t.by_phi = (S + x * slope) / t.slope;
        t.by_radius = -t.phi * x * slope / t.radius / t.slope;
        return t;
    }
    tacReal square = tac_norm2(t.g);
    t.q = (1.0 + FLAT) / (square + FLAT);
    t.s = 1.0 / r_sqrt(square + NORMAL_SOFT);
    t.h = tac_scale(t.g, t.s);
    t.along = tac_dot(t.h, t.z);
    return t;
}

static tacVec3 step_target(const sphereStep* t) {
    if (t->is_ray) return tac_add_scaled(t->y, -t->length, t->v);
    tacVec3 foot = tac_add_scaled(t->z, -t->along, t->h);
    return tac_add_scaled(tac_add_scaled(t->y, -t->phi * t->q, t->g), t->b, foot);
}

static tacVec3 normalize_jvp(tacVec3 h, tacReal s, tacVec3 v) {
    return tac_scale(tac_add_scaled(v, -tac_dot(h, v), h), s);
}

// y' -> of the next; c', R' and the field's own tangents
static tacVec3 projection_step_jvp(const sphereStep* t, tacVec3 c_dot, tacReal radius_dot,
                                   tacReal phi_own, tacVec3 g_own, tacVec3 y_dot) {
    tacReal phi_dot = tac_dot(t->g, y_dot) + phi_own;
    if (t->is_ray)
        return tac_add_scaled(y_dot, -(t->by_phi * phi_dot + t->by_radius * radius_dot), t->v);
    tacVec3 g_dot = tac_add(tac_hit_hessian_mul(t->at, t->point, y_dot), g_own);
    tacVec3 h_dot = normalize_jvp(t->h, t->s, g_dot), z_dot = tac_sub(c_dot, y_dot);
    tacReal q_dot = -2.0 * t->q * t->q / (1.0 + FLAT) * tac_dot(t->g, g_dot);
    tacReal along_dot = tac_dot(h_dot, t->z) + tac_dot(t->h, z_dot);
    tacVec3 foot_dot = tac_add_scaled(tac_add_scaled(z_dot, -along_dot, t->h), -t->along, h_dot);
    tacVec3 out = tac_add_scaled(y_dot, -(phi_dot * t->q + t->phi * q_dot), t->g);
    return tac_add_scaled(tac_add_scaled(out, -t->phi * t->q, g_dot), t->b, foot_dot);
}

// adjoint of the next y -> of this one, added to those of c and R
static tacVec3 projection_step_vjp(const sphereStep* t, tacVec3 bar, tacVec3* c_bar,
                                   tacReal* radius_bar, tacReal* phi_bar, tacVec3* g_bar) {
    *g_bar = tac_vec3_zero();
    if (t->is_ray) {
        tacReal length_bar = -tac_dot(t->v, bar);
        *phi_bar = length_bar * t->by_phi;
        *radius_bar += length_bar * t->by_radius;
        return tac_add_scaled(bar, *phi_bar, t->g);
    }
    tacReal gradient_part = tac_dot(t->g, bar), across = tac_dot(t->h, bar);
    tacVec3 z_bar = tac_scale(tac_add_scaled(bar, -across, t->h), t->b);
    tacVec3 h_bar = tac_scale(tac_add_scaled(tac_scale(bar, t->along), across, t->z), -t->b);
    *phi_bar = -t->q * gradient_part;
    *g_bar = tac_scale(bar, -t->phi * t->q);
    *g_bar =
        tac_add_scaled(*g_bar, 2.0 * t->phi * t->q * t->q / (1.0 + FLAT) * gradient_part, t->g);
    *g_bar = tac_add(*g_bar, normalize_jvp(t->h, t->s, h_bar));
    *c_bar = tac_add(*c_bar, z_bar);
    tacVec3 out = tac_add_scaled(tac_sub(bar, z_bar), *phi_bar, t->g);
    return tac_add(out, tac_hit_hessian_mul(t->at, t->point, *g_bar));
}

//---------------------------------- ends -----------------------------------------

// the field at the centre, which all ways have in common
typedef struct sphereCentre {
    tacReal phi, s, radius, width; // width: T
    tacVec3 c, h;
} sphereCentre;

static sphereCentre sphere_centre(const tacSphereProjection* spheres, int sphere) {
    sphereCentre c = {.phi = spheres->at[0].value[sphere], .radius = spheres->radius};
    tacVec3 g = tac_vec3_at(spheres->at[0].gradient, sphere);
    c.c = tac_vec3_at(spheres->at[0].y, sphere);
    c.width = WIDTH * c.radius;
    c.s = 1.0 / r_sqrt(tac_norm2(g) + NORMAL_SOFT);
    c.h = tac_scale(g, c.s);
    return c;
}

// where a way ends
typedef struct spherePathEnd {
    tacReal phi, distance, weight, ratio, below, size; // ratio: sqrt(.../below), size: 1/|m|
    tacVec3 z, n, g;
} spherePathEnd;

static spherePathEnd path_end(const tacSphereProjection* spheres, const sphereCentre* c, int sphere,
                              int path) {
    const tacHits* last = &spheres->at[STEPS];
    int point = sphere * PATHS + path;
    tacReal E2 = NEAR_CENTRE * NEAR_CENTRE * c->radius * c->radius;
    spherePathEnd e = {.phi = last->value[point]};
    e.z = tac_sub(c->c, tac_vec3_at(last->y, point));
    e.g = tac_vec3_at(last->gradient, point);
    e.below = c->phi * c->phi + E2;
    e.ratio = r_sqrt((tac_norm2(e.z) + E2) / e.below);
    e.distance = c->phi * e.ratio + e.phi * e.phi / (OFF_SURFACE * c->radius);
    tacVec3 m = tac_add_scaled(tac_scale(e.z, c->phi), E2, c->h);
    e.size = 1.0 / r_sqrt(tac_norm2(m) + 1e-6 * E2 * E2);
    e.n = tac_scale(m, e.size);
    return e;
}

// tangents of what an end is made of, and of its distance and normal
typedef struct pathEndDot {
    tacReal phi0, phi, radius;
    tacVec3 h, z;
} pathEndDot;

static tacReal path_end_jvp(const sphereCentre* c, const spherePathEnd* e, const pathEndDot* d,
                            tacVec3* n_dot) {
    tacReal r = c->radius, E2 = NEAR_CENTRE * NEAR_CENTRE * r * r,
            E2_dot = 2.0 * E2 / r * d->radius;
    tacReal top_dot = 2.0 * tac_dot(e->z, d->z) + E2_dot;
    tacReal below_dot = 2.0 * c->phi * d->phi0 + E2_dot;
    tacReal ratio_dot = (top_dot - e->ratio * e->ratio * below_dot) / (2.0 * e->ratio * e->below);
    tacVec3 m_dot = tac_add(tac_scale(e->z, d->phi0), tac_scale(d->z, c->phi));
    m_dot = tac_add(m_dot, tac_add(tac_scale(c->h, E2_dot), tac_scale(d->h, E2)));
    tacReal soft_dot = 2e-6 * E2 * E2_dot; // of what is added to |m|^2
    *n_dot = tac_add_scaled(normalize_jvp(e->n, e->size, m_dot),
                            -0.5 * soft_dot * e->size * e->size, e->n);
    return d->phi0 * e->ratio + c->phi * ratio_dot +
           e->phi / (OFF_SURFACE * r) * (2.0 * d->phi - e->phi / r * d->radius);
}

static pathEndDot path_end_vjp(const sphereCentre* c, const spherePathEnd* e, tacReal bar,
                               tacVec3 n_bar) {
    tacReal r = c->radius, E2 = NEAR_CENTRE * NEAR_CENTRE * r * r;
    pathEndDot d = {.phi0 = bar * e->ratio, .phi = 2.0 * bar * e->phi / (OFF_SURFACE * r)};
    d.radius = -bar * e->phi * e->phi / (OFF_SURFACE * r * r);
    tacReal top_bar = bar * c->phi / (2.0 * e->ratio * e->below);
    tacReal below_bar = -top_bar * e->ratio * e->ratio;
    tacVec3 m_bar = normalize_jvp(e->n, e->size, n_bar);
    tacReal E2_bar = top_bar + below_bar + tac_dot(c->h, m_bar) -
                     1e-6 * E2 * e->size * e->size * tac_dot(e->n, n_bar);
    d.phi0 += 2.0 * c->phi * below_bar + tac_dot(e->z, m_bar);
    d.z = tac_add_scaled(tac_scale(e->z, 2.0 * top_bar), c->phi, m_bar);
    d.h = tac_scale(m_bar, E2);
    d.radius += 2.0 * E2 / r * E2_bar;
    return d;
}

// the mean over ways
typedef struct sphereNearest {
    sphereCentre c;
    spherePathEnd end[PATHS];
    tacReal distance;
    tacVec3 n;
} sphereNearest;

static void sphere_nearest(const tacSphereProjection* spheres, int sphere, sphereNearest* mean) {
    tacReal total = 0.0;
    double least = INFINITY;
    mean->c = sphere_centre(spheres, sphere);
    for (int w = 0; w < PATHS; ++w) {
        mean->end[w] = path_end(spheres, &mean->c, sphere, w);
        least = fmin(least, tac_re(mean->end[w].distance));
    }
    for (int w = 0; w < PATHS; ++w) {
        spherePathEnd* e = &mean->end[w];
        e->weight = r_exp((least - e->distance) / mean->c.width);
        total += e->weight;
    }
    mean->distance = 0.0;
    mean->n = tac_vec3_zero();
    for (int w = 0; w < PATHS; ++w) {
        spherePathEnd* e = &mean->end[w];
        e->weight /= total;
        mean->distance += e->weight * e->distance;
        mean->n = tac_add_scaled(mean->n, e->weight, e->n);
    }
}

//---------------------------------- search ---------------------------------------

static void advance_paths(tacVertexSide* side, tacSphereProjection* spheres, int step, int order) {
    const tacHits* centre = &spheres->at[0];
    tacHits* to = &spheres->at[step + 1];
    to->count = centre->count * PATHS;
    for (int sphere = 0; sphere < centre->count; ++sphere)
        for (int path = 0; path < PATHS; ++path) {
            spherePath p = {spheres, sphere, path, tac_vec3_at(centre->y, sphere)};
            sphereStep t = projection_step(&p, step);
            tac_vec3_set(to->y, sphere * PATHS + path, step_target(&t));
        }
    tac_hits_field(side, to, order);
}

static void copy_hit(tacHits* h, int i, int count_active, int order) {
    h->vertex[count_active] = h->vertex[i];
    tac_hit_copy(h, i, order, h, count_active);
}

// those that touch, in all arrays
static void remove_inactive(const tacVertexSide* side, tacSphereProjection* spheres, tacHits* hits,
                            int order) {
    int count_active = 0;
    for (int sphere = 0; sphere < hits->count; ++sphere) {
        sphereNearest mean;
        sphere_nearest(spheres, sphere, &mean);
        if (!(tac_re(mean.distance - spheres->radius) < tac_re(side->pose.support))) continue;
        copy_hit(hits, sphere, count_active, order);
        copy_hit(&spheres->at[0], sphere, count_active, order);
        for (int s = 1; s <= STEPS && count_active != sphere; ++s)
            for (int w = 0; w < PATHS; ++w)
                copy_hit(&spheres->at[s], sphere * PATHS + w, count_active * PATHS + w, order);
        hits->value[count_active] = mean.distance;
        tac_vec3_set(hits->gradient, count_active, mean.n);
        for (int k = 0; k < 6 && order > 1; ++k) hits->hessian[k][count_active] = 0.0;
        ++count_active;
    }
    hits->count = spheres->at[0].count = count_active;
    for (int s = 1; s <= STEPS; ++s) spheres->at[s].count = count_active * PATHS;
    tac_hits_pad(hits, order);
}

void tac_sphere_projection_find(tacVertexSide* side, int order, tacHits* hits,
                                tacSphereProjection* out, tacScratch* scratch) {
    out->used = tac_sphere_projection_needed(side->model, side->features, side->geom);
    if (!out->used) return;
    *out = (tacSphereProjection){.used = 1};
    if (hits->count == 0) return;
    out->radius = side->pose.radius;
    out->slope = side->lipschitz;
    tac_sphere_projection_alloc(out, hits->count, order > 1, &scratch->arena);
    out->at[0].count = hits->count;
    for (int i = 0; i < hits->count; ++i) tac_hit_copy(hits, i, order, &out->at[0], i);
    for (int s = 0; s <= STEPS; ++s)
        for (int i = 0; i < tac_sphere_points(hits->count, s); ++i) out->at[s].vertex[i] = 0;
    for (int s = 0; s < STEPS; ++s) advance_paths(side, out, s, order);
    remove_inactive(side, out, hits, order);
}

//---------------------------------- forward --------------------------------------

static tacReal field_value(const tacSphereFields* f, int step, int point) {
    return f ? f->at[step].value[point] : (tacReal)0.0;
}

static tacVec3 field_gradient(const tacSphereFields* f, int step, int point) {
    return f ? tac_vec3_at(f->at[step].gradient, point) : tac_vec3_zero();
}

// the end of a way along c', R'
static tacVec3 path_jvp(const spherePath* p, tacVec3 c_dot, tacReal radius_dot,
                        const tacSphereFields* fields) {
    tacVec3 y_dot = c_dot;
    for (int s = 0; s < STEPS; ++s) {
        sphereStep t = projection_step(p, s);
        y_dot = projection_step_jvp(&t, c_dot, radius_dot, field_value(fields, s, t.point),
                                    field_gradient(fields, s, t.point), y_dot);
    }
    return y_dot;
}

// distance and normal of one ball
static tacReal sphere_jvp(const tacSphereProjection* spheres, int sphere, tacVec3 c_dot,
                          tacReal radius_dot, const tacSphereFields* fields, tacVec3* n_dot) {
    sphereNearest mean;
    tacReal slip = 0.0, out = 0.0, distance_dot[PATHS];
    sphere_nearest(spheres, sphere, &mean);
    *n_dot = tac_vec3_zero();
    tacVec3 g0_dot = tac_add(tac_hit_hessian_mul(&spheres->at[0], sphere, c_dot),
                             field_gradient(fields, 0, sphere));
    pathEndDot d = {.phi0 = tac_dot(tac_vec3_at(spheres->at[0].gradient, sphere), c_dot) +
                            field_value(fields, 0, sphere),
                    .h = normalize_jvp(mean.c.h, mean.c.s, g0_dot),
                    .radius = radius_dot};
    for (int w = 0; w < PATHS; ++w) {
        spherePathEnd* e = &mean.end[w];
        spherePath p = {spheres, sphere, w, mean.c.c};
        tacVec3 one, y_dot = path_jvp(&p, c_dot, radius_dot, fields);
        d.z = tac_sub(c_dot, y_dot);
        d.phi = tac_dot(e->g, y_dot) + field_value(fields, STEPS, sphere * PATHS + w);
        distance_dot[w] = path_end_jvp(&mean.c, e, &d, &one);
        *n_dot = tac_add_scaled(*n_dot, e->weight, one);
        slip += e->weight * distance_dot[w];
    }
    // weights: w (-(D' - mean D')/T + (D - mean D) T'/T^2)
    for (int w = 0; w < PATHS; ++w) {
        spherePathEnd* e = &mean.end[w];
        tacReal T = mean.c.width, T_dot = WIDTH * radius_dot;
        tacReal weight_dot =
            e->weight * (slip - distance_dot[w] + (e->distance - mean.distance) * T_dot / T) / T;
        out += weight_dot * e->distance + e->weight * distance_dot[w];
        *n_dot = tac_add_scaled(*n_dot, weight_dot, e->n);
    }
    return out;
}

void tac_sphere_projection_jvp(const tacVertexSide* side, const tacSphereProjection* spheres,
                               const tacHits* hits, const tacHitDot* dot,
                               const tacSphereFields* fields, tacField out) {
    for (int i = 0; i < hits->count; ++i) {
        tacVec3 c_dot = tac_hit_velocity(side, dot, tac_vec3_at(hits->y, i)), n_dot;
        out.value[i] = sphere_jvp(spheres, i, c_dot, dot->radius, fields, &n_dot) -
                       tac_dot(tac_vec3_at(hits->gradient, i), c_dot);
        tac_vec3_set(out.gradient, i, n_dot);
    }
}

//---------------------------------- reverse --------------------------------------

static void store_field(const tacSphereFields* f, int step, int point, tacReal value, tacVec3 g) {
    if (!f) return;
    f->at[step].value[point] = value;
    tac_vec3_set(f->at[step].gradient, point, g);
}

// what all ways add to the field at the centre
typedef struct centreBar {
    tacReal phi, radius;
    tacVec3 c, g;
} centreBar;

static void path_vjp(const spherePath* p, const spherePathEnd* e, const pathEndDot* end,
                     centreBar* sum, const tacSphereFields* fields) {
    tacVec3 y_bar = tac_add_scaled(tac_neg(end->z), end->phi, e->g), g_bar;
    tacReal phi_bar;
    store_field(fields, STEPS, p->sphere * PATHS + p->path, end->phi, tac_vec3_zero());
    sum->c = tac_add(sum->c, end->z);
    for (int s = STEPS - 1; s >= 0; --s) {
        sphereStep t = projection_step(p, s);
        y_bar = projection_step_vjp(&t, y_bar, &sum->c, &sum->radius, &phi_bar, &g_bar);
        if (s > 0)
            store_field(fields, s, t.point, phi_bar, g_bar);
        else {
            sum->phi += phi_bar;
            sum->g = tac_add(sum->g, g_bar);
        }
    }
    sum->c = tac_add(sum->c, y_bar);
}

// adjoints of distance and normal -> of c, R and fields
static centreBar sphere_vjp(const tacSphereProjection* spheres, int sphere, tacReal bar,
                            tacVec3 n_bar, const tacSphereFields* fields) {
    sphereNearest mean;
    centreBar sum = {.phi = 0.0};
    tacReal phi_bar = 0.0, T;
    tacVec3 h_bar = tac_vec3_zero();
    sphere_nearest(spheres, sphere, &mean);
    T = mean.c.width;
    for (int w = 0; w < PATHS; ++w) {
        const spherePathEnd* e = &mean.end[w];
        tacReal off = e->distance - mean.distance;
        tacReal moves = bar * off + tac_dot(n_bar, tac_sub(e->n, mean.n)); // by its weight
        pathEndDot end =
            path_end_vjp(&mean.c, e, e->weight * (bar - moves / T), tac_scale(n_bar, e->weight));
        sum.radius += end.radius + e->weight * moves * off / (T * T) * WIDTH;
        phi_bar += end.phi0;
        h_bar = tac_add(h_bar, end.h);
        spherePath p = {spheres, sphere, w, mean.c.c};
        path_vjp(&p, e, &end, &sum, fields);
    }
    // what the ends took from the field at the centre, beside the first steps
    tacVec3 g_bar = normalize_jvp(mean.c.h, mean.c.s, h_bar);
    sum.c = tac_add_scaled(sum.c, phi_bar, tac_vec3_at(spheres->at[0].gradient, sphere));
    sum.c = tac_add(sum.c, tac_hit_hessian_mul(&spheres->at[0], sphere, g_bar));
    store_field(fields, 0, sphere, sum.phi + phi_bar, tac_add(sum.g, g_bar));
    return sum;
}

// kernels have added the motion past the gradient already
void tac_sphere_projection_vjp(const tacVertexSide* side, const tacSphereProjection* spheres,
                               const tacHits* hits, tacHitBar* out, const tacSphereFields* fields) {
    for (int i = 0; i < hits->count; ++i) {
        tacReal bar = out->value[i];
        centreBar sum = sphere_vjp(spheres, i, bar, tac_vec3_at(out->gradient, i), fields);
        tacVec3 force = tac_add_scaled(sum.c, -bar, tac_vec3_at(hits->gradient, i));
        tac_hit_add_force(side, tac_vec3_at(hits->y, i), force, out);
        out->radius += sum.radius;
    }
}
