// URDF: what its words mean, and what is refused.

#include "tactus/tactus.h"

#include "model/refusal.h"

#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEEP "<mujoco><compiler fusestatic='false'/></mujoco>"
#define MASS                                                                                       \
    "<inertial><origin xyz='.1 .2 .3'/><mass value='2'/>"                                          \
    "<inertia ixx='1' iyy='2' izz='2.5' ixy='.1' ixz='.2' iyz='.3'/></inertial>"

static tacResult load_robot(const char* text, tacModel** model, tacMessage* message) {
    return tac_load_text(text, (int)strlen(text), "robot.urdf", NULL, model, message);
}

static double value_of(const tacModel* model, const char* name) {
    tacParam param;
    return tac_param_find(model, name, &param) == TAC_OK ? model->param[param.offset] : NAN;
}

//---------------------------------- joints ---------------------------------------

static const struct {
    const char* type;
    int nq, nv, njoint;
    tacJointKind kind;
} types[] = {{"revolute", 1, 1, 1, TAC_JOINT_HINGE},  {"continuous", 1, 1, 1, TAC_JOINT_HINGE},
             {"prismatic", 1, 1, 1, TAC_JOINT_SLIDE}, {"fixed", 0, 0, 0, TAC_JOINT_FREE},
             {"floating", 7, 6, 1, TAC_JOINT_FREE},   {"planar", 3, 3, 3, TAC_JOINT_SLIDE}};

static int every_type_of_joint_is_read(void) {
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        char text[2000];
        tacModel* model;
        tacMessage message = {0};
        snprintf(text, sizeof text,
                 "<robot name='r'>" KEEP "<link name='world'/><link name='b'>" MASS "</link>"
                 "<joint name='j' type='%s'><origin xyz='1 2 3'/><parent link='world'/>"
                 "<child link='b'/></joint></robot>",
                 types[i].type);
        tacResult result = load_robot(text, &model, &message);
        if (result != TAC_OK) printf("  %s: %s\n", types[i].type, message.text);
        ENSURE(result == TAC_OK);
        ENSURE(model->nq == types[i].nq && model->nv == types[i].nv);
        ENSURE(model->njoint == types[i].njoint && model->nbody == 2);
        ENSURE(model->njoint == 0 || model->joint[0].kind == types[i].kind);
        ENSURE_NEAR(value_of(model, "body:b/pos[2]"), 3.0, 0.0);
        tac_model_destroy(model);
    }
    return 0;
}

