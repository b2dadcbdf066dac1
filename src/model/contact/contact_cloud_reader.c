// Clouds of all geoms that may collide.
//
//   finished model, meshes --contact_cloud.c--> tacContactCloud of each geom --> model->contact
//
// A mesh has the faces of its file, primitives have quads, a plane one point; all others triangles
// of the shape's surface. For respond="scm" they are split where they are too coarse.

#include "model/contact/contact_cloud_reader.h"

#include "math/pose.h"
#include "mesh/io/soup_builder.h"
#include "mesh/io/soup_stats.h"
#include "mesh/surface/quad_mesh.h"
#include "mesh/surface/refine_faces.h"
#include "mesh/surface/ring_points.h"
#include "model/contact/contact_cloud.h"
#include "model/contact/contact_plan.h"
#include "model/mjcf/cloud_points.h"
#include "shape/bounds/shape_scratch.h"
#include "tactus/mesh.h"
#include "tactus/shape.h"
#include "tactus/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// points of a refined surface at most
#define MOST_POINTS 40000
// allowed error of the field on a refined surface, as a share of the spacing
#define COARSE_SHARE 0.25

typedef struct cloudBuilder {
    tacSpec* spec;
    const tacModel* model;
    tacAllocator allocator;
    int points;      // of a surface: it has so many at least
    int refine;      // 1: faces are split to their spacing
    int uses_points; // 1: vertices are not needed, so clouds of the user are taken as they are
    tacMessage message;
    double spacing;                                    // of the surface at hand [m]
    int refined, first_refined, faces, refined_points; // meshes that were refined, the first one
    int coarse;                                        // a geom that is too thin, -1: none
    double wrong, worst[3];                            // its error, and where
} cloudBuilder;

//---------------------------------- surfaces -------------------------------------

static const tacElement* element_of(const cloudBuilder* m, int geom) {
    return ((const tacElement* const*)m->spec->geoms.element.items)[geom];
}

static double surface_area(const tacSoup* soup) {
    double total = 0.0;
    for (int t = 0; t < soup->ntriangle; ++t) {
        tacVec3 a = tac_load3(&soup->vertex[3 * (size_t)soup->triangle[3 * t]]),
                b = tac_load3(&soup->vertex[3 * (size_t)soup->triangle[3 * t + 1]]),
                c = tac_load3(&soup->vertex[3 * (size_t)soup->triangle[3 * t + 2]]);
        total += 0.5 * tac_norm(tac_cross(tac_sub(b, a), tac_sub(c, a)));
    }
    return total;
}

static tacPose geom_pose(const tacModel* model, int geom) {
    const tacGeom* g = &model->geom[geom];
    return (tacPose){tac_load3(model->param + g->position),
                     tac_quat_load(model->param + g->rotation)};
}

// a closed surface of polygons in the frame of a geom
typedef struct cloudSurface {
    const tacSoup* soup;
    tacPose pose; // of its frame in the body
    tacSurfaceProjection projection;
} cloudSurface;

static void count_refined(cloudBuilder* m, int geom, const cloudSurface* surface,
                          const tacRefinedFaces* faces) {
    if (faces->count > surface->soup->nface && tac_attribute(element_of(m, geom), "mesh")) {
        if (m->refined++ == 0) {
            m->first_refined = geom;
            m->faces = surface->soup->nface;
            m->refined_points = faces->count;
        }
    }
    // of a thin part that is coarser than the finest faces allow, or of more than the most points
    if (faces->wrong > COARSE_SHARE * m->spacing && m->coarse < 0) {
        m->coarse = geom;
        m->wrong = faces->wrong;
        memcpy(m->worst, faces->worst, sizeof m->worst);
    }
}

static tacResult cloud_of_faces(cloudBuilder* m, tacRefinedFaces* faces, tacPose pose,
                                tacContactCloud** out) {
    for (int i = 0; i < faces->count; ++i) {
        double *x = faces->centre + 3 * i, *n = faces->normal + 3 * i;
        tac_store3(x, tac_pose_apply(pose, tac_load3(x)));
        tac_store3(n, tac_pose_rotate(pose, tac_load3(n)));
    }
    return tac_contact_cloud_points((tacSurfacePoints){faces->count, faces->centre, faces->normal,
                                                       0.0, faces->area, faces->length, 0.0, NULL},
                                    m->allocator, out, &m->message);
}

