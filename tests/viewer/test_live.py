"""A live arm moves as a simulated one, takes what it is told at any time, and says how well it keeps time."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.commands_over_time import CommandsOverTime
from continuarm.simulation.inputs import PressureSteps
from continuarm.simulation.simulator import simulate
from continuarm.simulation.solvers import FixedStep
from continuarm.statics.equilibrium_search import equilibrium
from continuarm.viewer.live import FRAME, MOST_BEHIND, LiveArm, LiveLoop, Pace, later, live_benchmark
from continuarm.viewer.presets import muscle_directions, presets

STEPS = PressureSteps({"l33": [(0.0, 600e3)], "l22": [(0.4, 500e3)], "l11": [(1.1, 300e3)]})


@pytest.fixture
def arm() -> Arm:
    return load_arm("prototype")


def tip(live: LiveArm) -> np.ndarray:
    return np.asarray(tip_poses(live.arm, live.q)[-1, :3, 3])


def test_it_moves_as_a_simulation_with_the_same_steps(arm: Arm) -> None:
    live = LiveArm(arm)
    live.play(STEPS)
    for steps in (1, 16, 17, 400, 66, 1000):
        live.advance(steps)
    motion = simulate(arm, STEPS, duration=1.5, q0=equilibrium(arm), solver=FixedStep())
    np.testing.assert_array_equal(live.q, motion.q[-1])
    assert live.time == 1.5


@pytest.mark.parametrize("begun", [0.0, 0.123, 16.0])
def test_a_move_that_begins_later_is_the_same_move(arm: Arm, begun: float) -> None:
    """Times are shifted by up to 16 s: their rounding is 4e-15 s, and moves change by less than 1 m in a second."""
    live = LiveArm(arm)
    live.advance(round(1000 * begun))
    live.play(presets(arm)["sweep"]())
    live.advance(3000)
    fresh = LiveArm(arm)
    fresh.play(presets(arm)["sweep"]())
    fresh.advance(3000)
    np.testing.assert_allclose(live.q, fresh.q, atol=1e-9)
    assert not live.stopped


def test_it_rests_until_it_is_told_otherwise(arm: Arm) -> None:
    live = LiveArm(arm)
    before = live.q
    live.advance(500)
    np.testing.assert_allclose(live.q, before, atol=1e-9)


def test_a_change_takes_over_the_state_and_what_was_going_on(arm: Arm) -> None:
    """The same payload as before changes nothing, also in the middle of a move."""
    live, other = LiveArm(arm), LiveArm(arm)
    for each in (live, other):
        each.play(STEPS)
        each.advance(700)
    live.change(payload=0.0, damping=1.0)
    for each in (live, other):
        each.advance(800)
    np.testing.assert_allclose(live.q, other.q, atol=1e-12)
    np.testing.assert_allclose(live.commands, other.commands)
    assert live.time == other.time


def test_what_changes_has_its_effect(arm: Arm) -> None:
    live = LiveArm(arm)
    low = tip(live)[2]
    live.change(payload=0.5)
    live.advance(3000)
    assert tip(live)[2] > low + 1e-3  # heavier: hangs lower, and +Z is down
    assert live.arm.payload is not None
    live.change(payload=0.0, gravity=(5.0, 0.0, 0.0))
    live.advance(3000)
    assert tip(live)[0] > 0.01
    assert live.arm.payload is None
    live.change(damping=2.0)
    assert live.arm.sections[0].damping == 2 * arm.sections[0].damping


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"payload": -1.0}, "mass = -1"),
        ({"damping": -0.5}, "damping = -0.5"),
        ({"damping": float("nan")}, "damping = nan"),
        ({"gravity": (0.0, 0.0, 1e9)}, "gravity"),
        ({"gravity": (0.0, float("inf"), 0.0)}, "gravity"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(arm: Arm, settings: dict, sentence: str) -> None:
    live = LiveArm(arm)
    live.advance(10)
    with pytest.raises(ValueError, match=sentence):
        live.change(**settings)
    assert live.arm == LiveArm(arm).arm
    assert live.advance(10) == 10
    live.reset()


@pytest.mark.parametrize("pressures", [[-1.0] * 9, [1e3] * 8, [float("nan")] * 9, [1e12] * 9])
def test_pressures_that_cannot_be_are_refused(arm: Arm, pressures: list[float]) -> None:
    live = LiveArm(arm)
    with pytest.raises(ValueError, match="pressures"):
        live.set_pressures(pressures)
    assert not live.commands.any()
    assert live.advance(5) == 5


def test_an_arm_without_muscle_areas_cannot_be_driven_by_pressures(arm: Arm) -> None:
    bare = arm.replace(sections=[section.replace(muscle_area=None) for section in arm.sections])
    with pytest.raises(ValueError, match="muscle_area"):
        LiveArm(bare)


def test_leaving_the_range_is_said_and_reset_goes_on(arm: Arm) -> None:
    """2 MPa in one muscle would bend its section by 2/(3 r) · A (P - P0)/K = 7.9 rad: more than a full turn."""
    live = LiveArm(arm)
    live.set_pressures(2e6 * np.eye(9)[6])
    live.advance(5000)
    assert "section 3 of 3" in live.stopped
    assert "must be at most 2π" in live.stopped
    assert live.advance(100) == 0
    assert np.isfinite(live.q).all()
    live.change(payload=0.1)
    assert live.stopped
    live.reset()
    assert not live.stopped
    assert live.advance(100) == 100
    assert live.arm.payload is not None


def test_a_pressure_bends_the_arm_away_from_its_muscle(arm: Arm) -> None:
    live = LiveArm(arm)
    for column, angle in enumerate(muscle_directions(arm)):
        live.reset()
        pressures = np.zeros(9)
        pressures[column] = 300e3
        live.set_pressures(pressures)
        live.advance(4000)
        away = -np.array([np.cos(angle), np.sin(angle)])
        sideways = tip(live)[:2]
        assert sideways @ away > 0.02
        assert abs(sideways @ [-away[1], away[0]]) < 1e-3 * (sideways @ away) + 1e-9


def test_valves_that_lag_are_shown_as_they_are(arm: Arm) -> None:
    slow = arm.replace(sections=[section.replace(valve_lag=0.2) for section in arm.sections])
    live = LiveArm(slow)
    live.set_pressures(np.full(9, 1e5))
    live.advance(200)
    np.testing.assert_allclose(live.pressures, 1e5 * (1 - np.exp(-1)), rtol=1e-9)
    np.testing.assert_array_equal(live.commands, 1e5)


def test_presets_do_what_their_names_say(arm: Arm) -> None:
    live = LiveArm(arm)
    length = tip(live)[2]
    ends = {}
    for name, move in presets(arm).items():
        live.reset()
        live.play(move())
        live.advance(3000)
        assert not live.stopped
        ends[name] = tip(live)
    assert ends["reach"][2] > length + 0.03
    np.testing.assert_allclose(ends["reach"][:2], 0, atol=1e-9)
    assert ends["curl"][0] < -0.1
    assert abs(ends["curl"][1]) < 1e-6
    assert np.hypot(*ends["sweep"][:2]) > 0.1
    assert ends["experiment 1"][0] < -0.05
    assert set(presets(load_arm("single-section"))) == {"curl", "reach", "sweep"}


def test_what_is_left_of_a_drive_is_the_drive() -> None:
    rng = np.random.default_rng(0)
    drive = CommandsOverTime(np.array([0.0, 1.0, 2.5, 4.0]), *rng.normal(size=(2, 4, 3)))
    drive.end[-1] = drive.begin[-1]
    for time in (0.0, 0.3, 1.0, 2.6, 4.0, 9.0):
        rest = later(drive, time, 100.0)
        ahead = np.linspace(0, 5, 41)
        np.testing.assert_allclose(rest.at(100 + ahead), drive.at(time + ahead), atol=1e-10)
    close = CommandsOverTime.lines([0.0, 1.0, 1.0 + 2e-16], rng.normal(size=(3, 3)))
    assert (np.diff(later(close, 0.0, 16.0).times) > 0).all()


def test_steps_in_time_are_not_late() -> None:
    pace, made = Pace(1000, FRAME, 50.0), 0
    for picture in range(1, 200):
        now = 50.0 + picture * FRAME
        made += (steps := pace.due(now))
        pace.done(steps, now + 0.9 * FRAME, 1e-6 * steps)
    figures = pace.figures
    assert figures.steps == made == int(199 * FRAME * 1000 + 1e-9)
    assert figures.late == 0
    assert figures.real_time_factor == pytest.approx(1, abs=0.02)
    assert figures.step_time == pytest.approx(1e-6)


def test_a_pause_makes_steps_late_and_none_is_lost_from_the_count() -> None:
    pace = Pace(1000, FRAME, 0.0)
    pace.done(pace.due(FRAME), FRAME, 0.0)
    steps = pace.due(1.0)
    assert steps == round(1000 * MOST_BEHIND)  # only so much is made up for
    pace.done(steps, 1.0, 0.0)
    figures = pace.figures
    assert figures.steps == 1000
    assert 1000 - 16 - round(3000 * FRAME) <= figures.late <= 1000 - 16 - round(1000 * FRAME)
    assert 0.9 < figures.late_share < 1
    assert figures.real_time_factor < 0.15


class SlowWorld:
    """A clock on which every look takes some time, so that a loop can be watched without waiting."""

    def __init__(self, per_look: float) -> None:
        self.now, self.per_look = 0.0, per_look

    def __call__(self) -> float:
        self.now += self.per_look
        return self.now


@pytest.mark.parametrize(("per_look", "all_late"), [(0.001, False), (0.2, True)])
def test_a_machine_that_is_too_slow_is_told_from_one_that_is_not(arm: Arm, per_look: float, all_late: bool) -> None:
    live = LiveArm(arm)
    drawn: list[float] = []
    loop = LiveLoop(live, lambda each: drawn.append(each.time), threading.RLock(), SlowWorld(per_look))

    class Ended(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            loop.clock.now += timeout or 0.0  # type: ignore[attr-defined]
            return False

    for _ in range(100):
        loop.beat(Ended())
    figures = loop.pace.figures
    assert loop.pictures == 100
    assert drawn == sorted(drawn)
    assert live.steps <= figures.steps
    assert (figures.late_share > 0.5) == all_late
    assert (figures.real_time_factor < 0.5) == all_late
    if not all_late:
        assert figures.late == 0
        assert live.steps == figures.steps


@pytest.mark.exhaustive
def test_the_benchmark_counts_what_it_does() -> None:
    figures = live_benchmark(1.5)
    assert 0 <= figures.late <= figures.steps <= 1600
    assert figures.late_share == figures.late / figures.steps
    assert figures.real_time_factor <= 1.1
    assert figures.step_time > 0
    with pytest.raises(ValueError, match="seconds = 0"):
        live_benchmark(0)
