// tactus check --mjcf: the scene as MuJoCo reads it.
//
//   tacModel --[this file]--> out.xml, out_3.obj, ...
//
// Masses and inertias are written out, angles are radians, classes are gone. Meshes become their
// hulls, shapes become meshes on their surface; of those MuJoCo takes the convex hull. What MJCF
// cannot express is omitted: see docs/scenes.md.

#include "cli/io/export_mjcf.h"

#include "cli/io/export_mesh.h"
#include "cli/io/output.h"
#include "cli/report.h"

#include "math/dense.h"
#include "math/pose.h"

#include <math.h>
#include <string.h>

typedef struct exporter {
    const tacModel* model;
    FILE* file;
    int underscores; // before names that are made here
} exporter;

static const char* const kind_names[TAC_NODE_KIND_COUNT] = {
    [TAC_NODE_SPHERE] = "sphere",       [TAC_NODE_PLANE] = "plane",
    [TAC_NODE_ELLIPSOID] = "ellipsoid", [TAC_NODE_CAPSULE] = "capsule",
    [TAC_NODE_CYLINDER] = "cylinder",   [TAC_NODE_BOX] = "box"};

//---------------------------------- attributes -----------------------------------

static void put_text(exporter* e, const char* name, const char* value) {
    fprintf(e->file, " %s=\"", name);
    for (; *value; ++value) switch (*value) {
        case '&':
            fputs("&amp;", e->file);
            break;
        case '<':
            fputs("&lt;", e->file);
            break;
        case '"':
            fputs("&quot;", e->file);
            break;
        case '\t':
        case '\n':
        case '\r': // an XML reader would turn them into blanks
            fprintf(e->file, "&#%d;", *value);
            break;
        default:
            fputc(*value, e->file);
        }
    fputc('"', e->file);
}

static void put_numbers(exporter* e, const char* name, const double* values, int count) {
    fprintf(e->file, " %s=\"", name);
    for (int i = 0; i < count; ++i) {
        if (i) fputc(' ', e->file);
        cli_write_number(e->file, values[i]);
    }
    fputc('"', e->file);
}

static void put_param(exporter* e, const char* name, int offset, int count) {
    put_numbers(e, name, e->model->param + offset, count);
}

// unnamed elements get a name by their number, for references
static void put_name(exporter* e, const char* attribute, const char* kind, const char* name,
                     int index) {
    if (*name) {
        put_text(e, attribute, name);
        return;
    }
    fprintf(e->file, " %s=\"", attribute);
    for (int i = 0; i < e->underscores; ++i) fputc('_', e->file);
    fprintf(e->file, "%s%d\"", kind, index);
}

static void put_body_name(exporter* e, const char* attribute, int body) {
    put_name(e, attribute, "body", e->model->body[body].name, body);
}

static void put_joint_name(exporter* e, const char* attribute, int joint) {
    put_name(e, attribute, "joint", e->model->joint[joint].name, joint);
}

static void put_geom_name(exporter* e, const char* attribute, int geom) {
    put_name(e, attribute, "geom", e->model->geom[geom].name, geom);
}

static void put_site_name(exporter* e, const char* attribute, int site) {
    put_name(e, attribute, "site", e->model->site[site].name, site);
}

static void put_tendon_name(exporter* e, const char* attribute, int tendon) {
    put_name(e, attribute, "tendon", e->model->tendon[tendon].name, tendon);
}

