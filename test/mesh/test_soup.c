// Mesh files: every form that is allowed, the message of every one that is not, no memory lost.

#include "base/decimal.h"
#include "mesh/failing_allocator.h"
#include "mesh/io/soup.h"
#include "test.h"

#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

static tacMessage message;

static tacSoup* read_bytes(const void* bytes, size_t size, const char* path) {
    tacSoup* soup = NULL;
    message = (tacMessage){0};
    tac_soup_read(bytes, size, path, tac_default_allocator(), &soup, &message);
    return soup;
}

static tacSoup* read_text(const char* text, const char* path) {
    return read_bytes(text, strlen(text), path);
}

// what a reader has to say about wrong bytes
static int are_bytes_refused(const void* bytes, size_t size, const char* path, int line,
                             const char* text) {
    tacSoup* soup = read_bytes(bytes, size, path);
    tac_soup_destroy(soup);
    ENSURE(soup == NULL);
    if (!strstr(message.text, text) || message.line != line)
        printf("  line %d: '%s', expected line %d: '%s'\n", message.line, message.text, line, text);
    ENSURE(strstr(message.text, text) != NULL && message.line == line);
    ENSURE(strcmp(message.file, path) == 0);
    return 0;
}

static int is_mesh_refused(const char* text, const char* path, int line, const char* words) {
    return are_bytes_refused(text, strlen(text), path, line, words);
}

#define OFF_FACES "3 0 2 1 255 0 0\n3 0 1 3\n3 1 2 3\n3 0 3 2\n"

static const char off_text[] = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1 # top\n" OFF_FACES;

//---------------------------------- numbers --------------------------------------

// the same bits as strtod, on the edges between the fast ways and off them
static int decimals_are_correctly_rounded(void) {
    testRandom random = {21};
    char text[64];
    int count = getenv("TACTUS_NO_SWEEP") ? 20000 : 2000000;
    for (int i = 0; i < count; ++i) {
        double value = test_uniform(&random, -1.0, 1.0), parsed;
        if (i % 3 == 0) value = ldexp(value, (int)test_uniform(&random, -80.0, 80.0));
        if (i % 7 == 0) {
            uint64_t bits = test_bits(&random);
            memcpy(&value, &bits, sizeof value);
            if (!isfinite(value)) continue;
        }
        snprintf(text, sizeof text, i % 2 ? "%.*g" : "%.*e", (int)(test_bits(&random) % 21), value);
        const char* end = tac_parse_decimal(text, &parsed);
        double expected = strtod(text, NULL);
        if (!end || *end || memcmp(&parsed, &expected, sizeof parsed) != 0) printf("  %s\n", text);
        ENSURE(end && !*end && memcmp(&parsed, &expected, sizeof parsed) == 0);
    }
    return 0;
}

// halfway cases of 64-bit quotients and long runs of digits
static int decimals_on_the_middle_are_right(void) {
    static const char* const texts[] = {"9007199254740993",
                                        "9007199254740992.5",
                                        "9007199254740993.00000000000001",
                                        "1.00000000000000011102230246251565404236316680908203125",
                                        "18446744073709551615",
                                        "18446744073709551616",
                                        "1844674407370955161.5e1",
                                        "0.1e-400",
                                        "1e400",
                                        "-0",
                                        "0.0000000000000000000000000000000000000000001",
                                        "123456789012345678e-27",
                                        "5e-324",
                                        "2.2250738585072011e-308",
                                        "1e27",
                                        "1e28",
                                        "8.5e22",
                                        "1e23",
                                        "4503599627370497.5",
                                        "4503599627370496.5",
                                        "100000000000000000000000000000000000"};
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); ++i) {
        double parsed, expected = strtod(texts[i], NULL);
        ENSURE(tac_parse_decimal(texts[i], &parsed) == texts[i] + strlen(texts[i]));
        ENSURE(memcmp(&parsed, &expected, sizeof parsed) == 0);
    }
    return 0;
}

//---------------------------------- OBJ ------------------------------------------

