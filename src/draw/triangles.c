// Triangles as a tree of boxes.
//
// A box is split in the middle of its triangles' centres along the longest side, until at most
// LEAF are left. Rays and points go down the nearer box first.

#include "draw/triangles.h"

#include <math.h>
#include <string.h>

#define LEAF  4
#define DEPTH 64 // of the tree: below half of it, a box is split in halves by number

// normals of neighbours within this angle of a face are blended into it, others make an edge
static const double crease_cosine = 0.76; // 40 degrees

// a ray through a side that two triangles share hits one of them, whatever rounding says
static const double shared_side = 1e-9;

typedef struct meshNode {
    double low[3], high[3];
    int first, count; // triangles of a leaf; of an inner node count is 0 and first the second child
} meshNode;

// a vertex and two edges, in the order of the tree
typedef struct meshTriangle {
    tacVec3 a, ab, ac;
    float normal[3][3]; // at its corners
    int number;         // of the mesh
} meshTriangle;

struct tacDrawMesh {
    meshNode* node; // the first child of node i is i + 1
    meshTriangle* triangle;
    int nnode, ntriangle, closed;
    tacBall ball;
    tacAllocator allocator;
};

//---------------------------------- normals --------------------------------------

typedef struct meshNeighbours {
    tacVec3* area;   // normal of each triangle, of length twice its area
    int *first, *of; // triangles of each vertex
} meshNeighbours;

static void find_areas(const meshTriangle* t, int count, tacVec3* area) {
    for (int i = 0; i < count; ++i) area[t[i].number] = tac_cross(t[i].ab, t[i].ac);
}

static void find_neighbours(const tacTriangles* t, meshNeighbours* n) {
    memset(n->first, 0, sizeof *n->first * (size_t)(t->nvertex + 1));
    for (int i = 0; i < 3 * t->ntriangle; ++i) ++n->first[t->triangle[i] + 1];
    for (int i = 0; i < t->nvertex; ++i) n->first[i + 1] += n->first[i];
    for (int i = 3 * t->ntriangle - 1; i >= 0; --i) n->of[--n->first[t->triangle[i] + 1]] = i / 3;
    // each start moved down to the start of its own list, one place too far up
    for (int i = 0; i < t->nvertex; ++i) n->first[i] = n->first[i + 1];
    n->first[t->nvertex] = 3 * t->ntriangle;
}

static tacVec3 unit_or_zero(tacVec3 a) {
    return tac_norm2(a) > 0.0 ? tac_normalize(a) : tac_vec3_zero();
}

static tacVec3 corner_normal(const meshNeighbours* n, int vertex, tacVec3 own) {
    tacVec3 sum = tac_vec3_zero();
    for (int k = n->first[vertex]; k < n->first[vertex + 1]; ++k) {
        tacVec3 other = n->area[n->of[k]];
        if (tac_dot(own, unit_or_zero(other)) > crease_cosine) sum = tac_add(sum, other);
    }
    return tac_norm2(sum) > 0.0 ? tac_normalize(sum) : own;
}

static void set_normals(const tacTriangles* t, const meshNeighbours* n, tacDrawMesh* mesh) {
    for (int i = 0; i < mesh->ntriangle; ++i) {
        meshTriangle* it = &mesh->triangle[i];
        tacVec3 own = unit_or_zero(n->area[it->number]);
        for (int k = 0; k < 3; ++k) {
            double at[3];
            tac_store3(at, corner_normal(n, t->triangle[3 * it->number + k], own));
            for (int j = 0; j < 3; ++j) it->normal[k][j] = (float)at[j];
        }
    }
}

//---------------------------------- tree -----------------------------------------

static void extend_box(double low[3], double high[3], tacVec3 x) {
    double at[3];
    tac_store3(at, x);
    for (int k = 0; k < 3; ++k) {
        low[k] = fmin(low[k], at[k]);
        high[k] = fmax(high[k], at[k]);
    }
}

