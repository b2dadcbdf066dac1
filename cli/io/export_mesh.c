// A shape as a mesh file, for programs without <shape>.

#include "cli/io/export_mesh.h"

#include "cli/io/output.h"
#include "cli/report.h"

#include "mesh/convex/halfspace_intersection.h"
#include "tactus/mesh.h"

#include <stdlib.h>
#include <string.h>

void cli_write_number(FILE* file, double value) {
    char text[CLI_NUMBER_SIZE];
    fputs(cli_number_text(value, text), file);
}

static void put_vertex(FILE* file, double x, double y, double z) {
    const double v[3] = {x, y, z};
    fputc('v', file);
    for (int k = 0; k < 3; ++k) {
        fputc(' ', file);
        cli_write_number(file, v[k]);
    }
    fputc('\n', file);
}

// OBJ counts from 1
static void put_face(FILE* file, int a, int b, int c) {
    fprintf(file, "f %d %d %d\n", a + 1, b + 1, c + 1);
}

//---------------------------------- hull of a mesh -------------------------------

// The node of a hull that a geom's <mesh> has become, or NULL. Names with "mesh:" are of those
// alone.
static const tacNode* hull_node(const tacModel* model, int shape) {
    const tacNode* node = &model->node[model->shape[shape].first];
    return strncmp(model->shape[shape].name, "mesh:", 5) == 0 && model->shape[shape].count == 1 &&
                   node->kind == TAC_NODE_POLYHEDRON
               ? node
               : NULL;
}

static tacResult put_hull(const tacModel* model, const tacNode* node, FILE* file,
                          tacMessage* message) {
    tacHull* hull = NULL;
    tacResult result = tac_halfspace_intersection(model->param + node->block, node->block_count / 4,
                                                  model->allocator, &hull, message);
    if (result != TAC_OK) return result;
    for (int i = 0; i < hull->nvertex; ++i)
        put_vertex(file, hull->vertex[3 * i], hull->vertex[3 * i + 1], hull->vertex[3 * i + 2]);
    for (int i = 0; i < hull->ntriangle; ++i)
        put_face(file, hull->triangle[3 * i], hull->triangle[3 * i + 1], hull->triangle[3 * i + 2]);
    tac_hull_destroy(hull);
    return TAC_OK;
}

//---------------------------------- surface of a shape ---------------------------

static tacResult put_surface(const tacModel* model, int shape, int vertices, FILE* file,
                             tacMessage* message) {
    tacMesh* mesh = NULL;
    tacResult result = tac_shape_tessellate(model, shape, vertices, &mesh, message);
    if (result != TAC_OK) return result;
    for (int i = 0; i < mesh->vertices; ++i)
        put_vertex(file, mesh->x[0][i], mesh->x[1][i], mesh->x[2][i]);
    for (int i = 0; i < mesh->faces; ++i)
        put_face(file, mesh->face[0][i], mesh->face[1][i], mesh->face[2][i]);
    tac_mesh_destroy(mesh);
    return TAC_OK;
}

int cli_export_mesh(const tacModel* model, int shape, const char* path, int vertices) {
    cliOutput output;
    tacMessage message;
    int code = cli_output_open(&output, path);
    if (code != 0) return code;
    const tacNode* hull = hull_node(model, shape);
    tacResult result = hull ? put_hull(model, hull, output.file, &message)
                            : put_surface(model, shape, vertices, output.file, &message);
    if (result == TAC_OK) return cli_output_close(&output);
    cli_output_discard(&output);
    cli_error("check", "%s: shape %s has no mesh: %s", path, model->shape[shape].name,
              message.text);
    return result == TAC_ERROR_UNSOLVED ? CLI_FAILED : CLI_ERROR;
}
