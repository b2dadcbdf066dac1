// Features of all geoms that may collide, for detectors that evaluate them in fields.

#ifndef TAC_MODEL_CONTACT_FEATURE_READER_H
#define TAC_MODEL_CONTACT_FEATURE_READER_H

#include "model/spec.h"

// Fills model->contact->feature where the detector needs features; a geom whose surface cannot be
// made is a failure.
void tac_read_geom_features(tacSpec* spec, tacModel* model);

// frees them
void tac_release_geom_features(tacModel* model);

#endif
