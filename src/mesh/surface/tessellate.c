// A mesh on the zero level of a shape.
//
//   lattice --march--> fine surface --decimate--> requested number --relax--> better triangles -->
//   checks
//
// Two lattices must agree on components and holes before the surface is trusted. All later changes
// keep it closed and free of self-intersection; the finished mesh is checked again.

#include "mesh/surface/tessellate.h"

#include "base/message.h"
#include "math/pose.h"
#include "mesh/surface/remesh.h"
#include "shape/node_data.h"

#include <math.h>
#include <string.h>

#define MIN_CELLS        28
#define TRUSTED_CELLS    45
#define PART_CELLS       64
#define MAX_CELLS        256
#define MAX_LONG_CELLS   8000
#define LATTICES         10
#define SAME_VOLUME      0.1
#define MIN_COMPONENT    60
#define MAX_BYTES        ((size_t)3 << 30)
#define RELAX_ITERATIONS 12
#define ATTEMPTS         4

//---------------------------------- checks ---------------------------------------

int tac_surface_self_intersections(const tacSurface* s, tacRegion* blocks) {
    tacTriangleGrid grid;
    int intersections = 0;
    if (tac_triangle_grid_create(&grid, s, blocks) != TAC_OK) return -1;
    tac_triangle_grid_rebuild(&grid, s);
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle triangle = tac_surface_triangle(s, t);
        intersections += tac_triangle_grid_intersects(&grid, s, 1, &triangle, 1, &t);
    }
    return intersections;
}

// Checks twins and fans from the triangles alone: each edge with two faces of opposite
// direction, each vertex with one fan. 1, 0, or -1 without memory.
static int is_closed_surface(const tacSurface* s, tacRegion* blocks) {
    tacSurface copy = {.nv = s->vertices, .nt = s->triangles};
    int *number = TAC_REGION_ALLOC(blocks, int, s->nv), vertices = 0, sides = 0;
    copy.start = TAC_REGION_ALLOC(blocks, int, 3 * s->triangles);
    copy.twin = TAC_REGION_ALLOC(blocks, int, 3 * s->triangles);
    copy.out = TAC_REGION_ALLOC(blocks, int, s->vertices);
    if (!number || !copy.start || !copy.twin || !copy.out) return -1;
    for (int v = 0; v < s->nv; ++v)
        if (s->out[v] >= 0) number[v] = vertices++;
    for (int h = 0; h < 3 * s->nt; ++h)
        if (s->start[h] >= 0) copy.start[sides++] = number[s->start[h]];
    tacResult result = tac_surface_link_twins(&copy, blocks);
    return result == TAC_ERROR_MEMORY ? -1 : result == TAC_OK;
}

