// The first frame is the picture itself (IDAT). The others are the smallest rectangles that changed
// (fdAT), transparent where they did not, which compresses well. libpng compresses each rectangle
// as a picture; only its data are kept.

#include "cli/io/apng.h"

#ifdef TAC_HAVE_PNG

#include <png.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// part of a picture
typedef struct pixelRect {
    int x, y, width, height;
} pixelRect;

typedef struct byteBuffer {
    unsigned char* data;
    size_t size, capacity;
} byteBuffer;

struct cliApng {
    png_structp png;
    png_infop info;
    tacImage last; // frame
    int frames, rate;
    int added;             // frames
    unsigned int sequence; // number of the next chunk
    byteBuffer packed;     // last frame as a picture of its own
    unsigned char* row;    // red, green, blue and opacity (4 x width)
};

static unsigned char* put_big_endian(unsigned char* at, unsigned int value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        *at++ = (unsigned char)(value >> shift);
    return at;
}

//---------------------------------- what changed ---------------------------------

static const unsigned char* image_row(const tacImage* image, int y) {
    return image->rgb + 3 * (size_t)image->width * (size_t)y;
}

static int same_pixel(const tacImage* a, const tacImage* b, int x, int y) {
    return memcmp(image_row(a, y) + 3 * x, image_row(b, y) + 3 * x, 3) == 0;
}

static int same_row(const tacImage* a, const tacImage* b, int y) {
    return memcmp(image_row(a, y), image_row(b, y), 3 * (size_t)a->width) == 0;
}

static int same_column(const tacImage* a, const tacImage* b, int x, int top, int bottom) {
    for (int y = top; y <= bottom; ++y)
        if (!same_pixel(a, b, x, y)) return 0;
    return 1;
}

// the smallest rectangle outside of which the pictures are equal; one pixel if they are equal
static pixelRect changed_rect(const tacImage* a, const tacImage* b) {
    int top = 0, bottom = a->height - 1, left = 0, right = a->width - 1;
    while (top < bottom && same_row(a, b, top)) ++top;
    while (bottom > top && same_row(a, b, bottom)) --bottom;
    while (left < right && same_column(a, b, left, top, bottom)) ++left;
    while (right > left && same_column(a, b, right, top, bottom)) --right;
    return (pixelRect){left, top, right - left + 1, bottom - top + 1};
}

//---------------------------------- one frame ------------------------------------

static void set_header(png_structp png, png_infop info, int width, int height) {
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGBA,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
}

static void append_bytes(png_structp png, png_bytep data, size_t size) {
    byteBuffer* out = png_get_io_ptr(png);
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

static void ignore_flush(png_structp png) { (void)png; }

// part of a row, transparent where it is as in `last` (NULL: nowhere)
static void set_row(const tacImage* image, const tacImage* last, int x, int y, int width,
                    unsigned char* row) {
    memset(row, 0, 4 * (size_t)width);
    for (int i = 0; i < width; ++i) {
        if (last && same_pixel(image, last, x + i, y)) continue;
        memcpy(row + 4 * i, image_row(image, y) + 3 * (x + i), 3);
        row[4 * i + 3] = 255;
    }
}

// 0, or -1; libpng leaves by longjmp
static int compress_rect(cliApng* animation, const tacImage* image, pixelRect part) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return -1;
    }
    animation->packed.size = 0;
    png_set_write_fn(png, &animation->packed, append_bytes, ignore_flush);
    set_header(png, info, part.width, part.height);
    png_write_info(png, info);
    for (int y = part.y; y < part.y + part.height; ++y) {
        set_row(image, &animation->last, part.x, y, part.width, animation->row);
        png_write_row(png, animation->row);
    }
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 0;
}

//---------------------------------- chunks ---------------------------------------

enum { FOREVER = 0, KEEP = 0, OVER = 1 }; // plays; what a frame leaves behind; how it is put on

static void write_animation_control(cliApng* animation) {
    unsigned char body[8];
    put_big_endian(put_big_endian(body, (unsigned int)animation->frames, 4), FOREVER, 4);
    png_write_chunk(animation->png, (png_const_bytep) "acTL", body, sizeof body);
}

