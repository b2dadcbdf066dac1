// Bytes of mesh files: reading them, words and numbers in them, arrays made of them.

#define _GNU_SOURCE
#include "mesh/io/input.h"

#include "base/decimal.h"
#include "base/message.h"
#include "mesh/io/soup.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

//---------------------------------- failure --------------------------------------

void tac_input_fail(tacInput* input, tacResult result, const char* format, ...) {
    if (input->result != TAC_OK) return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char* c = text; *c; ++c)
        if (*c < 0x20 || *c == 0x7f) *c = '?';
    input->result = tac_fail(input->message, result, input->file, input->line, NULL, "%s", text);
}

static void fail_errno(tacInput* input, const char* what) {
    char buffer[128];
    tac_input_fail(input, TAC_ERROR_FILE, "%s: %s", what, strerror_r(errno, buffer, sizeof buffer));
}

//---------------------------------- file -----------------------------------------

static void* alloc_block(tacInput* input, size_t size) {
    void* block = input->allocator.allocate(input->allocator.user, size);
    if (!block) tac_input_fail(input, TAC_ERROR_MEMORY, "out of memory");
    return block;
}

static void start_text(tacInput* input, char* text, size_t size) {
    text[size] = 0;
    input->text = text;
    input->at = text;
    input->end = text + size;
    input->line = 1;
}

// opening a device can have effects, so this is also checked before open
static int check_kind(tacInput* input, const struct stat* status) {
    if (S_ISDIR(status->st_mode))
        tac_input_fail(input, TAC_ERROR_FILE, "is a directory; give a mesh file");
    else if (!S_ISREG(status->st_mode))
        tac_input_fail(input, TAC_ERROR_FILE,
                       "is not a regular file (a pipe, socket or device); copy it to a file");
    else if (status->st_size > TAC_MAX_MESH_BYTES)
        tac_input_fail(input, TAC_ERROR_LIMIT, "has %lld bytes; a mesh file has at most %d",
                       (long long)status->st_size, TAC_MAX_MESH_BYTES);
    return input->result == TAC_OK;
}

// the number of bytes that the file had when it was examined
static void read_whole(tacInput* input, int file, size_t size) {
    char* text = alloc_block(input, size + 1);
    if (!text) return;
    size_t got = 0;
    while (got < size) {
        ssize_t part = read(file, text + got, size - got);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) fail_errno(input, "cannot be read");
        if (part <= 0) break;
        got += (size_t)part;
    }
    start_text(input, text, got);
}

void tac_input_open(tacInput* input, const char* path) {
    struct stat status;
    input->line = 0;
    if (stat(path, &status) != 0) {
        fail_errno(input, "cannot be found or opened");
        return;
    }
    if (!check_kind(input, &status)) return;

    // O_NONBLOCK: if the file was replaced by a FIFO meanwhile, do not wait for a writer
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        fail_errno(input, "cannot be opened");
        return;
    }
    if (fstat(file, &status) != 0)
        fail_errno(input, "cannot be examined");
    else if (check_kind(input, &status))
        read_whole(input, file, (size_t)status.st_size);
    close(file);
}

void tac_input_copy(tacInput* input, const void* bytes, size_t size) {
    input->line = 0;
    if (size > TAC_MAX_MESH_BYTES) {
        tac_input_fail(input, TAC_ERROR_LIMIT, "has %zu bytes; a mesh has at most %d", size,
                       TAC_MAX_MESH_BYTES);
        return;
    }
    char* text = alloc_block(input, size + 1);
    if (!text) return;
    if (size) memcpy(text, bytes, size);
    start_text(input, text, size);
}

void tac_input_close(tacInput* input) {
    if (input->text) input->allocator.release(input->allocator.user, input->text);
    input->text = NULL;
}

