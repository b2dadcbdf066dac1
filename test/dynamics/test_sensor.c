// Sensors: MuJoCo's numbers where it is installed, and what is refused.

#include "tactus/tactus.h"
#include "test.h"

#include <stdlib.h>
#ifdef TAC_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

static const char scene[] =
    "<mujoco><worldbody><site name='w' pos='1 2 3' euler='10 20 30'/>"
    "<body name='a' pos='0 0 1'><freejoint/><geom name='g' type='box' size='.1 .2 .3' pos='.1 0 "
    "0'/>"
    "<site name='s' pos='.1 .2 .3' euler='30 20 10'/>"
    "<body name='b' pos='.5 0 0'><joint name='ball' type='ball'/><geom size='.1' pos='0 .3 0'/>"
    "<body name='c' pos='0 0 .4'><joint name='h' axis='1 1 0' ref='20'/><geom size='.1' pos='.2 0 "
    "0'/>"
    "<site name='t' pos='0 0 .1' euler='0 45 0'/><body name='d'><joint name='l' type='slide'/>"
    "<geom size='.05' pos='0 0 .2'/></body></body></body></body></worldbody>"
    "<tendon><fixed name='f'><joint joint='h' coef='2'/><joint joint='l' "
    "coef='-3'/></fixed></tendon>"
    "<actuator><motor name='m' joint='h' gear='5'/><motor name='n' tendon='f' gear='2'/></actuator>"
    "<sensor><jointpos joint='h'/><jointvel joint='l'/><tendonpos tendon='f'/>"
    "<tendonvel tendon='f'/><actuatorpos actuator='m'/><actuatorvel actuator='n'/>"
    "<ballquat joint='ball'/><ballangvel joint='ball' cutoff='.2'/>"
    "<framepos objtype='site' objname='t'/><framequat objtype='xbody' objname='c'/>"
    "<framexaxis objtype='site' objname='t'/><frameyaxis objtype='geom' objname='g'/>"
    "<framezaxis objtype='site' objname='s'/><framelinvel objtype='site' objname='t'/>"
    "<frameangvel objtype='xbody' objname='d'/><framepos objtype='body' objname='c'/>"
    "<framelinvel objtype='body' objname='c'/>"
    "<framepos objtype='site' objname='t' reftype='site' refname='s'/>"
    "<framequat objtype='site' objname='t' reftype='site' refname='s'/>"
    "<framezaxis objtype='site' objname='t' reftype='xbody' refname='b'/>"
    "<framelinvel objtype='site' objname='t' reftype='site' refname='s'/>"
    "<frameangvel objtype='site' objname='t' reftype='site' refname='s'/>"
    "<velocimeter site='t'/><gyro site='t'/><subtreecom body='a'/><subtreecom body='c'/>"
    "<subtreelinvel body='b'/><subtreecom body='world'/><clock/><touch site='t'/>"
    "<accelerometer site='t'/></sensor></mujoco>";

static tacResult load_text(const char* text, tacModel** model, tacMessage* message) {
    return tac_load_text(text, (int)strlen(text), "scene.xml", NULL, model, message);
}

//---------------------------------- against MuJoCo -------------------------------

#ifdef TAC_HAVE_MUJOCO

static mjModel* load_twin(void) {
    char path[] = "/tmp/tactus_sensor_XXXXXX", error[500] = "";
    int file = mkstemp(path);
    FILE* out = fdopen(file, "w");
    fputs(scene, out);
    fclose(out);
    mjModel* m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) printf("  %s\n", error);
    remove(path);
    return m;
}

static int sensor_data_agrees_with_mujoco(void) {
    tacModel* model;
    tacMessage message;
    tacScratch* scratch;
    ENSURE(load_text(scene, &model, &message) == TAC_OK);
    mjModel* m = load_twin();
    ENSURE(m && m->nsensor == model->nsensor && m->nsensordata == model->nsensordata);
    ENSURE(tac_scratch_create(model, &scratch) == TAC_OK);
    mjData* d = mj_makeData(m);
    double* data = malloc(sizeof(double) * (size_t)model->nsensordata);
    testRandom random = {5};
    double worst = 0.0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < m->nv; ++i) d->qvel[i] = test_uniform(&random, -1.0, 1.0);
        mj_integratePos(m, d->qpos, d->qvel, 0.5);
        d->time = round;
        mj_forward(m, d);
        tacState x = {.qpos = d->qpos, .qvel = d->qvel, .time = d->time};
        ENSURE(tac_sensor_data(model, &x, data, scratch) == TAC_OK);
        for (int i = 0; i < model->nsensor; ++i) {
            const tacSensor* sensor = &model->sensor[i];
            ENSURE(m->sensor_adr[i] == sensor->first && m->sensor_dim[i] == sensor->count);
            for (int k = 0; k < sensor->count && sensor->measured; ++k)
                worst =
                    fmax(worst, fabs(data[sensor->first + k] - d->sensordata[sensor->first + k]));
        }
    }
    printf("    largest difference %.1e\n", worst);
    ENSURE(worst <= 1e-12);
    free(data);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    mj_deleteData(d);
    mj_deleteModel(m);
    return 0;
}

#else

static int sensor_data_agrees_with_mujoco(void) { SKIP("MuJoCo's library is not installed"); }

#endif

//---------------------------------- what is refused ------------------------------

static int wrong_sensors_are_refused(void) {
    static const char* const bad[][3] = {
        {"<jointpos/>", "joint", "needs"},
        {"<jointpos joint='x'/>", "joint", "no <joint name"},
        {"<jointpos joint='f'/>", "joint", "hinges"},
        {"<ballquat joint='j'/>", "joint", "ball"},
        {"<framepos objtype='joint' objname='j'/>", "objtype", "must be"},
        {"<framepos objtype='site'/>", "objname", "needs"},
        {"<framepos objname='b'/>", "objtype", "needs"},
        {"<distance geom1='g'/>", "geom2", "give one of"},
        {"<gyro site='s' cutoff='-1'/>", "cutoff", "range"},
        {"<tactile/>", "<tactile>", "not supported"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char text[600];
        tacModel* model = NULL;
        tacMessage message;
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body name='b'><joint name='j'/><geom name='g' size='1'/>"
                 "<site name='s'/></body><body><freejoint name='f'/><geom size='1'/></body>"
                 "</worldbody><sensor>\n%s</sensor></mujoco>",
                 bad[i][0]);
        int refused = load_text(text, &model, &message) != TAC_OK && message.line == 2 &&
                      strcmp(message.attribute, bad[i][1]) == 0 && strstr(message.text, bad[i][2]);
        if (!refused) printf("  %s: %s: %s\n", bad[i][0], message.attribute, message.text);
        ENSURE(refused);
    }
    return 0;
}

TEST_MAIN(RUN(sensor_data_agrees_with_mujoco), RUN(wrong_sensors_are_refused))
