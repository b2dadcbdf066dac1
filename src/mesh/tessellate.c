// A mesh on the zero level of a shape.
//
//   lattice --march--> fine surface --simplify--> asked number --relax--> better triangles -->
//   checks
//
// Two lattices must agree on pieces and holes before the surface is believed. All that happens to
// it later keeps it closed and free of self-intersection; the finished mesh is checked once more.

#include "mesh/tessellate.h"

#include "base/message.h"
#include "math/pose.h"
#include "mesh/simplify.h"
#include "shape/bound.h"

#include <math.h>
#include <string.h>

#define FEWEST_CELLS   28
#define BELIEVED_CELLS 45
#define PART_CELLS     64
#define MOST_CELLS     256
#define LONGEST_CELLS  8000
#define LATTICES       10
#define SAME_VOLUME    0.1
#define SPECK          60
#define MOST_BYTES     ((size_t)3 << 30)
#define RELAX_TURNS    12
#define ATTEMPTS       4

//---------------------------------- checks ---------------------------------------

int tac_surface_meetings(const tacSurface* s, tacBlocks* blocks) {
    tacGrid grid;
    int meetings = 0;
    if (tac_grid_create(&grid, s, blocks) != TAC_OK) return -1;
    tac_grid_sort(&grid, s);
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle triangle = tac_triangle(s, t);
        meetings += tac_grid_meets(&grid, s, 1, &triangle, 1, &t);
    }
    return meetings;
}

// Twins and fans found anew from the triangles alone: each edge with two faces of opposite
// direction, each vertex with one fan. 1, 0, or -1 without memory.
static int is_closed_surface(const tacSurface* s, tacBlocks* blocks) {
    tacSurface copy = {.nv = s->vertices, .nt = s->triangles};
    int *number = TAC_BLOCKS_TAKE(blocks, int, s->nv), vertices = 0, sides = 0;
    copy.start = TAC_BLOCKS_TAKE(blocks, int, 3 * s->triangles);
    copy.twin = TAC_BLOCKS_TAKE(blocks, int, 3 * s->triangles);
    copy.out = TAC_BLOCKS_TAKE(blocks, int, s->vertices);
    if (!number || !copy.start || !copy.twin || !copy.out) return -1;
    for (int v = 0; v < s->nv; ++v)
        if (s->out[v] >= 0) number[v] = vertices++;
    for (int h = 0; h < 3 * s->nt; ++h)
        if (s->start[h] >= 0) copy.start[sides++] = number[s->start[h]];
    tacResult result = tac_surface_join(&copy, blocks);
    return result == TAC_ERROR_MEMORY ? -1 : result == TAC_OK;
}

// six times the volume inside
static double volume6(const tacSurface* s) {
    double sum = 0.0;
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle a = tac_triangle(s, t);
        double n[3];
        tac_cross3(a.x[1], a.x[2], n);
        sum += tac_dot3(a.x[0], n);
    }
    return sum;
}

//---------------------------------- result ---------------------------------------

typedef struct meshBlock {
    tacMesh mesh;
    double* x[3];
    int *edge[2], *face[3];
} meshBlock;

