// A small font of strokes: digits, lower-case letters and signs for scales, at any size.

#ifndef TAC_DRAW_FONT_H
#define TAC_DRAW_FONT_H

// Lengths are in units of the font: capitals are 6 high, the baseline is at y = 2, y goes up.
#define TAC_FONT_BASE  2.0
#define TAC_FONT_UPPER 8.0
#define TAC_FONT_LINES 160 // segments of a glyph at most

// codes of signs that ASCII does not have
#define TAC_GLYPH_PHI   "\1"
#define TAC_GLYPH_NABLA "\2"
#define TAC_GLYPH_DELTA "\3"

typedef struct tacSegment {
    double x0, y0, x1, y1;
} tacSegment;

// Segments of a glyph, with its left edge at x = 0; returns how many. Capitals look like small
// letters; unknown characters are a small square.
int tac_font_glyph(char code, tacSegment out[TAC_FONT_LINES]);

// from one glyph to the next
double tac_font_advance(char code);
double tac_font_width(const char* text);

#endif
