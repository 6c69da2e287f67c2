"""A section as a flat list of numbers: what native code knows of it, in the order of the generated steps."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.inertia_models import CentreOfGravity, Integral, PointMass
from continuarm.arms.section import Section
from continuarm.engine.tracing import Pack, inputs


class Parameters(NamedTuple):
    """A section's constants as the steps use them; the same names as in Section."""

    mass: Any
    disc_inertia: Any
    joint: tuple[Any, ...]
    length: Any
    shape_map: Any
    length_map: Any
    stiffness_matrix: Any
    damping_matrix: Any
    beta_linear: tuple[Any, ...]
    beta_angular: tuple[Any, ...]


MODELS = ("integral", "shaped")
"""The two kinds of coefficients; a point mass is a shaped section with β = 1 and no disc."""


def parameters(section: Section, model: object) -> Parameters:
    """A section's constants, with the shaping of its arm's inertia model."""
    shaping = model if isinstance(model, CentreOfGravity) else CentreOfGravity(beta_linear=(1, 1, 1))
    disc = 0.0 if isinstance(model, PointMass) else section.disc_inertia
    fields = {name: getattr(section, name) for name in Parameters._fields if hasattr(section, name)}
    shape = {"beta_linear": shaping.beta_linear, "beta_angular": shaping.beta_angular}
    return Parameters(**fields | shape | {"disc_inertia": disc})


def model_kind(model: object) -> str:
    """Which of MODELS an inertia model is computed with."""
    return "integral" if isinstance(model, Integral) else "shaped"


def symmetric_inputs(name: str, size: int) -> Any:
    """A symmetric matrix of fresh inputs."""
    entries = iter(inputs(name, size * (size + 1) // 2))
    matrix = np.empty((size, size), dtype=object)
    for i in range(size):
        for j in range(i, size):
            matrix[i, j] = matrix[j, i] = next(entries)
    return matrix


def _generic_section() -> Pack:
    """Parameters of any section: what is the same for all of them (zeros, thirds) is a constant."""
    r, h, u, v = (inputs(name, 1)[0] for name in ("r", "h", "u", "v"))
    return Pack.tight(
        Parameters(
            mass=inputs("mass", 1)[0],
            disc_inertia=inputs("disc", 1)[0],
            joint=tuple(inputs("joint", 3)),
            length=inputs("length", 1)[0],
            shape_map=np.array([[-2 * u, u, u], [0.0, -v, v], [1 / 3, 1 / 3, 1 / 3]], dtype=object),
            length_map=np.array([[-r, 0.0, 1.0], [0.5 * r, -h, 1.0], [0.5 * r, h, 1.0]], dtype=object),
            stiffness_matrix=symmetric_inputs("stiffness", 3),
            damping_matrix=symmetric_inputs("damping", 3),
            beta_linear=tuple(inputs("beta_linear", 3)),
            beta_angular=tuple(inputs("beta_angular", 3)),
        )
    )


SECTION = _generic_section()


def flat_parameters(section: Section, model: object) -> list[float]:
    """The numbers of a section, with the shaping of its arm's inertia model, in the order of the generated steps."""
    return [float(value) for value in SECTION.of(parameters(section, model))]
