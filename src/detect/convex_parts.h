// Convex parts of a model's geoms at their world poses.

#ifndef TAC_DETECT_CONVEX_PARTS_H
#define TAC_DETECT_CONVEX_PARTS_H

#include "detect/convex/convex.h"
#include "detect/feature_contact.h"
#include "model/contact/contact_data.h"

// a part at a pose of its body, in doubles
tacConvex tac_convex_part_at(const tacModel* model, int part, tacPose body);

tacConvex tac_convex_part_in(const tacModel* model, int part, const tacTransform* at);

// its transform in the number type of the model
tacTransform tac_convex_part_transform(const tacModel* model, int part, tacPose body);

// The origin of a pair of parts, which are at `transform`: the first one, next to a half-space the
// other. Coordinates relative to it keep the rounding of world coordinates out of distances and
// normals.
tacVec3 tac_convex_pair_origin(const tacModel* model, const int part[2],
                               const tacTransform transform[2]);

int tac_convex_part_body(const tacModel* model, int part);

#endif
