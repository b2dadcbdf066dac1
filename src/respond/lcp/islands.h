// Islands of a frictional problem: contacts coupled through A. Each island is a problem of its own,
// in the order of its first contact. Its answer has the bits that it has alone.

#ifndef TAC_RESPOND_LCP_ISLANDS_H
#define TAC_RESPOND_LCP_ISLANDS_H

#include "tactus/lcp.h"

typedef struct tacIslands {
    const tacLcp* lcp;
    int count;
    int *contact, *first;      // contacts of island k: contact[first[k] .. first[k + 1])
    double *A, *b, *mu;        // of the island at hand
    double *f, *x, *y, *z;     // impulses and what else has a number a row, of the island at hand
    unsigned char* active_set; // of the island at hand
    void* memory;              // behind all that
} tacIslands;

size_t tac_islands_size(int contacts, int tangents);
tacIslands tac_islands(const tacLcp* lcp, void* memory);

// the problem of island k, in the arrays above; with one island, the problem itself
tacLcp tac_island(tacIslands* s, int k);

// numbers of island k, `width` a contact, from those of all contacts; and back
void tac_island_gather(const tacIslands* s, int k, int width, const double* all, double* own);
void tac_island_scatter(const tacIslands* s, int k, int width, const double* own, double* all);
void tac_island_gather_active_set(const tacIslands* s, int k, const unsigned char* all);
void tac_island_scatter_active_set(const tacIslands* s, int k, unsigned char* all);

// derivatives of tac_lcp_active_set, island by island
size_t tac_islands_active_set_size(int contacts, int tangents);
void tac_islands_active_set_jvp(const tacLcp* lcp, const unsigned char* active_set, const double* f,
                                const double* b_dot, const double* mu_dot, double* f_dot,
                                void* memory);
void tac_islands_active_set_vjp(const tacLcp* lcp, const unsigned char* active_set, const double* f,
                                const double* f_bar, double* b_bar, double* mu_bar, void* memory);

#endif