static int obj_takes_all_forms(void) {
    tacSoup* soup = read_text("# a comment\n"
                              "mtllib a.mtl\no thing\ng part\ns off\nusemtl red\n"
                              "v 0 0 0\nv\t1 0 0 1.0\r\nv 1.0 1e0 .0 0.5 0.5 0.5 # coloured\n"
                              "v 0 1 \\\n  0\n"
                              "vn 0 0 1\nvn 0 0 2\nvt .5 .5\n"
                              "f 1 2 3 4\n"
                              "f 1/1 2/1 3/1\n"
                              "f 1//1 2//1 3//2 # end\n"
                              "f 1/1/1 2/1/1 \\\n 3/1/1\n"
                              "f -4//-2 -3//-2 -1//-1\n"
                              "l 1 2\np 1\ncurv 0 1 2\\\n3 f\n",
                              "a.obj");
    ENSURE(soup != NULL);
    ENSURE(soup->nvertex == 4 && soup->nface == 3 && soup->ncorner == 10 && soup->ntriangle == 4);
    ENSURE(soup->repeated == 2 && soup->first[1] == 4);
    ENSURE(soup->corner[7] == 0 && soup->corner[9] == 3);
    ENSURE(soup->triangle_face[0] == 0 && soup->triangle_face[1] == 0 &&
           soup->triangle_face[2] == 1);
    ENSURE(soup->vertex_line[0] == 7 && soup->vertex_line[3] == 11 && soup->face_line[0] == 15);
    ENSURE(soup->vertex[6] == 1.0 && soup->vertex[7] == 1.0 && soup->vertex[8] == 0.0);
    ENSURE(soup->normal != NULL && soup->normal[2] == 1.0 && soup->normal[11] == 1.0);
    tac_soup_destroy(soup);
    return 0;
}

static int obj_without_faces_is_a_cloud(void) {
    tacSoup* soup = read_text("v 1 2 3\nvn 0 0 2\nv 4 5 6\nvn nan nan nan\n", "a.obj");
    ENSURE(soup && soup->nvertex == 2 && soup->nface == 0 && soup->ntriangle == 0);
    ENSURE(soup->normal && soup->normal[2] == 2.0 && soup->normal[5] == 0.0);
    tac_soup_destroy(soup);
    soup = read_text("v 1 2 3\nv 4 5 6\nvn 0 0 2\n", "a.obj");
    ENSURE(soup && soup->normal == NULL);
    tac_soup_destroy(soup);
    return 0;
}

static int repeated_corners_are_dropped(void) {
    tacSoup* soup =
        read_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 1 2 3 1\nf 1 2 1\nf 2 2 2\nf 3 2 1\n", "a.OBJ");
    ENSURE(soup && soup->nface == 2 && soup->dropped == 2 && soup->ncorner == 6);
    ENSURE(soup->face_line[1] == 7);
    tac_soup_destroy(soup);
    return 0;
}

