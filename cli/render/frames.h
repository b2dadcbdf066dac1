// States of a run as pictures.

#ifndef TAC_CLI_RENDER_FRAMES_H
#define TAC_CLI_RENDER_FRAMES_H

#include "draw/draw.h"
#include "record/trajectory.h"

typedef struct cliFrames {
    const char* command; // for messages
    const tacDrawOptions* options;
    int width, height; // pixels of a frame
    tacTrajectory trajectory;
    int contacts;            // 1: draw those of each state
    const tacCamera* camera; // of scenes without a camera: NULL frames each state by itself
} cliFrames;

// Draws one state. 0, or CLI_ERROR after a message.
int cli_frame_draw(const cliFrames* frames, int state, tacImage* image);

// The camera that frames the first state of a scene without one; the scene's first otherwise.
int cli_frames_camera(const cliFrames* frames, tacCamera* camera);

#endif
