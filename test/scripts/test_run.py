#!/usr/bin/python3 -B
"""tactus run as a user meets it: figures, trajectories, going on from them, bad input.

usage: test_run.py BUILD_DIRECTORY
"""
import csv
import json
import math
import os
import struct
import subprocess
import time
import zipfile

try:
    import numpy
except ImportError:
    numpy = None

import script
from script import Skip, TACTUS, finish, law, scene

SECONDS = 120  # under sanitizers on a busy machine
PENDULUM = """<mujoco><option timestep=".001" integrator="RK4"/><worldbody><body pos="0 0 1">
<joint name="swing" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.5"/>
</body></worldbody></mujoco>"""


def run(*arguments, code=0, command="run", **more):
    return script.tactus(command, *arguments, code=code, seconds=SECONDS, **more)


def load(path):
    """Arrays of an .npz file."""
    if not numpy:
        raise Skip("numpy is not installed (python3-numpy)")
    with numpy.load(path) as file:
        return {name: file[name] for name in file.files}


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


# ---------------------------------- figures ----------------------------------

@law
def summary_has_the_figures(folder):
    out = run(scene("humanoid"), "--steps", 200, "--ctrl", "random").stdout
    for word in ("200 steps of 0.005 s", "steps/s", "us a step", "times real time", "energy at start",
                 "energy at end", "max |qvel|", "joint limits: 21"):
        assert word in out, (word, out)
    answer = json.loads(run(scene("humanoid"), "--time", "1", "--json").stdout)
    assert answer["steps"] == 200 and answer["time"] == 1.0 and not answer["diverged"]
    assert "trajectory" not in answer
    path = os.path.join(folder, "t.npz")
    written = json.loads(run(scene("humanoid"), "--steps", 10, "--json", "-o", path).stdout)
    assert written["trajectory"] == path and written["states"] == 11
    assert answer["steps_per_second"] > 0 and math.isclose(
        answer["realtime"], answer["steps_per_second"] * answer["timestep"], rel_tol=1e-9)


@law
def energy_of_a_pendulum_stays(folder):
    path = write(folder, "p.xml", PENDULUM)
    answer = json.loads(run(path, "--qpos", "1.2", "--steps", 5000, "--json").stdout)
    assert abs(answer["drift"]) < 1e-9, answer
    total = [sum(answer[k]) for k in ("energy_start", "energy_end")]
    assert math.isclose(*total, rel_tol=1e-9), answer
    # at the bottom all of the potential energy has become motion
    assert 0 < answer["max_qvel"] < 10 and answer["max_qvel_of"] == "swing"


@law
def batches_are_many_runs(folder):
    one, many = os.path.join(folder, "1.npz"), os.path.join(folder, "n.npz")
    run(scene("arm"), "--ctrl", "random", "--steps", 50, "-o", one)
    answer = json.loads(run(scene("arm"), "--ctrl", "random", "--steps", 50, "--batch", 37,
                          "--threads", 2, "--json", "-o", many).stdout)
    assert answer["batch"] == 37 and answer["threads"] == 2
    with open(one, "rb") as a, open(many, "rb") as b:
        assert a.read() == b.read()  # the first run does not see the others


# ---------------------------------- trajectories ----------------------------------

@law
def numpy_reads_the_trajectory(folder):
    path = os.path.join(folder, "t.npz")
    run(scene("humanoid"), "--ctrl", "random", "--steps", 20, "-o", path)
    assert zipfile.ZipFile(path).testzip() is None
    t = load(path)
    assert t["qpos"].shape == (21, 28) and t["qvel"].shape == (21, 27) and t["ctrl"].shape == (21, 21)
    assert t["act"].shape == (21, 0) and t["energy"].shape == (21, 2) and t["time"].shape == (21,)
    assert t["qpos"].dtype == numpy.float64 and float(t["timestep"]) == 0.005
    assert list(t["joint"][:2]) == ["root", "abdomen_z"] and t["actuator"][0] == "abdomen_z"
    assert t["qpos_name"][3] == "root/qw" and t["qvel_name"][5] == "root/rz"
    assert str(t["model"]) == "humanoid" and len(str(t["hash"])) == 16
    version = subprocess.run([TACTUS, "--version"], capture_output=True, text=True).stdout
    assert str(t["version"]) == version.split()[1]
    assert (abs(t["ctrl"]) <= 1).all() and t["ctrl"].std() > 0.3
    assert numpy.allclose(numpy.diff(t["time"]), 0.005) and (t["step"] == range(21)).all()


