// Reading a scene file, and checking its bytes.
//
//   path --> [this file] --text--> document.c
//
// Scenes may be untrusted. So the file is read here and not by libxml2 (which would also
// open URLs, compressed files and FIFOs), and input that libxml2 is slow on is refused before.

#define _GNU_SOURCE
#include "model/xml/source.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

//---------------------------------- file -----------------------------------------

static void fail_errno(tacReader* reader, const char* what, int error) {
    char buffer[128];
    tac_reader_fail(reader, TAC_ERROR_FILE, 0, NULL, "%s: %s", what,
                    strerror_r(error, buffer, sizeof buffer));
}

// Is it a regular file? Opening a device can have effects, so this is also checked before open.
static int check_kind(tacReader* reader, const struct stat* status) {
    if (S_ISDIR(status->st_mode))
        tac_reader_fail(reader, TAC_ERROR_FILE, 0, NULL, "is a directory; give a scene file");
    else if (!S_ISREG(status->st_mode))
        tac_reader_fail(reader, TAC_ERROR_FILE, 0, NULL,
                        "is not a regular file (a pipe, socket or device); copy it to a file");
    else if (status->st_size > TAC_MAX_FILE_BYTES)
        tac_reader_fail(reader, TAC_ERROR_LIMIT, 0, NULL,
                        "has %lld bytes; a scene file has at most %d", (long long)status->st_size,
                        TAC_MAX_FILE_BYTES);
    return reader->result == TAC_OK;
}

// fills the buffer as far as the file goes; -1 on failure
static long long read_some(tacReader* reader, int file, char* buffer, size_t size) {
    size_t got = 0;
    while (got < size) {
        ssize_t part = read(file, buffer + got, size - got);
        if (part == 0) break;
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) {
            fail_errno(reader, "cannot be read", errno);
            return -1;
        }
        got += (size_t)part;
    }
    return (long long)got;
}

// the size of the status is only a first guess: a file may grow, and some (in /proc) report 0
static tacSource read_whole(tacReader* reader, int file, size_t guess) {
    tacSource none = {NULL, 0};
    size_t capacity = guess + 1 > 4096 ? guess + 1 : 4096, size = 0;
    char* buffer = tac_reader_alloc(reader, capacity);
    while (buffer) {
        long long got = read_some(reader, file, buffer + size, capacity - size);
        if (got < 0) return none;
        size += (size_t)got;
        if (size < capacity) return (tacSource){buffer, size};
        if (size > TAC_MAX_FILE_BYTES) {
            tac_reader_fail(reader, TAC_ERROR_LIMIT, 0, NULL,
                            "has more than %d bytes, the most for a scene file",
                            TAC_MAX_FILE_BYTES);
            return none;
        }
        char* bigger = tac_reader_alloc(reader, 2 * capacity);
        if (bigger) memcpy(bigger, buffer, size);
        buffer = bigger;
        capacity *= 2;
    }
    return none;
}

tacSource tac_source_read(tacReader* reader, const char* path) {
    tacSource source = {NULL, 0};
    struct stat status;
    if (!*path) {
        tac_reader_fail(reader, TAC_ERROR_FILE, 0, NULL,
                        "the name of the scene file is empty (an unset variable in a script?)");
        return source;
    }
    if (stat(path, &status) != 0) {
        fail_errno(reader, "cannot be found or opened", errno);
        return source;
    }
    if (!check_kind(reader, &status)) return source;

    // O_NONBLOCK: if the file was replaced by a FIFO meanwhile, do not wait for a writer
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        fail_errno(reader, "cannot be opened", errno);
        return source;
    }
    if (fstat(file, &status) != 0)
        fail_errno(reader, "cannot be examined", errno);
    else if (check_kind(reader, &status))
        source = read_whole(reader, file, (size_t)status.st_size);
    close(file);
    return source;
}

//---------------------------------- bytes ----------------------------------------

size_t tac_utf8_length(const char* text, size_t size) {
    const unsigned char* s = (const unsigned char*)text;
    if (size == 0) return 0;
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || length > size) return 0;
    for (size_t i = 1; i < length; ++i)
        if ((s[i] & 0xc0) != 0x80) return 0;
    // overlong forms, surrogates, and code points above U+10FFFF
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return length;
}

// XML 1.0 allows tab, line feed and carriage return below the space
static int allowed_control(unsigned char c) {
    return c >= 0x20 || c == '\t' || c == '\n' || c == '\r';
}

