/// Pictures of a scene by sphere tracing, without a graphics card (docs/render.md).
#ifndef TACTUS_RENDER_H
#define TACTUS_RENDER_H

#include "tactus/state.h"

TAC_EXTERN_C_BEGIN

/// A picture to draw. Start from tac_default_render().
typedef struct tacRender {
    int width, height; ///< size, 1 to 16384; default 640 x 400                    [pixels]
    int camera;        ///< camera of the scene; -1: the first, or a view of everything (default)
    int shape;         ///< shape to draw alone; -1: the scene (default)
    int samples;       ///< rays of a pixel that has an edge, 1 to 64; default 8
    int threads;       ///< threads; 0: one per core (default). They change no bit
} tacRender;

/// Default options of a picture.
TAC_API
tacRender tac_default_render(void);

/// Draws a scene at qpos (nq; NULL: its initial positions). rgb has three bytes (sRGB) for each
/// pixel, rows from the top (height x width x 3). NULL options are the defaults.
TAC_API
tacResult tac_render(const tacModel* model, const tacReal* qpos, const tacRender* options,
                     unsigned char* rgb);

TAC_EXTERN_C_END

#endif
