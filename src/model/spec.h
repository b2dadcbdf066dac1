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
    int fusestatic;               // bodies without joints are parts of those they hang on
    const char *folder, *meshdir; // "" or with a slash at the end
} tacCompiler;

// volume and inertia of a <shape> of unit density
typedef struct tacShapeInertia {
    int shape;
    double volume;
    tacInertia inertia;
} tacShapeInertia;

typedef struct tacSpec {
    tacReader reader;
    const char* name;
    tacList param; // double
    tacList group; // tacParamName
    tacList body, geom, shape, node, cloud, light, camera, material, mesh, view_target;
    tacList site, pair, exclude, equality, key, sensor;
    int sensor_numbers;
    tacList key_number;       // double: qpos qvel act ctrl mpos mquat of each key
    tacList body_line;        // int
    int unsupported_hfields;  // geoms that should touch others and cannot: height fields
    tacPose frame;            // of the <frame> or fused body that is being read, in its body
    tacList emptiness_checks; // combinations that may leave nothing (emptiness_check.h)
    int page_count;           // boxes of all clouds
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
    int has_external_forces;    // do gravcomp or a fluid act on bodies?
    unsigned disabled_groups;   // bits: groups of actuators that are switched off
    int frclimited;             // joints that clamp the sum of their actuators

    tacList geom_element;  // const tacElement* of each geom
    tacList shape_inertia; // tacShapeInertia of the <shape>s whose mass was asked for

    // of contact (contact_plan.c)
    tacList tactus, pair_element;             // const tacElement*: all <tactus>, each <pair>
    tacList contact, contact_pair, body_pair; // tacContactPlan: one or none; its arrays
    tacList limit_friction;                   // tacLimitFriction
    tacList part, part_first, part_number, part_index;
    tacList planar; // tacPlanar (planar.h): outlines of planar geoms
    tacList solid;  // tacSolid of each geom, and their arrays one behind the other
    tacList solid_vertex, solid_normal, solid_offset, solid_edge, solid_first, solid_corner;
} tacSpec;

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
typedef struct tacGeomSpec {
    tacNodeKind kind; // a combination stands for shapes, a polyhedron for meshes
    double size[3];
    tacPose pose;
    int shape, group;
    const tacMeshSpec* mesh;
    const tacInertia* prism; // of a polygon, of unit density; else NULL
} tacGeomSpec;

// Adds `count` numbers as the group PATH/attribute; their offset.
int tac_spec_param(tacSpec* spec, tacPath path, const char* attribute, tacRange range,
                   const double* values, int count);

// Adds PATH/pos and, three numbers behind it, PATH/quat; the offset of the first.
int tac_spec_pose(tacSpec* spec, tacPath path, tacPose pose);

// the numbers from an offset on
double* tac_spec_values(tacSpec* spec, int offset);

// the name of an element, registered under its kind with what it stands for, or "" without one
const char* tac_spec_name(tacSpec* spec, const tacElement* element, const char* kind, int index);

// where a body is in the world while no joint moves it
tacPose tac_spec_body_pose(tacSpec* spec, int body);

// One block of memory with everything in it; NULL after a failure.
tacModel* tac_spec_finish(tacSpec* spec);

// the readers of the sections
void tac_read_shape(tacSpec* spec, const tacElement* element);
int tac_add_primitive(tacSpec* spec, const char* shape_name, tacPath path, tacNodeKind kind,
                      const double* size);

// a shape of one convex polyhedron, planes of unit normals; its index
int tac_add_hull(tacSpec* spec, const char* shape_name, const double* plane, int count);

// the numbers of a cloud into its node; its mean half size
double tac_read_cloud(tacSpec* spec, const tacElement* element, tacPath path, tacNode* node);

void tac_read_scene(tacSpec* spec, tacElement* root);
void tac_read_compiler(tacSpec* spec, const tacElement* element);

// the words of an element are read as the <compiler> of its own model says
void tac_enter_scope(tacSpec* spec, const tacElement* element);

// a <compiler> for a file, with what its elements say; its number
int tac_add_scope(tacSpec* spec, const tacElement* root, const char* path);
void tac_read_option(tacSpec* spec, const tacElement* element);
void tac_read_tactus(tacSpec* spec, const tacElement* element);
void tac_read_joint(tacSpec* spec, const tacElement* element, int body, tacPose pose);
void tac_read_geom(tacSpec* spec, const tacElement* element, int body, tacBodyMass* sum);
void tac_read_site(tacSpec* spec, const tacElement* element, int body);
void tac_read_contact(tacSpec* spec, const tacElement* element);
void tac_read_equality(tacSpec* spec, const tacElement* element);
void tac_read_sensors(tacSpec* spec, const tacElement* element);
void tac_read_keyframe(tacSpec* spec, const tacElement* element);
int tac_spec_mocap_count(const tacSpec* spec); // bodies moved by hand

