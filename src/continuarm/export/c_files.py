"""An arm as C99: one header and one source, a test that checks itself, and a page that says how to use them."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
import re
from importlib import resources
from pathlib import Path

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.arm_file import arm_text
from continuarm.common.files import output_folder, replaced
from continuarm.common.number_checks import duration
from continuarm.common.text import short
from continuarm.engine.arithmetic import structs
from continuarm.export.c_check import check_program
from continuarm.export.c_constants import Row, constants, constants_table, constants_type
from continuarm.export.c_deviations import deviations
from continuarm.export.c_functions import Function, functions
from continuarm.export.c_identifiers import prefix_of
from continuarm.export.c_language import C99, DualC99, plain
from continuarm.export.liveness import most_alive
from continuarm.export.plant_routines import PlantRoutines
from continuarm.export.routines import Routines, Structure

MOST_SECTIONS = 32
"""Of an arm that is exported: calls are unrolled, and a table of more would not fit the machines that this is for."""

SHORTEST_STEP = 1e-9
"""s: below it rounding is all that happens in a step."""

VERSION = importlib.metadata.version("continuarm")


class CExport:
    """The texts of one arm's C export; name: prefix of all names, step: s, of `implicit_step`."""

    def __init__(self, arm: Arm, name: str | None = None, step: float = 1e-3, tunable: bool = False) -> None:
        require_arm(arm)
        if arm.n > MOST_SECTIONS:
            raise ValueError(f"{arm.name!r} has {arm.n} sections: at most {MOST_SECTIONS} can be exported as C")
        self.arm, self.step = arm, step_length(step)
        self.prefix = prefix_of(arm, name)
        self.structure = Structure(arm, tunable)
        self.plain = PlantRoutines(self.structure, C99(self.prefix))
        self.dual = PlantRoutines(self.structure, DualC99(self.prefix))
        self.functions = functions(self.structure, self.plain, self.dual)
        self.constants: list[Row] = constants(arm, self.step)
        self.digest = hashlib.sha256(arm_text(arm).encode()).hexdigest()

    def files(self) -> dict[str, str]:
        """Name and text of every file."""
        return {
            f"{self.prefix}.h": self.header(),
            f"{self.prefix}.c": self.source(),
            f"{self.prefix}_test.c": check_program(self),
            "README.md": self.readme(),
        }

    # ---- the header --------------------------------------------------------------------------------------------------

    @property
    def sizes(self) -> dict[str, int]:
        """The numbers of the arm's arrays, by the name of their macro."""
        s = self.structure
        layout = {"PRESSURES": s.states.pressures, "HYSTERESIS": s.states.hysteresis, "CREEP": s.states.creep}
        memory = {f"STATE_{name}": place for name, place in layout.items()} if s.remembers else {}
        return {
            "SECTIONS": s.n,
            "COORDINATES": s.size,
            "MUSCLES": s.muscles,
            "STATE": s.states.width,
            **memory,
            "STATE_SUPPLIED": s.states.supplied,
            "STATE_DISSIPATED": s.states.dissipated,
            "COMMANDS": s.commands.width,
            "COMMANDS_FORCES": s.commands.forces,
            "COMMANDS_WRENCH": s.commands.wrench,
            "POSES": 16 * s.n,
            "MATRIX": s.size**2,
            "ENERGIES": 3,
            "GAINS": 2,
            "LINEAR_A": 4 * s.size**2,
            "LINEAR_B": 2 * s.size**2,
        }

    def header(self) -> str:
        """The header: types, sizes, and every function with its cost."""
        P, p = self.prefix.upper(), self.prefix
        sizes = [f"#define {P}_{name} {value}" for name, value in self.sizes.items()]
        status = f"{p}_status"
        parts = [
            self._banner("types, sizes and functions"),
            f"#ifndef {P}_H\n#define {P}_H\n",
            f"/* Numbers are double, or float where {P}_FLOAT is defined, for this header and its source alike. */",
            f"#ifdef {P}_FLOAT\ntypedef float {p}_real;\n#else\ntypedef double {p}_real;\n#endif\n",
            "/* Numbers in arrays. A state is q, q', what muscles remember, and work supplied and dissipated; commands",
            " * are pressures in Pa, forces over q in N, and moment and force on the last tip in N m and N. */",
            *sizes,
            f"\n/* Seconds of {p}_implicit_step. */",
            f"#define {P}_STEP {self.step!r}\n",
            "typedef enum {",
            f"    {P}_OK = 0,",
            f"    {P}_BEYOND_MODEL = 1, /* q is no number, or a section would bend by a turn or have no length */",
            f"    {P}_NOT_FINITE = 2    /* what came out is no number: inputs are not, or M is singular */",
            f"}} {status};\n",
            "/* A value and its change along one direction. */",
            f"typedef struct {{\n    {p}_real v;\n    {p}_real d;\n}} {p}_dual;\n",
            self._workspaces(),
            f"/* Operations are counted with each function. A step keeps at most {self.stack_numbers} numbers at once:",
            " * the stack that is needed beyond a few calls. */\n",
            *(self._prototype(each) for each in self.functions),
            f"#endif /* {P}_H */\n",
        ]
        return "\n".join(parts)

    def _banner(self, what: str) -> str:
        name = re.sub(r"[^\w .,()+-]", "", plain(self.arm.name)).rstrip(".")  # nothing that begins or ends a comment
        model = "exact integrals" if self.structure.model == "integral" else "shaped centre of gravity"
        return "\n".join(
            [
                f"/* {name}: {what}. Printed by continuarm {VERSION}; do not edit.",
                " *",
                f" * {self.arm.n} sections, inertia model: {model}.",
                f" * SHA-256 of the arm file: {self.digest}",
                " */\n",
            ]
        )

    def _workspaces(self) -> str:
        """The memory that callers lend, with the structs inside."""
        texts = ["/* Memory to work in: yours, one for each thread; nothing in it is kept between calls. */"]
        for routines in (self.plain, self.dual):
            language = routines.language
            used = [arithmetic.step for arithmetic in routines.steps.values()]
            known = [each for each in structs(used) if not each.constant]
            texts += [language.struct(each) for each in known]
            lines = [f"    {self._member(routines, *member)};" for member in self._members(routines)]
            texts += ["typedef struct {", *lines, f"}} {routines.workspace};\n"]
        return "\n".join(texts)

    def _members(self, routines: Routines) -> list[tuple[str, str, int]]:
        """Name, struct or nothing, and count of all that routines use of their workspace."""
        s = self.structure
        size, width = s.size, s.states.width + s.commands.width
        known = [
            *(("passages", "passage", s.n), ("responses", "response", s.n), ("frames", "frame", s.n + 1)),
            *(("carried", "articulated", 0), ("body", "section_body", 0), ("grounded", "grounded_body", 0)),
            *(("inertia", "inertia", 0), ("blocks", "symmetric", s.n), ("stopping", "symmetric", 0)),
            *(("stiffened", "symmetric", 0), ("extra", "symmetric", 0)),
            *((name, "", size) for name in ("still", "force", "springs", "dampers", "there", "rate", "first")),
            *((name, "", size) for name in ("second", "ahead", "tau", "ways", "own")),
            *(("products", "", 2 * size), ("at_base", "", 2 * size), ("after", "", 2 * size)),
            *((name, "", s.muscles) for name in ("pressures", "hysteresis")),
            ("creep", "", s.branches * s.muscles),
            *((name, "", 6) for name in ("acceleration", "wrench", "motion")),
            *((name, "", 3) for name in ("omega", "pushed", "weight")),
            *(("wrenches", "", 18), ("forces", "", 9), ("power", "", 2)),
            *((name, "", 1) for name in ("energy", "height", "all_along")),
            ("inputs", "", max(width, 3 * size)),
            ("outputs", "", max(s.states.width, 16 * s.n)),
        ]
        lines = [line for routine in routines.made.values() for line in routine.lines]
        lines += [line for each in self.functions if each.along == bool(routines.language.suffix) for line in each.body]
        text = "\n".join(lines)
        return [
            member
            for member in known
            if f"w->{member[0]}[" in text or f"w->{member[0]}," in text or f"w->{member[0]})" in text
        ]

    def _member(self, routines: Routines, name: str, struct: str, count: int) -> str:
        language = routines.language
        kind = f"{self.prefix}_{struct}{language.suffix}" if struct else f"{self.prefix}_{language.kind}"
        return f"{kind} {name}{f'[{count}]' if count else ''}"

    def _prototype(self, each: Function) -> str:
        lines = [f"/* {each.about}", *(f" * {a.name}: {a.about}." for a in each.arguments)]
        return "\n".join([*lines, f" * {each.operations} operations. */", f"{self._head(each)};\n"])

    def _head(self, each: Function) -> str:
        P, p = self.prefix.upper(), self.prefix
        arguments = [
            f"{'' if a.written or a.both else 'const '}{p}_real {a.name}[{P}_{a.size}]" for a in each.arguments
        ]
        routines = self.dual if each.along else self.plain
        arguments.append(f"{routines.workspace} *w")
        return f"{p}_status {p}_{each.name}({', '.join(arguments)})"

    # ---- the source --------------------------------------------------------------------------------------------------

    def source(self) -> str:
        """The source: constants, steps, routines, functions."""
        p = self.prefix
        language = self.plain.language
        parts = [
            self._banner("constants, steps and routines"),
            f'#include "{p}.h"\n',
            "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n",
            f"typedef {p}_real real;\ntypedef {p}_dual dual;\n",
            "/* ---- constants of the arm ---- */\n",
            constants_type(self.constants, language),
            constants_table(self.constants, p),
            "/* ---- moving numbers ---- */\n",
            *self._helpers(),
        ]
        for routines, what in ((self.plain, "numbers"), (self.dual, "numbers with their change along a direction")):
            parts.append(f"/* ---- steps: one section or one muscle, over {what} ---- */\n")
            parts += [routines.language.function(arithmetic) for arithmetic in routines.steps.values()]
            parts.append(f"/* ---- routines: all sections, over {what} ---- */\n")
            for routine in routines.made.values():
                about = f"/* {plain(routine.about)} {routine.operations} operations. */"
                parts += [about, f"{routine.head}\n{{", *routine.lines, "}\n"]
        parts += ["/* ---- functions ---- */\n", self._checks(), *(self._function(each) for each in self.functions)]
        return "\n".join(parts)

    def _helpers(self) -> list[str]:
        text = resources.files("continuarm.export").joinpath("helpers.c").read_text(encoding="utf-8")
        found = []
        for piece in text.split("\n\n"):
            name = piece.split("(")[0].split()[-1]
            plain_name = name.removesuffix("_along")
            routines = self.dual if name != plain_name else self.plain
            always = plain_name in ("join", "changes") or (name == "zero")
            if always or plain_name in routines.helpers:
                found.append(piece.strip().replace("PREFIX", self.prefix) + "\n")
        return found

    def _checks(self) -> str:
        n, p, P = self.structure.n, self.prefix, self.prefix.upper()
        return f"""/* Whether the model holds: every section bends by less than a turn and has a length. */
static bool in_range(const {p}_arm *arm, const real *q)
{{
    real margin[{2 * n}];
    bool holds = true;
    range_margins(arm, q, margin);
    for (uint32_t k = 0U; k < {2 * n}U; k++) {{
        holds = holds && (margin[k] > (real)0.0);
    }}
    return holds;
}}

/* OK where all numbers are finite: x - x is 0 for those, and NaN for others. */
static {p}_status all_finite(const real *from, uint32_t count)
{{
    {p}_status status = {P}_OK;
    for (uint32_t k = 0U; k < count; k++) {{
        const real none = from[k] - from[k];
        if (!((none <= (real)0.0) && (none >= (real)0.0))) {{
            status = {P}_NOT_FINITE;
        }}
    }}
    return status;
}}
"""

    def _function(self, each: Function) -> str:
        P, p = self.prefix.upper(), self.prefix
        where, count = each.result
        finite = f"status = all_finite({where}, {self.sizes[count]}U);"
        inside = [*each.body, finite]
        if each.q:
            inside = [f"if (in_range(arm, {each.q})) {{", *(f"    {line}" for line in inside), "}"]
        lines = [
            self._head(each),
            "{",
            f"    const {p}_arm *arm = &constants;",
            f"    {p}_status status{f' = {P}_BEYOND_MODEL' if each.q else ''};",
            *(f"    {line}" for line in inside),
            "    return status;",
            "}\n",
        ]
        return "\n".join(lines)

    @property
    def most_locals(self) -> int:
        """The most constants that a step declares."""
        made = [*self.plain.steps.values(), *self.dual.steps.values()]
        return max(len(each.loads) + len(each.statements) for each in made)

    @property
    def stack_numbers(self) -> int:
        """The most numbers that a step keeps at once: what it takes of the stack beyond registers."""
        made = [*self.plain.steps.values(), *self.dual.steps.values()]
        return max(map(most_alive, made))

    def readme(self) -> str:
        """The page beside the sources."""
        text = resources.files("continuarm.export").joinpath("c_readme.md").read_text(encoding="utf-8")
        operations = "\n".join(f"| `{self.prefix}_{each.name}` | {each.operations} |" for each in self.functions)
        words = {
            "PREFIX": self.prefix,
            "MACRO": self.prefix.upper(),
            "ARM": self.arm.name,
            "DIGEST": self.digest,
            "STEP": f"{self.step!r}",
            "VERSION": VERSION,
            "OPERATIONS": operations,
            "ALIVE": str(self.stack_numbers),
            "DEVIATIONS": "\n".join(f"| {rule} | {reason} |" for rule, reason in deviations(self).items()),
        }
        for word, value in words.items():
            text = text.replace(f"@{word}@", value)
        return text


