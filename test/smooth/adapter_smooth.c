// The maps of adapter_smooth.h in the number type of this build.

#include "smooth/adapter_smooth.h"

#include "math/number.h"

static tacReal map_work[4096];
static int map_order[SOFT_INPUTS];

//---------------------------------- scalars ----------------------------------

#define MAP_COMPARE(f)                                                                             \
    static tacResult f##_value(const softMap* m, const tacReal* z, tacReal* y) {                   \
        return (void)m, *y = tac_soft_##f(z[0], z[1], z[2]), TAC_OK;                               \
    }                                                                                              \
    static tacResult f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {   \
        return (void)m, *y = tac_soft_##f##_jvp(z[0], z[1], z[2], d[0], d[1], d[2]), TAC_OK;       \
    }                                                                                              \
    static tacResult f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {  \
        return (void)m, tac_soft_##f##_vjp(z[0], z[1], z[2], *b, zb, zb + 1, zb + 2), TAC_OK;      \
    }
MAP_COMPARE(greater)
MAP_COMPARE(less)

#define MAP_PAIR(f)                                                                                \
    static tacResult f##_value(const softMap* m, const tacReal* z, tacReal* y) {                   \
        return (void)m, *y = tac_soft_##f(z[0], z[1]), TAC_OK;                                     \
    }                                                                                              \
    static tacResult f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {   \
        return (void)m, *y = tac_soft_##f##_jvp(z[0], z[1], d[0], d[1]), TAC_OK;                   \
    }                                                                                              \
    static tacResult f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {  \
        return (void)m, tac_soft_##f##_vjp(z[0], z[1], *b, zb, zb + 1), TAC_OK;                    \
    }
MAP_PAIR(sign)
MAP_PAIR(relu)
MAP_PAIR(abs)

static tacBounds map_bounds(const tacReal* z) { return (tacBounds){z[0], z[1], z[2], z[3]}; }

#define MAP_BOUNDS(f)                                                                              \
    static tacResult f##_value(const softMap* m, const tacReal* z, tacReal* y) {                   \
        return (void)m, *y = tac_soft_##f(map_bounds(z)), TAC_OK;                                  \
    }                                                                                              \
    static tacResult f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {   \
        return (void)m, *y = tac_soft_##f##_jvp(map_bounds(z), map_bounds(d)), TAC_OK;             \
    }                                                                                              \
    static tacResult f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {  \
        tacBounds bar = {zb[0], zb[1], zb[2], zb[3]};                                              \
        tac_soft_##f##_vjp(map_bounds(z), *b, &bar);                                               \
        zb[0] = bar.x, zb[1] = bar.lower, zb[2] = bar.upper, zb[3] = bar.tau;                      \
        return (void)m, TAC_OK;                                                                    \
    }
MAP_BOUNDS(clip)
MAP_BOUNDS(within)

#define MAP_ONE(name, f)                                                                           \
    static tacResult name##_value(const softMap* m, const tacReal* z, tacReal* y) {                \
        return (void)m, *y = f(z[0]), TAC_OK;                                                      \
    }                                                                                              \
    static tacResult name##_jvp(const softMap* m, const tacReal* z, const tacReal* d,              \
                                tacReal* y) {                                                      \
        return (void)m, *y = f##_jvp(z[0], d[0]), TAC_OK;                                          \
    }                                                                                              \
    static tacResult name##_vjp(const softMap* m, const tacReal* z, const tacReal* b,              \
                                tacReal* zb) {                                                     \
        return (void)m, f##_vjp(z[0], *b, zb), TAC_OK;                                             \
    }
MAP_ONE(mollifier, tac_mollifier)
MAP_ONE(ramp, tac_soft_ramp)

//---------------------------------- arrays: inputs x (n), tau ----------------------------------

#define MAP_WEIGHTS(f)                                                                             \
    static tacResult f##_value(const softMap* m, const tacReal* z, tacReal* y) {                   \
        return tac_soft_##f(m->n, z, z[m->n], y);                                                  \
    }                                                                                              \
    static tacResult f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {   \
        return tac_soft_##f##_jvp(m->n, z, z[m->n], d, d[m->n], y);                                \
    }                                                                                              \
    static tacResult f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {  \
        return tac_soft_##f##_vjp(m->n, z, z[m->n], b, zb, zb + m->n, map_work);                   \
    }
MAP_WEIGHTS(argmax)
MAP_WEIGHTS(argmin)

