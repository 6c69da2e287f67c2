"""Motions on disk: NetCDF-4 files that xarray, MATLAB and Julia open, as far as a killed run came if it was killed.

A run writes run.partial.nc. All datasets of that file have their full size and their place before the first row comes;
rows are put into these places without the HDF5 library. The structure of the file never changes again, so whatever ends
the run, the file opens and has every row written until then. The end of a run copies the rows to run.nc, with what is
known only now: their number, the solver's record, and why the motion stopped, if it did.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import io
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.files import beside, cause, file_name, output_path
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable, short
from continuarm.simulation.motion import ROWS, Motion

try:
    import fcntl
except ImportError:  # Windows, which refuses by itself to replace a file that a run writes
    fcntl = None  # type: ignore[assignment]

FORMAT = "continuarm motion 2"
SUFFIXES = (".nc", ".nc4", ".h5")

_EQUATION = "M(q) q̈ + C(q, q̇) q̇ + D q̇ + G(q) + K_e q = τ"
_NOT_FINISHED = "interrupted: the run has not finished"
_ROWS_AT_ONCE = 10_000  # of a saved motion: bounds the memory that its poses take
_BYTES_AT_ONCE = 1 << 22
_SPARE = 1 << 10  # bytes of a variable beyond its rows, for gaps between them; HDF5 cuts off what is left

_VARIABLES: dict[str, tuple[tuple[str, ...], str, str]] = {
    "time": ((), "s", "time since the start"),
    "q": (("coordinate",), "m", "length changes of the muscles at 0°, 120° and 240°, section by section"),
    "qd": (("coordinate",), "m/s", "rates of q"),
    "tau": (("coordinate",), "N", "what all muscles do together over q, positive extends"),
    "pressures": (("muscle",), "Pa", "pressures in the muscles"),
    "hysteresis": (("muscle",), "N", "force by which hysteresis holds each muscle back"),
    "tip_moment": (("axis",), "N m", "moment on the last tip from outside, world axes"),
    "tip_force": (("axis",), "N", "force on the last tip from outside, world axes"),
    "tip_positions": (("section", "axis"), "m", "positions of the section tips in the world frame"),
    "tip_orientations": (("section", "row", "column"), "1", "rotations from the section tips to the world frame"),
    "kinetic_energy": ((), "J", "kinetic energy"),
    "gravitational_energy": ((), "J", "gravitational energy, zero at the base"),
    "elastic_energy": ((), "J", "elastic energy of muscles and stops"),
    "supplied_energy": ((), "J", "work of pressures, forces and wrench since the start"),
    "dissipated_energy": ((), "J", "energy taken by dampers and hysteresis since the start"),
}
"""Of every variable with a row for each time: the dimensions of a row, unit, meaning."""


def save_motion(motion: Motion, path: str | os.PathLike[str]) -> None:
    """Writes a motion that `load_motion` reads back bit for bit; a file that was there is replaced whole, or stays.

    Parameters
    ----------
    motion : Motion
    path : str or path
        NetCDF-4: .nc, .nc4 or .h5.

    Examples
    --------
    >>> motion = ca.simulate(ca.load_arm("prototype"), duration=0.5)
    >>> ca.save_motion(motion, "run.nc")
    >>> bool((ca.load_motion("run.nc").q == motion.q).all())
    True
    """
    count = len(motion.t)
    with MotionWriter(path, motion.arm, count) as writer:
        for start in range(0, count, _ROWS_AT_ONCE):
            writer.write(motion.rows(slice(start, start + _ROWS_AT_ONCE)))
        writer.close(motion.record, motion.stopped)


def check_motion_path(path: str | os.PathLike[str]) -> Path:
    """The file that a motion would be written to, links followed; ValueError says why it cannot be."""
    return output_path(path, SUFFIXES)


def partial_path(path: Path) -> Path:
    """Where the rows of an unfinished run are: run.partial.nc of run.nc."""
    return path.with_name(f"{path.stem}.partial{path.suffix}")


class MotionWriter:
    """Writes a motion while it is computed, part by part: what is written survives the end of the process.

    with MotionWriter("run.nc", arm, rows) as writer:
        writer.write(part)  # a Motion with the next rows; again and again
        writer.close(record, stopped)

    Until close, the rows are in run.partial.nc, which load_motion and xarray open at any time; run.nc is as before.
    A partial file that a killed run left is replaced; one that another run is writing is refused.
    """

    def __init__(self, path: str | os.PathLike[str], arm: Arm, rows: int) -> None:
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or rows < 0:
            raise ValueError(f"rows = {short(rows)}: must be a whole number, 0 or more")
        self.path = check_motion_path(path)
        self.partial = partial_path(self.path)
        self.arm, self.rows, self.written = arm, int(rows), 0
        self._shapes = _row_shapes(arm)
        with _in_one_sentence(self.path), contextlib.ExitStack() as undo:
            _refuse_if_in_use(self.partial)
            with beside(self.partial, durable=False) as new:
                self._places = _create(new, arm, self.rows, {"stopped": _NOT_FINISHED})
                self._file = undo.enter_context(open(new, "r+b"))
                if fcntl is not None:
                    with contextlib.suppress(OSError):  # some network folders have no locks
                        fcntl.flock(self._file, fcntl.LOCK_SH)
            undo.pop_all()

    def write(self, part: Motion) -> None:
        """Appends the rows of a motion; they are safe from the end of the process when this returns."""
        count = len(part.t)
        if part.arm != self.arm:
            raise ValueError(f"a part is a motion of {part.arm.name!r}: must be of the arm {self.arm.name!r}")
        if self.written + count > self.rows:
            raise ValueError(f"{self.written} + {count} rows: must be at most {self.rows}, the length of the file")
        if not np.isfinite(part.t).all():
            raise ValueError("t of a part must be finite")
        values = _values(part) if count else {}
        for name, each in values.items():
            if each.shape != (count, *self._shapes[name]):
                raise ValueError(f"{name} has shape {each.shape}: must be {(count, *self._shapes[name])}")
        with _in_one_sentence(self.path):
            for name, each in values.items():
                self._file.flush()  # a row counts when it has a time: the rest of it must be there before
                self._file.seek(self._places[name] + self._bytes(name, self.written))
                self._file.write(np.ascontiguousarray(each, "<f8").tobytes())
            self._file.flush()
        self.written += count

    def close(self, record: dict[str, Any], stopped: str = "") -> None:
        """Makes the complete file of the rows written and puts it in its place; then removes the partial one.

        record: what JSON can hold. stopped: why there are fewer rows than were to come, or empty.
        """
        if self.written < self.rows and not stopped:
            raise ValueError(f"{self.written} of {self.rows} rows are written: close must be told why it stopped")
        ends = {"record": _json(record), "stopped": stopped}
        with _in_one_sentence(self.path, f"; the rows are in {self.partial}"), beside(self.path) as new:
            places = _create(new, self.arm, self.written, ends)
            with open(new, "r+b") as whole:
                for name, place in places.items():
                    _copy(self._file, self._places[name], whole, place, self._bytes(name, self.written))
        with self._file, contextlib.suppress(OSError):  # somebody may have removed or replaced the partial file
            ours = os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.partial))
            self._file.close()
            if ours:
                self.partial.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Without close, what was written stays in the partial file."""
        self._file.close()

    def _bytes(self, name: str, rows: int) -> int:
        return 8 * rows * math.prod(self._shapes[name])