// faces that are split to the spacing of the geom
static tacResult refined_cloud(cloudBuilder* m, int geom, const cloudSurface* surface,
                               tacContactCloud** out) {
    tacRefinedFaces faces;
    double area = surface_area(surface->soup);
    m->spacing = sqrt(area / m->points);
    tacResult result = tac_refine_faces(
        surface->soup, (tacRefinement){m->spacing, MOST_POINTS, surface->projection}, m->allocator,
        &faces);
    if (result == TAC_OK) {
        count_refined(m, geom, surface, &faces);
        result = cloud_of_faces(m, &faces, surface->pose, out);
    }
    tac_refined_faces_release(&faces);
    return result;
}

static tacResult cloud_of_surface(cloudBuilder* m, int geom, const cloudSurface* surface,
                                  tacContactCloud** out) {
    if (!surface->soup) return TAC_ERROR_MEMORY;
    if (!m->refine)
        return tac_contact_cloud_create(surface->soup, surface->pose, m->allocator, out,
                                        &m->message);
    tacResult result = tac_contact_cloud_check(surface->soup, m->allocator, &m->message);
    return result == TAC_OK ? refined_cloud(m, geom, surface, out) : result;
}

//---------------------------------- primitives -----------------------------------

static void project_quads(void* user, int count, double* point, double* normal) {
    for (int i = 0; i < count; ++i)
        tac_quad_mesh_project(user, &point[3 * (size_t)i], &normal[3 * (size_t)i]);
}

static tacResult ring_cloud(cloudBuilder* m, int geom, tacQuadMesh surface, tacContactCloud** out) {
    tacRefinedFaces points;
    tacResult result = tac_ring_points(surface, m->allocator, &points);
    if (result == TAC_OK) result = cloud_of_faces(m, &points, geom_pose(m->model, geom), out);
    tac_refined_faces_release(&points);
    return result;
}

static int quad_kind(tacNodeKind kind) {
    switch (kind) {
    case TAC_NODE_BOX:
        return TAC_QUADS_BOX;
    case TAC_NODE_SPHERE:
    case TAC_NODE_ELLIPSOID:
        return TAC_QUADS_ELLIPSOID;
    case TAC_NODE_CAPSULE:
        return TAC_QUADS_CAPSULE;
    case TAC_NODE_CYLINDER:
        return TAC_QUADS_CYLINDER;
    default:
        return -1;
    }
}

static tacResult cloud_of_quads(cloudBuilder* m, int geom, const tacNode* node,
                                tacContactCloud** out) {
    const double* size = m->model->param + node->size;
    tacQuadMesh quads = {.faces = m->points, .kind = (tacQuadKind)quad_kind(node->kind)};
    for (int k = 0; k < 3; ++k)
        quads.size[k] = node->kind == TAC_NODE_SPHERE               ? size[0]
                        : k == 2 && quads.kind >= TAC_QUADS_CAPSULE ? 0.0
                                                                    : size[k];
    if (m->refine && quads.kind != TAC_QUADS_BOX) return ring_cloud(m, geom, quads, out);
    cloudSurface surface = {.soup = tac_quad_mesh_create(quads, m->allocator),
                            .pose = geom_pose(m->model, geom),
                            .projection = {project_quads, &quads}};
    tacResult result = cloud_of_surface(m, geom, &surface, out);
    tac_soup_destroy((tacSoup*)surface.soup);
    return result;
}

//---------------------------------- shapes ---------------------------------------

typedef struct shapeSurface {
    const tacModel* model;
    int shape;
    tacScratch* scratch;
} shapeSurface;

