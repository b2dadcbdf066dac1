// Batches: packed arrays of rows on the threads of tac_batch.

#include "core.h"

#include <unistd.h>

#include <algorithm>

#include <cstring>

struct Batch {
    nb::list models; // keeps them alive
    std::vector<Model*> model;
    tacBatch* c = nullptr;
    std::mutex lock;
    pid_t process = getpid();
    size_t nq = 0, nv = 0, na = 0, nu = 0, nx = 0, nA = 0, nB = 0, nparam = 0, nstate = 0;

    Batch(nb::list list, int threads);
    Batch(const Batch&) = delete;
    ~Batch() {
        if (process == getpid()) tac_batch_destroy(c); // threads do not follow a fork
    }
};

Batch::Batch(nb::list list, int threads) : models(list) {
    std::vector<const tacModel*> c_models;
    for (nb::handle h : list) {
        if (!nb::isinstance<Model>(h)) throw nb::type_error("Batch: expected models");
        Model& m = of(h);
        model.push_back(&m);
        c_models.push_back(m.c);
        nq += m.nq();
        nv += m.nv();
        na += m.na();
        nu += m.nu();
        nx += m.nx();
        nA += m.nx() * m.nx();
        nB += m.nx() * m.nu();
        nparam += m.nparam();
        nstate += (size_t)tac_state_size(m.c);
    }
    check(tac_batch_create(c_models.data(), (int)c_models.size(), threads, &c),
          "Batch: at least one model, threads >= 0");
}

// One call at a time, without the GIL, while no model changes. Errors of rows stay with the rows.
template <typename F>
static tacResult run_batch(Batch& b, F&& f) {
    if (b.process != getpid())
        throw nb::value_error("Batch: made before fork; make another one in this process");
    nb::gil_scoped_release release;
    std::lock_guard<std::mutex> guard(b.lock);
    std::vector<std::shared_lock<std::shared_mutex>> models;
    Model* last = nullptr;
    std::vector<Model*> order(b.model);
    std::sort(order.begin(), order.end());
    for (Model* m : order) {
        if (m != last) models.emplace_back(m->lock);
        last = m;
    }
    return f();
}

static void rows_failed(Batch& b, tacResult result, const char* what, bool raise) {
    if (result == TAC_OK || !raise) return;
    for (int i = 0; i < tac_batch_rows(b.c); ++i)
        if (tac_batch_result(b.c, i) != TAC_OK)
            fail(result, std::string(what) + ": row " + std::to_string(i));
    fail(result, what);
}

static const double* control(nb::handle ctrl, std::optional<Input>& in, std::vector<double>& zeros,
                             size_t count) {
    if (ctrl.is_none()) {
        zeros.assign(count + 1, 0.0);
        return zeros.data();
    }
    in.emplace(ctrl, "ctrl", Shape{count});
    return in->data();
}

static void batch_step(Batch& b, nb::object ctrl, bool raise) {
    std::optional<Input> in;
    std::vector<double> zeros;
    const double* u = control(ctrl, in, zeros, b.nu);
    rows_failed(b, run_batch(b, [&] { return tac_batch_step(b.c, u); }), "Batch.step", raise);
}

static nb::object batch_rollout(Batch& b, int steps, nb::object ctrl, bool record, bool raise) {
    if (steps < 0) throw nb::value_error("steps: at least 0");
    size_t n = (size_t)steps;
    std::optional<Input> in;
    std::vector<double> zeros;
    const double* u = control(ctrl, in, zeros, b.nu * n);
    Output states(nb::none(), "states", {record ? (n + 1) * b.nstate : 0});
    tacBatchRollout r = {steps, u, record ? states.data() : nullptr};
    rows_failed(b, run_batch(b, [&] { return tac_batch_rollout(b.c, &r); }), "Batch.rollout", raise);
    return states.finish();
}

static nb::tuple batch_rollout_vjp(Batch& b, int steps, nb::object ctrl, nb::object states_bar,
                                   bool params, bool raise) {
    if (steps < 0) throw nb::value_error("steps: at least 0");
    size_t n = (size_t)steps;
    std::optional<Input> in;
    std::vector<double> zeros;
    const double* u = control(ctrl, in, zeros, b.nu * n);
    Input bar(states_bar, "states_bar", {(n + 1) * b.nx}, false);
    Output x(nb::none(), "x", {b.nx}), ub(nb::none(), "u", {n * b.nu}),
        theta(nb::none(), "theta", {params ? b.nparam : 0});
    tacBatchRollout r = {steps, u, nullptr};
    tacBatchRolloutAdjoint to = {bar.data(), x.data(), ub.data(), params ? theta.data() : nullptr};
    rows_failed(b, run_batch(b, [&] { return tac_batch_rollout_vjp(b.c, &r, &to); }),
                "Batch.rollout_vjp", raise);
    return nb::make_tuple(x.finish(), ub.finish(), theta.finish());
}

static nb::tuple batch_jacobian(Batch& b, nb::object ctrl, bool raise) {
    std::optional<Input> in;
    std::vector<double> zeros;
    const double* u = control(ctrl, in, zeros, b.nu);
    Output A(nb::none(), "A", {b.nA}), B(nb::none(), "B", {b.nB});
    rows_failed(b, run_batch(b, [&] { return tac_batch_jacobian(b.c, u, A.data(), B.data()); }),
                "Batch.jacobian", raise);
    return nb::make_tuple(A.finish(), B.finish());
}