def load_motion(path: str | os.PathLike[str]) -> Motion:
    """The motion of a file; of a partial one, the rows written so far, with a `stopped` that says "interrupted".

    Parameters
    ----------
    path : str or path
        As `save_motion` or `simulate(..., output=path)` wrote it.

    Returns
    -------
    Motion

    Examples
    --------
    >>> motion = ca.simulate(ca.load_arm("prototype"), duration=0.5, output="run.nc")
    >>> ca.load_motion("run.nc")
    <Motion of 'prototype': 101 states over 0.5 s>
    """
    import h5py  # type: ignore[import-untyped]

    name = file_name(path)
    try:
        _refuse_to_read(Path(path))
        if not h5py.is_hdf5(path):
            raise _NoMotionError("is not a NetCDF-4 file")
        with h5py.File(path, "r") as file:
            return _motion(file)
    except _NoMotionError as error:
        sentence = str(error)
    except Exception as error:  # of a damaged file, the HDF5 library raises anything
        unreadable = isinstance(error, OSError) and error.errno
        sentence = f"{'cannot be read' if unreadable else 'is damaged'}: {cause(error)}"
    raise ValueError(printable(f"{name}: {sentence}"))


def _sizes(arm: Arm) -> dict[str, int]:
    return {
        "coordinate": 3 * arm.n,
        "muscle": len(arm.muscle_names),
        "section": arm.n,
        "axis": 3,
        "row": 3,
        "column": 3,
    }


