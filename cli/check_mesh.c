// Summary of a mesh file: vertices, faces, whether it is closed, bounding box, volume, area, hull.

#include "cli/check_mesh.h"

#include "cli/io/output.h"
#include "cli/report.h"

#include "mesh/convex/hull.h"
#include "mesh/io/soup_stats.h"
#include "mesh/mass/soup_mass.h"

#include <stdio.h>

typedef struct meshReport {
    const tacSoup* soup;
    tacSoupStats measure;
    tacHull* hull;             // NULL: none
    tacSoupMass volume, shell; // exact
    int has_volume, has_area;
    tacMessage no_volume; // why
} meshReport;

int cli_is_mesh_file(const char* path) {
    return cli_has_extension(path, ".obj") || cli_has_extension(path, ".stl") ||
           cli_has_extension(path, ".ply") || cli_has_extension(path, ".xyz") ||
           cli_has_extension(path, ".off") || cli_has_extension(path, ".msh");
}

static tacResult measure_mesh(const tacSoup* soup, meshReport* report) {
    *report = (meshReport){.soup = soup};
    tacResult result = tac_soup_stats(soup, &report->measure);
    if (result != TAC_OK) return result;
    tac_soup_hull(soup, TAC_HULL_MERGE, &report->hull, NULL);
    report->has_volume =
        tac_soup_mass(soup, TAC_SOUP_EXACT, &report->volume, &report->no_volume) == TAC_OK;
    report->has_area = tac_soup_mass(soup, TAC_SOUP_SHELL, &report->shell, NULL) == TAC_OK;
    return TAC_OK;
}

//---------------------------------- text -----------------------------------------

static void print_surface(const meshReport* report) {
    const tacSoupStats* m = &report->measure;
    if (report->soup->nface == 0)
        printf("  surface    none: a cloud of points\n");
    else if (m->oriented)
        printf("  surface    closed and oriented, Euler characteristic %d\n", m->euler);
    else if (m->closed)
        printf("  surface    closed, but %d edges with inconsistently oriented faces\n",
               m->misoriented);
    else
        printf("  surface    not closed: %d boundary edges, %d non-manifold edges\n", m->open,
               m->nonmanifold);
}

static void print_mesh_text(const meshReport* report, const char* path) {
    const tacSoup* soup = report->soup;
    const tacSoupStats* m = &report->measure;
    printf("%s: ok\n", path);
    printf("  vertices   %d, %s normals\n", soup->nvertex, soup->normal ? "with" : "without");
    printf("  faces      %d, of %d triangles", soup->nface, soup->ntriangle);
    if (soup->dropped) printf("; %d degenerate ones dropped", soup->dropped);
    if (soup->repeated) printf("; %d repeated ones dropped", soup->repeated);
    printf("\n  box        %g %g %g to %g %g %g\n", m->lower[0], m->lower[1], m->lower[2],
           m->upper[0], m->upper[1], m->upper[2]);
    print_surface(report);
    if (report->has_area) printf("  area       %g\n", report->shell.volume);
    if (report->has_volume)
        printf("  volume     %g, center %g %g %g\n", report->volume.volume,
               report->volume.centre[0], report->volume.centre[1], report->volume.centre[2]);
    else
        printf("  volume     none: %s\n", report->no_volume.text);
    if (report->hull)
        printf("  hull       %d vertices, %d faces\n", report->hull->nvertex, report->hull->nface);
    else
        printf("  hull       none\n");
}

//---------------------------------- JSON -----------------------------------------

static void print_mesh_json(const meshReport* report, const char* path) {
    cliJson json = {.file = stdout};
    const tacSoup* soup = report->soup;
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", path);
    cli_json_int(&json, "vertices", soup->nvertex);
    cli_json_bool(&json, "normals", soup->normal != NULL);
    cli_json_int(&json, "faces", soup->nface);
    cli_json_int(&json, "triangles", soup->ntriangle);
    cli_json_int(&json, "dropped", soup->dropped);
    cli_json_numbers(&json, "lower", report->measure.lower, 3);
    cli_json_numbers(&json, "upper", report->measure.upper, 3);
    cli_json_bool(&json, "closed", report->measure.closed);
    cli_json_bool(&json, "oriented", report->measure.oriented);
    cli_json_int(&json, "euler", report->measure.euler);
    if (report->has_area) cli_json_number(&json, "area", report->shell.volume);
    if (report->has_volume) cli_json_number(&json, "volume", report->volume.volume);
    if (report->has_volume) cli_json_numbers(&json, "center", report->volume.centre, 3);
    if (report->hull) cli_json_int(&json, "hull_vertices", report->hull->nvertex);
    if (report->hull) cli_json_int(&json, "hull_faces", report->hull->nface);
    cli_json_close(&json, '}');
}

//---------------------------------- all of it ------------------------------------

int cli_check_mesh(const char* path, int json) {
    tacSoup* soup;
    tacMessage message = {0};
    tacResult result = tac_soup_load(path, tac_default_allocator(), &soup, &message);
    if (result != TAC_OK) return cli_error_message(result, &message);
    meshReport report;
    result = measure_mesh(soup, &report);
    if (result == TAC_OK && json) print_mesh_json(&report, path);
    if (result == TAC_OK && !json) print_mesh_text(&report, path);
    tac_hull_destroy(report.hull);
    tac_soup_destroy(soup);
    return result == TAC_OK ? CLI_OK : cli_error_message(result, &message);
}
