// Growing a model, and packing it into one block at the end.

#include "model/spec.h"

#include "tactus/solid.h"

#include "base/arena.h"
#include "base/assert.h"
#include "math/pose.h"
#include "model/contact/contact_data.h"
#include "shape/cloud/cloud_index.h"

#include <stdlib.h>
#include <string.h>

//---------------------------------- parameters -----------------------------------

// What a file gives must be what tac_param_set accepts. NaN is out of range, too.
static void check_range(tacSpec* spec, const char* name, const char* attribute, tacRange range,
                        double value) {
    if (value >= range.lower && value <= range.upper) return;
    int line = spec->at ? tac_attribute_line(spec->at, attribute) : 0;
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, line, attribute,
                    "makes the parameter %.100s %g, which is out of its range: %g to %g", name,
                    value, range.lower, range.upper);
}

// of all, as later readers may have scaled them
static void check_ranges(tacSpec* spec) {
    const tacParamName* group = spec->group.items;
    spec->at = NULL;
    for (int i = 0; i < spec->group.count && spec->reader.result == TAC_OK; ++i) {
        tacParam p = group[i].param;
        const char* slash = strrchr(group[i].name, '/');
        for (int k = 0; k < p.count; ++k)
            check_range(spec, group[i].name, slash ? slash + 1 : group[i].name,
                        (tacRange){p.lower, p.upper}, *tac_spec_values(spec, p.offset + k));
    }
}

int tac_spec_param(tacSpec* spec, tacPath path, const char* attribute, tacRange range,
                   const double* values, int count) {
    tacReader* reader = &spec->reader;
    int offset = spec->param.count;
    for (int i = 0; i < count; ++i) {
        double* value = tac_list_add(reader, &spec->param, sizeof *value);
        if (value) *value = values[i];
    }
    tacParamName* group = tac_list_add(reader, &spec->group, sizeof *group);
    if (!group) return 0;
    group->name = tac_reader_text(reader, "%s/%s", path.name, attribute);
    if (path.alias) group->alias = tac_reader_text(reader, "%s/%s", path.alias, attribute);
    group->param = (tacParam){offset, count, range.lower, range.upper};
    for (int i = 0; i < count && group->name; ++i)
        check_range(spec, group->name, attribute, range, values[i]);
    return offset;
}

int tac_spec_pose(tacSpec* spec, tacPath path, tacPose pose) {
    double position[3] = {pose.position.x, pose.position.y, pose.position.z};
    double rotation[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    int offset = tac_spec_param(spec, path, "pos", tac_range_position, position, 3);
    tac_spec_param(spec, path, "quat", tac_range_position, rotation, 4);
    return offset;
}

double* tac_spec_values(tacSpec* spec, int offset) { return (double*)spec->param.items + offset; }

const char* tac_spec_name(tacSpec* spec, const tacElement* element, const char* kind, int index) {
    const char* name = tac_read_name(&spec->reader, element);
    if (!name) return "";
    int line = tac_attribute_line(element, "name");
    tac_names_add(&spec->reader, &spec->names, (tacNameEntry){kind, name, index, line});
    return name;
}

//---------------------------------- where bodies are -----------------------------

static tacPose pose_at_offset(tacSpec* spec, int position) {
    const double* p = tac_spec_values(spec, position);
    return (tacPose){tac_load3(p), tac_quat_load(p + 3)};
}

// in the world, in the initial configuration
tacPose tac_spec_body_pose(tacSpec* spec, int body) {
    const tacBody* bodies = spec->tree.body.items;
    tacPose pose = tac_pose_identity();
    for (; body > 0; body = bodies[body].parent)
        pose = tac_pose_compose(pose_at_offset(spec, bodies[body].position), pose);
    return pose;
}

//---------------------------------- order of names -------------------------------

static int compare_groups(const void* a, const void* b) {
    return strcmp(((const tacParamName*)a)->name, ((const tacParamName*)b)->name);
}

// "geom:3/pos" is both of geom 3 and of a geom named "3", whose name is wrong
static void fail_ambiguous_name(tacSpec* spec, const char* group) {
    size_t colon = strcspn(group, ":"), end = strcspn(group, "/");
    if (colon >= end) return;
    const char* kind = tac_reader_text(&spec->reader, "%.*s", (int)colon, group);
    const char* name =
        tac_reader_text(&spec->reader, "%.*s", (int)(end - colon - 1), group + colon + 1);
    const tacNameEntry* entry = kind && name ? tac_names_find(&spec->names, kind, name) : NULL;
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, entry ? entry->line : 0, "name",
                    "two elements would have the name '%.*s': one is named like the index of an "
                    "unnamed one; add a letter",
                    end < 100 ? (int)end : 100, group);
}