// Newton steps along the gradient; the field is close to linear within a face
static void project_shape(void* user, int count, double* point, double* normal) {
    const shapeSurface* s = user;
    enum { CHUNK = 256, STEPS = 3 };
    double x[3][CHUNK], value[CHUNK], g[3][CHUNK];
    for (int first = 0; first < count; first += CHUNK) {
        int n = count - first < CHUNK ? count - first : CHUNK;
        for (int i = 0; i < n; ++i)
            for (int k = 0; k < 3; ++k) x[k][i] = point[3 * (size_t)(first + i) + (size_t)k];
        for (int step = 0; step <= STEPS; ++step) {
            tac_shape_eval(s->model, s->shape, tac_pose_identity(),
                           (tacPoints){n, {x[0], x[1], x[2]}},
                           (tacField){.value = value, .gradient = {g[0], g[1], g[2]}}, s->scratch);
            for (int i = 0; i < n && step < STEPS; ++i) {
                double square = g[0][i] * g[0][i] + g[1][i] * g[1][i] + g[2][i] * g[2][i];
                for (int k = 0; k < 3 && square > 1e-6; ++k) x[k][i] -= value[i] * g[k][i] / square;
            }
        }
        for (int i = 0; i < n; ++i) {
            double *to = &point[3 * (size_t)(first + i)], *m = &normal[3 * (size_t)(first + i)];
            tacVec3 gradient = {g[0][i], g[1][i], g[2][i]};
            double length = tac_norm(gradient);
            // at a ridge the face itself is better
            if (!(length > 0.5) || !(tac_dot(gradient, tac_load3(m)) > 0.7 * length)) continue;
            for (int k = 0; k < 3; ++k) to[k] = x[k][i];
            tac_store3(m, tac_scale(gradient, 1.0 / length));
        }
    }
}

static tacSoup* soup_of_mesh(const cloudBuilder* m, const tacMesh* mesh) {
    tacSoupBuilder builder = {.input = {.file = "", .allocator = m->allocator}};
    for (int v = 0; v < mesh->vertices; ++v) {
        const double x[3] = {mesh->x[0][v], mesh->x[1][v], mesh->x[2][v]};
        tac_soup_builder_vertex(&builder, x);
    }
    for (int f = 0; f < mesh->faces; ++f) {
        tac_soup_builder_face(&builder);
        for (int k = 0; k < 3; ++k) tac_soup_builder_corner(&builder, mesh->face[k][f]);
    }
    return tac_soup_builder_finish(&builder);
}

// a closed mesh of triangles has half as many vertices as faces
static tacResult cloud_of_shape(cloudBuilder* m, int geom, int shape, tacContactCloud** out) {
    tacMesh* mesh = NULL;
    int vertices = m->points / 2 > TAC_MESH_MIN_VERTICES ? m->points / 2 : TAC_MESH_MIN_VERTICES;
    if (vertices > TAC_MESH_MAX_VERTICES) vertices = TAC_MESH_MAX_VERTICES;
    tacResult result = tac_shape_tessellate(m->model, shape, vertices, &mesh, &m->message);
    if (result != TAC_OK) return result;
    shapeSurface of = {.model = m->model, .shape = shape};
    cloudSurface surface = {.soup = soup_of_mesh(m, mesh),
                            .pose = geom_pose(m->model, geom),
                            .projection = {project_shape, &of}};
    tac_mesh_destroy(mesh);
    result = tac_shape_scratch_create(m->model, &of.scratch);
    if (result == TAC_OK) result = cloud_of_surface(m, geom, &surface, out);
    tac_scratch_destroy(of.scratch);
    tac_soup_destroy((tacSoup*)surface.soup);
    return result;
}

//---------------------------------- clouds of the user ---------------------------

// Is a shape a cloud alone, with a kernel that this file knows: Gaussian, one width for all, and
// normals of length 1?
static int is_plain_cloud(const tacModel* model, const tacShape* shape) {
    const tacNode* root = &model->node[shape->first + shape->count - 1];
    if (shape->count != 1 || root->kind != TAC_NODE_CLOUD) return 0;
    const tacCloud* cloud = &model->cloud[root->cloud];
    const double* x = model->param + cloud->block;
    if (cloud->kernel != TAC_CLOUD_ISOTROPIC) return 0;
    for (int i = 0; i < cloud->count; ++i) {
        tacVec3 n = {x[3 * cloud->count + i], x[4 * cloud->count + i], x[5 * cloud->count + i]};
        if (!(fabs(tac_norm(n) - 1.0) <= 1e-3)) return 0;
    }
    return 1;
}

