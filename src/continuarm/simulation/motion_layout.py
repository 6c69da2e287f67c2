"""The layout of a motion as named arrays, of files and datasets: variables, dimensions, coordinates, units, texts."""

from __future__ import annotations

import importlib.metadata
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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


def variables_of(parameters: Sequence[str]) -> dict[str, tuple[tuple[str, ...], str, str]]:
    """VARIABLES, with the slopes of a motion by parameters where there are any."""
    meaning = "slopes of q by numbers of the arm, for one SI unit of each"
    slopes = {SENSITIVITIES: (("parameter", "coordinate"), "m", meaning)}
    return VARIABLES | slopes if parameters else VARIABLES


def dimension_sizes(arm: Arm, parameters: Sequence[str] = ()) -> dict[str, int]:
    """Of every dimension but time."""
    more = {"parameter": len(parameters)} if parameters else {}
    return more | {
        "coordinate": 3 * arm.n,
        "muscle": len(arm.muscle_names),
        "section": arm.n,
        "axis": 3,
        "row": 3,
        "column": 3,
    }


def row_shapes(arm: Arm, parameters: Sequence[str] = ()) -> dict[str, tuple[int, ...]]:
    """The shape of a row of every variable."""
    sizes, variables = dimension_sizes(arm, parameters), variables_of(parameters)
    return {name: tuple(sizes[each] for each in dimensions) for name, (dimensions, _, _) in variables.items()}


def coordinate_labels(arm: Arm, parameters: Sequence[str] = ()) -> dict[str, list[Any]]:
    """What stands along the dimensions: l12 is muscle 2 of section 1, q12 a coordinate that is no muscle's length."""
    more: dict[str, list[Any]] = {"parameter": list(parameters)} if parameters else {}
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
    return values | {f"{name}_energy": each for name, each in motion.energies.items()} | {"time": motion.t}


def descriptive_texts(arm: Arm, parameters: Sequence[str] = ()) -> dict[str, str]:
    """What is said of every motion of an arm."""
    more = {"sensitivities": json.dumps(list(parameters))} if parameters else {}
    return more | {
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

    arm, values, parameters = motion.arm, variable_values(motion), list(motion.sensitivities)
    coordinates = {
        name: (name, np.array(each, np.int32 if isinstance(each[0], int) else object))
        for name, each in coordinate_labels(arm, parameters).items()
    }
    variables = {
        name: (("time", *dimensions), np.array(values[name]), {"units": unit, "long_name": meaning})
        for name, (dimensions, unit, meaning) in variables_of(parameters).items()
    }
    texts = descriptive_texts(arm, parameters) | closing_texts(motion.record, motion.stopped)
    return xarray.Dataset(variables, coordinates, texts)
