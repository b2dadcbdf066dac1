#!/usr/bin/python3 -B
"""tactus render: pictures are written whole or not at all, and messages help. argv[1] = build dir."""

import math
import os
import struct
import subprocess
import tempfile
import zlib

from script import TACTUS, check, finish

SCENE = """<mujoco><asset>
  <shape name="pebble" smooth=".02"><sphere size=".15"/><sphere size=".1" pos=".15 0 0"/></shape>
</asset><worldbody>
  <light directional="true" dir="-.5 .5 -1"/>
  <camera name="front" pos="0 -2 .6" xyaxes="1 0 0 0 .3 1" fovy="40"/>
  <geom type="plane" size="1 1 1"/>
  <geom type="shape" shape="pebble" pos="0 0 .15" rgba=".8 .3 .2 1"/>
</worldbody></mujoco>
"""
HINGE = """<mujoco><worldbody><camera pos="0 -2 0" xyaxes="1 0 0 0 0 1"/>
<body name="rod"><joint axis="0 1 0"/><geom type="capsule" size=".1" fromto="0 0 0 .6 0 0"/></body>
</worldbody></mujoco>
"""
TOUCH = """<mujoco><tactus detect="manifold" tau=".001"/>
<worldbody><camera pos="0 -2 .1" xyaxes="1 0 0 0 0 1" fovy="20"/><geom type="plane" size="1 1 1"/>
<body pos="0 0 .098"><freejoint/><geom type="box" size=".1 .1 .1" mass="1" rgba=".8 .8 .8 1"/></body>
</worldbody></mujoco>
"""

def render(*arguments):
    return subprocess.run([TACTUS, "render", *arguments], capture_output=True, timeout=300)


def png_size(data):
    """Width and height, if every chunk's checksum is right and the pixels are all there."""
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        return None
    at, pixels, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] != zlib.crc32(kind + body):
            return None
        if kind == b"IHDR":
            size, depth = struct.unpack(">II", body[:8]), {2: 3, 6: 4}[body[9]]
        pixels += body if kind == b"IDAT" else b""
        at += 12 + length
    return size if size and len(zlib.decompress(pixels)) == size[1] * (depth * size[0] + 1) else None


