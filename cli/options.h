// Options of a subcommand: a table gives the parser and the help text, so they cannot drift apart.

#ifndef TACTUS_CLI_OPTIONS_H
#define TACTUS_CLI_OPTIONS_H

typedef enum cliOptionKind {
    CLI_FLAG, // int*: 1 if given
    CLI_INT,  // int*: between min and max
    CLI_REAL, // double*: between min and max
    CLI_TEXT  // const char**
} cliOptionKind;

typedef struct cliOption {
    const char* name; // without "--"
    char letter;      // of the short form "-o", or 0
    cliOptionKind kind;
    void* out;         // unchanged if the option is not given
    const char* value; // word for the value in the help, such as "N"; NULL for a flag
    const char* help;
    double min, max; // of CLI_INT and CLI_REAL
} cliOption;

typedef struct cliCommand {
    const char* name;
    const char* summary;     // one line
    const char* positional;  // for the help, such as "FILE [NAME...]"; "" for none
    const char* description; // a few lines, each with its end
    const char* example;     // commands, each with its end
    const cliOption* options;
    int option_count;
    int min, max;           // number of positional arguments
    const char** arguments; // receives them (max)
    int* argument_count;    // NULL to skip
} cliCommand;

#define CLI_CONTINUE (-1)

// CLI_CONTINUE, or the exit code: 0 after --help, 2 after a message about the usage. Forms: --name
// VALUE, --name=VALUE, -o VALUE, -oVALUE, --help, -h, and "--" before arguments.
int cli_parse(const cliCommand* command, int argc, char** argv);

// Reads exactly `count` numbers with blanks or commas between; 1 if that is all of the text.
int cli_parse_numbers(const char* text, double* out, int count);

#endif
