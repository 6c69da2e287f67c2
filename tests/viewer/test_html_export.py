"""A page of a motion is complete in one small file and holds the motion's own numbers."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewing import pushed, swinging

from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import PointMass
from continuarm.engine.quantities import tip_poses
from continuarm.paper.experiments import EXPERIMENTS
from continuarm.simulation.simulator import simulate
from continuarm.viewer import html as view_html
from continuarm.viewer.blob import Blob
from continuarm.viewer.html import check_html_path, export_html, html_page, page_of, playback_content
from continuarm.viewer.rig import disc_poses
from refusals import refused


def numbers_of(entry: dict[str, Any], data: bytes) -> np.ndarray:
    """An array of a page, read as its script does."""
    part = data[entry["begin"] : entry["begin"] + entry["bytes"]]
    if entry["kind"] == "float":
        return np.frombuffer(part, "<f4").reshape(entry["shape"])
    high, low = np.frombuffer(part, np.uint8).reshape(2, -1).astype(np.uint16)
    changes = (256 * high + low).reshape(-1, entry["shape"][0])
    levels = np.cumsum(changes, axis=1, dtype=np.uint16).T
    return (entry["low"] + entry["step"] * levels).reshape(entry["shape"])


def content(page: str) -> tuple[dict[str, Any], bytes]:
    found = re.search(r'<script id="content" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found
    whole = json.loads(found[1])
    return whole["header"], zlib.decompress(base64.b64decode(whole["data"]))


@pytest.mark.parametrize(
    "values", [np.zeros((5, 2)), np.full((1, 3), -7.0), np.random.default_rng(0).normal(size=(90, 4))]
)
def test_a_series_keeps_its_numbers_to_sixteen_bits(values: np.ndarray) -> None:
    blob = Blob()
    blob.floats(np.arange(3.0))
    entry = blob.series(values)
    found = numbers_of(entry, zlib.decompress(blob.packed()))
    np.testing.assert_allclose(found, values, atol=0.5001 * np.ptp(values) / 65535 + 1e-15)


def test_a_page_holds_the_motion() -> None:
    motion = swinging()
    header, data = content(html_page(motion))
    (entry,) = header["motions"]
    found = {name: numbers_of(each, data) for name, each in entry["series"].items()}
    poses = disc_poses(motion.arm, motion.q)
    assert header["duration"] == pytest.approx(2.0)
    np.testing.assert_allclose(numbers_of(entry["time"], data), motion.t, atol=1e-6)
    for name, values, unit in (
        ("tips", motion.tips, 2e-5),  # m: below a tenth of a mm
        ("places", poses[..., :3], 2e-5),
        ("turns", poses[..., 3:], 2e-5),
        ("pressures", motion.pressures, 10),  # Pa
        ("lengths", motion.arm.muscle_lengths(motion.q), 2e-6),
        ("forces", motion.tau, 2e-3),  # N
    ):
        np.testing.assert_allclose(found[name], values, atol=unit)
    assert "wrench" not in found  # there is none
    for name, values in motion.energies.items():
        first = values[0] if name in ("gravitational", "elastic") else 0.0
        np.testing.assert_allclose(found[name], values - first, atol=1e-4 * np.ptp(values) + 1e-12)


def test_between_rows_that_are_far_apart_the_arm_moves_on_a_cubic() -> None:
    """At 10 rows a second: the page's tips are those of the motion of 200 rows a second, not on lines between rows."""
    slow, fine = swinging(states=21, rate=10.0), swinging(states=401, rate=200.0)
    header, data = content(html_page(slow))
    times, tips = (numbers_of(header["motions"][0][part], data) for part in ("time",)), None
    (times,) = times
    tips = numbers_of(header["motions"][0]["series"]["tips"], data)
    assert np.diff(times).max() < 0.034
    assert set(np.round(slow.t, 6)) <= set(np.round(times.astype(float), 6))
    true = np.stack([np.interp(times, fine.t, path) for path in fine.tips.reshape(401, -1).T], axis=-1)
    lines = np.stack([np.interp(times, slow.t, path) for path in slow.tips.reshape(21, -1).T], axis=-1)
    assert np.abs(lines - true).max() > 2e-3
    np.testing.assert_allclose(tips.reshape(len(times), -1), true, atol=3e-4)
    pressures = numbers_of(header["motions"][0]["series"]["pressures"], data)
    assert set(np.unique(pressures.round())) == {0, 400000}  # they jump


def test_a_wrench_is_kept() -> None:
    motion = replace(swinging(), wrench=np.outer(np.linspace(0, 1, 81), [0.1, 0, 0, 0, 2.0, 0]))
    header, data = content(html_page(motion))
    np.testing.assert_allclose(numbers_of(header["motions"][0]["series"]["wrench"], data), motion.wrench, atol=5e-5)
    assert "a wrench on the tip" in header["details"][0]


def test_ten_seconds_are_small_and_nothing_is_left_out() -> None:
    motion = simulate(load_arm("prototype"), EXPERIMENTS[3].steps, duration=10)
    page = html_page(motion)
    assert len(motion.t) == 2001
    assert len(page.encode()) < 1_000_000  # five are allowed
    assert content(page)[0]["motions"][0]["time"]["shape"] == [2001]


def test_a_page_asks_nobody_for_anything() -> None:
    page = html_page(swinging())
    assert "default-src &#x27;none&#x27;" in page
    assert "connect-src" not in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", page)
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert "{{" not in page
    assert "style=" not in page


