"""An arm as a library for `casadi.external`: functions with exact Jacobians, called without Python."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from continuarm.arms.arm import Arm
from continuarm.common.files import replaced
from continuarm.export.c_compiler import compiled_c
from continuarm.export.c_files import CExport, export_folder, write_files

SIGNATURES: dict[str, tuple[tuple[str, ...], str]] = {
    "forward_dynamics": (("q", "qd", "tau"), "qdd"),
    "tips": (("q",), "positions"),
    "plant_rate": (("state", "pressures", "forces", "wrench"), "rate"),
    "implicit_step": (("state", "pressures", "forces", "wrench"), "after"),
}
"""The arguments and the result of every function for CasADi."""


class Part(NamedTuple):
    """An argument of a function: its name, and where it is in the dual numbers that routines take."""

    name: str
    begin: int
    size: int


class External(NamedTuple):
    """A function of the library: arguments, its result, and the statements that compute it."""

    name: str
    arguments: list[Part]
    result: str
    rows: int
    q: int
    """Where q begins among the numbers."""
    value: list[str]
    """From the numbers `x` to the result `y`."""
    along: list[str]
    """From dual numbers `x` to dual numbers `y`."""

    @property
    def width(self) -> int:
        """Numbers that it takes."""
        return sum(part.size for part in self.arguments)


def export_casadi(
    arm: Arm, folder: str | os.PathLike[str], *, name: str | None = None, step: float = 1e-3
) -> list[Path]:
    """Writes an arm as a library for `casadi.external`, with its sources: optimal control without Python in the loop.

    The functions are forward_dynamics(q, qd, tau), tips(q), plant_rate(state, pressures, forces, wrench) and
    implicit_step of the same arguments, the state one step later; their names begin with NAME_casadi_. Each has an
    exact Jacobian. The library is made by the C compiler of this machine. For a state beyond the model's range a
    function fails, which solvers such as Ipopt answer with a shorter step.

    Parameters
    ----------
    arm : Arm
    folder : str or path
        Where to; made where it is missing.
    name : str, optional
        Prefix of all names, a C identifier; the arm's own name, made one, if left out.
    step : float, optional
        Length of an implicit step, s.

    Returns
    -------
    list of Path
        The files written, the library last.

    Examples
    --------
    >>> from continuarm.export import export_casadi
    >>> export_casadi(ca.load_arm("single-section"), "arm_casadi", name="arm")[-1].name
    'arm_casadi.so'
    >>> import casadi
    >>> dynamics = casadi.external("arm_casadi_forward_dynamics", "arm_casadi/arm_casadi.so")
    >>> dynamics.jacobian().size_out(0)
    (3, 3)
    """
    export = CExport(arm, name, step)
    place = export_folder(folder)
    source = f"{export.prefix}_casadi.c"
    files = {
        f"{export.prefix}.h": export.header(),
        f"{export.prefix}.c": export.source(),
        source: casadi_source(export),
    }
    written = write_files(files, place)
    library = place / f"{export.prefix}_casadi.so"
    with replaced(library) as new:
        compiled_c([place / source], new, "a library for CasADi", for_this_machine=True)
    return [*written, library]


def externals(export: CExport) -> list[External]:
    """All functions."""
    s = export.structure
    size, width, begin = s.size, s.states.width, s.commands.width
    parts = {each: Part(each, k * size, size) for k, each in enumerate(("q", "qd", "tau"))}
    parts |= {
        "pressures": Part("pressures", 0, s.commands.forces),
        "forces": Part("forces", s.commands.forces, size),
        "wrench": Part("wrench", s.commands.wrench, 6),
        "state": Part("state", begin, width),
    }
    state = f"&x[{begin}]"
    bodies: dict[str, tuple[int, int, list[str]]] = {  # rows, where q begins, and statements over one kind of numbers
        "forward_dynamics": (size, 0, [f"accelerations{{0}}(arm, x, &x[{size}], &x[{2 * size}], y, w);"]),
        "tips": (3 * s.n, 0, ["tips{0}(arm, x, poses, w);", *_positions(s.n)]),
        "plant_rate": (width, begin, [f"zero{{0}}({width}U, y);", f"plant_rate{{0}}(arm, x, {state}, y, w);"]),
        "implicit_step": (width, begin, [f"plant_step{{0}}(arm, x, {state}, w);", f"copy{{0}}({state}, {width}U, y);"]),
    }
    made = []
    for name, (arguments, result) in SIGNATURES.items():
        rows, q, lines = bodies[name]
        value, along = ([line.format(kind) for line in lines] for kind in ("", "_along"))
        made.append(External(name, [parts[each] for each in arguments], result, rows, q, value, along))
    return made


def _positions(n: int) -> list[str]:
    return [f"y[{3 * i + k}] = poses[{16 * i + 4 * k + 3}];" for i in range(n) for k in range(3)]


def casadi_source(export: CExport) -> str:
    """The functions as CasADi calls them, around the arm's C."""
    parts = [
        export._banner("functions for casadi.external"),
        f'#include "{export.prefix}.c"\n',
        "#include <string.h>\n\ntypedef long long casadi_int;\n",
    ]
    for each in externals(export):
        parts += [_function(export, each), _jacobian(export, each)]
    return "\n".join(parts)


