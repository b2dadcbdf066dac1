/// The model: bodies, joints, shapes and parameters of a scene. It is const while the scene moves.
///
/// Words and layouts are those of MJCF and MuJoCo. Numbers that can be differentiated stand in one
/// array, tacModel.param; other structs hold offsets into it.
#ifndef TACTUS_MODEL_H
#define TACTUS_MODEL_H

#include "tactus/memory.h"
#include "tactus/pose.h"
#include "tactus/result.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- limits ---------------------------------------

#define TAC_MAX_FILE_BYTES 67108864   ///< bytes of a scene file (64 MiB)
#define TAC_MAX_NESTING    200        ///< nesting depth of elements in a scene file
#define TAC_MAX_ELEMENTS   1000000    ///< elements in a scene file
#define TAC_MAX_ATTRIBUTES 256        ///< attributes of an element
#define TAC_MAX_NAME       200        ///< bytes of a name
#define TAC_MAX_LOAD_BYTES 1073741824 ///< memory to read a scene (1 GiB)

//---------------------------------- objects --------------------------------------

/// Kind of a named object, as mjtObj.
typedef enum tacObject {
    TAC_OBJ_NONE,     ///< nothing, or the world as a reference frame
    TAC_OBJ_BODY,     ///< body; of a sensor, the frame at its centre of mass
    TAC_OBJ_XBODY,    ///< body; of a sensor, the body frame
    TAC_OBJ_GEOM,     ///< geom
    TAC_OBJ_SITE,     ///< site
    TAC_OBJ_CAMERA,   ///< camera
    TAC_OBJ_JOINT,    ///< joint
    TAC_OBJ_TENDON,   ///< tendon
    TAC_OBJ_ACTUATOR, ///< actuator
    TAC_OBJ_SENSOR,   ///< sensor
    TAC_OBJ_EQUALITY, ///< equality constraint
    TAC_OBJ_PAIR,     ///< pair of geoms
    TAC_OBJ_KEY,      ///< keyframe
    TAC_OBJ_SHAPE,    ///< shape
    TAC_OBJ_PARAM,    ///< group of parameters; its id is the offset in param
    TAC_OBJ_COUNT     ///< number of kinds
} tacObject;

//---------------------------------- shapes ---------------------------------------

/// Kind of a shape node: leaves first, then combinations.
typedef enum tacNodeKind {
    TAC_NODE_SPHERE,       ///< radius
    TAC_NODE_PLANE,        ///< half-space z <= 0 in its own frame
    TAC_NODE_SUPERQUADRIC, ///< three semi-axes, two exponents
    TAC_NODE_ELLIPSOID,    ///< three semi-axes: a superquadric with both exponents 1
    TAC_NODE_CAPSULE,      ///< radius, half length of its segment on the z axis
    TAC_NODE_CYLINDER,     ///< radius, half length along the z axis
    TAC_NODE_BOX,          ///< three half sizes
    TAC_NODE_POLYHEDRON,   ///< four numbers n, h for each plane; n . y + h <= 0 inside
    TAC_NODE_CLOUD,        ///< oriented points, blended
    TAC_NODE_SWEEP,        ///< superquadric cut by planes, swept along a spline
    TAC_NODE_UNION,        ///< smooth minimum of its children
    TAC_NODE_INTERSECTION, ///< smooth maximum of its children
    TAC_NODE_DIFFERENCE,   ///< first child minus the union of the others
    TAC_NODE_KIND_COUNT    ///< number of kinds
} tacNodeKind;

/// Distance that a superquadric reports (docs/shapes.md).
typedef enum tacDistance {
    TAC_DISTANCE_TANGENT, ///< to the tangent plane at the radial foot; exact to first order at the
                          ///< surface
    TAC_DISTANCE_RADIAL   ///< along the ray from the centre, as in the paper (docs/shapes.md)
} tacDistance;

