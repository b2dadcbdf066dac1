// The soft-minimum contact model between two clouds.

#include "respond/adapter_scm.h"

#include "check/prove.h"
#include "detect/test_clouds.h"
#include "math/spatial.h"
#include "tactus/respond.h"

static int is_short(void) { return getenv("TACTUS_NO_SWEEP") != NULL; }

//---------------------------------- derivatives ----------------------------------

// two balls, or two boxes, near and through each other, at random velocities
static int sample(const void* map, int i, unsigned long long* random, double* x, double* scale) {
    const scmMap* m = map;
    (void)i;
    double gap =
        m->kind == 0 ? tac_check_uniform(random, 0.3, 1.7) : tac_check_uniform(random, 0.35, 0.6);
    for (int k = 0; k < SCM_INPUTS; ++k) scale[k] = 0.1;
    for (int b = 0; b < 2; ++b) {
        for (int k = 0; k < 3; ++k) x[7 * b + k] = tac_check_uniform(random, -0.1, 0.1);
        for (int k = 3; k < 7; ++k) x[7 * b + k] = tac_check_normal(random);
        for (int k = 0; k < 6; ++k) x[14 + 6 * b + k] = 0.5 * tac_check_normal(random);
    }
    double along[3], norm = 0.0;
    for (int k = 0; k < 3; ++k) {
        along[k] = tac_check_normal(random);
        norm += along[k] * along[k];
    }
    for (int k = 0; k < 3; ++k) x[7 + k] += gap * along[k] / sqrt(norm);
    const double number[TAC_SCM_NUMBERS] = {3.0, 0.5, 0.1, 0.6, 0.05, 0.01, 0.03, 0.06};
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k) {
        x[26 + k] = number[k] * tac_check_uniform(random, 0.7, 1.4);
        scale[26 + k] = 0.1 * number[k];
    }
    return 6;
}

static int wrenches_have_exact_derivatives(void) {
    tacContactCloud* clouds[2][2] = {{test_ball(60, 1.0), test_ball(40, 0.4)},
                                     {test_box(3, 0.3, 0.25, 0.2), test_box(2, 0.2, 0.2, 0.3)}};
    static const char* const names[] = {"balls", "boxes", "balls, ahead", "boxes, planes that end",
                                        "balls, planes that end, ahead"};
    for (int trial = 0; trial < 5; ++trial) {
        int kind = trial % 2;
        for (int i = 0; i < 2 && trial >= 3; ++i) test_cut_off(clouds[kind][i], 0.3);
        scmMap map = {{clouds[kind][0], clouds[kind][1]},
                      {0.1, -0.2, 0.3},
                      0,
                      0,
                      kind,
                      trial == 2 || trial == 4};
        tacCheckProblem problem = {.name = names[trial],
                                   .n = SCM_INPUTS,
                                   .m = 6,
                                   .context = &map,
                                   .as_double = &tac_check_scm_double,
                                   .as_complex = &tac_check_scm_complex,
                                   .as_quad = &tac_check_scm_quad,
                                   .sample = sample};
        tacCheckOptions options = tac_check_default_options();
        options.points = is_short() ? 6 : 12;
        options.quad_every = 6;
        options.taylor_every = 3;
        ENSURE_LAW(prove(&problem, options));
    }
    for (int i = 0; i < 4; ++i) test_cloud_free(clouds[i / 2][i % 2]);
    return prove_summary();
}

//---------------------------------- helpers --------------------------------------

static int eval_pair(const tacScmPair* pair, int order, tacScmForce* out) {
    size_t n = (size_t)(pair->cloud[0]->queries + pair->cloud[1]->queries);
    double* reals = malloc(3 * n * sizeof(double));
    int* ints = malloc(2 * n * sizeof(int));
    ENSURE(reals && ints);
    tacScmWork work = {reals, reals + n, reals + 2 * n, ints, ints + n};
    tac_scm_pair(pair, order, work, out);
    free(reals);
    free(ints);
    return 0;
}

