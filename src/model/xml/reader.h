// Shared by all scene readers: the first failure, warnings, and memory that lives as long as
// the reading does.
//
// Failure is sticky: once something is wrong, later calls do nothing and return neutral values, so
// a reader reads attribute after attribute and checks `result` once. The first message wins.

#ifndef TAC_MODEL_XML_READER_H
#define TAC_MODEL_XML_READER_H

#include "tactus/model.h"

typedef struct tacChunk tacChunk;

// A file of the scene. Lines are counted through all files in the order of reading, so
// that one number is a position in any of them.
typedef struct tacSceneFile {
    const char* path;
    int before; // lines before its first
} tacSceneFile;

// rows of old_names.c
enum { TAC_OLD_NAMES = 16 };

typedef struct tacReader {
    const char* file;    // as the caller named it
    tacMessage* message; // NULL to skip
    tacResult result;    // TAC_OK until the first failure
    tacAllocator allocator;
    tacChunk* chunks; // newest first
    size_t allocated; // bytes allocated, at most TAC_MAX_LOAD_BYTES

    tacSceneFile* files; // included files, in the order of reading
    int file_count, file_capacity;
    int file_first;       // of the model that is being read: its first in files
    const char* document; // file of that model
    int lines, elements;  // of all files so far
    const char** opened;  // all files that were read or named, meshes and textures too
    int opened_count, opened_capacity;
    int searches;           // of replicate.c
    int is_urdf;            // messages speak of links
    size_t warning_bytes;   // of the message, before "and N more"
    int warnings_left_out;  // that had no place in it
    const char* stray_text; // of a URDF, NULL: none
    int stray_line;
    int old_name_line[TAC_OLD_NAMES]; // where each old name was first used, 0: nowhere
} tacReader;

// frees all memory of the reader
void tac_reader_close(tacReader* reader);

// a file whose lines come after all others
void tac_reader_add_file(tacReader* reader, const char* path);

// registers a file that was read, of the scene or a mesh; `path` lives as long as the reader
void tac_reader_add_opened(tacReader* reader, const char* path);

// the file of a line; `line` becomes the number in that file
tacSceneFile tac_reader_locate(const tacReader* reader, int* line);

// Keeps the first failure. `attribute` may be NULL. Unprintable bytes become '?'.
void tac_reader_fail(tacReader* reader, tacResult result, int line, const char* attribute,
                     const char* format, ...) __attribute__((format(printf, 5, 6)));

// Adds a warning to the message, after those that stand there; it stays if the scene loads. What
// does not fit is cut, and ends in "...".
void tac_reader_warn(tacReader* reader, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// is there a warning already? Where one of a kind is enough, only the first is given.
int tac_reader_has_warning(const tacReader* reader);

// cleared memory until tac_reader_close, or NULL after a failure
void* tac_reader_alloc(tacReader* reader, size_t size);

// formatted text until tac_reader_close, or NULL after a failure
const char* tac_reader_text(tacReader* reader, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

//---------------------------------- growing arrays -------------------------------

typedef struct tacList {
    void* items;
    int count, capacity;
} tacList;

// a cleared item at the end, or NULL after a failure; earlier items may move
void* tac_list_add(tacReader* reader, tacList* list, size_t item_size);

// `count` items from an array to the end
void tac_list_append(tacReader* reader, tacList* list, const void* items, int count,
                     size_t item_size);

//---------------------------------- names ----------------------------------------

typedef struct tacNameEntry {
    const char *kind, *name;
    int index; // of the named item
    int line;  // of the name
} tacNameEntry;

// (kind, name) -> entry, as a hash table with open addressing
typedef struct tacNames {
    tacNameEntry* entries;
    int count, capacity;
} tacNames;

const tacNameEntry* tac_names_find(const tacNames* names, const char* kind, const char* name);

// a duplicate name is a failure whose message gives the line of the first
void tac_names_add(tacReader* reader, tacNames* names, tacNameEntry entry);

#endif
