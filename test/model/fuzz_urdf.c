// Fuzzing of the URDF reader: any bytes are a model or a message.
// Built by the clang-asan preset as fuzz/fuzz_urdf; seeds are in test/fuzz/fuzz_urdf.

#include "model/fuzz_scene.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    return fuzz_scene(data, size, "fuzz.urdf");
}
