// Depth of overlapping cores by a polytope inside A - B that grows where the origin is nearest.

#ifndef TAC_DETECT_CONVEX_EPA_H
#define TAC_DETECT_CONVEX_EPA_H

#include "detect/convex/gjk.h"

size_t tac_epa_size(void);

// fills distance (<= 0; positive: a plane that keeps the cores this far apart), error, normal,
// points and adds to passes
void tac_epa(const tacConvex* a, const tacConvex* b, tacNearest* out, void* memory);

#endif
