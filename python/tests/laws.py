"""Laws of the package: laws.py SCENES TACTUS [FILTER]. Each prints ok, FAIL or skip with the reason."""

import gc
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import traceback

import numpy as np

import tactus_sim as tac

SCENES, TACTUS = sys.argv[1:3]
FILTER = sys.argv[3] if len(sys.argv) > 3 else ""

BOX = """<mujoco><option timestep=".01"/><tactus detect="manifold"/><worldbody>
<geom name="floor" type="plane" size="2 2 1"/>
<body name="box" pos="0 0 .099"><freejoint/><geom name="box" type="box" size=".1 .1 .1" friction="1.3 .005 .0001"/>
<body pos="0 0 .2"><joint name="ball" type="ball" damping=".1"/>
<geom size=".05" pos=".1 0 0" contype="0" conaffinity="0"/>
<body pos=".2 0 0"><joint name="hinge" axis="0 1 0"/>
<geom size=".03" pos=".1 0 0" contype="0" conaffinity="0"/></body></body></body></worldbody>
<actuator><motor joint="hinge"/></actuator></mujoco>"""


class Skip(Exception):
    """The reason why a law cannot be tried here."""


def scene(name, **options):
    return tac.Model.from_xml_path(os.path.join(SCENES, name + ".xml"), **options)


def moving(model, seed=0, steps=3):
    """A state in motion."""
    rng = np.random.default_rng(seed)
    x = model.state()
    x.qvel[:] = 0.3 * rng.normal(size=model.nv)
    tac.rollout(model, x, steps=steps, end=x)
    return x, rng.normal(size=model.nu), rng


def optional(name):
    import importlib
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Skip(f"{name} is not installed ({error})")


def move(model, x, d, h):
    """The state x moved along a tangent (nx) by h."""
    y = x.copy()
    nv = model.nv
    y.qpos = tac.integrate_pos(model, x.qpos, np.ascontiguousarray(d[:nv]), h)
    y.qvel = x.qvel + h * d[nv:2 * nv]
    y.act = x.act + h * d[2 * nv:]
    return y


def difference(model, a, b, h):
    """(b - a)/h as a tangent."""
    return np.concatenate([tac.differentiate_pos(model, a.qpos, b.qpos, h), (b.qvel - a.qvel) / h,
                           (b.act - a.act) / h])


def near(actual, expected, tolerance):
    error = np.abs(np.asarray(actual) - expected).max() / max(1e-9, np.abs(expected).max())
    assert error <= tolerance, f"error {error:.2e} > {tolerance:.0e}"


#---------------------------------- the step ------------------------------------------

def steps_have_the_bits_of_the_command():
    with tempfile.TemporaryDirectory() as folder:
        for name in ("panda", "ball_drop", "figures"):
            file = os.path.join(folder, name + ".npz")
            subprocess.run([TACTUS, "run", os.path.join(SCENES, name + ".xml"), "--steps", "40", "-o",
                            file], check=True, capture_output=True)
            expected = np.load(file)
            model = scene(name)
            t = tac.rollout(model, model.state(), steps=40)
            assert np.array_equal(t.qpos, expected["qpos"]) and np.array_equal(t.qvel, expected["qvel"])
            x = model.state()
            for _ in range(40):
                tac.step(model, x, out=x)
            assert np.array_equal(x.qpos, t.qpos[-1]) and abs(x.time - 40 * model.timestep) < 1e-12


