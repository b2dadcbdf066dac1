// The motion of a random scene: does it diverge, gain energy, pass through the floor or a wall, and
// how many of its states are flagged? Keeps states for derivatives.

#ifndef TAC_STEP_RANDOM_MOTION_H
#define TAC_STEP_RANDOM_MOTION_H

#include "step/random_scene.h"
#include "tactus/step.h"

// flags that say that a derivative is a choice, or that the step was not taken as it should
#define RANDOM_FLAGS                                                                               \
    (TAC_TIE | TAC_GRAZING | TAC_ONE_SIDED | TAC_FALLBACK | TAC_STIFF | TAC_IMPACT_OVERFLOW)

enum { RANDOM_KEPT = 4, RANDOM_MESSAGE = 160 };

// how much is done with a scene
typedef struct randomEffort {
    int steps, states, columns; // of the motion; compared of it, at most RANDOM_KEPT; of each state
} randomEffort;

typedef struct randomKept {
    double q[RANDOM_NUMBERS], v[RANDOM_NUMBERS];
    int step;
} randomKept;

typedef struct randomReport {
    randomKind kind;
    int loaded, steps, flagged;   // steps taken; those with a flag
    int flags[32];                // steps with each flag
    tacResult result;             // of the step that failed
    double gain, contact_gain;    // of energy, relative; what contact alone adds
    int tunnelled;                // bodies
    int columns, unconverged;     // of derivatives that were compared; that have no difference
    int wrong, refused, kinks;    // wrong ones; inputs that cannot be set; borders without a flag
    int states, states_flagged;   // where derivatives were taken
    double error;                 // worst of the derivatives
    double seconds, load_seconds; // CPU time
    char load[700], what[3][RANDOM_MESSAGE]; // why it failed: motion, tunnel, derivative
} randomReport;

typedef struct randomMotion {
    const randomScene* scene;
    tacModel* model;
    tacScratch* scratch;
    tacState x;
    double q[RANDOM_NUMBERS], v[RANDOM_NUMBERS];
    const double* u;
    int side[RANDOM_WALLS]
            [RANDOM_BODIES + 1];         // face by which a body entered a wall + 1; 0: outside
    double before[RANDOM_BODIES + 1][3]; // places of bodies
    int passed;                          // bodies that left a wall by another face
} randomMotion;

static inline int random_open(randomMotion* m, const randomScene* scene, const char* text,
                              tacMessage* message) {
    *m = (randomMotion){.scene = scene};
    if (tac_load_text(text, (int)strlen(text), "scene", NULL, &m->model, message) != TAC_OK)
        return 1;
    if (m->model->nq > RANDOM_NUMBERS || m->model->nbody > RANDOM_BODIES + 1) return 1;
    if (tac_scratch_create(m->model, &m->scratch) != TAC_OK) return 1;
    memcpy(m->q, m->model->qpos0, sizeof(double) * (size_t)m->model->nq);
    memcpy(m->v, m->model->key[0].qvel, sizeof(double) * (size_t)m->model->nv);
    m->x = (tacState){.qpos = m->q, .qvel = m->v};
    m->u = m->model->key[0].ctrl;
    return 0;
}

static inline void random_close(randomMotion* m) {
    tac_scratch_destroy(m->scratch);
    tac_model_destroy(m->model);
}

//---------------------------------- energy ----------------------------------

// Work that actuators can still do: forces are gain u + b0 + b1 q + b2 v, and b2 only takes.
static inline double actuator_energy(const randomMotion* m) {
    const double* param = m->model->param;
    double sum = 0.0;
    for (int i = 0; i < m->model->nu; ++i) {
        const tacActuator* a = &m->model->actuator[i];
        double q = m->q[m->model->joint[a->target].qpos];
        sum -= (param[a->gain] * m->u[i] + param[a->bias]) * q + 0.5 * param[a->bias + 1] * q * q;
    }
    return sum;
}

static inline double random_energy(const randomMotion* m) {
    double e[2] = {INFINITY, 0.0};
    tac_energy(m->model, m->q, m->v, e, m->scratch);
    return e[0] + e[1] + actuator_energy(m);
}

