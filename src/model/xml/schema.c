// The grammar of a scene as a table, and the check of a tree against it.
//
//   document.c --tree--> [this file] --tree with known words only--> *_reader.c
//
// Lists are words separated by single spaces. docs/scenes.md has this table for users.

#include "model/xml/schema.h"

#include "base/assert.h"
#include "model/xml/old_names.h"
#include "model/xml/word_suggestion.h"

#include <string.h>

//---------------------------------- supported words ------------------------------

#define ORIENTATION "quat euler axisangle xyaxes zaxis"
#define PRIMITIVES  "sphere plane superquadric ellipsoid capsule cylinder box polyhedron cloud sweep"
#define NODES       PRIMITIVES " union intersection difference"
#define NODE        "name pos " ORIENTATION " smooth distance"

#define TREE     "body frame replicate attach geom light camera site joint freejoint inertial"
#define EQUALITY "name class active solref solimp"
#define SENSOR   "name cutoff delay interval"
#define UNUSED   "noise user nsample interp"

#define ACTUATOR                                                                                   \
    "name class joint jointinparent tendon gear group ctrllimited ctrlrange forcelimited "         \
    "forcerange actlimited actrange"
// `cranklength` alone has no effect; with its sites it is refused by them
#define ACTUATOR_IGNORED "user lengthrange nsample interp cranklength"

