// Pictures as files.

#include "cli/io/image_file.h"
#include "cli/io/output.h"

#include "cli/report.h"

#include <string.h>

#ifdef TAC_HAVE_PNG
#include <png.h>
#endif

//---------------------------------- formats --------------------------------------

static int have_png(void) {
#ifdef TAC_HAVE_PNG
    return 1;
#else
    return 0;
#endif
}

int cli_image_format(const char* command, const char* path, cliImageFormat* out) {
    int standard = strcmp(path, "-") == 0;
    if (cli_has_extension(path, ".ppm") || (standard && !have_png())) {
        *out = CLI_PPM;
        return 0;
    }
    if (!standard && !cli_has_extension(path, ".png"))
        return cli_error(command, "'%s' is neither .png nor .ppm; give the file such a name", path);
    if (!have_png())
        return cli_error(command,
                         "'%s': this build has no libpng; install libpng-dev and build again, or "
                         "write a .ppm file",
                         path);
    *out = CLI_PNG;
    return 0;
}

//---------------------------------- PPM ------------------------------------------

static int write_ppm(const tacImage* image, FILE* file) {
    size_t size = 3 * (size_t)image->width * (size_t)image->height;
    if (fprintf(file, "P6\n%d %d\n255\n", image->width, image->height) < 0) return -1;
    return fwrite(image->rgb, 1, size, file) == size ? 0 : -1;
}

//---------------------------------- PNG ------------------------------------------

#ifdef TAC_HAVE_PNG

// libpng leaves by longjmp, so nothing here may need cleaning up but `png` and `info`
static int write_png(const tacImage* image, FILE* file) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return -1;
    }
    png_init_io(png, file);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < image->height; ++y)
        png_write_row(png, image->rgb + 3 * (size_t)image->width * (size_t)y);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return 0;
}

#else

static int write_png(const tacImage* image, FILE* file) {
    (void)image;
    (void)file;
    return -1;
}

#endif

int cli_image_write(const tacImage* image, cliImageFormat format, FILE* file) {
    return format == CLI_PNG ? write_png(image, file) : write_ppm(image, file);
}
