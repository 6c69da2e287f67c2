"""What descriptions have in common: frozen, validated, and refused in one sentence when they cannot be."""

from __future__ import annotations

import contextlib
import difflib
import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Annotated, Any, Self, dataclass_transform, get_args, get_origin

import numpy as np
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import CoreSchema, core_schema

from continuarm.arms.field_paths import changed_fields, fields_of
from continuarm.common.text import printable, short, shown

if TYPE_CHECKING:  # the metaclass has no public name that a type checker accepts as a base
    from pydantic._internal._model_construction import ModelMetaclass
else:
    ModelMetaclass = type(BaseModel)


class DescriptionError(ValueError):
    """An arm, section or model that cannot be, in one sentence: the field, its value, what is allowed.

    Examples
    --------
    >>> try:
    ...     ca.Payload(mass=-1.0)
    ... except ca.DescriptionError as error:
    ...     print(error)
    Payload: mass = -1.0: must be a number from 1e-12 to 1e6 kg
    """


class FieldError(ValueError):
    """A field that is wrong only in view of the others."""

    def __init__(self, field: str, value: Any, allowed: str) -> None:
        super().__init__(allowed)
        self.field, self.value = field, value


def _path(location: tuple[int | str, ...], model: type[BaseModel]) -> str:
    """('sections', 2, 'mass') -> 'section 3: mass': sections are counted from 1, as in the names of muscles.

    In a file an entry may stand for several sections: its entries are counted.
    """
    if location[:1] == ("sections",) and len(location) > 1 and isinstance(location[1], int):
        counted = "[[sections]] entry" if _description_at(location[:1], model).__name__.endswith("Entry") else "section"
        inside = _path(location[2:], model)
        return f"{counted} {location[1] + 1}" + (f": {inside}" if inside else "")
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


_MODELS = ("integral", "centre-of-gravity", "point-mass")
_MODELS_ALLOWED = "must be 'integral', 'centre-of-gravity' or 'point-mass'"
_MOST_FAULTS = 5
_LONGEST_FIELD = 100  # characters of a stranger's field that are shown


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
    if kind == "union_tag_not_found" and not isinstance(value, dict):  # such as the class of a model
        kind, message = "model_attributes_type", _PLAIN["model_attributes_type"]
    if kind == "union_tag_invalid":
        location, value = (*location, "model"), context["tag"]
        message += did_you_mean(value, _MODELS)
    elif isinstance(context.get("error"), FieldError):
        location, value = (*location, context["error"].field), context["error"].value
    place = _path(_without_tag(location), model)
    if kind == "missing":
        return f"{place} is missing"
    if kind == "union_tag_not_found":
        return f"{place}.model is missing: {_MODELS_ALLOWED}"
    if kind == "model_type":
        wanted = _description_at(location, model)
        name, fields = wanted.__name__.removesuffix("Entry"), ", ".join(wanted.model_fields)
        message = f"must be {name}(...), in a file a table of the fields {fields}"
    if kind == "extra_forbidden":
        known = list(_description_at(location[:-1], model).model_fields)
        if _is_arm_field_in_entry(location, model):
            return f"{place} is a field of the arm: must stand above the first [[sections]] of the file"
        hint = did_you_mean(str(location[-1]), known) or f"; known: {', '.join(known)}"
        return f"{shown(place, _LONGEST_FIELD)} is not a known field{hint}"
    return f"{place} = {short(value)}: {message}" if place else f"{short(value)}: {message}"


