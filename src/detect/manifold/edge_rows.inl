// Rows of 16-bit numbers: edges and blocks of eight as they are placed on a lattice, and the two
// single-precision tests of the search for edges that touch, boxes and the faces beside.
//
//   tacQuantizedEdges, boxes of blocks --placing, cells--> rows --eight at once--> bits of those
//   that may touch
//
// Every function is the same in all instruction sets, to the bit.

#ifndef TAC_DETECT_MANIFOLD_EDGE_ROWS_INL
#define TAC_DETECT_MANIFOLD_EDGE_ROWS_INL

#include "detect/manifold/edge_search_kernels.h"
#include "math/wide_float.inl"

#include <string.h>

//---------------------------------- vectors --------------------------------------

// builds of one lane take what compilers make of plain C: it is tested there
#if TAC_LANES > 1 && defined(__SSE2__)
#define SHORTS_SSE2
#endif

#if defined(__AVX2__)
#define SHORTS 16
#else
#define SHORTS 8
#endif
enum { EIGHT = TAC_FEATURE_BLOCK, ROW = 2 * EIGHT };

typedef int16_t shorts __attribute__((vector_size(2 * SHORTS)));
typedef int32_t shortPairs __attribute__((vector_size(2 * SHORTS)));

TAC_INLINE shorts shorts_load(const int16_t* p) {
    shorts x;
    memcpy(&x, p, sizeof x);
    return x;
}

TAC_INLINE shorts shorts_set(int16_t x) { return x - (shorts){0}; }

// two numbers, again and again
TAC_INLINE shorts shorts_broadcast(const int16_t* p) {
    int32_t x;
    memcpy(&x, p, sizeof x);
    return (shorts)(x - (shortPairs){0});
}

#if defined(__AVX2__)
#define SHORTS_CALL(name) _mm256_##name
typedef __m256i shortsCall;
#elif defined(SHORTS_SSE2)
#define SHORTS_CALL(name) _mm_##name
typedef __m128i shortsCall;
#endif

#if defined(SHORTS_SSE2)
TAC_INLINE shorts shorts_max(shorts a, shorts b) {
    return (shorts)SHORTS_CALL(max_epi16)((shortsCall)a, (shortsCall)b);
}
TAC_INLINE shorts shorts_min(shorts a, shorts b) {
    return (shorts)SHORTS_CALL(min_epi16)((shortsCall)a, (shortsCall)b);
}
// below 0 where a < b: numbers stop at their ends
TAC_INLINE shorts shorts_minus(shorts a, shorts b) {
    return (shorts)SHORTS_CALL(subs_epi16)((shortsCall)a, (shortsCall)b);
}
// products by 2^-16, downward
TAC_INLINE shorts shorts_product(shorts a, shorts b) {
    return (shorts)SHORTS_CALL(mulhi_epi16)((shortsCall)a, (shortsCall)b);
}
#else
TAC_INLINE shorts shorts_max(shorts a, shorts b) {
    shorts larger = a > b;
    return (larger & a) | (~larger & b);
}
TAC_INLINE shorts shorts_min(shorts a, shorts b) { return ~shorts_max(~a, ~b); }
TAC_INLINE shorts shorts_minus(shorts a, shorts b) { return a < b; }
TAC_INLINE shorts shorts_product(shorts a, shorts b) {
    for (int i = 0; i < SHORTS; ++i) a[i] = (int16_t)((int32_t)a[i] * b[i] >> 16);
    return a;
}
#endif

// bit i: none of both numbers i is below 0
TAC_INLINE unsigned shorts_bits(shorts x) {
#if TAC_LANES == 8
    return _mm256_testn_epi32_mask((__m256i)x, _mm256_set1_epi16(INT16_MIN));
#elif defined(SHORTS_SSE2)
    shortsCall either = (shortsCall)((shortPairs)x | (shortPairs)x << 16);
#if SHORTS == 16
    return ~(unsigned)_mm256_movemask_ps((__m256)either) & 255u;
#else
    return ~(unsigned)_mm_movemask_ps((__m128)either) & 15u;
#endif
#else
    unsigned bits = 0;
    for (int i = 0; i < SHORTS / 2; ++i)
        bits |= (unsigned)(x[2 * i] >= 0 && x[2 * i + 1] >= 0) << i;
    return bits;
#endif
}

