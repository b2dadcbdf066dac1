#!/usr/bin/env python3
"""The command tactus as a user meets it: help, answers, exit codes, and bad input.

usage: test_cli.py BUILD_DIRECTORY
"""
import json
import math
import os
import re
import stat
import subprocess
import time

from script import Skip, TACTUS, finish, law, scene

FIRST_LIGHT = scene("first_light")
SECONDS = 20  # no answer takes longer, under sanitizers on a busy machine either



def run(*arguments, code=0, text=None, **more):
    start = time.time()
    result = subprocess.run([TACTUS, *arguments], capture_output=True, timeout=SECONDS, input=text, **more)
    result.out = result.stdout.decode("utf-8", "strict")
    result.err = result.stderr.decode("utf-8", "replace")
    answer = f"tactus {' '.join(arguments)[:80]}: exit {result.returncode}, {result.err.strip()[:300]!r}"
    assert result.returncode == code, answer
    assert time.time() - start < SECONDS, answer
    return result


def write(folder, name, content):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())
    return path


def refused(folder, content, line, attribute, word):
    """A scene is refused with one message file:line: attribute: text, and nothing else happens."""
    path = write(folder, "bad.xml", content)
    out = os.path.join(folder, "out.csv")
    for call in (["check", path], ["sdf", path, "--at", "0 0 0", "-o", out]):
        result = run(*call, code=2)
        where = path + (f":{line}" if line else "") + (f": {attribute}" if attribute else "")
        assert result.err.startswith(where + ": "), (where, result.err)
        assert word in result.err, (word, result.err)
        assert result.err.count("\n") == 1 and result.out == "", result.err
    assert sorted(os.listdir(folder)) == ["bad.xml"], os.listdir(folder)


def body(inner):
    return f"<mujoco>\n<worldbody>\n{inner}\n</worldbody>\n</mujoco>"


BALL = '<mujoco><asset><shape name="ball"><sphere size="2"/></shape></asset></mujoco>'


# ---------------------------------- help ----------------------------------

@law
def help_is_there(folder):
    overview = run("--help").out
    assert run().out == overview and run("help").out == overview and run("-h").out == overview
    commands = re.findall(r"^  (\w+) +\S", overview.split("commands:")[1].split("\n\n")[0], re.M)
    assert {"check", "sdf", "render", "grad", "reproduce", "bench"} <= set(commands), commands
    for command in commands:
        text = run(command, "--help").out
        assert run("help", command).out == text
        assert "usage: tactus " + command in text and "example:" in text and "options:" in text, command


@law
def version_is_printed(folder):
    assert re.match(r"tactus \d+\.\d+\.\d+ \(\w+\)\n$", run("--version").out)


@law
def usage_errors_exit_with_2_and_suggest(folder):
    path = write(folder, "ball.xml", BALL)
    for arguments, word in [
        (["chek"], "did you mean 'check'?"),
        (["help", "sfd"], "did you mean 'sdf'?"),
        (["check"], "missing"),
        (["check", path, path], "too many"),
        (["check", path, "--jsn"], "did you mean --json?"),
        (["check", path, "--json=1"], "takes no value"),
        (["sdf", path], "--points FILE or --at"),
        (["sdf", path, "--at", "1 2"], "three numbers"),
        (["sdf", path, "--at", "1 2 nan"], "three numbers"),
        (["sdf", path, "--at", "1 2e15 3"], "--at: y is 2e+15"),
        (["sdf", path, "--at", "1 2 3", "--points", "-"], "either"),
        (["sdf", path, "--at"], "needs a value"),
        (["sdf", path, "--at", "0 0 0", "--at", "1 0 0"], "--at is given twice"),
        (["sdf", path, "--at", "0 0 0", "-o", "a", "--out=b"], "--out is given twice"),
        (["check", ""], "name of the scene file is empty"),
        (["sdf", path, "--at", "0 0 0", "--threads", "two"], "not a number"),
        (["sdf", path, "--at", "0 0 0", "--threads", "-1"], "out of range"),
        (["sdf", path, "--at", "0 0 0", "--threads", "1.5"], "whole"),
        (["sdf", path, "--at", "0 0 0", "--shape", "bal"], "did you mean 'ball'?"),
    ]:
        result = run(*arguments, code=2)
        assert word in result.err and result.out == "", (arguments, result.err)


