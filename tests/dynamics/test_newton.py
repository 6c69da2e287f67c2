"""Laws of Newton's correction: it solves the linear system of the whole state, and native code does the same."""

import numpy as np
import pytest

from continuarm import mass_matrix
from continuarm.dynamics.newton import newton_correction
from continuarm.engine.native_arm import native_plant
from random_arms import MODELS
from random_plants import FOUR, LAWS, random_plant, random_rows


def stiff_jacobian(plant, commands, row):
    """M J without energies, by central differences of forces and of what muscles remember: an independent form."""
    size, memory = 3 * plant.arm.n, plant.states.supplied - plant.states.pressures
    given = plant.commands.split(commands)

    def forces(y):
        here = plant.states.split(y)
        pressures = plant.pressures(given.pressures, here.pressures)
        tau = plant.muscle_forces(pressures, here.hysteresis + here.creep.sum(axis=-2), here.q)
        for i, section in enumerate(plant.arm.sections):
            own = slice(3 * i, 3 * i + 3)
            tau[own] -= section.stiffness_matrix @ here.q[own] + section.damping_matrix @ here.qd[own]
            for stop in section.stops:
                length = stop.row @ here.q[own]
                beyond = max(length - stop.greatest, 0) - max(stop.least - length, 0)
                tau[own] -= stop.stiffness * beyond * stop.row
        return tau

    def remembered(y):
        return plant.rate(commands, y)[2 * size : 2 * size + memory]

    J = np.zeros((2 * size + memory,) * 2)
    J[:size, size : 2 * size] = np.eye(size)
    steps = np.full(2 * size + memory, 1e-7)
    steps[plant.states.pressures : plant.states.hysteresis], steps[plant.states.hysteresis :] = 1.0, 1e-4
    for column, step in enumerate(steps):
        ahead, behind = row.copy(), row.copy()
        ahead[column] += step
        behind[column] -= step
        J[size : 2 * size, column] = (forces(ahead) - forces(behind)) / (2 * step)
        J[2 * size :, column] = (remembered(ahead) - remembered(behind)) / (2 * step)
    return J


@pytest.mark.parametrize("law", LAWS)
def test_a_correction_solves_the_dense_linear_system(law):
    rng = np.random.default_rng(4)
    plant = random_plant(rng, 2, law)
    commands, row = random_rows(rng, plant)
    size, width = 6, plant.states.supplied
    J = stiff_jacobian(plant, commands, row)
    # what the correction leaves out on purpose: hysteresis that relaxes by g or is shaken, and slopes below zero
    tangent, memory = plant.tangent(commands, row), len(plant.muscles) if plant.states.remembers else 0
    hysteresis = slice(2 * size + memory, 2 * size + 2 * memory)
    J[hysteresis, hysteresis] = -np.diag(tangent.relaxation[memory : 2 * memory])
    J[hysteresis, size : 2 * size] = 0.0
    for j in range(memory):
        i, muscle = plant.muscles[j]
        J[hysteresis.start + j, size + 3 * i : size + 3 * i + 3] = tangent.slopes[memory + j] * muscle.row
    M = np.eye(width)
    M[size : 2 * size, size : 2 * size] = mass_matrix(plant.arm, row[:size])
    for part in (1e-5, 1e-3, 0.1):
        residual = np.append(rng.normal(size=width) * np.where(np.arange(width) < 2 * size, 1e-3, 1.0), [0.3, 0.2])
        found = newton_correction(plant, commands, row, part, residual)
        np.testing.assert_array_equal(found[width:], residual[width:])
        wanted = np.linalg.solve(M - part * J, M @ residual[:width])
        # central differences are good for seven digits
        for own in (slice(0, size), slice(size, 2 * size), slice(2 * size, width)):
            scale = np.abs(wanted[own]).max(initial=0.0) + np.abs(residual[own]).max(initial=0.0)
            assert np.abs(found[own] - wanted[own]).max(initial=0.0) <= 1e-6 * scale


def test_hysteresis_is_a_spring_of_its_slope():
    """∂ḣ/∂l̇ of the tangent is that of the rate, on both sides of a reversal, unless the loop would give way."""
    rng = np.random.default_rng(5)
    plant = random_plant(rng, 2, "hysteresis")
    for _ in range(20):
        commands, row = random_rows(rng, plant)
        slopes = plant.tangent(commands, row).slopes[6:12]
        for j, (i, muscle) in enumerate(plant.muscles):
            own = slice(6 + 3 * i, 6 + 3 * i + 3)
            along = np.zeros_like(row)
            along[own] = muscle.row / (muscle.row @ muscle.row)
            rates = [plant.rate(commands, row + sign * 1e-7 * along)[18 + j] for sign in (1, -1)]
            assert slopes[j] == pytest.approx(max((rates[0] - rates[1]) / 2e-7, 0.0), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("layout", [None, FOUR], ids=["three", "four"])
@pytest.mark.parametrize("law", LAWS)
def test_native_corrections_are_those_of_numpy(law, layout):
    rng = np.random.default_rng(0)
    for n, model in ((1, MODELS[0]), (2, MODELS[1]), (3, MODELS[0]), (5, MODELS[2])):
        plant = random_plant(rng, n, law, layout, model)
        native, size = native_plant(plant), 3 * n
        for part in (1e-6, 1e-3, 0.1):
            commands, row = random_rows(rng, plant)
            residual = rng.normal(size=len(row))
            wanted, found = newton_correction(plant, commands, row, part, residual), residual.copy()
            assert native.correct(commands, row, part, found)
            for own in (slice(0, size), slice(size, 2 * size), slice(2 * size, None)):
                scale = np.abs(wanted[own]).max() + np.abs(residual[own]).max()
                assert np.abs(found[own] - wanted[own]).max() <= 1e-10 * scale  # M may have a condition of 1e5


def test_a_state_beyond_the_model_has_no_correction():
    rng = np.random.default_rng(1)
    plant = random_plant(rng, 2, "nothing")
    commands, row = random_rows(rng, plant)
    row[:3] = plant.arm.sections[0].length_map @ [7.0, 0.0, 0.0]
    residual = np.ones_like(row)
    assert not native_plant(plant).correct(commands, row, 1e-3, residual)
    assert (residual == 1.0).all()