@pytest.mark.parametrize("served", [False, True])
def test_a_policy_allows_the_script_and_the_style_of_the_page_and_no_other(served: bool) -> None:
    page = page_of(playback_content([swinging()]), served)
    (script,) = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page.text, re.DOTALL)
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in page.policy
    assert ("connect-src 'self'" in page.policy) == served
    assert "unsafe" not in page.policy
    assert html.escape(page.policy) in page.text


def test_a_page_says_what_drives_the_motion() -> None:
    by_pressure, by_force, by_nothing = (
        content(html_page(each))[0] for each in (swinging(), pushed(), simulate(load_arm("prototype"), duration=0.1))
    )
    assert "pressure in l33" in by_pressure["details"][0]
    assert "force on l13, l32" in by_force["details"][0]
    assert "nothing drives it" in by_nothing["details"][0]
    assert (by_pressure["pressure"]["highest"], by_force["pressure"]["highest"]) == (4e5, 0)


def test_a_page_holds_what_a_closed_loop_followed_commanded_and_believed() -> None:
    motion = swinging()
    followed = {
        "reference_q": motion.q + 1e-3,
        "command": motion.pressures + np.arange(9) * 1e3,
        "estimate": motion.q - 1e-3,
    }
    motion = replace(motion, followed=followed)
    header, data = content(html_page(motion))
    series = header["motions"][0]["series"]
    found = {name: numbers_of(series[name], data) for name in ("reference", "commands", "estimate")}
    np.testing.assert_allclose(
        found["reference"], tip_poses(motion.arm, followed["reference_q"])[:, -1, :3, 3], atol=2e-5
    )
    np.testing.assert_allclose(found["commands"], followed["command"], atol=10)
    np.testing.assert_allclose(found["estimate"], motion.arm.muscle_lengths(followed["estimate"]), atol=1e-6)
    plain = content(html_page(swinging()))[0]["motions"][0]["series"]
    assert not {"reference", "commands", "estimate"} & set(plain)


def test_a_reference_far_away_is_in_view() -> None:
    motion = swinging()
    there = np.tile([1.0, 0.0, 0.2], (len(motion.t), 1))
    near, far = (
        content(html_page(each))[0]["view"] for each in (motion, replace(motion, followed={"reference": there}))
    )
    assert max(corner[0] for corner in near["corners"]) < 0.9
    assert max(corner[0] for corner in far["corners"]) >= 1.0


def test_two_motions_have_two_names() -> None:
    motion = swinging()
    model = replace(motion, arm=motion.arm.replace(inertia=PointMass()))
    for other in (motion, model, replace(motion, arm=motion.arm.replace(name="another")), pushed()):
        first, second = content(html_page(motion, other))[0]["names"]
        assert first != second
    assert content(html_page(motion, motion, names=["a/run.nc", "b/run.nc"]))[0]["names"] == ["a/run.nc", "b/run.nc"]


def test_names_are_only_text() -> None:
    bad = "</script><script>alert(1)</script>{{script}}"
    motion = swinging()
    page = html_page(replace(motion, arm=motion.arm.replace(name=bad)))
    assert "<script>alert" not in page
    assert content(page)[0]["names"][0].startswith(bad)
    assert page.count("<script") == html_page(motion).count("<script")


def test_a_motion_that_is_too_long_is_thinned_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = swinging(states=1001, rate=500.0)
    whole = html_page(motion)
    monkeypatch.setattr(view_html, "LARGEST", 4 / 3 * len(playback_content([motion]).data) - 1)
    page = html_page(motion)
    header, data = content(page)
    times = numbers_of(header["motions"][0]["time"], data)
    assert len(page) < len(whole)
    assert len(times) == 501
    assert times[-1] == pytest.approx(2.0)  # the end is never left out
    assert header["notes"] == ["1 of 2 states is kept"]
    assert content(whole)[0]["notes"] == []


def test_two_motions_and_why_one_stopped() -> None:
    motion = swinging()
    short = motion.rows(slice(0, 20), "t = 0.5 s: section 1 <of> 3 bent")
    page = html_page(motion, short)
    header, _ = content(page)
    assert [each["ghost"] for each in header["motions"]] == [False, True]
    assert header["notes"] == [f"stopped early: {short.stopped}"]


def test_what_cannot_be_shown_is_refused() -> None:
    motion = swinging()
    with pytest.raises(ValueError, match="no states"):
        html_page(motion.rows(slice(0, 0)))
    with pytest.raises(ValueError, match="3 motions: must be one, or two"):
        html_page(motion, motion, motion)
    html_page(motion.rows(slice(0, 1)))


def test_a_motion_writes_its_page_by_itself(tmp_path: Path) -> None:
    motion = swinging()
    motion.page(tmp_path / "one.html")
    assert (tmp_path / "one.html").read_text(encoding="utf-8") == html_page(motion)
    other = replace(motion, arm=motion.arm.replace(name="another"))
    motion.page(tmp_path / "two.html", other)
    assert (tmp_path / "two.html").read_text(encoding="utf-8") == html_page(motion, other)
    with refused("run.nc", ".html"):
        motion.page(tmp_path / "run.nc")


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    export_html(swinging(), path)
    assert path.read_text(encoding="utf-8").endswith("</html>\n")
    assert list(tmp_path.iterdir()) == [path]
    for bad, sentence in (
        (tmp_path / "run.txt", "suffix must be .html"),
        (tmp_path / "none" / "run.html", "does not exist"),
        (tmp_path, "folder"),
    ):
        with pytest.raises(ValueError, match=sentence):
            check_html_path(bad)
