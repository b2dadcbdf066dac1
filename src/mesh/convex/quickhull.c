// Quickhull: a tetrahedron grows by the point that is furthest outside one of its faces.
//
// A face is visible from a point strictly above its plane, by an exact sign. The faces that
// are visible from a point are connected and bounded by one simple loop of edges, the horizon,
// whatever lies on common lines or planes: a face is not visible from points in its plane, and new
// faces never have area 0. So neither tolerances nor repairs are needed here.

#include "mesh/convex/quickhull.h"

#include "math/array3.h"
#include "mesh/convex/hull.h"
#include "mesh/convex/orient3d.h"

#include <math.h>
#include <string.h>

typedef struct hullFace {
    tacHullTriangle at;
    tacOrient3d plane;
    int first;       // points above this face, by `next`; -1: none
    int furthest;    // of them
    double distance; // of the furthest, times twice the area
    int state;       // ALIVE, VISIBLE from the point that is added, or FREE
} hullFace;

enum { FREE, ALIVE, VISIBLE };

typedef struct hullEdge {
    int face, side;
} hullEdge;

typedef struct hullBuilder {
    tacQuickhull* hull;
    tacResult result;
    int* next; // point -> next point above the same face
    int* fan;  // vertex -> new face whose first corner it is, -1: none

    // faces, and lists of faces that are never longer than all of them  (capacity)
    hullFace* face;
    int* queue;     // a stack of faces that have points above them, perhaps freed meanwhile
    int* queued;    // face -> 1 if it is in `queue`
    int* visible;   // faces visible from the point
    int* new_faces; // new faces
    hullEdge* horizon;
    int faces, capacity, free; // free: newest free face by `first`, -1: none
    int nqueue, nvisible, nhorizon;
} hullBuilder;

static const double* point_at(const hullBuilder* b, int i) {
    return b->hull->point + 3 * (size_t)i;
}

//---------------------------------- first tetrahedron ----------------------------

// squared distance of p from the line through a and b, times |b - a|^2
static double line_distance2(const double* a, const double* b, const double* p) {
    tacOrient3d plane = tac_orient3d_plane(a, b, p);
    const double* n = plane.normal;
    return n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
}

static int precedes(const double* a, const double* b) {
    for (int k = 0; k < 3; ++k)
        if (a[k] != b[k]) return a[k] < b[k];
    return 0;
}

// four points that are far apart; 0 and `failure` if all are in a plane
static int find_simplex(hullBuilder* b, int corner[4]) {
    tacQuickhull* hull = b->hull;
    double flat = TAC_HULL_FLAT * hull->size, best = 0.0;
    memset(corner, 0, 4 * sizeof(int));
    for (int i = 1; i < hull->count; ++i)
        if (precedes(point_at(b, i), point_at(b, corner[0]))) corner[0] = i;
    const double* p0 = point_at(b, corner[0]);

    for (int i = 0; i < hull->count; ++i)
        if (tac_distance2_3(p0, point_at(b, i)) > best) {
            best = tac_distance2_3(p0, point_at(b, i));
            corner[1] = i;
        }
    double length = sqrt(best);
    hull->failure = "all points coincide";
    if (length == 0.0) return 0;
    const double* p1 = point_at(b, corner[1]);

    best = 0.0;
    for (int i = 0; i < hull->count; ++i)
        if (line_distance2(p0, p1, point_at(b, i)) > best) {
            best = line_distance2(p0, p1, point_at(b, i));
            corner[2] = i;
        }
    hull->failure = "the points are on a line";
    if (sqrt(best) <= flat * length) return 0;

    tacOrient3d plane = tac_orient3d_plane(p0, p1, point_at(b, corner[2]));
    double area = sqrt(best);
    best = 0.0;
    for (int i = 0; i < hull->count; ++i) {
        double volume = tac_orient3d(&plane, point_at(b, i));
        if (fabs(volume) > fabs(best)) {
            best = volume;
            corner[3] = i;
        }
    }
    hull->failure = "the points are in a plane";
    hull->thickness = fabs(best) / area;
    if (hull->thickness <= flat) return 0;
    if (best > 0.0) { // the fourth has to be below the first three
        int swap = corner[1];
        corner[1] = corner[2];
        corner[2] = swap;
    }
    hull->failure = NULL;
    return 1;
}

//---------------------------------- faces ----------------------------------------