static size_t padded(size_t size) {
    return (size + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT;
}

// one block for the mesh and its arrays
static meshBlock* make_mesh(tacAllocator allocator, int vertices, int faces) {
    int edges = faces / 2 * 3;
    size_t nx = padded(sizeof(double) * (size_t)vertices), head = padded(sizeof(meshBlock));
    size_t ne = padded(sizeof(int) * (size_t)edges), nf = padded(sizeof(int) * (size_t)faces);
    char* at = allocator.allocate(allocator.user, head + 3 * nx + 2 * ne + 3 * nf);
    if (!at) return NULL;
    meshBlock* m = (meshBlock*)(void*)at;
    *m = (meshBlock){.mesh = {.vertices = vertices, .edges = edges, .faces = faces}};
    at += head;
    for (int k = 0; k < 3; ++k, at += nx) m->mesh.x[k] = m->x[k] = (double*)(void*)at;
    for (int k = 0; k < 2; ++k, at += ne) m->mesh.edge[k] = m->edge[k] = (int*)(void*)at;
    for (int k = 0; k < 3; ++k, at += nf) m->mesh.face[k] = m->face[k] = (int*)(void*)at;
    m->mesh.allocator = allocator;
    m->mesh.quality = 1.0;
    return m;
}

// what is alive, counted through, in the shape's frame; number[v] is the new index of a vertex
static void copy_mesh(const tacSurface* s, tacPose pose, int* number, meshBlock* m) {
    int vertices = 0, edges = 0, faces = 0;
    for (int v = 0; v < s->nv; ++v) {
        if (s->out[v] < 0) continue;
        double x[3];
        tac_store3(x, tac_pose_apply_inverse(pose, tac_load3(s->x[v])));
        for (int k = 0; k < 3; ++k) m->x[k][vertices] = x[k];
        number[v] = vertices++;
    }
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle triangle = tac_triangle(s, t);
        for (int i = 0; i < 3; ++i) m->face[i][faces] = number[triangle.v[i]];
        ++faces;
        m->mesh.quality = fmin(m->mesh.quality, tac_quality(&triangle));
        for (int i = 0; i < 3; ++i) {
            int a = number[triangle.v[i]], b = number[triangle.v[(i + 1) % 3]];
            if (a < b) {
                m->edge[0][edges] = a;
                m->edge[1][edges++] = b;
            } // its twin has b > a
        }
    }
}

static tacResult finish(const tacSolid* solid, const tacSurface* s, tacBlocks* blocks,
                        tacMesh** out) {
    int* number = TAC_BLOCKS_TAKE(blocks, int, s->nv);
    double* value = TAC_BLOCKS_TAKE(blocks, double, s->vertices);
    if (!number || !value) return TAC_ERROR_MEMORY;
    meshBlock* m = make_mesh(solid->model->allocator, s->vertices, s->triangles);
    if (!m) return TAC_ERROR_MEMORY;
    copy_mesh(s, solid->pose, number, m);
    tacSolid home = *solid;
    home.pose = tac_pose_identity();
    tac_solid_eval(&home, s->vertices, m->x, value, NULL);
    for (int v = 0; v < s->vertices; ++v) m->mesh.error = fmax(m->mesh.error, fabs(value[v]));
    // far from the frame's origin, coordinates are no finer than their rounding
    if (!(m->mesh.error <= 1e-9 * solid->size + 1e-15 * tac_norm(solid->pose.position))) {
        tac_mesh_destroy(&m->mesh);
        return TAC_ERROR_UNSOLVED;
    }
    *out = &m->mesh;
    return TAC_OK;
}

void tac_mesh_destroy(tacMesh* mesh) {
    if (mesh) mesh->allocator.release(mesh->allocator.user, mesh);
}

//---------------------------------- lattices -------------------------------------

// what one lattice says about the solid
typedef struct latticeView {
    int cells;
    int vertices; // of its surface, 0 for none
    int euler, pieces;
    double volume; // of its cells inside
} latticeView;

// what is asked for, and what is known so far
typedef struct meshTask {
    const tacSolid* solid;
    int asked;
    int views, chosen;
    latticeView view[LATTICES]; // finer and finer
    int reached;                // vertices of the last attempt
    tacWatch watch;
} meshTask;

static double inside_volume(const tacLattice* l) {
    int total = tac_lattice_count(l), inside = 0;
    for (int i = 0; i < total; ++i) inside += tac_is_inside(l->value[i]);
    return inside * l->step * l->step * l->step;
}

static tacResult view_surface(const tacSolid* solid, int placed, tacBlocks* blocks, tacSurface* s,
                              latticeView* view) {
    tacLattice lattice;
    tacResult result = tac_lattice_fill(solid, view->cells, blocks, &lattice);
    if (result != TAC_OK) return result;
    view->volume = inside_volume(&lattice);
    result = tac_march(&lattice, placed, blocks, s);
    if (result == TAC_OK) result = tac_surface_drop_specks(s, SPECK, blocks);
    if (result != TAC_OK) return result;
    view->vertices = s->vertices;
    view->euler = tac_surface_euler(s);
    view->pieces = tac_surface_pieces(s, blocks);
    return view->pieces < 0 ? TAC_ERROR_MEMORY : TAC_OK;
}

