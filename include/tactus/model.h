/// The model: everything that stays the same while a scene moves. Const after tac_load.
#ifndef TACTUS_MODEL_H
#define TACTUS_MODEL_H

#include "tactus/memory.h"
#include "tactus/pose.h"
#include "tactus/result.h"

TAC_EXTERN_C_BEGIN

//---------------------------------- limits ---------------------------------------

#define TAC_MAX_FILE_BYTES 67108864   ///< of one scene file (64 MiB)
#define TAC_MAX_NESTING    200        ///< levels of elements in a scene file
#define TAC_MAX_ELEMENTS   1000000    ///< elements of one scene file
#define TAC_MAX_ATTRIBUTES 256        ///< attributes of one element
#define TAC_MAX_NAME       200        ///< bytes of a name
#define TAC_MAX_LOAD_BYTES 1073741824 ///< memory that reading one scene may take (1 GiB)

//---------------------------------- shapes ---------------------------------------

/// What a node of a shape is. Leaves come first, then the combinations.
typedef enum tacNodeKind {
    TAC_NODE_SPHERE,       ///< radius
    TAC_NODE_PLANE,        ///< half-space z <= 0 of its own frame
    TAC_NODE_SUPERQUADRIC, ///< three semi-axes, two exponents
    TAC_NODE_ELLIPSOID,    ///< three semi-axes: a superquadric with both exponents 1
    TAC_NODE_CAPSULE,      ///< radius, half length of its segment on the z axis
    TAC_NODE_CYLINDER,     ///< radius, half length along the z axis
    TAC_NODE_BOX,          ///< three half sizes
    TAC_NODE_POLYHEDRON,   ///< block: four numbers n, h a plane, n . y + h <= 0 inside
    TAC_NODE_CLOUD,        ///< points with normals, blended
    TAC_NODE_SWEEP,        ///< superquadric cut by planes that moves along a spline
    TAC_NODE_UNION,        ///< smooth minimum of its children
    TAC_NODE_INTERSECTION, ///< smooth maximum of its children
    TAC_NODE_DIFFERENCE,   ///< first child minus the union of the others
    TAC_NODE_KIND_COUNT    ///< how many kinds there are
} tacNodeKind;

/// Which distance a superquadric reports (docs/shapes.md).
typedef enum tacDistance {
    TAC_DISTANCE_TANGENT, ///< to the tangent plane at the radial foot: metric at the surface
    TAC_DISTANCE_RADIAL   ///< along the ray from the centre: as published, corrected
} tacDistance;

/// How the weight of a point of a cloud falls with the distance (docs/shapes.md).
typedef enum tacCloudKernel {
    TAC_CLOUD_ISOTROPIC,   ///< Gaussian, one width for all points
    TAC_CLOUD_ANISOTROPIC, ///< Gaussian, a metric for each point
    TAC_CLOUD_WENDLAND     ///< compact, one width for all points
} tacCloudKernel;

/// Boxes around neighbouring points, for skipping (src/shape/cloud/cloud_index.h).
typedef struct tacCloudPage tacCloudPage;

/// The points of one cloud. Their numbers are a node's block: arrays x y z nx ny nz of `count`
/// each, then log_amp and the six of the metric where they exist, in an order of neighbours.
typedef struct tacCloud {
    tacCloudKernel kernel; ///< of all points
    int count;             ///< number of points
    int has_log_amp;       ///< is there a logarithm of an amplitude for each point?
    int block;             ///< offset of x[0] in param
    int page;              ///< index of its first page in cloudpage
} tacCloud;

/// One node of a shape. Children stand before their parent (post-order); offsets point into param.
typedef struct tacNode {
    tacNodeKind kind;     ///< leaf or combination
    tacDistance distance; ///< of a superquadric
    int parent;           ///< index of the parent node, -1 for the root
    int first;            ///< index of the first node of this node's subtree; a leaf: itself
    int children;         ///< number of children, 0 for a leaf
    int position;         ///< offset of pos[3] in the parent's frame               [m]
    int rotation;         ///< offset of quat[4] in the parent's frame
    int size;             ///< offset of size: 1, 2 or 3 numbers by kind, else -1    [m]
    int eps;              ///< offset of the two exponents, else -1
    int smooth;           ///< offset of the temperature, else -1                   [m]
    int block;            ///< offset of a leaf's block of numbers, else -1
    int block_count;      ///< how many numbers the block has
    int cloud;            ///< index of the cloud, if it is one
    int layout;           ///< what stands in the block of a sweep
} tacNode;

