"""python -m tactus_sim: version, instruction set, and a self-check of step and derivatives."""

import sys
import time

import numpy as np

import tactus_sim as tac


def error_of_jacobian(name, steps, contact=None):
    """Largest difference of A from central differences, relative to the largest entry."""
    model = tac.Model.from_xml_path(tac.scene_path(name), contact=contact)
    x = model.state()
    for _ in range(steps):
        tac.step(model, x, out=x)
    A, _ = tac.jacobian(model, x)
    nv, h = model.nv, 1e-6
    D = np.zeros((model.nx, nv))
    for k in range(nv):
        ends = []
        for sign in (1, -1):
            y = x.copy()
            y.qpos = tac.integrate_pos(model, x.qpos, np.eye(nv)[k], sign * h)
            ends.append(tac.step(model, y))
        D[:nv, k] = tac.differentiate_pos(model, ends[1].qpos, ends[0].qpos, 2 * h)
        D[nv:2 * nv, k] = (ends[0].qvel - ends[1].qvel) / (2 * h)
    return abs(D[:2 * nv] - A[:2 * nv, :nv]).max() / abs(A).max()


def main():
    start = time.perf_counter()
    print(f"tactus_sim {tac.__version__}, instruction set {tac.instruction_set()}, numpy {np.__version__}")
    worst = 0.0
    for name, steps in (("cart_pole", 10), ("panda", 10), ("ball_drop", 150)):
        error = error_of_jacobian(name, steps)
        worst = max(worst, error)
        print(f"  {name:<10} A against differences: {error:.1e}")
    batch = tac.Batch(tac.Model.from_xml_path(tac.scene_path("ball_drop")), 5)
    batch.rollout(50, record=False)
    same = all(np.array_equal(batch.qpos[0], q) for q in batch.qpos)
    print(f"  batch of 5 rows on {batch.threads} threads: {'equal bits' if same else 'DIFFERENT BITS'}")
    good = worst < 1e-5 and same
    print(f"self-check {'passed' if good else 'FAILED'} in {time.perf_counter() - start:.2f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