// at rest, without friction, k = 1
static tacScmPair still_pair(const tacContactCloud* a, const tacContactCloud* b, double eps1,
                             double eps2, double eps3) {
    tacScmPair p = {.cloud = {a, b}, .pose = {tac_pose_identity(), tac_pose_identity()}};
    const double number[TAC_SCM_NUMBERS] = {1.0, 0.1, 0.01, 0.0, eps3, 0.0, eps1, eps2};
    for (int k = 0; k < TAC_SCM_NUMBERS; ++k) p.number[k] = number[k];
    return p;
}

// force on the second body along x, its middle at (x, 0, 0)
static double force_at(tacScmPair* p, double x) {
    tacScmForce f;
    p->pose[1].position = (tacVec3){x, 0.0, 0.0};
    return eval_pair(p, 0, &f) ? NAN : f.wrench[0];
}

static void draw_pair(testRandom* random, tacScmPair* p) {
    for (int i = 0; i < 2; ++i) {
        p->pose[i].position =
            (tacVec3){test_uniform(random, -0.2, 0.2) + 0.4 * i, test_uniform(random, -0.2, 0.2),
                      test_uniform(random, -0.2, 0.2)};
        p->pose[i].rotation = (tacQuat){test_uniform(random, -1, 1), test_uniform(random, -1, 1),
                                        test_uniform(random, -1, 1), test_uniform(random, -1, 1)};
        for (int k = 0; k < 6; ++k) p->twist[i][k] = test_uniform(random, -1.0, 1.0);
    }
    p->number[TAC_SCM_MU] = 0.7;
}

static double largest_entry(const double* x, int n) {
    double most = 0.0;
    for (int i = 0; i < n; ++i) most = fmax(most, fabs(x[i]));
    return most;
}

//---------------------------------- laws of mechanics ----------------------------

