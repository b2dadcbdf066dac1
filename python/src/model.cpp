// Scenes, states and queries: names, parameters, kinematics, fields, formulas, pictures.

#include "core.h"

#include <cstring>

//---------------------------------- model ----------------------------------------

static std::string text_of(const tacMessage& message, tacResult result) {
    std::string text = message.file;
    if (message.line > 0) text += (text.empty() ? "line " : ":") + std::to_string(message.line);
    if (!text.empty()) text += ": ";
    text += message.text[0] ? message.text : tac_result_text(result);
    return text;
}

Model::Model(std::optional<std::string> path, std::optional<nb::bytes> text,
             std::optional<std::string> contact, bool exact, bool triangles) {
    if (!path && !text) throw nb::value_error("Model: a path or a text is needed");
    tacOptions options = tac_default_options();
    options.exact = exact;
    options.triangles = triangles;
    options.contact = contact ? contact->c_str() : nullptr;
    tacMessage message = {};
    const char* name = path ? path->c_str() : nullptr;
    const char* bytes = text ? text->c_str() : nullptr;
    size_t size = text ? text->size() : 0;
    if (size > TAC_MAX_FILE_BYTES) throw nb::value_error("Model: the text is too long");
    tacResult result;
    {
        nb::gil_scoped_release release;
        result = bytes ? tac_load_text(bytes, (int)size, name, &options, &c, &message)
                       : tac_load(name, &options, &c, &message);
    }
    if (result != TAC_OK) fail(result, text_of(message, result));
    warning = message.text;
}

Model::~Model() {
    for (tacScratch* scratch : free_scratches) tac_scratch_destroy(scratch);
    tac_model_destroy(c);
}

tacScratch* Model::take_scratch() {
    {
        std::lock_guard<std::mutex> guard(free_lock);
        if (!free_scratches.empty()) {
            tacScratch* scratch = free_scratches.back();
            free_scratches.pop_back();
            return scratch;
        }
    }
    tacScratch* scratch = nullptr;
    return tac_scratch_create(c, &scratch) == TAC_OK ? scratch : nullptr;
}

void Model::give_scratch(tacScratch* scratch) {
    std::lock_guard<std::mutex> guard(free_lock);
    free_scratches.push_back(scratch);
}

static int object_count(const Model& m, int kind) {
    const tacModel* c = m.c;
    switch (kind) {
    case TAC_OBJ_BODY: return c->nbody;
    case TAC_OBJ_GEOM: return c->ngeom;
    case TAC_OBJ_SITE: return c->nsite;
    case TAC_OBJ_CAMERA: return c->ncamera;
    case TAC_OBJ_JOINT: return c->njoint;
    case TAC_OBJ_TENDON: return c->ntendon;
    case TAC_OBJ_ACTUATOR: return c->nu;
    case TAC_OBJ_SENSOR: return c->nsensor;
    case TAC_OBJ_EQUALITY: return c->nequality;
    case TAC_OBJ_PAIR: return c->npair;
    case TAC_OBJ_KEY: return c->nkey;
    case TAC_OBJ_SHAPE: return c->nshape;
    default: return 0;
    }
}

static std::string object_name(const Model& m, int kind, int id) {
    if (kind < 0 || kind >= TAC_OBJ_COUNT) throw nb::value_error("no such kind of object");
    const char* name = tac_id_name(m.c, (tacObject)kind, id);
    if (!name) throw nb::index_error("no such object");
    return name;
}

static int object_id(const Model& m, int kind, const std::string& name) {
    if (kind < 0 || kind >= TAC_OBJ_COUNT) throw nb::value_error("no such kind of object");
    return tac_name_id(m.c, (tacObject)kind, name.c_str());
}

// joint: kind, body, first position, first velocity
static std::tuple<int, int, int, int> joint_fields(const Model& m, int id) {
    if (id < 0 || id >= m.c->njoint) throw nb::index_error("no such joint");
    const tacJoint& j = m.c->joint[id];
    return {j.kind, j.body, j.qpos, j.dof};
}

static std::pair<int, int> geom_fields(const Model& m, int id) {
    if (id < 0 || id >= m.c->ngeom) throw nb::index_error("no such geom");
    return {m.c->geom[id].body, m.c->geom[id].shape};
}

static std::tuple<int, int, bool> sensor_fields(const Model& m, int id) {
    if (id < 0 || id >= m.c->nsensor) throw nb::index_error("no such sensor");
    const tacSensor& s = m.c->sensor[id];
    return {s.first, s.count, s.measured != 0};
}

