// Growing a model, and packing it into one block at the end.

#include "model/draft.h"

#include "tactus/solid.h"

#include "base/arena.h"
#include "base/assert.h"
#include "math/pose.h"
#include "shape/cloud_index.h"
#include "tactus/contact.h"

#include <stdlib.h>
#include <string.h>

//---------------------------------- parameters -----------------------------------

int tac_draft_param(tacDraft* draft, tacPath path, const char* attribute, tacRange range,
                    const double* values, int count) {
    tacReader* reader = &draft->reader;
    int offset = draft->param.count;
    for (int i = 0; i < count; ++i) {
        double* value = tac_list_add(reader, &draft->param, sizeof *value);
        if (value) *value = values[i];
    }
    tacParamName* group = tac_list_add(reader, &draft->group, sizeof *group);
    if (!group) return 0;
    group->name = tac_reader_text(reader, "%s/%s", path.name, attribute);
    if (path.alias) group->alias = tac_reader_text(reader, "%s/%s", path.alias, attribute);
    group->param = (tacParam){offset, count, range.lower, range.upper};
    return offset;
}

int tac_draft_pose(tacDraft* draft, tacPath path, tacPose pose) {
    double position[3] = {pose.position.x, pose.position.y, pose.position.z};
    double rotation[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    int offset = tac_draft_param(draft, path, "pos", tac_range_position, position, 3);
    tac_draft_param(draft, path, "quat", tac_range_position, rotation, 4);
    return offset;
}

double* tac_draft_values(tacDraft* draft, int offset) {
    return (double*)draft->param.items + offset;
}

const char* tac_draft_name(tacDraft* draft, const tacElement* element, const char* kind,
                           int index) {
    const char* name = tac_read_name(&draft->reader, element);
    if (!name) return "";
    int line = tac_attribute_line(element, "name");
    tac_names_add(&draft->reader, &draft->names, (tacNameEntry){kind, name, index, line});
    return name;
}

//---------------------------------- where bodies are -----------------------------

static tacPose pose_at(tacDraft* draft, int position) {
    const double* p = tac_draft_values(draft, position);
    return (tacPose){tac_load3(p), tac_quat_load(p + 3)};
}

// in the world while no joint moves it
tacPose tac_draft_body_pose(tacDraft* draft, int body) {
    const tacBody* bodies = draft->body.items;
    tacPose pose = tac_pose_identity();
    for (; body > 0; body = bodies[body].parent)
        pose = tac_pose_compose(pose_at(draft, bodies[body].position), pose);
    return pose;
}

//---------------------------------- order of names -------------------------------

static int compare_groups(const void* a, const void* b) {
    return strcmp(((const tacParamName*)a)->name, ((const tacParamName*)b)->name);
}

// "geom:3/pos" is both of geom 3 and of a geom with the name "3", which is to blame
static void fail_same(tacDraft* draft, const char* group) {
    size_t colon = strcspn(group, ":"), end = strcspn(group, "/");
    if (colon >= end) return;
    const char* kind = tac_reader_text(&draft->reader, "%.*s", (int)colon, group);
    const char* name =
        tac_reader_text(&draft->reader, "%.*s", (int)(end - colon - 1), group + colon + 1);
    const tacNameEntry* entry = kind && name ? tac_names_find(&draft->names, kind, name) : NULL;
    tac_reader_fail(&draft->reader, TAC_ERROR_VALUE, entry ? entry->line : 0, "name",
                    "two elements would be called '%.*s': the name of one is the index of another "
                    "that has none; add a letter",
                    end < 100 ? (int)end : 100, group);
}

static void sort_groups(tacDraft* draft) {
    tacParamName* groups = draft->group.items;
    int count = draft->group.count;
    if (draft->reader.result != TAC_OK) return;
    qsort(groups, (size_t)count, sizeof *groups, compare_groups);
    for (int i = 1; i < count && draft->reader.result == TAC_OK; ++i)
        if (strcmp(groups[i - 1].name, groups[i].name) == 0) fail_same(draft, groups[i].name);
}

//---------------------------------- packing --------------------------------------

// first pass: counts bytes (arena is NULL); second pass: copies
typedef struct tacPacker {
    tacArena* arena;
    size_t need; // of arrays
    size_t text; // of names
    char* names; // where the next name goes
} tacPacker;

static void* pack(tacPacker* packer, const tacList* list, size_t item_size) {
    size_t size = item_size * (size_t)list->count;
    if (!packer->arena) {
        packer->need += tac_arena_need(size);
        return NULL;
    }
    void* block = tac_arena_take(packer->arena, size);
    if (size) memcpy(block, list->items, size);
    return block;
}

static const char* pack_name(tacPacker* packer, const char* name) {
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

// names of the draft's items, or of their copies
static void pack_names(tacPacker* packer, tacDraft* draft) {
    draft->name = pack_name(packer, draft->name);
    tacBody* body = draft->body.items;
    for (int i = 0; i < draft->body.count; ++i) body[i].name = pack_name(packer, body[i].name);
    tacJoint* joint = draft->joint.items;
    for (int i = 0; i < draft->joint.count; ++i) joint[i].name = pack_name(packer, joint[i].name);
    tacActuator* actuator = draft->actuator.items;
    for (int i = 0; i < draft->actuator.count; ++i)
        actuator[i].name = pack_name(packer, actuator[i].name);
    tacTendon* tendon = draft->tendon.items;
    for (int i = 0; i < draft->tendon.count; ++i)
        tendon[i].name = pack_name(packer, tendon[i].name);
    tacGeom* geom = draft->geom.items;
    for (int i = 0; i < draft->geom.count; ++i) geom[i].name = pack_name(packer, geom[i].name);
    tacShape* shape = draft->shape.items;
    for (int i = 0; i < draft->shape.count; ++i) shape[i].name = pack_name(packer, shape[i].name);
    tacSite* site = draft->site.items;
    for (int i = 0; i < draft->site.count; ++i) site[i].name = pack_name(packer, site[i].name);
    tacPair* pair = draft->pair.items;
    for (int i = 0; i < draft->pair.count; ++i) pair[i].name = pack_name(packer, pair[i].name);
    tacEquality* equality = draft->equality.items;
    for (int i = 0; i < draft->equality.count; ++i)
        equality[i].name = pack_name(packer, equality[i].name);
    tacSensor* sensor = draft->sensor.items;
    for (int i = 0; i < draft->sensor.count; ++i)
        sensor[i].name = pack_name(packer, sensor[i].name);
    tacKeyframe* key = draft->key.items;
    for (int i = 0; i < draft->key.count; ++i) key[i].name = pack_name(packer, key[i].name);
    tacCamera* camera = draft->camera.items;
    for (int i = 0; i < draft->camera.count; ++i)
        camera[i].name = pack_name(packer, camera[i].name);
    tacReader* reader = &draft->reader;
    for (int i = 0; i < reader->opened_count; ++i)
        reader->opened[i] = pack_name(packer, reader->opened[i]);
    tacParamName* group = draft->group.items;
    for (int i = 0; i < draft->group.count; ++i) {
        group[i].name = pack_name(packer, group[i].name);
        group[i].alias = pack_name(packer, group[i].alias);
    }
}

// keys point to their numbers, which stand one key after the other
static tacKeyframe* pack_keys(tacPacker* packer, tacDraft* draft) {
    const double* at = pack(packer, &draft->key_number, sizeof(double));
    tacKeyframe* key = pack(packer, &draft->key, sizeof(tacKeyframe));
    int mocaps = tac_draft_mocaps(draft);
    for (int i = 0; key && i < draft->key.count; ++i) {
        key[i].qpos = at;
        at += draft->qpos0.count;
        key[i].qvel = at;
        at += draft->dof.count;
        key[i].act = at;
        at += draft->na;
        key[i].ctrl = at;
        at += draft->actuator.count;
        key[i].mpos = at;
        at += 3 * mocaps;
        key[i].mquat = at;
        at += 4 * mocaps;
    }
    return key;
}

// solids point to their arrays, which stand one solid after the other
static const tacSolid* pack_solids(tacPacker* packer, tacDraft* draft) {
    const tacVec3* vertex = pack(packer, &draft->solid_vertex, sizeof *vertex);
    const tacVec3* normal = pack(packer, &draft->solid_normal, sizeof *normal);
    const double* offset = pack(packer, &draft->solid_offset, sizeof *offset);
    const int(*edge)[4] = pack(packer, &draft->solid_edge, sizeof *edge);
    const int* first = pack(packer, &draft->solid_first, sizeof *first);
    const int* corner = pack(packer, &draft->solid_corner, sizeof *corner);
    tacSolid* solid = pack(packer, &draft->solid, sizeof *solid);
    for (int i = 0; solid && i < draft->solid.count; ++i) {
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

// the plan points to its arrays
static tacContactPlan* pack_contact(tacPacker* packer, tacDraft* draft) {
    if (draft->contact.count == 0) return NULL;
    tacContactPlan* plan = pack(packer, &draft->contact, sizeof(tacContactPlan));
    const tacContactPair* pair = pack(packer, &draft->contact_pair, sizeof(tacContactPair));
    const tacBodyPair* bodies = pack(packer, &draft->body_pair, sizeof(tacBodyPair));
    const tacHold* hold = pack(packer, &draft->hold, sizeof(tacHold));
    const tacSolid* solid = pack_solids(packer, draft);
    const tacPiece* piece = pack(packer, &draft->piece, sizeof(tacPiece));
    const int* first = pack(packer, &draft->piece_first, sizeof(int));
    const double* number = pack(packer, &draft->piece_number, sizeof(double));
    const int* index = pack(packer, &draft->piece_index, sizeof(int));
    if (!plan) return NULL;
    plan->npiece = draft->piece.count;
    plan->piece = piece;
    plan->piece_first = first;
    plan->piece_number = number;
    plan->piece_index = index;
    plan->solid = draft->solid.count > 0 ? solid : NULL;
    plan->npair = draft->contact_pair.count;
    plan->nbodies = draft->body_pair.count;
    plan->pair = pair;
    plan->bodies = bodies;
    plan->nhold = draft->hold.count;
    plan->hold = hold;
    return plan;
}

static void pack_arrays(tacPacker* packer, tacDraft* draft, tacModel* model) {
    model->param = pack(packer, &draft->param, sizeof(double));
    model->body = pack(packer, &draft->body, sizeof(tacBody));
    model->joint = pack(packer, &draft->joint, sizeof(tacJoint));
    model->dof = pack(packer, &draft->dof, sizeof(tacDof));
    model->actuator = pack(packer, &draft->actuator, sizeof(tacActuator));
    model->tendon = pack(packer, &draft->tendon, sizeof(tacTendon));
    model->tendonjoint = pack(packer, &draft->tendonjoint, sizeof(int));
    model->qpos0 = pack(packer, &draft->qpos0, sizeof(double));
    model->qpos_spring = pack(packer, &draft->qpos_spring, sizeof(double));
    model->geom = pack(packer, &draft->geom, sizeof(tacGeom));
    model->site = pack(packer, &draft->site, sizeof(tacSite));
    model->pair = pack(packer, &draft->pair, sizeof(tacPair));
    model->exclude = pack(packer, &draft->exclude, 2 * sizeof(int));
    model->equality = pack(packer, &draft->equality, sizeof(tacEquality));
    model->sensor = pack(packer, &draft->sensor, sizeof(tacSensor));
    model->key = pack_keys(packer, draft);
    model->shape = pack(packer, &draft->shape, sizeof(tacShape));
    model->node = pack(packer, &draft->node, sizeof(tacNode));
    model->cloud = pack(packer, &draft->cloud, sizeof(tacCloud));
    model->light = pack(packer, &draft->light, sizeof(tacLight));
    model->camera = pack(packer, &draft->camera, sizeof(tacCamera));
    model->paramname = pack(packer, &draft->group, sizeof(tacParamName));
    tacList opened = {draft->reader.opened, draft->reader.opened_count, 0};
    model->file = pack(packer, &opened, sizeof(const char*));
    model->contact = pack_contact(packer, draft);
}

// group of each parameter
static int* list_groups(tacPacker* packer, const tacDraft* draft) {
    size_t size = sizeof(int) * (size_t)draft->param.count;
    if (!packer->arena) {
        packer->need += tac_arena_need(size);
        return NULL;
    }
    int* group_of = tac_arena_take(packer->arena, size);
    const tacParamName* groups = draft->group.items;
    for (int i = 0; i < draft->group.count; ++i)
        for (int k = 0; k < groups[i].param.count; ++k) group_of[groups[i].param.offset + k] = i;
    return group_of;
}

// boxes of the clouds
static tacCloudPage* list_pages(tacPacker* packer, const tacModel* model) {
    size_t size = sizeof(tacCloudPage) * (size_t)model->ncloudpage;
    if (!packer->arena) {
        packer->need += tac_arena_need(size);
        return NULL;
    }
    tacCloudPage* page = tac_arena_take(packer->arena, size);
    for (int i = 0; i < model->ncloud; ++i)
        tac_cloud_refresh(&model->cloud[i], model->param, &page[model->cloud[i].page]);
    return page;
}

static tacModel sizes(const tacDraft* draft) {
    return (tacModel){.nq = draft->qpos0.count,
                      .nv = draft->dof.count,
                      .na = draft->na,
                      .nu = draft->actuator.count,
                      .ntendon = draft->tendon.count,
                      .ntendonjoint = draft->tendonjoint.count,
                      .frclimited = draft->frclimited > 0,
                      .fluid = draft->fluid,
                      .pushed = draft->pushed,
                      .njoint = draft->joint.count,
                      .nM = draft->nM,
                      .integrator = draft->integrator,
                      .disable = draft->disable,
                      .nbody = draft->body.count,
                      .ngeom = draft->geom.count,
                      .nsite = draft->site.count,
                      .npair = draft->pair.count,
                      .nexclude = draft->exclude.count,
                      .nequality = draft->equality.count,
                      .nkey = draft->key.count,
                      .nsensor = draft->sensor.count,
                      .nsensordata = draft->sensor_numbers,
                      .nmocap = tac_draft_mocaps(draft),
                      .nfile = draft->reader.opened_count,
                      .nshape = draft->shape.count,
                      .nnode = draft->node.count,
                      .ncloud = draft->cloud.count,
                      .ncloudpage = draft->page_count,
                      .nlight = draft->light.count,
                      .ncamera = draft->camera.count,
                      .nparam = draft->param.count,
                      .nparamname = draft->group.count,
                      .gravity = draft->gravity,
                      .timestep = draft->timestep,
                      .allocator = draft->reader.allocator};
}

tacModel tac_draft_view(tacDraft* draft) {
    tacModel model = sizes(draft);
    model.param = draft->param.items;
    model.body = draft->body.items;
    model.joint = draft->joint.items;
    model.geom = draft->geom.items;
    model.shape = draft->shape.items;
    model.node = draft->node.items;
    model.cloud = draft->cloud.items;
    model.pair = draft->pair.items;
    model.exclude = draft->exclude.items;
    tacCloudPage* page =
        tac_reader_take(&draft->reader, sizeof *page * (size_t)(model.ncloudpage + 1));
    for (int i = 0; page && i < model.ncloud; ++i)
        tac_cloud_refresh(&model.cloud[i], model.param, &page[model.cloud[i].page]);
    model.cloudpage = page;
    return model;
}

tacModel* tac_draft_finish(tacDraft* draft) {
    sort_groups(draft);
    if (draft->reader.result != TAC_OK) return NULL;
    tacModel model = sizes(draft);
    tacPacker packer = {0};
    pack_names(&packer, draft);
    pack_arrays(&packer, draft, &model);
    list_groups(&packer, draft);
    list_pages(&packer, &model);

    tacArena arena;
    size_t total = tac_arena_need(sizeof model) + packer.need + tac_arena_need(packer.text);
    if (tac_arena_create(&arena, total, model.allocator) != TAC_OK) {
        tac_reader_fail(&draft->reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
        return NULL;
    }
    packer.arena = &arena;
    tacModel* out = TAC_TAKE(&arena, tacModel, 1); // first: it is what is released
    packer.names = tac_arena_take(&arena, packer.text);
    pack_names(&packer, draft);
    pack_arrays(&packer, draft, &model);
    model.paramgroup = list_groups(&packer, draft);
    model.cloudpage = list_pages(&packer, &model);
    model.name = draft->name;
    return memcpy(out, &model, sizeof model);
}
