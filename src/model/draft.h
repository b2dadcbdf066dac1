// A model while it is being read: arrays that grow, and one array of parameters with their names.

#ifndef TAC_MODEL_DRAFT_H
#define TAC_MODEL_DRAFT_H

#include "math/spatial.h"
#include "mesh/soup.h"
#include "model/attribute.h"

typedef struct tacMaterial {
    double rgba[4];
} tacMaterial;

// an asset <mesh>, read when a geom needs it (mesh_reader.c)
typedef struct tacMeshDraft tacMeshDraft;

// a camera or light that looks at a body
typedef struct tacAim {
    int is_camera, index;
    const tacElement* element;
} tacAim;

// <compiler>: how a file is to be read. Each model that is attached has its own.
typedef struct tacCompiler {
    double angle; // radians in one unit of a scene's angles
    char eulerseq[4];
    int autolimits, balanceinertia;
    int inertiafromgeom; // 0 false, 1 true, 2 auto: where a body has no <inertial>
    int inertiagroup[2]; // first and last group of geoms that have mass
    double boundmass, boundinertia, settotalmass;
    int strippath, fitaabb;
    int fusestatic;               // bodies without joints are parts of those they hang on
    const char *folder, *meshdir; // "" or with a slash at the end
} tacCompiler;

// volume and inertia of a <shape> of unit density
typedef struct tacShapeSolid {
    int shape;
    double volume;
    tacInertia inertia;
} tacShapeSolid;

typedef struct tacDraft {
    tacReader reader;
    const char* name;
    tacList param; // double
    tacList group; // tacParamName
    tacList body, geom, shape, node, cloud, light, camera, material, mesh, aim;
    tacList site, pair, exclude, equality, key, sensor;
    int sensor_numbers;
    tacList key_number; // double: qpos qvel act ctrl mpos mquat of each key
    tacList body_line;  // int
    int untouched;      // geoms that should touch others and cannot: height fields
    tacPose frame;      // of the <frame> or fused body that is being read, in its body
    tacList remainder;  // combinations that may leave nothing (remainder.h)
    int page_count;     // boxes of all clouds
    tacList joint, dof, actuator, tendon;
    tacList tendonjoint;        // int
    int na;                     // activations
    tacList qpos0, qpos_spring; // double
    tacNames names;
    int exact; // of tacOptions
    const char* contact_option;
    int gravity, timestep; // offsets

    tacCompiler compiler; // of the element that is being read
    tacList scope;        // tacCompiler of the scene, then of models that are attached

    // of <option> and <tactus>
    tacIntegrator integrator;
    unsigned disable;

    int nM;                     // numbers of the mass matrix
    int limits, frictionlosses; // joints that have them: nothing acts on them yet
    int tendon_rows;            // limits and dry friction of tendons: nothing acts on them yet
    int fluid;                  // offset of density, viscosity, wind; -1: none
    int fluid_line;             // of the <option> that gave them
    int pushed;                 // do gravcomp or a fluid act on bodies?
    unsigned disabled_groups;   // bits: groups of actuators that are switched off
    int frclimited;             // joints that clamp the sum of their actuators

    tacList geom_element; // const tacElement* of each geom
    tacList shape_solid;  // tacShapeSolid of the <shape>s whose mass was asked for

    // of contact (contact_plan.c)
    tacList tactus, pair_element;             // const tacElement*: all <tactus>, each <pair>
    tacList contact, contact_pair, body_pair; // tacContactPlan: one or none; its arrays
    tacList hold;                             // tacHold
    tacList piece, piece_first, piece_number, piece_index;
    tacList planar; // tacPlanar (planar.h): outlines of planar geoms
    tacList solid;  // tacSolid of each geom, and their arrays one behind the other
    tacList solid_vertex, solid_normal, solid_offset, solid_edge, solid_first, solid_corner;
} tacDraft;

// how an element is called in parameter names
typedef struct tacPath {
    const char* name;  // by index: "shape:cup/0/1"
    const char* alias; // by name: "shape:cup/wall/1", or NULL if it is the same
} tacPath;

