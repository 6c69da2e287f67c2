"""The page in a real browser: it draws, it plays, it obeys, and it asks nobody else for anything.

Everything that takes time is waited for, not timed: without a graphics card a picture may take seconds.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewing import Page, open_browser, playwright, pushed, swinging, until

from continuarm.arms.arm_file import load_arm
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.motion_file import save_motion
from continuarm.statics.equilibrium_search import equilibrium
from continuarm.viewer.html import export_html, html_page
from continuarm.viewer.viewer import Viewer, live_arm, view_motion

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),  # one browser for all, where tests run side by side
]

DIFFERENT = 1.0  # mean difference of two pictures, of 255: an arm that moves changes a few hundredths of the pixels


@pytest.fixture(scope="module")
def tool() -> Iterator[Any]:
    with playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(tool: Any) -> Iterator[Any]:
    with open_browser(tool, 800, 420) as opened:
        yield opened


@pytest.fixture(scope="module")
def playing() -> Iterator[Viewer]:
    """A motion of four seconds."""
    with view_motion(swinging(states=161, size=0.03), block=False) as viewer:
        yield viewer


@pytest.fixture
def shown(playing: Viewer, browser: Any) -> Iterator[tuple[Page, Viewer]]:
    with opened(browser, playing.url) as page:
        yield page, playing


@pytest.fixture(scope="module")
def moving() -> Iterator[Viewer]:
    with live_arm(load_arm("prototype"), block=False) as viewer:
        yield viewer


@pytest.fixture
def live(moving: Viewer, browser: Any) -> Iterator[tuple[Page, Viewer]]:
    moving.content.do({"reset": True})
    with opened(browser, moving.url) as page:
        page.text("real time")
        yield page, moving


@contextlib.contextmanager
def opened(browser: Any, address: str) -> Iterator[Page]:
    """A page, and none beside it: without a graphics card each that moves takes a processor."""
    page = Page(browser, address)
    page.text("time")
    try:
        yield page
    finally:
        page.page.close()


def asks_only(page: Page, viewer: Viewer) -> bool:
    own = viewer.url.partition("?")[0]
    return all(url.startswith((own, "data:", f"blob:{own}")) for url in page.requests)


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
    motion = replace(base, arm=arm, t=np.array([0.0, 1.0]), q=q, wrench=np.zeros((2, 6)), **zeros)
    motion = replace(motion, supplied=np.zeros(2), dissipated=np.zeros(2))
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
    assert page.plots() == ["tip of section 3", "pressure", "length change of muscles", "force of muscles τ", "energy"]
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
        "force of muscles τ",
        "wrench on the tip",
        "energy",
    ]
    assert other.page.locator("#bar").is_hidden()
    assert float(other.text("wrench on the tip Fx")) == pytest.approx(3)
    assert float(other.text("force of muscles τ l13")) == pytest.approx(3)
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


def test_a_slider_moves_the_tip_to_where_the_physics_says(live: tuple[Page, Viewer]) -> None:
    """l11 is at +X: longer, it bends the arm towards -X, to the equilibrium under its force."""
    arm = load_arm("prototype")
    page, viewer = live
    until(lambda: abs(page.tips()[-1, 0]) < 0.1, "an arm at rest")
    page.type("l11", "400")
    until(lambda: viewer.content.live.commands[0] == 400e3, "the pressure")
    tau = np.zeros(9)
    tau[0] = arm.sections[0].muscle_area * (400e3 - arm.sections[0].dead_zone)
    rest = 1e3 * tip_poses(arm, equilibrium(arm, tau))[-1, :3, 3]
    assert rest[0] < -50
    until(lambda: bool(np.abs(page.tips()[-1] - rest).max() < 1.0), "the equilibrium, to a millimetre")
    page.page.get_by_label("l12, kPa").fill("100")
    until(lambda: viewer.content.live.commands[1] == 100e3, "the pressure of a slider")
    assert viewer.content.live.commands[0] == 400e3
    assert page.errors == []
    assert asks_only(page, viewer)


def test_a_bad_value_is_refused_in_the_panel_and_the_arm_moves_on(live: tuple[Page, Viewer]) -> None:
    page, viewer = live
    page.type("payload, kg", "-2")
    until(lambda: "mass = -2" in page.notice(), "the sentence")
    assert viewer.content.live.arm.payload is None
    until(lambda: page.field("payload, kg").input_value() == "0", "the payload as it was")
    page.type("payload, kg", "0.3")
    until(lambda: viewer.content.live.arm.carried_mass[0] == 0.3, "the payload")
    until(lambda: not page.notice(), "no sentence any more")
    begin = page.time()
    until(lambda: page.time() > begin, "time that goes on")
    assert re.fullmatch(r"\d+\.\d\d x", page.text("real time"))
    assert re.fullmatch(r"\d+\.\d\d %", page.text("late steps"))
    page.errors.clear()  # the browser's own line about the refusal


def test_an_arm_that_stops_says_why_and_can_be_reset(live: tuple[Page, Viewer]) -> None:
    page, viewer = live
    with viewer.content.lock:
        viewer.content.live.set_pressures(2e6 * np.eye(9)[6])
    until(lambda: "section 3 of 3" in page.notice(), "the sentence")
    page.press("Reset")
    until(lambda: not page.notice(), "no sentence any more")
    assert not viewer.content.live.stopped
    page.press("curl")
    until(lambda: page.tips()[-1, 0] < -30, "an arm that curls")
    until(lambda: float(page.field("l11").input_value()) > 100, "a slider that follows")
    assert page.errors == []


def test_all_that_look_see_the_same_arm_and_one_may_leave(live: tuple[Page, Viewer], tool: Any) -> None:
    first, viewer = live
    with open_browser(tool) as another:
        second = Page(another, viewer.url)
        until(lambda: len(viewer.content.feed.watchers) == 2, "two who look")
        second.type("l21", "300")
        until(lambda: first.field("l21").input_value() == "300", "the pressure, on the other page")
        second.type("damping, times", "2")
        until(lambda: first.field("damping, times").input_value() == "2", "the damping, on the other page")
    until(lambda: len(viewer.content.feed.watchers) == 1, "one who looks")
    begin = first.time()
    until(lambda: first.time() > begin, "a later time")
    assert viewer.content.failure is None
    assert first.errors == []


def test_a_page_says_when_its_program_has_ended(browser: Any) -> None:
    with live_arm(load_arm("single-section"), block=False) as viewer:
        page = Page(browser, viewer.url)
        until(lambda: page.text("real time") != "", "frames")
    until(lambda: "its program has ended" in page.notice(), "the sentence")
    page.page.close()
