// Points from a CSV file: x,y,z per line.

#ifndef TAC_CLI_IO_POINTS_H
#define TAC_CLI_IO_POINTS_H

typedef struct cliPoints {
    int count, capacity;
    double* x[3]; // (count)
} cliPoints;

// One point. 0, or CLI_ERROR after a message.
int cli_points_add(cliPoints* points, const double x[3]);

// Reads a file, or standard input for "-". Blank lines, lines that start with # and a first line
// "x,y,z" are skipped. 0, or CLI_ERROR after a message with file, line and column.
int cli_points_read(cliPoints* points, const char* path);

void cli_points_free(cliPoints* points);

#endif
