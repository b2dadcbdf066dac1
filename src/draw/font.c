// A small font of strokes.
//
// A glyph is a text of strokes with blanks between; a stroke is a row of points, two digits each: x
// to the right, y up, baseline 2, small letters up to 6, capitals up to 8. A stroke that starts
// with ~ is a quadratic B-spline with these control points; if it ends where it starts, it is
// closed.

#include "draw/font.h"

#include <ctype.h>
#include <string.h>

#define CURVE_SEGMENTS 6 // segments of each quadratic piece

typedef struct fontGlyph {
    char code;
    const char* strokes;
} fontGlyph;

static const fontGlyph glyphs[] = {
    {'0', "~0802424808"},
    {'1', "072822"},
    {'2', "~0608484602 0242"},
    {'3', "~0718484515 ~1545421203"},
    {'4', "32380444"},
    {'5', "480805 ~0546421203"},
    {'6', "~47280804 ~0602424606"},
    {'7', "084812"},
    {'8', "~0805454808 ~0502424505"},
    {'9', "~0804444808 ~46421203"},
    {'a', "~0602323606 3632"},
    {'b', "0802 ~0602323606"},
    {'c', "~353606023233"},
    {'d', "~0602323606 3832"},
    {'e', "0434 ~343606023233"},
    {'f', "~381816 1612 0626"},
    {'g', "~0602323606 3632 ~32301001"},
    {'h', "0802 ~04063634 3432"},
    {'i', "0602 0808"},
    {'j', "1611 ~111000 1818"},
    {'k', "0802 360432"},
    {'l', "0802"},
    {'m', "0602 ~04062624 2422 ~24264644 4442"},
    {'n', "0602 ~04063634 3432"},
    {'o', "~0602323606"},
    {'p', "0600 ~0602323606"},
    {'q', "3630 ~0602323606"},
    {'r', "0602 ~040626"},
    {'s', "~3536060434320203"},
    {'t', "1814 ~141232 0636"},
    {'u', "0604 ~04023234 3632"},
    {'v', "062246"},
    {'w', "0612263246"},
    {'x', "0632 3602"},
    {'y', "0622 4610"},
    {'z', "06360232"},
    {'.', "0202"},
    {',', "1201"},
    {':', "0303 0505"},
    {'-', "0535"},
    {'+', "0545 2327"},
    {'=', "0444 0646"},
    {'/', "0139"},
    {'|', "0901"},
    {'[', "19090111"},
    {']', "09191101"},
    {'(', "~19070311"},
    {')', "~09171301"},
    {'_', "0141"},
    {'\1', "~0602424606 2820"},
    {'\2', "08482208"},
    {'\3', "02284202"},
};

static const char unknown[] = "0305252303";

static const char* find_strokes(char code) {
    char small = (char)tolower((unsigned char)code);
    for (size_t i = 0; i < sizeof glyphs / sizeof glyphs[0]; ++i)
        if (glyphs[i].code == small) return glyphs[i].strokes;
    return code == ' ' ? "" : unknown;
}

//---------------------------------- strokes --------------------------------------

typedef struct fontPen {
    tacSegment* out;
    int count;
    double x, y;
} fontPen;

static void draw_to(fontPen* pen, double x, double y) {
    if (pen->count < TAC_FONT_LINES) pen->out[pen->count++] = (tacSegment){pen->x, pen->y, x, y};
    pen->x = x;
    pen->y = y;
}

static void curve_to(fontPen* pen, const double control[2], double x, double y) {
    double x0 = pen->x, y0 = pen->y;
    for (int i = 1; i <= CURVE_SEGMENTS; ++i) {
        double t = (double)i / CURVE_SEGMENTS, a = (1.0 - t) * (1.0 - t), b = 2.0 * t * (1.0 - t);
        draw_to(pen, a * x0 + b * control[0] + t * t * x, a * y0 + b * control[1] + t * t * y);
    }
}

static void draw_stroke(fontPen* pen, double p[][2], int n, int smooth) {
    pen->x = p[0][0];
    pen->y = p[0][1];
    if (!smooth) {
        for (int i = 1; i < n; ++i) draw_to(pen, p[i][0], p[i][1]);
        return;
    }
    int closed = p[0][0] == p[n - 1][0] && p[0][1] == p[n - 1][1];
    if (closed) {
        pen->x = 0.5 * (p[0][0] + p[1][0]);
        pen->y = 0.5 * (p[0][1] + p[1][1]);
    }
    for (int i = 1; i < n - 1; ++i) {
        int last = i == n - 2 && !closed;
        const double* next = p[i + 1];
        double x = last ? next[0] : 0.5 * (p[i][0] + next[0]);
        double y = last ? next[1] : 0.5 * (p[i][1] + next[1]);
        curve_to(pen, p[i], x, y);
    }
    if (closed) curve_to(pen, p[0], 0.5 * (p[0][0] + p[1][0]), 0.5 * (p[0][1] + p[1][1]));
}

int tac_font_glyph(char code, tacSegment out[TAC_FONT_LINES]) {
    fontPen pen = {.out = out};
    for (const char* at = find_strokes(code); *at; at += *at == ' ') {
        double points[16][2] = {{0}};
        int n = 0, smooth = *at == '~';
        for (at += smooth; *at && *at != ' '; at += 2, ++n) {
            points[n][0] = at[0] - '0';
            points[n][1] = at[1] - '0';
        }
        draw_stroke(&pen, points, n, smooth);
    }
    return pen.count;
}

//---------------------------------- widths ---------------------------------------

double tac_font_advance(char code) {
    int right = 0, column = 0;
    for (const char* at = find_strokes(code); *at; ++at) {
        if (*at == '~' || *at == ' ') continue;
        if (column == 0 && *at - '0' > right) right = *at - '0';
        column = !column;
    }
    return code == ' ' ? 3.0 : right + 2.0;
}

double tac_font_width(const char* text) {
    double width = 0.0;
    for (; *text; ++text) width += tac_font_advance(*text);
    return width > 0.0 ? width - 2.0 : 0.0;
}