@law
def old_option_names_work_with_a_warning(folder):
    picture = os.path.join(folder, "out.png")
    run("run", scene("double_pendulum"), "--steps", "20", "-o", os.path.join(folder, "run.npz"))
    for arguments, old, new in [
        (["contacts", scene("box_on_box"), "--least", "0"], "--least", "--min-activity"),
        (["grad", scene("cart_pole"), "--by=body:pole/mass"], "--by", "--wrt"),
        (["derive", scene("cart_pole"), "--as", "latex"], "--as", "--format"),
        (["derive", scene("cart_pole"), "--set", "q0=0"], "--set", "--subs"),
        (["derive", scene("cart_pole"), "--symbols", "masses", "--linear"], "--linear", "--coefficients"),
        (["render", scene("double_pendulum"), "--from", os.path.join(folder, "run.npz"), "--sheet", "2x1",
          "--size", "8x8", "-o", picture], "--sheet", "--montage"),
        (["render", scene("double_pendulum"), "--from", os.path.join(folder, "run.npz"), "--film", "10",
          "--size", "8x8", "-o", picture], "--film", "--animate"),
    ]:
        result = run(*arguments)
        command = arguments[0]
        assert f"tactus {command}: warning: {old} is now {new};" in result.err, (arguments, result.err)
        assert result.err.count(" is now ") == 1 and old not in run(command, "--help").out.split(), result.err


@law
def wrong_instruction_set_is_2(folder):
    result = run("--version", code=2, env={**os.environ, "TACTUS_ISA": "mmx"})
    assert "TACTUS_ISA" in result.err


# ---------------------------------- answers ----------------------------------

@law
def check_summarises(folder):
    assert FIRST_LIGHT + ": ok" in run("check", FIRST_LIGHT).out
    path = write(folder, "ball.xml", BALL)
    lines = run("check", path, "--json", "--params").out.splitlines()
    summary, *groups = map(json.loads, lines)
    assert summary["bodies"] == 1 and summary["shapes"] == [{"name": "ball", "nodes": 1}]
    assert len(groups) == summary["groups"]
    assert sum(len(g["value"]) for g in groups) == summary["parameters"]
    size = [g for g in groups if g["parameter"] == "shape:ball/0/size"][0]
    assert size["value"] == [2.0] and size["lower"] == 1e-9 and size["upper"] == 1e9
    assert "shape:ball/0/size = 2 " in run("check", path, "--params").out


@law
def check_lists_bodies(folder):
    cart_pole = scene("cart_pole")
    text = run("check", cart_pole, "--bodies").out
    for line in ("  cart: 1 kg, 1 geom\n", "    - slide slider along 1 0 0, damping 0.1\n",
                 "    pole: 0.2 kg, 1 geom\n", "      - hinge hinge along 0 1 0, damping 0.01\n",
                 "  total mass 1.2 kg\n", "  actuator push on joint slider: gear 10, ctrl from -1 to 1\n"):
        assert line in text, (line, text)
    _, cart, pole, push = map(json.loads, run("check", cart_pole, "--bodies", "--json").out.splitlines())
    assert cart["body"] == "cart" and cart["mass"] == 1 and pole["parent"] == cart["number"] == 1
    assert pole["joints"][0]["type"] == "hinge" and pole["joints"][0]["qvel"] == 1
    assert push["actuator"] == "push" and push["joint"] == "slider" and push["ctrlrange"] == [-1, 1]
    assert push["gear"] == [10]


@law
def check_names_and_counts(folder):
    path = write(folder, "s.xml", """<mujoco><worldbody><body name="a"><freejoint/><geom size="1"/>
    <body><joint frictionloss="0.2"/><geom size="1"/></body></body><body name="b"><joint type="ball" name="c"/>
    <geom size="1"/></body></worldbody><equality><weld body1="a" body2="b"/></equality>
    <actuator><motor joint="c" gear="1 2 3"/></actuator>
    <keyframe><key qpos="0 0 0 1 0 0 0 0 1 0 0 0"/></keyframe></mujoco>""")
    text = run("check", path, "--bodies").out
    for line in ("  equalities 1\n", "  keyframes  1\n", "    - free joint0\n",
                 "- hinge joint1 along 0 0 1, frictionloss 0.2\n",
                 "  actuator actuator0 on joint c: gear 1 2 3\n"):
        assert line in text, (line, text)
    lines = list(map(json.loads, run("check", path, "--bodies", "--json").out.splitlines()))
    assert lines[0]["equalities"] == lines[0]["keyframes"] == 1 and lines[0]["tendons"] == 0
    assert lines[2]["joints"][0]["joint"] == "joint1" and lines[2]["joints"][0]["frictionloss"] == 0.2
    assert lines[-1]["gear"] == [1, 2, 3]
    assert "/frictionloss = 0.2 " in run("check", path, "--params").out


