// The records of a detector with weights: the most active count, by hard indices with soft weights.
// Model: docs/manifold.md, "Keeping fewer".

#ifndef TAC_DETECT_MANIFOLD_TOP_K_H
#define TAC_DETECT_MANIFOLD_TOP_K_H

#include "detect/detect.h"

// around the manifold, or edges in fields
extern const tacDetectorKind tac_top_k_detector;

#endif
