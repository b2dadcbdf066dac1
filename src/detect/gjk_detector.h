// detect="gjk" for the table of detectors.

#ifndef TAC_DETECT_GJK_DETECTOR_H
#define TAC_DETECT_GJK_DETECTOR_H

#include "detect/detect.h"

extern const tacDetectorKind tac_gjk_detector;

#endif
