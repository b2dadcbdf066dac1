// Rings of points on surfaces of revolution, and on ellipsoids as scaled balls.

#include "mesh/surface/ring_points.h"

#include <math.h>
#include <string.h>

#define PI         3.14159265358979324
#define MAX_LAYERS 400
#define GRADING    1.5  // ratio of neighbouring layers
#define THINNEST   0.08 // of a layer beside an edge, of the spacing

// first a pass that counts, then one that stores
typedef struct ringSink {
    tacRefinedFaces* out; // NULL: count
    int count, ring;
    double scale[3]; // of an ellipsoid; 1 else
} ringSink;

// a ring about the z axis; `width` is that of its strip
typedef struct pointRing {
    double radius, z, normal[2]; // normal: away from the axis, along it
    double area, width;
    int count;
} pointRing;

// An ellipsoid is the ball scaled by S: normals n/S, areas times det S |n/S|.
static void store_point(ringSink* s, const double x[3], const double n[3], double area,
                        double length) {
    int i = s->count++;
    if (!s->out) return;
    double m[3], norm = 0.0, most = 0.0, det = s->scale[0] * s->scale[1] * s->scale[2];
    for (int k = 0; k < 3; ++k) {
        s->out->centre[3 * i + k] = s->scale[k] * x[k];
        m[k] = n[k] / s->scale[k];
        norm += m[k] * m[k];
        most = fmax(most, s->scale[k]);
    }
    norm = sqrt(norm);
    for (int k = 0; k < 3; ++k) s->out->normal[3 * i + k] = m[k] / norm;
    s->out->area[i] = area * det * norm;
    s->out->length[i] = length * most;
}

// rings of equal counts are turned against each other by half a step
static void add_ring(ringSink* s, pointRing r) {
    double shift = s->ring++ % 2 ? 0.5 : 0.0, length = fmax(r.width, 2.0 * PI * r.radius / r.count);
    for (int i = 0; i < r.count; ++i) {
        double angle = 2.0 * PI * (i + shift) / r.count, c = cos(angle), d = sin(angle);
        const double x[3] = {r.radius * c, r.radius * d, r.z},
                     n[3] = {r.normal[0] * c, r.normal[0] * d, r.normal[1]};
        store_point(s, x, n, r.area / r.count, length);
    }
}

//---------------------------------- balls ----------------------------------------

// node and weight number i of n of Gauss' quadrature on [-1, 1], by Newton's method
static void gauss_node(int n, int i, double* x, double* w) {
    double t = cos(PI * (i + 0.75) / (n + 0.5)), slope = 1.0;
    for (int step = 0; step < 40; ++step) {
        double p0 = 1.0, p1 = t;
        for (int k = 2; k <= n; ++k) {
            double p = ((2 * k - 1) * t * p1 - (k - 1) * p0) / k;
            p0 = p1;
            p1 = p;
        }
        slope = n * (t * p1 - p0) / (t * t - 1.0);
        t -= p1 / slope;
        if (fabs(p1 / slope) < 1e-15) break;
    }
    *x = t;
    *w = 2.0 / ((1.0 - t * t) * slope * slope);
}

// points of a ring of radius s where the equator has `around`
static int ring_count(int around, double s) {
    int count = (int)lround(around * fmin(1.0, s + 0.15));
    return count > 5 ? count : 5;
}

// rings of a ball of radius r between two heights, -1 to 1, about the height z
typedef struct ballRings {
    double r, low, high, z;
    int rings, around;
} ballRings;

static void add_ball(ringSink* s, ballRings b) {
    for (int i = 0; i < b.rings; ++i) {
        double x, w;
        gauss_node(b.rings, i, &x, &w);
        double c = 0.5 * (b.low + b.high) + 0.5 * (b.high - b.low) * x, d = sqrt(1.0 - c * c);
        w *= 0.5 * (b.high - b.low);
        add_ring(s, (pointRing){b.r * d,
                                b.z + b.r * c,
                                {d, c},
                                2.0 * PI * b.r * b.r * w,
                                PI * b.r / b.rings * 0.5 * (b.high - b.low),
                                ring_count(b.around, d)});
    }
}

//---------------------------------- layers ---------------------------------------

// Widths of layers that cover a length: `first` at its ends, growing to `most` inwards.
static int grade_layers(double length, double first, double most, int one_end, double* width) {
    double sum = 0.0, w = first;
    int n = 0, limit = MAX_LAYERS / 2;
    double half = one_end ? length : 0.5 * length;
    while (n < limit && sum + 0.5 * w < half) {
        width[n++] = w;
        sum += w;
        w = fmin(w * GRADING, most);
    }
    if (n == 0) {
        width[n++] = half;
        sum = half;
    }
    for (int i = 0; i < n; ++i) width[i] *= half / sum;
    if (one_end) return n;
    if (n == 1) { // one layer, not two thin ones
        width[0] = length;
        return 1;
    }
    for (int i = 0; i < n; ++i) width[2 * n - 1 - i] = width[i];
    return 2 * n;
}

