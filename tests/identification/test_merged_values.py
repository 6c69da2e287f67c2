"""Laws of values of an arm that differ, and that a fit makes one number: they are named, with what keeps them apart."""

from __future__ import annotations

import pytest
from sample_recordings import run_of

from continuarm import Arm
from continuarm.identification.fit import identify
from continuarm.identification.merged_values import merged_values
from refusals import check_named


@pytest.fixture(scope="module")
def uneven(prototype):
    """Two sections with weights, springs and muscles of their own."""
    first, second = prototype.sections[:2]
    return prototype.replace(
        sections=[
            first.replace(mass=0.12, muscle_area=1.2e-4, stiffness=2000.0),
            second.replace(mass=0.08, muscle_area=1e-4, stiffness=1500.0),
        ]
    )


def run_of_both(arm, **options):
    return run_of(arm, steps={"l11": [(0.3, 300e3)], "l22": [(1.5, 300e3)], "l13": [(2.6, 200e3)]}, **options)


def test_only_values_that_differ_and_become_one_are_named(uneven, prototype):
    names = ["mass", "stiffness per section", "muscle_area", "length", "base_rotation"]
    assert [(each.name, each.apart) for each in merged_values(uneven, names)] == [
        ("mass", "mass per section"),
        ("muscle_area", "muscle_area per section"),
    ]
    assert merged_values(prototype, [*names, "stiffness", "twist", "hysteresis", "creep", "stiffness matrix"]) == []
    mass = merged_values(uneven, ["mass"])[0]
    assert mass.sentence == (
        "mass is 0.12 and 0.08 kg in the arm: `mass` makes them one number; `mass per section` keeps them apart"
    )


def test_joints_muscles_and_laws_of_several_numbers_are_told_apart(prototype):
    a, b, c = (each.replace(twist=0.0) for each in prototype.sections)
    turned = Arm(sections=[a, b.replace(twist=0.3), c])
    assert merged_values(turned, ["twist"])[0].values == "twist is 0 and 0.3 rad in the arm"
    assert merged_values(Arm(sections=[a, b, c.replace(twist=0.3)]), ["twist"]) == []  # the last is no joint
    muscles = Arm(sections=[each.replace(stiffness=(1500.0, 1600.0, 1700.0)) for each in (a, b, c)])
    for name in ("stiffness", "stiffness per section"):
        assert merged_values(muscles, [name])[0].apart == "stiffness per muscle"
    rubbed = Arm(sections=[a.replace(hysteresis=(50.0, 50.0, 0.0)), b, c])
    assert merged_values(rubbed, ["friction"])[0].apart == "friction per section"


def test_a_fit_that_makes_values_one_is_not_simply_usable(uneven):
    found = identify(uneven, run_of_both(uneven), "mass, stiffness per section, muscle_area", delay=False, starts=1)
    truth = uneven.sections[0].mass
    assert not found["mass"].low < truth < found["mass"].high
    check_named(found.verdict, "use with care: mass is 0.12 and 0.08 kg in the arm")
    check_named(found.warnings[1], "muscle_area is 0.00012 and 0.0001 m²", "`muscle_area per section` keeps")


def test_what_was_made_one_is_the_first_suspect(uneven):
    found = identify(uneven, run_of_both(uneven), "stiffness", delay=False, starts=1)
    check_named(found.verdict, "NOT TO BE USED AS IT IS: stiffness is 2000 and 1500 N/m in the arm")
    asked = next(each for each in found.findings if "what is left asks for" in each.sentence)
    check_named(asked.sentence, "free stiffness per section first")
    assert asked.short == "an effect is left out, likely stiffness per section"
    apart = identify(uneven, run_of_both(uneven), "stiffness per section", delay=False, starts=1)
    assert apart.verdict.startswith("usable")
