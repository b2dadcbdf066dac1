// A model as plain MJCF, for programs without <shape>.

#ifndef TAC_CLI_IO_EXPORT_MJCF_H
#define TAC_CLI_IO_EXPORT_MJCF_H

#include "tactus/model.h"

// Does the name end in .xml? 0, or CLI_ERROR after a message.
int cli_export_mjcf_name(const char* out);

// Writes `out`, and beside it a mesh OUT_NUMBER.obj for each shape that is no primitive (of about
// `vertices` vertices if it is no hull), and counts them in `meshes`. Files that the scene was read
// from are not overwritten. 0, or an exit code after a message; then no scene is left behind.
int cli_export_mjcf(const tacModel* model, const char* out, int vertices, int* meshes);

#endif
