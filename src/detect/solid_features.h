// Which features of two solids meet, in doubles whatever the number: for detect="sat" and
// detect="convex".

#ifndef TAC_DETECT_SOLID_FEATURES_H
#define TAC_DETECT_SOLID_FEATURES_H

#include "detect/patch.h"

#include <stddef.h>

typedef struct tacSolid tacSolid;

typedef struct tacSolidPlace {
    const tacSolid* solid;
    double pos[3], quat[4];
} tacSolidPlace;

// what a solid reaches to: a ball around it, or the plane of one without end
typedef struct tacSolidReach {
    double x[3], normal[3]; // the ball's centre or a point of the plane; across the plane
    double radius;          // -1: a plane
} tacSolidReach;

tacSolidReach tac_solid_reach(const tacSolidPlace* place);

// 0: certainly further apart than `cutoff`
int tac_solids_may_meet(const tacSolidReach* a, const tacSolidReach* b, double cutoff);

// Features of the nearest points, or of the shortest translation that parts them; 0 if the solids
// are further apart than `cutoff`. `memory` (tac_solids_size) NULL: by separating axes, else by a
// convex program.
int tac_solids_meet(const tacSolidPlace* a, const tacSolidPlace* b, double cutoff,
                    tacPatchPair* out, void* memory);
size_t tac_solids_size(const tacSolid* a, const tacSolid* b);

// is there a solid at all, does it lie in a plane, is it a half-plane?
int tac_solid_is_any(const tacSolid* solid);
int tac_solid_is_planar(const tacSolid* solid);
int tac_solid_is_endless(const tacSolid* solid);
const tacSolid* tac_solid_in(const tacSolid* solids, int geom);

#endif