static std::vector<double> key_ctrl(const Model& m, int id) {
    if (id < 0 || id >= m.c->nkey) throw nb::index_error("no such keyframe");
    const double* ctrl = m.c->key[id].ctrl;
    return ctrl ? std::vector<double>(ctrl, ctrl + m.nu()) : std::vector<double>(m.nu(), 0.0);
}

static std::vector<std::string> scene_files(const Model& m) {
    return std::vector<std::string>(m.c->file, m.c->file + m.c->nfile);
}

//---------------------------------- parameters -----------------------------------

static std::tuple<int, int, double, double> param_find(const Model& m, const std::string& name) {
    tacParam p;
    if (tac_param_find(m.c, name.c_str(), &p) != TAC_OK) return {-1, 0, 0.0, 0.0};
    return {p.offset, p.count, p.lower, p.upper};
}

static tacParam param_at(const Model& m, int offset, int count) {
    if (offset < 0 || count < 0 || offset > m.c->nparam - count)
        throw nb::index_error("no such parameter");
    tacParam p = {offset, count, 0.0, 0.0};
    if (count > 0) {
        const tacParam& group = m.c->paramname[m.c->paramgroup[offset]].param;
        p.lower = group.lower;
        p.upper = group.upper;
    }
    return p;
}

static nb::object param_get(Model& m, int offset, int count) {
    tacParam p = param_at(m, offset, count);
    Output values(nb::none(), "values", {(size_t)count});
    {
        nb::gil_scoped_release release;
        std::shared_lock<std::shared_mutex> guard(m.lock);
        for (int i = 0; i < count; ++i) values.data()[i] = m.c->param[p.offset + i];
    }
    return values.finish();
}

static void param_set(Model& m, int offset, nb::object values) {
    nb::object array = nb::module_::import_("numpy").attr("atleast_1d")(values);
    size_t count = nb::len(array);
    tacParam p = param_at(m, offset, (int)count);
    Input in(array, "values", {count}, false);
    tacMessage message = {};
    tacResult result;
    {
        nb::gil_scoped_release release;
        std::unique_lock<std::shared_mutex> guard(m.lock);
        result = tac_param_set(m.c, p, in.data(), &message);
    }
    if (result != TAC_OK) fail(result, text_of(message, result));
}

static std::vector<std::string> param_names(const Model& m) {
    std::vector<std::string> names;
    for (int i = 0; i < m.c->nparamname; ++i) names.emplace_back(m.c->paramname[i].name);
    return names;
}

static void param_live(const Model& m, int offset, int count) {
    tacMessage message = {};
    tacResult result = tac_param_live(m.c, param_at(m, offset, count), &message);
    if (result != TAC_OK) fail(result, text_of(message, result));
}

//---------------------------------- state ----------------------------------------

State::State(nb::object model_object) : owner(model_object), model(&of(model_object)) {
    check(tac_state_create(model->c, &c), "State");
}

static void reset_state(State& x, int key) {
    check(key < 0 ? tac_state_reset(x.model->c, x.c) : tac_state_reset_key(x.model->c, x.c, key),
          "State.reset: no such keyframe");
}

static nb::object copy_state(State& x) {
    nb::object copy = nb::type<State>()(x.owner);
    State& to = *nb::inst_ptr<State>(copy);
    check(tac_state_copy(x.model->c, x.c, to.c), "State.copy");
    to.info = x.info;
    return copy;
}

//---------------------------------- queries --------------------------------------

static nb::object kinematics(Model& m, State& x, nb::object out) {
    same_model(m, x);
    Output poses(out, "out", {(size_t)m.c->nbody, 7});
    check(run(m,
              [&](tacScratch* s) {
                  return tac_kinematics(m.c, x.c->qpos, nullptr, (tacPose*)poses.data(), nullptr, s);
              }),
          "kinematics");
    return poses.finish();
}

static nb::object body_jacobian(Model& m, State& x, int body, nb::object point, nb::object out) {
    same_model(m, x);
    Input at(point, "point", {3}, false);
    Output J(out, "out", {6, m.nv()});
    check(run(m,
              [&](tacScratch* s) {
                  return tac_body_jacobian(m.c, x.c->qpos, body, at.data(), J.data(), s);
              }),
          "body_jacobian");
    return J.finish();
}

static nb::object mass_matrix(Model& m, State& x, nb::object out) {
    same_model(m, x);
    Output M(out, "out", {m.nv(), m.nv()});
    check(run(m, [&](tacScratch* s) { return tac_mass_matrix(m.c, x.c->qpos, M.data(), s); }),
          "mass_matrix");
    return M.finish();
}

