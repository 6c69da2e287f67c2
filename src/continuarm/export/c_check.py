"""A C program that compares exported functions with what the library gives for a few random states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.dynamics.inverse import elastic_forces, gravity_forces
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.plant import Plant
from continuarm.engine import quantities
from continuarm.export.c_steps import tracking

if TYPE_CHECKING:
    from continuarm.export.c_files import CExport

VECTORS = 4
"""States in the test that comes with the sources."""


def random_inputs(arm: Arm, count: int, seed: int) -> dict[str, Floats]:
    """States, forces, commands and directions, by the name of their argument: (count, ...) each."""
    random, plant = np.random.default_rng(seed), Plant(arm)
    lengths = np.repeat([section.length for section in arm.sections], 3)

    def numbers(scale: Any, width: int) -> Floats:
        return np.asarray(scale * random.uniform(-1, 1, (count, width)))

    size, muscles = 3 * arm.n, len(plant.muscles)
    q, qd = numbers(0.1 * lengths, size), numbers(0.2, size)
    pressures = np.maximum(numbers(4e5, muscles), 0.0)
    forces, wrench = numbers(2.0, size), numbers(0.2, 6)
    wrench[::2] = 0.0
    commands = plant.commands.rows(pressures, forces, wrench)
    state = numbers(1.0, plant.states.width)
    state[:, :size], state[:, size : 2 * size] = q, qd
    if plant.states.remembers:
        state[:, plant.states.pressures : plant.states.hysteresis] = np.abs(numbers(4e5, muscles))
    scale = np.concatenate([np.full(muscles, 1e5), np.ones(size + 6)])
    moved = numbers(1.0, plant.states.width)
    moved[:, : 2 * size] = numbers(0.1, 2 * size)
    return {
        "q": q,
        "qd": qd,
        "qdd": numbers(1.0, size),
        "tau": numbers(5.0, size),
        "q_wanted": numbers(0.1 * lengths, size),
        "qd_wanted": numbers(0.2, size),
        "qdd_wanted": numbers(1.0, size),
        "gains": np.tile([100.0, 20.0], (count, 1)),
        "commands": commands,
        "state": state,
        "q_dot": numbers(0.1, size),
        "qd_dot": numbers(0.1, size),
        "commands_dot": numbers(1.0, len(scale)) * scale,
        "state_dot": moved,
    }


def expected(arm: Arm, name: str, given: dict[str, Floats], step: float) -> list[Floats]:
    """What a function gives for rows of inputs: its results, one row for each."""
    plant = Plant(arm)
    q, qd, tau = (given[each] for each in ("q", "qd", "tau"))
    commands, state = given["commands"], given["state"]
    turned = 1j * COMPLEX_STEP

    def energies(q: Any, qd: Any) -> Any:
        from continuarm.dynamics import energies

        return np.stack(
            [
                energies.kinetic_energy(arm, q, qd),
                energies.gravitational_energy(arm, q),
                energies.elastic_energy(arm, q),
            ],
            axis=-1,
        )

    def change(function: Any, *pairs: tuple[Floats, Floats]) -> Any:
        return function(*(at + turned * by for at, by in pairs)).imag / COMPLEX_STEP

    match name:
        case "poses":
            found = [quantities.tip_poses(arm, q)]
        case "muscle_lengths":
            found = [arm.muscle_lengths(q)]
        case "forward_dynamics":
            found = [quantities.forward_dynamics(arm, q, qd, tau)]
        case "inverse_dynamics":
            found = [quantities.inverse_dynamics(arm, q, qd, given["qdd"])]
        case "mass_matrix":
            found = [quantities.mass_matrix(arm, q)]
        case "energies":
            found = [energies(q, qd)]
        case "gravity_compensation":
            found = [gravity_forces(arm, q) + elastic_forces(arm, q)]
        case "computed_torque":
            wanted = (given[f"{each}_wanted"] for each in ("q", "qd", "qdd"))
            gains = (given["gains"][:, k : k + 1] for k in (0, 1))
            found = [quantities.inverse_dynamics(arm, q, qd, tracking(q, qd, *wanted, *gains))]
        case "plant_rate":
            found = [plant.rate(commands, state)]
        case "implicit_step":
            found = [plant.step(commands, state, step)]
        case "linearization":
            found = list(quantities.linearization(arm, q, qd, tau))
        case "poses_along":
            from continuarm.dynamics.poses import tip_poses

            found = [change(lambda q: tip_poses(arm, q), (q, given["q_dot"]))]
        case "energies_along":
            found = [change(energies, (q, given["q_dot"]), (qd, given["qd_dot"]))]
        case "plant_rate_along":
            found = [change(plant.rate, (commands, given["commands_dot"]), (state, given["state_dot"]))]
        case "implicit_step_along":
            pairs = (commands, given["commands_dot"]), (state, given["state_dot"])
            found = [change(lambda commands, state: plant.step(commands, state, step), *pairs)]
        case _:
            raise ValueError(f"{name}: no such function")
    return [np.asarray(each, dtype=float).reshape(len(q), -1) for each in found]


def check_program(export: CExport) -> str:
    """The program: tables of inputs and results, and a loop for every function."""
    p, P = export.prefix, export.prefix.upper()
    given = random_inputs(export.arm, VECTORS, seed=1)
    tables, checks = [], []
    used = {a.name for each in export.functions for a in each.arguments if not a.written}
    tables += [_table(f"given_{name}", given[name]) for name in given if name in used]
    for each in export.functions:
        written = [a for a in each.arguments if a.written or a.both]
        found = expected(export.arm, each.name, given, export.step)
        lines = [f"    /* {each.name} */", f"    for (k = 0; k < {VECTORS}; k++) {{"]
        operands, after = [], []
        for argument in each.arguments:
            width = export.sizes[argument.size]
            if argument.both or not argument.written:
                lines.append(f"        take(given_{argument.name}, k, {width}, {argument.name});")
            operands.append(argument.name)
        for argument, values in zip(written, found, strict=True):
            width = export.sizes[argument.size]
            tables.append(_table(f"expected_{each.name}_{argument.name}", values))
            table = f"expected_{each.name}_{argument.name}"
            after.append(f'        wrong += compare("{each.name}", {table}, k, {width}, {argument.name});')
        work = "derivatives" if each.along else "work"
        lines.append(f"        wrong += ({p}_{each.name}({', '.join(operands)}, &{work}) != {P}_OK);")
        checks += [*lines, *after, "    }"]
    names: dict[str, int] = {}
    for each in export.functions:
        for argument in each.arguments:
            names[argument.name] = max(names.get(argument.name, 0), export.sizes[argument.size])
    declared = [f"    static {p}_real {name}[{width}];" for name, width in names.items()]
    return _TEST.format(
        banner=export._banner("a test that compares every function with the library"),
        p=p,
        P=P,
        tables="\n".join(tables),
        declared="\n".join(declared),
        checks="\n".join(checks),
    )


def _table(name: str, rows: Floats) -> str:
    lines = [", ".join(repr(float(value)) for value in row) for row in rows]
    return f"static const double {name}[] = {{\n" + ",\n".join(f"    {line}" for line in lines) + "};\n"


_TEST = """{banner}
#include "{p}.h"

