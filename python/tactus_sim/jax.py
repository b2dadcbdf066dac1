"""JAX: step and rollout under jit, vmap and grad.

    qpos, qvel, act = tac.jax.step(model, qpos, qvel, act, ctrl)

step has reverse mode of first and second order. step_forward has both modes of first order, through
explicit A and B. rollout has reverse mode of first order. vmap becomes one batch on all cores. Numbers
are float64: jax.config.update("jax_enable_x64", True). Gradients by quaternions are those of the four
numbers (docs/python.md).
"""

import threading

import jax
import jax.numpy as jnp
import numpy as np

from . import _quaternion as quat
from ._batch import Batch

_kept = threading.local()  # a batch serves one call at a time


def _cat(parts):
    return jnp.concatenate(parts, -1)


def _batch(model, rows):
    batches = _kept.__dict__
    key = f"{id(model)} {rows}"
    if key not in batches or batches[key].models[0] is not model:
        if len(batches) >= 8:
            batches.pop(next(iter(batches)))
        batches[key] = Batch(model, rows)
    return batches[key]


def _load(model, qpos, qvel, act):
    """A batch at these states, the leading dimensions, and their number."""
    lead = np.shape(qpos)[:-1]
    rows = int(np.prod(lead)) if lead else 1
    batch = _batch(model, rows)
    batch.reset()
    batch.qpos[:] = np.asarray(qpos).reshape(rows, model.nq)
    batch.qvel[:] = np.asarray(qvel).reshape(rows, model.nv)
    batch.act[:] = np.asarray(act).reshape(rows, model.na)
    return batch, lead


def _flat(values, batch, *shape):
    return np.ascontiguousarray(np.asarray(values).reshape(len(batch), *shape))


def _spread(lead, *arrays):
    return tuple(np.array(a).reshape(*lead, *a.shape[1:]) for a in arrays)


def _call(function, shapes, *inputs):
    if not jax.config.jax_enable_x64:
        raise TypeError('tactus_sim.jax needs float64: jax.config.update("jax_enable_x64", True)')
    results = tuple(jax.ShapeDtypeStruct(s, jnp.float64) for s in shapes)
    return jax.pure_callback(function, results, *inputs, vmap_method="broadcast_all")


