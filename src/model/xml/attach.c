// <attach>: bodies of another model, under a prefix.
//
//   <asset><model name="arm" file="arm.xml"/></asset>
//   <attach model="arm" body="base" prefix="left_"/>  --[this file]-->  the body, the assets of its
//   model, and the tendons, actuators, equalities, contacts, sensors and keys that refer to it
//
// The other model is read by its own <compiler> and its own default classes: elements keep the
// number of their model (scope), and have all their attributes before they are copied.

#include "model/xml/tree.h"

#include "base/assert.h"
#include "model/xml/schema.h"

#include <stdio.h>
#include <string.h>

// models in models
#define MAX_LEVELS 10

typedef struct submodel {
    const char* name;
    tacElement* root;
    int scope;
} submodel;

//---------------------------------- other models ---------------------------------

static void set_scope(tacElement* element, int scope) {
    element->scope = scope;
    for (tacElement* c = element->child; c; c = c->next) set_scope(c, scope);
}

static void expand_model(tacSpec* spec, tacElement* root, const char* path, int level);

// all preparation of a scene before its sections are read
static void prepare_submodel(tacSpec* spec, tacElement* root, submodel* model, const char* path,
                             int level) {
    tacCompiler compiler = spec->compiler;
    tacNames names = spec->names;
    spec->names = (tacNames){0}; // classes are the model's own
    tac_schema_check(&spec->reader, root);
    if (spec->reader.result == TAC_OK) tac_apply_defaults(spec, root);
    if (spec->reader.result == TAC_OK) {
        model->scope = tac_add_scope(spec, root, path);
        set_scope(root, model->scope);
        expand_model(spec, root, path, level + 1);
    }
    spec->names = names;
    spec->compiler = compiler;
}

static const char* model_path(tacReader* reader, const tacElement* element, const char* from) {
    const tacAttribute* file = tac_attribute(element, "file");
    tac_require(reader, element, "file");
    if (!file || !*file->value || file->value[0] == '/') return file ? file->value : NULL;
    const char* slash = strrchr(from, '/');
    return tac_reader_text(reader, "%.*s%s", slash ? (int)(slash - from) + 1 : 0, from,
                           file->value);
}

static submodel open_model(tacSpec* spec, const tacElement* element, const char* from, int level) {
    tacReader* reader = &spec->reader;
    submodel model = {.name = ""};
    const char* path = model_path(reader, element, from);
    if (path && strcmp(path, from) == 0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, tac_attribute_line(element, "file"), "file",
                        "%.120s attaches itself", path);
    if (level >= MAX_LEVELS)
        tac_reader_fail(reader, TAC_ERROR_LIMIT, element->line, "<model>",
                        "models are nested more than %d levels deep", MAX_LEVELS);
    if (reader->result != TAC_OK) return model;
    // paths and repetitions start anew in each model
    const char* document = reader->document;
    int first = reader->file_first;
    reader->document = path;
    reader->file_first = reader->file_count;
    model.root = tac_document_open(reader, element, "file", path);
    if (model.root) tac_include_files(reader, model.root);
    reader->document = document;
    reader->file_first = first;
    if (reader->result != TAC_OK) return model;
    const tacAttribute* name = tac_attribute(element, "name");
    if (!name) name = tac_attribute(model.root, "model");
    if (name) model.name = name->value;
    prepare_submodel(spec, model.root, &model, path, level);
    return model;
}

static void open_models(tacSpec* spec, const tacElement* root, const char* from, int level,
                        tacList* out) {
    for (const tacElement* section = root->child; section; section = section->next) {
        if (!tac_element_is(section, "asset")) continue;
        for (const tacElement* c = section->child; c && spec->reader.result == TAC_OK;
             c = c->next) {
            if (!tac_element_is(c, "model")) continue;
            submodel model = open_model(spec, c, from, level);
            submodel* item = tac_list_add(&spec->reader, out, sizeof *item);
            if (item) *item = model;
        }
    }
}

//---------------------------------- sections -------------------------------------

// <mesh file="x.stl"/> is called x: its copy needs the name written out
static void name_mesh(tacReader* reader, tacElement* element, const char* prefix) {
    const tacAttribute* file = tac_attribute(element, "file");
    if (!tac_element_is(element, "mesh") || tac_attribute(element, "name") || !file) return;
    const char* slash = strrchr(file->value, '/');
    const char *base = slash ? slash + 1 : file->value, *dot = strrchr(base, '.');
    int length = dot && dot > base ? (int)(dot - base) : (int)strlen(base);
    tac_tree_set(reader, element, "name", tac_reader_text(reader, "%s%.*s", prefix, length, base));
}

static void copy_assets(tacReader* reader, tacElement* root, const submodel* model,
                        const tacRename* rename) {
    for (const tacElement* section = model->root->child; section; section = section->next) {
        if (!tac_element_is(section, "asset")) continue;
        tacElement* out = tac_tree_add(reader, root, "asset", section->line, model->scope);
        for (const tacElement* c = section->child; c && out; c = c->next) {
            tacElement* copy = tac_element_is(c, "model") ? NULL : tac_tree_copy(reader, c, rename);
            if (!copy) continue;
            name_mesh(reader, copy, rename->prefix);
            tac_tree_append(out, copy);
        }
    }
}

