// Options of tactus render for slices.

#include "cli/render/slice_options.h"

#include "cli/options.h"
#include "cli/report.h"

#include "base/assert.h"
#include "model/xml/word_suggestion.h"

#include <math.h>
#include <string.h>

// "z=0"; 1 if it is an axis and a number
static int parse_plane(const char* text, int* axis, double* offset) {
    static const char axes[] = "xyz";
    const char* found = *text ? strchr(axes, *text) : NULL;
    if (!found || text[1] != '=' || !cli_parse_numbers(text + 2, offset, 1)) return 0;
    *axis = (int)(found - axes);
    return fabs(*offset) <= 1e9;
}

static int parse_field(const char* text, tacSliceField* out) {
    static const char* const names[] = {"value", "gradient", "laplacian"};
    for (int i = 0; i < TAC_COUNT(names); ++i)
        if (strcmp(text, names[i]) == 0) {
            *out = (tacSliceField)i;
            return 0;
        }
    char near[TAC_SUGGESTION_SIZE];
    int meant = tac_suggest_word(text, "value gradient laplacian", near);
    return cli_error("render", "--field: '%s' is not value, gradient or laplacian%s%s%s", text,
                     meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : "");
}

// an option that requires --slice
static int slice_only_option(const cliSliceOptions* typed) {
    const char* name = typed->field        ? "field"
                       : typed->points     ? "points"
                       : typed->normals    ? "normals"
                       : typed->span > 0.0 ? "span"
                                           : NULL;
    return name ? cli_error("render", "--%s requires --slice, such as --slice z=0", name) : 0;
}

int cli_slice_options_read(const cliSliceOptions* typed, tacSliceOptions* out, cliPoints* points) {
    if (!typed->plane) return slice_only_option(typed);
    if (!parse_plane(typed->plane, &out->axis, &out->offset))
        return cli_error("render",
                         "--slice: '%s' is not a plane such as z=0: x, y or z, and a number of "
                         "metres between -1e9 and 1e9",
                         typed->plane);
    if (typed->field && parse_field(typed->field, &out->field) != 0) return CLI_ERROR;
    if (typed->points && cli_points_read(points, typed->points) != 0) return CLI_ERROR;
    out->span = typed->span;
    out->normals = typed->normals;
    out->point_count = points->count;
    for (int k = 0; k < 3; ++k) out->points[k] = points->x[k];
    return 0;
}
