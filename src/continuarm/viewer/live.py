"""An arm that moves now: steps of a fixed length in time with the clock on the wall, and how well that is kept."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, Payload
from continuarm.arms.arm_file import load_arm
from continuarm.common.number_checks import Floats, duration, not_too_large, real_numbers
from continuarm.common.text import short
from continuarm.control.dragging import Dragged
from continuarm.control.held_postures import HeldPosture
from continuarm.control.loops import Loop, loop, usual_rate
from continuarm.control.pressing import FeedbackLaw
from continuarm.dynamics.plant import Plant
from continuarm.simulation.commanded import refuse_delays
from continuarm.simulation.commands_over_time import CommandsOverTime, command_rows
from continuarm.simulation.control_loop import Run
from continuarm.simulation.inputs import Input
from continuarm.simulation.pressure_commands import checked_pressures, refuse_contradictions
from continuarm.simulation.solvers import FixedStep
from continuarm.statics.rest import hanging
from continuarm.viewer.controlled_steps import ControlledSteps
from continuarm.viewer.presets import ROUND, sweep
from continuarm.viewer.rig import disc_poses

RATE = 1000
"""Steps per second, Hz."""
PYTHON_RATE = 250.0
"""Hz, at most, at which controllers in Python are asked unless somebody says so: an answer takes a third of 1 ms."""
FRAME = 1 / 60
"""Seconds between two pictures; the steps of one are computed together."""
DRAGGED = 3
"""Pictures between two targets that the benchmark sets: about as often as a page says one that is dragged."""
MOST_BEHIND = 0.1
"""Seconds of steps that are made up for; what is further behind is left out, and counted as late."""
WINDOW = 2.0
"""Seconds over which speed and step time are averaged."""


class LiveArm:
    """An arm in motion that takes new pressures, payload, damping, gravity and pushes at any time.

    It begins at rest without pressure; an arm that has no such place begins unbent. `stopped` is empty, or says which
    section left the model's range: then only reset goes on.

    With a controller, pressures are its own: it follows `goal`, which goes to where `aim` says, from the first on to
    the middle of what pressures hold. It is asked `asked` times a second (as `loop` says, in Python less often), and
    keeps the arm that it was made for: a payload that is added is one that it does not know.
    """

    def __init__(
        self, arm: Arm, rate: float = RATE, controller: FeedbackLaw | None = None, asked: float | None = None
    ) -> None:
        self.described, self.rate, self.controller = arm, rate, controller
        checked_pressures(arm, "pressures", np.zeros(len(arm.muscle_names)))
        self._payload, self._damping, self._gravity = arm.carried_mass[0], 1.0, arm.gravity
        if controller is None and asked is not None:
            raise ValueError(f"rate = {short(asked)}: must come with a controller, which is asked so often")
        self.goal: Dragged | None = None
        self._loop: Loop | None = None
        if controller is not None:
            refuse_delays(arm, "a controller")
            self.goal = Dragged(arm, controller, start_lengths(arm))
            self._loop = _live_loop(arm, controller, self.goal, asked)
        self.reset()

    def reset(self) -> None:
        """Back to the start, without pressures and pushes; payload, damping and gravity stay."""
        self.arm = self._changed()
        self.plant = Plant(self.arm)
        self.steps, self.stopped = 0, ""
        self.push = np.zeros(3)
        self.drive = CommandsOverTime.held([0.0], command_rows(self.arm))
        start = start_lengths(self.arm)
        if self.goal is not None:
            self.goal.restart(start)
        self._start(self.plant.first_state(start))

    def _start(self, state: Floats) -> None:
        """A run of the present arm from a state; its own time begins at 0."""
        self._begun = self.steps
        solver = FixedStep(self.rate)
        self._run: Run | ControlledSteps
        if self._loop is None or self.goal is None:
            self._run = solver.start(self.plant, state)
        else:
            self.goal.begun = self.time
            drive = self._loop.drive(self.arm)
            solver.check(drive, 1.0)
            assert drive.control is not None
            self._run = ControlledSteps(solver, self.plant, state, drive.control)
        self._follow(self.drive)

    def _follow(self, drive: CommandsOverTime) -> None:
        self.drive = drive
        left = later(drive, self.time, (self.steps - self._begun) / self.rate)
        self._run.drive(left.plus_held(command_rows(self.arm, wrench=np.append(np.zeros(3), self.push))[0]))

    @property
    def time(self) -> float:
        """Seconds since the start."""
        return self.steps / self.rate

    @property
    def state(self) -> Floats:
        """(q, q̇, [pressures, hysteresis,] supplied, dissipated), as solvers have it."""
        return self._run.state()

    @property
    def q(self) -> Floats:
        """(3n,), m."""
        return self.plant.states.split(self.state).q

    @property
    def commands(self) -> Floats:
        """What the valves are commanded now: (muscles,), Pa."""
        row = self._run.answer if isinstance(self._run, ControlledSteps) else self.drive.at([self.time])[0]
        return self.plant.commands.split(row).pressures

    @property
    def pressures(self) -> Floats:
        """What is in the muscles: (muscles,), Pa."""
        return self.plant.pressures(self.commands, self.plant.states.split(self.state).pressures)

    def set_pressures(self, pressures: ArrayLike) -> None:
        """Holds these from now on: (muscles,), Pa."""
        self._refuse_controlled("pressures")
        values = real_numbers("pressures", pressures, "a list of pressures")
        if values.shape != self.plant.lagged.shape:
            raise ValueError(f"pressures has shape {values.shape}: must be {self.plant.lagged.shape}")
        refuse_contradictions(self.arm, "pressures", values)
        row = command_rows(self.arm, pressures=checked_pressures(self.arm, "pressures", values))
        self._follow(CommandsOverTime.held([self.time], row))

    def play(self, input: Input) -> None:
        """Follows an input, whose time begins now."""
        self._refuse_controlled("an input")
        self.follow(input.drive(self.arm))

    def follow(self, drive: CommandsOverTime) -> None:
        """Follows commands, whose time begins now."""
        self._refuse_controlled("commands")
        self._follow(later(drive, 0.0, self.time))

    def _refuse_controlled(self, what: str) -> None:
        if self.controller is not None:
            raise ValueError(f"{what}: must come without a controller, which sets all pressures itself")

    def push_by(self, force: ArrayLike) -> None:
        """A force on the tip from now on until it is another: (3,), N, world axes."""
        values = not_too_large("push", real_numbers("push", force, "three numbers in N"), "N")
        if values.shape != (3,):
            raise ValueError(f"push = {short(force)}: must be three numbers in N")
        self.push = values
        self._follow(self.drive)

    def aim(self, position: ArrayLike) -> HeldPosture:
        """Lets the tip go to a place, (3,), m, or to the nearest that pressures hold: what was found."""
        found = self.required_goal().found(position)
        self.go(found, np.asarray(position, dtype=float))
        return found

    def go(self, found: HeldPosture, target: Floats) -> None:
        """Lets the tip go where a posture that was found for a target has it."""
        self.required_goal().go(found, target, self.time)

    def required_goal(self) -> Dragged:
        """What the controller follows; ValueError where there is none."""
        if self.goal is None:
            raise ValueError("target: must come with a controller, which the arm does not have")
        return self.goal

    def change(self, **settings: Any) -> None:
        """Another payload, kg, damping, in times that of the arm as described, or gravity, m/s², from now on.

        ValueError says what is wrong with it; then nothing has changed.
        """
        before = self._payload, self._damping, self._gravity
        self._payload, self._damping, self._gravity = (
            settings.get(name, value) for name, value in zip(("payload", "damping", "gravity"), before, strict=True)
        )
        try:
            arm = self._changed()
        except ValueError:
            self._payload, self._damping, self._gravity = before
            raise
        state = self.state
        self.arm, self.plant = arm, Plant(arm)
        if not self.stopped:
            self._start(state)

    def _changed(self) -> Arm:
        factor = real_numbers("damping", self._damping, "one number")
        if factor.shape or not 0 <= factor <= 1e6:
            raise ValueError(f"damping = {self._damping!r} times that of the arm: must be from 0 to 1e6")
        sections = [
            section.replace(damping=np.asarray(factor * np.asarray(section.damping)).tolist())
            for section in self.described.sections
        ]
        load, carried = None, real_numbers("payload", self._payload, "one number of kg")
        if carried.shape:
            raise ValueError(f"payload has shape {carried.shape}: must be one number of kg")
        if carried != 0:
            load = Payload(mass=float(carried), offset=self.described.carried_mass[1])
        return self.described.replace(sections=sections, payload=load, gravity=self._gravity)

    def advance(self, steps: int) -> int:
        """Makes so many steps, or fewer where the motion stops: how many."""
        if self.stopped or steps <= 0:
            return 0
        last = (self.steps - self._begun + steps) / self.rate
        _, stopped = self._run.advance(np.array([last]))
        if stopped:  # the run does not tell how many steps of these it made: the arm stands where it stopped
            self.stopped = stopped.partition(": ")[2] or stopped
            return 0
        self.steps += steps
        return steps


def _live_loop(arm: Arm, controller: FeedbackLaw, goal: Dragged, asked: float | None) -> Loop:
    """A loop that keeps time: asked seldom by itself where Python runs it."""
    if asked is not None:
        return loop(controller, goal, rate=asked)
    usual = loop(controller, goal, rate=usual_rate(controller))
    control = usual.drive(arm).control
    inside = control is not None and control.tracking is not None
    return usual if inside else loop(controller, goal, rate=min(usual.rate, PYTHON_RATE))


def start_lengths(arm: Arm) -> Floats:
    """q (3n,) of an arm at rest without pressure, or straight where it has no such place: there it falls."""
    with contextlib.suppress(ValueError):
        return hanging(arm)
    return np.zeros(3 * arm.n)


def later(drive: CommandsOverTime, time: float, begin: float) -> CommandsOverTime:
    """What is left of a drive from a time on, as one that begins at another time.

    Knots so close that they are the same after the shift are one, as a line of no length has no slope.
    """
    ahead = drive.times > time
    knots = np.append(time, drive.times[ahead])
    ends = np.concatenate([drive.before(knots[1:]), drive.end[-1:]]) if ahead.any() else drive.at(knots)
    times = knots - time + begin
    kept = np.append(np.diff(times) > 0, True)
    return CommandsOverTime(times[kept], drive.at(knots)[kept], ends[kept])


class Figures(NamedTuple):
    """How well a live arm keeps time."""

    real_time_factor: float  # simulated time over wall time, of late
    step_time: float  # s of computing for one step, of late
    steps: int  # that were due since the start
    late: int  # of these: not there when the picture after theirs was due

    @property
    def late_share(self) -> float:
        """The part of steps that were late."""
        return self.late / self.steps if self.steps else 0.0


class Pace:
    """Which steps are due, and which come late. A step belongs to the first picture after it.

    It is late if it is not there when the picture after that one is due.
    """

    def __init__(self, rate: float, frame: float, now: float) -> None:
        self.rate, self.frame = rate, frame
        self.start(now)

    def start(self, now: float) -> None:
        """Counts anew from now on."""
        self.begun, self.passed, self.late = now, 0, 0
        self._recent: deque[tuple[float, int, float]] = deque([(now, 0, 0.0)])
        self._made, self._busy = 0, 0.0

    def due(self, now: float) -> int:
        """How many steps must be made now; those too far behind are passed over."""
        wanted = int((now - self.begun) * self.rate + 1e-9)
        over = wanted - self.passed - int(MOST_BEHIND * self.rate)
        if over > 0:
            self.passed += over
            self.late += over
        return wanted - self.passed

    def done(self, steps: int, now: float, busy: float) -> None:
        """So many steps were made until now and took so many seconds of computing."""
        numbers = np.arange(self.passed + 1, self.passed + steps + 1)
        pictures = np.ceil(numbers / self.rate / self.frame - 1e-9)
        self.late += int(((pictures + 1) * self.frame < now - self.begun).sum())
        self.passed += steps
        self._made += steps
        self._busy += busy
        self._recent.append((now, self._made, self._busy))
        while len(self._recent) > 2 and now - self._recent[0][0] > WINDOW:
            self._recent.popleft()

    @property
    def figures(self) -> Figures:
        """Speed and step time of late, and all steps since the start."""
        (then, made, busy), (now, made_now, busy_now) = self._recent[0], self._recent[-1]
        steps = made_now - made
        factor = steps / self.rate / (now - then) if now > then else 0.0
        return Figures(factor, (busy_now - busy) / steps if steps else 0.0, self.passed, self.late)


class LiveLoop:
    """Keeps a live arm in time: all steps of a picture in one call, then the picture is drawn."""

    def __init__(
        self,
        live: LiveArm,
        draw: Callable[[LiveArm], None],
        lock: threading.RLock,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.live, self.draw, self.lock, self.clock = live, draw, lock, clock
        self.pace = Pace(live.rate, FRAME, clock())
        self.pictures = 0

    def beat(self, ended: threading.Event) -> None:
        """The steps that are due and a picture; then waits for the next one."""
        with self.lock:
            if not self.pictures:
                self.draw(self.live)  # the first picture takes longer than others
            begin = self.clock()
            if self.live.stopped or not self.pictures:
                self.pace.start(begin)  # nothing is due while nothing moves
            steps = self.live.advance(self.pace.due(begin))
            now = self.clock()
            self.pace.done(steps, now, now - begin)
            self.draw(self.live)
            self.pictures += 1
        following = np.floor((self.clock() - self.pace.begun) / FRAME + 1) * FRAME + self.pace.begun
        ended.wait(max(0.0, following - self.clock()))


def live_benchmark(
    seconds: float, arm: Arm | None = None, controller: FeedbackLaw | None = None, rate: float | None = None
) -> Figures:
    """How well an arm that sweeps around is kept in time for so many seconds, its pictures computed but not sent.

    arm: the three-section prototype if left out. controller: follows a target that is dragged around in a circle, and
    is asked so many times a second.
    """
    duration("seconds", seconds, most=1e5)
    live = LiveArm(load_arm("prototype") if arm is None else arm, controller=controller, asked=rate)
    if live.goal is None:
        live.play(sweep(live.arm, seconds))

    def picture(moved: LiveArm) -> None:
        disc_poses(moved.arm, moved.q[None])
        if moved.goal is not None and beats.pictures % DRAGGED == 0:
            reach, turn = 0.1 * sum(section.length for section in moved.arm.sections), 2 * np.pi * moved.time / ROUND
            moved.aim(moved.goal.postures.middle.tip + reach * np.array([np.cos(turn), np.sin(turn), 0.0]))

    beats = LiveLoop(live, picture, threading.RLock())
    ended = threading.Event()
    while beats.clock() - beats.pace.begun < seconds:
        beats.beat(ended)
    return beats.pace.figures
