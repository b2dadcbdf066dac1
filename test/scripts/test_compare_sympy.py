#!/usr/bin/python3 -B
"""tools/compare-sympy: a scenario written with SymPy, in the middle of an impact, moves as Tactus moves it.

test_compare_sympy.py BUILD
"""
# plain build only

import os
import pathlib
import re
import subprocess
import sys

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "compare-sympy"
run = subprocess.run([TOOL, "--build", os.path.abspath(sys.argv[1]), "--case", "2", "--skip", ".2",
                      "--share", "4e-3", "--check"], capture_output=True, text=True)
if "skipped" in run.stderr:
    print(f"  skipped: {run.stderr.strip()}\nskip compare_sympy")
    print("0 passed, 0 failed, 1 skipped")
    sys.exit(0)
rows = re.findall(r"SymPy (default|kindest|cvxopt) .* from Tactus (\S+)", run.stdout)
good = run.returncode == 0 and len(rows) >= 2 and all(float(far) < 1e-9 for _, far in rows)
wrong = subprocess.run([TOOL, "--build", "/nowhere", "--check"], capture_output=True, text=True)
names = wrong.returncode != 0 and "/nowhere/tactus is not there" in wrong.stderr
for name, fine in ("both ways to write it move alike", good), ("a wrong folder is named", names):
    print(("ok   " if fine else "FAIL ") + name)
if not good:
    print(run.stdout + run.stderr)
print(f"{good + names} passed, {2 - good - names} failed")
sys.exit(not (good and names))
