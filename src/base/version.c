// Version and instruction set, for programs to say.

#include "tactus/version.h"

#include "base/dispatch.h"

const char* tac_version(void) { return TACTUS_VERSION; }

const char* tac_instruction_set(void) { return tac_isa_name(tac_isa()); }
