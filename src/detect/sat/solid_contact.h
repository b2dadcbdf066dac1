// Contact of two solids along an axis: on a face of one of them, or across two edges.

#ifndef TAC_DETECT_SAT_SOLID_CONTACT_H
#define TAC_DETECT_SAT_SOLID_CONTACT_H

#include "detect/sat/solid_pair.h"

// On face f of a: the lowest vertex of b, or the middle of its lowest edge or face within f.
// `out` gets distance `gap`, normal and points. 1 if the foot lies in the face, so that the gap is
// the distance.
int tac_solid_face_contact(const tacSolidPair* pair, int face, double gap, tacSeparation* out);

// Across edge i of a and j of b along n: 1 if the foot lies on both.
int tac_solid_edge_contact(const tacSolidPair* pair, int i, int j, tacVec3 n, double gap,
                           tacSeparation* out);

#endif
