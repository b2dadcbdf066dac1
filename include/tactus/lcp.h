/// A solver for contact with friction as a linear complementarity problem. It needs no scene.
///
/// Find impulses f with a = A f + b such that, for the normal row n and tangent rows t of a
/// contact,
///   f_n >= 0,  a_n >= 0,  f_n a_n = 0
///   |f_t| <= mu f_n,  a_t = 0 inside the bounds,  a_t <= 0 at +mu f_n,  a_t >= 0 at -mu f_n.
/// The friction bounds are coupled to f_n: a pyramid, not a box with frozen bounds (docs/lcp.md).
#ifndef TACTUS_LCP_H
#define TACTUS_LCP_H

#include "tactus/result.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

/// A frictional problem. The rows of a contact stand together: normal, tangents.
typedef struct tacLcp {
    int contacts;      ///< number of contacts
    int tangents;      ///< tangent rows per contact: 0, 1 (planar) or 2
    const tacReal* A;  ///< J M^-1 J', row-major (rows x rows), rows = contacts (1 + tangents).
                       ///< Symmetric to 1e-9 of sqrt(A_ii A_jj)
    const tacReal* b;  ///< velocity without impulses (rows)               [m/s]
    const tacReal* mu; ///< friction coefficient >= 0 (contacts); NULL without tangents
} tacLcp;

/// Status of a row. With all statuses given (the active set), the problem is a linear system.
typedef enum tacLcpStatus {
    TAC_LCP_OFF,   ///< f = 0: a separated normal, or a redundant row
    TAC_LCP_TIGHT, ///< a = 0: a normal in contact, a tangent that sticks
    TAC_LCP_UPPER, ///< f = mu f_n: a tangent that slides
    TAC_LCP_LOWER  ///< f = -mu f_n: a tangent that slides in the other direction
} tacLcpStatus;

/// Method that found a solution.
typedef enum tacLcpMethod {
    TAC_LCP_NONE,      ///< none
    TAC_LCP_NEWTON,    ///< Newton's method on the active set, the usual case
    TAC_LCP_DANTZIG,   ///< Dantzig's pivoting with coupled friction bounds
    TAC_LCP_LEMKE,     ///< Lemke's method with lexicographic pivots
    TAC_LCP_ENUMERATE, ///< enumeration of active sets, few contacts only
    TAC_LCP_PROXIMAL   ///< proximal point method, for many contacts and many solutions
} tacLcpMethod;

/// Report on a solve.
typedef struct tacLcpReport {
    tacLcpMethod method; ///< method of the solution
    int passes;          ///< linear solves and pivots
    int dropped;         ///< redundant rows: A is singular, f is one of many solutions
    unsigned flags;      ///< TAC_TIE: two active sets fit; TAC_FALLBACK: not by Newton
    double residual;     ///< tac_lcp_residual of the solution, by the rows of A; without a
                         ///< solution that of the best try                         [m/s]
    double scale;        ///< scale of the residual, max(|b|, |A||f|)                  [m/s]
} tacLcpReport;

/// Bytes of working memory for tac_lcp_solve; 0 for a size out of range.
TAC_API
size_t tac_lcp_size(int contacts, int tangents);

/// Solves a problem for impulses f (rows) and the active set (rows, tacLcpStatus). TAC_OK is an
/// answer with a residual of at most 1e-8 scale, without exception. TAC_ERROR_UNSOLVED: no solution
/// was found; the report has the best residual. TAC_ERROR_VALUE: a size or number is out of range,
/// or A is not symmetric.
/// With `warm` 1, f and active_set are also the starting values. `report` may be NULL.
TAC_API
tacResult tac_lcp_solve(const tacLcp* lcp, int warm, tacReal* f, unsigned char* active_set,
                        tacLcpReport* report, void* memory);

/// Residual of f, the largest over the rows: |min(a_n, A_nn f_n)| of a normal, |clip(a_t, A_tt (f_t
/// - mu f_n), A_tt (f_t + mu f_n))| of a tangent. It is 0 only at a solution. `scale` may be NULL.
TAC_API
double tac_lcp_residual(const tacLcp* lcp, const tacReal* f, double* scale);

/// Bytes of working memory for the functions below.
TAC_API
size_t tac_lcp_active_set_size(int contacts, int tangents);

/// Impulses of a given active set, the solution of its linear system. Redundant rows stay at f = 0;
/// returns their number.
TAC_API
int tac_lcp_active_set(const tacLcp* lcp, const unsigned char* active_set, tacReal* f,
                       void* memory);

/// Derivative of tac_lcp_active_set along A_dot, b_dot, mu_dot (NULL: 0), at its solution f.
TAC_API
void tac_lcp_active_set_jvp(const tacLcp* lcp, const unsigned char* active_set, const tacReal* f,
                            const tacReal* A_dot, const tacReal* b_dot, const tacReal* mu_dot,
                            tacReal* f_dot, void* memory);

/// Reverse derivative of tac_lcp_active_set: adds to A_bar, b_bar, mu_bar (NULL to skip).
TAC_API
void tac_lcp_active_set_vjp(const tacLcp* lcp, const unsigned char* active_set, const tacReal* f,
                            const tacReal* f_bar, tacReal* A_bar, tacReal* b_bar, tacReal* mu_bar,
                            void* memory);

TAC_EXTERN_C_END

#endif
