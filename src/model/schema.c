// The grammar of a scene as a table, and the check of a tree against it.
//
//   document.c --tree--> [this file] --tree that holds known words only--> *_reader.c
//
// Lists are words with one blank between them. docs/scenes.md shows this table to users.

#include "model/schema.h"

#include "base/assert.h"
#include "model/nearest.h"

#include <string.h>

//---------------------------------- what is built --------------------------------

#define ORIENTATION "quat euler axisangle xyaxes zaxis"
#define PRIMITIVES  "sphere plane superquadric ellipsoid capsule cylinder box polyhedron cloud sweep"
#define NODES       PRIMITIVES " union intersection difference"
#define NODE        "name pos " ORIENTATION " smooth distance"

#define ACTUATOR                                                                                   \
    "name class joint jointinparent tendon gear group ctrllimited ctrlrange forcelimited "         \
    "forcerange actlimited actrange"
#define ACTUATOR_IGNORED "user lengthrange"

static const tacRule rules[] = {
    {"mujoco", "model", "",
     "compiler option size visual statistic custom default asset tactus worldbody tendon actuator"},
    {"compiler",
     "angle eulerseq coordinate autolimits boundmass boundinertia settotalmass balanceinertia "
     "inertiafromgeom fusestatic",
     "strippath fitaabb meshdir texturedir assetdir discardvisual usethread "
     "exactmeshinertia "
     "convexhull saveinertial",
     ""},
    {"option", "timestep gravity integrator density viscosity wind actuatorgroupdisable",
     "impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance sleep_tolerance mpr_tolerance "
     "magnetic o_margin o_solref o_solimp o_friction cone "
     "jacobian solver iterations ls_iterations noslip_iterations ccd_iterations mpr_iterations "
     "sdf_iterations sdf_initpoints apirate collision",
     "flag"},
    {"flag", "gravity passive actuation eulerdamp clampctrl",
     "constraint equality frictionloss limit contact warmstart filterparent refsafe "
     "sensor midphase island energy fwdinv invdiscrete multiccd override nativeccd",
     ""},
    {"size", NULL, NULL, NULL},
    {"visual", NULL, NULL, NULL},
    {"statistic", NULL, NULL, NULL},
    {"custom", NULL, NULL, NULL},
    {"tactus", "detect respond integrator rk4", "", ""},

    {"default", "class", "",
     "default geom joint site camera light material mesh pair equality tendon general motor "
     "position velocity intvelocity damper cylinder"},
    {"equality", NULL, NULL, NULL},
    {"pair", NULL, NULL, NULL},
    {"default/tendon", NULL, NULL, NULL},
    {"mesh", NULL, NULL, NULL},

    {"tendon", "", "", "fixed"},
    {"fixed", "name class limited range stiffness damping springlength armature frictionloss",
     "group margin solreflimit solimplimit solreffriction solimpfriction rgba user", "joint"},
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

    {"asset", "", "", "shape material texture"},
    {"texture", NULL, NULL, NULL},
    {"material", "name class rgba",
     "texture texrepeat texuniform emission specular shininess reflectance metallic roughness",
     "layer"},
    {"layer", NULL, NULL, NULL},
    {"shape", "name smooth distance exact check", "", NODES},
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

    {"worldbody", "childclass", "", "body geom light camera site"},
    {"body", "name childclass pos " ORIENTATION " mocap gravcomp", "user sleep",
     "body geom light camera site joint freejoint inertial"},
    {"joint",
     "name class type pos axis ref springref stiffness damping armature frictionloss range limited "
     "actuatorfrcrange actuatorfrclimited actuatorgravcomp",
     "group solreflimit solimplimit solreffriction solimpfriction margin user", ""},
    {"freejoint", "name", "group align", ""},
    {"inertial", "pos " ORIENTATION " mass diaginertia fullinertia", "", ""},
    {"geom",
     "name class type size pos " ORIENTATION " fromto rgba material shape mass density "
     "shellinertia",
     "contype conaffinity condim group priority friction solmix solref solimp margin gap "
     "fluidshape fluidcoef user",
     ""},
    {"light", "class pos dir diffuse directional castshadow type mode",
     "name active ambient specular attenuation cutoff exponent bulbradius intensity "
     "range texture",
     ""},
    {"camera", "name class pos " ORIENTATION " fovy mode",
     "ipd resolution pixel focal focalpixel principal principalpixel sensorsize orthographic "
     "projection user output",
     ""},
    {"site", NULL, NULL, NULL},
};

