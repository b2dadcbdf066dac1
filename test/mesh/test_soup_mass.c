// Mass properties against closed forms, what is wrong with broken meshes, and meshes of the world.

#include "mesh/convex/hull.h"
#include "mesh/failing_allocator.h"
#include "mesh/io/soup_stats.h"
#include "mesh/mass/soup_mass.h"
#include "test.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/stat.h>

static tacMessage message;

static tacSoup* read_text(const char* text) {
    tacSoup* soup = NULL;
    if (tac_soup_read(text, strlen(text), "a.obj", tac_default_allocator(), &soup, &message) !=
        TAC_OK)
        printf("  %s:%d: %s\n", message.file, message.line, message.text);
    return soup;
}

static const double pi = 3.14159265358979323846;

//---------------------------------- bodies ---------------------------------------

// a box of quads, sides 2, 4, 6, around (1, 2, 3)
static const char box[] = "v 0 0 0\nv 2 0 0\nv 2 4 0\nv 0 4 0\nv 0 0 6\nv 2 0 6\nv 2 4 6\nv 0 4 6\n"
                          "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

// an L: two cubes of side 1 side by side and one on top of the first; not convex
static const char corner[] =
    "v 0 0 0\nv 2 0 0\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2\n"
    "v 0 1 0\nv 2 1 0\nv 2 1 1\nv 1 1 1\nv 1 1 2\nv 0 1 2\n"
    "f 1 2 3 4 5 6\nf 12 11 10 9 8 7\nf 2 1 7 8\nf 3 2 8 9\nf 4 3 9 10\nf 5 4 10 11\nf 6 5 11 12\n"
    "f 1 6 12 7\n";

static int check_volumes(const tacSoup* soup, double convex, double exact, double area) {
    tacSoupMass mass;
    ENSURE(tac_soup_mass(soup, TAC_SOUP_CONVEX, &mass, &message) == TAC_OK);
    ENSURE_NEAR(mass.volume, convex, 1e-13 * convex);
    ENSURE(tac_soup_mass(soup, TAC_SOUP_EXACT, &mass, &message) == TAC_OK);
    ENSURE_NEAR(mass.volume, exact, 1e-13 * exact);
    ENSURE(tac_soup_mass(soup, TAC_SOUP_SHELL, &mass, &message) == TAC_OK);
    ENSURE_NEAR(mass.volume, area, 1e-13 * area);
    return 0;
}

static int box_has_its_closed_form(void) {
    tacSoup* soup = read_text(box);
    ENSURE(soup && soup->nface == 6 && soup->ntriangle == 12);
    ENSURE_LAW(check_volumes(soup, 48.0, 48.0, 88.0));
    for (int rule = TAC_SOUP_CONVEX; rule <= TAC_SOUP_LEGACY; ++rule) {
        tacSoupMass m;
        ENSURE(tac_soup_mass(soup, (tacSoupInertia)rule, &m, &message) == TAC_OK);
        for (int k = 0; k < 3; ++k) ENSURE_NEAR(m.centre[k], k + 1.0, 1e-14);
        ENSURE_NEAR(m.inertia[0], 48.0 / 12.0 * (16.0 + 36.0), 1e-12);
        ENSURE_NEAR(m.inertia[1], 48.0 / 12.0 * (4.0 + 36.0), 1e-12);
        ENSURE_NEAR(m.inertia[2], 48.0 / 12.0 * (4.0 + 16.0), 1e-12);
        for (int j = 3; j < 6; ++j) ENSURE_NEAR(m.inertia[j], 0.0, 1e-12);
    }
    // thin walls: a pair of sides a x b in distance c has, about the axis along a, the moment
    // 2 a b (b^2 / 12 + c^2 / 4)
    tacSoupMass m;
    ENSURE(tac_soup_mass(soup, TAC_SOUP_SHELL, &m, &message) == TAC_OK);
    double a = 2.0, b = 4.0, c = 6.0;
    double xx = 2 * a * b * (b * b / 12 + c * c / 4) + 2 * a * c * (c * c / 12 + b * b / 4) +
                2 * b * c * (b * b + c * c) / 12;
    ENSURE_NEAR(m.inertia[0], xx, 1e-11);
    tac_soup_destroy(soup);
    return 0;
}

