#!/usr/bin/python3 -B
"""Reads formulas and equations of motion from standard input and compares them with SymPy's.

formula TEXT | x y z | value d/dx d/dy d/dz      numbers of a formula at a point
chain N | q, v, m, l, g | M, c                   pendulum of N links on a cart, at a point
top | angles, rates, A C m l g | M, c            symmetric top on a fixed point
mechanism NAME | inputs | M, forcing, rates      those of mechanisms.h

The last line is the worst relative difference of each kind.
"""

import functools
import sys

import mpmath
import sympy
from sympy.physics import mechanics
from sympy.physics.mechanics import models

DIGITS = 40


def numbers(text):
    return [sympy.Float(float.fromhex(word), DIGITS) for word in text.split()]


def apart(ours, theirs):
    size = max([abs(x) for x in theirs] + [sympy.Float("1e-3")])
    return float(max(abs(a - b) for a, b in zip(ours, theirs)) / size)


#---------------------------------- formulas --------------------------------------

X = sympy.symbols("x y z", real=True)
WORDS = {
    "min": sympy.Min, "max": sympy.Max, "abs": sympy.Abs, "sign": sympy.sign,
    "sigmoid": lambda a: 1/(1 + sympy.exp(-a)), "softplus": lambda a: sympy.log(1 + sympy.exp(a)),
    **{str(x): x for x in X},
}


def formula(text, at, ours):
    point = dict(zip(X, numbers(at)))
    f = sympy.sympify(text, locals=WORDS)
    theirs = [f] + [sympy.diff(f, x) for x in X]
    return apart(numbers(ours), [sympy.N(e.subs(point), DIGITS) for e in theirs])


#---------------------------------- mechanics -------------------------------------

def equations(kane, symbols):
    """Numbers of M row by row, then c, as a function of those of the symbols."""
    flat = list(kane.mass_matrix) + list(-kane.forcing)
    return sympy.lambdify(symbols, flat, modules="mpmath")


@functools.cache
def chain(links):
    kane = models.n_link_pendulum_on_cart(links, False, False)
    m, l = sympy.symbols(f"m:{links + 1}"), sympy.symbols(f"l:{links}")
    return equations(kane, list(kane.q) + list(kane.u) + list(m) + list(l) + [sympy.Symbol("g")])


@functools.cache
def top():
    q, u = mechanics.dynamicsymbols("q:3"), mechanics.dynamicsymbols("u:3")
    A, C, m, l, g = symbols = sympy.symbols("A C m l g")
    world, body = mechanics.ReferenceFrame("N"), mechanics.ReferenceFrame("B")
    body.orient(world, "Body", q, "ZXZ")
    rates = {x.diff(): y for x, y in zip(q, u)}
    body.set_ang_vel(world, body.ang_vel_in(world).subs(rates))
    fixed, centre = mechanics.Point("O"), mechanics.Point("C")
    fixed.set_vel(world, 0)
    centre.set_pos(fixed, l*body.z)
    centre.v2pt_theory(fixed, world, body)
    # A and C are about the fixed point
    own = mechanics.inertia(body, A - m*l**2, A - m*l**2, C)
    rigid = mechanics.RigidBody("top", centre, body, m, (own, centre))
    kane = mechanics.KanesMethod(world, q_ind=q, u_ind=u,
                                 kd_eqs=[x.diff() - y for x, y in zip(q, u)])
    kane.kanes_equations([rigid], [(centre, -m*g*world.z)])
    return equations(kane, list(q) + list(u) + list(symbols))


#---------------------------------- mechanisms of mechanisms.h ---------------------

def dynamic(letter, count, order=0):
    return list(mechanics.dynamicsymbols(f"{letter}:{count}", order))


def plain(q, u):
    return [x.diff() - y for x, y in zip(q, u)]


def fixed_point(frame):
    point = mechanics.Point("O")
    point.set_vel(frame, 0)
    return point


def kane_outputs(kane, inputs):
    rates = kane.kindiffdict()
    out = list(kane.mass_matrix) + list(kane.forcing) + [rates[x.diff()] for x in kane.q]
    return inputs, [mechanics.msubs(e, rates) for e in out]


def pendulum():
    (q,), (u,) = dynamic("q", 1), dynamic("u", 1)
    m, l, g = sympy.symbols("m l g")
    N, P = mechanics.ReferenceFrame("N"), mechanics.Point("P")
    P.set_vel(N, -l*u*sympy.sin(q)*N.x + l*u*sympy.cos(q)*N.y)
    kane = mechanics.KanesMethod(N, [q], [u], plain([q], [u]))
    kane.kanes_equations([mechanics.Particle("bob", P, m)], [(P, m*g*N.x)])
    return kane_outputs(kane, [q, u, m, l, g])


def pendulum_on_cart(links):
    kane = models.n_link_pendulum_on_cart(links, True, False)
    m, l = sympy.symbols(f"m:{links + 1}"), sympy.symbols(f"l:{links}")
    last = [sympy.Symbol("g"), mechanics.dynamicsymbols("F")]
    return kane_outputs(kane, list(kane.q) + list(kane.u) + list(m) + list(l) + last)


