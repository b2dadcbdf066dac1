// The tree of links and joints of a URDF, as bodies in bodies.
//
//   document.c --<robot>--> [this file] --<mujoco>--> schema.c, *_reader.c
//                                |
//                 urdf_check.c, urdf_link.c, urdf_element.c
//
// As in MuJoCo: links without a parent are children of the world, and so are children of a link
// named "world"; bodies without joints are fused with their parents unless
// <mujoco><compiler fusestatic="false"/></mujoco> is in the robot.

#include "model/xml/urdf.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

static const tacRange any_number = {-1e9, 1e9}, not_negative = {0.0, 1e12};

typedef struct urdfLink {
    const tacElement *element, *joint; // joint: to its parent, NULL for a root
    int parent;
    int first, last, next; // children in the order of their joints; -1: none
} urdfLink;

typedef struct urdfTree {
    tacUrdf* urdf;
    urdfLink* links;
    int count, done; // done: links that have become bodies
} urdfTree;

//---------------------------------- links ----------------------------------------

static void list_links(urdfTree* tree) {
    tacReader* reader = tree->urdf->reader;
    const tacElement* robot = tree->urdf->robot;
    int count = 0;
    for (const tacElement* c = robot->child; c; c = c->next) count += !strcmp(c->name, "link");
    tree->links = tac_reader_alloc(reader, sizeof *tree->links * (size_t)(count + 1));
    for (const tacElement* c = robot->child; c && reader->result == TAC_OK; c = c->next) {
        if (strcmp(c->name, "link") != 0) continue;
        tac_require(reader, c, "name");
        const tacAttribute* name = tac_attribute(c, "name");
        if (!name) return;
        tac_names_add(reader, &tree->urdf->names,
                      (tacNameEntry){"link", name->value, tree->count, c->line});
        tree->links[tree->count++] =
            (urdfLink){.element = c, .parent = -1, .first = -1, .last = -1, .next = -1};
    }
    if (count == 0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, robot->line, "<robot>",
                        "a robot needs at least one <link>");
}

// the link that <parent> or <child> of a joint names, or -1
static int find_link(urdfTree* tree, const tacElement* joint, const char* which) {
    tacReader* reader = tree->urdf->reader;
    const tacElement* end = tac_urdf_child(joint, which);
    if (!end)
        tac_reader_fail(reader, TAC_ERROR_VALUE, joint->line, which,
                        "a <joint> needs <parent link=\"...\"/> and <child link=\"...\"/>");
    if (reader->result != TAC_OK) return -1;
    tac_require(reader, end, "link");
    const tacAttribute* name = tac_attribute(end, "link");
    if (!name) return -1;
    const tacNameEntry* entry = tac_names_find(&tree->urdf->names, "link", name->value);
    if (!entry)
        tac_reader_fail(reader, TAC_ERROR_VALUE, name->line, "link",
                        "there is no <link name=\"%.60s\">", name->value);
    return entry ? entry->index : -1;
}

static void attach_link(urdfTree* tree, const tacElement* joint) {
    tacReader* reader = tree->urdf->reader;
    int parent = find_link(tree, joint, "parent"), child = find_link(tree, joint, "child");
    if (parent < 0 || child < 0) return;
    urdfLink *below = &tree->links[child], *above = &tree->links[parent];
    const char* name = tac_attribute(below->element, "name")->value;
    if (below->joint)
        tac_reader_fail(
            reader, TAC_ERROR_VALUE, joint->line, "<child>",
            "the link '%.60s' is already the child of the joint in line %d; a URDF is a tree", name,
            below->joint->line);
    if (strcmp(name, "world") == 0)
        tac_reader_fail(reader, TAC_ERROR_VALUE, joint->line, "<child>",
                        "the link 'world' is the world and cannot be a child");
    below->joint = joint;
    below->parent = parent;
    if (above->last >= 0)
        tree->links[above->last].next = child;
    else
        above->first = child;
    above->last = child;
}

static void list_joints(urdfTree* tree) {
    tacReader* reader = tree->urdf->reader;
    int index = 0;
    for (const tacElement* c = tree->urdf->robot->child; c && reader->result == TAC_OK;
         c = c->next) {
        if (strcmp(c->name, "joint") != 0) continue;
        tac_require(reader, c, "name");
        tac_require(reader, c, "type");
        const tacAttribute* name = tac_attribute(c, "name");
        if (name)
            tac_names_add(reader, &tree->urdf->names,
                          (tacNameEntry){"joint", name->value, index++, c->line});
        attach_link(tree, c);
    }
}

