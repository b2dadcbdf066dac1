// Better triangles: edges flip and vertices move on the zero level; the surface stays valid.

#include "mesh/surface/remesh.h"

#include <math.h>
#include <string.h>

// new positions of all vertices
typedef struct moveWorkspace {
    int count, *vertex;
    double *x[3], *normal[3];
    unsigned char* converged; // 1: x is on the zero level
} moveWorkspace;

//---------------------------------- projection -----------------------------------

#define NEWTON_ITERATIONS 24

// points of Newton's method
typedef struct newtonWorkspace {
    double *at[3], *g[3], *value; // trial points and the field there
    double* best;                 // |value| at x
    double* damp;                 // share of the Newton step to try
} newtonWorkspace;

static tacResult newton_create(newtonWorkspace* n, int count, tacRegion* blocks) {
    int missing = 0;
    for (int k = 0; k < 3; ++k) {
        missing |= !(n->at[k] = TAC_REGION_ALLOC(blocks, double, count));
        missing |= !(n->g[k] = TAC_REGION_ALLOC(blocks, double, count));
    }
    missing |= !(n->value = TAC_REGION_ALLOC(blocks, double, count));
    missing |= !(n->best = TAC_REGION_ALLOC(blocks, double, count));
    missing |= !(n->damp = TAC_REGION_ALLOC(blocks, double, count));
    return missing ? TAC_ERROR_MEMORY : TAC_OK;
}

// a trial that is not better is halved; returns 1 if the point has not converged
static int newton_accept(newtonWorkspace* n, int i, double* const x[3], double* const normal[3],
                         double close) {
    double length2 = 0.0;
    for (int k = 0; k < 3; ++k) length2 += n->g[k][i] * n->g[k][i];
    if (!(fabs(n->value[i]) < n->best[i]) || !(length2 > 0.0)) {
        n->damp[i] *= 0.5;
        for (int k = 0; k < 3; ++k) n->at[k][i] = x[k][i] + 0.5 * (n->at[k][i] - x[k][i]);
        return n->best[i] > close;
    }
    n->best[i] = fabs(n->value[i]);
    for (int k = 0; k < 3; ++k) {
        x[k][i] = n->at[k][i];
        normal[k][i] = n->g[k][i] / sqrt(length2);
    }
    return n->best[i] > close;
}

static void newton_step(newtonWorkspace* n, int i, double* const x[3], double max_step) {
    double length2 = 0.0;
    for (int k = 0; k < 3; ++k) length2 += n->g[k][i] * n->g[k][i];
    double scale = n->value[i] / length2, step = fabs(n->value[i]) / sqrt(length2);
    if (step > max_step) scale *= max_step / step;
    for (int k = 0; k < 3; ++k) n->at[k][i] = x[k][i] - scale * n->g[k][i];
}

// Moves points onto the zero level by Newton steps along the gradient, at most `max_step` each, and
// gives unit normals there.
static tacResult project_to_surface(const tacShapeSampler* sampler, moveWorkspace* m,
                                    double max_step, tacRegion* blocks) {
    int count = m->count;
    double *const *x = m->x, *const *normal = m->normal;
    newtonWorkspace n;
    tacResult result = newton_create(&n, count, blocks);
    if (result != TAC_OK) return result;
    double close = 1e-13 * sampler->size;
    for (int k = 0; k < 3; ++k) memcpy(n.at[k], x[k], sizeof(double) * (size_t)count);
    for (int i = 0; i < count; ++i) n.best[i] = INFINITY;
    for (int iteration = 0, open = count; iteration < NEWTON_ITERATIONS && open > 0; ++iteration) {
        tac_shape_sampler_eval(sampler, count, n.at, n.value, n.g);
        open = 0;
        for (int i = 0; i < count; ++i) {
            double was = n.best[i];
            open += newton_accept(&n, i, x, normal, close);
            if (n.best[i] < was && n.best[i] > 0.0) newton_step(&n, i, x, max_step);
        }
    }
    for (int i = 0; i < count; ++i) m->converged[i] = n.best[i] <= 1e-11 * sampler->size;
    return TAC_OK;
}

