// <shape> to nodes in post-order.
//
//   <shape> <sphere/> <union> … </union> </shape>  --[this file]-->  sphere … union union(root)
//
// A shape of one node has that node as its root, without a union around it. The
// node is still called child 0, so that its name stays when a second one is added.

#include "model/spec.h"

#include "base/assert.h"
#include "math/pose.h"
#include "model/mjcf/emptiness_check.h"
#include "model/mjcf/hull_reader.h"
#include "shape/bounds/planes.h"
#include "shape/node_data.h"

#include <math.h>
#include <string.h>

// what nodes inherit from their parents
typedef struct shapeScope {
    tacPath path;
    int smooth; // offset of the temperature
    tacDistance distance;
    int checked; // are combinations checked for emptiness?
} shapeScope;

// what a node returns to its parent
typedef struct builtNode {
    int node;        // index, -1 after a failure
    int depth;       // fields alive at once
    double smallest; // mean half size of its smallest leaf, infinite if none has a size
} builtNode;

static const builtNode no_node = {-1, 0, INFINITY};

//---------------------------------- nodes ----------------------------------------

// adds a node with its pose in the parent's frame; without children it is its own first node
static tacNode* add_node(tacSpec* spec, tacNodeKind kind, tacPath path, tacPose pose) {
    int index = spec->assets.node.count;
    int offset = tac_spec_pose(spec, path, pose);
    tacNode* node = tac_list_add(&spec->reader, &spec->assets.node, sizeof *node);
    if (!node) return NULL;
    *node = (tacNode){.kind = kind,
                      .parent = -1,
                      .first = index,
                      .position = offset,
                      .rotation = offset + 3,
                      .size = -1,
                      .eps = -1,
                      .smooth = -1,
                      .block = -1};
    return node;
}

// a combination that may be empty is checked when all numbers are read
static builtNode add_emptiness_check(tacSpec* spec, const tacElement* element,
                                     const shapeScope* scope, builtNode built) {
    if (built.node >= 0 && scope->checked) tac_emptiness_check_add(spec, element, built.node);
    return built;
}

static double mean_of(const double* size, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i) sum += size[i];
    return sum / count;
}

// a leaf before it becomes a node
typedef struct leafSpec {
    tacNodeKind kind;
    tacPath pose_path, path; // names of its pose, and of its size and exponents
    tacPose pose;
    const double *size, *eps; // eps NULL: it has none
} leafSpec;

static builtNode add_leaf(tacSpec* spec, leafSpec leaf) {
    tacNode* node = add_node(spec, leaf.kind, leaf.pose_path, leaf.pose);
    if (!node) return no_node;
    int count = tac_node_size_count(leaf.kind);
    if (count)
        node->size = tac_spec_param(spec, leaf.path, "size", tac_range_size, leaf.size, count);
    if (leaf.eps) node->eps = tac_spec_param(spec, leaf.path, "eps", tac_range_eps, leaf.eps, 2);
    return (builtNode){spec->assets.node.count - 1, 1,
                       count ? mean_of(leaf.size, count) : INFINITY};
}

tacPose tac_read_primitive(tacSpec* spec, const tacElement* element, tacNodeKind kind, int spare,
                           double size[3]) {
    int count = tac_node_size_count(kind), line = tac_attribute(element, "fromto") != NULL;
    double half = 1.0, read[3] = {0};
    tacPose pose = tac_pose_identity();
    if (line)
        tac_read_fromto(spec, element, &pose, &half);
    else
        pose = tac_read_pose(spec, element);
    if (count == 0) return pose;
    tac_require(&spec->reader, element, "size");
    int needed = line ? 1 : count;
    const tacRange any = {-INFINITY, INFINITY}, range = spare ? any : tac_range_size;
    int given = tac_read_numbers(&spec->reader, element, "size",
                                 (tacCountRange){needed, spare ? 3 : needed}, range, read);
    if (!given) return pose;
    for (int i = 0; i < given; ++i) { // extra numbers may be 0
        double lower = i < needed ? tac_range_size.lower : 0.0, upper = tac_range_size.upper;
        if (!(read[i] >= lower && read[i] <= upper))
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "size"),
                            "size", "%.12g is out of range: 'size' must be between %g and %g",
                            read[i], lower, upper);
    }
    for (int i = 0; i < count; ++i) size[i] = line ? read[0] : read[i];
    if (line) size[count - 1] = half;
    return pose;
}

