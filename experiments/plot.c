// Plots of an experiment: the CSV file, and the gnuplot script that draws it.

#define _GNU_SOURCE
#include "experiments/plot.h"

#include "base/assert.h"
#include "cli/io/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

//---------------------------------- columns --------------------------------------

enum { MAX_COLUMNS = 64 };

typedef struct plotColumn {
    const plotPanel* panel;
    const plotAxis* axis;
    const char* series; // NULL: shared by several
    const double* value;
    int count;
} plotColumn;

typedef struct plotTable {
    plotColumn column[MAX_COLUMNS];
    int count, rows;
} plotTable;

// number of the column that holds these values, from 1 as gnuplot counts; a new one at need
static int column_of(plotTable* table, plotColumn column) {
    for (int i = 0; i < table->count; ++i)
        if (table->column[i].value == column.value && table->column[i].count == column.count)
            return i + 1;
    TAC_ASSERT(table->count < MAX_COLUMNS);
    table->column[table->count++] = column;
    if (column.count > table->rows) table->rows = column.count;
    return table->count;
}

typedef struct seriesColumns {
    int x, y, z; // z is 0 for lines
} seriesColumns;

static seriesColumns columns_of(plotTable* table, const plotPanel* panel, const plotSeries* s) {
    int over_plane = panel->style == PLOT_MAP;
    seriesColumns c = {0};
    c.x = column_of(table, (plotColumn){panel, &panel->x, NULL, s->x, s->count});
    c.y = column_of(table,
                    (plotColumn){panel, &panel->y, over_plane ? NULL : s->name, s->y, s->count});
    if (s->z) c.z = column_of(table, (plotColumn){panel, &panel->z, s->name, s->z, s->count});
    return c;
}

static plotTable make_table(const plotFigure* figure) {
    plotTable table = {.count = 0};
    for (int p = 0; p < figure->panel_count; ++p)
        for (int s = 0; s < figure->panels[p].series_count; ++s)
            columns_of(&table, &figure->panels[p], &figure->panels[p].series[s]);
    return table;
}

static void write_csv(FILE* file, const plotTable* table) {
    for (int c = 0; c < table->count; ++c) {
        const plotColumn* column = &table->column[c];
        fprintf(file, "%s%s: ", c ? "," : "", column->panel->title);
        if (column->series) fprintf(file, "%s: ", column->series);
        fprintf(file, "%s", column->axis->label);
    }
    for (int i = 0; i < table->rows; ++i)
        for (int c = 0; c < table->count; ++c) {
            const plotColumn* column = &table->column[c];
            fputc(c ? ',' : '\n', file);
            if (i >= column->count || !isfinite(column->value[i])) continue;
            if (column->axis->logarithmic && column->value[i] <= 0.0) continue;
            fprintf(file, "%.7g", column->value[i]);
        }
    fputc('\n', file);
}

//---------------------------------- script ---------------------------------------

// colours that colour-blind readers can distinguish (Okabe and Ito)
static const char* const colours[PLOT_SERIES] = {"#0072b2", "#d55e00", "#009e73", "#000000"};

static void write_axis(FILE* script, char name, const plotAxis* axis, const plotSeries* first) {
    fprintf(script, "set %clabel '%s'\nunset logscale %c\nset %ctics autofreq\n", name, axis->label,
            name, name);
    fprintf(script, "set format %c '%s'\n", name,
            axis->logarithmic && !axis->ticks_at_x ? "10^{%T}" : "%g");
    if (axis->logarithmic) fprintf(script, "set logscale %c\n", name);
    if (axis->tick_step > 0.0) fprintf(script, "set %ctics %g\n", name, axis->tick_step);
    if (axis->ticks_at_x) {
        int last = first->count - 1;
        fprintf(script, "set xrange [%g:%g]\n", 0.85 * first->x[0], first->x[last] / 0.85);
        for (int i = 0; i <= last; ++i)
            fprintf(script, "%s%g", i ? ", " : "set xtics (", first->x[i]);
        fprintf(script, ")\n");
    } else if (axis->low < axis->high) {
        fprintf(script, "set %crange [%g:%g]\n", name, axis->low, axis->high);
    } else {
        fprintf(script, "set %crange [*:*]\n", name);
    }
}

static void write_panel(FILE* script, const plotPanel* panel, const char* csv, plotTable* table) {
    static const char* const styles[] = {"lines lw 2", "linespoints lw 2 pt 7 ps 0.6",
                                         "points pt 7 ps 0.3 lc palette", "image"};
    write_axis(script, 'x', &panel->x, panel->series);
    write_axis(script, 'y', &panel->y, panel->series);
    if (panel->z.label) {
        fprintf(script,
                "set cblabel '%s' offset 1,0\nset format cb '%%g'\nset cbrange [%g:%g]\nset "
                "palette defined "
                "(%s)\n",
                panel->z.label, panel->z.low, panel->z.high,
                panel->style == PLOT_MAP ? "-1 '#2166ac', 0 'white', 1 '#b2182b'"
                                         : "0 '#d8e6f3', 1 '#08306b'");
    }
    // the legend, if there is one, goes between the title and the curves
    fprintf(script,
            panel->z.label ? "set title '%s'\nset key notitle\n"
                           : "unset title\nset key title '%s'\n",
            panel->title);
    fprintf(script, "set size %s\n", panel->equal_scale ? "ratio -1" : "noratio");
    for (int i = 0; i < panel->series_count; ++i) {
        const plotSeries* s = &panel->series[i];
        seriesColumns c = columns_of(table, panel, s);
        fprintf(script, "%s '%s' using %d:%d", i ? "," : "plot", csv, c.x, c.y);
        if (c.z) fprintf(script, ":%d", c.z);
        fprintf(script, " with %s", styles[panel->style]);
        if (c.z)
            fprintf(script, " notitle");
        else
            fprintf(script, " lc rgb '%s' dt %d title '%s'", colours[i], i < 3 ? 1 : 2, s->name);
    }
    fputc('\n', script);
}

