// MJCF as its models use it: includes, frames, meshes, contacts, equalities, keyframes.

#include "math/pose.h"
#include "mesh/failing_allocator.h"
#include "model/refusal.h"
#include "tactus/model.h"

#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static double value_of(const tacModel* model, const char* name) {
    tacParam param;
    return tac_param_find(model, name, &param) == TAC_OK ? model->param[param.offset] : NAN;
}

// a model or an end of the test
static tacModel* load_or_print(const char* text) {
    tacModel* model = NULL;
    tacMessage message;
    if (load_text(text, &model, &message) != TAC_OK)
        printf("  line %d: %s: %s\n", message.line, message.attribute, message.text);
    return model;
}

//---------------------------------- files ----------------------------------------

static char folder[] = "/tmp/tactus_mjcf_XXXXXX";

static void write_file(const char* name, const char* text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    if (!file) exit(1);
    fputs(text, file);
    fclose(file);
}

static tacResult load_file(const char* name, tacModel** model, tacMessage* message) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return tac_load(path, NULL, model, message);
}

// result, line, end of the file's name and a word of the text
static int is_file_refused(const char* name, tacResult wanted, int line, const char* file,
                           const char* word) {
    tacModel* model = NULL;
    tacMessage message;
    tacResult result = load_file(name, &model, &message);
    size_t length = strlen(message.file), tail = strlen(file);
    int right = result == wanted && message.line == line && length >= tail &&
                strcmp(message.file + length - tail, file) == 0 && strstr(message.text, word);
    if (!right)
        printf("  %s: got %s, %s:%d: %s: %s\n", name, tac_result_name(result), message.file,
               message.line, message.attribute, message.text);
    return right && !model;
}

//---------------------------------- includes -------------------------------------

static int includes_take_the_place_of_their_element(void) {
    write_file("a.xml", "<mujoco>\n<include file='sub/b.xml'/>\n<worldbody>\n"
                        "<body name='x'><joint/><include file='geoms.xml'/></body></worldbody>"
                        "</mujoco>");
    write_file("sub/b.xml", "<mujocoinclude>\n<include file='c.xml'/>"
                            "<worldbody><geom name='p' type='plane'/></worldbody></mujocoinclude>");
    write_file("sub/c.xml", "<x><default><geom size='.1'/></default></x>");
    write_file("geoms.xml", "<x><geom name='one'/>\n<geom name='two' size='.2'/></x>");
    tacModel* model;
    tacMessage message;
    ENSURE(load_file("a.xml", &model, &message) == TAC_OK);
    ENSURE(model->ngeom == 3 && model->geom[0].body == 0 && model->geom[2].body == 1);
    ENSURE_NEAR(value_of(model, "geom:one/size"), 0.1, 0.0);
    ENSURE_NEAR(value_of(model, "geom:two/size"), 0.2, 0.0);
    tac_model_destroy(model);
    return 0;
}

// the world's elements are one list, however many <worldbody> there are
static int worldbodies_are_joined(void) {
    tacModel* model = load_or_print(
        "<mujoco><worldbody><body><geom name='a' size='1'/></body></worldbody>"
        "<worldbody><geom name='b' size='1'/><body><geom name='c' size='1'/></body></worldbody>"
        "</mujoco>");
    ENSURE(model);
    ENSURE(strcmp(model->geom[0].name, "b") == 0 && strcmp(model->geom[1].name, "a") == 0);
    ENSURE(model->geom[2].body == 2);
    tac_model_destroy(model);
    return 0;
}

// each mistake is reported with the file that has it
static int wrong_includes_are_refused(void) {
    write_file("missing.xml", "<mujoco>\n<include file='none.xml'/></mujoco>");
    write_file("self.xml", "<mujoco>\n\n<include file='self.xml'/></mujoco>");
    write_file("ring1.xml", "<mujoco><include file='ring2.xml'/></mujoco>");
    write_file("ring2.xml", "<x>\n\n<include file='ring1.xml'/></x>");
    write_file("twice.xml", "<mujoco><include file='ok.xml'/>\n<include file='ok.xml'/></mujoco>");
    write_file("ok.xml", "<x/>");
    write_file("outer.xml", "<mujoco>\n<include file='bad.xml'/></mujoco>");
    write_file("bad.xml", "<x>\n<worldbody>\n\n<geom size='nan'/></worldbody></x>");
    write_file("outer2.xml", "<mujoco>\n<include file='open.xml'/></mujoco>");
    write_file("open.xml", "<x>\n<worldbody>\n");
    write_file("names.xml", "<mujoco>\n<worldbody><geom name='g' size='1'/></worldbody>"
                            "<include file='names2.xml'/></mujoco>");
    write_file("names2.xml", "<x>\n\n<worldbody>\n<geom name='g' size='1'/></worldbody></x>");
    write_file("none.attr.xml", "<mujoco>\n<include/></mujoco>");
    write_file("folder.xml", "<mujoco>\n<include file='sub'/></mujoco>");
    ENSURE(is_file_refused("missing.xml", TAC_ERROR_FILE, 2, "missing.xml",
                           "none.xml: cannot be found"));
    ENSURE(is_file_refused("self.xml", TAC_ERROR_VALUE, 3, "self.xml", "includes itself"));
    ENSURE(is_file_refused("ring1.xml", TAC_ERROR_VALUE, 3, "ring2.xml", "includes itself"));
    ENSURE(is_file_refused("twice.xml", TAC_ERROR_VALUE, 2, "twice.xml", "already"));
    ENSURE(is_file_refused("outer.xml", TAC_ERROR_VALUE, 4, "bad.xml", "finite"));
    ENSURE(is_file_refused("outer2.xml", TAC_ERROR_SYNTAX, 3, "open.xml", "XML"));
    ENSURE(is_file_refused("names.xml", TAC_ERROR_VALUE, 4, "names2.xml", "names.xml line 2"));
    ENSURE(is_file_refused("none.attr.xml", TAC_ERROR_VALUE, 2, "none.attr.xml", "needs"));
    ENSURE(is_file_refused("folder.xml", TAC_ERROR_FILE, 2, "folder.xml", "directory"));
    return 0;
}

