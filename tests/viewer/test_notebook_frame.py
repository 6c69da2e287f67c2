"""A motion in a notebook, in a real browser: the frame plays, and nothing in it reaches the page around it."""

from __future__ import annotations

from pathlib import Path

import pytest
from viewing import PATIENCE, open_browser, playwright, swinging, until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


def test_the_frame_plays_and_is_kept_apart(tmp_path: Path) -> None:
    fragment = swinging(states=161, size=0.03)._repr_html_()
    place = tmp_path / "notebook.html"
    place.write_text(f"<!doctype html><meta charset='utf-8'><body>{fragment}</body>", encoding="utf-8")
    errors: list[str] = []
    with playwright() as tool, open_browser(tool, 1000, 900) as browser:
        page = browser.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda each: errors.append(each.text) if each.type == "error" else None)
        page.goto(place.as_uri())
        clock = page.frame_locator("iframe").locator("#clock")
        clock.wait_for(timeout=PATIENCE)
        first = clock.inner_text()
        until(lambda: clock.inner_text() not in (first, "0.000 s"), "another time")
        assert page.frame_locator("iframe").locator("#trouble").is_hidden()
        inside = page.frames[1]
        assert inside.evaluate("try { parent.document.title; 'reached' } catch (error) { 'refused' }") == "refused"
    assert errors == []
