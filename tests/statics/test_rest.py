"""Laws of rest under commands: how it changes with the arm."""

import numpy as np
import pytest

from continuarm import Arm, equilibrium, load_arm, simulate
from continuarm.arms.parameters import moved, size_of
from continuarm.dynamics.commands import Commands
from continuarm.dynamics.plant import Plant
from continuarm.engine import compiled
from continuarm.engine.directions import Directions
from continuarm.statics.rest import hanging, resting, resting_slopes

ARM = load_arm("prototype").replace(
    {
        "sections[*].hardening": 2e5,
        "sections[*].pressure_stiffness": 5e-4,
        "sections[*].preload": (0.5, -0.3),
        "sections[*].length_range": (-0.01, 0.02),
        "sections[*].stop_stiffness": 1e3,
    }
)
NAMES = [
    "stiffness",
    "mass",
    "length",
    "radius",
    "twist",
    "muscle_area",
    "dead_zone",
    "hardening",
    "pressure_stiffness",
]
NAMES += ["sections[1].preload[0]", "stop_stiffness", "gravity[1]", "base_rotation[0]", "payload.mass"]


def commands():
    rng = np.random.default_rng(1)
    pressures = rng.uniform(0, 4e5, (4, 9))
    return Commands(pressures, rng.normal(size=(4, 9)), np.tile([0.01, 0.0, 0.02, 0.3, -0.2, 0.1], (4, 1)))


@pytest.mark.parametrize("name", NAMES)
def test_rest_changes_with_the_arm_as_differences_say(name):
    given, plant = commands(), Plant(ARM)
    q = resting(plant, given).q_or_raise(ARM)
    found = resting_slopes(plant, given, q, Directions.by_name(ARM, [name]))[0]
    h = 1e-3 * size_of(ARM, name)
    if name == "payload.mass":  # which is nothing, and cannot be less
        other = resting(Plant(moved(ARM, name, 1e-3 * h)), given, q).q_or_raise(ARM)
        assert np.abs(found - (other - q) / (1e-3 * h)).max() < 1e-4 * np.abs(found).max()
        return
    arms = {k: Arm.model_validate(moved(ARM, name, k * h).model_dump()) for k in (-2, -1, 1, 2)}
    at = {k: resting(Plant(arm), given, q).q_or_raise(arm) for k, arm in arms.items()}
    expected = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)
    assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def test_without_native_code_the_slopes_are_the_same(monkeypatch):
    given, plant, directions = commands(), Plant(ARM), Directions.by_name(ARM, NAMES)
    q = resting(plant, given).q_or_raise(ARM)
    found = resting_slopes(plant, given, q, directions)
    monkeypatch.setattr(compiled, "native", None)
    expected = resting_slopes(plant, given, q, directions)
    assert found.shape == (len(NAMES), 4, 9)
    for one, two in zip(found, expected, strict=True):
        assert np.abs(one - two).max() < 1e-11 * np.abs(two).max()


def test_an_arm_hangs_where_its_preload_bends_it():
    """As a motion that begins at rest does; without muscles' laws it is where `equilibrium` is."""
    plain = load_arm("prototype")
    np.testing.assert_allclose(hanging(plain), equilibrium(plain), atol=1e-12)
    bent = plain.replace({"sections[*].preload": (2.0, -1.0)})
    begun = simulate(bent, duration=0.01, start="equilibrium").q[0]
    np.testing.assert_allclose(hanging(bent), begun, atol=1e-12)
    assert np.abs(hanging(bent) - equilibrium(bent)).max() > 1e-4
