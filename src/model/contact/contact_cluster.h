// Clusters of a contact cloud, which let a search skip most of its points.
//
// 16 points are a cluster, 16 clusters one of the next level, as in cloud_index.h. Each lies in a
// box and in a flat disc across its mean normal. A box is loose where the surface is oblique: the
// distance is too short by the width of the cluster. That of the disc, whose thickness falls
// with the square of the width, is not, so the number of clusters near a distant point does not
// grow with the number of points.

#ifndef TAC_MODEL_CONTACT_CONTACT_CLUSTER_H
#define TAC_MODEL_CONTACT_CONTACT_CLUSTER_H

#include "shape/cloud/cloud_index.h"

// 16 clusters; empty slots are infinitely far
typedef struct tacClusterPage {
    double low[3][TAC_CLOUD_LEAF], high[3][TAC_CLOUD_LEAF];    // box
    double middle[3][TAC_CLOUD_LEAF], axis[3][TAC_CLOUD_LEAF]; // of the disc, |axis| = 1
    double half[TAC_CLOUD_LEAF];                               // |axis . (p - middle)| at most
    double width[TAC_CLOUD_LEAF];                              // distance from the axis at most
    double radius[TAC_CLOUD_LEAF];                             // |p - middle| at most
} tacClusterPage;

// fills all pages of `count` points; block is x y z nx ny nz of `count` each
void tac_contact_clusters(const double* block, int count, tacClusterPage* page);

#endif
