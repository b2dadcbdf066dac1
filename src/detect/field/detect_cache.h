// What detectors keep from one call to the next: fields as they are bound, and what the last
// tac_detect found, for the derivatives that are asked for after it.
//
// Nothing of it is seen from outside: bound fields are used while all parameters are the same to
// the last bit, searches while the poses are, too. Complex and quad builds keep nothing.

#ifndef TAC_DETECT_FIELD_DETECT_CACHE_H
#define TAC_DETECT_FIELD_DETECT_CACHE_H

#include "detect/field/geom_bound.h"

typedef struct tacDetectCache tacDetectCache;

// for a scratch of this model; NULL in `out` where its detector keeps nothing
tacResult tac_detect_cache_create(const tacModel* model, tacAllocator allocator,
                                  tacDetectCache** out);
void tac_detect_cache_destroy(tacDetectCache* cache, tacAllocator allocator);

// before a detector is called: forgets what is of other parameters
void tac_detect_cache_refresh(const tacModel* model, tacScratch* scratch);

// the field of a geom, bound if it is not yet; NULL: it cannot be kept
const tacGeomField* tac_detect_cache_field(const tacModel* model, int geom, tacScratch* scratch);

// boxes around all geoms (ngeom), or NULL
const tacGeomBound* tac_detect_cache_bounds(const tacModel* model, tacScratch* scratch);

// Contact pairs by their geoms, for a sweep: those of geom g and larger ones are first[g] to
// first[g + 1] - 1, in order of the other geom.
typedef struct tacPairTable {
    int *first, *other, *pair;
    int geoms;       // that are in pairs,
    int* order;      // as they were sorted last                                         (geoms)
    char* is_static; // (ngeom)
} tacPairTable;

const tacPairTable* tac_detect_cache_pairs(tacScratch* scratch);

//---------------------------------- searches -------------------------------------

// One search of a pair of geoms begins: memory of `bytes`, and all that is taken from the scratch's
// arena until it ends, is kept. NULL: there is no room, nothing is kept
void* tac_detect_cache_begin(const tacModel* model, tacScratch* scratch, int pair,
                             const tacPose body[2], size_t bytes);
// the search is done, and stays if it is worth it
void tac_detect_cache_end(tacScratch* scratch, int keep);

// one that was made at these poses, or NULL
void* tac_detect_cache_find(const tacModel* model, tacScratch* scratch, int pair,
                            const tacPose body[2]);

// all searches are forgotten
void tac_detect_cache_clear(tacScratch* scratch);

#endif