static std::pair<double, double> energy(Model& m, State& x) {
    same_model(m, x);
    double e[2];
    check(run(m, [&](tacScratch* s) { return tac_energy(m.c, x.c->qpos, x.c->qvel, e, s); }),
          "energy");
    return {e[0], e[1]};
}

static nb::object sensordata(Model& m, State& x, nb::object out) {
    same_model(m, x);
    Output data(out, "out", {(size_t)m.c->nsensordata});
    check(run(m, [&](tacScratch* s) { return tac_sensor_data(m.c, x.c, data.data(), s); }),
          "sensordata");
    return data.finish();
}

static nb::object integrate_pos(Model& m, nb::object qpos, nb::object qvel, double dt,
                                nb::object out) {
    Input q(qpos, "qpos", {m.nq()}, false), v(qvel, "qvel", {m.nv()}, false);
    Output next(out, "out", {m.nq()});
    check(tac_integrate_pos(m.c, q.data(), v.data(), dt, next.data()), "integrate_pos");
    return next.finish();
}

static nb::object differentiate_pos(Model& m, nb::object from, nb::object to, double dt,
                                    nb::object out) {
    Input a(from, "qpos1", {m.nq()}, false), b(to, "qpos2", {m.nq()}, false);
    Output v(out, "out", {m.nv()});
    check(tac_differentiate_pos(m.c, a.data(), b.data(), dt, v.data()), "differentiate_pos");
    return v.finish();
}

// value (n), gradient (n x 3), Hessian (n x 3 x 3) of a shape's field at points
static nb::tuple sdf(Model& m, int shape, nb::object points, nb::object pose, int order) {
    nb::object list = nb::module_::import_("numpy").attr("atleast_2d")(points);
    size_t n = nb::len(list);
    if (order < 0 || order > 2) throw nb::value_error("order: 0, 1 or 2");
    Input p(list, "points", {n, 3}, false), at(pose, "pose", {7});
    std::vector<double> x(3 * n), g(3 * n), h(6 * n);
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < 3; ++k) x[k * n + i] = p.data()[3 * i + k];
    Output value(nb::none(), "value", {n}), gradient(nb::none(), "gradient", {n, 3}),
        hessian(nb::none(), "hessian", {n, 3, 3});
    tacPose frame = tac_pose_identity();
    if (at.data()) memcpy(&frame, at.data(), sizeof frame);
    tacPoints in = {(int)n, {x.data(), x.data() + n, x.data() + 2 * n}};
    tacField out = {};
    out.value = value.data();
    for (size_t k = 0; k < 3 && order > 0; ++k) out.gradient[k] = g.data() + k * n;
    for (size_t k = 0; k < 6 && order > 1; ++k) out.hessian[k] = h.data() + k * n;
    check(run(m, [&](tacScratch* s) { return tac_shape_eval(m.c, shape, frame, in, out, s); }), "sdf");
    static const int entry[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < 3; ++k) {
            gradient.data()[3 * i + k] = g[k * n + i];
            for (size_t l = 0; l < 3; ++l)
                hessian.data()[9 * i + 3 * k + l] = h[(size_t)entry[k][l] * n + i];
        }
    return nb::make_tuple(value.finish(), order > 0 ? gradient.finish() : nb::none(),
                          order > 1 ? hessian.finish() : nb::none());
}

static nb::object render(Model& m, nb::object qpos, const tacRender& options) {
    Input q(qpos, "qpos", {m.nq()});
    if (options.width < 1 || options.height < 1 || options.width > 16384 || options.height > 16384)
        throw nb::value_error("render: width and height are 1 to 16384 pixels");
    size_t w = (size_t)options.width, h = (size_t)options.height;
    std::unique_ptr<unsigned char[]> rgb(new unsigned char[3 * w * h]());
    tacResult result;
    {
        nb::gil_scoped_release release;
        std::shared_lock<std::shared_mutex> guard(m.lock);
        result = tac_render(m.c, q.data(), &options, rgb.get());
    }
    check(result, "render");
    unsigned char* data = rgb.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] (unsigned char*)p; });
    return nb::cast(nb::ndarray<nb::numpy, unsigned char>(data, {h, w, 3}, owner),
                    nb::rv_policy::reference);
}

//---------------------------------- formulas -------------------------------------

static int append_text(void* user, const char* text, size_t length) {
    ((std::string*)user)->append(text, length);
    return 0;
}