static void put_pose(exporter* e, tacPose pose) {
    const double p[3] = {pose.position.x, pose.position.y, pose.position.z};
    const double q[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    put_numbers(e, "pos", p, 3);
    put_numbers(e, "quat", q, 4);
}

static tacPose param_pose(const tacModel* model, int position, int rotation) {
    return (tacPose){tac_load3(model->param + position),
                     tac_quat_normalize(tac_quat_load(model->param + rotation))};
}

//---------------------------------- free names -----------------------------------

static int max_underscores(int underscores, const char* name) {
    int begin = (int)strspn(name, "_");
    return begin > underscores ? begin : underscores;
}

// one underscore more than any name of the scene begins with: generated names are unique
static int free_underscores(const tacModel* m) {
    int max = 0;
    for (int i = 0; i < m->nbody; ++i) max = max_underscores(max, m->body[i].name);
    for (int i = 0; i < m->njoint; ++i) max = max_underscores(max, m->joint[i].name);
    for (int i = 0; i < m->ngeom; ++i) max = max_underscores(max, m->geom[i].name);
    for (int i = 0; i < m->nsite; ++i) max = max_underscores(max, m->site[i].name);
    for (int i = 0; i < m->ntendon; ++i) max = max_underscores(max, m->tendon[i].name);
    for (int i = 0; i < m->nu; ++i) max = max_underscores(max, m->actuator[i].name);
    return max + 1;
}

//---------------------------------- what is in bodies ----------------------------

// the node of a shape that is a primitive of MJCF, or NULL
static const tacNode* primitive_node(const tacModel* model, int shape) {
    const tacNode* node = &model->node[model->shape[shape].first];
    return model->shape[shape].count == 1 && kind_names[node->kind] ? node : NULL;
}

static void put_geom(exporter* e, int index) {
    const tacModel* m = e->model;
    const tacGeom* geom = &m->geom[index];
    if (geom->shape < 0) return; // for pictures
    tacPose pose = param_pose(m, geom->position, geom->rotation);
    const tacNode* node = primitive_node(m, geom->shape);
    fputs("<geom", e->file);
    put_geom_name(e, "name", index);
    if (node) {
        static const int sizes[TAC_NODE_KIND_COUNT] = {[TAC_NODE_SPHERE] = 1,
                                                       [TAC_NODE_ELLIPSOID] = 3,
                                                       [TAC_NODE_CAPSULE] = 2,
                                                       [TAC_NODE_CYLINDER] = 2,
                                                       [TAC_NODE_BOX] = 3};
        static const double plane_size[3] = {0.0, 0.0, 1.0};
        pose = tac_pose_compose(pose, param_pose(m, node->position, node->rotation));
        put_text(e, "type", kind_names[node->kind]);
        if (sizes[node->kind])
            put_param(e, "size", node->size, sizes[node->kind]);
        else
            put_numbers(e, "size", plane_size, 3);
    } else {
        put_text(e, "type", "mesh");
        put_name(e, "mesh", "shape", "", geom->shape);
    }
    put_pose(e, pose);
    put_numbers(e, "rgba", geom->rgba, 4);
    fprintf(e->file, " contype=\"%d\" conaffinity=\"%d\" condim=\"%d\" priority=\"%d\"",
            geom->contype, geom->conaffinity, geom->condim, geom->priority);
    put_param(e, "friction", geom->friction, 3);
    put_param(e, "solmix", geom->solmix, 1);
    put_param(e, "solref", geom->solref, 2);
    put_param(e, "solimp", geom->solimp, 5);
    put_param(e, "margin", geom->margin, 1);
    put_param(e, "gap", geom->gap, 1);
    fputs("/>\n", e->file);
}

static void put_joint(exporter* e, int index) {
    static const char* const words[] = {"free", "ball", "slide", "hinge"};
    const tacJoint* joint = &e->model->joint[index];
    fputs("<joint", e->file);
    put_joint_name(e, "name", index);
    put_text(e, "type", words[joint->kind]);
    if (joint->position >= 0) put_param(e, "pos", joint->position, 3);
    if (joint->axis >= 0) put_param(e, "axis", joint->axis, 3);
    if (joint->ref >= 0) put_param(e, "ref", joint->ref, 1);
    if (joint->springref >= 0) put_param(e, "springref", joint->springref, 1);
    put_param(e, "stiffness", joint->stiffness, 1);
    put_param(e, "damping", joint->damping, 1);
    put_param(e, "armature", joint->armature, 1);
    put_param(e, "frictionloss", joint->frictionloss, 1);
    if (joint->limited) {
        put_param(e, "range", joint->range, 2);
        put_text(e, "limited", "true");
    }
    if (joint->frclimited) {
        put_numbers(e, "actuatorfrcrange", joint->frcrange, 2);
        put_text(e, "actuatorfrclimited", "true");
    }
    fputs("/>\n", e->file);
}

static void put_site(exporter* e, int index) {
    const tacSite* site = &e->model->site[index];
    fputs("<site", e->file);
    put_site_name(e, "name", index);
    put_pose(e, param_pose(e->model, site->position, site->rotation));
    put_text(e, "type", kind_names[site->kind]);
    put_numbers(e, "size", site->size, 3);
    put_numbers(e, "rgba", site->rgba, 4);
    fputs("/>\n", e->file);
}

// Rounding must not make the largest moment more than the sum of the others: MuJoCo would refuse
// it. A flat body has just that sum.
static void enforce_triangle_inequality(double moment[3]) {
    int top = 0;
    for (int k = 0; k < 3; ++k) moment[k] = fmax(moment[k], 0.0);
    for (int k = 1; k < 3; ++k)
        if (moment[k] > moment[top]) top = k;
    double sum = moment[(top + 1) % 3] + moment[(top + 2) % 3];
    if (moment[top] > sum && moment[top] <= sum * (1.0 + 1e-12)) moment[top] = sum;
}

// Principal moments and axes: a full matrix would be taken apart again, with fewer digits.
static void put_inertia(exporter* e, const double inertia[6]) {
    double moment[3] = {inertia[0], inertia[1], inertia[2]};
    if (inertia[3] != 0.0 || inertia[4] != 0.0 || inertia[5] != 0.0) {
        tacMat3 axes;
        tac_eigen3(inertia, moment, axes.m);
        tacQuat q = tac_mat_to_quat(axes);
        put_numbers(e, "quat", (double[4]){q.w, q.x, q.y, q.z}, 4);
    }
    enforce_triangle_inequality(moment);
    put_numbers(e, "diaginertia", moment, 3);
}

static void put_inertial(exporter* e, const tacBody* body) {
    if (e->model->param[body->mass] <= 0.0) return;
    fputs("<inertial", e->file);
    put_param(e, "mass", body->mass, 1);
    put_param(e, "pos", body->com, 3);
    put_inertia(e, e->model->param + body->inertia);
    fputs("/>\n", e->file);
}

static void put_contents(exporter* e, int body) {
    const tacModel* m = e->model;
    for (int j = 0; j < m->body[body].joints; ++j) put_joint(e, m->body[body].first_joint + j);
    for (int i = 0; i < m->ngeom; ++i)
        if (m->geom[i].body == body) put_geom(e, i);
    for (int i = 0; i < m->nsite; ++i)
        if (m->site[i].body == body) put_site(e, i);
}

static void open_body(exporter* e, int index) {
    const tacBody* body = &e->model->body[index];
    fputs("<body", e->file);
    put_body_name(e, "name", index);
    put_pose(e, param_pose(e->model, body->position, body->rotation));
    if (body->mocap) put_text(e, "mocap", "true");
    if (body->gravcomp >= 0) put_param(e, "gravcomp", body->gravcomp, 1);
    fputs(">\n", e->file);
    put_inertial(e, body);
    put_contents(e, index);
}

// bodies are in depth-first order: close those that do not contain the next one
static void put_tree(exporter* e) {
    const tacModel* m = e->model;
    int current = 0;
    fputs("<worldbody>\n", e->file);
    put_contents(e, 0);
    for (int b = 1; b < m->nbody; ++b) {
        for (; current != m->body[b].parent; current = m->body[current].parent)
            fputs("</body>\n", e->file);
        open_body(e, b);
        current = b;
    }
    for (; current != 0; current = m->body[current].parent) fputs("</body>\n", e->file);
    fputs("</worldbody>\n", e->file);
}

//---------------------------------- sections -------------------------------------

static void put_flags(exporter* e) {
    static const char* const words[] = {"gravity",   "passive",    "actuation",   "eulerdamp",
                                        "clampctrl", "constraint", "equality",    "frictionloss",
                                        "limit",     "contact",    "filterparent"};
    fputs("<flag", e->file);
    for (int i = 0; i < 11; ++i)
        if (e->model->disable & (1u << i)) put_text(e, words[i], "disable");
    fputs("/>", e->file);
}

static void put_option(exporter* e) {
    const tacModel* m = e->model;
    int fourth = m->integrator == TAC_INTEGRATOR_RK4 || m->integrator == TAC_INTEGRATOR_LIE;
    fputs("<compiler angle=\"radian\" inertiafromgeom=\"false\" autolimits=\"false\"/>\n<option",
          e->file);
    put_param(e, "timestep", m->timestep, 1);
    put_param(e, "gravity", m->gravity, 3);
    put_text(e, "integrator",
             fourth                                         ? "RK4"
             : m->integrator == TAC_INTEGRATOR_IMPLICITFAST ? "implicitfast"
                                                            : "Euler");
    if (m->fluid >= 0) {
        put_param(e, "density", m->fluid, 1);
        put_param(e, "viscosity", m->fluid + 1, 1);
        put_param(e, "wind", m->fluid + 2, 3);
    }
    fputc('>', e->file);
    put_flags(e);
    fputs("</option>\n", e->file);
}

// the MuJoCo whose motion the scene has; MuJoCo keeps the text, Tactus reads it
static void put_version(exporter* e) {
    int old = e->model->compat == TAC_COMPAT_3_14 || e->model->integrator == TAC_INTEGRATOR_RK4;
    fprintf(e->file, "<custom><text name=\"tactus_compat\" data=\"%s\"/></custom>\n",
            old ? "3.14" : "4.0.1");
}

static void put_contact(exporter* e) {
    const tacModel* m = e->model;
    if (m->npair + m->nexclude == 0) return;
    fputs("<contact>\n", e->file);
    for (int i = 0; i < m->npair; ++i) {
        const tacPair* pair = &m->pair[i];
        fprintf(e->file, "<pair condim=\"%d\"", pair->condim);
        put_geom_name(e, "geom1", pair->geom[0]);
        put_geom_name(e, "geom2", pair->geom[1]);
        put_param(e, "friction", pair->friction, 5);
        put_param(e, "solref", pair->solref, 2);
        put_param(e, "solimp", pair->solimp, 5);
        put_param(e, "margin", pair->margin, 1);
        put_param(e, "gap", pair->gap, 1);
        fputs("/>\n", e->file);
    }
    for (int i = 0; i < m->nexclude; ++i) {
        fputs("<exclude", e->file);
        put_body_name(e, "body1", m->exclude[2 * i]);
        put_body_name(e, "body2", m->exclude[2 * i + 1]);
        fputs("/>\n", e->file);
    }
    fputs("</contact>\n", e->file);
}

static void put_tendons(exporter* e) {
    const tacModel* m = e->model;
    if (m->ntendon == 0) return;
    fputs("<tendon>\n", e->file);
    for (int i = 0; i < m->ntendon; ++i) {
        const tacTendon* tendon = &m->tendon[i];
        fputs("<fixed", e->file);
        put_tendon_name(e, "name", i);
        const double* rest = m->param + tendon->springlength;
        put_numbers(e, "springlength", rest, rest[0] == rest[1] ? 1 : 2);
        put_param(e, "stiffness", tendon->stiffness, 1);
        put_param(e, "damping", tendon->damping, 1);
        put_param(e, "frictionloss", tendon->frictionloss, 1);
        if (tendon->limited) {
            put_param(e, "range", tendon->range, 2);
            put_text(e, "limited", "true");
        }
        fputs(">\n", e->file);
        for (int k = 0; k < tendon->count; ++k) {
            fputs("<joint", e->file);
            put_joint_name(e, "joint", m->tendonjoint[tendon->first + k]);
            put_param(e, "coef", tendon->coef + k, 1);
            fputs("/>\n", e->file);
        }
        fputs("</fixed>\n", e->file);
    }
    fputs("</tendon>\n", e->file);
}

static void put_limit(exporter* e, const char* range, const char* limited, const double* values) {
    put_numbers(e, range, values, 2);
    put_text(e, limited, "true");
}

static void put_actuators(exporter* e) {
    static const char* const kinds[] = {"none", "integrator", "filter", "filterexact"};
    const tacModel* m = e->model;
    if (m->nu == 0) return;
    fputs("<actuator>\n", e->file);
    for (int i = 0; i < m->nu; ++i) {
        const tacActuator* a = &m->actuator[i];
        fputs("<general", e->file);
        put_name(e, "name", "actuator", a->name, i);
        if (a->drive == TAC_DRIVE_TENDON)
            put_tendon_name(e, "tendon", a->target);
        else
            put_joint_name(e, a->drive == TAC_DRIVE_JOINT ? "joint" : "jointinparent", a->target);
        put_param(e, "gear", a->gear, 6);
        put_text(e, "dyntype", kinds[a->kind]);
        if (a->timeconst >= 0) put_param(e, "dynprm", a->timeconst, 1);
        put_text(e, "gaintype", a->affine ? "affine" : "fixed");
        put_param(e, "gainprm", a->gain, 3);
        put_text(e, "biastype", "affine");
        put_param(e, "biasprm", a->bias, 3);
        if (a->actearly) put_text(e, "actearly", "true");
        if (a->ctrllimited) put_limit(e, "ctrlrange", "ctrllimited", a->ctrlrange);
        if (a->forcelimited) put_limit(e, "forcerange", "forcelimited", a->forcerange);
        if (a->actlimited) put_limit(e, "actrange", "actlimited", a->actrange);
        fputs("/>\n", e->file);
    }
    fputs("</actuator>\n", e->file);
}

// data in MJCF's words
static void put_equality(exporter* e, const tacEquality* eq) {
    static const char* const words[] = {"connect", "weld", "joint", "tendon"};
    const double* data = e->model->param + eq->data;
    fprintf(e->file, "<%s", words[eq->kind]);
    if (!eq->active) put_text(e, "active", "false");
    for (int i = 0; i < 2; ++i) {
        if (eq->object[i] < 0) continue;
        char name[16];
        snprintf(name, sizeof name, "%s%d",
                 eq->kind >= TAC_EQUALITY_JOINT ? words[eq->kind]
                 : eq->sites                    ? "site"
                                                : "body",
                 i + 1);
        if (eq->kind == TAC_EQUALITY_JOINT)
            put_joint_name(e, name, eq->object[i]);
        else if (eq->kind == TAC_EQUALITY_TENDON)
            put_tendon_name(e, name, eq->object[i]);
        else if (eq->sites)
            put_site_name(e, name, eq->object[i]);
        else if (i == 0 || eq->object[i] > 0)
            put_body_name(e, name, eq->object[i]);
    }
    if (eq->kind >= TAC_EQUALITY_JOINT) {
        put_numbers(e, "polycoef", data, 5);
    } else if (!eq->sites) {
        put_numbers(e, "anchor", data, 3);
        if (eq->kind == TAC_EQUALITY_WELD) put_numbers(e, "relpose", data + 3, 7);
    }
    if (eq->kind == TAC_EQUALITY_WELD) put_numbers(e, "torquescale", data + 10, 1);
    put_param(e, "solref", eq->solref, 2);
    put_param(e, "solimp", eq->solimp, 5);
    fputs("/>\n", e->file);
}

static void put_keys(exporter* e) {
    const tacModel* m = e->model;
    if (m->nkey == 0) return;
    fputs("<keyframe>\n", e->file);
    for (int i = 0; i < m->nkey; ++i) {
        const tacKeyframe* key = &m->key[i];
        fputs("<key", e->file);
        if (*key->name) put_text(e, "name", key->name);
        put_numbers(e, "time", &key->time, 1);
        if (m->nq) put_numbers(e, "qpos", key->qpos, m->nq);
        if (m->nv) put_numbers(e, "qvel", key->qvel, m->nv);
        if (m->na) put_numbers(e, "act", key->act, m->na);
        if (m->nu) put_numbers(e, "ctrl", key->ctrl, m->nu);
        if (m->nmocap) put_numbers(e, "mpos", key->mpos, 3 * m->nmocap);
        if (m->nmocap) put_numbers(e, "mquat", key->mquat, 4 * m->nmocap);
        fputs("/>\n", e->file);
    }
    fputs("</keyframe>\n", e->file);
}

//---------------------------------- meshes ---------------------------------------

// "dir/out.xml" and 3 give "dir/out_3.obj"
static void mesh_path(const char* out, int shape, char* path, size_t size) {
    const char *slash = strrchr(out, '/'), *dot = strrchr(out, '.');
    int length = dot && (!slash || dot > slash + 1) ? (int)(dot - out) : (int)strlen(out);
    snprintf(path, size, "%.*s_%d.obj", length, out, shape);
}

// shapes of geoms that are not primitives
static int needs_mesh(const tacModel* m, int shape) {
    if (primitive_node(m, shape)) return 0;
    for (int i = 0; i < m->ngeom; ++i)
        if (m->geom[i].shape == shape) return 1;
    return 0;
}

static int put_meshes(exporter* e, const char* out, int vertices, int* meshes) {
    fputs("<asset>\n", e->file);
    for (int s = 0; s < e->model->nshape; ++s) {
        if (!needs_mesh(e->model, s)) continue;
        char path[4096];
        mesh_path(out, s, path, sizeof path);
        int code = cli_export_mesh(e->model, s, path, vertices);
        if (code != 0) return code;
        const char* slash = strrchr(path, '/');
        fputs("<mesh", e->file);
        put_name(e, "name", "shape", "", s);
        put_text(e, "file", slash ? slash + 1 : path);
        fputs("/>\n", e->file);
        ++*meshes;
    }
    fputs("</asset>\n", e->file);
    return 0;
}

//---------------------------------- what must stay -------------------------------

int cli_export_mjcf_name(const char* out) {
    const char *slash = strrchr(out, '/'), *name = slash ? slash + 1 : out;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".xml") == 0 && strlen(out) < 4000) return 0;
    return cli_error("check", "--mjcf %.100s: name a file that ends in .xml", out);
}

