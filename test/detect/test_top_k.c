// Keeping the most active records: weights sum to what they should, derivatives are exact, and
// what comes and goes does so smoothly. The same for edges in fields.

#include "detect/manifold_proof.h"

#include "base/assert.h"

#define COLD "tau='.004' "
#define FEW  "top_k='threshold' top_k_vertices='2' top_k_edges='3' top_k_width='.006' "

//---------------------------------- values ---------------------------------------

// activities with and without weights, by kinds of features
typedef struct weighed {
    double sum[4], least[4]; // of weights, and the smallest of what is active
    int count[4];
} weighed;

// vertices are ranked by their depth
static int deeper_counts_more(tacContacts* const c[2]) {
    for (int i = 0; i < c[0]->count; ++i)
        for (int j = 0; j < c[0]->count; ++j) {
            uint64_t kind = c[0]->feature[i] >> 60;
            if (kind > 1 || c[0]->feature[j] >> 60 != kind) continue;
            if (!(c[0]->distance[i] < c[0]->distance[j])) continue;
            ENSURE(c[1]->activity[i] / c[0]->activity[i] >=
                   c[1]->activity[j] / c[0]->activity[j] - 1e-9);
        }
    return 0;
}

static int selected_weights(tacModel* const model[2], const tacPose* body, weighed* out) {
    tacScratch* scratch[2];
    tacContacts* c[2];
    *out = (weighed){.least = {1.0, 1.0, 1.0, 1.0}};
    for (int k = 0; k < 2; ++k) {
        ENSURE(tac_scratch_create(model[k], &scratch[k]) == TAC_OK);
        ENSURE(tac_contacts_create(model[k], 0, 0, &c[k]) == TAC_OK);
        ENSURE(tac_detect(model[k], body, c[k], scratch[k]) == TAC_OK);
    }
    ENSURE(c[0]->count == c[1]->count);
    for (int i = 0; i < c[0]->count; ++i) {
        int kind = (int)(c[0]->feature[i] >> 60);
        double w = c[1]->activity[i] / c[0]->activity[i];
        ENSURE(c[0]->feature[i] == c[1]->feature[i] && c[0]->distance[i] == c[1]->distance[i]);
        ENSURE(w >= 0.0 && w <= 1.0 + 1e-12);
        out->sum[kind] += w;
        ++out->count[kind];
        if (c[0]->activity[i] > 1e-3) out->least[kind] = fmin(out->least[kind], w);
    }
    ENSURE_LAW(deeper_counts_more(c));
    for (int k = 0; k < 2; ++k) {
        tac_contacts_destroy(c[k]);
        tac_scratch_destroy(scratch[k]);
    }
    return 0;
}

// no kind has more weight than it may, and where nothing is left out nothing changes
static int weights_sum_to_k(void) {
    tacModel* few[2] = {manifold_load(&manifold_boxes, COLD),
                        manifold_load(&manifold_boxes, COLD FEW)};
    tacModel* all[2] = {few[0],
                        manifold_load(&manifold_boxes, COLD
                                      "top_k='threshold' top_k_vertices='1000' top_k_edges='1000' "
                                      "top_k_width='1e-9'")};
    testRandom random = {3};
    int full = 0;
    ENSURE(few[0] && few[1] && all[1]);
    for (int i = 0; i < 100; ++i) {
        double x[14];
        tacPose body[3];
        weighed w;
        manifold_random_poses(&manifold_boxes, &random, x);
        manifold_poses(x, body);
        ENSURE_LAW(selected_weights(few, body, &w));
        for (int k = 0; k < 4; ++k) {
            int keep = k < 2 ? 2 : 3;
            ENSURE(w.sum[k] <= keep + 1e-9);
            full += w.count[k] > keep && w.sum[k] < w.count[k] - 0.5;
        }
        ENSURE_LAW(selected_weights(all, body, &w));
        for (int k = 0; k < 4; ++k) ENSURE_NEAR(w.least[k], 1.0, 1e-9);
    }
    printf("    %d times fewer than there are\n", full);
    ENSURE(full > 10);
    tac_model_destroy(few[0]);
    tac_model_destroy(few[1]);
    tac_model_destroy(all[1]);
    return 0;
}

//---------------------------------- smoothness -----------------------------------

// second differences of sum gamma d along a path through other vertices and edges, over h^2
static double largest_second_difference(const tacModel* model, int steps) {
    tacScratch* scratch;
    tacContacts* c;
    double last[2] = {0.0, 0.0}, most = 0.0;
    tac_scratch_create(model, &scratch);
    tac_contacts_create(model, 0, 0, &c);
    for (int i = 0; i <= steps; ++i) {
        double t = (double)i / steps, sum = 0.0, x[14] = {0, 0, 0, 1, 0, 0, 0, 0.02 * t - 0.01};
        double angle = 0.15 + 0.1 * t, lean = 0.1 - 0.15 * t;
        x[8] = 0.01;
        x[9] = 0.115 - 0.004 * t;
        x[10] = cos(angle) * cos(lean);
        x[11] = cos(angle) * sin(lean);
        x[12] = sin(angle) * sin(lean);
        x[13] = sin(angle) * cos(lean);
        tacPose body[3];
        manifold_poses(x, body);
        tac_detect(model, body, c, scratch);
        for (int k = 0; k < c->count; ++k) sum += c->activity[k] * c->distance[k];
        if (i > 1) most = fmax(most, fabs(sum - 2.0 * last[0] + last[1]) * (double)steps * steps);
        last[1] = last[0];
        last[0] = sum;
    }
    tac_contacts_destroy(c);
    tac_scratch_destroy(scratch);
    return most;
}

