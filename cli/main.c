// tactus: one command, many subcommands.

#include "cli/commands.h"
#include "cli/report.h"

#include "base/assert.h"
#include "base/dispatch.h"
#include "model/xml/word_suggestion.h"

#include <stdio.h>
#include <string.h>

#ifndef TACTUS_VERSION
#define TACTUS_VERSION "unknown"
#endif

typedef struct cliEntry {
    const char* name;
    int (*run_command)(int argc, char** argv);
    const char* summary;
} cliEntry;

static const cliEntry entries[] = {
    {"check", tac_cmd_check, "load a scene or mesh, print a summary, or the first error"},
    {"run", tac_cmd_run, "simulate a scene and write its trajectory"},
    {"sdf", tac_cmd_sdf, "signed distances of a shape at points, with gradients and Hessians"},
    {"contacts", tac_cmd_contacts,
     "contacts of a scene: points, normals, distances, activities, forces"},
    {"render", tac_cmd_render, "draw a scene into a PNG file"},
    {"mesh", tac_cmd_mesh, "triangles on the surface of a shape, as OBJ, STL or PLY"},
    {"grad", tac_cmd_grad, "derivatives of a scene, and checks of them"},
    {"derive", tac_cmd_derive, "the equations of motion of a scene as text, LaTeX or C"},
    {"reproduce", tac_cmd_reproduce, "repeat experiments of the papers and compare the results"},
    {"bench", tac_cmd_bench, "measure speed"},
};

static void print_overview(FILE* file) {
    fprintf(file, "tactus " TACTUS_VERSION " - differentiable physics\n\n"
                  "usage: tactus COMMAND [arguments] [options]\n\ncommands:\n");
    for (int i = 0; i < TAC_COUNT(entries); ++i)
        fprintf(file, "  %-9s %s\n", entries[i].name, entries[i].summary);
    fprintf(file, "\n  tactus COMMAND --help   options and an example\n"
                  "  tactus --version        version and instruction set\n\n"
                  "exit code: 0 success, 1 check failed, 2 usage or input error\n\n"
                  "example:\n  tactus render scenes/first_light.xml -o first_light.png\n");
}

static const cliEntry* find_command(const char* name) {
    for (int i = 0; i < TAC_COUNT(entries); ++i)
        if (strcmp(entries[i].name, name) == 0) return &entries[i];
    return NULL;
}

static int unknown_command(const char* name) {
    char names[256] = "help", near[TAC_SUGGESTION_SIZE];
    for (int i = 0; i < TAC_COUNT(entries); ++i) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, " %s", entries[i].name);
    }
    int meant = tac_suggest_word(name, names, near);
    return cli_error("", "unknown command '%s'%s%s%s (tactus --help lists them)", name,
                     meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : "");
}

static int show_help(int argc, char** argv) {
    if (argc < 2) {
        print_overview(stdout);
        return CLI_OK;
    }
    const cliEntry* entry = find_command(argv[1]);
    if (!entry) return unknown_command(argv[1]);
    char option[] = "--help";
    char* arguments[] = {argv[1], option, NULL};
    return entry->run_command(2, arguments);
}

static int is_one_of(const char* word, const char* a, const char* b) {
    return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

static int run_command(int argc, char** argv) {
    if (argc < 2) return show_help(argc, argv);
    if (is_one_of(argv[1], "--help", "-h")) return show_help(1, argv);
    if (is_one_of(argv[1], "help", "help")) return show_help(argc - 1, argv + 1);
    if (is_one_of(argv[1], "--version", "version")) {
        printf("tactus " TACTUS_VERSION " (%s)\n", tac_isa_name(tac_isa()));
        return CLI_OK;
    }
    const cliEntry* entry = find_command(argv[1]);
    return entry ? entry->run_command(argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char** argv) {
    const char* warning = tac_isa_warning();
    if (warning) return cli_error("", "%s", warning);
    int code = run_command(argc, argv);
    // a full disk or a closed pipe: the output is incomplete
    if (fflush(stdout) != 0 && code == CLI_OK)
        return cli_error("", "standard output cannot be written");
    return code;
}
