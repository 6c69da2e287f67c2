"""The description of an arm: sections, muscles, payload and inertia model, validated and frozen.

Every length is in metres, mass in kilograms, angle in radians, force in newtons. A description that
cannot be is refused with one sentence that names the field, its value and what is allowed: the limits are far beyond
any arm, and keep what is computed from them within the range of floating point.
"""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field, field_validator, model_validator

from continuarm.arms.description import Description, FieldError, Name, Text
from continuarm.arms.field_types import Acceleration, Angle, Coordinate, Mass, Numbers, Three, Vector
from continuarm.arms.inertia_models import CentreOfGravity, InertiaModel, Integral, PointMass
from continuarm.arms.rig import Line, Rig
from continuarm.arms.section import Section, constant_array
from continuarm.arms.summary import arm_words, numbers
from continuarm.common.argument_checks import require_kind
from continuarm.common.number_checks import Floats, numbers_of_shape, require_finite, require_shape

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_SECTIONS, MOST_MUSCLES = 10_000, 100_000
"""Of an arm: beyond any that is built, and short of what memory and the indices of matrices over q can hold."""


class Payload(Description):
    """A point mass carried at the tip of the last section.

    Examples
    --------
    >>> arm = ca.load_arm("prototype").replace(payload=ca.Payload(mass=0.05))
    >>> q = ca.equilibrium(arm)
    >>> round(1e3 * float(ca.tip_poses(arm, q)[-1, 2, 3]), 2)  # mm below the base: the payload stretches the arm
    451.15
    """

    mass: Mass = Field(description="kg")
    offset: Annotated[tuple[Coordinate, Coordinate, Coordinate], Three] = Field(
        (0.0, 0.0, 0.0), description="m, in the frame of the last tip"
    )

    if TYPE_CHECKING:

        def __init__(self, *, mass: float, offset: Numbers = ...) -> None: ...

    def _words(self) -> str:
        return f"{self.mass:g} kg" + (f" at {numbers(self.offset)} m" if any(self.offset) else "")


