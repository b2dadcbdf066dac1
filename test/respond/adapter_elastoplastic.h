// The elastic-plastic law as a map x = (phi, n, v, k, v_d, v_s, mu, y, h, inv_mass) -> force. The
// context is NULL for the explicit law, which the last five do not change.

#ifndef TACTUS_TEST_ADAPTER_ELASTOPLASTIC_H
#define TACTUS_TEST_ADAPTER_ELASTOPLASTIC_H

#include "check/check.h"
#include "tactus/respond.h"

enum { PLASTIC_INPUTS = 16 };

TAC_DECLARE_CHECK(tac_check_plastic_);

#endif
