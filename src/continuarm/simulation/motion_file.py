"""Motions on disk: NetCDF-4 files that xarray, MATLAB and Julia open, as far as a killed run came if it was killed.

A run writes run.partial.nc. All datasets of that file have their full size and their place before the first row comes;
rows are put into these places without the HDF5 library. The structure of the file never changes again, so whatever ends
the run, the file opens and has every row written until then. The end of a run copies the rows to run.nc, with what is
known only now: their number, the solver's record, and why the motion stopped, if it did.

A file may come from a stranger, or may be damaged. One that was written here is read by its own index (`motion_index`)
and the HDF5 library never sees it. Any other, which a program has written again or changed, or which has no index, is
read in a process that can do no harm (`guarded_hdf5`); that takes a quarter of a second.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Self

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import arm_names
from continuarm.common.argument_checks import require_kind
from continuarm.common.file_locks import claimed
from continuarm.common.files import beside, cause, file_name, opened, output_path
from continuarm.common.interruption import uninterrupted
from continuarm.common.number_checks import Floats
from continuarm.common.text import printable, short, shown
from continuarm.simulation.guarded_hdf5 import GuardedHdf5, is_hdf5, missing_bytes
from continuarm.simulation.motion import ROWS, Motion
from continuarm.simulation.motion_index import MOST_TEXT, IndexedMotion, append_index, read_index
from continuarm.simulation.motion_layout import (
    FOLLOWED,
    FORMAT,
    NOTHING,
    SENSITIVITIES,
    Beside,
    closing_texts,
    coordinate_labels,
    descriptive_texts,
    dimension_sizes,
    row_shapes,
    variable_values,
    variables_of,
)

SUFFIXES = (".nc", ".nc4", ".h5")

MOST_ROWS = 10_000_001
"""Of a motion on disk: the states of the longest simulation, and the one that it begins with."""

_NOT_FINISHED = "interrupted: the run has not finished"
_ROWS_AT_ONCE = 10_000  # of a saved motion: bounds the memory that its poses take
_BYTES_AT_ONCE = 1 << 22
_SPARE = 1 << 10  # bytes of a variable beyond its rows, for gaps between them; HDF5 cuts off what is left


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
    require_kind("motion", motion, Motion, "a Motion (see simulate)")
    count = len(motion.t)
    with MotionWriter(path, motion.arm, count, Beside.of(motion)) as writer:
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
    A file that another run is writing is refused. The rows of a run that was killed are set aside, as run.partial-2.nc
    or with the next number that is free, until this one is complete.
    """

    def __init__(self, path: str | os.PathLike[str], arm: Arm, rows: int, more: Beside = NOTHING) -> None:
        if isinstance(rows, bool) or not isinstance(rows, (int, np.integer)) or not 0 <= rows <= MOST_ROWS:
            raise ValueError(f"rows = {short(rows)}: must be a whole number from 0 to {MOST_ROWS}")
        self.path = check_motion_path(path)
        self.partial = partial_path(self.path)
        self.arm, self.rows, self.written = arm, int(rows), 0
        self.beside = more
        self._shapes = row_shapes(arm, self.beside)
        with _in_one_sentence(self.path), contextlib.ExitStack() as undo:
            undo.enter_context(claimed(self.path))
            with beside(self.partial, durable=False, owner=self.path) as new:
                with uninterrupted():  # a Ctrl-C inside the HDF5 library comes out as another error
                    self._places = _create(new, arm, self.rows, {"stopped": _NOT_FINISHED}, self.beside)
                self._left = _set_aside(self.partial)
            self._file = undo.enter_context(open(self.partial, "r+b"))
            self._held = undo.pop_all()

    def write(self, part: Motion) -> None:
        """Appends the rows of a motion; they are safe from the end of the process when this returns."""
        count = len(part.t)
        if part.arm != self.arm:
            raise ValueError(f"a part is a motion of {part.arm.name!r}: must be of the arm {self.arm.name!r}")
        if (here := Beside.of(part)) != self.beside:
            raise ValueError(f"a part has {here}: must have {self.beside}")
        if self.written + count > self.rows:
            raise ValueError(f"{self.written} + {count} rows: must be at most {self.rows}, the length of the file")
        if not np.isfinite(part.t).all():
            raise ValueError("t of a part must be finite")
        values = variable_values(part) if count else {}
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
        ends = closing_texts(record, stopped)
        self._file.flush()
        with _in_one_sentence(self.path, f"; the rows are in {shown(self.partial)}"), beside(self.path) as new:
            with uninterrupted():
                places = _create(new, self.arm, self.written, ends, self.beside)
            with open(new, "r+b") as whole:
                for name, place in places.items():
                    _copy(self._file, self._places[name], whole, place, self._bytes(name, self.written))
        with self._held, contextlib.suppress(OSError):  # somebody may have removed or replaced the partial file
            ours = os.path.samestat(os.fstat(self._file.fileno()), os.stat(self.partial))
            self._file.close()
            if ours:
                self.partial.unlink()
            if self._left is not None:
                self._left.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Without close, what was written stays in the partial file."""
        self._held.close()

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
    Motion('prototype', 0.5 s, 101 states, integral model)
    """
    name = file_name(path)
    try:
        with contextlib.ExitStack() as stack:
            return _motion(_source(path, stack))
    except _NoMotionError as error:
        sentence = str(error)
    except (ValueError, RecursionError) as error:
        sentence = f"is damaged: {cause(error)}"
    except OSError as error:
        sentence = f"cannot be read: {cause(error)}"
    raise ValueError(f"{name}: {printable(sentence)}")


