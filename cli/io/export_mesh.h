// A shape as a mesh file, for programs without <shape>.

#ifndef TAC_CLI_IO_EXPORT_MESH_H
#define TAC_CLI_IO_EXPORT_MESH_H

#include "tactus/model.h"

#include <stdio.h>

// the shortest text that reads back as the same number
void cli_write_number(FILE* file, double value);

// Writes an OBJ: of a geom's mesh the corners of its hull, of a true shape about `vertices` points
// on its surface. 0, or an exit code after a message.
int cli_export_mesh(const tacModel* model, int shape, const char* path, int vertices);

#endif
