// Features of a geom: the vertices and edges that detectors evaluate in another geom's field.
//
//   shape of a geom, or its own mesh --> [geom_features.c] --> tacFeatures, with an index for
//   culling
//
// All of it is in the body frame, for the place and size of the geom at load or as they were set
// last. Vertices are in spatial order, eight per block; edges follow their first vertex.

#ifndef TAC_MODEL_CONTACT_GEOM_FEATURES_H
#define TAC_MODEL_CONTACT_GEOM_FEATURES_H

#include "mesh/io/soup.h"
#include "model/contact/contact_data.h"

// vertices of one block
#define TAC_FEATURE_BLOCK 8

// a box around features, body frame                                                       [m]
typedef struct tacFeatureBox {
    double middle[3], half[3];
} tacFeatureBox;

// Boxes in single precision: halves are larger by 1e-6 of the coordinates, which is more than
// the rounding errors of centers and of gaps between boxes. Padding for a vector follows the last.
typedef struct tacFloatBoxes {
    float *middle[3], *half[3];
} tacFloatBoxes;

// numbers of single precision in the widest vector
#define TAC_FLOAT_PADDING 16

// blocks of edges in one box
#define TAC_EDGE_GROUP 8

// An edge and the faces on both sides, in the body frame. Stored together: a visited edge is read
// as a whole.
typedef struct tacEdgeRecord {
    double corner[2][3];
    double along[2][3]; // unit vectors along its faces, away from it, 0 under a radius
    double out[3];      // outward, likewise
    double spare;
} tacEdgeRecord;

// A block of edges in low precision, for culling: centers as 1/32767 of the box around all
// features, unit vectors as 1/127, half lengths as 1/127 of the longest and no less than they are.
// `side` is one of `along` times the direction, all are 0 for edges under 1e-12 m.
typedef struct tacQuantizedEdges {
    int16_t middle[3][TAC_FEATURE_BLOCK];
    int8_t direction[3][TAC_FEATURE_BLOCK], side[2][3][TAC_FEATURE_BLOCK];
    int8_t half[TAC_FEATURE_BLOCK];
} tacQuantizedEdges;

// Place and size of a geom that features were made with. Vertices of primitives grow with sizes
// along the axes of the geom: size[k] is the number of the size of axis k, -1: it has none.
typedef struct tacFeatureBase {
    double pos[3], quat[4];
    int size_param; // offset of the sizes, -1: the vertices follow none
    int size[3];
    double length[3]; // of each axis; 1 where it has no size                              [m]
} tacFeatureBase;

struct tacFeatureIndex {
    int blocks;                    // vertices 8 i .. 8 i + 7 are block i
    const tacFeatureBox* box;      // around the vertices of each block                   (blocks)
    const float *ball[3], *wide;   // middles and radii of balls around them              (blocks)
    tacFeatureBox all;             // around all of them
    const double* normal[3];       // of the own field at each vertex, 0 under a radius   (vertices)
    int edge_blocks;               // edges 8 i .. 8 i + 7 are block i of edges
    const tacFeatureBox* edge_box; // around the edges of each block              (edge_blocks)
    const tacEdgeRecord* record;   //                                                     (edges)
    const tacQuantizedEdges* rows; // of each block; the last edge is repeated      (edge_blocks)
    double longest;                // half of the longest edge                             [m]
    tacFloatBoxes block_float_boxes; // around each block of edges                    (edge_blocks)
    tacFloatBoxes group_float_boxes; // around each TAC_EDGE_GROUP of these
    tacFeatureBase base;             // what all of this was made with
    int radius;                      // offset of the radius in param, -1: none
    int rims;                        // circles around an axis: of a cylinder 2, else 0
    double rim[2][3],
        rim_axis[3];           // their middles and their axis, upward from the first to the other
    double rim_radius;         //                                                      [m]
    double slope;              // how much larger than the distance its field may be, at load
    double deviation;          // largest |own field| at a vertex                               [m]
    double deviation_point[3]; // where that is, body axes                                      [m]
    double sag[2];             // least and largest own field at middles of edges               [m]
};

typedef struct tacFeatureOptions {
    int vertices;        // of a tessellation
    const tacSoup* mesh; // the surface in the frame of the geom's shape, NULL: made of the shape
    struct tacMesh** tessellated; // of the shape, kept for other geoms that have it; NULL: not kept
    int inner;           // 1: faces of polyhedra with few corners have points inside as well
    tacScratch* scratch; // for calls of shapes; NULL: one is made
} tacFeatureOptions;

// default number of vertices of a tessellation
#define TAC_FEATURE_VERTICES 300

// Share of the size (the largest half side of the box) that mesh and field may disagree by at a
// vertex without a warning.
#define TAC_FEATURE_TOLERANCE 0.02

// Makes the features of a geom that has a shape. On success, free `out` by
// tac_geom_features_destroy; the message's text is "" or warns where mesh and field disagree;
// otherwise `out` is empty and the message says what is wrong.
tacResult tac_geom_features_create(const tacModel* model, int geom, tacFeatureOptions options,
                                   tacFeatures* out, tacMessage* message);

// The same features, in number and order, for the place and size that the parameters have now.
tacResult tac_geom_features_refresh(const tacModel* model, int geom, tacFeatures* features);

// empty features are allowed
void tac_geom_features_destroy(tacFeatures* features, tacAllocator allocator);

#endif
