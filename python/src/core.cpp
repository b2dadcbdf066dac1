// The extension: arrays in, arrays out, errors as exceptions.
//
//   numpy --Input, Output--> the C ABI of include/tactus, without the GIL
//
// model.cpp binds scenes and queries, step.cpp the step and its derivatives, batch.cpp batches.

#include "core.h"

#include <cstring>

//---------------------------------- errors ---------------------------------------

[[noreturn]] void fail(tacResult result, const std::string& what) {
    nb::object make = nb::module_::import_("tactus_sim._errors").attr("make");
    nb::object error = make(tac_result_name(result), what, tac_result_text(result));
    PyErr_SetObject((PyObject*)Py_TYPE(error.ptr()), error.ptr());
    throw nb::python_error();
}

static std::string text_of(const Shape& shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

[[noreturn]] void fail_shape(const char* name, const Shape& expected, const std::string& got) {
    std::string text = std::string(name) + ": expected float64 " + text_of(expected) + ", got " + got;
    throw nb::value_error(text.c_str());
}

static std::string str_of(nb::handle object) {
    nb::object text = nb::steal(PyObject_Str(object.ptr()));
    if (text.is_valid()) return nb::cast<std::string>(text);
    PyErr_Clear();
    return "?";
}

static std::string got_text(nb::handle object) {
    if (nb::hasattr(object, "dtype") && nb::hasattr(object, "shape")) {
        nb::object dtype = object.attr("dtype"), shape = object.attr("shape");
        return str_of(dtype) + " " + str_of(shape);
    }
    nb::object name = object.type().attr("__name__");
    return str_of(name);
}

//---------------------------------- arrays ---------------------------------------

template <typename A>
static bool fits(const A& array, const Shape& shape) {
    if (array.ndim() != shape.size()) return false;
    for (size_t i = 0; i < shape.size(); ++i)
        if (array.shape(i) != shape[i]) return false;
    return true;
}

template <typename A>
static bool is_contiguous(const A& array) {
    int64_t stride = 1;
    for (size_t i = array.ndim(); i-- > 0;) {
        if (array.shape(i) > 1 && array.stride(i) != stride) return false;
        stride *= (int64_t)array.shape(i);
    }
    return true;
}

static nb::object as_numbers(nb::handle object, const char* name) {
    try {
        return nb::module_::import_("numpy").attr("array")(object, "float64");
    } catch (nb::python_error&) {
        std::string text = std::string(name) + ": expected numbers, got " + got_text(object);
        throw nb::type_error(text.c_str());
    }
}

Input::Input(nb::handle object, const char* name, const Shape& shape, bool none) {
    if (object.is_none()) {
        if (!none) fail_shape(name, shape, "None");
        return;
    }
    keep_ = nb::borrow(object);
    if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || PyFloat_Check(object.ptr()) ||
        PyLong_Check(object.ptr()))
        keep_ = as_numbers(object, name);
    if (!nb::try_cast(keep_, view_)) {
        std::string text = std::string(name) + ": expected a float64 array, got " + got_text(object);
        throw nb::type_error(text.c_str());
    }
    if (view_.dtype() != nb::dtype<double>()) {
        std::string text = std::string(name) + ": expected float64, got " + got_text(object) +
                           "; convert it with .astype(float)";
        throw nb::type_error(text.c_str());
    }
    if (view_.device_type() != nb::device::cpu::value) {
        std::string text = std::string(name) + ": expected an array of the CPU";
        throw nb::type_error(text.c_str());
    }
    if (!fits(view_, shape)) fail_shape(name, shape, got_text(object));
    if (!is_contiguous(view_)) { // only read: a copy in order does
        keep_ = as_numbers(nb::module_::import_("numpy").attr("ascontiguousarray")(keep_), name);
        nb::try_cast(keep_, view_);
    }
    data_ = (double*)view_.data();
}

Output::Output(nb::handle out, const char* name, const Shape& shape) : shape_(shape) {
    for (size_t n : shape) count_ *= n;
    data_.reset(new double[count_ + 1]());
    if (out.is_none()) return;
    nb::ndarray<> array;
    if (!nb::try_cast(out, array)) {
        std::string text =
            std::string(name) + ": expected a float64 array to write to, got " + got_text(out);
        throw nb::type_error(text.c_str());
    }
    if (array.dtype() != nb::dtype<double>() || array.device_type() != nb::device::cpu::value) {
        std::string text = std::string(name) + ": an output is float64, got " + got_text(out);
        throw nb::type_error(text.c_str());
    }
    if (!fits(array, shape)) fail_shape(name, shape, got_text(out));
    if (!is_contiguous(array)) {
        std::string text = std::string(name) + ": an output stands in memory row by row (C order)";
        throw nb::value_error(text.c_str());
    }
    out_ = nb::borrow(out);
    target_ = (double*)array.data();
}

nb::object Output::finish() {
    if (out_.is_valid()) {
        memcpy(target_, data_.get(), sizeof(double) * count_);
        return out_;
    }
    double* data = data_.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] (double*)p; });
    return nb::cast(Array(data, shape_.size(), shape_.data(), owner), nb::rv_policy::reference);
}

nb::object view(double* data, const Shape& shape, nb::handle owner) {
    static double nothing;
    return nb::cast(Array(data ? data : &nothing, shape.size(), shape.data(), owner),
                    nb::rv_policy::reference);
}

Control::Control(nb::handle object, const Model& model, const Shape& shape) {
    if (!object.is_none()) {
        given_.emplace(object, "ctrl", shape);
        data_ = given_->data();
    } else if (model.c->nu > 0) {
        size_t count = 1;
        for (size_t n : shape) count *= n;
        zeros_.assign(count, 0.0);
        data_ = zeros_.data();
    }
}

Model& of(nb::handle model) { return *nb::inst_ptr<Model>(model); }

void same_model(const Model& model, const State& x) {
    if (x.model != &model) throw nb::value_error("the state belongs to another model");
}

nb::dict info_dict(const tacInfo& info) {
    nb::list flags;
    for (unsigned bit = 1; bit && bit <= info.flags; bit <<= 1)
        if ((info.flags & bit) && tac_flag_name(bit)) flags.append(tac_flag_name(bit) + 4);
    nb::dict d;
    d["flags"] = flags;
    d["contacts"] = info.contacts;
    d["passes"] = info.passes;
    d["residual"] = info.residual;
    d["time_of_impact"] = info.time_of_impact;
    d["overlap"] = info.overlap;
    d["overlap_depth"] = info.overlap_depth;
    return d;
}

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false); // models in globals live until the process ends
    m.doc() = "Bindings of the C library; use the package tactus_sim.";
    m.def("version", &tac_version, "Version of the library, such as '0.1.0'.");
    m.def("instruction_set", &tac_instruction_set,
          "Instruction set of the kernels: 'baseline', 'avx2' or 'avx512'.");
    bind_model(m);
    bind_step(m);
    bind_batch(m);
}
