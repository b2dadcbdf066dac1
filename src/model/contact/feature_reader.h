// Features of all geoms that may touch, for detectors that move them through fields.

#ifndef TAC_MODEL_CONTACT_FEATURE_READER_H
#define TAC_MODEL_CONTACT_FEATURE_READER_H

#include "model/spec.h"

// Fills model->contact->feature where the detector needs features; a geom whose surface cannot be
// made is a failure.
void tac_read_geom_features(tacSpec* spec, tacModel* model);

// gives them back
void tac_release_geom_features(tacModel* model);

#endif
