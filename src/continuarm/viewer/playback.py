"""Playback of one or two motions in the browser: the arm, and a panel with a timeline."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.engine.quantities import tip_poses
from continuarm.simulation.motion import Motion
from continuarm.simulation.motion_file import load_motion
from continuarm.viewer.camera import places_of, pressure_limit
from continuarm.viewer.clock import SPEEDS, Clock, State, duration_of, rows_until, state_at
from continuarm.viewer.panel import heading, notice, plot_at, plots_of, pressure_bar, readings
from continuarm.viewer.scene import MOST_TRACED, PARTS, ArmNodes, Stage, trace_segments
from continuarm.viewer.server import Pulse
from continuarm.viewer.shapes import GHOST_COLOUR, SECTION_COLOURS, drawing

if TYPE_CHECKING:
    import viser

FRAME = 1 / 60
PANEL = 1 / 8
"""Seconds between two pictures, and between two readings of the panel."""
HELD = 0.6
"""Seconds for which the timeline is left to the hand that moves it."""


class Playback:
    """Motions on a server that is there already. All that look see the same; each has a camera of its own."""

    def __init__(self, server: viser.ViserServer, motions: Sequence[Motion]) -> None:
        self.server, self.stage = server, Stage(server)
        self.lock = threading.RLock()
        self.frames = 0
        """Pictures sent since the start."""
        self.arms: list[ArmNodes] = []
        self.visible = dict.fromkeys(PARTS, True) | {"centres of gravity": False}
        self._drawn = self._told = -1.0
        self._moved_by_hand = self._last_panel = -np.inf
        self._put = 0.0
        self.clock = Clock(duration_of(*motions))
        self._build_panel()
        self.show(motions)
        self._before = time.perf_counter()
        self.pulse = Pulse(self._beat, "continuarm playback")

    def show(self, motions: Sequence[Motion]) -> None:
        """Shows other motions from now on, from their beginning."""
        if not 1 <= len(motions) <= 2:
            raise ValueError(f"{len(motions)} motions: must be one, or two to be compared")
        duration = duration_of(*motions)
        places = places_of(motions)  # what cannot be computed is refused now, before anything has changed
        plots = plots_of(motions[0], 0.0)
        with self.lock, self.server.atomic():
            for arm in self.arms:
                arm.remove()
            self.motions = tuple(motions)
            self.clock.duration = duration
            self.clock.seek(0.0)
            highest = pressure_limit(motions)
            self.arms = [
                ArmNodes(self.server, f"/arm{k}", motion.arm, highest, ghost=k > 0) for k, motion in enumerate(motions)
            ]
            for arm in self.arms:
                arm.visible = dict(self.visible)
            self.stage.set_up(motions[0].arm, *places)
            self.stage.ground.visible = self.boxes["ground"].value
            self.pictures = plots
            self.timeline.max = max(duration, 1e-3)
            self.timeline.step = min(0.001, self.timeline.max)
            colours = (SECTION_COLOURS[0], GHOST_COLOUR)
            self.title.content = heading([(_name(m), colour) for m, colour in zip(motions, colours, strict=False)])
            self.bar.content = pressure_bar(motions, highest)
            stopped = [f"stopped early: {motion.stopped}" for motion in motions if motion.stopped]
            self.message.content = notice("; ".join(stopped))
            self._drawn = self._told = -1.0

    def _build_panel(self) -> None:
        gui: Any = self.server.gui
        self.title = gui.add_html("")
        self.message = gui.add_html("")
        self.button = gui.add_button("Pause", hint="Space does the same while the page has the keyboard")
        self.timeline = gui.add_slider("time, s", 0.0, max(self.clock.duration, 1e-3), 0.001, 0.0)
        self.speed = gui.add_dropdown("speed", tuple(SPEEDS), initial_value="1 x")
        self.loop = gui.add_checkbox("loop", True)
        self.reading = gui.add_html("")
        self.bar = gui.add_html("")
        with gui.add_folder("over time"):
            self.plots = [gui.add_html("") for _ in range(3)]
        with gui.add_folder("shown", expand_by_default=False):
            self.boxes = {part: gui.add_checkbox(part, self.visible[part]) for part in PARTS}
            self.boxes["ground"] = gui.add_checkbox("ground", True)
        camera = gui.add_button("Reset camera")
        self.upload = gui.add_upload_button("Open a motion file", hint="run.nc, as continuarm writes it")

        self.button.on_click(lambda _: self.toggle())
        camera.on_click(lambda _: self.stage.reset_camera())
        gui.add_command("Play or pause", hotkey="space").on_trigger(lambda _: self.toggle())
        self.speed.on_update(lambda _: self._set(speed=SPEEDS[self.speed.value]))
        self.loop.on_update(lambda _: self._set(loop=self.loop.value))
        for part, box in self.boxes.items():
            box.on_update(lambda _, part=part: self._set_visible(part))
        self.upload.on_upload(lambda _: self.open(self.upload.value.name, self.upload.value.content))

    def play(self) -> None:
        """Goes on; from the start, where the end was reached."""
        with self.lock:
            self.clock.play()
            self._name_button()

    def pause(self) -> None:
        """Stands still."""
        with self.lock:
            self.clock.pause()
            self._name_button()

    def toggle(self) -> None:
        """Pauses, or goes on."""
        with self.lock:
            (self.pause if self.clock.playing else self.play)()

    def seek(self, seconds: float) -> None:
        """Goes to a time."""
        with self.lock:
            self.clock.seek(seconds)

    def _follow_hand(self, now: float) -> None:
        """Goes where the timeline was moved to: it then is not where the playback has put it."""
        if self.timeline.value != self._put:
            self._put, self._moved_by_hand = self.timeline.value, now
            self.seek(self._put)

    def _set(self, **settings: Any) -> None:
        with self.lock:
            for name, value in settings.items():
                setattr(self.clock, name, value)

    def _set_visible(self, part: str) -> None:
        shown = self.boxes[part].value
        with self.lock:
            if part == "ground":
                self.stage.ground.visible = shown
                return
            self.visible[part] = shown
            for arm in self.arms:
                arm.set_visible(part, shown)
            self._drawn = -1.0  # what was hidden may not be where it belongs

    def _name_button(self) -> None:
        self.button.label = "Pause" if self.clock.playing else "Play"

    def open(self, name: str, content: bytes) -> None:
        """Shows the motion of a file that was sent; the panel says why, where that is not possible."""
        try:
            with tempfile.TemporaryDirectory() as folder:
                place = Path(folder) / "sent.nc"
                place.write_bytes(content)
                try:
                    motion = load_motion(place)
                except ValueError as error:
                    raise ValueError(str(error).replace(str(place), name)) from None
            self.show([motion])
        except ValueError as error:
            self.message.content = notice(str(error))

    def _beat(self, ended: threading.Event) -> None:
        """One picture, if there is anything new and anybody to see it."""
        now = time.perf_counter()
        passed, self._before = now - self._before, now
        with self.lock:
            self._follow_hand(now)
            if self.server.get_clients():
                self.clock.tick(passed)
                if self.clock.time != self._drawn:
                    self._draw()
                if now - self._last_panel > PANEL and self.clock.time != self._told:
                    self._tell(now)
        ended.wait(max(0.0, now + FRAME - time.perf_counter()))

    def _states(self) -> list[State]:
        return [state_at(motion, self.clock.time) for motion in self.motions]

    def _draw(self) -> None:
        self._drawn = self.clock.time
        with self.server.atomic():
            for motion, arm, state in zip(self.motions, self.arms, self._states(), strict=True):
                drawn = drawing(motion.arm, state.q, self.visible["centres of gravity"])
                arm.show(drawn, state.pressures)
                if self.visible["traces"]:
                    every = 1 + len(motion.t) * motion.arm.n // MOST_TRACED
                    path = motion.tips[: rows_until(motion, self._drawn) : every]
                    arm.trace(*trace_segments(np.concatenate([path, drawn.tips[None]]), arm.ghost))
        self.frames += 1

    def _tell(self, now: float) -> None:
        self._told, self._last_panel = self.clock.time, now
        states = self._states()
        places = [tip_poses(motion.arm, state.q)[:, :3, 3] for motion, state in zip(self.motions, states, strict=True)]
        others = places[1] if len(places) > 1 else None
        with self.server.atomic():
            self.reading.content = readings(self._told, states[0].energies, places[0], others)
            share = self._told / max(duration_of(self.motions[0]), 1e-9)
            for plot, picture in zip(self.plots, self.pictures, strict=True):
                plot.content = plot_at(picture, share)
            if now - self._moved_by_hand > HELD:
                self._put = self.timeline.value = round(self._told, 3)
            self._name_button()

    def close(self) -> None:
        """Ends the playback; the server stays."""
        self.pulse.close()


def _name(motion: Motion) -> str:
    return f"{motion.arm.name}, {motion.arm.inertia.model}"
