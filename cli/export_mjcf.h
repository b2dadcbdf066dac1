// A model as plain MJCF, for programs that know no <shape>.

#ifndef TACTUS_CLI_EXPORT_MJCF_H
#define TACTUS_CLI_EXPORT_MJCF_H

#include "tactus/model.h"

// Writes `out`, and beside it a mesh OUT_NUMBER.obj of about `vertices` vertices for each shape
// that is no primitive. 0, or an exit code after a complaint; then no scene is left behind.
int cli_export_mjcf(const tacModel* model, const char* out, int vertices);

#endif