static tacVec3 centre_of(const meshTriangle* t) {
    return tac_add_scaled(t->a, 1.0 / 3.0, tac_add(t->ab, t->ac));
}

static double coordinate(tacVec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

// box of the triangles, and the axis and the middle of their centres
static void measure_node(meshNode* node, const meshTriangle* t, int count, int* axis,
                         double* middle) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k) {
        node->low[k] = INFINITY;
        node->high[k] = -INFINITY;
    }
    for (int i = 0; i < count; ++i) {
        extend_box(node->low, node->high, t[i].a);
        extend_box(node->low, node->high, tac_add(t[i].a, t[i].ab));
        extend_box(node->low, node->high, tac_add(t[i].a, t[i].ac));
        extend_box(low, high, centre_of(&t[i]));
    }
    *axis = 0;
    for (int k = 1; k < 3; ++k)
        if (high[k] - low[k] > high[*axis] - low[*axis]) *axis = k;
    *middle = 0.5 * (low[*axis] + high[*axis]);
}

// triangles below the middle first; their number
static int partition(meshTriangle* t, int count, int axis, double middle) {
    int below = 0;
    for (int i = 0; i < count; ++i) {
        if (!(coordinate(centre_of(&t[i]), axis) < middle)) continue;
        meshTriangle other = t[below];
        t[below++] = t[i];
        t[i] = other;
    }
    return below;
}

static void build_node(tacDrawMesh* mesh, int first, int count, int depth) {
    int at = mesh->nnode++, axis;
    double middle;
    meshTriangle* t = mesh->triangle + first;
    measure_node(&mesh->node[at], t, count, &axis, &middle);
    mesh->node[at].first = first;
    mesh->node[at].count = count;
    if (count <= LEAF) return;
    int below = depth < DEPTH / 2 ? partition(t, count, axis, middle) : 0;
    if (below == 0 || below == count) below = count / 2;
    mesh->node[at].count = 0;
    build_node(mesh, first, below, depth + 1);
    mesh->node[at].first = mesh->nnode;
    build_node(mesh, first + below, count - below, depth + 1);
}

static void set_triangles(const tacTriangles* t, tacDrawMesh* mesh) {
    for (int i = 0; i < t->ntriangle; ++i) {
        tacVec3 x[3];
        for (int k = 0; k < 3; ++k) x[k] = tac_load3(&t->vertex[3 * t->triangle[3 * i + k]]);
        mesh->triangle[i] =
            (meshTriangle){.a = x[0], .ab = tac_sub(x[1], x[0]), .ac = tac_sub(x[2], x[0])};
        mesh->triangle[i].number = i;
    }
}

static tacBall ball_of(const tacTriangles* t) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    tacBall ball = {tac_vec3_zero(), 0.0};
    for (int i = 0; i < 3 * t->ntriangle; ++i)
        extend_box(low, high, tac_load3(&t->vertex[3 * t->triangle[i]]));
    if (t->ntriangle > 0) ball.center = tac_scale(tac_add(tac_load3(low), tac_load3(high)), 0.5);
    for (int i = 0; i < 3 * t->ntriangle; ++i)
        ball.radius =
            fmax(ball.radius, tac_distance(tac_load3(&t->vertex[3 * t->triangle[i]]), ball.center));
    return ball;
}

//---------------------------------- memory ---------------------------------------

static void* allocate(tacAllocator a, size_t size, int* failed) {
    void* block = a.allocate(a.user, size + 1);
    *failed |= block == NULL;
    return block;
}

static void release(tacAllocator a, void* block) {
    if (block) a.release(a.user, block);
}

