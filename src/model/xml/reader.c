// Sticky failure, memory, growing arrays and names of the scene reader.

#include "model/xml/reader.h"

#include "base/assert.h"
#include "base/message.h"
#include "model/xml/old_names.h"
#include "model/xml/source.h"

#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

//---------------------------------- failure --------------------------------------

// text from a scene may contain line breaks, or be cut inside a character
static void make_printable(char* text) {
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        size_t bytes = tac_utf8_length(text + i, length - i);
        if (bytes == 0 || (unsigned char)text[i] < 0x20 || text[i] == 0x7f) {
            text[i] = '?';
            bytes = 1;
        }
        i += bytes;
    }
}

tacSceneFile tac_reader_locate(const tacReader* reader, int* line) {
    tacSceneFile found = {reader->file, 0};
    for (int i = 0; i < reader->file_count && reader->files[i].before < *line; ++i)
        found = reader->files[i];
    *line -= found.before;
    return found;
}

void tac_reader_fail(tacReader* reader, tacResult result, int line, const char* attribute,
                     const char* format, ...) {
    if (reader->result != TAC_OK) return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    make_printable(text);
    const char* name = line > 0 ? tac_attribute_in_file(reader, attribute, line) : attribute;
    const char* file = tac_reader_locate(reader, &line).path;
    reader->result = tac_fail(reader->message, result, file, line, name,
                              name == attribute ? "%s" : "(now '%s') %s",
                              name == attribute ? text : attribute, text);
}

// the last bytes are kept for the number of those that do not fit
enum { MORE_SIZE = 32 };

void tac_reader_warn(tacReader* reader, const char* format, ...) {
    if (!reader->message || reader->result != TAC_OK) return;
    char added[1024], *text = reader->message->text;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(added, sizeof added, format, arguments);
    va_end(arguments);
    make_printable(added);
    size_t used = reader->warning_bytes, need = strlen(added) + (used ? 2 : 0);
    if (reader->warnings_left_out == 0 && used + need + MORE_SIZE <= sizeof reader->message->text) {
        memcpy(text + used, used ? "; " : "", used ? 3 : 1);
        memcpy(text + used + (used ? 2 : 0), added, strlen(added) + 1);
        reader->warning_bytes = used + need;
    } else {
        snprintf(text + used, MORE_SIZE, "; and %d more", ++reader->warnings_left_out);
    }
}

int tac_reader_has_warning(const tacReader* reader) {
    return reader->message && *reader->message->text;
}

//---------------------------------- memory ---------------------------------------

struct tacChunk {
    tacChunk* next;
    size_t size, used; // with this header
};

#define CHUNK_SIZE ((size_t)1 << 16)

void tac_reader_close(tacReader* reader) {
    while (reader->chunks) {
        tacChunk* chunk = reader->chunks;
        reader->chunks = chunk->next;
        reader->allocator.release(reader->allocator.user, chunk);
    }
}

static tacChunk* add_chunk(tacReader* reader, size_t need) {
    size_t size = need > CHUNK_SIZE / 2 ? need + sizeof(tacChunk) : CHUNK_SIZE;
    if (need > TAC_MAX_LOAD_BYTES || size > TAC_MAX_LOAD_BYTES - reader->allocated) {
        tac_reader_fail(reader, TAC_ERROR_LIMIT, 0, NULL,
                        "reading this scene takes more than %d MiB of memory; split it",
                        TAC_MAX_LOAD_BYTES >> 20);
        return NULL;
    }
    tacChunk* chunk = reader->allocator.allocate(reader->allocator.user, size);
    if (!chunk) {
        tac_reader_fail(reader, TAC_ERROR_MEMORY, 0, NULL, "out of memory");
        return NULL;
    }
    *chunk = (tacChunk){reader->chunks, size, sizeof(tacChunk)};
    reader->chunks = chunk;
    reader->allocated += size;
    return chunk;
}

void* tac_reader_alloc(tacReader* reader, size_t size) {
    if (reader->result != TAC_OK) return NULL;
    size_t need = (size + 15) & ~(size_t)15;
    tacChunk* chunk = reader->chunks;
    if (!chunk || need > chunk->size - chunk->used) chunk = add_chunk(reader, need);
    if (!chunk) return NULL;
    char* block = (char*)chunk + chunk->used;
    chunk->used += need;
    return memset(block, 0, need);
}

