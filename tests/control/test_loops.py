"""Closed loops: compiled and Python loops agree, noise and delay are what they say, pushes are overcome."""

import numpy as np
import pytest

import continuarm as ca
from continuarm.control.references import Target
from continuarm.engine import compiled

needs_native = pytest.mark.skipif(compiled.native is None, reason="the compiled module is not built")


class AskedInPython(ca.ComputedTorque):
    """The same law, which no compiled loop knows."""


@needs_native
@pytest.mark.parametrize("arm", ["prototype", "prototype-muscles"])
def test_a_compiled_loop_is_the_loop_in_python(arm):
    plant = ca.load_arm(arm)
    circle = ca.InMuscles(plant, ca.Circle(0.03, 1.0, [0.0, 0.0, 0.46]), posture=np.full(9, 0.004))
    tap = ca.WrenchSignal([0.0, 0.1, 0.15], [[0] * 6, [0, 0, 0, 0.2, 0, 0], [0] * 6], linear=False)
    fixed = {"lead": 0.004, "fastest": 2e7, "highest": 650e3}
    one, other = (
        ca.simulate(plant, ca.loop(kind(plant, **fixed), circle), duration=0.4, wrench=tap)
        for kind in (ca.ComputedTorque, AskedInPython)
    )
    np.testing.assert_allclose(one.q, other.q, atol=2e-7)
    np.testing.assert_allclose(one.pressures, other.pressures, atol=2e3)
    assert np.abs(one.q).max() > 1e-3


@needs_native
def test_a_compiled_loop_is_asked_every_so_many_steps():
    arm = ca.load_arm("prototype")
    goal = ca.Point(np.full(9, 0.02), space="muscles")
    for rate, solver in ((250, None), (500, ca.FixedStep(2000))):
        motion = ca.simulate(
            arm, ca.loop(ca.ComputedTorque(arm), goal, rate=rate), duration=0.1, rate=2000, solver=solver
        )
        changes = np.flatnonzero(np.abs(np.diff(motion.pressures[:, 0])) > 0) + 1
        assert len(changes) > 5
        np.testing.assert_allclose(motion.t[changes] * rate, np.round(motion.t[changes] * rate), atol=1e-6)


def test_a_push_and_a_payload_that_the_controller_does_not_know_are_overcome():
    arm = ca.load_arm("prototype")
    heavier = arm.replace(payload=ca.Payload(mass=0.05))
    at = np.array([0.05, 0.0, 0.52])
    push = ca.WrenchSignal([0.0, 1.5], [[0] * 6, [0, 0, 0, 0, 0.3, 0]], linear=False)
    motion = ca.simulate(heavier, ca.loop(ca.ComputedTorque(arm), ca.Point(at)), duration=3, wrench=push)
    off = np.linalg.norm(motion.tips[:, -1] - at, axis=1)
    assert off[motion.t < 1.5][-1] < 1e-5
    assert off[motion.t > 1.5].max() > 5e-4  # it is felt
    assert off[-1] < 1e-5


@pytest.mark.slow
def test_an_observer_of_noisy_late_tips_stands_in_for_the_state():
    arm = ca.load_arm("prototype")
    circle = ca.Circle(0.03, 4.0, [0.0, 0.0, 0.52])
    controller = ca.ComputedTorque(arm, bandwidth=15.0)
    seen = ca.loop(controller, circle, rate=200, noise=1e-3, delay=0.02, observer=ca.Observer(arm))
    motion = ca.simulate(arm, seen, duration=1.5)
    off = np.linalg.norm(motion.tips[:, -1] - circle.at(motion.t).position, axis=1)[motion.t > 1]
    assert np.sqrt((off**2).mean()) < 1e-3  # less than the noise of what is seen
    assert np.abs(motion.followed["estimate"] - motion.q)[motion.t > 1].max() < 0.5e-3