static void sort_groups(tacSpec* spec) {
    check_ranges(spec);
    tacParamName* groups = spec->group.items;
    int count = spec->group.count;
    if (spec->reader.result != TAC_OK) return;
    qsort(groups, (size_t)count, sizeof *groups, compare_groups);
    for (int i = 1; i < count && spec->reader.result == TAC_OK; ++i)
        if (strcmp(groups[i - 1].name, groups[i].name) == 0)
            fail_ambiguous_name(spec, groups[i].name);
}

//---------------------------------- packing --------------------------------------

// first pass: counts bytes (arena is NULL); second pass: copies
typedef struct modelPacker {
    tacArena* arena;
    size_t need; // of arrays
    size_t text; // of names
    char* names; // where the next name goes
} modelPacker;

static void* pack_list(modelPacker* packer, const tacList* list, size_t item_size) {
    size_t size = item_size * (size_t)list->count;
    if (!packer->arena) {
        packer->need += tac_arena_align(size);
        return NULL;
    }
    void* block = tac_arena_alloc(packer->arena, size);
    if (size) memcpy(block, list->items, size);
    return block;
}

static const char* pack_name(modelPacker* packer, const char* name) {
    if (!name) return NULL;
    size_t size = strlen(name) + 1;
    if (!packer->arena) {
        packer->text += size;
        return name;
    }
    char* copy = memcpy(packer->names, name, size);
    packer->names += size;
    return copy;
}

// names of the items of the spec, or of their copies
static void pack_names(modelPacker* packer, tacSpec* spec) {
    spec->name = pack_name(packer, spec->name);
    tacBody* body = spec->tree.body.items;
    for (int i = 0; i < spec->tree.body.count; ++i) body[i].name = pack_name(packer, body[i].name);
    tacJoint* joint = spec->tree.joint.items;
    for (int i = 0; i < spec->tree.joint.count; ++i)
        joint[i].name = pack_name(packer, joint[i].name);
    tacActuator* actuator = spec->actuation.actuator.items;
    for (int i = 0; i < spec->actuation.actuator.count; ++i)
        actuator[i].name = pack_name(packer, actuator[i].name);
    tacTendon* tendon = spec->actuation.tendon.items;
    for (int i = 0; i < spec->actuation.tendon.count; ++i)
        tendon[i].name = pack_name(packer, tendon[i].name);
    tacGeom* geom = spec->geoms.geom.items;
    for (int i = 0; i < spec->geoms.geom.count; ++i) geom[i].name = pack_name(packer, geom[i].name);
    tacShape* shape = spec->assets.shape.items;
    for (int i = 0; i < spec->assets.shape.count; ++i)
        shape[i].name = pack_name(packer, shape[i].name);
    tacSite* site = spec->geoms.site.items;
    for (int i = 0; i < spec->geoms.site.count; ++i) site[i].name = pack_name(packer, site[i].name);
    tacPair* pair = spec->geoms.pair.items;
    for (int i = 0; i < spec->geoms.pair.count; ++i) pair[i].name = pack_name(packer, pair[i].name);
    tacEquality* equality = spec->equality.items;
    for (int i = 0; i < spec->equality.count; ++i)
        equality[i].name = pack_name(packer, equality[i].name);
    tacSensor* sensor = spec->sensors.sensor.items;
    for (int i = 0; i < spec->sensors.sensor.count; ++i)
        sensor[i].name = pack_name(packer, sensor[i].name);
    tacKeyframe* key = spec->keys.key.items;
    for (int i = 0; i < spec->keys.key.count; ++i) key[i].name = pack_name(packer, key[i].name);
    tacCamera* camera = spec->views.camera.items;
    for (int i = 0; i < spec->views.camera.count; ++i)
        camera[i].name = pack_name(packer, camera[i].name);
    tacReader* reader = &spec->reader;
    for (int i = 0; i < reader->opened_count; ++i)
        reader->opened[i] = pack_name(packer, reader->opened[i]);
    tacParamName* group = spec->group.items;
    for (int i = 0; i < spec->group.count; ++i) {
        group[i].name = pack_name(packer, group[i].name);
        group[i].alias = pack_name(packer, group[i].alias);
    }
}