// seen from the other body it is the opposite wrench
static int action_is_reaction(void) {
    testRandom random = {3};
    tacContactCloud *a = test_ball(150, 0.5), *b = test_box(5, 0.3, 0.2, 0.25);
    double worst = 0.0;
    for (int trial = 0; trial < 40; ++trial) {
        tacScmPair p = still_pair(a, b, 0.01, 0.03, 0.02), q = p;
        tacScmForce f, g;
        draw_pair(&random, &p);
        q = p;
        q.cloud[0] = b;
        q.cloud[1] = a;
        for (int i = 0; i < 2; ++i) {
            q.pose[i] = p.pose[1 - i];
            memcpy(q.twist[i], p.twist[1 - i], sizeof q.twist[i]);
        }
        ENSURE_LAW(eval_pair(&p, 0, &f));
        ENSURE_LAW(eval_pair(&q, 0, &g));
        for (int k = 0; k < 6; ++k)
            worst = fmax(worst, fabs(f.wrench[k] + g.wrench[k]) / largest_entry(f.wrench, 6));
    }
    printf("  action + reaction %.1e of the wrench\n", worst);
    ENSURE(worst <= 1e-12);
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

// what velocity adds to the wrench takes energy out, and bodies that move as one feel none of it
static int dissipation_takes_energy_out(void) {
    testRandom random = {4};
    tacContactCloud *a = test_ball(150, 0.5), *b = test_box(5, 0.3, 0.2, 0.25);
    double most = -INFINITY, rigid = 0.0;
    for (int trial = 0; trial < 60; ++trial) {
        tacScmPair p = still_pair(a, b, 0.01, 0.03, 0.02), q;
        tacScmForce f, g;
        draw_pair(&random, &p);
        p.reference = trial % 2;
        q = p;
        memset(q.twist, 0, sizeof q.twist);
        ENSURE_LAW(eval_pair(&p, 0, &f));
        ENSURE_LAW(eval_pair(&q, 0, &g));
        double power = 0.0, nu[6];
        tac_twist_store(nu, tac_twist_sub(tac_twist_shift(tac_twist_load(p.twist[1]),
                                                          p.pose[1].position, tac_vec3_zero()),
                                          tac_twist_shift(tac_twist_load(p.twist[0]),
                                                          p.pose[0].position, tac_vec3_zero())));
        for (int k = 0; k < 6; ++k) power += (f.wrench[k] - g.wrench[k]) * nu[k];
        most = fmax(most, power);
        // both on one rigid motion
        tac_twist_store(q.twist[0], tac_twist_load(p.twist[0]));
        tac_twist_store(q.twist[1], tac_twist_shift(tac_twist_load(p.twist[0]), p.pose[0].position,
                                                    p.pose[1].position));
        ENSURE_LAW(eval_pair(&q, 0, &f));
        for (int k = 0; k < 6; ++k)
            rigid = fmax(rigid, fabs(f.wrench[k] - g.wrench[k]) / largest_entry(g.wrench, 6));
    }
    printf("  largest power %.2e W; a common motion changes the wrench by %.1e\n", most, rigid);
    ENSURE(most <= 0.0);
    ENSURE(rigid <= 1e-10);
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

// a ball slides on a plane: friction is below mu times the normal force, and near it when fast
static int friction_is_bounded(void) {
    tacContactCloud *plane = NULL, *ball = test_ball(400, 0.1);
    ENSURE(tac_contact_cloud_plane(tac_pose_identity(), tac_default_allocator(), &plane) == TAC_OK);
    for (int i = 0; i < 60; ++i) {
        tacScmPair p = still_pair(plane, ball, 1e-4, 1e-3, 5e-4);
        tacScmForce f;
        double speed = 1e-4 * pow(1.3, i), mu = 0.1 + 0.02 * i;
        p.number[TAC_SCM_MU] = mu;
        p.pose[1].position.z = 0.099;
        p.twist[1][0] = speed;
        p.twist[1][2] = 0.05 * sin(i);
        ENSURE_LAW(eval_pair(&p, 0, &f));
        ENSURE(f.wrench[2] >= 0.0 && f.wrench[0] < 0.0);
        ENSURE(-f.wrench[0] <= mu * f.wrench[2]);
        ENSURE_NEAR(-f.wrench[0], mu * f.wrench[2] * speed / hypot(0.01, speed),
                    1e-12 * f.wrench[2]);
    }
    test_cloud_free(plane);
    test_cloud_free(ball);
    return 0;
}

// everything turned and moved: the wrench turns with it
static int wrenches_are_frame_invariant(void) {
    testRandom random = {9};
    tacContactCloud *a = test_ball(150, 0.5), *b = test_box(5, 0.3, 0.2, 0.25);
    double worst = 0.0;
    for (int trial = 0; trial < 40; ++trial) {
        tacScmPair p = still_pair(a, b, 0.01, 0.03, 0.02), q;
        tacScmForce f, g;
        draw_pair(&random, &p);
        tacPose T = {{test_uniform(&random, -3, 3), 1.0, -2.0}, p.pose[0].rotation};
        q = p;
        for (int i = 0; i < 2; ++i) {
            q.pose[i] = tac_pose_compose(T, p.pose[i]);
            for (int h = 0; h < 2; ++h)
                tac_store3(q.twist[i] + 3 * h, tac_pose_rotate(T, tac_load3(p.twist[i] + 3 * h)));
        }
        tac_store3(q.origin, T.position);
        ENSURE_LAW(eval_pair(&p, 0, &f));
        ENSURE_LAW(eval_pair(&q, 0, &g));
        for (int h = 0; h < 2; ++h) {
            double rotated[3];
            tac_store3(rotated, tac_pose_rotate(T, tac_load3(f.wrench + 3 * h)));
            for (int k = 0; k < 3; ++k)
                worst = fmax(worst,
                             fabs(rotated[k] - g.wrench[3 * h + k]) / largest_entry(f.wrench, 6));
        }
    }
    printf("  turned scene %.1e of the wrench\n", worst);
    ENSURE(worst <= 1e-10);
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

//---------------------------------- plain sums -----------------------------------

// a cloud in the world
typedef struct plainBody {
    int count;
    tacVec3 *x, *n; // (count)
    tacVec3 middle; // that its twist is about
    const double* twist;
    double wrench[6]; // about the world's origin
    double *Phi, *w;  // (count) work
} plainBody;

static plainBody plain_body(const tacScmPair* p, int i) {
    const tacContactCloud* c = p->cloud[i];
    plainBody b = {.count = c->count, .middle = p->pose[i].position, .twist = p->twist[i]};
    b.x = calloc((size_t)c->count, 2 * sizeof *b.x);
    b.n = b.x + c->count;
    b.Phi = calloc((size_t)c->count, 2 * sizeof(double));
    b.w = b.Phi + c->count;
    for (int k = 0; k < c->count; ++k) {
        const double* at = c->block + k;
        tacVec3 x = {at[0], at[c->count], at[2 * c->count]},
                n = {at[3 * c->count], at[4 * c->count], at[5 * c->count]};
        b.x[k] = tac_pose_apply(p->pose[i], x);
        b.n[k] = tac_pose_rotate(p->pose[i], n);
    }
    return b;
}

static tacVec3 velocity_at(const plainBody* b, tacVec3 x) {
    return tac_add(tac_load3(b->twist), tac_cross(tac_load3(b->twist + 3), tac_sub(x, b->middle)));
}

static void force_on_body(plainBody* b, double s, tacVec3 at, tacVec3 f) {
    tacVec3 torque = tac_cross(at, f);
    const double add[6] = {f.x, f.y, f.z, torque.x, torque.y, torque.z};
    for (int k = 0; k < 6; ++k) b->wrench[k] += s * add[k];
}

// weights of the planes of b at a point of a, and its distance
static double weigh_planes(const plainBody* b, tacVec3 y, double eps1) {
    double least = INFINITY, total = 0.0, Phi = 0.0;
    for (int i = 0; i < b->count; ++i)
        least = fmin(least, tac_dot(tac_sub(y, b->x[i]), tac_sub(y, b->x[i])));
    for (int i = 0; i < b->count; ++i) {
        tacVec3 d = tac_sub(y, b->x[i]);
        total += b->w[i] = exp((least - tac_dot(d, d)) / eps1);
    }
    for (int i = 0; i < b->count; ++i) {
        b->w[i] /= total;
        Phi += b->w[i] * tac_dot(b->n[i], tac_sub(y, b->x[i]));
    }
    return Phi;
}

// the planes of b push a point of a that has weight s. As printed, in (21), they move and take the
// reaction at their own places instead of the point's
static void force_on_point(const tacScmPair* p, plainBody* a, plainBody* b, int k, double s,
                           int printed) {
    const double* n = p->number;
    tacPlaneLaw law = {
        n[TAC_SCM_K], n[TAC_SCM_V_D], n[TAC_SCM_V_S], n[TAC_SCM_MU], n[TAC_SCM_EPS3], 0.0, 0, 0};
    tacVec3 y = a->x[k];
    weigh_planes(b, y, n[TAC_SCM_EPS1]);
    for (int i = 0; i < b->count; ++i) {
        tacVec3 place = printed ? b->x[i] : y;
        tacPlaneState at = {.phi = tac_dot(b->n[i], tac_sub(y, b->x[i])), .n = b->n[i]};
        at.v = tac_sub(velocity_at(a, y), velocity_at(b, place));
        tacVec3 f = tac_point_plane(&law, &at);
        force_on_body(a, s * b->w[i], y, f);
        force_on_body(b, -s * b->w[i], place, f);
    }
}

// (6) and (7) as they stand, all pairs of points one by one: wrenches on both bodies
static void plain_wrenches(const tacScmPair* p, int printed, double out[2][6]) {
    plainBody body[2] = {plain_body(p, 0), plain_body(p, 1)};
    double least = INFINITY, total = 0.0, eps2 = p->number[TAC_SCM_EPS2];
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < body[side].count; ++k) {
            double Phi = weigh_planes(&body[1 - side], body[side].x[k], p->number[TAC_SCM_EPS1]);
            body[side].Phi[k] = Phi;
            least = fmin(least, Phi);
        }
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < body[side].count; ++k) total += exp((least - body[side].Phi[k]) / eps2);
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < body[side].count; ++k)
            force_on_point(p, &body[side], &body[1 - side], k,
                           exp((least - body[side].Phi[k]) / eps2) / total, printed);
    for (int side = 0; side < 2; ++side) {
        memcpy(out[side], body[side].wrench, sizeof out[side]);
        free(body[side].x);
        free(body[side].Phi);
    }
}

