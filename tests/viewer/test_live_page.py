"""A live arm in a real browser: what a hand does on the page moves the arm, and the page says how it goes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from viewing import Page, asks_only, open_browser, opened, until

from continuarm.arms.arm_file import load_arm
from continuarm.engine.quantities import tip_poses
from continuarm.statics.equilibrium_search import equilibrium
from continuarm.viewer.viewer import Viewer, live_arm

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


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