def unfilter(packed, width, height):
    """Rows of 8-bit RGBA pixels as PNG has them before its filters."""
    raw, rows, above = zlib.decompress(packed), [], bytearray(4 * width)
    for y in range(height):
        kind, *line = raw[y * (4 * width + 1):(y + 1) * (4 * width + 1)]
        for i in range(4 * width):
            left, corner = (line[i - 4], above[i - 4]) if i >= 4 else (0, 0)
            nearest = min((left, above[i], corner), key=lambda v: abs(left + above[i] - corner - v))
            line[i] = (line[i] + [0, left, above[i], (left + above[i]) // 2, nearest][kind]) % 256
        above = bytearray(line)
        rows.append(above)
    return rows


def animation_frames(data):
    """Frames of an animated PNG as rows of pixels, each laid over the one before, and their rate."""
    at, parts, number, rates = 8, [], 0, set()
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind in (b"fcTL", b"fdAT"):
            assert struct.unpack(">I", body[:4])[0] == number, "chunks of an animation are numbered"
            number += 1
        if kind == b"fcTL":
            parts.append([struct.unpack(">4I", body[4:20]), b""])
            rates.add(struct.unpack(">2H", body[20:24]))
        elif kind in (b"IDAT", b"fdAT"):
            parts[-1][1] += body[4 if kind == b"fdAT" else 0:]
        at += 12 + length
    frames, canvas = [], None
    for (width, height, x, y), packed in parts:
        canvas = canvas or [bytearray(3 * width) for _ in range(height)]
        for i, row in enumerate(unfilter(packed, width, height)):
            for j in range(width):
                if row[4 * j + 3]:
                    canvas[y + i][3 * (x + j):3 * (x + j + 1)] = row[4 * j:4 * j + 3]
        frames.append(b"".join(canvas))
    return frames, rates


def run(folder):
    scene = os.path.join(folder, "scene.xml")
    with open(scene, "w") as file:
        file.write(SCENE)

    def path(name):
        return os.path.join(folder, name)

    def read(name):
        with open(path(name), "rb") as file:
            return file.read()

    # pictures
    answer = render(scene, "-o", path("a.ppm"), "--size", "96x54", "--threads", "1")
    check("a .ppm is written", answer.returncode == 0 and read("a.ppm")[:13] == b"P6\n96 54\n255\n"
          and len(read("a.ppm")) == 13 + 3 * 96 * 54, answer.stderr)
    check("nothing is said when all is well", answer.stdout + answer.stderr == b"", answer)
    render(scene, "-o", path("b.ppm"), "--size", "96x54", "--threads", "3")
    check("threads change no bit", read("a.ppm") == read("b.ppm"))
    answer = render(scene, "-o", path("a.png"), "--size=97x55")
    if b"no libpng" in answer.stderr:
        check("without libpng nothing is written", not os.path.exists(path("a.png")))
    else:
        check("a .png is written", answer.returncode == 0 and png_size(read("a.png")) == (97, 55),
              answer.stderr)
        answer = render(scene, "-o", path("c.png"))
        check("960x540 is the usual size", png_size(read("c.png")) == (960, 540), answer.stderr)
        answer = render(scene, "-o", "-", "--size", "8x8")
        check("- is the standard output", png_size(answer.stdout) == (8, 8), answer.stderr)
    answer = render(scene, "-o", path("d.ppm"), "--size", "40x40", "--shape", "pebble",
                    "--samples", "1")
    check("one shape alone", answer.returncode == 0 and len(read("d.ppm")) > 4800, answer.stderr)
    answer = render(scene, "-o", path("e.ppm"), "--size", "96x54", "--camera", "front")
    check("a camera by its name", read("e.ppm") == read("a.ppm"), answer.stderr)
    with open(path("cloud.csv"), "w") as file:
        file.write("x,y,z\n.1,.2,0\n-.2,0,.1\n")
    with open(path("bad.csv"), "w") as file:
        file.write("x,y,z\n.1,nan,0\n")
    with open(path("empty.xml"), "w") as file:
        file.write("<mujoco/>")

    # slices
    everything = ["--size", "300x240", "--slice", "z=.05", "--normals", "--points",
                  path("cloud.csv"), "--span", ".8"]
    answer = render(scene, "-o", path("f.ppm"), *everything, "--threads", "1")
    check("a slice is written", answer.returncode == 0 and answer.stdout + answer.stderr == b""
          and len(read("f.ppm")) == 15 + 3 * 300 * 240, answer.stderr)
    render(scene, "-o", path("g.ppm"), *everything, "--threads", "3")
    check("threads change no bit of a slice", read("f.ppm") == read("g.ppm"))
    pictures = {read("f.ppm")}
    for field in "value", "gradient", "laplacian":
        answer = render(scene, "-o", path("h.ppm"), "--size", "64x48", "--shape", "pebble",
                        "--slice", "x=0", "--field", field)
        check(f"a slice of the {field}", answer.returncode == 0, answer.stderr)
        pictures.add(read("h.ppm"))
    check("each field has its picture", len(pictures) == 4)
    # joints
    with open(path("hinge.xml"), "w") as file:
        file.write(HINGE)
    with open(path("turned.xml"), "w") as file:
        file.write(HINGE.replace('name="rod"', 'name="rod" euler="0 40 0"'))
    joints = ["--size", "60x40", "--samples", "1"]
    render(path("turned.xml"), "-o", path("i.ppm"), *joints)
    answer = render(path("hinge.xml"), "-o", path("j.ppm"), *joints, "--qpos", repr(math.radians(40)))
    check("--qpos moves the joints", read("i.ppm") == read("j.ppm"), answer.stderr)
    subprocess.run([TACTUS, "run", path("hinge.xml"), "--qpos", "1", "--steps", "8", "-o",
                    path("run.npz")], capture_output=True, timeout=300)
    render(path("hinge.xml"), "-o", path("k.ppm"), *joints, "--from", path("run.npz"), "--frame", "0")
    render(path("hinge.xml"), "-o", path("l.ppm"), *joints, "--qpos", "1")
    check("--frame is a state of a run", read("k.ppm") == read("l.ppm"))
    render(path("hinge.xml"), "-o", path("l.ppm"), *joints, "--from", path("run.npz"))
    answer = render(path("hinge.xml"), "-o", path("m.ppm"), *joints, "--from", path("run.npz"),
                    "--montage", "2x1")
    head = len("P6\n60 40\n255\n")
    rows = [[read(f"{name}.ppm")[head + 180 * y:head + 180 * (y + 1)] for y in range(40)] for name in "kl"]
    check("a montage has the first and the last frame", read("m.ppm") == b"P6\n120 40\n255\n"
          + b"".join(a + b for a, b in zip(*rows)), answer.stderr)

    # an animation: 8 steps of 2 ms at 100 frames a second are states 0, 5 and the last
    answer = render(path("hinge.xml"), "-o", path("film.png"), *joints, "--from", path("run.npz"),
                    "--animate", "100")
    if b"no libpng" not in answer.stderr:
        frames, rates = animation_frames(read("film.png"))
        check("an animation is an animated PNG", answer.returncode == 0 and rates == {(1, 100)}
              and png_size(read("film.png")) == (60, 40), answer.stderr)
        for state, frame in zip((0, 5, 8), frames):
            render(path("hinge.xml"), "-o", path("k.ppm"), *joints, "--from", path("run.npz"),
                   "--frame", str(state))
            check(f"an animation shows state {state}", frame == read("k.ppm")[head:])
        check("an animation is as long as the run", len(frames) == 3, len(frames))

    # contacts: two corners on the near side, 2 mm deep, with their normals
    with open(path("touch.xml"), "w") as file:
        file.write(TOUCH)

    def blue(name):
        """Pixels that are bluer than anything of the scene, from the middle of a picture of 200 x 200."""
        data = read(name)[len("P6\n200 200\n255\n"):]
        return [(i % 200 - 100, i // 200 - 100) for i in range(40000)
                if data[3 * i + 2] > 200 and data[3 * i] < 110]

    touch = [path("touch.xml"), "--size", "200x200", "--samples", "1"]
    answer = render(*touch, "--contacts", "--arrow", ".05", "-o", path("n.ppm"))
    scale = 100 / math.tan(math.radians(10))  # pixels of a metre at distance 1
    x, y, top = scale * 0.1 / 1.9, scale * 0.102 / 1.9, scale * (0.102 - 0.05 * 0.88) / 1.9
    marks = blue("n.ppm")
    check("--contacts draws the near corners", answer.returncode == 0 and all(
        any(abs(u - s * x) < 2.5 and abs(v - y) < 2.5 for u, v in marks) for s in (-1, 1)), marks)
    check("normals are as long as they are active", abs(min(v for _, v in marks) - top) < 4,
          (min((v for _, v in marks), default=0), top))
    render(*touch, "--contacts", "--qpos", "0 0 .2 1 0 0 0", "-o", path("o.ppm"))
    check("no contacts, no marks", blue("o.ppm") == [])
    render(*touch, "-o", path("p.ppm"))
    render(*touch, "--opacity", "1", "--contacts", "--qpos", "0 0 .098 1 0 0 0", "-o", path("q.ppm"))
    check("opaque solids but for the marks", blue("p.ppm") == [] and blue("q.ppm") != [])
    subprocess.run([TACTUS, "run", path("touch.xml"), "--steps", "2", "-o", path("touch.npz")],
                   capture_output=True, timeout=300)
    answer = render(*touch, "--contacts", "--from", path("touch.npz"), "--montage", "1x1", "-o",
                    path("r.ppm"))
    check("a montage has the contacts of its frames", blue("r.ppm") != [], answer.stderr)

    answer = render("--help")
    check("--help has an example", answer.returncode == 0 and b"example:" in answer.stdout
          and b"--samples" in answer.stdout)

    # wrong use: exit code 2, a text that helps, no file
    before = sorted(os.listdir(folder))
    for name, arguments, text in [
        ("no output", [scene], b"-o"),
        ("animation of no run", [scene, "-o", path("x.png"), "--animate", "10"], b"--from"),
        ("animation as a .ppm", [path("hinge.xml"), "-o", path("x.ppm"), "--from", path("run.npz"), "--animate",
                            "10"], b".png"),
        ("animation and montage", [path("hinge.xml"), "-o", path("x.png"), "--from", path("run.npz"), "--animate",
                            "10", "--montage", "2x1"], b"--montage"),
        ("size without x", [scene, "-o", path("x.ppm"), "--size", "960"], b"960x540"),
        ("size zero", [scene, "-o", path("x.ppm"), "--size", "0x5"], b"960x540"),
        ("size negative", [scene, "-o", path("x.ppm"), "--size", "-3x5"], b"960x540"),
        ("size huge", [scene, "-o", path("x.ppm"), "--size", "99999999999999999999x5"], b"960x540"),
        ("size with a tail", [scene, "-o", path("x.ppm"), "--size", "5x5x5"], b"960x540"),
        ("samples 0", [scene, "-o", path("x.ppm"), "--samples", "0"], b"between"),
        ("samples no number", [scene, "-o", path("x.ppm"), "--samples", "many"], b"not a number"),
        ("threads -1", [scene, "-o", path("x.ppm"), "--threads", "-1"], b"between"),
        ("unknown camera", [scene, "-o", path("x.ppm"), "--camera", "frnt"], b"'front'"),
        ("unknown shape", [scene, "-o", path("x.ppm"), "--shape", "peble"], b"'pebble'"),
        ("slice of no axis", [scene, "-o", path("x.ppm"), "--slice", "w=3"], b"such as z=0"),
        ("slice at nan", [scene, "-o", path("x.ppm"), "--slice", "z=nan"], b"such as z=0"),
        ("slice at infinity", [scene, "-o", path("x.ppm"), "--slice", "z=inf"], b"such as z=0"),
        ("slice too far", [scene, "-o", path("x.ppm"), "--slice", "z=1e10"], b"between"),
        ("slice without number", [scene, "-o", path("x.ppm"), "--slice", "z="], b"such as z=0"),
        ("slice of nothing", [scene, "-o", path("x.ppm"), "--slice", ""], b"such as z=0"),
        ("slice with a tail", [scene, "-o", path("x.ppm"), "--slice", "z=1m"], b"such as z=0"),
        ("unknown field", [scene, "-o", path("x.ppm"), "--slice", "z=0", "--field", "gradent"],
         b"'gradient'"),
        ("slice of a missing shape", [scene, "-o", path("x.ppm"), "--slice", "z=0", "--shape", "cup"],
         b"pebble"),
        ("slice of an empty scene", [path("empty.xml"), "-o", path("x.ppm"), "--slice", "z=0"],
         b"no geoms"),
        ("span zero", [scene, "-o", path("x.ppm"), "--slice", "z=0", "--span", "0"], b"between"),
        ("field without slice", [scene, "-o", path("x.ppm"), "--field", "value"], b"--slice"),
        ("normals without slice", [scene, "-o", path("x.ppm"), "--normals"], b"--slice"),
        ("camera with slice", [scene, "-o", path("x.ppm"), "--slice", "z=0", "--camera", "front"],
         b"--camera"),
        ("wrong points", [scene, "-o", path("x.ppm"), "--slice", "z=0", "--points", path("bad.csv")],
         b"bad.csv:2: column 4"),
        ("missing points", [scene, "-o", path("x.ppm"), "--slice", "z=0", "--points", path("no.csv")],
         b"no.csv"),
        ("unknown option", [scene, "-o", path("x.ppm"), "--sampels", "4"], b"--samples"),
        ("unknown ending", [scene, "-o", path("x.jpg")], b".png"),
        ("no such directory", [scene, "-o", path("no/such/x.ppm")], b"directory"),
        ("output is a directory", [scene, "-o", path("dir.ppm")], b"directory"),
        ("no such scene", [path("none.xml"), "-o", path("x.ppm")], b"none.xml"),
        ("scene is a directory", [folder, "-o", path("x.ppm")], b"directory"),
        ("too few positions", [path("hinge.xml"), "-o", path("x.ppm"), "--qpos", "1 2"], b"1 number "),
        ("frame without run", [path("hinge.xml"), "-o", path("x.ppm"), "--frame", "1"], b"--from"),
        ("frame too high", [path("hinge.xml"), "-o", path("x.ppm"), "--from", path("run.npz"),
                            "--frame", "9"], b"0 to 8"),
        ("run of another scene", [scene, "-o", path("x.ppm"), "--from", path("run.npz")], b"another"),
        ("montage without run", [path("hinge.xml"), "-o", path("x.ppm"), "--montage", "2x2"], b"--from"),
        ("montage too large", [path("hinge.xml"), "-o", path("x.ppm"), "--from", path("run.npz"),
                             "--montage", "200x1"], b"4x2"),
        ("contacts of a scene that has none", [scene, "-o", path("x.ppm"), "--contacts"], b"detect="),
        ("contacts of a slice", [path("touch.xml"), "-o", path("x.ppm"), "--contacts", "--slice", "z=0"],
         b"--contacts cannot be combined"),
        ("contacts of a shape", [scene, "-o", path("x.ppm"), "--contacts", "--shape", "pebble"],
         b"has no contacts"),
        ("arrow without contacts", [scene, "-o", path("x.ppm"), "--arrow", "1"], b"--contacts"),
        ("arrow of nothing", [scene, "-o", path("x.ppm"), "--contacts", "--arrow", "0"], b"between"),
        ("opacity above 1", [scene, "-o", path("x.ppm"), "--opacity", "2"], b"between"),
        ("two scenes", [scene, scene, "-o", path("x.ppm")], b"too many"),
    ]:
        if name == "output is a directory":
            os.mkdir(path("dir.ppm"))
        answer = render(*arguments)
        check(name, answer.returncode == 2 and text in answer.stderr and answer.stdout == b"",
              f"{answer.returncode} {answer.stderr}")
    os.rmdir(path("dir.ppm"))
    check("nothing was left behind", sorted(os.listdir(folder)) == before, os.listdir(folder))

    # a failed picture leaves the old one
    answer = render(scene, "-o", path("a.ppm"), "--camera", "nobody")
    check("an old picture stays", len(read("a.ppm")) == 13 + 3 * 96 * 54)
    answer = render(scene, "-o", "/dev/full", "--size", "8x8")
    check("a name without an ending is refused", answer.returncode == 2, answer.stderr)


def slab(x0, x1, z0, z1, first):
    """Vertices and faces of a box, y from -.1 to .1, as OBJ."""
    corners = [(x, y, z) for x in (x0, x1) for y in (-.1, .1) for z in (z0, z1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return ("".join("v %g %g %g\n" % corner for corner in corners)
            + "".join("f %d %d %d %d\n" % tuple(first + k for k in face) for face in faces))


# two legs and a bar: the gap between the legs is inside the convex hull
GATE = slab(-.5, -.3, 0, .8, 1) + slab(.3, .5, 0, .8, 9) + slab(-.5, .5, .8, 1, 17)
GATE_SCENE = """<mujoco>{tactus}<compiler/><asset><mesh name="gate" file="gate.obj"/></asset><worldbody>
<camera pos="0 -4 .5" xyaxes="1 0 0 0 0 1" fovy="25"/>{floor}
<body name="gate" pos="0 0 {z}">{joint}<geom type="mesh" mesh="gate" mass="1" rgba="1 0 0 1" {more}/></body>
</worldbody></mujoco>
"""
PLANE = '<geom type="plane" size="2 2 .1" rgba=".3 .3 .3 1"/>'


def red_share(data, x, y):
    """Is the pixel at (x, y), from 0 to 1, of the red solid?"""
    width, height = map(int, data.split(b"\n", 3)[1].split())
    at = len(f"P6\n{width} {height}\n255\n") + 3 * (int(y * height) * width + int(x * width))
    r, g, b = data[at:at + 3]
    return r > 1.5 * g + 10 and r > 1.5 * b + 10


def check_meshes(folder):
    def draw(name, text, *arguments):
        with open(os.path.join(folder, "gate.xml"), "w") as file:
            file.write(text)
        out = os.path.join(folder, "gate.ppm")
        answer = render(os.path.join(folder, "gate.xml"), "-o", out, "--size", "160x120", *arguments)
        if not check(f"{name}: drawn", answer.returncode == 0, answer.stderr):
            return b""
        with open(out, "rb") as file:
            return file.read()

    with open(os.path.join(folder, "gate.obj"), "w") as file:
        file.write(GATE)
    cases = {
        "a mesh that collides": ("", "", "", ""),
        "a visual mesh": ("", "", "", 'contype="0" conaffinity="0"'),
        "a mesh of hard contact": ('<tactus detect="gjk" respond="lcp"/>', PLANE, "<freejoint/>", ""),
        "a mesh of soft contact": ('<tactus respond="scm"/>', PLANE, "<freejoint/>", ""),
    }
    for name, (tactus, floor, joint, more) in cases.items():
        for arguments in [[], ["--contacts", "--opacity", "1"]] if tactus else [[]]:
            # scm takes one body of one surface: the gate as it is has three
            data = draw(name, GATE_SCENE.format(tactus=tactus, floor=floor, joint=joint, more=more, z=.001), *arguments)
            if not data:
                continue
            # 4 m away and 25 degrees: the picture is 1.77 m high
            seen = [red_share(data, .5 + .4 * side / 2.36, .5) for side in (-1, 1)]
            check(f"{name}: legs are there {arguments}", all(seen), seen)
            check(f"{name}: one looks through the gate {arguments}", not red_share(data, .5, .55))
            check(f"{name}: the bar is there {arguments}", red_share(data, .5, .5 - .4 / 1.77))
    missing = GATE_SCENE.format(tactus="", floor=PLANE, joint="", more='contype="0" conaffinity="0"', z=0).replace(
        'mass="1"', 'mass="1"').replace("gate.obj", "nowhere.obj").replace('<geom type="mesh"', '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh"')
    with open(os.path.join(folder, "missing.xml"), "w") as file:
        file.write(missing)
    answer = render(os.path.join(folder, "missing.xml"), "-o", os.path.join(folder, "m.ppm"), "--size", "16x12")
    check("a visual mesh that is missing is named", answer.returncode == 0 and b"nowhere.obj" in answer.stderr
          and b"is not drawn" in answer.stderr, answer)
    one, three = (draw("threads", GATE_SCENE.format(tactus="", floor=PLANE, joint="", more="", z=0), "--threads", n)
                  for n in ("1", "3"))
    check("meshes have the same bits for any number of threads", one == three and one)


def check_force_arrows(folder):
    """Arrows of scm are forces: red, upwards, on a ball that rests."""
    path, out = os.path.join(folder, "ball.xml"), os.path.join(folder, "ball.ppm")
    with open(path, "w") as file:
        file.write("""<mujoco><tactus respond="scm"/><worldbody>
<camera pos="0 -2 .1" xyaxes="1 0 0 0 0 1" fovy="20"/><geom type="plane" size="1 1 1" rgba=".5 .5 .5 1"/>
<body pos="0 0 .099"><freejoint/><geom size=".1" mass="1" rgba=".8 .8 .8 1"/></body></worldbody></mujoco>""")
    answer = render(path, "-o", out, "--size", "160x120", "--contacts", "--arrow", ".2")
    if not check("contacts of scm are drawn", answer.returncode == 0, answer.stderr):
        return
    with open(out, "rb") as file:
        data = file.read()
    above = [red_share(data, .5, .5 - height / .705) for height in (.05, .1, .15)]
    check("the force on the ball points upwards", all(above), above)
    check("and not downwards", not red_share(data, .5, .5 + .1 / .705))


with tempfile.TemporaryDirectory() as place:
    run(place)
with tempfile.TemporaryDirectory() as place:
    check_meshes(place)
    check_force_arrows(place)
finish()
