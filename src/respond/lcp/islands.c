// Islands of a frictional problem.

#include "respond/lcp/islands.h"

#include "base/arena.h"

#include <string.h>

//---------------------------------- connectivity ----------------------------------

// does an impulse at contact j move contact i?
static int impulse_moves(const tacLcp* lcp, int i, int j) {
    size_t stride = (size_t)(1 + lcp->tangents), rows = stride * (size_t)lcp->contacts;
    const double* A = lcp->A + (size_t)i * stride * rows + (size_t)j * stride;
    for (size_t r = 0; r < stride; ++r)
        for (size_t c = 0; c < stride; ++c)
            if (A[r * rows + c] != 0.0) return 1;
    return 0;
}

static int are_coupled(const tacLcp* lcp, int i, int j) {
    return impulse_moves(lcp, i, j) || impulse_moves(lcp, j, i);
}

// Is every contact coupled to an earlier one? Then there is one island, found without a search.
static int is_single_island(const tacLcp* lcp) {
    for (int i = 1; i < lcp->contacts; ++i) {
        int j = i - 1;
        while (j >= 0 && !impulse_moves(lcp, i, j)) --j;
        if (j < 0) return 0;
    }
    return 1;
}

// Contacts by breadth from the first that is left. Behind contact[found] are the others, in
// order.
static void find_islands(tacIslands* s) {
    int n = s->lcp->contacts, found = 0, *contact = s->contact;
    s->count = 0;
    s->first[0] = 0;
    for (int i = 0; i < n; ++i) contact[i] = i;
    if (is_single_island(s->lcp)) found = s->first[s->count = 1] = n;
    while (found < n) {
        int begin = found++;
        for (int i = begin; i < found; ++i)
            for (int j = found; j < n; ++j) {
                int c = contact[j];
                if (!are_coupled(s->lcp, contact[i], c)) continue;
                memmove(contact + found + 1, contact + found, sizeof(int) * (size_t)(j - found));
                contact[found++] = c;
            }
        s->first[++s->count] = found;
    }
}

// contacts of each island in the order of the problem
static void sort_contacts(tacIslands* s) {
    for (int k = 0; k < s->count; ++k)
        for (int i = s->first[k] + 1; i < s->first[k + 1]; ++i) {
            int c = s->contact[i], j = i;
            for (; j > s->first[k] && s->contact[j - 1] > c; --j) s->contact[j] = s->contact[j - 1];
            s->contact[j] = c;
        }
}

static tacIslands alloc_islands(const tacLcp* lcp, tacArena* arena) {
    int n = lcp->contacts, rows = n * (1 + lcp->tangents);
    return (tacIslands){.lcp = lcp,
                        .A = TAC_ALLOC(arena, double, (size_t)rows*(size_t)rows),
                        .b = TAC_ALLOC(arena, double, rows),
                        .mu = TAC_ALLOC(arena, double, n),
                        .f = TAC_ALLOC(arena, double, rows),
                        .x = TAC_ALLOC(arena, double, rows),
                        .y = TAC_ALLOC(arena, double, rows),
                        .z = TAC_ALLOC(arena, double, rows),
                        .contact = TAC_ALLOC(arena, int, n),
                        .first = TAC_ALLOC(arena, int, n + 1),
                        .active_set = TAC_ALLOC(arena, unsigned char, rows)};
}

size_t tac_islands_size(int contacts, int tangents) {
    tacArena dry = tac_arena_measure(1);
    alloc_islands(&(tacLcp){.contacts = contacts, .tangents = tangents}, &dry);
    return dry.peak;
}

tacIslands tac_islands(const tacLcp* lcp, void* memory) {
    tacArena arena = tac_arena_over(memory);
    tacIslands s = alloc_islands(lcp, &arena);
    s.memory = arena.base + arena.used;
    find_islands(&s);
    sort_contacts(&s); // one island, too: its contacts are those of the problem, in order
    return s;
}

//---------------------------------- one island ----------------------------------

static int island_size(const tacIslands* s, int k) { return s->first[k + 1] - s->first[k]; }

