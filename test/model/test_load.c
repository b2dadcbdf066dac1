// Scenes to models: what is built, what is refused, and that nothing is left behind.

#include "math/pose.h"
#include "model/refusal.h"
#include "tactus/model.h"
#include "test.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

static const char scene[] =
    "<mujoco model='test'>\n"
    " <compiler angle='degree' autolimits='true'/>\n"
    " <option gravity='0 0 -1' timestep='0.01'><flag contact='disable'/></option>\n"
    " <visual><global offwidth='8'/></visual>\n"
    " <asset>\n"
    "  <texture name='t' builtin='flat'/>\n"
    "  <material name='red' rgba='1 0 0 1' texture='t'/>\n"
    "  <shape name='cup' smooth='2e-3'>\n"
    "   <superquadric name='wall' size='.04 .04 .05' eps='.1 1'/>\n"
    "   <union name='handle' pos='1 2 3' euler='0 90 0'>\n"
    "    <sphere size='.1'/><sphere name='tip' size='.2' pos='0 0 1'/>\n"
    "    <union smooth='1e-4' distance='radial'><superquadric size='1 2 3' eps='1 1'/></union>\n"
    "   </union>\n"
    "  </shape>\n"
    "  <shape name='one'><sphere size='2' pos='0 1 0'/></shape>\n"
    "  <shape name='soft'><sphere size='2'/><superquadric size='.1 .2 .3' eps='1 1'/></shape>\n"
    "  <shape name='ground'><union><plane/></union></shape>\n"
    " </asset>\n"
    " <worldbody>\n"
    "  <light pos='0 0 3' dir='0 0 -2' directional='true'/>\n"
    "  <body name='b' pos='0 0 1' axisangle='0 0 1 90'>\n"
    "   <body pos='1 0 0'><geom name='ball' size='.1' pos='1 0 0' material='red'/>\n"
    "    <camera name='eye' pos='1 0 0' fovy='30'/></body>\n"
    "   <geom type='shape' shape='cup' rgba='0 1 0 .5'/>\n"
    "  </body>\n"
    "  <geom type='plane' size='1 1 .1' friction='1 .1 .1'/>\n"
    "  <geom name='egg' type='ellipsoid' size='1 2 3'/>\n"
    "  <site name='s'/>\n"
    " </worldbody>\n"
    "</mujoco>\n";

// the scene above, or an end of the test
static tacModel* load_scene(void) {
    tacModel* model;
    tacMessage message;
    if (load_text(scene, &model, &message) == TAC_OK) return model;
    printf("  %s:%d: %s: %s\n", message.file, message.line, message.attribute, message.text);
    exit(1);
}

//---------------------------------- what is built --------------------------------

static int nodes_are_in_post_order(void) {
    tacModel* m = load_scene();
    const tacShape* cup = &m->shape[tac_shape_find(m, "cup")];
    ENSURE(cup->first == 0 && cup->count == 7);
    static const tacNodeKind kinds[] = {TAC_NODE_SUPERQUADRIC, TAC_NODE_SPHERE, TAC_NODE_SPHERE,
                                        TAC_NODE_SUPERQUADRIC, TAC_NODE_UNION,  TAC_NODE_UNION,
                                        TAC_NODE_UNION};
    static const int parents[] = {6, 5, 5, 4, 5, 6, -1}, firsts[] = {0, 1, 2, 3, 3, 1, 0};
    static const int children[] = {0, 0, 0, 0, 1, 3, 2};
    for (int i = 0; i < 7; ++i) {
        const tacNode* node = &m->node[i];
        ENSURE(node->kind == kinds[i] && node->parent == parents[i]);
        ENSURE(node->first == firsts[i] && node->children == children[i]);
        ENSURE((node->smooth >= 0) == (node->children > 0));
    }
    ENSURE(m->node[0].distance == TAC_DISTANCE_TANGENT);
    ENSURE(m->node[3].distance == TAC_DISTANCE_RADIAL);
    ENSURE_NEAR(m->param[m->node[3].size + 2], 3.0, 0.0);
    ENSURE_NEAR(m->param[m->node[0].eps], 0.1, 0.0);
    ENSURE_NEAR(m->param[m->node[5].position + 1], 2.0, 0.0);
    tac_model_destroy(m);
    return 0;
}

