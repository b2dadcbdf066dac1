// A model while it is being read: arrays that grow, and one array of parameters with their names.

#ifndef TAC_MODEL_SPEC_H
#define TAC_MODEL_SPEC_H

#include "math/spatial.h"
#include "mesh/io/soup.h"
#include "model/xml/attribute.h"

typedef struct tacMaterial {
    double rgba[4];
} tacMaterial;

// an asset <mesh>, read when a geom needs it (mesh_reader.c)
typedef struct tacMeshSpec tacMeshSpec;

// a camera or light that looks at a body
typedef struct tacViewTarget {
    int is_camera, index;
    const tacElement* element;
} tacViewTarget;

// <compiler>: how a file is to be read. Each model that is attached has its own.
typedef struct tacCompiler {
    double angle; // radians in one unit of a scene's angles
    char eulerseq[4];
    int autolimits, balanceinertia;
    int inertiafromgeom; // 0 false, 1 true, 2 auto: where a body has no <inertial>
    int inertiagroup[2]; // first and last group of geoms that have mass
    double boundmass, boundinertia, settotalmass;
    int strippath, fitaabb;
    int exactmeshinertia;             // of meshes without `inertia`
    int fusestatic;                   // bodies without joints are fused with their parents
    const char* folder;               // of the scene: "" or with a slash at the end
    const char *meshdir, *texturedir; // likewise
} tacCompiler;

// volume and inertia of a <shape> of unit density
typedef struct tacShapeInertia {
    int shape;
    double volume;
    tacInertia inertia;
} tacShapeInertia;

// bodies and joints: the kinematic tree
typedef struct tacTreeSpec {
    tacList body, joint, dof;
    tacList body_line;          // int
    tacList qpos0, qpos_spring; // double
    int nM;                     // numbers of the mass matrix
    tacPose frame;              // of the <frame> or fused body that is being read, in its body
} tacTreeSpec;

typedef struct tacGeomsSpec {
    tacList geom, site, pair, exclude;
    tacList element; // const tacElement* of each geom
} tacGeomsSpec;

typedef struct tacAssetSpec {
    tacList shape, node, cloud, material, mesh;
    int cloud_pages;          // boxes of all clouds
    tacList emptiness_checks; // combinations that may be empty (emptiness_check.h)
    tacList shape_inertia;    // tacShapeInertia of the <shape>s whose mass was needed
    tacList triangles;        // tacTriangles, if the caller asked for them
} tacAssetSpec;

typedef struct tacActuationSpec {
    tacList actuator, tendon;
    tacList tendonjoint;      // int
    int na;                   // activations
    unsigned disabled_groups; // bits: groups of actuators that are switched off
    int frclimited;           // joints that clamp the sum of their actuators
    double* inertia;          // factors of the mass matrix (reflected_inertia.c); NULL: not yet
} tacActuationSpec;

typedef struct tacViewSpec {
    tacList light, camera;
    tacList target; // tacViewTarget
} tacViewSpec;

typedef struct tacSensorSpec {
    tacList sensor;
    int numbers; // of all sensors
} tacSensorSpec;

typedef struct tacKeySpec {
    tacList key;
    tacList number; // double: qpos qvel act ctrl mpos mquat of each key
} tacKeySpec;

typedef struct tacFluidSpec {
    int offset; // of density, viscosity, wind; -1: none
    int line;   // of the <option> that gave them
} tacFluidSpec;

// what is read and has an effect only with some responders, counted for a warning
typedef struct tacUnhandledSpec {
    int limits, frictionlosses; // of joints
    int tendon_rows;            // limits and dry friction of tendons
    int hfields;                // height fields that should collide
} tacUnhandledSpec;

// physics of a scene that nothing computes (ignored_physics.c)
typedef enum tacIgnoredKind {
    TAC_IGNORED_CONDIM,
    TAC_IGNORED_EQUALITY,
    TAC_IGNORED_MARGIN,
    TAC_IGNORED_HFIELD,
    TAC_IGNORED_BALL_LIMIT,
    TAC_IGNORED_OVERRIDE,
    TAC_IGNORED_FLUIDSHAPE,
    TAC_IGNORED_KINDS
} tacIgnoredKind;