// A point stands for the square of the distance to its nearest neighbour.
static tacResult fill_own_points(tacReader* reader, const tacModel* model, const tacNode* node,
                                 tacPose pose, tacSurfacePoints* out) {
    const tacCloud* cloud = &model->cloud[node->cloud];
    const double* column = model->param + cloud->block;
    size_t n = (size_t)cloud->count;
    tacCloudPoints points = {.count = cloud->count,
                             .point = tac_reader_alloc(reader, 3 * sizeof(double) * n),
                             .normal = tac_reader_alloc(reader, 3 * sizeof(double) * n)};
    double *distance = tac_reader_alloc(reader, sizeof(double) * n),
           *area = tac_reader_alloc(reader, sizeof(double) * n);
    if (!points.point || !points.normal || !distance || !area) return TAC_ERROR_MEMORY;
    for (size_t i = 0; i < n; ++i) {
        tacVec3 x = {column[i], column[n + i], column[2 * n + i]},
                m = {column[3 * n + i], column[4 * n + i], column[5 * n + i]};
        tac_store3(&points.point[3 * i], tac_pose_apply(pose, x));
        tac_store3(&points.normal[3 * i], tac_pose_rotate(pose, m));
    }
    if (!tac_cloud_neighbours(reader, &points, distance)) return TAC_ERROR_MEMORY;
    double width = model->param[node->smooth];
    for (size_t i = 0; i < n; ++i) {
        if (!(distance[i] > 1e-3 * width) || !isfinite(distance[i])) distance[i] = 2.0 * width;
        area[i] = distance[i] * distance[i];
    }
    *out = (tacSurfacePoints){.count = cloud->count,
                              .point = points.point,
                              .normal = points.normal,
                              .areas = area,
                              .reach = distance,
                              .own_eps = width * width,
                              .log_amp = cloud->has_log_amp ? column + 6 * n : NULL};
    return TAC_OK;
}

// its points and its kernel as they are
static tacResult cloud_of_points(cloudBuilder* m, int geom, const tacNode* node,
                                 tacContactCloud** out) {
    tacReader reader = {.allocator = m->allocator, .file = "", .document = ""};
    tacSurfacePoints points;
    tacPose own = {tac_load3(m->model->param + node->position),
                   tac_quat_load(m->model->param + node->rotation)};
    tacPose pose = tac_pose_compose(geom_pose(m->model, geom), own);
    tacResult result = fill_own_points(&reader, m->model, node, pose, &points);
    if (result == TAC_OK) result = tac_contact_cloud_points(points, m->allocator, out, &m->message);
    tac_reader_close(&reader);
    return result;
}

// a cloud whose kernel has another form is its surface
static void warn_resampled(cloudBuilder* m, const tacShape* shape) {
    const tacNode* root = &m->model->node[shape->first + shape->count - 1];
    if (shape->count == 1 && root->kind == TAC_NODE_CLOUD)
        tac_reader_warn(&m->spec->reader,
                        "'%.40s': contact takes points of its surface in place of its own, as its "
                        "kernel is not isotropic or its normals do not have length 1",
                        shape->name);
}

//---------------------------------- meshes ---------------------------------------

static const char* mesh_text(const tacSoup* soup) { return *soup->file ? soup->file : "a mesh"; }

// The soup with one vertex at each position, for files that give each face its own vertices
// (texture seams, flat shading); NULL if it is still not closed.
static tacSoup* weld_soup(const cloudBuilder* m, const tacSoup* soup) {
    tacSoupStats is;
    if (soup->nface < 1 || tac_soup_stats(soup, &is) != TAC_OK || is.closed) return NULL;
    tacSoupBuilder builder = {.input = {.file = soup->file, .allocator = m->allocator}};
    for (int v = 0; v < soup->nvertex; ++v) tac_soup_builder_vertex(&builder, &soup->vertex[3 * v]);
    for (int f = 0; f < soup->nface; ++f) {
        builder.input.line = soup->face_line ? soup->face_line[f] : 0;
        tac_soup_builder_face(&builder);
        for (int i = soup->first[f]; i < soup->first[f + 1]; ++i)
            tac_soup_builder_corner(&builder, soup->corner[i]);
    }
    tac_soup_builder_weld(&builder);
    tacSoup* out = tac_soup_builder_finish(&builder);
    if (out && tac_soup_stats(out, &is) == TAC_OK && is.closed) return out;
    if (out) tac_soup_destroy(out);
    return NULL;
}

