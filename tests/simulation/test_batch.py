"""Laws of a batch whose places change their arms, and of wrenches that differ from arm to arm."""

import os
import pickle
import signal
import threading

import numpy as np
import pytest

import continuarm as ca
from random_plants import LAWS, random_plant
from refusals import refused


def some_arms(law, count, seed=0):
    rng = np.random.default_rng(seed)
    arm = random_plant(rng, 2, law).arm
    return ca.vary(arm, stiffness=rng.uniform(1300, 1700, count), mass=rng.uniform(0.05, 0.2, count)), rng


@pytest.mark.parametrize("law", [law for law in LAWS if "muscle_area" in LAWS[law]])
def test_every_arm_feels_its_own_wrench(law):
    arms, rng = some_arms(law, 11)
    pressures = rng.uniform(0, 3e5, (11, 6))
    wrenches = rng.normal(size=(11, 6)) * [0.02, 0.02, 0.02, 0.3, 0.3, 0.3]
    batch = ca.Batch(arms)
    batch.step(pressures, count=40, wrench=wrenches)
    for k in (0, 7, 8, 10):
        alone = ca.Batch(arms[k], wrench=wrenches[k])
        alone.step(pressures[k], count=40)
        assert np.array_equal(alone.state[0], batch.state[k])
    assert not np.array_equal(batch.q[3], _stepped(arms, pressures).q[3])


def _stepped(arms, pressures):
    batch = ca.Batch(arms)
    batch.step(pressures, count=40)
    return batch


def test_one_wrench_is_that_of_all_arms_for_these_steps_alone():
    arms, _ = some_arms("valve", 3)
    push = [0.0, 0.0, 0.0, 0.3, 0.0, 0.0]
    batch, held = ca.Batch(arms), ca.Batch(arms, wrench=push)
    for each in (batch, held):
        each.step(np.full(6, 2e5), count=5, wrench=push)
    assert batch.state.tolist() == held.state.tolist()
    for each in (batch, held):
        each.step(np.full(6, 2e5), count=5)
    assert not np.array_equal(batch.q, held.q)


def test_a_place_moves_as_the_arm_that_it_has():
    arms, rng = some_arms("everything", 5)
    which = rng.integers(0, 5, 19)
    pressures = rng.uniform(0, 3e5, (19, 6))
    batch = ca.Batch(arms, which=which)
    batch.step(pressures, count=30)
    plain = ca.Batch([arms[k] for k in which])
    plain.step(pressures, count=30)
    assert len(batch) == 19
    assert np.array_equal(batch.state, plain.state)
    assert np.array_equal(batch.tips, plain.tips)


def test_a_reset_gives_places_other_arms_and_leaves_the_rest():
    arms, rng = some_arms("hysteresis", 4)
    pressures = rng.uniform(0, 3e5, (10, 6))
    batch = ca.Batch(arms, which=np.zeros(10))
    untouched = ca.Batch(arms, which=np.zeros(10))
    for each in (batch, untouched):
        each.step(pressures, count=20)
    mask, others = np.arange(10) % 3 == 1, rng.integers(1, 4, 10)
    batch.reset(mask, which=others, q0=np.full(6, 1e-3))
    again = pickle.loads(pickle.dumps(batch))
    assert again == batch
    for each in (batch, untouched, again):
        each.step(pressures, count=20)
    fresh = ca.Batch(arms, which=others, q0=np.full(6, 1e-3))
    fresh.step(pressures, count=20)
    assert np.array_equal(batch.which, np.where(mask, others, 0))
    assert np.array_equal(batch.q[mask], fresh.q[mask])
    assert np.array_equal(batch.q[~mask], untouched.q[~mask])
    assert np.array_equal(batch.state, again.state)


def test_a_reset_that_cannot_be_changes_nothing():
    short = ca.load_arm("single-section").replace({"sections[0].length_range": None})
    arms = ca.vary(short, length=[0.15, 0.05])
    batch = ca.Batch(arms, which=[0, 0, 0])
    batch.step([2e5, 0, 1e5], count=20)
    before = pickle.loads(pickle.dumps(batch))
    with refused("q0 of arm 1"):
        batch.reset([False, True, True], which=[1, 1, 1], q0=np.full(3, -0.06))
    assert batch == before
    for each in (batch, before):
        each.step([2e5, 0, 1e5], count=20)
    assert np.array_equal(batch.state, before.state)


def test_the_cause_is_that_of_the_arm_at_the_place():
    arms = ca.vary(ca.load_arm("prototype"), muscle_area=[1e-4, 1.0])
    batch = ca.Batch(arms, which=[1, 0, 1, 0])
    batch.step([5e5, 0, 0, 0, 0, 0, 0, 0, 0], count=100)
    assert [bool(cause) for cause in batch.causes] == [True, False, True, False]


def test_what_a_user_changes_of_a_state_stays_outside():
    batch = ca.Batch(ca.load_arm("single-section"))
    for given in (batch.state, batch.q, batch.qd, batch.which):
        given[:] = 7
    assert not batch.state.any()
    assert batch.which.tolist() == [0]


def test_places_and_wrenches_that_cannot_be_are_refused():
    arms = ca.vary(ca.load_arm("prototype"), damping=[100.0, 110.0])
    batch = ca.Batch(arms)
    with refused("which[1] = 2", "from 0 to 1"):
        ca.Batch(arms, which=[0, 2])
    with refused("which[0] = 0.5"):
        ca.Batch(arms, which=[0.5])
    with refused("which has shape (3,)", "(2,)"):
        batch.reset(which=[0, 1, 1])
    with refused("wrench has shape (3, 6)", "(2, 6)"):
        batch.step(np.zeros(9), wrench=np.zeros((3, 6)))
    with refused("wrench[4] = nan"):
        batch.step(np.zeros(9), wrench=[0, 0, 0, 0, np.nan, 0])
    with refused("wrench is a WrenchSignal"):
        batch.step(np.zeros(9), wrench=ca.WrenchSignal([0.0], np.zeros((1, 6))))
    arm = ca.load_arm("prototype")
    mixed = ca.Batch([arm, arm.replace(payload=ca.Payload(mass=0.1))])
    with refused("carry a payload"):
        mixed.reset(which=[1, 0])


@pytest.mark.slow
def test_the_clock_goes_with_the_states_where_steps_are_interrupted():
    batch = ca.Batch(ca.load_arm("single-section"), step=1e-5)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        batch.step(np.full(3, 2e5), count=10**9)
    done = round(float(batch.t[0]) / 1e-5)
    assert done > 0
    again = ca.Batch(ca.load_arm("single-section"), step=1e-5)
    again.step(np.full(3, 2e5), count=done)
    assert np.array_equal(again.state, batch.state)


def test_numbers_are_varied_once():
    arm = ca.load_arm("prototype")
    with refused("'sections[0].mass' and 'mass' both set", "must be set once"):
        ca.vary(arm, {"sections[0].mass": [0.2]}, mass=[0.1])
    with refused("'mass' is given twice"):
        ca.vary(arm, {"mass": [0.1]}, mass=[0.2])
