// Mass properties of meshes against those that MuJoCo 2 compiles, where it is installed. Its rule
// is legacy, its vertices are float32, and its masses those of boxes of the same inertia per mass:
// so centre and inertia per mass are compared.

#define _GNU_SOURCE
#include "mesh/io/soup_stats.h"
#include "mesh/mass/soup_mass.h"
#include "test.h"

#if __has_include(<mujoco/mujoco.h>)
#include <dirent.h>
#include <dlfcn.h>
#include <mujoco/mujoco.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef mjModel* loadFunction(const char* path, const mjVFS* vfs, char* error, int size);
typedef void deleteFunction(mjModel* model);

static loadFunction* load_xml;
static deleteFunction* delete_model;
static int compared, left_out;
static double worst_centre, worst_inertia;

static int open_library(void) {
    static const char* const names[] = {"libmujoco.so", "libmujoco.so.2.2.2", "libmujoco.so.2"};
    void* library = NULL;
    for (int i = 0; i < 3 && !library; ++i) library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return 0;
    *(void**)&load_xml = dlsym(library, "mj_loadXML");
    *(void**)&delete_model = dlsym(library, "mj_deleteModel");
    return load_xml && delete_model;
}

// one body of one mesh, density 1
static mjModel* compile_mesh(const char* mesh) {
    char path[] = "/tmp/tactus_mujoco_XXXXXX", error[500] = "";
    int file = mkstemp(path);
    if (file < 0) return NULL;
    dprintf(file,
            "<mujoco><compiler boundmass='0' boundinertia='0'/><asset><mesh name='m' file='%s'/>"
            "</asset><worldbody><body><freejoint/><geom type='mesh' mesh='m' density='1'/></body>"
            "</worldbody></mujoco>",
            mesh);
    close(file);
    mjModel* model = load_xml(path, NULL, error, sizeof error);
    unlink(path);
    if (!model) printf("  MuJoCo on %s: %s\n", strrchr(mesh, '/') + 1, error);
    return model;
}

// R diag(I) R' of body 1
static void full_inertia(const mjModel* model, double out[6]) {
    static const int axis[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    const double* q = model->body_iquat + 4;
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double r[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int j = 0; j < 6; ++j) {
        out[j] = 0.0;
        for (int k = 0; k < 3; ++k)
            out[j] += r[axis[j][0]][k] * model->body_inertia[3 + k] * r[axis[j][1]][k];
    }
}

static double larger_of(double a, double b) { return a > b ? a : b; }

// a polygon that is not flat has as many surfaces as triangulations: nothing to compare
static int is_flat(const tacSoup* soup) {
    double* normal = malloc(3 * sizeof(double) * (size_t)(soup->nface + 1));
    int flat = 1;
    tac_soup_faces(soup, NULL, normal, NULL);
    for (int f = 0; f < soup->nface && flat; ++f)
        for (int i = soup->first[f]; i < soup->first[f + 1]; ++i) {
            const double* a = soup->vertex + 3 * soup->corner[soup->first[f]];
            const double *b = soup->vertex + 3 * soup->corner[i], *n = normal + 3 * f;
            double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
            double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            flat &= fabs(d[0] * n[0] + d[1] * n[1] + d[2] * n[2]) <= 1e-5 * length;
        }
    free(normal);
    return flat;
}

static int compare_mesh(const char* path) {
    tacSoup* soup = NULL;
    tacMessage message;
    tacSoupMass mass;
    if (tac_soup_load(path, tac_default_allocator(), &soup, &message) != TAC_OK) return 0;
    tacResult result = tac_soup_mass(soup, TAC_SOUP_LEGACY, &mass, &message);
    int flat = is_flat(soup);
    tac_soup_destroy(soup);
    if (!flat) {
        printf("  left out, as its faces are not flat: %s\n", strrchr(path, '/') + 1);
        ++left_out;
        return 0;
    }
    mjModel* model = compile_mesh(path);
    if (!model || result != TAC_OK) {
        ++left_out;
        if (model) printf("  only MuJoCo takes %s: %s\n", path, message.text);
        if (model) delete_model(model);
        return 0;
    }
    double inertia[6], size = cbrt(mass.volume), norm = 0.0, off = 0.0, shift = 0.0;
    full_inertia(model, inertia);
    for (int j = 0; j < 6; ++j) {
        double theirs = inertia[j] / model->body_mass[1], ours = mass.inertia[j] / mass.volume;
        norm += (j < 3 ? 1.0 : 2.0) * theirs * theirs;
        off += (j < 3 ? 1.0 : 2.0) * (ours - theirs) * (ours - theirs);
    }
    for (int k = 0; k < 3; ++k) shift += pow(model->body_ipos[3 + k] - mass.centre[k], 2.0);
    delete_model(model);
    shift = sqrt(shift) / size;
    off = sqrt(off / norm);
    worst_centre = larger_of(worst_centre, shift);
    worst_inertia = larger_of(worst_inertia, off);
    ++compared;
    int wrong = !(shift < 1e-6 && off < 3e-6); // MuJoCo rounds once more, after centring
    if (wrong) printf("  %s: centre %.3g, inertia %.3g\n", path, shift, off);
    return wrong;
}

static int compare_folder(const char* folder) {
    DIR* dir = opendir(folder);
    int wrong = 0;
    for (struct dirent* entry; dir && (entry = readdir(dir));) {
        char path[2048];
        const char* dot = strrchr(entry->d_name, '.');
        struct stat status;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &status) != 0) continue;
        if (S_ISDIR(status.st_mode))
            wrong += compare_folder(path);
        else if (dot && (!strcmp(dot, ".obj") || !strcmp(dot, ".stl")))
            wrong += compare_mesh(path);
    }
    if (dir) closedir(dir);
    return wrong;
}

static int legacy_masses_are_those_of_mujoco(void) {
    char folder[1024];
    const char* data = getenv("TACTUS_DATA");
    struct stat status;
    snprintf(folder, sizeof folder, "%s/meshes", data ? data : TAC_SOURCE_DIR "/../shared/data");
#ifdef TAC_SANITIZED
    SKIP("libmujoco is not built for sanitizers");
#endif
    if (!open_library()) SKIP("libmujoco is not installed");
    if (stat(folder, &status) != 0) SKIP("no meshes: set TACTUS_DATA to a folder with meshes/");
    int wrong = compare_folder(folder);
    printf("  %d meshes compared, %d left out; largest relative differences: centre %.2g, "
           "inertia %.2g\n",
           compared, left_out, worst_centre, worst_inertia);
    ENSURE(wrong == 0 && compared > 0);
    return 0;
}
#else
static int legacy_masses_are_those_of_mujoco(void) { SKIP("mujoco/mujoco.h is not installed"); }
#endif

TEST_MAIN(RUN(legacy_masses_are_those_of_mujoco))