@law
def options_without_effect_are_refused(folder):
    path = write(folder, "box.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    for call, word in [
        ([FIRST_LIGHT, "--tolerance", "0.01"], "require --mass"),
        ([FIRST_LIGHT, "--vertices", "100"], "requires --mjcf"),
        ([path, "--bodies"], "--bodies applies to scenes"),
        ([path, "--params"], "--params applies to scenes"),
    ]:
        result = run("check", *call, code=2)
        assert word in result.err and result.out == "", (call, result.err)


@law
def check_summarises_meshes(folder):
    corners = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 2) for z in (0, 3))
    faces = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
    path = write(folder, "box.obj", corners + faces)
    assert "closed and oriented, Euler characteristic 2" in run("check", path).out
    summary = json.loads(run("check", path, "--json").out)
    assert summary["volume"] == 6 and summary["area"] == 22 and summary["hull_faces"] == 6
    path = write(folder, "open.obj", corners + faces[:-10])
    assert "not closed: 4 boundary edges" in run("check", path).out
    path = write(folder, "wrong.obj", corners + "f 1 2 9\n")
    assert run("check", path, code=2).err.startswith(path + ":9: face 0")


@law
def sdf_of_a_sphere_is_right(folder):
    path = write(folder, "ball.xml", BALL)
    out = run("sdf", path, "--at", "0 3 4", "--gradient", "--hessian").out.splitlines()
    assert out[0] == "x,y,z,value,gx,gy,gz,hxx,hyy,hzz,hxy,hxz,hyz"
    numbers = [float(x) for x in out[1].split(",")]
    expected = [0, 3, 4, 3, 0, .6, .8, .2, .64 / 5, .36 / 5, 0, 0, -.48 / 5]
    assert all(math.isclose(a, b, abs_tol=1e-13) for a, b in zip(numbers, expected)), numbers
    answer = json.loads(run("sdf", path, "--at", "0, 3, 4", "--gradient", "--json").out)
    assert answer["value"] == numbers[3] and answer["gradient"] == numbers[4:7]


@law
def points_come_from_a_file_or_standard_input(folder):
    path = write(folder, "ball.xml", BALL)
    text = "\ufeffx, y, z\r\n# comment\r\n\r\n0,0,3\r\n 1e0 , 0 , 0 \r\n"
    expected = "x,y,z,value\n0,0,3,1\n1,0,0,-1\n"
    points = write(folder, "points.csv", text)
    assert run("sdf", path, "--points", points).out == expected
    assert run("sdf", path, "--points=-", text=text.encode()).out == expected
    assert run("sdf", path, "--points", write(folder, "none.csv", "")).out == "x,y,z,value\n"


@law
def threads_give_the_same_bytes(folder):
    points = "".join(f"{math.sin(i) * .3},{math.cos(3 * i) * .3},{math.sin(7 * i) * .3}\n" for i in range(20000))
    path = write(folder, "points.csv", points)
    call = ["sdf", FIRST_LIGHT, "--shape", "pebble", "--points", path, "--gradient", "--hessian", "--threads"]
    one = run(*call, "1").out
    assert one.count("\n") == 20001
    assert run(*call, "2").out == one and run(*call, "7").out == one


@law
def wrong_points_name_line_and_column(folder):
    path = write(folder, "ball.xml", BALL)
    out = os.path.join(folder, "out.csv")
    for text, line, column in [
        (b"0,0,0\n1,2\n", 2, 4), (b"0,0,0,0\n", 1, 6), (b"0,x,0\n", 1, 3), (b"0,0,nan\n", 1, 5),
        (b"0,inf,0\n", 1, 3), (b"0,0,1e999\n", 1, 5), (b"a,b,c\n", 1, 1),
        (b"0,0,0\nx,y,z\n", 2, 1), (b"0,0,0x1\n", 1, 5), (b"\n\n,,\n", 3, 1), (b"0,0,0\n\0\n", 2, 1),
        (b"\xff\xfe0", 1, 1),
    ]:
        points = write(folder, "points.csv", text)
        result = run("sdf", path, "--points", points, "-o", out, code=2)
        assert result.err.startswith(f"{points}:{line}: column {column}: "), (text, result.err)
        assert not os.path.exists(out) and result.out == ""
    for text in (b"0,0,3\n", b"0 0 3\n", b"0;0;3\n", b"0\t0, 3 \n"):
        points = write(folder, "points.csv", text)
        assert run("sdf", path, "--points", points).out.splitlines()[1].startswith("0,0,3,"), text
    for bad in (folder, os.path.join(folder, "nothing.csv")):
        assert bad in run("sdf", path, "--points", bad, code=2).err


