// Penalties of rows. Every law is made of one rounded corner, relu averaged with a hat of half
// width w. With rho its force and P = integral of rho,
//
//   limit      s = D P(-x)
//   friction   s = D (P(x + q) - P(x - q)) - mu x,   q = mu/D, w' = w q/(w + q)
//   elliptic   s = D/(1 + mu^2) (P(mu T - n) + mu^2 P(-n - T/mu))
//              n = x_0,  t_j = x_j mu_j/mu,  T^2 = t't + eps^2,  eps = w mu/(1 + mu^2)
//
// w = 0 is MuJoCo's penalty. The two terms of a cone are a sliding and a sticking row; where both
// press, s is the quadratic D/2 (n^2 + t't). docs/cone.md, eq. (3) to (7).

#include "respond/cone/cone_penalty.h"

#include "math/number.h"

#include <string.h>

//---------------------------------- the rounded corner ---------------------------

// rho and its derivatives by z and w
typedef struct roundedCorner {
    tacReal value, d_z, d_w;
} roundedCorner;

static roundedCorner rounded_corner(tacReal z, tacReal w) {
    if (tac_re(z) >= tac_re(w)) return (roundedCorner){z, tac_re(z) > 0.0 ? 1.0 : 0.0, 0.0};
    if (tac_re(z) <= -tac_re(w)) return (roundedCorner){0.0, 0.0, 0.0};
    // rho(z) - rho(-z) = z
    int above = tac_re(z) >= 0.0;
    tacReal u = (above ? w - z : z + w) / w, half = 0.5 * u * u;
    return (roundedCorner){(above ? z : 0.0) + w * u * half / 3.0, above ? 1.0 - half : half,
                           half - u * half * (2.0 / 3.0)};
}

static tacReal rounded_corner_integral(tacReal z, tacReal w) {
    if (tac_re(z) >= tac_re(w)) return 0.5 * z * z + w * w / 12.0;
    if (tac_re(z) <= -tac_re(w)) return 0.0;
    int above = tac_re(z) >= 0.0;
    tacReal u = (above ? w - z : z + w) / w, quartic = w * w * u * u * u * u / 24.0;
    return above ? 0.5 * z * z + w * w / 12.0 - quartic : quartic;
}

static tacReal row_width(const conePenalty* law, int row) {
    return law->width ? law->width[row] : 0.0;
}

//---------------------------------- friction loss --------------------------------

typedef struct frictionRow {
    tacReal q, w;               // slip acceleration at which the force is full; width
    roundedCorner upper, lower; // at x + q and x - q
} frictionRow;

static frictionRow friction_row(const conePenalty* law, int row, tacReal x) {
    tacReal w = row_width(law, row);
    frictionRow r = {.q = law->mu[row] / law->D[row]};
    r.w = tac_re(w) > 0.0 && tac_re(r.q) > 0.0 ? w * r.q / (w + r.q) : 0.0;
    r.upper = rounded_corner(x + r.q, r.w);
    r.lower = rounded_corner(x - r.q, r.w);
    return r;
}

static tacReal friction_force_dot(const conePenalty* law, int row, tacReal x, tacReal D_dot,
                                  tacReal mu_dot, tacReal w_dot) {
    frictionRow r = friction_row(law, row, x);
    tacReal w = row_width(law, row), D = law->D[row];
    tacReal q_dot = (mu_dot - r.q * D_dot) / D, c_dot = 0.0;
    if (tac_re(r.w) > 0.0) {
        tacReal sum = w + r.q;
        c_dot = (w_dot * r.q * r.q + q_dot * w * w) / (sum * sum);
    }
    tacReal upper = r.upper.d_z * q_dot + r.upper.d_w * c_dot;
    tacReal lower = -r.lower.d_z * q_dot + r.lower.d_w * c_dot;
    return mu_dot - D_dot * (r.upper.value - r.lower.value) - D * (upper - lower);
}

//---------------------------------- elliptic cone --------------------------------

typedef struct ellipticCone {
    int sticks; // both terms press beyond their corners: s = D/2 (n^2 + t't)
    tacReal mu, w, E, eps, T;
    tacReal c[TAC_CONE_ROWS], t[TAC_CONE_ROWS]; // mu_j/mu and t_j, from j = 1 on
    roundedCorner slide, stick;                 // at mu T - n and -n - T/mu
    tacReal G;                                  // tangential force per t: E mu (rho_1 - rho_2)/T
} ellipticCone;