static void fail_byte(tacReader* reader, int line, unsigned char byte) {
    if (byte < 0x80)
        tac_reader_fail(reader, TAC_ERROR_SYNTAX, line, NULL,
                        "byte 0x%02x is a control character, which XML does not allow", byte);
    else
        tac_reader_fail(reader, TAC_ERROR_SYNTAX, line, NULL,
                        "byte 0x%02x is not UTF-8; save the file in UTF-8", byte);
}

static int starts_name(unsigned char c) {
    return c >= 0x80 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_' || c == ':';
}

//---------------------------------- what is not XML ------------------------------

// MuJoCo's parser is more tolerant than libxml2. The declaration, comments and <! ...> carry
// nothing for a scene, and are blanked: versions such as 0.0, blanks before the declaration, "--"
// within a comment and names of authors in Latin-1 do no harm. Line breaks stay, so that lines do.

static size_t find_end(tacSource source, size_t at, const char* end) {
    size_t length = strlen(end);
    const char* found =
        at < source.size ? memmem(source.text + at, source.size - at, end, length) : NULL;
    return found ? (size_t)(found - source.text) + length : 0;
}

static int starts_with(tacSource source, size_t at, const char* word) {
    size_t length = strlen(word);
    return at <= source.size && length <= source.size - at &&
           memcmp(source.text + at, word, length) == 0;
}

// how the piece at `at` ends that is not read; NULL: it is read
static const char* unread_end(tacSource source, size_t at, int is_first) {
    if (starts_with(source, at, "<!--")) return "-->";
    if (starts_with(source, at, "<?xml") && is_first) return "?>";
    if (!starts_with(source, at, "<!") || starts_with(source, at, "<!DOCTYPE")) return NULL;
    return starts_with(source, at, "<![CDATA[") ? "]]>" : ">";
}

// A copy without them; after a failure the source itself. A piece without an end is left to
// libxml2, with all that follows.
static tacSource blank_unread(tacReader* reader, tacSource source) {
    char* copy = tac_reader_alloc(reader, source.size + 1);
    if (!copy) return source;
    memcpy(copy, source.text, source.size);
    int is_first = 1;
    for (size_t at = 0; at < source.size; ++at) {
        const char* end = source.text[at] == '<' ? unread_end(source, at, is_first) : NULL;
        is_first &= (unsigned char)source.text[at] <= ' ';
        if (!end) continue;
        size_t start = at, after = find_end(source, at + (*end == '-' ? 4 : 0), end);
        if (after == 0) break;
        at = after - 1;
        for (size_t i = start; i < after && *end != ']'; ++i)
            if (copy[i] != '\n') copy[i] = ' ';
    }
    return (tacSource){copy, source.size};
}

tacSource tac_source_check(tacReader* reader, tacSource source) {
    if (reader->result != TAC_OK) return source;
    if (source.size >= 3 && memcmp(source.text, "\xef\xbb\xbf", 3) == 0) {
        source.text += 3;
        source.size -= 3;
    }
    source = blank_unread(reader, source);

    // libxml2 compares each attribute of a tag with all others of it, so their number is limited
    // before; the number of "=" is an upper bound, as "<" cannot occur inside a tag
    int line = reader->lines + 1, in_tag = 0, equals = 0, only_blank = 1;
    for (size_t i = 0; i < source.size && reader->result == TAC_OK;) {
        unsigned char c = (unsigned char)source.text[i];
        size_t length = tac_utf8_length(source.text + i, source.size - i);
        if (length == 0 || !allowed_control(c)) fail_byte(reader, line, c);
        if (c == '\n') ++line;
        if (c == '<') {
            in_tag = i + 1 < source.size && starts_name((unsigned char)source.text[i + 1]);
            equals = 0;
        }
        if (c == '=' && in_tag && ++equals > TAC_MAX_ATTRIBUTES)
            tac_reader_fail(reader, TAC_ERROR_LIMIT, line, NULL,
                            "more than %d signs '=' in one tag, the most for attributes",
                            TAC_MAX_ATTRIBUTES);
        only_blank &= c <= ' ';
        i += length;
    }
    if (only_blank && reader->result == TAC_OK)
        tac_reader_fail(reader, TAC_ERROR_FILE, reader->lines ? reader->lines + 1 : 0, NULL,
                        "is empty; a scene starts with <mujoco>");
    return source;
}
