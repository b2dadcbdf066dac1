#!/usr/bin/python3 -B
"""tactus grad of scenes with joints as a user meets it: A, B and gradients against differences of
tactus run, files, derivative checks, bad input.

usage: test_grad.py BUILD_DIRECTORY
"""
import csv
import io
import json
import os
import pathlib
import zipfile

try:
    import numpy
except ImportError:
    numpy = None

import script
from script import Skip, finish, law, scene

SECONDS = 250  # under sanitizers on a busy machine


def run(command, *arguments, code=0):
    return script.tactus(command, *arguments, code=code, seconds=SECONDS)


def words(numbers):
    return " ".join(repr(float(n)) for n in numbers)


def last_state(name, qpos, qvel, ctrl, steps):
    """Named numbers of the state after some steps, by tactus run."""
    more = ["--ctrl", words(ctrl)] if ctrl else []
    text = run("run", scene(name), "--qpos", words(qpos), "--qvel", words(qvel), "--steps", steps,
               "-o", "-", *more).stdout
    return {k: float(v) for k, v in list(csv.DictReader(io.StringIO(text)))[-1].items()}


def close(a, b, tolerance=1e-6):
    assert abs(a - b) <= tolerance * max(1.0, abs(a), abs(b)), (a, b)


Q, V, U, H = [0.3, 0.4], [0.1, -0.7], [0.25], 1e-6


def arguments():
    return ["--qpos", words(Q), "--qvel", words(V), "--ctrl", words(U)]


def moved(column, h):
    """The inputs with one number moved: 0, 1 positions, 2, 3 velocities, 4 control."""
    x = Q + V + U
    x[column] += h
    return x[:2], x[2:4], x[4:]


@law
def A_and_B_are_differences_of_runs(folder):
    answer = json.loads(run("grad", scene("cart_pole"), *arguments(), "--json").stdout)
    rows = ["qpos slider", "qpos hinge", "qvel slider", "qvel hinge"]
    assert answer["columns"] == rows + ["ctrl push"], answer["columns"]
    for column in range(5):
        plus, minus = (last_state("cart_pole", *moved(column, h), 1) for h in (H, -H))
        for i, row in enumerate(rows):
            own = answer["A"][i][column] if column < 4 else answer["B"][i][0]
            close(own, (plus[row] - minus[row]) / (2 * H))


@law
def text_and_files_agree(folder):
    answer = json.loads(run("grad", scene("cart_pole"), *arguments(), "--json", "--wrt",
                          "body:pole/mass").stdout)
    table = os.path.join(folder, "j.csv")
    run("grad", scene("cart_pole"), *arguments(), "--wrt", "body:pole/mass", "-o", table)
    with open(table) as file:
        rows = list(csv.reader(file))
    assert rows[0][1:] == answer["columns"] and rows[0][-1] == "body:pole/mass"
    for i, row in enumerate(rows[1:]):
        assert row[0] == answer["columns"][i]
        assert list(map(float, row[1:])) == answer["A"][i] + answer["B"][i] + answer["P"][i]
    text = run("grad", scene("cart_pole"), *arguments(), "--wrt", "body:pole/mass").stdout
    for word in ("A = d next/d state", "B = d next/d control", "P = d next/d parameter",
                 "qvel hinge", "ctrl push", f"{answer['A'][1][1]:.12g}"):
        assert word in text, (word, text)
    if not numpy:
        raise Skip("numpy is not installed (python3-numpy): .npz not read")
    path = os.path.join(folder, "j.npz")
    run("grad", scene("cart_pole"), *arguments(), "--wrt", "body:pole/mass", "-o", path)
    with numpy.load(path) as z:
        assert z["A"].tolist() == answer["A"] and z["B"].tolist() == answer["B"]
        assert z["P"].tolist() == answer["P"] and list(z["x_name"]) == answer["columns"][:4]
        assert list(z["theta_name"]) == ["body:pole/mass"] and z["qpos"].tolist() == Q
        after = last_state("cart_pole", Q, V, U, 1)
        assert z["next_qpos"].tolist() == [after["qpos slider"], after["qpos hinge"]]


