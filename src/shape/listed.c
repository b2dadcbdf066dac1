// Groups of points through the leaves that they need.

#include "shape/listed.h"

#include <string.h>

enum { GROUP = TAC_LISTED_GROUP };
_Static_assert(TAC_LISTED_LEAVES* GROUP <= TAC_BLOCK, "all leaves at a group of points fit");

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
static int list_vectors(const tacProgram* p, const tacBlockPoints* points, tacPack* pack,
                        const tacLeafNeed* need, int needs, int first, vectorList* l) {
    int lanes = p->kernels->lanes, done = 0;
    for (l->count = 0; l->next * lanes < points->padded; ++l->next) {
        int at = l->next * lanes, group = first + at / GROUP, end = done, depth = 0;
        while (end < needs && need[end].group == group) ++end;
        if ((l->count + end - done) * lanes > TAC_BLOCK) break;
        for (int k = done; k < end; ++k) {
            if (!vector_bits(need[k].bits, at, lanes)) continue;
            pack->of[l->count] = &p->bound[need[k].leaf];
            pack->at[l->count++] = at;
            ++depth;
        }
        l->depth[l->next] = (uint8_t)depth;
        if ((at + lanes) % GROUP == 0) done = end;
    }
    return done;
}

//---------------------------------- fields ---------------------------------------

static void copy_field(tacBlock* out, int to, const tacBlock* in, int count, int order) {
    size_t size = sizeof(tacReal) * (size_t)count;
    memcpy(&out->value[to], in->value, size);
    for (int k = 0; k < 3 && order >= 1; ++k) memcpy(&out->gradient[k][to], in->gradient[k], size);
    for (int k = 0; k < 6 && order >= 2; ++k) memcpy(&out->hessian[k][to], in->hessian[k], size);
}

// leaves of several kinds
static void evaluate_each(const tacProgram* p, tacPack* pack, int vectors, tacBlock* one) {
    int lanes = p->kernels->lanes;
    for (int i = 0; i < vectors; ++i) {
        p->kernels->leaf(pack->of[i], (const tacReal(*)[TAC_BLOCK]) & pack->x[0][i * lanes], one,
                         lanes, pack->order);
        copy_field(&pack->field, i * lanes, one, lanes, pack->order);
    }
}

static void evaluate(const tacProgram* p, tacPack* pack, int vectors, tacBlock* one) {
    int alike = 1;
    for (int i = 0; i < vectors; ++i) alike &= tac_pack_alike(pack->of[0], pack->of[i]);
    if (vectors && alike)
        p->kernels->superquadrics(pack->of, (const tacReal(*)[TAC_BLOCK])pack->x, &pack->field,
                                  vectors * p->kernels->lanes, pack->order);
    else
        evaluate_each(p, pack, vectors, one);
}

int tac_run_listed(const tacProgram* p, tacRun* run, const tacLeafNeed* need, int needs, int first,
                   int order) {
    int lanes = p->kernels->lanes, done = 0;
    vectorList list = {.next = 0};
    run->pack->order = order;
    while (list.next * lanes < run->points->padded) {
        int from = list.next;
        done += list_vectors(p, run->points, run->pack, &need[done], needs - done, first, &list);
        p->kernels->copy((const tacReal(*)[TAC_BLOCK])run->points->x, run->pack->at, run->pack->x,
                         list.count);
        evaluate(p, run->pack, list.count, run->stack + 1);
        p->kernels->sum(tac_blend_of(p, p->shape->count - 1, 0), &run->pack->field, list.depth,
                        from, list.next, run->stack, order);
    }
    return done;
}