static std::string print_equations(tacGraph* graph, Model& m, tacNotation notation, bool exact) {
    size_t nq = m.nq(), nv = m.nv();
    std::vector<tacExpr> in(nq + nv + 1), out(nv * nv + nv + 1);
    tacSceneSymbols symbols = {};
    symbols.exact = exact;
    tacProgram* program = nullptr;
    std::string text;
    tacResult result = tac_scene_equations(graph, m.c, &symbols, in.data(), in.data() + nq,
                                           out.data(), out.data() + nv * nv);
    if (result == TAC_OK)
        result = tac_program_create(graph, in.data(), (int)(nq + nv), out.data(),
                                    (int)(nv * nv + nv), &program);
    if (result == TAC_OK)
        result = tac_program_print(program, "y", notation, append_text, &text);
    tac_program_destroy(program);
    if (result == TAC_OK) return text;
    tacMessage message = {};
    tac_graph_result(graph, &message);
    tac_graph_destroy(graph);
    fail(result, "derive: " + text_of(message, result));
}

static std::string derive(Model& m, const std::string& notation, bool exact) {
    tacNotation kind;
    if (notation == "text") kind = TAC_NOTATION_TEXT;
    else if (notation == "latex") kind = TAC_NOTATION_LATEX;
    else if (notation == "c") kind = TAC_NOTATION_C;
    else throw nb::value_error("notation: 'text', 'latex' or 'c'");
    if (m.c->nv > 200) throw nb::value_error("derive: at most 200 degrees of freedom");
    tacGraph* graph = nullptr;
    check(tac_graph_create(nullptr, &graph), "derive");
    std::string text = print_equations(graph, m, kind, exact);
    tac_graph_destroy(graph);
    return text;
}

//---------------------------------- binding --------------------------------------