// 100 files of 3 levels each, one in the other
static int deep_includes_are_refused(void) {
    char name[40], text[200];
    for (int i = 0; i < 100; ++i) {
        snprintf(name, sizeof name, "deep%d.xml", i);
        snprintf(text, sizeof text,
                 i ? "<x><body><body><body><include file='deep%d.xml'/></body>"
                     "</body></body></x>"
                   : "<mujoco><worldbody><include file='deep%d.xml'/>"
                     "</worldbody></mujoco>",
                 i + 1);
        write_file(name, text);
    }
    write_file("deep100.xml", "<x/>");
    tacModel* model = NULL;
    tacMessage message;
    ENSURE(load_file("deep0.xml", &model, &message) == TAC_ERROR_LIMIT);
    ENSURE(strstr(message.text, "includes counted") && strstr(message.file, "deep"));
    return 0;
}

//---------------------------------- frames ---------------------------------------

static int frames_move_what_is_in_them(void) {
    tacModel* framed = load_or_print(
        "<mujoco><default><default class='c'><geom size='.3'/></default></default><worldbody>"
        "<body name='b' pos='0 0 1'><frame pos='1 0 0' euler='0 0 90' childclass='c'>"
        "<joint name='j' pos='1 0 0' axis='1 0 0'/><geom name='g' pos='0 1 0'/>"
        "<frame pos='0 0 2'><site name='s' pos='1 0 0'/></frame>"
        "<body name='d' pos='1 0 0'><geom name='h' size='1'/></body></frame></body>"
        "</worldbody></mujoco>");
    ENSURE(framed);
    ENSURE_NEAR(value_of(framed, "geom:g/pos[0]"), 0.0, 1e-15);
    ENSURE_NEAR(value_of(framed, "geom:g/size"), 0.3, 0.0);
    ENSURE_NEAR(value_of(framed, "joint:j/pos[1]"), 1.0, 1e-15);
    ENSURE_NEAR(value_of(framed, "joint:j/axis[1]"), 1.0, 1e-15);
    ENSURE_NEAR(value_of(framed, "body:d/pos[0]"), 1.0, 1e-15);
    ENSURE_NEAR(value_of(framed, "body:d/pos[1]"), 1.0, 1e-15);
    tacPose site = tac_site_pose(framed, 0);
    ENSURE_NEAR(site.position.x, 1.0, 1e-15);
    ENSURE_NEAR(site.position.y, 1.0, 1e-15);
    ENSURE_NEAR(site.position.z, 3.0, 1e-15);
    tac_model_destroy(framed);
    return 0;
}

//---------------------------------- copies ---------------------------------------

// names and places are those of MuJoCo 3.14; what refers to copies is copied, in their order
static int replicas_are_numbered(void) {
    tacModel* model = load_or_print(
        "<mujoco><worldbody><body name='one'><joint name='jo'/><geom size='1'/></body>"
        "<replicate count='10' offset='1 0 0' euler='0 0 30' sep='-'>"
        "<body name='b' pos='0 0 1'><joint name='j'/><geom size='1'/><site name='s'/></body>"
        "</replicate><replicate count='2' offset='1 0 0'><replicate count='2' offset='0 1 0'>"
        "<site name='n'/></replicate></replicate></worldbody>"
        "<actuator><motor name='m' joint='j'/><motor name='o' joint='jo'/></actuator>"
        "<contact><exclude body1='one' body2='b'/></contact></mujoco>");
    ENSURE(model && model->nbody == 12 && model->nsite == 14 && model->nu == 11);
    ENSURE(strcmp(model->body[2].name, "b-00") == 0 && strcmp(model->body[11].name, "b-09") == 0);
    ENSURE(strcmp(model->actuator[0].name, "o") == 0 && model->nexclude == 10);
    ENSURE(strcmp(model->actuator[10].name, "m-09") == 0);
    ENSURE_NEAR(value_of(model, "body:b-02/pos[0]"), 1.0 + cos(3.14159265358979 / 6.0), 1e-14);
    ENSURE_NEAR(value_of(model, "body:b-02/pos[1]"), 0.5, 1e-14);
    ENSURE_NEAR(value_of(model, "body:b-02/quat[3]"), 0.5, 1e-14);
    ENSURE(strcmp(model->site[1].name, "n10") == 0 && strcmp(model->site[2].name, "n01") == 0);
    tac_model_destroy(model);
    return 0;
}