// nested combinations share the temperature of their shape, unless they state their own
static int smoothing_is_inherited(void) {
    tacModel* m = load_scene();
    ENSURE(m->node[5].smooth == m->node[6].smooth && m->node[4].smooth != m->node[6].smooth);
    ENSURE_NEAR(m->param[m->node[6].smooth], 2e-3, 0.0);
    ENSURE_NEAR(m->param[m->node[4].smooth], 1e-4, 0.0);

    // without one: 0.5 % of the mean half size of the smallest leaf, 1 mm if there is none
    const tacShape* soft = &m->shape[tac_shape_find(m, "soft")];
    ENSURE_NEAR(m->param[m->node[soft->first + 2].smooth], 0.005 * 0.2, 1e-18);
    const tacShape* ground = &m->shape[tac_shape_find(m, "ground")];
    ENSURE_NEAR(m->param[m->node[ground->first + 1].smooth], 1e-3, 0.0);
    tac_model_destroy(m);
    return 0;
}

static int a_shape_of_one_node_has_no_union(void) {
    tacModel* m = load_scene();
    const tacShape* one = &m->shape[tac_shape_find(m, "one")];
    ENSURE(one->count == 1 && one->depth == 1);
    ENSURE(m->node[one->first].kind == TAC_NODE_SPHERE && m->node[one->first].parent == -1);
    ENSURE_NEAR(m->param[m->node[one->first].position + 1], 1.0, 0.0);
    ENSURE(tac_shape_find(m, "none") == -1);
    tac_model_destroy(m);
    return 0;
}

// numbers of bodies and geoms are MuJoCo's: a body's geoms before those of its children
static int geoms_are_numbered_as_in_mujoco(void) {
    tacModel* m = load_scene();
    ENSURE(m->nbody == 3 && m->ngeom == 4);
    static const int bodies[] = {0, 0, 1, 2};
    for (int i = 0; i < 4; ++i) ENSURE(m->geom[i].body == bodies[i]);
    ENSURE(strcmp(m->body[0].name, "world") == 0 && strcmp(m->body[1].name, "b") == 0);
    ENSURE(m->body[2].parent == 1 && m->body[1].parent == 0);
    ENSURE(strcmp(m->geom[3].name, "ball") == 0 && m->geom[3].rgba[0] == 1.0);
    ENSURE(m->geom[2].rgba[3] == 0.5 && m->geom[2].shape == 0);
    ENSURE(strcmp(m->shape[m->geom[0].shape].name, "geom:0") == 0);
    ENSURE(strcmp(m->shape[m->geom[1].shape].name, "geom:egg") == 0);
    ENSURE(m->node[m->shape[m->geom[0].shape].first].kind == TAC_NODE_PLANE);
    const tacNode* egg = &m->node[m->shape[m->geom[1].shape].first];
    ENSURE(egg->kind == TAC_NODE_ELLIPSOID && egg->eps < 0 && m->param[egg->size + 2] == 3.0);
    tac_model_destroy(m);
    return 0;
}

// as MuJoCo reads them: radius, and half length or two points; sizes that are not needed are spare
static int primitives_have_sizes_and_places(void) {
    tacModel* m = NULL;
    ENSURE(load_text(
               "<mujoco><asset><shape name='s'><cylinder size='.1' fromto='0 0 0 0 2 0'/></shape>"
               "</asset><worldbody><geom type='capsule' size='.1 .2 0.5'/>"
               "<geom type='box' size='1 2 3' pos='1 0 0'/>"
               "<geom type='cylinder' size='.1' fromto='1 0 0 5 0 0'/></worldbody></mujoco>",
               &m, NULL) == TAC_OK);
    static const tacNodeKind kinds[] = {TAC_NODE_CYLINDER, TAC_NODE_CAPSULE, TAC_NODE_BOX,
                                        TAC_NODE_CYLINDER};
    static const double second[] = {1.0, 0.2, 2.0, 2.0};
    for (int i = 0; i < 4; ++i) {
        ENSURE(m->node[i].kind == kinds[i] && m->node[i].eps < 0);
        ENSURE_NEAR(m->param[m->node[i].size + 1], second[i], 1e-15);
    }
    ENSURE_NEAR(m->param[m->node[0].position + 1], 1.0, 1e-15);
    ENSURE_NEAR(m->param[m->node[1].position], 0.0, 0.0);
    tacPose pose = tac_geom_pose(m, 2);
    tacVec3 end = tac_pose_apply(pose, (tacVec3){0.0, 0.0, 2.0}); // z points to the first point
    ENSURE_NEAR(pose.position.x, 3.0, 1e-15);
    ENSURE_NEAR(end.x, 1.0, 1e-15);
    tac_model_destroy(m);
    return 0;
}

