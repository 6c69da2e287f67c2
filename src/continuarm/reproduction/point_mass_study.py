"""Section II-D of the paper: point mass or disc at the centre of gravity, against the integral model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity, InertiaModel, Integral
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.quantities import (
    elastic_energy,
    forward_dynamics,
    gravitational_energy,
    kinetic_energy,
    mass_matrix,
    poses_along,
)
from continuarm.paper.experiments import EXPERIMENTS
from continuarm.paper.random_sections import random_stream, section_terms
from continuarm.paper.shaping_validation import compared_models, random_states
from continuarm.reproduction.energy_shaping_study import fitted_coefficients, fitted_model
from continuarm.reproduction.figures import draw_models
from continuarm.reproduction.number_text import digits
from continuarm.reproduction.study import Drawing, Extent, Findings, Study, Tell, WordTable
from continuarm.reproduction.tables import Table
from continuarm.simulation.pressure_commands import UNITS

__all__ = ["POINT_MASS"]

SPIN = 10.0
"""rad/s, of the base in the case study."""
GREATEST_PRESSURE = max(pressure for each in EXPERIMENTS.values() for [(_, pressure)] in each.steps.steps.values())
"""Pa, of the experiments."""
CONDITIONED = 5_000
"""States whose mass matrices are looked at."""
GRID = 15
"""Lengths of each muscle for which the largest angular energy is sought."""


def point_mass_parameters(extent: Extent, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """Random states, and the coefficients of the fit."""
    return {"seed": seed, "states": extent.compared_states} | fitted_coefficients(earlier)


def find_point_mass(given: Mapping[str, Any], tell: Tell) -> Findings:
    """The case study; energies and accelerations of every model in random states of the prototype; two small claims."""
    arm = load_arm("prototype")
    models = compared_models(fitted_model(given))
    q, qd, tau = _states(arm, given["states"], given["seed"])
    exact = arm.replace(inertia=Integral())
    energy, accelerations = kinetic_energy(exact, q, qd), forward_dynamics(exact, q, qd, tau)
    found, shares = {}, np.linspace(0.5, 99.5, 100)
    columns: list[tuple[str, str, Any]] = [("share of states", "%", shares)]
    for k, (name, model) in enumerate(models.items()):
        other = arm.replace(inertia=model)
        off = np.linalg.norm(forward_dynamics(other, q, qd, tau) - accelerations, axis=-1)
        relative = 100 * off / np.linalg.norm(accelerations, axis=-1)
        found[name] = {
            "spin_energy": _spin_energy(model, arm.sections[0]),
            "energy_error": 100 * float(np.abs(kinetic_energy(other, q, qd) - energy).mean() / energy.mean()),
            "acceleration_median": float(np.median(relative)),
            "acceleration_95": float(np.percentile(relative, 95)),
            "condition": _condition(other, q[:CONDITIONED]),
            "stretching": _own_ratio(model, (0.0, 0.0, 1.0)),
            "bending": _own_ratio(model, (1.0, 0.0, 0.0)),
        }
        columns.append((name, "%", np.percentile(relative, shares)))
        tell((k + 1) / len(models))
    section = arm.sections[0]
    numbers = {
        "spin": SPIN,
        "expected_spin_energy": section.disc_inertia * SPIN**2,
        "integral": {
            "spin_energy": _spin_energy(Integral(), section),
            "condition": _condition(exact, q[:CONDITIONED]),
        },
        "models": found,
        "angular_share": _angular_share(section, q[:, :3], qd[:, :3]),
        "gravity_difference": _gravity_difference(arm, q[:CONDITIONED]),
        "elastic_difference": _elastic_difference(arm, q[:CONDITIONED]),
    }
    return Findings(numbers, {"model-accelerations": Table.of(*columns)})


def _states(arm: Arm, count: int, seed: int) -> tuple[Floats, Floats, Floats]:
    """Random q and q̇, and τ up to that of all muscles at the greatest pressure: (count, 3n) each."""
    rng = random_stream(seed, "states", 10**6)  # a block that the validation does not reach
    q, qd = random_states(arm, rng, count)
    plant = Plant(arm)
    pressures = np.full(len(plant.muscles), GREATEST_PRESSURE)
    greatest = plant.muscle_forces(pressures, np.zeros_like(pressures), np.zeros(3 * arm.n))
    return q, qd, greatest * rng.random(q.shape)


def _spin_energy(model: InertiaModel, section: Section) -> float:
    """K of an unbent section that rests on a base turning about Z, J: the case study of II-D."""
    x, spin = np.array([[0.0, 0.0, section.length]]), np.array([[0.0, 0.0, SPIN]])
    terms = section_terms(model, x, np.zeros((1, 3)), spin)[0]
    return float(section.mass * terms[:3].sum() + section.disc_inertia * terms[3:].sum())


def _own_ratio(model: InertiaModel, rate: tuple[float, float, float]) -> float:
    """The inertia of an unbent section for a rate of its own shape, over that of the integral model; a thin section."""
    x, still = np.array([[0.0, 0.0, 1.0]]), np.zeros((1, 3))
    own, exact = (section_terms(each, x, np.array([rate]), still)[0, 2] for each in (model, Integral()))
    return float(own / exact)


def _condition(arm: Arm, q: Floats) -> float:
    """Median condition number of the mass matrix."""
    return float(np.median(np.linalg.cond(mass_matrix(arm, q))))


def _angular_share(section: Section, q: Floats, qd: Floats) -> dict[str, float]:
    """Angular kinetic energy of a single section on a fixed base, in percent of all of it, K^ω/K.

    of_all: ΣK^ω/ΣK over random states; median: of single states; largest: of every motion within the muscles' range.
    """
    angular, linear = _energies(section, q, qd)
    share = 100 * angular / (angular + linear)
    over_all = 100 * float(angular.sum() / (angular + linear).sum())
    return {"of_all": over_all, "median": float(np.median(share)), "largest": 100 * _largest_share(section)}


def _energies(section: Section, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
    """Angular and linear kinetic energy of a section on a fixed base, integral model, J: q, qd (k, 3) -> (k,) each."""
    x = q @ section.shape_map.T + np.array([0.0, 0.0, section.length])
    terms = section_terms(Integral(), x, qd @ section.shape_map.T, np.zeros_like(x))
    return section.disc_inertia * terms[:, 3:].sum(axis=-1), section.mass * terms[:, :3].sum(axis=-1)


def _largest_share(section: Section) -> float:
    """The largest K^ω/K of any motion: the greatest eigenvalue of the angular against the whole mass matrix.

    Over a grid of muscle lengths that has the corners of their range.
    """
    least, greatest = section.length_range or (0.0, 0.0)
    q = np.stack(np.meshgrid(*[np.linspace(least, greatest, GRID)] * 3), axis=-1).reshape(-1, 3)
    angular, whole = np.zeros((2, len(q), 3, 3))
    for i in range(3):
        for j in range(i + 1):
            parts = []  # K of both rates together and of each alone: their product is what is left
            for rate in (np.eye(3)[i] + np.eye(3)[j], np.eye(3)[i], np.eye(3)[j]):
                one, other = _energies(section, q, np.broadcast_to(rate, q.shape))
                parts.append((one, one + other))
            for matrix, (both, first, second) in zip((angular, whole), zip(*parts, strict=True), strict=True):
                matrix[:, i, j] = matrix[:, j, i] = both - first - second
    half = np.linalg.inv(np.linalg.cholesky(whole))
    return float(np.linalg.eigvalsh(half @ angular @ half.swapaxes(-1, -2)).max())


def _elastic_difference(arm: Arm, q: Floats) -> float:
    """Elastic energy of the centre-of-gravity model against ½ qᵀ K_e q, relative."""
    expected = np.zeros(len(q))
    for i, section in enumerate(arm.sections):
        own = q[:, 3 * i : 3 * i + 3]
        expected += (own * (own @ section.stiffness_matrix)).sum(axis=-1) / 2
    found = [elastic_energy(arm.replace(inertia=model), q) for model in (CentreOfGravity(), Integral())]
    return max(float(np.abs(each - expected).max() / expected.max()) for each in found)


def _gravity_difference(arm: Arm, q: Floats) -> float:
    """Gravitational energy by quadrature along the sections against that of the centres of gravity, relative."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    places = poses_along(arm, q, (1 + nodes) / 2)[..., :3, 3] @ np.array(arm.gravity)
    masses = np.array([section.mass for section in arm.sections])
    integral = -(places @ (weights / 2)) @ masses
    shaped = gravitational_energy(arm.replace(inertia=CentreOfGravity()), q)
    return float(np.abs(integral - shaped).max() / np.abs(shaped).max())