// elements that refer only to attached names; names of tendons and actuators join these
static void copy_section(tacReader* reader, tacElement* root, const char* kind,
                         const submodel* model, const tacRename* rename, tacNames* names) {
    tacElement* out = NULL;
    for (const tacElement* section = model->root->child; section; section = section->next) {
        if (!tac_element_is(section, kind)) continue;
        for (const tacElement* c = section->child; c && reader->result == TAC_OK; c = c->next) {
            if (!tac_tree_refers(c, names, 1)) continue;
            const tacAttribute* name = tac_attribute(c, "name");
            if (name && !tac_names_find(names, kind, name->value))
                tac_names_add(reader, names, (tacNameEntry){kind, name->value, 0, name->line});
            if (!out) out = tac_tree_add(reader, root, kind, section->line, model->scope);
            tacElement* copy = tac_tree_copy(reader, c, rename);
            if (copy && out) tac_tree_append(out, copy);
        }
    }
}

//---------------------------------- keys -----------------------------------------

// The numbers of a list that belong to selected owners, in order.
typedef struct numberSlice {
    tacReader* reader;
    const char* at;       // where the list is read
    const char* selected; // numbers so far
    int count;            // of the selected ones
} numberSlice;

static void slice_numbers(numberSlice* slice, int count, int is_selected) {
    for (int i = 0; i < count; ++i) {
        slice->at += strspn(slice->at, " \t\r\n");
        size_t length = strcspn(slice->at, " \t\r\n");
        if (is_selected && length)
            slice->selected =
                tac_reader_text(slice->reader, "%s %.*s", slice->selected ? slice->selected : "",
                                (int)length, slice->at);
        slice->at += length;
    }
    if (is_selected) slice->count += count;
}

static int positions_of(const tacElement* joint) {
    const tacAttribute* type = tac_attribute(joint, "type");
    if (tac_element_is(joint, "freejoint") || (type && strcmp(type->value, "free") == 0)) return 7;
    return type && strcmp(type->value, "ball") == 0 ? 4 : 1;
}

// joints of a body in frames, or of the bodies below it: the order of qpos
static void slice_joints(numberSlice* slice, const tacElement* element, const tacElement* attached,
                         int is_selected, int bodies) {
    for (const tacElement* c = element->child; c; c = c->next) {
        if (tac_element_is(c, "frame")) slice_joints(slice, c, attached, is_selected, bodies);
        if (!bodies && (tac_element_is(c, "joint") || tac_element_is(c, "freejoint")))
            slice_numbers(slice, positions_of(c), is_selected);
        if (!bodies || !tac_element_is(c, "body")) continue;
        slice_joints(slice, c, attached, is_selected || c == attached, 0);
        slice_joints(slice, c, attached, is_selected || c == attached, 1);
    }
}

static void slice_actuators(numberSlice* slice, const tacElement* root, const tacNames* names) {
    for (const tacElement* section = root->child; section; section = section->next)
        for (const tacElement* c = section->child; c && tac_element_is(section, "actuator");
             c = c->next)
            slice_numbers(slice, 1, tac_tree_refers(c, names, 1));
}

static int count_actuators(const tacElement* root) {
    int count = 0;
    for (const tacElement* section = root->child; section; section = section->next)
        for (const tacElement* c = section->child; c && tac_element_is(section, "actuator");
             c = c->next)
            ++count;
    return count;
}

// a body of a model that is attached to a scene
typedef struct attachment {
    const submodel* model;
    const tacElement* body;
    tacRename rename; // the prefix of its names
    tacNames names;   // of the body and all below it
    int actuators;    // of the scene before
} attachment;

// positions and controls of the attached body; the reader of keys writes them at their offsets
static void copy_key(tacReader* reader, tacElement* out, const tacElement* key,
                     const attachment* a) {
    const char* prefix = a->rename.prefix;
    tacElement* copy = tac_tree_copy(reader, key, &a->rename);
    const tacAttribute *qpos = tac_attribute(key, "qpos"), *ctrl = tac_attribute(key, "ctrl");
    const tacAttribute* name = tac_attribute(a->body, "name");
    if (!copy || !out) return;
    copy->count = 0;
    const tacAttribute *title = tac_attribute(key, "name"), *time = tac_attribute(key, "time");
    if (title)
        tac_tree_set(reader, copy, "name", tac_reader_text(reader, "%s%s", prefix, title->value));
    if (time) tac_tree_set(reader, copy, "time", time->value);
    numberSlice joints = {reader, qpos ? qpos->value : "", NULL, 0};
    for (const tacElement* c = a->model->root->child; qpos && c; c = c->next)
        if (tac_element_is(c, "worldbody")) slice_joints(&joints, c, a->body, 0, 1);
    if (joints.selected && name) {
        tac_tree_set(reader, copy, "qpos", joints.selected);
        tac_tree_set(reader, copy, "attached",
                     tac_reader_text(reader, "%s%s", prefix, name->value));
    }
    numberSlice controls = {reader, ctrl ? ctrl->value : "", NULL, 0};
    if (ctrl) slice_actuators(&controls, a->model->root, &a->names);
    if (controls.selected) {
        tac_tree_set(reader, copy, "ctrl", controls.selected);
        tac_tree_set(reader, copy, "controls", tac_reader_text(reader, "%d", a->actuators));
    }
    tac_tree_append(out, copy);
}