static int wrong_obj_is_refused(void) {
    ENSURE_LAW(is_mesh_refused("v 0 0\n", "a.obj", 1, "coordinate of a vertex is missing"));
    ENSURE_LAW(is_mesh_refused("v 0 0 nan\n", "a.obj", 1, "'nan' is not a finite decimal number"));
    ENSURE_LAW(
        is_mesh_refused("v 0 0 0\nv 0 1e999 0\n", "a.obj", 2, "not a finite decimal number"));
    ENSURE_LAW(is_mesh_refused("v 0 0 1e13\n", "a.obj", 1, "out of range"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0x10\n", "a.obj", 1, "not a finite decimal number"));
    ENSURE_LAW(
        is_mesh_refused("v 0 0 0\nvn 1 0\n", "a.obj", 2, "coordinate of a normal is missing"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0\nvn 1 0 0 7\n", "a.obj", 2, "unexpected '7'"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0\nf 1 1\n", "a.obj", 2, "a face has 2 vertices"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0\nf 1 0 1\n", "a.obj", 2, "'0' is not a corner"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0\nf 1 -2 1\n", "a.obj", 2, "'-2' is not a corner"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0\nf 1 1/x 1\n", "a.obj", 2, "'1/x' is not a corner"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0\n\nf 1 1 2\n", "a.obj", 3,
                               "names a vertex that the file does not"));
    ENSURE_LAW(is_mesh_refused("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//2 3//1\n", "a.obj",
                               5, "names a normal that the file does not"));
    ENSURE_LAW(is_mesh_refused("o nothing\n", "a.obj", 0, "has no vertices"));
    ENSURE_LAW(is_mesh_refused("", "a.obj", 0, "is empty"));
    ENSURE_LAW(are_bytes_refused("v 0 0 0\n\0", 9, "a.obj", 2, "a byte 0"));
    ENSURE_LAW(is_mesh_refused("hello", "a.dae", 1, "unknown format"));
    return 0;
}

//---------------------------------- faces ----------------------------------------

// twice the area of the triangles of a flat soup, by their signs
static double flat_area(const tacSoup* soup, int* negative) {
    double total = 0.0;
    *negative = 0;
    for (int t = 0; t < soup->ntriangle; ++t) {
        const double* a = soup->vertex + 3 * soup->triangle[3 * t];
        const double* b = soup->vertex + 3 * soup->triangle[3 * t + 1];
        const double* c = soup->vertex + 3 * soup->triangle[3 * t + 2];
        double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        total += area;
        *negative += area < 0.0;
    }
    return 0.5 * total;
}

static int concave_faces_are_cut_into_ears(void) {
    char text[4000] = "";
    int used = 0, negative, count = 40;
    double expected = 0.0, x[40], y[40];
    for (int i = 0; i < count; ++i) { // a star
        double r = i % 2 ? 0.3 : 1.0, angle = 2.0 * 3.14159265358979 * i / count;
        x[i] = r * cos(angle);
        y[i] = r * sin(angle);
        used += snprintf(text + used, sizeof text - (size_t)used, "v %.17g %.17g 0\n", x[i], y[i]);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "f");
    for (int i = 0; i < count; ++i) {
        int j = (i + 1) % count;
        expected += 0.5 * (x[i] * y[j] - x[j] * y[i]);
        used += snprintf(text + used, sizeof text - (size_t)used, " %d", i + 1);
    }
    tacSoup* soup = read_text(text, "a.obj");
    ENSURE(soup && soup->ntriangle == count - 2 && soup->nface == 1);
    ENSURE_NEAR(flat_area(soup, &negative), expected, 1e-14);
    ENSURE(negative == 0);
    tac_soup_destroy(soup);
    // one that crosses itself has triangles all the same
    soup = read_text("v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n", "a.obj");
    ENSURE(soup && soup->ntriangle == 2);
    tac_soup_destroy(soup);
    return 0;
}

static int large_faces_have_to_be_convex(void) {
    size_t size = 100000;
    char* text = malloc(size);
    for (int star = 0; star < 2; ++star) {
        size_t used = 0;
        for (int i = 0; i < 1000; ++i) {
            double r = star && i % 2 ? 0.5 : 1.0, angle = 2.0 * 3.14159265358979 * i / 1000;
            used += (size_t)snprintf(text + used, size - used, "v %.17g %.17g 0\n", r * cos(angle),
                                     r * sin(angle));
        }
        used += (size_t)snprintf(text + used, size - used, "f");
        for (int i = 0; i < 1000; ++i)
            used += (size_t)snprintf(text + used, size - used, " %d", i + 1);
        tacSoup* soup = read_text(text, "a.obj");
        if (star)
            ENSURE(!soup && strstr(message.text, "is not convex") && message.line == 1001);
        else
            ENSURE(soup && soup->ntriangle == 998);
        tac_soup_destroy(soup);
    }
    free(text);
    return 0;
}

//---------------------------------- STL ------------------------------------------

static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const int sides[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                 {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6}, {3, 0, 4}, {3, 4, 7}};

static size_t stl_binary(char* out, const char* head) {
    memset(out, 0, 84);
    strcpy(out, head);
    out[80] = 12;
    char* at = out + 84;
    for (int t = 0; t < 12; ++t, at += 50) {
        memset(at, 0xff, 12); // normals are NaN
        for (int v = 0; v < 3; ++v)
            for (int k = 0; k < 3; ++k) {
                float x = (float)cube[sides[t][v]][k];
                if (x == 0.0f && t % 2) x = -0.0f;
                memcpy(at + 12 + 12 * v + 4 * k, &x, 4);
            }
        at[48] = at[49] = 7;
    }
    return 84 + 12 * 50;
}

static size_t stl_text(char* out) {
    char* at = out;
    at += sprintf(at, "solid a cube\n");
    for (int t = 0; t < 12; ++t) {
        at += sprintf(at, "  facet normal nan 0 0\n    outer loop\n");
        for (int v = 0; v < 3; ++v) {
            const double* p = cube[sides[t][v]];
            at += sprintf(at, "      vertex %g %e %.3f\r\n", p[0], p[1], p[2]);
        }
        at += sprintf(at, "    endloop\n  endfacet\n");
        if (t == 5) at += sprintf(at, "endsolid a cube\n\nSOLID again\n");
    }
    at += sprintf(at, "endsolid again\n");
    return (size_t)(at - out);
}

static int is_cube(tacSoup* soup) {
    ENSURE(soup && soup->nvertex == 8 && soup->nface == 12 && soup->ntriangle == 12);
    for (int t = 0; t < 12; ++t)
        for (int v = 0; v < 3; ++v)
            for (int k = 0; k < 3; ++k)
                ENSURE(soup->vertex[3 * soup->triangle[3 * t + v] + k] == cube[sides[t][v]][k]);
    tac_soup_destroy(soup);
    return 0;
}

static int stl_is_read_and_welded(void) {
    char bytes[10000];
    size_t size = stl_binary(bytes, "made by a test");
    ENSURE_LAW(is_cube(read_bytes(bytes, size, "a.stl")));
    size = stl_binary(bytes, "solid but binary");
    ENSURE_LAW(is_cube(read_bytes(bytes, size, "a.STL")));
    ENSURE_LAW(is_cube(read_bytes(bytes, size, "no_extension")));
    ENSURE_LAW(is_cube(read_bytes(bytes, size + 3, "a.stl"))); // bytes behind the last
    size = stl_text(bytes);
    ENSURE_LAW(is_cube(read_bytes(bytes, size, "a.stl")));
    return 0;
}

static int wrong_stl_is_refused(void) {
    char bytes[10000];
    size_t size = stl_binary(bytes, "x");
    ENSURE_LAW(are_bytes_refused(bytes, size - 1, "a.stl", 0, "byte 80 gives 12 triangles"));
    ENSURE_LAW(are_bytes_refused(bytes, 50, "a.stl", 0, "has 50 bytes"));
    float bad = NAN;
    memcpy(bytes + 84 + 50 + 12 + 4, &bad, 4);
    ENSURE_LAW(are_bytes_refused(bytes, size, "a.stl", 0, "triangle 1 (from 0), byte 150"));
    memset(bytes + 80, 0, 4);
    ENSURE_LAW(are_bytes_refused(bytes, size, "a.stl", 0, "has no vertices"));
    size = stl_text(bytes);
    ENSURE_LAW(are_bytes_refused(bytes, size - 20, "a.stl", 88, "'endfacet' expected"));
    ENSURE_LAW(is_mesh_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "a.stl", 4,
                               "coordinate of a vertex is missing"));
    ENSURE_LAW(is_mesh_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", "a.stl",
                               4, "'inf' is not a finite"));
    ENSURE_LAW(
        is_mesh_refused("solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
                        "endloop\n",
                        "a.stl", 6, "'vertex' expected, found 'endloop'"));
    ENSURE_LAW(
        is_mesh_refused("solid a\nfacets\n", "a.stl", 2, "'facet' expected, found 'facets'"));
    ENSURE_LAW(is_mesh_refused("solid a\nendsolid\n", "a.stl", 0, "has no vertices"));
    return 0;
}