static const tacRule rules[] = {
    {"mujoco", "model", "",
     "compiler option size visual statistic custom default asset tactus worldbody contact tendon "
     "equality actuator sensor keyframe extension"},
    {"extension", NULL, NULL, NULL},
    {"plugin", NULL, NULL, NULL},
    {"compiler",
     "angle eulerseq coordinate autolimits boundmass boundinertia settotalmass balanceinertia "
     "inertiafromgeom fusestatic inertiagrouprange meshdir assetdir strippath fitaabb alignfree "
     "exactmeshinertia",
     "texturedir discardvisual usethread convexhull saveinertial savecompiled savecanonical "
     "passthrough conflict",
     "lengthrange"},
    {"lengthrange", NULL, NULL, NULL},
    {"option", "timestep gravity integrator density viscosity wind actuatorgroupdisable collision",
     "impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance mpr_tolerance "
     "magnetic o_margin o_solref o_solimp o_friction cone "
     "jacobian solver iterations ls_iterations noslip_iterations ccd_iterations mpr_iterations "
     "sdf_iterations sdf_initpoints apirate",
     "flag"},
    {"flag",
     "gravity passive spring damper actuation eulerdamp clampctrl constraint equality frictionloss "
     "limit contact filterparent override",
     "warmstart refsafe sensor midphase island energy fwdinv invdiscrete multiccd "
     "nativeccd autoreset sleep diagexact",
     ""},
    {"size", NULL, NULL, NULL},
    {"visual", NULL, NULL, NULL},
    {"statistic", NULL, NULL, NULL},
    {"custom", NULL, NULL, NULL},
    {"tactus",
     "detect respond integrator rk4 compat ignore stiffness dissipation stiction eps3 law implicit "
     "limitrate limitwidth limitdissipation drystiction tau support depth edge_softmin sign "
     "opposing tikhonov min clip inside range gap sides vertices edges cull eps1 eps2 points "
     "exact refine delta restitution ccd bounds max_impacts overlap gradient gate lipschitz "
     "iterations fuse soft_points select sort_temperature surrogate definition top_k "
     "top_k_vertices "
     "top_k_edges top_k_width "
     "project",
     "", ""},

    {"default", "class", "",
     "default geom joint site camera light material mesh pair equality tendon general motor "
     "position velocity intvelocity damper cylinder muscle adhesion dcmotor orientation pid "
     "texture"},
    {"default/dcmotor", NULL, NULL, NULL},
    {"default/orientation", NULL, NULL, NULL},
    {"default/pid", NULL, NULL, NULL},
    {"default/equality", EQUALITY, "", ""},
    {"default/tendon", NULL, NULL, NULL},
    {"default/muscle", NULL, NULL, NULL},
    {"default/adhesion", NULL, NULL, NULL},

    {"tendon", "", "", "fixed"},
    {"fixed",
     "name class limited range stiffness damping springlength armature frictionloss margin",
     "group solreflimit solimplimit solreffriction solimpfriction rgba user", "joint"},
    {"fixed/joint", "joint coef", "", ""},

    {"actuator", "", "", "general motor position velocity intvelocity damper cylinder"},
    {"general", "dyntype gaintype gainprm biastype biasprm dynprm actdim actearly " ACTUATOR,
     ACTUATOR_IGNORED, ""},
    {"motor", ACTUATOR, ACTUATOR_IGNORED, ""},
    {"position", "kp kv dampratio timeconst inheritrange " ACTUATOR, ACTUATOR_IGNORED, ""},
    {"velocity", "kv " ACTUATOR, ACTUATOR_IGNORED, ""},
    {"intvelocity", "kp kv dampratio inheritrange " ACTUATOR, ACTUATOR_IGNORED, ""},
    {"damper", "kv " ACTUATOR, ACTUATOR_IGNORED, ""},
    {"actuator/cylinder", "timeconst area diameter bias " ACTUATOR, ACTUATOR_IGNORED, ""},
    {"default/cylinder", "timeconst area diameter bias " ACTUATOR, ACTUATOR_IGNORED, ""},

    {"asset", "", "", "shape material texture mesh hfield skin model"},
    {"texture", NULL, NULL, NULL},
    {"hfield", "name", "content_type file nrow ncol size elevation", ""},
    {"skin", NULL, NULL, NULL},
    {"model", "name file", "content_type", ""},
    {"mesh", "name class file vertex face scale refpos refquat inertia",
     "normal texcoord smoothnormal maxhullvert material content_type", ""},
    {"material", "name class rgba",
     "texture texrepeat texuniform emission specular shininess reflectance metallic roughness",
     "layer"},
    {"layer", NULL, NULL, NULL},
    {"shape", "name smooth distance exact truncate check", "", NODES},
    {"union", NODE, "", NODES},
    {"intersection", NODE, "", NODES},
    {"difference", NODE, "", NODES},
    {"sphere", NODE " size", "", ""},
    {"plane", NODE " normal offset", "", ""},
    {"superquadric", NODE " size eps", "", "plane"},
    {"ellipsoid", NODE " size", "", ""},
    {"capsule", NODE " size fromto", "", ""},
    {"cylinder", NODE " size fromto", "", ""},
    {"box", NODE " size", "", ""},
    {"polyhedron", NODE " planes file", "", ""},
    {"cloud", NODE " file sample area points normals kernel width metric log_amp check", "", ""},
    {"sweep", NODE " points size eps up twist", "", "plane"},

    {"worldbody", "childclass", "", "body frame replicate attach geom light camera site"},
    {"body", "name childclass pos " ORIENTATION " mocap gravcomp sleep", "user simple",
     TREE " plugin"},
    {"frame", "name childclass pos " ORIENTATION, "", TREE},
    {"replicate", "count sep offset euler childclass", "", TREE},
    {"attach", "model body prefix", "", ""},
    {"joint",
     "name class type pos axis ref springref stiffness damping armature frictionloss range limited "
     "actuatorfrcrange actuatorfrclimited actuatorgravcomp margin",
     "group solreflimit solimplimit solreffriction solimpfriction user", ""},
    {"freejoint", "name align", "group", ""},
    {"inertial", "pos " ORIENTATION " mass diaginertia fullinertia", "", ""},
    {"geom",
     "name class type size pos " ORIENTATION
     " fromto rgba material shape mesh hfield points fitscale mass "
     "density shellinertia contype conaffinity condim group priority friction solmix solref "
     "solimp margin gap fluidshape",
     "fluidcoef user castshadow", ""},
    {"light", "class pos dir diffuse directional castshadow type mode target",
     "name active ambient specular attenuation cutoff exponent bulbradius intensity softness "
     "range texture",
     ""},
    {"camera", "name class pos " ORIENTATION " fovy mode target",
     "ipd resolution pixel focal focalpixel principal principalpixel sensorsize orthographic "
     "projection user output",
     ""},
    {"site", "name class type size pos " ORIENTATION " fromto rgba material group", "user", ""},

    {"contact", "", "", "pair exclude"},
    {"pair",
     "name class geom1 geom2 condim friction solref solreffriction solimp gap margin stiffness "
     "dissipation stiction eps3",
     "", ""},
    {"exclude", "name body1 body2", "", ""},

    {"equality", "", "", "connect weld joint tendon"},
    {"connect", EQUALITY " body1 body2 anchor site1 site2", "", ""},
    {"weld", EQUALITY " body1 body2 relpose anchor site1 site2 torquescale", "", ""},
    {"equality/joint", EQUALITY " joint1 joint2 polycoef", "", ""},
    {"equality/tendon", EQUALITY " tendon1 tendon2 polycoef", "", ""},

    {"keyframe", "", "", "key"},
    {"key", "name time qpos qvel act mpos mquat ctrl", "", ""},

    {"sensor", "", "",
     "touch accelerometer velocimeter gyro force torque magnetometer rangefinder jointpos jointvel "
     "tendonpos tendonvel actuatorpos actuatorvel actuatorfrc jointactuatorfrc tendonactuatorfrc "
     "ballquat ballangvel jointlimitpos jointlimitvel jointlimitfrc tendonlimitpos tendonlimitvel "
     "tendonlimitfrc framepos framequat framexaxis frameyaxis framezaxis framelinvel frameangvel "
     "framelinacc frameangacc subtreecom subtreelinvel subtreeangmom distance normal fromto "
     "contact "
     "e_potential e_kinetic clock user"},
    {"touch", SENSOR " site", UNUSED, ""},
    {"accelerometer", SENSOR " site", UNUSED, ""},
    {"velocimeter", SENSOR " site", UNUSED, ""},
    {"gyro", SENSOR " site", UNUSED, ""},
    {"force", SENSOR " site", UNUSED, ""},
    {"torque", SENSOR " site", UNUSED, ""},
    {"magnetometer", SENSOR " site", UNUSED, ""},
    {"rangefinder", SENSOR " site camera", UNUSED " data", ""},
    {"jointpos", SENSOR " joint", UNUSED, ""},
    {"jointvel", SENSOR " joint", UNUSED, ""},
    {"tendonpos", SENSOR " tendon", UNUSED, ""},
    {"tendonvel", SENSOR " tendon", UNUSED, ""},
    {"actuatorpos", SENSOR " actuator", UNUSED, ""},
    {"actuatorvel", SENSOR " actuator", UNUSED, ""},
    {"actuatorfrc", SENSOR " actuator", UNUSED, ""},
    {"jointactuatorfrc", SENSOR " joint", UNUSED, ""},
    {"tendonactuatorfrc", SENSOR " tendon", UNUSED, ""},
    {"ballquat", SENSOR " joint", UNUSED, ""},
    {"ballangvel", SENSOR " joint", UNUSED, ""},
    {"jointlimitpos", SENSOR " joint", UNUSED, ""},
    {"jointlimitvel", SENSOR " joint", UNUSED, ""},
    {"jointlimitfrc", SENSOR " joint", UNUSED, ""},
    {"tendonlimitpos", SENSOR " tendon", UNUSED, ""},
    {"tendonlimitvel", SENSOR " tendon", UNUSED, ""},
    {"tendonlimitfrc", SENSOR " tendon", UNUSED, ""},
    {"framepos", SENSOR " objtype objname reftype refname", UNUSED, ""},
    {"framequat", SENSOR " objtype objname reftype refname", UNUSED, ""},
    {"framexaxis", SENSOR " objtype objname reftype refname", UNUSED, ""},
    {"frameyaxis", SENSOR " objtype objname reftype refname", UNUSED, ""},
    {"framezaxis", SENSOR " objtype objname reftype refname", UNUSED, ""},
    {"framelinvel", SENSOR " objtype objname reftype refname", UNUSED, ""},
    {"frameangvel", SENSOR " objtype objname reftype refname", UNUSED, ""},
    {"framelinacc", SENSOR " objtype objname", UNUSED, ""},
    {"frameangacc", SENSOR " objtype objname", UNUSED, ""},
    {"subtreecom", SENSOR " body", UNUSED, ""},
    {"subtreelinvel", SENSOR " body", UNUSED, ""},
    {"subtreeangmom", SENSOR " body", UNUSED, ""},
    {"distance", SENSOR " geom1 geom2 body1 body2", UNUSED, ""},
    {"normal", SENSOR " geom1 geom2 body1 body2", UNUSED, ""},
    {"fromto", SENSOR " geom1 geom2 body1 body2", UNUSED, ""},
    {"sensor/contact", SENSOR " geom1 geom2 body1 body2 subtree1 subtree2 site num",
     UNUSED " data reduce", ""},
    {"e_potential", SENSOR, UNUSED, ""},
    {"e_kinetic", SENSOR, UNUSED, ""},
    {"clock", SENSOR, UNUSED, ""},
    {"user", SENSOR " dim", UNUSED " objtype objname datatype needstage", ""},
};

