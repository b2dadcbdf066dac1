// A picture: rows from the top, three bytes (sRGB) per pixel, no padding.

#ifndef TAC_DRAW_IMAGE_H
#define TAC_DRAW_IMAGE_H

typedef struct tacImage {
    int width, height;
    unsigned char* rgb; // (3 width height)
} tacImage;

#endif
