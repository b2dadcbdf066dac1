// Stages of a scene that moves: its motion, and at a few states all that the public headers tell.

#ifndef TACTUS_TEST_RECORDED_MOTION_H
#define TACTUS_TEST_RECORDED_MOTION_H

#include "model/contact/contact_data.h"
#include "step/recorded_book.h"
#include "step/recorded_scenes.h"
#include "tactus/tactus.h"

enum { RECORDED_ARRAYS = 256, RECORDED_THETA = 12, RECORDED_HESSIAN = 30, RECORDED_BATCH = 3 };

// A scene at a state, and directions to look along. Arrays are freed with it.
typedef struct recordedRun {
    bookCase* c;
    tacModel* model;
    tacScratch* scratch;
    tacState x, next;
    double *u, *u_dot, *theta_dot;
    tacTangent dot, bar;
    testRandom random;
    void* array[RECORDED_ARRAYS];
    int arrays, failed;
} recordedRun;

//---------------------------------- arrays ---------------------------------------

static inline double* take(recordedRun* r, long long count) {
    double* p = calloc((size_t)count + 1, sizeof *p);
    if (!p || r->arrays == RECORDED_ARRAYS) abort();
    r->array[r->arrays++] = p;
    return p;
}

static inline void give_back(recordedRun* r, int from) {
    while (r->arrays > from) free(r->array[--r->arrays]);
}

static inline double* take_random(recordedRun* r, long long count, double reach) {
    double* p = take(r, count);
    for (long long i = 0; i < count; ++i) p[i] = test_uniform(&r->random, -reach, reach);
    return p;
}

static inline tacState take_state(recordedRun* r) {
    const tacModel* m = r->model;
    return (tacState){take(r, m->nq), take(r, m->nv), take(r, m->na), take(r, m->nwarm), 0.0};
}

static inline tacTangent take_tangent(recordedRun* r, double reach) {
    const tacModel* m = r->model;
    tacTangent t = {take_random(r, m->nv, reach), take_random(r, m->nv, reach),
                    take_random(r, m->na, reach)};
    return t;
}

static inline void copy_state(const tacModel* m, const tacState* from, tacState* to) {
    memcpy(to->qpos, from->qpos, sizeof(double) * (size_t)m->nq);
    memcpy(to->qvel, from->qvel, sizeof(double) * (size_t)m->nv);
    memcpy(to->act, from->act, sizeof(double) * (size_t)m->na);
    memcpy(to->warm, from->warm, sizeof(double) * (size_t)m->nwarm);
    to->time = from->time;
}

static inline void book_state(bookCase* c, bookStage stage, const tacModel* m, const tacState* x) {
    book_reals(c, stage, x->qpos, m->nq);
    book_reals(c, stage, x->qvel, m->nv);
    book_reals(c, stage, x->act, m->na);
    book_reals(c, stage, &x->time, 1);
}

static inline void book_tangent(bookCase* c, bookStage stage, const tacModel* m, tacTangent t) {
    book_reals(c, stage, t.dq, m->nv);
    book_reals(c, stage, t.dv, m->nv);
    book_reals(c, stage, t.da, m->na);
}

// notes a result; the outputs count only if it is 1
static inline int book_result(bookCase* c, bookStage stage, tacResult result) {
    book_int(c, stage, (int)result);
    return result == TAC_OK;
}

static inline double norm_of(const double* x, long long count) {
    double sum = 0.0;
    for (long long i = 0; i < count; ++i) sum += x[i] * x[i];
    return sqrt(sum);
}

//---------------------------------- derivatives of the step ----------------------