// what is known of a body's mass while its element is read
typedef struct tacBodyMass {
    tacInertia geoms, given; // sum over geoms; of <inertial>
    tacInertia fused;        // of bodies that are parts of it
    int line;                // of <inertial>, 0 if there is none
    int wanted;              // 1: geoms tell the mass
    int moves;               // 1: joints move it, or it counts in settotalmass
} tacBodyMass;

// a geom before its mass is known: unit masses about its own frame
typedef struct tacForm {
    tacNodeKind kind; // a combination stands for shapes, a polyhedron for meshes
    double size[3];
    tacPose pose;
    int shape, group;
    const tacMeshDraft* mesh;
    const tacInertia* prism; // of a polygon, of unit density; else NULL
} tacForm;

// Adds `count` numbers as the group PATH/attribute; their offset.
int tac_draft_param(tacDraft* draft, tacPath path, const char* attribute, tacRange range,
                    const double* values, int count);

// Adds PATH/pos and, three numbers behind it, PATH/quat; the offset of the first.
int tac_draft_pose(tacDraft* draft, tacPath path, tacPose pose);

// the numbers from an offset on
double* tac_draft_values(tacDraft* draft, int offset);

// the name of an element, registered under its kind with what it stands for, or "" without one
const char* tac_draft_name(tacDraft* draft, const tacElement* element, const char* kind, int index);

// where a body is in the world while no joint moves it
tacPose tac_draft_body_pose(tacDraft* draft, int body);

// One block of memory with everything in it; NULL after a failure.
tacModel* tac_draft_finish(tacDraft* draft);

// the readers of the sections
void tac_read_shape(tacDraft* draft, const tacElement* element);
int tac_add_primitive(tacDraft* draft, const char* shape_name, tacPath path, tacNodeKind kind,
                      const double* size);

// a shape of one convex polyhedron, planes of unit normals; its index
int tac_add_hull(tacDraft* draft, const char* shape_name, const double* plane, int count);

// the numbers of a cloud into its node; its mean half size
double tac_read_cloud(tacDraft* draft, const tacElement* element, tacPath path, tacNode* node);

void tac_read_scene(tacDraft* draft, tacElement* root);
void tac_read_compiler(tacDraft* draft, const tacElement* element);

// the words of an element are read as the <compiler> of its own model says
void tac_enter_scope(tacDraft* draft, const tacElement* element);

// a <compiler> for a file, with what its elements say; its number
int tac_add_scope(tacDraft* draft, const tacElement* root, const char* path);
void tac_read_option(tacDraft* draft, const tacElement* element);
void tac_read_tactus(tacDraft* draft, const tacElement* element);
void tac_read_joint(tacDraft* draft, const tacElement* element, int body, tacPose pose);
void tac_read_geom(tacDraft* draft, const tacElement* element, int body, tacBodyMass* sum);
void tac_read_site(tacDraft* draft, const tacElement* element, int body);
void tac_read_contact(tacDraft* draft, const tacElement* element);
void tac_read_equality(tacDraft* draft, const tacElement* element);
void tac_read_sensors(tacDraft* draft, const tacElement* element);
void tac_read_keyframe(tacDraft* draft, const tacElement* element);
int tac_draft_mocaps(const tacDraft* draft); // bodies moved by hand

// names of geoms that pairs and sensors ask for, before geoms are read
void tac_list_touching(tacDraft* draft, const tacElement* root);

// colour of an element, by its material or its own
void tac_read_colour(tacDraft* draft, const tacElement* element, double rgba[4]);

// index of the thing of a kind that an attribute names, or -1 after a failure or without it
int tac_read_reference(tacDraft* draft, const tacElement* element, const char* attribute,
                       const char* kind);

// the key in parameters' names: "kind:NAME", or its number
tacPath tac_item_path(tacDraft* draft, const char* kind, const char* name, int index);

// two numbers of solref, up to five of solimp, as a parameter each
int tac_read_solref(tacDraft* draft, const tacElement* element, const char* name, tacPath path);
int tac_read_solimp(tacDraft* draft, const tacElement* element, const char* name, tacPath path);

// cameras and lights that look at a body are turned to it
void tac_aim_views(tacDraft* draft);

void tac_read_light(tacDraft* draft, const tacElement* element, tacPose body);
void tac_read_camera(tacDraft* draft, const tacElement* element, tacPose body);