static ellipticCone elliptic_cone(const conePenalty* law, const tacReal* x) {
    tacReal mu = law->mu[0], w = row_width(law, 0), square = 1.0 + mu * mu, n = x[0];
    ellipticCone e = {.mu = mu, .w = w, .E = law->D[0] / square, .eps = w * mu / square};
    tacReal sum = e.eps * e.eps;
    for (int j = 1; j < law->rows; ++j) {
        e.c[j] = law->mu[j] / mu;
        e.t[j] = e.c[j] * x[j];
        sum += e.t[j] * e.t[j];
    }
    e.T = r_sqrt(sum);
    e.slide = rounded_corner(mu * e.T - n, w);
    e.stick = rounded_corner(-n - e.T / mu, w);
    // the second term is below the first, so it decides
    e.sticks = tac_re(-n - e.T / mu) >= tac_re(w) && tac_re(e.stick.value) > 0.0;
    if (e.sticks)
        e.G = law->D[0];
    else if (tac_re(e.T) > 0.0)
        e.G = e.E * mu * (e.slide.value - e.stick.value) / e.T;
    return e;
}

// s'' = [H_nn, H_nT u'; ., H_TT uu' + G (I - uu')] with u = t/T, each tangent times its c
static void elliptic_hessian(const conePenalty* law, const tacReal* x, tacReal* S) {
    ellipticCone e = elliptic_cone(law, x);
    int n = law->rows;
    tacReal u[TAC_CONE_ROWS] = {0};
    tacReal nn = e.E * (e.slide.d_z + e.mu * e.mu * e.stick.d_z);
    tacReal nT = e.E * e.mu * (e.stick.d_z - e.slide.d_z);
    tacReal TT = e.E * (e.mu * e.mu * e.slide.d_z + e.stick.d_z);
    if (e.sticks) {
        nn = law->D[0];
        nT = 0.0;
        TT = e.G;
    }
    for (int j = 1; j < n; ++j) u[j] = tac_re(e.T) > 0.0 ? e.t[j] / e.T : 0.0;
    S[0] = nn;
    for (int j = 1; j < n; ++j) {
        S[j] = S[j * n] = nT * u[j] * e.c[j];
        for (int k = 1; k < n; ++k)
            S[j * n + k] = e.c[j] * e.c[k] * ((TT - e.G) * u[j] * u[k] + (j == k ? e.G : 0.0));
    }
}

static tacReal number_dot(const tacReal* dot, int row) { return dot ? dot[row] : 0.0; }

// changes of what a cone is made of, x fixed
typedef struct ellipticConeDot {
    tacReal E, T, slide, stick, c[TAC_CONE_ROWS], t[TAC_CONE_ROWS];
} ellipticConeDot;

static ellipticConeDot elliptic_cone_dot(const conePenalty* law, const ellipticCone* e,
                                         const tacReal* x, const conePenaltyTangent* dot) {
    tacReal mu = e->mu, square = 1.0 + mu * mu;
    tacReal mu_dot = number_dot(dot->mu, 0), w_dot = number_dot(dot->width, 0);
    ellipticConeDot d = {.E = (number_dot(dot->D, 0) - 2.0 * mu * mu_dot * e->E) / square};
    tacReal eps_dot = (w_dot * mu + e->w * mu_dot - 2.0 * mu * mu_dot * e->eps) / square;
    tacReal half = e->eps * eps_dot;
    for (int j = 1; j < law->rows; ++j) {
        d.c[j] = (number_dot(dot->mu, j) - e->c[j] * mu_dot) / mu;
        d.t[j] = d.c[j] * x[j];
        half += e->t[j] * d.t[j];
    }
    d.T = tac_re(e->T) > 0.0 ? half / e->T : 0.0;
    d.slide = e->slide.d_z * (mu_dot * e->T + mu * d.T) + e->slide.d_w * w_dot;
    d.stick = e->stick.d_z * (e->T * mu_dot / mu - d.T) / mu + e->stick.d_w * w_dot;
    return d;
}

