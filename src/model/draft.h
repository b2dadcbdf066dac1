// A model while it is being read: arrays that grow, and one array of parameters with their names.

#ifndef TAC_MODEL_DRAFT_H
#define TAC_MODEL_DRAFT_H

#include "math/spatial.h"
#include "model/attribute.h"

typedef struct tacMaterial {
    double rgba[4];
} tacMaterial;

typedef struct tacDraft {
    tacReader reader;
    const char* name;
    tacList param; // double
    tacList group; // tacParamName
    tacList body, geom, shape, node, cloud, light, camera, material;
    tacList remainder; // combinations that may leave nothing (remainder.h)
    int page_count;    // boxes of all clouds
    tacList joint, dof, actuator, tendon;
    tacList tendonjoint;        // int
    int na;                     // activations
    tacList qpos0, qpos_spring; // double
    tacNames names;
    int exact;             // of tacOptions
    int gravity, timestep; // offsets

    // of <compiler>
    double angle; // radians in one unit of a scene's angles
    char eulerseq[4];
    int autolimits, balanceinertia;
    int inertiafromgeom; // 0 false, 1 true, 2 auto: where a body has no <inertial>
    double boundmass, boundinertia, settotalmass;
    int fusestatic; // bodies without joints are parts of those they hang on
    tacPose frame;  // of the fused body that is being read, in the body it is a part of

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
    int shape, shell;        // line of a geom whose mass is not known, else 0
} tacBodyMass;

// Adds `count` numbers as the group PATH/attribute; their offset.
int tac_draft_param(tacDraft* draft, tacPath path, const char* attribute, tacRange range,
                    const double* values, int count);

// Adds PATH/pos and, three numbers behind it, PATH/quat; the offset of the first.
int tac_draft_pose(tacDraft* draft, tacPath path, tacPose pose);

// the numbers from an offset on
double* tac_draft_values(tacDraft* draft, int offset);

// the name of an element, registered under its kind with what it stands for, or "" without one
const char* tac_draft_name(tacDraft* draft, const tacElement* element, const char* kind, int index);

// One block of memory with everything in it; NULL after a failure.
tacModel* tac_draft_finish(tacDraft* draft);

// the readers of the sections
void tac_read_shape(tacDraft* draft, const tacElement* element);
int tac_add_primitive(tacDraft* draft, const char* shape_name, tacPath path, tacNodeKind kind,
                      const double* size);

// the numbers of a cloud into its node; its mean half size
double tac_read_cloud(tacDraft* draft, const tacElement* element, tacPath path, tacNode* node);

void tac_read_scene(tacDraft* draft, const tacElement* root);
void tac_read_compiler(tacDraft* draft, const tacElement* element);
void tac_read_option(tacDraft* draft, const tacElement* element);
void tac_read_tactus(tacDraft* draft, const tacElement* element);
void tac_read_joint(tacDraft* draft, const tacElement* element, int body, tacPose pose);
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

// mass: of a geom (combinations stand for shapes), of <inertial>, of the body that is complete
void tac_read_geom_mass(tacDraft* draft, const tacElement* element, tacNodeKind kind,
                        const double size[3], tacPose pose, tacBodyMass* sum);
void tac_read_inertial(tacDraft* draft, const tacElement* element, tacBodyMass* sum);
void tac_finish_body(tacDraft* draft, const tacElement* element, int body, tacPath path,
                     tacBodyMass* sum);
void tac_fuse_body(tacDraft* draft, const tacElement* element, tacBodyMass* part, tacBodyMass* sum);
void tac_scale_masses(tacDraft* draft);

// path of a child: by index, and by name from the first named element on
tacPath tac_child_path(tacDraft* draft, const tacElement* child, int index, tacPath path);

// the numbers of a sweep into its node; its mean semi-axis
double tac_read_sweep(tacDraft* draft, const tacElement* element, tacPath path, tacNode* node);

// pos and one of quat, euler, axisangle, xyaxes, zaxis
tacPose tac_read_pose(tacDraft* draft, const tacElement* element);

// two points in place of pos, rotation and half length: 1 if they are there and right
int tac_read_fromto(tacDraft* draft, const tacElement* element, tacPose* pose, double* half);

// Sizes and place of a primitive; `spare` sizes more than it needs are taken without effect.
tacPose tac_read_primitive(tacDraft* draft, const tacElement* element, tacNodeKind kind, int spare,
                           double size[3]);

#endif
