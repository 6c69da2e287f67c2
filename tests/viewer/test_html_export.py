"""A page of a motion is complete in one small file and holds the motion's own numbers."""

from __future__ import annotations

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewing import pushed, swinging

from continuarm.arms.arm_file import load_arm
from continuarm.paper.experiments import EXPERIMENTS
from continuarm.simulation.motion import Motion
from continuarm.simulation.simulator import simulate
from continuarm.viewer import html as view_html
from continuarm.viewer.html import Blob, check_html_path, export_html, html_page
from continuarm.viewer.rig import disc_poses


def numbers_of(entry: dict[str, Any], data: bytes) -> np.ndarray:
    """An array of a page, read as its script does."""
    part = data[entry["begin"] : entry["begin"] + entry["bytes"]]
    if entry["kind"] != "series":
        return np.frombuffer(part, "<f4" if entry["kind"] == "float" else "<i4").reshape(entry["shape"])
    high, low = np.frombuffer(part, np.uint8).reshape(2, -1).astype(np.uint16)
    changes = (256 * high + low).reshape(-1, entry["shape"][0])
    levels = np.cumsum(changes, axis=1, dtype=np.uint16).T
    return (entry["low"] + entry["step"] * levels).reshape(entry["shape"])


def content(page: str) -> tuple[dict[str, Any], bytes]:
    header = re.search(r'<script id="header" type="application/json">(.*?)</script>', page, re.DOTALL)
    data = re.search(r'<script id="data" type="text/plain">(.*?)</script>', page, re.DOTALL)
    assert header
    assert data
    return json.loads(header[1]), zlib.decompress(base64.b64decode(data[1]))


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
    assert header["duration"] == pytest.approx(2.0)
    np.testing.assert_allclose(numbers_of(entry["time"], data), motion.t, atol=1e-6)
    np.testing.assert_allclose(numbers_of(entry["tips"], data), motion.tips, atol=2e-5)  # m: below a tenth of a mm
    np.testing.assert_allclose(numbers_of(entry["pressures"], data), motion.pressures, atol=10)  # Pa
    np.testing.assert_allclose(numbers_of(entry["poses"], data), disc_poses(motion.arm, motion.q), atol=2e-5)
    for name, values in motion.energies.items():
        np.testing.assert_allclose(
            numbers_of(entry["energies"][name], data), values, atol=1e-4 * np.ptp(values) + 1e-12
        )


def test_ten_seconds_are_small_and_nothing_is_left_out() -> None:
    motion = simulate(load_arm("prototype"), EXPERIMENTS[3].steps, duration=10)
    page = html_page(motion)
    assert len(motion.t) == 2001
    assert len(page.encode()) < 1_000_000  # five are allowed
    assert content(page)[0]["motions"][0]["time"]["shape"] == [2001]


def test_a_page_asks_nobody_for_anything() -> None:
    page = html_page(swinging())
    assert "default-src 'none'" in page
    assert not re.search(r"""(src|href)\s*=\s*["'](?!data:)""", page)
    assert not re.search(r"https?://(?!www\.w3\.org)", page)
    assert "{{" not in page


def test_a_page_shows_what_drives_the_motion() -> None:
    by_pressure, by_force = html_page(swinging()), html_page(pushed())
    for text, page, other in (
        ("pressure of the muscles, kPa", by_pressure, by_force),
        ("force, N</text>", by_force, by_pressure),
    ):
        assert text in page
        assert text not in other
    assert by_force.count('class="now"') == 3


def test_names_are_only_text() -> None:
    bad = "</script><script>alert(1)</script>{{script}}"
    motion = swinging()
    page = html_page(Motion(motion.arm.replace(name=bad), *(getattr(motion, n) for n in _fields())))
    assert "<script>alert" not in page
    assert content(page)[0]["names"][0].startswith(bad)
    assert page.count("<script") == html_page(motion).count("<script")


def _fields() -> list[str]:
    return ["t", "q", "qd", "tau", "pressures", "hysteresis", "wrench", "supplied", "dissipated"]


def test_a_motion_that_is_too_long_is_thinned_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = swinging(states=1001, rate=500.0)
    whole = html_page(motion)
    monkeypatch.setattr(view_html, "LARGEST", len(whole) - 1)
    page = html_page(motion)
    header, data = content(page)
    times = numbers_of(header["motions"][0]["time"], data)
    assert len(page) < len(whole)
    assert len(times) == 501
    assert times[-1] == pytest.approx(2.0)  # the end is never left out
    assert "1 of 2 states is kept" in page
    assert "states is kept" not in whole


def test_two_motions_and_why_one_stopped() -> None:
    motion = swinging()
    short = motion.rows(slice(0, 20), "t = 0.5 s: section 1 <of> 3 bent")
    page = html_page(motion, short)
    header, _ = content(page)
    assert [each["ghost"] for each in header["motions"]] == [False, True]
    assert "section 1 &lt;of&gt; 3 bent" in page


def test_what_cannot_be_shown_is_refused() -> None:
    motion = swinging()
    with pytest.raises(ValueError, match="no states"):
        html_page(motion.rows(slice(0, 0)))
    with pytest.raises(ValueError, match="3 motions: must be one, or two"):
        html_page(motion, motion, motion)
    html_page(motion.rows(slice(0, 1)))


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
