// Broad phase: boxes around geoms in the world, so that pairs that are far apart cost next to
// nothing. What it leaves out has activity exactly 0.

#ifndef TAC_DETECT_BROAD_H
#define TAC_DETECT_BROAD_H

#include "base/scratch.h"
#include "tactus/contact.h"

// low and high corners in the world                                                      [m]
typedef struct tacBroadBox {
    double low[3], high[3];
} tacBroadBox;

typedef struct tacBroad {
    tacBroadBox *features, *field; // of each geom: around its features, and around where its field
                                   // is low enough to touch a vertex                    (ngeom)
    double *radius, *beyond;       // of swept features; how far witness points may lie beyond
    int* edges;                    // do edges count?
    double depth;                  // of those
} tacBroad;

// Boxes at these poses; takes memory from the scratch. 0: there is nothing kept, all pairs count
int tac_broad_make(const tacModel* model, const tacPose* body, tacBroad* out, tacScratch* scratch);
size_t tac_broad_size(const tacModel* model);

// can the two not touch each other?
int tac_broad_apart(const tacBroad* broad, const tacContactPair* pair);

#endif