// I of the parts, moved to the common centre
static int corner_differs_from_its_hull(void) {
    tacSoup* soup = read_text(corner);
    ENSURE(soup != NULL);
    double area = 2.0 * 3.0 + 8.0; // two fronts of three squares, and the rim of length 8
    ENSURE_LAW(check_volumes(soup, 3.5, 3.0, area));
    tacSoupMass m;
    ENSURE(tac_soup_mass(soup, TAC_SOUP_EXACT, &m, &message) == TAC_OK);
    const double cubes[3][3] = {{0.5, 0.5, 0.5}, {1.5, 0.5, 0.5}, {0.5, 0.5, 1.5}};
    double centre[3] = {2.5 / 3, 0.5, 2.5 / 3}, p[3] = {0.25, 0.25, 0.25}, xz = 0.0;
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) p[k] += pow(cubes[i][k] - centre[k], 2.0);
        xz -= (cubes[i][0] - centre[0]) * (cubes[i][2] - centre[2]);
    }
    for (int k = 0; k < 3; ++k) ENSURE_NEAR(m.centre[k], centre[k], 1e-14);
    ENSURE_NEAR(m.inertia[0], p[1] + p[2], 1e-13);
    ENSURE_NEAR(m.inertia[1], p[0] + p[2], 1e-13);
    ENSURE_NEAR(m.inertia[2], p[0] + p[1], 1e-13);
    ENSURE_NEAR(m.inertia[4], xz, 1e-13);
    ENSURE(tac_soup_mass(soup, TAC_SOUP_LEGACY, &m, &message) == TAC_OK && m.volume > 2.999);
    tac_soup_destroy(soup);
    return 0;
}

// a sphere of many facets, far from the origin: errors fall with the square of the facets
static char* sphere_text(int rings, const double centre[3]) {
    size_t size = (size_t)rings * (size_t)rings * 300 + 1000, used = 0;
    char* text = malloc(size);
    int n = 2 * rings;
    used +=
        (size_t)snprintf(text, size, "v %.17g %.17g %.17g\n", centre[0], centre[1], centre[2] + 1);
    for (int i = 1; i < rings; ++i)
        for (int j = 0; j < n; ++j) {
            double t = pi * i / rings, s = 2.0 * pi * j / n;
            used += (size_t)snprintf(text + used, size - used, "v %.17g %.17g %.17g\n",
                                     centre[0] + sin(t) * cos(s), centre[1] + sin(t) * sin(s),
                                     centre[2] + cos(t));
        }
    used += (size_t)snprintf(text + used, size - used, "v %.17g %.17g %.17g\n", centre[0],
                             centre[1], centre[2] - 1);
    for (int j = 0; j < n; ++j) {
        int k = (j + 1) % n, last = 2 + (rings - 2) * n;
        used += (size_t)snprintf(text + used, size - used, "f 1 %d %d\n", 2 + j, 2 + k);
        for (int i = 0; i + 2 < rings; ++i)
            used += (size_t)snprintf(text + used, size - used, "f %d %d %d %d\n", 2 + i * n + j,
                                     2 + (i + 1) * n + j, 2 + (i + 1) * n + k, 2 + i * n + k);
        used += (size_t)snprintf(text + used, size - used, "f %d %d %d\n", last + j, last + n,
                                 last + k);
    }
    return text;
}

static int spheres_converge(void) {
    const double centre[3] = {10.0, -20.0, 30.0};
    double error[2];
    for (int n = 0; n < 2; ++n) {
        char* text = sphere_text(n ? 40 : 20, centre);
        tacSoup* soup = read_text(text);
        free(text);
        ENSURE(soup != NULL);
        tacSoupStats measure;
        ENSURE(tac_soup_stats(soup, &measure) == TAC_OK);
        ENSURE(measure.closed && measure.oriented && measure.euler == 2);
        tacSoupMass exact, convex, legacy;
        ENSURE(tac_soup_mass(soup, TAC_SOUP_EXACT, &exact, &message) == TAC_OK);
        ENSURE(tac_soup_mass(soup, TAC_SOUP_CONVEX, &convex, &message) == TAC_OK);
        ENSURE(tac_soup_mass(soup, TAC_SOUP_LEGACY, &legacy, &message) == TAC_OK);
        ENSURE_NEAR(exact.volume, convex.volume, 1e-11);
        ENSURE_NEAR(exact.volume, legacy.volume, 1e-11);
        for (int k = 0; k < 3; ++k) ENSURE_NEAR(exact.centre[k], centre[k], 1e-12);
        for (int j = 0; j < 6; ++j) ENSURE_NEAR(exact.inertia[j], convex.inertia[j], 1e-11);
        ENSURE_NEAR(exact.inertia[0] / exact.volume, 0.4, n ? 0.005 : 0.02);
        error[n] = fabs(exact.volume - 4.0 / 3.0 * pi);
        tac_soup_destroy(soup);
    }
    ENSURE_NEAR(error[0] / error[1], 4.0, 0.1);
    return 0;
}

//---------------------------------- topology -------------------------------------

