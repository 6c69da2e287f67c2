"""A live arm for a page: what it shows of the arm, and what those who look may do to it."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, not_too_large, real_numbers
from continuarm.common.text import short
from continuarm.control.held_postures import HeldPosture
from continuarm.control.pressing import FeedbackLaw
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.inputs import PressureSignal
from continuarm.simulation.motion import energies_of
from continuarm.simulation.plots import since_start
from continuarm.simulation.pressure_commands import UNITS, fed_columns
from continuarm.viewer.camera import within_reach
from continuarm.viewer.feed import Feed
from continuarm.viewer.html import Content, described, puppet, scenery
from continuarm.viewer.http_requests import Refusal
from continuarm.viewer.live import Figures, LiveArm, LiveLoop, start_lengths
from continuarm.viewer.opening import LARGEST, Opener
from continuarm.viewer.presets import HIGHEST, presets
from continuarm.viewer.pulse import Pulse
from continuarm.viewer.pushing import push_limits
from continuarm.viewer.rig import disc_poses
from continuarm.viewer.server import Exchange, Handler

LONGEST = 64 * 1024
"""Bytes of what a page wants done."""
LONGEST_PUSH = 1.5
"""Seconds after which a push ends that nobody says again."""


class LiveView:
    """A live arm. All that look see and move the same one."""

    def __init__(self, arm: Arm, controller: FeedbackLaw | None = None, rate: float | None = None) -> None:
        self.lock = threading.RLock()
        self.live = LiveArm(arm, controller=controller, asked=rate)
        self.moves = presets(arm) if controller is None else {}
        highest = max(HIGHEST, float(getattr(controller, "highest", 0.0)))
        self.scene = scenery([arm], within_reach(arm), highest)
        self.push = push_limits(arm, start_lengths(arm), self.scene["view"]["size"])
        self._pushed = 0.0  # when somebody last pushed, s
        self.described = {"payload": arm.carried_mass[0], "damping": 1.0, "gravity": list(arm.gravity)}
        self.world = dict(self.described)
        self.feed = Feed()
        self.opener = Opener(arm)
        self._hand = ThreadPoolExecutor(1, "continuarm hand")  # what is wanted is done in the order in which it came
        self._first = self._energies()
        self._stopped = ""
        self._tell()
        self.loop = LiveLoop(self.live, self._draw, self.lock)
        self.pulse = Pulse(self.loop.beat, "continuarm live")

    @property
    def failure(self) -> BaseException | None:
        """What ended the motion, if anything did."""
        return self.pulse.failure

    @property
    def figures(self) -> Figures:
        """How well the arm keeps time."""
        return self.loop.pace.figures

    def handlers(self) -> dict[tuple[str, str], Handler]:
        """What a page may ask for, beside itself."""
        return {("GET", "/frames"): self.feed.follow, ("POST", "/do"): self._asked, ("POST", "/file"): self._sent}

    def content(self) -> Content:
        """What the page shows."""
        arm = self.live.described
        by = "" if self.live.controller is None else type(self.live.controller).__name__
        live = {
            "highest": HIGHEST,
            "moves": list(self.moves),
            "push": self.push,
            "controller": by,
            "frame": [[name, len(values)] for name, values in self._numbers().items()],
        }
        header = {
            "kind": "live",
            "names": [arm.name],
            "details": [", ".join(filter(None, (described(arm, arm.name), by)))],
            "notes": [],
            **self.scene,
            "motions": [puppet(arm)],
            "live": live,
            "files": LARGEST if self.live.controller is None else None,
        }
        return Content(header, b"")

    async def _asked(self, exchange: Exchange) -> None:
        try:
            wanted = json.loads(await exchange.body(LONGEST), parse_constant=_no_number)
        except (ValueError, RecursionError):
            raise Refusal(400, "what is wanted must be JSON") from None
        await self._by_hand(self.do, wanted)
        await exchange.answer("{}", "application/json")

    async def _sent(self, exchange: Exchange) -> None:
        found = json.loads(await self.opener.open(exchange))
        await self._by_hand(self._play, PressureSignal(found["times"], found["pressures"]))
        await exchange.answer("{}", "application/json")

    async def _by_hand(self, act: Any, *arguments: Any) -> None:
        try:
            await asyncio.get_running_loop().run_in_executor(self._hand, act, *arguments)
        except (ValueError, TypeError, OverflowError) as error:
            raise Refusal(400, str(error)) from None

    def _play(self, signal: PressureSignal) -> None:
        drive = signal.drive(self.live.described)  # before the lock: a long one takes its time
        with self.lock:
            self.live.follow(drive)

    def do(self, wanted: Any) -> None:
        """What somebody wants: one of pressures, move, target, push, world and reset; ValueError says why it cannot be.

        {"pressures": {"l11": Pa}}, {"move": name}, {"target": [m]}, {"push": [N]}, {"reset": true},
        {"world": {"payload": kg, "damping": times, "gravity": [m/s²]}}. A push ends unless it is said again and again.
        """
        acts = {
            "pressures": self._press,
            "move": self._move,
            "target": self._aim,
            "push": self._push,
            "world": self._change,
            "reset": self._reset,
        }
        if not isinstance(wanted, dict) or len(wanted) != 1 or next(iter(wanted)) not in acts:
            raise ValueError(f"what is wanted must be one of {', '.join(acts)}")
        ((name, value),) = wanted.items()
        if name == "target":  # to look for the posture takes longer than steps can wait
            value = value, self.live.required_goal().found(_three(name, value, "m"))
        with self.lock:
            acts[name](value)

    def _aim(self, wanted: tuple[Any, HeldPosture]) -> None:
        target, found = wanted
        self.live.go(found, np.array(target, dtype=float))

    def _push(self, wanted: Any) -> None:
        force = _three("push", wanted, "N")
        size, most = float(np.linalg.norm(force)), self.push["most"]
        if not size <= most * (1 + 1e-6):
            raise ValueError(f"push = {short(wanted)}: must be at most {most:.3g} N together")
        self.live.push_by(force)
        self._pushed = time.perf_counter()

    def _press(self, wanted: Any) -> None:
        if not isinstance(wanted, dict):
            raise ValueError("pressures must be numbers by the names of muscles")
        pressures = self.live.commands.copy()
        for name, value in wanted.items():
            columns = fed_columns(self.live.described, name, wanted)
            number = real_numbers(name, value, "a pressure, Pa")
            if number.shape or not 0 <= number <= HIGHEST:
                given = short(value) if number.shape else f"{number / UNITS['kPa']:g} kPa"
                raise ValueError(f"{name} = {given}: must be from 0 to {HIGHEST / UNITS['kPa']:g} kPa")
            pressures[columns] = number
        self.live.set_pressures(pressures)

    def _move(self, name: Any) -> None:
        if not isinstance(name, str) or name not in self.moves:
            raise ValueError(f"move {short(name)}: must be one of {', '.join(self.moves)}")
        self.live.play(self.moves[name]())

    def _change(self, wanted: Any) -> None:
        if not isinstance(wanted, dict) or not set(wanted) <= set(self.world):
            raise ValueError(f"the world has {', '.join(self.world)}")
        self.live.change(**wanted)
        self.world |= wanted
        self._tell()

    def _reset(self, _: Any) -> None:
        """Back to rest, without pressures, in the world that is described; late steps are counted anew."""
        self.live.change(**self.described)
        self.world = dict(self.described)
        self.live.reset()
        self._first = self._energies()
        self.loop.pace.start(time.perf_counter())
        self._tell()

    def _tell(self) -> None:
        """What changes seldom: the world, how the arm is drawn in it, and why it stopped."""
        self._stopped = self.live.stopped
        self.feed.tell({"world": self.world, "stopped": self._stopped, "arm": puppet(self.live.arm)})

    def _energies(self) -> dict[str, Any]:
        size, state = 3 * self.live.arm.n, self.live.state
        return energies_of(self.live.arm, state[:size], state[size : 2 * size], *state[-2:])

    def _numbers(self) -> dict[str, Floats]:
        """What a frame holds, in order."""
        live, figures, goal = self.live, self.figures, self.live.goal
        poses = disc_poses(live.arm, live.q[None])[0]
        numbers = {
            "figures": np.array([figures.real_time_factor, figures.step_time, figures.late_share]),
            "energies": np.array([*since_start(self._energies(), self._first).values()]),
            "places": poses[:, :3].ravel(),
            "turns": poses[:, 3:].ravel(),
            "tips": tip_poses(live.arm, live.q)[:, :3, 3].ravel(),
            "pressures": live.pressures,
            "commands": live.commands,
            "lengths": live.arm.muscle_lengths(live.q),
            "wrench": np.append(np.zeros(3), live.push),
        }
        if goal is not None:
            numbers |= {"target": goal.target, "nearest": goal.held.tip, "reference": goal.tip(live.time)}
        return numbers

    def _draw(self, live: LiveArm) -> None:
        if live.stopped != self._stopped:
            self._tell()
        if live.push.any() and time.perf_counter() - self._pushed > LONGEST_PUSH:  # whoever pushed has gone
            live.push_by(np.zeros(3))
        if self.feed.watchers:
            self.feed.show(live.time, np.concatenate([*self._numbers().values()]))

    def close(self) -> None:
        """Ends the motion."""
        self.pulse.close()
        self._hand.shutdown(wait=False, cancel_futures=True)


def _three(name: str, value: Any, unit: str) -> Floats:
    """Three numbers along the axes of the world."""
    found = not_too_large(name, real_numbers(name, value, f"three numbers in {unit}"), unit)
    if found.shape != (3,):
        raise ValueError(f"{name} = {short(value)}: must be three numbers in {unit}")
    return found


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")