// names of geoms that pairs and sensors ask for, before geoms are read
void tac_list_contact_geoms(tacSpec* spec, const tacElement* root);

// colour of an element, by its material or its own
void tac_read_colour(tacSpec* spec, const tacElement* element, double rgba[4]);

// index of the thing of a kind that an attribute names, or -1 after a failure or without it
int tac_read_reference(tacSpec* spec, const tacElement* element, const char* attribute,
                       const char* kind);

// the key in parameters' names: "kind:NAME", or its number
tacPath tac_item_path(tacSpec* spec, const char* kind, const char* name, int index);

// two numbers of solref, up to five of solimp, as a parameter each
int tac_read_solref(tacSpec* spec, const tacElement* element, const char* name, tacPath path);
int tac_read_solimp(tacSpec* spec, const tacElement* element, const char* name, tacPath path);

// cameras and lights that look at a body are turned to it
void tac_resolve_view_targets(tacSpec* spec);

void tac_read_light(tacSpec* spec, const tacElement* element, tacPose body);
void tac_read_camera(tacSpec* spec, const tacElement* element, tacPose body);

// body_force_reader.c: gravcomp and mocap of a body; the fluid of <option>, and when all masses are
// known what it sees of the bodies
void tac_read_body_forces(tacSpec* spec, const tacElement* element, int body, tacPath path);
void tac_read_fluid(tacSpec* spec, const tacElement* element);
void tac_init_fluid(tacSpec* spec);

void tac_read_tendons(tacSpec* spec, const tacElement* element);
void tac_read_actuators(tacSpec* spec, const tacElement* element);

// What an actuator moves where the scene stands as drawn: sum of inertia/arm^2
// (reflected_inertia.c)
double tac_reflected_inertia(tacSpec* spec, const tacActuator* a, const double gear[6]);

// Gives every element the attributes of its <default> class.
void tac_apply_defaults(tacSpec* spec, const tacElement* root);

// writes out <attach> and <replicate>
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

// bodies that move have mass, or one that is fixed to them has
void tac_check_masses(tacSpec* spec);

// path of a child: by index, and by name from the first named element on
tacPath tac_child_path(tacSpec* spec, const tacElement* child, int index, tacPath path);

// the numbers of a sweep into its node; its mean semi-axis
double tac_read_sweep(tacSpec* spec, const tacElement* element, tacPath path, tacNode* node);

// <mesh>: its name and how to read it; the file is read by the first geom that needs it
void tac_read_mesh(tacSpec* spec, const tacElement* element);
void tac_close_meshes(tacSpec* spec);

// the mesh that a geom names, read; NULL after a failure
const tacMeshSpec* tac_find_mesh(tacSpec* spec, const tacElement* geom);

// the frame of its centre of mass and principal axes in that of its file
tacPose tac_mesh_pose(const tacMeshSpec* mesh);

// its faces, placed, in the frame of its file; good until the scene is read
const tacSoup* tac_mesh_soup(const tacMeshSpec* mesh);

// 1: it was given vertices alone, and its faces are those of their hull
int tac_mesh_is_hulled(const tacMeshSpec* mesh);

// volume (area of a shell) and principal moments of density 1; fails at `line` if there are none
double tac_mesh_moments(tacSpec* spec, const tacMeshSpec* mesh, int line, double moment[3]);

// sizes of the primitive that stands for a mesh, and its middle in the mesh's principal frame
tacVec3 tac_mesh_fit(tacSpec* spec, const tacElement* geom, const tacMeshSpec* mesh,
                     tacNodeKind kind, double size[3]);

// the shape of its convex hull, made once; -1 after a failure
int tac_mesh_shape(tacSpec* spec, const tacElement* geom, const tacMeshSpec* mesh);
// a mesh with hollows touches as its hull, which is the geom's shape: that is told, as it is seldom
// meant; `size` is what hollows are small against
void tac_warn_nonconvex(tacSpec* spec, const tacGeom* geom, double size);

// A model on the numbers of the draft, for evaluating shapes; good until something is added.
tacModel tac_spec_model_view(tacSpec* spec);

// pos and one of quat, euler, axisangle, xyaxes, zaxis
tacPose tac_read_pose(tacSpec* spec, const tacElement* element);

// two points in place of pos, rotation and half length: 1 if they are there and right
int tac_read_fromto(tacSpec* spec, const tacElement* element, tacPose* pose, double* half);

// Sizes and place of a primitive; `spare` sizes more than it needs are taken without effect.
tacPose tac_read_primitive(tacSpec* spec, const tacElement* element, tacNodeKind kind, int spare,
                           double size[3]);

#endif
