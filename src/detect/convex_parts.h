// Convex parts of a model's geoms at their world poses.

#ifndef TAC_DETECT_CONVEX_PARTS_H
#define TAC_DETECT_CONVEX_PARTS_H

#include "detect/convex/convex.h"
#include "detect/feature_contact.h"
#include "model/contact/contact_data.h"

// a part at a pose of its body, in doubles
tacConvex tac_convex_part_at(const tacModel* model, int part, tacPose body);

// its transform in the number type of the model
tacTransform tac_convex_part_transform(const tacModel* model, int part, tacPose body);

int tac_convex_part_body(const tacModel* model, int part);

#endif
