// MuJoCo's numbers of one model as named arrays, whichever MuJoCo they come from.
//
//   tools/mujoco-reference.mjs --pipe--> [this file] --arrays--> test_against_mujoco.c
//                  mujoco_library.h --calls--/
//
// Of the model: version; sizes (nq nv nu na nbody njnt nmesh); parent, mass, inertia, ipos, iquat,
// hasmesh of each body. Of random states, one behind the other: qpos qvel act ctrl, and xpos xquat
// M qfrc_bias qfrc_passive qfrc_actuator qacc there; M is its lower triangle as a count and pairs
// (place, number). Of a run by an integrator: Euler/qpos .../qvel .../act .../ctrl, and .../ulp,
// how far a run that began one ulp apart is from it.

#ifndef TACTUS_TEST_MUJOCO_REFERENCE_H
#define TACTUS_TEST_MUJOCO_REFERENCE_H

#include "test.h"

#include <stdlib.h>

typedef struct referenceArray {
    char name[40];
    int count;
    double* numbers;
} referenceArray;

typedef struct mujocoReference {
    char path[1000];
    char failure[600]; // why MuJoCo does not read it, or ""
    int count;
    referenceArray arrays[64];
} mujocoReference;

static inline void reference_clear(mujocoReference* r) {
    for (int i = 0; i < r->count; ++i) free(r->arrays[i].numbers);
    *r = (mujocoReference){0};
}

// an array to be filled; NULL if there is no memory or no place for it
static inline double* reference_add(mujocoReference* r, const char* name, int count) {
    if (r->count == 64) return NULL;
    referenceArray* a = &r->arrays[r->count++];
    snprintf(a->name, sizeof a->name, "%s", name);
    a->count = count;
    return a->numbers = calloc((size_t)count + 1, sizeof *a->numbers);
}

static inline void reference_copy(mujocoReference* r, const char* name, int count,
                                  const double* numbers) {
    double* out = reference_add(r, name, count);
    if (out && count) memcpy(out, numbers, sizeof *out * (size_t)count);
}

// the numbers of an array and how many there are; NULL and 0 if there is none
static inline const double* reference_find(const mujocoReference* r, const char* name, int* count) {
    for (int i = 0; i < r->count; ++i)
        if (strcmp(r->arrays[i].name, name) == 0) {
            if (count) *count = r->arrays[i].count;
            return r->arrays[i].numbers;
        }
    if (count) *count = 0;
    return NULL;
}

static inline int reference_size(const mujocoReference* r, int index) {
    const double* sizes = reference_find(r, "sizes", NULL);
    return sizes ? (int)sizes[index] : -1;
}

// the next model of a stream: 1, or 0 at its end or if it makes no sense
static inline int reference_read(mujocoReference* r, FILE* stream) {
    char line[1200], name[40];
    int count;
    reference_clear(r);
    if (!fgets(line, sizeof line, stream) || sscanf(line, "model %999[^\n]", r->path) != 1)
        return 0;
    while (fgets(line, sizeof line, stream)) {
        if (strcmp(line, "end\n") == 0) return 1;
        if (sscanf(line, "failed %599[^\n]", r->failure) == 1) continue;
        if (sscanf(line, "array %39s %d", name, &count) != 2 || count < 0) return 0;
        double* numbers = reference_add(r, name, count);
        if (!numbers || fread(numbers, sizeof *numbers, (size_t)count, stream) != (size_t)count)
            return 0;
    }
    return 0;
}

#endif