// axes: x without a word, unit length, the frame of a plane; limits and forces of a joint
static int numbers_of_joints_are_read(void) {
    static const char text[] =
        "<robot name='r'>" KEEP "<link name='a'/><link name='b'>" MASS "</link><link name='c'>" MASS
        "</link><link name='d'>" MASS "</link>"
        "<joint name='x' type='continuous'><parent link='a'/><child link='b'/></joint>"
        "<joint name='y' type='revolute'><parent link='b'/><child link='c'/><axis xyz='0 3 4'/>"
        "<limit lower='-1' upper='2' effort='3' velocity='4'/>"
        "<dynamics damping='.5' friction='.25'/></joint>"
        "<joint name='p' type='planar'><parent link='c'/><child link='d'/><axis xyz='0 1 1'/>"
        "</joint></robot>";
    tacModel* model;
    ENSURE(load_robot(text, &model, NULL) == TAC_OK);
    ENSURE_NEAR(value_of(model, "joint:x/axis[0]"), 1.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:y/axis[1]"), 0.6, 1e-16);
    ENSURE_NEAR(value_of(model, "joint:y/range[0]"), -1.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:y/range[1]"), 2.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:y/damping"), 0.5, 0.0);
    ENSURE_NEAR(value_of(model, "joint:y/frictionloss"), 0.25, 0.0);
    ENSURE(!model->joint[0].limited && model->joint[1].limited);
    ENSURE(!model->joint[0].frclimited && model->joint[1].frclimited);
    ENSURE_NEAR(model->joint[1].frcrange[1], 3.0, 0.0);
    ENSURE_NEAR(value_of(model, "joint:p_TX/axis[0]"), 1.0, 1e-15);
    ENSURE_NEAR(value_of(model, "joint:p_TY/axis[2]"), -sqrt(0.5), 1e-15);
    ENSURE_NEAR(value_of(model, "joint:p_RZ/axis[2]"), sqrt(0.5), 1e-15);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- links ----------------------------------------

// rpy turns about fixed axes x, y, z; an inertia is given in the frame of its origin
static int inertias_are_turned_into_the_body(void) {
    static const char text[] =
        "<robot name='r'>" KEEP "<link name='a'/><link name='b'><inertial>"
        "<origin xyz='.1 .2 .3' rpy='0 0 1.5707963267948966'/><mass value='2'/>"
        "<inertia ixx='1' iyy='2' izz='2.5' ixy='.1' ixz='.2' iyz='.3'/></inertial></link>"
        "<joint name='j' type='revolute'><origin rpy='1.5707963267948966 0 1.5707963267948966'/>"
        "<parent link='a'/><child link='b'/></joint></robot>";
    static const double inertia[] = {2.0, 1.0, 2.5, -0.1, -0.3, 0.2};
    tacModel* model;
    ENSURE(load_robot(text, &model, NULL) == TAC_OK);
    const tacBody* b = &model->body[2];
    for (int i = 0; i < 6; ++i) ENSURE_NEAR(model->param[b->inertia + i], inertia[i], 1e-15);
    ENSURE_NEAR(model->param[b->com + 1], 0.2, 0.0);
    // x turned about z, after y turned up: quat (1 1 1 1)/2
    for (int i = 0; i < 4; ++i) ENSURE_NEAR(model->param[b->rotation + i], 0.5, 1e-15);
    tac_model_destroy(model);
    return 0;
}

// without <inertial> the collisions have the mass, visuals none; sizes are whole in URDF
static int geometry_is_read(void) {
    static const char text[] =
        "<robot name='r'><mujoco><compiler fusestatic='false' discardvisual='%s'/></mujoco>"
        "<link name='a'/><link name='b'>"
        "<visual><geometry><sphere radius='9'/></geometry></visual>"
        "<collision name='box'><origin xyz='1 0 0'/><geometry><box size='1 2 3'/></geometry>"
        "</collision><collision name='rod'><geometry><cylinder radius='.5' length='2'/></geometry>"
        "</collision></link>"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint></robot>";
    for (int kept = 0; kept < 2; ++kept) {
        char filled[2000];
        tacModel* model;
        snprintf(filled, sizeof filled, text, kept ? "false" : "true");
        ENSURE(load_robot(filled, &model, NULL) == TAC_OK);
        ENSURE(model->ngeom == 2 + kept);
        ENSURE_NEAR(value_of(model, "geom:box/size[2]"), 1.5, 0.0);
        ENSURE_NEAR(value_of(model, "geom:rod/size[1]"), 1.0, 0.0);
        ENSURE_NEAR(value_of(model, "body:b/mass"), 1000.0 * (6.0 + 3.14159265358979323846 * 0.5),
                    1e-9);
        tac_model_destroy(model);
    }
    return 0;
}

// a geom the size of a planet has a mass in the range of its own parameter
static int large_geometry_is_read(void) {
    static const char text[] =
        "<robot name='r'><link name='a'/><link name='b'><collision><geometry><sphere radius='1e6'/>"
        "</geometry></collision></link>"
        "<joint name='j' type='floating'><parent link='a'/><child link='b'/></joint></robot>";
    tacModel* model;
    tacParam mass, inertia;
    ENSURE(load_robot(text, &model, NULL) == TAC_OK);
    ENSURE(tac_param_find(model, "body:b/mass", &mass) == TAC_OK);
    ENSURE(tac_param_find(model, "body:b/inertia", &inertia) == TAC_OK);
    ENSURE(model->param[mass.offset] > 1e21 && model->param[mass.offset] <= mass.upper);
    ENSURE(model->param[inertia.offset] <= inertia.upper);
    tac_model_destroy(model);
    return 0;
}

// Links on fixed joints are parts of the ones they hang on: masses add up, geoms and joints move
// over, what is fixed to the world is the world. <inertial> and mass by geometry may mix.
static int fixed_joints_are_fused(void) {
    static const char text[] =
        "<robot name='r'><link name='base'><collision><geometry><sphere radius='1'/></geometry>"
        "</collision></link><link name='a'>" MASS "</link>"
        "<link name='b'><collision name='ball'><origin xyz='0 0 1'/><geometry><sphere radius='.1'/>"
        "</geometry></collision></link><link name='c'>" MASS "</link>"
        "<joint name='j' type='revolute'><parent link='base'/><child link='a'/></joint>"
        "<joint name='f' type='fixed'><origin xyz='1 0 0' rpy='0 0 1.5707963267948966'/>"
        "<parent link='a'/><child link='b'/></joint>"
        "<joint name='k' type='revolute'><origin xyz='1 0 0'/><parent link='b'/><child link='c'/>"
        "</joint></robot>";
    double ball = 4.0 / 3.0 * 3.14159265358979323846;
    tacModel* model;
    ENSURE(load_robot(text, &model, NULL) == TAC_OK);
    ENSURE(model->nbody == 3 && model->nv == 2 && model->ngeom == 2);
    ENSURE(model->geom[0].body == 0 && model->geom[1].body == 1 && model->body[2].parent == 1);
    ENSURE_NEAR(value_of(model, "body:a/mass"), 2.0 + ball, 1e-14);
    ENSURE_NEAR(value_of(model, "body:a/com[0]"), (0.2 + ball) / (2.0 + ball), 1e-15);
    ENSURE_NEAR(value_of(model, "body:c/pos[0]"), 1.0, 1e-15);
    ENSURE_NEAR(value_of(model, "body:c/pos[1]"), 1.0, 1e-15);
    ENSURE_NEAR(value_of(model, "body:c/quat[3]"), sqrt(0.5), 1e-15);
    ENSURE_NEAR(value_of(model, "geom:ball/pos[0]"), 1.0, 1e-15);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- mesh files -----------------------------------

static int write_file(const char* folder, const char* name, const char* text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "w");
    if (!file) return 0;
    fputs(text, file);
    return fclose(file) == 0;
}

static int make_folder(const char* folder, const char* name) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return mkdir(path, 0700) == 0;
}

