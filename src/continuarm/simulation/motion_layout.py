"""The layout of a motion as named arrays, of files and datasets: variables, dimensions, coordinates, units, texts."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Container
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable, short
from continuarm.simulation.motion import Motion

if TYPE_CHECKING:
    import xarray

FORMAT = "continuarm motion 2"

_EQUATION = "M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ"

VARIABLES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "time": ((), "s", "time since the start"),
    "q": (("coordinate",), "m", "length changes of the muscles at 0°, 120° and 240°, section by section"),
    "qd": (("coordinate",), "m/s", "rates of q"),
    "tau": (("coordinate",), "N", "what all muscles do together over q, positive extends"),
    "pressures": (("muscle",), "Pa", "pressures in the muscles"),
    "hysteresis": (("muscle",), "N", "force by which hysteresis and creep hold each muscle back"),
    "tip_moment": (("axis",), "N m", "moment on the last tip from outside, world axes"),
    "tip_force": (("axis",), "N", "force on the last tip from outside, world axes"),
    "tip_positions": (("section", "axis"), "m", "positions of the section tips in the world frame"),
    "tip_orientations": (("section", "row", "column"), "1", "rotations from the section tips to the world frame"),
    "kinetic_energy": ((), "J", "kinetic energy"),
    "gravitational_energy": ((), "J", "gravitational energy, zero at the base"),
    "elastic_energy": ((), "J", "elastic energy of muscles and stops"),
    "supplied_energy": ((), "J", "work of pressures, forces and wrench since the start"),
    "dissipated_energy": ((), "J", "energy taken by dampers, hysteresis and creep since the start"),
}
"""Of every variable with a row for each time: the dimensions of a row, unit, meaning."""

SENSITIVITIES = "q_sensitivities"
"""The variable of a motion that was computed with them."""

FOLLOWED: dict[str, tuple[tuple[str, ...], str, str]] = {
    "reference": (("axis",), "m", "where the last tip was to be, in the world frame"),
    "reference_q": (("coordinate",), "m", "what q was to be"),
    "command": (("muscle",), "Pa", "pressures that the controller commanded, before the valves"),
    "estimate": (("coordinate",), "m", "q as the observer believed it to be"),
}
"""The same of what a closed loop followed, commanded and believed: its `Motion.followed`."""


class Beside(NamedTuple):
    """What a motion has beside the variables that all motions have."""

    parameters: tuple[str, ...] = ()  # by which it has slopes
    followed: tuple[str, ...] = ()  # names of FOLLOWED

    @classmethod
    def of(cls, motion: Motion) -> Beside:
        """That of a motion."""
        return cls((*motion.sensitivities,), tuple(name for name in FOLLOWED if name in motion.followed))

    @classmethod
    def read(cls, parameters: str | None, followed: str | None) -> Beside:
        """What the texts of a file say; nothing where they say nothing."""
        return cls(_names("sensitivities", parameters or "[]"), _names("followed", followed or "[]", FOLLOWED))

    @property
    def texts(self) -> dict[str, str]:
        """The same as texts of a file, as far as there is something to say."""
        lists = {"sensitivities": self.parameters, "followed": self.followed}
        return {name: json.dumps(names) for name, names in lists.items() if names}

    def __str__(self) -> str:
        return f"the sensitivities {list(self.parameters)} and of a closed loop {list(self.followed)}"


NOTHING = Beside()


def _names(attribute: str, text: str, known: Container[str] | None = None) -> tuple[str, ...]:
    found = json.loads(text)
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found) or len({*found}) < len(found):
        raise ValueError(f"the attribute {attribute} is not a JSON list of names")
    strange = [name for name in found if known is not None and name not in known]
    if strange:
        raise ValueError(f"the attribute {attribute} has {short(strange[0])}: must be of {', '.join(FOLLOWED)}")
    return tuple(found)


def variables_of(beside: Beside = NOTHING) -> dict[str, tuple[tuple[str, ...], str, str]]:
    """VARIABLES, and those beside them that a motion has."""
    meaning = "slopes of q by numbers of the arm, for one SI unit of each"
    slopes = {SENSITIVITIES: (("parameter", "coordinate"), "m", meaning)} if beside.parameters else {}
    return VARIABLES | slopes | {name: FOLLOWED[name] for name in beside.followed}


def dimension_sizes(arm: Arm, beside: Beside = NOTHING) -> dict[str, int]:
    """Of every dimension but time."""
    more = {"parameter": len(beside.parameters)} if beside.parameters else {}
    return more | {
        "coordinate": 3 * arm.n,
        "muscle": len(arm.muscle_names),
        "section": arm.n,
        "axis": 3,
        "row": 3,
        "column": 3,
    }


def row_shapes(arm: Arm, beside: Beside = NOTHING) -> dict[str, tuple[int, ...]]:
    """The shape of a row of every variable."""
    sizes, variables = dimension_sizes(arm, beside), variables_of(beside)
    return {name: tuple(sizes[each] for each in dimensions) for name, (dimensions, _, _) in variables.items()}


def coordinate_labels(arm: Arm, beside: Beside = NOTHING) -> dict[str, list[Any]]:
    """What stands along the dimensions: l12 is muscle 2 of section 1, q12 a coordinate that is no muscle's length."""
    more: dict[str, list[Any]] = {"parameter": list(beside.parameters)} if beside.parameters else {}
    return more | {
        "coordinate": arm.coordinate_names,
        "muscle": arm.muscle_names,
        "section": list(range(1, arm.n + 1)),
        "axis": ["x", "y", "z"],
    }


