"""A motion in a notebook: small, harmless, and short as text."""

from __future__ import annotations

import dataclasses
import html
import re

import numpy as np
import pytest

from continuarm import Motion, PressureSteps, load_arm, simulate
from continuarm.simulation import notebook
from html_reader import PageReader
from sample_motions import a_motion, swinging

EVIL = "<b>&\"'</b></iframe><script>alert(1)</script>\n\x1b[2J"


def ten_seconds() -> Motion:
    t = np.linspace(0, 10, 2001)
    return swinging(load_arm("prototype"), t, 0.02, np.zeros((len(t), 9)))


def test_ten_seconds_are_far_below_two_megabytes() -> None:
    fragment = ten_seconds()._repr_html_()
    assert len(fragment) < 1_000_000
    assert fragment.count("<iframe") == fragment.count("srcdoc=") == 1
    many = swinging(load_arm("ten-sections"), np.linspace(0, 10, 2001), 0.005, np.zeros((2001, 30)))
    assert len(many._repr_html_()) < 2_000_000


def test_the_page_is_whole_and_kept_apart_from_the_notebook() -> None:
    motion = a_motion_named(EVIL)
    fragment = motion._repr_html_()
    reader = PageReader(fragment)
    assert reader.open == []
    outside = re.sub(r'srcdoc="[^"]*"', "", fragment)
    assert "<script" not in outside
    assert "alert(1)" in outside  # as text
    assert 'sandbox="allow-scripts"' in fragment
    (page,) = re.findall(r'srcdoc="([^"]*)"', fragment)
    assert html.unescape(page).startswith("<!doctype html>")
    assert "</iframe><script>alert" not in html.unescape(page)


def a_motion_named(name: str) -> Motion:
    arm = load_arm("single-section").replace(name=name, description=name)
    motion = simulate(arm, PressureSteps({"l11": [(0.0, 400e3)]}), duration=0.2)
    return dataclasses.replace(motion, stopped=EVIL, record={"solver": EVIL, "real_time_factor": EVIL})


def test_a_page_that_would_be_too_large_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = ten_seconds()
    monkeypatch.setattr(notebook, "LARGEST", 1000)
    fragment = motion._repr_html_()
    assert "<iframe" not in fragment
    assert "<svg" in fragment
    assert len(fragment) < 100_000


def test_facts_have_units() -> None:
    motion = simulate(load_arm("prototype"), PressureSteps({"l33": [(0.0, 500e3)]}), duration=0.5)
    words = " ".join(PageReader(motion._repr_html_()).words)
    for fact in ("pressure in l33", "mm", "J of it dissipated", "every 5 ms", "times real time", "Adaptive("):
        assert fact in words


def test_a_motion_says_what_it_is_on_one_line() -> None:
    motion = ten_seconds()
    assert repr(motion) == "Motion('prototype', 10 s, 2001 states, integral model)"
    stopped = dataclasses.replace(motion.rows(slice(0, 0)), stopped=EVIL)
    assert repr(stopped).startswith("Motion('prototype', 0 s, 0 states, integral model, stopped: ")
    assert repr(stopped).isprintable()
    assert "<iframe" not in stopped._repr_html_()
    assert a_motion(3)._repr_html_()