@law
def continued_runs_are_bit_equal(folder):
    a, b, c = (os.path.join(folder, n + ".npz") for n in "abc")
    for name, ctrl in ("humanoid", "random"), ("arm", "0.3"), ("top", None):
        more = ["--ctrl", ctrl] if ctrl else []
        run(scene(name), "--steps", 30, "-o", a, *more)
        run(scene(name), "--steps", 40, "-o", b, "--from", a, *more)
        run(scene(name), "--steps", 70, "-o", c, *more)
        a_, b_, c_ = load(a), load(b), load(c)
        for key in ("time", "qpos", "qvel", "ctrl", "energy", "step"):
            assert numpy.array_equal(numpy.concatenate([a_[key][:-1], b_[key]]), c_[key]), (name, key)
        # from the middle, too
        run(scene(name), "--steps", 40, "-o", b, "--from", c, "--frame", 30, *more)
        assert numpy.array_equal(load(b)["qpos"], c_["qpos"][30:]), name


@law
def activations_are_part_of_the_state(folder):
    a, b, c = (os.path.join(folder, n + ".npz") for n in "abc")
    path = write(folder, "p.xml", PENDULUM.replace("</mujoco>", """<actuator>
        <general name="pull" joint="swing" dyntype="filter" dynprm=".1" gainprm="2"/></actuator></mujoco>"""))
    run(path, "--steps", 20, "--ctrl", "random", "-o", a)
    run(path, "--steps", 20, "--ctrl", "random", "-o", b, "--from", a)
    run(path, "--steps", 40, "--ctrl", "random", "-o", c)
    assert load(c)["act"].shape == (41, 1) and list(load(c)["act_name"]) == ["pull"]
    assert (load(c)["act"][1:] != 0).any()
    for key in ("act", "qpos", "qvel"):
        assert numpy.array_equal(numpy.concatenate([load(a)[key][:-1], load(b)[key]]), load(c)[key]), key
    answer = json.loads(run(path, "--of", "act:pull", "--steps", 3, "--ctrl", "1", "--json",
                          command="grad").stdout)
    # act' = (ctrl - act)/0.1 in steps of 1 ms
    assert math.isclose(answer["act pull"], 0.99 ** 3, rel_tol=1e-3), answer["act pull"]


@law
def keyframes_are_starts(folder):
    path = os.path.join(folder, "t.npz")
    run(scene("panda"), "--key", "home", "--steps", 300, "-o", path)
    t = load(path)
    assert t["qpos"][0][3] == -2.356 and (t["ctrl"][:, 3] == -2.356).all()
    assert abs(t["qpos"][-1] - t["qpos"][0]).max() < 0.1  # the servos hold it
    assert "did you mean 'home'?" in run(scene("panda"), "--key", "hom", code=2).stderr
    assert "no keyframes" in run(scene("arm"), "--key", "home", code=2).stderr
    assert "one of them" in run(scene("panda"), "--key", "0", "--from", path, code=2).stderr


