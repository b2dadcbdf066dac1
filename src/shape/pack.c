// Gathering points for leaves, and bringing their fields back.

#include "shape/pack.h"

#include <string.h>

static const tacNode* node_at(const tacProgram* p, int i) {
    return &p->model->node[p->shape->first + i];
}

int tac_is_first(const tacProgram* p, int i) {
    const tacNode* node = node_at(p, i);
    return node->parent >= 0 && p->model->node[node->parent].first == node->first;
}

tacBlend tac_blend_up(const tacProgram* p, int i) {
    return tac_blend_of(p, node_at(p, i)->parent - p->shape->first, i);
}

int tac_keep_list(tacBits keep, int lanes, int index[TAC_BLOCK]) {
    int count = tac_bits_list(keep, index);
    for (; count & (lanes - 1); ++count) index[count] = index[count - 1]; // a power of two
    return count;
}

//---------------------------------- fields ---------------------------------------

// a field that no child has entered yet
void tac_block_clear(tacBlock* block, int count, int order) {
    size_t size = sizeof(tacReal) * (size_t)count;
    for (int i = 0; i < count; ++i) block->value[i] = TAC_FAR;
    for (int k = 0; k < 3 && order >= 1; ++k) memset(block->gradient[k], 0, size);
    for (int k = 0; k < 6 && order >= 2; ++k) memset(block->hessian[k], 0, size);
}

// entries from, from + 1, … of a field to the points that they are of
static void place(tacBlock* out, const int* at, const tacBlock* field, int from, int count,
                  int order) {
    for (int i = 0; i < count; ++i) {
        out->value[at[i]] = field->value[from + i];
        for (int k = 0; k < 3 && order >= 1; ++k)
            out->gradient[k][at[i]] = field->gradient[k][from + i];
        for (int k = 0; k < 6 && order >= 2; ++k)
            out->hessian[k][at[i]] = field->hessian[k][from + i];
    }
}

// superquadrics without ridges have a kernel that takes several of them
static int in_lock_step(const tacBound* b) {
    return b->kind == TAC_NODE_SUPERQUADRIC && !b->ridged;
}

void tac_pack_empty(const tacProgram* p, tacPack* pack) {
    if (pack->count == 0) return;
    const tacReal(*x)[TAC_BLOCK] = (const tacReal(*)[TAC_BLOCK])pack->x;
    if (in_lock_step(pack->of[0]))
        p->kernels->superquadrics(pack->of, x, &pack->field, pack->count, pack->order);
    else
        p->kernels->leaf(pack->of[0], x, &pack->field, pack->count, pack->order);
    pack->first[pack->parts] = pack->count;
    for (int k = 0; k < pack->parts; ++k) {
        int first = pack->first[k], count = pack->first[k + 1] - first;
        if (pack->placed[k])
            place(pack->into, &pack->at[first], &pack->field, first, count, pack->order);
        else
            p->kernels->merge_some(tac_blend_up(p, pack->node[k]), pack->into, &pack->at[first],
                                   &pack->field, first, count, pack->order);
    }
    pack->count = pack->parts = 0;
}

//---------------------------------- points ---------------------------------------

// superquadrics with one distance share a pack
static int fits(const tacProgram* p, const tacPack* pack, int leaf) {
    if (pack->parts == 0) return 1;
    const tacBound *a = pack->of[0], *b = &p->bound[leaf];
    return in_lock_step(a) && in_lock_step(b) && b->distance == a->distance;
}

void tac_pack_add(const tacProgram* p, tacPack* pack, int leaf, tacBits keep, int placed) {
    int lanes = p->kernels->lanes, count = tac_keep_list(keep, lanes, &pack->at[pack->count]);
    if (count == 0) return;
    if (!fits(p, pack, leaf) || pack->count + count > TAC_BLOCK) {
        const int* listed = &pack->at[pack->count];
        tac_pack_empty(p, pack);
        memmove(pack->at, listed, sizeof *listed * (size_t)count);
    }
    int first = pack->count, part = pack->parts++;
    pack->node[part] = leaf, pack->placed[part] = placed, pack->first[part] = first;
    for (int i = 0; i < count; i += lanes) pack->of[(first + i) / lanes] = &p->bound[leaf];
    p->kernels->take((const tacReal(*)[TAC_BLOCK])pack->points->x, &pack->at[first], pack->x, first,
                     count);
    pack->count += count;
}
