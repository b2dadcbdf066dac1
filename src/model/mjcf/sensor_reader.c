// <sensor>: the kind of each sensor, its object, and the offset of its numbers.

#include "model/spec.h"

#include "base/assert.h"

#include <string.h>

static const tacRange not_negative = {0.0, 1e12};

// One row per kind, in the order of tacSensorKind: word, what it is attached to ("frame": by
// objtype, "pair": two geoms or bodies), numbers, does tac_sensor_data support it?
typedef struct sensorRow {
    const char *word, *object;
    int count, measured;
} sensorRow;

static const sensorRow rows[TAC_SENSOR_KIND_COUNT] = {
    {"touch", "site", 1, 0},
    {"accelerometer", "site", 3, 0},
    {"velocimeter", "site", 3, 1},
    {"gyro", "site", 3, 1},
    {"force", "site", 3, 0},
    {"torque", "site", 3, 0},
    {"magnetometer", "site", 3, 0},
    {"rangefinder", "site", 1, 0},
    {"jointpos", "joint", 1, 1},
    {"jointvel", "joint", 1, 1},
    {"tendonpos", "tendon", 1, 1},
    {"tendonvel", "tendon", 1, 1},
    {"actuatorpos", "actuator", 1, 1},
    {"actuatorvel", "actuator", 1, 1},
    {"actuatorfrc", "actuator", 1, 0},
    {"jointactuatorfrc", "joint", 1, 0},
    {"tendonactuatorfrc", "tendon", 1, 0},
    {"ballquat", "joint", 4, 1},
    {"ballangvel", "joint", 3, 1},
    {"jointlimitpos", "joint", 1, 0},
    {"jointlimitvel", "joint", 1, 0},
    {"jointlimitfrc", "joint", 1, 0},
    {"tendonlimitpos", "tendon", 1, 0},
    {"tendonlimitvel", "tendon", 1, 0},
    {"tendonlimitfrc", "tendon", 1, 0},
    {"framepos", "frame", 3, 1},
    {"framequat", "frame", 4, 1},
    {"framexaxis", "frame", 3, 1},
    {"frameyaxis", "frame", 3, 1},
    {"framezaxis", "frame", 3, 1},
    {"framelinvel", "frame", 3, 1},
    {"frameangvel", "frame", 3, 1},
    {"framelinacc", "frame", 3, 0},
    {"frameangacc", "frame", 3, 0},
    {"subtreecom", "body", 3, 1},
    {"subtreelinvel", "body", 3, 1},
    {"subtreeangmom", "body", 3, 0},
    {"distance", "pair", 1, 0},
    {"normal", "pair", 3, 0},
    {"fromto", "pair", 6, 0},
    {"contact", "none", 1, 0},
    {"e_potential", "none", 1, 1},
    {"e_kinetic", "none", 1, 1},
    {"clock", "none", 1, 1},
    {"user", "none", 1, 0},
};

static const char types[] = "none body xbody geom site camera joint tendon actuator";

//---------------------------------- objects --------------------------------------

// "xbody" names a body
static const char* kind_of(tacObject type) {
    static const char* const kinds[] = {"",       "body",  "body",   "geom",    "site",
                                        "camera", "joint", "tendon", "actuator"};
    return kinds[type];
}

static tacObject type_of(const char* word) {
    static const char* const words[] = {"none",   "body",  "xbody",  "geom",    "site",
                                        "camera", "joint", "tendon", "actuator"};
    for (int i = 0; i < TAC_COUNT(words); ++i)
        if (strcmp(words[i], word) == 0) return (tacObject)i;
    return TAC_OBJ_NONE;
}

// objtype and objname, or reftype and refname
static tacObject read_frame(tacSpec* spec, const tacElement* element, const char* type,
                            const char* name, int* index) {
    int word = tac_read_word(&spec->reader, element, type, types);
    if (word < 0) return TAC_OBJ_NONE;
    if (word == 0 || word > TAC_OBJ_CAMERA)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, type), type,
                        "must be body, xbody, geom, site or camera");
    tac_require(&spec->reader, element, name);
    *index = tac_read_reference(spec, element, name, kind_of((tacObject)word));
    return (tacObject)word;
}

// two of geom1 or body1, geom2 or body2
static void read_pair(tacSpec* spec, const tacElement* element, tacSensor* sensor) {
    int geom[2] = {tac_read_reference(spec, element, "geom1", "geom"),
                   tac_read_reference(spec, element, "geom2", "geom")};
    int body[2] = {tac_read_reference(spec, element, "body1", "body"),
                   tac_read_reference(spec, element, "body2", "body")};
    for (int i = 0; i < 2; ++i)
        if ((geom[i] >= 0) == (body[i] >= 0))
            tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, element->line, i ? "geom2" : "geom1",
                            "give one of geom%d and body%d", i + 1, i + 1);
    sensor->type = geom[0] >= 0 ? TAC_OBJ_GEOM : TAC_OBJ_XBODY;
    sensor->reftype = geom[1] >= 0 ? TAC_OBJ_GEOM : TAC_OBJ_XBODY;
    sensor->object = geom[0] >= 0 ? geom[0] : body[0];
    sensor->ref = geom[1] >= 0 ? geom[1] : body[1];
}