@law
def a_long_load_says_so_on_a_terminal(folder):
    import pty
    # hulls of prisms with very many sides take long (docs/mesh-files.md)
    sides = 150000
    ring = [(math.cos(2 * math.pi * i / sides), math.sin(2 * math.pi * i / sides)) for i in range(sides)]
    write(folder, "prism.obj", "".join(f"v {x:.15g} {y:.15g} {z}\n" for x, y in ring for z in (0, 1)))
    path = write(folder, "prism.xml", '<mujoco><asset><mesh name="m" file="prism.obj"/></asset>'
                 '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>')
    terminal, end = pty.openpty()
    start = time.time()
    process = subprocess.Popen([TACTUS, "check", path], stdout=subprocess.DEVNULL, stderr=end)
    os.close(end)
    said = b""
    while process.poll() is None and time.time() - start < 60 and b"loading" not in said:
        try:
            said += os.read(terminal, 1000)
        except OSError:
            break
    process.kill()
    process.wait()
    os.close(terminal)
    if time.time() - start < 1.2:
        raise Skip("the load took less than a second")
    assert re.search(rb"\rtactus: loading, +\d+ s", said), said
    assert b"loading" not in run("check", scene("cup")).err.encode(), "not on other files"


# ---------------------------------- contacts ----------------------------------

RESTING = """<mujoco><option timestep=".002"/><tactus {contact}/>
<asset><mesh name="cube" vertex="-.1 -.1 -.1 .1 -.1 -.1 -.1 .1 -.1 .1 .1 -.1
                                 -.1 -.1 .1 .1 -.1 .1 -.1 .1 .1 .1 .1 .1"/></asset>
<worldbody><geom name="the_long_floor" type="plane" size="2 2 .1"/>
<body name="crate" pos="0 0 .101"><freejoint/><geom name="the_wooden_crate" {geom} mass="2"/></body></worldbody></mujoco>"""
BOX, CUBE = 'type="box" size=".1 .1 .1"', 'type="mesh" mesh="cube"'


@law
def contacts_have_forces_and_names(folder):
    # at rest the forces on the crate carry its weight, whatever the detector and the responder
    for contact, geom in [('detect="manifold"', BOX), ('detect="manifold"', CUBE), ('detect="edge_sdf"', BOX),
                          ('detect="gjk" respond="lcp"', BOX), ('detect="gjk" respond="lcp"', CUBE),
                          ('detect="convex" respond="spring"', BOX), ('detect="ssdf" respond="scm"', BOX)]:
        path = write(folder, "rest.xml", RESTING.format(contact=contact, geom=geom))
        out = os.path.join(folder, "rest.npz")
        run("run", path, "--time", "2", "-o", out)
        rows = [json.loads(line) for line in run("contacts", path, "--from", out, "--json", "--min-activity", "0").out.splitlines()]
        weight = sum(row["force"][2] for row in rows)
        assert abs(weight - 2 * 9.81) < 0.01 * 2 * 9.81, (contact, geom, weight)
        text = run("contacts", path, "--from", out).out
        if "scm" in contact:
            assert {(row["body1"], row["body2"]) for row in rows} == {("world", "crate")} and "force [N]" in text, text
            continue
        for row in rows:
            assert (row["geom1"], row["geom2"]) == ("the_long_floor", "the_wooden_crate"), row
            assert re.fullmatch(r"(soft point|vertex|edges?|face|rim|surface)[\w ,-]*", row["feature"]), row
        assert "the_wooden_crate" in text and "normal [N]" in text and "friction [N]" in text, text