/// A named shape: nodes first .. first + count - 1 of the model, the root last.
typedef struct tacShape {
    const char* name; ///< unique
    int first;        ///< its first node
    int count;        ///< number of its nodes
    int depth;        ///< fields that are alive at once while it is evaluated
    int exact;        ///< 1: nothing is left out (docs/shapes.md, culling)
    double
        truncate; ///< the field ends at this value (docs/shapes.md, fields that end); 0: never [m]
} tacShape;

//---------------------------------- what is drawn and touched --------------------

/// A shape placed on a body. Offsets point into param; the words are MJCF's.
typedef struct tacGeom {
    const char* name; ///< may be ""
    int body;         ///< the body that carries it
    int shape;        ///< its field; -1: a mesh for pictures alone, or a height field
    int position;     ///< offset of pos[3] in the body's frame                     [m]
    int rotation;     ///< offset of quat[4] in the body's frame
    double rgba[4];   ///< colour and opacity, 0..1
    int contype;      ///< bits: two geoms may touch if one's contype meets the other's conaffinity
    int conaffinity;  ///< bits
    int condim;       ///< 1 without friction, 3 with, 4 with spin, 6 with rolling
    int group;        ///< for switching sets of geoms on and off in pictures
    int priority;     ///< in a pair, the numbers of the geom with the higher one hold
    int friction;     ///< offset of friction[3]: sliding, spin, rolling             [1, m, m]
    int solref;       ///< offset of solref[2]: of a contact, as MuJoCo has it
    int solimp;       ///< offset of solimp[5]
    int solmix;       ///< offset of the weight with which numbers of a pair are mixed
    int margin;       ///< offset of the distance at which a contact is made         [m]
    int gap;          ///< offset of how much of the margin has no force             [m]
} tacGeom;

/// A marked place on a body.
typedef struct tacSite {
    const char* name; ///< may be ""
    int body;         ///< the body that carries it
    int position;     ///< offset of pos[3] in the body's frame                     [m]
    int rotation;     ///< offset of quat[4] in the body's frame
    tacNodeKind kind; ///< how it looks: sphere, capsule, ellipsoid, cylinder or box
    double size[3];   ///< of that                                                  [m]
    int group;        ///< for switching sets of sites on and off in pictures
    double rgba[4];   ///< colour and opacity, 0..1
} tacSite;

/// Two geoms that may touch, with numbers of their own. Offsets point into param.
typedef struct tacPair {
    const char* name;   ///< may be ""
    int geom[2];        ///< which
    int condim;         ///< 1, 3, 4 or 6
    int friction;       ///< offset of friction[5]: two of sliding, spin, two of rolling
    int solref;         ///< offset of solref[2]
    int solreffriction; ///< offset of solreffriction[2]; 0 0: solref
    int solimp;         ///< offset of solimp[5]
    int margin;         ///< offset of the margin                                   [m]
    int gap;            ///< offset of the gap                                      [m]
} tacPair;

/// What an equality holds together.
typedef enum tacEqualityKind {
    TAC_EQUALITY_CONNECT, ///< a point of two bodies
    TAC_EQUALITY_WELD,    ///< two bodies or sites
    TAC_EQUALITY_JOINT,   ///< a joint and a polynomial of another, or a constant
    TAC_EQUALITY_TENDON   ///< a tendon and a polynomial of another, or a constant
} tacEqualityKind;

/// A constraint that two things keep together; acts through a responder only.
typedef struct tacEquality {
    const char* name;     ///< may be ""
    tacEqualityKind kind; ///< what it does
    int sites;            ///< 1: connect and weld hold sites instead of bodies
    int object[2];        ///< bodies, sites, joints or tendons; -1: no second joint or tendon
    int active;           ///< 1: it holds when the scene starts
    int data;             ///< offset of data[11], as MuJoCo's eq_data
    int solref;           ///< offset of solref[2]
    int solimp;           ///< offset of solimp[5]
} tacEquality;

