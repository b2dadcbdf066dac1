// Records of vertices and edges, as they are or bundled by faces.
//
// A face has up to six of them, three vertices and three edges, at distances d_i with activities
// g_i. They share one contact: with the mollifier w, the same temperature as "penetrates", and m_i
// the number of faces that a vertex or an edge belongs to,
//
//   t_i = w(d_i/support) exp(-d_i/tau),  z_i = t_i/sum t,  activity z_i g_i/m_i
//
// t vanishes with g at the support, so what is left out there changes nothing. Geoms without faces
// (a capsule's edge, a sphere's point) keep their records.

#include "detect/edge_sdf/edge_sdf_faces.h"

#include "detect/edge_sdf/edge_sdf.h"
#include "smooth/soft.inl"

#include <string.h>

//---------------------------------- bundles --------------------------------------

enum { SLOTS = 6 };

// one face, or one record by itself (count 1, number -1)
typedef struct bundle {
    int count, number;
    int record[SLOTS], slot[SLOTS]; // of the records below; which vertex or edge of the face
    double share[SLOTS];            // 1/m
    int pair, owner, face;
} bundle;

// goes through all bundles in order of their records
typedef struct bundleIterator {
    const tacModel* model;
    const tacContacts* base;
    int *vertex, *edge, *faces; // record of a vertex and of an edge, or -1; faces at a vertex
    int *head, *link;           // edges at a vertex: end 2 e + k of edge e, the next one, or -1
    int pair, pass, owner;      // pass 0: geoms without faces, 1: with them
    int at, first, end;         // record or face that is next; records of the pair
    int number, mapped;
} bundleIterator;

static const tacFeatures* pair_features(const bundleIterator* w) {
    const tacContactPlan* plan = w->model->contact;
    return &plan->feature[plan->pair[w->pair].geom[w->owner]];
}

static void max_features(const tacModel* model, int* vertices, int* edges) {
    const tacContactPlan* plan = model->contact;
    *vertices = *edges = 1;
    for (int g = 0; g < model->ngeom && plan->feature; ++g) {
        const tacFeatures* f = &plan->feature[g];
        if (f->vertices > *vertices) *vertices = f->vertices;
        if (f->edges > *edges) *edges = f->edges;
    }
}

static void set_pair(bundleIterator* w, int pair) {
    w->pair = pair;
    w->pass = w->owner = w->at = w->mapped = 0;
    w->first = pair > 0 ? w->end : 0;
    for (w->end = w->first; w->end < w->base->count && w->base->pair[w->end] == pair;) ++w->end;
}

static bundleIterator alloc_iterator(const tacModel* model, tacArena* arena) {
    bundleIterator w = {.model = model};
    int vertices, edges;
    max_features(model, &vertices, &edges);
    w.vertex = TAC_ALLOC(arena, int, vertices);
    w.faces = TAC_ALLOC(arena, int, vertices);
    w.head = TAC_ALLOC(arena, int, vertices);
    w.edge = TAC_ALLOC(arena, int, edges);
    w.link = TAC_ALLOC(arena, int, 2 * edges);
    return w;
}

static bundleIterator bundle_iterator(const tacModel* model, const tacContacts* base,
                                      tacScratch* scratch) {
    bundleIterator w = alloc_iterator(model, &scratch->arena);
    w.base = base;
    set_pair(&w, 0);
    return w;
}

static void index_edges(bundleIterator* w, const tacFeatures* f) {
    for (int v = 0; v < f->vertices; ++v) w->head[v] = -1;
    for (int i = 0; i < 2 * f->edges; ++i) {
        int v = f->edge[i % 2][i / 2];
        w->link[i] = w->head[v];
        w->head[v] = i;
    }
}

// which records are the owner's vertices and edges
static void map_owner(bundleIterator* w) {
    const tacFeatures* f = pair_features(w);
    index_edges(w, f);
    for (int v = 0; v < f->vertices; ++v) {
        w->vertex[v] = -1;
        w->faces[v] = 0;
    }
    for (int e = 0; e < f->edges; ++e) w->edge[e] = -1;
    for (int t = 0; t < f->faces; ++t)
        for (int k = 0; k < 3; ++k) ++w->faces[f->face[k][t]];
    for (int r = w->first; r < w->end; ++r) {
        int kind = (int)tac_edge_sdf_kind(w->base->feature[r]);
        if (kind / 2 != w->owner) continue;
        (kind % 2 ? w->edge : w->vertex)[tac_edge_sdf_index(w->base->feature[r])] = r;
    }
    w->mapped = 1;
}

// the edge between two vertices, or -1 where the surface is flat
static int edge_between(const bundleIterator* w, const tacFeatures* f, int a, int b) {
    for (int i = w->head[a]; i >= 0; i = w->link[i])
        if (f->edge[1 - i % 2][i / 2] == b) return i / 2;
    return -1;
}