//---------------------------------- PLY ------------------------------------------

static void put_bytes(char** at, const void* value, int size, int big) {
    const char* from = value;
    for (int i = 0; i < size; ++i) (*at)[i] = from[big ? size - 1 - i : i];
    *at += size;
}

// mixed types, odd order, elements and lists that nobody asked for
static size_t ply_binary(char* out, int big) {
    char* at = out;
    at += sprintf(at,
                  "ply\nformat binary_%s_endian 1.0\ncomment made by a test\nobj_info x\n"
                  "element camera 2\nproperty list uchar double view\n"
                  "element vertex 8\nproperty uchar red\nproperty float nz\nproperty double y\n"
                  "property float x\nproperty short z\nproperty list ushort int extra\n"
                  "property float nx\nproperty float ny\n"
                  "element face 12\nproperty int16 flags\n"
                  "property list uint8 uint32 vertex_indices\nend_header\n",
                  big ? "big" : "little");
    for (int i = 0; i < 2; ++i) {
        double view = 1e300;
        *at++ = 1;
        put_bytes(&at, &view, 8, big);
    }
    for (int i = 0; i < 8; ++i) {
        float x = (float)cube[i][0], n[3] = {0.5f, (float)i, -2.0f};
        double y = cube[i][1];
        short z = (short)cube[i][2];
        unsigned short length = (unsigned short)(i % 3);
        *at++ = (char)200;
        put_bytes(&at, &n[2], 4, big);
        put_bytes(&at, &y, 8, big);
        put_bytes(&at, &x, 4, big);
        put_bytes(&at, &z, 2, big);
        put_bytes(&at, &length, 2, big);
        for (int j = 0; j < length; ++j) put_bytes(&at, &i, 4, big);
        put_bytes(&at, &n[0], 4, big);
        put_bytes(&at, &n[1], 4, big);
    }
    for (int t = 0; t < 12; ++t) {
        short flags = -1;
        put_bytes(&at, &flags, 2, big);
        *at++ = 3;
        for (int v = 0; v < 3; ++v) put_bytes(&at, &sides[t][v], 4, big);
    }
    return (size_t)(at - out);
}

static size_t ply_text(char* out) {
    char* at = out;
    at += sprintf(at, "ply\r\nformat ascii 1.0\r\nelement face 12\r\n"
                      "property list uchar int vertex_index\r\nelement vertex 8\r\n"
                      "property float64 z\r\nproperty char q\r\nproperty float32 x\r\n"
                      "property float y\r\nend_header\r\n");
    for (int t = 0; t < 12; ++t)
        at += sprintf(at, "3 %d %d %d\r\n", sides[t][0], sides[t][1], sides[t][2]);
    for (int i = 0; i < 8; ++i)
        at += sprintf(at, "%g what %g %g\n", cube[i][2], cube[i][0], cube[i][1]);
    return (size_t)(at - out);
}