static void bind_model_class(nb::module_& m) {
    nb::class_<Model> c(m, "Model", "A scene. Use tactus_sim.Model.", nb::dynamic_attr());
    c.def(nb::init<std::optional<std::string>, std::optional<nb::bytes>, std::optional<std::string>,
                   bool, bool>(),
          nb::arg("path").none() = nb::none(), nb::arg("text").none() = nb::none(),
          nb::arg("contact").none() = nb::none(), nb::arg("exact") = false,
          nb::arg("triangles") = false);
#define COUNT(field, meaning)                                                                      \
    c.def_prop_ro(#field, [](const Model& model) { return model.c->field; }, meaning)
    COUNT(nq, "Length of qpos.");
    COUNT(nv, "Length of qvel.");
    COUNT(na, "Length of act.");
    COUNT(nu, "Length of the control.");
    COUNT(nparam, "Number of differentiable parameters.");
    COUNT(nbody, "Number of bodies, the world included.");
    COUNT(ngeom, "Number of geoms.");
    COUNT(njoint, "Number of joints.");
    COUNT(nsensordata, "Length of the sensor data.");
#undef COUNT
    c.def_prop_ro("nx", &Model::nx, "Length of a tangent of the state, 2 nv + na.");
    c.def_prop_ro("state_size", [](const Model& x) { return tac_state_size(x.c); },
                  "Length of a row of a rollout: qpos, qvel, act and the warm start.");
    c.def_prop_ro("name", [](const Model& x) { return std::string(x.c->name ? x.c->name : ""); },
                  "Name of the scene.");
    c.def_prop_ro("warning", [](const Model& x) { return x.warning; },
                  "Parts of the scene that have no effect, or ''.");
    c.def_prop_ro("files", &scene_files, "Files of the scene: includes, meshes, textures.");
    c.def_prop_ro("timestep", [](const Model& x) { return x.c->param[x.c->timestep]; },
                  "Length of a step [s].");
    c.def_prop_ro("qpos0", [](nb::object self) {
        Model& x = of(self);
        Output q(nb::none(), "qpos0", {x.nq()});
        for (size_t i = 0; i < x.nq(); ++i) q.data()[i] = x.c->qpos0[i];
        return q.finish();
    }, "Initial positions (nq), a copy.");
    c.def("_count", &object_count);
    c.def("_name", &object_name);
    c.def("_id", &object_id);
    c.def("_joint", &joint_fields);
    c.def("_geom", &geom_fields);
    c.def("_sensor", &sensor_fields);
    c.def("_key_ctrl", &key_ctrl);
    c.def("_param_find", &param_find);
    c.def("_param_get", &param_get);
    c.def("_param_set", &param_set, nb::arg("offset"), nb::arg("values"));
    c.def("_param_names", &param_names);
    c.def("_param_live", &param_live);
}

static void bind_state_class(nb::module_& m) {
    nb::class_<State> c(m, "State",
                        "State(model): positions, velocities, activations and time.\n\n"
                        "qpos, qvel and act are views of the state's own memory: write to them.\n\n"
                        ">>> x = tac.State(model)\n>>> x.qpos[2] += 0.1");
    c.def("__init__", [](State* self, nb::object model) {
        if (!nb::isinstance<Model>(model)) throw nb::type_error("State: expected a Model");
        new (self) State(model);
    }, nb::arg("model"));
#define VIEW(field, count, meaning)                                                                \
    c.def_prop_rw(                                                                                 \
        #field,                                                                                    \
        [](nb::object self) {                                                                      \
            State& x = *nb::inst_ptr<State>(self);                                                 \
            return view(x.c->field, {(size_t)x.model->c->count}, self);                            \
        },                                                                                         \
        [](State& x, nb::object values) {                                                          \
            size_t n = (size_t)x.model->c->count;                                                  \
            Input in(values, #field, {n}, false);                                                  \
            if (n > 0) memmove(x.c->field, in.data(), sizeof(double) * n);                         \
        },                                                                                         \
        meaning)
    VIEW(qpos, nq, "Positions (nq), a writable view.");
    VIEW(qvel, nv, "Velocities (nv), a writable view.");
    VIEW(act, na, "Activations (na), a writable view.");
    VIEW(warm, nwarm, "Warm start of solvers; it changes speed, never the answer.");
#undef VIEW
    c.def_prop_rw("time", [](const State& x) { return x.c->time; },
                  [](State& x, double time) { x.c->time = time; }, "Simulation time [s].");
    c.def_prop_ro("model", [](const State& x) { return x.owner; }, "Its model.");
    c.def_prop_ro("info", [](const State& x) { return info_dict(x.info); },
                  "Report on the step that made this state: flags, contacts, residual.");
    c.def("reset", &reset_state, nb::arg("key") = -1,
          "Back to the start of the scene, or to keyframe `key`.");
    c.def("copy", &copy_state, "A copy.");
    c.def("__copy__", &copy_state);
    c.def("__deepcopy__", [](State& x, nb::handle) { return copy_state(x); });
}

void bind_model(nb::module_& m) {
    bind_model_class(m);
    bind_state_class(m);
    auto out = nb::arg("out").none() = nb::none();
    m.def("kinematics", &kinematics, nb::arg("model"), nb::arg("state"), out,
          "World poses of all bodies (nbody x 7): position, then quaternion with w first.");
    m.def("body_jacobian", &body_jacobian, nb::arg("model"), nb::arg("state"), nb::arg("body"),
          nb::arg("point"), out, "Jacobian (6 x nv) of a body's twist about a point of the world.");
    m.def("mass_matrix", &mass_matrix, nb::arg("model"), nb::arg("state"), out,
          "Mass matrix (nv x nv) with armature.");
    m.def("energy", &energy, nb::arg("model"), nb::arg("state"),
          "Kinetic and potential energy [J].");
    m.def("sensordata", &sensordata, nb::arg("model"), nb::arg("state"), out,
          "Values of the scene's sensors (nsensordata).");
    m.def("integrate_pos", &integrate_pos, nb::arg("model"), nb::arg("qpos"), nb::arg("qvel"),
          nb::arg("dt"), out, "qpos + dt qvel on the joints' manifolds, as mj_integratePos.");
    m.def("differentiate_pos", &differentiate_pos, nb::arg("model"), nb::arg("qpos1"),
          nb::arg("qpos2"), nb::arg("dt"), out, "(qpos2 - qpos1)/dt, as mj_differentiatePos.");
    m.def("_sdf", &sdf, nb::arg("model"), nb::arg("shape"), nb::arg("points"), nb::arg("pose").none(),
          nb::arg("order"));
    m.def("derive", &derive, nb::arg("model"), nb::arg("notation") = "text",
          nb::arg("exact") = false,
          "Equations of motion M a + c = tau as text that SymPy reads, LaTeX or C: M row by row,\n"
          "then c, in q0.. and v0...\n\n>>> print(tac.derive(model, exact=True))");
    m.def("_render", [](Model& model, nb::object qpos, int width, int height, int camera, int shape) {
        tacRender options = tac_default_render();
        options.width = width;
        options.height = height;
        options.camera = camera;
        options.shape = shape;
        return render(model, qpos, options);
    }, nb::arg("model"), nb::arg("qpos").none(), nb::arg("width"), nb::arg("height"),
       nb::arg("camera"), nb::arg("shape"));
}
