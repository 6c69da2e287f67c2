"""Laws of the plant: its rate is that of the equations, and native code is the NumPy plant."""

import itertools

import numpy as np
import pytest

from continuarm import damping_forces, forward_dynamics, tip_jacobian
from continuarm.dynamics.commands import acting_mean, part_of_mean
from continuarm.engine import compiled
from continuarm.engine.native_arm import native_plant
from continuarm.simulation.motion_rows import motion_rows
from random_arms import MODELS
from random_plants import FOUR, LAWS, random_plant, random_rows

STEP = 1e-3


def largest_terms(plant, rows):
    """What rounding is relative to: the largest of each kind of number in rows (k, width)."""
    size, found = 3 * plant.arm.n, np.abs(rows).max(axis=0)
    found[:size], found[size : 2 * size] = found[:size].max(), found[size : 2 * size].max()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("layout", [None, FOUR], ids=["three", "four"])
@pytest.mark.parametrize("law", LAWS)
def test_native_rate_and_step_are_those_of_the_numpy_plant(law, layout):
    rng = np.random.default_rng(0)
    for n, model in ((1, MODELS[0]), (2, MODELS[1]), (3, MODELS[0])):
        plant = random_plant(rng, n, law, layout, model)
        native = native_plant(plant, STEP)
        for _ in range(10):
            commands, state = random_rows(rng, plant)
            rate, wanted = np.empty_like(state), plant.rate(commands, state)
            assert native.rate(commands, state, rate)
            assert (np.abs(rate - wanted) <= 1e-12 * (1 + largest_terms(plant, wanted[None]))).all()

            after, wanted = state.copy(), plant.step(commands, state, STEP)
            assert native.step(commands, STEP, after) == (plant.margin(wanted) > 0)
            scale = largest_terms(plant, np.stack([state, wanted]))
            assert (np.abs(after - wanted) <= 1e-12 * (scale + STEP * (1 + largest_terms(plant, rate[None])))).all()

            assert native.margin(state) == pytest.approx(plant.margin(state), rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_rows_of_states_are_those_states(law):
    rng = np.random.default_rng(1)
    plant = random_plant(rng, 2, law)
    commands, states = map(np.stack, zip(*(random_rows(rng, plant) for _ in range(4)), strict=True))
    for function in (plant.rate, lambda u, y: plant.step(u, y, STEP), lambda u, y: plant.tangent(u, y)[0]):
        together = function(commands, states)
        for row, (u, y) in enumerate(zip(commands, states, strict=True)):
            wanted = function(u, y)
            # products of matrices of other shapes are summed in another order
            np.testing.assert_allclose(together[row], wanted, rtol=1e-11, atol=1e-11 * np.abs(wanted).max())


def test_native_code_says_whether_states_hold():
    """All of them finite and inside the model's range: as the margin of each says."""
    rng = np.random.default_rng(2)
    plant = random_plant(rng, 2, "everything")
    commands, rows = map(np.stack, zip(*(random_rows(rng, plant) for _ in range(6)), strict=True))
    assert motion_rows(plant, rows, commands)[1]
    assert motion_rows(plant, rows[:0], commands[:0])[1]
    for column, value in ((0, np.nan), (7, np.inf), (14, np.nan), (rows.shape[1] - 1, np.nan), (1, 10.0)):
        wrong = rows.copy()
        wrong[3, column] = value
        assert not motion_rows(plant, wrong, commands)[1]
    assert native_plant(plant).repeated(plant.commands.rows()[0], rows, 10) > 0


@pytest.mark.parametrize("law", LAWS)
def test_rows_of_a_motion_are_those_of_the_numpy_plant(law, monkeypatch):
    """Slopes that follow the states do not matter."""
    rng = np.random.default_rng(3)
    plant = random_plant(rng, 2, law)
    commands, states = map(np.stack, zip(*(random_rows(rng, plant) for _ in range(5)), strict=True))
    followed = np.concatenate([states, rng.standard_normal(states.shape)], axis=1)
    found, holds = motion_rows(plant, followed, commands)
    monkeypatch.setattr(compiled, "native", None)
    wanted, expected = motion_rows(plant, followed, commands)
    assert holds == expected
    for name, own, other in zip(wanted._fields, found, wanted, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-13, atol=1e-13 * np.abs(other).max(), err_msg=name)


def rate_of_state(plant, commands, y):
    """ẏ written from the equations of the docs: an independent form."""
    arm, size, muscles = plant.arm, 3 * plant.arm.n, len(plant.muscles)
    pressures, forces, wrench = plant.commands.split(commands)
    q, qd, memory = y[:size], y[size : 2 * size], y[2 * size : -2]
    tau, lost = forces + tip_jacobian(arm, q)[-1].T @ wrench, qd @ damping_forces(arm, qd)
    out, column, holding = np.zeros_like(y), 0, np.zeros(size)
    all_rates = sum(np.abs(each.muscle_map @ qd[3 * i : 3 * i + 3]).sum() for i, each in enumerate(arm.sections))
    for i, section in enumerate(arm.sections):
        a, b, g = section.hysteresis or (0, 0, 0)
        angles = section.muscles.angles if section.muscles else np.radians([0, 120, 240])
        for row, angle in zip(section.muscle_map, angles, strict=True):
            own = slice(3 * i, 3 * i + 3)
            length, rate, h = row @ q[own], row @ qd[own], memory[muscles + column]
            p = memory[column] if section.valve_lag else pressures[column]
            push = section.muscle_area * max(p - section.dead_zone, 0) - section.pressure_stiffness * p * length
            push -= section.hardening * length**3
            push -= section.preload[0] * np.cos(angle) + section.preload[1] * np.sin(angle)
            tau[own] += push * row
            for branch, (stiffness, time) in enumerate(section.creep):
                place = (2 + branch) * muscles + column
                out[2 * size + place] = stiffness * rate - memory[place] / time
            holding[own] += h * row
            shaken = (1 - section.shaking) * abs(rate) + section.shaking * all_rates
            out[2 * size + muscles + column] = a * rate - b * shaken * h - g * rate * abs(h)
            if section.valve_lag:
                lag = section.valve_lag if pressures[column] > p else section.vent_lag
                out[2 * size + column] = (pressures[column] - p) / lag
            for branch in range(len(plant.branches)):
                h += memory[(2 + branch) * muscles + column]
            holding[own] += (h - memory[muscles + column]) * row
            lost += h * rate
            column += 1
    out[-2], out[-1] = tau @ qd, lost
    out[:size], out[size : 2 * size] = qd, forward_dynamics(arm, q, qd, tau - holding)
    return out


@pytest.mark.parametrize("layout", [None, FOUR], ids=["three", "four"])
def test_the_rate_is_that_of_the_equations(layout):
    rng = np.random.default_rng(0)
    for n in (1, 3):
        plant = random_plant(rng, n, "everything", layout)
        for _ in range(10):
            commands, y = random_rows(rng, plant)
            wanted = rate_of_state(plant, commands, y)
            # sums in another order, and forces through M⁻¹
            assert (np.abs(plant.rate(commands, y) - wanted) <= 1e-10 * (1 + largest_terms(plant, wanted[None]))).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "law", ["valve", "stiffening", "hardening", "preload", "shaking", "creep"]
)  # no kinks on the way: orders ask for that
def test_a_step_is_of_second_order(law):
    rng = np.random.default_rng(3)
    plant = random_plant(rng, 2, law, model=MODELS[0])
    commands, state = random_rows(rng, plant)
    state = plant.first_state(0.2 * plant.states.split(state).q)

    def after(count):
        here = state
        for _ in range(count):
            here = plant.step(commands, here, 0.02 / count)
        return plant.states.split(here).q

    finest = after(256)
    errors = [np.abs(after(count) - finest).max() for count in (8, 16, 32)]
    for coarse, fine in itertools.pairwise(errors):
        assert 3.0 < coarse / fine < 5.5  # four, and what is left of other orders


def test_states_and_commands_come_back_from_their_rows():
    rng = np.random.default_rng(4)
    for law in ("pressure", "everything"):
        plant = random_plant(rng, 2, law)
        commands, row = random_rows(rng, plant)
        assert (plant.states.rows(plant.states.split(row)) == row).all()
        assert (plant.commands.rows(*plant.commands.split(commands))[0] == commands).all()
        assert len(row) == plant.states.width
        assert len(commands) == plant.commands.width


def test_a_mean_acts_as_much_as_its_parts():
    """Half the time 100 kPa above the dead zone, half the time nothing: 50 kPa above it, not a mean below it."""
    total, above = part_of_mean(np.zeros(2), np.zeros(2), np.array([190e3, 50e3]), np.array([90e3, 90e3]), 0.5)
    total, above = part_of_mean(total, above, np.zeros(2), np.array([90e3, 90e3]), 0.5)
    np.testing.assert_allclose(acting_mean(total, above, np.array([90e3, 90e3])), [140e3, 25e3])