static void copy_keys(tacReader* reader, tacElement* root, const attachment* a) {
    tacElement* out = NULL;
    for (const tacElement* section = a->model->root->child; section; section = section->next) {
        if (!tac_element_is(section, "keyframe")) continue;
        if (!out) out = tac_tree_add(reader, root, "keyframe", section->line, a->model->scope);
        for (const tacElement* c = section->child; c && reader->result == TAC_OK; c = c->next)
            copy_key(reader, out, c, a);
    }
}

//---------------------------------- one attachment -------------------------------

static const tacElement* find_body(const tacElement* element, const char* name) {
    for (const tacElement* c = element->child; c; c = c->next) {
        const tacAttribute* own = tac_attribute(c, "name");
        if (tac_element_is(c, "body") && own && strcmp(own->value, name) == 0) return c;
        const tacElement* below = find_body(c, name);
        if (below) return below;
    }
    return NULL;
}

static const tacElement* find_worldbody(const tacElement* root) {
    for (const tacElement* c = root->child; c; c = c->next)
        if (tac_element_is(c, "worldbody")) return c;
    return NULL;
}

// the named body, or the whole world
static const tacElement* find_part(tacSpec* spec, const tacElement* element,
                                   const submodel* model) {
    const tacAttribute* body = tac_attribute(element, "body");
    const tacElement* world = find_worldbody(model->root);
    const tacElement* part = body && world ? find_body(world, body->value) : world;
    if (!part)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "body"), "body",
                        "model \"%.60s\" has no <body name=\"%.60s\">", model->name,
                        body ? body->value : "");
    return part;
}

static const submodel* find_model(tacSpec* spec, const tacElement* element, const tacList* models) {
    tac_require(&spec->reader, element, "model");
    tac_require(&spec->reader, element, "prefix");
    const tacAttribute* name = tac_attribute(element, "model");
    const submodel* items = models->items;
    for (int i = 0; name && i < models->count; ++i)
        if (strcmp(items[i].name, name->value) == 0) return &items[i];
    tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "model"), "model",
                    "there is no <model name=\"%.60s\"> in <asset>", name ? name->value : "");
    return NULL;
}

// the element becomes an identity frame with the bodies in it
static void attach_model(tacSpec* spec, tacElement* root, tacElement* element,
                         const tacList* models) {
    static const char* const sections[] = {"tendon", "actuator", "equality", "contact", "sensor"};
    tacReader* reader = &spec->reader;
    const submodel* model = find_model(spec, element, models);
    const tacElement* part = model && model->root ? find_part(spec, element, model) : NULL;
    if (!part || reader->result != TAC_OK) return;
    attachment a = {.model = model,
                    .body = part,
                    .rename = {tac_attribute(element, "prefix")->value, "", NULL, -1},
                    .actuators = count_actuators(root)};
    tac_tree_names(reader, part, &a.names);
    element->name = "frame";
    element->count = 0;
    if (tac_element_is(part, "body")) {
        tacElement* copy = tac_tree_copy(reader, part, &a.rename);
        if (copy) tac_tree_append(element, copy);
    } else {
        for (const tacElement* c = part->child; c && reader->result == TAC_OK; c = c->next) {
            tacElement* copy = tac_tree_copy(reader, c, &a.rename);
            if (copy) tac_tree_append(element, copy);
        }
    }
    copy_assets(reader, root, model, &a.rename);
    for (int i = 0; i < TAC_COUNT(sections); ++i)
        copy_section(reader, root, sections[i], model, &a.rename, &a.names);
    // keys of a whole world are dropped: its joints need not be contiguous here
    if (tac_element_is(part, "body")) copy_keys(reader, root, &a);
}

static void attach_models(tacSpec* spec, tacElement* root, tacElement* parent,
                          const tacList* models) {
    for (tacElement* c = parent->child; c && spec->reader.result == TAC_OK; c = c->next) {
        if (tac_element_is(c, "attach"))
            attach_model(spec, root, c, models);
        else
            attach_models(spec, root, c, models);
    }
}

static void expand_model(tacSpec* spec, tacElement* root, const char* path, int level) {
    tacList models = {0};
    open_models(spec, root, path, level, &models);
    for (tacElement* c = root->child; c && spec->reader.result == TAC_OK; c = c->next)
        if (tac_element_is(c, "worldbody")) attach_models(spec, root, c, &models);
    tac_replicate(spec, root);
}

void tac_expand(tacSpec* spec, tacElement* root) { expand_model(spec, root, spec->reader.file, 0); }
