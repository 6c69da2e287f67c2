"""The description of a section: its size and mass, its springs and dampers, its muscles and their valves."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, field_validator, model_validator

from continuarm.arms.description import Description, FieldError, written
from continuarm.arms.field_types import (
    Angle,
    Area,
    BranchStiffness,
    Coefficient,
    Coefficients,
    Coordinate,
    Damping,
    Distance,
    Hardening,
    Lag,
    Length,
    LoopRate,
    LoopStiffness,
    Mass,
    Numbers,
    Preload,
    Pressure,
    Relaxation,
    Shaking,
    Stiffening,
    Stiffness,
    StopStiffness,
    Three,
    ThreeOrMore,
    Two,
)
from continuarm.common.limits import LARGEST
from continuarm.common.number_checks import real_numbers

MOST_BRANCHES = 8
"""Of creep: more time constants than any recording tells apart."""
MOST_LISTED = 8
"""Muscles whose angles repr() lists."""


class Muscles(Description):
    """Where the muscles of a section run: three or more, at any angle and distance from its axis.

    Examples
    --------
    >>> four = ca.Muscles(angles=[0, np.pi / 2, np.pi, 3 * np.pi / 2], radii=[0.02] * 4)
    >>> section = ca.Section(length=0.2, radius=0.02, mass=0.1, stiffness=500.0, muscles=four)
    >>> ca.Arm(sections=[section]).muscle_names
    ['l11', 'l12', 'l13', 'l14']
    """

    angles: Annotated[tuple[Angle, ...], ThreeOrMore] = Field(
        min_length=3, description="rad, about +Z from +X of the section's base"
    )
    radii: Annotated[tuple[Length, ...], ThreeOrMore] = Field(
        min_length=3, description="m, distance of each muscle from the axis"
    )

    if TYPE_CHECKING:

        def __init__(self, *, angles: Numbers, radii: Numbers) -> None: ...

    def _words(self) -> str:
        angles = ", ".join(f"{round(math.degrees(angle), 2):g}" for angle in self.angles[:MOST_LISTED])
        more = ", ..." if len(self.angles) > MOST_LISTED else ""
        return f"{len(self.angles)} at {angles}{more} degrees, {_extent(self.radii)} m"

    @model_validator(mode="after")
    def _can_bend_every_way(self) -> Self:
        if len(self.angles) != len(self.radii):
            raise FieldError("radii", self.radii, f"must have one number for each of the {len(self.angles)} angles")
        if np.linalg.matrix_rank(self.length_map, tol=1e-9 * max(1.0, *self.radii)) < 3:
            raise FieldError(
                "angles", self.angles, "the muscles lie in one plane and cannot bend the section every way"
            )
        return self

    @property
    def length_map(self) -> NDArray[np.float64]:
        """(muscles, 3): length changes of the muscles over changes of the shape x = (a, b, s)."""
        angles, radii = np.array(self.angles), np.array(self.radii)
        return np.stack([-radii * np.cos(angles), -radii * np.sin(angles), np.ones_like(radii)], axis=-1)


def constant_array(values: ArrayLike) -> NDArray[np.float64]:
    """An array that nobody can write to: a frozen description stays what it is."""
    array = _numbers(values).copy()
    array.flags.writeable = False
    return array


def _numbers(values: ArrayLike) -> NDArray[Any]:
    """An array of doubles; complex where a number is, as in the arms that derivatives are taken with."""
    array = np.asarray(values)
    return array if np.iscomplexobj(array) else np.asarray(array, dtype=float)


class Stop(NamedTuple):
    """The end stops of one muscle."""

    row: Any  # (3,), of the muscle map: its length change over q_i
    least: Any  # m
    greatest: Any  # m
    stiffness: Any  # N/m, beyond them


def springs_over_lengths(muscle_map: NDArray[np.float64], stiffness: ArrayLike) -> NDArray[np.float64]:
    """Wᵀ k W of springs along the muscles: (..., muscles) -> (..., 3, 3) over q_i, N/m; dampers likewise."""
    return np.asarray((muscle_map.T * _numbers(stiffness)[..., None, :]) @ muscle_map)


def _coefficient_matrix(value: float | tuple[Any, ...], muscle_map: NDArray[np.float64]) -> NDArray[np.float64]:
    """A number for all muscles, one for each, or a full matrix over q: always the 3x3 matrix over q."""
    array = _numbers(value)
    return array if array.ndim == 2 else springs_over_lengths(muscle_map, np.broadcast_to(array, len(muscle_map)))


def _holds_truth_value(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_truth_value(entry) for entry in value)
    return isinstance(value, (bool, np.bool_))


def _coefficient_words(value: Coefficient) -> str:
    """1700, 1600 to 1800 of one number per muscle, or 3x3."""
    if not isinstance(value, tuple):
        return f"{value:g}"
    return "3x3" if isinstance(value[0], tuple) else _extent(value)


def _extent(values: tuple[Any, ...]) -> str:
    """0.01, or 0.01 to 0.02."""
    low, high = min(values), max(values)
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


class Section(Description):
    """One continuum section: an extensible arc of constant curvature between two plates.

    q_i = (l1, l2, l3) are the length changes of muscles at 0°, 120° and 240° on the circle of radius `radius`.

    Examples
    --------
    >>> section = ca.Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700.0, damping=110.0)
    >>> section.replace(mass=0.12).disc_inertia == 0.12 * 0.0125**2 / 4
    True
    """

    length: Length = Field(description="L: unactuated length, m")
    radius: Length = Field(description="r: radius of the muscle circle and of the section's discs, m")
    mass: Mass = Field(description="m: mass, kg, uniform along the length")
    stiffness: Stiffness = Field(description="K_e: N/m, one number, one per muscle, or 3x3 over q")
    damping: Damping = Field(0.0, description="D: N s/m, one number, one per muscle, or 3x3 over q")
    offset: Distance = Field(0.0, description="σ: distance from this tip to the next section along Z, m")
    twist: Angle = Field(0.0, description="γ: turn of the next section, or of the last tip's frame, about Z, rad")
    muscles: Muscles | None = Field(
        None, description="muscle layout; three at 0°, 120°, 240° on the radius if left out"
    )
    length_range: Annotated[tuple[Coordinate, Coordinate], Two] | None = Field(
        None, description="least and greatest muscle length change, m; only stop_stiffness keeps muscles in it"
    )
    stop_stiffness: StopStiffness = Field(
        0.0, description="N/m, one-sided, of a muscle beyond length_range; 0: no stops"
    )
    muscle_area: Area | None = Field(
        None, description="A of the muscles: m², force = A max(P - P0, 0); needed for pressures"
    )
    dead_zone: Pressure = Field(0.0, description="P0 of the muscles: Pa, pressure below which they do not push")
    valve_lag: Lag = Field(0.0, description="T of the valves: s, the pressure follows as T Ṗ = command - P; 0: at once")
    vent_lag: Lag | None = Field(
        None, description="T of the valves while they let air out: s; that of filling, valve_lag, if left out"
    )
    pressure_stiffness: Stiffening = Field(
        0.0,
        description="κ: N/m per Pa by which a muscle under pressure is stiffer than K_e, as its area falls by κ l; "
        "0: not at all",
    )
    hardening: Hardening = Field(
        0.0, description="k3: N/m³, the spring of a muscle hardens, K_e l + k3 l³; 0: not at all"
    )
    preload: Annotated[tuple[Preload, Preload], Two] = Field(
        (0.0, 0.0),
        description="f: N, muscles at angles θ push by -f1 cos θ - f2 sin θ without pressure: the section is bent at "
        "rest, towards +x, +y",
    )
    creep: tuple[Annotated[tuple[BranchStiffness, Relaxation], Two], ...] = Field(
        (),
        description="relaxing branches beside each muscle's spring, N/m and s each: a force e with ė = k l̇ - e/T; "
        "none if left out",
    )
    hysteresis: Annotated[tuple[LoopStiffness, LoopRate, LoopRate], Three] | None = Field(
        None,
        description="a in N/m, b and g in 1/m of each muscle's h: ḣ = a l̇ - b |l̇| h - g l̇ |h|, N; none if left out",
    )
    shaking: Shaking = Field(
        0.0,
        description="c of hysteresis: b |l̇| becomes b ((1 - c) |l̇| + c Σ|l̇|), over all muscles of the arm; 0: a muscle "
        "that rests stays stuck",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            length: float,
            radius: float,
            mass: float,
            stiffness: Coefficients,
            damping: Coefficients = ...,
            offset: float = ...,
            twist: float = ...,
            muscles: Muscles | None = ...,
            length_range: Numbers | None = ...,
            stop_stiffness: float = ...,
            muscle_area: float | None = ...,
            dead_zone: float = ...,
            valve_lag: float = ...,
            vent_lag: float | None = ...,
            pressure_stiffness: float = ...,
            hardening: float = ...,
            preload: Numbers = ...,
            creep: Iterable[Numbers] = ...,
            hysteresis: Numbers | None = ...,
            shaking: float = ...,
        ) -> None: ...

    def _words(self) -> str:
        words = [f"{self.length:g} m", f"radius {self.radius:g} m", f"{self.mass:g} kg"]
        words += [f"{_coefficient_words(self.stiffness)} N/m"]
        words += [f"{_coefficient_words(self.damping)} N s/m"] if self.damping else []
        return ", ".join([*words, f"{len(self.muscle_map)} muscles"])

    @field_validator("stiffness", "damping", mode="before")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        allowed = "must be one number, one number per muscle, or a 3x3 matrix of numbers"
        try:
            array = real_numbers("value", value, allowed)
        except ValueError:
            raise ValueError(allowed) from None
        matrix_or_less = array.ndim < 2 or array.shape == (3, 3)
        if not matrix_or_less or not array.size or _holds_truth_value(value):
            raise ValueError(allowed)
        if not np.isfinite(array).all():
            raise ValueError("must be finite")
        if np.abs(array).max() > LARGEST:
            raise ValueError(f"must have no number beyond ±{written(LARGEST)}")
        return tuple(map(tuple, array.tolist())) if array.ndim == 2 else array.tolist()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        self._check_coefficient("stiffness", "positive definite", "greater than 0", 1e-12)
        self._check_coefficient("damping", "positive semidefinite", "at least 0", -1e-12)
        if self.length_range is not None:
            least, greatest = self.length_range
            if not least < greatest:
                raise FieldError("length_range", self.length_range, "the least must be below the greatest")
            if least <= -self.length:
                raise FieldError(
                    "length_range",
                    self.length_range,
                    f"the least must be above -{self.length} m (minus the section's length)",
                )
        elif self.stop_stiffness:
            raise FieldError("stop_stiffness", self.stop_stiffness, "needs a length_range")
        if 0 < self.valve_lag < 1e-6:
            raise FieldError("valve_lag", self.valve_lag, "must be 0 or at least 1e-6 s")
        if self.vent_lag is not None:
            if not self.valve_lag:
                raise FieldError("vent_lag", self.vent_lag, "needs a valve_lag, that of filling")
            if self.vent_lag < 1e-6:
                raise FieldError("vent_lag", self.vent_lag, "must be at least 1e-6 s")
        if len(self.creep) > MOST_BRANCHES:
            raise FieldError("creep", f"{len(self.creep)} branches", f"must be at most {MOST_BRANCHES} branches")
        if self.hysteresis is not None:
            a, b, g = self.hysteresis
            if a < 0 or b < abs(g):
                raise FieldError("hysteresis", self.hysteresis, "a must be at least 0 and b at least |g|")
        elif self.shaking:
            raise FieldError("shaking", self.shaking, "needs hysteresis, which it makes muscles forget")
        return self

    def _check_coefficient(self, name: str, definite: str, above: str, least: float) -> None:
        value, muscles = getattr(self, name), len(self.muscle_map)
        if isinstance(value, tuple) and not isinstance(value[0], tuple) and len(value) != muscles:
            raise FieldError(name, value, f"must have one number for each of the {muscles} muscles")
        matrix = _coefficient_matrix(value, self.muscle_map)
        size = np.abs(matrix).max()
        if np.abs(matrix - matrix.T).max() > 1e-12 * size:
            raise FieldError(name, value, "must be symmetric")
        if np.linalg.eigvalsh(matrix)[0] < least * size or (least > 0 and not size):
            raise FieldError(name, value, f"must be {definite if isinstance(value, tuple) else above}")

    @cached_property
    def disc_inertia(self) -> float:
        """I = m r² / 4: moment of inertia of the section's discs about a diameter, kg m²."""
        return self.mass * self.radius**2 / 4

    @cached_property
    def joint(self) -> tuple[float, float, float]:
        """(σ, cos γ, sin γ) of the joint after the tip."""
        return self.offset, np.cos(self.twist), np.sin(self.twist)

    @cached_property
    def length_map(self) -> NDArray[np.float64]:
        """(3, 3): q_i over shape changes, B⁻¹; l_j = (s - L) - r (a cos θ_j + b sin θ_j)."""
        r, h = self.radius, self.radius * math.sqrt(3) / 2
        return constant_array([[-r, 0.0, 1.0], [r / 2, -h, 1.0], [r / 2, h, 1.0]])

    @cached_property
    def shape_map(self) -> NDArray[np.float64]:
        """(3, 3): B of x = (a, b, s) = B q_i + (0, 0, L)."""
        u, h = 1 / (3 * self.radius), math.sqrt(3) / (3 * self.radius)
        return constant_array([[-2 * u, u, u], [0.0, -h, h], [1 / 3, 1 / 3, 1 / 3]])

    @cached_property
    def muscle_map(self) -> NDArray[np.float64]:
        """(muscles, 3): length changes of the muscles over q_i; the identity for the default layout."""
        return constant_array(np.eye(3) if self.muscles is None else self.muscles.length_map @ self.shape_map)

    @cached_property
    def muscle_preloads(self) -> NDArray[np.float64]:
        """(muscles,): what each muscle pushes without pressure, -f1 cos θ - f2 sin θ, N."""
        angles = np.arange(3) * 2 * np.pi / 3 if self.muscles is None else np.array(self.muscles.angles)
        return constant_array(-self.preload[0] * np.cos(angles) - self.preload[1] * np.sin(angles))

    @cached_property
    def stops(self) -> list[Stop]:
        """The end stops of its muscles."""
        if self.length_range is None or not self.stop_stiffness:
            return []
        return [Stop(row, *self.length_range, self.stop_stiffness) for row in self.muscle_map]

    @cached_property
    def stiffness_matrix(self) -> NDArray[np.float64]:
        """(3, 3): K_e over q_i, N/m."""
        return constant_array(_coefficient_matrix(self.stiffness, self.muscle_map))

    @cached_property
    def damping_matrix(self) -> NDArray[np.float64]:
        """(3, 3): D over q̇_i, N s/m."""
        return constant_array(_coefficient_matrix(self.damping, self.muscle_map))