static const char submodel[] =
    "<mujoco model='kid'><compiler angle='radian'/><default><geom size='.3'/></default>"
    "<asset><material name='red' rgba='1 0 0 1'/></asset><worldbody><geom type='plane'/>"
    "<body name='k' pos='0 0 1'><freejoint/><geom name='g' material='red'/>"
    "<body name='arm'><joint name='j' range='-1 1'/><geom/></body></body>"
    "<body name='other'><joint name='oj'/><geom/></body></worldbody>"
    "<actuator><motor name='om' joint='oj'/><motor name='m' joint='j'/></actuator>"
    "<contact><exclude body1='k' body2='arm'/><exclude body1='k' body2='other'/></contact>"
    "<keyframe><key name='home' qpos='1 2 3 1 0 0 0 .5 .7' ctrl='5 6'/></keyframe></mujoco>";

// a body of another model twice, with what refers to it alone; read by its own <compiler>
static int models_are_attached(void) {
    write_file("kid.xml", submodel);
    write_file("parent.xml",
               "<mujoco><asset><model file='kid.xml'/></asset><default><geom size='.1'/></default>"
               "<worldbody><body><joint name='p'/><geom/></body>"
               "<frame pos='1 0 0'><attach model='kid' body='k' prefix='a/'/></frame>"
               "<attach model='kid' body='k' prefix='b_'/></worldbody>"
               "<actuator><motor joint='p'/></actuator></mujoco>");
    tacModel* model;
    tacMessage message;
    ENSURE(load_file("parent.xml", &model, &message) == TAC_OK);
    ENSURE(model->nbody == 6 && model->nq == 17 && model->nu == 3 && model->nexclude == 2);
    ENSURE(strcmp(model->body[2].name, "a/k") == 0 && strcmp(model->joint[4].name, "b_j") == 0);
    ENSURE_NEAR(value_of(model, "body:a/k/pos[0]"), 1.0, 0.0);
    ENSURE_NEAR(value_of(model, "geom:a/g/size"), 0.3, 0.0);
    ENSURE_NEAR(value_of(model, "joint:b_j/range[1]"), 1.0, 0.0);
    ENSURE(model->geom[1].rgba[0] == 1.0 && model->geom[1].rgba[1] == 0.0);
    ENSURE(model->nkey == 2 && strcmp(model->key[1].name, "b_home") == 0);
    ENSURE(model->key[0].qpos[1] == 1.0 && model->key[0].qpos[8] == 0.5);
    ENSURE(model->key[1].qpos[9] == 1.0 && model->key[1].qpos[3] == model->qpos0[3]);
    ENSURE(model->key[0].ctrl[1] == 6.0 && model->key[1].ctrl[2] == 6.0);
    tac_model_destroy(model);
    return 0;
}

static int wrong_attachments_are_refused(void) {
    write_file("no.xml", "<mujoco><asset>\n<model name='m' file='none.xml'/></asset></mujoco>");
    write_file("nobody.xml", "<mujoco><asset><model file='kid.xml'/></asset><worldbody>\n"
                             "<attach model='kid' body='x' prefix=''/></worldbody></mujoco>");
    write_file("nomodel.xml", "<mujoco><worldbody>\n<attach model='kid' body='x' prefix=''/>"
                              "</worldbody></mujoco>");
    write_file("loop.xml", "<mujoco model='l'><asset>\n<model file='loop.xml'/></asset></mujoco>");
    write_file("wrongkid.xml", "<mujoco>\n\n<worldbody><goem/></worldbody></mujoco>");
    write_file("wrong.xml", "<mujoco><asset><model file='wrongkid.xml'/></asset></mujoco>");
    write_file("many.xml", "<mujoco><worldbody><replicate count='1000'><replicate count='1000'>"
                           "\n<replicate count='1000'><site/></replicate></replicate></replicate>"
                           "</worldbody></mujoco>");
    ENSURE(is_file_refused("no.xml", TAC_ERROR_FILE, 2, "no.xml", "none.xml"));
    ENSURE(is_file_refused("nobody.xml", TAC_ERROR_VALUE, 2, "nobody.xml", "no <body"));
    ENSURE(is_file_refused("nomodel.xml", TAC_ERROR_VALUE, 2, "nomodel.xml", "no <model"));
    ENSURE(is_file_refused("loop.xml", TAC_ERROR_VALUE, 2, "loop.xml", "attaches itself"));
    ENSURE(is_file_refused("wrong.xml", TAC_ERROR_UNSUPPORTED, 3, "wrongkid.xml", "<geom>?"));
    ENSURE(is_file_refused("many.xml", TAC_ERROR_LIMIT, 2, "many.xml", "including copies"));
    return 0;
}