@law
def gradients_are_differences_of_runs(folder):
    for of, key in ("qpos:hinge", "qpos hinge"), ("qvel:slider", "qvel slider"), ("kinetic", "kinetic"):
        answer = json.loads(run("grad", scene("cart_pole"), *arguments(), "--of", of, "--steps", 20,
                              "--json").stdout)
        close(answer["value"], last_state("cart_pole", Q, V, U, 20)[key], 1e-12)
        names = ["qpos slider", "qpos hinge", "qvel slider", "qvel hinge", "ctrl push"]
        for column, name in enumerate(names):
            plus, minus = (last_state("cart_pole", *moved(column, h), 20)[key] for h in (H, -H))
            close(answer[name], (plus - minus) / (2 * H))


@law
def gradients_are_written(folder):
    more = [*arguments(), "--of", "qpos:hinge", "--steps", 20]
    answer = json.loads(run("grad", scene("cart_pole"), *more, "--json").stdout)
    table, named = (os.path.join(folder, name) for name in ("g.csv", "p.csv"))
    assert run("grad", scene("cart_pole"), *more, "-o", table).stdout == ""
    with open(table) as file:
        rows = list(csv.reader(file))
    assert len(rows) == 2 and rows[0][:3] == ["of", "value", "qpos slider"], rows
    assert rows[1][0] == answer["of"] and float(rows[1][1]) == answer["value"]
    for name, number in zip(rows[0][2:], rows[1][2:]):
        assert float(number) == answer.get(name, 0.0), name
    run("grad", scene("cart_pole"), *more, "--wrt", "body:pole/mass", "-o", named)
    with open(named) as file:
        row = list(csv.DictReader(file))[0]
    assert len(row) == 3 and float(row["body:pole/mass"]) == answer["body:pole/mass"], row
    path = os.path.join(folder, "g.npz")
    run("grad", scene("cart_pole"), *more, "-o", path)
    assert "x_name.npy" in zipfile.ZipFile(path).namelist()
    if not numpy:
        raise Skip("numpy is not installed (python3-numpy): .npz not read")
    with numpy.load(path) as z:
        names = [*z["x_name"], *("ctrl " + u for u in z["u_name"]), *z["theta_name"]]
        for name, number in zip(names, [*z["x"], *z["u"], *z["theta"]]):
            assert number == answer.get(name, 0.0), name


@law
def what_diverges_is_1(folder):
    for more in [], ["--of", "energy"]:
        result = run("grad", scene("cart_pole"), "--qvel", "1e300 1e300", *more, code=1)
        assert "diverged" in result.stderr and "timestep" in result.stderr, result.stderr


@law
def gradients_by_parameters_are_differences_of_scenes(folder):
    text = pathlib.Path(scene("cart_pole")).read_text()
    answer = run("grad", scene("cart_pole"), *arguments(), "--of", "energy", "--steps", 20, "--wrt",
               "joint:slider/damping").stdout
    assert answer.count("d/d") == 1
    values = []
    for damping in (0.1001, 0.0999):
        path = os.path.join(folder, "s.xml")
        pathlib.Path(path).write_text(text.replace('damping="0.1"', f'damping="{damping}"'))
        other = run("grad", path, *arguments(), "--of", "energy", "--steps", 20, "--json").stdout
        values.append(json.loads(other)["value"])
    close(float(answer.split()[-1]), (values[0] - values[1]) / 2e-4)


@law
def states_of_a_run_are_taken(folder):
    path = os.path.join(folder, "t.npz")
    run("run", scene("arm"), "--ctrl", "random", "--steps", 20, "-o", path)
    last = run("grad", scene("arm"), "--from", path, "--json").stdout
    assert run("grad", scene("arm"), "--from", path, "--frame", 20, "--json").stdout == last
    assert run("grad", scene("arm"), "--from", path, "--frame", 3, "--json").stdout != last