// The script names only files of the folder that gnuplot is started in: no path needs quotes.
static void write_script(FILE* script, const plotFigure* figure, const char* csv, plotTable* table,
                         const char* terminal) {
    int rows = (figure->panel_count + figure->columns - 1) / figure->columns;
    fprintf(script, "set encoding utf8\nset terminal %s size %d,%d\n", terminal,
            figure->columns * figure->width, rows * figure->height);
    fprintf(script,
            "set datafile separator comma\nset datafile columnheaders\n"
            "set grid lt 1 lc rgb '#dddddd' lw 1\nset tics nomirror\n"
            "set key tmargin center horizontal samplen 3\nset multiplot layout %d,%d\n",
            rows, figure->columns);
    for (int p = 0; p < figure->panel_count; ++p)
        write_panel(script, &figure->panels[p], csv, table);
    fprintf(script, "unset multiplot\n");
}

//---------------------------------- files ----------------------------------------

enum { NO_GNUPLOT = 127 };

// exit status of gnuplot, which reads the script and writes the picture; NO_GNUPLOT if it is absent
static int run_gnuplot(const char* folder, FILE* script, FILE* picture) {
    int status = 0;
    if (fflush(script) != 0 || lseek(fileno(script), 0, SEEK_SET) != 0) return -1;
    pid_t child = fork();
    if (child < 0) return -1;
    if (child == 0) {
        if (dup2(fileno(script), STDIN_FILENO) >= 0 && dup2(fileno(picture), STDOUT_FILENO) >= 0 &&
            chdir(folder) == 0)
            execlp("gnuplot", "gnuplot", "-d", (char*)NULL);
        _exit(errno == ENOENT ? NO_GNUPLOT : 1);
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char* path_of(const trial* t, const plotFigure* figure, const char* extension) {
    char* path = NULL;
    int size = asprintf(&path, "%s/%s-%s%s", t->folder, t->name, figure->part, extension);
    return size < 0 ? NULL : path;
}

static int close_file(const trial* t, cliOutput* output, const char* path) {
    int code = cli_output_close(output);
    if (code == 0 && !t->as_json) printf("  wrote %s\n", path);
    return code;
}

static int write_table(const trial* t, const plotTable* table, const char* path) {
    cliOutput output;
    int code = cli_output_open(&output, path);
    if (code != 0) return code;
    write_csv(output.file, table);
    return close_file(t, &output, path);
}

static int draw_picture(trial* t, FILE* script, const char* path) {
    cliOutput output;
    int code = cli_output_open(&output, path);
    if (code != 0) return code;
    int status = run_gnuplot(t->folder, script, output.file);
    if (status == 0) return close_file(t, &output, path);
    cli_output_discard(&output);
    if (status != NO_GNUPLOT) return cli_error("reproduce", "%s: gnuplot failed", path);
    t->no_gnuplot = 1;
    cli_warning("reproduce", "gnuplot is not installed (Debian: gnuplot-nox); "
                             "plots are written as CSV files only");
    return 0;
}

static int write_picture(trial* t, const plotFigure* figure, plotTable* table,
                         const char* extension, const char* terminal) {
    char *path = path_of(t, figure, extension), csv[160];
    FILE* script = tmpfile();
    snprintf(csv, sizeof csv, "%s-%s.csv", t->name, figure->part);
    int code = 0;
    if (path && script) {
        write_script(script, figure, csv, table, terminal);
        code = draw_picture(t, script, path);
    } else {
        code = cli_error("reproduce", "%s", strerror(errno));
    }
    if (script) fclose(script);
    free(path);
    return code;
}

static int write_figure(trial* t, const plotFigure* figure) {
    plotTable table = make_table(figure);
    char* path = path_of(t, figure, ".csv");
    int code = path ? write_table(t, &table, path) : cli_error("reproduce", "out of memory");
    free(path);
    if (code == 0 && !t->no_gnuplot)
        code = write_picture(t, figure, &table, ".svg", "svg background 'white' font 'Sans,12'");
    if (code == 0 && !t->no_gnuplot)
        code = write_picture(t, figure, &table, ".png", "pngcairo font 'Sans,10'");
    return code;
}

// is there a value to draw?
static int has_values(const plotPanel* panel, const plotSeries* s) {
    for (int i = 0; i < s->count; ++i)
        if (isfinite(s->y[i]) && (!panel->y.logarithmic || s->y[i] > 0.0)) return 1;
    return 0;
}

// an engine that is not installed has no values: neither a column nor a curve nor a legend
static void drop_empty_series(plotPanel* panel) {
    int kept = 0;
    for (int i = 0; i < panel->series_count; ++i)
        if (has_values(panel, &panel->series[i])) panel->series[kept++] = panel->series[i];
    panel->series_count = kept;
}

int plot_write(trial* t, const plotFigure* figure) {
    if (!t->folder) return 0;
    plotPanel* panels = calloc((size_t)figure->panel_count, sizeof *panels);
    plotFigure present = *figure;
    present.panels = panels;
    present.panel_count = 0;
    if (!panels) return cli_error("reproduce", "out of memory");
    for (int i = 0; i < figure->panel_count; ++i) {
        panels[present.panel_count] = figure->panels[i];
        drop_empty_series(&panels[present.panel_count]);
        present.panel_count += panels[present.panel_count].series_count > 0;
    }
    int code = write_figure(t, &present);
    free(panels);
    return code;
}
