// tactus check of a mesh file.

#ifndef TACTUS_CLI_CHECK_MESH_H
#define TACTUS_CLI_CHECK_MESH_H

// 1 if the extension is that of a mesh file
int cli_is_mesh_file(const char* path);

// loads the mesh and prints a summary, as text or as one JSON object; an exit code
int cli_check_mesh(const char* path, int json);

#endif
