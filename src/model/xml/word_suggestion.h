// The word that a user most likely meant. Lists are words separated by single spaces.

#ifndef TAC_MODEL_XML_WORD_SUGGESTION_H
#define TAC_MODEL_XML_WORD_SUGGESTION_H

#include <stddef.h>

#define TAC_SUGGESTION_SIZE 64

// is `word` one of `list`?
int tac_word_in_list(const char* word, const char* list);

// Copies the entry of `list` closest to `word` to `out`; 1 if it is likely to be meant.
int tac_suggest_word(const char* word, const char* list, char out[TAC_SUGGESTION_SIZE]);

// The same, only if it is a typing error: one edit, or two of a long word.
int tac_misspelled_word(const char* word, const char* list, char out[TAC_SUGGESTION_SIZE]);

#endif