// numbers of contact, and a few others, in the order of their offsets
static inline int choose_theta(const tacModel* m, tacParam* theta) {
    int offset[RECORDED_THETA], count = 0;
    for (int i = 0; i < TAC_CONTACT_NUMBERS && m->contact && count < RECORDED_THETA - 5; ++i)
        if (m->contact->number[i] >= 0) offset[count++] = m->contact->number[i];
    for (int i = 0; i < 5 && m->nparam > 0; ++i) {
        tacParam one = {.offset = (int)((long long)m->nparam * (2 * i + 1) / 10), .count = 1};
        if (tac_param_live(m, one, NULL) == TAC_OK) offset[count++] = one.offset;
    }
    for (int i = 1; i < count; ++i)
        for (int k = i; k > 0 && offset[k] < offset[k - 1]; --k) {
            int swap = offset[k];
            offset[k] = offset[k - 1];
            offset[k - 1] = swap;
        }
    for (int i = 0; i < count; ++i) theta[i] = (tacParam){offset[i], 1, -INFINITY, INFINITY};
    return count;
}

static inline void record_jacobian(recordedRun* r, int first) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    long long nx = 2 * m->nv + m->na;
    tacParam theta[RECORDED_THETA];
    int ntheta = choose_theta(m, theta);
    double *A = take(r, nx * nx), *B = take(r, nx * m->nu), *P = take(r, nx * ntheta);
    tacResult result = tac_step_jacobian(
        m, &r->x, r->u, &(tacStepJacobian){.next = &r->next, .A = A, .B = B}, r->scratch);
    tacInfo info = tac_step_info(r->scratch);
    book_int(c, STAGE_INFO, info.flags);
    if (book_result(c, STAGE_A, result)) {
        book_state(c, STAGE_A, m, &r->next);
        book_reals(c, STAGE_A, A, nx * nx);
        book_reals(c, STAGE_B, B, nx * m->nu);
        if (first) c->value[2] = norm_of(A, nx * nx);
    }
    result = tac_step_jacobian(
        m, &r->x, r->u, &(tacStepJacobian){.theta = theta, .ntheta = ntheta, .P = P}, r->scratch);
    if (book_result(c, STAGE_P, result)) book_reals(c, STAGE_P, P, nx * ntheta);
}

// one product of each kind, with directions of parameters and without
static inline void record_products(recordedRun* r, int second) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    for (int with = 1; with >= 0; --with) {
        const double* theta_dot = with ? r->theta_dot : NULL;
        tacTangent out = take_tangent(r, 0.0), x_bar = take_tangent(r, 0.0),
                   x_twice = take_tangent(r, 0.0);
        double *u_bar = take(r, m->nu), *theta_bar = with ? take(r, m->nparam) : NULL;
        double *u_twice = take(r, m->nu), *theta_twice = with ? take(r, m->nparam) : NULL;
        if (book_result(c, STAGE_JVP,
                        tac_step_jvp(m, &r->x, r->u,
                                     (tacStepTangent){
                                         .x = r->dot, .u = r->u_dot, .theta = (double*)theta_dot},
                                     out, r->scratch)))
            book_tangent(c, STAGE_JVP, m, out);
        if (book_result(c, STAGE_VJP,
                        tac_step_vjp(m, &r->x, r->u, r->bar,
                                     (tacStepTangent){.x = x_bar, .u = u_bar, .theta = theta_bar},
                                     r->scratch))) {
            book_tangent(c, STAGE_VJP, m, x_bar);
            book_reals(c, STAGE_VJP, u_bar, m->nu);
            if (with) book_reals(c, STAGE_VJP, theta_bar, m->nparam);
        }
        if (!second) continue;
        if (book_result(
                c, STAGE_HVP,
                tac_step_hvp(
                    m, &r->x, r->u,
                    &(tacStepHvp){.next_bar = r->bar,
                                  .dot = {.x = r->dot, .u = r->u_dot, .theta = (double*)theta_dot},
                                  .bar = {.x = x_twice, .u = u_twice, .theta = theta_twice}},
                    r->scratch))) {
            book_tangent(c, STAGE_HVP, m, x_twice);
            book_reals(c, STAGE_HVP, u_twice, m->nu);
            if (with) book_reals(c, STAGE_HVP, theta_twice, m->nparam);
            second = 0; // once is enough: it costs the most
        }
    }
}

