#!/usr/bin/python3 -B
"""The checks accept a good example and fail on each bad one, naming what to fix.

A small project is written into a temporary folder; each test breaks one thing in it.
"""
# plain build only

import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(__file__).resolve().parent.parent.parent / "tools"

GOOD = {
    "include/tactus/good.h": """/// A header for the tests of the checks.
#ifndef TACTUS_GOOD_H
#define TACTUS_GOOD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Marks what is exported.
#define TAC_API __attribute__((visibility("default")))
#define TAC_LIMIT 3 ///< how many

/// Names, each with a text.
#define TAC_LIST(X) X(TAC_A, "a") X(TAC_B, "b")

/// Kinds of things.
typedef enum tacKind {
#define TAC_NAME(name, text) name,
    TAC_LIST(TAC_NAME)
#undef TAC_NAME
    TAC_KINDS = 7, ///< how many
    /// the last
    TAC_LAST
} tacKind;

/// Calls back.
typedef void (*tacCall)(void* user, int (*inner)(int));

/// A thing.
typedef struct tacThing {
    double *first, second[TAC_LIMIT]; ///< two fields
    tacCall call;                     ///< a function
    void (*direct)(int, double);      ///< another
    union {
        int number;  ///< either
        float other; ///< or
    } choice;        ///< one of two
    /// above
    size_t size;
} tacThing;

/// Hidden.
typedef struct tacHidden tacHidden;

/// Makes it; the text goes on
/// over two lines.
TAC_API tacHidden* tac_make(const tacThing* thing, int count,
                            double (*f)(double));

/// Twice.
static inline int tac_twice(int x) { return 2 * x; }

#ifdef __cplusplus
}
#endif

#endif
""",
    "src/base/good.c": """#include <stddef.h>
#include "tactus/good.h"
#include "base/good.h"
#include <math.h>
static const int table[] = {1, 2};
struct pair { int a, b; };
tacHidden* tac_make(const tacThing* thing, int count, double (*f)(double)) {
    // a brace in a comment { and in a string
    const char* s = "}{";
    return thing && count > table[0] && f && s[0] == '}' ? NULL : NULL;
}
""",
    "src/base/good.h": "int helper(void);\n",
    "src/math/good.c": '#include "base/good.h"\n#include "good.h"\nint f(void) { return 0; }\n',
    "src/math/good.h": "",
    "src/check/all.c": '#include "math/good.h"\n#include "step/any.h"\n',
    "docs/page.md": "# Page one: `a` & b\n\nCall tac_make, see [other](sub/other.md#second-part) "
                    "and [here](#page-one-a--b), not `[this](nowhere.md)`. It blows up, of course.\n"
                    "See `helper` in `src/base/good.h`, `good.h`, `src/math/`, P1-02 and `test_good`.\n",
    "docs/papers.md": "| code | wrong | test |\n|---|---|---|\n"
                      "| P1-02 | a sign | `test/base/test_good.c` `it_is_good` |\n",
    "docs/architecture.md": "| folder | entry |\n|---|---|\n| `src/base/` | `helper` in `good.h` |\n"
                            "| `src/math/` | `f` in `good.c` |\n| `src/check/` | |\n",
    "test/base/test_good.c": "static int it_is_good(void) { return 0; }\n",
    "docs/sub/other.md": "# Other\n\n## Second part\n\n[back](../page.md), [web](https://a.b/c)\n",
}


