// Second derivatives of the convex problem: tac_cone_vjp of this, the complex build, at numbers
// moved by i h dot. One complex Newton step from the real solution gives the derivative of a.

#include "respond/cone/cone_copy.h"

#include "math/complex_step.h"

#include <string.h>

// All pointers of the arguments point to doubles here, whatever the header's tacReal says.
tacResult tac_cone_hvp(const tacCone* cone, const double* a, const double* a_bar,
                       const double* f_bar, const tacConeTangent* dot,
                       const tacConeAdjoint* bar_dot, void* memory);

TAC_API
tacResult tac_cone_hvp(const tacCone* cone, const double* a, const double* a_bar,
                       const double* f_bar, const tacConeTangent* dot,
                       const tacConeAdjoint* bar_dot, void* memory) {
    if (!cone || !a || !dot || !bar_dot || !memory || !tac_cone_size(cone)) return TAC_ERROR_VALUE;
    tacArena arena = tac_arena_over(memory);
    coneCopy c = cone_copy_alloc(cone, &arena);
    const tacReal* value[CONE_NUMBERS] = {cone->M, cone->a0, cone->J,    cone->aref,
                                          cone->D, cone->mu, cone->width};
    const tacReal* direction[CONE_NUMBERS] = {dot->M, dot->a0, dot->J,    dot->aref,
                                              dot->D, dot->mu, dot->width};
    tacReal* out[CONE_NUMBERS] = {bar_dot->M, bar_dot->a0, bar_dot->J,    bar_dot->aref,
                                  bar_dot->D, bar_dot->mu, bar_dot->width};
    for (int k = 0; k < CONE_NUMBERS; ++k) {
        complex_step_set(c.count[k], (const double*)value[k], (const double*)direction[k],
                         c.number[k]);
        memset(c.bar[k], 0, sizeof(tacReal) * (size_t)c.count[k]);
    }
    tacCone moved = *cone;
    moved.M = c.number[0];
    moved.a0 = c.number[1];
    moved.J = c.number[2];
    moved.aref = c.number[3];
    moved.D = c.number[4];
    if (cone->mu) moved.mu = c.number[5];
    if (cone->width) moved.width = c.number[6];
    void* work = tac_arena_alloc(&arena, tac_cone_size(cone));
    complex_step_set(cone->nv, a, NULL, c.a);
    if (a_bar) complex_step_set(cone->nv, a_bar, NULL, c.a_bar);
    if (f_bar) complex_step_set(cone->rows, f_bar, NULL, c.f_bar);
    // from the solution on: its last step moves the imaginary part
    tacResult result = tac_cone_solve(&moved, 1, c.a, NULL, work);
    tacConeAdjoint bar = {c.bar[0],
                          c.bar[1],
                          c.bar[2],
                          c.bar[3],
                          c.bar[4],
                          cone->mu ? c.bar[5] : NULL,
                          cone->width ? c.bar[6] : NULL};
    if (result == TAC_OK)
        result =
            tac_cone_vjp(&moved, c.a, a_bar ? c.a_bar : NULL, f_bar ? c.f_bar : NULL, &bar, work);
    for (int k = 0; k < CONE_NUMBERS && result == TAC_OK; ++k)
        if (out[k]) complex_step_add_derivative(c.count[k], c.bar[k], (double*)out[k]);
    return result;
}
