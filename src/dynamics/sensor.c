// Sensors as in MuJoCo, except those that need accelerations or contacts.
//
//   tacState --kinematics, inverse--> poses, velocities --[this file]--> data (nsensordata)

#include "base/dispatch.h"
#include "dynamics/dynamics.h"
#include "dynamics/motion.h"
#include "math/pose.h"
#include "math/spatial.h"
#include "tactus/dynamics.h"

#include <string.h>

#define SINGLE TAC_DISPATCH(tac_dynamics_single_)

typedef struct sensorInput {
    const tacModel* model;
    const tacMotion* m;
    const tacState* x;
    const tacReal* energy;
} sensorInput;

//---------------------------------- frames ---------------------------------------

// a frame: place, rotation, velocity of its origin and angular velocity, world axes
typedef struct sensorFrame {
    tacPose pose;
    tacTwist twist;
} sensorFrame;

static tacPose pose_at(const tacModel* model, int position, int rotation) {
    return (tacPose){tac_load3(model->param + position),
                     tac_quat_normalize(tac_quat_load(model->param + rotation))};
}

static sensorFrame frame_on_body(const sensorInput* s, int body, tacPose local) {
    tacPose pose = {tac_load3(s->m->pos + 3 * body), tac_quat_load(s->m->quat + 4 * body)};
    pose = tac_pose_compose(pose, local);
    tacTwist twist = tac_twist_load(s->m->vel + 6 * body);
    twist = tac_twist_shift(twist, tac_load3(s->m->origin + 3 * body), pose.position);
    return (sensorFrame){pose, twist};
}

static sensorFrame object_frame(const sensorInput* s, tacObject type, int index) {
    const tacModel* model = s->model;
    tacPose local = tac_pose_identity();
    switch (type) {
    case TAC_OBJ_SITE:
        local = pose_at(model, model->site[index].position, model->site[index].rotation);
        return frame_on_body(s, model->site[index].body, local);
    case TAC_OBJ_GEOM:
        local = pose_at(model, model->geom[index].position, model->geom[index].rotation);
        return frame_on_body(s, model->geom[index].body, local);
    case TAC_OBJ_BODY:
        if (index > 0) local.position = tac_load3(model->param + model->body[index].com);
        return frame_on_body(s, index, local);
    default:
        return frame_on_body(s, type == TAC_OBJ_XBODY ? index : 0, local);
    }
}

// seen from another frame, which may move
static void measure_frame(const sensorInput* s, const tacSensor* sensor, tacReal* out) {
    sensorFrame f = object_frame(s, sensor->type, sensor->object);
    if (sensor->reftype != TAC_OBJ_NONE) {
        sensorFrame ref = object_frame(s, sensor->reftype, sensor->ref);
        tacTwist moved = tac_twist_shift(ref.twist, ref.pose.position, f.pose.position);
        f.twist.linear = tac_pose_rotate_inverse(ref.pose, tac_sub(f.twist.linear, moved.linear));
        f.twist.angular =
            tac_pose_rotate_inverse(ref.pose, tac_sub(f.twist.angular, moved.angular));
        f.pose = tac_pose_compose(tac_pose_inverse(ref.pose), f.pose);
    }
    const tacVec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    switch (sensor->kind) {
    case TAC_SENSOR_FRAMEPOS:
        tac_store3(out, f.pose.position);
        break;
    case TAC_SENSOR_FRAMEQUAT:
        tac_quat_store(out, f.pose.rotation);
        break;
    case TAC_SENSOR_FRAMELINVEL:
        tac_store3(out, f.twist.linear);
        break;
    case TAC_SENSOR_FRAMEANGVEL:
        tac_store3(out, f.twist.angular);
        break;
    case TAC_SENSOR_VELOCIMETER:
        tac_store3(out, tac_pose_rotate_inverse(f.pose, f.twist.linear));
        break;
    case TAC_SENSOR_GYRO:
        tac_store3(out, tac_pose_rotate_inverse(f.pose, f.twist.angular));
        break;
    default:
        tac_store3(out, tac_pose_rotate(f.pose, axes[sensor->kind - TAC_SENSOR_FRAMEXAXIS]));
    }
}

//---------------------------------- joints, tendons, actuators -------------------

static tacReal joint_value(const sensorInput* s, int joint, int velocity) {
    const tacJoint* j = &s->model->joint[joint];
    return velocity ? s->m->qvel[j->dof] : s->x->qpos[j->qpos];
}

static tacReal tendon_value(const sensorInput* s, int tendon, int velocity) {
    const tacTendon* t = &s->model->tendon[tendon];
    tacReal sum = 0.0;
    for (int i = 0; i < t->count; ++i)
        sum += s->model->param[t->coef + i] *
               joint_value(s, s->model->tendonjoint[t->first + i], velocity);
    return sum;
}

static tacReal actuator_value(const sensorInput* s, int actuator, int velocity) {
    const tacActuator* a = &s->model->actuator[actuator];
    tacReal value = a->drive == TAC_DRIVE_TENDON ? tendon_value(s, a->target, velocity)
                                                 : joint_value(s, a->target, velocity);
    return s->model->param[a->gear] * value;
}

