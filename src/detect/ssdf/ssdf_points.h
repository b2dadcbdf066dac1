// Soft collision points of two clouds as contact records (docs/scm.md eq. 8 to 10).

#ifndef TAC_DETECT_SSDF_SSDF_POINTS_H
#define TAC_DETECT_SSDF_SSDF_POINTS_H

#include "detect/detect.h"

extern const tacDetectorKind tac_ssdf_detector;

#endif
