// Topology and size of a soup.

#include "mesh/io/soup_stats.h"

#include "mesh/io/triangulate.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

//---------------------------------- edges ----------------------------------------

typedef struct edgeEntry {
    int low, high;        // vertices, low < high; both 0: free
    int upward, downward; // faces that run from low to high, and back
    int face;             // the first of them
} edgeEntry;

typedef struct edgeTable {
    edgeEntry* entry;
    size_t mask;
} edgeTable;

static uint64_t hash_edge(int low, int high) {
    uint64_t x = ((uint64_t)(unsigned)low << 32 | (unsigned)high) * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

static void add_edge(edgeTable* table, int from, int to, int face) {
    int low = from < to ? from : to, high = from < to ? to : from;
    size_t i = (size_t)hash_edge(low, high) & table->mask;
    while (table->entry[i].high && (table->entry[i].low != low || table->entry[i].high != high))
        i = (i + 1) & table->mask;
    edgeEntry* entry = &table->entry[i];
    if (!entry->high) *entry = (edgeEntry){.low = low, .high = high, .face = face};
    if (from == low)
        ++entry->upward;
    else
        ++entry->downward;
}

static void count_edges(const edgeTable* table, tacSoupStats* out) {
    out->first_bad = -1;
    for (size_t i = 0; i <= table->mask; ++i) {
        const edgeEntry* e = &table->entry[i];
        if (!e->high) continue;
        int faces = e->upward + e->downward;
        int misoriented = faces == 2 && e->upward != 1;
        ++out->edges;
        out->open += faces == 1;
        out->nonmanifold += faces > 2;
        out->misoriented += misoriented;
        if ((faces != 2 || misoriented) && (out->first_bad < 0 || e->face < out->first_bad))
            out->first_bad = e->face;
    }
}

static void fill_edges(const tacSoup* soup, edgeTable* table) {
    for (int f = 0; f < soup->nface; ++f)
        for (int i = soup->first[f]; i < soup->first[f + 1]; ++i) {
            int next = i + 1 < soup->first[f + 1] ? i + 1 : soup->first[f];
            // corners repeat only where a face touches itself
            if (soup->corner[i] != soup->corner[next])
                add_edge(table, soup->corner[i], soup->corner[next], f);
        }
}

//---------------------------------- vertices -------------------------------------

static void find_box(const tacSoup* soup, tacSoupStats* out) {
    for (int k = 0; k < 3; ++k) {
        out->lower[k] = INFINITY;
        out->upper[k] = -INFINITY;
    }
    for (size_t i = 0; i < 3 * (size_t)soup->nvertex; ++i) {
        out->lower[i % 3] = fmin(out->lower[i % 3], soup->vertex[i]);
        out->upper[i % 3] = fmax(out->upper[i % 3], soup->vertex[i]);
    }
}

static int count_used(const tacSoup* soup, unsigned char* mark) {
    int used = 0;
    memset(mark, 0, (size_t)soup->nvertex);
    for (int i = 0; i < soup->ncorner; ++i) {
        used += !mark[soup->corner[i]];
        mark[soup->corner[i]] = 1;
    }
    return used;
}

tacResult tac_soup_stats(const tacSoup* soup, tacSoupStats* out) {
    tacAllocator a = soup->allocator;
    size_t capacity = 64;
    while (capacity < 2 * (size_t)soup->ncorner) capacity *= 2;
    edgeTable table = {a.allocate(a.user, capacity * sizeof(edgeEntry)), capacity - 1};
    unsigned char* mark = table.entry ? a.allocate(a.user, (size_t)soup->nvertex) : NULL;
    if (mark) {
        tacSoupStats m = {0};
        memset(table.entry, 0, capacity * sizeof(edgeEntry));
        fill_edges(soup, &table);
        count_edges(&table, &m);
        find_box(soup, &m);
        m.used = count_used(soup, mark);
        m.euler = m.used - m.edges + soup->nface;
        m.closed = soup->nface > 0 && m.open == 0 && m.nonmanifold == 0;
        m.oriented = m.closed && m.misoriented == 0;
        *out = m;
        a.release(a.user, mark);
    }
    if (table.entry) a.release(a.user, table.entry);
    return mark ? TAC_OK : TAC_ERROR_MEMORY;
}

//---------------------------------- faces ----------------------------------------

// sum of the centres of the triangles of a fan, by their areas along the normal
static void find_centre(const tacSoup* soup, int f, const double n[3], double centre[3]) {
    const int* corner = soup->corner + soup->first[f];
    int count = soup->first[f + 1] - soup->first[f];
    double total = 0.0, sum[3] = {0}, mean[3] = {0};
    const double* o = soup->vertex + 3 * (size_t)corner[0];
    for (int i = 0; i < count; ++i)
        for (int k = 0; k < 3; ++k) mean[k] += soup->vertex[3 * (size_t)corner[i] + k] / count;
    for (int i = 1; i + 1 < count; ++i) {
        int fan[3] = {corner[0], corner[i], corner[i + 1]};
        double normal[3];
        tac_polygon_normal(soup->vertex, fan, 3, normal);
        double weight = n[0] * normal[0] + n[1] * normal[1] + n[2] * normal[2];
        const double *a = soup->vertex + 3 * (size_t)fan[1], *b = soup->vertex + 3 * (size_t)fan[2];
        for (int k = 0; k < 3; ++k) sum[k] += weight * (a[k] - o[k] + (b[k] - o[k])) / 3.0;
        total += weight;
    }
    for (int k = 0; k < 3; ++k) centre[k] = total > 0.0 ? o[k] + sum[k] / total : mean[k];
}

void tac_soup_faces(const tacSoup* soup, double* centre, double* normal, double* area) {
    for (int f = 0; f < soup->nface; ++f) {
        double n[3];
        tac_polygon_normal(soup->vertex, soup->corner + soup->first[f],
                           soup->first[f + 1] - soup->first[f], n);
        double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; ++k) n[k] = length > 0.0 ? n[k] / length : 0.0;
        if (centre) find_centre(soup, f, n, centre + 3 * (size_t)f);
        if (normal) memcpy(normal + 3 * (size_t)f, n, sizeof n);
        if (area) area[f] = 0.5 * length;
    }
}
