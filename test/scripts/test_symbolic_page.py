#!/usr/bin/env python3
"""The examples of docs/symbolic.md: programs compile and print what the page shows, and so do
commands.

usage: test_symbolic_page.py BUILD_DIRECTORY
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


def main():
    with open(os.path.join(ROOT, "docs", "symbolic.md"), encoding="utf-8") as file:
        blocks = re.findall(r"^```(\w*)\n(.*?)^```$", file.read(), re.M | re.S)
    with tempfile.TemporaryDirectory() as folder:
        for (kind, text), (_, output) in zip(blocks, blocks[1:] + [("", "")]):
            if kind == "c" and shutil.which("cc"):
                law("a program of the page prints what it shows", output,
                    run_program(text, folder))
        for kind, text in blocks:
            if text.startswith("$ tactus"):
                command, _, output = text.partition("\n")
                law(command[2:], output, run_command(command[2:]))
    script.check("the page has programs and commands", script.passed >= 4)
    script.finish()


main()
