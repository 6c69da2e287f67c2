"""The viewer in a real browser: it draws, it plays, it obeys, and it asks nobody else for anything.

Everything that takes time is waited for, not timed: without a graphics card a picture may take seconds.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewing import Page, open_browser, playwright, swinging, until

from continuarm.arms.arm_file import load_arm
from continuarm.engine.quantities import tip_poses
from continuarm.simulation.motion_file import save_motion
from continuarm.statics.equilibrium_search import equilibrium
from continuarm.viewer.html import export_html

pytest.importorskip("viser", reason="the viewer needs viser")

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
    with open_browser(tool) as opened:
        yield opened


@pytest.fixture(scope="module")
def playing(browser: Any) -> Iterator[tuple[Page, Viewer]]:
    """A motion of four seconds, and a page that shows it; loading takes longest, so that tests share it."""
    with view_motion(swinging(states=161, size=0.03), block=False) as viewer:
        yield Page(browser, viewer.url), viewer


@pytest.fixture
def shown(playing: tuple[Page, Viewer]) -> tuple[Page, Viewer]:
    page, viewer = playing
    viewer.content.play()
    page.text("time")
    return page, viewer


@pytest.fixture(scope="module")
def moving(browser: Any) -> Iterator[tuple[Page, Viewer]]:
    with live_arm(load_arm("prototype"), block=False) as viewer:
        yield Page(browser, viewer.url), viewer


@pytest.fixture
def live(moving: tuple[Page, Viewer]) -> tuple[Page, Viewer]:
    page, viewer = moving
    viewer.content.reset()
    page.text("time")
    return page, viewer


def test_the_page_loads_without_errors_and_asks_only_its_server(shown: tuple[Page, Viewer]) -> None:
    page, viewer = shown
    picture = page.picture()
    assert picture.std() > 5  # an arm on a ground, not a blank page
    assert page.errors == []
    assert all(url.startswith((viewer.url, f"blob:{viewer.url}", "data:")) for url in page.requests)


def test_it_plays_and_pauses(shown: tuple[Page, Viewer]) -> None:
    page, viewer = shown
    begin = page.time()
    until(lambda: page.time() != begin, "a later time")
    page.page.get_by_role("button", name="Pause", exact=True).click()
    page.page.get_by_role("button", name="Play", exact=True).wait_for()
    assert not viewer.content.clock.playing
    stands = viewer.content.clock.time
    until(lambda: page.time() == pytest.approx(stands, abs=1e-3), "the time at which it stands")
    frames = viewer.content.frames
    time.sleep(0.5)
    assert page.time() == pytest.approx(stands, abs=1e-3)
    assert viewer.content.frames == frames  # nothing moves, nothing is sent
    page.page.keyboard.press("Space")
    until(lambda: viewer.content.clock.playing, "playing after the space bar")


def test_the_timeline_goes_where_it_is_told_and_the_picture_with_it(shown: tuple[Page, Viewer]) -> None:
    page, viewer = shown
    viewer.content.pause()
    pictures = []
    for wanted in (0.4, 1.3):
        page.type("time, s", str(wanted))
        until(lambda wanted=wanted: viewer.content.clock.time == wanted, "the time")
        until(lambda wanted=wanted: page.time() == wanted, "the reading")
        time.sleep(1)  # the picture comes with the same message as the reading; the browser draws it a little later
        pictures.append(page.picture())
        row = round(wanted * 40)
        np.testing.assert_allclose(page.tips(), 1e3 * viewer.content.motions[0].tips[row], atol=0.051)
    assert np.abs(pictures[1] - pictures[0]).mean() > DIFFERENT
    track = page.page.locator("[role=slider]").first.locator("xpath=ancestor::*[contains(@class, 'Slider-track')][1]")
    box = track.bounding_box()
    page.page.mouse.click(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2)
    until(lambda: abs(viewer.content.clock.time - 3.0) < 0.15, "three quarters of four seconds")


def test_what_is_not_wanted_is_not_shown(shown: tuple[Page, Viewer]) -> None:
    page, viewer = shown
    viewer.content.pause()
    viewer.content.seek(1.0)
    time.sleep(1)
    before = page.picture()
    for box in viewer.content.boxes.values():
        box.value = False
    until(lambda: not any(viewer.content.visible.values()), "hidden parts")
    until(lambda: page.picture().std() < 0.6 * before.std(), "an almost empty picture")
    for box in viewer.content.boxes.values():
        box.value = True
    until(lambda: page.picture().std() > 0.9 * before.std(), "the picture as it was")
    assert page.errors == []


def test_two_browsers_and_one_that_leaves_in_the_middle(shown: tuple[Page, Viewer], tool: Any) -> None:
    first, viewer = shown
    with open_browser(tool) as another:
        second = Page(another, viewer.url)
        second.text("time")
        until(lambda: len(viewer.server.get_clients()) == 2, "two who look")
        assert abs(first.time() - second.time()) < 4.0
    until(lambda: len(viewer.server.get_clients()) == 1, "one who looks")
    begin, frames = first.time(), viewer.content.frames
    until(lambda: first.time() != begin, "a later time")
    assert viewer.content.frames > frames
    assert viewer.content.pulse.failure is None
    assert first.errors == []


def test_a_file_sent_by_the_browser_is_shown_or_refused(shown: tuple[Page, Viewer], tmp_path: Path) -> None:
    page, viewer = shown
    bad = tmp_path / "bad.nc"
    bad.write_bytes(b"not a motion")
    page.page.locator("input[type=file]").set_input_files(str(bad))
    until(lambda: "bad.nc: is not a NetCDF-4 file" in page.notice(), "the sentence")
    good = tmp_path / "good.nc"
    save_motion(swinging(states=41), good)
    page.page.locator("input[type=file]").set_input_files(str(good))
    until(lambda: viewer.content.clock.duration == pytest.approx(1.0), "the other motion")
    assert page.errors == []


def test_a_slider_moves_the_tip_to_where_the_physics_says(live: tuple[Page, Viewer]) -> None:
    """l11 is at +X: longer, it bends the arm towards -X, to the equilibrium under its force."""
    arm = load_arm("prototype")
    page, viewer = live
    assert page.tips()[-1, 0] == pytest.approx(0, abs=0.1)
    page.type("l11", "400")
    until(lambda: viewer.content.live.commands[0] == 400e3, "the pressure")
    tau = np.zeros(9)
    tau[0] = arm.sections[0].muscle_area * (400e3 - arm.sections[0].dead_zone)
    rest = 1e3 * tip_poses(arm, equilibrium(arm, tau))[-1, :3, 3]
    assert rest[0] < -50
    until(lambda: bool(np.abs(page.tips()[-1] - rest).max() < 1.0), "the equilibrium, to a millimetre")
    assert page.errors == []
    assert all(url.startswith((viewer.url, f"blob:{viewer.url}", "data:")) for url in page.requests)


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


def test_an_arm_that_stops_says_why_and_can_be_reset(live: tuple[Page, Viewer]) -> None:
    page, viewer = live
    with viewer.content.lock:
        viewer.content.live.set_pressures(2e6 * np.eye(9)[6])
    until(lambda: "section 3 of 3" in page.notice(), "the sentence")
    page.page.get_by_role("button", name="Reset", exact=True).click()
    until(lambda: not page.notice(), "no sentence any more")
    assert not viewer.content.live.stopped
    page.page.get_by_role("button", name="curl", exact=True).click()
    until(lambda: page.tips()[-1, 0] < -30, "an arm that curls")
    assert page.errors == []


def test_a_page_plays_from_disk(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    motion = swinging(states=161, size=0.03)
    export_html([motion, swinging(states=161, size=0.02)], path)
    page = Page(browser, path.as_uri())
    begin = page.time()
    until(lambda: page.time() > begin, "a later time")
    page.page.locator("#play").click()
    stands = page.time()
    time.sleep(0.3)
    assert page.time() == stands
    pictures = []
    for wanted in (0.4, 1.3):
        page.page.locator("#time").evaluate(
            "(bar, time) => { bar.value = time; bar.dispatchEvent(new Event('input')); }", wanted
        )
        until(lambda wanted=wanted: page.time() == wanted, "the time")
        pictures.append(page.picture())
        cells = page.page.locator("#tips tr").last.inner_text().split("\t")[1:4]
        np.testing.assert_allclose(np.array(cells, float), 1e3 * motion.tips[round(wanted * 40), -1], atol=0.08)
    assert pictures[0].std() > 5
    assert np.abs(pictures[1] - pictures[0]).mean() > DIFFERENT
    for key, expected in (("ArrowRight", 1.325), ("ArrowLeft", 1.3), ("Home", 0.0), ("End", 4.0)):
        page.page.keyboard.press(key)
        until(lambda expected=expected: page.time() == expected, "the time of the key")
    page.page.keyboard.press("Home")
    page.page.keyboard.press("Space")
    until(lambda: page.time() > 0, "playing after the space bar")
    bright = page.picture().mean()
    page.page.locator("#theme").click()
    until(lambda: page.picture().mean() < 0.5 * bright, "a dark page")
    assert page.errors == []
    assert page.page.locator("#trouble").is_hidden()
    assert all(url.startswith(("file:", "data:", "blob:")) for url in page.requests)
    page.page.close()
