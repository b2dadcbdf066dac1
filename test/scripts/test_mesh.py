#!/usr/bin/env python3
"""tactus mesh and tactus check --mass as a user meets them: files, figures, complaints.

usage: test_mesh.py BUILD_DIRECTORY
"""
import collections
import json
import math
import os
import struct

from script import finish, law, tactus as run

BALL = '<shape name="ball"><sphere size="2"/></shape>'
PLANE = '<shape name="flat"><plane/></shape>'
PAIR = ('<shape name="pair" smooth=".01"><sphere size=".1"/><sphere size=".1" pos="1 0 0"/>'
        '<sphere size=".1" pos="0 1 0"/></shape>')



def scene(folder, *shapes):
    path = os.path.join(folder, "scene.xml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"<mujoco><asset>{''.join(shapes)}</asset></mujoco>")
    return path


def read_obj(text):
    rows = [line.split() for line in text.splitlines()]
    vertices = [tuple(map(float, row[1:])) for row in rows if row and row[0] == "v"]
    faces = [tuple(int(i) - 1 for i in row[1:]) for row in rows if row and row[0] == "f"]
    return vertices, faces


def volume(vertices, faces):
    total = 0.0
    for a, b, c in ([vertices[i] for i in face] for face in faces):
        total += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
                  + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
    return total


@law
def obj_is_closed_and_on_the_surface(folder):
    out = os.path.join(folder, "ball.obj")
    said = run("mesh", scene(folder, BALL), "--vertices", "100", "-o", out).stdout
    with open(out, encoding="utf-8") as file:
        vertices, faces = read_obj(file.read())
    assert f"{len(vertices)} vertices" in said and 80 <= len(vertices) <= 120
    assert all(abs(math.hypot(*v) - 2) <= 2e-9 for v in vertices)
    edges = collections.Counter((f[i], f[(i + 1) % 3]) for f in faces for i in range(3))
    assert all(count == 1 and edges[b, a] == 1 for (a, b), count in list(edges.items()))
    assert 0.9 * 32 * math.pi / 3 < volume(vertices, faces) < 32 * math.pi / 3
    assert read_obj(run("mesh", scene(folder, BALL), "--vertices", "100", "-o", "-").stdout) == (vertices, faces)


@law
def stl_holds_the_faces(folder):
    out = os.path.join(folder, "ball.stl")
    run("mesh", scene(folder, BALL), "--shape", "ball", "--vertices", "50", "-o", out)
    with open(out, "rb") as file:
        data = file.read()
    faces = struct.unpack_from("<I", data, 80)[0]
    assert len(data) == 84 + 50 * faces and faces == 96
    for i in range(faces):
        row = struct.unpack_from("<12f", data, 84 + 50 * i)
        middle = [sum(row[3 + k::3]) / 3 for k in range(3)]
        assert sum(n * m for n, m in zip(row[:3], middle)) > 1.0  # outward


@law
def ply_holds_vertices_and_faces(folder):
    path, out = scene(folder, BALL), os.path.join(folder, "ball.ply")
    run("mesh", path, "--vertices", "50", "-o", out)
    vertices, faces = read_obj(run("mesh", path, "--vertices", "50", "-o", "-").stdout)
    with open(out, "rb") as file:
        head, data = file.read().split(b"end_header\n", 1)
    assert b"element vertex %d\n" % len(vertices) in head and b"element face %d\n" % len(faces) in head
    assert len(data) == 24 * len(vertices) + 13 * len(faces)
    assert list(struct.iter_unpack("<3d", data[:24 * len(vertices)])) == vertices
    rows = struct.iter_unpack("<B3i", data[24 * len(vertices):])
    assert [row[1:] for row in rows if row[0] == 3] == faces


@law
def wrong_use_writes_nothing(folder):
    path = scene(folder, BALL, PLANE, PAIR)
    out = os.path.join(folder, "out.obj")
    for arguments, code, word in [
        (["--shape", "ball"], 2, "-o"),
        (["--shape", "ball", "-o", os.path.join(folder, "out.off")], 2, ".obj, .stl or .ply"),
        (["--shape", "bal", "-o", out], 2, "did you mean"),
        (["--shape", "ball", "--vertices", "3", "-o", out], 2, "out of range"),
        (["--shape", "flat", "-o", out], 2, "unbounded"),
        (["--shape", "pair", "--vertices", "8", "-o", out], 1, "ask for more"),
    ]:
        said = run("mesh", path, *arguments, code=code).stderr
        assert word in said and said.count("\n") == 1, said
        assert os.listdir(folder) == ["scene.xml"], os.listdir(folder)


@law
def masses_are_printed(folder):
    path = scene(folder, BALL, PLANE)
    lines = run("check", path, "--mass", "--density", "10", "--json").stdout.splitlines()
    ball, flat = map(json.loads, lines[1:])
    exact = 32 * math.pi / 3
    assert ball["shape"] == "ball" and 0 < ball["error"] <= 1e-3
    assert abs(ball["volume"] / exact - 1) <= ball["error"]
    assert abs(ball["mass"] / (10 * exact) - 1) <= ball["error"]
    assert abs(ball["inertia"][0] / (1.6 * 10 * exact) - 1) <= 3 * ball["error"]
    assert "unbounded" in flat["none"]
    text = run("check", path, "--mass").stdout
    assert ball["converged"] is True
    missed = run("check", path, "--mass", "--tolerance", "1e-12", code=1).stdout
    assert "above --tolerance 1e-12" in missed, missed
    assert "mass of ball" in text and "inertia" in text and "mass of flat: none" in text


finish()