/// Kernel of a point cloud: how weights fall with the distance (docs/shapes.md).
typedef enum tacCloudKernel {
    TAC_CLOUD_ISOTROPIC,   ///< Gaussian, one width for all points
    TAC_CLOUD_ANISOTROPIC, ///< Gaussian, one metric for each point
    TAC_CLOUD_WENDLAND     ///< compact support, one width for all points
} tacCloudKernel;

/// Bounding boxes of neighbouring points, for culling. Opaque.
typedef struct tacCloudPage tacCloudPage;

/// A point cloud. Its numbers are the block of its node: arrays x, y, z, nx, ny, nz (count each),
/// then log_amp and the six numbers of the metric, where they exist. Neighbours stand together.
typedef struct tacCloud {
    tacCloudKernel kernel; ///< kernel of all points
    int count;             ///< number of points
    int has_log_amp;       ///< 1: each point has a log amplitude
    int block;             ///< offset of x[0] in param
    int page;              ///< index of its first page in cloudpage
} tacCloud;

/// A node of a shape, in post-order: children stand before their parent. Offsets point into param.
typedef struct tacNode {
    tacNodeKind kind;     ///< leaf or combination
    tacDistance distance; ///< distance of a superquadric
    int parent;           ///< index of the parent node, -1 for the root
    int first;            ///< index of the first node of its subtree; a leaf: itself
    int children;         ///< number of children, 0 for a leaf
    int position;         ///< offset of pos[3] in the parent's frame               [m]
    int rotation;         ///< offset of quat[4] in the parent's frame
    int size;             ///< offset of size: 1, 2 or 3 numbers by kind, else -1    [m]
    int eps;              ///< offset of the two exponents, else -1
    int smooth;           ///< offset of the temperature, else -1                   [m]
    int block;            ///< offset of a leaf's block of numbers, else -1
    int block_count;      ///< how many numbers the block has
    int cloud;            ///< index of the cloud, if it is one
    int layout;           ///< layout of the block of a sweep
} tacNode;

/// A named shape: nodes first to first + count - 1, the root last.
typedef struct tacShape {
    const char* name; ///< unique
    int first;        ///< its first node
    int count;        ///< number of its nodes
    int depth;        ///< stack depth of its evaluation
    int exact;        ///< 1: evaluated without culling (docs/shapes.md)
    double truncate;  ///< largest value of the field (docs/shapes.md); 0: no limit     [m]
} tacShape;

//---------------------------------- bodies and geoms -----------------------------

/// A geom: a shape fixed to a body. Offsets point into param; names are MJCF's.
typedef struct tacGeom {
    const char* name; ///< may be ""
    int body;         ///< the body that carries it
    int shape;        ///< its shape; -1: a visual mesh or a height field
    int position;     ///< offset of pos[3] in the body's frame                     [m]
    int rotation;     ///< offset of quat[4] in the body's frame
    double rgba[4];   ///< colour and opacity, 0..1
    int contype;      ///< bits; two geoms collide if one's contype shares a bit with the other's
                      ///< conaffinity
    int conaffinity;  ///< bits
    int condim;       ///< 1 frictionless, 3 sliding, 4 torsional, 6 rolling friction
    int group;        ///< group for visibility
    int priority;     ///< the geom with the higher priority sets the contact parameters
    int friction;     ///< offset of friction[3]: sliding, torsional, rolling        [1, m, m]
    int solref;       ///< offset of solref[2], as in MuJoCo
    int solimp;       ///< offset of solimp[5]
    int solmix;       ///< offset of the mixing weight of a pair
    int margin;       ///< offset of the contact margin                              [m]
    int gap;          ///< offset of the part of the margin without force            [m]
    int triangles;    ///< its mesh in tacModel.triangles; -1: none
} tacGeom;

/// Triangles of a mesh, for pictures: contact uses the shapes of geoms.
typedef struct tacTriangles {
    int nvertex;          ///< vertices
    int ntriangle;        ///< triangles
    int closed;           ///< 1: a closed surface, all triangles outward
    const double* vertex; ///< in the frame of the geoms                   (nvertex x 3) [m]
    const int* triangle;  ///< indices of vertices                         (ntriangle x 3)
} tacTriangles;