//---------------------------------- meshes ---------------------------------------

#define CUBE                                                                                       \
    "vertex='0 0 0 2 0 0 0 1 0 2 1 0 0 0 4 2 0 4 0 1 4 2 1 4' "                                    \
    "face='0 2 1 1 2 3 4 5 6 5 7 6 0 1 4 1 5 4 2 6 3 3 6 7 0 4 2 2 4 6 1 3 5 3 7 5'"

// a box as a mesh: centre, principal axes, mass; refpos, refquat and scale before
static int meshes_are_centred_and_weighed(void) {
    tacModel* model = load_or_print(
        "<mujoco><asset><mesh name='m' " CUBE "/>"
        "<mesh name='n' refpos='1 .5 2' refquat='1 0 0 1' scale='1 -1 .5' " CUBE "/></asset>"
        "<worldbody><body name='b'><joint/><geom name='g' type='mesh' mesh='m' pos='0 0 1'/></body>"
        "<body name='c'><joint/><geom type='mesh' mesh='n'/></body>"
        "<body name='d'><joint/><geom name='f' type='box' mesh='m' fitscale='2'/></body>"
        "</worldbody></mujoco>");
    ENSURE(model);
    ENSURE_NEAR(value_of(model, "body:b/mass"), 8000.0, 1e-9);
    ENSURE_NEAR(value_of(model, "body:b/com[0]"), 1.0, 1e-14);
    ENSURE_NEAR(value_of(model, "body:b/com[2]"), 3.0, 1e-14);
    ENSURE_NEAR(value_of(model, "body:b/inertia[0]"), 8000.0 * 17.0 / 12.0, 1e-8);
    ENSURE_NEAR(value_of(model, "body:b/inertia[2]"), 8000.0 * 5.0 / 12.0, 1e-8);
    ENSURE_NEAR(value_of(model, "geom:g/pos[1]"), 0.5, 1e-14);
    // turned by -90 degrees about z: 1 along x, 2 along y, then 2 along z
    ENSURE_NEAR(value_of(model, "body:c/mass"), 4000.0, 1e-9);
    ENSURE_NEAR(value_of(model, "body:c/com[0]"), 0.0, 1e-14);
    ENSURE_NEAR(value_of(model, "body:c/inertia[0]"), 4000.0 * 8.0 / 12.0, 1e-8);
    ENSURE_NEAR(value_of(model, "body:c/inertia[1]"), 4000.0 * 5.0 / 12.0, 1e-8);
    // the longest side is along z of the box
    ENSURE_NEAR(value_of(model, "geom:f/size[2]"), 4.0, 1e-13);
    ENSURE_NEAR(value_of(model, "geom:f/size[0]"), 1.0, 1e-13);
    // two geoms share the shape of one mesh
    ENSURE(tac_shape_find(model, "mesh:m") == model->geom[0].shape);
    const tacNode* hull = &model->node[model->shape[model->geom[0].shape].first];
    ENSURE(hull->kind == TAC_NODE_POLYHEDRON && hull->block_count == 24);
    tac_model_destroy(model);
    return 0;
}

// the file of a mesh that nothing touches or weighs is not opened
static int meshes_for_pictures_cost_nothing(void) {
    static const char head[] = "<mujoco><asset><mesh file='no-such.stl'/></asset><worldbody><body>"
                               "<joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>";
    char text[600];
    snprintf(text, sizeof text,
             "%s<geom type='mesh' mesh='no-such' contype='0' conaffinity='0'/>"
             "</body></worldbody></mujoco>",
             head);
    tacModel* model = load_or_print(text);
    ENSURE(model && model->ngeom == 1 && model->geom[0].shape == -1);
    ENSURE(tac_geom_pairs(model, NULL, 0) == 0);
    tac_model_destroy(model);
    tacMessage message;
    snprintf(text, sizeof text, "%s<geom type='mesh' mesh='no-such'/></body></worldbody></mujoco>",
             head);
    ENSURE(load_text(text, &model, &message) == TAC_ERROR_FILE);
    ENSURE(strcmp(message.attribute, "file") == 0 && strstr(message.text, "no-such.stl"));
    return 0;
}

// an open mesh can be touched where the mass is given, and has none where it is not closed
static int open_meshes_are_geometry(void) {
    static const char scene[] =
        "<mujoco><asset><mesh name='m' inertia='exact' "
        "vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2'/></asset><worldbody><body>"
        "<joint/>%s<geom type='mesh' mesh='m'/></body></worldbody></mujoco>";
    char text[500];
    tacModel* model;
    tacMessage message;
    snprintf(text, sizeof text, scene, "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>");
    model = load_or_print(text);
    ENSURE(model && model->geom[0].shape >= 0);
    tac_model_destroy(model);
    snprintf(text, sizeof text, scene, "");
    ENSURE(load_text(text, &model, &message) == TAC_ERROR_VALUE);
    ENSURE(strstr(message.text, "open") && strstr(message.text, "<inertial>"));
    return 0;
}

