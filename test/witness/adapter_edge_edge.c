// The maps of adapter_edge_edge.h in the number type of this build.

#include "witness/adapter_edge_edge.h"

#include "witness/edge_signs.inl"

// every lane the same number; the first one is looked at
#define ALL(x)   w_set(x)
#define FIRST(x) w_lane(x, 0)

//---------------------------------- two edges ----------------------------------

static tacWitnessOptions load_options(const edgeMap* m, const tacReal* x) {
    return (tacWitnessOptions){x[12],
                               x[13],
                               x[14],
                               x[15],
                               m->has_range ? x[16] : (tacReal)0.0,
                               x[17],
                               (tacWitnessUnits)m->units,
                               m->exact};
}

static tacEdgePairs load_pairs(const tacReal* x) {
    tacEdgePairs pairs = {.count = 1};
    for (int k = 0; k < 12; ++k) pairs.corner[k / 3][k % 3] = x + k;
    return pairs;
}

static tacEdgeWitness load_witness(tacReal* y) {
    tacEdgeWitness w = {.alpha = {y, y + 1}, .colliding = y + 2, .distance = y + 9};
    for (int k = 0; k < 6; ++k) w.point[k / 3][k % 3] = y + 3 + k;
    for (int k = 0; k < 3; ++k) w.normal[k] = y + 10 + k;
    return w;
}

static tacResult value(const void* map, const tacReal* x, tacReal* y) {
    tacWitnessOptions options = load_options(map, x);
    return tac_edge_edge(&options, load_pairs(x), load_witness(y));
}

static tacResult jvp(const void* map, const tacReal* x, const tacReal* dot, tacReal* y_dot) {
    tacWitnessOptions options = load_options(map, x), options_dot = load_options(map, dot);
    return tac_edge_edge_jvp(&options, load_pairs(x), load_pairs(dot), &options_dot,
                             load_witness(y_dot));
}

static tacResult vjp(const void* map, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    tacWitnessOptions options = load_options(map, x), sum = {0};
    tacEdgePairsBar bar;
    for (int k = 0; k < 18; ++k) x_bar[k] = 0.0;
    for (int k = 0; k < 12; ++k) bar.corner[k / 3][k % 3] = x_bar + k;
    tacResult result =
        tac_edge_edge_vjp(&options, load_pairs(x), load_witness((tacReal*)y_bar), bar, &sum);
    const edgeMap* m = map;
    x_bar[12] = sum.tikhonov;
    x_bar[13] = sum.min;
    x_bar[14] = sum.clip;
    x_bar[15] = sum.inside;
    x_bar[16] = m->has_range ? sum.range : (tacReal)0.0;
    x_bar[17] = sum.gap;
    return result;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_edge_edge_) = {value, jvp, vjp};

//---------------------------------- signs ----------------------------------

static edgeSides load_sides(const tacReal* x) {
    edgeSides s = {.distance = ALL(x[3]), .sign_tau = ALL(x[10]), .opposing_tau = ALL(x[11])};
    for (int k = 0; k < 3; ++k) s.normal[k] = ALL(x[k]);
    for (int k = 0; k < 6; ++k) s.outward[k / 3][k % 3] = ALL(x[4 + k]);
    return s;
}

static void store_signed(const edgeSigned* s, tacReal* y) {
    for (int k = 0; k < 2; ++k) y[k] = FIRST(s->distance[k]);
    for (int k = 0; k < 6; ++k) y[2 + k] = FIRST(s->normal[k / 3][k % 3]);
    y[8] = FIRST(s->opposing);
}

static tacResult sign_value(const void* map, const tacReal* x, tacReal* y) {
    edgeSides s = load_sides(x);
    edgeSigns g = edge_signs(&s);
    edgeSigned out = edge_signed(&s, &g);
    store_signed(&out, y);
    (void)map;
    return TAC_OK;
}

static tacResult sign_jvp(const void* map, const tacReal* x, const tacReal* dot, tacReal* y_dot) {
    edgeSides s = load_sides(x), d = load_sides(dot);
    edgeSigns g = edge_signs(&s);
    edgeSigned out = edge_signed_jvp(&s, &g, &d);
    store_signed(&out, y_dot);
    (void)map;
    return TAC_OK;
}

