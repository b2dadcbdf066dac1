// The first frame is the picture itself (IDAT), the others are the smallest rectangles that changed
// (fdAT), transparent where they did not: that packs well. libpng compresses each rectangle as a
// picture of its own, of which only the data are kept.

#include "apng.h"

#ifdef TAC_HAVE_PNG

#include <png.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// part of a picture
typedef struct area {
    int x, y, width, height;
} area;

typedef struct bytes {
    unsigned char* data;
    size_t size, capacity;
} bytes;

struct cliApng {
    png_structp png;
    png_infop info;
    tacImage last; // frame
    int frames, rate;
    int added;             // frames
    unsigned int sequence; // number of the next chunk of a film
    bytes packed;          // last frame as a picture of its own
    unsigned char* row;    // red, green, blue and opacity (4 x width)
};

static unsigned char* put(unsigned char* at, unsigned int value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        *at++ = (unsigned char)(value >> shift);
    return at;
}

//---------------------------------- what changed ---------------------------------

static const unsigned char* row_of(const tacImage* image, int y) {
    return image->rgb + 3 * (size_t)image->width * (size_t)y;
}

static int same(const tacImage* a, const tacImage* b, int x, int y) {
    return memcmp(row_of(a, y) + 3 * x, row_of(b, y) + 3 * x, 3) == 0;
}

static int same_row(const tacImage* a, const tacImage* b, int y) {
    return memcmp(row_of(a, y), row_of(b, y), 3 * (size_t)a->width) == 0;
}

static int same_column(const tacImage* a, const tacImage* b, int x, int top, int bottom) {
    for (int y = top; y <= bottom; ++y)
        if (!same(a, b, x, y)) return 0;
    return 1;
}

// the smallest rectangle outside of which the pictures are equal; one pixel if they are equal
static area changed(const tacImage* a, const tacImage* b) {
    int top = 0, bottom = a->height - 1, left = 0, right = a->width - 1;
    while (top < bottom && same_row(a, b, top)) ++top;
    while (bottom > top && same_row(a, b, bottom)) --bottom;
    while (left < right && same_column(a, b, left, top, bottom)) ++left;
    while (right > left && same_column(a, b, right, top, bottom)) --right;
    return (area){left, top, right - left + 1, bottom - top + 1};
}

//---------------------------------- one frame ------------------------------------

static void set_header(png_structp png, png_infop info, int width, int height) {
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGBA,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
}