//---------------------------------- what is not built yet ------------------------

typedef struct tacLater {
    const char *words, *reason;
} tacLater;

static const tacLater later_elements[] = {
    {"contact equality sensor keyframe deformable", "is not built yet"},
    {"muscle adhesion dcmotor",
     "is not built yet; there are general, motor, position, velocity, intvelocity, damper and "
     "cylinder"},
    {"spatial", "is not built yet: there are <fixed> tendons, sums of joints"},
    {"mesh hfield skin model", "is not built yet; geoms are primitives or shapes"},
    {"include frame replicate attach composite flexcomp flex plugin extension",
     "is not built yet; write out what it stands for"},
};

static const tacLater later_attributes[] = {
    {"site refsite body slidersite cranksite cranklength",
     "is not built yet; drive a joint or a tendon"},
    {"springdamper alignfree inertiagrouprange", "is not built yet"},
    {"fromto",
     "is for capsules and cylinders; give pos and one of quat, euler, axisangle, xyaxes, zaxis"},
    {"mesh hfield fitscale", "is not built yet; geoms are primitives or shapes"},
    {"target", "is not built yet; turn it with xyaxes, quat, euler, axisangle or zaxis"},
};

static const char* find_reason(const tacLater* table, int count, const char* word) {
    for (int i = 0; i < count; ++i)
        if (tac_word_in(word, table[i].words)) return table[i].reason;
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

static void fail_attribute(tacReader* reader, const tacElement* element, const tacRule* rule,
                           const tacAttribute* attribute) {
    const char* word = attribute->name;
    const char* reason = find_reason(later_attributes, TAC_COUNT(later_attributes), word);
    char near[TAC_NEAREST_SIZE];
    int meant = tac_nearest(word, rule->attributes, near);
    if (reason)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, attribute->line, word, "'%s' of <%s> %s",
                        word, element->name, reason);
    else
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, attribute->line, word,
                        "<%s> has no attribute '%.40s'%s%s%s allowed here: %s", element->name, word,
                        meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : ";",
                        *rule->attributes ? rule->attributes : "none");
}

static void fail_child(tacReader* reader, const tacElement* child, const tacRule* rule) {
    const char* word = child->name;
    const char* reason = find_reason(later_elements, TAC_COUNT(later_elements), word);
    char near[TAC_NEAREST_SIZE], tag[TAC_NEAREST_SIZE];
    snprintf(tag, sizeof tag, "<%.60s>", word);
    int meant = tac_nearest(word, rule->children, near);
    if (reason)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, child->line, tag, "<%s> %s", word, reason);
    else
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, child->line, tag,
                        "<%.40s> is not an element of <%s>%s%s%s allowed here: %s", word,
                        rule->name, meant ? "; did you mean <" : "", meant ? near : "",
                        meant ? ">?" : ";", *rule->children ? rule->children : "none");
}

static void check_element(tacReader* reader, const tacElement* element, const tacRule* rule) {
    if (!rule->children) return;
    for (int i = 0; i < element->count && reader->result == TAC_OK; ++i) {
        const tacAttribute* attribute = &element->attributes[i];
        if (!tac_word_in(attribute->name, rule->attributes) &&
            !tac_word_in(attribute->name, rule->ignored))
            fail_attribute(reader, element, rule, attribute);
    }
    // recursion ends: nesting is at most TAC_MAX_NESTING
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        const tacRule* below =
            tac_word_in(c->name, rule->children) ? tac_rule_find(element->name, c->name) : NULL;
        if (below)
            check_element(reader, c, below);
        else
            fail_child(reader, c, rule);
    }
}

void tac_schema_check(tacReader* reader, const tacElement* root) {
    if (strcmp(root->name, "mujoco") != 0)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, root->line, "<mujoco>",
                        "a scene starts with <mujoco>, a URDF with <robot>, this file with <%.40s>",
                        root->name);
    else
        check_element(reader, root, find_rule("mujoco"));
}