// where it was first seen; element NULL: nowhere
typedef struct tacIgnoredNote {
    const tacElement* element;
    const char* attribute;
} tacIgnoredNote;

// contact (contact_plan.c)
typedef struct tacContactSpec {
    tacList tactus, pair_element;  // const tacElement*: all <tactus>, each <pair>
    tacList plan, pair, body_pair; // tacContactPlan: one or none; its arrays
    tacList limit_friction;        // tacLimitFriction
    tacList planar;                // tacPlanar (planar.h): outlines of planar geoms
} tacContactSpec;

// convex parts of all geoms, with their arrays
typedef struct tacPartSpec {
    tacList part, first, number, index;
} tacPartSpec;

// tacSolid of each geom, with their arrays
typedef struct tacSolidSpec {
    tacList solid, vertex, normal, offset, edge, first, corner;
} tacSolidSpec;

typedef struct tacSpec {
    tacReader reader;
    const char* name;
    tacNames names;
    tacList param; // double
    tacList group; // tacParamName
    tacList equality;

    tacTreeSpec tree;
    tacGeomsSpec geoms;
    tacAssetSpec assets;
    tacActuationSpec actuation;
    tacViewSpec views;
    tacSensorSpec sensors;
    tacKeySpec keys;
    tacFluidSpec fluid;
    tacContactSpec contact;
    tacPartSpec parts;
    tacSolidSpec solids;
    tacUnhandledSpec unhandled;
    tacIgnoredNote ignored[TAC_IGNORED_KINDS];

    const tacElement* at; // the element that is being read, for lines of messages; NULL: none
    tacCompiler compiler; // of it
    tacList scope;        // tacCompiler of the scene, then of models that are attached

    // of tacOptions, <option> and <tactus>
    int exact, keep_triangles;
    const char* contact_option;
    int gravity, timestep; // offsets
    tacIntegrator integrator;
    tacCompat compat;
    int rk4_line, rk4_plain; // of <tactus rk4>, 0 if it is not given
    unsigned disable;
    int has_external_forces; // do gravcomp or a fluid act on bodies?
} tacSpec;

// the name of an element in parameter names
typedef struct tacPath {
    const char* name;  // by index: "shape:cup/0/1"
    const char* alias; // by name: "shape:cup/wall/1", or NULL if it is the same
} tacPath;

// mass of a body while its element is read
typedef struct tacBodyMass {
    tacInertia geoms, given; // sum over geoms; of <inertial>
    tacInertia fused;        // of bodies fused with it
    int line;                // of <inertial>, 0 if there is none
    int wanted;              // 1: geoms define the mass
    int moves;               // 1: joints move it, or it counts in settotalmass
} tacBodyMass;

// a geom before its mass is known: unit masses about its own frame
typedef struct tacGeomSpec {
    tacNodeKind kind; // a combination stands for shapes, a polyhedron for meshes
    double size[3];
    tacPose pose;
    int shape, group;
    int triangles; // of the picture of a mesh, or -1
    const tacMeshSpec* mesh;
    const tacInertia* prism; // of a polygon, of unit density; else NULL
} tacGeomSpec;

// Adds `count` numbers as the group PATH/attribute; their offset. Fails at the line of spec->at if
// they are out of range.
int tac_spec_param(tacSpec* spec, tacPath path, const char* attribute, tacRange range,
                   const double* values, int count);

// Adds PATH/pos and, right after it, PATH/quat; the offset of the first.
int tac_spec_pose(tacSpec* spec, tacPath path, tacPose pose);

// pointer to the parameter at an offset
double* tac_spec_values(tacSpec* spec, int offset);

// the name of an element, registered under its kind with its index, or "" without one
const char* tac_spec_name(tacSpec* spec, const tacElement* element, const char* kind, int index);

// pose of a body in the world, in the initial configuration
tacPose tac_spec_body_pose(tacSpec* spec, int body);

// One block of memory with everything in it; NULL after a failure.
tacModel* tac_spec_finish(tacSpec* spec);

