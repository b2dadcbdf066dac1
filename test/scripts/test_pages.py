#!/usr/bin/env python3
"""The examples of pages in docs/: programs compile and print what the page shows behind them; so do
the commands of docs/symbolic.md.

usage: test_pages.py BUILD_DIRECTORY
"""
# plain build only
import os
import re
import shutil
import subprocess
import tempfile

import script
from script import BUILD, ROOT


def law(name, expected, actual):
    script.check(name, expected == actual, f"the page:\n{expected}\nhere:\n{actual}")


def run_program(text, folder):
    source, program = os.path.join(folder, "example.c"), os.path.join(folder, "example")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    xml = subprocess.run(["pkg-config", "--libs", "libxml-2.0"], capture_output=True, text=True,
                         check=True).stdout.split()
    subprocess.run([shutil.which("cc"), "-std=c17", "-Wall", "-Wextra", "-Werror",
                    "-I" + os.path.join(ROOT, "include"), source, "-o", program,
                    os.path.join(BUILD, "libtactus.a"), *xml, "-lpthread", "-ldl", "-lm"],
                   check=True)
    return subprocess.run([program], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def run_command(words):
    command = [os.path.join(BUILD, "tactus"), *words.split()[1:]]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def blocks_of(page):
    with open(os.path.join(ROOT, "docs", page + ".md"), encoding="utf-8") as file:
        return re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.M | re.S)


def check_programs(page, folder):
    blocks = blocks_of(page)
    for (kind, text), (_, output) in zip(blocks, blocks[1:] + [("", "")]):
        if kind == "c" and shutil.which("cc"):
            law(f"a program of {page}.md prints what it shows", output, run_program(text, folder))


def main():
    with tempfile.TemporaryDirectory() as folder:
        for page in ("symbolic", "derivatives", "hard", "convex"):
            check_programs(page, folder)
    for kind, text in blocks_of("symbolic"):
        if text.startswith("$ tactus"):
            command, _, output = text.partition("\n")
            law(command[2:], output, run_command(command[2:]))
    script.check("the pages have programs and commands", script.passed >= 7)
    script.finish()


main()
