// Scenes and trajectories, read by a command: all of them are its inputs (cli/io/inputs.h).

#ifndef TAC_CLI_SCENE_LOAD_H
#define TAC_CLI_SCENE_LOAD_H

#include "record/trajectory.h"

// Loads the scene `path`, with this contact in place of its own unless it is NULL. 0, or CLI_ERROR
// after a message; `message` may hold a warning. A load that takes long shows a line on a terminal.
int cli_load(const char* path, const char* contact, tacModel** model, tacMessage* message);

// The same with the triangles of meshes, for pictures.
int cli_load_picture(const char* path, const char* contact, tacModel** model, tacMessage* message);

// Reads a file of tactus run; the caller destroys it. 0, or CLI_ERROR after a message.
int cli_trajectory_read(const tacModel* model, const char* path, tacTrajectory* out);

#endif