def export_c(arm: Arm, folder: str | os.PathLike[str], *, name: str | None = None, step: float = 1e-3) -> list[Path]:
    """Writes an arm as C99: a header, a source, a test that checks itself, and a page that says how to use them.

    Parameters
    ----------
    arm : Arm
    folder : str or path
        Where to; made where it is missing. Files of the same names are replaced.
    name : str, optional
        Prefix of all names and files, a C identifier; the arm's own name, made one, if left out.
    step : float, optional
        Length of an implicit step, s.

    Returns
    -------
    list of Path
        The files written.

    Examples
    --------
    >>> from continuarm.export import export_c
    >>> [path.name for path in export_c(ca.load_arm("prototype"), "prototype_c")]
    ['prototype.h', 'prototype.c', 'prototype_test.c', 'README.md']
    """
    files = CExport(arm, name, step).files()
    return write_files(files, export_folder(folder))


def step_length(step: float) -> float:
    """The length of implicit steps, s, checked."""
    return duration("step", step, SHORTEST_STEP, 1.0)


def export_folder(folder: str | os.PathLike[str]) -> Path:
    """A folder to write into, made where it is missing; ValueError says why it cannot be."""
    name = os.fspath(folder) if isinstance(folder, os.PathLike) else folder
    if not isinstance(name, str) or not name:
        raise ValueError(f"folder = {short(folder)}: must be the name of a folder")
    return output_folder(name)


def write_files(files: dict[str, str], folder: Path) -> list[Path]:
    """Writes texts into a folder."""
    paths = []
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        with replaced(place) as new:
            new.write_text(text, encoding="utf-8")
        paths.append(place)
    return paths
