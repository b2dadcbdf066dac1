// The step, rollouts, contacts, and all derivatives.

#include "core.h"

#include <algorithm>
#include <chrono>
#include <cstring>

//---------------------------------- step -----------------------------------------

static nb::object step(Model& m, nb::object state, nb::object ctrl, nb::object out) {
    if (!nb::isinstance<State>(state)) throw nb::type_error("state: expected a State");
    State& x = *nb::inst_ptr<State>(state);
    same_model(m, x);
    Control u(ctrl, m, {m.nu()});
    nb::object result = out;
    if (out.is_none())
        result = nb::type<State>()(x.owner);
    else if (!nb::isinstance<State>(out))
        throw nb::type_error("out: expected a State");
    State& next = *nb::inst_ptr<State>(result);
    same_model(m, next);
    check(run(m, [&](tacScratch* s) { return tac_step(m.c, x.c, u.data(), next.c, s); }, &next.info),
          "step");
    return result;
}

//---------------------------------- rollouts -------------------------------------

// steps of a rollout: those of ctrl, or `steps` with zeros
static size_t count_steps(const Model& m, nb::handle ctrl, std::optional<int> steps) {
    if (steps && *steps < 0) throw nb::value_error("steps: at least 0");
    if (ctrl.is_none()) {
        if (!steps) throw nb::value_error("rollout: ctrl (steps x nu) or steps is needed");
        return (size_t)*steps;
    }
    size_t rows = nb::len(ctrl);
    if (steps && rows != (size_t)*steps) fail_shape("ctrl", {(size_t)*steps, m.nu()}, "another length");
    return rows;
}

static nb::object rollout(Model& m, State& x, nb::object ctrl, std::optional<int> steps,
                          nb::object out, State* end) {
    same_model(m, x);
    size_t n = count_steps(m, ctrl, steps);
    Control u(ctrl, m, {n, m.nu()});
    if (end) same_model(m, *end);
    Output states(out, "out", {n + 1, (size_t)tac_state_size(m.c)});
    tacRollout r = {x.c, u.data(), (int)n, states.data(), end ? end->c : nullptr};
    tacInfo info = {};
    check(run(m, [&](tacScratch* s) { return tac_rollout(m.c, &r, s); }, &info), "rollout");
    if (end) end->info = info;
    return states.finish();
}

// Seconds of the fastest of `rounds` calls of tac_rollout, for the bench to compare with.
static double rollout_seconds(Model& m, State& x, int steps, int rounds) {
    same_model(m, x);
    if (steps < 0 || m.c->nu < 0) throw nb::value_error("steps: at least 0");
    std::vector<double> states(((size_t)steps + 1) * (size_t)tac_state_size(m.c));
    std::vector<double> u((size_t)steps * m.nu() + 1);
    tacRollout r = {x.c, u.data(), steps, states.data(), nullptr};
    double best = 1e300;
    check(run(m, [&](tacScratch* s) {
              tacResult result = TAC_OK;
              for (int i = 0; i < rounds && result == TAC_OK; ++i) {
                  auto start = std::chrono::steady_clock::now();
                  result = tac_rollout(m.c, &r, s);
                  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
                  best = std::min(best, time.count());
              }
              return result;
          }), "rollout");
    return best;
}

static nb::tuple rollout_vjp(Model& m, State& x, nb::object ctrl, nb::object states_bar,
                             std::optional<int> steps, bool params) {
    same_model(m, x);
    size_t n = count_steps(m, ctrl, steps);
    Control u(ctrl, m, {n, m.nu()});
    Input bar(states_bar, "states_bar", {n + 1, m.nx()}, false);
    Output x_bar(nb::none(), "x_bar", {m.nx()}), u_bar(nb::none(), "u_bar", {n, m.nu()}),
        theta(nb::none(), "theta_bar", {params ? m.nparam() : 0});
    std::vector<double> memory(tac_rollout_vjp_size(m.c, (int)n) / sizeof(double) + 1);
    std::vector<double> states((n + 1) * (size_t)tac_state_size(m.c));
    tacRollout r = {x.c, u.data(), (int)n, states.data(), nullptr};
    tacStepTangent to = {tangent(m, x_bar.data()), u_bar.data(), params ? theta.data() : nullptr};
    check(run(m, [&](tacScratch* s) { return tac_rollout_vjp(m.c, &r, bar.data(), to, memory.data(), s); }),
          "rollout_vjp");
    return nb::make_tuple(x_bar.finish(), u_bar.finish(), params ? theta.finish() : nb::none());
}

//---------------------------------- derivatives ----------------------------------

static std::vector<tacParam> handles(const Model& m, const std::vector<std::pair<int, int>>& params,
                                     size_t* columns) {
    std::vector<tacParam> theta;
    *columns = 0;
    for (auto [offset, count] : params) {
        if (offset < 0 || count < 0 || offset > m.c->nparam - count)
            throw nb::index_error("no such parameter");
        theta.push_back({offset, count, 0.0, 0.0});
        *columns += (size_t)count;
    }
    return theta;
}