/// What a sensor measures: MJCF's words.
typedef enum tacSensorKind {
    TAC_SENSOR_TOUCH,             ///< site: force of contacts within
    TAC_SENSOR_ACCELEROMETER,     ///< site: acceleration against free fall, own axes
    TAC_SENSOR_VELOCIMETER,       ///< site: velocity, own axes
    TAC_SENSOR_GYRO,              ///< site: angular velocity, own axes
    TAC_SENSOR_FORCE,             ///< site: force between body and parent, own axes
    TAC_SENSOR_TORQUE,            ///< site: torque between body and parent, own axes
    TAC_SENSOR_MAGNETOMETER,      ///< site: magnetic field, own axes
    TAC_SENSOR_RANGEFINDER,       ///< site or camera: distance along its z axis
    TAC_SENSOR_JOINTPOS,          ///< joint: its position
    TAC_SENSOR_JOINTVEL,          ///< joint: its velocity
    TAC_SENSOR_TENDONPOS,         ///< tendon: its length
    TAC_SENSOR_TENDONVEL,         ///< tendon: its velocity
    TAC_SENSOR_ACTUATORPOS,       ///< actuator: its length
    TAC_SENSOR_ACTUATORVEL,       ///< actuator: its velocity
    TAC_SENSOR_ACTUATORFRC,       ///< actuator: its force
    TAC_SENSOR_JOINTACTUATORFRC,  ///< joint: sum of the actuators along it
    TAC_SENSOR_TENDONACTUATORFRC, ///< tendon: sum of the actuators on it
    TAC_SENSOR_BALLQUAT,          ///< ball joint: its rotation
    TAC_SENSOR_BALLANGVEL,        ///< ball joint: its angular velocity, own axes
    TAC_SENSOR_JOINTLIMITPOS,     ///< joint: distance to its limit less the margin
    TAC_SENSOR_JOINTLIMITVEL,     ///< joint: rate of that
    TAC_SENSOR_JOINTLIMITFRC,     ///< joint: force of the limit
    TAC_SENSOR_TENDONLIMITPOS,    ///< tendon: distance to its limit less the margin
    TAC_SENSOR_TENDONLIMITVEL,    ///< tendon: rate of that
    TAC_SENSOR_TENDONLIMITFRC,    ///< tendon: force of the limit
    TAC_SENSOR_FRAMEPOS,          ///< frame: position
    TAC_SENSOR_FRAMEQUAT,         ///< frame: rotation
    TAC_SENSOR_FRAMEXAXIS,        ///< frame: x axis
    TAC_SENSOR_FRAMEYAXIS,        ///< frame: y axis
    TAC_SENSOR_FRAMEZAXIS,        ///< frame: z axis
    TAC_SENSOR_FRAMELINVEL,       ///< frame: velocity
    TAC_SENSOR_FRAMEANGVEL,       ///< frame: angular velocity
    TAC_SENSOR_FRAMELINACC,       ///< frame: acceleration
    TAC_SENSOR_FRAMEANGACC,       ///< frame: angular acceleration
    TAC_SENSOR_SUBTREECOM,        ///< body: centre of mass of all from it on
    TAC_SENSOR_SUBTREELINVEL,     ///< body: its velocity
    TAC_SENSOR_SUBTREEANGMOM,     ///< body: angular momentum about it
    TAC_SENSOR_DISTANCE,          ///< two geoms or bodies: smallest distance
    TAC_SENSOR_NORMAL,            ///< two geoms or bodies: direction of it
    TAC_SENSOR_FROMTO,            ///< two geoms or bodies: its two points
    TAC_SENSOR_CONTACT,           ///< contacts of a pair
    TAC_SENSOR_E_POTENTIAL,       ///< potential energy of all
    TAC_SENSOR_E_KINETIC,         ///< kinetic energy of all
    TAC_SENSOR_CLOCK,             ///< time
    TAC_SENSOR_USER,              ///< numbers of a program
    TAC_SENSOR_KIND_COUNT         ///< how many kinds there are
} tacSensorKind;

