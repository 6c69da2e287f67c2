"""A live arm in the browser: sliders for its muscles, and a panel that says how well it keeps time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.inputs import UNITS
from continuarm.simulation.motion import energies_of
from continuarm.simulation.plots import AXES
from continuarm.viewer.live import Figures, LiveArm, LiveLoop
from continuarm.viewer.panel import Curve, colour_bar, heading, notice, page_colour, plot, readings, speed_table
from continuarm.viewer.presets import presets
from continuarm.viewer.scene import PARTS, ArmNodes, Stage, trace_segments
from continuarm.viewer.server import Pulse
from continuarm.viewer.shapes import SECTION_COLOURS, drawing

if TYPE_CHECKING:
    import viser


KPA = UNITS["kPa"]
HIGHEST = 700.0
"""The end of the sliders, kPa."""
PANEL = 1 / 6
"""Seconds between two readings of the panel."""
TRAIL, PLOTTED = 3.0, 10.0
"""Seconds of the past that are drawn behind the tips, and in the plot."""
MOST_OPEN = 3
"""Sections whose sliders are unfolded at first."""


class LiveView:
    """A live arm on a server that is there already. All that look see and move the same arm."""

    def __init__(self, server: viser.ViserServer, arm: Arm) -> None:
        self.server, self.lock = server, threading.RLock()
        self.live = LiveArm(arm)
        self.stage = Stage(server)
        self.visible = dict.fromkeys(PARTS, True) | {"centres of gravity": False}
        self.nodes = self._new_nodes()
        self.tips: deque[Any] = deque(maxlen=int(60 * TRAIL))
        self.history: deque[tuple[float, Any]] = deque(maxlen=int(PLOTTED / PANEL))
        self._last_panel = -np.inf
        self._refused = ""
        self.stage.set_up(arm, _within_reach(arm), np.zeros((1, 3)))
        self._build_panel()
        self.loop = LiveLoop(self.live, self._draw, self.lock)
        self.pulse = Pulse(self.loop.beat, "continuarm live")

    def _new_nodes(self) -> ArmNodes:
        nodes = ArmNodes(self.server, "/arm", self.live.arm, KPA * HIGHEST)
        nodes.visible = dict(self.visible)
        return nodes

    def _build_panel(self) -> None:
        gui: Any = self.server.gui
        arm = self.live.described
        gui.add_html(heading([(f"{arm.name}, {arm.inertia.model}, live", SECTION_COLOURS[0])]))
        self.message = gui.add_html("")
        reset = gui.add_button("Reset", hint="Back to rest, without pressures, in the world of the arm file")
        self.moves = presets(arm)
        move = gui.add_button_group("moves", tuple(self.moves))
        self.reading = gui.add_html("")
        self.speed = gui.add_html("")
        gui.add_html(colour_bar(KPA * HIGHEST))
        self.sliders: list[Any] = []
        for i, section in enumerate(arm.sections):
            with gui.add_folder(f"section {i + 1}, kPa", expand_by_default=i < MOST_OPEN):
                for _ in section.muscle_map:
                    name = arm.muscle_names[len(self.sliders)]
                    self.sliders.append(gui.add_slider(name, 0.0, HIGHEST, 5.0, 0.0))
        with gui.add_folder("world"):
            self.payload = gui.add_number("payload, kg", float(arm.carried_mass[0]), step=0.01)
            self.damping = gui.add_number("damping, times", 1.0, step=0.1, hint="1: as the arm file says")
            self.gravity = gui.add_vector3("gravity, m/s²", arm.gravity, step=0.1)
        with gui.add_folder("over time"):
            self.plot = gui.add_html("")
        with gui.add_folder("shown", expand_by_default=False):
            boxes = {part: gui.add_checkbox(part, self.visible[part]) for part in PARTS}
            camera = gui.add_button("Reset camera")

        reset.on_click(lambda _: self.reset())
        move.on_click(lambda event: self._do(lambda: self.live.play(self.moves[event.target.value]())))
        camera.on_click(lambda _: self.stage.reset_camera())
        for name, field in (("payload", self.payload), ("damping", self.damping), ("gravity", self.gravity)):
            field.on_update(lambda event, name=name: self._changed(event, name))
        for part, box in boxes.items():
            box.on_update(lambda _, part=part, box=box: self._set_visible(part, box.value))
        self.put = [0.0] * len(self.sliders)
        self.described = {"payload": self.payload.value, "damping": 1.0, "gravity": tuple(arm.gravity)}
        self.good = dict(self.described)

    def _do(self, act: Callable[[], None]) -> bool:
        """Something the user wants; what is wrong with it is said in the panel, and the arm moves on."""
        with self.lock:
            try:
                act()
                self._refused = ""
            except ValueError as error:
                self._refused = str(error)
            self._last_panel = -np.inf
            return not self._refused

    def reset(self) -> None:
        """Back to rest, without pressures, in the world that is described; late steps are counted anew."""
        self._do(self.live.reset)
        with self.lock:
            for name, value in self.described.items():
                if self.good[name] != value:
                    self._change(name, value)
                    getattr(self, name).value = value
            self.loop.pace.start(time.perf_counter())

    def _follow_hand(self) -> None:
        """Takes over the sliders that were moved: they then are not where a move has put them."""
        moved = {k: slider.value for k, slider in enumerate(self.sliders) if slider.value != self.put[k]}
        if not moved:
            return
        pressures, beyond = self.live.commands, ""
        for number, value in moved.items():
            allowed = float(np.clip(value, 0.0, HIGHEST))  # a number can also be typed
            if allowed != value:
                name = self.live.described.muscle_names[number]
                beyond = f"{name} = {value:g} kPa: must be from 0 to {HIGHEST:g} kPa"
                self.sliders[number].value = allowed
            self.put[number], pressures[number] = allowed, KPA * allowed
        if self._do(lambda: self.live.set_pressures(pressures)):
            self._refused = beyond

    def _changed(self, event: Any, name: str) -> None:
        field = getattr(self, name)
        wanted = field.value
        with self.lock:
            if (
                event.client is None or wanted == self.good[name]
            ):  # put there after a refusal, or the browser's echo of it
                return
            if not self._change(name, wanted):
                field.value = self.good[name]

    def _change(self, name: str, value: Any) -> bool:
        """Another world from now on, unless it cannot be."""
        if not self._do(lambda: self.live.change(**{name: value})):
            return False
        self.good[name] = value
        self.nodes.remove()
        self.nodes = self._new_nodes()
        self.stage.show_gravity(self.live.arm)
        return True

    def _set_visible(self, part: str, shown: bool) -> None:
        with self.lock:
            self.visible[part] = shown
            self.nodes.set_visible(part, shown)

    @property
    def figures(self) -> Figures:
        """How well the arm keeps time."""
        return self.loop.pace.figures

    def _draw(self, live: LiveArm) -> None:
        self._follow_hand()
        if not self.server.get_clients():
            return
        now = time.perf_counter()
        with self.server.atomic():
            drawn = drawing(live.arm, live.q, self.visible["centres of gravity"])
            self.nodes.show(drawn, live.pressures)
            self.tips.append(drawn.tips)
            if self.visible["traces"]:
                self.nodes.trace(*trace_segments(np.array(self.tips)))
            if now - self._last_panel > PANEL:
                self._last_panel = now
                self._tell(live)

    def _tell(self, live: LiveArm) -> None:
        size, state = 3 * live.arm.n, live.state
        q, qd = state[:size], state[size : 2 * size]
        energies = energies_of(live.arm, q, qd, *state[-2:])
        tips = tip_poses(live.arm, q)[:, :3, 3]
        self.reading.content = readings(live.time, energies, tips)
        self.speed.content = speed_table(self.figures)
        stopped = f"the arm has stopped: {live.stopped}. Reset starts anew." if live.stopped else ""
        self.message.content = notice(" ".join(filter(None, [self._refused, stopped])))
        if self.history and live.time < self.history[-1][0]:
            self.history.clear()
            self.tips.clear()
        self.history.append((live.time, 1e3 * tips[-1]))
        if len(self.history) > 1:
            times, places = (np.array(each) for each in zip(*self.history, strict=True))
            curves = [Curve(axis, page_colour(colour), places[:, k]) for k, (axis, colour) in enumerate(AXES.items())]
            self.plot.content = plot(f"tip {live.arm.n}, mm", times, curves)
        for k, pressure in enumerate(live.commands / KPA):
            if abs(self.put[k] - pressure) > 2.5:
                self.put[k] = self.sliders[k].value = float(np.clip(round(pressure / 5) * 5, 0, HIGHEST))

    def close(self) -> None:
        """Ends the motion; the server stays."""
        self.pulse.close()


def _within_reach(arm: Arm) -> Floats:
    """Places that have most of what an arm can reach between them: its base, its end, and to the sides."""
    reach = sum(section.length + section.offset for section in arm.sections)
    turned = arm.base_orientation.T
    aside = 0.62 * reach * np.concatenate([turned[:2], -turned[:2]]) + 0.7 * reach * turned[2]
    return np.concatenate([np.zeros((1, 3)), 1.1 * reach * turned[2:], aside])
