// Moves memory to the cache before it is used. A batch of different models finds none of them
// there.

#ifndef TAC_BASE_PREFETCH_H
#define TAC_BASE_PREFETCH_H

#include <stddef.h>

// to the second level: the first is small, and the data is not needed at once
static inline void tac_prefetch(const void* from, size_t bytes) {
    for (size_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char*)from + i, 0, 2);
}

#endif
