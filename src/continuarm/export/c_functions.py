"""The public functions of exported C: each checks the range, runs routines, and checks that results are finite."""

from __future__ import annotations

from typing import NamedTuple

from continuarm.export.routines import Routines, Structure


class Argument(NamedTuple):
    """An array that a function takes, or writes."""

    name: str
    size: str
    """A macro of the header, without the prefix."""
    about: str
    written: bool = False
    both: bool = False


class Function(NamedTuple):
    """A public function: its arguments, where q is, and its body after the range is checked."""

    name: str
    about: str
    arguments: list[Argument]
    body: list[str]
    operations: int
    along: bool = False
    q: str = "q"
    """What must be in the model's range; nothing if empty."""
    result: tuple[str, str] = ("", "")
    """What must be finite at the end: a place and how many numbers, if there is any."""


_Q = Argument("q", "COORDINATES", "muscle length changes, m")
_QD = Argument("qd", "COORDINATES", "their rates, m/s")
_TAU = Argument("tau", "COORDINATES", "forces over q, N")
_COMMANDS = Argument("commands", "COMMANDS", "pressures, Pa; forces over q, N; wrench on the tip, N m and N")
_STATE = Argument("state", "STATE", "q, q', what muscles remember, work supplied and dissipated")


def functions(structure: Structure, plain: Routines, dual: Routines) -> list[Function]:
    """All of them."""

    def of(routines: Routines, *names: str) -> int:
        for name in names:
            if name not in routines.made:
                getattr(routines, name)()
        return sum(routines.made[name].operations for name in names)

    s = structure
    of(plain, "range_margins")
    size, width = s.size, s.states.width
    found = [
        Function(
            "poses",
            "Pose of every tip in the world frame, (4, 4) each, row by row.",
            [_Q, Argument("poses", "POSES", "written", True)],
            ["tips(arm, q, poses, w);"],
            of(plain, "tips"),
            result=("poses", "POSES"),
        ),
        Function(
            "muscle_lengths",
            "Length changes of all muscles, m; or their rates, m/s, of q' in place of q. Any q is in range.",
            [_Q, Argument("found", "MUSCLES", "written", True)],
            ["(void)w;", "lengths(arm, q, found);"],
            of(plain, "lengths"),
            q="",
            result=("found", "MUSCLES"),
        ),
        Function(
            "forward_dynamics",
            "Accelerations: M q'' = tau - C q' - D q' - G - K q.",
            [_Q, _QD, _TAU, Argument("qdd", "COORDINATES", "m/s^2, written", True)],
            ["accelerations(arm, q, qd, tau, qdd, w);"],
            of(plain, "accelerations"),
            result=("qdd", "COORDINATES"),
        ),
        Function(
            "inverse_dynamics",
            "Forces: tau = M q'' + C q' + D q' + G + K q.",
            [_Q, _QD, Argument("qdd", "COORDINATES", "m/s^2"), Argument("tau", "COORDINATES", "N, written", True)],
            ["inverse_dynamics(arm, q, qd, qdd, tau, w);"],
            of(plain, "inverse_dynamics"),
            result=("tau", "COORDINATES"),
        ),
        Function(
            "mass_matrix",
            "M over q, row by row, kg.",
            [_Q, Argument("m", "MATRIX", "written", True)],
            ["masses(arm, q, m, w);"],
            of(plain, "masses"),
            result=("m", "MATRIX"),
        ),
        Function(
            "energies",
            "Kinetic, gravitational and elastic energy, J.",
            [_Q, _QD, Argument("found", "ENERGIES", "written", True)],
            ["energies(arm, q, qd, found, w);"],
            of(plain, "energies"),
            result=("found", "ENERGIES"),
        ),
        Function(
            "gravity_compensation",
            "The forces that hold the arm still: G + K q, end stops included.",
            [_Q, Argument("tau", "COORDINATES", "N, written", True)],
            ["holding_forces(arm, q, tau, w);"],
            of(plain, "holding_forces"),
            result=("tau", "COORDINATES"),
        ),
        Function(
            "computed_torque",
            "Forces that follow a wanted motion: inverse dynamics of q_r'' + k_d (q_r' - q') + k_p (q_r - q).",
            [
                _Q,
                _QD,
                Argument("q_wanted", "COORDINATES", "m"),
                Argument("qd_wanted", "COORDINATES", "m/s"),
                Argument("qdd_wanted", "COORDINATES", "m/s^2"),
                Argument("gains", "GAINS", "k_p, 1/s^2, and k_d, 1/s"),
                Argument("tau", "COORDINATES", "N, written", True),
            ],
            ["tracking_forces(arm, q, qd, q_wanted, qd_wanted, qdd_wanted, gains, tau, w);"],
            of(plain, "tracking_forces"),
            result=("tau", "COORDINATES"),
        ),
        Function(
            "plant_rate",
            "The rate of change of a state under commands.",
            [_COMMANDS, _STATE, Argument("found", "STATE", "written", True)],
            ["plant_rate(arm, commands, state, found, w);"],
            of(plain, "plant_rate"),
            q="state",
            result=("found", "STATE"),
        ),
        Function(
            "implicit_step",
            "A state one step of STEP seconds later, in place, under commands that are means over it.",
            [_COMMANDS, _STATE._replace(both=True, about=_STATE.about + "; in place")],
            ["plant_step(arm, commands, state, w);"],
            of(plain, "plant_step"),
            q="state",
            result=("state", "STATE"),
        ),
        Function(
            "linearization",
            "A = d(q', q'')/d(q, q') and B = d(q', q'')/d tau, row by row.",
            [
                _Q,
                _QD,
                _TAU,
                Argument("a", "LINEAR_A", "(6n, 6n), written", True),
                Argument("b", "LINEAR_B", "(6n, 3n), written", True),
            ],
            _linearization(size),
            3 * size * of(dual, "accelerations"),
            along=True,
            result=("a", "LINEAR_A"),
        ),
        Function(
            "poses_along",
            "How poses of the tips change as q does.",
            [_Q, Argument("q_dot", "COORDINATES", "m"), Argument("found", "POSES", "written", True)],
            [
                f"join(q, q_dot, {size}U, w->inputs);",
                "tips_along(arm, w->inputs, w->outputs, w);",
                f"changes(w->outputs, {16 * s.n}U, found);",
            ],
            of(dual, "tips"),
            along=True,
            result=("found", "POSES"),
        ),
        Function(
            "energies_along",
            "How the energies change as q and q' do.",
            [
                _Q,
                _QD,
                Argument("q_dot", "COORDINATES", "m"),
                Argument("qd_dot", "COORDINATES", "m/s"),
                Argument("found", "ENERGIES", "written", True),
            ],
            [
                f"join(q, q_dot, {size}U, w->inputs);",
                f"join(qd, qd_dot, {size}U, &w->inputs[{size}]);",
                f"energies_along(arm, w->inputs, &w->inputs[{size}], w->outputs, w);",
                "changes(w->outputs, 3U, found);",
            ],
            of(dual, "energies"),
            along=True,
            result=("found", "ENERGIES"),
        ),
        Function(
            "plant_rate_along",
            "How plant_rate changes as commands and state do.",
            [
                _COMMANDS,
                Argument("commands_dot", "COMMANDS", "their change"),
                _STATE,
                Argument("state_dot", "STATE", "its change"),
                Argument("found", "STATE", "written", True),
            ],
            [
                *_joined(s),
                f"zero_along({width}U, w->outputs);",
                f"plant_rate_along(arm, w->inputs, &w->inputs[{s.commands.width}], w->outputs, w);",
                f"changes(w->outputs, {width}U, found);",
            ],
            of(dual, "plant_rate"),
            along=True,
            q="state",
            result=("found", "STATE"),
        ),
        Function(
            "implicit_step_along",
            "How the state after implicit_step changes as commands and the state before it do.",
            [
                _COMMANDS,
                Argument("commands_dot", "COMMANDS", "their change"),
                _STATE,
                Argument("state_dot", "STATE", "its change"),
                Argument("found", "STATE", "written", True),
            ],
            [
                *_joined(s),
                f"plant_step_along(arm, w->inputs, &w->inputs[{s.commands.width}], w);",
                f"changes(&w->inputs[{s.commands.width}], {width}U, found);",
            ],
            of(dual, "plant_step"),
            along=True,
            q="state",
            result=("found", "STATE"),
        ),
    ]
    dual.helpers.add("zero")
    return found


