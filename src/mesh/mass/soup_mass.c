// Mass properties from triangles: each spans a tetrahedron with a common point.
//
// With corners D, E, F seen from that point, the tetrahedron has the volume v = D . (E x F) / 6,
// the centre (D + E + F) / 4 and the second moments
//
//   P = v / 20 (2 (D D' + E E' + F F') + D E' + E D' + D F' + F D' + E F' + F E')
//
// and the triangle itself, of area a, the same with a / 12 and centre (D + E + F) / 3.

#include "mesh/mass/soup_mass.h"

#include "base/message.h"
#include "mesh/convex/hull.h"
#include "mesh/io/soup_stats.h"

#include <math.h>
#include <string.h>

typedef struct massMesh {
    const double* vertex;
    const int* triangle;
    int count;
    int shell, positive; // weight by area; count each tetrahedron as positive
} massMesh;

//---------------------------------- one triangle ---------------------------------

typedef struct tetraCorners {
    double p[3][3]; // seen from the common point
    double weight;  // volume or area
} tetraCorners;

static tetraCorners corners_from(const massMesh* s, int t, const double from[3]) {
    tetraCorners c;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k)
            c.p[i][k] = s->vertex[3 * (size_t)s->triangle[3 * (size_t)t + i] + k] - from[k];
    double u[3], v[3], n[3];
    for (int k = 0; k < 3; ++k) {
        u[k] = c.p[1][k] - c.p[0][k];
        v[k] = c.p[2][k] - c.p[0][k];
    }
    for (int k = 0; k < 3; ++k)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    if (s->shell)
        c.weight = 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    else
        c.weight = (n[0] * c.p[0][0] + n[1] * c.p[0][1] + n[2] * c.p[0][2]) / 6.0;
    if (s->positive) c.weight = fabs(c.weight);
    return c;
}

//---------------------------------- sums -----------------------------------------

// total weight, and the centre of it; `from` is the common point
static double find_centre(const massMesh* s, const double from[3], double centre[3]) {
    double total = 0.0, sum[3] = {0};
    for (int t = 0; t < s->count; ++t) {
        tetraCorners c = corners_from(s, t, from);
        total += c.weight;
        for (int k = 0; k < 3; ++k)
            sum[k] += c.weight * (c.p[0][k] + c.p[1][k] + c.p[2][k]) / (s->shell ? 3.0 : 4.0);
    }
    for (int k = 0; k < 3; ++k) centre[k] = total != 0.0 ? from[k] + sum[k] / total : from[k];
    return total;
}

// second moments about a point: xx yy zz xy xz yz; the total weight seen from there
static double find_moments(const massMesh* s, const double from[3], double moment[6]) {
    static const int axis[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    double total = 0.0;
    memset(moment, 0, 6 * sizeof(double));
    for (int t = 0; t < s->count; ++t) {
        tetraCorners c = corners_from(s, t, from);
        total += c.weight;
        double scale = c.weight / (s->shell ? 12.0 : 20.0);
        for (int j = 0; j < 6; ++j) {
            int k = axis[j][0], l = axis[j][1];
            double sum_k = c.p[0][k] + c.p[1][k] + c.p[2][k];
            double sum_l = c.p[0][l] + c.p[1][l] + c.p[2][l];
            // 2 (D D' + …) + mixed terms = (D + E + F)(D + E + F)' + D D' + E E' + F F'
            moment[j] += scale * (sum_k * sum_l + c.p[0][k] * c.p[0][l] + c.p[1][k] * c.p[1][l] +
                                  c.p[2][k] * c.p[2][l]);
        }
    }
    return total;
}

static tacSoupMass integrate_mass(const massMesh* s) {
    tacSoupMass mass = {0};
    double origin[3] = {0}, area_centre[3], p[6];
    massMesh shell = *s;
    shell.shell = 1;
    if (s->count) memcpy(origin, s->vertex + 3 * (size_t)s->triangle[0], sizeof origin);
    find_centre(&shell, origin, area_centre);
    find_centre(s, area_centre, mass.centre);
    mass.volume = find_moments(s, mass.centre, p);
    mass.inertia[0] = p[1] + p[2];
    mass.inertia[1] = p[0] + p[2];
    mass.inertia[2] = p[0] + p[1];
    for (int j = 3; j < 6; ++j) mass.inertia[j] = -p[j];
    return mass;
}

//---------------------------------- checks ---------------------------------------

static tacResult fail_face(const tacSoup* soup, int face, tacMessage* message, const char* what) {
    int line = soup->face_line && face >= 0 ? soup->face_line[face] : 0;
    return tac_fail(message, TAC_ERROR_VALUE, soup->file, line, NULL,
                    "%s (face %d, from 0); repair the mesh, or use its convex hull", what, face);
}

static tacResult check_exact(const tacSoup* soup, tacMessage* message) {
    tacSoupStats m;
    if (tac_soup_stats(soup, &m) != TAC_OK)
        return tac_fail(message, TAC_ERROR_MEMORY, soup->file, 0, NULL, "out of memory");
    if (m.nonmanifold)
        return fail_face(soup, m.first_bad, message, "an edge belongs to more than two faces");
    if (m.open) return fail_face(soup, m.first_bad, message, "the mesh is open at an edge");
    if (m.misoriented)
        return fail_face(soup, m.first_bad, message,
                         "two neighbouring faces have opposite orientations");
    return TAC_OK;
}

static tacResult check_volume(const tacSoup* soup, const tacSoupMass* mass, tacMessage* message) {
    double volume = mass->volume;
    if (volume < -TAC_MIN_MESH_VOLUME)
        return tac_fail(message, TAC_ERROR_VALUE, soup->file, 0, NULL,
                        "the volume is negative (%g): the mesh is inside out; flip its faces",
                        volume);
    if (!(volume >= TAC_MIN_MESH_VOLUME))
        return tac_fail(message, TAC_ERROR_VALUE, soup->file, 0, NULL,
                        "the volume or area is too small (%g): the mesh is flat or tiny; scale it, "
                        "treat it as a shell, or give the inertia",
                        volume);
    return TAC_OK;
}

//---------------------------------- rules ----------------------------------------

static tacResult convex_mass(const tacSoup* soup, tacSoupMass* out, tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result = tac_soup_hull(soup, 1e-12, &hull, message);
    if (result != TAC_OK) return result;
    massMesh s = {hull->vertex, hull->triangle, hull->ntriangle, 0, 0};
    *out = integrate_mass(&s);
    tac_hull_destroy(hull);
    return TAC_OK;
}

tacResult tac_soup_mass(const tacSoup* soup, tacSoupInertia rule, tacSoupMass* out,
                        tacMessage* message) {
    tacSoupMass mass;
    tacResult result = TAC_OK;
    if (soup->nface == 0 && rule != TAC_SOUP_CONVEX)
        return tac_fail(message, TAC_ERROR_VALUE, soup->file, 0, NULL,
                        "has no faces, and so neither volume nor area; use its convex hull");
    if (rule == TAC_SOUP_EXACT) result = check_exact(soup, message);
    if (result != TAC_OK) return result;
    if (rule == TAC_SOUP_CONVEX) {
        result = convex_mass(soup, &mass, message);
    } else {
        massMesh s = {soup->vertex, soup->triangle, soup->ntriangle, rule == TAC_SOUP_SHELL,
                      rule == TAC_SOUP_LEGACY};
        mass = integrate_mass(&s);
    }
    if (result == TAC_OK) result = check_volume(soup, &mass, message);
    if (result == TAC_OK) *out = mass;
    return result;
}