// pieces and holes by one more lattice, in memory of its own
static tacResult look(meshTask* task, int cells) {
    tacBlocks blocks = {task->solid->model->allocator, NULL, MOST_BYTES};
    tacSurface s;
    latticeView* view = &task->view[task->views++];
    *view = (latticeView){.cells = cells};
    tacResult result = view_surface(task->solid, 0, &blocks, &s, view);
    tac_blocks_release(&blocks);
    return result == TAC_ERROR_VALUE ? TAC_OK : result;
}

static int agree(const latticeView* a, const latticeView* b) {
    return a->vertices > 0 && b->vertices > 0 && a->euler == b->euler && a->pieces == b->pieces &&
           fabs(a->volume - b->volume) <= SAME_VOLUME * b->volume;
}

// is the node, a leaf, added to the shape, so that its size is to be seen there?
static int is_part(const tacModel* model, const tacNode* leaf) {
    int parent = leaf->parent;
    while (parent >= 0 && model->node[parent].kind == TAC_NODE_UNION)
        parent = model->node[parent].parent;
    return leaf->children == 0 && leaf->size >= 0 && parent < 0;
}

// across the thinnest part of a union; its pieces and holes do not tell that an ear is missing
static double thinnest_part(const tacSolid* solid) {
    const tacModel* model = solid->model;
    const tacShape* shape = &model->shape[solid->shape];
    double least = solid->size;
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &model->node[i];
        if (!is_part(model, node)) continue;
        for (int k = 0; k < tac_size_count(node->kind); ++k)
            least = fmin(least, 2.0 * model->param[node->size + k]);
    }
    return least;
}

// A box that is long and thin has room for smaller cells, no more in number than those of a cube.
static int most_cells(const tacSolid* solid) {
    double share = 1.0;
    for (int k = 0; k < 3; ++k) share *= (solid->high[k] - solid->low[k]) / solid->size;
    return (int)fmin(LONGEST_CELLS, MOST_CELLS / cbrt(share));
}

// frame of a node in the shape's
static tacPose node_frame(const tacModel* model, int i) {
    tacPose frame = tac_pose_identity();
    for (; i >= 0; i = model->node[i].parent) {
        const double* q = &model->param[model->node[i].rotation];
        tacPose own = {tac_load3(&model->param[model->node[i].position]),
                       tac_quat_normalize(tac_quat_load(q))};
        frame = tac_pose_compose(own, frame);
    }
    return frame;
}

// Is the middle of a part inside? Then there is a solid that no lattice saw, thinner than cells.
static int has_inside(const tacSolid* solid) {
    const tacShape* shape = &solid->model->shape[solid->shape];
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        double x[3], value = 1.0;
        double* const point[3] = {&x[0], &x[1], &x[2]};
        tac_store3(x, tac_pose_apply(solid->pose, node_frame(solid->model, i).position));
        tac_solid_eval(solid, 1, point, &value, NULL);
        if (tac_is_inside(value)) return 1;
    }
    return 0;
}

// turns the longest part along the axes, where a box fits it best
static tacQuat along_longest_part(const tacModel* model, int which) {
    const tacShape* shape = &model->shape[which];
    double most = 0.0;
    int longest = shape->first;
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &model->node[i];
        if (!is_part(model, node)) continue;
        for (int k = 0; k < tac_size_count(node->kind); ++k)
            if (model->param[node->size + k] > most) {
                most = model->param[node->size + k];
                longest = i;
            }
    }
    return tac_quat_conj(node_frame(model, longest).rotation);
}

