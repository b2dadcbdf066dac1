// Meshes on the zero level: closed, oriented, free of self-intersection, of the number asked for.

#include "mesh/mesh_checks.h"
#include "mesh/random_shapes.h"
#include "test.h"

#include <time.h>

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

//---------------------------------- one mesh -------------------------------------

// Lawful, and its volume is that of the solid to `loose`, or as 12 vertices are that of a ball, for
// each of many pieces; tells its Euler characteristic.
static int mesh_is_valid(const tacModel* model, int shape, int requested, double tolerance,
                         int* euler) {
    tacMesh* m = NULL;
    tacMass mass;
    tacMessage message = {0};
    double begin = cpu_seconds();
    tacResult result = tac_shape_tessellate(model, shape, requested, &m, &message);
    if (result != TAC_OK)
        printf("  %s %d: %s\n", model->shape[shape].name, requested, message.text);
    ENSURE(result == TAC_OK);
    double took = cpu_seconds() - begin;
    ENSURE(tac_shape_mass(model, shape, 1.0, 1e-2, &mass, NULL) == TAC_OK);
    double volume = mesh_volume(m) / mass.volume - 1.0;
    meshFlaw flaw = mesh_flaw(model, shape, requested, m);
    printf("  %-16s %4d: %4d vertices, |phi| %.1e, quality %.2f, volume %+5.1f %%, euler %2d, "
           "%.2f s%s%s\n",
           model->shape[shape].name, requested, m->vertices, m->error, m->quality, 100.0 * volume,
           mesh_euler(m), took, flaw ? ", FLAW: " : "", flaw ? mesh_flaw_name[flaw] : "");
    ENSURE(flaw == MESH_FINE);
    double coarse = 5.0 * (0.5 * mesh_euler(m)) / requested;
    ENSURE(fabs(volume) <= fmax(tolerance, coarse) + mass.error);
    ENSURE(m->quality > 0.0 && m->quality <= 1.0);
    *euler = mesh_euler(m);
    tac_mesh_destroy(m);
    return 0;
}

// how much of the zoo: shapes apart that are meshed, and that are meshed at 100 and 3000 too
static int test_stride(int few, int some) { return test_amount(few, some, 1); }

// bounded shapes of a model at 100, 300 and 3000 vertices, with the same topology
static int model_is_meshed(const tacModel* model) {
    static const int requested[] = {100, 300, 3000};
    static const double tolerance[] = {0.3, 0.15, 0.03};
    tacScratch* scratch = make_scratch(model);
    for (int shape = 0; shape < model->nshape; ++shape) {
        int first = -1000, chi = 0, small = shape % test_stride(1000, 12) == 0;
        if (!isfinite(tac_shape_ball(model, shape, scratch).radius)) continue;
        if (shape % test_stride(60, 3) != 0) continue;
        for (int i = small ? 0 : 1; i < (small ? test_amount(2, 3, 3) : 2); ++i) {
            ENSURE_LAW(mesh_is_valid(model, shape, requested[i], tolerance[i], &chi));
            if (first == -1000) first = chi;
            ENSURE(chi == first);
        }
    }
    tac_scratch_destroy(scratch);
    return 0;
}

//---------------------------------- laws -----------------------------------------

static int zoo_is_meshed(void) {
    tacModel* model = load_zoo();
    ENSURE_LAW(model_is_meshed(model));
    tac_model_destroy(model);
    return 0;
}