@law
def contacts_of_planar_scenes_have_forces(folder):
    out = os.path.join(folder, "walk.npz")
    run("run", scene("walking_figure"), "--time", ".3", "-o", out)
    rows = [json.loads(line) for line in run("contacts", scene("walking_figure"), "--from", out, "--json").out.splitlines()]
    assert len(rows) == 4 and all(row["force"][1] > 10 for row in rows), rows
    assert {row["feature"] for row in rows} == {"face 0, vertex 0"}, rows


# ---------------------------------- output files ----------------------------------

@law
def files_are_written_whole_or_not_at_all(folder):
    path = write(folder, "ball.xml", BALL)
    call = ["sdf", path, "--at", "0 0 3"]
    out = write(folder, "out.csv", "old")
    os.chmod(out, 0o640)
    os.symlink("out.csv", os.path.join(folder, "link.csv"))
    run("sdf", path, "--points", "-", "-o", out, code=2, text=b"0,0\n")
    assert open(out).read() == "old"
    run(*call, "-o", os.path.join(folder, "link.csv"))
    assert open(out).read() == "x,y,z,value\n0,0,3,1\n"
    assert stat.S_IMODE(os.stat(out).st_mode) == 0o640 and os.path.islink(os.path.join(folder, "link.csv"))
    assert "directory" in run(*call, "-o", folder, code=2).err
    assert "cannot be written" in run(*call, "-o", os.path.join(folder, "no", "out.csv"), code=2).err
    assert sorted(os.listdir(folder)) == ["ball.xml", "link.csv", "out.csv"], os.listdir(folder)
    run(*call, "-o", "/dev/null")


@law
def a_full_disk_is_an_error(folder):
    path = write(folder, "ball.xml", BALL)
    for call in (["sdf", path, "--at", "0 0 3"], ["check", path], ["--help"]):
        with open("/dev/full", "w") as full:
            result = subprocess.run([TACTUS, *call], stdout=full, stderr=subprocess.PIPE, timeout=SECONDS)
        assert result.returncode == 2 and b"written" in result.stderr, (call, result)
    assert "written" in run("sdf", path, "--at", "0 0 3", "-o", "/dev/full", code=2).err


# A scene with every kind of file: an include, a mesh that is used and one that is not, a texture, a skin.
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
LADEN = """<mujoco><compiler texturedir="art"/>
<include file="INCLUDE"/>
<asset><mesh name="m" file="USED"/><mesh name="spare" file="SPARE"/>
<texture name="t" type="2d" file="TEXTURE"/><hfield name="h" file="FIELD" size="1 1 1 1"/>
<shape name="ball"><sphere size="1"/></shape></asset>
<worldbody><geom type="mesh" mesh="m" contype="0" conaffinity="0"/></worldbody></mujoco>"""
MOVING = """<mujoco><worldbody><body><joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
<actuator><motor joint="j"/></actuator></mujoco>"""


def laden_scene(folder, ending):
    """Writes the scene; every file of it has this ending where a mesh reader does not ask for its own."""
    end = ending.lstrip(".")
    mesh = end if end in ("obj", "stl", "ply") else "obj"
    names = {"scene": f"scene.{end}", "INCLUDE": f"part.{end}", "USED": f"used.{mesh}", "SPARE": f"spare.{mesh}",
             "TEXTURE": f"wood.{end}", "FIELD": f"hill.{end}"}
    os.mkdir(os.path.join(folder, "art"))
    text = LADEN
    for key in names:
        text = text.replace(f'"{key}"', f'"{names[key]}"')
    files = {"scene": write(folder, names["scene"], text), "include": write(folder, names["INCLUDE"], MOVING)}
    if mesh == "obj":
        files["mesh"], files["spare"] = (write(folder, names[key], TETRAHEDRON) for key in ("USED", "SPARE"))
    else:
        ball = write(folder, "ball.xml", BALL)
        for key in "USED", "SPARE":
            run("mesh", ball, "--vertices", "60", "-o", os.path.join(folder, names[key]))
        files["mesh"], files["spare"] = (os.path.join(folder, names[key]) for key in ("USED", "SPARE"))
        os.remove(ball)
    files["texture"] = write(os.path.join(folder, "art"), names["TEXTURE"], "wood")
    files["field"] = write(folder, names["FIELD"], "hill")
    return files


def other_names(folder, path, ending):
    """The file itself, and by another way, a link, a link to a link, and a second name."""
    place = lambda name: os.path.join(folder, name + ending)
    os.symlink(path, place("link"))
    os.symlink(place("link"), place("chain"))
    os.link(path, place("hard"))
    own = [path] if path.endswith(ending) else []
    way = os.path.join(os.path.dirname(path), "..", os.path.basename(os.path.dirname(path)), os.path.basename(path))
    return own + ([way] if own else []) + [place("link"), place("chain"), place("hard")]


