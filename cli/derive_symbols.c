// Parameters of a scene as symbols, and substitution of symbols by numbers.

#include "cli/derive_symbols.h"

#include "cli/report.h"

#include "base/assert.h"
#include "symbolic/expr/graph.h"

#include <stdlib.h>
#include <string.h>

//---------------------------------- names ----------------------------------------

// letters for an attribute, and suffixes of its numbers
static const struct {
    const char *attribute, *word, *letter;
    const char* const* parts;
} kinds[] = {
    {"mass", "masses", "m", NULL},
    {"inertia", "inertias", "I", (const char* const[]){"xx", "yy", "zz", "xy", "xz", "yz"}},
    {"com", "lengths", "c", (const char* const[]){"x", "y", "z"}},
    {"pos", "lengths", "r", (const char* const[]){"x", "y", "z"}},
    {"gravity", "gravity", "g", (const char* const[]){"x", "y", "z"}},
    {"armature", "armatures", "J", NULL},
};

static int attribute_kind(const char* attribute) {
    for (int k = 0; k < TAC_COUNT(kinds); ++k)
        if (strcmp(kinds[k].attribute, attribute) == 0) return k;
    return -1;
}

// "body:upper arm/com" number 2 is c_upper_arm_z
static void symbol_name(const char* group, int index, int count, char* out, size_t size) {
    const char *slash = strrchr(group, '/'), *colon = strchr(group, ':');
    const char* attribute = slash ? slash + 1 : group;
    int k = attribute_kind(attribute);
    int length = snprintf(out, size, "%s", k >= 0 ? kinds[k].letter : attribute);
    if (colon && slash)
        length += snprintf(out + length, size - (size_t)length, "_%.*s", (int)(slash - colon - 1),
                           colon + 1);
    if (length >= (int)size) length = (int)size - 1;
    if (k >= 0 && kinds[k].parts)
        snprintf(out + length, size - (size_t)length, "_%s", kinds[k].parts[index]);
    else if (count > 1)
        snprintf(out + length, size - (size_t)length, "_%d", index);
    for (char* c = out; *c; ++c)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *c))
            *c = '_';
}

//---------------------------------- choosing -------------------------------------

static int has_symbol(const deriveSymbols* s, int offset, const char* name) {
    for (int i = 0; i < s->count; ++i)
        if (offset >= 0 ? s->offset[i] == offset : strcmp(s->name[i], name) == 0) return 1;
    return 0;
}

static void add_symbol(deriveSymbols* s, const char* group, tacParam param, int index) {
    int offset = param.offset + index;
    char name[48];
    if (has_symbol(s, offset, "") || s->count >= s->capacity) return;
    symbol_name(group, index, param.count, name, sizeof name);
    char* own = s->name[s->count];
    snprintf(own, sizeof *s->name, "%s", name);
    for (int k = 2; has_symbol(s, -1, own); ++k) snprintf(own, sizeof *s->name, "%s_%d", name, k);
    s->offset[s->count] = offset;
    s->symbol[s->count] = tac_symbol(s->graph, own);
    ++s->count;
}

// a parameter of 0 stays 0: a symbol would only make formulas longer
static void add_group(deriveSymbols* s, const tacParamName* group) {
    for (int i = 0; i < group->param.count; ++i)
        if (s->model->param[group->param.offset + i] != 0.0)
            add_symbol(s, group->name, group->param, i);
}

// of bodies, joints and the world, not of geoms and sites
static int is_dynamics_param(const char* name) {
    return strncmp(name, "body:", 5) == 0 || strncmp(name, "joint:", 6) == 0 ||
           strncmp(name, "option/", 7) == 0;
}

// all groups of a word such as "lengths"; 1 if there is such a word
static int add_symbol_group(deriveSymbols* s, const char* word) {
    int known = 0;
    for (int k = 0; k < TAC_COUNT(kinds); ++k) {
        if (strcmp(kinds[k].word, word) != 0) continue;
        known = 1;
        for (int i = 0; i < s->model->nparamname; ++i) {
            const tacParamName* group = &s->model->paramname[i];
            const char* slash = strrchr(group->name, '/');
            if (slash && is_dynamics_param(group->name) &&
                strcmp(slash + 1, kinds[k].attribute) == 0)
                add_group(s, group);
        }
    }
    return known;
}

// one number by its full name is a symbol even if it is 0
static int add_parameter(deriveSymbols* s, const char* word) {
    tacParam found;
    if (tac_param_find(s->model, word, &found) != TAC_OK) return 0;
    int group = s->model->paramgroup[found.offset];
    const tacParamName* name = &s->model->paramname[group];
    if (found.count < name->param.count || name->param.count == 1)
        add_symbol(s, name->name, name->param, found.offset - name->param.offset);
    else
        add_group(s, name);
    return 1;
}

