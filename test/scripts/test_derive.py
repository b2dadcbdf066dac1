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
import sys
import tempfile

TACTUS = os.path.join(os.path.abspath(sys.argv[1]), "tactus")
SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scenes")
SECONDS = 120  # under sanitizers on a busy machine

passed = failed = 0


def law(test):
    global passed, failed
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(folder)
            passed += 1
            print("ok  ", test.__name__)
        except Exception as error:  # a broken test must not hide the others
            failed += 1
            print("FAIL", test.__name__, "-", type(error).__name__, error)


def run(*arguments, code=0):
    result = subprocess.run([TACTUS, *arguments], capture_output=True, timeout=SECONDS, text=True)
    assert result.returncode == code, (arguments, result.returncode, result.stderr[:300])
    return result


def scene(name):
    return os.path.join(SCENES, name + ".xml")


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
        run("derive", scene(name), "--as", "c", "--name", "motion", "-o", code)
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


def latex_is_balanced(_):
    text = run("derive", scene("double_pendulum"), "--as", "latex").stdout
    assert text.count("{") == text.count("}") and text.count("\\left") == text.count("\\right")
    assert "\\begin{align*}" in text and "\\sin\\left(q_{1}\\right)" in text


def wrong_use_is_told(folder):
    still = os.path.join(folder, "still.xml")
    with open(still, "w", encoding="utf-8") as file:
        file.write("<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    for arguments, word in (((still,), "no joints"), ((scene("arm"), "--as", "fortran"), "fortran"),
                            ((scene("arm"), "--as", "c", "--name", "a b"), "'a b'"),
                            ((scene("humanoid"), "--expand"), "humanoid.xml: multiplied out"),
                            ((os.path.join(folder, "none.xml"),), "none.xml")):
        result = run("derive", *arguments, code=2)
        assert word in result.stderr, result.stderr


for test in (text_is_the_textbooks_cart_and_pole, c_is_the_text, latex_is_balanced,
             wrong_use_is_told):
    law(test)
print(f"{passed} passed, {failed} failed")
sys.exit(failed != 0)