def derivatives_are_those_of_differences():
    for model in (scene("panda"), scene("cart_pole"), tac.Model.from_xml_string(BOX)):
        x, u, rng = moving(model)
        A, B = tac.jacobian(model, x, u)
        d, du, bar = rng.normal(size=model.nx), rng.normal(size=model.nu), rng.normal(size=model.nx)
        ends = [tac.step(model, move(model, x, d, s), u + s * du) for s in (-1e-7, 1e-7)]
        near(A @ d + B @ du, difference(model, *ends, 2e-7), 2e-5)
        near(tac.jvp(model, x, u, d, du), A @ d + B @ du, 1e-12)
        x_bar, u_bar = tac.vjp(model, x, u, bar)
        near(x_bar, A.T @ bar, 1e-12)
        near(u_bar, B.T @ bar, 1e-12)
        hx, hu = tac.hvp(model, x, u, bar, d, du)
        sides = [tac.vjp(model, move(model, x, d, s), u + s * du, bar) for s in (-1e-6, 1e-6)]
        near(hx, (sides[1][0] - sides[0][0]) / 2e-6, 1e-4)


def gradients_by_parameters():
    model = tac.Model.from_xml_string(BOX)
    x, u, rng = moving(model)
    x.qvel[0] = 1.0
    steps, name = 5, "geom:box/friction[0]"
    bar = np.zeros((steps + 1, model.nx))
    bar[-1] = rng.normal(size=model.nx)
    *_, by = tac.rollout_vjp(model, x, states_bar=bar, steps=steps, params=[name, "body:box/mass"])
    A, B, P = tac.jacobian(model, x, u, params=[name])
    *_, one = tac.vjp(model, x, u, bar[-1], params=[name])
    near(one[name], P[:, 0] @ bar[-1], 1e-10)
    assert P.shape == (model.nx, 1)
    for key in by:
        value, ends = model.params[key], []
        for h in (-1e-6, 1e-6):
            model.params[key] = value + h
            y = x.copy()
            tac.rollout(model, x, steps=steps, end=y)
            ends.append(y)
        model.params[key] = value
        near(by[key], difference(model, *ends, 2e-6) @ bar[-1], 1e-5)


def inverse_undoes_acceleration():
    model = tac.Model.from_xml_string(BOX.replace("<motor joint=\"hinge\"/>", ""))
    x, *_ = moving(model)
    tau = tac.inverse(model, x, tac.acceleration(model, x))
    passive = np.zeros(model.nv)
    ball = model.joint("ball").dof
    passive[ball] = -0.1 * x.qvel[ball]
    assert abs(tau - passive).max() < 1e-8 * max(1.0, abs(tau).max()), tau - passive


def contacts_carry_the_weight():
    model = tac.Model.from_xml_string(BOX)
    x = model.state()
    tac.rollout(model, x, steps=400, end=x)
    c = tac.contacts(model, x)
    mass = sum(model.params[p] for p in model.params if p.endswith("/mass"))
    assert len(c) >= 3 and c.point.shape == (len(c), 3)
    assert abs(abs(c.wrench[model.body("box").id, 2]) / (9.81 * mass) - 1) < 0.05, c.wrench


#---------------------------------- scenes --------------------------------------------

def names_and_fields():
    model = scene("panda")
    assert model.body("hand").name == "hand" and model.body(model.body("hand").id).name == "hand"
    joint = model.joint(0)
    assert joint.kind == "hinge" and joint.qpos == slice(0, 1)
    light = scene("first_light")
    p = np.array([[.16, 0, .37], [.1, .1, .2]])
    value, g, H = light.shape("goblet").sdf(p, gradient=True, hessian=True)
    for k in range(3):
        e = 1e-6 * np.eye(3)[k]
        a, ga = light.shape("goblet").sdf(p + e, gradient=True)
        b, gb = light.shape("goblet").sdf(p - e, gradient=True)
        assert abs(g[:, k] - (a - b) / 2e-6).max() < 1e-6
        assert abs(H[:, k] - (ga - gb) / 2e-6).max() < 1e-3
    picture = tac.render(model, model.state(), 60, 40)
    assert picture.shape == (40, 60, 3) and picture.dtype == np.uint8 and picture.std() > 1