// vertices are in the file's frame, the geom in that of the principal axes
static tacResult cloud_of_mesh(cloudBuilder* m, int geom, tacContactCloud** out) {
    const tacMeshSpec* mesh = tac_find_mesh(m->spec, element_of(m, geom));
    if (!mesh) return m->spec->reader.result;
    const tacSoup* soup = tac_mesh_soup(mesh);
    tacSoup* welded = weld_soup(m, soup);
    int dropped = soup->dropped + (welded ? welded->dropped : 0);
    if (dropped > 0)
        tac_reader_warn(&m->spec->reader, "%.80s: skipped %d face%s without area", soup->file,
                        dropped, dropped == 1 ? "" : "s");
    if (tac_mesh_is_hulled(mesh))
        tac_reader_warn(&m->spec->reader,
                        "%.80s has no faces: the %d points are those of its convex hull",
                        mesh_text(soup), soup->nface);
    tacPose pose =
        tac_pose_compose(geom_pose(m->model, geom), tac_pose_inverse(tac_mesh_pose(mesh)));
    cloudSurface surface = {.soup = welded ? welded : soup, .pose = pose};
    tacResult result = cloud_of_surface(m, geom, &surface, out);
    if (welded) tac_soup_destroy(welded);
    return result;
}

static tacResult make_cloud(cloudBuilder* m, int geom, tacContactCloud** out) {
    int shape = m->model->geom[geom].shape;
    if (shape < 0) {
        snprintf(m->message.text, sizeof m->message.text, "it has no closed surface");
        return TAC_ERROR_UNSUPPORTED;
    }
    const tacShape* s = &m->model->shape[shape];
    const tacNode* root = &m->model->node[s->first + s->count - 1];
    // a root with a pose of its own is not the plain primitive
    if (root->kind == TAC_NODE_POLYHEDRON && tac_attribute(element_of(m, geom), "mesh"))
        return cloud_of_mesh(m, geom, out);
    if (m->uses_points && is_plain_cloud(m->model, s)) return cloud_of_points(m, geom, root, out);
    warn_resampled(m, s);
    if (tac_attribute(element_of(m, geom), "shape")) return cloud_of_shape(m, geom, shape, out);
    if (root->kind == TAC_NODE_PLANE)
        return tac_contact_cloud_plane(geom_pose(m->model, geom), m->allocator, out);
    if (quad_kind(root->kind) >= 0) return cloud_of_quads(m, geom, root, out);
    return cloud_of_shape(m, geom, shape, out);
}

//---------------------------------- temperatures ---------------------------------

static double coarsest_spacing(const tacModel* model) {
    double spacing = 0.0;
    for (int g = 0; g < model->ngeom; ++g) {
        const tacContactCloud* c = model->contact->cloud[g];
        if (c && c->queries > 0) spacing = fmax(spacing, c->spacing);
    }
    return spacing;
}

// A side face acts on points within eps1/h of its edge, so eps1 is small: (h/3)^2 of the coarsest
// cloud, and no more than l eps3/2, which is that of a cloud of 600 points on the smallest body and
// a quarter of the force at a distance (docs/scm.md)
static void set_eps1(tacSpec* spec, tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int at = plan->number[TAC_CONTACT_EPS1];
    int scm = plan->responder == TAC_RESPOND_SCM, first = plan->number[TAC_CONTACT_EPS3];
    int defaults = tac_find_tactus(spec, "eps3") ? 0 : spec->contact.body_pair.count;
    double h = coarsest_spacing(model), least = INFINITY;
    for (int i = 0; i < plan->npair; ++i) {
        int eps3 = plan->pair[i].eps3, is_default = eps3 >= first && eps3 < first + defaults;
        if (eps3 < 0) continue;
        // what stiffness makes of the default (contact_plan.c) is no matter of edges
        double value = is_default && scm ? 0.015 * plan->length : model->param[eps3];
        least = fmin(least, value);
    }
    if (at < 0 || tac_find_tactus(spec, "eps1") || !(h > 0.0)) return;
    double eps = h * h / 9.0, most = (scm ? 1.0 / 6.0 : 0.5) * plan->length * least;
    model->param[at] = fmax(fmin(eps, most), 1e-18);
}

// The concentric pose of a ball of radius r in one of radius R is repulsive if eps2 is above this;
// below, it is attractive. Infinite: always attractive.
static double core_limit(double a, double b) {
    double R = fmax(a, b), r = fmin(a, b), gap = R - r;
    return 2.0 * gap > r ? gap * r / (2.0 * gap - r) : INFINITY;
}

