"""torch: step and rollout as differentiable functions of plain tensors, twice.

    qpos, qvel, act = tac.torch.step(model, qpos, qvel, act, ctrl)
    qpos, qvel, act = tac.torch.rollout(model, qpos, qvel, act, ctrl)      # rows: states

Tensors are float64 on the CPU, with any number of leading batch dimensions (the batch runs on all
cores). Gradients by quaternions are those of the four numbers (docs/python.md).
"""

import threading

import numpy as np
import torch

from . import _quaternion as quat
from ._batch import Batch

_kept = threading.local()  # a batch serves one call at a time


def _cat(parts):
    return torch.cat(parts, -1)


def _batch(model, rows):
    """A batch that is kept for the next call of the same model and number of rows."""
    batches = _kept.__dict__
    key = f"{id(model)} {rows}"
    if key not in batches or batches[key].models[0] is not model:
        if len(batches) >= 8:
            batches.pop(next(iter(batches)))
        batches[key] = Batch(model, rows)
    return batches[key]


def _array(tensor, name, shape):
    if tensor.dtype != torch.float64:
        raise TypeError(f"{name}: expected float64, got {tensor.dtype}; use .double()")
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError(f"{name}: expected {tuple(shape)}, got {tuple(tensor.shape)}")
    return tensor.detach().numpy()


def _load(model, qpos, qvel, act):
    """A batch at these states, rows x n each."""
    rows = qpos.shape[0]
    batch = _batch(model, rows)
    batch.reset()
    batch.qpos[:] = _array(qpos, "qpos", (rows, model.nq))
    batch.qvel[:] = _array(qvel, "qvel", (rows, model.nv))
    batch.act[:] = _array(act, "act", (rows, model.na))
    return batch


def _control(model, ctrl, *shape):
    return np.ascontiguousarray(_array(ctrl, "ctrl", (*shape, model.nu)))


class _Step(torch.autograd.Function):
    @staticmethod
    def forward(ctx, model, qpos, qvel, act, ctrl):
        batch = _load(model, qpos, qvel, act)
        batch.step(_control(model, ctrl, len(batch)))
        out = [torch.from_numpy(a.copy()) for a in (batch.qpos, batch.qvel, batch.act)]
        ctx.model = model
        ctx.save_for_backward(qpos, qvel, act, ctrl, out[0])
        return tuple(out)

    @staticmethod
    def backward(ctx, q_bar, v_bar, a_bar):
        m = ctx.model
        qpos, qvel, act, ctrl, next_qpos = ctx.saved_tensors
        bar = _cat([quat.push_transpose(torch, _cat, m, next_qpos, q_bar), v_bar, a_bar])
        x, u = _Vjp.apply(m, qpos, qvel, act, ctrl, bar)
        return (None, quat.pull_transpose(torch, _cat, m, qpos, x[..., :m.nv]),
                x[..., m.nv:2 * m.nv], x[..., 2 * m.nv:], u)