// keys point to their numbers, which are stored key by key
static tacKeyframe* pack_keys(modelPacker* packer, tacSpec* spec) {
    const double* at = pack_list(packer, &spec->keys.number, sizeof(double));
    tacKeyframe* key = pack_list(packer, &spec->keys.key, sizeof(tacKeyframe));
    int mocaps = tac_spec_mocap_count(spec);
    for (int i = 0; key && i < spec->keys.key.count; ++i) {
        key[i].qpos = at;
        at += spec->tree.qpos0.count;
        key[i].qvel = at;
        at += spec->tree.dof.count;
        key[i].act = at;
        at += spec->actuation.na;
        key[i].ctrl = at;
        at += spec->actuation.actuator.count;
        key[i].mpos = at;
        at += 3 * mocaps;
        key[i].mquat = at;
        at += 4 * mocaps;
    }
    return key;
}

// solids point to their arrays, which are stored solid by solid
static const tacSolid* pack_solids(modelPacker* packer, tacSpec* spec) {
    const tacVec3* vertex = pack_list(packer, &spec->solids.vertex, sizeof *vertex);
    const tacVec3* normal = pack_list(packer, &spec->solids.normal, sizeof *normal);
    const double* offset = pack_list(packer, &spec->solids.offset, sizeof *offset);
    const int(*edge)[4] = pack_list(packer, &spec->solids.edge, sizeof *edge);
    const int* first = pack_list(packer, &spec->solids.first, sizeof *first);
    const int* corner = pack_list(packer, &spec->solids.corner, sizeof *corner);
    tacSolid* solid = pack_list(packer, &spec->solids.solid, sizeof *solid);
    for (int i = 0; solid && i < spec->solids.solid.count; ++i) {
        tacSolid* s = &solid[i];
        s->vertex = vertex;
        s->normal = normal;
        s->offset = offset;
        s->edge = edge;
        s->first = first;
        s->corner = corner;
        vertex += s->vertices;
        normal += s->faces;
        offset += s->faces;
        edge += s->edges;
        corner += first[s->faces];
        first += s->faces + 1;
    }
    return solid;
}

static const tacTriangles* pack_triangles(modelPacker* packer, const tacSpec* spec) {
    tacTriangles* out = pack_list(packer, &spec->assets.triangles, sizeof *out);
    const tacTriangles* from = spec->assets.triangles.items;
    for (int i = 0; i < spec->assets.triangles.count; ++i) {
        tacList vertex = {(void*)from[i].vertex, 3 * from[i].nvertex, 0};
        tacList triangle = {(void*)from[i].triangle, 3 * from[i].ntriangle, 0};
        const double* v = pack_list(packer, &vertex, sizeof *v);
        const int* t = pack_list(packer, &triangle, sizeof *t);
        if (!out) continue;
        out[i].vertex = v;
        out[i].triangle = t;
    }
    return out;
}

