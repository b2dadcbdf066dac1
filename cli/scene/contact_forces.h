// Contact forces of the step that starts in a state.

#ifndef TAC_CLI_SCENE_CONTACT_FORCES_H
#define TAC_CLI_SCENE_CONTACT_FORCES_H

#include "tactus/step.h"

typedef struct cliContactForces {
    tacContactForce* contact; // (count)
    int count;
} cliContactForces;

// Forces of tac_step_contacts; of respond="scm" the body pairs that tacStepInfo counts, each with
// the point of its line of force that is nearest to the second body. Free it in any case.
tacResult cli_contact_forces_at(cliContactForces* out, const tacModel* model, const tacState* state,
                                const double* ctrl);
void cli_contact_forces_free(cliContactForces* forces);

// Does the scene's responder give a force for each pair of bodies, and no contact points?
int cli_has_pair_forces(const tacModel* model);

#endif
