// What holds for any bytes that a reader of meshes is given: a sound soup or a message.

#ifndef TACTUS_TEST_FUZZ_MESH_H
#define TACTUS_TEST_FUZZ_MESH_H

#include "mesh/mass.h"
#include "mesh/measure.h"
#include "mesh/soup.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void ensure(int condition) {
    if (!condition) abort();
}

static inline void check_soup(const tacSoup* soup) {
    for (int i = 0; i < 3 * soup->nvertex; ++i) ensure(fabs(soup->vertex[i]) <= TAC_MAX_MESH_COORD);
    for (int i = 0; soup->normal && i < 3 * soup->nvertex; ++i) ensure(isfinite(soup->normal[i]));
    for (int f = 0; f < soup->nface; ++f) ensure(soup->first[f + 1] - soup->first[f] >= 3);
    for (int i = 0; i < soup->ncorner; ++i)
        ensure(soup->corner[i] >= 0 && soup->corner[i] < soup->nvertex);
    ensure(soup->ntriangle == soup->ncorner - 2 * soup->nface);
    for (int i = 0; i < 3 * soup->ntriangle; ++i)
        ensure(soup->triangle[i] >= 0 && soup->triangle[i] < soup->nvertex);
}

static inline void check_mass(const tacSoup* soup) {
    for (int rule = TAC_SOUP_CONVEX; rule <= TAC_SOUP_SHELL; ++rule) {
        tacSoupMass mass;
        tacMessage message = {0};
        tacResult result = tac_soup_mass(soup, (tacSoupInertia)rule, &mass, &message);
        ensure(result == TAC_OK || (result == TAC_ERROR_VALUE && message.text[0]));
        ensure(result != TAC_OK || (isfinite(mass.volume) && isfinite(mass.centre[0]) &&
                                    isfinite(mass.inertia[0]) && isfinite(mass.inertia[3])));
    }
}

static inline int fuzz_mesh(const uint8_t* data, size_t size, const char* path) {
    tacSoup* soup = NULL;
    tacMessage message = {0};
    tacResult result = tac_soup_read(data, size, path, tac_default_allocator(), &soup, &message);
    ensure((result == TAC_OK) == (soup != NULL));
    ensure(result == TAC_OK || message.text[0]);
    if (soup) {
        tacMeasure measure;
        check_soup(soup);
        ensure(tac_soup_measure(soup, &measure) == TAC_OK);
        check_mass(soup);
    }
    tac_soup_destroy(soup);
    return 0;
}

#endif