int tac_project_point(const tacShapeSampler* sampler, double x[3], double normal[3],
                      double max_step) {
    double at[3] = {x[0], x[1], x[2]}, value, g[3], travelled = 0.0;
    double *const px[3] = {&at[0], &at[1], &at[2]}, *const pg[3] = {&g[0], &g[1], &g[2]};
    for (int iteration = 0; iteration < 8; ++iteration) {
        tac_shape_sampler_eval(sampler, 1, px, &value, pg);
        double length2 = tac_dot3(g, g), length = sqrt(length2);
        if (!(length > 0.0)) return 0;
        for (int k = 0; k < 3; ++k) {
            x[k] = at[k];
            normal[k] = g[k] / length;
        }
        if (fabs(value) <= 1e-7 * sampler->size) return 1;
        travelled += fabs(value) / length;
        if (!(travelled <= max_step)) return 0;
        for (int k = 0; k < 3; ++k) at[k] -= value / length2 * g[k];
    }
    return 0;
}

//---------------------------------- edge flips -----------------------------------

// the two triangles with the edge of h flipped
static void flipped_triangles(const tacSurface* s, int h, tacTriangle out[2]) {
    int g = s->twin[h], u = s->start[h], v = s->start[g];
    int a = s->start[tac_halfedge_previous(h)], b = s->start[tac_halfedge_previous(g)];
    int corner[2][3] = {{a, b, v}, {b, a, u}};
    for (int t = 0; t < 2; ++t)
        for (int i = 0; i < 3; ++i) {
            out[t].v[i] = corner[t][i];
            memcpy(out[t].x[i], s->x[corner[t][i]], sizeof out[t].x[i]);
        }
}

static double cosine(const double a[3], const double b[3]) {
    double length = sqrt(tac_dot3(a, a) * tac_dot3(b, b));
    return length > 0.0 ? tac_dot3(a, b) / length : -1.0;
}

// better shape, where the surface is flat enough that the flip does not cut into it
static int should_flip(const tacSurface* s, int h) {
    tacTriangle old[2] = {tac_surface_triangle(s, h / 3), tac_surface_triangle(s, s->twin[h] / 3)},
                new[2];
    double area[4][3];
    flipped_triangles(s, h, new);
    for (int i = 0; i < 2; ++i) {
        tac_triangle_area_vector(&old[i], area[i]);
        tac_triangle_area_vector(&new[i], area[2 + i]);
    }
    double was = tac_min(tac_triangle_quality(&old[0]), tac_triangle_quality(&old[1]));
    double now = tac_min(tac_triangle_quality(&new[0]), tac_triangle_quality(&new[1]));
    if (now < 1.05 * was) return 0;
    double flat = was < 0.05 ? 0.0 : 0.85;
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
            if (cosine(area[i], area[2 + j]) < flat) return 0;
    return cosine(area[2], area[3]) >= flat;
}

static void flip_edges(tacRemesh* r) {
    tacSurface* s = r->surface;
    for (int h = 0; h < 3 * s->nt; ++h) {
        if (s->start[h] < 0 || h > s->twin[h] || !should_flip(s, h) || !tac_surface_can_flip(s, h))
            continue;
        int replaced[2] = {h / 3, s->twin[h] / 3};
        tacTriangle new[2];
        flipped_triangles(s, h, new);
        if (tac_triangle_grid_intersects(&r->grid, s, 2, new, 2, replaced)) continue;
        tac_surface_flip(s, h);
        if (!tac_triangle_grid_update(&r->grid, s, replaced[0]) ||
            !tac_triangle_grid_update(&r->grid, s, replaced[1]))
            tac_triangle_grid_rebuild(&r->grid, s);
    }
}