static inline void record_hessian(recordedRun* r) {
    const tacModel* m = r->model;
    tacParam theta[RECORDED_THETA];
    int ntheta = choose_theta(m, theta);
    if (ntheta > 2) ntheta = 2;
    long long n = 2 * m->nv + m->na + m->nu + ntheta;
    if (n > RECORDED_HESSIAN) return;
    double* H = take(r, n * n);
    if (book_result(
            r->c, STAGE_HESSIAN,
            tac_step_hessian(
                m, &r->x, r->u,
                &(tacStepHessian){.next_bar = r->bar, .theta = theta, .ntheta = ntheta, .H = H},
                r->scratch)))
        book_reals(r->c, STAGE_HESSIAN, H, n * n);
}

//---------------------------------- contact --------------------------------------

static inline void book_contacts(bookCase* c, bookStage stage, const tacContacts* k, int records) {
    for (int i = 0; i < 3; ++i) book_reals(c, stage, k->point[i], records);
    for (int i = 0; i < 3; ++i) book_reals(c, stage, k->normal[i], records);
    book_reals(c, stage, k->distance, records);
    book_reals(c, stage, k->activity, records);
}

static inline void book_records(bookCase* c, bookStage stage, const tacContacts* k) {
    book_int(c, stage, k->count);
    for (int i = 0; i < k->count; ++i) {
        book_int(c, stage, k->pair[i]);
        book_int(c, stage, k->geom[0][i]);
        book_int(c, stage, k->geom[1][i]);
        book_int(c, stage, k->bundle[i]);
        book_word(c, stage, k->feature[i]);
    }
    book_contacts(c, stage, k, k->count);
}

static inline void fill_contacts(recordedRun* r, tacContacts* k, int count, double reach) {
    k->count = count;
    for (int i = 0; i < count; ++i) {
        for (int d = 0; d < 3; ++d) k->point[d][i] = test_uniform(&r->random, -reach, reach);
        for (int d = 0; d < 3; ++d) k->normal[d][i] = test_uniform(&r->random, -reach, reach);
        k->distance[i] = test_uniform(&r->random, -reach, reach);
        k->activity[i] = test_uniform(&r->random, -reach, reach);
    }
}

// what detectors hand over: records, their derivatives by twists, and both products
typedef struct recordedContacts {
    tacContacts *at, *dot, *bar;
    tacPose* pose;
    double* twist;
} recordedContacts;

static inline int record_detect(recordedRun* r, recordedContacts* k) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    if (!book_result(c, STAGE_DETECT, tac_detect(m, k->pose, k->at, r->scratch))) return 0;
    book_records(c, STAGE_DETECT, k->at);
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 6 && k->at->d_twist[i][j]; ++j)
            book_reals(c, STAGE_DETECT_D, k->at->d_twist[i][j], k->at->count);

    double* pose_dot = take_random(r, 6LL * m->nbody, 0.1);
    fill_contacts(r, k->dot, k->at->count, 0.0);
    if (book_result(c, STAGE_DETECT_D,
                    tac_detect_jvp(m, k->pose, k->at, pose_dot, r->theta_dot, k->dot, r->scratch)))
        book_contacts(c, STAGE_DETECT_D, k->dot, k->at->count);
    fill_contacts(r, k->bar, k->at->count, 1.0);
    double *pose_bar = take(r, 6LL * m->nbody), *theta_bar = take(r, m->nparam);
    if (book_result(c, STAGE_DETECT_D,
                    tac_detect_vjp(m, k->pose, k->at, k->bar, pose_bar, theta_bar, r->scratch))) {
        book_reals(c, STAGE_DETECT_D, pose_bar, 6LL * m->nbody);
        book_reals(c, STAGE_DETECT_D, theta_bar, m->nparam);
    }
    return 1;
}

static inline void book_wrenches(bookCase* c, bookStage stage, const tacPairForce* f, int count) {
    book_int(c, stage, count);
    for (int i = 0; i < count; ++i) {
        book_int(c, stage, f[i].body[0]);
        book_int(c, stage, f[i].body[1]);
        book_reals(c, stage, f[i].origin, 3);
        book_reals(c, stage, f[i].wrench, 6);
    }
}

