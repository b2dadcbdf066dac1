// Variants of the hard step that only repeat comparisons of the papers. No scene needs them: both
// give up a property that the step is built for. docs/papers.md, docs/hard.md.
//
//   bounds="frozen"  friction bounds are those of the frictionless answer, as in other engines.
//                    Impulses break the law of friction; derivatives are refused.
//   ccd="false"      contacts are found where the step begins, and nowhere on the way: fast bodies
//                    pass through thin ones.

#ifndef TAC_RESPOND_LCP_REFERENCE_LCP_REFERENCE_H
#define TAC_RESPOND_LCP_REFERENCE_LCP_REFERENCE_H

#include "detect/convex_contacts.h"
#include "tactus/lcp.h"

// Solves a problem with frozen friction bounds by Dantzig's method.
tacResult tac_reference_frozen_bounds(const tacLcp* lcp, double* f, unsigned char* active_set,
                                      tacLcpReport* report, void* memory);

// The impact of a step without continuous detection: at its start, if contacts are closed there.
tacFirstImpact tac_reference_discrete_impact(int is_first_substep, double min_distance,
                                             double delta);

#endif