// cells that leave a flat solid several of them across, and a thin part two
static int fewest_cells(const tacSolid* solid) {
    double least = solid->size;
    for (int k = 0; k < 3; ++k) least = fmin(least, solid->high[k] - solid->low[k]);
    double thin = fmin(PART_CELLS, 2.0 * solid->size / thinnest_part(solid));
    double most = most_cells(solid) / 2.0;
    return (int)fmin(most, fmax(FEWEST_CELLS, fmax(thin, 5.0 * solid->size / least)));
}

// the coarsest lattice with vertices enough that another one, the finest, agrees with; -1 for none
static int choose_view(const meshTask* task, int share) {
    const latticeView* finest = &task->view[task->views - 1];
    for (int i = 0; i < task->views - 1; ++i)
        if (agree(&task->view[i], finest) && task->view[i].vertices >= share * task->asked)
            return i;
    return -1;
}

// Finer lattices until the last one, fine enough to be believed, agrees with one before.
static tacResult choose_lattice(meshTask* task) {
    int cells = fewest_cells(task->solid), most = most_cells(task->solid);
    task->chosen = -1;
    for (; cells <= most && task->views < LATTICES; cells += cells / 3) {
        tacResult result = look(task, cells);
        if (result != TAC_OK) return result;
        if (cells >= BELIEVED_CELLS) task->chosen = choose_view(task, 8);
        if (task->chosen >= 0) return TAC_OK;
    }
    task->chosen = choose_view(task, 2);
    if (task->chosen >= 0) return TAC_OK;
    int seen = task->view[task->views - 1].vertices > 0 || has_inside(task->solid);
    return seen ? TAC_ERROR_UNSOLVED : TAC_ERROR_VALUE;
}

//---------------------------------- attempts -------------------------------------

// a vertex that cannot settle when its neighbours have moved goes into one of them
static tacResult settle_and_relax(tacRemesh* r) {
    int off = tac_settle(r);
    tacResult result = off < 0 ? TAC_ERROR_MEMORY : tac_relax(r, RELAX_TURNS);
    for (int turn = 0; turn < 6 && result == TAC_OK; ++turn) {
        off = tac_settle(r);
        if (off < 0) return TAC_ERROR_MEMORY;
        if (tac_mend(r) == 0) break;
        result = tac_relax(r, 2);
    }
    return result;
}

static int inward_faces(const tacSurface* s) {
    int inward = 0;
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle triangle = tac_triangle(s, t);
        inward += !tac_looks_out(s, &triangle);
    }
    return inward;
}

// the laws that a mesh must keep, checked on what came out
static tacResult judge(const meshTask* task, const tacSurface* s, tacBlocks* blocks) {
    const latticeView* view = &task->view[task->chosen];
    int closed = is_closed_surface(s, blocks), meetings = tac_surface_meetings(s, blocks);
    int pieces = tac_surface_pieces(s, blocks);
    if (closed < 0 || meetings < 0 || pieces < 0) return TAC_ERROR_MEMORY;
    int enough = s->vertices >= 0.8 * task->asked && s->vertices <= 1.2 * task->asked;
    int same = tac_surface_euler(s) == view->euler && pieces == view->pieces;
    int lawful =
        enough && same && closed && meetings == 0 && inward_faces(s) == 0 && volume6(s) > 0.0;
    return lawful ? TAC_OK : TAC_ERROR_UNSOLVED;
}

static tacResult attempt(meshTask* task, int cells, tacBlocks* blocks, tacMesh** out) {
    tacSurface s;
    tacRemesh r;
    latticeView view = {.cells = cells};
    task->reached = 0;
    tacResult result = view_surface(task->solid, 1, blocks, &s, &view);
    if (result == TAC_ERROR_VALUE || (result == TAC_OK && !agree(&view, &task->view[task->chosen])))
        return TAC_ERROR_UNSOLVED;
    if (result == TAC_OK) result = tac_remesh_create(&r, task->solid, &s, blocks);
    if (result == TAC_OK) {
        r.watch = task->watch;
        result = tac_simplify(&r, task->asked);
    }
    if (result == TAC_OK) result = settle_and_relax(&r);
    if (result != TAC_OK) return result;
    task->reached = s.vertices;
    result = judge(task, &s, blocks);
    return result == TAC_OK ? finish(task->solid, &s, blocks, out) : result;
}

