"""The description of an arm: sections, muscles, payload and inertia model, validated and frozen.

Every length is in metres, mass in kilograms, angle in radians, force in newtons. A description that
cannot be is refused with one sentence that names the field, its value and what is allowed.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

if TYPE_CHECKING:  # the metaclass has no public name that a type checker accepts as a base
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)

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


class DescriptionError(ValueError):
    """An arm, section or model that cannot be, in one sentence."""


class _FieldError(ValueError):
    """A field that is wrong only in view of the others."""

    def __init__(self, field: str, value: Any, allowed: str) -> None:
        super().__init__(allowed)
        self.field, self.value = field, value


def printable(text: str) -> str:
    """Text on one line and without control characters, whatever a file or a user put into it."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _path(location: tuple[int | str, ...]) -> str:
    """('sections', 2, 'mass') -> 'sections[2].mass'."""
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _short(value: Any) -> str:
    text = " ".join(repr(_listed(value)).split())
    return text if len(text) <= 80 else text[:77] + "..."


def _listed(value: Any) -> Any:
    """Tuples as the lists that people write."""
    return [_listed(entry) for entry in value] if isinstance(value, (list, tuple)) else value


_MODELS = ("integral", "centre-of-gravity", "point-mass")
_MODELS_ALLOWED = "must be 'integral', 'centre-of-gravity' or 'point-mass'"
_MOST_FAULTS = 5


def one_sentence(error: ValidationError, model: type[BaseModel]) -> str:
    """What is wrong, where, with what value, and what is allowed: one line for any number of faults."""
    # A list that really is too short was refused before; pydantic also calls one short for its bad entries.
    reports = [report for report in error.errors(include_url=False) if report["type"] != "too_short"]
    faults = [_fault(report, model) for report in reports[:_MOST_FAULTS]]
    if len(reports) > _MOST_FAULTS:
        faults.append(f"and {len(reports) - _MOST_FAULTS} more")
    return printable("; ".join(faults))


def _fault(report: Any, model: type[BaseModel]) -> str:
    location: tuple[int | str, ...] = report["loc"]
    value, kind, context = report["input"], report["type"], report.get("ctx", {})
    message = _PLAIN.get(kind, report["msg"]).removeprefix("Value error, ").replace("Input should be", "must be")
    if kind == "union_tag_invalid":
        location, value = (*location, "model"), value["model"]
        message += _did_you_mean(str(value), _MODELS)
    elif isinstance(context.get("error"), _FieldError):
        location, value = (*location, context["error"].field), context["error"].value
    place = _path(_without_tag(location))
    if kind == "missing":
        return f"{place} is missing"
    if kind == "union_tag_not_found":
        return f"{place}.model is missing: {_MODELS_ALLOWED}"
    if kind == "model_type":
        message = f"must be a table of the fields {', '.join(_known_fields(location, model))}"
    if kind == "extra_forbidden":
        known = _known_fields(location[:-1], model)
        hint = _did_you_mean(str(location[-1]), known) or f"; known: {', '.join(known)}"
        return f"{place} is not a known field{hint}"
    return f"{place} = {_short(value)}: {message}" if place else f"{_short(value)}: {message}"


_PLAIN = {
    "float_type": "must be a number",
    "model_attributes_type": "must be Integral(), CentreOfGravity(...) or PointMass(), "
    'in a file a table such as { model = "integral" }',
    "string_type": "must be text",
    "tuple_type": "must be a list",
    "union_tag_invalid": _MODELS_ALLOWED,
}
"""What pydantic's kinds of fault are called here, where its own words are for programmers."""


