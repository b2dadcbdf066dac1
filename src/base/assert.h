// TAC_ASSERT states an invariant that only a bug in Tactus can break. Wrong input never gets here.

#ifndef TAC_BASE_ASSERT_H
#define TAC_BASE_ASSERT_H

#include <stdio.h>
#include <stdlib.h>

#ifdef NDEBUG
#define TAC_ASSERT(condition) ((void)sizeof(!(condition)))
#else
#define TAC_ASSERT(condition)                                                                      \
    ((condition) ? (void)0                                                                         \
                 : (fprintf(stderr, "%s:%d: bug in tactus: %s\n", __FILE__, __LINE__, #condition), \
                    abort()))
#endif

#define TAC_COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))

#endif