static void elliptic_force_jvp(const conePenalty* law, const tacReal* x,
                               const conePenaltyTangent* dot, tacReal* f_dot) {
    ellipticCone e = elliptic_cone(law, x);
    ellipticConeDot d = elliptic_cone_dot(law, &e, x, dot);
    tacReal mu = e.mu, mu_dot = number_dot(dot->mu, 0), D_dot = number_dot(dot->D, 0), G_dot = 0.0;
    if (e.sticks) {
        f_dot[0] = -D_dot * x[0];
        G_dot = D_dot;
    } else {
        f_dot[0] = d.E * (e.slide.value + mu * mu * e.stick.value) +
                   e.E * (d.slide + mu * mu * d.stick + 2.0 * mu * mu_dot * e.stick.value);
        if (tac_re(e.T) > 0.0)
            G_dot = ((d.E * mu + e.E * mu_dot) * (e.slide.value - e.stick.value) +
                     e.E * mu * (d.slide - d.stick) - e.G * d.T) /
                    e.T;
    }
    for (int j = 1; j < law->rows; ++j)
        f_dot[j] = -G_dot * e.c[j] * e.t[j] - e.G * (d.c[j] * e.t[j] + e.c[j] * d.t[j]);
}

//---------------------------------- all kinds ------------------------------------

static tacReal row_cost(const conePenalty* law, int row, tacReal x) {
    tacReal D = law->D[row];
    if (law->kind == TAC_CONE_EQUALITY) return 0.5 * D * x * x;
    if (law->kind == TAC_CONE_LIMIT) return D * rounded_corner_integral(-x, row_width(law, row));
    frictionRow r = friction_row(law, row, x);
    return D * (rounded_corner_integral(x + r.q, r.w) - rounded_corner_integral(x - r.q, r.w)) -
           law->mu[row] * x;
}

tacReal tac_cone_penalty_cost(const conePenalty* law, const tacReal* x) {
    tacReal sum = 0.0;
    if (law->kind == TAC_CONE_ELLIPTIC) {
        ellipticCone e = elliptic_cone(law, x);
        return e.E * (rounded_corner_integral(e.mu * e.T - x[0], e.w) +
                      e.mu * e.mu * rounded_corner_integral(-x[0] - e.T / e.mu, e.w));
    }
    for (int i = 0; i < law->rows; ++i) sum += row_cost(law, i, x[i]);
    return sum;
}

static tacReal row_force(const conePenalty* law, int row, tacReal x) {
    tacReal D = law->D[row];
    if (law->kind == TAC_CONE_EQUALITY) return -D * x;
    if (law->kind == TAC_CONE_LIMIT) return D * rounded_corner(-x, row_width(law, row)).value;
    frictionRow r = friction_row(law, row, x);
    // beyond both corners the force is full, without rounding
    if (tac_re(x - r.q) >= tac_re(r.w)) return -law->mu[row];
    if (tac_re(x + r.q) <= -tac_re(r.w)) return law->mu[row];
    return law->mu[row] - D * (r.upper.value - r.lower.value);
}

void tac_cone_penalty_force(const conePenalty* law, const tacReal* x, tacReal* f) {
    if (law->kind != TAC_CONE_ELLIPTIC) {
        for (int i = 0; i < law->rows; ++i) f[i] = row_force(law, i, x[i]);
        return;
    }
    ellipticCone e = elliptic_cone(law, x);
    f[0] = e.sticks ? -law->D[0] * x[0] : e.E * (e.slide.value + e.mu * e.mu * e.stick.value);
    for (int j = 1; j < law->rows; ++j) f[j] = -e.G * e.c[j] * e.t[j];
}

static tacReal row_hessian(const conePenalty* law, int row, tacReal x) {
    tacReal D = law->D[row];
    if (law->kind == TAC_CONE_EQUALITY) return D;
    if (law->kind == TAC_CONE_LIMIT) return D * rounded_corner(-x, row_width(law, row)).d_z;
    frictionRow r = friction_row(law, row, x);
    return D * (r.upper.d_z - r.lower.d_z);
}

void tac_cone_penalty_hessian(const conePenalty* law, const tacReal* x, tacReal* S) {
    if (law->kind == TAC_CONE_ELLIPTIC) {
        elliptic_hessian(law, x, S);
        return;
    }
    for (int i = 0; i < law->rows; ++i) S[i] = row_hessian(law, i, x[i]);
}