static inline void record_force(recordedRun* r, recordedContacts* k, int found) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    tacContacts* at = found ? k->at : NULL;
    tacKinematics kinematics = {k->pose, k->twist, 1, NULL};
    size_t words = sizeof(tacPairForce) / sizeof(double) * ((size_t)m->contact->nbodies + 1);
    tacPairForce* force = (void*)take(r, (long long)words);
    tacPairForce* other = (void*)take(r, (long long)words);
    int count = 0;
    if (!book_result(c, STAGE_FORCE, tac_force(m, &kinematics, at, force, &count, r->scratch)))
        return;
    book_wrenches(c, STAGE_FORCE, force, count);
    for (int i = 0; i < count; ++i) {
        book_reals(c, STAGE_FORCE_D, force[i].K, 36);
        book_reals(c, STAGE_FORCE_D, force[i].C, 36);
    }
    memcpy(other, force, sizeof *force * (size_t)count);
    if (book_result(c, STAGE_FORCE_D,
                    tac_force_jvp(m, &kinematics, at, found ? k->dot : NULL, r->theta_dot, other,
                                  r->scratch)))
        for (int i = 0; i < count; ++i) book_reals(c, STAGE_FORCE_D, other[i].wrench, 6);
    memcpy(other, force, sizeof *force * (size_t)count);
    for (int i = 0; i < count; ++i)
        for (int d = 0; d < 6; ++d) other[i].wrench[d] = test_uniform(&r->random, -1.0, 1.0);
    double* theta_bar = take(r, m->nparam);
    if (found) fill_contacts(r, k->bar, at->count, 0.0);
    if (book_result(c, STAGE_FORCE_D,
                    tac_force_vjp(m, &kinematics, at, other, found ? k->bar : NULL, theta_bar,
                                  r->scratch))) {
        book_reals(c, STAGE_FORCE_D, theta_bar, m->nparam);
        if (found) book_contacts(c, STAGE_FORCE_D, k->bar, at->count);
    }
}

static inline void record_contact(recordedRun* r) {
    const tacModel* m = r->model;
    if (!m->contact) return;
    recordedContacts k = {0};
    double* poses = take(r, 7LL * m->nbody);
    k.pose = (tacPose*)poses;
    k.twist = take(r, 6LL * m->nbody);
    if (tac_kinematics(m, r->x.qpos, r->x.qvel, k.pose, k.twist, r->scratch) != TAC_OK) return;
    int found = tac_contacts_create(m, 0, 1, &k.at) == TAC_OK &&
                tac_contacts_create(m, 0, 0, &k.dot) == TAC_OK &&
                tac_contacts_create(m, 0, 0, &k.bar) == TAC_OK;
    book_int(r->c, STAGE_DETECT, found);
    found = found && record_detect(r, &k);
    record_force(r, &k, found);
    tac_contacts_destroy(k.at);
    tac_contacts_destroy(k.dot);
    tac_contacts_destroy(k.bar);
}

// impulses of hard contact, and when bodies meet
static inline void record_impulse(recordedRun* r) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    tacContacts* k = NULL;
    if (!m->contact || m->contact->responder != TAC_RESPOND_LCP) return;
    if (!book_result(c, STAGE_IMPULSE, tac_contacts_create(m, 0, 0, &k))) return;
    double *v = take(r, m->nv), *f = take(r, 3LL * k->capacity), *v_dot = take(r, m->nv);
    double *q_bar = take(r, m->nv), *v_bar = take(r, m->nv), *theta_bar = take(r, m->nparam);
    double unused = 0.0;
    const tacState* x = &r->x;
    if (book_result(c, STAGE_IMPULSE, tac_impulse(m, x->qpos, x->qvel, v, k, f, r->scratch))) {
        book_reals(c, STAGE_IMPULSE, v, m->nv);
        book_records(c, STAGE_IMPULSE, k);
        book_reals(c, STAGE_IMPULSE, f, 3LL * k->count);
    }
    if (book_result(c, STAGE_IMPULSE,
                    tac_impulse_jvp(m, x->qpos, x->qvel, r->dot.dq, r->dot.dv, r->theta_dot, v_dot,
                                    r->scratch)))
        book_reals(c, STAGE_IMPULSE, v_dot, m->nv);
    if (book_result(
            c, STAGE_IMPULSE,
            tac_impulse_vjp(m, x->qpos, x->qvel, r->bar.dv, q_bar, v_bar, theta_bar, r->scratch))) {
        book_reals(c, STAGE_IMPULSE, q_bar, m->nv);
        book_reals(c, STAGE_IMPULSE, v_bar, m->nv);
        book_reals(c, STAGE_IMPULSE, theta_bar, m->nparam);
    }
    if (book_result(c, STAGE_IMPULSE, tac_step_unused(m, x, r->u, &unused, r->scratch)))
        book_reals(c, STAGE_IMPULSE, &unused, 1);
    tac_contacts_destroy(k);
}

