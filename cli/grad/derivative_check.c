// Checks of derivatives, one line for each kind of comparison.

#include "cli/grad/derivative_check.h"

#include "cli/progress.h"
#include "cli/report.h"

#include <math.h>

static int is_taylor_slope(int kind) {
    return kind == TAC_CHECK_TAYLOR_2 || kind == TAC_CHECK_TAYLOR_3;
}

static double check_bound(int kind, tacCheckOptions options) {
    if (kind == TAC_CHECK_TAYLOR_2) return 1.7;
    if (kind == TAC_CHECK_TAYLOR_3) return 2.6;
    return kind <= TAC_CHECK_ADJOINT ? options.first : options.second;
}

static void json_line(const char* name, int kind, const tacCheckLine* line, double bound) {
    cliJson json = {.file = stdout};
    char id[400];
    snprintf(id, sizeof id, "grad/%s/%s", name, tac_check_kind_name((tacCheckKind)kind));
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "id", id);
    cli_json_number(&json, "value", line->worst);
    cli_json_text(&json, "unit", is_taylor_slope(kind) ? "slope" : "relative");
    cli_json_number(&json, "bound", bound);
    cli_json_bool(&json, "pass", line->failed == 0);
    cli_json_int(&json, "points", line->done);
    cli_json_close(&json, '}');
}

static void print_line(int kind, const tacCheckLine* line, double bound) {
    printf("  %-24s %7d points, worst ", tac_check_kind_name((tacCheckKind)kind), line->done);
    if (isinf(line->worst) && is_taylor_slope(kind))
        printf("exact   ");
    else
        printf("%-8.2g", line->worst);
    printf(" %s %-7.2g %s\n", is_taylor_slope(kind) ? ">=" : "<=", bound,
           line->failed ? "FAILED" : "ok");
}

int cli_check_derivatives(const tacCheckProblem* problem, tacCheckOptions options, int as_json) {
    tacCheckReport report;
    cliProgress progress = cli_progress_begin("grad");
    options.progress = cli_progress_show;
    options.user = &progress;
    tacResult result = tac_check_run(problem, options, &report);
    cli_progress_end(&progress);
    if (result != TAC_OK) return cli_error_result("grad", result);
    for (int k = 0; k < TAC_CHECK_KINDS; ++k) {
        const tacCheckLine* line = &report.line[k];
        if (line->done == 0) continue;
        if (as_json)
            json_line(problem->name, k, line, check_bound(k, options));
        else
            print_line(k, line, check_bound(k, options));
    }
    return report.passed ? CLI_OK : CLI_FAILED;
}
