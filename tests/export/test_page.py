"""The page of an arm is complete in one small file, whatever the arm."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from continuarm import Arm, Section, load_arm
from continuarm.arms.arm_file import arm_names
from continuarm.export.page import arm_page, export_page
from continuarm.statics.rest import hanging
from random_plants import FOUR, LAWS, random_plant
from refusals import refused

LARGEST = 1_500_000  # bytes


def header(page: str) -> dict[str, Any]:
    found = re.search(r'<script id="content" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    return dict(json.loads(found[1])["header"])


def with_areas(arm: Arm) -> Arm:
    """The arm, whose muscles take pressures."""
    return arm.replace(sections=[section.replace(muscle_area=section.muscle_area or 1e-4) for section in arm.sections])


@pytest.mark.slow
@pytest.mark.parametrize("name", arm_names())
def test_pages_of_all_arms_are_small_and_ask_nobody(name: str) -> None:
    page = arm_page(with_areas(load_arm(name)))
    assert len(page.encode()) < LARGEST
    assert "default-src &#x27;none&#x27;" in page
    assert "connect-src" not in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", page)
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert "{{" not in page


def test_its_policy_allows_its_own_script_alone() -> None:
    page = arm_page(load_arm("prototype"))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert html.escape(f"script-src 'sha256-{digest}'") in page
    assert "unsafe" not in page


@pytest.mark.parametrize("law", LAWS)
def test_an_arm_of_every_law_has_a_page(law: str) -> None:
    arm = with_areas(random_plant(np.random.default_rng(1), 2, law, FOUR).arm)
    found = header(arm_page(arm))["simulated"]
    assert len(found["plant"]["lagged"]) == 8
    assert 0 < found["push"]["stiffness"] < np.inf
    assert np.isfinite(found["plant"]["start"]).all()


def test_it_begins_at_rest_or_straight_where_there_is_no_rest() -> None:
    arm = load_arm("prototype")
    tilted = arm.replace(gravity=(3.0, 0.0, 9.0))
    np.testing.assert_array_equal(header(arm_page(tilted))["simulated"]["plant"]["start"][:9], hanging(tilted))
    falling = arm.replace({"sections[*].stiffness": 1e-3}, gravity=(0.0, 0.0, -9.81))
    assert header(arm_page(falling))["simulated"]["plant"]["start"][:9] == [0.0] * 9


def test_names_are_only_text() -> None:
    bad = "</script><script>alert(1)</script>{{script}}"
    page, plain = arm_page(load_arm("prototype").replace(name=bad)), arm_page(load_arm("prototype"))
    assert page.count("<script") == plain.count("<script")
    assert header(page)["names"] == [bad]


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    arm = load_arm("prototype")
    with refused("arm.txt", ".html"):
        arm.page(tmp_path / "arm.txt")
    with refused("nowhere"):
        arm.page(tmp_path / "nowhere" / "arm.html")
    (tmp_path / "folder.html").mkdir()
    with refused("folder.html"):
        arm.page(tmp_path / "folder.html")
    bare = Arm(sections=[Section(length=0.2, radius=0.02, mass=0.1, stiffness=500.0)])
    (tmp_path / "bare.html").write_text("what was there")
    with refused("section 1", "muscle_area is missing"):
        bare.page(tmp_path / "bare.html")
    assert (tmp_path / "bare.html").read_text() == "what was there"
    with refused("arm is str", "must be an Arm", error=TypeError):
        export_page("prototype", tmp_path / "arm.html")  # type: ignore[arg-type]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bare.html", "folder.html"]
