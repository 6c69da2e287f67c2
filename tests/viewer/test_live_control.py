"""A live arm with a controller: its tip follows a target that is moved at any time, and what cannot be is said."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest
from talking import Place, watching

import continuarm as ca
from continuarm.arms.rig import Line
from continuarm.cli.app import main
from continuarm.control.dragging import Approach, Dragged
from continuarm.control.held_postures import HeldPostures
from continuarm.control.references import Target
from continuarm.engine import compiled
from continuarm.viewer import live_view
from continuarm.viewer.live import LiveArm, live_benchmark
from continuarm.viewer.viewer import Viewer, live_arm

needs_native = pytest.mark.skipif(compiled.native is None, reason="the compiled module is not built")


@pytest.fixture(scope="module")
def arm() -> ca.Arm:
    return ca.load_arm("single-section")


def tip(live: LiveArm) -> np.ndarray:
    return np.asarray(ca.tip_poses(live.arm, live.q)[-1, :3, 3])


def far(live: LiveArm, place: np.ndarray) -> float:
    return float(np.linalg.norm(tip(live) - place))


def controllers(arm: ca.Arm) -> list[object]:
    middle = HeldPostures(arm, 700e3).middle.q
    return [
        ca.ComputedTorque(arm),
        ca.ComputedTorque(arm, space="tip"),
        ca.LQR(arm, middle),
        pytest.param(ca.PredictiveControl(arm), marks=needs_native),
    ]


@pytest.mark.parametrize("controller", controllers(ca.load_arm("single-section")))
def test_the_tip_comes_to_where_the_target_is_put(arm: ca.Arm, controller: object) -> None:
    live = LiveArm(arm, controller=controller)
    live.advance(1500)
    middle = tip(live)
    assert live.goal is not None
    assert far(live, live.goal.postures.middle.tip) < 1e-4
    goal = middle + np.array([0.01, -0.015, 0.0])
    goal[2] = HeldPostures(arm, 700e3).nearest(goal).tip[2]
    found = live.aim(goal)
    assert found.distance < 1e-4
    live.advance(150)
    assert far(live, goal) > 1e-4  # on its way, not there at once
    live.advance(2000)
    assert far(live, goal) < 2e-4
    live.reset()
    assert live.time == 0
    assert not live.commands.any()
    live.advance(1500)
    assert far(live, middle) < 2e-4


def test_a_target_that_is_dragged_on_is_followed_without_jumps(arm: ca.Arm) -> None:
    """Accelerations of the reference go on through every change of mind, and the arm keeps up."""
    live = LiveArm(arm, controller=ca.ComputedTorque(arm))
    live.advance(500)
    assert live.goal is not None
    middle = live.goal.postures.middle.tip
    for k in range(40):
        before = live.goal.at(live.time)
        live.aim(middle + 0.01 * np.array([np.cos(k / 5), np.sin(k / 5), 0.0]))
        for one, other in zip(before, live.goal.at(live.time), strict=True):
            np.testing.assert_allclose(one, other, atol=1e-9 * max(1.0, np.abs(one).max()))
        live.advance(17)
        assert far(live, live.goal.tip(live.time)) < 5e-4


def test_a_way_ends_at_rest_at_its_goal() -> None:
    rng = np.random.default_rng(0)
    start, goal = Target(*rng.normal(size=(3, 4))), rng.normal(size=4)
    way = Approach(start, goal, 2.0, 0.7)
    for one, other in zip(way.at(2.0), start, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    for t in (2.7, 9.0):
        end = way.at(t)
        np.testing.assert_allclose(end.position, goal, atol=1e-12)
        np.testing.assert_allclose([end.velocity, end.acceleration], 0, atol=1e-10)
    t = np.linspace(2, 2.7, 4001)
    x, v, a = way.at(t)
    np.testing.assert_allclose(np.gradient(x, t, axis=0)[1:-1], v[1:-1], atol=1e-4)
    np.testing.assert_allclose(np.gradient(v, t, axis=0)[1:-1], a[1:-1], atol=1e-3)


def test_out_of_reach_it_goes_to_the_nearest_place_that_pressures_hold() -> None:
    """No posture under random pressures has its tip nearer than the one that was found, and it is held."""
    arm = ca.load_arm("prototype")
    live = LiveArm(arm, controller=ca.ComputedTorque(arm))
    target = np.array([0.05, 0.3, 0.5])
    found = live.aim(target)
    assert found.distance > 0.01
    live.advance(4000)
    assert not live.stopped
    assert far(live, found.tip) < 1e-4
    pressures = np.random.default_rng(1).uniform(0, 700e3, (4000, 9))
    pressures[::2] = np.where(pressures[::2] > 350e3, 700e3, 90e3)  # at the ends of what they may be
    area, zone = arm.sections[0].muscle_area, arm.sections[0].dead_zone
    q = ca.equilibria(arm, area * np.clip(pressures - zone, 0, None)).q
    others = np.linalg.norm(ca.tip_poses(arm, q)[:, -1, :3, 3] - target, axis=1)
    assert others.min() > found.distance
    assert others.min() < found.distance + 0.1  # they come near


@pytest.mark.parametrize("name", ["prototype", "prototype-muscles"])
def test_a_posture_that_is_held_rests_under_its_pressures(name: str) -> None:
    arm = ca.load_arm(name)
    postures = HeldPostures(arm, 600e3)
    steps = {each: [(0.0, postures.middle.pressures[k])] for k, each in enumerate(arm.muscle_names)}
    rest = ca.simulate(arm, ca.PressureSteps(steps), duration=0.1, start="equilibrium")
    np.testing.assert_allclose(rest.q[0], postures.middle.q, atol=1e-9)
    found = postures.nearest(postures.middle.tip + np.array([0.02, 0.01, -0.004]))
    assert found.distance < 1e-5
    assert found.pressures.max() <= 600e3


def test_muscles_of_a_line_are_held_by_one_pressure() -> None:
    arm = ca.load_arm("prototype").replace(lines=[Line(muscles=("l11", "l12"))])
    found = HeldPostures(arm, 700e3).nearest([0.02, 0.01, 0.49])
    assert found.distance < 1e-5
    assert found.pressures[0] == found.pressures[1]
    assert len(set(found.pressures)) > 2


def test_a_push_and_a_payload_that_the_controller_does_not_know_are_overcome(arm: ca.Arm) -> None:
    live = LiveArm(arm, controller=ca.ComputedTorque(arm))
    live.advance(1000)
    at = tip(live)
    live.push_by([0.3, 0.0, 0.0])
    live.advance(20)
    assert tip(live)[0] > at[0] + 1e-6  # it is felt
    live.advance(2000)
    assert far(live, at) < 1e-5
    live.push_by([0.0, 0.0, 0.0])
    live.change(payload=0.05)
    live.advance(2000)
    assert far(live, at) < 1e-5
    assert live.arm.payload is not None


def test_a_push_bends_an_arm_without_a_controller(arm: ca.Arm) -> None:
    live = LiveArm(arm)
    live.push_by([0.0, 0.2, 0.0])
    live.advance(4000)
    wanted = ca.equilibrium(arm, wrench=[0, 0, 0, 0.0, 0.2, 0.0])
    np.testing.assert_allclose(live.q, wanted, atol=1e-6)
    live.reset()
    assert not live.push.any()


def test_compiled_and_python_loops_go_the_same_way(arm: ca.Arm) -> None:
    class AskedInPython(ca.ComputedTorque):
        """The same law, which no compiled loop knows."""

    ends = []
    for kind in (ca.ComputedTorque, AskedInPython):
        live = LiveArm(arm, controller=kind(arm), asked=250)
        assert live.goal is not None
        for steps in (3, 17, 16, 250, 1):  # pictures end inside the controller's period
            live.advance(steps)
        live.aim(live.goal.postures.middle.tip + np.array([0.01, 0.0, 0.0]))
        for _ in range(20):
            live.advance(17)
        ends.append((live.q, live.commands))
    np.testing.assert_allclose(ends[0][0], ends[1][0], atol=2e-6)
    np.testing.assert_allclose(ends[0][1], ends[1][1], atol=5e3)


@needs_native
def test_controllers_are_asked_as_often_as_they_keep_time(arm: ca.Arm) -> None:
    middle = HeldPostures(arm, 700e3).middle.q
    made = {1000: ca.ComputedTorque(arm), 250: ca.LQR(arm, middle), 100: ca.PredictiveControl(arm)}
    for rate, controller in made.items():
        assert LiveArm(arm, controller=controller)._loop.rate == rate  # type: ignore[union-attr]
    assert LiveArm(arm, controller=made[250], asked=1000)._loop.rate == 1000  # type: ignore[union-attr]


@needs_native
def test_a_compiled_loop_keeps_no_more_the_longer_it_runs(arm: ca.Arm) -> None:
    live = LiveArm(arm, controller=ca.ComputedTorque(arm))
    for _ in range(50):
        live.advance(100)
        assert live.commands.any()
    loop = live._run._loop  # type: ignore[union-attr]
    assert sum(map(len, loop.asked)) <= 101


class Fails:
    def command(self, t: float, state: np.ndarray, reference: object) -> np.ndarray:
        return np.full(3, np.nan if t > 0.05 else 0.0)


def test_bad_controllers_and_targets_are_refused(arm: ca.Arm) -> None:
    with pytest.raises(TypeError, match="controller is str: must have command"):
        live_arm(arm, controller="lqr", block=False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="arm of the controller has 9 muscles in 3 sections: must have 3 in 1"):
        live_arm(arm, controller=ca.ComputedTorque(ca.load_arm("prototype")), block=False)
    with pytest.raises(ValueError, match="rate of the controller = 300 Hz"):
        live_arm(arm, controller=ca.ComputedTorque(arm), rate=300, block=False)
    with pytest.raises(ValueError, match="rate = -1"):
        live_arm(arm, controller=ca.ComputedTorque(arm), rate=-1, block=False)
    late = arm.replace(lines=[Line(muscles=("l11",), delay=0.1)])
    with pytest.raises(ValueError, match="delays"):
        LiveArm(late, controller=ca.ComputedTorque(arm))
    live = LiveArm(arm, controller=ca.ComputedTorque(arm))
    before = live.required_goal().target
    for wrong in ([0.0, 0.0], [0.0, 0.0, float("nan")], [0.0, 0.0, 1e300], "there"):
        with pytest.raises(ValueError, match="position"):
            live.aim(wrong)  # type: ignore[arg-type]
    assert live.required_goal().target is before
    with pytest.raises(ValueError, match="pressures: must come without a controller"):
        live.set_pressures([0.0] * 3)
    with pytest.raises(ValueError, match="target: must come with a controller"):
        LiveArm(arm).aim([0.0, 0.0, 0.1])


def test_a_controller_that_fails_ends_the_view_with_its_reason(arm: ca.Arm) -> None:
    with live_arm(arm, controller=Fails(), block=False) as viewer, pytest.raises(ValueError, match="pressures of the"):
        viewer.wait()


@pytest.fixture
def viewer(arm: ca.Arm) -> Iterator[Viewer]:
    with live_arm(arm, controller=ca.ComputedTorque(arm), block=False) as opened:
        yield opened


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (b'{"target": [0, 0]}', "target = [0, 0]: must be three numbers in m"),
        (b'{"target": [0, 0, NaN]}', "JSON"),
        (b'{"target": [0, 0, 1e300]}', "target"),
        (b'{"target": [0, 0, 1' + b"0" * 400 + b"]}", "target"),
        (b'{"target": [0, 0, "0.1"]}', "target"),
        (b'{"target": [[0, 0, 0.1]]}', "target"),
        (b'{"target": null}', "target"),
        (b'{"target": {"x": 0}}', "target"),
        (b'{"pressures": {"l11": 1e5}}', "pressures: must come without a controller"),
        (b'{"move": "curl"}', "must be one of"),
    ],
)
def test_wishes_that_cannot_be_are_one_sentence(viewer: Viewer, wanted: bytes, sentence: str) -> None:
    place, live = Place.of(viewer.url), viewer.content.live
    target = live.goal.target
    answer = place.do(wanted)
    assert (answer.status, sentence in answer.text) == (400, True), answer.text
    assert "\n" not in answer.text
    assert live.goal.target is target
    assert viewer.content.failure is None


@pytest.mark.parametrize(
    "headers",
    [{"x_continuarm_token": None}, {"origin": "http://evil.example"}, {"host": "evil.example:1"}],
)
def test_others_move_no_target_and_push_nothing(viewer: Viewer, headers: dict[str, str | None]) -> None:
    place, live = Place.of(viewer.url), viewer.content.live
    target = live.goal.target
    for body in (b'{"target": [0.01, 0, 0.16]}', b'{"push": [0.1, 0, 0]}'):
        assert place.ask("/do", "POST", body, **headers).status == 403
    assert live.goal.target is target
    assert not live.push.any()


def test_those_who_look_see_target_reference_and_push(viewer: Viewer) -> None:
    place, view = Place.of(viewer.url), viewer.content
    sizes = dict(view.content().header["live"]["frame"])
    target = [0.01, 0.005, 0.155]
    assert place.do({"target": target}).status == 200
    with watching(place) as watcher:
        while (message := watcher.message())[0]:
            pass
        begins = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
        assert len(message[2]) == sum(sizes.values())
        np.testing.assert_allclose(message[2][begins["target"] :][:3], target, atol=1e-6)
        np.testing.assert_allclose(message[2][begins["nearest"] :][:3], view.live.goal.held.tip, atol=1e-6)
        assert place.do({"push": [0.05, 0.0, 0.0]}).status == 200
        for _ in range(1000):
            wrench = watcher.message()
            if not wrench[0] and wrench[2][begins["wrench"] + 3] > 0:
                break
        assert wrench[2][begins["wrench"] + 3] == pytest.approx(0.05)


def test_a_push_ends_when_nobody_says_it_again(viewer: Viewer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_view, "LONGEST_PUSH", 0.05)
    view, waits = viewer.content, threading.Event()
    view.do({"push": [0.05, 0.0, 0.0]})
    for _ in range(1000):
        if not view.live.push.any():
            break
        waits.wait(0.05)
    assert not view.live.push.any()


@pytest.mark.exhaustive
def test_the_benchmark_follows_a_target() -> None:
    arm = ca.load_arm("prototype")
    figures = live_benchmark(1.0, arm, ca.ComputedTorque(arm))
    assert 0 <= figures.late <= figures.steps <= 1200
    assert figures.step_time > 0


def test_what_feeds_back_the_tip_is_given_a_reference_of_the_tip(arm: ca.Arm) -> None:
    q = HeldPostures(arm, 700e3).middle.q
    assert Dragged(arm, ca.ComputedTorque(arm, space="tip"), q).at(0.0).position.shape == (3,)
    assert Dragged(arm, ca.GravityCompensation(arm), q).at(np.zeros(5)).position.shape == (5, 3)
    assert Dragged(ca.load_arm("prototype"), ca.GravityCompensation(ca.load_arm("prototype")), np.zeros(9)).at(
        np.zeros(5)
    ).position.shape == (5, 9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--controller", "magic"], "--controller = 'magic': must be one of computed-torque, tip-torque, gravity, lqr"),
        (["--controller", "lqr", "--highest", "0"], "--highest = 0: must be above 0 kPa"),
        (["--controller", "gravity", "--rate", "333", "--benchmark", "1"], "rate of the controller = 333 Hz"),
        (["--controller", "lqr", "--page", "arm.html"], "--page and --controller exclude each other"),
    ],
)
def test_bad_options_are_one_line(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "single-section", *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


@pytest.mark.exhaustive
def test_the_command_measures_an_arm_with_a_controller(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["live", "single-section", "--controller", "lqr", "--rate", "500", "--benchmark", "0.5"]) == 0
    assert "% late" in capsys.readouterr().out


@pytest.mark.parametrize("payload", [[], {}, "", False, None, [0.1], float("nan"), -1])
def test_a_payload_that_is_no_mass_is_refused_and_changes_nothing(arm: ca.Arm, payload: object) -> None:
    live = LiveArm(arm)
    with pytest.raises((ValueError, TypeError), match=r"payload|mass"):
        live.change(payload=payload)
    live.change(payload=0.05)
    assert live.arm.carried_mass[0] == 0.05


def test_a_rate_without_a_controller_is_refused(arm: ca.Arm) -> None:
    with pytest.raises(ValueError, match=r"rate = -5.*: must come with a controller"):
        LiveArm(arm, asked=-5.0)


def test_ragged_postures_are_refused(arm: ca.Arm) -> None:
    with pytest.raises(ValueError, match="about"):
        ca.LQR(arm, [np.full(9, 0.02), np.full(3, 0.02)])