tacDrawMesh* tac_draw_mesh_create(const tacTriangles* t, tacAllocator a) {
    int failed = 0;
    size_t count = (size_t)t->ntriangle, vertices = (size_t)t->nvertex;
    tacDrawMesh* mesh = allocate(a, sizeof *mesh, &failed);
    meshNeighbours n = {allocate(a, sizeof *n.area * count, &failed),
                        allocate(a, sizeof *n.first * (vertices + 1), &failed),
                        allocate(a, sizeof *n.of * 3 * count, &failed)};
    if (mesh) {
        *mesh = (tacDrawMesh){.ntriangle = t->ntriangle, .closed = t->closed, .allocator = a};
        mesh->node = allocate(a, sizeof *mesh->node * 2 * (count + 1), &failed);
        mesh->triangle = allocate(a, sizeof *mesh->triangle * count, &failed);
    }
    if (!failed) {
        mesh->ball = ball_of(t);
        set_triangles(t, mesh);
        find_areas(mesh->triangle, mesh->ntriangle, n.area);
        find_neighbours(t, &n);
        set_normals(t, &n, mesh);
        if (count > 0) build_node(mesh, 0, mesh->ntriangle, 0);
    }
    release(a, n.area);
    release(a, n.first);
    release(a, n.of);
    if (!failed) return mesh;
    tac_draw_mesh_destroy(mesh);
    return NULL;
}

void tac_draw_mesh_destroy(tacDrawMesh* mesh) {
    if (!mesh) return;
    tacAllocator a = mesh->allocator;
    release(a, mesh->node);
    release(a, mesh->triangle);
    release(a, mesh);
}

tacBall tac_draw_mesh_ball(const tacDrawMesh* mesh) { return mesh->ball; }

//---------------------------------- rays -----------------------------------------

// where a ray enters a box; infinite if it does not before `end`
static double enter_box(const meshNode* node, const double from[3], const double inverse[3],
                        double start, double end) {
    double enter = start, leave = end;
    for (int k = 0; k < 3; ++k) {
        double a = (node->low[k] - from[k]) * inverse[k],
               b = (node->high[k] - from[k]) * inverse[k];
        // 0 times infinity: the ray lies in that side of the box
        enter = fmax(enter, fmin(a, b));
        leave = fmin(leave, fmax(a, b));
    }
    return enter <= leave ? enter : INFINITY;
}

// Moeller and Trumbore: the hit in barycentric coordinates of b and c
static int hit_triangle(const meshTriangle* t, const tacMeshRay* ray, int one_sided,
                        double* distance, double* u, double* v) {
    tacVec3 p = tac_cross(ray->along, t->ac);
    double determinant = tac_dot(t->ab, p);
    // positive if the face looks towards the ray's origin
    if (determinant == 0.0 || (one_sided && determinant < 0.0)) return 0;
    tacVec3 arm = tac_sub(ray->from, t->a);
    *u = tac_dot(arm, p) / determinant;
    if (!(*u >= -shared_side && *u <= 1.0 + shared_side)) return 0;
    tacVec3 q = tac_cross(arm, t->ab);
    *v = tac_dot(ray->along, q) / determinant;
    if (!(*v >= -shared_side && *u + *v <= 1.0 + shared_side)) return 0;
    *distance = tac_dot(t->ac, q) / determinant;
    return *distance > ray->start && *distance < ray->end;
}

// nearest hit, or with `any` the first that is found; -1 if there is none
static int find_hit(const tacDrawMesh* mesh, tacMeshRay* ray, int any, int one_sided,
                    double uv[2]) {
    double from[3], along[3], inverse[3];
    int stack[2 * DEPTH], top = 0, found = -1;
    tac_store3(from, ray->from);
    tac_store3(along, ray->along);
    for (int k = 0; k < 3; ++k) inverse[k] = 1.0 / along[k];
    if (mesh->nnode > 0) stack[top++] = 0;
    while (top > 0) {
        int at = stack[--top];
        const meshNode* node = &mesh->node[at];
        if (!isfinite(enter_box(node, from, inverse, ray->start, ray->end))) continue;
        for (int i = node->first; i < node->first + node->count; ++i) {
            double t, u, v;
            if (!hit_triangle(&mesh->triangle[i], ray, one_sided, &t, &u, &v)) continue;
            found = i;
            ray->end = t;
            uv[0] = u;
            uv[1] = v;
            if (any) return found;
        }
        if (node->count > 0) continue;
        int child[2] = {at + 1, node->first};
        double enter[2];
        for (int k = 0; k < 2; ++k)
            enter[k] = enter_box(&mesh->node[child[k]], from, inverse, ray->start, ray->end);
        int near = enter[1] < enter[0];
        if (isfinite(enter[!near])) stack[top++] = child[!near];
        if (isfinite(enter[near])) stack[top++] = child[near];
    }
    return found;
}

