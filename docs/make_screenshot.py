"""Makes docs/pictures/experiment3.png: experiment 3 of the paper in the project's own viewer.

Needs the development tools (pip install -e '.[dev]') and Chromium; no screen and no graphics card.

    python docs/make_screenshot.py [FILE]
"""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from continuarm.arms.arm_file import load_arm
from continuarm.paper.experiments import EXPERIMENTS
from continuarm.simulation.simulator import simulate
from continuarm.viewer.viewer import view_motion

PICTURE = Path(__file__).parent / "pictures" / "experiment3.png"
WIDTH, HEIGHT = 1280, 810
MOMENT = 7.0  # s: all three sections are bent
SOFTWARE_GRAPHICS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
QUIET = ["--no-sandbox", "--no-first-run", "--disable-quic", "--disable-sync"]
QUIET += ["--disable-background-networking", "--disable-component-update"]


def picture_of(page: Page) -> Image.Image:
    return Image.open(io.BytesIO(page.screenshot(timeout=120_000))).convert("RGB")


def settled(page: Page) -> Image.Image:
    """The page when two pictures of it, a second apart, are the same."""
    before = picture_of(page)
    for _ in range(60):
        time.sleep(1)
        now = picture_of(page)
        if now.tobytes() == before.tobytes():
            break
        before = now
    return before


def main(target: Path = PICTURE) -> None:
    experiment = EXPERIMENTS[3]
    motion = simulate(load_arm("prototype"), experiment.steps, duration=experiment.duration)
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        sys.exit("Chromium is needed: apt-get install chromium")
    with tempfile.TemporaryDirectory() as folder, view_motion(motion, block=False) as viewer, sync_playwright() as tool:
        viewer.content.pause()
        viewer.content.seek(MOMENT)
        browser = tool.chromium.launch_persistent_context(
            folder,
            executable_path=chromium,
            args=[*SOFTWARE_GRAPHICS, *QUIET],
            viewport={"width": WIDTH, "height": HEIGHT},
        )
        page = browser.pages[0]
        page.goto(viewer.url)
        page.locator("[data-reading=time]").wait_for(timeout=60_000)
        close = page.locator(".mantine-Notification-closeButton")  # that there is no graphics card
        if close.count():
            close.first.click()
        picture = settled(page)
        browser.close()
    target.parent.mkdir(exist_ok=True)
    picture.save(target, optimize=True)
    print(f"{target}: {target.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
