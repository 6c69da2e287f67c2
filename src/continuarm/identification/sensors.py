"""Instruments on an arm: what they measured, and what they would read of a simulated arm.

Values are in metres and radians, (k, width); NaN is a gap, so that a sensor that looks less often has many of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.section import Section
from continuarm.common.argument_checks import require_title
from continuarm.common.limits import LONGEST
from continuarm.common.number_checks import Floats, as_float, not_too_large, real_numbers, whole_number
from continuarm.common.text import printable, short
from continuarm.identification.measurement_units import readable
from continuarm.sections.model_range import FULL_TURN
from continuarm.simulation.pressure_commands import muscle_index

HALF_WAY = FULL_TURN / 4
"""rad: rotations of less are told by one vector only."""


class Sensor(ABC):
    """One instrument: measured values (k, width), and what it would read of an arm."""

    unit: ClassVar[str]
    """m or rad."""
    values: Floats
    """(k, width): measured, NaN in gaps."""
    sigma: float | None
    """Standard deviation of its noise, in its unit; None: not known, to be estimated."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What messages call it: tip 3, orientation 3, l11."""

    @property
    @abstractmethod
    def channels(self) -> tuple[str, ...]:
        """The names of its columns: x3, y3, z3."""

    @abstractmethod
    def check(self, arm: Arm) -> None:
        """Raises ValueError if an arm has no such place."""

    @abstractmethod
    def reading(self, poses: Floats, lengths: Mapping[str, Floats]) -> Floats:
        """What it would read: tip poses (k, n, 4, 4) and length changes (k,) of each muscle -> (k, width)."""

    @abstractmethod
    def unit_doubts(self, arm: Arm, moved_frame: bool) -> tuple[Floats, str]:
        """For each sample, how many times beyond (> 1) what the arm can reach it is (k,), and the likely cause."""

    def difference(self, reading: Floats) -> Floats:
        """Measured less a simulated reading: (k, width), NaN in gaps."""
        return self.values - reading

    def full_scale(self, arm: Arm) -> float:
        """How far its readings go: the reach of the arm in m, or 1 rad."""
        return reach(arm) if self.unit == "m" else 1.0

    def replace(self, **changes: Any) -> Self:
        """The same with other values or another sigma."""
        return replace(cast(Any, self), **changes)

    def __repr__(self) -> str:
        words = [printable(self.name), f"{len(self.values)} rows"]
        gaps = int(np.isnan(self.values).any(axis=1).sum())
        words += [f"{gaps} with gaps"] if gaps else []
        words += [] if self.sigma is None else [f"noise {readable(self.sigma, self.unit)}"]
        return f"{type(self).__name__}({', '.join(words)})"


@dataclass(frozen=True, eq=False, repr=False)
class TipPosition(Sensor):
    """Positions of the tip of a section: world frame, or that of a camera (see "sensor_frame" of `Free`).

    Parameters
    ----------
    section : int
        1 is at the base.
    values : array_like, (k, 3)
        m, a row for each time; NaN is a gap.
    sigma : float, optional
        Standard deviation of the noise, m; estimated if left out.

    Examples
    --------
    >>> seen = ca.TipPosition(3, [[0.0, 0.0, 0.452], [np.nan] * 3, [0.001, 0.0, 0.451]], sigma=1e-3)
    >>> seen.name, seen.channels
    ('tip 3', ('x3', 'y3', 'z3'))
    """

    section: int
    values: Floats
    sigma: float | None = None

    def __post_init__(self) -> None:
        whole_number("section", self.section, least=1)
        _set_up(self, 3)

    @property
    def name(self) -> str:
        """Tip 3."""
        return f"tip {self.section}"

    unit = "m"

    @property
    def channels(self) -> tuple[str, ...]:
        """x3, y3, z3."""
        return tuple(f"{axis}{self.section}" for axis in "xyz")

    def check(self, arm: Arm) -> None:
        """The arm must have that section."""
        _check_section(self.name, self.section, arm)

    def reading(self, poses: Floats, lengths: Mapping[str, Floats]) -> Floats:
        """The position of the tip."""
        return poses[:, self.section - 1, :3, 3]

    def unit_doubts(self, arm: Arm, moved_frame: bool) -> tuple[Floats, str]:
        """Beyond three times the arm's reach; or all of them within a hundredth of the tip's."""
        origin = np.nan_to_num(medians(self.values)) if moved_frame else np.zeros(3)
        far = np.nanmax(np.abs(np.nan_to_num(self.values - origin)), axis=1)
        seen = np.isfinite(self.values).any(axis=1)
        if not moved_frame and seen.any() and far[seen].max() < reach(arm, self.section) / 100:
            return np.where(seen, 2.0, 0.0), "is it in m, with mm in the header?"
        return far / (3 * reach(arm)), "is it in mm?"


