"""The variables of an FMU: pressures in, tips, lengths and energies out, states, and tunable numbers of the arm."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from continuarm.export.c_files import CExport

KINDS = {"input": 1, "state": 2, "rate": 3, "tip": 4, "length": 5, "energy": 6, "parameter": 7}
"""The thousands of value references, as in fmu_core.c."""

TUNABLE = {
    "sections": ("mass", "disc_inertia", "stiffness_matrix", "damping_matrix"),
    "muscles": ("area", "dead_zone", "pressure_stiffness", "hardening", "preload", "loop", "shaking"),
    "gravity": ("",),
    "payload_mass": ("",),
    "payload_offset": ("",),
}
"""Which constants can be set: those that nothing else is computed from beforehand."""


class Variable(NamedTuple):
    """One number of an FMU."""

    name: str
    kind: str
    place: int
    about: str
    unit: str = ""
    start: float | None = None
    nominal: float | None = None

    @property
    def reference(self) -> int:
        """Its value reference."""
        return 10_000 * KINDS[self.kind] + self.place


def variables(export: CExport) -> list[Variable]:
    """All of them, inputs first; rates come right after the states."""
    arm, s = export.arm, export.structure
    muscles, coordinates = arm.muscle_names, arm.coordinate_names
    made = [Variable(f"pressure.{m}", "input", j, "at the valve", "Pa", 0.0) for j, m in enumerate(muscles)]
    forces = enumerate(coordinates, start=s.commands.forces)
    made += [Variable(f"force.{name}", "input", k, "over q", "N", 0.0) for k, name in forces]
    wrench = [f"{what}.{axis}" for what in ("moment", "force") for axis in "xyz"]
    made += [
        Variable(f"wrench.{name}", "input", s.commands.wrench + k, "on the last tip", "N.m" if k < 3 else "N", 0.0)
        for k, name in enumerate(wrench)
    ]
    states = _states(export)
    made += states
    made += [Variable(f"der({v.name})", "rate", v.place, f"rate of {v.name}") for v in states]
    made += [
        Variable(f"tip.s{i + 1}.{axis}", "tip", 3 * i + k, f"tip of section {i + 1}, world frame", "m")
        for i in range(arm.n)
        for k, axis in enumerate("xyz")
    ]
    made += [Variable(f"length.{m}", "length", j, "length change of a muscle", "m") for j, m in enumerate(muscles)]
    energies = enumerate(("kinetic", "gravitational", "elastic"))
    made += [Variable(f"energy.{name}", "energy", k, f"{name} energy", "J") for k, name in energies]
    return made + _parameters(export)


def _states(export: CExport) -> list[Variable]:
    arm, layout = export.arm, export.structure.states
    names = [(f"q.{name}", "m", 0.01) for name in arm.coordinate_names]
    names += [(f"qd.{name}", "m/s", 0.1) for name in arm.coordinate_names]
    if layout.remembers:
        names += [(f"muscle_pressure.{name}", "Pa", 1e5) for name in arm.muscle_names]
        names += [(f"hysteresis.{name}", "N", 1.0) for name in arm.muscle_names]
        branches = range(export.structure.branches)
        names += [(f"creep.{name}.{b + 1}", "N", 1.0) for b in branches for name in arm.muscle_names]
    names += [("energy.supplied", "J", 1.0), ("energy.dissipated", "J", 1.0)]
    return [Variable(name, "state", k, "state", unit, 0.0, nominal) for k, (name, unit, nominal) in enumerate(names)]


def _parameters(export: CExport) -> list[Variable]:
    found, place = [], 0
    for row in export.constants:
        fields = row.struct.pack.fields if row.struct is not None else [""]
        repeats = max(row.length, 1)
        values = np.asarray(row.values, dtype=float).ravel()
        for k, value in enumerate(values):
            i, field = divmod(k, len(fields))
            label = f"{row.name}[{i + 1}]" if repeats > 1 or row.struct is not None else row.name
            name = f"{label}.{fields[field]}" if fields[field] else label
            if any(fields[field].startswith(each) for each in TUNABLE.get(row.name, ())):
                found.append(Variable(name, "parameter", place + k, "of the arm", start=float(value)))
        place += len(values)
    return found