static int faces_have_centre_normal_and_area(void) {
    tacSoup* soup = read_text("v 0 0 0\nv 2 0 0\nv 2 2 0\nv 0 2 0\nv 0 0 3\nv 4 0 0\nv 8 0 0\n"
                              "f 1 2 3 4\nf 1 5 2\nf 1 6 7\nf 1 6 3 4\n");
    double centre[12], normal[12], area[4];
    ENSURE(soup != NULL);
    tac_soup_faces(soup, centre, normal, area);
    ENSURE(centre[0] == 1.0 && centre[1] == 1.0 && normal[2] == 1.0 && area[0] == 4.0);
    ENSURE(normal[3 + 1] == 1.0 && area[1] == 3.0);
    ENSURE_NEAR(centre[3], 2.0 / 3.0, 1e-15);
    ENSURE(area[2] == 0.0 && normal[6] == 0.0 && centre[6] == 4.0); // on a line: the mean
    ENSURE_NEAR(area[3], 6.0, 1e-15);
    ENSURE_NEAR(centre[9], (4.0 * 1.0 + 2.0 * (2.0 + 2.0 / 3.0)) / 6.0, 1e-15); // a trapezium
    tac_soup_faces(soup, NULL, NULL, area);
    tac_soup_destroy(soup);
    return 0;
}

static int soup_stats_are_right(void) {
    tacSoup* soup = read_text(box);
    tacSoupStats m;
    ENSURE(soup && tac_soup_stats(soup, &m) == TAC_OK);
    ENSURE(m.edges == 12 && m.used == 8 && m.euler == 2 && m.closed && m.oriented);
    ENSURE(m.lower[0] == 0.0 && m.upper[2] == 6.0 && m.first_bad == -1);
    tac_soup_destroy(soup);
    soup = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 5 5\nf 1 2 3\n");
    ENSURE(soup && tac_soup_stats(soup, &m) == TAC_OK);
    ENSURE(!m.closed && m.open == 3 && m.used == 3 && m.first_bad == 0 && m.upper[0] == 5.0);
    tac_soup_destroy(soup);
    soup = read_text("v 0 0 0\nv 1 0 0\n");
    ENSURE(soup && tac_soup_stats(soup, &m) == TAC_OK && !m.closed && m.edges == 0);
    tac_soup_destroy(soup);
    return 0;
}

//---------------------------------- broken meshes --------------------------------

static int is_mass_refused(const char* text, tacSoupInertia rule, int line, const char* words) {
    tacSoup* soup = read_text(text);
    tacSoupMass mass;
    ENSURE(soup != NULL);
    message = (tacMessage){0};
    ENSURE(tac_soup_mass(soup, rule, &mass, &message) == TAC_ERROR_VALUE);
    tac_soup_destroy(soup);
    if (!strstr(message.text, words)) printf("  '%s' lacks '%s'\n", message.text, words);
    ENSURE(strstr(message.text, words) && message.line == line);
    ENSURE(strcmp(message.file, "a.obj") == 0);
    return 0;
}

#define TETRA "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"

static int broken_meshes_are_refused(void) {
    ENSURE_LAW(
        is_mass_refused(TETRA "f 1 3 2\nf 1 2 4\nf 2 3 4\n", TAC_SOUP_EXACT, 5, "open at an edge"));
    ENSURE_LAW(is_mass_refused(TETRA "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 3 4\n", TAC_SOUP_EXACT, 5,
                               "opposite orientations"));
    ENSURE_LAW(is_mass_refused(TETRA "f 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n", TAC_SOUP_EXACT, 0,
                               "inside out"));
    ENSURE_LAW(is_mass_refused(TETRA "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 1 2 3\n",
                               TAC_SOUP_EXACT, 5, "more than two faces"));
    ENSURE_LAW(is_mass_refused(TETRA, TAC_SOUP_EXACT, 0, "has no faces"));
    ENSURE_LAW(is_mass_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\n", TAC_SOUP_CONVEX, 0,
                               "at least four"));
    ENSURE_LAW(is_mass_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\n", TAC_SOUP_CONVEX,
                               0, "in a plane"));
    ENSURE_LAW(
        is_mass_refused("v 0 0 0\nv 1e-6 0 0\nv 0 1e-6 0\nv 0 0 1e-6\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"
                        "f 3 1 4\n",
                        TAC_SOUP_LEGACY, 0, "too small"));
    // open, but the others do not mind; a vertex that no face has does not count
    tacSoup* soup = read_text(TETRA "v 9 9 9\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
    tacSoupMass mass;
    ENSURE(tac_soup_mass(soup, TAC_SOUP_CONVEX, &mass, &message) == TAC_OK);
    ENSURE_NEAR(mass.volume, 1.0 / 6.0, 1e-15);
    ENSURE(tac_soup_mass(soup, TAC_SOUP_SHELL, &mass, &message) == TAC_OK);
    tac_soup_destroy(soup);
    return 0;
}