/// What a sensor is attached to.
typedef enum tacSensorObject {
    TAC_OBJECT_NONE,     ///< nothing, or the world
    TAC_OBJECT_BODY,     ///< a body's centre of mass
    TAC_OBJECT_XBODY,    ///< a body's frame
    TAC_OBJECT_GEOM,     ///< a geom
    TAC_OBJECT_SITE,     ///< a site
    TAC_OBJECT_CAMERA,   ///< a camera
    TAC_OBJECT_JOINT,    ///< a joint
    TAC_OBJECT_TENDON,   ///< a tendon
    TAC_OBJECT_ACTUATOR, ///< an actuator
} tacSensorObject;

/// Something that is measured (tac_sensor_data).
typedef struct tacSensor {
    const char* name;        ///< may be ""
    tacSensorKind kind;      ///< what it measures
    tacSensorObject type;    ///< of object
    int object;              ///< index of what it is attached to
    tacSensorObject reftype; ///< of ref; TAC_OBJECT_NONE: the world
    int ref;                 ///< index of the frame that it is measured in
    int first;               ///< its first number in the sensors' data
    int count;               ///< of its numbers
    int measured;            ///< 0: not built yet, its numbers are 0
    double cutoff;           ///< above 0: numbers are clamped to this
} tacSensor;

/// A state that the scene names. Arrays are those of tacState and of the control.
typedef struct tacKeyframe {
    const char* name;    ///< may be ""
    double time;         ///< [s]
    const double* qpos;  ///< (nq)
    const double* qvel;  ///< (nv)
    const double* act;   ///< (na)
    const double* ctrl;  ///< (nu)
    const double* mpos;  ///< positions of mocap bodies, in their order            (nmocap, 3) [m]
    const double* mquat; ///< their rotations                                      (nmocap, 4)
} tacKeyframe;

/// A rigid body. Body 0 is the world. Parents stand before their children.
typedef struct tacBody {
    const char* name; ///< may be ""
    int parent;       ///< 0 for the world itself
    int root;         ///< the child of the world that it hangs on; 0 for the world
    int position;     ///< offset of pos[3] in the parent's frame                   [m]
    int rotation;     ///< offset of quat[4] in the parent's frame
    int first_joint;  ///< its joints are first_joint .. first_joint + joints - 1
    int joints;       ///< number of its joints
    int mass;         ///< offset of the mass                                       [kg]
    int com;          ///< offset of com[3], centre of mass in body axes            [m]
    int inertia;      ///< offset of inertia[6] about it, body axes: xx yy zz xy xz yz [kg m^2]
    int gravcomp;     ///< offset of the share of its weight that is taken off; -1: none
    int fluid;        ///< offset of box[3] and quat[4], its shape to a fluid; -1: none (docs)
    int mocap;        ///< 1: a body without joints that is moved by setting its pos and quat
} tacBody;

//---------------------------------- joints ---------------------------------------

/// How a body moves against its parent. The words of MJCF in MuJoCo's order.
typedef enum tacJointKind {
    TAC_JOINT_FREE,  ///< 7 positions (point, quaternion), 6 velocities (world axes, body axes)
    TAC_JOINT_BALL,  ///< 4 positions (quaternion), 3 velocities (body axes)
    TAC_JOINT_SLIDE, ///< one length along an axis
    TAC_JOINT_HINGE  ///< one angle about an axis
} tacJointKind;

