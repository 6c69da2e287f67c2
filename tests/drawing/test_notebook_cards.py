"""What objects show in a notebook: well formed, light, in the page's own colours; nobody's text is taken for tags."""

from __future__ import annotations

import dataclasses
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import continuarm as ca
from continuarm.drawing.notebook import MOST_ROWS, curve_svg, interval_svg, plain_table
from continuarm.drawing.svg import arm_svg
from html_reader import PageReader
from sample_motions import an_arm

EVIL = "<b>&\"'</b><script>alert(1)</script>\n\x1b[2J"
VOID_FREE = re.compile(r"<(script|link|img|object|embed)\b")


def arms() -> dict[str, ca.Arm]:
    prototype = ca.load_arm("prototype")
    many = prototype.replace(sections=[prototype.sections[0]] * 100)
    return {
        "single": ca.load_arm("single-section"),
        "prototype": prototype,
        "ten": ca.load_arm("ten-sections"),
        "four muscles": an_arm().replace(payload=ca.Payload(mass=0.1)),
        "hundred": many,
        "thousand": prototype.replace(sections=[prototype.sections[0]] * 1000),
        "weightless": prototype.replace(gravity=(0, 0, 0)),
        "strange": prototype.replace(name=EVIL, description=EVIL),
        "matrix": prototype.replace({"sections[0].stiffness": [[9, 1, 1], [1, 9, 1], [1, 1, 9]]}),
    }


ARMS = arms()


def check_fragment(fragment: str) -> PageReader:
    """That a piece of HTML closes its tags, loads nothing, runs nothing and sets no colour of text or ground."""
    reader = PageReader(fragment)
    assert reader.open == []
    assert not VOID_FREE.search(fragment)
    assert reader.addresses == []
    for style in re.findall(r'style="([^"]*)"', fragment):
        assert not re.search(r"(?<![-\w])(color|background)", style)
    return reader


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_is_shown_with_a_picture_and_its_numbers(name: str) -> None:
    arm = ARMS[name]
    fragment = arm._repr_html_()
    assert len(fragment) < 100_000
    words = " ".join(check_fragment(fragment).words)
    assert "m/s²" in words
    assert "K_e, N/m" in words
    assert f"{arm.sections[0].length:g}" in words
    (picture,) = re.findall(r"<svg.*?</svg>", fragment)
    assert ElementTree.fromstring(picture).tag == "{http://www.w3.org/2000/svg}svg"


def test_other_peoples_text_is_shown_as_it_is() -> None:
    words = " ".join(PageReader(ARMS["strange"]._repr_html_()).words)
    assert "<script>alert(1)</script>" in words
    assert all(letter.isprintable() or letter.isspace() for letter in words)
    assert "\x1b" not in words


def test_a_picture_has_the_arm_inside_and_colours_of_its_pressures(prototype: ca.Arm) -> None:
    q, pressures = np.array([0.03, 0, 0, 0, 0.03, 0, 0, 0, 0.03]), np.full(9, 600e3)
    for picture in (arm_svg(prototype, q), arm_svg(prototype, q, pressures, 0.5 * q[None], np.ones((5, 3)) * 0.1)):
        root = ElementTree.fromstring(picture)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for path in root.iter("{http://www.w3.org/2000/svg}path"):
            numbers = np.array([float(each) for each in re.findall(r"-?[\d.]+", path.attrib["d"])]).reshape(-1, 2)
            assert (numbers > -1).all()
            assert (numbers < [width + 1, height + 1]).all()
    unpressed, pressed = (arm_svg(prototype, q, each) for each in (np.zeros(9), pressures))
    reds = [len(re.findall(r'color="#[9a-f][0-9a-f][0-4][0-9a-f]{3}"', each)) for each in (unpressed, pressed)]
    assert reds[0] < 5 < 30 < reds[1]


def test_vibrations_are_shown_one_by_one(prototype: ca.Arm) -> None:
    found = ca.vibrations(prototype)
    fragment = found._repr_html_()
    assert len(fragment) < 100_000
    words = check_fragment(fragment).words
    assert f"{found.frequencies[0]:.4g}" in words
    assert f"{found.time_constants[0]:.3g}" in words
    assert fragment.count("<svg") == fragment.count("</tr>") - 1 <= MOST_ROWS
    batch = ca.vibrations(prototype, np.zeros((2, 9)))
    check_fragment(batch._repr_html_())
    undamped = ca.vibrations(prototype.replace({"sections[*].damping": 0.0}))
    assert "nan" not in undamped._repr_html_()


def test_a_fit_of_coefficients_is_shown_with_errors() -> None:
    fit = ca.fit_energy_shaping(2000, bootstrap=10)
    words = " ".join(check_fragment(fit._repr_html_()).words)
    assert f"{fit.terms[0].beta:.5g}" in words
    assert len(repr(fit)) < 200


def test_reprs_are_short_and_have_units(prototype: ca.Arm) -> None:
    vibrations = ca.vibrations(prototype)
    assert re.search(r"18, .* Hz, .* s\)$", repr(vibrations))
    assert repr(ca.vibrations(prototype, np.zeros((2, 9)))).startswith("Vibrations(shape (2, 18)")
    assert repr(ca.equilibria(prototype, np.zeros((4, 9)))) == "Equilibria(q of shape (4, 9), m, 4 of 4 converged)"
    assert vibrations == ca.Vibrations(*vibrations)  # a tuple as before


def test_a_long_table_says_how_much_more_there_is() -> None:
    table = plain_table(["a", "b"], [[str(k), EVIL] for k in range(MOST_ROWS + 5)])
    assert "and 5 more" in table
    check_fragment(table)
    assert table.count("<tr>") == MOST_ROWS + 1


def test_drawings_in_cells_stay_in_them() -> None:
    for drawing in (curve_svg(np.array([-5.0, 5.0, 0.0])), interval_svg(-9.0, 1.0, 9.0, 0.1)):
        root = ElementTree.fromstring(drawing)
        wide, high = float(root.attrib["width"]), float(root.attrib["height"])
        for points in re.findall(r'points="([^"]*)"', drawing):
            numbers = np.array([each.split(",") for each in points.split()], dtype=float)
            assert ((numbers >= 0) & (numbers <= [wide, high])).all()
    assert "path" not in interval_svg(np.nan, 1.0, 2.0, 0.1)
    assert "path" not in interval_svg(0.0, 1.0, 2.0, 0.0)


def test_showing_changes_nothing(prototype: ca.Arm) -> None:
    import pickle

    before = pickle.dumps(prototype)
    prototype._repr_html_()
    assert pickle.dumps(prototype) == before
    assert dataclasses.is_dataclass(ca.Motion)