def spinning_top():
    q, u = dynamic("q", 3), dynamic("u", 3)
    A, C, m, l, g = constants = sympy.symbols("A C m l g")
    N, B = mechanics.ReferenceFrame("N"), mechanics.ReferenceFrame("B")
    B.orient(N, "Body", q, "ZXZ")
    B.set_ang_vel(N, B.ang_vel_in(N).subs(dict(zip([x.diff() for x in q], u))))
    O = fixed_point(N)
    G = O.locatenew("G", l*B.z)
    G.v2pt_theory(O, N, B)
    top_body = mechanics.RigidBody("top", G, B, m, (mechanics.inertia(B, A, A, C), O))
    kane = mechanics.KanesMethod(N, q, u, plain(q, u))
    kane.kanes_equations([top_body], [(G, -m*g*N.z)])
    return kane_outputs(kane, q + u + list(constants))


def rolling_disc(slips):
    q, u = dynamic("q", 3), dynamic("u", 6 if slips else 3)
    r, m, g = constants = sympy.symbols("r m g")
    N = mechanics.ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    L = Y.orientnew("L", "Axis", [q[1], Y.x])
    R = L.orientnew("R", "Axis", [q[2], L.y])
    spin, w = R.ang_vel_in(N), u[0]*L.x + u[1]*L.y + u[2]*L.z
    kinematic = [(w - spin) & axis for axis in L]
    R.set_ang_vel(N, w)
    C, D = mechanics.Point("C"), mechanics.Point("D")
    if slips:
        C.set_pos(D, -r*L.z)
        D.set_vel(N, u[3]*L.x + u[4]*L.y + u[5]*L.z)
        bonds = [C.v2pt_theory(D, N, R) & axis for axis in Y]
        kane = mechanics.KanesMethod(N, q, u[:3], kinematic, u_dependent=u[3:],
                                     velocity_constraints=bonds)
    else:
        C.set_vel(N, 0)
        D.set_pos(C, r*L.z)
        D.v2pt_theory(C, N, R)
        kane = mechanics.KanesMethod(N, q, u, kinematic)
    across = m*r**2/4
    disc = mechanics.RigidBody("disc", D, R, m, (mechanics.inertia(L, across, 2*across, across), D))
    kane.kanes_equations([disc], [(D, -m*g*Y.z)])
    return kane_outputs(kane, q + u + list(constants))


def four_bar(by_lagrange):
    q, qd = dynamic("q", 3), dynamic("q", 3, 1)
    u = qd if by_lagrange else dynamic("u", 3)
    constants = sympy.symbols("m0 m1 m2 l0 l1 l2 d g")
    m, l, (d, g) = constants[:3], constants[3:6], constants[6:]
    T, N = mechanics.dynamicsymbols("T"), mechanics.ReferenceFrame("N")
    O = P = fixed_point(N)
    rods, loads = [], []
    for i in range(3):
        B = N.orientnew(f"B{i}", "Axis", [q[i], N.z])
        B.set_ang_vel(N, u[i]*N.z)
        C, E = P.locatenew(f"C{i}", l[i]/2*B.x), P.locatenew(f"E{i}", l[i]*B.x)
        C.v2pt_theory(P, N, B)
        E.v2pt_theory(P, N, B)
        about = m[i]*l[i]**2/12
        rod = mechanics.RigidBody(f"rod{i}", C, B, m[i], (mechanics.inertia(B, 0, about, about), C))
        if by_lagrange:
            rod.potential_energy = m[i]*g*(C.pos_from(O) & N.y)
        else:
            loads.append((C, -m[i]*g*N.y))
        if i == 0:
            loads.append((B, T*N.z))
        rods.append(rod)
        P = E
    end = P.pos_from(O)
    bonds = [(end & N.x) - d, end & N.y]
    inputs = q + u + list(constants) + [T]
    if by_lagrange:
        method = mechanics.LagrangesMethod(mechanics.Lagrangian(N, *rods), q, forcelist=loads,
                                           frame=N, hol_coneqs=bonds)
        method.form_lagranges_equations()
        full, force = method.mass_matrix_full[3:, 3:], method.forcing_full[3:, :]
        return inputs, list(full) + list(force) + qd
    rates = [b.diff(mechanics.dynamicsymbols._t).subs(dict(zip(qd, u))) for b in bonds]
    kane = mechanics.KanesMethod(N, q[:1], u[:1], plain(q, u), q_dependent=q[1:],
                                 configuration_constraints=bonds, u_dependent=u[1:],
                                 velocity_constraints=rates)
    kane.kanes_equations(rods, loads)
    return kane_outputs(kane, inputs)


