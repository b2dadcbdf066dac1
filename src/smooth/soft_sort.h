// One row of SoftSort, shared by soft_sort.c and its derivatives.

#ifndef TAC_SMOOTH_SOFT_SORT_H
#define TAC_SMOOTH_SOFT_SORT_H

#include "smooth/soft_array.inl"
#include "tactus/smooth.h"

// a row's centre: the entry of rank k, and the scores after tie-breaking
typedef struct softRow {
    const tacReal* y;
    int n, center, power;
    tacReal tau;
} softRow;

// y_center - y_j, and the side it counts for: +1 if j ranks after the center (ties by index)
TAC_INLINE tacReal soft_row_gap(const softRow* r, int j) { return r->y[r->center] - r->y[j]; }
TAC_INLINE double soft_row_side(const softRow* r, int j) {
    double gap = tac_re(soft_row_gap(r, j));
    return gap > 0.0 || (gap == 0.0 && j > r->center) ? 1.0 : -1.0;
}

// -|gap|^power / tau, held within the cutoff
TAC_INLINE tacReal soft_row_exponent(const softRow* r, int j) {
    tacReal gap = soft_row_gap(r, j), ratio = gap / r->tau;
    return soft_exponent(r->power == 1 ? -soft_row_side(r, j) * ratio : -(ratio * gap));
}

// d exponent / d gap * tau
TAC_INLINE tacReal soft_row_slope(const softRow* r, int j) {
    return r->power == 1 ? (tacReal)-soft_row_side(r, j) : -2.0 * soft_row_gap(r, j);
}

// checks, scores after tie-breaking in work[0..n), hard order; rows are then built in work[n..2n)
tacResult tac_soft_sort_start(const tacSoftSort* sort, softRow* row);

// weights of the row: sum to 1
void tac_soft_sort_row(const softRow* row, tacReal* weights);

// how score j moves down by tie-breaking as tau grows: d (offset_j) / d tau
tacReal tac_soft_sort_offset_rate(const tacSoftSort* sort, int j);

#endif
