"""The page that simulates an arm, in a real browser without a network: it moves, it arrives, it obeys.

Everything that takes time is waited for, not timed: without a graphics card a picture may take seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from viewing import Page, open_browser, opened, playwright, until

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.rig import Line
from continuarm.dynamics.plant import Plant
from continuarm.engine.quantities import tip_poses
from continuarm.export.page import export_page
from continuarm.statics.equilibrium_search import equilibrium
from continuarm.statics.rest import resting

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browser"),  # one browser for all, where tests run side by side
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright() as tool, open_browser(tool, width=640, height=320) as opened_browser:
        opened_browser.set_offline(True)
        yield opened_browser


def slide(page: Page, muscle: str, pressure: float) -> None:
    """Moves a slider to a pressure, kPa."""
    page.field(f"{muscle}, kPa").fill(f"{pressure:g}")


def resting_tips(arm: Arm, pressures: dict[str, float], force: np.ndarray | None = None) -> np.ndarray:
    """Where `equilibrium` has the tips under pressures, Pa, and a force on the last, N: (n, 3), mm."""
    wrench = None if force is None else [0.0, 0.0, 0.0, *force]
    row = np.array([pressures.get(name, 0.0) for name in arm.muscle_names])
    tau = Plant(arm).muscle_forces(row, np.zeros(len(row)), np.zeros(3 * arm.n))
    return np.asarray(1e3 * tip_poses(arm, equilibrium(arm, tau, wrench=wrench))[:, :3, 3])


def arrives(page: Page, tips: np.ndarray) -> None:
    until(lambda: np.abs(page.tips() - tips).max() <= 0.1, "the equilibrium")  # mm


@pytest.fixture(scope="module")
def shown(browser: Any, tmp_path_factory: Any) -> Iterator[Page]:
    path = tmp_path_factory.mktemp("page") / "arm.html"
    load_arm("prototype").page(path)
    with opened(browser, path.as_uri()) as page:
        page.show_only("tube")  # the plainest picture: a processor draws it
        yield page


@pytest.fixture
def prototype(shown: Page) -> Iterator[Page]:
    shown.press("Reset")
    shown.press("reset camera")
    yield shown
    assert shown.errors == []
    assert all(url.startswith(("file:", "data:")) for url in shown.requests)


def test_a_slider_moves_the_tip_to_the_equilibrium(prototype: Page) -> None:
    page, arm = prototype, load_arm("prototype")
    arrives(page, resting_tips(arm, {}))
    slide(page, "l12", 400)
    slide(page, "l33", 550)
    arrives(page, resting_tips(arm, {"l12": 400e3, "l33": 550e3}))
    assert page.field("l12").input_value() == "400"
    page.type("l12", "900")
    until(lambda: "l12 = 900 kPa: must be from 0 to 700 kPa" in page.notice(), "a refusal")
    page.type("l12", "0")
    arrives(page, resting_tips(arm, {"l33": 550e3}))
    assert page.notice() == ""
    moved = page.time()
    page.press("Reset")
    until(lambda: page.time() < moved, "the beginning")
    arrives(page, resting_tips(arm, {}))
    until(lambda: page.field("l33").input_value() == "0", "a slider without pressure")


def test_a_push_moves_the_tip_to_the_equilibrium(prototype: Page) -> None:
    """By mouse; then it swings back. A drag beside the tip turns the view and pushes nothing."""
    page, arm = prototype, load_arm("prototype")
    arrives(page, resting_tips(arm, {}))
    handle = page.page.locator("#handle")
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    seen = page.look()
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x + 20, y - 4, steps=3)
    until(lambda: handle.inner_text().endswith(" N"), "the force")
    strength = float(handle.inner_text().split()[0])
    rest = resting_tips(arm, {})[-1]
    until(lambda: np.linalg.norm(page.tips()[-1] - rest) > 20, "a way to the side")
    # where it comes to rest says which force it is: the shape that a wrench of that size bends
    still = page.tips()
    for _ in range(100):
        time.sleep(0.3)
        before, still = still, page.tips()
        if np.abs(still - before).max() <= 0.05:
            break
    away = (still[-1] - rest) * [1, 1, 0]
    level = strength * away / np.linalg.norm(away)
    found = [resting_tips(arm, {}, level * np.cos(up) + [0, 0, strength * np.sin(up)]) for up in np.linspace(-1, 1, 81)]
    assert min(np.abs(tips - still).max() for tips in found) < 2.0  # mm: the force is shown with two decimals
    page.page.mouse.up()
    until(lambda: handle.inner_text() == "", "no force")
    arrives(page, resting_tips(arm, {}))
    assert page.look() == seen
    page.page.mouse.move(x + 80, y - 60)
    page.page.mouse.down()
    page.page.mouse.move(x + 110, y - 60, steps=3)
    page.page.mouse.up()
    until(lambda: page.look() != seen, "another view")
    assert handle.inner_text() == ""


def test_keys_push_and_pause(prototype: Page) -> None:
    page, arm = prototype, load_arm("prototype")
    arrives(page, resting_tips(arm, {}))
    page.page.keyboard.down("ArrowRight")
    until(lambda: np.abs(page.tips() - resting_tips(arm, {})).max() > 10, "a push")
    page.page.keyboard.up("ArrowRight")
    arrives(page, resting_tips(arm, {}))
    page.page.keyboard.press("Space")
    until(lambda: page.page.get_by_role("button", name="Play", exact=True).is_visible(), "a pause")
    page.settle()
    stands = page.time()
    time.sleep(0.4)
    assert page.time() == stands
    page.press("Play")
    until(lambda: page.time() > stands, "a later time")
    page.field("l11, kPa").focus()
    page.page.keyboard.press("ArrowRight")  # of a slider: more pressure, and no push
    until(lambda: page.field("l11").input_value() == "5", "a higher pressure")
    assert page.page.locator("#handle").inner_text() == ""
    page.page.locator("canvas").focus()
    page.page.keyboard.press("Backspace")
    until(lambda: page.field("l11").input_value() == "0", "the beginning")


def test_a_page_that_was_held_up_does_not_leap(prototype: Page) -> None:
    """As after a tab was hidden: of two seconds, half a second at most is made up for in two pictures."""
    before = prototype.time()
    after = prototype.page.evaluate(
        """async () => {
          const begun = performance.now();
          while (performance.now() - begun < 2000);
          const picture = () => new Promise((go) => requestAnimationFrame(go));
          await picture();
          await picture();
          return parseFloat(document.getElementById("clock").textContent);
        }"""
    )
    assert after - before < 1.5
    until(lambda: prototype.time() > after, "a later time")


def test_a_finger_pushes_and_the_page_fits_a_phone(browser: Any, tmp_path: Path) -> None:
    load_arm("prototype").page(tmp_path / "arm.html")
    with opened(browser, (tmp_path / "arm.html").as_uri()) as page:
        page.page.set_viewport_size({"width": 390, "height": 700})
        page.show_only("tube")
        assert page.page.evaluate("document.documentElement.scrollWidth") == 390
        for name in ("l11, kPa", "l11", "Pause"):
            box = page.page.get_by_label(name, exact=True).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
        box = page.page.locator("#handle").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        device = page.page.context.new_cdp_session(page.page)
        for kind, places in (("touchStart", [(x + 5, y)]), ("touchMove", [(x + 60, y)])):
            points = [{"x": a, "y": b, "id": 0} for a, b in places]
            device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        until(lambda: page.page.locator("#handle").inner_text().endswith(" N"), "a push")
        device.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        until(lambda: page.page.locator("#handle").inner_text() == "", "no push")
        page.page.set_viewport_size({"width": 640, "height": 320})
        assert page.errors == []


def test_every_law_comes_to_rest_where_statics_has_it(browser: Any, tmp_path: Path) -> None:
    """Valves, stiffening and hardening muscles, a payload, and a line that feeds two muscles late."""
    arm = load_arm("prototype-muscles").replace(
        {"payload.mass": 0.05}, lines=[Line(muscles=["l11", "l12"], delay=0.05)]
    )
    arm = arm.replace({"sections[*].hysteresis": None, "sections[*].creep": ()})  # which would stay
    plant = Plant(arm)
    export_page(arm, tmp_path / "arm.html")
    with opened(browser, (tmp_path / "arm.html").as_uri()) as page:
        page.show_only("tube")
        slide(page, "l12", 300)
        until(lambda: page.field("l11").input_value() == "300", "the other muscle of the line")
        row = plant.commands.rows(pressures=[3e5, 3e5, *[0.0] * 7])[0]
        expected = resting(plant, plant.commands.split(row)).q_or_raise(arm)
        arrives(page, 1e3 * tip_poses(arm, expected)[:, :3, 3])
        assert page.errors == []


def test_an_arm_that_leaves_the_model_stops_and_can_be_reset(browser: Any, tmp_path: Path) -> None:
    arm = load_arm("prototype").replace({"sections[*].muscle_area": 4e-3})
    export_page(arm, tmp_path / "arm.html")
    with opened(browser, (tmp_path / "arm.html").as_uri()) as page:
        page.show_only("tube")
        slide(page, "l21", 700)
        until(lambda: "the arm has stopped: section" in page.notice(), "the reason")
        page.press("Reset")
        until(lambda: page.notice() == "", "a fresh start")
        arrives(page, resting_tips(arm, {}))
        assert page.errors == []