def _joined(s: Structure) -> list[str]:
    return [
        f"join(commands, commands_dot, {s.commands.width}U, w->inputs);",
        f"join(state, state_dot, {s.states.width}U, &w->inputs[{s.commands.width}]);",
    ]


def _linearization(size: int) -> list[str]:
    """Column by column: forward dynamics along every unit direction."""
    both = 2 * size
    return [
        f"zero({both * both}U, a);",
        f"zero({both * size}U, b);",
        f"for (uint32_t j = 0U; j < {size}U; j++) {{",
        f"    a[({both}U * j) + {size}U + j] = (real)1.0;",
        "}",
        f"for (uint32_t j = 0U; j < {3 * size}U; j++) {{",
        f"    join(q, NULL, {size}U, w->inputs);",
        f"    join(qd, NULL, {size}U, &w->inputs[{size}]);",
        f"    join(tau, NULL, {size}U, &w->inputs[{both}]);",
        "    w->inputs[j].d = (real)1.0;",
        f"    accelerations_along(arm, w->inputs, &w->inputs[{size}], &w->inputs[{both}], w->outputs, w);",
        f"    for (uint32_t k = 0U; k < {size}U; k++) {{",
        f"        if (j < {both}U) {{",
        f"            a[({both}U * ({size}U + k)) + j] = w->outputs[k].d;",
        "        } else {",
        f"            b[({size}U * ({size}U + k)) + (j - {both}U)] = w->outputs[k].d;",
        "        }",
        "    }",
        "}",
    ]