static tacResult complain(const meshTask* task, tacResult result, tacMessage* message) {
    const char* name = task->solid->model->shape[task->solid->shape].name;
    const latticeView* finest = &task->view[task->views - 1];
    if (result == TAC_ERROR_MEMORY)
        return tac_fail(message, result, NULL, 0, NULL, "out of memory");
    if (result == TAC_ERROR_VALUE)
        return tac_fail(message, result, NULL, 0, "shape", "'%s' has no surface that was found",
                        name);
    if (task->reached > 1.2 * task->asked)
        return tac_fail(message, result, NULL, 0, "vertices",
                        "'%s' could not be brought below %d vertices; ask for more", name,
                        task->reached);
    if (task->reached > 0)
        return tac_fail(message, result, NULL, 0, "vertices",
                        "'%s': the mesh of %d vertices failed its checks; ask for more or fewer",
                        name, task->reached);
    if (task->chosen < 0 && choose_view(task, 0) >= 0)
        return tac_fail(message, result, NULL, 0, "vertices",
                        "'%s' is so thin that its finest lattice has %d vertices; ask for half of "
                        "them at most",
                        name, finest->vertices);
    return tac_fail(message, result, NULL, 0, "shape",
                    "'%s' has parts or gaps thinner than 1/%d of its size: its pieces and holes "
                    "are not clear; make them thicker or smooth them",
                    name, finest->cells);
}

static tacResult tessellate(const tacSolid* solid, int vertices, tacWatch watch, tacMesh** out,
                            tacMessage* message) {
    meshTask task = {.solid = solid, .asked = vertices, .watch = watch};
    tacResult result = choose_lattice(&task);
    if (result != TAC_OK) return complain(&task, result, message);
    for (int turn = 0, cells = task.view[task.chosen].cells; turn < ATTEMPTS; ++turn) {
        tacBlocks blocks = {solid->model->allocator, NULL, MOST_BYTES};
        result = attempt(&task, cells, &blocks, out);
        tac_blocks_release(&blocks);
        if (result != TAC_ERROR_UNSOLVED) break;
        cells += cells / 8 + 1;
    }
    return result == TAC_OK ? TAC_OK : complain(&task, result, message);
}

static tacResult tessellate_turned(const tacModel* model, int shape, tacQuat rotation, int vertices,
                                   tacWatch watch, tacMesh** out, tacMessage* message) {
    tacSolid solid;
    tacResult result = tac_solid_open(model, shape, rotation, &solid, message);
    if (result == TAC_OK) result = tessellate(&solid, vertices, watch, out, message);
    tac_scratch_destroy(solid.scratch);
    return result;
}

tacResult tac_shape_tessellate_watched(const tacModel* model, int shape, int vertices,
                                       void (*progress)(void* user, double done), void* user,
                                       tacMesh** out, tacMessage* message) {
    if (!out || vertices < TAC_MESH_MIN_VERTICES || vertices > TAC_MESH_MAX_VERTICES)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "vertices", "must be %d to %d",
                        TAC_MESH_MIN_VERTICES, TAC_MESH_MAX_VERTICES);
    tacWatch watch = {progress, user};
    tacQuat turn = tac_quat_identity();
    tacResult result = tessellate_turned(model, shape, turn, vertices, watch, out, message);
    if (result != TAC_ERROR_UNSOLVED) return result;
    turn = along_longest_part(model, shape);
    if (fabs(turn.w) > 1.0 - 1e-9) return result;
    return tessellate_turned(model, shape, turn, vertices, watch, out, message);
}

tacResult tac_shape_tessellate(const tacModel* model, int shape, int vertices, tacMesh** out,
                               tacMessage* message) {
    return tac_shape_tessellate_watched(model, shape, vertices, NULL, NULL, out, message);
}
