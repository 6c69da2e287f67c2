"""Laws of directions: slopes of constants and of rates, native and NumPy, are those of differences."""

import numpy as np
import pytest

from continuarm import load_arm
from continuarm.arms.parameters import moved, size_of
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.directions import NOWHERE, Directions
from continuarm.engine.native_arm import constant_row
from random_plants import random_rows

ARM = load_arm("prototype-muscles").replace({"sections[*].creep": ((200.0, 0.1),), "sections[*].hardening": 1e5})
NAMES = ["mass", "radius", "twist", "valve_lag", "creep[0][1]", "hysteresis[2]", "gravity[0]", "length", "dead_zone"]


@pytest.mark.parametrize("name", NAMES)
def test_slopes_of_constants_are_those_of_differences(name):
    h = 1e-4 * size_of(ARM, name)
    at = {k: constant_row(Plant(moved(ARM, name, k * h)), 1e-3) for k in (-2, -1, 1, 2)}
    expected = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)
    found = Directions.by_name(ARM, [name]).constant_slopes(1e-3)[:, 0]
    assert np.abs(found).max() > 0
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8 * np.abs(constant_row(Plant(ARM), 1e-3)).max() / h)


def test_native_slopes_of_rates_are_those_of_complex_steps(monkeypatch):
    plant, rng = Plant(ARM), np.random.default_rng(0)
    commands, states = map(np.stack, zip(*(random_rows(rng, plant) for _ in range(5)), strict=True))
    directions = Directions.by_name(ARM, NAMES)
    found = directions.rate_slopes(plant, commands, states)
    assert found.shape == (len(NAMES), 5, plant.states.width)
    monkeypatch.setattr(compiled, "native", None)
    expected = directions.rate_slopes(plant, commands, states)
    for one, two in zip(found, expected, strict=True):
        assert np.abs(one - two).max() < 1e-11 * np.abs(two).max()


def test_no_direction_has_no_slopes():
    assert len(NOWHERE) == 0
    assert not NOWHERE
    assert NOWHERE.constant_slopes().size == NOWHERE.threshold_slopes().size == 0
