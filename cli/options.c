// Parser of the command line.

#include "cli/options.h"

#include "base/assert.h"
#include "cli/report.h"
#include "model/xml/attribute.h"
#include "model/xml/word_suggestion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

//---------------------------------- help -----------------------------------------

static void print_option(const cliOption* option) {
    char left[48];
    const char* value = option->value ? option->value : "";
    int used = option->letter ? snprintf(left, sizeof left, "-%c, ", option->letter) : 0;
    snprintf(left + used, sizeof left - (size_t)used, "--%s %s", option->name, value);
    printf("  %-24s %s\n", left, option->help);
}

static void print_help(const cliCommand* command) {
    printf("tactus %s - %s\n\n", command->name, command->summary);
    printf("usage: tactus %s %s%s[options]\n\n", command->name, command->positional,
           *command->positional ? " " : "");
    printf("%s\noptions:\n", command->description);
    for (int i = 0; i < command->option_count; ++i) print_option(&command->options[i]);
    printf("  %-24s %s\n\n", "-h, --help", "show this");
    printf("example:\n%s", command->example);
}

//---------------------------------- values ---------------------------------------

int cli_parse_numbers(const char* text, double* out, int count) {
    const char* at = text + strspn(text, " \t");
    for (int i = 0; i < count; ++i) {
        const char* end = tac_parse_number(at, &out[i]);
        if (!end || !isfinite(out[i])) return 0;
        at = end + strspn(end, " \t");
        if (*at == ',' && i + 1 < count)
            at += 1 + strspn(at + 1, " \t");
        else if (at == end && *at)
            return 0;
    }
    return *at == '\0';
}

static int set_number(const char* command, const cliOption* option, const char* text) {
    double value;
    if (!cli_parse_numbers(text, &value, 1))
        return cli_error(command, "--%s: '%s' is not a number", option->name, text);
    if (option->kind == CLI_INT && value != floor(value))
        return cli_error(command, "--%s: %s is not a whole number", option->name, text);
    if (!(value >= option->min && value <= option->max))
        return cli_error(command, "--%s: %s is out of range; it must be between %g and %g",
                         option->name, text, option->min, option->max);
    if (option->kind == CLI_INT)
        *(int*)option->out = (int)value;
    else
        *(double*)option->out = value;
    return CLI_CONTINUE;
}

static int set_value(const char* command, const cliOption* option, const char* text) {
    if (option->kind != CLI_TEXT) return set_number(command, option, text);
    *(const char**)option->out = text;
    return CLI_CONTINUE;
}

//---------------------------------- parser ---------------------------------------

// options that were renamed: the old spelling works for one release, with a warning
static const struct {
    const char *command, *old, *name;
} renamed[] = {
    {"contacts", "least", "min-activity"},
    {"render", "sheet", "montage"},
    {"render", "film", "animate"},
    {"grad", "by", "wrt"},
    {"derive", "as", "format"},
    {"derive", "set", "subs"},
    {"derive", "linear", "coefficients"},
};

// the option that an old spelling "--old" means now, or NULL
static const char* renamed_option(const char* command, const char* argument, size_t length) {
    for (int i = 0; i < TAC_COUNT(renamed); ++i)
        if (strcmp(renamed[i].command, command) == 0 && strlen(renamed[i].old) == length - 2 &&
            memcmp(renamed[i].old, argument + 2, length - 2) == 0) {
            cli_warning(command, "--%s is now --%s; the next release drops the old spelling",
                        renamed[i].old, renamed[i].name);
            return renamed[i].name;
        }
    return NULL;
}

static const cliOption* find_option(const cliCommand* command, const char* argument,
                                    size_t length) {
    for (int i = 0; i < command->option_count; ++i) {
        const cliOption* option = &command->options[i];
        if (argument[1] == '-' ? strlen(option->name) == length - 2 &&
                                     memcmp(option->name, argument + 2, length - 2) == 0
                               : option->letter == argument[1])
            return option;
    }
    return NULL;
}

static int unknown_option(const cliCommand* command, const char* argument, size_t length) {
    char names[1024] = "help", word[TAC_SUGGESTION_SIZE], near[TAC_SUGGESTION_SIZE];
    for (int i = 0; i < command->option_count; ++i) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, " %s", command->options[i].name);
    }
    snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), argument);
    int meant = tac_suggest_word(word + strspn(word, "-"), names, near);
    return cli_error(command->name, "unknown option %s%s%s%s (tactus %s --help lists them)", word,
                     meant ? "; did you mean --" : "", meant ? near : "", meant ? "?" : "",
                     command->name);
}

// an option with a value may be given once
static int is_second(const cliCommand* command, const cliOption* option, unsigned long long* seen) {
    unsigned long long bit = 1ULL << (option - command->options);
    int second = option->kind != CLI_FLAG && (*seen & bit) != 0;
    *seen |= bit;
    return second;
}

// one option at argv[*i], with its value there or in the next argument
static int parse_option(const cliCommand* command, int argc, char** argv, int* i,
                        unsigned long long* seen) {
    const char* argument = argv[*i];
    int is_long = argument[1] == '-';
    size_t length = is_long ? strcspn(argument, "=") : 2;
    const char* rest = argument + length; // "=VALUE" or, after a letter, "VALUE"
    const cliOption* option = find_option(command, argument, length);
    const char* name = !option && is_long ? renamed_option(command->name, argument, length) : NULL;
    for (int k = 0; name && k < command->option_count; ++k)
        if (strcmp(command->options[k].name, name) == 0) option = &command->options[k];
    if (!option) return unknown_option(command, argument, length);
    if (is_second(command, option, seen))
        return cli_error(command->name, "--%s is given twice", option->name);
    if (option->kind == CLI_FLAG) {
        if (*rest) return cli_error(command->name, "--%s takes no value", option->name);
        *(int*)option->out = 1;
        return CLI_CONTINUE;
    }
    if (*rest) return set_value(command->name, option, rest + is_long);
    if (*i + 1 >= argc)
        return cli_error(command->name, "--%s needs a value (%s)", option->name, option->value);
    return set_value(command->name, option, argv[++*i]);
}

static int add_argument(const cliCommand* command, const char* argument, int* count) {
    if (*count >= command->max)
        return cli_error(command->name, "'%s' is one argument too many; usage: tactus %s %s",
                         argument, command->name, command->positional);
    command->arguments[(*count)++] = argument;
    return CLI_CONTINUE;
}

// a lone "-" is an argument (standard input)
static int is_option(const char* argument) { return argument[0] == '-' && argument[1] != '\0'; }

static int wants_help(int argc, char** argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return 1;
    return 0;
}

int cli_parse(const cliCommand* command, int argc, char** argv) {
    if (wants_help(argc, argv)) {
        print_help(command);
        return CLI_OK;
    }
    int count = 0, only_arguments = 0;
    unsigned long long seen = 0; // options so far, a bit each
    TAC_ASSERT(command->option_count <= 64);
    for (int i = 1; i < argc; ++i) {
        int code = CLI_CONTINUE;
        if (!only_arguments && strcmp(argv[i], "--") == 0)
            only_arguments = 1;
        else if (!only_arguments && is_option(argv[i]))
            code = parse_option(command, argc, argv, &i, &seen);
        else
            code = add_argument(command, argv[i], &count);
        if (code != CLI_CONTINUE) return code;
    }
    if (count < command->min)
        return cli_error(command->name, "an argument is missing; usage: tactus %s %s",
                         command->name, command->positional);
    if (command->argument_count) *command->argument_count = count;
    return CLI_CONTINUE;
}
