"""The paper's statistical validation of energy shaping (section III-B3): kinetic energies of its ten-section arm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import SMALL_BENDS, UNSHAPED, CentreOfGravity, InertiaModel, Integral, PointMass
from continuarm.common.number_checks import Floats, whole_number
from continuarm.engine.quantities import kinetic_energy
from continuarm.paper.energy_shaping import LITERATURE
from continuarm.paper.random_sections import MOST_SAMPLES, block_sizes, random_stream

__all__ = ["ModelErrors", "Validation", "compared_models", "random_states", "validate_energy_shaping"]


@dataclass(frozen=True, eq=False)
class ModelErrors:
    """How far the kinetic energies of a model are from those of the integral model, over random states."""

    model: InertiaModel
    errors: Floats = field(repr=False)
    """(samples,): integral minus model, in percent of the largest energy of the integral model in all samples."""
    relative: float
    """Mean absolute difference over mean energy, in percent."""

    @property
    def signed_mean(self) -> float:
        """Percent of the largest energy; positive: the model has too little energy."""
        return float(self.errors.mean())

    @property
    def mean_absolute(self) -> float:
        """Percent of the largest energy."""
        return float(np.abs(self.errors).mean())

    @property
    def worst(self) -> float:
        """The largest absolute error, percent of the largest energy."""
        return float(np.abs(self.errors).max())

    def histogram(self, bins: int = 60) -> tuple[Floats, Floats]:
        """Counts (bins,) and edges (bins + 1,), percent of the largest energy."""
        counts, edges = np.histogram(self.errors, bins=whole_number("bins", bins, least=1))
        return counts.astype(float), edges


@dataclass(frozen=True)
class Validation:
    """The paper's statistical validation: what `validate_energy_shaping` found for each model."""

    arm: str
    samples: int
    seed: int
    largest_energy: float
    """J, of the integral model in all samples: the errors are in percent of it."""
    mean_energy: float
    """J, of the same."""
    models: Mapping[str, ModelErrors]

    def summary(self) -> dict[str, Any]:
        """The numbers without the single errors, for a table or JSON."""
        wanted = ("signed_mean", "mean_absolute", "worst", "relative")
        rows = {name: {each: getattr(found, each) for each in wanted} for name, found in self.models.items()}
        return {name: getattr(self, name) for name in ("arm", "samples", "seed", "largest_energy", "mean_energy")} | {
            "models": rows
        }


def compared_models(fitted: CentreOfGravity) -> dict[str, InertiaModel]:
    """The models that stand side by side: fitted, small-bend limits, the literature's β^υ, no shaping, point mass."""
    return {
        "fitted": fitted,
        "small bends": SMALL_BENDS,
        "literature": LITERATURE,
        "not shaped": UNSHAPED,
        "point mass": PointMass(),
    }


def random_states(arm: Arm, rng: np.random.Generator, count: int) -> tuple[Floats, Floats]:
    """q uniform in the length_range of each section, m, and q̇ in [-L, L] per second, m/s: (count, 3n) each."""
    least, greatest, fastest = _ranges(arm)
    u = rng.random((count, 2, 3 * arm.n))
    return least + (greatest - least) * u[:, 0], fastest * (2 * u[:, 1] - 1)


def validate_energy_shaping(
    models: Mapping[str, InertiaModel],
    samples: int = 1_000_000,
    seed: int = 0,
    *,
    arm: str | Arm = "ten-sections",
    progress: Callable[[float], object] | None = None,
) -> Validation:
    """Kinetic energies of models against the integral model, at random states of an arm (the paper's ten sections).

    States are those of `random_states`, as in the paper. Errors are K - K̄ of the whole arm in percent of the largest K
    in the samples: so the paper's max(K_i^υ + K_i^ω) is read. That flatters, as the largest energy is some thirty times
    the mean, and changes with the seed: `relative` compares with the mean. Most of an arm's energy is in how fast the
    bases move, v, which no model changes.
    """
    count = whole_number("samples", samples, least=1, most=MOST_SAMPLES)
    described = load_arm(arm) if isinstance(arm, str) else arm
    if not isinstance(described, Arm):
        raise TypeError(f"arm is {type(arm).__name__}: must be an Arm or the name of one (see load_arm)")
    exact = described.replace(inertia=Integral())
    arms = [exact.replace(inertia=model) for model in models.values()]
    energy, differences = np.empty(count), np.empty((len(arms), count))
    sizes = block_sizes(count)
    start = 0
    for block, size in enumerate(sizes):
        q, qd = random_states(exact, random_stream(seed, "states", block), size)
        here = slice(start, start + size)
        energy[here] = kinetic_energy(exact, q, qd)
        for row, shaped in enumerate(arms):
            differences[row, here] = energy[here] - kinetic_energy(shaped, q, qd)
        start += size
        if progress:
            progress((block + 1) / len(sizes))
    largest, mean = float(energy.max()), float(energy.mean())
    found = {
        name: ModelErrors(model, 100 / largest * row, 100 * float(np.abs(row).mean()) / mean)
        for (name, model), row in zip(models.items(), differences, strict=True)
    }
    return Validation(exact.name, count, seed, largest, mean, found)


def _ranges(arm: Arm) -> tuple[Floats, Floats, Floats]:
    """Least and greatest q, m, and greatest speed |q̇|, m/s: (3n,) each."""
    for i, section in enumerate(arm.sections, start=1):
        if section.length_range is None:
            raise ValueError(f"section {i} of {arm.name!r} has no length_range: the validation draws q from it")
    limits = np.array([section.length_range for section in arm.sections])
    lengths = np.array([section.length for section in arm.sections])
    return np.repeat(limits[:, 0], 3), np.repeat(limits[:, 1], 3), np.repeat(lengths, 3)
