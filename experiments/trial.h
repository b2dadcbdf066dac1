// One run of an experiment: rows with expected values, and pictures.
//
//   experiment --scene--> [trialField] --numbers--> rows of a table (here)
//                                      \--pictures--> trial_panels.h, plot.h

#ifndef TACTUS_EXPERIMENTS_TRIAL_H
#define TACTUS_EXPERIMENTS_TRIAL_H

#include "cli/progress.h"
#include "cli/report.h"

#include "tactus/shape.h"

// where rows and pictures go, and how many rows fail
typedef struct trial {
    const char* name;
    const char* folder; // for pictures; NULL: draw none
    const char* ending; // of pictures: ".png" or ".ppm"
    int as_json, threads;
    int no_gnuplot; // plots are CSV files only; the user has been warned
    cliJson json;
    int bounded, failed; // rows with a bound, and those that fail
    cliProgress* progress;
    double before, share; // share of the progress before this experiment, and of it
} trial;

//---------------------------------- rows -----------------------------------------

// |value - expected| <= tolerance
void trial_expect_near(trial* t, const char* id, double value, const char* unit, double expected,
                       double tolerance);
void trial_expect_at_most(trial* t, const char* id, double value, const char* unit, double bound);
void trial_expect_at_least(trial* t, const char* id, double value, const char* unit, double bound);

// a remark between the rows of a table: a peer that is absent has no rows
void trial_note(trial* t, const char* text);

// a value without a bound
void trial_report(trial* t, const char* id, double value, const char* unit);

// `done` of the experiment, 0 .. 1
void trial_progress(trial* t, double done);

//---------------------------------- fields ---------------------------------------

// a scene that holds one shape
typedef struct trialField {
    tacModel* model;
    tacScratch* scratch;
} trialField;

// Reads a <shape> from the text of its nodes, with the attributes of <shape> before ">" in `shape`:
// trial_field_open(&f, "smooth='.01'", "<sphere size='%g'/>", r). 0, or CLI_ERROR after a message.
int trial_field_open(trialField* field, const char* shape, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void trial_field_close(trialField* field);

double trial_field_value(const trialField* field, double x, double y, double z);

// at many points: x[3][count] and value[count]
tacResult trial_field_values(const trialField* field, int count, double* const x[3], double* value);

// Farthest point of a ray from `origin` where the field turns from negative to positive, as a
// multiple of `along` below `max`; 0 if there is none.
double trial_field_radius(const trialField* field, const double origin[3], const double along[3],
                          double max);

#endif