static void write_frame_control(cliApng* animation, pixelRect part) {
    unsigned char body[26], *at = put_big_endian(body, animation->sequence++, 4);
    at = put_big_endian(put_big_endian(at, (unsigned int)part.width, 4), (unsigned int)part.height,
                        4);
    at = put_big_endian(put_big_endian(at, (unsigned int)part.x, 4), (unsigned int)part.y, 4);
    at = put_big_endian(put_big_endian(at, 1, 2), (unsigned int)animation->rate,
                        2); // seconds as a fraction
    put_big_endian(put_big_endian(at, KEEP, 1), OVER, 1);
    png_write_chunk(animation->png, (png_const_bytep) "fcTL", body, sizeof body);
}

// IDAT chunks of the packed picture, numbered
static void write_frame_data(cliApng* animation) {
    enum {
        SIGNATURE = 8,
        FRAME = 12
    }; // bytes; of a chunk around its body: length, name, check sum
    const byteBuffer* from = &animation->packed;
    for (size_t at = SIGNATURE; at + FRAME <= from->size;) {
        const unsigned char* chunk = from->data + at;
        size_t size = png_get_uint_32(chunk);
        if (memcmp(chunk + 4, "IDAT", 4) == 0) {
            unsigned char number[4];
            put_big_endian(number, animation->sequence++, 4);
            png_write_chunk_start(animation->png, (png_const_bytep) "fdAT", (png_uint_32)size + 4);
            png_write_chunk_data(animation->png, number, 4);
            png_write_chunk_data(animation->png, chunk + 8, size);
            png_write_chunk_end(animation->png);
        }
        at += FRAME + size;
    }
}

static void write_first(cliApng* animation, const tacImage* image) {
    pixelRect whole = {0, 0, image->width, image->height};
    set_header(animation->png, animation->info, whole.width, whole.height);
    png_set_sRGB(animation->png, animation->info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(animation->png, animation->info);
    write_animation_control(animation);
    write_frame_control(animation, whole);
    for (int y = 0; y < image->height; ++y) {
        set_row(image, NULL, 0, y, image->width, animation->row);
        png_write_row(animation->png, animation->row);
    }
}

//---------------------------------- film -----------------------------------------

cliApng* cli_apng_create(FILE* file, int width, int height, int frames, int rate) {
    cliApng* animation = calloc(1, sizeof *animation);
    if (!animation) return NULL;
    animation->frames = frames;
    animation->rate = rate;
    animation->last = (tacImage){width, height, malloc(3 * (size_t)width * (size_t)height)};
    animation->row = malloc(4 * (size_t)width);
    animation->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    animation->info = animation->png ? png_create_info_struct(animation->png) : NULL;
    if (animation->last.rgb && animation->row && animation->info) {
        png_init_io(animation->png, file);
        return animation;
    }
    cli_apng_destroy(animation);
    return NULL;
}

int cli_apng_add(cliApng* animation, const tacImage* image) {
    pixelRect part = {0};
    if (animation->added) {
        part = changed_rect(&animation->last, image);
        if (compress_rect(animation, image, part) != 0) return -1;
    }
    if (setjmp(png_jmpbuf(animation->png))) return -1;
    if (animation->added) {
        write_frame_control(animation, part);
        write_frame_data(animation);
    } else {
        write_first(animation, image);
    }
    memcpy(animation->last.rgb, image->rgb, 3 * (size_t)image->width * (size_t)image->height);
    ++animation->added;
    return 0;
}

static int finish_file(cliApng* animation) {
    if (animation->added != animation->frames || setjmp(png_jmpbuf(animation->png))) return -1;
    png_write_end(animation->png, animation->info);
    return 0;
}

int cli_apng_destroy(cliApng* animation) {
    if (!animation) return 0;
    int code = finish_file(animation);
    png_destroy_write_struct(&animation->png, &animation->info);
    free(animation->packed.data);
    free(animation->last.rgb);
    free(animation->row);
    free(animation);
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

int cli_apng_add(cliApng* animation, const tacImage* image) {
    (void)animation;
    (void)image;
    return -1;
}

int cli_apng_destroy(cliApng* animation) {
    (void)animation;
    return 0;
}

#endif
