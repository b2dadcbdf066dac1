// Witness points of many pairs: checks, options, and the rest of an array that fills no vector.

#include "detect/witness/witness.h"

#include "math/number.h"

#include <string.h>

//---------------------------------- options ----------------------------------

tacWitnessOptions tac_default_witness_options(void) {
    return (tacWitnessOptions){.tikhonov = 1e-3,
                               .min = 1e-2,
                               .clip = 0.02,
                               .inside = 0.02,
                               .range = 0.2,
                               .gap = 1e-3,
                               .units = TAC_WITNESS_RELATIVE};
}

tacWitnessOptions tac_reference_witness_options(void) {
    return (tacWitnessOptions){.tikhonov = 0.01,
                               .min = 0.1,
                               .clip = 0.1,
                               .inside = 0.1,
                               .gap = 1e-6,
                               .units = TAC_WITNESS_ABSOLUTE};
}

static int is_temperature(tacReal x) { return tac_re(x) >= 1e-30 && tac_re(x) <= 1e30; }

static int options_valid(const tacWitnessOptions* o) {
    int units = o->units == TAC_WITNESS_RELATIVE || o->units == TAC_WITNESS_ABSOLUTE;
    int soft = is_temperature(o->tikhonov) && is_temperature(o->min) && is_temperature(o->clip) &&
               is_temperature(o->inside) && tac_re(o->range) >= 0.0 && tac_re(o->range) <= 1e30;
    return units && (o->exact || soft) && tac_re(o->gap) >= 0.0 && tac_re(o->gap) <= 1e30;
}

static int arrays_present(const tacReal* const* in, int arrays) {
    int all = 1;
    for (int k = 0; k < arrays; ++k) all &= in[k] != NULL;
    return all;
}

static tacResult check_arguments(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                                 int count, const tacWitnessArrays* arrays) {
    int there = count == 0 || arrays_present(arrays->in, routine->inputs);
    return options && options_valid(options) && count >= 0 && there ? TAC_OK : TAC_ERROR_VALUE;
}

//---------------------------------- the rest of an array ----------------------------------

#define MAX_LANES 8

// one vector of each array, filled up from `rest` pairs
typedef struct paddedArrays {
    tacReal memory[WITNESS_ARRAYS][MAX_LANES];
    tacReal* array[WITNESS_ARRAYS];
} paddedArrays;

// repeats the last pair, or fills with zeros; NULL stays NULL
static void pad_inputs(paddedArrays* p, const tacReal* const* from, int arrays, int first, int rest,
                       int repeat) {
    for (int k = 0; k < arrays; ++k) {
        p->array[k] = from[k] ? p->memory[k] : NULL;
        for (int i = 0; i < MAX_LANES && from[k]; ++i)
            p->memory[k][i] = i < rest ? from[k][first + i]
                              : repeat ? from[k][first + rest - 1]
                                       : (tacReal)0.0;
    }
}

// room for results
static void bind_outputs(paddedArrays* p, tacReal* const* to, int arrays) {
    for (int k = 0; k < arrays; ++k) p->array[k] = to[k] ? p->memory[k] : NULL;
}

static void store_outputs(const paddedArrays* p, tacReal* const* to, int arrays, int first,
                          int rest) {
    for (int k = 0; k < arrays; ++k)
        if (to[k]) memcpy(&to[k][first], p->memory[k], sizeof(tacReal) * (size_t)rest);
}

static int lanes(void) { return TAC_DISPATCH(tac_witness_kernels_)->lanes; }

// pairs that fill vectors
static int whole_vectors(int count) { return count / lanes() * lanes(); }

#define CONST(p) ((const tacReal* const*)(p)->array)

tacResult tac_witness_value(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                            int count, const tacWitnessArrays* arrays) {
    if (check_arguments(routine, options, count, arrays) != TAC_OK) return TAC_ERROR_VALUE;
    int first = whole_vectors(count), rest = count - first;
    int usable = routine->value(options, arrays->in, arrays->out, first);
    if (rest) {
        paddedArrays in, out;
        pad_inputs(&in, arrays->in, routine->inputs, first, rest, 1);
        bind_outputs(&out, arrays->out, routine->outputs);
        usable &= routine->value(options, CONST(&in), out.array, lanes());
        store_outputs(&out, arrays->out, routine->outputs, first, rest);
    }
    return usable ? TAC_OK : TAC_ERROR_VALUE;
}

static tacResult check_inputs(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                              int count, const tacWitnessArrays* arrays, paddedArrays* rest_in) {
    if (check_arguments(routine, options, count, arrays) != TAC_OK) return TAC_ERROR_VALUE;
    int first = whole_vectors(count), usable = routine->usable(arrays->in, first);
    if (first < count) {
        pad_inputs(rest_in, arrays->in, routine->inputs, first, count - first, 1);
        usable &= routine->usable(CONST(rest_in), lanes());
    }
    return usable ? TAC_OK : TAC_ERROR_VALUE;
}

tacResult tac_witness_jvp(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                          const tacWitnessOptions* options_dot, int count,
                          const tacWitnessArrays* arrays) {
    static const tacWitnessOptions still = {0};
    const tacWitnessOptions* moved = options_dot ? options_dot : &still;
    paddedArrays in, dot, out;
    tacResult result = check_inputs(routine, options, count, arrays, &in);
    if (result != TAC_OK) return result;
    int first = whole_vectors(count), rest = count - first;
    routine->jvp(options, moved, arrays->in, arrays->dot, arrays->out, first);
    if (!rest) return TAC_OK;
    pad_inputs(&dot, arrays->dot, routine->inputs, first, rest, 1);
    bind_outputs(&out, arrays->out, routine->outputs);
    routine->jvp(options, moved, CONST(&in), CONST(&dot), out.array, lanes());
    store_outputs(&out, arrays->out, routine->outputs, first, rest);
    return TAC_OK;
}

tacResult tac_witness_vjp(const tacWitnessRoutine* routine, const tacWitnessOptions* options,
                          tacWitnessOptions* options_bar, int count,
                          const tacWitnessArrays* arrays) {
    tacWitnessOptions unused = {0}, *sum = options_bar ? options_bar : &unused;
    paddedArrays in, bar, out;
    tacResult result = check_inputs(routine, options, count, arrays, &in);
    if (result != TAC_OK) return result;
    int first = whole_vectors(count), rest = count - first;
    routine->vjp(options, arrays->in, arrays->dot, arrays->out, sum, first);
    if (!rest) return TAC_OK;
    pad_inputs(&bar, arrays->dot, routine->outputs, first, rest, 0);
    pad_inputs(&out, (const tacReal* const*)arrays->out, routine->inputs, first, rest, 0);
    routine->vjp(options, CONST(&in), CONST(&bar), out.array, sum, lanes());
    store_outputs(&out, arrays->out, routine->inputs, first, rest);
    return TAC_OK;
}