/// A site: a named frame on a body.
typedef struct tacSite {
    const char* name; ///< may be ""
    int body;         ///< the body that carries it
    int position;     ///< offset of pos[3] in the body's frame                     [m]
    int rotation;     ///< offset of quat[4] in the body's frame
    tacNodeKind kind; ///< its look: sphere, capsule, ellipsoid, cylinder or box
    double size[3];   ///< size of that                                             [m]
    int group;        ///< group for visibility
    double rgba[4];   ///< colour and opacity, 0..1
} tacSite;

/// A <pair>: two geoms with contact parameters of their own. Offsets point into param.
typedef struct tacPair {
    const char* name;   ///< may be ""
    int geom[2];        ///< the two geoms
    int condim;         ///< 1, 3, 4 or 6
    int friction;       ///< offset of friction[5]: two sliding, torsional, two rolling
    int solref;         ///< offset of solref[2]
    int solreffriction; ///< offset of solreffriction[2]; 0 0: solref
    int solimp;         ///< offset of solimp[5]
    int margin;         ///< offset of the margin                                   [m]
    int gap;            ///< offset of the gap                                      [m]
} tacPair;

/// Kind of an equality constraint.
typedef enum tacEqualityKind {
    TAC_EQUALITY_CONNECT, ///< joins two bodies at a point
    TAC_EQUALITY_WELD,    ///< joins two bodies or sites rigidly
    TAC_EQUALITY_JOINT,   ///< makes a joint a polynomial of another, or a constant
    TAC_EQUALITY_TENDON   ///< makes a tendon a polynomial of another, or a constant
} tacEqualityKind;

/// An equality constraint. Only a responder enforces it.
typedef struct tacEquality {
    const char* name;     ///< may be ""
    tacEqualityKind kind; ///< kind of constraint
    int sites;            ///< 1: connect and weld join sites instead of bodies
    int object[2];        ///< bodies, sites, joints or tendons; -1: no second joint or tendon
    int active;           ///< 1: active at the start
    int data;             ///< offset of data[11], as MuJoCo's eq_data
    int solref;           ///< offset of solref[2]
    int solimp;           ///< offset of solimp[5]
} tacEquality;

