"""python -m tactus_sim.bench: overhead of a call, rollouts, batches, and MuJoCo beside them.

Times are the best of several rounds; on a busy machine the others only add to them.
"""

import argparse
import os
import time

import numpy as np

import tactus_sim as tac


def best(function, rounds=7):
    """Seconds of the fastest round."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times)


def overhead():
    """A call of step beyond the step itself, which a rollout of many steps shows."""
    model = tac.Model.from_xml_path(tac.scene_path("cart_pole"))
    x, u, n = model.state(), np.zeros(model.nu), 5000
    ctrl = np.zeros((n, model.nu))
    states = np.zeros((n + 1, model.state_size))

    def one_by_one():
        for _ in range(n):
            tac.step(model, x, u, out=x)

    def empty():
        for _ in range(n):
            pass
    inside = best(lambda: tac.rollout(model, x, ctrl, out=states)) / n
    call = (best(one_by_one) - best(empty)) / n
    print(f"call overhead     step of cart_pole {call * 1e6:.2f} us, inside a rollout {inside * 1e6:.2f} us, "
          f"overhead {(call - inside) * 1e6:.2f} us (bound 1)")


def rollouts():
    """Against the same call in C."""
    for name in ("panda", "humanoid"):
        model = tac.Model.from_xml_path(tac.scene_path(name))
        x = model.state()
        for _ in range(3):  # both warm, in turn
            inside = tac._core._rollout_seconds(model, x, 1000, 25)
            seconds = best(lambda: tac.rollout(model, x, steps=1000), 25)
        print(f"rollout           {name}: 1000 steps {seconds * 1e3:.3f} ms, in C {inside * 1e3:.3f} ms: "
              f"{100 * (seconds / inside - 1):+.1f} % (bound 3)")


def batches(threads):
    for name, contact, rows in (("panda", None, 256), ("humanoid", "manifold", 64), ("box_on_box", None, 64)):
        model = tac.Model.from_xml_path(tac.scene_path(name), contact=contact)
        speeds = []
        for count in (1, threads):
            batch = tac.Batch(model, rows, threads=count)

            def run():
                batch.reset()
                batch.rollout(50, record=False)
            speeds.append(rows * 50 / best(run, 5))
        print(f"batch             {name}, {rows} rows: {speeds[0]:.3g} states/s on 1 thread, "
              f"{speeds[1]:.3g} on {threads}: {speeds[1] / speeds[0]:.2f} x")


def different(rows):
    """Rows with a model each, loaded apart, against rows of one model."""
    base = tac.Model.from_xml_path(tac.scene_path("box_on_box"))
    data = base.to_bytes()
    models = [tac.Model.from_bytes(data) for _ in range(rows)]
    speeds = []
    for given in ([base] * rows, models):
        batch = tac.Batch(given)

        def run():
            batch.reset()
            batch.rollout(20, record=False)
        speeds.append(rows * 20 / best(run, 5))
    print(f"a model per row   {rows} models loaded apart, with contact: {speeds[1]:.3g} states/s, one model "
          f"{speeds[0]:.3g}: {speeds[1] / speeds[0]:.2f} x")


def against_mujoco(threads):
    try:
        import mujoco
        from mujoco import rollout
    except ImportError as error:
        print(f"mujoco            skipped: {error}")
        return
    for name, contact in (("panda", "manifold"), ("humanoid", "manifold")):
        path = tac.scene_path(name)
        try:
            mj = mujoco.MjModel.from_xml_path(path)
        except ValueError as error:
            print(f"mujoco            {name}: skipped: {str(error).splitlines()[0]}")
            continue
        model = tac.Model.from_xml_path(path, contact=contact)
        rows, steps = 64, 100
        data = [mujoco.MjData(mj) for _ in range(threads)]
        size = mujoco.mj_stateSize(mj, mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start = np.zeros((rows, size))
        mujoco.mj_getState(mj, data[0], start[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
        start[:] = start[0]
        theirs = rows * steps / best(lambda: rollout.rollout(mj, data, start, nstep=steps), 5)
        batch = tac.Batch(model, rows, threads=threads)

        def run():
            batch.reset()
            batch.rollout(steps)
        ours = rows * steps / best(run, 5)
        print(f"mujoco            {name} with contact, {mujoco.__version__}: {theirs:.3g} states/s, Tactus {ours:.3g}: "
              f"{ours / theirs:.2f} x")


def main():
    parser = argparse.ArgumentParser(prog="python -m tactus_sim.bench", description=__doc__)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rows", type=int, default=1024, help="different scenes")
    options = parser.parse_args()
    print(f"tactus_sim {tac.__version__}, {tac.instruction_set()}, {options.threads} threads, "
          f"load {os.getloadavg()[0]:.1f}")
    overhead()
    rollouts()
    batches(options.threads)
    different(options.rows)
    against_mujoco(options.threads)


if __name__ == "__main__":
    main()
