// Features in contact: each detector packs them into a number of its own.

#include "cli/scene/feature_label.h"

#include "detect/edge_sdf/edge_sdf.h"
#include "detect/feature_contact.h"
#include "detect/manifold/manifold.h"
#include "model/contact/contact_data.h"

#include <stdio.h>

static void manifold_label(uint64_t feature, char* text, size_t size) {
    int a = tac_manifold_first(feature), b = tac_manifold_second(feature);
    tacManifoldKind kind = tac_manifold_kind(feature);
    if (kind <= TAC_MANIFOLD_VERTEX_1)
        snprintf(text, size, "vertex %d of %s", a,
                 kind == TAC_MANIFOLD_VERTEX_0 ? "first" : "second");
    else
        snprintf(text, size, "edges %d, %d on %s", a, b,
                 kind == TAC_MANIFOLD_EDGE_0 ? "first" : "second");
}

// a bundle is a face and an index in it (docs/edge-sdf.md)
static void edge_sdf_label(uint64_t feature, char* text, size_t size) {
    int kind = (int)(feature >> 60), index = tac_edge_sdf_index(feature);
    const char* owner = (kind < 4 ? kind / 2 : kind - 4) ? "second" : "first";
    if (kind < 4)
        snprintf(text, size, "%s %d of %s", kind % 2 ? "edge" : "vertex", index, owner);
    else
        snprintf(text, size, "face %d of %s, %d", index >> 3, owner, index & 7);
}

//---------------------------------- convex parts ---------------------------------

// index -1: where no single feature is nearest
static void convex_side(int kind, int index, char* text, size_t size) {
    static const char* const kinds[] = {"vertex", "edge", "face", "rim"};
    if (index < 0 || kind > TAC_CONVEX_FEATURE_RIM)
        snprintf(text, size, "surface");
    else
        snprintf(text, size, "%s %d", kinds[kind], index);
}

// edges are named by their vertices: 181 a + b (convex_features.c)
static void gjk_side(int part, int kind, int index, char* text, size_t size) {
    int used = part >= 0 ? snprintf(text, size, "part %d ", part) : 0;
    if (kind == TAC_CONVEX_FEATURE_EDGE && index >= 0)
        snprintf(text + used, size - (size_t)used, "edge %d-%d", index / 181, index % 181);
    else
        convex_side(kind, index, text + used, size - (size_t)used);
}

// bits of tac_feature_contact_id: parts, kind of contact, and for each side kind and index
static void gjk_label(const tacModel* model, const tacContacts* c, int i, char* text, size_t size) {
    uint64_t f = c->feature[i];
    char side[2][40];
    for (int k = 0; k < 2; ++k) {
        const int* first = &model->contact->part_first[c->geom[k][i]];
        int part = first[1] - first[0] > 1 ? (int)(f >> (50 - 10 * k) & 1023) : -1;
        uint64_t code = f >> (18 - 18 * k);
        int index = (int)(code & 32767);
        gjk_side(part, (int)(code >> 15 & 7), index == 32767 ? -1 : index, side[k], sizeof side[k]);
    }
    snprintf(text, size, "%s, %s", side[0], side[1]);
}

// two bits each for the kinds, 30 for each index (solid_detector.c)
static void solid_label(uint64_t f, char* text, size_t size) {
    char side[2][40];
    for (int k = 0; k < 2; ++k) {
        int index = (int)(f >> (30 - 30 * k) & 0x3fffffff);
        convex_side((int)(f >> (62 - 2 * k) & 3), index == 0x3fffffff ? -1 : index, side[k],
                    sizeof side[k]);
    }
    snprintf(text, size, "%s, %s", side[0], side[1]);
}

const char* cli_feature_label(const tacModel* model, const tacContacts* contacts, int i,
                              char text[CLI_FEATURE_SIZE]) {
    uint64_t feature = contacts->feature[i];
    switch (model->contact->detector) {
    case TAC_DETECT_MANIFOLD:
        manifold_label(feature, text, CLI_FEATURE_SIZE);
        break;
    case TAC_DETECT_EDGE_SDF:
        edge_sdf_label(feature, text, CLI_FEATURE_SIZE);
        break;
    case TAC_DETECT_GJK:
        gjk_label(model, contacts, i, text, CLI_FEATURE_SIZE);
        break;
    case TAC_DETECT_SAT:
    case TAC_DETECT_CONVEX:
        solid_label(feature, text, CLI_FEATURE_SIZE);
        break;
    case TAC_DETECT_SSDF:
        snprintf(text, CLI_FEATURE_SIZE, "soft point %d", (int)feature);
        break;
    }
    return text;
}