@law
def recorded_controls_replay(folder):
    a, b = (os.path.join(folder, n + ".npz") for n in "ab")
    run(scene("humanoid"), "--ctrl", "random", "--seed", 7, "--steps", 60, "-o", a)
    run(scene("humanoid"), "--ctrl", a, "--steps", 60, "-o", b)
    with open(a, "rb") as one, open(b, "rb") as two:
        assert one.read() == two.read()
    # and of the table of a run, where they stand between other columns
    c, d = (os.path.join(folder, n + ".csv") for n in "cd")
    run(scene("humanoid"), "--ctrl", "random", "--seed", 7, "--steps", 300, "-o", c)
    run(scene("humanoid"), "--ctrl", c, "--steps", 300, "-o", d)
    with open(c) as one, open(d) as two:
        assert one.read() == two.read()
    assert "has 21 columns of ctrl" in run(scene("arm"), "--ctrl", c, code=2).stderr
    run(scene("humanoid"), "--ctrl", "random", "--seed", 8, "--steps", 60, "-o", b)
    with open(a, "rb") as one, open(b, "rb") as two:
        assert one.read() != two.read()


@law
def what_numpy_saves_is_taken(folder):
    if not numpy:
        raise Skip("numpy is not installed (python3-numpy)")
    path, out = os.path.join(folder, "mine.npz"), os.path.join(folder, "out.npz")
    qpos = numpy.array([[0.1, 0.2], [0.3, 0.4]])
    numpy.savez(path, qpos=qpos, qvel=numpy.ones((2, 2)))
    result = run(scene("cart_pole"), "--from", path, "--steps", 1, "-o", out)
    assert "has no model hash" in result.stderr
    assert (load(out)["qpos"][0] == qpos[1]).all() and (load(out)["qvel"][0] == 1).all()
    numpy.savez_compressed(path, qpos=qpos, qvel=qpos)
    assert "is compressed" in run(scene("cart_pole"), "--from", path, code=2).stderr
    numpy.savez(path, qpos=numpy.asfortranarray(numpy.ones((3, 2))), qvel=qpos)
    assert "column by column" in run(scene("cart_pole"), "--from", path, code=2).stderr
    numpy.savez(path, qpos=qpos.astype("f4"), qvel=qpos)
    assert "float64" in run(scene("cart_pole"), "--from", path, code=2).stderr