class _Functions:
    """Functions of one model, for single states; vmap adds the others."""

    def __init__(self, model):
        self.model = model
        self.step = jax.custom_vjp(self._step)
        self.step.defvjp(self._step_fwd, self._step_bwd)
        self.vjp = jax.custom_vjp(self._vjp)
        self.vjp.defvjp(self._vjp_fwd, self._vjp_bwd)
        self.forward = jax.custom_jvp(self._step)
        self.forward.defjvp(self._forward_jvp)
        self.rollout = jax.custom_vjp(self._rollout)
        self.rollout.defvjp(self._rollout_fwd, self._rollout_bwd)

    #---------------------------------- step --------------------------------------

    def _step(self, q, v, a, u):
        m = self.model

        def run(q, v, a, u):
            batch, lead = _load(m, q, v, a)
            batch.step(_flat(u, batch, m.nu))
            return _spread(lead, batch.qpos, batch.qvel, batch.act)
        return _call(run, ((m.nq,), (m.nv,), (m.na,)), q, v, a, u)

    def _step_fwd(self, q, v, a, u):
        out = self.step(q, v, a, u)
        return out, (q, v, a, u, out[0])

    def _step_bwd(self, kept, bars):
        q, v, a, u, next_q = kept
        m = self.model
        bar = _cat([quat.push_transpose(jnp, _cat, m, next_q, bars[0]), bars[1], bars[2]])
        x, u_bar = self.vjp(q, v, a, u, bar)
        return (quat.pull_transpose(jnp, _cat, m, q, x[:m.nv]), x[m.nv:2 * m.nv], x[2 * m.nv:], u_bar)

    def _vjp(self, q, v, a, u, bar):
        m = self.model

        def run(q, v, a, u, bar):
            batch, lead = _load(m, q, v, a)
            return _spread(lead, *batch.vjp(_flat(u, batch, m.nu), _flat(bar, batch, m.nx)))
        return _call(run, ((m.nx,), (m.nu,)), q, v, a, u, bar)

    def _vjp_fwd(self, q, v, a, u, bar):
        out = self.vjp(q, v, a, u, bar)
        return out, (q, v, a, u, bar, out[0])

    def _vjp_bwd(self, kept, directions):
        q, v, a, u, bar, x_bar = kept
        m = self.model
        dx, du = directions

        def run(q, v, a, u, bar, dx, du):
            batch, lead = _load(m, q, v, a)
            u, bar = _flat(u, batch, m.nu), _flat(bar, batch, m.nx)
            dx, du = _flat(dx, batch, m.nx), _flat(du, batch, m.nu)
            dot = batch.jvp(u, dx, du)
            hx, hu = batch.hvp(u, bar, dx, du)
            # the transpose of the Hessian: brackets of rotations (_quaternion.py)
            twist = quat.cross_blocks(np, lambda p: np.concatenate(p, -1), m, bar, dot)
            tx, tu = batch.vjp(u, np.ascontiguousarray(twist))
            return _spread(lead, hx + tx, hu + tu, dot)
        hx, hu, dot = _call(run, ((m.nx,), (m.nu,), (m.nx,)), q, v, a, u, bar, dx, du)
        gx = hx + quat.cross_blocks(jnp, _cat, m, dx, x_bar)
        return (quat.pull_transpose(jnp, _cat, m, q, gx[:m.nv]), gx[m.nv:2 * m.nv], gx[2 * m.nv:], hu,
                dot)

    #---------------------------------- forward mode ------------------------------

    def _forward_jvp(self, inputs, dots):
        q, v, a, u = inputs
        m = self.model

        def run(q, v, a, u):
            batch, lead = _load(m, q, v, a)
            return _spread(lead, *batch.jacobian(_flat(u, batch, m.nu)))
        out = self.forward(q, v, a, u)
        A, B = _call(run, ((m.nx, m.nx), (m.nx, m.nu)), q, v, a, u)
        dx = _cat([quat.pull(jnp, _cat, m, q, dots[0]), dots[1], dots[2]])
        next_dot = A @ dx + B @ dots[3]
        return out, (quat.push(jnp, _cat, m, out[0], next_dot[:m.nv]), next_dot[m.nv:2 * m.nv],
                     next_dot[2 * m.nv:])

    #---------------------------------- rollout -----------------------------------

    def _rollout(self, q, v, a, u):
        m, steps = self.model, u.shape[0]

        def run(q, v, a, u):
            batch, lead = _load(m, q, v, a)
            t = batch.rollout(steps, _flat(u, batch, steps, m.nu))
            return _spread(lead, t.qpos, t.qvel, t.act)
        return _call(run, tuple((steps + 1, n) for n in (m.nq, m.nv, m.na)), q, v, a, u)

    def _rollout_fwd(self, q, v, a, u):
        out = self.rollout(q, v, a, u)
        return out, (q, v, a, u, out[0])

    def _rollout_bwd(self, kept, bars):
        q, v, a, u, qs = kept
        m, steps = self.model, u.shape[0]

        def run(q, v, a, u, bar):
            batch, lead = _load(m, q, v, a)
            return _spread(lead, *batch.rollout_vjp(_flat(bar, batch, steps + 1, m.nx), steps,
                                                    _flat(u, batch, steps, m.nu)))
        tangents = quat.push_transpose(jnp, _cat, m, qs, bars[0]).at[0].set(0.0)
        x, u_bar = _call(run, ((m.nx,), (steps, m.nu)), q, v, a, u, _cat([tangents, bars[1], bars[2]]))
        return (quat.pull_transpose(jnp, _cat, m, q, x[:m.nv]) + bars[0][0], x[m.nv:2 * m.nv],
                x[2 * m.nv:], u_bar)


def _functions(model):
    if not hasattr(model, "_jax"):
        model._jax = _Functions(model)
    return model._jax


def _inputs(model, qpos, qvel, act, ctrl, rollout=False):
    if ctrl is None and rollout:
        raise ValueError("rollout: ctrl (steps x nu) gives the number of steps")
    given = [qpos, jnp.zeros(model.nv) if qvel is None else qvel,
             jnp.zeros(model.na) if act is None else act,
             jnp.zeros(model.nu) if ctrl is None else ctrl]
    given = [jnp.asarray(x) for x in given]
    for x, n, name in zip(given, (model.nq, model.nv, model.na, model.nu), ("qpos", "qvel", "act", "ctrl")):
        if x.dtype != jnp.float64:
            raise TypeError(f"{name}: expected float64, got {x.dtype}; "
                            'jax.config.update("jax_enable_x64", True)')
        dimensions = 2 if rollout and name == "ctrl" else 1
        if x.ndim != dimensions or x.shape[-1] != n:
            raise ValueError(f"{name}: expected ({'steps, ' * (dimensions - 1)}{n}), got {x.shape}; "
                             "batches go through jax.vmap")
    return given


def step(model, qpos, qvel=None, act=None, ctrl=None):
    """One step: the next qpos, qvel, act. Reverse mode, twice."""
    return _functions(model).step(*_inputs(model, qpos, qvel, act, ctrl))


def step_forward(model, qpos, qvel=None, act=None, ctrl=None):
    """step with forward and reverse mode of first order, through explicit A and B."""
    return _functions(model).forward(*_inputs(model, qpos, qvel, act, ctrl))


def rollout(model, qpos, qvel=None, act=None, ctrl=None):
    """Many steps with controls (steps x nu): qpos, qvel, act of all states, the start included."""
    return _functions(model).rollout(*_inputs(model, qpos, qvel, act, ctrl, rollout=True))
