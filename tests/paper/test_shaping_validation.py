"""Laws of the validation on an arm: what errors are shares of, which states are drawn, which model lacks energy."""

import json

import numpy as np
import pytest

from continuarm import Arm, Integral, Section, fit_energy_shaping, kinetic_energy, load_arm
from continuarm.arms.inertia_models import UNSHAPED
from continuarm.paper.random_sections import BLOCK
from continuarm.paper.shaping_validation import compared_models, validate_energy_shaping

MANY = 20_000


def test_the_exact_model_has_no_error_and_lumped_mass_too_little_energy():
    """Jensen's inequality for every state: one disc moves with the average velocity of all."""
    models = compared_models(fit_energy_shaping(MANY).model) | {"exact": Integral()}
    found = validate_energy_shaping(models, MANY)
    assert (found.models["exact"].errors == 0).all()
    unshaped, point = found.models["not shaped"].errors, found.models["point mass"].errors
    assert unshaped.min() > 0
    assert (point > unshaped).all()
    fitted, small, rest = (found.models[name] for name in ("fitted", "small bends", "not shaped"))
    assert fitted.mean_absolute < small.mean_absolute < rest.mean_absolute / 10
    assert fitted.relative < 0.1  # measured with a million samples: 0.085 % of the mean energy
    for each in found.models.values():
        assert abs(each.signed_mean) <= each.mean_absolute <= each.worst
        counts, edges = each.histogram(bins=40)
        assert counts.sum() == MANY
        assert edges.shape == (41,)


def test_errors_are_percent_of_the_largest_energy():
    arm = load_arm("single-section")
    found = validate_energy_shaping({"still": UNSHAPED}, 500, arm=arm)
    again = validate_energy_shaping({"still": UNSHAPED}, 500, arm="single-section")
    np.testing.assert_array_equal(found.models["still"].errors, again.models["still"].errors)
    longer = validate_energy_shaping({"still": UNSHAPED}, BLOCK + 500, arm=arm)
    first = longer.models["still"].errors[:500] * longer.largest_energy
    np.testing.assert_allclose(first, found.models["still"].errors * found.largest_energy, rtol=1e-13)
    assert found.mean_energy < found.largest_energy <= longer.largest_energy
    mean = found.models["still"].mean_absolute * found.largest_energy / found.mean_energy
    assert found.models["still"].relative == pytest.approx(mean, rel=1e-12)


def test_states_are_drawn_from_the_whole_range_of_the_arm():
    """The mean energy against states drawn here; it would be another with rates of one sign."""
    arm, rng = load_arm("single-section"), np.random.default_rng(11)
    (section,) = arm.sections
    q = rng.uniform(*section.length_range, (MANY, 3))
    energy = kinetic_energy(arm, q, rng.uniform(-section.length, section.length, (MANY, 3)))
    one_sided = kinetic_energy(arm, q, rng.uniform(0, section.length, (MANY, 3)))
    found = validate_energy_shaping({}, MANY, arm=arm)
    error = energy.std() * np.sqrt(2 / MANY)
    assert abs(found.mean_energy - energy.mean()) < 5 * error < abs(one_sided.mean() - energy.mean()) / 5


def test_progress_goes_from_nothing_to_all():
    shares = []
    validate_energy_shaping({}, BLOCK + 1, progress=shares.append)
    assert shares == [0.5, 1.0]


def test_a_summary_has_only_plain_values():
    validation = validate_energy_shaping({"exact": Integral(), "not shaped": UNSHAPED}, 100)
    assert list(json.loads(json.dumps(validation.summary()))["models"]) == list(validation.models)


def test_an_arm_that_cannot_be_is_refused():
    bare = Arm(name="bare", sections=[Section(length=0.15, radius=0.0125, mass=0.1, stiffness=1700)])
    with pytest.raises(ValueError, match=r"section 1 of 'bare'.*length_range"):
        validate_energy_shaping({}, 10, arm=bare)
    with pytest.raises(TypeError, match="arm is int"):
        validate_energy_shaping({}, 10, arm=3)