//---------------------------------- not supported --------------------------------

typedef struct unsupportedWords {
    const char *words, *reason;
} unsupportedWords;

static const unsupportedWords unsupported_elements[] = {
    {"deformable", "is not supported yet; remove it"},
    {"muscle adhesion dcmotor orientation pid",
     "is not supported yet; use general, motor, position, velocity, intvelocity, damper or "
     "cylinder"},
    {"spatial", "is not supported yet; use <fixed> tendons, sums of joints"},
    {"composite flexcomp flex flexvert flexstrain",
     "is not supported: bodies are rigid; write out its bodies"},
    {"plugin", "is not supported: plugins are code of another program; remove it"},
    {"camprojection insidesite tactile", "is not supported yet; remove the sensor"},
};

static const unsupportedWords unsupported_attributes[] = {
    {"site refsite body slidersite cranksite", "is not supported yet; actuate a joint or a tendon"},
    {"springdamper surfacevel adhesion", "is not supported yet; remove it"},
    {"builtin params", "is not supported yet; give 'file', or 'vertex' and 'face'"},
    {"frame", "is not supported yet; attach a body"},
    {"fromto",
     "is for capsules and cylinders; give pos and one of quat, euler, axisangle, xyaxes, zaxis"},
};

static const char* find_reason(const unsupportedWords* table, int count, const char* word) {
    for (int i = 0; i < count; ++i)
        if (tac_word_in_list(word, table[i].words)) return table[i].reason;
    return NULL;
}

