// The program of a shape: its nodes in post-order, run over blocks of points.

#ifndef TAC_SHAPE_SHAPE_PROGRAM_H
#define TAC_SHAPE_SHAPE_PROGRAM_H

#include "base/scratch.h"
#include "shape/shape_kernels.h"

// a shape bound to a pose, with the kernels of this machine
typedef struct tacShapeProgram {
    const tacModel* model;
    const tacShape* shape;
    const tacShapeKernels* kernels;
    tacNodeData* node_data; // (shape->count)
} tacShapeProgram;

// coordinates of one block of points, padded by repeating the last
typedef struct tacBlockPoints {
    tacReal x[3][TAC_BLOCK];
    int count, padded;
} tacBlockPoints;

// allocates from the scratch; the caller resets scratch->arena.used
tacShapeProgram tac_shape_program_bind(const tacModel* model, int shape, tacPose pose,
                                       tacScratch* scratch);

// Dry runs: of any call with this build's numbers, of tac_shape_hvp, of tac_shape_steps. The second
// is in the complex build alone, so it counts complex numbers itself.
void tac_shape_measure(const tacModel* model, tacArena* arena);
void tac_shape_measure_hvp(const tacModel* model, tacArena* arena);
void tac_shape_safe_radius_measure(const tacModel* model, tacArena* arena);

// loads points first .. of the batch; returns how many are real
void tac_block_points_load(const tacShapeKernels* kernels, tacPoints points, int first,
                           tacBlockPoints* out);

// children of a combination, last to first, as indices in the shape: each child's subtree ends
// where the next begins
static inline int tac_last_child(int node) { return node - 1; }
static inline int tac_previous_child(const tacShapeProgram* p, int child) {
    return p->model->node[p->shape->first + child].first - p->shape->first - 1;
}

// is node i of the shape a child that its parent takes with its sign turned?
int tac_node_is_negated(const tacShapeProgram* p, int i);

// how combination `node` takes its child `child`; both are indices in the shape
tacBlend tac_child_blend(const tacShapeProgram* p, int node, int child);

// how far a combination may be from its nearest child: tau ln n                               [m]
static inline double tac_blend_gap(const tacNode* node, const tacNodeData* b) {
    return tac_re(b->tau) * log(node->children + (b->end > 0.0 ? 1.0 : 0.0));
}

// wrong arguments: no such shape, a pose that is none, points that are missing, not finite or too
// far
tacResult tac_shape_check(const tacModel* model, int shape, tacPose pose, tacPoints points);

// all arrays of a group or none
tacResult tac_field_check(tacField field);
tacResult tac_coordinates_check(const tacReal* const x[3]);

#endif
