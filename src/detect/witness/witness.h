// A routine of witness points over arrays of any length: whole vectors where they stand, the rest
// through a padded copy.

#ifndef TAC_DETECT_WITNESS_WITNESS_H
#define TAC_DETECT_WITNESS_WITNESS_H

#include "detect/witness/witness_kernels.h"

// arrays of a call, in the routine's order
typedef struct tacWitnessArrays {
    const tacReal* in[WITNESS_ARRAYS];
    const tacReal* dot[WITNESS_ARRAYS]; // or adjoint of the outputs
    tacReal* out[WITNESS_ARRAYS];       // or adjoint of the inputs
} tacWitnessArrays;

// Each checks options and inputs first: TAC_ERROR_VALUE. options_dot and options_bar may be NULL.
tacResult tac_witness_value(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                            int count, const tacWitnessArrays* arrays);
tacResult tac_witness_jvp(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                          const tacWitnessOptions* options_dot, int count,
                          const tacWitnessArrays* arrays);
tacResult tac_witness_vjp(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                          tacWitnessOptions* options_bar, int count,
                          const tacWitnessArrays* arrays);

#endif
