"""Laws of the slopes of a plant's step: differences of the step itself, in every direction."""

import numpy as np
import pytest

from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.directions import Directions
from continuarm.engine.native_arm import native_plant
from continuarm.engine.step_slopes import StepSlopes, moving_numbers
from random_plants import FOUR, LAWS, random_plant, random_rows

LEVELS = compiled.native.build_info()["instruction_sets"]
LENGTH = 0.001


def by_pressures(plant):
    found = np.zeros((plant.commands.width, len(plant.muscles)))
    found[: len(plant.muscles)] = np.eye(len(plant.muscles))
    return found


def stepped(plant, commands, row, steps):
    row = row.copy()
    for _ in range(steps):
        assert native_plant(plant, LENGTH).step(commands, LENGTH, row)
    return row


@pytest.mark.parametrize("law", LAWS)
def test_slopes_are_those_of_the_step(law):
    rng = np.random.default_rng(5)
    plant = random_plant(rng, 2, law, FOUR if law == "everything" else None)
    commands, row = random_rows(rng, plant)
    names = ["mass", "payload.mass"]
    slopes = StepSlopes(plant, 2 * LENGTH, 2, by_pressures(plant), Directions.by_name(plant.arm, names))
    found = slopes.sweep(row, commands[None])
    assert (found.states[0] == stepped(plant, commands, row, 2)).all()
    assert (slopes.states(row, commands[None]) == found.states).all()

    moving, h = moving_numbers(plant), 1e-6
    sizes = np.abs(row[moving]) + 1e-2  # of each number: m, m/s, Pa, N
    for matrix, along in ((found.A[0], rng.normal(size=len(moving)) * sizes), (found.B[0], None)):
        if along is not None:
            ends = [row.copy(), row.copy()]
            for sign, end in zip((1, -1), ends, strict=True):
                end[moving] += sign * h * along
            after = [stepped(plant, commands, end, 2)[moving] for end in ends]
        else:
            along = rng.normal(size=len(plant.muscles)) * 1e5 * (commands[: len(plant.muscles)] > 0)
            given = [commands + sign * h * by_pressures(plant) @ along for sign in (1, -1)]
            after = [stepped(plant, each, row, 2)[moving] for each in given]
        wanted = (after[0] - after[1]) / (2 * h)
        scale = np.abs(wanted).max() + np.abs(after[0]) * 1e-3
        assert (np.abs(matrix @ along - wanted) < 1e-6 * scale).all()


@pytest.mark.parametrize("level", LEVELS)
def test_every_instruction_set_gives_the_same(level):
    rng = np.random.default_rng(6)
    plant = random_plant(rng, 3, "everything")
    commands, row = random_rows(rng, plant)
    wanted = StepSlopes(plant, LENGTH, 1, by_pressures(plant)).sweep(row, commands[None])
    try:
        compiled.native.use_level(level)
        slopes = StepSlopes(plant, LENGTH, 1, by_pressures(plant))
    finally:
        compiled.native.use_level("")
    found = slopes.sweep(row, commands[None])  # with the instruction set that it was made for
    for one, another in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-9, atol=1e-9 * max(np.abs(another).max(initial=0.0), 1e-300))


def test_rows_follow_each_other():
    rng = np.random.default_rng(7)
    plant = random_plant(rng, 2, "valve")
    commands, row = random_rows(rng, plant)
    slopes = StepSlopes(plant, LENGTH, 1, by_pressures(plant))
    together = slopes.sweep(row, np.stack([commands, 0.5 * commands]))
    first = slopes.sweep(row, commands[None])
    second = slopes.sweep(first.states[0], 0.5 * commands[None])
    assert (together.A[1] == second.A[0]).all()
    assert (together.B[0] == first.B[0]).all()


def test_none_where_the_range_of_the_model_ends(prototype):
    plant = Plant(prototype)
    slopes = StepSlopes(plant, 0.1, 1, by_pressures(plant))
    row, commands = plant.first_state(np.zeros(9)), plant.commands.rows(forces=np.full((20, 9), -1e4))  # N
    assert slopes.sweep(row, commands) is None
    assert slopes.states(row, commands) is None
