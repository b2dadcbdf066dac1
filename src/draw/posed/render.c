// Pictures for programs: a posed copy of the model, drawn.

#include "tactus/render.h"

#include "draw/draw.h"
#include "draw/posed/posed_model.h"

tacRender tac_default_render(void) {
    return (tacRender){.width = 640, .height = 400, .camera = -1, .shape = -1, .samples = 8};
}

static int is_size(int pixels) { return pixels >= 1 && pixels <= TAC_MAX_IMAGE; }

static int render_is_valid(const tacModel* model, const tacRender* r) {
    return is_size(r->width) && is_size(r->height) && r->camera >= -1 &&
           r->camera < model->ncamera && r->shape >= -1 && r->shape < model->nshape &&
           r->samples >= 1 && r->samples <= TAC_MAX_SAMPLES && r->threads >= 0;
}

tacResult tac_render(const tacModel* model, const tacReal* qpos, const tacRender* options,
                     unsigned char* rgb) {
    if (!model || !rgb) return TAC_ERROR_VALUE;
    tacRender r = options ? *options : tac_default_render();
    if (!render_is_valid(model, &r)) return TAC_ERROR_VALUE;
    tacModel posed;
    tacResult result = tac_posed_model_create(model, qpos ? qpos : model->qpos0, &posed);
    if (result != TAC_OK) return result;
    tacDrawOptions draw = tac_default_draw_options();
    draw.camera = r.camera;
    draw.shape = r.shape;
    draw.samples = r.samples;
    draw.threads = r.threads;
    tacImage image = {r.width, r.height, rgb};
    result = tac_draw(&posed, &draw, &image);
    tac_posed_model_free(&posed);
    return result;
}
