// Queries of the public benchmark of continuous collision detection: 8 rows a query, coordinates
// as fractions, the truth in the last column.

#ifndef TACTUS_TEST_CCD_FILE_H
#define TACTUS_TEST_CCD_FILE_H

#include <stdio.h>
#include <stdlib.h>

typedef struct ccdQuery {
    double start[12], end[12]; // four points each
    int truth;
} ccdQuery;

// denominators are powers of two, and every coordinate is exactly a double
static int ccd_row(FILE* file, double x[3], int* truth) {
    char number[6][80];
    if (fscanf(file, " %79[^,],%79[^,],%79[^,],%79[^,],%79[^,],%79[^,],%d", number[0], number[1],
               number[2], number[3], number[4], number[5], truth) != 7) {
        return 0;
    }
    for (int k = 0; k < 3; ++k)
        x[k] = strtod(number[2 * k], NULL) / strtod(number[2 * k + 1], NULL);
    return 1;
}

static int ccd_read(FILE* file, ccdQuery* query) {
    for (int i = 0; i < 8; ++i) {
        if (!ccd_row(file, i < 4 ? query->start + 3 * i : query->end + 3 * (i - 4), &query->truth))
            return 0;
    }
    return 1;
}

#endif