// `around` of a circle whose points are as far apart as a thin strip beside it allows
static int count_around(int around, double radius, double strip) {
    double most = 4.0 * around, wanted = PI * radius / strip;
    return wanted > around ? (int)fmin(wanted, most) : around;
}

//---------------------------------- solids ---------------------------------------

static void add_cylinder(ringSink* s, const double size[2], int around) {
    double r = size[0], length = 2.0 * size[1], h = 2.0 * PI * r / around, width[MAX_LAYERS];
    double edge = fmax(fmin(h, length), THINNEST * h);
    around = count_around(around, r, edge);
    double first = fmin(edge, r);
    int n = grade_layers(length, edge, fmax(2.0 * h, length / 60.0), 0, width);
    double z = -size[1];
    for (int i = 0; i < n; ++i) {
        z += 0.5 * width[i];
        add_ring(s, (pointRing){r, z, {1.0, 0.0}, 2.0 * PI * r * width[i], width[i], around});
        z += 0.5 * width[i];
    }
    n = grade_layers(r, first, h, 1, width);
    for (int end = -1; end <= 1; end += 2) {
        double outer = r;
        s->ring = n; // angles of the outer ring are those of the side
        for (int i = 0; i < n; ++i) {
            double inner = i + 1 < n ? outer - width[i] : 0.0, middle = 0.5 * (outer + inner);
            int count = i == 0 ? around : ring_count(around, middle / r);
            add_ring(s, (pointRing){middle,
                                    end * size[1],
                                    {0.0, end},
                                    PI * (outer * outer - inner * inner),
                                    width[i],
                                    count});
            outer = inner;
        }
    }
}

static void add_capsule(ringSink* s, const double size[2], int rings) {
    double r = size[0], h = PI * r / rings, length = 2.0 * size[1], width[MAX_LAYERS];
    int around = 2 * rings, half = (rings + 1) / 2;
    if (!(length > 0.1 * h)) {
        add_ball(s, (ballRings){r, -1.0, 1.0, 0.0, rings, around});
        return;
    }
    add_ball(s, (ballRings){r, -1.0, 0.0, -size[1], half, around});
    int n = grade_layers(length, fmin(h, length), fmax(2.0 * h, length / 60.0), 0, width);
    double z = -size[1];
    for (int i = 0; i < n; ++i) {
        z += 0.5 * width[i];
        add_ring(s, (pointRing){r, z, {1.0, 0.0}, 2.0 * PI * r * width[i], width[i], around});
        z += 0.5 * width[i];
    }
    add_ball(s, (ballRings){r, 0.0, 1.0, size[1], half, around});
}

// rings about the z axis; longer axes have more of them
static void add_ellipsoid(ringSink* s, const double size[3], int rings) {
    double mean = cbrt(size[0] * size[1] * size[2]), across = fmax(size[0], size[1]);
    int along = (int)lround(rings * fmin(fmax(fmax(size[2], across) / mean, 1.0), 4.0)),
        around = (int)lround(2.0 * rings * fmin(fmax(across / mean, 1.0), 4.0));
    memcpy(s->scale, size, sizeof s->scale);
    add_ball(s, (ballRings){1.0, -1.0, 1.0, 0.0, along, around});
}

static void add_points(ringSink* s, const tacQuadMesh* surface) {
    // 24 rings of 600 points: the angle between them is an eighth of a radian
    int rings = (int)lround(sqrt(0.96 * surface->faces));
    rings = rings > 4 ? rings : 4;
    s->scale[0] = s->scale[1] = s->scale[2] = 1.0;
    s->ring = 0;
    // rods rest on many points at once and need fewer round their axis
    int of_rod = (3 * rings + 2) / 4;
    if (surface->kind == TAC_QUADS_ELLIPSOID)
        add_ellipsoid(s, surface->size, rings);
    else if (surface->kind == TAC_QUADS_CAPSULE)
        add_capsule(s, surface->size, of_rod);
    else
        add_cylinder(s, surface->size, 2 * of_rod);
}

tacResult tac_ring_points(tacQuadMesh surface, tacAllocator allocator, tacRefinedFaces* out) {
    ringSink count = {.count = 0}, store = {.out = out};
    add_points(&count, &surface);
    size_t n = (size_t)count.count;
    *out = (tacRefinedFaces){.count = count.count, .allocator = allocator};
    out->centre = allocator.allocate(allocator.user, sizeof(double) * 8 * (n + 1));
    if (!out->centre) return TAC_ERROR_MEMORY;
    out->normal = out->centre + 3 * n;
    out->area = out->normal + 3 * n;
    out->length = out->area + n;
    add_points(&store, &surface);
    return TAC_OK;
}
