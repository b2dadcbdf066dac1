// The scenes that come with the program.

#ifndef TAC_CLI_SCENE_SCENE_FOLDER_H
#define TAC_CLI_SCENE_SCENE_FOLDER_H

#include <stddef.h>

// Path of a file of scenes/, which is the folder TACTUS_SCENES of the environment; or, beside the
// program, share/tactus/scenes of an installed copy or scenes/ of the source; or scenes/ here.
void cli_scene_path(const char* file, char* path, size_t size);

#endif
