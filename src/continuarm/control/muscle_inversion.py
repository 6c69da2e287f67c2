"""From forces to pressures: what is to be in the muscles, and what their valves are told, for a τ over q.

The law of a muscle is that of `sections`; here it is solved for the pressure. Where every coordinate has one muscle on
a line of its own, that is one division each; with more muscles than coordinates, or several on a line, it is the least
pressures that come nearest to τ, a small quadratic program for each row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.limits import HIGHEST_PRESSURE
from continuarm.common.number_checks import Booleans, Floats, duration, not_too_large, number_above, numbers_of_shape
from continuarm.control.bounded_squares import bounded_least_squares
from continuarm.dynamics.plant import Plant
from continuarm.dynamics.tracking import within
from continuarm.engine.state_checks import checked, common_batch
from continuarm.sections.muscles_and_valves import along, pressure_for, push, push_slope, valve_command, valve_step

NEAR = 1e-6
"""τ that is given to this part of the largest force is given."""
ROUNDS = 4
"""In which lines that cannot act are found, and muscles of a line whose dead zones differ."""


@dataclass(frozen=True, eq=False, repr=False)
class MusclePressures:
    """Pressures for forces, and what they really give.

    Attributes
    ----------
    pressures : ndarray, (..., muscles)
        What is to be in the muscles, Pa.
    commands : ndarray, (..., muscles)
        What the valves are told, Pa: the pressures, or more and less where a lag is made up for.
    tau : ndarray, (..., 3n)
        What the pressures give, N.
    given : ndarray of bool, (...)
        Whether that is the τ that was asked for; elsewhere a pressure is at an end of its range.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> found = ca.muscle_pressures(arm, np.full(9, 0.02), np.zeros(9), np.full(9, 20.0))
    >>> found
    MusclePressures(of shape (9,), 241 to 241 kPa, given)
    """

    pressures: Floats
    commands: Floats
    tau: Floats
    given: Booleans

    def __repr__(self) -> str:
        low, high = (1e-3 * float(each) for each in (np.min(self.pressures), np.max(self.pressures)))
        said = "given" if self.given.all() else f"{np.count_nonzero(~self.given)} of {self.given.size} not given"
        return f"MusclePressures(of shape {self.pressures.shape}, {low:.0f} to {high:.0f} kPa, {said})"


def muscle_pressures(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    *,
    hysteresis: ArrayLike | None = None,
    highest: float = HIGHEST_PRESSURE,
    pressures: ArrayLike | None = None,
    lead: float | None = None,
) -> MusclePressures:
    """The pressures of all muscles that give a τ: the least that do, from 0 to the highest.

    Solves Wᵀ [A max(P - P0, 0) + f - κ P l - k3 l³ - h] = τ with one P for each pressure line. Of more muscles than
    coordinates the pressures with the least sum of squares are taken. Muscles only push: what cannot be given, since a
    pressure would be below 0 or above the highest, is left out, so that the τ that remains comes nearest in the sum of
    squares; `tau` of the result says what is given. A muscle that needs no more than its dead zone gets nothing.

    Parameters
    ----------
    arm : Arm
        Its muscles must have a `muscle_area`.
    q, qd, tau : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and what the muscles are to do over q, N.
    hysteresis : array_like, (..., muscles), optional
        By which hysteresis and creep hold each muscle back, N; nothing if left out.
    highest : float, optional
        Of all pressures and commands, Pa.
    pressures : array_like, (..., muscles), optional
        What is in the muscles now, Pa, where valves lag; needed with a lead.
    lead : float, optional
        s, in which valves that lag are to have brought the pressures there: commands then are
        P + (wanted - P) / (1 - exp(-lead/T)), within 0 and the highest, and lengths are taken q + lead q̇. Without,
        commands are the pressures and the lag stays.

    Returns
    -------
    MusclePressures

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q = ca.inverse_kinematics(arm, [0.1, 0.1, 0.5], prefer="energy").q
    >>> still = np.zeros(9)
    >>> found = ca.muscle_pressures(arm, q, still, ca.inverse_dynamics(arm, q, still, still), highest=700e3)
    >>> bool(found.given), bool(found.pressures.max() < 700e3)
    (True, True)
    """
    require_arm(arm)
    plant, count = Plant(arm), len(arm.muscle_names)
    require_areas(arm)
    given = checked(arm, q=q, qd=qd, tau=tau)
    not_too_large("tau", given[2], "N")
    top = number_above("highest", highest, 0.0, HIGHEST_PRESSURE, "Pa", "pascals")
    counted = f"{count} muscles of {arm.name!r}"
    held, inside = (
        np.zeros(count) if each is None else not_too_large(name, numbers_of_shape(name, each, count, counted), unit)
        for name, each, unit in (("hysteresis", hysteresis, "N"), ("pressures", pressures, "Pa"))
    )
    ahead = 0.0 if lead is None else duration("lead", lead)
    if ahead and pressures is None and plant.lagged.any():
        raise ValueError("lead: needs the pressures that are in the muscles now")
    names = ("q", "qd", "tau", "hysteresis", "pressures")
    batch = common_batch({name: each.shape for name, each in zip(names, (*given, held, inside), strict=True)})
    here, moving, wanted, held, inside = (
        np.broadcast_to(each, (*batch, each.shape[-1])).reshape(-1, each.shape[-1]) for each in (*given, held, inside)
    )
    found, commands, felt = solved_pressures(plant, here + ahead * moving, wanted, held, top, inside, ahead)
    size = np.abs(wanted).max(axis=-1, initial=1.0)
    reached = (np.abs(felt - wanted) <= NEAR * size[:, None]).all(axis=-1)
    return MusclePressures(
        found.reshape(*batch, count),
        commands.reshape(*batch, count),
        felt.reshape(*batch, 3 * arm.n),
        reached.reshape(batch),
    )


def solved_pressures(
    plant: Plant, q: Floats, tau: Floats, held: Floats, highest: float, inside: Floats, lead: float
) -> tuple[Floats, Floats, Floats]:
    """Pressures and commands (k, muscles), Pa, and the τ that the pressures give, (k, 3n), N; rows, not checked."""
    found = _pressures(plant, q, tau, held, highest)
    return found, _commands(plant, found, inside, lead, highest), plant.muscle_forces(found, held, q)


def require_areas(arm: Arm) -> None:
    """Raises ValueError unless all muscles push under pressure."""
    for i, section in enumerate(arm.sections):
        if not section.muscle_area:
            raise ValueError(f"section {i + 1} of {arm.n} of {arm.name!r} has no muscle_area: pressures need one")


def lines_of(arm: Arm) -> tuple[NDArray[np.intp], int]:
    """By which line every muscle is fed, (muscles,), numbered in the order of the muscles; and how many there are."""
    fed = list(dict.fromkeys(line.muscles for line in arm.muscle_lines))
    return np.array([fed.index(line.muscles) for line in arm.muscle_lines]), len(fed)


def is_one_to_one(arm: Arm) -> bool:
    """Whether every coordinate has one muscle on a line of its own."""
    return all(section.muscles is None for section in arm.sections) and all(
        len(line.muscles) == 1 for line in arm.muscle_lines
    )


def _pressures(plant: Plant, q: Floats, tau: Floats, held: Floats, highest: float) -> Floats:
    """(k, muscles), Pa."""
    if is_one_to_one(plant.arm):
        found = np.empty_like(tau)
        for j, (i, muscle) in enumerate(plant.muscles):
            length = along(muscle, q[:, 3 * i : 3 * i + 3])
            found[:, j] = within(pressure_for(muscle, tau[:, j] + held[:, j], length), 0.0, highest)
        return found
    return _shared(plant, q, tau, held, highest)


def _shared(plant: Plant, q: Floats, tau: Floats, held: Floats, highest: float) -> Floats:
    """Least pressures of lines that come nearest to τ: linear above the dead zones, where a line acts at all."""
    arm, muscles = plant.arm, plant.muscles
    line_of, lines = lines_of(arm)
    zones = np.array([float(muscle.dead_zone) for _, muscle in muscles])
    least = np.array([zones[line_of == number].min() for number in range(lines)])
    lengths = np.stack([along(muscle, q[:, 3 * i : 3 * i + 3]) for i, muscle in muscles], axis=-1)
    acts = np.ones(lengths.shape, dtype=bool)
    found = np.zeros((len(q), lines))
    for _ in range(ROUNDS):
        columns, rest = np.zeros((len(q), 3 * arm.n, lines)), tau.copy()
        for j, (i, muscle) in enumerate(muscles):
            own, length, line = slice(3 * i, 3 * i + 3), lengths[:, j], line_of[j]
            at = np.where(acts[:, j], np.maximum(found[:, line], zones[j] + 1.0), 0.0)
            slope = np.where(acts[:, j], push_slope(muscle, at, length), 0.0)
            force = push(muscle, at, length) - slope * at - held[:, j]
            columns[:, own, line] += slope[:, None] * muscle.row
            rest[:, own] -= force[:, None] * muscle.row
        before = found
        found = bounded_least_squares(columns, rest, least, np.full(lines, highest))
        pressed = found > least * (1 + 1e-12) + 1e-9
        found = np.where(pressed, found, 0.0)
        acting = pressed[:, line_of] & (found[:, line_of] > zones)
        if (acting == acts).all() and np.allclose(before, found):
            break
        acts = acting
    return found[:, line_of]


def _commands(plant: Plant, wanted: Floats, inside: Floats, lead: float, highest: float) -> Floats:
    if not lead:
        return wanted.copy()
    found = wanted.copy()
    for j, (_, muscle) in enumerate(plant.muscles):
        if plant.lagged[j]:
            command = valve_command(valve_step(muscle, lead), wanted[:, j], inside[:, j])
            found[:, j] = within(command, 0.0, highest)
    return found
