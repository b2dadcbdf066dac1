// detect="sat" and detect="convex" for the table of detectors.

#ifndef TAC_DETECT_SOLID_DETECTOR_H
#define TAC_DETECT_SOLID_DETECTOR_H

#include "detect/detect.h"

extern const tacDetectorKind tac_solid_detector;

#endif
