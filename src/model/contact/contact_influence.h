// Regions of influence of the planes of a cloud: boxes outside of which no plane exerts a force.
//
//   cloud, temperatures at load --> [contact_influence.c] --boxes--> detect/ssdf/ssdf_cutoff.c
//
// Plane i acts at y if it is not far below y, and no other point is much closer:
//
//   n_i . (y - p_i) < height  and  |y - p_i|^2 < |y - p_j|^2 + spread for all j
//
// which is a convex polyhedron U_i around p_i. On a ray from p_i that leaves U_i after a length t,
// a point at length s t, s >= 1, has n_i . (y - p_i) >= s height or |y - p_i|^2 - |y - p_j|^2 >= s
// spread for some j, as both sides are linear in s and not above 0 at p_i: forces there fall as
// exp(-s height/eps3) or exp(-s spread/eps1), so that one set of boxes serves all temperatures and
// speeds (docs/scm.md, eq. 11).

#ifndef TAC_MODEL_CONTACT_CONTACT_INFLUENCE_H
#define TAC_MODEL_CONTACT_CONTACT_INFLUENCE_H

#include "model/contact/contact_cluster.h"

struct tacContactCloud;

// Forces below this share of k eps3 are neglected, after gains of TAC_INFLUENCE_GAIN by speed,
// friction and derivatives, and distances of TAC_INFLUENCE_WIDTH eps3; more of either makes boxes
// larger.
#define TAC_INFLUENCE_SHARE 1e-16
#define TAC_INFLUENCE_GAIN  1e5
#define TAC_INFLUENCE_WIDTH 8e3

typedef struct tacInfluenceBox {
    double low[3], high[3]; // infinite where the influence of a plane is unbounded [m]
} tacInfluenceBox;

typedef struct tacContactInfluence {
    double eps1, eps3;             // temperatures that boxes are for
    double height, voronoi_margin; // as above [m], [m^2]
    tacInfluenceBox points;        // around the points and vertices of the cloud
    tacInfluenceBox planes;        // around all U_i
    double radius, planes_radius;  // of the balls about the body's origin around both
    double diagonal;               // of `planes`
    const tacInfluenceBox* box;    // around the U_i of cluster k of page g: box[16 g + k]
    int unbounded;                 // a point whose U_i is unbounded, -1: none
} tacContactInfluence;

// One block of memory, freed by allocator.release; NULL without memory.
tacContactInfluence* tac_contact_influence_create(const struct tacContactCloud* cloud, double eps1,
                                                  double eps3, tacAllocator allocator);

// Fills inv_depth2 of a cloud. A place inside whose nearest point is p_i lies in the largest ball
// inside the body that touches it there (Ma, Bae, Choi 2012), so that twice its radius and the
// length of the face is a depth that no such place has.
void tac_contact_cloud_depths(struct tacContactCloud* cloud);

double tac_influence_diagonal(const tacInfluenceBox* box);

#endif