def formulas_are_those_of_numbers():
    sympy = optional("sympy")
    model = scene("cart_pole")
    x, *_ = moving(model)
    values = {f"q{i}": q for i, q in enumerate(x.qpos)} | {f"v{i}": v for i, v in enumerate(x.qvel)}
    names = dict(values)
    for line in tac.derive(model, exact=True).splitlines():
        if "=" in line:
            left, right = line.split("=", 1)
            names[left.strip()] = sympy.sympify(right, locals=names)
    M = np.array([float(names[f"y{i}"]) for i in range(model.nv ** 2)]).reshape(model.nv, -1)
    near(M, tac.mass_matrix(model, x), 1e-12)


def errors_say_what_is_wrong():
    for call, kind, words in (
            (lambda: tac.Model.from_xml_string("<mujoco><worldbody><geom type='bix'/></worldbody></mujoco>"),
             ValueError, "box"),
            (lambda: tac.Model.from_xml_path("missing.xml"), OSError, "missing.xml"),
            (lambda: scene("panda").body("nobody"), KeyError, "hand"),
            (lambda: scene("panda").params["nothing/mass"], KeyError, "nothing/mass"),
            (lambda: tac.step(scene("panda"), scene("panda").state()), ValueError, "another model")):
        try:
            call()
        except kind as error:
            assert words in str(error), str(error)
        else:
            raise AssertionError(f"no {kind.__name__}")
    model = scene("panda")
    x = model.state()
    for wrong in (np.zeros(9, np.float32), np.zeros(8), np.zeros((9, 1)), "text", object(), {},
                  np.zeros(9, complex), np.zeros(9, object), np.full(9, np.nan)):
        try:
            tac.step(model, x, wrong)
        except (TypeError, ValueError, tac.TactusError):
            continue
        raise AssertionError(f"{wrong!r} was taken")
    for out in (np.zeros((18, 18), np.float32), np.zeros((18, 18))[::-1], np.zeros((18, 18), order="F"),
                np.zeros((17, 18))):
        try:
            tac.mass_matrix(scene("panda"), model.state(), out)
        except (TypeError, ValueError):
            continue
        raise AssertionError("a wrong output was taken")


def views_are_the_memory_of_the_state():
    model = scene("panda")
    x = model.state()
    q = x.qpos
    q[0] = 0.25
    assert x.qpos[0] == 0.25 and not q.flags.owndata
    M = np.zeros((model.nv, model.nv))
    assert tac.mass_matrix(model, x, out=M) is M and M[0, 0] > 0
    wide = np.zeros((model.nu, 2))
    wide[:, 0] = 0.1
    assert np.array_equal(tac.step(model, x, wide[:, 0]).qpos, tac.step(model, x, wide[:, 0].copy()).qpos)
    del x, model
    gc.collect()
    q[:] = 1.0  # the array keeps state and model alive
    assert q.sum() == len(q)


def pickles_keep_bits_and_parameters():
    for name in ("figures", "panda"):
        model = scene(name)
        key = next(p for p in model.params if p.endswith("/mass"))
        model.params[key] = 1.25 * np.asarray(model.params[key])
        copy = pickle.loads(pickle.dumps(model))
        assert copy.hash() == model.hash() and copy.params[key] == model.params[key]
        x = moving(model)[0]
        y = pickle.loads(pickle.dumps(x))
        a, b = (tac.rollout(m, s, steps=20).qpos for m, s in ((model, x), (y.model, y)))
        assert np.array_equal(a, b)


#---------------------------------- batches -------------------------------------------

