"""For the tests of the viewer: a motion made by hand, and a real browser without a screen."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import sample_motions
from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.simulation.inputs import ForceSignal
from continuarm.simulation.motion import Motion
from continuarm.simulation.simulator import simulate
from gate import tool

PATIENCE = 90_000  # ms: without a graphics card, on a busy machine, the first picture takes its time
SOFTWARE_GRAPHICS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
QUIET = ["--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync"]
QUIET += ["--disable-background-networking", "--disable-component-update"]


def swinging(states: int = 81, rate: float = 40.0, begin: float = 0.0, size: float = 0.02) -> Motion:
    """Muscles that swing, one of them with a pressure that jumps."""
    pressures = np.zeros((states, 9))
    pressures[states // 2 :, 8] = 4e5
    return sample_motions.swinging(load_arm("prototype"), begin + np.arange(states) / rate, size, pressures)


def pushed(arm: Arm | None = None) -> Motion:
    """A motion that is driven by forces on two coordinates, 2 s of it; of the prototype if no arm is given."""
    arm = arm or load_arm("prototype")
    rows = np.zeros((2, 3 * arm.n))
    rows[:, 2], rows[1, 7] = 3.0, -4.0
    return simulate(arm, ForceSignal([0.0, 2.0], rows), duration=2.0, rate=40)


def chromium() -> str:
    """The browser; the test is skipped without it, or without the package that drives it."""
    pytest.importorskip("playwright", reason="the browser is driven by playwright")
    return tool("chromium")


@contextlib.contextmanager
def playwright() -> Iterator[Any]:
    """What drives browsers; there can be one of it at a time."""
    chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as tool:
        yield tool


@contextlib.contextmanager
def open_browser(tool: Any, width: int = 800, height: int = 420, rules: str = "") -> Iterator[Any]:
    """A browser with nothing in it but a fresh profile; rules: which names lead where."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        context = tool.chromium.launch_persistent_context(
            profile,
            executable_path=chromium(),
            args=[*SOFTWARE_GRAPHICS, *QUIET, f"--host-resolver-rules={rules}"],
            viewport={"width": width, "height": height},
        )
        context.set_default_timeout(PATIENCE)
        try:
            yield context
        finally:
            context.close()


def until(condition: Callable[[], bool], what: str) -> None:
    """Waits for something that happens by itself, for as long as a slow machine may need."""
    end = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.1)


class Page:
    """A page that remembers what went wrong in it and what it asked for."""

    def __init__(self, browser: Any, address: str) -> None:
        self.page = browser.new_page()
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda each: self.errors.append(each.text) if each.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)

    def _look(self, reading: str) -> str:
        """In one look: the panel is written anew again and again."""
        return str(self.page.evaluate(f"document.querySelector('[data-reading=\"{reading}\"]')?.innerText ?? ''"))

    def text(self, reading: str) -> str:
        """What a reading of the panel says, when there is one."""
        until(lambda: self._look(reading) != "", f"the reading of {reading}")
        return self._look(reading)

    def notice(self) -> str:
        """What the panel warns of; nothing, where it does not."""
        return self._look("notice")

    def time(self) -> float:
        """What the page says the time of the motion is, s."""
        return float(self.text("time").split()[0])

    def plots(self) -> list[str]:
        """What is plotted, in order."""
        self.text("time")
        return list(self.page.locator("figure").evaluate_all("(all) => all.map((each) => each.dataset.plot)"))

    def tips(self) -> np.ndarray:
        """Where the page says the tips are: (n, 3), mm."""
        rows = [row.split("\t") for row in self.text("tips").strip().split("\n")[1:]]
        return np.array([[float(cell) for cell in row[1:4]] for row in rows])

    def field(self, label: str) -> Any:
        """Where a number is typed."""
        return self.page.get_by_label(label, exact=True)

    def type(self, label: str, text: str) -> None:
        """Types a number, as a hand does."""
        self.field(label).click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def press(self, name: str) -> None:
        """Presses a button."""
        self.page.get_by_role("button", name=name, exact=True).click()

    def seek(self, time: float) -> None:
        """Moves the timeline."""
        self.page.locator("#time").evaluate(
            "(bar, time) => { bar.value = time; bar.dispatchEvent(new Event('input')); }", time
        )
        until(lambda: abs(self.time() - time) < 1e-3, "the time")

    def show_only(self, *parts: str) -> None:
        """Shows some parts of the picture and no others."""
        self.page.locator("details:has(#shown)").evaluate("(each) => { each.open = true; }")
        boxes = self.page.locator("#shown label")
        for k in range(boxes.count()):
            boxes.nth(k).locator("input").set_checked(boxes.nth(k).inner_text().strip() in parts)
        self.settle()

    def look(self) -> dict[str, Any]:
        """From where one looks: how the axes lie in the picture, and how long the scale is."""
        self.settle()
        parts = "['axes', 'scale'].map((id) => [id, document.getElementById(id).innerHTML])"
        return dict(self.page.evaluate(f"() => Object.fromEntries({parts})"))

    def settle(self) -> None:
        """Waits until what was changed is drawn."""
        self.page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")

    def picture(self) -> np.ndarray:
        """The pixels of the 3D picture: (height, width, 3), 0 to 255."""
        from PIL import Image

        self.settle()
        shot = self.page.screenshot(clip=self.page.locator("canvas").bounding_box(), timeout=PATIENCE)
        return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(float)


@contextlib.contextmanager
def opened(browser: Any, address: str) -> Iterator[Page]:
    """A page, and none beside it: without a graphics card each that moves takes a processor."""
    page = Page(browser, address)
    page.text("time")
    try:
        yield page
    finally:
        page.page.close()


def asks_only(page: Page, viewer: Any) -> bool:
    """Whether a page asked nobody but the viewer that served it."""
    own = viewer.url.partition("?")[0]
    return all(url.startswith((own, "data:", f"blob:{own}")) for url in page.requests)