// the plan points to its arrays
static tacContactPlan* pack_contact(modelPacker* packer, tacSpec* spec) {
    if (spec->contact.plan.count == 0) return NULL;
    tacContactPlan* plan = pack_list(packer, &spec->contact.plan, sizeof(tacContactPlan));
    const tacContactPair* pair = pack_list(packer, &spec->contact.pair, sizeof(tacContactPair));
    const tacBodyPair* bodies = pack_list(packer, &spec->contact.body_pair, sizeof(tacBodyPair));
    const tacLimitFriction* limit_friction =
        pack_list(packer, &spec->contact.limit_friction, sizeof(tacLimitFriction));
    const tacSolid* solid = pack_solids(packer, spec);
    const tacConvexPart* part = pack_list(packer, &spec->parts.part, sizeof(tacConvexPart));
    const int* first = pack_list(packer, &spec->parts.first, sizeof(int));
    const double* number = pack_list(packer, &spec->parts.number, sizeof(double));
    const int* index = pack_list(packer, &spec->parts.index, sizeof(int));
    if (!plan) return NULL;
    plan->npart = spec->parts.part.count;
    plan->part = part;
    plan->part_first = first;
    plan->part_number = number;
    plan->part_index = index;
    plan->solid = spec->solids.solid.count > 0 ? solid : NULL;
    plan->npair = spec->contact.pair.count;
    plan->nbodies = spec->contact.body_pair.count;
    plan->pair = pair;
    plan->bodies = bodies;
    plan->nlimit_friction = spec->contact.limit_friction.count;
    plan->limit_friction = limit_friction;
    return plan;
}

static void pack_arrays(modelPacker* packer, tacSpec* spec, tacModel* model) {
    model->param = pack_list(packer, &spec->param, sizeof(double));
    model->body = pack_list(packer, &spec->tree.body, sizeof(tacBody));
    model->joint = pack_list(packer, &spec->tree.joint, sizeof(tacJoint));
    model->dof = pack_list(packer, &spec->tree.dof, sizeof(tacDof));
    model->actuator = pack_list(packer, &spec->actuation.actuator, sizeof(tacActuator));
    model->tendon = pack_list(packer, &spec->actuation.tendon, sizeof(tacTendon));
    model->tendonjoint = pack_list(packer, &spec->actuation.tendonjoint, sizeof(int));
    model->qpos0 = pack_list(packer, &spec->tree.qpos0, sizeof(double));
    model->qpos_spring = pack_list(packer, &spec->tree.qpos_spring, sizeof(double));
    model->geom = pack_list(packer, &spec->geoms.geom, sizeof(tacGeom));
    model->site = pack_list(packer, &spec->geoms.site, sizeof(tacSite));
    model->pair = pack_list(packer, &spec->geoms.pair, sizeof(tacPair));
    model->exclude = pack_list(packer, &spec->geoms.exclude, 2 * sizeof(int));
    model->equality = pack_list(packer, &spec->equality, sizeof(tacEquality));
    model->sensor = pack_list(packer, &spec->sensors.sensor, sizeof(tacSensor));
    model->key = pack_keys(packer, spec);
    model->shape = pack_list(packer, &spec->assets.shape, sizeof(tacShape));
    model->node = pack_list(packer, &spec->assets.node, sizeof(tacNode));
    model->cloud = pack_list(packer, &spec->assets.cloud, sizeof(tacCloud));
    model->light = pack_list(packer, &spec->views.light, sizeof(tacLight));
    model->camera = pack_list(packer, &spec->views.camera, sizeof(tacCamera));
    model->paramname = pack_list(packer, &spec->group, sizeof(tacParamName));
    model->triangles = pack_triangles(packer, spec);
    tacList opened = {spec->reader.opened, spec->reader.opened_count, 0};
    model->file = pack_list(packer, &opened, sizeof(const char*));
    model->contact = pack_contact(packer, spec);
}

// group of each parameter
static int* pack_param_groups(modelPacker* packer, const tacSpec* spec) {
    size_t size = sizeof(int) * (size_t)spec->param.count;
    if (!packer->arena) {
        packer->need += tac_arena_align(size);
        return NULL;
    }
    int* group_of = tac_arena_alloc(packer->arena, size);
    const tacParamName* groups = spec->group.items;
    for (int i = 0; i < spec->group.count; ++i)
        for (int k = 0; k < groups[i].param.count; ++k) group_of[groups[i].param.offset + k] = i;
    return group_of;
}

// boxes of the clouds
static tacCloudPage* pack_cloud_pages(modelPacker* packer, const tacModel* model) {
    size_t size = sizeof(tacCloudPage) * (size_t)model->ncloudpage;
    if (!packer->arena) {
        packer->need += tac_arena_align(size);
        return NULL;
    }
    tacCloudPage* page = tac_arena_alloc(packer->arena, size);
    for (int i = 0; i < model->ncloud; ++i)
        tac_cloud_refresh(&model->cloud[i], model->param, &page[model->cloud[i].page]);
    return page;
}

