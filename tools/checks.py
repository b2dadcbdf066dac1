"""What the checks share: the files of the project, C text without comments, and the report."""

import os
import pathlib
import re
import subprocess
import sys

SOURCE_ROOT = pathlib.Path(__file__).resolve().parent.parent


def project_files(root, *suffixes):
    """Files that git tracks or would track, sorted; without git, all outside build folders."""
    listing = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-coz", "--exclude-standard"], capture_output=True)
    if listing.returncode == 0 and (root / ".git").exists():
        names = [os.fsdecode(name) for name in listing.stdout.split(b"\0") if name]
    else:
        names = []
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith((".git", "build", "__pycache__"))]
            names += [os.path.relpath(os.path.join(folder, f), root) for f in files]
    paths = sorted(root / name for name in set(names))
    return [p for p in paths if p.is_file() and (not suffixes or p.suffix in suffixes)]


def read_text(path):
    """Content of a text file, or None if it is binary."""
    data = path.read_bytes()
    if b"\0" in data[:8192]:
        return None
    return data.decode("utf-8", errors="replace")


def blank(text):
    """Spaces of the same shape: offsets and line numbers stay."""
    return re.sub(r"[^\n]", " ", text)


C_NOISE = re.compile(r"""//(?:\\\n|[^\n])*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.S)
C_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)


def without_comments(text):
    """C text with comments blanked; strings and characters stay."""
    return C_NOISE.sub(lambda m: blank(m[0]) if m[0].startswith("/") else m[0], text)


def without_noise(text):
    """C text with comments blanked and the inside of strings and characters removed."""
    def replace(match):
        token = match[0]
        return blank(token) if token.startswith("/") else token[0] + blank(token[1:-1]) + token[-1]
    return C_NOISE.sub(replace, text)


class Report:
    """Counts laws. A law holds when it lists no complaint; a complaint says what to fix."""

    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def law(self, name, complaints, remark=""):
        for complaint in complaints:
            print(f"  {complaint}")
        if complaints:
            self.failed += 1
            print(f"FAIL {name}: {len(complaints)} to fix")
        else:
            self.passed += 1
            print(f"ok   {name}" + (f": {remark}" if remark else ""))

    def remark(self, name, complaints):
        """What is counted and does not fail; the last lines of it."""
        for complaint in complaints[-5:]:
            print(f"  {complaint}")
        print(f"note {name}: {len(complaints)}")

    def skip(self, name, reason):
        self.skipped += 1
        print(f"  skipped: {reason}\nskip {name}")

    def finish(self):
        print(totals_line(self.passed, self.failed, self.skipped))
        sys.exit(self.failed != 0)


def totals_line(passed, failed, skipped):
    return f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else "")


TOTALS = re.compile(r"(\d+) passed, (\d+) failed(?:, (\d+) skipped)?")


def parse_totals(text):
    """(passed, failed, skipped) of the last line that is not empty, or None."""
    lines = text.rstrip().splitlines()
    match = TOTALS.fullmatch(lines[-1].strip()) if lines else None
    return tuple(int(n or 0) for n in match.groups()) if match else None