/// A joint. Several joints of one body act one after the other. Offsets point into param.
typedef struct tacJoint {
    const char* name;   ///< may be ""
    tacJointKind kind;  ///< what it allows
    int body;           ///< the body that it moves
    int qpos;           ///< its first number in qpos
    int dof;            ///< its first number in qvel
    int position;       ///< offset of pos[3], its place in body axes; a free joint: -1        [m]
    int axis;           ///< offset of axis[3], body axes; hinge and slide, else -1
    int ref;            ///< offset of the position that the model is drawn in; else -1  [m, rad]
    int springref;      ///< offset of the position where the spring rests; else -1      [m, rad]
    int stiffness;      ///< offset of the spring's stiffness
    int damping;        ///< offset of the viscous damping
    int armature;       ///< offset of the rotor inertia
    int frictionloss;   ///< offset of the dry friction; acts through a responder only
    int range;          ///< offset of range[2]; acts through a responder only
    int limited;        ///< 1: the range is a limit
    int frclimited;     ///< 1: the sum of all actuators' forces along it is clamped to frcrange
    double frcrange[2]; ///< lower and upper sum                                [N or N m]
} tacJoint;

/// One degree of freedom: a number of qvel.
typedef struct tacDof {
    int joint;  ///< its joint
    int body;   ///< the body that it moves
    int parent; ///< the degree of freedom before it on the way to the world, or -1
    int group;  ///< first of those that turn with its own axes: three of a ball; else itself
    int row;    ///< its row of the mass matrix: M[row], then its parent, and so on to the world
    int depth;  ///< how many numbers the row has
} tacDof;

/// A fixed tendon: length = sum of coef qpos over hinges and slides. Offsets point into param.
typedef struct tacTendon {
    const char* name; ///< may be ""
    int first;        ///< its joints are tendonjoint[first] .. tendonjoint[first + count - 1]
    int count;        ///< number of its joints
    int coef;         ///< offset of coef[count]
    int springlength; ///< offset of springlength[2]: between the two the spring is slack
    int stiffness;    ///< offset of the spring's stiffness
    int damping;      ///< offset of the viscous damping
    int frictionloss; ///< offset of the dry friction; acts through a responder only
    int range;        ///< offset of range[2]; acts through a responder only
    int limited;      ///< 1: the range is a limit
} tacTendon;

/// What an actuator pulls on.
typedef enum tacDrive {
    TAC_DRIVE_JOINT,    ///< a joint; of balls and free bodies gear is in the child's axes
    TAC_DRIVE_INPARENT, ///< a joint; of balls and free bodies gear is in the parent's axes
    TAC_DRIVE_TENDON    ///< a tendon
} tacDrive;

/// How the activation of an actuator follows its control.
typedef enum tacActivation {
    TAC_ACTIVATION_NONE,       ///< it has none: the control acts at once
    TAC_ACTIVATION_INTEGRATOR, ///< act' = ctrl
    TAC_ACTIVATION_FILTER,     ///< act' = (ctrl - act)/timeconst
    TAC_ACTIVATION_FILTEREXACT ///< the same, integrated exactly
} tacActivation;

/// An actuator: force = gain(length, velocity) input + bias(length, velocity), where input is ctrl
/// or act, and gain and bias are [0] + [1] length + [2] velocity. Offsets point into param.
typedef struct tacActuator {
    const char* name;     ///< may be ""
    tacDrive drive;       ///< what target is
    int target;           ///< the joint or tendon
    tacActivation kind;   ///< of its activation
    int act;              ///< its number in act, or -1
    int group;            ///< as the scene numbers it
    int disabled;         ///< 1: its group is switched off: no force, act stays
    int actearly;         ///< 1: the activation of the next step acts already
    int affine;           ///< 1: gain depends on length and velocity
    int gear;             ///< offset of gear[6]; hinges, slides, tendons: gear[0] alone
    int gain;             ///< offset of gain[3]
    int bias;             ///< offset of bias[3]
    int timeconst;        ///< offset of the filter's time constant, -1 without filter   [s]
    int ctrllimited;      ///< 1: ctrl is clamped to ctrlrange
    int forcelimited;     ///< 1: force is clamped to forcerange
    int actlimited;       ///< 1: act is clamped to actrange
    double ctrlrange[2];  ///< lower and upper control
    double forcerange[2]; ///< lower and upper force                            [N or N m]
    double actrange[2];   ///< lower and upper activation
} tacActuator;

