"""Damage to motion files: to their bytes, to what HDF5 keeps about them, and files that h5py makes with intent."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from attack import damage

Rng = np.random.Generator

SIGNATURES = (
    b"OHDR",
    b"OCHK",
    b"FRHP",
    b"FHDB",
    b"FHIB",
    b"BTHD",
    b"BTLF",
    b"BTIN",
    b"GCOL",
    b"TREE",
    b"SNOD",
    b"HEAP",
    b"FADB",
)
LENGTHS = (0, 1, 7, 8, 255, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**64 - 1)
VARIABLES = (
    "time", "q", "qd", "tau", "pressures", "hysteresis", "tip_moment", "tip_force", "supplied_energy",
    "dissipated_energy", "q_sensitivities",
)  # fmt: skip


def write(rng: Rng, content: bytes, path: Path, folder: Path) -> str:
    """Writes a damaged motion; says how it was damaged."""
    path.unlink(missing_ok=True)
    if rng.random() < 0.7:
        for _ in range(int(rng.choice([1, 1, 2, 4]))):
            content = _structure(rng, content) if rng.random() < 0.6 else damage.raw(rng, content)
        path.write_bytes(content)
        return "bytes"
    path.write_bytes(content)
    change = damage.one(rng, CHANGES)
    try:
        with h5py.File(path, "r+") as file:
            change(rng, file, folder)
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        return f"{change.__name__[1:]}, not made: {error}"
    return change.__name__[1:]


def _structure(rng: Rng, content: bytes) -> bytes:
    """Numbers near what begins an HDF5 structure, or in the first block."""
    changed = bytearray(content)
    places = [0]
    for mark in SIGNATURES:
        at = content.find(mark)
        while at >= 0:
            places.append(at)
            at = content.find(mark, at + 4)
    at = damage.one(rng, places) + int(rng.integers(0, 200))
    width = int(rng.choice([1, 2, 4, 8]))
    if at + width > len(changed):
        return content
    kind = int(rng.integers(4))
    if kind == 0:
        changed[at : at + width] = struct.pack("<Q", damage.one(rng, LENGTHS))[:width]
    elif kind == 1:
        changed[at : at + width] = bytes(width)
    elif kind == 2:
        near = int.from_bytes(changed[at : at + width], "little") + int(rng.choice([-8, -1, 1, 8, 512]))
        changed[at : at + width] = (near % 256**width).to_bytes(width, "little")
    else:
        other = damage.one(rng, places)
        some = changed[other : other + 64]
        changed[at : at + len(some)] = some
    return bytes(changed)


def _replace(file: Any, name: str, **made: Any) -> None:
    del file[name]
    file.create_dataset(name, **made)


def _claims_rows(rng: Rng, file: Any, folder: Path) -> None:
    """A small file that says it has very many rows."""
    rows = int(rng.choice([10**6, 10**9, 10**12, 2**62]))
    every = VARIABLES if rng.random() < 0.5 else (damage.one(rng, VARIABLES),)
    for name in every:
        shape = (rows, *file[name].shape[1:])
        _replace(file, name, shape=shape, dtype="<f8", chunks=True, fillvalue=float(rng.choice([0.0, np.nan, 5.0])))


def _external_storage(rng: Rng, file: Any, folder: Path) -> None:
    name = damage.one(rng, VARIABLES)
    shape = file[name].shape
    target = damage.one(rng, ["secret.txt", "secret.bin", str(folder / "secret.bin"), "/etc/passwd", "/dev/zero"])
    _replace(file, name, shape=shape, dtype="<f8", external=[(target, 0, h5py.h5f.UNLIMITED)])


def _external_link(rng: Rng, file: Any, folder: Path) -> None:
    _other_file(folder)
    name = damage.one(rng, VARIABLES)
    del file[name]
    file[name] = h5py.ExternalLink(damage.one(rng, ["other.h5", str(folder / "other.h5"), "damaged.nc"]), f"/{name}")


def _virtual_dataset(rng: Rng, file: Any, folder: Path) -> None:
    _other_file(folder)
    name = damage.one(rng, VARIABLES)
    shape = file[name].shape
    layout = h5py.VirtualLayout(shape=shape, dtype="<f8")
    layout[...] = h5py.VirtualSource(damage.one(rng, ["other.h5", str(folder / "other.h5")]), name, shape=shape)
    del file[name]
    file.create_virtual_dataset(name, layout, fillvalue=0.0)


def _other_file(folder: Path) -> None:
    """A file with numbers of its own, of the same names."""
    place = folder / "other.h5"
    if not place.exists():
        with h5py.File(place, "w") as other:
            for name in VARIABLES:
                width = {"time": (), "tip_moment": (3,), "tip_force": (3,)}.get(name, (9,))
                other[name] = np.full((21, *(() if "energy" in name else width)), 5309.0)


def _links(rng: Rng, file: Any, folder: Path) -> None:
    name = damage.one(rng, VARIABLES)
    del file[name]
    file[name] = h5py.SoftLink(damage.one(rng, [f"/{name}", "/", "/nowhere", "/q", "/time"]))


def _kind(rng: Rng, file: Any, folder: Path) -> None:
    """Other types: whole numbers, text, compound, half floats, references, opaque."""
    name = damage.one(rng, VARIABLES)
    shape = file[name].shape
    plain = ("<i4", "<f2", ">f8", "<f4", "S8", "V8", "<c16", "?", "g")
    kinds = (*plain, h5py.string_dtype(), [("a", "<f8")], h5py.vlen_dtype("<f8"), h5py.ref_dtype)
    _replace(file, name, shape=shape, dtype=damage.one(rng, kinds))


def _shape(rng: Rng, file: Any, folder: Path) -> None:
    name = damage.one(rng, VARIABLES)
    rows = file[name].shape[:1]
    shape = damage.one(rng, [(), (0,), (1,), rows, (*rows, 1), (*rows, 10**6), (*rows, 0), (0, 9), (1,) * 32])
    _replace(file, name, shape=shape, dtype="<f8", chunks=None if 0 in shape or not shape else True)


def _values(rng: Rng, file: Any, folder: Path) -> None:
    name = damage.one(rng, VARIABLES)
    data = file[name]
    if not data.size:
        return
    at = np.unravel_index(int(rng.integers(data.size)), data.shape)
    data[at] = damage.one(rng, [np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 0.0, -1.0, 1e12, 7.0])


def _filters(rng: Rng, file: Any, folder: Path) -> None:
    """Compressed to nearly nothing: a bomb."""
    name = damage.one(rng, VARIABLES)
    shape = (int(rng.choice([20, 10**6, 10**8])), *file[name].shape[1:])
    _replace(file, name, shape=shape, dtype="<f8", compression="gzip", shuffle=True, chunks=True)


def _attributes(rng: Rng, file: Any, folder: Path) -> None:
    name = damage.one(rng, ["arm", "record", "stopped", "format"])
    old = file.attrs.get(name, "")
    hostile = (
        "", "null", "[]", "{}", "1", "[" * 100_000, '{"a": ' * 3000, "NaN", "\x00", "\x1b[31m", 5, 1.5, b"\xff\xfe",
        np.zeros(3), np.zeros(0), "x" * 60_000, "continuarm motion 1", "continuarm motion 99", h5py.Empty("S1"),
        old.replace("0", "9"), old[:-1], old.replace("1", "1e400"), old.replace(":", ""), json.dumps({"sections": []}),
    )  # fmt: skip
    value = damage.one(rng, hostile)
    if rng.random() < 0.1:
        del file.attrs[name]
    else:
        file.attrs[name] = value


def _arm_of_a_stranger(rng: Rng, file: Any, folder: Path) -> None:
    """An arm whose numbers are changed one by one."""
    described = json.loads(file.attrs["arm"])
    section = damage.one(rng, described["sections"])
    key = damage.one(rng, list(section))
    hostile = (
        None,
        0,
        -1,
        1e308,
        1e-6,
        1e3,
        1e12,
        "1",
        [],
        [1, 2, 3],
        {},
        True,
        float("nan"),
        float("inf"),
        [[1, 2], [3]],
    )
    section[key] = damage.one(rng, hostile)
    if rng.random() < 0.2:
        described["sections"] *= int(rng.choice([0, 2, 1000]))
    file.attrs["arm"] = json.dumps(described)


def _missing(rng: Rng, file: Any, folder: Path) -> None:
    name = damage.one(rng, [*VARIABLES, "coordinate", "muscle", "section", "axis"])
    del file[name]
    if rng.random() < 0.3:
        file.create_group(name)


CHANGES: tuple[Callable[[Rng, Any, Path], None], ...] = (
    _claims_rows, _external_storage, _external_link, _virtual_dataset, _links, _kind, _shape, _values, _values,
    _filters, _attributes, _attributes, _arm_of_a_stranger, _arm_of_a_stranger, _missing,
)  # fmt: skip
