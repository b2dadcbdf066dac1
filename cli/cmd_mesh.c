// tactus mesh: triangles on the surface of a shape.

#include "cli/commands.h"
#include "cli/io/output.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/scene/load.h"
#include "cli/scene/shape_by_name.h"

#include "base/assert.h"
#include "tactus/mesh.h"

#include <math.h>
#include <string.h>

typedef struct meshCall {
    const char *path, *shape, *out;
    int vertices;
} meshCall;

typedef void (*meshWriter)(const tacMesh* mesh, const char* name, FILE* file);

//---------------------------------- formats --------------------------------------

static void write_obj(const tacMesh* mesh, const char* name, FILE* file) {
    fprintf(file, "# tactus mesh: %d vertices, %d faces\no ", mesh->vertices, mesh->faces);
    for (; *name; ++name) fputc(*name > ' ' ? *name : '_', file);
    fputc('\n', file);
    for (int i = 0; i < mesh->vertices; ++i)
        fprintf(file, "v %.17g %.17g %.17g\n", mesh->x[0][i], mesh->x[1][i], mesh->x[2][i]);
    for (int i = 0; i < mesh->faces; ++i)
        fprintf(file, "f %d %d %d\n", mesh->face[0][i] + 1, mesh->face[1][i] + 1,
                mesh->face[2][i] + 1);
}

// binary, little-endian as this machine: normal, three vertices, two unused bytes
static void write_stl(const tacMesh* mesh, const char* name, FILE* file) {
    char head[80] = {0};
    snprintf(head, sizeof head, "tactus mesh %s", name);
    unsigned faces = (unsigned)mesh->faces;
    fwrite(head, 1, sizeof head, file);
    fwrite(&faces, 4, 1, file);
    for (int f = 0; f < mesh->faces; ++f) {
        double x[3][3], a[3], b[3], n[3], length;
        float row[12];
        for (int i = 0; i < 3; ++i)
            for (int k = 0; k < 3; ++k) x[i][k] = mesh->x[k][mesh->face[i][f]];
        for (int k = 0; k < 3; ++k) {
            a[k] = x[1][k] - x[0][k];
            b[k] = x[2][k] - x[0][k];
        }
        for (int k = 0; k < 3; ++k)
            n[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        for (int k = 0; k < 3; ++k) row[k] = (float)(n[k] / length);
        for (int i = 0; i < 9; ++i) row[3 + i] = (float)x[i / 3][i % 3];
        fwrite(row, sizeof *row, 12, file);
        fwrite("\0", 1, 2, file);
    }
}

// binary, little-endian as this machine: doubles; a byte and three ints for each face
static void write_ply(const tacMesh* mesh, const char* name, FILE* file) {
    fprintf(file, "ply\nformat binary_little_endian 1.0\ncomment tactus mesh ");
    for (; *name; ++name) fputc(*name >= ' ' ? *name : '_', file);
    fprintf(file, "\nelement vertex %d\n", mesh->vertices);
    fprintf(file, "property double x\nproperty double y\nproperty double z\n");
    fprintf(file, "element face %d\nproperty list uchar int vertex_indices\n", mesh->faces);
    fprintf(file, "end_header\n");
    for (int i = 0; i < mesh->vertices; ++i)
        for (int k = 0; k < 3; ++k) fwrite(&mesh->x[k][i], sizeof(double), 1, file);
    for (int i = 0; i < mesh->faces; ++i) {
        int vertex[3] = {mesh->face[0][i], mesh->face[1][i], mesh->face[2][i]};
        fputc(3, file);
        fwrite(vertex, sizeof *vertex, 3, file);
    }
}

// by the extension; NULL after a message
static meshWriter find_writer(const char* path) {
    if (cli_has_extension(path, ".obj") || strcmp(path, "-") == 0) return write_obj;
    if (cli_has_extension(path, ".stl")) return write_stl;
    if (cli_has_extension(path, ".ply")) return write_ply;
    cli_error("mesh", "%s: the extension is not .obj, .stl or .ply", path);
    return NULL;
}

//---------------------------------- arguments ------------------------------------

static int parse_mesh_options(meshCall* call, int argc, char** argv) {
    const cliOption options[] = {
        {"shape", 0, CLI_TEXT, &call->shape, "NAME", "shape of the scene; optional if there is one",
         0, 0},
        {"vertices", 0, CLI_INT, &call->vertices, "N", "number of vertices, about; default 300",
         TAC_MESH_MIN_VERTICES, TAC_MESH_MAX_VERTICES},
        {"out", 'o', CLI_TEXT, &call->out, "FILE",
         "mesh to write: .obj, .stl or .ply; - for OBJ on stdout", 0, 0},
    };
    const cliCommand command = {
        .name = "mesh",
        .summary = "triangles on the surface of a shape, as OBJ, STL or PLY",
        .positional = "FILE",
        .description = "Writes a closed mesh whose vertices are on the zero level of the shape's\n"
                       "field, in the shape's frame, faces outward, no self-intersection. Exit\n"
                       "code 1: the shape has no such mesh with so few vertices.\n",
        .example = "  tactus mesh scenes/first_light.xml --shape goblet --vertices 1000 -o "
                   "goblet.obj\n",
        .options = options,
        .option_count = TAC_COUNT(options),
        .min = 1,
        .max = 1,
        .arguments = &call->path,
    };
    int code = cli_parse(&command, argc, argv);
    if (code != CLI_CONTINUE) return code;
    if (!call->out) return cli_error("mesh", "name the mesh with -o, such as -o out.obj");
    return CLI_CONTINUE;
}

//---------------------------------- command --------------------------------------

// opened before the work: a wrong path should not cost the mesh
static int mesh_to_file(const meshCall* call, const tacModel* model, int shape, meshWriter write) {
    cliOutput output;
    tacMesh* mesh = NULL;
    tacMessage message;
    int code = cli_output_open(&output, call->out);
    if (code != 0) return code;
    cliProgress progress = cli_progress_begin("mesh");
    tacResult result = tac_shape_tessellate_with_progress(
        model, shape, call->vertices, cli_progress_show, &progress, &mesh, &message);
    cli_progress_end(&progress);
    if (result != TAC_OK) {
        cli_output_discard(&output);
        cli_error("mesh", "%s: %s", call->path, message.text);
        return result == TAC_ERROR_UNSOLVED ? CLI_FAILED : CLI_ERROR;
    }
    write(mesh, model->shape[shape].name, output.file);
    code = cli_output_close(&output);
    if (code == 0 && strcmp(call->out, "-") != 0)
        printf("%s: %d vertices, %d edges, %d faces, |phi| <= %.1e, worst quality %.2f\n",
               call->out, mesh->vertices, mesh->edges, mesh->faces, mesh->error, mesh->quality);
    tac_mesh_destroy(mesh);
    return code;
}

int tac_cmd_mesh(int argc, char** argv) {
    meshCall call = {.vertices = 300};
    int code = parse_mesh_options(&call, argc, argv);
    if (code != CLI_CONTINUE) return code;
    meshWriter write = find_writer(call.out);
    if (!write) return CLI_ERROR;

    tacModel* model;
    tacMessage message;
    if (cli_load(call.path, NULL, &model, &message) != 0) return CLI_ERROR;
    int shape = cli_shape_by_name("mesh", call.path, model, call.shape);
    code = shape < 0 ? CLI_ERROR : mesh_to_file(&call, model, shape, write);
    tac_model_destroy(model);
    return code;
}