static void read_eps(tacReader* reader, const tacElement* element, double eps[2]) {
    tac_require(reader, element, "eps");
    tac_read_vector(reader, element, "eps", 2, tac_range_eps, eps);
}

static builtNode read_leaf(tacSpec* spec, const tacElement* element, tacNodeKind kind,
                           const shapeScope* scope) {
    tacReader* reader = &spec->reader;
    double size[3] = {1.0, 1.0, 1.0}, eps[2] = {1.0, 1.0}, unused;
    int has_eps = kind == TAC_NODE_SUPERQUADRIC;
    tacPose pose = tac_read_primitive(spec, element, kind, 0, size);
    if (has_eps) read_eps(reader, element, eps);
    for (int i = 0; i < 2; ++i) {
        const char* name = i ? "offset" : "normal";
        if (kind == TAC_NODE_PLANE && tac_attribute(element, name))
            tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, name), name,
                            "is for the planes of a sweep; give pos and one of quat, euler, "
                            "axisangle, xyaxes, zaxis");
    }
    tac_read_number(reader, element, "smooth", tac_range_smooth, &unused);
    builtNode built = add_leaf(
        spec, (leafSpec){kind, scope->path, scope->path, pose, size, has_eps ? eps : NULL});
    if (built.node >= 0) ((tacNode*)spec->assets.node.items)[built.node].distance = scope->distance;
    return built;
}

//---------------------------------- polyhedron -----------------------------------

// default temperature: a share of the size, or 1 mm without a size
static double default_smooth(double size) {
    return isfinite(size) && size > 1e-9 ? 0.005 * size : 1e-3;
}

// unit normals; h is scaled with them, so that the half-space stays the same
static void normalise_planes(tacReader* reader, const tacElement* element, double* plane,
                             int count) {
    for (int i = 0; i < count; ++i) {
        double* n = &plane[4 * i];
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length < 1e-12)
            tac_reader_fail(
                reader, TAC_ERROR_VALUE, tac_attribute_line(element, "planes"), "planes",
                "plane %d has a normal of length 0; a plane is nx ny nz h, and n.x + h <= 0 inside",
                i);
        for (int k = 0; k < 4 && length > 0.0; ++k) n[k] /= length;
        if (fabs(n[3]) > tac_range_position.upper)
            tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "planes"),
                            "planes", "plane %d is %g away from the origin; at most %g", i,
                            fabs(n[3]), tac_range_position.upper);
    }
}

// written out
static double* read_written_planes(tacReader* reader, const tacElement* element, int* count) {
    int numbers = 0;
    double* plane = tac_read_list(reader, element, "planes", tac_range_position, &numbers);
    if (!plane) return NULL;
    if (numbers == 0 || numbers % 4 != 0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "planes"), "planes",
                        "needs four numbers per plane, nx ny nz h; found %d numbers", numbers);
    *count = numbers / 4;
    normalise_planes(reader, element, plane, *count);
    return reader->result == TAC_OK ? plane : NULL;
}

static double* read_planes(tacReader* reader, const tacElement* element, int* count) {
    int by_file = tac_attribute(element, "file") != NULL;
    if (!by_file && !tac_attribute(element, "planes"))
        tac_reader_fail(reader, TAC_ERROR_VALUE, element->line, "planes",
                        "<polyhedron> needs 'planes' (four numbers each, nx ny nz h), or a mesh "
                        "'file' for its convex hull");
    if (by_file && tac_attribute(element, "planes"))
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "planes"), "planes",
                        "<polyhedron> has both 'file' and 'planes'; remove one");
    return by_file ? tac_read_hull(reader, element, count)
                   : read_written_planes(reader, element, count);
}

