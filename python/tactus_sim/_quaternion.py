"""Between tangents (nv) and numbers of qpos (nq): quaternions have four numbers and three tangents.

A step reads q/|q|, so it is a function of all nq numbers. With a tangent w in body axes,

    push:  q' = 1/2 q (0, w)                  tangent -> numbers, at a unit quaternion
    pull:  w  = 2 Im(conj(q) q')/|q|^2        numbers -> tangent, at any quaternion

The gradient by qpos is pull' of the gradient by tangents; it has no part along q, as scaling q changes
nothing. `xp` is numpy, torch or jax.numpy.
"""


def joints(model):
    """(first position, first velocity, count) of plain numbers, and those of quaternions."""
    plain, quats = [], []
    for i in range(model.njoint):
        joint = model.joint(i)
        q, v = joint.qpos.start, joint.dof.start
        if joint.kind == "free":
            plain.append((q, v, 3))
            quats.append((q + 3, v + 3))
        elif joint.kind == "ball":
            quats.append((q, v))
        elif plain and plain[-1][0] + plain[-1][2] == q and plain[-1][1] + plain[-1][2] == v:
            plain[-1] = (*plain[-1][:2], plain[-1][2] + 1)
        else:
            plain.append((q, v, 1))
    return plain, quats


def _parts(model, of_plain, of_quat):
    """Pieces by joint, in the order of qpos (which is that of qvel)."""
    plain, quats = joints(model)
    pieces = [(q, of_plain(q, v, n)) for q, v, n in plain] + [(q, of_quat(q, v)) for q, v in quats]
    return [piece for _, piece in sorted(pieces, key=lambda p: p[0])]


def push_transpose(xp, cat, model, q, bar):
    """Adjoint of push at unit quaternions q: from numbers (nq) to tangents (nv)."""
    def quat(i, v):
        w, x, y, z = (q[..., i + k] for k in range(4))
        a, b, c, d = (bar[..., i + k] for k in range(4))
        return xp.stack([(-x * a + w * b + z * c - y * d) / 2, (-y * a - z * b + w * c + x * d) / 2,
                         (-z * a + y * b - x * c + w * d) / 2], -1)
    return cat(_parts(model, lambda i, v, n: bar[..., i:i + n], quat))


def push(xp, cat, model, q, dot):
    """From tangents (nv) to numbers (nq) at unit quaternions q."""
    def quat(i, v):
        w, x, y, z = (q[..., i + k] for k in range(4))
        a, b, c = (dot[..., v + k] for k in range(3))
        return xp.stack([(-x * a - y * b - z * c) / 2, (w * a - z * b + y * c) / 2,
                         (z * a + w * b - x * c) / 2, (-y * a + x * b + w * c) / 2], -1)
    return cat(_parts(model, lambda i, v, n: dot[..., v:v + n], quat))


def pull(xp, cat, model, q, dot):
    """From numbers (nq) to tangents (nv) at any quaternions q."""
    def quat(i, v):
        w, x, y, z = (q[..., i + k] for k in range(4))
        a, b, c, d = (dot[..., i + k] for k in range(4))
        s = 2 / (w * w + x * x + y * y + z * z)
        return xp.stack([(-x * a + w * b + z * c - y * d) * s, (-y * a - z * b + w * c + x * d) * s,
                         (-z * a + y * b - x * c + w * d) * s], -1)
    return cat(_parts(model, lambda i, v, n: dot[..., i:i + n], quat))


def pull_transpose(xp, cat, model, q, bar):
    """Adjoint of pull at any quaternions q: from tangents (nv) to numbers (nq)."""
    def quat(i, v):
        w, x, y, z = (q[..., i + k] for k in range(4))
        a, b, c = (bar[..., v + k] for k in range(3))
        s = 2 / (w * w + x * x + y * y + z * z)
        return xp.stack([(-x * a - y * b - z * c) * s, (w * a - z * b + y * c) * s,
                         (z * a + w * b - x * c) * s, (-y * a + x * b + w * c) * s], -1)
    return cat(_parts(model, lambda i, v, n: bar[..., v:v + n], quat))


def cross_blocks(xp, cat, model, a, b):
    """a x b of the rotations in tangents of the state (nx), 0 elsewhere.

    Tangents of rotations do not commute: d xb_i/d e_j - d xb_j/d e_i is made of these brackets.
    """
    _, quats = joints(model)
    out = xp.zeros_like(a)
    pieces, at = [], 0
    for _, v in sorted(quats, key=lambda p: p[1]):
        pieces.append(out[..., at:v])
        x, y = [a[..., v + k] for k in range(3)], [b[..., v + k] for k in range(3)]
        pieces.append(xp.stack([x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2],
                                x[0] * y[1] - x[1] * y[0]], -1))
        at = v + 3
    pieces.append(out[..., at:])
    return cat(pieces)