static inline void record_course(recordedRun* r) {
    bookCase* c = r->c;
    if (!r->model->contact || r->model->contact->detector != TAC_DETECT_GJK) return;
    size_t size = tac_ccd_size(r->model);
    void* memory = take(r, (long long)(size / sizeof(double)) + 1);
    tacMotionPath course = {r->x.qpos, r->x.qvel, r->dot.dv, 0.1};
    tacTimeOfImpact impact = {0};
    tacCcdCertificate clearance = {0};
    if (book_result(c, STAGE_COURSE,
                    tac_time_of_impact(r->model, &course, -1, -1, 1e-3, &impact, memory))) {
        book_int(c, STAGE_COURSE, impact.found);
        if (impact.found) {
            book_int(c, STAGE_COURSE, impact.geom[0]);
            book_int(c, STAGE_COURSE, impact.geom[1]);
            book_reals(c, STAGE_COURSE, &impact.time, 1);
            book_reals(c, STAGE_COURSE, impact.normal, 3);
        }
    }
    if (book_result(c, STAGE_COURSE,
                    tac_ccd_certify(r->model, &course, 1e-4, &clearance, memory))) {
        book_int(c, STAGE_COURSE, clearance.certain);
        book_int(c, STAGE_COURSE, clearance.pair);
        book_int(c, STAGE_COURSE, clearance.intervals);
        book_reals(c, STAGE_COURSE, &clearance.time, 1);
    }
}

//---------------------------------- dynamics -------------------------------------

