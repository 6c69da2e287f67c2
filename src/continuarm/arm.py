"""The description of an arm: sections, muscles, payload and inertia model, validated and frozen.

Every length is in metres, mass in kilograms, angle in radians, force in newtons. A description that
cannot be is refused with one sentence that names the field, its value and what is allowed: the limits are far beyond
any arm, and keep what is computed from them within the range of floating point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, Field, field_validator, model_validator

from continuarm.arrays import Floats, numbers_of_shape, require_finite
from continuarm.description import Description, DescriptionError, FieldError, Text, Within, numbers

__all__ = [
    "Arm",
    "CentreOfGravity",
    "DescriptionError",
    "InertiaModel",
    "Integral",
    "Muscles",
    "Payload",
    "PointMass",
    "Section",
]

FULL_TURN = 2 * math.pi
"""The largest bending angle φ of a section, rad: beyond it the section would pass through itself."""

Length = Annotated[float, Within(1e-6, 1e3, "m")]
Area = Annotated[float, Within(1e-12, 1e3, "m²")]
Pressure = Annotated[float, Within(0.0, 1e9, "Pa")]
Distance = Annotated[float, Within(0, 1e3, "m")]
Coordinate = Annotated[float, Within(-1e3, 1e3, "m")]
Angle = Annotated[float, Within(-math.tau, math.tau, "rad, not degrees")]
Mass = Annotated[float, Within(1e-12, 1e6, "kg")]
Acceleration = Annotated[float, Within(-1e6, 1e6, "m/s²")]
Shaping = Annotated[float, Within(-1e3, 1e3)]
StopStiffness = Annotated[float, Within(0, 1e12, "N/m")]
Lag = Annotated[float, Within(0, 1e3, "s")]
Stiffening = Annotated[float, Within(0, 1e6, "N/m per Pa")]
Loop = Annotated[float, Within(-1e12, 1e12)]

Two, Three, ThreeOrMore = (BeforeValidator(numbers(*counts)) for counts in ((2, 2), (3, 3), (3, None)))
Vector = tuple[float, float, float]
Coefficient = float | tuple[float, ...] | tuple[Vector, Vector, Vector]
LARGEST_COEFFICIENT = 1e12


class Integral(Description):
    """The exact kinetic energy: thin discs integrated along the section (eqs. Kwi, Kvi)."""

    model: Literal["integral"] = "integral"


class CentreOfGravity(Description):
    """The paper's proposal: one disc at the centre of gravity, energies shaped by β (eqs. Kwi_c, Kvi_c).

    The defaults are the small-bend limits: near the straight arm the bending energy is exact (stretching, whose own
    limit is 4/3, is then a third too heavy).
    """

    model: Literal["centre-of-gravity"] = "centre-of-gravity"
    beta_linear: Annotated[tuple[Shaping, Shaping, Shaping], Three] = Field(
        (4 / 3, 3 / 2, 9 / 5), description="β^υ: base, cross and own term of the linear energy"
    )
    beta_angular: Annotated[tuple[Shaping, Shaping, Shaping], Three] = Field(
        (1.0, 1.0, 4 / 3), description="β^ω: base, cross and own term of the angular energy"
    )
    allow_indefinite: bool = Field(
        False,
        strict=True,
        description="take coefficients for which some motion of a section has negative energy, as published ones",
    )

    @model_validator(mode="after")
    def _energy_is_positive(self) -> Self:
        if self.allow_indefinite:
            return self
        base, cross, own = self.beta_linear
        if base < 1 or own < 1 or (cross - 1) ** 2 > (base - 1) * (own - 1) * (1 + 1e-12):
            raise FieldError(
                "beta_linear",
                self.beta_linear,
                "makes the mass matrix indefinite: β1 and β3 must be at least 1 and (β2 - 1)² at most (β1 - 1)(β3 - 1)",
            )
        base, cross, own = self.beta_angular
        if base < 0 or own < 0 or cross**2 > base * own * (1 + 1e-12):
            raise FieldError(
                "beta_angular",
                self.beta_angular,
                "makes the mass matrix indefinite: β1 and β3 must be at least 0 and β2² at most β1 β3",
            )
        return self


class PointMass(Description):
    """All mass in one point at the centre of gravity, no rotary inertia, no shaping (section II-D).

    For comparison only: a section that spins about its own axis has no energy, and the mass matrix
    becomes singular as a section closes to a full turn. Close to it, accelerations are huge and have few true digits:
    numpy.linalg.cond(mass_matrix(arm, q)) tells how many are lost.
    """

    model: Literal["point-mass"] = "point-mass"


InertiaModel = Annotated[Integral | CentreOfGravity | PointMass, Field(discriminator="model")]


class Muscles(Description):
    """Where the muscles of a section run: three or more, at any angle and distance from its axis."""

    angles: Annotated[tuple[Angle, ...], ThreeOrMore] = Field(
        min_length=3, description="rad, about +Z from +X of the section's base"
    )
    radii: Annotated[tuple[Length, ...], ThreeOrMore] = Field(
        min_length=3, description="m, distance of each muscle from the axis"
    )

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


class Payload(Description):
    """A point mass carried at the tip of the last section."""

    mass: Mass = Field(description="kg")
    offset: Annotated[tuple[Coordinate, Coordinate, Coordinate], Three] = Field(
        (0.0, 0.0, 0.0), description="m, in the frame of the last tip"
    )


def _constant(values: ArrayLike) -> NDArray[np.float64]:
    """An array that nobody can write to: a frozen description stays what it is."""
    array = np.array(values, dtype=float)
    array.flags.writeable = False
    return array


def _coefficient_matrix(value: float | tuple[Any, ...], muscle_map: NDArray[np.float64]) -> NDArray[np.float64]:
    """A number for all muscles, one for each, or a full matrix over q: always the 3x3 matrix over q."""
    array = np.asarray(value, dtype=float)
    if array.ndim == 2:
        return array
    return (muscle_map.T * array) @ muscle_map


def _holds_truth_value(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_holds_truth_value(entry) for entry in value)
    return isinstance(value, (bool, np.bool_))


class Section(Description):
    """One continuum section: an extensible arc of constant curvature between two plates.

    q_i = (l1, l2, l3) are the length changes of muscles at 0°, 120° and 240° on the circle of radius `radius`.
    """

    length: Length = Field(description="L: unactuated length, m")
    radius: Length = Field(description="r: radius of the muscle circle and of the section's discs, m")
    mass: Mass = Field(description="m: mass, kg, uniform along the length")
    stiffness: Coefficient = Field(description="K_e: N/m, one number, one per muscle, or 3x3 over q")
    damping: Coefficient = Field(0.0, description="D: N s/m, one number, one per muscle, or 3x3 over q")
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
    pressure_stiffness: Stiffening = Field(
        0.0, description="N/m per Pa by which a muscle under pressure is stiffer than K_e; 0: not at all"
    )
    hysteresis: Annotated[tuple[Loop, Loop, Loop], Three] | None = Field(
        None,
        description="a in N/m, b and g in 1/m of each muscle's h: ḣ = a l̇ - b |l̇| h - g l̇ |h|, N; none if left out",
    )

    @field_validator("stiffness", "damping", mode="before")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        try:
            array = np.array(value)
        except ValueError:  # rows of unequal length
            array = np.array(None)
        matrix_or_less = array.ndim < 2 or array.shape == (3, 3)
        not_numbers = array.dtype.kind not in "iuf" or _holds_truth_value(value) or np.ma.is_masked(value)
        if not_numbers or not matrix_or_less or not array.size:
            raise ValueError("must be one number, one number per muscle, or a 3x3 matrix of numbers")
        if not np.isfinite(array).all():
            raise ValueError("must be finite")
        if np.abs(array).max() > LARGEST_COEFFICIENT:
            raise ValueError("must have no number beyond ±1e12")
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
        if self.hysteresis is not None:
            a, b, g = self.hysteresis
            if a < 0 or b < abs(g):
                raise FieldError("hysteresis", self.hysteresis, "a must be at least 0 and b at least |g|")
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
        return self.offset, math.cos(self.twist), math.sin(self.twist)

    @cached_property
    def length_map(self) -> NDArray[np.float64]:
        """(3, 3): q_i over shape changes, B⁻¹; l_j = (s - L) - r (a cos θ_j + b sin θ_j)."""
        r, h = self.radius, self.radius * math.sqrt(3) / 2
        return _constant([[-r, 0.0, 1.0], [r / 2, -h, 1.0], [r / 2, h, 1.0]])

    @cached_property
    def shape_map(self) -> NDArray[np.float64]:
        """(3, 3): B of x = (a, b, s) = B q_i + (0, 0, L)."""
        u, h = 1 / (3 * self.radius), math.sqrt(3) / (3 * self.radius)
        return _constant([[-2 * u, u, u], [0.0, -h, h], [1 / 3, 1 / 3, 1 / 3]])

    @cached_property
    def muscle_map(self) -> NDArray[np.float64]:
        """(muscles, 3): length changes of the muscles over q_i; the identity for the default layout."""
        return _constant(np.eye(3) if self.muscles is None else self.muscles.length_map @ self.shape_map)

    @cached_property
    def stops(self) -> list[tuple[NDArray[np.float64], NDArray[np.float64], float]]:
        """Row of the muscle map, least and greatest length change, and stiffness of every muscle that has stops."""
        if self.length_range is None or not self.stop_stiffness:
            return []
        return [(row, _constant(self.length_range), self.stop_stiffness) for row in self.muscle_map]

    @cached_property
    def stiffness_matrix(self) -> NDArray[np.float64]:
        """(3, 3): K_e over q_i, N/m."""
        return _constant(_coefficient_matrix(self.stiffness, self.muscle_map))

    @cached_property
    def damping_matrix(self) -> NDArray[np.float64]:
        """(3, 3): D over q̇_i, N s/m."""
        return _constant(_coefficient_matrix(self.damping, self.muscle_map))


class Arm(Description):
    """A chain of sections on a fixed base. Unbent, it points along +Z of its base.

    M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ, with q and τ of shape (3n,), section by section from the base.
    """

    name: Text = Field("arm", description="what plots and messages call the arm")
    description: Text = Field("", description="what this arm is and where its numbers come from")
    sections: tuple[Section, ...] = Field(min_length=1, description="from the base to the tip")
    inertia: InertiaModel = Field(
        default_factory=Integral, description="how a section's mass is modelled; integral if left out"
    )
    gravity: Annotated[tuple[Acceleration, Acceleration, Acceleration], Three] = Field(
        (0.0, 0.0, 9.81), description="m/s², world frame; +Z: the unbent arm hangs"
    )
    base_rotation: Annotated[tuple[Angle, Angle, Angle], Three] = Field(
        (0.0, 0.0, 0.0), description="rad, rotation vector that turns the world frame into the base frame"
    )
    payload: Payload | None = Field(None, description="what the tip carries; nothing if left out")

    @field_validator("sections", mode="before")
    @classmethod
    def _is_a_list(cls, sections: Any) -> Any:
        if isinstance(sections, (str, dict, Section, type)) or not hasattr(sections, "__iter__"):
            raise ValueError("must be a list of sections, in a file [[sections]]")
        sections = tuple(sections)
        if not sections:
            raise ValueError("must have at least one section")
        return sections

    @property
    def n(self) -> int:
        """Number of sections."""
        return len(self.sections)

    @cached_property
    def muscle_names(self) -> list[str]:
        """l33 for muscle 3 of section 3, l10-2 for muscle 2 of section 10: all of them, from the base."""
        return muscle_names([len(section.muscle_map) for section in self.sections])

    @cached_property
    def base_orientation(self) -> NDArray[np.float64]:
        """(3, 3): rotation matrix from the base frame to the world frame."""
        return _constant(_rotation(self.base_rotation))

    @cached_property
    def base_gravity(self) -> NDArray[np.float64]:
        """(3,): gravity in the base frame, m/s²."""
        return _constant(self.base_orientation.T @ np.array(self.gravity))

    @property
    def point_mass(self) -> tuple[float, Vector]:
        """Mass, kg, and place, m, of what the last tip carries: nothing is a mass of 0."""
        return (0.0, (0.0, 0.0, 0.0)) if self.payload is None else (self.payload.mass, self.payload.offset)

    def muscle_forces(self, forces: ArrayLike) -> Floats:
        """τ from the forces of all muscles, section by section: (..., muscles) -> (..., 3n), N, positive extends."""
        counts = [len(section.muscle_map) for section in self.sections]
        total = sum(counts)
        checked = numbers_of_shape("forces", forces, total, f"{total} muscles of {self.name!r}")
        parts = np.split(checked, np.cumsum(counts)[:-1], axis=-1)
        with np.errstate(over="ignore", invalid="ignore"):
            tau = [part @ section.muscle_map for part, section in zip(parts, self.sections, strict=True)]
        return require_finite("muscle_forces", np.concatenate(tau, axis=-1), checked.ndim - 1)

    def muscle_lengths(self, q: ArrayLike) -> Floats:
        """Length changes of all muscles: (..., 3n) -> (..., muscles), m."""
        checked = per_section(self, "q", q)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = [
                checked[..., 3 * i : 3 * i + 3] @ section.muscle_map.T for i, section in enumerate(self.sections)
            ]
        return require_finite("muscle_lengths", np.concatenate(lengths, axis=-1), checked.ndim - 1)


def muscle_names(counts: Iterable[int]) -> list[str]:
    """Names of muscles, for the number of them in each section."""
    pairs = [(i, j) for i, count in enumerate(counts, start=1) for j in range(1, count + 1)]
    return [f"l{i}{j}" if max(i, j) < 10 else f"l{i}-{j}" for i, j in pairs]


def per_section(arm: Arm, name: str, value: ArrayLike) -> Floats:
    """The value as an array (..., 3n) of finite numbers, three for each section."""
    sections = f"{arm.n} section{'s' if arm.n > 1 else ''} of {arm.name!r}"
    return numbers_of_shape(name, value, 3 * arm.n, sections)


def _rotation(vector: Vector) -> NDArray[np.float64]:
    x, y, z = vector
    angle = math.sqrt(x * x + y * y + z * z)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sinc(angle / np.pi) * cross + np.sinc(angle / FULL_TURN) ** 2 / 2 * cross @ cross
