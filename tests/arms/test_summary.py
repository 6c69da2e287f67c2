"""What an arm says of itself: short, with units, and the same in every place."""

from __future__ import annotations

import math

import pytest

from continuarm import Arm, CentreOfGravity, Integral, Muscles, Payload, Section
from continuarm.arms.summary import SECTION_COLUMNS, arm_facts, arm_totals, section_rows
from sample_motions import an_arm


def test_an_arm_is_shown_on_one_line_with_units(prototype: Arm) -> None:
    assert repr(prototype) == str(prototype) == "Arm('prototype', 3 sections, 0.45 m, 0.3 kg, integral)"
    carrying = prototype.replace(payload=Payload(mass=0.05), sections=prototype.sections[:1])
    assert repr(carrying) == "Arm('prototype', 1 section, 0.15 m, 0.1 kg, 0.05 kg payload, integral)"


@pytest.mark.parametrize(
    ("thing", "shown"),
    [
        (Payload(mass=0.1, offset=(0, 0, 0.02)), "Payload(0.1 kg at 0, 0, 0.02 m)"),
        (
            Muscles(angles=[0, math.pi / 2, math.pi], radii=[0.01, 0.02, 0.01]),
            "Muscles(3 at 0, 90, 180 degrees, 0.01 to 0.02 m)",
        ),
        (
            Section(length=0.15, radius=0.0125, mass=0.1, stiffness=[1600, 1700, 1800]),
            "Section(0.15 m, radius 0.0125 m, 0.1 kg, 1600 to 1800 N/m, 3 muscles)",
        ),
        (
            Section(length=0.15, radius=0.0125, mass=0.1, stiffness=[[9, 1, 1], [1, 9, 1], [1, 1, 9]], damping=110),
            "Section(0.15 m, radius 0.0125 m, 0.1 kg, 3x3 N/m, 110 N s/m, 3 muscles)",
        ),
        (Integral(), "Integral()"),
        (CentreOfGravity(beta_linear=(1.3, 1.4, 1.8)), "CentreOfGravity(beta_linear=[1.3, 1.4, 1.8])"),
    ],
)
def test_its_parts_are_shown_on_one_line_with_units(thing: object, shown: str) -> None:
    assert repr(thing) == str(thing) == shown


def test_names_of_strangers_stay_on_the_line(prototype: Arm) -> None:
    shown = repr(prototype.replace(name="a\n\x1b[2J" + "b" * 900))
    assert shown.isprintable()
    assert len(shown) < 200


def test_totals_are_sums_over_the_sections() -> None:
    arm = an_arm().replace(payload=Payload(mass=0.25))
    totals = arm_totals(arm)
    assert totals["muscles"] == len(arm.muscle_names) == 7
    assert totals["length"] == pytest.approx(sum(each.length + each.offset for each in arm.sections))
    assert totals["total_mass"] == pytest.approx(sum(each.mass for each in arm.sections) + 0.25)


def test_a_table_has_a_row_for_each_run_of_equal_sections(prototype: Arm) -> None:
    rows = section_rows(prototype)
    assert [row[0] for row in rows] == ["1-2", "3"]
    assert all(len(row) == len(SECTION_COLUMNS) for row in rows)
    facts = arm_facts(prototype.replace(description=""))
    assert "description" not in facts
    assert facts["gravity"] == "0, 0, 9.81 m/s²"