static inline void record_places(recordedRun* r) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    const double *q = r->x.qpos, *v = r->x.qvel;
    long long nv = m->nv;
    double *pose = take(r, 7LL * m->nbody), *twist = take(r, 6LL * m->nbody);
    double *J = take(r, 6 * nv), *M = take(r, nv * nv), *tau = take(r, nv);
    double energy[2] = {0}, momentum[6] = {0}, point[3] = {0.1, 0.2, 0.3};
    if (book_result(c, STAGE_DYNAMICS,
                    tac_kinematics(m, q, v, (tacPose*)pose, twist, r->scratch))) {
        book_reals(c, STAGE_DYNAMICS, pose, 7LL * m->nbody);
        book_reals(c, STAGE_DYNAMICS, twist, 6LL * m->nbody);
    }
    if (book_result(c, STAGE_DYNAMICS, tac_body_jacobian(m, q, m->nbody - 1, point, J, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, J, 6 * nv);
    if (book_result(c, STAGE_DYNAMICS, tac_mass_matrix(m, q, M, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, M, nv * nv);
    if (book_result(c, STAGE_DYNAMICS, tac_energy(m, q, v, energy, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, energy, 2);
    if (book_result(c, STAGE_DYNAMICS, tac_momentum(m, q, v, momentum, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, momentum, 6);
    if (book_result(c, STAGE_DYNAMICS, tac_joint_forces(m, &r->x, r->u, tau, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, tau, nv);
    double seconds = 0.0;
    if (book_result(c, STAGE_DYNAMICS,
                    tac_stable_timestep_at(m, &r->x, r->u, &seconds, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, &seconds, 1);
}

static inline tacDynamicsTangent take_bar(recordedRun* r) {
    const tacModel* m = r->model;
    return (tacDynamicsTangent){take(r, m->nv), take(r, m->nv), take(r, m->nv), take(r, m->nparam),
                                take(r, 6LL * m->nbody)};
}

static inline void book_bar(recordedRun* r, bookStage stage, tacDynamicsTangent t) {
    const tacModel* m = r->model;
    book_reals(r->c, stage, t.dq, m->nv);
    book_reals(r->c, stage, t.dv, m->nv);
    book_reals(r->c, stage, t.da, m->nv);
    book_reals(r->c, stage, t.theta, m->nparam);
    book_reals(r->c, stage, t.wrench, 6LL * m->nbody);
}

// both directions of dynamics, that with contact, and their derivatives
static inline void record_dynamics(recordedRun* r) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    long long nv = m->nv;
    double *qacc = take_random(r, nv, 2.0), *wrench = take_random(r, 6LL * m->nbody, 1.0);
    double *tau = take(r, nv), *out = take(r, nv), *by_q = take(r, nv * nv),
           *by_v = take(r, nv * nv);
    tacDynamicsInput x = {r->x.qpos, r->x.qvel, qacc, wrench};
    tacDynamicsTangent dot = {r->dot.dq, r->dot.dv, take_random(r, nv, 1.0), r->theta_dot,
                              take_random(r, 6LL * m->nbody, 1.0)};
    tacDynamicsTangent bar[4] = {take_bar(r), take_bar(r), take_bar(r), take_bar(r)};
    const double energy_bar[2] = {0.7, -0.4};
    if (book_result(c, STAGE_DYNAMICS, tac_inverse_dynamics(m, x, tau, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, tau, nv);
    if (book_result(c, STAGE_DYNAMICS, tac_forward_dynamics(m, x, tau, out, r->scratch)))
        book_reals(c, STAGE_DYNAMICS, out, nv);
    if (book_result(c, STAGE_DYNAMICS_D,
                    tac_inverse_dynamics_jacobian(m, x, by_q, by_v, r->scratch))) {
        book_reals(c, STAGE_DYNAMICS_D, by_q, nv * nv);
        book_reals(c, STAGE_DYNAMICS_D, by_v, nv * nv);
    }
    if (book_result(c, STAGE_DYNAMICS_D, tac_inverse_dynamics_jvp(m, x, dot, out, r->scratch)))
        book_reals(c, STAGE_DYNAMICS_D, out, nv);
    if (book_result(c, STAGE_DYNAMICS_D,
                    tac_inverse_dynamics_vjp(m, x, r->bar.dv, bar[0], r->scratch)))
        book_bar(r, STAGE_DYNAMICS_D, bar[0]);
    if (book_result(c, STAGE_DYNAMICS_D, tac_forward_dynamics_jvp(m, x, tau, dot, out, r->scratch)))
        book_reals(c, STAGE_DYNAMICS_D, out, nv);
    if (book_result(c, STAGE_DYNAMICS_D,
                    tac_forward_dynamics_vjp(m, x, tau, r->bar.dv, bar[1], r->scratch)))
        book_bar(r, STAGE_DYNAMICS_D, bar[1]);
    if (book_result(c, STAGE_DYNAMICS_D,
                    tac_energy_vjp(m, x.qpos, x.qvel, energy_bar, bar[2], r->scratch)))
        book_bar(r, STAGE_DYNAMICS_D, bar[2]);
    if (book_result(c, STAGE_INVERSE, tac_inverse_contact(m, x, out, r->scratch)))
        book_reals(c, STAGE_INVERSE, out, nv);
    if (book_result(c, STAGE_INVERSE, tac_inverse_contact_jvp(m, x, dot, out, r->scratch)))
        book_reals(c, STAGE_INVERSE, out, nv);
    if (book_result(c, STAGE_INVERSE, tac_inverse_contact_vjp(m, x, r->bar.dv, bar[3], r->scratch)))
        book_bar(r, STAGE_INVERSE, bar[3]);
}

static inline void record_sensors(recordedRun* r) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    int rows = tac_row_count(m);
    if (m->nsensordata > 0) {
        double* data = take(r, m->nsensordata);
        if (book_result(c, STAGE_SENSORS, tac_sensor_data(m, &r->x, data, r->scratch)))
            book_reals(c, STAGE_SENSORS, data, m->nsensordata);
    }
    if (rows <= 0) return;
    tacRow* row = (void*)take(r, (long long)(sizeof *row / sizeof(double) + 1) * rows);
    double* J = take(r, (long long)rows * m->nv);
    if (!book_result(c, STAGE_ROWS, tac_rows(m, r->x.qpos, r->x.qvel, row, J, r->scratch))) return;
    book_reals(c, STAGE_ROWS, J, (long long)rows * m->nv);
    for (int i = 0; i < rows; ++i) {
        const double numbers[] = {row[i].value, row[i].velocity, row[i].bound};
        book_int(c, STAGE_ROWS, row[i].kind);
        book_int(c, STAGE_ROWS, row[i].object);
        book_int(c, STAGE_ROWS, row[i].upper);
        book_reals(c, STAGE_ROWS, numbers, 3);
    }
}

//---------------------------------- batches --------------------------------------

// steps of neighbouring states, alone and on one and two threads: the same bits
static inline void record_batch(recordedRun* r) {
    const tacModel* m = r->model;
    tacScratch* scratch[RECORDED_BATCH] = {0};
    uint64_t hash[3];
    for (int threads = 0; threads < 3; ++threads) {
        tacStepItem item[RECORDED_BATCH];
        tacState x[RECORDED_BATCH];
        bookCase note = {0};
        for (int i = 0; i < RECORDED_BATCH; ++i) {
            x[i] = take_state(r);
            copy_state(m, &r->x, &x[i]);
            for (int k = 0; k < m->nv; ++k) x[i].qvel[k] *= 1.0 + 0.125 * i;
            if (!scratch[i] && tac_scratch_create(m, &scratch[i]) != TAC_OK) abort();
            item[i] = (tacStepItem){m, &x[i], r->u, &x[i], scratch[i], TAC_OK};
        }
        for (int step = 0; step < 3; ++step) {
            if (threads) tac_step_batch(item, RECORDED_BATCH, threads);
            for (int i = 0; i < RECORDED_BATCH; ++i) {
                if (!threads) item[i].result = tac_step(m, &x[i], r->u, &x[i], r->scratch);
                book_int(&note, STAGE_BATCH, item[i].result);
                book_state(&note, STAGE_BATCH, m, &x[i]);
            }
        }
        hash[threads] = note.hash[STAGE_BATCH];
    }
    for (int i = 0; i < RECORDED_BATCH; ++i) tac_scratch_destroy(scratch[i]);
    book_word(r->c, STAGE_BATCH, hash[0]);
    if (hash[1] == hash[0] && hash[2] == hash[0]) return;
    printf("  %s: a batch on %d threads differs from single steps\n", r->c->name,
           hash[1] != hash[0] ? 1 : 2);
    r->failed = 1;
}

//---------------------------------- cases ----------------------------------------

static inline void record_state(recordedRun* r, int sample) {
    int before = r->arrays;
    r->random = (testRandom){77 + (unsigned long long)sample};
    record_jacobian(r, sample == 0);
    record_products(r, sample == 2);
    if (sample == 2) record_hessian(r);
    record_contact(r);
    record_impulse(r);
    record_course(r);
    record_places(r);
    record_dynamics(r);
    record_sensors(r);
    if (sample == 2) record_batch(r);
    give_back(r, before);
}

// where the scene is drawn or its first key, with small velocities
static inline void start_run(recordedRun* r) {
    const tacModel* m = r->model;
    r->x = take_state(r);
    r->next = take_state(r);
    r->u = take(r, m->nu);
    r->u_dot = take_random(r, m->nu, 1.0);
    r->theta_dot = take_random(r, m->nparam, 0.01);
    for (int i = 0; i < m->nparam; ++i) // a tangent of what contact holds is refused
        if (tac_param_live(m, (tacParam){.offset = i, .count = 1}, NULL) != TAC_OK)
            r->theta_dot[i] = 0.0;
    r->dot = take_tangent(r, 1.0);
    r->bar = take_tangent(r, 1.0);
    const double* q = m->nkey ? m->key[0].qpos : m->qpos0;
    memcpy(r->x.qpos, q, sizeof *q * (size_t)m->nq);
    for (int i = 0; i < m->nv; ++i)
        r->x.qvel[i] = (m->nkey ? m->key[0].qvel[i] : 0.0) + test_uniform(&r->random, -0.1, 0.1);
}

static inline void drive(recordedRun* r) {
    const tacModel* m = r->model;
    for (int i = 0; i < m->nu; ++i)
        r->u[i] = (m->nkey ? m->key[0].ctrl[i] : 0.0) + test_uniform(&r->random, -0.5, 0.5);
}

static inline void record_motion(recordedRun* r, int steps) {
    const tacModel* m = r->model;
    bookCase* c = r->c;
    for (int i = 0; i <= steps; ++i) {
        int sample = i == 5 ? 0 : i == steps / 2 ? 1 : i == steps ? 2 : -1;
        if (sample == 0) {
            c->value[0] = norm_of(r->x.qpos, m->nq);
            c->value[1] = norm_of(r->x.qvel, m->nv);
        }
        testRandom kept = r->random;
        if (sample >= 0) record_state(r, sample);
        r->random = kept;
        if (i == steps) break;
        if (i % 10 == 0) drive(r);
        tacResult result = tac_step(m, &r->x, r->u, &r->x, r->scratch);
        tacInfo info = tac_step_info(r->scratch);
        book_result(c, STAGE_MOTION, result);
        book_state(c, STAGE_MOTION, m, &r->x);
        book_int(c, STAGE_INFO, info.flags);
        book_int(c, STAGE_INFO, info.contacts);
        book_reals(c, STAGE_INFO, &info.time_of_impact, 1);
        if (result != TAC_OK) break;
    }
    c->value[3] = norm_of(r->x.qpos, m->nq);
}

static inline tacResult load_recorded(const recordedScene* s, tacModel** model,
                                      tacMessage* message) {
    static char text[8192];
    tacOptions options = tac_default_options();
    options.contact = s->contact;
    options.exact = s->exact;
    if (s->file) {
        snprintf(text, sizeof text, "%s/scenes/%s.xml", TAC_SOURCE_DIR, s->file);
        return tac_load(text, &options, model, message);
    }
    if (s->text)
        snprintf(text, sizeof text, "%s", s->text);
    else
        write_heap(text, sizeof text, s->seed);
    return tac_load_text(text, (int)strlen(text), s->name, &options, model, message);
}

// fills a case; 1 if a law was broken
static inline int record_scene(const recordedScene* s, bookCase* c) {
    recordedRun r = {.c = c, .random = {s->seed + 3}};
    tacMessage message = {0};
    snprintf(c->name, sizeof c->name, "%s", s->name);
    if (!book_result(c, STAGE_LOAD, load_recorded(s, &r.model, &message))) {
        if (getenv("TACTUS_RECORDED_TALK")) printf("%s: %s\n", s->name, message.text);
        return 0;
    }
    const tacModel* m = r.model;
    const int sizes[] = {m->nq, m->nv, m->na, m->nu, m->nbody, m->ngeom, m->nparam, m->nsensordata};
    for (int i = 0; i < (int)(sizeof sizes / sizeof sizes[0]); ++i)
        book_int(c, STAGE_LOAD, sizes[i]);
    book_reals(c, STAGE_LOAD, m->qpos0, m->nq);
    book_reals(c, STAGE_PARAM, m->param, m->nparam);
    if (tac_scratch_create(m, &r.scratch) != TAC_OK) abort();
    start_run(&r);
    record_motion(&r, s->steps);
    for (int i = 0; i < BOOK_NEAR && s->rough; ++i) c->value[i] = 0.0;
    give_back(&r, 0);
    tac_scratch_destroy(r.scratch);
    tac_model_destroy(r.model);
    return r.failed;
}

#endif