static int ply_is_read(void) {
    char bytes[10000];
    for (int big = 0; big < 2; ++big) {
        size_t size = ply_binary(bytes, big);
        tacSoup* soup = read_bytes(bytes, size, big ? "a.ply" : "a.unknown");
        ENSURE(soup && soup->normal && soup->vertex_line == NULL && soup->face_line == NULL);
        for (int i = 0; i < 8; ++i)
            ENSURE(soup->normal[3 * i] == 0.5 && soup->normal[3 * i + 1] == i &&
                   soup->normal[3 * i + 2] == -2.0);
        ENSURE_LAW(is_cube(soup));
    }
    size_t size = ply_text(bytes);
    ENSURE_LAW(is_cube(read_bytes(bytes, size, "a.ply")));
    return 0;
}

static int wrong_ply_is_refused(void) {
    char bytes[10000];
    size_t size = ply_binary(bytes, 0);
    // wherever it is cut, there is a message
    for (size_t cut = 0; cut < size; ++cut) {
        tacSoup* soup = read_bytes(bytes, cut, "a.ply");
        ENSURE(soup == NULL && message.text[0]);
    }
    ENSURE_LAW(are_bytes_refused(bytes, size - 1, "a.ply", 0, "truncated"));
    float bad = NAN;
    memcpy(strstr(bytes, "end_header\n") + 11 + 18 + 13, &bad, 4); // x of vertex 0
    ENSURE_LAW(are_bytes_refused(bytes, size, "a.ply", 0, "vertex 0 (from 0), byte"));
    size = ply_text(bytes);
    ENSURE_LAW(
        are_bytes_refused(bytes, size - 20, "a.ply", 29, "vertex 6 (from 0): a value is missing"));
#define HEAD "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
    ENSURE_LAW(is_mesh_refused("plyx\n", "a.ply", 1, "starts with the line 'ply'"));
    ENSURE_LAW(is_mesh_refused("ply\nformat utf8 1.0\n", "a.ply", 2, "'utf8' is not a format"));
    ENSURE_LAW(
        is_mesh_refused("ply\nelement vertex -1\n", "a.ply", 2, "is not a number of elements"));
    ENSURE_LAW(is_mesh_refused("ply\nelement vertex 1\nproperty half x\n", "a.ply", 3,
                               "'half' is not a type"));
    ENSURE_LAW(is_mesh_refused("ply\nproperty int x\n", "a.ply", 2, "before the first of"));
    ENSURE_LAW(is_mesh_refused("ply\nelement face 1\nproperty list float int vertex_indices\n",
                               "a.ply", 3, "needs an integer type"));
    ENSURE_LAW(is_mesh_refused("ply\nwhat\n", "a.ply", 2, "'what' is not a line of a PLY header"));
    ENSURE_LAW(is_mesh_refused("ply\nend_header\n", "a.ply", 3, "'format ascii 1.0' is missing"));
    ENSURE_LAW(is_mesh_refused("ply\nformat ascii 1.0\nend_header\n", "a.ply", 4,
                               "element 'vertex' is missing"));
    ENSURE_LAW(
        is_mesh_refused(HEAD "end_header\n0 0\n", "a.ply", 7, "needs the properties x, y and z"));
    ENSURE_LAW(is_mesh_refused(HEAD "property float x\n", "a.ply", 6, "given twice"));
    ENSURE_LAW(is_mesh_refused(HEAD "property float z\nend_header\n0 0 nan\n", "a.ply", 8,
                               "'nan' is not a finite"));
    ENSURE_LAW(is_mesh_refused("ply\nformat ascii 1.0\nelement vertex 900000000\nproperty float x\n"
                               "property float y\nproperty float z\nend_header\n0 0 0\n",
                               "a.ply", 8, "the file is truncated"));
    ENSURE_LAW(is_mesh_refused(
        HEAD "property float z\nelement face 1\nproperty list uchar int vertex_index\n"
             "end_header\n0 0 0\n3 0 0 7\n",
        "a.ply", 11, "names a vertex that the file does not have"));
    ENSURE_LAW(is_mesh_refused(
        HEAD "property float z\nelement face 1\nproperty list uchar int vertex_index\n"
             "end_header\n0 0 0\n3 0 0 -1\n",
        "a.ply", 11, "a vertex index is negative"));
    ENSURE_LAW(is_mesh_refused(
        HEAD "property float z\nelement face 1\nproperty list uchar int vertex_index\n"
             "end_header\n0 0 0\n2 0 0\n",
        "a.ply", 11, "fewer than three vertices"));
#undef HEAD
    return 0;
}

//---------------------------------- XYZ ------------------------------------------

