// The records of a detector with weights: the most active count, by hard indices with soft weights.
// Model: docs/manifold.md, "Keeping fewer".

#ifndef TAC_DETECT_KEPT_H
#define TAC_DETECT_KEPT_H

#include "detect/detect.h"

// around the manifold, or edges in fields
extern const tacDetectorKind tac_kept_detector;

#endif