@dataclass(frozen=True, eq=False, repr=False)
class TipOrientation(Sensor):
    """Orientations of the tip of a section.

    Parameters
    ----------
    section : int
        1 is at the base.
    values : array_like, (k, 3) or (k, 4)
        Rotation vectors, rad, or quaternions, w first; NaN is a gap.
    sigma : float, optional
        Standard deviation of the noise, rad; estimated if left out.

    Examples
    --------
    >>> seen = ca.TipOrientation(3, [[1.0, 0.0, 0.0, 0.0], [0.8, 0.6, 0.0, 0.0]])
    >>> print(seen.values.round(3))  # rotation vectors, rad
    [[0.    0.    0.   ]
     [1.287 0.    0.   ]]
    """

    section: int
    values: Floats
    sigma: float | None = None

    def __post_init__(self) -> None:
        whole_number("section", self.section, least=1)
        values = real_numbers(f"values of {self.name}", self.values, "rows of 3 or 4 numbers")
        if values.ndim == 2 and values.shape[1] == 4:
            object.__setattr__(self, "values", _rotation_vectors(self.name, values))
        _set_up(self, 3)

    @property
    def name(self) -> str:
        """Orientation 3."""
        return f"orientation {self.section}"

    unit = "rad"

    @property
    def channels(self) -> tuple[str, ...]:
        """rx3, ry3, rz3."""
        return tuple(f"r{axis}{self.section}" for axis in "xyz")

    def check(self, arm: Arm) -> None:
        """The arm must have that section, and a rotation has three numbers."""
        _check_section(self.name, self.section, arm)
        if (np.isnan(self.values).sum(axis=1) % 3).any():
            raise ValueError(f"{self.name}: a rotation vector has gaps in some of its three numbers: must have all")

    def reading(self, poses: Floats, lengths: Mapping[str, Floats]) -> Floats:
        """The rotation vector of the tip; of the equal ones that nearest to the measured."""
        from scipy.spatial.transform import Rotation

        vectors = Rotation.from_matrix(poses[:, self.section - 1, :3, :3]).as_rotvec()
        angles = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        other = vectors * (1 - FULL_TURN / angles)
        nearer = np.linalg.norm(self.values - other, axis=1) < np.linalg.norm(self.values - vectors, axis=1)
        return np.where(nearer[:, None], other, vectors)

    def difference(self, reading: Floats) -> Floats:
        """The rotation from the simulated to the measured orientation, as a vector."""
        from scipy.spatial.transform import Rotation

        seen = np.isfinite(self.values).all(axis=1)
        found = np.full(self.values.shape, np.nan)
        turn = Rotation.from_rotvec(reading[seen]).inv() * Rotation.from_rotvec(self.values[seen])
        found[seen] = turn.as_rotvec()
        return found

    def unit_doubts(self, arm: Arm, moved_frame: bool) -> tuple[Floats, str]:
        """Turned by more than a full turn."""
        return np.linalg.norm(np.nan_to_num(self.values), axis=1) / (1.01 * FULL_TURN), "is it in degrees?"


