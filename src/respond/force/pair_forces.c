// One entry for each pair of bodies that touch.

#include "respond/force/pair_forces.h"

#include <string.h>

static int* alloc_index(const tacModel* model, tacArena* arena) {
    return TAC_ALLOC(arena, int, model->contact->nbodies);
}

void tac_pair_force_index_measure(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    alloc_index(model, arena);
    arena->used = mark;
}

int* tac_pair_force_index(const tacModel* model, const tacContacts* contacts, int* count,
                          tacArena* arena) {
    const tacContactPlan* plan = model->contact;
    int* entry = alloc_index(model, arena);
    for (int i = 0; i < plan->nbodies; ++i) entry[i] = -1;
    for (int i = 0; i < contacts->count; ++i) entry[plan->pair[contacts->pair[i]].bodies] = 0;
    *count = 0;
    for (int i = 0; i < plan->nbodies; ++i)
        if (entry[i] == 0) entry[i] = (*count)++;
    return entry;
}

void tac_pair_force_clear(const tacModel* model, const tacKinematics* kinematics, int bodies,
                          tacPairForce* out) {
    const tacBodyPair* pair = &model->contact->bodies[bodies];
    memset(out, 0, sizeof *out);
    for (int i = 0; i < 2; ++i) out->body[i] = pair->body[i];
    tac_store3(out->origin, kinematics->pose[pair->body[1]].position);
}

void tac_pair_force_overlap(const tacContactPair* pair, int index, double depth,
                            tacPairForce* out) {
    double share = depth / pair->thickness;
    if (!(share > out->overlap)) return;
    out->overlap = share;
    out->overlap_pair = index;
}

int tac_pair_friction(const tacModel* model, const tacContactPair* pair) {
    int a = pair->friction[0], b = pair->friction[1];
    if (a < 0 || b < 0) return a;
    return r_is_negative(model->param[a] - model->param[b]) ? b : a;
}

tacTwist tac_relative_twist(const tacKinematics* kinematics, const tacReal* twist,
                            const int body[2], tacVec3 point) {
    tacTwist v[2];
    for (int i = 0; i < 2; ++i)
        v[i] = tac_twist_shift(tac_twist_load(twist + 6 * body[i]),
                               kinematics->pose[body[i]].position, point);
    return tac_twist_sub(v[1], v[0]);
}