def _row_shapes(arm: Arm) -> dict[str, tuple[int, ...]]:
    sizes = _sizes(arm)
    return {name: tuple(sizes[each] for each in dimensions) for name, (dimensions, _, _) in _VARIABLES.items()}


def _labels(arm: Arm) -> dict[str, list[Any]]:
    """What stands along the dimensions: l12 is muscle 2 of section 1, q12 a coordinate that is no muscle's length."""
    return {
        "coordinate": arm.coordinate_names,
        "muscle": arm.muscle_names,
        "section": list(range(1, arm.n + 1)),
        "axis": ["x", "y", "z"],
    }


def _values(motion: Motion) -> dict[str, Floats]:
    """The variables of a file, time last."""
    values = {name: getattr(motion, name) for name in ("q", "qd", "tau", "pressures", "hysteresis")}
    values |= {"tip_moment": motion.wrench[:, :3], "tip_force": motion.wrench[:, 3:]}
    values |= {"tip_positions": motion.tips, "tip_orientations": motion.tip_poses[..., :3, :3]}
    return values | {f"{name}_energy": each for name, each in motion.energies.items()} | {"time": motion.t}


def _create(path: Path, arm: Arm, rows: int, ends: dict[str, str]) -> dict[str, int]:
    """Makes a file with NaN in all rows; where in it the bytes of each variable begin.

    The HDF5 library crashes on a full disk. It works in memory, and then in a file that has its full size already.
    """
    import h5netcdf
    import h5py

    texts = {
        "Conventions": "CF-1.11",
        "title": f"Motion of {printable(arm.name)}",
        "source": f"continuarm {importlib.metadata.version('continuarm')}",
        "equation_of_motion": _EQUATION,
        "format": FORMAT,
        "arm": arm.model_dump_json(),
    }
    memory = io.BytesIO()
    with h5netcdf.File(memory, "w") as file:
        file.dimensions = {"time": rows} | _sizes(arm)
        for name, labels in _labels(arm).items():
            kind = "i4" if isinstance(labels[0], int) else h5py.string_dtype()
            file.create_variable(name, (name,), kind, data=np.array(labels, kind))
        for name, (dimensions, unit, meaning) in _VARIABLES.items():
            variable = file.create_variable(name, ("time", *dimensions), "<f8")
            variable.attrs["units"], variable.attrs["long_name"] = unit, meaning
        for name, text in (texts | ends).items():
            file.attrs[name] = text
    size = sum(8 * rows * math.prod(shape) + _SPARE for shape in _row_shapes(arm).values())
    with open(path, "xb") as whole:
        whole.write(memory.getvalue() + bytes(-len(memory.getvalue()) % 8))
        for start in range(0, size, _BYTES_AT_ONCE):
            whole.write(np.full(min(size - start, _BYTES_AT_ONCE) // 8, np.nan, "<f8").tobytes())
    # Numbers at multiples of 8 bytes do not lie across two pages: a killed process leaves none half written.
    with h5py.File(path, "r+", alignment_threshold=1, alignment_interval=8) as file:
        places = {}
        for name in _VARIABLES if rows else ():
            file[name][:1] = np.nan  # the first value makes HDF5 give the variable its place
            places[name] = file[name].id.get_offset()
        return places


def _copy(source: IO[bytes], begin: int, target: IO[bytes], place: int, size: int) -> None:
    source.seek(begin)
    target.seek(place)
    while size:
        block = source.read(min(size, _BYTES_AT_ONCE))
        if not block:
            raise OSError("another program has shortened the partial file")
        target.write(block)
        size -= len(block)


def _json(record: dict[str, Any]) -> str:
    try:
        return json.dumps(record, default=lambda value: value.tolist())  # numbers and arrays of NumPy
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise ValueError(f"record = {short(record)}: must be what JSON can hold") from None


def _refuse_if_in_use(partial: Path) -> None:
    """A run has its partial file locked for as long as it lives; the HDF5 library locks what it reads."""
    if fcntl is None or not partial.exists():
        return
    with open(partial, "rb") as file, contextlib.suppress(OSError):  # some network folders have no locks
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ValueError(f"{partial}: another run is writing it, or a program has it open") from None


@contextlib.contextmanager
def _in_one_sentence(path: Path, comfort: str = "") -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError: the HDF5 library
        raise ValueError(printable(f"{path}: cannot be written: {cause(error)}{comfort}")) from None


class _NoMotionError(ValueError):
    """Why a file is not read; any other error while reading is a damage."""


def _refuse_to_read(path: Path) -> None:
    if not path.exists():
        left = partial_path(path)
        raise _NoMotionError(f"there is no such file{f'; an unfinished run left {left}' if left.is_file() else ''}")
    if not path.is_file():
        raise _NoMotionError(f"is a {'folder' if path.is_dir() else 'device'}, not a file")
    with open(path, "rb") as file:
        if not file.read(1):
            raise _NoMotionError("is empty")


def _motion(file: Any) -> Motion:
    kind = _text(file, "format") if "format" in file.attrs else ""
    if not kind.startswith(FORMAT.rstrip("0123456789")):
        raise _NoMotionError("is not a motion that continuarm wrote")
    if kind != FORMAT:
        raise _NoMotionError(f"has the format {short(kind)}: this version of continuarm reads {FORMAT!r}")
    arm = Arm.model_validate_json(_text(file, "arm"))
    shapes = _row_shapes(arm)
    t = _numbers(file, "time")
    finite = np.isfinite(t)
    count = len(t) if finite.all() else int(finite.argmin())

    def rows(name: str) -> Floats:
        values = _numbers(file, name)
        if values.shape != (len(t), *shapes[name]):
            raise ValueError(f"{name} has shape {values.shape}: must be {(len(t), *shapes[name])} for its arm and time")
        if not np.isfinite(values[:count]).all():
            raise ValueError(f"{name} has numbers that are not finite")
        return values[:count]

    back = np.flatnonzero(np.diff(t[:count]) <= 0)
    if len(back):
        raise ValueError(f"time[{back[0] + 1}] = {t[back[0] + 1]:g} s: must be later than the one before")
    if "record" not in file.attrs:
        after = f"after t = {t[count - 1]:g} s" if count else "before the first state"
        record, stopped = {}, _NOT_FINISHED.replace(":", f" {after}:")
    elif count < len(t):
        raise ValueError(f"time[{count}] = {t[count]}: must be finite")
    else:
        record, stopped = json.loads(_text(file, "record")), _text(file, "stopped")
        if not isinstance(record, dict):
            raise ValueError("the record is not a JSON object")
    stored = {"t": "time", "supplied": "supplied_energy", "dissipated": "dissipated_energy"}
    fields = {name: rows(stored.get(name, name)) for name in ROWS if name != "wrench"}
    wrench = np.concatenate([rows("tip_moment"), rows("tip_force")], axis=1)
    return Motion(arm=arm, wrench=wrench, **fields, record=record, stopped=stopped)


def _text(file: Any, name: str) -> str:
    """An attribute; other programs that wrote the file again may have made bytes of it."""
    value = file.attrs.get(name)
    value = value.decode() if isinstance(value, bytes) else value
    if not isinstance(value, str):
        raise ValueError(f"the attribute {name} is {'missing' if value is None else 'not text'}")
    return value


def _numbers(file: Any, name: str) -> Floats:
    if name not in file:
        raise ValueError(f"the variable {name} is missing")
    if file[name].dtype.kind != "f" or not file[name].ndim:
        raise ValueError(f"the variable {name} does not hold rows of numbers")
    return np.asarray(file[name], dtype=float)
