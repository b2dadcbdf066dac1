// Options of the whole scene: <compiler>, <option>, <tactus>.

#include "model/spec.h"

#include "base/assert.h"

#include <string.h>

static const tacRange any_number = {-1e9, 1e9};

//---------------------------------- compiler -------------------------------------

static void read_eulerseq(tacSpec* spec, const tacElement* element) {
    const tacAttribute* attribute = tac_attribute(element, "eulerseq");
    if (!attribute) return;
    const char* v = attribute->value;
    if (strlen(v) == 3 && strspn(v, "xyzXYZ") == 3)
        memcpy(spec->compiler.eulerseq, v, 4);
    else
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, attribute->line, "eulerseq",
                        "'%.20s' must be three letters of xyz (moving axes) or XYZ (fixed axes)",
                        v);
}

// a folder with a slash at its end
static void read_folder(tacSpec* spec, const tacElement* element, const char* name,
                        const char** out) {
    const tacAttribute* attribute = tac_attribute(element, name);
    if (!attribute) return;
    size_t length = strlen(attribute->value);
    int slash = length > 0 && attribute->value[length - 1] != '/';
    const char* folder = tac_reader_text(&spec->reader, "%s%s", attribute->value, slash ? "/" : "");
    if (folder) *out = folder;
}

// integers without a range are read as numbers
static void read_groups(tacSpec* spec, const tacElement* element) {
    double group[2];
    if (!tac_read_vector(&spec->reader, element, "inertiagrouprange", 2, (tacRange){0.0, 5.0},
                         group))
        return;
    spec->compiler.inertiagroup[0] = (int)group[0];
    spec->compiler.inertiagroup[1] = (int)group[1];
}

static void refuse_alignment(tacSpec* spec, const tacElement* element) {
    int align = 0;
    tac_read_bool(&spec->reader, element, "alignfree", &align);
    if (align)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "alignfree"), "alignfree",
                        "aligning free bodies' frames with their inertia is not supported yet; set "
                        "alignfree=\"false\"");
}

void tac_read_compiler(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    const tacRange bound = {0.0, 1e9};
    int angle = tac_read_word(reader, element, "angle", "degree radian");
    if (angle >= 0) spec->compiler.angle = angle == 1 ? 1.0 : 3.14159265358979323846 / 180.0;
    read_eulerseq(spec, element);
    int word = tac_read_word(reader, element, "inertiafromgeom", "false true auto");
    if (word >= 0) spec->compiler.inertiafromgeom = word;
    tac_read_bool(reader, element, "autolimits", &spec->compiler.autolimits);
    tac_read_bool(reader, element, "balanceinertia", &spec->compiler.balanceinertia);
    tac_read_bool(reader, element, "fusestatic", &spec->compiler.fusestatic);
    tac_read_number(reader, element, "boundmass", bound, &spec->compiler.boundmass);
    tac_read_number(reader, element, "boundinertia", bound, &spec->compiler.boundinertia);
    tac_read_number(reader, element, "settotalmass", any_number, &spec->compiler.settotalmass);
    tac_read_bool(reader, element, "fusestatic", &spec->compiler.fusestatic);
    tac_read_bool(reader, element, "strippath", &spec->compiler.strippath);
    tac_read_bool(reader, element, "fitaabb", &spec->compiler.fitaabb);
    tac_read_bool(reader, element, "exactmeshinertia", &spec->compiler.exactmeshinertia);
    read_folder(spec, element, "assetdir", &spec->compiler.meshdir);
    read_folder(spec, element, "assetdir", &spec->compiler.texturedir);
    read_folder(spec, element, "texturedir", &spec->compiler.texturedir);
    read_folder(spec, element, "meshdir", &spec->compiler.meshdir);
    read_groups(spec, element);
    refuse_alignment(spec, element);
    if (tac_read_word(reader, element, "coordinate", "local global") == 1)
        tac_reader_fail(reader, TAC_ERROR_UNSUPPORTED, tac_attribute_line(element, "coordinate"),
                        "coordinate",
                        "global coordinates are not supported (nor by MuJoCo since 2.3.4); "
                        "write poses in the parent's frame");
}

void tac_enter_scope(tacSpec* spec, const tacElement* element) {
    spec->at = element;
    if (element->scope < spec->scope.count)
        spec->compiler = ((const tacCompiler*)spec->scope.items)[element->scope];
}

int tac_add_scope(tacSpec* spec, const tacElement* root, const char* path) {
    const char* slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 0;
    spec->compiler = (tacCompiler){.angle = 3.14159265358979323846 / 180.0,
                                   .eulerseq = "xyz",
                                   .autolimits = 1,
                                   .inertiafromgeom = 2,
                                   .inertiagroup = {0, 5},
                                   .meshdir = "",
                                   .texturedir = "",
                                   .folder = tac_reader_text(&spec->reader, "%.*s", length, path)};
    for (const tacElement* c = root->child; c && spec->reader.result == TAC_OK; c = c->next)
        if (strcmp(c->name, "compiler") == 0) tac_read_compiler(spec, c);
    tacCompiler* scope = tac_list_add(&spec->reader, &spec->scope, sizeof *scope);
    if (scope) *scope = spec->compiler;
    return spec->scope.count - 1;
}

//---------------------------------- option ---------------------------------------