def free_body():
    q, u = dynamic("q", 7), dynamic("u", 6)
    m, a, xx, yy, zz, xy, yz, zx, g = constants = sympy.symbols("m a Ixx Iyy Izz Ixy Iyz Izx g")
    N, B = mechanics.ReferenceFrame("N"), mechanics.ReferenceFrame("B")
    e, w = q[3:], u[3:]
    B.orient(N, "Quaternion", e)
    B.set_ang_vel(N, w[0]*B.x + w[1]*B.y + w[2]*B.z)
    O = fixed_point(N)
    P = O.locatenew("P", q[0]*N.x + q[1]*N.y + q[2]*N.z)
    v = u[0]*B.x + u[1]*B.y + u[2]*B.z
    P.set_vel(N, v)
    C = P.locatenew("C", a*B.x)
    C.v2pt_theory(P, N, B)
    turn = [-e[1]*w[0] - e[2]*w[1] - e[3]*w[2], e[0]*w[0] + e[2]*w[2] - e[3]*w[1],
            e[0]*w[1] + e[3]*w[0] - e[1]*w[2], e[0]*w[2] + e[1]*w[1] - e[2]*w[0]]
    kinematic = [x.diff() - (v & axis) for x, axis in zip(q, N)]
    kinematic += [x.diff() - t/2 for x, t in zip(e, turn)]
    body = mechanics.RigidBody("body", C, B, m,
                               (mechanics.inertia(B, xx, yy, zz, xy, yz, zx), C))
    kane = mechanics.KanesMethod(N, q, u, kinematic)
    kane.kanes_equations([body], [(C, -m*g*N.z)])
    return kane_outputs(kane, q + u + list(constants))


def arm_with_disc():
    q, u, T = dynamic("q", 3), dynamic("u", 3), dynamic("T", 3)
    m0, m1, m2, l0, l1, r, g = constants = sympy.symbols("m0 m1 m2 l0 l1 r g")
    m, l = (m0, m1, m2), (l0, l1)
    N = parent = mechanics.ReferenceFrame("N")
    P = fixed_point(N)
    bodies, loads = [], []
    for i, axis in enumerate("zyx"):
        B = parent.orientnew(f"B{i}", "Axis", [q[i], getattr(parent, axis)])
        B.set_ang_vel(parent, u[i]*getattr(B, axis))
        C = P.locatenew(f"C{i}", l[i]/2*B.x) if i < 2 else P
        if i < 2:
            rod = m[i]*l[i]**2/12
            own = mechanics.inertia(B, 0, rod, rod)
            C.v2pt_theory(P, N, B)
        else:
            own = mechanics.inertia(B, m2*r**2/2, m2*r**2/4, m2*r**2/4)
        bodies.append(mechanics.RigidBody(f"link{i}", C, B, m[i], (own, C)))
        torque = T[i]*getattr(B, axis)
        loads += [(C, -m[i]*g*N.z), (B, torque)] + ([(parent, -torque)] if i else [])
        if i < 2:
            E = P.locatenew(f"E{i}", l[i]*B.x)
            E.v2pt_theory(P, N, B)
            P = E
        parent = B
    kane = mechanics.KanesMethod(N, q, u, plain(q, u))
    kane.kanes_equations(bodies, loads)
    return kane_outputs(kane, q + u + list(constants) + T)


MECHANISMS = {
    "pendulum": pendulum,
    "spinning_top": spinning_top,
    "rolling_disc": lambda: rolling_disc(False),
    "disc_with_constraints": lambda: rolling_disc(True),
    "four_bar": lambda: four_bar(False),
    "four_bar_lagrange": lambda: four_bar(True),
    "free_body": free_body,
    "arm_with_disc": arm_with_disc,
}


@functools.cache
def mechanism(name):
    if name.startswith("cart_"):
        inputs, outputs = pendulum_on_cart(int(name[5:]))
    else:
        inputs, outputs = MECHANISMS[name]()
    names = [sympy.Symbol(f"x_{i}") for i in range(len(inputs))]
    # rates first: in them the coordinates themselves are hidden
    order = sorted(zip(inputs, names), key=lambda pair: not isinstance(pair[0], sympy.Derivative))
    for old, new in order:
        outputs = [mechanics.msubs(e, {old: new}) for e in outputs]
    return sympy.lambdify(names, outputs, modules="mpmath", cse=True)


#---------------------------------- all -------------------------------------------

def compare(line):
    head, at, ours = line.split("|")
    kind, _, rest = head.strip().partition(" ")
    if kind == "formula":
        return kind, formula(rest.strip(), at, ours)
    if kind == "mechanism":
        name = rest.strip()
        return name, apart(numbers(ours), mechanism(name)(*numbers(at)))
    theirs = (chain(int(rest)) if kind == "chain" else top())(*numbers(at))
    return kind, apart(numbers(ours), theirs)


def main():
    mpmath.mp.dps = DIGITS
    worst = {}
    for line in sys.stdin:
        kind, difference = compare(line)
        worst[kind] = max(worst.get(kind, 0.0), difference)
    print("    SymPy " + sympy.__version__ + ": " +
          ", ".join(f"{kind} {value:.1e}" for kind, value in worst.items()))
    good = worst and all(value <= 1e-12 for value in worst.values())
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