def point_mass_tables(found: Findings) -> list[WordTable]:
    """Every model against the integral."""
    numbers = found.numbers
    rows = [
        (
            "integral",
            f"{digits(1e6 * numbers['integral']['spin_energy'], 4)} µJ",
            *("0", "0", "0", "1", "1"),
            digits(numbers["integral"]["condition"]),
        )
    ]
    for name, each in numbers["models"].items():
        errors = (each[kind] for kind in ("energy_error", "acceleration_median", "acceleration_95"))
        energy = f"{digits(1e6 * each['spin_energy'], 4)} µJ"
        inertias = (digits(each[kind], 4) for kind in ("stretching", "bending"))
        rows.append((name, energy, *(f"{digits(value)} %" for value in errors), *inertias, digits(each["condition"])))
    share = numbers["angular_share"]
    return [
        WordTable(
            f"Case study II-D (an unbent section on a base that turns with {SPIN:g} rad/s), and random states of the "
            f"prototype",
            (
                "model",
                "energy in the case study",
                "mean |ΔK| / mean K",
                "|Δq̈| / |q̈|, median",
                "|Δq̈| / |q̈|, 95 % of states below",
                "inertia in stretching",
                "inertia in bending",
                "condition number of M, median",
            ),
            tuple(rows),
            "Inertia in stretching and bending: of an unbent section, linear energy, over that of the integral model. "
            "One β_{3}^{υ} has to serve both, and would have to be 4/3 for stretching and 9/5 for bending. "
            f"¼ m r² ω_{{z}}² is {digits(1e6 * numbers['expected_spin_energy'], 4)} µJ. Of a single section's kinetic "
            f"energy {digits(share['of_all'], 2)} % is angular, summed over the states (median state "
            f"{digits(share['median'], 2)} %; {digits(share['largest'], 2)} % in the motion that has most of it).",
        )
    ]


POINT_MASS = Study(
    name="point-mass",
    title="Point mass, disc and integral",
    method=(
        "The paper's case study: a section that is unbent and does not move, on a base that only turns about Z. Beyond "
        "it, kinetic energies and accelerations of all models are compared with those of the integral model in random "
        "states of the three-section prototype: muscle lengths in their range, rates in [−L, L] per second, forces up "
        f"to that of {GREATEST_PRESSURE / UNITS['kPa']:g} kPa. "
        "ΔK and Δq̈ are differences from the integral model, and |·| of q̈ is the "
        "Euclidean norm over the nine muscles. The gravitational energy is checked by quadrature along the sections, "
        "the elastic energy against ½ qᵀ K_{e} q, and the largest share of angular energy is found by eigenvalues, "
        "over all rates and a grid of shapes.",
    ),
    parameters=point_mass_parameters,
    find=find_point_mass,
    drawings=(
        Drawing(
            "model-accelerations",
            "Accelerations of the three-section prototype: which share of random states has a smaller error, by model.",
            draw_models,
        ),
    ),
    word_tables=point_mass_tables,
    needs=("energy-shaping",),
)