//---------------------------------- contacts -------------------------------------

static int pairs_follow_bits_tree_and_lists(void) {
    tacModel* model = load_or_print(
        "<mujoco><worldbody><geom name='floor' type='plane'/><geom name='wall' type='plane'/>"
        "<body name='a'><joint/><geom name='a' size='1'/>"
        "<body name='a2'><geom name='a2' size='1'/>"
        "<body name='b'><joint/><geom name='b' size='1'/>"
        "<body name='c'><joint/><geom name='c' size='1' contype='2' conaffinity='1'/></body></body>"
        "</body></body>"
        "<body name='d'><joint/><geom name='d' size='1'/>"
        "<geom name='seen' size='1' contype='0' conaffinity='0'/></body></worldbody>"
        "<contact><pair geom1='b' geom2='a' friction='2'/><exclude body1='d' body2='c'/>"
        "</contact></mujoco>");
    ENSURE(model);
    enum { FLOOR, WALL, A, A2, B, C, D };
    static const int wanted[][2] = {{B, A},     {FLOOR, A}, {FLOOR, A2}, {FLOOR, B},
                                    {FLOOR, C}, {FLOOR, D}, {WALL, A},   {WALL, A2},
                                    {WALL, B},  {WALL, C},  {WALL, D},   {A, C},
                                    {A, D},     {A2, C},    {A2, D},     {B, D}};
    int pairs[40][2], count = tac_geom_pairs(model, pairs, 40);
    ENSURE(count == (int)(sizeof wanted / sizeof *wanted));
    for (int i = 0; i < count; ++i)
        ENSURE(pairs[i][0] == wanted[i][0] && pairs[i][1] == wanted[i][1]);
    ENSURE(model->npair == 1 && model->nexclude == 1);
    ENSURE_NEAR(value_of(model, "pair:0/friction[0]"), 2.0, 0.0);
    ENSURE_NEAR(value_of(model, "pair:0/friction[2]"), 0.005, 0.0);
    tac_model_destroy(model);
    return 0;
}

