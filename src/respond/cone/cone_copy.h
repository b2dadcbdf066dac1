// Copies of a problem's numbers for tac_cone_hvp, which moves them. The double build measures what
// the complex build allocates.

#ifndef TAC_RESPOND_CONE_COPY_H
#define TAC_RESPOND_CONE_COPY_H

#include "respond/cone/cone_island.h"

// M, a0, J, aref, D, mu, width
enum { CONE_NUMBERS = 7 };

typedef struct coneCopy {
    int count[CONE_NUMBERS];
    tacReal *number[CONE_NUMBERS], *bar[CONE_NUMBERS];
    tacReal *a, *a_bar, *f_bar;
} coneCopy;

static inline int cone_jacobian_entries(const tacCone* cone) {
    int most = 0;
    for (int b = 0; b < cone->blocks; ++b) {
        const tacConeBlock* block = &cone->block[b];
        int end = block->entry + block->rows * block->columns;
        if (end > most) most = end;
    }
    return most;
}

static inline coneCopy cone_copy_alloc(const tacCone* cone, tacArena* arena) {
    int nv = cone->nv, rows = cone->rows;
    coneCopy c = {.count = {nv ? cone->M_start[nv] : 0, nv, cone_jacobian_entries(cone), rows, rows,
                            cone->mu ? rows : 0, cone->width ? rows : 0}};
    for (int k = 0; k < CONE_NUMBERS; ++k) {
        c.number[k] = TAC_ALLOC(arena, tacReal, c.count[k]);
        c.bar[k] = TAC_ALLOC(arena, tacReal, c.count[k]);
    }
    c.a = TAC_ALLOC(arena, tacReal, nv);
    c.a_bar = TAC_ALLOC(arena, tacReal, nv);
    c.f_bar = TAC_ALLOC(arena, tacReal, rows);
    return c;
}

#endif