static void read_integrator(tacSpec* spec, const tacElement* element) {
    static const tacIntegrator integrators[] = {TAC_INTEGRATOR_EULER, TAC_INTEGRATOR_LIE,
                                                TAC_INTEGRATOR_IMPLICITFAST};
    const tacAttribute* given = tac_attribute(element, "integrator");
    if (given && strcmp(given->value, "implicit") == 0)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "integrator"), "integrator",
                        "implicit is not supported; use Euler, RK4 or implicitfast, which keeps "
                        "Coriolis forces explicit");
    int word = tac_read_word(&spec->reader, element, "integrator", "Euler RK4 implicitfast");
    if (word >= 0) spec->integrator = integrators[word];
}

// MuJoCo's later words for `passive`
static void read_springs(tacSpec* spec, const tacElement* element) {
    int spring = tac_read_word(&spec->reader, element, "spring", "enable disable") == 1;
    int damper = tac_read_word(&spec->reader, element, "damper", "enable disable") == 1;
    if (spring && damper) spec->disable |= TAC_DISABLE_PASSIVE;
    if (spring != damper)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, spring ? "spring" : "damper"),
                        spring ? "spring" : "damper",
                        "springs and dampers can only be disabled together; set both flags");
}

static void read_flags(tacSpec* spec, const tacElement* element) {
    static const char* const words[] = {"gravity",   "passive",    "actuation",   "eulerdamp",
                                        "clampctrl", "constraint", "equality",    "frictionloss",
                                        "limit",     "contact",    "filterparent"};
    for (int i = 0; i < TAC_COUNT(words); ++i) {
        int word = tac_read_word(&spec->reader, element, words[i], "enable disable");
        if (word < 0) continue;
        spec->disable &= ~(1u << i);
        spec->disable |= (unsigned)word << i;
    }
    read_springs(spec, element);
    if (tac_read_word(&spec->reader, element, "override", "disable enable") == 1)
        tac_note_ignored(spec, TAC_IGNORED_OVERRIDE, element, "override");
}

// of MuJoCo before 3.0
static void refuse_collision(tacSpec* spec, const tacElement* element) {
    if (tac_read_word(&spec->reader, element, "collision", "all predefined dynamic") > 0)
        tac_reader_fail(&spec->reader, TAC_ERROR_UNSUPPORTED,
                        tac_attribute_line(element, "collision"), "collision",
                        "is not supported (nor by MuJoCo since 3.0): write <pair>s, or contype and "
                        "conaffinity of geoms");
}

// groups of actuators that are switched off
static void read_disabled_groups(tacSpec* spec, const tacElement* element) {
    int count = 0;
    const double* group = tac_read_list(&spec->reader, element, "actuatorgroupdisable",
                                        (tacRange){0.0, 30.0}, &count);
    for (int i = 0; i < count && group; ++i)
        spec->actuation.disabled_groups |= 1u << (unsigned)group[i];
}

void tac_read_option(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    tac_read_vector(reader, element, "gravity", 3, any_number,
                    tac_spec_values(spec, spec->gravity));
    tac_read_number(reader, element, "timestep", tac_range_size,
                    tac_spec_values(spec, spec->timestep));
    read_integrator(spec, element);
    refuse_collision(spec, element);
    read_disabled_groups(spec, element);
    tac_read_fluid(spec, element);
    for (const tacElement* c = element->child; c; c = c->next)
        if (strcmp(c->name, "flag") == 0) read_flags(spec, c);
}

//---------------------------------- tactus ---------------------------------------

static void read_compat(tacSpec* spec, const tacElement* element, const char* name) {
    int word = tac_read_word(&spec->reader, element, name, "4.0.1 3.14");
    if (word >= 0) spec->compat = word == 1 ? TAC_COMPAT_3_14 : TAC_COMPAT_4_0;
}

// <text name="tactus_compat" data="3.14"> of an exported scene; <tactus> has the last word
void tac_read_custom(tacSpec* spec, const tacElement* element) {
    for (const tacElement* c = element->child; c; c = c->next) {
        const tacAttribute* name = tac_attribute(c, "name");
        if (strcmp(c->name, "text") == 0 && name && strcmp(name->value, "tactus_compat") == 0)
            read_compat(spec, c, "data");
    }
}

// its attributes of contact are read last (contact_plan.c)
void tac_read_tactus(tacSpec* spec, const tacElement* element) {
    read_compat(spec, element, "compat");
    if (tac_read_word(&spec->reader, element, "integrator", "explicit") == 0)
        spec->integrator = TAC_INTEGRATOR_EXPLICIT;
    int word = tac_read_word(&spec->reader, element, "rk4", "lie plain");
    if (word >= 0) {
        spec->rk4_line = tac_attribute_line(element, "rk4");
        spec->rk4_plain = word == 1;
    }
    const tacElement** element_slot =
        tac_list_add(&spec->reader, &spec->contact.tactus, sizeof *element_slot);
    if (element_slot) *element_slot = element;
}

// Runge-Kutta keeps its order with balls and free bodies, unless MuJoCo's before 4.0 is wanted.
void tac_finish_options(tacSpec* spec) {
    int is_rk4 = spec->integrator == TAC_INTEGRATOR_LIE;
    int plain = spec->rk4_line ? spec->rk4_plain : spec->compat == TAC_COMPAT_3_14;
    if (spec->rk4_line && !is_rk4)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, spec->rk4_line, "rk4",
                        "needs <option integrator=\"RK4\">");
    if (is_rk4 && plain) spec->integrator = TAC_INTEGRATOR_RK4;
}
