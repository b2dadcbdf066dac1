// <replicate>: copies of its elements, each moved and rotated from the one before.
//
//   defaults.c --tree--> [this file] --tree with a <frame> for each copy--> scene_reader.c
//
// As in MuJoCo names get the number of the copy, and elements that refer to them (tendons,
// actuators, equalities, contacts, sensors) are copied with them, after all others.

#include "model/xml/tree.h"

#include "math/pose.h"

#include <stdio.h>
#include <string.h>

// limit on elements that are searched for references to replicas, in total
#define MAX_SEARCHES 100000000

static const tacRange any_number = {-1e9, 1e9};

//---------------------------------- one copy -------------------------------------

typedef struct tacReplica {
    int count;
    const char* sep;
    tacPose step; // from one copy to the next
} tacReplica;

static tacReplica read_replica(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    tacReplica out = {.count = 1, .sep = ""};
    double offset[3] = {0};
    tac_require(reader, element, "count");
    tac_read_int(reader, element, "count", 1, TAC_MAX_ELEMENTS, &out.count);
    tac_read_vector(reader, element, "offset", 3, any_number, offset);
    out.step = tac_read_pose(spec, element);
    out.step.position = tac_load3(offset);
    const tacAttribute* sep = tac_attribute(element, "sep");
    if (sep) out.sep = sep->value;
    return out;
}

// separator and number, with as many digits as the count has
static const char* suffix(tacReader* reader, const tacReplica* replica, int index) {
    char digits[16];
    int width = snprintf(digits, sizeof digits, "%d", replica->count);
    return tac_reader_text(reader, "%s%0*d", replica->sep, width, index);
}

static void set_pose(tacReader* reader, tacElement* frame, tacPose pose) {
    tacVec3 p = pose.position;
    tacQuat q = pose.rotation;
    tac_tree_set(reader, frame, "pos", tac_reader_text(reader, "%.17g %.17g %.17g", p.x, p.y, p.z));
    tac_tree_set(reader, frame, "quat",
                 tac_reader_text(reader, "%.17g %.17g %.17g %.17g", q.w, q.x, q.y, q.z));
}

// frames with copies in them, as children of `list`
static void add_frames(tacSpec* spec, const tacElement* element, const tacReplica* replica,
                       const tacNames* names, tacElement* list) {
    tacReader* reader = &spec->reader;
    tacPose pose = tac_pose_identity();
    for (int i = 0; i < replica->count && reader->result == TAC_OK; ++i) {
        tacRename rename = {"", suffix(reader, replica, i), names, -1};
        tacElement* frame = tac_tree_add(reader, list, "frame", element->line, element->scope);
        if (!frame || !rename.suffix) return;
        set_pose(reader, frame, pose);
        for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
            tacElement* copy = tac_tree_copy(reader, c, &rename);
            if (copy) tac_tree_append(frame, copy);
        }
        pose = tac_pose_compose(pose, replica->step);
    }
}

//---------------------------------- references -----------------------------------

// moves the elements that refer to `names` from a section to `out`
static void extract_referring(tacReader* reader, tacElement* section, const tacNames* names,
                              tacElement* out) {
    tacElement* next = section->child;
    section->child = section->last = NULL;
    for (tacElement* c = next; c; c = next) {
        next = c->next;
        if (++reader->searches > MAX_SEARCHES)
            tac_reader_fail(reader, TAC_ERROR_LIMIT, c->line, "<replicate>",
                            "too many replicas for a scene of this size; reduce count");
        tac_tree_append(tac_tree_refers(c, names, 0) ? out : section, c);
    }
}

// copies of all elements of one kind of section that refer to names of the replica
static void copy_section(tacReader* reader, tacElement* root, const char* kind,
                         const tacReplica* replica, tacNames* names) {
    tacElement extracted = {.name = kind}, *last = NULL;
    for (tacElement* c = root->child; c; c = c->next) {
        if (!tac_element_is(c, kind)) continue;
        extract_referring(reader, c, names, &extracted);
        last = c;
    }
    if (!extracted.child) return;
    // elements that refer to these in turn are copied, too
    if (strcmp(kind, "tendon") == 0 || strcmp(kind, "actuator") == 0)
        for (const tacElement* c = extracted.child; c; c = c->next) {
            const tacAttribute* name = tac_attribute(c, "name");
            if (name && !tac_names_find(names, kind, name->value))
                tac_names_add(reader, names, (tacNameEntry){kind, name->value, 0, name->line});
        }
    for (int i = 0; i < replica->count; ++i) {
        tacRename rename = {"", suffix(reader, replica, i), names, -1};
        for (const tacElement* c = extracted.child; c && reader->result == TAC_OK; c = c->next) {
            tacElement* copy = rename.suffix ? tac_tree_copy(reader, c, &rename) : NULL;
            if (copy) tac_tree_append(last, copy);
        }
    }
}

//---------------------------------- tree -----------------------------------------

// replaces the <replicate> by the frames; returns the last of them
static tacElement* splice_frames(tacElement* parent, tacElement* before, tacElement* old,
                                 tacElement* list) {
    if (before)
        before->next = list->child;
    else
        parent->child = list->child;
    list->last->next = old->next;
    if (parent->last == old) parent->last = list->last;
    for (tacElement* c = list->child; c; c = c->next) c->parent = parent;
    return list->last;
}

static void replicate_below(tacSpec* spec, tacElement* root, tacElement* parent) {
    static const char* const sections[] = {"tendon", "actuator", "equality", "contact", "sensor"};
    tacElement* before = NULL;
    for (tacElement* c = parent->child; c && spec->reader.result == TAC_OK; c = c->next) {
        replicate_below(spec, root, c);
        if (tac_element_is(c, "replicate")) {
            tacNames names = {0};
            tacElement list = {0};
            tac_enter_scope(spec, c);
            tacReplica replica = read_replica(spec, c);
            for (const tacElement* item = c->child; item; item = item->next)
                tac_tree_names(&spec->reader, item, &names);
            add_frames(spec, c, &replica, &names, &list);
            if (spec->reader.result != TAC_OK) return;
            for (int i = 0; i < 5 && names.count > 0; ++i)
                copy_section(&spec->reader, root, sections[i], &replica, &names);
            c = splice_frames(parent, before, c, &list);
        }
        before = c;
    }
}

void tac_replicate(tacSpec* spec, tacElement* root) {
    for (tacElement* c = root->child; c && spec->reader.result == TAC_OK; c = c->next)
        if (tac_element_is(c, "worldbody")) replicate_below(spec, root, c);
}