//---------------------------------- boxes ----------------------------------------

#if SHORTS == 16
// as vectors of two are packed into bytes: 0 2, 1 3, 4 6, 5 7
#define BROADCAST_FIRST(v) ((v) / 2 * 4 + (v) % 2)
#define BROADCAST_LAST(v)  (BROADCAST_FIRST(v) + 2)
#endif

// each of eight numbers eight times
TAC_INLINE void broadcast_row(const int16_t* row, int16_t* out) {
#if SHORTS == 16
    __m256i x = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)row));
    for (int v = 0; v < 4; ++v) {
        __m256i at =
            _mm256_set_m128i(_mm_set1_epi16((int16_t)(0x100 + 0x202 * BROADCAST_LAST(v))),
                             _mm_set1_epi16((int16_t)(0x100 + 0x202 * BROADCAST_FIRST(v))));
        _mm256_storeu_si256((__m256i*)&out[v * SHORTS], _mm256_shuffle_epi8(x, at));
    }
#else
    for (int i = 0; i < EIGHT; ++i) {
        shorts x = shorts_set(row[i]);
        memcpy(&out[i * EIGHT], &x, sizeof x);
    }
#endif
}

// eight numbers, in all of a vector
TAC_INLINE shorts shorts_eight(const int16_t* p) {
#if SHORTS == 16
    return (shorts)_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i*)p));
#else
    return shorts_load(p);
#endif
}

// bits of numbers below 0 of two vectors, in the order of what is spread
TAC_INLINE uint64_t negative_bits(shorts a, shorts b) {
#if SHORTS == 16
    return (unsigned)_mm256_movemask_epi8(_mm256_packs_epi16((__m256i)a, (__m256i)b));
#elif defined(SHORTS_SSE2)
    return (unsigned)_mm_movemask_epi8(_mm_packs_epi16((__m128i)a, (__m128i)b));
#else
    uint64_t bits = 0;
    for (int i = 0; i < SHORTS; ++i)
        bits |= (uint64_t)(a[i] < 0) << i | (uint64_t)(b[i] < 0) << (SHORTS + i);
    return bits;
#endif
}

// bit 8 i + j: box i of eight of geom[0] overlaps box j of others
TAC_INLINE uint64_t boxes_overlap(const int16_t* own, const int16_t* other) {
    uint64_t separated = 0;
    shorts row[6];
    for (int k = 0; k < 6; ++k) row[k] = shorts_eight(&other[k * EIGHT]);
    for (int i = 0; i < EIGHT * EIGHT; i += 2 * SHORTS) {
        shorts gap[2];
        for (int n = 0; n < 2; ++n) {
            const int16_t* to = &own[i + n * SHORTS];
            gap[n] = shorts_minus(row[0], shorts_load(to));
            for (int k = 1; k < 6; ++k)
                gap[n] |= shorts_minus(row[k], shorts_load(&to[k * EIGHT * EIGHT]));
        }
        separated |= negative_bits(gap[0], gap[1]) << i;
    }
    return ~separated;
}

// bit i: any bit of byte i
TAC_INLINE unsigned nonzero_bytes(uint64_t word) {
#if defined(SHORTS_SSE2)
    __m128i none = _mm_cmpeq_epi8(_mm_cvtsi64_si128((long long)word), _mm_setzero_si128());
    return ~(unsigned)_mm_movemask_epi8(none) & 255u;
#else
    unsigned bits = 0;
    for (int i = 0; i < 8; ++i) bits |= (unsigned)((word >> 8 * i & 255) != 0) << i;
    return bits;
#endif
}

//---------------------------------- placing --------------------------------------

// x and y side by side, cut to whole numbers
TAC_INLINE void store_pairs(int16_t* out, wideFloat x, wideFloat y) {
#if WIDE_FLOAT_LANES == 1
    {
        out[0] = (int16_t)x;
        out[1] = (int16_t)y;
    }
#else
    wideUint32 low = (wideUint32) __builtin_convertvector(x, wideInt32) & 0xffff;
    wideUint32 both = low | (wideUint32) __builtin_convertvector(y, wideInt32) << 16;
    memcpy(out, &both, sizeof both);
#endif
}