static void add_record(bundle* b, int record, int slot, double share) {
    if (record < 0) return;
    b->record[b->count] = record;
    b->slot[b->count] = slot;
    b->share[b->count++] = share;
}

static void bundle_face(const bundleIterator* w, int face, bundle* b) {
    const tacFeatures* f = pair_features(w);
    int v[3] = {f->face[0][face], f->face[1][face], f->face[2][face]};
    *b = (bundle){.pair = w->pair, .owner = w->owner, .face = face};
    for (int k = 0; k < 3; ++k) add_record(b, w->vertex[v[k]], k, 1.0 / w->faces[v[k]]);
    for (int k = 0; k < 3; ++k) {
        int e = edge_between(w, f, v[k], v[(k + 1) % 3]);
        if (e >= 0) add_record(b, w->edge[e], 3 + k, 0.5);
    }
}

// the next one of an owner, 0 at its end
static int next_of_owner(bundleIterator* w, bundle* b) {
    const tacFeatures* f = pair_features(w);
    if (w->pass != (f->faces > 0) || w->first == w->end) return 0;
    if (!w->mapped && w->pass) map_owner(w);
    for (; w->pass && w->at < f->faces;) {
        bundle_face(w, w->at++, b);
        if (b->count == 0) continue;
        b->number = w->number++;
        return 1;
    }
    for (; !w->pass && w->first + w->at < w->end;) {
        int r = w->first + w->at++;
        if ((int)tac_edge_sdf_kind(w->base->feature[r]) / 2 != w->owner) continue;
        *b = (bundle){1, -1, {r}, {0}, {1.0}, w->pair, w->owner, 0};
        return 1;
    }
    return 0;
}

static int next_bundle(bundleIterator* w, bundle* b) {
    for (; w->pair < w->model->contact->npair; set_pair(w, w->pair + 1))
        for (; w->pass < 2; ++w->pass, w->owner = 0)
            for (; w->owner < 2; ++w->owner, w->at = w->mapped = 0)
                if (next_of_owner(w, b)) return 1;
    return 0;
}

//---------------------------------- shares ---------------------------------------

// z of a bundle, and how t = z sum changes with d, tau and support, over the sum
typedef struct shares {
    tacReal z[SLOTS], by_d[SLOTS], by_tau[SLOTS], by_support[SLOTS];
} shares;

static shares bundle_shares(const tacModel* model, const tacContacts* base, const bundle* b) {
    const int* number = model->contact->number;
    tacReal tau = model->param[number[TAC_CONTACT_TAU]];
    tacReal support = model->param[number[TAC_CONTACT_SUPPORT]], sum = 0.0;
    shares s;
    double least = INFINITY;
    for (int i = 0; i < b->count; ++i) least = fmin(least, tac_re(base->distance[b->record[i]]));
    for (int i = 0; i < b->count; ++i) {
        tacReal d = base->distance[b->record[i]], over = d - least;
        softDiff w = soft_mollifier_diff(w_set(d / support));
        tacReal e = w_lane(soft_exp_below(w_set(-over / tau)), 0);
        tacReal value = w_lane(w.value, 0), slope = w_lane(w.d_x, 0) / support;
        s.z[i] = value * e;
        s.by_d[i] = e * (slope - value / tau);
        s.by_tau[i] = e * value * over / (tau * tau);
        s.by_support[i] = -e * slope * d / support;
        sum += s.z[i];
    }
    tacReal inverse = tac_re(sum) > 0.0 ? 1.0 / sum : (tacReal)0.0;
    for (int i = 0; i < b->count; ++i) {
        s.z[i] *= inverse;
        s.by_d[i] *= inverse;
        s.by_tau[i] *= inverse;
        s.by_support[i] *= inverse;
    }
    return s;
}

// z' from tangents of d, tau and support
static void shares_jvp(const shares* s, const bundle* b, const tacReal d_dot[SLOTS],
                       tacReal tau_dot, tacReal support_dot, tacReal z_dot[SLOTS]) {
    tacReal sum = 0.0;
    for (int i = 0; i < b->count; ++i) {
        z_dot[i] = s->by_d[i] * d_dot[i] + s->by_tau[i] * tau_dot + s->by_support[i] * support_dot;
        sum += z_dot[i];
    }
    for (int i = 0; i < b->count; ++i) z_dot[i] -= s->z[i] * sum;
}

// adjoints of t over the sum
static void shares_vjp(const shares* s, const bundle* b, const tacReal z_bar[SLOTS],
                       tacReal t_bar[SLOTS]) {
    tacReal mean = 0.0;
    for (int i = 0; i < b->count; ++i) mean += s->z[i] * z_bar[i];
    for (int i = 0; i < b->count; ++i) t_bar[i] = z_bar[i] - mean;
}

