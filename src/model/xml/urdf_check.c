// Words of a URDF.
//
// Files for several programs carry elements of all of them (<gazebo>, <transmission>, ...). What is
// not a word of URDF is ignored, as in MuJoCo, with the text in it; but what looks like a
// misspelled one is refused.

#include "model/xml/urdf.h"

#include "base/assert.h"
#include "model/xml/schema.h"
#include "model/xml/word_suggestion.h"

#include <string.h>

#define PART "origin geometry material"

static const tacRule rules[] = {
    {"robot", "name version", "", "link joint material mujoco transmission gazebo sensor"},
    {"link", "name type", "", "inertial visual collision contact"},
    {"inertial", "", "", "origin mass inertia"},
    {"visual", "name", "", PART},
    {"collision", "name", "", PART},
    {"joint", "name type", "",
     "origin parent child axis limit dynamics mimic calibration safety_controller"},
    {"geometry", "", "", "box cylinder capsule sphere mesh"},
    {"origin", "xyz rpy", "", ""},
    {"mass", "value", "", ""},
    {"inertia", "ixx iyy izz ixy ixz iyz", "", ""},
    {"axis", "xyz", "", ""},
    {"limit", "lower upper effort velocity", "", ""},
    {"dynamics", "damping friction", "", ""},
    {"mimic", "joint multiplier offset", "", ""},
    {"parent", "link", "", ""},
    {"child", "link", "", ""},
    {"box", "size", "", ""},
    {"cylinder", "radius length", "", ""},
    {"capsule", "radius length", "", ""},
    {"sphere", "radius", "", ""},
    {"mesh", "filename scale", "", ""},
};

static const tacRule* find_rule(const char* name) {
    for (int i = 0; i < TAC_COUNT(rules); ++i)
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    return NULL;
}

int tac_urdf_knows(const tacElement* element) {
    for (; element; element = element->parent)
        if (!find_rule(element->name)) return 0;
    return 1;
}

static void check_slip(tacReader* reader, const char* word, const char* known, int line,
                       const tacRule* rule, const char* what) {
    char near[TAC_SUGGESTION_SIZE];
    if (tac_word_in_list(word, known) || !tac_misspelled_word(word, known, near)) return;
    tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, line, word,
                    "<%s> of a URDF has no %s '%.40s'; did you mean '%s'?", rule->name, what, word,
                    near);
}

static void check_xacro(tacReader* reader, const tacElement* element) {
    if (strncmp(element->name, "xacro:", 6) == 0)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, element->line, element->name,
                        "this is a template; expand it first: xacro FILE.xacro > FILE.urdf");
}

// recursion ends: nesting is at most TAC_MAX_NESTING
static void check_element(tacReader* reader, const tacElement* element, const tacRule* rule) {
    for (int i = 0; i < element->count && reader->result == TAC_OK; ++i)
        check_slip(reader, element->attributes[i].name, rule->attributes,
                   element->attributes[i].line, rule, "attribute");
    for (const tacElement* c = element->child; c && reader->result == TAC_OK; c = c->next) {
        check_xacro(reader, c);
        check_slip(reader, c->name, rule->children, c->line, rule, "element");
        const tacRule* below =
            tac_word_in_list(c->name, rule->children) ? find_rule(c->name) : NULL;
        if (below) check_element(reader, c, below);
    }
}

// the MuJoCo extension of a URDF, and <tactus>
static void check_extension(tacReader* reader, const tacElement* robot) {
    static const char known[] = "compiler option size visual statistic tactus";
    const tacElement* extension = tac_urdf_child(robot, "mujoco");
    for (const tacElement* c = extension ? extension->child : NULL; c; c = c->next)
        if (!tac_word_in_list(c->name, known))
            tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, c->line, c->name,
                            "<mujoco> in a URDF may contain: %s (as in MuJoCo)", known);
}

void tac_urdf_check(tacReader* reader, const tacElement* robot) {
    check_element(reader, robot, find_rule("robot"));
    check_extension(reader, robot);
}
