// Shapes by name, with messages with suggestions.

#include "cli/scene/shape_by_name.h"
#include "cli/report.h"

#include "model/xml/word_suggestion.h"

#include <stdio.h>
#include <string.h>

// names of all shapes with blanks between, as far as they fit
static void list_shapes(const tacModel* model, char* text, size_t size) {
    text[0] = '\0';
    for (int i = 0; i < model->nshape; ++i) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", used ? " " : "", model->shape[i].name);
    }
}

int cli_shape_by_name(const char* command, const char* path, const tacModel* model,
                      const char* name) {
    if (!name && model->nshape == 1) return 0;
    int found = name ? tac_shape_find(model, name) : -1;
    if (found >= 0) return found;
    char names[400], near[TAC_SUGGESTION_SIZE];
    list_shapes(model, names, sizeof names);
    int meant = name && tac_suggest_word(name, names, near);
    if (model->nshape == 0)
        cli_error(command, "%s has no shapes", path);
    else if (!name)
        cli_error(command, "name a shape with --shape; %s has: %s", path, names);
    else
        cli_error(command, "%s has no shape '%s'%s%s%s it has: %s", path, name,
                  meant ? "; did you mean '" : "", meant ? near : "", meant ? "'?" : ";", names);
    return -1;
}
