// Frames of a trajectory as an animated PNG, which browsers play.

#ifndef TAC_CLI_RENDER_ANIMATION_H
#define TAC_CLI_RENDER_ANIMATION_H

#include "cli/render/frames.h"

#include <stdio.h>

#define CLI_MAX_ANIMATION_FRAMES 20000 // frames

// Frames of a run at `rate` a second of its time, first and last included; at least 1.
int cli_animation_frame_count(const tacTrajectory* run, int rate);

// Draws and writes the frames. A scene without a camera is seen from where its first state is
// framed. 0, or CLI_ERROR after a message.
int cli_animation_draw(const cliFrames* frames, int rate, FILE* file);

#endif
