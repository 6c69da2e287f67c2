"""Effects that a fit leaves out: which of them would explain what is left, and how far they would move the parameters.

Each is tried as a small change of the fitted arm, its clock or its frame (a Lagrange multiplier test): what is left is
compared with what that change would do, less what the free parameters can do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.rig import frame_pose
from continuarm.arms.section import Section
from continuarm.common.number_checks import Floats
from continuarm.identification.free_parameters import FreeParameters
from continuarm.identification.goodness_of_fit import CHANCE
from continuarm.identification.outliers import CAUCHY
from continuarm.identification.recording import Recording
from continuarm.identification.residual_function import ResidualFunction, Variation
from continuarm.identification.sensors import reach
from continuarm.identification.slight_effects import SlightEffect, size_of_slight_effect
from continuarm.simulation.commands_over_time import split_commands

DISTINCT = 0.02
"""A change of which the free parameters do all but this part themselves says nothing."""
SPARE = 10
"""Numbers beyond the parameters without which nothing is tried."""
MOST_MUSCLES = 12
"""Springs are tried muscle by muscle in arms of no more than this many."""
CREEP = (1.0, 5.0)
"""s: times of slow drifts that are tried."""
UNCHECKED = 5.0
"""%: a number of the arm that could be so far off, move the parameters by three errors, and not show, is told."""
SLIGHT = {
    "valve_lag": 5.0,  # 0.05 s
    "dead_zone": 5.0,  # 10 kPa
    "pressure_stiffness": 2.5,  # 5 % of the springs, under the highest pressure
    "hysteresis": 2.5,  # 5 % of the springs
    "creep": 5.0,  # 5 % of what is displaced
    "twist": 1.0,  # 0.02 rad
    "offset": 1.0,  # 1 mm
    "base_rotation": 2.0,  # 0.02 rad
    "sensor_frame": 1.0,  # 0.01 rad, 1 % of the reach
    "delay": 2.0,  # 10 ms
}
"""How much of an effect an arm, or its rig, may well have that is said to have none, over the change that is tried: one
standard deviation of what is expected of it before any recording. Of one that is not here nothing is expected."""
IN_PERCENT = ("muscle_area", "mass", "stiffness", "length", "radius")


class MissingEffect(NamedTuple):
    """An effect that the recordings ask for."""

    name: str  # as `free` takes it
    size: str  # in words, empty if it is more than one number
    explained: float  # share of the squared misfit that it would take away
    chance: float  # that noise alone asks for as much
    moved: Floats  # (p,), by how much it would move the numbers of the search


class Assumed(NamedTuple):
    """A number of the arm that was not fitted, and that no recording checks: what was fitted follows it."""

    name: str
    moved: Floats  # (p,), by how much one percent of it moves the numbers of the search


class Tried(NamedTuple):
    """What came of trying all effects."""

    missing: list[MissingEffect]  # that which explains most comes first
    assumed: list[Assumed]
    slight: list[SlightEffect]


class _Effect(NamedTuple):
    name: str
    variations: list[Variation]
    step: float = 0.0  # of a single number, in its unit
    unit: str = ""


def missing_effects(residuals: ResidualFunction, x: Floats, jacobian: Floats, covariance: Floats) -> Tried:
    """Effects that are left out, that chance does not ask for, and that would move a number by more than its error.

    jacobian (N, p) and covariance (p, p) at x. Besides, numbers of the arm that the free parameters imitate, so that
    nothing checks them, and how far effects that are too small to show could have moved the numbers.
    """
    from scipy.stats import f

    effects = list(_effects(residuals, residuals.parameters.arm(x)))
    left = residuals(x)
    changes = residuals.varied(x, [each for effect in effects for each in effect.variations])
    weight = 1 / np.sqrt(1 + (left / CAUCHY) ** 2)
    slopes, changes, left = weight[:, None] * jacobian, weight[:, None] * changes, weight * left
    basis, values, axes = np.linalg.svd(slopes, full_matrices=False)
    felt = values > 1e-9 * values[0]
    basis, back = basis[:, felt], axes[felt].T / values[felt]
    left = left - basis @ (basis.T @ left)
    total, errors = float(left @ left), np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    shown = np.array([not label.startswith(("delay", "sensor_frame")) for label in _labels(residuals.parameters)])
    found: list[MissingEffect] = []
    assumed: list[Assumed] = []
    slight: list[SlightEffect] = []
    begin = 0
    for effect in effects:
        own = changes[:, begin : begin + len(effect.variations)]
        begin += len(effect.variations)
        imitated = basis.T @ own
        rest = own - basis @ imitated
        u, sizes, v = np.linalg.svd(rest, full_matrices=False)
        distinct = max(DISTINCT * float(np.linalg.norm(own, axis=0).max(initial=0.0)), 1e-9)
        clear = sizes > distinct
        freedom = len(left) - slopes.shape[1] - int(clear.sum())
        moves = np.asarray(-back @ imitated)
        if effect.name in SLIGHT:
            variance = total / freedom if freedom >= SPARE else 1.0
            size = size_of_slight_effect(rest, left, variance, SLIGHT[effect.name], distinct)
            slight.append(SlightEffect(effect.name, moves @ size @ moves.T))
        if effect.name in IN_PERCENT and len(own.T) == 1:
            moved = moves[:, 0] / effect.step
            checked = float(sizes[0]) / effect.step * UNCHECKED / np.sqrt(max(total / max(freedom, 1), 1e-300))
            if checked < 3 and (np.abs(UNCHECKED * moved) > 3 * errors)[shown].any():
                assumed.append(Assumed(effect.name, np.asarray(moved)))
        if not clear.any() or freedom < SPARE:
            continue
        along = u[:, clear].T @ left
        gain = float(along @ along)
        chance = float(f.sf(gain / clear.sum() / max((total - gain) / freedom, 1e-300), clear.sum(), freedom))
        amount = -v[clear].T @ (along / sizes[clear])
        moved = moves @ amount
        if chance < CHANCE and (np.abs(moved) > errors)[shown].any():
            words = f"{amount[0] * effect.step:+.2g} {effect.unit}" if effect.step else ""
            found.append(MissingEffect(effect.name, words, gain / total, chance, moved))
    return Tried(sorted(found, key=lambda each: -each.explained), assumed, slight)


def _labels(parameters: FreeParameters) -> list[str]:
    return [parameter.name for parameter in parameters.chosen for _ in parameter.search_numbers]


def _effects(residuals: ResidualFunction, arm: Arm) -> Iterator[_Effect]:
    """All that could be tried, of what is not free and what the recordings could show."""
    recordings = residuals.recordings
    free = {parameter.name.split()[0] for parameter in residuals.parameters.chosen}
    matrices = {each.name.split()[0] for each in residuals.parameters.chosen if "matrix" in each.name}
    moving = [each for each in recordings if not each.static]
    drives = [each.drive(arm) for each in recordings]
    controlled = any(drive.control is not None for drive in drives)
    pressures = max(float(split_commands(arm, np.r_[d.begin, d.end]).pressures.max(initial=0.0)) for d in drives)
    pressed = pressures > 0 and not controlled

    def everywhere(change: Callable[[Section], dict[str, Any]]) -> list[Variation]:
        try:
            return [Variation(arm.replace(sections=[s.replace(**change(s)) for s in arm.sections]))]
        except ValueError:  # such an arm cannot be
            return []

    tried: list[tuple[str, bool, Callable[[Section], dict[str, Any]], float, str]] = [
        ("valve_lag", pressed and bool(moving), lambda s: {"valve_lag": s.valve_lag + 0.01}, 0.01, "s"),
        ("dead_zone", pressed, lambda s: {"dead_zone": s.dead_zone + 2e3}, 2e3, "Pa"),
        ("mass", any(arm.gravity) or bool(moving), lambda s: {"mass": 1.02 * s.mass}, 2.0, "%"),
        ("length", True, lambda s: {"length": 1.005 * s.length}, 0.5, "%"),
        ("radius", True, lambda s: {"radius": 1.01 * s.radius}, 1.0, "%"),
    ]
    if pressed:
        stiffer = 0.02 * float(np.mean([_stiffness(s) for s in arm.sections])) / pressures
        tried.append(
            (
                "pressure_stiffness",
                True,
                lambda s: {"pressure_stiffness": s.pressure_stiffness + stiffer},
                stiffer,
                "N/m per Pa",
            )
        )
        tried.append(("muscle_area", True, lambda s: {"muscle_area": 1.01 * (s.muscle_area or 0.0)}, 1.0, "%"))
    if moving and not any(s.hysteresis for s in arm.sections):
        tried.append(("hysteresis", True, lambda s: {"hysteresis": (0.02 * _stiffness(s), 50.0, 0.0)}, 0.0, ""))
    for name, possible, change, step, unit in tried:
        if possible and name not in free and (variations := everywhere(change)):
            yield _Effect(name, variations, step, unit)
    for name in ("stiffness", "damping"):
        if name not in free and (name == "stiffness" or moving):
            yield from _coefficients(arm, name)
    if "stiffness" in free and "stiffness" not in matrices:
        yield from _springs_one_by_one(arm)
    if "twist" not in free and arm.n > 1:
        yield _Effect("twist", [Variation(_joints(arm, "twist", 0.02))], 0.02, "rad")
    if "offset" not in free and arm.n > 1:
        yield _Effect("offset", [Variation(_joints(arm, "offset", 1e-3))], 1e-3, "m")
    turns = 0.01 * np.eye(3)
    if "base_rotation" not in free and any(arm.gravity):
        # towards no rotation, so that none goes beyond what a rotation vector may be
        way = np.where(np.array(arm.base_rotation) > 0, -1.0, 1.0)
        turned = [tuple(np.array(arm.base_rotation) + way * turn) for turn in turns]
        yield _Effect("base_rotation", [Variation(arm.replace(base_rotation=each)) for each in turned])
    if "sensor_frame" not in free and any(len(s.channels) == 3 for each in recordings for s in each.sensors):
        frames = [frame_pose(turn, np.zeros(3)) for turn in turns]
        frames += [frame_pose(np.zeros(3), 0.01 * reach(arm) * turn / 0.01) for turn in turns]
        yield _Effect("sensor_frame", [Variation(frame=frame) for frame in frames])
    if moving:
        yield _Effect("creep", [Variation(creep=time) for time in CREEP])
    # what nothing drives, from where its first samples show it, has no other clock than theirs
    clocks = [each for each in moving if not (_undriven(each) and each.start_of(arm) in ("moving", "resting"))]
    if "delay" not in free and clocks:
        one = 0.005 if len(clocks) == 1 else 0.0
        yield _Effect("delay", [Variation(later={each.name: 0.005}) for each in clocks], one, "s")


def _undriven(recording: Recording) -> bool:
    return recording.input is None and recording.wrench is None


def _stiffness(section: Section) -> float:
    return float(np.trace(section.stiffness_matrix)) / 3


def _scaled(value: Any, by: float) -> Any:
    return (by * np.asarray(value)).tolist()


def _coefficients(arm: Arm, name: str) -> Iterator[_Effect]:
    """Springs or dampers that are all stiffer, if there are any."""
    sections = [s.replace(**{name: _scaled(getattr(s, name), 1.02)}) for s in arm.sections]
    if any(np.any(getattr(s, name)) for s in arm.sections):
        yield _Effect(name, [Variation(arm.replace(sections=sections))], 2.0, "%")


def _springs_one_by_one(arm: Arm) -> Iterator[_Effect]:
    """Springs that differ from muscle to muscle, or gains of their pressures that do, which look alike."""
    if any(isinstance(s.stiffness, tuple) and isinstance(s.stiffness[0], tuple) for s in arm.sections):
        return
    if len(arm.muscle_names) > MOST_MUSCLES:
        return
    variations = []
    for i, section in enumerate(arm.sections):
        count = len(section.muscle_map)
        own = np.broadcast_to(np.asarray(section.stiffness, dtype=float), count)
        for j in range(count):
            other = own * (1 + 0.02 * (np.arange(count) == j))
            sections = list(arm.sections)
            sections[i] = section.replace(stiffness=tuple(other.tolist()))
            variations.append(Variation(arm.replace(sections=sections)))
    yield _Effect("stiffness per muscle", variations)


def _joints(arm: Arm, name: str, by: float) -> Arm:
    sections: Sequence[Section] = arm.sections
    changed = [s.replace(**{name: getattr(s, name) + by}) for s in sections[:-1]]
    return arm.replace(sections=[*changed, sections[-1]])