static int grow_list(hullBuilder* b, void** items, size_t size, int capacity) {
    tacAllocator a = b->hull->allocator;
    char* bigger = a.allocate(a.user, size * (size_t)capacity);
    if (!bigger) {
        b->result = TAC_ERROR_MEMORY;
        return 0;
    }
    memset(bigger + size * (size_t)b->capacity, 0, size * (size_t)(capacity - b->capacity));
    if (*items) memcpy(bigger, *items, size * (size_t)b->capacity);
    if (*items) a.release(a.user, *items);
    *items = bigger;
    return 1;
}

static int grow_arrays(hullBuilder* b) {
    int capacity = b->capacity ? 2 * b->capacity : 256;
    int fine = grow_list(b, (void**)&b->face, sizeof(hullFace), capacity) &&
               grow_list(b, (void**)&b->queue, sizeof(int), capacity) &&
               grow_list(b, (void**)&b->queued, sizeof(int), capacity) &&
               grow_list(b, (void**)&b->visible, sizeof(int), capacity) &&
               grow_list(b, (void**)&b->new_faces, sizeof(int), capacity) &&
               grow_list(b, (void**)&b->horizon, sizeof(hullEdge), capacity);
    if (fine) b->capacity = capacity;
    return fine;
}

// a new face, or -1 without memory
static int add_face(hullBuilder* b, int u, int v, int w) {
    int f = b->free;
    if (f >= 0) {
        b->free = b->face[f].first;
    } else {
        if (b->faces == b->capacity && !grow_arrays(b)) return -1;
        f = b->faces++;
    }
    b->face[f] =
        (hullFace){.at = {{u, v, w}, {-1, -1, -1}},
                   .plane = tac_orient3d_plane(point_at(b, u), point_at(b, v), point_at(b, w)),
                   .first = -1,
                   .state = ALIVE};
    return f;
}

static void free_face(hullBuilder* b, int f) {
    b->face[f].state = FREE;
    b->face[f].first = b->free;
    b->free = f;
}

// assigns the point to the first face that is visible from it; drops it if none is
static void assign_point(hullBuilder* b, int p, const int* faces, int count) {
    for (int i = 0; i < count; ++i) {
        hullFace* face = &b->face[faces[i]];
        double distance = tac_orient3d(&face->plane, point_at(b, p));
        if (distance <= 0.0) continue;
        if (face->first < 0 || distance > face->distance) {
            face->distance = distance;
            face->furthest = p;
        }
        b->next[p] = face->first;
        face->first = p;
        return;
    }
}

static void enqueue_faces(hullBuilder* b, const int* faces, int count) {
    for (int i = 0; i < count; ++i) {
        int f = faces[i];
        if (b->face[f].first < 0 || b->queued[f]) continue;
        b->queued[f] = 1;
        b->queue[b->nqueue++] = f;
    }
}

//---------------------------------- one point ------------------------------------

// all faces visible from p, starting at one, and the horizon edges
static void find_visible_faces(hullBuilder* b, int f, const double* p) {
    b->nvisible = b->nhorizon = 0;
    b->face[f].state = VISIBLE;
    b->visible[b->nvisible++] = f;
    for (int i = 0; i < b->nvisible; ++i)
        for (int k = 0; k < 3; ++k) {
            int other = b->face[b->visible[i]].at.neighbour[k];
            hullFace* face = &b->face[other];
            if (face->state == VISIBLE) continue;
            if (tac_orient3d(&face->plane, p) > 0.0) {
                face->state = VISIBLE;
                b->visible[b->nvisible++] = other;
            } else {
                b->horizon[b->nhorizon++] = (hullEdge){b->visible[i], k};
            }
        }
}

static void replace_neighbour(hullFace* face, int old, int new, int u, int v) {
    for (int k = 0; k < 3; ++k)
        if (face->at.neighbour[k] == old && face->at.corner[k] == v &&
            face->at.corner[(k + 1) % 3] == u)
            face->at.neighbour[k] = new;
}

