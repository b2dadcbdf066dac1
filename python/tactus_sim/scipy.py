"""scipy: costs of rollouts for minimize and least_squares, with exact gradients.

    problem = tac.scipy.Shooting(model, x, steps, residual)
    scipy.optimize.minimize(problem.fun, u0, jac=problem.jac)
    scipy.optimize.least_squares(problem.residual, u0, jac=problem.residual_jac)

`residual(states)` gets the states in tangents from the start (steps + 1 x nx) and returns its values
(k) and their Jacobian (k x steps + 1 x nx); the cost is half their sum of squares.
"""

import numpy as np

from . import _core


class Shooting:
    """Controls of a rollout as unknowns. `residual(t)` takes a Trajectory and returns (r, J): values
    (k) and the Jacobian by the tangents of all states (k x steps + 1 x nx)."""

    def __init__(self, model, state, steps, residual):
        self.model, self.start, self.steps = model, state.copy(), int(steps)
        self.of_states, self._last = residual, None

    @property
    def size(self):
        """Number of unknowns."""
        return self.steps * self.model.nu

    def _run(self, u):
        from ._step import rollout
        u = np.array(u, dtype=float).reshape(self.steps, self.model.nu)
        if self._last is None or not np.array_equal(self._last[0], u):
            trajectory = rollout(self.model, self.start, u)
            r, J = self.of_states(trajectory)
            self._last = (u, np.atleast_1d(r), np.asarray(J, dtype=float))
        return self._last

    def _pull(self, u, bar):
        return _core._rollout_vjp(self.model, self.start, u, np.ascontiguousarray(bar))[1].reshape(-1)

    def residual(self, u):
        """Residuals (k)."""
        return self._run(u)[1]

    def residual_jac(self, u):
        """Jacobian of the residuals by the controls (k x steps nu): a reverse pass for each."""
        u, _, J = self._run(u)
        return np.stack([self._pull(u, bar) for bar in J])

    def fun(self, u):
        """Half the sum of squares."""
        r = self._run(u)[1]
        return 0.5 * float(r @ r)

    def jac(self, u):
        """Its gradient: one reverse pass for all residuals."""
        u, r, J = self._run(u)
        return self._pull(u, np.tensordot(r, J, 1))

    def hessp(self, u, p):
        """Hessian product, Gauss-Newton: J' J p with exact J."""
        J = self.residual_jac(u)
        return J.T @ (J @ p)