//---------------------------------- sizes ----------------------------------------

static int is_bundled(const tacModel* model) { return model->contact->choice[TAC_CHOICE_FUSE]; }

static int bundled_capacity(const tacModel* model) {
    const tacContactPlan* plan = model->contact;
    int most = tac_edge_sdf_capacity(model);
    for (int i = 0; i < plan->npair && plan->feature && is_bundled(model); ++i)
        for (int owner = 0; owner < 2; ++owner)
            most += SLOTS * plan->feature[plan->pair[i].geom[owner]].faces;
    return most;
}

// the records below with twists, and their tangents or adjoints
static void measure_bundled(const tacModel* model, tacArena* arena) {
    size_t mark = arena->used;
    if (is_bundled(model)) {
        tac_contacts_alloc(arena, tac_edge_sdf_capacity(model), 1);
        tac_contacts_alloc(arena, tac_edge_sdf_capacity(model), 0);
        alloc_iterator(model, arena);
    }
    tac_edge_sdf_measure(model, arena);
    arena->used = mark;
}

//---------------------------------- values ---------------------------------------

static void set_record_ids(const tacContacts* base, const bundle* b, int i, tacContacts* c,
                           int at) {
    int r = b->record[i];
    c->pair[at] = base->pair[r];
    c->bundle[at] = b->number;
    for (int k = 0; k < 2; ++k) c->geom[k][at] = base->geom[k][r];
    c->feature[at] = b->number < 0
                         ? base->feature[r]
                         : (uint64_t)(4 + b->owner) << 60 | (uint64_t)(unsigned)b->face << 3 |
                               (uint64_t)(unsigned)b->slot[i];
}

static void copy_record(const tacContacts* from, int r, tacContacts* to, int at) {
    for (int k = 0; k < 3; ++k) {
        to->point[k][at] = from->point[k][r];
        to->normal[k][at] = from->normal[k][r];
    }
    to->distance[at] = from->distance[r];
    to->activity[at] = from->activity[r];
}

// row of record r's distance by a twist about the point of record `about`
static void distance_row(const tacContacts* base, int r, int about, tacReal row[6]) {
    tacReal arm[3];
    for (int k = 0; k < 3; ++k) arm[k] = base->point[k][r] - base->point[k][about];
    for (int k = 0; k < 6; ++k) row[k] = base->d_twist[6][k][r];
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        row[3 + k] += arm[i] * row[j] - arm[j] * row[i];
    }
}

static void write_twist(const tacContacts* base, const bundle* b, const shares* s, int i,
                        tacContacts* c) {
    int r = b->record[i], at = c->count + i;
    tacReal row[SLOTS][6];
    for (int j = 0; j < b->count; ++j) distance_row(base, b->record[j], r, row[j]);
    for (int k = 0; k < 6; ++k) {
        tacReal d_dot[SLOTS], z_dot[SLOTS];
        for (int j = 0; j < b->count; ++j) d_dot[j] = row[j][k];
        shares_jvp(s, b, d_dot, 0.0, 0.0, z_dot);
        for (int m = 0; m < 7; ++m) c->d_twist[m][k][at] = base->d_twist[m][k][r];
        c->d_twist[7][k][at] =
            b->share[i] * (z_dot[i] * base->activity[r] + s->z[i] * base->d_twist[7][k][r]);
    }
}

static void write_bundle(const tacModel* model, const tacContacts* base, const bundle* b,
                         tacContacts* c) {
    shares s = bundle_shares(model, base, b);
    for (int i = 0; i < b->count; ++i) {
        set_record_ids(base, b, i, c, c->count + i);
        copy_record(base, b->record[i], c, c->count + i);
        c->activity[c->count + i] *= b->share[i] * s.z[i];
    }
    for (int i = 0; i < b->count && c->d_twist[0][0]; ++i) write_twist(base, b, &s, i, c);
}

// the records below
static tacContacts detect_unbundled(const tacModel* model, const tacPose* body, int twists,
                                    tacScratch* scratch) {
    tacContacts base = tac_contacts_alloc(&scratch->arena, tac_edge_sdf_capacity(model), twists);
    tac_edge_sdf_detect(model, body, &base, scratch); // it has room for all
    return base;
}

static tacResult detect_bundled(const tacModel* model, const tacPose* body, tacContacts* c,
                                tacScratch* scratch) {
    if (!is_bundled(model)) return tac_edge_sdf_detect(model, body, c, scratch);
    tacContacts base = detect_unbundled(model, body, c->d_twist[0][0] != NULL, scratch);
    bundleIterator w = bundle_iterator(model, &base, scratch);
    bundle b;
    while (next_bundle(&w, &b)) {
        if (c->count + b.count <= c->capacity) write_bundle(model, &base, &b, c);
        c->count += b.count;
    }
    return c->count <= c->capacity ? TAC_OK : TAC_ERROR_CAPACITY;
}