static void read_object(tacSpec* spec, const tacElement* element, const char* object,
                        tacSensor* sensor) {
    tacReader* reader = &spec->reader;
    if (strcmp(object, "pair") == 0) {
        read_pair(spec, element, sensor);
    } else if (strcmp(object, "frame") == 0) {
        tac_require(reader, element, "objtype");
        sensor->type = read_frame(spec, element, "objtype", "objname", &sensor->object);
        sensor->reftype = read_frame(spec, element, "reftype", "refname", &sensor->ref);
    } else if (strcmp(object, "none") != 0) {
        if (sensor->kind == TAC_SENSOR_RANGEFINDER && tac_attribute(element, "camera"))
            object = "camera";
        tac_require(reader, element, object);
        sensor->type = type_of(object);
        sensor->object = tac_read_reference(spec, element, object, object);
    }
}

//---------------------------------- checks ---------------------------------------

// kinds of joints, frames whose axes are a choice, cameras that do not move yet
static void check_sensor(tacSpec* spec, const tacElement* element, tacSensor* sensor) {
    if (spec->reader.result != TAC_OK) return;
    int turned = sensor->kind >= TAC_SENSOR_FRAMEQUAT && sensor->kind <= TAC_SENSOR_FRAMEZAXIS;
    if (sensor->type == TAC_OBJ_CAMERA || sensor->reftype == TAC_OBJ_CAMERA ||
        (sensor->type == TAC_OBJ_BODY && turned) || sensor->reftype == TAC_OBJ_BODY)
        sensor->measured = 0;
    if (sensor->type == TAC_OBJ_ACTUATOR) {
        const tacActuator* a = (const tacActuator*)spec->actuation.actuator.items + sensor->object;
        const tacJoint* joint = (const tacJoint*)spec->tree.joint.items + a->target;
        if (a->drive != TAC_DRIVE_TENDON && joint->axis < 0) sensor->measured = 0;
    }
    if (sensor->type != TAC_OBJ_JOINT) return;
    tacJointKind kind = ((const tacJoint*)spec->tree.joint.items)[sensor->object].kind;
    int ball = sensor->kind == TAC_SENSOR_BALLQUAT || sensor->kind == TAC_SENSOR_BALLANGVEL;
    int scalar = sensor->kind == TAC_SENSOR_JOINTPOS || sensor->kind == TAC_SENSOR_JOINTVEL;
    if (ball && kind != TAC_JOINT_BALL)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "joint"),
                        "joint", "<%s> is for ball joints", element->name);
    if (scalar && kind < TAC_JOINT_SLIDE)
        tac_reader_fail(&spec->reader, TAC_ERROR_VALUE, tac_attribute_line(element, "joint"),
                        "joint", "<%s> is for hinges and slides", element->name);
}

static void read_sensor(tacSpec* spec, const tacElement* element) {
    tacReader* reader = &spec->reader;
    int kind = 0;
    while (kind < TAC_SENSOR_USER && strcmp(element->name, rows[kind].word) != 0) ++kind;
    tacSensor sensor = {.kind = (tacSensorKind)kind,
                        .object = -1,
                        .ref = -1,
                        .count = rows[kind].count,
                        .measured = rows[kind].measured,
                        .first = spec->sensors.numbers};
    sensor.name = tac_spec_name(spec, element, "sensor", spec->sensors.sensor.count);
    tac_read_number(reader, element, "cutoff", not_negative, &sensor.cutoff);
    if (kind == TAC_SENSOR_USER) tac_read_int(reader, element, "dim", 0, 1000000, &sensor.count);
    if (kind == TAC_SENSOR_CONTACT) tac_read_int(reader, element, "num", 1, 10000, &sensor.count);
    read_object(spec, element, rows[kind].object, &sensor);
    check_sensor(spec, element, &sensor);
    if (tac_attribute(element, "delay") || tac_attribute(element, "interval")) sensor.measured = 0;
    if (sensor.count > 100000000 - spec->sensors.numbers)
        tac_reader_fail(reader, TAC_ERROR_LIMIT, element->line, "<sensor>",
                        "sensors have more than 100 million numbers in total; remove some");
    tacSensor* out = tac_list_add(reader, &spec->sensors.sensor, sizeof *out);
    if (!out) return;
    *out = sensor;
    spec->sensors.numbers += sensor.count;
}

void tac_read_sensors(tacSpec* spec, const tacElement* element) {
    for (const tacElement* c = element->child; c && spec->reader.result == TAC_OK; c = c->next)
        read_sensor(spec, c);
}
