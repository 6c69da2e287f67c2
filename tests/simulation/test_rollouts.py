"""Laws of many arms at once: each moves as it moves alone, to the last bit, and what is refused or left out."""

import pickle

import numpy as np
import pytest

import continuarm as ca
from continuarm.engine import compiled
from random_plants import FOUR, LAWS, random_plant

STEPS = 60
MODELS = {"integral": ca.Integral(), "shaped": ca.CentreOfGravity()}
EVERYTHING = ["q", "qd", "tips", "energies"]


def alone(arm, input, step=1e-3, steps=STEPS, **more):
    """What simulate gives of one arm in the same steps."""
    return ca.simulate(arm, input, duration=steps * step, solver=ca.FixedStep(1 / step), rate=1 / step, **more)


def driven_arms(law, count, n=3, seed=0, layout=None, model=None):
    """Arms of a law that differ in several numbers, and a wrench."""
    rng = np.random.default_rng(seed)
    arm = random_plant(rng, n, law, layout, model).arm
    values = {"mass": rng.uniform(0.05, 0.2, count), "sections[0].damping": rng.uniform(30, 60, count)}
    return ca.vary(arm, values, stiffness=rng.uniform(1300, 1700, count)), rng


def signal_of(arm, rng):
    """Jumps inside steps and on their edges; forces where muscles take no pressure."""
    if arm.sections[0].muscle_area is None:
        return ca.ForceSignal([0.0, 0.0123, 0.05], 5 * rng.normal(size=(3, 3 * arm.n)))
    times = np.array([0.0, 0.0123, 0.03])
    pressures = rng.uniform(0, 4e5, (3, len(arm.muscle_names))) * rng.integers(0, 2, (3, len(arm.muscle_names)))
    return ca.PressureSignal(times, pressures, linear=bool(rng.integers(2)))


def same_as_alone(found, k, motion):
    assert np.array_equal(found.q[k], motion.q)
    assert np.array_equal(found.qd[k], motion.qd)
    assert np.array_equal(found.tips[k], motion.tips)
    for name, energy in motion.energies.items():
        assert np.array_equal(found.energies[name][k], energy), name


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("law", LAWS)
def test_every_arm_moves_as_it_moves_alone(law, model):
    arms, rng = driven_arms(law, 11, layout=FOUR if law == "everything" else None, model=MODELS[model])
    signal, wrench = signal_of(arms[0], rng), [0.0, 0.01, 0.0, 0.1, 0.2, 0.0]
    q0 = rng.uniform(0, 2e-3, (11, 9))
    found = ca.rollout(arms, signal, steps=STEPS, q0=q0, wrench=wrench, outputs=EVERYTHING)
    assert not any(found.causes)
    for k in (0, 7, 8, 10):  # in a full register and in one that is not
        same_as_alone(found, k, alone(arms[k], signal, q0=q0[k], wrench=wrench))


@pytest.mark.parametrize("level", compiled.native.build_info()["instruction_sets"])
def test_every_instruction_set_steps_arms_as_it_steps_one(level):
    arms, rng = driven_arms("everything", 9)
    signal = signal_of(arms[0], rng)
    compiled.native.use_level(level)
    try:
        found = ca.rollout(arms, signal, steps=STEPS, outputs=EVERYTHING)
        same_as_alone(found, 8, alone(arms[8], signal))
    finally:
        compiled.native.use_level("")


def test_neither_the_number_of_arms_nor_that_of_threads_changes_a_bit():
    arms, rng = driven_arms("everything", 41)
    pressures = rng.uniform(0, 4e5, (41, STEPS, 9))
    whole = ca.rollout(arms, pressures, outputs=EVERYTHING, threads=1)
    for threads in (2, 3):
        again = ca.rollout(arms, pressures, outputs=EVERYTHING, threads=threads)
        assert np.array_equal(again.q, whole.q)
        assert np.array_equal(again.tips, whole.tips)
    for k, count in ((0, 1), (3, 2), (5, 9), (20, 21)):
        part = ca.rollout(arms[k : k + count], pressures[k : k + count], outputs=EVERYTHING)
        assert np.array_equal(part.q, whole.q[k : k + count])
        assert np.array_equal(part.energies["kinetic"], whole.energies["kinetic"][k : k + count])