// Shapes thrown by dice: superquadrics of all exponents, sides to 10 : 1, combinations of up to 18
// with temperatures from 1e-6. A mesh that comes out is lawful; nearly all come out.
static int random_shapes_are_meshed(void) {
    static char text[16384];
    int shapes = test_amount(1, 8, 48), tried = 0, made = 0;
    for (int i = 0; i < shapes; ++i) {
        shapeDice dice = {0x9E3779B97F4A7C15u * (uint64_t)(i + 1), text, sizeof text, 0};
        for (int k = 0; k < 9; ++k) roll(&dice);
        roll_shape(&dice, i % DICE_KINDS);
        tacModel* model = load_shapes(text);
        for (int requested = 100; requested <= 300; requested += 200) {
            tacMesh* m = NULL;
            tacMessage message = {0};
            tacResult result = tac_shape_tessellate(model, 0, requested, &m, &message);
            if (result == TAC_ERROR_VALUE) continue; // an intersection may be empty
            ++tried;
            made += result == TAC_OK;
            if (result != TAC_OK) printf("  shape %d at %d: %s\n", i, requested, message.text);
            meshFlaw flaw = m ? mesh_flaw(model, 0, requested, m) : MESH_FINE;
            if (flaw)
                printf("  shape %d at %d: %s\n%s\n", i, requested, mesh_flaw_name[flaw], text);
            ENSURE(flaw == MESH_FINE);
            ENSURE(result == TAC_OK || (result == TAC_ERROR_UNSOLVED && message.text[0]));
            tac_mesh_destroy(m);
        }
        tac_model_destroy(model);
    }
    printf("  %d of %d\n", made, tried);
    ENSURE(made >= 0.95 * tried);
    return 0;
}

static double distance_to_mesh(const tacMesh* m, double x, double y, double z) {
    double least = INFINITY;
    for (int v = 0; v < m->vertices; ++v)
        least = fmin(least, hypot(hypot(m->x[0][v] - x, m->x[1][v] - y), m->x[2][v] - z));
    return least;
}

// a thin part of a union is on the mesh: pieces and holes do not tell that it is missing
static int thin_ears_are_meshed(void) {
    tacModel* model = NULL;
    tacMesh* m = NULL;
    if (test_amount(1, 0, 0)) SKIP("a minute under sanitizers; the plain build has it");
    ENSURE(tac_load(TAC_SOURCE_DIR "/scenes/figure.xml", NULL, &model, NULL) == TAC_OK);
    ENSURE(tac_shape_tessellate(model, tac_shape_find(model, "figure"), 300, &m, NULL) == TAC_OK);
    ENSURE(distance_to_mesh(m, 0.137, -0.02, 1.108) < 0.05);
    ENSURE(distance_to_mesh(m, -0.137, -0.02, 1.108) < 0.05);
    tac_mesh_destroy(m);
    tac_model_destroy(model);
    return 0;
}

// Euler characteristics that are known: pieces, a cavity, a hole through a ball, exponents
static int topology_is_preserved(void) {
    static const struct {
        const char* shape;
        int euler;
    } known[] = {
        {"<shape name='two' smooth='.01'><sphere size='.3'/><sphere size='.1' pos='.6 .1 0'/>"
         "</shape>",
         4},
        {"<shape name='hollow' smooth='.01'><difference><sphere size='.5'/>"
         "<sphere size='.35' pos='.05 0 0'/></difference></shape>",
         4},
        {"<shape name='bead' smooth='.01'><difference><sphere size='.5'/>"
         "<superquadric size='.2 .2 .8' eps='.2 1'/></difference></shape>",
         0},
        {"<shape name='cross' smooth='.01'><difference><superquadric size='.5 .5 .5' eps='.2 .2'/>"
         "<superquadric size='.2 .2 .8' eps='.2 1'/>"
         "<superquadric size='.2 .2 .8' eps='.2 1' euler='90 0 0'/></difference></shape>",
         -4},
        {"<shape name='octahedron'><superquadric size='.5 .5 .5' eps='2 2'/></shape>", 2},
        {"<shape name='cube'><superquadric size='.5 .5 .5' eps='.1 .1'/></shape>", 2},
        {"<shape name='handle' smooth='.01'><difference><cylinder size='.3 .4'/>"
         "<cylinder size='.25 .4' pos='0 0 .06'/></difference><difference pos='.3 0 0' "
         "euler='90 0 0'><cylinder size='.22 .05'/><cylinder size='.14 .2'/>"
         "<box size='.3 .4 .3' pos='-.32 0 0'/></difference></shape>",
         0},
        {"<shape name='large'><superquadric size='500 300 200' eps='.5 1.5'/></shape>", 2},
    };
    for (int i = 0; i < (int)(sizeof known / sizeof known[0]); i += test_amount(4, 1, 1)) {
        tacModel* model = load_shapes(known[i].shape);
        int chi = 0;
        ENSURE_LAW(mesh_is_valid(model, 0, 400, 0.15, &chi));
        ENSURE(chi == known[i].euler);
        tac_model_destroy(model);
    }
    return 0;
}