def save(path, **arrays):
    """A file as numpy.savez writes it; the numbers of an array in a list, with its shape."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, (shape, numbers) in arrays.items():
            head = repr({"descr": "<f8", "fortran_order": False, "shape": shape}).ljust(117) + "\n"
            archive.writestr(name + ".npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) +
                             head.encode() + struct.pack(f"<{len(numbers)}d", *numbers))


@law
def a_single_state_is_taken(folder):
    path = os.path.join(folder, "one.npz")
    for rows in (), (1,):
        save(path, qpos=(rows + (2,), [0.1, 0.2]), qvel=(rows + (2,), [0, 1]), time=(rows, [3]))
        result = run(scene("cart_pole"), "--from", path, "--steps", 1, "-o", "-")
        first = list(csv.DictReader(result.stdout.splitlines()))[0]
        assert (first["time"], float(first["qpos hinge"]), first["qvel hinge"]) == ("3", 0.2, "1"), first
        assert "has no model hash" in result.stderr and "another" not in result.stderr
    save(path, qpos=((3,), [0, 0, 0]), qvel=((2,), [0, 0]))
    assert "3 columns" in run(scene("cart_pole"), "--from", path, code=2).stderr
    save(path, qpos=((2,), [0, 0]), qvel=((1,), [0]))
    assert "qvel" in run(scene("cart_pole"), "--from", path, code=2).stderr


@law
def zero_quaternions_are_refused(folder):
    path = os.path.join(folder, "one.npz")
    save(path, qpos=((14,), [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]), qvel=((12,), [0] * 12))
    assert "a quaternion has length 0" in run(scene("top"), "--from", path, code=2).stderr


@law
def every_keeps_the_last(folder):
    path = os.path.join(folder, "t.npz")
    run(scene("arm"), "--steps", 25, "--every", 10, "-o", path)
    assert list(load(path)["step"]) == [0, 10, 20, 25]
    run(scene("arm"), "--steps", 30, "--every", 10, "-o", path)
    assert list(load(path)["step"]) == [0, 10, 20, 30]


@law
def csv_has_a_line_a_state(folder):
    path = os.path.join(folder, "t.csv")
    run(scene("cart_pole"), "--ctrl", "0.5", "--steps", 5, "-o", path)
    with open(path) as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 and rows[2]["step"] == "2" and rows[0]["ctrl push"] == "0.5"
    assert set(rows[0]) == {"step", "time", "qpos slider", "qpos hinge", "qvel slider", "qvel hinge",
                            "ctrl push", "kinetic", "potential"}
    out = run(scene("cart_pole"), "--ctrl", "0.5", "--steps", 5, "-o", "-").stdout
    with open(path) as file:
        assert out == file.read()
    # rows of controls from a file: a heading, then a line for each step
    ctrl = write(folder, "u.csv", "push\n0.5\n-0.25\n")
    run(scene("cart_pole"), "--ctrl", ctrl, "--steps", 5, "-o", path)
    with open(path) as file:
        assert [r["ctrl push"] for r in csv.DictReader(file)] == ["0.5"] + ["-0.25"] * 5


# ---------------------------------- trouble ----------------------------------

@law
def divergence_is_reported_and_states_are_written(folder):
    path = os.path.join(folder, "t.npz")
    result = run(scene("arm"), "--ctrl", "1e300", "--steps", 500, "-o", path, code=1)
    assert "diverged at step" in result.stderr and "timestep" in result.stderr, result.stderr
    assert "nan" not in result.stdout, result.stdout
    t = load(path)
    assert 1 < len(t["time"]) < 500 and numpy.isfinite(t["qpos"]).all() and numpy.isfinite(t["qvel"]).all()
    assert json.loads(run(scene("arm"), "--ctrl", "1e300", "--json", code=1).stdout)["diverged"]


@law
def velocities_of_the_start_count(folder):
    result = run(scene("cart_pole"), "--qvel", "0 1e300", code=1)
    assert "before was 1e+300 of hinge" in result.stderr, result.stderr


@law
def wrong_use_is_2_and_writes_nothing(folder):
    out = os.path.join(folder, "out.npz")
    short = write(folder, "u.csv", "1\n2 3\n")
    junk = write(folder, "junk.npz", b"PK\5\6" + b"\0" * 18)
    still = write(folder, "still.xml", "<mujoco><worldbody><geom size='1'/></worldbody></mujoco>")
    for arguments, word in [
        ([scene("arm"), "--steps", "3", "--time", "1"], "not both"),
        ([scene("arm"), "--steps", "0"], "out of range"),
        ([scene("arm"), "--time", "1e9"], "too many"),
        ([scene("arm"), "--steps", "2e9", "-o", out], "--every"),
        ([scene("arm"), "-o", folder + "/out.txt"], "neither .npz nor .csv"),
        ([scene("arm"), "-o", folder + "/none/out.npz"], "directory"),
        ([scene("arm"), "--ctrl", "rnd"], "neither random"),
        ([scene("arm"), "--ctrl", "1 2"], "neither random"),
        ([scene("cart_pole"), "--ctrl", short], "u.csv:2: is not 1 number"),
        ([scene("top"), "--ctrl", "1"], "no actuators"),
        ([scene("arm"), "--qpos", "1 2"], "needs 7 numbers for this scene; here are 2"),
        ([scene("arm"), "--qvel", "1 2 3 4 5 6 nan"], "'nan' is not a finite number"),
        ([scene("arm"), "--qpos", "1 2 3 4 5 6 1e999"], "'1e999' is not a finite number"),
        ([scene("arm"), "--ctrl", "nope.csv"], "nope.csv: cannot be read: No such file"),
        ([scene("top"), "--qpos", "0 0 0 0 0 0 0 1 0 0 0 0 0 0"], "length 0"),
        ([scene("arm"), "--frame", "3"], "requires --from"),
        ([scene("arm"), "--seed", "3"], "requires --ctrl random"),
        ([scene("arm"), "--every", "3"], "requires -o"),
        ([scene("arm"), "--from", junk], "qpos"),
        ([scene("arm"), "--from", short], "not an .npz file"),
        ([scene("arm"), "--from", folder], "regular file"),
        ([scene("arm"), "--from", folder + "/none.npz"], "No such file"),
        ([still], "has no joints"),
    ]:
        result = run(*arguments, code=2)
        assert word in result.stderr and result.stdout == "", (arguments, result.stderr)
    assert sorted(os.listdir(folder)) == ["junk.npz", "still.xml", "u.csv"], os.listdir(folder)


def hard(inside, attributes="", body='pos="0 0 .3"', geom='mass="1"'):
    return f"""<mujoco>
