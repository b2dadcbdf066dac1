// How long a step explicit contact stands.
//
// A spring k on a mass m needs h < 2/sqrt(k/m) in steps of Euler, 2.785/sqrt(k/m) of Runge-Kutta.
// Turning on top makes a point as light as m/(1 + 5/2), a ball's; four records of springs share a
// face. Friction below the stiction velocity is a damper mu m g/v_s, which needs h < 2 m/damper;
// dissipation of what carries a weight is one of m g/v_d beside the spring.
// The cubic spring of elastoplastic contact counts as the one it is where it carries a weight, and
// without gravity a hundredth of the size deep. It has one point a pair, but for gjk's.

#include "respond/force/force.h"

#include "math/number.h"

// how much lighter a point is than the body, and how many springs act at once
static const double effective_mass_ratio = 3.5, springs_per_face = 4.0;

static double pair_friction(const tacModel* model, const tacContactPair* pair) {
    double most = 0.0;
    for (int i = 0; i < 2; ++i)
        if (pair->friction[i] >= 0) most = fmax(most, tac_re(model->param[pair->friction[i]]));
    return most;
}

static double pair_stiffness(const tacModel* model, const tacContactPair* pair, double g) {
    double k = tac_re(model->param[pair->stiffness]), depth = 0.01 * model->contact->length;
    if (model->contact->responder != TAC_RESPOND_ELASTOPLASTIC) return k;
    if (g > 0.0) depth = cbrt(g * model->contact->bodies[pair->bodies].weight / k);
    return 3.0 * k * depth * depth;
}

// records of a pair that push at once
static double springs_at_once(const tacModel* model) {
    tacDetector detector = model->contact->detector;
    int one_point = detector == TAC_DETECT_SAT || detector == TAC_DETECT_CONVEX;
    if (model->contact->responder == TAC_RESPOND_ELASTOPLASTIC && one_point) return 1.0;
    return tac_force_of(model)->reads_contacts ? springs_per_face : 1.0;
}

static double gravity_norm(const tacModel* model) {
    double sum = 0.0;
    for (int i = 0; i < 3; ++i) {
        double g = tac_re(model->param[model->gravity + i]);
        sum += g * g;
    }
    return model->disable & TAC_DISABLE_GRAVITY ? 0.0 : sqrt(sum);
}

static double stability_limit(const tacModel* model) {
    int is_rk4 = model->integrator == TAC_INTEGRATOR_RK4 || model->integrator == TAC_INTEGRATOR_LIE;
    return is_rk4 ? 2.785 : 2.0;
}

// a step of Euler's is stable while h^2 stiffness + 2 h damping < 4
double tac_stable_spring(const tacModel* model, double stiffness, double damping) {
    return 2.0 * stability_limit(model) / (damping + sqrt(damping * damping + 4.0 * stiffness));
}

double tac_stable_timestep(const tacModel* model) {
    double most = INFINITY;
    if (!tac_force_of(model) || model->contact->choice[TAC_CHOICE_IMPLICIT]) return most;
    const tacContactPlan* plan = model->contact;
    double g = gravity_norm(model), springs = springs_at_once(model);
    for (int i = 0; i < plan->npair; ++i) {
        const tacContactPair* pair = &plan->pair[i];
        double k = pair_stiffness(model, pair, g) * springs * effective_mass_ratio;
        double damper = effective_mass_ratio * g * pair_friction(model, pair);
        double v_s = tac_re(model->param[pair->stiction]);
        double drag = effective_mass_ratio * g / tac_re(model->param[pair->dissipation]);
        most = fmin(most, tac_stable_spring(model, k / plan->bodies[pair->bodies].weight, drag));
        if (damper > 0.0) most = fmin(most, stability_limit(model) * v_s / damper);
    }
    return most;
}
