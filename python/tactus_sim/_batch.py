"""Batches: many rows at once, each with a scene of its own, on all cores."""

import numpy as np

from . import _core
from ._step import Trajectory


class Batch(_core.Batch):
    """Rows of states. `models` is one Model for n rows, or a list with a Model for each row.

    With one model all arrays have a line for each row. With different models they are lists, an array
    for each row. A row that fails keeps its error in `errors`; the others go on, and the call raises
    at its end unless raise_error is False.

    >>> batch = tac.Batch(model, 1024)
    >>> batch.bind("qpos")[:, 2] += np.linspace(0, 1, 1024)
    >>> batch.rollout(100)
    """

    def __init__(self, models, n=None, threads=0):
        if isinstance(models, _core.Model):
            models = [models] * (1 if n is None else n)
        elif n is not None and n != len(models):
            raise ValueError(f"Batch: {len(models)} models for {n} rows")
        models = list(models)
        super().__init__(models, threads)
        self.models = models
        self.uniform = all(m is models[0] for m in models)

    def __len__(self):
        return self.rows

    def _split(self, packed, shape):
        """A packed array as one array with a line for each row, or as a list of rows."""
        if self.uniform:
            return packed.reshape(self.rows, *shape(self.models[0]))
        rows, at = [], 0
        for m in self.models:
            sizes = shape(m)
            count = int(np.prod(sizes))
            rows.append(packed[at:at + count].reshape(sizes))
            at += count
        return rows

    def _pack(self, values, shape, name):
        """One array of all rows; None stays."""
        if values is None:
            return None
        if self.uniform and isinstance(values, np.ndarray):
            expected = (self.rows, *shape(self.models[0]))
            if values.dtype != np.float64:
                raise TypeError(f"{name}: expected float64, got {values.dtype}; use .astype(float)")
            if values.shape != expected:
                raise ValueError(f"{name}: expected {expected}, got {values.shape}")
            return np.ascontiguousarray(values).reshape(-1)
        if len(values) != self.rows:
            raise ValueError(f"{name}: expected {self.rows} rows, got {len(values)}")
        rows = [np.asarray(v, dtype=float) for v in values]
        for i, (row, m) in enumerate(zip(rows, self.models)):
            if row.shape != tuple(shape(m)):
                raise ValueError(f"{name}: row {i}: expected {tuple(shape(m))}, got {row.shape}")
        return np.concatenate([r.reshape(-1) for r in rows]) if rows else None

    def bind(self, field):
        """Writable views of 'qpos', 'qvel' or 'act' of all rows."""
        counts = {"qpos": lambda m: (m.nq,), "qvel": lambda m: (m.nv,), "act": lambda m: (m.na,)}
        if field not in counts:
            raise KeyError(f"{field!r}: expected 'qpos', 'qvel' or 'act'")
        return self._split(getattr(self, "_" + field), counts[field])

    @property
    def qpos(self): return self.bind("qpos")

    @property
    def qvel(self): return self.bind("qvel")

    @property
    def act(self): return self.bind("act")

    @property
    def time(self): return np.array(self._time())

    def info(self, row):
        """Report on the last step of a row."""
        return self._info(range(self.rows)[row])

    def reset(self):
        """All rows to the start of their scenes."""
        self._reset()

    def set_state(self, row, state):
        """Copies a State into a row."""
        row = range(self.rows)[row]
        if state.model is not self.models[row]:
            raise ValueError("the state belongs to another model")
        self.qpos[row][:], self.qvel[row][:], self.act[row][:] = state.qpos, state.qvel, state.act
        self._set_time(row, state.time)

    def step(self, ctrl=None, raise_error=True):
        """One step of all rows, in place. `ctrl` has a line (nu) for each row."""
        self._step(self._pack(ctrl, lambda m: (m.nu,), "ctrl"), raise_error)

    def rollout(self, steps=None, ctrl=None, record=True, raise_error=True):
        """Many steps of all rows, in place. `ctrl` is (rows x steps x nu). With `record` returns the
        states: a Trajectory with arrays (rows x steps + 1 x nq), or a list of them."""
        steps = self._steps(steps, ctrl)
        states = self._rollout(steps, self._pack(ctrl, lambda m: (steps, m.nu), "ctrl"), record,
                               raise_error)
        if not record:
            return None
        parts = self._split(states, lambda m: (steps + 1, m.state_size))
        if self.uniform:
            return Trajectory(self.models[0], parts)
        return [Trajectory(m, p) for m, p in zip(self.models, parts)]

    @staticmethod
    def _steps(steps, ctrl):
        if steps is None and ctrl is None:
            raise ValueError("rollout: steps or ctrl is needed")
        return int(steps) if steps is not None else len(ctrl[0])

    def rollout_vjp(self, states_bar, steps=None, ctrl=None, raise_error=True):
        """Gradient of functions of the states of a rollout, as tac.rollout_vjp, of every row: by the
        starts and by the controls. The states stay."""
        steps = self._steps(steps, ctrl)
        x, u, _ = self._rollout_vjp(steps, self._pack(ctrl, lambda m: (steps, m.nu), "ctrl"),
                                    self._pack(states_bar, lambda m: (steps + 1, m.nx), "states_bar"),
                                    False, raise_error)
        return self._split(x, lambda m: (m.nx,)), self._split(u, lambda m: (steps, m.nu))

    def jacobian(self, ctrl=None, raise_error=True):
        """A (nx x nx) and B (nx x nu) of a step of every row."""
        A, B = self._jacobian(self._pack(ctrl, lambda m: (m.nu,), "ctrl"), raise_error)
        return self._split(A, lambda m: (m.nx, m.nx)), self._split(B, lambda m: (m.nx, m.nu))

    def jvp(self, ctrl=None, dx=None, du=None, raise_error=True):
        """Forward derivative of a step of every row."""
        u, x_dot, u_dot = self._inputs(ctrl, dx, du)
        return self._split(self._jvp(u, x_dot, u_dot, raise_error), lambda m: (m.nx,))

    def vjp(self, ctrl=None, next_bar=None, raise_error=True):
        """Reverse derivative of a step of every row: by states and by controls."""
        u, bar, _ = self._inputs(ctrl, next_bar, None)
        x, u_bar, _ = self._vjp(u, bar, False, raise_error)
        return self._split(x, lambda m: (m.nx,)), self._split(u_bar, lambda m: (m.nu,))

    def hvp(self, ctrl=None, next_bar=None, dx=None, du=None, raise_error=True):
        """Hessian product of a step of every row."""
        u, x_dot, u_dot = self._inputs(ctrl, dx, du)
        bar = self._pack(next_bar, lambda m: (m.nx,), "next_bar")
        x, u_bar = self._hvp(u, bar, x_dot, u_dot, raise_error)
        return self._split(x, lambda m: (m.nx,)), self._split(u_bar, lambda m: (m.nu,))

    def _inputs(self, ctrl, x, u):
        return (self._pack(ctrl, lambda m: (m.nu,), "ctrl"), self._pack(x, lambda m: (m.nx,), "dx"),
                self._pack(u, lambda m: (m.nu,), "du"))