static int xyz_is_read(void) {
    tacSoup* soup = read_text("# x y z nx ny nz\n0 1 2 0 0 1\n\n3,4,5, 0,1,0 # last", "a.xyz");
    ENSURE(soup && soup->nvertex == 2 && soup->normal && soup->normal[4] == 1.0);
    ENSURE(soup->vertex[5] == 5.0 && soup->vertex_line[1] == 4);
    tac_soup_destroy(soup);
    soup = read_text("0 1 2\n3 4 5\n", "a.xyz");
    ENSURE(soup && soup->nvertex == 2 && !soup->normal);
    tac_soup_destroy(soup);
    soup = read_text("0 1 2 0 0 1\n3 4 5 nan nan nan\n6,7,8,0,-NaN,inf\n", "a.xyz");
    ENSURE(soup && soup->nvertex == 3 && soup->normal[2] == 1.0);
    for (int k = 3; k < 9; ++k) ENSURE(soup->normal[k] == 0.0);
    tac_soup_destroy(soup);
    ENSURE_LAW(is_mesh_refused("0 1 nan 0 0 1\n", "a.xyz", 1, "not a finite"));
    ENSURE_LAW(is_mesh_refused("0 1 2 0 0 nano\n", "a.xyz", 1, "not a finite"));
    ENSURE_LAW(is_mesh_refused("0 1 2\n3 4 5 0 0 1\n", "a.xyz", 2, "this point has a normal"));
    ENSURE_LAW(is_mesh_refused("0 1 2 0 0 1\n3 4 5\n", "a.xyz", 2, "this point has no normal"));
    ENSURE_LAW(is_mesh_refused("0 1 2 0\n", "a.xyz", 1, "coordinate of a normal is missing"));
    ENSURE_LAW(is_mesh_refused("0 1 2 0 0 1 5\n", "a.xyz", 1, "unexpected '5'"));
    ENSURE_LAW(is_mesh_refused("0 1\n", "a.xyz", 1, "coordinate of a point is missing"));
    return 0;
}

//---------------------------------- files, memory, any bytes ---------------------

static int files_are_read_or_refused(void) {
    char path[64] = "/tmp/tactus_mesh_XXXXXX";
    int file = mkstemp(path);
    ENSURE(file >= 0);
    ENSURE(write(file, "v 1 2 3\n", 8) == 8);
    close(file);
    tacSoup* soup = NULL;
    tacAllocator allocator = tac_default_allocator();
    ENSURE(tac_soup_load(path, allocator, &soup, &message) == TAC_OK && soup->nvertex == 1);
    ENSURE(strcmp(soup->file, path) == 0);
    tac_soup_destroy(soup);
    soup = NULL;
    unlink(path);
    ENSURE(tac_soup_load(path, allocator, &soup, &message) == TAC_ERROR_FILE && !soup);
    ENSURE(tac_soup_load("/tmp", allocator, &soup, &message) == TAC_ERROR_FILE);
    ENSURE(strstr(message.text, "is a directory") != NULL);
    ENSURE(tac_soup_load("/dev/zero", allocator, &soup, NULL) == TAC_ERROR_FILE && !soup);
    return 0;
}

static int read_with_little_memory(const char* bytes, size_t size, const char* path) {
    for (int limit = 0;; ++limit) {
        failingAllocator s = {.left = limit};
        tacSoup* soup = NULL;
        tacResult result = tac_soup_read(bytes, size, path, failing_allocator(&s), &soup, &message);
        if (result == TAC_OK) {
            tac_soup_destroy(soup);
            return s.alive == 0 ? limit : -1;
        }
        if (result != TAC_ERROR_MEMORY || soup || s.alive || !strstr(message.text, "memory"))
            return -1;
    }
}

static int running_out_of_memory_is_survived(void) {
    char bytes[10000];
    ENSURE(read_with_little_memory(bytes, stl_binary(bytes, ""), "a.stl") > 8);
    ENSURE(read_with_little_memory(bytes, stl_text(bytes), "a.stl") > 8);
    ENSURE(read_with_little_memory(bytes, ply_binary(bytes, 1), "a.ply") > 8);
    const char* text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\n";
    ENSURE(read_with_little_memory(text, strlen(text), "a.obj") > 8);
    ENSURE(read_with_little_memory("1 2 3 0 0 1\n", 12, "a.xyz") > 5);
    ENSURE(read_with_little_memory(off_text, strlen(off_text), "a.off") > 8);
    return 0;
}

