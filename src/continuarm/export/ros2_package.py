"""An arm as a node of ROS 2: a package with the C sources, a node around them, and a launch file."""

from __future__ import annotations

import os
import re
from importlib import resources
from pathlib import Path
from xml.sax.saxutils import escape

from continuarm.arms.arm import Arm
from continuarm.export.c_files import VERSION, CExport, export_folder, write_files

FILES = {
    "core.hpp": "include/{0}_core.hpp",
    "node.cpp": "src/{0}_node.cpp",
    "CMakeLists.txt": "CMakeLists.txt",
    "package.xml": "package.xml",
    "arm.launch.xml": "launch/arm.launch.xml",
    "README.md": "README.md",
}
"""Where each file goes in the package."""


def export_ros2(arm: Arm, folder: str | os.PathLike[str], *, name: str | None = None, step: float = 1e-3) -> list[Path]:
    """Writes an arm as a package for ROS 2: a node that simulates it in real time, around the C sources.

    Pressures and a wrench come in, lengths of muscles and poses of tips go out, as messages of the standard packages.

    Parameters
    ----------
    arm : Arm
    folder : str or path
        The package, in the src of a workspace; made where it is missing.
    name : str, optional
        Prefix of all names, a C identifier; the arm's own name, made one, if left out.
    step : float, optional
        Length of an implicit step, s.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> from continuarm.export import export_ros2
    >>> for path in export_ros2(ca.load_arm("prototype"), "prototype_arm"):
    ...     print(path)
    prototype_arm/include/prototype.h
    prototype_arm/src/prototype.c
    prototype_arm/include/prototype_core.hpp
    prototype_arm/src/prototype_node.cpp
    prototype_arm/CMakeLists.txt
    prototype_arm/package.xml
    prototype_arm/launch/arm.launch.xml
    prototype_arm/README.md
    """
    export = CExport(arm, name, step)
    return write_files(ros2_files(export), export_folder(folder))


def ros2_files(export: CExport) -> dict[str, str]:
    """Name and text of every file."""
    arm, prefix = export.arm, export.prefix
    words = {
        "PREFIX": prefix,
        "MACRO": prefix.upper(),
        "ARM": arm.name,
        "DESCRIPTION": escape(arm.description or f"the continuum arm {arm.name}"),
        "VERSION": VERSION,
        "MUSCLES": str(len(arm.muscle_names)),
        "NAMES": ", ".join(f'"{each}"' for each in arm.muscle_names),
        "LIST": ", ".join(arm.muscle_names),
        "EXAMPLE": ", ".join(["0.0"] * (len(arm.muscle_names) - 1) + ["6.0e5"]),
        "STEP": repr(export.step),
    }
    texts = {f"include/{prefix}.h": export.header(), f"src/{prefix}.c": export.source()}
    for each, place in FILES.items():
        text = resources.files("continuarm.export").joinpath("ros2", each).read_text(encoding="utf-8")
        texts[place.format(prefix)] = re.sub(r"@([A-Z]+)@", lambda found: words[found[1]], text)
    return texts