static tacResult sign_vjp(const void* map, const tacReal* x, const tacReal* y_bar, tacReal* x_bar) {
    static const tacReal nothing[SIGN_INPUTS] = {0};
    edgeSides s = load_sides(x), bar = load_sides(nothing);
    edgeSigns g = edge_signs(&s);
    edgeSigned in = {.distance = {ALL(y_bar[0]), ALL(y_bar[1])}, .opposing = ALL(y_bar[8])};
    for (int k = 0; k < 6; ++k) in.normal[k / 3][k % 3] = ALL(y_bar[2 + k]);
    edge_signed_vjp(&s, &g, &in, &bar);
    for (int k = 0; k < 3; ++k) x_bar[k] = FIRST(bar.normal[k]);
    for (int k = 0; k < 6; ++k) x_bar[4 + k] = FIRST(bar.outward[k / 3][k % 3]);
    x_bar[3] = FIRST(bar.distance);
    x_bar[10] = FIRST(bar.sign_tau);
    x_bar[11] = FIRST(bar.opposing_tau);
    (void)map;
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_edge_sign_) = {sign_value, sign_jvp, sign_vjp};

//---------------------------------- indicators ----------------------------------

typedef struct indicators {
    softDiff penetrating, owned, competition;
} indicators;

static indicators eval_indicators(const tacReal* x) {
    wide phi = ALL(x[0]), tau = ALL(x[4]);
    return (indicators){edge_penetrating(phi, tau, 1.0 / ALL(x[5])), edge_inside_own(phi, tau),
                        edge_nearest_factor(ALL(x[1]), ALL(x[2]), ALL(x[3]), ALL(x[6]))};
}

// rows of d(penetrating, owned, competition)/d x
static void indicator_partials(const indicators* s, tacReal J[3][INDICATOR_INPUTS]) {
    for (int k = 0; k < 3 * INDICATOR_INPUTS; ++k)
        J[k / INDICATOR_INPUTS][k % INDICATOR_INPUTS] = 0.0;
    J[0][0] = FIRST(s->penetrating.d_x);
    J[0][4] = FIRST(s->penetrating.d_tau);
    J[0][5] = FIRST(s->penetrating.d_upper);
    J[1][0] = FIRST(s->owned.d_x);
    J[1][4] = FIRST(s->owned.d_tau);
    J[2][1] = FIRST(s->competition.d_x);
    J[2][2] = -FIRST(s->competition.d_x);
    J[2][3] = FIRST(s->competition.d_lower);
    J[2][6] = FIRST(s->competition.d_tau);
}

static tacResult indicator_value(const void* map, const tacReal* x, tacReal* y) {
    indicators s = eval_indicators(x);
    y[0] = FIRST(s.penetrating.value);
    y[1] = FIRST(s.owned.value);
    y[2] = FIRST(s.competition.value);
    (void)map;
    return TAC_OK;
}

static tacResult indicator_jvp(const void* map, const tacReal* x, const tacReal* dot,
                               tacReal* y_dot) {
    tacReal J[3][INDICATOR_INPUTS];
    indicators s = eval_indicators(x);
    indicator_partials(&s, J);
    for (int i = 0; i < 3; ++i) {
        y_dot[i] = 0.0;
        for (int k = 0; k < INDICATOR_INPUTS; ++k) y_dot[i] += J[i][k] * dot[k];
    }
    (void)map;
    return TAC_OK;
}

static tacResult indicator_vjp(const void* map, const tacReal* x, const tacReal* y_bar,
                               tacReal* x_bar) {
    tacReal J[3][INDICATOR_INPUTS];
    indicators s = eval_indicators(x);
    indicator_partials(&s, J);
    for (int k = 0; k < INDICATOR_INPUTS; ++k)
        x_bar[k] = J[0][k] * y_bar[0] + J[1][k] * y_bar[1] + J[2][k] * y_bar[2];
    (void)map;
    return TAC_OK;
}

const tacCheckFunctions TAC_CHECK_SYMBOL(tac_check_edge_indicator_) = {
    indicator_value, indicator_jvp, indicator_vjp};