class Arm(Description):
    """A chain of sections on a fixed base. Unbent, it points along +Z of its base.

    M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ, with q and τ of shape (3n,), section by section from the base.

    Examples
    --------
    >>> section = ca.Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700.0, damping=110.0, twist=np.pi / 3)
    >>> arm = ca.Arm(name="trunk", sections=[section] * 3)
    >>> arm.n, arm.muscle_names[-1]
    (3, 'l33')
    >>> standing = arm.replace(gravity=(0, 0, -9.81))  # an arm is never changed, another one is made
    >>> stiffer = arm.replace({"sections[*].stiffness": 2000.0, "sections[-1].mass": 0.05})  # fields of its sections
    """

    name: Name = Field("arm", description="what plots and messages call the arm")
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
    lines: tuple[Line, ...] = Field(
        (), description="pressure lines that are shared or late; every other muscle has its own"
    )
    rig: Rig | None = Field(None, description="how recordings of this arm are read; as they are if left out")

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            name: str = ...,
            description: str = ...,
            sections: Iterable[Section],
            inertia: Integral | CentreOfGravity | PointMass = ...,
            gravity: Numbers = ...,
            base_rotation: Numbers = ...,
            payload: Payload | None = ...,
            lines: Iterable[Line] = ...,
            rig: Rig | None = ...,
        ) -> None: ...

    @field_validator("sections", mode="before")
    @classmethod
    def _is_a_list(cls, sections: Any) -> Any:
        try:
            sections = (
                None
                if isinstance(sections, (str, dict, Section))
                else tuple(itertools.islice(sections, MOST_SECTIONS + 1))
            )
        except TypeError:  # nothing that can be gone through
            sections = None
        if sections is None:
            raise ValueError("must be a list of sections, in a file [[sections]]")
        if not sections:
            raise ValueError("must have at least one section")
        if len(sections) > MOST_SECTIONS:
            raise ValueError(f"must have at most {MOST_SECTIONS} sections")
        return sections

    def _words(self) -> str:
        return arm_words(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: the unbent arm and what it is."""
        from continuarm.drawing.notebook import arm_card

        return arm_card(self)

    def plot(self, q: ArrayLike | None = None, *, pressures: ArrayLike | None = None) -> Figure:
        """A figure of the arm: in perspective, and along the world axes that matter.

        Muscles are named beside their sections where there is room, the nearer of two first.

        Parameters
        ----------
        q : array_like, (3n,) or (k, 3n), optional
            A state, m, or several: the last is drawn with its muscles, the others as lines, the older the paler;
            unbent if left out.
        pressures : array_like, (muscles,), optional
            Of the last state, Pa: colours of its muscles.

        Returns
        -------
        matplotlib.figure.Figure
            `figure.savefig("arm.png")` writes it.
        """
        from continuarm.drawing.figures import plot_arm

        return plot_arm(self, q, pressures)

    def page(self, path: str | os.PathLike[str]) -> None:
        """Writes a page that simulates the arm live in any browser, complete in one file; `continuarm export --page`.

        Visitors set pressures, push the tip and turn the view; there is no server, and no network is needed. Steps of
        1 ms are those of `FixedStep`, with all laws of muscles, valves and lines. The arm begins at rest without
        pressure.

        Parameters
        ----------
        path : str or path
            Ends in .html. A file that was there is replaced whole, or stays.

        Examples
        --------
        >>> ca.load_arm("prototype").page("prototype.html")
        """
        from continuarm.export.page import export_page

        export_page(self, path)

    @model_validator(mode="after")
    def _has_countable_muscles(self) -> Self:
        total = sum(3 if section.muscles is None else len(section.muscles.angles) for section in self.sections)
        if total > MOST_MUSCLES:
            raise FieldError("sections", f"{total} muscles", f"must have at most {MOST_MUSCLES} in all")
        return self

    @model_validator(mode="after")
    def _has_lines_to_its_muscles(self) -> Self:
        fed: set[str] = set()
        for line in self.lines:
            for name in line.muscles:
                if name not in self.muscle_columns:
                    raise FieldError(
                        "lines", name, f"must be muscles, {self.muscle_names[0]} to {self.muscle_names[-1]}"
                    )
                if name in fed:
                    raise FieldError("lines", name, "must be on one line only")
                fed.add(name)
        read: set[Line] = set()
        for gauge in () if self.rig is None else self.rig.gauges:
            if gauge.line not in self.muscle_columns:
                allowed = f"must name a muscle, {self.muscle_names[0]} to {self.muscle_names[-1]}"
                raise FieldError("rig", gauge.line, f"the line of a gauge {allowed}")
            line = self.muscle_lines[self.muscle_columns[gauge.line]]
            if line in read:
                raise FieldError("rig", gauge.line, "must be one gauge for a line")
            read.add(line)
        return self

    @property
    def n(self) -> int:
        """Number of sections."""
        return len(self.sections)

    @cached_property
    def muscle_names(self) -> list[str]:
        """l33 for muscle 3 of section 3, l10-2 for muscle 2 of section 10: all of them, from the base."""
        return [
            _numbered("l", i, j) for i, s in enumerate(self.sections, start=1) for j in range(1, len(s.muscle_map) + 1)
        ]

    @cached_property
    def muscle_columns(self) -> dict[str, int]:
        """The place of each muscle among all of them, by its name, from 0."""
        return {name: column for column, name in enumerate(self.muscle_names)}

    @cached_property
    def muscle_lines(self) -> tuple[Line, ...]:
        """The pressure line of every muscle: that of `lines` which feeds it, or one of its own."""
        fed = {name: line for line in self.lines for name in line.muscles}
        return tuple(fed.get(name) or Line(muscles=[name]) for name in self.muscle_names)

    @cached_property
    def coordinate_names(self) -> list[str]:
        """Names of the 3n entries of q and τ: l12 where they are real muscles, q12 where `muscles` describes others."""
        letters = ["l" if section.muscles is None else "q" for section in self.sections]
        return [_numbered(letter, i, j) for i, letter in enumerate(letters, start=1) for j in (1, 2, 3)]

    @cached_property
    def base_orientation(self) -> NDArray[np.float64]:
        """(3, 3): rotation matrix from the base frame to the world frame."""
        return constant_array(_rotation(self.base_rotation))

    @cached_property
    def base_gravity(self) -> NDArray[np.float64]:
        """(3,): gravity in the base frame, m/s²."""
        return constant_array(self.base_orientation.T @ np.array(self.gravity))

    @property
    def carried_mass(self) -> tuple[float, Vector]:
        """Mass, kg, and place, m, of what the last tip carries: nothing is a mass of 0."""
        return (0.0, (0.0, 0.0, 0.0)) if self.payload is None else (self.payload.mass, self.payload.offset)

    def muscle_forces(self, forces: ArrayLike) -> Floats:
        """τ from the forces of all muscles, positive extends: Wᵀ f, section by section.

        Parameters
        ----------
        forces : array_like, (..., muscles)
            Force of each muscle, N, in the order of `muscle_names`.

        Returns
        -------
        ndarray, (..., 3n)
            τ, N; the same numbers where no section describes its `muscles`.

        Examples
        --------
        >>> four = ca.Muscles(angles=[0, np.pi / 2, np.pi, 3 * np.pi / 2], radii=[0.02] * 4)
        >>> arm = ca.Arm(sections=[ca.Section(length=0.2, radius=0.02, mass=0.1, stiffness=500.0, muscles=four)])
        >>> print(arm.muscle_forces([3.0, 3.0, 3.0, 3.0]))  # four muscles, 12 N together, over three coordinates
        [4. 4. 4.]
        """
        counts = [len(section.muscle_map) for section in self.sections]
        total = sum(counts)
        checked = numbers_of_shape("forces", forces, total, f"{total} muscles of {self.name!r}")
        parts = np.split(checked, np.cumsum(counts)[:-1], axis=-1)
        with np.errstate(over="ignore", invalid="ignore"):
            tau = [part @ section.muscle_map for part, section in zip(parts, self.sections, strict=True)]
        return require_finite("muscle_forces", np.concatenate(tau, axis=-1), checked.ndim - 1)

    def muscle_lengths(self, q: ArrayLike) -> Floats:
        """Length changes of all muscles: W q, section by section.

        Parameters
        ----------
        q : array_like, (..., 3n)
            m.

        Returns
        -------
        ndarray, (..., muscles)
            m, in the order of `muscle_names`; the same numbers where no section describes its `muscles`.

        Examples
        --------
        >>> four = ca.Muscles(angles=[0, np.pi / 2, np.pi, 3 * np.pi / 2], radii=[0.02] * 4)
        >>> arm = ca.Arm(sections=[ca.Section(length=0.2, radius=0.02, mass=0.1, stiffness=500.0, muscles=four)])
        >>> print((1e3 * arm.muscle_lengths([0.003, 0.012, 0.012])).round(2))  # mm
        [ 3.  9. 15.  9.]
        """
        checked = per_section(self, "q", q)
        with np.errstate(over="ignore", invalid="ignore"):
            lengths = [
                checked[..., 3 * i : 3 * i + 3] @ section.muscle_map.T for i, section in enumerate(self.sections)
            ]
        return require_finite("muscle_lengths", np.concatenate(lengths, axis=-1), checked.ndim - 1)


def _numbered(letter: str, section: int, number: int) -> str:
    """l33, or l10-2 where the numbers would run together."""
    return f"{letter}{section}{number}" if max(section, number) < 10 else f"{letter}{section}-{number}"


def require_arm(arm: object) -> None:
    """Raises TypeError unless it is an Arm."""
    require_kind("arm", arm, Arm, "an Arm (see load_arm)")


def per_section(arm: Arm, name: str, value: ArrayLike) -> Floats:
    """The value as an array (..., 3n) of finite numbers, three for each section."""
    return numbers_of_shape(name, value, 3 * arm.n, *_counted(arm, name))


def require_per_section(arm: Arm, name: str, shape: tuple[int, ...]) -> None:
    """Raises ValueError unless a shape is (..., 3n)."""
    require_shape(name, shape, 3 * arm.n, *_counted(arm, name))


def _counted(arm: Arm, name: str) -> tuple[str, dict[int, str]]:
    sections = f"{arm.n} section{'s' if arm.n > 1 else ''} of {arm.name!r}"
    return sections, force_hints(arm) if name == "tau" else {}


def force_hints(arm: Arm) -> dict[int, str]:
    """Of forces with one number for each muscle where those over q are meant: what makes one of the other."""
    muscles = sum(len(section.muscle_map) for section in arm.sections)
    if muscles == 3 * arm.n:
        return {}
    return {muscles: f"; arm.muscle_forces(...) makes τ of the forces of its {muscles} muscles"}


def _rotation(vector: Vector) -> NDArray[np.float64]:
    x, y, z = vector
    angle = np.sqrt(x * x + y * y + z * z)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sinc(angle / np.pi) * cross + np.sinc(angle / math.tau) ** 2 / 2 * cross @ cross)