// mean half size of the box around it; infinite if unbounded
static double planes_size(const double* plane, int count) {
    double lower[3], upper[3], sum = 0.0;
    if (!tac_planes_box(plane, count, 0.0, lower, upper)) return INFINITY;
    for (int k = 0; k < 3; ++k) sum += upper[k] - lower[k];
    return sum / 6.0;
}

// refuses an empty polyhedron, sharp or smoothed
static void check_planes(tacReader* reader, const tacElement* element, const double* plane,
                         int count, double smooth) {
    double scale = 0.0, y[3], min_smooth;
    for (int i = 0; i < count; ++i) scale = fmax(scale, fabs(plane[4 * i + 3]));
    min_smooth = fmin(smooth, fmax(1e-9 * scale, 1e-12));
    if (tac_planes_deepest_point(plane, count, min_smooth, 0.0, y) >= 0.0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "planes"), "planes",
                        "the polyhedron is empty: no point has n.x + h <= 0 for all planes; "
                        "normals point outwards, and h is minus the offset");
    else if (tac_planes_deepest_point(plane, count, smooth, 0.0, y) >= 0.0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "smooth"), "smooth",
                        "the polyhedron is empty at smooth = %g, which shrinks it by up to smooth "
                        "ln(%d) = %g; reduce smooth",
                        smooth, count, smooth * log((double)count));
}

static builtNode read_polyhedron(tacSpec* spec, const tacElement* element,
                                 const shapeScope* scope) {
    tacReader* reader = &spec->reader;
    int count = 0;
    tacPose pose = tac_read_pose(spec, element);
    double* plane = read_planes(reader, element, &count);
    if (!plane) return no_node;
    double size = planes_size(plane, count), smooth = default_smooth(size);
    tac_read_number(reader, element, "smooth", tac_range_smooth, &smooth);
    check_planes(reader, element, plane, count, smooth);
    tacNode* node = add_node(spec, TAC_NODE_POLYHEDRON, scope->path, pose);
    if (!node) return no_node;
    node->block_count = 4 * count;
    node->block = tac_spec_param(spec, scope->path, "planes", tac_range_position, plane, 4 * count);
    node->smooth = tac_spec_param(spec, scope->path, "smooth", tac_range_smooth, &smooth, 1);
    return (builtNode){spec->assets.node.count - 1, 1, size};
}

//---------------------------------- cloud ----------------------------------------

static builtNode read_cloud(tacSpec* spec, const tacElement* element, const shapeScope* scope) {
    double unused;
    tac_read_number(&spec->reader, element, "smooth", tac_range_smooth, &unused);
    tacNode* node = add_node(spec, TAC_NODE_CLOUD, scope->path, tac_read_pose(spec, element));
    if (!node) return no_node;
    return (builtNode){spec->assets.node.count - 1, 1,
                       tac_read_cloud(spec, element, scope->path, node)};
}

// a sweep has its own temperature or that of its parent
static builtNode read_sweep(tacSpec* spec, const tacElement* element, const shapeScope* scope) {
    int offset = scope->smooth;
    double smooth;
    if (tac_read_number(&spec->reader, element, "smooth", tac_range_smooth, &smooth))
        offset = tac_spec_param(spec, scope->path, "smooth", tac_range_smooth, &smooth, 1);
    tacNode* node = add_node(spec, TAC_NODE_SWEEP, scope->path, tac_read_pose(spec, element));
    if (!node) return no_node;
    node->distance = scope->distance;
    node->smooth = offset;
    double size = tac_read_sweep(spec, element, scope->path, node);
    builtNode built = {spec->assets.node.count - 1, 1, size};
    return element->child ? add_emptiness_check(spec, element, scope, built) : built;
}

//---------------------------------- combinations ---------------------------------

static builtNode read_node(tacSpec* spec, const tacElement* element, const shapeScope* scope);