def test_arms_with_a_payload_and_arms_without_one_go_together():
    arm = ca.load_arm("prototype")
    arms = [arm.replace(payload=ca.Payload(mass=0.02 * k)) if k % 3 else arm for k in range(10)]
    signal = ca.PressureSteps({"l33": [(0.0, 400e3)]})
    found = ca.rollout(arms, signal, steps=STEPS, outputs=EVERYTHING)
    for k in (0, 1, 9):
        same_as_alone(found, k, alone(arms[k], signal))


def test_a_jump_inside_a_step_acts_from_the_dead_zone_of_each_arm_on():
    arms = ca.vary(ca.load_arm("prototype"), dead_zone=np.linspace(0, 1.4e5, 9))
    signal = ca.PressureSteps({"l11": [(0.0104, 150e3)]})
    found = ca.rollout(arms, signal, steps=STEPS, outputs=EVERYTHING)
    for k in (0, 4, 8):
        same_as_alone(found, k, alone(arms[k], signal))


def test_pressures_are_held_for_a_step_each_and_those_of_all_arms_may_be_given_once():
    arms, rng = driven_arms("valve", 5)
    pressures = rng.uniform(0, 4e5, (STEPS, 9))
    shared = ca.rollout(arms, pressures, outputs=EVERYTHING)
    signal = ca.PressureSignal(np.arange(STEPS) * 1e-3, pressures, linear=False)
    same_as_alone(shared, 3, alone(arms[3], signal))
    each = ca.rollout(arms, np.broadcast_to(pressures, (5, STEPS, 9)))
    assert np.array_equal(each.q, shared.q)
    few = ca.rollout(arms, pressures, every=7)
    assert np.array_equal(few.q, shared.q[:, ::7])
    assert np.array_equal(few.t, shared.t[::7])


def test_a_line_feeds_its_muscles_and_delays_them():
    arm = ca.load_arm("prototype").replace(lines=[ca.Line(muscles=["l11", "l12"], delay=0.0123)])
    rng = np.random.default_rng(3)
    lines = rng.uniform(0, 3e5, (STEPS, 8))
    muscles = np.insert(lines, 1, lines[:, 0], axis=1)
    found = ca.rollout([arm, arm], lines, outputs=EVERYTHING)
    signal = ca.PressureSignal(np.arange(STEPS) * 1e-3, muscles, linear=False)
    same_as_alone(found, 1, alone(arm, signal))
    assert np.array_equal(ca.rollout([arm], muscles).q[0], found.q[0])


def test_a_policy_is_asked_with_all_arms_and_its_answer_is_held():
    arms, _ = driven_arms("valve", 10)
    asked = []

    def policy(t, q, qd):
        asked.append(t)
        return np.clip(1e5 + 1e7 * (0.01 - q) - 1e4 * qd, 0, 4e5)

    found = ca.rollout(arms, policy, steps=STEPS, ask_every=5, outputs=EVERYTHING)
    assert np.allclose(asked, np.arange(0, STEPS, 5) * 1e-3, rtol=0, atol=1e-15)
    one = ca.Controller(lambda t, q, qd: np.clip(1e5 + 1e7 * (0.01 - q) - 1e4 * qd, 0, 4e5), rate=200)
    assert np.array_equal(found.q[7], alone(arms[7], one).q)


