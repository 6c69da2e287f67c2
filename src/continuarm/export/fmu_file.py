"""An arm as an FMU: FMI 2.0 or 3.0, model exchange and co-simulation, with its sources."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from importlib import resources
from pathlib import Path
from xml.etree import ElementTree

from continuarm.arms.arm import Arm
from continuarm.common.argument_checks import choice
from continuarm.common.files import output_path, replaced
from continuarm.export.c_compiler import compiled_c
from continuarm.export.c_files import VERSION, CExport
from continuarm.export.fmu_variables import Variable, variables

VERSIONS = {"2.0": ("fmi2.c", "linux64"), "3.0": ("fmi3.c", "x86_64-linux")}
"""Of FMI: the source of its functions, and the folder of a binary for 64-bit Linux."""

UNITS = {
    "m": {"m": 1},
    "m/s": {"m": 1, "s": -1},
    "N": {"kg": 1, "m": 1, "s": -2},
    "N.m": {"kg": 1, "m": 2, "s": -2},
    "Pa": {"kg": 1, "m": -1, "s": -2},
    "J": {"kg": 1, "m": 2, "s": -2},
}
_OLD = 1980, 1, 1, 0, 0, 0
"""The date of every entry: the same arm gives the same bytes."""


def export_fmu(
    arm: Arm,
    path: str | os.PathLike[str],
    *,
    version: str = "2.0",
    name: str | None = None,
    step: float = 1e-3,
) -> Path:
    """Writes an arm as an FMU for Simulink, Modelica tools and others that import FMI.

    Inputs are pressures, forces over q and the wrench on the tip; outputs are tips, muscle lengths and energies;
    masses, stiffness, damping, muscles, gravity and payload are tunable parameters. The binary, for 64-bit Linux, is
    made by the C compiler of this machine; the sources come along. Derivatives along directions are exact.

    Parameters
    ----------
    arm : Arm
    path : str or path
        File to write, .fmu.
    version : {"2.0", "3.0"}, optional
        Of FMI.
    name : str, optional
        Model identifier, a C identifier; the arm's own name, made one, if left out.
    step : float, optional
        Length of the implicit steps of co-simulation, s. A communication step is a whole number of them.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from continuarm.export import export_fmu
    >>> export_fmu(ca.load_arm("single-section"), "arm.fmu", version="3.0").name
    'arm.fmu'
    """
    choice("version", version, tuple(VERSIONS))
    place = output_path(path, (".fmu",))
    export = CExport(arm, name, step, tunable=True)
    made = variables(export)
    functions, folder = VERSIONS[version]
    sources = _sources(export, made, functions)
    description = (_description_2 if version == "2.0" else _description_3)(export, made)
    with tempfile.TemporaryDirectory() as scratch:
        for each, text in sources.items():
            (Path(scratch) / each).write_text(text, encoding="utf-8")
        library = Path(scratch) / f"{export.prefix}.so"
        compiled_c([Path(scratch) / functions], library, "an FMU")
        with replaced(place) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as archive:
            _put(archive, "modelDescription.xml", description)
            _put(archive, f"binaries/{folder}/{export.prefix}.so", library.read_bytes())
            for each, text in sources.items():
                _put(archive, f"sources/{each}", text)
            if version == "3.0":
                _put(archive, "sources/buildDescription.xml", _build_description(export, functions))
    return place


def _put(archive: zipfile.ZipFile, name: str, content: str | bytes) -> None:
    archive.writestr(zipfile.ZipInfo(name, _OLD), content, zipfile.ZIP_DEFLATED)


def _sources(export: CExport, made: list[Variable], functions: str) -> dict[str, str]:
    nominals = ", ".join(repr(v.nominal) for v in made if v.kind == "state")
    words = {f"@{name}@": str(value) for name, value in export.sizes.items()}
    words |= {"@PREFIX@": export.prefix, "@MACRO@": export.prefix.upper(), "@DIGEST@": export.digest}
    words |= {"@NOMINALS@": nominals, "@STEP@": repr(export.step)}
    texts = {f"{export.prefix}.h": export.header(), f"{export.prefix}.c": export.source()}
    for each in ("fmu_core.c", functions):
        text = resources.files("continuarm.export").joinpath(each).read_text(encoding="utf-8")
        texts[each] = re.sub(r"@[A-Z_]+@", lambda found: words[found[0]], text)
    return texts


def _head(export: CExport, version: str, more: dict[str, str]) -> ElementTree.Element:
    about = {"description": export.arm.description or "a continuum arm", "generationTool": f"continuarm {VERSION}"}
    named = {"fmiVersion": version, "modelName": export.arm.name, "variableNamingConvention": "flat"}
    return ElementTree.Element("fmiModelDescription", named | about | more)


def _units(root: ElementTree.Element) -> None:
    defined = ElementTree.SubElement(root, "UnitDefinitions")
    for name, base in UNITS.items():
        unit = ElementTree.SubElement(defined, "Unit", name=name)
        ElementTree.SubElement(unit, "BaseUnit", {each: str(power) for each, power in base.items()})


def _text(root: ElementTree.Element) -> str:
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


_ROLES: dict[str, dict[str, str]] = {
    "input": {"causality": "input", "variability": "continuous"},
    "state": {"causality": "local", "variability": "continuous", "initial": "exact"},
    "rate": {"causality": "local", "variability": "continuous", "initial": "calculated"},
    "tip": {"causality": "output", "variability": "continuous", "initial": "calculated"},
    "length": {"causality": "output", "variability": "continuous", "initial": "calculated"},
    "energy": {"causality": "output", "variability": "continuous", "initial": "calculated"},
    "parameter": {"causality": "parameter", "variability": "tunable", "initial": "exact"},
}


def _named(variable: Variable) -> dict[str, str]:
    named = {"name": variable.name, "valueReference": str(variable.reference), "description": variable.about}
    return named | _ROLES[variable.kind]


def _numbers(variable: Variable) -> dict[str, str]:
    numbers = {"unit": variable.unit} if variable.unit else {}
    if variable.start is not None:
        numbers["start"] = repr(variable.start)
    if variable.nominal is not None:
        numbers["nominal"] = repr(variable.nominal)
    return numbers


def _structured(made: list[Variable], kinds: tuple[str, ...]) -> list[tuple[int, Variable]]:
    return [(k, v) for k, v in enumerate(made, start=1) if v.kind in kinds]


_OUTPUTS = ("tip", "length", "energy")


def _description_2(export: CExport, made: list[Variable]) -> str:
    root = _head(export, "2.0", {"guid": export.digest, "numberOfEventIndicators": "0"})
    can = {"canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true", "providesDirectionalDerivative": "true"}
    can["canNotUseMemoryManagementFunctions"] = "true"
    kinds: list[tuple[str, dict[str, str]]] = [
        ("ModelExchange", {"completedIntegratorStepNotNeeded": "true"}),
        ("CoSimulation", {"canHandleVariableCommunicationStepSize": "true"}),
    ]
    for kind, more in kinds:
        element = ElementTree.SubElement(root, kind, {"modelIdentifier": export.prefix} | can | more)
        ElementTree.SubElement(ElementTree.SubElement(element, "SourceFiles"), "File", name="fmi2.c")
    _units(root)
    ElementTree.SubElement(root, "DefaultExperiment", startTime="0.0", stopTime="1.0", stepSize=repr(10 * export.step))
    listed = ElementTree.SubElement(root, "ModelVariables")
    states = {v.place: k for k, v in _structured(made, ("state",))}
    for variable in made:
        element = ElementTree.SubElement(listed, "ScalarVariable", _named(variable))
        derivative = {"derivative": str(states[variable.place])} if variable.kind == "rate" else {}
        ElementTree.SubElement(element, "Real", _numbers(variable) | derivative)
    structure = ElementTree.SubElement(root, "ModelStructure")
    for name, what in (("Outputs", _OUTPUTS), ("Derivatives", ("rate",)), ("InitialUnknowns", (*_OUTPUTS, "rate"))):
        part = ElementTree.SubElement(structure, name)
        for k, _ in sorted(_structured(made, what)):
            ElementTree.SubElement(part, "Unknown", index=str(k))
    return _text(root)


def _description_3(export: CExport, made: list[Variable]) -> str:
    root = _head(export, "3.0", {"instantiationToken": export.digest})
    can = {"canGetAndSetFMUState": "true", "canSerializeFMUState": "true", "providesDirectionalDerivatives": "true"}
    named = {"modelIdentifier": export.prefix} | can
    ElementTree.SubElement(root, "ModelExchange", named)
    fixed = {"canHandleVariableCommunicationStepSize": "true", "fixedInternalStepSize": repr(export.step)}
    ElementTree.SubElement(root, "CoSimulation", named | fixed)
    _units(root)
    ElementTree.SubElement(root, "DefaultExperiment", startTime="0.0", stopTime="1.0", stepSize=repr(10 * export.step))
    listed = ElementTree.SubElement(root, "ModelVariables")
    ElementTree.SubElement(
        listed, "Float64", name="time", valueReference="0", causality="independent", variability="continuous"
    )
    states = {v.place: v.reference for v in made if v.kind == "state"}
    for variable in made:
        derivative = {"derivative": str(states[variable.place])} if variable.kind == "rate" else {}
        ElementTree.SubElement(listed, "Float64", _named(variable) | _numbers(variable) | derivative)
    structure = ElementTree.SubElement(root, "ModelStructure")
    parts = (("Output", _OUTPUTS), ("ContinuousStateDerivative", ("rate",)), ("InitialUnknown", (*_OUTPUTS, "rate")))
    for name, kinds in parts:
        for _, variable in _structured(made, kinds):
            ElementTree.SubElement(structure, name, valueReference=str(variable.reference))
    return _text(root)


def _build_description(export: CExport, functions: str) -> str:
    root = ElementTree.Element("fmiBuildDescription", fmiVersion="3.0")
    build = ElementTree.SubElement(root, "BuildConfiguration", modelIdentifier=export.prefix)
    files = ElementTree.SubElement(build, "SourceFileSet", language="C99")
    ElementTree.SubElement(files, "SourceFile", name=functions)
    return _text(root)