// Poles of 1 : 200 to 1 : 500 have room for fine cells, along their own axes if they stand askew; a
// wire that no lattice sees is there all the same.
static int long_thin_solids_are_meshed(void) {
    tacModel* model = load_shapes(
        "<shape name='askew'><cylinder size='.0025 .5' euler='20 30 40' pos='1 2 3'/></shape>"
        "<shape name='pole'><cylinder size='.001 .5'/></shape>"
        "<shape name='rod'><superquadric size='1 .002 .002' eps='1 1'/></shape>"
        "<shape name='bar'><box size='.001 .5 .001'/></shape>"
        "<shape name='wire'><cylinder size='1e-5 .5'/></shape>");
    tacMesh* m = NULL;
    tacMessage message = {0};
    for (int shape = 0; shape < test_amount(0, 1, 4); ++shape) {
        ENSURE(tac_shape_tessellate(model, shape, 100, &m, &message) == TAC_OK);
        ENSURE(mesh_flaw(model, shape, 100, m) == MESH_FINE && mesh_euler(m) == 2);
        tac_mesh_destroy(m);
        m = NULL;
    }
    ENSURE(tac_shape_tessellate(model, 4, 100, &m, &message) == TAC_ERROR_UNSOLVED);
    ENSURE(strstr(message.text, "thinner than"));
    tac_model_destroy(model);
    return 0;
}

// the laws find a vertex pulled through the other side, and a face turned over
static int far_solids_are_meshed(void) {
    tacModel* model = load_shapes("<shape name='b'><box size='.1 .1 .1' pos='1e5 0 0'/></shape>");
    tacMesh* mesh = NULL;
    ENSURE(tac_shape_tessellate(model, 0, 300, &mesh, NULL) == TAC_OK);
    ENSURE(mesh->error <= 1e-10);
    for (int v = 0; v < mesh->vertices; ++v) ENSURE_NEAR(mesh->x[0][v], 1e5, 0.1 + 1e-9);
    tac_mesh_destroy(mesh);
    tac_model_destroy(model);
    return 0;
}

static int broken_meshes_are_found(void) {
    tacModel* model = load_shapes("<shape name='s'><sphere size='.5'/></shape>");
    tacMesh* m = NULL;
    ENSURE(tac_shape_tessellate(model, 0, 100, &m, NULL) == TAC_OK);
    ENSURE(mesh_flaw(model, 0, 100, m) == MESH_FINE);
    for (int k = 0; k < 3; ++k) ((double*)(uintptr_t)m->x[k])[0] *= -1.3;
    ENSURE(mesh_meets(m) == MESH_MEETS);
    ENSURE(mesh_on_surface(model, 0, m) == MESH_OFF);
    int* corner = (int*)(uintptr_t)m->face[0];
    corner[0] = m->face[1][0];
    ((int*)(uintptr_t)m->face[1])[0] = m->face[2][0];
    ENSURE(mesh_closed(m) == MESH_OPEN);
    tac_mesh_destroy(m);
    tac_model_destroy(model);
    return 0;
}

static int same_call_gives_same_bits(void) {
    tacModel* model = load_shapes(shape_zoo);
    int shape = tac_shape_find(model, "spiky");
    tacMesh *a = NULL, *b = NULL;
    ENSURE(tac_shape_tessellate(model, shape, 100, &a, NULL) == TAC_OK);
    ENSURE(tac_shape_tessellate(model, shape, 100, &b, NULL) == TAC_OK);
    ENSURE(a->vertices == b->vertices && a->faces == b->faces);
    for (int k = 0; k < 3; ++k) {
        ENSURE(memcmp(a->x[k], b->x[k], sizeof(double) * (size_t)a->vertices) == 0);
        ENSURE(memcmp(a->face[k], b->face[k], sizeof(int) * (size_t)a->faces) == 0);
    }
    tac_mesh_destroy(a);
    tac_mesh_destroy(b);
    tac_model_destroy(model);
    return 0;
}