def _without_tag(location: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """pydantic puts the name of the inertia model into the location; nobody wrote it there."""
    tagged = location[:1] == ("inertia",) and location[1:2] and location[1] in _MODELS
    return ("inertia", *location[2:]) if tagged else location


def _did_you_mean(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _known_fields(location: tuple[int | str, ...], model: type[BaseModel]) -> list[str]:
    """The fields of the description at a location."""
    kinds = [model]
    for part in location:
        if part in _MODELS:
            kinds = [kind for kind in kinds if kind.model_fields["model"].default == part]
        elif isinstance(part, str):
            kinds = _described(kinds[0].model_fields[part].annotation)
    return list(kinds[0].model_fields)


def _described(annotation: Any) -> list[type[BaseModel]]:
    """The descriptions an annotation such as `tuple[Section, ...]` or `Muscles | None` speaks of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [kind for argument in get_args(annotation) for kind in _described(argument)]


class _OneSentence(ModelMetaclass):
    """Turns pydantic's report into one sentence when a description is made by hand."""

    def __call__(cls, *args: Any, **fields: Any) -> Any:
        model = cast(type[BaseModel], cls)
        if args:
            names = ", ".join(f"{name}=..." for name in model.model_fields)
            raise TypeError(f"{cls.__name__} takes its fields by name: {cls.__name__}({names})")
        try:
            return super().__call__(**fields)
        except ValidationError as error:
            raise DescriptionError(f"{cls.__name__}: {one_sentence(error, model)}") from None


class _Description(BaseModel, metaclass=_OneSentence):
    model_config = ConfigDict(frozen=True, extra="forbid")

    def replace(self, **changes: Any) -> Self:
        """The same description with some fields changed, validated again."""
        return type(self)(**self._fields() | changes)

    def _fields(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).model_fields}

    # pydantic compares everything an instance holds, the cached matrices too, and those have no truth value.
    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self), *self._fields().values()))

    def __setattr__(self, name: str, value: Any) -> None:
        self._refuse_change(name)

    def __delattr__(self, name: str) -> None:
        self._refuse_change(name)

    def _refuse_change(self, name: str) -> None:
        kind, known = type(self).__name__, type(self).model_fields
        if name not in known:
            raise DescriptionError(f"{kind}: {name} is not a known field{_did_you_mean(name, known)}")
        raise DescriptionError(f"{kind}: {name} cannot be changed in place: use replace({name}=...) for a changed copy")


def _number(value: Any) -> Any:
    if isinstance(value, (str, bytes, bool, np.bool_)):
        raise ValueError("must be a number")  # not a TypeError: pydantic reports only ValueError
    return value


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must be text that UTF-8 can write") from None
    return value


def _numbers(least: int, most: int | None = None) -> Callable[[Any], Any]:
    """Refuses what is not a list of so many entries; takes NumPy arrays, which pydantic does not."""
    allowed = f"must be a list of {least} numbers" if most == least else f"must be a list of {least} or more numbers"

    def check(value: Any) -> Any:
        entries = value.tolist() if isinstance(value, np.ndarray) else value
        if not isinstance(entries, (list, tuple)) or not least <= len(entries) <= (most or len(entries)):
            raise ValueError(allowed)
        return entries

    return check


# The limits come before the validator, or the JSON schema would not know them.
Number = Annotated[float, Field(allow_inf_nan=False), BeforeValidator(_number)]
Text = Annotated[str, AfterValidator(_text)]
Positive = Annotated[float, Field(allow_inf_nan=False, gt=0), BeforeValidator(_number)]
NonNegative = Annotated[float, Field(allow_inf_nan=False, ge=0), BeforeValidator(_number)]
Pair = Annotated[tuple[Number, Number], BeforeValidator(_numbers(2, 2))]
Vector = Annotated[tuple[Number, Number, Number], BeforeValidator(_numbers(3, 3))]
Matrix = tuple[Vector, Vector, Vector]


class Integral(_Description):
    """The exact kinetic energy: thin discs integrated along the section (eqs. Kwi, Kvi)."""

    model: Literal["integral"] = "integral"


class CentreOfGravity(_Description):
    """The paper's proposal: one disc at the centre of gravity, energies shaped by β (eqs. Kwi_c, Kvi_c).

    The defaults are the small-bend limits, for which the shaped energy of a straight section is exact.
    """

    model: Literal["centre-of-gravity"] = "centre-of-gravity"
    beta_linear: Vector = Field((4 / 3, 3 / 2, 9 / 5), description="β^υ: base, cross and own term of the linear energy")
    beta_angular: Vector = Field((1.0, 1.0, 4 / 3), description="β^ω: base, cross and own term of the angular energy")

    @field_validator("beta_linear")
    @classmethod
    def _linear_energy_is_positive(cls, beta: Vector) -> Vector:
        base, cross, own = beta
        if base < 1 or own < 1 or (cross - 1) ** 2 > (base - 1) * (own - 1) * (1 + 1e-12):
            raise ValueError(
                "makes the mass matrix indefinite: β1 and β3 must be at least 1 and (β2 - 1)² at most (β1 - 1)(β3 - 1)"
            )
        return beta

    @field_validator("beta_angular")
    @classmethod
    def _angular_energy_is_positive(cls, beta: Vector) -> Vector:
        base, cross, own = beta
        if base < 0 or own < 0 or cross**2 > base * own * (1 + 1e-12):
            raise ValueError("makes the mass matrix indefinite: β1 and β3 must be at least 0 and β2² at most β1 β3")
        return beta


class PointMass(_Description):
    """All mass in one point at the centre of gravity, no rotary inertia, no shaping (section II-D).

    For comparison only: a section that spins about its own axis has no energy, and the mass matrix
    becomes singular as a section closes to a full turn.
    """

    model: Literal["point-mass"] = "point-mass"