static const char* geom_text(const tacModel* model, int geom, char text[64]) {
    const char* name = model->geom[geom].name;
    snprintf(text, 64, *name ? "%.40s" : "geom %.0s%d", name, geom);
    return text;
}

// Can bodies penetrate that deep? Yes where eps2 is given; else if a tenth of the weight of the
// pair compresses its spring that far.
static int is_depth_reachable(const tacSpec* spec, const tacModel* model,
                              const tacContactPair* pair, double r) {
    double weight = 9.81 * model->contact->bodies[pair->bodies].weight;
    return tac_find_tactus(spec, "eps2") || 10.0 * weight > model->param[pair->stiffness] * r;
}

// warns if the temperatures make a pair of bodies attract each other; 0: they do not
static int warn_attracting_core(tacSpec* spec, const tacModel* model, const tacContactPair* pair) {
    const tacContactPlan* plan = model->contact;
    const tacContactCloud *a = plan->cloud[pair->geom[0]], *b = plan->cloud[pair->geom[1]];
    double eps1 = model->param[plan->number[TAC_CONTACT_EPS1]],
           eps2 = model->param[plan->number[TAC_CONTACT_EPS2]];
    char first[64], second[64];
    if (!a || !b || a->queries == 0 || b->queries == 0) return 0;
    geom_text(model, pair->geom[0], first);
    geom_text(model, pair->geom[1], second);
    double limit = core_limit(a->radius, b->radius), r = fmin(a->radius, b->radius);
    if (eps1 > 1.2 * r * r) {
        tac_reader_warn(&spec->reader,
                        "%s and %s may attract each other from a distance: eps1 %.3g is above 1.2 "
                        "r^2 = %.3g; reduce it",
                        first, second, eps1, 1.2 * r * r);
        return 1;
    }
    if (plan->responder != TAC_RESPOND_SCM || eps2 >= limit) return 0;
    if (!is_depth_reachable(spec, model, pair, r)) return 0;
    char advice[80] = ", for any eps2";
    if (isfinite(limit))
        snprintf(advice, sizeof advice, ": eps2 %.3g should be above %.3g", eps2, limit);
    tac_reader_warn(
        &spec->reader,
        "%s and %s attract each other at deep penetration, with centers closer than %.3g m%s",
        first, second, r, advice);
    return 1;
}

// the first pair whose core attracts (docs/scm.md, Limits)
static void warn_attracting_cores(tacSpec* spec, const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    for (int i = 0; i < plan->npair; ++i)
        if (warn_attracting_core(spec, model, &plan->pair[i])) return;
}

//---------------------------------- influence ------------------------------------

// the largest eps3 of the pairs of a geom; 0: it has none
static double largest_eps3(const tacModel* model, int geom) {
    const tacContactPlan* plan = model->contact;
    double most = 0.0;
    for (int i = 0; i < plan->npair; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        if ((pair->geom[0] == geom || pair->geom[1] == geom) && pair->eps3 >= 0)
            most = fmax(most, model->param[pair->eps3]);
    }
    return most;
}

static int are_alike(const tacContactCloud* a, const tacContactCloud* b) {
    return a->count == b->count && a->vertices == b->vertices &&
           memcmp(a->block, b->block, sizeof(double) * 6 * (size_t)a->count) == 0;
}

// a geom before it whose cloud and temperatures are the same; -1: none
static int find_duplicate(const tacContactPlan* plan, int geom, double eps3) {
    for (int g = 0; g < geom; ++g) {
        const tacContactCloud* c = plan->cloud[g];
        if (c && c->influence && c->influence->eps3 == eps3 && are_alike(c, plan->cloud[geom]))
            return g;
    }
    return -1;
}

static void warn_unbounded_influence(tacSpec* spec, const tacModel* model, int geom) {
    const tacContactCloud* c = model->contact->cloud[geom];
    char name[64];
    int i = c->influence->unbounded;
    tac_reader_warn(&spec->reader,
                    "%s: the face at (%.3g %.3g %.3g) has unbounded influence, so distant points "
                    "are evaluated, too; use a finer mesh",
                    geom_text(model, geom, name), c->block[i], c->block[c->count + i],
                    c->block[2 * c->count + i]);
}

