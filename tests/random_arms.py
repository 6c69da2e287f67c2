"""Random arms and states for the laws."""

import numpy as np

from continuarm.arms.arm import Arm, Payload
from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Section

MODELS = [
    Integral(),
    CentreOfGravity(beta_linear=(1.345, 1.503, 1.76), beta_angular=(1.05, 1.08, 1.41)),
    PointMass(),
]
NEARLY_STRAIGHT = [0.0, 1e-12, 1e-8, 1e-4]


def random_arm(rng, n, model=None, payload=True, **fields):
    """An arm whose sections differ in everything, with joints, a tilted base and a payload."""
    sections = []
    for _ in range(n):
        root = rng.normal(size=(2, 3, 3))
        sections.append(
            Section(
                length=rng.uniform(0.08, 0.25),
                radius=rng.uniform(0.008, 0.04),
                mass=rng.uniform(0.03, 0.3),
                stiffness=1000 * (root[0] @ root[0].T + np.eye(3)),
                damping=10 * root[1] @ root[1].T,
                offset=rng.uniform(0, 0.03),
                twist=rng.uniform(-np.pi, np.pi),
            )
        )
    carried = Payload(mass=rng.uniform(0.01, 0.2), offset=tuple(rng.normal(size=3) * 0.03)) if payload else None
    given = {
        "sections": sections,
        "inertia": model or Integral(),
        "gravity": tuple(rng.normal(size=3) * 6),
        "base_rotation": tuple(rng.normal(size=3)),
        "payload": carried,
    }
    return Arm(**(given | fields))


def lengths(arm, bends, directions, stretches):
    """q of sections bent by φ towards θ and stretched by a factor: the inverse of x = B q + (0, 0, L)."""
    q = []
    for section, phi, theta, stretch in zip(arm.sections, bends, directions, stretches, strict=True):
        change = [phi * np.cos(theta), phi * np.sin(theta), section.length * (stretch - 1)]
        q.append(section.length_map @ change)
    return np.concatenate(q)


def random_lengths(rng, arm, bend=None):
    """q with each section bent up to just below a full turn, or all by a given angle, in random directions."""
    bends = rng.uniform(0, 2 * np.pi * 0.999, arm.n) if bend is None else np.full(arm.n, bend)
    return lengths(arm, bends, rng.uniform(-np.pi, np.pi, arm.n), rng.uniform(0.7, 1.5, arm.n))


def random_rates(rng, arm):
    """q̇ or q̈ that bends by about 1 rad/s and stretches by about 0.2 m/s."""
    return np.concatenate([section.length_map @ (rng.normal(size=3) * [1, 1, 0.2]) for section in arm.sections])