<tactus detect="gjk" respond="lcp" {attributes}/>
<worldbody><geom name="floor" type="plane" size="1 1 1"/>
<body {body}><freejoint/><geom name="box" type="box" size=".1 .1 .1" {geom}/></body>
</worldbody>{inside}</mujoco>"""


@law
def wrong_hard_contact_is_explained(folder):
    for content, arguments, where, word in [
        (hard("", body='pos="0 0 .05"'), [], ": overlap", "floor and box interpenetrate "
         "initially by 0.05 m"),
        (hard("", geom='mass="0"'), [], ":4: <body>", "needs mass"),
        (hard("", geom='mass="1" friction="-1"'), [], ":4: friction", "between 0 and"),
        (hard("", 'restitution="1.5"'), [], ":2: restitution", "between 0 and 1"),
        (hard("", 'restitution="-.5"'), [], ":2: restitution", "between 0 and 1"),
        (hard('<keyframe><key qvel="0 0 inf 0 0 0"/></keyframe>'), [], ":5: qvel", "finite"),
        (hard('<keyframe><key qvel="0 0 1e300 0 0 0"/></keyframe>'), [], ":5: qvel", "range"),
        (hard(""), ["--qvel", "0 0 inf 0 0 0"], "--qvel", "finite"),
    ]:
        path = write(folder, "hard.xml", content)
        answer = run(path, *arguments, code=2).stderr
        assert where in answer and word in answer, (content, answer)
    path = write(folder, "hard.xml", hard("", 'overlap="resolve"', body='pos="0 0 .05"'))
    answer = json.loads(run(path, "--steps", 5, "--json").stdout)
    assert "fallbacks" in answer and answer["skipped_time"] == 0
    path = write(folder, "held.xml", hard('<equality><connect body1="b" anchor=".1 .1 .1"/></equality>',
                                          body='name="b" pos="0 0 .3"'))
    assert json.loads(run(path, "--steps", 5, "--json").stdout)["warning"] == ""


@law
def nonconvex_meshes_are_reported(folder):
    corner = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
    vertex = [(x, y, z) for z in (0, 1) for x, y in corner]
    faces = [(0, 2, 1), (0, 3, 2), (0, 4, 3), (0, 5, 4)]
    faces += [tuple(6 + i for i in reversed(face)) for face in faces]
    faces += [side for i in range(6) for j in [(i + 1) % 6] for side in [(i, j, 6 + j), (i, 6 + j, 6 + i)]]
    for hollow in True, False:
        face = f'face="{" ".join(str(i) for f in faces for i in f)}"' if hollow else ""
        path = write(folder, "mesh.xml", f"""<mujoco><tactus detect="gjk" respond="lcp"/><asset>
<mesh name="ell" vertex="{" ".join(f"{.1 * x:g}" for v in vertex for x in v)}" {face}/></asset>
<worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 1"><freejoint/>
<geom name="bracket" type="mesh" mesh="ell" mass="1"/></body></worldbody></mujoco>""")
        note = json.loads(run(path, "--steps", 2, "--json").stdout)["warning"]
        assert ("bracket is not convex" in note) == hollow, note


@law
def contact_overflow_is_reported(folder):
    balls = "".join(f'<body pos="{.2 * (i % 20):g} {.2 * (i // 20):g} .06"><freejoint/>'
                    '<geom type="sphere" size=".05" mass="1"/></body>' for i in range(260))
    path = write(folder, "balls.xml", f"""<mujoco><option timestep=".01"/>