static nb::object batch_jvp(Batch& b, nb::object ctrl, nb::object dx, nb::object du, bool raise) {
    std::optional<Input> in;
    std::vector<double> zeros;
    const double* u = control(ctrl, in, zeros, b.nu);
    Input x_dot(dx, "dx", {b.nx}), u_dot(du, "du", {b.nu});
    Output next(nb::none(), "next_dot", {b.nx});
    tacBatchTangent dot = {x_dot.data(), u_dot.data(), nullptr};
    rows_failed(b, run_batch(b, [&] { return tac_batch_jvp(b.c, u, &dot, next.data()); }),
                "Batch.jvp", raise);
    return next.finish();
}

static nb::tuple batch_vjp(Batch& b, nb::object ctrl, nb::object next_bar, bool params, bool raise) {
    std::optional<Input> in;
    std::vector<double> zeros;
    const double* u = control(ctrl, in, zeros, b.nu);
    Input bar(next_bar, "next_bar", {b.nx}, false);
    Output x(nb::none(), "x", {b.nx}), ub(nb::none(), "u", {b.nu}),
        theta(nb::none(), "theta", {params ? b.nparam : 0});
    tacBatchTangent to = {x.data(), ub.data(), params ? theta.data() : nullptr};
    rows_failed(b, run_batch(b, [&] { return tac_batch_vjp(b.c, u, bar.data(), &to); }),
                "Batch.vjp", raise);
    return nb::make_tuple(x.finish(), ub.finish(), theta.finish());
}

static nb::tuple batch_hvp(Batch& b, nb::object ctrl, nb::object next_bar, nb::object dx,
                           nb::object du, bool raise) {
    std::optional<Input> in;
    std::vector<double> zeros;
    const double* u = control(ctrl, in, zeros, b.nu);
    Input bar(next_bar, "next_bar", {b.nx}, false), x_dot(dx, "dx", {b.nx}), u_dot(du, "du", {b.nu});
    Output x(nb::none(), "x", {b.nx}), ub(nb::none(), "u", {b.nu});
    tacBatchTangent dot = {x_dot.data(), u_dot.data(), nullptr}, to = {x.data(), ub.data(), nullptr};
    rows_failed(b, run_batch(b, [&] { return tac_batch_hvp(b.c, u, bar.data(), &dot, &to); }),
                "Batch.hvp", raise);
    return nb::make_tuple(x.finish(), ub.finish());
}

static nb::list batch_results(Batch& b) {
    nb::list results;
    for (int i = 0; i < tac_batch_rows(b.c); ++i) {
        tacResult result = tac_batch_result(b.c, i);
        if (result == TAC_OK)
            results.append(nb::none());
        else
            results.append(nb::str(tac_result_text(result)));
    }
    return results;
}

void bind_batch(nb::module_& m) {
    nb::class_<Batch> c(m, "Batch", "Rows of states. Use tactus_sim.Batch.");
    c.def(nb::init<nb::list, int>(), nb::arg("models"), nb::arg("threads") = 0);
#define PACKED(field, count)                                                                       \
    c.def_prop_ro("_" #field, [](nb::object self) {                                                \
        Batch& b = *nb::inst_ptr<Batch>(self);                                                     \
        return view(tac_batch_state(b.c, 0)->field, {b.count}, self);                              \
    })
    PACKED(qpos, nq);
    PACKED(qvel, nv);
    PACKED(act, na);
#undef PACKED
    c.def_prop_ro("threads", [](Batch& b) { return tac_batch_threads(b.c); }, "Number of threads.");
    c.def_prop_ro("rows", [](Batch& b) { return tac_batch_rows(b.c); }, "Number of rows.");
    c.def_prop_ro("errors", &batch_results, "Of the last call: None or the error of each row.");
    c.def("_time", [](Batch& b) {
        std::vector<double> times;
        for (int i = 0; i < tac_batch_rows(b.c); ++i) times.push_back(tac_batch_state(b.c, i)->time);
        return times;
    });
    c.def("_set_time", [](Batch& b, int row, double time) {
        tacState* x = tac_batch_state(b.c, row);
        if (!x) throw nb::index_error("no such row");
        x->time = time;
    });
    c.def("_info", [](Batch& b, int row) { return info_dict(tac_batch_info(b.c, row)); });
    c.def("_reset", [](Batch& b) {
        for (int i = 0; i < tac_batch_rows(b.c); ++i)
            tac_state_reset(b.model[(size_t)i]->c, tac_batch_state(b.c, i));
    });
    c.def("_step", &batch_step, nb::arg("ctrl").none(), nb::arg("raise_error"));
    c.def("_rollout", &batch_rollout, nb::arg("steps"), nb::arg("ctrl").none(), nb::arg("record"),
          nb::arg("raise_error"));
    c.def("_rollout_vjp", &batch_rollout_vjp, nb::arg("steps"), nb::arg("ctrl").none(),
          nb::arg("states_bar"), nb::arg("params"), nb::arg("raise_error"));
    c.def("_jacobian", &batch_jacobian, nb::arg("ctrl").none(), nb::arg("raise_error"));
    c.def("_jvp", &batch_jvp, nb::arg("ctrl").none(), nb::arg("dx").none(), nb::arg("du").none(),
          nb::arg("raise_error"));
    c.def("_vjp", &batch_vjp, nb::arg("ctrl").none(), nb::arg("next_bar"), nb::arg("params"),
          nb::arg("raise_error"));
    c.def("_hvp", &batch_hvp, nb::arg("ctrl").none(), nb::arg("next_bar"), nb::arg("dx").none(),
          nb::arg("du").none(), nb::arg("raise_error"));
}
