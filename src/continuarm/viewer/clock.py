"""The clock of a playback, and what an arm does at any of its times."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from continuarm.common.number_checks import Floats
from continuarm.simulation.interpolation import place
from continuarm.simulation.motion import Motion

SPEEDS = {"0.1 x": 0.1, "0.2 x": 0.2, "0.5 x": 0.5, "1 x": 1.0, "2 x": 2.0, "5 x": 5.0, "10 x": 10.0}


class Clock:
    """Time of a playback, s: from 0 to the duration, as fast as chosen, again and again or once."""

    def __init__(self, duration: float) -> None:
        self.duration, self.time = duration, 0.0
        self.playing, self.loop, self.speed = True, True, 1.0

    def tick(self, seconds: float) -> None:
        """So many seconds have passed for who looks on."""
        if not self.playing:
            return
        time = self.time + self.speed * seconds
        if time > self.duration and self.loop and self.duration > 0:
            time = math.fmod(time, self.duration)
        elif time >= self.duration and not self.loop:
            time, self.playing = self.duration, False
        self.time = min(time, self.duration)

    def play(self) -> None:
        """Goes on; from the start, where the end was reached."""
        if self.time >= self.duration:
            self.time = 0.0
        self.playing = True

    def pause(self) -> None:
        """Stands still."""
        self.playing = False

    def seek(self, time: float) -> None:
        """Goes to a time, or as near as there is one."""
        self.time = min(max(time, 0.0), self.duration) if math.isfinite(time) else self.time


class State(NamedTuple):
    """What an arm does at one time."""

    q: Floats  # (3n,), m
    pressures: Floats  # (muscles,), Pa
    energies: dict[str, float]  # J


def state_at(motion: Motion, time: float) -> State:
    """The state at a time after the first one, s: cubic in q between two rows, whose rates are known.

    Pressures are those of the row before, because they may jump. Before the first row and after the last, these.
    """
    here = place(motion.t - motion.t[0], time)
    energies = {name: float(here.straight(values)) for name, values in motion.energies.items()}
    return State(here.cubic(motion.q, motion.qd), motion.pressures[here.row], energies)


def rows_until(motion: Motion, time: float) -> int:
    """How many rows there are up to a time after the first one; at least one."""
    return max(int(np.searchsorted(motion.t - motion.t[0], time, side="right")), 1)


def duration_of(*motions: Motion) -> float:
    """How long the longest of some motions takes, s; ValueError for one without states."""
    for motion in motions:
        if not len(motion.t):
            raise ValueError(f"the motion of {motion.arm.name!r} has no states: there is nothing to show")
    return max(float(motion.t[-1] - motion.t[0]) for motion in motions)