int tac_draw_mesh_hit(const tacDrawMesh* mesh, tacMeshRay ray, double* distance, tacVec3* normal) {
    double uv[2];
    int found = find_hit(mesh, &ray, 0, mesh->closed, uv);
    if (found < 0) return 0;
    const meshTriangle* t = &mesh->triangle[found];
    const double weight[3] = {1.0 - uv[0] - uv[1], uv[0], uv[1]};
    tacVec3 face = tac_cross(t->ab, t->ac), blend = tac_vec3_zero();
    for (int k = 0; k < 3; ++k)
        blend = tac_add_scaled(blend, weight[k],
                               tac_vec3(t->normal[k][0], t->normal[k][1], t->normal[k][2]));
    if (tac_dot(face, ray.along) > 0.0) {
        face = tac_neg(face);
        blend = tac_neg(blend);
    }
    // a blended normal that looks away would be black
    *normal = tac_normalize(tac_dot(blend, ray.along) < 0.0 ? blend : face);
    *distance = ray.end;
    return 1;
}

int tac_draw_mesh_blocks(const tacDrawMesh* mesh, tacMeshRay ray) {
    double uv[2];
    return find_hit(mesh, &ray, 1, 0, uv) >= 0;
}

//---------------------------------- distance -------------------------------------

static double box_distance2(const meshNode* node, const double x[3]) {
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        double away = fmax(fmax(node->low[k] - x[k], x[k] - node->high[k]), 0.0);
        sum += away * away;
    }
    return sum;
}

static double segment_distance2(tacVec3 x, tacVec3 a, tacVec3 along) {
    tacVec3 arm = tac_sub(x, a);
    double length2 = tac_norm2(along);
    double s = length2 > 0.0 ? fmax(0.0, fmin(1.0, tac_dot(arm, along) / length2)) : 0.0;
    return tac_norm2(tac_add_scaled(arm, -s, along));
}

// to the plane where the foot is inside, else to the nearest side
static double triangle_distance2(const meshTriangle* t, tacVec3 x) {
    tacVec3 n = tac_cross(t->ab, t->ac), arm = tac_sub(x, t->a);
    double n2 = tac_norm2(n);
    double u = tac_dot(tac_cross(arm, t->ac), n), v = tac_dot(tac_cross(t->ab, arm), n);
    if (n2 > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= n2)
        return tac_dot(arm, n) * tac_dot(arm, n) / n2;
    tacVec3 b = tac_add(t->a, t->ab);
    return fmin(fmin(segment_distance2(x, t->a, t->ab), segment_distance2(x, t->a, t->ac)),
                segment_distance2(x, b, tac_sub(t->ac, t->ab)));
}

double tac_draw_mesh_distance(const tacDrawMesh* mesh, tacVec3 x, double max) {
    int stack[2 * DEPTH], top = 0;
    double best = max * max, at[3];
    tac_store3(at, x);
    if (mesh->nnode > 0) stack[top++] = 0;
    while (top > 0) {
        int index = stack[--top];
        const meshNode* node = &mesh->node[index];
        if (box_distance2(node, at) >= best) continue;
        for (int i = node->first; i < node->first + node->count; ++i)
            best = fmin(best, triangle_distance2(&mesh->triangle[i], x));
        if (node->count > 0) continue;
        int child[2] = {index + 1, node->first};
        int near =
            box_distance2(&mesh->node[child[1]], at) < box_distance2(&mesh->node[child[0]], at);
        stack[top++] = child[!near];
        stack[top++] = child[near];
    }
    return sqrt(best);
}