def batches_have_the_bits_of_single_calls():
    models = [tac.Model.from_xml_string(BOX), scene("panda"), scene("cart_pole")]
    rows = [models[i * 7 % 3] for i in range(11)]
    batch = tac.Batch(rows)
    states, controls = [], []
    for i, model in enumerate(rows):
        x, u, _ = moving(model, i)
        states.append(x)
        controls.append(u)
        batch.set_state(i, x)
    A, B = batch.jacobian(controls)
    bars = [np.random.default_rng(i).normal(size=m.nx) for i, m in enumerate(rows)]
    xb, ub = batch.vjp(controls, bars)
    hx, _ = batch.hvp(controls, bars, bars)
    t = batch.rollout(ctrl=[np.tile(u, (9, 1)) for u in controls], steps=9)
    for i, (model, x, u) in enumerate(zip(rows, states, controls)):
        # a warm start changes the path of a solver by rounding: contact here has none
        one = tac.jacobian(model, x, u)
        assert np.array_equal(A[i], one[0]) and np.array_equal(B[i], one[1])
        assert np.array_equal(xb[i], tac.vjp(model, x, u, bars[i])[0])
        assert np.array_equal(hx[i], tac.hvp(model, x, u, bars[i], bars[i])[0])
        assert np.array_equal(t[i].qpos, tac.rollout(model, x, np.tile(u, (9, 1))).qpos)
    uniform = tac.Batch(models[1], 6, threads=2)
    uniform.bind("qpos")[:, 0] = np.linspace(0, 1, 6)
    assert uniform.rollout(5).qpos.shape == (6, 6, models[1].nq)


def a_wrong_row_leaves_the_others_alone():
    model = scene("panda")
    batch = tac.Batch(model, 5)
    batch.qvel[2, 0] = np.nan
    try:
        batch.step()
        raise AssertionError("no error")
    except tac.TactusError as error:
        assert "row 2" in str(error)
    assert [e is None for e in batch.errors] == [True, True, False, True, True]
    assert batch.time[1] == model.timestep and batch.time[2] == 0