//---------------------------------- joints ---------------------------------------

typedef enum {
    URDF_REVOLUTE,
    URDF_CONTINUOUS,
    URDF_PRISMATIC,
    URDF_FIXED,
    URDF_FLOATING,
    URDF_PLANAR
} urdfKind;

static tacVec3 read_axis(tacUrdf* urdf, const tacElement* joint) {
    const tacElement* element = tac_urdf_child(joint, "axis");
    double a[3] = {1.0, 0.0, 0.0};
    if (element) tac_read_vector(urdf->reader, element, "xyz", 3, any_number, a);
    double norm = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    if (norm < 1e-14) {
        tac_reader_fail(urdf->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "xyz"), "xyz",
                        "the axis has length 0");
        return (tacVec3){1.0, 0.0, 0.0};
    }
    return (tacVec3){a[0] / norm, a[1] / norm, a[2] / norm};
}

// <limit effort>: bound of the sum of a joint's actuators
static void set_effort(tacUrdf* urdf, const tacElement* limit, tacElement* out) {
    double effort = 0.0, unused;
    tac_read_number(urdf->reader, limit, "effort", any_number, &effort);
    tac_read_number(urdf->reader, limit, "velocity", any_number, &unused);
    const double range[2] = {-effort, effort};
    int line = tac_attribute_line(limit, "effort");
    if (effort > 0.0) tac_urdf_set_numbers(urdf, out, "actuatorfrcrange", range, 2, line);
}

// <limit>: a lower end below the upper one is a limit, two equal ends are none, as in MuJoCo
static void set_limit(tacUrdf* urdf, const tacElement* joint, tacElement* out) {
    const tacElement* limit = tac_urdf_child(joint, "limit");
    double range[2] = {0.0, 0.0};
    if (!limit) return;
    set_effort(urdf, limit, out);
    tac_read_number(urdf->reader, limit, "lower", any_number, &range[0]);
    tac_read_number(urdf->reader, limit, "upper", any_number, &range[1]);
    int line = tac_attribute_line(limit, "upper");
    if (range[0] > range[1])
        tac_reader_fail(urdf->reader, TAC_ERROR_VALUE, line, "upper",
                        "the upper limit %g is below the lower one %g", range[1], range[0]);
    if (range[0] >= range[1]) return;
    tac_urdf_set_numbers(urdf, out, "range", range, 2, line);
    tac_urdf_set(urdf, out, "limited", "true", line);
}

static void set_dynamics(tacUrdf* urdf, const tacElement* joint, tacElement* out) {
    const tacElement* dynamics = tac_urdf_child(joint, "dynamics");
    const char* const words[][2] = {{"damping", "damping"}, {"friction", "frictionloss"}};
    for (int i = 0; dynamics && i < 2; ++i) {
        double value = 0.0;
        if (tac_read_number(urdf->reader, dynamics, words[i][0], not_negative, &value))
            tac_urdf_set_numbers(urdf, out, words[i][1], &value, 1,
                                 tac_attribute_line(dynamics, words[i][0]));
    }
}