static int selected_contacts_are_smooth(void) {
    tacModel* model = manifold_load(&manifold_boxes, COLD FEW);
    ENSURE(model);
    double coarse = largest_second_difference(model, 4000),
           fine = largest_second_difference(model, 8000);
    printf("    second differences over h^2: %.4g, %.4g\n", coarse, fine);
    ENSURE(coarse > 1e-3 && fabs(fine / coarse - 1.0) < 0.02);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- derivatives ----------------------------------

static int prove_scene(const manifoldScene* scene, const char* detect, const char* options,
                       int points) {
    points = test_amount(1 + points / 50, points, 10 * points);
    return manifold_prove(scene, manifold_load_by(scene, detect, options), points, 1e-6);
}

static int selected_contacts_have_exact_derivatives(void) {
    int bad = prove_scene(&manifold_boxes, "manifold", COLD FEW, 100) +
              prove_scene(&manifold_rods, "manifold", COLD FEW "vertices='60'", 30) +
              prove_scene(&manifold_boxes, "edge_sdf", COLD FEW, 60);
    prove_summary();
    return bad;
}

// d_twist: delta = D (xi1 - xi0) + rigid(xi0), against tac_detect_jvp; activity alone is new
static int twists_match_the_jvp(void) {
    tacModel* model = manifold_load(&manifold_boxes, COLD FEW);
    tacScratch* scratch;
    tacContacts *c, *dot;
    testRandom random = {5};
    double worst = 0.0;
    ENSURE(model && tac_scratch_create(model, &scratch) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 1, &c) == TAC_OK);
    ENSURE(tac_contacts_create(model, 0, 0, &dot) == TAC_OK);
    for (int i = 0; i < 100; ++i) {
        double x[14], xi[18] = {0};
        tacPose body[3];
        manifold_random_poses(&manifold_boxes, &random, x);
        manifold_poses(x, body);
        for (int k = 12; k < 18; ++k) xi[k] = test_uniform(&random, -1.0, 1.0);
        ENSURE(tac_detect(model, body, c, scratch) == TAC_OK);
        ENSURE(tac_detect_jvp(model, body, c, xi, NULL, dot, scratch) == TAC_OK);
        for (int r = 0; r < c->count; ++r) {
            // from the body's origin to the record's point
            double arm[3], lin[3], rate = 0.0;
            const double o[3] = {body[2].position.x, body[2].position.y, body[2].position.z};
            for (int k = 0; k < 3; ++k) arm[k] = c->point[k][r] - o[k];
            for (int k = 0; k < 3; ++k)
                lin[k] = xi[12 + k] + xi[15 + (k + 1) % 3] * arm[(k + 2) % 3] -
                         xi[15 + (k + 2) % 3] * arm[(k + 1) % 3];
            for (int k = 0; k < 3; ++k)
                rate += c->d_twist[7][k][r] * lin[k] + c->d_twist[7][3 + k][r] * xi[15 + k];
            worst = fmax(worst, fabs(rate - dot->activity[r]) / (1.0 + fabs(rate)));
        }
    }
    ENSURE_NEAR(worst, 0.0, 1e-10);
    tac_contacts_destroy(c);
    tac_contacts_destroy(dot);
    tac_scratch_destroy(scratch);
    tac_model_destroy(model);
    return 0;
}

//---------------------------------- bad input ------------------------------------

static int wrong_options_are_refused(void) {
    static const char* const options[][2] = {
        {"detect='manifold' top_k='best'", "top_k"},
        {"detect='manifold' top_k='softsort'", "top_k"},
        {"detect='edge_sdf' top_k='sinkhorn' fuse='face'", "top_k"},
        {"detect='edge_sdf' top_k='threshold' fuse='face'", "top_k"},
        {"detect='manifold' top_k_edges='4'", "top_k_edges"},
        {"detect='manifold' top_k='threshold' top_k_vertices='0'", "top_k_vertices"},
        {"detect='manifold' top_k='threshold' top_k_vertices='1e9'", "top_k_vertices"},
        {"detect='manifold' top_k='threshold' top_k_width='0'", "top_k_width"},
        {"detect='manifold' top_k_width='.1'", "top_k_width"},
        {"detect='manifold' sort_temperature='.1'", "sort_temperature"},
        {"detect='edge_sdf' top_k='threshold' sort_temperature='.1'", "sort_temperature"},
        {"respond='scm' top_k='threshold'", "top_k"},
        {"detect='manifold' definition='reference' top_k='threshold'", "top_k"},
        {"detect='edge_sdf' definition='reference'", "definition"},
    };
    for (int i = 0; i < TAC_COUNT(options); ++i) {
        char text[600];
        tacModel* model = NULL;
        tacMessage message;
        snprintf(
            text, sizeof text,
            "<mujoco>\n<tactus %s/><worldbody><geom type='box' size='.1 .1 .1'/><body>"
            "<freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body></worldbody></mujoco>",
            options[i][0]);
        ENSURE(tac_load_text(text, (int)strlen(text), "test.xml", NULL, &model, &message) !=
               TAC_OK);
        if (strcmp(message.attribute, options[i][1]) || message.line != 2)
            printf("  %s: %s %d %s\n", options[i][0], message.attribute, message.line,
                   message.text);
        ENSURE(message.line == 2 && strcmp(message.attribute, options[i][1]) == 0);
    }
    return 0;
}

TEST_MAIN(RUN(weights_sum_to_k), RUN(selected_contacts_are_smooth),
          RUN(selected_contacts_have_exact_derivatives), RUN(twists_match_the_jvp),
          RUN(wrong_options_are_refused))