/// Kind of a sensor; names are MJCF's.
typedef enum tacSensorKind {
    TAC_SENSOR_TOUCH,             ///< site: contact force inside it
    TAC_SENSOR_ACCELEROMETER,     ///< site: acceleration less gravity, site axes
    TAC_SENSOR_VELOCIMETER,       ///< site: linear velocity, site axes
    TAC_SENSOR_GYRO,              ///< site: angular velocity, site axes
    TAC_SENSOR_FORCE,             ///< site: force between body and parent, site axes
    TAC_SENSOR_TORQUE,            ///< site: torque between body and parent, site axes
    TAC_SENSOR_MAGNETOMETER,      ///< site: magnetic field, site axes
    TAC_SENSOR_RANGEFINDER,       ///< site or camera: distance along its z axis
    TAC_SENSOR_JOINTPOS,          ///< joint: position
    TAC_SENSOR_JOINTVEL,          ///< joint: velocity
    TAC_SENSOR_TENDONPOS,         ///< tendon: length
    TAC_SENSOR_TENDONVEL,         ///< tendon: velocity
    TAC_SENSOR_ACTUATORPOS,       ///< actuator: length
    TAC_SENSOR_ACTUATORVEL,       ///< actuator: velocity
    TAC_SENSOR_ACTUATORFRC,       ///< actuator: force
    TAC_SENSOR_JOINTACTUATORFRC,  ///< joint: sum of its actuator forces
    TAC_SENSOR_TENDONACTUATORFRC, ///< tendon: sum of its actuator forces
    TAC_SENSOR_BALLQUAT,          ///< ball joint: quaternion
    TAC_SENSOR_BALLANGVEL,        ///< ball joint: angular velocity, joint axes
    TAC_SENSOR_JOINTLIMITPOS,     ///< joint: distance to the limit less the margin
    TAC_SENSOR_JOINTLIMITVEL,     ///< joint: rate of that distance
    TAC_SENSOR_JOINTLIMITFRC,     ///< joint: limit force
    TAC_SENSOR_TENDONLIMITPOS,    ///< tendon: distance to the limit less the margin
    TAC_SENSOR_TENDONLIMITVEL,    ///< tendon: rate of that distance
    TAC_SENSOR_TENDONLIMITFRC,    ///< tendon: limit force
    TAC_SENSOR_FRAMEPOS,          ///< frame: position
    TAC_SENSOR_FRAMEQUAT,         ///< frame: quaternion
    TAC_SENSOR_FRAMEXAXIS,        ///< frame: x axis
    TAC_SENSOR_FRAMEYAXIS,        ///< frame: y axis
    TAC_SENSOR_FRAMEZAXIS,        ///< frame: z axis
    TAC_SENSOR_FRAMELINVEL,       ///< frame: linear velocity
    TAC_SENSOR_FRAMEANGVEL,       ///< frame: angular velocity
    TAC_SENSOR_FRAMELINACC,       ///< frame: linear acceleration
    TAC_SENSOR_FRAMEANGACC,       ///< frame: angular acceleration
    TAC_SENSOR_SUBTREECOM,        ///< body: centre of mass of its subtree
    TAC_SENSOR_SUBTREELINVEL,     ///< body: velocity of that centre
    TAC_SENSOR_SUBTREEANGMOM,     ///< body: angular momentum of its subtree about that centre
    TAC_SENSOR_DISTANCE,          ///< two geoms or bodies: distance
    TAC_SENSOR_NORMAL,            ///< two geoms or bodies: direction of the distance
    TAC_SENSOR_FROMTO,            ///< two geoms or bodies: nearest points
    TAC_SENSOR_CONTACT,           ///< contacts of a pair of geoms or bodies
    TAC_SENSOR_E_POTENTIAL,       ///< potential energy
    TAC_SENSOR_E_KINETIC,         ///< kinetic energy
    TAC_SENSOR_CLOCK,             ///< simulation time
    TAC_SENSOR_USER,              ///< user data
    TAC_SENSOR_KIND_COUNT         ///< number of kinds
} tacSensorKind;

/// A sensor. tac_sensor_data gives its values.
typedef struct tacSensor {
    const char* name;   ///< may be ""
    tacSensorKind kind; ///< kind of sensor
    tacObject type;     ///< kind of `object`
    int object;         ///< index of the object it is attached to
    tacObject reftype;  ///< kind of `ref`; TAC_OBJ_NONE: the world
    int ref;            ///< index of the reference frame
    int first;          ///< index of its first value in sensordata
    int count;          ///< number of its values
    int measured;       ///< 0: not built, its values are 0
    double cutoff;      ///< if > 0, values are clamped to it
} tacSensor;

/// A keyframe: a state and control of the scene (tac_state_reset_key).
typedef struct tacKeyframe {
    const char* name;    ///< may be ""
    double time;         ///< simulation time                                      [s]
    const double* qpos;  ///< positions                                            (nq)
    const double* qvel;  ///< velocities                                           (nv)
    const double* act;   ///< activations                                          (na)
    const double* ctrl;  ///< control                                              (nu)
    const double* mpos;  ///< positions of the mocap bodies              (nmocap x 3) [m]
    const double* mquat; ///< rotations of the mocap bodies              (nmocap x 4)
} tacKeyframe;

/// A rigid body. Body 0 is the world; parents stand before their children. Offsets point into
/// param.
typedef struct tacBody {
    const char* name; ///< may be ""
    int parent;       ///< 0 for the world itself
    int root;         ///< its ancestor that is a child of the world; 0 for the world
    int position;     ///< offset of pos[3] in the parent's frame                   [m]
    int rotation;     ///< offset of quat[4] in the parent's frame
    int first_joint;  ///< index of its first joint
    int joints;       ///< number of its joints
    int mass;         ///< offset of the mass                                       [kg]
    int com;          ///< offset of com[3], centre of mass in body axes            [m]
    int inertia;      ///< offset of inertia[6] about it, body axes: xx yy zz xy xz yz [kg m^2]
    int gravcomp;     ///< offset of the gravity compensation, a share of its weight; -1: none
    int fluid;        ///< offset of box[3] and quat[4], its shape in a fluid; -1: none
    int mocap;        ///< 1: a mocap body, moved by setting its pos and quat
} tacBody;

