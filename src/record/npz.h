// Named arrays in one file, as numpy.savez writes them: a zip archive without compression.

#ifndef TAC_RECORD_NPZ_H
#define TAC_RECORD_NPZ_H

#include "record/npy.h"

#include <stdio.h>

typedef struct tacNpzMember {
    const char* name; // without .npy, at most 60 bytes
    tacNpy array;
} tacNpzMember;

// the archive's lengths have 32 bits
#define TAC_MAX_NPZ_BYTES   4000000000u
#define TAC_MAX_NPZ_MEMBERS 64

// Writes all of them; the same members give the same bytes. 0, or -1 if the file is not whole, with
// errno EFBIG if they are too large.
int tac_npz_write(const tacNpzMember* members, int count, FILE* file);

// an archive in memory that stays the caller's
typedef struct tacNpz {
    const unsigned char* bytes;
    size_t size;
    const char* file;    // for messages
    tacMessage* message; // NULL to skip
    size_t directory;    // where the list of members starts
    int count;           // members
} tacNpz;

// `npz` comes with bytes, size, file and message.
tacResult tac_npz_open(tacNpz* npz);

// The array of this name. TAC_ERROR_SYNTAX with a message if the archive is broken; where there is
// none, TAC_OK with out->data NULL.
tacResult tac_npz_find(const tacNpz* npz, const char* name, tacNpy* out);

#endif
