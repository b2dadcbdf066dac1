// Fuzzing of the reader of OFF files: any bytes are a sound soup or a message.
// Built by the clang-asan preset as fuzz/fuzz_off.

#include "mesh/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz_mesh(data, size, "fuzz.off");
}