//---------------------------------- joints ---------------------------------------

/// Kind of a joint, in MuJoCo's order.
typedef enum tacJointKind {
    TAC_JOINT_FREE, ///< 7 positions (point, quaternion), 6 velocities (linear: world, angular: body
                    ///< axes)
    TAC_JOINT_BALL, ///< 4 positions (quaternion), 3 velocities (body axes)
    TAC_JOINT_SLIDE, ///< translation along an axis
    TAC_JOINT_HINGE  ///< rotation about an axis
} tacJointKind;

/// A joint. Several joints of a body act in sequence. Offsets point into param.
typedef struct tacJoint {
    const char* name;   ///< may be ""
    tacJointKind kind;  ///< kind of joint
    int body;           ///< the body that it moves
    int qpos;           ///< index of its first position in qpos
    int dof;            ///< index of its first velocity in qvel
    int position;       ///< offset of pos[3], its anchor in body axes; a free joint: -1       [m]
    int axis;           ///< offset of axis[3], body axes; hinge and slide, else -1
    int ref;            ///< offset of the position at qpos0; else -1                    [m, rad]
    int springref;      ///< offset of the rest position of the spring; else -1          [m, rad]
    int stiffness;      ///< offset of the spring stiffness
    int damping;        ///< offset of the viscous damping
    int armature;       ///< offset of the rotor inertia
    int frictionloss;   ///< offset of the dry friction; only a responder applies it
    int range;          ///< offset of range[2]; only a responder enforces it
    int limited;        ///< 1: the range is a limit
    int frclimited;     ///< 1: the sum of its actuator forces is clamped to frcrange
    double frcrange[2]; ///< lower and upper force                              [N or N m]
} tacJoint;

/// A degree of freedom: one number of qvel.
typedef struct tacDof {
    int joint;  ///< its joint
    int body;   ///< the body that it moves
    int parent; ///< previous degree of freedom on the path to the world, or -1
    int group;  ///< first of the three rotations of a ball or free joint; else itself
    int row;    ///< start of its row in the sparse mass matrix: itself, its parent, and so on
    int depth;  ///< number of entries in the row
} tacDof;

/// A fixed tendon: its length is the sum of coef qpos over hinges and slides. Offsets point into
/// param.
typedef struct tacTendon {
    const char* name; ///< may be ""
    int first;        ///< index of its first joint in tendonjoint
    int count;        ///< number of its joints
    int coef;         ///< offset of coef[count]
    int springlength; ///< offset of springlength[2]; between the two the spring is slack
    int stiffness;    ///< offset of the spring stiffness
    int damping;      ///< offset of the viscous damping
    int frictionloss; ///< offset of the dry friction; only a responder applies it
    int range;        ///< offset of range[2]; only a responder enforces it
    int limited;      ///< 1: the range is a limit
} tacTendon;

/// Transmission of an actuator.
typedef enum tacDrive {
    TAC_DRIVE_JOINT,    ///< a joint; for ball and free joints gear is in child axes
    TAC_DRIVE_INPARENT, ///< a joint; for ball and free joints gear is in parent axes
    TAC_DRIVE_TENDON    ///< a tendon
} tacDrive;

/// Activation dynamics of an actuator.
typedef enum tacActivation {
    TAC_ACTIVATION_NONE,       ///< none: the control acts at once
    TAC_ACTIVATION_INTEGRATOR, ///< act' = ctrl
    TAC_ACTIVATION_FILTER,     ///< act' = (ctrl - act)/timeconst
    TAC_ACTIVATION_FILTEREXACT ///< the same, integrated exactly
} tacActivation;

