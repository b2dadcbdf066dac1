// Choice of the instruction set, made once per process.

#include "base/dispatch.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static const char* const isa_names[] = {"baseline", "avx2", "avx512"};

const char* tac_isa_name(tacIsa isa) { return isa_names[isa]; }

int tac_isa_supported(tacIsa isa) {
#ifdef TAC_HAVE_X86_KERNELS
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (isa == TAC_ISA_AVX2) return avx2;
    if (isa == TAC_ISA_AVX512)
        return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
    return isa == TAC_ISA_BASELINE;
}

static int named_isa(const char* name) {
    for (int isa = TAC_ISA_BASELINE; isa <= TAC_ISA_AVX512; ++isa)
        if (strcmp(name, isa_names[isa]) == 0) return isa;
    return -1;
}

// NULL if nobody forces a set
static const char* requested_name(void) {
    const char* name = getenv("TACTUS_ISA");
    return name && *name ? name : NULL;
}

static tacIsa choose_isa(void) {
    const char* requested = requested_name();
    int isa = requested ? named_isa(requested) : -1;
    if (isa >= 0 && tac_isa_supported((tacIsa)isa)) return (tacIsa)isa;
    for (isa = TAC_ISA_AVX512; !tac_isa_supported((tacIsa)isa);) --isa;
    return (tacIsa)isa;
}

tacIsa tac_isa(void) {
    // every thread finds the same answer, so a race stores the same value twice
    static atomic_int selected = -1;
    int isa = atomic_load_explicit(&selected, memory_order_relaxed);
    if (isa < 0) {
        isa = (int)choose_isa();
        atomic_store_explicit(&selected, isa, memory_order_relaxed);
    }
    return (tacIsa)isa;
}

const char* tac_isa_warning(void) {
    const char* requested = requested_name();
    if (!requested) return NULL;
    int isa = named_isa(requested);
    if (isa < 0) return "TACTUS_ISA must be baseline, avx2 or avx512";
    return tac_isa_supported((tacIsa)isa) ? NULL
                                          : "this machine does not run the set named by TACTUS_ISA";
}
