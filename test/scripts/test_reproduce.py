#!/usr/bin/python3 -B
"""tactus reproduce: rows pass, pictures and plots are whole, messages help. argv[1] = build dir."""

import csv
import json
import math
import os
import shutil
import subprocess
import tempfile

from script import BUILD, TACTUS, Skip, check, finish, law

SANITIZED = os.path.basename(BUILD).endswith("san")
FEW = {"ssdf-box", "psq-solids", "edge-turn", "hard-bounce", "plastic-walk"}  # under sanitizers


def reproduce(*arguments, **variables):
    env = {**os.environ, **variables}
    if os.environ.get("TACTUS_SWEEP") != "long":
        env["TACTUS_NO_SWEEP"] = "1"  # times are of one run then
    return subprocess.run([TACTUS, "reproduce", *arguments], capture_output=True, text=True, env=env,
                          timeout=1800)


def figures(answer):
    return {row["id"]: row for row in map(json.loads, answer.stdout.splitlines())}


# the soft distance of paper 000, eq. (9), written again from the paper
def square(side):
    places = [-1 + (2 * i + 1) / side for i in range(side)]
    return [point for s in places for point in
            [((1, s), (1, 0)), ((-1, s), (-1, 0)), ((s, 1), (0, 1)), ((s, -1), (0, -1))]]


def soft_distance(cloud, eps, x, y):
    squares = [(x - p[0]) ** 2 + (y - p[1]) ** 2 for p, _ in cloud]
    weights = [math.exp((min(squares) - d) / eps) for d in squares]
    planes = [n[0] * (x - p[0]) + n[1] * (y - p[1]) for p, n in cloud]
    return sum(w * d for w, d in zip(weights, planes)) / sum(weights)


def zero_radius(cloud, eps, dx, dy):
    inside, outside = 0.5, 40.0
    for _ in range(60):
        r = (inside + outside) / 2
        if soft_distance(cloud, eps, r * dx, r * dy) < 0:
            inside = r
        else:
            outside = r
    return inside


def check_tables(folder):
    names = [json.loads(line)["name"] for line in reproduce("--list", "--json").stdout.splitlines()]
    text = reproduce("--list")
    check("--list names the experiments", text.returncode == 0 and len(names) >= 6
          and all(name in text.stdout for name in names), text.stdout)
    for name in names:
        # the pushes take minutes: make test-all runs them
        if SANITIZED and name not in FEW:
            continue
        if name == "scm-push" and os.environ.get("TACTUS_SWEEP") != "long":
            continue
        answer = reproduce(name, "--json")
        rows = figures(answer)
        missed = [row for row in rows.values() if not row["pass"]]
        bounded = [row for row in rows.values() if row["relation"] != "none"]
        check(f"{name}: {len(bounded)} rows pass", answer.returncode == 0 and bounded
              and not missed, answer.stderr or missed)
        if name == "ssdf-box":
            check_box(rows)
    answer = reproduce("psq-solids")
    check("the table counts the rows that pass", "24 of 24 pass" in answer.stdout
          and "expected" in answer.stdout and answer.stderr == "", answer.stdout)
    check("without -o nothing is written", os.listdir(folder) == [])


def check_box(rows):
    cloud, half = square(8), math.sqrt(0.5)
    for eps in 0.1, 0.5, 1, 5, 100:
        for name, dx, dy in ("x", 1, 0), ("the diagonal", half, half):
            row = rows[f"ssdf-box/radius on {name}, eps {eps}"]
            expected = zero_radius(cloud, eps, dx, dy)
            check(f"radius on {name}, eps {eps}", abs(row["value"] - expected) < 1e-9 * expected,
                  f"{row['value']} and {expected}")


