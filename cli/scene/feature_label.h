// Features in contact, as words.

#ifndef TAC_CLI_SCENE_FEATURE_LABEL_H
#define TAC_CLI_SCENE_FEATURE_LABEL_H

#include "tactus/contact.h"

#define CLI_FEATURE_SIZE 96

// Features of record i: "vertex 12 of first", "vertex 3, face 0", "part 2 edge 4-7, part 0 face 1".
// Where two features are given, the first is of the first geom.
const char* cli_feature_label(const tacModel* model, const tacContacts* contacts, int i,
                              char text[CLI_FEATURE_SIZE]);

#endif