// six times the volume inside
static double volume6(const tacSurface* s) {
    double sum = 0.0;
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle a = tac_surface_triangle(s, t);
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

static size_t align_size(size_t size) {
    return (size + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT;
}

// one block for the mesh and its arrays
static meshBlock* make_mesh(tacAllocator allocator, int vertices, int faces) {
    int edges = faces / 2 * 3;
    size_t nx = align_size(sizeof(double) * (size_t)vertices), head = align_size(sizeof(meshBlock));
    size_t ne = align_size(sizeof(int) * (size_t)edges),
           nf = align_size(sizeof(int) * (size_t)faces);
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

// packs the elements in use, in the shape's frame; number[v] is the new index of a vertex
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
        tacTriangle triangle = tac_surface_triangle(s, t);
        for (int i = 0; i < 3; ++i) m->face[i][faces] = number[triangle.v[i]];
        ++faces;
        m->mesh.quality = fmin(m->mesh.quality, tac_triangle_quality(&triangle));
        for (int i = 0; i < 3; ++i) {
            int a = number[triangle.v[i]], b = number[triangle.v[(i + 1) % 3]];
            if (a < b) {
                m->edge[0][edges] = a;
                m->edge[1][edges++] = b;
            } // its twin has b > a
        }
    }
}

static tacResult finish_mesh(const tacShapeSampler* sampler, const tacSurface* s, tacRegion* blocks,
                             tacMesh** out) {
    int* number = TAC_REGION_ALLOC(blocks, int, s->nv);
    double* value = TAC_REGION_ALLOC(blocks, double, s->vertices);
    if (!number || !value) return TAC_ERROR_MEMORY;
    meshBlock* m = make_mesh(sampler->model->allocator, s->vertices, s->triangles);
    if (!m) return TAC_ERROR_MEMORY;
    copy_mesh(s, sampler->pose, number, m);
    tacShapeSampler unposed = *sampler;
    unposed.pose = tac_pose_identity();
    tac_shape_sampler_eval(&unposed, s->vertices, m->x, value, NULL);
    for (int v = 0; v < s->vertices; ++v) m->mesh.error = fmax(m->mesh.error, fabs(value[v]));
    // far from the origin, the accuracy is that of the coordinates' rounding
    if (!(m->mesh.error <= 1e-9 * sampler->size + 1e-15 * tac_norm(sampler->pose.position))) {
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

// summary of one lattice
typedef struct latticeSummary {
    int cells;
    int vertices; // of its surface, 0 for none
    int euler, components;
    double volume; // of its cells inside
} latticeSummary;

// the request, and the lattices tried so far
typedef struct meshTask {
    const tacShapeSampler* sampler;
    int requested;
    int views, chosen;
    latticeSummary view[LATTICES]; // finer and finer
    int reached;                   // vertices of the last attempt
    tacProgressCallback callback;
} meshTask;

static double inside_volume(const tacLattice* l) {
    int total = tac_lattice_count(l), inside = 0;
    for (int i = 0; i < total; ++i) inside += tac_is_inside(l->value[i]);
    return inside * l->step * l->step * l->step;
}

static tacResult view_surface(const tacShapeSampler* sampler, int with_positions, tacRegion* blocks,
                              tacSurface* s, latticeSummary* view) {
    tacLattice lattice;
    tacResult result = tac_lattice_fill(sampler, view->cells, blocks, &lattice);
    if (result != TAC_OK) return result;
    view->volume = inside_volume(&lattice);
    result = tac_marching_tetrahedra(&lattice, with_positions, blocks, s);
    if (result == TAC_OK) result = tac_surface_drop_small_components(s, MIN_COMPONENT, blocks);
    if (result != TAC_OK) return result;
    view->vertices = s->vertices;
    view->euler = tac_surface_euler(s);
    view->components = tac_surface_components(s, blocks);
    return view->components < 0 ? TAC_ERROR_MEMORY : TAC_OK;
}

// components and holes by one more lattice, in memory of its own
static tacResult probe_lattice(meshTask* task, int cells) {
    tacRegion blocks = {task->sampler->model->allocator, NULL, MAX_BYTES};
    tacSurface s;
    latticeSummary* view = &task->view[task->views++];
    *view = (latticeSummary){.cells = cells};
    tacResult result = view_surface(task->sampler, 0, &blocks, &s, view);
    tac_region_release(&blocks);
    return result == TAC_ERROR_VALUE ? TAC_OK : result;
}

static int lattices_agree(const latticeSummary* a, const latticeSummary* b) {
    return a->vertices > 0 && b->vertices > 0 && a->euler == b->euler &&
           a->components == b->components && fabs(a->volume - b->volume) <= SAME_VOLUME * b->volume;
}

// is the leaf added to the shape (not subtracted), so that its size counts?
static int is_part(const tacModel* model, const tacNode* leaf) {
    int parent = leaf->parent;
    while (parent >= 0 && model->node[parent].kind == TAC_NODE_UNION)
        parent = model->node[parent].parent;
    return leaf->children == 0 && leaf->size >= 0 && parent < 0;
}

// thickness of the thinnest part of a union; components and holes do not show that a thin part is
// missing
static double thinnest_part(const tacShapeSampler* sampler) {
    const tacModel* model = sampler->model;
    const tacShape* shape = &model->shape[sampler->shape];
    double least = sampler->size;
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &model->node[i];
        if (!is_part(model, node)) continue;
        for (int k = 0; k < tac_node_size_count(node->kind); ++k)
            least = fmin(least, 2.0 * model->param[node->size + k]);
    }
    return least;
}

// A long and thin box allows smaller cells, with no more of them than a cube has.
static int max_cells(const tacShapeSampler* sampler) {
    double share = 1.0;
    for (int k = 0; k < 3; ++k) share *= (sampler->high[k] - sampler->low[k]) / sampler->size;
    return (int)fmin(MAX_LONG_CELLS, MAX_CELLS / cbrt(share));
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

// Is the center of a part inside? Then there is a solid that no lattice found, thinner than cells.
static int part_is_inside(const tacShapeSampler* sampler) {
    const tacShape* shape = &sampler->model->shape[sampler->shape];
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        double x[3], value = 1.0;
        double* const point[3] = {&x[0], &x[1], &x[2]};
        tac_store3(x, tac_pose_apply(sampler->pose, node_frame(sampler->model, i).position));
        tac_shape_sampler_eval(sampler, 1, point, &value, NULL);
        if (tac_is_inside(value)) return 1;
    }
    return 0;
}

// aligns the longest part with the axes, where a box fits it best
static tacQuat along_longest_part(const tacModel* model, int which) {
    const tacShape* shape = &model->shape[which];
    double most = 0.0;
    int longest = shape->first;
    for (int i = shape->first; i < shape->first + shape->count; ++i) {
        const tacNode* node = &model->node[i];
        if (!is_part(model, node)) continue;
        for (int k = 0; k < tac_node_size_count(node->kind); ++k)
            if (model->param[node->size + k] > most) {
                most = model->param[node->size + k];
                longest = i;
            }
    }
    return tac_quat_conj(node_frame(model, longest).rotation);
}

// cells such that a flat solid has several of them across, and a thin part two
static int min_cells(const tacShapeSampler* sampler) {
    double least = sampler->size;
    for (int k = 0; k < 3; ++k) least = fmin(least, sampler->high[k] - sampler->low[k]);
    double thin = fmin(PART_CELLS, 2.0 * sampler->size / thinnest_part(sampler));
    double most = max_cells(sampler) / 2.0;
    return (int)fmin(most, fmax(MIN_CELLS, fmax(thin, 5.0 * sampler->size / least)));
}

// the coarsest lattice with enough vertices that agrees with the finest one; -1: none
static int choose_view(const meshTask* task, int share) {
    const latticeSummary* finest = &task->view[task->views - 1];
    for (int i = 0; i < task->views - 1; ++i)
        if (lattices_agree(&task->view[i], finest) &&
            task->view[i].vertices >= share * task->requested)
            return i;
    return -1;
}

// Finer lattices until the last one, fine enough to be trusted, agrees with one before.
static tacResult choose_lattice(meshTask* task) {
    int cells = min_cells(task->sampler), most = max_cells(task->sampler);
    task->chosen = -1;
    for (; cells <= most && task->views < LATTICES; cells += cells / 3) {
        tacResult result = probe_lattice(task, cells);
        if (result != TAC_OK) return result;
        if (cells >= TRUSTED_CELLS) task->chosen = choose_view(task, 8);
        if (task->chosen >= 0) return TAC_OK;
    }
    task->chosen = choose_view(task, 2);
    if (task->chosen >= 0) return TAC_OK;
    int seen = task->view[task->views - 1].vertices > 0 || part_is_inside(task->sampler);
    return seen ? TAC_ERROR_UNSOLVED : TAC_ERROR_VALUE;
}

//---------------------------------- attempts -------------------------------------

// a vertex that still cannot be projected collapses into a neighbour
static tacResult project_and_relax(tacRemesh* r) {
    int off = tac_remesh_project(r);
    tacResult result = off < 0 ? TAC_ERROR_MEMORY : tac_remesh_relax(r, RELAX_ITERATIONS);
    for (int turn = 0; turn < 6 && result == TAC_OK; ++turn) {
        off = tac_remesh_project(r);
        if (off < 0) return TAC_ERROR_MEMORY;
        if (tac_remesh_repair(r) == 0) break;
        result = tac_remesh_relax(r, 2);
    }
    return result;
}

static int inward_faces(const tacSurface* s) {
    int inward = 0;
    for (int t = 0; t < s->nt; ++t) {
        if (s->start[3 * t] < 0) continue;
        tacTriangle triangle = tac_surface_triangle(s, t);
        inward += !tac_faces_outward(s, &triangle);
    }
    return inward;
}

// checks of the result
static tacResult check_result(const meshTask* task, const tacSurface* s, tacRegion* blocks) {
    const latticeSummary* view = &task->view[task->chosen];
    int closed = is_closed_surface(s, blocks),
        intersections = tac_surface_self_intersections(s, blocks);
    int components = tac_surface_components(s, blocks);
    if (closed < 0 || intersections < 0 || components < 0) return TAC_ERROR_MEMORY;
    int count_fits = s->vertices >= 0.8 * task->requested && s->vertices <= 1.2 * task->requested;
    int same = tac_surface_euler(s) == view->euler && components == view->components;
    int valid = count_fits && same && closed && intersections == 0 && inward_faces(s) == 0 &&
                volume6(s) > 0.0;
    return valid ? TAC_OK : TAC_ERROR_UNSOLVED;
}

static tacResult try_lattice(meshTask* task, int cells, tacRegion* blocks, tacMesh** out) {
    tacSurface s;
    tacRemesh r;
    latticeSummary view = {.cells = cells};
    task->reached = 0;
    tacResult result = view_surface(task->sampler, 1, blocks, &s, &view);
    if (result == TAC_ERROR_VALUE ||
        (result == TAC_OK && !lattices_agree(&view, &task->view[task->chosen])))
        return TAC_ERROR_UNSOLVED;
    if (result == TAC_OK) result = tac_remesh_create(&r, task->sampler, &s, blocks);
    if (result == TAC_OK) {
        r.callback = task->callback;
        result = tac_remesh_decimate(&r, task->requested);
    }
    if (result == TAC_OK) result = project_and_relax(&r);
    if (result != TAC_OK) return result;
    task->reached = s.vertices;
    result = check_result(task, &s, blocks);
    return result == TAC_OK ? finish_mesh(task->sampler, &s, blocks, out) : result;
}

static tacResult report_failure(const meshTask* task, tacResult result, tacMessage* message) {
    const char* name = task->sampler->model->shape[task->sampler->shape].name;
    const latticeSummary* finest = &task->view[task->views - 1];
    if (result == TAC_ERROR_MEMORY)
        return tac_fail(message, result, NULL, 0, NULL, "out of memory");
    if (result == TAC_ERROR_VALUE)
        return tac_fail(message, result, NULL, 0, "shape", "'%s' is empty, or too thin to be found",
                        name);
    if (task->reached > 1.2 * task->requested)
        return tac_fail(message, result, NULL, 0, "vertices",
                        "'%s' cannot be simplified below %d vertices; ask for more", name,
                        task->reached);
    if (task->reached > 0)
        return tac_fail(
            message, result, NULL, 0, "vertices",
            "'%s': the mesh of %d vertices is not valid; ask for more or fewer vertices", name,
            task->reached);
    if (task->chosen < 0 && choose_view(task, 0) >= 0)
        return tac_fail(message, result, NULL, 0, "vertices",
                        "'%s' is so thin that its finest lattice has %d vertices; ask for half of "
                        "them at most",
                        name, finest->vertices);
    return tac_fail(message, result, NULL, 0, "shape",
                    "'%s' has parts or gaps thinner than 1/%d of its size, so its topology is "
                    "unclear; make them thicker or smoother",
                    name, finest->cells);
}

// what a caller asks for
typedef struct meshRequest {
    const tacModel* model;
    int shape, vertices;
    tacProgressCallback callback;
} meshRequest;

static tacResult tessellate(const meshRequest* request, const tacShapeSampler* sampler,
                            tacMesh** out, tacMessage* message) {
    meshTask task = {
        .sampler = sampler, .requested = request->vertices, .callback = request->callback};
    tacResult result = choose_lattice(&task);
    if (result != TAC_OK) return report_failure(&task, result, message);
    for (int attempt = 0, cells = task.view[task.chosen].cells; attempt < ATTEMPTS; ++attempt) {
        tacRegion blocks = {sampler->model->allocator, NULL, MAX_BYTES};
        result = try_lattice(&task, cells, &blocks, out);
        tac_region_release(&blocks);
        if (result != TAC_ERROR_UNSOLVED) break;
        cells += cells / 8 + 1;
    }
    return result == TAC_OK ? TAC_OK : report_failure(&task, result, message);
}

// on a lattice that is rotated against the shape
static tacResult tessellate_rotated(const meshRequest* request, tacQuat rotation, tacMesh** out,
                                    tacMessage* message) {
    tacShapeSampler sampler;
    tacResult result =
        tac_shape_sampler_open(request->model, request->shape, rotation, &sampler, message);
    if (result == TAC_OK) result = tessellate(request, &sampler, out, message);
    tac_scratch_destroy(sampler.scratch);
    return result;
}

tacResult tac_shape_tessellate_with_progress(const tacModel* model, int shape, int vertices,
                                             void (*progress)(void* user, double done), void* user,
                                             tacMesh** out, tacMessage* message) {
    if (!out || vertices < TAC_MESH_MIN_VERTICES || vertices > TAC_MESH_MAX_VERTICES)
        return tac_fail(message, TAC_ERROR_VALUE, NULL, 0, "vertices", "must be %d to %d",
                        TAC_MESH_MIN_VERTICES, TAC_MESH_MAX_VERTICES);
    meshRequest request = {model, shape, vertices, {progress, user}};
    tacResult result = tessellate_rotated(&request, tac_quat_identity(), out, message);
    if (result != TAC_ERROR_UNSOLVED) return result;
    tacQuat rotation = along_longest_part(model, shape);
    if (fabs(rotation.w) > 1.0 - 1e-9) return result;
    return tessellate_rotated(&request, rotation, out, message);
}

tacResult tac_shape_tessellate(const tacModel* model, int shape, int vertices, tacMesh** out,
                               tacMessage* message) {
    return tac_shape_tessellate_with_progress(model, shape, vertices, NULL, NULL, out, message);
}