// push_reader.c: gravcomp and mocap of a body; the fluid of <option>, and when all masses are known
// what it sees of the bodies
void tac_read_body_forces(tacDraft* draft, const tacElement* element, int body, tacPath path);
void tac_read_fluid(tacDraft* draft, const tacElement* element);
void tac_place_fluid(tacDraft* draft);

void tac_read_tendons(tacDraft* draft, const tacElement* element);
void tac_read_actuators(tacDraft* draft, const tacElement* element);

// What an actuator moves where the scene stands as drawn: sum of inertia/arm^2
// (reflected_inertia.c)
double tac_reflected_inertia(tacDraft* draft, const tacActuator* a, const double gear[6]);

// Gives every element the attributes of its <default> class.
void tac_apply_defaults(tacDraft* draft, const tacElement* root);

// writes out <attach> and <replicate>
void tac_expand(tacDraft* draft, tacElement* root);
void tac_replicate(tacDraft* draft, tacElement* root);

// mass: of a geom (combinations stand for shapes), of <inertial>, of the body that is complete
void tac_read_geom_mass(tacDraft* draft, const tacElement* element, const tacForm* form,
                        tacBodyMass* sum);
void tac_read_inertial(tacDraft* draft, const tacElement* element, tacBodyMass* sum);
void tac_finish_body(tacDraft* draft, const tacElement* element, int body, tacPath path,
                     tacBodyMass* sum);
void tac_fuse_body(tacDraft* draft, const tacElement* element, tacBodyMass* part, tacBodyMass* sum);
void tac_scale_masses(tacDraft* draft);

// bodies that move have mass, or one that is fixed to them has
void tac_check_masses(tacDraft* draft);

// path of a child: by index, and by name from the first named element on
tacPath tac_child_path(tacDraft* draft, const tacElement* child, int index, tacPath path);

// the numbers of a sweep into its node; its mean semi-axis
double tac_read_sweep(tacDraft* draft, const tacElement* element, tacPath path, tacNode* node);

// <mesh>: its name and how to read it; the file is read by the first geom that needs it
void tac_read_mesh(tacDraft* draft, const tacElement* element);
void tac_close_meshes(tacDraft* draft);

// the mesh that a geom names, read; NULL after a failure
const tacMeshDraft* tac_find_mesh(tacDraft* draft, const tacElement* geom);

// the frame of its centre of mass and principal axes in that of its file
tacPose tac_mesh_pose(const tacMeshDraft* mesh);

// its faces, placed, in the frame of its file; good until the scene is read
const tacSoup* tac_mesh_soup(const tacMeshDraft* mesh);

// 1: it was given vertices alone, and its faces are those of their hull
int tac_mesh_is_hulled(const tacMeshDraft* mesh);

// volume (area of a shell) and principal moments of density 1; fails at `line` if there are none
double tac_mesh_moments(tacDraft* draft, const tacMeshDraft* mesh, int line, double moment[3]);

// sizes of the primitive that stands for a mesh, and its middle in the mesh's principal frame
tacVec3 tac_mesh_fit(tacDraft* draft, const tacElement* geom, const tacMeshDraft* mesh,
                     tacNodeKind kind, double size[3]);

// the shape of its convex hull, made once; -1 after a failure
int tac_mesh_shape(tacDraft* draft, const tacElement* geom, const tacMeshDraft* mesh);
// a mesh with hollows touches as its hull, which is the geom's shape: that is told, as it is seldom
// meant; `size` is what hollows are small against
void tac_tell_hollow(tacDraft* draft, const tacGeom* geom, double size);

// A model on the numbers of the draft, for evaluating shapes; good until something is added.
tacModel tac_draft_view(tacDraft* draft);

// pos and one of quat, euler, axisangle, xyaxes, zaxis
tacPose tac_read_pose(tacDraft* draft, const tacElement* element);

// two points in place of pos, rotation and half length: 1 if they are there and right
int tac_read_fromto(tacDraft* draft, const tacElement* element, tacPose* pose, double* half);

// Sizes and place of a primitive; `spare` sizes more than it needs are taken without effect.
tacPose tac_read_primitive(tacDraft* draft, const tacElement* element, tacNodeKind kind, int spare,
                           double size[3]);

#endif
