#!/usr/bin/python3 -B
"""The Python package: `pip install .` into a virtual environment, the lines of the README, the laws.

It needs venv, pip, nanobind and scikit-build-core; where those are not to be had it says so.
TACTUS_SWEEP=long also gets scipy, joblib, matplotlib and jax, and makes more random calls.
"""
# plain build only

import os
import pathlib
import re
import shutil
import subprocess

import script

VENV = pathlib.Path(script.BUILD) / "python-venv"
PYTHON = str(VENV / "bin/python")
LONG = os.environ.get("TACTUS_SWEEP") == "long"


def run(*command, seconds=280, **more):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=seconds, **more)


def last_line(result):
    return (result.stderr.strip() or result.stdout.strip() or "no output").splitlines()[-1][:200]


def need(result, what):
    if result.returncode != 0:
        raise script.Skip(f"{what}: {last_line(result)}")


def get(*packages):
    """Packages of the index, once; absent ones are a reason to skip."""
    missing = [p for p in packages if run(PYTHON, "-c", f"import {p.replace('-', '_')}").returncode]
    if missing:
        need(run(PYTHON, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "20", *missing),
             f"pip cannot get {' '.join(missing)}")


def installed():
    return run(PYTHON, "-c", "import tactus_sim", cwd="/").returncode == 0


def package_installs(folder):
    """With the library of the build; TACTUS_SWEEP=long builds it again, as a user does."""
    if not os.path.exists(PYTHON):
        need(run("/usr/bin/python3", "-m", "venv", "--system-site-packages", VENV),
             "no virtual environment (Debian: python3-venv)")
    if not shutil.which("c++"):
        raise script.Skip("no C++ compiler (Debian: g++)")
    get("nanobind", "scikit-build-core")
    if LONG:
        get("scipy", "joblib", "matplotlib", "jax")
    env, library = dict(os.environ), "" if LONG else f"{script.BUILD}/libtactus.a"
    if shutil.which("ccache"):
        env["CMAKE_C_COMPILER_LAUNCHER"] = env["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
    result = run(PYTHON, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--quiet",
                 f"--config-settings=build-dir={VENV}-build",
                 f"--config-settings=cmake.define.TACTUS_LIBRARY={library}", script.ROOT, env=env)
    assert result.returncode == 0, result.stderr[-1500:]
    stubs = run(PYTHON, "-c", "import tactus_sim, pathlib; p = pathlib.Path(tactus_sim.__file__).parent; "
                "print((p / '_core.pyi').exists(), (p / 'py.typed').exists())", cwd=folder)
    assert stubs.stdout.split() == ["True", "True"], stubs.stdout + stubs.stderr


def self_check(folder):
    result = run(PYTHON, "-m", "tactus_sim", cwd=folder)
    assert result.returncode == 0 and "self-check passed" in result.stdout, result.stdout + result.stderr


def lines_of_the_readme_run(folder):
    text = (script.ROOT / "README.md").read_text()
    code = re.search(r"## In Python.*?```python\n(.*?)```", text, re.S)[1]
    result = run(PYTHON, "-c", code, cwd=script.ROOT)
    assert result.returncode == 0, result.stderr


def laws(folder):
    """Each line of the laws is a law of this script."""
    env = dict(os.environ, TACTUS_CALLS=os.environ.get("TACTUS_CALLS", "100000" if LONG else "4000"))
    result = run(PYTHON, "-B", script.ROOT / "python/tests/laws.py", script.SCENES, script.TACTUS, cwd=folder,
                 env=env)
    for line in result.stdout.splitlines():
        if line[:4] in ("ok  ", "FAIL"):
            script.check(line[5:].split(" ")[0], line.startswith("ok"), line)
        elif line.startswith("skip"):
            script.skipped += 1
            print(line)
    assert result.returncode == 0, f"code {result.returncode}: {last_line(result)}"


script.law(package_installs)
if os.path.exists(PYTHON) and installed():
    script.law(self_check)
    script.law(lines_of_the_readme_run)
    script.law(laws)
script.finish()