<tactus detect="gjk" respond="lcp"/><worldbody><geom type="plane" size="9 9 1"/>{balls}
</worldbody></mujoco>""")
    answer = run(path, "--steps", 20, code=2).stderr
    assert "ended at step 4" in answer and "256" in answer, answer


BALLS = """<mujoco><option gravity="0 0 0"/><tactus respond="scm" points="150" implicit="%s"/><worldbody>
<body name="a"><joint type="slide"/><geom type="sphere" size=".05" mass="1"/></body>
<body name="b" pos="0 0 .1003"><joint type="slide"/><geom type="sphere" size=".05" mass="1"/></body></worldbody></mujoco>"""


@law
def too_large_time_steps_are_reported(folder):
    fast = write(folder, "fast.xml", BALLS % "false")
    answer = run(fast, "--time", ".05", "--qvel", "6 -6").stdout
    assert "stiff             1 step: time step too large" in answer and "use at most 0.00045" in answer, answer
    figures = json.loads(run(fast, "--time", ".05", "--qvel", "6 -6", "--json").stdout)
    assert figures["stiff"] == 1 and 4e-4 < figures["stable_timestep"] < 6e-4, figures
    assert "stiff  " not in run(fast, "--time", ".05", "--qvel", ".1 -.1").stdout
    still = write(folder, "still.xml", BALLS % "true")
    assert "stiff  " not in run(still, "--time", ".05", "--qvel", "6 -6").stdout


@law
def runge_kutta_takes_implicit_contact(folder):
    path = write(folder, "rk4.xml", """<mujoco><option integrator="RK4"/><worldbody>
<geom type="plane" size="1 1 1"/><body pos="0 0 .3"><freejoint/><geom size=".05" mass="1"/></body></worldbody></mujoco>""")
    heights = []
    for contact in ("manifold", "detect=manifold implicit=true", "detect=sat implicit=true"):
        figures = json.loads(run(path, "--time", "1", "--json", "--contact", contact).stdout)
        assert "stiff" not in figures or figures["stiff"] == 0, figures
        heights.append(figures)
    assert heights[0]["max_qvel"] == heights[1]["max_qvel"], heights
    # what explicit elastic-plastic contact is advised works
    fast = run(path, "--time", "1", "--contact", "detect=sat implicit=false").stdout
    assert "use at most" in fast and "inf s" not in fast and 'implicit="true"' in fast, fast


@law
def contact_forces_are_listed(folder):
    near = write(folder, "near.xml", BALLS % "true")
    answer = json.loads(run(near, "--qpos", "0 -.005", "--json", command="contacts").stdout)
    assert answer["body1"] == "a" and answer["body2"] == "b", answer
    assert answer["force"][2] > 1 and abs(answer["force"][0]) < 1e-3 * answer["force"][2], answer
    assert "0 body pairs with contact force" in run(near, "--qpos", "0 .5", command="contacts", code=1).stdout


@law
def another_scene_does_not_fit(folder):
    path = os.path.join(folder, "t.npz")
    run(scene("arm"), "--steps", 3, "-o", path)
    assert "another scene" in run(scene("humanoid"), "--from", path, code=2).stderr
    assert "frames 0 to 3" in run(scene("arm"), "--from", path, "--frame", 4, code=2).stderr


@law
def interrupted_runs_leave_the_old_file(folder):
    path = write(folder, "t.npz", "old")
    child = subprocess.Popen([TACTUS, "run", scene("humanoid"), "--steps", "100000000", "--every",
                              "1000000", "-o", path], stdout=subprocess.DEVNULL)
    until = time.time() + SECONDS
    while len(os.listdir(folder)) < 2 and time.time() < until:
        time.sleep(0.01)
    child.terminate()  # SIGINT is ignored by what a shell starts in the background
    child.wait(SECONDS)
    assert os.listdir(folder) == ["t.npz"] and open(path).read() == "old"


finish()
