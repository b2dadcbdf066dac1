// Gathering points for leaves, and bringing their fields back.

#include "shape/pack.h"

#include <string.h>

static const tacNode* node_at(const tacShapeProgram* p, int i) {
    return &p->model->node[p->shape->first + i];
}

int tac_node_is_first(const tacShapeProgram* p, int i) {
    const tacNode* node = node_at(p, i);
    return node->parent >= 0 && p->model->node[node->parent].first == node->first;
}

tacBlend tac_parent_blend(const tacShapeProgram* p, int i) {
    return tac_child_blend(p, node_at(p, i)->parent - p->shape->first, i);
}

int tac_point_mask_padded_list(tacPointMask keep, int lanes, int index[TAC_BLOCK]) {
    int count = tac_point_mask_list(keep, index);
    for (; count & (lanes - 1); ++count) index[count] = index[count - 1]; // a power of two
    return count;
}

//---------------------------------- fields ---------------------------------------

void tac_block_fill(tacFieldBlock* block, double value, int count, int order) {
    size_t size = sizeof(tacReal) * (size_t)count;
    for (int i = 0; i < count; ++i) block->value[i] = value;
    for (int k = 0; k < 3 && order >= 1; ++k) memset(block->gradient[k], 0, size);
    for (int k = 0; k < 6 && order >= 2; ++k) memset(block->hessian[k], 0, size);
}

// entries from, from + 1, … of a field to the points that they are of
static void scatter_field(tacFieldBlock* out, const int* at, const tacFieldBlock* field, int from,
                          int count, int order) {
    for (int i = 0; i < count; ++i) {
        out->value[at[i]] = field->value[from + i];
        for (int k = 0; k < 3 && order >= 1; ++k)
            out->gradient[k][at[i]] = field->gradient[k][from + i];
        for (int k = 0; k < 6 && order >= 2; ++k)
            out->hessian[k][at[i]] = field->hessian[k][from + i];
    }
}

// superquadrics without ridges have a kernel that takes several of them
static int is_lock_step(const tacNodeData* b) {
    return b->kind == TAC_NODE_SUPERQUADRIC && !b->ridged;
}

int tac_pack_compatible(const tacNodeData* a, const tacNodeData* b) {
    return is_lock_step(a) && is_lock_step(b) && b->distance == a->distance;
}

static void evaluate_pack(const tacShapeProgram* p, tacPack* pack, int count) {
    const tacReal(*x)[TAC_BLOCK] = (const tacReal(*)[TAC_BLOCK])pack->x;
    if (is_lock_step(pack->leaf_of[0]))
        p->kernels->superquadrics(pack->leaf_of, x, &pack->field, count, pack->order);
    else
        p->kernels->leaf(pack->leaf_of[0], x, &pack->field, count, pack->order);
}

// entries before `end` of part k go where they belong
static void scatter_part(const tacShapeProgram* p, tacPack* pack, int k, int end) {
    int first = pack->first[k], last = pack->first[k + 1],
        count = (last < end ? last : end) - first;
    if (pack->overwrite[k])
        scatter_field(pack->into, &pack->at[first], &pack->field, first, count, pack->order);
    else
        p->kernels->blend_merge_some(tac_parent_blend(p, pack->node[k]), pack->into,
                                     &pack->at[first], &pack->field, first, count, pack->order);
}

// entries from `end` on become the first
static void shift_entries(tacPack* pack, int lanes, int part, int end) {
    int left = pack->count - end, parts = pack->parts - part;
    for (int k = 0; k < 3; ++k)
        memmove(pack->x[k], &pack->x[k][end], sizeof(tacReal) * (size_t)left);
    memmove(pack->at, &pack->at[end], sizeof *pack->at * (size_t)left);
    memmove(pack->leaf_of, &pack->leaf_of[end / lanes],
            sizeof *pack->leaf_of * (size_t)(left / lanes));
    for (int k = 0; k < parts; ++k) {
        int first = pack->first[part + k] - end;
        pack->first[k] = first > 0 ? first : 0;
        pack->node[k] = pack->node[part + k];
        pack->overwrite[k] = pack->overwrite[part + k];
    }
    pack->count = left;
    pack->parts = parts;
}

// the first `end` entries, whole vectors
static void flush_entries(const tacShapeProgram* p, tacPack* pack, int end) {
    if (end == 0) return;
    int part = 0;
    pack->first[pack->parts] = pack->count;
    evaluate_pack(p, pack, end);
    for (; part < pack->parts && pack->first[part] < end; ++part) scatter_part(p, pack, part, end);
    if (pack->first[part] > end) --part; // begun and not done
    shift_entries(pack, p->kernels->lanes, part, end);
}

void tac_pack_flush(const tacShapeProgram* p, tacPack* pack) {
    flush_entries(p, pack, pack->count);
}

//---------------------------------- points ---------------------------------------

// superquadrics with one distance share a pack
static int can_join_pack(const tacShapeProgram* p, const tacPack* pack, int leaf) {
    return pack->parts == 0 || tac_pack_compatible(pack->leaf_of[0], &p->node_data[leaf]);
}

// Vectors that fill no stage wait for more; the entries to come are listed behind those there are.
static void make_space(const tacShapeProgram* p, tacPack* pack, int leaf, int count) {
    const int* listed = &pack->at[pack->count];
    int stage = p->kernels->stage;
    if (!can_join_pack(p, pack, leaf)) tac_pack_flush(p, pack);
    if (pack->count + count > TAC_BLOCK) flush_entries(p, pack, pack->count / stage * stage);
    if (pack->count + count > TAC_BLOCK) tac_pack_flush(p, pack);
    memmove(&pack->at[pack->count], listed, sizeof *listed * (size_t)count);
}

void tac_pack_add(const tacShapeProgram* p, tacPack* pack, int leaf, tacPointMask keep,
                  int overwrite) {
    int lanes = p->kernels->lanes,
        count = tac_point_mask_padded_list(keep, lanes, &pack->at[pack->count]);
    if (count == 0) return;
    make_space(p, pack, leaf, count);
    int first = pack->count, part = pack->parts++;
    pack->node[part] = leaf;
    pack->overwrite[part] = overwrite;
    pack->first[part] = first;
    for (int i = 0; i < count; i += lanes) pack->leaf_of[(first + i) / lanes] = &p->node_data[leaf];
    p->kernels->gather_points((const tacReal(*)[TAC_BLOCK])pack->points->x, &pack->at[first],
                              pack->x, first, count);
    pack->count += count;
}