static nb::tuple jacobian(Model& m, State& x, nb::object ctrl,
                          const std::vector<std::pair<int, int>>& params, nb::object out) {
    same_model(m, x);
    Control u(ctrl, m, {m.nu()});
    nb::object out_A = nb::none(), out_B = nb::none();
    if (!out.is_none()) {
        if (!PyTuple_Check(out.ptr()) || nb::len(out) != 2) throw nb::type_error("out: expected (A, B)");
        out_A = out[0];
        out_B = out[1];
    }
    size_t columns;
    std::vector<tacParam> theta = handles(m, params, &columns);
    Output A(out_A, "out A", {m.nx(), m.nx()}), B(out_B, "out B", {m.nx(), m.nu()}),
        P(nb::none(), "P", {m.nx(), columns});
    tacStepJacobian j = {nullptr,      A.data(),          B.data(),
                         theta.data(), (int)theta.size(), columns ? P.data() : nullptr};
    check(run(m, [&](tacScratch* s) { return tac_step_jacobian(m.c, x.c, u.data(), &j, s); }, &x.info),
          "jacobian");
    return nb::make_tuple(A.finish(), B.finish(), P.finish());
}

static nb::object jvp(Model& m, State& x, nb::object ctrl, nb::object dx, nb::object du,
                      nb::object dtheta, nb::object out) {
    same_model(m, x);
    Control u(ctrl, m, {m.nu()});
    Input x_dot(dx, "dx", {m.nx()}), u_dot(du, "du", {m.nu()}), theta(dtheta, "dtheta", {m.nparam()});
    Output next(out, "out", {m.nx()});
    tacStepTangent dot = {tangent(m, x_dot.data()), u_dot.data(), theta.data()};
    check(run(m, [&](tacScratch* s) {
              return tac_step_jvp(m.c, x.c, u.data(), dot, tangent(m, next.data()), s);
          }, &x.info), "jvp");
    return next.finish();
}

static nb::tuple vjp(Model& m, State& x, nb::object ctrl, nb::object next_bar, bool params) {
    same_model(m, x);
    Control u(ctrl, m, {m.nu()});
    Input bar(next_bar, "next_bar", {m.nx()}, false);
    Output x_bar(nb::none(), "x_bar", {m.nx()}), u_bar(nb::none(), "u_bar", {m.nu()}),
        theta(nb::none(), "theta_bar", {params ? m.nparam() : 0});
    tacStepTangent to = {tangent(m, x_bar.data()), u_bar.data(), params ? theta.data() : nullptr};
    check(run(m, [&](tacScratch* s) {
              return tac_step_vjp(m.c, x.c, u.data(), tangent(m, bar.data()), to, s);
          }, &x.info), "vjp");
    return nb::make_tuple(x_bar.finish(), u_bar.finish(), params ? theta.finish() : nb::none());
}

static nb::tuple hvp(Model& m, State& x, nb::object ctrl, nb::object next_bar, nb::object dx,
                     nb::object du, nb::object dtheta, bool params) {
    same_model(m, x);
    Control u(ctrl, m, {m.nu()});
    Input bar(next_bar, "next_bar", {m.nx()}, false), x_dot(dx, "dx", {m.nx()}),
        u_dot(du, "du", {m.nu()}), theta_dot(dtheta, "dtheta", {m.nparam()});
    Output x_bar(nb::none(), "x_bar", {m.nx()}), u_bar(nb::none(), "u_bar", {m.nu()}),
        theta(nb::none(), "theta_bar", {params ? m.nparam() : 0});
    tacStepHvp product = {tangent(m, bar.data()),
                          {tangent(m, x_dot.data()), u_dot.data(), theta_dot.data()},
                          {tangent(m, x_bar.data()), u_bar.data(), params ? theta.data() : nullptr}};
    check(run(m, [&](tacScratch* s) { return tac_step_hvp(m.c, x.c, u.data(), &product, s); }), "hvp");
    return nb::make_tuple(x_bar.finish(), u_bar.finish(), params ? theta.finish() : nb::none());
}

//---------------------------------- forces ---------------------------------------

static nb::object acceleration(Model& m, State& x, nb::object ctrl, nb::object out) {
    same_model(m, x);
    Control u(ctrl, m, {m.nu()});
    Output qacc(out, "out", {m.nv()});
    check(run(m, [&](tacScratch* s) { return tac_acceleration(m.c, x.c, u.data(), qacc.data(), s); }),
          "acceleration");
    return qacc.finish();
}

static nb::object inverse(Model& m, State& x, nb::object qacc, bool contact, nb::object out) {
    same_model(m, x);
    Input a(qacc, "qacc", {m.nv()});
    Output tau(out, "out", {m.nv()});
    tacDynamicsInput in = {x.c->qpos, x.c->qvel, a.data(), nullptr};
    check(run(m, [&](tacScratch* s) {
              return contact && m.c->contact ? tac_inverse_contact(m.c, in, tau.data(), s)
                                             : tac_inverse_dynamics(m.c, in, tau.data(), s);
          }), "inverse");
    return tau.finish();
}