// all files before the first is written
static int check_outputs(const tacModel* model, const char* out) {
    int code = cli_output_check(out);
    for (int s = 0; s < model->nshape && code == 0; ++s) {
        char path[4096];
        mesh_path(out, s, path, sizeof path);
        if (needs_mesh(model, s)) code = cli_output_check(path);
    }
    return code;
}

//---------------------------------- scene ----------------------------------------

static void put_sections(exporter* e) {
    const tacModel* m = e->model;
    put_tree(e);
    put_contact(e);
    put_tendons(e);
    if (m->nequality > 0) {
        fputs("<equality>\n", e->file);
        for (int i = 0; i < m->nequality; ++i) put_equality(e, &m->equality[i]);
        fputs("</equality>\n", e->file);
    }
    put_actuators(e);
    put_keys(e);
}

int cli_export_mjcf(const tacModel* model, const char* out, int vertices, int* meshes) {
    cliOutput output;
    int code = check_outputs(model, out);
    if (code == 0) code = cli_output_open(&output, out);
    if (code != 0) return code;
    exporter e = {model, output.file, free_underscores(model)};
    *meshes = 0;
    fputs("<mujoco", e.file);
    put_text(&e, "model", model->name);
    fputs(">\n", e.file);
    put_option(&e);
    put_version(&e);
    code = put_meshes(&e, out, vertices, meshes);
    if (code != 0) {
        cli_output_discard(&output);
        return code;
    }
    put_sections(&e);
    fputs("</mujoco>\n", e.file);
    return cli_output_close(&output);
}
