"""What a sweep found, as named arrays: a dataset of xarray, and the bytes of a NetCDF-4 file that reads as the same."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.simulation.motion_index import MOST_TEXT
from continuarm.sweeps.identity import VERSION
from continuarm.sweeps.outputs import Variable
from continuarm.sweeps.points import Points

if TYPE_CHECKING:
    import xarray

FORMAT = "continuarm sweep 1"
ERROR = "error"
_WHY = "why a point has no numbers; empty where it has"
_SHORTEST_MESSAGE = 16


@dataclass(frozen=True, eq=False)
class Swept:
    """The numbers of all points, (points, ...) each, NaN where a point failed, and why it did."""

    points: Points
    variables: dict[str, Variable]
    labels: dict[str, list[Any]]
    values: dict[str, Floats]
    errors: tuple[str, ...]
    identity: dict[str, str]
    title: str

    @property
    def failures(self) -> dict[int, str]:
        """Messages by the numbers of the points that failed, short enough for one text of a file."""
        found = {number: text for number, text in enumerate(self.errors) if text}
        most = max(_SHORTEST_MESSAGE, MOST_TEXT // 2 // max(1, len(found)) - 12)
        return {number: text[:most] for number, text in found.items()}

    @property
    def texts(self) -> dict[str, str]:
        """What is said of it, attributes of the file."""
        shapes = {name: self.values[name].shape[1:] for name in self.variables}
        layout = {name: asdict(each) | {"shape": shapes[name]} for name, each in self.variables.items()}
        return {
            "Conventions": "CF-1.11",
            "title": self.title,
            "source": f"continuarm {self.identity[VERSION]}",
            "format": FORMAT,
            "identity": json.dumps(self.identity),
            "layout": json.dumps({"variables": layout, "labels": self.labels}),
            "failures": json.dumps(self.failures, ensure_ascii=False),
        }

    def arrays(self) -> Iterator[tuple[str, tuple[str, ...], Any, dict[str, str]]]:
        """Name, dimensions, values and attributes of every array: coordinates first, then variables, then errors."""
        points = self.points
        units = dict(zip(points.names, points.units, strict=False))  # of a function there are none
        for name, own in zip(points.names, points.values, strict=True):
            about = {"units": units[name]} if units.get(name) else {}
            yield name, (name,) if points.grid else points.dimensions, own, about
        for name, labels in self.labels.items():
            kind = object if isinstance(labels[0], str) else np.int32 if isinstance(labels[0], int) else float
            yield name, (name,), np.array(labels, kind), {"units": "s"} if name == "time" else {}
        for name, variable in self.variables.items():
            about = {"units": variable.unit, "long_name": variable.meaning}
            value = self.values[name].reshape(*points.shape, *self.values[name].shape[1:])
            yield name, (*points.dimensions, *variable.dimensions), value, {k: v for k, v in about.items() if v}
        errors = np.full(points.count, "", dtype=object)
        for number, text in self.failures.items():
            errors[number] = text
        yield ERROR, points.dimensions, errors.reshape(points.shape), {"long_name": _WHY}


def require_xarray() -> Any:
    """The package; ValueError says how to get it."""
    try:
        import xarray
    except ImportError:
        raise ValueError("sweep needs the package xarray: pip install 'continuarm[xarray]'") from None
    return xarray


def dataset_of(swept: Swept) -> xarray.Dataset:
    """The dataset: what xarray reads from the file."""
    coordinates: dict[str, Any] = {}
    variables: dict[str, Any] = {}
    for name, dimensions, value, about in swept.arrays():
        place = coordinates if name in (*swept.points.names, *swept.labels) else variables
        place[name] = (dimensions, value, about)
    return require_xarray().Dataset(variables, coordinates, swept.texts)


def netcdf_bytes(swept: Swept) -> bytes:
    """The file: the same bytes for the same numbers, wherever and in whatever order they were computed."""
    import h5netcdf
    import h5py  # type: ignore[import-untyped]

    sizes: dict[str, int] = {}
    arrays = list(swept.arrays())
    for _, dimensions, value, _ in arrays:
        sizes |= zip(dimensions, np.shape(value), strict=True)
    memory = io.BytesIO()
    with h5netcdf.File(memory, "w") as file:
        file.dimensions = sizes
        for name, dimensions, value, about in arrays:
            kind = h5py.string_dtype() if value.dtype == object else value.dtype.newbyteorder("<")
            made = file.create_variable(name, dimensions, kind, data=value)
            for key, text in about.items():
                made.attrs[key] = text
        beside = [name for name in swept.points.names if not swept.points.grid]
        if beside:  # as xarray writes coordinates that are no dimension
            for name in (*swept.variables, ERROR):
                file[name].attrs["coordinates"] = " ".join(beside)
        for name, text in swept.texts.items():
            file.attrs[name] = text
    return memory.getvalue()


def read_layout(text: str) -> tuple[dict[str, Variable], dict[str, tuple[int, ...]], dict[str, list[Any]]]:
    """Variables, the shapes of their entries, and labels as `texts` has them."""
    found = json.loads(text)
    variables = {
        name: Variable(tuple(each["dimensions"]), each["unit"], each["meaning"])
        for name, each in found["variables"].items()
    }
    shapes = {name: tuple(each["shape"]) for name, each in found["variables"].items()}
    return variables, shapes, found["labels"]


def read_failures(text: str, count: int) -> tuple[str, ...]:
    """Errors of all points from `failures`."""
    found: Mapping[str, str] = json.loads(text)
    return tuple(found.get(str(number), "") for number in range(count))