tacPath tac_child_path(tacSpec* spec, const tacElement* child, int index, tacPath path) {
    tacReader* reader = &spec->reader;
    tacPath below = {tac_reader_text(reader, "%s/%d", path.name, index), NULL};
    const char* name = tac_read_plain_name(reader, child);
    if (name && strspn(name, "0123456789") == strlen(name))
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(child, "name"), "name",
                        "'%.40s' looks like the index of a child; add a letter", name);
    const char* parent = path.alias ? path.alias : path.name;
    if (name) {
        below.alias = tac_reader_text(reader, "%s/%s", parent, name);
        int line = tac_attribute_line(child, "name");
        if (below.alias) // unique among siblings: the kind is the parent's path
            tac_names_add(reader, &spec->names, (tacNameEntry){path.name, name, index, line});
    } else if (path.alias) {
        below.alias = tac_reader_text(reader, "%s/%d", parent, index);
    }
    return below;
}

// reads children in order; their number, and in `total` the largest depth and the smallest size
static int read_children(tacSpec* spec, const tacElement* element, shapeScope scope,
                         builtNode* total) {
    int count = 0;
    tacPath path = scope.path;
    *total = no_node;
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next) {
        scope.path = tac_child_path(spec, c, count++, path);
        builtNode built = read_node(spec, c, &scope);
        if (built.depth > total->depth) total->depth = built.depth;
        if (built.smallest < total->smallest) total->smallest = built.smallest;
        total->node = built.node;
    }
    if (count == 0)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, element->line, element->name,
                        "<%s> has no children; add primitives or combinations", element->name);
    return count;
}

// a combination after its children
typedef struct combinationSpec {
    tacNodeKind kind;
    tacPath path;
    tacPose pose;
    int first, children; // its first node, and how many children there are
    int smooth;          // offset of the temperature
} combinationSpec;

// The root of the nodes from `first` on. Its depth is one more than that of the children: its own
// field is alive beside a child's.
static builtNode close_combination(tacSpec* spec, combinationSpec c, builtNode total) {
    tacNode* node = add_node(spec, c.kind, c.path, c.pose);
    if (!node) return no_node;
    tacNode* nodes = spec->assets.node.items;
    int index = spec->assets.node.count - 1;
    node->first = c.first;
    node->children = c.children;
    node->smooth = c.smooth;
    for (int child = index - 1; child >= c.first; child = nodes[child].first - 1)
        nodes[child].parent = index;
    return (builtNode){index, total.depth + 1, total.smallest};
}

// its own temperature, else that of its parent
static void read_own_smooth(tacSpec* spec, const tacElement* element, shapeScope* scope) {
    double smooth;
    if (tac_read_number(&spec->reader, element, "smooth", tac_range_smooth, &smooth))
        scope->smooth = tac_spec_param(spec, scope->path, "smooth", tac_range_smooth, &smooth, 1);
}

static builtNode read_combination(tacSpec* spec, const tacElement* element, tacNodeKind kind,
                                  const shapeScope* outer) {
    shapeScope scope = *outer;
    read_own_smooth(spec, element, &scope);
    tacPose pose = tac_read_pose(spec, element);
    int first = spec->assets.node.count;
    builtNode total;
    int children = read_children(spec, element, scope, &total);
    if (kind == TAC_NODE_DIFFERENCE && children == 1)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, element->line, element->name,
                        "<difference> has one child; it subtracts all others from the first");
    combinationSpec c = {kind, outer->path, pose, first, children, scope.smooth};
    builtNode built = close_combination(spec, c, total);
    return kind == TAC_NODE_UNION ? built : add_emptiness_check(spec, element, outer, built);
}

//---------------------------------- superquadric with planes ---------------------

