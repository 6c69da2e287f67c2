"""The recursions over the sections of one arm as calls of steps, one after the other: no arithmetic of their own.

They follow the drivers of `continuarm.dynamics`, unrolled for the arm: what depends on its structure alone (number of
sections, stops, valves, branches, payload) is decided here, and not when the code runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from continuarm.arms.arm import Arm
from continuarm.dynamics.plant import Plant
from continuarm.engine.arithmetic import Arithmetic
from continuarm.engine.recorder import Step
from continuarm.engine.section_numbers import is_integral
from continuarm.export.c_language import C99, along
from continuarm.export.c_steps import recorded_steps


class Structure:
    """What of an arm decides which calls there are."""

    def __init__(self, arm: Arm, tunable: bool = False) -> None:
        plant = Plant(arm)
        self.n, self.size = arm.n, 3 * arm.n
        self.model = "integral" if is_integral(arm.inertia) else "shaped"
        self.states, self.commands = plant.states, plant.commands
        self.muscle_sections = [i for i, _ in plant.muscles]
        self.muscles = len(plant.muscles)
        self.branches = len(plant.branches)
        self.lagged = [bool(each) for each in plant.lagged]
        self.remembers = plant.states.remembers
        counts = [len(section.stops) for section in arm.sections]
        self.stops = [range(sum(counts[:i]), sum(counts[: i + 1])) for i in range(arm.n)]
        self.stop_count = sum(counts)
        self.payload = tunable or arm.carried_mass[0] != 0
        self.shakes = tunable or any(muscle.shaking for _, muscle in plant.muscles)
        self.idle = [
            not tunable and not self.remembers and not muscle.hardening and not muscle.preload
            for _, muscle in plant.muscles
        ]
        """Of every muscle: whether it does nothing without pressure."""

    def muscles_of(self, i: int) -> list[int]:
        """The muscles of a section."""
        return [j for j, section in enumerate(self.muscle_sections) if section == i]


@dataclass
class Routine:
    """A function that only calls steps and other routines."""

    name: str
    head: str
    about: str
    lines: list[str] = field(default_factory=list)
    operations: int = 0
    depth: int = 1


class Routines:
    """All routines over one kind of numbers, written as they are asked for; what they use is kept for printing."""

    def __init__(self, structure: Structure, language: C99) -> None:
        self.s, self.language = structure, language
        self.steps: dict[str, Arithmetic] = {}
        self.made: dict[str, Routine] = {}
        self.helpers: set[str] = set()

    @property
    def workspace(self) -> str:
        """The type of the memory that routines work in."""
        return f"{self.language.prefix}_{'derivative_' if self.language.suffix else ''}workspace"

    # ---- writing -----------------------------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _routine(self, name: str, about: str, given: str, written: str, works: bool = True) -> Iterator[Routine]:
        """A routine to be filled in; arguments by name, inputs first. works: whether it is given a workspace."""
        arguments = [f"const {self.language.prefix}_arm *arm"]
        arguments += [f"const {self.language.kind} *{each}" for each in given.split()]
        arguments += [f"{self.language.kind} *{each}" for each in written.split()]
        arguments += [f"{self.workspace} *w"] * works
        made = Routine(name, f"static void {name}{self.language.suffix}({', '.join(arguments)})", about)
        yield made
        self.made[name] = made

    def _step(self, to: Routine, name: str, *operands: str) -> None:
        if name not in self.steps:
            step: Step = recorded_steps()[name]
            self.steps[name] = Arithmetic(along(step) if self.language.suffix else step)
        arithmetic = self.steps[name]
        to.operations += arithmetic.counted()["total"]
        to.lines.append("    " * to.depth + f"{name}{self.language.suffix}({', '.join(operands)});")

    def _run(self, to: Routine, name: str, *operands: str) -> None:
        if name not in self.made:
            getattr(self, name)()
        to.operations += self.made[name].operations
        to.lines.append("    " * to.depth + f"{name}{self.language.suffix}({', '.join(('arm', *operands, 'w'))});")

    def _help(self, to: Routine, name: str, *operands: str) -> None:
        self.helpers.add(name)
        to.lines.append("    " * to.depth + f"{name}{self.language.suffix}({', '.join(operands)});")

    @contextlib.contextmanager
    def _if(self, to: Routine, condition: str) -> Iterator[None]:
        self.helpers.add("any")
        to.lines.append("    " * to.depth + f"if ({condition}) {{")
        to.depth += 1
        yield
        to.depth -= 1
        to.lines.append("    " * to.depth + "}")

    def _any(self, place: str, count: int) -> str:
        return f"any{self.language.suffix}({place}, {count}U)"

    # ---- passes that several share -----------------------------------------------------------------------------------

    def pass_outward(self) -> None:
        """Outward: how every section sits and moves; the angular velocity of the last tip."""
        with self._routine("pass_outward", self.pass_outward.__doc__ or "", "q qd", "") as to:
            self._help(to, "zero", "3U", "w->omega")
            for i in range(self.s.n):
                self._step(
                    to,
                    "outward",
                    section_at(i),
                    numbers_at("q", i),
                    numbers_at("qd", i),
                    "w->omega",
                    f"&w->passages[{i}]",
                    "w->omega",
                )

    def rest_outward(self) -> None:
        """Outward at rest: how every section sits."""
        with self._routine("rest_outward", self.rest_outward.__doc__ or "", "q", "") as to:
            self._help(to, "zero", f"{self.s.size}U", "w->still")
            self._run(to, "pass_outward", "q", "w->still")

    def frames_outward(self) -> None:
        """Outward at rest: frames of the base and of every tip."""
        with self._routine("frames_outward", self.frames_outward.__doc__ or "", "q", "") as to:
            self._run(to, "rest_outward", "q")
            self._step(to, "pose_of_base", "&arm->base_frame", "&w->frames[0]")
            for i in range(self.s.n):
                self._step(to, "attach", f"&w->passages[{i}]", f"&w->frames[{i}]", f"&w->frames[{i + 1}]")

    # ---- quantities of an arm ----------------------------------------------------------------------------------------

    def accelerations(self) -> None:
        """q'' of forces, springs and dampers at a state."""
        with self._routine("accelerations", self.accelerations.__doc__ or "", "q qd tau", "qdd") as to:
            self._help(to, "copy", "tau", f"{self.s.size}U", "w->force")
            self._articulated(to, "q", "qd", implicit=False)

    def stage(self) -> None:
        """q'' in a stage of an implicit step: springs and dampers resist acceleration too, and muscles lean on q."""
        with self._routine("stage", self.stage.__doc__ or "", "q qd tau springs dampers", "qdd") as to:
            self._help(to, "copy", "tau", f"{self.s.size}U", "w->force")
            self._articulated(to, "springs", "dampers", implicit=True)

    def _articulated(self, to: Routine, springs: str, dampers: str, implicit: bool) -> None:
        """The articulated-body recursion: `forward.accelerations`, with shorter steps where a base or a tip is free."""
        s, last = self.s, self.s.n - 1
        self._run(to, "pass_outward", "q", "qd")
        if s.payload:
            self._step(to, "payload_body", "&arm->payload_mass", "arm->payload_offset", "w->omega", "&w->carried")
        for i in reversed(range(s.n)):
            base, loaded = i == 0, i < last or s.payload
            at, against, force = numbers_at(springs, i), numbers_at(dampers, i), numbers_at("w->force", i)
            body = "&w->grounded" if base else "&w->body"
            passage, product, response = f"&w->passages[{i}]", numbers_at("w->products", i, 6), f"&w->responses[{i}]"
            if implicit:
                self._step(to, "lean", f"&w->blocks[{i}]", at, numbers_at("w->ahead", i), force, force)
            self._without_stops(to, i, at, force)
            weigh = f"weigh_base_{s.model}" if base else f"weigh_{s.model}"
            self._step(to, weigh, section_at(i), passage, numbers_at("qd", i), body, product)
            if implicit:
                self._stiffened(to, i, at, body)
            if loaded:
                self._step(to, "lift", passage, product, "&w->carried", "&w->carried")
            given = [section_at(i), passage, body, at, against, force]
            if base and loaded:
                self._step(to, "absorb_base", *given, "&w->carried", response)
            elif base:
                self._step(to, "absorb_only", *given, response)
            elif loaded:
                self._step(to, "absorb", *given, "&w->carried", "&w->carried", response)
            else:
                self._step(to, "absorb_tip", *given, "&w->carried", response)
        self._step(to, "resting_base", "arm->gravity", "w->acceleration")
        for i in range(last):
            given = [section_at(i), f"&w->passages[{i}]", f"&w->responses[{i}]", numbers_at("w->products", i, 6)]
            self._step(to, "respond", *given, "w->acceleration", numbers_at("qdd", i), "w->acceleration")
        given = [section_at(last), f"&w->passages[{last}]", f"&w->responses[{last}]", "w->acceleration"]
        self._step(to, "respond_tip", *given, numbers_at("qdd", last))

    def _without_stops(self, to: Routine, i: int, q: str, force: str) -> None:
        for k in self.s.stops[i]:
            self._step(to, "end_stop", f"&arm->stops[{k}]", q, "w->pushed", "w->energy")
            self._step(to, "without", force, "w->pushed", force)

    def _stiffened(self, to: Routine, i: int, q: str, body: str) -> None:
        leaning = f"&w->blocks[{i}]"
        for k in self.s.stops[i]:
            self._step(to, "stop_stiffness", f"&arm->stops[{k}]", q, "&w->stopping")
            self._step(to, "stiffer", leaning, "&w->stopping", "&w->stiffened")
            leaning = "&w->stiffened"
        self._step(to, "impedance", section_at(i), leaning, "&arm->step", "&w->extra")
        self._step(to, "stiffen_base" if i == 0 else "stiffen", section_at(i), body, "&w->extra", body)

    def step_ahead(self) -> None:
        """q and q' one implicit step later: two stages."""
        size = self.s.size
        with self._routine("step_ahead", self.step_ahead.__doc__ or "", "q qd tau", "after") as to:
            for i in range(self.s.n):
                self._step(
                    to,
                    "first_stage",
                    numbers_at("q", i),
                    numbers_at("qd", i),
                    "&arm->step",
                    numbers_at("w->springs", i),
                )
            self._run(to, "stage", "q", "qd", "tau", "w->springs", "qd", "w->first")
            for i in range(self.s.n):
                moved = (numbers_at(f"w->{each}", i) for each in ("there", "rate", "springs", "dampers"))
                self._step(to, "second_stage", *each_at("q qd w->first", i), "&arm->step", *moved)
            self._run(to, "stage", "w->there", "w->rate", "tau", "w->springs", "w->dampers", "w->second")
            for i in range(self.s.n):
                after = (f"&after[{3 * i}]", f"&after[{size + 3 * i}]")
                self._step(to, "end_of_step", *each_at("q qd w->first w->second", i), "&arm->step", *after)

    def motion_forces(self) -> None:
        """M q'' + C q' + G."""
        with self._routine("motion_forces", self.motion_forces.__doc__ or "", "q qd qdd", "tau") as to:
            self._run(to, "pass_outward", "q", "qd")
            self._step(to, "payload_body", "&arm->payload_mass", "arm->payload_offset", "w->omega", "&w->carried")
            self._step(to, "resting_base", "arm->gravity", "w->acceleration")
            for i in range(self.s.n):
                given = [section_at(i), f"&w->passages[{i}]", *each_at("qd qdd", i), "w->acceleration"]
                found = (numbers_at("w->at_base", i, 6), numbers_at("w->own", i), "w->acceleration")
                self._step(to, f"demand_{self.s.model}", *given, *found)
            self._step(to, "payload_wrench", "&w->carried", "w->acceleration", "w->wrench")
            for i in reversed(range(self.s.n)):
                given = [
                    section_at(i),
                    f"&w->passages[{i}]",
                    numbers_at("w->at_base", i, 6),
                    numbers_at("w->own", i),
                    "w->wrench",
                ]
                self._step(to, "carry", *given, numbers_at("tau", i), "w->wrench")

    def inverse_dynamics(self) -> None:
        """tau = M q'' + C q' + D q' + G + K q, end stops with the springs."""
        with self._routine("inverse_dynamics", self.inverse_dynamics.__doc__ or "", "q qd qdd", "tau") as to:
            self._run(to, "motion_forces", "q", "qd", "qdd", "tau")
            self._elastic(to)
            for i in range(self.s.n):
                self._step(to, "damper", section_at(i), numbers_at("qd", i), "w->pushed")
                self._step(to, "with_more", numbers_at("tau", i), "w->pushed", numbers_at("tau", i))

    def holding_forces(self) -> None:
        """G + K q, end stops with the springs: the forces that hold the arm still."""
        with self._routine("holding_forces", self.holding_forces.__doc__ or "", "q", "tau") as to:
            self._help(to, "zero", f"{self.s.size}U", "w->still")
            self._run(to, "motion_forces", "q", "w->still", "w->still", "tau")
            self._elastic(to)

    def _elastic(self, to: Routine) -> None:
        for i in range(self.s.n):
            self._step(to, "spring", section_at(i), numbers_at("q", i), "w->pushed", "w->energy")
            self._step(to, "with_more", numbers_at("tau", i), "w->pushed", numbers_at("tau", i))
            for k in self.s.stops[i]:
                self._step(to, "end_stop", f"&arm->stops[{k}]", numbers_at("q", i), "w->pushed", "w->energy")
                self._step(to, "with_more", numbers_at("tau", i), "w->pushed", numbers_at("tau", i))

    def tracking_forces(self) -> None:
        """Inverse dynamics of the acceleration that leads back to a wanted motion; gains: of position and rate."""
        given = "q qd q_wanted qd_wanted qdd_wanted gains"
        with self._routine("tracking_forces", self.tracking_forces.__doc__ or "", given, "tau") as to:
            for i in range(self.s.n):
                operands = each_at("q qd q_wanted qd_wanted qdd_wanted", i)
                self._step(to, "tracking", *operands, "&gains[0]", "&gains[1]", numbers_at("w->first", i))
            self._run(to, "inverse_dynamics", "q", "qd", "w->first", "tau")

    def masses(self) -> None:
        """M, row by row."""
        size = self.s.size
        with self._routine("masses", self.masses.__doc__ or "", "q", "m") as to:
            self._run(to, "rest_outward", "q")
            self._step(to, "payload_inertia", "&arm->payload_mass", "arm->payload_offset", "&w->inertia")
            for i in reversed(range(self.s.n)):
                passage = f"&w->passages[{i}]"
                found = ("&w->inertia", "w->wrenches", "w->forces")
                self._step(to, f"compose_{self.s.model}", section_at(i), passage, "&w->inertia", *found)
                for j in reversed(range(i + 1)):
                    above, below = (3 * j * size + 3 * i, 3 * i * size + 3 * j)
                    self._help(to, "write_block", "w->forces", f"{size}U", f"&m[{above}]", f"&m[{below}]")
                    if j:
                        passage = f"&w->passages[{j - 1}]"
                        given = [section_at(j - 1), passage, "w->wrenches"]
                        self._step(to, "hand_down", *given, "w->forces", "w->wrenches")

    def tips(self) -> None:
        """Poses of all tips, each (4, 4) row by row."""
        with self._routine("tips", self.tips.__doc__ or "", "q", "poses") as to:
            self._run(to, "frames_outward", "q")
            for i in range(self.s.n):
                self._help(to, "write_pose", f"&w->frames[{i + 1}]", f"&poses[{16 * i}]")

    def energies(self) -> None:
        """Kinetic, gravitational and elastic energy."""
        s = self.s
        with self._routine("energies", self.energies.__doc__ or "", "q qd", "found") as to:
            self._help(to, "zero", "3U", "found")
            self._help(to, "zero", "6U", "w->motion")
            self._run(to, "rest_outward", "q")
            self._help(to, "zero", "1U", "w->height")
            self._step(to, "weight_at_base", "arm->gravity", "w->weight")
            for i in range(s.n):
                given = [section_at(i), f"&w->passages[{i}]", numbers_at("qd", i), "w->motion"]
                self._step(to, f"kinetic_{s.model}", *given, "w->energy", "w->motion")
                self._step(to, "sum_of", "&found[0]", "w->energy", "&found[0]")
                given = [section_at(i), f"&w->passages[{i}]", "w->weight", "w->height"]
                self._step(to, "fall", *given, "w->energy", "w->weight", "w->height")
                self._step(to, "sum_of", "&found[1]", "w->energy", "&found[1]")
                self._step(to, "spring", section_at(i), numbers_at("q", i), "w->pushed", "w->energy")
                self._step(to, "sum_of", "&found[2]", "w->energy", "&found[2]")
                for k in s.stops[i]:
                    self._step(to, "end_stop", f"&arm->stops[{k}]", numbers_at("q", i), "w->pushed", "w->energy")
                    self._step(to, "sum_of", "&found[2]", "w->energy", "&found[2]")
            self._help(to, "zero", "3U", "w->still")
            payload = ("&arm->payload_mass", "arm->payload_offset")
            self._step(to, "payload_body", *payload, "w->still", "&w->carried")
            self._step(to, "payload_kinetic", "&w->carried", "w->motion", "w->energy")
            self._step(to, "sum_of", "&found[0]", "w->energy", "&found[0]")
            self._step(to, "payload_fall", *payload, "w->weight", "w->height", "w->energy")
            self._step(to, "sum_of", "&found[1]", "w->energy", "&found[1]")

    def range_margins(self) -> None:
        """How far every section is from where the model ends: two numbers each, positive where it holds."""
        with self._routine("range_margins", self.range_margins.__doc__ or "", "q", "found", works=False) as to:
            for i in range(self.s.n):
                self._step(to, "margins", section_at(i), numbers_at("q", i), f"&found[{2 * i}]", f"&found[{2 * i + 1}]")


def section_at(i: int) -> str:
    """The constants of section i."""
    return f"&arm->sections[{i}]"


def numbers_at(name: str, i: int, width: int = 3, begin: int = 0) -> str:
    """The numbers of section i in an array."""
    return f"&{name}[{begin + width * i}]"


def each_at(names: str, i: int) -> list[str]:
    """The numbers of section i in several arrays."""
    return [numbers_at(name, i) for name in names.split()]
