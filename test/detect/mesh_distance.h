// Two closed triangle meshes against each other, exactly and without any field: is a vertex of one
// inside the other (winding number), does an edge of one pass through a triangle of the other, and
// how far are they apart or inside each other. Independent of the library: for tests.

#ifndef TAC_DETECT_MESH_DISTANCE_H
#define TAC_DETECT_MESH_DISTANCE_H

#include "model/contact/contact_data.h"
#include "tactus/tactus.h"

#include <math.h>
#include <stdlib.h>

// a mesh at its place
typedef struct refMesh {
    int vertices, triangles;
    double (*x)[3];
    int (*triangle)[3];
} refMesh;

static inline double ref_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void ref_sub(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k) out[k] = a[k] - b[k];
}

static inline void ref_cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static inline refMesh ref_mesh_create(const tacFeatures* f) {
    refMesh m = {f->vertices, f->faces, calloc((size_t)f->vertices, sizeof *m.x),
                 calloc((size_t)f->faces, sizeof *m.triangle)};
    for (int i = 0; i < f->faces; ++i)
        for (int k = 0; k < 3; ++k) m.triangle[i][k] = f->face[k][i];
    return m;
}

static inline void ref_mesh_destroy(refMesh* m) {
    free(m->x);
    free(m->triangle);
}

static inline void ref_mesh_transform(refMesh* m, const tacFeatures* f, tacPose pose) {
    const tacQuat q = pose.rotation;
    const double w = q.w, u[3] = {q.x, q.y, q.z};
    const double t[3] = {pose.position.x, pose.position.y, pose.position.z};
    for (int i = 0; i < m->vertices; ++i) {
        double x[3] = {f->x[0][i], f->x[1][i], f->x[2][i]}, a[3], b[3];
        ref_cross(u, x, a);
        ref_cross(u, a, b);
        for (int k = 0; k < 3; ++k) m->x[i][k] = x[k] + 2.0 * (w * a[k] + b[k]) + t[k];
    }
}

//---------------------------------- inside ---------------------------------------

// solid angles of all triangles as p sees them, over 4 pi: 1 inside, 0 outside
static inline double ref_winding(const refMesh* m, const double p[3]) {
    double sum = 0.0;
    for (int i = 0; i < m->triangles; ++i) {
        double v[3][3], n[3], c[3];
        for (int k = 0; k < 3; ++k) {
            ref_sub(m->x[m->triangle[i][k]], p, v[k]);
            n[k] = sqrt(ref_dot(v[k], v[k]));
        }
        ref_cross(v[1], v[2], c);
        double below = n[0] * n[1] * n[2] + ref_dot(v[0], v[1]) * n[2] +
                       ref_dot(v[1], v[2]) * n[0] + ref_dot(v[2], v[0]) * n[1];
        sum += 2.0 * atan2(ref_dot(v[0], c), below);
    }
    return sum / (4.0 * 3.14159265358979323846);
}

//---------------------------------- distances ------------------------------------

static inline double ref_clamp(double x) { return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x; }

// squared distance of p from the segment a b
static inline double ref_to_segment(const double p[3], const double a[3], const double b[3]) {
    double t[3], r[3], tt, s;
    ref_sub(b, a, t);
    ref_sub(p, a, r);
    tt = ref_dot(t, t);
    s = tt > 0.0 ? ref_clamp(ref_dot(r, t) / tt) : 0.0;
    for (int k = 0; k < 3; ++k) r[k] -= s * t[k];
    return ref_dot(r, r);
}

// squared distance of p from a triangle: its plane where the foot is inside, else its sides
static inline double ref_to_triangle(const refMesh* m, int triangle, const double p[3]) {
    const double* v[3];
    double a[3], b[3], n[3], r[3], least = INFINITY;
    for (int k = 0; k < 3; ++k) v[k] = m->x[m->triangle[triangle][k]];
    ref_sub(v[1], v[0], a);
    ref_sub(v[2], v[0], b);
    ref_cross(a, b, n);
    int inside = 1;
    for (int k = 0; k < 3; ++k) {
        double side[3], to[3], c[3];
        ref_sub(v[(k + 1) % 3], v[k], side);
        ref_sub(p, v[k], to);
        ref_cross(side, to, c);
        inside &= ref_dot(c, n) >= 0.0;
    }
    ref_sub(p, v[0], r);
    if (inside && ref_dot(n, n) > 0.0) return ref_dot(r, n) * ref_dot(r, n) / ref_dot(n, n);
    for (int k = 0; k < 3; ++k) least = fmin(least, ref_to_segment(p, v[k], v[(k + 1) % 3]));
    return least;
}

static inline double ref_to_mesh(const refMesh* m, const double p[3]) {
    double least = INFINITY;
    for (int i = 0; i < m->triangles; ++i) least = fmin(least, ref_to_triangle(m, i, p));
    return sqrt(least);
}

