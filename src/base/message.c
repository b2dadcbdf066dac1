// Results, flags and messages.

#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char* const result_names[] = {
#define TAC_RESULT_STRING(name, text) #name,
    TAC_RESULTS(TAC_RESULT_STRING)
#undef TAC_RESULT_STRING
};

static const char* const result_texts[] = {
#define TAC_RESULT_TEXT(name, text) text,
    TAC_RESULTS(TAC_RESULT_TEXT)
#undef TAC_RESULT_TEXT
};

const char* tac_result_name(tacResult result) {
    return (unsigned)result < TAC_RESULT_COUNT ? result_names[result] : "TAC_UNKNOWN";
}

const char* tac_result_text(tacResult result) {
    return (unsigned)result < TAC_RESULT_COUNT ? result_texts[result] : "not a result of Tactus";
}

const char* tac_flag_name(unsigned flag) {
    switch (flag) {
#define TAC_FLAG_STRING(name, bit, text)                                                           \
    case bit:                                                                                      \
        return #name;
        TAC_FLAGS(TAC_FLAG_STRING)
#undef TAC_FLAG_STRING
    default:
        return NULL;
    }
}

const char* tac_flag_text(unsigned flag) {
    switch (flag) {
#define TAC_FLAG_TEXT(name, bit, text)                                                             \
    case bit:                                                                                      \
        return text;
        TAC_FLAGS(TAC_FLAG_TEXT)
#undef TAC_FLAG_TEXT
    default:
        return NULL;
    }
}

// copies as much as fits; a text that was cut ends in "..."
static void copy_text(char* out, size_t size, const char* text) {
    size_t length = strlen(text);
    if (length < size) {
        memcpy(out, text, length + 1);
        return;
    }
    memcpy(out, text, size - 4);
    memcpy(out + size - 4, "...", 4);
}

tacResult tac_fail(tacMessage* message, tacResult result, const char* file, int line,
                   const char* attribute, const char* format, ...) {
    if (!message) return result;
    char text[sizeof message->text + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    copy_text(message->text, sizeof message->text, text);
    copy_text(message->file, sizeof message->file, file ? file : "");
    copy_text(message->attribute, sizeof message->attribute, attribute ? attribute : "");
    message->line = line;
    return result;
}