//---------------------------------- forward --------------------------------------

// `base_dot` are tangents of the records below, `dot` from `at` on those of the bundle's
static void bundle_jvp(const bundleIterator* w, const tacContacts* base_dot, const bundle* b,
                       const tacReal* theta_dot, int at, tacContacts* dot) {
    const tacContacts* base = w->base;
    const int* number = w->model->contact->number;
    shares s = bundle_shares(w->model, base, b);
    tacReal d_dot[SLOTS], z_dot[SLOTS];
    for (int i = 0; i < b->count; ++i) d_dot[i] = base_dot->distance[b->record[i]];
    shares_jvp(&s, b, d_dot, theta_dot ? theta_dot[number[TAC_CONTACT_TAU]] : (tacReal)0.0,
               theta_dot ? theta_dot[number[TAC_CONTACT_SUPPORT]] : (tacReal)0.0, z_dot);
    for (int i = 0; i < b->count; ++i) {
        int r = b->record[i];
        copy_record(base_dot, r, dot, at + i);
        dot->activity[at + i] =
            b->share[i] * (z_dot[i] * base->activity[r] + s.z[i] * base_dot->activity[r]);
    }
}

static tacResult bundled_jvp(const tacModel* model, const tacPose* body,
                             const tacContacts* contacts, tacContactTangent tangent,
                             tacContacts* dot, tacScratch* scratch) {
    if (!is_bundled(model)) return tac_edge_sdf_jvp(model, body, contacts, tangent, dot, scratch);
    tacContacts base = detect_unbundled(model, body, 0, scratch);
    tacContacts base_dot = tac_contacts_alloc(&scratch->arena, base.capacity, 0);
    tacResult result = tac_edge_sdf_jvp(model, body, &base, tangent, &base_dot, scratch);
    if (result != TAC_OK) return result;
    bundleIterator w = bundle_iterator(model, &base, scratch);
    bundle b;
    for (int at = 0; next_bundle(&w, &b); at += b.count)
        bundle_jvp(&w, &base_dot, &b, tangent.param, at, dot);
    dot->count = contacts->count;
    return TAC_OK;
}

//---------------------------------- reverse --------------------------------------

static void add_record_bar(const tacContacts* bar, int at, tacContacts* base_bar, int r) {
    for (int k = 0; k < 3; ++k) {
        base_bar->point[k][r] += bar->point[k][at];
        base_bar->normal[k][r] += bar->normal[k][at];
    }
    base_bar->distance[r] += bar->distance[at];
}

static void bundle_vjp(const bundleIterator* w, const tacContacts* bar, int at, const bundle* b,
                       tacContacts* base_bar, tacReal* theta_bar) {
    const tacContacts* base = w->base;
    const int* number = w->model->contact->number;
    shares s = bundle_shares(w->model, base, b);
    tacReal z_bar[SLOTS], t_bar[SLOTS];
    for (int i = 0; i < b->count; ++i) {
        int r = b->record[i];
        add_record_bar(bar, at + i, base_bar, r);
        base_bar->activity[r] += b->share[i] * s.z[i] * bar->activity[at + i];
        z_bar[i] = b->share[i] * base->activity[r] * bar->activity[at + i];
    }
    shares_vjp(&s, b, z_bar, t_bar);
    for (int i = 0; i < b->count; ++i) {
        base_bar->distance[b->record[i]] += s.by_d[i] * t_bar[i];
        if (!theta_bar) continue;
        theta_bar[number[TAC_CONTACT_TAU]] += s.by_tau[i] * t_bar[i];
        theta_bar[number[TAC_CONTACT_SUPPORT]] += s.by_support[i] * t_bar[i];
    }
}

static tacResult bundled_vjp(const tacModel* model, const tacPose* body,
                             const tacContacts* contacts, const tacContacts* bar,
                             tacContactAdjoint adjoint, tacScratch* scratch) {
    if (!is_bundled(model)) return tac_edge_sdf_vjp(model, body, contacts, bar, adjoint, scratch);
    tacContacts base = detect_unbundled(model, body, 0, scratch);
    tacContacts base_bar = tac_contacts_alloc(&scratch->arena, base.capacity, 0);
    tac_contacts_clear(&base_bar, base.count);
    bundleIterator w = bundle_iterator(model, &base, scratch);
    bundle b;
    for (int at = 0; next_bundle(&w, &b); at += b.count)
        bundle_vjp(&w, bar, at, &b, &base_bar, adjoint.param);
    return tac_edge_sdf_vjp(model, body, &base, &base_bar, adjoint, scratch);
}

const tacDetectorKind tac_edge_sdf_detector = {bundled_capacity, measure_bundled, detect_bundled,
                                               bundled_jvp, bundled_vjp};
