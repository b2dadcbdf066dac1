#!/usr/bin/env python3
"""tactus derive as a user meets it: text that Python runs, C that compiles, complaints.

usage: test_derive.py BUILD_DIRECTORY
"""
import ctypes
import math
import os
import re
import shutil
import subprocess

from script import finish, law, scene, tactus as run



def rod(mass, radius, length):
    """Moment of a capsule of this mass about its end's cap centre, across its axis."""
    cylinder, ball = math.pi*radius**2*length, 4/3*math.pi*radius**3
    density = mass/(cylinder + ball)
    middle = density*cylinder*(length**2/12 + radius**2/4)
    caps = density*ball*(2/5*radius**2 + length**2/4 + 3/8*radius*length)
    return middle + caps + mass*length**2/4


def text_is_the_textbooks_cart_and_pole(_):
    """M = [[m + p, p l c], [p l c, J]], c = [-p l s w^2, -p g l s] with the pole upright at 0."""
    cart, pole, arm, gravity = 1.0, 0.2, 0.4, 9.81
    sine, cosine, rate = math.sin(0.7), math.cos(0.7), 1.3
    expected = [cart + pole, pole*arm*cosine, pole*arm*cosine, rod(pole, 0.03, 0.8),
                -pole*arm*sine*rate**2, -pole*gravity*arm*sine]
    for flags in ([], ["--expand"]):
        names = {"sin": math.sin, "cos": math.cos, "q0": 0.3, "q1": 0.7, "v0": -0.4, "v1": 1.3}
        text = run("derive", scene("cart_pole"), *flags).stdout
        exec(text, names)  # the text is Python
        for i, value in enumerate(expected):
            assert abs(names[f"y{i}"] - value) < 1e-12, (i, names[f"y{i}"], value)
        # multiplied out, the cart's velocity is gone, as it is from the textbook's
        formulas = "".join(line for line in text.splitlines() if not line.startswith("#"))
        assert ("v0" in formulas) == (not flags)


def c_is_the_text(folder):
    """Of the arm and of a scene with a ball and a free body."""
    compiler = shutil.which("cc")
    if not compiler:
        print("  no C compiler: compiled code is not compared")
        return
    for name in ("arm", "top"):
        code, library = os.path.join(folder, name + ".c"), os.path.join(folder, name + ".so")
        run("derive", scene(name), "--format", "c", "--name", "motion", "-o", code)
        subprocess.run([compiler, "-std=c17", "-O1", "-ffp-contract=off", "-Wall", "-Wextra",
                        "-Werror", "-shared", "-fPIC", "-o", library, code, "-lm"], check=True)
        text = run("derive", scene(name)).stdout
        inputs = sorted(set(re.findall(r"x\[\d+\] = (\w+)", open(code, encoding="utf-8").read())),
                        key=lambda word: (word[0], int(word[1:])))
        x = [math.sin(1.0 + k) for k in range(len(inputs))]
        names = {"sin": math.sin, "cos": math.cos, **dict(zip(inputs, x))}
        exec(text, names)
        count = len(re.findall(r"^y\d+ =", text, re.M))
        y = (ctypes.c_double*count)()
        ctypes.CDLL(library).motion((ctypes.c_double*len(x))(*x), y)
        assert count > 50
        for i in range(count):
            assert abs(y[i] - names[f"y{i}"]) <= 1e-13*(1.0 + abs(y[i])), (name, i)


def values(text, **inputs):
    """Outputs of a text at inputs; symbols of the legend have the scene's values."""
    names = {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt, **inputs}
    for name, value in re.findall(r"^# (\w+): \S+, here (\S+)$", text, re.M):
        names.setdefault(name, float(value))
    exec(text, names)
    count = len(re.findall(r"^y\d+ =", text, re.M))
    return [names[f"y{i}"] for i in range(count)]


def state(joints, letters="qv"):
    return {f"{letter}{k}": math.sin(1.0 + k + 9*i) for i, letter in enumerate(letters)
            for k in range(joints)}


def near(a, b):
    assert len(a) == len(b) and len(a) > 0, (len(a), len(b))
    size = max(abs(x) for x in b) or 1.0
    worst = max(abs(x - y) for x, y in zip(a, b))/size
    assert worst < 1e-12, worst


def symbols_stand_for_numbers(_):
    """All that can be a symbol, at the scene's own values, gives the scene's equations."""
    words = "masses,lengths,inertias,armatures,gravity"
    for name, joints in (("cart_pole", 2), ("arm", 7)):
        text = run("derive", scene(name), "--symbols", words).stdout
        assert len(re.findall("^# .*, here ", text, re.M)) > 4
        near(values(text, **state(joints)), values(run("derive", scene(name)).stdout,
                                                   **state(joints)))
    # an axis and a rotation of the world, by name: they are divided by their length
    text = run("derive", scene("arm"), "--symbols",
               "joint:lift/axis[0],joint:lift/axis[2],body:shoulder/quat").stdout
    near(values(text, **state(7)), values(run("derive", scene("arm")).stdout, **state(7)))