//---------------------------------- check ----------------------------------------

static const tacRule* find_rule(const char* name) {
    for (int i = 0; i < TAC_COUNT(rules); ++i)
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    return NULL;
}

const tacRule* tac_rule_find(const char* parent, const char* name) {
    char both[100];
    snprintf(both, sizeof both, "%s/%s", parent, name);
    const tacRule* special = find_rule(both);
    return special ? special : find_rule(name);
}

enum { LONG_LIST = 180 };

// the nearest element around this one that has such an attribute, or NULL
static const tacElement* owner_of(const tacElement* element, const char* word) {
    for (const tacElement* e = element->parent; e; e = e->parent) {
        const tacRule* rule = tac_rule_find(e->parent ? e->parent->name : "", e->name);
        if (rule && rule->attributes && tac_word_in_list(word, rule->attributes)) return e;
    }
    return NULL;
}

static void fail_attribute(tacReader* reader, const tacElement* element, const tacRule* rule,
                           const tacAttribute* attribute) {
    const char* word = attribute->name;
    const tacElement* owner = owner_of(element, word);
    const char* reason =
        find_reason(unsupported_attributes, TAC_COUNT(unsupported_attributes), word);
    char suggestion[TAC_SUGGESTION_SIZE];
    int is_close = tac_suggest_word(word, rule->attributes, suggestion);
    if (reason)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, attribute->line, word, "'%s' of <%s> %s",
                        word, element->name, reason);
    else if (owner)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, attribute->line, word,
                        "<%s> has no attribute '%.40s'; it belongs to the <%s> around it",
                        element->name, word, owner->name);
    else if (is_close && strlen(rule->attributes) > LONG_LIST) // too long for a message
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, attribute->line, word,
                        "<%s> has no attribute '%.40s'; did you mean '%s'? docs/%s lists them",
                        element->name, word, suggestion,
                        strcmp(element->name, "tactus") == 0 ? "contact.md" : "scenes.md");
    else
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, attribute->line, word,
                        "<%s> has no attribute '%.40s'%s%s%s allowed here: %s", element->name, word,
                        is_close ? "; did you mean '" : "", is_close ? suggestion : "",
                        is_close ? "'?" : ";", *rule->attributes ? rule->attributes : "none");
}

