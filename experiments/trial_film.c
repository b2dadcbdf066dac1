// States of one run.

#include "experiments/trial_film.h"

#include "cli/scene/posed_model.h"

int trial_film_begin(trial* t, trialFilm* film, int columns, int rows, int width, int height) {
    *film = (trialFilm){.zoom = 2.0}; // bodies move
    return trial_panels_begin(t, &film->panels, columns, rows, width, height);
}

static int choose_view(trialFilm* film, const tacModel* posed, const tacDrawOptions* draw) {
    double aspect = (double)film->panels.width / film->panels.height;
    tacResult result = tac_draw_camera(posed, draw, aspect, &film->camera);
    film->camera.fovy *= film->zoom;
    return result == TAC_OK ? 0 : cli_error("reproduce", "%s", tac_result_text(result));
}

int trial_film_add(trialFilm* film, const tacModel* model, const double* qpos,
                   const char* caption) {
    tacModel posed = {0};
    tacDrawOptions draw = tac_default_draw_options();
    if (!film->panels.image.rgb) return 0;
    int code = cli_posed_model_make("reproduce", model, qpos, &posed);
    if (code == 0 && film->next % film->panels.columns == 0)
        code = choose_view(film, &posed, &draw);
    if (code == 0) {
        posed.camera = &film->camera;
        posed.ncamera = 1;
        code = trial_panels_scene(&film->panels, film->next++, &posed, draw, caption);
    }
    cli_posed_model_free(&posed);
    return code;
}

int trial_film_end(trialFilm* film, int code, const char* part) {
    return trial_panels_end(&film->panels, code, part);
}