_PLAIN = {
    "bool_type": "must be true or false",
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


def _is_arm_field_in_entry(location: tuple[int | str, ...], model: type[BaseModel]) -> bool:
    """Whether a field of the arm was written into an entry of a file, as TOML takes all that is below [[sections]]."""
    inside = len(location) == 3 and location[0] == "sections" and location[2] in model.model_fields
    return inside and _description_at(location[:1], model).__name__.endswith("Entry")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about a word that is not known: which one may have been meant, or nothing.

    Capitals do not count in how near two words are.
    """
    folded = {each.casefold(): each for each in known}
    near = difflib.get_close_matches(word.casefold(), folded, n=1)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def _description_at(location: tuple[int | str, ...], model: type[BaseModel]) -> type[BaseModel]:
    """The kind of description at a location."""
    kinds = [model]
    for part in location:
        if part in _MODELS:
            kinds = [kind for kind in kinds if kind.model_fields["model"].default == part]
        elif isinstance(part, str):
            kinds = _described(kinds[0].model_fields[part].annotation)
    return kinds[0]


def _described(annotation: Any) -> list[type[BaseModel]]:
    """The descriptions an annotation such as `tuple[Section, ...]` or `Muscles | None` speaks of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [kind for argument in get_args(annotation) for kind in _described(argument)]


def _paths_to(name: str, model: type[BaseModel]) -> list[str]:
    """Where descriptions inside a description have a field of a name: 'sections[*].mass', 'payload.mass'."""
    found = []
    for field, each in model.model_fields.items():
        many = "[*]" if get_origin(each.annotation) is tuple else ""
        if any(name in kind.model_fields for kind in _described(each.annotation)):
            found.append(f"{field}{many}.{name}")
    return found


@contextlib.contextmanager
def _in_one_sentence(model: type[BaseModel]) -> Iterator[None]:
    """Turns pydantic's report into one sentence."""
    try:
        yield
    except ValidationError as error:
        raise DescriptionError(f"{model.__name__}: {one_sentence(error, model)}") from None


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(Field,))
class _ByName(ModelMetaclass):
    """Makes a description from its fields, given by name."""

    def __dir__(cls) -> list[str]:
        """The methods of a description: help() has the rest in its first lines, and is not about pydantic."""
        return [name for name, member in _own_members(cls).items() if not _is_computed(member)]

    if not TYPE_CHECKING:  # a type checker takes its word for what is made, and would no longer look at __init__

        def __call__(cls, *args: Any, **fields: Any) -> Any:
            if args:
                names = ", ".join(f"{name}=..." for name in cls.model_fields)
                raise TypeError(f"{cls.__name__} takes its fields by name: {cls.__name__}({names})")
            with _in_one_sentence(cls):
                return super().__call__(**fields)


def _own_members(cls: type) -> dict[str, Any]:
    """Methods and properties that descriptions define under a public name; what pydantic brings has others."""
    owners = [owner for owner in reversed(cls.__mro__) if isinstance(owner, _ByName)]
    members = {name: member for owner in owners for name, member in vars(owner).items()}
    return {name: member for name, member in members.items() if name[0] != "_" and not hasattr(BaseModel, name)}


def _is_computed(member: Any) -> bool:
    return isinstance(member, (property, cached_property))


_FIELDS = "\n\nFields:\n"
_EXAMPLES = "\n\nExamples\n"
_COMPUTED = "\n\nComputed from them:\n"


def _without_fields(schema: dict[str, Any]) -> None:
    """A schema describes every field in its own place, and has no examples in Python."""
    if "description" in schema:
        schema["description"] = schema["description"].split(_FIELDS)[0].split(_EXAMPLES)[0]