// <superquadric> <plane/> … </superquadric>: the intersection of all of them, with the element's
// pose; size and eps keep their names, and the superquadric's pose in it is PATH/superquadric
static builtNode read_cut_superquadric(tacSpec* spec, const tacElement* element,
                                       const shapeScope* outer) {
    tacReader* reader = &spec->reader;
    shapeScope scope = *outer;
    double size[3] = {1.0, 1.0, 1.0}, eps[2] = {1.0, 1.0};
    tacPose pose = tac_read_primitive(spec, element, TAC_NODE_SUPERQUADRIC, 0, size);
    read_eps(reader, element, eps);
    read_own_smooth(spec, element, &scope);
    tacPath pose_path = {tac_reader_text(reader, "%s/superquadric", outer->path.name), NULL};
    if (outer->path.alias)
        pose_path.alias = tac_reader_text(reader, "%s/superquadric", outer->path.alias);
    tac_names_add(reader, &spec->names,
                  (tacNameEntry){outer->path.name, "superquadric", -1, element->line});

    int first = spec->assets.node.count;
    builtNode own = add_leaf(spec, (leafSpec){TAC_NODE_SUPERQUADRIC, pose_path, outer->path,
                                              tac_pose_identity(), size, eps});
    if (own.node < 0) return no_node;
    ((tacNode*)spec->assets.node.items)[own.node].distance = scope.distance;
    builtNode total;
    int planes = read_children(spec, element, scope, &total);
    if (reader->result != TAC_OK) return no_node;
    total.smallest = own.smallest;
    combinationSpec c = {TAC_NODE_INTERSECTION, outer->path, pose, first, planes + 1, scope.smooth};
    return add_emptiness_check(spec, element, outer, close_combination(spec, c, total));
}

//---------------------------------- nodes by name --------------------------------

static tacDistance read_distance(tacSpec* spec, const tacElement* element, tacDistance inherited) {
    int word = tac_read_word(&spec->reader, element, "distance", "tangent radial");
    return word < 0 ? inherited : (tacDistance)word;
}

// the schema lets only these elements through
static builtNode read_node(tacSpec* spec, const tacElement* element, const shapeScope* outer) {
    static const char* const names[TAC_NODE_KIND_COUNT] = {
        "sphere",     "plane", "superquadric", "ellipsoid", "capsule",      "cylinder",  "box",
        "polyhedron", "cloud", "sweep",        "union",     "intersection", "difference"};
    shapeScope scope = *outer;
    scope.distance = read_distance(spec, element, scope.distance);
    int kind = 0;
    while (kind < TAC_NODE_KIND_COUNT - 1 && strcmp(element->name, names[kind]) != 0) ++kind;
    if (kind == TAC_NODE_CLOUD) return read_cloud(spec, element, &scope);
    if (kind == TAC_NODE_POLYHEDRON) return read_polyhedron(spec, element, &scope);
    if (kind == TAC_NODE_SUPERQUADRIC && element->child)
        return read_cut_superquadric(spec, element, &scope);
    if (kind == TAC_NODE_SWEEP) return read_sweep(spec, element, &scope);
    return kind < TAC_NODE_UNION ? read_leaf(spec, element, (tacNodeKind)kind, &scope)
                                 : read_combination(spec, element, (tacNodeKind)kind, &scope);
}

//---------------------------------- shapes ---------------------------------------

static tacShape* add_shape(tacSpec* spec, const char* name, int first, int depth, int exact) {
    tacShape* shape = tac_list_add(&spec->reader, &spec->assets.shape, sizeof *shape);
    if (shape) *shape = (tacShape){name, first, spec->assets.node.count - first, depth, exact, 0.0};
    return shape;
}

// value at which the field of a union is truncated; 0: not at all
static double read_truncate(tacSpec* spec, const tacElement* element) {
    static const tacRange range = {0.0, 1e9};
    tacReader* reader = &spec->reader;
    const tacNode* root = &((const tacNode*)spec->assets.node.items)[spec->assets.node.count - 1];
    double end = 0.0;
    if (!tac_read_number(reader, element, "truncate", range, &end) || end == 0.0) return 0.0;
    int line = tac_attribute_line(element, "truncate");
    if (root->kind != TAC_NODE_UNION) {
        tac_reader_fail(reader, TAC_ERROR_VALUE, line, "truncate",
                        "truncate needs a union, but <shape> has a single child that is none; put "
                        "its parts directly into <shape>, or remove truncate");
        return 0.0;
    }
    double smooth = *tac_spec_values(spec, root->smooth);
    if (end < 10.0 * smooth)
        tac_reader_fail(
            reader, TAC_ERROR_VALUE, line, "truncate",
            "truncate = %g is below ten times smooth = %g: the surface would move; use %g or more",
            end, smooth, 10.0 * smooth);
    return end;
}

