// Memory on its way to the cache before it is worked with. A batch of different models finds
// nothing of them there, and asks for it in time.

#ifndef TAC_BASE_PREFETCH_H
#define TAC_BASE_PREFETCH_H

#include <stddef.h>

// to the second level: the first is small, and what is asked for is not needed at once
static inline void tac_prefetch(const void* from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char*)from + i, 0, 2);
}

#endif
