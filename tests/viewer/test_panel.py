"""What the side panel says is true, and is nothing but text and pictures."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from viewing import pushed, swinging

from continuarm.viewer.live import Figures
from continuarm.viewer.panel import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Curve,
    colour_bar,
    energy_plot,
    force_plot,
    heading,
    notice,
    plot,
    plot_at,
    pressure_bar,
    readings,
    speed_table,
    tip_plot,
)


def points_of(text: str) -> list[np.ndarray]:
    """The points of all curves of a plot."""
    return [
        np.array([pair.split(",") for pair in found.split()], float) for found in re.findall(r'points="(.*?)"', text)
    ]


def test_curves_are_drawn_to_scale_and_inside_the_plot() -> None:
    t = np.linspace(0, 4, 50)
    (drawn,) = points_of(plot("sine", t, [Curve("s", "#000000", np.sin(t))]))
    assert drawn[:, 0].min() == LEFT
    assert drawn[:, 0].max() == WIDTH - RIGHT
    assert (drawn[:, 1] >= TOP).all()
    assert (drawn[:, 1] <= HEIGHT - BOTTOM).all()
    slope, offset = np.polyfit(np.sin(t), drawn[:, 1], 1)
    assert slope < 0  # up is more
    np.testing.assert_allclose(drawn[:, 1], slope * np.sin(t) + offset, atol=0.1)  # points have one decimal


def test_the_line_of_now_is_at_the_time() -> None:
    t = np.linspace(0, 4, 50)
    for now, share in ((-1.0, 0.0), (0.0, 0.0), (1.0, 0.25), (4.0, 1.0), (9.0, 1.0)):
        drawn = plot("x", t, [Curve("s", "#000000", t)], now)
        found = re.search(r'class="now" x1="(.*?)"', drawn)
        assert found
        assert float(found[1]) == pytest.approx(LEFT + share * (WIDTH - LEFT - RIGHT), abs=0.1)
        assert plot_at(plot("x", t, [Curve("s", "#000000", t)], 2.0), now / 4) == drawn


@pytest.mark.parametrize("values", [np.zeros(3), np.full(3, 7.0), np.array([1e-9, 0, 0]), np.array([1e9, 0, -1e9])])
def test_any_numbers_can_be_plotted(values: np.ndarray) -> None:
    text = plot("x", np.arange(3.0), [Curve("s", "#000000", values)])
    ElementTree.fromstring(text)
    assert "nan" not in text
    assert plot("one", [2.0], [Curve("s", "#000000", values[:1])])


def test_everything_is_well_formed_and_names_are_only_text() -> None:
    motion = swinging()
    bad = '<script>alert(1)</script> & "quotes"'
    for text in (
        tip_plot(motion, 1.0),
        energy_plot(motion, 1.0),
        colour_bar(6e5),
        readings(1.0, {"kinetic": 1.0}, motion.tips[0], motion.tips[1]),
        notice(bad),
        heading([(bad, "#123456")]),
        plot(bad, [0.0, 1.0], [Curve(bad, "#000000", np.zeros(2))]),
    ):
        ElementTree.fromstring(text.replace("&#9679;", "").replace("&#9632;", ""))
        assert "<script" not in text
    assert notice("") == ""


def test_readings_are_in_millimetres_and_joules() -> None:
    motion = swinging()
    text = readings(1.25, {"kinetic": 0.5}, motion.tips[3], motion.tips[3] + [0.003, 0, 0.004])
    assert ">1.250 s<" in text
    assert "0.500 J" in text
    assert f">{1e3 * motion.tips[3, 2, 2]:.1f}<" in text
    assert text.count(">5.00<") == 3  # mm apart


def test_a_bar_of_colours_says_kilopascals() -> None:
    assert all(f"<span>{mark}</span>" in colour_bar(6e5) for mark in (0, 150, 300, 450, 600))


def test_forces_are_drawn_in_place_of_a_bar_without_pressures() -> None:
    motion = pushed()
    title, *names = re.findall(r">([^<>]*)</text>", force_plot(motion, 0.0))[:3]
    assert (title, sorted(names)) == ("force, N", ["l13", "l32"])
    held, falling = points_of(force_plot(motion, 0.0))
    assert np.ptp(held[:, 1]) == 0
    assert (np.diff(falling[:, 1]) > 0).all()  # down the picture
    assert pressure_bar([motion], 6e5) == force_plot(swinging(), 0.0) == ""
    assert pressure_bar([motion, swinging()], 6e5) == colour_bar(6e5)


def test_falling_behind_is_red() -> None:
    good, slow, late = (
        speed_table(Figures(factor, 2e-6, 1000, missed)) for factor, missed in ((1.0, 0), (0.8, 0), (1.0, 50))
    )
    assert "B5152B" not in good
    assert "1.00 x" in good
    assert "2.0 µs" in good
    assert "B5152B" in slow
    assert "5.00 %" in late
    assert "B5152B" in late