//---------------------------------- text -----------------------------------------

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// length of "\", "\r\n" and the like, 0 if the line is not continued
static int continuation(const char* at) {
    if (at[0] != '\\') return 0;
    return at[1] == '\n' ? 2 : at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

void tac_input_skip_blank(tacInput* input) {
    for (;;) {
        while (is_blank(*input->at)) ++input->at;
        int length = continuation(input->at);
        if (length == 0) return;
        input->at += length;
        ++input->line;
    }
}

void tac_input_skip_line(tacInput* input) {
    const char* end = memchr(input->at, '\n', (size_t)(input->end - input->at));
    input->at = end ? end + 1 : input->end;
    input->line += end != NULL;
}

void tac_input_skip_space(tacInput* input, char comment) {
    for (;;) {
        while (is_blank(*input->at)) ++input->at;
        if (*input->at == '\n') {
            ++input->at;
            ++input->line;
        } else if (comment && *input->at == comment)
            tac_input_skip_line(input);
        else
            return;
    }
}

int tac_input_word_length(const tacInput* input) {
    const char* at = input->at;
    while (at < input->end && *at && !is_blank(*at) && *at != '\n' && at - input->at < 1000) ++at;
    return (int)(at - input->at);
}

int tac_input_match_word(tacInput* input, const char* word) {
    size_t length = strlen(word);
    if (strncasecmp(input->at, word, length) != 0) return 0;
    char next = input->at[length];
    if (next && next != '\n' && !is_blank(next)) return 0;
    input->at += length;
    return 1;
}

static void fail_number(tacInput* input, const char* what) {
    int length = tac_input_word_length(input);
    if (length == 0)
        tac_input_fail(input, TAC_ERROR_SYNTAX, "%s is missing%s", what,
                       input->at >= input->end ? ": the file ends here; is it truncated?" : "");
    else
        tac_input_fail(input, TAC_ERROR_VALUE, "%s: '%.*s' is not a finite decimal number", what,
                       length > 30 ? 30 : length, input->at);
}

static int ends_number(char next) {
    return next == 0 || next == '\n' || next == ',' || next == '\\' || is_blank(next);
}

double tac_input_read_number(tacInput* input, const char* what) {
    double value = 0.0;
    if (input->result != TAC_OK) return 0.0;
    tac_input_skip_blank(input);
    const char* end = tac_parse_decimal(input->at, &value);
    if (!end || !ends_number(*end) || !isfinite(value)) {
        fail_number(input, what);
        return 0.0;
    }
    if (fabs(value) > TAC_MAX_MESH_COORD) {
        tac_input_fail(input, TAC_ERROR_VALUE, "%s: %g is out of range; at most %g is allowed",
                       what, value, TAC_MAX_MESH_COORD);
        return 0.0;
    }
    input->at = end;
    return value;
}

int tac_input_match_nan(tacInput* input) {
    tac_input_skip_blank(input);
    const char* start = input->at;
    if (*input->at == '-' || *input->at == '+') ++input->at;
    int is_nan = strncasecmp(input->at, "nan", 3) == 0 || strncasecmp(input->at, "inf", 3) == 0;
    input->at += is_nan ? 3 : 0;
    if (is_nan && ends_number(*input->at)) return 1;
    input->at = start;
    return 0;
}

int tac_input_read_int(tacInput* input, int* out) {
    const char* at = input->at + (*input->at == '-' || *input->at == '+');
    const char* digits = at;
    int value = 0;
    for (; *at >= '0' && *at <= '9' && at - digits < 9; ++at) value = 10 * value + (*at - '0');
    if (at == digits || (*at >= '0' && *at <= '9')) return 0;
    *out = *input->at == '-' ? -value : value;
    input->at = at;
    return 1;
}

void tac_input_end_line(tacInput* input, char comment) {
    if (input->result != TAC_OK) return;
    tac_input_skip_blank(input);
    int length = tac_input_word_length(input);
    if (length && *input->at != comment)
        tac_input_fail(input, TAC_ERROR_SYNTAX, "unexpected '%.*s' at the end of this line",
                       length > 30 ? 30 : length, input->at);
    else if (input->at < input->end && *input->at == 0)
        tac_input_fail(input, TAC_ERROR_SYNTAX, "the text contains a byte 0");
    else
        tac_input_skip_line(input);
}

//---------------------------------- arrays ---------------------------------------

static int grow_array(tacInput* input, tacArray* array, size_t item_size, int count) {
    if (count > TAC_MAX_MESH_ITEMS - array->count) {
        tac_input_fail(input, TAC_ERROR_LIMIT,
                       "has more than %d vertices or face corners; split it", TAC_MAX_MESH_ITEMS);
        return 0;
    }
    int need = array->count + count, capacity = array->capacity + array->capacity / 2;
    if (capacity < need) capacity = need;
    if (capacity < 64) capacity = 64;
    void* items = alloc_block(input, item_size * (size_t)capacity);
    if (!items) return 0;
    if (array->count) memcpy(items, array->items, item_size * (size_t)array->count);
    if (array->items) input->allocator.release(input->allocator.user, array->items);
    array->items = items;
    array->capacity = capacity;
    return 1;
}

void* tac_array_add(tacInput* input, tacArray* array, size_t item_size, int count) {
    if (input->result != TAC_OK) return NULL;
    int fits = array->items && count <= array->capacity - array->count;
    if (!fits && !grow_array(input, array, item_size, count)) return NULL;
    void* items = (char*)array->items + item_size * (size_t)array->count;
    array->count += count;
    return items;
}

void tac_array_free(tacInput* input, tacArray* array) {
    if (array->items) input->allocator.release(input->allocator.user, array->items);
    *array = (tacArray){0};
}
