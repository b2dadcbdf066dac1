// Names of bodies and geoms as the command prints them.

#ifndef TAC_CLI_SCENE_LABELS_H
#define TAC_CLI_SCENE_LABELS_H

#include "tactus/model.h"

#define CLI_LABEL_SIZE 24

// The name, or "geom 3", "body 3", "world"; `text` holds what is no name.
const char* cli_geom_label(const tacModel* model, int geom, char text[CLI_LABEL_SIZE]);
const char* cli_body_label(const tacModel* model, int body, char text[CLI_LABEL_SIZE]);

#endif