//---------------------------------- moving vertices ------------------------------

static tacResult moves_create(moveWorkspace* m, int count, tacRegion* blocks) {
    m->vertex = TAC_REGION_ALLOC(blocks, int, count);
    m->converged = TAC_REGION_ALLOC(blocks, unsigned char, count);
    int missing = !m->vertex || !m->converged;
    for (int k = 0; k < 3; ++k) {
        missing |= !(m->x[k] = TAC_REGION_ALLOC(blocks, double, count));
        missing |= !(m->normal[k] = TAC_REGION_ALLOC(blocks, double, count));
    }
    return missing ? TAC_ERROR_MEMORY : TAC_OK;
}

// towards the center of the ring, weighted by area, in the tangent plane
static void propose_position(const tacSurface* s, int v, double out[3]) {
    int ring[TAC_MAX_VALENCE], count = tac_surface_ring(s, v, ring);
    double sum[3] = {0}, total = 0.0;
    for (int i = 0; i < count; ++i) {
        tacTriangle t = tac_surface_triangle(s, ring[i] / 3);
        double area[3];
        tac_triangle_area_vector(&t, area);
        double weight = sqrt(tac_dot3(area, area));
        for (int k = 0; k < 3; ++k) sum[k] += weight * (t.x[0][k] + t.x[1][k] + t.x[2][k]) / 3.0;
        total += weight;
    }
    for (int k = 0; k < 3; ++k) sum[k] = total > 0.0 ? sum[k] / total - s->x[v][k] : 0.0;
    double lift = tac_dot3(sum, s->normal[v]);
    for (int k = 0; k < 3; ++k) out[k] = s->x[v][k] + 0.7 * (sum[k] - lift * s->normal[v][k]);
}

// the triangles around a vertex
typedef struct vertexStar {
    int count, ring[TAC_MAX_VALENCE];      // half-edges that leave the vertex
    tacTriangle triangle[TAC_MAX_VALENCE]; // with the vertex at its new position
} vertexStar;

// the star of v with v at x, and whether that is better and still on the right side
static int improves_quality(const tacRemesh* r, int v, const double x[3], vertexStar* star) {
    const tacSurface* s = r->surface;
    const tacQuadric* q = &r->quadric[v];
    const int *ring = star->ring, count = star->count;
    double was = 1.0, now = 1.0, was_sum = 0.0, now_sum = 0.0, side2 = INFINITY;
    for (int i = 0; i < count; ++i) {
        tacTriangle old = tac_surface_triangle(s, ring[i] / 3);
        double quality = tac_triangle_quality(&old), side[3];
        was = tac_min(was, quality);
        was_sum += quality;
        tacTriangle* moved = &star->triangle[i];
        *moved = old;
        memcpy(moved->x[ring[i] % 3], x, sizeof moved->x[0]);
        quality = tac_triangle_quality(moved);
        now = tac_min(now, quality);
        now_sum += quality;
        if (!tac_keeps_orientation(s, &old, moved)) return 0;
        tac_sub3(old.x[(ring[i] % 3 + 1) % 3], s->x[v], side);
        side2 = tac_min(side2, tac_dot3(side, side));
    }
    // ridges: no farther from the planes of the vertex's quadric than a share of its edges
    double error = tac_quadric_error(q, x), old_error = tac_quadric_error(q, s->x[v]);
    if (error > 1.3 * old_error && error > 1e-3 * q->area * side2) return 0;
    return now > was * 1.001 || (now_sum > was_sum * 1.001 && now >= tac_min(was, 0.5));
}

// the star of v with v at x, on the right side
static int star_faces_outward(const tacSurface* s, const double x[3], vertexStar* star) {
    for (int i = 0; i < star->count; ++i) {
        tacTriangle* moved = &star->triangle[i];
        *moved = tac_surface_triangle(s, star->ring[i] / 3);
        memcpy(moved->x[star->ring[i] % 3], x, sizeof moved->x[0]);
        if (!tac_faces_outward(s, moved)) return 0;
    }
    return 1;
}