static int poses_chain_through_bodies(void) {
    tacModel* m = load_scene();
    tacPose ball = tac_geom_pose(m, 3); // x of a body turned by 90 degrees is y of the world
    ENSURE_NEAR(ball.position.x, 0.0, 1e-15);
    ENSURE_NEAR(ball.position.y, 2.0, 1e-15);
    ENSURE_NEAR(ball.position.z, 1.0, 1e-15);
    const tacCamera* eye = &m->camera[0];
    ENSURE_NEAR(eye->position[1], 2.0, 1e-15);
    ENSURE_NEAR(eye->axes[0][1], 1.0, 1e-15);
    ENSURE_NEAR(eye->axes[2][2], 1.0, 1e-15);
    ENSURE(eye->fovy == 30.0 && strcmp(eye->name, "eye") == 0);
    ENSURE(m->light[0].directional == 1);
    ENSURE_NEAR(m->light[0].direction[2], -1.0, 0.0);
    tac_model_destroy(m);
    return 0;
}

//---------------------------------- what is refused ------------------------------

static const badScene bad_scenes[] = {
    {"<geom size='1 2 3 4'/>", 0, TAC_ERROR_VALUE, 2, "size", "1 to 3 numbers"},
    {"<geom size=''/>", 0, TAC_ERROR_VALUE, 2, "size", "found 0"},
    {"<geom/>", 0, TAC_ERROR_VALUE, 2, "size", "needs"},
    {"<geom size='1'\n\n pos='0 0'/>", 0, TAC_ERROR_VALUE, 4, "pos", "3 numbers, found 2"},
    {"<geom size='0'/>", 0, TAC_ERROR_VALUE, 2, "size", "out of range"},
    {"<geom size='-1'/>", 0, TAC_ERROR_VALUE, 2, "size", "out of range"},
    {"<geom size='nan'/>", 0, TAC_ERROR_VALUE, 2, "size", "'nan' is not"},
    {"<geom size='inf'/>", 0, TAC_ERROR_VALUE, 2, "size", "finite"},
    {"<geom size='1e999'/>", 0, TAC_ERROR_VALUE, 2, "size", "finite"},
    {"<geom size='0x1'/>", 0, TAC_ERROR_VALUE, 2, "size", "not a finite decimal"},
    {"<geom size='1,2'/>", 0, TAC_ERROR_VALUE, 2, "size", "spaces"},
    {"<geom size='1m'/>", 0, TAC_ERROR_VALUE, 2, "size", "'1m'"},
    {"<geom size='1' pos='0 0 1e10'/>", 0, TAC_ERROR_VALUE, 2, "pos", "out of range"},
    {"<geom size='1' szie='1'/>", 0, TAC_ERROR_UNSUPPORTED, 2, "szie", "did you mean 'size'?"},
    {"<geom size='1'\n colour='1'/>", 0, TAC_ERROR_UNSUPPORTED, 3, "colour", "allowed here: name"},
    {"<goem size='1'/>", 0, TAC_ERROR_UNSUPPORTED, 2, "<goem>", "did you mean <geom>?"},
    {"<geom size='1' rgba='1 1 1 2'/>", 0, TAC_ERROR_VALUE, 2, "rgba", "between 0 and 1"},
    {"<geom size='1' type='cone'/>", 0, TAC_ERROR_VALUE, 2, "type", "allowed: plane"},
    {"<geom size='1' type='box'/>", 0, TAC_ERROR_VALUE, 2, "size", "3 numbers"},
    {"<geom size='1' type='capsule'/>", 0, TAC_ERROR_VALUE, 2, "size", "found 1"},
    {"<geom size='1 0' type='cylinder'/>", 0, TAC_ERROR_VALUE, 2, "size", "range"},
    {"<geom size='1 2' type='ellipsoid'/>", 0, TAC_ERROR_VALUE, 2, "size", "3 numbers"},
    {"<geom type='cylinder'/>", 0, TAC_ERROR_VALUE, 2, "size", "needs"},
    {"<geom type='capsule' size='1' fromto='0 0 0 0 0 0'/>", 0, TAC_ERROR_VALUE, 2, "fromto",
     "same"},
    {"<geom type='capsule' size='1' fromto='0 0 0 1 0 0'\n pos='0 0 0'/>", 0, TAC_ERROR_VALUE, 3,
     "pos", "twice"},
    {"<geom type='sphere' size='1 1 1' fromto='0 0 0 1 0 0'/>", 0, TAC_ERROR_VALUE, 2, "fromto",
     "capsules, cylinders"},
    {"<geom size='1' type='mesh'/>", 0, TAC_ERROR_VALUE, 2, "mesh", "needs"},
    {"<geom size='1' type='sdf'/>", 0, TAC_ERROR_UNSUPPORTED, 2, "type", "plugin"},
    {"<geom fromto='0 0 0 1 1 1'/>", 0, TAC_ERROR_VALUE, 2, "fromto", "only capsules"},
    {"<geom shape='none'/>", 0, TAC_ERROR_VALUE, 2, "shape", "no <shape name=\"none\">"},
    {"<geom size='1' material='m'/>", 0, TAC_ERROR_VALUE, 2, "material", "no <material"},
    {"<geom type='shape'/>", 0, TAC_ERROR_VALUE, 2, "shape", "needs"},
    {"<geom type='sphere' size='1' shape='a'/>", 0, TAC_ERROR_VALUE, 2, "shape", "only"},
    {"<geom size='1' quat='0 0 0 0'/>", 0, TAC_ERROR_VALUE, 2, "quat", "length 0"},
    {"<geom size='1' zaxis='0 0 0'/>", 0, TAC_ERROR_VALUE, 2, "zaxis", "length 0"},
    {"<geom size='1' axisangle='0 0 0 1'/>", 0, TAC_ERROR_VALUE, 2, "axisangle", "length 0"},
    {"<geom size='1' xyaxes='1 0 0 2 0 0'/>", 0, TAC_ERROR_VALUE, 2, "xyaxes", "parallel"},
    {"<geom size='1' quat='1 0 0 0'\n euler='0 0 0'/>", 0, TAC_ERROR_VALUE, 3, "euler", "twice"},
    {"<geom name='a' size='1'/>\n<geom name='a' size='1'/>", 0, TAC_ERROR_VALUE, 3, "name",
     "line 2"},
    {0, "<shape name='a/b'><sphere size='1'/></shape>", TAC_ERROR_VALUE, 2, "name", "'/'"},
    {0, "<shape name='a[0]'><sphere size='1'/></shape>", TAC_ERROR_VALUE, 2, "name", "'['"},
    {"<geom name='a&#10;b' size='1'/>", 0, TAC_ERROR_VALUE, 2, "name", "a?b"},
    {"<geom name='' size='1'/>", 0, TAC_ERROR_VALUE, 2, "name", "empty"},
    {"<geom size='1'/><geom name='0' size='1'/>", 0, TAC_ERROR_VALUE, 2, "name", "index"},
    {"<body name='world'/>", 0, TAC_ERROR_VALUE, 2, "name", "reserved"},
    {"<body childclass='x'/>", 0, TAC_ERROR_VALUE, 2, "childclass", "no <default class"},
    {"<include file='no-such'/>", 0, TAC_ERROR_FILE, 2, "file", "no-such: cannot be found"},
    {"<camera mode='targetbody' target='x'/>", 0, TAC_ERROR_VALUE, 2, "target", "no <body"},
    {"<camera fovy='180'/>", 0, TAC_ERROR_VALUE, 2, "fovy", "out of range"},
    {"<light dir='0 0 0'/>", 0, TAC_ERROR_VALUE, 2, "dir", "length 0"},
    {"<light directional='maybe'/>", 0, TAC_ERROR_VALUE, 2, "directional", "false true"},
    {0, "<mesh name='m'/>", TAC_ERROR_VALUE, 2, "file", "needs"},
};

