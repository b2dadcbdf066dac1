// The point-plane law as a map x = (phi, n, v, y, h, k, v_d, v_s, mu, eps, give) -> force.

#ifndef TAC_RESPOND_ADAPTER_POINT_PLANE_H
#define TAC_RESPOND_ADAPTER_POINT_PLANE_H

#include "check/check.h"
#include "tactus/respond.h"

enum { PLANE_INPUTS = 17 };

typedef struct planeMap {
    int reference, implicit;
} planeMap;

TAC_DECLARE_CHECK(tac_check_plane_);

#endif