static int running_out_of_memory_is_survived(void) {
    for (int rule = TAC_SOUP_CONVEX; rule <= TAC_SOUP_EXACT; ++rule) {
        failingAllocator s = {.left = 1000};
        tacSoup* soup = NULL;
        ENSURE(tac_soup_read(box, strlen(box), "a.obj", failing_allocator(&s), &soup, &message) ==
               TAC_OK);
        tacSoupMass mass;
        int limit = 0, alive = s.alive;
        tacResult result;
        do {
            s.left = limit++;
            result = tac_soup_mass(soup, (tacSoupInertia)rule, &mass, &message);
            ENSURE(s.alive == alive && (result == TAC_OK || result == TAC_ERROR_MEMORY));
        } while (result != TAC_OK);
        ENSURE(limit > 2);
        tac_soup_destroy(soup);
        ENSURE(s.alive == 0);
    }
    return 0;
}

//---------------------------------- meshes of the world --------------------------

typedef struct tally {
    int files, refused, closed, hulls;
} tally;

// whatever the file is, its hull holds its vertices, and an exact volume is at most the hull's
static int check_file(const char* path, tally* count) {
    tacSoup* soup = NULL;
    ++count->files;
    if (tac_soup_load(path, tac_default_allocator(), &soup, &message) != TAC_OK) {
        printf("  %s:%d: %s\n", path, message.line, message.text);
        ++count->refused;
        return 0;
    }
    tacHull* hull = NULL;
    if (tac_soup_hull(soup, TAC_HULL_MERGE, &hull, &message) == TAC_OK) {
        ++count->hulls;
        ENSURE(hull->nvertex - hull->ncorner / 2 + hull->nface == 2);
        for (int f = 0; f < hull->nface; f += 1 + hull->nface / 200)
            for (int i = 0; i < soup->ncorner; ++i) {
                const double *n = hull->normal + 3 * f, *p = soup->vertex + 3 * soup->corner[i];
                double above = n[0] * p[0] + n[1] * p[1] + n[2] * p[2] - hull->offset[f];
                ENSURE(above <= hull->tolerance);
            }
    }
    tac_hull_destroy(hull);
    tacSoupMass exact, convex;
    if (tac_soup_mass(soup, TAC_SOUP_EXACT, &exact, NULL) == TAC_OK) {
        ++count->closed;
        ENSURE(tac_soup_mass(soup, TAC_SOUP_CONVEX, &convex, &message) == TAC_OK);
        ENSURE(exact.volume <= convex.volume * (1.0 + 1e-12));
    }
    tac_soup_destroy(soup);
    return 0;
}

static int check_folder(const char* folder, tally* count) {
    DIR* dir = opendir(folder);
    int wrong = 0;
    for (struct dirent* entry; dir && !wrong && (entry = readdir(dir));) {
        char path[2048];
        const char* dot = strrchr(entry->d_name, '.');
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        struct stat status;
        if (stat(path, &status) != 0) continue;
        if (S_ISDIR(status.st_mode))
            wrong = check_folder(path, count);
        else if (dot && (!strcmp(dot, ".obj") || !strcmp(dot, ".stl") || !strcmp(dot, ".ply")))
            wrong = check_file(path, count);
        if (wrong) printf("  %s\n", path);
    }
    if (dir) closedir(dir);
    return wrong;
}

// $TACTUS_DATA/meshes, or ../shared/data/meshes beside the sources
static int meshes_in_the_wild_are_read(void) {
    char folder[1024];
    const char* data = getenv("TACTUS_DATA");
    snprintf(folder, sizeof folder, "%s/meshes", data ? data : TAC_SOURCE_DIR "/../shared/data");
    struct stat status;
    if (stat(folder, &status) != 0)
        SKIP("no meshes: set TACTUS_DATA to a folder with meshes/ in it");
    tally count = {0};
    ENSURE_LAW(check_folder(folder, &count));
    printf("  %d files, %d refused, %d closed and oriented, %d hulls\n", count.files, count.refused,
           count.closed, count.hulls);
    ENSURE(count.files > 0 && count.refused == 0);
    return 0;
}

TEST_MAIN(RUN(box_has_its_closed_form), RUN(corner_differs_from_its_hull), RUN(spheres_converge),
          RUN(faces_have_centre_normal_and_area), RUN(soup_stats_are_right),
          RUN(broken_meshes_are_refused), RUN(running_out_of_memory_is_survived),
          RUN(meshes_in_the_wild_are_read))