def stays(call, path, ending, folder):
    """The command refuses each name of an input as its output, says so, and changes nothing."""
    with open(path, "rb") as file:
        before = file.read()
    names = other_names(folder, path, ending)
    listing = sorted(os.listdir(folder))
    for name in names:
        result = run(*call(name), code=2, cwd=folder)
        assert "this command reads" in result.err and "choose another output file" in result.err, result.err
        assert name in result.err, (name, result.err)
        with open(path, "rb") as file:
            assert file.read() == before, (call(name), "was overwritten")
        assert sorted(os.listdir(folder)) == listing, (call(name), os.listdir(folder))
    for name in names[-3:]:
        os.remove(name)


@law
def outputs_never_replace_inputs(folder):
    # command, ending of its output, arguments before it
    for command, ending, arguments in [
        ("run", ".csv", ["--steps", "2"]),
        ("run", ".npz", ["--steps", "2"]),
        ("sdf", ".csv", ["--shape", "ball", "--at", "0 0 0"]),
        ("mesh", ".obj", ["--shape", "ball", "--vertices", "60"]),
        ("mesh", ".stl", ["--shape", "ball", "--vertices", "60"]),
        ("mesh", ".ply", ["--shape", "ball", "--vertices", "60"]),
        ("render", ".png", ["--size", "8x8"]),
        ("render", ".ppm", ["--size", "8x8"]),
        ("render", ".png", ["--size", "8x8", "--slice", "z=0"]),
        ("grad", ".csv", []),
        ("grad", ".npz", ["--of", "qpos:j", "--steps", "2"]),
        ("derive", ".c", ["--format", "c"]),
        ("check", ".xml", []),
    ]:
        place = os.path.join(folder, f"{command}{ending}{len(arguments)}")
        os.mkdir(place)
        for path in laden_scene(place, ending).values():
            scene_file = os.path.join(place, "scene" + ending)
            option = "--mjcf" if command == "check" else "-o"
            stays(lambda name: [command, scene_file, *arguments, option, name], path, ending, place)
        out = os.path.join(place, "new" + ending)
        run(command, scene_file, *arguments, option, out)
        assert os.path.getsize(out) > 0, out


@law
def outputs_never_replace_files_of_options(folder):
    path = write(folder, "slide.xml", MOVING)
    npz, table = os.path.join(folder, "run.npz"), write(folder, "u.csv", "0\n1\n")
    points = write(folder, "points.csv", "0,0,0\n")
    ball = write(folder, "ball.xml", BALL)
    run("run", path, "--steps", "3", "-o", npz)
    for call, own, ending in [
        (["run", path, "--steps", "1", "--from", npz], npz, ".npz"),
        (["run", path, "--steps", "1", "--from", npz], npz, ".csv"),
        (["run", path, "--steps", "1", "--ctrl", npz], npz, ".npz"),
        (["run", path, "--steps", "1", "--ctrl", table], table, ".csv"),
        (["grad", path, "--from", npz], npz, ".npz"),
        (["render", path, "--size", "8x8", "--from", npz], npz, ".png"),
        (["render", path, "--size", "8x8", "--from", npz, "--montage", "1x1"], npz, ".png"),
        (["render", path, "--size", "8x8", "--from", npz, "--animate", "5"], npz, ".png"),
        (["render", ball, "--shape", "ball", "--size", "8x8", "--slice", "z=0", "--points", points], points, ".ppm"),
        (["sdf", ball, "--points", points], points, ".csv"),
    ]:
        stays(lambda name: [*call, "-o", name], own, ending, folder)
    with open(points) as file:
        result = subprocess.run([TACTUS, "sdf", ball, "--points", "-", "-o", points], stdin=file, capture_output=True)
    assert result.returncode == 2 and b"standard input" in result.stderr, result.stderr
    with open(ball, "a") as file:  # >> of a shell
        result = subprocess.run([TACTUS, "sdf", ball, "--at", "0 0 0"], stdout=file, stderr=subprocess.PIPE)
    assert result.returncode == 2 and b"standard output: is the same file" in result.stderr, result.stderr
    with open(ball) as file:
        assert file.read() == BALL


