// What the files of the extension share: arrays that are checked, errors as exceptions, and the
// three classes.

#ifndef TACTUS_PYTHON_CORE_H
#define TACTUS_PYTHON_CORE_H

#include <tactus/symbolic.h>
#include <tactus/tactus.h>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <initializer_list>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

namespace nb = nanobind;
using Array = nb::ndarray<nb::numpy, double>;
using Shape = std::vector<size_t>;

// Raises the exception of a result. The GIL is held.
[[noreturn]] void fail(tacResult result, const std::string& what);
inline void check(tacResult result, const char* what) {
    if (result != TAC_OK) fail(result, what);
}
[[noreturn]] void fail_shape(const char* name, const Shape& expected, const std::string& got);

// An input: float64 of the exact shape. Lists are converted; another dtype is refused, as a silent
// copy hides a mistake. None is NULL where it is allowed.
class Input {
  public:
    Input(nb::handle object, const char* name, const Shape& shape, bool none = true);
    double* data() const { return data_; }

  private:
    double* data_ = nullptr;
    nb::object keep_;
    nb::ndarray<nb::ro> view_;
};

// An output: a new array, or the caller's `out`, which is written after success alone.
class Output {
  public:
    Output(nb::handle out, const char* name, const Shape& shape);
    double* data() { return data_.get(); }
    nb::object finish();

  private:
    std::unique_ptr<double[]> data_;
    size_t count_ = 1;
    Shape shape_;
    nb::object out_;
    double* target_ = nullptr;
};

// An array of our own memory, which `owner` keeps alive.
nb::object view(double* data, const Shape& shape, nb::handle owner);

// A model, its scratches, and a lock: steps share it, a change of parameters is alone.
struct Model {
    tacModel* c = nullptr;
    std::string warning;
    std::shared_mutex lock;
    std::mutex free_lock;
    std::vector<tacScratch*> free_scratches;

    Model(std::optional<std::string> path, std::optional<nb::bytes> text,
          std::optional<std::string> contact, bool exact, bool triangles);
    Model(const Model&) = delete;
    ~Model();

    size_t nq() const { return (size_t)c->nq; }
    size_t nv() const { return (size_t)c->nv; }
    size_t na() const { return (size_t)c->na; }
    size_t nu() const { return (size_t)c->nu; }
    size_t nx() const { return 2 * nv() + na(); }
    size_t nparam() const { return (size_t)c->nparam; }
    tacScratch* take_scratch(); // NULL: out of memory
    void give_scratch(tacScratch* scratch);
};

// A state keeps its model alive.
struct State {
    nb::object owner;
    Model* model;
    tacState* c = nullptr;
    tacInfo info = {};

    explicit State(nb::object model_object);
    State(const State&) = delete;
    ~State() { tac_state_destroy(c); }
};

// Runs f(scratch) without the GIL while the model cannot change.
template <typename F> tacResult run(Model& model, F&& f, tacInfo* info = nullptr) {
    nb::gil_scoped_release release;
    std::shared_lock<std::shared_mutex> guard(model.lock);
    tacScratch* scratch = model.take_scratch();
    if (!scratch) return TAC_ERROR_MEMORY;
    tacResult result = f(scratch);
    if (info) *info = tac_step_info(scratch);
    model.give_scratch(scratch);
    return result;
}

// the control: zeros where it is left out, as in MuJoCo
class Control {
  public:
    Control(nb::handle object, const Model& model, const Shape& shape);
    const double* data() const { return data_; }

  private:
    std::optional<Input> given_;
    std::vector<double> zeros_;
    const double* data_ = nullptr;
};

inline tacTangent tangent(const Model& m, double* x) {
    if (!x) return {nullptr, nullptr, nullptr};
    return {x, x + m.nv(), x + 2 * m.nv()};
}

Model& of(nb::handle model); // the C++ part of a Model
void same_model(const Model& model, const State& x);
nb::dict info_dict(const tacInfo& info);

void bind_model(nb::module_& m);
void bind_step(nb::module_& m);
void bind_batch(nb::module_& m);

#endif