// the volume 1/6 in the file's units
static const char tetrahedron[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

static const struct {
    const char *compiler, *filename, *more;
    double mass;
} mesh_names[] = {
    {"", "package://some/where/robot/meshes/t.obj", "", 1000.0 / 6.0},
    {"", "package://robot/meshes/t.obj", "", 1000.0 / 6.0},
    {"", "model://other/t.obj", "", 0.0},
    {"", "../meshes/t.obj", " scale='2 1 1'", 2000.0 / 6.0},
    {"", "meshes/t.obj", " scale='1 1 -3'", 3000.0 / 6.0},
    {"<mujoco><compiler meshdir='../meshes/'/></mujoco>", "t.obj", "", 1000.0 / 6.0},
    {"<mujoco><compiler meshdir='../meshes' strippath='true'/></mujoco>", "/no/such/t.obj", "",
     1000.0 / 6.0},
};

// beside the file, in packages above it, behind meshdir; a mass of 0: it is not there
static int meshes_are_found(void) {
    char folder[] = "/tmp/tactus_urdf_XXXXXX", path[300], text[2000];
    ENSURE(mkdtemp(folder));
    ENSURE(make_folder(folder, "robot") && make_folder(folder, "robot/urdf"));
    ENSURE(make_folder(folder, "robot/meshes"));
    ENSURE(write_file(folder, "robot/meshes/t.obj", tetrahedron));
    snprintf(path, sizeof path, "%s/robot/urdf/r.urdf", folder);
    for (size_t i = 0; i < sizeof mesh_names / sizeof *mesh_names; ++i) {
        tacModel* model;
        tacMessage message = {0};
        snprintf(text, sizeof text,
                 "<robot name='r'>%s<link name='a'/><link name='b'><collision><geometry>"
                 "<mesh filename='%s'%s/></geometry></collision></link><joint name='j' "
                 "type='continuous'><parent link='a'/><child link='b'/></joint></robot>",
                 mesh_names[i].compiler, mesh_names[i].filename, mesh_names[i].more);
        ENSURE(write_file(folder, "robot/urdf/r.urdf", text));
        tacResult result = tac_load(path, NULL, &model, &message);
        if (mesh_names[i].mass == 0.0) {
            ENSURE(result == TAC_ERROR_FILE && strcmp(message.attribute, "filename") == 0);
            continue;
        }
        if (result != TAC_OK) printf("  %s: %s\n", mesh_names[i].filename, message.text);
        ENSURE(result == TAC_OK);
        ENSURE_NEAR(value_of(model, "body:b/mass"), mesh_names[i].mass, 1e-4);
        tac_model_destroy(model);
    }
    snprintf(text, sizeof text, "rm -r '%s'", folder);
    ENSURE(system(text) == 0);
    return 0;
}

//---------------------------------- the whole ------------------------------------

// options of the extension count; angles stay radians, and a locale changes nothing
static int extensions_are_read(void) {
    static const char text[] =
        "<robot name='r'><mujoco><compiler angle='degree' fusestatic='false'/>"
        "<option timestep='.01' gravity='0 0 -1'><flag gravity='disable'/></option></mujoco>"
        "<link name='a'/><link name='b'>" MASS "</link><joint name='j' type='revolute'>"
        "<origin xyz='.5 .25 .125' rpy='.1 .2 .3'/><parent link='a'/><child link='b'/>"
        "<limit lower='-1.5' upper='1.5'/></joint><gazebo/><transmission "
        "name='t'><a/></transmission>"
        "</robot>";
    tacModel* model;
    setlocale(LC_ALL, "de_DE.UTF-8");
    tacResult result = load_robot(text, &model, NULL);
    setlocale(LC_ALL, "C");
    ENSURE(result == TAC_OK);
    ENSURE_NEAR(value_of(model, "option/timestep"), 0.01, 0.0);
    ENSURE_NEAR(value_of(model, "joint:j/range[1]"), 1.5, 0.0);
    ENSURE_NEAR(value_of(model, "body:b/pos[2]"), 0.125, 0.0);
    ENSURE(model->disable & TAC_DISABLE_GRAVITY);
    ENSURE(strcmp(model->name, "r") == 0);
    tac_model_destroy(model);
    return 0;
}

// a hundred thousand links in a star load, a chain has a limit
static int many_links_load(void) {
    int links = getenv("TACTUS_NO_SWEEP") ? 10000 : 100000;
    char *text = malloc(400 * (size_t)links), *at = text;
    at += sprintf(at, "<robot name='r'><link name='base'/>");
    for (int i = 0; i < links; ++i)
        at += sprintf(at,
                      "<link name='l%d'><collision><geometry><sphere radius='1'/></geometry>"
                      "</collision></link><joint name='j%d' type='revolute'><parent link='base'/>"
                      "<child link='l%d'/></joint>",
                      i, i, i);
    sprintf(at, "</robot>");
    tacModel* model;
    ENSURE(load_robot(text, &model, NULL) == TAC_OK);
    ENSURE(model->nv == links);
    tac_model_destroy(model);

    tacMessage message;
    at = text;
    at += sprintf(at, "<robot name='r'><link name='l0'/>");
    for (int i = 1; i < 1000; ++i)
        at += sprintf(at,
                      "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='l%d'/>"
                      "<child link='l%d'/></joint>",
                      i, i, i - 1, i);
    sprintf(at, "</robot>");
    ENSURE(load_robot(text, &model, &message) == TAC_ERROR_LIMIT);
    ENSURE(strstr(message.text, "chain"));
    free(text);
    return 0;
}

//---------------------------------- what is refused ------------------------------

#define TWO "<link name='a'/><link name='b'>" MASS "</link>\n"
#define JOINT(in)                                                                                  \
    TWO "<joint name='j' type='revolute'><parent link='a'/><child link='b'/>\n" in "</joint>"
#define LINK(in)  "<link name='a'>\n" in "</link>"
#define SHAPE(in) LINK("<collision><geometry>\n" in "</geometry></collision>")
#define VALUE     TAC_ERROR_VALUE
#define SLIP      TAC_ERROR_UNSUPPORTED

static const badText bad_robots[] = {
    {"", VALUE, 1, "<robot>", "at least one <link>"},
    {"<link/>", VALUE, 2, "name", "needs"},
    {"<link name='a'/>\n<link name='a'/>", VALUE, 3, "name", "line 2"},
    {TWO "<joint name='j'/>", VALUE, 3, "type", "needs"},
    {TWO "<joint name='j' type='revolute'><parent link='a'/></joint>", VALUE, 3, "child", "needs"},
    {TWO "<joint name='j' type='revolute'><parent/><child link='b'/></joint>", VALUE, 3, "link",
     "needs"},
    {TWO "<joint name='j' type='revolute'><parent link='a'/>\n<child link='c'/></joint>", VALUE, 4,
     "link", "no <link name=\"c\">"},
    {TWO "<joint name='j' type='ball'><parent link='a'/><child link='b'/></joint>", VALUE, 3,
     "type", "revolute"},
    {TWO "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
         "<joint name='k' type='fixed'><parent link='a'/><child link='b'/></joint>",
     VALUE, 4, "<child>", "line 3"},
    {TWO "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
         "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>",
     VALUE, 4, "<joint>", "cycle"},
    {"<link name='world'/><link name='a'/>\n"
     "<joint name='j' type='fixed'><parent link='a'/><child link='world'/></joint>",
     VALUE, 3, "<child>", "cannot be a child"},
    {JOINT("<axis xyz='0 0 0'/>"), VALUE, 4, "xyz", "length 0"},
    {JOINT("<axis xyz='1 0'/>"), VALUE, 4, "xyz", "3"},
    {JOINT("<origin xyz='nan 0 0'/>"), VALUE, 4, "xyz", "finite"},
    {JOINT("<origin rpw='0 0 0'/>"), SLIP, 4, "rpw", "did you mean 'rpy'?"},
    {JOINT("<orign xyz='0 0 0'/>"), SLIP, 4, "orign", "did you mean 'origin'?"},
    {JOINT("<limit lower='1' upper='-1'/>"), VALUE, 4, "upper", "below"},
    {JOINT("<dynamics damping='-1'/>"), VALUE, 4, "damping", "range"},
    {JOINT("<mimic/>"), VALUE, 4, "joint", "needs"},
    {LINK("<inertial/>"), VALUE, 3, "mass", "needs <mass>"},
    {LINK("<inertial><mass value='-1'/><inertia/></inertial>"), VALUE, 3, "value", "range"},
    {LINK("<inertial><mass value='1'/>\n<inertia ixx='1'/></inertial>"), VALUE, 4, "iyy", "needs"},
    {LINK("<collision/>"), VALUE, 3, "geometry", "needs <geometry>"},
    {SHAPE(""), VALUE, 3, "<geometry>", "needs one of"},
    {SHAPE("<box size='1 2'/>"), VALUE, 4, "size", "3"},
    {SHAPE("<sphere/>"), VALUE, 4, "radius", "needs"},
    {SHAPE("<sphere radius='0'/>"), VALUE, 4, "radius", "range"},
    {SHAPE("<cylinder radius='1' lenght='2'/>"), SLIP, 4, "lenght", "did you mean 'length'?"},
    {SHAPE("<mesh/>"), VALUE, 4, "filename", "needs"},
    {SHAPE("<mesh filename='package://no/such.stl'/>"), TAC_ERROR_FILE, 4, "filename", "not found"},
    {"<xacro:macro/>", SLIP, 2, "xacro:macro", "template"},
    {"<mujoco>\n<worldbody/></mujoco>", SLIP, 3, "worldbody", "compiler option"},
    {"<mujoco>\n<compiler balanceinertai='true'/></mujoco><link name='a'/>", SLIP, 3,
     "balanceinertai", "did you mean"},
};

static int wrong_robots_are_refused_with_line_and_attribute(void) {
    return are_texts_refused("robot.urdf", "<robot name='r' xmlns:xacro='x'>\n", "</robot>",
                             bad_robots, (int)(sizeof bad_robots / sizeof *bad_robots));
}

//---------------------------------- what MuJoCo takes ----------------------------

#define ARM_LINKS                                                                                  \
    "<link name='base'/><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "       \
    "izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
#define ARM_JOINT(more)                                                                            \
    "<joint name='j' type='continuous'><parent link='base'/><child link='a'/>" more "</joint>"

static const struct {
    const char *text, *warning; // NULL: none
} tolerated[] = {
    {"<robot name='r'>" ARM_LINKS ARM_JOINT(
         "") "<transmission "
             "name='t'><type>transmission_interface/SimpleTransmission</type></transmission>"
             "<gazebo reference='a'><mu1>0.8</mu1></gazebo></robot>",
     NULL},
    {"<robot name='r'>" ARM_LINKS ARM_JOINT(
         "<limit effort='1' velocity='1' gear_velocity='10' acceleration='3'/>") "</robot>",
     NULL},
    {"<?xml version=\"0.0\" ?>\n<robot name='r'>" ARM_LINKS ARM_JOINT("") "</robot>", NULL},
    {"\n <?xml version=\"1.0\" encoding=\"latin-1\"?>\n<robot name='r'>" ARM_LINKS ARM_JOINT(
         "") "</robot>",
     NULL},
    {"<!-- a -- b ---><robot name='r'><!-- Andr\xe9 -->" ARM_LINKS ARM_JOINT("") "</robot>", NULL},
    {"<robot name='r'><! note >" ARM_LINKS ARM_JOINT("") "</robot>", NULL},
    {"<robot name='r'>\n>" ARM_LINKS ARM_JOINT(";") "</robot>", ":2: the text '>'"},
};

static int what_mujoco_tolerates_is_read(void) {
    for (int i = 0; i < (int)(sizeof tolerated / sizeof tolerated[0]); ++i) {
        tacModel* model = NULL;
        tacMessage message;
        const char* text = tolerated[i].text;
        if (load_text(text, &model, &message) != TAC_OK)
            printf("  %d: line %d: %s\n", i, message.line, message.text);
        ENSURE(model && model->nv == 1);
        tac_model_destroy(model);
        ENSURE(tolerated[i].warning ? strstr(message.text, tolerated[i].warning) != NULL
                                    : strstr(message.text, "the text") == NULL);
    }
    return 0;
}

// what is blanked keeps its lines; what has no end is an error
static int lines_stay_behind_what_is_blanked(void) {
    tacModel* model = NULL;
    tacMessage message;
    ENSURE(load_text("\n<?xml\nversion='0.0'?>\n<!--\n--\n-->\n<! a\n>\n<robot name='r'>\n<lnk/>"
                     "</robot>",
                     &model, &message) == TAC_ERROR_UNSUPPORTED);
    ENSURE(message.line == 10);
    ENSURE(load_text("<robot name='r'><!-- no end </robot>", &model, &message) == TAC_ERROR_SYNTAX);
    ENSURE(load_text("<robot name='r'><link name='a'/>\xe9</robot>", &model, &message) ==
           TAC_ERROR_SYNTAX);
    return 0;
}

TEST_MAIN(RUN(what_mujoco_tolerates_is_read), RUN(lines_stay_behind_what_is_blanked),
          RUN(every_type_of_joint_is_read), RUN(numbers_of_joints_are_read),
          RUN(inertias_are_turned_into_the_body), RUN(geometry_is_read),
          RUN(large_geometry_is_read), RUN(fixed_joints_are_fused), RUN(meshes_are_found),
          RUN(extensions_are_read), RUN(many_links_load),
          RUN(wrong_robots_are_refused_with_line_and_attribute))
