"""Tactus: physics with contact whose derivatives are exact.

>>> import tactus_sim as tac
>>> model = tac.Model.from_xml_path("scenes/ball_drop.xml")
>>> x = model.state()
>>> for _ in range(100): tac.step(model, x, out=x)
>>> A, B = tac.jacobian(model, x)

tactus_sim.torch, .jax and .scipy join the gradients with those libraries; each needs its own.
"""

from . import _core
from ._batch import Batch
from ._core import (State, acceleration, body_jacobian, derive, differentiate_pos, energy,
                    instruction_set, integrate_pos, inverse, jvp, kinematics, mass_matrix, sensordata,
                    step)
from ._errors import (TactusDiverged, TactusError, TactusFileError, TactusMemoryError,
                      TactusUnsupported, TactusValueError)
from ._map import map
from ._model import Model, Params, Shape, from_mujoco
from ._step import (Contacts, Trajectory, contacts, hvp, jacobian, render, rollout, rollout_vjp, view,
                    vjp)

__version__ = _core.version()


def scene_path(name):
    """Path of a scene that comes with the package, such as 'cart_pole'."""
    import pathlib
    path = pathlib.Path(__file__).parent / "scenes" / f"{name}.xml"
    if not path.is_file():
        known = sorted(p.stem for p in path.parent.glob("*.xml"))
        raise KeyError(f"no scene {name!r}; the package has {', '.join(known)}")
    return str(path)


__all__ = ["Batch", "Contacts", "Model", "Params", "Shape", "State", "TactusDiverged", "TactusError",
           "TactusFileError", "TactusMemoryError", "TactusUnsupported", "TactusValueError",
           "Trajectory", "acceleration", "body_jacobian", "contacts", "derive", "differentiate_pos",
           "energy", "from_mujoco", "hvp", "instruction_set", "integrate_pos", "inverse", "jacobian",
           "jvp", "kinematics", "map", "mass_matrix", "render", "rollout", "rollout_vjp", "scene_path",
           "sensordata", "step", "view", "vjp"]
