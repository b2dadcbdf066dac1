// Which instruction set the wide kernels run on.
//
// Kernel files are compiled once per instruction set; each exports one table of functions, named by
// TAC_KERNELS(stage), and TAC_DISPATCH(stage) is the table for this machine. TACTUS_ISA=baseline,
// avx2 or avx512 in the environment forces one that the machine has.

#ifndef TAC_BASE_DISPATCH_H
#define TAC_BASE_DISPATCH_H

#include "tactus/real.h"

typedef enum tacIsa { TAC_ISA_BASELINE, TAC_ISA_AVX2, TAC_ISA_AVX512 } tacIsa;

// best set of this machine, or the forced one if the machine has it
tacIsa tac_isa(void);

// "baseline", "avx2", "avx512"
const char* tac_isa_name(tacIsa isa);

// does this machine (and this build) run it?
int tac_isa_supported(tacIsa isa);

// NULL, or why TACTUS_ISA was ignored: for command lines to say
const char* tac_isa_warning(void);

#define TAC_JOIN_(a, b) a##b
#define TAC_JOIN(a, b)  TAC_JOIN_(a, b)

// symbol of the kernel table of `stage` (tac_shape_kernels_, …) in this translation unit
#define TAC_KERNELS(stage) TAC_JOIN(stage, TAC_ISA)

#if defined(TAC_NUMBER_COMPLEX)
#define TAC_DISPATCH(stage) (&TAC_JOIN(stage, complex))
#elif defined(TAC_NUMBER_QUAD)
#define TAC_DISPATCH(stage) (&TAC_JOIN(stage, quad))
#elif defined(TAC_HAVE_X86_KERNELS)
#define TAC_DISPATCH(stage)                                                                        \
    (tac_isa() == TAC_ISA_AVX512 ? &TAC_JOIN(stage, avx512)                                        \
     : tac_isa() == TAC_ISA_AVX2 ? &TAC_JOIN(stage, avx2)                                          \
                                 : &TAC_JOIN(stage, baseline))
#else
#define TAC_DISPATCH(stage) (&TAC_JOIN(stage, baseline))
#endif

// declares the tables of a stage in its header
#define TAC_DECLARE_KERNELS(type, stage)                                                           \
    extern const type TAC_JOIN(stage, avx512), TAC_JOIN(stage, avx2), TAC_JOIN(stage, baseline),   \
        TAC_JOIN(stage, complex), TAC_JOIN(stage, quad)

#endif