def _gathered(each: External, number: str) -> list[str]:
    lines = []
    for k, part in enumerate(each.arguments):
        target = f"x[{part.begin} + k]{number}"
        lines.append(f"    for (int k = 0; k < {part.size}; k++) {target} = arg[{k}] != NULL ? arg[{k}][k] : 0.0;")
    return lines


def _function(export: CExport, each: External) -> str:
    p, n = export.prefix, export.structure.n
    return "\n".join(
        [
            f"/* {each.name}: {', '.join(part.name for part in each.arguments)}. */",
            f"int {called(export, each)}(const double **arg, double **res, casadi_int *iw, double *work, int mem)",
            "{",
            f"    const {p}_arm *arm = &constants;",
            f"    {p}_workspace *w = ({p}_workspace *)work;",
            f"    real x[{each.width}], y[{each.rows}], poses[{16 * n}];",
            "    (void)iw, (void)mem, (void)poses;",
            *_gathered(each, ""),
            f"    if (!in_range(arm, &x[{each.q}])) return 1;",
            *(f"    {line}" for line in each.value),
            "    if (res[0] != NULL) memcpy(res[0], y, sizeof(y));",
            f"    return all_finite(y, {each.rows}U) == {p.upper()}_OK ? 0 : 1;",
            "}",
            *_described(export, called(export, each), _columns(each), [(each.result, each.rows, 1)]),
        ]
    )


def _jacobian(export: CExport, each: External) -> str:
    """Column by column: along every unit direction of the arguments whose blocks are wanted."""
    p, n = export.prefix, export.structure.n
    lines = [
        f"int jac_{called(export, each)}(const double **arg, double **res, casadi_int *iw, double *work, int mem)",
        "{",
        f"    const {p}_arm *arm = &constants;",
        f"    {p}_derivative_workspace *w = ({p}_derivative_workspace *)work;",
        f"    dual x[{each.width}], y[{each.rows}], poses[{16 * n}];",
        f"    real at[{each.width}];",
        "    (void)iw, (void)mem, (void)poses;",
        *(line.replace("x[", "at[") for line in _gathered(each, "")),
        f"    if (!in_range(arm, &at[{each.q}])) return 1;",
    ]
    for k, part in enumerate(each.arguments):
        lines += [
            f"    for (int j = 0; res[{k}] != NULL && j < {part.size}; j++) {{ /* by {part.name} */",
            f"        join(at, NULL, {each.width}U, x);",
            f"        x[{part.begin} + j].d = 1.0;",
            *(f"        {line}" for line in each.along),
            f"        changes(y, {each.rows}U, &res[{k}][{each.rows} * j]);",
            f"        if (all_finite(&res[{k}][{each.rows} * j], {each.rows}U) != {p.upper()}_OK) return 1;",
            "    }",
        ]
    given = [*_columns(each), (f"out_{each.result}", each.rows, 1)]
    blocks = [(f"jac_{each.result}_{part.name}", each.rows, part.size) for part in each.arguments]
    return "\n".join([*lines, "    return 0;", "}", *_described(export, f"jac_{called(export, each)}", given, blocks)])


def called(export: CExport, each: External) -> str:
    """The name of a function for `casadi.external`."""
    return f"{export.prefix}_casadi_{each.name}"


Shape = tuple[str, int, int]
"""Name, rows and columns of an argument or a result."""


def _columns(each: External) -> list[Shape]:
    return [(part.name, part.size, 1) for part in each.arguments]


def _described(export: CExport, called: str, given: list[Shape], found: list[Shape]) -> list[str]:
    """What CasADi asks of a function: numbers, names and shapes of arguments and results, and memory."""
    workspace = f"{export.prefix}_{'derivative_' if called.startswith('jac_') else ''}workspace"
    lines = [
        f"casadi_int {called}_n_in(void) {{ return {len(given)}; }}",
        f"casadi_int {called}_n_out(void) {{ return {len(found)}; }}",
    ]
    for side, shapes in (("in", given), ("out", found)):
        lines += [f"const char *{called}_name_{side}(casadi_int i)", "{", "    switch (i) {"]
        lines += [f'        case {k}: return "{each}";' for k, (each, _, _) in enumerate(shapes)]
        lines += ["        default: return NULL;", "    }", "}"]
        lines += [f"const casadi_int *{called}_sparsity_{side}(casadi_int i)", "{"]
        lines += [
            f"    static const casadi_int shape{k}[3] = {{{rows}, {columns}, 1}}; /* dense */"
            for k, (_, rows, columns) in enumerate(shapes)
        ]
        lines += ["    switch (i) {"]
        lines += [f"        case {k}: return shape{k};" for k in range(len(shapes))]
        lines += ["        default: return NULL;", "    }", "}"]
    return [
        *lines,
        f"int {called}_work(casadi_int *sz_arg, casadi_int *sz_res, casadi_int *sz_iw, casadi_int *sz_w)",
        "{",
        f"    if (sz_arg != NULL) *sz_arg = {len(given)};",
        f"    if (sz_res != NULL) *sz_res = {len(found)};",
        "    if (sz_iw != NULL) *sz_iw = 0;",
        f"    if (sz_w != NULL) *sz_w = sizeof({workspace}) / sizeof(double);",
        "    return 0;",
        "}\n",
    ]
