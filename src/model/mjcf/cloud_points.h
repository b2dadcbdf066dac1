// Points and normals of a cloud while it is being read: their order and their
// nearest neighbours.

#ifndef TAC_MODEL_MJCF_CLOUD_POINTS_H
#define TAC_MODEL_MJCF_CLOUD_POINTS_H

#include "model/xml/reader.h"

typedef struct tacCloudPoints {
    int count;
    double* point;  // (count, 3)
    double* normal; // (count, 3)
    double* area;   // logarithm, as the file has it, not sorted; NULL without (count)
    int* order;     // index that each had in the scene or file (count)
} tacCloudPoints;

// Leaves out points of a file without a normal (faces without area) and repeated ones: at the same
// place, facing the same side. The others are sorted as by tac_cloud_order. Writes how many it left
// out of both kinds.
void tac_cloud_collapse(tacReader* reader, tacCloudPoints* points, int run, int left_out[2]);

// Sorts them so that neighbours in the array are neighbours in space: whole runs of `run` points,
// halves of a power of two of them. Up to `run` points keep their order.
void tac_cloud_order(tacReader* reader, tacCloudPoints* points, int run);

// nearest other point of each, and its distance; -1 for a lone point. NULL after a failure
int* tac_cloud_neighbours(tacReader* reader, const tacCloudPoints* points, double* distance);

#endif