def equations_come_apart(_):
    """forces = coefficients times masses + rest."""
    flags = ("--forces", "--symbols", "masses")
    for name, joints in (("cart_pole", 2), ("arm", 7)):
        at = state(joints, "qva")
        whole = values(run("derive", scene(name), *flags).stdout, **at)
        text = run("derive", scene(name), *flags, "--coefficients").stdout
        mass = [float(x) for x in re.findall("^# .*, here (.*)$", text, re.M)]
        parts = values(text, **at)
        rest = parts[joints*len(mass):]
        near([sum(m*c for m, c in zip(mass, parts[i*len(mass):])) + rest[i]
              for i in range(joints)], whole)
        # and M a + c is what M and c say
        y = values(run("derive", scene(name)).stdout, **at)
        near(whole, [y[joints**2 + i] + sum(y[joints*i + j]*at[f"a{j}"] for j in range(joints))
                     for i in range(joints)])


def numbers_stay_exact(_):
    """The textbook's cart and pole: no 0.08000000000000002."""
    text = run("derive", scene("cart_pole"), "--expand", "--exact", "--symbols",
               "body:pole/inertia").stdout
    for line in ("y0 = 6/5", "y4 = -2/25*v1**2*_0", "y5 = -981/1250*_0"):
        assert line in text, (line, text)
    text = run("derive", scene("cart_pole"), "--symbols", "masses,gravity", "--subs",
               "m_cart=2/3,m_pole=1/3,v0=0,g_z=-9.75", "--expand", "--exact").stdout
    assert "y0 = 1\n" in text and "y5 = -13/10*_0" in text, text


def latex_is_balanced(_):
    text = run("derive", scene("double_pendulum"), "--format", "latex").stdout
    assert text.count("{") == text.count("}") and text.count("\\left") == text.count("\\right")
    assert "\\begin{align*}" in text and "\\sin\\left(q_{1}\\right)" in text


def omissions_are_listed(folder):
    """Equalities and gravity compensation are not in the equations; what has no name has a kind."""
    path = os.path.join(folder, "scene.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("<mujoco><worldbody><body name='a' gravcomp='1'><joint name='j'/>"
                   "<geom size='1'/></body><body><joint type='slide'/><geom size='1'/></body>"
                   "<body name='b'><geom size='1' mass='3'/></body></worldbody>"
                   "<equality><joint joint1='j'/></equality></mujoco>")
    text = run("derive", path, "--symbols", "body:b/mass").stdout
    for line in ("# q0, v0: joint j of body a", "not part of these equations: 1 equality of the",
                 "# q1, v1: joint (slide, without a name) of body (body, without a name)",
                 "not part of these equations: gravity compensation of body a",
                 "# m_b: body:b/mass, in none of these equations, here 3"):
        assert line in text, text


def usage_errors_exit_with_2(folder):
    still = os.path.join(folder, "still.xml")
    with open(still, "w", encoding="utf-8") as file:
        file.write("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    for arguments, word in (((still,), "no joints"), ((scene("arm"), "--format", "fortran"), "fortran"),
                            ((scene("arm"), "--format", "c", "--name", "a b"), "'a b'"),
                            ((scene("humanoid"), "--expand"), "humanoid.xml: expanded formulas"),
                            ((scene("arm"), "--symbols", "masses,colours"), "'colours'"),
                            ((scene("arm"), "--symbols", "lengths", "--coefficients"), "not linear in"),
                            ((scene("arm"), "--coefficients"), "--coefficients requires --symbols"),
                            ((scene("arm"), "--subs", "q9=1"), "'q9' is not a symbol"),
                            ((scene("arm"), "--subs", "q0=1,q0=2"), "'q0' is set twice"),
                            ((scene("cart_pole"), "--symbols", "armatures"),
                             "all of these are 0 in this scene"),
                            ((scene("arm"), "--subs", "q0=1/0"), "q0=1/0 is not a number"),
                            ((scene("arm"), "--subs", "q0"), "q0= is not a number"),
                            ((scene("humanoid"), "--memory", "1"), "more than max_bytes = 1048576"),
                            ((scene("arm"), "--memory", "0"), "--memory"),
                            ((scene("arm"), "--symbols", "joint:lift/axis", "--subs",
                              "axis_lift_2=0"), "division by zero"),
                            ((os.path.join(folder, "none.xml"),), "none.xml")):
        result = run("derive", *arguments, code=2)
        assert word in result.stderr, result.stderr


for test in (text_is_the_textbooks_cart_and_pole, c_is_the_text, symbols_stand_for_numbers,
             equations_come_apart, numbers_stay_exact, latex_is_balanced,
             omissions_are_listed, usage_errors_exit_with_2):
    law(test)
finish()