def test_an_arm_that_leaves_the_range_stops_with_its_cause_and_the_others_go_on():
    arms = ca.vary(ca.load_arm("prototype"), muscle_area=[1e-4, 1.0, 1e-4, 1.0, 1e-4])
    signal = ca.PressureSteps({"l11": [(0.0, 5e5)]})
    found = ca.rollout(arms, signal, steps=300, outputs=EVERYTHING)
    assert np.array_equal(np.isfinite(found.stopped), [False, True, False, True, False])
    with pytest.warns(ca.PressureWarning):
        motion = alone(arms[1], signal, steps=300)
    assert motion.stopped == f"t = {found.stopped[1]:.6g} s: {found.causes[1]}"
    rows = len(motion.t)
    assert np.array_equal(found.q[1, :rows], motion.q)
    assert np.isnan(found.q[1, rows:]).all()
    assert np.isnan(found.tips[1, rows:]).all()
    same_as_alone(found, 2, alone(arms[2], signal, steps=300))
    assert found.causes[0] == ""


def test_a_batch_moves_as_a_rollout_and_arms_are_reset_one_by_one():
    arms, rng = driven_arms("everything", 11)
    pressures = rng.uniform(0, 3e5, (11, STEPS, 9))
    found = ca.rollout(arms, pressures, outputs=EVERYTHING)
    batch = ca.Batch(arms)
    for k in range(20):
        batch.step(pressures[:, k])
    assert np.array_equal(batch.q, found.q[:, 20])
    assert np.array_equal(batch.qd, found.qd[:, 20])
    assert np.array_equal(batch.tips, found.tips[:, 20])
    again = pickle.loads(pickle.dumps(batch))
    mask = np.arange(11) == 4
    batch.reset(mask)
    batch.step(pressures[:, 0])
    again.step(pressures[:, 0])
    assert np.array_equal(batch.q[mask], found.q[mask, 1])
    assert np.array_equal(batch.q[~mask], again.q[~mask])
    assert np.allclose(batch.t, np.where(mask, 1e-3, 21e-3), rtol=0, atol=1e-15)
    held = ca.Batch(arms)
    held.step(pressures[:, 0], count=30)
    assert np.array_equal(held.q, ca.rollout(arms, np.repeat(pressures[:, :1], 30, axis=1)).q[:, -1])


def test_an_arm_of_a_batch_stays_where_it_last_was_in_the_range_until_it_is_reset():
    batch = ca.Batch(ca.vary(ca.load_arm("prototype"), muscle_area=[1e-4, 1.0]))
    batch.step([5e5, 0, 0, 0, 0, 0, 0, 0, 0], count=300)
    assert np.array_equal(np.isfinite(batch.stopped), [False, True])
    assert np.isfinite(batch.q).all()
    assert np.isfinite(batch.tips).all()
    assert "must be" in batch.causes[1]
    last, copied = batch.q[1], pickle.loads(pickle.dumps(batch))
    batch.step(np.zeros(9))
    assert np.array_equal(batch.q[1], last)
    assert np.array_equal(copied.stopped, batch.stopped, equal_nan=True)
    batch.reset()
    assert not np.isfinite(batch.stopped).any()


def test_varied_arms_have_the_numbers_they_were_given():
    arm = ca.load_arm("prototype").replace({"sections[1].stiffness": (1700 * np.eye(3)).tolist()})
    values = {"sections[1].stiffness[0][1]": [10.0, 20.0], "gravity[2]": [9.81, -9.81], "payload.mass": [0.1, 0.2]}
    arms = ca.vary(arm, values, damping=100.0)
    matrix = arms[1].sections[1].stiffness_matrix
    assert matrix[0, 1] == matrix[1, 0] == 20.0
    assert [each.gravity[2] for each in arms] == [9.81, -9.81]
    assert arms[1].payload.mass == 0.2
    assert {section.damping for each in arms for section in each.sections} == {100.0}
    assert len(arms[1:]) == 1
    assert arms[1:].values["payload.mass"] == [0.2]


def refused(words, call, *given, **named):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        call(*given, **named)
    assert "\n" not in str(caught.value)