int derive_symbols_open(deriveSymbols* s, tacGraph* graph, const tacModel* model,
                        const char* words) {
    char word[256];
    int given = words && *words;
    *s = (deriveSymbols){.graph = graph, .model = model, .capacity = model->nparam + 1};
    s->offset = malloc(sizeof *s->offset * (size_t)s->capacity);
    s->symbol = malloc(sizeof *s->symbol * (size_t)s->capacity);
    s->name = malloc(sizeof *s->name * (size_t)s->capacity);
    s->unused = calloc((size_t)s->capacity, 1);
    if (!s->offset || !s->symbol || !s->name || !s->unused)
        return cli_error_message(TAC_ERROR_MEMORY, NULL);
    while (words && *words) {
        size_t length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), words);
        words += length + (words[length] == ',');
        if (!add_symbol_group(s, word) && !add_parameter(s, word))
            return cli_error("derive",
                             "--symbols: '%s' is none of masses, lengths, inertias, armatures, "
                             "gravity, and no parameter of the scene",
                             word);
    }
    if (given && s->count == 0)
        return cli_error(
            "derive", "--symbols: all of these are 0 in this scene, so that nothing is a symbol; "
                      "name one number, such as joint:NAME/armature, to have it all the same");
    return CLI_OK;
}

void derive_symbols_close(deriveSymbols* s) {
    free(s->offset);
    free(s->symbol);
    free(s->name);
    free(s->unused);
}

void derive_symbols_find_unused(const deriveSymbols* s, const tacExpr* expr, int count) {
    int top;
    unsigned char* mark = tac_graph_mark_reachable(s->graph, expr, count, &top);
    for (int i = 0; mark && i < s->count; ++i)
        s->unused[i] = s->symbol[i] > top || !mark[s->symbol[i]];
    tac_graph_free(s->graph, mark, (size_t)top + 1);
}

void derive_symbols_legend(const deriveSymbols* s, const char* mark, FILE* file) {
    for (int i = 0; i < s->count; ++i) {
        char text[256];
        tac_param_name(s->model, s->offset[i], text, sizeof text);
        for (char* c = text; *c; ++c)
            if ((unsigned char)*c < ' ' || *c == '\\') *c = ' ';
        fprintf(file, "%s %s: %s%s, here %.17g\n", mark, s->name[i], text,
                s->unused[i] ? ", in none of these equations" : "", s->model->param[s->offset[i]]);
    }
}

//---------------------------------- substitution ---------------------------------

// "1/3", "-0.25", "2e-3"; NONE if it is not a number
static tacExpr read_number(tacGraph* g, const char* text) {
    char* end;
    double top = strtod(text, &end), bottom = 1.0;
    int is_number = end != text;
    if (is_number && *end == '/') {
        const char* rest = end + 1;
        bottom = strtod(rest, &end);
        is_number = end != rest && bottom != 0.0;
    }
    if (!is_number || *end || top != top || top - top != 0.0 || bottom - bottom != 0.0)
        return TAC_EXPR_NONE;
    return tac_expr_div(g, tac_decimal(g, top), tac_decimal(g, bottom));
}

// the input with this name, or -1
static int find_input(tacGraph* g, const char* name, const tacExpr* inputs, int count) {
    char text[256];
    for (int i = 0; i < count; ++i)
        if (tac_expr_print(g, inputs[i], TAC_NOTATION_TEXT, text, sizeof text) == TAC_OK &&
            strcmp(text, name) == 0)
            return i;
    return -1;
}

// 1 if the list sets this symbol before `end`
static int is_set_before(const char* words, const char* end, const char* name) {
    size_t length = strlen(name);
    for (; words < end; words += strcspn(words, ",") + 1)
        if (strncmp(words, name, length) == 0 && words[length] == '=') return 1;
    return 0;
}

int derive_substitute(deriveEquations* e, const char* words, tacResult* result) {
    const char* all = words;
    while (words && *words) {
        char word[256];
        const char* here = words;
        size_t length = strcspn(words, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 255 ? length : 255), words);
        words += length + (words[length] == ',');
        char* equals = strchr(word, '=');
        if (equals) *equals = 0;
        int at = find_input(e->graph, word, e->in, e->inputs);
        tacExpr value = equals ? read_number(e->graph, equals + 1) : TAC_EXPR_NONE;
        if (at < 0 || value < 0) {
            if (at < 0 && is_set_before(all, here, word))
                cli_error("derive", "--subs: '%s' is set twice", word);
            else if (at < 0)
                cli_error("derive", "--subs: '%s' is not a symbol of these equations", word);
            else
                cli_error("derive", "--subs: %s=%s is not a number such as 0.2 or 1/3", word,
                          equals ? equals + 1 : "");
            return CLI_ERROR;
        }
        *result = tac_expr_substitute(e->graph, e->out, e->outputs, &e->in[at], &value, 1, e->out);
        if (*result != TAC_OK) return CLI_ERROR;
        memmove(e->in + at, e->in + at + 1, sizeof *e->in * (size_t)(e->inputs - at - 1));
        --e->inputs;
    }
    return 0;
}