// duplicates share it: the first one owns it
static void make_influences(tacSpec* spec, const tacModel* model, tacContactCloud** clouds) {
    const tacContactPlan* plan = model->contact;
    double eps1 = model->param[plan->number[TAC_CONTACT_EPS1]];
    int warned = 0;
    for (int g = 0; g < model->ngeom; ++g) {
        double eps3 = largest_eps3(model, g);
        if (!clouds[g] || clouds[g]->queries == 0 || !(eps3 > 0.0)) continue;
        int duplicate = find_duplicate(plan, g, eps3);
        clouds[g]->influence =
            duplicate >= 0 ? clouds[duplicate]->influence
                           : tac_contact_influence_create(clouds[g], eps1, eps3, model->allocator);
        if (!clouds[g]->influence) {
            tac_reader_fail(&spec->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
            return;
        }
        if (clouds[g]->influence->unbounded >= 0 && !warned++)
            warn_unbounded_influence(spec, model, g);
    }
}

static void release_influence(tacModel* model, tacContactCloud** clouds, int geom) {
    const tacContactInfluence* influence = clouds[geom]->influence;
    for (int g = 0; g < geom; ++g)
        if (clouds[g] && clouds[g]->influence == influence) return;
    if (influence) model->allocator.release(model->allocator.user, (void*)influence);
}

//---------------------------------- coarse clouds --------------------------------

// Clouds of more points than the root of this are fine enough, and slow to check.
#define COARSE_WORK 4e6
// allowed error of the field on the surface, as a share of the size
#define GIVEN_SHARE 0.05

// Distance of a surface point from the plane of the nearest cloud point, which the field is close
// to: 0 if that is its own face; not 0 where a thin part is closer to the center of another face.
static double field_error_at(const tacContactCloud* c, const double point[3]) {
    const double *x = c->block, *n = c->block + 3 * c->count;
    double least = INFINITY, off = 0.0;
    for (int i = 0; i < c->count; ++i) {
        double square = 0.0, along = 0.0;
        for (int k = 0; k < 3; ++k) {
            double d = point[k] - x[k * c->count + i];
            square += d * d;
            along += d * n[k * c->count + i];
        }
        if (square < least) {
            least = square;
            off = fabs(along);
        }
    }
    return off;
}

// the worst error, at vertices and between them and the centers of their faces
static double worst_field_error(const tacContactCloud* c, double worst[3]) {
    double most = 0.0;
    for (int v = 0; v < c->vertices; ++v)
        for (int j = 3 * c->first[v]; j < 3 * c->first[v + 1]; ++j) {
            double point[3], share = 0.25 * (2 + j % 3);
            for (int k = 0; k < 3; ++k)
                point[k] = share * c->vertex[k][v] +
                           (1.0 - share) * c->block[k * c->count + c->face[j / 3]];
            double off = field_error_at(c, point);
            if (off > most) {
                most = off;
                memcpy(worst, point, sizeof point);
            }
        }
    return most;
}

static int warn_coarse_cloud(tacSpec* spec, const tacModel* model, int geom) {
    const tacContactCloud* c = model->contact->cloud[geom];
    double at[3] = {0};
    char name[64];
    if ((double)c->count * c->count > COARSE_WORK) return 0;
    double off = worst_field_error(c, at);
    if (!(off > GIVEN_SHARE * c->size)) return 0;
    tac_reader_warn(&spec->reader,
                    "%s has too few points for its thickness: at (%.3g %.3g %.3g) on its surface "
                    "the field is wrong by %.2g m; use a finer mesh or more points",
                    geom_text(model, geom, name), at[0], at[1], at[2], off);
    return 1;
}

// what was refined, and what is too thin for it
static void report_refinement(const cloudBuilder* m) {
    char name[64], more[48] = "";
    if (m->refined > 1)
        snprintf(more, sizeof more, " (and %d other mesh%s)", m->refined - 1,
                 m->refined == 2 ? "" : "es");
    if (m->refined > 0)
        tac_reader_warn(&m->spec->reader,
                        "%s: %d faces are too coarse for contact and were refined to %d points%s; "
                        "refine=\"false\" takes them as they are",
                        geom_text(m->model, m->first_refined, name), m->faces, m->refined_points,
                        more);
    if (m->coarse >= 0)
        tac_reader_warn(&m->spec->reader,
                        "%s is too thin for its points: at (%.3g %.3g %.3g) on its surface the "
                        "field is wrong by %.2g m; give more points",
                        geom_text(m->model, m->coarse, name), m->worst[0], m->worst[1], m->worst[2],
                        m->wrong);
}

// soft points use few faces by intent; refined clouds were checked
static void warn_coarse_clouds(tacSpec* spec, const tacModel* model) {
    if (model->contact->responder != TAC_RESPOND_SCM) return;
    if (!model->contact->choice[TAC_CHOICE_UNREFINED]) return;
    for (int g = 0; g < model->ngeom; ++g) {
        const tacContactCloud* c = model->contact->cloud[g];
        if (c && c->queries && warn_coarse_cloud(spec, model, g)) return;
    }
}

//---------------------------------- all geoms ------------------------------------

static void make_clouds(cloudBuilder* m, const tacContactPlan* plan, tacContactCloud** clouds) {
    tacReader* reader = &m->spec->reader;
    char* has_pair = tac_reader_alloc(reader, (size_t)m->model->ngeom + 1);
    if (has_pair) tac_mark_contact_geoms(plan, m->model->ngeom, has_pair);
    for (int g = 0; g < m->model->ngeom && reader->result == TAC_OK; ++g) {
        if (!has_pair[g]) continue;
        m->message = (tacMessage){0};
        tacResult result = make_cloud(m, g, &clouds[g]);
        char where[96] = "";
        if (m->message.line > 0)
            snprintf(where, sizeof where, "%.60s:%d: ", m->message.file, m->message.line);
        else if (*m->message.file)
            snprintf(where, sizeof where, "%.60s: ", m->message.file);
        if (result != TAC_OK)
            tac_reader_fail(reader, result, element_of(m, g)->line, NULL,
                            "cannot make the points of this geom: %s%s", where,
                            *m->message.text ? m->message.text : "out of memory");
    }
}

void tac_read_contact_clouds(tacSpec* spec, tacModel* model) {
    tacContactPlan* plan =
        (tacContactPlan*)model->contact; // owned by the loader until tac_load returns
    if (!plan || plan->detector != TAC_DETECT_SSDF) return;
    tacAllocator a = model->allocator;
    size_t size = sizeof(tacContactCloud*) * (size_t)(model->ngeom + 1);
    tacContactCloud** clouds = a.allocate(a.user, size);
    plan->cloud = (const tacContactCloud* const*)clouds;
    if (!clouds) {
        tac_reader_fail(&spec->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
        return;
    }
    memset(clouds, 0, size);
    cloudBuilder m = {.spec = spec, .model = model, .allocator = a};
    m.points = plan->choice[TAC_CHOICE_POINTS];
    m.refine = plan->responder == TAC_RESPOND_SCM && !plan->choice[TAC_CHOICE_UNREFINED];
    m.uses_points = plan->responder == TAC_RESPOND_SCM;
    m.coarse = -1;
    make_clouds(&m, plan, clouds);
    if (spec->reader.result != TAC_OK) return;
    set_eps1(spec, model);
    // a temperature that the scene gives is that of the paper's field, whose planes have no end
    for (int g = 0; g < model->ngeom && !tac_find_tactus(spec, "eps1"); ++g)
        if (clouds[g] && clouds[g]->queries > 0 && !(clouds[g]->own_eps > 0.0)) {
            clouds[g]->is_cut_off = 1;
            tac_contact_cloud_depths(clouds[g]);
        }
    report_refinement(&m);
    warn_attracting_cores(spec, model);
    warn_coarse_clouds(spec, model);
    if (!plan->choice[TAC_CHOICE_EXACT]) make_influences(spec, model, clouds);
}

void tac_release_contact_clouds(tacModel* model) {
    if (!model->contact || !model->contact->cloud) return;
    tacAllocator a = model->allocator;
    tacContactCloud** clouds = (tacContactCloud**)model->contact->cloud;
    for (int g = model->ngeom - 1; g >= 0; --g)
        if (clouds[g]) {
            release_influence(model, clouds, g);
            a.release(a.user, clouds[g]);
        }
    a.release(a.user, clouds);
}
