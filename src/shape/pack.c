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

void tac_block_fill(tacBlock* block, double value, int count, int order) {
    size_t size = sizeof(tacReal) * (size_t)count;
    for (int i = 0; i < count; ++i) block->value[i] = value;
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

int tac_pack_alike(const tacBound* a, const tacBound* b) {
    return in_lock_step(a) && in_lock_step(b) && b->distance == a->distance;
}

static void evaluate(const tacProgram* p, tacPack* pack, int count) {
    const tacReal(*x)[TAC_BLOCK] = (const tacReal(*)[TAC_BLOCK])pack->x;
    if (in_lock_step(pack->of[0]))
        p->kernels->superquadrics(pack->of, x, &pack->field, count, pack->order);
    else
        p->kernels->leaf(pack->of[0], x, &pack->field, count, pack->order);
}

// entries before `end` of part k go where they belong
static void finish(const tacProgram* p, tacPack* pack, int k, int end) {
    int first = pack->first[k], last = pack->first[k + 1],
        count = (last < end ? last : end) - first;
    if (pack->placed[k])
        place(pack->into, &pack->at[first], &pack->field, first, count, pack->order);
    else
        p->kernels->merge_some(tac_blend_up(p, pack->node[k]), pack->into, &pack->at[first],
                               &pack->field, first, count, pack->order);
}

// entries from `end` on become the first
static void move_up(tacPack* pack, int lanes, int part, int end) {
    int left = pack->count - end, parts = pack->parts - part;
    for (int k = 0; k < 3; ++k)
        memmove(pack->x[k], &pack->x[k][end], sizeof(tacReal) * (size_t)left);
    memmove(pack->at, &pack->at[end], sizeof *pack->at * (size_t)left);
    memmove(pack->of, &pack->of[end / lanes], sizeof *pack->of * (size_t)(left / lanes));
    for (int k = 0; k < parts; ++k) {
        int first = pack->first[part + k] - end;
        pack->first[k] = first > 0 ? first : 0;
        pack->node[k] = pack->node[part + k];
        pack->placed[k] = pack->placed[part + k];
    }
    pack->count = left;
    pack->parts = parts;
}

// the first `end` entries, whole vectors
static void empty_some(const tacProgram* p, tacPack* pack, int end) {
    if (end == 0) return;
    int part = 0;
    pack->first[pack->parts] = pack->count;
    evaluate(p, pack, end);
    for (; part < pack->parts && pack->first[part] < end; ++part) finish(p, pack, part, end);
    if (pack->first[part] > end) --part; // begun and not done
    move_up(pack, p->kernels->lanes, part, end);
}

void tac_pack_empty(const tacProgram* p, tacPack* pack) { empty_some(p, pack, pack->count); }

//---------------------------------- points ---------------------------------------

// superquadrics with one distance share a pack
static int fits(const tacProgram* p, const tacPack* pack, int leaf) {
    return pack->parts == 0 || tac_pack_alike(pack->of[0], &p->bound[leaf]);
}

// Vectors that fill no stage wait for more; the entries to come are listed behind those there are.
static void make_room(const tacProgram* p, tacPack* pack, int leaf, int count) {
    const int* listed = &pack->at[pack->count];
    int stage = p->kernels->stage;
    if (!fits(p, pack, leaf)) tac_pack_empty(p, pack);
    if (pack->count + count > TAC_BLOCK) empty_some(p, pack, pack->count / stage * stage);
    if (pack->count + count > TAC_BLOCK) tac_pack_empty(p, pack);
    memmove(&pack->at[pack->count], listed, sizeof *listed * (size_t)count);
}

void tac_pack_add(const tacProgram* p, tacPack* pack, int leaf, tacBits keep, int placed) {
    int lanes = p->kernels->lanes, count = tac_keep_list(keep, lanes, &pack->at[pack->count]);
    if (count == 0) return;
    make_room(p, pack, leaf, count);
    int first = pack->count, part = pack->parts++;
    pack->node[part] = leaf;
    pack->placed[part] = placed;
    pack->first[part] = first;
    for (int i = 0; i < count; i += lanes) pack->of[(first + i) / lanes] = &p->bound[leaf];
    p->kernels->take((const tacReal(*)[TAC_BLOCK])pack->points->x, &pack->at[first], pack->x, first,
                     count);
    pack->count += count;
}
