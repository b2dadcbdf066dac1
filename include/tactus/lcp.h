/// Contact with friction as a linear complementarity problem: useful without the rest of Tactus.
///
/// Find impulses f with a = A f + b, and for each contact, n its normal row and t its tangents,
///   f_n >= 0,  a_n >= 0,  f_n a_n = 0
///   |f_t| <= mu f_n,  a_t = 0 inside the bounds,  a_t <= 0 at +mu f_n,  a_t >= 0 at -mu f_n.
/// The bounds are coupled to f_n: a pyramid, not the frozen box of other solvers. docs/lcp.md
#ifndef TACTUS_LCP_H
#define TACTUS_LCP_H

#include "tactus/result.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

/// A frictional problem. Rows of a contact stand together: normal, tangents.
typedef struct tacLcp {
    int contacts;      ///< how many
    int tangents;      ///< of each contact: 0, 1 (planar) or 2
    const tacReal* A;  ///< J M^-1 J', row-major (rows x rows), rows = contacts (1 + tangents)
    const tacReal* b;  ///< velocity without impulses (rows)               [m/s]
    const tacReal* mu; ///< coefficient of friction >= 0 (contacts); NULL without tangents
} tacLcp;

/// What holds in a row: its class. Given the classes, the problem is a linear system.
typedef enum tacLcpStatus {
    TAC_LCP_OFF,   ///< f = 0: a normal that is apart, or a row that others make up for
    TAC_LCP_TIGHT, ///< a = 0: a normal that presses, a tangent that sticks
    TAC_LCP_UPPER, ///< f = mu f_n: a tangent that slides
    TAC_LCP_LOWER  ///< f = -mu f_n: a tangent that slides the other way
} tacLcpStatus;

/// How an answer was found.
typedef enum tacLcpMethod {
    TAC_LCP_NONE,      ///< not found
    TAC_LCP_NEWTON,    ///< classes by Newton's method, the usual case
    TAC_LCP_DANTZIG,   ///< row by row, with bounds that follow the normal impulses
    TAC_LCP_LEMKE,     ///< by Lemke's method with lexicographic pivots
    TAC_LCP_ENUMERATE, ///< by trying all classes, few contacts only
    TAC_LCP_PROXIMAL   ///< by proximal points: many contacts, many answers
} tacLcpMethod;

/// Report on a solve.
typedef struct tacLcpReport {
    tacLcpMethod method; ///< that gave the answer
    int passes;          ///< linear systems solved and pivots made
    int dropped;         ///< rows that others make up for: A is singular, f is one of many
    unsigned flags;      ///< TAC_TIE: two sets of classes fit; TAC_FALLBACK: not by Newton
    double residual;     ///< tac_lcp_residual of the answer, or of the best try       [m/s]
    double scale;        ///< that a residual compares to, max(|b|, |A||f|)            [m/s]
} tacLcpReport;

/// Bytes of working memory that a solve takes; 0 for a size that is not allowed.
TAC_API
size_t tac_lcp_size(int contacts, int tangents);

/// Solves a problem: impulses f (rows) and classes (rows). TAC_OK is an answer with a residual of
/// at most 1e-8 scale, without exception. TAC_ERROR_UNSOLVED: none was found; the report tells the
/// best residual. TAC_ERROR_VALUE: a size, mu or a number is out of range. With `warm` both f and
/// classes are read, too, as a start; classes are tried first. `report` may be NULL.
TAC_API
tacResult tac_lcp_solve(const tacLcp* lcp, int warm, tacReal* f, unsigned char* active_set,
                        tacLcpReport* report, void* memory);

/// How far f is from a solution, largest over the rows: |min(a_n, A_nn f_n)| of a normal,
/// |clip(a_t, A_tt (f_t - mu f_n), A_tt (f_t + mu f_n))| of a tangent. 0 only at a solution.
/// `scale` may be NULL.
TAC_API
double tac_lcp_residual(const tacLcp* lcp, const tacReal* f, double* scale);

/// Bytes of working memory that the functions of the classes take.
TAC_API
size_t tac_lcp_active_set_size(int contacts, int tangents);

/// Impulses of given classes, the solution of their linear system. Rows that others make up for
/// are left at f = 0, their count is returned: a choice among many, and a smooth one.
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