const char* tac_reader_text(tacReader* reader, const char* format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char* text = length < 0 ? NULL : tac_reader_alloc(reader, (size_t)length + 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

//---------------------------------- growing arrays -------------------------------

void* tac_list_add(tacReader* reader, tacList* list, size_t item_size) {
    if (list->count == list->capacity) {
        // capacity stays far below INT_MAX: TAC_MAX_LOAD_BYTES is reached first
        int capacity = list->capacity ? 2 * list->capacity : 16;
        void* items = tac_reader_alloc(reader, item_size * (size_t)capacity);
        if (!items) return NULL;
        if (list->count) memcpy(items, list->items, item_size * (size_t)list->count);
        list->items = items;
        list->capacity = capacity;
    }
    if (reader->result != TAC_OK) return NULL;
    return (char*)list->items + item_size * (size_t)list->count++;
}

void tac_list_append(tacReader* reader, tacList* list, const void* items, int count,
                     size_t item_size) {
    for (int i = 0; i < count; ++i) {
        void* to = tac_list_add(reader, list, item_size);
        if (!to) return;
        memcpy(to, (const char*)items + (size_t)i * item_size, item_size);
    }
}

void tac_reader_add_file(tacReader* reader, const char* path) {
    tacList list = {reader->files, reader->file_count, reader->file_capacity};
    tacSceneFile* file = tac_list_add(reader, &list, sizeof *file);
    if (!file) return;
    *file = (tacSceneFile){path, reader->lines};
    reader->files = list.items;
    reader->file_count = list.count;
    reader->file_capacity = list.capacity;
}

void tac_reader_add_opened(tacReader* reader, const char* path) {
    tacList list = {reader->opened, reader->opened_count, reader->opened_capacity};
    const char** opened = tac_list_add(reader, &list, sizeof *opened);
    if (!opened) return;
    *opened = path;
    reader->opened = list.items;
    reader->opened_count = list.count;
    reader->opened_capacity = list.capacity;
}

//---------------------------------- names ----------------------------------------

static uint64_t hash_text(uint64_t hash, const char* text) {
    for (; *text; ++text) hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
    return (hash ^ 0xff) * 0x100000001b3ull;
}

// the entry of this name, or the free slot for it
static tacNameEntry* find_slot(const tacNames* names, const char* kind, const char* name) {
    uint64_t hash = hash_text(hash_text(0xcbf29ce484222325ull, kind), name);
    size_t mask = (size_t)names->capacity - 1;
    for (size_t i = (size_t)(hash ^ hash >> 29) & mask;; i = (i + 1) & mask) {
        tacNameEntry* entry = &names->entries[i];
        if (!entry->name || (strcmp(entry->name, name) == 0 && strcmp(entry->kind, kind) == 0))
            return entry;
    }
}

const tacNameEntry* tac_names_find(const tacNames* names, const char* kind, const char* name) {
    if (names->capacity == 0) return NULL;
    const tacNameEntry* entry = find_slot(names, kind, name);
    return entry->name ? entry : NULL;
}

static void grow_names(tacReader* reader, tacNames* names) {
    tacNames bigger = {.count = names->count,
                       .capacity = names->capacity ? 2 * names->capacity : 64};
    bigger.entries = tac_reader_alloc(reader, sizeof(tacNameEntry) * (size_t)bigger.capacity);
    if (!bigger.entries) return;
    for (int i = 0; i < names->capacity; ++i) {
        const tacNameEntry* entry = &names->entries[i];
        if (entry->name) *find_slot(&bigger, entry->kind, entry->name) = *entry;
    }
    *names = bigger;
}

static void fail_duplicate_name(tacReader* reader, tacNameEntry entry, int first) {
    int here = entry.line;
    const char* file = tac_reader_locate(reader, &here).path;
    const char* other = tac_reader_locate(reader, &first).path;
    int same = strcmp(file, other) == 0;
    tac_reader_fail(reader, TAC_ERROR_VALUE, entry.line,
                    strcmp(entry.kind, "default") == 0 ? "class" : "name",
                    "the name '%.60s' is already used in %.60s%sline %d; choose another",
                    entry.name, same ? "" : other, same ? "" : " ", first);
}

void tac_names_add(tacReader* reader, tacNames* names, tacNameEntry entry) {
    if (2 * names->count >= names->capacity) grow_names(reader, names);
    if (reader->result != TAC_OK) return;
    tacNameEntry* found = find_slot(names, entry.kind, entry.name);
    if (found->name && found->line)
        fail_duplicate_name(reader, entry, found->line);
    else if (found->name)
        tac_reader_fail(reader, TAC_ERROR_VALUE, entry.line, "name",
                        "the name '%.60s' is reserved; choose another", entry.name);
    else {
        *found = entry;
        ++names->count;
    }
}