static void keep_bytes(png_structp png, png_bytep data, size_t size) {
    bytes* out = png_get_io_ptr(png);
    if (out->size + size > out->capacity) {
        size_t capacity = 2 * (out->size + size);
        unsigned char* grown = realloc(out->data, capacity);
        if (!grown) png_error(png, "out of memory");
        out->data = grown;
        out->capacity = capacity;
    }
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

static void keep_nothing(png_structp png) { (void)png; }

// part of a row, transparent where it is as in `last` (NULL: nowhere)
static void set_row(const tacImage* image, const tacImage* last, int x, int y, int width,
                    unsigned char* row) {
    memset(row, 0, 4 * (size_t)width);
    for (int i = 0; i < width; ++i) {
        if (last && same(image, last, x + i, y)) continue;
        memcpy(row + 4 * i, row_of(image, y) + 3 * (x + i), 3);
        row[4 * i + 3] = 255;
    }
}

// 0, or -1; libpng leaves by longjmp
static int pack(cliApng* film, const tacImage* image, area part) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return -1;
    }
    film->packed.size = 0;
    png_set_write_fn(png, &film->packed, keep_bytes, keep_nothing);
    set_header(png, info, part.width, part.height);
    png_write_info(png, info);
    for (int y = part.y; y < part.y + part.height; ++y) {
        set_row(image, &film->last, part.x, y, part.width, film->row);
        png_write_row(png, film->row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 0;
}

//---------------------------------- chunks ---------------------------------------

enum { FOREVER = 0, KEEP = 0, OVER = 1 }; // plays; what a frame leaves behind; how it is put on

static void write_film_control(cliApng* film) {
    unsigned char body[8];
    put(put(body, (unsigned int)film->frames, 4), FOREVER, 4);
    png_write_chunk(film->png, (png_const_bytep) "acTL", body, sizeof body);
}

static void write_frame_control(cliApng* film, area part) {
    unsigned char body[26], *at = put(body, film->sequence++, 4);
    at = put(put(at, (unsigned int)part.width, 4), (unsigned int)part.height, 4);
    at = put(put(at, (unsigned int)part.x, 4), (unsigned int)part.y, 4);
    at = put(put(at, 1, 2), (unsigned int)film->rate, 2); // seconds as a fraction
    put(put(at, KEEP, 1), OVER, 1);
    png_write_chunk(film->png, (png_const_bytep) "fcTL", body, sizeof body);
}

// IDAT chunks of the packed picture, numbered
static void write_frame_data(cliApng* film) {
    enum {
        SIGNATURE = 8,
        FRAME = 12
    }; // bytes; of a chunk around its body: length, name, check sum
    const bytes* from = &film->packed;
    for (size_t at = SIGNATURE; at + FRAME <= from->size;) {
        const unsigned char* chunk = from->data + at;
        size_t size = png_get_uint_32(chunk);
        if (memcmp(chunk + 4, "IDAT", 4) == 0) {
            unsigned char number[4];
            put(number, film->sequence++, 4);
            png_write_chunk_start(film->png, (png_const_bytep) "fdAT", (png_uint_32)size + 4);
            png_write_chunk_data(film->png, number, 4);
            png_write_chunk_data(film->png, chunk + 8, size);
            png_write_chunk_end(film->png);
        }
        at += FRAME + size;
    }
}

static void write_first(cliApng* film, const tacImage* image) {
    area whole = {0, 0, image->width, image->height};
    set_header(film->png, film->info, whole.width, whole.height);
    png_set_sRGB(film->png, film->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(film->png, film->info);
    write_film_control(film);
    write_frame_control(film, whole);
    for (int y = 0; y < image->height; ++y) {
        set_row(image, NULL, 0, y, image->width, film->row);
        png_write_row(film->png, film->row);
    }
}

//---------------------------------- film -----------------------------------------

cliApng* cli_apng_create(FILE* file, int width, int height, int frames, int rate) {
    cliApng* film = calloc(1, sizeof *film);
    if (!film) return NULL;
    film->frames = frames;
    film->rate = rate;
    film->last = (tacImage){width, height, malloc(3 * (size_t)width * (size_t)height)};
    film->row = malloc(4 * (size_t)width);
    film->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    film->info = film->png ? png_create_info_struct(film->png) : NULL;
    if (film->last.rgb && film->row && film->info) {
        png_init_io(film->png, file);
        return film;
    }
    cli_apng_destroy(film);
    return NULL;
}

int cli_apng_add(cliApng* film, const tacImage* image) {
    area part = {0};
    if (film->added) {
        part = changed(&film->last, image);
        if (pack(film, image, part) != 0) return -1;
    }
    if (setjmp(png_jmpbuf(film->png))) return -1;
    if (film->added) {
        write_frame_control(film, part);
        write_frame_data(film);
    } else {
        write_first(film, image);
    }
    memcpy(film->last.rgb, image->rgb, 3 * (size_t)image->width * (size_t)image->height);
    ++film->added;
    return 0;
}

static int end(cliApng* film) {
    if (film->added != film->frames || setjmp(png_jmpbuf(film->png))) return -1;
    png_write_end(film->png, film->info);
    return 0;
}

int cli_apng_destroy(cliApng* film) {
    if (!film) return 0;
    int code = end(film);
    png_destroy_write_struct(&film->png, &film->info);
    free(film->packed.data);
    free(film->last.rgb);
    free(film->row);
    free(film);
    return code;
}

#else

cliApng* cli_apng_create(FILE* file, int width, int height, int frames, int rate) {
    (void)file;
    (void)width;
    (void)height;
    (void)frames;
    (void)rate;
    return NULL;
}

int cli_apng_add(cliApng* film, const tacImage* image) {
    (void)film;
    (void)image;
    return -1;
}

int cli_apng_destroy(cliApng* film) {
    (void)film;
    return 0;
}

#endif
