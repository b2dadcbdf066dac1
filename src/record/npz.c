// Zip archives without compression: each member after its own header, the list of all at the
// end, lengths and check sums in both.

#include "record/npz.h"

#include "base/assert.h"
#include "base/message.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define LOCAL     0x04034b50u
#define DIRECTORY 0x02014b50u
#define END       0x06054b50u

enum { LOCAL_SIZE = 30, DIRECTORY_SIZE = 46, END_SIZE = 22 };

// the first day that the format can name: equal contents are equal bytes
#define DATE 0x21u

//---------------------------------- check sums -----------------------------------

// CRC-32 of the polynomial 0xedb88320, eight bits at a time
static void crc_table(uint32_t table[256]) {
    for (uint32_t i = 0; i < 256; ++i) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit) c = c >> 1 ^ (c & 1 ? 0xedb88320u : 0);
        table[i] = c;
    }
}

static uint32_t crc_add(const uint32_t table[256], uint32_t crc, const void* data, size_t size) {
    const unsigned char* bytes = data;
    crc = ~crc;
    for (size_t i = 0; i < size; ++i) crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8;
    return ~crc;
}

//---------------------------------- writing --------------------------------------

typedef struct zipEntry {
    char name[64];
    uint32_t crc, size, offset;
} zipEntry;

static unsigned char* put_little_endian(unsigned char* at, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) *at++ = (unsigned char)(value >> 8 * i);
    return at;
}

// fields of a member in both headers: version, flags, method, time, date, crc, sizes, name, extra
static unsigned char* put_entry(unsigned char* at, const zipEntry* entry) {
    at = put_little_endian(at, 20, 2);
    at = put_little_endian(at, 0, 2);
    at = put_little_endian(at, 0, 2);
    at = put_little_endian(at, 0, 2);
    at = put_little_endian(at, DATE, 2);
    at = put_little_endian(at, entry->crc, 4);
    at = put_little_endian(at, entry->size, 4);
    at = put_little_endian(at, entry->size, 4);
    return put_little_endian(put_little_endian(at, (uint32_t)strlen(entry->name), 2), 0, 2);
}

static int put_bytes(FILE* file, const void* bytes, size_t size) {
    return size == 0 || fwrite(bytes, 1, size, file) == size ? 0 : -1;
}

static int write_member(const tacNpzMember* member, const uint32_t table[256], zipEntry* entry,
                        FILE* file) {
    char header[TAC_NPY_HEADER];
    unsigned char local[LOCAL_SIZE];
    size_t bytes = tac_npy_bytes(&member->array);
    tac_npy_header(&member->array, header);
    snprintf(entry->name, sizeof entry->name, "%s.npy", member->name);
    entry->size = (uint32_t)(bytes + sizeof header);
    entry->crc = crc_add(table, 0, header, sizeof header);
    entry->crc = crc_add(table, entry->crc, member->array.data, bytes);
    put_entry(put_little_endian(local, LOCAL, 4), entry);
    if (put_bytes(file, local, LOCAL_SIZE) || put_bytes(file, entry->name, strlen(entry->name)))
        return -1;
    return put_bytes(file, header, sizeof header) || put_bytes(file, member->array.data, bytes) ? -1
                                                                                                : 0;
}

static int write_directory(const zipEntry* entries, int count, uint32_t start, FILE* file) {
    unsigned char head[DIRECTORY_SIZE], end[END_SIZE] = {0};
    uint32_t size = 0;
    for (int i = 0; i < count; ++i) {
        memset(head, 0, sizeof head);
        put_entry(put_little_endian(put_little_endian(head, DIRECTORY, 4), 20, 2), &entries[i]);
        put_little_endian(head + 42, entries[i].offset, 4);
        size_t name = strlen(entries[i].name);
        if (put_bytes(file, head, sizeof head) || put_bytes(file, entries[i].name, name)) return -1;
        size += (uint32_t)(DIRECTORY_SIZE + name);
    }
    put_little_endian(end, END, 4);
    put_little_endian(put_little_endian(end + 8, (uint32_t)count, 2), (uint32_t)count, 2);
    put_little_endian(put_little_endian(end + 12, size, 4), start, 4);
    return put_bytes(file, end, sizeof end);
}

// do all lengths and offsets have 32 bits?
static int is_writable(const tacNpzMember* members, int count) {
    size_t sum = 0;
    for (int i = 0; i < count; ++i) {
        size_t bytes = tac_npy_bytes(&members[i].array);
        if (bytes > TAC_MAX_NPZ_BYTES) return 0;
        sum += bytes + 512;
    }
    return sum <= TAC_MAX_NPZ_BYTES;
}

