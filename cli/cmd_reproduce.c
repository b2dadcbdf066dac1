// tactus reproduce: experiments of the papers, with expected values.

#define _GNU_SOURCE
#include "cli/commands.h"
#include "cli/io/image_file.h"
#include "cli/options.h"
#include "cli/report.h"

#include "base/assert.h"
#include "experiments/experiments.h"
#include "model/xml/word_suggestion.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct experiment {
    const char *name, *summary;
    int (*run)(trial* t);
} experiment;

#define EXPERIMENT_ROW(function, name, summary) {name, summary, experiment_##function},
static const experiment experiments[] = {EXPERIMENTS(EXPERIMENT_ROW)};
#undef EXPERIMENT_ROW

enum { EXPERIMENT_COUNT = TAC_COUNT(experiments) };

typedef struct reproduceCall {
    const char *names[EXPERIMENT_COUNT], *folder, *format;
    int count, list, json, threads;
    int wanted[EXPERIMENT_COUNT];
} reproduceCall;

//---------------------------------- arguments ------------------------------------

static int parse_reproduce_options(reproduceCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"list", 0, CLI_FLAG, &call->list, NULL, "list the experiments", 0, 0},
        {"out", 'o', CLI_TEXT, &call->folder, "DIR", "folder for pictures and plots; none without",
         0, 0},
        {"format", 0, CLI_TEXT, &call->format, "png|ppm",
         "format of rendered pictures; default png if built in", 0, 0},
        {"json", 0, CLI_FLAG, &call->json, NULL,
         "one JSON object per row: id, value, unit, relation, bound, tolerance, pass", 0, 0},
        {"threads", 0, CLI_INT, &call->threads, "N", "threads; default 0: one per core", 0, 1024},
    };
    const cliCommand command = {
        .name = "reproduce",
        .summary = "repeat experiments of the papers and compare the results",
        .positional = "[NAME...]",
        .description =
            "Runs the named experiments, or all. Each prints measured and expected values with\n"
            "the tolerance. Exit code 1: a value fails. All values but times are the same bits in\n"
            "every run. With -o: pictures DIR/NAME-*.png; plots also as .svg, by gnuplot, with\n"
            "their numbers in .csv.\n",
        .example = "  tactus reproduce --list\n"
                   "  tactus reproduce psq-solids -o pictures\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 0,
        .max = EXPERIMENT_COUNT,
        .arguments = call->names,
        .argument_count = &call->count,
    };
    return cli_parse(&command, argc, argv);
}

static int find_experiment(const char* name) {
    for (int i = 0; i < EXPERIMENT_COUNT; ++i)
        if (strcmp(name, experiments[i].name) == 0) return i;
    return -1;
}

static int unknown_name(const char* name) {
    char names[1024] = "", near[TAC_SUGGESTION_SIZE];
    for (int i = 0; i < EXPERIMENT_COUNT; ++i) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? " " : "", experiments[i].name);
    }
    int meant = tac_suggest_word(name, names, near);
    return cli_error("reproduce", "there is no experiment '%s'%s%s%s (tactus reproduce --list)",
                     name, meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : "");
}

static int select_experiments(reproduceCall* call) {
    for (int i = 0; i < EXPERIMENT_COUNT; ++i) call->wanted[i] = call->count == 0;
    for (int k = 0; k < call->count; ++k) {
        int i = find_experiment(call->names[k]);
        if (i < 0) return unknown_name(call->names[k]);
        call->wanted[i] = 1;
    }
    return 0;
}

//---------------------------------- folder ---------------------------------------

// created before the work: a wrong path should not cost the results
static int make_output_folder(const char* path) {
    struct stat status;
    if (!path || mkdir(path, 0777) == 0) return 0;
    if (errno != EEXIST)
        return cli_error("reproduce", "%s: cannot be created: %s", path, strerror(errno));
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return cli_error("reproduce", "%s: is not a folder; name one for the pictures", path);
    if (access(path, W_OK | X_OK) != 0)
        return cli_error("reproduce", "%s: cannot be written: %s", path, strerror(errno));
    return 0;
}

static int image_extension(const char* format, const char** ending) {
    cliImageFormat found;
    if (!format) {
        cli_image_format("reproduce", "-", &found);
        *ending = found == CLI_PNG ? ".png" : ".ppm";
        return 0;
    }
    int ppm = strcmp(format, "ppm") == 0;
    if (!ppm && strcmp(format, "png") != 0)
        return cli_error("reproduce", "--format: '%s' is neither png nor ppm", format);
    *ending = ppm ? ".ppm" : ".png";
    return cli_image_format("reproduce", ppm ? "picture.ppm" : "picture.png", &found);
}

//---------------------------------- command --------------------------------------

static int print_list(const reproduceCall* call) {
    cliJson json = {.file = stdout};
    for (int i = 0; i < EXPERIMENT_COUNT; ++i) {
        if (!call->json) {
            printf("  %-16s %s\n", experiments[i].name, experiments[i].summary);
            continue;
        }
        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", experiments[i].name);
        cli_json_text(&json, "summary", experiments[i].summary);
        cli_json_close(&json, '}');
    }
    return CLI_OK;
}

static int run_experiment(const experiment* e, trial* t) {
    t->name = e->name;
    t->bounded = t->failed = 0;
    if (!t->as_json)
        printf("%s: %s\n  %-46s %11s %-4s %s\n", e->name, e->summary, "", "measured", "",
               "expected");
    int code = e->run(t);
    cli_progress_end(t->progress);
    t->progress->percent = -1;
    if (code == 0 && !t->as_json) printf("  %d of %d pass\n", t->bounded - t->failed, t->bounded);
    return code != 0 ? code : t->failed ? CLI_FAILED : CLI_OK;
}

static int run_selected(const reproduceCall* call, const char* ending) {
    cliProgress progress = cli_progress_begin("reproduce");
    trial t = {.folder = call->folder, .ending = ending, .progress = &progress};
    t.as_json = call->json;
    t.threads = call->threads;
    t.json.file = stdout;
    int worst = CLI_OK, selected = 0;
    for (int i = 0; i < EXPERIMENT_COUNT; ++i) selected += call->wanted[i];
    t.share = 1.0 / selected;
    for (int i = 0; i < EXPERIMENT_COUNT && worst != CLI_ERROR; ++i) {
        if (!call->wanted[i]) continue;
        int code = run_experiment(&experiments[i], &t);
        if (code > worst) worst = code;
        t.before += t.share;
    }
    return worst;
}

int tac_cmd_reproduce(int argc, char** argv) {
    reproduceCall call = {0};
    const char* ending = NULL;
    int code = parse_reproduce_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;
    if (call.list) return print_list(&call);
    if ((code = select_experiments(&call)) != 0) return code;
    if ((code = image_extension(call.format, &ending)) != 0) return code;
    if ((code = make_output_folder(call.folder)) != 0) return code;
    return run_selected(&call, ending);
}