#define MAP_EXTREME(f)                                                                             \
    static tacResult f##_value(const softMap* m, const tacReal* z, tacReal* y) {                   \
        return tac_##f(m->n, z, z[m->n], y, map_work);                                             \
    }                                                                                              \
    static tacResult f##_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {   \
        return tac_##f##_jvp(m->n, z, z[m->n], d, d[m->n], y, map_work);                           \
    }                                                                                              \
    static tacResult f##_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {  \
        return tac_##f##_vjp(m->n, z, z[m->n], *b, zb, zb + m->n, map_work);                       \
    }
MAP_EXTREME(log_sum_exp)
MAP_EXTREME(soft_min)
MAP_EXTREME(boltzmann_min)

//---------------------------------- top-K ----------------------------------

static tacSoftSort map_sort(const softMap* m, const tacReal* z) {
    tacSoftSort s = tac_default_soft_sort(m->n, z, m->k);
    s.tau = z[m->n];
    s.power = m->power;
    s.ties = (tacTies)m->ties;
    s.order = map_order;
    s.work = map_work;
    return s;
}
static tacResult sort_value(const softMap* m, const tacReal* z, tacReal* y) {
    tacSoftSort s = map_sort(m, z);
    return tac_soft_sort_top_k(&s, y);
}
static tacResult sort_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {
    tacSoftSort s = map_sort(m, z);
    return tac_soft_sort_top_k_jvp(&s, d, d[m->n], y);
}
static tacResult sort_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {
    tacSoftSort s = map_sort(m, z);
    return tac_soft_sort_top_k_vjp(&s, b, zb, zb + m->n);
}

static tacSinkhorn map_sinkhorn(const softMap* m, const tacReal* z) {
    tacSinkhorn s = tac_default_sinkhorn(m->n, z, m->k);
    s.tau = z[m->n];
    s.work = map_work;
    return s;
}
static tacResult sinkhorn_value(const softMap* m, const tacReal* z, tacReal* y) {
    tacSinkhorn s = map_sinkhorn(m, z);
    return tac_sinkhorn_top_k(&s, y);
}
static tacResult sinkhorn_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {
    tacSinkhorn s = map_sinkhorn(m, z);
    return tac_sinkhorn_top_k_jvp(&s, d, d[m->n], y);
}
static tacResult sinkhorn_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {
    tacSinkhorn s = map_sinkhorn(m, z);
    return tac_sinkhorn_top_k_vjp(&s, b, zb, zb + m->n);
}

// inputs x (n), width, gate
static tacSelect map_select(const softMap* m, const tacReal* z) {
    tacSelect s = tac_default_select(m->n, z, m->k);
    s.width = z[m->n];
    s.gate = z[m->n + 1];
    return s;
}
static tacResult select_value(const softMap* m, const tacReal* z, tacReal* y) {
    tacSelect s = map_select(m, z);
    return tac_select_top_k(&s, y);
}
static tacResult select_jvp(const softMap* m, const tacReal* z, const tacReal* d, tacReal* y) {
    tacSelect s = map_select(m, z);
    return tac_select_top_k_jvp(&s, d, d[m->n], d[m->n + 1], y);
}
static tacResult select_vjp(const softMap* m, const tacReal* z, const tacReal* b, tacReal* zb) {
    tacSelect s = map_select(m, z);
    return tac_select_top_k_vjp(&s, b, (tacSelectBar){zb, zb + m->n, zb + m->n + 1});
}

//---------------------------------- the adapter ----------------------------------

typedef struct softProducts {
    tacResult (*value)(const softMap* m, const tacReal* z, tacReal* y);
    tacResult (*jvp)(const softMap* m, const tacReal* z, const tacReal* z_dot, tacReal* y_dot);
    tacResult (*vjp)(const softMap* m, const tacReal* z, const tacReal* y_bar, tacReal* z_bar);
} softProducts;

#define SOFT_PRODUCTS(f) [SOFT_##f] = {f##_value, f##_jvp, f##_vjp},
static const softProducts products[] = {SOFT_FUNCTIONS(SOFT_PRODUCTS)};

static tacResult value(const void* context, const tacReal* z, tacReal* y) {
    const softMap* m = context;
    return products[m->function].value(m, z, y);
}

static tacResult jvp(const void* context, const tacReal* z, const tacReal* z_dot, tacReal* y_dot) {
    const softMap* m = context;
    return products[m->function].jvp(m, z, z_dot, y_dot);
}

static tacResult vjp(const void* context, const tacReal* z, const tacReal* y_bar, tacReal* z_bar) {
    const softMap* m = context;
    for (int i = 0; i < m->inputs; ++i) z_bar[i] = m->start;
    return products[m->function].vjp(m, z, y_bar, z_bar);
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_smooth_) = {value, jvp, vjp};