def threads_and_parameters():
    model = tac.Model.from_xml_string(BOX)
    expected = tac.rollout(model, model.state(), steps=60).qpos
    failures, results = [], []

    def work():
        try:
            for _ in range(15):
                results.append(np.array_equal(tac.rollout(model, model.state(), steps=60).qpos, expected))
        except Exception as error:
            failures.append(error)

    def change():
        for _ in range(300):
            model.params["geom:box/friction"] = model.params["geom:box/friction"]
    threads = [threading.Thread(target=f) for f in (work, work, change)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures and all(results) and len(results) == 30, failures


def random_calls_never_crash():
    """Wrong shapes, dtypes, strides, None and objects of other models: exceptions only."""
    rng = np.random.default_rng(int(os.environ.get("TACTUS_SEED", "1")))
    models = [tac.Model.from_xml_string(BOX), scene("cart_pole"), scene("panda")]

    def value(depth=0):
        m = models[rng.integers(3)]
        sizes = [m.nq, m.nv, m.na, m.nu, m.nx, m.nparam, 0, 1, 3]
        shape = [int(rng.choice(sizes)) for _ in range(rng.integers(0, 3))]
        array = rng.normal(size=shape).astype(rng.choice([float, np.float32, int, complex]))
        kinds = [lambda: None, lambda: m, m.state, lambda: array, lambda: array.T, lambda: np.atleast_1d(array)[::-1],
                 lambda: array.astype(float), lambda: array.tolist(), lambda: "x", lambda: -1, lambda: 7,
                 lambda: 1e300, lambda: np.float64(np.nan), lambda: [value(1)] if depth < 1 else [],
                 lambda: np.zeros(m.nu), lambda: np.zeros(m.nx), lambda: np.zeros((4, m.nx)),
                 lambda: np.zeros((3, m.nu)), lambda: rng, lambda: np.zeros(2**3).view("V8"),
                 lambda: tac.State.__new__(tac.State), lambda: np.array(None)]
        return kinds[rng.integers(len(kinds))]()
    functions = [tac.step, tac.jvp, tac.vjp, tac.hvp, tac.jacobian, tac.rollout_vjp, tac.contacts,
                 tac.acceleration, tac.inverse, tac.mass_matrix, tac.kinematics, tac.energy,
                 tac.sensordata, tac.integrate_pos, tac.differentiate_pos, tac.body_jacobian,
                 tac._core._sdf, tac._core._vjp, tac._core._hvp, tac._core._jacobian, tac.State,
                 lambda *a: tac._core._rollout(*a[:3], steps=4), tac.Model.from_xml_string,
                 lambda *a: tac.Batch(*a[:1]).step(*a[1:2]), lambda m, *a: m.params[a[0]],
                 lambda m, *a: m._param_set(*a), lambda x, *a: setattr(x, "qpos", a[0]),
                 lambda m, *a: m._name(*a), lambda m, *a: m._param_get(*a)]
    calls = {"returned": 0, "raised": 0}
    with open(os.devnull, "w") as quiet:
        sys.stderr = quiet
        for _ in range(int(os.environ.get("TACTUS_CALLS", "4000"))):
            function = functions[rng.integers(len(functions))]
            good = [models[rng.integers(3)]]
            good.append(good[0].state())
            try:
                arguments = (good[:rng.integers(0, 3)] + [value() for _ in range(rng.integers(0, 4))])
                function(*arguments)
                calls["returned"] += 1
            except Exception:
                calls["raised"] += 1
        sys.stderr = sys.__stderr__
    assert calls["returned"] > 20 and calls["raised"] > 20, calls
    x, u, _ = moving(models[0])
    near(tac.jvp(models[0], x, u, np.ones(models[0].nx)), tac.jacobian(models[0], x, u)[0].sum(1), 1e-10)


#---------------------------------- other libraries -----------------------------------

def scipy_finds_the_controls():
    optimize = optional("scipy.optimize")
    import tactus_sim.scipy
    model = scene("cart_pole")
    steps = 20

    def residual(t):
        J = np.zeros((2, steps + 1, model.nx))
        J[0, -1, 0] = J[1, -1, model.nv] = 1
        return np.array([t.qpos[-1, 0] - 0.01, t.qvel[-1, 0]]), J
    problem = tac.scipy.Shooting(model, model.state(), steps, residual)
    u = np.random.default_rng(0).normal(size=problem.size)
    assert optimize.check_grad(problem.fun, problem.jac, u) < 1e-5
    found = optimize.least_squares(problem.residual, np.zeros(problem.size), problem.residual_jac)
    assert found.cost < 1e-12, found.cost
    near(problem.hessp(u, u), problem.residual_jac(u).T @ (problem.residual_jac(u) @ u), 1e-12)


def torch_passes_gradcheck_twice():
    torch = optional("torch")
    import tactus_sim.torch
    torch.manual_seed(0)
    model = tac.Model.from_xml_string(BOX)
    q = torch.tensor(model.qpos0)[None].repeat(2, 1)
    q[:, 3:7] += .1 * torch.randn(2, 4)
    q[:, 7:11] += .3 * torch.randn(2, 4)
    q[:, 3:7] *= 1.3
    q.requires_grad_(True)
    v, u, U = (torch.randn(2, *s, dtype=torch.float64, requires_grad=True)
               for s in ((model.nv,), (model.nu,), (3, model.nu)))
    loose = dict(eps=1e-6, atol=1e-4, rtol=1e-3)
    step = lambda q, v, u: tac.torch.step(model, q, v, None, u)[:2]
    roll = lambda q, v, u: tac.torch.rollout(model, q, v, None, u)[:2]
    for f, inputs in ((step, (q, v, u)), (roll, (q, v, U))):
        assert torch.autograd.gradcheck(f, inputs, **loose)
        if f is step or "TACTUS_SWEEP" in os.environ:
            assert torch.autograd.gradgradcheck(f, inputs, **loose)


def jax_passes_check_grads():
    jax = optional("jax")
    jax.config.update("jax_enable_x64", True)
    from jax.test_util import check_grads
    import tactus_sim.jax
    model = tac.Model.from_xml_string(BOX)
    x, u, rng = moving(model)
    q, v, u, U = (jax.numpy.array(a) for a in (x.qpos * 1.2, x.qvel, u, rng.normal(size=(3, model.nu))))
    q = q.at[:3].set(x.qpos[:3])
    f = lambda q, v, u: tac.jax.step(model, q, v, None, u)[:2]
    check_grads(f, (q, v, u), order=2, modes=["rev"], atol=2e-3, rtol=2e-3, eps=1e-6)
    forward = lambda q, v, u: tac.jax.step_forward(model, q, v, None, u)[:2]
    check_grads(forward, (q, v, u), order=1, modes=["fwd", "rev"], atol=1e-4, rtol=1e-4, eps=1e-6)
    roll = lambda q, v, u: tac.jax.rollout(model, q, v, None, u)[:2]
    check_grads(roll, (q, v, U), order=1, modes=["rev"], atol=1e-4, rtol=1e-4, eps=1e-6)
    loss = jax.grad(lambda q, v, u: f(q, v, u)[1].sum())
    many = [jax.numpy.stack([a] * 5) for a in (q, v, u)]
    near(jax.jit(jax.vmap(loss))(*many)[3], loss(q, v, u), 1e-12)


def _fall(row):
    model, height, folder = row
    if height == 3 and not os.path.exists(os.path.join(folder, "died")):
        open(os.path.join(folder, "died"), "w").close()
        os._exit(9)
    x = model.state()
    x.qpos[2] += height
    return tac.rollout(model, x, steps=10).qpos[-1]


def map_survives_a_dead_worker():
    optional("joblib")
    model = tac.Model.from_xml_string(BOX)
    with tempfile.TemporaryDirectory() as folder:
        rows = [(model, h, folder) for h in range(6)]
        results = tac.map(_fall, rows, workers=2)
        assert os.path.exists(os.path.join(folder, "died"))
        for row, result in zip(rows, results):
            assert np.array_equal(result, _fall(row))


def mujoco_models_come_over():
    mujoco = optional("mujoco")
    if not hasattr(mujoco, "MjSpec"):
        raise Skip("this mujoco has no MjSpec")
    spec = mujoco.MjSpec.from_string(BOX.replace('<tactus detect="manifold"/>', ""))
    model = tac.from_mujoco(spec)
    reference = spec.compile()
    assert (model.nq, model.nv, model.nu) == (reference.nq, reference.nv, reference.nu)


def notebooks_run():
    import json
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "notebooks")
    try:
        import matplotlib
        matplotlib.use("Agg")
    except ImportError:
        raise Skip("matplotlib is not installed")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".ipynb"):
            with open(os.path.join(folder, name)) as file:
                cells = json.load(file)["cells"]
            space = {"__name__": "notebook"}
            for cell in cells:
                if cell["cell_type"] == "code":
                    exec(compile("".join(cell["source"]), name, "exec"), space)


LAWS = [steps_have_the_bits_of_the_command, derivatives_are_those_of_differences, gradients_by_parameters,
        inverse_undoes_acceleration, contacts_carry_the_weight, names_and_fields,
        formulas_are_those_of_numbers, errors_say_what_is_wrong, views_are_the_memory_of_the_state,
        pickles_keep_bits_and_parameters, batches_have_the_bits_of_single_calls,
        a_wrong_row_leaves_the_others_alone, threads_and_parameters, random_calls_never_crash,
        scipy_finds_the_controls, torch_passes_gradcheck_twice, jax_passes_check_grads,
        map_survives_a_dead_worker, mujoco_models_come_over, notebooks_run]

if __name__ == "__main__":
    for law in LAWS:
        if FILTER not in law.__name__:
            continue
        try:
            law()
            print("ok  ", law.__name__, flush=True)
        except Skip as reason:
            print("skip", law.__name__, "-", reason, flush=True)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            print("FAIL", law.__name__, f"- {type(error).__name__} {error} at {where.name}:{where.lineno}",
                  flush=True)
