// States of one run side by side in a picture, all seen from the same eye.

#ifndef TACTUS_EXPERIMENTS_TRIAL_FILM_H
#define TACTUS_EXPERIMENTS_TRIAL_FILM_H

#include "experiments/trial_panels.h"

typedef struct trialFilm {
    trialPanels panels;
    tacCamera camera; // of the first state of a row
    int next;         // panel
    double zoom;      // angle of view, of that which the first state of a row needs; default 2
} trialFilm;

// For rows x columns states. All functions return 0, or CLI_ERROR after a message; without a folder
// for pictures they do nothing.
int trial_film_begin(trial* t, trialFilm* film, int columns, int rows, int width, int height);

// Draws the model in the configuration qpos into the next panel. The first panel of a row chooses
// the view.
int trial_film_add(trialFilm* film, const tacModel* model, const double* qpos, const char* caption);

// Writes FOLDER/NAME-part.ENDING if `code` is 0.
int trial_film_end(trialFilm* film, int code, const char* part);

#endif
