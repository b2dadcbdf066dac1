// Lemke's method for the frictional problem: slower than Newton's, and bound to end.

#ifndef TAC_RESPOND_LCP_LEMKE_H
#define TAC_RESPOND_LCP_LEMKE_H

#include "tactus/lcp.h"

size_t tac_lemke_size(int contacts, int tangents);

// Impulses and active set; returns whether the path ended at a solution. `attempt` selects one of
// several paths. Adds its pivots to *passes.
int tac_lemke(const tacLcp* lcp, int attempt, double* f, unsigned char* active_set, int* passes,
              void* memory);

#endif