// the readers of the sections
void tac_read_shape(tacSpec* spec, const tacElement* element);
int tac_add_primitive(tacSpec* spec, const char* shape_name, tacPath path, tacNodeKind kind,
                      const double* size);

// the shape of a primitive geom; `key` is the geom's name, or its index
int tac_add_geom_primitive(tacSpec* spec, const char* key, const tacGeomSpec* geom_spec);

// a shape of one convex polyhedron, planes of unit normals; its index
int tac_add_hull(tacSpec* spec, const char* shape_name, const double* plane, int count);

// the numbers of a cloud into its node; its mean half size
double tac_read_cloud(tacSpec* spec, const tacElement* element, tacPath path, tacNode* node);

void tac_read_scene(tacSpec* spec, tacElement* root);
void tac_read_compiler(tacSpec* spec, const tacElement* element);

// reads the following words by the <compiler> of the element's own model
void tac_enter_scope(tacSpec* spec, const tacElement* element);

// the <compiler> of a file; its index
int tac_add_scope(tacSpec* spec, const tacElement* root, const char* path);
void tac_read_option(tacSpec* spec, const tacElement* element);
void tac_read_custom(tacSpec* spec, const tacElement* element);
void tac_read_tactus(tacSpec* spec, const tacElement* element);
void tac_finish_options(tacSpec* spec); // after all of them
void tac_read_joint(tacSpec* spec, const tacElement* element, int body, tacPose pose);
void tac_read_geom(tacSpec* spec, const tacElement* element, int body, tacBodyMass* sum);
void tac_read_site(tacSpec* spec, const tacElement* element, int body);
void tac_read_contact(tacSpec* spec, const tacElement* element);
void tac_read_equality(tacSpec* spec, const tacElement* element);
void tac_read_sensors(tacSpec* spec, const tacElement* element);
void tac_read_keyframe(tacSpec* spec, const tacElement* element);
int tac_spec_mocap_count(const tacSpec* spec); // mocap bodies

// names of geoms that pairs and sensors refer to, before geoms are read
void tac_list_contact_geoms(tacSpec* spec, const tacElement* root);

// color of an element, its own or its material's
void tac_read_colour(tacSpec* spec, const tacElement* element, double rgba[4]);

// index of the item that an attribute names, or -1 after a failure or without the attribute
int tac_read_reference(tacSpec* spec, const tacElement* element, const char* attribute,
                       const char* kind);

// the key in parameters' names: "kind:NAME", or its number
tacPath tac_item_path(tacSpec* spec, const char* kind, const char* name, int index);

// two numbers of solref, up to five of solimp, as a parameter each
int tac_read_solref(tacSpec* spec, const tacElement* element, const char* name, tacPath path);
int tac_read_solimp(tacSpec* spec, const tacElement* element, const char* name, tacPath path);

// rotates cameras and lights towards their target bodies
void tac_resolve_view_targets(tacSpec* spec);

void tac_read_light(tacSpec* spec, const tacElement* element, tacPose body);
void tac_read_camera(tacSpec* spec, const tacElement* element, tacPose body);

// body_force_reader.c: gravcomp and mocap of a body; the fluid of <option>, and when all masses are
// known, the boxes that it acts on
void tac_read_body_forces(tacSpec* spec, const tacElement* element, int body, tacPath path);
void tac_read_fluid(tacSpec* spec, const tacElement* element);
void tac_init_fluid(tacSpec* spec);

// notes physics that nothing computes, and refuses at the end what matters and is not accepted
void tac_note_ignored(tacSpec* spec, tacIgnoredKind kind, const tacElement* element,
                      const char* attribute);
void tac_refuse_ignored(tacSpec* spec);

void tac_read_tendons(tacSpec* spec, const tacElement* element);
void tac_read_actuators(tacSpec* spec, const tacElement* element);

// inertia that an actuator moves in the initial configuration: sum of inertia/arm^2 with the other
// joints held; and that of `dampratio`, by the rule of spec->compat (reflected_inertia.c)
double tac_reflected_inertia(tacSpec* spec, const tacActuator* a, const double gear[6]);
double tac_damped_inertia(tacSpec* spec, const tacActuator* a, const double gear[6]);