/// How a step moves on in time.
typedef enum tacIntegrator {
    TAC_INTEGRATOR_EULER,        ///< semi-implicit, implicit in joint damping, as MuJoCo's Euler
    TAC_INTEGRATOR_RK4,          ///< MuJoCo's Runge-Kutta of fourth order
    TAC_INTEGRATOR_EXPLICIT,     ///< explicit Euler: for comparison
    TAC_INTEGRATOR_IMPLICITFAST, ///< implicit in all damping, as MuJoCo's implicitfast
    TAC_INTEGRATOR_LIE,          ///< Runge-Kutta of fourth order with balls and free bodies, too
} tacIntegrator;

/// What a scene switches off.
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
    TAC_DISABLE_FILTERPARENT = 1024, ///< a body may touch the one that it hangs on
} tacDisable;

/// A light of the world, for pictures only.
typedef struct tacLight {
    double position[3];  ///< world                                                 [m]
    double direction[3]; ///< unit vector that the light travels along
    double diffuse[3];   ///< colour
    int directional;     ///< 1: parallel light, position is ignored
    int castshadow;      ///< 0: it lights what stands in the shade as well
} tacLight;

/// A camera of the world, for pictures only. It looks along -z of its own frame, y is up.
typedef struct tacCamera {
    const char* name;   ///< may be ""
    double position[3]; ///< world                                              [m]
    double axes[3][3];  ///< rows: its x, y, z axes in the world
    double fovy;        ///< vertical field of view                       [degrees]
} tacCamera;

//---------------------------------- parameters -----------------------------------

/// A handle on a few neighbouring parameters, with the range each must stay in.
typedef struct tacParam {
    int offset;   ///< of the first number in param
    int count;    ///< how many
    double lower; ///< smallest value allowed
    double upper; ///< largest value allowed
} tacParam;

/// One named group of parameters, as the scene declared it.
typedef struct tacParamName {
    const char* name;  ///< such as "shape:cup/0/1/size", without an index
    const char* alias; ///< the same by children's names, or NULL
    tacParam param;    ///< where it is
} tacParamName;

//---------------------------------- model ----------------------------------------

/// How to load. Start from tac_default_options().
typedef struct tacOptions {
    tacAllocator allocator; ///< used for the model and for every scratch made from it
    int exact;              ///< 1: all shapes as with exact="true"; default 0
    /// In place of what the scene's <tactus> says of contact: a detector or responder and numbers,
    /// such as "manifold", "lcp", "detect=manifold tau=.003"; "none"; NULL (default): the scene's.
    const char* contact;
} tacOptions;