static int wrong_scenes_are_refused_with_line_and_attribute(void) {
    return are_refused(bad_scenes, (int)(sizeof bad_scenes / sizeof *bad_scenes));
}

static int wrong_sections_are_refused(void) {
    static const badScene cases[] = {
        {"<robot/>", 0, TAC_ERROR_VALUE, 1, "<robot>", "<link>"},
        {"<scene/>", 0, TAC_ERROR_UNSUPPORTED, 1, "<mujoco>", "starts with"},
        {"<mujoco><tendon>\n<spatial/></tendon></mujoco>", 0, TAC_ERROR_UNSUPPORTED, 2, "<spatial>",
         "not supported"},
        {"<mujoco><wordbody/></mujoco>", 0, TAC_ERROR_UNSUPPORTED, 1, "<wordbody>", "<worldbody>?"},
        {"<mujoco><tactus detect='gkj'/></mujoco>", 0, TAC_ERROR_VALUE, 1, "detect", "'gjk'?"},
        {"<mujoco><option integrator='RK4'/>\n<tactus detect='gjk'/></mujoco>", 0,
         TAC_ERROR_UNSUPPORTED, 2, "detect", "Runge-Kutta"},
        {"<mujoco><tactus respond='lcp' restitution='1.5'/></mujoco>", 0, TAC_ERROR_VALUE, 1,
         "restitution", "1"},
        {"<mujoco><tactus respond='lcp' restitution='-.1'/></mujoco>", 0, TAC_ERROR_VALUE, 1,
         "restitution", "0"},
        {"<mujoco><tactus respond='lcp' delta='0'/></mujoco>", 0, TAC_ERROR_VALUE, 1, "delta", ""},
        {"<mujoco><tactus respond='lcp'/>\n<worldbody><geom type='sphere' size='1' friction='-1'/>"
         "</worldbody></mujoco>",
         0, TAC_ERROR_VALUE, 2, "friction", ""},
        {"<mujoco><tactus respond='lcp'/>\n<worldbody><body><joint type='ball' limited='true' "
         "range='0 90'/><geom type='sphere' size='1' mass='1'/></body></worldbody></mujoco>",
         0, TAC_ERROR_UNSUPPORTED, 1, "respond", "ball"},
        {"<mujoco><tactus respond='cone'/></mujoco>", 0, TAC_ERROR_VALUE, 1, "respond", "cone"},
        {"<mujoco><compiler angle='grad'/></mujoco>", 0, TAC_ERROR_VALUE, 1, "angle", "degree"},
        {"<mujoco><compiler eulerseq='xya'/></mujoco>", 0, TAC_ERROR_VALUE, 1, "eulerseq", "xyz"},
        {"<mujoco><compiler coordinate='global'/></mujoco>", 0, TAC_ERROR_UNSUPPORTED, 1,
         "coordinate", "parent"},
        {"<mujoco><option gravity='0 0'/></mujoco>", 0, TAC_ERROR_VALUE, 1, "gravity", "3 numbers"},
        {"<mujoco><option timestep='0'/></mujoco>", 0, TAC_ERROR_VALUE, 1, "timestep", "range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        ENSURE_LAW(is_refused(cases[i].body, &cases[i]));
    return 0;
}

static int paths_that_are_no_files_are_refused(void) {
    tacModel* model;
    tacMessage message;
    ENSURE(tac_load("/nowhere/scene.xml", NULL, &model, &message) == TAC_ERROR_FILE);
    ENSURE(strcmp(message.file, "/nowhere/scene.xml") == 0 && message.line == 0);
    ENSURE(strstr(message.text, "No such file"));
    ENSURE(tac_load("/", NULL, &model, &message) == TAC_ERROR_FILE);
    ENSURE(strstr(message.text, "directory"));
    ENSURE(tac_load("/dev/zero", NULL, &model, &message) == TAC_ERROR_FILE);
    ENSURE(strstr(message.text, "regular"));
    ENSURE(tac_load("/dev/null", NULL, &model, NULL) == TAC_ERROR_FILE);
    ENSURE(tac_load_text("x", -1, "f", NULL, &model, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_load_text(NULL, 0, NULL, NULL, &model, &message) == TAC_ERROR_VALUE);
    ENSURE(tac_load(NULL, NULL, &model, &message) == TAC_ERROR_VALUE);
    return 0;
}

static int numbers_do_not_depend_on_the_locale(void) {
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8"};
    const char* set = NULL;
    for (int i = 0; i < 4 && !set; ++i) set = setlocale(LC_NUMERIC, names[i]);
    if (!set) SKIP("no locale with a decimal comma is installed");
    tacModel* m = load_scene();
    double size = m->param[m->node[0].size + 2];
    tac_model_destroy(m);
    setlocale(LC_NUMERIC, "C");
    ENSURE_NEAR(size, 0.05, 0.0);
    return 0;
}

//---------------------------------- memory ---------------------------------------

// gives `left` blocks, then none
typedef struct failingAllocator {
    int left, alive;
} failingAllocator;

static void* failing_allocate(void* user, size_t size) {
    failingAllocator* s = user;
    if (s->left-- <= 0) return NULL;
    ++s->alive;
    return aligned_alloc(TAC_ALIGNMENT, (size + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT);
}

static void failing_release(void* user, void* block) {
    if (block) --((failingAllocator*)user)->alive;
    free(block);
}

// a scene that takes several blocks: many geoms
static char* large_scene(void) {
    enum { GEOMS = 3000 };
    char* text = malloc(64 * GEOMS + 100);
    if (!text) abort();
    int used = sprintf(text, "<mujoco><worldbody>");
    for (int i = 0; i < GEOMS; ++i) used += sprintf(text + used, "<geom name='g%d' size='1'/>", i);
    sprintf(text + used, "</worldbody></mujoco>");
    return text;
}

// memory fails at the first, second, … block until there is enough; how often it failed, or -1
static int load_with_little_memory(const char* text) {
    for (int limit = 0;; ++limit) {
        failingAllocator s = {.left = limit};
        tacOptions options = {.allocator = {failing_allocate, failing_release, &s}};
        tacModel* model = NULL;
        tacMessage message;
        tacResult result =
            tac_load_text(text, (int)strlen(text), "scene.xml", &options, &model, &message);
        if (result == TAC_OK) {
            int blocks = s.alive; // one per model
            tac_model_destroy(model);
            return blocks == 1 && s.alive == 0 ? limit : -1;
        }
        if (result != TAC_ERROR_MEMORY || model || s.alive || !strstr(message.text, "memory"))
            return -1;
    }
}

static int running_out_of_memory_is_survived(void) {
    char* text = large_scene();
    int often = load_with_little_memory(text);
    free(text);
    ENSURE(often > 20);
    ENSURE(load_with_little_memory(scene) > 0);
    return 0;
}

static int wrong_scenes_leave_no_memory_behind(void) {
    for (int cut = 0; cut < (int)sizeof scene - 2; cut += 7) {
        failingAllocator s = {.left = 1000};
        tacOptions options = {.allocator = {failing_allocate, failing_release, &s}};
        tacModel* model = NULL;
        ENSURE(tac_load_text(scene, cut, "scene.xml", &options, &model, NULL) != TAC_OK);
        ENSURE(model == NULL && s.alive == 0);
    }
    return 0;
}

//---------------------------------- any bytes ------------------------------------

// pieces that a reader might stumble over
static const char* const pieces[] = {"<",
                                     ">",
                                     "/>",
                                     "<!--",
                                     "-->",
                                     "&#x0;",
                                     "&lt;",
                                     "nan",
                                     "1e999",
                                     "-1",
                                     "\xff",
                                     "<union>",
                                     "'",
                                     "\"",
                                     "</a>",
                                     "=",
                                     "<![CDATA[",
                                     "]]>",
                                     "<!DOCTYPE a [<!ENTITY b 'c'>",
                                     "&b;",
                                     "\n",
                                     " ",
                                     "shape",
                                     "name='wall'",
                                     "0",
                                     "<plane/>",
                                     "size='1'",
                                     "xmlns:a='b'",
                                     "<?a",
                                     "eps='1 1'"};

static int replace_text(char* text, int size, int at, int cut, const char* piece, int length) {
    if (cut > size - at) cut = size - at;
    memmove(text + at + length, text + at + cut, (size_t)(size - at - cut));
    memcpy(text + at, piece, (size_t)length);
    return size - cut + length;
}

static int mutate_scene(testRandom* random, char* text, int size) {
    int at = (int)(test_bits(random) % (unsigned)(size + 1));
    int count = (int)(sizeof pieces / sizeof *pieces);
    char byte = (char)test_bits(random);
    const char* piece = pieces[test_bits(random) % (unsigned)count];
    switch (test_bits(random) % 5) {
    case 0:
        return replace_text(text, size, at, 1, &byte, 1);
    case 1:
        return replace_text(text, size, at, (int)(test_bits(random) % 40), "", 0);
    case 2: { // a copy of another part
        char part[64];
        int from = (int)(test_bits(random) % (unsigned)(size + 1));
        int length = (int)(test_bits(random) % sizeof part);
        if (length > size - from) length = size - from;
        memcpy(part, text + from, (size_t)length);
        return replace_text(text, size, at, 0, part, length);
    }
    default:
        return replace_text(text, size, at, (int)(test_bits(random) % 4), piece,
                            (int)strlen(piece));
    }
}

static int mutated_scenes_are_loaded_or_refused(void) {
    testRandom random = {12345};
    int loaded = 0;
    for (int round = 0; round < 5000; ++round) {
        char text[sizeof scene + 1024];
        int size = (int)sizeof scene - 1;
        memcpy(text, scene, (size_t)size);
        for (int i = (int)(test_bits(&random) % 3); i >= 0; --i)
            size = mutate_scene(&random, text, size);
        tacModel* model = NULL;
        tacMessage message = {{0}, {0}, {0}, -1};
        // a block of its own, so that reading beyond the end is seen
        char* exact = malloc((size_t)size + 1);
        ENSURE(exact != NULL);
        memcpy(exact, text, (size_t)size);
        tacResult result = tac_load_text(exact, size, "scene.xml", NULL, &model, &message);
        free(exact);
        ENSURE((result == TAC_OK) == (model != NULL));
        ENSURE(result == TAC_OK || (message.text[0] && message.line >= 0));
        for (int i = 0; model && i < model->ngeom; ++i) tac_geom_pose(model, i);
        loaded += result == TAC_OK;
        tac_model_destroy(model);
    }
    printf("  %d of 5000 mutations still load\n", loaded);
    ENSURE(loaded > 50 && loaded < 4900); // both ends are reached
    return 0;
}

//---------------------------------- threads --------------------------------------

static void* load_often(void* failed) {
    for (int i = 0; i < 50; ++i) {
        tacModel* model = NULL;
        tacMessage message;
        if (load_text(scene, &model, &message) != TAC_OK) *(int*)failed = 1;
        tac_model_destroy(model);
        if (load_text("<mujoco>\n<b></mujoco>", &model, &message) != TAC_ERROR_SYNTAX ||
            message.line != 2)
            *(int*)failed = 1;
    }
    return NULL;
}

static int threads_do_not_disturb_each_other(void) {
    pthread_t threads[4];
    int failed[4] = {0};
    for (int i = 0; i < 4; ++i)
        ENSURE(pthread_create(&threads[i], NULL, load_often, &failed[i]) == 0);
    for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; ++i) ENSURE(!failed[i]);
    return 0;
}

TEST_MAIN(RUN(nodes_are_in_post_order), RUN(smoothing_is_inherited),
          RUN(a_shape_of_one_node_has_no_union), RUN(geoms_are_numbered_as_in_mujoco),
          RUN(primitives_have_sizes_and_places), RUN(poses_chain_through_bodies),
          RUN(wrong_scenes_are_refused_with_line_and_attribute), RUN(wrong_sections_are_refused),
          RUN(paths_that_are_no_files_are_refused), RUN(numbers_do_not_depend_on_the_locale),
          RUN(running_out_of_memory_is_survived), RUN(wrong_scenes_leave_no_memory_behind),
          RUN(mutated_scenes_are_loaded_or_refused), RUN(threads_do_not_disturb_each_other))