@dataclass(frozen=True, eq=False, repr=False)
class MuscleLength(Sensor):
    """Length changes of a muscle: draw wires, potentiometers.

    Parameters
    ----------
    muscle : str
        Its name, such as l11.
    values : array_like, (k,)
        m, a number for each time; NaN is a gap.
    sigma : float, optional
        Standard deviation of the noise, m; estimated if left out.

    Examples
    --------
    >>> ca.MuscleLength("l11", [0.0, 0.002, np.nan, 0.011]).values.shape
    (4, 1)
    """

    muscle: str
    values: Floats
    sigma: float | None = None

    def __post_init__(self) -> None:
        require_title("muscle", self.muscle)
        values = real_numbers(f"values of {self.name}", self.values, "numbers")
        object.__setattr__(self, "values", values[:, None] if values.ndim == 1 else values)
        _set_up(self, 1)

    @property
    def name(self) -> str:
        """l11."""
        return self.muscle

    unit = "m"

    @property
    def channels(self) -> tuple[str, ...]:
        """l11."""
        return (self.muscle,)

    def check(self, arm: Arm) -> None:
        """The arm must have that muscle."""
        muscle_index(arm, self.muscle)

    def reading(self, poses: Floats, lengths: Mapping[str, Floats]) -> Floats:
        """The length change of the muscle."""
        return lengths[self.muscle][:, None]

    def unit_doubts(self, arm: Arm, moved_frame: bool) -> tuple[Floats, str]:
        """Beyond three times the length of its section; or never far from it, as the length itself would be."""
        long = _section_of(arm, self.muscle).length
        seen = self.values[np.isfinite(self.values)]
        if len(seen) and seen.min() > 0.6 * long and seen.max() < 3 * long:
            return np.full(len(self.values), 2.0), "is it the length of the muscle, and not its change?"
        return np.abs(np.nan_to_num(self.values[:, 0])) / (3 * long), "is it in mm?"


def reach(arm: Arm, section: int | None = None) -> float:
    """How far from the base the tip of a section is, that of the last if left out, when the arm is straight, m."""
    return sum(each.length + each.offset for each in arm.sections[:section])


def medians(values: Floats) -> Floats:
    """Of each column, without gaps: (k, width) -> (width,); NaN where there is nothing else."""
    return np.array([np.median(c[np.isfinite(c)]) if np.isfinite(c).any() else np.nan for c in values.T])


def _set_up(sensor: Sensor, width: int) -> None:
    """Values as an array (k, width) whose gaps are NaN."""
    values = real_numbers(f"values of {sensor.name}", sensor.values, f"rows of {width} numbers")
    if values.ndim != 2 or values.shape[1] != width:
        raise ValueError(
            f"values of {sensor.name} have shape {values.shape}: must be (k, {width}), a row for each time"
        )
    if np.isinf(values).any():
        raise ValueError(f"values of {sensor.name} have an infinite one: a gap is NaN")
    not_too_large(f"values of {sensor.name}", np.nan_to_num(values), sensor.unit)
    object.__setattr__(sensor, "values", values)
    if sensor.sigma is not None:
        sigma = as_float(sensor.sigma)
        if not 0 < sigma <= LONGEST:
            limits = f"above 0 {sensor.unit} and at most {LONGEST:g} {sensor.unit}"
            raise ValueError(f"sigma of {sensor.name} = {short(sensor.sigma)}: must be {limits}")
        object.__setattr__(sensor, "sigma", sigma)


def _rotation_vectors(name: str, quaternions: Floats) -> Floats:
    """(k, 4), w first -> (k, 3), rad; gaps stay gaps."""
    from scipy.spatial.transform import Rotation

    found = np.full((len(quaternions), 3), np.nan)
    seen = np.isfinite(quaternions).all(axis=1)
    if (np.abs(quaternions[seen]) > 2).any() or (np.abs(np.linalg.norm(quaternions[seen], axis=1) - 1) > 0.05).any():
        raise ValueError(f"{name}: a quaternion is not of length 1")
    found[seen] = _continuous(Rotation.from_quat(quaternions[seen][:, [1, 2, 3, 0]]).as_rotvec())
    return found


def _continuous(vectors: Floats) -> Floats:
    """The same rotations; of the equal vectors beyond half a turn, those that go on from the one before."""
    angles = np.linalg.norm(vectors, axis=1)
    others = vectors * (1 - FULL_TURN / np.maximum(angles, 1e-12))[:, None]
    found = vectors.copy()
    for k in np.flatnonzero(angles > HALF_WAY):  # only there the two are near each other
        if k and np.linalg.norm(others[k] - found[k - 1]) < np.linalg.norm(vectors[k] - found[k - 1]):
            found[k] = others[k]
    return found


def _check_section(name: str, section: int, arm: Arm) -> None:
    if isinstance(section, bool) or not isinstance(section, (int, np.integer)) or not 1 <= section <= arm.n:
        raise ValueError(f"{name}: section {section!r} must be from 1 to {arm.n}, the sections of {short(arm.name)}")


def _section_of(arm: Arm, muscle: str) -> Section:
    owners = [section for section in arm.sections for _ in section.muscle_map]
    return owners[muscle_index(arm, muscle)]