@law
def motions_pass_the_derivative_check(folder):
    out = run("grad", scene("arm"), "--of", "xpos:hand/z", "--steps", 10, "--ctrl", "0.1", "--check",
              "--points", 10).stdout
    assert "d/d qpos turn" in out and "d/d body:hand/mass" in out
    assert out.count(" ok\n") == 7 and "FAILED" not in out, out
    lines = run("grad", scene("top"), "--check", "--points", 10, "--json").stdout.splitlines()
    answer = {line["id"]: line for line in map(json.loads, lines)}
    assert answer["grad/top/jvp = complex step"]["pass"] and answer["grad/top/hvp = complex step"]["pass"]
    assert answer["grad/geom:floor/jvp = complex step"]["pass"]  # shapes too


KINKED = """<mujoco><option density="1000" viscosity="0.001"/><worldbody><body name="a">
<joint name="h"/><geom type="ellipsoid" size="0.1 0.2 0.3"/><site name="tip" pos="0.1 0.2 0.3"/>
<body pos="0.5 0 0"><joint name="k"/><geom type="capsule" size="0.05 0.2"/></body></body></worldbody>
<tendon><fixed name="t" springlength="0 0.05" stiffness="3"><joint joint="h" coef="1"/>
<joint joint="k" coef="-0.5"/></fixed></tendon>
<actuator><motor joint="h"/></actuator></mujoco>"""


@law
def scenes_at_kinks_pass_the_derivative_check_beside_them(folder):
    # drag at velocity 0, a tendon at the end of its slack
    path = pathlib.Path(folder, "kinked.xml")
    path.write_text(KINKED)
    tip = run("grad", path, "--of", "xpos:tip/y", "--steps", 5, "--check").stdout
    assert "d/d site:tip/pos[1]" in tip and "FAILED" not in tip, tip
    out = run("grad", path, "--ctrl", 0.1, "--check").stdout
    assert out.count(" ok\n") == 8 and "FAILED" not in out, out


def check_derivatives(folder, text, *options):
    path = os.path.join(folder, "scene.xml")
    pathlib.Path(path).write_text(f"<mujoco>{text}</mujoco>", encoding="utf-8")
    assert "FAILED" not in run("grad", path, *options, "--check", "--points", 40).stdout


@law
def light_bodies_pass_the_derivative_check(folder):
    # armatures and dampings of 0 are moved by less than the inertia, 4e-8 kg m2
    check_derivatives(folder, '<tactus respond="scm" points="24"/><worldbody><geom type="plane" size="1 1 1"/>'
          '<body pos="0 0 .0099"><freejoint/><geom size=".01" mass="1e-3"/></body></worldbody>')


@law
def boxes_with_parallel_edges_pass_the_derivative_check(folder):
    # claims of such edges are 0 and have a curvature: second derivatives were off by 2 %
    check_derivatives(folder, '<tactus detect="manifold"/><worldbody><geom type="box" size=".1 .1 .1"/>'
          '<body pos="0 0 .2"><joint type="slide" axis="0 0 1"/>'
          '<geom type="box" size=".1 .1 .1"/></body></worldbody>')


@law
def edges_with_short_normals_pass_the_derivative_check(folder):
    # they cross at 2 degrees, where friction fades with the normal
    bar = '<geom type="box" size=".3 .05 .05" euler="45 0 0" friction=".6"/>'
    check_derivatives(folder, f'<tactus detect="manifold" tau=".01" support=".08"/><worldbody>{bar}'
          f'<body pos="0 0 .135"><freejoint/>{bar}</body></worldbody><keyframe><key name="slide" '
          'qpos="0 0 .135 .99985 0 0 .01745" qvel=".5 .2 -.1 .3 .2 .5"/></keyframe>',
          "--key", "slide")


