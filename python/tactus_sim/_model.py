"""The model: scenes from files or text, objects and parameters by name, and pickling."""

import collections.abc
import hashlib
import os
import pathlib
import tempfile

import numpy as np

from . import _core

_BODY, _GEOM, _SITE, _CAMERA, _JOINT, _TENDON, _ACTUATOR, _SENSOR = 1, 3, 4, 5, 6, 7, 8, 9
_EQUALITY, _PAIR, _KEY, _SHAPE = 10, 11, 12, 13


class Named:
    """An object of a scene: `id` and `name`."""

    def __init__(self, model, id, name):
        self.model, self.id, self.name = model, id, name

    def __repr__(self):
        return f"{type(self).__name__}(id={self.id}, name={self.name!r})"


class Joint(Named):
    """A joint. `qpos` and `dof` are the slices of its numbers in State.qpos and State.qvel."""

    def __init__(self, model, id, name):
        super().__init__(model, id, name)
        kind, self.body, first, dof = model._joint(id)
        self.kind = ("free", "ball", "slide", "hinge")[kind]
        positions, velocities = ((7, 6), (4, 3), (1, 1), (1, 1))[kind]
        self.qpos = slice(first, first + positions)
        self.dof = slice(dof, dof + velocities)


class Geom(Named):
    """A geom. `body` is the id of its body, `shape` its Shape or None."""

    def __init__(self, model, id, name):
        super().__init__(model, id, name)
        self.body, shape = model._geom(id)
        self.shape = Shape(model, shape, model._name(_SHAPE, shape)) if shape >= 0 else None


class Sensor(Named):
    """A sensor. `data` is the slice of its values in sensordata(); `measured` says if it is built."""

    def __init__(self, model, id, name):
        super().__init__(model, id, name)
        first, count, self.measured = model._sensor(id)
        self.data = slice(first, first + count)


class Key(Named):
    """A keyframe. `ctrl` is its control; State.reset(key.id) sets the state."""

    def __init__(self, model, id, name):
        super().__init__(model, id, name)
        self.ctrl = np.array(model._key_ctrl(id))


class Shape(Named):
    """A signed distance field."""

    def sdf(self, points, pose=None, gradient=False, hessian=False):
        """Signed distance at points (n x 3), negative inside; with gradient (n x 3) and Hessian
        (n x 3 x 3) where asked for. `pose` is position and quaternion (7) of the shape's frame.

        >>> value, g = model.shape("cup").sdf([[0, 0, 0.1]], gradient=True)
        """
        points = np.atleast_2d(points)
        result = _core._sdf(self.model, self.id, points, pose, 2 if hessian else int(gradient))
        kept = [r for r, wanted in zip(result, (True, gradient, hessian)) if wanted]
        return kept[0] if len(kept) == 1 else tuple(kept)


class Params(collections.abc.MutableMapping):
    """Differentiable parameters by name, such as 'body:hand/mass' or 'geom:box/friction[0]'.

    A name without its kind ('box/friction') works where one object alone has it.

    >>> model.params["box/friction"]
    array([1.   , 0.005, 0.0001])
    >>> model.params["box/friction[0]"] = 0.6
    """

    KINDS = ("geom", "body", "joint", "shape", "actuator", "tendon", "site", "pair", "equality")

    def __init__(self, model):
        self._model = model

    def find(self, name):
        """(offset, count) of a parameter in the gradients by all parameters."""
        if not isinstance(name, str):
            raise TypeError(f"a parameter has a name, got {type(name).__name__}")
        offset, count, *_ = self._model._param_find(name)
        if offset < 0 and ":" not in name:
            hits = [p[:2] for p in (self._model._param_find(f"{k}:{name}") for k in self.KINDS)
                    if p[0] >= 0]
            if len(hits) > 1:
                raise KeyError(f"{name}: several objects have it; write its kind, such as geom:{name}")
            offset, count = hits[0] if hits else (-1, 0)
        if offset < 0:
            raise KeyError(f"{name}: no such parameter; list(model.params) has all")
        return offset, count

    def live(self, name):
        """Raises with the reason if contact holds this parameter constant."""
        self._model._param_live(*self.find(name))

    def __getitem__(self, name):
        values = self._model._param_get(*self.find(name))
        return values if len(values) != 1 else values[0]

    def __setitem__(self, name, values):
        offset, count = self.find(name)
        values = np.array(values, dtype=float)
        if values.size != count or values.ndim > 1:
            raise ValueError(f"{name}: expected {count} numbers, got shape {values.shape}")
        self._model._param_set(offset, values.reshape(count))

    def __delitem__(self, name):
        raise TypeError("parameters cannot be removed")

    def __iter__(self):
        return iter(self._model._param_names())

    def __len__(self):
        return len(self._model._param_names())

    def select(self, theta, names):
        """The entries of a gradient by all parameters (nparam) that belong to names, as a dict."""
        found = {name: self.find(name) for name in names}
        return {name: np.array(theta[o:o + n]) if n != 1 else float(theta[o])
                for name, (o, n) in found.items()}