@pytest.mark.parametrize("kind", [ca.ComputedTorque, AskedInPython])
def test_a_motion_keeps_what_was_followed_and_commanded(kind):
    arm = ca.load_arm("prototype").replace({"sections[*].valve_lag": 0.05})
    circle = ca.Circle(0.03, 4.0, [0.0, 0.0, 0.52])
    motion = ca.simulate(arm, ca.loop(kind(arm), circle, rate=200), duration=0.2)
    np.testing.assert_array_equal(motion.followed["reference"], circle.at(motion.t).position)
    # the valves follow: T Ṗ = command - P
    P, command = motion.pressures, motion.followed["command"]
    np.testing.assert_allclose(P[1:], command[:-1] + (P - command)[:-1] * np.exp(-0.005 / 0.05), rtol=1e-9, atol=1e-3)
    part = motion.rows(slice(3, 7))
    np.testing.assert_array_equal(part.followed["command"], command[3:7])


def test_a_loop_that_is_written_as_it_runs_is_the_loop_that_is_saved(tmp_path):
    arm = ca.load_arm("single-section")
    circle = ca.Circle(0.01, 4.0, [0.0, 0.0, 0.16])
    seen = ca.loop(ca.ComputedTorque(arm), circle, rate=200, noise=1e-4, observer=ca.Observer(arm))
    motion = ca.simulate(arm, seen, duration=0.2, output=tmp_path / "run.nc")
    motion.save(tmp_path / "saved.nc")
    assert (tmp_path / "run.nc").read_bytes() == (tmp_path / "saved.nc").read_bytes()
    again = ca.load_motion(tmp_path / "run.nc")
    assert list(again.followed) == ["reference", "command", "estimate"]
    for name, each in motion.followed.items():
        np.testing.assert_array_equal(again.followed[name], each)


def test_a_reference_of_q_has_a_tip():
    arm = ca.load_arm("single-section")
    q = np.array([0.01, 0.004, 0.0])
    motion = ca.simulate(arm, ca.loop(ca.ComputedTorque(arm), ca.Point(q, space="muscles")), duration=0.1)
    np.testing.assert_allclose(motion.reference_tips, np.tile(ca.tip_poses(arm, q)[-1, :3, 3], (len(motion.t), 1)))
    beyond = ca.Point([10.0, 0.0, 0.0], space="muscles")  # no arm can be so
    assert ca.simulate(arm, ca.loop(Seen3(), beyond), duration=0.1).reference_tips is None
    assert ca.simulate(arm, duration=0.1).reference_tips is None


class Seen3:
    """Commands something, wherever it is to be."""

    def command(self, t, state, reference):
        return np.full(3, 2e5)


class Seen:
    """A controller that keeps what it sees."""

    def __init__(self):
        self.rows = []

    def command(self, t, state, reference):
        self.rows.append((t, state))
        return np.full(9, 2e5 * (1 + np.sin(20 * t)))


def test_a_delay_shows_the_state_of_an_earlier_call():
    arm = ca.load_arm("prototype")
    now, late = Seen(), Seen()
    ca.simulate(arm, ca.loop(now, ca.Point([0, 0, 0.5]), rate=200), duration=0.2)
    ca.simulate(arm, ca.loop(late, ca.Point([0, 0, 0.5]), rate=200, delay=0.02), duration=0.2)
    for k in range(4, len(now.rows)):
        np.testing.assert_array_equal(late.rows[k][1], now.rows[k - 4][1])


def test_noise_has_its_size_and_its_seed():
    arm = ca.load_arm("prototype")
    clean, noisy, again = Seen(), Seen(), Seen()
    for seen, noise in ((clean, 0.0), (noisy, (1e-3, 0.1)), (again, (1e-3, 0.1))):
        ca.simulate(arm, ca.loop(seen, ca.Point([0, 0, 0.5]), rate=500, noise=noise, seed=3), duration=0.4)
    off = np.array([one[1] - other[1] for one, other in zip(noisy.rows, clean.rows, strict=True)])
    assert np.std(off[:, :9]) == pytest.approx(1e-3, rel=0.1)
    assert np.std(off[:, 9:18]) == pytest.approx(0.1, rel=0.1)
    np.testing.assert_array_equal([row for _, row in noisy.rows], [row for _, row in again.rows])


