"""Rollouts, contacts and derivatives with names: thin over the extension."""

import numpy as np

from . import _core


class Trajectory:
    """States of a rollout. `qpos`, `qvel` and `act` have a row for each state, the start included."""

    def __init__(self, model, states):
        self.model, self.states = model, states
        nq, nv, na = model.nq, model.nv, model.na
        self.qpos = states[..., :nq]
        self.qvel = states[..., nq:nq + nv]
        self.act = states[..., nq + nv:nq + nv + na]

    def __len__(self):
        return self.states.shape[-2]

    def state(self, i):
        """State i as a new State; its time is that of a start at 0."""
        i = range(len(self))[i]
        x = _core.State(self.model)
        x.qpos, x.qvel, x.act = self.qpos[i].copy(), self.qvel[i].copy(), self.act[i].copy()
        x.warm = self.states[i, self.model.nq + self.model.nv + self.model.na:].copy()
        x.time = i * self.model.timestep
        return x


class Contacts:
    """Contacts of a step as arrays: geom and body (n x 2), distance and activity (n), point, normal,
    force and torque (n x 3, world), and the wrench on each body (nbody x 6)."""

    def __init__(self, geom, body, scalar, vectors, wrench):
        self.geom, self.body = geom.astype(int), body.astype(int)
        self.distance, self.activity = scalar[:, 0], scalar[:, 1]
        self.point, self.normal, self.force, self.torque = (vectors[:, k] for k in range(4))
        self.wrench = wrench

    def __len__(self):
        return len(self.geom)


def rollout(model, state, ctrl=None, steps=None, out=None, end=None):
    """Many steps in one call. `ctrl` has a row for each step (steps x nu); without it, `steps` steps
    with zero control. `end` is a State to write the last state to; `out` an array for the states.

    >>> t = tac.rollout(model, x, steps=500)
    >>> t.qpos[-1]
    """
    return Trajectory(model, _core._rollout(model, state, ctrl, steps, out, end))


def rollout_vjp(model, state, ctrl=None, states_bar=None, steps=None, params=()):
    """Gradient of a function of the states of a rollout. `states_bar` is its derivative by each state
    in tangents (steps + 1 x nx). Returns that by the start (nx), by the controls (steps x nu), and,
    where `params` names some, a dict of those by parameters.

    >>> bar = np.zeros((501, model.nx)); bar[-1, 2] = 1        # the height at the end
    >>> dx, du = tac.rollout_vjp(model, x, ctrl, bar)
    """
    if states_bar is None:
        raise ValueError("states_bar: expected (steps + 1, nx)")
    x, u, theta = _core._rollout_vjp(model, state, ctrl, states_bar, steps, bool(params))
    return (x, u, model.params.select(theta, params)) if params else (x, u)


def contacts(model, state, ctrl=None):
    """Contacts of the step from a state, with their forces.

    >>> c = tac.contacts(model, x)
    >>> c.force.sum(axis=0)
    """
    return Contacts(*_core._contacts(model, state, ctrl))


def jacobian(model, state, ctrl=None, params=(), out=None):
    """A = d next/d x (nx x nx) and B = d next/d u (nx x nu) of a step, on tangents (dq, dv, da) as in
    mjd_transitionFD. With names in `params` also P = d next/d params (nx x columns).

    >>> A, B = tac.jacobian(model, x, u)
    >>> A, B, P = tac.jacobian(model, x, u, params=["box/friction"])
    """
    A, B, P = _core._jacobian(model, state, ctrl, [model.params.find(p) for p in params], out)
    return (A, B, P) if params else (A, B)


def vjp(model, state, ctrl=None, next_bar=None, params=()):
    """Reverse derivative of a step: A' next_bar (nx), B' next_bar (nu), and a dict by parameters
    where `params` names some.

    >>> x_bar, u_bar = tac.vjp(model, x, u, next_bar)
    """
    if next_bar is None:
        raise ValueError("next_bar: expected (nx,)")
    x, u, theta = _core._vjp(model, state, ctrl, next_bar, bool(params))
    return (x, u, model.params.select(theta, params)) if params else (x, u)


def hvp(model, state, ctrl=None, next_bar=None, dx=None, du=None, dtheta=None, params=()):
    """Hessian product: the derivative of vjp along dx, du and dtheta with next_bar fixed.

    >>> x_dot, u_dot = tac.hvp(model, x, u, next_bar, dx=dx)
    """
    if next_bar is None:
        raise ValueError("next_bar: expected (nx,)")
    x, u, theta = _core._hvp(model, state, ctrl, next_bar, dx, du, dtheta, bool(params))
    return (x, u, model.params.select(theta, params)) if params else (x, u)


def render(model, state=None, width=640, height=400, camera=-1, shape=-1):
    """A picture as an array (height x width x 3) of bytes, by sphere tracing. `camera` and `shape`
    are names or ids.

    >>> plt.imshow(tac.render(model, x))
    """
    qpos = None if state is None else np.array(getattr(state, "qpos", state), dtype=float)
    camera = model.camera(camera).id if isinstance(camera, str) else camera
    shape = model.shape(shape).id if isinstance(shape, str) else shape
    return _core._render(model, qpos, width, height, camera, shape)


def view(model, state=None, **options):
    """Shows a picture of a state in a matplotlib figure, and returns its axes."""
    import matplotlib.pyplot as plt
    axes = plt.figure().gca()
    axes.imshow(render(model, state, **options))
    axes.set_axis_off()
    return axes