// squared distance of two segments: where both feet of the common perpendicular are on them it is
// there, else at an end
static inline double ref_segments(const double a[3], const double b[3], const double c[3],
                                  const double d[3]) {
    double t[3], u[3], r[3], least;
    ref_sub(b, a, t);
    ref_sub(d, c, u);
    ref_sub(a, c, r);
    double tt = ref_dot(t, t), uu = ref_dot(u, u), tu = ref_dot(t, u), rt = ref_dot(r, t),
           ru = ref_dot(r, u), det = tt * uu - tu * tu;
    double s = (tu * ru - uu * rt) / det, q = (tt * ru - tu * rt) / det;
    if (det > 1e-14 * tt * uu && s >= 0.0 && s <= 1.0 && q >= 0.0 && q <= 1.0) {
        for (int k = 0; k < 3; ++k) r[k] += s * t[k] - q * u[k];
        return ref_dot(r, r);
    }
    least = fmin(ref_to_segment(a, c, d), ref_to_segment(b, c, d));
    return fmin(least, fmin(ref_to_segment(c, a, b), ref_to_segment(d, a, b)));
}

// does the segment a b pass through the triangle?
static inline int ref_passes(const refMesh* m, int triangle, const double a[3], const double b[3]) {
    const double* v[3];
    double e[3], f[3], n[3], p[3], q[3];
    for (int k = 0; k < 3; ++k) v[k] = m->x[m->triangle[triangle][k]];
    ref_sub(v[1], v[0], e);
    ref_sub(v[2], v[0], f);
    ref_cross(e, f, n);
    ref_sub(a, v[0], p);
    ref_sub(b, v[0], q);
    double from = ref_dot(p, n), to = ref_dot(q, n), t = from / (from - to);
    if ((from > 0.0) == (to > 0.0)) return 0;
    for (int k = 0; k < 3; ++k) {
        double side[3], at[3], c[3];
        ref_sub(v[(k + 1) % 3], v[k], side);
        for (int j = 0; j < 3; ++j) at[j] = a[j] + t * (b[j] - a[j]) - v[k][j];
        ref_cross(side, at, c);
        if (ref_dot(c, n) < 0.0) return 0;
    }
    return 1;
}

//---------------------------------- two meshes -----------------------------------

// can the triangle's box come within `reach` of that of a and b?
static inline int ref_near(const refMesh* m, int triangle, const double a[3], const double b[3],
                           double cutoff) {
    for (int k = 0; k < 3; ++k) {
        double x = m->x[m->triangle[triangle][0]][k], y = m->x[m->triangle[triangle][1]][k],
               z = m->x[m->triangle[triangle][2]][k];
        if (fmin(fmin(x, y), z) > fmax(a[k], b[k]) + cutoff) return 0;
        if (fmax(fmax(x, y), z) < fmin(a[k], b[k]) - cutoff) return 0;
    }
    return 1;
}

// Depth below the surface of `in` of the vertices of `m` and of points on its edges that pass
// through it, 0: none. *passes: did an edge?
static inline double ref_depth(const refMesh* m, const refMesh* in, int* passes) {
    double most = 0.0;
    for (int i = 0; i < m->vertices; ++i)
        if (ref_winding(in, m->x[i]) > 0.5) most = fmax(most, ref_to_mesh(in, m->x[i]));
    for (int i = 0; i < m->triangles; ++i)
        for (int k = 0; k < 3; ++k) {
            const double *a = m->x[m->triangle[i][k]], *b = m->x[m->triangle[i][(k + 1) % 3]];
            int through = 0;
            for (int j = 0; j < in->triangles && !through && a < b; ++j)
                through = ref_near(in, j, a, b, 0.0) && ref_passes(in, j, a, b);
            *passes |= through;
            for (int s = 1; s < 8 && through; ++s) {
                double p[3];
                for (int j = 0; j < 3; ++j) p[j] = a[j] + s / 8.0 * (b[j] - a[j]);
                if (ref_winding(in, p) > 0.5) most = fmax(most, ref_to_mesh(in, p));
            }
        }
    return most;
}

// distance of two meshes that do not overlap, up to `reach`
static inline double ref_separation(const refMesh* a, const refMesh* b, double cutoff) {
    double least = cutoff * cutoff;
    for (int i = 0; i < a->triangles; ++i)
        for (int j = 0; j < b->triangles; ++j) {
            const int *s = a->triangle[i], *t = b->triangle[j];
            int near = 0;
            for (int k = 0; k < 3 && !near; ++k)
                near = ref_near(b, j, a->x[s[k]], a->x[s[(k + 1) % 3]], sqrt(least));
            if (!near) continue;
            for (int k = 0; k < 3; ++k) {
                least = fmin(least, ref_to_triangle(b, j, a->x[s[k]]));
                least = fmin(least, ref_to_triangle(a, i, b->x[t[k]]));
                for (int n = 0; n < 3; ++n)
                    least = fmin(least, ref_segments(a->x[s[k]], a->x[s[(k + 1) % 3]], b->x[t[n]],
                                                     b->x[t[(n + 1) % 3]]));
            }
        }
    return sqrt(least);
}

// Distance of two closed meshes: of the nearest points where they are apart (up to `reach`), minus
// the depth of the deepest point of their vertices and edges where they overlap.
static inline double ref_distance(const refMesh* a, const refMesh* b, double cutoff) {
    int passes = 0;
    double depth = fmax(ref_depth(a, b, &passes), ref_depth(b, a, &passes));
    if (depth > 0.0 || passes) return depth > 0.0 ? -depth : -1e-300;
    return ref_separation(a, b, cutoff);
}

#endif
