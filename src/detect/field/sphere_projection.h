// Balls at fields that are less than the distance: of superquadrics, intersections, differences,
// polyhedra. Points are led from the centre to the surface, and the nearest of them counts.
//
//   centre --rays, field--> points on the surface --least distance--> distance and normal
//
// Where the field is a distance, phi - R is the same and is taken. Model: docs/manifold.md.

#ifndef TAC_DETECT_FIELD_SPHERE_PROJECTION_H
#define TAC_DETECT_FIELD_SPHERE_PROJECTION_H

#include "detect/field/vertex_sdf.h"
#include "tactus/pose.h"

// ways from a centre to the surface: by the gradient, and along rays; steps of each
enum { TAC_SPHERE_PATHS = 33, TAC_SPHERE_STEPS = 5 };

// axes of the field's body; memory is the scratch's
typedef struct tacSphereProjection {
    int used; // 0: the side has none, or the field is a distance
    tacReal radius;
    double slope;                     // rays take steps of phi/slope
    tacHits at[TAC_SPHERE_STEPS + 1]; // centres, then points of all ways, those of a ball together
} tacSphereProjection;

// points of so many centres at a step; memory for all of them
static inline int tac_sphere_points(int centres, int step) {
    return step ? centres * TAC_SPHERE_PATHS : centres;
}
void tac_sphere_projection_alloc(tacSphereProjection* spheres, int centres, int hessians,
                                 tacArena* arena);

// is the field of a geom the distance to its surface?
int tac_field_is_distance(const tacModel* model, int geom);

// Does this side need them?
int tac_sphere_projection_needed(const tacModel* model, const tacFeatures* features, int field);

// In place of phi and its gradient at hits: the distance of the centre from the surface, and the
// direction to there. Balls that do not touch are taken out.
void tac_sphere_projection_find(tacVertexSide* side, int order, tacHits* hits,
                                tacSphereProjection* out, tacScratch* scratch);

// tangents or adjoints of the field at all points
typedef struct tacSphereFields {
    tacField at[TAC_SPHERE_STEPS + 1];
} tacSphereFields;

// Tangents of distance and direction that the kernels take as those of a field that stands still:
// `value` less what the motion past the gradient gives. Needs Hessians. fields NULL: they do
void tac_sphere_projection_jvp(const tacVertexSide* side, const tacSphereProjection* spheres,
                               const tacHits* hits, const tacHitDot* dot,
                               const tacSphereFields* fields, tacField out);

// the reverse: adjoints of twists and radius are added, those of fields are written (NULL: none)
void tac_sphere_projection_vjp(const tacVertexSide* side, const tacSphereProjection* spheres,
                               const tacHits* hits, tacHitBar* out, const tacSphereFields* fields);

#endif
