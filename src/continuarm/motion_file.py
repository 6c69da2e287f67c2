"""Motions on disk: NetCDF-4 files that xarray, MATLAB and Julia open."""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from continuarm.arm import Arm
from continuarm.motion import Motion

FORMAT = "continuarm motion 1"


def save_motion(motion: Motion, path: str | os.PathLike[str]) -> None:
    """Writes a motion beside its place and renames it: the file is complete or not there."""
    import h5netcdf

    target = Path(path)
    if not target.parent.is_dir():
        raise ValueError(f"{target}: the folder {str(target.parent)!r} does not exist")
    beside = target.with_name(f".{uuid.uuid4().hex}.tmp")
    try:
        with h5netcdf.File(beside, "w") as file:
            file.dimensions = {
                "time": len(motion.t),
                "coordinate": 3 * motion.arm.n,
                "section": motion.arm.n,
                "axis": 3,
            }
            for name, values in _variables(motion).items():
                dimensions, unit, text = _MEANING[name]
                variable = file.create_variable(name, dimensions, "f8", data=values)
                variable.attrs["units"], variable.attrs["long_name"] = unit, text
            file.attrs["format"] = FORMAT
            file.attrs["arm"] = motion.arm.model_dump_json()
            file.attrs["record"] = json.dumps(motion.record)
            file.attrs["stopped"] = motion.stopped
        os.replace(beside, target)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)


def load_motion(path: str | os.PathLike[str]) -> Motion:
    """The motion of a file that save_motion wrote."""
    import h5netcdf

    if not Path(path).is_file():
        raise ValueError(f"{path}: there is no such file")
    try:
        with h5netcdf.File(path, "r") as file:
            if file.attrs.get("format") != FORMAT:
                raise ValueError("it was not written by continuarm")
            arm = Arm.model_validate_json(file.attrs["arm"])
            t, q, qd, tau = (np.array(file[name][:]) for name in ("time", "q", "qd", "tau"))
            return Motion(arm, t, q, qd, tau, json.loads(file.attrs["record"]), str(file.attrs["stopped"]))
    except (OSError, KeyError, ValueError) as error:
        raise ValueError(f"{path}: is not a motion: {' '.join(str(error).split())}") from None


_MEANING: dict[str, tuple[tuple[str, ...], str, str]] = {
    "time": (("time",), "s", "time"),
    "q": (("time", "coordinate"), "m", "muscle length changes, section by section"),
    "qd": (("time", "coordinate"), "m/s", "rates of the muscle lengths"),
    "tau": (("time", "coordinate"), "N", "muscle forces, positive extends"),
    "tips": (("time", "section", "axis"), "m", "positions of the section tips in the world frame"),
    "kinetic_energy": (("time",), "J", "kinetic energy"),
    "gravitational_energy": (("time",), "J", "gravitational energy, zero at the base"),
    "elastic_energy": (("time",), "J", "elastic energy of muscles and stops"),
}
"""Dimensions, unit and name of every variable of a file."""


def _variables(motion: Motion) -> dict[str, Any]:
    energies = {f"{name}_energy": values for name, values in motion.energies.items()}
    return {"time": motion.t, "q": motion.q, "qd": motion.qd, "tau": motion.tau, "tips": motion.tips} | energies