/// A scene, ready to be evaluated by any number of threads at once.
typedef struct tacModel {
    const char* name;                                 ///< of the scene
    int nq, nv, na, nu;                               ///< sizes of qpos, qvel, act, ctrl
    int nbody, ngeom, nshape, nnode, nlight, ncamera; ///< lengths of the arrays below
    int ncloud, ncloudpage; ///< clouds of points, and pages of boxes around their points
    int njoint, nM;         ///< joints; numbers of the mass matrix stored by rows (tacDof)
    int nsite, npair, nexclude, nequality, nkey; ///< lengths of the arrays below
    int nsensor, nsensordata;                    ///< sensors, and their numbers
    int nmocap;                                  ///< bodies that are moved by hand
    int nfile;                                   ///< files that the scene was read from
    tacIntegrator integrator;                    ///< option/integrator, or <tactus integrator>
    unsigned disable;                            ///< sum of tacDisable
    int nparam, nparamname, nwarm; ///< parameters, their groups, numbers of solvers' start values
    int gravity, timestep;         ///< offsets of option/gravity [m/s^2] and option/timestep [s]
    int fluid;                     ///< offset of density, viscosity, wind[3], or -1: no fluid
    int ntendon, ntendonjoint;     ///< tendons; joints of all of them
    int has_external_forces;       ///< 1: forces act on bodies: gravcomp or a fluid
    int frclimited;                ///< 1: some joint clamps the sum of its actuators' forces

    tacReal* param;                ///< all differentiable numbers of the scene     (nparam)
    const tacBody* body;           ///< (nbody)
    const tacJoint* joint;         ///< (njoint)
    const tacDof* dof;             ///< (nv)
    const tacTendon* tendon;       ///< (ntendon)
    const int* tendonjoint;        ///< joints of the tendons                  (ntendonjoint)
    const tacActuator* actuator;   ///< (nu)
    const double* qpos0;           ///< the position that the scene is drawn in         (nq)
    const double* qpos_spring;     ///< where springs of ball and free joints rest      (nq)
    const tacGeom* geom;           ///< (ngeom)
    const tacSite* site;           ///< (nsite)
    const tacPair* pair;           ///< pairs of geoms that the scene lists        (npair)
    const int* exclude;            ///< pairs of bodies that never touch        (nexclude, 2)
    const tacEquality* equality;   ///< (nequality)
    const tacSensor* sensor;       ///< (nsensor)
    const tacKeyframe* key;        ///< (nkey)
    const tacShape* shape;         ///< (nshape)
    const tacNode* node;           ///< (nnode)
    const tacCloud* cloud;         ///< (ncloud)
    tacCloudPage* cloudpage;       ///< kept up to date by tac_param_set         (ncloudpage)
    const tacLight* light;         ///< (nlight)
    const tacCamera* camera;       ///< (ncamera)
    const tacParamName* paramname; ///< sorted by name                         (nparamname)
    const int* paramgroup;         ///< index in paramname of each parameter        (nparam)
    const char* const* file;       ///< the scene, what it includes, meshes; as opened (nfile)
    /// What detectors and responders need (tactus/contact.h); NULL: nothing touches. Opaque here,
    /// so that it can grow without a new build of all that never looks at it.
    const struct tacContactPlan* contact;
    tacAllocator allocator; ///< where all of this came from
} tacModel;

/// Options with the C library's allocator.
TAC_API
tacOptions tac_default_options(void);

/// Reads a scene. On success *out is a model to be freed by tac_model_destroy; otherwise *out is
/// untouched and `message` (NULL to skip) says what is wrong, with file, line and attribute. Of a
/// scene that is fine the text is "", or tells what of it will have no effect.
TAC_API
tacResult tac_load(const char* path, const tacOptions* options, tacModel** out,
                   tacMessage* message);

/// Reads a scene from memory; `path` names it in messages.
TAC_API
tacResult tac_load_text(const char* text, int size, const char* path, const tacOptions* options,
                        tacModel** out, tacMessage* message);

/// Gives a model back. NULL is allowed.
TAC_API
void tac_model_destroy(tacModel* model);

/// Index of the shape with this name, or -1.
TAC_API
int tac_shape_find(const tacModel* model, const char* name);

/// Lists the pairs of geoms that may touch, as MuJoCo chooses them: pairs that the scene lists,
/// then geoms of two bodies whose bits meet (contype, conaffinity), unless both bodies are fixed to
/// each other, one hangs on the other (and is not the world), or the scene excludes them. A pair
/// has the smaller geom first but for those of the scene; pairs are in order of the geoms. Writes
/// at most `capacity` pairs and returns how many there are: call with NULL and 0 to count.
TAC_API
int tac_geom_pairs(const tacModel* model, int (*pairs)[2], int capacity);

/// World placement of a site while no joint moves it.
TAC_API
tacPose tac_site_pose(const tacModel* model, int site);

/// World placement of a geom while no joint moves it.
TAC_API
tacPose tac_geom_pose(const tacModel* model, int geom);

/// Finds parameters by name: "shape:cup/0/1/size" is the group, "shape:cup/0/1/size[2]" one number.
/// Children of a combination are named by index or by their own name.
TAC_API
tacResult tac_param_find(const tacModel* model, const char* name, tacParam* out);

/// Writes the name of one parameter, such as "shape:cup/0/1/size[2]", cut to `size` bytes.
TAC_API
tacResult tac_param_name(const tacModel* model, int offset, char* text, int size);

/// Sets parameters; values out of range are refused and nothing changes. The model must not be in
/// use by another thread meanwhile.
TAC_API
tacResult tac_param_set(tacModel* model, tacParam param, const double* values, tacMessage* message);

TAC_EXTERN_C_END

#endif