def _create(path: Path, arm: Arm, rows: int, ends: dict[str, str], more: Beside) -> dict[str, int]:
    """Makes a file with NaN in all rows; where in it the bytes of each variable begin.

    The HDF5 library crashes on a full disk. It works in memory, and then in a file that has its full size already.
    """
    import h5netcdf
    import h5py  # type: ignore[import-untyped]

    texts, variables = descriptive_texts(arm, more) | ends, variables_of(more)
    for name, text in texts.items():
        if len(text) > MOST_TEXT:
            raise ValueError(f"{name} takes {len(text)} characters: must take at most {MOST_TEXT}")
    memory = io.BytesIO()
    with h5netcdf.File(memory, "w") as file:
        file.dimensions = {"time": rows} | dimension_sizes(arm, more)
        for name, labels in coordinate_labels(arm, more).items():
            kind = "i4" if isinstance(labels[0], int) else h5py.string_dtype()
            file.create_variable(name, (name,), kind, data=np.array(labels, kind))
        for name, (dimensions, unit, meaning) in variables.items():
            variable = file.create_variable(name, ("time", *dimensions), "<f8")
            variable.attrs["units"], variable.attrs["long_name"] = unit, meaning
        for name, text in texts.items():
            file.attrs[name] = text
    size = sum(8 * rows * math.prod(shape) + _SPARE for shape in row_shapes(arm, more).values())
    with open(path, "xb") as whole:
        whole.write(memory.getvalue() + bytes(-len(memory.getvalue()) % 8))
        for start in range(0, size, _BYTES_AT_ONCE):
            whole.write(np.full(min(size - start, _BYTES_AT_ONCE) // 8, np.nan, "<f8").tobytes())
    # Numbers at multiples of 8 bytes do not lie across two pages: a killed process leaves none half written.
    places = dict.fromkeys(variables, 0)
    with h5py.File(path, "r+", alignment_threshold=1, alignment_interval=8) as file:
        for name in variables if rows else ():
            file[name][:1] = np.nan  # the first value makes HDF5 give the variable its place
            places[name] = file[name].id.get_offset()
    sizes = {name: 8 * rows * math.prod(shape) for name, shape in row_shapes(arm, more).items()}
    kept = {name: text for name, text in texts.items() if name in _TEXTS}
    append_index(path, kept, {name: (places[name], sizes[name]) for name in sizes})
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


def _set_aside(partial: Path) -> Path | None:
    """Gives what a killed run left another name, unless it has no rows; that name, or None."""
    if not partial.is_file() or _is_without_rows(partial):
        return None
    names = (partial.with_name(f"{partial.stem}-{number}{partial.suffix}") for number in itertools.count(2))
    aside = next(name for name in names if not os.path.lexists(name))
    os.rename(partial, aside)
    return aside


def _is_without_rows(partial: Path) -> bool:
    try:
        with opened(partial) as file:
            indexed = read_index(file)
            return indexed is not None and not np.isfinite(indexed.numbers("time", (indexed.count("time"),))[:1]).any()
    except ValueError:
        return False


@contextlib.contextmanager
def _in_one_sentence(path: Path, comfort: str = "") -> Iterator[None]:
    try:
        yield
    except (OSError, RuntimeError) as error:  # RuntimeError: the HDF5 library
        raise ValueError(f"{shown(path)}: cannot be written: {cause(error)}{comfort}") from None


class _NoMotionError(ValueError):
    """Why a file is not read; any other error while reading is a damage."""


_TEXTS = ("format", "arm", "record", "stopped", "sensitivities", "followed")
_STORED = {"t": "time", "supplied": "supplied_energy", "dissipated": "dissipated_energy"}
"""Fields of a motion whose variables have other names."""

_READ = (
    "tip_moment",
    "tip_force",
    SENSITIVITIES,
    *FOLLOWED,
    *(_STORED.get(name, name) for name in ROWS if name != "wrench"),
)


def _source(path: str | os.PathLike[str], stack: contextlib.ExitStack) -> IndexedMotion | GuardedHdf5:
    if _is_arm(path):
        hint = f"simulate it first, as by continuarm simulate {shown(path)} -o run.nc"
        raise _NoMotionError(f"is an arm, not a motion: {hint}")
    try:
        file = stack.enter_context(opened(path))
    except ValueError as error:
        raise _NoMotionError(f"{error}{_unfinished(Path(path))}") from None
    if not file.read(1):
        raise _NoMotionError("is empty")
    indexed = read_index(file)
    if indexed is not None:
        return indexed
    if not is_hdf5(file):
        raise _NoMotionError("is not a NetCDF-4 file")
    missing = missing_bytes(file)
    if missing:
        raise ValueError(f"{missing} bytes are missing at its end")
    return stack.enter_context(GuardedHdf5(path, _TEXTS, _READ, MOST_TEXT))


def _is_arm(path: str | os.PathLike[str]) -> bool:
    """Whether the name is that of an arm file that is there, or of an arm that comes with the library."""
    text = os.fspath(path)
    if os.path.lexists(text):
        return Path(text).suffix.lower() == ".toml" and os.path.isfile(text)
    return text in arm_names()


def _unfinished(path: Path) -> str:
    """Where the rows of a motion are that is not there, if a run left them."""
    is_there = os.path.lexists(path) or not path.name
    left = path if is_there else partial_path(path)
    return f"; an unfinished run left {shown(left)}" if not is_there and os.path.isfile(left) else ""


def _motion(source: IndexedMotion | GuardedHdf5) -> Motion:
    kind = source.text("format") or ""
    if not kind.startswith(FORMAT.rstrip("0123456789")):
        raise _NoMotionError("is not a motion that continuarm wrote")
    if kind != FORMAT:
        raise _NoMotionError(f"has the format {short(kind)}: this version of continuarm reads {FORMAT!r}")
    arm = Arm.model_validate_json(_text(source, "arm"))
    beside = Beside.read(source.text("sensitivities"), source.text("followed"))
    shapes = row_shapes(arm, beside)
    length = source.count("time")
    if length > MOST_ROWS:
        raise ValueError(f"it has {length} rows: must have at most {MOST_ROWS}")
    t = source.numbers("time", (length,))
    finite = np.isfinite(t)
    count = len(t) if finite.all() else int(finite.argmin())

    def rows(name: str) -> Floats:
        values = t if name == "time" else source.numbers(name, (length, *shapes[name]))
        if not np.isfinite(values[:count]).all():
            raise ValueError(f"{name} has numbers that are not finite")
        return values[:count]

    back = np.flatnonzero(t[1:count] <= t[: max(count - 1, 0)])
    if len(back):
        raise ValueError(f"time[{back[0] + 1}] = {t[back[0] + 1]:g} s: must be later than the one before")
    written = source.text("record")
    if written is None:
        after = f"after t = {t[count - 1]:g} s" if count else "before the first state"
        record, stopped = {}, _NOT_FINISHED.replace(":", f" {after}:")
    elif count < len(t):
        raise ValueError(f"time[{count}] = {t[count]}: must be finite")
    else:
        record, stopped = json.loads(written), _text(source, "stopped")
        if not isinstance(record, dict):
            raise ValueError("the record is not a JSON object")
    fields = {name: rows(_STORED.get(name, name)) for name in ROWS if name != "wrench"}
    wrench = np.concatenate([rows("tip_moment"), rows("tip_force")], axis=1)
    parameters = beside.parameters
    slopes = dict(zip(parameters, np.moveaxis(rows(SENSITIVITIES), 1, 0), strict=True)) if parameters else {}
    followed = {name: rows(name) for name in beside.followed}
    return Motion(
        arm=arm, wrench=wrench, **fields, record=record, stopped=stopped, sensitivities=slopes, followed=followed
    )


def _text(source: IndexedMotion | GuardedHdf5, name: str) -> str:
    text = source.text(name)
    if text is None:
        raise ValueError(f"the attribute {name} is missing")
    return text