class Description(BaseModel, metaclass=_ByName):
    """A frozen, validated set of fields; changed only by making another."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_without_fields)

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """What help() shows: the fields with their own descriptions, and a signature without pydantic's annotations."""
        fields = cls.model_fields.items()
        described = {name: field.description for name, field in fields if field.description}
        members = _own_members(cls).items()
        computed = {name: inspect.getdoc(member) for name, member in members if _is_computed(member)}
        cls.__doc__ = inspect.cleandoc(cls.__doc__ or "")
        for heading, texts in ((_FIELDS, described), (_COMPUTED, computed)):
            if texts:
                cls.__doc__ += heading + "\n".join(f"    {name}: {text}" for name, text in texts.items())
        missing = inspect.Parameter.empty
        defaults = {
            name: missing if field.is_required() else field.get_default(call_default_factory=True)
            for name, field in fields
        }
        by_name = inspect.Parameter.KEYWORD_ONLY
        cls.__signature__ = inspect.Signature(
            [inspect.Parameter(name, by_name, default=default) for name, default in defaults.items()]
        )

    @classmethod
    def model_validate(cls, *given: Any, **options: Any) -> Self:
        """A description from a table of its fields."""
        with _in_one_sentence(cls):
            return super().model_validate(*given, **options)

    @classmethod
    def model_validate_json(cls, *given: Any, **options: Any) -> Self:
        """A description from a JSON object of its fields."""
        with _in_one_sentence(cls):
            return super().model_validate_json(*given, **options)

    def replace(self, changes: Mapping[str, Any] | None = None, /, **fields: Any) -> Self:
        """The same description with some fields changed, validated again.

        Parameters
        ----------
        changes : mapping, optional
            Fields of fields, by their path in Python: {"sections[1].mass": 0.2, "sections[*].stiffness": 2000,
            "payload.mass": 0.1}. [1] is the second entry, [-1] the last, [*] is every one. Made one after the other,
            after `fields`.
        **fields
            Fields of this description: gravity=(0, 0, -9.81).

        Returns
        -------
        of the same kind
        """
        kind = type(self)
        for name in fields.keys() - kind.model_fields.keys():
            inside = [f"replace({{'{path}': ...}})" for path in _paths_to(name, kind)]
            if inside:
                raise DescriptionError(
                    f"{kind.__name__}: {name} is not a known field; did you mean {' or '.join(inside)}?"
                )
        if changes is not None and not isinstance(changes, Mapping):
            raise DescriptionError(
                f"{kind.__name__}: changes = {short(changes)}: must be values by path, {{path: value}}"
            )
        try:
            return kind(**changed_fields(self._fields() | fields, changes or {}))
        except DescriptionError:
            raise
        except ValueError as error:
            raise DescriptionError(f"{kind.__name__}: {error}") from None

    def __dir__(self) -> list[str]:
        """Fields, properties and methods, which an editor may complete."""
        return [*type(self).model_fields, *_own_members(type(self))]

    def _fields(self) -> dict[str, Any]:
        return fields_of(self)

    def _words(self) -> str:
        """What repr() says of it: the fields that are not at their default."""
        fields = type(self).model_fields.items()
        own = {name: getattr(self, name) for name, each in fields}
        changed = [name for name, each in fields if own[name] != each.get_default(call_default_factory=True)]
        return ", ".join(f"{name}={short(own[name])}" for name in changed)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._words()})"

    __str__ = __repr__

    # What an instance has cached (matrices, compiled handles) belongs to it alone: never copied, never pickled.
    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: Any = None) -> Self:
        return self

    def model_copy(self, *, update: Any = None, deep: bool = False) -> Self:
        """The same as replace: pydantic's own would keep what was cached before the change."""
        return self.replace(**(update or {}))

    def copy(self, **options: Any) -> Self:
        """The same as model_copy."""
        return self.model_copy(**options)

    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        return state | {"__dict__": self._fields()}

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
            raise DescriptionError(
                f"{kind}: {shown(name, _LONGEST_FIELD)} is not a known field{did_you_mean(name, known)}"
            )
        raise DescriptionError(f"{kind}: {name} cannot be changed in place: use replace({name}=...) for a changed copy")


@dataclass(frozen=True)
class Unit:
    """The unit of all numbers of a field."""

    unit: str = ""


@dataclass(frozen=True)
class Within:
    """What a number may be: from the least to the most, both allowed; the hint ends the sentence about another."""

    least: float
    most: float
    unit: str = ""
    hint: str = ""

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        limits = core_schema.float_schema(ge=self.least, le=self.most)  # for the JSON schema
        return core_schema.no_info_before_validator_function(self._checked, limits)

    def _checked(self, value: Any) -> float:
        if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0 and not np.ma.is_masked(value):
            value = value.item()
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or not self.least <= value <= self.most:
            allowed = f"must be a number from {written(self.least)} to {written(self.most)} {self.unit}"
            raise ValueError(allowed.rstrip() + self.hint)  # not a TypeError: pydantic reports only ValueError
        return float(value)


def written(limit: float) -> str:
    """1e-06 -> 1e-6, and a full turn as 2π."""
    if abs(limit) == math.tau:
        return "2π" if limit > 0 else "-2π"
    return re.sub(r"e\+?(-?)0*", r"e\1", f"{limit:g}")


def _text(value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError("must be text that UTF-8 can write") from None
    return value


def numbers(least: int, most: int | None = None) -> Callable[[Any], Any]:
    """Refuses what is not a list of so many entries; takes NumPy arrays, which pydantic does not."""
    allowed = f"must be a list of {least} numbers" if most == least else f"must be a list of {least} or more numbers"

    def check(value: Any) -> Any:
        entries = value.tolist() if isinstance(value, np.ndarray) else value
        if not isinstance(entries, (list, tuple)) or not least <= len(entries) <= (most or len(entries)):
            raise ValueError(allowed)
        return entries

    return check


def _name(value: str) -> str:
    if len(value) > LONGEST_NAME:
        raise ValueError(f"must be at most {LONGEST_NAME} characters")
    return value


LONGEST_NAME = 1000
"""Characters of a name: plots and tables show it whole."""

Text = Annotated[str, Field(strict=True), AfterValidator(_text)]
Name = Annotated[Text, Field(json_schema_extra={"maxLength": LONGEST_NAME}), AfterValidator(_name)]