def test_every_solver_takes_a_loop():
    arm = ca.load_arm("single-section")
    goal = ca.Point(np.full(3, 0.01), space="muscles")
    ends = [
        ca.simulate(arm, ca.loop(ca.ComputedTorque(arm), goal, rate=100), duration=0.3, solver=solver).q[-1]
        for solver in (None, ca.Adaptive(), ca.CVODE())
    ]
    np.testing.assert_allclose(ends[1], ends[0], atol=2e-5)
    np.testing.assert_allclose(ends[2], ends[1], atol=1e-6)


def test_bad_loops_are_refused():
    arm, point = ca.load_arm("prototype"), ca.Point([0.0, 0.0, 0.5])
    with pytest.raises(TypeError, match="controller is float: must have command"):
        ca.loop(1.0, point)
    with pytest.raises(TypeError, match="reference is list"):
        ca.loop(Seen(), [0.0, 0.0, 0.5])
    with pytest.raises(ValueError, match="arm of the controller has 3 muscles in 1 sections: must have 9 in 3"):
        ca.simulate(arm, ca.loop(ca.ComputedTorque(ca.load_arm("single-section")), point), duration=1)
    with pytest.raises(ValueError, match="noise = -1"):
        ca.loop(Seen(), point, noise=-1)
    for wrong in (-1, -1e-300, float("nan"), 11, "1 s"):
        with pytest.raises(ValueError, match=r"^delay = .*: must be a number of seconds, 0 or more and at most 10 s$"):
            ca.loop(Seen(), point, delay=wrong)
    assert ca.loop(Seen(), point, delay=0).delay == 0


class Wrong:
    def command(self, t, state, reference):
        return np.full(9, -1.0)


def test_a_wrong_answer_is_said_with_its_time():
    with pytest.raises(ValueError, match="pressures of the controller at t = 0 s"):
        ca.simulate(ca.load_arm("prototype"), ca.loop(Wrong(), ca.Point([0.0, 0.0, 0.5])), duration=1)


class Gap:
    """A reference with a hole after 20 ms, as a table with a missing row has one."""

    def __init__(self, space):
        self.space = space

    def at(self, t):
        still = np.zeros((*np.shape(t), 3 if self.space == "tip" else 9))
        position = still + ([0.0, 0.0, 0.5] if self.space == "tip" else 0.02)
        return Target(np.where((np.asarray(t) > 0.0205)[..., None], np.nan, position), still, still)


@pytest.mark.parametrize("law", [ca.ComputedTorque, ca.GravityCompensation, ca.PredictiveControl])
@pytest.mark.parametrize("space", ["tip", "muscles"])
def test_a_reference_that_is_no_number_is_said_with_its_time(prototype, law, space, tmp_path):
    if law is ca.PredictiveControl and space == "muscles":
        law = ca.ComputedTorque
    with pytest.raises(ValueError, match=r"reference at t = 0\.0\d+ s: position = nan"):
        ca.simulate(prototype, ca.loop(law(prototype), Gap(space), rate=100), duration=0.1, output=tmp_path / "gap.nc")


def test_a_controller_that_is_hardly_ever_asked_is_refused(prototype):
    with pytest.raises(ValueError, match=r"rate = 1e-06 Hz: must be at least 0\.1 Hz"):
        ca.loop(ca.ComputedTorque(prototype), ca.Point([0.05, 0.0, 0.5]), rate=1e-6)


def test_a_plan_of_another_controller_is_refused(prototype):
    plan = ca.Plan(t=0.0, inputs=np.full((5, 9), np.nan))
    with pytest.raises(ValueError, match=r"plan\.inputs\[0, 0\] = nan"):
        ca.PredictiveControl(prototype, nodes=5, plan=plan)
    with pytest.raises(ValueError, match=r"plan\.inputs has shape \(5, 9\): must be \(7, 9\)"):
        ca.PredictiveControl(prototype, nodes=7, plan=ca.Plan(t=0.0, inputs=np.full((5, 9), 1e5)))
