"""What the scripts share: the program under test, the scenes, and laws that count themselves.

A script is called with the build folder, and ends with script.finish().
"""

import os
import pathlib
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TACTUS = os.path.join(BUILD, "tactus")
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENES = ROOT / "scenes"

passed = failed = skipped = 0


class Skip(Exception):
    """The reason why a law cannot be tried here."""


def scene(name):
    return str(SCENES / f"{name}.xml")


def tactus(*arguments, code=0, seconds=120, **more):
    """Runs the program, which has to end with this code."""
    result = subprocess.run([TACTUS, *map(str, arguments)], capture_output=True, timeout=seconds,
                            text=True, **more)
    assert result.returncode == code, (arguments, result.returncode, result.stderr[:300])
    return result


def check(name, condition, detail=""):
    global passed, failed
    passed, failed = passed + bool(condition), failed + (not condition)
    print(("ok   " if condition else "FAIL ") + name + ("" if condition else f": {detail}"))
    return bool(condition)


def law(test):
    """Runs a test in a folder of its own now; an exception is a failure."""
    global skipped
    name = test.__name__
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        try:
            test(folder)
            check(name, True)
        except Skip as reason:
            skipped += 1
            print("skip", name, "-", reason)
        except Exception as error:  # a broken test must not hide the others
            check(name, False, f"{type(error).__name__} {error}")


def finish():
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    sys.exit(failed != 0)