// does a combination or sweep inherit the shape's temperature?
static int needs_smooth(const tacElement* element) {
    if (element->child && element->child->next) return 1;
    for (const tacElement* c = element->child; c; c = c->next)
        if ((c->child || strcmp(c->name, "sweep") == 0) && !tac_attribute(c, "smooth"))
            return 1;
        else if (needs_smooth(c))
            return 1;
    return 0;
}

static const char* read_shape_name(tacSpec* spec, const tacElement* element) {
    tac_require(&spec->reader, element, "name");
    tac_read_plain_name(&spec->reader, element);
    const char* name = tac_spec_name(spec, element, "shape", spec->assets.shape.count);
    if (strncmp(name, "geom:", 5) == 0 || strncmp(name, "mesh:", 5) == 0)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "name"), "name",
                        "names that start with 'geom:' or 'mesh:' are reserved for the shapes of "
                        "primitive geoms and meshes; choose another");
    return name;
}

void tac_read_shape(tacSpec* spec, const tacElement* element) {
    const char* name = read_shape_name(spec, element);
    shapeScope scope = {.path = {tac_reader_text(&spec->reader, "shape:%s", name), NULL},
                        .smooth = -1,
                        .distance = read_distance(spec, element, TAC_DISTANCE_TANGENT),
                        .checked = 1};
    double smooth = 1.0;
    int exact = spec->exact;
    tac_read_bool(&spec->reader, element, "exact", &exact);
    tac_read_bool(&spec->reader, element, "check", &scope.checked);
    int stated = tac_read_number(&spec->reader, element, "smooth", tac_range_smooth, &smooth);
    if (stated || needs_smooth(element))
        scope.smooth = tac_spec_param(spec, scope.path, "smooth", tac_range_smooth, &smooth, 1);

    int first = spec->assets.node.count;
    builtNode total;
    int children = read_children(spec, element, scope, &total);
    if (spec->reader.result != TAC_OK) return;
    if (!stated && scope.smooth >= 0) // 0.5 % of the mean half size of the smallest leaf
        *tac_spec_values(spec, scope.smooth) = default_smooth(total.smallest);
    combinationSpec c = {TAC_NODE_UNION, scope.path, tac_pose_identity(),
                         first,          children,   scope.smooth};
    if (children > 1) total = close_combination(spec, c, total);
    double end = read_truncate(spec, element);
    tacShape* shape = add_shape(spec, name, first, total.depth, exact || spec->exact);
    if (shape) shape->truncate = end;
}

int tac_add_hull(tacSpec* spec, const char* shape_name, const double* plane, int count) {
    tacReader* reader = &spec->reader;
    tacPath path = {tac_reader_text(reader, "shape:%s/0", shape_name), NULL};
    // thin hulls do not vanish: smoothing removes at most a tenth of their depth
    double size = planes_size(plane, count), smooth = default_smooth(size), y[3];
    double depth = -tac_planes_deepest_point(plane, count, 1e-4 * smooth, -INFINITY, y);
    smooth = fmax(fmin(smooth, 0.1 * depth / log((double)count)), tac_range_smooth.lower);
    int first = spec->assets.node.count;
    tacNode* node = add_node(spec, TAC_NODE_POLYHEDRON, path, tac_pose_identity());
    if (!node) return -1;
    int block = tac_spec_param(spec, path, "planes", tac_range_position, plane, 4 * count);
    int offset = tac_spec_param(spec, path, "smooth", tac_range_smooth, &smooth, 1);
    node->block = block;
    node->block_count = 4 * count;
    node->smooth = offset;
    add_shape(spec, shape_name, first, 1, spec->exact);
    return spec->assets.shape.count - 1;
}

int tac_add_primitive(tacSpec* spec, const char* shape_name, tacPath path, tacNodeKind kind,
                      const double* size) {
    tacPath pose_path = {tac_reader_text(&spec->reader, "shape:%s/0", shape_name), NULL};
    int first = spec->assets.node.count;
    add_leaf(spec, (leafSpec){kind, pose_path, path, tac_pose_identity(), size, NULL});
    add_shape(spec, shape_name, first, 1, spec->exact);
    return spec->assets.shape.count - 1;
}