InertiaModel = Annotated[Integral | CentreOfGravity | PointMass, Field(discriminator="model")]


class Muscles(_Description):
    """Where the muscles of a section run: three or more, at any angle and distance from its axis."""

    angles: Annotated[tuple[Number, ...], BeforeValidator(_numbers(3))] = Field(
        min_length=3, description="rad, about +Z from +X of the section's base"
    )
    radii: Annotated[tuple[Positive, ...], BeforeValidator(_numbers(3))] = Field(
        min_length=3, description="m, distance of each muscle from the axis"
    )

    @model_validator(mode="after")
    def _can_bend_every_way(self) -> Self:
        if len(self.angles) != len(self.radii):
            raise _FieldError("radii", self.radii, f"must have one number for each of the {len(self.angles)} angles")
        if np.linalg.matrix_rank(self.shape_map, tol=1e-9 * max(1.0, *self.radii)) < 3:
            raise _FieldError(
                "angles", self.angles, "the muscles lie in one plane and cannot bend the section every way"
            )
        return self

    @property
    def shape_map(self) -> NDArray[np.float64]:
        """(muscles, 3): length changes of the muscles over changes of the shape x = (a, b, s)."""
        angles, radii = np.array(self.angles), np.array(self.radii)
        return np.stack([-radii * np.cos(angles), -radii * np.sin(angles), np.ones_like(radii)], axis=-1)


class Payload(_Description):
    """A point mass carried at the tip of the last section."""

    mass: Positive = Field(description="kg")
    offset: Vector = Field((0.0, 0.0, 0.0), description="m, in the frame of the last tip")


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


Coefficient = Number | tuple[Number, ...] | Matrix


class Section(_Description):
    """One continuum section: an extensible arc of constant curvature between two plates.

    q_i = (l1, l2, l3) are the length changes of muscles at 0°, 120° and 240° on the circle of radius `radius`.
    """

    length: Positive = Field(description="L: unactuated length, m")
    radius: Positive = Field(description="r: radius of the muscle circle and of the section's discs, m")
    mass: Positive = Field(description="m: mass, kg, uniform along the length")
    stiffness: Coefficient = Field(description="K_e: N/m, one number, one per muscle, or 3x3 over q")
    damping: Coefficient = Field(0.0, description="D: N s/m, one number, one per muscle, or 3x3 over q")
    offset: NonNegative = Field(0.0, description="σ: distance from this tip to the next section along Z, m")
    twist: Number = Field(0.0, description="γ: turn of the next section about Z, rad")
    muscles: Muscles | None = Field(
        None, description="muscle layout; three at 0°, 120°, 240° on the radius if left out"
    )
    length_range: Pair | None = Field(None, description="least and greatest muscle length change, m")
    stop_stiffness: NonNegative = Field(0.0, description="N/m, one-sided, of a muscle beyond length_range; 0: no stops")

    @field_validator("stiffness", "damping", mode="before")
    @classmethod
    def _plain(cls, value: Any) -> Any:
        try:
            array = np.array(value)
        except ValueError:  # rows of unequal length
            array = np.array(None)
        matrix_or_less = array.ndim < 2 or array.shape == (3, 3)
        if array.dtype.kind not in "iuf" or not matrix_or_less or not array.size or _holds_truth_value(value):
            raise ValueError("must be one number, one number per muscle, or a 3x3 matrix of numbers")
        if not np.isfinite(array).all():
            raise ValueError("must be finite")
        return tuple(map(tuple, array.tolist())) if array.ndim == 2 else array.tolist()

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        self._check_coefficient("stiffness", "positive definite", "greater than 0", 1e-12)
        self._check_coefficient("damping", "positive semidefinite", "at least 0", -1e-12)
        if self.length_range is not None:
            least, greatest = self.length_range
            if not least < greatest:
                raise _FieldError("length_range", self.length_range, "the least must be below the greatest")
            if least <= -self.length:
                raise _FieldError(
                    "length_range",
                    self.length_range,
                    f"the least must be above -{self.length} m (minus the section's length)",
                )
        elif self.stop_stiffness:
            raise _FieldError("stop_stiffness", self.stop_stiffness, "needs a length_range")
        return self

    def _check_coefficient(self, name: str, definite: str, above: str, least: float) -> None:
        value, muscles = getattr(self, name), len(self.muscle_map)
        if isinstance(value, tuple) and not isinstance(value[0], tuple) and len(value) != muscles:
            raise _FieldError(name, value, f"must have one number for each of the {muscles} muscles")
        matrix = _coefficient_matrix(value, self.muscle_map)
        size = np.abs(matrix).max()
        if np.abs(matrix - matrix.T).max() > 1e-12 * size:
            raise _FieldError(name, value, "must be symmetric")
        if np.linalg.eigvalsh(matrix)[0] < least * size or (least > 0 and not size):
            raise _FieldError(name, value, f"must be {definite if isinstance(value, tuple) else above}")

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
        return np.array([[-r, 0.0, 1.0], [r / 2, -h, 1.0], [r / 2, h, 1.0]])

    @cached_property
    def shape_map(self) -> NDArray[np.float64]:
        """(3, 3): B of x = (a, b, s) = B q_i + (0, 0, L)."""
        u, h = 1 / (3 * self.radius), math.sqrt(3) / (3 * self.radius)
        return np.array([[-2 * u, u, u], [0.0, -h, h], [1 / 3, 1 / 3, 1 / 3]])

    @cached_property
    def muscle_map(self) -> NDArray[np.float64]:
        """(muscles, 3): length changes of the muscles over q_i; the identity for the default layout."""
        return np.eye(3) if self.muscles is None else self.muscles.shape_map @ self.shape_map

    @cached_property
    def stiffness_matrix(self) -> NDArray[np.float64]:
        """(3, 3): K_e over q_i, N/m."""
        return _coefficient_matrix(self.stiffness, self.muscle_map)

    @cached_property
    def damping_matrix(self) -> NDArray[np.float64]:
        """(3, 3): D over q̇_i, N s/m."""
        return _coefficient_matrix(self.damping, self.muscle_map)


