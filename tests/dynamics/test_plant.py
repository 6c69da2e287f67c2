"""Laws of the plant: its rate is that of the equations, and native code is the NumPy plant."""

import itertools

import numpy as np
import pytest

from continuarm import Muscles, damping_forces, forward_dynamics, tip_jacobian
from continuarm.dynamics.commands import acting_mean, part_of_mean
from continuarm.dynamics.plant import Plant, State
from continuarm.engine.native_arm import native_plant
from random_arms import MODELS, random_arm, random_lengths, random_rates

FOUR = Muscles(angles=[0.1, 1.4, 3.0, 4.9], radii=[0.01, 0.012, 0.014, 0.01])
LAWS = {
    "nothing": {},
    "pressure": {"muscle_area": 1.3e-4, "dead_zone": 9e4},
    "stiffening": {"muscle_area": 1.3e-4, "dead_zone": 9e4, "pressure_stiffness": 0.0142},
    "valve": {"muscle_area": 1.3e-4, "valve_lag": 0.05},
    "hysteresis": {"muscle_area": 1.3e-4, "hysteresis": (65.6, 49.0, -19.9)},
    "venting": {"muscle_area": 1.3e-4, "valve_lag": 0.05, "vent_lag": 0.2},
    "hardening": {"muscle_area": 1.3e-4, "hardening": 4e6},
    "creep": {"muscle_area": 1.3e-4, "creep": ((300.0, 0.1), (90.0, 5.0))},
    "stops": {"muscle_area": 1.3e-4, "length_range": (-0.005, 0.01), "stop_stiffness": 2e4},
    "everything": {
        "muscle_area": 1.3e-4,
        "dead_zone": 9e4,
        "pressure_stiffness": 0.0142,
        "valve_lag": 0.05,
        "vent_lag": 0.2,
        "hardening": 4e6,
        "creep": ((300.0, 0.1), (90.0, 5.0)),
        "hysteresis": (65.6, 49.0, -19.9),
        "length_range": (-0.005, 0.01),
        "stop_stiffness": 2e4,
    },
}
STEP = 1e-3


def random_plant(rng, n, law, layout=None, model=None):
    """An arm whose muscles have a law, every second section without a lag and with one branch of creep less."""
    arm = random_arm(rng, n, model)
    sections = []
    for i, section in enumerate(arm.sections):
        fields = dict(LAWS[law])
        if i % 2 and "valve_lag" in fields:
            del fields["valve_lag"]
            fields.pop("vent_lag", None)
        if i % 2 and "creep" in fields:
            fields["creep"] = fields["creep"][:1]
        sections.append(section.replace(muscles=layout, stiffness=1500.0, damping=40.0, **fields))
    return Plant(arm.replace(sections=sections))


def random_rows(rng, plant):
    """Commands and a state, as rows."""
    n, muscles = plant.arm.n, len(plant.muscles)
    wrench = rng.normal(size=6) * [0.1, 0.1, 0.1, 2, 2, 2] * rng.integers(0, 2)
    pressures = rng.uniform(0, 5e5, muscles) * rng.integers(0, 2, muscles)
    commands = plant.commands.rows(pressures, rng.normal(size=3 * n) * 10, wrench)[0]
    state = State(
        random_lengths(rng, plant.arm, 1.5),
        random_rates(rng, plant.arm),
        rng.uniform(0, 5e5, muscles),
        rng.normal(size=muscles),
        rng.normal(size=(len(plant.branches), muscles)),
        np.array(0.3),
        np.array(0.2),
    )
    return commands, plant.states.rows(state)


def largest_terms(plant, rows):
    """What rounding is relative to: the largest of each kind of number in rows (k, width)."""
    size, found = 3 * plant.arm.n, np.abs(rows).max(axis=0)
    found[:size], found[size : 2 * size] = found[:size].max(), found[size : 2 * size].max()
    return found


@pytest.mark.parametrize("layout", [None, FOUR], ids=["three", "four"])
@pytest.mark.parametrize("law", LAWS)
def test_native_rate_step_and_tangent_are_those_of_the_numpy_plant(law, layout):
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

            blocks, relaxation = np.empty((n, 6)), np.empty(plant.states.supplied - plant.states.pressures)
            native.tangent(commands, state, blocks, relaxation)
            stiff, relaxing = plant.tangent(commands, state)
            np.testing.assert_allclose(blocks, stiff[:, *np.triu_indices(3)], rtol=0, atol=1e-12 * np.abs(stiff).max())
            np.testing.assert_allclose(relaxation, relaxing, rtol=1e-13)
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


def rate_of_state(plant, commands, y):
    """ẏ written from the equations of the docs: an independent form."""
    arm, size, muscles = plant.arm, 3 * plant.arm.n, len(plant.muscles)
    pressures, forces, wrench = plant.commands.split(commands)
    q, qd, memory = y[:size], y[size : 2 * size], y[2 * size : -2]
    tau, lost = forces + tip_jacobian(arm, q)[-1].T @ wrench, qd @ damping_forces(arm, qd)
    out, column, holding = np.zeros_like(y), 0, np.zeros(size)
    for i, section in enumerate(arm.sections):
        a, b, g = section.hysteresis or (0, 0, 0)
        for row in section.muscle_map:
            own = slice(3 * i, 3 * i + 3)
            length, rate, h = row @ q[own], row @ qd[own], memory[muscles + column]
            p = memory[column] if section.valve_lag else pressures[column]
            push = section.muscle_area * max(p - section.dead_zone, 0) - section.pressure_stiffness * p * length
            push -= section.hardening * length**3
            tau[own] += push * row
            for branch, (stiffness, time) in enumerate(section.creep):
                place = (2 + branch) * muscles + column
                out[2 * size + place] = stiffness * rate - memory[place] / time
            holding[own] += h * row
            out[2 * size + muscles + column] = a * rate - b * abs(rate) * h - g * rate * abs(h)
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
@pytest.mark.parametrize("law", ["valve", "stiffening", "hardening", "creep"])  # without kinks: orders ask for that
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

    finest = after(512)
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
