#!/usr/bin/python3 -B
"""Reads formulas and equations of motion from standard input and compares them with SymPy's.

formula TEXT | x y z | value d/dx d/dy d/dz      numbers of a formula at a point
chain N | q, v, m, l, g | M, c                   pendulum of N links on a cart, at a point
top | angles, rates, A C m l g | M, c            symmetric top on a fixed point

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


#---------------------------------- all -------------------------------------------

def compare(line):
    head, at, ours = line.split("|")
    kind, _, rest = head.strip().partition(" ")
    if kind == "formula":
        return kind, formula(rest.strip(), at, ours)
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
