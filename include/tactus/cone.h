/// Convex contact dynamics: the acceleration of least cost, with contacts, limits, friction loss
/// and equalities as penalties. It needs no scene (docs/cone.md).
///
///   a = argmin  1/2 (a - a0)' M (a - a0) + sum over blocks of s(x),   x = J a - aref
///   f = -s'(x),   M (a - a0) = J' f
///
/// s is convex, so the answer is unique. With width > 0 it has two continuous derivatives.
#ifndef TACTUS_CONE_H
#define TACTUS_CONE_H

#include "tactus/result.h"

#include <stddef.h>

TAC_EXTERN_C_BEGIN

/// Largest number of rows of an elliptic cone: normal, two tangents, torsion, two of rolling.
#define TAC_CONE_ROWS 6

/// Kind of a block of rows.
typedef enum tacConeKind {
    TAC_CONE_EQUALITY, ///< f = -D x, row by row
    TAC_CONE_LIMIT, ///< f = D relu(-x), row by row: limit, frictionless contact, edge of a pyramid
    TAC_CONE_FRICTION, ///< f = -D x clamped to +-mu, row by row: friction loss
    TAC_CONE_ELLIPTIC  ///< a contact with friction: its rows are normal, tangents, torsion, rolling
} tacConeKind;

/// Rows that share degrees of freedom.
typedef struct tacConeBlock {
    tacConeKind kind; ///< law of the rows
    int row, rows;    ///< first row and number of rows
    int column;       ///< its degrees of freedom are tacCone.column[column ...], rising
    int columns;      ///< number of degrees of freedom
    int entry;        ///< its part of J is tacCone.J[entry ...], row-major (rows x columns)
} tacConeBlock;

/// A problem. Its numbers are differentiable; the pattern is not.
typedef struct tacCone {
    int nv;              ///< degrees of freedom
    int blocks;          ///< number of blocks
    int rows;            ///< number of rows of all blocks
    const int* M_start;  ///< row i of M has the entries M_start[i] .. M_start[i + 1]  (nv + 1)
    const int* M_column; ///< columns of a row, rising; the last is the diagonal
    const tacConeBlock* block; ///< blocks                                               (blocks)
    const int* column;         ///< degrees of freedom of the blocks
    const tacReal* M;          ///< lower triangle of the mass matrix
    const tacReal* a0;         ///< acceleration without constraints                         (nv)
    const tacReal* J;          ///< Jacobians of the blocks
    const tacReal* aref;       ///< wanted accelerations of the rows                       (rows)
    const tacReal* D;          ///< stiffness 1/R > 0; a cone reads that of its normal     (rows)
    const tacReal* mu;         ///< largest force of friction loss; for a cone mu_1/sqrt(impratio)
                               ///< at the normal, friction coefficients at the others     (rows)
    const tacReal* width;      ///< half width of the rounded corner >= 0; a cone reads that of its
                               ///< normal; NULL: 0                                        (rows)
} tacCone;

/// Direction in the space of the numbers of a problem; NULL means zero.
typedef struct tacConeTangent {
    const tacReal* M;     ///< as tacCone.M
    const tacReal* a0;    ///< as tacCone.a0
    const tacReal* J;     ///< as tacCone.J
    const tacReal* aref;  ///< as tacCone.aref
    const tacReal* D;     ///< as tacCone.D
    const tacReal* mu;    ///< as tacCone.mu
    const tacReal* width; ///< as tacCone.width
} tacConeTangent;

/// Adjoint of the numbers of a problem; NULL skips.
typedef struct tacConeAdjoint {
    tacReal* M;     ///< as tacCone.M; an entry off the diagonal stands for two of the matrix
    tacReal* a0;    ///< as tacCone.a0
    tacReal* J;     ///< as tacCone.J
    tacReal* aref;  ///< as tacCone.aref
    tacReal* D;     ///< as tacCone.D
    tacReal* mu;    ///< as tacCone.mu
    tacReal* width; ///< as tacCone.width
} tacConeAdjoint;

/// Report on a solve.
typedef struct tacConeReport {
    int iterations;  ///< Newton steps, of the island with the most
    int islands;     ///< groups of degrees of freedom that nothing couples
    unsigned flags;  ///< TAC_TIE: width is 0 and a row is at a corner of its law
    double residual; ///< |g| in the norm of M^-1, g the gradient of the cost. The distance of a
                     ///< from the answer in the norm of M is at most this.
    double scale;    ///< |a0| + |a - a0| in the norm of M
    double cost;     ///< cost at a
} tacConeReport;

/// Bytes of working memory for the functions below; 0 for a pattern that is out of range.
TAC_API
size_t tac_cone_size(const tacCone* cone);

/// Finds a (nv). With `warm` 1, a is also a first guess, taken where its cost is below that of a0;
/// the answer depends on it by rounding only. `report` may be NULL.
/// TAC_OK has a residual of at most 1e-8 scale. TAC_ERROR_UNSOLVED: a is the best that was found.
/// TAC_ERROR_VALUE: the pattern or a number is out of range, or M is not positive definite.
TAC_API
tacResult tac_cone_solve(const tacCone* cone, int warm, tacReal* a, tacConeReport* report,
                         void* memory);

/// Forces f (rows) of an acceleration: -s'(J a - aref).
TAC_API
tacResult tac_cone_force(const tacCone* cone, const tacReal* a, tacReal* f);

/// Forward derivative of tac_cone_solve and tac_cone_force at their solution a: a_dot (nv), f_dot
/// (rows); NULL skips.
TAC_API
tacResult tac_cone_jvp(const tacCone* cone, const tacReal* a, const tacConeTangent* dot,
                       tacReal* a_dot, tacReal* f_dot, void* memory);

/// Reverse derivative of tac_cone_solve and tac_cone_force at their solution a: adds to `bar`.
/// a_bar (nv) and f_bar (rows) may be NULL.
TAC_API
tacResult tac_cone_vjp(const tacCone* cone, const tacReal* a, const tacReal* a_bar,
                       const tacReal* f_bar, const tacConeAdjoint* bar, void* memory);

/// Bytes of working memory for tac_cone_hvp.
TAC_API
size_t tac_cone_hvp_size(const tacCone* cone);

/// Derivative of tac_cone_vjp along `dot`, with a_bar and f_bar fixed: adds to bar_dot.
TAC_API
tacResult tac_cone_hvp(const tacCone* cone, const double* a, const double* a_bar,
                       const double* f_bar, const tacConeTangent* dot,
                       const tacConeAdjoint* bar_dot, void* memory);

TAC_EXTERN_C_END

#endif
