// Rims of a cylinder: of each circle the point that lies deepest in the other geom's field is one
// more vertex, so that a cylinder rolls on circles and not on the corners of its surface.
//
//   middle of the rim --field--> direction --circle--> deepest point --field--> a hit
//
// It stands behind the vertices of its geom, and corners beside it fade. Model: docs/manifold.md.

#ifndef TAC_DETECT_FIELD_CYLINDER_RIMS_H
#define TAC_DETECT_FIELD_CYLINDER_RIMS_H

#include "detect/field/vertex_sdf.h"
#include "tactus/pose.h"

enum { TAC_CYLINDER_RIMS = 2 };

// axes of the field's body; memory is the scratch's
typedef struct tacCylinderRims {
    int count; // 0: the geom has none
    tacReal radius;
    tacVec3 axis;                      // of the cylinder
    tacVec3 toward[TAC_CYLINDER_RIMS]; // from the deepest point to the middle, length 1 but near 0
    tacReal clear[TAC_CYLINDER_RIMS];  // 1: the middle is at no tie of the field, 0: it is
    tacHits middle, deepest;           // of each rim
    int hit[TAC_CYLINDER_RIMS]; // where the rim stands among the hits, -1: it has no activity
} tacCylinderRims;

// rims of a geom, 0: it is no cylinder; memory for them
int tac_cylinder_rims_count(const tacFeatures* features);
void tac_cylinder_rims_alloc(tacCylinderRims* rims, int hessians, tacArena* arena);

// Finds the rims of a side, and adds those that touch behind `hits`, where there is room for them
void tac_cylinder_rims_find(tacVertexSide* side, int order, tacHits* hits, tacCylinderRims* out,
                            tacScratch* scratch);

// What activities of hits are worth beside rims: of corners less where a rim is deeper, of rims
// less where the cylinder stands
void tac_cylinder_rims_weight(const tacVertexSide* side, const tacCylinderRims* rims,
                              const tacHits* hits, tacHitRecords records);

// how rims move, along the twists and tangents of fields of the caller
typedef struct tacCylinderRimsDot {
    const tacHitDot* along;            // of tangents: what they are taken along
    tacVec3 toward[TAC_CYLINDER_RIMS]; // world axes
    tacReal depth[TAC_CYLINDER_RIMS];  // distance of the deepest point
    tacReal clear[TAC_CYLINDER_RIMS];
} tacCylinderRimsDot;

// Needs Hessians. Fields are tangents of those at middles and at deepest points (NULL: none).
// Writes where hits slide to on their body, world axes
tacCylinderRimsDot tac_cylinder_rims_slide(const tacVertexSide* side, const tacCylinderRims* rims,
                                           const tacHits* hits, const tacHitDot* dot,
                                           const tacField fields[2], tacReal* const slide[3]);

// tangents of activities before weighing -> after; `records` are those before
void tac_cylinder_rims_weight_jvp(const tacVertexSide* side, const tacCylinderRims* rims,
                                  const tacHits* hits, const tacCylinderRimsDot* moved,
                                  tacHitRecords records, tacHitRecords records_dot);

// The reverse of weighing: adjoints of records after -> before, those of twists are added
tacCylinderRimsDot tac_cylinder_rims_weight_vjp(const tacVertexSide* side,
                                                const tacCylinderRims* rims, const tacHits* hits,
                                                tacHitRecords records, tacHitRecords bar,
                                                tacHitBar* out);

// and of sliding: `slide` as tacHitBar has it, bar as weighing left it; fields' are written
void tac_cylinder_rims_slide_vjp(const tacVertexSide* side, const tacCylinderRims* rims,
                                 const tacCylinderRimsDot* bar, tacHitBar* out,
                                 const tacField fields[2]);

#endif