static int mutated_files_are_read_or_refused(void) {
    static const char* const paths[] = {"a.stl", "a.stl", "a.ply", "a.ply",
                                        "a.obj", "a.xyz", "a.off"};
    testRandom random = {31};
    int count = getenv("TACTUS_NO_SWEEP") ? 600 : 60000;
    for (int n = 0; n < count; ++n) {
        char bytes[10000];
        size_t size = n % 6 == 0   ? stl_binary(bytes, "")
                      : n % 6 == 1 ? stl_text(bytes)
                      : n % 6 == 2 ? ply_binary(bytes, n & 8)
                      : n % 6 == 3 ? ply_text(bytes)
                                   : stl_text(bytes);
        if (n % 7 == 6) size = (size_t)snprintf(bytes, sizeof bytes, "%s", off_text);
        for (int i = 0; i < 1 + n % 5; ++i)
            bytes[test_bits(&random) % size] = (char)test_bits(&random);
        if (n % 4 == 0) size = (size_t)(test_bits(&random) % (size + 1));
        failingAllocator s = {.left = 1000};
        tacSoup* soup = NULL;
        tacResult result = tac_soup_read(bytes, size, paths[n % 7 == 6 ? 6 : n % 6],
                                         failing_allocator(&s), &soup, &message);
        ENSURE((result == TAC_OK) == (soup != NULL));
        ENSURE(result == TAC_OK || (message.text[0] && s.alive == 0));
        tac_soup_destroy(soup);
        ENSURE(s.alive == 0);
    }
    return 0;
}

static int a_comma_of_the_locale_changes_nothing(void) {
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE"))
        SKIP("no locale with a decimal comma is installed");
    tacSoup* soup = read_text("v 0.5 1.25 0.30000000000000004441\n", "a.obj");
    setlocale(LC_ALL, "C");
    ENSURE(soup && soup->vertex[0] == 0.5 && soup->vertex[1] == 1.25);
    tac_soup_destroy(soup);
    return 0;
}

//---------------------------------- OFF ------------------------------------------

static int off_is_read(void) {
    static const char* const files[] = {
        off_text,
        "# by hand\nOFF 4 4 0\n0 0 0 1 0 0\n0 1 0\n0 0 1\n" OFF_FACES,
        "OFF4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n" OFF_FACES,
        "COFF\n4 4 6\n0 0 0 9 9 9 1\n1 0 0 9 9 9 1\n0 1 0 9 9 9 1\n0 0 1 9 9 9 1\n" OFF_FACES,
        "NOFF\n4 4 6\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n0 0 1 0 0 1\n" OFF_FACES,
    };
    for (int i = 0; i < 5; ++i) {
        tacSoup* soup = read_text(files[i], i % 2 ? "a.off" : "a.OFF");
        if (!soup) printf("  %d: %s\n", i, message.text);
        ENSURE(soup && soup->nvertex == 4 && soup->nface == 4 && soup->ntriangle == 4);
        ENSURE(soup->vertex[3] == 1.0 && soup->vertex[7] == 1.0 && soup->vertex[11] == 1.0);
        ENSURE(soup->corner[1] == 2 && soup->corner[11] == 2);
        ENSURE((soup->normal != NULL) == (i == 4));
        tac_soup_destroy(soup);
    }
    return 0;
}

static int wrong_off_is_refused(void) {
    ENSURE_LAW(is_mesh_refused("ply\n", "a.off", 1, "starts with the word OFF"));
    ENSURE_LAW(is_mesh_refused("4OFF\n1 0 0\n", "a.off", 1, "other than three"));
    ENSURE_LAW(is_mesh_refused("OFF BINARY\n", "a.off", 1, "binary"));
    ENSURE_LAW(is_mesh_refused("OFF\n3 x 0\n", "a.off", 2, "number of faces"));
    ENSURE_LAW(is_mesh_refused("OFF\n1 0 0\n0 0\n", "a.off", 4, "missing"));
    ENSURE_LAW(is_mesh_refused("OFF\n1 1 0\n0 0 0\n3 0 0\n", "a.off", 4, "is no index"));
    ENSURE_LAW(
        is_mesh_refused("OFF\n3 1 0\n0 0 0 1 0 0 0 1 0\n3 0 1 7\n", "a.off", 4, "does not have"));
    return 0;
}

//---------------------------------- MSH ------------------------------------------

static size_t append_msh(char* bytes, size_t at, const void* number) {
    memcpy(bytes + at, number, 4); // of a little-endian machine, as the file
    return at + 4;
}

// a tetrahedron with normals and texture places, which are skipped; its size
static size_t msh_bytes(char* bytes, const float vertex[12], const int face[12]) {
    const int counts[4] = {4, 2, 3, 4};
    const float other = 7.0f;
    size_t size = 0;
    for (int i = 0; i < 4; ++i) size = append_msh(bytes, size, &counts[i]);
    for (int i = 0; i < 12; ++i) size = append_msh(bytes, size, &vertex[i]);
    for (int i = 0; i < 12; ++i) size = append_msh(bytes, size, &other);
    for (int i = 0; i < 12; ++i) size = append_msh(bytes, size, &face[i]);
    return size;
}