// kinetic energy, and what all bodies could lose by falling to the floor
static inline double energy_scale(const randomMotion* m) {
    const tacModel* model = m->model;
    tacPose pose[RANDOM_BODIES + 1];
    double e[2], sum = 0.0;
    tac_energy(model, m->q, m->v, e, m->scratch);
    tac_kinematics(model, m->q, NULL, pose, NULL, m->scratch);
    const double *o = m->scene->ground, *up = m->scene->up;
    for (int i = 1; i < model->nbody; ++i) {
        tacVec3 p = pose[i].position;
        double height = (p.x - o[0]) * up[0] + (p.y - o[1]) * up[1] + (p.z - o[2]) * up[2];
        sum += model->param[model->body[i].mass] * 9.81 * fmax(height, 0.0);
    }
    return e[0] + sum;
}

// Energy that springs of contact hold at the start: their forces begin some eps3 before bodies
// touch, and c(phi) of docs/contact.md (1) holds at most c eps3 where phi >= 0.
static inline double stored_energy(const randomMotion* m) {
    enum { MOST = 200 };
    tacContactForce* all = calloc(MOST, sizeof *all);
    tacStepContacts contacts = {.contact = all, .capacity = MOST};
    tacParam width;
    double sum = 0.0, most = 0.0;
    if (tac_param_find(m->model, "respond/eps3", &width) == TAC_OK)
        for (int i = 0; i < width.count; ++i) most = fmax(most, m->model->param[width.offset + i]);
    if (most > 0.0 && tac_step_contacts(m->model, &m->x, m->u, &contacts, m->scratch) == TAC_OK)
        for (int i = 0; i < contacts.count; ++i) {
            const double* f = all[i].force;
            sum += most * sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        }
    free(all);
    return sum;
}

//---------------------------------- tunnelling ----------------------------------

// a place in the axes of a wall, in its half sizes
static inline void wall_place(const randomWall* w, const double* p, double* out) {
    double a = w->quat[0], x = -w->quat[1], y = -w->quat[2], z = -w->quat[3];
    double r[3] = {p[0] - w->pos[0], p[1] - w->pos[1], p[2] - w->pos[2]};
    double t[3] = {2.0 * (y * r[2] - z * r[1]), 2.0 * (z * r[0] - x * r[2]),
                   2.0 * (x * r[1] - y * r[0])};
    out[0] = (r[0] + a * t[0] + y * t[2] - z * t[1]) / w->half[0];
    out[1] = (r[1] + a * t[1] + z * t[0] - x * t[2]) / w->half[1];
    out[2] = (r[2] + a * t[2] + x * t[1] - y * t[0]) / w->half[2];
}

// the faces, from 1, where a way enters and leaves a wall; 0: it starts or ends inside
static inline int crosses_wall(const double* from, const double* to, int face[2]) {
    double in = 0.0, out = 1.0;
    face[0] = face[1] = 0;
    for (int k = 0; k < 3; ++k)
        for (int s = -1; s < 2; s += 2) {
            double a = s * from[k] - 1.0, b = s * to[k] - 1.0, t = a / (a - b);
            if (a > 0.0 && b > 0.0) return 0;
            if (a > 0.0 && t >= in) {
                in = t;
                face[0] = 2 * k + 1 + (s > 0);
            } else if (b > 0.0 && t <= out) {
                out = t;
                face[1] = 2 * k + 1 + (s > 0);
            }
        }
    return in <= out;
}

static inline void follow_bodies(randomMotion* m, int first) {
    tacPose pose[RANDOM_BODIES + 1];
    if (tac_kinematics(m->model, m->q, NULL, pose, NULL, m->scratch) != TAC_OK) return;
    for (int i = 1; i < m->model->nbody; ++i) {
        double now[3] = {pose[i].position.x, pose[i].position.y, pose[i].position.z};
        for (int w = 0; w < m->scene->nwall && !first; ++w) {
            double from[3], to[3];
            int face[2], *side = &m->side[w][i];
            wall_place(&m->scene->wall[w], m->before[i], from);
            wall_place(&m->scene->wall[w], now, to);
            if (!crosses_wall(from, to, face)) continue;
            if (face[0]) *side = face[0];
            if (face[1] && *side) {
                // by the face behind; near an edge it may leave by the next
                m->passed += (face[1] - 1) / 2 == (*side - 1) / 2 && face[1] != *side;
                *side = 0;
            }
        }
        memcpy(m->before[i], now, sizeof now);
    }
}