// The wrench is the plain sum. With the arms that are printed the pair would make a torque out of
// nothing, and bodies that spin as one would feel each other's velocity.
static int plain_sum_matches_and_reference_arms_differ(void) {
    testRandom random = {21};
    tacContactCloud *a = test_ball(60, 0.5), *b = test_box(3, 0.3, 0.2, 0.25);
    double worst = 0.0, own = 0.0, torque = 0.0, ang_vel = 0.0;
    for (int trial = 0; trial < 8; ++trial) {
        tacScmPair p = still_pair(a, b, 0.01, 0.03, 0.02);
        tacScmForce f;
        double plain[2][6], printed[2][6], still[2][6];
        draw_pair(&random, &p);
        for (int i = 0; i < 2; ++i) p.pose[i].rotation = tac_quat_normalize(p.pose[i].rotation);
        ENSURE_LAW(eval_pair(&p, 0, &f));
        plain_wrenches(&p, 0, plain);
        plain_wrenches(&p, 1, printed);
        double size = largest_entry(f.wrench, 6);
        for (int k = 0; k < 6; ++k) {
            worst = fmax(worst, fabs(f.wrench[k] - plain[1][k]) / size);
            own = fmax(own, fabs(plain[0][k] + plain[1][k]) / size);
            torque = fmax(torque, fabs(printed[0][k] + printed[1][k]) / size);
        }
        // both turn with 2 rad/s about the origin
        for (int i = 0; i < 2; ++i) {
            tacVec3 w = {0.0, 0.0, 2.0};
            tac_store3(p.twist[i], tac_cross(w, p.pose[i].position));
            tac_store3(p.twist[i] + 3, w);
        }
        plain_wrenches(&p, 1, printed);
        memset(p.twist, 0, sizeof p.twist);
        plain_wrenches(&p, 1, still);
        for (int k = 0; k < 6; ++k)
            ang_vel = fmax(ang_vel, fabs(printed[1][k] - still[1][k]) / largest_entry(still[1], 6));
    }
    printf("  plain sum %.1e; torque of nothing %.1e, with printed arms %.2f; force by spinning as "
           "one, with printed arms %.2f of it\n",
           worst, own, torque, ang_vel);
    ENSURE(worst <= 1e-12 && own <= 1e-12);
    ENSURE(torque > 1e-2 && ang_vel > 0.1);
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

// k is the stiffness of a pair of bodies: two regions of contact carry what one does
static int regions_share_the_stiffness(void) {
    tacContactCloud *plane = NULL, *one = NULL, *two = NULL;
    enum { COUNT = 200 };
    double x[2 * COUNT][3], n[2 * COUNT][3];
    for (int i = 0; i < 2 * COUNT; ++i) {
        double z = 1.0 - (2.0 * (i % COUNT) + 1.0) / COUNT, s = sqrt(1.0 - z * z),
               t = 2.4 * (i % COUNT);
        const double m[3] = {s * cos(t), s * sin(t), z};
        for (int k = 0; k < 3; ++k) {
            n[i][k] = m[k];
            x[i][k] = 0.1 * m[k] + (k == 0 && i >= COUNT);
        }
    }
    tacAllocator allocator = tac_default_allocator();
    ENSURE(tac_contact_cloud_plane(tac_pose_identity(), allocator, &plane) == TAC_OK);
    ENSURE(
        tac_contact_cloud_points((tacSurfacePoints){COUNT, x[0], n[0], 0.1, NULL, NULL, 0.0, NULL},
                                 allocator, &one, NULL) == TAC_OK);
    ENSURE(tac_contact_cloud_points(
               (tacSurfacePoints){2 * COUNT, x[0], n[0], 0.2, NULL, NULL, 0.0, NULL}, allocator,
               &two, NULL) == TAC_OK);
    double force[2];
    for (int i = 0; i < 2; ++i) {
        tacScmPair p = still_pair(plane, i ? two : one, 1e-4, 1e-3, 5e-4);
        tacScmForce f;
        p.pose[1].position.z = 0.09;
        ENSURE_LAW(eval_pair(&p, 0, &f));
        force[i] = f.wrench[2];
    }
    ENSURE_NEAR(force[0], force[1], 1e-13);
    ENSURE(force[0] > 0.005 && force[0] < 0.01); // k = 1 and a centimetre deep
    test_cloud_free(plane);
    test_cloud_free(one);
    test_cloud_free(two);
    return 0;
}

// an eps1 above 1.2 r^2 of the smaller ball makes them pull at each other over a gap
static int hot_clouds_attract_at_a_distance(void) {
    tacContactCloud *a = test_ball(600, 1.0), *b = test_ball(300, 0.4);
    for (int hot = 0; hot < 2; ++hot) {
        tacScmPair p = still_pair(a, b, (hot ? 2.0 : 1.0) * 0.16, 0.02, 0.02);
        double least = INFINITY;
        for (double gap = 0.1; gap < 1.0; gap += 0.1) least = fmin(least, force_at(&p, 1.4 + gap));
        printf("  eps1 of %g r^2: least force over a gap %.1e\n", hot ? 2.0 : 1.0, least);
        ENSURE(hot ? least < 0.0 : least > 0.0);
    }
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

//---------------------------------- culling --------------------------------------

// wrench, K, C and T are those of all points
static int culled_wrench_is_exact(void) {
    tacContactCloud *a = test_ball(1200, 1.0), *b = test_box(10, 0.4, 0.3, 0.5);
    double worst = 0.0;
    for (int trial = is_short() ? 3 : 0; trial < 6; ++trial) {
        double h = a->spacing;
        tacScmPair p = still_pair(a, b, 0.25 * h * h, trial % 2 ? 0.02 : 0.004, 0.005);
        tacScmForce f, g;
        p.pose[1].position = (tacVec3){1.2 + 0.05 * trial, 0.1 * trial, 0.2};
        p.twist[1][0] = -0.1;
        p.twist[1][4] = 0.3;
        p.number[TAC_SCM_MU] = 0.5;
        ENSURE_LAW(eval_pair(&p, 2, &f));
        p.exact = 1;
        ENSURE_LAW(eval_pair(&p, 2, &g));
        const double *x[4] = {f.wrench, f.K, f.C, f.T}, *y[4] = {g.wrench, g.K, g.C, g.T};
        const int size[4] = {6, 36, 36, 6 * TAC_SCM_NUMBERS};
        for (int part = 0; part < 4; ++part)
            for (int k = 0; k < size[part]; ++k)
                worst =
                    fmax(worst, fabs(x[part][k] - y[part][k]) / largest_entry(y[part], size[part]));
        for (int k = 0; k < 2; ++k) ENSURE_NEAR(f.separation[k], g.separation[k], 1e-14);
    }
    printf("  culled against exact: %.1e of the largest entry\n", worst);
    ENSURE(worst <= 1e-12);
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

//---------------------------------- figures of the paper -------------------------

// 000 Fig. 1 and 5: balls of 600 and 300 points, R = 1, r = 0.4, k = 1; computed beforehand by an
// independent program
static int spheres_pass_through_each_other(void) {
    tacContactCloud *a = test_ball(600, 1.0), *b = test_ball(300, 0.4);
    static const double known[6][3] = {{0.5, 0.758, 0.10},   {0.8, 0.564, 0.05},
                                       {1.0, 0.366, 0.05},   {1.2, 0.179, 0.05},
                                       {1.38, 0.0197, 0.05}, {1.5, 1.1e-4, 0.1}};
    tacScmPair p = still_pair(a, b, 0.01, 0.02, 0.02);
    for (int i = 0; i < 6; ++i)
        ENSURE_NEAR(force_at(&p, known[i][0]), known[i][1], known[i][2] * known[i][1]);
    ENSURE_NEAR(force_at(&p, 0.02), -0.176, 0.02);
    ENSURE_NEAR(force_at(&p, 0.2), -0.622, 0.05);
    ENSURE(force_at(&p, 0.37) < 0.0 && force_at(&p, 0.43) > 0.0);
    // strong smoothing pushes apart everywhere
    p.number[TAC_SCM_EPS2] = 0.3;
    for (double d = 0.05; d < 1.5; d += 0.1) ENSURE(force_at(&p, d) > 0.0);
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

// whether the concentric pose pulls or pushes changes at eps2 = (R - r) r/(2 (R - r) - r)
static int concentric_spheres_have_a_threshold(void) {
    static const double known[4][2] = {{0.3, 0.191}, {0.4, 0.300}, {0.5, 0.500}, {0.6, 1.20}};
    tacContactCloud* a = test_ball(2000, 1.0);
    for (int i = is_short() ? 2 : 0; i < 4; ++i) {
        tacContactCloud* b = test_ball(1200, known[i][0]);
        double low = 0.5 * known[i][1], high = 2.0 * known[i][1];
        tacScmPair p = still_pair(a, b, 1.5e-3, 1.0, 1e-3);
        for (int k = 0; k < 9; ++k) {
            p.number[TAC_SCM_EPS2] = 0.5 * (low + high);
            // the mean over opposite displacements takes the cloud's own unevenness out
            double force = force_at(&p, 0.02) - force_at(&p, -0.02);
            *(force > 0.0 ? &high : &low) = 0.5 * (low + high);
        }
        printf("  r %.1f: threshold %.3f, predicted %.3f\n", known[i][0], 0.5 * (low + high),
               known[i][1]);
        ENSURE_NEAR(0.5 * (low + high), known[i][1], 0.03 * known[i][1]);
        test_cloud_free(b);
    }
    test_cloud_free(a);
    return 0;
}

// at a fixed gap the force goes to 0 with the temperatures
static int no_force_at_a_distance(void) {
    tacContactCloud *a = test_ball(600, 1.0), *b = test_ball(300, 0.4);
    double before = INFINITY;
    for (double s = 1.0; s > 0.05; s *= 0.5) {
        tacScmPair p = still_pair(a, b, 0.04 * s * s, 0.05 * s, 0.05 * s);
        double force = force_at(&p, 1.5);
        ENSURE(force > 0.0 && force < 0.3 * before);
        before = force;
    }
    printf("  force over a gap of 0.1 at the least temperatures %.1e\n", before);
    ENSURE(before < 1e-12);
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

//---------------------------------- smoothness -----------------------------------

// ways through what changes
enum { THROUGH, EDGE_TO_FACE, SLOWING, AROUND, PATHS };
static const char* const path_name[PATHS] = {"balls through each other", "box from edge to face",
                                             "velocity through 0", "T around the finger"};

static tacScmPair on_path(const tacContactCloud* a, const tacContactCloud* b, int kind, double t) {
    static const double eps[PATHS][3] = {
        {0.02, 0.02, 0.02}, {4e-3, 0.01, 0.01}, {4e-3, 0.01, 0.01}, {4e-4, 4e-3, 2e-3}};
    tacScmPair p = still_pair(a, b, eps[kind][0], eps[kind][1], eps[kind][2]);
    p.number[TAC_SCM_MU] = 0.5;
    p.twist[1][0] = 0.1;
    p.twist[1][1] = 0.2;
    if (kind == THROUGH) p.pose[1].position = (tacVec3){-1.6 + 3.2 * t, 0.05, 0.0};
    if (kind == EDGE_TO_FACE) {
        p.pose[1].position = (tacVec3){0.1, 0.05, 0.46};
        p.pose[1].rotation = (tacQuat){cos(0.4 - 0.8 * t), sin(0.4 - 0.8 * t), 0.0, 0.0};
    }
    if (kind == SLOWING) { // where the reference law has a kink
        p.pose[1].position = (tacVec3){0.0, 0.0, 0.44};
        p.twist[1][2] = 0.05 - 0.1 * t;
    }
    if (kind == AROUND) { // once round, through the bar, past its ends, the notches and the stem
        p.pose[0].rotation = (tacQuat){cos(TEST_PI * t), 0.0, 0.0, sin(TEST_PI * t)};
        p.pose[1].position = (tacVec3){0.1, 0.0, 0.003};
    }
    return p;
}

// a T of 26 faces; the ball is its finger
static tacContactCloud* test_letter(void) {
    tacAllocator allocator = tac_default_allocator();
    tacSoup* soup = NULL;
    tacContactCloud* cloud = NULL;
    if (tac_soup_load(TAC_SOURCE_DIR "/scenes/t_26.obj", allocator, &soup, NULL) == TAC_OK)
        tac_contact_cloud_create(soup, tac_pose_identity(), allocator, &cloud, NULL);
    tac_soup_destroy(soup);
    return cloud;
}

// largest second difference of wrench and K, each in units of its size along the path
static int second_differences(int kind, int steps, int reference, const tacContactCloud* a,
                              const tacContactCloud* b, double out[2]) {
    double x[3][78], size[2] = {0}, most[2] = {0};
    for (int i = 0; i <= steps; ++i) {
        tacScmPair p = on_path(a, b, kind, (double)i / steps);
        tacScmForce f;
        p.reference = reference;
        ENSURE_LAW(eval_pair(&p, 1, &f));
        double* at = x[i % 3];
        memcpy(at, f.wrench, sizeof f.wrench);
        memcpy(at + 6, f.K, sizeof f.K);
        memcpy(at + 42, f.C, sizeof f.C);
        for (int k = 0; k < 78; ++k) size[k >= 6] = fmax(size[k >= 6], fabs(at[k]));
        for (int k = 0; k < 78 && i > 1; ++k)
            most[k >= 6] =
                fmax(most[k >= 6], fabs(x[0][k] + x[1][k] + x[2][k] - 3.0 * x[(i + 2) % 3][k]));
    }
    for (int k = 0; k < 2; ++k) out[k] = most[k] / size[k];
    return 0;
}

// second differences of wrench and gradient shrink with the square of the step
static int smooth_along_paths(void) {
    static const int steps[PATHS] = {300, 200, 100, 1000};
    tacContactCloud* clouds[PATHS][2] = {{test_ball(100, 1.0), test_ball(50, 0.4)},
                                         {test_box(4, 0.3, 0.3, 0.2), test_box(3, 0.25, 0.2, 0.25)},
                                         {test_box(4, 0.3, 0.3, 0.2), test_box(3, 0.25, 0.2, 0.25)},
                                         {test_letter(), test_ball(24, 0.015)}};
    for (int kind = 0; kind < PATHS; ++kind) {
        double coarse[2], fine[2];
        const tacContactCloud *a = clouds[kind][0], *b = clouds[kind][1];
        ENSURE(a && b);
        ENSURE_LAW(second_differences(kind, steps[kind], 0, a, b, coarse));
        ENSURE_LAW(second_differences(kind, 4 * steps[kind], 0, a, b, fine));
        printf("  %s: second differences %.1e -> %.1e (wrench), %.1e -> %.1e (K, C)\n",
               path_name[kind], coarse[0], fine[0], coarse[1], fine[1]);
        ENSURE(fine[0] < coarse[0] / 12.0);
        // by velocity the law has two derivatives, so that the second difference of C falls as the
        // step alone
        ENSURE(fine[1] < coarse[1] / (kind == SLOWING ? 3.5 : 12.0));
    }
    for (int i = 0; i < 2 * PATHS; ++i) test_cloud_free(clouds[i / 2][i % 2]);
    return 0;
}

//---------------------------------- extremes -------------------------------------

static int all_finite(const tacScmForce* f) {
    const double* x = f->wrench;
    for (size_t i = 0; i < sizeof *f / sizeof *x; ++i)
        if (!isfinite(x[i])) return 0;
    return 1;
}

// far away, at temperatures of both ends, on top of each other, at huge velocities
static int extreme_inputs_are_finite(void) {
    tacContactCloud *a = test_ball(100, 1.0), *b = test_box(3, 0.3, 0.2, 0.1);
    const double far[5] = {0.0, 1.0, 1e3, 1e6, 1e9}, hot[4] = {1e-12, 1e-3, 1.0, 1e9};
    for (int i = 0; i < 60; ++i) {
        tacScmPair p = still_pair(a, b, hot[i % 4], hot[i / 4 % 4], hot[i / 8 % 4]);
        tacScmForce f;
        p.pose[1].position.x = far[i % 5];
        p.number[TAC_SCM_MU] = 1.0;
        p.twist[1][1] = i % 3 ? 1.0 : 1e6;
        ENSURE_LAW(eval_pair(&p, 2, &f));
        ENSURE(all_finite(&f));
    }
    test_cloud_free(a);
    test_cloud_free(b);
    return 0;
}

TEST_MAIN(RUN(wrenches_have_exact_derivatives), RUN(action_is_reaction),
          RUN(dissipation_takes_energy_out), RUN(friction_is_bounded),
          RUN(wrenches_are_frame_invariant), RUN(plain_sum_matches_and_reference_arms_differ),
          RUN(regions_share_the_stiffness), RUN(hot_clouds_attract_at_a_distance),
          RUN(culled_wrench_is_exact), RUN(spheres_pass_through_each_other),
          RUN(concentric_spheres_have_a_threshold), RUN(no_force_at_a_distance),
          RUN(smooth_along_paths), RUN(extreme_inputs_are_finite))
