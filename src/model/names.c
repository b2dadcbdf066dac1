// Names of objects: from a name to an index and back.

#include "tactus/model.h"

#include <string.h>

static int count_objects(const tacModel* model, tacObject kind) {
    switch (kind) {
    case TAC_OBJ_BODY:
    case TAC_OBJ_XBODY:
        return model->nbody;
    case TAC_OBJ_GEOM:
        return model->ngeom;
    case TAC_OBJ_SITE:
        return model->nsite;
    case TAC_OBJ_CAMERA:
        return model->ncamera;
    case TAC_OBJ_JOINT:
        return model->njoint;
    case TAC_OBJ_TENDON:
        return model->ntendon;
    case TAC_OBJ_ACTUATOR:
        return model->nu;
    case TAC_OBJ_SENSOR:
        return model->nsensor;
    case TAC_OBJ_EQUALITY:
        return model->nequality;
    case TAC_OBJ_PAIR:
        return model->npair;
    case TAC_OBJ_KEY:
        return model->nkey;
    case TAC_OBJ_SHAPE:
        return model->nshape;
    case TAC_OBJ_PARAM:
        return model->nparam;
    default:
        return 0;
    }
}

const char* tac_id_name(const tacModel* model, tacObject kind, int id) {
    if (!model || id < 0 || id >= count_objects(model, kind)) return NULL;
    switch (kind) {
    case TAC_OBJ_BODY:
    case TAC_OBJ_XBODY:
        return model->body[id].name;
    case TAC_OBJ_GEOM:
        return model->geom[id].name;
    case TAC_OBJ_SITE:
        return model->site[id].name;
    case TAC_OBJ_CAMERA:
        return model->camera[id].name;
    case TAC_OBJ_JOINT:
        return model->joint[id].name;
    case TAC_OBJ_TENDON:
        return model->tendon[id].name;
    case TAC_OBJ_ACTUATOR:
        return model->actuator[id].name;
    case TAC_OBJ_SENSOR:
        return model->sensor[id].name;
    case TAC_OBJ_EQUALITY:
        return model->equality[id].name;
    case TAC_OBJ_PAIR:
        return model->pair[id].name;
    case TAC_OBJ_KEY:
        return model->key[id].name;
    case TAC_OBJ_SHAPE:
        return model->shape[id].name;
    default:
        return model->paramname[model->paramgroup[id]].name;
    }
}

int tac_name_id(const tacModel* model, tacObject kind, const char* name) {
    if (!model || !name || !*name) return -1;
    if (kind == TAC_OBJ_PARAM) {
        tacParam param;
        return tac_param_find(model, name, &param) == TAC_OK ? param.offset : -1;
    }
    int count = count_objects(model, kind);
    for (int i = 0; i < count; ++i)
        if (strcmp(tac_id_name(model, kind, i), name) == 0) return i;
    return -1;
}