// <mimic>: position = offset + multiplier * position of the other
static void set_mimic(tacUrdf* urdf, const tacElement* joint) {
    const tacElement* mimic = tac_urdf_child(joint, "mimic");
    double polynomial[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    if (!mimic) return;
    tac_require(urdf->reader, mimic, "joint");
    tac_read_number(urdf->reader, mimic, "offset", any_number, &polynomial[0]);
    tac_read_number(urdf->reader, mimic, "multiplier", any_number, &polynomial[1]);
    if (!urdf->equality) urdf->equality = tac_urdf_add(urdf, urdf->root, "equality", mimic->line);
    if (urdf->reader->result != TAC_OK) return;
    tacElement* out = tac_urdf_add(urdf, urdf->equality, "joint", mimic->line);
    tac_urdf_set(urdf, out, "joint1", tac_attribute(joint, "name")->value, mimic->line);
    tac_urdf_set(urdf, out, "joint2", tac_attribute(mimic, "joint")->value,
                 tac_attribute_line(mimic, "joint"));
    tac_urdf_set_numbers(urdf, out, "polycoef", polynomial, 5, mimic->line);
}

static tacElement* add_joint(tacUrdf* urdf, tacElement* body, const tacElement* joint,
                             const char* type, const char* suffix) {
    tacElement* out = tac_urdf_add(urdf, body, "joint", joint->line);
    const char* name =
        tac_reader_text(urdf->reader, "%s%s", tac_attribute(joint, "name")->value, suffix);
    tac_urdf_set(urdf, out, "name", name, joint->line);
    tac_urdf_set(urdf, out, "type", type, tac_attribute_line(joint, "type"));
    set_dynamics(urdf, joint, out);
    return out;
}

static void set_axis(tacUrdf* urdf, const tacElement* joint, tacElement* out, tacVec3 axis) {
    const tacElement* element = tac_urdf_child(joint, "axis");
    const double a[3] = {axis.x, axis.y, axis.z};
    tac_urdf_set_numbers(urdf, out, "axis", a, 3, element ? element->line : joint->line);
}

// the smallest rotation of z to `axis`; half a turn about x if they are opposite
static tacQuat turn_from_z(tacVec3 axis) {
    double s = sqrt(axis.x * axis.x + axis.y * axis.y), half = 0.5 * atan2(s, axis.z);
    if (s < 1e-10) return (tacQuat){cos(half), sin(half), 0.0, 0.0};
    return (tacQuat){cos(half), -axis.y / s * sin(half), axis.x / s * sin(half), 0.0};
}

// two slides in the plane normal to the axis, then a hinge about it, with MuJoCo's names
static void add_planar(tacUrdf* urdf, tacElement* body, const tacElement* joint, tacVec3 axis) {
    static const struct {
        const char *type, *suffix;
        tacVec3 axis;
    } parts[] = {{"slide", "_TX", {1.0, 0.0, 0.0}},
                 {"slide", "_TY", {0.0, 1.0, 0.0}},
                 {"hinge", "_RZ", {0.0, 0.0, 1.0}}};
    tacQuat turn = turn_from_z(axis);
    for (int i = 0; i < TAC_COUNT(parts); ++i) {
        tacElement* out = add_joint(urdf, body, joint, parts[i].type, parts[i].suffix);
        set_axis(urdf, joint, out, tac_quat_rotate(turn, parts[i].axis));
        if (i == 0) set_limit(urdf, joint, out);
    }
}

static void add_joints(tacUrdf* urdf, tacElement* body, const tacElement* joint) {
    int kind = tac_read_word(urdf->reader, joint, "type",
                             "revolute continuous prismatic fixed floating planar");
    if (urdf->reader->result != TAC_OK || kind == URDF_FIXED) return;
    if (kind == URDF_FLOATING) {
        add_joint(urdf, body, joint, "free", "");
        return;
    }
    tacVec3 axis = read_axis(urdf, joint);
    if (kind == URDF_PLANAR) {
        add_planar(urdf, body, joint, axis);
        return;
    }
    tacElement* out = add_joint(urdf, body, joint, kind == URDF_PRISMATIC ? "slide" : "hinge", "");
    set_axis(urdf, joint, out, axis);
    set_limit(urdf, joint, out);
    set_mimic(urdf, joint);
}

//---------------------------------- bodies ---------------------------------------

// recursion ends: bodies nest as deep as elements of a file may
static void add_body(urdfTree* tree, int index, tacElement* parent, int depth) {
    tacUrdf* urdf = tree->urdf;
    const urdfLink* link = &tree->links[index];
    const tacAttribute* name = tac_attribute(link->element, "name");
    tacElement* body = parent;
    if (depth > TAC_MAX_NESTING - 10)
        tac_reader_fail(urdf->reader, TAC_ERROR_LIMIT, link->element->line, "<link>",
                        "a chain has at most %d links", TAC_MAX_NESTING - 10);
    if (urdf->reader->result != TAC_OK) return;
    ++tree->done;
    if (strcmp(name->value, "world") != 0) {
        body = tac_urdf_add(urdf, parent, "body", link->element->line);
        tac_urdf_set(urdf, body, "name", name->value, name->line);
        if (link->joint) {
            tac_urdf_set_pose(urdf, body, tac_urdf_origin(urdf, link->joint), link->joint->line);
            add_joints(urdf, body, link->joint);
        }
    }
    tac_urdf_link(urdf, link->element, body);
    for (int c = link->first; c >= 0; c = tree->links[c].next) add_body(tree, c, body, depth + 1);
}

static void add_bodies(tacUrdf* urdf) {
    urdfTree tree = {.urdf = urdf};
    list_links(&tree);
    list_joints(&tree);
    tacElement* world = tac_urdf_add(urdf, urdf->root, "worldbody", urdf->robot->line);
    for (int i = 0; i < tree.count && urdf->reader->result == TAC_OK; ++i)
        if (!tree.links[i].joint) add_body(&tree, i, world, 0);
    // links that no root reaches form a cycle
    int cycle = 0;
    while (cycle < tree.count && !tree.links[cycle].joint) ++cycle;
    if (tree.done < tree.count && cycle < tree.count)
        tac_reader_fail(urdf->reader, TAC_ERROR_VALUE, tree.links[cycle].joint->line, "<joint>",
                        "some links form a cycle; a URDF is a tree");
}

//---------------------------------- compiler and options -------------------------

// an element of the extension, as it is
static void copy_extension(tacUrdf* urdf, const tacElement* element) {
    tacElement* out = tac_urdf_add(urdf, urdf->root, element->name, element->line);
    for (int i = 0; out && i < element->count; ++i) {
        const tacAttribute* a = &element->attributes[i];
        tac_urdf_set(urdf, out, a->name, a->value, a->line);
    }
    for (const tacElement* c = element->child; out && c; c = c->next) {
        tacElement* below = tac_urdf_add(urdf, out, c->name, c->line);
        for (int i = 0; below && i < c->count; ++i)
            tac_urdf_set(urdf, below, c->attributes[i].name, c->attributes[i].value,
                         c->attributes[i].line);
    }
}

// paths and visuals are resolved here; a URDF is in radians whatever the extension says
static void read_compiler(tacUrdf* urdf, const tacElement* element) {
    tac_read_bool(urdf->reader, element, "strippath", &urdf->strippath);
    tac_read_bool(urdf->reader, element, "discardvisual", &urdf->discardvisual);
    const tacAttribute* meshdir = tac_attribute(element, "meshdir");
    if (!meshdir) meshdir = tac_attribute(element, "assetdir");
    if (meshdir && *meshdir->value) {
        size_t length = strlen(meshdir->value);
        int closed = meshdir->value[length - 1] == '/';
        urdf->meshdir = tac_reader_text(urdf->reader, "%s%s", meshdir->value, closed ? "" : "/");
    }
    for (int i = 0; i < element->count; ++i) {
        const tacAttribute* a = &element->attributes[i];
        if (strcmp(a->name, "strippath") && strcmp(a->name, "discardvisual") &&
            strcmp(a->name, "meshdir") && strcmp(a->name, "assetdir") && strcmp(a->name, "angle"))
            tac_urdf_set(urdf, urdf->compiler, a->name, a->value, a->line);
    }
}

static void read_extension(tacUrdf* urdf) {
    const tacElement* extension = tac_urdf_child(urdf->robot, "mujoco");
    urdf->compiler = tac_urdf_add(urdf, urdf->root, "compiler", urdf->robot->line);
    tac_urdf_set(urdf, urdf->compiler, "angle", "radian", urdf->robot->line);
    for (const tacElement* c = extension ? extension->child : NULL; c; c = c->next) {
        if (strcmp(c->name, "compiler") == 0)
            read_compiler(urdf, c);
        else
            copy_extension(urdf, c);
    }
    if (urdf->reader->result == TAC_OK && !tac_attribute(urdf->compiler, "fusestatic"))
        tac_urdf_set(urdf, urdf->compiler, "fusestatic", "true", urdf->robot->line);
}

//---------------------------------- robot ----------------------------------------

static const char* folder_of(tacReader* reader) {
    const char* slash = strrchr(reader->file, '/');
    int length = slash ? (int)(slash + 1 - reader->file) : 0;
    return tac_reader_text(reader, "%.*s", length, reader->file);
}

tacElement* tac_urdf_translate(tacReader* reader, const tacElement* robot) {
    tacUrdf urdf = {.reader = reader, .robot = robot, .discardvisual = 1, .meshdir = ""};
    tac_urdf_check(reader, robot);
    urdf.folder = folder_of(reader);
    urdf.root = tac_urdf_add(&urdf, NULL, "mujoco", robot->line);
    const tacAttribute* name = tac_attribute(robot, "name");
    if (name) tac_urdf_set(&urdf, urdf.root, "model", name->value, name->line);
    read_extension(&urdf);
    tac_urdf_list_materials(&urdf);
    add_bodies(&urdf);
    return reader->result == TAC_OK ? urdf.root : NULL;
}