static void fail_child(tacReader* reader, const tacElement* child, const tacRule* rule) {
    const char* word = child->name;
    const char* reason = find_reason(unsupported_elements, TAC_COUNT(unsupported_elements), word);
    char suggestion[TAC_SUGGESTION_SIZE], tag[TAC_SUGGESTION_SIZE];
    snprintf(tag, sizeof tag, "<%.60s>", word);
    int is_close = tac_suggest_word(word, rule->children, suggestion);
    if (reason)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, child->line, tag, "<%s> %s", word, reason);
    else
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, child->line, tag,
                        "<%.40s> is not an element of <%s>%s%s%s allowed here: %s", word,
                        rule->name, is_close ? "; did you mean <" : "", is_close ? suggestion : "",
                        is_close ? ">?" : ";", *rule->children ? rule->children : "none");
}

static void check_element(tacReader* reader, const tacElement* element, const tacRule* rule) {
    if (!rule->children) return;
    for (int i = 0; i < element->count && reader->result == TAC_OK; ++i) {
        const tacAttribute* attribute = &element->attributes[i];
        if (!tac_word_in_list(attribute->name, rule->attributes) &&
            !tac_word_in_list(attribute->name, rule->ignored))
            fail_attribute(reader, element, rule, attribute);
    }
    // recursion ends: nesting is at most TAC_MAX_NESTING
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        const tacRule* below = tac_word_in_list(c->name, rule->children)
                                   ? tac_rule_find(element->name, c->name)
                                   : NULL;
        if (below)
            check_element(reader, c, below);
        else
            fail_child(reader, c, rule);
    }
}

void tac_schema_check(tacReader* reader, tacElement* root) {
    tac_replace_old_names(reader, root);
    if (strcmp(root->name, "mujoco") != 0)
        tac_reader_fail(
            reader, TAC_ERROR_UNSUPPORTED, root->line, "<mujoco>",
            "a scene starts with <mujoco>, a URDF with <robot>, but this file with <%.40s>",
            root->name);
    else
        check_element(reader, root, find_rule("mujoco"));
}

//---------------------------------- plugins --------------------------------------

// the first <plugin> of a body, which may have moved it, or NULL; nesting is bounded
static const tacElement* find_body_plugin(const tacElement* element) {
    const tacElement* found = NULL;
    for (const tacElement* c = element->child; c && !found; c = c->next) {
        int is_plugin = strcmp(c->name, "plugin") == 0 && strcmp(element->name, "body") == 0;
        found = is_plugin ? c : find_body_plugin(c);
    }
    return found;
}

void tac_warn_plugins(tacReader* reader, const tacElement* root) {
    const tacElement *plugin = find_body_plugin(root), *extension = root->child;
    while (extension && strcmp(extension->name, "extension") != 0) extension = extension->next;
    if (!plugin && !extension) return;
    int line = plugin ? plugin->line : extension->line;
    const char* file = tac_reader_locate(reader, &line).path;
    tac_reader_warn(reader, "%.100s:%d: <%s> is skipped: plugins are code of another program%s",
                    file, line, plugin ? "plugin" : "extension",
                    plugin ? ", its forces do not act" : "");
}