// Moves a vertex if the surface stays valid, and gets better unless it is projected; returns
// whether it did.
static int try_move(tacRemesh* r, const moveWorkspace* m, int i, int projecting) {
    tacSurface* s = r->surface;
    int v = m->vertex[i], replaced[TAC_MAX_VALENCE];
    double x[3] = {m->x[0][i], m->x[1][i], m->x[2][i]};
    vertexStar star;
    int count = star.count = tac_surface_ring(s, v, star.ring);
    if (count < 0) return 0;
    if (projecting ? !star_faces_outward(s, x, &star) : !improves_quality(r, v, x, &star)) return 0;
    for (int k = 0; k < count; ++k) replaced[k] = star.ring[k] / 3;
    if (tac_triangle_grid_intersects(&r->grid, s, count, star.triangle, count, replaced)) return 0;
    for (int k = 0; k < 3; ++k) {
        s->x[v][k] = x[k];
        s->normal[v][k] = m->normal[k][i];
    }
    for (int k = 0; k < count; ++k)
        if (!tac_triangle_grid_update(&r->grid, s, replaced[k])) {
            tac_triangle_grid_rebuild(&r->grid, s);
            break;
        }
    return 1;
}

// new positions of all vertices: relaxed, or only projected to the zero level
static tacResult make_moves(const tacRemesh* r, moveWorkspace* m, int projecting) {
    const tacSurface* s = r->surface;
    m->count = 0;
    for (int v = 0; v < s->nv; ++v) {
        if (s->out[v] < 0) continue;
        double x[3] = {s->x[v][0], s->x[v][1], s->x[v][2]};
        if (!projecting) propose_position(s, v, x);
        for (int k = 0; k < 3; ++k) {
            m->x[k][m->count] = x[k];
            m->normal[k][m->count] = 0.0;
        }
        m->vertex[m->count++] = v;
    }
    tacRegion blocks = {r->blocks->allocator, NULL, r->blocks->most};
    tacResult result = project_to_surface(r->sampler, m, 0.1 * r->sampler->size, &blocks);
    tac_region_release(&blocks);
    return result;
}

// is the vertex of move i on the zero level already?
static int is_on_surface(const tacRemesh* r, const moveWorkspace* m, int i) {
    double displacement[3], to[3] = {m->x[0][i], m->x[1][i], m->x[2][i]};
    tac_sub3(to, r->surface->x[m->vertex[i]], displacement);
    return m->converged[i] &&
           sqrt(tac_dot3(displacement, displacement)) <= 1e-12 * r->sampler->size;
}

int tac_remesh_project(tacRemesh* r) {
    moveWorkspace m;
    int off = 0;
    tac_triangle_grid_rebuild(&r->grid, r->surface);
    if (moves_create(&m, r->surface->vertices, r->blocks) != TAC_OK) return -1;
    if (make_moves(r, &m, 1) != TAC_OK) return -1;
    for (int i = 0; i < m.count; ++i) {
        unsigned char* is_off = &r->off[m.vertex[i]];
        *is_off = !is_on_surface(r, &m, i) && (!m.converged[i] || !try_move(r, &m, i, 1));
        off += *is_off;
    }
    return off;
}

tacResult tac_remesh_relax(tacRemesh* r, int iterations) {
    moveWorkspace m;
    tacResult result = moves_create(&m, r->surface->vertices, r->blocks);
    for (int iteration = 0; iteration < iterations && result == TAC_OK; ++iteration) {
        tac_triangle_grid_rebuild(&r->grid, r->surface);
        flip_edges(r);
        result = make_moves(r, &m, 0);
        for (int i = 0; i < m.count && result == TAC_OK; ++i)
            if (m.converged[i]) try_move(r, &m, i, 0);
    }
    if (result == TAC_OK) flip_edges(r);
    return result;
}