def write_scene(folder, text):
    path = os.path.join(folder, "scene.xml")
    pathlib.Path(path).write_text(f"<mujoco>{text}</mujoco>", encoding="utf-8")
    return path


BALL = ('<option timestep=".01"/><tactus detect="gjk" respond="lcp" restitution=".5"/><worldbody>'
        '<geom type="plane" size="1 1 1" pos="0 0 {0}"/><body pos="0 0 {1}"><freejoint/>'
        '<geom size=".05" mass="1"/></body></worldbody><keyframe><key name="falls" '
        'qpos="0 0 {1} 1 0 0 0" qvel="0 0 -3 0 0 0"/></keyframe>')


@law
def impacts_away_from_the_origin_have_derivatives(folder):
    # z' = z_c + e (v - g t_c)(h - t_c) with t_c the time of impact: the same at every height
    for height in (0.0, 0.9, 1.0, 3.0, 100.0, 1e4):
        path = write_scene(folder, BALL.format(height, height + 0.06))
        answer = json.loads(run("grad", path, "--key", "falls", "--json").stdout)
        assert answer["flags"] == 0, height
        assert abs(answer["A"][2][2] + 0.4356679) < 2e-6, (height, answer["A"][2][2])


@law
def stacked_cubes_pass_the_derivative_check(folder):
    # equal faces: moved by 1e-9 m they lost contacts at two corners
    cubes = "".join(f'<body pos="0 0 {z}"><freejoint/><geom type="box" size=".05 .05 .05" mass="1"/></body>'
                    for z in (".05", ".15", ".25"))
    path = write_scene(folder, '<tactus detect="gjk" respond="lcp"/><worldbody><geom type="plane" '
                               f'size="1 1 1"/>{cubes}</worldbody>')
    for seed in (1, 2, 3):
        out = run("grad", path, "--check", "--points", 20, "--seed", seed).stdout
        assert "left out:" in out and "FAILED" not in out, out


@law
def states_that_are_left_out_count(folder):
    # friction of a box that spins on a floor follows pressures that nothing determines: flagged
    path = write_scene(folder, '<tactus detect="gjk" respond="lcp"/><worldbody><geom type="plane" '
                               'size="1 1 1"/><body pos="0 0 .05"><freejoint/><geom type="box" '
                               'size=".1 .1 .05" mass="1"/></body></worldbody>')
    spin = ["--qvel", "0.3 0 0 0 0 3", "--points", 5]
    few = run("grad", path, *spin, "--check", "--left-out", 0.01, code=1)
    assert "share left out" in few.stdout and "--left-out" in few.stderr, few.stdout + few.stderr
    assert "flagged" in few.stdout
    all_of_it = run("grad", path, *spin, "--check", "--left-out", 1).stdout
    assert "FAILED" not in all_of_it, all_of_it


@law
def wrong_use_is_2(folder):
    for more, word in [
        (["--of", "enrgy"], "none of energy"),
        (["--of", "qpos:sliderr"], "did you mean qpos:slider?"),
        (["--of", "xpos:pole"], "xpos:pole"),
        (["--of", "act:0"], "has none"),
        (["--steps", 3], "requires --of"),
        (["--wrt", "joint:hinge/dampin"], "did you mean joint:hinge/damping?"),
        (["-o", folder + "/j.txt"], "neither .npz nor .csv"),
        (["--qpos", "1"], "needs 2 numbers"),
        (["--points", 3], "requires --check"),
        (["--shape", "geom:rail", "--of", "energy"], "to motion"),
        (["--shape", "geom:rail"], "give --check or --at"),
    ]:
        result = run("grad", scene("cart_pole"), *more, code=2)
        assert word in result.stderr and result.stdout == "", (more, result.stderr)
    result = run("grad", scene("cup"), "--of", "energy", code=2)
    assert "has no joints" in result.stderr
    assert "give --check or --at" in run("grad", scene("cup"), code=2).stderr
    assert os.listdir(folder) == []


finish()