static const float msh_vertex[12] = {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f,
                                     0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.25f};
static const int msh_face[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

static int msh_is_read(void) {
    char bytes[400];
    size_t size = msh_bytes(bytes, msh_vertex, msh_face);
    tacSoup* soup = read_bytes(bytes, size, "a.MSH");
    if (!soup) printf("  %s\n", message.text);
    ENSURE(soup && soup->nvertex == 4 && soup->nface == 4 && soup->ntriangle == 4);
    ENSURE(soup->vertex[3] == 1.0 && soup->vertex[7] == 1.0 && soup->vertex[11] == 0.25);
    ENSURE(soup->corner[1] == 2 && soup->corner[11] == 2);
    tac_soup_destroy(soup);
    return 0;
}

static int wrong_msh_is_refused(void) {
    char bytes[400];
    float far[12], nan_vertex[12];
    int face[12];
    size_t size = msh_bytes(bytes, msh_vertex, msh_face);
    ENSURE_LAW(are_bytes_refused(bytes, 15, "a.msh", 0, "four counts"));
    ENSURE_LAW(are_bytes_refused(bytes, size - 4, "a.msh", 0, "the file has"));
    bytes[3] = (char)0xff;
    ENSURE_LAW(are_bytes_refused(bytes, size, "a.msh", 0, "the file has"));
    memcpy(face, msh_face, sizeof face);
    face[7] = 4;
    size = msh_bytes(bytes, msh_vertex, face);
    ENSURE_LAW(are_bytes_refused(bytes, size, "a.msh", 0, "face 2 (from 0) has the vertex 4"));
    memcpy(far, msh_vertex, sizeof far);
    far[4] = 1e30f;
    size = msh_bytes(bytes, far, msh_face);
    ENSURE_LAW(are_bytes_refused(bytes, size, "a.msh", 0, "vertex 1 (from 0)"));
    memcpy(nan_vertex, msh_vertex, sizeof nan_vertex);
    nan_vertex[0] = NAN;
    size = msh_bytes(bytes, nan_vertex, msh_face);
    ENSURE_LAW(are_bytes_refused(bytes, size, "a.msh", 0, "not finite"));
    return 0;
}

// any bytes of a file give a mesh or a message
static int mutated_msh_is_read_or_refused(void) {
    testRandom random = {5};
    for (int n = 0; n < 2000; ++n) {
        char bytes[400];
        size_t size = msh_bytes(bytes, msh_vertex, msh_face);
        for (int i = 0; i < 1 + n % 5; ++i)
            bytes[test_bits(&random) % size] = (char)test_bits(&random);
        if (n % 4 == 0) size = (size_t)(test_bits(&random) % (size + 1));
        tacSoup* soup = read_bytes(bytes, size, "a.msh");
        ENSURE(soup || message.text[0]);
        tac_soup_destroy(soup);
    }
    return 0;
}

// faces twice, also from another corner; those that look the other way are another side
static int repeated_faces_are_dropped(void) {
    tacSoup* soup = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 2 3 1\nf 3 2 1\n"
                              "f 1 2 4\nf 1 2 3\n",
                              "a.obj");
    ENSURE(soup && soup->nface == 3 && soup->repeated == 2 && soup->dropped == 0);
    ENSURE(soup->corner[0] == 0 && soup->corner[3] == 2 && soup->corner[8] == 3);
    ENSURE(soup->face_line[0] == 5 && soup->face_line[1] == 7 && soup->face_line[2] == 8);
    tac_soup_destroy(soup);
    return 0;
}

TEST_MAIN(RUN(msh_is_read), RUN(wrong_msh_is_refused), RUN(mutated_msh_is_read_or_refused),
          RUN(off_is_read), RUN(wrong_off_is_refused), RUN(repeated_faces_are_dropped),
          RUN(decimals_are_correctly_rounded), RUN(decimals_on_the_middle_are_right),
          RUN(obj_takes_all_forms), RUN(obj_without_faces_is_a_cloud),
          RUN(repeated_corners_are_dropped), RUN(wrong_obj_is_refused),
          RUN(concave_faces_are_cut_into_ears), RUN(large_faces_have_to_be_convex),
          RUN(stl_is_read_and_welded), RUN(wrong_stl_is_refused), RUN(ply_is_read),
          RUN(wrong_ply_is_refused), RUN(xyz_is_read), RUN(files_are_read_or_refused),
          RUN(running_out_of_memory_is_survived), RUN(mutated_files_are_read_or_refused),
          RUN(a_comma_of_the_locale_changes_nothing))
