// Quantities by name.

#include "cli/grad/quantity_option.h"

#include "cli/report.h"

#include "model/xml/word_suggestion.h"
#include "record/column.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// one kind of names and how many there are
typedef struct nameList {
    const char* prefix;
    tacQuantityKind kind;
    int count;
    void (*name)(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]);
} nameList;

// three names for each body, then for each site
static void position_name(const tacModel* model, int i, char text[TAC_COLUMN_SIZE]) {
    int body = i / 3, site = body - model->nbody, is_body = site < 0;
    const char* name = is_body ? model->body[body].name : model->site[site].name;
    if (*name)
        snprintf(text, TAC_COLUMN_SIZE, "%s/%c", name, "xyz"[i % 3]);
    else
        snprintf(text, TAC_COLUMN_SIZE, "%s%d/%c", is_body ? "body" : "site", is_body ? body : site,
                 "xyz"[i % 3]);
}

static tacQuantity position_quantity(const tacModel* model, int i) {
    if (i < 3 * model->nbody) return (tacQuantity){TAC_QUANTITY_XPOS, i / 3, i % 3};
    return (tacQuantity){TAC_QUANTITY_SITE, i / 3 - model->nbody, i % 3};
}

static int find_name(const tacModel* model, const nameList* list, const char* wanted,
                     tacQuantity* out) {
    char text[TAC_COLUMN_SIZE];
    for (int i = 0; i < list->count; ++i) {
        list->name(model, i, text);
        if (strcmp(text, wanted) != 0) continue;
        *out = list->kind == TAC_QUANTITY_XPOS ? position_quantity(model, i)
                                               : (tacQuantity){list->kind, i, 0};
        return 1;
    }
    return 0;
}

// names with blanks between, as far as they fit
static int unknown_quantity(const char* command, const tacModel* model, const nameList* list,
                            const char* wanted) {
    char names[1000] = "", text[TAC_COLUMN_SIZE], near[TAC_SUGGESTION_SIZE];
    for (int i = 0; i < list->count; ++i) {
        size_t used = strlen(names);
        list->name(model, i, text);
        snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "", text);
    }
    int meant = tac_suggest_word(wanted, names, near);
    return cli_error(command, "--of: there is no %s%s%s%s%s%s it can be: %s", list->prefix, wanted,
                     meant ? "; did you mean " : "", meant ? list->prefix : "", meant ? near : "",
                     meant ? "?" : ";", *names ? names : "(the scene has none)");
}

int cli_quantity_parse(const char* command, const tacModel* model, const char* text,
                       tacQuantity* out) {
    static const char* const energies[] = {"kinetic", "potential", "energy"};
    const nameList lists[] = {
        {"qpos:", TAC_QUANTITY_QPOS, model->nq, tac_column_qpos},
        {"qvel:", TAC_QUANTITY_QVEL, model->nv, tac_column_dof},
        {"act:", TAC_QUANTITY_ACT, model->na, tac_column_act},
        {"xpos:", TAC_QUANTITY_XPOS, 3 * (model->nbody + model->nsite), position_name},
    };
    for (int i = 0; i < 3; ++i)
        if (strcmp(text, energies[i]) == 0) {
            *out = (tacQuantity){.kind = (tacQuantityKind)(TAC_QUANTITY_KINETIC + i)};
            return 0;
        }
    for (int i = 0; i < 4; ++i) {
        size_t length = strlen(lists[i].prefix);
        if (strncmp(text, lists[i].prefix, length) != 0) continue;
        if (find_name(model, &lists[i], text + length, out)) return 0;
        return unknown_quantity(command, model, &lists[i], text + length);
    }
    return cli_error(command,
                     "--of: '%s' is none of energy, kinetic, potential, qpos:JOINT, qvel:JOINT, "
                     "act:ACTUATOR, xpos:BODY/z, xpos:SITE/z",
                     text);
}
