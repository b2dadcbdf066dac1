// Depth of overlapping cores: a polytope inside A - B grows where the origin is nearest to its
// surface, until the surface there is that of A - B.
//
// Moving B along a face's normal by the support of A - B takes the parts apart: an upper bound of
// the depth. The face's own distance is a lower one. Flat differences have depth 0.

#include "detect/convex/epa.h"

#include "detect/convex/simplex_vertex.h"

#include <string.h>

enum { MAX_VERTICES = 256, MAX_FACES = 512, MAX_EDGES = 512 };

typedef struct epaFace {
    int vertex[3]; // counterclockwise from outside
    double normal[3], distance;
} epaFace;

typedef struct epaPolytope {
    tacSimplexVertex vertex[MAX_VERTICES];
    epaFace face[MAX_FACES];
    int edge[MAX_EDGES][2];
    int vertices, faces, edges;
    double small; // lengths below this are rounding
} epaPolytope;

size_t tac_epa_size(void) { return sizeof(epaPolytope); }

//---------------------------------- faces ----------------------------------

static int add_epa_face(epaPolytope* p, int a, int b, int c) {
    double u[3], v[3];
    epaFace* f = &p->face[p->faces];
    tac_sub3(p->vertex[b].w, p->vertex[a].w, u);
    tac_sub3(p->vertex[c].w, p->vertex[a].w, v);
    tac_cross3(u, v, f->normal);
    double n = tac_length3(f->normal);
    if (p->faces == MAX_FACES || !(n > p->small * p->small)) return 0;
    for (int k = 0; k < 3; ++k) f->normal[k] /= n;
    f->distance = tac_dot3(f->normal, p->vertex[a].w);
    f->vertex[0] = a;
    f->vertex[1] = b;
    f->vertex[2] = c;
    return ++p->faces;
}

// an edge that two removed faces share is no border
static int toggle_edge(epaPolytope* p, int a, int b) {
    for (int i = 0; i < p->edges; ++i) {
        if (p->edge[i][0] != b || p->edge[i][1] != a) continue;
        memcpy(p->edge[i], p->edge[--p->edges], sizeof p->edge[0]);
        return 1;
    }
    if (p->edges == MAX_EDGES) return 0;
    p->edge[p->edges][0] = a;
    p->edge[p->edges++][1] = b;
    return 1;
}

// replaces the faces that see the vertex by a fan from their border; 0: no room or no shape
static int expand(epaPolytope* p, const tacSimplexVertex* c) {
    if (p->vertices == MAX_VERTICES) return 0;
    p->edges = 0;
    for (int i = 0; i < p->faces;) {
        epaFace f = p->face[i];
        if (tac_dot3(f.normal, c->w) - f.distance <= p->small) {
            ++i;
            continue;
        }
        p->face[i] = p->face[--p->faces];
        for (int k = 0; k < 3; ++k) {
            if (!toggle_edge(p, f.vertex[k], f.vertex[(k + 1) % 3])) return 0;
        }
    }
    p->vertex[p->vertices] = *c;
    for (int i = 0; i < p->edges; ++i) {
        if (!add_epa_face(p, p->edge[i][0], p->edge[i][1], p->vertices)) return 0;
    }
    return ++p->vertices;
}

static int nearest_face(const epaPolytope* p) {
    int best = 0;
    for (int i = 1; i < p->faces; ++i) {
        if (p->face[i].distance < p->face[best].distance) best = i;
    }
    return best;
}

//---------------------------------- the first tetrahedron ----------------------------------

// furthest vertex along d or against it, whichever is further from plane n.x = n.w0
static tacSimplexVertex far_vertex(const tacConvex* a, const tacConvex* b, const double n[3],
                                   const double w0[3], double* height) {
    double back[3] = {-n[0], -n[1], -n[2]}, level = tac_dot3(n, w0);
    tacSimplexVertex plus = tac_simplex_vertex(a, b, n), minus = tac_simplex_vertex(a, b, back);
    double up = tac_dot3(n, plus.w) - level, down = level - tac_dot3(n, minus.w);
    *height = fmax(up, down);
    return up >= down ? plus : minus;
}

// the axis that is most across a direction, made perpendicular to it
static void perpendicular_axis(const double d[3], double out[3]) {
    int least = fabs(d[0]) <= fabs(d[1]) ? 0 : 1;
    double e[3] = {0.0};
    if (fabs(d[2]) < fabs(d[least])) least = 2;
    e[least] = 1.0;
    tac_cross3(d, e, out);
    double n = tac_length3(out);
    for (int k = 0; k < 3; ++k) out[k] /= n;
}

static void unit_to(const double from[3], const double to[3], double out[3]) {
    tac_sub3(to, from, out);
    double n = tac_length3(out);
    for (int k = 0; k < 3; ++k) out[k] = n > 0.0 ? out[k] / n : 0.0;
}