void tac_island_gather(const tacIslands* s, int k, int width, const double* all,
                       double* island_lcp) {
    const int* contact = s->contact + s->first[k];
    for (int i = 0; i < island_size(s, k); ++i)
        for (int c = 0; c < width; ++c) island_lcp[i * width + c] = all[contact[i] * width + c];
}

void tac_island_scatter(const tacIslands* s, int k, int width, const double* island_lcp,
                        double* all) {
    const int* contact = s->contact + s->first[k];
    for (int i = 0; i < island_size(s, k); ++i)
        for (int c = 0; c < width; ++c) all[contact[i] * width + c] = island_lcp[i * width + c];
}

void tac_island_gather_active_set(const tacIslands* s, int k, const unsigned char* all) {
    int stride = 1 + s->lcp->tangents;
    const int* contact = s->contact + s->first[k];
    for (int i = 0; i < island_size(s, k) * stride; ++i)
        s->active_set[i] = all[contact[i / stride] * stride + i % stride];
}

void tac_island_scatter_active_set(const tacIslands* s, int k, unsigned char* all) {
    int stride = 1 + s->lcp->tangents;
    const int* contact = s->contact + s->first[k];
    for (int i = 0; i < island_size(s, k) * stride; ++i)
        all[contact[i / stride] * stride + i % stride] = s->active_set[i];
}

tacLcp tac_island(tacIslands* s, int k) {
    const tacLcp* lcp = s->lcp;
    int stride = 1 + lcp->tangents, n = island_size(s, k), rows = n * stride;
    const int* contact = s->contact + s->first[k];
    if (s->count == 1) return *lcp;
    for (int i = 0; i < rows; ++i) {
        size_t row = (size_t)(contact[i / stride] * stride + i % stride);
        const double* A = lcp->A + row * (size_t)(lcp->contacts * stride);
        tac_island_gather(s, k, stride, A, s->A + (size_t)i * (size_t)rows);
    }
    tac_island_gather(s, k, stride, lcp->b, s->b);
    if (lcp->mu) tac_island_gather(s, k, 1, lcp->mu, s->mu);
    return (tacLcp){n, lcp->tangents, s->A, s->b, lcp->mu ? s->mu : NULL};
}

//---------------------------------- derivatives ----------------------------------

size_t tac_islands_active_set_size(int contacts, int tangents) {
    return tac_islands_size(contacts, tangents) + tac_lcp_active_set_size(contacts, tangents);
}

void tac_islands_active_set_jvp(const tacLcp* lcp, const unsigned char* active_set, const double* f,
                                const double* b_dot, const double* mu_dot, double* f_dot,
                                void* memory) {
    tacIslands s = tac_islands(lcp, memory);
    int stride = 1 + lcp->tangents;
    for (int k = 0; k < s.count; ++k) {
        tacLcp island_lcp = tac_island(&s, k);
        tac_island_gather_active_set(&s, k, active_set);
        tac_island_gather(&s, k, stride, f, s.f);
        tac_island_gather(&s, k, stride, b_dot, s.x);
        tac_island_gather(&s, k, 1, mu_dot, s.z);
        tac_lcp_active_set_jvp(&island_lcp, s.active_set, s.f, NULL, s.x, s.z, s.y, s.memory);
        tac_island_scatter(&s, k, stride, s.y, f_dot);
    }
}

void tac_islands_active_set_vjp(const tacLcp* lcp, const unsigned char* active_set, const double* f,
                                const double* f_bar, double* b_bar, double* mu_bar, void* memory) {
    tacIslands s = tac_islands(lcp, memory);
    int stride = 1 + lcp->tangents;
    for (int k = 0; k < s.count; ++k) {
        tacLcp island_lcp = tac_island(&s, k);
        tac_island_gather_active_set(&s, k, active_set);
        tac_island_gather(&s, k, stride, f, s.f);
        tac_island_gather(&s, k, stride, f_bar, s.y);
        tac_island_gather(&s, k, stride, b_bar, s.x);
        tac_island_gather(&s, k, 1, mu_bar, s.z);
        tac_lcp_active_set_vjp(&island_lcp, s.active_set, s.f, s.y, NULL, s.x, s.z, s.memory);
        tac_island_scatter(&s, k, stride, s.x, b_bar);
        tac_island_scatter(&s, k, 1, s.z, mu_bar);
    }
}