def variable_values(motion: Motion) -> dict[str, Floats]:
    """All variables by name, time last."""
    values = {name: getattr(motion, name) for name in ("q", "qd", "tau", "pressures", "hysteresis")}
    values |= {"tip_moment": motion.wrench[:, :3], "tip_force": motion.wrench[:, 3:]}
    values |= {"tip_positions": motion.tips, "tip_orientations": motion.tip_poses[..., :3, :3]}
    if motion.sensitivities:
        values[SENSITIVITIES] = np.stack(list(motion.sensitivities.values()), axis=1)
    values |= motion.followed
    return values | {f"{name}_energy": each for name, each in motion.energies.items()} | {"time": motion.t}


def descriptive_texts(arm: Arm, beside: Beside = NOTHING) -> dict[str, str]:
    """What is said of every motion of an arm."""
    return beside.texts | {
        "Conventions": "CF-1.11",
        "title": f"Motion of {printable(arm.name)}",
        "source": f"continuarm {importlib.metadata.version('continuarm')}",
        "equation_of_motion": _EQUATION,
        "format": FORMAT,
        "arm": arm.model_dump_json(),
    }


def closing_texts(record: dict[str, Any], stopped: str) -> dict[str, str]:
    """What is said of a motion that has come to its end: the solver's record as JSON, and why it stopped early."""
    try:
        written = json.dumps(record, default=lambda value: value.tolist())  # numbers and arrays of NumPy
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise ValueError(f"record = {short(record)}: must be what JSON can hold") from None
    return {"record": written, "stopped": stopped}


def dataset_of(motion: Motion) -> xarray.Dataset:
    """The motion as a dataset: what xarray reads from its file; ValueError says how to get xarray."""
    try:
        import xarray
    except ImportError:
        raise ValueError("to_xarray needs the package xarray: pip install 'continuarm[xarray]'") from None

    arm, values, beside = motion.arm, variable_values(motion), Beside.of(motion)
    coordinates = {
        name: (name, np.array(each, np.int32 if isinstance(each[0], int) else object))
        for name, each in coordinate_labels(arm, beside).items()
    }
    variables = {
        name: (("time", *dimensions), np.array(values[name]), {"units": unit, "long_name": meaning})
        for name, (dimensions, unit, meaning) in variables_of(beside).items()
    }
    texts = descriptive_texts(arm, beside) | closing_texts(motion.record, motion.stopped)
    return xarray.Dataset(variables, coordinates, texts)