void tac_cone_penalty_hessian_mul(const conePenalty* law, const tacReal* x, const tacReal* v,
                                  tacReal* y) {
    if (law->kind != TAC_CONE_ELLIPTIC) {
        for (int i = 0; i < law->rows; ++i) y[i] = row_hessian(law, i, x[i]) * v[i];
        return;
    }
    tacReal S[TAC_CONE_ROWS * TAC_CONE_ROWS];
    elliptic_hessian(law, x, S);
    for (int i = 0; i < law->rows; ++i) {
        y[i] = 0.0;
        for (int j = 0; j < law->rows; ++j) y[i] += S[i * law->rows + j] * v[j];
    }
}

void tac_cone_penalty_force_jvp(const conePenalty* law, const tacReal* x,
                                const conePenaltyTangent* dot, tacReal* f_dot) {
    if (law->kind == TAC_CONE_ELLIPTIC) {
        elliptic_force_jvp(law, x, dot, f_dot);
        return;
    }
    for (int i = 0; i < law->rows; ++i) {
        tacReal D_dot = number_dot(dot->D, i), w_dot = number_dot(dot->width, i);
        tacReal w = row_width(law, i);
        if (law->kind == TAC_CONE_EQUALITY) {
            f_dot[i] = -D_dot * x[i];
        } else if (law->kind == TAC_CONE_LIMIT) {
            roundedCorner r = rounded_corner(-x[i], w);
            f_dot[i] = D_dot * r.value + law->D[i] * r.d_w * w_dot;
        } else {
            f_dot[i] = friction_force_dot(law, i, x[i], D_dot, number_dot(dot->mu, i), w_dot);
        }
    }
}

// A block has few numbers: one direction each. `dot` points to `unit`.
static void add_force_vjp(const conePenalty* law, const tacReal* x, const tacReal* f_bar,
                          const conePenaltyTangent* dot, tacReal* unit, tacReal* bar) {
    int width = law->kind == TAC_CONE_ELLIPTIC ? law->rows : 1;
    for (int first = 0; first < law->rows; first += width) {
        tacReal f_dot[TAC_CONE_ROWS];
        conePenalty part = *law;
        part.rows = width;
        part.D += first;
        if (part.mu) part.mu += first;
        if (part.width) part.width += first;
        for (int k = 0; k < width; ++k) {
            unit[k] = 1.0;
            tac_cone_penalty_force_jvp(&part, x + first, dot, f_dot);
            unit[k] = 0.0;
            for (int i = 0; i < width; ++i) bar[first + k] += f_dot[i] * f_bar[first + i];
        }
    }
}

void tac_cone_penalty_force_vjp(const conePenalty* law, const tacReal* x, const tacReal* f_bar,
                                const conePenaltyAdjoint* bar) {
    tacReal unit[TAC_CONE_ROWS] = {0};
    conePenaltyTangent D = {.D = unit}, mu = {.mu = unit}, width = {.width = unit};
    if (bar->D) add_force_vjp(law, x, f_bar, &D, unit, bar->D);
    if (bar->mu) add_force_vjp(law, x, f_bar, &mu, unit, bar->mu);
    if (bar->width) add_force_vjp(law, x, f_bar, &width, unit, bar->width);
}

static int near_zero(tacReal z, double tolerance) { return fabs(tac_re(z)) <= tolerance; }

int tac_cone_penalty_tie(const conePenalty* law, const tacReal* x, double tolerance) {
    if (law->kind == TAC_CONE_EQUALITY) return 0;
    if (law->kind == TAC_CONE_ELLIPTIC) {
        ellipticCone e = elliptic_cone(law, x);
        return tac_re(e.w) == 0.0 && (near_zero(e.mu * e.T - x[0], tolerance) ||
                                      near_zero(-x[0] - e.T / e.mu, tolerance));
    }
    for (int i = 0; i < law->rows; ++i) {
        int friction = law->kind == TAC_CONE_FRICTION;
        tacReal q = friction ? law->mu[i] / law->D[i] : 0.0;
        if (tac_re(row_width(law, i)) > 0.0 || (friction && tac_re(law->mu[i]) == 0.0)) continue;
        if (near_zero(x[i] - q, tolerance) || near_zero(x[i] + q, tolerance)) return 1;
    }
    return 0;
}
