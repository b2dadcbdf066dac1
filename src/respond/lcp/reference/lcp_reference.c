// Variants of the hard step that only repeat comparisons of the papers.

#include "respond/lcp/reference/lcp_reference.h"

#include "respond/lcp/dantzig.h"

tacResult tac_reference_frozen_bounds(const tacLcp* lcp, double* f, unsigned char* active_set,
                                      tacLcpReport* report, void* memory) {
    int done = tac_dantzig(lcp, TAC_BOUNDS_FROZEN, f, active_set, &report->passes, memory);
    report->residual = tac_lcp_residual(lcp, f, NULL);
    return done ? TAC_OK : TAC_ERROR_UNSOLVED;
}

tacFirstImpact tac_reference_discrete_impact(int is_first_substep, double min_distance,
                                             double delta) {
    return (tacFirstImpact){.found = is_first_substep && min_distance <= delta, .pair = -1};
}