/// An actuator: force = gain input + bias. The input is ctrl or act; gain and bias are [0] + [1]
/// length + [2] velocity. Offsets point into param.
typedef struct tacActuator {
    const char* name;     ///< may be ""
    tacDrive drive;       ///< kind of `target`
    int target;           ///< index of the joint or tendon
    tacActivation kind;   ///< activation dynamics
    int act;              ///< index in act, or -1
    int group;            ///< group of the scene
    int disabled;         ///< 1: its group is disabled: no force, act is constant
    int actearly;         ///< 1: the force uses the next activation
    int affine;           ///< 1: gain depends on length and velocity
    int gear;             ///< offset of gear[6]; hinges, slides and tendons use gear[0]
    int gain;             ///< offset of gain[3]
    int bias;             ///< offset of bias[3]
    int timeconst;        ///< offset of the filter's time constant; -1: no filter       [s]
    int ctrllimited;      ///< 1: ctrl is clamped to ctrlrange
    int forcelimited;     ///< 1: force is clamped to forcerange
    int actlimited;       ///< 1: act is clamped to actrange
    double ctrlrange[2];  ///< lower and upper control
    double forcerange[2]; ///< lower and upper force                            [N or N m]
    double actrange[2];   ///< lower and upper activation
} tacActuator;

/// Time integrator of a step.
typedef enum tacIntegrator {
    TAC_INTEGRATOR_EULER,        ///< semi-implicit Euler, implicit in joint damping, as MuJoCo's
    TAC_INTEGRATOR_RK4,          ///< Runge-Kutta that averages velocities of ball and free joints,
                                 ///< as MuJoCo's before 4.0
    TAC_INTEGRATOR_EXPLICIT,     ///< explicit Euler, for comparison
    TAC_INTEGRATOR_IMPLICITFAST, ///< implicit in all damping, as MuJoCo's implicitfast
    TAC_INTEGRATOR_LIE, ///< Runge-Kutta of fourth order on the Lie group, also for ball and free
                        ///< joints, as MuJoCo's RK4 since 4.0
} tacIntegrator;

/// The MuJoCo whose rules a scene follows where versions differ (docs/scenes.md).
typedef enum tacCompat {
    TAC_COMPAT_4_0, ///< 4.0.1, the default
    TAC_COMPAT_3_14 ///< 3.14, with compat="3.14" of <tactus>
} tacCompat;

/// Disable flags of a scene.
typedef enum tacDisable {
    TAC_DISABLE_GRAVITY = 1,         ///< no gravity
    TAC_DISABLE_PASSIVE = 2,         ///< no springs and dampers
    TAC_DISABLE_ACTUATION = 4,       ///< no actuators
    TAC_DISABLE_EULERDAMP = 8,       ///< damping is explicit in Euler
    TAC_DISABLE_CLAMPCTRL = 16,      ///< controls are not clamped
    TAC_DISABLE_CONSTRAINT = 32,     ///< no limits, equalities, dry friction, contacts
    TAC_DISABLE_EQUALITY = 64,       ///< no equalities
    TAC_DISABLE_FRICTIONLOSS = 128,  ///< no dry friction
    TAC_DISABLE_LIMIT = 256,         ///< no limits
    TAC_DISABLE_CONTACT = 512,       ///< no contacts
    TAC_DISABLE_FILTERPARENT = 1024, ///< a body may collide with its parent
} tacDisable;

/// A light, for rendering.
typedef struct tacLight {
    double position[3];  ///< world                                                 [m]
    double direction[3]; ///< direction of the light, a unit vector
    double diffuse[3];   ///< colour
    int directional;     ///< 1: parallel light, position is ignored
    int castshadow;      ///< 1: it casts shadows
} tacLight;

/// A camera, for rendering. It looks along -z of its own frame; y is up.
typedef struct tacCamera {
    const char* name;   ///< may be ""
    double position[3]; ///< world                                              [m]
    double axes[3][3];  ///< rows: its x, y, z axes in the world
    double fovy;        ///< vertical field of view                       [degrees]
} tacCamera;

//---------------------------------- parameters -----------------------------------