static tacModel count_items(const tacSpec* spec) {
    return (tacModel){.nq = spec->tree.qpos0.count,
                      .nv = spec->tree.dof.count,
                      .na = spec->actuation.na,
                      .nu = spec->actuation.actuator.count,
                      .ntendon = spec->actuation.tendon.count,
                      .ntendonjoint = spec->actuation.tendonjoint.count,
                      .frclimited = spec->actuation.frclimited > 0,
                      .fluid = spec->fluid.offset,
                      .has_external_forces = spec->has_external_forces,
                      .njoint = spec->tree.joint.count,
                      .nM = spec->tree.nM,
                      .integrator = spec->integrator,
                      .compat = spec->compat,
                      .disable = spec->disable,
                      .nbody = spec->tree.body.count,
                      .ngeom = spec->geoms.geom.count,
                      .nsite = spec->geoms.site.count,
                      .npair = spec->geoms.pair.count,
                      .nexclude = spec->geoms.exclude.count,
                      .nequality = spec->equality.count,
                      .nkey = spec->keys.key.count,
                      .nsensor = spec->sensors.sensor.count,
                      .nsensordata = spec->sensors.numbers,
                      .nmocap = tac_spec_mocap_count(spec),
                      .nfile = spec->reader.opened_count,
                      .ntriangles = spec->assets.triangles.count,
                      .nshape = spec->assets.shape.count,
                      .nnode = spec->assets.node.count,
                      .ncloud = spec->assets.cloud.count,
                      .ncloudpage = spec->assets.cloud_pages,
                      .nlight = spec->views.light.count,
                      .ncamera = spec->views.camera.count,
                      .nparam = spec->param.count,
                      .nparamname = spec->group.count,
                      .gravity = spec->gravity,
                      .timestep = spec->timestep,
                      .allocator = spec->reader.allocator};
}

tacModel tac_spec_model_view(tacSpec* spec) {
    tacModel model = count_items(spec);
    model.param = spec->param.items;
    model.body = spec->tree.body.items;
    model.joint = spec->tree.joint.items;
    model.dof = spec->tree.dof.items; // a scratch of the view reads them
    model.geom = spec->geoms.geom.items;
    model.shape = spec->assets.shape.items;
    model.node = spec->assets.node.items;
    model.cloud = spec->assets.cloud.items;
    model.pair = spec->geoms.pair.items;
    model.exclude = spec->geoms.exclude.items;
    tacCloudPage* page =
        tac_reader_alloc(&spec->reader, sizeof *page * (size_t)(model.ncloudpage + 1));
    for (int i = 0; page && i < model.ncloud; ++i)
        tac_cloud_refresh(&model.cloud[i], model.param, &page[model.cloud[i].page]);
    model.cloudpage = page;
    return model;
}

tacModel* tac_spec_finish(tacSpec* spec) {
    sort_groups(spec);
    if (spec->reader.result != TAC_OK) return NULL;
    tacModel model = count_items(spec);
    modelPacker packer = {0};
    pack_names(&packer, spec);
    pack_arrays(&packer, spec, &model);
    pack_param_groups(&packer, spec);
    pack_cloud_pages(&packer, &model);

    tacArena arena;
    size_t total = tac_arena_align(sizeof model) + packer.need + tac_arena_align(packer.text);
    if (tac_arena_create(&arena, total, model.allocator) != TAC_OK) {
        tac_reader_fail(&spec->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
        return NULL;
    }
    packer.arena = &arena;
    tacModel* out = TAC_ALLOC(&arena, tacModel, 1); // first: its address is what is released
    packer.names = tac_arena_alloc(&arena, packer.text);
    pack_names(&packer, spec);
    pack_arrays(&packer, spec, &model);
    model.paramgroup = pack_param_groups(&packer, spec);
    model.cloudpage = pack_cloud_pages(&packer, &model);
    model.name = spec->name;
    return memcpy(out, &model, sizeof model);
}