TAC_INLINE void store_shorts(int16_t* out, wideFloat x) {
#if WIDE_FLOAT_LANES == 1
    *out = (int16_t)x;
#else
    typedef int16_t wideShort __attribute__((vector_size(2 * WIDE_FLOAT_LANES)));
    wideShort y = __builtin_convertvector(__builtin_convertvector(x, wideInt32), wideShort);
    memcpy(out, &y, sizeof y);
#endif
}

TAC_INLINE wideFloat to_cells(wideFloat x) {
    return wf_max(wf_min(x, wf_set(TAC_EDGE_CELLS)), wf_set(-TAC_EDGE_CELLS));
}

// middle and half side on axis k; that is negative for boxes of geom[0]
TAC_INLINE void store_box(int16_t* out, int k, wideFloat m, wideFloat h) {
    store_shorts(&out[k * EIGHT], to_cells(h - m));
    store_shorts(&out[(3 + k) * EIGHT], to_cells(h + m));
}

// those of eight from `end` on overlap no other from now on
TAC_INLINE void mark_empty(int16_t* box, int own, int end) {
    for (int i = end; i < EIGHT; ++i)
        for (int k = 0; k < 6; ++k) box[k * EIGHT + i] = own ? -TAC_EDGE_EMPTY : TAC_EDGE_EMPTY;
}

// numbers of a vector; compilers choose single ones by themselves
#if WIDE_FLOAT_LANES == 8
TAC_INLINE wideFloat wf_bytes(const int8_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i*)p)));
}
TAC_INLINE wideFloat wf_shorts(const int16_t* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i*)p)));
}
#elif WIDE_FLOAT_LANES == 4
TAC_INLINE wideFloat wf_bytes(const int8_t* p) { return (wideFloat){p[0], p[1], p[2], p[3]}; }
TAC_INLINE wideFloat wf_shorts(const int16_t* p) { return (wideFloat){p[0], p[1], p[2], p[3]}; }
#else
TAC_INLINE wideFloat wf_bytes(const int8_t* p) { return *p; }
TAC_INLINE wideFloat wf_shorts(const int16_t* p) { return *p; }
#endif

// rows of numbers times a matrix
TAC_INLINE void wf_rotate(const float R[3][3], const wideFloat v[3], wideFloat out[3]) {
    for (int k = 0; k < 3; ++k) {
        out[k] = v[0] * wf_set(R[k][0]);
        out[k] = wf_fma(v[1], wf_set(R[k][1]), out[k]);
        out[k] = wf_fma(v[2], wf_set(R[k][2]), out[k]);
    }
}

TAC_INLINE void rotate_bytes(const tacEdgeTransform* p, const int8_t from[3][EIGHT], int j,
                             wideFloat out[3]) {
    wideFloat v[3];
    for (int k = 0; k < 3; ++k) v[k] = wf_bytes(&from[k][j]);
    wf_rotate(p->rot, v, out);
}

// boxes of a vector of edges, whose directions are t
TAC_INLINE void transform_boxes(const tacQuantizedEdges* from, const tacEdgeTransform* p, int j,
                                const wideFloat t[3], int16_t* out) {
    wideFloat v[3], m[3], half = wf_bytes(&from->half[j]);
    for (int k = 0; k < 3; ++k) v[k] = wf_shorts(&from->middle[k][j]);
    wf_rotate(p->middle, v, m);
    for (int k = 0; k < 3; ++k) {
        wideFloat h = wf_fma(wf_abs(t[k]) * half, wf_set(p->half[k]), wf_set(p->margin[k]));
        store_box(&out[j], k, m[k] + wf_set(p->origin[k]), h);
    }
}

// edges of geom[1], of which `there` are there
TAC_INLINE void transform_others(const tacQuantizedEdges* from, const tacEdgeTransform* p,
                                 int there, int16_t* out) {
    for (int j = 0; j < EIGHT; j += WIDE_FLOAT_LANES) {
        wideFloat t[3], side[2][3];
        rotate_bytes(p, from->direction, j, t);
        for (int i = 0; i < 2; ++i) rotate_bytes(p, from->side[i], j, side[i]);
        transform_boxes(from, p, j, t, &out[TAC_EDGE_BOX]);
        for (int k = 0; k < 3; ++k) {
            store_pairs(&out[TAC_EDGE_ALONG + k * ROW + 2 * j], t[k], t[k]);
            store_pairs(&out[TAC_EDGE_SIDE + k * ROW + 2 * j], side[0][k], side[1][k]);
        }
    }
    mark_empty(&out[TAC_EDGE_BOX], 1, there);
}

