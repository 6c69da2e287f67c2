"""The page in a real browser: it draws, it plays, it obeys, and it asks nobody else for anything.

Everything that takes time is waited for, not timed: without a graphics card a picture may take seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewing import Page, asks_only, opened, pushed, swinging, until

from continuarm.arms.arm_file import load_arm
from continuarm.simulation.motion_file import save_motion
from continuarm.viewer.html import export_html, html_page
from continuarm.viewer.viewer import Viewer, view_motion

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),  # one browser for all, where tests run side by side
]

DIFFERENT = 1.0  # mean difference of two pictures, of 255: an arm that moves changes a few hundredths of the pixels


@pytest.fixture(scope="module")
def playing() -> Iterator[Viewer]:
    """A motion of four seconds."""
    with view_motion(swinging(states=161, size=0.03), block=False) as viewer:
        yield viewer


@pytest.fixture
def shown(playing: Viewer, browser: Any) -> Iterator[tuple[Page, Viewer]]:
    with opened(browser, playing.url) as page:
        yield page, playing


def test_the_page_loads_without_errors_and_asks_only_its_server(shown: tuple[Page, Viewer]) -> None:
    page, viewer = shown
    assert page.picture().std() > 5  # an arm on a ground, not a blank page
    assert page.errors == []
    assert asks_only(page, viewer)


def test_a_page_plays_from_disk(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    motion = swinging(states=161, size=0.03)
    export_html([motion, swinging(states=161, size=0.02)], path)
    page = Page(browser, path.as_uri())
    begin = page.time()
    until(lambda: page.time() > begin, "a later time")
    page.press("Pause")
    stands = page.time()
    time.sleep(0.3)
    assert page.time() == stands
    pictures = []
    for wanted in (0.4, 1.3):
        page.seek(wanted)
        pictures.append(page.picture())
        np.testing.assert_allclose(page.tips(), 1e3 * motion.tips[round(wanted * 40)], atol=0.08)
    assert pictures[0].std() > 5
    assert np.abs(pictures[1] - pictures[0]).mean() > DIFFERENT
    for key, expected in (("ArrowRight", 1.325), ("ArrowLeft", 1.3), ("Home", 0.0), ("End", 4.0)):
        page.page.keyboard.press(key)
        until(lambda expected=expected: page.time() == expected, "the time of the key")
    page.page.keyboard.press("Home")
    page.page.keyboard.press("Space")
    until(lambda: page.time() > 0, "playing after the space bar")
    bright = page.picture().mean()
    page.press("light or dark")
    assert page.picture().mean() < 0.5 * bright
    assert page.errors == []
    assert page.page.locator("#trouble").is_hidden()
    assert page.page.locator("#open").is_hidden()  # there is nobody to open a file
    assert all(url.startswith(("file:", "data:", "blob:")) for url in page.requests)
    page.page.close()


def test_it_begins_again_or_stops_at_the_end(shown: tuple[Page, Viewer]) -> None:
    page, _ = shown
    page.press("Pause")
    page.page.get_by_label("speed").select_option("10")
    page.seek(3.9)
    page.press("Play")
    until(lambda: page.time() < 3.8, "the beginning, after the end")
    page.press("loop")
    until(lambda: page.time() == 4.0, "the end")
    assert page.page.get_by_role("button", name="Play", exact=True).is_visible()


def blob(picture: np.ndarray) -> tuple[np.ndarray, float]:
    """Where something dark on a white ground is, x and y in pixels, and how wide."""
    y, x = np.nonzero(picture.mean(axis=2) < 128)
    return np.array([x.mean(), y.mean()]), float(np.ptp(x))


def test_what_is_drawn_is_where_the_arm_is(browser: Any, tmp_path: Path) -> None:
    """The centre of gravity of one section, drawn alone, moves in the picture as the scale says it must."""
    arm = load_arm("single-section").replace(gravity=(0.0, 0.0, 0.0))
    base = swinging()
    q = np.zeros((2, 3))
    q[1] = 0.05  # all muscles alike: the centre of gravity goes straight down by half of it
    zeros = {name: getattr(base, name)[:2, :3] * 0 for name in ("qd", "tau", "pressures", "hysteresis")}
    zeros |= {name: np.zeros(2) for name in ("supplied", "dissipated")}
    motion = replace(base, arm=arm, t=np.array([0.0, 1.0]), q=q, wrench=np.zeros((2, 6)), **zeros)
    path = tmp_path / "run.html"
    export_html(motion, path)
    page = Page(browser, path.as_uri())
    page.press("Pause")
    page.show_only("centres of gravity")
    scale = page.page.evaluate(
        "() => [parseFloat(document.getElementById('rule').style.width), document.getElementById('length').textContent]"
    )
    metres = float(scale[1].split()[0]) / (1000 if "mm" in scale[1] else 1)
    places = []
    for wanted in (0.0, 1.0):
        page.seek(wanted)
        picture = page.picture()[100:-60]  # without what lies over it
        places.append(blob(picture)[0])
    moved = np.linalg.norm(places[1] - places[0])
    # seen from 0.26 rad above, and from a distance that differs a little from that of the scale
    assert moved == pytest.approx(0.025 / metres * scale[0] * np.cos(0.26), rel=0.1)
    page.page.close()


@pytest.mark.parametrize("name", ["hanging", "lying", "ten-sections"])
def test_everything_is_in_view_whatever_the_window(browser: Any, tmp_path: Path, name: str) -> None:
    """In the picture of a motion, nothing of the arm touches the edge, and it fills much of it."""
    path = tmp_path / "run.html"
    prototype = load_arm("prototype")
    arms = {"hanging": prototype, "lying": prototype.replace(gravity=(9.81, 0.0, 0.0))}
    export_html(pushed(arms.get(name) or load_arm(name)), path)
    page = Page(browser, path.as_uri())
    page.press("Pause")
    page.show_only("tube", "plates", "muscles")
    for width, height in ((800, 420), (390, 700), (1000, 240)):
        page.page.set_viewport_size({"width": width, "height": height})
        page.seek(2.0)
        picture = page.picture()
        dark = np.abs(picture - picture[0, -1]).max(axis=2) > 60
        dark[:95, :95] = dark[-45:] = False  # axes and scale
        rows, columns = np.nonzero(dark)
        assert 0 < columns.min() < columns.max() < dark.shape[1] - 1
        assert 0 < rows.min() < rows.max() < dark.shape[0] - 1
        assert max(np.ptp(rows) / dark.shape[0], np.ptp(columns) / dark.shape[1]) > 0.4
    page.page.set_viewport_size({"width": 800, "height": 420})
    page.page.close()


def test_two_motions_that_are_the_same_are_both_seen(browser: Any, tmp_path: Path) -> None:
    """The ghost lies around the arm: the picture is neither that of the one nor that of the other, and it is calm."""
    path = tmp_path / "run.html"
    motion = swinging()
    pictures = {}
    for name, motions in (("one", [motion]), ("both", [motion, motion])):
        export_html(motions, path)
        page = Page(browser, path.as_uri())
        page.press("Pause")
        page.show_only("tube", "plates", "muscles")
        page.seek(0.5)
        pictures[name] = page.picture()
        assert len(set(page.page.locator("h1").all_inner_texts())) == len(motions)
        page.page.close()
    drawn = np.abs(pictures["one"] - 255).max(axis=2) > 100
    tinted = pictures["both"][drawn] - pictures["one"][drawn]
    assert np.abs(tinted).mean() > 10
    # Where two surfaces fight, neighbours differ at random: then the picture of both has much more of small contrast.
    rough = {name: np.abs(np.diff(each, axis=1))[:, 1:][drawn[:, 2:]].mean() for name, each in pictures.items()}
    assert rough["both"] < 1.5 * rough["one"]


def test_names_of_muscles_stand_at_their_muscles(browser: Any, tmp_path: Path) -> None:
    export_html(replace(swinging(states=2), q=np.zeros((2, 9))), tmp_path / "run.html")
    with opened(browser, (tmp_path / "run.html").as_uri()) as page:
        page.show_only("tube", "muscles", "muscle names")
        names = page.page.locator("#labels span")
        assert names.all_inner_texts() == load_arm("prototype").muscle_names
        heights = [names.nth(k).bounding_box()["y"] for k in (0, 3, 6)]
        assert heights == sorted(heights)  # from the base down
        page.show_only("tube")
        assert page.page.locator("#labels").is_hidden()


def test_plots_are_of_what_there_is(shown: tuple[Page, Viewer], browser: Any, tmp_path: Path) -> None:
    page, _ = shown
    page.press("Pause")
    assert page.plots() == ["tip of section 3", "pressure", "length change of muscles", "force τ over q", "energy"]
    page.seek(2.5)
    motion = swinging(states=161, size=0.03)
    tip = 1e3 * motion.tips[100, -1]
    for name, value, within in (
        *((f"tip of section 3 {axis}", tip[k], 0.6) for k, axis in enumerate("xyz")),
        ("pressure l33", 400.0, 1.0),
        ("length change of muscles l12", 1e3 * motion.q[100, 1], 0.1),
        ("energy kinetic", motion.energies["kinetic"][100], 0.01),
        ("energy gravitational", np.subtract(*motion.energies["gravitational"][[100, 0]]), 0.01),
    ):
        assert float(page.text(name)) == pytest.approx(value, abs=within)
    box = page.page.locator("figure svg:not(.key)").first.bounding_box()
    page.page.mouse.click(box["x"] + (40 + 0.75 * 294) / 340 * box["width"], box["y"] + 40)
    until(lambda: abs(page.time() - 3.0) < 0.05, "three quarters of four seconds, on a plot")
    path = tmp_path / "run.html"
    forced = pushed()
    export_html(replace(forced, wrench=np.tile([0.0, 0, 0.1, 3, 0, 0], (len(forced.t), 1))), path)
    other = Page(browser, path.as_uri())
    assert other.plots() == [
        "tip of section 3",
        "length change of muscles",
        "force τ over q",
        "wrench on the tip",
        "energy",
    ]
    assert other.page.locator("#bar").is_hidden()
    assert float(other.text("wrench on the tip Fx")) == pytest.approx(3)
    assert float(other.text("force τ over q l13")) == pytest.approx(3)
    other.page.close()


def test_a_wrench_is_drawn_at_the_tip(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    still = replace(swinging(states=2), q=np.zeros((2, 9)))
    pictures = []
    for force in (0.0, 3.0):
        export_html(replace(still, wrench=np.tile([0.0, 0, 0, force, 0, 0], (2, 1))), path)
        page = Page(browser, path.as_uri())
        page.press("Pause")
        page.show_only()
        pictures.append(page.picture())
        page.page.close()
    dark = np.nonzero(np.abs(pictures[1] - pictures[0]).max(axis=2) > 100)
    assert np.ptp(dark[1]) > 40  # an arrow to the side, at the height of the tip
    assert np.ptp(dark[0]) < np.ptp(dark[1])


def test_a_hand_turns_moves_and_comes_closer(shown: tuple[Page, Viewer]) -> None:
    """By mouse and by finger; and back, where everything is in view."""
    page, _ = shown
    page.press("Pause")
    first = page.look()
    box = page.page.locator("canvas").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def changed(what: str, before: dict[str, Any]) -> dict[str, Any]:
        until(lambda: page.look()[what] != before[what], f"another {what}")
        return page.look()

    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 60, y + 20)
    page.page.mouse.up()
    seen = changed("axes", first)
    page.page.mouse.wheel(0, 300)
    seen = changed("scale", seen)
    device = page.page.context.new_cdp_session(page.page)

    def fingers(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": a, "y": b, "id": k} for k, (a, b) in enumerate(places)]
        device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    fingers("touchStart", (x, y))
    fingers("touchMove", (x + 40, y))
    fingers("touchEnd")
    seen = changed("axes", seen)
    fingers("touchStart", (x - 30, y), (x + 30, y))
    fingers("touchMove", (x - 60, y), (x + 60, y))
    fingers("touchEnd")
    changed("scale", seen)
    page.press("reset camera")
    until(lambda: page.look() == first, "what was seen first")


def test_pictures_and_videos_are_saved(browser: Any, tmp_path: Path) -> None:
    from PIL import Image

    export_html(swinging(states=9, rate=40.0), tmp_path / "run.html", ["a run: 1"])
    with opened(browser, (tmp_path / "run.html").as_uri()) as page:
        with page.page.expect_download() as saved:
            page.press("save the picture")
        assert saved.value.suggested_filename == "a-run-1.png"
        saved.value.save_as(tmp_path / "run.png")
        picture = np.asarray(Image.open(tmp_path / "run.png").convert("RGB"))
        assert picture.std() > 5
        with page.page.expect_download() as saved:
            page.press("save a video")
        saved.value.save_as(tmp_path / "run.video")
        assert saved.value.suggested_filename.startswith("a-run-1.")
        assert (tmp_path / "run.video").stat().st_size > 1000
        assert page.errors == []


def test_a_notebook_shows_the_page_in_a_frame(browser: Any, tmp_path: Path) -> None:
    """As srcdoc, in a frame that is low: the picture and the timeline are there."""
    from html import escape

    outer = tmp_path / "notebook.html"
    frame = f'<iframe width="700" height="320" srcdoc="{escape(html_page(swinging()))}"></iframe>'
    outer.write_text(f'<!doctype html><meta charset="utf-8">{frame}', encoding="utf-8")
    page = Page(browser, outer.as_uri())
    inside = page.page.frame_locator("iframe")
    until(lambda: inside.locator("#clock").inner_text() not in ("", "0.000 s"), "a later time")
    assert inside.locator("canvas").bounding_box()["height"] > 120
    assert inside.locator("#play").is_visible()
    assert page.errors == []
    page.page.close()


def test_a_file_sent_by_the_browser_is_shown_or_refused(shown: tuple[Page, Viewer], tmp_path: Path) -> None:
    page, _ = shown
    bad = tmp_path / "bad.nc"
    bad.write_bytes(b"not a motion")
    page.page.locator("input[type=file]").set_input_files(str(bad))
    until(lambda: "bad.nc: is not a NetCDF-4 file" in page.notice(), "the sentence")
    page.errors.clear()  # the browser's own line about an answer that is not 200
    (tmp_path / "notes.txt").write_text("hello")
    page.page.locator("input[type=file]").set_input_files(str(tmp_path / "notes.txt"))
    until(lambda: "notes.txt: the suffix must be .nc" in page.notice(), "the sentence")
    good = tmp_path / "good.nc"
    save_motion(swinging(states=41), good)
    page.page.locator("input[type=file]").set_input_files(str(good))
    until(lambda: page.page.locator("h1").inner_text() == "good.nc", "the other motion")
    assert page.page.locator("#time").get_attribute("max") == "1"
    assert page.notice() == ""
    assert page.errors == []


def test_a_closed_loop_is_shown_with_its_reference(browser: Any, tmp_path: Path) -> None:
    """The path to be followed is drawn until it is hidden, and faint curves are beside those of tip and pressures."""
    motion = swinging(size=0.03)
    followed = {"reference": motion.tips[:, -1] + [0.05, 0.0, 0.0], "command": motion.pressures + 1e5}
    export_html([replace(motion, followed=followed)], tmp_path / "run.html")
    page = Page(browser, (tmp_path / "run.html").as_uri())
    page.press("Pause")
    page.seek(0.5)
    names = page.page.locator("figure .names").all_inner_texts()
    assert ["faint: reference" in each for each in names[:2]] == [True, False]
    assert ["faint: commands" in each for each in names[:2]] == [False, True]
    page.show_only("tube", "reference")
    with_path = page.picture()
    page.show_only("tube")
    assert np.abs(with_path - page.picture()).mean() > 0.02
    assert page.errors == []
    page.page.close()