class _Vjp(torch.autograd.Function):
    """A' bar and B' bar on tangents; its own derivative is a Hessian product."""

    @staticmethod
    def forward(ctx, model, qpos, qvel, act, ctrl, bar):
        batch = _load(model, qpos, qvel, act)
        x, u = batch.vjp(_control(model, ctrl, len(batch)), np.ascontiguousarray(bar.detach().numpy()))
        x, u = torch.from_numpy(x), torch.from_numpy(u)
        ctx.model = model
        ctx.save_for_backward(qpos, qvel, act, ctrl, bar, x)
        return x, u

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, x_dir, u_dir):
        m = ctx.model
        qpos, qvel, act, ctrl, bar, x_bar = ctx.saved_tensors
        batch = _load(m, qpos, qvel, act)
        u = _control(m, ctrl, len(batch))
        dx, du = np.ascontiguousarray(x_dir.numpy()), np.ascontiguousarray(u_dir.numpy())
        next_bar = np.ascontiguousarray(bar.detach().numpy())
        next_dot = torch.from_numpy(batch.jvp(u, dx, du))
        hx, hu = (torch.from_numpy(a) for a in batch.hvp(u, next_bar, dx, du))
        # the transpose of the Hessian: brackets of rotations at the next state and at this one
        twist = quat.cross_blocks(torch, _cat, m, bar, next_dot)
        tx, tu = (torch.from_numpy(a) for a in batch.vjp(u, np.ascontiguousarray(twist.numpy())))
        gx = hx + tx + quat.cross_blocks(torch, _cat, m, x_dir, x_bar)
        return (None, quat.pull_transpose(torch, _cat, m, qpos, gx[..., :m.nv]),
                gx[..., m.nv:2 * m.nv], gx[..., 2 * m.nv:], hu + tu, next_dot)


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, model, qpos, qvel, act, ctrl):
        rows, steps = ctrl.shape[0], ctrl.shape[1]
        batch = _load(model, qpos, qvel, act)
        t = batch.rollout(ctrl=_control(model, ctrl, rows, steps), steps=steps)
        out = [torch.from_numpy(np.ascontiguousarray(a)) for a in (t.qpos, t.qvel, t.act)]
        ctx.model = model
        ctx.save_for_backward(qpos, qvel, act, ctrl, out[0])
        return tuple(out)

    @staticmethod
    def backward(ctx, q_bar, v_bar, a_bar):
        m = ctx.model
        qpos, qvel, act, ctrl, qs = ctx.saved_tensors
        if torch.is_grad_enabled():  # twice: the same gradient step by step, each step twice differentiable
            return (None, *_gradient_by_steps(m, (qpos, qvel, act, ctrl), (q_bar, v_bar, a_bar)))
        # row 0 is the start itself: its numbers are the input's
        batch = _load(m, qpos, qvel, act)
        tangents = quat.push_transpose(torch, _cat, m, qs, q_bar)
        tangents[:, 0] = 0
        bar = _cat([tangents, v_bar, a_bar]).numpy()
        x, u = batch.rollout_vjp(np.ascontiguousarray(bar), steps=ctrl.shape[1],
                                 ctrl=_control(m, ctrl, *ctrl.shape[:2]))
        x, u = torch.from_numpy(x), torch.from_numpy(u)
        q = quat.pull_transpose(torch, _cat, m, qpos, x[:, :m.nv]) + q_bar[:, 0]
        return None, q, x[:, m.nv:2 * m.nv], x[:, 2 * m.nv:], u


def _gradient_by_steps(model, inputs, bars):
    with torch.enable_grad():
        qpos, qvel, act, ctrl = inputs
        state, states = (qpos, qvel, act), [(qpos, qvel, act)]
        for k in range(ctrl.shape[1]):
            state = _Step.apply(model, *state, ctrl[:, k])
            states.append(state)
        outputs = [torch.stack([s[i] for s in states], 1) for i in range(3)]
        wanted = [x for x in inputs if x.requires_grad]
        found = iter(torch.autograd.grad(outputs, wanted, bars, create_graph=True, allow_unused=True))
        return tuple(next(found) if x.requires_grad else None for x in inputs)


def _rows(model, qpos, qvel, act, ctrl, inner):
    """Inputs with one batch dimension, and the leading dimensions."""
    lead = qpos.shape[:-1]
    if qvel is None:
        qvel = qpos.new_zeros((*lead, model.nv))
    if act is None:
        act = qpos.new_zeros((*lead, model.na))
    if ctrl is None:
        if inner:
            raise ValueError("rollout: ctrl (... x steps x nu) gives the number of steps")
        ctrl = qpos.new_zeros((*lead, model.nu))
    ctrl = ctrl.expand(*lead, *ctrl.shape[-1 - inner:])
    n = int(np.prod(lead)) if lead else 1
    return ([qpos.reshape(n, -1), qvel.reshape(n, model.nv), act.reshape(n, model.na),
             ctrl.reshape(n, *ctrl.shape[len(lead):])], lead)


def step(model, qpos, qvel=None, act=None, ctrl=None):
    """One step of tensors (... x nq), (... x nv), (... x na), (... x nu): the next qpos, qvel, act.

    >>> q, v, a = tac.torch.step(model, q, v, a, policy(q, v))
    """
    inputs, lead = _rows(model, qpos, qvel, act, ctrl, 0)
    return tuple(y.reshape(*lead, y.shape[-1]) for y in _Step.apply(model, *inputs))


def rollout(model, qpos, qvel=None, act=None, ctrl=None):
    """Many steps with controls (... x steps x nu): qpos, qvel, act of all states, the start included
    (... x steps + 1 x n).

    >>> q, v, a = tac.torch.rollout(model, q0, v0, ctrl=u)
    >>> (q[-1, 0] - target).square().backward()
    """
    inputs, lead = _rows(model, qpos, qvel, act, ctrl, 1)
    return tuple(y.reshape(*lead, *y.shape[1:]) for y in _Rollout.apply(model, *inputs))
