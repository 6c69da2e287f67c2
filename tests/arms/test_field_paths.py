"""Fields of fields are changed by their path, and refused by it."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from continuarm import Arm, CentreOfGravity, DescriptionError, Payload
from refusals import refused


def test_a_path_changes_what_python_finds_there(prototype: Arm) -> None:
    changed = prototype.replace({"sections[1].mass": 0.2, "sections[-1].length": 0.3, "gravity[2]": -9.81})
    first, second, third = prototype.sections
    assert changed == prototype.replace(
        sections=[first, second.replace(mass=0.2), third.replace(length=0.3)], gravity=(0.0, 0.0, -9.81)
    )
    assert changed.sections[0] is first


def test_a_star_changes_every_entry(prototype: Arm) -> None:
    changed = prototype.replace({"sections[*].stiffness": 2000})
    assert [section.stiffness for section in changed.sections] == [2000.0] * 3
    assert changed == prototype.replace(sections=[each.replace(stiffness=2000) for each in prototype.sections])


def test_changes_are_made_one_after_the_other_and_after_the_fields(prototype: Arm) -> None:
    assert prototype.replace({"sections[*].mass": 0.2, "sections[0].mass": 0.3}).sections[0].mass == 0.3
    shaped = prototype.replace({"inertia.beta_linear": (1.3, 1.4, 1.8)}, inertia=CentreOfGravity())
    assert shaped.inertia == CentreOfGravity(beta_linear=(1.3, 1.4, 1.8))
    shorter = prototype.replace({"sections": prototype.sections[:2], "sections[1].twist": 0.0})
    assert [section.twist for section in shorter.sections] == [prototype.sections[0].twist, 0.0]


def test_what_is_not_there_is_made_if_nothing_of_it_is_missing(prototype: Arm) -> None:
    assert prototype.replace({"payload.mass": 0.1}).payload == Payload(mass=0.1)
    carrying = prototype.replace(payload=Payload(mass=0.1))
    assert carrying.replace({"payload.offset": (0, 0, 0.02)}).payload == Payload(mass=0.1, offset=(0, 0, 0.02))
    with refused("payload.mass", error=DescriptionError):
        prototype.replace({"payload.offset": (0, 0, 0.02)})


def test_nothing_changed_is_the_same(prototype: Arm) -> None:
    assert prototype.replace() == prototype.replace({}) == prototype.replace(None) == prototype
    assert pickle.loads(pickle.dumps(prototype.replace({"sections[0].mass": 0.1}))) == prototype


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"sections[1].mass": -1}, ("section 2: mass = -1", "1e-12", "kg")),
        ({"sections[*].mass": -1}, ("section 1: mass = -1", "section 3: mass = -1")),
        ({"sections[1].mas": 1}, ("section 2: mas", "'mass'")),
        ({"payloads.mass": 1}, ("payloads", "'payload'")),
        ({"foo[1].x": 1}, ("foo", "sections")),
        ({"sections[3].mass": 1}, ("sections[3]", "sections[0]", "sections[2]", "sections[*]")),
        ({"sections[-4].mass": 1}, ("sections[-4]", "sections[0]", "sections[2]")),
        ({"sections.mass": 1}, ("sections.mass", "sections[0]", "sections[2]", "sections[*]")),
        ({"sections[1].mass[0]": 1}, ("sections[1].mass[0]", "0.1")),
        ({"name.x": 1}, ("name.x", "'prototype'")),
        ({"inertia.beta_linear": (1, 1, 1)}, ("inertia.beta_linear", "model")),
        ({"sections[a].mass": 1}, ("'sections[a].mass'", "sections[1].mass")),
        ({"sections[1]mass": 1}, ("'sections[1]mass'", "sections[1].mass")),
        ({"sections..mass": 1}, ("'sections..mass'", "sections[1].mass")),
        ({"[1].mass": 1}, ("'[1].mass'", "sections[1].mass")),
        ({".name": 1}, ("'.name'", "sections[1].mass")),
        ({"": 1}, ("''", "sections[1].mass")),
        ({7: 1}, ("7", "sections[1].mass")),
        (7, ("changes = 7", "path")),
        ("sections", ("changes = 'sections'", "path")),
    ],
)
def test_a_path_that_leads_nowhere_is_refused_by_its_name(prototype: Arm, changes: Any, named: tuple[str, ...]) -> None:
    with refused("Arm: ", *named, error=DescriptionError):
        prototype.replace(changes)


def test_a_field_of_every_section_is_asked_for_by_its_path(prototype: Arm) -> None:
    with refused("Arm: stiffness", "'sections[*].stiffness'", error=DescriptionError):
        prototype.replace(stiffness=2000)
    with refused("Arm: mass", "'sections[*].mass'", "'payload.mass'", error=DescriptionError):
        prototype.replace(mass=0.1)
    with refused("Section: radii", "'muscles.radii'", error=DescriptionError):
        prototype.sections[0].replace(radii=[0.1])
