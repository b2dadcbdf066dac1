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

int tac_keep_list(uint64_t keep, int lanes, int index[TAC_BLOCK]) {
    int count = 0;
    for (; keep; keep &= keep - 1) index[count++] = __builtin_ctzll(keep);
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

// points index[0 .. count - 1] of the block behind those that are there
static void copy_points(tacPack* pack, const int* index, int count) {
    int* at = &pack->at[pack->count];
    for (int i = 0; i < count; ++i) at[i] = index[i];
    for (int k = 0; k < 3; ++k) {
        const tacReal* from = pack->points->x[k];
        tacReal* x = &pack->x[k][pack->count];
        for (int i = 0; i < count; ++i) x[i] = from[index[i]];
    }
}

void tac_pack_add(const tacProgram* p, tacPack* pack, int leaf, uint64_t keep, int placed) {
    int index[TAC_BLOCK], lanes = p->kernels->lanes;
    int count = tac_keep_list(keep, lanes, index);
    if (!fits(p, pack, leaf)) tac_pack_empty(p, pack);
    for (int done = 0, part; done < count; done += part) {
        if (pack->count == TAC_BLOCK) tac_pack_empty(p, pack);
        int room = TAC_BLOCK - pack->count;
        part = count - done < room ? count - done : room;
        pack->node[pack->parts] = leaf, pack->placed[pack->parts] = placed;
        pack->first[pack->parts++] = pack->count;
        const tacBound** of = &pack->of[pack->count / lanes];
        for (int i = 0; i < part; i += lanes) *of++ = &p->bound[leaf];
        copy_points(pack, &index[done], part);
        pack->count += part;
    }
}
