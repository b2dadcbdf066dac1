// Features of all geoms that may touch, for detectors that move them through fields.

#ifndef TAC_MODEL_FEATURE_READER_H
#define TAC_MODEL_FEATURE_READER_H

#include "model/draft.h"

// Fills model->contact->feature where the detector needs features; a geom whose surface cannot be
// made is a failure.
void tac_read_features(tacDraft* draft, tacModel* model);

// gives them back
void tac_release_features(tacModel* model);

#endif