def check_pictures(folder):
    def read(name):
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    answer = reproduce("psq-solids", "-o", os.path.join(folder, "a"), "--format", "ppm",
                       "--threads", "1")
    check("pictures go to the folder", answer.returncode == 0
          and os.listdir(os.path.join(folder, "a")) == ["psq-solids-all.ppm"], answer.stderr)
    data = read("a/psq-solids-all.ppm")
    width, height = map(int, data.split(b"\n", 3)[1].split())
    check("a picture is whole", data[:3] == b"P6\n" and len(data) ==
          len(f"P6\n{width} {height}\n255\n") + 3 * width * height)
    again = reproduce("psq-solids", "-o", os.path.join(folder, "a"), "--format=ppm", "--threads=3")
    check("threads change no bit, nor does a second run",
          read("a/psq-solids-all.ppm") == data and again.stdout == answer.stdout)
    check("nothing else is left", os.listdir(os.path.join(folder, "a")) == ["psq-solids-all.ppm"])


def check_csv(path):
    """header with units, and as many cells in each row; numbers or nothing"""
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return (len(set(header)) == len(header) and all(cell.endswith("]") for cell in header)
            and len(rows) > 100 and all(len(row) == len(header) for row in rows)
            and all(math.isfinite(float(cell)) for row in rows for cell in row if cell))


@law
def plots_have_numbers_with_units(folder):
    place = os.path.join(folder, "it's <a \"folder\"")
    answer = reproduce("edge-turn", "-o", place)
    assert answer.returncode == 0, answer
    assert check_csv(os.path.join(place, "edge-turn-places.csv")), "CSV"
    if not shutil.which("gnuplot"):
        raise Skip("gnuplot is not installed: plots are CSV files only")
    assert answer.stderr == "", answer.stderr
    left = sorted(os.listdir(place))
    assert left == [f"edge-turn-places.{end}" for end in ("csv", "png", "svg")], left
    with open(os.path.join(place, "edge-turn-places.svg")) as file:
        text = file.read()
    assert text.rstrip().endswith("</svg>"), "the SVG file is whole"
    assert "angle [rad]" in text and "slope [m/rad]" in text, "axes have labels with units"
    with open(os.path.join(place, "edge-turn-places.png"), "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and b"IEND" in data[-12:], "PNG is whole"


@law
def without_gnuplot_there_are_csv_files_and_one_message(folder):
    names = ["edge-turn"] if SANITIZED else ["edge-turn", "edge-boxes"]
    answer = reproduce(*names, "-o", os.path.join(folder, "a"), PATH=folder)
    assert answer.returncode == 0 and answer.stderr.count("gnuplot is not installed") == 1, answer
    left = sorted(name for name in os.listdir(os.path.join(folder, "a")) if "scene" not in name)
    assert left == sorted(["edge-turn-places.csv", "edge-boxes-points.csv"][:len(names)]), left


@law
def a_failing_gnuplot_leaves_no_picture(folder):
    fake = os.path.join(folder, "gnuplot")
    with open(fake, "w") as file:
        file.write("#!/bin/sh\necho half\nexit 1\n")
    os.chmod(fake, 0o755)
    answer = reproduce("edge-turn", "-o", os.path.join(folder, "a"), PATH=folder)
    assert answer.returncode == 2 and "gnuplot failed" in answer.stderr, answer
    left = os.listdir(os.path.join(folder, "a"))
    assert left == ["edge-turn-places.csv"], left


def check_messages(folder):
    with open(os.path.join(folder, "file"), "w") as file:
        file.write("x")
    before = sorted(os.listdir(folder))
    for name, arguments, text in [
        ("unknown experiment", ["psq-solid"], "did you mean 'psq-solids'"),
        ("unknown format", ["psq-solids", "--format", "gif"], "neither png nor ppm"),
        ("a file as the folder", ["psq-solids", "-o", os.path.join(folder, "file")], "not a folder"),
        ("no way to the folder", ["psq-solids", "-o", os.path.join(folder, "b/c")], "b/c"),
        ("unknown option", ["--outt", "x"], "did you mean --out?"),
        ("threads", ["--threads", "-1"], "between"),
    ]:
        answer = reproduce(*arguments)
        check(f"{name} is refused", answer.returncode == 2 and text in answer.stderr
              and answer.stdout == "", answer)
    check("wrong use writes nothing", sorted(os.listdir(folder)) == before)
    answer = reproduce("--help")
    check("--help has an example", answer.returncode == 0 and "example:" in answer.stdout)


with tempfile.TemporaryDirectory() as place:
    check_tables(place)
    check_pictures(place)
    check_messages(place)
finish()
