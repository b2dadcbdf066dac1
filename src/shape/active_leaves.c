// Groups of points through the leaves that they need.

#include "shape/active_leaves.h"

#include <string.h>

enum { GROUP = TAC_ACTIVE_LEAF_GROUP };
_Static_assert(TAC_ACTIVE_LEAF_MAX* GROUP <= TAC_BLOCK, "all leaves at a group of points fit");

// vectors of points, each with its leaf; those of one vector of the block stand together
typedef struct vectorList {
    int count, next;          // how many; the first vector of the block that is not listed
    uint8_t depth[TAC_BLOCK]; // how many each vector of the block has
} vectorList;

// the bits of one vector of a group
static unsigned vector_bits(unsigned bits, int at, int lanes) {
    return bits >> at % GROUP & ((1u << lanes) - 1u);
}

// vectors of the block from `next` on, as long as there is room; how many needs are done
static int list_leaf_vectors(const tacShapeProgram* p, const tacBlockPoints* points, tacPack* pack,
                             const tacActiveLeaf* need, int needs, int first, vectorList* l) {
    int lanes = p->kernels->lanes, done = 0;
    for (l->count = 0; l->next * lanes < points->padded; ++l->next) {
        int at = l->next * lanes, group = first + at / GROUP, end = done, depth = 0;
        while (end < needs && need[end].group == group) ++end;
        if ((l->count + end - done) * lanes > TAC_BLOCK) break;
        for (int k = done; k < end; ++k) {
            if (!vector_bits(need[k].bits, at, lanes)) continue;
            pack->leaf_of[l->count] = &p->node_data[need[k].leaf];
            pack->at[l->count++] = at;
            ++depth;
        }
        l->depth[l->next] = (uint8_t)depth;
        if ((at + lanes) % GROUP == 0) done = end;
    }
    return done;
}

//---------------------------------- fields ---------------------------------------

static void copy_field(tacFieldBlock* out, int to, const tacFieldBlock* in, int count, int order) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(&out->value[to], in->value, size);
    for (int k = 0; k < 3 && order >= 1; ++k) memcpy(&out->gradient[k][to], in->gradient[k], size);
    for (int k = 0; k < 6 && order >= 2; ++k) memcpy(&out->hessian[k][to], in->hessian[k], size);
}

// leaves of several kinds
static void evaluate_mixed_vectors(const tacShapeProgram* p, tacPack* pack, int vectors,
                                   tacFieldBlock* one) {
    int lanes = p->kernels->lanes;
    for (int i = 0; i < vectors; ++i) {
        p->kernels->leaf(pack->leaf_of[i], (const tacReal(*)[TAC_BLOCK]) & pack->x[0][i * lanes],
                         one, lanes, pack->order);
        copy_field(&pack->field, i * lanes, one, lanes, pack->order);
    }
}

static void evaluate_vectors(const tacShapeProgram* p, tacPack* pack, int vectors,
                             tacFieldBlock* one) {
    int alike = 1;
    for (int i = 0; i < vectors; ++i)
        alike &= tac_pack_compatible(pack->leaf_of[0], pack->leaf_of[i]);
    if (vectors && alike)
        p->kernels->superquadrics(pack->leaf_of, (const tacReal(*)[TAC_BLOCK])pack->x, &pack->field,
                                  vectors * p->kernels->lanes, pack->order);
    else
        evaluate_mixed_vectors(p, pack, vectors, one);
}

int tac_shape_run_active_leaves(const tacShapeProgram* p, tacShapeRun* run,
                                const tacActiveLeaf* need, int needs, int first, int order) {
    int lanes = p->kernels->lanes, done = 0;
    vectorList list = {.next = 0};
    run->pack->order = order;
    while (list.next * lanes < run->points->padded) {
        int from = list.next;
        done +=
            list_leaf_vectors(p, run->points, run->pack, &need[done], needs - done, first, &list);
        p->kernels->gather_vectors((const tacReal(*)[TAC_BLOCK])run->points->x, run->pack->at,
                                   run->pack->x, list.count);
        evaluate_vectors(p, run->pack, list.count, run->stack + 1);
        p->kernels->sum(tac_child_blend(p, p->shape->count - 1, 0), &run->pack->field, list.depth,
                        from, list.next, run->stack, order);
    }
    return done;
}
