// Names of bodies and geoms as the command prints them.

#include "cli/scene/labels.h"

#include <stdio.h>

const char* cli_geom_label(const tacModel* model, int geom, char text[CLI_LABEL_SIZE]) {
    if (*model->geom[geom].name) return model->geom[geom].name;
    snprintf(text, CLI_LABEL_SIZE, "geom %d", geom);
    return text;
}

const char* cli_body_label(const tacModel* model, int body, char text[CLI_LABEL_SIZE]) {
    if (body == 0) return "world";
    if (*model->body[body].name) return model->body[body].name;
    snprintf(text, CLI_LABEL_SIZE, "body %d", body);
    return text;
}
