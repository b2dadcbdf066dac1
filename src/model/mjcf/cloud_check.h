// Checks of the points and normals of a cloud.

#ifndef TAC_MODEL_MJCF_CLOUD_CHECK_H
#define TAC_MODEL_MJCF_CLOUD_CHECK_H

#include "model/mjcf/cloud_points.h"
#include "model/xml/attribute.h"

// where points and normals come from: attributes that a message names
typedef struct tacCloudSource {
    tacReader* reader;
    const tacElement* element;
    const char *points, *normals;
} tacCloudSource;

// Normalizes normals of about length 1 and refuses others; unless check="false", also refuses
// clouds that are not closed surfaces. Returns the sample spacing: the mean distance to the nearest
// other point, 0 without any.
double tac_cloud_check(const tacCloudSource* source, tacCloudPoints* points);

// diagonal of the box around the points
double tac_cloud_size(const tacCloudPoints* points);

#endif