//---------------------------------- subtrees -------------------------------------

// A body belongs to the subtree of `root` if its parent does; only bodies after root can.
static int is_in_subtree(const tacModel* model, int body, int root) {
    while (body > root) body = model->body[body].parent;
    return body == root;
}

static void measure_subtree(const sensorInput* s, const tacSensor* sensor, tacReal* out) {
    tacVec3 sum = tac_vec3_zero();
    tacReal mass = 0.0;
    for (int b = sensor->object > 0 ? sensor->object : 1; b < s->model->nbody; ++b) {
        if (!is_in_subtree(s->model, b, sensor->object)) continue;
        sensorFrame f = object_frame(s, TAC_OBJ_BODY, b);
        tacReal own = s->model->param[s->model->body[b].mass];
        tacVec3 value = sensor->kind == TAC_SENSOR_SUBTREECOM ? f.pose.position : f.twist.linear;
        sum = tac_add_scaled(sum, own, value);
        mass += own;
    }
    if (tac_re(mass) > 1e-15)
        sum = tac_scale(sum, 1.0 / mass);
    else if (sensor->kind == TAC_SENSOR_SUBTREECOM)
        sum = object_frame(s, TAC_OBJ_BODY, sensor->object).pose.position;
    tac_store3(out, sum);
}

//---------------------------------- all ------------------------------------------

static void measure_sensor(const sensorInput* s, const tacSensor* sensor, tacReal* out) {
    const tacJoint* joint = &s->model->joint[sensor->type == TAC_OBJ_JOINT ? sensor->object : 0];
    switch (sensor->kind) {
    case TAC_SENSOR_JOINTPOS:
        *out = joint_value(s, sensor->object, 0);
        break;
    case TAC_SENSOR_JOINTVEL:
        *out = joint_value(s, sensor->object, 1);
        break;
    case TAC_SENSOR_TENDONPOS:
        *out = tendon_value(s, sensor->object, 0);
        break;
    case TAC_SENSOR_TENDONVEL:
        *out = tendon_value(s, sensor->object, 1);
        break;
    case TAC_SENSOR_ACTUATORPOS:
        *out = actuator_value(s, sensor->object, 0);
        break;
    case TAC_SENSOR_ACTUATORVEL:
        *out = actuator_value(s, sensor->object, 1);
        break;
    case TAC_SENSOR_BALLQUAT:
        tac_quat_store(out, tac_quat_normalize(tac_quat_load(s->x->qpos + joint->qpos)));
        break;
    case TAC_SENSOR_BALLANGVEL:
        memcpy(out, s->m->qvel + joint->dof, 3 * sizeof *out);
        break;
    case TAC_SENSOR_SUBTREECOM:
    case TAC_SENSOR_SUBTREELINVEL:
        measure_subtree(s, sensor, out);
        break;
    case TAC_SENSOR_E_KINETIC:
        *out = s->energy[0];
        break;
    case TAC_SENSOR_E_POTENTIAL:
        *out = s->energy[1];
        break;
    case TAC_SENSOR_CLOCK:
        *out = s->x->time;
        break;
    default:
        measure_frame(s, sensor, out);
    }
}

// rotations and axes have no cutoff
static void clamp_cutoff(const tacSensor* sensor, tacReal* out) {
    int is_rotation =
        (sensor->kind >= TAC_SENSOR_FRAMEQUAT && sensor->kind <= TAC_SENSOR_FRAMEZAXIS) ||
        sensor->kind == TAC_SENSOR_BALLQUAT;
    for (int i = 0; i < sensor->count && sensor->cutoff > 0.0 && !is_rotation; ++i) {
        if (tac_re(out[i]) > sensor->cutoff) out[i] = sensor->cutoff;
        if (tac_re(out[i]) < -sensor->cutoff) out[i] = -sensor->cutoff;
    }
}

tacResult tac_sensor_data(const tacModel* model, const tacState* x, tacReal* data,
                          tacScratch* scratch) {
    if (!model || !x || tac_missing(data, model->nsensordata)) return TAC_ERROR_VALUE;
    tacReal energy[2];
    tacDynamicsInput in = {.qpos = x->qpos, .qvel = x->qvel};
    tacResult result = tac_energy(model, x->qpos, x->qvel, energy, scratch);
    if (result != TAC_OK) return result;
    size_t mark = scratch->arena.used;
    tacMotion m = tac_motion_at(model, in, &scratch->arena);
    tacReal* tau = TAC_ALLOC(&scratch->arena, tacReal, model->nv);
    SINGLE->kinematics(model, &m);
    SINGLE->inverse(model, &m, tau);
    sensorInput s = {model, &m, x, energy};
    memset(data, 0, sizeof *data * (size_t)model->nsensordata);
    for (int i = 0; i < model->nsensor; ++i) {
        const tacSensor* sensor = &model->sensor[i];
        if (!sensor->measured) continue;
        measure_sensor(&s, sensor, data + sensor->first);
        clamp_cutoff(sensor, data + sensor->first);
    }
    scratch->arena.used = mark;
    return TAC_OK;
}