class Arm(_Description):
    """A chain of sections on a fixed base. Unbent, it points along +Z of its base.

    M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ, with q and τ of shape (3n,), section by section from the base.
    """

    name: Text = Field("arm", description="what plots and messages call the arm")
    description: Text = Field("", description="what this arm is and where its numbers come from")
    sections: tuple[Section, ...] = Field(min_length=1, description="from the base to the tip")
    inertia: InertiaModel = Field(
        default_factory=Integral, description="how a section's mass is modelled; integral if left out"
    )
    gravity: Vector = Field((0.0, 0.0, 9.81), description="m/s², world frame; +Z: the unbent arm hangs")
    base_rotation: Vector = Field(
        (0.0, 0.0, 0.0), description="rad, rotation vector that turns the world frame into the base frame"
    )
    payload: Payload | None = Field(None, description="what the tip carries; nothing if left out")

    @field_validator("sections", mode="before")
    @classmethod
    def _is_a_list(cls, sections: Any) -> Any:
        if isinstance(sections, (str, dict, Section)) or not hasattr(sections, "__iter__"):
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
    def base_orientation(self) -> NDArray[np.float64]:
        """(3, 3): rotation matrix from the base frame to the world frame."""
        return _rotation(self.base_rotation)

    @cached_property
    def base_gravity(self) -> NDArray[np.float64]:
        """(3,): gravity in the base frame, m/s²."""
        return self.base_orientation.T @ np.array(self.gravity)

    def muscle_forces(self, forces: ArrayLike) -> NDArray[np.float64]:
        """τ from the forces of all muscles, section by section: (..., muscles) -> (..., 3n), N, positive extends."""
        forces = np.asarray(forces, dtype=float)
        counts = [len(section.muscle_map) for section in self.sections]
        total = sum(counts)
        if forces.shape[-1:] != (total,):
            raise ValueError(
                f"forces has shape {forces.shape}: must be (..., {total}) for the {total} muscles of {self.name!r}"
            )
        parts = np.split(forces, np.cumsum(counts)[:-1], axis=-1)
        return np.concatenate(
            [part @ section.muscle_map for part, section in zip(parts, self.sections, strict=True)], axis=-1
        )

    def muscle_lengths(self, q: ArrayLike) -> NDArray[np.float64]:
        """Length changes of all muscles: (..., 3n) -> (..., muscles), m."""
        q = np.asarray(q, dtype=float)
        if q.shape[-1:] != (3 * self.n,):
            raise ValueError(
                f"q has shape {q.shape}: must be (..., {3 * self.n}) for the {self.n} sections of {self.name!r}"
            )
        return np.concatenate(
            [q[..., 3 * i : 3 * i + 3] @ section.muscle_map.T for i, section in enumerate(self.sections)], axis=-1
        )


def _rotation(vector: Vector) -> NDArray[np.float64]:
    x, y, z = vector
    angle = math.sqrt(x * x + y * y + z * z)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sinc(angle / np.pi) * cross + np.sinc(angle / FULL_TURN) ** 2 / 2 * cross @ cross