/// A handle on consecutive parameters, and the range of each.
typedef struct tacParam {
    int offset;   ///< of the first number in param
    int count;    ///< number of parameters
    double lower; ///< smallest value
    double upper; ///< largest value
} tacParam;

/// A named group of parameters.
typedef struct tacParamName {
    const char* name;  ///< such as "shape:cup/0/1/size", without an index
    const char* alias; ///< the same with names of child shapes, or NULL
    tacParam param;    ///< its parameters
} tacParamName;

//---------------------------------- model ----------------------------------------

/// Options of loading. Start from tac_default_options().
typedef struct tacOptions {
    tacAllocator allocator; ///< allocator of the model, its states and scratches
    int exact;              ///< 1: no shape is culled, as with exact="true"; default 0
    int triangles; ///< 1: keep the triangles of meshes, also of visual ones, for pictures; default
                   ///< 0
    /// Contact in place of the scene's <tactus>: a detector or responder with attributes, such as
    /// "manifold", "lcp" or "detect=manifold tau=.003"; "none"; NULL (default): the scene's.
    /// "compat=3.14" and "rk4=plain" may be among them; alone they leave the scene's contact.
    const char* contact;
} tacOptions;

/// A scene, ready for any number of threads at once.
typedef struct tacModel {
    const char* name;                                 ///< name of the scene
    int nq, nv, na, nu;                               ///< sizes of qpos, qvel, act, ctrl
    int nbody, ngeom, nshape, nnode, nlight, ncamera; ///< lengths of the arrays below
    int ncloud, ncloudpage; ///< point clouds, and pages of their bounding boxes
    int njoint, nM;         ///< joints; entries of the sparse mass matrix (tacDof)
    int nsite, npair, nexclude, nequality, nkey; ///< lengths of the arrays below
    int nsensor, nsensordata;                    ///< sensors; values of all sensors
    int nmocap;                                  ///< mocap bodies
    int ntriangles;                              ///< meshes with triangles
    int nfile;                                   ///< files of the scene, read or named
    tacIntegrator integrator;                    ///< option/integrator, or <tactus integrator>
    tacCompat compat;                            ///< <tactus compat>
    unsigned disable;                            ///< sum of tacDisable
    int nparam, nparamname, nwarm; ///< parameters, their groups, numbers of the warm start
    int gravity, timestep;         ///< offsets of option/gravity [m/s^2] and option/timestep [s]
    int fluid;                     ///< offset of density, viscosity, wind[3], or -1: no fluid
    int ntendon, ntendonjoint;     ///< tendons; joints of all of them
    int has_external_forces;       ///< 1: gravity compensation or a fluid acts on bodies
    int frclimited;                ///< 1: some joint has frclimited

    tacReal* param;                ///< all differentiable numbers of the scene     (nparam)
    const tacBody* body;           ///< (nbody)
    const tacJoint* joint;         ///< (njoint)
    const tacDof* dof;             ///< (nv)
    const tacTendon* tendon;       ///< (ntendon)
    const int* tendonjoint;        ///< joints of the tendons                  (ntendonjoint)
    const tacActuator* actuator;   ///< (nu)
    const double* qpos0;           ///< initial positions                               (nq)
    const double* qpos_spring;     ///< rest positions of joint springs                 (nq)
    const tacGeom* geom;           ///< (ngeom)
    const tacSite* site;           ///< (nsite)
    const tacPair* pair;           ///< pairs of the scene                         (npair)
    const int* exclude;            ///< pairs of bodies that never collide     (nexclude x 2)
    const tacEquality* equality;   ///< (nequality)
    const tacSensor* sensor;       ///< (nsensor)
    const tacKeyframe* key;        ///< (nkey)
    const tacShape* shape;         ///< (nshape)
    const tacNode* node;           ///< (nnode)
    const tacCloud* cloud;         ///< (ncloud)
    tacCloudPage* cloudpage;       ///< internal                                (ncloudpage)
    const tacLight* light;         ///< (nlight)
    const tacCamera* camera;       ///< (ncamera)
    const tacParamName* paramname; ///< sorted by name                         (nparamname)
    const int* paramgroup;         ///< index in paramname of each parameter        (nparam)
    const tacTriangles* triangles; ///< meshes; tacOptions.triangles                  (ntriangles)
    const char* const* file;       ///< files of the scene: includes, meshes, textures     (nfile)
    const struct tacContactPlan* contact; ///< internal data of contact; NULL: no contact
    tacAllocator allocator;               ///< source of its memory
} tacModel;

