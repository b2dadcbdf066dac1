// Contact forces of a step: they carry the weight, sum to the wrenches on bodies, and make the
// change of momentum.

#include "tactus/tactus.h"
#include "test.h"

#define WORLD(tactus)                                                                              \
    "<mujoco>" tactus "<worldbody><geom name='floor' type='plane' size='2 2 1'/>"                  \
    "<body name='box' pos='0 0 .1'><freejoint/><geom name='cube' type='box' size='.1 .1 .1' "      \
    "mass='2'/></body></worldbody></mujoco>"

enum { ROOM = 400 };

typedef struct scene {
    tacModel* model;
    tacScratch* scratch;
    tacState* x;
    tacContactForce contact[ROOM];
    double wrench[12];
} scene;

static int open_scene(scene* s, const char* text) {
    tacMessage message = {0};
    *s = (scene){0};
    tacResult result = tac_load_text(text, (int)strlen(text), "text", NULL, &s->model, &message);
    if (result != TAC_OK) printf("  %s\n", message.text);
    ENSURE(result == TAC_OK);
    ENSURE(tac_scratch_create(s->model, &s->scratch) == TAC_OK);
    ENSURE(tac_state_create(s->model, &s->x) == TAC_OK);
    return 0;
}

static void close_scene(scene* s) {
    tac_state_destroy(s->x);
    tac_scratch_destroy(s->scratch);
    tac_model_destroy(s->model);
}

// the entries' forces at their points make the wrenches on the bodies
static int entries_sum_to_wrenches(const scene* s, int count) {
    double sum[12] = {0}, size = 0.0;
    for (int i = 0; i < count; ++i) {
        const tacContactForce* c = &s->contact[i];
        const double *p = c->point, *f = c->force, *t = c->torque;
        double w[6] = {f[0],
                       f[1],
                       f[2],
                       t[0] + p[1] * f[2] - p[2] * f[1],
                       t[1] + p[2] * f[0] - p[0] * f[2],
                       t[2] + p[0] * f[1] - p[1] * f[0]};
        for (int k = 0; k < 6; ++k) {
            sum[6 * c->body[1] + k] += w[k];
            sum[6 * c->body[0] + k] -= w[k];
            size = fmax(size, fabs(w[k]));
        }
    }
    for (int k = 0; k < 12; ++k) ENSURE_NEAR(sum[k], s->wrench[k], 1e-11 * (1.0 + size));
    return 0;
}

// after a second of rest the floor carries the weight, whatever the responder
static int rest_carries_the_weight(void) {
    static const char* const texts[] = {
        WORLD("<tactus detect='manifold' respond='spring'/>"),
        WORLD("<tactus detect='manifold' respond='spring' implicit='false' stiffness='20000'/>"
              "<option timestep='.0005'/>"),
        WORLD("<tactus detect='sat' respond='elastoplastic'/><option timestep='.0005'/>"),
        WORLD("<tactus respond='scm' points='60'/>"),
        WORLD("<tactus respond='lcp'/>"),
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        scene s;
        ENSURE_LAW(open_scene(&s, texts[i]));
        double h = s.model->param[s.model->timestep];
        for (double t = 0.0; t < 2.0; t += h)
            ENSURE(tac_step(s.model, s.x, NULL, s.x, s.scratch) == TAC_OK);
        tacStepContacts out = {.contact = s.contact, .capacity = ROOM, .wrench = s.wrench};
        ENSURE(tac_step_contacts(s.model, s.x, NULL, &out, s.scratch) == TAC_OK);
        double weight = -2.0 * s.model->param[s.model->gravity + 2];
        printf("  %s: %d contacts, %.9f of the weight\n", texts[i] + 8, out.count,
               s.wrench[8] / weight);
        ENSURE(out.count > 0);
        ENSURE_NEAR(s.wrench[8], weight, 2e-3 * weight);
        ENSURE_LAW(entries_sum_to_wrenches(&s, out.count));
        for (int k = 0; k < out.count; ++k) {
            const tacContactForce* c = &s.contact[k];
            ENSURE(c->body[0] == 0 && c->body[1] == 1);
            ENSURE(c->geom[0] == (i == 3 ? -1 : 0) && c->geom[1] == (i == 3 ? -1 : 1));
            ENSURE(fabs(c->distance) < 0.02 && c->activity > 0.0 && c->activity <= 1.0);
            ENSURE(i == 3 || c->torque[0] == 0.0);
            ENSURE(c->force[2] >= 0.0 && c->normal[2] > 0.9);
        }
        close_scene(&s);
    }
    return 0;
}

// forces of a step with impacts make the change of momentum less gravity
static int impacts_make_the_change_of_momentum(void) {
    scene s;
    ENSURE_LAW(open_scene(&s, WORLD("<tactus respond='lcp' restitution='.5'/>")));
    double h = s.model->param[s.model->timestep], next_q[7], next_v[6];
    tacState next = {.qpos = next_q, .qvel = next_v};
    int impacts = 0;
    s.x->qpos[2] = 0.3;
    s.x->qvel[0] = 0.5;
    for (int i = 0; i < 300; ++i) {
        tacStepContacts out = {.contact = s.contact, .capacity = ROOM, .wrench = s.wrench};
        ENSURE(tac_step_contacts(s.model, s.x, NULL, &out, s.scratch) == TAC_OK);
        ENSURE(tac_step(s.model, s.x, NULL, &next, s.scratch) == TAC_OK);
        impacts += tac_step_info(s.scratch).time_of_impact < h;
        for (int k = 0; k < 3; ++k) {
            double gravity = s.model->param[s.model->gravity + k];
            double change = 2.0 * ((next_v[k] - s.x->qvel[k]) / h - gravity);
            ENSURE_NEAR(s.wrench[6 + k], change, 1e-7 * (1.0 + fabs(change)));
        }
        ENSURE_LAW(entries_sum_to_wrenches(&s, out.count));
        ENSURE(tac_state_copy(s.model, &next, s.x) == TAC_OK);
    }
    printf("  %d steps with an impact\n", impacts);
    ENSURE(impacts > 2);
    close_scene(&s);
    return 0;
}

static int capacities_and_absence(void) {
    scene s;
    ENSURE_LAW(open_scene(&s, WORLD("<tactus detect='manifold' respond='spring'/>")));
    tacStepContacts none = {0};
    s.x->qpos[2] = 0.0999;
    ENSURE(tac_step_contacts(s.model, s.x, NULL, &none, s.scratch) == TAC_ERROR_CAPACITY);
    int count = none.count;
    ENSURE(count > 0);
    tacStepContacts out = {.contact = s.contact, .capacity = count};
    ENSURE(tac_step_contacts(s.model, s.x, NULL, &out, s.scratch) == TAC_OK && out.count == count);
    s.x->qpos[2] = 5.0;
    ENSURE(tac_step_contacts(s.model, s.x, NULL, &none, s.scratch) == TAC_OK && none.count == 0);
    ENSURE(tac_body_pair_count(s.model) == 1);
    close_scene(&s);
    ENSURE_LAW(open_scene(&s, WORLD("")));
    out = (tacStepContacts){.contact = s.contact, .capacity = ROOM, .wrench = s.wrench};
    s.wrench[8] = 7.0;
    ENSURE(tac_step_contacts(s.model, s.x, NULL, &out, s.scratch) == TAC_OK && out.count == 0);
    ENSURE(s.wrench[8] == 0.0);
    close_scene(&s);
    return 0;
}

TEST_MAIN(RUN(rest_carries_the_weight), RUN(impacts_make_the_change_of_momentum),
          RUN(capacities_and_absence))
