"""The plant as calls of steps: an arm with its muscles and valves under commands, its rate and its implicit step."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from continuarm.export.routines import Routine, Routines, numbers_at, section_at


class PlantRoutines(Routines):
    """Those of an arm, and those of the arm with its muscles; they follow `continuarm.dynamics.plant.Plant`."""

    def outside_forces(self) -> None:
        """Forces over q and those of a wrench on the last tip."""
        s = self.s
        wrench = f"&commands[{s.commands.wrench}]"
        with self._routine("outside_forces", self.outside_forces.__doc__ or "", "commands q", "tau") as to:
            self._help(to, "copy", f"&commands[{s.commands.forces}]", f"{s.size}U", "tau")
            with self._if(to, self._any(wrench, 6)):
                self._run(to, "frames_outward", "q")
                for i in range(s.n):
                    given = [section_at(i), f"&w->passages[{i}]", f"&w->frames[{i}]", f"&w->frames[{s.n}]", wrench]
                    self._step(to, "feel_wrench", *given, "w->pushed")
                    self._step(to, "with_more", numbers_at("tau", i), "w->pushed", numbers_at("tau", i))

    def _all_along(self, to: Routine, rates: str, begin: int = 0) -> None:
        self._help(to, "zero", "1U", "w->all_along")
        if self.s.shakes:
            for j, i in enumerate(self.s.muscle_sections):
                rate = numbers_at(rates, i, begin=begin)
                self._step(to, "one_more_along", f"&arm->muscles[{j}]", rate, "w->all_along", "w->all_along")

    def _memory(self, j: int) -> tuple[str, str]:
        """Where the pressure and the hysteresis of a muscle are."""
        s = self.s
        pressure = f"&state[{s.states.pressures + j}]" if s.lagged[j] else f"&commands[{j}]"
        return pressure, f"&state[{s.states.hysteresis + j}]" if s.remembers else "w->still"

    @contextlib.contextmanager
    def _unless_idle(self, to: Routine, j: int, pressure: str) -> Iterator[None]:
        if self.s.idle[j]:
            with self._if(to, self._any(pressure, 1)):
                yield
        else:
            yield

    def lengths(self) -> None:
        """Length changes of all muscles; rates of q in place of q alike."""
        with self._routine("lengths", self.lengths.__doc__ or "", "q", "found", works=False) as to:
            for j, i in enumerate(self.s.muscle_sections):
                self._step(to, "along", f"&arm->muscles[{j}]", numbers_at("q", i), f"&found[{j}]")

    def plant_rate(self) -> None:
        """The rate of change of a state under commands."""
        s = self.s
        with self._routine("plant_rate", self.plant_rate.__doc__ or "", "commands state", "found") as to:
            qd = f"&state[{s.size}]"
            self._help(to, "zero", "2U", "w->power")
            self._help(to, "zero", "1U", "w->still")
            self._all_along(to, "state", begin=s.size)
            self._run(to, "outside_forces", "commands", "state", "w->tau")
            for i in range(s.n):
                tau, q, qdi = numbers_at("w->tau", i), numbers_at("state", i), numbers_at("state", i, begin=s.size)
                self._step(to, "section_power", section_at(i), tau, qdi, "w->power", "w->power")
                for j in s.muscles_of(i):
                    pressure, hysteresis = self._memory(j)
                    rates = (
                        (f"&found[{s.states.pressures + j}]", f"&found[{s.states.hysteresis + j}]")
                        if s.remembers
                        else ("w->energy", "w->energy")
                    )
                    with self._unless_idle(to, j, pressure):
                        given = [f"&arm->muscles[{j}]", f"&commands[{j}]", pressure, hysteresis, q, qdi, "w->all_along"]
                        self._step(to, "muscle_rate", *given, tau, "w->power", tau, "w->power", *rates)
                    for k in self._branches(j):
                        given = [f"&arm->muscles[{j}]", f"&arm->branches[{k}]", f"&state[{s.states.creep + k}]", qdi]
                        found = (tau, "w->power", f"&found[{s.states.creep + k}]")
                        self._step(to, "branch_rate", *given, tau, "w->power", *found)
            self._help(to, "copy", qd, f"{s.size}U", "found")
            self._run(to, "accelerations", "state", qd, "w->tau", f"&found[{s.size}]")
            self._help(to, "copy", "w->power", "2U", f"&found[{s.states.supplied}]")

    def _branches(self, j: int) -> range:
        return range(j, self.s.branches * self.s.muscles, self.s.muscles)

    def look_ahead(self) -> None:
        """Half a step ahead: lengths, forces and how they lean on q, and what muscles remember."""
        s = self.s
        with self._routine("look_ahead", self.look_ahead.__doc__ or "", "commands state", "") as to:
            self._help(to, "zero", "1U", "w->still")
            for i in range(s.n):
                q, qdi = numbers_at("state", i), numbers_at("state", i, begin=s.size)
                self._step(to, "half_ahead", q, qdi, "&arm->step", numbers_at("w->ahead", i))
            self._run(to, "outside_forces", "commands", "w->ahead", "w->tau")
            self._all_along(to, "state", begin=s.size)
            for i in range(s.n):
                tau, q, qdi, block = (
                    numbers_at("w->tau", i),
                    numbers_at("w->ahead", i),
                    numbers_at("state", i, begin=s.size),
                    f"&w->blocks[{i}]",
                )
                self._step(to, "no_block", block)
                for j in s.muscles_of(i):
                    pressure, hysteresis = self._memory(j)
                    muscle = f"&arm->muscles[{j}]"
                    with self._unless_idle(to, j, pressure):
                        given = [muscle, f"&arm->valves[{j}]", f"&commands[{j}]", pressure, hysteresis, q, qdi]
                        found = (tau, block, f"&w->pressures[{j}]", f"&w->hysteresis[{j}]")
                        self._step(to, "muscle_ahead", *given, "w->all_along", tau, block, "&arm->step", *found)
                    for k in self._branches(j):
                        given = [
                            muscle,
                            f"&arm->branches[{k}]",
                            f"&arm->kept[{k}]",
                            f"&state[{s.states.creep + k}]",
                            qdi,
                        ]
                        halfway = (tau, block, f"&w->creep[{k}]")
                        self._step(to, "branch_ahead", *given, tau, block, "&arm->step", *halfway)

    def plant_step(self) -> None:
        """A state one implicit step later, in place, under commands that are means over it."""
        s = self.s
        with self._routine("plant_step", self.plant_step.__doc__ or "", "commands", "state") as to:
            self._run(to, "look_ahead", "commands", "state")
            self._run(to, "step_ahead", "state", f"&state[{s.size}]", "w->tau", "w->after")
            for j, lags in enumerate(s.lagged):
                if lags:
                    self._help(to, "copy", f"&w->pressures[{j}]", "1U", f"&state[{s.states.pressures + j}]")
            energy = f"&state[{s.states.supplied}]"
            for i in range(s.n):
                given = [
                    section_at(i),
                    numbers_at("state", i),
                    numbers_at("w->after", i),
                    numbers_at("w->tau", i),
                    energy,
                    "&arm->step",
                ]
                self._step(to, "section_work", *given, numbers_at("w->ways", i), energy)
            if s.remembers:
                self._all_along(to, "w->ways")
                for j, i in enumerate(s.muscle_sections):
                    muscle, way, h = (
                        f"&arm->muscles[{j}]",
                        numbers_at("w->ways", i),
                        f"&state[{s.states.hysteresis + j}]",
                    )
                    self._step(
                        to, "muscle_work", muscle, f"&w->hysteresis[{j}]", h, way, "w->all_along", energy, h, energy
                    )
                    for k in self._branches(j):
                        creep = f"&state[{s.states.creep + k}]"
                        given = [
                            muscle,
                            f"&arm->branches[{k}]",
                            f"&arm->kept[{k}]",
                            f"&w->creep[{k}]",
                            creep,
                            way,
                            energy,
                        ]
                        self._step(to, "branch_work", *given, creep, energy)
            self._help(to, "copy", "w->after", f"{2 * s.size}U", "state")