int tac_npz_write(const tacNpzMember* members, int count, FILE* file) {
    uint32_t table[256], offset = 0;
    zipEntry entries[TAC_MAX_NPZ_MEMBERS];
    TAC_ASSERT(count <= TAC_MAX_NPZ_MEMBERS);
    if (!is_writable(members, count)) {
        errno = EFBIG;
        return -1;
    }
    crc_table(table);
    for (int i = 0; i < count; ++i) {
        entries[i].offset = offset;
        if (write_member(&members[i], table, &entries[i], file) != 0) return -1;
        offset += LOCAL_SIZE + (uint32_t)strlen(entries[i].name) + entries[i].size;
    }
    return write_directory(entries, count, offset, file);
}

//---------------------------------- reading --------------------------------------

static uint32_t get_little_endian(const unsigned char* at, int bytes) {
    uint32_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= (uint32_t)at[i] << 8 * i;
    return value;
}

static tacResult fail_broken(const tacNpz* npz, const char* problem) {
    return tac_fail(npz->message, TAC_ERROR_SYNTAX, npz->file, 0, NULL, "%s", problem);
}

tacResult tac_npz_open(tacNpz* npz) {
    // the end record comes last; at most a comment of 16 bits' length follows
    size_t at = npz->size < END_SIZE ? 0 : npz->size - END_SIZE + 1;
    size_t least = at > 0x10000 ? at - 0x10000 : 0;
    while (at > least)
        if (get_little_endian(npz->bytes + --at, 4) == END) {
            npz->count = (int)get_little_endian(npz->bytes + at + 10, 2);
            npz->directory = get_little_endian(npz->bytes + at + 16, 4);
            return TAC_OK;
        }
    return fail_broken(npz,
                       "is not an .npz file, or is cut off: the list of its arrays is missing");
}

// data after the member's own header, checked
static tacResult read_member(const tacNpz* npz, const unsigned char* head, const char* name,
                             tacNpy* out) {
    size_t offset = get_little_endian(head + 42, 4), size = get_little_endian(head + 24, 4);
    if (get_little_endian(head + 10, 2) != 0)
        return tac_fail(npz->message, TAC_ERROR_UNSUPPORTED, npz->file, 0, name,
                        "is compressed; write the file with numpy.savez");
    if (offset > npz->size || npz->size - offset < LOCAL_SIZE ||
        get_little_endian(npz->bytes + offset, 4) != LOCAL)
        return tac_fail(npz->message, TAC_ERROR_SYNTAX, npz->file, 0, name, "is cut off");
    size_t skip = LOCAL_SIZE + get_little_endian(npz->bytes + offset + 26, 2) +
                  get_little_endian(npz->bytes + offset + 28, 2);
    size_t left = npz->size - offset;
    if (skip > left || size > left - skip)
        return tac_fail(npz->message, TAC_ERROR_SYNTAX, npz->file, 0, name, "is cut off");
    const unsigned char* bytes = npz->bytes + offset + skip;
    uint32_t table[256];
    crc_table(table);
    if (crc_add(table, 0, bytes, size) != get_little_endian(head + 16, 4))
        return tac_fail(npz->message, TAC_ERROR_SYNTAX, npz->file, 0, name,
                        "is damaged: its check sum differs");
    const char* wrong = tac_npy_parse(bytes, size, out);
    return wrong ? tac_fail(npz->message, TAC_ERROR_SYNTAX, npz->file, 0, name, "%s", wrong)
                 : TAC_OK;
}

static int has_name(const unsigned char* head, size_t length, const char* name) {
    size_t own = strlen(name);
    return length == own + 4 && memcmp(head + DIRECTORY_SIZE, name, own) == 0 &&
           memcmp(head + DIRECTORY_SIZE + own, ".npy", 4) == 0;
}

tacResult tac_npz_find(const tacNpz* npz, const char* name, tacNpy* out) {
    size_t at = npz->directory;
    *out = (tacNpy){0};
    for (int i = 0; i < npz->count; ++i) {
        if (at > npz->size || npz->size - at < DIRECTORY_SIZE ||
            get_little_endian(npz->bytes + at, 4) != DIRECTORY)
            return fail_broken(npz, "is damaged: the list of its arrays is broken");
        const unsigned char* head = npz->bytes + at;
        size_t length = get_little_endian(head + 28, 2), left = npz->size - at - DIRECTORY_SIZE;
        if (length > left) return fail_broken(npz, "is damaged: the list of its arrays is broken");
        if (has_name(head, length, name)) return read_member(npz, head, name, out);
        at += DIRECTORY_SIZE + length + get_little_endian(head + 30, 2) +
              get_little_endian(head + 32, 2);
    }
    return TAC_OK;
}
