// Clouds of all geoms that may collide, for detectors that use points.

#ifndef TAC_MODEL_CONTACT_CONTACT_CLOUD_READER_H
#define TAC_MODEL_CONTACT_CONTACT_CLOUD_READER_H

#include "model/spec.h"

// Fills model->contact->cloud where the detector uses clouds, and defaults that depend on the
// spacing of points; a geom whose surface cannot be made is a failure.
void tac_read_contact_clouds(tacSpec* spec, tacModel* model);

// frees them
void tac_release_contact_clouds(tacModel* model);

#endif