class Model(_core.Model):
    """A scene. Make it with from_xml_path or from_xml_string; it may be shared by threads.

    >>> model = tac.Model.from_xml_path("scenes/humanoid.xml", contact="manifold")
    >>> model.body("torso").id
    1
    """

    @classmethod
    def from_xml_path(cls, path, contact=None, exact=False):
        """Loads an MJCF or URDF file. `contact` replaces the scene's, such as 'manifold' or 'lcp'."""
        path = os.fspath(path)
        model = cls(path=path, contact=contact, exact=exact)
        model._source = ("path", path, contact, exact)
        return model

    @classmethod
    def from_xml_string(cls, xml, contact=None, exact=False):
        """Loads MJCF from text."""
        data = xml.encode() if isinstance(xml, str) else bytes(xml)
        model = cls(text=data, contact=contact, exact=exact)
        model._source = ("text", data, contact, exact)
        return model

    def _find(self, kind, what, key, cls=Named):
        if isinstance(key, str):
            id = self._id(kind, key)
            if id < 0:
                names = [self._name(kind, i) for i in range(self._count(kind))]
                raise KeyError(f"no {what} {key!r}; the scene has {', '.join(filter(None, names)) or 'none'}")
            return cls(self, id, key)
        id = int(key)
        if not 0 <= id < self._count(kind):
            raise KeyError(f"no {what} {id}; the scene has {self._count(kind)}")
        return cls(self, id, self._name(kind, id))

    def body(self, key): return self._find(_BODY, "body", key)
    def geom(self, key): return self._find(_GEOM, "geom", key, Geom)
    def site(self, key): return self._find(_SITE, "site", key)
    def camera(self, key): return self._find(_CAMERA, "camera", key)
    def joint(self, key): return self._find(_JOINT, "joint", key, Joint)
    def tendon(self, key): return self._find(_TENDON, "tendon", key)
    def actuator(self, key): return self._find(_ACTUATOR, "actuator", key)
    def sensor(self, key): return self._find(_SENSOR, "sensor", key, Sensor)
    def equality(self, key): return self._find(_EQUALITY, "equality", key)
    def pair(self, key): return self._find(_PAIR, "pair", key)
    def key(self, key): return self._find(_KEY, "keyframe", key, Key)
    def shape(self, key): return self._find(_SHAPE, "shape", key, Shape)

    @property
    def params(self):
        """Differentiable parameters by name: a mapping."""
        return Params(self)

    def state(self, key=None):
        """A new State at the start of the scene, or at a keyframe."""
        x = _core.State(self)
        if key is not None:
            x.reset(self.key(key).id)
        return x

    def __repr__(self):
        return (f"<tactus_sim.Model {self.name!r}: nq {self.nq}, nv {self.nv}, nu {self.nu}, "
                f"{self.nbody} bodies>")

    #---------------------------------- pickling ----------------------------------

    def to_bytes(self):
        """The scene with its files and its present parameters; Model.from_bytes reads it."""
        import pickle
        kind, what, contact, exact = self._source
        if kind == "files":
            names, main = what
        elif kind == "text":
            names, main = {"scene.xml": what}, "scene.xml"
        else:
            names, main = _read_files(what, self.files)
        return pickle.dumps((names, main, contact, exact, self._param_get(0, self.nparam)), protocol=4)

    @classmethod
    def from_bytes(cls, data):
        """The model of to_bytes."""
        import pickle
        files, main, contact, exact, param = pickle.loads(data)
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            model = cls(path=str(pathlib.Path(folder, main)), contact=contact, exact=exact)
        model._source = ("files", (files, main), contact, exact)
        now = model._param_get(0, model.nparam)
        for name in model._param_names():
            offset, count, *_ = model._param_find(name)
            if not np.array_equal(now[offset:offset + count], param[offset:offset + count]):
                model._param_set(offset, param[offset:offset + count])
        return model

    def hash(self):
        """SHA-256 of to_bytes: equal for equal scenes and parameters."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def __reduce__(self):
        return Model.from_bytes, (self.to_bytes(),)


def _read_files(path, named):
    """Contents of a scene and its files, by their paths below a common folder."""
    main = pathlib.Path(path).resolve()
    paths = [main]
    for name in named:
        for place in (pathlib.Path(name), main.parent / name):
            if place.is_file():
                paths.append(place.resolve())
                break
    root = os.path.commonpath([str(p.parent) for p in paths])
    files = {os.path.relpath(p, root): p.read_bytes() for p in sorted(set(paths))}
    return files, os.path.relpath(main, root)


def _make_state(model, qpos, qvel, act, warm, time):
    x = _core.State(model)
    x.qpos, x.qvel, x.act, x.warm, x.time = qpos, qvel, act, warm, time
    return x


def _reduce_state(x):
    return _make_state, (x.model, x.qpos.copy(), x.qvel.copy(), x.act.copy(), x.warm.copy(), x.time)


import copyreg  # noqa: E402  the class is the extension's

copyreg.pickle(_core.State, _reduce_state)


def from_mujoco(mj_model, contact=None):
    """The model of a mujoco.MjModel, by way of MJCF (mj_saveLastXML of its bindings).

    `mj_model` may also be a mujoco.MjSpec. Meshes of files are found where the scene named them.

    >>> model = tac.from_mujoco(mujoco.MjSpec.from_file("scene.xml"))
    """
    if hasattr(mj_model, "to_xml"):
        return Model.from_xml_string(mj_model.to_xml(), contact=contact)
    import mujoco
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "scene.xml")
        mujoco.mj_saveLastXML(path, mj_model)
        with open(path, "rb") as file:
            return Model.from_xml_string(file.read(), contact=contact)
