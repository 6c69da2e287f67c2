"""Laws of the observer: its errors match its covariance, late measurements count as early ones, payloads are found."""

import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.stats import chi2

import continuarm as ca
from continuarm.control.observer_model import ObserverModel
from continuarm.dynamics.plant import Plant
from continuarm.engine.native_arm import native_plant

STEP, DENSITY, DELAY = 5e-3, 0.05, 0.03
SEEDS = 50


def watched(arm, observer, mean, seed, duration, late=DELAY):
    """The true state after a motion that an observer watched: lengths at 100 Hz, the last tip at 50 Hz and late."""
    rng = np.random.default_rng(seed)
    plant = Plant(arm)
    native, size = native_plant(plant, STEP), 3 * arm.n
    observer.reset(mean)
    row = mean.copy()
    row[:size] += rng.normal(0, observer.q_sigma, size)
    row[size : 2 * size] += rng.normal(0, observer.qd_sigma, size)
    row[plant.states.pressures : plant.states.hysteresis] += rng.normal(
        0, observer.pressure_sigma, plant.states.hysteresis - plant.states.pressures
    )
    on_the_way, muscles = [], np.arange(len(arm.muscle_names))
    for k in range(1, round(duration / STEP) + 1):
        t = k * STEP
        pressures = 2.5e5 + 1e5 * np.sin(2 * np.pi * t * (1 + muscles) / 4 + muscles)
        unknown = rng.normal(0, DENSITY / np.sqrt(STEP), size)
        out = np.empty((1, len(row)))
        assert native.forward_sweep(row, plant.commands.rows(pressures[None], unknown[None]), STEP, out) == 1
        row = out[0]
        observer.advance(t, pressures)
        if k % 4 == 0:
            tip = ca.tip_poses(arm, row[:size])[-1, :3, 3] + rng.normal(0, 1e-3, 3)
            on_the_way.append((t, ca.TipPosition(arm.n, [tip], sigma=1e-3)))
        if k % 2 == 0:
            for j in (0, size // 2, size - 1):
                length = row[j] + rng.normal(0, 5e-4)
                observer.measure(t, ca.MuscleLength(arm.muscle_names[j], [length], sigma=5e-4))
        if plant.lagged.any() and k % 10 == 0:
            inside = row[plant.states.pressures] + rng.normal(0, 1e3)
            observer.measure(t, ca.PressureReading(arm.muscle_names[0], [inside], sigma=1e3))
        while on_the_way and on_the_way[0][0] + late <= t + 1e-9:
            observer.measure(*on_the_way.pop(0))
    return row


def normalised(observer, row, *numbers):
    """eᵀ P⁻¹ e: χ² with as many degrees of freedom as e has numbers."""
    errors = np.concatenate([row - observer.estimate.state])[observer.moving]
    errors = np.append(errors, np.array(numbers) - np.array(list(observer.estimate.parameters.values())))
    return float(errors @ np.linalg.solve(observer.estimate.covariance, errors)), len(errors)


@pytest.mark.slow
@pytest.mark.parametrize("case", ["payload", "states", "lagged"])
def test_errors_match_the_covariance(prototype, case):
    arm = prototype.replace({"sections[*].valve_lag": 0.05} if case == "lagged" else {})
    parameters = {"payload.mass": 0.01} if case == "payload" else {}
    guessed = arm.replace({"payload.mass": 0.05}) if parameters else arm
    observer = ca.Observer(guessed, parameters=parameters, force_noise=DENSITY, step=STEP)
    mean = Plant(arm).first_state(ca.equilibrium(arm), pressures=np.full(9, 2e5))
    found = []
    for seed in range(SEEDS):
        masses = [np.random.default_rng(1000 + seed).normal(0.05, 0.01)] if parameters else []
        true = arm.replace({"payload.mass": masses[0]}) if masses else arm
        row = watched(true, observer, mean, seed, duration=0.4)
        found.append(normalised(observer, row, *masses))
    degrees = found[0][1]
    low, high = chi2.ppf([0.025, 0.975], SEEDS * degrees) / SEEDS
    assert low < np.mean([each for each, _ in found]) < high


@pytest.mark.parametrize("seeds", [[1, 2], pytest.param(range(SEEDS), marks=pytest.mark.exhaustive)])
def test_a_payload_of_fifty_grams_is_found_in_two_seconds(prototype, seeds):
    loaded = prototype.replace(payload=ca.Payload(mass=0.05))
    observer = ca.Observer(prototype, parameters={"payload.mass": 0.05}, force_noise=DENSITY, step=STEP)
    mean = Plant(prototype).first_state(ca.equilibrium(prototype))
    for seed in seeds:
        watched(loaded, observer, mean, seed, duration=2.0)
        assert abs(observer.estimate.parameters["payload.mass"] - 0.05) < 0.005
        assert observer.estimate.sigmas["payload.mass"] < 0.002
        assert np.isclose(observer.estimated_arm.payload.mass, observer.estimate.parameters["payload.mass"])


def test_a_stiffness_is_found(prototype):
    softer = prototype.replace({"sections[*].stiffness": 1500.0})
    observer = ca.Observer(prototype, parameters={"stiffness": 200.0}, force_noise=DENSITY, step=STEP)
    watched(softer, observer, Plant(softer).first_state(ca.equilibrium(softer)), 3, duration=1.0)
    assert abs(observer.estimate.parameters["stiffness"] - 1500.0) < 4 * observer.estimate.sigmas["stiffness"] < 200.0


def test_a_late_measurement_counts_as_one_that_came_at_once(prototype):
    found = []
    for late in (0.0, DELAY):
        observer = ca.Observer(prototype, parameters={"payload.mass": 0.05}, force_noise=DENSITY, step=STEP)
        start = Plant(prototype).first_state(ca.equilibrium(prototype))
        watched(prototype, observer, start, 4, duration=0.2, late=late)
        found.append(observer)
    at = round((0.2 - DELAY) / STEP) // 4 * 4  # up to the last one that has come in, both know the same
    early, delayed = (each._past[at] for each in found)
    np.testing.assert_allclose(delayed.row, early.row, atol=1e-12)
    np.testing.assert_allclose(delayed.covariance, early.covariance, atol=1e-15)


def test_slopes_of_readings_are_those_of_the_readings(prototype):
    rng = np.random.default_rng(5)
    arm = prototype.replace({"sections[*].valve_lag": 0.05})
    model, h = ObserverModel(arm, STEP, (), DENSITY, 0.0, np.zeros(0)), 1e-6
    row = Plant(arm).first_state(rng.uniform(0, 0.03, 9), pressures=rng.uniform(1e5, 3e5, 9))
    turned = np.array([0.3, -0.2, 0.1])
    for sensor in (
        ca.TipPosition(2, [[0.0, 0.0, 0.3]], sigma=1e-3),
        ca.TipOrientation(3, [turned], sigma=1e-2),
        ca.MuscleLength("l22", [0.01], sigma=1e-3),
        ca.PressureReading("l31", [2e5], sigma=1e3),
    ):
        if isinstance(sensor, ca.TipOrientation):  # differences of rotations are vectors where they are small
            seen = Rotation.from_matrix(ca.tip_poses(arm, row[:9])[2, :3, :3]).as_rotvec()
            sensor = ca.TipOrientation(3, [seen], sigma=1e-2)
        _, slope = model.seen(row, sensor)
        for j, place in enumerate(model.moving):
            size = 1e5 if place >= 18 else 1.0
            ends = [row.copy(), row.copy()]
            ends[0][place] += h * size
            ends[1][place] -= h * size
            missed = [model.seen(end, sensor)[0] for end in ends]
            wanted = -(missed[0] - missed[1]) / (2 * h * size)
            np.testing.assert_allclose(slope[:, j], wanted, atol=1e-6 * max(1.0, np.abs(slope).max()))


def test_a_gap_tells_nothing_and_a_measurement_makes_more_certain(prototype):
    observer = ca.Observer(prototype)
    observer.advance(0.05, np.full(9, 2e5))
    before = observer.estimate
    observer.measure(0.05, ca.TipPosition(3, [[np.nan] * 3], sigma=1e-3))
    assert (observer.estimate.covariance == before.covariance).all()
    observer.measure(0.05, ca.TipPosition(3, [[0.0, np.nan, 0.46]], sigma=1e-3))
    assert np.trace(observer.estimate.covariance[:9, :9]) < np.trace(before.covariance[:9, :9])


def test_a_pickle_goes_on_and_reset_begins_again(prototype):
    observer = ca.Observer(prototype, parameters={"payload.mass": 0.05})
    observer.advance(0.05, np.full(9, 2e5))
    again = pickle.loads(pickle.dumps(observer))
    for each in (observer, again):
        each.measure(0.04, ca.MuscleLength("l11", [0.01], sigma=1e-3))
        each.advance(0.06, np.full(9, 2e5))
    assert (again.estimate.state == observer.estimate.state).all()
    assert again.estimate.parameters == observer.estimate.parameters
    observer.reset()
    assert observer.estimate.t == 0
    assert not observer.estimate.state.any()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"parameters": {"length": 0.01}}, "says where tips are"),
        ({"parameters": {"masss": 0.01}}, "is no number of an arm"),
        ({"parameters": {"mass": -1}}, "must be a number"),
        ({"drifts": {"mass": 0.1}}, "is not estimated"),
        ({"step": 0}, "step = 0"),
        ({"force_noise": 0}, "force_noise = 0"),
    ],
)
def test_what_cannot_be_is_refused(prototype, fields, sentence):
    with pytest.raises(ValueError, match=sentence):
        ca.Observer(prototype, **fields)


def test_measurements_that_cannot_be_are_refused(prototype):
    observer = ca.Observer(prototype, longest_delay=0.02)
    observer.advance(0.1, np.full(9, 2e5))
    length = ca.MuscleLength("l11", [0.01], sigma=1e-3)
    for t, sensor, sentence in (
        (0.2, length, "must not be after"),
        (0.01, length, "longest_delay"),
        (0.1, ca.MuscleLength("l11", [0.01, 0.02], sigma=1e-3), "must have one"),
        (0.1, ca.MuscleLength("l11", [0.01]), "has no sigma"),
        (0.1, ca.TipPosition(4, [[0, 0, 0]], sigma=1e-3), "must be from 1 to 3"),
        (0.1, ca.PressureReading("l11", [1e5], sigma=1e3), "valve_lag"),
    ):
        with pytest.raises(ValueError, match=sentence):
            observer.measure(t, sensor)
    with pytest.raises(ValueError, match="must not be before"):
        observer.advance(0.05, np.full(9, 2e5))