// Vertices that span as much as there is. Returns how many; with less than 4, `normal` is across
// the flat difference.
static int span_tetrahedron(epaPolytope* p, const tacConvex* a, const tacConvex* b,
                            double normal[3]) {
    double height = 0.0, u[3], v[3], n[3] = {1.0, 0.0, 0.0};
    tacSimplexVertex* c = p->vertex;
    c[0] = tac_simplex_vertex(a, b, n);
    for (int axis = 0; axis < 3 && height <= p->small; ++axis) {
        double e[3] = {axis == 0, axis == 1, axis == 2};
        c[1] = far_vertex(a, b, e, c[0].w, &height);
    }
    if (height <= p->small) {
        normal[0] = 1.0;
        normal[1] = normal[2] = 0.0;
        return 1;
    }
    unit_to(c[0].w, c[1].w, u);
    perpendicular_axis(u, n);
    c[2] = far_vertex(a, b, n, c[0].w, &height);
    if (height <= p->small) {
        tac_cross3(u, n, v);
        memcpy(n, v, sizeof n);
        c[2] = far_vertex(a, b, n, c[0].w, &height);
    }
    if (height <= p->small) {
        memcpy(normal, n, sizeof n);
        return 2;
    }
    tac_sub3(c[2].w, c[0].w, v);
    tac_cross3(u, v, n);
    double size = tac_length3(n);
    for (int k = 0; k < 3; ++k) n[k] /= size;
    c[3] = far_vertex(a, b, n, c[0].w, &height);
    memcpy(normal, n, sizeof n);
    return height <= p->small ? 3 : 4;
}

// the four faces of the first vertices, outward
static int close_tetrahedron(epaPolytope* p) {
    static const int face[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    double n[3], u[3], v[3], w[3];
    tac_sub3(p->vertex[1].w, p->vertex[0].w, u);
    tac_sub3(p->vertex[2].w, p->vertex[0].w, v);
    tac_sub3(p->vertex[3].w, p->vertex[0].w, w);
    tac_cross3(u, v, n);
    int flip = tac_dot3(n, w) > 0.0;
    for (int i = 0; i < 4; ++i) {
        if (!add_epa_face(p, face[i][0], face[i][flip ? 2 : 1], face[i][flip ? 1 : 2])) return 0;
    }
    p->vertices = 4;
    return 1;
}

//---------------------------------- the answer ----------------------------------

// weights of the point of a triangle above which the origin's foot lies
static void barycentric_weights(const epaPolytope* p, const epaFace* f, double out[3]) {
    double foot[3], total = 0.0;
    for (int k = 0; k < 3; ++k) foot[k] = f->distance * f->normal[k];
    for (int i = 0; i < 3; ++i) {
        double u[3], v[3], n[3];
        tac_sub3(p->vertex[f->vertex[(i + 1) % 3]].w, foot, u);
        tac_sub3(p->vertex[f->vertex[(i + 2) % 3]].w, foot, v);
        tac_cross3(u, v, n);
        out[i] = fmax(tac_dot3(n, f->normal), 0.0);
        total += out[i];
    }
    for (int i = 0; i < 3; ++i) out[i] = total > 0.0 ? out[i] / total : 1.0 / 3.0;
}

// a depth along the normal, and points that are this far apart
static void write_depth(const epaPolytope* p, const epaFace* f, double depth, double low,
                        tacNearest* out) {
    double weight[3], middle[3] = {0.0};
    barycentric_weights(p, f, weight);
    for (int i = 0; i < 3; ++i) {
        const tacSimplexVertex* c = &p->vertex[f->vertex[i]];
        for (int k = 0; k < 3; ++k) middle[k] += weight[i] * 0.5 * (c->a[k] + c->b[k]);
    }
    memcpy(out->normal, f->normal, sizeof out->normal);
    out->distance = -depth;
    out->error = fabs(depth - fmax(low, 0.0));
    for (int k = 0; k < 3; ++k) {
        out->point[0][k] = middle[k] + 0.5 * depth * f->normal[k];
        out->point[1][k] = middle[k] - 0.5 * depth * f->normal[k];
    }
}

// no volume: the cores touch, or cross as segments and plates do
static void write_flat(const epaPolytope* p, int count, const double normal[3], tacNearest* out) {
    memcpy(out->normal, normal, sizeof out->normal);
    out->distance = 0.0;
    out->error = p->small;
    for (int k = 0; k < 3; ++k) {
        out->point[0][k] = 0.0;
        for (int i = 0; i < count; ++i) {
            out->point[0][k] += 0.5 * (p->vertex[i].a[k] + p->vertex[i].b[k]) / count;
        }
        out->point[1][k] = out->point[0][k];
    }
}

void tac_epa(const tacConvex* a, const tacConvex* b, tacNearest* out, void* memory) {
    epaPolytope* p = memory;
    double normal[3];
    p->vertices = p->faces = 0;
    p->small = 1e-12 * (tac_convex_bounding_radius(a) + tac_convex_bounding_radius(b));
    int count = span_tetrahedron(p, a, b, normal);
    if (count < 4 || !close_tetrahedron(p)) {
        write_flat(p, count < 4 ? count : 3, normal, out);
        return;
    }
    // the best upper bound so far, with its face
    epaFace best = p->face[0];
    double depth = INFINITY, low = -INFINITY;
    for (int pass = 0; pass < MAX_VERTICES; ++pass, ++out->passes) {
        epaFace f = p->face[nearest_face(p)];
        tacSimplexVertex c = tac_simplex_vertex(a, b, f.normal);
        double high = tac_dot3(f.normal, c.w);
        // around the origin the nearest face moves outward only; else rounding has torn the surface
        if (low > p->small && f.distance < low - p->small) break;
        low = f.distance;
        if (high < depth) {
            depth = high;
            best = f;
        }
        if (depth - low <= 1e-14 * depth + p->small || !expand(p, &c)) break;
    }
    // a negative depth is a plane between the cores: a lower bound of their distance
    write_depth(p, &best, depth > -p->small ? fmax(depth, 0.0) : depth, low, out);
}