// Gives every element the attributes of its <default> class.
void tac_apply_defaults(tacSpec* spec, const tacElement* root);

// expands <attach> and <replicate>
void tac_expand(tacSpec* spec, tacElement* root);
void tac_replicate(tacSpec* spec, tacElement* root);

// mass: of a geom (combinations stand for shapes), of <inertial>, of the body that is complete
void tac_read_geom_mass(tacSpec* spec, const tacElement* element, const tacGeomSpec* geom_spec,
                        tacBodyMass* sum);
void tac_read_inertial(tacSpec* spec, const tacElement* element, tacBodyMass* sum);
void tac_finish_body(tacSpec* spec, const tacElement* element, int body, tacPath path,
                     tacBodyMass* sum);
void tac_fuse_body(tacSpec* spec, const tacElement* element, tacBodyMass* part, tacBodyMass* sum);
void tac_scale_masses(tacSpec* spec);

// moving bodies must have mass, or a body fixed to them
void tac_check_masses(tacSpec* spec);

// path of a child: by index, and by name from the first named element on
tacPath tac_child_path(tacSpec* spec, const tacElement* child, int index, tacPath path);

// the numbers of a sweep into its node; its mean semi-axis
double tac_read_sweep(tacSpec* spec, const tacElement* element, tacPath path, tacNode* node);

// <mesh>: its name and options; the first geom that needs it reads the file
void tac_read_mesh(tacSpec* spec, const tacElement* element);

// Path of an asset, relative to the folder of the scene and `directory` (meshdir, texturedir).
const char* tac_asset_path(tacSpec* spec, const char* directory, const char* file);
void tac_close_meshes(tacSpec* spec);

// warns of files of meshes that no geom needs
void tac_warn_missing_meshes(tacSpec* spec);

// the mesh that a geom names, read; NULL after a failure
const tacMeshSpec* tac_find_mesh(tacSpec* spec, const tacElement* geom);

// Triangles of the mesh that a geom names, in the frame of its center of mass and principal axes if
// `principal`, else in the file's: their index, or -1 after a warning that the mesh cannot be read.
int tac_mesh_triangles(tacSpec* spec, const tacElement* geom, int principal);

// the frame of its center of mass and principal axes, in the file's frame
tacPose tac_mesh_pose(const tacMeshSpec* mesh);

// its faces in the file's frame; valid until the scene is read
const tacSoup* tac_mesh_soup(const tacMeshSpec* mesh);

// 1: it has vertices only, and its faces are those of their hull
int tac_mesh_is_hulled(const tacMeshSpec* mesh);

// volume (area of a shell) and principal moments of density 1; fails at `line` if there are none
double tac_mesh_moments(tacSpec* spec, const tacMeshSpec* mesh, int line, double moment[3]);

// sizes of the primitive fitted to a mesh, and its center in the mesh's principal frame
tacVec3 tac_mesh_fit(tacSpec* spec, const tacElement* geom, const tacMeshSpec* mesh,
                     tacNodeKind kind, double size[3]);

// the shape of its convex hull, made once; -1 after a failure
int tac_mesh_shape(tacSpec* spec, const tacElement* geom, const tacMeshSpec* mesh);

// warns of a mesh that is not convex: it collides as its convex hull, which is seldom intended;
// concavities far below `size` are ignored
void tac_warn_nonconvex(tacSpec* spec, const tacGeom* geom, double size);

// A view of the spec as a model, for evaluating shapes; valid until something is added.
tacModel tac_spec_model_view(tacSpec* spec);

// pos and one of quat, euler, axisangle, xyaxes, zaxis
tacPose tac_read_pose(tacSpec* spec, const tacElement* element);

// two points in place of pos, rotation and half length: 1 if they are there and right
int tac_read_fromto(tacSpec* spec, const tacElement* element, tacPose* pose, double* half);

// Sizes and pose of a primitive; with `spare`, extra sizes are allowed and ignored.
tacPose tac_read_primitive(tacSpec* spec, const tacElement* element, tacNodeKind kind, int spare,
                           double size[3]);

#endif