def test_what_cannot_be_is_refused_in_one_sentence():
    arm = ca.load_arm("prototype")
    many = np.full((40, 20, 9), 2e5)
    arms = [arm] * 40
    many[17, 3, 2] = np.nan
    refused(r"input\[17, 3, 2\] = nan: must be finite", ca.rollout, arms, many)
    many[17, 3, 2] = -5.0
    refused(r"input\[17, 3, 2\] = -5: must be 0 Pa or more", ca.rollout, arms, many)
    refused(r"has shape \(39, 20, 9\): must be \(40, steps, 9\)", ca.rollout, arms, np.zeros((39, 20, 9)))
    refused(r"input\(t = 0 s\) has shape \(3, 9\)", ca.rollout, arms, lambda *_: many[:3, 0], steps=5)
    late = arm.replace(lines=[ca.Line(muscles=["l11", "l12"], delay=0.01)])
    refused(r"delays, up to 0.01 s: must have none for a policy", ca.rollout, [late], lambda *_: many[:1, 0], steps=5)
    refused(r"delays, up to 0.01 s: must have none for a Batch", ca.Batch, [late])
    acting = ca.Controller(lambda *_: np.zeros(9), 100)
    refused(r"must have none for a Controller", ca.simulate, late, acting, duration=0.1)
    refused(r"every = 6: must be at most 5, the number of steps", ca.rollout, arms, steps=5, every=6)
    refused("no Controller", ca.rollout, arms, ca.Controller(lambda *_: np.zeros(9), 100), steps=5)
    refused("input has 20 rows: must have 5", ca.rollout, arms, np.zeros((20, 9)), steps=5)
    refused("must be one of them", ca.rollout, arms, steps=5, duration=0.005)
    refused(r"device = 'tpu': must be 'cpu' or 'cuda'", ca.rollout, arms, steps=5, device="tpu")
    refused("number of sections: 1 of arms", ca.rollout, [arm, ca.load_arm("single-section")], steps=5)
    lagged = arm.replace({"sections[1].valve_lag": 0.1})
    refused("arms differ in valves that lag", ca.rollout, [arm, lagged], steps=5)
    refused(r"q0 of arm 1: section 1 of 3", ca.rollout, [arm] * 2, steps=5, q0=[[0.0] * 9, [-1.0] * 9])
    refused(r"outputs: 'tip' must be one of q, qd, tips", ca.rollout, arms, steps=5, outputs=["tip"])
    refused(r"mask has shape \(2,\): must be \(40,\)", ca.Batch(arms).reset, [True, False])


def test_arms_that_cannot_be_are_named_with_what_is_allowed():
    arm, masses = ca.load_arm("prototype"), np.full(100, 0.1)
    masses[[17, 30, 31, 32]] = -1.0
    refused(r"4 of 100 arms cannot be: arm 17: .*mass = -1.*; and 1 more", ca.vary, arm, mass=masses)
    masses[17] = np.nan
    refused(r"mass\[17\] = nan: must be finite", ca.vary, arm, mass=masses)
    refused("'masss' is no number of an arm", ca.vary, arm, masss=masses)
    refused("damping has 3 numbers: must have 100", ca.vary, arm, mass=np.full(100, 0.1), damping=[1.0, 2.0, 3.0])
    refused("arms differ in stops", ca.vary, *stops_or_none())


def stops_or_none():
    fields = {"sections[*].length_range": (-0.01, 0.05), "sections[*].stop_stiffness": 1e4}
    return ca.load_arm("prototype").replace(fields), {"stop_stiffness": [1e4, 0.0]}


def test_nothing_is_lost_where_a_call_is_refused():
    batch = ca.Batch([ca.load_arm("prototype")] * 3)
    batch.step(np.full(9, 2e5), count=10)
    before = batch.state
    refused("nan", batch.step, [np.nan] * 9)
    refused("q0", batch.reset, q0=[-1.0] * 9)
    assert np.array_equal(batch.state, before)
