// Nearest word by edit distance, for "did you mean".

#include "model/xml/word_suggestion.h"

#include <ctype.h>
#include <string.h>

// next word of a list; NULL after the last
static const char* next_word(const char* at, size_t* length) {
    while (*at == ' ') ++at;
    *length = strcspn(at, " ");
    return *length ? at : NULL;
}

int tac_word_in_list(const char* word, const char* list) {
    size_t length, word_length = strlen(word);
    for (const char* at = list; (at = next_word(at, &length)); at += length)
        if (length == word_length && memcmp(at, word, length) == 0) return 1;
    return 0;
}

static int min3(int a, int b, int c) {
    int d = a < b ? a : b;
    return d < c ? d : c;
}

static int chars_differ(char a, char b) {
    return tolower((unsigned char)a) != tolower((unsigned char)b);
}

// edit distance of a and b: insertions, deletions, replacements, swaps of neighbours; ignores case
static int edit_distance(const char* a, int na, const char* b, int nb) {
    int rows[3][TAC_SUGGESTION_SIZE + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= nb; ++j) last[j] = j;
    for (int i = 1; i <= na; ++i) {
        row[0] = i;
        for (int j = 1; j <= nb; ++j) {
            row[j] =
                min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + chars_differ(a[i - 1], b[j - 1]));
            int swapped = i > 1 && j > 1 && !chars_differ(a[i - 1], b[j - 2]) &&
                          !chars_differ(a[i - 2], b[j - 1]);
            if (swapped && before[j - 2] + 1 < row[j]) row[j] = before[j - 2] + 1;
        }
        int* oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[nb];
}

// the nearest word within `best` edits
static int find_nearest(const char* word, const char* list, int best,
                        char out[TAC_SUGGESTION_SIZE]) {
    size_t length, word_length = strlen(word);
    int found = 0;
    if (word_length == 0 || word_length >= TAC_SUGGESTION_SIZE) return 0;
    for (const char* at = list; (at = next_word(at, &length)); at += length) {
        if (length >= TAC_SUGGESTION_SIZE) continue;
        int distance = edit_distance(word, (int)word_length, at, (int)length);
        if (distance > best || distance >= (int)length) continue;
        best = distance - 1;
        found = 1;
        memcpy(out, at, length);
        out[length] = '\0';
    }
    return found;
}

// at most one edit per three letters may be meant; more is another word
int tac_suggest_word(const char* word, const char* list, char out[TAC_SUGGESTION_SIZE]) {
    return find_nearest(word, list, 1 + (int)strlen(word) / 3, out);
}

int tac_misspelled_word(const char* word, const char* list, char out[TAC_SUGGESTION_SIZE]) {
    return find_nearest(word, list, strlen(word) < 6 ? 1 : 2, out);
}