class Project:
    """A folder with the good example in it."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        for name, text in GOOD.items():
            self.write(name, text)
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def change(self, name, old, new):
        text = (self.root / name).read_text()
        assert text.count(old) >= 1, f"{old!r} is not in {name}"
        self.write(name, text.replace(old, new, 1))

    def build(self):
        (self.root / "build").mkdir(exist_ok=True)
        subprocess.run(["gcc", "-shared", "-fPIC", "-fvisibility=hidden", "-Iinclude", "-Isrc",
                        "-o", "build/libtactus.so", *map(str, sorted(self.root.glob("src/base/*.c")))],
                       cwd=self.root, check=True)

    def run(self, tool, *arguments):
        result = subprocess.run([TOOLS / tool, *arguments, "--root", self.root], text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return result.returncode, result.stdout


def expect(outcome, code, *texts):
    """None, or what is wrong with the outcome of a tool."""
    for text in texts:
        if not re.search(text, outcome[1], re.M):
            return f"'{text}' is missing in:\n{outcome[1]}"
    return None if outcome[0] == code else f"exit code {outcome[0]}, expected {code}:\n{outcome[1]}"


def good_example():
    with Project() as project:
        project.build()
        return (expect(project.run("check-docs"), 0, r"^\d+ passed, 0 failed")
                or expect(project.run("check-layout"), 0, r"^8 passed, 0 failed$",
                          r"longest 5 tac_make"))


HEADER = "include/tactus/good.h"
BAD_DOCS = [  # what is changed, and what must be named
    ("macro", HEADER, " ///< how many\n\n/// Names", "\n\n/// Names", "macro TAC_LIMIT"),
    ("empty comment", HEADER, "///< how many\n\n/// Names", "///<\n\n/// Names", "macro TAC_LIMIT"),
    ("enum constant", HEADER, "TAC_KINDS = 7, ///< how many", "TAC_KINDS = 7,", "constant .*TAC_KINDS"),
    ("last constant", HEADER, "    /// the last\n", "", "constant .*TAC_LAST"),
    ("type", HEADER, "/// A thing.\n", "", "type tacThing"),
    ("callback type", HEADER, "/// Calls back.\n", "", "type tacCall"),
    ("hidden type", HEADER, "/// Hidden.\n", "// plain\n", "type tacHidden"),
    ("field", HEADER, " ///< two fields", "", r"field tacThing\.second"),
    ("function field", HEADER, "///< another", "", r"field tacThing\.direct"),
    ("nested field", HEADER, "///< either", "", r"field tacThing\.choice\.number"),
    ("field below a block", HEADER, "    /// above\n", "\n", r"field tacThing\.size"),
    ("function", HEADER, "/// Makes it; the text goes on\n/// over two lines.\n", "",
     "function tac_make"),
    ("inline function", HEADER, "/// Twice.\n", "", "function tac_twice"),
    ("file comment", HEADER, "/// A header for the tests of the checks.\n", "", "good.h:1: start with"),
    ("header that needs another", HEADER, "#include <stddef.h>\n", "", "unknown type name .size_t"),
    ("header that C++ refuses", HEADER, "size_t size;", "size_t class;", "FAIL .*C\\+\\+17"),
    ("not exported", "src/base/good.c", "tacHidden* tac_make", "static tacHidden* tac_made",
     "tac_make: declared TAC_API, but"),
    ("exported, not declared", "src/base/good.c", "tacHidden* tac_make",
     "TAC_API int tac_secret(void) { return 0; }\ntacHidden* tac_make", "tac_secret: exported"),
    ("on no page", "docs/page.md", "Call tac_make", "Call it", "tac_make: neither"),
    ("dead link", "docs/page.md", "sub/other.md", "sub/another.md", r"page\.md:3: link to sub/another"),
    ("dead anchor", "docs/page.md", "#second-part", "#third-part", "no heading for #third-part"),
    ("missing path", "docs/page.md", "`src/math/`", "`src/maths/`", "page.md:4: src/maths/ does not exist"),
    ("missing file", "docs/page.md", "`good.h`", "`bad.h`", "no file is called bad.h"),
    ("missing test", "docs/page.md", "`test_good`", "`test_bad`", "there is no test_bad"),
    ("missing function", "docs/page.md", "`helper` in", "`helped` in", "good.h has no helped"),
    ("missing case", "docs/papers.md", "`it_is_good`", "`it_is_bad`", "test_good.c has no case it_is_bad"),
    ("code without a row", "docs/page.md", "P1-02", "P1-03", "P1-03 has no row"),
    ("code without a paper", "docs/page.md", "P1-02", "E7", "E7: write the paper's number"),
    ("folder without a row", "docs/architecture.md", "| `src/check/` | |\n", "",
     "no row for `src/check/`"),
    ("entry that is elsewhere", "docs/architecture.md", "`f` in", "`g` in", "src/math/good.c has no g"),
    ("old word on a page", "docs/page.md", "Call", "A blow. Call", "page.md:3: 'blow': impact"),
    ("old word in a comment", "src/math/good.c", "int f", "// is told\nint f", "good.c:3: 'told'"),
    ("old word in a name", "src/base/good.h", "helper", "isStruck", "good.h:1: 'struck'"),
    ("old word in our names", "src/base/good.h", "helper", "tac_helper_take", "good.h:1: 'take': alloc"),
    ("old phrase", "docs/page.md", "Call", "It hands out. Call", "'hands out'"),
]
LONG = "int f(void) {\n" + "    ;\n" * 119 + "}\n"
BAD_LAYOUT = [
    ("include against the order", "src/base/good.h", "int helper", '#include "math/good.h"\nint helper',
     r"src/base/good\.h:1: .*math/ comes after base/"),
    ("include of the checks", "src/math/good.c", "base/good.h", "check/all.h", "may not include check/"),
    ("include upwards", "src/math/good.c", "base/good.h", "base/../base/good.h", "without \\.\\."),
    ("long function", "src/math/good.c", "int f(void) { return 0; }\n", LONG, "f has 121 lines"),
    ("long file", "src/math/good.c", "int f", "\n" * 1000 + "int f", "1003 lines"),
    ("word", "docs/page.md", "Call", "TO" + "DO: call", "page.md:3: TO" + "DO"),
    ("path of a machine", "docs/page.md", "Call", "/ho" + "me/me/x, call", "page.md:3: /ho" + "me/me/x"),
    ("comma operator", "src/math/good.c", "return 0;", "int a = 1, b; b = 2, a = 3; return a;",
     r"src/math/good\.c:3: two statements"),
    ("comma behind a condition", "src/math/good.c", "return 0;", "int a; if (1) a = 2, a = 3; return a;",
     "two statements"),
    ("tgmath", "src/math/good.c", '#include "base/good.h"', "#include <tgmath.h>", "loses derivatives"),
]


def bad_example(tool, change, words):
    def test():
        with Project() as project:
            project.change(*change)
            if tool == "check-docs":
                project.build()
            return expect(project.run(tool), 1, words, r"^\d+ passed, [123] failed")
    return test


def unknown_stage():
    with Project() as project:
        project.write("src/news/a.c", "")
        return expect(project.run("check-layout"), 1, "src/news/a.c: not in a known stage")


def full_folder():
    with Project() as project:
        for i in range(30):
            project.write(f"src/math/{i}.h", "")
        return expect(project.run("check-layout"), 1, "src/math: 32 files, at most 30")


def parameters_are_counted():
    """Those of public functions are not."""
    seven = ", ".join(f"int (*p{i})(int, int)" for i in range(7))
    with Project() as project:
        project.write("src/math/many.c", f"static int f({seven}) {{ return 0; }}\n"
                                         f"int tac_twice({seven}) {{ return 0; }}\n")
        return expect(project.run("check-layout"), 0, "many.c:1: f has 7 parameters",
                      "^note functions of more than 6 parameters: 1$")


def commas_that_are_fine():
    code = ("int g(int a, int b) {\n    long long x = 1, y[] = {1, 2};\n"
            "    for (int i = 0, j = 1; i < j; ++i, --j) x += i;\n"
            "    struct pair p = a ? (struct pair){1, 2} : (struct pair){2, 1}, q = p;\n"
            "    return g(a, b) + (int)x + y[0] + q.a;\n}\nenum { A, B };\n")
    with Project() as project:
        project.write("src/math/fine.c", code)
        return expect(project.run("check-layout"), 0)


def function_of_120_lines():
    with Project() as project:
        project.write("src/math/good.c", LONG.replace("    ;\n", "", 1))
        return expect(project.run("check-layout"), 0, "longest 120 f")


def format_fails_and_mends():
    with Project() as project:
        project.write(".clang-format", "BasedOnStyle: LLVM\n")
        for path in [*project.root.glob("src/*/*.[ch]"), *project.root.glob("include/*/*.h")]:
            path.unlink()
        project.write("src/base/ugly.c", "int  f(void){return 0;}\n")
        return (expect(project.run("check-format"), 1, r"src/base/ugly\.c", "^0 passed, 1 failed$")
                or expect(project.run("check-format", "--fix"), 0)
                or expect(project.run("check-format"), 0, "^1 passed, 0 failed$"))


def runner_counts():
    """Sums what tests say; a crash, silence, a late error and an endless test count as one each."""
    scripts = {
        "test_fine": "echo 3 passed, 0 failed, 1 skipped",
        "test_bad": "echo what is wrong; echo 1 passed, 2 failed; exit 1",
        "test_crash": "echo 5 passed, 0 failed; kill -SEGV $$",
        "test_silent": "echo 1 passed, 0 failed; echo more",
        "test_late": "echo 4 passed, 0 failed; echo a leak >&2; exit 1",
        "test_endless": "echo 1 passed, 0 failed; sleep 60",
        "test_sweep": 'echo "${TACTUS_NO_SWEEP-0} passed, 0 failed"',
    }
    with Project() as project:
        for name, text in scripts.items():
            project.write(f"build/test/{name}", f"#!/bin/sh\n{text}\n").chmod(0o755)
        project.write("build/test/test_data", "not executable")
        build = str(project.root / "build")
        script = 'import sys\nprint(f"{int(sys.argv[1] == %r)} passed, 0 failed")\n' % build
        project.write("test/scripts/test_script.py", script)
        os.environ["TACTUS_TEST_TIMEOUT"] = "2"
        outcome = project.run("run-tests", build, "--no-sweep")
        # 3 + 1 + 5 + 0 + 4 + 1 + 1 + 1 passed; 2 + 4 x 1 failed
        return (expect(outcome, 1, "^16 passed, 6 failed, 1 skipped$", "what is wrong", "a leak",
                       "killed by SIGSEGV", "no end after 2 s")
                or expect(project.run("run-tests", build, "fine"), 0, "^3 passed, 0 failed, 1 skipped$")
                or expect(project.run("run-tests", build, "sweep"), 0, "^0 passed, 0 failed$")
                or expect(project.run("run-tests", build, "no such"), 2))


def main():
    tests = {"good example": good_example, "unknown stage": unknown_stage,
             "full folder": full_folder, "parameters are counted": parameters_are_counted,
             "commas that are fine": commas_that_are_fine,
             "function of 120 lines": function_of_120_lines, "format": format_fails_and_mends,
             "runner counts": runner_counts}
    for tool, cases in (("check-docs", BAD_DOCS), ("check-layout", BAD_LAYOUT)):
        for name, *change, words in cases:
            tests[f"{tool} fails: {name}"] = bad_example(tool, change, words)
    passed = failed = skipped = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        jobs = {name: pool.submit(test) for name, test in tests.items()
                if "C++" not in name or shutil.which("g++")}
    for name in tests:
        if name not in jobs:
            print(f"  skipped: g++ is not installed\nskip {name}")
            skipped += 1
            continue
        complaint = jobs[name].result()
        if complaint:
            print("  " + complaint.replace("\n", "\n  "))
        print(f"{'FAIL' if complaint else 'ok  '} {name}")
        passed, failed = passed + (not complaint), failed + bool(complaint)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return failed != 0


sys.exit(main())