//---------------------------------- loading --------------------------------------

/// Default options: the C library's allocator, contact of the scene.
TAC_API
tacOptions tac_default_options(void);

/// Loads an MJCF or URDF file. Free the model with tac_model_destroy. On an error *out is unchanged
/// and `message` (NULL to skip) gives the reason with file, line and attribute. On success its text
/// is "" or a warning about parts of the scene that have no effect.
TAC_API
tacResult tac_load(const char* path, const tacOptions* options, tacModel** out,
                   tacMessage* message);

/// Loads a scene from memory. `path` names it in messages and may be NULL.
TAC_API
tacResult tac_load_text(const char* text, int size, const char* path, const tacOptions* options,
                        tacModel** out, tacMessage* message);

/// Frees a model. NULL is allowed.
TAC_API
void tac_model_destroy(tacModel* model);

//---------------------------------- names ----------------------------------------

/// Index of the object with a name, as mj_name2id; -1 if there is none.
TAC_API
int tac_name_id(const tacModel* model, tacObject kind, const char* name);

/// Name of an object, as mj_id2name: "" if it has none, NULL if there is no such object. The model
/// owns it.
TAC_API
const char* tac_id_name(const tacModel* model, tacObject kind, int id);

/// Index of the shape with this name, or -1. The same as tac_name_id with TAC_OBJ_SHAPE.
TAC_API
int tac_shape_find(const tacModel* model, const char* name);

//---------------------------------- queries --------------------------------------

/// Pairs of geoms that may collide, by MuJoCo's rules: the scene's <pair>s, then geoms of two
/// bodies whose contype and conaffinity share a bit. Left out are bodies fixed to each other, a
/// parent and its child (unless the parent is the world), and <exclude>s. Pairs are ordered by
/// geom. Writes at most `capacity` pairs and returns their number: call with NULL and 0 to count.
TAC_API
int tac_geom_pairs(const tacModel* model, int (*pairs)[2], int capacity);

/// World pose of a site with all joints at their reference.
TAC_API
tacPose tac_site_pose(const tacModel* model, int site);

/// World pose of a geom with all joints at their reference.
TAC_API
tacPose tac_geom_pose(const tacModel* model, int geom);

/// Finds parameters by name: "body:hand/mass", "shape:cup/0/1/size" (all numbers of the group) or
/// "shape:cup/0/1/size[2]" (one). Child shapes go by index or name.
TAC_API
tacResult tac_param_find(const tacModel* model, const char* name, tacParam* out);

/// Writes the name of one parameter, such as "shape:cup/0/1/size[2]", truncated to `size` bytes.
TAC_API
tacResult tac_param_name(const tacModel* model, int offset, char* text, int size);

/// Does contact follow these parameters? TAC_ERROR_UNSUPPORTED if it holds one constant, with the
/// reason and what to do. Such a parameter cannot be set, a derivative along it is
/// TAC_ERROR_UNSUPPORTED, and adjoints of all parameters set TAC_HELD_PARAM.
TAC_API
tacResult tac_param_live(const tacModel* model, tacParam param, tacMessage* message);

/// Sets parameters. Contact, mass and motion are then those of the new values; masses and inertias
/// are parameters of their own, which a size does not change. Values out of range are
/// TAC_ERROR_VALUE, parameters that contact holds constant TAC_ERROR_UNSUPPORTED (tac_param_live);
/// both change nothing. No other thread may use the model meanwhile.
TAC_API
tacResult tac_param_set(tacModel* model, tacParam param, const double* values, tacMessage* message);

TAC_EXTERN_C_END

#endif
