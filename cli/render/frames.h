// States of a run as pictures.

#ifndef TAC_CLI_RENDER_FRAMES_H
#define TAC_CLI_RENDER_FRAMES_H

#include "draw/draw.h"
#include "record/trajectory.h"

typedef struct cliFrames {
    tacTrajectory trajectory;
    int contacts;            // show those of each state?
    const tacCamera* camera; // of scenes without a camera: NULL frames each state by itself
} cliFrames;

// 0, or CLI_ERROR after a complaint.
int cli_frame_draw(const cliFrames* frames, const char* command, const tacDrawOptions* options,
                   int state, tacImage* image);

// The camera that frames the first state of a scene without one; the scene's first otherwise.
int cli_frames_camera(const cliFrames* frames, const char* command, const tacDrawOptions* options,
                      double aspect, tacCamera* camera);

#endif