static int wrong_calls_are_refused(void) {
    tacModel* model = load_shapes(shape_zoo);
    tacMesh* mesh = NULL;
    tacMessage message;
    int plane = tac_shape_find(model, "plane");
    ENSURE(tac_shape_tessellate(model, plane, 100, &mesh, &message) == TAC_ERROR_VALUE);
    ENSURE(strstr(message.text, "unbounded"));
    ENSURE(tac_shape_tessellate(model, 0, 3, &mesh, &message) == TAC_ERROR_VALUE);
    ENSURE(strstr(message.text, "8 to 20000"));
    ENSURE(tac_shape_tessellate(model, 99, 100, &mesh, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_tessellate(NULL, 0, 100, &mesh, NULL) == TAC_ERROR_VALUE);
    ENSURE(tac_shape_tessellate(model, 0, 100, NULL, NULL) == TAC_ERROR_VALUE);
    ENSURE(mesh == NULL);
    tac_mesh_destroy(NULL);
    tac_model_destroy(model);
    model = load_shapes(
        "<shape name='none' check='false' smooth='.01'><intersection><sphere size='.1'/>"
        "<sphere size='.1' pos='1 0 0'/></intersection></shape>"
        "<shape name='many' smooth='.01'><sphere size='.1'/>"
        "<sphere size='.1' pos='1 0 0'/><sphere size='.1' pos='0 1 0'/></shape>");
    ENSURE(tac_shape_tessellate(model, 0, 100, &mesh, &message) == TAC_ERROR_VALUE);
    ENSURE(strstr(message.text, "'none'"));
    ENSURE(tac_shape_tessellate(model, 1, 8, &mesh, &message) == TAC_ERROR_UNSOLVED);
    ENSURE(strstr(message.text, "ask for more"));
    tac_model_destroy(model);
    return 0;
}

// memory that ends after a number of blocks
typedef struct limitedMemory {
    int left, taken;
} limitedMemory;

static void* limited_allocate(void* user, size_t size) {
    limitedMemory* memory = user;
    if (memory->left-- <= 0) return NULL;
    ++memory->taken;
    return aligned_alloc(TAC_ALIGNMENT, (size + TAC_ALIGNMENT - 1) / TAC_ALIGNMENT * TAC_ALIGNMENT);
}

static void limited_release(void* user, void* block) {
    if (block) --((limitedMemory*)user)->taken;
    free(block);
}

static int running_out_of_memory_is_survived(void) {
    limitedMemory memory = {1 << 30, 0};
    tacOptions options = {.allocator = {limited_allocate, limited_release, &memory}};
    tacModel* model = NULL;
    const char* text = "<mujoco><asset><shape name='s'><sphere size='1'/></shape></asset></mujoco>";
    ENSURE(tac_load_text(text, (int)strlen(text), "s.xml", &options, &model, NULL) == TAC_OK);
    int before = memory.taken;
    tacMesh* mesh = NULL;
    for (int blocks = 0; !mesh; blocks += 1 + blocks / test_amount(2, 8, 8)) {
        memory.left = blocks;
        tacResult result = tac_shape_tessellate(model, 0, 20, &mesh, NULL);
        ENSURE(result == TAC_OK || result == TAC_ERROR_MEMORY);
        ENSURE(memory.taken == before + (result == TAC_OK));
        ENSURE(blocks < 100000);
    }
    tac_mesh_destroy(mesh);
    for (int blocks = 0;; blocks += 1 + blocks / test_amount(2, 8, 8)) {
        tacMass mass;
        memory.left = blocks;
        tacResult result = tac_shape_mass(model, 0, 1.0, 0.01, &mass, NULL);
        ENSURE(result == TAC_OK || result == TAC_ERROR_MEMORY);
        ENSURE(memory.taken == before);
        if (result == TAC_OK) break;
    }
    tac_model_destroy(model);
    ENSURE(memory.taken == 0);
    return 0;
}

TEST_MAIN(RUN(zoo_is_meshed), RUN(thin_ears_are_meshed), RUN(random_shapes_are_meshed),
          RUN(topology_is_preserved), RUN(long_thin_solids_are_meshed), RUN(far_solids_are_meshed),
          RUN(broken_meshes_are_found), RUN(same_call_gives_same_bits),
          RUN(wrong_calls_are_refused), RUN(running_out_of_memory_is_survived))