// (geom, body, distance, activity, point, normal, force, torque, wrench) as arrays
static nb::tuple contacts(Model& m, State& x, nb::object ctrl) {
    same_model(m, x);
    Control u(ctrl, m, {m.nu()});
    std::vector<tacContactForce> list(64);
    Output wrench(nb::none(), "wrench", {(size_t)m.c->nbody, 6});
    tacStepContacts c = {list.data(), (int)list.size(), 0, wrench.data()};
    auto find = [&](tacScratch* s) { return tac_step_contacts(m.c, x.c, u.data(), &c, s); };
    tacResult result = run(m, find);
    if (result == TAC_ERROR_CAPACITY && c.count > c.capacity) {
        list.resize((size_t)c.count);
        c.contact = list.data();
        c.capacity = c.count;
        result = run(m, find);
    }
    check(result, "contacts");
    size_t n = (size_t)c.count;
    Output geom(nb::none(), "", {n, 2}), body(nb::none(), "", {n, 2}), scalar(nb::none(), "", {n, 2}),
        vectors(nb::none(), "", {n, 4, 3});
    for (size_t i = 0; i < n; ++i) {
        const tacContactForce& f = list[i];
        for (size_t k = 0; k < 2; ++k) {
            geom.data()[2 * i + k] = f.geom[k];
            body.data()[2 * i + k] = f.body[k];
        }
        scalar.data()[2 * i] = f.distance;
        scalar.data()[2 * i + 1] = f.activity;
        memcpy(vectors.data() + 12 * i, f.point, sizeof f.point);
        memcpy(vectors.data() + 12 * i + 3, f.normal, sizeof f.normal);
        memcpy(vectors.data() + 12 * i + 6, f.force, sizeof f.force);
        memcpy(vectors.data() + 12 * i + 9, f.torque, sizeof f.torque);
    }
    return nb::make_tuple(geom.finish(), body.finish(), scalar.finish(), vectors.finish(),
                          wrench.finish());
}

//---------------------------------- binding --------------------------------------

void bind_step(nb::module_& m) {
    auto out = nb::arg("out").none() = nb::none();
    auto ctrl = nb::arg("ctrl").none() = nb::none();
    m.def("step", &step, nb::arg("model"), nb::arg("state"), ctrl, out,
          "One time step. Returns the next state; `out` may be `state` itself.\n\n"
          ">>> x = tac.step(model, x, ctrl)           # a new state\n"
          ">>> tac.step(model, x, ctrl, out=x)        # in place, without allocation");
    m.def("_rollout", &rollout, nb::arg("model"), nb::arg("state"), ctrl,
          nb::arg("steps").none() = nb::none(), out, nb::arg("end").none() = nb::none());
    m.def("_rollout_seconds", &rollout_seconds);
    m.def("_rollout_vjp", &rollout_vjp, nb::arg("model"), nb::arg("state"), ctrl,
          nb::arg("states_bar"), nb::arg("steps").none() = nb::none(), nb::arg("params") = false);
    m.def("_jacobian", &jacobian, nb::arg("model"), nb::arg("state"), nb::arg("ctrl").none(),
          nb::arg("params"), out);
    m.def("jvp", &jvp, nb::arg("model"), nb::arg("state"), ctrl, nb::arg("dx").none() = nb::none(),
          nb::arg("du").none() = nb::none(), nb::arg("dtheta").none() = nb::none(), out,
          "Forward derivative of a step: the tangent (nx) of the next state along dx (nx), du (nu)\n"
          "and dtheta (nparam).\n\n>>> tac.jvp(model, x, u, dx=dx)            # A @ dx");
    m.def("_vjp", &vjp, nb::arg("model"), nb::arg("state"), nb::arg("ctrl").none(),
          nb::arg("next_bar"), nb::arg("params"));
    m.def("_hvp", &hvp, nb::arg("model"), nb::arg("state"), nb::arg("ctrl").none(),
          nb::arg("next_bar"), nb::arg("dx").none(), nb::arg("du").none(), nb::arg("dtheta").none(),
          nb::arg("params"));
    m.def("acceleration", &acceleration, nb::arg("model"), nb::arg("state"), ctrl, out,
          "Accelerations with contact (nv), as MuJoCo's qacc.");
    m.def("inverse", &inverse, nb::arg("model"), nb::arg("state"),
          nb::arg("qacc").none() = nb::none(), nb::arg("contact") = true, out,
          "Inverse dynamics: the joint forces (nv) of an acceleration, contact included.\n\n"
          ">>> tau = tac.inverse(model, x, qacc)");
    m.def("_contacts", &contacts, nb::arg("model"), nb::arg("state"), nb::arg("ctrl").none());
}