// x and y side by side, 256 times as large
TAC_INLINE void store_bytes(const int8_t* x, const int8_t* y, int16_t* out) {
#if defined(SHORTS_SSE2)
    __m128i zero = _mm_setzero_si128();
    __m128i both =
        _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)x), _mm_loadl_epi64((const __m128i*)y));
    _mm_storeu_si128((__m128i*)out, _mm_unpacklo_epi8(zero, both));
    _mm_storeu_si128((__m128i*)(out + EIGHT), _mm_unpackhi_epi8(zero, both));
#else
    for (int j = 0; j < EIGHT; ++j) {
        out[2 * j] = (int16_t)(256 * x[j]);
        out[2 * j + 1] = (int16_t)(256 * y[j]);
    }
#endif
}

// boxes, spread out
TAC_INLINE void broadcast_boxes(const int16_t* box, int16_t* out) {
    for (int k = 0; k < 6; ++k) broadcast_row(&box[k * EIGHT], &out[k * EIGHT * EIGHT]);
}

// Edges of geom[0], of which `there` are there, stand in its axes already
TAC_INLINE void transform_own(const tacQuantizedEdges* from, const tacEdgeTransform* p, int there,
                              int16_t* out) {
    _Alignas(32) int16_t box[TAC_BOX_ROWS];
    for (int j = 0; j < EIGHT; j += WIDE_FLOAT_LANES) {
        wideFloat t[3];
        for (int k = 0; k < 3; ++k) t[k] = wf_bytes(&from->direction[k][j]) * wf_set(256.0);
        transform_boxes(from, p, j, t, box);
    }
    mark_empty(box, 0, there);
    broadcast_boxes(box, &out[TAC_EDGE_BOX]);
    for (int k = 0; k < 3; ++k) {
        store_bytes(from->direction[k], from->direction[k], &out[TAC_EDGE_ALONG + k * ROW]);
        store_bytes(from->side[0][k], from->side[1][k], &out[TAC_EDGE_SIDE + k * ROW]);
    }
}

//---------------------------------- faces ----------------------------------------

// Products of unit vectors as whole numbers. Each of the two is off by sqrt(3)/254 as bytes, so
// that products are by 0.01369, and by sqrt(3) of these cells as it is cut; a sum of three is cut
// by 3 cells of products: 3e-4 more
#define FACE_UNIT  (TAC_EDGE_UNIT * TAC_EDGE_UNIT / 65536.0)
#define FACE_ERROR 0.0141

// sums of products of rows of vectors with one
TAC_INLINE shorts row_products(const int16_t* rows, const int16_t* one) {
    shorts sum = shorts_product(shorts_load(rows), shorts_broadcast(one));
    for (int k = 1; k < 3; ++k)
        sum += shorts_product(shorts_load(&rows[k * ROW]), shorts_broadcast(&one[k * ROW]));
    return sum;
}

// Bits of edges of a block b whose faces, and those of an edge a, leave a way between them:
// clashing_lanes for unit vectors. With c = s x t the products m.c are t.(m x s) for faces of a
// and, with their sign, s.(m x t) for those of b; not one of them is above `reach` while another is
// below -reach, for which |c| <= 1 counts as 1.
TAC_INLINE unsigned faces_oppose(const int16_t* a, const int16_t* b, shorts cutoff) {
    unsigned bits = 0;
    for (int i = 0; i < ROW; i += SHORTS) {
        shorts u = row_products(&b[TAC_EDGE_ALONG + i], &a[TAC_EDGE_SIDE]);
        shorts v = row_products(&b[TAC_EDGE_SIDE + i], &a[TAC_EDGE_ALONG]);
        unsigned low = shorts_bits(shorts_minus(cutoff, shorts_max(u, v)));
        unsigned high = shorts_bits(shorts_minus(shorts_min(u, v), -cutoff));
        bits |= (low | high) << i / 2;
    }
    return bits;
}

#endif
