// detect="gjk" for the table of detectors.

#ifndef TAC_DETECT_GJK_DETECTOR_H
#define TAC_DETECT_GJK_DETECTOR_H

#include "detect/detect.h"

extern const tacDetectorKind tac_gjk_detector;

// tac_detect_query of the only detector with features
tacResult tac_gjk_query(const tacModel* model, const tacPose* body, tacDetectQuery query,
                        tacContacts* contacts, tacScratch* scratch);

#endif