@law
def exported_meshes_never_replace_inputs(folder):
    out = os.path.join(folder, "out.xml")
    shapes = '<shape name="a"><superquadric size="1 2 1" eps=".5 .5"/></shape><shape name="b"><polyhedron file="out_1.obj"/></shape>'
    geoms = '<geom type="shape" shape="a"/><geom type="shape" shape="b" pos="9 0 0"/>'
    write(folder, "out_1.obj", TETRAHEDRON)
    path = write(folder, "in.xml", f"<mujoco><asset>{shapes}</asset><worldbody>{geoms}</worldbody></mujoco>")
    run("check", path, "--mjcf", os.path.join(folder, "free.xml"), "--vertices", "60")
    made = sorted(name for name in os.listdir(folder) if name.startswith("free"))
    assert "free.xml" in made and len(made) == 3, made
    mesh = made[-1].replace("free", "out")
    os.rename(os.path.join(folder, "out_1.obj"), os.path.join(folder, mesh))
    write(folder, "in.xml", open(path).read().replace("out_1.obj", mesh))
    result = run("check", path, "--mjcf", out, "--vertices", "60", code=2)
    assert mesh in result.err and "this command reads" in result.err, result.err
    assert open(os.path.join(folder, mesh)).read() == TETRAHEDRON and not os.path.exists(out)
    assert not os.path.exists(os.path.join(folder, made[1].replace("free", "out"))), "nothing is written before"


@law
def an_interrupted_export_leaves_nothing(folder):
    # the scene's file is open while its meshes are written: both are temporary files then
    path = os.path.join(folder, "in")
    os.mkdir(path)
    cup = '<shape name="c"><difference smooth=".01"><sphere size="1"/><sphere size=".9" pos="0 0 .4"/></difference></shape>'
    path = write(path, "in.xml", f'<mujoco><asset>{cup}</asset><worldbody><geom type="shape" shape="c"/></worldbody></mujoco>')
    out = os.path.join(folder, "out.xml")
    process = subprocess.Popen([TACTUS, "check", path, "--mjcf", out, "--vertices", "20000"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    end = time.time() + SECONDS
    while len(os.listdir(folder)) < 3 and process.poll() is None and time.time() < end:
        time.sleep(0.005)
    if process.poll() is not None:
        raise Skip("the export ended before it could be interrupted")
    process.terminate()
    process.communicate(timeout=SECONDS)
    assert process.returncode == -15 and os.listdir(folder) == ["in"], (process.returncode, os.listdir(folder))


# ---------------------------------- bad scenes ----------------------------------

@law
def unknown_words(folder):
    refused(folder, body("<goem/>"), 3, "<goem>", "did you mean <geom>?")
    refused(folder, body('<geom\n size="1"\n szie="1"/>'), 5, "szie", "did you mean 'size'?")
    refused(folder, body("<body><freejoint/></body>"), 3, "<body>", "a moving body needs mass")
    refused(folder, "<sdf/>", 1, "<mujoco>", "starts with <mujoco>")


@law
def attributes_of_an_element_around(folder):
    part = '<union truncate="1"><sphere size="1"/><sphere size="1" pos="1 0 0"/></union>'
    refused(folder, f'<mujoco>\n<asset><shape name="a">\n{part}</shape></asset></mujoco>', 3, "truncate",
            "it belongs to the <shape> around it")


@law
def faces_of_open_meshes_count_from_0(folder):
    mesh = write(folder, "open.obj", TETRAHEDRON.replace("f 3 1 4\n", ""))
    found = re.search(r"volume +none: .*\(face (\d), from 0\)", run("check", mesh).out)
    path = write(folder, "open.xml", '<mujoco><tactus respond="scm"/><asset><mesh name="m" file="open.obj"/></asset>'
                 '<worldbody><geom type="plane" size="1 1 1"/><body><freejoint/><inertial pos="0 0 0" mass="1" '
                 'diaginertia="1 1 1"/><geom type="mesh" mesh="m"/></body></worldbody></mujoco>')
    text = run("check", path, code=2).err
    again = re.search(r"face (\d), edge of vertices \d and \d \(from 0\)", text)
    assert found and again and found.group(1) == again.group(1), (found, text)


@law
def broken_xml(folder):
    refused(folder, "<mujoco>\n<worldbody>\n</mujoco>", 3, "", "mismatch")
    refused(folder, "<mujoco>\n<asset", 2, "", "XML")
    refused(folder, body('<geom size="1" size="2"/>'), 3, "", "redefined")
    refused(folder, "", 0, "", "empty")
    refused(folder, b"\x89PNG\r\n\x1a\n", 1, "", "UTF-8")
    refused(folder, b"\n<mujoco\x00/>", 2, "", "control")


@law
def entity_bombs(folder):
    laughs = '<!ENTITY a "ha">' + "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij"))
    refused(folder, f"<?xml version='1.0'?>\n<!DOCTYPE m [{laughs}]>\n<mujoco model='&j;'/>", 2, "<!DOCTYPE>", "entities")
    quadratic = f'<!ENTITY a "{"x" * 100000}">'
    refused(folder, f"<!DOCTYPE m [{quadratic}]>\n<mujoco>{'&a;' * 10000}</mujoco>", 1, "<!DOCTYPE>", "entities")
    refused(folder, '<!DOCTYPE m SYSTEM "http://127.0.0.1:9/x.dtd">\n<mujoco/>', 1, "<!DOCTYPE>", "DOCTYPE")


