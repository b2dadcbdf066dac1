#!/usr/bin/python3 -B
"""Every scene that the project ships loads, draws, and has right derivatives, whatever the seed.

test_scenes.py BUILD
"""

import os
import subprocess
import tempfile

import script

scenes = sorted(script.SCENES.glob("*.xml"))
short, long = "TACTUS_NO_SWEEP" in os.environ, os.environ.get("TACTUS_SWEEP") == "long"

# Steps that take seconds in quad precision; test_model_derivatives proves them on fewer points.
# Differences of a step say nothing of a pile at rest (docs/hard.md): test_hard_derivatives has pairs.
SLOW = {"box_on_box", "figure_pair", "figures", "horseshoe", "plates", "push_t_scm"}

# The peg starts over the hole.
RUNS = {"peg": ["--key", "insert"]}


def check(name, *arguments):
    run = subprocess.run([script.TACTUS, *arguments], capture_output=True, text=True)
    script.check(name, run.returncode == 0,
                 "\n".join(line for line in (run.stdout + run.stderr).splitlines()
                           if "shape" in line or "FAILED" in line or not run.stdout))


with tempfile.TemporaryDirectory() as folder:
    for scene in scenes:
        check(f"{scene.name} loads", "check", str(scene), "--params")
        check(f"{scene.name} draws", "render", str(scene), "--size", "64x36", "--samples", "1",
              "-o", f"{folder}/{scene.stem}.png")
        points = ["--points", "1000" if long else "100" if short else "300"]
        for seed in range(1, 1 if scene.stem in SLOW else 6 if long else 2 if short else 3):
            check(f"{scene.name} has right derivatives, seed {seed}", "grad", str(scene), "--check",
                  "--seed", str(seed), *RUNS.get(scene.stem, points))
script.finish()