// bodies whose middle is below the floor or in a wall
static inline int bodies_inside(const randomMotion* m) {
    int count = 0;
    const double *o = m->scene->ground, *up = m->scene->up;
    for (int i = 1; i < m->model->nbody; ++i) {
        const double* p = m->before[i];
        int inside = (p[0] - o[0]) * up[0] + (p[1] - o[1]) * up[1] + (p[2] - o[2]) * up[2] < 0.0;
        for (int w = 0; w < m->scene->nwall; ++w) inside |= m->side[w][i] != 0;
        count += inside;
    }
    return count;
}

//---------------------------------- motion ----------------------------------

// What contact alone adds: each step against the same scene without contacts, summed up.
static inline double contact_gain(const randomScene* scene, int steps) {
    static const char flag[] = "<flag contact='disable'/></option>";
    randomMotion m, alone;
    tacMessage message;
    char* text = malloc(RANDOM_TEXT + sizeof flag);
    const char* end = strstr(strstr(scene->text, "<option"), "/>");
    double put = 0.0, most = 0.0;
    sprintf(text, "%.*s>%s%s", (int)(end - scene->text), scene->text, flag, end + 2);
    if (random_open(&m, scene, scene->text, &message) ||
        random_open(&alone, scene, text, &message)) {
        free(text);
        return INFINITY;
    }
    double scale = energy_scale(&m), work = actuator_energy(&m);
    for (int i = 0; i < steps; ++i) {
        memcpy(alone.q, m.q, sizeof m.q);
        memcpy(alone.v, m.v, sizeof m.v);
        if (tac_step(alone.model, &alone.x, alone.u, &alone.x, alone.scratch) != TAC_OK) break;
        if (tac_step(m.model, &m.x, m.u, &m.x, m.scratch) != TAC_OK) break;
        put += random_energy(&m) - random_energy(&alone);
        scale += fabs(actuator_energy(&m) - work);
        work = actuator_energy(&m);
        most = fmax(most, put / scale);
    }
    random_close(&alone);
    random_close(&m);
    free(text);
    return most;
}

// Moves a scene; keeps states of which some touch.
static inline void random_move(randomMotion* m, int steps, randomReport* r, randomKept* kept,
                               testRandom* random) {
    double start = random_energy(m) + stored_energy(m);
    double scale = energy_scale(m), work = actuator_energy(m);
    int touched = 0;
    follow_bodies(m, 1);
    for (int i = 0; i < steps; ++i) {
        randomKept now = {.step = i};
        memcpy(now.q, m->q, sizeof m->q);
        memcpy(now.v, m->v, sizeof m->v);
        r->result = tac_step(m->model, &m->x, m->u, &m->x, m->scratch);
        if (r->result != TAC_OK) {
            snprintf(r->what[0], RANDOM_MESSAGE, "%s at step %d of %d", tac_result_name(r->result),
                     i, steps);
            return;
        }
        tacInfo info = tac_step_info(m->scratch);
        ++r->steps;
        r->flagged += (info.flags & RANDOM_FLAGS) != 0;
        for (int k = 0; k < 32; ++k) r->flags[k] += info.flags >> k & 1;
        // the first is any state, the others touch; each as likely as the next
        touched += info.contacts > 0;
        if (test_uniform(random, 0.0, i + 1.0) < 1.0) kept[0] = now;
        if (info.contacts > 0)
            for (int k = 1; k < RANDOM_KEPT; ++k)
                if (kept[k].step < 0 || test_uniform(random, 0.0, touched) < 1.0) {
                    kept[k] = now;
                    break;
                }
        double rest = actuator_energy(m), gain = random_energy(m) - start;
        scale += fabs(rest - work);
        work = rest;
        if (gain / scale > r->gain) {
            r->gain = gain / scale;
            if (r->gain > 0.01)
                snprintf(r->what[0], RANDOM_MESSAGE, "gains %.3g of its energy %.3g J by step %d",
                         r->gain, scale, i);
        }
        follow_bodies(m, 0);
    }
}

// what is inside at the end may be on its way out
static inline void random_settle(randomMotion* m, randomReport* r) {
    int inside = bodies_inside(m);
    for (int i = 0; i < 400 && inside; ++i) {
        if (tac_step(m->model, &m->x, m->u, &m->x, m->scratch) != TAC_OK) break;
        follow_bodies(m, 0);
        inside = bodies_inside(m);
    }
    r->tunnelled = inside + m->passed;
    if (r->tunnelled)
        snprintf(r->what[1], RANDOM_MESSAGE, "%d inside, %d passed", inside, m->passed);
}

#endif
