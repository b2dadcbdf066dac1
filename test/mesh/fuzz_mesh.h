// What holds for any bytes that a reader of meshes is given: a sound soup or a message.

#ifndef TACTUS_TEST_FUZZ_MESH_H
#define TACTUS_TEST_FUZZ_MESH_H

#include "mesh/io/soup.h"
#include "mesh/io/soup_stats.h"
#include "mesh/mass/soup_mass.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static inline void ensure_true(int condition) {
    if (!condition) abort();
}

static inline void check_soup(const tacSoup* soup) {
    for (int i = 0; i < 3 * soup->nvertex; ++i)
        ensure_true(fabs(soup->vertex[i]) <= TAC_MAX_MESH_COORD);
    for (int i = 0; soup->normal && i < 3 * soup->nvertex; ++i)
        ensure_true(isfinite(soup->normal[i]));
    for (int f = 0; f < soup->nface; ++f) ensure_true(soup->first[f + 1] - soup->first[f] >= 3);
    for (int i = 0; i < soup->ncorner; ++i)
        ensure_true(soup->corner[i] >= 0 && soup->corner[i] < soup->nvertex);
    ensure_true(soup->ntriangle == soup->ncorner - 2 * soup->nface);
    for (int i = 0; i < 3 * soup->ntriangle; ++i)
        ensure_true(soup->triangle[i] >= 0 && soup->triangle[i] < soup->nvertex);
}

static inline void check_mass(const tacSoup* soup) {
    for (int rule = TAC_SOUP_CONVEX; rule <= TAC_SOUP_SHELL; ++rule) {
        tacSoupMass mass;
        tacMessage message = {0};
        tacResult result = tac_soup_mass(soup, (tacSoupInertia)rule, &mass, &message);
        ensure_true(result == TAC_OK || (result == TAC_ERROR_VALUE && message.text[0]));
        ensure_true(result != TAC_OK || (isfinite(mass.volume) && isfinite(mass.centre[0]) &&
                                         isfinite(mass.inertia[0]) && isfinite(mass.inertia[3])));
    }
}

static inline int fuzz_mesh(const uint8_t* data, size_t size, const char* path) {
    tacSoup* soup = NULL;
    tacMessage message = {0};
    tacResult result = tac_soup_read(data, size, path, tac_default_allocator(), &soup, &message);
    ensure_true((result == TAC_OK) == (soup != NULL));
    ensure_true(result == TAC_OK || message.text[0]);
    if (soup) {
        tacSoupStats measure;
        check_soup(soup);
        ensure_true(tac_soup_stats(soup, &measure) == TAC_OK);
        check_mass(soup);
    }
    tac_soup_destroy(soup);
    return 0;
}

#endif
