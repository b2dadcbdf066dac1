// Data of a mechanism: lists that grow, in the graph's memory.

#ifndef TAC_SYMBOLIC_MECHANICS_MECHANISM_H
#define TAC_SYMBOLIC_MECHANICS_MECHANISM_H

#include "symbolic/expr/expr_vec.inl"
#include "tactus/mechanics.h"

#include <stdio.h>

// a name, truncated for messages
typedef struct tacShortName {
    char text[64];
} tacShortName;

// rotation of a frame in its parent: components in the parent = columns times those in the frame
typedef struct tacFrameRotation {
    tacRefFrame parent; // -1: none
    exprVec column[3];
} tacFrameRotation;

// `way` is the vector from one node to the other: a position between points, an angular velocity
// between frames
typedef struct tacMechanismEdge {
    int from, to;
    tacVector delta;
} tacMechanismEdge;

typedef struct tacPointVelocity {
    tacRefPoint point;
    tacRefFrame frame;
    tacVector velocity;
} tacPointVelocity;

// a rigid body; of a particle the frame is -1
typedef struct tacRigidBody {
    tacShortName name;
    tacRefPoint point;
    tacRefFrame frame;
    tacExpr mass, potential;
    tacDyadic inertia; // about the point
} tacRigidBody;

// a force on a point, or a torque on a frame
typedef struct tacAppliedLoad {
    int on, is_torque; // turns 1: `on` is a frame
    tacVector load;
} tacAppliedLoad;

// a list of items of one type
#define TAC_LIST(type)                                                                             \
    struct {                                                                                       \
        type* item;                                                                                \
        int count, capacity;                                                                       \
    }

struct tacMechanics {
    tacGraph* graph;
    tacExpr time;              // the symbol t, or NONE until it is needed
    TAC_LIST(tacExpr) dynamic; // dynamic symbols
    TAC_LIST(tacExpr) rate;    // and the symbols of their rates, or NONE until they are needed
    TAC_LIST(tacShortName) frame;
    TAC_LIST(tacFrameRotation) rotation; // of each frame
    TAC_LIST(tacMechanismEdge) ang_vel;
    TAC_LIST(tacShortName) point;
    TAC_LIST(tacMechanismEdge) position;
    TAC_LIST(tacPointVelocity) point_velocity;
    TAC_LIST(tacRigidBody) body;
    TAC_LIST(tacAppliedLoad) load;
};

// 1 if the list has capacity for one more item; 0 without memory
#define TAC_LIST_RESERVE(graph, list)                                                              \
    ((list)->count < (list)->capacity ||                                                           \
     ((list)->item = tac_list_grow(graph, (list)->item, &(list)->capacity, (list)->count,          \
                                   sizeof *(list)->item),                                          \
      (list)->count < (list)->capacity))
void* tac_list_grow(tacGraph* graph, void* items, int* capacity, int count, size_t item);

// the index of a dynamic symbol in the list, or -1
int tac_dynamic_index(const tacMechanics* m, tacExpr symbol);

static inline exprVec tac_vector_components(tacVector a) { return (exprVec){a.x, a.y, a.z}; }
static inline tacVector tac_vector_of(tacRefFrame frame, exprVec a) {
    return (tacVector){frame, a.x, a.y, a.z};
}
tacVector tac_vector_none(void);
tacVector tac_vector_zero(tacMechanics* m, tacRefFrame frame);

// 1: all components are the number 0
int tac_vector_is_zero(const tacMechanics* m, tacVector a);

// 1 if there is such a frame or point; else the graph's error names it
int tac_frame_check(tacMechanics* m, tacRefFrame frame);
int tac_point_check(tacMechanics* m, tacRefPoint point);

// A breadth-first search over edges from a node.
typedef struct tacTreeSearch {
    const tacMechanismEdge* edge;
    int edges, nodes;
    int *queue, *via; // nodes in the order of visits; the edge that led to each, -1: none
    int reached;
} tacTreeSearch;

// 1, and to be closed then; 0 without memory
int tac_tree_search_open(tacGraph* g, tacTreeSearch* s, const tacMechanismEdge* edge, int edges,
                         int nodes, int from);
void tac_tree_search_close(tacGraph* g, tacTreeSearch* s);
// the sum of vectors from the start of the search to a node that it visited
tacVector tac_tree_search_sum(tacMechanics* m, const tacTreeSearch* s, int to, tacRefFrame zero);
int tac_tree_search_reached(const tacTreeSearch* s, int node);

#endif