// a fan of new faces from the horizon to p
static int add_fan(hullBuilder* b, int p) {
    for (int i = 0; i < b->nhorizon; ++i) {
        hullEdge e = b->horizon[i];
        const tacHullTriangle* old = &b->face[e.face].at;
        int u = old->corner[e.side], v = old->corner[(e.side + 1) % 3];
        int across = old->neighbour[e.side];
        int f = add_face(b, u, v, p);
        if (f < 0) return 0;
        b->face[f].at.neighbour[0] = across;
        replace_neighbour(&b->face[across], e.face, f, u, v);
        if (b->fan[u] >= 0) b->result = TAC_ERROR_UNSOLVED; // the horizon visits a vertex twice
        b->fan[u] = b->new_faces[i] = f;
    }
    for (int i = 0; i < b->nhorizon; ++i) {
        hullFace* face = &b->face[b->new_faces[i]];
        int after = b->fan[face->at.corner[1]];
        if (after < 0) b->result = TAC_ERROR_UNSOLVED; // the horizon is open
        if (b->result != TAC_OK) return 0;
        face->at.neighbour[1] = after;
        b->face[after].at.neighbour[2] = b->new_faces[i];
    }
    for (int i = 0; i < b->nhorizon; ++i) b->fan[b->face[b->new_faces[i]].at.corner[0]] = -1;
    return 1;
}

static int add_point(hullBuilder* b, int f) {
    int p = b->face[f].furthest;
    find_visible_faces(b, f, point_at(b, p));
    if (!add_fan(b, p)) return 0;
    for (int i = 0; i < b->nvisible; ++i) {
        for (int q = b->face[b->visible[i]].first, next; q >= 0; q = next) {
            next = b->next[q];
            if (q != p) assign_point(b, q, b->new_faces, b->nhorizon);
        }
        free_face(b, b->visible[i]);
    }
    enqueue_faces(b, b->new_faces, b->nhorizon);
    return 1;
}

//---------------------------------- all points -----------------------------------

static int start_tetrahedron(hullBuilder* b, const int corner[4]) {
    static const int sides[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const int across[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    int faces[4];
    for (int i = 0; i < 4; ++i) {
        faces[i] = add_face(b, corner[sides[i][0]], corner[sides[i][1]], corner[sides[i][2]]);
        if (faces[i] < 0) return 0;
    }
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 3; ++k) b->face[i].at.neighbour[k] = across[i][k];
    for (int i = 0; i < b->hull->count; ++i) assign_point(b, i, faces, 4);
    enqueue_faces(b, faces, 4);
    return 1;
}

// a queued face may be freed or reused meanwhile: both are harmless
static int process_queue(hullBuilder* b) {
    while (b->nqueue) {
        int f = b->queue[--b->nqueue];
        b->queued[f] = 0;
        if (b->face[f].state != ALIVE || b->face[f].first < 0) continue;
        if (!add_point(b, f)) return 0;
    }
    return 1;
}

// the faces in use, renumbered
static void collect_faces(hullBuilder* b) {
    tacQuickhull* hull = b->hull;
    int count = 0;
    for (int f = 0; f < b->faces; ++f)
        if (b->face[f].state == ALIVE) b->visible[f] = count++;
    tacAllocator a = hull->allocator;
    hull->triangle = a.allocate(a.user, sizeof(tacHullTriangle) * (size_t)count);
    if (!hull->triangle) {
        b->result = TAC_ERROR_MEMORY;
        return;
    }
    for (int f = 0; f < b->faces; ++f) {
        if (b->face[f].state != ALIVE) continue;
        tacHullTriangle* out = &hull->triangle[hull->ntriangle++];
        *out = b->face[f].at;
        for (int k = 0; k < 3; ++k) out->neighbour[k] = b->visible[out->neighbour[k]];
    }
}

static void make_hull(hullBuilder* b) {
    int corner[4];
    if (!find_simplex(b, corner)) {
        b->result = TAC_ERROR_VALUE;
        return;
    }
    tacAllocator a = b->hull->allocator;
    size_t bytes = sizeof(int) * (size_t)b->hull->count;
    b->next = a.allocate(a.user, bytes);
    b->fan = b->next ? a.allocate(a.user, bytes) : NULL;
    if (!b->fan) {
        b->result = TAC_ERROR_MEMORY;
        return;
    }
    memset(b->fan, -1, bytes);
    if (start_tetrahedron(b, corner) && process_queue(b)) collect_faces(b);
}

tacResult tac_quickhull(tacQuickhull* hull) {
    hullBuilder b = {.hull = hull, .free = -1};
    hull->triangle = NULL;
    hull->ntriangle = 0;
    hull->failure = NULL;
    make_hull(&b);
    tacAllocator a = hull->allocator;
    void* blocks[] = {b.next, b.fan, b.face, b.queue, b.queued, b.visible, b.new_faces, b.horizon};
    for (int i = 0; i < 8; ++i)
        if (blocks[i]) a.release(a.user, blocks[i]);
    return b.result;
}
