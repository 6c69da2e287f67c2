"""Numbers of an arm by name, and the arm in which one of them is moved a little: what derivatives are taken with.

A name is a path as `Arm.replace` takes it, sections[1].mass, payload.mass or gravity[2]; a field of sections alone is
that of all of them together, stiffness for sections[*].stiffness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from numbers import Real
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel

from continuarm.arms.arm import Arm, Payload
from continuarm.arms.description import Unit, Within, did_you_mean
from continuarm.arms.field_paths import fields_of, steps_of
from continuarm.arms.section import Section
from continuarm.common.argument_checks import listed
from continuarm.common.text import short

SECTION_FIELDS = tuple(name for name in Section.model_fields if name != "muscles")
ARM_FIELDS = ("gravity", "base_rotation", "payload", "inertia")
KNOWN = (
    f"a field of all sections ({', '.join(SECTION_FIELDS)}), of one as sections[0].mass, "
    "or payload.mass, payload.offset[0], gravity[2], base_rotation[0]"
)
LEFT_OUT_AT_ZERO = {
    "valve_lag": "a valve without a lag has no pressure of its own",
    "stop_stiffness": "an arm without stops has none to change",
    "hysteresis[0]": "a muscle without hysteresis has no force of it",
}
"""Numbers that say whether something is there at all, and why there is no derivative where it is not."""


def _spring(section: Section) -> float:
    """About K_e of a muscle, N/m."""
    return float(section.stiffness_matrix.trace()) / 3


SIZES: dict[str, Callable[[Section], float]] = {
    "gravity": lambda s: 9.81,
    "mass": lambda s: s.mass,
    "offset": lambda s: s.length,
    "length_range": lambda s: s.length,
    "stiffness": _spring,
    "damping": lambda s: 0.05 * _spring(s),
    "dead_zone": lambda s: 1e5,
    "pressure_stiffness": lambda s: 1e-6 * _spring(s),
    "hardening": lambda s: _spring(s) / s.length**2,
    "preload": lambda s: 0.01 * _spring(s) * s.length,
    "hysteresis": lambda s: 100.0,
    "shaking": lambda s: 0.05,
}
"""How large a number would be, in its unit, where it is 0; 1 of what is not here, as of angles."""

Described = TypeVar("Described", bound=BaseModel)


def parameter_names(argument: str, given: str | Iterable[str]) -> list[str]:
    """Names as a list: of text, those between its commas; none twice."""
    each = given.split(",") if isinstance(given, str) else given
    names = ["".join(name.split()) for name in listed(argument, each, str, "the name of a number of the arm")]
    if "" in names:
        raise ValueError(f"{argument} = {short(given)}: must have a name between commas")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{argument}: {short(name)} is named more than once")
    return names


def moved(arm: Arm, name: str, by: complex, argument: str = "name") -> Arm:
    """The arm with a number, or several of one name, larger by so much; unchecked, so that it may be complex."""
    try:
        return _moved(arm, _path(name), by, "")
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from None


def size_of(arm: Arm, name: str) -> float:
    """How large a number is, in its unit, the largest of several; never 0."""
    found: dict[str, float] = {}
    steps = _path(name)
    _moved(arm, steps, 0.0, "", found)
    largest = max(map(abs, found.values()))
    field = next((each for each in reversed(steps) if isinstance(each, str) and each != "*"), "")
    return largest or SIZES.get(field, lambda s: 1.0)(arm.sections[0])


def number_of(arm: Arm, name: str, argument: str = "name") -> float:
    """The number of a name; ValueError where it stands for several that differ."""
    (place, value), *others = _numbers(arm, name, argument).items()
    for other, another in others:
        if another != value:
            differ = f"{place} is {value:g} and {other} is {another:g}"
            raise ValueError(f"{argument}: {short(name)}: {differ}: must name one of them")
    return value


def _numbers(arm: Arm, name: str, argument: str) -> dict[str, float]:
    """The numbers that a name stands for, by their own names."""
    found: dict[str, float] = {}
    try:
        _moved(arm, _path(name), 0.0, "", found)
    except ValueError as error:
        raise ValueError(f"{argument}: {error}") from None
    return found


def unit_of(name: str) -> str:
    """The unit of a number by its name, as its field says; '' of a number without, and of several of different ones."""
    kinds: list[_Kind] = [(Arm, ())]
    for step in _path(name):
        kinds = [each for kind in kinds for each in _inside(*kind, step)]
    units = {note.unit for _, notes in kinds for note in notes if isinstance(note, (Unit, Within))}
    return units.pop() if len(units) == 1 else ""


_Kind = tuple[Any, tuple[Any, ...]]
"""A type of a field, and what is noted of it."""


def _inside(kind: Any, notes: tuple[Any, ...], step: str | int) -> Iterator[_Kind]:
    """What is found a step into values of a type."""
    if isinstance(kind, type) and issubclass(kind, BaseModel) and step in kind.model_fields:
        field = kind.model_fields[str(step)]
        yield from _plain(field.annotation, tuple(field.metadata))
    elif get_origin(kind) is tuple:
        entries = get_args(kind)
        if entries[-1] is Ellipsis or step == "*":
            entries = tuple(each for each in entries if each is not Ellipsis)
        else:
            entries = entries[int(step) :][:1]
        for entry in entries:
            yield from _plain(entry, notes)


def _plain(kind: Any, notes: tuple[Any, ...]) -> Iterator[_Kind]:
    """The types of a union, out of `Annotated`."""
    if get_origin(kind) is Annotated:
        inner, *more = get_args(kind)
        yield from _plain(inner, (*notes, *more))
    elif get_origin(kind) in (Union, UnionType):
        for each in get_args(kind):
            yield from _plain(each, notes)
    else:
        yield kind, notes


def path_of(name: str) -> list[str]:
    """The paths by which `Arm.replace` sets what a name stands for: one, or two of a symmetric matrix."""
    steps = _path(name)
    written = ["".join(f"[{step}]" if isinstance(step, int) or step == "*" else f".{step}" for step in steps)[1:]]
    if len(steps) > 2 and all(isinstance(step, int) for step in steps[-2:]) and steps[-3] in ("stiffness", "damping"):
        i, j = (int(step) for step in steps[-2:])
        written += [written[0].removesuffix(f"[{i}][{j}]") + f"[{j}][{i}]"] if i % 3 != j % 3 else []
    return written


def require_apart(arm: Arm, argument: str, names: Iterable[str]) -> None:
    """Raises ValueError where two names have a number in common, which then has no value of its own."""
    named: dict[str, str] = {}
    for name in names:
        for place in _numbers(arm, name, argument):
            other = named.setdefault(place, name)
            if other != name:
                raise ValueError(f"{argument}: {short(other)} and {short(name)} both set {place}: must be set once")


def unchecked(described: Described, **fields: Any) -> Described:
    """A description with some fields changed and not validated, as no complex number would be."""
    return type(described).model_construct(**fields_of(described) | fields)


def _path(name: str) -> list[str | int]:
    """The steps of a path from the arm on."""
    steps = steps_of(name)
    if steps[0] in SECTION_FIELDS and steps[0] not in ARM_FIELDS:
        return ["sections", "*", *steps]
    inside = steps[2] if steps[0] == "sections" and len(steps) > 2 else None
    if steps[0] not in ARM_FIELDS and inside not in Section.model_fields:
        word = str(steps[0] if inside is None else inside)
        raise ValueError(f"{short(name)} is no number of an arm{did_you_mean(word, SECTION_FIELDS)}: must be {KNOWN}")
    return steps


def _moved(old: Any, steps: list[str | int], by: complex, path: str, found: dict[str, float] | None = None) -> Any:
    """The old value with `by` added at the end of some steps into it; the numbers there go to `found`."""
    if not steps:
        return _number(old, by, path, found)
    step, rest = steps[0], steps[1:]
    if path == "payload" and old is None and steps == ["mass"]:  # the first gram of a payload counts as well
        old = Payload.model_construct(mass=0.0, offset=(0.0, 0.0, 0.0))
    if isinstance(step, int) or step == "*":
        if not isinstance(old, tuple):
            raise ValueError(f"{path}[{step}]: {path} is {short(old)}, which has no entries")
        count = len(old)
        if (isinstance(step, int) and not -count <= step < count) or not count:
            entries = f"{path}[0] to {path}[{count - 1}], or {path}[*]" if count else f"of an arm that has a {path}"
            raise ValueError(f"{path}[{step}]: must be {entries}")
        chosen = range(count) if step == "*" else [step % count]
        if _is_matrix(old) and len(rest) == 1:
            if isinstance(step, int) and isinstance(rest[0], int):
                return _symmetric(old, step, rest[0], by, path, found)
            if isinstance(step, int) or isinstance(rest[0], int):  # a row alone would not stay symmetric
                raise ValueError(f"{path}[{step}][{rest[0]}]: must be one entry, {path}[0][1], or all, {path}[*][*]")
        return tuple(
            _moved(each, rest, by, f"{path}[{k}]", found) if k in chosen else each for k, each in enumerate(old)
        )
    if not isinstance(old, BaseModel):
        raise ValueError(f"{path}.{step}: {path} is {short(old)}: must be of an arm that has one")
    if step not in type(old).model_fields:
        known = type(old).model_fields
        raise ValueError(f"{path}.{step} is not a known field{did_you_mean(step, known)}; known: {', '.join(known)}")
    value = _moved(getattr(old, step), rest, by, f"{path}.{step}" if path else step, found)
    return unchecked(old, **{step: value})


def _number(old: Any, by: complex, path: str, found: dict[str, float] | None) -> Any:
    if isinstance(old, tuple) and old:
        raise ValueError(f"{path} is {len(old)} numbers: must name one of them, as {path}[0], or {path}[*] for all")
    if isinstance(old, bool) or not isinstance(old, Real):
        raise ValueError(f"{path} is {short(old)}: must be of an arm that has a number there")
    field = path.rpartition(".")[2]
    if not old and field in LEFT_OUT_AT_ZERO:
        raise ValueError(f"{path} is 0: must be above 0, {LEFT_OUT_AT_ZERO[field]}")
    if found is not None:
        found[path] = float(old)
    return old + by


def _is_matrix(value: tuple[Any, ...]) -> bool:
    """Whether it is a stiffness or damping over q, which stays symmetric; creep is pairs."""
    return len(value) == 3 and all(isinstance(row, tuple) and len(row) == 3 for row in value)


def _symmetric(old: Any, i: int, j: int, by: complex, path: str, found: dict[str, float] | None) -> Any:
    """A matrix with two entries that are one number moved."""
    if not (-3 <= i < 3 and -3 <= j < 3):
        raise ValueError(f"{path}[{i}][{j}]: must be {path}[0][0] to {path}[2][2]")
    places = {(i % 3, j % 3), (j % 3, i % 3)}
    rows = [[_number(old[r][c], by if (r, c) in places else 0.0, path, None) for c in range(3)] for r in range(3)]
    if found is not None:
        found[f"{path}[{min(i % 3, j % 3)}][{max(i % 3, j % 3)}]"] = float(old[i][j])
    return tuple(map(tuple, rows))
