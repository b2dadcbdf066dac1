// tactus bench: time ratios measured in one run, against bounds.

#define _GNU_SOURCE
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/report.h"

#include "base/assert.h"
#include "base/dispatch.h"
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct {
    const char* name;
    const char* summary;
    int (*run)(benchReport*);
} benches[] = {
    {"math", "exp and log against libmvec, the superquadric against scalar libm", bench_math},
    {"cloud", "4000 points at 4000 queries: scalar, all, culled, threads", bench_cloud},
    {"shapes", "every primitive, and a union of 18 superquadrics culled against exact",
     bench_shapes},
    {"scm", "soft distances of two clouds, and a T pushed by them", bench_scm},
    {"dynamics", "dynamics of the humanoid and two arms, against MuJoCo", bench_dynamics},
    {"manifold", "contacts of two figures of 18 parts, against MuJoCo", bench_manifold},
    {"robots", "steps of robots and piles with contact, against MuJoCo 4.0.1", bench_robots},
    {"creep", "how fast sticking contacts slide, against MuJoCo; breakaway force", bench_creep},
    {"witness", "closest points of edges and of a vertex and a face, against log barriers",
     bench_witness},
    {"hard", "frictional problems, against ODE and DART's Dantzig", bench_hard},
    {"collide", "distances, contacts and impacts of convex parts", bench_collide},
    {"symbolic", "equations derived and compiled, against the general dynamics", bench_symbolic},
};

static int parse_bench_options(const char** names, int* count, int* json, int argc, char** argv) {
    const cliOption options[] = {
        {"json", 0, CLI_FLAG, json, NULL, "one JSON object per line: id, value, unit, bound, pass",
         0, 0},
    };
    const cliCommand command = {
        .name = "bench",
        .summary = "measure speed as time ratios within one run",
        .positional = "[NAME...]",
        .description =
            "Runs the named benchmarks, or all, on every instruction set of this machine\n"
            "(TACTUS_ISA selects one). Each row with a bound says whether it passes. Exit code 1:\n"
            "one fails. Names:\n"
            "  math     exp and log against libmvec, the superquadric against libm\n"
            "  witness  closest points of edges against scalar libm and log barriers\n"
            "  shapes   primitives, and a figure of 18 superquadrics culled against exact\n"
            "  scm      soft distances of clouds: wide, culled, growth; the step of a pushed T\n"
            "  dynamics humanoid and arms: inverse, forward, step, A and B, batches; against\n"
            "           MuJoCo where it is installed. Run it in the folder that has scenes/\n"
            "  manifold contacts of two figures of 18 parts, against MuJoCo's narrow phase; "
            "tools/setup\n"
            "           mujoco gets its newest version for it\n"
            "  robots   robots of TACTUS_DATA and piles of boxes with contact: load, step, A and "
            "B,\n"
            "           against MuJoCo's newest version. TACTUS_ROBOT is one of them, \"boxes\" or "
            "a file\n"
            "  creep    how fast sticking contacts slide, against MuJoCo; breakaway by stiction\n"
            "  hard     frictional problems, against ODE and DART's solver where installed\n"
            "  collide  distances and contacts of convex parts; public queries of impacts where\n"
            "           TACTUS_DATA has them\n"
            "  symbolic equations of two arms and two planar scenes: derived, compiled, and their\n"
            "           code against the general dynamics. Run it in the folder that has scenes/\n",
        .example = "  tactus bench math --json\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 0,
        .max = 16,
        .arguments = names,
        .argument_count = count,
    };
    return cli_parse(&command, argc, argv);
}

static int find_bench(const char* name) {
    for (int i = 0; i < TAC_COUNT(benches); ++i)
        if (strcmp(name, benches[i].name) == 0) return i;
    return -1;
}

static int run_benches(const char** names, int count, int json) {
    benchReport report = {.json = {.file = stdout}, .as_json = json};
    for (int i = 0; i < TAC_COUNT(benches); ++i) {
        int wanted = count == 0;
        for (int k = 0; k < count; ++k) wanted |= find_bench(names[k]) == i;
        if (!wanted) continue;
        if (!json) printf("%s on %s\n", benches[i].name, tac_isa_name(tac_isa()));
        if (benches[i].run(&report) != 0) return cli_error("bench", "%s failed", benches[i].name);
    }
    return report.failed ? CLI_FAILED : CLI_OK;
}

// one process for each instruction set, which a process selects once
static int run_on_isa(tacIsa isa, const char** names, int count, int json) {
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        setenv("TACTUS_ISA", tac_isa_name(isa), 1);
        int code = run_benches(names, count, json);
        fflush(stdout);
        _exit(code);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status)) return CLI_ERROR;
    return WEXITSTATUS(status);
}

int tac_cmd_bench(int argc, char** argv) {
    const char* names[16];
    int count = 0, json = 0;
    int code = parse_bench_options(names, &count, &json, argc, argv);
    if (code != CLI_CONTINUE) return code;
    for (int k = 0; k < count; ++k) {
        if (strcmp(names[k], "ground") == 0) {
            cli_warning("bench", "ground is now math; the next release drops the old name");
            names[k] = "math";
        }
        if (find_bench(names[k]) < 0)
            return cli_error("bench", "there is no benchmark '%s'; see tactus bench --help",
                             names[k]);
    }
    if (getenv("TACTUS_ISA")) return run_benches(names, count, json);
    int worst = CLI_OK;
    for (int isa = TAC_ISA_AVX512; isa >= TAC_ISA_BASELINE; --isa) {
        if (!tac_isa_supported((tacIsa)isa)) continue;
        int result = run_on_isa((tacIsa)isa, names, count, json);
        if (result > worst) worst = result;
    }
    return worst;
}
