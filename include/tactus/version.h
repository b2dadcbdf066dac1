/// Version of the library, and the instruction set that it runs on.
#ifndef TACTUS_VERSION_H
#define TACTUS_VERSION_H

#include "tactus/real.h"

TAC_EXTERN_C_BEGIN

/// Version of the library, such as "0.1.0".
TAC_API
const char* tac_version(void);

/// Instruction set of the kernels on this machine: "baseline", "avx2" or "avx512". The environment
/// variable TACTUS_ISA chooses another one that the machine has.
TAC_API
const char* tac_instruction_set(void);

TAC_EXTERN_C_END

#endif