static int contact_numbers_are_read(void) {
    tacModel* model = load_or_print(
        "<mujoco><default><geom friction='.5 .6' solref='.1'/></default><worldbody>"
        "<geom name='a' size='1' friction='2' condim='4' priority='3' margin='.1' gap='.05' "
        "solimp='.8' solmix='2' group='2' contype='6'/></worldbody></mujoco>");
    ENSURE(model);
    const tacGeom* a = &model->geom[0];
    ENSURE(a->condim == 4 && a->priority == 3 && a->group == 2 && a->contype == 6);
    ENSURE_NEAR(value_of(model, "geom:a/friction[0]"), 2.0, 0.0);
    ENSURE_NEAR(value_of(model, "geom:a/friction[1]"), 0.6, 0.0);  // the class's
    ENSURE_NEAR(value_of(model, "geom:a/friction[2]"), 1e-4, 0.0); // MuJoCo's
    ENSURE_NEAR(value_of(model, "geom:a/solref[0]"), 0.1, 0.0);
    ENSURE_NEAR(value_of(model, "geom:a/solref[1]"), 1.0, 0.0);
    ENSURE_NEAR(value_of(model, "geom:a/solimp[0]"), 0.8, 0.0);
    ENSURE_NEAR(value_of(model, "geom:a/solimp[1]"), 0.95, 0.0);
    ENSURE_NEAR(value_of(model, "geom:a/margin"), 0.1, 0.0);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- equalities and keys --------------------------

static int equalities_have_mujocos_data(void) {
    tacModel* model = load_or_print(
        "<mujoco><worldbody><site name='s'/>"
        "<body name='a' pos='1 0 0'><joint name='j'/><geom size='1'/><site name='t'/></body>"
        "<body name='b' pos='0 2 0' euler='0 0 90'><joint name='k'/><geom size='1'/></body>"
        "</worldbody><equality><connect body1='a' body2='b' anchor='0 0 1'/>"
        "<weld body1='a' body2='b' anchor='1 0 0' torquescale='3'/>"
        "<weld site1='s' site2='t' active='false'/>"
        "<joint name='e' joint1='j' polycoef='1 2' solref='.1 2'/></equality></mujoco>");
    ENSURE(model && model->nequality == 4);
    const tacEquality* eq = model->equality;
    ENSURE(eq[0].kind == TAC_EQUALITY_CONNECT && eq[0].object[0] == 1 && eq[0].object[1] == 2);
    ENSURE_NEAR(model->param[eq[0].data + 3], -2.0, 1e-15); // (1 -2 1) turned by -90 degrees
    ENSURE_NEAR(model->param[eq[0].data + 4], -1.0, 1e-15);
    ENSURE_NEAR(model->param[eq[0].data + 5], 1.0, 1e-15);
    ENSURE_NEAR(model->param[eq[1].data + 3], -1.0, 1e-15);
    ENSURE_NEAR(model->param[eq[1].data + 4], 3.0, 1e-15);
    ENSURE_NEAR(model->param[eq[1].data + 9], sqrt(0.5), 1e-15);
    ENSURE_NEAR(model->param[eq[1].data + 10], 3.0, 0.0);
    ENSURE(eq[2].sites && !eq[2].active && eq[2].object[1] == 1);
    ENSURE(eq[3].object[0] == 0 && eq[3].object[1] == -1);
    ENSURE_NEAR(value_of(model, "equality:e/data[1]"), 2.0, 0.0);
    ENSURE_NEAR(value_of(model, "equality:e/solref[1]"), 2.0, 0.0);
    tac_model_destroy(model);
    return 0;
}

static int keys_are_states(void) {
    tacModel* model = load_or_print(
        "<mujoco><worldbody><body pos='0 0 3'><freejoint/><geom size='1'/></body>"
        "<body><joint ref='90' name='j'/><geom size='1'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator>"
        "<keyframe><key name='home' time='2' qpos='1 2 3 2 0 0 0 4' ctrl='5'/><key/></keyframe>"
        "</mujoco>");
    ENSURE(model && model->nkey == 2);
    const tacKeyframe* key = model->key;
    ENSURE(strcmp(key[0].name, "home") == 0 && key[0].time == 2.0);
    ENSURE(key[0].qpos[2] == 3.0 && key[0].qpos[3] == 1.0 && key[0].qpos[7] == 4.0);
    ENSURE(key[0].qvel[6] == 0.0 && key[0].ctrl[0] == 5.0);
    for (int i = 0; i < model->nq; ++i) ENSURE(key[1].qpos[i] == model->qpos0[i]);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- what is refused ------------------------------

#define WORLD "<worldbody><geom name='g' size='1'/><body name='b'/></worldbody>"
#define MESH(...)                                                                                  \
    "<asset>\n<mesh " __VA_ARGS__ "/></asset>"                                                     \
    "<worldbody><geom type='mesh' mesh='m'/></worldbody>"
#define VALUE TAC_ERROR_VALUE
#define NEVER TAC_ERROR_UNSUPPORTED

static const badText bad_scenes[] = {
    {MESH("name='m' vertex='0 0 0 1 0 0 0 1 0'"), VALUE, 3, "vertex", "four vertices"},
    {MESH("name='m' vertex='0 0 0 1 0 0 0 1 0 0 0'"), VALUE, 3, "vertex", "11 numbers"},
    {MESH("name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1 4'"), VALUE, 3, "face", "0 to 3"},
    {MESH("name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 1'"), VALUE, 3, "face", "three"},
    {MESH("name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' scale='0 1 1'"), VALUE, 3, "scale", "0"},
    {MESH("name='m' vertex='0 0 0 1 0 0 0 1 0 1 1 0'"), VALUE, 3, "vertex", "in a plane"},
    {MESH("name='m' vertex='0 0 0 1 0 0 0 1 0 0 0 1' file='x.obj'"), VALUE, 3, "vertex",
     "both 'file'"},
    {MESH("name='m' vertex='0 0 nan 1 0 0 0 1 0 0 0 1'"), VALUE, 3, "vertex", "finite"},
    {MESH("name='m' builtin='sphere'"), NEVER, 3, "builtin", "not supported"},
    {"<worldbody>\n<geom type='mesh' mesh='x'/></worldbody>", VALUE, 3, "mesh", "no <mesh name"},
    {"<worldbody>\n<geom type='plane' mesh='x'/></worldbody>", VALUE, 3, "mesh", "only meshes"},
    {"<worldbody>\n<geom size='1' condim='2'/></worldbody>", VALUE, 3, "condim", "1, 3, 4 or 6"},
    {"<worldbody>\n<geom size='1' contype='.5'/></worldbody>", VALUE, 3, "contype", "whole"},
    {"<worldbody>\n<geom size='1' friction='-1'/></worldbody>", VALUE, 3, "friction", "range"},
    {"<worldbody>\n<geom size='1' solimp='1 2 3 4 5 6'/></worldbody>", VALUE, 3, "solimp",
     "1 to 5"},
    {WORLD "<contact>\n<pair geom1='g' geom2='h'/></contact>", VALUE, 3, "geom2", "no <geom name"},
    {WORLD "<contact>\n<pair geom1='g'/></contact>", VALUE, 3, "geom2", "needs"},
    {WORLD "<contact>\n<exclude body1='b' body2='c'/></contact>", VALUE, 3, "body2", "no <body"},
    {WORLD "<equality>\n<connect body1='b'/></equality>", VALUE, 3, "anchor", "needs"},
    {WORLD "<equality>\n<connect anchor='0 0 0'/></equality>", VALUE, 3, "body1", "site1"},
    {WORLD "<equality>\n<weld body1='b' site1='s'/></equality>", VALUE, 3, "body1", "site1"},
    {WORLD "<equality>\n<weld site1='s' site2='t'/></equality>", VALUE, 3, "site1", "no <site"},
    {WORLD "<equality>\n<joint joint1='j'/></equality>", VALUE, 3, "joint1", "no <joint"},
    {WORLD "<equality>\n<flex flex='f'/></equality>", NEVER, 3, "<flex>", "rigid"},
    {WORLD "<keyframe>\n<key qpos='1'/></keyframe>", VALUE, 3, "qpos", "needs 0 numbers"},
    {"<worldbody>\n<composite type='cable'/></worldbody>", NEVER, 3, "<composite>", "rigid"},
    {"<worldbody>\n<flexcomp name='f'/></worldbody>", NEVER, 3, "<flexcomp>", "rigid"},
    {"<actuator>\n<plugin plugin='a'/></actuator>", NEVER, 3, "<plugin>", "plugins"},
    {"<deformable/>", NEVER, 2, "<deformable>", "not supported"},
    {"<compiler alignfree='true'/>", NEVER, 2, "alignfree", "not supported"},
    {"<option><flag\n spring='disable'/></option>", NEVER, 3, "spring", "together"},
};

static int wrong_scenes_are_refused_with_line_and_attribute(void) {
    return are_texts_refused("scene.xml", "<mujoco>\n", "</mujoco>", bad_scenes,
                             (int)(sizeof bad_scenes / sizeof *bad_scenes));
}

//---------------------------------- any input ------------------------------------

// the scene that has everything, as the fuzzer starts from it
static char* read_seed(int* size) {
    char* text = calloc(1, 10000);
    FILE* file = fopen(TAC_SOURCE_DIR "/test/fuzz/fuzz_load/mjcf.xml", "r");
    *size = file && text ? (int)fread(text, 1, 9000, file) : 0;
    if (file) fclose(file);
    return text;
}

// one byte, or a part that moves to another place
static void mutate_scene(testRandom* random, char* text, int size) {
    int at = (int)(test_bits(random) % (unsigned)size),
        from = (int)(test_bits(random) % (unsigned)size);
    int length = (int)(test_bits(random) % 20);
    if (test_bits(random) % 2) {
        length = 1;
        text[at] = (char)(' ' + test_bits(random) % 90);
    }
    if (length > size - at) length = size - at;
    if (length > size - from) length = size - from;
    if (length > 1) memmove(text + at, text + from, (size_t)length);
}

static int mutated_scenes_are_loaded_or_refused(void) {
    testRandom random = {99};
    int size, loaded = 0, rounds = getenv("TACTUS_NO_SWEEP") ? 500 : 3000;
    char *seed = read_seed(&size), *text = malloc(10000);
    ENSURE(size > 1000 && text);
    for (int round = 0; round < rounds; ++round) {
        memcpy(text, seed, (size_t)size);
        for (int i = (int)(test_bits(&random) % 3); i >= 0; --i) mutate_scene(&random, text, size);
        tacModel* model = NULL;
        tacMessage message;
        tacResult result = tac_load_text(text, size, "scene.xml", NULL, &model, &message);
        ENSURE((result == TAC_OK) == (model != NULL) && (model || message.text[0]));
        if (model) tac_geom_pairs(model, NULL, 0);
        loaded += result == TAC_OK;
        tac_model_destroy(model);
    }
    printf("    %d of %d mutations still load\n", loaded, rounds);
    ENSURE(loaded > 0 && loaded < rounds);
    free(seed);
    free(text);
    return 0;
}

static int running_out_of_memory_leaves_nothing_behind(void) {
    int size, blocks = 0;
    char* seed = read_seed(&size);
    for (tacResult result = TAC_ERROR_MEMORY; result != TAC_OK; ++blocks) {
        failingAllocator s = {blocks, 0};
        tacOptions options = tac_default_options();
        options.allocator = failing_allocator(&s);
        tacModel* model = NULL;
        tacMessage message;
        result = tac_load_text(seed, size, "scene.xml", &options, &model, &message);
        if (result != TAC_OK && result != TAC_ERROR_MEMORY)
            printf("  %d blocks: line %d: %s\n", blocks, message.line, message.text);
        ENSURE(result == TAC_OK || (result == TAC_ERROR_MEMORY && !model && s.alive == 0));
        tac_model_destroy(model);
        ENSURE(s.alive == 0);
    }
    printf("    %d allocations\n", blocks);
    free(seed);
    return 0;
}

// wide and deep
static int a_hundred_thousand_bodies_load(void) {
    const int count = getenv("TACTUS_NO_SWEEP") ? 20000 : 100000;
    static const char one[] = "<body><joint/><geom size='1'/></body>";
    char* text = malloc((size_t)count * sizeof one + 100);
    size_t used = (size_t)sprintf(text, "<mujoco><worldbody>");
    for (int i = 0; i < count; ++i) {
        memcpy(text + used, one, sizeof one);
        used += sizeof one - 1;
    }
    strcpy(text + used, "</worldbody></mujoco>");
    tacModel* model = load_or_print(text);
    ENSURE(model && model->nbody == count + 1 && model->nv == count);
    tac_model_destroy(model);
    free(text);
    return 0;
}

//---------------------------------- survey ---------------------------------------

// every model of TACTUS_DATA is read, or refused by the name of something
static int models_load_or_are_refused_by_name(void) {
    static const char* const patterns[] = {"mjcf/*/*.xml", "mjcf/*/*/*.xml"};
    const char* data = getenv("TACTUS_DATA");
    int loaded = 0, refused = 0;
    for (int p = 0; p < 2; ++p) {
        char pattern[1000];
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/%s", data ? data : TAC_SOURCE_DIR "/../shared/data",
                 patterns[p]);
        if (glob(pattern, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc; ++i) {
            tacModel* model = NULL;
            tacMessage message;
            tacResult result = tac_load(found.gl_pathv[i], NULL, &model, &message);
            if (result != TAC_OK)
                printf("    %s: %d: %s: %s\n", strrchr(found.gl_pathv[i], '/') + 1, message.line,
                       message.attribute, message.text);
            loaded += result == TAC_OK;
            refused += result != TAC_OK;
            ENSURE((result == TAC_OK) == (model != NULL) && (model || *message.text));
            tac_model_destroy(model);
        }
        globfree(&found);
    }
    if (loaded + refused == 0) SKIP("no MJCF models; TACTUS_DATA names their folder");
    printf("    %d models load, %d are refused\n", loaded, refused);
    ENSURE(loaded > 0);
    return 0;
}

static void make_folder(void) {
    char path[300];
    if (!mkdtemp(folder)) exit(1);
    snprintf(path, sizeof path, "%s/sub", folder);
    if (mkdir(path, 0700) != 0) exit(1);
}

static int remove_folder(void) {
    char command[400];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static int files_are_included(void) {
    make_folder();
    ENSURE(includes_take_the_place_of_their_element() == 0);
    ENSURE(wrong_includes_are_refused() == 0);
    ENSURE(deep_includes_are_refused() == 0);
    ENSURE(models_are_attached() == 0);
    ENSURE(wrong_attachments_are_refused() == 0);
    return remove_folder();
}

// their code is not here: the scene loads, and says so where the first force is lost
static int plugins_are_skipped_with_a_warning(void) {
    static const char* const text[] = {
        "<mujoco><extension>\n<plugin plugin='a'><instance name='i'/></plugin></extension>"
        "<worldbody>\n<body><joint/><geom size='.1'/>%s</body></worldbody></mujoco>",
        "\n<plugin plugin='a'><config key='twist' value='1'/></plugin>"};
    for (int forces = 0; forces < 2; ++forces) {
        char scene[400];
        tacModel* model = NULL;
        tacMessage message = {0};
        snprintf(scene, sizeof scene, text[0], forces ? text[1] : "");
        ENSURE(load_text(scene, &model, &message) == TAC_OK && model->nv == 1);
        const char* words = forces ? ":4: <plugin> is skipped" : ":1: <extension> is skipped";
        if (!strstr(message.text, words)) printf("  %s\n", message.text);
        ENSURE(strstr(message.text, words) != NULL);
        ENSURE((strstr(message.text, "forces do not act") != NULL) == forces);
        tac_model_destroy(model);
    }
    return 0;
}

// words of MuJoCo 4.0.1 that change nothing here; the sites of a crank are still refused
static int words_without_physics_are_accepted(void) {
    static const char text[] =
        "<mujoco><compiler savecompiled='true' savecanonical='true' passthrough='true'/>"
        "<default><texture builtin='flat'/><dcmotor/><pid/><orientation/>"
        "<motor cranklength='.1' nsample='2' interp='zoh'/></default><worldbody><body>"
        "<joint name='j'/><geom size='.1' castshadow='false'/><site name='s'/></body></worldbody>"
        "<actuator>\n<motor %s/></actuator></mujoco>";
    char scene[800];
    tacModel* model = NULL;
    tacMessage message = {0};
    snprintf(scene, sizeof scene, text, "joint='j'");
    ENSURE(load_text(scene, &model, &message) == TAC_OK && model->nu == 1);
    tac_model_destroy(model);
    snprintf(scene, sizeof scene, text, "cranksite='s' slidersite='s'");
    ENSURE(load_text(scene, &model, &message) == TAC_ERROR_UNSUPPORTED && message.line == 2);
    ENSURE(strcmp(message.attribute, "cranksite") == 0);
    return 0;
}

TEST_MAIN(RUN(words_without_physics_are_accepted), RUN(plugins_are_skipped_with_a_warning),
          RUN(files_are_included), RUN(worldbodies_are_joined), RUN(replicas_are_numbered),
          RUN(frames_move_what_is_in_them), RUN(meshes_are_centred_and_weighed),
          RUN(meshes_for_pictures_cost_nothing), RUN(open_meshes_are_geometry),
          RUN(pairs_follow_bits_tree_and_lists), RUN(contact_numbers_are_read),
          RUN(equalities_have_mujocos_data), RUN(keys_are_states),
          RUN(wrong_scenes_are_refused_with_line_and_attribute),
          RUN(mutated_scenes_are_loaded_or_refused),
          RUN(running_out_of_memory_leaves_nothing_behind), RUN(a_hundred_thousand_bodies_load),
          RUN(models_load_or_are_refused_by_name))