@law
def deep_nesting(folder):
    deep = "\n".join(["<mujoco><worldbody>"] + ["<body>"] * 100000 + ["</body>"] * 100000 + ["</worldbody></mujoco>"])
    refused(folder, deep, 200, "", "nested more than 200")


@law
def large_files(folder):
    refused(folder, body("<geom " + "a" * 40000000 + "='1'/>"), 3, "", "")
    refused(folder, body("<geom" + "".join(f" a{i}=''" for i in range(1000000)) + "/>"), 3, "", "256")
    refused(folder, body("<site/>" * 1100000), 3, "", "1000000 elements")
    path = os.path.join(folder, "huge.xml")
    os.remove(os.path.join(folder, "bad.xml"))
    with open(path, "wb") as file:
        file.truncate(1 << 33)
    assert run("check", path, code=2).err.startswith(path + ": has 8589934592 bytes")


@law
def wrong_numbers(folder):
    for text, word in [("nan", "finite"), ("inf", "finite"), ("-Infinity", "finite"), ("1e400", "finite"),
                       ("0x10", "decimal"), ("1,5", "spaces"), ("one", "'one'"), ("-1", "out of range"),
                       ("0", "out of range"), ("1 2 3 4", "1 to 3 numbers"), ("", "found 0")]:
        refused(folder, body(f'<geom\n size="{text}"/>'), 4, "size", word)
    refused(folder, body('<geom size="1" pos="1 2"/>'), 3, "pos", "3 numbers, found 2")
    refused(folder, body('<geom size="1" quat="0 0 0 0"/>'), 3, "quat", "length 0")


@law
def other_encodings(folder):
    refused(folder, body('<geom size="1" name="caf\u00e9"/>').encode("latin-1"), 3, "", "UTF-8")
    refused(folder, body("<geom/>").encode("utf-16"), 1, "", "UTF-8")
    write(folder, "good.xml", body('<geom size="1" name="caf\u00e9"/>'))
    assert "geom:caf\u00e9/size" in run("check", os.path.join(folder, "good.xml"), "--params").out


@law
def files_that_are_none(folder):
    missing = os.path.join(folder, "missing.xml")
    assert run("check", missing, code=2).err.startswith(missing + ": ")
    assert "directory" in run("check", folder, code=2).err
    fifo = os.path.join(folder, "fifo.xml")
    os.mkfifo(fifo)
    assert "regular" in run("check", fifo, code=2).err
    assert "regular" in run("check", "/dev/zero", code=2).err
    loop = os.path.join(folder, "loop.xml")
    os.symlink("loop.xml", loop)
    assert loop in run("check", loop, code=2).err


@law
def unreadable_files(folder):
    path = write(folder, "secret.xml", BALL)
    os.chmod(path, 0)
    more = {}
    if os.geteuid() == 0:  # nothing is unreadable for root
        more = {"user": 65534, "group": 65534}
        try:
            run("--version", **more)
        except (OSError, AssertionError) as error:
            raise Skip(f"cannot run as another user: {error}")
    assert run("check", path, code=2, **more).err.startswith(path + ": cannot be opened: ")
    out = os.path.join(folder, "new.csv")
    os.chmod(path, 0o644)
    assert "cannot be written" in run("sdf", path, "--at", "0 0 0", "-o", out, code=2, **more).err or not more


finish()
