// The frictional problem by proximal points: for many contacts, and where many answers fit.
//
//   f_k+1 solves the problem with A + rho and b - rho f_k: its answer is next to f_k
//
// From 0 it comes to an answer next to the shortest of many. docs/lcp.md, eq.
// (10) to (12).

#ifndef TAC_RESPOND_LCP_PROXIMAL_H
#define TAC_RESPOND_LCP_PROXIMAL_H

#include "tactus/lcp.h"

// All numbers are of the scaled problem: one unit of impulse a contact, diagonals of at most 1.
typedef struct tacProximal {
    const tacLcp* lcp;
    int rows, stride;           // of the problem, of one contact
    int rank;                   // of A, which is L L'
    double *L, *H;              // (rows x rank) (rank x rank)
    double *b, *f, *g;          // right side, impulses, those of the point before (rows)
    double *a, *start, *along;  // velocities at u, at u = 0, and along a step (rows)
    double *u, *step, *slope;   // L' (f - g), a step of it, its residual (rank)
    double* block;              // rows of P' L that are added together (4 x rank)
    double* convex_u;           // u of the convex problem (rank)
    double *unit, *normal_lift; // impulse of 1, and mu |a_t| (contacts)
    double speed, size;         // velocity of 1; of L' g
    double rho;
    int* pivot;                       // of H (rank)
    unsigned char *active_set, *done; // (rows)
    int points, passes;               // points, and systems solved
    double most; // the largest impulse: without contact velocities are at most 1
} tacProximal;

size_t tac_proximal_size(int contacts, int tangents);

// factors A; the first point is `start`, or 0 (NULL)
tacProximal tac_proximal(const tacLcp* lcp, const double* start, void* memory);

// The next point: impulses and active set.
void tac_proximal_next(tacProximal* p, double* f, unsigned char* active_set);

#endif