#include <math.h>
#include <stdio.h>

#ifdef {P}_FLOAT
#define TOLERANCE 1e-4
#else
#define TOLERANCE 1e-12
#endif

static double worst = 0.0;

{tables}
static void take(const double *from, int row, int width, {p}_real *to)
{{
    int k;
    for (k = 0; k < width; k++) {{
        to[k] = ({p}_real)from[row * width + k];
    }}
}}

/* Errors are relative to the largest number of a result. */
static int compare(const char *what, const double *expected, int row, int width, const {p}_real *found)
{{
    double largest = 0.0;
    double error = 0.0;
    int k;
    for (k = 0; k < width; k++) {{
        largest = fmax(largest, fabs(expected[row * width + k]));
        error = fmax(error, fabs(expected[row * width + k] - (double)found[k]));
    }}
    error = (error > 0.0) ? (error / largest) : 0.0;
    worst = fmax(worst, error);
    if (!(error <= TOLERANCE)) {{
        printf("%s: error %.1e in state %d\\n", what, error, row);
        return 1;
    }}
    return 0;
}}

int main(void)
{{
    static {p}_workspace work;
    static {p}_derivative_workspace derivatives;
{declared}
    int wrong = 0;
    int k;
{checks}
    printf("{p}: %s, largest error %.1e\\n", (wrong == 0) ? "all functions agree" : "FAILED", worst);
    return (wrong == 0) ? 0 : 1;
}}
"""
