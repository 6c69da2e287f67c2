"""A live arm with a controller in a real browser: a hand drags the target and the tip arrives there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from viewing import Page, asks_only, opened, until

import continuarm as ca
from continuarm.viewer.viewer import Viewer, live_arm

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def followed() -> Iterator[Viewer]:
    arm = ca.load_arm("prototype")
    with live_arm(arm, controller=ca.ComputedTorque(arm), block=False) as viewer:
        yield viewer


@pytest.fixture
def live(followed: Viewer, browser: Any) -> Iterator[tuple[Page, Viewer]]:
    followed.content.do({"reset": True})
    with opened(browser, followed.url) as page:
        page.text("real time")
        page.show_only("tube")  # the plainest picture: a processor draws it
        middle = 1e3 * followed.content.live.goal.postures.middle.tip
        until(lambda: np.abs(page.tips()[-1] - middle).max() < 0.1, "the middle")
        yield page, followed


def ring(page: Page, name: str) -> tuple[float, float]:
    """Where a ring is in the window, pixels."""
    page.settle()
    box = page.page.locator(f"#{name}").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_hand_drags_the_target_and_the_tip_arrives(live: tuple[Page, Viewer]) -> None:
    page, viewer = live
    goal = viewer.content.live.goal
    before, (x, y) = page.tips()[-1], ring(page, "target")
    mouse = page.page.mouse
    mouse.move(x, y)
    mouse.down()
    for k in range(1, 9):
        mouse.move(x + 4 * k, y - 2 * k)
        page.settle()
    held = ring(page, "target")
    np.testing.assert_allclose(held, (x + 32, y - 16), atol=2.0)  # it is in the hand, wherever the arm is
    mouse.up()
    until(lambda: np.linalg.norm(1e3 * goal.target - before) > 5, "a target that was moved")
    until(lambda: np.abs(page.tips()[-1] - 1e3 * goal.target).max() < 0.1, "the tip at the target, to 0.1 mm")
    np.testing.assert_allclose(ring(page, "target"), held, atol=2.0)  # where the hand put it, also for the arm
    assert page.notice() == ""
    assert page.errors == []
    assert asks_only(page, viewer)


def test_a_target_out_of_reach_is_said_to_be_so(live: tuple[Page, Viewer]) -> None:
    page, viewer = live
    goal = viewer.content.live.goal
    x, y = ring(page, "target")
    mouse = page.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 200, y + 40)  # to the side, and lower
    page.settle()
    mouse.up()
    until(lambda: "out of reach" in page.notice(), "the sentence")
    until(lambda: np.abs(page.tips()[-1] - 1e3 * goal.held.tip).max() < 0.5, "the nearest place")
    assert f"{1e3 * goal.held.distance:.1f} mm away" in page.notice()
    page.press("Reset")
    until(lambda: page.notice() == "", "no sentence any more")
    assert page.errors == []


def test_a_finger_drags_the_target(live: tuple[Page, Viewer]) -> None:
    """Touch comes as pointer events of their own kind; a finger needs no hover."""
    page, viewer = live
    goal = viewer.content.live.goal
    (x, y), before = ring(page, "target"), goal.target
    page.page.evaluate(
        """async ([x, y]) => {
          const canvas = document.getElementById("view");
          canvas.setPointerCapture = () => {}; // of a pointer that is not there
          const say = (kind, dx, buttons) => canvas.dispatchEvent(new PointerEvent(kind, {
            pointerId: 7, pointerType: "touch", clientX: x + dx, clientY: y, buttons, bubbles: true }));
          say("pointerdown", 10, 1);
          for (let k = 1; k < 6; k++) {
            say("pointermove", 10 + 5 * k, 1);
            await new Promise((go) => setTimeout(go, 30));
          }
          say("pointerup", 35, 0);
        }""",
        [x, y],
    )
    until(lambda: np.linalg.norm(goal.target - before) > 5e-3, "a target that was moved")
    until(lambda: np.abs(page.tips()[-1] - 1e3 * goal.target).max() < 0.1, "the tip at the target")
    assert page.errors == []


def test_keys_move_the_target_and_a_hand_pushes_the_tip(live: tuple[Page, Viewer]) -> None:
    page, viewer = live
    arm, goal = viewer.content.live, viewer.content.live.goal
    before = goal.target
    page.page.locator("#view").focus()
    for _ in range(3):
        page.page.keyboard.press("ArrowRight")
    until(lambda: np.linalg.norm(goal.target - before) > 5e-3, "a target that was moved")
    page.press("push the tip")
    until(lambda: page.page.locator("#handle").is_visible(), "the ring at the tip")
    until(lambda: np.abs(page.tips()[-1] - 1e3 * goal.target).max() < 0.1, "the tip at the target")
    x, y = ring(page, "handle")
    mouse, target = page.page.mouse, goal.target
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 30, y)
    until(lambda: bool(arm.push.any()), "a push")
    until(lambda: page.page.locator("#handle").inner_text().endswith(" N"), "the force")
    mouse.up()
    until(lambda: not arm.push.any(), "no push")
    assert goal.target is target
    page.press("move the target")
    assert page.errors == []


def test_an_arm_without_a_controller_is_pushed_too(browser: Any) -> None:
    arm = ca.load_arm("prototype")
    with live_arm(arm, block=False) as viewer, opened(browser, viewer.url) as page:
        page.text("real time")
        page.show_only("tube")
        assert not page.page.locator("#target").is_visible()
        x, y = ring(page, "handle")
        mouse = page.page.mouse
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + 40, y)
        until(lambda: bool(viewer.content.live.push.any()), "a push")
        rest = ca.equilibrium(arm, wrench=np.append(np.zeros(3), viewer.content.live.push))
        wanted = 1e3 * ca.tip_poses(arm, rest)[-1, :3, 3]
        until(lambda: np.abs(page.tips()[-1] - wanted).max() < 1.0, "the equilibrium under the push")
        mouse.up()
        until(lambda: not viewer.content.live.push.any(), "no push")
        assert page.errors == []
