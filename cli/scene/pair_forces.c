// Body pairs with contact force: respond="scm" has no contact points.

#include "cli/scene/pair_forces.h"
#include "cli/scene/labels.h"

#include "cli/commands.h"
#include "cli/report.h"

#include "model/contact/contact_data.h"
#include "tactus/dynamics.h"
#include "tactus/respond.h"

#include <math.h>
#include <stdlib.h>

typedef struct pairForceWork {
    tacScratch* scratch;
    tacPose* pose;
    double* twist;
    tacPairForce* force;
    int count;
} pairForceWork;

static void free_work(pairForceWork* w) {
    tac_scratch_destroy(w->scratch);
    free(w->pose);
    free(w->twist);
    free(w->force);
}

static tacResult find_forces(const tacModel* model, const tacState* state, pairForceWork* w) {
    size_t n = (size_t)model->nbody;
    w->pose = calloc(n, sizeof *w->pose);
    w->twist = calloc(6 * n, sizeof *w->twist);
    w->force = calloc((size_t)model->contact->nbodies + 1, sizeof *w->force);
    if (!w->pose || !w->twist || !w->force) return TAC_ERROR_MEMORY;
    tacResult result = tac_scratch_create(model, &w->scratch);
    if (result == TAC_OK)
        result = tac_kinematics(model, state->qpos, state->qvel, w->pose, w->twist, w->scratch);
    const tacKinematics at = {.pose = w->pose, .twist = w->twist};
    if (result == TAC_OK) result = tac_force(model, &at, NULL, w->force, &w->count, w->scratch);
    return result;
}

//---------------------------------- printing -------------------------------------

static double force_norm(const tacPairForce* f) {
    return sqrt(f->wrench[0] * f->wrench[0] + f->wrench[1] * f->wrench[1] +
                f->wrench[2] * f->wrench[2]);
}

// as tacInfo.contacts counts them
static int is_active(const tacModel* model, const tacPairForce* f) {
    const tacContactPair* pair = model->contact->pair;
    while (pair->body[0] != f->body[0] || pair->body[1] != f->body[1]) ++pair;
    double k = model->param[pair->stiffness];
    return force_norm(f) > 1e-6 * k * model->param[pair->eps3];
}

// the point of the line of force that is nearest to the second body's origin: (F x T)/F^2
static void force_point(const tacPairForce* f, double out[3]) {
    const double *F = f->wrench, *T = f->wrench + 3, size = force_norm(f);
    for (int k = 0; k < 3; ++k) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        out[k] = f->origin[k] + (F[a] * T[b] - F[b] * T[a]) / (size * size);
    }
}

static void print_pair_json(const tacModel* model, const tacPairForce* f, const double point[3]) {
    cliJson json = {.file = stdout};
    char a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "body1", cli_body_label(model, f->body[0], a));
    cli_json_text(&json, "body2", cli_body_label(model, f->body[1], b));
    cli_json_numbers(&json, "point", point, 3);
    cli_json_numbers(&json, "force", f->wrench, 3);
    cli_json_close(&json, '}');
}

static void print_pair_row(const tacModel* model, const tacPairForce* f, const double point[3]) {
    char a[CLI_LABEL_SIZE], b[CLI_LABEL_SIZE];
    printf("  %-16.16s %-16.16s %9.5f %9.5f %9.5f  %10.4g %10.4g %10.4g  %10.4g\n",
           cli_body_label(model, f->body[0], a), cli_body_label(model, f->body[1], b), point[0],
           point[1], point[2], f->wrench[0], f->wrench[1], f->wrench[2], force_norm(f));
}

static int print_pairs(const char* path, const tacModel* model, const pairForceWork* w, int json) {
    int shown = 0;
    for (int i = 0; i < w->count; ++i) shown += is_active(model, &w->force[i]);
    if (!json)
        printf("%s: no contact points (scm); %d body pair%s with contact force\n", path, shown,
               shown == 1 ? "" : "s");
    if (!json && shown)
        printf("  %-16s %-16s %9s %9s %9s  %10s %10s %10s  %10s\n", "first", "second", "x", "y",
               "z", "Fx", "Fy", "Fz", "force [N]");
    for (int i = 0; i < w->count; ++i) {
        double point[3];
        if (!is_active(model, &w->force[i])) continue;
        force_point(&w->force[i], point);
        (json ? print_pair_json : print_pair_row)(model, &w->force[i], point);
    }
    return shown ? CLI_OK : CLI_FAILED;
}

int cli_pair_forces_print(const char* command, const char* path, const tacModel* model,
                          const tacState* state, int json) {
    pairForceWork w = {0};
    tacResult result = find_forces(model, state, &w);
    int code =
        result == TAC_OK ? print_pairs(path, model, &w, json) : cli_error_result(command, result);
    free_work(&w);
    return code;
}
